"""Parabolas, splines and curves of the user against everything: search for the contact point.

The body lies to the left of growing s: outward normal m = (t_y, -t_x), curvature positive where the
body is convex.
"""

import math

from cornerlaw.arrays.kinds import (
    CONTOUR_ARC,
    CONTOUR_LINE,
    CONTOUR_PARABOLA,
    CONTOUR_SEGMENT,
    CONTOUR_SPLINE,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import (
    DEPTH,
    height_over,
    place_along,
    place_vertices,
    radius_of,
    store_contact,
    store_nothing,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.rounds import faces_contact
from cornerlaw.kernels.late import call
from cornerlaw.kernels.slots import call_slot

# what is minimal at the contact point
_HEIGHT = 0  # height over a line
_NEAR = 1  # distance from a point
_FAR = 2  # minus the distance from a point

_SAMPLES = 32
_STEPS = 60
_SAME = 1e-9  # difference of two heights that are the same, per length of a face
_WARM_STEPS = 12
_WARM_REACH = 0.05  # largest step from the last contact point, per size of the parameter
_FINE = 4e-16  # smallest step worth making, relative to the size of the parameter


@kernel
def eval_curve(m, w, c, s, side):
    """Write r, r', r'' of curve c at s to w.contact_c[side], world axes.

    Data are first and last s, 1 if closed or 2 if also convex, then the numbers of the kind.
    (T-10.3)
    """
    start, out = m.contours.start[c], w.contact_c[side]
    d, frame = m.contours.data[start:], m.contours.frame[c]
    if d[2] >= 1.0:
        s = d[0] + (s - d[0]) % (d[1] - d[0])
    if m.contours.kind[c] == CONTOUR_PARABOLA:
        _eval_parabola(d, s, w.slot_out)
    elif m.contours.kind[c] == CONTOUR_SPLINE:
        _eval_spline(d, m.contours.size[c], s, w.slot_out)
    else:
        w.slot_in[0] = s
        call_slot(m.contours.address[c], w.slot_in[:1], w.slot_in[:0], w.slot_out)
    out[0], out[1] = to_world(w, frame, w.slot_out[0], w.slot_out[1])
    out[2], out[3] = turn_to_world(w, frame, w.slot_out[2], w.slot_out[3])
    out[4], out[5] = turn_to_world(w, frame, w.slot_out[4], w.slot_out[5])
    return OK


@kernel
def _eval_parabola(d, s, out):
    """r = f s e + curvature s^2 / 2 a with the axis a, e = (a_y, -a_x) and f = -1 for a bowl."""
    curvature, ax, ay, f = d[3], d[4], d[5], d[6]
    ex, ey = f * ay, -f * ax
    y, slope = 0.5 * curvature * s * s, curvature * s
    out[0], out[1] = s * ex + y * ax, s * ey + y * ay
    out[2], out[3] = ex + slope * ax, ey + slope * ay
    out[4], out[5] = curvature * ax, curvature * ay


@kernel
def _eval_spline(d, n, s, out):
    """Piecewise cubic: n knots, then for every interval 4 coefficients of x and 4 of y."""
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if d[3 + middle] <= s:
            low = middle
        else:
            high = middle
    h = s - d[3 + low]
    for a in range(2):
        c = 3 + n + 8 * low + 4 * a
        out[a] = d[c] + h * (d[c + 1] + h * (d[c + 2] + h * d[c + 3]))
        out[2 + a] = d[c + 1] + h * (2.0 * d[c + 2] + h * 3.0 * d[c + 3])
        out[4 + a] = 2.0 * d[c + 2] + 6.0 * h * d[c + 3]


@kernel
def sample_of(m, c, i, n):
    """Return sample i of n of the parameter; equal angles of the tangent on an endless parabola."""
    start = m.contours.start[c]
    s0, s1, closed = m.contours.data[start], m.contours.data[start + 1], m.contours.data[start + 2]
    if s1 == math.inf:
        j = min(max(i, 0), n - 1)  # beyond the samples far away
        far = 1.0 if i == j else 100.0
        return far * math.tan(math.pi * ((j + 0.5) / n - 0.5)) / m.contours.data[start + 3]
    if closed >= 1.0:
        return s0 + (s1 - s0) * i / n
    return s0 + (s1 - s0) * min(max(i, 0), n - 1) / (n - 1)


@kernel
def size_of(m, c):
    """Return the size of the parameter, the unit of steps."""
    start = m.contours.start[c]
    s0, s1 = m.contours.data[start], m.contours.data[start + 1]
    return s1 - s0 if s1 < math.inf else 1.0 / m.contours.data[start + 3]


@kernel
def is_inside(m, c, s):
    """Tell whether the parameter is on the curve; a closed one has no ends."""
    start = m.contours.start[c]
    closed = m.contours.data[start + 2] >= 1.0
    return closed or (m.contours.data[start] <= s <= m.contours.data[start + 1])


@kernel
def _objective(m, w, c, s, aim, x, y):
    """Return f, f', f'' of what is minimal at the contact point. (T-10.17) (T-10.18)

    The height n . r over a line with normal (x, y), or |r - p|^2 / 2 of the point p = (x, y), or
    minus that.
    """
    call(m.stages.curve, m, w, c, s, 1)
    e = w.contact_c[1]
    if aim == _HEIGHT:
        return x * e[0] + y * e[1], x * e[2] + y * e[3], x * e[4] + y * e[5]
    dx, dy = e[0] - x, e[1] - y
    f = 0.5 * (dx * dx + dy * dy)
    f1 = dx * e[2] + dy * e[3]
    f2 = e[2] * e[2] + e[3] * e[3] + dx * e[4] + dy * e[5]
    if aim == _FAR:
        return -f, -f1, -f2
    return f, f1, f2


@kernel
def _lowest_sample(m, w, c, aim, x, y):
    """Return the sample with the least objective, and the objective."""
    best, least = 0, math.inf
    for i in range(_SAMPLES):
        f, _, _ = _objective(m, w, c, sample_of(m, c, i, _SAMPLES), aim, x, y)
        if f < least:
            best, least = i, f
    return best, least


@kernel
def _follow(m, w, c, aim, x, y, guess):
    """Return the minimum that plain Newton steps reach from the guess, nan if they do not.

    Only where there is no second minimum: on the outside of a convex contour.
    """
    start, size = m.contours.start[c], size_of(m, c)
    convex = m.contours.data[start + 2] == 2.0 or (
        m.contours.kind[c] == CONTOUR_PARABOLA and m.contours.data[start + 6] > 0.0
    )
    if aim == _FAR or not convex:
        return math.nan
    s = guess
    for _ in range(_WARM_STEPS):
        _, f1, f2 = _objective(m, w, c, s, aim, x, y)
        step = -f1 / f2
        # also false for a guess that is nan
        if not (f2 > 0.0 and abs(step) <= _WARM_REACH * size):
            return math.nan
        s += step
        if abs(step) <= _FINE * (abs(s) + size):
            return s
    return math.nan


@kernel
def _search(m, w, c, aim, x, y, guess):
    """Return the parameter of the global minimum, nan where it is an end of the curve.

    Newton's method on f' = 0 inside a bracket that bisection shrinks; it begins at the guess where
    that is at least as low as all samples. (T-10.19)
    """
    followed = _follow(m, w, c, aim, x, y, guess)
    if followed == followed:
        return followed
    best, least = _lowest_sample(m, w, c, aim, x, y)
    a, b = sample_of(m, c, best - 1, _SAMPLES), sample_of(m, c, best + 1, _SAMPLES)
    s, size = sample_of(m, c, best, _SAMPLES), size_of(m, c)
    warm = False
    if guess == guess:
        f, _, _ = _objective(m, w, c, guess, aim, x, y)
        warm = f <= least
    if warm:
        # a bracket about the guess, as wide as the samples are apart
        s, a, b = guess, guess - 0.5 * (b - a), guess + 0.5 * (b - a)
        if not is_inside(m, c, a):
            a = sample_of(m, c, -1, _SAMPLES)
        if not is_inside(m, c, b):
            b = sample_of(m, c, _SAMPLES, _SAMPLES)
    _, slope_a, _ = _objective(m, w, c, a, aim, x, y)
    _, slope_b, _ = _objective(m, w, c, b, aim, x, y)
    if slope_a > 0.0 or slope_b < 0.0:
        return math.nan
    for _ in range(_STEPS):
        _, f1, f2 = _objective(m, w, c, s, aim, x, y)
        if f1 < 0.0:
            a = s
        else:
            b = s
        new = s - f1 / f2
        if not (f2 > 0.0 and a <= new <= b):
            new = 0.5 * (a + b)
        step = abs(new - s)
        s = new
        if step <= _FINE * (abs(s) + size):
            break
    return s


@kernel
def frame_of(e):
    """Return outward normal, speed |r'| and curvature at an evaluated point of a curve. (T-10.4)"""
    speed = math.sqrt(e[2] * e[2] + e[3] * e[3])
    return (e[3] / speed, -e[2] / speed), speed, (e[2] * e[5] - e[3] * e[4]) / speed**3


@kernel
def _is_over_face(m, w, c, face, g, x, y):
    """Tell whether a point of a curve at height g is over a face and nearer to it than to others.

    A curve all behind a polygon or segment touches none of its faces.
    """
    v = w.contact_v[0]
    along = place_along(v, face, x, y)
    if along < 0.0 or along > v[face, 4]:
        return False
    if m.contours.kind[c] == CONTOUR_SEGMENT:
        return g >= -DEPTH * v[face, 4]
    for j in range(m.contours.size[c]):
        # at a corner both faces are equally near
        if g < 0.0 and height_over(v, j, x, y) > g + _SAME * v[face, 4]:
            return False
    return True


@kernel
def detect_curve(m, w, k):
    """Find the contact of slot k, one of whose contours is a curve and the other is not.

    Roots with parallel instead of opposite normals and ends of the curve are no contacts. (T-10.16)
    """
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    aim, R, face = _NEAR, 0.0, -1
    frame = m.contours.frame[c1]
    x, y = w.frame_r[frame, 0], w.frame_r[frame, 1]
    px, py = x, y  # a point of the line
    if m.contours.kind[c1] <= CONTOUR_ARC:
        R = radius_of(m, c1)
        aim = _FAR if R < 0.0 else _NEAR
    elif m.contours.kind[c1] == CONTOUR_LINE:
        aim, d = _HEIGHT, m.contours.data[m.contours.start[c1] :]
        x, y = turn_to_world(w, frame, d[0], d[1])
    else:
        place_vertices(m, w, c1, 0)
        v, feature = w.contact_v[0], m.slots.feature[k]
        x, y = v[feature % m.contours.size[c1], 0], v[feature % m.contours.size[c1], 1]
        if feature >= m.contours.size[c1]:
            face = feature - m.contours.size[c1]
            aim, px, py = _HEIGHT, x, y
            x, y = v[face, 3], -v[face, 2]
    place = m.slots.start[k]
    s = _search(m, w, c2, aim, x, y, w.contact_s[place])
    w.contact_s[place] = s
    if not is_inside(m, c2, s):
        store_nothing(w, k)
        return OK
    call(m.stages.curve, m, w, c2, s, 1)
    e = w.contact_c[1]
    n, _, curvature = frame_of(e)
    k1, p1 = 1.0, R
    if aim == _HEIGHT:
        g = x * (e[0] - px) + y * (e[1] - py)
        k1, p1 = 0.0, 1.0
        right = n[0] * x + n[1] * y < 0.0
        r1 = e[0] + g * n[0], e[1] + g * n[1]
        if face >= 0:
            right = right and _is_over_face(m, w, c1, face, g, e[0], e[1])
    else:
        distance = n[0] * (x - e[0]) + n[1] * (y - e[1])
        g = distance - R
        right = aim == _NEAR or distance < 0.0
        r1 = x - R * n[0], y - R * n[1]
        right = right and faces_contact(m, w, c1, R, -n[0], -n[1])
    store_contact(w, k, swap, g, n, r1, (e[0], e[1]), (k1, p1), (curvature, 1.0))
    if not right:
        store_nothing(w, k)
    return OK
