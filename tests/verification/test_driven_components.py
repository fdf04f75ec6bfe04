"""Components of a position that are driven or locked alone, in the tree and as a loop joint."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = cl.Ground()
TIGHT = cl.RungeKutta8(rtol=1e-11, atol=1e-12)
GRAVITY = (1.0, 2.0, -9.81)
W, AMPLITUDE = 2.0, 0.3


def motion(t: float) -> float:
    return AMPLITUDE * math.sin(W * t)


def body(**options: Any) -> cl.Body:
    return cl.Body("b", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.3, 0.1, 0.2), **options)


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("closure", [False, True])
def test_one_component_is_driven_the_others_fall(axis: str, closure: bool) -> None:
    """Without rotation the drive needs m (a - gravity) and the rest falls freely."""
    k = "xyz".index(axis)
    joint = cl.Translation("j", G, body(), drive={f"position_{axis}": motion}, closure=closure)
    sol = cl.simulate(cl.Model(joint, gravity=GRAVITY), 0.5, method=TIGHT)
    t, r = sol.t, sol["b.position"]
    for i, g in enumerate(GRAVITY):
        expected = AMPLITUDE * np.sin(W * t) if i == k else 0.5 * g * t**2
        np.testing.assert_allclose(r[:, i], expected, atol=1e-9)
    force = 2.0 * (-AMPLITUDE * W**2 * np.sin(W * t) - GRAVITY[k])
    np.testing.assert_allclose(sol[f"j.drive_force_position_{axis}"], force, atol=1e-7)


@pytest.mark.parametrize("closure", [False, True])
def test_a_component_is_locked_where_it_starts(closure: bool) -> None:
    """A planar joint with one direction held is a hinge on a carriage."""
    start = {} if closure else {"angle": 0.4, "speed": 1.0}
    placed = body(
        position=(0.1, 0.2, 0.0), rotation=cl.rotation.about((0, 0, 1), 0.4),
        angular_velocity=(0.0, 0.0, 1.0),
    )  # fmt: skip
    joint = cl.PlanarJoint(
        "j", G, placed if closure else body(), position=(0.1, 0.2), locked=("position_x",),
        closure=closure, **start,
    )  # fmt: skip
    sol = cl.simulate(cl.Model(joint, gravity=GRAVITY), 0.5, method=TIGHT)
    carriage = cl.Body("carriage")
    slide = cl.Prismatic("s", G, carriage, axis=(0.0, 1.0, 0.0), at=(0.1, 0.2, 0.0))
    hinge = cl.Revolute("h", carriage, body(), angle=0.4, speed=1.0)
    # the axes of the body are those of the ground at zero angle
    same = cl.simulate(cl.Model(slide, hinge, gravity=GRAVITY), 0.5, method=TIGHT)
    np.testing.assert_allclose(sol["b.position"][-1], same["b.position"][-1], atol=1e-8)
    np.testing.assert_allclose(sol["b.rotation"][-1], same["b.rotation"][-1], atol=1e-8)
    assert sol["b.position"][-1][0] == pytest.approx(0.1, abs=1e-12)
    assert abs(sol["j.drive_force_position_x"]).max() > 1.0


def test_a_driven_component_leaves_initial_values_of_the_others() -> None:
    joint = cl.Translation("j", G, body(), drive={"position_x": motion}, position=(0.7, 0.2, 0.3),
                           velocity=(9.0, 0.0, 4.0))  # fmt: skip
    sol = cl.simulate(cl.Model(joint), 0.2, method=TIGHT)
    expected = (motion(0.2), 0.2, 0.3 + 0.2 * 4.0)
    np.testing.assert_allclose(sol["b.position"][-1], expected, atol=1e-10)


def test_driven_and_locked_components_of_a_free_joint() -> None:
    joint = cl.FreeJoint("j", G, body(), drive={"position_z": motion}, locked=("position_x",),
                         angular_velocity=(0.0, 1.0, 0.0))  # fmt: skip
    sol = cl.simulate(cl.Model(joint, gravity=GRAVITY), 0.2, method=TIGHT)
    r = sol["b.position"][-1]
    assert r[0] == 0.0 and r[2] == pytest.approx(motion(0.2), abs=1e-12) and r[1] > 0.0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"drive": {"position_w": 1.0}}, "did you mean 'position"),
        ({"drive": {"position_x": (1.0, 2.0)}}, "drive[position_x] must be one signal"),
        ({"drive": {"position_x": 1.0}, "locked": ("position_x",)}, "both driven and locked"),
        ({"drive": {"position_x": 1.0}, "locked": ("position",)}, "position_x is given twice"),
    ],
)
def test_wrong_components_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(cl.CornerlawError) as caught:
        cl.Translation("j", G, body(), **options)
    assert text in str(caught.value)


@pytest.mark.parametrize("options", [{"drive": {"position_z": 1.0}}, {"locked": ("position_z",)}])
@pytest.mark.parametrize("closure", [False, True])
def test_the_plane_has_no_third_component(options: dict[str, Any], closure: bool) -> None:
    joint = cl.Translation(
        "j", G, cl.Body("b", mass=1.0, com=(0.0, 0.1)), closure=closure, **options
    )
    with pytest.raises(cl.ModelError, match="does not have in the plane"):
        cl.simulate(cl.Model(joint, gravity=(0.0, -9.81)), 0.1)
