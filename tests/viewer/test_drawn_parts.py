"""What parts without a shape look like, and what of them the page lets one see on demand."""

import json
import math
from typing import Any

import numpy as np
import pytest
from many_bodies import many_balls

import cornerlaw as cl
from cornerlaw.viewer.payload import _sized
from cornerlaw.viewer.sampling import Frames


def shapes_of(model: cl.Model, name: str) -> list[dict[str, Any]]:
    from cornerlaw.model.scene import describe_scene

    body = next(b for b in describe_scene(model)["bodies"] if b["name"] == name)
    return list(body["shapes"])


def spatial(inertia: Any, **more: Any) -> list[dict[str, Any]]:
    body = cl.Body("body", mass=2.0, inertia=inertia, **more)
    return shapes_of(cl.Model(body, cl.FreeJoint("free", cl.Ground(), body)), "body")


def test_equal_moments_make_a_cylinder_of_the_same_inertia() -> None:
    r, h, m = 0.3, 0.2, 2.0
    about, across = 0.5 * m * r**2, m * (3.0 * r**2 + h**2) / 12.0
    (shape,) = spatial((across, about, across))
    size = 1.0
    assert shape["type"] == "cylinder"
    assert shape["r"] == pytest.approx(min(r, 0.4 * size))
    assert shape["length"] == pytest.approx(h)
    axis = np.array(shape["rot"]).reshape(3, 3)[:, 2]
    assert np.abs(axis) == pytest.approx([0.0, 1.0, 0.0])


def test_three_equal_moments_make_a_ball_and_three_others_a_block() -> None:
    (ball,) = spatial((0.02, 0.02, 0.02))
    assert ball["type"] == "sphere" and ball["r"] == pytest.approx(math.sqrt(2.5 * 0.01))
    (block,) = spatial((0.02, 0.03, 0.04))
    assert block["type"] == "box"


def test_a_top_is_an_axle_with_its_disc_and_a_rod_is_none() -> None:
    ground = cl.Ground()

    def hung(inertia: Any) -> list[dict[str, Any]]:
        body = cl.Body("top", mass=0.5, inertia=inertia, com=(0.0, 0.0, 0.08))
        return shapes_of(cl.Model(cl.Spherical("point", ground, body)), "top")

    link, disc = hung((4e-4, 4e-4, 6e-4))
    assert link["type"] == "link" and link["points"][1] == pytest.approx([0.0, 0.0, 0.08])
    assert disc["type"] == "cylinder" and disc["at"] == pytest.approx([0.0, 0.0, 0.08])
    thin = 0.5 * 0.16**2 / 12.0
    (rod,) = hung((thin, thin, 1e-7))
    assert rod["points"][1] == pytest.approx([0.0, 0.0, 0.16])


def oscillator() -> cl.Solution:
    mass = cl.Slider("mass", mass=1.0, position=-3.0)
    model = cl.Model(
        mass,
        cl.TorsionSpring("spring", mass, stiffness=4.0),
        cl.Limit("stop", mass, upper=0.5, eps_N=0.8),
    )
    return cl.simulate(model, t_end=5.0, method=cl.EventDriven())


def test_springs_and_stops_of_a_slider_are_drawn_where_they_act() -> None:
    sol = oscillator()
    scene = _sized(sol, Frames(sol, 100), json.loads(json.dumps(sol.scene)))
    (line,) = scene["lines"]
    assert line["kind"] == "spring" and [end[0] for end in line["points"]] == ["world", "mass"]
    found = {body["name"]: body["shapes"][0] for body in scene["bodies"]}
    stop, mass = found["stop.upper"], found["mass"]
    # the face of the mass meets that of the stop where the coordinate is at its limit
    assert stop["at"][0] - 0.5 * stop["size"][0] == pytest.approx(0.5 + 0.5 * mass["size"][0])
    # however far it moves, the mass stays right of the wall that holds the spring
    wall = found["spring.wall"]
    left = wall["at"][0] + 0.5 * wall["size"][0]
    assert left < sol["mass"].position.min() - 0.5 * mass["size"][0]


def test_axes_of_joints_are_in_the_axes_of_their_first_body() -> None:
    ground = cl.Ground()
    arm = cl.Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    frame = cl.Frame("bearing", ground, rotation=cl.rotation.about((1.0, 0.0, 0.0), 0.5 * math.pi))
    model = cl.Model(frame, cl.Revolute("hinge", frame, arm, axis=(0.0, 0.0, 1.0)))
    from cornerlaw.model.scene import describe_scene

    (joint,) = describe_scene(model)["joints"]
    assert joint["axis"] == pytest.approx([0.0, -1.0, 0.0], abs=1e-12)


def test_views_are_kept_until_the_next_visit(opened: Any, html: Any, bounce: cl.Solution) -> None:
    url = html(bounce)
    opened.open(url)
    page = opened.page
    assert opened.state["views"] == []
    page.locator("#view-2").click()  # empty: saves
    here = opened.state["target"]
    page.locator("#stage").focus()
    page.keyboard.press("]")
    assert opened.state["target"] != pytest.approx(here)
    page.reload()
    opened.until("Boolean(window.cornerlaw)")
    assert opened.state["views"] == [2]
    page.locator("#stage").focus()
    page.keyboard.press("]")
    page.locator("#view-2").click()
    assert opened.state["target"] == pytest.approx(here)
    assert opened.state["follow"] == "world"


def test_of_many_bodies_the_followed_one_has_a_trail(opened: Any, html: Any) -> None:
    opened.open(html(many_balls(80, 40)) + "#panel=0")
    page = opened.page
    page.keyboard.press("t")
    page.evaluate("cornerlaw.seek(1.0)")
    assert opened.state["trails"] == 0
    opened.follow("ball 7")
    page.evaluate("cornerlaw.seek(1.1)")
    assert opened.state["trails"] == 1


def test_a_second_unit_has_a_scale_of_its_own(opened: Any, html: Any, bounce: cl.Solution) -> None:
    opened.open(html(bounce))
    page = opened.page
    page.evaluate("cornerlaw.seek(0.2)")
    left = page.evaluate("cornerlaw.ticks()")
    assert page.evaluate("cornerlaw.rightTicks()") == []
    page.locator("#signal").fill("position y")
    page.locator(".menu div").first.click()
    page.evaluate("cornerlaw.seek(0.3)")
    right = page.evaluate("cornerlaw.rightTicks()")
    assert page.evaluate("cornerlaw.ticks()") == left
    assert len(right) > 1 and max(float(x) for x in right) <= 0.7  # metres beside joules


def test_factors_are_written_without_exponents(opened: Any, html: Any) -> None:
    mass = cl.PointMass("mass", mass=1.0, position=(0.0, 1.0))
    sol = cl.simulate(cl.Model(mass, gravity=(0.0, -9.81)), t_end=50.0)
    opened.open(html(sol))
    shown = opened.page.locator("#factor").inner_text()
    assert shown.startswith("computed at × ") and "e+" not in shown
