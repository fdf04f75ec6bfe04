"""Tori, tubes, surfaces of the user and height fields: evaluation, and dispatch of their pairs."""

import math

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_HEIGHTS,
    SHAPE_POLYHEDRON,
    SHAPE_SURFACE,
    SHAPE_TORUS,
    SHAPE_TUBE,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.distance import (
    distance_to,
    grow,
    has_core,
    radius_about,
)
from cornerlaw.kernels.contact.space.geometry import (
    along,
    dot,
    norm,
    store_nothing,
    store_point,
    sub,
    to_local,
    to_world,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.heights import eval_heights
from cornerlaw.kernels.contact.space.surface_forms import (
    basis_of,
    of_surface,
    place_point,
    range_of,
    vector_at,
    wrap,
)
from cornerlaw.kernels.contact.space.surface_search import find_nearest
from cornerlaw.kernels.late import call
from cornerlaw.kernels.slots import call_slot

_DEPTH = 0.25  # how far the core of a shape may be behind an open surface, per size of that


@kernel
def eval_surface(m, w, c, s, t, side):
    """Write r, r_s, r_t, r_ss, r_st, r_tt of surface c to w.contact_c[side], world axes. (T-18.35)

    The parameters of a height field are the marker's x and y.
    """
    f, x = m.contours.frame[c], w.slot_out
    if m.contours.kind[c] == SHAPE_HEIGHTS:
        eval_heights(m.contours.data[m.contours.start[c] :], s, t, x)
    else:
        w.slot_in[0], w.slot_in[1] = wrap(m, c, s, t)
        call_slot(m.contours.address[c], w.slot_in[:2], w.slot_in[:0], x[:18])
    out = w.contact_c[side]
    out[0], out[1], out[2] = to_world(w, f, (x[0], x[1], x[2]))
    for k in range(3, 18, 3):
        out[k], out[k + 1], out[k + 2] = turn_to_world(w, f, (x[k], x[k + 1], x[k + 2]))
    return OK


@kernel
def _is_far_behind(m, w, c, depth):
    """Tell whether a place is so far behind an open surface that it is no contact."""
    s0, s1, t0, t1, closed_s, closed_t = range_of(m, c)
    if depth <= 0.0 or m.contours.kind[c] == SHAPE_HEIGHTS or closed_s or closed_t:
        return False
    place_point(m, w, c, s0, t0, 0)
    a = vector_at(w.contact_c[0], 0)
    place_point(m, w, c, s1, t1, 0)
    return depth > _DEPTH * norm(sub(vector_at(w.contact_c[0], 0), a))


@kernel
def _store(m, w, slot, swap, other, part, c, identity):
    """Write the contact of a shape at the point of surface c that is at hand in w.contact_c[1].

    The normal is the surface's. Where the core of the shape is behind the surface the gap is less
    than minus its radius. (T-18.37)
    """
    e, about = w.contact_c[1], radius_about(m, other)
    n, _, _, _ = basis_of(e)
    x = vector_at(e, 0)
    d, u, curve = distance_to(m, w, other, part, x)
    inside = dot(u, n) > 0.0
    core = -d if inside else d
    if (inside and not has_core(m, other)) or _is_far_behind(m, w, c, -core):
        store_nothing(w, slot)
        return
    if inside and m.contours.kind[other] == SHAPE_TORUS:
        # its normal there is the opposite one
        curve = -curve[0], curve[1], curve[2], curve[3], curve[4]
    g = core - about
    store_point(w, slot, swap, g, n, along(x, g, n), x, grow(curve, about), of_surface(e), identity)


@kernel
def _is_beside(m, w, other):
    """Tell whether the surface's point at hand is beside the ends of a capsule's axis."""
    z = to_local(w, m.contours.frame[other], vector_at(w.contact_c[1], 0))[2]
    return abs(z) >= m.contours.data[m.contours.start[other] + 1]


@kernel
def _detect_part(m, w, k, swap, other, part, c, identity):
    """Find the contact of a surface or height field with a shape that has a distance. (T-18.37)"""
    s, t, found = find_nearest(m, w, other, part, c, 4 * k)
    w.contact_s[4 * k], w.contact_s[4 * k + 1] = s, t
    if not found:
        w.contact_s[4 * k] = math.nan
        store_nothing(w, k)
        return
    place_point(m, w, c, s, t, 1)
    if identity == 2 and _is_beside(m, w, other):
        store_nothing(w, k)
        return
    _store(m, w, k, swap, other, part, c, identity)


@kernel
def detect_nearest(m, w, k, swap, other, c):
    """Find the contact, or with three slots those of both end balls of a capsule and of its side.

    The side has none where an end ball touches first.
    """
    if m.slots.count[k] == 1:
        _detect_part(m, w, k, swap, other, 0, c, 0)
        return OK
    for i in range(3):
        part = 1 - 2 * i if i < 2 else 0
        _detect_part(m, w, k + i, swap, other, part, c, i)
    return OK


@kernel
def detect_surface(m, w, k):
    """Find all contacts of a pair with a torus, a tube, a surface or a height field. (T-17.1)"""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    if m.contours.kind[c2] == SHAPE_TORUS:
        return call(m.stages.detect_torus, m, w, k, swap, c1, c2)
    if m.contours.kind[c2] == SHAPE_TUBE:
        return call(m.stages.detect_tube, m, w, k, swap, c1, c2)
    if m.contours.kind[c1] == SHAPE_SURFACE:
        return call(m.stages.detect_surfaces, m, w, k)
    if m.contours.kind[c1] == SHAPE_BOX or m.contours.kind[c1] == SHAPE_POLYHEDRON:
        return call(m.stages.detect_footing, m, w, k, swap, c1, c2)
    return call(m.stages.detect_nearest, m, w, k, swap, c1, c2)
