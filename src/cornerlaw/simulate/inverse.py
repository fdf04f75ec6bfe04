"""inverse_dynamics(): the forces that a given motion needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.coordinates import Coordinate
from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.model import Model, Motion, Table
from cornerlaw.model.arguments import clear_call
from cornerlaw.model.quantity import Where, show, strip_unit
from cornerlaw.results import (
    Channel,
    ChannelTable,
    FinalState,
    RunInfo,
    Solution,
    installed_versions,
)
from cornerlaw.simulate.arguments import as_value
from cornerlaw.simulate.channels import ChannelBook
from cornerlaw.simulate.kinematics import check_times, march
from cornerlaw.simulate.states import (
    Placed,
    check_sizes,
    coordinate_label,
    find_value,
    free_coordinates,
    place,
    solution_of,
)
from cornerlaw.simulate.system import System
from cornerlaw.simulate.tangent import split_coordinates
from cornerlaw.simulate.terms import eval_terms

UNBALANCED = 1e-6  # share of the forces that no actuator may be left with


@clear_call
def inverse_dynamics(
    model: Model,
    times: Sequence[float] | Floats | None,
    motion: Mapping[str, Any] | Solution,
    *,
    actuated: Sequence[str] | None = None,
    without: Sequence[str] = (),
) -> Solution:
    """Return the generalised forces that a motion needs, by joint name.

    motion     a mapping from "joint.coordinate" (or "joint") to q(t): a callable of time, a
               cl.Motion, a Table, a number, an array over `times` (derivatives by a spline through
               them) or a tuple of arrays (q, q_dot, q_ddot); loops give the other coordinates.
               Or a Solution with rows of the same model's coordinates
    actuated   with a Solution: the coordinates that forces may act on; all free ones, or the
               independent ones of a model with constraints, unless given
    without    names of forces in the model that are left out, such as the actuators asked for

    The channels `joint.drive_force` (`joint.drive_force_<coordinate>` of a joint with several) hold
    what must be added to all other forces of the model: M u_dot = h + W^T lam + drive forces.
    """
    without = (without,) if isinstance(without, str) else without
    unknown = [name for name in without if name not in {f.name for f in model.forces}]
    if unknown:
        raise UnknownNameError(f"without: the model has no force named {unknown[0]!r}")
    if without:
        model = Model(
            *[p for p in model.parts if p.name not in without],
            gravity=model.gravity,
            coordinates=model.coordinates,
            name=model.name,
        )
    if isinstance(motion, Solution):
        return _along_solution(model, times, motion, actuated)
    if times is None:
        raise UsageError("inverse_dynamics needs times for a motion given by functions or arrays")
    if not isinstance(motion, Mapping) or not motion:
        raise UsageError("motion must be a Solution or a mapping from coordinates to functions")
    return _along_functions(model, check_times(times), motion)


def force_name(system: System, c: Coordinate) -> str:
    """Return the name of the channel for the force on a coordinate."""
    single = len(system.compiled.numbering.of(c.part)) == 1
    return f"{c.part}.drive_force" if single else f"{c.part}.drive_force_{c.name}"


def _force_unit(c: Coordinate) -> str:
    return {"m": "N", "rad": "N*m"}.get(c.unit, "")


class _InverseBook(ChannelBook):
    """Channels of a run, and the force of every prescribed coordinate, also outside joints."""

    def __init__(self, placed: Placed, prescribed: list[Coordinate]) -> None:
        super().__init__(placed.system)
        system = placed.system
        n_tree = int(system.arrays.tree.u_start[system.arrays.n_bodies])
        for c in prescribed:
            part, _, quantity = force_name(system, c).rpartition(".")

            def rule(e: Any, u: int = c.u) -> Floats:
                if u < n_tree:
                    return np.asarray(e.outputs.effort[:, u])
                return _block_force(e, u)

            self._add(
                part, quantity, _force_unit(c), rule, description="force that the motion needs"
            )


def _block_force(e: Any, u: int) -> Floats:
    """Return M u_dot - h - W^T lam on a coordinate outside the tree."""
    o, out = e.outputs, np.zeros(e.t.size)
    for k in range(e.t.size):
        terms = eval_terms(e.system, e.t[k], e.q[k].copy(), e.u[k].copy(), e.x[k].copy())
        out[k] = terms.M[u] @ o.u_dot[k] - terms.h[u] - terms.W[:, u] @ o.lam[k]
    return out


def _along_functions(model: Model, t: Floats, motion: Mapping[str, Any]) -> Solution:
    """Prescribe the named coordinates and run the kinematics."""
    first = place(model, None, float(t[0]))
    system = first.system
    by_q = {c.q: c for c in system.compiled.numbering.coordinates if c.q >= 0}
    columns: dict[int, Floats] = {}
    for name, value in motion.items():
        kind, index = find_value(system, name)
        if kind != "q":
            raise UsageError(f"motion: {name!r} is not a position coordinate")
        c = by_q[index]
        if system.arrays.tree.driven[c.u] >= 0:
            raise UsageError(f"motion: {name!r} is driven or locked in the model already")
        columns[c.u] = sample(value, t, name, c.unit)
    prescribe(system, t, columns)
    placed = place_prescribed(first, t)
    prescribed = [c for c in system.compiled.numbering.coordinates if c.u in columns]
    q, u, x = march(placed, t)
    book = _InverseBook(placed, prescribed)
    solution: Solution = solution_of(placed, t, q, u, x, "inverse dynamics", book=book)
    return solution


def place_prescribed(first: Placed, t: Floats) -> Placed:
    """Assemble the start again, now that coordinates are prescribed."""
    from cornerlaw.simulate.assembly import assemble_position, assemble_velocity, collect_given

    system = first.system
    given = collect_given(system)
    # start from the assembled position; only prescribed values are kept
    given.q[:] = first.q
    driven = system.arrays.tree.driven >= 0
    given.keep_q[:] = given.keep_u[:] = driven
    given.poses.clear()
    given.twists.clear()
    q = assemble_position(system, given, float(t[0]))
    u = assemble_velocity(system, given, float(t[0]), q)
    return Placed(system, first.fingerprint, float(t[0]), q, u, first.x)


def _plain_motion(value: Any, name: str, unit: str) -> Any:
    """Return a motion without units, those of rates in a tuple of three arrays included."""
    if isinstance(value, Table):
        value.check_units(Where("motion", repr(name)), "s", unit)
    where = Where("motion", repr(name))
    if isinstance(value, tuple) and len(value) == 3 and unit and np.ndim(value[0]) == 1:
        units = (unit, f"{unit}/s", f"{unit}/s**2")
        return tuple(strip_unit(x, where, u) for x, u in zip(value, units, strict=True))
    if isinstance(value, list | tuple):
        return type(value)([strip_unit(x, where, unit) for x in value])
    return strip_unit(value, where, unit)


def sample(value: Any, t: Floats, name: str, unit: str = "") -> Floats:
    """Return (3, nt): a motion and its two derivatives at the times."""
    value = _plain_motion(value, name, unit)
    if isinstance(value, Motion) and value.velocity is not None and value.acceleration is not None:
        parts = (value.position, value.velocity, value.acceleration)
        return np.array([[float(f(s)) for s in t] for f in parts])
    if isinstance(value, Motion):
        value = value.position
    if isinstance(value, Table) or callable(value):
        return _differentiate(value, t, name)
    if np.ndim(value) == 0:
        value = as_value(name, value, "")
        return np.vstack([np.full(t.size, float(value)), np.zeros((2, t.size))])
    is_complete = isinstance(value, tuple) and len(value) == 3 and np.ndim(value[0]) == 1
    try:
        values = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"motion: {name!r} must hold numbers, got {show(value)}") from None
    if is_complete:
        columns = values
    else:
        if values.shape != t.shape:
            raise UsageError(
                f"motion: {name!r} has {values.size} values for {t.size} times; give one per time, "
                f"or a tuple of arrays (q, q_dot, q_ddot)"
            )
        columns = _spline(values, t, name)
    if columns.shape != (3, t.size) or not np.isfinite(columns).all():
        raise UsageError(f"motion: {name!r} needs finite arrays of {t.size} values each")
    return columns


def _spline(values: Floats, t: Floats, name: str) -> Floats:
    """Differentiate values by a quintic spline through them."""
    from scipy.interpolate import make_interp_spline

    if t.size < 4:
        raise UsageError(
            f"motion: {name!r} has {t.size} values, too few for derivatives; "
            f"give (q, q_dot, q_ddot)"
        )
    spline = make_interp_spline(t, values, k=5 if t.size >= 6 else 3)
    return np.array([spline(t), spline(t, 1), spline(t, 2)])


def _differentiate(value: Any, t: Floats, name: str) -> Floats:
    """Evaluate a function of time as the compiled models do, with exact derivatives."""
    from cornerlaw.compile.tables import SignalTable
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.prescribed import set_driven

    # a model of one prescribed coordinate evaluates motions of every kind
    signals = SignalTable()
    signals.add_motion(value, f"motion of {name}")
    probe = _probe()
    m = Bundle(probe.arrays._replace(signals=signals.arrays()))
    out, q, u = np.zeros((3, t.size)), np.zeros(1), np.zeros(1)
    for k, s in enumerate(t):
        set_driven(m, probe.w, float(s), q, u)
        out[:, k] = q[0], u[0], probe.work.u_dot_driven[0]
    if not np.isfinite(out).all():
        raise UsageError(f"motion: {name!r} gives values that are not finite numbers")
    return out


_PROBES: list[System] = []


def _probe() -> System:
    """Return a system with one driven coordinate."""
    from cornerlaw.model import Body, Ground, Revolute

    if not _PROBES:
        body = Body("probe", mass=1.0, inertia=1.0)
        _PROBES.append(System(Model(Revolute("probe joint", Ground(), body, drive=0.0))))
    return _PROBES[0]


def prescribe(system: System, t: Floats, columns: Mapping[int, Floats]) -> None:
    """Drive velocities through given positions, rates and accelerations at the times.

    Each becomes a piecewise cubic that has the given three values at the start of every interval
    and the right position at its end; at the stored times the motion is exact.
    """
    a = system.arrays
    s = a.signals
    tables = {name: list(getattr(s, name)) for name in s._fields}
    driven, weight = a.tree.driven.copy(), a.error_weight.copy()
    knots = np.append(t, t[-1] + 1.0)
    for u, (p, v, acc) in columns.items():
        h = np.diff(t)
        end = (np.diff(p) - v[:-1] * h - 0.5 * acc[:-1] * h * h) / h**3
        cubic = np.column_stack([p, v, 0.5 * acc, np.append(end, 0.0)])
        driven[u] = len(tables["kind"])
        tables["kind"].append(kinds.TABLE_CUBIC)
        tables["start"].append(len(tables["data"]))
        tables["points"].append(knots.size)
        tables["hold"].append(1)
        tables["address"].append(0)
        tables["data"] += [*knots.tolist(), *cubic.ravel().tolist()]
        weight[a.nq + u] = 0.0
        weight[int(a.tree.q_of_u[u])] = 0.0
    arrays = {
        name: np.array(values, dtype=getattr(s, name).dtype) for name, values in tables.items()
    }
    system.rebind(
        signals=type(s)(**arrays),
        tree=a.tree._replace(driven=driven),
        error_weight=weight,
        n_driven=int((driven >= 0).sum()),
    )
    # names and rules of the results follow what is prescribed
    system.compiled.arrays = system.arrays


def _along_solution(
    model: Model,
    times: Sequence[float] | Floats | None,
    motion: Solution,
    actuated: Sequence[str] | None,
) -> Solution:
    """Solve M u_dot - h = W^T lam + B tau at the rows of a Solution."""
    placed = place(model)
    system = placed.system
    rows = np.arange(len(motion)) if times is None else _rows_at(motion, check_times(times))
    if rows.size == 0:
        raise UsageError("the Solution holds no rows")
    q, u, x = motion.q[rows], motion.u[rows], motion.x[rows]
    if x.shape[1] != system.sizes[2]:
        x = np.tile(placed.x, (rows.size, 1))
    check_sizes(system, q[0], u[0], x[0])
    u_dot = accelerations_of(system, motion)[rows]
    acting = _actuated(system, float(motion.t[rows[0]]), q[0].copy(), actuated)
    forces = np.zeros((rows.size, len(acting)))
    columns = [c.u for c in acting]
    for k, row in enumerate(rows):
        t = float(motion.t[row])
        terms = eval_terms(system, t, q[k].copy(), u[k].copy(), x[k].copy())
        need = terms.M @ u_dot[k] - terms.h
        forces[k] = _distribute(system, t, terms.W, need, columns)
    names = [force_name(system, c) for c in acting]
    channels = [
        Channel(name, _force_unit(c), (), (), "force that the motion needs")
        for name, c in zip(names, acting, strict=True)
    ]
    return Solution(
        motion.t[rows],
        motion.side[rows],
        {"q": q, "u": u, "x": x},
        ChannelTable(channels, parts=[c.part for c in acting]),
        stored={name: forces[:, k] for k, name in enumerate(names)},
        info=RunInfo(
            model=model.name,
            method="inverse dynamics",
            versions=installed_versions(),
            fingerprint=placed.fingerprint,
        ),
        final=FinalState(float(motion.t[rows[-1]]), q[-1], u[-1], x[-1]),
    )


def _rows_at(motion: Solution, t: Floats) -> Any:
    """Return the stored rows at the given times."""
    rows = np.clip(np.searchsorted(motion.t, t), 0, len(motion) - 1)
    before = np.clip(rows - 1, 0, None)
    rows = np.where(np.abs(motion.t[before] - t) < np.abs(motion.t[rows] - t), before, rows)
    off = np.abs(motion.t[rows] - t)
    if (off > 1e-9 * np.maximum(1.0, np.abs(t))).any():
        k = int(off.argmax())
        raise UsageError(
            f"the Solution has no row at t = {t[k]:g} s (nearest {motion.t[rows[k]]:g} s); "
            f"run it with t_eval, or leave times out (None)"
        )
    return rows


def accelerations_of(system: System, motion: Solution) -> Floats:
    """Return u_dot of all coordinates from the channels of a Solution."""
    from cornerlaw.kernels.prescribed import set_driven

    out = np.zeros((len(motion), system.arrays.nu))
    driven = np.flatnonzero(system.arrays.tree.driven >= 0)
    if driven.size:
        # moving frames have no channels of their coordinates: what is prescribed is known anyhow
        for k, t in enumerate(motion.t):
            set_driven(system.m, system.w, float(t), motion.q[k].copy(), motion.u[k].copy())
            out[k, driven] = system.work.u_dot_driven[driven]
    for c in free_coordinates(system):
        stem, _, axis = c.rate.rpartition("_")
        single = f"{c.part}.{c.rate}_rate"
        vector = f"{c.part}.{stem}_rate.{axis}"
        if single in motion.channels:
            out[:, c.u] = motion[single]
        elif stem and vector in motion:
            out[:, c.u] = motion[vector]
        else:
            out[:, c.u] = _body_acceleration(motion, c)
    return out


def _body_acceleration(motion: Solution, c: Coordinate) -> Floats:
    """Return u_dot of a free body: velocity in world axes, angular velocity in body axes."""
    stem, _, axis = c.rate.rpartition("_")
    if stem == "velocity" and f"{c.part}.acceleration" in motion.channels:
        return np.asarray(motion[f"{c.part}.acceleration.{axis}"])
    if c.rate == "speed" and f"{c.part}.angular_acceleration" in motion.channels:
        return np.asarray(motion[f"{c.part}.angular_acceleration"])
    if f"{c.part}.rotation" in motion.channels:
        A, alpha = motion[f"{c.part}.rotation"], motion[f"{c.part}.angular_acceleration"]
        local = np.einsum("tba,tb->ta", A, alpha)
        return np.asarray(local[:, "xyz".index(axis)])
    raise UsageError(f"the Solution holds no acceleration of '{c.part}.{c.rate}'")


def _actuated(system: System, t: float, q: Floats, names: Sequence[str] | None) -> list[Coordinate]:
    """Return the coordinates forces may act on."""
    c = system.compiled
    if names is not None:
        by_q = {k.q: k for k in c.numbering.coordinates if k.q >= 0}
        found = [find_value(system, name) for name in names]
        if any(kind != "q" for kind, _ in found):
            raise UsageError("actuated: give position coordinates, such as 'joint.angle'")
        return [by_q[index] for _, index in found]
    if not system.arrays.n_rows:
        return [k for k in c.numbering.coordinates if k.part]
    system.constraint_state(t, q, np.zeros(system.arrays.nu))
    free = np.array([k.u for k in free_coordinates(system)], dtype=np.int64)
    part = split_coordinates(system.work.W[: system.arrays.n_rows], free, system.arrays.nu)
    driven = [k.u for k in c.numbering.coordinates if system.arrays.tree.driven[k.u] >= 0]
    chosen = {*part.independent.tolist(), *driven}
    return [k for k in c.numbering.coordinates if k.u in chosen and k.part]


def _distribute(system: System, t: float, W: Floats, need: Floats, columns: list[int]) -> Floats:
    """Solve W^T lam + B tau = need for tau; an error names what cannot be supplied."""
    B = np.zeros((need.size, len(columns)))
    B[columns, np.arange(len(columns))] = 1.0
    # prescribed coordinates bring the force of their drive
    held = np.setdiff1d(np.flatnonzero(system.arrays.tree.driven >= 0), columns)
    full = np.hstack([B, np.eye(need.size)[:, held], W.T])
    found = np.linalg.lstsq(full, need, rcond=1e-12)[0]
    rest = np.abs(full @ found - need)
    size = float(np.abs(need).max(initial=0.0))
    if rest.size and rest.max() > UNBALANCED * max(size, 1e-9):
        k = int(rest.argmax())
        name = coordinate_label(system.compiled.numbering.coordinates[k])
        raise UsageError(
            f"the actuated coordinates cannot produce the motion at t = {t:g} s: '{name}' would "
            f"need {rest[k]:.3g} more; name more coordinates in `actuated`"
        )
    return np.asarray(found[: len(columns)])
