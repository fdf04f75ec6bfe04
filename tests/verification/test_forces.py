"""Force elements, actuators and prescribed motion against closed forms.

Runs use RungeKutta8 with rtol 1e-12; over two seconds the error of a trajectory stays below 1e-9,
which is the tolerance wherever no other reason is given. Linear systems without a short
closed form are compared with the matrix exponential, rheonomic ones with scipy's DOP853.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.special import ellipk

import cornerlaw as cl

METHOD = cl.RungeKutta8(rtol=1e-12, atol=1e-14)
TIMES = np.linspace(0.0, 2.0, 41)
G = 9.81
TOLERANCE = 1e-9


def run(model: cl.Model, times: Any = TIMES, **options: Any) -> cl.Solution:
    return cl.simulate(model, float(times[-1]), method=METHOD, t_eval=times, **options)


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance)


def linear(A: Any, z0: Any, b: Any = 0.0, times: Any = TIMES) -> np.ndarray:
    """Return z(t) of z' = A z + b."""
    n = len(z0)
    extended = np.zeros((n + 1, n + 1))
    extended[:n, :n], extended[:n, n] = A, b
    start = np.append(z0, 1.0)
    return np.array([(expm(extended * t) @ start)[:n] for t in times])


def damped(x0: float, omega: float, zeta: float) -> np.ndarray:
    """Return x0 e^(-zeta omega t) (cos + zeta / sqrt(1 - zeta^2) sin), released from rest."""
    decay, nu = zeta * omega, omega * math.sqrt(1.0 - zeta**2)
    return x0 * np.exp(-decay * TIMES) * (np.cos(nu * TIMES) + decay / nu * np.sin(nu * TIMES))


def slider(mass: float = 2.0, **start: float) -> tuple[cl.Body, cl.Prismatic]:
    block = cl.Body("block", mass=mass)
    return block, cl.Prismatic("guide", cl.Ground(), block, axis=(1.0, 0.0), **start)


def rotor(inertia: float = 0.2, **start: Any) -> cl.Revolute:
    return cl.Revolute("axis", cl.Ground(), cl.Body("arm", mass=1.0, inertia=inertia), **start)


# springs and dampers


def test_spring_with_damping() -> None:
    m, k, d, rest = 2.0, 50.0, 3.0, 0.4
    block, guide = slider(m, displacement=0.6)
    sol = run(
        cl.Model(guide, cl.Spring("s", cl.Ground(), block, stiffness=k, damping=d, rest=rest))
    )
    omega = math.sqrt(k / m)
    x = damped(0.2, omega, d / (2.0 * m * omega))
    assert_close(sol["guide"].displacement, rest + x)
    assert_close(sol["s"].length, rest + x)
    assert_close(sol["s"].tension, k * x + d * sol["guide"].velocity, 1e-8)
    # what the spring and damper give to the block is -tension times the rate of length
    assert_close(sol["s"].power, -sol["s"].tension * sol["guide"].velocity, 1e-8)


def test_spring_between_two_bodies_keeps_momentum() -> None:
    m1, m2, k = 1.0, 3.0, 20.0
    a = cl.PointMass("a", mass=m1, position=(0.0, 0.0), velocity=(0.3, 0.0))
    b = cl.PointMass("b", mass=m2, position=(1.2, 0.0))
    sol = run(cl.Model(a, b, cl.Spring("s", a, b, stiffness=k, rest=1.0)))
    omega = math.sqrt(k * (m1 + m2) / (m1 * m2))
    stretch = 0.2 * np.cos(omega * TIMES) - 0.3 / omega * np.sin(omega * TIMES)
    assert_close(sol["s"].length, 1.0 + stretch)
    assert_close(sol["system.momentum"][:, 0], np.full(len(TIMES), m1 * 0.3))


def test_damper_alone() -> None:
    m, d = 2.0, 1.5
    block, guide = slider(m, displacement=1.0, velocity=0.8)
    sol = run(cl.Model(guide, cl.Damper("d", cl.Ground(), block, damping=d)))
    assert_close(sol["guide"].velocity, 0.8 * np.exp(-d / m * TIMES))
    assert_close(sol["d"].tension, d * 0.8 * np.exp(-d / m * TIMES))


