"""The compiled model: constant arrays, and the map from names to indices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.model_arrays import (
    BlockArrays,
    IndicatorArrays,
    ModelArrays,
    PatternArrays,
    RodArrays,
    StageAddresses,
    TreeArrays,
)
from cornerlaw.arrays.pool import no_pool
from cornerlaw.arrays.state import Floats
from cornerlaw.arrays.workspace import Workspace, new_workspace
from cornerlaw.compile.contacts import add_contact
from cornerlaw.compile.coordinates import (
    Coordinate,
    Numbering,
    initial_component,
    node_sizes,
    number_coordinates,
    q_of_u,
)
from cornerlaw.compile.corner_elements import (
    add_element,
    add_joint_friction,
    coordinates_used,
    own_load_joints,
)
from cornerlaw.compile.corners import ContourData, Corner, CornerBuilder
from cornerlaw.compile.element_rows import (
    add_element_corners,
    bilateral_rows,
    mass_arrays,
    path_velocities,
)
from cornerlaw.compile.elements import Element, ElementBuilder
from cornerlaw.compile.functions import (
    UserFunctions,
    force_slot,
    joint_slot,
    mass_slot,
    new_collection,
)
from cornerlaw.compile.groups import group_velocities
from cornerlaw.compile.pool import FIRST_SIZE, PoolPlan, plan_pool
from cornerlaw.compile.rows import Row, RowBuilder, count_entries, row_arrays
from cornerlaw.compile.stops import add_joint_limits
from cornerlaw.compile.tables import FrameTable, InputPlace, SignalTable, floats, ints
from cornerlaw.compile.topology import Node, Tree, TreeBuilder
from cornerlaw.errors import ModelError, UnknownNameError
from cornerlaw.model import (
    Body,
    Disk,
    LagrangianSystem,
    Model,
    MovingFrame,
    Part,
    PointMass,
    Rod,
    Rotor,
)
from cornerlaw.model.rotation import cardan_angles


@dataclass
class Compiled:
    """A model as arrays, with everything needed to speak of the arrays by name."""

    model: Model
    arrays: ModelArrays
    tree: Tree
    numbering: Numbering
    rows: list[Row]
    elements: list[Element]
    corners: list[Corner]
    contours: dict[str, range]  # part -> places among the contours
    inputs: dict[str, list[InputPlace]]  # name -> where its value stands
    blocks: list[Part]
    markers: dict[str, int]  # named frames -> index of the marker
    x_names: list[tuple[str, str]]  # part and name of every state x
    x0: Floats
    slot_size: int
    n_entries: int
    functions: UserFunctions
    frames: FrameTable
    contour_data: list[ContourData]
    find: Any  # the coordinate that a reference means
    scale: float  # a length of the model's size
    pool: PoolPlan | None = None  # of contacts whose pairs are found on the way

    @property
    def moving_states(self) -> Any:
        """The places in x of the states that have a rate; discrete ones change at events only."""
        places = [e.x_start + i for e in self.elements for i in range(len(e.states) - e.n_discrete)]
        return np.array(places, dtype=np.int64)

    def workspace(self) -> Workspace:
        """Allocate scratch arrays for one thread of work."""
        more = int(self.arrays.pool.place_rows.sum())  # each on two bodies
        work = new_workspace(self.arrays, self.slot_size, self.n_entries + 4 * more)
        if more:
            work.contact_g[int(self.arrays.pool.place_slot[0]) :] = np.inf  # free places are open
        return work

    def coordinate(self, reference: Any, user: Part | None = None) -> Coordinate:
        """Return the coordinate meant by a joint, "joint" or "joint.coordinate"."""
        return find_coordinate(self.model, self.tree, self.numbering, reference, user)

    def name_of_u(self, u: int) -> str:
        """Return "part.rate" of a velocity."""
        c = self.numbering.coordinates[u]
        return f"{c.part}.{c.rate}" if c.part else f"prescribed frame, velocity {u}"


def find_coordinate(
    model: Model, tree: Tree, numbering: Numbering, reference: Any, user: Part | None
) -> Coordinate:
    """Return the coordinate meant by a joint, "joint" or "joint.coordinate"."""
    prefix = f"{user.label}: " if user is not None else ""
    try:
        part, name = model.coordinate(reference)
    except UnknownNameError as error:
        raise UnknownNameError(f"{prefix}{error}") from None
    found = numbering.find(part.name, name)
    if found is not None and found.q >= 0:
        return found
    if part.name in own_load_joints(model):
        raise ModelError(
            f"{prefix}{part.label} has friction from its own reaction, is cut for it and has no "
            f"coordinate of its own; give its friction by a JointFriction with load or torque"
        )
    if any(joint.name == part.name for joint in tree.closures):
        raise ModelError(
            f"{prefix}{part.label} closes a loop and has no coordinate of its own; "
            f"let another joint of the loop close it (closure=True)"
        )
    known = [c.name for c in numbering.of(part.name) if c.q >= 0]
    raise UnknownNameError(
        f"{prefix}{part.label} has no coordinate {name!r}"
        + (f", it has {', '.join(known)}" if known else "")
    )


def _wanted_joints(model: Model) -> set[str]:
    """Return the joints whose coordinates are used: they should be branches of the tree."""
    wanted: set[str] = {part.name for part in coordinates_used(model)}

    def want(reference: Any) -> None:
        if isinstance(reference, Part):
            wanted.add(reference.name)
        elif isinstance(reference, str):
            wanted.add(model.split(reference)[0].name)

    joint: Any
    for joint in model.joints:
        given = [getattr(joint, name, None) for name in _initial_fields(joint)]
        if (
            joint.drives
            or joint.locked_coordinates
            or joint.armature
            or any(value is not None for value in given)
        ):
            wanted.add(joint.name)
    for part in (*model.forces, *model.constraints):
        for field in (
            "first_joint",
            "second_joint",
            "revolute",
            "prismatic",
            "carrier",
            "left",
            "right",
        ):
            want(getattr(part, field, None))
        on = getattr(part, "on", None)
        if isinstance(on, Part) and on.ROLE == "joint":
            want(on)
        for target in getattr(part, "terms", ()):
            want(target[0])
        for reference in getattr(part, "coordinates", ()):
            want(reference)
    return wanted


def _initial_fields(joint: Part) -> tuple[str, ...]:
    names = [name for name, _ in getattr(joint, "COORDINATES", ())]
    rates = [name for name, _ in getattr(joint, "VELOCITIES", ())]
    return tuple(names + rates)


def body_inertia(body: Part | None, dim: int) -> tuple[float, Floats, Floats]:
    """Return mass, centre of mass and inertia about the body origin, in body axes."""
    if isinstance(body, Body):
        mass, com, tensor = float(body.mass), np.array(body.centre), np.array(body.tensor)
        if dim == 2:
            tensor = np.diag([0.0, 0.0, tensor[2, 2]])
            com[2] = 0.0
    elif isinstance(body, Disk):
        mass, com = float(body.mass), np.zeros(3)
        tensor = np.diag([0.0, 0.0, body.moment])
    elif isinstance(body, PointMass):
        mass, com, tensor = float(body.mass), np.zeros(3), np.zeros((3, 3))
    else:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    # Steiner: I_origin = I_com + m (c.c E - c c^T)
    return mass, com, tensor + mass * (com @ com * np.eye(3) - np.outer(com, com))


def _drive_signals(nodes: list[Node], numbering: Numbering, signals: SignalTable) -> Any:
    """Return for every velocity the signal that prescribes it, or -1."""
    driven = np.full(numbering.nu, -1, dtype=np.int64)
    by_key = {(c.part, c.name): c for c in numbering.coordinates}
    for index, node in enumerate(nodes):
        if node.joint is not None:
            _drive_joint(node.joint, by_key, driven, signals)
        elif isinstance(node.body, MovingFrame) or node.body is None:
            u0 = numbering.u_start[index]
            for k, value in enumerate(_frame_motion(nodes, index)):
                driven[u0 + k] = signals.add_motion(
                    value, f"{_frame_of(nodes, index).label}: motion"
                )
    return driven


def _drive_joint(
    joint: Any, by_key: dict[Any, Coordinate], driven: Any, signals: SignalTable
) -> None:
    for name in joint.locked_coordinates:
        value = initial_component(joint, name)
        if name == "rotation":
            value = cardan_angles(value)
        if value is None and getattr(joint, "q0", None) is not None:
            value = joint.q0[joint.coordinate_names.index(name)]  # a UserJoint names its own
        keys = _components(joint, name, by_key)
        if not keys:
            raise ModelError(f"{joint.label}: lock of {name}, which it does not have in the plane")
        for k, key in enumerate(keys):
            held = value[k] if isinstance(value, tuple) else (value or 0.0)
            driven[by_key[key].u] = signals.add_motion(float(held), joint.label)
    for name, value in joint.drives.items():
        keys = _components(joint, name, by_key)
        if not keys:
            raise ModelError(f"{joint.label}: drive of {name}, which it does not have in the plane")
        values = value if isinstance(value, tuple) else (value,)
        if len(values) != len(keys):
            raise ModelError(
                f"{joint.label}: drive of {name} needs {len(keys)} signals, got {len(values)}"
            )
        for key, item in zip(keys, values, strict=True):
            driven[by_key[key].u] = signals.add_motion(item, f"{joint.label}: drive of {name}")


def _components(joint: Any, name: str, by_key: dict[Any, Coordinate]) -> list[tuple[str, str]]:
    """Return the keys of a coordinate, or of the components of a vector."""
    if (joint.name, name) in by_key:
        return [(joint.name, name)]
    return [key for key in by_key if key[0] == joint.name and key[1].startswith(name + "_")]


def _frame_of(nodes: list[Node], index: int) -> MovingFrame:
    """Return the moving frame a chain of massless nodes leads to."""
    while not isinstance(nodes[index].body, MovingFrame):
        index += 1
    body = nodes[index].body
    assert isinstance(body, MovingFrame)
    return body


def _frame_motion(nodes: list[Node], index: int) -> tuple[Any, ...]:
    """Return the signals of the coordinates of one node of a moving frame."""
    node, frame = nodes[index], _frame_of(nodes, index)
    if node.kind == kinds.REVOLUTE:
        first = index
        while (
            nodes[first - 1].body is None and nodes[first - 1].kind == kinds.REVOLUTE and first > 0
        ):
            first -= 1
        assert frame.angles is not None
        return (frame.angles[index - first],)
    size = 2 if node.kind == kinds.PLANAR else 3
    position = tuple(frame.position) if frame.position is not None else (0.0,) * size
    return (*position, frame.angle or 0.0) if node.kind == kinds.PLANAR else position


def _tree_arrays(model: Model, tree: Tree, numbering: Numbering, driven: Any) -> TreeArrays:
    nodes, nb = tree.nodes, len(tree.nodes)
    armature = np.zeros(numbering.nu)
    inertias = [body_inertia(node.body, model.dim) for node in nodes]
    address = []
    for i, node in enumerate(nodes):
        joint: Any = node.joint
        if joint is not None and joint.armature:
            armature[numbering.u_start[i]] = float(joint.armature) * float(joint.ratio) ** 2
        is_user = node.kind == kinds.USER_JOINT
        address.append(
            joint_slot(joint.kinematics, joint.n, f"{joint.label}: kinematics") if is_user else 0
        )
    eye = np.eye(3)
    plain = [
        int(
            not n.reverse
            and not n.r_child.any()
            and np.array_equal(n.A_parent, eye)
            and np.array_equal(n.A_child, eye)
        )
        for n in nodes
    ]

    def shape(values: Any, *sizes: int) -> Floats:
        return np.array(values, dtype=np.float64).reshape(nb, *sizes)

    node_of_u = [i for i, node in enumerate(nodes) for _ in range(node_sizes(node)[1])]
    branch_of: list[int] = []
    for i, node in enumerate(nodes):
        branch_of.append(i if node.parent < 0 else branch_of[node.parent])
    branch = [branch_of[i] for i in node_of_u]
    branch += [len(nodes) + k for k in range(numbering.nu - len(branch))]  # blocks of their own
    return TreeArrays(
        parent=ints([nb if n.parent < 0 else n.parent for n in nodes]),
        joint=ints([n.kind for n in nodes]),
        reverse=ints([int(n.reverse) for n in nodes]),
        plain=ints(plain),
        q_start=ints(numbering.q_start),
        u_start=ints(numbering.u_start),
        r_parent=shape([n.r_parent for n in nodes], 3),
        A_parent=shape([n.A_parent for n in nodes], 3, 3),
        r_child=shape([n.r_child for n in nodes], 3),
        A_child=shape([n.A_child for n in nodes], 3, 3),
        parameter=floats([n.parameter for n in nodes]),
        address=ints(address),
        mass=floats([i[0] for i in inertias]),
        com=shape([i[1] for i in inertias], 3),
        inertia=shape([i[2] for i in inertias], 3, 3),
        branch=ints(branch),
        node_of_u=ints(node_of_u),
        driven=driven,
        q_of_u=q_of_u(numbering),
        armature=armature,
    )


def _block_arrays(blocks: list[Part], numbering: Numbering) -> BlockArrays:
    """Mass matrices first, one after the other, then the constant forces."""
    sizes, M_address, h_address = [], [], []
    masses: list[float] = []
    forces: list[float] = []
    for block in blocks:
        if isinstance(block, LagrangianSystem):
            n = len(block.q0)
            constant = not callable(block.M)
            masses += np.array(block.M).ravel().tolist() if constant else [0.0] * n * n
            M_address.append(0 if constant else mass_slot(block.M, n, f"{block.label}: M"))  # type: ignore[arg-type]
            own = callable(block.h)
            h_address.append(force_slot(block.h, n, f"{block.label}: h") if own else 0)  # type: ignore[arg-type]
            forces += [0.0] * n if own or block.h is None else list(block.h)  # type: ignore[arg-type]
        else:
            n = 1
            masses.append(float(block.inertia if isinstance(block, Rotor) else block.mass))  # type: ignore[attr-defined]
            forces.append(0.0)
            M_address.append(0)
            h_address.append(0)
        sizes.append(n)
    n_mass = len(masses)
    return BlockArrays(
        q_start=ints([numbering.block_q[b.name] for b in blocks]),
        u_start=ints([numbering.block_u[b.name] for b in blocks]),
        n=ints(sizes),
        M_start=ints(np.cumsum([0, *[n * n for n in sizes]])[:-1]),
        M_address=ints(M_address),
        h_start=ints(n_mass + np.cumsum([0, *sizes])[:-1]),
        h_address=ints(h_address),
        data=floats([*masses, *forces]),
    )


def _pattern(
    tree: TreeArrays, nu: int, blocks: BlockArrays, couples: list[list[int]]
) -> PatternArrays:
    """Symbolic factor M = L^T D L: row k lists its columns i < k, descending, fill-in included.

    `couples` are lists of velocities that a mass off the tree couples.
    """
    columns: list[set[int]] = [set() for _ in range(nu)]
    for node in range(tree.parent.size):
        own = path_velocities(tree, node)
        for k in range(tree.u_start[node], tree.u_start[node + 1]):
            columns[k].update(i for i in own if i < k)
    for u0, n in zip(blocks.u_start, blocks.n, strict=True):
        for k in range(n):
            columns[u0 + k].update(range(u0, u0 + k))
    for coupled in couples:
        for i in coupled:
            columns[i].update(j for j in coupled if j < i)
    free = {j for j in range(nu) if tree.driven[j] < 0}
    rows: list[list[int]] = [[] for _ in range(nu)]
    for k in range(nu - 1, -1, -1):
        rows[k] = sorted((i for i in columns[k] if i in free), reverse=True) if k in free else []
        # eliminating k couples all its columns
        for i in rows[k]:
            columns[i].update(j for j in rows[k] if j < i)
    return PatternArrays(
        start=ints(np.cumsum([0, *[len(r) for r in rows]])),
        column=ints([i for r in rows for i in r]),
    )


def typical_length(model: Model, tree: Tree) -> float:
    """Return a length of the model's size: the unit for violations of distances."""
    lengths = []
    for node in tree.nodes:
        lengths += [float(np.linalg.norm(node.r_parent)), float(np.linalg.norm(node.r_child))]
        position = getattr(node.body, "position", None)
        if isinstance(position, tuple) and all(isinstance(x, float) for x in position):
            lengths.append(float(np.linalg.norm(position)))
    for part in model.parts:
        for name in ("at", "at_second"):
            at = getattr(part, name, None)
            if at is not None:
                lengths.append(float(np.linalg.norm(at)))
    return max(lengths, default=0.0) or 1.0


