"""Kinematic runs and inverse dynamics: closed-form slider-crank, and inverse(forward(x)) = x."""

import math

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()
R, L = 0.15, 0.6


def slider_crank(drive=None, masses=(0.5, 0.8, 0.4), **initial):
    crank = cl.Body("crank", mass=masses[0], inertia=masses[0] * R * R / 12.0, com=(R / 2.0, 0.0))
    rod = cl.Body("rod", mass=masses[1], inertia=masses[1] * L * L / 12.0, com=(L / 2.0, 0.0))
    piston = cl.Body("piston", mass=masses[2], inertia=1e-3 * masses[2])
    return cl.Model(
        cl.Revolute("main", GROUND, crank, drive=drive, **initial),
        cl.Revolute("pin", crank, rod, at=(R, 0.0)),
        cl.Revolute("gudgeon", rod, piston, at=(L, 0.0)),
        cl.Prismatic("guide", GROUND, piston, axis=(1.0, 0.0)),
        gravity=(0.0, -9.81),
    )


def stroke(phi):
    return R * np.cos(phi) + np.sqrt(L * L - (R * np.sin(phi)) ** 2)


TIMES = np.linspace(0.0, 0.5, 41)
SPEED = 20.0


def test_slider_crank_kinematics_closed_form():
    sol = cl.kinematics(slider_crank(lambda t: 0.2 + SPEED * t), TIMES)
    phi = 0.2 + SPEED * TIMES
    root = np.sqrt(L * L - (R * np.sin(phi)) ** 2)
    first = -R * np.sin(phi) - R * R * np.sin(phi) * np.cos(phi) / root
    second = (
        -R * np.cos(phi)
        - R * R * np.cos(2.0 * phi) / root
        - (R * R * np.sin(phi) * np.cos(phi)) ** 2 / root**3
    )
    # Newton on the loop stops at 1e-14 of the model's size
    np.testing.assert_allclose(sol["piston.position.x"], stroke(phi), atol=1e-12)
    np.testing.assert_allclose(sol["piston.velocity.x"], SPEED * first, atol=1e-10)
    np.testing.assert_allclose(sol["piston.acceleration.x"], SPEED**2 * second, atol=1e-8)
    np.testing.assert_allclose(sol["main.angle"], phi, atol=1e-14)


def test_driving_torque_is_the_power_over_the_speed():
    """drive torque * speed = d/dt (kinetic + potential energy), by five-point differences."""
    h = 1e-4
    model = slider_crank(lambda t: 0.2 + SPEED * t)
    for t in (0.05, 0.21, 0.4):
        sol = cl.kinematics(model, t + h * np.arange(-2, 3))
        E = sol["energy.total"]
        power = (E[0] - 8.0 * E[1] + 8.0 * E[3] - E[4]) / (12.0 * h)
        # differences: (w h)^4 truncation 1e-11, rounding 1e-15 / h
        assert sol["main.drive_force"][2] * SPEED == pytest.approx(power, rel=1e-7)


def test_massless_mechanism_moves_as_well():
    sol = cl.kinematics(slider_crank(lambda t: 0.2 + SPEED * t, masses=(0.0, 0.0, 0.0)), TIMES)
    np.testing.assert_allclose(sol["piston.position.x"], stroke(0.2 + SPEED * TIMES), atol=1e-12)
    assert np.abs(sol["main.drive_force"]).max() < 1e-5


def test_large_steps_stay_on_the_same_branch():
    sol = cl.kinematics(slider_crank(lambda t: 0.2 + SPEED * t), [0.0, 0.25, 0.5])
    np.testing.assert_allclose(sol["piston.position.x"], stroke(0.2 + SPEED * sol.t), atol=1e-12)


def test_undriven_coordinates_are_named():
    with pytest.raises(cl.UsageError, match=r"1 degree of freedom is not driven.*main\.angle"):
        cl.kinematics(slider_crank(), TIMES)


@pytest.mark.parametrize("times", [[], [0.0, 0.0], [0.0, math.nan]])
def test_bad_times(times):
    with pytest.raises(cl.UsageError, match="times"):
        cl.kinematics(slider_crank(lambda t: t), times)


def test_inverse_dynamics_of_functions_arrays_and_motions_agree():
    sol = cl.kinematics(slider_crank(lambda t: 0.2 + 3.0 * math.sin(4.0 * t)), TIMES)
    need = sol["main.drive_force"]
    model = slider_crank(angle=0.2)
    w = 4.0 * TIMES
    arrays = (0.2 + 3.0 * np.sin(w), 12.0 * np.cos(w), -48.0 * np.sin(w))
    motion = cl.Motion(
        lambda t: 0.2 + 3.0 * math.sin(4.0 * t),
        lambda t: 12.0 * math.cos(4.0 * t),
        lambda t: -48.0 * math.sin(4.0 * t),
    )
    scale = np.abs(need).max()
    for given in (lambda t: 0.2 + 3.0 * math.sin(4.0 * t), arrays, motion):
        inverse = cl.inverse_dynamics(model, TIMES, {"main.angle": given})
        # the same equations at positions that agree to 1e-14
        np.testing.assert_allclose(inverse["main"].drive_force, need, atol=1e-9 * scale)
        np.testing.assert_allclose(inverse["pin"].force, sol["pin"].force, atol=1e-7)
    samples = cl.inverse_dynamics(model, TIMES, {"main": arrays[0]})
    # derivatives of a quintic spline through 41 points: (w h)^4 = 6e-6
    np.testing.assert_allclose(samples["main"].drive_force[3:-3], need[3:-3], atol=1e-3 * scale)


