"""How deep a convex polytope is in a landscape, by samples and searches that compare values only.

Nothing is shared with the kernels of contacts. The depth of a place below the landscape is the
distance of the nearest place of that; the deepest place of the polytope is a vertex, on an edge or
in a face, and all are looked at.
"""

import math

import numpy as np
from brute_force import distance
from brute_surfaces import Floats, refine, write_point
from compiled import compiled

from cornerlaw.arrays.kinds import SHAPE_POINT

ALONG = 48  # samples of an edge
ACROSS = 20  # samples of a triangle each way
WIDTH = 0.05  # of the landscape: where the nearest place is looked for first


@compiled
def _height(spec, x, room):  # type: ignore[no-untyped-def]
    """Return how high a place is above the landscape."""
    write_point(spec, x[0], x[1], room)
    return x[2] - room[2]


@compiled
def _steepness(spec, x, room):  # type: ignore[no-untyped-def]
    """Return sqrt(1 + slope^2) of the landscape, by differences."""
    h = 1e-4
    write_point(spec, x[0] + h, x[1], room)
    a = room[2]
    write_point(spec, x[0] - h, x[1], room)
    a -= room[2]
    write_point(spec, x[0], x[1] + h, room)
    b = room[2]
    write_point(spec, x[0], x[1] - h, room)
    b -= room[2]
    return math.sqrt(1.0 + (a * a + b * b) / (4.0 * h * h))


@compiled
def signed_distance(spec, x, span, f, e, room):  # type: ignore[no-untyped-def]
    """Return the distance of a place from the landscape, less than zero below it."""
    outside = x[0] < span[0, 0] or x[0] > span[0, 1] or x[1] < span[1, 0] or x[1] > span[1, 1]
    if outside:
        return math.inf
    side = 1.0 if _height(spec, x, room) >= 0.0 else -1.0
    f[0] = SHAPE_POINT
    for i in range(3):
        f[6 + i] = -x[i]
        f[9 + 4 * i] = 1.0
    d, _, _ = refine(f, spec, x[0], x[1], WIDTH, WIDTH, span, e, room)
    return side * d


@compiled
def _rough(spec, x, span, room):  # type: ignore[no-untyped-def]
    outside = x[0] < span[0, 0] or x[0] > span[0, 1] or x[1] < span[1, 0] or x[1] > span[1, 1]
    if outside:
        return math.inf
    return _height(spec, x, room) / _steepness(spec, x, room)


@compiled
def _mix(p, q, r, u, v, x):  # type: ignore[no-untyped-def]
    for i in range(3):
        x[i] = p[i] + u * (q[i] - p[i]) + v * (r[i] - p[i])


@compiled
def _on_edge(spec, p, q, span, least, f, e, room):  # type: ignore[no-untyped-def]
    """Return the least signed distance of an edge, or `least`."""
    x, rough = np.zeros(3), np.zeros(ALONG + 1)
    for i in range(ALONG + 1):
        _mix(p, q, q, i / ALONG, 0.0, x)
        rough[i] = _rough(spec, x, span, room)
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    for i in range(ALONG + 1):
        if not rough[i] < 0.0:
            continue
        if rough[i] > rough[max(i - 1, 0)] or rough[i] > rough[min(i + 1, ALONG)]:
            continue
        low, high = max(i - 1.5, 0.0) / ALONG, min(i + 1.5, float(ALONG)) / ALONG
        a, b = high - golden * (high - low), low + golden * (high - low)
        _mix(p, q, q, a, 0.0, x)
        fa = signed_distance(spec, x, span, f, e, room)
        _mix(p, q, q, b, 0.0, x)
        fb = signed_distance(spec, x, span, f, e, room)
        while high - low > 1e-8:
            least = min(least, fa, fb)
            if fa < fb:
                high, b, fb = b, a, fa
                a = high - golden * (high - low)
                _mix(p, q, q, a, 0.0, x)
                fa = signed_distance(spec, x, span, f, e, room)
            else:
                low, a, fa = a, b, fb
                b = low + golden * (high - low)
                _mix(p, q, q, b, 0.0, x)
                fb = signed_distance(spec, x, span, f, e, room)
    return least


