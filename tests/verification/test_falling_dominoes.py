"""Event by event, a row of dominoes: edges that lean on faces keep their contacts through hits."""

from __future__ import annotations

import cornerlaw as cl
from cornerlaw.gallery.space import dominoes


def test_a_point_that_gets_another_name_stays_in_its_slot() -> None:
    """The fifth hit is at 0.16174 s; closed contacts lost their points there, and the run ended."""
    model = dominoes.build(dominoes.Parameters())
    sol = cl.simulate(model, 0.1624, method=cl.EventDriven(), progress=False)
    assert sol.status == "done"
    hits = {event.name.partition("[")[0] for event in sol.events if event.kind == "impact"}
    assert {f"hit {k}" for k in range(1, 5)} <= hits
    assert sol.statistics["worst_penetration"] < 1e-12
