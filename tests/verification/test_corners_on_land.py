"""A box on a height field by points at its corners: enough on even slopes and in valleys."""

import itertools

import numpy as np
import pytest

import cornerlaw as cl

SIZE = (0.2, 0.3, 0.1)
AT = 0.3  # where the box starts, along the slope [m]
G = 9.81


def brick_on(land: cl.HeightField, mu: float, angle: float, lift: float) -> cl.Model:
    """Return a box with a point at each corner, laid on a slope about y through the origin."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    brick = cl.Body(
        "brick",
        mass=2.0,
        inertia=cl.inertia.box(2.0, SIZE),
        position=tuple(turn @ (AT, 0.0, 0.5 * SIZE[2] + lift)),
        rotation=turn.tolist(),
    )
    half = [0.5 * x for x in SIZE]
    corners = [
        cl.ContactPoint(f"corner {i}", brick, at=tuple(np.multiply(half, signs)))
        for i, signs in enumerate(itertools.product((-1.0, 1.0), repeat=3))
    ]
    contacts = [cl.Contact(x, land, mu=mu) for x in corners]
    return cl.Model(brick, land, *corners, *contacts, gravity=(0.0, 0.0, -G))


def land(slope: float, bowl: float) -> cl.HeightField:
    """Return z = slope x + bowl (x^2 + y^2): cubic splines have both exactly."""
    x, y = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, 21)], indexing="ij")
    heights = slope * x + bowl * (x * x + y * y)
    return cl.HeightField("land", cl.Ground(), heights=heights.tolist(), size=(2.0, 2.0))


def run(model: cl.Model, t_end: float) -> cl.Solution:
    return cl.simulate(model, t_end, method=cl.Moreau(dt=1e-3), progress=False)


def test_slides_down_a_slope_as_on_a_plane() -> None:
    angle, mu, t = np.radians(20.0), 0.2, 0.5
    sol = run(brick_on(land(np.tan(angle), 0.0), mu, angle, 0.0), t)
    way = 0.5 * G * (np.sin(angle) - mu * np.cos(angle)) * t * t
    moved = sol["brick"].position[-1] - sol["brick"].position[0]
    # stepping has constant accelerations exactly: 500 steps of rounding are left
    along = -way * np.array([np.cos(angle), 0.0, np.sin(angle)])
    np.testing.assert_allclose(moved, along, rtol=0.0, atol=1e-12)


def test_rests_on_a_slope() -> None:
    angle = np.radians(10.0)
    sol = run(brick_on(land(np.tan(angle), 0.0), 0.5, angle, 0.0), 2.0)
    place = sol["brick"].position
    # the bound of boxes on planes: no creep over 1e-12 m/s, here for the second second
    assert np.linalg.norm(place[-1] - place[len(place) // 2]) < 1e-12
    assert sol.statistics["worst_penetration"] < 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_comes_to_rest_in_a_valley(mu: float) -> None:
    """Dropped on a valley, it lies on its corners; without friction it goes on sliding."""
    bowl = 0.3
    sol = run(brick_on(land(0.0, bowl), mu, 0.0, 0.1), 3.0)
    brick = sol["brick"]
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    corners = brick.position[-1] + (0.5 * signs * SIZE) @ brick.rotation[-1].T
    over = corners[:, 2] - bowl * (corners[:, 0] ** 2 + corners[:, 1] ** 2)
    assert over.min() > -1e-9
    speed = np.abs(brick.velocity[-1]).max()
    if mu == 0.0:
        assert speed > 1e-3
        return
    assert speed < 1e-12
    assert np.sort(over)[2] < 1e-9  # three corners on the ground at least
    assert np.linalg.norm(brick.position[-1] - brick.position[-500]) < 1e-12
