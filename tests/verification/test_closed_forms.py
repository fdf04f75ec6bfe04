"""Twenty-five models beside their closed forms: motions to 1e-8, times of events to 1e-6."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import cornerlaw as cl

G = 9.81
GROUND = cl.Ground()
TIGHT = cl.RungeKutta8(rtol=1e-11, atol=1e-13)
EXACT = cl.EventDriven(rtol=1e-11, atol=1e-13)
Case = tuple[cl.Model, float, str, Callable[[Any], Any]]


def slider(name: str = "m", **options: Any) -> Any:
    return cl.Slider(name, **{"mass": 1.0, **options})


# motions: model, end of the run, channel, its closed form over time


def free_fall() -> Case:
    ball = cl.PointMass("m", mass=2.0, position=(0.0, 5.0), velocity=(1.0, 2.0))
    model = cl.Model(ball, gravity=(0.0, -G))
    return model, 2.0, "m.position.y", lambda t: 5.0 + 2.0 * t - 0.5 * G * t**2


def oscillator() -> Case:
    mass = slider(position=0.3)
    spring = cl.Torque("spring", mass, value=lambda t, q, u: -25.0 * q)
    return cl.Model(mass, spring), 3.0, "m.position", lambda t: 0.3 * np.cos(5.0 * t)


def damped() -> Case:
    mass = slider(position=1.0)
    spring = cl.Torque("spring", mass, value=lambda t, q, u: -26.0 * q - 2.0 * u)
    closed = lambda t: np.exp(-t) * (np.cos(5.0 * t) + 0.2 * np.sin(5.0 * t))  # noqa: E731
    return cl.Model(mass, spring), 3.0, "m.position", closed


def resonance() -> Case:
    mass = slider()
    push = cl.Torque("push", mass, value=lambda t, q, u: math.sin(3.0 * t) - 9.0 * q)
    closed = lambda t: (np.sin(3.0 * t) - 3.0 * t * np.cos(3.0 * t)) / 18.0  # noqa: E731
    return cl.Model(mass, push), 6.0, "m.position", closed


def beats() -> Case:
    """Two masses, three equal springs: the sum and the difference swing by themselves."""
    a, b = slider("a", position=1.0), slider("b")
    first = cl.Torque("first", a, value=lambda t, q, u: -4.0 * q)
    second = cl.Torque("second", b, value=lambda t, q, u: -4.0 * q)
    between = cl.ForceElement("between", coordinates=("a.position", "b.position"), law=_between)
    closed = lambda t: 0.5 * (np.cos(2.0 * t) + np.cos(math.sqrt(12.0) * t))  # noqa: E731
    return cl.Model(a, b, first, second, between), 4.0, "a.position", closed


def _between(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = 4.0 * (q[1] - q[0])
    Q[1] = 4.0 * (q[0] - q[1])


def pendulum() -> Case:
    """Released at 2 rad: sin(angle / 2) = k sn(K - w t)."""
    bob = cl.Body("bob", mass=1.0, com=(0.0, -1.0))
    pin = cl.Revolute("pin", GROUND, bob, angle=2.0)
    k, w = math.sin(1.0), math.sqrt(G)
    closed = lambda t: 2.0 * np.arcsin(k * ellipj(ellipk(k * k) - w * t, k * k)[0])  # noqa: E731
    return cl.Model(pin, gravity=(0.0, -G)), 3.0, "pin.angle", closed


def rotating_pendulum() -> Case:
    """Once over the top and on: angle = 2 am(w0 t / 2, k)."""
    bob = cl.Body("bob", mass=1.0, com=(0.0, -1.0))
    pin = cl.Revolute("pin", GROUND, bob, speed=8.0)
    m = 4.0 * G / 64.0
    return (cl.Model(pin, gravity=(0.0, -G)), 3.0, "pin.angle",
            lambda t: 2.0 * ellipj(4.0 * t, m)[3])  # fmt: skip


def compound() -> Case:
    """A rod at its end, with small swings of the linear law replaced by a torsion spring."""
    rod = cl.Body("rod", mass=3.0, inertia=0.25, com=(0.5, 0.0))
    pin = cl.Revolute("pin", GROUND, rod, angle=0.4)
    spring = cl.TorsionSpring("spring", pin, stiffness=16.0)
    return cl.Model(pin, spring), 2.0, "pin.angle", lambda t: 0.4 * np.cos(4.0 * t)


def screw() -> Case:
    """A nut falls along a screw that moves it by h per radian: a = g / (1 + I / (m h^2))."""
    nut = cl.Body("nut", mass=2.0, inertia=(0.1, 0.1, 0.1))
    thread = cl.Screw("thread", GROUND, nut, axis=(0.0, 0.0, 1.0), pitch=0.5)
    model = cl.Model(thread, gravity=(0.0, 0.0, -G))
    a = G / (1.0 + 0.1 / (2.0 * 0.5**2))
    return model, 2.0, "nut.position.z", lambda t: -0.5 * a * t**2


def orbit() -> Case:
    """An ellipse of eccentricity 0.3 around a centre: Kepler's equation."""
    planet = cl.PointMass("m", mass=1.0, position=(0.7, 0.0), velocity=(0.0, math.sqrt(1.3 / 0.7)))
    pull = cl.Force("pull", planet, value=_gravitation)

    def closed(t: Any) -> Any:
        E = np.array(t)
        for _ in range(60):
            E = E - (E - 0.3 * np.sin(E) - t) / (1.0 - 0.3 * np.cos(E))
        return np.cos(E) - 0.3

    return cl.Model(planet, pull), 6.0, "m.position.x", closed


