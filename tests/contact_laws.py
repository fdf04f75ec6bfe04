"""The laws every run with set-valued elements must obey, checked on every stored row.

`tests/conftest.py` checks every run of every test by `check_run`; what a test must allow, or why it
must be left out, is said by `@pytest.mark.contact_laws(...)`, or in a fixture by `allow(...)`.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from step_middles import Middles

import cornerlaw as cl
from cornerlaw.arrays.corner_work import OPEN, STICK

Floats = NDArray[np.float64]


GRAVITY = 10.0  # [m/s^2], near enough
_allowed: list[dict[str, Any]] = [{}]  # what the runs at hand are checked with


@contextmanager
def allow(**laws: Any) -> Iterator[None]:
    """Check all runs inside with these arguments of `assert_contact_laws`; `skip` says why not.

    `states` says why the states of a `cl.Simulation` alone are not checked.
    """
    _allowed.append(laws)
    try:
        yield
    finally:
        _allowed.pop()


def check_run(sol: cl.Solution, model: cl.Model, method: Any) -> None:
    """Check a run that a test has made, with what follows from its method and model."""
    laws = dict(_allowed[-1])
    skipped = laws.pop("skip", None)
    laws.pop("states", None)  # about states of a Simulation, see simulation_laws.py
    # a problem that was accepted above the tolerance has no solution that obeys the laws
    if skipped or sol.statistics["unsolved_problems"] or not len(sol.t):
        return
    assert_contact_laws(sol, model, **{**law_arguments(sol, model, method), **laws})


def is_thinned(sol: cl.Solution, by_times: bool = False) -> bool:
    """Tell whether steps of a time-stepping run have no row, so that their middle is not known.

    Rows at given times lie anywhere in the steps.
    """
    return _is_stepping(sol) and (by_times or not _one_step_per_row(sol))


def law_arguments(sol: cl.Solution, model: cl.Model, method: Any) -> dict[str, bool]:
    """Return the arguments of `assert_contact_laws` that follow from a run's method and model."""
    return {
        "passive": is_passive(model, method),
        "reversible": _gives_back_friction(model, method),
    }


def is_passive(model: cl.Model, method: Any) -> bool:
    """Tell whether it is proven that no impact of a run gains energy."""
    rules = () if model.pooled_rules is None else model.pooled_rules.rules
    parts = [*model.contacts, *model.corners, *rules, *_unilateral_rows(model)]
    eps = [getattr(part, "eps_N", 0.0) for part in parts if hasattr(part, "eps_N")]
    eps += [joint.restitution_of(name) for joint in model.joints for name in joint.limit_ranges]
    numbers = all(isinstance(value, float | int) for value in eps)
    touching = [part for part in parts if _has_friction(part)]
    mu = [1.0 if _can_rub(part.mu) else 0.0 for part in touching]
    eps_T = [float(part.eps_T) for part in touching]
    passive: bool = numbers and method.impact.is_passive(eps, eps_T, mu)
    return passive


def _unilateral_rows(model: cl.Model) -> list[cl.UnilateralRow]:
    """Return the rows of force elements that can be hit."""
    rows = [row for part in model.forces for row in (getattr(part, "rows", None) or {}).values()]
    return [row for row in rows if isinstance(row, cl.UnilateralRow)]


def _can_rub(law: Any) -> bool:
    return not (isinstance(law, float | int) and law == 0.0)


def _gives_back_friction(model: cl.Model, method: Any) -> bool:
    """Tell whether the law gives back tangential impulses, which may then leave the cone."""
    if not isinstance(method.impact, cl.Poisson) or method.impact.variant == "coulomb":
        return False
    parts = (*model.contacts, *model.corners, *_unilateral_rows(model))
    return any(getattr(part, "eps_T", 0.0) for part in parts)


