"""The laws every run with set-valued elements must obey, checked on every stored row.

`tests/conftest.py` checks every run of every test by `check_run`; what a test must allow, or why it
must be left out, is said by `@pytest.mark.contact_laws(...)`, or in a fixture by `allow(...)`.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.arrays.corner_work import OPEN, STICK
from cornerlaw.model.part import base_of

Floats = NDArray[np.float64]


GRAVITY = 10.0  # [m/s^2], near enough
_allowed: list[dict[str, Any]] = [{}]  # what the runs at hand are checked with


@contextmanager
def allow(**laws: Any) -> Iterator[None]:
    """Check all runs inside with these arguments of `assert_contact_laws`; `skip` says why not."""
    _allowed.append(laws)
    try:
        yield
    finally:
        _allowed.pop()


def check_run(sol: cl.Solution, model: cl.Model, method: Any) -> None:
    """Check a run that a test has made, with what follows from its method and model."""
    laws = dict(_allowed[-1])
    skipped = laws.pop("skip", None)
    # problems that were accepted above the tolerance say so by this status
    if skipped or sol.info.status == "degraded" or not len(sol.t):
        return
    assert_contact_laws(sol, model, **{**law_arguments(sol, model, method), **laws})


def law_arguments(sol: cl.Solution, model: cl.Model, method: Any) -> dict[str, bool]:
    """Return the arguments of `assert_contact_laws` that follow from a run's method and model."""
    stepping = _is_stepping(sol)
    return {
        # event by event, corners that stick together share their forces as they like
        "sums": not stepping,
        # by steps the laws hold in the middle of a step, where curved contours turn a little
        "steady": stepping,
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
    sums: bool = False,
    steady: bool = False,
) -> None:
    """Assert complementarity, friction cone, direction of friction and the energy of impacts.

    gap_tol    [m] how far a gap may be negative, or open under a force (event-driven)
    force_tol  of the largest force or impulse of the run
    speed_tol  [m/s] sliding slower than this has no direction; on the time-stepping road the laws
               hold at the middle of a step, so that curved contours need some dt * speed here
    sums       check friction of the sum over the corners of a pair: where several corners stick,
               the split of the force among them is not unique
    steady     sliding has a direction only where it is faster than half a step of turning makes it
    passive    False for laws that may gain energy: the gain must then be the one that is logged
    reversible True for laws that give back tangential impulses: those may leave the cone

    Every check fails with the contact, the time and the numbers in its message.
    """
    stepping = _is_stepping(sol)
    single = not stepping or _one_step_per_row(sol)
    groups: dict[str, list[str]] = defaultdict(list)
    elements = dict(_elements(sol, model))
    largest = _largest_force(sol, elements)
    small = force_tol * max(largest, 1e-300)
    poles = {} if stepping else _behind_poles(sol)
    driven = _driven_bodies(model) if steady else set()
    check = _Steps(sol, model, elements, gap_tol) if stepping and single else None
    for label, part in elements.items():
        if f"{label}.lam_N" in sol:
            behind = poles.get(label, [])
            _check_normal(sol, label, part, gap_tol, small, stepping, single, check, behind)
        if f"{label}.lam_T" in sol and _has_friction(part):
            groups[getattr(part, "name", label) if sums else label].append(label)
        elif f"{label}.lam_T" in sol and (bound := _given_bound(part)) is not None:
            lam = sol[f"{label}.lam_T"]
            # the row before an event is just behind the bound
            most = bound + 10.0 * max(small, force_tol * bound)
            _all(sol, label, "friction above its bound", np.abs(lam) <= most, lam)
        if isinstance(part, cl.SetRow):
            slowest = speed_tol + (_unsteadiness(sol, [label], part) if steady else 0.0)
            _check_set(sol, label, part, force_tol, slowest, single)
    for labels in groups.values():
        slowest = speed_tol
        if steady:
            slowest = speed_tol + _unsteadiness(sol, labels, elements[labels[0]])
            slowest = slowest + _driving(sol, elements[labels[0]], driven)
        for label in labels:
            _check_sticking(sol, label, elements[label], slowest, single)
        behind = [k for label in labels for k in poles.get(label, [])]
        _check_friction(sol, labels, elements[labels[0]], small, slowest, single, behind)
    _check_impacts(sol, model, force_tol, passive, reversible)


