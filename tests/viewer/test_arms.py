"""Planar bodies look like one thing: arms tie shapes, joints and springs that do not touch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.model.scene import describe_scene


def shapes_of(model: cl.Model) -> dict[str, list[dict[str, Any]]]:
    return {body["name"]: body["shapes"] for body in describe_scene(model)["bodies"]}


def links(shapes: list[dict[str, Any]]) -> list[Any]:
    return [np.array(s["points"])[:, :2] for s in shapes if s["type"] == "link"]


def bar(name: str, length: float) -> cl.Body:
    inertia = cl.inertia.rod(1.0, length=length)
    return cl.Body(name, mass=1.0, inertia=inertia, com=(0.5 * length, 0.0))


def slider_crank(pin: float, crank: float = 0.13, rod: float = 0.4) -> cl.Model:
    """A slider-crank whose crank pin has clearance in the eye of the rod."""
    ground, first, second = cl.Ground(), bar("crank", crank), bar("rod", rod)
    piston = cl.Body("piston", mass=1.0)
    inner = cl.Circle("pin", first, radius=pin, at=(crank, 0.0))
    outer = cl.Circle("eye", second, radius=1.02 * pin, inside=True)
    return cl.Model(
        cl.Revolute("main bearing", ground, first, angle=0.6),
        cl.Prismatic("guide", ground, piston, axis=(1.0, 0.0)),
        cl.Revolute("piston pin", piston, second, at_second=(rod, 0.0)),
        cl.Contact(inner, outer, mu=0.1, eps_N=0.2),
    )


@pytest.mark.parametrize("pin", [0.002, 0.011, 0.022, 0.04, 0.08, 0.12])
def test_a_crank_is_a_link_however_large_its_pin_is(pin: float) -> None:
    found = shapes_of(slider_crank(pin))
    (crank,) = links(found["crank"])
    ends = sorted(math.hypot(*p) for p in crank)
    assert ends == pytest.approx([0.0, 0.13])
    (rod,) = links(found["rod"])
    ends = sorted(math.hypot(*p) for p in rod)
    # from the piston pin to the ring around the eye, whose hole stays open: the arm has a round end
    half = next(shape["r"] for shape in found["rod"] if shape["type"] == "link")
    assert ends[1] == pytest.approx(0.4) and 1.02 * pin + half <= ends[0] < 1.02 * pin + 0.05


def test_a_pin_around_its_own_joint_needs_no_link() -> None:
    ground, wheel = cl.Ground(), cl.Body("wheel", mass=1.0, inertia=0.1)
    model = cl.Model(
        cl.Revolute("axle", ground, wheel, angle=0.0),
        cl.Circle("rim", wheel, radius=0.5),
        cl.Spring("spring", ground, wheel, at=(2.0, 0.0), at_second=(0.4, 0.0), stiffness=1.0),
    )
    assert links(shapes_of(model)["wheel"]) == []


def test_points_outside_an_outline_get_the_shortest_arm() -> None:
    ground, body = cl.Ground(), cl.Body("hammer", mass=1.0, inertia=0.1)
    box = [(1.0, -0.5), (2.0, -0.5), (2.0, 0.5), (1.0, 0.5)]
    model = cl.Model(
        cl.Revolute("hinge", ground, body, angle=0.0),
        cl.Polygon("head", body, vertices=box),
        cl.Spring("in", ground, body, at=(5.0, 0.0), at_second=(1.5, 0.2), stiffness=1.0),
    )
    (arm,) = links(shapes_of(model)["hammer"])
    # from the hinge to the nearest side; the spring ends inside the head
    assert {tuple(p) for p in np.round(arm, 12)} == {(0.0, 0.0), (1.0, 0.0)}


def test_shapes_that_do_not_touch_are_tied_and_those_that_do_are_not() -> None:
    ground, body = cl.Ground(), cl.Body("body", mass=1.0, inertia=0.1)

    def of(gap: float) -> list[Any]:
        model = cl.Model(
            cl.Revolute("hinge", ground, body, angle=0.0),
            cl.Circle("first", body, radius=0.5),
            cl.Circle("second", body, radius=0.5, at=(1.0 + gap, 0.0)),
        )
        return links(shapes_of(model)["body"])

    assert of(0.0) == []
    (arm,) = of(0.6)
    assert sorted(p[0] for p in arm) == pytest.approx([0.0, 1.6])


def test_a_follower_with_a_flat_face_hangs_together() -> None:
    ground, follower = cl.Ground(), cl.Body("follower", mass=0.5, inertia=0.01)
    model = cl.Model(
        cl.Prismatic("guide", ground, follower, axis=(0.0, 1.0), displacement=0.2),
        cl.Segment("flat", follower, start=(0.08, -0.1), end=(-0.08, -0.1)),
        cl.Spring("s", ground, follower, at=(0.0, 0.4), at_second=(0.0, 0.1), stiffness=1.0),
    )
    arms = links(shapes_of(model)["follower"])
    assert sum(float(np.linalg.norm(b - a)) for a, b in arms) == pytest.approx(0.2)