def assert_contact_laws(
    sol: cl.Solution,
    model: cl.Model,
    *,
    gap_tol: float = 1e-8,
    force_tol: float = 1e-8,
    speed_tol: float = 1e-8,
    passive: bool = True,
    reversible: bool = False,
    rows_from: int = 0,
    sinks: bool = False,
) -> None:
    """Assert complementarity, friction cone, direction of friction and the energy of impacts.

    gap_tol    [m] how far a gap may be negative, or open under a force (event-driven)
    force_tol  of the largest force or impulse of the run
    speed_tol  [m/s] sliding slower than this has no direction. The laws of a time step hold for
               the velocity in its middle, and there no more is allowed than elsewhere
    passive    False for laws that may gain energy: the gain must then be the one that is logged
    reversible True for laws that give back tangential impulses: those may leave the cone
    sinks      True for plain schemes, which do not correct positions: gaps may then be negative
    rows_from  the first row that must obey, where a run begins as none can, such as inside a floor

    Every check fails with the contact, the time and the numbers in its message.
    """
    sol = _Late(sol, rows_from)  # type: ignore[assignment]
    stepping = _is_stepping(sol)
    single = not stepping or _one_step_per_row(sol)
    elements = dict(_elements(sol, model))
    largest = _largest_force(sol, elements)
    small = max(force_tol * largest, _rounding(model))
    poles = {} if stepping else _behind_poles(sol)
    middles = Middles(sol) if stepping else None
    if stepping:
        # the residual is that of velocities over the largest one (T-11.9), in two directions
        speed_tol += 2.0 * sol.statistics.get("worst_residual", 0.0) * _largest_speed(sol, elements)
    check = _Steps(sol, middles, gap_tol) if middles is not None and single else None
    for label, part in elements.items():
        if f"{label}.lam_N" in sol:
            behind = poles.get(label, [])
            under = np.inf if sinks else gap_tol
            _check_normal(sol, label, part, gap_tol, under, small, stepping, single, check, behind)
        if f"{label}.lam_T" in sol and _has_friction(part):
            behind = poles.get(label, [])
            find = partial(_sticking_faults, sol, label, part, speed_tol, single)
            _assert_none(sol, label, find, middles, part)
            find = partial(_friction_faults, sol, label, part, small, speed_tol, single, behind)
            _assert_none(sol, label, find, middles, part)
        elif f"{label}.lam_T" in sol and (bound := _given_bound(part)) is not None:
            lam = sol[f"{label}.lam_T"]
            # the row before an event is just behind the bound
            most = bound + 10.0 * max(small, force_tol * bound)
            _all(sol, label, "friction above its bound", np.abs(lam) <= most, lam)
        if isinstance(part, cl.SetRow):
            find = partial(_set_faults, sol, label, part, force_tol, speed_tol, single)
            _assert_none(sol, label, find, middles)
    _check_impacts(sol, model, force_tol, passive, reversible)


class _Late:
    """A run of which the first rows are not checked."""

    def __init__(self, sol: cl.Solution, first_row: int) -> None:
        self._sol, self.first_row = sol, first_row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __getitem__(self, name: str) -> Any:
        return self._sol[name]

    def __contains__(self, name: str) -> bool:
        return name in self._sol


def _first_row(sol: Any) -> int:
    """Return the first row that is checked."""
    return getattr(sol, "first_row", 0)


Fault = tuple[str, Any, Floats]  # what is wrong, in which rows, and the values to show


def _assert_none(
    sol: cl.Solution,
    label: str,
    find: Callable[[Any, Any], list[Fault]],
    middles: Middles | None,
    part: Any = None,
) -> None:
    """Fail if faults are found at the rows and in the middles of the steps as well.

    Mostly both are the same, and the former are at hand.
    """
    found = find(sol, 0.0)
    if middles is not None and any(bad.any() for _, bad, _ in found):
        room = middles.rim_speed(part) + middles.doubt(label)
        room = room + middles.inside() + middles.in_parts()
        found = find(middles, room)
    for what, bad, shown in found:
        _all(sol, label, what, ~bad, shown)


