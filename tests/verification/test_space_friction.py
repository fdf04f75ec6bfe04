"""Friction in the tangent plane: ellipses that turn with a body, Stribeck, rolling and drilling.

The law of an ellipse with the half axes mu_1 N, mu_2 N is -v in N_C(F): the force of sliding is the
point of the ellipse whose outer normal is against the sliding velocity,

    F_i = -N mu_i^2 v_i / sqrt(mu_1^2 v_1^2 + mu_2^2 v_2^2),

which is not against v itself. Paths are compared with this as a differential equation of the mass
point alone, integrated by scipy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp

import cornerlaw as cl

Floats = NDArray[np.float64]
G = 9.81
ALONG, ACROSS = 0.2, 0.5
FINE = cl.EventDriven(rtol=1e-11, atol=1e-13)
STEP = 1e-3
# event-driven to the tolerance of the integrator, time stepping to an error of the first order
ROADS = [pytest.param(FINE, True, id="events"), pytest.param(cl.Moreau(dt=STEP), False, id="steps")]
UP = (0.0, 0.0, 1.0)


def puck(**start: Any) -> tuple[cl.Body, cl.ContactPoint]:
    """Return a body that touches the plane z = 0 below its centre of mass, which is there too."""
    body = cl.Body("puck", mass=0.4, inertia=cl.inertia.sphere(0.4, 0.05), **start)
    return body, cl.ContactPoint("foot", body, at=(0.0, 0.0, 0.0))


def ellipse(first: Any, second: Any, on: str = "second", angle: float = 0.0) -> cl.Contact:
    """Return the contact with ALONG in the direction `angle` in the plane of that contour."""
    return cl.Contact(
        first, second, name="rub", mu=ALONG, mu_across=ACROSS,
        tangent=(math.cos(angle), math.sin(angle), 0.0), tangent_on=on,
    )  # fmt: skip


def run(*items: Any, t_end: float, method: Any = FINE, **options: Any) -> cl.Solution:
    model = cl.Model(*items, gravity=(0.0, 0.0, -G))
    return cl.simulate(model, t_end, method=method, progress=False, **options)


def friction(v: Floats, angle: float) -> Floats:
    """Return the force over N at the sliding velocity v, with ALONG in the direction `angle`."""
    c, s = math.cos(angle), math.sin(angle)
    axes = np.array([[c, -s], [s, c]])
    scaled = np.array([ALONG**2, ACROSS**2]) * (axes.T @ v)
    size = math.sqrt(scaled @ (axes.T @ v))
    return np.asarray(-(axes @ scaled) / size)


def path(
    start: Floats, v: Floats, times: Floats, turn: Callable[[float], float], table: float = 0.0
) -> Floats:
    """Return positions and velocities of a mass point on a plane that turns with `table`."""

    def rate(t: float, y: Floats) -> Floats:
        ground = table * np.array([-y[1], y[0]])
        return np.concatenate([y[2:], G * friction(y[2:] - ground, turn(t))])

    found = solve_ivp(
        rate, (0.0, times[-1]), np.concatenate([start, v]), method="DOP853", rtol=1e-13, atol=1e-14,
        t_eval=times,
    )  # fmt: skip
    return np.asarray(found.y.T)


ANGLES = [0.0, 0.4, 0.5 * math.pi, 2.0, 4.0]


@pytest.mark.parametrize("angle", ANGLES)
def test_force_of_sliding_lies_on_the_ellipse_and_its_normal_is_against_sliding(
    angle: float,
) -> None:
    v = np.array([math.cos(angle), math.sin(angle), 0.0])
    body, foot = puck(velocity=tuple(v))
    floor = cl.Ground("floor", normal=UP)
    sol = run(body, foot, floor, ellipse(foot, floor), t_end=0.15, t_eval=np.linspace(0, 0.15, 16))
    force, speed = sol["rub"].force, sol["puck"].velocity
    load = 0.4 * G
    assert force[:, 2] == pytest.approx(load, rel=1e-12)
    on = (force[:, 0] / (ALONG * load)) ** 2 + (force[:, 1] / (ACROSS * load)) ** 2
    assert on == pytest.approx(1.0, abs=1e-12)
    normal = np.column_stack([force[:, 0] / ALONG**2, force[:, 1] / ACROSS**2])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    ahead = speed[:, :2] / np.linalg.norm(speed[:, :2], axis=1)[:, None]
    assert np.abs(normal + ahead).max() < 1e-12
    # all other forces of the set do less work against the sliding: most dissipation
    around = np.linspace(0.0, 2.0 * math.pi, 721)
    others = load * np.column_stack([ALONG * np.cos(around), ACROSS * np.sin(around)])
    power = np.einsum("ti,ti->t", force[:, :2], speed[:, :2])
    assert (power[:, None] <= speed[:, :2] @ others.T + 1e-12).all()


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_a_puck_runs_on_the_path_of_its_ellipse_and_rests(
    method: Any, exact: bool, angle: float
) -> None:
    v = np.array([math.cos(angle), math.sin(angle)])
    body, foot = puck(velocity=(*v, 0.0))
    floor = cl.Ground("floor", normal=UP)
    # the equation ends where the speed does, before 1 / (0.2 g)
    times = np.linspace(0.0, 0.19, 20)
    sol = run(
        body, foot, floor, ellipse(foot, floor), t_end=0.6, t_eval=[*times, 0.6], method=method
    )
    expected = path(np.zeros(2), v, times, lambda _: 0.0)
    assert np.linalg.norm(expected[-1, 2:]) > 1e-3
    # steps: half a step of the acceleration, at most 0.5 g, in the velocity; its sum in the way
    allowed = (1e-8, 1e-8) if exact else (0.5 * G * STEP * 0.19, 0.5 * G * STEP)
    before = slice(0, len(times))
    assert np.abs(sol["puck"].position[before, :2] - expected[:, :2]).max() < allowed[0]
    assert np.abs(sol["puck"].velocity[before, :2] - expected[:, 2:]).max() < allowed[1]
    assert np.abs(sol["puck"].velocity[-1]).max() < 1e-12
    if angle % (0.5 * math.pi):
        # a circle would keep the direction
        turned = np.arctan2(*sol["puck"].velocity[19, 1::-1]) - np.arctan2(*v[::-1])
        assert abs((turned + math.pi) % (2.0 * math.pi) - math.pi) > 0.2


@pytest.mark.parametrize("angle", [0.3, 2.0])
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_an_ellipse_turns_with_the_plate_below(method: Any, exact: bool, angle: float) -> None:
    """On a turntable the sliding velocity is against the table, and the axes go round with it."""
    table, start = 5.0, np.array([0.1, 0.05])
    v = 1.5 * np.array([math.cos(angle), math.sin(angle)])
    body, foot = puck(position=(*start, 0.0), velocity=(*v, 0.0))
    plate = cl.MovingFrame("plate", angles=(0.0, 0.0, lambda t: table * t), normal=UP)
    times = np.linspace(0.0, 0.25, 26)
    contact = ellipse(foot, plate, angle=0.6)
    sol = run(body, foot, plate, contact, t_end=0.25, t_eval=times, method=method)
    expected = path(start, v, times, lambda t: 0.6 + table * t, table)
    slides = np.linalg.norm(expected[:, 2:] - table * expected[:, [1, 0]] * (-1.0, 1.0), axis=1)
    assert slides.min() > 0.05  # nothing sticks, so that there is one equation
    allowed = 1e-8 if exact else 0.5 * G * STEP * 0.25
    assert np.abs(sol["puck"].position[:, :2] - expected[:, :2]).max() < allowed
    still = path(start, v, times, lambda _: 0.6, table)
    assert np.abs(still[:, :2] - expected[:, :2]).max() > 5e-3


@pytest.mark.parametrize("spin", [12.0, -30.0])
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_an_ellipse_turns_with_the_body_above(method: Any, exact: bool, spin: float) -> None:
    """A skate that spins on level ground: no moment acts, so that its axes turn evenly."""
    v = np.array([1.2, 0.5])
    body, foot = puck(velocity=(*v, 0.0), angular_velocity=(0.0, 0.0, spin))
    floor = cl.Ground("floor", normal=UP)
    times = np.linspace(0.0, 0.25, 26)
    contact = ellipse(foot, floor, "first", 0.6)
    sol = run(body, foot, floor, contact, t_end=0.25, t_eval=times, method=method)
    expected = path(np.zeros(2), v, times, lambda t: 0.6 + spin * t)
    assert np.linalg.norm(expected[-1, 2:]) > 0.1
    allowed = 1e-8 if exact else 0.5 * G * STEP * 0.25
    assert np.abs(sol["puck"].position[:, :2] - expected[:, :2]).max() < allowed
    still = path(np.zeros(2), v, times, lambda _: 0.6)
    assert np.abs(still[:, :2] - expected[:, :2]).max() > 5e-3


@pytest.mark.parametrize("normal", [(1, 0, 0), (0, -1, 0), (0, 0, -1), (0.6, 0.0, 0.8), (1, 2, -2)])
@pytest.mark.parametrize("on", ["first", "second"])
@pytest.mark.parametrize("base", ["body", "frame"])
def test_a_tangent_is_given_in_the_axes_a_contour_sits_on(
    normal: tuple[float, ...], on: str, base: str
) -> None:
    """Not in the axes its own normal or axis makes: x of a plane whose normal is x has none."""
    n = np.array(normal) / np.linalg.norm(normal)
    given = np.array([0.48, 0.6, 0.64])
    turned = np.array(cl.rotation.about((0.0, 0.0, 1.0), 0.5 * math.pi))
    body = cl.Body("roll", mass=1.0, inertia=(1.0, 1.0, 1.0), position=tuple(0.1 * n))
    ground = cl.Ground("ground")
    operand: Any = body if on == "first" else ground
    frame = cl.Frame("frame", operand, rotation=cl.rotation.about((0.0, 0.0, 1.0), 0.5 * math.pi))
    mounts = {"first": body, "second": ground} | ({on: frame} if base == "frame" else {})
    # what a wheel of that axis and a wall of that normal are given in the turned axes
    way = [n if side is not frame else turned.T @ n for side in mounts.values()]
    side = np.cross(n, (0.36, 0.48, 0.8))
    lies = side if mounts["first"] is not frame else turned.T @ side
    skin = cl.Cylinder("skin", mounts["first"], radius=0.1, length=0.3, axis=tuple(lies))
    wall = cl.Plane("wall", mounts["second"], normal=tuple(way[1]))
    contact = cl.Contact(
        skin, wall, name="rub", mu=0.2, mu_across=0.4, tangent=tuple(given), tangent_on=on
    )
    sol = cl.simulate(
        cl.Model(ground, frame, body, skin, wall, contact, gravity=tuple(-G * n)), 1e-3,
        method=cl.Moreau(dt=1e-3), progress=False,
    )  # fmt: skip
    world = turned @ given if base == "frame" else given
    expected = world - (world @ n) * n
    for point in (name for name in sol.parts if name.startswith("rub[")):
        if sol[point].lam_N[-1] > 0.0:
            found = sol[point].tangent[-1]
            assert found == pytest.approx(expected / np.linalg.norm(expected), abs=1e-12)


def grip(angle: float) -> float:
    """Return the largest force over N that holds in a direction against the one of ALONG."""
    return 1.0 / math.hypot(math.cos(angle) / ALONG, math.sin(angle) / ACROSS)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_what_sticks_on_a_slope_depends_on_its_direction(
    method: Any, exact: bool, angle: float
) -> None:
    """tan(slope) against the radius of the ellipse in the direction of the fall, within 0.1 %."""
    for share, holds in ((0.999, True), (1.001, False)):
        slope = math.atan(share * grip(angle))
        fall, n = np.array([math.cos(slope), 0.0, -math.sin(slope)]), (math.sin(slope), 0.0)
        tangent = math.cos(angle) * fall + (0.0, math.sin(angle), 0.0)
        plane = cl.Ground("plane", normal=(*n, math.cos(slope)))
        body, foot = puck()
        contact = cl.Contact(foot, plane, mu=ALONG, mu_across=ACROSS, tangent=tuple(tangent))
        sol = run(body, foot, plane, contact, t_end=0.2, method=method)
        moved = float(np.linalg.norm(sol["puck"].position[-1]))
        if holds:
            assert moved < 1e-12
        else:
            assert moved > 1e-6


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_what_rides_on_a_turntable_is_held_by_the_ellipse_that_turns_with_it(
    method: Any, exact: bool, angle: float
) -> None:
    """Omega^2 r = g times the radius of the ellipse in the direction to the axis.

    After half a turn that direction is another one in space and the same in the table. A time step
    goes straight on where the table turns: outward by r (Omega dt)^2 / 2, 0.9 % in all, so that the
    limit is looked for within 3 % there.
    """
    table, t_end, near = 5.0, 0.7, 1e-3 if exact else 0.03
    for share, holds in ((1.0 - near, True), (1.0 + near, False)):
        r = share * G * grip(angle) / table**2
        body, foot = puck(position=(r, 0.0, 0.0), velocity=(0.0, table * r, 0.0))
        plate = cl.MovingFrame("plate", angles=(0.0, 0.0, lambda t: table * t), normal=UP)
        sol = run(body, foot, plate, ellipse(foot, plate, angle=angle), t_end=t_end, method=method)
        drift = 0.0 if exact else 0.5 * r * table**2 * STEP * t_end
        end = sol["puck"].position[-1, :2] @ (1.0, 1.0j) * np.exp(-1j * table * t_end)
        if holds:
            # a chord is shorter than its arc by the third power of the angle
            assert abs(end - r - drift) < (1e-9 if exact else 0.05 * drift)
        else:
            assert abs(end) - r > max(1e-4, 2.0 * drift)


STRIBECK = cl.Stribeck(static=0.5, kinetic=0.2, velocity=0.15, viscous=0.02)


def coefficient(v: float) -> float:
    """Return the Stribeck curve as its definition says."""
    return 0.2 + 0.3 * math.exp(-((v / 0.15) ** STRIBECK.exponent)) + 0.02 * v


@pytest.mark.parametrize("angle", [0.0, 0.7, 3.6])
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_a_block_slides_to_its_stop_under_a_stribeck_curve(
    method: Any, exact: bool, angle: float
) -> None:
    """Time and way are integrals of dv / (mu(v) g) and v dv / (mu(v) g), in any direction."""
    fast, slow = 1.0, 0.05
    way = np.array([math.cos(angle), math.sin(angle), 0.0])
    body, foot = puck(velocity=tuple(fast * way))
    floor = cl.Ground("floor", normal=UP)
    contact = cl.Contact(foot, floor, name="rub", mu=STRIBECK)

    def integral(power: int, low: float) -> float:
        found = quad(lambda v: v**power / (coefficient(v) * G), low, fast, epsabs=1e-13, limit=200)
        return float(found[0])

    until, end = integral(0, slow), integral(0, 0.0)
    sol = run(
        body, foot, floor, contact, t_end=1.2 * end, t_eval=[0.0, until, 1.2 * end], method=method
    )
    # a step takes mu at its start: its error is below that of a constant deceleration mu_0 g, a
    # step late, over the whole way
    late = STEP * 0.5 * G
    speed = sol["puck"].velocity[1] @ way
    assert speed == pytest.approx(slow, abs=1e-9 if exact else late)
    moved = sol["puck"].position[-1]
    assert moved @ way == pytest.approx(integral(1, 0.0), abs=1e-9 if exact else late * end)
    assert abs(moved @ (-way[1], way[0], 0.0)) < 1e-12
    assert np.abs(sol["puck"].velocity[-1]).max() < 1e-12
    if exact:
        (stop,) = [event.time for event in sol.events if event.kind == "stick"]
        assert stop == pytest.approx(end, abs=1e-9)


RADIUS, MASS, ARM = 0.05, 0.3, 0.002


def ball(**start: Any) -> tuple[cl.Body, cl.Sphere, cl.Ground]:
    """Return a solid ball on the floor."""
    body = cl.Body(
        "ball", inertia=cl.inertia.sphere(MASS, RADIUS), position=(0.0, 0.0, RADIUS), **start
    )
    return body, cl.Sphere("skin", body, radius=RADIUS), cl.Ground("floor", normal=UP)


def last_stick(sol: cl.Solution) -> float:
    return float([event.time for event in sol.events if event.kind == "stick"][-1])


@pytest.mark.parametrize("angle", [0.0, 2.3])
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_a_ball_that_rolls_stops_by_its_rolling_resistance(
    method: Any, exact: bool, angle: float
) -> None:
    """m v' = -F and J v' / r = F r - f m g: v' = -5/7 (f / r) g, until v = 0."""
    v = 0.6
    way = np.array([math.cos(angle), math.sin(angle), 0.0])
    turn = np.cross(UP, v * way) / RADIUS
    body, skin, floor = ball(velocity=tuple(v * way), angular_velocity=tuple(turn))
    contact = cl.Contact(skin, floor, name="rub", mu=0.4, rolling=ARM)
    slower = 5.0 / 7.0 * ARM / RADIUS * G
    end = v / slower
    times = [0.0, 0.5 * end, 1.2 * end]
    sol = run(body, skin, floor, contact, t_end=1.2 * end, t_eval=times, method=method)
    # constant deceleration: steps are exact but for the one in which the ball stops
    error = 1e-9 if exact else slower * STEP * end
    moved = sol["ball"].position[-1]
    assert moved @ way == pytest.approx(0.5 * v * end, abs=error)
    assert abs(moved @ (-way[1], way[0], 0.0)) < 1e-10
    assert sol["ball"].velocity[1] @ way == pytest.approx(0.5 * v, abs=1e-9 if exact else 1e-4)
    assert sol["rub"].force[1, :2] @ way[:2] == pytest.approx(-MASS * slower, rel=1e-8)
    assert np.abs(sol["ball"].velocity[-1]).max() < 1e-12
    assert np.abs(sol["ball"].angular_velocity[-1]).max() < 1e-10
    if exact:
        assert last_stick(sol) == pytest.approx(end, abs=1e-9)


