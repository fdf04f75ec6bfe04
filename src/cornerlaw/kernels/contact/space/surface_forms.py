"""Points of surfaces: parameters, tangents, normals, and the two fundamental forms.

A surface is a function of the user or a height field. Its outward normal is along r_s x r_t; the
curvature is positive where the body is convex.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_HEIGHTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import principal
from cornerlaw.kernels.contact.space.geometry import cross, dot, norm, scaled
from cornerlaw.kernels.late import call

_POLE = 1e-10  # how near to a pole, per range, the tangents are taken
_FLAT = 1e-10  # |r_s x r_t| at a pole, relative
_CELLS = 10.0  # unit of steps on a height field


@kernel
def range_of(m, c):
    """Return s0, s1, t0, t1 and whether s and t are closed."""
    d = m.contours.data[m.contours.start[c] :]
    if m.contours.kind[c] == SHAPE_HEIGHTS:
        return d[2], d[2] + d[0] * d[4], d[3], d[3] + d[1] * d[5], False, False
    return d[0], d[1], d[2], d[3], d[4] >= 1.0, d[5] >= 1.0


@kernel
def unit_of(m, c):
    """Return the units of steps in s and t."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    if m.contours.kind[c] == SHAPE_HEIGHTS:
        d = m.contours.data[m.contours.start[c] :]
        return min(s1 - s0, _CELLS * d[4]), min(t1 - t0, _CELLS * d[5])
    return s1 - s0, t1 - t0


@kernel
def is_convex(m, c):
    """Tell whether a surface is known to be convex: 2 in place of closed_s."""
    if m.contours.kind[c] == SHAPE_HEIGHTS:
        return False
    return m.contours.data[m.contours.start[c] + 4] == 2.0


@kernel
def vector_at(e, k):
    """Return vector k of an evaluated point: r, r_s, r_t, r_ss, r_st, r_tt."""
    return e[3 * k], e[3 * k + 1], e[3 * k + 2]


@kernel
def place_point(m, w, c, s, t, side):
    """Evaluate surface c at s, t into w.contact_c[side].

    At a pole, where the tangents do not span a plane, a place close by.
    """
    call(m.stages.surface, m, w, c, s, t, side)
    e = w.contact_c[side]
    a, b = vector_at(e, 1), vector_at(e, 2)
    aa, bb = dot(a, a), dot(b, b)
    if norm(cross(a, b)) < _FLAT * (aa + bb):
        s0, s1, t0, t1, _, _ = range_of(m, c)
        if aa < bb:
            t += math.copysign(_POLE * (t1 - t0), 0.5 * (t0 + t1) - t)
        else:
            s += math.copysign(_POLE * (s1 - s0), 0.5 * (s0 + s1) - s)
        call(m.stages.surface, m, w, c, s, t, side)


@kernel
def basis_of(e):
    """Return outward normal, two unit tangents a along r_s and b, and r_s . a, r_t . a, r_t . b."""
    r_s, r_t = vector_at(e, 1), vector_at(e, 2)
    across = cross(r_s, r_t)
    first, size = norm(r_s), norm(across)
    normal, a = scaled(1.0 / size, across), scaled(1.0 / first, r_s)
    return normal, a, cross(normal, a), (first, dot(r_t, a), size / first)


@kernel
def shape_of(e, normal, J):
    """Return the curvature tensor in the unit tangents: J^-T II J^-1 with II = -n . r_ij. (T-18.35)

    dn = K dr on the surface; J = ((J0, J1), (0, J2)) takes (ds, dt) to the tangents.
    """
    L, M, N = (
        -dot(normal, vector_at(e, 3)),
        -dot(normal, vector_at(e, 4)),
        -dot(normal, vector_at(e, 5)),
    )
    q = J[1] / J[0]
    return (
        L / (J[0] * J[0]),
        (M - q * L) / (J[0] * J[2]),
        (N - 2.0 * q * M + q * q * L) / (J[2] * J[2]),
    )


@kernel
def to_parameters(J, x, y):
    """Return ds, dt of a step in the unit tangents."""
    dt = y / J[2]
    return (x - J[1] * dt) / J[0], dt


@kernel
def of_surface(e):
    """Return principal curvatures and direction at an evaluated point. (T-18.28) (T-18.35)"""
    normal, a, b, J = basis_of(e)
    K = shape_of(e, normal, J)
    return principal(K[0], K[1], K[2], a, b)


@kernel
def is_pole(m, w, c, s, t, along_s, side):
    """Tell whether an open end is a point: no speed along the other, closed parameter."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    call(m.stages.surface, m, w, c, s, t, side)
    a = (s1 - s0) * norm(vector_at(w.contact_c[side], 1))
    b = (t1 - t0) * norm(vector_at(w.contact_c[side], 2))
    return b < 1e-6 * a if along_s else a < 1e-6 * b


@kernel
def _fold(x, low, high):
    """Return a parameter mirrored at the end it has passed."""
    return 2.0 * low - x if x < low else 2.0 * high - x


@kernel
def fold(m, w, c, s, t, side):
    """Return s, t on the surface, and whether an end stopped them.

    Beyond a pole the surface goes on at the opposite side. (T-18.36)
    """
    s0, s1, t0, t1, closed_s, closed_t = range_of(m, c)
    stopped = False
    if not closed_t and (t < t0 or t > t1):
        end = t0 if t < t0 else t1
        if closed_s and is_pole(m, w, c, s, end, False, side):
            s, t = s + 0.5 * (s1 - s0), _fold(t, t0, t1)
        else:
            t, stopped = end, True
    if not closed_s and (s < s0 or s > s1):
        end = s0 if s < s0 else s1
        if closed_t and is_pole(m, w, c, end, t, True, side):
            s, t = _fold(s, s0, s1), t + 0.5 * (t1 - t0)
        else:
            s, stopped = end, True
    return s, t, stopped


@kernel
def wrap(m, c, s, t):
    """Return s, t in their range where they are closed."""
    s0, s1, t0, t1, closed_s, closed_t = range_of(m, c)
    if closed_s:
        s = s0 + (s - s0) % (s1 - s0)
    if closed_t:
        t = t0 + (t - t0) % (t1 - t0)
    return s, t
