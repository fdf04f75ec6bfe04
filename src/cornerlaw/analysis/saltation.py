"""saltation(): the monodromy matrix of an orbit as a product, piece by piece and event by event.

Between events small changes follow the linearised equations, at an event they jump by its
saltation matrix; time is the first entry of a change. Nothing here takes differences of motions:
the derivatives are those of rates, root functions and impacts at single states, so that the result
is a second, independent way to the multipliers of `periodic_orbit`. (T-16.5) (T-16.11)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.analysis.periodic import (
    Anchor,
    Complexes,
    PeriodicOrbit,
    Shooting,
    multipliers_of,
    scales,
)
from cornerlaw.analysis.poincare import Flow, Section
from cornerlaw.arrays.corner_work import CLOSED, OPEN, SLIP, SLIP_MINUS, SLIP_PLUS
from cornerlaw.arrays.corners import NORMAL_RIGID
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.results import Event
from cornerlaw.simulate.failures import check_status

STEP = 1e-6  # of the differences at a state, relative to the size of the motion
GRAZING = 1e-9  # rate of a root function below this part of its largest one: the event grazes
JUMP = 1e-7  # what may be between the recorded and the repeated right limit, relative


@dataclass(frozen=True, eq=False)
class Jump:
    """The saltation matrix of one event; entries are (t, q, u, x)."""

    time: float
    events: tuple[Event, ...]  # all that happens at this time
    cause: str  # the contact or element whose root function met zero
    matrix: Floats

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """Names and kinds of the events."""
        return tuple((e.name, e.kind) for e in self.events)


@dataclass(frozen=True, eq=False)
class Saltation:
    """The derivative of the return map by saltation, beside that by differences."""

    jumps: tuple[Jump, ...]
    monodromy: Floats  # in the scaled independent changes at the anchor
    multipliers: Complexes
    difference: float  # largest distance of a multiplier from that of the orbit

    @property
    def radius(self) -> float:
        """The magnitude of the largest multiplier."""
        return float(np.abs(self.multipliers).max(initial=0.0))

    @property
    def stable(self) -> bool:
        """Whether no multiplier lies outside the unit circle."""
        return self.radius <= 1.0 + 1e-6


class Local:
    """Rates, root functions and jumps at single states of a flow, and their derivatives."""

    def __init__(self, flow: Flow, scale: Floats, span: float) -> None:
        self.flow = flow
        self.steps = STEP * np.concatenate([[span], scale])

    def rates(self, z: Floats, status: Any) -> Floats:
        """Return the rates of (t, y) with the corners in given states."""
        from cornerlaw.kernels.rates import eval_rates

        s = self.flow.system
        s.work.k.status[:] = status
        s.work.n_entries[0] = 0
        q, u, x = self.flow.unpack(z[1:])
        rates = np.zeros_like(q), np.zeros_like(u), np.zeros_like(x)
        check_status(s, eval_rates(s.m, s.w, float(z[0]), q, u, x, *rates), float(z[0]))
        return np.concatenate([[1.0], *rates])

    def root(self, z: Floats, status: Any, corner: int, normal: bool) -> float:
        """Return the root function of a corner that met zero. (T-15.10)"""
        from cornerlaw.kernels.corners.rows import eval_gap
        from cornerlaw.kernels.events.indicators import friction_left

        self.rates(z, status)
        s, c = self.flow.system, corner
        m, w, k, corners = s.m, s.w, s.work.k, s.arrays.corners
        i, j = int(corners.row_N[c]), int(corners.row_T[c])
        if not normal:
            if status[c] in (SLIP_PLUS, SLIP_MINUS):
                return float(s.work.gamma[j])
            return float(friction_left(m, w, c))
        if status[c] != OPEN:
            soft = corners.normal_law[c] != NORMAL_RIGID
            return float(s.work.g[i] if soft else k.lam[i])
        q, u, _ = self.flow.unpack(z[1:])
        return float(eval_gap(m, w, c, float(z[0]), q, u))

    def gradient(self, function: Any, z: Floats) -> Floats:
        """Return the derivative of a function of (t, y), one column per entry."""
        columns = []
        for i, h in enumerate(self.steps):
            dz = np.zeros(z.size)
            dz[i] = h
            columns.append((function(z + dz) - function(z - dz)) / (2.0 * h))
        return np.asarray(np.array(columns).T)

    def strike(self, z: Floats, status: Any, struck: int) -> Floats:
        """Return the right limit of an impact next to z, where the struck corner closes."""
        from cornerlaw.kernels.prescribed import set_driven
        from cornerlaw.kernels.rates import project_position, project_velocity

        s, t = self.flow.system, float(z[0])
        q, u, x = self.flow.unpack(z[1:])
        held = np.array(status)
        held[struck] = CLOSED
        s.work.n_entries[0] = 0
        s.see_states(x)
        set_driven(s.m, s.w, t, q, u)
        s.work.k.status[:] = held
        code = project_position(s.m, s.w, t, q)
        s.work.k.status[:] = status
        code = code or project_velocity(s.m, s.w, t, q, u)
        check_status(s, code, t)
        self.flow.set(t, self.flow.pack(q, u, x))
        return np.concatenate([[t], self.flow.y])

    def carry(self, z: Floats, status: Any, t_end: float) -> tuple[Floats, Floats]:
        """Return the state at t_end on a smooth piece and the matrix that carries changes there."""
        from scipy.integrate import solve_ivp

        n = z.size
        if t_end <= z[0]:
            return z, np.eye(n)

        def slope(_: float, packed: Floats) -> Floats:
            state, Phi = packed[:n], packed[n:].reshape(n, n)
            A = self.gradient(lambda at: self.rates(at, status), state)
            return np.concatenate([self.rates(state, status), (A @ Phi).ravel()])

        found = solve_ivp(
            slope,
            (float(z[0]), t_end),
            np.concatenate([z, np.eye(n).ravel()]),
            method="DOP853",
            rtol=1e-9,
            atol=np.concatenate([1e-5 * self.steps, np.full(n * n, 1e-9)]),
        )
        if not found.success:
            raise SimulationError(f"the linearised motion did not reach t = {t_end:g} s")
        end = found.y[:, -1]
        return np.asarray(end[:n]), np.asarray(end[n:].reshape(n, n))


@dataclass(eq=False)
class Passage:
    """What is needed of one event: both limits, states of the corners, and what fired."""

    before: Floats
    after: Floats
    status_before: Any
    status_after: Any
    events: tuple[Event, ...]
    corner: int
    normal: bool


def _cause(flow: Flow, status: Any, events: list[Event]) -> tuple[int, bool]:
    """Return the corner whose root function met zero, and whether it is that of the normal law."""
    fired = flow.system.work.k.fired
    corners = [int(c) for c in np.flatnonzero(fired)]
    labels = [corner.label for corner in flow.system.compiled.corners]
    if len(corners) != 1:
        names = ", ".join(f"'{labels[c]}'" for c in corners) or "none"
        raise SimulationError(
            f"events that coincide have no saltation matrix: at t = {flow.t:.9g} s {names}"
        )
    c = corners[0]
    if any(e.kind == "painleve" for e in events):
        raise SimulationError(f"an impact without collision at '{labels[c]}' has no derivative")
    if flow.system.arrays.corners.always[c] == 1 and status[c] == OPEN:
        raise UsageError(f"saltation knows no freewheels, such as '{labels[c]}'")
    if status[c] == SLIP:
        raise UsageError(f"saltation knows friction along one tangent only, not '{labels[c]}'")
    return c, int(fired[c]) != 2


def saltation_matrix(local: Local, p: Passage) -> tuple[Floats, Floats]:
    """Return S of an event and the row that gives the time by which a change arrives earlier.

    With f the rates of (t, y), n the gradient of the root function and R the impact:

        S = dR + (f+ - dR f-) n^T / (n^T f-)

    A change is split into one along the motion, which S takes to f+, and one along the surface of
    the event, on which R is all there is. (T-16.5)
    """
    before, after = local.rates(p.before, p.status_before), local.rates(p.after, p.status_after)
    n = local.gradient(lambda z: local.root(z, p.status_before, p.corner, p.normal), p.before)
    rate = float(n @ before)
    if not abs(rate) > GRAZING * float(np.abs(n) @ np.abs(before)):
        raise SimulationError(
            f"the event at t = {p.before[0]:.9g} s grazes: changes jump by more than any factor"
        )
    early = n / rate
    size = n.size
    if not any(e.kind == "impact" for e in p.events):
        return np.eye(size) + np.outer(after - before, early), early
    again = local.strike(p.before, p.status_before, p.corner)
    if np.abs((again - p.after) / local.steps).max() > JUMP / STEP:
        raise SimulationError(
            f"the impact at t = {p.before[0]:.9g} s depends on what came before it"
        )
    S = np.outer(after, early)
    for i in range(size):
        along = np.zeros(size)
        along[i] = 1.0
        along -= before * early[i]
        h = local.steps[i]
        ahead, back = (
            local.strike(p.before + s * h * along, p.status_before, p.corner) for s in (1.0, -1.0)
        )
        S[:, i] += (ahead - back) / (2.0 * h)
    return S, early


class _Walk:
    """Goes once round an orbit and collects its events and the visits of the section."""

    def __init__(self, orbit: PeriodicOrbit) -> None:
        self.flow = Flow(orbit.model, orbit.section, orbit.method, orbit.inputs)
        self.orbit = orbit
        a = orbit.anchor
        self.start = np.concatenate([[a.t], a.q, a.u, a.x])
        self.passages: list[Passage] = []
        self.section_time = 0.0
        self.struck: int | None = None  # the passage that is the section
        self._run()

    def _run(self) -> None:
        flow, orbit = self.flow, self.orbit
        flow.set(float(self.start[0]), self.start[1:])
        self.status = flow.status
        end = orbit.anchor.t + orbit.period
        left = orbit.n
        tiny = 1e-9 * orbit.period
        while flow.t < end - tiny:
            status, limit = flow.status, end
            section: Section = orbit.section
            if section.is_clock and left:
                limit = min(end, section.next_time(flow.t))
            events = flow.step(limit)
            if events:
                corner, normal = _cause(flow, status, events)
                before = np.concatenate([[flow.t], flow.left_limit()])
                after = np.concatenate([[flow.t], flow.y])
                self.passages.append(
                    Passage(before, after, status, flow.status, tuple(events), corner, normal)
                )
            met = any((e.name, e.kind) == section.event for e in events) or flow.crossed
            met = met or (section.is_clock and flow.t >= limit and limit < end)
            if met and left:
                left -= 1
                self.section_time = flow.t
                self.struck = len(self.passages) - 1 if section.event is not None else None
        self.end = end

    def anchor(self, shooting: Shooting) -> Anchor:
        """Return the anchor with the basis of its changes."""
        flow, orbit = self.flow, self.orbit
        names = flow.names()
        shifts = tuple(names.index(name) for name in orbit.drift)
        return shooting.make_anchor(
            float(self.start[0]),
            self.start[1:],
            self.status,
            scales(flow, flow.trace),
            self.end - self.section_time,
            shifts,
        )


def saltation(orbit: PeriodicOrbit) -> Saltation:
    """Return the monodromy matrix of an orbit as a product of pieces and saltation matrices.

    An orbit that grazes, or whose events coincide, has none, which is an error that says where.
    Every evaluation of the linearised equations takes two rates per entry of the state: this is
    for models of some twenty states. (T-16.11)
    """
    walk = _Walk(orbit)
    flow = walk.flow
    shooting = Shooting(flow, orbit.n, None, 1e-4)
    anchor = walk.anchor(shooting)
    local = Local(flow, anchor.scale, orbit.period)
    labels = [corner.label for corner in flow.system.compiled.corners]
    z, status = walk.start, walk.status
    total = np.eye(z.size)
    late = np.zeros(z.size)
    jumps: list[Jump] = []
    times = [p.before[0] for p in walk.passages]
    looked = orbit.section.event is not None
    for k in range(len(times) + 1):
        stop = times[k] if k < len(times) else walk.end
        if not looked and walk.section_time <= stop:
            z, Phi = local.carry(z, status, walk.section_time)
            total, looked = Phi @ total, True
            late = _lateness(orbit.section, flow, local.rates(z, status)) @ total
        z, Phi = local.carry(z, status, stop)
        total = Phi @ total
        if k == len(times):
            break
        p = walk.passages[k]
        S, early = saltation_matrix(local, p)
        if k == walk.struck:
            late = -early @ total
        total = S @ total
        jumps.append(Jump(float(stop), p.events, labels[p.corner], S))
        z, status = p.after, p.status_after
    # a change arrives later at the section, and the end lies a fixed time behind it
    total += np.outer(local.rates(z, status), late)
    J = _in_unknowns(shooting, anchor, total)
    values = multipliers_of(J, not orbit.section.is_clock)
    distance = _distance(values, orbit.multipliers)
    return Saltation(tuple(jumps), J, values, distance)


def _lateness(section: Section, flow: Flow, rates: Floats) -> Floats:
    """Return the row that gives the time by which a change arrives later at the section."""
    row = np.zeros(rates.size)
    i = 0 if section.crossing is None else 1 + flow.index(section.crossing)
    row[i] = -1.0 / rates[i]
    return row


def _in_unknowns(shooting: Shooting, anchor: Anchor, total: Floats) -> Floats:
    """Return the derivative in the independent changes at the anchor, time included."""
    d, h = shooting.unknowns(anchor), 1e-6
    columns = []
    for k in range(d):
        step = np.zeros(d)
        step[k] = h
        ends = [shooting.place(anchor, s * step) for s in (1.0, -1.0)]
        (t_1, y_1), (t_0, y_0) = ends
        change = total @ np.concatenate([[t_1 - t_0], y_1 - y_0]) / (2.0 * h)
        column = anchor.basis.T @ (change[1:] / anchor.scale)
        if shooting.clock is not None:
            column = np.append(column, change[0] / shooting.clock)
        columns.append(column)
    return np.asarray(np.array(columns).T)


def _distance(values: Complexes, others: Complexes) -> float:
    """Return the largest distance of values from their counterparts, matched one to one."""
    from scipy.optimize import linear_sum_assignment

    table = np.abs(values[:, None] - others[None, :])
    rows, columns = linear_sum_assignment(table)
    return float(table[rows, columns].max(initial=0.0))
