"""Search for the point of a surface that is nearest to a shape: Newton's method on two parameters.

What is least is the distance of the surface's points from the shape, or half its square from a
core. Steps are made in the tangent plane, where poles of the parameters do not matter.
"""

import math

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_ELLIPSOID,
    SHAPE_HEIGHTS,
    SHAPE_POLYHEDRON,
    SHAPE_TORUS,
)
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import bend, centre_of, distance_to, has_core
from cornerlaw.kernels.contact.space.geometry import axis_of, dot, norm, scaled, to_local
from cornerlaw.kernels.contact.space.heights import window_of
from cornerlaw.kernels.contact.space.polytopes import count_vertices, vertex_of
from cornerlaw.kernels.contact.space.surface_forms import (
    basis_of,
    fold,
    is_convex,
    place_point,
    range_of,
    shape_of,
    to_parameters,
    unit_of,
    vector_at,
    wrap,
)

_SAMPLES = 24  # of each parameter of a surface
_NODES = 44  # most nodes of a height field that are looked at, each way
STARTS = 8  # minima between samples that are followed
_LIST = 8000  # place in the scratch of these minima: value and index
_STEPS = 40
_HALVINGS = 10
_REACH = 0.12  # largest step, per unit of the parameter
_CLOSE = 3e-8  # relative length of the last step: the one after it would be below rounding
_LIFT = 0.01  # least bend, relative, where it has to be raised
_NEAR = 1e-5  # relative length of a step that needs no check
_SOFT = 0.3  # ratio of bends below which a minimum may have another one beside it
_ASIDE = 0.7  # of a cell: how far away that is looked for
_SIDE = 1  # place of the surface's point in w.contact_c


@kernel
def _look(m, w, other, part, c, s, t):
    """Return what is least at s, t with gradient and bend in the unit tangents, and J. (T-18.37)"""
    place_point(m, w, c, s, t, _SIDE)
    e = w.contact_c[_SIDE]
    core = has_core(m, other)
    d, n, curve = distance_to(m, w, other, part, vector_at(e, 0))
    normal, a, b, J = basis_of(e)
    K = shape_of(e, normal, J)
    G = scaled(d, n) if core else n
    along_normal = -dot(G, normal)
    return (
        0.5 * d * d if core else d,
        (dot(G, a), dot(G, b)),
        (
            along_normal * K[0] + bend(core, d, n, curve, a, a),
            along_normal * K[1] + bend(core, d, n, curve, a, b),
            along_normal * K[2] + bend(core, d, n, curve, b, b),
        ),
        J,
    )


@kernel
def newton_step(G, H):
    """Return the step in the tangents, the bend raised where it must be, and whether it was not."""
    half, mean = 0.5 * (H[0] - H[2]), 0.5 * (H[0] + H[2])
    spread = math.sqrt(half * half + H[1] * H[1])
    least, size = mean - spread, abs(mean) + spread
    # more would make short steps out of a place where the bend is slight
    raised = 0.0 if least > 1e-9 * size else max(-least, _LIFT * size) - least
    h11, h22 = H[0] + raised, H[2] + raised
    det = h11 * h22 - H[1] * H[1]
    x, y = (H[1] * G[1] - h22 * G[0]) / det, (H[1] * G[0] - h11 * G[1]) / det
    return x, y, least >= -1e-9 * size


@kernel
def limit_step(ds, dt, J, G, most_s, most_t):
    """Return a downhill step that is nowhere longer than the most of each parameter.

    Each is cut by itself, as beside a pole one of them is long for a short way. That turns the
    step; where it goes less far down than the step cut as a whole, up perhaps, it is this one.
    """
    s, t = min(max(ds, -most_s), most_s), min(max(dt, -most_t), most_t)
    cut = min(1.0, min(most_s / max(abs(ds), 1e-300), most_t / max(abs(dt), 1e-300)))
    slope = G[0] * (J[0] * s + J[1] * t) + G[1] * J[2] * t
    whole = cut * (G[0] * (J[0] * ds + J[1] * dt) + G[1] * J[2] * dt)
    if slope <= whole:
        return s, t
    return cut * ds, cut * dt


