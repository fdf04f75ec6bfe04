"""Contours, contacts and rules: what they accept, and the sentence for what they refuse."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.compile import compile_model

BALL = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 1.0))
OTHER = cl.Disk("other", mass=1.0, radius=0.1)
FLOOR = cl.Ground("floor", normal=(0.0, 1.0))
BOX = cl.Body("box", mass=1.0, inertia=1.0)
SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def wave(s: float) -> tuple[float, float]:
    return s, math.sin(s)


REFUSED: list[tuple[Any, str]] = [
    (lambda: cl.Circle("c", BOX, radius=0.0), "Circle 'c': radius must be > 0"),
    (lambda: cl.Circle("c", BOX), "radius must be given"),
    (lambda: cl.Circle("c", "box", radius=1.0, at=(0.0, 0.0, 0.0)), "at must be 2 numbers"),
    (lambda: cl.Circle("c", BALL.name, raduis=1.0), "no field 'raduis'; did you mean 'radius'"),
    (lambda: cl.Arc("a", BOX, radius=1.0, start=1.0, end=0.5), "end must be above start"),
    (lambda: cl.Line("l", BOX, normal=(0.0, 0.0)), "normal must not be the zero vector"),
    (lambda: cl.Segment("s", BOX, start=(1.0, 0.0), end=(1.0, 0.0)), "end must differ from start"),
    (lambda: cl.Polygon("p", BOX, vertices=SQUARE[:2]), "at least 3 points, got 2"),
    (lambda: cl.Polygon("p", BOX, vertices=SQUARE[::-1]), "turns right at vertex 0"),
    (lambda: cl.Polygon("p", BOX, vertices=(*SQUARE, (0.5, 0.5))), "turns right at vertex 4"),
    (lambda: cl.Polygon("p", BOX, vertices=(*SQUARE, (0.0, 0.5))), "no corner at vertex"),
    (lambda: cl.Parabola("p", BOX, curvature=-1.0), "curvature must be > 0"),
    (lambda: cl.Curve("c", BOX, function=wave, s=(1.0, 0.0)), "s must be two growing numbers"),
    (lambda: cl.SplineCurve("c", BOX, points=SQUARE[:1]), "at least 3 points"),
    (lambda: cl.Contact(BALL), "second must be given"),
    (lambda: cl.Contact(BALL, BALL), "first and second are both on Disk 'ball'"),
    (lambda: cl.Contact(BALL, cl.Circle("c", BALL, radius=1.0)), "both on Disk 'ball'"),
    (lambda: cl.Contact(BALL, cl.Ground()), "which has no contour; give it a normal"),
    (lambda: cl.Contact(BALL, BOX), "which has no contour; put a Circle"),
    (lambda: cl.Contact(FLOOR, cl.Line("l", FLOOR, normal=(1.0, 0.0))), "both on Ground 'floor'"),
    (lambda: cl.Contact(FLOOR, cl.Ground("b", normal=(1.0, 0.0))), "one must"),
    (lambda: cl.Contact(BALL, FLOOR, mu=-0.1), "mu must be >= 0"),
    (lambda: cl.Contact(BALL, FLOOR, mu="steel"), "mu must be a number, Coulomb"),
    (lambda: cl.Contact(BALL, FLOOR, mu=cl.Coulomb(0.1, radius=0.2)), "has a radius"),
    (lambda: cl.Contact(BALL, FLOOR, eps_N=1.5), "eps_N must be from 0 to 1"),
    (lambda: cl.Contact(BALL, FLOOR, eps_T=-0.5), "eps_T must be from 0 to 1"),
    (lambda: cl.Contact(BALL, FLOOR, normal=3.0), "normal must be KelvinVoigt"),
    (lambda: cl.Contact(BALL, FLOOR, normal=cl.KelvinVoigt(1.0), eps_N=0.5), "restitution is its"),
    (lambda: cl.Coulomb(0.3, static=0.2), "static must be at least mu = 0.3"),
    (lambda: cl.Stribeck(0.3, 0.2, 0.0), "velocity must be > 0"),
    (lambda: cl.HuntCrossley(-1.0), "stiffness must be > 0"),
    (lambda: cl.LankaraniNikravesh(1.0, 2.0), "restitution must be from 0 to 1"),
    (lambda: cl.hertz_stiffness(1.0, 0.9, 1.0, 1.0, 0.3), "nu1 must be above -1"),
    (lambda: cl.hertz_stiffness(1.0, 0.3, 1.0, 1.0, 0.3, -0.5), "fit into each other"),
    (lambda: cl.Materials({"steel": {}}), "must have two materials as key"),
    (lambda: cl.Materials({("a", "b"): {"my": 1.0}}), "has no law 'my'; did you mean 'mu'"),
    (lambda: cl.Materials([("a", "b", {}), ("b", "a", {})]), "twice"),
    (lambda: cl.AllContacts("all", except_="ball"), "must be a tuple of names"),
    (lambda: cl.Model(BALL, OTHER, cl.AllContacts("all", among=("bal",))), "did you mean 'ball'"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(cl.ModelError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


HOLE = cl.Circle("hole", FLOOR, radius=0.05, inside=True)
PLATE = cl.Segment("plate", BOX, start=(0.0, 0.0), end=(1.0, 0.0), two_sided=True)
IMPOSSIBLE: list[tuple[Any, Any, str]] = [
    (cl.ContactPoint("p", BOX), cl.PointMass("q", mass=1.0), "two points have no normal"),
    (cl.Line("l", BOX, normal=(0.0, 1.0)), FLOOR, "two lines always cross"),
    (cl.Circle("c", BOX, radius=1.0, inside=True), HOLE, "both are seen from inside"),
    (cl.Circle("c", BOX, radius=1.0, inside=True), FLOOR, "a line does not fit"),
    (BALL, HOLE, "larger than the hole"),
    (PLATE, cl.PointMass("q", mass=1.0), "a point has no side"),
    (PLATE, cl.Parabola("p", BALL, curvature=1.0), "use a Polygon"),
]


@pytest.mark.parametrize(("first", "second", "reason"), IMPOSSIBLE)
def test_pairs_that_cannot_touch(first: Any, second: Any, reason: str) -> None:
    for pair in ((first, second), (second, first)):
        with pytest.raises(cl.ModelError, match=reason):
            cl.Contact(*pair)


def test_default_name_and_slots() -> None:
    square = cl.Polygon("square", BOX, vertices=SQUARE)
    contact = cl.Contact(square, FLOOR, mu=0.3)
    assert contact.name == "square-floor"
    model = cl.Model(BOX, BALL, contact, cl.Contact(BALL, square, name="hit"))
    labels = [corner.label for corner in compile_model(model).corners]
    assert labels == [*(f"square-floor[{k}]" for k in range(4)), "hit"]
    assert [part.name for part in model.contacts] == ["square-floor", "hit"]
    assert model.contours == (model.part("square"),)
    assert model.replace({"hit.mu": 0.5}).part("hit").mu == 0.5  # type: ignore[attr-defined]


def test_law_of_friction_is_reported_as_what_it_is() -> None:
    jump = cl.Contact(BALL, FLOOR, mu=cl.Coulomb(0.2, static=0.3))
    assert "jumps from 0.3 at rest to 0.2" in jump.warning
    assert cl.Contact(BALL, FLOOR, mu=cl.Stribeck(0.3, 0.2, 0.1)).warning == ""
    corner = compile_model(cl.Model(BALL, jump)).corners[0]
    assert corner.mu == 0.3 and corner.mu_signal >= 0


def test_the_jump_of_friction_is_told_by_model_and_run() -> None:
    model = cl.Model(BALL, cl.Contact(BALL, FLOOR, mu=cl.Coulomb(0.2, static=0.3)))
    assert len(model.warnings) == 1
    assert model.warnings[0] in str(model.describe())
    sol = cl.simulate(model, t_end=0.01, method=cl.Moreau(dt=1e-2))
    assert sol.info.warnings == model.warnings


def test_coefficient_at_rest_is_the_limit_of_slow_sliding() -> None:
    for law in (
        cl.Stribeck(0.4, 0.2, 0.1),
        cl.Table((0.0, 1.0), (0.4, 0.1)),
        cl.Table((0.0, 0.5, 1.0, 2.0), (0.4, 0.3, 0.2, 0.1), kind="cubic"),
        lambda v: 0.2 + 0.2 / (1.0 + v),
    ):
        corner = compile_model(cl.Model(BALL, cl.Contact(BALL, FLOOR, mu=law))).corners[0]
        assert corner.mu == pytest.approx(0.4, abs=1e-15)


def test_units_are_converted() -> None:
    pint = pytest.importorskip("pint")
    u = pint.UnitRegistry()
    contact = cl.Contact(BALL, FLOOR, eps_speed=2.0 * u.cm / u.s, normal=None)
    assert contact.eps_speed == pytest.approx(0.02)
    assert cl.Circle("c", BOX, radius=5.0 * u.cm).radius == pytest.approx(0.05)
    assert cl.Polygon("p", BOX, vertices=SQUARE * u.mm).vertices[2] == pytest.approx((1e-3, 1e-3))
    with pytest.raises(cl.UnitError, match="radius"):
        cl.Circle("c", BOX, radius=5.0 * u.kg)
    steel = cl.hertz_stiffness(210.0 * u.GPa, 0.3, 1.0 * u.cm, 210.0 * u.GPa, 0.3)
    # 4/3 E / (2 (1 - nu^2)) sqrt(R)
    assert steel == pytest.approx(4.0 / 3.0 * 210e9 / 1.82 * math.sqrt(0.01), rel=1e-12)


def test_rules_make_pairs() -> None:
    discs = [
        cl.Disk(f"d{k}", mass=1.0, radius=0.1, position=(float(k), 0.0), group="discs")
        for k in range(3)
    ]
    arm = cl.Body("arm", mass=1.0, inertia=1.0)
    joint = cl.Revolute("pin", discs[0], arm)
    tip = cl.ContactPoint("tip", arm, at=(1.0, 0.0))

    def names(*more: cl.Part, **rule: Any) -> set[str]:
        parts = (*discs, FLOOR, joint, tip, *more)
        model = cl.Model(*parts, cl.AllContacts("rule", **rule))
        return {contact.name for contact in model.contacts}

    everything = {"d0-d1", "d0-d2", "d1-d2", "d0-floor", "d1-floor", "d2-floor"}
    # the arm hangs on the first disc
    everything |= {"tip-floor", "d1-tip", "d2-tip"}
    assert names() == everything
    assert names(joined=True) == everything | {"d0-tip"}
    assert names(except_=("tip",)) == {x for x in everything if "tip" not in x}
    assert names(except_=(("discs", "discs"),)) == everything - {"d0-d1", "d0-d2", "d1-d2"}
    assert names(among=("discs",)) == {"d0-d1", "d0-d2", "d1-d2"}
    assert names(among=("discs",), against=("floor",)) == {"d0-floor", "d1-floor", "d2-floor"}
    assert names(among=("arm",), against=("floor",)) == {"tip-floor"}
    own = cl.Contact(FLOOR, discs[0], name="mine")
    renamed = cl.Model(*discs, FLOOR, cl.AllContacts("rule", among=("d0", "d1")))
    renamed = renamed.replace({"d0": discs[0].replace(name="first")})
    assert [contact.name for contact in renamed.contacts] == ["first-d1"]
    assert names(own) == (everything - {"d0-floor"}) | {"mine"}


def test_materials_give_laws(tmp_path: Path) -> None:
    table = cl.Materials({("steel", "ice"): {"mu": 0.02}, ("steel", "steel"): {"eps_N": 0.9}})
    a = cl.Disk("a", mass=1.0, radius=0.1, material="steel")
    b = cl.Disk("b", mass=1.0, radius=0.1, position=(1.0, 0.0), material="steel")
    ice = cl.Ground("ice", normal=(0.0, 1.0), material="ice")
    model = cl.Model(a, b, ice, cl.AllContacts("all", materials=table, mu=0.5))
    laws = {c.name: (c.mu, c.eps_N) for c in model.contacts}  # type: ignore[attr-defined]
    assert laws == {"a-b": (0.5, 0.9), "a-ice": (0.02, 0.0), "b-ice": (0.02, 0.0)}
    model.save(tmp_path / "model.toml")
    assert cl.Model.load(tmp_path / "model.toml").contacts == model.contacts
    assert table.contact(a, ice, eps_N=0.1).eps_N == 0.1
    with pytest.raises(cl.UnknownNameError, match=r"for 'a' and 'c'.*'steel-wood'"):
        c = cl.Disk("c", mass=1.0, radius=0.1, material="wood")
        cl.Model(a, c, cl.AllContacts("all", materials=table))


def test_distance_between_any_two_contours() -> None:
    wall = cl.Polygon(
        "wall", cl.Ground(), vertices=((1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 2.0))
    )
    model = cl.Model(BALL, FLOOR)
    found = cl.distance(model, "ball", FLOOR)
    assert found.gap == pytest.approx(0.9, abs=1e-15)
    assert tuple(found.normal) == (0.0, 1.0)
    assert cl.distance(model, BALL, wall).gap == pytest.approx(0.9, abs=1e-15)
    moved = cl.query(model, {"ball.position_y": 0.05}).distance("ball", "floor")
    assert moved.gap == pytest.approx(-0.05, abs=1e-15)
    lift = cl.MovingFrame("lift", position=(0.0, lambda t: 0.1 * t), normal=(0.0, 1.0))
    assert cl.distance(model, BALL, lift, t=3.0).gap == pytest.approx(0.6, abs=1e-15)
    arc = cl.Arc("arc", cl.Ground(), radius=0.1, start=-2.0, end=-1.0)
    assert cl.distance(model, BALL, arc).gap == math.inf
    with pytest.raises(cl.UnknownNameError):
        cl.distance(model, "ball", "flor")


def test_curves_are_checked_when_compiled() -> None:
    def contact(curve: cl.Curve) -> cl.Model:
        return cl.Model(BALL, cl.Contact(BALL, curve))

    with pytest.raises(cl.CompileError, match="function must return two finite numbers"):
        compile_model(contact(cl.Curve("c", FLOOR, function=lambda s: (s,), s=(0.0, 1.0))))
    with pytest.raises(cl.CompileError, match="fails when called"):
        compile_model(contact(cl.Curve("c", FLOOR, function=lambda s: 1 / 0, s=(0.0, 1.0))))
    with pytest.raises(cl.ModelError, match="is closed, but its ends are"):
        compile_model(contact(cl.Curve("c", FLOOR, function=wave, s=(0.0, 1.0), closed=True)))
    with pytest.raises(cl.CompileError, match="derivatives cannot be derived"):
        compile_model(contact(cl.Curve("c", FLOOR, function=bend, s=(-1.0, 1.0))))
    # the ball is over the left half, a parabola; differences are good to 1e-8
    numerical = cl.Curve("c", FLOOR, function=bend, s=(-1.0, 1.0), derivatives="numerical")
    found = cl.distance(cl.Model(BALL), BALL, numerical)
    x = np.linspace(-1.0, 1.0, 200_001)
    y = np.where(x > 0.0, 0.5 * x**2, 0.1 * x**2)
    assert found.gap == pytest.approx(np.min(np.hypot(x, 1.0 - y)) - 0.1, abs=1e-7)


def bend(s: float) -> tuple[float, float]:
    if s > 0.0:
        return -s, 0.1 * s**2
    return -s, 0.5 * s**2
