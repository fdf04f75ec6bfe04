"""Initial values: given ones are kept, the others are found so that all constraints hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.topology import Node
from cornerlaw.errors import AssemblyError
from cornerlaw.model import Disk
from cornerlaw.model.rotation import as_matrix
from cornerlaw.simulate.conditions import (
    JointCondition,
    closure_conditions,
    flip_residual,
    rotation_residual,
)
from cornerlaw.simulate.cut_joints import place_cut_bodies
from cornerlaw.simulate.openings import (
    Opening,
    describe_opening,
    opening_of_row,
    openings_of_condition,
    openings_of_pose,
)
from cornerlaw.simulate.switches import set_switches
from cornerlaw.simulate.system import System

TOLERANCE = 1e-11  # violation of an assembled position, relative to the model's size
ATTEMPTS = 24  # starts from disturbed positions before giving up
ITERATIONS = 60
COINCIDENT = 1e-9  # points closer than this, relative to the model's size, have no direction


@dataclass
class Given:
    """What the user fixed: coordinates by index, body poses and velocities as conditions."""

    q: Floats
    u: Floats
    keep_q: Any  # (nu,) bool: the position behind a velocity is given
    keep_u: Any  # (nu,) bool
    poses: list[tuple[int, Any, Any]]  # node, position or None, rotation matrix or None
    twists: list[tuple[int, Any, Any]]  # node, velocity or None, angular velocity or None
    joints: list[JointCondition] = field(default_factory=list)  # of joints that close loops
    joint_rates: list[JointCondition] = field(default_factory=list)


def quaternion_of(matrix: Any) -> Floats:
    """Return the unit quaternion of a rotation matrix, scalar part not negative."""
    A = np.array(matrix)
    # the largest of the four squares avoids cancellation
    squares = np.array(
        [
            1.0 + A[0, 0] + A[1, 1] + A[2, 2],
            1.0 + A[0, 0] - A[1, 1] - A[2, 2],
            1.0 - A[0, 0] + A[1, 1] - A[2, 2],
            1.0 - A[0, 0] - A[1, 1] + A[2, 2],
        ]
    )
    k = int(np.argmax(squares))
    s = 0.5 / np.sqrt(squares[k])
    d = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    if k == 0:
        e = np.array([squares[0] * s, *(d * s)])
    else:
        i, j, n = k - 1, k % 3, (k + 1) % 3
        e = np.zeros(4)
        e[0] = d[i] * s
        e[1 + i] = squares[k] * s
        e[1 + j] = (A[i, j] + A[j, i]) * s
        e[1 + n] = (A[i, n] + A[n, i]) * s
    return e if e[0] >= 0.0 else -e


def _vector(value: Any) -> Floats:
    v = np.zeros(3)
    v[: len(value)] = value
    return v


def collect_given(system: System) -> Given:
    """Read the initial values of joints, bodies and blocks."""
    c = system.compiled
    n = c.numbering
    given = Given(
        np.zeros(n.nq), np.zeros(n.nu), np.zeros(n.nu, bool), np.zeros(n.nu, bool), [], []
    )
    given.keep_q[:] = given.keep_u[:] = c.arrays.tree.driven >= 0
    for i, node in enumerate(c.tree.nodes):
        if node.kind in (kinds.SPHERICAL, kinds.FREE):
            given.q[n.q_start[i + 1] - 4] = 1.0
        if node.joint is not None:
            _read_joint(given, node, n.q_start[i], n.u_start[i])
            _read_conditions(given, node, i)
        elif node.body is not None and node.body.ROLE == "body":
            _read_free_body(given, node, i, n.q_start[i], n.u_start[i])
    given.joints, given.joint_rates = closure_conditions(system)
    for block in c.blocks:
        _read_block(given, block, n.block_q[block.name], n.block_u[block.name])
    return given


def _read_block(given: Given, block: Any, q0: int, u0: int) -> None:
    if block.ROLE == "system":
        q, u = block.q0, block.u0
    elif hasattr(block, "angle"):
        q, u = (block.angle,), (block.speed,)
    else:
        q, u = (block.position,), (block.velocity,)
    _set(given.q, given.keep_q, q0, u0, None if q[0] is None else q)
    _set(given.u, given.keep_u, u0, u0, None if u is None or u[0] is None else u)


def _set(values: Floats, keep: Any, start: int, keep_start: int, value: Any) -> None:
    """Fill a scalar or vector initial value where it is given."""
    if value is None:
        return
    items = np.atleast_1d(np.array(value, dtype=float))
    values[start : start + items.size] = items
    keep[keep_start : keep_start + items.size] = True


def _read_joint(given: Given, node: Node, q0: int, u0: int) -> None:
    joint: Any = node.joint
    kind = node.kind
    if kind == kinds.USER_JOINT:
        _set(given.q, given.keep_q, q0, u0, joint.q0)
        _set(given.u, given.keep_u, u0, u0, joint.u0)
        return
    offset = 0
    for name, rate in zip(
        [name for name, _ in joint.COORDINATES],
        [name for name, _ in joint.VELOCITIES],
        strict=True,
    ):
        value, speed = getattr(joint, name), getattr(joint, rate)
        size = 1
        if name == "rotation":
            size = 3
            if value is not None:
                given.q[q0 + offset : q0 + offset + 4] = quaternion_of(as_matrix(value))
                given.keep_q[u0 + offset : u0 + offset + 3] = True
        else:
            if name == "position":
                size = 2 if kind in (kinds.PLANAR, kinds.TRANSLATION_2) else 3
            _set(given.q, given.keep_q, q0 + offset, u0 + offset, value)
        _set(given.u, given.keep_u, u0 + offset, u0 + offset, speed)
        offset += size


def _body_fields(body: Any) -> tuple[Any, Any, Any, Any]:
    """Return position, rotation matrix, velocity and angular velocity as given."""
    rotation, spin = getattr(body, "rotation", None), getattr(body, "angular_velocity", None)
    if isinstance(body, Disk):
        rotation, spin = body.angle, body.spin
    if spin is not None and np.ndim(spin) == 0:
        spin = (0.0, 0.0, spin)
    matrix = None if rotation is None else np.array(as_matrix(rotation))
    return body.position, matrix, body.velocity, spin


def _read_conditions(given: Given, node: Node, index: int) -> None:
    """A body in a joint may still say where it is: a condition for the assembly."""
    if node.body is None or node.body.ROLE != "body":
        return
    position, rotation, velocity, spin = _body_fields(node.body)
    if position is not None or rotation is not None:
        given.poses.append((index, None if position is None else _vector(position), rotation))
    if velocity is not None or spin is not None:
        given.twists.append((index, None if velocity is None else _vector(velocity), spin))


def _read_free_body(given: Given, node: Node, index: int, q0: int, u0: int) -> None:
    body: Any = node.body
    position, rotation, velocity, spin = _body_fields(body)
    size = 2 if node.kind in (kinds.PLANAR, kinds.TRANSLATION_2) else 3
    _set(given.q, given.keep_q, q0, u0, position)
    _set(given.u, given.keep_u, u0, u0, velocity)
    if node.kind == kinds.PLANAR:
        angle = body.angle if isinstance(body, Disk) else body.rotation
        _set(given.q, given.keep_q, q0 + size, u0 + size, angle)
        _set(given.u, given.keep_u, u0 + size, u0 + size, None if spin is None else spin[2])
    elif node.kind == kinds.FREE:
        if rotation is not None:
            given.q[q0 + 3 : q0 + 7] = quaternion_of(rotation)
            given.keep_q[u0 + 3 : u0 + 6] = True
        if spin is not None and rotation is None:
            # in world axes: body axes are known only after the assembly
            given.twists.append((index, None, np.array(spin)))
        elif spin is not None:
            # the body states it in world axes, the coordinates are in body axes
            _set(given.u, given.keep_u, u0 + 3, u0 + 3, rotation.T @ np.array(spin))


def _blame_function(system: System, given: Given, t: float, q: Floats) -> None:
    """Refuse a model whose violations are no numbers because of a user's function."""
    from cornerlaw.kernels.slots import forget_failures
    from cornerlaw.simulate.failures import failed_function

    forget_failures(system.compiled.functions.labels)
    _position_residual(system, given, t, q)
    found = failed_function(system)
    if found:
        raise AssemblyError(
            f"the model cannot be assembled: {found} at the start; check the function and its "
            f"arguments"
        )