@kernel
def descend(m, w, other, part, c, s, t):
    """Return the minimum that safeguarded Newton steps reach from s, t: s, t, value, found.

    An end of the surface is none. (T-18.38)
    """
    unit_s, unit_t = unit_of(m, c)
    s, t, _ = fold(m, w, c, s, t, _SIDE)
    value, G, H, J = _look(m, w, other, part, c, s, t)
    stops = 0
    for _ in range(_STEPS):
        x, y, is_least = newton_step(G, H)
        ds, dt = to_parameters(J, x, y)
        length = math.sqrt(x * x + y * y)
        size = J[0] * unit_s + J[2] * unit_t
        if length <= _CLOSE * size:
            s, t, stopped = fold(m, w, c, s + ds, t + dt, _SIDE)
            return s, t, value, is_least and not stopped
        ds, dt = limit_step(ds, dt, J, G, _REACH * unit_s, _REACH * unit_t)
        new, new_G, new_H, new_J = value, G, H, J
        new_s, new_t, stopped, better = s, t, False, False
        for _ in range(_HALVINGS):
            new_s, new_t, stopped = fold(m, w, c, s + ds, t + dt, _SIDE)
            new, new_G, new_H, new_J = _look(m, w, other, part, c, new_s, new_t)
            # close to the minimum the values differ by rounding only
            better = new <= value or (is_least and length <= _NEAR * size)
            if better:
                break
            ds, dt = 0.5 * ds, 0.5 * dt
        stops = stops + 1 if stopped else 0
        if not better or stops > 2:
            return s, t, value, False
        s, t, value, G, H, J = new_s, new_t, new, new_G, new_H, new_J
    return s, t, value, False


@kernel
def _value_at(m, w, other, part, c, s, t):
    """Return what is least at the contact, without derivatives."""
    place_point(m, w, c, s, t, _SIDE)
    d, _, _ = distance_to(m, w, other, part, vector_at(w.contact_c[_SIDE], 0))
    return d


@kernel
def _extent(m, c, part):
    """Return how far the core of a shape reaches from its marker, or from the end ball `part`."""
    kind, d = m.contours.kind[c], m.contours.data[m.contours.start[c] :]
    if kind == SHAPE_ELLIPSOID:
        return max(d[0], max(d[1], d[2]))
    if kind == SHAPE_TORUS:
        return d[0]
    if kind == SHAPE_CAPSULE and part == 0:
        return d[1]
    size = 0.0
    if kind == SHAPE_BOX or kind == SHAPE_POLYHEDRON:
        for i in range(count_vertices(m, c)):
            size = max(size, norm(vertex_of(m, c, i)))
    return size


@kernel
def _grid(m, w, other, part, c, value):
    """Return first sample, step and number of samples of both parameters.

    On a height field the nodes that may be nearer than the distance `value`.
    """
    s0, s1, t0, t1, _, _ = range_of(m, c)
    if m.contours.kind[c] != SHAPE_HEIGHTS:
        ds, dt = (s1 - s0) / _SAMPLES, (t1 - t0) / _SAMPLES
        return s0 + 0.5 * ds, ds, _SAMPLES, t0 + 0.5 * dt, dt, _SAMPLES
    d = m.contours.data[m.contours.start[c] :]
    p = to_local(w, m.contours.frame[c], centre_of(m, w, other, part))
    reach = value + _extent(m, other, part)
    i, j, n_s, n_t, stride = window_of(d, p[0], p[1], reach, _NODES)
    return s0 + i * d[4], stride * d[4], n_s, t0 + j * d[5], stride * d[5], n_t


@kernel
def _is_lowest_near(values, i, j, n_s, n_t, closed_s, closed_t):
    """Tell whether no neighbour of a sample is lower."""
    here = values[i * n_t + j]
    for a in range(i - 1, i + 2):
        if not closed_s and (a < 0 or a >= n_s):
            continue
        for b in range(j - 1, j + 2):
            if not closed_t and (b < 0 or b >= n_t):
                continue
            if values[(a % n_s) * n_t + b % n_t] < here:
                return False
    return True


@kernel
def list_minima(w, n_s, n_t, closed_s, closed_t):
    """List the lowest minima between the samples in w.contact_b and return their number."""
    values, count = w.contact_b, 0
    for i in range(n_s):
        for j in range(n_t):
            here = values[i * n_t + j]
            if count == STARTS and here >= values[_LIST + 2 * (count - 1)]:
                continue
            if not _is_lowest_near(values, i, j, n_s, n_t, closed_s, closed_t):
                continue
            place = count if count < STARTS else count - 1
            count = place + 1
            while place > 0 and values[_LIST + 2 * (place - 1)] > here:
                values[_LIST + 2 * place] = values[_LIST + 2 * (place - 1)]
                values[_LIST + 2 * place + 1] = values[_LIST + 2 * (place - 1) + 1]
                place -= 1
            values[_LIST + 2 * place], values[_LIST + 2 * place + 1] = here, i * n_t + j
    return count


@kernel
def listed(w, k):
    """Return the index of a sample in the list of minima."""
    return int(w.contact_b[_LIST + 2 * k + 1])


@kernel
def _start_on_heights(m, w, other, part, c):
    """Return the place of a height field below or above the marker of a shape."""
    s0, s1, t0, t1, _, _ = range_of(m, c)
    p = to_local(w, m.contours.frame[c], centre_of(m, w, other, part))
    return min(max(p[0], s0), s1), min(max(p[1], t0), t1)


