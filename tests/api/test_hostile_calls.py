"""Calls that cannot be meant: every one is refused in one sentence, none runs into Python's own.

The classes of parts are swept as a whole: every field of every part is given values of the wrong
kind. Functions and methods have a table.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pint
import pytest

import cornerlaw as cl

unit = pint.UnitRegistry()
G = cl.Ground()


class Unshowable:
    """An object that fails whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError

    __len__ = __float__ = __repr__  # type: ignore[assignment]


def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -q[0]


def kinematics(q, u):
    return np.eye(3), np.zeros(3), np.zeros((6, 1)), np.zeros(6)


BAR = cl.Body("bar", mass=1.0, inertia=1.0)
SOLID = cl.Body("solid", mass=1.0, inertia=(1.0, 1.0, 1.0))
HINGE = cl.Revolute("hinge", G, BAR)
OTHER = cl.Revolute("other", G, cl.Body("rod", mass=1.0, inertia=1.0))
R1, R2, R3 = (cl.Rotor(f"r{k}", inertia=1.0) for k in (1, 2, 3))
SLIDER = cl.Slider("s", mass=1.0)
FREE = (G, SOLID)

PARTS: list[tuple[type[Any], tuple[Any, ...], dict[str, Any]]] = [
    (cl.Body, (), {"mass": 1.0, "inertia": 1.0}), (cl.PointMass, (), {"mass": 1.0}),
    (cl.Disk, (), {"mass": 1.0, "radius": 1.0}), (cl.Ground, (), {}),
    (cl.MovingFrame, (), {"position": (0.0, 1.0)}), (cl.Rotor, (), {"inertia": 1.0}),
    (cl.Slider, (), {"mass": 1.0}), (cl.Frame, (BAR,), {}),
    (cl.LagrangianSystem, (), {"M": ((1.0,),), "h": (1.0,), "q0": (0.0,)}),
    (cl.Revolute, (G, BAR), {}), (cl.Prismatic, (G, BAR), {"axis": (1.0, 0.0)}),
    (cl.Screw, FREE, {"pitch": 1.0}), (cl.Cylindrical, FREE, {}), (cl.Universal, FREE, {}),
    (cl.Spherical, FREE, {}), (cl.PlanarJoint, FREE, {}), (cl.FreeJoint, FREE, {}),
    (cl.Weld, FREE, {}), (cl.Translation, FREE, {}),
    (cl.UserJoint, FREE, {"kinematics": kinematics, "n": 1}),
    (cl.Distance, (G, BAR), {}), (cl.Rod, (G, BAR), {}), (cl.Rolling, (SOLID,), {"radius": 1.0}),
    (cl.Constraint, (lambda q, t: q[0],), {"coordinates": ("hinge.angle",)}),
    (cl.Gear, (HINGE, OTHER), {"ratio": 2.0}), (cl.Rack, (R1, SLIDER), {"radius": 1.0}),
    (cl.Differential, (R1, R2, R3), {}), (cl.Coupling, (), {"terms": ((R1, 1.0), (R2, 2.0))}),
    (cl.Spring, (G, BAR), {}), (cl.Damper, (G, BAR), {"damping": 1.0}),
    (cl.TorsionSpring, (HINGE,), {}), (cl.Bushing, (G, BAR), {"stiffness": (1.0, 1.0, 1.0)}),
    (cl.Force, (BAR,), {"value": (1.0, 0.0)}), (cl.Torque, (HINGE,), {"value": 1.0}),
    (cl.Drag, (BAR,), {"coefficient": 1.0}),
    (cl.ForceElement, (), {"coordinates": ("hinge.angle",), "law": law}),
    (cl.Motor, (HINGE,), {"voltage": 1.0, "resistance": 1.0, "constant": 1.0}),
    (cl.PD, (HINGE,), {"kp": 1.0}), (cl.PID, (HINGE,), {"kp": 1.0, "ki": 1.0}),
    (cl.PositionActuator, (HINGE,), {"kp": 1.0}), (cl.VelocityActuator, (HINGE,), {"kv": 1.0}),
]  # fmt: skip

VALUES: list[Any] = [
    math.nan, math.inf, 1j, "text", "", b"bytes", (1.0,), (math.nan, 0.0), ((1.0, 2.0), (3.0,)),
    [], {}, {"a": math.nan}, {1: 2}, set(), object(), Unshowable(), 10**400, np.array([]),
    np.zeros((2, 2, 2)), np.array([object()]), np.ma.masked, np.datetime64("2020-01-01"),
    3.0 * unit.kelvin, [1.0, 2.0] * unit.candela, (1.0 * unit.m, 2.0 * unit.s), int, cl, BAR, HINGE,
    range(3), iter([1.0, 2.0]), NotImplemented, ..., slice(1),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "operands", "values"), PARTS, ids=[p[0].__name__ for p in PARTS])
