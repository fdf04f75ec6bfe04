"""What a run makes of its rows only when somebody asks: names, events, restart data.

For a short run these cost more than its steps, and a sweep asks for a coordinate or two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cornerlaw.arrays.state import Floats
from cornerlaw.results import ChannelTable, Event, EventLog, FinalState
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.channels import ChannelBook
from cornerlaw.simulate.corner_log import set_impact_law
from cornerlaw.simulate.corner_memory import take_memory
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.system import System

if TYPE_CHECKING:
    from cornerlaw.simulate.run import _Run


class OnDemand:
    """The results of a run that is over."""

    def __init__(
        self, run: _Run, evaluation: Evaluation, touches: Floats | None, stops: list[Event]
    ) -> None:
        self.system, self.state = run.system, run.state
        self._model, self._method, self._shared = run.system.model, run.method, True
        self._rows, self._touches = evaluation, touches
        self._mark = (run.fingerprint, repr(run.method))
        self._log, self._sampler, self._element_events = run.log, run.sampler, run.element_events
        self._stops = stops

    def part(self) -> None:
        """Keep the restart data, and leave the system to another run."""
        _ = self.final
        self._shared = False
        self.__dict__.pop("book", None)
        self.__dict__.pop("evaluation", None)

    @cached_property
    def evaluation(self) -> Evaluation:
        """The rows with the system that evaluates them: one of their own if another run took it."""
        rows = self._rows
        if self._shared:
            return rows
        self.system = System(self._model, self._method)
        initial_state(self.system, 0.0)  # lengths that are defined by the initial position
        set_impact_law(self.system, self._method)
        parts = (rows.t, rows.q, rows.u, rows.x, rows.corners, rows.sampler)
        return Evaluation(self.system, *parts)

    @cached_property
    def book(self) -> ChannelBook:
        """The channels with their rules."""
        return ChannelBook(self.evaluation.system, self._touches)

    @cached_property
    def final(self) -> FinalState:
        """The end of the run as restart data."""
        memory, solver = take_memory(self.system.work), self.system.solver_strength
        return FinalState.from_state(self.state, *self._mark, memory, solver)

    def table(self) -> ChannelTable:
        """Return the names of all channels."""
        return self.book.table()

    def end(self) -> FinalState:
        """Return the restart data."""
        return self.final

    def evaluate(self, names: Sequence[str]) -> Mapping[str, Floats]:
        """Compute channels by name."""
        _ = self.final  # evaluating uses the scratch memory that it is taken from
        return self.book.evaluate(self.evaluation, names)

    def events(self) -> EventLog:
        """Return all events in their order, the stop that ended the run at last."""
        samples = [Event(t, label, "sample", {}) for t, label in self._sampler.events]
        found = [*self._log.events, *samples, *self._element_events.events]
        return EventLog([*sorted(found, key=lambda event: event.time), *self._stops])

    def coordinates(self) -> dict[str, Floats]:
        """Return the channels that are columns of the rows, which need no names and rules."""
        e, c = self.evaluation, self.system.compiled
        joints = {node.joint.name for node in c.tree.nodes if node.joint is not None}
        blocks = {block.name for block in c.blocks}
        found: dict[str, Floats] = {}
        for k in c.numbering.coordinates:
            # joints show components of vectors together
            alone = k.part in joints and "_" not in k.name
            if k.q >= 0 and (alone or k.part in blocks):
                found.setdefault(f"{k.part}.{k.name}", e.q[:, k.q])
                found.setdefault(f"{k.part}.{k.rate}", e.u[:, k.u])
        return found
