"""Distances, supports and nearest places of shapes by sampling, compiled, for tests.

Nothing here is shared with the kernels of contacts: shapes are given by their numbers alone, places
are found by dense samples and refined by searches that compare values only.
"""

import math
from typing import Any

import numpy as np
from compiled import compiled
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from cornerlaw.arrays.kinds import (
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CIRCLE,
    SHAPE_CONE,
    SHAPE_CYLINDER,
    SHAPE_EDGE,
    SHAPE_ELLIPSOID,
    SHAPE_PLANE,
    SHAPE_POLYHEDRON,
    SHAPE_TORUS,
)

Floats = NDArray[np.float64]


# kind, three lengths, number of vertices and of triangles, place, axes; then vertices, planes and
# triangles: one array, since compiled functions pass one quickly
HEAD = 18


def form(kind: int, lengths: Any = (), points: Floats | None = None) -> Floats:
    """Return the numbers of a shape; a polyhedron is the convex hull of the points."""
    head = np.zeros(HEAD)
    head[0] = kind
    if points is None:
        head[1 : 1 + len(lengths)] = lengths
        return head
    hull = ConvexHull(points)
    head[4:6] = hull.vertices.size, hull.simplices.shape[0]
    parts = points[hull.vertices], hull.equations, points[hull.simplices]
    return np.concatenate([head, *(part.ravel() for part in parts)])


def directions(count: int) -> Floats:
    """Return directions spread evenly over the sphere."""
    i = np.arange(count) + 0.5
    z = 1.0 - 2.0 * i / count
    angle = np.pi * (1.0 + 5.0**0.5) * i
    rho = np.sqrt(1.0 - z * z)
    return np.column_stack([rho * np.cos(angle), rho * np.sin(angle), z])


# --- distance of a point -------------------------------------------------------------------------


@compiled
def _from_segment(ux, uy, uz, vx, vy, vz):  # type: ignore[no-untyped-def]
    """Return the distance of v from the segment from zero to u."""
    s = (ux * vx + uy * vy + uz * vz) / (ux * ux + uy * uy + uz * uz)
    s = min(max(s, 0.0), 1.0)
    return math.sqrt((vx - s * ux) ** 2 + (vy - s * uy) ** 2 + (vz - s * uz) ** 2)


@compiled
def _from_hull(f, x):  # type: ignore[no-untyped-def]
    """Return the distance of x from a polyhedron: inside of its planes, else of its triangles."""
    x0, x1, x2 = x[0], x[1], x[2]
    start, count = HEAD + 3 * int(f[4]), int(f[5])
    inside = -math.inf
    for i in range(start, start + 4 * count, 4):
        inside = max(inside, f[i] * x0 + f[i + 1] * x1 + f[i + 2] * x2 + f[i + 3])
    if inside <= 0.0:
        return inside
    best = math.inf
    for i in range(count):
        e = start + 4 * i
        nx, ny, nz = f[e], f[e + 1], f[e + 2]
        h = abs(nx * x0 + ny * x1 + nz * x2 + f[e + 3])
        if h >= best:
            continue
        T = start + 4 * count + 9 * i
        # the foot is in the triangle where it is on the same side of all edges
        turned, least = 0, math.inf
        for j in range(3):
            a, b = T + 3 * j, T + 3 * ((j + 1) % 3)
            ux, uy, uz = f[b] - f[a], f[b + 1] - f[a + 1], f[b + 2] - f[a + 2]
            vx, vy, vz = x0 - f[a], x1 - f[a + 1], x2 - f[a + 2]
            side = nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx)
            turned += 1 if side >= 0.0 else -1
            least = min(least, _from_segment(ux, uy, uz, vx, vy, vz))
        best = min(best, h if abs(turned) == 3 else least)
    return best


@compiled
def _from_ellipsoid(f, x):  # type: ignore[no-untyped-def]
    """Return the distance of x from an ellipsoid by Newton for the multiplier, from below.

    What is added to the square of the smallest half axis is the unknown: near the plane across
    that axis the foot jumps from side to side, and it is next to nothing.
    """
    q = min(f[1], f[2], f[3]) ** 2
    u = 0.0
    for i in range(3):
        u = max(u, f[i + 1] * abs(x[i]) - (f[i + 1] ** 2 - q))
    for _ in range(100):
        value, slope = -1.0, 0.0
        for i in range(3):
            c = f[i + 1] ** 2 - q + u
            if c > 0.0:
                b = f[i + 1] * x[i] / c
                value += b * b
                slope += 2.0 * b * b / c
        if value <= 0.0 or slope == 0.0:
            break
        step = value / slope
        u += step
        if step <= 1e-15 * u:
            break
    square, rest, least = 0.0, 1.0, 0.0
    for i in range(3):
        c = f[i + 1] ** 2 - q + u
        if c > 0.0:
            square += ((u - q) * x[i] / c) ** 2
            rest -= (f[i + 1] * x[i] / c) ** 2
        else:
            least = f[i + 1]
    # in that plane itself: as far along the axis as the surface is
    square += least * least * max(rest, 0.0)
    return math.copysign(math.sqrt(square), u - q)


