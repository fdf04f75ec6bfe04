"""Boxes and polyhedra on landscapes and surfaces: slopes, crests and bumps, on both roads."""

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

SIZE = (0.2, 0.3, 0.1)
G = 9.81
CREEP = 1e-12  # m/s, the bound of boxes on planes
DEEP = 1e-9  # m, the same


def heights(z: Any, n: int = 21) -> cl.HeightField:
    """Return a field over 2 m by 2 m; cubic splines have cubics exactly."""
    x, y = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, n)], indexing="ij")
    return cl.HeightField("land", cl.Ground(), heights=z(x, y).tolist(), size=(2.0, 2.0))


def bumps(slope: float) -> cl.HeightField:
    """Return rough ground with bumps of 2 cm, about four under the box each way."""
    rough = np.random.default_rng(3).normal(size=(41, 41))
    return heights(
        lambda x, y: slope * x + 0.02 * np.sin(9.0 * x + 0.3) * np.cos(8.0 * y) + 0.004 * rough, 41
    )


def model(
    land: cl.Part, at: Any, turn: Any, mu: float, speed: Any = (0.0, 0.0, 0.0),
    corners: Any = None,
) -> cl.Model:  # fmt: skip
    """Return a box, or a polyhedron with these corners, over a landscape."""
    brick = cl.Body(
        "brick",
        mass=2.0,
        inertia=cl.inertia.box(2.0, SIZE),
        position=at,
        rotation=turn,
        velocity=speed,
    )
    if corners is None:
        sides: cl.Part = cl.Box("sides", brick, size=SIZE)
    else:
        sides = cl.Polyhedron("sides", brick, vertices=corners)
    contact = cl.Contact(sides, land, name="on", mu=mu)
    return cl.Model(brick, land, sides, contact, gravity=(0.0, 0.0, -G))


