"""Ellipsoids: foot of a point, nearest or farthest, support in a direction, principal curvatures.

Numbers are in the axes of the ellipsoid, a = (a_1, a_2, a_3) its half axes.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import any_tangent, cross, dot, norm, scaled


@kernel
def _share(a, x, d):
    """Return one term (a x / d)^2; nothing where x and d vanish together."""
    return (a * x / d) ** 2 if d > 0.0 else 0.0


@kernel
def _shift(a, x, d):
    """Return the u >= 0 with sum (a_i x_i / (u + d_i))^2 = 1, zero if there is none.

    The sum falls and is convex: Newton's steps from a place where it is between 1 and 3 grow
    towards the root and never pass it. (T-18.5)
    """
    u = max(a[0] * abs(x[0]) - d[0], a[1] * abs(x[1]) - d[1], a[2] * abs(x[2]) - d[2], 0.0)
    for _ in range(100):
        s0, s1, s2 = u + d[0], u + d[1], u + d[2]
        f0, f1, f2 = _share(a[0], x[0], s0), _share(a[1], x[1], s1), _share(a[2], x[2], s2)
        excess = f0 + f1 + f2 - 1.0
        if excess <= 0.0:
            break
        slope = 0.0
        for f, s in ((f0, s0), (f1, s1), (f2, s2)):
            if f > 0.0:
                slope += 2.0 * f / s
        following = u + excess / slope
        if following <= u:
            break
        u = following
    return u


@kernel
def _foot(a, x, d, sign):
    """Return the gradient m = (y_i / a_i^2) at the foot y of x, and u.

    m_i = sign x_i / (u + d_i); on the plane of symmetry inside the focal curve the axis with d = 0
    takes what is left of sum (a_i m_i)^2 = 1. (T-18.5)
    """
    u = _shift(a, x, d)
    s0, s1, s2 = u + d[0], u + d[1], u + d[2]
    m0 = sign * x[0] / s0 if s0 > 0.0 else 0.0
    m1 = sign * x[1] / s1 if s1 > 0.0 else 0.0
    m2 = sign * x[2] / s2 if s2 > 0.0 else 0.0
    left = 1.0 - (a[0] * m0) ** 2 - (a[1] * m1) ** 2 - (a[2] * m2) ** 2
    if u == 0.0 and left > 0.0:
        if d[0] == 0.0:
            m0 = math.sqrt(left) / a[0]
        elif d[1] == 0.0:
            m1 = math.sqrt(left) / a[1]
        else:
            m2 = math.sqrt(left) / a[2]
    return (m0, m1, m2), u


@kernel
def nearest_on_ellipsoid(a, x):
    """Return signed distance and gradient m at the nearest point of an ellipsoid to x.

    x - y = t m with y_i = a_i^2 x_i / (a_i^2 + t), t = u - a_min^2. (T-18.5)
    """
    low = min(a[0], a[1], a[2])
    d = ((a[0] - low) * (a[0] + low), (a[1] - low) * (a[1] + low), (a[2] - low) * (a[2] + low))
    m, u = _foot(a, x, d, 1.0)
    return (u - low * low) * norm(m), m


@kernel
def farthest_on_ellipsoid(a, x):
    """Return distance and gradient m at the farthest point of an ellipsoid from x.

    y - x = t m with y_i = -a_i^2 x_i / (t - a_i^2), t = u + a_max^2. (T-18.6)
    """
    high = max(a[0], a[1], a[2])
    d = (
        (high - a[0]) * (high + a[0]),
        (high - a[1]) * (high + a[1]),
        (high - a[2]) * (high + a[2]),
    )
    m, u = _foot(a, x, d, -1.0)
    return (u + high * high) * norm(m), m


@kernel
def support_of_ellipsoid(a, n):
    """Return the point of an ellipsoid with outward unit normal n: a_i^2 n_i / |a n|. (T-18.9)"""
    size = norm((a[0] * n[0], a[1] * n[1], a[2] * n[2]))
    return a[0] * a[0] * n[0] / size, a[1] * a[1] * n[1] / size, a[2] * a[2] * n[2] / size


@kernel
def of_ellipsoid(a, m):
    """Return the curvature of an ellipsoid where its gradient is m = (y_i / a_i^2).

    The second fundamental form along unit tangents e, f is sum e_i f_i / a_i^2 / |m|; its principal
    directions are the first tangent turned by half the angle of (s_ee - s_ff, 2 s_ef). (T-18.7)
    """
    size = norm(m)
    n = scaled(1.0 / size, m)
    e = any_tangent(n)
    f = cross(n, e)
    b = (1.0 / (a[0] * a[0]), 1.0 / (a[1] * a[1]), 1.0 / (a[2] * a[2]))
    b_e = (b[0] * e[0], b[1] * e[1], b[2] * e[2])
    s_ee, s_ef = dot(e, b_e), dot(f, b_e)
    s_ff = b[0] * f[0] * f[0] + b[1] * f[1] * f[1] + b[2] * f[2] * f[2]
    angle = 0.5 * math.atan2(2.0 * s_ef, s_ee - s_ff)
    c, s = math.cos(angle), math.sin(angle)
    along = c * c * s_ee + 2.0 * c * s * s_ef + s * s * s_ff
    across = s * s * s_ee - 2.0 * c * s * s_ef + c * c * s_ff
    direction = (c * e[0] + s * f[0], c * e[1] + s * f[1], c * e[2] + s * f[2])
    return 1.0, size / along, 1.0, size / across, direction