@compiled
def _from_box(x, y, a, b):  # type: ignore[no-untyped-def]
    """Return the distance of (x, y), both not negative, from the rectangle of sides 2 a and 2 b."""
    if x <= a and y <= b:
        return max(x - a, y - b)
    return math.hypot(max(x - a, 0.0), max(y - b, 0.0))


@compiled
def _from_cone(R, H, rho, z):  # type: ignore[no-untyped-def]
    """Return the distance of a place in the section of a cone."""
    length = math.hypot(R, H)
    lateral = (H * rho + R * z - R * H) / length
    if z >= 0.0 and lateral <= 0.0:
        return max(-z, lateral)
    best = math.hypot(max(rho - R, 0.0), z)
    s = min(max((-R * (rho - R) + H * z) / length**2, 0.0), 1.0)
    return min(best, math.hypot(rho - R + s * R, z - s * H))


@compiled
def distance(f, x):  # type: ignore[no-untyped-def]
    """Return the distance of a place from a shape, less than zero inside of those that have one."""
    k = int(f[0])
    if k == SHAPE_POLYHEDRON:
        return _from_hull(f, x)
    if k == SHAPE_ELLIPSOID:
        return _from_ellipsoid(f, x)
    if k == SHAPE_PLANE:
        return x[2]
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    if k in (SHAPE_TORUS, SHAPE_CIRCLE):
        # a circle has no section
        return math.sqrt((rho - f[1]) ** 2 + x[2] * x[2]) - f[2]
    if k == SHAPE_CAPSULE:
        return math.sqrt(rho * rho + max(abs(x[2]) - f[2], 0.0) ** 2) - f[1]
    if k == SHAPE_EDGE:
        return math.sqrt(rho * rho + max(abs(x[2]) - f[1], 0.0) ** 2)
    if k == SHAPE_CYLINDER:
        return _from_box(rho, abs(x[2]), f[1], f[2])
    if k == SHAPE_CONE:
        return _from_cone(f[1], f[2], rho, x[2])
    if k == SHAPE_BOX:
        u, v, w = abs(x[0]) - f[1], abs(x[1]) - f[2], abs(x[2]) - f[3]
        out = math.sqrt(max(u, 0.0) ** 2 + max(v, 0.0) ** 2 + max(w, 0.0) ** 2)
        return out + min(max(u, v, w), 0.0)
    from_middle = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    # a sphere seen from inside has a radius less than zero; a point has none
    return from_middle - f[1] if f[1] >= 0.0 else -f[1] - from_middle


# --- supports and separations --------------------------------------------------------------------


@compiled
def support(f, x, y, z):  # type: ignore[no-untyped-def]
    """Return how far a convex shape reaches along (x, y, z)."""
    k = int(f[0])
    if k == SHAPE_POLYHEDRON:
        best = -math.inf
        for i in range(HEAD, HEAD + 3 * int(f[4]), 3):
            best = max(best, f[i] * x + f[i + 1] * y + f[i + 2] * z)
        return best
    if k == SHAPE_BOX:
        return f[1] * abs(x) + f[2] * abs(y) + f[3] * abs(z)
    if k == SHAPE_ELLIPSOID:
        return math.sqrt((f[1] * x) ** 2 + (f[2] * y) ** 2 + (f[3] * z) ** 2)
    if k == SHAPE_CAPSULE:
        return f[1] * math.sqrt(x * x + y * y + z * z) + f[2] * abs(z)
    if k == SHAPE_EDGE:
        return f[1] * abs(z)
    rho = math.sqrt(x * x + y * y)
    if k == SHAPE_CIRCLE:
        return f[1] * rho
    if k == SHAPE_CYLINDER:
        return f[1] * rho + f[2] * abs(z)
    return max(f[1] * rho, f[2] * z)


def place(f: Floats, r: Floats, A: Floats) -> None:
    """Put a shape at r with the axes A."""
    f[6:9], f[9:18] = r, np.asarray(A).ravel()


@compiled
def separation(f1, f2, x, y, z):  # type: ignore[no-untyped-def]
    """Return the distance of two placed convex shapes between planes across (x, y, z)."""
    a = support(
        f1,
        -(f1[9] * x + f1[12] * y + f1[15] * z),
        -(f1[10] * x + f1[13] * y + f1[16] * z),
        -(f1[11] * x + f1[14] * y + f1[17] * z),
    )
    b = support(
        f2,
        f2[9] * x + f2[12] * y + f2[15] * z,
        f2[10] * x + f2[13] * y + f2[16] * z,
        f2[11] * x + f2[14] * y + f2[17] * z,
    )
    return (f1[6] - f2[6]) * x + (f1[7] - f2[7]) * y + (f1[8] - f2[8]) * z - a - b


