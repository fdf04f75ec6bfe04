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