def _gravitation(t, r, v):  # type: ignore[no-untyped-def]
    d = (r[0] ** 2 + r[1] ** 2) ** 1.5
    return (-r[0] / d, -r[1] / d)


def free_top() -> Case:
    """A symmetric body without moments: its cross velocities turn at (C - A) / A times the spin."""
    top = cl.Body("top", mass=1.0, inertia=(1.0, 1.0, 1.5), angular_velocity=(0.3, 0.0, 4.0))
    # seen in the world the axis goes around the angular momentum L with |L| / A
    L = np.array([0.3, 0.0, 6.0])
    size = float(np.linalg.norm(L))
    axis = L / size

    def closed(t: Any) -> Any:
        a = size * np.asarray(t)
        e = np.array([0.0, 0.0, 1.0])
        along = (e @ axis) * axis
        return (along + np.cos(a)[:, None] * (e - along)
                + np.sin(a)[:, None] * np.cross(axis, e))[:, 0]  # fmt: skip

    return cl.Model(top), 3.0, "top.rotation", closed


def euler_top() -> Case:
    """Three different inertias: omega_2 is an elliptic sine."""
    A, B, C = 1.0, 1.4, 1.9
    w1, w3 = 0.4, 2.0
    top = cl.Body("top", mass=1.0, inertia=(A, B, C), angular_velocity=(w1, 0.0, w3))
    T2, L2 = A * w1**2 + C * w3**2, (A * w1) ** 2 + (C * w3) ** 2
    rate = math.sqrt((C - B) * (L2 - T2 * A) / (A * B * C))
    m = (B - A) * (T2 * C - L2) / ((C - B) * (L2 - T2 * A))
    size = math.sqrt((T2 * C - L2) / (B * (C - B)))
    return cl.Model(top), 4.0, "spin 2", lambda t: size * ellipj(rate * t, m)[0]


def rolling() -> Case:
    """A disc without slip down a slope of 0.3: a = 2/3 g sin."""
    disc = cl.Disk("m", mass=2.0, radius=0.2, position=(0.0, 0.2))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(floor, disc, cl.Contact(disc, floor, mu=2.0),
                     gravity=(G * math.sin(0.3), -G * math.cos(0.3)))  # fmt: skip
    return model, 1.0, "m.position.x", lambda t: G * math.sin(0.3) / 3.0 * t**2


def terminal_speed() -> Case:
    """Square drag: v = v_inf tanh(g t / v_inf)."""
    mass = slider()
    drag = cl.Torque("drag", mass, value=lambda t, q, u: G - 0.1 * u * abs(u))
    end = math.sqrt(G / 0.1)
    return cl.Model(mass, drag), 3.0, "m.velocity", lambda t: end * np.tanh(G * t / end)


MOTIONS = (free_fall, oscillator, damped, resonance, beats, pendulum, rotating_pendulum, compound,
           screw, orbit, free_top, euler_top, rolling, terminal_speed)  # fmt: skip


def channel(sol: cl.Solution, name: str) -> Any:
    """Return a channel; the third column of a rotation, or a spin in body axes, by their names."""
    if name == "top.rotation":
        return np.asarray(sol[name])[:, 0, 2]
    if name == "spin 2":
        return np.einsum("nij,nj->ni", np.swapaxes(np.asarray(sol["top.rotation"]), 1, 2),
                         np.asarray(sol["top.angular_velocity"]))[:, 1]  # fmt: skip
    return np.asarray(sol[name])


@pytest.mark.trust("TR-N-23")
@pytest.mark.parametrize("build", MOTIONS, ids=lambda build: build.__name__)
def test_motions(build: Callable[[], Case]) -> None:
    model, t_end, name, closed = build()
    method = EXACT if model.contacts else TIGHT
    sol = cl.simulate(model, t_end, method=method, progress=False)
    expected = closed(sol.t)
    assert np.abs(channel(sol, name) - expected).max() <= 1e-8 * np.abs(expected).max()


# events: model, end of the run, kind, the times of the first of them


def bouncing() -> Any:
    ball = cl.Disk("m", mass=1.0, radius=0.1, position=(0.0, 1.1))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(floor, ball, cl.Contact(ball, floor, eps_N=0.7), gravity=(0.0, -G))
    first = math.sqrt(2.0 / G)
    return model, 2.0, "impact", [first, first * 2.4, first * (2.4 + 2.0 * 0.49)]


