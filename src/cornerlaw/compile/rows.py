"""Constraints and loop closures as rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.model_arrays import RowArrays
from cornerlaw.compile.coordinates import Coordinate, initial_component
from cornerlaw.compile.functions import constraint_slot
from cornerlaw.compile.tables import FrameTable, SignalTable, floats, ints
from cornerlaw.compile.topology import axes_from_z, joint_sides
from cornerlaw.errors import ModelError
from cornerlaw.model import Model, Part, PointMass
from cornerlaw.model.rotation import cardan_angles


@dataclass
class Row:
    """One bilateral row and the part it belongs to."""

    part: str
    kind: int
    frame_1: int = -1
    frame_2: int = -1
    axis_1: int = 0
    axis_2: int = 0
    signal: int = -1
    data: tuple[float, ...] = ()
    items: tuple[int, ...] = ()
    address: int = 0
    holonomic: bool = True
    scale: float = 1.0  # the size of a unit violation
    initial: bool = False  # data[0] is the value at the start, set after assembly
    label: str = ""
    n_entries: int = 0  # wrenches it needs, where its items do not tell
    active: int = -1  # of a row of an element: place in x of the state that switches it
    V_address: int = 0  # what its force has beside its directions
    lower: tuple[int, int] = (0, 0)  # function of an end of its set, and the element it belongs to
    upper: tuple[int, int] = (0, 0)


# rows of each joint as a loop closure: components of the distance, pairs of orthogonal axes
_POINTS = {
    "Revolute": (0, 1, 2), "Prismatic": (0, 1), "Screw": (0, 1), "Cylindrical": (0, 1),
    "Universal": (0, 1, 2), "Spherical": (0, 1, 2), "PlanarJoint": (2,), "FreeJoint": (),
    "Weld": (0, 1, 2), "Translation": (),
}  # fmt: skip
_TILT = ((0, 2), (1, 2))
_FIXED = ((0, 1), (0, 2), (1, 2))
_DOTS: dict[str, tuple[tuple[int, int], ...]] = {
    "Revolute": _TILT, "Prismatic": _FIXED, "Screw": _TILT, "Cylindrical": _TILT,
    "Universal": ((0, 1),), "Spherical": (), "PlanarJoint": _TILT, "FreeJoint": (),
    "Weld": _FIXED, "Translation": _FIXED,
}  # fmt: skip
_PLANAR_POINTS = {"Revolute": (0, 1), "Prismatic": (0,), "Weld": (0, 1)}
_PLANAR_DOTS: dict[str, tuple[tuple[int, int], ...]] = {
    "Prismatic": ((2, 0),), "Weld": ((0, 1),), "Translation": ((0, 1),)
}  # fmt: skip


def closure_rows(kind: str, dim: int) -> tuple[Any, Any]:
    """Return the rows of a joint that closes a loop: axes of the distance, pairs of axes."""
    points, dots = (_PLANAR_POINTS, _PLANAR_DOTS) if dim == 2 else (_POINTS, _DOTS)
    return points.get(kind, ()), dots.get(kind, ())


class RowBuilder:
    """Turn constraints and closing joints into rows."""

    def __init__(
        self, model: Model, frames: FrameTable, signals: SignalTable, find: Any, scale: float
    ) -> None:
        self.model, self.frames, self.signals, self.find = model, frames, signals, find
        self.scale = scale
        self.rows: list[Row] = []

    def add_closure(self, joint: Any) -> None:
        """Add the rows of a joint that closes a loop."""
        kind, dim = type(joint).__name__, self.model.dim
        first, second = joint_sides(joint, dim)
        f1 = self.frames.add_pose(self.frames.node_of(first.base), first.r, first.A)
        f2 = self.frames.add_pose(self.frames.node_of(second.base), second.r, second.A)
        points, dots = closure_rows(kind, dim)
        if any(isinstance(side.base, PointMass) for side in (first, second)):
            dots = ()  # a point mass has no orientation to hold
        for axis in points:
            self.rows.append(Row(joint.name, kinds.ROW_POINT, f1, f2, axis, scale=self.scale))
        for a, b in dots:
            self.rows.append(Row(joint.name, kinds.ROW_DOT, f1, f2, a, b))
        if kind == "Screw":
            self.rows.append(
                Row(
                    joint.name,
                    kinds.ROW_SCREW,
                    f1,
                    f2,
                    data=(float(joint.pitch),),
                    scale=self.scale,
                )
            )
        self._add_closure_drives(joint, kind, f1, f2)

    def _add_closure_drives(self, joint: Any, kind: str, f1: int, f2: int) -> None:
        """Add a row for every locked or driven coordinate of a joint that closes a loop."""
        held = {name: initial_component(joint, name) or 0.0 for name in joint.locked_coordinates}
        if "rotation" in held:
            held["rotation"] = cardan_angles(joint.rotation)
        for name, value in {**held, **joint.drives}.items():
            label = f"{joint.label}: drive of {name}"
            if name == "angle":
                self._drive(joint, kinds.ROW_ANGLE, f1, f2, 2, value, label, name)
            elif name in ("angle_1", "angle_2"):
                axis = int(name == "angle_2")
                self._drive(joint, kinds.ROW_UNIVERSAL, f1, f2, axis, value, label, name)
            elif name == "rotation":
                self._drive_rotation(joint, f1, f2, value, label)
            elif name == "displacement":
                self._drive(joint, kinds.ROW_POINT, f1, f2, 2, value, label, name)
            elif name == "position":
                size = 2 if self.model.dim == 2 or kind == "PlanarJoint" else 3
                values = value if isinstance(value, tuple) else (value,) * size
                for axis, item in enumerate(values):
                    own = f"{name}_{'xyz'[axis]}"
                    self._drive(joint, kinds.ROW_POINT, f1, f2, axis, item, label, own)
            elif name.startswith("position_"):
                axis = "xyz".index(name[-1])
                if axis >= self.model.dim:
                    raise ModelError(f"{label}, which it does not have in the plane")
                self._drive(joint, kinds.ROW_POINT, f1, f2, axis, value, label, name)

    def _drive_rotation(self, joint: Any, f1: int, f2: int, values: Any, label: str) -> None:
        """Add the rows that hold the axes of the second side to the turned ones of the first."""
        signal, _, _ = (self.signals.add_motion(value, label) for value in values)
        for a, b in _FIXED:
            self.rows.append(
                Row(joint.name, kinds.ROW_ROTATION, f1, f2, a, b, signal=signal, label="rotation")
            )

    def _drive(
        self, joint: Any, kind: int, f1: int, f2: int, axis: int, value: Any, label: str, name: str
    ) -> None:
        signal = self.signals.add_motion(value, label)
        scale = self.scale if kind == kinds.ROW_POINT else 1.0
        self.rows.append(
            Row(joint.name, kind, f1, f2, axis, signal=signal, scale=scale, label=name)
        )

    def add(self, part: Any) -> None:
        """Add the rows of a constraint."""
        getattr(self, f"_add_{type(part).__name__.lower()}")(part)

    def _add_distance(self, part: Any) -> None:
        f1 = self.frames.add(part.first, part.at)
        f2 = self.frames.add(part.second, part.at_second)
        length = 0.0 if part.length is None else float(part.length)
        self.rows.append(
            Row(part.name, kinds.ROW_DISTANCE, f1, f2, data=(length,), scale=self.scale,
                initial=part.length is None)
        )  # fmt: skip

    _add_rod = _add_distance

    def _add_pulley(self, part: Any) -> None:
        points = tuple(self.frames.add(operand, at) for operand, at in part.points)
        weights = part.weights or (1.0,) * (len(points) - 1)
        length = 0.0 if part.length is None else float(part.length)
        self.rows.append(
            Row(part.name, kinds.ROW_PATH, data=(length, *weights), items=points, scale=self.scale,
                initial=part.length is None)
        )  # fmt: skip

    def _linear(self, part: Part, terms: list[tuple[Any, float]], constant: float | None) -> None:
        found: list[tuple[Coordinate, float]] = [(self.find(ref, part), c) for ref, c in terms]
        self.rows.append(
            Row(
                part.name,
                kinds.ROW_LINEAR,
                data=(constant or 0.0, *(c for _, c in found)),
                items=tuple(c.u for c, _ in found),
                initial=constant is None,
                scale=max(abs(c) for _, c in found),
            )
        )

    def _add_gear(self, part: Any) -> None:
        self._linear(part, [(part.first_joint, 1.0), (part.second_joint, -float(part.ratio))], None)

    def _add_rack(self, part: Any) -> None:
        self._linear(part, [(part.prismatic, 1.0), (part.revolute, -float(part.radius))], None)

    def _add_differential(self, part: Any) -> None:
        self._linear(part, [(part.left, 1.0), (part.right, 1.0), (part.carrier, -2.0)], None)

    def _add_coupling(self, part: Any) -> None:
        constant = None if part.constant is None else float(part.constant)
        self._linear(part, [(ref, float(c)) for ref, c in part.terms], constant)

    def _add_rolling(self, part: Any) -> None:
        dim = self.model.dim
        normal = np.array(part.normal or ((0.0, 1.0) if dim == 2 else (0.0, 0.0, 1.0)))
        axes = axes_from_z(normal, dim)
        f1 = self.frames.add(part.on, tuple(float(part.height) * normal), axes)
        f2 = self.frames.add(part.body, part.at, axes_from_z(part.axis, 3))
        disc = 1.0 if part.kind == "disc" and dim == 3 else 0.0
        # in the plane the tangent is x of the plane's axes, y points out of it
        for axis in (2, 0) if dim == 2 else (2, 0, 1):
            self.rows.append(
                Row(part.name, kinds.ROW_ROLL, f1, f2, axis, data=(float(part.radius), disc),
                    holonomic=axis == 2, scale=self.scale)
            )  # fmt: skip

    def _add_constraint(self, part: Any) -> None:
        found = [self.find(reference, part) for reference in part.coordinates]
        address = constraint_slot(
            part.function, len(found), part.derivatives == "numerical", f"{part.label}: function"
        )
        self.rows.append(
            Row(part.name, kinds.ROW_USER, items=tuple(c.u for c in found), address=address)
        )


def count_entries(rows: list[Row]) -> int:
    """Return how many body wrenches the rows need at most.

    A corner that is asked for its gap alone is evaluated once more behind all the others.
    """
    own = [max(2 * max(2, len(r.items)), r.n_entries) for r in rows]
    return sum(own) + 2 * max(own, default=0)  # a corner has two rows


def row_arrays(rows: list[Row]) -> RowArrays:
    """Return the rows as arrays."""
    starts, list_starts = [], []
    data: list[float] = []
    lists: list[int] = []
    for row in rows:
        starts.append(len(data))
        list_starts.append(len(lists))
        data += row.data
        lists += row.items
    return RowArrays(
        kind=ints([r.kind for r in rows]),
        holonomic=ints([int(r.holonomic) for r in rows]),
        frame_1=ints([r.frame_1 for r in rows]),
        frame_2=ints([r.frame_2 for r in rows]),
        axis_1=ints([r.axis_1 for r in rows]),
        axis_2=ints([r.axis_2 for r in rows]),
        signal=ints([r.signal for r in rows]),
        start=ints(starts),
        list_start=ints(list_starts),
        n_list=ints([len(r.items) for r in rows]),
        address=ints([r.address for r in rows]),
        active=ints([r.active for r in rows]),
        V_address=ints([r.V_address for r in rows]),
        lower_address=ints([r.lower[0] for r in rows]),
        lower_element=ints([r.lower[1] for r in rows]),
        upper_address=ints([r.upper[0] for r in rows]),
        upper_element=ints([r.upper[1] for r in rows]),
        data=floats(data),
        lists=ints(lists),
    )