def about_y(angle: float) -> Any:
    """Return the axes of a slope that rises along x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def run(what: cl.Model, t_end: float, dt: float = 1e-3) -> cl.Solution:
    return cl.simulate(what, t_end, method=cl.Moreau(dt=dt), progress=False)


def test_slides_down_a_slope_as_on_a_plane() -> None:
    angle, mu, t = np.radians(20.0), 0.2, 0.5
    turn = about_y(angle)
    land = heights(lambda x, y: np.tan(angle) * x + 0.0 * y)
    sol = run(model(land, turn @ (0.3, 0.0, 0.05), turn, mu), t)
    way = 0.5 * G * (np.sin(angle) - mu * np.cos(angle)) * t * t
    moved = sol["brick"].position[-1] - sol["brick"].position[0]
    # stepping has constant accelerations exactly: 500 steps of rounding are left
    along = -way * np.array([np.cos(angle), 0.0, np.sin(angle)])
    np.testing.assert_allclose(moved, along, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("shape", ["box", "polyhedron"])
def test_rests_on_a_slope(shape: str) -> None:
    angle = np.radians(10.0)
    turn = about_y(angle)
    land = heights(lambda x, y: np.tan(angle) * x + 0.0 * y)
    signs = np.array(np.meshgrid(*3 * [[-0.5, 0.5]])).reshape(3, -1).T
    corners = None if shape == "box" else (signs * SIZE).tolist()
    sol = run(model(land, turn @ (0.3, 0.0, 0.05), turn, 0.5, corners=corners), 2.0)
    place = sol["brick"].position
    assert np.linalg.norm(place[-1] - place[len(place) // 2]) < CREEP
    assert sol.statistics["worst_penetration"] < DEEP


def drop(angle: float) -> cl.Solution:
    """Return six seconds of a box that is dropped askew on rough ground."""
    turn = np.array(cl.rotation.cardan(0.1, 0.2, 0.3))
    land = bumps(np.tan(np.radians(angle)))
    return run(model(land, (0.03, 0.02, 0.15), turn, 0.5), 6.0)


def test_comes_to_rest_on_bumps() -> None:
    """Dropped askew on level ground it rocks, and rests on three points at least."""
    sol = drop(0.0)
    place, axes = sol["brick"].position, sol["brick"].rotation
    n = len(place) // 6  # the last second
    assert np.linalg.norm(place[-1] - place[-n]) < CREEP
    # a corner is 0.2 m from the middle
    assert np.abs(axes[-1] - axes[-n]).max() * 0.2 < CREEP
    assert sol.statistics["worst_penetration"] < DEEP
    loads = np.array([sol[f"on[{k}]"].lam_N[-1] for k in range(8)])
    assert (loads > 1e-3).sum() >= 3
    force = sol["on"].force[-1]
    # a problem is solved to 1e-8 of the velocity that weight makes in a step
    np.testing.assert_allclose(force, (0.0, 0.0, 2.0 * G), atol=1e-8 * 2.0 * G)


def test_rocks_on_two_bumps_without_end() -> None:
    """Two smooth bumps carry it on the slope: it rolls on them to and fro, and nothing is lost.

    Rest would need a third point, or friction that does work; rolling does none.
    """
    sol = drop(10.0)
    late = sol.t > 1.0
    loaded = np.sum([sol[f"on[{k}]"].lam_N[late] > 1e-3 for k in range(8)], axis=0)
    assert np.mean(loaded == 2) > 0.99
    assert sol.statistics["worst_penetration"] < DEEP
    u, A = sol["brick"].velocity[late], sol["brick"].rotation[late]
    turning = np.einsum("nji,nj->ni", A, sol["brick"].angular_velocity[late])
    inertia = 2.0 / 12.0 * np.array([SIZE[1] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[2] ** 2,
                                     SIZE[0] ** 2 + SIZE[1] ** 2])  # fmt: skip
    moving = 0.5 * (2.0 * (u**2).sum(axis=1) + turning**2 @ inertia)
    energy = moving + 2.0 * G * sol["brick"].position[late][:, 2]
    lost = energy[:-1000] - energy[1000:]  # within a second
    # a scheme of first order loses by its step: a few percent of the motion in a second
    assert lost.min() > 0.0 and lost.max() < 0.1 * moving.max()


def test_lies_across_a_ridge_on_two_edges() -> None:
    """Laid on z = -0.3 x^2 it stays: the crest carries between its corners."""
    land = heights(lambda x, y: -0.3 * x * x + 0.0 * y)
    sol = run(model(land, (0.0, 0.0, 0.5 * SIZE[2]), np.eye(3), 0.5), 1.0)
    assert np.abs(sol["brick"].position[-1] - (0.0, 0.0, 0.5 * SIZE[2])).max() < 1e-12
    carried = [k for k in range(8) if sol[f"on[{k}]"].lam_N[-1] > 1e-3]
    assert len(carried) == 2
    places = np.array([sol[f"on[{k}]"].point[-1] for k in carried])
    np.testing.assert_allclose(np.sort(places[:, 1]), (-0.15, 0.15), atol=1e-12)
    np.testing.assert_allclose(places[:, [0, 2]], 0.0, atol=1e-12)


def rocking(method: Any, t: float) -> Any:
    """Return place and angle of a box that rocks on a round hill, of radius 0.5 m at its top."""
    land = heights(lambda x, y: -x * x - y * y)
    angle = 0.05
    A = about_y(-angle)
    # on a paraboloid the place with this slope is where the lower face touches
    m = np.tan(-angle)
    top = np.array([-0.5 * m, 0.0, -0.25 * m * m])
    arm = 0.5 * SIZE[2]
    # rolled there from the middle: it has the way of the contact along the hill
    what = model(land, top + A @ (0.025, 0.0, arm), A, 2.0)
    sol = cl.simulate(what, t, method=method, progress=False)
    return np.concatenate([sol["brick"].position[-1], sol["brick"].rotation[-1][:, 0]])


def test_both_roads_agree_on_a_hill() -> None:
    """A box that rolls over a peak with its face: time stepping converges to the exact road."""
    t = 0.3
    exact = rocking(cl.EventDriven(rtol=1e-9, atol=1e-11), t)
    errors = [np.abs(rocking(cl.Moreau(dt=dt), t) - exact).max() for dt in (1e-3, 5e-4)]
    assert errors[0] < 1e-3
    # of first order at least
    assert errors[1] < 0.6 * errors[0]


def dome(s: float, t: float) -> tuple[float, float, float]:
    return s, t, -0.4 * s * s - 0.25 * t * t + 0.05 * s * t


def test_a_box_on_a_surface_moves_as_on_its_height_field() -> None:
    """A surface given by a function and the field of its heights are the same ground."""
    x = np.linspace(-1.0, 1.0, 21)
    grid = [[dome(a, b)[2] for b in x] for a in x]
    grounds = (
        cl.Surface("land", cl.Ground(), function=dome, s=(-1.0, 1.0), t=(-1.0, 1.0)),
        cl.HeightField("land", cl.Ground(), heights=grid, size=(2.0, 2.0)),
    )
    turn = np.array(cl.rotation.cardan(0.1, -0.15, 0.4))
    ends = []
    for ground in grounds:
        sol = run(model(ground, (0.05, 0.03, 0.12), turn, 0.3, (0.3, 0.1, 0.0)), 0.4)
        ends.append(np.concatenate([sol["brick"].position[-1], sol["brick"].velocity[-1]]))
    # several impacts: rounding grows by some orders of magnitude
    np.testing.assert_allclose(ends[0], ends[1], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven()], ids=["steps", "events"])
def test_a_force_that_is_no_number_ends_the_run_of_a_box_on_land(method: Any) -> None:
    """The search along edges ends where a pose is no number, and the run says what gave it."""
    rough = model(heights(lambda x, y: 0.02 * np.cos(6.0 * x) + 0.0 * y), (0.0, 0.0, 0.09),
                  np.eye(3), 0.5)  # fmt: skip
    push = cl.Force("push", "brick", value=lambda t: (np.nan if t > 0.1 else 0.0, 0.0, 0.0))
    with pytest.raises(cl.SimulationError, match=r"push|finite"):
        cl.simulate(cl.Model(*rough.parts, push, gravity=(0.0, 0.0, -G)), 0.3, method=method,
                    progress=False)  # fmt: skip
