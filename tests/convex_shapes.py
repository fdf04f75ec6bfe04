"""Shapes in space with their support functions and membership, written independently in NumPy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl

Floats = NDArray[np.float64]

R, H = 0.2, 0.35  # radius, half length or height
AXES = np.array([0.35, 0.2, 0.12])
HALF = np.array([0.3, 0.2, 0.1])
POINTS = np.array(
    [
        (0.3, 0.1, 0.0), (-0.25, 0.2, 0.05), (0.0, -0.3, -0.1), (0.1, 0.0, 0.35),
        (-0.1, -0.1, -0.3), (0.2, 0.25, -0.15), (-0.3, -0.05, 0.1), (0.15, -0.2, 0.2),
    ]
)  # fmt: skip


def sphere_points(n: int, radius: float) -> Floats:
    """Return n points spread over a sphere."""
    k = np.arange(n) + 0.5
    z, angle = 1.0 - 2.0 * k / n, np.pi * (1.0 + 5.0**0.5) * k
    s = np.sqrt(1.0 - z * z)
    return np.asarray(radius * np.column_stack([s * np.cos(angle), s * np.sin(angle), z]))


BALL = sphere_points(200, 0.25)


def _hull_rows(points: Floats) -> Floats:
    from scipy.spatial import ConvexHull

    return np.asarray(ConvexHull(points).equations)


@dataclass(frozen=True)
class Solid:
    """A shape on a body, its support h(n) for rows n, and how far points (rows) are outside it."""

    make: Callable[[Any], Any]
    support: Callable[[Floats], Floats]
    outside: Callable[[Floats], Floats]
    size: float


def _radial(x: Floats) -> Floats:
    return np.asarray(np.hypot(x[:, 0], x[:, 1]))


def _hull(name: str, points: Floats) -> Solid:
    rows = _hull_rows(points)
    return Solid(
        lambda b: cl.Polyhedron(name + b.name, b, vertices=points),
        lambda n: np.asarray((n @ points.T).max(axis=1)),
        lambda x: np.asarray((x @ rows[:, :3].T + rows[:, 3]).max(axis=1)),
        float(np.linalg.norm(points, axis=1).max()),
    )


def _segment_distance(x: Floats) -> Floats:
    z = np.clip(x[:, 2], -H, H)
    return np.asarray(np.hypot(_radial(x), x[:, 2] - z))


SOLIDS: dict[str, Solid] = {
    "capsule": Solid(
        lambda b: cl.Capsule("capsule" + b.name, b, radius=R, length=2 * H),
        lambda n: R + H * np.abs(n[:, 2]),
        lambda x: _segment_distance(x) - R,
        R + H,
    ),
    "edge": Solid(
        lambda b: cl.Edge("edge" + b.name, b, start=(0.0, 0.0, -H), end=(0.0, 0.0, H)),
        lambda n: H * np.abs(n[:, 2]),
        _segment_distance,
        H,
    ),
    "cylinder": Solid(
        lambda b: cl.Cylinder("cylinder" + b.name, b, radius=R, length=2 * H),
        lambda n: R * _radial(n) + H * np.abs(n[:, 2]),
        lambda x: np.maximum(_radial(x) - R, np.abs(x[:, 2]) - H),
        float(np.hypot(R, H)),
    ),
    "cone": Solid(
        lambda b: cl.Cone("cone" + b.name, b, radius=R, height=H),
        lambda n: np.maximum(R * _radial(n), H * n[:, 2]),
        lambda x: np.maximum(_radial(x) - R * (1.0 - x[:, 2] / H), -x[:, 2]),
        H,
    ),
    "ellipsoid": Solid(
        lambda b: cl.Ellipsoid("ellipsoid" + b.name, b, axes=AXES),
        lambda n: np.linalg.norm(n * AXES, axis=1),
        lambda x: np.linalg.norm(x / AXES, axis=1) - 1.0,
        float(AXES.max()),
    ),
    "box": Solid(
        lambda b: cl.Box("box" + b.name, b, size=2.0 * HALF),
        lambda n: np.abs(n) @ HALF,
        lambda x: (np.abs(x) - HALF).max(axis=1),
        float(np.linalg.norm(HALF)),
    ),
    "polyhedron": _hull("polyhedron", POINTS),
    "ball of facets": _hull("ball", BALL),
}
