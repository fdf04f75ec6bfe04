"""A pair of shapes in space placed by hand, and the motion of its contact, for tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import ContourArrays, SlotArrays
from cornerlaw.arrays.model_arrays import StageAddresses
from cornerlaw.compile.corners import ContourData
from cornerlaw.compile.shapes import n_slots
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.contact.space import (
    distance,
    footing,
    surface_pairs,
    surfaces,
    torus,
    tubes,
)
from cornerlaw.kernels.late import address_of
from cornerlaw.kernels.slots import make_slot

Floats = NDArray[np.float64]


class _Model(NamedTuple):
    stages: StageAddresses
    contours: ContourArrays
    slots: SlotArrays


class _Work(NamedTuple):
    frame_r: Any
    frame_A: Any
    contact_g: Any
    contact_n: Any
    contact_r1: Any
    contact_r2: Any
    contact_k: Any
    contact_s: Any
    contact_id: Any
    contact_c: Any
    contact_b: Any
    contact_j: Any
    slot_in: Any
    slot_out: Any


@dataclass(frozen=True)
class Shape:
    """Kind and numbers of a contour."""

    kind: int
    data: tuple[float, ...] = ()
    size: int = 0
    address: int = 0
    reach: float = 1.0  # how far it extends from its marker
    flat: bool = False  # it has an upper side
    hollow: bool = False


@dataclass(frozen=True)
class Pose:
    """Position and axes of a marker."""

    r: Floats
    A: Floats

    def moved(self, v: Floats, Omega: Floats, h: float) -> "Pose":
        """Return the pose a time h later, at constant velocities."""
        return Pose(self.r + h * v, rotation(h * Omega) @ self.A)

    def local(self, x: Floats) -> Floats:
        return (x - self.r) @ self.A

    def world(self, x: Floats) -> Floats:
        return self.r + x @ self.A.T


def rotation(x: Floats) -> Floats:
    """Return the rotation by the vector x."""
    angle = float(np.linalg.norm(x))
    if angle == 0.0:
        return np.eye(3)
    a = x / angle
    S = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + np.sin(angle) * S + (1.0 - np.cos(angle)) * (S @ S)


def random_turn(rng: Any) -> Floats:
    return np.asarray(rng.uniform(-np.pi, np.pi, 3))


class SpacePair:
    """Two shapes and the slots of their contact."""

    def __init__(self, first: Shape, second: Shape, slots: int = 1) -> None:
        self.shapes, self.n = (first, second), slots
        ints, numbers = np.int64, [*first.data, *second.data]
        contours = ContourArrays(
            kind=np.array([first.kind, second.kind], ints),
            frame=np.array([0, 1], ints),
            start=np.array([0, len(first.data)], ints),
            size=np.array([first.size, second.size], ints),
            address=np.array([first.address, second.address], ints),
            reach=np.full(2, np.inf),
            thickness=np.zeros(2),
            data=np.array(numbers, np.float64),
        )
        slot_arrays = SlotArrays(
            contour_1=np.zeros(slots, ints),
            contour_2=np.ones(slots, ints),
            feature=np.zeros(slots, ints),
            start=4 * np.arange(slots, dtype=ints),
            first=np.zeros(slots, ints),
            count=np.full(slots, slots, ints),
        )
        self.w = _Work(
            np.zeros((2, 3)),
            np.zeros((2, 3, 3)),
            np.zeros(slots),
            np.zeros((slots, 3)),
            np.zeros((slots, 3)),
            np.zeros((slots, 3)),
            np.zeros((slots, 14)),
            np.full(4 * slots, np.nan),
            np.full(slots, -1, ints),
            np.zeros((2, 18)),
            np.zeros(8192),
            np.zeros(2048, ints),
            np.zeros(72),
            np.zeros(72),
        )
        m = _Model(StageAddresses(), contours, slot_arrays)
        types_of = Bundle(m)._numba_type, Bundle(self.w)._numba_type
        i, f = numba.types.int64, numba.types.float64
        pair = (i, numba.types.boolean, i, i)
        late: dict[str, tuple[Any, tuple[Any, ...]]] = {
            "surface": (surfaces.eval_surface, (i, f, f, i)),
            "distance": (distance.eval_distance, (i, i, f, f, f)),
            "detect_surface": (surfaces.detect_surface, (i,)),
        }
        if second.kind == kinds.SHAPE_TORUS or first.kind == kinds.SHAPE_TORUS:
            late["detect_torus"] = torus.detect_torus, pair
        if kinds.SHAPE_TUBE in (first.kind, second.kind):
            late["detect_tube"] = tubes.detect_tube, pair
        if first.kind == second.kind == kinds.SHAPE_SURFACE:
            late["detect_surfaces"] = surface_pairs.detect_surfaces, (i,)
        elif {first.kind, second.kind} & {kinds.SHAPE_BOX, kinds.SHAPE_POLYHEDRON}:
            late["detect_footing"] = footing.detect_footing, pair
        elif max(first.kind, second.kind) >= kinds.SHAPE_SURFACE:
            late["detect_nearest"] = surfaces.detect_nearest, pair
        found = {
            name: address_of(function, (*types_of, *arguments))
            for name, (function, arguments) in late.items()
        }
        self.m = m._replace(stages=StageAddresses(**found))
        self.bundles = Bundle(self.m), Bundle(self.w)

    def forget(self) -> None:
        """Make the next search a cold one."""
        self.w.contact_s[:] = np.nan
        self.w.contact_id[:] = -1

    def detect(self, first: Pose, second: Pose) -> float:
        """Place both shapes, find the contacts and return the first gap."""
        for i, pose in enumerate((first, second)):
            self.w.frame_r[i], self.w.frame_A[i] = pose.r, pose.A
        assert surfaces.detect_surface(*self.bundles, 0) == 0
        return float(self.w.contact_g[0])

    def near_contact(self, rng: Any, low: float, high: float) -> tuple[Pose, Pose]:
        """Return random poses with a least gap between about low and high."""
        first, second = self.shapes
        a, b = (Pose(rng.uniform(-1.0, 1.0, 3), rotation(random_turn(rng))) for _ in range(2))
        base, far = (
            (a, first.reach + second.reach) if first.flat else (b, second.reach + first.reach)
        )
        way = rng.normal(size=3)
        way *= far / np.linalg.norm(way)
        if first.flat or second.flat:
            way = np.array([*rng.uniform(-0.4, 0.4, 2), far])
        if first.hollow:
            way *= 0.1
        place = base.world(way)
        a, b = (a, Pose(place, b.A)) if first.flat else (Pose(place, a.A), b)
        self.forget()
        for _ in range(2):
            self.detect(a, b)
            k = int(np.argmin(self.w.contact_g))
            g = float(self.w.contact_g[k])
            if np.isfinite(g):
                a = Pose(a.r + (rng.uniform(low, high) - g) * self.w.contact_n[k], a.A)
        return a, b


def slots_of(first: Shape, second: Shape) -> int:
    """Return the number of slots that the pair has in a model."""
    one, other = (
        ContourData(str(k), x.kind, k, x.data, size=x.size, reach=1.0, thickness=1.0)
        for k, x in enumerate((first, second))
    )
    return n_slots(one, other)


def tensors(curve: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return K and P of a curvature (k, p, k', p', e) in the plane across n."""
    k, p, k2, p2, e = curve[0], curve[1], curve[2], curve[3], curve[4:7]
    plane = np.eye(3) - np.outer(n, n)
    if k == k2 and p == p2:
        return k * plane, p * plane
    E = np.outer(e, e)
    return k * E + k2 * (plane - E), p * E + p2 * (plane - E)


