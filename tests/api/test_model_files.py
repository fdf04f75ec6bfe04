"""Model files: round trips over every kind of part, renaming, functions, damaged files."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cornerlaw as cl
from cornerlaw.model.mesh import Triangles
from cornerlaw.model.part import PART_TYPES


def spatial_model() -> cl.Model:
    """Return a model with every part that exists in space and needs no function."""
    ground = cl.Ground()
    table = cl.Table((0.0, 1.0, 2.0), (0.0, 3.0, 5.0), kind="cubic", extrapolate="linear")
    cart = cl.MovingFrame("cart", position=(0.0, table, 1.0), angles=(0.1, 0.0, cl.Input("tilt")))
    plate = cl.inertia.box(2.0, (0.1, 0.2, 0.3))
    tensor = ((2.0, 0.1, 0.0), (0.1, 2.5, 0.0), (0.0, 0.0, 3.0))
    b = [
        cl.Body("b0", mass=1.0, inertia=(1.0, 1.0, 1.5), com=(0.1, 0.0, 0.0)),
        cl.Body("b1", inertia=plate, position=(1.0, 2.0, 3.0), rotation=(0.5, 0.5, 0.5, 0.5)),
        cl.Body("b2", mass=3.0, inertia=tensor, rotation=cl.rotation.cardan(0.1, 0.2, 0.3)),
        *(cl.Body(f"b{k}", mass=1.0 / k, velocity=(0.1, 0.2, 0.3)) for k in range(3, 12)),
    ]
    shaped = cl.Body("shaped", shape={"type": "box", "size": (1.0, 2.0, 3.0), "note": 'a "b"\n'})
    mass = cl.PointMass("mass", mass=1.0, position=(0.0, 0.0, 1.0), velocity=(0.0, 0.0, 0.0))
    marker = cl.Frame("marker", b[0], at=(0.0, 0.1, 0.2), rotation=(1.0, 0.0, 0.0, 0.0))
    tip = cl.Frame("tip", marker, at=(0.0, 0.0, 0.5))
    hinge = cl.Revolute("hinge", ground, b[0], axis=(0.0, 1.0, 1.0), angle=0.3, armature=0.1)
    guide = cl.Prismatic("guide", cart, b[1], axis=(1.0, 0.0, 0.0), drive=table)
    thread = cl.Screw("thread", b[0], b[2], pitch=0.01, speed=2.0)
    sleeve = cl.Cylindrical("sleeve", tip, b[3], drive={"angle": cl.Input("feed", 0.5)})
    cross = cl.Universal("cross", b[3], b[4], angle_1=0.1, locked=("angle_2",))
    rotor, slider = cl.Rotor("rotor", inertia=0.1, speed=3.0), cl.Slider("slider", mass=0.2)
    other = cl.Rotor("other", inertia=0.2)
    return cl.Model(
        ground, shaped, mass, hinge, guide, thread, sleeve, cross, rotor, slider,
        cl.Spherical("ball", b[4], b[5], rotation=(0.0, 1.0, 0.0, 0.0)),
        cl.PlanarJoint("plane", b[5], b[6], position=(0.1, 0.2), normal=(0.0, 1.0, 0.0)),
        cl.FreeJoint("free", ground, b[7], position=(1.0, 1.0, 1.0)),
        cl.Weld("weld", b[7], b[8], at=(0.0, 0.0, 1.0), orientation=cl.rotation.euler(1, 2, 3)),
        cl.Translation("shift", ground, b[9], velocity=(0.0, 0.0, 1.0), locked=True),
        cl.Revolute("loop", b[9], b[10], closure=True),
        cl.FreeJoint("float", ground, b[10]),
        cl.FreeJoint("roller", ground, b[11]),
        cl.Distance("distance", b[9], b[10], at=(0.0, 0.0, 0.1), length=2.0),
        cl.Rod("rod", b[9], mass, mass=0.3),
        cl.Gear("gear", rotor, hinge, ratio=-3.0),
        cl.Rack("rack", rotor, slider, radius=0.1),
        cl.Pulley("rope", ground, (b[9], (0.0, 0.0, 1.0)), mass, weights=(1.0, 2.0)),
        cl.Differential("diff", hinge, rotor, other),
        cl.Coupling("coupling", terms=((hinge, 1.0), ("sleeve.angle", -2.0)), constant=0.1),
        cl.Rolling("rolling", b[11], radius=0.5, kind="sphere", normal=(0.0, 0.0, 2.0)),
        cl.Spring("spring", ground, tip, stiffness=10.0, damping=0.1, rest=0.2, force=table),
        cl.Damper("damper", b[0], mass, damping=1.0, at_second=(0.0, 0.0, 0.0)),
        cl.TorsionSpring("torsion", sleeve, coordinate="angle", stiffness=1.0, torque=table),
        cl.PathSpring("path", ground, b[0], (b[1], (0.0, 1.0, 0.0)), stiffness=5.0),
        cl.Bushing("bushing", b[0], b[1], stiffness=(1.0,) * 6, damping=(0.1,) * 6),
        cl.Force("force", tip, value=(0.0, cl.Input("push"), table), axes="body"),
        cl.Torque("torque", "hinge", value=cl.Input("drive", 1.0)),
        cl.Torque("turn", b[0], value=(0.0, 0.0, 1.0)),
        cl.Motor("motor", hinge, voltage=12.0, resistance=1.0, inductance=1e-3, constant=0.1),
        cl.Drag("drag", mass, coefficient=0.5, wind=(1.0, 0.0, 0.0)),
        cl.PD("pd", hinge, kp=10.0, kd=1.0, target=table, limit=5.0),
        cl.PID("pid", guide, kp=10.0, ki=1.0, kd=1.0),
        cl.PositionActuator("servo", cross, coordinate="angle_1", kp=3.0, target=0.5),
        cl.VelocityActuator("spin", rotor, kv=0.1, target=10.0),
        cl.LagrangianSystem("own", M=((2.0, 0.5), (0.5, 1.0)), h=(0.0, 1.0), q0=(0.1, 0.2)),
        cl.Sensor("height", "mass.position"),
        *shapes(b[0]),
        gravity=(0.0, 0.0, -9.81),
        coordinates="absolute",
        name="every part",
    )  # fmt: skip


def planar_model() -> cl.Model:
    """Return a planar model with the parts that exist in the plane only."""
    ground = cl.Ground()
    wheel = cl.Disk("wheel", mass=1.0, radius=0.1, position=(0.0, 0.1), velocity=(1.0, 0.0))
    crank = cl.Body("crank", mass=0.5, inertia=0.01, com=(0.1, 0.0), rotation=0.3)
    return cl.Model(
        wheel,
        cl.MovingFrame("base", position=(0.0, 1.0), angle=cl.Input("angle")),
        cl.Revolute("pin", "base", crank, at=(0.1, 0.0)),
        cl.Rolling("rolling", wheel, ground, radius=0.1, kind="wheel", normal=(0.0, 1.0)),
        cl.Bushing("mount", crank, wheel, stiffness=(1.0, 2.0, 3.0)),
        *contact_parts(wheel, crank),
        gravity=(0.0, -9.81),
    )


def corner_model() -> cl.Model:
    """Return a planar model with the set-valued elements that need no contact geometry."""
    ground = cl.Ground()
    arm, ram = cl.Body("arm", mass=1.0, inertia=0.1), cl.Body("ram", mass=2.0)
    bob = cl.PointMass("bob", mass=0.5, position=(0.0, -1.0))
    bearing = cl.Coulomb(cl.Table((0.0, 1.0), (0.3, 0.2)), radius=0.01)
    pin = cl.Revolute("pin", ground, arm, friction=bearing, limits=(-1.0, 1.0), eps_N=0.3)
    guide = cl.Prismatic("guide", ground, ram, axis=(1.0, 0.0), limits=(0.0, 1.0))
    a, b = cl.Rotor("a", inertia=1.0), cl.Rotor("b", inertia=2.0)
    own = cl.LagrangianSystem("own", M=((1.0, 0.0), (0.0, 1.0)), q0=(0.0, 0.0))
    return cl.Model(
        pin, guide, bob, a, b, own,
        cl.UserContact("touch", on=own, gap=0.1, normal=(0.0, 1.0), tangent=(1.0, 0.0), mu=0.3,
                       eps_N=cl.Table((0.0, 1.0), (0.9, 0.5)), eps_T=0.1, eps_speed=0.01),
        cl.JointFriction("seal", guide, torque=cl.Input("seal", 3.0)),
        cl.Limit("stop", own, coordinate="q1", upper=2.0, eps_N=0.5),
        cl.Brake("brake", a, capacity=cl.Table((0.0, 1.0), (0.0, 5.0))),
        cl.Clutch("clutch", a, "b.angle", capacity=4.0),
        cl.Freewheel("backstop", b, direction=-1),
        cl.Rope("leash", ground, bob, length=2.0),
        cl.Backlash("play", a, b, gap=0.01, ratio=-2.0),
        cl.UserSet("spring seat", coordinates=("a", "b"), coefficients=(1.0, -1.0), lower=0.0),
        gravity=(0.0, -9.81),
    )  # fmt: skip


def shapes(body: cl.Body) -> list[cl.Part]:
    """Return contours in space of all kinds that need no function."""
    turned = cl.rotation.cardan(0.1, 0.2, 0.3)
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    return [
        cl.ContactPoint("corner", body, at=(0.0, 0.0, 0.1)),
        cl.Plane("floor", body, normal=(0.0, 0.0, 1.0), at=(0.0, 0.0, -1.0)),
        cl.Sphere("bowl", body, radius=0.3, inside=True),
        cl.Capsule("pill", body, radius=0.1, length=0.3, axis=(1.0, 0.0, 0.0)),
        cl.Edge("edge", body, start=(0.0, 0.0, 0.0), end=(0.0, 0.0, 1.0)),
        cl.Ring("hoop", body, radius=0.3),
        cl.Cylinder("drum", body, radius=0.1, length=0.3, group="round", material="steel"),
        cl.Cone("cone", body, radius=0.1, height=0.3, at=(0.1, 0.2, 0.3)),
        cl.Ellipsoid("egg", body, axes=(0.1, 0.2, 0.3), rotation=turned),
        cl.Box("block", body, size=(0.1, 0.2, 0.3), rotation=(0.5, 0.5, 0.5, 0.5)),
        cl.Polyhedron("gem", body, vertices=corners),
        cl.Mesh("mesh", body, source=Triangles(corners, faces), scale=0.1),
        cl.Torus("tyre", body, radius=0.3, section=0.1),
        cl.Tube("pipe", body, points=corners, radius=0.1, inside=True),
        cl.HeightField("hills", body, heights=((0.0, 0.1), (0.2, 0.0)), size=(1.0, 2.0)),
    ]


def contact_parts(wheel: cl.Disk, crank: cl.Body) -> list[cl.Part]:
    """Return contours of all kinds that need no function, contacts and a rule."""
    floor = cl.Ground("floor", normal=(0.0, 1.0), at=(0.0, -1.0), material="steel")
    box = ((0.0, 0.0), (0.1, 0.0), (0.1, 0.1))
    stribeck = cl.Stribeck(0.3, 0.2, 0.01, viscous=0.1)
    return [
        cl.ContactPoint("tip", crank, at=(0.2, 0.0), group="corners"),
        cl.Circle("hole", floor, radius=0.5, inside=True),
        cl.Arc("nose", crank, radius=0.02, start=-1.0, end=1.0, at=(0.2, 0.0)),
        cl.Line("wall", floor, normal=(1.0, 0.0), at=(-1.0, 0.0)),
        cl.Segment("step", floor, start=(0.0, 0.0), end=(1.0, 0.0), two_sided=True),
        cl.Polygon("box", crank, vertices=box, material="steel"),
        cl.Parabola("bump", floor, curvature=2.0, axis=(0.0, -1.0), width=0.4),
        cl.SplineCurve("track", floor, points=((0.0, 0.0), (1.0, 0.1), (2.0, 0.0), (3.0, 0.2))),
        cl.Contact("tip", "bump", mu=stribeck, eps_N=cl.Table((0.0, 1.0), (0.9, 0.5))),
        cl.Contact(wheel, floor, normal=cl.HuntCrossley(1e6, 0.1), mu=cl.Coulomb(0.2, static=0.3)),
        cl.Contact(wheel, "box", name="hit", surface_speed=cl.Input("belt", 0.5)),
        cl.AllContacts(
            "others", among=("box",), materials={("steel", "steel"): {"mu": 0.1, "eps_N": 0.5}}
        ),
    ]


NEED_FUNCTIONS = {"UserJoint", "ForceElement", "Constraint", "Curve", "Surface"}


def grains_model() -> cl.Model:
    """Return balls with the parts that such a model may have."""
    places = [[0.0, 0.0, 1.0], [0.5, 0.0, 2.0]]
    return cl.Model(
        cl.Grains("balls", position=places, radius=(0.1, 0.2), velocity=(1.0, 0.0, 0.0)),
        cl.Ground("floor", normal=(0.0, 0.0, 1.0)),
    )


NOT_IN_MODELS = {"Stop"}


def test_the_models_above_contain_every_part() -> None:
    models = (spatial_model(), planar_model(), corner_model(), grains_model())
    used = {type(item).__name__ for model in models for item in model}
    public = {name for name, kind in PART_TYPES.items() if kind.__module__.startswith("cornerlaw")}
    assert public - used == NEED_FUNCTIONS | NOT_IN_MODELS


@pytest.mark.parametrize("suffix", [".toml", ".json"])
@pytest.mark.parametrize("build", [spatial_model, planar_model, corner_model, grains_model])
def test_round_trip(build: Any, suffix: str, tmp_path: Path) -> None:
    model = build()
    path = tmp_path / f"model{suffix}"
    model.save(path)
    assert cl.Model.load(path) == model
    assert os.listdir(tmp_path) == [path.name]


def renamed(model: cl.Model, new: dict[str, str]) -> cl.Model:
    return model.replace({item.name: item.replace(name=new[item.name]) for item in model})


NAMES = st.text(st.characters(categories=["L", "N"], exclude_characters="/."), min_size=1)


@settings(
    max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(data=st.data())
def test_renaming_all_parts_and_back_changes_nothing(data: st.DataObject) -> None:
    model = data.draw(st.sampled_from([spatial_model(), planar_model()]))
    old = [item.name for item in model]
    size = len(old)
    # a permutation of the old names is allowed too: all are renamed at once
    fresh = st.lists(NAMES, min_size=size, max_size=size, unique=True)
    new = data.draw(st.one_of(st.permutations(old), fresh))
    there = dict(zip(old, new, strict=True))
    other = renamed(model, there)
    assert [item.name for item in other] == new
    back = {value: key for key, value in there.items()}
    assert renamed(other, back) == model


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data(), suffix=st.sampled_from([".toml", ".json"]))
def test_round_trip_with_any_numbers_and_names(
    data: st.DataObject, suffix: str, tmp_path: Path
) -> None:
    finite = st.floats(min_value=-1e150, max_value=1e150)  # larger ones are refused
    vector = st.tuples(finite, finite, finite)
    name = data.draw(NAMES)
    body = cl.Body(
        name + "1", mass=abs(data.draw(finite)), com=data.draw(vector), velocity=data.draw(vector)
    )
    model = cl.Model(
        cl.FreeJoint(name + "2", cl.Ground(name), body, position=data.draw(vector)),
        cl.Sensor(name + "3", f"{name}1.position"),
        gravity=data.draw(vector),
        name=name,
    )
    path = tmp_path / f"any{suffix}"
    model.save(path)
    assert cl.Model.load(path) == model


MODULE = """
def torque(t):
    return 2.0 * t


