"""Runs of many balls on the page: places, turns, contacts with their state and force."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.viewer.packing import unpack
from cornerlaw.viewer.payload import build_payload

R, MU, G = 0.05, 0.2, 9.81


def sliding(mu: float = MU, contacts: bool = True) -> cl.Solution:
    """Return two balls on a floor: the first one slides, then rolls, the second one rests."""
    model = cl.Model(
        cl.Grains(
            "balls",
            position=[(0.0, 0.0, R), (0.0, 1.0, 2 * R)],
            radius=[R, 2 * R],
            velocity=[(1.4, 0.0, 0.0), (0.0, 0.0, 0.0)],
        ),
        cl.Ground("floor", normal=(0.0, 0.0, 1.0)),
        cl.AllContacts("all", mu=mu),
        gravity=(0.0, 0.0, -G),
    )
    return cl.simulate(model, t_end=0.4, method=cl.Granular(dt=1e-3, contacts=contacts))


def test_contacts_of_balls_slip_while_they_slide_and_carry_the_weight() -> None:
    sol = sliding()
    ball = sol["balls"]
    # what was stored first has no step before it
    state, force = ball.contact_state[1:], ball.contact_force[1:]
    slides = sol.t[1:] < 2.0 / 7.0 * 1.4 / (MU * G) - 1e-3
    rolls = sol.t[1:] > 2.0 / 7.0 * 1.4 / (MU * G) + 1e-3
    assert (state[slides, 0] == 5.0).all() and (state[rolls, 0] == 4.0).all()
    assert (state[:, 1] == 4.0).all()
    weight = 2500.0 * 4.0 / 3.0 * np.pi * np.array([R, 2 * R]) ** 3 * G
    assert np.abs(force[:, :, 2] / weight - 1.0).max() < 1e-9
    assert np.abs(force[slides, 0, 0] / (MU * weight[0]) + 1.0).max() < 1e-9
    assert np.abs(force[rolls, 0, :2]).max() < 1e-9 * weight[0]
    point = ball.contact_point[1:]
    assert np.abs(point[:, :, :2] - ball.position[1:, :, :2]).max() < 1e-12
    assert np.abs(point[:, :, 2]).max() < 1e-9


def test_a_pair_keeps_its_slot_while_it_lasts() -> None:
    from cornerlaw.simulate.grain_contacts import contact_results

    def row(*pairs: int) -> Any:
        return np.array(pairs), np.array([[1.0, k, 0, 0, 0, 0, 0] for k in pairs], float)

    found, channels = contact_results("balls", [row(3, 5), row(3, 4, 5), row(4, 5, 9), row(9)])
    assert [c.shape for c in channels] == [(3,), (3, 3), (3, 3)]
    shown = np.where(found["balls.contact_state"] > 0, found["balls.contact_point"][:, :, 0], 0)
    assert shown.tolist() == [[3, 5, 0], [3, 5, 4], [9, 5, 4], [9, 0, 0]]


def test_without_friction_a_contact_is_closed_and_without_the_option_it_is_not_stored() -> None:
    assert set(np.unique(sliding(0.0)["balls"].contact_state[1:])) == {1.0}
    assert "balls.contact_state" not in sliding(contacts=False).channels


def test_the_page_has_every_ball_with_its_place_turn_and_contact() -> None:
    sol = sliding()
    head, arrays = unpack(build_payload(sol))
    assert [b["name"] for b in head["bodies"]] == ["floor", "balls 0", "balls 1"]
    assert [b["shapes"][0]["r"] for b in head["bodies"][1:]] == [R, 2 * R]
    poses = arrays["poses"]
    assert np.abs(poses[1, 0, -1] - sol["balls"].position[-1, 0, 0]) < 1e-6
    # rolling: the ball turns by its way over its radius
    late = arrays["t"] > 0.25
    half = np.unwrap(np.arctan2(poses[1, 5, late], poses[1, 3, late]))
    turned, way = 2.0 * (half[-1] - half[0]), np.ptp(poses[1, 0, late])
    assert turned == pytest.approx(way / R, rel=1e-3)
    shown = arrays["contact_state"][:, -1]
    assert list(shown) == [3, 3]  # both stick
    assert arrays["contact_state"][0, 50] == 2


def test_a_file_of_balls_can_be_seen_again(tmp_path: Path) -> None:
    sol = sliding()
    sol.save(tmp_path / "balls.nc")
    assert build_payload(cl.load(tmp_path / "balls.nc")) == build_payload(sol)
    cl.load(tmp_path / "balls.nc").frame(0.1, renderer="drawing").save(tmp_path / "balls.png")


def test_balls_are_followed_and_coloured_on_the_page(opened: Any, html: Any) -> None:
    opened.open(html(sliding()) + "#panel=0")
    assert opened.state["bodies"] == 2
    opened.page.evaluate("cornerlaw.seek(0.05)")
    assert opened.page.evaluate("cornerlaw.contactStates()") == [0, 0, 1, 1]
    opened.page.evaluate("cornerlaw.seek(0.39)")
    assert opened.page.evaluate("cornerlaw.contactStates()") == [0, 0, 0, 2]
    opened.follow("balls 0")
    assert opened.state["follow"] == "balls 0"