def between_walls() -> Any:
    """Without losses between two stops: v = 2 m/s over 0.5 m."""
    mass = slider(velocity=2.0)
    model = cl.Model(mass, cl.Limit("stops", mass, lower=-0.25, upper=0.25, eps_N=1.0))
    return model, 1.0, "impact", [0.125, 0.375, 0.625, 0.875]


def swinging_stop() -> Any:
    """An oscillator with a stop at half its amplitude: cos(4 t) = -1/2."""
    mass = slider(position=1.0)
    spring = cl.Torque("spring", mass, value=lambda t, q, u: -16.0 * q)
    model = cl.Model(mass, spring, cl.Limit("stop", mass, lower=-0.5, eps_N=0.0))
    return model, 0.8, "impact", [math.acos(-0.5) / 4.0]


def rope() -> Any:
    """A mass thrown up under a rope of 3 m from below: it pulls at 3 m."""
    mass = cl.PointMass("m", mass=1.0, velocity=(0.0, 8.0))
    tie = cl.Rope("rope", GROUND, mass, length=3.0, eps_N=0.2)
    model = cl.Model(mass, tie, gravity=(0.0, -G))
    return model, 0.6, "impact", [(8.0 - math.sqrt(64.0 - 2.0 * G * 3.0)) / G]


def backlash() -> Any:
    a, b = cl.Rotor("a", inertia=1.0, speed=2.0), cl.Rotor("b", inertia=3.0)
    model = cl.Model(a, b, cl.Backlash("play", a, b, gap=0.3, eps_N=0.5))
    # from the middle of the play; afterwards the faces part with half the speed over the whole play
    return model, 1.0, "impact", [0.075, 0.075 + 0.3]


def braking() -> Any:
    rotor = cl.Rotor("m", inertia=2.0, speed=5.0)
    model = cl.Model(rotor, cl.Brake("brake", rotor, capacity=4.0))
    return model, 4.0, "stick", [2.5]


def sliding_block() -> Any:
    block = cl.PointMass("m", mass=1.5, velocity=(3.0, 0.0))
    tip, floor = cl.ContactPoint("tip", block), cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(block, tip, floor, cl.Contact(tip, floor, mu=0.4), gravity=(0.0, -G))
    return model, 1.5, "stick", [3.0 / (0.4 * G)]


def sliding_disc() -> Any:
    """A disc without spin begins to roll after v / (3 mu g)."""
    disc = cl.Disk("m", mass=2.0, radius=0.2, position=(0.0, 0.2), velocity=(3.0, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(floor, disc, cl.Contact(disc, floor, mu=0.25), gravity=(0.0, -G))
    return model, 1.0, "stick", [3.0 / (3.0 * 0.25 * G)]


def sliding_ball() -> Any:
    """A ball in space: 2 v / (7 mu g)."""
    body = cl.Body("m", inertia=cl.inertia.sphere(1.0, 0.1), position=(0.0, 0.0, 0.1),
                   velocity=(2.0, 1.0, 0.0))  # fmt: skip
    ball, floor = cl.Sphere("ball", body, radius=0.1), cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    model = cl.Model(body, ball, floor, cl.Contact(ball, floor, mu=0.3), gravity=(0.0, 0.0, -G))
    return model, 0.5, "stick", [2.0 * math.sqrt(5.0) / (7.0 * 0.3 * G)]


def clutch() -> Any:
    """Two rotors lock at (w1 - w2) / (T / I1 + T / I2)."""
    a, b = cl.Rotor("a", inertia=1.0, speed=6.0), cl.Rotor("b", inertia=2.0)
    model = cl.Model(a, b, cl.Clutch("clutch", a, b, capacity=3.0))
    return model, 2.0, "stick", [6.0 / 4.5]


def freewheel() -> Any:
    """The driven side slows down and is caught by the driving one, which speeds up."""
    a, b = cl.Rotor("a", inertia=1.0), cl.Rotor("b", inertia=1.0, speed=3.0)
    push = cl.Torque("push", a, value=2.0)
    model = cl.Model(a, b, push, cl.Freewheel("wheel", a, b, direction=-1.0))
    return model, 2.0, "touch", [1.5]


EVENTS = (bouncing, between_walls, swinging_stop, rope, backlash, braking, sliding_block,
          sliding_disc, sliding_ball, clutch, freewheel)  # fmt: skip


@pytest.mark.trust("TR-N-23")
@pytest.mark.parametrize("build", EVENTS, ids=lambda build: build.__name__)
def test_events(build: Callable[[], Any]) -> None:
    model, t_end, kind, times = build()
    sol = cl.simulate(model, t_end, method=EXACT, progress=False)
    found = [event.time for event in sol.events if event.kind == kind]
    text = [(event.time, event.name, event.kind) for event in sol.events]
    assert len(found) >= len(times), text
    assert found[: len(times)] == pytest.approx(times, abs=1e-9), text


def test_there_are_enough_models() -> None:
    assert len(MOTIONS) + len(EVENTS) >= 25
