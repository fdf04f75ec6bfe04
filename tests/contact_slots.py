"""Contact slots of a plane model at given poses and motions, for tests of contact kinematics."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.compile import compile_model
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.contact.detect import detect_slots
from cornerlaw.kernels.late import address_of
from cornerlaw.kernels.stages import _needed

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """What one slot found."""

    label: str
    g: float
    n: Floats
    t: Floats
    r1: Floats
    r2: Floats
    k: Floats


def turn(angle: float) -> Floats:
    """Return the plane rotation by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


class ContactSlots:
    """A model whose markers are placed by hand, without kinematics."""

    def __init__(self, model: cl.Model) -> None:
        self.compiled = compile_model(model)
        self.w = self.compiled.workspace()
        self.m = self._with_detection(self.compiled.arrays)
        self.bundles = Bundle(self.m), Bundle(self.w)
        self.nodes = {node.body.name: i for i, node in enumerate(self.compiled.tree.nodes)}

    def _with_detection(self, m: Any) -> Any:
        """Bind the stages of contact detection; the others would take long to compile."""
        kinds = Bundle(m)._numba_type, Bundle(self.w)._numba_type
        found = {
            name: address_of(function, (*kinds, *arguments))
            for name, (function, arguments) in _needed(m).items()
            if name.startswith("detect") or name == "curve"
        }
        return m._replace(stages=m.stages._replace(**found))

    def forget(self) -> None:
        """Forget the last contact points, so that the next search is a cold one."""
        self.w.contact_s[:], self.w.contact_id[:] = np.nan, -1

    def detect(self, poses: dict[str, tuple[float, float, float]]) -> list[Found]:
        """Place the bodies at (x, y, angle) and return what all slots find."""
        frames = self.m.frames
        by_node = {self.nodes[name]: pose for name, pose in poses.items()}
        for f in range(frames.body.size):
            x, y, angle = by_node.get(int(frames.body[f]), (0.0, 0.0, 0.0))
            A = np.eye(3)
            A[:2, :2] = turn(angle)
            self.w.frame_r[f] = np.array([x, y, 0.0]) + A @ frames.r[f]
            self.w.frame_A[f] = A @ frames.A[f]
        assert detect_slots(*self.bundles) == 0
        w = self.w
        return [
            Found(
                corner.label,
                float(w.contact_g[k]),
                w.contact_n[k, :2].copy(),
                w.contact_t[k, :2].copy(),
                w.contact_r1[k, :2].copy(),
                w.contact_r2[k, :2].copy(),
                w.contact_k[k, :4].copy(),
            )
            for k, corner in enumerate(self.compiled.corners)
        ]


def two_bodies(first: Any, second: Any, **contact: Any) -> tuple[cl.Model, cl.Model]:
    """Return the contact of two contours on bodies "a" and "b", in both orders of the operands.

    `first` and `second` make the contour from a body.
    """
    made = []
    for order in (1, -1):
        a = cl.Body("a", mass=1.0, inertia=1.0)
        b = cl.Body("b", mass=1.0, inertia=1.0)
        pair = (first(a), second(b))[::order]
        made.append(cl.Model(a, b, cl.Contact(*pair, name="contact", **contact)))
    return made[0], made[1]
