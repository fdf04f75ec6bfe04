"""Equilibria against closed forms: springs, loops, drives, several positions of rest."""

import math

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()
G = 9.81
# the residual is 1e-10 of the forces at work; positions follow with the stiffness
TIGHT = 1e-9


def test_mass_on_a_spring_hangs_at_its_weight():
    ball = cl.PointMass("ball", mass=2.0, position=(0.3, -0.2, -1.0))
    spring = cl.Spring("spring", GROUND, ball, stiffness=50.0, rest=1.0)
    rest = cl.equilibrium(cl.Model(ball, spring, gravity=(0.0, 0.0, -G)))
    length = 1.0 + 2.0 * G / 50.0
    position = rest["ball"].position[0]
    assert np.linalg.norm(position) == pytest.approx(length, rel=TIGHT)
    assert rest["spring"].tension[0] == pytest.approx(2.0 * G, rel=TIGHT)
    assert rest.residual < 1e-10
    np.testing.assert_allclose(position, [0.0, 0.0, -length], atol=1e-8)
    assert rest.stable


def test_torsion_spring_against_weight():
    body = cl.Body("arm", mass=2.0, inertia=0.1, com=(0.5, 0.0))
    joint = cl.Revolute("pin", GROUND, body, angle=0.3)
    rest = cl.equilibrium(
        cl.Model(joint, cl.TorsionSpring("s", joint, stiffness=20.0), gravity=(0.0, -G))
    )
    angle = rest["pin.angle"][0]
    # 20 angle + m g l cos(angle) = 0
    assert 20.0 * angle + 2.0 * G * 0.5 * math.cos(angle) == pytest.approx(0.0, abs=1e-8)
    assert rest.stable
    np.testing.assert_allclose(rest["pin"].force[0], [0.0, 2.0 * G], rtol=TIGHT, atol=1e-9)
    assert "stable" in str(rest) and "pin.angle" in str(rest)


def parallelogram(angle):
    """Two equal cranks and a coupler: the coupler stays level, one degree of freedom, one loop."""
    left, right = (cl.Body(n, mass=1.0, inertia=0.01, com=(0.2, 0.0)) for n in ("left", "right"))
    bar = cl.Body("bar", mass=3.0, inertia=0.1, com=(0.5, 0.0))
    crank = cl.Revolute("A", GROUND, left, angle=angle)
    return cl.Model(
        crank,
        cl.Revolute("B", left, bar, at=(0.4, 0.0)),
        cl.Revolute("D", GROUND, right, at=(1.0, 0.0), angle=angle),
        cl.Revolute("C", bar, right, at=(1.0, 0.0), at_second=(0.4, 0.0), closure=True),
        cl.TorsionSpring("spring", crank, stiffness=25.0),
        gravity=(0.0, -G),
    )


def test_closed_loop():
    # below the flat position, where the loop could also fold
    rest = cl.equilibrium(parallelogram(-0.2))
    angle = rest["A.angle"][0]
    moment = (2.0 * 1.0 * 0.2 + 3.0 * 0.4) * G
    # virtual work: k angle + (2 m l/2 + M l) g cos(angle) = 0
    assert 25.0 * angle + moment * math.cos(angle) == pytest.approx(0.0, abs=1e-7)
    assert np.abs(rest["constraints.position_error"]).max() < 1e-10
    assert abs(rest["A.speed_rate"][0]) < 1e-7
    # the supports carry the whole weight
    total = rest["A"].force[0] + rest["D"].force[0]
    np.testing.assert_allclose(total, [0.0, 5.0 * G], rtol=1e-8, atol=1e-7)
    assert rest.stable


def test_guess_chooses_the_position_and_its_stability():
    bob = cl.Body("bob", mass=1.0, inertia=0.1, com=(0.0, -0.5))
    model = cl.Model(cl.Revolute("pin", GROUND, bob), gravity=(0.0, -G))
    down = cl.equilibrium(model, guess={"pin.angle": 0.4})
    up = cl.equilibrium(model, guess={"pin.angle": 2.9})
    assert down["pin.angle"][0] == pytest.approx(0.0, abs=TIGHT)
    assert up["pin.angle"][0] == pytest.approx(math.pi, abs=TIGHT)
    assert down.stable and not up.stable


