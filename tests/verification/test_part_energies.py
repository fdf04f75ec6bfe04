"""Energies of single parts and the moment of a bushing, against closed forms.

The sum over all parts must be the energy of the whole, which is computed independently of names.
"""

import math

import numpy as np
import pytest

import cornerlaw as cl

GRAVITY = (0.0, -9.81)


def test_energies_of_all_parts_add_up() -> None:
    ground = cl.Ground()
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    tip = cl.Body("tip", mass=0.7, inertia=0.05, com=(0.4, 0.1))
    ball = cl.PointMass("ball", mass=0.3, position=(2.5, 0.3))
    shoulder = cl.Revolute("shoulder", ground, arm, angle=0.3, speed=1.0, armature=0.02, ratio=3.0)
    rotor = cl.Rotor("rotor", inertia=0.4, speed=2.0)

    def stored(t, r, A, v, Omega, q, u, x, p):
        return 0.5 * p[0] * q[0] ** 2

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[0] = -p[0] * q[0]

    model = cl.Model(
        shoulder,
        cl.Revolute("elbow", arm, tip, at=(1.0, 0.0), angle=-0.5),
        ball,
        rotor,
        cl.Rod("rod", tip, ball, at=(0.8, 0.0), mass=0.25),
        cl.Spring("spring", ground, tip, at=(0.0, 2.0), stiffness=50.0, damping=1.0, rest=1.0),
        cl.TorsionSpring("torsion", shoulder, stiffness=3.0, rest=0.1),
        cl.PathSpring("path", ground, (arm, (0.3, 0.0)), ball, stiffness=20.0, rest=1.5),
        cl.Bushing("mount", ground, tip, stiffness=(10.0, 20.0, 5.0)),
        cl.ForceElement(
            "own", coordinates=("rotor.angle",), law=law, parameters={"k": 2.0}, energy=stored
        ),
        gravity=GRAVITY,
    )
    sol = cl.simulate(model, 1.0, t_eval=np.linspace(0.0, 1.0, 11))
    kinetic = sum(
        sol[f"{name}.kinetic_energy"] for name in ("arm", "tip", "ball", "shoulder", "rotor", "rod")
    )
    potential = sum(sol[f"{name}.potential_energy"] for name in ("arm", "tip", "ball", "rod"))
    potential += sum(
        sol[f"{name}.energy"] for name in ("spring", "torsion", "path", "mount", "own")
    )
    # the same numbers added in another order
    assert np.allclose(kinetic, sol["energy.kinetic"], rtol=1e-13, atol=1e-13)
    assert np.allclose(potential, sol["energy.potential"], rtol=1e-13, atol=1e-12)
    # and each of them by its own formula
    speed = sol["shoulder.speed"]
    assert np.allclose(sol["shoulder.kinetic_energy"], 0.5 * 0.02 * 9.0 * speed**2, rtol=1e-14)
    assert np.allclose(sol["arm.kinetic_energy"], 0.5 * (0.1 + 0.25) * speed**2, rtol=1e-12)
    height = 0.5 * np.sin(sol["shoulder.angle"])
    assert np.allclose(sol["arm.potential_energy"], 9.81 * height, rtol=0.0, atol=1e-12)
    stretch = sol["spring.length"] - 1.0
    assert np.allclose(sol["spring.energy"], 25.0 * stretch**2, rtol=1e-12)
    assert np.allclose(sol["rotor.kinetic_energy"], 0.2 * sol["rotor.speed"] ** 2, rtol=1e-14)


def test_energy_of_a_spatial_body_by_its_centre_of_mass() -> None:
    body = cl.Body(
        "body",
        mass=2.0,
        inertia=(0.1, 0.2, 0.25),
        com=(0.1, 0.2, 0.3),
        velocity=(1.0, 0.0, 0.5),
        angular_velocity=(0.3, 2.0, -1.0),
    )
    sol = cl.simulate(cl.Model(body, gravity=(0.0, 0.0, -9.81)), 1.0, t_eval=[0.0, 0.5, 1.0])
    for k in range(3):
        A, omega = sol["body.rotation"][k], sol["body.angular_velocity"][k]
        arm = A @ np.array([0.1, 0.2, 0.3])
        v = sol["body.velocity"][k] + np.cross(omega, arm)
        spin = A.T @ omega
        expected = v @ v + 0.5 * spin @ (np.array([0.1, 0.2, 0.25]) * spin)
        assert sol["body.kinetic_energy"][k] == pytest.approx(expected, rel=1e-12)
        height = sol["body.position"][k, 2] + arm[2]
        assert sol["body.potential_energy"][k] == pytest.approx(2.0 * 9.81 * height, abs=1e-11)


def test_energies_can_be_sensed() -> None:
    body = cl.PointMass("body", mass=2.0, position=(0.0, 0.0), velocity=(3.0, 0.0))
    sensor = cl.Sensor("half", expression=lambda t, v: 0.5 * v[0], of=("body.kinetic_energy",))
    sol = cl.simulate(cl.Model(body, sensor), 0.1)
    assert sol["half"][-1] == pytest.approx(4.5, rel=1e-15)


def test_moment_of_a_planar_bushing() -> None:
    """K phi about the point of the second body, whatever the force and the arms are."""
    ground = cl.Ground()
    body = cl.Body("body", mass=1.0, inertia=0.1, position=(1.2, 0.1), rotation=0.3)
    bushing = cl.Bushing(
        "mount",
        ground,
        body,
        at=(1.0, 0.0),
        at_second=(0.2, -0.1),
        stiffness=(100.0, 200.0, 7.0),
        damping=(1.0, 1.0, 0.4),
    )
    sol = cl.simulate(cl.Model(body, bushing), 0.5, t_eval=np.linspace(0.0, 0.5, 6))
    expected = 7.0 * sol["body.angle"] + 0.4 * sol["body.angular_velocity"]
    assert np.allclose(sol["mount.moment"], expected, rtol=0.0, atol=1e-12)


def test_moment_of_a_spatial_bushing_moves_the_body() -> None:
    """Euler's equation of the second body: its moment is minus that of the first, same point."""
    ground = cl.Ground()
    I = np.diag([0.1, 0.2, 0.15])
    body = cl.Body(
        "body",
        mass=1.0,
        inertia=(0.1, 0.2, 0.15),
        rotation=cl.rotation.cardan(0.2, -0.1, 0.3),
        angular_velocity=(1.0, 0.5, -0.2),
    )
    bushing = cl.Bushing(
        "mount",
        ground,
        body,
        at_second=(0.1, 0.2, 0.0),
        stiffness=(100.0, 50.0, 80.0, 3.0, 4.0, 5.0),
        orientation=cl.rotation.about((0.0, 0.0, 1.0), math.pi / 6.0),
    )
    sol = cl.simulate(cl.Model(body, bushing), 0.3, t_eval=[0.0, 0.1, 0.3])
    for k in range(3):
        A, w = sol["body.rotation"][k], sol["body.angular_velocity"][k]
        J = A @ I @ A.T
        needed = J @ sol["body.angular_acceleration"][k] + np.cross(w, J @ w)
        arm = A @ np.array([0.1, 0.2, 0.0])
        moment = -sol["mount.moment"][k] - np.cross(arm, sol["mount.force"][k])
        assert np.allclose(moment, needed, rtol=0.0, atol=1e-11)