def no_indicators() -> IndicatorArrays:
    """Return an empty set of root functions."""
    return IndicatorArrays(ints([]), ints([]), floats([]), ints([]), ints([]))


def add_corner_part(corners: CornerBuilder, part: Part) -> None:
    """Add a contact or a corner."""
    if part.ROLE == "corner":
        add_element(corners, part)
    else:
        add_contact(corners, part)


def _add_constraints(rows: RowBuilder) -> list[tuple[int, int, float]]:
    """Add the rows of all constraints; return markers and mass of the rods that have one."""
    rods = []
    for part in rows.model.constraints:
        rows.add(part)
        if isinstance(part, Rod) and part.mass > 0.0:
            row = rows.rows[-1]
            rods.append((row.frame_1, row.frame_2, float(part.mass)))
    return rods


def _add_corners(corners: CornerBuilder) -> None:
    """Add the set-valued elements of a model: contacts, those of joints, and all others."""
    model = corners.model
    for part in model.contacts:
        add_corner_part(corners, part)
    for joint in model.joints:
        add_joint_friction(corners, joint)
        add_joint_limits(corners, joint)
    for part in model.corners:
        add_corner_part(corners, part)


def _gravity(model: Model) -> Floats:
    """Return the acceleration of gravity in space."""
    gravity = np.zeros(3)
    if model.gravity is not None:
        gravity[: len(model.gravity)] = model.gravity
    return gravity


