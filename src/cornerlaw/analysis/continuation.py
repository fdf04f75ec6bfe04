"""continue_orbit(): a branch of periodic orbits over one parameter, with its bifurcations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.analysis.periodic import (
    Anchor,
    Complexes,
    PeriodicOrbit,
    Shooting,
    Shot,
    Solved,
    as_orbit,
    check_flow,
    check_time,
    solve_orbit,
)
from cornerlaw.analysis.poincare import Bar, Family, Section, as_section, count_of
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.model import Model
from cornerlaw.simulate.methods import Method
from cornerlaw.simulate.states import At

SMALLEST_STEP = 1e-5  # of the range
PARAMETER_STEP = 1e-5  # of the range, for the derivative by the parameter
CORRECTIONS = 8
MARGIN = 0.02  # of the period: an anchor nearer to an event is moved
GRAZING = 0.05  # an impact slower than this fraction of the usual ones is about to vanish


@dataclass(frozen=True, eq=False)
class Bifurcation:
    """A point of a branch where the motion changes its kind.

    kind   "period doubling" (a multiplier passes -1), "fold" (the branch turns round),
           "branching" (a multiplier passes 1, no fold), "torus" (a pair passes the unit circle),
           "grazing" (an event comes or goes); `parameter` is where the speed of the slowest
           impact is extrapolated to zero, `orbit` the last one before
    """

    kind: str
    parameter: float
    orbit: PeriodicOrbit

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.parameter:.9g}>"


@dataclass(frozen=True, eq=False)
class OrbitBranch:
    """Periodic orbits along a branch, in its order, and its bifurcations."""

    parameter: str
    values: Floats  # of the parameter
    orbits: tuple[PeriodicOrbit, ...]
    bifurcations: tuple[Bifurcation, ...]
    end: str  # why the branch ends

    @property
    def periods(self) -> Floats:
        """Periods of the orbits [s]."""
        return np.array([orbit.period for orbit in self.orbits])

    @property
    def stable(self) -> Any:
        """Whether each orbit is stable."""
        return np.array([orbit.stable for orbit in self.orbits])

    @property
    def multipliers(self) -> Complexes:
        """Multipliers, one row per orbit, largest first; nan where an orbit has fewer."""
        most = max((orbit.multipliers.size for orbit in self.orbits), default=0)
        found = np.full((len(self.orbits), most), np.nan, dtype=complex)
        for k, orbit in enumerate(self.orbits):
            found[k, : orbit.multipliers.size] = orbit.multipliers
        return found

    def __getitem__(self, name: str) -> Floats:
        """Return a coordinate, rate or state at the section, one value per orbit."""
        return np.array([orbit[name] for orbit in self.orbits])

    def __len__(self) -> int:
        return len(self.orbits)

    def plot(self, name: str, ax: Any = None) -> Any:
        """Plot a coordinate, rate or state over the parameter; returns a matplotlib Figure."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        y, stable = self[name], self.stable
        ax.plot(self.values, np.where(stable, y, np.nan), "-", label="stable")
        ax.plot(self.values, np.where(stable, np.nan, y), "--", label="unstable")
        for b in self.bifurcations:
            ax.plot(b.parameter, b.orbit[name], "o", label=b.kind)
        ax.set_xlabel(self.parameter)
        ax.set_ylabel(name)
        ax.legend()
        return ax.figure

    def __repr__(self) -> str:
        return f"<OrbitBranch: {len(self)} orbits over {self.parameter}, {self.end}>"

    def __str__(self) -> str:
        lines = [
            f"branch of {len(self)} periodic orbits, {self.parameter} = {self.values[0]:.6g} to "
            f"{self.values[-1]:.6g}: {self.end}"
        ]
        lines += [f"  {b.kind} at {self.parameter} = {b.parameter:.9g}" for b in self.bifurcations]
        lines.append(f"  {self.parameter:<14} {'period [s]':<14} {'radius':<12} ")
        for value, orbit in zip(self.values, self.orbits, strict=True):
            word = "stable" if orbit.stable else "unstable"
            lines.append(f"  {value:<14.8g} {orbit.period:<14.8g} {orbit.radius:<12.6g} {word}")
        return "\n".join(lines)


