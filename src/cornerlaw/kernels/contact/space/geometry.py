"""Vectors as tuples, shapes in the world, and the record of a contact slot in space.

The curvature of a surface at a contact point is a tuple (k, p, k', p', e): k / p is the normal
curvature along the unit tangent e, k' / p' the one across it, positive where the body is convex.
Corners have (1, 0) in a direction, flats (0, 1), a sphere (1, R); seen from inside (1, -R).
"""

import math

from cornerlaw.kernels._numba import kernel


@kernel
def add(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def sub(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def scaled(s, a):
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


@kernel
def along(a, s, b):
    """Return a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@kernel
def dot(a, b):
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Return a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel
def norm(a):
    """Return |a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def unit(a):
    """Return a / |a|."""
    size = norm(a)
    return a[0] / size, a[1] / size, a[2] / size


@kernel
def any_tangent(n):
    """Return a unit vector orthogonal to the unit vector n."""
    if abs(n[2]) < 0.7:
        size = math.sqrt(n[0] * n[0] + n[1] * n[1])
        return -n[1] / size, n[0] / size, 0.0
    size = math.sqrt(n[1] * n[1] + n[2] * n[2])
    return 0.0, -n[2] / size, n[1] / size


@kernel
def origin_of(w, f):
    """Return the world position of marker f."""
    r = w.frame_r[f]
    return r[0], r[1], r[2]


@kernel
def axis_of(w, f, a):
    """Return axis a of marker f in the world."""
    A = w.frame_A[f]
    return A[0, a], A[1, a], A[2, a]


@kernel
def to_world(w, f, x):
    """Return the world position of a point given in the axes of marker f."""
    return along(along(along(origin_of(w, f), x[0], axis_of(w, f, 0)), x[1], axis_of(w, f, 1)),
                 x[2], axis_of(w, f, 2))  # fmt: skip


@kernel
def turn_to_world(w, f, x):
    """Return the world components of a vector given in the axes of marker f."""
    return add(
        add(scaled(x[0], axis_of(w, f, 0)), scaled(x[1], axis_of(w, f, 1))),
        scaled(x[2], axis_of(w, f, 2)),
    )


@kernel
def to_local(w, f, x):
    """Return a world position in the axes of marker f."""
    return turn_to_local(w, f, sub(x, origin_of(w, f)))


@kernel
def turn_to_local(w, f, x):
    """Return a world vector in the axes of marker f."""
    return dot(x, axis_of(w, f, 0)), dot(x, axis_of(w, f, 1)), dot(x, axis_of(w, f, 2))


@kernel
def of_sphere(R):
    """Return the curvature of a sphere; R = 0 is a point, R < 0 one seen from inside."""
    return 1.0, R, 1.0, R, (1.0, 0.0, 0.0)


@kernel
def of_plane():
    """Return the curvature of a plane."""
    return 0.0, 1.0, 0.0, 1.0, (1.0, 0.0, 0.0)


@kernel
def of_edge(e):
    """Return the curvature of a sharp edge along the unit vector e."""
    return 0.0, 1.0, 1.0, 0.0, e


@kernel
def store_point(w, k, swap, g, n, r1, r2, curve_1, curve_2, identity):
    """Write slot k: gap, unit normal from contour 2 to 1, contact points, curvatures, identity.

    With `swap` the contours were taken in the opposite order: n turns round, 1 and 2 change places.
    r1 - r2 = g n. (T-17.1)
    """
    if swap:
        n, r1, r2, curve_1, curve_2 = (-n[0], -n[1], -n[2]), r2, r1, curve_2, curve_1
    w.contact_g[k] = g
    w.contact_id[k] = identity
    for a in range(3):
        w.contact_n[k, a] = n[a]
        w.contact_r1[k, a] = r1[a]
        w.contact_r2[k, a] = r2[a]
    _store_curvature(w.contact_k[k, :7], curve_1)
    _store_curvature(w.contact_k[k, 7:], curve_2)


@kernel
def _store_curvature(out, curve):
    out[0], out[1], out[2], out[3] = curve[0], curve[1], curve[2], curve[3]
    e = curve[4]
    out[4], out[5], out[6] = e[0], e[1], e[2]


@kernel
def store_nothing(w, k):
    """Mark slot k as one without a candidate; normal and points stay as they were."""
    w.contact_g[k] = math.inf
    w.contact_id[k] = -1