def _position_residual(system: System, given: Given, t: float, q: Floats) -> Floats:
    """Return all violations, scaled."""
    c, w = system.compiled, system.work
    system.constraint_state(t, q, np.zeros(c.arrays.nu))
    values = [w.g[i] / r.scale for i, r in enumerate(c.rows) if r.holonomic and not r.initial]
    for joint in c.tree.closures:
        values += flip_residual(system, joint, t)
    for node, position, rotation in given.poses:
        if position is not None:
            values += (w.r[node] - position).tolist()
        if rotation is not None:
            values += rotation_residual(rotation.T @ w.A[node])
    for condition in given.joints:
        values += condition.residual(system)
    return np.array(values)


def _position_openings(system: System, given: Given, t: float) -> list[Opening]:
    """Return what is behind each of the violations."""
    c = system.compiled
    coordinates = c.numbering.coordinates
    found = [opening_of_row(r, coordinates) for r in c.rows if r.holonomic and not r.initial]
    for joint in c.tree.closures:
        count = len(flip_residual(system, joint, t))
        found += [Opening(joint.name, unit="rad", of="versine")] * count
    for node, position, rotation in given.poses:
        if position is not None:
            found += openings_of_pose(_body_of(system, node), position=True)
        if rotation is not None:
            found += openings_of_pose(_body_of(system, node), position=False)
    for condition in given.joints:
        found += openings_of_condition(condition, len(condition.residual(system)))
    return found