@compiled
def _at(spec, hull, p, q, r, u, v, span, f, e, room):  # type: ignore[no-untyped-def]
    """Return the signed distance at u, v of a face, infinite beyond the polytope."""
    x = np.zeros(3)
    _mix(p, q, r, u, v, x)
    if distance(hull, x) > 1e-12:
        return math.inf
    return signed_distance(spec, x, span, f, e, room)


@compiled
def _in_face(spec, hull, p, q, r, span, least, f, e, room):  # type: ignore[no-untyped-def]
    """Return the least signed distance of a triangle, by its lowest samples, or `least`."""
    x, rough = np.zeros(3), np.full((ACROSS + 3, ACROSS + 3), math.inf)
    for i in range(ACROSS + 1):
        for j in range(ACROSS + 1 - i):
            _mix(p, q, r, i / ACROSS, j / ACROSS, x)
            rough[i + 1, j + 1] = _rough(spec, x, span, room)
    for i in range(1, ACROSS + 2):
        for j in range(1, ACROSS + 2):
            if not rough[i, j] < 0.0 or rough[i, j] > rough[i - 1 : i + 2, j - 1 : j + 2].min():
                continue
            u, v, step = (i - 1.0) / ACROSS, (j - 1.0) / ACROSS, 1.0 / ACROSS
            best = _at(spec, hull, p, q, r, u, v, span, f, e, room)
            value = np.zeros(9)
            while step > 3e-8:
                low, at_u, at_v = best, u, v
                for k in range(9):
                    a, b = u + step * (k // 3 - 1.0), v + step * (k % 3 - 1.0)
                    value[k] = best
                    if k != 4:
                        value[k] = _at(spec, hull, p, q, r, a, b, span, f, e, room)
                    if value[k] < low:
                        low, at_u, at_v = value[k], a, b
                # the parabola through all of them has its lowest place near the least one
                gs, gt = 0.5 * (value[7] - value[1]), 0.5 * (value[5] - value[3])
                hs, ht = value[7] - 2.0 * best + value[1], value[5] - 2.0 * best + value[3]
                c = 0.25 * (value[8] - value[6] - value[2] + value[0])
                det = hs * ht - c * c
                if hs > 0.0 and 0.0 < det < math.inf:
                    a, b = u + step * (c * gt - ht * gs) / det, v + step * (c * gs - hs * gt) / det
                    if abs(a - u) <= 2.0 * step and abs(b - v) <= 2.0 * step:
                        trial = _at(spec, hull, p, q, r, a, b, span, f, e, room)
                        if trial < low:
                            low, at_u, at_v = trial, a, b
                moved = max(abs(at_u - u), abs(at_v - v))
                best, u, v = low, at_u, at_v
                if moved < 0.9 * step:
                    step *= 0.2
            least = min(least, best)
    return least


@compiled
def deepest_place(spec, hull, vertices, edges, triangles, span):  # type: ignore[no-untyped-def]
    """Return the least signed distance of a placed polytope from a landscape, or 0 above it.

    `hull` has the same place as the vertices, in the axes of the landscape.
    """
    f, e, room, least = np.zeros(18), np.zeros(9), np.zeros(11), 0.0
    for i in range(vertices.shape[0]):
        if _rough(spec, vertices[i], span, room) < 0.0:
            least = min(least, signed_distance(spec, vertices[i], span, f, e, room))
    for i in range(edges.shape[0]):
        p, q = vertices[edges[i, 0]], vertices[edges[i, 1]]
        least = _on_edge(spec, p, q, span, least, f, e, room)
    for i in range(triangles.shape[0]):
        p, q = vertices[triangles[i, 0]], vertices[triangles[i, 1]]
        r = vertices[triangles[i, 2]]
        least = _in_face(spec, hull, p, q, r, span, least, f, e, room)
    return least


def edges_of(triangles: Floats) -> Floats:
    """Return all sides of triangles once, the diagonals of faces among them."""
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(sides, axis=1), axis=0)