def _largest_force(sol: cl.Solution, elements: dict[str, Any]) -> float:
    """Return the largest normal force of all elements at all rows."""
    forces = [sol[f"{label}.lam_N"] for label in elements if f"{label}.lam_N" in sol]
    # one infinite force must not make all others small
    return max((float(np.max(np.abs(lam[np.isfinite(lam)]), initial=0.0)) for lam in forces),
                  default=0.0)  # fmt: skip


def _largest_speed(sol: cl.Solution, elements: dict[str, Any]) -> float:
    """Return the largest relative velocity of all elements at all rows."""
    names = [f"{label}.{kind}" for label in elements for kind in ("gamma_N", "gamma_T")]
    speeds = [np.abs(sol[name]) for name in names if name in sol]
    return max((float(np.max(v[np.isfinite(v)], initial=0.0)) for v in speeds), default=0.0)


def _rounding(model: cl.Model) -> float:
    """Return what rounding leaves of a force that is zero.

    It is the difference of forces of the size of the weights, each known to a rounding, in a matrix
    whose condition takes some digits.
    """
    masses = [getattr(body, "mass", 0.0) for body in model.bodies]
    gravity = 0.0 if model.gravity is None else float(np.linalg.norm(model.gravity))
    return max(1e-12 * gravity * sum(m for m in masses if isinstance(m, float)), 1e-300)


def _is_stepping(sol: cl.Solution) -> bool:
    """Tell whether forces of this run are means over time steps."""
    return "dt=" in str(sol.info.method) and "EventDriven" not in str(sol.info.method)


def _one_step_per_row(sol: cl.Solution) -> bool:
    """Tell whether every time step was stored."""
    return int(sol.statistics["steps"]) <= len(sol.t) - 1


def _elements(sol: cl.Solution, model: cl.Model) -> Iterator[tuple[str, Any]]:
    """Give the label in the results and the part of every set-valued element."""
    parts: dict[str, Any] = {part.name: part for part in (*model.contacts, *model.corners)}
    for part in model.forces:
        for name, row in (getattr(part, "rows", None) or {}).items():
            parts[f"{part.name}.{name}"] = row
    for label in sol.parts:
        if f"{label}.state" not in sol:
            continue
        # points of a contact are numbered, those of bodies of several contours by contours as
        # well, the two stops of a coordinate named
        name = re.sub(r"(\[[\d.]+\]|\.lower|\.upper)$", "", label)
        if name not in parts and model.pooled_rules is not None:
            parts[name] = model.pooled_rules.contact(name)
        yield label, parts.get(name)


def _has_friction(part: Any) -> bool:
    """Tell whether a part has a friction coefficient, not a bound of its own."""
    if isinstance(part, cl.UnilateralRow):
        return part.tangent is not None
    return isinstance(part, cl.Contact | cl.UserContact | cl.AllContacts)


def _is_compliant(part: Any) -> bool:
    if isinstance(part, cl.Contact):
        return part.normal is not None
    if isinstance(part, cl.UnilateralRow):
        return part.law is not None or part.R > 0.0
    return isinstance(part, cl.UserContact | cl.Backlash) and part.law is not None


def _given_bound(part: Any) -> float | None:
    """Return the bound of a friction element where it is one number."""
    bound = getattr(part, "capacity", getattr(part, "torque", None))
    return float(bound) if isinstance(bound, float | int) else None


def _sizes(speeds: Floats) -> Floats:
    """Return the sliding speeds of all rows, in the plane or in space."""
    return np.asarray(np.linalg.norm(speeds, axis=-1) if speeds.ndim == 2 else np.abs(speeds))


def _sticking_faults(
    sol: cl.Solution, label: str, part: Any, speed_tol: float, single: bool, at: Any, room: Any
) -> list[Fault]:
    """Find where what is said to stick neither stands still nor comes back by its restitution."""
    size, before = _sizes(at[f"{label}.gamma_T"]), _sizes(sol[f"{label}.gamma_T"])
    most = speed_tol + room + np.zeros(size.size)
    if eps_T := getattr(part, "eps_T", 0.0):
        if not single:
            return []
        most = most + eps_T * np.concatenate([before[:1], before[:-1]])
    moves = (sol[f"{label}.state"] == STICK) & (size > most)
    return [("sliding in a contact that sticks", moves, size)]


