"""Contact manifolds: choose contact points, keep each in its slot, write the slots."""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.curvature import of_border, of_patch, of_vertex
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    cross,
    dot,
    origin_of,
    store_nothing,
    store_point,
    sub,
)
from cornerlaw.kernels.contact.space.overlap import (
    NEAREST,
    OF_BORDERS,
    OF_FIRST,
    OF_SECOND,
    add_candidate,
    candidate_at,
    overlap_patches,
)
from cornerlaw.kernels.contact.space.patches import (
    FIRST,
    POINT,
    SECOND,
    show_patch,
    type_of,
)
from cornerlaw.kernels.contact.space.support import radius_of_offset, support

_CHOSEN = 1900  # place in w.contact_j: candidates chosen, then candidate of every slot


@kernel
def overlap_along(m, w, k, c1, c2, n, size):
    """Write the candidates of two solids seen along n; return their number and the least gap.

    (T-18.21)
    """
    e = any_tangent(n)
    t = cross(n, e)
    origin = origin_of(w, m.contours.frame[c2])
    # a pair with discs has at least two slots: their angles stand in the warm start of the second
    place = 4 * k + 4 if m.slots.count[k] > 1 else 4 * k
    show_patch(m, w, c1, FIRST, n, e, t, origin, place)
    show_patch(m, w, c2, SECOND, n, e, t, origin, place + 1)
    count = overlap_patches(w, n, e, t, origin, size)
    least = math.inf
    for i in range(count):
        least = min(least, w.contact_b[candidate_at(i)[0] + 2])
    return count, least


@kernel
def add_nearest(m, w, c1, c2, n, g, count, size):
    """Append the pair of nearest points where the corners of the overlap do not contain it."""
    i = FIRST if type_of(w, FIRST) == POINT or type_of(w, SECOND) != POINT else SECOND
    if i == 0:
        r = support(m, w, c1, (-n[0], -n[1], -n[2]))
        r = along(r, -radius_of_offset(m, c1), n)
    else:
        r = along(support(m, w, c2, n), g + radius_of_offset(m, c2), n)
    e = any_tangent(n)
    x = sub(r, origin_of(w, m.contours.frame[c2]))
    u, v = dot(x, e), dot(x, cross(n, e))
    return add_candidate(w, count, u, v, g, r, n, NEAREST, i, i, NEAREST, 0.0)


@kernel
def _choose(m, w, k, count):
    """Choose as many candidates as there are slots: the nearest, then those that lie far apart.

    One that was there at the last call counts for more, so that the choice does not change idly.
    Returns the number chosen. (T-18.22)
    """
    b, j, room = w.contact_b, w.contact_j, m.slots.count[k]
    if count <= room:
        for i in range(count):
            j[_CHOSEN + i] = i
        return count
    first, least = 0, math.inf
    for i in range(count):
        g = b[candidate_at(i)[0] + 2]
        if g < least:
            first, least = i, g
    j[_CHOSEN] = first
    for chosen in range(1, room):
        best, far = -1, -1.0
        for i in range(count):
            p, q = candidate_at(i)
            away = math.inf
            for l in range(chosen):
                o = candidate_at(j[_CHOSEN + l])[0]
                away = min(away, math.hypot(b[p] - b[o], b[p + 1] - b[o + 1]))
            for s in range(k, k + room):
                if w.contact_id[s] == j[q + 3]:
                    away *= 1.2
                    break
            if away > far:
                best, far = i, away
        j[_CHOSEN + chosen] = best
    return room


@kernel
def _assign(m, w, k, chosen):
    """Give every chosen candidate a slot: the one it was in, else a free one."""
    j, room = w.contact_j, m.slots.count[k]
    slots = _CHOSEN + 32
    for s in range(room):
        j[slots + s] = -1
    for again in range(2):
        for l in range(chosen):
            i = j[_CHOSEN + l]
            if i < 0:
                continue
            identity = j[candidate_at(i)[1] + 3]
            for s in range(room):
                if j[slots + s] < 0 and (again == 1 or w.contact_id[k + s] == identity):
                    j[slots + s] = i
                    j[_CHOSEN + l] = -1
                    break


@kernel
def _store(m, w, s, swap, c1, c2, i, size):
    """Write candidate i to slot s."""
    b, j = w.contact_b, w.contact_j
    p, q = candidate_at(i)
    u, v, g = b[p], b[p + 1], b[p + 2]
    r1, n = (b[p + 3], b[p + 4], b[p + 5]), (b[p + 6], b[p + 7], b[p + 8])
    r2, back = along(r1, -g, n), (-n[0], -n[1], -n[2])
    kind, i1, i2, tolerance = j[q], j[q + 1], j[q + 2], 1e-7 * size
    if kind == OF_BORDERS:
        curve_1 = of_border(m, w, c1, FIRST, i1, r1, back)
        curve_2 = of_border(m, w, c2, SECOND, i2, r2, n)
    else:
        if kind == OF_FIRST:
            curve_1 = of_vertex(m, w, c1, FIRST, i1, back)
        else:
            curve_1 = of_patch(m, w, c1, FIRST, u, v, r1, back, tolerance)
        if kind == OF_SECOND:
            curve_2 = of_vertex(m, w, c2, SECOND, i2, n)
        else:
            curve_2 = of_patch(m, w, c2, SECOND, u, v, r2, n, tolerance)
    store_point(w, s, swap, g, n, r1, r2, curve_1, curve_2, j[q + 3])


@kernel
def store_manifold(m, w, k, swap, c1, c2, count, size):
    """Write the slots of a pair from its candidates. (T-18.22)"""
    _assign(m, w, k, _choose(m, w, k, count))
    slots = _CHOSEN + 32
    for s in range(m.slots.count[k]):
        i = w.contact_j[slots + s]
        if i < 0:
            store_nothing(w, k + s)
        else:
            _store(m, w, k + s, swap, c1, c2, i, size)
