"""The theta rule with loops, compliant contacts and moving supports, against the other methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.mechanisms import four_bar
from cornerlaw.plots.convergence import fitted_order

G = 9.81
EXACT = cl.EventDriven(rtol=1e-11, atol=1e-13)


def order(
    build: Callable[[], cl.Model],
    t_end: float,
    value: Callable[[cl.Solution], Any],
    method: Callable[[float], Any],
    steps: list[float],
) -> tuple[float, list[float]]:
    """Return the fitted order of the error at t_end against the event-driven road, all errors."""
    reference = value(cl.simulate(build(), t_end, method=EXACT, t_eval=[0.0, t_end]))
    errors = []
    for dt in steps:
        sol = cl.simulate(build(), t_end, method=method(dt), t_eval=[0.0, t_end])
        errors.append(float(np.abs(np.asarray(value(sol)) - reference).max()))
    # where a contact begins between two steps is chance: the bound of the error has the order
    bound = np.maximum.accumulate(errors[::-1])[::-1]
    return fitted_order(steps, bound), errors


def halvings(dt: float, count: int = 5) -> list[float]:
    return [dt / 2**k for k in range(count + 1)]


def linkage(*makers: Callable[[cl.Model], Any]) -> cl.Model:
    """Return the four-bar linkage with more parts."""
    base = four_bar.build(four_bar.Parameters())
    more = [make(base) for make in makers]
    return cl.Model(*base.parts, *more, gravity=base.gravity)


def crank(sol: cl.Solution) -> Any:
    return sol["A.angle"][-1], 0.1 * sol["A.speed"][-1]


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_loop_converges_with_first_order(theta: float) -> None:
    rule = lambda dt: cl.Theta(dt=dt, theta=theta)  # noqa: E731
    found, errors = order(linkage, 0.4, crank, rule, halvings(4e-3))
    assert found == pytest.approx(1.0, abs=0.2), errors
    sol = cl.simulate(linkage(), 1.0, method=rule(1e-3))
    assert np.abs(sol["constraints.position_error"]).max() < 1e-10


def test_loop_reactions_are_those_of_the_event_driven_road() -> None:
    t = np.linspace(0.0, 0.4, 41)
    forces = [
        cl.simulate(linkage(), 0.4, method=method, t_eval=t)["C.force"]
        for method in (cl.Theta(dt=1e-4), EXACT)
    ]
    # means over a step against values at its end
    assert np.abs(forces[0] - forces[1])[1:].max() < 5e-3 * np.abs(forces[1]).max()


def test_redundant_loop() -> None:
    """The closing pin twice: rows depend on each other."""
    p = four_bar.Parameters()
    model = linkage(
        lambda m: cl.Revolute(
            "C2",
            m.part("coupler"),
            m.part("rocker"),
            at=(p.coupler, 0.0),
            at_second=(p.rocker, 0.0),
            closure=True,
        )
    )
    with pytest.warns(UserWarning, match="redundant"):
        twice = cl.simulate(model, 0.4, method=cl.Theta(dt=1e-3))["A.angle"][-1]
    assert twice == pytest.approx(
        cl.simulate(linkage(), 0.4, method=cl.Theta(dt=1e-3))["A.angle"][-1], abs=1e-10
    )


def test_loop_with_a_stiff_damper_takes_steps_the_explicit_rule_cannot() -> None:
    """A damper of 1e5 N m s/rad at the crank: its time constant is a millionth of the step."""
    model = linkage(
        lambda m: cl.TorsionSpring("s", m.part("A"), stiffness=2e5, damping=1e5, rest=1.5)
    )
    sol = cl.simulate(model, 20.0, method=cl.Theta(dt=1e-2, theta=1.0))
    assert sol["A.speed"][-1] == pytest.approx(0.0, abs=1e-6)
    # 2e5 N m/rad against some 10 N m of gravity
    assert sol["A.angle"][-1] == pytest.approx(1.5, abs=2e-4)


def stop() -> cl.Model:
    """The linkage whose rocker hits a stop: a rigid corner behind a loop."""
    return linkage(lambda m: cl.Limit("stop", m.part("D"), upper=2.3, eps_N=0.5))


def test_stop_behind_a_loop() -> None:
    found, errors = order(stop, 0.3, crank, lambda dt: cl.Theta(dt=dt), halvings(2e-3))
    assert found == pytest.approx(1.0, abs=0.35), errors
    theta, moreau = (
        crank(cl.simulate(stop(), 0.3, method=method(dt=1e-4))) for method in (cl.Theta, cl.Moreau)
    )
    assert theta == pytest.approx(moreau, abs=2e-3)


def test_friction_loaded_by_the_reaction_of_a_loop() -> None:
    def rubbing() -> cl.Model:
        return linkage(lambda m: cl.JointFriction("f", m.part("A"), mu=0.3, radius=0.02))

    turned = lambda sol: sol["crank.angle"][-1]  # noqa: E731
    found, errors = order(rubbing, 0.3, turned, lambda dt: cl.Theta(dt=dt), halvings(2e-3))
    assert found == pytest.approx(1.0, abs=0.25), errors


def ball(law: Any, *, mu: float = 0.0, velocity: Any = (0.0, 0.0), height: float = 0.2) -> cl.Model:
    disk = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, height), velocity=velocity)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    return cl.Model(disk, floor, cl.Contact(disk, floor, normal=law, mu=mu), gravity=(0.0, -G))


def height(sol: cl.Solution) -> Any:
    return sol["ball"].position[-1, 1], 0.01 * sol["ball"].velocity[-1, 1]


@pytest.mark.parametrize(("theta", "expected"), [(0.5, 2.0), (1.0, 1.0)])
def test_compliant_contact_has_the_order_of_the_rule(theta: float, expected: float) -> None:
    """Hertz without damping is smooth enough for the trapezoidal rule to keep its order."""
    build = lambda: ball(cl.HuntCrossley(1e4))  # noqa: E731
    found, errors = order(
        build, 0.35, height, lambda dt: cl.Theta(dt=dt, theta=theta), halvings(1e-3)
    )
    assert found == pytest.approx(expected, abs=0.3), errors


@pytest.mark.parametrize(
    "law", [cl.KelvinVoigt(1e4, 20.0), cl.HuntCrossley(1e5, 0.3), cl.LankaraniNikravesh(1e5, 0.8)]
)
def test_damped_compliant_laws(law: Any) -> None:
    found, errors = order(
        lambda: ball(law), 0.35, height, lambda dt: cl.Theta(dt=dt), halvings(5e-4)
    )
    assert found >= 0.8, errors
    assert errors[-1] < 2e-4


def test_a_contact_stiffer_than_the_step() -> None:
    """Angular frequency 1e5 1/s at dt = 1e-3: the ball comes to rest where the spring bears it."""
    law = cl.KelvinVoigt(1e10, 1e5)
    sol = cl.simulate(ball(law, height=0.15), 2.0, method=cl.Theta(dt=1e-3, theta=1.0))
    assert sol["ball-floor"].gap[-1] == pytest.approx(-G / 1e10, rel=1e-6)
    # a rounding of the height, 1.4e-17 m, is 1.4e-7 N
    assert sol["ball-floor"].lam_N[-1] == pytest.approx(G, abs=5e-7)


def test_friction_of_a_compliant_contact() -> None:
    """A disk put down sliding rolls after v / (3 mu g) with 2/3 of its speed."""
    build = lambda: ball(  # noqa: E731
        cl.KelvinVoigt(1e5, 600.0), mu=0.2, velocity=(1.0, 0.0), height=0.1 - G / 1e5
    )
    found, errors = order(
        build, 0.12, lambda s: s["ball"].position[-1, 0], lambda dt: cl.Theta(dt=dt), halvings(2e-3)
    )
    assert errors[-1] < 1e-4 and (found > 0.8 or max(errors) < 1e-6), errors
    sol = cl.simulate(build(), 0.5, method=cl.Theta(dt=1e-3))
    assert sol["ball"].velocity[-1, 0] == pytest.approx(2.0 / 3.0, abs=1e-6)
    slips = np.isin(sol["ball-floor"].state, (2, 3))
    ratio = sol["ball-floor"].lam_T[slips] / sol["ball-floor"].lam_N[slips]
    assert slips.any() and np.abs(ratio) == pytest.approx(0.2, rel=1e-9)


def test_compliant_contact_behind_a_loop() -> None:
    build = lambda: linkage(  # noqa: E731
        lambda m: cl.Backlash(
            "play", m.part("D"), m.part("A"), gap=1.0, centre=1.0, law=cl.KelvinVoigt(500.0, 1.0)
        )
    )
    theta, moreau, exact = (
        crank(cl.simulate(build(), 0.3, method=method))
        for method in (cl.Theta(dt=1e-4), cl.Moreau(dt=1e-4), EXACT)
    )
    assert theta == pytest.approx(exact, abs=2e-3)
    assert theta == pytest.approx(moreau, abs=2e-3)


def test_moving_floor() -> None:
    """A ball on a floor that moves up and down: driven velocities enter as in Moreau's rule."""
    from cornerlaw.gallery.impacts import bouncing_ball

    p = bouncing_ball.Parameters(amplitude=0.05, frequency=2.0)
    sols = [
        cl.simulate(bouncing_ball.build_moving(p), 0.6, method=method)
        for method in (cl.Theta(dt=1e-4), cl.Moreau(dt=1e-4))
    ]
    theta, moreau = (sol["ball"].position[:, 1] for sol in sols)
    assert theta == pytest.approx(moreau, abs=1e-9)
