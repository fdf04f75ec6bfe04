"""The law of Newton's cradle: elastic collisions whose order does not matter.

In the metric G^-1 an elastic collision of contact k mirrors the velocities in the plane
gamma_k = 0. If each two of these planes meet at an angle pi / integer, the mirrors generate a
finite group: in whatever order the collisions follow, they end in the same velocities, and the
outcome is the folding of the velocities into the cone gamma >= 0. Two contacts of three equal balls
have 60 degrees and six cases. (T-13.16) to (T-13.19) [Winandy2017]
"""

import math

from cornerlaw.arrays.impact_arrays import REFUSED_MIRRORS, REFUSED_RESTITUTION
from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.impacts.condense import (
    complete_impulses,
    condense,
    list_normal_rows,
    list_normal_velocities,
)
from cornerlaw.kernels.impacts.verify import verify_phase
from cornerlaw.kernels.late import call

_ANGLE_TOLERANCE = 1e-7
_LARGEST_ORDER = 1000
_ROUND_OFF = 1e-15


@kernel
def _is_mirror_angle(cosine):
    """Tell whether an angle is pi / 2, pi / 3, pi / 4 ... up to a limit. (T-13.17)"""
    if cosine < -_ANGLE_TOLERANCE or cosine >= 1.0:
        return False
    angle = math.acos(cosine)
    order = round(math.pi / angle)
    return order <= _LARGEST_ORDER and abs(angle - math.pi / order) < _ANGLE_TOLERANCE


@kernel
def _check_mirrors(imp, count):
    """Tell whether all mirrors meet at angles that make the order of collisions irrelevant."""
    for a in range(count):
        i = imp.row[a]
        if not imp.H[i, i] > 0.0:
            return False
        for b in range(a):
            j = imp.row[b]
            size = math.sqrt(imp.H[i, i] * imp.H[j, j])
            if abs(imp.H[i, j] - imp.H[j, i]) > _ANGLE_TOLERANCE * size:
                return False
            if not _is_mirror_angle(-imp.H[i, j] / size):
                return False
    return True


@kernel
def _has_equal_restitution(imp, count):
    for a in range(1, count):
        if imp.eps[imp.row[a]] != imp.eps[imp.row[0]]:
            return False
    return True


@kernel
def _fold(imp, count, gamma):
    """Mirror gamma in the plane of the fastest approach until no contact approaches. (T-13.16)

    Adds the impulses to imp.Lambda. A finite group with n mirrors in its corner needs at most as
    many mirrorings as it has mirror planes.
    """
    largest = 0.0
    for a in range(count):
        largest = max(largest, abs(gamma[a]))
    for _ in range(60 + (_LARGEST_ORDER + count) * count):
        worst, fastest = -1, -_ROUND_OFF * largest
        for a in range(count):
            if gamma[a] < fastest:
                worst, fastest = a, gamma[a]
        if worst < 0:
            return SOLVED
        i = imp.row[worst]
        impulse = -2.0 * gamma[worst] / imp.H[i, i]
        imp.Lambda[i] += impulse
        for a in range(count):
            gamma[a] += imp.H[imp.row[a], i] * impulse
    return NOT_SOLVED


@kernel
def _add_plastic_part(p, imp, s, eps):
    """Write eps Lambda + (1 - eps) times the impulses of the plastic impact. (T-13.19)"""
    for i in range(p.n[0]):
        p.c[i] = imp.gamma_minus[i]
    status = verify_phase(p, s, 0.0, call(imp.solver[0], p, s))
    for i in range(p.n[0]):
        imp.Lambda[i] = eps * imp.Lambda[i] + (1.0 - eps) * p.x[i]
    return status


@kernel
def solve_cradle_impact(law, p, imp, s):
    """Solve an impact with the cradle law, or return why it does not apply."""
    count = list_normal_rows(p, imp)
    if count <= 0:
        return -count
    condense(p, imp)
    if not _check_mirrors(imp, count):
        return REFUSED_MIRRORS
    if not _has_equal_restitution(imp, count):
        return REFUSED_RESTITUTION
    list_normal_velocities(p, imp, count, imp.shift)
    status = _fold(imp, count, imp.shift)
    complete_impulses(p, imp)
    eps = imp.eps[imp.row[0]]
    if status == SOLVED and eps != 1.0:
        status = _add_plastic_part(p, imp, s, eps)
    return status
