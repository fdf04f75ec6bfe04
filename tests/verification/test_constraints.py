"""Constraints, couplings, rolling, driven and locked loop joints against closed forms.

Runs use RungeKutta8 with rtol 1e-12; over two seconds the error of a trajectory stays below 1e-9,
which is the tolerance wherever no other reason is given. Constraint forces are algebraic in the
state and have the same accuracy times the stiffness of the motion.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import cornerlaw as cl

METHOD = cl.RungeKutta8(rtol=1e-12, atol=1e-14)
TIMES = np.linspace(0.0, 2.0, 41)
G = 9.81
TOLERANCE = 1e-9


def run(model: cl.Model, times: Any = TIMES) -> cl.Solution:
    sol = cl.simulate(model, float(times[-1]), method=METHOD, t_eval=times)
    if "constraints" in sol.parts:
        # rows hold on position and velocity level in every run of this file
        assert np.abs(sol["constraints.position_error"]).max() < 1e-12
        assert np.abs(sol["constraints.velocity_error"]).max() < 1e-10
    return sol


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    actual = np.asarray(actual)
    np.testing.assert_allclose(
        actual, np.broadcast_to(expected, actual.shape), rtol=0.0, atol=tolerance
    )


# couplings of coordinates


def test_gear_reduces_the_inertia() -> None:
    # q_1 = n q_2: (J_1 n^2 + J_2) q_2'' = n T
    J1, J2, n, T = 0.1, 3.0, -4.0, 0.7
    fast = cl.Rotor("fast", inertia=J1, angle=0.2)
    slow = cl.Rotor("slow", inertia=J2)
    sol = run(
        cl.Model(fast, slow, cl.Gear("gear", fast, slow, ratio=n), cl.Torque("t", fast, value=T))
    )
    a2 = n * T / (J1 * n * n + J2)
    assert_close(sol["slow"].angle, 0.5 * a2 * TIMES**2)
    assert_close(sol["fast"].angle, 0.2 + 0.5 * n * a2 * TIMES**2)
    # g = q_1 - n q_2: on the first rotor acts the multiplier itself
    assert_close(sol["gear"].multiplier, J1 * n * a2 - T)


def test_rack_and_pinion() -> None:
    # a mass falls on the rack: (m + J / r^2) s'' = -m g
    m, J, r = 2.0, 0.01, 0.08
    ground = cl.Ground()
    pinion = cl.Body("pinion", mass=1.0, inertia=J)
    rack = cl.Body("rack", mass=m)
    turn = cl.Revolute("turn", ground, pinion)
    slide = cl.Prismatic("slide", ground, rack, axis=(0.0, 1.0))
    sol = run(cl.Model(turn, slide, cl.Rack("mesh", turn, slide, radius=r), gravity=(0.0, -G)))
    a = -m * G / (m + J / r**2)
    assert_close(sol["slide"].displacement, 0.5 * a * TIMES**2)
    # the pinion has turned by some hundred radians
    assert_close(sol["turn"].angle, 0.5 * a / r * TIMES**2, 1e-8)
    assert_close(sol["mesh"].multiplier, m * (a + G))


def test_differential_splits_the_torque() -> None:
    # KKT by hand: J a = T + W^T lam, W a = 0, W = (-2, 1, 1)
    J, T = (0.5, 0.2, 0.3), (4.0, -0.6, -0.1)
    names = ("carrier", "left", "right")
    rotors = [cl.Rotor(name, inertia=j) for name, j in zip(names, J, strict=True)]
    torques = [cl.Torque(f"t {r.name}", r, value=t) for r, t in zip(rotors, T, strict=True)]
    sol = run(cl.Model(*rotors, *torques, cl.Differential("d", *rotors)))
    W = np.array([-2.0, 1.0, 1.0])
    lam = -(W / J) @ np.array(T) / ((W / J) @ W)
    a = (np.array(T) + W * lam) / J
    for name, value in zip(names, a, strict=True):
        assert_close(sol[name].angle, 0.5 * value * TIMES**2)
    assert_close(sol["d"].multiplier, lam)


def test_coupling_of_three_coordinates() -> None:
    # q_1 + 2 q_2 - 0.5 q_3 = const with a spring on the first: one harmonic and a plain rest
    J, k = np.array([0.3, 0.4, 0.1]), 6.0
    joints = [
        cl.Revolute(f"j{i}", cl.Ground(), cl.Body(f"b{i}", mass=1.0, inertia=float(J[i])), angle=a)
        for i, a in enumerate((0.4, 0.1, 0.0))
    ]
    W = np.array([1.0, 2.0, -0.5])
    sol = run(
        cl.Model(
            *joints,
            cl.Coupling("c", terms=tuple(zip(("j0.angle", *joints[1:]), W.tolist(), strict=True))),
            cl.TorsionSpring("s", joints[0], stiffness=k),
        )
    )
    # projected inverse inertia P = J^-1 - J^-1 W W^T J^-1 / (W^T J^-1 W)
    inverse = 1.0 / J
    P = np.diag(inverse) - np.outer(inverse * W, inverse * W) / (W @ (inverse * W))
    omega = math.sqrt(P[0, 0] * k)
    assert_close(sol["j0"].angle, 0.4 * np.cos(omega * TIMES))
    for i in (1, 2):
        shift = P[i, 0] / P[0, 0] * 0.4 * (np.cos(omega * TIMES) - 1.0)
        assert_close(sol[f"j{i}"].angle, (0.0, 0.1, 0.0)[i] + shift)


# ropes and rods


def test_atwood_machine() -> None:
    m1, m2 = 3.0, 2.0
    ground = cl.Ground()
    a = cl.PointMass("a", mass=m1, position=(-0.2, -1.0))
    b = cl.PointMass("b", mass=m2, position=(0.2, -2.0))
    rope = cl.Pulley("rope", a, (ground, (-0.2, 0.0)), (ground, (0.2, 0.0)), b)
    times = np.linspace(0.0, 0.8, 17)
    sol = run(cl.Model(a, b, rope, gravity=(0.0, -G)), times)
    acceleration = (m1 - m2) * G / (m1 + m2)
    assert_close(sol["a"].position[:, 1], -1.0 - 0.5 * acceleration * times**2)
    assert_close(sol["b"].position[:, 1], -2.0 + 0.5 * acceleration * times**2)
    assert_close(sol["rope"].tension, 2.0 * m1 * m2 * G / (m1 + m2))


def test_tackle_with_two_strands() -> None:
    # y_a + 2 y_b = const, T on a and 2 T on b: T = 3 m_a m_b g / (4 m_a + m_b)
    m1, m2 = 1.0, 3.0
    a = cl.PointMass("a", mass=m1, position=(0.0, -1.0))
    b = cl.PointMass("b", mass=m2, position=(0.0, -1.5))
    rope = cl.Pulley("rope", a, cl.Ground(), b, weights=(1.0, 2.0))
    times = np.linspace(0.0, 0.5, 11)
    sol = run(cl.Model(a, b, rope, gravity=(0.0, -G)), times)
    T = 3.0 * m1 * m2 * G / (4.0 * m1 + m2)
    assert_close(sol["a"].position[:, 1], -1.0 + 0.5 * (T / m1 - G) * times**2)
    assert_close(sol["b"].position[:, 1], -1.5 + 0.5 * (2.0 * T / m2 - G) * times**2)
    assert_close(sol["rope"].tension, T)


def test_distance_makes_a_pendulum() -> None:
    l, m, A = 0.7, 1.3, 2.0
    bob = cl.PointMass("bob", mass=m, position=(l * math.sin(A), -l * math.cos(A)))
    period = 4.0 * math.sqrt(l / G) * float(ellipk(math.sin(0.5 * A) ** 2))
    sol = run(
        cl.Model(bob, cl.Distance("string", cl.Ground(), bob), gravity=(0.0, -G)),
        np.array([0.0, 0.25, 0.5, 1.0]) * period,
    )
    x = l * math.sin(A)
    assert_close(sol["bob"].position[:, 0], [x, 0.0, -x, x])
    tension = m * G * np.array([math.cos(A), 3.0 - 2.0 * math.cos(A), math.cos(A), math.cos(A)])
    assert_close(sol["string"].tension, tension, 1e-8)


def test_heavy_rod_swings_with_its_own_inertia() -> None:
    # rod m_r and bob m: (m + m_r / 3) l phi'' = -(m + m_r / 2) g sin(phi)
    l, m, mr, A = 0.7, 0.4, 1.5, 1.2
    bob = cl.PointMass("bob", mass=m, position=(l * math.sin(A), -l * math.cos(A)))
    omega = math.sqrt((m + 0.5 * mr) * G / ((m + mr / 3.0) * l))
    period = 4.0 / omega * float(ellipk(math.sin(0.5 * A) ** 2))
    sol = run(
        cl.Model(bob, cl.Rod("rod", cl.Ground(), bob, mass=mr), gravity=(0.0, -G)),
        np.array([0.0, 0.25, 0.5, 1.0]) * period,
    )
    x = l * math.sin(A)
    assert_close(sol["bob"].position[:, 0], [x, 0.0, -x, x])


# rolling


def test_wheel_rolls_down_an_incline() -> None:
    slope, m, r = 0.3, 2.0, 0.25
    normal = np.array([math.sin(slope), math.cos(slope)])
    down = np.array([math.cos(slope), -math.sin(slope)])
    wheel = cl.Disk("wheel", mass=m, radius=r, position=tuple(r * normal), velocity=(0.0, 0.0))
    rolling = cl.Rolling("roll", wheel, cl.Ground(), radius=r, kind="wheel", normal=tuple(normal))
    sol = run(cl.Model(wheel, rolling, gravity=(0.0, -G)))
    a = G * math.sin(slope) / 1.5
    assert_close(sol["wheel"].position, r * normal + 0.5 * a * TIMES[:, None] ** 2 * down)
    assert_close(sol["wheel"].angle, -0.5 * a / r * TIMES**2, 1e-8)
    # friction is a third of the weight's component, uphill
    force = m * G * (math.cos(slope) * normal - math.sin(slope) / 3.0 * down)
    assert_close(sol["roll"].force, force)


def test_sphere_rolls_down_an_incline() -> None:
    slope, m, r = 0.4, 1.5, 0.2
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    down = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    J = 0.4 * m * r * r
    # it starts across the slope and so runs a parabola
    v0 = np.array([0.0, 0.6, 0.0])
    ball = cl.Body(
        "ball",
        mass=m,
        inertia=(J, J, J),
        position=tuple(r * normal),
        velocity=tuple(v0),
        angular_velocity=tuple(np.cross(normal, v0) / r),
    )
    rolling = cl.Rolling("roll", ball, cl.Ground(), radius=r, kind="sphere", normal=tuple(normal))
    sol = run(cl.Model(ball, rolling, gravity=(0.0, 0.0, -G)))
    a = 5.0 / 7.0 * G * math.sin(slope)
    way = r * normal + TIMES[:, None] * v0 + 0.5 * a * TIMES[:, None] ** 2 * down
    assert_close(sol["ball"].position, way)
    assert_close(
        sol["roll"].force, m * G * (math.cos(slope) * normal - 2 / 7 * math.sin(slope) * down)
    )


def test_ball_on_a_turntable_runs_in_circles() -> None:
    # the centre turns at 2/7 of the table's rate, wherever it is and however fast
    Omega, m, r = 3.0, 0.5, 0.1
    J = 0.4 * m * r * r
    table = cl.MovingFrame("table", position=(0.0, 0.0, 0.0), angles=(0.0, 0.0, lambda t: 3.0 * t))
    v0, r0 = np.array([0.4, 0.1, 0.0]), np.array([0.5, -0.2, r])
    # rolling: v + omega x (-r e_z) = Omega e_z x r
    slip = v0 - np.array([-Omega * r0[1], Omega * r0[0], 0.0])
    omega = np.array([-slip[1], slip[0], 0.0]) / r
    ball = cl.Body(
        "ball",
        mass=m,
        inertia=(J, J, J),
        position=tuple(r0),
        velocity=tuple(v0),
        angular_velocity=tuple(omega),
    )
    rolling = cl.Rolling("roll", ball, table, radius=r, kind="sphere")
    sol = run(cl.Model(ball, rolling, gravity=(0.0, 0.0, -G)))
    phi = 2.0 / 7.0 * Omega * TIMES
    c, s = np.cos(phi), np.sin(phi)
    velocity = np.column_stack([c * v0[0] - s * v0[1], s * v0[0] + c * v0[1], 0.0 * phi])
    assert_close(sol["ball"].velocity, velocity)
    assert_close(sol["roll"].force[:, 2], m * G)


def test_disc_rolls_straight_on() -> None:
    r, m, rate = 0.3, 1.2, 6.0
    upright = cl.rotation.about((1.0, 0.0, 0.0), 0.5 * math.pi)
    disc = cl.Body(
        "disc",
        mass=m,
        inertia=cl.inertia.disk(m, r),
        position=(0.0, 0.0, r),
        rotation=upright,
        angular_velocity=(0.0, -rate, 0.0),
    )
    # the velocity is left to the assembly: rolling determines it
    sol = run(cl.Model(disc, cl.Rolling("roll", disc, radius=r), gravity=(0.0, 0.0, -G)))
    line = np.column_stack([-r * rate * TIMES, 0.0 * TIMES, r + 0.0 * TIMES])
    assert_close(sol["disc"].position, line)
    assert_close(sol["roll"].force, [0.0, 0.0, m * G])


# the user's own constraints


@pytest.mark.parametrize(
    # second differences in the bias leave about eight digits
    ("derivatives", "tolerance"),
    [("exact", 1e-9), ("numerical", 1e-5)],
)
def test_user_constraint_bead_on_a_parabola(derivatives: str, tolerance: float) -> None:
    # y = x^2 / 2: (1 + x^2) x'' + x x'^2 + g x = 0
    x_part, y_part = cl.Body("x part", mass=0.0), cl.Body("bead", mass=0.8)
    along = cl.Prismatic("along", cl.Ground(), x_part, axis=(1.0, 0.0), displacement=1.1)
    up = cl.Prismatic("up", x_part, y_part, axis=(0.0, 1.0))
    track = cl.Constraint(
        "track",
        lambda q, t: q[1] - 0.5 * q[0] ** 2,
        coordinates=("along.displacement", "up.displacement"),
        derivatives=derivatives,
    )
    sol = run(cl.Model(along, up, track, gravity=(0.0, -G)))

    def rates(t: float, z: Any) -> Any:
        return [z[1], -(z[0] * z[1] ** 2 + G * z[0]) / (1.0 + z[0] ** 2)]

    z = solve_ivp(rates, (0.0, 2.0), [1.1, 0.0], "DOP853", TIMES, rtol=1e-12, atol=1e-13).y
    assert_close(sol["along"].displacement, z[0], tolerance)
    assert_close(sol["up"].displacement, 0.5 * z[0] ** 2, tolerance)
    # the multiplier is the vertical force of the track: m (y'' + g)
    bend = np.array([rates(0.0, row)[1] for row in z.T])
    assert_close(sol["track"].multiplier, 0.8 * (z[1] ** 2 + z[0] * bend + G), 10.0 * tolerance)


def test_rheonomic_user_constraint() -> None:
    # q = 0.3 sin(2 t) on a mass: the multiplier is m q''
    block = cl.Body("block", mass=1.5)
    guide = cl.Prismatic("guide", cl.Ground(), block, axis=(1.0, 0.0))
    rule = cl.Constraint(
        "rule", lambda q, t: q[0] - 0.3 * math.sin(2.0 * t), coordinates=("guide.displacement",)
    )
    sol = run(cl.Model(guide, rule))
    assert_close(sol["guide"].displacement, 0.3 * np.sin(2.0 * TIMES))
    assert_close(sol["guide"].velocity, 0.6 * np.cos(2.0 * TIMES))
    assert_close(sol["rule"].multiplier, -1.5 * 1.2 * np.sin(2.0 * TIMES))


# loop joints with drives, locks


def test_driven_revolute_as_a_loop_joint() -> None:
    m, s, J = 1.2, 0.4, 0.05
    rod = cl.Body("rod", mass=m, inertia=J, com=(s, 0.0))
    joint = cl.Revolute(
        "joint", cl.Ground(), rod, drive=lambda t: 2.0 * t + 0.3 * math.sin(5.0 * t), closure=True
    )
    sol = run(cl.Model(rod, joint, gravity=(0.0, -G)))
    phi = 2.0 * TIMES + 0.3 * np.sin(5.0 * TIMES)
    rate = 2.0 + 1.5 * np.cos(5.0 * TIMES)
    bend = -7.5 * np.sin(5.0 * TIMES)
    assert_close(sol["joint"].angle, phi)
    assert_close(sol["joint"].drive_force, (J + m * s * s) * bend + m * G * s * np.cos(phi), 1e-8)
    a = s * np.column_stack(
        [-np.sin(phi) * bend - np.cos(phi) * rate**2, np.cos(phi) * bend - np.sin(phi) * rate**2]
    )
    assert_close(sol["joint"].force, m * (a + np.array([0.0, G])), 1e-8)


def test_driven_prismatic_as_a_loop_joint() -> None:
    m = 1.4
    axis = np.array([0.6, 0.0, 0.8])
    block = cl.Body("block", mass=m, inertia=(0.1, 0.1, 0.1))
    joint = cl.Prismatic(
        "joint",
        cl.Ground(),
        block,
        axis=tuple(axis),
        drive=lambda t: 0.2 * math.sin(4.0 * t),
        closure=True,
    )
    sol = run(cl.Model(block, joint, gravity=(0.0, 0.0, -G)))
    s = 0.2 * np.sin(4.0 * TIMES)
    assert_close(sol["block"].position, s[:, None] * axis)
    assert_close(sol["joint"].displacement, s)
    assert_close(sol["joint"].drive_force, m * (-16.0 * s + 0.8 * G), 1e-8)
    assert_close(sol["joint"].force, m * (-16.0 * s[:, None] * axis + [0.0, 0.0, G]), 1e-8)


@pytest.mark.parametrize("closure", [False, True], ids=["tree", "loop"])
def test_locked_displacement_turns_a_cylindrical_into_a_revolute(closure: bool) -> None:
    # the axis is horizontal; hanging below it a pendulum remains, held at its place
    m, s, J, held, A = 1.2, 0.4, 0.05, 0.15, 0.8
    start = cl.rotation.about((1.0, 0.0, 0.0), A)
    rod = cl.Body(
        "rod",
        mass=m,
        inertia=(J, J, J),
        com=(0.0, 0.0, -s),
        **({"position": (held, 0.0, 0.0), "rotation": start} if closure else {}),
    )
    joint = cl.Cylindrical(
        "joint",
        cl.Ground(),
        rod,
        axis=(1.0, 0.0, 0.0),
        displacement=held,
        locked=("displacement",),
        closure=closure,
        **({} if closure else {"angle": A}),
    )
    omega = math.sqrt(m * G * s / (J + m * s * s))
    period = 4.0 / omega * float(ellipk(math.sin(0.5 * A) ** 2))
    parts = (rod, joint) if closure else (joint,)
    sol = run(cl.Model(*parts, gravity=(0.3, 0.0, -G)), np.array([0.0, 0.25, 0.5, 1.0]) * period)
    assert_close(sol["joint"].angle, [A, 0.0, -A, A])
    assert_close(sol["rod"].position[:, 0], held)
    # gravity also pulls along the axis: the lock holds against it
    assert_close(sol["joint"].drive_force_displacement, -0.3 * m)


def test_locked_joint_holds_its_initial_value() -> None:
    m, s = 1.2, 0.4
    rod = cl.Body("rod", mass=m, inertia=0.05, com=(s, 0.0))
    joint = cl.Revolute("joint", cl.Ground(), rod, angle=0.6, locked=True)
    sol = run(cl.Model(joint, gravity=(0.0, -G)))
    assert_close(sol["joint"].angle, 0.6, 1e-14)
    assert_close(sol["joint"].drive_force, m * G * s * math.cos(0.6), 1e-12)


def test_redundant_parallel_cranks() -> None:
    # a platform m on three cranks of mass m_c, one too many: it does not turn, and
    # (m + m_c) l phi'' = -(m + 3/2 m_c) g cos(phi); the run ends before the flat position, where
    # the cranks could leave their parallel motion
    ground, l, m, mc = cl.Ground(), 0.5, 4.0, 0.6
    platform = cl.Body("platform", mass=m, inertia=0.3)
    parts: list[Any] = []
    for k in range(3):
        x = 0.4 * (k - 1)
        crank = cl.Body(f"crank {k}", mass=mc, inertia=mc * l * l / 12.0, com=(0.5 * l, 0.0))
        start = {"angle": 0.9, "speed": 0.0} if k == 0 else {"angle": 0.9}
        parts.append(cl.Revolute(f"low {k}", ground, crank, at=(x, 0.0), **start))
        parts.append(cl.Revolute(f"high {k}", crank, platform, at=(l, 0.0), at_second=(x, 0.0)))
    with pytest.warns(UserWarning, match="redundant"):
        sol = run(cl.Model(*parts, gravity=(0.0, -G)), np.linspace(0.0, 0.25, 11))
    factor = -(m + 1.5 * mc) * G / ((m + mc) * l)

    def rates(t: float, z: Any) -> Any:
        return [z[1], factor * math.cos(z[0])]

    z = solve_ivp(rates, (0.0, 0.25), [0.9, 0.0], "DOP853", sol.t, rtol=1e-12, atol=1e-13).y
    assert_close(sol["low 0"].angle, z[0])
    assert_close(sol["platform"].angle, 0.0)
    # whatever the share of each crank, together they carry m (a + g) of the platform
    phi, rate = z
    bend = factor * np.cos(phi)
    a = l * np.column_stack(
        [-np.sin(phi) * bend - np.cos(phi) * rate**2, np.cos(phi) * bend - np.sin(phi) * rate**2]
    )
    total = sum(sol[f"high {k}"].force for k in range(3))
    assert_close(total, m * (a + np.array([0.0, G])), 1e-8)
