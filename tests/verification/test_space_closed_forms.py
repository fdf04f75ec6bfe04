"""Motions with friction and impacts in space whose end is known in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81
FINE = cl.EventDriven(rtol=1e-11, atol=1e-13)


def floor() -> cl.Ground:
    return cl.Ground("floor", normal=(0.0, 0.0, 1.0))


def ball(radius: float = 0.05, mass: float = 0.3, **start: Any) -> tuple[cl.Body, cl.Sphere]:
    """Return a solid ball that touches the floor unless `start` says otherwise."""
    start.setdefault("position", (0.0, 0.0, radius))
    body = cl.Body("ball", inertia=cl.inertia.sphere(mass, radius), **start)
    return body, cl.Sphere("skin", body, radius=radius)


def run(*items: Any, t_end: float, method: Any = FINE, **options: Any) -> cl.Solution:
    model = cl.Model(*items, gravity=(0.0, 0.0, -G))
    return cl.simulate(model, t_end, method=method, progress=False, **options)


def stick_time(sol: cl.Solution) -> float:
    """Return when the last contact began to stick."""
    return float([event.time for event in sol.events if event.kind == "stick"][-1])


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_sphere_slides_and_then_rolls(angle: float) -> None:
    """t* = 2 v / (7 mu g) and 5/7 v, in whatever direction it is thrown."""
    v, mu = 2.0, 0.3
    way = np.array([math.cos(angle), math.sin(angle), 0.0])
    body, skin = ball(velocity=tuple(v * way))
    ground = floor()
    sol = run(body, skin, ground, cl.Contact(skin, ground, mu=mu), t_end=0.5)
    assert stick_time(sol) == pytest.approx(2.0 * v / (7.0 * mu * G), abs=1e-9)
    assert sol["ball"].velocity[-1] == pytest.approx(5.0 / 7.0 * v * way, abs=1e-9)


def test_cylinder_slides_and_then_rolls() -> None:
    """t* = v / (3 mu g) and 2/3 v."""
    v, mu, radius = 2.0, 0.3, 0.05
    body = cl.Body(
        "roll", inertia=cl.inertia.cylinder(0.4, radius, 0.2), position=(0.0, 0.0, radius),
        rotation=cl.rotation.about((1.0, 0.0, 0.0), 0.5 * math.pi), velocity=(v, 0.0, 0.0),
    )  # fmt: skip
    skin = cl.Cylinder("skin", body, radius=radius, length=0.2)
    ground = floor()
    sol = run(body, skin, ground, cl.Contact(skin, ground, mu=mu), t_end=0.5)
    assert stick_time(sol) == pytest.approx(v / (3.0 * mu * G), abs=1e-9)
    assert sol["roll"].velocity[-1] == pytest.approx([2.0 / 3.0 * v, 0.0, 0.0], abs=1e-9)


def test_ball_on_a_turntable_runs_on_a_circle() -> None:
    """Its centre goes round with 2/7 of the table's angular velocity about a point of its own."""
    radius, turn, start, v = 0.02, 6.0, 0.25, 0.4
    # rolling: v + r e_z x omega = Omega e_z x r_C
    missing = np.array([0.0, turn * start - v, 0.0])
    omega = -np.cross([0.0, 0.0, 1.0], missing) / radius
    body, skin = ball(
        radius, position=(start, 0.0, radius), velocity=(0.0, v, 0.0), angular_velocity=tuple(omega)
    )
    table = cl.MovingFrame("table", angles=(0.0, 0.0, lambda t: turn * t), normal=(0.0, 0.0, 1.0))
    sol = run(body, skin, table, cl.Contact(skin, table, mu=0.4), t_end=1.0)
    rate = 2.0 / 7.0 * turn
    z = start - v / rate * (1.0 - np.exp(1j * rate * sol.t))
    found = sol["ball"].position[:, :2] @ [1.0, 1.0j]
    assert np.abs(found - z).max() < 1e-9