def _largest_force(sol: cl.Solution, elements: dict[str, Any]) -> float:
    """Return the largest normal force of all elements at all rows."""
    forces = [sol[f"{label}.lam_N"] for label in elements if f"{label}.lam_N" in sol]
    # one infinite force must not make all others small
    return max((float(np.max(np.abs(lam[np.isfinite(lam)]), initial=0.0)) for lam in forces),
                  default=0.0)  # fmt: skip


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
        # points of a contact are numbered, the two stops of a coordinate named
        name = re.sub(r"(\[\d+\]|\.lower|\.upper)$", "", label)
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


def _unsteadiness(sol: cl.Solution, labels: list[str], part: Any) -> Floats:
    """Return a bound of what half a step of turning changes in the sliding speeds at each row.

    The law holds in the middle of a step. What it makes zero there, the normal velocity of a closed
    contact, shows at the row what turning does; a change from row to row shows the rest. So does
    the way of the contact point over the bodies, which have other velocities there.
    """
    sliding = [name for name in labels if f"{name}.gamma_T" in sol]
    names = [f"{name}.gamma_T" for name in sliding] or [f"{name}.gamma_N" for name in labels]
    speeds = np.stack([sol[name] for name in names])
    jumps = np.abs(np.diff(speeds, axis=1))
    steps = np.max(jumps, axis=(0, 2) if jumps.ndim == 3 else 0)
    rates = [f"{label}.gamma_N" for label in sliding if f"{label}.gamma_N" in sol]
    normal = sum((np.abs(sol[name]) for name in rates), np.zeros(len(sol.t)))
    found = np.maximum(np.append(steps, 0.0), np.insert(steps, 0, 0.0)) + 4.0 * normal
    for label in labels:
        found = found + _rolling(sol, label, part) + _pivoting(sol, label, part)
    return found


def _check_sticking(sol: cl.Solution, label: str, part: Any, speed_tol: Any, single: bool) -> None:
    """Check that what is said to stick stands still, or comes back by its restitution."""
    speeds = sol[f"{label}.gamma_T"]
    size = np.linalg.norm(speeds, axis=1) if speeds.ndim == 2 else np.abs(speeds)
    most = speed_tol + np.zeros(size.size)
    if eps_T := getattr(part, "eps_T", 0.0):
        if not single:
            return
        most = most + eps_T * np.concatenate([size[:1], size[:-1]])
    moves = (sol[f"{label}.state"] == STICK) & (size > most)
    _all(sol, label, "sliding in a contact that sticks", ~moves, size)


def _ends_a_step(sol: cl.Solution) -> Any:
    """Tell of which rows the force is the mean over a step.

    The row behind an event of an element has no step of its own.
    """
    if not _is_stepping(sol):
        return np.ones(len(sol.t), dtype=bool)
    return np.diff(sol.t, prepend=-np.inf) > 0.0


def _check_set(
    sol: cl.Solution, label: str, row: Any, force_tol: float, speed_tol: Any, single: bool
) -> None:
    """Check lower <= lam <= upper, and the end that belongs to a direction of sliding."""
    ends = _set_ends(sol, row)
    if ends is None:
        return
    lower, upper = ends
    # what cannot move backward at all has the names of a normal direction
    kind = "T" if f"{label}.lam_T" in sol else "N"
    lam, gamma = sol[f"{label}.lam_{kind}"], sol[f"{label}.gamma_{kind}"]
    on = _is_on(sol, label, row)
    whole = _ends_a_step(sol)
    sizes = np.abs(np.concatenate([lower, upper, lam[whole]]))
    small = 10.0 * force_tol * float(sizes[np.isfinite(sizes)].max(initial=1e-300))
    _all(sol, label, "force below its set", ~(on & whole) | (lam >= lower - small), lam)
    _all(sol, label, "force above its set", ~(on & whole) | (lam <= upper + small), lam)
    _all(sol, label, "force of a row that is off", on | ~whole | (np.abs(lam) <= small), lam)
    if not single or row.R > 0.0:
        return
    for sign, end in ((1.0, lower), (-1.0, upper)):
        slides = on & whole & ~_before_jumps(sol, gamma) & (sign * gamma > speed_tol)
        # no force is at an end that does not exist: there the row cannot slide
        at_end = np.isfinite(end) & (np.abs(lam - np.nan_to_num(end)) <= small)
        _all(sol, label, "sliding without the end of its set", ~slides | at_end, lam)


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


