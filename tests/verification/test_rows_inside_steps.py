"""Rows inside time steps: forces are those of the steps they lie in, impulses add up to the whole.

A row takes the share of a step's impulse that acts up to it (T-14.13). Before, the first row inside
a step took all of it and showed twice the force, the next one none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G, MASS, DT, T_END = 9.81, 2.0, 1e-3, 0.1
SQUARE = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
METHODS = {
    "Moreau": cl.Moreau(dt=DT),
    "HalfExplicit": cl.HalfExplicit(dt=DT),
    "Stiegelmeyr": cl.Stiegelmeyr(dt=DT),
    "Theta": cl.Theta(dt=DT),
    "adaptive": cl.Moreau(dt=DT, tolerance=1e-6),
}
TIMES: dict[str, Any] = {
    "half steps": np.arange(201) * 0.5 * DT,
    "three rows a step": np.linspace(0.0, T_END, 301),
    "across steps": np.linspace(0.0, T_END, 71),
    "coarse": np.linspace(0.0, T_END, 8),
    "not from the start": np.linspace(0.3 * DT, T_END, 83),
    "uneven": np.sort(np.append(np.random.default_rng(3).uniform(0.0, T_END, 150), T_END)),
    "one row": np.array([T_END]),
}


def box(speed: float = 0.0, height: float = 0.0, eps_N: float = 0.0) -> cl.Model:
    """Return a box above a floor, in one vertical line."""
    body = cl.Body(
        "box", mass=MASS, inertia=MASS / 6.0, position=(0.0, 0.5 + height), velocity=(0.0, speed)
    )
    shape = cl.Polygon("shape", body, vertices=SQUARE)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(shape, floor, mu=0.5, eps_N=eps_N)
    return cl.Model(body, shape, floor, contact, gravity=(0.0, -G))


def normal(sol: cl.Solution, name: str) -> Any:
    """Return the sum of a quantity over the corners of the box."""
    return sum(sol[f"shape-floor[{k}].{name}"] for k in range(4))


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("method", METHODS)
def test_a_box_at_rest_shows_its_weight(method: str, times: str) -> None:
    sol = cl.simulate(box(), T_END, method=METHODS[method], t_eval=TIMES[times])
    later = sol.t > 0.0
    assert normal(sol, "lam_N")[later] == pytest.approx(MASS * G, rel=1e-9)
    assert normal(sol, "Lambda_N").sum() == pytest.approx(MASS * G * T_END, rel=1e-11)


@pytest.mark.parametrize("every", [1, 3, 40])
def test_thinned_rows_show_the_weight(every: int) -> None:
    sol = cl.simulate(box(), T_END, method=cl.Moreau(dt=DT), every=every)
    assert normal(sol, "lam_N")[1:] == pytest.approx(MASS * G, rel=1e-9)
    assert normal(sol, "Lambda_N").sum() == pytest.approx(MASS * G * T_END, rel=1e-11)


@pytest.mark.parametrize("times", TIMES)
def test_impulses_of_bounces_add_up(times: str) -> None:
    """The impulse up to every row is the change of momentum up to it, and in all that of the run.

    Between two ends of a step both are on a straight line.
    """
    model = box(speed=-1.0, height=0.0123, eps_N=0.6)
    sol = cl.simulate(model, T_END, method=cl.Moreau(dt=DT), t_eval=TIMES[times])
    total = np.cumsum(normal(sol, "Lambda_N"))
    momentum = MASS * (sol["box"].velocity[:, 1] + 1.0 + G * sol.t)
    assert total == pytest.approx(momentum, abs=1e-12)
    every = cl.simulate(model, T_END, method=cl.Moreau(dt=DT))
    assert total[-1] == pytest.approx(normal(every, "Lambda_N").sum(), abs=1e-12)


def passes(t, r, A, v, Omega, q, u, x, p):  # type: ignore[no-untyped-def]
    return r[0, 1] - p[0]


def passes_z(t, r, A, v, Omega, q, u, x, z, p):  # type: ignore[no-untyped-def]
    return r[0, 1] - p[0]


def counts(t, r, A, v, Omega, q, u, x, z, p):  # type: ignore[no-untyped-def]
    z[0] += 1.0


@pytest.mark.parametrize("remembers", [False, True])
def test_impulses_of_a_step_whose_event_moves_behind_an_impact(remembers: bool) -> None:
    """An element's event inside the step of the impact: rows on both sides keep their part.

    An element that counts the steps restarts the method at each of them.
    """
    model = box(speed=-1.0, height=0.0118)
    watch = cl.ForceElement(
        "watch",
        frames=("box",),
        indicators={"low": passes_z if remembers else passes},
        parameters={"height": 0.5001},
        discrete={"steps": 0.0} if remembers else None,
        accept=counts if remembers else None,
    )
    model = cl.Model(*model.parts, watch, gravity=(0.0, -G))
    times = np.linspace(0.0, 0.02, 20 * 8 + 1)
    sol = cl.simulate(model, 0.02, method=cl.Moreau(dt=DT), t_eval=times)
    low, hit = (next(e for e in sol.events if e.kind == kind) for kind in ("low", "impact"))
    assert low.time == pytest.approx(0.012, abs=1e-15)  # the end of the step
    assert hit.time == pytest.approx(low.time, abs=DT)
    total = np.cumsum(normal(sol, "Lambda_N"))
    momentum = MASS * (sol["box"].velocity[:, 1] + 1.0 + G * sol.t)
    assert total == pytest.approx(momentum, abs=1e-12)
