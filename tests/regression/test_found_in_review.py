"""Cases that once gave a wrong result without a word; each against an independent value."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()
HALF_TURN = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


def brick(**given: Any) -> cl.Body:
    return cl.Body("b", mass=1.0, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.2, 0.0), **given)


@pytest.mark.parametrize("joint", [cl.Weld, cl.Revolute])
def test_loop_joints_are_not_assembled_upside_down(joint: Any) -> None:
    """Rows on orthogonal axes also hold after half a turn; the assembly must tell them apart."""
    model = cl.Model(joint("w", GROUND, brick(), orientation=HALF_TURN), coordinates="absolute")
    axis = cl.assemble(model)["b.rotation"][0][:, 2]
    assert np.allclose(axis, np.array(HALF_TURN)[:, 2], rtol=0.0, atol=1e-12)


def test_planar_weld_keeps_its_orientation() -> None:
    body = cl.Body("b", mass=1.0, inertia=0.1)
    model = cl.Model(cl.Weld("w", GROUND, body, orientation=math.pi), coordinates="absolute")
    angle = cl.assemble(model)["b.angle"][0]
    assert abs(math.remainder(angle - math.pi, 2.0 * math.pi)) < 1e-12


def test_tension_of_a_path_that_begins_on_the_ground() -> None:
    """tension = k (L - rest) + c dL/dt with the rate of the whole path."""
    body = cl.Body("b", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    points = ((GROUND, (0.0, 2.0)), (GROUND, (1.0, 2.0)), (body, (1.0, 0.0)))
    model = cl.Model(
        cl.Revolute("j", GROUND, body, angle=0.3),
        cl.PathSpring("p", points=points, stiffness=10.0, damping=5.0, rest=1.0),
        gravity=(0.0, -9.81),
    )
    sol = cl.simulate(model, 0.3, t_eval=np.linspace(0.0, 0.3, 301))
    length = sol["p.length"]
    expected = 10.0 * (length - 1.0) + 5.0 * np.gradient(length, sol.t)
    # central differences of 1 ms
    assert np.abs(sol["p.tension"] - expected)[1:-1].max() < 1e-3


def test_restart_with_another_function_uses_its_rates() -> None:
    def model(torque: float) -> cl.Model:
        body = cl.Body("b", mass=1.0, inertia=0.1, com=(0.5, 0.0))
        joint = cl.Revolute("j", GROUND, body, angle=0.3)
        return cl.Model(joint, cl.Torque("t", joint, value=lambda t: torque + 0.0 * t))

    method = cl.RungeKutta4(dt=0.01)
    final = cl.simulate(model(0.0), 0.01, method=method).final
    sol = cl.simulate(model(100.0), 0.02, method=method, initial=final)
    # constant torque on inertia 0.1 + 0.25 about the hinge
    assert abs(sol["j.speed"][-1] - 100.0 * 0.01 / 0.35) < 1e-12


@pytest.mark.parametrize(
    "given", [{"angle_1": 0.5}, {"angle_2": 0.5, "speed_2": 0.3}, {"speed_1": 0.5}]
)
def test_single_values_of_a_universal_loop_joint_are_kept(given: dict[str, float]) -> None:
    found = [
        cl.assemble(cl.Model(cl.Universal("w", GROUND, brick(), **given), coordinates=kind))
        for kind in ("relative", "absolute")
    ]
    for name in ("b.rotation", "b.angular_velocity"):
        assert np.allclose(found[0][name], found[1][name], rtol=0.0, atol=1e-10)


def test_world_spin_of_a_free_body_whose_orientation_is_found() -> None:
    turned = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    body = brick(angular_velocity=(0.0, 0.0, 1.0))
    model = cl.Model(cl.FreeJoint("f", GROUND, body, rotation=turned, closure=True))
    assert np.allclose(cl.assemble(model)["b.angular_velocity"][0], (0, 0, 1), atol=1e-10)


def test_angle_behind_a_planar_user_joint() -> None:
    def turn(q: Any, u: Any) -> Any:
        R = np.eye(3)
        R[0, 0] = R[1, 1] = math.cos(q[0])
        R[1, 0] = math.sin(q[0])
        R[0, 1] = -R[1, 0]
        S = np.zeros((6, 1))
        S[5, 0] = 1.0
        return R, np.zeros(3), S, np.zeros(6)

    body = cl.Body("b", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    joint = cl.UserJoint("j", GROUND, body, kinematics=turn, n=1, q0=(0.7,))
    assert abs(cl.assemble(cl.Model(joint, gravity=(0.0, -9.81)))["b.angle"][0] - 0.7) < 1e-12


def test_momentum_includes_rods_with_mass() -> None:
    ends = [
        cl.PointMass(f"p{k}", mass=1.0, position=(float(k), 0.0), velocity=(1.0, 0.0))
        for k in range(2)
    ]
    sol = cl.assemble(cl.Model(*ends, cl.Rod("rod", *ends, mass=3.0)))
    assert np.allclose(sol["system.momentum"][0], (5.0, 0.0), rtol=0.0, atol=1e-12)
    assert np.allclose(sol["system.centre_of_mass"][0], (0.5, 0.0), rtol=0.0, atol=1e-12)


def test_models_with_sources_of_energy_do_not_claim_to_conserve_it() -> None:
    pushed = cl.Model(cl.LagrangianSystem("L", M=((1.0,),), h=(2.0,), q0=(0.0,)))
    assert not cl.simulate(pushed, 0.1).info.conservative
    joint = cl.Prismatic("j", GROUND, cl.Body("b", mass=1.0, inertia=0.1), axis=(1.0, 0.0))
    moved = cl.Model(
        joint, cl.Constraint("c", lambda q, t: q[0] - t * t, coordinates=("j.displacement",))
    )
    assert not cl.simulate(moved, 0.1).info.conservative


def test_a_drive_and_an_initial_value_contradict() -> None:
    with pytest.raises(cl.ModelError, match="angle is given and angle is driven"):
        cl.Revolute("j", GROUND, brick(), angle=0.3, drive=lambda t: t)


@pytest.mark.parametrize("solve", [cl.Simulation, cl.equilibrium])
def test_every_solve_warns_of_redundant_constraints(solve: Any) -> None:
    body = cl.Body("b", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    model = cl.Model(
        cl.Revolute("A", GROUND, body, angle=-1.5), cl.Revolute("B", GROUND, body),
        gravity=(0.0, -9.81),
    )  # fmt: skip
    with pytest.warns(UserWarning, match="redundant constraints in: B"):
        solve(model)


def test_path_spring_with_a_law_of_its_own() -> None:
    """Tension c L^3 of a straight path of length L = 2."""
    mass = cl.PointMass("p", mass=1.0, position=(2.0, 0.0))
    spring = cl.PathSpring(
        "s", points=((GROUND, (0.0, 0.0)), (GROUND, (1.0, 0.0)), (mass, None)),
        force=lambda length, rate: 3.0 * length**3,
    )  # fmt: skip
    sol = cl.assemble(cl.Model(mass, spring))
    assert abs(sol["s.tension"][0] - 24.0) < 1e-12
    assert np.allclose(sol["p.acceleration"][0], (-24.0, 0.0), rtol=0.0, atol=1e-12)


def test_power_of_a_drive_and_current_of_a_motor_without_inductance() -> None:
    body = cl.Body("b", mass=1.0, inertia=0.5)
    driven = cl.Model(cl.Revolute("j", GROUND, body, drive=lambda t: t**2))
    sol = cl.simulate(driven, 1.0)
    # torque 0.5 * 2, speed 2 t
    assert np.allclose(sol["j.drive_power"], 2.0 * sol.t, rtol=0.0, atol=1e-12)
    hinge = cl.Revolute("j", GROUND, body)
    motor = cl.Motor("m", hinge, voltage=12.0, resistance=2.0, constant=0.1)
    assert abs(cl.assemble(cl.Model(hinge, motor))["m.current"][0] - 6.0) < 1e-12


@pytest.mark.parametrize("closure", [False, True])
def test_planar_joint_driven_in_the_tree_and_as_a_loop_joint(closure: bool) -> None:
    """Both roads follow x = t^2, y = 0, angle = 3 t and need the force m a."""
    body = cl.Body("b", mass=2.0, inertia=0.3)
    motion = {"position": (lambda t: t * t, 0.0), "angle": lambda t: 3.0 * t}
    sol = cl.simulate(
        cl.Model(cl.PlanarJoint("j", GROUND, body, drive=motion, closure=closure)), 0.5
    )
    assert np.allclose(sol["b.position"][:, 0], sol.t**2, rtol=0.0, atol=1e-10)
    assert np.allclose(sol["b.angle"], 3.0 * sol.t, rtol=0.0, atol=1e-10)
    assert np.allclose(sol["j.force"], (4.0, 0.0), rtol=0.0, atol=1e-9)


def test_planar_torque_of_position_and_velocity() -> None:
    """M = -c v_x on a disc that moves with v_x = 2: constant angular acceleration -c 2 / I."""
    disc = cl.Disk("d", mass=1.0, radius=0.5, velocity=(2.0, 0.0))
    model = cl.Model(disc, cl.Torque("t", disc, value=lambda t, r, v: -0.5 * v[0]))
    assert np.allclose(cl.assemble(model)["d.angular_acceleration"], -1.0 / 0.125, atol=1e-12)


def test_event_driven_run_of_a_model_without_contacts() -> None:
    """Nothing can open or slip: the run is that of the smooth method it is built on."""
    model = cl.Model(cl.Rotor("wheel", inertia=1.0, speed=1.0))
    sol = cl.simulate(model, 1.0, method=cl.EventDriven())
    assert abs(sol["wheel.angle"][-1] - 1.0) < 1e-12


def test_a_user_joint_in_a_loop_names_the_way_out() -> None:
    def slide(q, u):
        S = np.zeros((6, 1))
        S[0, 0] = 1.0
        return np.eye(3), np.array([q[0], 0.0, 0.0]), S, np.zeros(6)

    inertia = (0.1, 0.1, 0.1)
    a, b = cl.Body("a", mass=1.0, inertia=inertia), cl.Body("b", mass=1.0, inertia=inertia)
    model = cl.Model(
        cl.UserJoint("one", GROUND, a, kinematics=slide, n=1),
        cl.UserJoint("two", a, b, kinematics=slide, n=1),
        cl.UserJoint("three", GROUND, b, kinematics=slide, n=1),
    )
    with pytest.raises(
        cl.ModelError, match=r"'two' would close a loop of UserJoints alone.*two halves that Weld"
    ):
        cl.simulate(model, 0.1)