@dataclass(eq=False)
class _Point:
    """One orbit of the branch with the derivatives of the next step."""

    value: float
    solved: Solved
    orbit: PeriodicOrbit
    tangent: Floats  # of unknowns and parameter, length 1
    by_value: Floats  # derivative of the distance by the parameter

    @property
    def anchor(self) -> Anchor:
        """Where the unknowns of the step live."""
        return self.solved.anchor


class _Continuation:
    """Pseudo-arclength continuation of the fixed points of a return map. (T-16.8)"""

    def __init__(
        self, family: Family, shooting: Shooting, bounds: tuple[float, float], tolerance: float,
        inputs: Mapping[str, float],
    ) -> None:  # fmt: skip
        self.family, self.shooting = family, shooting
        self.bounds, self.tolerance, self.inputs = bounds, tolerance, inputs
        self.range = abs(bounds[1] - bounds[0])

    def map_at(self, value: float) -> Shooting:
        """Return the return map at a parameter value."""
        return self.shooting.with_flow(self.family.at(value))

    def distance(self, anchor: Anchor, value: float, z: Floats) -> tuple[Floats, Shot]:
        """Return P(z) - z at a parameter value. (T-16.7)"""
        arrived, shot = self.map_at(value).arrive(anchor, z)
        return arrived - z, shot

    def by_parameter(self, anchor: Anchor, value: float, signature: Any) -> Floats:
        """Return the derivative of P(z) - z by the scaled parameter at z = 0."""
        z = np.zeros(self.shooting.unknowns(anchor))
        h = PARAMETER_STEP
        for _ in range(3):
            ahead, way = self.distance(anchor, value + h * self.range, z)
            back, other = self.distance(anchor, value - h * self.range, z)
            if way.trace.signature == other.trace.signature == signature:
                break
            h *= 0.1
        return np.asarray((ahead - back) / (2.0 * h))

    def tangent(self, J: Floats, by_value: Floats, before: Floats) -> Floats:
        """Return the direction of the branch, as near as possible to the one before."""
        A = np.column_stack([J - np.eye(len(J)), by_value])
        _, s, V = np.linalg.svd(A)
        rank = min(int((s > 1e-7 * s.max(initial=1e-300)).sum()), len(V) - 1)
        kernel = V[rank:]
        found = kernel.T @ (kernel @ before)
        if np.linalg.norm(found) < 1e-6:
            found = kernel[-1]
        return np.asarray(found / np.linalg.norm(found))

    def finish(self, value: float, anchor: Anchor, shot: Shot, size: float, before: Any) -> _Point:
        """Compute derivatives, multipliers and direction at a solved point."""
        shooting = self.map_at(value)
        signature = shot.trace.signature
        J, rough, _ = shooting.derivative(anchor, signature, five=True)
        by_value = self.by_parameter(anchor, value, signature)
        shooting = self.map_at(value)  # the input was varied
        solved = Solved(anchor, shot, J, rough, size, 0)
        inputs = dict(self.inputs)
        if isinstance(self.family.build, Model):
            inputs[self.family.parameter] = value
        orbit = as_orbit(shooting, solved, inputs)
        old = before(anchor) if callable(before) else before
        return _Point(value, solved, orbit, self.tangent(J, by_value, old), by_value)

    def correct(self, point: _Point, ds: float, fixed: float | None = None) -> _Point:
        """Solve for the point a length ds further on, or at a fixed parameter value.

        Newton's method with the derivatives of the point before and Broyden's updates.
        """
        anchor, d = point.anchor, point.tangent.size - 1
        row = point.tangent if fixed is None else np.eye(d + 1)[d]
        goal = ds if fixed is None else (fixed - point.value) / self.range
        v = point.tangent * (ds if fixed is None else goal / _nonzero(point.tangent[d]))
        A = np.vstack([np.column_stack([point.solved.J - np.eye(d), point.by_value]), row])
        R, shot = self._residual(point, v, row, goal)
        for _ in range(CORRECTIONS):
            size = float(np.abs(R).max(initial=0.0))
            if size <= self.tolerance:
                break
            dv = np.linalg.lstsq(A, -R, rcond=1e-10)[0]
            v = v + dv
            new, shot = self._residual(point, v, row, goal)
            A += np.outer(new - R - A @ dv, dv) / max(float(dv @ dv), 1e-300)
            R = new
        size = float(np.abs(R).max(initial=0.0))
        if size > self.tolerance:
            raise SimulationError("the corrector did not converge")
        value = point.value + v[d] * self.range
        shooting = self.map_at(value)
        t, y = shooting.place(anchor, v[:d])
        moved = shooting.make_anchor(t, y, anchor.status, anchor.scale, anchor.delay, anchor.shifts)
        _, shot = shooting.arrive(moved, np.zeros(shooting.unknowns(moved)))
        return self.finish(value, moved, shot, size, self._carried(point))

    def _carried(self, point: _Point) -> Callable[[Anchor], Floats]:
        """Return the direction of a point in the unknowns of another anchor."""
        old, d = point.anchor, point.anchor.size

        def carry(new: Anchor) -> Floats:
            change = old.basis @ point.tangent[:d]
            return np.concatenate([new.basis.T @ change, point.tangent[d:]])

        return carry

    def _residual(self, point: _Point, v: Floats, row: Floats, goal: float) -> tuple[Floats, Shot]:
        d = v.size - 1
        R, shot = self.distance(point.anchor, point.value + v[d] * self.range, v[:d])
        return np.append(R, row @ v - goal), shot

    def moved(self, point: _Point) -> _Point:
        """Return the point with an anchor far from events, if its own has come near to one."""
        anchor, orbit = point.anchor, point.orbit
        ages = np.array([e.time - anchor.t for e in orbit.events]) / orbit.period
        near = min(ages.min(initial=1.0), 1.0 - ages.max(initial=0.0))
        if near > MARGIN or abs(point.tangent[-1]) < 0.1:
            return point
        shooting = self.map_at(point.value)
        flow = shooting.flow
        flow.set(anchor.t, anchor.y)
        for _ in range(shooting.n):
            flow.to_section()
        fresh = shooting.first_anchor()
        if anchor.shifts:
            fresh = shooting.make_anchor(
                fresh.t, fresh.y, fresh.status, fresh.scale, fresh.delay, anchor.shifts
            )
        solved = solve_orbit(shooting, fresh, self.tolerance, 5)
        size = self.shooting.unknowns(solved.anchor)
        sign = np.append(np.zeros(size), np.sign(point.tangent[-1]))
        return self.finish(point.value, solved.anchor, solved.shot, solved.residual, sign)


