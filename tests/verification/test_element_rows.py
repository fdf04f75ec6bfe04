"""Rows that a user's element gives itself, against built-in parts and closed forms."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81
TIGHT = cl.RungeKutta8(rtol=1e-12, atol=1e-14)
pivot = cl.Frame("pivot", cl.Ground(), at=(0.0, 0.0, 0.0))


def rod(t, r, A, v, Omega, q, u, p, F, M, Q):
    d = r[1] - r[0]
    length = np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
    square, rate = 0.0, 0.0
    for k in range(3):
        n, speed = d[k] / length, v[1, k] - v[0, k]
        F[1, k], F[0, k] = n, -n
        square += speed**2
        rate += n * speed
    return length - p[0], 0.0, (square - rate**2) / length


def spherical_pendulum(link: Any) -> cl.Model:
    bob = cl.PointMass("bob", mass=1.3, position=(1.0, 0.0, 0.0), velocity=(0.0, 0.5, 0.0))
    return cl.Model(bob, link(bob), gravity=(0.0, 0.0, -G))


def own_rod(bob: Any) -> cl.ForceElement:
    return cl.ForceElement(
        "rod", frames=(pivot, bob), rows={"length": rod}, parameters={"length": 1.0}
    )


def test_pendulum_on_a_rod_of_ones_own() -> None:
    times = np.linspace(0.0, 3.0, 31)
    own = cl.simulate(spherical_pendulum(own_rod), 3.0, t_eval=times, method=TIGHT)
    known = cl.simulate(
        spherical_pendulum(lambda bob: cl.Distance("rod", pivot, bob, length=1.0)),
        3.0, t_eval=times, method=TIGHT,
    )  # fmt: skip
    # both follow the same motion with rtol 1e-12 for some ten swings
    assert np.abs(own["bob"].position - known["bob"].position).max() < 1e-9
    assert np.abs(own["rod.length"].multiplier + known["rod"].tension).max() < 1e-8
    assert np.abs(own["constraints"].position_error).max() < 1e-14
    assert not own.info.warnings
    longer = spherical_pendulum(own_rod).replace({"rod.parameters.length": 1.1})
    with pytest.raises(cl.AssemblyError, match=r"'rod\.length' stays open by 0\.1"):
        cl.simulate(longer, 0.1)


@pytest.mark.parametrize("method", [cl.Radau(rtol=1e-9), cl.Moreau(dt=1e-4)], ids=["radau", "dt"])
def test_other_methods_hold_the_row(method: Any) -> None:
    own = cl.simulate(spherical_pendulum(own_rod), 1.0, method=method, every=1)
    known = cl.simulate(spherical_pendulum(own_rod), 1.0, method=TIGHT)
    # of time stepping: first order in the step
    error = 1e-7 if isinstance(method, cl.Radau) else 1e-3
    assert np.abs(own["bob"].position[-1] - known["bob"].position[-1]).max() < error
    assert np.abs(np.linalg.norm(own["bob"].position, axis=1) - 1.0).max() < 1e-12


def yoke_by_frame(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 0], Q[0] = 1.0, -1.0
    return r[0, 0] - q[0], 0.0, 0.0


def yoke_by_angle(t, r, A, v, Omega, q, u, p, F, M, Q):
    s, c = math.sin(q[1]), math.cos(q[1])
    Q[0], Q[1] = -1.0, -p[0] * s
    return p[0] * c - q[0], 0.0, -p[0] * c * u[1] ** 2


@pytest.mark.parametrize("by_frame", [True, False])
def test_scotch_yoke_with_a_driven_crank(by_frame: bool) -> None:
    """x = R cos(w t): the row carries m x_ddot, and the drive m x_ddot x_dot / w."""
    R, w, m = 0.2, 3.0, 1.5
    ground = cl.Ground()
    crank = cl.Body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1))
    bearing = cl.Revolute("bearing", ground, crank, drive=lambda t: 3.0 * t)
    tip = cl.Frame("tip", crank, at=(R, 0.0, 0.0))
    yoke = cl.Slider("yoke", mass=m, position=R)
    element = cl.ForceElement(
        "slot",
        frames=(tip,) if by_frame else (),
        coordinates=("yoke.position",) if by_frame else ("yoke.position", "bearing.angle"),
        rows={"pin": yoke_by_frame if by_frame else yoke_by_angle},
        parameters={"radius": R},
    )
    sol = cl.simulate(cl.Model(bearing, tip, yoke, element), 2.0, method=TIGHT)
    x = R * np.cos(w * sol.t)
    assert np.abs(sol["yoke"].position - x).max() < 1e-13
    assert np.abs(sol["slot.pin"].multiplier - m * w**2 * x).max() < 1e-10
    power = (-m * w**2 * x) * (-R * w * np.sin(w * sol.t))
    assert np.abs(sol["bearing"].drive_force - power / w).max() < 1e-10
    assert not sol.info.warnings


def conveyed(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = 1.0
    return 0.0, -p[0] * math.sin(t), -p[0] * math.cos(t)


def test_row_on_velocity_level_with_a_part_of_time() -> None:
    """u = V sin t: x = V (1 - cos t), the row pulls with m V cos t."""
    cart = cl.Slider("cart", mass=2.0)
    belt = cl.ForceElement(
        "belt",
        coordinates=("cart.position",),
        rows={"speed": cl.BilateralRow(conveyed, level="velocity")},
        parameters={"V": 0.7},
    )
    sol = cl.simulate(cl.Model(cart, belt), 4.0, method=TIGHT)
    assert np.abs(sol["cart"].position - 0.7 * (1.0 - np.cos(sol.t))).max() < 1e-11
    assert np.abs(sol["belt.speed"].multiplier - 1.4 * np.cos(sol.t)).max() < 1e-11


def height(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 2] = 1.0
    return r[0, 2] - p[0], 0.0, 0.0


def slip(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 0] = 1.0
    return r[0, 0], 0.0, 0.0


def ball() -> cl.PointMass:
    return cl.PointMass("ball", mass=1.0, position=(0.0, 0.0, 1.0), velocity=(3.0, 0.0, 0.0))


@pytest.mark.parametrize("method", [None, cl.Moreau(dt=1e-3), cl.Theta(dt=1e-3)])
def test_one_sided_row_with_friction_is_a_contact(method: Any) -> None:
    one = ball()
    floor = cl.UnilateralRow(height, eps_N=0.7, tangent=slip, mu=0.2)
    element = cl.ForceElement("floor", frames=(one,), rows={"g": floor}, parameters={"h": 0.0})
    own = cl.simulate(cl.Model(one, element, gravity=(0.0, 0.0, -G)), 5.0, method=method)
    point = cl.ContactPoint("point", one)
    plane = cl.Plane("plane", cl.Ground(), normal=(0.0, 0.0, 1.0))
    contact = cl.Contact(point, plane, mu=0.2, eps_N=0.7)
    known = cl.simulate(
        cl.Model(one, point, plane, contact, gravity=(0.0, 0.0, -G)), 5.0, method=method
    )
    # the same problem is solved in both
    assert np.abs(own["ball"].position[-1] - known["ball"].position[-1]).max() < 1e-9
    assert own["floor.g"].Lambda_N.sum() == pytest.approx(known["point-plane"].Lambda_N.sum())
    assert own["floor.g"].lam_N[-1] == pytest.approx(G, abs=1e-9)
    assert len(own.events) == len(known.events) > 10
    assert not own.info.warnings


@pytest.mark.parametrize("method", [cl.EventDriven(), cl.Moreau(dt=1e-4)], ids=["events", "dt"])
def test_row_with_bounds_is_dry_friction(method: Any) -> None:
    """A block with speed 2 m/s under a force of at most 5 N stops after v^2 m / (2 R)."""
    one = cl.PointMass("block", mass=2.0, position=(0.0, 0.0, 0.0), velocity=(2.0, 0.0, 0.0))
    rows = {"seal": cl.SetRow(slip, lower=-5.0, upper=lambda t: 5.0)}
    element = cl.ForceElement("element", frames=(one,), rows=rows)
    sol = cl.simulate(cl.Model(one, element), 2.0, method=method)
    # of time stepping: half the way of a step
    error = 1e-9 if isinstance(method, cl.EventDriven) else 2e-4
    assert sol["block"].position[-1, 0] == pytest.approx(0.8, abs=error)
    assert sol["block"].velocity[-1, 0] == pytest.approx(0.0, abs=1e-12)
    assert sol["element.seal"].lam_T[1] == pytest.approx(-5.0)


def test_row_that_cannot_move_backward() -> None:
    """Pulled by -cos t the block stays; then it moves with the part of the force that is positive.

    m x_ddot = -cos t while it may move, from t = pi/2 on: u = 1 - sin t.
    """
    one = cl.PointMass("block", mass=1.0, position=(0.0, 0.0, 0.0))
    rows = {"pawl": cl.SetRow(slip, lower=0.0)}
    element = cl.ForceElement("element", frames=(one,), rows=rows)
    pull = cl.Force("pull", one, value=(lambda t: -math.cos(t), 0.0, 0.0))
    sol = cl.simulate(cl.Model(one, element, pull), 4.0, method=cl.EventDriven(rtol=1e-10))
    expected = np.where(sol.t < math.pi / 2.0, 0.0, 1.0 - np.sin(sol.t))
    assert np.abs(sol["block"].velocity[:, 0] - expected).max() < 1e-8
    assert sol["element.pawl"].lam_N[0] == pytest.approx(1.0)


def test_several_rows_and_a_law_share_frames_and_parameters() -> None:
    """In a submodel used twice: each holds its bob at its own length, and pushes it."""

    def push(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        F[1, 1] = p[1]

    def swing(name: str) -> cl.Submodel:
        bob = cl.PointMass("bob", mass=1.0, position=(1.0, 0.0, 0.0))
        link = cl.ForceElement(
            "link", frames=(pivot, bob), law=push, rows={"length": rod},
            parameters={"length": 1.0, "push": 2.0},
        )  # fmt: skip
        return cl.Submodel(bob, link, prefix=name)

    sol = cl.simulate(cl.Model(swing("a"), swing("b"), pivot), 0.5, method=TIGHT)
    assert np.array_equal(sol["a.bob"].position, sol["b.bob"].position)
    # without weight the push alone turns the rod: phi_ddot = 2 cos(phi), energy 2 sin(phi)
    sine, u = sol["a.bob"].position[:, 1], sol["a.bob"].velocity
    assert np.abs((u**2).sum(axis=1) / 2.0 - 2.0 * sine).max() < 1e-11
    assert sol["a.link.length"].multiplier[0] == pytest.approx(0.0, abs=1e-12)
