"""Solids on a plane: their lowest points, and as many more as hold them at rest."""

from cornerlaw.arrays.kinds import SHAPE_ELLIPSOID
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.ellipsoids import of_ellipsoid, support_of_ellipsoid
from cornerlaw.kernels.contact.space.geometry import (
    along,
    axis_of,
    dot,
    of_plane,
    of_sphere,
    origin_of,
    scaled,
    store_nothing,
    store_point,
    sub,
    to_world,
    turn_to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.nearest import of_rim
from cornerlaw.kernels.contact.space.stands import point_of_slot, prepare_points


@kernel
def _lowest(m, w, k, c, j, n):
    """Return (point, curve, identity) of slot k + j, lowest along n, in the axes of solid c."""
    if m.contours.kind[c] == SHAPE_ELLIPSOID:
        data = m.contours.data[m.contours.start[c] :]
        a = (data[0], data[1], data[2])
        x = support_of_ellipsoid(a, n)
        normal = (x[0] / (a[0] * a[0]), x[1] / (a[1] * a[1]), x[2] / (a[2] * a[2]))
        return x, of_ellipsoid(a, normal), 0
    p, r, rim, identity = point_of_slot(m, w, k, c, j, n[0], n[1], 1.0)
    if rim > 0.0:
        return p, of_rim(n, p[0] / rim, p[1] / rim, rim), identity
    return along(p, r, n), of_sphere(r), identity


@kernel
def detect_plane(m, w, k):
    """Find the contacts of a solid with a plane: g = (r_2 - o) . up. (T-18.9)"""
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    swap = m.contours.kind[c1] > m.contours.kind[c2]
    if swap:
        c1, c2 = c2, c1
    plane, f = m.contours.frame[c1], m.contours.frame[c2]
    up, o = axis_of(w, plane, 2), origin_of(w, plane)
    down = scaled(-1.0, up)
    n = turn_to_local(w, f, down)
    prepare_points(m, w, k, c2, n, 0.0)
    for j in range(m.slots.count[k]):
        x, curve, identity = _lowest(m, w, k, c2, j, n)
        if identity < 0:
            store_nothing(w, k + j)
            continue
        r2 = to_world(w, f, x)
        g = dot(sub(r2, o), up)
        curve_2 = (curve[0], curve[1], curve[2], curve[3], turn_to_world(w, f, curve[4]))
        store_point(w, k + j, swap, g, down, along(r2, -g, up), r2, of_plane(), curve_2, identity)
    return OK