def test_nonlinear_spring_has_the_period_of_duffing() -> None:
    # x'' + a x + b x^3 = 0 from rest at A: T = 4 K(m) / sqrt(c), c = a + b A^2, m = b A^2 / (2 c)
    a, b, amplitude = 4.0, 30.0, 0.7
    block, guide = slider(1.0, displacement=2.0 + amplitude)
    spring = cl.Spring(
        "s",
        cl.Ground(),
        block,
        rest=2.0,
        force=lambda s, _: 4.0 * (s - 2.0) + 30.0 * (s - 2.0) ** 3,
    )
    stiff = a + b * amplitude**2
    period = 4.0 * float(ellipk(b * amplitude**2 / (2.0 * stiff))) / math.sqrt(stiff)
    sol = run(cl.Model(guide, spring), np.array([0.0, 0.25, 0.5, 1.0]) * period)
    assert_close(
        sol["guide"].displacement, [2.0 + amplitude, 2.0, 2.0 - amplitude, 2.0 + amplitude]
    )


def test_linear_table_holds_outside_its_points() -> None:
    # saturated at 3 N beyond 0.1 m: constant deceleration first, a quarter sine inside
    table = cl.Table((-0.1, 0.1), (-3.0, 3.0))
    block, guide = slider(2.0, displacement=1.5)
    sol = run(cl.Model(guide, cl.Spring("s", cl.Ground(), block, rest=1.0, force=table)))
    t1 = math.sqrt(2.0 * 0.4 * 2.0 / 3.0)
    outside = t1 > TIMES
    assert_close(sol["guide"].displacement[outside], 1.5 - 0.75 * TIMES[outside] ** 2)
    omega, v1 = math.sqrt(30.0 / 2.0), 1.5 * t1
    # until it leaves the table on the other side
    inside = (t1 <= TIMES) & (t1 + 2.0 * math.atan(0.1 * omega / v1) / omega > TIMES)
    assert outside.sum() > 10 and inside.sum() > 1
    tau = TIMES[inside] - t1
    # kinks are stepped over, not located: their error is that of the step control
    expected = 1.0 + 0.1 * np.cos(omega * tau) - v1 / omega * np.sin(omega * tau)
    assert_close(sol["guide"].displacement[inside], expected, 1e-7)


def test_table_continued_linearly() -> None:
    # a table of a straight line is a linear spring, inside and outside
    table = cl.Table((-0.1, 0.0, 0.05), (-3.0, 0.0, 1.5), extrapolate="linear")
    block, guide = slider(2.0, displacement=1.5)
    sol = run(cl.Model(guide, cl.Spring("s", cl.Ground(), block, rest=1.0, force=table)))
    assert_close(sol["guide"].displacement, 1.0 + 0.5 * np.cos(math.sqrt(15.0) * TIMES))


def test_cubic_table_is_the_spline() -> None:
    x, y = np.linspace(-0.5, 0.5, 7), np.array([-9.0, -4.0, -2.5, 0.0, 1.0, 5.0, 8.0])
    table = cl.Table(tuple(x), tuple(y), kind="cubic")
    block, guide = slider(2.0, displacement=1.4)
    sol = run(cl.Model(guide, cl.Spring("s", cl.Ground(), block, rest=1.0, force=table)))
    assert np.ptp(sol["s"].length) > 0.7
    # twice continuously differentiable, not-a-knot ends: scipy's standard spline
    assert_close(sol["s"].tension, CubicSpline(x, y)(sol["s"].length - 1.0), 1e-12)


@pytest.mark.parametrize("by", ["numbers", "function", "table"])
def test_torsion_spring(by: str) -> None:
    J, k, d, rest = 0.2, 5.0, 0.3, 0.1
    options: dict[str, dict[str, Any]] = {
        "numbers": {"stiffness": k, "rest": rest},
        "function": {"torque": lambda q, _: 5.0 * (q - 0.1)},
        "table": {
            "torque": cl.Table((-1.0, 1.0), (-5.0, 5.0), extrapolate="linear"),
            "rest": rest,
        },
    }
    joint = rotor(J, angle=0.9)
    sol = run(cl.Model(joint, cl.TorsionSpring("s", joint, damping=d, **options[by])))
    omega = math.sqrt(k / J)
    phi = damped(0.8, omega, d / (2.0 * J * omega))
    assert_close(sol["axis"].angle, rest + phi)
    assert_close(sol["s"].torque, -k * phi - d * sol["axis"].speed, 1e-8)


