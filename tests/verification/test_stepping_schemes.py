"""Every scheme of time stepping: its order, what it does at rest, and steps of chosen size."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl

G = 9.81
END = 0.5
SCHEMES = [cl.Moreau, cl.HalfExplicit, cl.Stiegelmeyr, cl.Theta]
PHASES = 8  # step numbers between two halvings: impacts fall anywhere in a step
CASES = [(scheme, eps) for eps in (0.0, 0.6) for scheme in SCHEMES]


def thrown(eps: float) -> cl.Model:
    """Return a disk with backspin above a floor: it falls, hits, slides and rolls."""
    disk = cl.Disk(
        "disk", mass=1.0, radius=0.1, position=(0.0, 0.43), velocity=(1.0, 0.0), spin=-20.0
    )
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    return cl.Model(disk, floor, cl.Contact(disk, floor, mu=0.2, eps_N=eps), gravity=(0.0, -G))


def place(model: cl.Model, method: Any) -> Any:
    return cl.simulate(model, END, method=method, progress=False)["disk"].position[-1]


@cache
def exact(eps: float) -> Any:
    return place(thrown(eps), cl.EventDriven(rtol=1e-11, atol=1e-13))


@pytest.mark.trust("TR-N-19")
@pytest.mark.parametrize(("scheme", "eps"), CASES, ids=lambda x: getattr(x, "__name__", f"{x}"))
def test_order_across_an_impact(scheme: Any, eps: float, figure: Figure) -> None:
    """Five halvings; the error of a step size is the mean over impacts anywhere in a step."""
    steps, errors = [], []
    for k in range(6):
        numbers = [math.ceil(125 * 2 ** (k + phase / PHASES)) for phase in range(PHASES)]
        found = [place(thrown(eps), scheme(dt=END / n)) for n in numbers]
        steps.append(float(np.mean([END / n for n in numbers])))
        errors.append(float(np.mean([np.abs(x - exact(eps)).max() for x in found])))
    order = float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
    figure("errors [m]", " ".join(f"{e:.2e}" for e in errors))
    figure("order", order)
    assert order == pytest.approx(1.0, abs=0.15), errors


@pytest.mark.parametrize(("scheme", "eps"), CASES, ids=lambda x: getattr(x, "__name__", f"{x}"))
def test_a_smaller_tolerance_makes_a_smaller_error(scheme: Any, eps: float, figure: Figure) -> None:
    """Adaptive steps: the error falls with the tolerance, and so does the step."""
    errors, counts = [], []
    tolerances = (1e-4, 1e-5, 1e-6, 1e-7)
    for tolerance in tolerances:
        method = scheme(dt=1e-2, tolerance=tolerance, smallest_step=1e-7)
        sol = cl.simulate(thrown(eps), END, method=method, progress=False)
        errors.append(float(np.abs(sol["disk"].position[-1] - exact(eps)).max()))
        counts.append(int(sol.statistics["steps"]))
        assert sol["disk-floor"].gap.min() > -1e-9
    figure("errors [m]", " ".join(f"{e:.2e}" for e in errors))
    figure("steps", " ".join(map(str, counts)))
    # explicit ends of a step err by dt^2 in flight: steps go with the root of the tolerance
    power = 0.5 if scheme in (cl.HalfExplicit, cl.Stiegelmeyr) else 1.0
    fitted = float(np.polyfit(np.log(tolerances), np.log(errors), 1)[0])
    assert fitted == pytest.approx(power, abs=0.15), errors
    assert all(np.diff(counts) > 0)
    # as good with fixed steps costs many times more, but for schemes of first order in flight
    if power == 1.0:
        fixed = np.abs(place(thrown(eps), scheme(dt=END / (10 * counts[-1]))) - exact(eps)).max()
        assert errors[-1] < 0.2 * fixed


@pytest.mark.parametrize("tolerance", [None, 1e-6], ids=["fixed", "chosen"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_box_on_a_slope_neither_creeps_nor_sinks(scheme: Any, tolerance: float | None) -> None:
    a = math.radians(10.0)
    normal = (-math.sin(a), math.cos(a))
    box = cl.Body(
        "box", mass=1.0, inertia=1.0 / 6.0, position=(0.5 * normal[0], 0.5 * normal[1]), rotation=a
    )
    corners = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    hull = cl.Polygon("hull", box, vertices=corners)
    slope = cl.Ground("slope", normal=normal)
    model = cl.Model(box, cl.Contact(hull, slope, mu=0.5), gravity=(0.0, -G))
    method = scheme(dt=1e-3, tolerance=tolerance)
    sol = cl.simulate(model, 5.0, method=method, every=100, progress=False)
    late = sol.t >= 1.0
    way = np.ptp(sol["box"].position[late], axis=0).max()
    assert way / 4.0 < 1e-12
    gaps = [sol[f"hull-slope[{k}]"].gap[late].min() for k in range(4)]
    assert min(gaps) > -1e-9