def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = -p[0] * q[0]


def gap(q, t):
    return q[0] - t


def slide(q, u):
    return None


def position(t):
    return 0.5 * t * t


def total(t, values):
    return values[0]


class Space:
    @staticmethod
    def push(t):
        return (t, 0.0)


half = lambda t: 0.5 * t
"""


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an importable module with the functions of a model."""
    name = "functions_of_a_model"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    module = __import__(name)
    yield module
    sys.modules.pop(name, None)


def function_model(f: Any) -> cl.Model:
    body = cl.Body("body", mass=1.0, inertia=1.0)
    user = cl.Body("user", mass=1.0, inertia=1.0)
    hinge = cl.Revolute("hinge", cl.Ground(), body)
    return cl.Model(
        hinge,
        cl.UserJoint("slide", body, user, kinematics=f.slide, n=1, q0=(0.1,)),
        cl.Torque("torque", hinge, value=f.torque),
        cl.ForceElement("element", coordinates=("hinge",), law=f.law, parameters={"k": 3.0}),
        cl.Constraint("gap", f.gap, coordinates=("hinge.angle",)),
        cl.MovingFrame("frame", position=(cl.Motion(f.position), 0.0)),
        cl.Force("push", body, value=f.Space.push),
        cl.Sensor("total", expression=f.total, of=("body.position",)),
    )