@compiled
def separations(f1, f2, n, out):  # type: ignore[no-untyped-def]
    """Write the separations along the rows of n."""
    for i in range(n.shape[0]):
        out[i] = separation(f1, f2, n[i, 0], n[i, 1], n[i, 2])


@compiled
def way_to_gap(f1, f2, way, gap, n):  # type: ignore[no-untyped-def]
    """Return how far from the second shape the first must be along `way` for about a gap."""
    best = math.inf
    for i in range(n.shape[0] + 12):
        if i < n.shape[0]:
            x, y, z = n[i, 0], n[i, 1], n[i, 2]
        else:
            # the axes of both shapes in both directions
            j = i - n.shape[0]
            f, sign, k = (f1 if j < 6 else f2), (1.0 if j % 2 else -1.0), 9 + (j % 6) // 2
            x, y, z = sign * f[k], sign * f[k + 3], sign * f[k + 6]
        cosine = x * way[0] + y * way[1] + z * way[2]
        if cosine > 1e-3:
            best = min(best, (gap - separation(f1, f2, x, y, z)) / cosine)
    return best


@compiled
def climb(f1, f2, x, y, z, reach):  # type: ignore[no-untyped-def]
    """Return the largest separation near (x, y, z) by a shrinking ring of trial directions."""
    best = separation(f1, f2, x, y, z)
    turn = 0.0
    # along a ridge it may creep: then another start is better
    for _ in range(300):
        if reach < 1e-9:
            break
        ax, ay, az = abs(x), abs(y), abs(z)
        # e across n, away from its smallest component
        if ax <= ay and ax <= az:
            ex, ey, ez = 0.0, z, -y
        elif ay <= az:
            ex, ey, ez = -z, 0.0, x
        else:
            ex, ey, ez = y, -x, 0.0
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        ex, ey, ez = ex / length, ey / length, ez / length
        fx, fy, fz = y * ez - z * ey, z * ex - x * ez, x * ey - y * ex
        found, fs, ft = best, 0.0, 0.0
        # another turn every time, so that a ridge is met along itself sooner or later
        turn += 0.35
        for i in range(10):
            c, s = (
                reach * math.cos(turn + 0.2 * math.pi * i),
                reach * math.sin(turn + 0.2 * math.pi * i),
            )
            u, v, w = x + c * ex + s * fx, y + c * ey + s * fy, z + c * ez + s * fz
            length = math.sqrt(u * u + v * v + w * w)
            value = separation(f1, f2, u / length, v / length, w / length)
            if value > found:
                found, fs, ft = value, c, s
        if found > best + 1e-13:
            best = found
            x, y, z = x + fs * ex + ft * fx, y + fs * ey + ft * fy, z + fs * ez + ft * fz
            length = math.sqrt(x * x + y * y + z * z)
            x, y, z = x / length, y / length, z / length
        else:
            reach *= 0.5
    return best


@compiled
def deepest(f1, f2, n, value, starts):  # type: ignore[no-untyped-def]
    """Return the largest separation of all directions: samples n, and climbs from the best ones.

    The starts are apart from each other by more than the samples; their values are overwritten.
    """
    separations(f1, f2, n, value)
    best = value.max()
    # cosine of twice the distance of neighbours
    spread = math.sqrt(4.0 * math.pi / n.shape[0])
    near = math.cos(2.0 * spread)
    for _ in range(starts):
        i = np.argmax(value)
        if value[i] == -math.inf:
            break
        x, y, z = n[i, 0], n[i, 1], n[i, 2]
        best = max(best, climb(f1, f2, x, y, z, spread))
        for j in range(n.shape[0]):
            if n[j, 0] * x + n[j, 1] * y + n[j, 2] * z > near:
                value[j] = -math.inf
    return best


@compiled
def by_axes(f1, f2, axes, edges_1, edges_2):  # type: ignore[no-untyped-def]
    """Return the largest separation of two polytopes along faces' normals and products of edges.

    Where they overlap this is all there is.
    """
    best = -math.inf
    for i in range(axes.shape[0]):
        x, y, z = axes[i]
        for sign in (1.0, -1.0):
            best = max(best, separation(f1, f2, sign * x, sign * y, sign * z))
    for i in range(edges_1.shape[0]):
        for j in range(edges_2.shape[0]):
            a, b = edges_1[i], edges_2[j]
            x = a[1] * b[2] - a[2] * b[1]
            y = a[2] * b[0] - a[0] * b[2]
            z = a[0] * b[1] - a[1] * b[0]
            length = math.sqrt(x * x + y * y + z * z)
            if length > 1e-9:
                x, y, z = x / length, y / length, z / length
                best = max(best, separation(f1, f2, x, y, z))
                best = max(best, separation(f1, f2, -x, -y, -z))
    return best
