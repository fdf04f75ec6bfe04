"""Direct questions at a state: matrices, Jacobians, momentum against closed forms."""

import math

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()
M1, M2, L1, L2 = 2.0, 1.5, 0.8, 0.6


def double_pendulum(**motion):
    upper = cl.Body("upper", mass=M1, inertia=0.0, com=(L1, 0.0))
    lower = cl.Body("lower", mass=M2, inertia=0.0, com=(L2, 0.0))
    return cl.Model(
        cl.Revolute("shoulder", GROUND, upper),
        cl.Revolute("elbow", upper, lower, at=(L1, 0.0)),
        cl.Frame("hand", lower, at=(L2, 0.0)),
        gravity=(0.0, -9.81),
    )


STATE = {"shoulder.angle": 0.3, "elbow.angle": 0.7, "shoulder.speed": 1.1, "elbow.speed": -0.4}
EXACT = {"rtol": 1e-13, "atol": 1e-13}  # a handful of products each


def test_mass_matrix_and_bias_forces_of_a_double_pendulum():
    """Point masses in relative angles, the textbook's two-link arm."""
    query = cl.query(double_pendulum(), at=STATE)
    c, s = math.cos(0.7), math.sin(0.7)
    coupling = M2 * (L2 * L2 + L1 * L2 * c)
    M = [[(M1 + M2) * L1**2 + M2 * (L2**2 + 2.0 * L1 * L2 * c), coupling], [coupling, M2 * L2**2]]
    np.testing.assert_allclose(query.mass_matrix(), M, **EXACT)
    g, a, b = 9.81, 0.3, 1.0
    k = M2 * L1 * L2 * s
    h1 = (
        k * (2.0 * 1.1 * -0.4 + 0.4**2)
        - (M1 + M2) * g * L1 * math.cos(a)
        - M2 * g * L2 * math.cos(b)
    )
    h2 = -k * 1.1**2 - M2 * g * L2 * math.cos(b)
    np.testing.assert_allclose(query.bias_forces(), [h1, h2], **EXACT)
    np.testing.assert_allclose(query.accelerations(), np.linalg.solve(M, [h1, h2]), rtol=1e-12)
    named = query.mass_matrix()
    assert named["shoulder.speed", "elbow.speed"] == pytest.approx(coupling, rel=1e-13)
    assert named["shoulder", "elbow"] == named["shoulder.speed", "elbow.speed"]
    assert "shoulder.speed" in str(named)
    with pytest.raises(cl.UnknownNameError, match="did you mean"):
        query.bias_forces()["elbw.speed"]


def test_frames_and_jacobians():
    query = cl.query(double_pendulum(), at=STATE)
    a, b = 0.3, 1.0
    hand = np.array([L1 * math.cos(a) + L2 * math.cos(b), L1 * math.sin(a) + L2 * math.sin(b)])
    np.testing.assert_allclose(query.position("hand"), hand, **EXACT)
    lever = L2 * np.array([-math.sin(b), math.cos(b)])
    J = np.array([[-hand[1], lever[0]], [hand[0], lever[1]], [1.0, 1.0]])
    np.testing.assert_allclose(query.jacobian("hand"), J, **EXACT)
    np.testing.assert_allclose(query.jacobian("lower", at=(L2, 0.0)), J, **EXACT)
    np.testing.assert_allclose(query.velocity("hand"), J[:2] @ [1.1, -0.4], **EXACT)
    assert float(query.angular_velocity("hand")) == pytest.approx(0.7, rel=1e-13)
    with pytest.raises(cl.UnknownNameError, match="did you mean 'hand'"):
        query.jacobian("hnd")