@pytest.mark.trust("TR-S-04")
@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_functions_need_trust(functions: Any, suffix: str, tmp_path: Path) -> None:
    model = function_model(functions)
    path = tmp_path / f"model{suffix}"
    model.save(path)
    assert "Q[0]" not in path.read_text()
    with pytest.raises(cl.FileError, match="trust=True"):
        cl.Model.load(path)
    assert cl.Model.load(path, trust=True) == model


def test_without_trust_nothing_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "never_imported.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    entry = {"type": "function", "name": "never_imported:f", "source_sha256": "0"}
    parts = [{"type": "Rotor", "name": "r", "inertia": 1.0}]
    parts += [{"type": "Torque", "name": "t", "on": "r", "value": entry}]
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"schema": "cornerlaw-model/1", "parts": parts}))
    with pytest.raises(cl.FileError, match="never_imported:f"):
        cl.Model.load(path)
    assert "never_imported" not in sys.modules


def test_changed_source_is_refused(functions: Any, tmp_path: Path) -> None:
    import importlib
    import linecache

    path = tmp_path / "model.toml"
    function_model(functions).save(path)
    source = Path(functions.__file__)
    source.write_text(MODULE.replace("2.0 * t", "-2.0 * t"))
    linecache.clearcache()
    importlib.invalidate_caches()
    sys.modules.pop(functions.__name__)
    with pytest.raises(cl.FileError, match="has changed since"):
        cl.Model.load(path, trust=True)


