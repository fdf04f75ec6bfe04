"""The slider-crank in three sets of coordinates: one motion, and that of the closed form."""

from dataclasses import replace

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import UsageError
from cornerlaw.gallery.mechanisms import slider_crank as system

TIMES = np.linspace(0.0, 1.0, 201)
P = system.Parameters()


@pytest.fixture(scope="module")
def runs():
    return {
        name: system.simulate(replace(P, formulation=name), t_eval=TIMES)
        for name in system.FORMULATIONS
    }


@pytest.mark.parametrize("name", system.FORMULATIONS)
def test_closed_form(runs, name):
    theta, speed, x = system.motion(runs[name])
    # rounding of the projection
    assert np.max(np.abs(x - system.displacement(P, theta))) < 1e-12
    # local errors of 1e-11, over some two hundred steps
    assert np.max(np.abs(speed - system.exact_speed(P, theta))) < 1e-8
    assert theta[-1] - theta[0] > 4.0 * np.pi  # both dead centres, twice


@pytest.mark.parametrize("name", ["absolute", "natural"])
def test_same_motion(runs, name):
    _, _, x = system.motion(runs["relative"])
    theta, speed, other = system.motion(runs[name])
    assert np.max(np.abs(x - other)) < 1e-9
    reference = system.motion(runs["relative"])
    assert np.max(np.abs(theta - reference[0])) < 1e-8
    assert np.max(np.abs(speed - reference[1])) < 1e-7


def test_time_of_a_revolution():
    # T = integral of d theta / theta_dot over one turn; equal weights are spectral there
    grid = P.angle + np.linspace(0.0, 2.0 * np.pi, 2000, endpoint=False)
    period = float(np.mean(2.0 * np.pi / system.exact_speed(P, grid)))
    sol = system.simulate(P, t_end=2.0 * period, t_eval=np.array([0.0, period, 2.0 * period]))
    turns = system.motion(sol)[0] - P.angle
    np.testing.assert_allclose(turns, [0.0, 2.0 * np.pi, 4.0 * np.pi], atol=1e-8)


@pytest.mark.parametrize(
    ("name", "coordinates", "rows"), [("relative", 3, 2), ("absolute", 9, 8), ("natural", 4, 3)]
)
def test_counts_of_the_chapter(name, coordinates, rows):
    facts = system.build(replace(P, formulation=name)).describe()
    assert (facts.velocities, facts.rows, facts.rank) == (coordinates, rows, rows)
    assert facts.degrees_of_freedom == 1


def test_guide_force_is_the_same(runs):
    # along y, on the slider; errors of the accelerations times the masses
    forces = [runs[name]["guide.force"][:, 1] for name in system.FORMULATIONS]
    scale = np.max(np.abs(forces[0]))
    for force in forces[1:]:
        assert np.max(np.abs(force - forces[0])) < 1e-7 * scale


def test_wrong_formulation_is_named():
    with pytest.raises(UsageError, match="formulation must be one of relative"):
        system.build(replace(P, formulation="polar"))


def test_heavier_coupler_is_noticed():
    heavy = cl.simulate(system.build(replace(P, coupler_mass=1.8)), 1.0, t_eval=TIMES)
    theta, speed, _ = system.motion(heavy)
    assert np.max(np.abs(speed - system.exact_speed(P, theta))) > 0.01
