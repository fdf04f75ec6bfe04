"""Chaotic motions part on the two roads; what they have in common is their statistics.

Statistics are taken over parts of a long run, longer than the motion remembers; the scatter of the
parts is the band within which the roads, and where there is one the closed-form map of the impacts,
must agree. For the vibro-impact oscillator and the conveyor it is the 95 % band of the difference
of two means of parts (Welch), for all statistics of a comparison together (Bonferroni): right
programs stay in all bands in 95 of 100 choices of the runs, and the runs here are always the same.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from figures import Figure
from scipy.stats import t as student

import cornerlaw as cl
from cornerlaw.gallery.drives import _rattle_map as rattle
from cornerlaw.gallery.drives import gear_rattling
from cornerlaw.gallery.friction import _impact_map, conveyor, vibro_impact

# chaotic for as long as it was followed, exponent 35 1/s: nothing is remembered after a second
CHAOTIC = gear_rattling.Parameters(backlash=1.2e-4)
SETTLED, END, PARTS = 1.0, 41.0, 20
Band = tuple[Any, Any]


def band(impacts: list[rattle.Impact]) -> Band:
    """Return impacts, their speeds and squared speeds per second, and the standard errors."""
    times = np.array([impact.time for impact in impacts])
    speeds = np.abs([impact.speed for impact in impacts])
    edges = np.linspace(SETTLED, END, PARTS + 1)
    sums = [np.histogram(times, edges, weights=speeds**power)[0] for power in range(3)]
    rates = np.array(sums) / np.diff(edges)
    return rates.mean(axis=1), rates.std(axis=1, ddof=1) / np.sqrt(PARTS)


def apart(one: Band, two: Band) -> Any:
    """Return the distances of two statistics over the width of both bands."""
    return np.abs(one[0] - two[0]) / np.hypot(one[1], two[1])


def followed(p: gear_rattling.Parameters, method: Any) -> Band:
    sol = gear_rattling.simulate(p, t_end=END, method=method, t_eval=np.linspace(0.0, END, 401))
    assert sol.ok
    return band(gear_rattling.impacts(sol, p))


@pytest.mark.verify
def test_statistics_of_chaotic_rattling_agree_on_all_roads() -> None:
    exact = band(rattle.orbit(CHAOTIC, 6000))
    assert (exact[1] < 0.01 * exact[0]).all()  # some 3,900 impacts: narrow bands
    events = followed(CHAOTIC, cl.EventDriven(rtol=1e-10, atol=1e-13, zeno=1e-9))
    steps = followed(CHAOTIC, cl.Moreau(dt=1e-5))
    # three standard errors, on each of three statistics
    assert (apart(events, exact) < 3.0).all()
    assert (apart(steps, exact) < 3.0).all()
    assert (apart(steps, events) < 3.0).all()
    # narrow enough to tell gears that rebound 2 % slower
    softer = followed(replace(CHAOTIC, restitution=0.88), cl.Moreau(dt=1e-5))
    assert apart(softer, exact).max() > 3.0
    # a single speed at the end has nothing in common
    runs = [
        gear_rattling.simulate(CHAOTIC, t_end=2.0, t_eval=[2.0], method=method)["loose.speed"][-1]
        for method in (cl.EventDriven(rtol=1e-10, atol=1e-13, zeno=1e-9), cl.Moreau(dt=1e-5))
    ]
    scale = CHAOTIC.amplitude * CHAOTIC.frequency / CHAOTIC.radius
    assert abs(runs[0] - runs[1]) > 1e-3 * scale


def of_parts(rows: Any) -> Band:
    """Return the means of the columns and their standard errors; a row for every part of a run."""
    rows = np.asarray(rows)
    return rows.mean(axis=0), rows.std(axis=0, ddof=1) / math.sqrt(len(rows))


def out_of_band(one: Band, two: Band, count: int) -> Any:
    """Return the differences of means over half the widths of their 95 % bands, `count` parts.

    Above one, a mean is out of its band.
    """
    a, b = one[1] ** 2, two[1] ** 2
    freedom = (count - 1) * (a + b) ** 2 / (a**2 + b**2)
    reach = student.ppf(1.0 - 0.025 / len(a), freedom)
    return np.abs(one[0] - two[0]) / (reach * np.sqrt(a + b))


def report(figure: Figure, name: str, one: Band, two: Band, count: int) -> Any:
    """Report both means of every statistic and return their distances over the bands."""
    distance = out_of_band(one, two, count)
    text = ", ".join(f"{a:.4g} and {b:.4g}" for a, b in zip(one[0], two[0], strict=True))
    figure(f"{name}: means {text}; largest difference over its band", float(distance.max()), 1.0)
    return distance


# --- vibro-impact oscillator -----------------------------------------------------------------

# behind the doubling of its period at 2.66 rad/s; nearby impacts part by a factor of 1.4 each
HARD = vibro_impact.Parameters(frequency=2.8)
PERIOD = 2.0 * math.pi / HARD.frequency
FIRST, LENGTH, COUNT = 200, 100, 40  # periods that are left out, of a part, and number of parts


def impact_rates(times: Any, speeds: Any) -> Band:
    """Return impacts, their speeds and squared speeds per period, over the parts of a run."""
    edges = PERIOD * (FIRST + LENGTH * np.arange(COUNT + 1))
    sums = [np.histogram(times, edges, weights=np.abs(speeds) ** n)[0] for n in range(3)]
    return of_parts(np.array(sums).T / LENGTH)


def knocking(p: vibro_impact.Parameters, method: Any) -> Band:
    end = (FIRST + LENGTH * COUNT) * PERIOD
    sol = cl.simulate(
        vibro_impact.build(p), end, method=method, progress=False,
        t_eval=np.linspace(0.0, end, FIRST + LENGTH * COUNT + 1),
    )  # fmt: skip
    assert sol.ok
    hits = [event for event in sol.events if event.kind == "impact"]
    return impact_rates([e.time for e in hits], [e.data["gamma_N_minus"] for e in hits])


def by_map(p: vibro_impact.Parameters) -> Band:
    found = _impact_map.orbit(p, _impact_map.Impact(0.3, 1.0), (FIRST + LENGTH * COUNT) * PERIOD)
    return impact_rates([impact.time for impact in found], [impact.speed for impact in found])


def test_impacts_of_chaos_are_not_remembered() -> None:
    """The chosen frequency is chaotic: a distance of 1e-10 s is of the size of all after a while.

    That the window is short proves that runs on two roads can be compared by statistics only.
    """
    start = _impact_map.orbit(HARD, _impact_map.Impact(0.3, 1.0), 300.0 * PERIOD)[-1]
    moved = replace(start, time=start.time + 1e-10)
    one, two = (_impact_map.orbit(HARD, s, start.time + 200.0 * PERIOD) for s in (start, moved))
    speeds = np.array([(a.speed, b.speed) for a, b in zip(one, two, strict=False)])
    apart = np.abs(speeds[:, 0] - speeds[:, 1])
    assert apart[0] < 1e-8
    assert apart.max() > 0.1
    assert len(np.unique(np.round(speeds[:, 0], 4))) > 100  # no short period either


@pytest.mark.verify
def test_statistics_of_chaotic_impacts_agree_on_all_roads(figure: Figure) -> None:
    exact = by_map(HARD)
    # a difference of five per cent would be seen
    assert (exact[1] < 0.02 * exact[0]).all()
    events = knocking(HARD, cl.EventDriven())
    # a step is off by its part of a period, 1e-4, which is far below the bands
    steps = knocking(HARD, cl.Moreau(dt=2e-4))
    assert (report(figure, "events and map", events, exact, COUNT) < 1.0).all()
    assert (report(figure, "steps and map", steps, exact, COUNT) < 1.0).all()
    assert (report(figure, "steps and events", steps, events, COUNT) < 1.0).all()
    # narrow enough to tell a stop that is 5 % softer
    softer = knocking(replace(HARD, restitution=0.76), cl.Moreau(dt=2e-4))
    assert report(figure, "softer stop and map", softer, exact, COUNT).max() > 1.0


# --- plane conveyor --------------------------------------------------------------------------

# parts that hop over a fifth of their height. A box that lies flat is a mass point until rounding
# tilts it, differently on each road: it starts with a trace of spin, and rattles at once
HOPPING = replace(conveyor.Parameters(), amplitude=1.2e-3, spin=0.5)
ROWS = 10  # of a period, the same phases in all runs
SHAKES = {1: 100, 4: 50}  # periods of a part of a run, by the number of boxes
BATCHES = 20


def carried(p: conveyor.Parameters, method: Any) -> Band:
    """Return transport velocity, height above the track, squared vertical velocity and spin.

    Means over the time and over all boxes; the first second is left out.
    """
    length, first = SHAKES[p.parts] * ROWS, round(p.frequency) * ROWS
    times = np.arange(first + BATCHES * length + 1) / (ROWS * p.frequency)
    sol = cl.simulate(conveyor.build(p), times[-1], method=method, t_eval=times, progress=False)
    assert sol.ok
    # events have rows of their own, which are no fair sample of the motion
    rows = np.searchsorted(sol.t, times - 1e-9)
    assert np.abs(sol.t[rows] - times).max() < 1e-9
    x, v, spin = (
        np.array([sol[f"part {k}"][name][rows] for k in range(p.parts)])
        for name in ("position", "velocity", "angular_velocity")
    )
    track = p.amplitude * math.sin(p.direction) * np.sin(2.0 * math.pi * p.frequency * times)
    height = x[:, :, 1] - track - 0.5 * p.height
    parts = []
    for a in range(first, len(times) - length, length):
        now = slice(a, a + length)
        parts.append((
            (x[:, a + length, 0] - x[:, a, 0]).mean() / (times[a + length] - times[a]),
            height[:, now].mean(), (v[:, now, 1] ** 2).mean(), (spin[:, now] ** 2).mean(),
        ))  # fmt: skip
    assert len(parts) == BATCHES
    return of_parts(parts)


# flights are parabolas, whose steps do not see the track move: ten of them in a period, on whose
# quarters the gap is a cubic to 1e-9 m; longer ones miss impacts that graze
EVENTS, STEPS = cl.EventDriven(max_step=2e-3), cl.Moreau(dt=2e-4)


@pytest.mark.verify
@pytest.mark.parametrize("parts", SHAKES)
def test_statistics_of_hopping_parts_agree_on_both_roads(parts: int, figure: Figure) -> None:
    p = replace(HOPPING, parts=parts)
    events, steps = carried(p, EVENTS), carried(p, STEPS)
    # a third of a mean would be seen
    assert (steps[1] < 0.08 * steps[0]).all()
    name = f"{parts} on the conveyor"
    assert (report(figure, name, steps, events, BATCHES) < 1.0).all()
    if parts > 1:
        return
    # narrow enough to tell parts that rebound 10 % slower
    softer = carried(replace(p, restitution=0.756), STEPS)
    assert report(figure, f"{name}, softer", softer, events, BATCHES).max() > 1.0
