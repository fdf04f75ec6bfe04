"""Contact slots of a pair of shapes in space at given poses, for tests of contact geometry."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.compile import compile_model
from cornerlaw.kernels.bundle import Bundle

Floats = NDArray[np.float64]
# position of a body's origin and its axes
Pose = tuple[Floats, Floats]


@dataclass(frozen=True)
class Found:
    """What one slot found; the curvatures are k, p, k', p' and e of each shape."""

    slot: int
    g: float
    n: Floats
    r1: Floats
    r2: Floats
    curve_1: Floats
    curve_2: Floats
    identity: int


class PairSlots:
    """A pair of shapes on bodies "a" and "b" whose markers are placed by hand."""

    def __init__(self, first: Any, second: Any, detect: Any) -> None:
        a = cl.Body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
        b = cl.Body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
        self.model = cl.Model(a, b, cl.Contact(first(a), second(b), name="contact"))
        self.compiled = compile_model(self.model)
        self.m, self.w = self.compiled.arrays, self.compiled.workspace()
        self.bundles = Bundle(self.m), Bundle(self.w)
        self.kernel = detect
        nodes = {node.body.name: i for i, node in enumerate(self.compiled.tree.nodes)}
        self.on_a = self.m.frames.body == nodes["a"]

    def forget(self) -> None:
        """Forget the last contact points, so that the next search is a cold one."""
        self.w.contact_s[:] = np.nan
        self.w.contact_id[:] = -1

    def detect(self, a: Pose, b: Pose) -> list[Found]:
        """Place the bodies and return what the slots with a candidate find."""
        frames, w = self.m.frames, self.w
        for f in range(frames.body.size):
            r, A = a if self.on_a[f] else b
            w.frame_r[f] = r + A @ frames.r[f]
            w.frame_A[f] = A @ frames.A[f]
        assert self.kernel(*self.bundles, 0) == 0
        return [
            Found(
                k,
                float(w.contact_g[k]),
                w.contact_n[k].copy(),
                w.contact_r1[k].copy(),
                w.contact_r2[k].copy(),
                w.contact_k[k, :7].copy(),
                w.contact_k[k, 7:].copy(),
                int(w.contact_id[k]),
            )
            for k in range(self.m.slots.start.size)
            if np.isfinite(w.contact_g[k])
        ]


def turn(v: Floats) -> Floats:
    """Return the rotation by the vector v."""
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)


def random_axes(rng: np.random.Generator) -> Floats:
    """Return a rotation, all equally likely."""
    a, b, c, d = (lambda q: q / np.linalg.norm(q))(rng.normal(size=4))
    return np.array(
        [
            [1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)],
        ]
    )


def moved(pose: Pose, v: Floats, Omega: Floats, dt: float) -> Pose:
    """Return a pose after a time with velocity v of the origin and angular velocity Omega."""
    return pose[0] + dt * v, turn(dt * Omega) @ pose[1]


def tensor(curve: Floats, n: Floats, place: int) -> Floats:
    """Return K (place 0) or P (place 1) of a surface in the tangent plane of n, 3 x 3."""
    along, across, e = curve[place], curve[place + 2], curve[4:]
    flat = np.eye(3) - np.outer(n, n)
    if curve[0] == curve[2] and curve[1] == curve[3]:
        return np.asarray(along * flat)
    other = np.cross(n, e)
    return np.asarray(along * np.outer(e, e) + across * np.outer(other, other))


def rates(found: Found, a: Pose, b: Pose, motion: Any) -> tuple[float, Floats, Floats, Floats]:
    """Return the rates of gap, normal and both contact points that the curvatures imply.

    With K, P the tensors of k and p: K_1 a_1 + K_2 a_2 = (Omega_1 - Omega_2) x n and
    (P_1 + g K_1) a_1 - P_2 a_2 = g Omega_1 x n - v_t in the tangent plane.
    """
    v1, O1, v2, O2 = motion
    n, g = found.n, found.g
    u1 = v1 + np.cross(O1, found.r1 - a[0])
    u2 = v2 + np.cross(O2, found.r2 - b[0])
    v = u1 - u2
    K1, K2 = (tensor(c, n, 0) for c in (found.curve_1, found.curve_2))
    P1, P2 = (tensor(c, n, 1) for c in (found.curve_1, found.curve_2))
    system = np.block([[K1, K2], [P1 + g * K1, -P2]])
    right = np.concatenate([np.cross(O1 - O2, n), g * np.cross(O1, n) - (v - (v @ n) * n)])
    x = np.linalg.lstsq(system, right, rcond=1e-12)[0]
    assert np.abs(system @ x - right).max() < 1e-9 * (1.0 + np.abs(right).max())
    return (
        float(n @ v),
        np.cross(O2, n) + K2 @ x[3:],
        u1 + P1 @ x[:3],
        u2 + P2 @ x[3:],
    )


Maker = Callable[[Any], Any]
