"""Set-valued elements as a user writes them: units, names, and one clear sentence if wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.compile import compile_model

G = cl.Ground()
ARM = cl.Body("arm", mass=1.0, inertia=0.1)


def ball(**options: Any) -> cl.Spherical:
    return cl.Spherical("s", G, cl.Body("b", mass=1.0, inertia=(0.1, 0.1, 0.1)), **options)


HINGE = cl.Revolute("hinge", G, ARM)
GUIDE = cl.Prismatic("guide", G, ARM, axis=(1.0, 0.0))
PLANE = cl.PlanarJoint("plane", G, ARM)
A, B = cl.Rotor("a", inertia=1.0), cl.Rotor("b", inertia=1.0)
OWN = cl.LagrangianSystem("own", M=np.eye(2), q0=(0.0, 0.0))
BOB = cl.PointMass("bob", mass=1.0)


def contact(**changes: Any) -> cl.UserContact:
    given: dict[str, Any] = {"on": OWN, "gap": 0.1, "normal": (0.0, 1.0), "tangent": (1.0, 0.0)}
    return cl.UserContact("c", **{**given, **changes})


def kinematics(q: Any, u: Any) -> Any:
    return np.eye(3), np.zeros(3), np.zeros((6, 1)), np.zeros(6)


USER = cl.UserJoint("user", G, ARM, kinematics=kinematics, n=1)

WRONG: list[tuple[Callable[[], Any], str]] = [
    # contacts in coordinates
    (lambda: contact(coordinates=("own.q1", "own.q2")), "give either on or coordinates"),
    (lambda: contact(on=None), "give either on or coordinates"),
    (lambda: contact(on=None, coordinates=()), "coordinates must name at least one"),
    (lambda: contact(on=ARM), "on must be a joint"),
    (lambda: contact(gap="near"), "gap must be a number or a function"),
    (lambda: contact(gap=float("nan")), "gap must be finite"),
    (lambda: contact(gap=lambda q, t: q[0]), "normal follows from gap"),
    (lambda: contact(normal=None), "normal must be given, as gap is a number"),
    (lambda: contact(normal=(0.0, 0.0)), "normal must not be all zero"),
    (lambda: contact(normal=(1.0, 0.0, 0.0)), "normal must have one number for each of the 2"),
    (lambda: contact(tangent=(1.0,)), "tangent must have one number for each of the 2"),
    (lambda: contact(tangent=(0.0, 0.0)), "tangent must not be all zero"),
    (lambda: contact(tangent=None, mu=0.3), "tangent must be given, as mu is"),
    (lambda: contact(tangent=None, eps_T=0.3), "tangent must be given, as eps_T is"),
    (lambda: contact(mu=-0.1), "mu must be >= 0, got -0.1"),
    (lambda: contact(mu="rough"), "mu must be a number, Coulomb, Stribeck, Table or function"),
    (lambda: cl.Coulomb(cl.Table((0.0, 1.0), (0.1, -0.1))), "mu must be >= 0 at every point"),
    (lambda: contact(eps_N=1.2), "eps_N must be from 0 to 1, got 1.2"),
    (lambda: contact(eps_T=1.5), "eps_T must be <= 1"),
    (lambda: contact(eps_speed=-1.0), "eps_speed must be >= 0"),
    (lambda: contact(derivatives="guessed"), 'derivatives must be "exact" or "numerical"'),
    (lambda: contact(friction=0.1), "has no field 'friction'"),
    # friction of joints
    (lambda: cl.JointFriction("f", HINGE), "give either torque or mu"),
    (lambda: cl.JointFriction("f", HINGE, torque=1.0, mu=0.1), "give either torque or mu"),
    (lambda: cl.JointFriction("f", HINGE, torque=-1.0), "torque must be >= 0, got -1"),
    (lambda: cl.JointFriction("f", HINGE, torque=1.0, load=2.0), "load has no meaning"),
    (lambda: cl.JointFriction("f", HINGE, torque=1.0, radius=2.0), "radius has no meaning"),
    (lambda: cl.JointFriction("f", HINGE, mu=0.1), "radius must be given, as the coordinate is"),
    (lambda: cl.JointFriction("f", HINGE, mu=0.1, radius=0.0), "radius must be > 0"),
    (
        lambda: cl.JointFriction("f", HINGE, mu=cl.Coulomb(0.1, radius=0.1), radius=0.1),
        "radius is given twice",
    ),
    (lambda: cl.JointFriction("f", A, mu=0.1, radius=0.1), "load must be given, as Rotor 'a'"),
    (lambda: cl.JointFriction("f", USER, mu=0.1), "load must be given, as UserJoint 'user'"),
    (lambda: cl.JointFriction("f", HINGE, mu=0.1, load=-1.0, radius=0.1), "load must be >= 0"),
    (lambda: cl.JointFriction("f", PLANE, torque=1.0), "coordinate must be given, as PlanarJoint"),
    (lambda: cl.JointFriction("f", HINGE, coordinate="angel", torque=1.0), "did you mean 'angle'"),
    (lambda: cl.JointFriction("f", G, torque=1.0), "on must be a joint"),
    (lambda: cl.JointFriction("f", HINGE, torque=cl.Motion(lambda t: t)), "got a Motion"),
    (lambda: HINGE.replace(friction=0.1), "friction must be a friction law such as Coulomb"),
    (lambda: HINGE.replace(friction=cl.Coulomb(0.1)), "friction needs a radius"),
    (lambda: cl.Weld("w", G, ARM, friction=cl.Coulomb(0.1)), "friction needs a coordinate"),
    (
        lambda: cl.FreeJoint("s", G, ARM, friction=cl.Coulomb(0.1, radius=0.1)),
        "friction cannot act on the motion of a FreeJoint as a whole",
    ),
    (lambda: cl.Spherical("s", G, ARM, friction=cl.Coulomb(0.1)), "friction needs a radius"),
    (lambda: cl.Coulomb(-0.2), "Coulomb: mu must be >= 0"),
    (lambda: cl.Coulomb(0.2, radius=-1.0), "Coulomb: radius must be > 0"),
    (lambda: cl.Coulomb(0.2, radios=1.0), "Coulomb has no field 'radios'"),
    # limits
    (lambda: cl.Limit("l", HINGE), "give lower, upper or both"),
    (lambda: cl.Limit("l", HINGE, lower=1.0, upper=1.0), "upper must be above lower = 1, got 1"),
    (lambda: cl.Limit("l", BOB, lower=0.0), "coordinate must be given, such as 'position_x'"),
    (lambda: cl.Limit("l", OWN, lower=0.0), "coordinate must be given, as LagrangianSystem"),
    (lambda: cl.Limit("l", OWN, coordinate="q3", lower=0.0), "is not 'q3'"),
    (lambda: HINGE.replace(limits=(1.0, -1.0)), "limits must be increasing, got 1 and -1"),
    (lambda: HINGE.replace(limits=1.0), "limits must be 2 numbers"),
    (lambda: HINGE.replace(eps_N=0.5), "eps_N is the restitution of limits, which are not given"),
    (lambda: HINGE.replace(limits=(0.0, 1.0), eps_N=-0.5), "eps_N must be from 0 to 1"),
    (lambda: HINGE.replace(limits=(None, None)), "limits must have a lower end, an upper end or"),
    (lambda: HINGE.replace(limits={}), "limits must name at least one coordinate"),
    (lambda: HINGE.replace(limits={"angel": (0.0, 1.0)}), "no coordinate 'angel'; did you mean"),
    (lambda: HINGE.replace(limits={"angle": (2.0, 1.0)}), "limits[angle] must be increasing"),
    (
        lambda: PLANE.replace(limits=(0.0, 1.0)),
        "must be a dict, as PlanarJoint has position_x, posit",
    ),
    (
        lambda: PLANE.replace(limits={"angle": (0.0, 1.0)}, eps_N={"position_x": 0.5}),
        "eps_N names no limit 'position_x'",
    ),
    (
        lambda: PLANE.replace(limits={"angle": (0.0, 1.0)}, eps_N={"angle": 2.0}),
        "eps_N[angle] must be from 0 to 1",
    ),
    (
        lambda: ball(limits=(0.0, 1.0)),
        "must be a dict, as Spherical has swing, twist; for example",
    ),
    (lambda: ball(limits={"swing": 4.0}), "limits[swing] must be above 0 and below pi, got 4"),
    (lambda: ball(limits={"swing": (0.0, 1.0)}), "limits[swing] must be one number"),
    (lambda: ball(limits={"twist": (0.0, 1.0)}), "limits[twist] needs a limit of the swing"),
    (lambda: ball(limits={"swing": 1.0, "twist": (None, 1.0)}), "as a twist counts no turns"),
    (lambda: ball(limits={"swing": 1.0, "twist": (-4.0, 1.0)}), "as a twist counts no turns"),
    (lambda: cl.Weld("w", G, ARM, limits=(0.0, 1.0)), "Weld has none"),
    # two axes
    (lambda: cl.Brake("k", A, capacity=-1.0), "capacity must be >= 0"),
    (lambda: cl.Brake("k", A), "capacity must be given"),
    (lambda: cl.Clutch("k", A, A, capacity=1.0), "first and second are the same coordinate 'a'"),
    (lambda: cl.Clutch("k", A, PLANE, capacity=1.0), "second must have one coordinate, Planar"),
    (lambda: cl.Clutch("k", A, ARM, capacity=1.0), "second must be a joint, Rotor, Slider or"),
    (lambda: cl.Clutch("k", A, 3, capacity=1.0), "second must be a joint, Rotor, Slider or"),
    (lambda: cl.Freewheel("w", A, B, direction=2.0), "direction must be 1 or -1, got 2"),
    (lambda: cl.Freewheel("w", A, B, direction=0.0), "direction must not be 0"),
    (lambda: cl.Freewheel("w", A, "a"), "first and second are the same coordinate 'a'"),
    (lambda: cl.Backlash("p", A, B, gap=0.0), "gap must be > 0"),
    (lambda: cl.Backlash("p", A, B, gap=0.1, ratio=0.0), "ratio must not be 0"),
    (lambda: cl.Backlash("p", A, B, gap=0.1, eps_N=2.0), "eps_N must be from 0 to 1"),
    # ropes
    (lambda: cl.Rope("r", G, BOB), "length must be given"),
    (lambda: cl.Rope("r", G, BOB, length=0.0), "length must be > 0"),
    (lambda: cl.Rope("r", BOB, BOB, length=1.0), "first and second are the same part"),
    (lambda: cl.Rope("r", G, cl.Ground("earth"), length=1.0), "can move; one must"),
    # own sets
    (
        lambda: cl.UserSet("u", coordinates=(), coefficients=(1.0,), upper=1.0),
        "coordinates must name at least one",
    ),
    (
        lambda: cl.UserSet("u", coordinates=("a",), coefficients=(1.0, 2.0), upper=1.0),
        "coefficients must have one number for each of the 1",
    ),
    (
        lambda: cl.UserSet("u", coordinates=("a",), coefficients=(0.0,), upper=1.0),
        "coefficients must not be all zero",
    ),
    (lambda: cl.UserSet("u", coordinates=("a",), coefficients=(1.0,)), "give lower, upper or both"),
    (
        lambda: cl.UserSet("u", coordinates=("a",), coefficients=(1.0,), lower=2.0, upper=1.0),
        "upper must be >= lower = 2, got 1",
    ),
    (
        lambda: cl.UserSet("u", coordinates=("a",), coefficients=(1.0,), lower=-1.0),
        "lower must be 0 if upper is not given",
    ),
    # in a model
    (lambda: cl.Model(A, cl.Clutch("k", A, "b.angle", capacity=1.0)), "no part named 'b'"),
    (lambda: cl.Model(A, B, cl.Clutch("k", A, "b.angel", capacity=1.0)), "did you mean 'angle'"),
    (lambda: cl.Model(A, cl.Clutch("k", A, "a.angle", capacity=1.0)), "the same coordinate"),
    (lambda: cl.Model(cl.Rope("r", G, BOB, length=1.0)), "is attached to nothing"),
    (lambda: cl.Model(contact(on="nothing")), "refers to a part that does not exist"),
]


@pytest.mark.parametrize(("make", "text"), WRONG, ids=[text for _, text in WRONG])
def test_wrong_input_is_one_sentence(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(cl.ModelError) as caught:
        make()
    message = str(caught.value)
    assert text in message
    assert "\n" not in message


WRONG_TO_COMPILE: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: cl.Model(PLANE.replace(friction=cl.Coulomb(0.1, radius=0.1)), gravity=(0, -9.81)),
        "has no reaction force that could load its friction",
    ),
    (
        lambda: cl.Model(
            HINGE, cl.Limit("l", ARM, coordinate="position_x", lower=0.0), gravity=(0.0, -9.81)
        ),
        "Limit 'l': Body 'arm' has no coordinate 'position_x'",
    ),
    (
        lambda: cl.Model(cl.Brake("k", A, capacity=lambda t, q: 1.0)),
        "Brake 'k': capacity must be a function of 1 or 3 arguments, it takes 2",
    ),
    (
        lambda: cl.Model(
            HINGE.replace(friction=cl.Coulomb(0.1, radius=0.1)),
            cl.Brake("k", "hinge", capacity=1.0),
            cl.Torque("t", "hinge", value=1.0),
        ),
        "Torque 't': Revolute 'hinge' has friction from its own reaction",
    ),
    (
        lambda: cl.Model(
            cl.Translation("table", G, ARM, limits={"position_z": (0.0, 1.0)}), gravity=(0.0, -9.81)
        ),
        "position_z",
    ),
]


@pytest.mark.parametrize(
    ("make", "text"), WRONG_TO_COMPILE, ids=[text for _, text in WRONG_TO_COMPILE]
)
def test_what_only_shows_when_compiled(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(cl.CornerlawError) as caught:
        compile_model(make())
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_units() -> None:
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()
    limit = cl.Limit("l", HINGE, lower=-90.0 * unit.degree, upper=0.25 * unit.turn)
    assert (limit.lower, limit.upper) == pytest.approx((-np.pi / 2, np.pi / 2), rel=1e-15)
    assert cl.Rope("r", G, BOB, length=20.0 * unit.cm).length == pytest.approx(0.2, rel=1e-15)
    assert cl.Brake("k", A, capacity=2.0 * unit.kN * unit.mm).capacity == pytest.approx(2.0)
    assert cl.Brake("k", GUIDE, capacity=2.0 * unit.kN).capacity == 2000.0
    assert cl.Coulomb(0.1, radius=5.0 * unit.mm).radius == pytest.approx(0.005)
    floor = cl.Limit("f", BOB, coordinate="position_y", lower=10.0 * unit.mm)
    assert floor.lower == pytest.approx(0.01)
    assert GUIDE.replace(limits=np.array([1.0, 2.0]) * unit.cm).limits == (0.01, 0.02)
    stops = {"angle": (-90.0 * unit.degree, None), "position_x": (0.0, 5.0 * unit.mm)}
    ends = PLANE.replace(limits=stops).limit_ranges
    assert ends["angle"] == (pytest.approx(-np.pi / 2), None)
    assert ends["position_x"] == pytest.approx((0.0, 0.005))
    assert ball(limits={"swing": 30.0 * unit.degree}).limits["swing"] == pytest.approx(np.pi / 6)
    with pytest.raises(cl.UnitError, match="position_x"):
        PLANE.replace(limits={"position_x": (0.0, 5.0 * unit.degree)})
    with pytest.raises(cl.UnitError, match="swing"):
        ball(limits={"swing": 1.0 * unit.m})
    with pytest.raises(cl.UnitError, match="capacity has the dimension of"):
        cl.Brake("k", A, capacity=2.0 * unit.kN)
    with pytest.raises(cl.UnitError, match="lower has the dimension of"):
        cl.Limit("l", HINGE, lower=1.0 * unit.m)
    with pytest.raises(cl.UnitError, match="limits has the dimension of"):
        GUIDE.replace(limits=np.array([1.0, 2.0]) * unit.rad)


def test_names_and_parts_mean_the_same() -> None:
    by_part = cl.Model(A, B, cl.Clutch("k", A, B, capacity=1.0))
    by_name = cl.Model(A, B, cl.Clutch("k", "a", "b.angle", capacity=1.0))
    assert by_part == by_name
    assert by_part.part("k").first == "a.angle"  # type: ignore[attr-defined]


def test_elements_bring_their_operands() -> None:
    model = cl.Model(cl.Limit("stop", HINGE, upper=1.0), contact(mu=0.3))
    assert [p.name for p in model.parts] == ["ground", "arm", "hinge", "stop", "own", "c"]


def test_a_submodel_renames_coordinates() -> None:
    drive = cl.Submodel(A, B, cl.Clutch("k", A, "b.angle", capacity=1.0))
    model = cl.Model(drive.with_prefix("left"), drive.with_prefix("right"))
    clutch: Any = model.part("right.k")
    assert (clutch.first, clutch.second) == ("right.a.angle", "right.b.angle")
    assert len(compile_model(model).corners) == 2


def test_replace_changes_a_value() -> None:
    model = cl.Model(cl.Limit("stop", HINGE, upper=1.0)).replace({"stop.upper": 2.0})
    (corner,) = compile_model(model).corners
    assert corner.normal is not None
    assert corner.normal.data[0] == -2.0