def _ends_a_step(sol: cl.Solution) -> Any:
    """Tell of which rows the force is the mean over a step.

    The row behind an event of an element has no step of its own.
    """
    if not _is_stepping(sol):
        return np.ones(len(sol.t), dtype=bool)
    return np.diff(sol.t, prepend=-np.inf) > 0.0


def _set_faults(
    sol: cl.Solution,
    label: str,
    row: Any,
    force_tol: float,
    speed_tol: float,
    single: bool,
    at: Any,
    room: Any,
) -> list[Fault]:
    """Find where not lower <= lam <= upper, or sliding without the end that belongs to it."""
    ends = _set_ends(sol, row)
    if ends is None:
        return []
    lower, upper = ends
    # what cannot move backward at all has the names of a normal direction
    kind = "T" if f"{label}.lam_T" in sol else "N"
    lam, gamma = sol[f"{label}.lam_{kind}"], at[f"{label}.gamma_{kind}"]
    on = _is_on(sol, label, row)
    whole = _ends_a_step(sol)
    sizes = np.abs(np.concatenate([lower, upper, lam[whole]]))
    small = 10.0 * force_tol * float(sizes[np.isfinite(sizes)].max(initial=1e-300))
    found = [
        ("force below its set", on & whole & (lam < lower - small), lam),
        ("force above its set", on & whole & (lam > upper + small), lam),
        ("force of a row that is off", ~on & whole & (np.abs(lam) > small), lam),
    ]
    if not single or row.R > 0.0:
        return found
    for sign, end in ((1.0, lower), (-1.0, upper)):
        slides = on & whole & ~_before_jumps(sol, gamma) & (sign * gamma > speed_tol + room)
        # no force is at an end that does not exist: there the row cannot slide
        at_end = np.isfinite(end) & (np.abs(lam - np.nan_to_num(end)) <= small)
        found.append(("sliding without the end of its set", slides & ~at_end, lam))
    return found


def _is_on(sol: cl.Solution, label: str, row: Any) -> Any:
    """Tell in which rows of the results a row of an element exists."""
    on = sol[f"{label}.state"] != OPEN
    if row.active is None:
        # forces of steps are those of the step before a row, and the first has none
        on[1 if _is_stepping(sol) else 0 :] = True
    elif isinstance(row.active, str) and not _is_stepping(sol):
        on = sol[f"{label.rpartition('.')[0]}.{row.active}"] > 0.0
    elif not _is_stepping(sol):
        # where a function decides, a row without a force may be off
        on &= sol[f"{label}.lam_T" if f"{label}.lam_T" in sol else f"{label}.lam_N"] != 0.0
    return on


def _before_jumps(sol: cl.Solution, gamma: Floats) -> Any:
    """Tell which rows are limits before a jump of a velocity, which may be what a law forbids."""
    # the last row of the same time
    last = np.searchsorted(sol.t, sol.t, side="right") - 1
    return np.abs(gamma - gamma[last]) > 1e-6 * np.abs(gamma).max(initial=0.0)


def _set_ends(sol: cl.Solution, row: Any) -> tuple[Floats, Floats] | None:
    """Return the ends of a set at every row where they are numbers or follow known forces."""
    none = np.zeros(len(sol.t))
    if isinstance(row.upper, cl.Multipliers):
        if not all(f"{name}.lam_N" in sol for name in row.upper.factors):
            return None
        loads = [value * sol[f"{name}.lam_N"] for name, value in row.upper.factors.items()]
        upper = np.maximum(row.upper.constant + sum(loads, none), 0.0)
        return -upper, upper
    high = np.inf if row.upper is None else row.upper
    if not isinstance(high, float) or not isinstance(row.lower, float | None):
        return None
    low = -high if row.lower is None else row.lower
    return none + low, none + high


