"""The laws that the present state of a `cl.Simulation` must obey, checked after every call.

A Simulation stores no rows, so that only the last step of a call is seen, and what needs
the middle of a time step (complementarity, the direction of sliding) is not checked there.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import contact_laws as laws
import numpy as np

import cornerlaw as cl
from cornerlaw.simulate.stepping import TimeStepping

TOLERANCE = 1e-8  # of gaps [m], of the largest force so far, and of sliding speeds [m/s]


class Now:
    """A Simulation as a solution of one row."""

    def __init__(self, sim: cl.Simulation) -> None:
        self._sim = sim
        self.t, self.side = np.array([sim.t]), np.zeros(1, np.int8)
        self.parts, self.statistics = sim.channels.parts, {"steps": 1}
        self.info = SimpleNamespace(method=repr(sim.method))

    def __getitem__(self, name: str) -> Any:
        return np.asarray(self._sim[name])[None]

    def __contains__(self, name: str) -> bool:
        return name in self._sim.channels


class Watch:
    """What the checks of one Simulation remember: gaps at its start, the largest force so far."""

    def __init__(self, sim: cl.Simulation) -> None:
        self.elements = dict(laws._elements(Now(sim), sim.model))  # type: ignore[arg-type]
        self.largest = 0.0
        self.overlap: dict[str, float] = {}
        self.inside(sim)

    def inside(self, sim: cl.Simulation) -> None:
        """Note how far contacts overlap at the start, which is a matter of the model."""
        now = Now(sim)
        for label in self.elements:
            if f"{label}.gap" in now:
                deep = max(0.0, -float(now[f"{label}.gap"][0]))
                self.overlap[label] = max(deep, self.overlap.get(label, 0.0))

    def check(self, sim: cl.Simulation) -> None:
        """Fail where the present state breaks a law."""
        now: Any = Now(sim)
        stepping = isinstance(sim.method, TimeStepping)
        self.largest = max(self.largest, laws._largest_force(now, self.elements))
        small = max(TOLERANCE * self.largest, laws._rounding(sim.model))
        for label, part in self.elements.items():
            if f"{label}.lam_N" in now:
                self._check_normal(sim, now, label, small)
            if f"{label}.lam_T" in now and laws._has_friction(part):
                faults = laws._friction_faults(
                    now, label, part, small, TOLERANCE, not stepping, [], now, 0.0
                )
                fail_at_the_first(now, label, faults)
            if isinstance(part, cl.SetRow):
                faults = laws._set_faults(
                    now, label, part, TOLERANCE, TOLERANCE, not stepping, now, 0.0
                )
                fail_at_the_first(now, label, faults)

    def _check_normal(self, sim: cl.Simulation, now: Any, label: str, small: float) -> None:
        lam = now[f"{label}.lam_N"]
        laws._all(now, label, "normal force is negative", lam >= -small, lam)
        if laws._is_compliant(self.elements[label]) or f"{label}.gap" not in now:
            return
        gap, step = now[f"{label}.gap"], float(getattr(sim.method, "dt", 0.0))
        room = TOLERANCE + self.overlap[label] + step * abs(float(now[f"{label}.gamma_N"][0]))
        laws._all(now, label, "gap is negative", gap >= -room, gap)
        if not step:
            held = (lam <= small) | (gap <= TOLERANCE)
            laws._all(now, label, "force over an open gap", held, gap)


def fail_at_the_first(now: Any, label: str, faults: list[laws.Fault]) -> None:
    """Fail at the first fault that there is."""
    for what, bad, shown in faults:
        laws._all(now, label, what, ~bad, shown)


def is_checked(sim: cl.Simulation) -> bool:
    """Tell whether a Simulation has laws, and nothing that excuses it from them."""
    accepts = getattr(sim.method, "on_unconverged", "reject") == "accept"
    excused = {"skip", "states"} & laws._allowed[-1].keys()
    return sim._system.has_corners and not accepts and not excused
