"""What a contact law may depend on: restitution and friction over the speed, belts, compliance.

Each on all impact laws and schemes that know it, against closed forms and quadrature.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import cornerlaw as cl

G = 9.81
FLOOR = cl.Ground("floor", normal=(0.0, 1.0))
BOTH_ROADS: list[cl.ImpactLaw] = [cl.Newton(), cl.NewtonBoth()]
LAWS: list[cl.ImpactLaw] = [
    *BOTH_ROADS, cl.Poisson("coulomb"), cl.Poisson("old"), cl.Poisson("new"), cl.Cradle(),
    cl.Sequential(),
]  # fmt: skip
METHODS = [cl.EventDriven(impact=law) for law in LAWS]
METHODS += [
    scheme(dt=1e-4, impact=law)
    for scheme in (cl.Moreau, cl.HalfExplicit, cl.Theta)
    for law in BOTH_ROADS
]  # type: ignore[misc]
ROADS = [cl.EventDriven(rtol=1e-10, atol=1e-12), cl.Moreau(dt=1e-3)]
both = pytest.mark.parametrize("road", ROADS, ids=["events", "stepping"])


def name_of(method: Any) -> str:
    law = method.impact
    return f"{type(method).__name__}-{type(law).__name__}{getattr(law, 'variant', '')}"


every = pytest.mark.parametrize("method", METHODS, ids=name_of)


def after_a_hit(method: Any, speed: float, **laws: Any) -> NDArray[np.float64]:
    """Return the velocity of a mass after it hit the floor without any force, at 1 m/s along it."""
    mass = cl.PointMass("mass", mass=2.0, position=(0.0, 1e-3), velocity=(1.0, -speed))
    model = cl.Model(mass, FLOOR, cl.Contact(mass, FLOOR, **laws))
    sol = cl.simulate(model, 2e-3 / speed, method=method, progress=False)
    assert [event.kind for event in sol.events].count("impact") == 1
    return np.asarray(sol["mass"].velocity[-1])


def restitution(v: float) -> float:
    return 0.8 / (1.0 + v)


@every
def test_restitution_by_a_table_and_by_a_function(method: Any) -> None:
    table = cl.Table((0.0, 1.0, 5.0), (0.9, 0.7, 0.1))
    for speed, of_table in ((0.3, 0.84), (2.0, 0.55), (4.5, 0.175), (8.0, 0.1)):
        found = after_a_hit(method, speed, eps_N=table)[1] / speed
        assert found == pytest.approx(of_table, abs=1e-12)
        found = after_a_hit(method, speed, eps_N=restitution)[1] / speed
        assert found == pytest.approx(restitution(speed), abs=1e-12)


@every
def test_restitution_vanishes_below_its_threshold(method: Any) -> None:
    for speed, ratio in ((0.3, 0.0), (0.49, 0.0), (0.51, 0.8), (3.0, 0.8)):
        found = after_a_hit(method, speed, eps_N=0.8, eps_speed=0.5)[1]
        assert found == pytest.approx(ratio * speed, abs=1e-12)


@pytest.mark.parametrize(
    "method",
    [m for m in METHODS if isinstance(m.impact, cl.NewtonBoth)],  # type: ignore[attr-defined]
    ids=name_of,
)
def test_the_threshold_holds_along_the_surface_as_well(method: Any) -> None:
    # friction is more than enough for both
    laws: dict[str, Any] = {"eps_N": 0.8, "eps_T": 0.5, "mu": 9.0, "eps_speed": 0.5}
    assert after_a_hit(method, 0.3, **laws) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert after_a_hit(method, 0.7, **laws) == pytest.approx([-0.5, 0.56], abs=1e-12)


@pytest.mark.parametrize("element", ["stop", "rope", "play", "own"])
@pytest.mark.parametrize("road", [ROADS[0], cl.Moreau(dt=1e-4)], ids=["events", "stepping"])
def test_elements_without_contours_have_the_same_restitution(road: Any, element: str) -> None:
    speed, options = 2.0, {"eps_N": restitution, "eps_speed": 0.5}
    slide = cl.Slider("slide", mass=1.0, velocity=speed)
    parts: dict[str, tuple[cl.Part, ...]] = {
        "stop": (slide, cl.Limit("k", slide, upper=0.01, **options)),
        "play": (
            slide, cl.Slider("wall", mass=1e12),
            cl.Backlash("k", "slide", "wall", gap=0.02, **options),
        ),
        "own": (
            slide,
            cl.UserContact(
                "k", coordinates=("slide.position",), gap=0.01, normal=(-1.0,), **options
            ),
        ),
    }  # fmt: skip
    if element == "rope":
        bob = cl.PointMass("bob", mass=1.0, position=(0.99, 0.0), velocity=(speed, 0.0))
        model = cl.Model(bob, cl.Rope("k", cl.Ground(), bob, length=1.0, **options))
    else:
        model = cl.Model(*parts[element])
    for v, ratio in ((2.0, restitution(2.0)), (0.4, 0.0)):
        start = {"bob.velocity": (v, 0.0)} if element == "rope" else {"slide.velocity": v}
        sol = cl.simulate(model.replace(start), 0.015 / v, method=road, progress=False)
        end = sol["bob"].velocity[-1, 0] if element == "rope" else sol["slide"].velocity[-1]
        assert end == pytest.approx(-ratio * v, abs=1e-9)


def characteristic(v: Any) -> Any:
    return 0.2 + 0.2 * np.exp(-v / 0.5) + 0.02 * v


SPEEDS = np.linspace(0.0, 4.0, 401)
CHARACTERISTICS = {
    "formula": (cl.Stribeck(0.4, 0.2, 0.5, viscous=0.02), 1e-9),
    "function": (lambda v: 0.2 + 0.2 * math.exp(-v / 0.5) + 0.02 * v, 1e-9),
    # straight lines between points: h^2 / 8 of the second derivative, 1e-5 of 0.4
    "table": (cl.Table(tuple(SPEEDS), tuple(characteristic(SPEEDS))), 2e-5),
    "smooth table": (cl.Table(tuple(SPEEDS), tuple(characteristic(SPEEDS)), kind="cubic"), 1e-8),
}


@both
@pytest.mark.parametrize("kind", CHARACTERISTICS)
def test_a_falling_characteristic_brings_a_block_to_rest(kind: str, road: Any) -> None:
    """The way and the time to rest by quadrature; at rest mu is that of slow sliding."""
    law, slack = CHARACTERISTICS[kind]

    def rest(t: float, y: Any) -> float:
        return float(y[1])

    rest.terminal = True  # type: ignore[attr-defined]
    exact = solve_ivp(
        lambda t, y: [y[1], -characteristic(y[1]) * G], (0.0, 3.0), [0.0, 3.0], events=rest,
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    way, time = exact.y_events[0][0][0], exact.t_events[0][0]
    block = cl.PointMass("block", mass=2.0, position=(0.0, 0.0), velocity=(3.0, 0.0))
    model = cl.Model(block, FLOOR, cl.Contact(block, FLOOR, mu=law), gravity=(0.0, -G))
    sol = cl.simulate(model, 2.0, method=road, progress=False)
    (stick,) = (event.time for event in sol.events if event.kind == "stick")
    if isinstance(road, cl.Moreau):
        # first order, mu of the beginning of a step: some 0.1 1/s of mu per step over a second
        slack = 1e-3
    assert stick == pytest.approx(time, abs=slack)
    assert sol["block"].position[-1, 0] == pytest.approx(way, abs=slack)
    assert sol["block"].velocity[-1, 0] == pytest.approx(0.0, abs=1e-12)


@both
def test_a_static_coefficient_holds_until_the_block_breaks_away(road: Any) -> None:
    """A force k t pulls: nothing moves up to mu_0 m g, then m a = k t - mu m g at once.

    With s = t - t_0, t_0 = mu_0 m g / k: v = (mu_0 - mu) g s + k s^2 / 2 m, and x its integral.
    """
    mass, mu, static, rate, end = 2.0, 0.2, 0.5, 4.0, 4.0
    block = cl.PointMass("block", mass=mass, position=(0.0, 0.0))
    contact = cl.Contact(block, FLOOR, mu=cl.Coulomb(mu, static=static), name="c")
    pull = cl.Force("pull", block, value=(lambda t: rate * t, 0.0))
    model = cl.Model(block, FLOOR, contact, pull, gravity=(0.0, -G))
    sol = cl.simulate(model, end, method=road, progress=False)
    begin = static * mass * G / rate
    (slip,) = (event for event in sol.events if event.kind == "slip")
    # a force leaves its set by 1e-9 of the largest one (weight) before an event is seen; by steps
    # one that ends in the jump and the next one, which is the first to slide
    late = 1.01e-9 * mass * G / rate if isinstance(road, cl.EventDriven) else 2.0 * road.dt
    assert 0.0 <= slip.time - begin <= late
    s = end - begin
    jump = (static - mu) * G
    speed = jump * s + 0.5 * rate / mass * s**2
    way = 0.5 * jump * s**2 + rate / mass * s**3 / 6.0
    # later by this time the jump of the acceleration acts; positions by rtol of 1e-10 per step
    assert sol["block"].velocity[-1, 0] == pytest.approx(speed, abs=1.01 * jump * late)
    assert sol["block"].position[-1, 0] == pytest.approx(way, abs=1.01 * jump * late * s + 1e-9)
    at_rest = sol.t < begin
    assert at_rest.sum() > 1
    assert np.abs(sol["block"].velocity[at_rest]).max() <= 1e-12
    # friction carries the force up to the static level, and then what slides has mu
    lam = sol["c"].lam_T
    assert -lam.min() == pytest.approx(static * mass * G, abs=2.0 * rate * late)
    assert lam[sol.t > begin + late] == pytest.approx(-mu * mass * G, rel=1e-9)
    # and the run says that its law is no limit of slow sliding
    (told,) = sol.info.warnings
    assert "'c': friction jumps from 0.5 at rest to 0.2 at the first slip" in told


@both
def test_a_belt_takes_a_block_along(road: Any) -> None:
    """Contours: mu g for half a second, then with the belt; a belt that speeds up drags on."""
    block = cl.PointMass("block", mass=2.0, position=(0.0, 0.0))
    contact = cl.Contact(block, FLOOR, mu=0.2, surface_speed=0.1 * G, name="belt")
    model = cl.Model(block, FLOOR, contact, gravity=(0.0, -G))
    sol = cl.simulate(model, 2.0, method=road, progress=False)
    # inside the step that ends the sliding, stepping is off by half a step of it
    slack = 1e-9 if isinstance(road, cl.EventDriven) else 0.2 * G * 1e-6
    assert sol["block"].position[-1, 0] == pytest.approx(0.1 * G * 1.75, abs=slack)
    assert sol["belt"].gamma_T[-1] == pytest.approx(0.0, abs=1e-12)
    # the tangent is the normal turned clockwise: to the right; 0.3 g t is faster than mu g can do
    for rate, expected in ((0.3, 0.2), (0.1, 0.1)):
        belt = contact.replace(surface_speed=lambda t, a=rate * G: a * t)
        sol = cl.simulate(model.replace({"belt": belt}), 1.0, method=road, progress=False)
        # by steps the block has the speed that the belt had in the middle of the last one
        assert sol["block"].velocity[-1, 0] == pytest.approx(expected * G, abs=1e-3 * G)


def compliant_force(law: Any, depth: float, rate: float, speed: float) -> float:
    """Return the contact force from the formulas of the laws, written a second time."""
    if depth <= 0.0:
        return 0.0
    if isinstance(law, cl.KelvinVoigt):
        return max(0.0, law.stiffness * depth + law.damping * rate)
    spring = law.stiffness * depth**law.exponent
    if isinstance(law, cl.HuntCrossley):
        return max(0.0, spring * (1.0 + law.damping * rate))
    return max(0.0, spring * (1.0 + 0.75 * (1.0 - law.restitution**2) * rate / speed))


COMPLIANT = [
    cl.KelvinVoigt(1e4, 20.0),
    cl.HuntCrossley(1e5, 0.3),
    cl.HuntCrossley(cl.hertz_stiffness(1e7, 0.4, 0.1, 1e7, 0.4)),
    cl.LankaraniNikravesh(1e5, 0.8),
]
COMPLIANT_ROADS = {
    "events": (cl.EventDriven(rtol=1e-10, atol=1e-12), 1e-6),
    # first order where the force begins or ends within a step, of some 0.03 s of contact
    "stepping": (cl.Moreau(dt=1e-5), 2e-3),
    "theta": (cl.Theta(dt=1e-5), 2e-3),
}


@pytest.mark.parametrize("road", COMPLIANT_ROADS)
@pytest.mark.parametrize("law", COMPLIANT, ids=lambda law: type(law).__name__)
def test_compliant_laws_against_an_integration_of_their_formulas(law: Any, road: str) -> None:
    """A disk hits a compliant floor at 1 m/s: speed of the rebound and largest depth."""
    method, slack = COMPLIANT_ROADS[road]
    mass, speed = 1.0, 1.0

    def leaves(t: float, y: Any) -> float:
        return float(compliant_force(law, y[0], y[1], speed)) - 1e-9 if y[1] < 0.0 else 1.0

    leaves.terminal = True  # type: ignore[attr-defined]
    exact = solve_ivp(
        lambda t, y: [y[1], -compliant_force(law, y[0], y[1], speed) / mass], (0.0, 1.0),
        [1e-12, speed], events=leaves, rtol=1e-11, atol=1e-13, max_step=1e-4,
    )  # fmt: skip
    disk = cl.Disk("disk", mass=mass, radius=0.1, position=(0.0, 0.101), velocity=(0.0, -speed))
    model = cl.Model(disk, FLOOR, cl.Contact(disk, FLOOR, normal=law))
    sol = cl.simulate(model, 0.1, method=method, progress=False)
    assert sol["disk-floor"].gap[-1] > 0.0
    assert sol["disk"].velocity[-1, 1] == pytest.approx(-exact.y[1, -1], abs=slack)
    depth = -float(sol["disk-floor"].gap.min())
    assert depth == pytest.approx(exact.y[0].max(), rel=2e-2)  # rows of the run, not its maximum
