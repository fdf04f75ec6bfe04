"""Distance of a point from a shape, with gradient and curvature: what searches along curves need.

A round shape is a core with a radius about it: a sphere its centre, a capsule its axis, a torus its
centre line. The distance is the one from the core, never negative; other shapes have a signed one,
negative inside, and a hollow sphere has minus the distance from its centre.
"""

import math

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
    SHAPE_PLANE,
    SHAPE_POINT,
    SHAPE_SPHERE,
    SHAPE_TORUS,
)
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.space.geometry import (
    along,
    any_tangent,
    axis_of,
    cross,
    dot,
    norm,
    of_edge,
    of_plane,
    of_sphere,
    origin_of,
    scaled,
    sub,
    to_local,
    turn_to_world,
)
from cornerlaw.kernels.contact.space.polyhedron_distance import from_polyhedron
from cornerlaw.kernels.late import call

_RESULT = 8100  # place of the result in the scratch
_STEPS = 100
_FINE = 4e-16


@kernel
def radius_about(m, c):
    """Return the radius of a shape about its core: 0 without one, negative for a hollow sphere."""
    kind, start = m.contours.kind[c], m.contours.start[c]
    if kind == SHAPE_SPHERE or kind == SHAPE_CAPSULE:
        return m.contours.data[start]
    if kind == SHAPE_TORUS:
        return m.contours.data[start + 1]
    return 0.0


@kernel
def has_core(m, c):
    """Tell whether the distance is the one from a thin core, which has no inside."""
    kind = m.contours.kind[c]
    if kind == SHAPE_SPHERE:
        return m.contours.data[m.contours.start[c]] >= 0.0
    return (
        kind == SHAPE_POINT
        or kind == SHAPE_CAPSULE
        or kind == SHAPE_EDGE
        or kind == SHAPE_CIRCLE
        or kind == SHAPE_TORUS
    )


@kernel
def _distance(m, w, c, x):
    kind, f = m.contours.kind[c], m.contours.frame[c]
    data = m.contours.data[m.contours.start[c] :]
    if kind == SHAPE_PLANE:
        n = axis_of(w, f, 2)
        return dot(n, sub(x, origin_of(w, f))), n, of_plane()
    y = to_local(w, f, x)
    if kind == SHAPE_POINT or kind == SHAPE_SPHERE:
        d, n, curve = _from_centre(y, kind == SHAPE_SPHERE and data[0] < 0.0)
    elif kind == SHAPE_CAPSULE:
        d, n, curve = _from_segment(y, data[1])
    elif kind == SHAPE_EDGE:
        d, n, curve = _from_segment(y, data[0])
    elif kind == SHAPE_CIRCLE or kind == SHAPE_TORUS:
        d, n, curve = _from_ring(y, data[0])
    elif kind == SHAPE_ELLIPSOID:
        d, n, curve = _from_ellipsoid(y, (data[0], data[1], data[2]))
    elif kind == SHAPE_BOX:
        d, n, curve = _from_box(y, (data[0], data[1], data[2]))
    else:
        d, n, curve = from_polyhedron(y, data)
    e = turn_to_world(w, f, curve[4])
    return d, turn_to_world(w, f, n), (curve[0], curve[1], curve[2], curve[3], e)


@kernel
def centre_of(m, w, c, part):
    """Return the marker of a shape, or the centre of one end ball of a capsule (part 1 or -1)."""
    f = m.contours.frame[c]
    if part == 0:
        return origin_of(w, f)
    return along(origin_of(w, f), part * m.contours.data[m.contours.start[c] + 1], axis_of(w, f, 2))