def tree():
    a = cl.Body("a", mass=2.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0.2, 0.3))
    b = cl.Body("b", mass=1.0, inertia=(0.2, 0.1, 0.15), com=(0.0, 0.1, 0.0))
    c = cl.Body("c", mass=0.5, inertia=(0.1, 0.1, 0.05), com=(0.1, 0.0, 0.0))
    free = cl.Body("free", mass=1.5, inertia=(0.1, 0.2, 0.3), position=(1.0, 0.0, 0.0),
                   velocity=(0.1, 0.2, 0.3), angular_velocity=(1.0, -2.0, 0.5))  # fmt: skip
    rotor = cl.Rotor("rotor", inertia=0.7, speed=2.0)
    hip = cl.Universal("hip", GROUND, a, angle_1=0.3, angle_2=-0.4, speed_1=1.0, speed_2=2.0)
    knee = cl.Revolute(
        "knee", a, b, axis=(0.0, 1.0, 1.0), at=(0.3, 0.0, 0.1), angle=0.5, speed=-3.0
    )
    ball = cl.Spherical("ball", b, c, at=(0.0, 0.3, 0.0), angular_velocity=(1.0, 2.0, 3.0))
    parts = (hip, knee, ball, free, rotor)
    forces = (
        cl.Torque("knee motor", knee, value=lambda t: 2.0 + math.sin(9.0 * t)),
        cl.Torque("hip motor", hip, coordinate="angle_2", value=lambda t: -math.cos(5.0 * t)),
        cl.Torque("rotor motor", rotor, value=0.6),
    )
    always = cl.Spring("spring", a, c, stiffness=40.0, damping=0.5, rest=0.2)
    return cl.Model(*parts, always, *forces, gravity=(0.0, 0.0, -9.81)), [f.name for f in forces]


def test_inverse_of_forward_returns_the_torques():
    model, motors = tree()
    sol = cl.simulate(model, 0.5, t_eval=np.linspace(0.0, 0.5, 11))
    inverse = cl.inverse_dynamics(model, None, sol, without=motors)
    tolerance = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(inverse["knee"].drive_force, 2.0 + np.sin(9.0 * sol.t), **tolerance)
    hip = inverse["hip"]
    np.testing.assert_allclose(hip.drive_force_angle_2, -np.cos(5.0 * sol.t), **tolerance)
    np.testing.assert_allclose(hip.drive_force_angle_1, 0.0, atol=1e-10)
    np.testing.assert_allclose(inverse["rotor"].drive_force, 0.6, **tolerance)
    for axis in "xyz":
        np.testing.assert_allclose(inverse[f"ball.drive_force_rotation_{axis}"], 0.0, atol=1e-10)
        np.testing.assert_allclose(inverse[f"free.drive_force_rotation_{axis}"], 0.0, atol=1e-10)
    # with its motors in place the motion needs nothing
    nothing = cl.inverse_dynamics(model, None, sol)
    assert np.abs(nothing["knee"].drive_force).max() < 1e-10


def test_inverse_of_forward_with_a_loop():
    base = slider_crank(angle=0.3, speed=10.0)
    model = cl.Model(
        *base.parts, cl.Torque("motor", "main", value=lambda t: 4.0 * math.sin(30.0 * t)),
        gravity=base.gravity,
    )  # fmt: skip
    sol = cl.simulate(model, 0.3, t_eval=np.linspace(0.0, 0.3, 13))
    inverse = cl.inverse_dynamics(model, None, sol, actuated=["main"], without=["motor"])
    scale = 4.0
    np.testing.assert_allclose(
        inverse["main"].drive_force, 4.0 * np.sin(30.0 * sol.t), atol=1e-10 * scale * 10
    )


def test_inverse_dynamics_errors():
    model = slider_crank(angle=0.3)
    with pytest.raises(cl.UnknownNameError, match="no force named 'motr'"):
        cl.inverse_dynamics(model, TIMES, {"main": 0.0}, without=["motr"])
    with pytest.raises(cl.UnknownNameError, match="did you mean"):
        cl.inverse_dynamics(model, TIMES, {"main.angel": 0.0})
    with pytest.raises(cl.UsageError, match="3 values for 41 times"):
        cl.inverse_dynamics(model, TIMES, {"main": np.zeros(3)})
    with pytest.raises(cl.UsageError, match="needs times"):
        cl.inverse_dynamics(model, None, {"main": 0.0})
