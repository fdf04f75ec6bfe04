"""Stops of joints with several coordinates and of rotations in space, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import cornerlaw as cl

G = 9.81
GROUND = cl.Ground()
TIGHT = cl.EventDriven(rtol=1e-12, atol=1e-14)
MASS, LENGTH, ACROSS, ALONG = 1.3, 0.6, 0.05, 0.02
ABOUT_PIVOT = ACROSS + MASS * LENGTH**2  # moment of inertia across the rod
CONE, EPS = 0.9, 0.6
START, LEVEL = 0.4, 1.2  # angle from the vertical, rate about it [rad/s]


def pendulum(
    rate: float = 4.0, level: float = LEVEL, cone: float = CONE, **options: Any
) -> cl.Model:
    """Return a rod on a ball joint in a cone; it starts at an angle and does not spin."""
    bob = cl.Body("bob", mass=MASS, inertia=(ACROSS, ACROSS, ALONG), com=(0.0, 0.0, -LENGTH))
    # in axes of the rod: theta_dot about x, and phi_dot about the vertical less its part along z
    omega = (rate, level * math.sin(START), 0.0)
    options = {"limits": {"swing": cone}, "eps_N": EPS, **options}
    socket = cl.Spherical(
        "socket", GROUND, bob, rotation=cl.rotation.about((1.0, 0.0, 0.0), START),
        angular_velocity=omega, **options,
    )  # fmt: skip
    return cl.Model(socket, gravity=(0.0, 0.0, -G))


class Swing:
    """The spherical pendulum by its two integrals, over w = cos(theta): w_dot^2 = f(w)."""

    def __init__(self, energy: float, level: float) -> None:
        self.energy, self.level = energy, level  # both over the inertia about the pivot

    @classmethod
    def starting(cls, theta: float, rate: float, level: float) -> Swing:
        spin = level * math.sin(theta) ** 2
        pull = MASS * G * LENGTH / ABOUT_PIVOT
        speed = rate**2 + (level * math.sin(theta)) ** 2
        return cls(0.5 * speed - pull * math.cos(theta), spin)

    def f(self, w: float) -> float:
        pull = MASS * G * LENGTH / ABOUT_PIVOT
        return 2.0 * (self.energy + pull * w) * (1.0 - w * w) - self.level**2

    def rate(self, theta: float) -> float:
        return math.sqrt(self.f(math.cos(theta))) / math.sin(theta)

    def rise(self, low: float, high: float) -> float:
        """Return the time from one angle to a larger one."""
        a, b = math.cos(high), math.cos(low)
        return float(quad(lambda w: 1.0 / math.sqrt(self.f(w)), a, b, epsabs=1e-14)[0])

    def return_time(self, theta: float) -> float:
        """Return the time from an angle down to the turning point and back."""
        a = math.cos(theta)
        top = brentq(self.f, a, 1.0 - 1e-12, xtol=1e-15)
        # w = top - s^2 takes the root out of the integrand
        whole = quad(
            lambda s: 2.0 * s / math.sqrt(self.f(top - s * s)), 0.0, math.sqrt(top - a),
            epsabs=1e-14,
        )[0]  # fmt: skip
        return 2.0 * float(whole)


def expected_impacts() -> list[tuple[float, float, float]]:
    """Return time, approach and departure of the first three impacts on the cone."""
    motion = Swing.starting(START, 4.0, LEVEL)
    time, found = motion.rise(START, CONE), []
    for _ in range(3):
        before = motion.rate(CONE)
        found.append((time, -before, EPS * before))
        # the impulse is about a level axis: the spin about the vertical stays
        motion = Swing.starting(CONE, EPS * before, motion.level / math.sin(CONE) ** 2)
        time += motion.return_time(CONE)
    return found


@pytest.mark.parametrize("closure", [False, True], ids=["tree", "loop"])
def test_spherical_pendulum_in_a_cone(closure: bool) -> None:
    sol = cl.simulate(pendulum(closure=closure), 1.6, method=TIGHT)
    events = [e for e in sol.events if e.kind == "impact"]
    expected = expected_impacts()
    assert len(events) >= 3
    for event, (time, before, after) in zip(events, expected, strict=False):
        assert event.name == "socket.swing"
        # the integration has a relative error of 1e-12 per step, for some hundred steps
        assert event.time == pytest.approx(time, abs=1e-9)
        assert event.data["gamma_N_minus"] == pytest.approx(before, abs=1e-9)
        assert event.data["gamma_N_plus"] == pytest.approx(after, abs=1e-9)
        assert event.data["Lambda_N"] == pytest.approx(ABOUT_PIVOT * (after - before), abs=1e-9)
        lost = -0.5 * ABOUT_PIVOT * (before**2 - after**2)
        assert event.data["energy"] == pytest.approx(lost, abs=1e-9)
    worst = max(abs(e.time - x[0]) for e, x in zip(events, expected, strict=False))
    print(f"spherical pendulum in a cone: impact times to {worst:.1e} s")
    total = sum(event.data["Lambda_N"] for event in events)
    assert sol["socket.swing"].Lambda_N.sum() == pytest.approx(total)
    assert "gap [rad]" in repr(sol["socket.swing"])
    assert sol["socket.swing"].gap.min() > -1e-12


def test_roads_agree_in_the_cone() -> None:
    times = np.linspace(0.0, 1.0, 51)
    exact = cl.simulate(pendulum(), 1.0, method=TIGHT, t_eval=times)
    rows = [int(np.flatnonzero(exact.t == time)[0]) for time in times]
    # impacts fall anywhere in a step: several numbers of steps between two of five halvings
    steps = np.array([50 * quarter * 2**k for k in range(6) for quarter in (4, 5, 6, 7)])
    errors = []
    for n in steps:
        sol = cl.simulate(pendulum(), 1.0, method=cl.Moreau(dt=1.0 / n), every=int(n) // 50)
        errors.append(float(np.abs(sol.q - exact.q[rows]).max()))
    order = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    table = ", ".join(f"{1.0 / n:.3g}: {e:.3g}" for n, e in zip(steps, errors, strict=True))
    print(f"cone: order {order:.2f}, dt: distance = {table}")
    assert 0.7 <= order <= 1.3, table


def test_a_plastic_cone_is_slid_along() -> None:
    """With eps_N = 0 and a fast turn about the vertical the rod stays on the cone, pressed."""
    rate, level = 0.5, 25.0
    sol = cl.simulate(pendulum(rate, level, eps_N=0.0), 1.0, method=TIGHT)
    (hit,) = [e for e in sol.events if e.kind == "impact"]
    after = sol.t > hit.time
    assert np.abs(sol["socket.swing"].gap[after]).max() < 1e-9
    # moment of the cone: I sin cos phi_dot^2 - m g l sin, with phi_dot from the spin that stays
    turn = Swing.starting(START, rate, level).level / math.sin(CONE) ** 2
    pull = MASS * G * LENGTH * math.sin(CONE)
    moment = ABOUT_PIVOT * math.sin(CONE) * math.cos(CONE) * turn**2 - pull
    assert moment > 0.0
    assert np.abs(sol["socket.swing"].lam_N[after] - moment).max() < 1e-8


@pytest.mark.parametrize("method", [TIGHT, cl.Moreau(dt=1e-3)], ids=["event-driven", "stepping"])
def test_twist_between_two_stops(method: Any) -> None:
    """A rod that spins about its axis, which hangs straight: the place where swing has no sides."""
    bob = cl.Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.02), com=(0.0, 0.0, -0.5))
    socket = cl.Spherical(
        "socket", GROUND, bob, angular_velocity=(0.0, 0.0, 2.0),
        limits={"swing": 1.0, "twist": (-0.3, 0.5)}, eps_N={"twist": 0.5},
    )  # fmt: skip
    sol = cl.simulate(cl.Model(socket, gravity=(0.0, 0.0, -G)), 3.0, method=method)
    hits = [e for e in sol.events if e.kind == "impact"]
    # 0.5 rad at 2 rad/s, then 0.8 rad at 1 and 0.8 rad at 1/2 rad/s
    names = ["socket.twist_upper", "socket.twist_lower", "socket.twist_upper"]
    assert [e.name for e in hits] == names
    error = 1e-11 if method is TIGHT else 4e-3
    assert [e.time for e in hits] == pytest.approx([0.25, 1.05, 2.65], abs=error)
    assert [e.data["gamma_N_plus"] for e in hits] == pytest.approx([1.0, 0.5, 0.25], abs=1e-11)
    assert sol["bob"].angular_velocity[-1] == pytest.approx([0.0, 0.0, -0.25], abs=1e-11)


@pytest.mark.parametrize("kind", ["cylindrical", "planar", "free", "translation"])
@pytest.mark.parametrize("method", [TIGHT, cl.Moreau(dt=1e-3)], ids=["event-driven", "stepping"])
def test_a_coordinate_falls_onto_its_stop(kind: str, method: Any) -> None:
    """Whatever else the joint lets go on, the coordinate bounces as a ball does."""
    body = cl.Body("one", mass=2.0, inertia=0.1 if kind == "planar" else (0.1, 0.1, 0.1))
    gravity = (0.0, -G) if kind == "planar" else (0.0, 0.0, -G)
    made, name, going = {
        "cylindrical": (cl.Cylindrical, "displacement", {"speed": 3.0}),
        "planar": (cl.PlanarJoint, "position_y", {"speed": 3.0}),
        "free": (cl.FreeJoint, "position_z", {"angular_velocity": (0.0, 0.0, 3.0)}),
        "translation": (cl.Translation, "position_z", {"velocity": (1.0, 0.0, 0.0)}),
    }[kind]
    joint = made("j", GROUND, body, limits={name: (-0.2, None)}, eps_N={name: 0.5}, **going)
    sol = cl.simulate(cl.Model(joint, gravity=gravity), 0.6, method=method)
    hits = [e for e in sol.events if e.kind == "impact"][:2]
    speed = math.sqrt(2.0 * G * 0.2)
    first = speed / G
    assert [e.name for e in hits] == [f"j.{name}_lower"] * 2
    # time stepping: a step for each impact, and the speed that weight makes in it
    near = 1e-10 if method is TIGHT else 3e-3
    assert [e.time for e in hits] == pytest.approx([first, first + speed / G], abs=near)
    assert hits[0].data["gamma_N_minus"] == pytest.approx(-speed, abs=20.0 * near)
    assert hits[0].data["gamma_N_plus"] == pytest.approx(
        -0.5 * hits[0].data["gamma_N_minus"], abs=1e-10
    )


def test_universal_joint_with_stops_on_both_angles() -> None:
    """Without weight, about each axis by itself: constant rates between the stops."""
    body = cl.Body("one", mass=1.0, inertia=(0.3, 0.2, 0.1))
    ends = {"angle_1": (-0.5, 0.4), "angle_2": (-1.0, 1.0)}
    one = cl.Universal("u", GROUND, body, speed_1=1.0, limits=ends, eps_N={"angle_1": 1.0})
    sol = cl.simulate(cl.Model(one), 3.0, method=TIGHT)
    hits = [(e.name, e.time) for e in sol.events if e.kind == "impact"]
    assert [name for name, _ in hits] == ["u.angle_1_upper", "u.angle_1_lower", "u.angle_1_upper"]
    assert [time for _, time in hits] == pytest.approx([0.4, 1.3, 2.2], abs=1e-11)
    other = one.replace(speed_1=0.0, speed_2=2.0, closure=True)
    sol = cl.simulate(cl.Model(other), 2.0, method=TIGHT)
    (hit,) = [e for e in sol.events if e.kind == "impact"]
    assert (hit.name, hit.time) == ("u.angle_2_upper", pytest.approx(0.5, abs=1e-10))
    assert abs(sol["one"].angular_velocity[-1]).max() < 1e-10


def test_a_swing_about_an_axis_of_ones_own() -> None:
    """A rod along x with the cone about x moves as one along z with the cone about z."""

    def run(axis: int) -> Any:
        e = np.eye(3)
        across, along = e[(axis + 1) % 3], e[axis]
        body = cl.Body("bob", mass=1.0, inertia=tuple(0.1 - 0.08 * along), com=tuple(-0.5 * along))
        socket = cl.Spherical(
            "socket", GROUND, body, angular_velocity=tuple(3.0 * across + 1.0 * along),
            limit_axis=tuple(along), limits={"swing": 0.5, "twist": (-0.2, 0.2)}, eps_N=0.7,
        )  # fmt: skip
        return cl.simulate(
            cl.Model(socket, gravity=tuple(-G * along)), 1.0, method=TIGHT
        ).events  # fmt: skip

    z, x = run(2), run(0)
    assert len(z) == len(x) >= 4
    assert {event.name for event in z} > {"socket.swing", "socket.twist_upper"}
    for a, b in zip(z, x, strict=True):
        assert (a.name, a.kind) == (b.name, b.kind)
        assert a.time == pytest.approx(b.time, abs=1e-9)


def test_limits_survive_a_file(tmp_path: Any) -> None:
    model = pendulum(limits={"swing": 0.9, "twist": (-0.5, 0.6)}, eps_N={"swing": 0.2})
    model.save(tmp_path / "cone.json")
    again = cl.Model.load(tmp_path / "cone.json")
    assert again.part("socket") == model.part("socket")


def test_two_rods_with_elastic_stops_keep_their_energy() -> None:
    """Both sides of the joint move; every stop is hit, and no impact changes the energy."""
    near, far = (
        cl.Body(name, mass=1.0, inertia=(0.1, 0.1, 0.05), com=(0.0, 0.0, -0.3))
        for name in ("near", "far")
    )
    ends = {"swing": 0.4, "twist": (-0.3, 0.3)}
    model = cl.Model(
        cl.Spherical("root", GROUND, near, angular_velocity=(2.0, 1.0, 3.0)),
        cl.Spherical(
            "socket", near, far, at=(0.0, 0.0, -0.6), angular_velocity=(-3.0, 2.0, -4.0),
            limits=ends, eps_N=1.0,
        ),
        gravity=(0.0, 0.0, -G),
    )  # fmt: skip
    sol = cl.simulate(model, 3.0, method=TIGHT)
    hits = [event for event in sol.events if event.kind == "impact"]
    assert {e.name for e in hits} == {"socket.swing", "socket.twist_lower", "socket.twist_upper"}
    # relative tolerance 1e-12 per step, some hundred steps, and rounding at some 20 impacts
    assert np.ptp(sol.energy.total) < 1e-10 * np.abs(sol.energy.total).max()
    assert max(abs(event.data["energy"]) for event in hits) < 1e-12
    assert min(sol[f"{e.name}.gap"].min() for e in hits) > -1e-11