def _velocity_openings(system: System, given: Given) -> list[Opening]:
    """Return what is behind each violation of velocities."""
    coordinates = system.compiled.numbering.coordinates
    found = [opening_of_row(row, coordinates) for row in system.compiled.rows]
    for node, velocity, spin in given.twists:
        if velocity is not None:
            found += openings_of_pose(_body_of(system, node), position=True)
        if spin is not None:
            found += [Opening(_body_of(system, node), unit="rad", of="spin")] * 3
    for condition in given.joint_rates:
        found += openings_of_condition(condition, len(condition.residual(system)))
    return found


def _body_of(system: System, node: int) -> str:
    body = system.compiled.tree.nodes[node].body
    return body.name if body is not None else ""


def _jacobian(system: System, given: Given, t: float, q: Floats, free: Any, base: Floats) -> Floats:
    """Return the derivative of the violations with respect to the free velocities."""
    from cornerlaw.kernels.kinematics import advance_position

    J = np.zeros((base.size, free.size))
    step = 1e-7
    trial = q.copy()
    for k, j in enumerate(free):
        delta = np.zeros(system.arrays.nu)
        delta[j] = step
        advance_position(system.m, q, delta, trial)
        J[:, k] = (_position_residual(system, given, t, trial) - base) / step
    return J


def _refine(system: System, given: Given, t: float, q: Floats, free: Any) -> tuple[Floats, float]:
    """Levenberg-Marquardt on the violations; return the position and the worst violation."""
    from cornerlaw.kernels.kinematics import advance_position, normalise_position

    damping = 1e-3
    r = _position_residual(system, given, t, q)
    cost = float(r @ r)
    for _ in range(ITERATIONS):
        if np.abs(r).max(initial=0.0) <= 1e-14:
            break
        J = _jacobian(system, given, t, q, free, r)
        U, s, Vt = np.linalg.svd(J, full_matrices=False)
        for _ in range(12):
            if s.size == 0 or s[0] == 0.0:
                return q, float(np.abs(r).max(initial=0.0))
            # small damping keeps the smallest change among all that do
            filt = s / (s * s + damping * s[0] ** 2 + 1e-24 * s[0] ** 2)
            step = -(Vt.T * filt) @ (U.T @ r)
            largest = np.abs(step).max(initial=0.0)
            delta = np.zeros(system.arrays.nu)
            delta[free] = step * min(1.0, 0.5 / largest if largest > 0.5 else 1.0)
            trial = q.copy()
            advance_position(system.m, q, delta, trial)
            normalise_position(system.m, trial)
            r_trial = _position_residual(system, given, t, trial)
            cost_trial = float(r_trial @ r_trial)
            if cost_trial < cost:
                damping = max(damping * 0.1, 1e-16)
                q, r, cost = trial, r_trial, cost_trial
                break
            damping = min(max(damping, 1e-12) * 10.0, 1e3)
        else:
            break
    return q, float(np.abs(r).max(initial=0.0))


