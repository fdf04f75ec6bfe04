"""Two surfaces against each other: opposite normals on one line, four equations in four parameters.

The unknowns are steps in the two tangent planes, and two of the four equations are eliminated.
"""

import math

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    norm,
    store_nothing,
    store_point,
    sub,
)
from cornerlaw.kernels.contact.space.surface_forms import (
    basis_of,
    fold,
    is_convex,
    of_surface,
    place_point,
    range_of,
    shape_of,
    to_parameters,
    unit_of,
    vector_at,
    wrap,
)
from cornerlaw.kernels.contact.space.surface_search import (
    STARTS,
    limit_step,
    list_minima,
    listed,
    newton_step,
)

_SAMPLES = 14  # of each of the four parameters
_FIRST, _SECOND = 1024, 3072  # places of the samples in the scratch: r and normal
_CHOSEN = 1024  # place of the opposite samples in the scratch of integers
_STEPS = 40
_HALVINGS = 10
_ROUNDS = 8  # steps on each surface before the search for a root
_REACH = 0.1  # largest step, per range of the parameter
_NOTHING = 1e-30  # sum of squared residuals at the level of rounding
_ALIGNED = 1e-8  # largest residual of an accepted root
_DEEP, _DISTANT = 0.3, 1e-3  # weights of penetration and distance in the choice of samples
_SHALLOW = 0.05  # penetration, per size, at which other roots are tried
_BEHIND = 0.1  # penetration, per size, of a surface that is not convex


@kernel
def _solve(a, b, c, d, x, y):
    """Return the solution of ((a, b), (c, d)) z = (x, y)."""
    det = a * d - b * c
    return (d * x - b * y) / det, (a * y - c * x) / det


@kernel
def _residual(m, w, c1, c2, q, size):
    """Return m_1 . a_2, m_1 . b_2, D . a_2 / size, D . b_2 / size with D = r_2 - r_1. (T-18.39)"""
    place_point(m, w, c1, q[0], q[1], 0)
    place_point(m, w, c2, q[2], q[3], 1)
    m1, _, _, _ = basis_of(w.contact_c[0])
    _, a2, b2, _ = basis_of(w.contact_c[1])
    D = sub(vector_at(w.contact_c[1], 0), vector_at(w.contact_c[0], 0))
    return dot(m1, a2), dot(m1, b2), dot(D, a2) / size, dot(D, b2) / size


@kernel
def _merit(F):
    return F[0] * F[0] + F[1] * F[1] + F[2] * F[2] + F[3] * F[3]


@kernel
def _newton_step(w, F, size):
    """Return the Newton step in the four parameters at the points at hand. (T-18.40)

    B K_1 x_1 - (m_1 . m_2) K_2 x_2 = -F_12 and -B x_1 + (1 - h K_2) x_2 = -F_34 with the cosines B
    between the tangents and h = m_2 . D.
    """
    e1, e2 = w.contact_c[0], w.contact_c[1]
    m1, a1, b1, J1 = basis_of(e1)
    m2, a2, b2, J2 = basis_of(e2)
    K1, K2 = shape_of(e1, m1, J1), shape_of(e2, m2, J2)
    B = dot(a2, a1), dot(a2, b1), dot(b2, a1), dot(b2, b1)
    h, cosine = dot(m2, sub(vector_at(e2, 0), vector_at(e1, 0))), dot(m1, m2)
    # columns of B K_1 B^-1, through x_1 = B^-1 z
    p, q = _solve(B[0], B[1], B[2], B[3], 1.0, 0.0)
    r, s = _solve(B[0], B[1], B[2], B[3], 0.0, 1.0)
    u, v = K1[0] * p + K1[1] * q, K1[1] * p + K1[2] * q
    M11, M21 = B[0] * u + B[1] * v, B[2] * u + B[3] * v
    u, v = K1[0] * r + K1[1] * s, K1[1] * r + K1[2] * s
    M12, M22 = B[0] * u + B[1] * v, B[2] * u + B[3] * v
    # z = size F_34 + (1 - h K_2) x_2
    z1, z2 = size * F[2], size * F[3]
    A11, A12, A22 = 1.0 - h * K2[0], -h * K2[1], 1.0 - h * K2[2]
    x, y = _solve(
        M11 * A11 + M12 * A12 - cosine * K2[0],
        M11 * A12 + M12 * A22 - cosine * K2[1],
        M21 * A11 + M22 * A12 - cosine * K2[1],
        M21 * A12 + M22 * A22 - cosine * K2[2],
        -F[0] - M11 * z1 - M12 * z2,
        -F[1] - M21 * z1 - M22 * z2,
    )
    z1, z2 = z1 + A11 * x + A12 * y, z2 + A12 * x + A22 * y
    ds1, dt1 = to_parameters(J1, p * z1 + r * z2, q * z1 + s * z2)
    ds2, dt2 = to_parameters(J2, x, y)
    return ds1, dt1, ds2, dt2


