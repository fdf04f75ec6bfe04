"""Numbering: every coordinate has a part, a name, an index in q and one in u."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.compile.topology import SIZES, Node
from cornerlaw.model import LagrangianSystem, Part, Rotor

AXES = ("x", "y", "z")


@dataclass
class Coordinate:
    """One velocity with its position coordinate (q = -1 inside a quaternion)."""

    part: str
    name: str  # of the position: "angle", "position_x"
    rate: str  # of the velocity: "speed", "velocity_x"
    unit: str
    q: int
    u: int


def initial_component(joint: Any, name: str) -> Any:
    """Return the initial value of a coordinate or of a component of it; None if none is given."""
    stem, _, axis = name.rpartition("_")
    if stem != "position" or name in joint.coordinate_names:
        return getattr(joint, name, None)
    whole = getattr(joint, stem, None)
    return None if whole is None else dict(zip(AXES, whole, strict=False)).get(axis)


@dataclass
class Numbering:
    """All coordinates, and where each part's begin."""

    coordinates: list[Coordinate] = field(default_factory=list)
    q_start: list[int] = field(default_factory=list)  # of nodes
    u_start: list[int] = field(default_factory=list)
    block_q: dict[str, int] = field(default_factory=dict)
    block_u: dict[str, int] = field(default_factory=dict)
    nq: int = 0
    nu: int = 0

    def find(self, part: str, name: str) -> Coordinate | None:
        """Return a coordinate by part and name; "position" alone finds nothing."""
        for c in self.coordinates:
            if c.part == part and c.name == name:
                return c
        return None

    def of(self, part: str) -> list[Coordinate]:
        """Return the coordinates of a part."""
        return [c for c in self.coordinates if c.part == part]


def _vector(stem: str, rate: str, n: int, unit: str) -> list[tuple[str, str, str]]:
    return [(f"{stem}_{AXES[k]}", f"{rate}_{AXES[k]}", unit) for k in range(n)]


_TURN = ("angle", "speed", "rad")
_SHIFT = ("displacement", "velocity", "m")
_SPIN = [(f"rotation_{a}", f"angular_velocity_{a}", "rad") for a in AXES]
_NAMES: dict[int, list[tuple[str, str, str]]] = {
    kinds.REVOLUTE: [_TURN],
    kinds.PRISMATIC: [_SHIFT],
    kinds.SCREW: [_TURN],
    kinds.CYLINDRICAL: [_TURN, _SHIFT],
    kinds.UNIVERSAL: [("angle_1", "speed_1", "rad"), ("angle_2", "speed_2", "rad")],
    kinds.SPHERICAL: _SPIN,
    kinds.PLANAR: [*_vector("position", "velocity", 2, "m"), _TURN],
    kinds.FREE: [*_vector("position", "velocity", 3, "m"), *_SPIN],
    kinds.WELD: [],
    kinds.TRANSLATION_2: _vector("position", "velocity", 2, "m"),
    kinds.TRANSLATION_3: _vector("position", "velocity", 3, "m"),
}


def coordinate_names(node: Node) -> list[tuple[str, str, str]]:
    """Return (name, rate, unit) of the velocities of a node."""
    if node.kind == kinds.USER_JOINT:
        names: Any = node.joint.coordinate_names  # type: ignore[union-attr]
        return [(name, f"{name}_dot", "") for name in names]
    return _NAMES[node.kind]


def node_sizes(node: Node) -> tuple[int, int]:
    """Return the numbers of positions and velocities of a node."""
    if node.kind == kinds.USER_JOINT:
        n: int = node.joint.n  # type: ignore[union-attr]
        return n, n
    return SIZES[node.kind]


def number_coordinates(nodes: list[Node], blocks: list[Part]) -> Numbering:
    """Number tree coordinates node by node, then those of the blocks."""
    n = Numbering()
    for node in nodes:
        nq, nu = node_sizes(node)
        n.q_start.append(n.nq)
        n.u_start.append(n.nu)
        for k, (name, rate, unit) in enumerate(coordinate_names(node)):
            inside_quaternion = name.startswith("rotation_")
            n.coordinates.append(
                Coordinate(
                    node.owner, name, rate, unit, -1 if inside_quaternion else n.nq + k, n.nu + k
                )
            )
        n.nq += nq
        n.nu += nu
    n.q_start.append(n.nq)
    n.u_start.append(n.nu)
    for block in blocks:
        n.block_q[block.name], n.block_u[block.name] = n.nq, n.nu
        for name, rate, unit in block_names(block):
            n.coordinates.append(Coordinate(block.name, name, rate, unit, n.nq, n.nu))
            n.nq += 1
            n.nu += 1
    return n


def block_names(block: Part) -> list[tuple[str, str, str]]:
    """Return (name, rate, unit) of the coordinates of a part outside the tree."""
    if isinstance(block, LagrangianSystem):
        return [(name, f"{name}_dot", "") for name in block.coordinate_names]
    if isinstance(block, Rotor):
        return [_TURN]
    return [("position", "velocity", "m")]


def q_of_u(numbering: Numbering) -> Any:
    """Return the position index of every velocity."""
    return np.array([c.q for c in numbering.coordinates], dtype=np.int64)
