"""Set-valued elements without contact geometry as corners: their rows, bounds and restitution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import (
    LEVEL_VELOCITY,
    LOAD_FORCE,
    LOAD_ROWS,
    LOAD_SIGNAL,
    NORMAL_RIGID,
)
from cornerlaw.compile.corners import Corner, CornerBuilder
from cornerlaw.compile.functions import constraint_slot
from cornerlaw.compile.laws import friction_law, normal_law, restitution_law
from cornerlaw.compile.rows import Row
from cornerlaw.compile.topology import axes_from_z, joint_sides
from cornerlaw.errors import ModelError
from cornerlaw.model import JointFriction, Model, Part, UserContact

# a state-dependent bound is a function of (t, q, u), where q and u are those of its row
_BOUND_ARITIES = (1, 3)
# rows of the coordinates of a joint that closes a loop, in its own axes
_CLOSED = {
    "angle": (kinds.ROW_ANGLE, 2), "displacement": (kinds.ROW_POINT, 2),
    "position_x": (kinds.ROW_POINT, 0), "position_y": (kinds.ROW_POINT, 1),
    "position_z": (kinds.ROW_POINT, 2), "angle_1": (kinds.ROW_UNIVERSAL, 0),
    "angle_2": (kinds.ROW_UNIVERSAL, 1),
}  # fmt: skip


def own_load_joints(model: Model) -> set[str]:
    """Return the joints whose friction is loaded by their own reaction; they are cut.

    Cut, a joint is rows, and its reaction is multipliers that the bound of the friction can read.
    """
    cut = {joint.name for joint in model.joints if joint.friction is not None}  # type: ignore[attr-defined]
    for part in model.parts:
        if isinstance(part, JointFriction) and part.own_load:
            cut.add(part.on.name)  # type: ignore[union-attr]
    return cut


def coordinates_used(model: Model) -> Iterator[Part]:
    """Yield the joints whose coordinates set-valued elements use."""
    for joint in model.joints:
        if len(joint.limit_ranges) > len(joint.turning_limits):  # type: ignore[attr-defined]
            yield joint
    for part in model.parts:
        if part.ROLE != "corner":
            continue
        for name in ("on", "first", "second"):
            value = getattr(part, name, None)
            if isinstance(value, str):
                yield model.coordinate(value)[0]
            elif isinstance(value, Part) and value.ROLE == "joint":
                yield value
        for reference in getattr(part, "coordinates", None) or ():
            yield model.coordinate(reference)[0]


def add_element(builder: CornerBuilder, part: Any) -> None:
    """Append the corners of a set-valued element."""
    _ADD[type(part).__name__](builder, part)


def add_joint_friction(builder: CornerBuilder, joint: Any) -> None:
    """Append the corners of the friction of a joint."""
    if joint.friction is not None:
        load_rows = _reaction_rows(builder, joint, joint)
        several = len(_scalars(builder.model, joint)) > 1
        for name in _scalars(builder.model, joint):
            label = f"{joint.name}.friction" + (f"_{name}" if several else "")
            turns = name.startswith(("angle", "rotation"))
            corner = Corner(
                joint.name,
                label,
                **_friction_rows(builder, joint, joint, name),
                always=True,
                load=LOAD_ROWS,
                load_rows=load_rows,
                load_factor=float(joint.friction.radius) if turns else 1.0,
            )
            set_friction(builder, corner, joint.friction, f"{joint.label}: friction")
            builder.corners.append(corner)


def _scalars(model: Model, joint: Any) -> list[str]:
    """Return the scalar coordinates of a joint, a position by its components."""
    size = 2 if model.dim == 2 or type(joint).__name__ == "PlanarJoint" else 3
    found: list[str] = []
    for name in joint.coordinate_names:
        found += [f"{name}_{'xyz'[k]}" for k in range(size)] if name == "position" else [name]
    return found


def _is_closed(builder: CornerBuilder, part: Part) -> bool:
    """Tell whether a joint closes a loop: its rows carry its name."""
    return part.ROLE == "joint" and any(row.part == part.name for row in builder.rows)


def _linear(
    builder: CornerBuilder, part: Part, terms: list[tuple[Any, float]], g_0: float = 0.0
) -> Row:
    """Return the row g = g_0 + sum of coefficient * coordinate."""
    found = [(builder.find(reference, part), c) for reference, c in terms]
    return Row(
        part.name,
        kinds.ROW_LINEAR,
        data=(-g_0, *(c for _, c in found)),
        items=tuple(c.u for c, _ in found),
        scale=max(abs(c) for _, c in found),
    )


def _coordinate_row(
    builder: CornerBuilder, part: Part, owner: Any, name: str, sign: float = 1.0, at: float = 0.0
) -> Row:
    """Return the row g = sign (q - at) of one coordinate of a joint, inertia, system or body."""
    if _is_closed(builder, owner):
        return _closed_row(builder, part, owner, name, sign, at)
    return _linear(builder, part, [(f"{owner.name}.{name}", sign)], -sign * at)


def _friction_rows(builder: CornerBuilder, part: Part, owner: Any, name: str) -> dict[str, Any]:
    """Return the rows of friction on a coordinate: one, or three of a rotation as a whole."""
    if name == "rotation":
        return {"rotation": _rotation_rows(builder, owner, part)}
    return {"tangent": _coordinate_row(builder, part, owner, name)}


def _rotation_rows(builder: CornerBuilder, joint: Any, part: Part) -> tuple[Row, ...]:
    """Return rows of the relative angular velocity along three axes of the first marker."""
    first, second = joint_sides(joint, builder.model.dim)
    rows = []
    for axis in np.eye(3):
        turn = axes_from_z(list(axis), 3)
        f1, f2 = (
            builder.frames.add_pose(builder.frames.node_of(s.base), s.r, s.A @ turn)
            for s in (first, second)
        )
        rows.append(Row(part.name, kinds.ROW_ANGLE, f1, f2, 2))
    return tuple(rows)


def _closed_row(
    builder: CornerBuilder, part: Part, joint: Any, name: str, sign: float, at: float
) -> Row:
    """Return the same of a joint that closes a loop, by its two markers.

    Exchanged markers give the other sign: both kinds of rows measure along an axis the two share.
    """
    if name not in _CLOSED:
        raise ModelError(f"{part.label}: {joint.label} closes a loop and has no coordinate {name}")
    kind, axis = _CLOSED[name]
    first, second = joint_sides(joint, builder.model.dim)
    poses = [(builder.frames.node_of(s.base), s.r, s.A) for s in (first, second)]
    if sign < 0.0 and kind == kinds.ROW_UNIVERSAL:
        # half a turn of one marker about the axis of the other reverses the angle of its own
        node, r, A = poses[axis]
        poses[axis] = (node, r, A @ np.diag([-1.0, 1.0, -1.0] if axis == 0 else [1.0, -1.0, -1.0]))
    elif sign < 0.0:
        poses.reverse()
    f1, f2 = (builder.frames.add_pose(*pose) for pose in poses)
    signal = builder.signals.add_motion(sign * at, part.label) if at else -1
    return Row(part.name, kind, f1, f2, axis, signal=signal)


def _reference(part: Any) -> tuple[Any, str]:
    """Return the owner and the name of the coordinate an element acts on."""
    return part.on, part.coordinate or part.on.coordinate_names[0]


def set_friction(builder: CornerBuilder, corner: Corner, law: Any, label: str) -> None:
    """Set the coefficient of friction, constant or over the speed."""
    corner.mu, corner.mu_signal = friction_law(law, builder.signals, label)


def set_restitution(builder: CornerBuilder, corner: Corner, eps: Any, label: str) -> None:
    """Set the coefficient of restitution, constant or over the approach speed."""
    corner.eps_N, corner.eps_N_signal = restitution_law(eps, builder.signals, label)


def set_law(corner: Corner, law: Any) -> None:
    """Set a compliant normal law, which then also loads the friction."""
    corner.normal_law, corner.law_data = normal_law(law)
    if corner.normal_law != NORMAL_RIGID:
        corner.load = LOAD_FORCE


def set_bound(builder: CornerBuilder, corner: Corner, value: Any, label: str) -> None:
    """Let a signal bound the force."""
    corner.load = LOAD_SIGNAL
    corner.load_signal = builder.signals.add(value, label, _BOUND_ARITIES)


def _reaction_rows(builder: CornerBuilder, part: Part, joint: Part) -> tuple[int, ...]:
    """Return the rows whose multipliers are the reaction force of a cut joint."""
    found = tuple(
        i
        for i, row in enumerate(builder.rows)
        if row.part == joint.name and row.kind == kinds.ROW_POINT and not row.label
    )
    if not found:
        raise ModelError(
            f"{part.label}: {joint.label} has no reaction force that could load its friction; "
            f"use a JointFriction with load or torque"
        )
    return found


def add_stops(
    builder: CornerBuilder,
    part: Part,
    owner: Any,
    name: str,
    lower: float | None,
    upper: float | None,
    eps_N: Any,
    eps_speed: float,
    label: str,
) -> None:
    """Append a corner for each end of the range of a coordinate, labelled by it and the end."""
    if _is_closed(builder, owner) and name.startswith("angle"):
        narrow = lower is not None and upper is not None and upper - lower <= math.pi
        if not narrow:
            raise ModelError(
                f"{part.label}: {owner.label} closes a loop, where its {name} counts no turns; "
                f"give two limits at most pi apart, or let another joint close the loop"
            )
    for end, sign, at in (("lower", 1.0, lower), ("upper", -1.0, upper)):
        if at is not None:
            row = _coordinate_row(builder, part, owner, name, sign, float(at))
            corner = Corner(part.name, f"{label}{end}", normal=row, eps_speed=eps_speed)
            set_restitution(builder, corner, eps_N, f"{part.label}: eps_N")
            builder.corners.append(corner)


def _add_limit(builder: CornerBuilder, part: Any) -> None:
    owner, name = _reference(part)
    add_stops(
        builder, part, owner, name, part.lower, part.upper, part.eps_N, float(part.eps_speed),
        f"{part.name}.",
    )  # fmt: skip


def _add_user_contact(builder: CornerBuilder, part: UserContact) -> None:
    references = part.coordinates or tuple(
        f"{part.on.name}.{name}"  # type: ignore[union-attr]
        for name in part.on.coordinate_names  # type: ignore[union-attr]
    )

    def row(value: Any, g_0: float, label: str) -> Row:
        if callable(value):
            items = tuple(builder.find(reference, part).u for reference in references)
            numerical = part.derivatives == "numerical"
            address = constraint_slot(value, len(items), numerical, f"{part.label}: {label}")
            return Row(part.name, kinds.ROW_USER, items=items, address=address)
        return _linear(builder, part, list(zip(references, value, strict=True)), g_0)

    corner = Corner(part.name, part.name, eps_T=float(part.eps_T), eps_speed=float(part.eps_speed))
    if callable(part.gap):
        corner.normal = row(part.gap, 0.0, "gap")
    else:
        corner.normal = row(part.normal, float(part.gap), "normal")
    set_friction(builder, corner, part.mu, f"{part.label}: mu")
    if corner.mu > 0.0 or corner.mu_signal >= 0:
        corner.tangent = row(part.tangent, 0.0, "tangent")
        if part.surface is not None:
            corner.surface = builder.signals.add_motion(part.surface, f"{part.label}: surface")
    set_restitution(builder, corner, part.eps_N, f"{part.label}: eps_N")
    set_law(corner, part.law)
    builder.corners.append(corner)


def _add_joint_friction(builder: CornerBuilder, part: JointFriction) -> None:
    owner, name = _reference(part)
    load_rows = _reaction_rows(builder, part, owner) if part.own_load else ()
    corner = Corner(
        part.name, part.name, always=True, mu=1.0, load=LOAD_ROWS, load_rows=load_rows,
        **_friction_rows(builder, part, owner, name),
    )  # fmt: skip
    if part.torque is not None:
        set_bound(builder, corner, part.torque, f"{part.label}: torque")
    else:
        set_friction(builder, corner, part.mu, f"{part.label}: mu")
        corner.load_factor = part.factor
        if part.load is not None:
            set_bound(builder, corner, part.load, f"{part.label}: load")
    builder.corners.append(corner)


def _add_bounded(builder: CornerBuilder, part: Any, row: Row) -> None:
    corner = Corner(part.name, part.name, tangent=row, always=True, mu=1.0)
    set_bound(builder, corner, part.capacity, f"{part.label}: capacity")
    if getattr(part, "characteristic", None) is not None:
        set_friction(builder, corner, part.characteristic, f"{part.label}: characteristic")
    builder.corners.append(corner)


def _add_brake(builder: CornerBuilder, part: Any) -> None:
    _add_bounded(builder, part, _coordinate_row(builder, part, *_reference(part)))


def _add_clutch(builder: CornerBuilder, part: Any) -> None:
    _add_bounded(builder, part, _linear(builder, part, [(part.first, 1.0), (part.second, -1.0)]))


def _add_freewheel(builder: CornerBuilder, part: Any) -> None:
    direction = float(part.direction)
    terms = [(part.first, direction)]
    if part.second is not None:
        terms.append((part.second, -direction))
    row = _linear(builder, part, terms)
    builder.corners.append(
        Corner(part.name, part.name, normal=row, always=True, level=LEVEL_VELOCITY)
    )


def _add_rope(builder: CornerBuilder, part: Any) -> None:
    """Append g = length - distance, a path of one segment with the weight -1."""
    f1 = builder.frames.add(part.first, part.at)
    f2 = builder.frames.add(part.second, part.at_second)
    row = Row(part.name, kinds.ROW_PATH, data=(-float(part.length), -1.0), items=(f1, f2))
    corner = Corner(part.name, part.name, normal=row, eps_speed=float(part.eps_speed))
    set_restitution(builder, corner, part.eps_N, f"{part.label}: eps_N")
    builder.corners.append(corner)


def _add_backlash(builder: CornerBuilder, part: Any) -> None:
    half, centre, ratio = 0.5 * float(part.gap), float(part.centre), float(part.ratio)
    for end, sign in (("lower", 1.0), ("upper", -1.0)):
        terms = [(part.first, sign), (part.second, -sign * ratio)]
        row = _linear(builder, part, terms, half - sign * centre)
        corner = Corner(
            part.name, f"{part.name}.{end}", normal=row, eps_speed=float(part.eps_speed)
        )
        set_restitution(builder, corner, part.eps_N, f"{part.label}: eps_N")
        set_law(corner, part.law)
        builder.corners.append(corner)


def _add_user_set(builder: CornerBuilder, part: Any) -> None:
    sign = -1.0 if part.lower is None else 1.0
    terms = [
        (reference, sign * c)
        for reference, c in zip(part.coordinates, part.coefficients, strict=True)
    ]
    row = _linear(builder, part, terms)
    if part.motion is not None:
        row.signal = builder.signals.add_motion(part.motion, f"{part.label}: motion")
    corner = Corner(part.name, part.name, always=True)
    if part.lower is None or part.upper is None:
        corner.normal, corner.level = row, LEVEL_VELOCITY
    else:
        corner.tangent, corner.mu = row, 1.0
        set_bound(builder, corner, part.upper, f"{part.label}: upper")
        corner.lower_signal = builder.signals.add(
            part.lower, f"{part.label}: lower", _BOUND_ARITIES
        )
    builder.corners.append(corner)


_ADD: dict[str, Any] = {
    "UserContact": _add_user_contact, "JointFriction": _add_joint_friction,
    "Limit": _add_limit, "Brake": _add_brake, "Clutch": _add_clutch,
    "Freewheel": _add_freewheel, "Rope": _add_rope, "Backlash": _add_backlash,
    "UserSet": _add_user_set,
}  # fmt: skip
