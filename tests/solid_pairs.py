"""Pairs of solids at given poses, and their supports and insides in NumPy, for tests."""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from brute_force import directions, form, place, separations, way_to_gap
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import ContourArrays, SlotArrays
from cornerlaw.compile.corners import ContourData
from cornerlaw.compile.shapes import n_slots
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.contact.space.solids import detect_solids

Floats = NDArray[np.float64]


class _Model(NamedTuple):
    contours: ContourArrays
    slots: SlotArrays


class _Work(NamedTuple):
    frame_r: Floats
    frame_A: Floats
    contact_g: Floats
    contact_n: Floats
    contact_r1: Floats
    contact_r2: Floats
    contact_k: Floats
    contact_s: Floats
    contact_id: NDArray[np.int64]
    contact_b: Floats
    contact_j: NDArray[np.int64]
    contact_c: Floats


def polyhedron_data(points: Floats) -> list[float]:
    """Return the numbers of the convex hull of points: faces merged, loops, edges."""
    hull = ConvexHull(points)
    used = sorted(hull.vertices)
    number = {v: i for i, v in enumerate(used)}
    vertices = points[used]
    planes: list[Floats] = []
    members: list[set[int]] = []
    for simplex, plane in zip(hull.simplices, hull.equations, strict=True):
        for i, known in enumerate(planes):
            if np.abs(known - plane).max() < 1e-9:
                members[i] |= {number[v] for v in simplex}
                break
        else:
            planes.append(plane)
            members.append({number[v] for v in simplex})
    loops = []
    for plane, member in zip(planes, members, strict=True):
        ids = np.array(sorted(member))
        x = vertices[ids] - vertices[ids].mean(axis=0)
        e = x[0] / np.linalg.norm(x[0])
        f = np.cross(plane[:3], e)
        loops.append(ids[np.argsort(np.arctan2(x @ f, x @ e))])
    left = {}
    for i, loop in enumerate(loops):
        for a, b in zip(loop, np.roll(loop, -1), strict=True):
            left[int(a), int(b)] = i
    edges = [(a, b, left[a, b], left[b, a]) for a, b in left if a < b]
    starts = np.cumsum([0] + [len(loop) for loop in loops])
    data: list[float] = [len(vertices), len(loops), len(edges), int(starts[-1])]
    data += list(vertices.ravel())
    for plane, loop, start in zip(planes, loops, starts[:-1], strict=True):
        data += [*plane[:3], float(start), float(len(loop))]
    data += [float(v) for loop in loops for v in loop]
    data += [float(v) for edge in edges for v in edge]
    return data


