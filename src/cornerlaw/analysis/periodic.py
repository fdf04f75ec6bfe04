"""periodic_orbit(): motions that repeat themselves, by shooting across events, and their stability.

The unknowns live at an anchor: a fixed time behind the section, in the middle of a smooth piece of
the motion where as few corners as possible are closed. There every small change that the held rows
allow is a state of the model, which is not so at the section itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.analysis.poincare import Flow, Section, Trace, as_section, count_of
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.model import Model
from cornerlaw.results import Event, FinalState, Solution
from cornerlaw.simulate.methods import Method
from cornerlaw.simulate.states import At
from cornerlaw.simulate.stepping import TimeStepping

Complexes = NDArray[np.complex128]
NEUTRAL = 1e-4  # a shift that returns unchanged up to this is a symmetry
SMALLEST = 1e-8  # singular values of J - I below this belong to families of orbits


@dataclass(eq=False)
class Anchor:
    """A state from which small changes are taken: basis of the allowed ones, scales, status."""

    t: float
    y: Floats
    status: Any
    scale: Floats  # of the entries of y
    basis: Floats  # (ny, d), orthonormal in scaled entries
    delay: float  # time since the section
    shifts: tuple[int, ...] = ()  # entries of y whose value does not matter

    @property
    def size(self) -> int:
        """The number of independent small changes."""
        return int(self.basis.shape[1])


@dataclass(eq=False)
class Shot:
    """Where a start at an anchor leads to."""

    t: float
    y: Floats
    trace: Trace
    section_t: float
    section_y: Floats


@dataclass(frozen=True, eq=False)
class PeriodicOrbit:
    """A motion that repeats itself, and whether its neighbours come closer.

    `multipliers` are the eigenvalues of the derivative of the n-fold return map, largest first: an
    orbit is stable if all lie inside the unit circle. `multiplier_error` is the difference between
    two step sizes of the difference quotient. (T-16.6)
    """

    section: Section
    n: int  # returns of one period
    period: float  # [s]
    state: FinalState  # at the section, right limit
    anchor: FinalState  # behind it, where runs restart safely
    multipliers: Complexes
    multiplier_error: float
    monodromy: Floats  # derivative of the map at the anchor, in scaled independent changes
    events: tuple[Event, ...]  # of one period
    drift: Mapping[str, float]  # coordinates that grow by a constant per period (symmetries)
    residual: float  # what is left of the distance, relative to the size of the motion
    iterations: int
    names: tuple[str, ...] = field(repr=False)
    model: Model = field(repr=False)
    method: Method = field(repr=False)
    inputs: Mapping[str, float] = field(repr=False, default_factory=dict)

    @property
    def stable(self) -> bool:
        """Whether no multiplier lies outside the unit circle, up to the error of differences."""
        return self.radius <= 1.0 + 1e-6

    @property
    def radius(self) -> float:
        """The magnitude of the largest multiplier."""
        return float(np.abs(self.multipliers).max(initial=0.0))

    @property
    def frequency(self) -> float:
        """Periods per second [Hz]."""
        return 1.0 / self.period

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Names and kinds of the events of one period."""
        return tuple((e.name, e.kind) for e in self.events)

    @property
    def smallest_impact(self) -> float:
        """The smallest approach speed of an impact of the orbit; 0 = it grazes, inf = no impact."""
        speeds = [-e.data["gamma_N_minus"] for e in self.events if e.kind == "impact"]
        return float(min((s for s in speeds if s > 0.0), default=np.inf))

    def __getitem__(self, name: str) -> float:
        """Return a coordinate, rate or state at the section."""
        y = Flow.pack(self.state.q, self.state.u, self.state.x)
        if name not in self.names:
            raise UsageError(
                f"there is no coordinate, rate or state {name!r}; there are "
                f"{', '.join(filter(None, self.names))}"
            )
        return float(y[self.names.index(name)])

    def simulate(self, periods: float = 1.0, **options: Any) -> Solution:
        """Run along the orbit, from its anchor on."""
        from cornerlaw.simulate import simulate

        options.setdefault("method", self.method)
        options.setdefault("inputs", dict(self.inputs) or None)
        t_end = self.anchor.t + periods * self.period
        return simulate(self.model, t_end, initial=self.anchor, **options)

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        return f"<PeriodicOrbit: T = {self.period:.9g} s, {word}>"

    def __str__(self) -> str:
        word = "stable" if self.stable else "unstable"
        lines = [
            f"periodic orbit, {word}: T = {self.period:.9g} s, {self.n} returns to the section "
            f"({self.section})"
        ]
        shown = [_short(m) for m in self.multipliers]
        lines.append(f"  multipliers  {', '.join(shown)}  (error {self.multiplier_error:.1g})")
        y = Flow.pack(self.state.q, self.state.u, self.state.x)
        for name, value in zip(self.names, y, strict=True):
            if name:
                drift = f"   {self.drift[name]:+.6g} per period" if name in self.drift else ""
                lines.append(f"  {name:<24} {value:.9g}{drift}")
        lines.append("  events       " + ", ".join(f"{a} {b}" for a, b in self.signature))
        return "\n".join(lines)


