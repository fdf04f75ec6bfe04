"""Masses that a user's element declares on frames and coordinates, against closed forms."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.system import System
from cornerlaw.simulate.terms import eval_terms

G = 9.81
TIGHT = cl.RungeKutta8(rtol=1e-12, atol=1e-14)


def added(t, r, A, q, p, M):
    for k in range(3):
        M[k, k] = p[0]


def lift(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    F[0, 2] = p[1]


def sphere_in_water(gravity: bool = True) -> cl.Model:
    """A sphere of half the density of water: its added mass is half of what it displaces."""
    ball = cl.PointMass("ball", mass=2.0, position=(0.0, 0.0, 0.0))
    water = cl.ForceElement(
        "water", frames=(ball,), law=lift, mass=added,
        parameters={"added": 0.5 * 4.0, "lift": 4.0 * G},
    )  # fmt: skip
    return cl.Model(ball, water, gravity=(0.0, 0.0, -G) if gravity else None)


@pytest.mark.parametrize(
    ("method", "error"),
    [
        (cl.RungeKutta8(), 1e-12), (cl.Radau(), 1e-10), (cl.GeneralisedAlpha(dt=1e-2), 1e-10),
        (cl.RungeKutta4(dt=0.01), 1e-12), (cl.EventDriven(), 1e-12), (cl.Moreau(dt=1e-2), 1e-10),
        (cl.Theta(dt=1e-2), 1e-10),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else "",
)  # fmt: skip
def test_sphere_rises_with_its_added_mass(method: Any, error: float) -> None:
    """(m + m_a) a = (m_w - m) g with m = 2, m_w = 4, m_a = 2: a = g / 2; all methods are exact."""
    sol = cl.simulate(sphere_in_water(), 1.0, method=method)
    assert sol["ball"].position[-1, 2] == pytest.approx(G / 4.0, abs=error)
    assert sol["ball"].acceleration[-1, 2] == pytest.approx(G / 2.0, abs=1e-12)
    assert sol["water"].kinetic_energy[-1] == pytest.approx((G / 2.0) ** 2, abs=10.0 * error)
    assert sol["energy"].kinetic[-1] == pytest.approx(2.0 * (G / 2.0) ** 2, abs=20.0 * error)


def test_parameters_of_a_mass_are_replaced_without_compiling() -> None:
    from cornerlaw.compile import functions

    model = sphere_in_water()
    cl.simulate(model, 0.1)
    slots = set(functions._slots)
    sol = cl.simulate(model.replace({"water.parameters.added": 6.0}), 1.0)
    assert set(functions._slots) == slots
    assert sol["ball"].position[-1, 2] == pytest.approx(G / 8.0, abs=1e-12)


@pytest.mark.parametrize("method", [cl.EventDriven(), cl.Moreau(dt=1e-3)], ids=["events", "dt"])
def test_impact_feels_the_added_mass(method: Any) -> None:
    """A ball of mass 2 with an added mass of 2 arrives with 3 m/s: Lambda = 4 (1 + eps) 3."""
    ball = cl.PointMass("ball", mass=2.0, position=(0.0, 0.0, 0.3), velocity=(0.0, 0.0, -3.0))
    point = cl.ContactPoint("point", ball)
    floor = cl.Plane("floor", cl.Ground(), normal=(0.0, 0.0, 1.0))
    water = cl.ForceElement("water", frames=(ball,), mass=added, parameters={"added": 2.0})
    contact = cl.Contact(point, floor, eps_N=0.5)
    sol = cl.simulate(cl.Model(ball, point, floor, contact, water), 0.2, method=method)
    assert sol["point-floor"].Lambda_N.sum() == pytest.approx(18.0, rel=1e-10)
    assert sol["ball"].velocity[-1, 2] == pytest.approx(1.5, rel=1e-10)


def joined(t, r, A, q, p, M):
    M[0, 0] = p[1]
    M[0, 1] = M[1, 0] = p[0] * math.cos(q[0])


def springs(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -20.0 * q[0]
    Q[1] = -10.0 * q[1] + p[0] * math.sin(q[0]) * u[0] ** 2  # - dM/dt u belongs to the law


def whole_mass(q, t):
    c = 0.3 * np.cos(q[0])
    return np.array([[1.1, c], [c, 2.0]])


def whole_force(q, u, t):
    return np.array([-20.0 * q[0], -10.0 * q[1] + 0.3 * np.sin(q[0]) * u[0] ** 2])


def two_masses() -> cl.Model:
    return cl.Model(
        cl.Rotor("a", inertia=0.9, angle=0.8),
        cl.Slider("b", mass=2.0, position=0.1, velocity=0.5),
        cl.ForceElement(
            "block", coordinates=("a.angle", "b.position"), mass=joined, law=springs,
            parameters={"coupling": 0.3, "inertia": 0.2},
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    "method",
    [TIGHT, cl.EventDriven(rtol=1e-12, atol=1e-14), cl.Radau(), cl.Moreau(dt=1e-3)],
    ids=lambda method: type(method).__name__,
)
def test_coupled_block_is_a_system_with_a_full_matrix(method: Any) -> None:
    whole = cl.LagrangianSystem("s", M=whole_mass, h=whole_force, q0=(0.8, 0.1), u0=(0.0, 0.5))
    times = np.linspace(0.0, 5.0, 11)
    own = cl.simulate(two_masses(), 5.0, t_eval=times, method=method)
    known = cl.simulate(cl.Model(whole), 5.0, t_eval=times, method=method)
    # the same steps up to the rounding of another order of elimination
    assert np.abs(own["a"].angle - known["s"].q1).max() < 1e-10
    assert np.abs(own["b"].position - known["s"].q2).max() < 1e-10


def test_queries_and_linearisation_know_the_block() -> None:
    here = cl.query(two_masses())
    c = 0.3 * math.cos(0.8)
    assert np.allclose(here.mass_matrix(), [[1.1, c], [c, 2.0]], rtol=1e-14)
    at_rest = two_masses().replace({"a.angle": 0.0, "b.position": 0.0, "b.velocity": 0.0})
    found = cl.linearise(at_rest)
    M, K = np.array([[1.1, 0.3], [0.3, 2.0]]), np.diag([20.0, 10.0])
    expected = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert np.allclose(np.unique(np.abs(found.eigenvalues.imag).round(6)), np.sort(expected))


def relative(t, r, A, q, p, M):
    """A mass on a body that moves along x by q, given by its relative coordinate."""
    M[0, 0] = M[6, 6] = M[0, 6] = M[6, 0] = M[1, 1] = M[2, 2] = p[0]


def elastic(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -p[1] * q[0]


def test_elastic_mode_on_a_body() -> None:
    """m and m_2 on a spring: w^2 = k (1/m + 1/m_2), and the momentum stays."""
    m, m_2, k = 3.0, 1.0, 40.0
    body = cl.PointMass("body", mass=m, position=(0.0, 0.0, 0.0))
    tiny = 1e-9  # the mode has no inertia of its own but this
    mode = cl.LagrangianSystem("mode", M=[[tiny]], h=(0.0,), q0=(0.1,), coordinates=("eta",))
    element = cl.ForceElement(
        "mass", frames=(body,), coordinates=("mode.eta",), mass=relative, law=elastic,
        parameters={"mass": m_2, "k": k},
    )  # fmt: skip
    sol = cl.simulate(cl.Model(body, mode, element), 2.0, method=TIGHT)
    w = math.sqrt(k * (1.0 / m + 1.0 / m_2))
    # the tiny inertia shifts the frequency by 1e-9
    assert np.abs(sol["mode"].eta - 0.1 * np.cos(w * sol.t)).max() < 1e-8
    u, rate = sol["body"].velocity[:, 0], sol["mode"].eta_dot
    assert np.abs(m * u + m_2 * (u + rate)).max() < 1e-8


def lump(t, r, A, q, p, M):
    for k in range(3):
        M[k, k] = p[0]


def weight(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    F[0, 2] = -9.81 * p[0]


@pytest.mark.parametrize("driven", [False, True])
def test_lump_on_a_pendulum_is_a_welded_point_mass(driven: bool) -> None:
    """A mass on a marker away from the body origin: motion, reactions, drive and energy agree."""

    def pendulum(own: bool) -> cl.Model:
        body = cl.Body("body", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.3, 0.0, 0.0))
        options: dict[str, Any] = {"drive": lambda t: 0.4 * math.sin(3.0 * t)} if driven else {
            "angle": 0.3
        }  # fmt: skip
        hinge = cl.Revolute("hinge", cl.Ground(), body, axis=(0.0, 1.0, 0.0), **options)
        tip = cl.Frame("tip", body, at=(0.7, 0.1, 0.2))
        if own:
            element = cl.ForceElement(
                "lump", frames=(tip,), mass=lump, law=weight, parameters={"mass": 0.8}
            )
            return cl.Model(hinge, tip, element, gravity=(0.0, 0.0, -G))
        weld = cl.Weld("weld", tip, cl.PointMass("lump", mass=0.8))
        return cl.Model(hinge, tip, weld, gravity=(0.0, 0.0, -G))

    times = np.linspace(0.0, 2.0, 21)
    own = cl.simulate(pendulum(True), 2.0, t_eval=times, method=TIGHT)
    known = cl.simulate(pendulum(False), 2.0, t_eval=times, method=TIGHT)
    assert np.abs(own["hinge"].angle - known["hinge"].angle).max() < 1e-10
    assert np.abs(own["hinge"].force - known["hinge"].force).max() < 1e-9
    assert np.abs(own["hinge"].moment - known["hinge"].moment).max() < 1e-9
    assert np.abs(own["energy"].kinetic - known["energy"].kinetic).max() < 1e-10
    if driven:
        assert np.abs(own["hinge"].drive_force - known["hinge"].drive_force).max() < 1e-10


_B = np.random.default_rng(3).normal(size=(13, 13))
FULL = 0.1 * _B @ _B.T


def full(t, r, A, q, p, M):
    for i in range(13):
        for j in range(13):
            M[i, j] = FULL[i, j]


def tie(t, r, A, v, Omega, q, u, p, F, M, Q):
    """x of the second frame follows the slider, shifted by the tilt of an axis of the first."""
    F[1, 0], Q[0] = 1.0, -1.0
    a, o = A[0, :, 1], Omega[0]
    M[0, 0], M[0, 1] = a[1], -a[0]
    rate_0, rate_1 = o[1] * a[2] - o[2] * a[1], o[2] * a[0] - o[0] * a[2]
    return r[1, 0] - q[0] + a[2], 0.0, rate_1 * o[0] - rate_0 * o[1]


@pytest.mark.parametrize("driven", [False, True])
def test_full_matrix_and_row_in_a_tree_against_a_dense_solve(driven: bool) -> None:
    """Frames on two branches and a slider, with quaternions and a prescribed joint."""
    ground = cl.Ground()
    first = cl.Body("first", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.2, 0.1, 0.0))
    second = cl.Body("second", mass=1.5, inertia=(0.2, 0.1, 0.3), com=(0.1, 0.3, 0.2))
    third = cl.Body("third", mass=0.7, inertia=(0.2, 0.1, 0.3))
    ball = cl.Spherical("ball", ground, first, angular_velocity=(0.3, -0.5, 0.8))
    cross = cl.Universal(
        "cross", first, second, at=(0.5, 0.2, 0.0), angle_1=0.3, angle_2=-0.4, speed_2=1.0
    )
    start: dict[str, Any] = {"angle": 0.3, "speed": -1.0}
    motion: dict[str, Any] = {"drive": lambda t: 0.3 + math.sin(t)}
    hinge = cl.Revolute("hinge", ground, third, at=(0.0, 1.0, 0.0), **(motion if driven else start))
    frames = (
        cl.Frame("left", second, at=(0.3, -0.2, 0.1)), cl.Frame("right", third, at=(0.1, 0.2, 0.4))
    )  # fmt: skip
    own = cl.ForceElement(
        "own", frames=frames, coordinates=("s.position",), mass=full, rows={"tie": tie}
    )
    model = cl.Model(
        ball, cross, hinge, *frames, cl.Slider("s", mass=1.0), own, gravity=(0.3, 0.0, -G)
    )
    system = System(model)
    q, u, x = initial_state(system, 0.0)
    u_dot, _, lam = system.accelerations(0.0, q.copy(), u.copy(), x)
    terms = eval_terms(system, 0.0, q.copy(), u.copy(), x)
    given = system.work.u_dot_driven.copy()
    free = np.flatnonzero(system.arrays.tree.driven < 0)
    W = terms.W[:, free]
    K = np.block([[terms.M[np.ix_(free, free)], -W.T], [W, np.zeros((1, 1))]])
    right = np.concatenate([(terms.h - terms.M @ given)[free], -(terms.w_bar + terms.W @ given)])
    solved = np.linalg.solve(K, right)
    assert np.abs(u_dot[free] - solved[:-1]).max() < 1e-10
    assert lam[0] == pytest.approx(solved[-1], abs=1e-10)
    sol = cl.simulate(model, 1.0, method=TIGHT)
    assert not sol.info.warnings
    if not driven:
        # the matrix is constant in world axes and the row does no work
        assert np.ptp(sol["energy"].total) < 1e-9
