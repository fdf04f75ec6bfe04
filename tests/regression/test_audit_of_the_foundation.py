"""What an audit of the first issue found and mended."""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

GROUND = cl.Ground()


def pendulum(*more: cl.Part) -> cl.Model:
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    return cl.Model(cl.Revolute("pin", GROUND, arm, angle=0.3), *more, gravity=(0.0, -9.81))


@pytest.mark.parametrize(
    "name", ["energy.total", "energy.kinetic", "system.momentum", "system.centre_of_mass.y"]
)
def test_sensors_of_the_whole_model(name: str) -> None:
    sol = cl.simulate(pendulum(cl.Sensor("s", name)), 0.1)
    assert np.array_equal(sol["s"], sol[name])


def test_a_misspelt_sensor_of_the_whole_model_names_the_nearest() -> None:
    with pytest.raises(cl.UnknownNameError, match=r"'energy.totl'; did you mean 'energy.total'"):
        cl.simulate(pendulum(cl.Sensor("s", "energy.totl")), 0.1)


def test_initial_values_of_rotors_and_sliders_that_are_not_given_are_assembled() -> None:
    a, b = cl.Rotor("a", inertia=1.0, speed=1.0), cl.Rotor("b", inertia=2.0)
    carriage = cl.Slider("s", mass=1.0)
    tied = cl.Model(a, b, carriage, cl.Gear("g", a, b, ratio=2.0), cl.Rack("r", a, carriage,
                                                                         radius=0.5))  # fmt: skip
    sol = cl.assemble(tied)
    assert sol["a.speed"][0] == 1.0
    assert abs(abs(sol["b.speed"][0]) - 0.5) < 1e-12
    assert abs(abs(sol["s.velocity"][0]) - 0.5) < 1e-12
    contradiction = tied.replace({"b.speed": 0.0})
    with pytest.raises(cl.AssemblyError, match="contradict 'g'"):
        cl.assemble(contradiction)


def test_velocities_of_a_system_that_are_not_given_are_assembled() -> None:
    wheel = cl.Rotor("a", inertia=1.0, speed=1.0)
    own = cl.LagrangianSystem("own", M=((1.0,),), h=(0.0,), q0=(0.0,))
    tie = cl.Coupling("tie", terms=(("a.angle", 1.0), ("own.q1", -1.0)))
    assert abs(cl.assemble(cl.Model(wheel, own, tie))["own.q1_dot"][0] - 1.0) < 1e-12


@pytest.mark.parametrize("last", [0, 1, 2, 3])
def test_the_armature_of_a_joint_in_a_loop_counts(last: int) -> None:
    """Whichever joint of a four-bar carries a rotor, its energy is part of the balance."""
    bars = [cl.Body(f"b{k}", mass=1.0, inertia=0.1, com=(0.5, 0.0)) for k in range(3)]
    rotor = [{"armature": 0.3, "ratio": 2.0} if k == last else {} for k in range(4)]
    model = cl.Model(
        cl.Revolute("j0", GROUND, bars[0], angle=1.0, speed=2.0, **rotor[0]),
        cl.Revolute("j1", bars[0], bars[1], at=(1.0, 0.0), **rotor[1]),
        cl.Revolute("j2", bars[1], bars[2], at=(1.0, 0.0), at_second=(1.0, 0.0), **rotor[2]),
        cl.Revolute("j3", bars[2], GROUND, at_second=(1.5, 0.0), **rotor[3]),
        gravity=(0.0, -9.81),
    )
    sol = cl.assemble(model)
    bodies = sum(sol[f"b{k}.kinetic_energy"][0] for k in range(3))
    extra = 0.5 * 0.3 * 4.0 * sol[f"j{last}.speed"][0] ** 2
    assert extra > 1e-2
    assert abs(sol["energy.kinetic"][0] - bodies - extra) < 1e-12
    assert abs(sol[f"j{last}.kinetic_energy"][0] - extra) < 1e-12


@pytest.mark.parametrize("options", [{"closure": True}, {"friction": cl.Coulomb(0.1, radius=0.01)}])
def test_an_armature_that_has_no_coordinate_is_refused(options: Any) -> None:
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    joint = cl.Revolute("pin", GROUND, arm, armature=0.1, **options)
    with pytest.raises(cl.ModelError, match="Revolute 'pin': its armature needs a coordinate"):
        cl.assemble(cl.Model(joint))


def test_principal_moments_with_units() -> None:
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()("g * m^2")
    body = cl.Body("b", mass=1.0, inertia=(100.0 * unit, 200.0 * unit, 0.25))
    assert np.allclose(np.array(body.tensor), np.diag([0.1, 0.2, 0.25]), rtol=1e-15, atol=0.0)
    with pytest.raises(cl.UnitError, match=r"inertia\[0\] has the dimension of"):
        cl.Body("b", mass=1.0, inertia=(1.0 * pint.UnitRegistry().second, 1.0, 1.0))


