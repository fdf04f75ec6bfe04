"""Coordinates and rates of joints that close loops, found from the motion of both sides.

Which joint of a loop closes it is the compiler's choice, so that all of them have the same results:
those of a joint in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.evaluation import Evaluation

Compute = Callable[[Evaluation], Floats]
# name, unit, rule, number of components (0: a number)
Result = tuple[str, str, Compute, int]


def _rotated(A: Floats, v: Floats) -> Floats:
    """Return vectors in the axes of a frame."""
    return np.asarray(np.einsum("tab,ta->tb", A, v))


class Slide:
    """The joint point of the second side in the axes of the first."""

    def __init__(self, f1: int, f2: int, axes: Any) -> None:
        self.f1, self.f2, self.axes = f1, f2, axes

    def _shown(self, e: Evaluation, v: Floats) -> Floats:
        return _rotated(e.outputs.A[:, self.f1], v)[:, self.axes]

    def _apart(self, e: Evaluation) -> tuple[Floats, Floats, Floats]:
        """Return distance and relative velocity in world axes, and the spin of the first side."""
        o, a, b = e.outputs, self.f1, self.f2
        d, spin = o.r[:, b] - o.r[:, a], o.Omega[:, a]
        return d, o.v[:, b] - o.v[:, a] - np.cross(spin, d), spin

    def value(self, e: Evaluation) -> Floats:
        """Return the position."""
        return self._shown(e, self._apart(e)[0])

    def rate(self, e: Evaluation) -> Floats:
        """Return the velocity."""
        return self._shown(e, self._apart(e)[1])

    def second(self, e: Evaluation) -> Floats:
        """Return the acceleration."""
        o, a, b = e.outputs, self.f1, self.f2
        d, velocity, spin = self._apart(e)
        carried = np.cross(o.alpha[:, a], d) + np.cross(spin, np.cross(spin, d) + 2.0 * velocity)
        return self._shown(e, o.a[:, b] - o.a[:, a] - carried)


class Spin:
    """The angular velocity of the second against the first side, along axes fixed in one side."""

    def __init__(self, f1: int, f2: int, side: int, axes: Any) -> None:
        self.f1, self.f2, self.axes = f1, f2, axes
        self.frame = f1 if side == 1 else f2

    def _relative(self, e: Evaluation) -> Floats:
        return e.outputs.Omega[:, self.f2] - e.outputs.Omega[:, self.f1]

    def rate(self, e: Evaluation) -> Floats:
        """Return the angular velocity."""
        return _rotated(e.outputs.A[:, self.frame], self._relative(e))[:, self.axes]

    def second(self, e: Evaluation) -> Floats:
        """Return its derivative: the axes turn with their side."""
        o = e.outputs
        carried = np.cross(o.Omega[:, self.frame], self._relative(e))
        change = o.alpha[:, self.f2] - o.alpha[:, self.f1] - carried
        return _rotated(o.A[:, self.frame], change)[:, self.axes]


def _slide(name: str, rate: str, slide: Slide, n: int) -> Iterator[Result]:
    yield name, "m", slide.value, n
    yield rate, "m/s", slide.rate, n
    yield f"{rate}_rate", "m/s^2", slide.second, n


def loop_results(joint: Any, dim: int, f1: int, f2: int, rows: list[int]) -> Iterator[Result]:
    """Yield the results of the motion of a loop joint between two markers."""
    names = [name for name, _ in joint.COORDINATES]
    for name, (rate, _) in zip(names, joint.VELOCITIES, strict=True):
        if name == "displacement":
            yield from _slide(name, rate, Slide(f1, f2, 2), 0)
        elif name == "position":
            n = 2 if dim == 2 or type(joint).__name__ == "PlanarJoint" else 3
            yield from _slide(name, rate, Slide(f1, f2, slice(0, n)), n)
        elif name == "rotation":
            spin = Spin(f1, f2, 2, slice(0, 3))
            yield rate, "rad/s", spin.rate, 3
            yield f"{rate}_rate", "rad/s^2", spin.second, 3
        else:
            angle, turn = _turn(name, f1, f2, rows)
            yield name, "rad", angle, 0
            yield rate, "rad/s", turn.rate, 0
            yield f"{rate}_rate", "rad/s^2", turn.second, 0


def _turn(name: str, f1: int, f2: int, rows: list[int]) -> tuple[Compute, Spin]:
    """Return the angle of a joint with axes, and the spin about its axis."""
    if name == "angle_1":
        return lambda e: e.universal_angle(rows, 0), Spin(f1, f2, 1, 0)
    if name == "angle_2":
        return lambda e: e.universal_angle(rows, 1), Spin(f1, f2, 2, 1)
    return lambda e: e.closure_angle(rows), Spin(f1, f2, 1, 2)
