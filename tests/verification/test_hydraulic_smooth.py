"""Corner laws are the limit of the stiff compressible equations of the same network. (AT-07)"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import ModelError
from cornerlaw.gallery.hydraulics import brake_tower, servo_cylinder, store_line_cylinder
from cornerlaw.hydraulics import Network
from cornerlaw.hydraulics.smooth import smooth_model

CASES = {
    "SYS-1": (store_line_cylinder.network(store_line_cylinder.Parameters()), ("piston",), 0.15),
    # one of seven modules
    "SYS-2": (
        brake_tower.network(brake_tower.Parameters(modules=1, band=0.0)),
        tuple(f"1.ram {side}" for side in brake_tower.SIDES),
        0.06,
    ),
}


@pytest.mark.verify
@pytest.mark.parametrize("name", CASES)
def test_same_motion_until_the_stop(name: str) -> None:
    network, pistons, t_end = CASES[name]
    options: dict[str, Any] = {"t_eval": np.linspace(0.0, t_end, 121), "progress": False}
    rigid = cl.simulate(network.model(), t_end, method=cl.Moreau(dt=1e-4), **options)
    method = cl.Radau(rtol=1e-5, atol=1e-9)
    stiff = cl.simulate(smooth_model(network, volume=1e-6), t_end, method=method, **options)
    for piston in pistons:
        x, other = rigid[piston].position, stiff[piston].position
        moving = np.cumsum(x >= x.max() - 1e-7) == 0
        assert np.sum(moving) > 50
        assert np.max(np.abs(x - other)[moving]) < 0.01 * np.ptp(x)


def apart(
    p: brake_tower.Parameters, factors: tuple[float, ...], ratio: float, damping: float = 100.0
) -> list[float]:
    """Return the largest distance of all pistons over their travel, stops and after included."""
    network, t_end = brake_tower.network(p), 0.1
    options: dict[str, Any] = {"t_eval": np.linspace(0.0, t_end, 501), "progress": False}
    rams = [f"{k}.ram {side}" for k in range(1, p.modules + 1) for side in brake_tower.SIDES]
    corner = cl.simulate(network.model(), t_end, method=cl.Moreau(dt=2e-5), **options)
    assert all(corner[name].position.max() > p.travel - 1e-7 for name in rams)
    found = []
    for factor in factors:
        oil = replace(network.fluid, bulk=factor * network.fluid.bulk)
        same = Network(*network.hydraulic_parts, fluid=oil)
        model = smooth_model(same, ratio=ratio, damping=damping)
        stiff = cl.simulate(model, t_end, method=cl.Radau(rtol=1e-5, atol=1e-9), **options)
        off = [np.max(np.abs(stiff[n].position - corner[n].position)) for n in rams]
        found.append(float(max(off)) / p.travel)
    print(f"\npistons apart at most, ratio {ratio:g}: {[f'{100.0 * x:.2f} %' for x in found]}")
    return found


def test_distance_falls_with_the_stiffness_of_the_oil_through_all_stops() -> None:
    rigid = brake_tower.Parameters(modules=1, band=0.0)
    errors = apart(rigid, (1.0, 4.0, 16.0), ratio=1.0)
    assert errors[0] < 0.01
    assert errors[1] < 0.5 * errors[0]
    assert errors[2] < 0.7 * errors[1]  # the time step of the corner laws shows


def test_elastic_oil_without_losses_throws_rigid_pistons_back_however_stiff() -> None:
    # the limit of such oil is no plastic impact: a model with another law, not a stiffer one
    soft, hard = apart(brake_tower.Parameters(modules=1, band=0.0), (1.0, 4.0), ratio=0.0)
    assert soft > 0.05
    assert hard > 0.05


def test_one_module_by_the_criterion_moves_like_its_stiff_equations() -> None:
    # real oil, no losses but those of the network
    assert apart(brake_tower.Parameters(modules=1), (1.0,), ratio=0.0, damping=10.0)[0] < 0.01


@pytest.mark.verify
def test_28_cylinders_by_the_criterion_within_a_per_cent() -> None:
    assert apart(brake_tower.Parameters(), (1.0,), ratio=0.0, damping=10.0)[0] < 0.01


def test_what_has_no_smooth_form_is_named() -> None:
    network = servo_cylinder.network(servo_cylinder.Parameters())
    with pytest.raises(ModelError, match=r"Orifice 'valve\.1'.* has no smooth form"):
        smooth_model(network, volume=1e-6)