def test_path_spring_over_a_fixed_point() -> None:
    # the part to the fixed point never changes: a plain vertical oscillator below it
    m, k = 2.0, 80.0
    ground = cl.Ground()
    load = cl.PointMass("load", mass=m, position=(1.0, -0.5))
    rope = cl.PathSpring("rope", (ground, (0.0, -0.2)), (ground, (1.0, 0.0)), load, stiffness=k)
    sol = run(cl.Model(load, rope, gravity=(0.0, -G)))
    sag = m * G / k
    y = -0.5 - sag * (1.0 - np.cos(math.sqrt(k / m) * TIMES))
    assert_close(sol["load"].position, np.column_stack([np.ones(len(TIMES)), y]))
    assert_close(sol["rope"].length, math.hypot(1.0, 0.2) - y)
    assert_close(sol["rope"].tension, k * (-0.5 - y), 1e-8)


def test_planar_bushing_in_three_directions() -> None:
    m, J = 2.0, 0.1
    k, d = (40.0, 90.0, 3.0), (1.0, 2.0, 0.1)
    body = cl.Body("body", mass=m, inertia=J, position=(0.1, -0.2), rotation=0.0)
    bush = cl.Bushing("b", cl.Ground(), body, stiffness=k, damping=d)
    sol = run(cl.Model(body, bush))
    for axis, start in enumerate((0.1, -0.2)):
        omega = math.sqrt(k[axis] / m)
        x = damped(start, omega, d[axis] / (2.0 * m * omega))
        assert_close(sol["body"].position[:, axis], x)
    body = cl.Body("body", mass=m, inertia=J, position=(0.0, 0.0), rotation=1e-4)
    sol = run(cl.Model(body, cl.Bushing("b", cl.Ground(), body, stiffness=k, damping=d)))
    omega = math.sqrt(k[2] / J)
    # a small angle: whatever measure of rotation is used differs by its cube
    assert_close(sol["body"].angle, damped(1e-4, omega, d[2] / (2.0 * J * omega)), 1e-11)


def test_spatial_bushing_in_turned_axes() -> None:
    m, k = 2.0, (10.0, 20.0, 30.0, 1.0, 2.0, 3.0)
    A = np.array(cl.rotation.cardan(0.3, -0.5, 0.8))
    start = np.array([0.1, 0.05, -0.2])
    body = cl.Body("body", mass=m, inertia=(0.1, 0.1, 0.1), position=tuple(A @ start))
    bush = cl.Bushing(
        "b", cl.Ground(), body, stiffness=k, orientation=tuple(map(tuple, A.tolist()))
    )
    sol = run(cl.Model(body, bush))
    expected = start * np.cos(np.sqrt(np.array(k[:3]) / m) * TIMES[:, None])
    assert_close(sol["body"].position, expected @ A.T)


# applied forces


def test_drag_reaches_terminal_velocity() -> None:
    m, c = 0.5, 0.04
    ball = cl.PointMass("ball", mass=m, position=(0.0, 0.0, 0.0))
    sol = run(cl.Model(ball, cl.Drag("air", ball, coefficient=c), gravity=(0.0, 0.0, -G)))
    v = math.sqrt(m * G / c)
    assert_close(sol["ball"].velocity[:, 2], -v * np.tanh(G * TIMES / v))
    assert_close(sol["ball"].position[:, 2], -v * v / G * np.log(np.cosh(G * TIMES / v)))


def test_drag_against_wind() -> None:
    # w = v - wind obeys w' = -c/m w^2
    m, c, wind = 0.5, 0.2, 6.0
    ball = cl.PointMass("ball", mass=m, position=(0.0, 0.0))
    sol = run(cl.Model(ball, cl.Drag("air", ball, coefficient=c, wind=(wind, 0.0))))
    assert_close(sol["ball"].velocity[:, 0], wind - wind / (1.0 + c / m * wind * TIMES))


