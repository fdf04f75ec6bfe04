"""Free bodies and joints against closed forms.

Runs use RungeKutta8 with rtol 1e-12; over the few seconds simulated the error of a trajectory stays
below 1e-9, which is the tolerance wherever no other reason is given.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import cornerlaw as cl

METHOD = cl.RungeKutta8(rtol=1e-12, atol=1e-14)
TIMES = np.linspace(0.0, 2.0, 41)
G = 9.81
DOWN = (0.0, 0.0, -G)
TOLERANCE = 1e-9


def run(model: cl.Model, times: Any = TIMES) -> cl.Solution:
    return cl.simulate(model, float(times[-1]), method=METHOD, t_eval=times)


def assert_close(actual: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance)


def turn(axis: Any, angle: float) -> np.ndarray:
    return np.array(cl.rotation.about(tuple(axis), float(angle)))


def nested(A: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, np.asarray(A).tolist()))


def body_omega(sol: cl.Solution, name: str) -> np.ndarray:
    return np.einsum("tba,tb->ta", sol[name].rotation, sol[name].angular_velocity)


def test_torque_free_symmetric_top() -> None:
    # R(t) = exp(t L / A) R(0) Rz((A - C) / A omega_3 t): regular precession about L
    A, C = 0.3, 0.5
    R0 = turn((1.0, 2.0, 0.5), 0.8)
    omega = np.array([1.2, -0.4, 6.0])
    body = cl.Body(
        "top",
        mass=2.0,
        inertia=(A, A, C),
        position=(0.3, 0.0, 0.0),
        velocity=(1.0, -2.0, 0.5),
        rotation=nested(R0),
        angular_velocity=tuple(R0 @ omega),
    )
    sol = run(cl.Model(body))
    L = R0 @ (np.array([A, A, C]) * omega)
    size = float(np.linalg.norm(L))
    for k, t in enumerate(TIMES):
        expected = turn(L / size, size / A * t) @ R0 @ turn((0, 0, 1), (A - C) / A * omega[2] * t)
        assert_close(sol["top"].rotation[k], expected)
    assert_close(sol["top"].position, np.array([0.3, 0.0, 0.0]) + TIMES[:, None] * [1.0, -2.0, 0.5])


def test_torque_free_asymmetric_body_follows_jacobi_functions() -> None:
    # Poinsot, L^2 > 2 T I_2: (omega) = (a cn, b sn, c dn)(p t | m)
    I1, I2, I3 = 0.1, 0.2, 0.28
    o1, o3 = 1.5, 1.5
    body = cl.Body("racket", mass=1.0, inertia=(I1, I2, I3), angular_velocity=(o1, 0.0, o3))
    T2, L2 = I1 * o1**2 + I3 * o3**2, (I1 * o1) ** 2 + (I3 * o3) ** 2
    assert L2 > T2 * I2
    p = math.sqrt((I3 - I2) * (L2 - T2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (T2 * I3 - L2) / ((I3 - I2) * (L2 - T2 * I1))
    times = np.linspace(0.0, 2.0 * 4.0 * float(ellipk(m)) / p, 81)
    sn, cn, dn, _ = ellipj(p * times, m)
    b = math.sqrt((T2 * I3 - L2) / (I2 * (I3 - I2)))
    sol = run(cl.Model(body), times)
    assert_close(body_omega(sol, "racket"), np.column_stack([o1 * cn, b * sn, o3 * dn]))
    # two full periods: the components are back where they began
    assert_close(body_omega(sol, "racket")[-1], [o1, 0.0, o3])


def test_intermediate_axis_flips_with_the_elliptic_period() -> None:
    # tennis racket: L^2 < 2 T I_2, the roles of 1 and 3 change; omega_2 flips its sign
    I1, I2, I3 = 0.1, 0.2, 0.28
    o1, o2 = 0.01, 4.0
    body = cl.Body("racket", mass=1.0, inertia=(I1, I2, I3), angular_velocity=(o1, o2, 0.0))
    T2, L2 = I1 * o1**2 + I2 * o2**2, (I1 * o1) ** 2 + (I2 * o2) ** 2
    assert L2 < T2 * I2 * (1.0 + 1e-12)
    p = math.sqrt((I2 - I1) * (T2 * I3 - L2) / (I1 * I2 * I3))
    m = (I3 - I2) * (L2 - T2 * I1) / ((I2 - I1) * (T2 * I3 - L2))
    period = 4.0 * float(ellipk(m)) / p
    times = np.array([0.0, 0.5 * period, period])
    spin = body_omega(run(cl.Model(body), times), "racket")[:, 1]
    # each flip multiplies the error by (o_2 / o_1): three digits above the usual ones
    assert_close(spin, [o2, -o2, o2], 1e-6)


def test_prismatic_on_an_incline() -> None:
    slope, m = 0.4, 3.0
    axis = (math.cos(slope), 0.0, -math.sin(slope))
    block = cl.Body("block", mass=m, inertia=(0.1, 0.1, 0.1))
    sol = run(cl.Model(cl.Prismatic("guide", cl.Ground(), block, axis=axis), gravity=DOWN))
    assert_close(sol["guide"].displacement, 0.5 * G * math.sin(slope) * TIMES**2)
    normal = m * G * math.cos(slope) * np.array([math.sin(slope), 0.0, math.cos(slope)])
    assert_close(sol["guide"].force, np.tile(normal, (len(TIMES), 1)))


def test_cylindrical_moves_independently_along_and_about() -> None:
    slope, m, C, k = 0.7, 2.0, 0.05, 0.8
    axis = (0.0, math.sin(slope), math.cos(slope))
    body = cl.Body("sleeve", mass=m, inertia=(C, C, C))
    joint = cl.Cylindrical("joint", cl.Ground(), body, axis=axis, angle=0.6, velocity=1.5)
    spring = cl.TorsionSpring("spring", joint, coordinate="angle", stiffness=k)
    sol = run(cl.Model(joint, spring, gravity=DOWN))
    assert_close(sol["joint"].angle, 0.6 * np.cos(math.sqrt(k / C) * TIMES))
    assert_close(sol["joint"].displacement, 1.5 * TIMES - 0.5 * G * math.cos(slope) * TIMES**2)
    # the joint carries the weight across its axis only
    across = m * G * (np.array([0.0, 0.0, 1.0]) - math.cos(slope) * np.array(axis))
    assert_close(sol["joint"].force, np.tile(across, (len(TIMES), 1)))


@pytest.mark.parametrize("closure", [False, True], ids=["tree", "loop"])
def test_screw_falls_with_the_inertia_of_its_rotation(closure: bool) -> None:
    # (C + m h^2) phi'' = -m g h
    m, C, h = 2.0, 0.03, 0.05
    nut = cl.Body("nut", mass=m, inertia=(C, C, C))
    screw = cl.Screw("screw", cl.Ground(), nut, pitch=h, closure=closure)
    model = cl.Model(nut, screw, gravity=DOWN) if closure else cl.Model(screw, gravity=DOWN)
    sol = run(model)
    phi = -0.5 * m * G * h / (C + m * h * h) * TIMES**2
    assert_close(sol["nut"].position[:, 2], h * phi)
    spin = sol["nut"].angular_velocity[:, 2]
    assert_close(spin, -m * G * h / (C + m * h * h) * TIMES)
    # along the axis the thread carries what the fall does not need
    assert_close(
        sol["screw"].force[:, 2], np.full(len(TIMES), m * (G - m * G * h * h / (C + m * h * h)))
    )


@pytest.mark.parametrize("closure", [False, True], ids=["tree", "loop"])
def test_planar_joint_on_an_incline(closure: bool) -> None:
    slope, m = 0.5, 1.5
    normal = (math.sin(slope), 0.0, math.cos(slope))
    down = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    side = np.array([0.0, 1.0, 0.0])
    v0 = 0.7 * side + 0.2 * down
    puck = cl.Body(
        "puck",
        mass=m,
        inertia=(0.1, 0.2, 0.3),
        position=(0.0, 0.0, 0.0),
        velocity=tuple(v0),
        angular_velocity=tuple(3.0 * np.array(normal)),
    )
    joint = cl.PlanarJoint("plane", cl.Ground(), puck, normal=normal, closure=closure)
    model = cl.Model(puck, joint, gravity=DOWN) if closure else cl.Model(joint, gravity=DOWN)
    sol = run(model)
    way = TIMES[:, None] * v0 + 0.5 * G * math.sin(slope) * TIMES[:, None] ** 2 * down
    assert_close(sol["puck"].position, way)
    force = m * G * math.cos(slope) * np.array(normal)
    assert_close(sol["plane"].force, np.tile(force, (len(TIMES), 1)))


def test_cardan_shaft_ratio_and_torque() -> None:
    # tan(phi_2) = cos(beta) tan(phi_1); the driving torque is the power of the load over the speed
    bend, speed, J, load = 0.6, 3.0, 0.02, 0.5
    tilt = cl.rotation.about((1.0, 0.0, 0.0), bend)
    ground = cl.Ground()
    shaft_1 = cl.Body("shaft 1", mass=1.0, inertia=(J, J, J))
    shaft_2 = cl.Body("shaft 2", mass=1.0, inertia=(J, J, J))
    out = cl.Revolute(
        "out", ground, shaft_2, axis=(0.0, -math.sin(bend), math.cos(bend)), orientation=tilt
    )
    model = cl.Model(
        cl.Revolute("in", ground, shaft_1, drive=lambda t: speed * t),
        out,
        cl.Universal(
            "cross",
            shaft_1,
            shaft_2,
            axes=((1.0, 0.0, 0.0), (0.0, math.cos(bend), math.sin(bend))),
            orientation=tilt,
            closure=True,
        ),
        cl.Torque("load", out, value=-load),
    )
    with pytest.warns(UserWarning, match="redundant"):
        # the bearings fix the centre of the cross already
        sol = run(model)
    phi = speed * TIMES
    c = math.cos(bend)
    floor = np.cos(phi) ** 2 + c * c * np.sin(phi) ** 2
    ratio = c / floor
    rate = -2.0 * c * (c * c - 1.0) * np.sin(phi) * np.cos(phi) / floor**2
    expected = np.unwrap(np.arctan2(c * np.sin(phi), np.cos(phi)))
    assert_close(sol["out"].angle, expected)
    assert_close(sol["out"].speed, speed * ratio)
    assert_close(sol["out"].speed_rate, speed**2 * rate)
    assert_close(sol["in"].drive_force, ratio * (load + J * speed**2 * rate))


def test_user_joint_cycloid_is_isochronous() -> None:
    # Huygens: on a cycloid of rolling radius R every swing lasts 4 pi sqrt(R / g)
    R = 0.25

    def kinematics(q: Any, u: Any) -> Any:
        s, c = math.sin(q[0]), math.cos(q[0])
        pose = np.eye(3)
        place = np.array([0.25 * (q[0] + s), -0.25 * (1.0 + c), 0.0])
        S = np.zeros((6, 1))
        S[0, 0], S[1, 0] = 0.25 * (1.0 + c), 0.25 * s
        bias = np.zeros(6)
        bias[0], bias[1] = -0.25 * s * u[0] ** 2, 0.25 * c * u[0] ** 2
        return pose, place, S, bias

    period = 4.0 * math.pi * math.sqrt(R / G)
    for start in (0.3, 2.5):
        bead = cl.Body("bead", mass=1.3, inertia=(0.1, 0.1, 0.1))
        track = cl.UserJoint(
            "track", cl.Ground(), bead, kinematics=kinematics, n=1, q0=(start,), u0=(0.0,)
        )
        times = np.array([0.0, 0.25 * period, 0.5 * period, period])
        sol = run(cl.Model(track, gravity=(0.0, -G, 0.0)), times)
        assert_close(sol["track"].q1, [start, 0.0, -start, start], 1e-8)


def test_armature_counts_ratio_squared_times() -> None:
    # (J + ratio^2 J_a) phi'' = torque
    J, Ja, n, torque = 0.2, 0.003, 10.0, 1.5
    body = cl.Body("arm", mass=1.0, inertia=J)
    joint = cl.Revolute("axis", cl.Ground(), body, armature=Ja, ratio=n)
    sol = run(cl.Model(joint, cl.Torque("torque", joint, value=torque)))
    assert_close(sol["axis"].angle, 0.5 * torque / (J + n * n * Ja) * TIMES**2)


def test_weld_carries_force_and_moment() -> None:
    # a cantilevered body: force m g, moment m g l about the joint point
    m, l = 2.0, 0.7
    for closure in (False, True):
        bracket = cl.Body("bracket", mass=m, inertia=(0.1, 0.1, 0.1), com=(l, 0.0, 0.0))
        weld = cl.Weld("weld", cl.Ground(), bracket, at=(0.2, 0.0, 0.0), closure=closure)
        parts = (bracket, weld) if closure else (weld,)
        sol = run(cl.Model(*parts, gravity=DOWN), np.array([0.0, 0.5]))
        assert_close(sol["weld"].force, np.tile([0.0, 0.0, m * G], (2, 1)))
        assert_close(sol["weld"].moment, np.tile([0.0, -m * G * l, 0.0], (2, 1)))
        assert_close(sol["bracket"].position, np.tile([0.2, 0.0, 0.0], (2, 1)))