def test_drives_hold_their_position():
    """A driven crank stands still at t although its motion runs on; its pendulum hangs down."""
    crank = cl.Body("crank", mass=1.0, inertia=0.1)
    bob = cl.Body("bob", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    model = cl.Model(
        cl.Revolute("motor", GROUND, crank, drive=lambda t: 0.5 + 3.0 * t),
        cl.Revolute("pin", crank, bob, at=(0.3, 0.0), angle=-1.0),
        gravity=(0.0, -G),
    )
    rest = cl.equilibrium(model, t=0.1)
    assert rest["motor.angle"][0] == pytest.approx(0.8)
    assert rest["motor.speed"][0] == 0.0
    assert rest["pin.angle"][0] == pytest.approx(-math.pi / 2.0 - 0.8, abs=TIGHT)
    # the motor holds the pendulum's weight on its arm
    assert rest["motor.drive_force"][0] == pytest.approx(G * 0.3 * math.cos(0.8), rel=1e-8)


def test_states_of_controllers_come_to_rest():
    """A PID holds an arm at its target; its integral carries the weight."""
    arm = cl.Body("arm", mass=2.0, inertia=0.1, com=(0.5, 0.0))
    joint = cl.Revolute("pin", GROUND, arm)
    pid = cl.PID("pid", joint, kp=30.0, kd=3.0, ki=10.0, target=0.4)
    rest = cl.equilibrium(cl.Model(joint, pid, gravity=(0.0, -G)))
    assert rest["pin.angle"][0] == pytest.approx(0.4, abs=1e-8)
    assert rest["pid.torque"][0] == pytest.approx(2.0 * G * 0.5 * math.cos(0.4), rel=1e-8)


def test_no_equilibrium_is_a_clear_error():
    model = cl.Model(cl.Body("stone", mass=1.0, inertia=1.0), gravity=(0.0, -G))
    with pytest.raises(cl.SimulationError, match=r"no equilibrium was found: 'stone\.position_y'"):
        cl.equilibrium(model)


def test_assemble_keeps_what_is_given_and_closes_the_loop():
    result = cl.assemble(parallelogram(0.4))
    assert result["A.angle"][0] == 0.4
    assert len(result) == 1
    assert np.abs(result["constraints.position_error"]).max() < 1e-12
    # the far ends of both cranks are a coupler apart
    end = result["right"].position[0] + 0.4 * np.array(
        [math.cos(result["right.angle"][0]), math.sin(result["right.angle"][0])]
    )
    start = 0.4 * np.array([math.cos(0.4), math.sin(0.4)])
    assert np.linalg.norm(end - start) == pytest.approx(1.0, rel=1e-11)


def test_assemble_names_the_constraint_that_stays_open():
    a = cl.Body("a", mass=1.0, inertia=0.1)
    model = cl.Model(
        cl.Revolute("A", GROUND, a), cl.Distance("cable", a, GROUND, at=(0.1, 0.0),
        at_second=(5.0, 0.0), length=1.0),
    )  # fmt: skip
    with pytest.raises(cl.AssemblyError, match="cable"):
        cl.assemble(model)


def behind_play(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -p[0] * max(q[0] - p[1], 0.0)


@pytest.mark.parametrize("stop", [None, 5.0])
def test_spring_behind_play_beside_a_far_stop(stop):
    """No force changes within the play, where the search begins; the stop has nothing to do."""
    cart = cl.Slider("cart", mass=1.0)
    spring = cl.ForceElement("spring", coordinates=("cart.position",), law=behind_play,
                             parameters={"k": 100.0, "play": 0.01})  # fmt: skip
    parts = [cart, spring, cl.Torque("push", on="cart", value=1.0)]
    if stop is not None:
        parts.append(cl.Limit("stop", "cart", upper=stop))
    assert cl.equilibrium(cl.Model(*parts))["cart.position"][0] == pytest.approx(0.02, rel=TIGHT)


def test_force_that_only_a_stop_could_carry_is_named():
    cart = cl.Slider("cart", mass=1.0)
    model = cl.Model(
        cart, cl.Torque("push", on="cart", value=1.0), cl.Limit("stop", "cart", upper=5.0)
    )
    with pytest.raises(cl.SimulationError, match=r"'cart\.position', and the corner law 'stop"):
        cl.equilibrium(model)
