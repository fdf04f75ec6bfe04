"""Shapes with curved surfaces, and their gaps by brute force."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import RectBivariateSpline
from scipy.spatial import ConvexHull
from surface_slots import Floats, Pose, Shape, heights_data, spline_data, surface, zoom

from cornerlaw.arrays import kinds

RING, SECTION = 0.3, 0.08
AXES = 0.3, 0.22, 0.15
BOX = 0.25, 0.15, 0.1
HALF, ROUND = 0.25, 0.07

Distance = Callable[[Pose, Floats], Floats]  # of points in the world from a shape


def ring(pose: Pose, angle: Floats) -> Floats:
    """Return points of the centre line of the torus."""
    return pose.world(RING * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], -1))


def segment(pose: Pose, z: Floats) -> Floats:
    return pose.world(np.stack([0.0 * z, 0.0 * z, z], -1))


def from_point(pose: Pose, x: Floats) -> Floats:
    return np.linalg.norm(x - pose.r, axis=-1)


def from_plane(pose: Pose, x: Floats) -> Floats:
    return pose.local(x)[..., 2]


def from_box(pose: Pose, x: Floats) -> Floats:
    y = np.abs(pose.local(x)) - np.array(BOX)
    return np.linalg.norm(np.maximum(y, 0.0), axis=-1) + np.minimum(y.max(-1), 0.0)


def from_ring(pose: Pose, x: Floats) -> Floats:
    y = pose.local(x)
    return np.hypot(np.hypot(y[..., 0], y[..., 1]) - RING, y[..., 2])


def from_segment(pose: Pose, x: Floats) -> Floats:
    y = pose.local(x)
    return np.linalg.norm(y - np.clip(y[..., 2:], -HALF, HALF) * np.array([0.0, 0.0, 1.0]), axis=-1)


def from_ellipsoid(pose: Pose, x: Floats) -> Floats:
    """Signed distance by bisection for the Lagrange multiplier."""
    y, a = pose.local(x), np.array(AXES)
    q = a * a
    low = np.max(np.abs(a * y) - q, axis=-1)
    low = np.maximum(low, -q.min() * (1 - 1e-12))
    high = low + np.linalg.norm(a * y, axis=-1) + q.max()
    for _ in range(200):
        t = 0.5 * (low + high)
        above = np.sum((a * y / (q + t[..., None])) ** 2, -1) > 1.0
        low, high = np.where(above, t, low), np.where(above, high, t)
        if np.all(high - low <= 4e-16 * (np.abs(t) + q.min())):
            break
    t = 0.5 * (low + high)
    return t * np.linalg.norm(y / (q + t[..., None]), axis=-1)


# --- polyhedra -------------------------------------------------------------------------------

_HULL_POINTS = np.random.default_rng(5).normal(size=(14, 3)) * np.array([0.2, 0.15, 0.15])
_HULL = ConvexHull(_HULL_POINTS)


def hull_data() -> tuple[tuple[float, ...], int]:
    """Return the numbers of a polyhedron with triangular faces."""
    used = np.unique(_HULL.simplices)
    index = {int(v): i for i, v in enumerate(used)}
    points = _HULL_POINTS[used]
    faces, loops = [], []
    for simplex, plane in zip(_HULL.simplices, _HULL.equations, strict=True):
        i, j, k = (index[int(v)] for v in simplex)
        if np.cross(points[j] - points[i], points[k] - points[i]) @ plane[:3] < 0.0:
            j, k = k, j
        faces += [*plane[:3], float(len(loops)), 3.0]
        loops += [float(i), float(j), float(k)]
    head = [float(points.shape[0]), float(len(faces) // 5), 0.0, float(len(loops))]
    return (*head, *points.reshape(-1), *faces, *loops), points.shape[0]


def from_hull(pose: Pose, x: Floats) -> Floats:
    """Distance from all triangles: barycentric coordinates inside, else the edges."""
    y = pose.local(x)
    inside = np.max(y @ _HULL.equations[:, :3].T + _HULL.equations[:, 3], axis=-1)
    a, b, c = np.moveaxis(_HULL_POINTS[_HULL.simplices], 1, 0)
    T = np.stack([b - a, c - a], -1)
    x = y[..., None, :]
    uv = np.einsum("fij,...fj->...fi", np.linalg.pinv(T), x - a)
    over = (uv[..., 0] >= 0) & (uv[..., 1] >= 0) & (uv.sum(-1) <= 1)
    foot = np.linalg.norm(x - a - np.einsum("fij,...fj->...fi", T, uv), axis=-1)
    best = np.min(np.where(over, foot, np.inf), axis=-1)
    for p, q in ((a, b), (b, c), (c, a)):
        s = np.clip(np.sum((x - p) * (q - p), -1) / np.sum((q - p) ** 2, -1), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(x - p - s[..., None] * (q - p), axis=-1).min(-1))
    return np.where(inside > 0.0, best, inside)


# --- shapes ----------------------------------------------------------------------------------


def _ellipsoid_adapter(inp: Any, par: Any, out: Any) -> None:
    a, b, c = 0.3, 0.22, 0.15
    cs, ss = math.cos(inp[0]), math.sin(inp[0])
    ct, st = math.cos(inp[1]), math.sin(inp[1])
    out[0], out[1], out[2] = a * cs * ct, b * ss * ct, c * st
    out[3], out[4], out[5] = -a * ss * ct, b * cs * ct, 0.0
    out[6], out[7], out[8] = -a * cs * st, -b * ss * st, c * ct
    out[9], out[10], out[11] = -a * cs * ct, -b * ss * ct, 0.0
    out[12], out[13], out[14] = a * ss * st, -b * cs * st, 0.0
    out[15], out[16], out[17] = -a * cs * ct, -b * ss * ct, -c * st


def _waves_adapter(inp: Any, par: Any, out: Any) -> None:
    h, p, q = 0.04, 6.0, 5.0
    cs, ss = math.cos(p * inp[0]), math.sin(p * inp[0])
    ct, st = math.cos(q * inp[1]), math.sin(q * inp[1])
    out[0], out[1], out[2] = inp[0], inp[1], h * ss * ct
    out[3], out[4], out[5] = 1.0, 0.0, h * p * cs * ct
    out[6], out[7], out[8] = 0.0, 1.0, -h * q * ss * st
    out[9], out[10], out[11] = 0.0, 0.0, -h * p * p * ss * ct
    out[12], out[13], out[14] = 0.0, 0.0, -h * p * q * cs * st
    out[15], out[16], out[17] = 0.0, 0.0, -h * q * q * ss * ct


def waves(s: Floats, t: Floats) -> Floats:
    return np.stack([s, t, 0.04 * np.sin(6.0 * s) * np.cos(5.0 * t)], -1)


def ellipsoid(s: Floats, t: Floats) -> Floats:
    x = np.stack([np.cos(s) * np.cos(t), np.sin(s) * np.cos(t), np.sin(t)], -1)
    return np.asarray(x * np.array(AXES))


def _turned(p: Floats) -> Floats:
    s, t = p[:, 0], p[:, 1]
    x = np.stack([np.sin(t), np.cos(s) * np.cos(t), np.sin(s) * np.cos(t)], -1)
    return np.asarray(x * np.array(AXES))


SPAN = 1.0  # half the size of the waves


@functools.cache
def ellipsoid_surface(convex: bool) -> Shape:
    closed = (2.0 if convex else 1.0, 0.0)
    half = 0.5 * np.pi
    return surface(_ellipsoid_adapter, (0.0, 2.0 * np.pi), (-half, half), closed, 0.3)


@functools.cache
def waves_surface() -> Shape:
    return surface(_waves_adapter, (-SPAN, SPAN), (-SPAN, SPAN), (0.0, 0.0), 0.3)


TORUS = Shape(kinds.SHAPE_TORUS, (RING, SECTION), 2, 0, RING + SECTION)
POINT = Shape(kinds.SHAPE_POINT, (), 0, 0, 0.3)
SPHERE = Shape(kinds.SHAPE_SPHERE, (0.1,), 1, 0, 0.3)
HOLLOW = Shape(kinds.SHAPE_SPHERE, (-0.8,), 1, 0, 0.3, hollow=True)
PLANE = Shape(kinds.SHAPE_PLANE, (), 0, 0, 0.3, flat=True)
CAPSULE = Shape(kinds.SHAPE_CAPSULE, (ROUND, HALF), 2, 0, 0.3)
ELLIPSOID = Shape(kinds.SHAPE_ELLIPSOID, AXES, 3, 0, 0.3)
BOX_SHAPE = Shape(kinds.SHAPE_BOX, BOX, 3, 0, 0.3)
HULL = Shape(kinds.SHAPE_POLYHEDRON, hull_data()[0], hull_data()[1], 0, 0.3)

DISTANCE: dict[str, tuple[Shape, Distance, float]] = {
    "point": (POINT, from_point, 0.0),
    "sphere": (SPHERE, from_point, 0.1),
    "hollow": (HOLLOW, lambda pose, x: -from_point(pose, x), -0.8),
    "plane": (PLANE, from_plane, 0.0),
    "capsule": (CAPSULE, from_segment, ROUND),
    "ellipsoid": (ELLIPSOID, from_ellipsoid, 0.0),
    "box": (BOX_SHAPE, from_box, 0.0),
    "polyhedron": (HULL, from_hull, 0.0),
    "torus": (TORUS, from_ring, SECTION),
}


# --- tubes and height fields -------------------------------------------------------------------

_ANGLES = np.linspace(0.0, 2.0 * np.pi, 14, endpoint=False)
LOOP = np.stack(
    [np.cos(_ANGLES), 0.8 * np.sin(_ANGLES), 0.3 * np.sin(2.0 * _ANGLES)], -1
) + 0.03 * np.random.default_rng(3).normal(size=(14, 3))
_TURNS = np.linspace(0.0, 5.0 * np.pi, 40)
HELIX = np.stack([0.7 * np.cos(_TURNS), 0.7 * np.sin(_TURNS), 0.05 * _TURNS], -1)


def tube(points: Floats, radius: float, closed: bool) -> tuple[Any, Shape]:
    spline, data, n = spline_data(points, radius, closed)
    return spline, Shape(kinds.SHAPE_TUBE, data, n, 0, 1.0)


_X, _Y = np.linspace(-1.0, 1.4, 25), np.linspace(-1.2, 1.0, 21)
_H = 0.12 * np.sin(3.0 * _X)[:, None] * np.cos(2.5 * _Y)[None, :] + 0.01 * np.random.default_rng(
    4
).normal(size=(25, 21))
LAND = Shape(kinds.SHAPE_HEIGHTS, heights_data(_X, _Y, _H), 6, 0, 0.3, flat=True)
_LAND = RectBivariateSpline(_X, _Y, _H)


def land(x: Floats, y: Floats) -> Floats:
    return np.stack([x, y, _LAND(x, y, grid=False)], -1)


# --- gaps --------------------------------------------------------------------------------------


def gap_of_ring(name: str, torus: Pose, other: Pose) -> float:
    """Return the gap of the torus and a shape: least distance of the ring, all round it."""
    _, distance, R = DISTANCE[name]
    least, _ = zoom(
        lambda p: distance(other, ring(torus, p[:, 0])), [0.0], [2.0 * np.pi], 361, starts=5
    )
    return least - SECTION - R


def gap_of_patch(
    name: str, points: Callable[..., Floats], span: Any, patch: Pose, other: Pose, n: int = 121
) -> tuple[float, bool]:
    """Return the least distance of a surface's points from a shape, and whether it is at an end."""
    _, distance, R = DISTANCE[name]
    low, high = np.array(span).T
    least, place = zoom(
        lambda p: distance(other, patch.world(points(p[:, 0], p[:, 1]))), low, high, n
    )
    if points is ellipsoid:
        # once more with poles elsewhere
        turned = zoom(lambda p: distance(other, patch.world(_turned(p))), low, high, n)[0]
        least = min(least, turned)
    at_end = bool(np.any(np.isclose(place, low, atol=1e-9) | np.isclose(place, high, atol=1e-9)))
    return least - R, at_end