def _driven_bodies(model: cl.Model) -> set[str]:
    """Return the names of frames and of mechanisms' bodies that a function of time moves."""
    root = _mechanisms(model)
    moved = [joint for joint in model.joints if getattr(joint, "drive", None) is not None]
    ends = {base_of(end).name for joint in moved for end in (joint.first, joint.second)}  # type: ignore[attr-defined]
    roots = {root[name] for name in ends if name in root}
    return {frame.name for frame in model.moving_frames} | {
        name for name, top in root.items() if top in roots
    }


def _driving(sol: cl.Solution, part: Any, driven: set[str]) -> Floats:
    """Return what half a step changes in the velocities of driven sides of a contact.

    A step takes prescribed velocities of its middle: fingers that rise at 2.6 m/s^2 are faster than
    what they hold by half a step of that at its end (gripper).
    """
    found, rows = np.zeros(len(sol.t)), np.diff(sol.t)
    step = float(sol.t[-1] - sol.t[0]) / max(1, int(sol.statistics["steps"]))
    for side in (getattr(part, name, None) for name in ("first", "second")):
        name = getattr(base_of(getattr(side, "on", side)), "name", "")
        if name not in driven or f"{name}.velocity" not in sol:
            continue
        change = np.linalg.norm(np.diff(sol[f"{name}.velocity"], axis=0), axis=1)
        # rows of one time are limits of events
        rate = np.divide(change, rows, out=np.zeros(rows.size), where=rows > 0.0)
        found += 0.5 * step * np.maximum(np.append(rate, 0.0), np.insert(rate, 0, 0.0))
    return found


def _pivoting(sol: cl.Solution, label: str, part: Any) -> Floats:
    """Return what turning of the arms in half the step before each row changes in the plane.

    The velocity that is zero in the middle of the step is omega^2 arm dt/2 at its end: of the chalk
    that sticks and tips over its point, to four digits (chattering_chalk).
    """
    found, dt = np.zeros(len(sol.t)), np.diff(sol.t, prepend=sol.t[0])
    for side in (getattr(part, name, None) for name in ("first", "second")):
        name = getattr(base_of(getattr(side, "on", side)), "name", "")
        if f"{name}.angular_velocity" not in sol or f"{label}.point" not in sol:
            continue
        omega, arm = sol[f"{name}.angular_velocity"], sol[f"{label}.point"]
        if omega.ndim == 1 and f"{name}.position" in sol:
            arm = arm - sol[f"{name}.position"]
            found += 0.5 * dt * omega**2 * np.linalg.norm(arm, axis=1)
    return found


def _rolling(sol: cl.Solution, label: str, part: Any) -> Floats:
    """Return what the step before each row may change in the speeds at a contact in space.

    In half a step the arms of both bodies turn, which changes omega x arm by omega x (omega x arm)
    times half the step; and the contact point runs over the bodies, which move otherwise there. On
    a rim that is all but flat it may be anywhere. Friction is given along the tangents of the
    middle of the step.
    """
    found, dt = np.zeros(len(sol.t)), np.diff(sol.t, prepend=sol.t[0])
    if f"{label}.tangent" not in sol or sol[f"{label}.tangent"].shape[-1] != 3:
        return found
    tangent = sol[f"{label}.tangent"]
    turned = np.linalg.norm(np.diff(tangent, axis=0, prepend=tangent[:1]), axis=1)
    found += turned * np.linalg.norm(sol[f"{label}.gamma_T"], axis=1)
    for side in (getattr(part, name, None) for name in ("first", "second")):
        name = getattr(getattr(side, "on", side), "name", "")
        if f"{name}.rotation" not in sol:
            continue
        omega, rotation = sol[f"{name}.angular_velocity"], sol[f"{name}.rotation"]
        arm = sol[f"{label}.point"] - sol[f"{name}.position"]
        found += 0.5 * dt * np.linalg.norm(np.cross(omega, np.cross(omega, arm)), axis=1)
        local = np.einsum("tji,tj->ti", rotation, arm)
        way = np.linalg.norm(np.diff(local, axis=0, prepend=local[:1]), axis=1)
        if isinstance(side, cl.Cylinder | cl.Cone | cl.Ring):
            axis = rotation @ np.asarray(side.axis)
            tilt = np.linalg.norm(np.cross(axis, sol[f"{label}.normal"]), axis=1)
            # half a step before, in its middle, the axis leant elsewhere: so did the lowest point
            lean = 0.5 * dt * np.linalg.norm(np.cross(omega, axis), axis=1)
            share = lean / np.maximum(tilt, 1e-300)
            swing = np.where(share < 1.0, 0.5 * np.pi * share, 2.0) * side.radius
            way = np.where(tilt < 1e-6, 2.0 * side.radius, np.maximum(way, swing))
        found += way * np.linalg.norm(omega, axis=1)
    return found


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
    overlap = gap_tol + max(0.0, -gap[0])
    # a step ends at most the distance behind the surface that it covers
    _all(sol, label, "gap is negative", gap >= -(overlap + travel), gap)
    if steps is not None:
        steps.check(label, part, lam > small, travel)
    elif single:
        _all(sol, label, "force over an open gap", (lam <= small) | (gap <= gap_tol), gap)


