"""The check of the contact laws that all tests rely on finds results that break them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import contact_laws
import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays.corner_work import STICK

G = 9.81
ROADS = [cl.Moreau(dt=1e-3), cl.EventDriven()]


class Forged:
    """A solution of which some channels are replaced."""

    def __init__(self, sol: cl.Solution, channels: dict[str, Any], **members: Any) -> None:
        self._sol, self._channels = sol, channels
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __getitem__(self, name: str) -> Any:
        return self._channels[name] if name in self._channels else self._sol[name]

    def __contains__(self, name: str) -> bool:
        return name in self._sol


def check(model: cl.Model, method: Any, sol: Any, channels: dict[str, Any], **members: Any) -> None:
    contact_laws.check_run(Forged(sol, channels, **members), model, method)  # type: ignore[arg-type]


def guide(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
    F[0, 1] = 1.0
    return r[0, 1], 0.0, 0.0


def slip(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
    F[0, 0] = 1.0
    return r[0, 0], 0.0, 0.0


def sliding_block(**rows: Any) -> cl.Model:
    """A block that slides at 3 m/s, on the ground or on the rows of an element."""
    block = cl.PointMass("block", mass=2.0, position=(0.0, 0.0), velocity=(3.0, 0.0))
    if rows:
        element = cl.ForceElement("guide", frames=(block,), rows=rows)
        return cl.Model(block, element, gravity=(0.0, -G))
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    return cl.Model(block, cl.Contact(block, floor, mu=0.3, name="c"), gravity=(0.0, -G))


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.0])
def test_a_contact_that_slides_does_not_pass_as_sticking(method: Any, factor: float) -> None:
    model = sliding_block()
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    forged = {"c.state": np.full_like(sol["c.state"], STICK), "c.lam_T": factor * sol["c.lam_T"]}
    with pytest.raises(AssertionError, match="sliding in a contact that sticks"):
        check(model, method, sol, forged)


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize(
    ("factor", "words"),
    [(-50.0, "leaves its cone"), (-1.0, "friction drives"), (0.5, "without full friction")],
)
def test_friction_of_an_element_row_obeys_the_cone(method: Any, factor: float, words: str) -> None:
    model = sliding_block(n=cl.UnilateralRow(guide, tangent=slip, mu=0.3))
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    with pytest.raises(AssertionError, match=words):
        check(model, method, sol, {"guide.n.lam_T": factor * sol["guide.n.lam_T"]})


SETS = {
    "symmetric": cl.SetRow(slip, upper=2.0),
    "two ends": cl.SetRow(slip, lower=-2.0, upper=5.0),
    "of a load": cl.SetRow(slip, upper=cl.Multipliers({"guide.n": 0.3})),
}


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize(
    ("factor", "words"),
    [(-50.0, "above its set"), (50.0, "below its set"), (0.5, "without the end of its set")],
)
@pytest.mark.parametrize("name", SETS)
def test_the_force_of_a_set_row_stays_in_its_set(
    method: Any, factor: float, words: str, name: str
) -> None:
    model = sliding_block(n=cl.UnilateralRow(guide), t=SETS[name])
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    with pytest.raises(AssertionError, match=words):
        check(model, method, sol, {"guide.t.lam_T": factor * sol["guide.t.lam_T"]})


def test_a_row_that_cannot_move_backward_does_not() -> None:
    model = sliding_block(n=cl.UnilateralRow(guide), t=cl.SetRow(slip, lower=0.0))
    method = cl.Moreau(dt=1e-3)
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    with pytest.raises(AssertionError, match="without the end of its set"):
        check(model, method, sol, {"guide.t.gamma_N": -sol["guide.t.gamma_N"]})


def dropped_pair() -> cl.Model:
    """Two balls that hit the ground at the same time."""
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    balls = [cl.PointMass(f"b{k}", mass=1.0, position=(float(k), 0.1)) for k in range(2)]
    contacts = [cl.Contact(ball, floor, eps_N=0.5, name=f"c{k}") for k, ball in enumerate(balls)]
    return cl.Model(*balls, *contacts, gravity=(0.0, -G))


def test_a_gain_is_not_hidden_by_the_loss_of_another_impact() -> None:
    model, method = dropped_pair(), cl.EventDriven()
    sol = cl.simulate(model, 0.2, method=method)
    times = Counter(event.time for event in sol.events if event.kind == "impact")
    assert times.most_common(1)[0][1] == 2
    check(model, method, sol, {})
    gain = {**sol.statistics, "largest_impact_gain": 0.1}
    with pytest.raises(AssertionError, match="gain"):
        check(model, method, sol, {}, statistics=gain)


@pytest.mark.parametrize(
    ("impact", "first", "second", "passive"),
    [
        (cl.Newton(), {"eps_N": 0.5}, {"eps_N": 0.5}, True),
        (cl.Newton(), {"eps_N": 0.1}, {"eps_N": 0.9}, False),
        (cl.NewtonBoth(), {"eps_N": 0.5, "eps_T": 0.5, "mu": 0.3}, {"eps_N": 0.5}, True),
        (cl.NewtonBoth(), {"eps_N": 0.5, "eps_T": 0.2, "mu": 0.3}, {"eps_N": 0.5}, False),
        (cl.Poisson(), {"eps_N": 0.5}, {"eps_N": 0.5}, True),
        (cl.Poisson(), {"eps_N": 0.5}, {"eps_N": 0.5, "mu": 0.3}, False),
    ],
)
def test_coefficients_of_element_rows_decide_what_is_proven(
    impact: Any, first: dict[str, Any], second: dict[str, Any], passive: bool
) -> None:
    """A law may gain energy with some coefficients, wherever they are given."""
    a, b = (
        cl.UnilateralRow(guide, tangent=slip if "mu" in keys else None, **keys)
        for keys in (first, second)
    )
    method = cl.EventDriven(impact=impact)
    assert contact_laws.is_passive(sliding_block(a=a, b=b), method) is passive
