"""Models as users write them: units, collection of parts, replacement, submodels, lazy names."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import types
from fractions import Fraction

import numpy as np
import pint
import pytest

import cornerlaw as cl
from cornerlaw.model.frames import placement
from cornerlaw.model.part import PART_TYPES, field_specs
from cornerlaw.model.registry import register
from cornerlaw.model.rotation import as_matrix

unit = pint.UnitRegistry()


def slider_crank(value: object = 5.0) -> cl.Model:
    ground = cl.Ground()
    crank = cl.Body("crank", mass=0.5, inertia=cl.inertia.rod(0.5, length=0.15), com=(0.075, 0.0))
    rod = cl.Body("rod", mass=0.8, inertia=cl.inertia.rod(0.8, length=0.60), com=(0.300, 0.0))
    piston = cl.Body("piston", mass=0.4)
    return cl.Model(
        cl.Revolute("main bearing", ground, crank),
        cl.Revolute("crank pin", crank, rod, at=(0.15, 0.0)),
        cl.Revolute("piston pin", rod, piston, at=(0.60, 0.0)),
        cl.Prismatic("guide", ground, piston, axis=(1.0, 0.0)),
        cl.Torque("gas", on="main bearing", value=value),
        gravity=(0.0, -9.81),
    )


def test_bodies_are_collected_and_names_resolved() -> None:
    model = slider_crank()
    assert [p.name for p in model.bodies] == ["crank", "rod", "piston"]
    assert [p.name for p in model.parts] == [
        "ground", "crank", "main bearing", "rod", "crank pin", "piston", "piston pin", "guide",
        "gas",
    ]  # fmt: skip
    assert model.part("gas").on is model.part("main bearing")
    assert model.part("crank pin").first is model.part("crank")
    assert (model.dim, len(model.joints), len(model.forces)) == (2, 4, 1)
    assert repr(model) == "<Model 'model': planar, 3 bodies, 4 joints, 1 force>"


def test_operands_come_before_the_parts_that_use_them() -> None:
    model = slider_crank()
    order = {item.name: k for k, item in enumerate(model.parts)}
    for item in model.parts:
        for reference in item.references():
            assert order[reference.name] < order[item.name]


def test_stored_values_are_plain() -> None:
    body = cl.Body(
        "b", mass=np.float32(0.5), com=np.array([1, 2, 3]), position=[Fraction(1, 2), 0, 0]
    )
    assert type(body.mass) is float
    assert body.com == (1.0, 2.0, 3.0)
    assert type(body.com[0]) is float
    assert body.position == (0.5, 0.0, 0.0)
    with pytest.raises(AttributeError):
        body.mass = 2.0


def test_units_are_converted() -> None:
    body = cl.Body(
        "b",
        mass=500 * unit.gram,
        inertia=(2.0, 2.0, 3.0) * unit("g*m^2"),
        com=(10 * unit.cm, 0.0, 0.0),
        rotation=as_matrix(0.0),
        angular_velocity=np.array([0.0, 0.0, 60.0]) * unit.rpm,
    )
    assert body.mass == pytest.approx(0.5, rel=1e-15)
    assert body.com == pytest.approx((0.1, 0.0, 0.0), rel=1e-15)
    assert body.tensor[2][2] == pytest.approx(0.003, rel=1e-15)
    assert body.angular_velocity[2] == pytest.approx(2.0 * math.pi, rel=1e-15)
    planar = cl.Body("p", rotation=90 * unit.degree, inertia=5 * unit("g*m^2"))
    assert planar.rotation == pytest.approx(math.pi / 2, rel=1e-15)
    assert planar.tensor[2][2] == pytest.approx(0.005, rel=1e-15)
    hinge = cl.Revolute(
        "h", cl.Ground(), planar, angle=180 * unit.degree, armature=1 * unit("kg*m^2")
    )
    assert hinge.angle == pytest.approx(math.pi, rel=1e-15)
    slide = cl.Prismatic("s", cl.Ground(), planar, axis=(1, 0), displacement=3 * unit.mm)
    # the same controller acts on angles and on lengths
    assert cl.PD("a", hinge, kp=2 * unit("kN*m/rad")).kp == pytest.approx(2000.0)
    assert cl.PD("b", slide, kp=2 * unit("N/mm"), limit=1 * unit.kN).kp == pytest.approx(2000.0)
    assert cl.Model(planar, gravity=(0.0, -981.0) * unit("cm/s^2")).gravity == pytest.approx(
        (0.0, -9.81)
    )
    assert cl.Table((0.0, 1.0) * unit.mm, (0.0, 1.0) * unit.kN).y == (0.0, 1000.0)
    assert cl.inertia.rod(1 * unit.kg, 2 * unit.m).tensor[1][1] == pytest.approx(1 / 3)


def test_every_field_of_every_part_has_a_kind_and_a_unit() -> None:
    for name, kind in PART_TYPES.items():
        assert kind.__doc__, name
        for s in field_specs(kind):
            assert isinstance(s.kind.unit, str)
            for word in s.kind.unit.split("|"):
                unit.parse_units("" if word == "1" else word)


def test_every_initial_value_has_the_name_of_its_coordinate() -> None:
    for kind in PART_TYPES.values():
        fields = {s.name: s.kind.unit for s in field_specs(kind)}
        for name, given in (*getattr(kind, "COORDINATES", ()), *getattr(kind, "VELOCITIES", ())):
            assert name in fields
            if name != "rotation":
                assert fields[name] == given


def test_inertia_objects_give_mass_and_centre() -> None:
    block = cl.Inertia(2.0, (1.0, 1.0, 1.0), com=(0.1, 0.2, 0.3))
    body = cl.Body("b", inertia=block)
    assert body.mass == 2.0
    assert body.centre == (0.1, 0.2, 0.3)
    assert cl.Body("b", inertia=block, com=(0.5, 0.0)).centre == (0.5, 0.0, 0.0)
    other = body.replace(inertia=cl.Inertia(3.0, (1.0, 1.0, 1.0)))
    assert other.mass == 3.0


def test_rotations_are_kept_and_corrected() -> None:
    e = np.array([1.0, 2.0, 3.0, 4.0]) / math.sqrt(30.0)
    body = cl.Body("b", rotation=e * (1.0 + 1e-8))
    assert math.hypot(*body.rotation) == pytest.approx(1.0, abs=1e-15)
    r = np.array(as_matrix(body.rotation))
    assert np.allclose(r @ r.T, np.eye(3), atol=1e-15)
    assert np.allclose(r, cl.rotation.quaternion(*body.rotation), atol=1e-15)
    slightly = r * (1.0 + 1e-8)
    kept = np.array(cl.Body("c", rotation=slightly).rotation)
    assert np.allclose(kept @ kept.T, np.eye(3), atol=1e-14)


def test_rotation_constructors() -> None:
    def elementary(axis: int, a: float) -> np.ndarray:
        c, s = math.cos(a), math.sin(a)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        r = np.eye(3)
        r[i, i], r[j, j], r[i, j], r[j, i] = c, c, -s, s
        return r

    cardan = elementary(0, 0.1) @ elementary(1, 0.2) @ elementary(2, 0.3)
    assert np.allclose(cl.rotation.cardan(0.1, 0.2, 0.3), cardan, atol=1e-15)
    euler = elementary(2, 0.1) @ elementary(0, 0.2) @ elementary(2, 0.3)
    assert np.allclose(cl.rotation.euler(0.1, 0.2, 0.3), euler, atol=1e-15)
    assert np.allclose(cl.rotation.about((0, 2, 0), 0.4), elementary(1, 0.4), atol=1e-15)
    assert np.allclose(cl.rotation.about((0, 0, 1), 90 * unit.degree), elementary(2, math.pi / 2))
    half = cl.rotation.quaternion(math.cos(0.2), 0.0, math.sin(0.2), 0.0)
    assert np.allclose(half, elementary(1, 0.4), atol=1e-15)
    assert np.allclose(as_matrix(0.4), elementary(2, 0.4), atol=1e-15)


def test_frames_on_frames_are_composed() -> None:
    body = cl.Body("b")
    a = cl.Frame("a", body, at=(1.0, 0.0, 0.0), rotation=cl.rotation.about((0, 0, 1), math.pi / 2))
    b = cl.Frame("b2", a, at=(1.0, 0.0, 0.0), rotation=cl.rotation.about((1, 0, 0), math.pi / 2))
    base, r, matrix = placement(b)
    assert base is body
    assert r == pytest.approx((1.0, 1.0, 0.0), abs=1e-15)
    expected = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    assert np.allclose(matrix, expected, atol=1e-15)
    assert placement(body) == (body, (0.0, 0.0, 0.0), as_matrix(None))


def test_equality_and_repr_are_by_value() -> None:
    a = cl.Body("crank", mass=0.5, com=(0.1, 0.0))
    assert a == cl.Body("crank", mass=0.5, com=[0.1, 0])
    assert a != a.replace(mass=0.6)
    assert a != cl.PointMass("crank", mass=0.5)
    assert len({a, cl.Body("crank", mass=0.5, com=(0.1, 0.0))}) == 1
    assert repr(a) == "Body('crank', mass=0.5, com=(0.1, 0))"
    hinge = cl.Revolute("pin", cl.Ground(), a, at=(0.1, 0.0))
    assert repr(hinge) == "Revolute('pin', first=ground, second=crank, at=(0.1, 0))"


def test_models_can_be_copied_and_pickled() -> None:
    model = slider_crank()
    assert pickle.loads(pickle.dumps(model)) == model
    assert copy.deepcopy(model) == model


def test_replace_values_rebinds_references() -> None:
    model = slider_crank()
    new = model.replace({"piston.mass": 0.7, "main bearing.angle": 0.2}, gravity=(0.0, -1.62))
    assert new.part("piston").mass == 0.7
    assert new.part("guide").second is new.part("piston")
    assert new.part("piston pin").second is new.part("piston")
    assert new.part("gas").on is new.part("main bearing")
    assert new.part("gas").on.angle == 0.2
    assert new.gravity == (0.0, -1.62)
    assert model.part("piston").mass == 0.4
    assert [p.name for p in new.parts] == [p.name for p in model.parts]
    assert (
        new.replace({"piston.mass": 0.4, "main bearing.angle": None}, gravity=(0, -9.81)) == model
    )


def test_replace_reaches_users_of_users_and_leaves_the_rest() -> None:
    body = cl.Body("b", mass=1.0)
    marker = cl.Frame("marker", body, at=(0.0, 1.0))
    tip = cl.Frame("tip", marker, at=(0.0, 1.0))
    hinge = cl.Revolute("hinge", cl.Ground(), tip)
    other = cl.Revolute("other", cl.Ground(), cl.Body("c", mass=1.0))
    gear = cl.Gear("gear", hinge, other, ratio=2.0)
    model = cl.Model(gear)
    new = model.replace({"b.mass": 3.0})
    assert new.part("gear").first_joint.second.body.body is new.part("b")
    assert new.part("b").mass == 3.0
    assert new.part("other") is model.part("other")


def test_replace_a_part_and_rename_it() -> None:
    model = slider_crank()
    new = model.replace(piston=cl.Body("plunger", mass=1.0))
    assert new.part("guide").second is new.part("plunger")
    assert "piston" not in new
    sensed = cl.Model(*model.parts, cl.Sensor("s", "piston.position"), gravity=model.gravity)
    assert sensed.replace(piston=cl.Body("plunger")).part("s").quantity == "plunger.position"


def test_replace_inertia_takes_its_mass_along() -> None:
    model = slider_crank()
    new = model.replace({"crank.inertia": cl.inertia.rod(0.9, 0.15)})
    assert new.part("crank").mass == 0.9


def test_replace_one_parameter_of_an_element() -> None:
    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[0] = -p[0] * q[0]

    rotor = cl.Rotor("rotor", inertia=1.0)
    element = cl.ForceElement(
        "e", coordinates=("rotor",), law=law, parameters={"k": 1.0, "c": 2.0}, states={"x": 0.0}
    )
    model = cl.Model(rotor, element)
    assert model.part("e").coordinates == ("rotor.angle",)
    new = model.replace({"e.parameters.k": 3.0})
    assert new.part("e").parameters == {"k": 3.0, "c": 2.0}


def test_joints_used_by_forces_are_added() -> None:
    hinge = cl.Revolute("hinge", cl.Ground(), cl.Body("b", mass=1.0))
    model = cl.Model(cl.Torque("t", hinge, value=1.0))
    assert model.joints == (hinge,)


def test_coupling_terms_become_coordinate_names() -> None:
    a, b = cl.Rotor("a", inertia=1.0), cl.Rotor("b", inertia=1.0)
    model = cl.Model(cl.Coupling("c", terms=((a, 1.0), ("b.angle", 2.0), ("b", 1.0))), b)
    assert model.part("c").terms == (("a.angle", 1.0), ("b.angle", 2.0), ("b.angle", 1.0))
    assert model.coordinate("a") == (a, "angle")
    assert model.coordinate("b.angle") == (b, "angle")


def test_planar_and_spatial_follow_from_the_parts() -> None:
    body = cl.Body("b", mass=1.0)
    hinge = cl.Revolute("h", cl.Ground(), body)
    assert cl.Model(hinge).dim == 3
    assert cl.Model(hinge, gravity=(0.0, -9.81)).dim == 2
    assert cl.Model(hinge, cl.Force("f", body, value=(1.0, 0.0))).dim == 2
    assert cl.Model(cl.Disk("d", mass=1.0, radius=1.0)).dim == 2
    assert cl.Model(cl.Body("b", mass=1.0, inertia=1.0)).dim == 2
    assert cl.Model(cl.Body("b", mass=1.0, inertia=cl.inertia.disk(1.0, 1.0)), hinge.replace(
        second=cl.Body("c", mass=1.0, position=(0.0, 0.0)))).dim == 2  # fmt: skip


def leg(chassis: cl.Body) -> cl.Submodel:
    upper, lower = cl.Body("upper", mass=1.0), cl.Body("lower", mass=0.5)
    hip = cl.Revolute("hip", chassis, upper)
    knee = cl.Revolute("knee", upper, lower, at=(0.3, 0.0))
    return cl.Submodel(
        hip,
        knee,
        cl.Torque("drive", hip, value=cl.Input("torque")),
        cl.Spring("cable", cl.Ground(), lower, stiffness=10.0),
        cl.Sensor("angle", "knee.angle"),
        cl.Coupling("link", terms=(("hip.angle", 1.0), ("knee.angle", -1.0))),
        name="leg",
    )


def test_a_submodel_can_be_added_twice() -> None:
    chassis = cl.Body("chassis", mass=10.0, inertia=1.0)
    one = leg(chassis)
    model = cl.Model(
        chassis,
        one.with_prefix("left"),
        one.with_prefix("right"),
        cl.Spring("tie", "left.lower", "right.lower", stiffness=1.0),
        gravity=(0.0, -9.81),
    )
    assert [b.name for b in model.bodies] == [
        "chassis", "left.upper", "left.lower", "right.upper", "right.lower",
    ]  # fmt: skip
    assert [g.name for g in model.grounds] == ["ground"]
    assert model.part("left.hip").first is model.part("chassis")
    assert model.part("right.hip").first is model.part("chassis")
    assert model.part("left.cable").second is model.part("left.lower")
    assert model.part("left.angle").quantity == "left.knee.angle"
    assert model.part("right.link").terms[0] == ("right.hip.angle", 1.0)
    assert [i.name for i in model.inputs] == ["left.torque", "right.torque"]
    assert model.split("left.hip.angle") == (model.part("left.hip"), "angle")
    assert model.replace({"left.upper.mass": 2.0}).part("left.hip").second.mass == 2.0


def test_submodels_nest() -> None:
    chassis = cl.Body("chassis", mass=10.0, inertia=1.0)
    one = leg(chassis)
    robot = cl.Submodel(chassis, one.with_prefix("left"), one.with_prefix("right"))
    model = cl.Model(robot.with_prefix("a"), robot.with_prefix("b"))
    assert model.part("b.left.hip").first is model.part("b.chassis")
    assert model.part("a.right.angle").quantity == "a.right.knee.angle"
    assert len(model.bodies) == 10
    assert len(model.inputs) == 4


def test_a_submodel_without_prefix_keeps_all_names() -> None:
    chassis = cl.Body("chassis", mass=10.0, inertia=1.0)
    assert "hip" in cl.Model(leg(chassis))


def test_describe_comes_from_an_upper_layer() -> None:
    from cornerlaw.model import registry

    before = dict(registry._FUNCTIONS)
    register("describe", lambda model, t: f"{len(model.parts)} parts")
    try:
        assert cl.Model(cl.Rotor("r", inertia=1.0)).describe() == "1 parts"
    finally:
        registry._FUNCTIONS.clear()
        registry._FUNCTIONS.update(before)


def test_the_package_is_lazy() -> None:
    script = (
        "import sys, cornerlaw as cl\n"
        "assert 'numpy' not in sys.modules and 'cornerlaw.model' not in sys.modules\n"
        "assert 'Body' in dir(cl) and 'Body' in cl.__all__\n"
        "cl.Model(cl.Body('b', mass=1.0, inertia=1.0))\n"
        "assert not {'numpy', 'numba', 'scipy', 'pint', 'trimesh'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match="Bodi"):
        cl.Bodi


def test_simulate_stays_a_function_after_its_subpackage_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = types.ModuleType("cornerlaw.simulate")
    fake.simulate = lambda: "ran"
    monkeypatch.setitem(sys.modules, "cornerlaw.simulate", fake)
    cl.simulate = fake  # what importing the subpackage does
    assert cl.simulate() == "ran"