@kernel
def eval_distance(m, w, c, part, x, y, z):
    """Write distance, gradient and curvature to the scratch, of an end ball with part 1 or -1."""
    out, p = w.contact_b[_RESULT:], (x, y, z)
    if part == 0:
        d, n, curve = _distance(m, w, c, p)
    else:
        d, n = _away(sub(p, centre_of(m, w, c, part)), (0.0, 0.0, 1.0))
        curve = of_sphere(0.0)
    e = curve[4]
    out[0], out[1], out[2], out[3] = d, n[0], n[1], n[2]
    out[4], out[5], out[6], out[7] = curve[0], curve[1], curve[2], curve[3]
    out[8], out[9], out[10] = e[0], e[1], e[2]
    return OK


@kernel
def distance_to(m, w, c, part, x):
    """Return the distance of x from the core of shape c, its gradient, and the core's curvature.

    The nearest point is x - d n. With part 1 or -1 the shape is that end ball of a capsule.
    (T-18.25)
    """
    call(m.stages.distance, m, w, c, part, x[0], x[1], x[2])
    out = w.contact_b[_RESULT:]
    curve = out[4], out[5], out[6], out[7], (out[8], out[9], out[10])
    return out[0], (out[1], out[2], out[3]), curve


@kernel
def grow(curve, R):
    """Return the curvature of the parallel surface at the distance R outside. (T-18.26)"""
    return curve[0], curve[1] + R * curve[0], curve[2], curve[3] + R * curve[2], curve[4]


@kernel
def _bend(core, d, k, p):
    """Return the second derivative in a principal direction: k / (p + d k), times d for a core."""
    if core:
        return 1.0 if p == 0.0 else d * k / (p + d * k)
    return k / (p + d * k)


@kernel
def bend(core, d, n, curve, a, b):
    """Return a . T b with the second derivative T of the distance, or of half its square. (T-18.27)

    The distance of a core enters by half its square, which is smooth where the distance is zero.
    """
    first, second = _bend(core, d, curve[0], curve[1]), _bend(core, d, curve[2], curve[3])
    an, bn, e = dot(a, n), dot(b, n), curve[4]
    tangential = second * (dot(a, b) - an * bn) + (first - second) * dot(a, e) * dot(b, e)
    return tangential + an * bn if core else tangential


@kernel
def principal(k11, k12, k22, a, b):
    """Return the curvature of a symmetric tensor given in the unit tangents a, b. (T-18.28)"""
    angle = 0.5 * math.atan2(2.0 * k12, k11 - k22)
    c, s = math.cos(angle), math.sin(angle)
    first = c * c * k11 + 2.0 * c * s * k12 + s * s * k22
    second = s * s * k11 - 2.0 * c * s * k12 + c * c * k22
    return first, 1.0, second, 1.0, along(scaled(c, a), s, b)


@kernel
def _away(x, otherwise):
    """Return length and direction of a vector; another direction where it has no length."""
    d = norm(x)
    if d > 0.0:
        return d, scaled(1.0 / d, x)
    return 0.0, otherwise


@kernel
def _from_centre(y, hollow):
    d, n = _away(y, (0.0, 0.0, 1.0))
    if hollow:
        return -d, scaled(-1.0, n), of_sphere(0.0)
    return d, n, of_sphere(0.0)


@kernel
def _from_segment(y, half):
    """Distance from the segment of z between -half and half."""
    z = min(max(y[2], -half), half)
    d, n = _away((y[0], y[1], y[2] - z), (1.0, 0.0, 0.0))
    if z == y[2]:
        return d, n, of_edge((0.0, 0.0, 1.0))
    return d, n, of_sphere(0.0)


@kernel
def of_ring(outward, R, r, radial, e):
    """Return the curvature of a torus about a ring: radial is the unit radius, e its tangent.

    Along the ring k / p = radial . m / (R + r radial . m) with the outward normal m. (T-18.29)
    """
    k = dot(radial, outward)
    return k, R + r * k, 1.0, r, e


@kernel
def _from_ring(y, R):
    """Distance from the circle of radius R about z."""
    rho = math.sqrt(y[0] * y[0] + y[1] * y[1])
    radial = (y[0] / rho, y[1] / rho, 0.0) if rho > 0.0 else (1.0, 0.0, 0.0)
    d, n = _away(along(y, -R, radial), (0.0, 0.0, 1.0))
    return d, n, of_ring(n, R, 0.0, radial, (-radial[1], radial[0], 0.0))