class _Steps:
    """How far a gap may be open at the end of a time step whose force is not zero.

    The law of a step holds for the velocity at its end and for directions in its middle. A contact
    that carries a force closes by that law, but its gap at the end of the step may be open by
    - rate: 2.5 times the way at the gap rate of either end. The middle turns the rate by as much as
      the end shows, and a contact counts as closed half a step ahead;
    - weight: what weight covers in a step;
    - slot: points of one pair change places among its slots within a step, and its force stands at
      the place it had in the middle: the nearest point of the pair counts;
    - end: a contact that was closed at the row before ran over the end of an open contour, and has
      no gap in the row behind it (test_ends_of_contours.py, segment on parabola);
    - arrival: a contact that did not exist at the row before has no rate there; the impact that is
      logged tells it;
    - lift: a step that ends behind a surface is put back onto it, at most by the way of its contact
      in the step. The mechanism may turn about it, which opens its other contacts by as much
      (test_rocking_block.py, time stepping; a piston at its stop and the junction of its chamber,
      test_hydraulics_network.py, a pump in time steps).
    CORNERLAW_LAWS_LOG=FILE lists every use of one of them that decides.
    """

    def __init__(
        self, sol: cl.Solution, model: cl.Model, elements: dict[str, Any], gap_tol: float
    ) -> None:
        self.sol, self.gap_tol = sol, gap_tol
        self.dt = np.diff(sol.t, prepend=sol.t[0])
        self.root = _mechanisms(model)
        self.lifts: dict[str, Floats] = {}
        self.nearest: dict[str, Floats] = {}
        for label, part in elements.items():
            if f"{label}.gap" not in sol or f"{label}.gamma_N" not in sol:
                continue
            gap = sol[f"{label}.gap"]
            way = np.where(np.abs(gap) <= gap_tol, _step_travel(sol, label), 0.0)
            for root in self._roots(part):
                self.lifts[root] = np.maximum(self.lifts.get(root, 0.0), way)
            if "[" in label:
                pair = label.rpartition("[")[0]
                self.nearest[pair] = np.fmin(self.nearest.get(pair, np.inf), gap)

    def _roots(self, part: Any) -> set[str]:
        """Return the mechanisms that a contact belongs to."""
        sides = (getattr(part, name, None) for name in ("first", "second"))
        names = [getattr(base_of(getattr(side, "on", side)), "name", "") for side in sides]
        on = getattr(part, "on", None)  # of a stop; a contact of coordinates names them
        names.append(getattr(on, "name", on) if isinstance(part, cl.Limit) else "")
        names += [key.rpartition(".")[0] for key in getattr(part, "coordinates", None) or ()]
        return {self.root[name] for name in names if name in self.root}

    def _arrival(self, label: str) -> Floats:
        """Return the fastest logged approach of a contact in the step before each row."""
        found = np.zeros(len(self.sol.t))
        for event in self.sol.events:
            if event.kind == "impact" and event.name == label:
                # times of events are those of rows up to rounding
                k = int(np.searchsorted(self.sol.t, event.time - 1e-9 * float(self.dt.max())))
                k = min(k, found.size - 1)
                found[k] = max(found[k], abs(event.data["gamma_N_minus"]))
        return found

    def check(self, label: str, part: Any, pressed: Any, travel: Any) -> None:
        """Fail where a force acts over a gap that is open by more than all of this."""
        own = gap = self.sol[f"{label}.gap"]
        before = np.concatenate([own[:1], own[:-1]])
        room = np.full(own.size, self.gap_tol)
        for name in ("rate", "weight", "slot", "end", "arrival", "lift"):
            held = ~pressed | (gap <= room)
            if held.all():
                return
            if name == "rate":
                room = room + 2.5 * travel
            elif name == "weight":
                room = room + GRAVITY * self.dt**2
            elif name == "slot" and "[" in label:
                gap = np.where(np.isfinite(own), own, self.nearest[label.rpartition("[")[0]])
            elif name == "end":
                gap = np.where(np.isinf(own) & (before <= room), 0.0, gap)
            elif name == "arrival":
                room = room + np.where(np.isinf(before), 2.5 * self.dt * self._arrival(label), 0.0)
            elif name == "lift":
                room = room + sum(self.lifts[root] for root in self._roots(part))
            _note(name, self.sol, label, ~held & (gap <= room))
        _all(self.sol, label, "force over an open gap", ~pressed | (gap <= room), own)


