"""Andrews' squeezer against the IVP test set: angles to 8, multipliers to 5 significant digits."""

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.mechanisms import andrews

# t = 0.03 s, PSIDE with rtol = atol = 1e-14 on a Cray C90, as published with the IVP test set
ANGLES = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805303,
    0.5347301163226948,
    1.048080741042263,
)
SPEEDS = (
    1139.920302151208,
    -1424.379294994111,
    11.03291221937134,
    19.29337464421385,
    0.5735699284790808,
    -19.29337464421385,
    0.3231791658026955,
)
MULTIPLIERS = (
    199.175333373191,
    -29.75531228015052,
    23.06654119098399,
    31.45271365475927,
    22.64249232082739,
    11.61740700019673,
)
# at t = 0, where all speeds vanish
START_RATES = (14222.443919954114, -10666.832939965585, 0.0, 0.0, 0.0, 0.0, 0.0)
START_MULTIPLIERS = (98.56687039624109, -6.122688344255662, 0.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def run():
    method = cl.RungeKutta8(rtol=1e-10, atol=1e-12)
    return cl.simulate(andrews.build(andrews.Parameters()), 0.03, method=method)


@pytest.mark.trust("TR-N-23")
def test_angles_to_eight_digits(run):
    found = [run[f"{name}.angle"][-1] for name in andrews.ANGLES]
    print(f"angles: {np.abs(np.array(found) / ANGLES - 1.0).max():.1e} relative")
    np.testing.assert_allclose(found, ANGLES, rtol=0.5e-8, atol=0.0)


def test_speeds_to_six_digits(run):
    # the speeds are some hundred times as sensitive as the angles
    found = [run[f"{name}.speed"][-1] for name in andrews.ANGLES]
    np.testing.assert_allclose(found, SPEEDS, rtol=0.5e-6, atol=0.0)


def test_multipliers_of_the_six_equations_to_five_digits(run):
    found = andrews.multipliers(run)[-1]
    print(f"multipliers: {np.abs(found / MULTIPLIERS - 1.0).max():.1e} relative")
    np.testing.assert_allclose(found, MULTIPLIERS, rtol=0.5e-5, atol=0.0)


def test_start_is_that_of_the_test_set(run):
    rates = [run[f"{name}.speed_rate"][0] for name in andrews.ANGLES]
    # the published position satisfies the equations to its last printed digit
    np.testing.assert_allclose(rates, START_RATES, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(andrews.multipliers(run)[0], START_MULTIPLIERS, rtol=1e-9, atol=1e-9)


@pytest.mark.trust("TR-N-23")
def test_loops_stay_closed(run):
    # the tips of K2, K3, K4 and K6, from positions and absolute angles of the links
    p = andrews.Parameters()
    tips = {"K2": (-p.d, 0.0), "K3": (0.0, -p.ss), "K4": (0.0, -p.e), "K6": (p.zf, 0.0)}
    places = []
    for name, (x, y) in tips.items():
        c, s = np.cos(run[f"{name}.angle"]), np.sin(run[f"{name}.angle"])
        places.append(run[f"{name}.position"] + np.column_stack([c * x - s * y, s * x + c * y]))
    for place in places[1:]:
        # 1e-10 of the shortest length, 7 mm
        assert np.max(np.abs(place - places[0])) < 1e-10 * p.rr


def test_power_of_the_motor_goes_into_energy(run):
    energy = run["energy.total"]
    work = andrews.Parameters().mom * (run["beta.angle"] - run["beta.angle"][0])
    # local errors of 1e-10 relative in the speeds, over some hundred steps
    assert np.max(np.abs(energy - energy[0] - work)) < 1e-7 * np.max(np.abs(work))


@pytest.mark.parametrize("change", andrews.MUTATIONS, ids=str)
def test_references_notice_a_changed_parameter(change):
    sol = andrews.simulate(andrews.Parameters(**change))
    assert not all(check.ok for check in andrews.check(sol, andrews.Parameters()))