def _short(value: complex) -> str:
    return f"{value.real:.6g}" if abs(value.imag) < 1e-12 else f"{value.real:.6g}{value.imag:+.6g}j"


class Shooting:
    """The n-fold return map of a flow next to an anchor. (T-16.3)"""

    def __init__(self, flow: Flow, n: int, modulo: Mapping[str, float] | None, step: float) -> None:
        self.flow, self.n, self.step = flow, n, step
        assert flow.section is not None
        self.section: Section = flow.section
        # time is an unknown where an event of a forced model is the section
        self.clock = self.section.period if not self.section.is_clock else None
        self.modulo = {flow.index(name): float(v) for name, v in (modulo or {}).items()}
        self.laps = 0  # periods of the forcing in one period of the orbit

    def with_flow(self, flow: Flow) -> Shooting:
        """Return the same map of another flow, such as that of another parameter value."""
        other = Shooting(flow, self.n, None, self.step)
        other.modulo, other.laps = self.modulo, self.laps
        return other

    def first_anchor(self) -> Anchor:
        """Choose the anchor on the motion that starts at a return of the flow."""
        flow = self.flow
        began = flow.t
        flow.trace = Trace()
        flow.to_section()
        first_end = flow.t
        for _ in range(self.n - 1):
            flow.to_section()
        trace = flow.trace
        if self.clock is not None and self.laps == 0:
            self.laps = max(1, round((flow.t - began) / self.clock))
        delay = _middle(trace, began, first_end) - began
        return self.anchor_behind(began, trace, delay)

    def anchor_behind(self, began: float, trace: Trace, delay: float) -> Anchor:
        """Return the anchor a delay behind the present return (the start of the next period)."""
        flow = self.flow
        flow.to_time(flow.t + delay)
        return self.make_anchor(flow.t, flow.y, flow.status, scales(flow, trace), delay)

    def make_anchor(
        self, t: float, y: Floats, status: Any, scale: Floats, delay: float,
        shifts: tuple[int, ...] = (),
    ) -> Anchor:  # fmt: skip
        """Return an anchor with the basis of its allowed changes."""
        y = self.flow.project(t, y, status)
        basis = self._basis(t, y, status, scale, shifts)
        return Anchor(t, y, status, scale, basis, delay, shifts)

    def _basis(
        self, t: float, y: Floats, status: Any, scale: Floats, shifts: tuple[int, ...]
    ) -> Floats:
        """Return the changes that survive the projection onto all held rows. (T-16.4)"""
        h = 1e-6
        columns = []
        for i in range(y.size):
            dy = np.zeros(y.size)
            dy[i] = h * scale[i]
            ahead, back = (self.flow.project(t, y + s * dy, status) for s in (1.0, -1.0))
            columns.append((ahead - back) / (2.0 * h * scale))
        P = np.array(columns).T
        # differences are exact to some 1e-9: singular values are 0, or of order 1
        keep = [i for i in range(y.size) if i not in shifts]
        V, s, _ = np.linalg.svd(P[:, keep])
        basis = V[:, : int((s > 1e-4).sum())]
        if shifts:
            # directions within the allowed ones that leave the shifted entries alone; the basis has
            # the errors of the differences, so that these singular values are not exact either
            _, r, Z = np.linalg.svd(basis[list(shifts)])
            basis = basis @ Z[int((r > 1e-4).sum()) :].T
        return np.asarray(basis)

    def unknowns(self, anchor: Anchor) -> int:
        """Return the number of unknowns, time included."""
        return anchor.size + (self.clock is not None)

    def place(self, anchor: Anchor, z: Floats) -> tuple[float, Floats]:
        """Return time and state at unknowns z from the anchor."""
        t = anchor.t + (z[-1] * self.clock if self.clock is not None else 0.0)
        y = anchor.y + anchor.scale * (anchor.basis @ z[: anchor.size])
        return t, self.flow.project(t, y, anchor.status)

    def shoot(self, t: float, y: Floats, delay: float) -> Shot:
        """Run over n returns and the delay."""
        flow = self.flow
        flow.set(t, y)
        for _ in range(self.n):
            flow.to_section()
        at, state = flow.t, flow.y
        flow.to_time(flow.t + delay)
        return Shot(flow.t, flow.y, flow.trace, at, state)

    def arrive(self, anchor: Anchor, z: Floats) -> tuple[Floats, Shot]:
        """Return the unknowns after one period, and the way there."""
        shot = self.shoot(*self.place(anchor, z), anchor.delay)
        return self.measure(anchor, shot.t, shot.y), shot

    def measure(self, anchor: Anchor, t: float, y: Floats) -> Floats:
        """Return unknowns of a state next to the anchor one period later."""
        change = y - anchor.y
        for i, period in self.modulo.items():
            change[i] -= period * round(change[i] / period)
        z = anchor.basis.T @ (change / anchor.scale)
        if self.clock is not None:
            z = np.append(z, (t - anchor.t) / self.clock - self.laps)
        return np.asarray(z)

    def derivative(
        self, anchor: Anchor, signature: Any, five: bool = False
    ) -> tuple[Floats, Floats, Floats]:
        """Return J of the map at z = 0, a rougher J, and the derivative of all entries of y.

        Central differences: every neighbour passes the same events, so that the jumps of the
        derivative there are contained. The step shrinks until that is so. (T-16.5)
        """
        h = self.step
        middle, _ = self.arrive(anchor, np.zeros(self.unknowns(anchor)))
        for _ in range(5):
            found = self._differences(anchor, signature, h, five, middle)
            if found is not None:
                return found
            h *= 0.1
        raise SimulationError(
            "the derivative of the return map does not exist here: neighbours of the orbit pass "
            "other events however near they are (it grazes, or two events coincide)"
        )

    def _differences(
        self, anchor: Anchor, signature: Any, h: float, five: bool, middle: Floats
    ) -> tuple[Floats, Floats, Floats] | None:
        d = self.unknowns(anchor)
        J, rough = np.zeros((d, d)), np.zeros((d, d))
        full = np.zeros((anchor.y.size, d))
        for k in range(d):
            values, states = {}, {}
            for a in (-2, -1, 1, 2) if five else (-1, 1):
                z = np.zeros(d)
                z[k] = a * h
                try:
                    values[a], shot = self.arrive(anchor, z)
                except SimulationError:
                    return None
                if shot.trace.signature != signature:
                    return None
                states[a] = shot.y
            # a neighbour that misses an impact and meets the next one arrives far away
            for a in (1, 2) if five else (1,):
                bend = np.abs(values[a] + values[-a] - 2.0 * middle).max()
                if bend > 0.2 * np.abs(values[a] - values[-a]).max() + 1e-5:
                    return None
            rough[:, k] = (values[1] - values[-1]) / (2.0 * h)
            full[:, k] = (states[1] - states[-1]) / (2.0 * h) / anchor.scale
            J[:, k] = rough[:, k]
            if five:
                wide = (values[2] - values[-2]) / (4.0 * h)
                J[:, k] += (rough[:, k] - wide) / 3.0
        return J, rough, full

    def find_shifts(self, anchor: Anchor, full: Floats) -> tuple[int, ...]:
        """Return the entries of y whose shift is carried along unchanged: symmetries."""
        nq = self.flow.sizes[0]
        found = []
        for i in range(nq):
            if i in self.modulo:
                continue
            e = np.zeros(anchor.y.size)
            e[i] = 1.0
            z = anchor.basis.T @ e
            kept = np.abs(anchor.basis @ z - e).max() < 1e-9
            if kept and np.abs(full[:, : anchor.size] @ z - e).max() < NEUTRAL:
                found.append(i)
        return tuple(found)