@pytest.mark.parametrize(
    "value",
    [(lambda t: 3.0 * math.cos(2.0 * t), 0.0), lambda t: np.array([3.0 * math.cos(2.0 * t), 0.0])],
    ids=["signals", "vector function"],
)
def test_force_of_time(value: Any) -> None:
    ball = cl.PointMass("ball", mass=1.5, position=(0.0, 0.0))
    sol = run(cl.Model(ball, cl.Force("f", ball, value=value)))
    assert_close(sol["ball"].position[:, 0], 0.5 * (1.0 - np.cos(2.0 * TIMES)))
    assert_close(sol["f"].force[:, 0], 3.0 * np.cos(2.0 * TIMES))


def test_force_of_state() -> None:
    # a charge in a magnetic field: F = b v x e_z turns the velocity at b / m
    m, b = 0.5, 2.0
    ball = cl.PointMass("ball", mass=m, position=(0.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.3))

    def lorentz(t: float, r: Any, v: Any) -> Any:
        return np.array([2.0 * v[1], -2.0 * v[0], 0.0])

    sol = run(cl.Model(ball, cl.Force("f", ball, value=lorentz)))
    phi = b / m * TIMES
    assert_close(
        sol["ball"].velocity, np.column_stack([np.cos(phi), -np.sin(phi), 0.3 + 0.0 * phi])
    )


def test_following_force_off_the_centre() -> None:
    # a thruster at distance l, fixed in body axes, spins the body up: theta'' = F l / J
    m, J, F, l = 2.0, 0.4, 0.3, 0.5
    body = cl.Body("body", mass=m, inertia=J, position=(0.0, 0.0))
    thrust = cl.Force("thrust", body, value=(0.0, F), at=(l, 0.0), axes="body")
    sol = run(cl.Model(body, thrust))
    theta = 0.5 * F * l / J * TIMES**2
    assert_close(sol["body"].angle, theta)
    assert_close(sol["body"].acceleration, F / m * np.column_stack([-np.sin(theta), np.cos(theta)]))


@pytest.mark.parametrize("axes", ["world", "body"])
def test_torque_on_a_body(axes: str) -> None:
    # a sphere: in world axes the spin adds up; along a fixed axis both agree
    J, torque = 0.3, (0.0, 0.0, 0.6)
    ball = cl.Body("ball", mass=1.0, inertia=(J, J, J), angular_velocity=(1.0, 0.0, 0.0))
    sol = run(cl.Model(ball, cl.Torque("t", ball, value=torque, axes=axes)))
    if axes == "world":
        expected = np.column_stack([1.0 + 0 * TIMES, 0 * TIMES, 2.0 * TIMES])
        assert_close(sol["ball"].angular_velocity, expected)
    else:
        local = np.einsum("tba,tb->ta", sol["ball"].rotation, sol["ball"].angular_velocity)
        assert_close(local, np.column_stack([1.0 + 0 * TIMES, 0 * TIMES, 2.0 * TIMES]))


def test_torque_of_time_and_state_on_a_joint() -> None:
    # J q'' = a cos(t) - c q' - k q
    joint = rotor(0.5, angle=0.2)
    law = lambda t, q, u: 1.5 * math.cos(t) - 0.4 * u - 2.0 * q  # noqa: E731
    sol = run(cl.Model(joint, cl.Torque("t", joint, value=law)))
    # cos(t) comes from an oscillator of its own
    A = np.array([[0, 1, 0, 0], [-4.0, -0.8, 3.0, 0], [0, 0, 0, 1], [0, 0, -1, 0]], dtype=float)
    assert_close(sol["axis"].angle, linear(A, [0.2, 0.0, 1.0, 0.0])[:, 0])


def test_input_is_set_for_a_run() -> None:
    joint = rotor(0.5)
    model = cl.Model(joint, cl.Torque("t", joint, value=cl.Input("torque", 0.25)))
    assert_close(run(model)["axis"].angle, 0.25 * TIMES**2)
    assert_close(run(model, inputs={"torque": -1.0})["axis"].angle, -(TIMES**2))
    # a value set for one run does not stay
    assert_close(run(model)["axis"].angle, 0.25 * TIMES**2)
    with pytest.raises(cl.UnknownNameError):
        run(model, inputs={"troque": 1.0})