def rates(
    pair: SpacePair, slot: int, a: tuple[Pose, Floats, Floats], b: tuple[Pose, Floats, Floats]
) -> tuple[float, Floats, Floats, Floats]:
    """Return the rates of gap, contact points and normal from the curvatures of a slot. (T-17.4)"""
    w = pair.w
    n, g = w.contact_n[slot], w.contact_g[slot]
    K1, P1 = tensors(w.contact_k[slot, :7], n)
    K2, P2 = tensors(w.contact_k[slot, 7:], n)
    (pose_1, u1, Omega_1), (pose_2, u2, Omega_2) = a, b
    v1 = u1 + np.cross(Omega_1, w.contact_r1[slot] - pose_1.r)
    v2 = u2 + np.cross(Omega_2, w.contact_r2[slot] - pose_2.r)
    v = v1 - v2
    # tangential unknowns; the normal components are set to zero
    N = np.outer(n, n)
    matrix = np.block([[K1 + N, K2], [P1 + g * K1, -P2 + N]])
    right = np.concatenate(
        [np.cross(Omega_1 - Omega_2, n), g * np.cross(Omega_1, n) - (v - n * (n @ v))]
    )
    x = np.linalg.solve(matrix, right)
    a1, a2 = x[:3], x[3:]
    return float(n @ v), v1 + P1 @ a1, v2 + P2 @ a2, np.cross(Omega_2, n) + K2 @ a2


def spline_data(points: Floats, radius: float, closed: bool) -> tuple[Any, tuple[float, ...], int]:
    """Return the spline through points over its chord length, and the numbers of a tube."""
    if closed:
        points = np.vstack([points, points[:1]])
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    spline = CubicSpline(s, points, bc_type="periodic" if closed else "not-a-knot")
    # powers ascending, then per interval x, y, z
    c = np.moveaxis(spline.c[::-1], 0, -1)
    data = (radius, s[0], s[-1], float(closed), *s, *c.reshape(-1))
    return spline, data, s.size


def heights_data(x: Floats, y: Floats, h: Floats) -> tuple[float, ...]:
    """Return the numbers of a height field through the nodes h[i, j] at x[i], y[j]."""
    along_x = CubicSpline(x, h).c[::-1]  # power, cell of x, node of y
    both = CubicSpline(y, np.moveaxis(along_x, 2, 0)).c[::-1]  # power, cell of y, power, cell of x
    c = both.transpose(3, 1, 2, 0)  # cell of x, cell of y, power of x, power of y
    return (x.size - 1.0, y.size - 1.0, x[0], y[0], x[1] - x[0], y[1] - y[0], *c.reshape(-1))


def surface(
    adapter: Callable[..., None],
    s: tuple[float, float],
    t: tuple[float, float],
    closed: tuple[float, float],
    reach: float,
) -> Shape:
    """Return a surface whose adapter writes r, r_s, r_t, r_ss, r_st, r_tt."""
    address = make_slot(adapter, label="surface", results=18)
    flat = not any(closed)
    return Shape(kinds.SHAPE_SURFACE, (*s, *t, *closed), 6, address, reach, flat)