def assemble_position(system: System, given: Given, t: float) -> Floats:
    """Return positions that keep the given ones and satisfy all constraints.

    The start is the given or zero position; where it fails (a stretched or folded mechanism gives
    no direction to move in), disturbed starts follow, always the same ones.
    """
    from cornerlaw.kernels.kinematics import advance_position, normalise_position
    from cornerlaw.kernels.prescribed import set_driven

    q = given.q.copy()
    place_cut_bodies(system, t, q, given.keep_q)
    set_driven(system.m, system.w, t, q, np.zeros(system.arrays.nu))
    free = np.flatnonzero(~given.keep_q)
    residual = _position_residual(system, given, t, q)
    if residual.size == 0:
        return q
    random = np.random.default_rng(20061)
    best, best_worst = q, np.inf
    for attempt in range(ATTEMPTS):
        start = q.copy()
        if attempt:
            delta = np.zeros(system.arrays.nu)
            delta[free] = random.normal(0.0, 0.02 * 1.35**attempt, free.size)
            advance_position(system.m, q, delta, start)
            normalise_position(system.m, start)
        found, worst = _refine(system, given, t, start, free)
        if worst < best_worst:
            best, best_worst = found, worst
        if worst <= TOLERANCE:
            return found
        if free.size == 0:
            break
    residual = _position_residual(system, given, t, best)
    k = int(np.argmax(np.abs(residual)))
    if not np.isfinite(residual[k]):
        _blame_function(system, given, t, best)
    openings = _position_openings(system, given, t)
    raise AssemblyError(
        f"the model cannot be assembled: '{openings[k].part}' stays open by "
        f"{describe_opening(residual, openings, k)} with the given initial values kept; "
        f"check lengths and positions, or give fewer initial values"
    )


def assemble_velocity(system: System, given: Given, t: float, q: Floats) -> Floats:
    """Return velocities that keep the given ones and satisfy all constraints, else the smallest."""
    c, w = system.compiled, system.work
    from cornerlaw.kernels.prescribed import set_driven

    u = given.u.copy()
    set_driven(system.m, system.w, t, q, u)
    free = np.flatnonzero(~given.keep_u)

    def residual(v: Floats) -> Floats:
        system.constraint_state(t, q, v)
        values = [w.gamma[i] / row.scale for i, row in enumerate(c.rows)]
        for node, velocity, spin in given.twists:
            if velocity is not None:
                values += (w.v[node] - velocity).tolist()
            if spin is not None:
                values += (w.Omega[node] - np.array(spin)).tolist()
        for condition in given.joint_rates:
            values += condition.residual(system)
        return np.array(values)

    base = residual(u)
    if base.size == 0:
        return u
    J = np.zeros((base.size, free.size))
    for k, j in enumerate(free):
        v = u.copy()
        v[j] += 1.0
        J[:, k] = residual(v) - base  # linear in u
    for _ in range(2):
        u[free] += np.linalg.lstsq(J, -base, rcond=1e-11)[0]
        base = residual(u)
    speed = max(1.0, float(np.abs(u).max(initial=0.0)))
    k = int(np.argmax(np.abs(base)))
    if abs(base[k]) > 1e-9 * speed:
        openings = _velocity_openings(system, given)
        raise AssemblyError(
            f"the given initial velocities contradict '{openings[k].part}', which would open by "
            f"{describe_opening(base, openings, k, '/s')}; give fewer initial velocities"
        )
    return u


def _check_length(part: str, length: float, scale: float) -> None:
    """Refuse a length that has no direction: the gradient of its row vanishes."""
    if not length > COINCIDENT * scale:
        raise AssemblyError(
            f"the points of '{part}' coincide at the start, so that the initial distance is no "
            f"length to keep; give length=..., or join the points by a Revolute or Spherical joint"
        )


def set_initial_lengths(system: System, t: float, q: Floats) -> None:
    """Fill the lengths and constants that are defined by the initial position."""
    from cornerlaw.kernels.forces import eval_segment

    c, w = system.compiled, system.work
    system.constraint_state(t, q, np.zeros(c.arrays.nu))
    for i, row in enumerate(c.rows):
        if row.initial:
            place = c.arrays.rows.start[i]
            c.arrays.rows.data[place] += w.g[i]
            if row.kind == kinds.ROW_DISTANCE:
                _check_length(row.part, float(c.arrays.rows.data[place]), row.scale)
    e = c.arrays.elements
    for k, element in enumerate(c.elements):
        if not element.initial:
            continue
        points = element.frames or (element.frame_1, element.frame_2)
        n = np.zeros(3)
        e.data[e.start[k] + 2] = sum(
            eval_segment(system.w, a, b, n)[0] for a, b in pairwise(points)
        )


def initial_state(system: System, t: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """Return consistent q, u, x at time t from the initial values of the parts."""
    given = collect_given(system)
    q = assemble_position(system, given, t)
    set_initial_lengths(system, t, q)
    u = assemble_velocity(system, given, t, q)
    x = system.compiled.x0.copy()
    set_switches(system, t, q, u, x)
    return q, u, x