@kernel
def _limit(x, unit):
    return min(max(x, -_REACH * unit), _REACH * unit)


@kernel
def _cut(d, unit_1, unit_2):
    """Return a step cut as a whole, where the residuals fall at first."""
    most = max(
        max(abs(d[0]) / unit_1[0], abs(d[1]) / unit_1[1]),
        max(abs(d[2]) / unit_2[0], abs(d[3]) / unit_2[1]),
    )
    cut = _REACH / max(most, _REACH)
    return cut * d[0], cut * d[1], cut * d[2], cut * d[3]


@kernel
def _improve(m, w, c1, c2, q, size):
    """Return the root that damped Newton steps reach, and whether they did."""
    unit_1, unit_2 = unit_of(m, c1), unit_of(m, c2)
    F = _residual(m, w, c1, c2, q, size)
    merit = _merit(F)
    for _ in range(_STEPS):
        if merit <= _NOTHING:
            break
        step = _newton_step(w, F, size)
        d = (_limit(step[0], unit_1[0]), _limit(step[1], unit_1[1]),
             _limit(step[2], unit_2[0]), _limit(step[3], unit_2[1]))  # fmt: skip
        new, new_q, new_F = math.inf, q, F
        for i in range(2 * _HALVINGS):
            if i == _HALVINGS:
                # cut by itself a parameter turns the step, perhaps to where nothing gets better
                d = _cut(step, unit_1, unit_2)
            s1, t1, _ = fold(m, w, c1, q[0] + d[0], q[1] + d[1], 0)
            s2, t2, _ = fold(m, w, c2, q[2] + d[2], q[3] + d[3], 1)
            new_q = s1, t1, s2, t2
            new_F = _residual(m, w, c1, c2, new_q, size)
            new = _merit(new_F)
            if new < merit:
                break
            d = 0.5 * d[0], 0.5 * d[1], 0.5 * d[2], 0.5 * d[3]
        if not new < merit:
            break
        q, F, merit = new_q, new_F, new
    F = _residual(m, w, c1, c2, q, size)
    return q, _merit(F) <= _ALIGNED * _ALIGNED


@kernel
def _approach(m, w, c, s, t, side):
    """Return s, t of surface c one Newton step nearer to the point at hand on the other side."""
    e, unit = w.contact_c[side], unit_of(m, c)
    normal, a, b, J = basis_of(e)
    K, D = shape_of(e, normal, J), sub(vector_at(e, 0), vector_at(w.contact_c[1 - side], 0))
    h = -dot(D, normal)
    G = dot(D, a), dot(D, b)
    x, y, _ = newton_step(G, (1.0 + h * K[0], h * K[1], 1.0 + h * K[2]))
    ds, dt = to_parameters(J, x, y)
    ds, dt = limit_step(ds, dt, J, G, _REACH * unit[0], _REACH * unit[1])
    s, t, _ = fold(m, w, c, s + ds, t + dt, side)
    place_point(m, w, c, s, t, side)
    return s, t


