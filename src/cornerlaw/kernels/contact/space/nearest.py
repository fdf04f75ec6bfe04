"""Round solids seen from a point: signed distance, outward normal and curvature at the nearest.

Every function takes the point in the axes of the shape and returns (d, n, curve) there. Inside a
solid d is negative and the nearest point is that of its surface.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.ellipsoids import nearest_on_ellipsoid, of_ellipsoid
from cornerlaw.kernels.contact.space.geometry import norm, of_edge, of_plane, of_sphere, scaled


@kernel
def of_rim(n, c, s, R):
    """Return the curvature of a rim of radius R at the angle (c, s), touched along the normal n.

    Along the rim the point moves with R and the normal turns with its radial part; across it the
    normal turns about the point. (T-18.3)
    """
    return n[0] * c + n[1] * s, R, 1.0, 0.0, (-s, c, 0.0)


@kernel
def radial(x):
    """Return the distance of x from the axis and the direction (c, s) from there to x."""
    r = math.sqrt(x[0] * x[0] + x[1] * x[1])
    if r == 0.0:
        return 0.0, 1.0, 0.0
    return r, x[0] / r, x[1] / r


@kernel
def _towards(x, z):
    """Return the distance of x from the point z of the axis and the direction from there to x."""
    d = (x[0], x[1], x[2] - z)
    size = norm(d)
    # a point on the axis itself has any direction
    return (size, scaled(1.0 / size, d)) if size > 0.0 else (0.0, (1.0, 0.0, 0.0))


@kernel
def nearest_on_capsule(R, half, x):
    """Return the nearest of a capsule, of an edge with R = 0. (T-18.2)"""
    z = min(max(x[2], -half), half)
    d, n = _towards(x, z)
    if z == x[2]:
        return d - R, n, (0.0, 1.0, 1.0, R, (0.0, 0.0, 1.0))
    return d - R, n, of_sphere(R)


@kernel
def nearest_on_ring(R, x):
    """Return the nearest of a thin circle. (T-18.3)"""
    _, c, s = radial(x)
    d = (x[0] - R * c, x[1] - R * s, x[2])
    size = norm(d)
    n = scaled(1.0 / size, d) if size > 0.0 else (c, s, 0.0)
    return size, n, of_rim(n, c, s, R)


@kernel
def nearest_on_cylinder(R, half, x):
    """Return the nearest of a cylinder: side, cap or rim. (T-18.4)"""
    r, c, s = radial(x)
    beside, beyond = r - R, abs(x[2]) - half
    up = 1.0 if x[2] >= 0.0 else -1.0
    if beside > 0.0 and beyond > 0.0:
        d = math.sqrt(beside * beside + beyond * beyond)
        n = (beside / d * c, beside / d * s, beyond / d * up)
        return d, n, of_rim(n, c, s, R)
    if beside >= beyond:
        return beside, (c, s, 0.0), (0.0, 1.0, 1.0, R, (0.0, 0.0, 1.0))
    return beyond, (0.0, 0.0, up), of_plane()


@kernel
def nearest_on_cone(R, H, x):
    """Return the nearest of a cone: side, base, rim or apex. (T-18.4)"""
    r, c, s = radial(x)
    L = math.sqrt(R * R + H * H)
    # height over the side and place along it, from the rim to the apex
    over, along = ((r - R) * H + x[2] * R) / L, ((R - r) * R + x[2] * H) / L
    inside = x[2] >= 0.0 and over <= 0.0
    if (inside and -x[2] > over) or (x[2] < 0.0 and r <= R):
        return -x[2], (0.0, 0.0, -1.0), of_plane()
    if x[2] < 0.0 or along <= 0.0:
        d = math.sqrt((r - R) ** 2 + x[2] * x[2])
        n = ((r - R) / d * c, (r - R) / d * s, x[2] / d) if d > 0.0 else (c, s, 0.0)
        return d, n, of_rim(n, c, s, R)
    if along >= L:
        d, n = _towards(x, H)
        return d, n, of_sphere(0.0)
    n = (H / L * c, H / L * s, R / L)
    e = (-R / L * c, -R / L * s, H / L)
    return over, n, (0.0, 1.0, H / L, R * (1.0 - along / L), e)


@kernel
def nearest_of_ellipsoid(a, x):
    """Return the nearest of an ellipsoid. (T-18.5)"""
    d, m = nearest_on_ellipsoid(a, x)
    return d, scaled(1.0 / norm(m), m), of_ellipsoid(a, m)


@kernel
def nearest_on_box(h, x):
    """Return the nearest of a box with half sizes h: face, edge or vertex. (T-18.8)"""
    out0, out1, out2 = abs(x[0]) - h[0], abs(x[1]) - h[1], abs(x[2]) - h[2]
    s0, s1, s2 = math.copysign(1.0, x[0]), math.copysign(1.0, x[1]), math.copysign(1.0, x[2])
    n_out = int(out0 > 0.0) + int(out1 > 0.0) + int(out2 > 0.0)
    if n_out <= 1:
        if out0 >= out1 and out0 >= out2:
            return out0, (s0, 0.0, 0.0), of_plane()
        if out1 >= out2:
            return out1, (0.0, s1, 0.0), of_plane()
        return out2, (0.0, 0.0, s2), of_plane()
    v = (s0 * max(out0, 0.0), s1 * max(out1, 0.0), s2 * max(out2, 0.0))
    d = norm(v)
    n = scaled(1.0 / d, v)
    if n_out == 3:
        return d, n, of_sphere(0.0)
    if out0 <= 0.0:
        return d, n, of_edge((1.0, 0.0, 0.0))
    return d, n, of_edge((0.0, 1.0, 0.0) if out1 <= 0.0 else (0.0, 0.0, 1.0))
