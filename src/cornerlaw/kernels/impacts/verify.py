"""The check of an impact: of every problem its law poses, and of what is made of their solutions.

It shares no code with the laws and the solvers. A law may go wrong between right solutions, and the
sequential law and that of the cradle pose no problem at all. (T-13.25)
"""

import math

from cornerlaw.arrays.impact_arrays import (
    CRADLE,
    NEWTON,
    NEWTON_BOTH,
    POISSON_COULOMB,
    POISSON_NEW,
    POISSON_OLD,
    SEQUENTIAL,
)
from cornerlaw.arrays.problem import BALL, NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.verify import ROUNDING, residual
from cornerlaw.kernels.impacts.sets import (
    is_bilateral,
    is_normal,
    keep_bounds,
    restore_bounds,
)

# the residuals of two phases, and a part eps <= 1 of the first once more
_PHASES = 4.0


@kernel
def limit_of(s):
    """Return the residual at which a problem counts as solved, summed in another order."""
    return 2.0 * s.options[ACCEPTED] + 1e-12


@kernel
def verify_phase(p, s, before, status):
    """Return the status of a problem of a law and, in s.residual, the larger of two residuals.

    `before` is that of the phase before. The residual is measured here, whatever the solver says of
    itself. (T-11.9)
    """
    if status != SOLVED:
        return status
    value = residual(p, s.options[V_REF])
    s.residual[0] = max(before, value)
    return SOLVED if value <= limit_of(s) else NOT_SOLVED


@kernel
def _reference(p, imp, s):
    """Return the largest velocity of the problems of the impact, or one that none is below.

    Expansion begins with gamma_C + G_N eps_N Lambda_NC. (T-13.8)
    """
    reference = s.options[V_REF]
    for i in range(p.n[0]):
        size = abs(imp.gamma_C[i]) if math.isfinite(imp.gamma_C[i]) else 0.0
        for j in range(p.n[0]):
            size += abs(p.G[i, j] * imp.eps[j] * imp.Lambda_C[j])
        reference = max(reference, size, abs(imp.gamma_minus[i]))
    return reference


@kernel
def _velocity_defect(law, p, imp, k):
    """Return by how much the velocities after the impact leave those that set k allows.

    Where the impulse has no upper bound gamma >= 0, where it has no lower one gamma <= 0. Newton's
    law sends back eps of a separation as well.
    """
    i = p.start[k]
    back = 0.0
    if (law == NEWTON or law == NEWTON_BOTH) and not is_bilateral(p, k):
        back = imp.eps[i] * imp.gamma_minus[i]
    size = 0.0
    for j in range(p.n[0]):
        size += abs(p.G[i, j] * imp.Lambda[j])
    # gamma is a difference of sums
    room, defect = ROUNDING * p.n[0] * (size + abs(imp.gamma_minus[i])), 0.0
    if p.upper_0[k] == math.inf:
        defect = max(defect, min(0.0, -back) - room - imp.gamma_plus[i])
    if p.lower_0[k] == -math.inf:
        defect = max(defect, imp.gamma_plus[i] - max(0.0, -back) - room)
    return defect


@kernel
def _impulse_defect(law, p, imp, k):
    """Return by how much the impulses leave set k, as a velocity.

    What eps_T gives back may leave the cone. What the normal impulse is off, friction is mu times.
    """
    i, m = p.start[k], p.master[k]
    load = max(imp.Lambda[m], 0.0) if m >= 0 else 0.0
    low = -math.inf if p.lower_0[k] == -math.inf else imp.load[0, k]
    high = math.inf if p.upper_0[k] == math.inf else imp.load[1, k]
    mu_low, mu_high, given = abs(p.lower_1[k]), abs(p.upper_1[k]), 0.0
    if m >= 0 and (law == POISSON_OLD or law == POISSON_NEW):
        given = imp.eps[m] * imp.eps[i] * abs(imp.Lambda_C[i])
    if mu_low > 0.0:
        low -= mu_low * load + given
    if mu_high > 0.0:
        high += mu_high * load + given
    outside, weight = 0.0, 0.0
    if p.kind[k] == BALL:
        total = 0.0
        for a in range(i, i + p.size[k]):
            total += imp.Lambda[a] * imp.Lambda[a]
            weight = max(weight, abs(p.G[a, a]))
        outside = max(0.0, math.sqrt(total) - high)
    else:
        weight = abs(p.G[i, i])
        outside = max(0.0, low - imp.Lambda[i], imp.Lambda[i] - high)
    return weight * outside / (1.0 + max(mu_low, mu_high))