def largest_mu(law: Any, speeds: Floats) -> float:
    """Return the largest friction coefficient of a law at rest or at any of the speeds."""
    if isinstance(law, cl.Coulomb):
        return max(law.static or 0.0, largest_mu(law.mu, speeds))
    if isinstance(law, cl.Stribeck):
        return float(max(law.static, np.max(stribeck(law, speeds), initial=0.0)))
    if isinstance(law, cl.Table):
        return float(max(law.y))
    if callable(law):
        return float(max(law(abs(float(v))) for v in (0.0, *speeds)))
    return float(law)


def stribeck(law: Any, speeds: Floats) -> Floats:
    """Return the coefficient of a Stribeck law at some speeds."""
    v = np.abs(speeds)
    fall = np.exp(-((v / law.velocity) ** law.exponent))
    return np.asarray(law.kinetic + (law.static - law.kinetic) * fall + law.viscous * v)


def _check_normal(
    sol: cl.Solution,
    label: str,
    part: Any,
    gap_tol: float,
    under: float,
    small: float,
    stepping: bool,
    single: bool,
    steps: _Steps | None,
    behind: list[int],
) -> None:
    """Check g >= 0, lam_N >= 0 and g lam_N = 0; compliant contacts may overlap."""
    lam = sol[f"{label}.lam_N"] + 0.0
    _note("pole", sol, label, lam[behind] < -small)
    lam[behind] = np.maximum(lam[behind], 0.0)
    _all(sol, label, "normal force is negative", lam >= -small, lam)
    if _is_compliant(part):
        return
    if f"{label}.gap" not in sol:
        return
    gap = sol[f"{label}.gap"]
    travel = _step_travel(sol, label) if stepping else 0.0
    # what overlaps at the start is a matter of the model
    overlap = under + max(0.0, -gap[min(_first_row(sol), gap.size - 1)])
    # a step ends at most the distance behind the surface that it covers
    _all(sol, label, "gap is negative", gap >= -(overlap + travel), gap)
    if steps is not None:
        steps.check(label, lam > small, travel)
    elif single:
        _all(sol, label, "force over an open gap", (lam <= small) | (gap <= gap_tol), gap)


class _Steps:
    """How far a gap may be open in the middle of a time step whose force is not zero. (T-14.5)

    A contact takes part in a step if its gap is closed in the middle. One that was closed stays in
    the problem as well
    - rate: while its gap is below the way at its gap rate in a step;
    - end: while the forces of the step close its gap by the end of it (T-14.18), where it then
      must be closed, but for what its rate has turned by;
    - weight: one with restitution that falls back is held where it is, at most as far away as
      weight takes it in a step.
    On position level all take part that two steps reach. CORNERLAW_LAWS_LOG=FILE lists every use of
    one of them that decides.
    """

    def __init__(self, sol: cl.Solution, middles: Middles, gap_tol: float) -> None:
        self.sol, self.middles, self.gap_tol = sol, middles, gap_tol
        self.dt = np.diff(sol.t, prepend=sol.t[0])
        self.reach = 1.0 if middles.alpha > 0.0 else 2.0

    def check(self, label: str, pressed: Any, travel: Any) -> None:
        """Fail where a force acts over a gap that is open by more than all of this."""
        if not (pressed & (self.sol[f"{label}.gap"] > self.gap_tol)).any():
            return
        gap = self.middles[f"{label}.gap"]
        room = self.gap_tol + self.middles.in_parts()
        for name in ("rate", "end", "weight"):
            held = ~pressed | (gap <= room)
            if held.all():
                return
            if name == "rate":
                room = room + self.reach * travel
            elif name == "end":
                gap = np.minimum(gap, self.sol[f"{label}.gap"])
            else:
                room = room + GRAVITY * self.dt**2
            _note(name, self.sol, label, ~held & (gap <= room))
        _all(self.sol, label, "force over an open gap", ~pressed | (gap <= room), gap)