def _nonzero(value: float) -> float:
    return value if abs(value) > 1e-12 else 1e-12


def _tests(point: _Point) -> dict[str, float]:
    """Return functions that vanish at bifurcations. (T-16.9)"""
    J = point.solved.J
    one = np.eye(len(J))
    pairs = [m for m in point.orbit.multipliers if m.imag > 1e-6]
    return {
        "period doubling": float(np.linalg.det(J + one)),
        "fold": float(point.tangent[-1]),
        "branching": float(np.linalg.det(J - one)),
        "torus": max((abs(m) for m in pairs), default=0.0) - 1.0,
    }


def _changed(a: _Point, b: _Point) -> list[str]:
    """Return the kinds of bifurcation between two points."""
    if a.orbit.signature != b.orbit.signature:
        return ["grazing"]
    before, after = _tests(a), _tests(b)
    found = [kind for kind in before if before[kind] * after[kind] < 0.0]
    pairs = all(any(m.imag > 1e-6 for m in p.orbit.multipliers) for p in (a, b))
    if "torus" in found and not pairs:
        found.remove("torus")
    if "fold" in found and "branching" in found:
        found.remove("branching")
    return found


def _locate(run: _Continuation, a: _Point, b: _Point, ds: float, kind: str) -> Bifurcation:
    """Find a bifurcation between two points by regula falsi along the branch."""
    if kind == "grazing":
        return _locate_grazing(run, a, b, ds)
    low, high = 0.0, ds
    f_low, f_high = _tests(a)[kind], _tests(b)[kind]
    best = b if abs(f_high) < abs(f_low) else a
    for _ in range(12):
        s = high - f_high * (high - low) / (f_high - f_low)
        s = min(max(s, low + 0.02 * (high - low)), high - 0.02 * (high - low))
        try:
            found = run.correct(a, s)
        except SimulationError:
            break
        f = _tests(found)[kind]
        best = found
        if abs(f) < 1e-8 or high - low < 1e-7:
            break
        if f * f_low > 0.0:
            low, f_low, f_high = s, f, 0.7 * f_high
        else:
            high, f_high, f_low = s, f, 0.7 * f_low
    return Bifurcation(kind, best.value, best.orbit)