def test_centre_of_mass_and_momentum():
    query = cl.query(double_pendulum(), at=STATE)
    a, b = 0.3, 1.0
    r1 = L1 * np.array([math.cos(a), math.sin(a)])
    r2 = r1 + L2 * np.array([math.cos(b), math.sin(b)])
    v1 = 1.1 * np.array([-r1[1], r1[0]])
    v2 = v1 + 0.7 * L2 * np.array([-math.sin(b), math.cos(b)])
    np.testing.assert_allclose(query.centre_of_mass(), (M1 * r1 + M2 * r2) / (M1 + M2), **EXACT)
    linear, angular = query.momentum()
    np.testing.assert_allclose(linear, M1 * v1 + M2 * v2, **EXACT)
    cross = lambda r, v: r[0] * v[1] - r[1] * v[0]  # noqa: E731
    assert float(angular) == pytest.approx(M1 * cross(r1, v1) + M2 * cross(r2, v2), rel=1e-13)


def spatial():
    a = cl.Body("a", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3))
    b = cl.Body("b", mass=1.0, inertia=(0.2, 0.1, 0.15), com=(0.0, 0.1, 0.0))
    c = cl.Body("c", mass=0.6, inertia=(0.1, 0.1, 0.1), position=(1.0, 2.0, 0.5),
                angular_velocity=(1.0, 2.0, 3.0))  # fmt: skip
    return cl.Model(
        cl.Universal("hip", GROUND, a, angle_1=0.3, angle_2=-0.4, speed_1=1.0, speed_2=2.0),
        cl.Spherical("ball", a, b, at=(0.3, 0.0, 0.1), angular_velocity=(1.0, -2.0, 0.5)),
        cl.LagrangianSystem("modes", M=[[2.0, 0.3], [0.3, 1.0]], q0=(0.1, 0.2), u0=(1.0, -1.0)),
        c,
        cl.Rod("link", b, c, at=(0.0, 0.2, 0.0), mass=0.9),
        gravity=(0.0, 0.0, -9.81),
    )


def test_spatial_jacobian_velocity_energy_and_accelerations():
    query = cl.query(spatial())
    u = query.u
    J = np.asarray(query.jacobian("b"))
    assert J.shape == (6, len(u))
    np.testing.assert_allclose(J[:3] @ u, query.velocity("b"), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(J[3:] @ u, query.angular_velocity("b"), rtol=1e-12, atol=1e-12)
    # kinetic energy from the kernels and from the matrix
    M = np.asarray(query.mass_matrix())
    assert 0.5 * u @ M @ u == pytest.approx(float(query["energy.kinetic"]), rel=1e-12)
    # the saddle-point system of M, h, W against the recursive solution with its rod
    terms = query.terms
    n, k = len(u), terms.W.shape[0]
    saddle = np.block([[M, -terms.W.T], [terms.W, np.zeros((k, k))]])
    found = np.linalg.solve(saddle, np.concatenate([terms.h, -terms.w_bar]))[:n]
    np.testing.assert_allclose(query.accelerations(), found, rtol=1e-10, atol=1e-10)


def test_constraint_jacobian_by_differences():
    query = cl.query(spatial())
    W = query.constraint_jacobian()
    assert W.rows == ("link",)
    # rate of the distance along the rod
    rate = np.asarray(W) @ query.u
    assert abs(rate[0]) < 1e-12


def test_query_at_states_of_a_run():
    sol = cl.simulate(double_pendulum(), 1.0, t_eval=[0.0, 0.5, 1.0])
    last = cl.query(double_pendulum(), at=sol)
    middle = cl.query(double_pendulum(), at=sol, t=0.5)
    assert last.t == 1.0 and middle.t == 0.5
    np.testing.assert_allclose(middle.position("hand"), sol["hand.position"][1], rtol=1e-14)
    np.testing.assert_allclose(
        cl.query(double_pendulum(), at=sol.final).q, sol.q[-1], rtol=0.0, atol=0.0
    )
    assert "shoulder.angle" in str(last)
    with pytest.raises(cl.UsageError, match="positions"):
        cl.query(spatial(), at=sol)
    with pytest.raises(cl.UnknownNameError, match="did you mean"):
        cl.query(double_pendulum(), at={"elbow.angel": 0.1})
