"""Two solids: capsules, edges, circles, cylinders, cones, ellipsoids, boxes and polyhedra.

The normal comes first: from closed forms for straight cores, from separating axes for polytopes,
else from a search for distance or penetration that Newton's method makes exact. The contact points
are the corners of the overlap of what both solids show along it. Thin rings have a search of their
own.
"""

from cornerlaw.arrays.kinds import SHAPE_CIRCLE, SHAPE_EDGE
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.axes import best_axis
from cornerlaw.kernels.contact.space.geometry import norm, origin_of, scaled, sub
from cornerlaw.kernels.contact.space.gjk import search_distance
from cornerlaw.kernels.contact.space.manifold import add_nearest, overlap_along, store_manifold
from cornerlaw.kernels.contact.space.penetration import search_penetration
from cornerlaw.kernels.contact.space.polytopes import is_polytope
from cornerlaw.kernels.contact.space.refine import refine
from cornerlaw.kernels.contact.space.rings import detect_ring
from cornerlaw.kernels.contact.space.segments import detect_segments
from cornerlaw.kernels.contact.space.support import extent, radius_of_offset

_REFERENCE = 2e-8  # of the size: gain for which the reference of two polytopes changes
_SPECIAL = 2e-14  # of the size: gain for which a face or edge is left in a smooth pair
_MET = 3e-8  # of the size: a contact point that is as near as the normal says


@kernel
def _first_guess(m, w, k, c1, c2):
    """Return the direction of the last call, at first the one between the markers."""
    s = w.contact_s
    n = (s[4 * k + 1], s[4 * k + 2], s[4 * k + 3])
    if norm(n) > 0.5:
        return scaled(1.0 / norm(n), n)
    n = sub(origin_of(w, m.contours.frame[c1]), origin_of(w, m.contours.frame[c2]))
    if norm(n) > 0.0:
        return scaled(1.0 / norm(n), n)
    return 0.0, 0.0, 1.0


@kernel
def _find_normal(m, w, c1, c2, n, size, preference):
    """Return the largest separation of two cores and its direction by search. (T-18.15)"""
    apart, n, angle = search_distance(m, w, c1, c2, n, size)
    if apart:
        angle = min(max(3.0 * angle, 1e-4), 0.1)
        sigma, n, _ = refine(m, w, c1, c2, n, angle, size, preference)
    else:
        sigma, n, _ = search_penetration(m, w, c1, c2, n, size, preference)
    return sigma, n


@kernel
def _detect_cores(m, w, k, swap, c1, c2):
    """Find the contacts of two solids, of which not both are straight. (T-18.15) (T-18.17)

    Polytopes take the best separating axis. Apart, it is right only where a pair of points meets
    it; else, and for all others, the normal is searched for.
    """
    s, offset = w.contact_s, radius_of_offset(m, c1)
    size = 2.0 * min(extent(m, c1), extent(m, c2))
    search = not (is_polytope(m, c1) and is_polytope(m, c2))
    n = _first_guess(m, w, k, c1, c2)
    for _ in range(2):
        code = 2
        if search:
            sigma, n = _find_normal(m, w, c1, c2, n, size, _SPECIAL * size)
        else:
            sigma, n, code = best_axis(m, w, c1, c2, _REFERENCE * size, s[4 * k])
        count, least = overlap_along(m, w, k, c1, c2, n, size)
        met = least <= sigma - offset + _MET * size
        if met or search or sigma <= 0.0:
            break
        search = True
    s[4 * k], s[4 * k + 1], s[4 * k + 2], s[4 * k + 3] = code, n[0], n[1], n[2]
    if not met:
        count = add_nearest(m, w, c1, c2, n, sigma - offset, count, size)
    store_manifold(m, w, k, swap, c1, c2, count, size)


@kernel
def detect_solids(m, w, k):
    """Find all contacts of the pair of solids with first slot k and write its slots. (T-18.13)"""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    if m.contours.kind[c2] <= SHAPE_EDGE:
        detect_segments(m, w, k, swap, c1, c2)
    elif m.contours.kind[c1] == SHAPE_CIRCLE or m.contours.kind[c2] == SHAPE_CIRCLE:
        detect_ring(m, w, k, swap, c1, c2)
    else:
        _detect_cores(m, w, k, swap, c1, c2)
    return OK