@kernel
def _draw_near(m, w, c1, c2, q):
    """Return points nearer to each other, by steps on one surface and the other in turn."""
    s1, t1, s2, t2 = q
    place_point(m, w, c1, s1, t1, 0)
    place_point(m, w, c2, s2, t2, 1)
    for _ in range(_ROUNDS):
        s1, t1 = _approach(m, w, c1, s1, t1, 0)
        s2, t2 = _approach(m, w, c2, s2, t2, 1)
    return s1, t1, s2, t2


@kernel
def _gap_at(w):
    """Return the gap, m_1 . m_2 and whether the curvatures make a contact at the points at hand.

    A contact is a least distance: K_2 + K_1 (1 + g K_1)^-1 is positive definite. (T-18.41)
    """
    e1, e2 = w.contact_c[0], w.contact_c[1]
    m1, _, _, _ = basis_of(e1)
    m2, a2, b2, J2 = basis_of(e2)
    K2, first = shape_of(e2, m2, J2), of_surface(e1)
    g = dot(m2, sub(vector_at(e1, 0), vector_at(e2, 0)))
    h1, h2 = 1.0 + g * first[0], 1.0 + g * first[2]
    k1, k2 = first[0] / h1, first[2] / h2
    x, y = dot(first[4], a2), dot(first[4], b2)
    S11 = K2[0] + k1 * x * x + k2 * y * y
    S12 = K2[1] + (k1 - k2) * x * y
    S22 = K2[2] + k1 * y * y + k2 * x * x
    good = h1 > 0.0 and h2 > 0.0 and S11 + S22 > 0.0
    return g, dot(m1, m2), good and S11 * S22 - S12 * S12 > -1e-9 * (S11 + S22) ** 2


@kernel
def _sample(m, w, c, side, at):
    """Write points and normals of a grid on a surface to the scratch."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    ds, dt = (s1 - s0) / _SAMPLES, (t1 - t0) / _SAMPLES
    for i in range(_SAMPLES):
        for j in range(_SAMPLES):
            place_point(m, w, c, s0 + (i + 0.5) * ds, t0 + (j + 0.5) * dt, side)
            normal, _, _, _ = basis_of(w.contact_c[side])
            k = at + 6 * (i * _SAMPLES + j)
            for a in range(3):
                w.contact_b[k + a] = w.contact_c[side, a]
                w.contact_b[k + 3 + a] = normal[a]


@kernel
def _score(b, i, j, size, by_distance):
    """Return how far two samples are from opposite normals on one line, or from each other."""
    p, q = _FIRST + 6 * i, _SECOND + 6 * j
    cosine = b[p + 3] * b[q + 3] + b[p + 4] * b[q + 4] + b[p + 5] * b[q + 5]
    if cosine > -0.3:
        return math.inf
    x, y, z = b[p] - b[q], b[p + 1] - b[q + 1], b[p + 2] - b[q + 2]
    if by_distance:
        return x * x + y * y + z * z
    h = b[q + 3] * x + b[q + 4] * y + b[q + 5] * z
    lateral = (x * x + y * y + z * z - h * h) / (size * size)
    depth = h / size
    weight = _DEEP if depth < 0.0 else _DISTANT
    return lateral + (1.0 + cosine) + weight * depth * depth


@kernel
def _choose(w, size, by_distance):
    """Write the score of the best opposite sample of all samples of the first surface."""
    n = _SAMPLES * _SAMPLES
    for i in range(n):
        least = math.inf
        for j in range(n):
            score = _score(w.contact_b, i, j, size, by_distance)
            if score < least:
                least = score
                w.contact_j[_CHOSEN + i] = j
        w.contact_b[i] = least


@kernel
def _sample_at(m, c, i):
    s0, s1, t0, t1, _, _ = range_of(m, c)
    ds, dt = (s1 - s0) / _SAMPLES, (t1 - t0) / _SAMPLES
    return s0 + (i // _SAMPLES + 0.5) * ds, t0 + (i % _SAMPLES + 0.5) * dt


@kernel
def _size_of(m, w, c):
    """Return a length of a surface: between two of its points, half the ranges apart."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    place_point(m, w, c, s0 + 0.3 * (s1 - s0), t0 + 0.3 * (t1 - t0), 0)
    place_point(m, w, c, s0 + 0.8 * (s1 - s0), t0 + 0.8 * (t1 - t0), 1)
    return norm(sub(vector_at(w.contact_c[0], 0), vector_at(w.contact_c[1], 0)))