def _locate_grazing(run: _Continuation, a: _Point, b: _Point, ds: float) -> Bifurcation:
    """Halve the step to where the events of the orbit change."""
    low, high, last = 0.0, ds, a
    for _ in range(8):
        middle = 0.5 * (low + high)
        try:
            found = run.correct(a, middle)
        except SimulationError:
            high = middle
            continue
        if found.orbit.signature == a.orbit.signature:
            low, last = middle, found
        else:
            high = middle
    return Bifurcation("grazing", last.value, last.orbit)


def continue_orbit(
    build: Model | Callable[[float], Model],
    values: Sequence[float],
    section: Section | tuple[str, str],
    *,
    parameter: str = "parameter",
    guess: At = None,
    n: int = 1,
    transient: int = 0,
    modulo: Mapping[str, float] | None = None,
    method: Method | None = None,
    inputs: Mapping[str, float] | None = None,
    step: float = 0.02,
    max_step: float = 0.1,
    max_points: int = 200,
    tolerance: float = 1e-9,
    progress: bool | None = None,
) -> OrbitBranch:
    """Follow a periodic orbit over a parameter, round folds, stable or not. (T-16.8)

    build       a function from a value to a Model, or a Model whose Input `parameter` is varied
    values      first and last value; the branch ends where it leaves this range
    section, guess, n, transient, modulo   as in `periodic_orbit`, for the first value
    step        first step along the branch, relative to the range; `max_step` the largest one
    """
    ends = np.asarray(values, dtype=float).reshape(-1)
    if ends.size < 2 or not np.isfinite(ends).all() or ends[0] == ends[-1]:
        raise UsageError(f"values must be two different finite numbers, got {values!r}")
    if not 0.0 < step <= max_step:
        raise UsageError(f"step must lie between 0 and max_step = {max_step:g}, got {step:g}")
    check_flow(method)
    bounds = (float(ends[0]), float(ends[-1]))
    limit, skip = count_of("max_points", max_points, 1), count_of("transient", transient)
    family = Family(build, parameter, as_section(section), method, inputs)
    flow = family.at(bounds[0])
    flow.begin(guess)
    for _ in range(skip + 1):
        flow.to_section()
    shooting = Shooting(flow, count_of("n", n, 1), modulo, 5e-4)
    anchor = shooting.first_anchor()
    _, shot = shooting.arrive(anchor, np.zeros(shooting.unknowns(anchor)))
    check_time(shooting, anchor, shot)
    first = solve_orbit(shooting, anchor, tolerance, 20)
    run = _Continuation(family, shooting, bounds, tolerance, dict(inputs or {}))
    ahead = np.zeros(shooting.unknowns(first.anchor) + 1)
    ahead[-1] = np.sign(bounds[1] - bounds[0])
    point = run.finish(bounds[0], first.anchor, first.shot, first.residual, ahead)
    with Bar("orbits", limit, progress) as bar:
        return _follow(run, point, parameter, step, max_step, limit, bar)