# motors and controllers


def test_motor_current_of_a_locked_rotor() -> None:
    # i = V / R (1 - e^(-R t / L))
    V, R, L, k, n = 12.0, 2.0, 0.8, 0.05, 20.0
    joint = rotor(0.2, locked=True)
    motor = cl.Motor("m", joint, voltage=V, resistance=R, inductance=L, constant=k, ratio=n)
    sol = run(cl.Model(joint, motor))
    i = V / R * (1.0 - np.exp(-R / L * TIMES))
    assert_close(sol["m"].current, i)
    assert_close(sol["m"].torque, k * n * i)
    # the lock takes up what the motor gives
    assert_close(sol["axis"].drive_force, -k * n * i)


def test_motor_runs_up() -> None:
    V, R, k, n, J = 12.0, 2.0, 0.05, 20.0, 0.2
    joint = rotor(J)
    motor = cl.Motor("m", joint, voltage=V, resistance=R, constant=k, ratio=n)
    sol = run(cl.Model(joint, motor))
    kn = k * n
    assert_close(sol["axis"].speed, V / kn * (1.0 - np.exp(-kn * kn / (R * J) * TIMES)))


def test_motor_with_inductance_runs_up() -> None:
    V, R, L, k, J = 5.0, 0.8, 0.3, 0.4, 0.1
    joint = rotor(J)
    sol = run(
        cl.Model(
            joint,
            cl.Motor("m", joint, voltage=V, resistance=R, inductance=L, constant=k, current=0.5),
        )
    )
    z = linear([[0.0, k / J], [-k / L, -R / L]], [0.0, 0.5], [0.0, V / L])
    assert_close(sol["axis"].speed, z[:, 0])
    assert_close(sol["m"].current, z[:, 1])


def test_pd_controller() -> None:
    J, kp, kd = 0.2, 5.0, 0.4
    joint = rotor(J)
    controller = cl.PD("c", joint, kp=kp, kd=kd, target=lambda t: 0.5 * t, target_speed=0.5)
    sol = run(cl.Model(joint, controller))
    # e = target - q obeys J e'' = -kp e - kd e'
    e = linear([[0.0, 1.0], [-kp / J, -kd / J]], [0.0, 0.5])
    assert_close(sol["axis"].angle, 0.5 * TIMES - e[:, 0])
    assert_close(sol["c"].torque, kp * e[:, 0] + kd * e[:, 1], 1e-8)


def test_limited_controller_is_constant_while_saturated() -> None:
    joint = rotor(0.2)
    sol = run(cl.Model(joint, cl.PD("c", joint, kp=50.0, target=100.0, limit=0.6)))
    assert_close(sol["axis"].angle, 0.5 * 3.0 * TIMES**2)
    assert_close(sol["c"].torque, np.full(len(TIMES), 0.6))


def test_pid_controller_removes_the_offset() -> None:
    J, kp, ki, kd, load, goal = 0.2, 6.0, 4.0, 1.2, -0.7, 0.3
    joint = rotor(J)
    sol = run(
        cl.Model(
            joint,
            cl.PID("c", joint, kp=kp, ki=ki, kd=kd, target=goal),
            cl.Torque("load", joint, value=load),
        )
    )
    A = np.array([[0.0, 1.0, 0.0], [-kp / J, -kd / J, ki / J], [-1.0, 0.0, 0.0]])
    z = linear(A, np.zeros(3), [0.0, (kp * goal + load) / J, goal])
    assert_close(sol["axis"].angle, z[:, 0])
    assert_close(sol["c"].integral, z[:, 2])


def test_position_and_velocity_actuators() -> None:
    J = 0.2
    joint = rotor(J)
    sol = run(cl.Model(joint, cl.PositionActuator("a", joint, target=0.4, kp=5.0, kd=0.3)))
    z = linear([[0.0, 1.0], [-5.0 / J, -0.3 / J]], [0.0, 0.0], [0.0, 5.0 * 0.4 / J])
    assert_close(sol["axis"].angle, z[:, 0])
    sol = run(cl.Model(joint, cl.VelocityActuator("a", joint, target=3.0, kv=0.5)))
    assert_close(sol["axis"].speed, 3.0 * (1.0 - np.exp(-0.5 / J * TIMES)))


