"""Manifolds of vertices: which of a polyhedron's vertices take part, and in which slots.

Up to as many vertices as slots, each has its own. Of more, the extreme one takes part and those
that would be extreme if the body tipped a little, in directions all round.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    add,
    any_tangent,
    cross,
    dot,
    scaled,
    sub,
)
from cornerlaw.kernels.contact.space.hulls import hull_vertex

_TIP = 0.02  # angle by which a body is tipped to find the vertices around the extreme one


@kernel
def box_vertex(h, i):
    """Return vertex i of a box with half sizes h: plus where bit 0, 1, 2 is set in x, y, z."""
    return (
        h[0] if i & 1 else -h[0],
        h[1] if i & 2 else -h[1],
        h[2] if i & 4 else -h[2],
    )


@kernel
def _extreme(data, n):
    """Return the vertex farthest along n."""
    best, farthest = 0, -math.inf
    for i in range(int(data[0])):
        place = dot(n, hull_vertex(data, i))
        if place > farthest:
            best, farthest = i, place
    return best


@kernel
def _farthest(data, x):
    """Return the vertex farthest from x."""
    best, farthest = 0, -math.inf
    for i in range(int(data[0])):
        d = sub(hull_vertex(data, i), x)
        if dot(d, d) > farthest:
            best, farthest = i, dot(d, d)
    return best


@kernel
def _note(w, i, n):
    """Add vertex i to the n chosen ones unless it is there; return their number."""
    for j in range(n):
        if w.contact_j[j] == i:
            return n
    w.contact_j[n] = i
    return n + 1


@kernel
def choose_vertices(w, data, x, size, count):
    """Write up to `count` vertices to w.contact_j and return their number. (T-18.12)

    With size = 0 the extreme vertices along the unit vector x; else those farthest from the point
    x, where `size` is the distance of the farthest.
    """
    if size > 0.0:
        first = _farthest(data, x)
        n = sub(hull_vertex(data, first), x)
        n = scaled(1.0 / math.sqrt(dot(n, n)), n)
    else:
        first = _extreme(data, x)
        n = x
    found = _note(w, first, 0)
    e = any_tangent(n)
    f = cross(n, e)
    for j in range(count - 1):
        angle = 2.0 * math.pi * j / (count - 1)
        tip = add(scaled(_TIP * math.cos(angle), e), scaled(_TIP * math.sin(angle), f))
        if size > 0.0:
            found = _note(w, _farthest(data, sub(x, scaled(size, tip))), found)
        else:
            found = _note(w, _extreme(data, add(n, tip)), found)
    return found


@kernel
def settle_vertices(w, k, count, n):
    """Give the n vertices in w.contact_j their slots: w.contact_j[count + s] for slot k + s, or -1.

    A vertex that was in a slot stays in it, new ones take what is free. (T-18.12)
    """
    for s in range(count):
        w.contact_j[count + s] = -1
    for s in range(count):
        for j in range(n):
            if w.contact_id[k + s] >= 0 and w.contact_j[j] == w.contact_id[k + s]:
                w.contact_j[count + s] = w.contact_j[j]
                w.contact_j[j] = -1
    s = 0
    for j in range(n):
        if w.contact_j[j] < 0:
            continue
        while w.contact_j[count + s] >= 0:
            s += 1
        w.contact_j[count + s] = w.contact_j[j]
