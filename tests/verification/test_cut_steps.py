"""Time steps that an event or a stop cuts: the impulse of a step is cut as its motion is."""

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G, MASS, V_0, DT = 9.81, 2.0, 3.0, 1e-3
WEIGHT = MASS * G


def fill(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
    x_dot[0] = p[0]


def full(t, r, A, v, Omega, q, u, x, z, p):
    return x[0] - 1.0


def shut(name, t, r, A, v, Omega, q, u, x, z, p):
    z[0] = 1.0


def along(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 0] = 1.0
    return r[0, 0], 0.0, 0.0


def floor(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 1] = 1.0
    return r[0, 1], 0.0, 0.0


def sled(time: float) -> cl.Model:
    """Return a block on a floor with a brake of 8 N that a pressure switches on at a time."""
    block = cl.PointMass("block", mass=MASS, position=(0.0, 0.0), velocity=(V_0, 0.0))
    brake = cl.ForceElement(
        "sled", frames=(block,), law=fill, states={"pressure": 0.0}, discrete={"closed": 0.0},
        indicators={"full": full}, on_event=shut, parameters={"rate": 1.0 / time},
        rows={"brake": cl.SetRow(along, upper=8.0, active="closed"),
              "floor": cl.UnilateralRow(floor)},
    )  # fmt: skip
    return cl.Model(block, brake, gravity=(0.0, -G))


# at the end of a step, where rounding decides; a rounding behind it; a third of a step behind it
@pytest.mark.parametrize("time", [0.4, 0.4 * (1.0 + 1e-14), 0.4 * (1.0 - 1e-14), 0.4 + DT / 3.0])
@pytest.mark.parametrize("every", [1, 7])
def test_forces_of_a_step_that_an_event_cuts(time: float, every: int) -> None:
    """The floor carries the weight in every row, and all of its impulse is counted once."""
    sol = cl.simulate(sled(time), 1.0, method=cl.Moreau(dt=DT), every=every)
    # rows of no length have no mean force
    whole = np.diff(sol.t, prepend=0.0) > 0.0
    assert np.abs(sol["sled.floor"].lam_N[whole] - WEIGHT).max() < 1e-9
    assert sol["sled.floor"].Lambda_N.sum() == pytest.approx(WEIGHT, abs=1e-11)
    braked = sol.t > time + 1e-9
    assert sol["sled.brake"].lam_T[braked & whole] == pytest.approx(-8.0, abs=1e-9)
    assert not sol["sled.brake"].lam_T[~braked].any()
    assert sol["sled.brake"].Lambda_T.sum() == pytest.approx(-8.0 * (1.0 - time), abs=1e-9)


def cut_times() -> list[Any]:
    return [0.25, 0.25 + 1e-15, 0.25 + 0.3 * DT, 0.25 + 0.999 * DT]


@pytest.mark.parametrize("time", cut_times())
def test_the_last_row_of_a_run_that_a_stop_ends(time: float) -> None:
    stop = cl.Stop("there", "block.position.x", above=V_0 * time)
    sol = cl.simulate(sled(0.5), 1.0, method=cl.Moreau(dt=DT), stop=stop)
    assert sol.info.status == "stopped"
    assert sol["sled.floor"].lam_N[-1] == pytest.approx(WEIGHT, abs=1e-9)
    assert sol["sled.floor"].Lambda_N.sum() == pytest.approx(WEIGHT * sol.t[-1], abs=1e-11)