def scales(flow: Flow, trace: Trace) -> Floats:
    """Return the size of every entry of y along a motion; what rests gets that of its kind."""
    y = np.array(trace.y)
    size = np.ptp(y, axis=0)
    nq, nu, _ = flow.sizes
    for part in (slice(0, nq), slice(nq, nq + nu), slice(nq + nu, None)):
        largest = size[part].max(initial=0.0)
        size[part] = np.where(size[part] > 1e-6 * largest, size[part], largest or 1.0)
    return np.asarray(size)


def _middle(trace: Trace, began: float, ended: float) -> float:
    """Return the middle of the longest smooth piece among those with fewest closed corners."""
    times = np.array([began, *trace.t])
    stops = sorted({began, ended, *(e.time for e in trace.events if began < e.time < ended)})
    best = (np.inf, 0.0, 0.5 * (began + ended))
    for a, b in pairwise(stops):
        middle = 0.5 * (a + b)
        # the step that ends at or behind the middle; before its event the corners are as then
        k = min(int(np.searchsorted(times, middle)), len(trace.held))
        inside = [trace.held[j - 1] for j in range(1, len(times)) if a < times[j] < b] or [
            trace.held[max(k - 2, 0)]
        ]
        best = min(best, (float(max(inside)), a - b, middle))
    return best[2]


