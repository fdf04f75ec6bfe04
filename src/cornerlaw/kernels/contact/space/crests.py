"""Crests and peaks of a surface against the edges and faces of a polytope.

Along an edge the signed distance from the surface has minima where the edge runs level with it; a
face touches peaks, where the surface is parallel to it. (T-18.51), (T-18.52)
"""

import math

from cornerlaw.arrays.kinds import SHAPE_HEIGHTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.crowd import add_point, is_known, point_at
from cornerlaw.kernels.contact.space.feet import (
    SIDE,
    find_foot,
    height_over,
    is_on,
    slope_along,
    start_of,
)
from cornerlaw.kernels.contact.space.geometry import (
    along,
    cross,
    dot,
    norm,
    scaled,
    sub,
    to_local,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polytopes import (
    count_edges,
    count_faces,
    count_loop,
    count_vertices,
    edge_of,
    loop_vertex,
    normal_of,
    vertex_of,
)
from cornerlaw.kernels.contact.space.surface_forms import (
    basis_of,
    place_point,
    range_of,
    shape_of,
    to_parameters,
    vector_at,
    wrap,
)
from cornerlaw.kernels.contact.space.surface_search import newton_step

_FINE = 0.5  # of a cell or sample: step of the search along an edge and under faces
_PER_SURFACE = 24.0  # samples of each parameter of a surface
_MOST = 128  # of them along an edge, and each way under the faces of a polytope on a height field
_STEPS = 60
_HIDDEN = 6  # places looked at where two changes of sign may hide between two others
_LEVEL = 1e-9  # slope of an edge that is none
_STEEP = 4.0  # slope of a height field, about, up to which height tells that an edge is far
_REACH, _REACH_BENT = 2.0, 1.0  # samples: how far a step to a peak may lead, and one from a saddle
_FLAT = 1e-9  # ratio of bends below which a ridge has no peak
_SHORT = 1e-9  # of a sample: the last step, the one after it would be below rounding
_ROUNDING = 4e-16


@kernel
def _spacing(m, w, c, x):
    """Return the length of a step of the search along edges near a place."""
    if m.contours.kind[c] == SHAPE_HEIGHTS:
        d = m.contours.data[m.contours.start[c] :]
        return _FINE * min(d[4], d[5])
    s, t = start_of(m, w, c, x)
    place_point(m, w, c, s, t, SIDE)
    e = w.contact_c[SIDE]
    s0, s1, t0, t1, _, _ = range_of(m, c)
    length = max((s1 - s0) * norm(vector_at(e, 1)), (t1 - t0) * norm(vector_at(e, 2)))
    return _FINE / _PER_SURFACE * length


@kernel
def _foot_on(m, w, c, p, e, place):
    """Return distance, slope and bend at a place of the edge from p along e, and if it has them."""
    x = along(p, place, e)
    s, t = start_of(m, w, c, x)
    _, _, h, found = find_foot(m, w, c, x, s, t)
    slope, bend = slope_along(w, h, e)
    return h, slope, bend, found


@kernel
def _lowest(m, w, c, p, e, low, high):
    """Return the place between two where the slope becomes positive: Newton inside a bracket."""
    place, width = 0.5 * (low + high), high - low
    for _ in range(_STEPS):
        _, slope, bend, found = _foot_on(m, w, c, p, e, place)
        if not found:
            break
        if slope < 0.0:
            low = place
        else:
            high = place
        new = place - slope / bend if bend > 0.0 else math.nan
        if not low <= new <= high:
            new = 0.5 * (low + high)
        step = abs(new - place)
        place = new
        if step <= _ROUNDING * (abs(place) + width):
            break
    return place


@kernel
def _hidden(m, w, c, p, e, low, slope_low, bend_low, high, slope_high, bend_high):
    """Return both ends of a bracket of a minimum between two places with slopes of the same sign.

    Where the slope comes nearer to zero from both ends it may pass it twice: the place where its
    tangents cross is looked at, again and again. Without one both ends are the same.
    """
    if slope_low * slope_high <= 0.0:
        return low, low
    if slope_low * bend_low >= 0.0 or slope_high * bend_high <= 0.0:
        return low, low
    for _ in range(_HIDDEN):
        if abs(bend_low) + abs(bend_high) == 0.0:
            break
        place = (slope_high - slope_low + bend_low * low - bend_high * high) / (
            bend_low - bend_high
        )
        if not low < place < high or slope_low * (slope_low + bend_low * (place - low)) > 0.0:
            break
        _, slope, bend, found = _foot_on(m, w, c, p, e, place)
        if not found:
            break
        if slope * slope_low < 0.0:
            return (low, place) if slope_low < 0.0 else (place, high)
        if bend * slope_low < 0.0:
            low, slope_low, bend_low = place, slope, bend
        else:
            high, slope_high, bend_high = place, slope, bend
    return low, low


@kernel
def _add_minimum(m, w, c, p, e, length, low, high, count, feature):
    """Append the minimum of an edge between two places, return the number of points."""
    place = _lowest(m, w, c, p, e, low, high)
    x = along(p, place, e)
    s, t = start_of(m, w, c, x)
    s, t, h, found = find_foot(m, w, c, x, s, t)
    slope, bend = slope_along(w, h, e)
    # where the start changes from one foot to another there is a step and no minimum
    level = abs(slope) <= _LEVEL and bend > 0.0
    if not (found and level and 0.0 < place < length and is_on(m, c, s, t)):
        return count
    if is_known(w.contact_b, count, feature, x, 1e-6 * length):
        return count
    s, t = wrap(m, c, s, t)
    return add_point(w, count, h, s, t, x, feature)


@kernel
def _search_edge(m, w, c, p, q, limit, count, feature):
    """Append the minima of the distance along an edge up to a limit. (T-18.51)

    Steps are short near the surface; farther away, as distances change no faster than places, they
    are as long as what is too much.
    """
    length = norm(sub(q, p))
    e, middle = (
        scaled(1.0 / length, sub(q, p)),
        scaled(0.5, (p[0] + q[0], p[1] + q[1], p[2] + q[2])),
    )
    step = max(min(_spacing(m, w, c, middle), 0.25 * length), length / _MOST)
    place, before, slope_before, bend_before, known = 0.0, 0.0, 0.0, 0.0, False
    while True:
        h, slope, bend, found = _foot_on(m, w, c, p, e, place)
        near = found and h <= limit
        if known and near:
            low, high = before, place
            if not slope_before < 0.0 <= slope:
                low, high = _hidden(
                    m, w, c, p, e, before, slope_before, bend_before, place, slope, bend
                )
            elif max(-slope_before, slope) <= _LEVEL:
                low = high
            if low < high:
                count = _add_minimum(m, w, c, p, e, length, low, high, count, feature)
        if not place < length:  # also where a pose is no number
            return count
        before, slope_before, bend_before, known = place, slope, bend, near
        way = step
        if found and h > limit:
            way = max(step, h - limit)
        place = min(place + way, length)


@kernel
def find_crests(m, w, other, c, limit, count):
    """Append the minima of all edges of a polytope that may be nearer than a limit."""
    f, n_v, on_heights = m.contours.frame[other], count_vertices(m, other), False
    on_heights = m.contours.kind[c] == SHAPE_HEIGHTS
    for i in range(count_edges(m, other)):
        a, b, _, _ = edge_of(m, other, i)
        p, q = to_world(w, f, vertex_of(m, other, a)), to_world(w, f, vertex_of(m, other, b))
        if on_heights:
            height = min(height_over(m, w, c, p), height_over(m, w, c, q))
            if height > _STEEP * (limit + norm(sub(q, p))):
                continue
        count = _search_edge(m, w, c, p, q, limit, count, n_v + i)
    return count


# --- faces ---------------------------------------------------------------------------------------


@kernel
def _window(m, w, other, c):
    """Return first sample, step and number of samples of both parameters under a polytope."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    if m.contours.kind[c] != SHAPE_HEIGHTS:
        ds, dt = (s1 - s0) * _FINE / _PER_SURFACE, (t1 - t0) * _FINE / _PER_SURFACE
        n = int(_PER_SURFACE / _FINE)
        return s0 + 0.5 * ds, ds, n, t0 + 0.5 * dt, dt, n
    f, g, d = m.contours.frame[other], m.contours.frame[c], m.contours.data[m.contours.start[c] :]
    low_s = low_t = math.inf
    high_s = high_t = -math.inf
    for i in range(count_vertices(m, other)):
        p = to_local(w, g, to_world(w, f, vertex_of(m, other, i)))
        low_s, high_s = min(low_s, p[0]), max(high_s, p[0])
        low_t, high_t = min(low_t, p[1]), max(high_t, p[1])
    low_s, high_s = max(low_s - d[4], s0), min(high_s + d[4], s1)
    low_t, high_t = max(low_t - d[5], t0), min(high_t + d[5], t1)
    if high_s < low_s or high_t < low_t:
        return 0.0, 1.0, 0, 0.0, 1.0, 0
    ds = max(_FINE * d[4], (high_s - low_s) / _MOST)
    dt = max(_FINE * d[5], (high_t - low_t) / _MOST)
    return low_s, ds, int((high_s - low_s) / ds) + 2, low_t, dt, int((high_t - low_t) / dt) + 2


@kernel
def _is_over_face(m, w, other, i, x):
    """Tell whether the foot of x on the plane of a face is inside the face."""
    f, n = m.contours.frame[other], normal_of(m, other, i)
    y, count = to_local(w, f, x), count_loop(m, other, i)
    before = vertex_of(m, other, loop_vertex(m, other, i, count - 1))
    for j in range(count):
        here = vertex_of(m, other, loop_vertex(m, other, i, j))
        if dot(cross(sub(here, before), sub(y, before)), n) <= 0.0:
            return False
        before = here
    return True


@kernel
def _step_to_peak(w, N):
    """Return ds, dt of Newton's step to where the surface is parallel to a face.

    f = N . (r - p) has the gradient N . a and the bends -(N . n) K. Also return whether there is a
    peak, whether the bends need not be raised for that, and how fast the surface turns. (T-18.52)
    """
    e = w.contact_c[SIDE]
    n, a, b, J = basis_of(e)
    K, c = shape_of(e, n, J), -dot(N, n)
    H = c * K[0], c * K[1], c * K[2]
    turn = abs(H[0]) + abs(H[1]) + abs(H[2])
    if turn == 0.0:
        return 0.0, 0.0, False, False, 0.0
    u, v, is_least = newton_step((dot(N, a), dot(N, b)), H)
    ds, dt = to_parameters(J, u, v)
    mean, det = H[0] + H[2], H[0] * H[2] - H[1] * H[1]
    return ds, dt, mean > 0.0 and det > _FLAT * mean * mean, is_least, turn


@kernel
def _climb(m, w, c, N, s, t, most_s, most_t):
    """Return s, t of the peak that Newton's steps reach, and whether they do."""
    for _ in range(_STEPS):
        place_point(m, w, c, s, t, SIDE)
        ds, dt, is_peak, _, turn = _step_to_peak(w, N)
        if turn == 0.0:
            return s, t, False
        ds, dt = min(max(ds, -most_s), most_s), min(max(dt, -most_t), most_t)
        s, t = s + ds, t + dt
        if not is_on(m, c, s, t):
            return s, t, False
        if abs(ds) <= _SHORT * most_s and abs(dt) <= _SHORT * most_t:
            place_point(m, w, c, s, t, SIDE)
            return s, t, is_peak
    return s, t, False


@kernel
def _is_foot(w, h):
    """Tell whether the place at hand is the foot of what is h above it: 1 + h K > 0.

    The far side of a body behind a face is parallel to it as well.
    """
    e = w.contact_c[SIDE]
    n, _, _, J = basis_of(e)
    K = shape_of(e, n, J)
    A11, A12, A22 = 1.0 + h * K[0], h * K[1], 1.0 + h * K[2]
    return A11 + A22 > 0.0 and A11 * A22 - A12 * A12 > 0.0


@kernel
def _look_at_faces(m, w, other, c, s, t, ds, dt, limit, count):
    """Append the peaks that the sample at hand leads to, of all faces that look at it."""
    f, n_v = m.contours.frame[other], count_vertices(m, other)
    first, near = n_v + count_edges(m, other), norm(vector_at(w.contact_c[SIDE], 1)) * ds
    near += norm(vector_at(w.contact_c[SIDE], 2)) * dt
    for i in range(count_faces(m, other)):
        normal, _, _, _ = basis_of(w.contact_c[SIDE])
        N = turn_to_world(w, f, normal_of(m, other, i))
        if dot(N, normal) > -0.5:
            continue
        p = to_world(w, f, vertex_of(m, other, loop_vertex(m, other, i, 0)))
        if dot(N, sub(vector_at(w.contact_c[SIDE], 0), p)) > limit + near:
            continue
        x, y, _, is_least, turn = _step_to_peak(w, N)
        reach = _REACH if is_least else _REACH_BENT
        if turn * near < _LEVEL or max(abs(x) / ds, abs(y) / dt) > reach:
            continue
        s_top, t_top, found = _climb(m, w, c, N, s, t, ds, dt)
        r = vector_at(w.contact_c[SIDE], 0)
        h = dot(N, sub(r, p))
        at = along(r, -h, N)
        known = is_known(w.contact_b, count, first + i, at, 1e-6 * near)
        found = found and h <= limit and not known and _is_foot(w, h)
        if found and _is_over_face(m, w, other, i, at):
            s_top, t_top = wrap(m, c, s_top, t_top)
            count = add_point(w, count, h, s_top, t_top, at, first + i)
        place_point(m, w, c, s, t, SIDE)
    return count


@kernel
def find_peaks(m, w, other, c, limit, count):
    """Append the peaks under the faces of a polytope that may be nearer than a limit. (T-18.52)"""
    s0, ds, n_s, t0, dt, n_t = _window(m, w, other, c)
    for i in range(n_s):
        for j in range(n_t):
            s, t = s0 + i * ds, t0 + j * dt
            if not is_on(m, c, s, t):
                continue
            place_point(m, w, c, s, t, SIDE)
            count = _look_at_faces(m, w, other, c, s, t, ds, dt, limit, count)
    return count


@kernel
def least_of(b, count):
    """Return the least gap of the points in the list."""
    least = math.inf
    for i in range(count):
        least = min(least, b[point_at(i)])
    return least
