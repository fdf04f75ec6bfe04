"""Corner laws and the stiff compressible equations of the same network move alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import ModelError
from cornerlaw.gallery.hydraulics import brake_tower, servo_cylinder, store_line_cylinder
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


def test_what_has_no_smooth_form_is_named() -> None:
    network = servo_cylinder.network(servo_cylinder.Parameters())
    with pytest.raises(ModelError, match=r"Orifice 'valve\.1'.* has no smooth form"):
        smooth_model(network, volume=5e-6)