@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_a_ball_thrown_without_spin_slides_rolls_and_stops(method: Any, exact: bool) -> None:
    """While it slides the slip falls with 7/2 mu g - 5/2 (f / r) g: the resistance holds it back.

    So sliding lasts longer than without, 2 v / (7 mu g).
    """
    v, mu, arm = 1.0, 0.3, 0.01
    body, skin, floor = ball(velocity=(v, 0.0, 0.0))
    contact = cl.Contact(skin, floor, name="rub", mu=mu, rolling=arm)
    rolls = v / ((3.5 * mu - 2.5 * arm / RADIUS) * G)
    rest = v - mu * G * rolls
    slower = 5.0 / 7.0 * arm / RADIUS * G
    end, way = rolls + rest / slower, 0.5 * (v + rest) * rolls + 0.5 * rest**2 / slower
    sol = run(
        body, skin, floor, contact, t_end=1.1 * end, t_eval=[0.0, rolls, 1.1 * end], method=method
    )
    late = mu * G * STEP
    assert sol["ball"].velocity[1, 0] == pytest.approx(rest, abs=1e-9 if exact else late)
    assert sol["ball"].position[-1, 0] == pytest.approx(way, abs=1e-9 if exact else late * end)
    assert np.abs(sol["ball"].velocity[-1]).max() < 1e-12