def check_flow(method: Any) -> None:
    """Refuse methods whose events lie on a grid of steps."""
    if isinstance(method, TimeStepping):
        raise UsageError(
            f"{type(method).__name__} resolves events to its step only, and the return map has no "
            f"derivative; use EventDriven()"
        )


@dataclass(eq=False)
class Solved:
    """A fixed point of the map with all that was computed on the way."""

    anchor: Anchor
    shot: Shot
    J: Floats
    rough: Floats  # J from two neighbours per direction, J itself from four
    residual: float
    iterations: int


def solve_orbit(
    shooting: Shooting, anchor: Anchor, tolerance: float, max_iterations: int
) -> Solved:
    """Solve P(z) = z by Newton's method with damping. (T-16.3)"""
    r, shot = shooting.arrive(anchor, np.zeros(shooting.unknowns(anchor)))
    looked = False
    for iteration in range(max_iterations + 1):
        size = float(np.abs(r).max(initial=0.0))
        if looked and size <= tolerance:
            J, rough, _ = shooting.derivative(anchor, shot.trace.signature, five=True)
            return Solved(anchor, shot, J, rough, size, iteration)
        J, _, full = shooting.derivative(anchor, shot.trace.signature)
        if not looked:
            looked = True
            shifts = shooting.find_shifts(anchor, full)
            if shifts:
                a = anchor
                anchor = shooting.make_anchor(a.t, a.y, a.status, a.scale, a.delay, shifts)
                r, shot = shooting.arrive(anchor, np.zeros(shooting.unknowns(anchor)))
                continue
        dz = np.linalg.lstsq(J - np.eye(r.size), -r, rcond=SMALLEST)[0]
        anchor, r, shot = _damped(shooting, anchor, r, np.asarray(dz, np.float64))
    raise SimulationError(
        f"no periodic orbit was found from this guess: after {max_iterations} iterations the "
        f"motion misses its start by {size:.2g} of its size; begin nearer to it (transient=...)"
    )


def _damped(
    shooting: Shooting, anchor: Anchor, r: Floats, dz: Floats
) -> tuple[Anchor, Floats, Shot]:
    """Take the Newton step, or the largest fraction of it that comes nearer."""
    factor = 1.0
    for _ in range(8):
        t, y = shooting.place(anchor, factor * dz)
        try:
            moved = shooting.make_anchor(
                t, y, anchor.status, anchor.scale, anchor.delay, anchor.shifts
            )
            new, new_shot = shooting.arrive(moved, np.zeros(dz.size))
        except SimulationError:
            factor *= 0.5
            continue
        if np.linalg.norm(new) < (1.0 - 0.1 * factor) * np.linalg.norm(r) or (
            np.abs(new).max(initial=0.0) < 1e-10
        ):
            return moved, new, new_shot
        factor *= 0.5
    raise SimulationError(
        f"no periodic orbit was found from this guess: no step comes nearer than "
        f"{np.abs(r).max():.2g} of the size of the motion; begin nearer to it (transient=...)"
    )


