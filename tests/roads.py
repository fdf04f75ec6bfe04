"""Two roads to the same motion: how their distance falls with the step, for tests of many systems.

The order is the slope of a straight line fitted to the logarithms of all points, at least five
halvings of the step; every point is reported by the fixture `figure`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from contact_laws import allow
from figures import Figure

import cornerlaw as cl

HALVINGS = 5
ROWS = 100  # stored rows of every run
PHASES = (4, 5, 6, 7)  # quarters of the number of steps, for impacts anywhere in a step

# Moreau's scheme takes positions in the middle of a step and forces there, a midpoint rule: where
# no velocity jumps, a step has errors of dt^3, which add up to dt^2. Where an acceleration jumps,
# as a body sticks or begins to slip, one step has an error of dt^2, and there is a fixed number of
# them: order two again. So order two comes out of friction without impacts, and of contacts that
# only open; one where a force depends on the velocity, which a step takes at its beginning (the lag
# of an actuator), or where sliding turns round without sticking: friction, which jumps there, has
# its new direction for the whole of a step.
# First order is what is promised. 2.4 leaves to two a little more scatter than 1.3 to one
SMOOTH = 2.4


@dataclass(frozen=True)
class Case:
    """A system, the window that is compared, and the number of the longest steps in it."""

    build: Callable[[], cl.Model]
    window: float
    steps: int
    highest: float = 1.3  # of the orders that are accepted
    gap_tol: float = 1e-8  # of the contact laws, which are checked on all rows of all runs
    force_tol: float = 1e-8
    quarters: tuple[int, ...] = (4,)  # step numbers between two halvings, over the first one
    impact: cl.ImpactLaw = field(default_factory=cl.Newton)
    max_step: float = math.inf  # of the event-driven road


def standard(module: Any, **changes: Any) -> Callable[[], cl.Model]:
    """Return a way to build a system of the gallery, with some parameters changed."""

    def build() -> cl.Model:
        model: cl.Model = module.build(replace(module.Parameters(), **changes))
        return model

    return build


def distances(case: Case) -> list[tuple[float, float]]:
    """Return step size and distance of the two roads, of the largest position, for all steps."""
    model = case.build()
    times = np.linspace(0.0, case.window, ROWS + 1)
    road = cl.EventDriven(rtol=1e-11, atol=1e-13, impact=case.impact, max_step=case.max_step)
    exact = cl.simulate(model, case.window, method=road, t_eval=times, progress=False)
    rows = [int(np.flatnonzero(exact.t == time)[0]) for time in times]
    scale = max(float(np.max(np.ptp(exact.q, axis=0))), 1e-300)
    found = []
    for k in range((HALVINGS + 1) * len(case.quarters)):
        halving, phase = divmod(k, len(case.quarters))
        steps = case.steps * case.quarters[phase] * 2**halving // 4
        dt = case.window / steps
        road = cl.Moreau(dt=dt, impact=case.impact)
        sol = cl.simulate(model, case.window, method=road, every=steps // ROWS, progress=False)
        # where a sampled law changes there is a second row of the same time
        same = np.searchsorted(sol.t, times - 1e-6 * dt)
        off = np.max(np.abs(sol.t[same] - times))
        assert off < 1e-6 * dt, "every row must be a whole number of steps"
        found.append((dt, float(np.max(np.abs(sol.q[same] - exact.q[rows]))) / scale))
    return found


def assert_first_order(name: str, case: Case, figure: Figure) -> None:
    with allow(gap_tol=case.gap_tol, force_tol=case.force_tol):
        points = distances(case)
    steps, errors = np.array(points).T
    order = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    table = ", ".join(f"{dt:.3g}: {error:.3g}" for dt, error in points)
    window = f"[0, {case.window:g}] s"
    text = f"{name}: order {order:.2f} over {window}, dt: distance = {table}"
    figure(f"order over {window}, from dt [s]: distance = {table}", order, case.highest)
    assert 0.7 <= order <= case.highest, text
    assert errors[-1] < 0.2 * errors[0], text
