"""Tubes about a spline in space, touched from outside or inside: tracks, rails and marble runs.

A tube has a radius about its centre line. From outside an open one ends in half a ball; from inside
(negative radius) its ends are open and its wall is as thick as the radius.
"""

from cornerlaw.arrays.kinds import SHAPE_CAPSULE, SHAPE_ELLIPSOID, SHAPE_PLANE
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import distance_to, grow, radius_about
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    axis_of,
    dot,
    norm,
    of_edge,
    of_sphere,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_local,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.splines import interval_of, line_at, nearest_place
from cornerlaw.kernels.contact.space.tube_search import farthest_on_axis, nearest_to_shape


@kernel
def _is_beyond(d, s, x, e, size):
    """Tell whether x is beyond the end s of an open line with the unit tangent e there."""
    at_end = d[3] == 0.0 and (s <= d[1] or s >= d[2])
    return at_end and abs(dot(x, e)) > 1e-12 * size


@kernel
def _curve_of(w, f, radius, first, second, u, e, beyond):
    """Return the curvature of a tube for its outward normal u, or of the half ball at an end."""
    axis = turn_to_world(w, f, e)
    if beyond:
        return 1.0, radius, 1.0, radius, axis
    bow = -dot(second, u) / dot(first, first)
    return bow, 1.0 + radius * bow, 1.0, radius, axis


@kernel
def _store(m, w, slot, swap, c, p, R, thin, identity):
    """Write the contact of tube c with what has the radius R about p and the curvature `thin`."""
    d, n, f = m.contours.data[m.contours.start[c] :], m.contours.size[c], m.contours.frame[c]
    y, radius = to_local(w, f, p), d[0]
    s = nearest_place(d, n, y, w.contact_s[4 * slot])
    w.contact_s[4 * slot] = s
    i = interval_of(d, n, s)
    r, first, second = line_at(d, n, i, s - d[4 + i])
    e, x = scaled(1.0 / norm(first), first), sub(y, r)
    distance = norm(x)
    beyond = _is_beyond(d, s, x, e, distance + abs(radius))
    if radius < 0.0 and (beyond or distance > -2.0 * radius):
        store_nothing(w, slot)
        return
    u = scaled(1.0 / distance, x) if distance > 0.0 else any_tangent(e)
    if radius < 0.0:
        u, distance = scaled(-1.0, u), -distance
    own = _curve_of(w, f, radius, first, second, u, e, beyond)
    normal, r2 = turn_to_world(w, f, u), to_world(w, f, along(r, radius, u))
    store_point(w, slot, swap, distance - radius - R, normal, along(p, -R, normal), r2,
                grow(thin, R), own, identity)  # fmt: skip


@kernel
def _store_at(m, w, slot, swap, other, c, s, ball, identity):
    """Write the contact of the tube with a shape at the place s of its line: T-18.46.

    With `ball` that of the ball in it there. Where it is beside the ends of a capsule's axis, or at
    an end of the line that has a ball of its own, there is none.
    """
    d, n, f = m.contours.data[m.contours.start[c] :], m.contours.size[c], m.contours.frame[c]
    i, radius, about = interval_of(d, n, s), d[0], radius_about(m, other)
    r, first, second = line_at(d, n, i, s - d[4 + i])
    x, e = to_world(w, f, r), scaled(1.0 / norm(first), first)
    distance, normal, curve = distance_to(m, w, other, 0, x)
    beside = False
    if m.contours.kind[other] == SHAPE_CAPSULE:
        z = to_local(w, m.contours.frame[other], x)[2]
        beside = abs(z) >= m.contours.data[m.contours.start[other] + 1]
    elif not ball and m.contours.kind[other] == SHAPE_PLANE:
        beside = d[3] == 0.0 and (s <= d[1] or s >= d[2])
    if beside:
        store_nothing(w, slot)
        return
    u = turn_to_local(w, f, scaled(-1.0, normal))
    beyond = _is_beyond(d, s, u, e, 1.0)
    own = of_sphere(radius) if ball else _curve_of(w, f, radius, first, second, u, e, beyond)
    g, outward = distance - radius - about, scaled(-1.0, normal)
    store_point(w, slot, swap, g, outward, along(x, about - distance, normal),
                along(x, radius, outward), grow(curve, about), own, identity)  # fmt: skip


@kernel
def _detect_outside(m, w, slot, swap, other, c, identity):
    """Write the contact of the point of the line that is nearest to a shape. (T-18.46)"""
    n = m.contours.size[c]
    s = nearest_to_shape(m, w, c, n, other, w.contact_s[4 * slot])
    w.contact_s[4 * slot] = s
    _store_at(m, w, slot, swap, other, c, s, False, identity)


@kernel
def _detect_middle(m, w, slot, swap, other, c):
    """Write the contact of the side of a capsule: in a pipe of its axis' farthest place. (T-18.48)

    It has none where an end ball touches first.
    """
    d, n, f = m.contours.data[m.contours.start[c] :], m.contours.size[c], m.contours.frame[c]
    if d[0] > 0.0:
        _detect_outside(m, w, slot, swap, other, c, 2)
        return
    frame, start = m.contours.frame[other], m.contours.start[other]
    o = to_local(w, f, to_world(w, frame, (0.0, 0.0, 0.0)))
    axis, half = axis_of(w, frame, 2), m.contours.data[start + 1]
    t, s, found = farthest_on_axis(d, n, o, turn_to_local(w, f, axis), half, w.contact_s[4 * slot])
    w.contact_s[4 * slot] = s
    if not found:
        store_nothing(w, slot)
        return
    p, R = to_world(w, frame, (0.0, 0.0, t)), m.contours.data[start]
    _store(m, w, slot, swap, c, p, R, of_edge(axis), 2)


@kernel
def _detect_on_plane(m, w, k, swap, other, c):
    """Write the lowest point of a tube over a plane, and balls at even places of its line."""
    d = m.contours.data[m.contours.start[c] :]
    _detect_outside(m, w, k, swap, other, c, 0)
    balls = m.slots.count[k] - 1
    # an open line has one at each end
    step = (d[2] - d[1]) / (balls if d[3] > 0.0 else max(balls - 1, 1))
    for i in range(balls):
        s = min(d[1] + i * step, d[2])
        _store_at(m, w, k + 1 + i, swap, other, c, s, True, 1 + i)


@kernel
def detect_tube(m, w, k, swap, other, c):
    """Find the contacts of a tube with a point, a sphere, a capsule, and outside with others.

    The gap is that of the distance from the centre line; bow = -r'' . n / |r'|^2. (T-18.33) A
    capsule has its end balls, then its side.
    """
    kind, f = m.contours.kind[other], m.contours.frame[other]
    if kind == SHAPE_PLANE:
        _detect_on_plane(m, w, k, swap, other, c)
        return OK
    if kind == SHAPE_ELLIPSOID:
        _detect_outside(m, w, k, swap, other, c, 0)
        return OK
    R, thin = radius_about(m, other), of_sphere(0.0)
    if kind != SHAPE_CAPSULE:
        _store(m, w, k, swap, c, to_world(w, f, (0.0, 0.0, 0.0)), R, thin, 0)
        return OK
    half = m.contours.data[m.contours.start[other] + 1]
    _store(m, w, k, swap, c, to_world(w, f, (0.0, 0.0, half)), R, thin, 0)
    _store(m, w, k + 1, swap, c, to_world(w, f, (0.0, 0.0, -half)), R, thin, 1)
    _detect_middle(m, w, k + 2, swap, other, c)
    return OK