def sort_key(value: complex) -> tuple[float, float, float]:
    """Order multipliers by size, then conjugate pairs in one order."""
    return -round(abs(value), 9), -value.real, -value.imag


def multipliers_of(J: Floats, event_section: bool) -> Complexes:
    """Return the eigenvalues of J, largest first.

    At a section by event or crossing one of them is zero by construction: neighbours on the same
    path arrive at the same point. It is left out.
    """
    values = np.array(sorted(np.linalg.eigvals(J).astype(complex), key=sort_key), complex)
    return values[:-1] if event_section and values.size else values


def as_orbit(shooting: Shooting, solved: Solved, inputs: Mapping[str, float]) -> PeriodicOrbit:
    """Collect the results of a solved map."""
    flow, anchor, shot = shooting.flow, solved.anchor, solved.shot
    names = flow.names()
    gained = shot.y - anchor.y
    event_section = not shooting.section.is_clock
    values = multipliers_of(solved.J, event_section)
    rough = multipliers_of(solved.rough, event_section)
    return PeriodicOrbit(
        section=shooting.section,
        n=shooting.n,
        period=shot.t - anchor.t,
        state=flow.final(shot.section_t, shot.section_y),
        anchor=flow.final(anchor.t, anchor.y),
        multipliers=values,
        multiplier_error=float(np.abs(values - rough).max(initial=0.0)),
        monodromy=solved.J,
        events=tuple(shot.trace.events),
        drift={names[i]: float(gained[i]) for i in anchor.shifts},
        residual=solved.residual,
        iterations=solved.iterations,
        names=names,
        model=flow.system.model,
        method=flow.method,
        inputs=dict(inputs),
    )


def check_time(shooting: Shooting, anchor: Anchor, shot: Shot) -> None:
    """Refuse a section without period where the forces depend on time."""
    if shooting.section.is_clock or shooting.clock is not None:
        return
    length = shot.t - anchor.t
    shift = 0.37 * length  # no simple fraction of a forcing period that fits the orbit
    try:
        other = shooting.shoot(anchor.t + shift, anchor.y, anchor.delay)
        change = np.abs((other.y - shot.y) / anchor.scale).max(initial=0.0)
        late = abs(other.t - shot.t - shift) / length
    except SimulationError:
        change = late = np.inf
    if max(change, late) > 1e-5:
        raise UsageError(
            "the model depends on time: give the period of its forcing, Section(..., period=...)"
        )


def periodic_orbit(
    model: Model,
    section: Section | tuple[str, str],
    *,
    guess: At = None,
    n: int = 1,
    transient: int = 0,
    modulo: Mapping[str, float] | None = None,
    method: Method | None = None,
    inputs: Mapping[str, float] | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 20,
    step: float = 5e-4,
) -> PeriodicOrbit:
    """Find a motion that repeats itself after n returns to a section, stable or not. (T-16.3)

    guess       where to start: None (the model's initial values), a state, a Solution, returns of
                `poincare`, an orbit's `state`, or values by name
    transient   returns to run over before the search
    modulo      coordinates that count modulo a value, such as {"joint.angle": 2 * math.pi}
    tolerance   distance that may be left, relative to the size of the motion
    step        size of the difference quotients, relative to the size of the motion

    Coordinates whose shift changes nothing (the height of something that slides down a pole) need
    not return; what they gain per period is `drift`.
    """
    check_flow(method)
    flow = Flow(model, as_section(section), method, inputs)
    n = count_of("n", n, 1)
    skip, limit = count_of("transient", transient), count_of("max_iterations", max_iterations, 1)
    flow.begin(guess)
    for _ in range(skip + 1):
        flow.to_section()
    shooting = Shooting(flow, n, modulo, float(step))
    anchor = shooting.first_anchor()
    _, shot = shooting.arrive(anchor, np.zeros(shooting.unknowns(anchor)))
    check_time(shooting, anchor, shot)
    solved = solve_orbit(shooting, anchor, float(tolerance), limit)
    return as_orbit(shooting, solved, dict(inputs or {}))