@kernel
def _is_better(g, gap, convex, size):
    """Tell which root is the contact: the largest gap of convex bodies, of others the nearest."""
    if convex or g < -_BEHIND * size or gap < -_BEHIND * size:
        return g > gap
    return g < gap


@kernel
def _try(m, w, c1, c2, q, size):
    """Return root and gap that Newton reaches, -inf where it is no contact."""
    q, found = _improve(m, w, c1, c2, q, size)
    g, cosine, least = _gap_at(w)
    return q, g if found and cosine < 0.0 and least else -math.inf


@kernel
def _search(m, w, c1, c2, q, size):
    """Return parameters and gap of the contact, -inf where there is none. (T-18.41)

    Newton from the last points; where that fails, ends deep inside or the surfaces are not known to
    be convex, also from the best samples.
    """
    best, gap, count = q, -math.inf, 0
    convex = is_convex(m, c1) and is_convex(m, c2)
    for attempt in range(1 + 2 * STARTS):
        k = (attempt - 1) % STARTS
        if attempt > 0 and k == 0:
            if convex and gap > -_SHALLOW * size:
                break
            if attempt == 1:
                _sample(m, w, c1, 0, _FIRST)
                _sample(m, w, c2, 1, _SECOND)
            _choose(w, size, attempt > 1)
            _, _, _, _, closed_s, closed_t = range_of(m, c1)
            count = list_minima(w, _SAMPLES, _SAMPLES, closed_s, closed_t)
        if attempt > 0:
            if k >= count:
                continue
            i = listed(w, k)
            s1, t1 = _sample_at(m, c1, i)
            s2, t2 = _sample_at(m, c2, w.contact_j[_CHOSEN + i])
            q = s1, t1, s2, t2
            if attempt > STARTS:
                q = _draw_near(m, w, c1, c2, q)
        if q[0] == q[0]:
            q, g = _try(m, w, c1, c2, q, size)
            if g > -math.inf and (gap == -math.inf or _is_better(g, gap, convex, size)):
                best, gap = q, g
    return best, gap


@kernel
def detect_surfaces(m, w, k):
    """Find the contact of two surfaces. (T-18.39)"""
    c1, c2, place = m.slots.contour_1[k], m.slots.contour_2[k], 4 * k
    s, size = w.contact_s, _size_of(m, w, m.slots.contour_1[k])
    size = min(size, _size_of(m, w, c2))
    last = s[place], s[place + 1], s[place + 2], s[place + 3]
    q, g = _search(m, w, c1, c2, last, size)
    if g == -math.inf:
        for a in range(4):
            s[place + a] = math.nan
        store_nothing(w, k)
        return OK
    s[place], s[place + 1] = wrap(m, c1, q[0], q[1])
    s[place + 2], s[place + 3] = wrap(m, c2, q[2], q[3])
    place_point(m, w, c1, q[0], q[1], 0)
    place_point(m, w, c2, q[2], q[3], 1)
    e1, e2 = w.contact_c[0], w.contact_c[1]
    n, _, _, _ = basis_of(e2)
    r2 = vector_at(e2, 0)
    g = dot(n, sub(vector_at(e1, 0), r2))
    store_point(w, k, False, g, n, along(r2, g, n), r2, of_surface(e1), of_surface(e2), 0)
    return OK