def test_no_field_of_a_part_fails_in_another_way(
    kind: type[Any], operands: tuple[Any, ...], values: dict[str, Any]
) -> None:
    names = list(inspect.signature(kind).parameters)
    valid = dict(zip(names, ("part", *operands), strict=False)) | values
    kind(**valid)
    refused = 0
    for name in names:
        for value in VALUES:
            try:
                kind(**{**valid, name: value})
            except cl.CornerlawError as error:
                refused += 1
                assert "\n" not in str(error)
    assert refused > 15 * len(names)


def push(value: Any = cl.Input("push")) -> cl.Model:  # noqa: B008
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    hinge = cl.Revolute("hinge", G, arm, angle=0.3)
    return cl.Model(hinge, cl.Torque("torque", hinge, value=value), gravity=(0.0, -9.81))


MODEL = push()
Case = tuple[Callable[[cl.Solution], Any], type[Exception], str]
CASES: list[Case] = [
    # times
    (lambda s: cl.equilibrium(MODEL, t="noon"), cl.UsageError, "t must be a finite number of sec"),
    (lambda s: cl.equilibrium(MODEL, t=None), cl.UsageError, "t must be a finite number of sec"),
    (lambda s: cl.equilibrium(MODEL, t=1.0 * unit.m), cl.UnitError, "equilibrium: t has the dim"),
    (lambda s: cl.assemble(MODEL, t=math.inf), cl.UsageError, "t must be a finite number of sec"),
    (lambda s: cl.assemble(MODEL, t=(1.0,)), cl.UsageError, "t must be a finite number of seconds"),
    (lambda s: cl.linearise(MODEL, t=math.nan), cl.UsageError, "t must be a finite number of sec"),
    (lambda s: cl.linearise(MODEL, t="1"), cl.UsageError, "t must be a finite number of seconds"),
    (lambda s: cl.query(MODEL, t=math.nan), cl.UsageError, "t must be a finite number of seconds"),
    (lambda s: cl.query(MODEL, t=3.0 * unit.kg), cl.UnitError, "t has the dimension of [mass]"),
    (lambda s: MODEL.describe(t="now"), cl.UsageError, "t must be a finite number of seconds"),
    (lambda s: MODEL.describe(t=math.nan), cl.UsageError, "t must be a finite number of seconds"),
    (lambda s: cl.simulate(MODEL, 10**400), cl.UsageError, "t_end must be a finite number of sec"),
    (lambda s: cl.simulate(MODEL, np.ones((2, 2))), cl.UsageError, "t_end must be a finite number"),
    (lambda s: cl.kinematics(MODEL, Unshowable()), cl.UsageError, "times must be a list of times"),
    (lambda s: cl.Simulation(MODEL, dt=10**400), cl.UsageError, "dt must be a finite number"),
    (lambda s: cl.Simulation(MODEL, dt=-1.0), cl.UsageError, "dt must be positive, got -1 s"),
    (lambda s: cl.Simulation(MODEL, dt=1e-3).step(duration=10**400), cl.UsageError, "duration"),
    (lambda s: s.at("late", "hinge.angle"), cl.UsageError, "Times must be numbers of seconds"),
    (lambda s: s.at(0.01 * unit.m, "hinge.angle"), cl.UsageError, "Times must be numbers of sec"),
    # choices
    (lambda s: cl.simulate(MODEL, 0.1, strict="no"), cl.UsageError, "strict must be True or False"),
    (lambda s: cl.simulate(MODEL, 0.1, resume="no"), cl.UsageError, "resume must be True or False"),
    (lambda s: cl.simulate(MODEL, 0.1, profile=np.zeros(2)), cl.UsageError, "profile must be True"),
    (lambda s: cl.simulate(MODEL, 0.1, progress=[]), cl.UsageError, "progress must be True or F"),
    (lambda s: cl.simulate(MODEL, 0.1, penetration=np.zeros(2)), cl.UsageError, "penetration must"),
    (lambda s: cl.simulate(MODEL, 0.1, every=10**400), cl.UsageError, "every must be a whole numb"),
    (lambda s: cl.Moreau(dt=1e-3, stabilise="no"), cl.UsageError, "Moreau: stabilise must be True"),
    (lambda s: cl.Moreau(dt=1e-3, on_unconverged=np.zeros(2)), cl.UsageError, "on_unconverged"),
    (lambda s: cl.EventDriven(on_unconverged="accept"), cl.UsageError,
     "EventDriven: on_unconverged can only be 'reject', got 'accept': without the"),
    (lambda s: cl.EventDriven(on_unconverged=np.zeros(2)), cl.UsageError, "on_unconverged"),
    (lambda s: cl.Moreau(dt=10**400), cl.UsageError, "Moreau: dt must be a finite number"),
    (lambda s: cl.Limits(drift=10**400), cl.UsageError, "Limits: drift must be a number >= 0"),
    (lambda s: cl.Model.load("model.toml", trust="no"), cl.UsageError, "trust must be True or Fal"),
    # values by name
    (lambda s: cl.equilibrium(MODEL, {"hinge.angel": 0.1}), cl.UnknownNameError, "'hinge.angle'?"),
    (lambda s: cl.equilibrium(MODEL, {1: 2.0}), cl.UnknownNameError, "found by name, and 1 is not"),
    (lambda s: cl.query(MODEL, {"hinge.angle": "up"}), cl.UsageError, "'hinge.angle' must be"),
    (lambda s: cl.query(MODEL, {"hinge.angle": 1.0 * unit.m}), cl.UnitError, "has the dimension"),
    (lambda s: cl.simulate(MODEL, 0.1, inputs={"psh": 1.0}), cl.UnknownNameError, "no Input named"),
    (lambda s: cl.simulate(MODEL, 0.1, inputs={"push": 1.0 * unit.m}), cl.UnitError,
     "Torque 'torque': value has the dimension of [length]"),
    (lambda s: push(cl.Input("push", 1.0 * unit.kg)), cl.UnitError, "expected N*m"),
    (lambda s: cl.Simulation(MODEL, dt=1e-3).set_input([], 1.0), cl.UsageError, "[] is not a text"),
    (lambda s: cl.inverse_dynamics(MODEL, (0.0, 1.0), {"hinge": "up"}), cl.UsageError, "'hinge'"),
    (lambda s: cl.inverse_dynamics(MODEL, (0.0, 1.0), {"hinge": ("a", "b")}), cl.UsageError,
     "motion: 'hinge' must hold numbers"),
    (lambda s: cl.inverse_dynamics(MODEL, (0.0, 1.0), {"hinge": np.ones(2) * unit.m}), cl.UnitError,
     "motion: 'hinge' has the dimension of [length], expected rad"),
    (lambda s: cl.inverse_dynamics(MODEL, (0.0, 1.0), {"hinge": 1.0}, without="torqe"),
     cl.UnknownNameError, "no force named 'torqe'"),
    (lambda s: MODEL.replace(3.0), cl.ModelError, "replace: changes must be a dict, got 3.0"),
    (lambda s: MODEL.coordinate(3.0), cl.UnknownNameError, "a name must be a string, got 3.0"),
    (lambda s: cl.Coupling("c", terms=((R1, 1.0), (R2, 1.0)), constant=3.0 * unit.kelvin),
     cl.UnitError, "Coupling 'c': constant has the dimension of [temperature], expected rad or m"),
    # names of results
    (lambda s: s.array(3), cl.UsageError, "Results are found by name, and 3 is not a text"),
    (lambda s: s.fetch(3.0), cl.UsageError, "Names must be a list of texts, got 3.0"),
    (lambda s: s.plot({}), cl.UsageError, "{} is not a text"),
    (lambda s: s.plot("hinge.angle", colour="red"), cl.UsageError, 'plot has no option "colour"'),
    (lambda s: s.to_pandas([]), cl.UsageError, "[] is not a text"),
    (lambda s: s.to_xarray(1.0), cl.UsageError, "1.0 is not a text"),
    (lambda s: cl.Simulation(MODEL, dt=1e-3)[3], cl.UsageError, "3 is not a text"),
    (lambda s: cl.query(MODEL).rotation(3.0), cl.UsageError, "3.0 is not a text"),
    (lambda s: cl.query(MODEL).position(np.zeros((2, 2))), cl.UsageError, "is not a text"),
    (lambda s: cl.query(MODEL).jacobian([]), cl.UsageError, "[] is not a text"),
    (lambda s: cl.query(MODEL).jacobian("arm", (1.0, 2.0, 3.0)), cl.ModelError,
     "jacobian: at must be 2 numbers"),
    (lambda s: cl.query(MODEL).jacobian("arm", 0.5), cl.ModelError, "at must be 2 numbers"),
    (lambda s: cl.query(MODEL).mass_matrix()["hinge", "hinge", "hinge"], cl.UsageError,
     "an entry has 2 names here, got 3"),
    (lambda s: cl.query(MODEL).mass_matrix()[3, 0], cl.UsageError, "(3, 0) is neither a name nor"),
    (lambda s: cl.query(MODEL).mass_matrix()[object()], cl.UsageError, "is neither a name nor"),
    # paths
    (lambda s: s.save(3.5), cl.UsageError, "A path must be a text, not a float"),
    (lambda s: s.to_csv(None), cl.UsageError, "A path must be a text, not a NoneType"),
    (lambda s: cl.load(object()), cl.UsageError, "A path must be a text, not a object"),
    # argument lists
    (lambda s: cl.simulate(MODEL), cl.ModelError, "simulate: t_end must be given"),
    (lambda s: cl.simulate(MODEL, 1.0, metod=cl.Radau()), cl.UnknownNameError,
     "simulate has no argument 'metod'; did you mean 'method'?"),
    (lambda s: cl.linearise(MODEL, att=None), cl.UnknownNameError, "did you mean 'at'?"),
    (lambda s: cl.inertia.sphere(1.0), cl.ModelError, "inertia.sphere: radius must be given"),
    (lambda s: cl.inertia.box(1.0, 1.0, 1.0, 1.0), cl.ModelError, "inertia.box takes 2 arguments"),
    (lambda s: cl.rotation.about((0, 0, 1), agle=1.0), cl.UnknownNameError, "did you mean 'angle'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def solution() -> cl.Solution:
    return cl.simulate(MODEL, 0.02, method=cl.RungeKutta4(dt=1e-2))


@pytest.mark.parametrize("case", CASES, ids=[case[2] for case in CASES])
def test_call_is_refused_in_one_sentence(case: Case, solution: cl.Solution) -> None:
    call, kind, text = case
    with pytest.raises(kind) as caught:
        call(solution)
    assert isinstance(caught.value, cl.CornerlawError)
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_quantities_are_converted_everywhere(solution: cl.Solution) -> None:
    degrees = 30.0 * unit.degree
    angle = math.radians(30.0)
    assert cl.query(MODEL, {"hinge.angle": degrees})["hinge.angle"] == pytest.approx(angle)
    speed = cl.query(MODEL, {"hinge.speed": 60.0 * unit.rpm})["hinge.speed"]
    assert speed == pytest.approx(2.0 * math.pi)
    assert cl.equilibrium(MODEL, t=3.0 * unit.minute).t[0] == 180.0
    assert cl.query(MODEL, t=20.0 * unit.ms).t == 0.02
    assert solution.at(10.0 * unit.ms, "hinge.angle") == solution.at(0.01, "hinge.angle")
    sim = cl.Simulation(MODEL, dt=1.0 * unit.ms)
    sim.set_input("push", 2.0 * unit("kN*mm"))
    assert sim.inputs["push"] == pytest.approx(2.0)
    run = cl.simulate(MODEL, 0.01, inputs={"push": 2.0 * unit("kN*mm")})
    same = cl.simulate(MODEL, 0.01, inputs={"push": 2.0})
    assert run["hinge.angle"][-1] == pytest.approx(same["hinge.angle"][-1], rel=1e-14)


def test_motions_with_units_are_converted() -> None:
    """The numbers of an array in degrees were taken for radians."""
    t = np.linspace(0.0, 1.0, 21)
    motion = 0.3 * np.sin(3.0 * t), 0.9 * np.cos(3.0 * t), -2.7 * np.sin(3.0 * t)
    plain = cl.inverse_dynamics(MODEL, t, {"hinge": motion})["hinge.drive_force"]
    turned = np.degrees(motion[0]) * unit.degree
    rates = np.degrees(motion[1]) * unit("degree/s"), np.degrees(motion[2]) * unit("degree/s**2")
    whole = cl.inverse_dynamics(MODEL, t, {"hinge": (turned, *rates)})["hinge.drive_force"]
    np.testing.assert_allclose(whole, plain, rtol=1e-12)
    values = cl.inverse_dynamics(MODEL, t, {"hinge": motion[0]})["hinge.drive_force"]
    for given in (turned, list(turned)):
        found = cl.inverse_dynamics(MODEL, t, {"hinge": given})["hinge.drive_force"]
        np.testing.assert_allclose(found, values, rtol=1e-12)


def test_named_arrays_take_names_and_numbers() -> None:
    M = cl.query(MODEL).mass_matrix()
    assert M["hinge", "hinge"] == M[0, 0] == M["hinge", 0] == M["hinge"][0] == 0.1 + 0.25
    assert M[:, 0].shape == (1,) and cl.query(MODEL).bias_forces()[0] != 0.0


def test_queries_take_parts() -> None:
    arm, query = MODEL.part("arm"), cl.query(MODEL)
    np.testing.assert_array_equal(query.position(arm), query.position("arm"))
    np.testing.assert_array_equal(query.rotation(arm), query.rotation("arm"))


def test_warnings_point_to_the_caller() -> None:
    a, b = (cl.Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in "ab")
    # a triangle of revolute joints in space has three redundant rows
    hinges = [
        cl.Revolute("A", G, a),
        cl.Revolute("B", a, b, at=(1.0, 0.0, 0.0)),
        cl.Revolute("C", b, G, at=(1.0, 0.0, 0.0), at_second=(1.0, 1.0, 0.0)),
    ]
    with pytest.warns(UserWarning) as caught:
        cl.equilibrium(cl.Model(*hinges))
    assert caught[0].filename == __file__