# the user's own elements


def test_force_element_with_a_state() -> None:
    # Maxwell element: spring k and dashpot c in series, f' = k (v - f / c), on a mass
    m, k, c = 1.5, 30.0, 4.0
    block, guide = slider(m, displacement=0.0, velocity=1.0)

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        F[0, 0] = -x[0]
        x_dot[0] = p[0] * (v[0, 0] - x[0] / p[1])

    def stored(t, r, A, v, Omega, q, u, x, p):  # type: ignore[no-untyped-def]
        return 0.5 * x[0] ** 2 / p[0]

    element = cl.ForceElement(
        "maxwell",
        frames=(block,),
        law=law,
        parameters={"k": k, "c": c},
        states={"f": 0.0},
        energy=stored,
        outputs={"loss": lambda t, r, A, v, Omega, q, u, x, p: x[0] ** 2 / p[1]},
    )
    sol = run(cl.Model(guide, element))
    z = linear([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0 / m], [0.0, k, -k / c]], [0.0, 1.0, 0.0])
    assert_close(sol["guide"].displacement, z[:, 0])
    assert_close(sol["maxwell"].f, z[:, 2], 1e-8)
    assert_close(sol["maxwell"].loss, z[:, 2] ** 2 / c, 1e-7)
    assert_close(sol["energy.potential"], 0.5 * z[:, 2] ** 2 / k, 1e-8)


def test_force_element_on_coordinates() -> None:
    # two rotors coupled by a law on their angles: the mean moves on, the difference oscillates
    a, b = cl.Rotor("a", inertia=0.2, speed=1.0), cl.Rotor("b", inertia=0.2)

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        Q[0] = -p[0] * (q[0] - q[1])
        Q[1] = p[0] * (q[0] - q[1])

    shaft = cl.ForceElement(
        "shaft", coordinates=("a.angle", "b.angle"), law=law, parameters={"k": 3.0}
    )
    sol = run(cl.Model(a, b, shaft))
    omega = math.sqrt(2.0 * 3.0 / 0.2)
    assert_close(sol["a"].angle - sol["b"].angle, np.sin(omega * TIMES) / omega)
    assert_close(sol["a"].angle + sol["b"].angle, TIMES)


def test_force_element_moment_on_a_body() -> None:
    # M on a frame in world axes: a sphere spun up about y
    ball = cl.Body("ball", mass=1.0, inertia=(0.3, 0.3, 0.3), position=(0.0, 0.0, 0.0))

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        M[0, 1] = 0.6 * t

    sol = run(cl.Model(ball, cl.ForceElement("e", frames=(ball,), law=law)))
    assert_close(sol["ball"].angular_velocity[:, 1], TIMES**2)


# prescribed motion


def solved(rates: Callable[[float, Any], Any], start: Any) -> np.ndarray:
    """Integrate independently."""
    sol = solve_ivp(rates, (0.0, TIMES[-1]), start, "DOP853", TIMES, rtol=1e-12, atol=1e-13)
    return sol.y.T


def test_pendulum_on_a_vibrating_pivot() -> None:
    # I phi'' = -m s ((g + y'') sin(phi) + x'' cos(phi)), phi from hanging down
    m, s, J = 1.2, 0.4, 0.05
    pivot = cl.MovingFrame(
        "pivot", position=(lambda t: 0.1 * math.sin(7.0 * t), lambda t: 0.05 * math.cos(30.0 * t))
    )
    rod = cl.Body("rod", mass=m, inertia=J, com=(0.0, -s))
    joint = cl.Revolute("joint", pivot, rod, angle=2.8, speed=0.0)
    sol = run(cl.Model(joint, gravity=(0.0, -G)))

    def shake(t: float) -> tuple[float, float]:
        return -4.9 * math.sin(7.0 * t), -45.0 * math.cos(30.0 * t)

    def rates(t: float, z: Any) -> Any:
        ax, ay = shake(t)
        return [z[1], -m * s * ((G + ay) * math.sin(z[0]) + ax * math.cos(z[0])) / (J + m * s * s)]

    z = solved(rates, [2.8, 0.0])
    assert_close(sol["joint"].angle, z[:, 0], 1e-8)
    # the pivot carries m (a - g) of the centre of mass
    phi, dphi = z.T
    ddphi = np.array([rates(t, row)[1] for t, row in zip(TIMES, z, strict=True)])
    a = np.array([shake(t) for t in TIMES])
    a[:, 0] += s * (np.cos(phi) * ddphi - np.sin(phi) * dphi**2)
    a[:, 1] += s * (np.sin(phi) * ddphi + np.cos(phi) * dphi**2) + G
    assert_close(sol["joint"].force, m * a, 1e-6)


