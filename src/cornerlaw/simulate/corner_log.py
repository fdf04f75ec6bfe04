"""What a run with set-valued elements leaves behind: events, statistics, states and impulses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.arrays import corner_work as codes
from cornerlaw.arrays.corners import LOAD_ROWS, NORMAL_COMPLIANCE, NORMAL_RIGID
from cornerlaw.arrays.state import Floats, Ints
from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.model.contact_rules import POOLED
from cornerlaw.model.impact_laws import Newton, NewtonBoth
from cornerlaw.results import Event
from cornerlaw.simulate.pool import forget_contacts, forget_pairs, label_of
from cornerlaw.simulate.system import System

SHORT = 1e-9  # of the longest interval between rows: the rounding of a time


@dataclass
class CornerRows:
    """States and impulses of the corners in the stored rows of a run."""

    status: NDArray[np.int8]  # (nt, nc)
    Lambda: Floats  # (nt, n) impulses since the row before, of all rows
    side: NDArray[np.int8]
    stepping: bool  # impulses of time steps, else of events
    duration: float | None = None  # of a single row: the step its impulses belong to
    touches: Floats | None = None  # pooled contacts: entries with the number of the row as stamp
    points: Ints | None = None  # (nt, slots) which point of a pair is in which slot
    start: float | None = None  # of the run: where the impulses of the first row begin

    def forces(self, t: Floats) -> Floats:
        """Return the mean force of time stepping over the interval before each row.

        An event that falls on the end of a step but for a rounding leaves an interval that is too
        short for a mean: the force of the row before is shown, the impulse is that of the row.
        """
        length = self.lengths(t)
        safe = np.where(length > 0.0, length, 1.0)
        force = self.Lambda / safe[:, None]
        force[length <= 0.0] = 0.0
        short = (length > 0.0) & (length <= SHORT * length.max(initial=0.0))
        for row in np.flatnonzero(short[1:]) + 1:
            force[row] = force[row - 1]
        return force

    def lengths(self, t: Floats) -> Floats:
        """Return the time over which the impulses of each row are spread, 0 for jumps."""
        if self.stepping and self.duration is not None:
            return np.full(t.size, self.duration)
        if not self.stepping or not t.size:
            return np.zeros(t.size)
        return np.diff(t, prepend=t[0] if self.start is None else self.start)


def corner_rows(system: System) -> int:
    """Return how many rows have impulses in results: all but pooled ones, none without corners."""
    a = system.arrays
    return int(a.rows.kind.size - a.pool.place_rows.sum()) if a.corners.row_N.size else 0


def corner_count(system: System) -> int:
    """Return the number of corners with states of their own in results: all but pooled ones."""
    return int(system.arrays.corners.row_N.size) - system.arrays.pool.n_corners


def check_method(system: System, method: Any) -> None:
    """Refuse a smooth method for a model with set-valued elements."""
    corners, rules = system.compiled.corners, system.model.pooled_rules
    stepping = getattr(method, "POOLED", False)
    if system.compiled.pool is not None and rules is not None and not stepping:
        raise UsageError(
            f"{type(method).__name__} keeps every pair as a contact, and {rules.rules[0].label} is "
            f"pooled, as rules of more than {POOLED} pairs are; use time stepping such as "
            f"Moreau(dt=...), or pooled=False"
        )
    if getattr(method, "IMPLICIT", False):
        _refuse_compliant_loads(system, method)
    if corners and not getattr(method, "CONTACTS", False):
        raise UsageError(
            f"{type(method).__name__} knows smooth motion only, and '{corners[0].label}' can open, "
            f"close, stick or slip; use EventDriven() or Moreau(dt=...)"
        )


def _refuse_compliant_loads(system: System, method: Any) -> None:
    """Refuse implicit steps of bounds that follow a compliant force.

    That force is found with the velocities at the end of the step, behind its bounds.
    """
    corners = system.compiled.corners
    soft = {c.label for c in corners if c.normal_law not in (NORMAL_RIGID, NORMAL_COMPLIANCE)}
    for corner in corners:
        for name, _ in corner.multipliers:
            if name in soft:
                raise UsageError(
                    f"{type(method).__name__} knows no multiplier of '{name}', which has a "
                    f"compliant law, and upper of '{corner.label}' follows it; use EventDriven() "
                    f"or Moreau(dt=...), or R in place of the law"
                )


def check_laws(system: System, method: Any) -> list[str]:
    """Refuse impact laws that a run cannot have, and return sentences about what they leave out."""
    check_unsymmetric(system, method)
    return check_impact_friction(system, method)


def check_impact_friction(system: System, method: Any) -> list[str]:
    """Return a sentence about friction that the impact law of a run cannot pass on.

    Friction loaded by the reaction of its joint follows the one set of impulses of Newton's laws;
    laws with phases, or with shocks one after the other, have none. (T-13.1) (T-15.8)
    """
    law, corners = getattr(method, "impact", None), system.arrays.corners
    if law is None or isinstance(law, Newton | NewtonBoth):
        return []
    strikes = (corners.row_N >= 0) & (corners.normal_law == NORMAL_RIGID)
    loaded = [c for c in range(corners.load.size) if corners.load[c] == LOAD_ROWS]
    if not loaded or not strikes.any():
        return []
    names = ", ".join(f"'{system.compiled.corners[c].label}'" for c in loaded)
    return [
        f"the friction of {names} is loaded by the reaction of its joint and passes no impulse in "
        f"impacts with {type(law).__name__}; with Newton() it passes its part"
    ]


def check_unsymmetric(system: System, method: Any) -> None:
    """Refuse impact laws that need a symmetric matrix where the force of a row has a part V."""
    law, rows = getattr(method, "impact", None), system.arrays.rows
    own = np.flatnonzero(rows.V_address)
    if not own.size or law is None or isinstance(law, Newton | NewtonBoth):
        return
    corner = system.compiled.corners[int(system.work.k.corner_of[own[0] - system.arrays.n_rows])]
    raise UsageError(
        f"'{corner.label}' has V, with which impacts are those of Newton() or NewtonBoth(), got "
        f"{type(law).__name__}"
    )


def set_impact_law(system: System, method: Any) -> None:
    """Hand the numbers of an impact law to the run."""
    k, law = system.work.k, getattr(method, "impact", None)
    if law is None or not system.has_corners:
        return
    k.impact.exponent[0] = getattr(law, "exponent", 1.0)
    k.stiffness[:] = 1.0
    parts = [corner.part for corner in system.compiled.corners]  # pooled ones have no name yet
    for name, value in getattr(law, "stiffness", {}).items():
        if name not in parts:
            raise UnknownNameError(
                f"{type(law).__name__}: stiffness names '{name}', which is no contact of the model"
            )
        for c, part in enumerate(parts):
            if part == name:
                k.stiffness[c] = value


class CornerLog:
    """Events and statistics of a run, emptied from the scratch arrays from time to time."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._named: list[Event] = []
        self._entries: list[tuple[Any, ...]] = []  # without names yet
        k = system.work.k
        k.stats[:] = 0.0
        k.n_events[0] = 0
        k.Lambda[:] = 0.0
        for states in (k.status, k.shown, k.before):
            states[:] = 0
        k.behind[:] = 0
        k.slack[:] = 1.0
        k.lam_ref[:] = 0.0
        k.crowd[:] = 0.0, np.nan
        forget_contacts(system.work)
        forget_pairs(system)

    @property
    def events(self) -> list[Event]:
        """All events so far, with names."""
        for entries in self._entries:
            for entry in zip(*(column.tolist() for column in entries), strict=True):
                self._named.append(self._name(*entry))
        self._entries.clear()
        return self._named

    def flush(self) -> None:
        """Take the entries out of the scratch arrays."""
        k = self.system.work.k
        n = int(k.n_events[0])
        if not n:
            return
        columns = (k.event_t, k.event_corner, k.event_kind, k.event_pair, k.event_data)
        self._entries.append(tuple(column[:n].copy() for column in columns))
        k.n_events[0] = 0
        if self.system.compiled.pool is not None:
            _ = self.events  # pairs have the names of the pool as it is now

    def struck(self, begin: float, end: float) -> bool:
        """Tell whether there was an impact behind `begin` and not behind `end`, lately."""
        for t, _, kind, _, _ in self._entries:
            if np.any((kind == codes.IMPACT) & (begin < t) & (t <= end)):
                return True
        for event in reversed(self._named):
            if event.time <= begin:
                break
            if event.kind == "impact" and event.time <= end:
                return True
        return False

    def _name(self, t: float, corner: int, kind: int, pair: int, data: list[float]) -> Event:
        """Return an entry as an event."""
        fields: dict[str, float] = {}
        if kind == codes.IMPACT:
            fields = {
                "gamma_N_minus": data[codes.GAMMA_N_MINUS],
                "gamma_N_plus": data[codes.GAMMA_N_PLUS],
                "Lambda_N": data[codes.IMPULSE_N],
                "gamma_T_minus": data[codes.GAMMA_T_MINUS],
                "gamma_T_plus": data[codes.GAMMA_T_PLUS],
                "Lambda_T": data[codes.IMPULSE_T],
                "energy": data[codes.ENERGY],
                "residual": data[codes.RESIDUAL],
            }
        return Event(t, label_of(self.system, corner, pair), codes.EVENT_NAMES[kind], fields)

    @property
    def unsolved(self) -> int:
        """The number of contact problems that were accepted above the tolerance."""
        return int(self.system.work.k.stats[codes.N_UNSOLVED])

    @property
    def unsettled(self) -> int:
        """How often friction bounds did not settle with the reactions they follow."""
        return int(self.system.work.k.stats[codes.N_UNSETTLED])

    def warnings(self) -> list[str]:
        """Return a sentence for everything that makes a run less to be trusted."""
        found = self._gain()
        if self.unsettled:
            found.append(
                f"{self.unsettled} times the friction of a joint did not settle with the reactions "
                "it follows, and its last value was taken: the joint jams by its own friction"
            )
        return found

    def _gain(self) -> list[str]:
        """Return a sentence about the impact that gained the most energy, if one did."""
        if not self._named and not any(_gains(entries) for entries in self._entries):
            return []  # nothing to be named
        gaining: dict[float, list[Event]] = {}
        largest = 0.0
        for event in self.events:
            if event.kind == "impact":
                gaining.setdefault(event.time, []).append(event)
                largest = max(largest, abs(float(event.data["energy"])))
        worst, where = 0.0, None
        for time, group in gaining.items():
            total = sum(float(event.data["energy"]) for event in group)
            if total > worst:
                worst, where = total, (time, group)
        if where is None or worst <= 1e-9 * largest:
            return []
        names = ", ".join(f"'{event.name}'" for event in where[1][:3])
        return [
            f"the impact of {names} at t = {where[0]:.6g} s gained {worst:.3g} J: its law can "
            f"create energy; Poisson('coulomb') or equal coefficients of restitution do not"
        ]

    def statistics(self) -> dict[str, float]:
        """Return the figures that tell how far a run can be trusted."""
        if not self.system.has_corners:
            return {}
        s = self.system.work.k.stats
        return {
            "contact_problems": int(s[codes.N_SOLVED]),
            "unsolved_problems": int(s[codes.N_UNSOLVED]),
            "unsettled_loads": int(s[codes.N_UNSETTLED]),
            "worst_residual": float(s[codes.WORST_RESIDUAL]),
            "worst_penetration": float(s[codes.WORST_PENETRATION]),
            "impact_loss": float(s[codes.IMPACT_LOSS]),
            "largest_impact_gain": float(s[codes.IMPACT_GAIN]),
        }


def _gains(entries: tuple[Any, ...]) -> bool:
    """Tell whether some entry of a log is an impact whose corner gave energy."""
    kind, data = entries[2], entries[4]
    return bool(np.any(data[kind == codes.IMPACT, codes.ENERGY] > 0.0))
