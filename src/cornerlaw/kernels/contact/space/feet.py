"""Feet on a surface: its nearest point below or above a place close to it, and how that moves.

Above the outer side of the surface the distance is positive, behind it negative: it is smooth where
the place passes through, which the distance of a thin core is not.
"""

import math

from cornerlaw.arrays.kinds import SHAPE_HEIGHTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import dot, sub, to_local
from cornerlaw.kernels.contact.space.surface_forms import (
    basis_of,
    fold,
    place_point,
    range_of,
    shape_of,
    to_parameters,
    unit_of,
    vector_at,
)
from cornerlaw.kernels.contact.space.surface_search import limit_step, newton_step

SIDE = 1  # place of the foot in w.contact_c
_SAMPLES = 24  # of each parameter of a surface
_STEPS = 40
_HALVINGS = 10
_REACH = 0.12  # largest step, per unit of the parameter
_CLOSE = 3e-8  # relative length of the last step: the one after it would be below rounding
_NEAR = 1e-5  # relative length of a step that needs no check


@kernel
def _keep(m, w, c, s, t):
    """Return s, t on the surface, on a height field up to one cell beyond its borders.

    There its polynomials go on: a minimum beside the border lies between two feet.
    """
    if m.contours.kind[c] != SHAPE_HEIGHTS:
        s, t, _ = fold(m, w, c, s, t, SIDE)
        return s, t
    d = m.contours.data[m.contours.start[c] :]
    s = min(max(s, d[2] - d[4]), d[2] + (d[0] + 1.0) * d[4])
    return s, min(max(t, d[3] - d[5]), d[3] + (d[1] + 1.0) * d[5])


@kernel
def is_on(m, c, s, t):
    """Tell whether parameters are those of a place of the surface, not of an end."""
    s0, s1, t0, t1, closed_s, closed_t = range_of(m, c)
    return (closed_s or s0 < s < s1) and (closed_t or t0 < t < t1)


@kernel
def find_foot(m, w, c, x, s, t):
    """Return s, t of the foot of x near parameters, its signed distance h, and whether it is one.

    Newton's method on |x - r|^2 / 2 in the tangent plane, (1 + h K) d = (x - r)_T, damped until the
    distance falls. The foot stays in w.contact_c. (T-18.49)
    """
    unit_s, unit_t = unit_of(m, c)
    s, t = _keep(m, w, c, s, t)
    place_point(m, w, c, s, t, SIDE)
    h = math.inf
    for _ in range(_STEPS):
        e = w.contact_c[SIDE]
        normal, a, b, J = basis_of(e)
        K, D = shape_of(e, normal, J), sub(x, vector_at(e, 0))
        h, value = dot(D, normal), dot(D, D)
        G = -dot(D, a), -dot(D, b)
        u, v, is_least = newton_step(G, (1.0 + h * K[0], h * K[1], 1.0 + h * K[2]))
        ds, dt = to_parameters(J, u, v)
        length, size = math.sqrt(u * u + v * v), J[0] * unit_s + J[2] * unit_t
        if length <= _CLOSE * size:
            s, t = _keep(m, w, c, s + ds, t + dt)
            place_point(m, w, c, s, t, SIDE)
            normal, _, _, _ = basis_of(w.contact_c[SIDE])
            return s, t, dot(normal, sub(x, vector_at(w.contact_c[SIDE], 0))), is_least
        ds, dt = limit_step(ds, dt, J, G, _REACH * unit_s, _REACH * unit_t)
        new_s, new_t, better = s, t, False
        for _ in range(_HALVINGS):
            new_s, new_t = _keep(m, w, c, s + ds, t + dt)
            place_point(m, w, c, new_s, new_t, SIDE)
            D = sub(x, vector_at(w.contact_c[SIDE], 0))
            better = dot(D, D) < value or (is_least and length <= _NEAR * size)
            if better:
                break
            ds, dt = 0.5 * ds, 0.5 * dt
        if not better:
            break
        s, t = new_s, new_t
    return s, t, h, False


@kernel
def slope_along(w, h, e):
    """Return slope n . e and bend e . K (1 + h K)^-1 e of the distance at the foot at hand.

    Along the direction e, that of the place x = r + h n. (T-18.50)
    """
    at = w.contact_c[SIDE]
    n, a, b, J = basis_of(at)
    K = shape_of(at, n, J)
    p, q = dot(e, a), dot(e, b)
    A11, A12, A22 = 1.0 + h * K[0], h * K[1], 1.0 + h * K[2]
    det = A11 * A22 - A12 * A12
    u, v = (A22 * p - A12 * q) / det, (A11 * q - A12 * p) / det
    return dot(n, e), p * (K[0] * u + K[1] * v) + q * (K[1] * u + K[2] * v)


@kernel
def sample_surface(m, w, c):
    """Write the samples of a surface, from which feet are searched, to the scratch."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    for i in range(_SAMPLES):
        for j in range(_SAMPLES):
            s, t = s0 + (i + 0.5) * (s1 - s0) / _SAMPLES, t0 + (j + 0.5) * (t1 - t0) / _SAMPLES
            place_point(m, w, c, s, t, SIDE)
            for a in range(3):
                w.contact_b[3 * (i * _SAMPLES + j) + a] = w.contact_c[SIDE, a]


@kernel
def start_of(m, w, c, x):
    """Return where the search for the foot of x begins: below or above, or the nearest sample."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    if m.contours.kind[c] == SHAPE_HEIGHTS:
        p = to_local(w, m.contours.frame[c], x)
        return p[0], p[1]
    best, least = 0, math.inf
    for i in range(_SAMPLES * _SAMPLES):
        b = w.contact_b[3 * i : 3 * i + 3]
        d = (b[0] - x[0]) ** 2 + (b[1] - x[1]) ** 2 + (b[2] - x[2]) ** 2
        if d < least:
            best, least = i, d
    i, j = best // _SAMPLES, best % _SAMPLES
    return s0 + (i + 0.5) * (s1 - s0) / _SAMPLES, t0 + (j + 0.5) * (t1 - t0) / _SAMPLES


@kernel
def height_over(m, w, c, x):
    """Return how high x is above a height field; zero beside it and for other surfaces."""
    if m.contours.kind[c] != SHAPE_HEIGHTS:
        return 0.0
    f = m.contours.frame[c]
    p = to_local(w, f, x)
    if not is_on(m, c, p[0], p[1]):
        return 0.0
    place_point(m, w, c, p[0], p[1], SIDE)
    return p[2] - to_local(w, f, vector_at(w.contact_c[SIDE], 0))[2]