def _follow(
    run: _Continuation, point: _Point, parameter: str, ds: float, most: float, limit: int, bar: Bar
) -> OrbitBranch:
    """Step along the branch until it leaves the range, ends, or has enough points."""
    points, bifurcations = [point], []
    end = f"ended after max_points = {limit} orbits"
    low, high = sorted(run.bounds)
    while len(points) < limit:
        bar.add()
        try:
            point = run.moved(points[-1])
            new = run.correct(point, ds)
            # a jump to another branch shows as a sharp turn
            turn = float(run._carried(point)(new.anchor) @ new.tangent)
            if turn < 0.7 and ds > 4.0 * SMALLEST_STEP:
                raise SimulationError("the branch turns too sharply for this step")
            if new.orbit.signature != point.orbit.signature and ds > 0.01 * most:
                raise SimulationError("events come or go within this step")
        except SimulationError:
            ds *= 0.5
            if ds < SMALLEST_STEP:
                end, grazing = _reason(points)
                if grazing is not None:
                    bifurcations.append(grazing)
                break
            continue
        for kind in _changed(point, new):
            bifurcations.append(_locate(run, point, new, ds, kind))
        if not low <= new.value <= high:
            bound = low if new.value < low else high
            bifurcations = [b for b in bifurcations if low <= b.parameter <= high]
            try:
                points.append(run.correct(point, ds, fixed=bound))
                end = f"left the range at {bound:g}"
            except SimulationError:
                end = f"leaves the range at {bound:g}"
            break
        points.append(new)
        ds = min(1.4 * ds, most)
    return OrbitBranch(
        parameter,
        np.array([p.value for p in points]),
        tuple(p.orbit for p in points),
        tuple(bifurcations),
        end,
    )


def _reason(points: list[_Point]) -> tuple[str, Bifurcation | None]:
    """Say why a branch cannot be followed beyond its last point."""
    last = points[-1]
    impacts = [e for p in points for e in p.orbit.events if e.kind == "impact"]
    fastest = max((-e.data["gamma_N_minus"] for e in impacts), default=0.0)
    text = "ended at a grazing impact"
    if last.orbit.smallest_impact < GRAZING * fastest:
        return text, Bifurcation("grazing", _vanishing(points), last.orbit)
    if _touches(last.orbit):
        return text, Bifurcation("grazing", last.value, last.orbit)
    return "ended: no further orbit was found nearby", None


def _vanishing(points: list[_Point]) -> float:
    """Return where the slowest impact comes to zero, from the last two points."""
    last = points[-1]
    if len(points) < 2:
        return last.value
    v, v_old = last.orbit.smallest_impact, points[-2].orbit.smallest_impact
    slope = (v - v_old) / _nonzero(last.value - points[-2].value)
    return last.value - v / slope if v < v_old else last.value


def _touches(orbit: PeriodicOrbit) -> bool:
    """Tell whether a gap comes down to almost nothing between events and opens again."""
    start = orbit.anchor.t
    sol = orbit.simulate(t_eval=np.linspace(start, start + orbit.period, 4001))
    events = np.array([e.time for e in orbit.events])
    for name in (n for n in sol.channels.names if n.endswith(".gap")):
        gap = sol[name]
        if gap.ndim != 1 or not np.isfinite(gap).all():
            continue
        inner = np.flatnonzero((gap[1:-1] <= gap[:-2]) & (gap[1:-1] < gap[2:])) + 1
        for k in inner:
            away = np.abs(sol.t[k] - events).min(initial=np.inf)
            if away > 1e-3 * orbit.period and gap[k] < 1e-2 * np.ptp(gap):
                return True
    return False