@pytest.mark.parametrize("share", [0.999, 1.001])
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_rolling_resistance_holds_a_ball_on_a_slope(method: Any, exact: bool, share: float) -> None:
    """Up to tan(slope) = f / r."""
    slope = math.atan(share * ARM / RADIUS)
    n = np.array([math.sin(slope), 0.0, math.cos(slope)])
    body = cl.Body("ball", inertia=cl.inertia.sphere(MASS, RADIUS), position=tuple(RADIUS * n))
    skin = cl.Sphere("skin", body, radius=RADIUS)
    plane = cl.Ground("plane", normal=tuple(n))
    contact = cl.Contact(skin, plane, mu=0.4, rolling=ARM)
    sol = run(body, skin, plane, contact, t_end=1.0, method=method)
    moved = float(np.linalg.norm(sol["ball"].position[-1] - sol["ball"].position[0]))
    # just above, it rolls with 5/7 g times what is left of the slope
    left = 5.0 / 7.0 * G * (math.sin(slope) - ARM / RADIUS * math.cos(slope))
    expected = max(0.0, 0.5 * left)
    assert moved == pytest.approx(expected, abs=1e-12, rel=1e-6 if exact else 2.0 * STEP)


@pytest.mark.parametrize(("mu", "lever"), [(0.0, 1.0), (0.4, 0.4)], ids=["alone", "friction"])
@pytest.mark.parametrize(("method", "exact"), ROADS)
def test_a_ball_that_spins_about_the_normal_stops_by_drilling(
    method: Any, exact: bool, mu: float, lever: float
) -> None:
    """J w' = -T with T = d N without friction and mu d N with it: w falls evenly."""
    spin, d = 8.0, 0.003
    body, skin, floor = ball(angular_velocity=(0.0, 0.0, spin))
    contact = cl.Contact(skin, floor, name="rub", mu=mu, drilling=d)
    slower = lever * d * G / (0.4 * RADIUS**2)
    end = spin / slower
    times = [0.0, 0.5 * end, 1.2 * end]
    sol = run(body, skin, floor, contact, t_end=1.2 * end, t_eval=times, method=method)
    w = sol["ball"].angular_velocity[:, 2]
    assert w[1] == pytest.approx(0.5 * spin, abs=1e-9 if exact else slower * STEP)
    assert abs(w[-1]) < 1e-12
    turned = math.atan2(sol["ball"].rotation[-1, 1, 0], sol["ball"].rotation[-1, 0, 0])
    error = (turned - 0.5 * spin * end + math.pi) % (2.0 * math.pi) - math.pi
    assert abs(error) < (1e-9 if exact else slower * STEP * end)
    assert np.abs(sol["ball"].velocity).max() < 1e-12
    if exact:
        assert last_stick(sol) == pytest.approx(end, abs=1e-9)