@pytest.mark.parametrize("share", [0.5, 1.0, 2.0])
def test_disc_stops_to_slide_and_to_spin_at_once(share: float) -> None:
    """J = m r^2 on the ellipsoid: sqrt(v^2 + (r omega)^2) falls with mu g, in one direction."""
    v, mu, r, mass = 1.0, 0.2, 0.1, 0.5
    spin, moment = share * v / r, mass * r * r
    body = cl.Body(
        "disc", mass=mass, inertia=(0.5 * moment, 0.5 * moment, moment), velocity=(v, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, spin),
    )  # fmt: skip
    point = cl.ContactPoint("middle", body, at=(0.0, 0.0, 0.0))
    ground = floor()
    contact = cl.Contact(point, ground, mu=mu, drilling=r)
    end = math.hypot(v, r * spin) / (mu * G)
    sol = run(body, point, ground, contact, t_end=1.1 * end)
    assert stick_time(sol) == pytest.approx(end, abs=1e-9)
    moving = sol.t < 0.999 * end
    ratio = r * sol["disc"].angular_velocity[moving, 2] / sol["disc"].velocity[moving, 0]
    assert ratio == pytest.approx(share, abs=1e-9)
    assert np.abs(sol["disc"].velocity[-1]).max() < 1e-12
    assert np.abs(sol["disc"].angular_velocity[-1]).max() < 1e-10


def box_on(angle: float, mu: float, t_end: float, method: Any) -> tuple[float, float]:
    """Return how far a box with b / h = 0.4 has moved down a slope, and turned."""
    size = (0.2, 0.3, 0.5)
    n = math.sin(angle), 0.0, math.cos(angle)
    body = cl.Body(
        "box", inertia=cl.inertia.box(1.0, size), position=(0.25 * n[0], 0.0, 0.25 * n[2]),
        rotation=cl.rotation.about((0.0, 1.0, 0.0), angle),
    )  # fmt: skip
    hull = cl.Box("hull", body, size=size)
    slope = cl.Ground("slope", normal=n)
    sol = run(body, hull, slope, cl.Contact(hull, slope, mu=mu), t_end=t_end, method=method)
    moved = sol["box"].position[-1] - sol["box"].position[0]
    A = sol["box"].rotation[-1]
    return float(moved @ [n[2], 0.0, -n[0]]), math.atan2(A[0, 2], A[2, 2]) - angle


ROADS = {"stepping": cl.Moreau(dt=1e-3), "events": cl.EventDriven()}


@pytest.mark.parametrize("road", ROADS)
def test_box_slides_tips_or_stays(road: str) -> None:
    """It slides if tan(alpha) > mu < b / h, tips if tan(alpha) > b / h < mu, else stays."""
    method, t_end = ROADS[road], 0.3
    below, above = math.atan(0.4) - 1e-3, math.atan(0.4) + 1e-3
    moved, turned = box_on(below, 0.5, t_end, method)
    assert abs(moved) < 1e-12 and abs(turned) < 1e-12
    # tips: a pendulum that falls from 1e-3 rad, phi'' = 3 g / (4 R) phi
    moved, turned = box_on(above, 0.5, t_end, method)
    rate = math.sqrt(0.75 * G / math.hypot(0.1, 0.25))
    assert turned == pytest.approx(1e-3 * (math.cosh(rate * t_end) - 1.0), rel=1e-4)
    # slides: mu below both
    angle = math.atan(0.3) + 1e-3
    moved, turned = box_on(angle, 0.3, t_end, method)
    a = G * (math.sin(angle) - 0.3 * math.cos(angle))
    assert abs(turned) < 1e-12
    assert moved == pytest.approx(0.5 * a * t_end**2, rel=1e-2 if road == "stepping" else 1e-9)
    moved, turned = box_on(math.atan(0.3) - 1e-3, 0.3, t_end, method)
    assert abs(moved) < 1e-12 and abs(turned) < 1e-12


def dropped(height: float, **start: Any) -> list[Any]:
    """Return a ball whose lowest point is `height` above the floor, e = 0.8."""
    body, skin = ball(position=(0.0, 0.0, 0.05 + height), **start)
    ground = floor()
    return [body, skin, ground, cl.Contact(skin, ground, name="bounce", eps_N=0.8)]


