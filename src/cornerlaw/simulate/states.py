"""States of a model: where a solve starts, and results made of given states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.compile.coordinates import Coordinate
from cornerlaw.errors import AssemblyError, UnknownNameError, UsageError
from cornerlaw.model import Model
from cornerlaw.model.quantity import show
from cornerlaw.model.scene import describe_scene
from cornerlaw.results import FinalState, RunInfo, Solution, installed_versions
from cornerlaw.simulate.arguments import as_time, as_value
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.channels import ChannelBook
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.fingerprint import fingerprint
from cornerlaw.simulate.switches import set_switches
from cornerlaw.simulate.system import System

At = FinalState | Solution | Mapping[str, float] | None


@dataclass
class Placed:
    """A system at a consistent state."""

    system: System
    fingerprint: str
    t: float
    q: Floats
    u: Floats
    x: Floats


def place(model: Model, at: At = None, t: float | None = None) -> Placed:
    """Compile a model and put it into a state.

    at    None: the assembled initial values; a state (`sol.final`, `sim.get_state()`); a Solution
          (its last row, or with `t` the stored row nearest to that time); or a mapping from
          "part.coordinate" and "part.rate" to values that replace initial ones
    t     time; 0, or that of the state, unless given
    """
    system = System(model)
    mark = fingerprint(system)
    start = 0.0 if t is None else as_time("t", t, "state")
    if at is None or isinstance(at, Mapping):
        q, u, x = initial_state(system, start)
        if at:
            q, u, x = _override(system, start, q, u, x, at)
        return Placed(system, mark, start, q, u, x)
    # lengths that are defined by the initial position are needed whatever the state is
    initial_state(system, 0.0)
    if isinstance(at, Solution):
        row = len(at) - 1 if t is None else int(np.argmin(np.abs(at.t - start)))
        if row < 0:
            raise UsageError("the Solution holds no row to take a state from")
        found, q, u, x = float(at.t[row]), at.q[row], at.u[row], at.x[row]
    elif isinstance(at, FinalState):
        found, q, u, x = (at.t if t is None else start), at.q, at.u, at.x
    else:
        raise UsageError(
            f"a state is None, sol.final, a Solution or a mapping of names to values, "
            f"got {type(at).__name__}"
        )
    check_sizes(system, q, u, x)
    return Placed(system, mark, found, np.array(q), np.array(u), np.array(x))


def check_sizes(system: System, q: Floats, u: Floats, x: Floats) -> None:
    """Refuse a state of another model."""
    sizes = system.sizes
    if (q.size, u.size, x.size) != sizes:
        raise UsageError(
            f"the state has {q.size} positions, {u.size} velocities and {x.size} other states, "
            f"the model {sizes[0]}, {sizes[1]} and {sizes[2]}"
        )


def find_value(system: System, name: str) -> tuple[str, int]:
    """Return ("q" | "u" | "x", index) of "part.coordinate", "part.rate" or "part.state"."""
    c = system.compiled
    if not isinstance(name, str):
        raise UnknownNameError(f"coordinates are found by name, and {show(name)} is not a text")
    for k in c.numbering.coordinates:
        if k.q >= 0 and name == f"{k.part}.{k.name}":
            return "q", k.q
        if name == f"{k.part}.{k.rate}":
            return "u", k.u
    for j, (part, state) in enumerate(c.x_names):
        if name == f"{part}.{state}":
            return "x", j
    # "joint" alone means its only coordinate
    own = [k for k in c.numbering.of(name) if k.q >= 0]
    if len(own) == 1:
        return "q", own[0].q
    import difflib

    known = [f"{k.part}.{k.name}" for k in c.numbering.coordinates if k.part and k.q >= 0]
    known += [f"{k.part}.{k.rate}" for k in c.numbering.coordinates if k.part]
    known += [f"{part}.{state}" for part, state in c.x_names]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known[:8])}"
    raise UnknownNameError(f"there is no coordinate, rate or state {name!r}; {hint}")


def unit_of_value(system: System, kind: str, index: int) -> str:
    """Return the unit of what find_value finds; states of elements have none that is known."""
    for k in system.compiled.numbering.coordinates:
        if kind == "q" and k.q == index:
            return k.unit
        if kind == "u" and k.u == index:
            return f"{k.unit}/s" if k.unit else ""
    return ""


def _override(
    system: System, t: float, q: Floats, u: Floats, x: Floats, values: Mapping[str, float]
) -> tuple[Floats, Floats, Floats]:
    """Set named values and return to the constraints next to them."""
    from cornerlaw.kernels.rates import project_position, project_velocity

    arrays = {"q": q, "u": u, "x": x}
    for name, value in values.items():
        kind, index = find_value(system, name)
        arrays[kind][index] = as_value(name, value, unit_of_value(system, kind, index))
    system.see_states(x)
    if project_position(system.m, system.w, t, q) or project_velocity(system.m, system.w, t, q, u):
        raise AssemblyError(
            f"the given values of {', '.join(map(repr, values))} are too far from every position "
            f"the constraints allow; give values nearer to an assembled position"
        )
    given = [(index, x[index]) for kind, index in map(partial(find_value, system), values)
             if kind == "x"]  # fmt: skip
    set_switches(system, t, q, u, x)
    for index, number in given:
        x[index] = number
    system.see_states(x)
    return q, u, x


def free_coordinates(system: System) -> list[Coordinate]:
    """Return the coordinates that are not prescribed."""
    driven = system.arrays.tree.driven
    return [c for c in system.compiled.numbering.coordinates if driven[c.u] < 0]


def coordinate_label(c: Coordinate) -> str:
    """Return "part.coordinate"."""
    return f"{c.part}.{c.name}"


def solution_of(
    placed: Placed,
    t: Floats,
    q: Floats,
    u: Floats,
    x: Floats,
    method: str,
    *,
    message: str = "",
    statistics: Mapping[str, int | float] | None = None,
    kind: Callable[..., Any] = Solution,
    book: ChannelBook | None = None,
) -> Any:
    """Return a Solution whose rows are the given states of a system."""
    system = placed.system
    book = ChannelBook(system) if book is None else book
    evaluation = Evaluation(system, t, q, u, x)
    return kind(
        t,
        np.zeros(t.size, np.int8),
        {"q": q, "u": u, "x": x},
        book.table(),
        evaluator=lambda names: book.evaluate(evaluation, names),
        info=RunInfo(
            model=system.model.name,
            method=method,
            message=message,
            statistics=dict(statistics or {}),
            versions=installed_versions(),
            fingerprint=placed.fingerprint,
        ),
        final=FinalState(float(t[-1]), q[-1], u[-1], x[-1], fingerprint=placed.fingerprint),
        scene=lambda: describe_scene(system.model),
    )