VALUES: dict[str, dict[str, Any]] = {
    "Revolute": {"angle": 0.3, "speed": 0.5},
    "Prismatic": {"axis": (1.0, 0.2, 0.0), "displacement": 0.1, "velocity": 0.2},
    "Screw": {"pitch": 0.1, "angle": 0.2, "speed": 0.4},
    "Cylindrical": {"angle": 0.1, "displacement": 0.2, "speed": 0.3, "velocity": 0.4},
    "Universal": {"angle_1": 0.1, "angle_2": 0.2, "speed_1": 0.3, "speed_2": 0.4},
    "Spherical": {"rotation": (0.8, 0.0, 0.6, 0.0), "angular_velocity": (0.1, 0.2, 0.3)},
    "PlanarJoint": {
        "position": (0.1, 0.2), "angle": 0.3, "velocity": (0.4, 0.5), "speed": 0.6,
    },
    "Translation": {"position": (0.1, 0.2, 0.3), "velocity": (0.1, 0.2, 0.3)},
}  # fmt: skip


@pytest.mark.parametrize("kind", list(VALUES))
def test_joints_have_the_same_results_in_the_tree_and_as_loop_joints(kind: str) -> None:
    """Coordinates, rates, their derivatives and reactions, behind a body that turns itself."""
    found = []
    for closure in (False, True):
        table = cl.Body("table", mass=2.0, inertia=(0.3, 0.3, 0.4))
        body = cl.Body("b", mass=1.3, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3))
        base = cl.Revolute("base", GROUND, table, axis=(0.0, 0.6, 0.8), angle=0.0, speed=1.0)
        place: dict[str, Any] = {"at": (0.1, 0.0, 0.0), "at_second": (0.0, 0.1, 0.0)}
        joint = getattr(cl, kind)("j", table, body, closure=closure, **VALUES[kind], **place)
        model = cl.Model(base, joint, gravity=(0.0, 1.0, -9.81))
        method = cl.RungeKutta8(rtol=1e-12)
        found.append(cl.simulate(model, 0.3, t_eval=(0.0, 0.1, 0.3), method=method))
    tree, loop = found
    names = [name for name in tree.channels.names if name.startswith("j.")]
    assert sorted(names) == sorted(name for name in loop.channels.names if name.startswith("j."))
    for name in names:
        assert tree.channels[name].unit == loop.channels[name].unit
        # of the order of ten; two runs with error control
        assert np.abs(tree[name] - loop[name]).max() < 1e-8, name


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Translation"])
def test_planar_joints_have_the_same_results(kind: str) -> None:
    found = []
    for closure in (False, True):
        table = cl.Body("table", mass=2.0, inertia=0.3)
        body = cl.Body("b", mass=1.3, inertia=0.2, com=(0.1, 0.2))
        base = cl.Revolute("base", GROUND, table, angle=0.0, speed=1.0)
        flat = {
            name: value[:2] if isinstance(value, tuple) else value
            for name, value in VALUES[kind].items()
        }
        joint = getattr(cl, kind)("j", table, body, at=(0.1, 0.0), closure=closure, **flat)
        model = cl.Model(base, joint, gravity=(1.0, -9.81))
        method = cl.RungeKutta8(rtol=1e-12)
        found.append(cl.simulate(model, 0.3, t_eval=(0.0, 0.3), method=method))
    tree, loop = found
    for name in [name for name in tree.channels.names if name.startswith("j.")]:
        assert np.abs(tree[name] - loop[name]).max() < 1e-8, name


DRIVES: dict[str, dict[str, Any]] = {
    "Revolute": {"angle": lambda t: 0.3 + math.sin(2.0 * t)},
    "Cylindrical": {"angle": lambda t: 0.3 * t, "displacement": lambda t: 0.1 + t * t},
    "Universal": {"angle_1": lambda t: 0.3 + t, "angle_2": lambda t: 0.2 + t * t},
    "Translation": {"position": (lambda t: 0.1 * t, lambda t: t * t, lambda t: math.sin(t))},
    "FreeJoint": {
        "position": (lambda t: 0.1 * t, lambda t: t * t, lambda t: math.sin(t)),
        "rotation": (lambda t: 0.3 + t, lambda t: t * t, lambda t: 0.2 * t),
    },
}


@pytest.mark.parametrize("kind", list(DRIVES))
def test_drives_have_the_same_results_in_the_tree_and_as_loop_joints(kind: str) -> None:
    """The same channels, each force and each power; in a frame that turns with the first body."""
    found = []
    for closure in (False, True):
        table = cl.Body("table", mass=2.0, inertia=(0.3, 0.3, 0.4))
        body = cl.Body("b", mass=1.3, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3))
        base = cl.Revolute("base", GROUND, table, speed=1.0)
        place: dict[str, Any] = {"at": (0.1, 0.0, 0.0), "at_second": (0.0, 0.1, 0.0)}
        joint = getattr(cl, kind)("j", table, body, drive=DRIVES[kind], closure=closure, **place)
        model = cl.Model(base, joint, gravity=(0.0, 0.0, -9.81))
        found.append(cl.simulate(model, 0.3, t_eval=(0.0, 0.1, 0.3)))
    tree, loop = found
    names = sorted(name for name in tree.channels.names if name.startswith("j.drive_"))
    assert names == sorted(name for name in loop.channels.names if name.startswith("j.drive_"))
    assert any("power" in name for name in names)
    for name in names:
        # forces and powers of some tens
        assert np.abs(tree[name] - loop[name]).max() < 1e-8, name
        assert np.abs(tree[name]).max() > 1e-3 or "drive_force" not in name, name