def _error_weight(numbering: Numbering, tree: TreeArrays, nx: int) -> Floats:
    """Return 1 for every state that error control looks at, 0 for prescribed ones."""
    weight = np.ones(numbering.nq + numbering.nu + nx)
    for c in numbering.coordinates:
        if tree.driven[c.u] < 0:
            continue
        weight[numbering.nq + c.u] = 0.0
        if c.q >= 0:
            weight[c.q] = 0.0
        else:
            # a velocity without a position of its own belongs to a quaternion
            last = numbering.q_start[tree.node_of_u[c.u] + 1]
            weight[last - 4 : last] = 0.0
    return weight


def _finder(model: Model, tree: Tree, numbering: Numbering) -> Callable[[Any, Part], Coordinate]:
    """Return a function that finds coordinates and remembers them."""
    found_before: dict[str, Coordinate] = {}

    def find(reference: Any, user: Part) -> Coordinate:
        name = reference.name if isinstance(reference, Part) else reference
        found = found_before.get(name)
        if found is None:
            found = find_coordinate(model, tree, numbering, reference, user)
            found_before[name] = found
        return found

    return find


def _markers(model: Model, frames: FrameTable) -> dict[str, int]:
    """Add the frames whose motion has channels, and return their numbers by name."""
    markers = {p.name: frames.add(p) for p in model.parts if p.ROLE == "frame"}
    for body in (*model.bodies, *[p for p in model.parts if isinstance(p, MovingFrame)]):
        markers[body.name] = frames.add(body)
    return markers


