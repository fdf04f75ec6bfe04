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
        brake_tower.network(brake_tower.Parameters(modules=1)),
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
    stiff = cl.simulate(smooth_model(network, volume=5e-6), t_end, method=method, **options)
    for piston in pistons:
        x, other = rigid[piston].position, stiff[piston].position
        moving = np.cumsum(x >= x.max() - 1e-7) == 0
        assert np.sum(moving) > 50
        assert np.max(np.abs(x - other)[moving]) < 0.01 * np.ptp(x)


def apart(p: brake_tower.Parameters, factors: tuple[float, ...], ratio: float) -> list[float]:
    """Return the largest distance of all pistons over their travel, stops and after included."""
    network, t_end = brake_tower.network(p), 0.1
    options: dict[str, Any] = {"t_eval": np.linspace(0.0, t_end, 501), "progress": False}
    rams = [f"{k}.ram {side}" for k in range(1, p.modules + 1) for side in brake_tower.SIDES]
    rigid = cl.simulate(network.model(), t_end, method=cl.Moreau(dt=2e-5), **options)
    assert all(rigid[name].position[-1] > p.travel - 1e-7 for name in rams)
    found = []
    for factor in factors:
        oil = replace(network.fluid, bulk=factor * network.fluid.bulk)
        model = smooth_model(
            Network(*network.hydraulic_parts, fluid=oil), volume=5e-6, ratio=ratio, damping=100.0
        )
        stiff = cl.simulate(model, t_end, method=cl.Radau(rtol=1e-5, atol=1e-9), **options)
        off = [np.max(np.abs(stiff[n].position - rigid[n].position)) for n in rams]
        found.append(float(max(off)) / p.travel)
    return found


def test_distance_falls_with_the_stiffness_of_the_oil_through_all_stops() -> None:
    errors = apart(brake_tower.Parameters(modules=1), (1.0, 4.0, 16.0), ratio=1.0)
    assert errors[0] < 0.005
    assert errors[1] < 0.5 * errors[0]
    assert errors[2] < 0.7 * errors[1]  # the time step of the corner laws shows


def test_elastic_oil_without_losses_throws_pistons_back_however_stiff() -> None:
    # the limit of such oil is no plastic impact: a model with another law, not a stiffer one
    soft, hard = apart(brake_tower.Parameters(modules=1), (1.0, 4.0), ratio=0.0)
    assert soft > 0.05
    assert hard > 0.05


@pytest.mark.verify
def test_28_cylinders_within_a_per_cent_of_stiff_oil() -> None:
    errors = apart(brake_tower.Parameters(), (4.0, 16.0), ratio=1.0)
    assert errors[1] < 0.01
    assert errors[1] < 0.5 * errors[0]


def test_what_has_no_smooth_form_is_named() -> None:
    network = servo_cylinder.network(servo_cylinder.Parameters())
    with pytest.raises(ModelError, match=r"Orifice 'valve\.1'.* has no smooth form"):
        smooth_model(network, volume=5e-6)