def _behind_poles(sol: cl.Solution) -> dict[str, list[int]]:
    """Return of each contact the rows of left limits just behind a pole of its normal force.

    Where sliding comes to its end by Painleve's paradox the force grows beyond all bounds and its
    sign changes at the event, which is located to a few units in the last place behind the pole
    (test_painleve.py, a sliding rod passes the boundary). Other contacts get nothing from it.
    """
    found: dict[str, list[int]] = defaultdict(list)
    for event in sol.events:
        if event.kind == "painleve":
            near = (np.abs(sol.t - event.time) <= 1e-15 * abs(event.time)) & (sol.side <= 0)
            found[event.name] += np.flatnonzero(near).tolist()
    return found


def _note(allowance: str, sol: cl.Solution, label: str, used: Any) -> None:
    """List what holds by an allowance alone in the file that CORNERLAW_LAWS_LOG names."""
    path, rows = os.environ.get("CORNERLAW_LAWS_LOG"), int(np.count_nonzero(used))
    if path and rows:
        test = os.environ.get("PYTEST_CURRENT_TEST", "")
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{allowance}\t{rows}\t{label}\t{sol.info.method}\t{test}\n")


def _step_travel(sol: cl.Solution, label: str) -> Any:
    """Return the largest change of the gap in the step before each row."""
    speed = np.abs(sol[f"{label}.gamma_N"])
    before = np.concatenate([speed[:1], speed[:-1]])
    return np.asarray(np.maximum(speed, before) * np.diff(sol.t, prepend=sol.t[0]))


def _friction_faults(
    sol: cl.Solution,
    label: str,
    part: Any,
    small: float,
    speed_tol: float,
    single: bool,
    behind: list[int],
    at: Any,
    room: Any,
) -> list[Fault]:
    """Find where not |lam_T| <= mu lam_N, or friction drives."""
    lam_N, lam_T = sol[f"{label}.lam_N"] + 0.0, sol[f"{label}.lam_T"] + 0.0
    lam_N[behind], lam_T[behind] = 0.0, 0.0
    speeds = at[f"{label}.gamma_T"]
    sizes = _sizes(speeds)
    mu = largest_mu(part.mu, sizes)
    small *= 1.0 + mu  # what the normal force is off, friction is mu times
    if np.ndim(lam_T) == 2:
        return _disc_faults(part, lam_N, lam_T, speeds, mu, small, speed_tol + room, single)
    out = np.abs(lam_T) > mu * lam_N + small
    found: list[Fault] = [("friction leaves its cone", out, lam_T)]
    if not single or getattr(part, "eps_T", 0.0):
        return found
    for sign in (1.0, -1.0):
        slides = sign * speeds > speed_tol + room
        found.append(("friction drives", slides & (sign * lam_T > small), lam_T))
        if isinstance(part.mu, float):
            full = np.abs(np.abs(lam_T) - mu * lam_N) <= small
            found.append(("sliding without full friction", slides & ~full, lam_T))
    return found


def _disc_faults(
    part: Any,
    lam_N: Floats,
    lam_T: Floats,
    speeds: Floats,
    mu: float,
    small: float,
    slow: Any,
    single: bool,
) -> list[Fault]:
    """Find where friction in the plane of a contact in space is not in its disc, along sliding."""
    if getattr(part, "mu_across", None) is not None:
        mu = max(mu, part.mu_across)
    size = np.linalg.norm(lam_T, axis=1)
    found: list[Fault] = [("friction leaves its cone", size > mu * lam_N + small, size)]
    laws = [getattr(part, name, None) for name in ("eps_T", "mu_across", "drilling")]
    if not single or any(laws) or not isinstance(part.mu, float):
        return found
    # a velocity that is known to `slow` has a direction that is known to slow over speed
    fast = _sizes(speeds)
    slides = fast > slow
    divisor = np.where(slides, fast, 1.0)
    off = np.linalg.norm(lam_T + mu * lam_N[:, None] * speeds / divisor[:, None], axis=1)
    room = small + mu * lam_N * np.where(slides, slow / divisor, 0.0)
    return [*found, ("friction is not against sliding", slides & (off > room), off)]