def compile_model(model: Model) -> Compiled:
    """Turn a model into arrays and compile the functions it contains."""
    functions = new_collection()
    tree = TreeBuilder(model, _wanted_joints(model), own_load_joints(model)).build()
    nb = len(tree.nodes)
    blocks = [p for p in model.parts if p.ROLE in ("inertia", "system")]
    numbering = number_coordinates(tree.nodes, blocks)
    signals = SignalTable()
    frames = FrameTable(lambda part: nb if tree.node_of[part.name] < 0 else tree.node_of[part.name])

    find = _finder(model, tree, numbering)
    driven = _drive_signals(tree.nodes, numbering, signals)
    tree_arrays = _tree_arrays(model, tree, numbering, driven)
    block_arrays = _block_arrays(blocks, numbering)
    rows = RowBuilder(model, frames, signals, find, typical_length(model, tree))
    for joint in tree.closures:
        rows.add_closure(joint)
    elements = ElementBuilder(model, frames, signals, find)
    rods = _add_constraints(rows)
    for part in model.forces:
        elements.add(part)
    rows.rows += bilateral_rows(model, elements.elements, rows.scale)
    masses, couples = mass_arrays(model, elements.elements, frames, tree_arrays)
    for first, second, _ in rods:
        ends = (frames.body[first], frames.body[second])
        couples.append([u for end in ends for u in path_velocities(tree_arrays, end)])
    corners = CornerBuilder(model, frames, signals, find, rows.rows, rows.scale)
    _add_corners(corners)
    add_element_corners(corners, elements.elements)
    n_seen = len(frames.body)
    markers = _markers(model, frames)
    n_marked = len(frames.body)
    factor = kinds.FACTOR_SPARSE if couples else kinds.FACTOR_TREE
    nq, nu, nx = numbering.nq, numbering.nu, elements.nx
    empty = PatternArrays(ints(np.zeros(nu + 1)), ints([]))
    all_rows = [*rows.rows, *corners.template_rows()]

    def make_arrays() -> ModelArrays:
        return ModelArrays(
            n_bodies=nb,
            nq=nq,
            nu=nu,
            nx=nx,
            n_rows=len(rows.rows),
            n_indicators=0,
            n_driven=int((driven >= 0).sum()),
            # the pool may add more, which count as seen, and with them all before
            n_seen=n_seen if len(frames.body) == n_marked else len(frames.body),
            factor=factor,
            has_quaternions=int(any(n.kind in (kinds.SPHERICAL, kinds.FREE) for n in tree.nodes)),
            stages=StageAddresses(),
            gravity=_gravity(model),
            error_weight=_error_weight(numbering, tree_arrays, nx),
            row_scale=floats([r.scale for r in all_rows]),
            tree=tree_arrays,
            groups=group_velocities(tree_arrays, nu, block_arrays, couples),
            signals=signals.arrays(),
            frames=frames.arrays(),
            elements=elements.arrays(),
            rows=row_arrays(all_rows),
            blocks=block_arrays,
            rods=RodArrays(
                ints([r[0] for r in rods]), ints([r[1] for r in rods]), floats([r[2] for r in rods])
            ),
            masses=masses,
            pattern=_pattern(tree_arrays, nu, block_arrays, couples) if couples else empty,
            indicators=no_indicators(),
            contours=corners.contour_arrays(),
            slots=corners.slot_arrays(),
            corners=corners.arrays(),
            pool=no_pool(),
        )

    pool = plan_pool(corners, make_arrays)
    arrays = make_arrays() if pool is None else pool.arrays([FIRST_SIZE] * len(pool.classes))
    states = [(e.part, name, value) for e in elements.elements for name, value in e.states]
    largest = max([len(r.items) for r in all_rows] + [int(n) for n in block_arrays.n], default=0)
    return Compiled(
        model=model,
        arrays=arrays,
        tree=tree,
        numbering=numbering,
        rows=rows.rows,
        elements=elements.elements,
        corners=corners.corners,
        contours=corners.contour_of,
        inputs=signals.inputs,
        blocks=blocks,
        markers=markers,
        x_names=[(part, name) for part, name, _ in states],
        x0=floats([value for _, _, value in states]),
        slot_size=max(72, 3 * largest + 8, largest**2, elements.slot_size()),
        n_entries=count_entries(all_rows),
        functions=functions,
        frames=frames,
        contour_data=corners.contours,
        find=find,
        scale=rows.scale,
        pool=pool,
    )