@dataclass(frozen=True)
class Solid:
    """A solid in its own axes: kind, numbers, and for polyhedra the vertices."""

    name: str
    kind: int
    data: tuple[float, ...]
    points: Floats | None = None

    @functools.cached_property
    def size(self) -> float:
        """Return a length of its order."""
        return float(np.ptp(self.support(np.vstack([np.eye(3), -np.eye(3)])), axis=0).max())

    @functools.cached_property
    def form(self) -> Floats:
        """Return its numbers for brute force."""
        return form(self.kind, self.data, self.points)

    @functools.cached_property
    def edges(self) -> Floats:
        """Return the directions of its edges, of a capsule that of its axis, in rows."""
        if self.points is not None:
            T = self.points[ConvexHull(self.points).simplices]
            return np.concatenate([T[:, 1] - T[:, 0], T[:, 2] - T[:, 1], T[:, 0] - T[:, 2]])
        return np.eye(3)[0 if self.kind == kinds.SHAPE_BOX else 2 :]

    @functools.cached_property
    def normals(self) -> Floats:
        """Return the normals of its faces in rows."""
        if self.points is not None:
            return ConvexHull(self.points).equations[:, :3]
        return np.eye(3)[: 3 if self.kind == kinds.SHAPE_BOX else 0]

    def support(self, d: Floats) -> Floats:
        """Return the furthest points in the directions d, one in every row."""
        d = np.atleast_2d(d)
        D = self.data
        unit = d / np.linalg.norm(d, axis=1, keepdims=True)
        rho = np.hypot(d[:, 0], d[:, 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            rim = np.where(rho[:, None] > 0.0, d[:, :2] / rho[:, None], 0.0)
        sign = np.where(d[:, 2] >= 0.0, 1.0, -1.0)
        if self.points is not None:
            return self.points[np.argmax(d @ self.points.T, axis=1)]
        if self.kind == kinds.SHAPE_BOX:
            return np.where(d >= 0.0, 1.0, -1.0) * np.array(D)
        if self.kind == kinds.SHAPE_ELLIPSOID:
            x = d * np.array(D) ** 2
            return x / np.sqrt((x * d).sum(axis=1, keepdims=True))
        if self.kind == kinds.SHAPE_CAPSULE:
            return D[0] * unit + np.outer(sign * D[1], [0.0, 0.0, 1.0])
        if self.kind == kinds.SHAPE_EDGE:
            return np.outer(sign * D[0], [0.0, 0.0, 1.0])
        if self.kind == kinds.SHAPE_CIRCLE:
            return np.column_stack([D[0] * rim, 0.0 * sign])
        if self.kind == kinds.SHAPE_CYLINDER:
            return np.column_stack([D[0] * rim, D[1] * sign])
        apex = D[1] * d[:, 2] > D[0] * rho
        x = np.column_stack([D[0] * rim, 0.0 * sign])
        x[apex] = 0.0, 0.0, D[1]
        return x

    def outside(self, x: Floats) -> float:
        """Return by how much the worst inequality of the solid is violated at x."""
        D = self.data
        rho = float(np.hypot(x[0], x[1]))
        if self.points is not None:
            planes = ConvexHull(self.points).equations
            return float((planes[:, :3] @ x + planes[:, 3]).max())
        if self.kind == kinds.SHAPE_BOX:
            return float((np.abs(x) - np.array(D)).max())
        if self.kind == kinds.SHAPE_ELLIPSOID:
            return (float(np.linalg.norm(x / np.array(D))) - 1.0) * min(D)
        if self.kind == kinds.SHAPE_CAPSULE:
            z = np.clip(x[2], -D[1], D[1])
            return float(np.hypot(rho, x[2] - z)) - D[0]
        if self.kind == kinds.SHAPE_EDGE:
            return max(rho, abs(x[2]) - D[0])
        if self.kind == kinds.SHAPE_CIRCLE:
            return max(abs(rho - D[0]), abs(x[2]))
        if self.kind == kinds.SHAPE_CYLINDER:
            return max(rho - D[0], abs(x[2]) - D[1])
        slope = np.hypot(D[0], D[1])
        return float(max(-x[2], (D[1] * rho + D[0] * x[2] - D[0] * D[1]) / slope))


def _prism() -> Floats:
    angle = np.arange(5) * 2.0 * np.pi / 5.0
    flat = np.column_stack([0.4 * np.cos(angle), 0.4 * np.sin(angle)])
    low = np.column_stack([flat, np.full(5, -0.3)])
    return np.vstack([low, low + np.array([0.05, 0.0, 0.6])])


_cloud = np.random.default_rng(3).normal(size=(18, 3))
_CLOUD = 0.5 * _cloud / np.linalg.norm(_cloud, axis=1, keepdims=True) * (1.0, 0.8, 0.6)

SOLIDS = {
    solid.name: solid
    for solid in (
        Solid("capsule", kinds.SHAPE_CAPSULE, (0.15, 0.35)),
        Solid("edge", kinds.SHAPE_EDGE, (0.5,)),
        Solid("circle", kinds.SHAPE_CIRCLE, (0.4,)),
        Solid("cylinder", kinds.SHAPE_CYLINDER, (0.3, 0.4)),
        Solid("cone", kinds.SHAPE_CONE, (0.35, 0.7)),
        Solid("ellipsoid", kinds.SHAPE_ELLIPSOID, (0.5, 0.35, 0.25)),
        Solid("box", kinds.SHAPE_BOX, (0.4, 0.3, 0.25)),
        Solid("prism", kinds.SHAPE_POLYHEDRON, tuple(polyhedron_data(_prism())), _prism()),
        Solid("stone", kinds.SHAPE_POLYHEDRON, tuple(polyhedron_data(_CLOUD)), _CLOUD),
    )
}


def slots_of(a: Solid, b: Solid) -> int:
    """Return the number of slots that the pair has in a model."""
    one, other = (
        ContourData(x.name, x.kind, k, x.data, size=len(x.data), reach=1.0, thickness=1.0)
        for k, x in enumerate((a, b))
    )
    return n_slots(one, other)


@dataclass(frozen=True)
class Point:
    """What one slot found."""

    slot: int
    g: float
    n: Floats
    r1: Floats
    r2: Floats
    k: Floats
    identity: int


class Pair:
    """Two solids on two markers and the slots of their contact."""

    def __init__(self, a: Solid, b: Solid) -> None:
        self.solids = a, b
        self.first, self.second = a.form.copy(), b.form.copy()
        count = slots_of(a, b)
        ints = lambda *x: np.array(x, dtype=np.int64)  # noqa: E731
        same = np.zeros(count, np.int64)
        sizes = [int(s.data[0]) if s.points is not None else len(s.data) for s in (a, b)]
        self.m = _Model(
            ContourArrays(
                ints(a.kind, b.kind),
                ints(0, 1),
                ints(0, len(a.data)),
                ints(*sizes),
                ints(0, 0),
                np.array([a.size, b.size]),
                np.zeros(2),
                np.array([*a.data, *b.data]),
            ),
            SlotArrays(
                same.copy(),
                same + 1,
                np.arange(count),
                4 * np.arange(count),
                same.copy(),
                same + count,
            ),
        )
        z = np.zeros
        self.w = _Work(
            z((2, 3)),
            z((2, 3, 3)),
            z(count),
            z((count, 3)),
            z((count, 3)),
            z((count, 3)),
            z((count, 14)),
            np.full(4 * count, np.nan),
            np.full(count, -1, np.int64),
            z(8192),
            z(2048, np.int64),
            z((2, 18)),
        )
        self.bundles = Bundle(self.m), Bundle(self.w)

    def forget(self) -> None:
        """Forget what the last call found."""
        self.w.contact_s[:] = np.nan
        self.w.contact_id[:] = -1

    def detect(self, r1: Floats, A1: Floats, r2: Floats, A2: Floats) -> list[Point]:
        """Return the contact points at a pose of both markers."""
        w = self.w
        w.frame_r[0], w.frame_r[1] = r1, r2
        w.frame_A[0], w.frame_A[1] = A1, A2
        assert detect_solids(*self.bundles, 0) == 0
        return [
            Point(
                s,
                float(w.contact_g[s]),
                w.contact_n[s].copy(),
                w.contact_r1[s].copy(),
                w.contact_r2[s].copy(),
                w.contact_k[s].copy(),
                int(w.contact_id[s]),
            )
            for s in range(w.contact_g.size)
            if np.isfinite(w.contact_g[s])
        ]

    def separation(self, pose: Any, n: Floats) -> Floats:
        """Return sigma of the directions n, one in every row, from the supports."""
        n = np.ascontiguousarray(np.atleast_2d(n))
        found = np.zeros(n.shape[0])
        separations(*self.forms(pose), n, found)
        return found

    def forms(self, pose: Any) -> tuple[Floats, Floats]:
        """Return the numbers of both solids at a pose."""
        place(self.first, *pose[:2])
        place(self.second, *pose[2:])
        return self.first, self.second


_SPREAD = directions(600)
_TILTS = [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1]


def random_poses(pair: Pair, rng: np.random.Generator, gaps: Floats) -> list[Any]:
    """Return random poses with about the given gaps; every fourth is aligned, nearly or exactly."""
    count = gaps.size
    aligned = rng.integers(4, size=count) == 0
    first, second = (Rotation.random(count, random_state=rng) for _ in range(2))
    group = Rotation.create_group("O")[rng.integers(24, size=count)]
    tilt = Rotation.from_rotvec(rng.choice(_TILTS, count)[:, None] * rng.normal(size=(count, 3)))
    A1, A2 = first.as_matrix(), second.as_matrix()
    A1[aligned] = (second * group * tilt)[aligned].as_matrix()
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    axes = A2[np.arange(count), :, rng.integers(3, size=count)]
    straight = aligned & (rng.integers(2, size=count) == 1)
    ways[straight] = (axes * rng.choice([-1.0, 1.0], (count, 1)))[straight]
    second_r = 0.3 * rng.normal(size=(count, 3))
    first_r = np.zeros((count, 3))
    for i in range(count):
        forms = pair.forms((np.zeros(3), A1[i], np.zeros(3), A2[i]))
        s = way_to_gap(*forms, ways[i], float(gaps[i]), _SPREAD)
        first_r[i] = second_r[i] + s * ways[i]
    return list(zip(first_r, A1, second_r, A2, strict=True))


def random_pose(pair: Pair, rng: np.random.Generator, gap: float) -> Any:
    """Return a random pose with about the given gap."""
    return random_poses(pair, rng, np.array([gap]))[0]