@kernel
def _sample(m, w, other, part, c, s0, ds, n_s, t0, dt, n_t):
    """Look at all samples and return how many minima there are."""
    for i in range(n_s):
        for j in range(n_t):
            value = _value_at(m, w, other, part, c, s0 + i * ds, t0 + j * dt)
            w.contact_b[i * n_t + j] = value
    _, _, _, _, closed_s, closed_t = range_of(m, c)
    return list_minima(w, n_s, n_t, closed_s, closed_t)


@kernel
def _reach(m, w, other, part, c, s, t, found):
    """Return a distance that the nearest point of a height field does not exceed."""
    x, y = _start_on_heights(m, w, other, part, c)
    reach = _value_at(m, w, other, part, c, x, y)
    return min(reach, _value_at(m, w, other, part, c, s, t)) if found else reach


@kernel
def _width(w, ds, dt):
    """Return twice the size of a cell of the grid about the point at hand.

    The distance changes by no more than the way: a minimum near a farther sample is not the least.
    """
    e = w.contact_c[_SIDE]
    return 2.0 * (ds * norm(vector_at(e, 1)) + dt * norm(vector_at(e, 2)))


@kernel
def _soft_direction(m, w, other, part, c, s, t):
    """Return the direction in parameters in which a minimum may have another beside it, 0 if none.

    Along the axis of a capsule, whose end and side may both have one, and where the bend is small,
    near the centre of the surface's curvature.
    """
    _, _, H, J = _look(m, w, other, part, c, s, t)
    if m.contours.kind[other] == SHAPE_CAPSULE and part == 0:
        _, a, b, _ = basis_of(w.contact_c[_SIDE])
        axis = axis_of(w, m.contours.frame[other], 2)
        return to_parameters(J, dot(axis, a), dot(axis, b))
    half, mean = 0.5 * (H[0] - H[2]), 0.5 * (H[0] + H[2])
    spread = math.sqrt(half * half + H[1] * H[1])
    if mean - spread > _SOFT * (abs(mean) + spread):
        return 0.0, 0.0
    angle = 0.5 * math.atan2(H[1], half)
    return to_parameters(J, -math.sin(angle), math.cos(angle))


@kernel
def _look_beside(m, w, other, part, c, s, t, least, ds, dt):
    """Return the lowest of a minimum and those a part of a cell of the grid beside it. (T-18.38)"""
    a, b = _soft_direction(m, w, other, part, c, s, t)
    size, best_s, best_t = max(abs(a) / ds, abs(b) / dt), s, t
    if size == 0.0:
        return best_s, best_t
    for side in range(-1, 2, 2):
        step = side * _ASIDE / size
        x, y, value, is_one = descend(m, w, other, part, c, s + step * a, t + step * b)
        if is_one and value < least:
            best_s, best_t, least = x, y, value
    return best_s, best_t


@kernel
def find_nearest(m, w, other, part, c, place):
    """Return s, t of the point of surface c nearest to a shape and whether there is one. (T-18.38)

    Newton from the last point and from below the shape on a height field; where the surface is not
    known to be convex also from the lowest samples.
    """
    best_s, best_t, least, found = math.nan, math.nan, math.inf, False
    on_heights = m.contours.kind[c] == SHAPE_HEIGHTS
    s, t, s0, ds, t0, dt = w.contact_s[place], w.contact_s[place + 1], 0.0, 0.0, 0.0, 0.0
    n_t, count, near = 1, 0, math.inf
    for attempt in range(STARTS + 2):
        if attempt == 1:
            if found and is_convex(m, c):
                break
            s = math.nan
            if on_heights:
                s, t = _start_on_heights(m, w, other, part, c)
        if attempt == 2:
            reach = 0.0
            if on_heights:
                reach = _reach(m, w, other, part, c, best_s, best_t, found)
            s0, ds, n_s, t0, dt, n_t = _grid(m, w, other, part, c, reach)
            count = _sample(m, w, other, part, c, s0, ds, n_s, t0, dt, n_t)
            if found:
                near = _value_at(m, w, other, part, c, best_s, best_t) + _width(w, ds, dt)
        if attempt > count + 1:
            break
        if attempt > 1:
            if found and w.contact_b[_LIST + 2 * (attempt - 2)] > near:
                break
            i = listed(w, attempt - 2)
            s, t = s0 + (i // n_t) * ds, t0 + (i % n_t) * dt
        if s == s:
            s, t, value, is_one = descend(m, w, other, part, c, s, t)
            if is_one and value < least:
                best_s, best_t, least, found = s, t, value, True
    if found and not is_convex(m, c):
        best_s, best_t = _look_beside(m, w, other, part, c, best_s, best_t, least, ds, dt)
    best_s, best_t = wrap(m, c, best_s, best_t)
    return best_s, best_t, found