@kernel
def _from_box(y, h):
    """Signed distance from a box with half sizes h."""
    x = abs(y[0]) - h[0], abs(y[1]) - h[1], abs(y[2]) - h[2]
    sx, sy, sz = math.copysign(1.0, y[0]), math.copysign(1.0, y[1]), math.copysign(1.0, y[2])
    out = max(x[0], 0.0), max(x[1], 0.0), max(x[2], 0.0)
    if out[0] == 0.0 and out[1] == 0.0 and out[2] == 0.0:
        if x[0] >= x[1] and x[0] >= x[2]:
            return x[0], (sx, 0.0, 0.0), of_plane()
        if x[1] >= x[2]:
            return x[1], (0.0, sy, 0.0), of_plane()
        return x[2], (0.0, 0.0, sz), of_plane()
    d = norm(out)
    n = sx * out[0] / d, sy * out[1] / d, sz * out[2] / d
    # as numbers: outside of machine code two truths of NumPy add up to one
    count = int(out[0] > 0.0) + int(out[1] > 0.0) + int(out[2] > 0.0)
    if count == 1:
        return d, n, of_plane()
    if count == 3:
        return d, n, of_sphere(0.0)
    e = (1.0 * (out[0] == 0.0), 1.0 * (out[1] == 0.0), 1.0 * (out[2] == 0.0))
    return d, n, of_edge(e)


@kernel
def _from_ellipsoid(y, a):
    """Signed distance from an ellipsoid: Newton on its Lagrange multiplier. (T-18.30)

    The foot is x_i = a_i^2 y_i / (a_i^2 + t), and sum (a_i y_i / (a_i^2 + t))^2 - 1, convex and
    falling, vanishes at the largest root. Steps from the left never pass it.
    """
    q = a[0] * a[0], a[1] * a[1], a[2] * a[2]
    b = a[0] * y[0], a[1] * y[1], a[2] * y[2]
    t = max(abs(b[0]) - q[0], max(abs(b[1]) - q[1], abs(b[2]) - q[2]))
    size = min(q[0], min(q[1], q[2]))
    t = max(t, -size * (1.0 - 1e-12))
    for _ in range(_STEPS):
        x0, x1, x2 = b[0] / (q[0] + t), b[1] / (q[1] + t), b[2] / (q[2] + t)
        F = x0 * x0 + x1 * x1 + x2 * x2 - 1.0
        slope = -2.0 * (x0 * x0 / (q[0] + t) + x1 * x1 / (q[1] + t) + x2 * x2 / (q[2] + t))
        if not (F > 0.0 and slope < 0.0):
            break
        step = -F / slope
        t += step
        if step <= _FINE * (abs(t) + size):
            break
    # x / a^2 at the foot, along the outward normal
    N = y[0] / (q[0] + t), y[1] / (q[1] + t), y[2] / (q[2] + t)
    size = norm(N)
    n = scaled(1.0 / size, N) if size > 0.0 else (0.0, 0.0, 1.0)
    d = t * size
    return d, n, _of_ellipsoid(n, q, size)


@kernel
def _of_ellipsoid(n, q, size):
    """Curvature P diag(1 / a^2) P / |x / a^2| with the projection P on the tangent plane."""
    e = any_tangent(n)
    f = cross(n, e)
    k11 = e[0] * e[0] / q[0] + e[1] * e[1] / q[1] + e[2] * e[2] / q[2]
    k12 = e[0] * f[0] / q[0] + e[1] * f[1] / q[1] + e[2] * f[2] / q[2]
    k22 = f[0] * f[0] / q[0] + f[1] * f[1] / q[1] + f[2] * f[2] / q[2]
    return principal(k11 / size, k12 / size, k22 / size, e, f)
