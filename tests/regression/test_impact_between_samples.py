"""An impact in a long flight over a surface that moves by itself is not passed over.

A box in the air needs one long step, in which the track below it moves up and down several times.
Samples of such a step can lie on a smooth curve by accident: one contact was found where another
had closed, and opened again, before.
"""

from dataclasses import replace

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.friction import conveyor
from cornerlaw.gallery.space.conveyor_space import HOPPING, Parameters, flat


def test_a_longer_run_has_the_same_first_impacts() -> None:
    model = conveyor.build(flat(replace(Parameters(), amplitude=0.5 * HOPPING, roll=1.0)))
    short = cl.simulate(model, 0.03, method=cl.EventDriven(), progress=False)
    long = cl.simulate(model, 0.2, method=cl.EventDriven(), progress=False)
    times = [event.time for event in short.events if event.kind == "impact"]
    assert len(times) > 4
    found = [event.time for event in long.events if event.kind == "impact"]
    # the flight in between is a parabola, which both runs integrate to rounding
    assert found[: len(times)] == pytest.approx(times, abs=1e-10)
    for corner in range(2):
        assert np.min(long[f"foot 0[{corner}]"].gap) > -1e-12


def test_a_short_hop_that_ends_in_a_dip_is_not_flown_over() -> None:
    """A corner that has just hit rises by 4 um, dips 2 um below the track, and flies for 20 ms.

    The impact that ends the flight is found first; what lies in front of it, sampled four times,
    looks like a flight without a dip.
    """
    p = conveyor.Parameters(amplitude=HOPPING, spin=0.5)
    t_eval = np.linspace(0.0, 4.0, 4001)  # the dip is at 2.742 s, and its rows see it
    sol = cl.simulate(
        conveyor.build(p), 4.0, method=cl.EventDriven(), t_eval=t_eval, progress=False
    )
    lowest = min(float(np.min(sol[f"foot 0[{k}]"].gap)) for k in range(4))
    assert lowest > -1e-12