def test_missing_function_is_named(functions: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    function_model(functions).save(path)
    path.write_text(path.read_text().replace(":torque", ":missing"))
    with pytest.raises(cl.FileError, match=r"functions_of_a_model:missing.* cannot be imported"):
        cl.Model.load(path, trust=True)


@pytest.mark.parametrize("which", ["lambda", "module lambda", "local", "builtin", "object"])
def test_what_cannot_be_stored(which: str, functions: Any, tmp_path: Path) -> None:
    def local(t: float) -> float:
        return t

    class Callable:
        def __call__(self, t: float) -> float:
            return t

    value = {
        "lambda": lambda t: t,
        "module lambda": functions.half,
        "local": local,
        "builtin": __import__("math").sin,
        "object": Callable(),
    }[which]
    rotor = cl.Rotor("rotor", inertia=1.0)
    model = cl.Model(cl.Torque("torque", rotor, value=value))
    path = tmp_path / "model.toml"
    with pytest.raises(cl.FileError, match="Torque 'torque': value"):
        model.save(path)
    assert not path.exists()


BASE = {
    "schema": "cornerlaw-model/1",
    "name": "m",
    "parts": [{"type": "Body", "name": "crank", "mass": 1.0}],
}

DAMAGED = [
    ({**BASE, "schema": "cornerlaw-model/2"}, "cornerlaw-model/1"),
    ({"parts": []}, "no schema"),
    ({**BASE, "extra": 1}, "unknown key 'extra'"),
    ({"schema": "cornerlaw-model/1"}, "lacks the key 'parts'"),
    ({**BASE, "parts": {}}, "must be a list"),
    ({**BASE, "parts": [3]}, "part 0 must be a table"),
    ({**BASE, "parts": [{"name": "crank"}]}, "part 'crank' has no type"),
    ({**BASE, "parts": [{"type": "Bodi", "name": "crank"}]}, "did you mean 'Body'"),
    ({**BASE, "parts": [{"type": "Body", "name": "crank", "mas": 1}]}, "did you mean 'mass'"),
    ({**BASE, "parts": [{"type": "Rotor", "name": "r"}]}, "Rotor 'r' lacks the key 'inertia'"),
    ({**BASE, "parts": [{"type": "Body", "name": "crank", "mass": -1}]}, "mass must be >= 0"),
    ({**BASE, "parts": [{"type": "Body", "name": "c", "mass": float("nan")}]}, "must be finite"),
    ({**BASE, "parts": [{"type": "Frame", "name": "f", "body": "x"}]}, "does not exist: 'x'"),
    ({**BASE, "parts": [{"type": "Part", "name": "f"}]}, "unknown type 'Part'"),
    ({**BASE, "gravity": "down"}, "gravity"),
    (
        {**BASE, "parts": [{"type": "Body", "name": "c", "inertia": {"type": "magic"}}]},
        "unknown type 'magic'",
    ),
    (
        {**BASE, "parts": [{"type": "Body", "name": "c", "inertia": {"type": "inertia"}}]},
        "lacks the key 'mass'",
    ),
    (
        {**BASE, "parts": [
            {"type": "Frame", "name": "a", "body": "b"}, {"type": "Frame", "name": "b", "body": "a"}
        ]},
        "a -> b -> a",
    ),
    (
        {**BASE, "parts": [{"type": "MovingFrame", "name": "f", "angle": {
            "type": "function", "name": "os:system('x')", "source_sha256": ""}}]},
        "names no function",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("document", "message"), DAMAGED, ids=[m for _, m in DAMAGED])
def test_damaged_files(document: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    with pytest.raises(cl.FileError) as caught:
        cl.Model.load(path)
    assert message in str(caught.value)
    assert "model.json" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.json", b"{", "not valid JSON"),
        ("m.toml", b"= 3", "not valid TOML"),
        ("m.toml", b"\xff\xfe", "not valid TOML"),
        ("m.json", b"[1]", "must contain a table"),
        ("m.json", b"[" * 200_000, "nested too deeply"),
        ("m.yaml", b"", "must end in .toml or .json"),
    ],
)
def test_unreadable_files(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(cl.FileError, match=message):
        cl.Model.load(path)


def test_missing_folder_and_file(tmp_path: Path) -> None:
    with pytest.raises(cl.FileError, match="cannot read"):
        cl.Model.load(tmp_path / "missing.toml")
    with pytest.raises(cl.FileError, match="cannot write"):
        planar_model().save(tmp_path / "missing" / "model.toml")


def test_too_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.toml"
    with open(path, "wb") as stream:
        stream.truncate(50_000_001)
    with pytest.raises(cl.FileError, match="larger than the limit of 50 MB"):
        cl.Model.load(path)


def test_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.toml"
    planar_model().save(path)
    before = path.read_text()

    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(cl.FileError, match="No space left"):
        spatial_model().save(path)
    assert path.read_text() == before
    assert os.listdir(tmp_path) == ["model.toml"]
