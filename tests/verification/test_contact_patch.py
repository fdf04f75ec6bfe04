"""What a pair of solids says as a whole: sum of forces, centre of pressure, extent of the patch.

A box that rests on a plane under its weight and a load beside its middle: statics gives the sum and
where it acts. How four corners share it is not determined; sum and centre are all the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G, MASS, LOAD = 9.81, 2.0, 7.0
SIZE = (0.4, 0.3, 0.2)
ROADS = {"stepping": cl.Moreau(dt=1e-3), "events": cl.EventDriven()}


def loaded(at: tuple[float, float], slope: float, method: Any, pooled: bool = False) -> Any:
    """Return results of a box on a slope about y, loaded along the normal at `at` of its top."""
    n = np.array([math.sin(slope), 0.0, math.cos(slope)])
    turn = cl.rotation.about((0.0, 1.0, 0.0), slope)
    body = cl.Body(
        "box", inertia=cl.inertia.box(MASS, SIZE), position=tuple(0.5 * SIZE[2] * n), rotation=turn
    )
    hull = cl.Box("hull", body, size=SIZE)
    plane = cl.Ground("plane", normal=tuple(n))
    # along the normal of the slope, in the axes of the box
    push = cl.Force("push", body, value=(0.0, 0.0, -LOAD), at=(*at, 0.5 * SIZE[2]), axes="body")
    law: Any = cl.Contact(hull, plane, name="hull-plane", mu=0.8)
    if pooled:
        law = cl.AllContacts("all", mu=0.8, pooled=True)
    model = cl.Model(body, hull, plane, push, law, gravity=(0.0, 0.0, -G))
    sol = cl.simulate(model, 0.05, method=method, progress=False)
    return sol["hull-plane"], np.array(turn).reshape(3, 3)


@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("road", [*ROADS, "pooled"])
def test_sum_and_centre_of_pressure_are_those_of_statics(road: str, slope: float) -> None:
    at, method = (0.11, -0.06), ROADS.get(road, ROADS["stepping"])
    pair, axes = loaded(at, slope, method, road == "pooled")
    c, s = math.cos(slope), math.sin(slope)
    total = axes @ [0.0, 0.0, LOAD] + [0.0, 0.0, MASS * G]
    assert pair.force[-1] == pytest.approx(total, abs=1e-9 * MASS * G)
    normal = LOAD + MASS * G * c
    # moments about the middle of the face: the load, and the weight along the slope at half height
    x = (LOAD * at[0] + MASS * G * s * 0.5 * SIZE[2]) / normal
    y = LOAD * at[1] / normal
    assert pair.centre_of_pressure[-1] == pytest.approx(axes @ [x, y, 0.0], abs=1e-9)


@pytest.mark.parametrize("road", ["stepping", "pooled"])
def test_patch_is_the_face_while_all_of_it_carries(road: str) -> None:
    pair, _ = loaded((0.0, 0.0), 0.0, ROADS["stepping"], road == "pooled")
    assert pair.closed_points[-1] == 4
    assert pair.patch_low[-1] == pytest.approx([-0.2, -0.15, 0.0], abs=1e-12)
    assert pair.patch_high[-1] == pytest.approx([0.2, 0.15, 0.0], abs=1e-12)


@pytest.mark.parametrize("road", ["stepping", "pooled"])
def test_patch_shrinks_to_the_edge_a_box_tips_over(road: str) -> None:
    """A load beyond the edge that lifts the other side: only the edge carries."""
    at = (0.19, 0.0)
    n, heavy = np.array([0.0, 0.0, 1.0]), 400.0
    body = cl.Body("box", inertia=cl.inertia.box(MASS, SIZE), position=tuple(0.1 * n))
    hull = cl.Box("hull", body, size=(0.2, 0.3, 0.2))
    plane = cl.Ground("plane", normal=tuple(n))
    push = cl.Force("push", body, value=(0.0, 0.0, -heavy), at=(*at, 0.1))
    law: Any = cl.Contact(hull, plane, name="hull-plane", mu=0.8)
    if road == "pooled":
        law = cl.AllContacts("all", mu=0.8, pooled=True)
    model = cl.Model(body, hull, plane, push, law, gravity=(0.0, 0.0, -G))
    sol = cl.simulate(model, 0.02, method=cl.Moreau(dt=1e-3), progress=False)
    pair, turned = sol["hull-plane"], np.asarray(sol["box"].rotation)[-1]
    edge = sol["box"].position[-1] + turned @ [0.1, 0.0, -0.1]
    assert pair.closed_points[-1] == 2
    assert pair.patch_low[-1] == pytest.approx([edge[0], -0.15, edge[2]], abs=1e-9)
    assert pair.patch_high[-1] == pytest.approx([edge[0], 0.15, edge[2]], abs=1e-9)
    assert pair.centre_of_pressure[-1] == pytest.approx(edge, abs=1e-9)


def test_a_pair_apart_has_no_patch() -> None:
    body = cl.Body("ball", inertia=cl.inertia.sphere(1.0, 0.1), position=(0.0, 0.0, 1.0))
    skin, plane = cl.Sphere("skin", body, radius=0.1), cl.Ground("plane", normal=(0.0, 0.0, 1.0))
    model = cl.Model(body, skin, plane, cl.Contact(skin, plane), gravity=(0.0, 0.0, -G))
    pair = cl.simulate(model, 0.01, method=cl.Moreau(dt=1e-3))["skin-plane"]
    assert (pair.closed_points == 0).all()
    for quantity in (pair.patch_low, pair.patch_high, pair.centre_of_pressure):
        assert np.isnan(quantity).all()
