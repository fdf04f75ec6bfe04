"""Wrong models and wrong runs: what only shows when a model is compiled, assembled or run."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.simulate.wrong_method import CALLS

G = cl.Ground()
GRAVITY = (0.0, -9.81)


def link(name: str, length: float = 1.0, **options: Any) -> cl.Body:
    return cl.Body(name, mass=1.0, inertia=0.1, com=(0.5 * length, 0.0), **options)


def run(model: cl.Model, t_end: float = 0.1, **options: Any) -> Any:
    return cl.simulate(model, t_end, **options)


def pendulum(*more: Any, **options: Any) -> cl.Model:
    """One link on a hinge."""
    return cl.Model(cl.Revolute("hinge", G, link("arm"), **options), *more, gravity=GRAVITY)


def with_hinge(make: Callable[[Any], Any]) -> cl.Model:
    """One link on a hinge and a part made for the hinge."""
    hinge = cl.Revolute("hinge", G, link("arm"), angle=0.3)
    return cl.Model(hinge, make(hinge), gravity=GRAVITY)


def four_bar(coupler: float = 2.0, closing: dict[str, Any] | None = None, *more: Any) -> cl.Model:
    """A four-bar linkage whose joint "C" closes the loop."""
    a, b, c = link("crank"), link("coupler", coupler), link("rocker", 1.5)
    return cl.Model(
        cl.Revolute("A", G, a, angle=1.0, speed=1.0),
        cl.Revolute("B", a, b, at=(1.0, 0.0)),
        cl.Revolute("C", b, c, at=(coupler, 0.0), at_second=(1.5, 0.0), closure=True),
        cl.Revolute("D", G, c, at=(2.0, 0.0), **(closing or {})),
        *more,
        gravity=GRAVITY,
    )


def two_joints_of_one_body() -> cl.Model:
    arm = link("arm")
    return cl.Model(
        cl.Revolute("left", G, arm, angle=0.0),
        cl.Revolute("right", G, arm, at=(3.0, 0.0), at_second=(1.0, 0.0), closure=True),
    )


def twice_fixed() -> cl.Model:
    """A bob on a distance longer than the given position allows."""
    bob = cl.PointMass("bob", mass=1.0, position=(1.0, 0.0))
    return cl.Model(bob, cl.Distance("thread", G, bob, length=2.0))


def user_joint(kinematics: Any) -> cl.Model:
    body = cl.Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    return cl.Model(cl.UserJoint("own", G, body, kinematics=kinematics, n=1))


def element(law: Any, **options: Any) -> cl.Model:
    return pendulum(cl.ForceElement("element", coordinates=("hinge.angle",), law=law, **options))


def good_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = -q[0]


def short_law(t, q):  # type: ignore[no-untyped-def]
    return q


class Ramp:
    """A callable object, which the compiler does not take."""

    def __call__(self, t: float) -> float:
        return t


def bad_index(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
    Q[0] = q[7]


def moving_to_nan(t: float) -> float:
    return math.sqrt(0.05 - t)


def _opaque(t: float) -> float:
    return t


class _Thing:
    value = 1.0


THING = _Thing()

Case = tuple[str, Callable[[], Any], type[Exception], str]

ASSEMBLY: list[Case] = [
    ("loop too long", lambda: run(four_bar(coupler=9.0)), cl.AssemblyError,
     r"cannot be assembled: '(C|D)' stays open by"),
    ("loop too short", lambda: run(four_bar(coupler=0.1)), cl.AssemblyError,
     r"cannot be assembled: '(C|D)' stays open by"),
    ("no freedom to close", lambda: run(two_joints_of_one_body()), cl.AssemblyError,
     "'right' stays open"),
    ("given angles do not fit", lambda: run(four_bar(2.0, {"angle": -2.0})), cl.AssemblyError,
     r"'(B|C|D)' stays open"),
    ("distance against position", lambda: run(twice_fixed()), cl.AssemblyError,
     "'thread' stays open by 1 m"),
    ("speeds contradict", lambda: run(four_bar(2.0, {"speed": 7.0})), cl.AssemblyError,
     r"initial velocities contradict '(B|C|D)'"),
    ("speed along a thread", lambda: run(cl.Model(
        cl.Distance("thread", G, bob := cl.PointMass(
            "bob", mass=1.0, position=(2.0, 0.0), velocity=(1.0, 0.0))), bob)),
     cl.AssemblyError, "contradict 'thread', which would open by 1 m/s"),
    ("body position in a joint", lambda: run(cl.Model(
        cl.Revolute("hinge", G, link("arm", position=(3.0, 0.0))))), cl.AssemblyError,
     "'arm' stays open by 3 m"),
    ("gear against given speeds", lambda: run(cl.Model(
        cl.Gear("gear", r := cl.Rotor("r", inertia=1.0, speed=1.0),
                s := cl.Rotor("s", inertia=1.0, speed=1.0), ratio=2.0), r, s)),
     cl.AssemblyError, "contradict 'gear'"),
    ("constraint without solution", lambda: run(pendulum(cl.Constraint(
        "lift", lambda q, t: math.cos(q[0]) - 2.0, coordinates=("hinge.angle",)))),
     cl.AssemblyError, "'lift' stays open by 1"),
]  # fmt: skip

INERTIA: list[Case] = [
    ("massless free body", lambda: run(cl.Model(cl.Body("ghost"), cl.Force(
        "push", cl.Body("ghost"), value=(1.0, 0.0, 0.0)))), cl.CornerlawError, "ghost"),
    ("massless planar body", lambda: run(cl.Model(
        cl.Revolute("hinge", G, cl.Body("ghost", com=(0.1, 0.0))))), cl.SimulationError,
     "hinge.speed moves no inertia at t = 0 s"),
    ("massless end of a chain", lambda: run(cl.Model(
        cl.Revolute("A", G, a := link("a")), cl.Revolute("B", a, cl.Body("ghost"), at=(1.0, 0.0)))),
     cl.SimulationError, "B.speed moves no inertia"),
    ("point without rotation inertia", lambda: run(cl.Model(
        cl.Revolute("hinge", G, cl.Body("dot", mass=1.0, com=(0.0, 0.0))))), cl.SimulationError,
     "hinge.speed moves no inertia"),
    ("rotor without inertia", lambda: run(cl.Model(cl.Rotor("shaft", inertia=0.0))),
     cl.CornerlawError, "shaft"),
    ("indefinite M of a system", lambda: run(cl.Model(cl.LagrangianSystem(
        "own", M=lambda q, t: np.array([[1.0, 2.0], [2.0, 1.0]]), q0=(0.0, 0.0)))),
     cl.SimulationError, "own.q2_dot moves no inertia"),
]  # fmt: skip

NAMES: list[Case] = [
    ("coordinate of a closure joint", lambda: run(four_bar(2.0, None, cl.Constraint(
        "hold", lambda q, t: q[0], coordinates=("C.angle",)))), cl.ModelError,
     "Constraint 'hold': Revolute 'C' closes a loop and has no coordinate of its own"),
    ("unknown coordinate", lambda: run(pendulum(cl.Constraint(
        "hold", lambda q, t: q[0], coordinates=("hinge.angel",)))), cl.UnknownNameError,
     r"hinge.*angel|angel.*hinge"),
    ("unknown joint", lambda: run(pendulum(cl.Coupling(
        "hold", terms=(("hing.angle", 1.0),)))), cl.UnknownNameError, "did you mean 'hinge"),
    ("coordinate inside a rotation", lambda: run(cl.Model(
        cl.Spherical("ball", G, cl.Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))),
        cl.ForceElement("element", coordinates=("ball.rotation_x",), law=good_law))),
     cl.UnknownNameError, "ball"),
    ("unknown input", lambda: run(pendulum(), inputs={"throttle": 1.0}), cl.UnknownNameError,
     "no Input named 'throttle'; it has: none"),
    ("input not finite", lambda: run(with_hinge(lambda h: cl.Torque(
        "motor", h, value=cl.Input("throttle"))), inputs={"throttle": math.nan}), cl.UsageError,
     "'throttle' must be a finite number"),
    ("input not a number", lambda: run(with_hinge(lambda h: cl.Torque(
        "motor", h, value=cl.Input("throttle"))), inputs={"throttle": "full"}),  # type: ignore[dict-item]
     cl.UsageError, "'throttle' must be a finite number"),
    ("drive of a rotation by one angle", lambda: cl.Spherical(
        "ball", G, cl.Body("a", mass=1.0, inertia=(1.0, 1.0, 1.0)), drive={"rotation": 0.1}),
     cl.ModelError, r"Spherical 'ball': drive\[rotation\] must be 3 signals"),
]  # fmt: skip

FUNCTIONS: list[Case] = [
    ("drive with a branch", lambda: run(pendulum(drive=lambda t: t if t > 1.0 else 0.0)),
     cl.CompileError, "Revolute 'hinge': drive of angle: its derivatives cannot be derived"),
    ("drive with abs", lambda: run(pendulum(drive=lambda t: abs(t))), cl.CompileError,
     "'hinge'.*uses abs"),
    ("drive by an object", lambda: run(pendulum(drive=Ramp())), cl.CompileError,
     "'hinge'.*something else than a plain function"),
    ("half a motion", lambda: run(pendulum(drive=cl.Motion(
        _opaque, velocity=lambda t: 1.0))), cl.CompileError,
     "'hinge'.*both velocity and acceleration"),
    ("torque uses an object", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda t: THING.value * t))), cl.CompileError,
     "Torque 'push': value cannot be compiled"),
    ("torque returns text", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda t: "much"))), cl.CompileError, "Torque 'push'.*cannot be compiled"),
    ("torque of two arguments", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda t, q: q))), cl.CompileError,
     "Torque 'push': value must be a function of 1 or 3 arguments, it takes 2"),
    ("torque of any arguments", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda *a: 0.0))), cl.CompileError, r"'push'.*\*args"),
    ("force of two arguments", lambda: run(pendulum(cl.Force(
        "push", link("arm"), value=lambda t, r: r))), cl.CompileError,
     r"Force 'push': value must be a function of t, of \(t, r, v\) or of .*, it takes 2"),
    ("spring law of one argument", lambda: run(pendulum(cl.Spring(
        "coil", G, link("arm"), at=(0.0, 2.0), at_second=(1.0, 0.0), force=lambda length: 1.0))),
     cl.CompileError, "Spring 'coil': force must be a function of 2 arguments, it takes 1"),
    ("law of two arguments", lambda: run(element(short_law)), cl.CompileError,
     r"ForceElement 'element'.*it takes \(t, q\) but gets 13 arguments"),
    ("law calls Python", lambda: run(element(
        lambda t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot: THING.value)), cl.CompileError,
     "ForceElement 'element'.*'THING'"),
    ("constraint with a branch", lambda: run(pendulum(cl.Constraint(
        "hold", lambda q, t: q[0] if q[0] > 0 else 0.0, coordinates=("hinge.angle",)))),
     cl.CompileError, "Constraint 'hold': function: its derivatives"),
    ("constraint of one argument", lambda: run(pendulum(cl.Constraint(
        "hold", lambda q: q[0], coordinates=("hinge.angle",)))), cl.CompileError,
     "Constraint 'hold'"),
    ("constraint reads too far", lambda: run(pendulum(cl.Constraint(
        "hold", lambda q, t: q[1], coordinates=("hinge.angle",)))), cl.CompileError,
     "Constraint 'hold'"),
    ("user joint returns three", lambda: run(user_joint(
        lambda q, u: (np.eye(3), np.zeros(3), np.zeros((6, 1))))), cl.CompileError,
     "UserJoint 'own': kinematics cannot be compiled"),
    ("M of one argument", lambda: run(cl.Model(cl.LagrangianSystem(
        "own", M=lambda q: np.eye(1), q0=(0.0,)))), cl.CompileError,
     "LagrangianSystem 'own': M cannot be compiled"),
]  # fmt: skip

RUNS: list[Case] = [
    ("torque becomes nan", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda t: math.log(0.05 - t)))), cl.SimulationError,
     r"Torque 'push': value gives nan at t = 0\.0[45]\d* s"),
    ("force becomes nan", lambda: run(pendulum(cl.Force(
        "push", link("arm"), value=lambda t: np.array([math.sqrt(0.05 - t), 0.0])))),
     cl.SimulationError, r"Force 'push': value gives nan at t = 0\.0[45]\d* s"),
    ("nan from the start", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda t: math.log(-1.0 - t)))), cl.SimulationError,
     r"Torque 'push': value gives nan at t = 0 s"),
    ("index out of range in a law", lambda: run(element(bad_index)), cl.SimulationError,
     r"ForceElement 'element': law fails with IndexError"),
    ("drive becomes nan", lambda: run(pendulum(drive=moving_to_nan)), cl.SimulationError,
     "Revolute 'hinge': drive of angle gives nan"),
    ("end before the start", lambda: run(pendulum(), -1.0), cl.UsageError,
     "t_end = -1 s lies before the start at 0 s"),
    ("end not finite", lambda: run(pendulum(), math.inf), cl.UsageError, "t_end must be a finite"),
    ("end nan", lambda: run(pendulum(), math.nan), cl.UsageError, "t_end must be a finite"),
    ("end as text", lambda: run(pendulum(), "soon"), cl.UsageError, "t_end"),  # type: ignore[arg-type]
    ("output times fall", lambda: run(pendulum(), t_eval=[0.0, 0.05, 0.02]), cl.UsageError,
     "t_eval must be strictly increasing"),
    ("output times repeat", lambda: run(pendulum(), t_eval=[0.0, 0.05, 0.05]), cl.UsageError,
     "t_eval must be strictly increasing"),
    ("output times outside", lambda: run(pendulum(), t_eval=[0.0, 0.2]), cl.UsageError,
     "t_eval must lie between the start 0 s and t_end 0.1 s"),
    ("output times before", lambda: run(pendulum(), t_eval=[-0.1, 0.1]), cl.UsageError,
     "t_eval must lie between"),
    ("output time nan", lambda: run(pendulum(), t_eval=[0.0, math.nan]), cl.UsageError,
     "t_eval contains a value that is not a finite number"),
    ("method as text", lambda: run(pendulum(), method="rk45"), cl.UsageError,
     "method must be one such as RungeKutta8"),
    ("method as a class", lambda: run(pendulum(), method=cl.RungeKutta8), cl.UsageError, "method"),
    ("stop as text", lambda: run(pendulum(), stop="now"), cl.UsageError, "Stop conditions"),
    ("stop on something unknown", lambda: run(pendulum(), stop=cl.Stop(
        "end", "hinge.angel", above=1.0)), cl.UsageError, "Stop 'end': 'hinge.angel' is neither"),
    ("no model", lambda: run("pendulum"), cl.UsageError, "a Model is needed, got str"),  # type: ignore[arg-type]
    ("every zero", lambda: run(pendulum(), every=0), cl.UsageError, "every"),
    ("step budget", lambda: run(pendulum(), 10.0, max_steps=3), cl.SimulationError,
     "ended after max_steps = 3 steps"),
    ("state of another model", lambda: run(
        four_bar(), 0.2, initial=run(pendulum()).final), cl.UsageError,
     "the initial state has 1 positions, 1 velocities and 0 states, the model 3, 3 and 0"),
    ("runaway", lambda: run(with_hinge(lambda h: cl.Torque(
        "push", h, value=lambda t, q, u: 10.0 * u**3 + 1.0)), 100.0), cl.SimulationError,
     r"at t = \d"),
]  # fmt: skip

CASES = [*ASSEMBLY, *INERTIA, *NAMES, *FUNCTIONS, *RUNS]


@pytest.mark.trust("TR-N-16")
@pytest.mark.parametrize(
    ("make", "kind", "message"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_error_names_the_culprit(
    make: Callable[[], Any], kind: type[Exception], message: str, record_property: Any
) -> None:
    with pytest.raises(cl.CornerlawError, match=message) as caught:
        make()
    assert isinstance(caught.value, kind)
    text = str(caught.value)
    record_property("message", text)
    assert "\n" not in text
    assert len(text) < 400


def test_there_are_enough_cases() -> None:
    names = [case[0] for case in CASES]
    assert len(names) == len(set(names))
    assert len(names) >= 40


def test_failed_run_keeps_what_was_computed() -> None:
    model = with_hinge(lambda h: cl.Torque("push", h, value=lambda t: math.log(0.05 - t)))
    with pytest.raises(cl.SimulationError) as caught:
        cl.simulate(model, 0.1)
    partial = caught.value.solution  # type: ignore[attr-defined]
    assert partial.status.startswith("failed")
    assert 0.03 < partial.t[-1] <= 0.05
    assert np.isfinite(partial["hinge.angle"]).all()


@pytest.mark.parametrize(("method", "hint"), [
    ("eventdriven", "got 'eventdriven'; did you mean cl.EventDriven()?"),
    ("Moreau", "got 'Moreau'; did you mean cl.Moreau(dt=...)?"),
    (cl.EventDriven, "got the class EventDriven; add (): cl.EventDriven()"),
    (cl.Moreau, "got the class Moreau; add (): cl.Moreau(dt=...)"),
])  # fmt: skip
def test_a_method_that_is_none_says_what_was_meant(method: Any, hint: str) -> None:
    with pytest.raises(cl.UsageError, match=re.escape(hint)):
        cl.simulate(pendulum(), 0.1, method=method)
    with pytest.raises(cl.UsageError, match=re.escape(hint)):
        cl.Simulation(pendulum(), method=method)
    with pytest.raises(cl.UsageError, match=re.escape(hint)):
        cl.sweep(pendulum(), {"arm.mass": [1.0]}, "hinge.angle", t_end=0.1, method=method)


def test_every_method_is_known_to_the_hint() -> None:
    """And each is written as it has to be: with a step where it needs one."""
    for name, call in CALLS.items():
        kind = getattr(cl, name)
        if call.endswith("(dt=...)"):
            with pytest.raises(cl.CornerlawError, match=f"^{name}: dt must be given$"):
                kind()
        else:
            assert call == f"cl.{name}()" and kind()


def test_an_unknown_name_of_the_package_suggests_the_nearest() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Prismtic'; did you mean 'Prismatic'"):
        _ = cl.Prismtic
    with pytest.raises(AttributeError, match=r"no attribute 'qqq'$"):
        _ = cl.qqq
    assert not hasattr(cl, "__wrapped__")


@pytest.mark.parametrize("wrap", [lambda f: f, cl.Interpreted, lambda f: cl.Sampled(f, 0.01)])
def test_a_force_with_a_wrong_number_of_components(wrap: Any) -> None:
    def of_time(t):
        return (1.0, 2.0, 3.0)

    def of_point(t, r, v):
        return np.array([1.0, 2.0, 3.0])

    def of_body(t, r, v, A, Omega):
        return (1.0, 2.0, 3.0)

    for function in (of_time, of_point, of_body):
        plate = cl.Body("plate", mass=1.0, inertia=1.0, position=(0.0, 0.0))
        model = cl.Model(plate, cl.Force("push", plate, value=wrap(function)))
        with pytest.raises(cl.SimulationError, match=r"Force 'push': value fails .* 2 numbers in"):
            cl.simulate(model, 0.1, progress=False)


def test_cost_of_time_stepping_has_no_evaluations() -> None:
    wheel = cl.Rotor("wheel", inertia=1.0, speed=1.0)
    model = cl.Model(wheel, cl.Brake("brake", wheel, capacity=0.1))
    stepped = str(cl.simulate(model, 0.1, method=cl.Moreau(dt=0.01), progress=False))
    assert "evaluation" not in stepped and "10 contact problems" in stepped
    smooth = cl.simulate(cl.Model(wheel), 0.1, progress=False)
    assert f"{smooth.info.statistics['evaluations']} evaluations" in str(smooth)
