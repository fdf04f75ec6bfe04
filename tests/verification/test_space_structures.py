"""Stacks, arches and towers for a long time and in larger numbers than in the gallery."""

from dataclasses import replace

import pytest

import cornerlaw as cl
from cornerlaw.gallery.space import arch, box_on_slope, box_stack, card_tower

CREEP = 1e-12  # [m/s]
DEPTH = 1e-9  # [m]
LONG = 60.0  # [s]
FALL = 1.5  # in which an arch that is 1 % too thin loses a block [s]
VOUSSOIRS = (9, 17, 31)


def steps(**more: object) -> cl.Moreau:
    return cl.Moreau(dt=1e-3, **more)  # type: ignore[arg-type]


@pytest.mark.verify
@pytest.mark.parametrize("method", [steps(), cl.EventDriven()], ids=["stepping", "events"])
def test_box_on_a_slope_does_not_creep(method: object) -> None:
    """10 degrees, mu = 0.5, no sleeping."""
    model = box_on_slope.build(box_on_slope.Parameters(), ("rest",))
    times = [0.0, 1.0, 0.5 * LONG, LONG]
    sol = cl.simulate(model, LONG, method=method, t_eval=times, progress=False)
    assert box_on_slope.creep(sol, "rest") < CREEP
    assert box_on_slope.deepest(sol, "rest") < DEPTH


@pytest.mark.verify
@pytest.mark.parametrize("n", VOUSSOIRS)
def test_arch_stands_or_falls_within_a_percent_of_limit_analysis(n: int) -> None:
    """For the same time; what stands does not move at all, what falls loses a block."""
    p = arch.Parameters(blocks=n)
    sol = arch.simulate(p, t_end=FALL)
    assert arch.creep(sol, p, 0.0) < CREEP
    assert sol.statistics["worst_penetration"] < DEPTH
    assert sol.statistics["unsolved_problems"] == 0
    assert arch.falls(replace(p, margin=-p.margin), t_end=FALL)


@pytest.mark.verify
@pytest.mark.parametrize("n", VOUSSOIRS)
def test_arch_does_not_creep(n: int) -> None:
    p = arch.Parameters(blocks=n)
    sol = arch.simulate(p, t_end=LONG, every=1000, method=steps())
    assert arch.creep(sol, p, 1.0) < CREEP
    assert sol.statistics["worst_penetration"] < DEPTH


@pytest.mark.verify
@pytest.mark.parametrize("shake", [0.0, 0.08])
def test_stack_of_twenty_does_not_creep(shake: float) -> None:
    p = box_stack.Parameters(shake=shake)
    sol = box_stack.simulate(p, t_end=LONG, every=1000, method=steps())
    assert box_stack.creep(sol, p, 1.0) < CREEP
    assert sol.statistics["worst_penetration"] < DEPTH


@pytest.mark.verify
def test_tower_of_five_storeys_does_not_creep() -> None:
    p = card_tower.Parameters(storeys=5)
    sol = card_tower.simulate(p, t_end=LONG, every=1000, method=steps())
    assert card_tower.moved(sol, 1.0) / (LONG - 1.0) < CREEP
    assert sol.statistics["worst_penetration"] < DEPTH


@pytest.mark.verify
def test_tower_of_five_storeys_collapses_with_less_friction() -> None:
    p = card_tower.Parameters(storeys=5, margin=-0.05)
    assert card_tower.moved(card_tower.simulate(p, t_end=0.5)) > 0.1 * p.length