def test_bead_in_a_rotating_tube() -> None:
    # r'' = Omega^2 r, the tube pushes with 2 m Omega r'
    m, Omega = 0.8, 1.7
    tube = cl.MovingFrame("tube", angle=lambda t: 1.7 * t)
    bead = cl.Body("bead", mass=m)
    sol = run(cl.Model(cl.Prismatic("slot", tube, bead, axis=(1.0, 0.0), displacement=0.3)))
    r, rate = 0.3 * np.cosh(Omega * TIMES), 0.3 * Omega * np.sinh(Omega * TIMES)
    assert_close(sol["slot"].displacement, r)
    across = np.column_stack([-np.sin(Omega * TIMES), np.cos(Omega * TIMES)])
    assert_close(sol["slot"].force, 2.0 * m * Omega * rate[:, None] * across, 1e-8)


def test_spatial_frame_with_three_angles() -> None:
    # a marker at rest in the frame: its velocity and acceleration by differences of its position
    angles: tuple[Callable[[float], float], ...] = (
        lambda t: 0.3 * math.sin(2.0 * t),
        lambda t: 0.5 * t,
        lambda t: 0.2 * t * t,
    )
    frame = cl.MovingFrame("frame", position=(lambda t: t**3, 0.0, 1.0), angles=angles)
    body = cl.Body("body", mass=1.0, inertia=(0.1, 0.2, 0.25))
    sol = run(cl.Model(cl.Weld("weld", frame, body, at=(0.4, -0.2, 0.3))))

    def place(t: float) -> np.ndarray:
        A = np.array(cl.rotation.cardan(*(f(t) for f in angles)))
        return np.array([t**3, 0.0, 1.0]) + A @ np.array([0.4, -0.2, 0.3])

    h = 1e-3
    assert_close(sol["body"].position, [place(t) for t in TIMES], 1e-12)
    # central differences of fourth order with h = 1e-3: truncation 1e-11, rounding 1e-16 / h
    slope = [
        (8.0 * (place(t + h) - place(t - h)) - place(t + 2 * h) + place(t - 2 * h)) / (12.0 * h)
        for t in TIMES
    ]
    assert_close(sol["body"].velocity, slope, 1e-9)
    bend = [
        (
            16.0 * (place(t + h) + place(t - h))
            - place(t + 2 * h)
            - place(t - 2 * h)
            - 30.0 * place(t)
        )
        / (12.0 * h * h)
        for t in TIMES
    ]
    # rounding 1e-15 / h^2
    assert_close(sol["body"].acceleration, bend, 1e-7)
    # no gravity: the weld gives m a
    assert_close(sol["weld"].force, sol["body"].acceleration, 1e-10)


def test_driven_joint_needs_the_inverse_dynamics() -> None:
    m, s, J = 1.2, 0.4, 0.05
    rod = cl.Body("rod", mass=m, inertia=J, com=(s, 0.0))
    motion = cl.Motion(lambda t: 0.3 * math.sin(5.0 * t))
    joint = cl.Revolute("joint", cl.Ground(), rod, drive=motion)
    sol = run(cl.Model(joint, gravity=(0.0, -G)))
    phi = 0.3 * np.sin(5.0 * TIMES)
    assert_close(sol["joint"].angle, phi, 1e-12)
    expected = -25.0 * (J + m * s * s) * phi + m * G * s * np.cos(phi)
    assert_close(sol["joint"].drive_force, expected, 1e-10)