def test_apex_of_a_sphere_is_the_square_of_restitution() -> None:
    fall = math.sqrt(2.0 / G)
    top = fall + 0.8 * fall
    sol = run(*dropped(1.0), t_end=top, t_eval=[0.0, top])
    assert sol["ball"].position[-1, 2] - 0.05 == pytest.approx(0.64, abs=1e-6)


@pytest.mark.parametrize("dt", [1e-2, 1e-3, 3.7e-4])
def test_restitution_of_a_sphere_holds_for_any_step(dt: float) -> None:
    sol = run(*dropped(0.3), t_end=0.3, method=cl.Moreau(dt=dt))
    hit = next(event for event in sol.events if event.kind == "impact")
    before, after = (float(hit.data[key]) for key in ("gamma_N_minus", "gamma_N_plus"))
    assert before < -2.0
    assert after / before == pytest.approx(-0.8, abs=1e-12)


def test_super_ball_turns_its_spin_around() -> None:
    """With e_N = e_T = 1 the slip s = v - r omega_y turns into -s (Garwin 1969)."""
    radius, v, spin = 0.05, 1.5, -30.0
    body, skin = ball(
        radius, position=(0.0, 0.0, radius + 1e-3), velocity=(v, 0.0, -4.0),
        angular_velocity=(0.0, spin, 0.0),
    )  # fmt: skip
    ground = floor()
    contact = cl.Contact(skin, ground, mu=2.0, eps_N=1.0, eps_T=1.0)
    sol = run(
        body, skin, ground, contact, t_end=1e-3, method=cl.EventDriven(impact=cl.NewtonBoth())
    )
    slip = v - radius * spin
    assert sol["ball"].velocity[-1, 0] == pytest.approx(v - 4.0 / 7.0 * slip, abs=1e-12)
    assert sol["ball"].angular_velocity[-1, 1] == pytest.approx(
        spin + 10.0 / 7.0 * slip / radius, abs=1e-10
    )


def torus_run(floor_of: Any, upright: bool, method: Any) -> tuple[Any, Any]:
    """Return end position and sum of the forces of a torus that rolls, or lies and slides."""
    turn = cl.rotation.about((1.0, 0.0, 0.0), math.pi / 2.0 if upright else 0.0)
    R, r, mass = 0.06, 0.02, 0.4
    across = mass * (5.0 * r * r / 8.0 + R * R / 2.0)
    body = cl.Body(
        "torus", mass=mass, inertia=(across, across, mass * (R * R + 0.75 * r * r)), rotation=turn,
        position=(0.0, 0.0, R + r if upright else r), velocity=(0.4, 0.05, 0.0),
    )  # fmt: skip
    base, shape = floor_of()
    skin = cl.Torus("skin", body, radius=R, section=r)
    contact = cl.Contact(skin, shape, name="contact", mu=0.3)
    items = [base] if base is shape else [base, shape]
    model = cl.Model(*items, body, skin, contact, gravity=(0.0, 0.0, -G))
    sol = cl.simulate(model, 0.3, method=method, progress=False)
    return np.asarray(sol["torus"].position)[-1], np.asarray(sol["contact"].force)[-1]


@pytest.mark.parametrize("kind", ["box", "polyhedron"])
@pytest.mark.parametrize("upright", [True, False])
@pytest.mark.parametrize("method", [FINE, cl.Moreau(dt=1e-3)], ids=["events", "stepping"])
def test_torus_moves_on_a_slab_as_on_a_plane(kind: str, upright: bool, method: Any) -> None:
    def ground() -> Any:
        plane = floor()
        return plane, plane

    def slab() -> Any:
        base = cl.Ground("base")
        if kind == "box":
            return base, cl.Box("slab", base, size=(2.0, 2.0, 0.2), at=(0.0, 0.0, -0.1))
        corners = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-0.2, 0.0)]
        return base, cl.Polyhedron("slab", base, vertices=tuple(corners))

    on_plane, on_slab = (torus_run(make, upright, method) for make in (ground, slab))
    assert np.abs(on_slab[0] - on_plane[0]).max() < 1e-9
    assert np.abs(on_slab[1] - on_plane[1]).max() < 1e-6 * G
    assert on_plane[0][0] > 0.02
