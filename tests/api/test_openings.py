"""How far a model stays open is told in metres or radians, with the name of the joint."""

from __future__ import annotations

import re
from typing import Any

import pytest

import cornerlaw as cl


def bar(name: str, length: float, **more: Any) -> cl.Body:
    inertia = cl.inertia.rod(1.0, length=length)
    return cl.Body(name, mass=1.0, inertia=inertia, com=(0.5 * length, 0.0), **more)


def opening(model: cl.Model) -> tuple[str, float, str]:
    """Return name, number and unit of what an assembly says."""
    with pytest.raises(cl.AssemblyError) as caught:
        cl.simulate(model, t_end=0.01)
    found = re.search(r"'([^']+)'.* open by ([-.e\d]+) (rad/s|m/s|rad|m)\b", str(caught.value))
    assert found, str(caught.value)
    assert "relative" not in str(caught.value)
    return found[1], float(found[2]), found[3]


def stretched(scale: float) -> cl.Model:
    """Two bars of 1 and 2 whose ends are 4 apart, times a scale: 1 is missing."""
    ground = cl.Ground()
    first, second = bar("first", 1.0 * scale), bar("second", 2.0 * scale)
    return cl.Model(
        cl.Revolute("A", ground, first, angle=0.0),
        cl.Revolute("B", first, second, at=(1.0 * scale, 0.0), angle=0.0),
        cl.Revolute("C", second, ground, at=(2.0 * scale, 0.0), at_second=(4.0 * scale, 0.0)),
    )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_a_loop_is_open_in_metres_at_any_size(scale: float) -> None:
    name, size, unit = opening(stretched(scale))
    # three digits are printed
    assert (name, unit) == ("C", "m") and size == pytest.approx(scale, rel=6e-3)


def test_both_components_of_a_distance_count() -> None:
    ground, first = cl.Ground(), bar("first", 1.0)
    model = cl.Model(
        cl.Revolute("A", ground, first, angle=0.0),
        cl.Revolute("C", first, ground, at=(1.0, 0.0), at_second=(1.3, 0.4)),
    )
    assert opening(model) == ("C", 0.5, "m")


def test_a_weld_that_is_turned_is_open_in_radians() -> None:
    ground, first = cl.Ground(), bar("first", 1.0)
    model = cl.Model(
        cl.Revolute("A", ground, first, angle=0.3),
        cl.Weld("W", ground, first),
    )
    assert opening(model) == ("W", 0.3, "rad")


def test_a_rack_is_open_in_metres_and_gears_in_radians() -> None:
    ground, pinion, rack = cl.Ground(), bar("pinion", 0.1), bar("rack", 0.2)
    axle = cl.Revolute("axle", ground, pinion, angle=0.0, speed=1.0)
    slide = cl.Prismatic("slide", ground, rack, axis=(1.0, 0.0), displacement=0.0, velocity=0.3)
    model = cl.Model(axle, slide, cl.Rack("mesh", axle, slide, radius=0.1))
    name, size, unit = opening(model)
    assert (name, unit) == ("mesh", "m/s") and size == pytest.approx(0.2)
    rotors = [cl.Rotor(n, inertia=1.0, speed=1.0) for n in "rs"]
    assert opening(cl.Model(cl.Gear("gear", *rotors, ratio=2.0), *rotors)) == ("gear", 1.0, "rad/s")


def test_velocities_open_in_metres_per_second() -> None:
    bob = cl.PointMass("bob", mass=1.0, position=(2.0, 0.0), velocity=(1.0, 0.0))
    assert opening(cl.Model(cl.Distance("thread", cl.Ground(), bob), bob)) == ("thread", 1.0, "m/s")


@pytest.mark.parametrize("angle", [0.3, 2.0, 3.1])
@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (1.0, 1.0, 1.0)])
def test_a_turn_in_space_is_told_whole(angle: float, axis: tuple[float, float, float]) -> None:
    """Not by its sine, nor by one component."""
    inertia = cl.inertia.box(1.0, (0.1, 0.2, 0.3))
    body = cl.Body("body", mass=1.0, inertia=inertia)
    turned = cl.rotation.about(axis, angle)
    ground = cl.Ground("ground")
    model = cl.Model(
        cl.Spherical("ball", ground, body, rotation=turned), cl.Weld("W", ground, body)
    )
    name, size, unit = opening(model)
    # rows of a weld are products of axes: about a skew axis sines of components to first order
    rel = 6e-3 if axis[0] == 0.0 or angle > 1.0 else 0.1 * angle
    assert (name, unit) == ("W", "rad") and size == pytest.approx(angle, rel=rel)