@kernel
def _newton_residual(law, p, imp, s):
    """Return the residual of Newton's problem, posed anew with the impulses found. (T-13.5)"""
    keep_bounds(p, imp)
    for k in range(p.n_sets[0]):
        eps_T = law == NEWTON_BOTH and not is_bilateral(p, k)
        for i in range(p.start[k], p.start[k] + p.size[k]):
            p.c[i] = imp.gamma_minus[i]
            if is_normal(p, k) or eps_T:
                p.c[i] += imp.eps[i] * imp.gamma_minus[i]
    value = residual(p, s.options[V_REF])
    restore_bounds(p, imp)
    for i in range(p.n[0]):
        p.c[i], p.gamma[i] = imp.gamma_minus[i], imp.gamma_plus[i]
    return value


@kernel
def _poisson_defect(p, imp, k):
    """Return by how much a normal row misses Poisson's law, as a velocity. (T-13.7) (T-13.8)

    Both phases: 0 <= gamma_NC, Lambda_NC and 0 <= gamma_N+, Lambda_N - (1 + eps_N) Lambda_NC, of
    which one is zero.
    """
    i = p.start[k]
    gamma = imp.gamma_minus[i]
    for j in range(p.n[0]):
        gamma += p.G[i, j] * imp.Lambda_C[j]
    first = min(gamma, p.G[i, i] * imp.Lambda_C[i])
    more = imp.Lambda[i] - (1.0 + imp.eps[i]) * imp.Lambda_C[i]
    return max(abs(first), abs(min(imp.gamma_plus[i], p.G[i, i] * more)))


@kernel
def _gain(law, p, imp):
    """Return the energy that a law without friction creates over its impulses, as a velocity.

    Neither the cradle nor the sequential law creates any; elastic contacts alone lose none either.
    (T-13.19) (T-13.24)
    """
    if law != CRADLE and law != SEQUENTIAL:
        return 0.0
    total, elastic = 0.0, True
    for k in range(p.n_sets[0]):
        i = p.start[k]
        total += abs(imp.Lambda[i])
        elastic = elastic and is_normal(p, k) and imp.eps[i] == 1.0
    change = abs(imp.energy[0]) if elastic else max(0.0, imp.energy[0])
    return change / total if total > 0.0 else 0.0


@kernel
def verify_impact(law, p, imp, s):
    """Check a finished impact; return whether it may be used.

    Needs the sets and the velocities as before the impact. Raises s.residual to the largest defect
    of all sets over the largest velocity. (T-13.25)
    """
    n, reference = p.n[0], _reference(p, imp, s)
    worst = _gain(law, p, imp)
    for i in range(n):
        if not (math.isfinite(imp.Lambda[i]) and math.isfinite(imp.gamma_plus[i])):
            s.residual[0] = math.inf
            return False
    for k in range(p.n_sets[0]):
        if p.kind[k] != BALL:
            worst = max(worst, _velocity_defect(law, p, imp, k))
        worst = max(worst, _impulse_defect(law, p, imp, k))
        if is_normal(p, k) and law >= POISSON_COULOMB and law <= POISSON_NEW:
            worst = max(worst, _poisson_defect(p, imp, k))
    if law == NEWTON or law == NEWTON_BOTH:
        worst = max(worst, reference * _newton_residual(law, p, imp, s))
    s.residual[0] = max(s.residual[0], worst / reference)
    return worst <= _PHASES * limit_of(s) * reference
