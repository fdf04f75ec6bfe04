"""Solids inside a hollow sphere: their points farthest from its centre."""

from cornerlaw.arrays.kinds import SHAPE_ELLIPSOID
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.ellipsoids import farthest_on_ellipsoid, of_ellipsoid
from cornerlaw.kernels.contact.space.geometry import (
    along,
    norm,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.nearest import of_rim
from cornerlaw.kernels.contact.space.stands import point_of_slot, prepare_points


@kernel
def _farthest(m, w, k, c, j, x, R):
    """Return (d, n, curve, identity) of slot k + j: distance and direction from x, in the solid."""
    if m.contours.kind[c] == SHAPE_ELLIPSOID:
        data = m.contours.data[m.contours.start[c] :]
        a = (data[0], data[1], data[2])
        d, normal = farthest_on_ellipsoid(a, x)
        return d, scaled(1.0 / norm(normal), normal), of_ellipsoid(a, normal), 0
    p, r, rim, identity = point_of_slot(m, w, k, c, j, -x[0], -x[1], R)
    v = sub(p, x)
    d = norm(v)
    n = scaled(1.0 / d, v) if d > 0.0 else (0.0, 0.0, 1.0)
    if rim > 0.0:
        return d, n, of_rim(n, p[0] / rim, p[1] / rim, rim), identity
    return d + r, n, of_sphere(r), identity


@kernel
def detect_in_hollow(m, w, k, swap, c1, c2):
    """Find the contacts of solid c2 with the hollow sphere c1 around it: g = R - d. (T-18.6)"""
    R = -m.contours.data[m.contours.start[c1]]
    o, f = origin_of(w, m.contours.frame[c1]), m.contours.frame[c2]
    x = to_local(w, f, o)
    prepare_points(m, w, k, c2, x, R)
    for j in range(m.slots.count[k]):
        d, n, curve, identity = _farthest(m, w, k, c2, j, x, R)
        if identity < 0:
            store_nothing(w, k + j)
            continue
        n = turn_to_world(w, f, n)
        r1, r2 = along(o, R, n), along(o, d, n)
        curve_2 = (curve[0], curve[1], curve[2], curve[3], turn_to_world(w, f, curve[4]))
        store_point(w, k + j, swap, R - d, n, r1, r2, of_sphere(-R), curve_2, identity)