def _work_of_weight(data: Any, step: float) -> float:
    """Return what weight may do in the step of a soft impact, which its log does not tell apart.

    In a time step forces and impulses act together; the log has the velocities before and after
    both. Approaches faster than weight makes in a step or two are impacts and get no allowance.
    """
    fall = GRAVITY * step
    if abs(data["gamma_N_minus"]) > 4.0 * fall:
        return 0.0
    friction = data["Lambda_T"] if np.isfinite(data["Lambda_T"]) else 0.0
    return float(fall * (abs(data["Lambda_N"]) + abs(friction)))


def _check_impacts(
    sol: cl.Solution, model: cl.Model, force_tol: float, passive: bool, reversible: bool
) -> None:
    """Check the impulses of every logged impact and the energy of all at one time."""
    parts = dict(_elements(sol, model))
    energy: dict[float, float] = defaultdict(float)
    entries: dict[float, list[float]] = defaultdict(list)
    impacts = [event for event in sol.events if event.kind == "impact"]
    if not impacts:
        return
    largest, scale = max(abs(event.data["Lambda_N"]) for event in impacts), 0.0
    steps = max(1, int(sol.statistics["steps"]))
    step = float(sol.t[-1] - sol.t[0]) / steps if _is_stepping(sol) else 0.0
    # all impulses of a step are solved together, to a fraction of the largest one
    largest = max(largest, step * _largest_force(sol, parts))
    for event in impacts:
        d = event.data
        where = f"{event.name} at {event.time:.9g} s: {dict(d)}"
        assert d["Lambda_N"] >= -force_tol * largest, where
        part = parts.get(event.name)
        if _has_friction(part) and np.isfinite(d["Lambda_T"]):
            speeds = np.array([d["gamma_T_minus"], d["gamma_T_plus"]])
            bound = largest_mu(part.mu, speeds) * d["Lambda_N"]
            if not reversible:
                assert abs(d["Lambda_T"]) <= bound + force_tol * largest, where
        energy[event.time] += d["energy"] - _work_of_weight(d, step)
        entries[event.time].append(d["energy"])
        scale = max(scale, abs(d["Lambda_N"]) * (abs(d["gamma_N_minus"]) + abs(d["gamma_N_plus"])))
    # contacts at rest are hit by rounding alone, which is one of the energy of the whole
    whole = np.abs(sol.energy.kinetic).max() + np.ptp(sol.energy.potential)
    scale = max(scale, 1e-8 * float(whole), 1e-16 * float(np.abs(sol.energy.potential).max()))
    worst = max(energy, key=lambda time: energy[time])
    gain, logged = energy[worst], sol.statistics["largest_impact_gain"]
    text = f"gain of {gain:g} J at {worst:.9g} s, logged {logged:g} J"
    # of contacts at rest, that open and close by a rounding, speeds are rounding as well
    rounding = 1e-13 * largest
    if passive:
        assert gain <= force_tol * scale + rounding, text
        # impacts at one time hide each other in the sum; by steps the log has work of weight too
        assert step or logged <= force_tol * scale + rounding, text
    elif gain > force_tol * scale:
        # impacts can follow each other at one time; the largest is one of them, entries in a row
        sums = [abs(part - logged) for part in _partial_sums(entries.values())]
        assert gain <= len(entries[worst]) * (logged + 1e-6 * scale), text
        assert min(sums) <= 1e-6 * scale, text


def _partial_sums(lists: Iterable[list[float]]) -> Iterator[float]:
    """Yield the sums of all entries that stand in a row."""
    for values in lists:
        for first in range(len(values)):
            yield from itertools.accumulate(values[first:])


def _all(sol: cl.Solution, label: str, what: str, holds: Any, values: Floats) -> None:
    """Fail at the first row where a law does not hold."""
    bad = np.flatnonzero(~np.asarray(holds))
    bad = bad[bad >= _first_row(sol)]
    if bad.size:
        k = int(bad[0])
        raise AssertionError(
            f"{label}: {what} in {bad.size} of {len(sol.t)} rows, first at t = {sol.t[k]:.9g} s "
            f"(row {k}, side {sol.side[k]}): {values[k]:.6g}"
        )