def _mechanisms(model: cl.Model) -> dict[str, str]:
    """Return for every moving body the name of one that stands for all that joints tie to it."""
    sliders = [part for part in model.parts if isinstance(part, cl.Slider)]
    root = {part.name: part.name for part in (*model.bodies, *sliders)}

    def top(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    for joint in model.joints:
        ends = [base_of(end).name for end in (joint.first, joint.second)]  # type: ignore[attr-defined]
        if all(end in root for end in ends):
            root[top(ends[0])] = top(ends[1])
    return {name: top(name) for name in root}


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


def _check_friction(
    sol: cl.Solution,
    labels: list[str],
    part: Any,
    small: float,
    speed_tol: Any,
    single: bool,
    behind: list[int],
) -> None:
    """Check |lam_T| <= mu lam_N of the sums over some corners; friction opposes sliding."""
    lam_N = np.sum([sol[f"{label}.lam_N"] for label in labels], axis=0)
    lam_T = np.sum([sol[f"{label}.lam_T"] for label in labels], axis=0)
    lam_N[behind], lam_T[behind] = 0.0, 0.0
    speeds = np.stack([sol[f"{label}.gamma_T"] for label in labels])
    sizes = np.linalg.norm(speeds, axis=2) if speeds.ndim == 3 else speeds
    mu = largest_mu(part.mu, sizes.ravel())
    label = labels[0] if len(labels) == 1 else part.name
    small *= 1.0 + mu  # what the normal force is off, friction is mu times
    if np.ndim(lam_T) == 2:
        _check_disc(sol, label, part, (lam_N, lam_T, speeds, mu, small), speed_tol, single)
        return
    _all(sol, label, "friction leaves its cone", np.abs(lam_T) <= mu * lam_N + small, lam_T)
    if not single or getattr(part, "eps_T", 0.0):
        return
    for sign in (1.0, -1.0):
        slides = np.all(sign * speeds > speed_tol, axis=0)
        _all(sol, label, "friction drives", ~slides | (sign * lam_T <= small), lam_T)
        if isinstance(part.mu, float):
            full = np.abs(np.abs(lam_T) - mu * lam_N) <= small
            _all(sol, label, "sliding without full friction", ~slides | full, lam_T)


def _check_disc(
    sol: cl.Solution, label: str, part: Any, values: Any, speed_tol: Any, single: bool
) -> None:
    """Check friction in the plane of a contact in space: a disc, and along the sliding."""
    lam_N, lam_T, speeds, mu, small = values
    if getattr(part, "mu_across", None) is not None:
        mu = max(mu, part.mu_across)
    size = np.linalg.norm(lam_T, axis=1)
    _all(sol, label, "friction leaves its cone", size <= mu * lam_N + small, size)
    laws = [getattr(part, name, None) for name in ("eps_T", "mu_across", "drilling")]
    if not single or any(laws) or len(speeds) > 1 or not isinstance(part.mu, float):
        return
    # the direction of slow sliding turns within a step: by speed_tol over the speed
    fast = np.linalg.norm(speeds[0], axis=1)
    slides = fast > speed_tol
    way = speeds[0] / np.where(slides, fast, 1.0)[:, None]
    off = np.linalg.norm(lam_T + mu * lam_N[:, None] * way, axis=1)
    room = small + mu * lam_N * np.where(slides, speed_tol / np.where(slides, fast, 1.0), 0.0)
    _all(sol, label, "friction is not against sliding", ~slides | (off <= room), off)


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
    if bad.size:
        k = int(bad[0])
        raise AssertionError(
            f"{label}: {what} in {bad.size} of {len(sol.t)} rows, first at t = {sol.t[k]:.9g} s "
            f"(row {k}, side {sol.side[k]}): {values[k]:.6g}"
        )
