"""Many balls: single ones against closed forms and single bodies, piles against statics."""

from typing import Any

import numpy as np
import pytest
from run_hash import run_hash

import cornerlaw as cl
from cornerlaw.arrays.grains import ACCELERATED, CONTACTS, RESIDUAL, STEPS
from cornerlaw.kernels.grains.pairs import SKIN
from cornerlaw.simulate.granular import GrainScene

R = 0.05


def box(half: float) -> list[Any]:
    """Return a floor and four walls."""
    ground = cl.Ground("walls")
    ways = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))
    return [
        cl.Ground("floor", normal=(0.0, 0.0, 1.0)), ground,
        *(cl.Plane(f"wall {k}", ground, normal=way, at=tuple(-half * np.array(way)))
          for k, way in enumerate(ways)),
    ]  # fmt: skip


def lattice(count: int, side: int, seed: int = 0) -> Any:
    """Return places of balls above the floor, a little out of order."""
    k, gap = np.arange(count), 2.1 * R
    x = np.column_stack([k % side, k // side % side, k // side**2]) * gap
    x[:, :2] -= 0.5 * gap * (side - 1)
    x[:, 2] += 1.2 * R
    return x + np.random.default_rng(seed).uniform(-0.05, 0.05, (count, 3)) * R


def pile(count: int, side: int, **laws: float) -> cl.Model:
    """Return balls above each other in a box."""
    return cl.Model(
        cl.Grains("balls", position=lattice(count, side), radius=R, density=2500.0),
        *box(0.5 * 2.1 * R * side + 0.1 * R), cl.AllContacts("all", **laws),
        gravity=(0.0, 0.0, -9.81),
    )  # fmt: skip


def one_ball(position: Any, velocity: Any, **laws: float) -> cl.Model:
    return cl.Model(
        cl.Grains("ball", position=[position], radius=R, velocity=velocity),
        cl.Ground("floor", normal=(0.0, 0.0, 1.0)), cl.AllContacts("all", **laws),
        gravity=(0.0, 0.0, -9.81),
    )  # fmt: skip


def test_a_flying_ball_follows_its_parabola() -> None:
    model = one_ball((0.0, 0.0, 3.0), (1.0, -2.0, 3.0))
    sol = cl.simulate(model, t_end=0.5, method=cl.Granular(dt=1e-3))
    t = sol.t[:, None]
    exact = np.array([0.0, 0.0, 3.0]) + t * (1.0, -2.0, 3.0) + 0.5 * t**2 * (0.0, 0.0, -9.81)
    assert np.abs(sol["ball"].position[:, 0] - exact).max() < 1e-12


@pytest.mark.parametrize("dt", [1e-2, 1e-3, 1e-4])
def test_the_coefficient_of_restitution_means_what_it_says(dt: float) -> None:
    model = one_ball((0.0, 0.0, R + 0.02), (0.0, 0.0, -3.0), eps_N=0.8)
    sol = cl.simulate(model, t_end=0.02, method=cl.Granular(dt=dt))
    v = sol["ball"].velocity[:, 0, 2]
    k = int(np.argmax(v > 0.0))
    assert abs(v[k] / v[k - 1] + 0.8) < 1e-12


def test_a_sliding_ball_ends_up_rolling_with_five_sevenths_of_its_speed() -> None:
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        model = one_ball((0.0, 0.0, R), (1.4, 0.0, 0.0), mu=0.2)
        sol = cl.simulate(model, t_end=0.5, method=cl.Granular(dt=dt))
        v, w = sol["ball"].velocity[-1, 0, 0], sol["ball"].angular_velocity[-1, 0, 1]
        assert abs(v - R * w) < 1e-12
        assert abs(v - 1.0) < 1e-12
        slides = sol["ball"].velocity[:, 0, 0] > 1.0 + 1e-9
        errors.append(abs(sol.t[slides][-1] - 2.0 / 7.0 * 1.4 / (0.2 * 9.81)))
        assert errors[-1] <= dt


def test_two_balls_collide_as_two_single_bodies_do() -> None:
    """The same oblique impact by the general time stepping, with friction and restitution."""
    places = np.array([[0.0, 0.0, 0.0], [0.11, 0.04, 0.03]])
    speeds = np.array([[1.0, 0.2, 0.0], [-1.5, 0.0, 0.3]])
    spins = np.array([[3.0, -20.0, 8.0], [0.0, 10.0, -5.0]])
    laws = {"mu": 0.25, "eps_N": 0.6}
    many = cl.Model(
        cl.Grains("balls", position=places, radius=R, velocity=speeds, angular_velocity=spins),
        cl.AllContacts("all", **laws),
    )
    dt = 1e-6
    sol = cl.simulate(many, t_end=0.02, method=cl.Granular(dt=dt), every=20_000)
    mass = 2500.0 * 4.0 / 3.0 * np.pi * R**3
    items: list[Any] = []
    for k in range(2):
        body = cl.Body(
            f"b{k}", inertia=cl.inertia.sphere(mass, R), position=tuple(places[k]),
            velocity=tuple(speeds[k]), angular_velocity=tuple(spins[k]),
        )  # fmt: skip
        items += [body, cl.Sphere(f"s{k}", body, radius=R)]
    single = cl.Model(*items, cl.AllContacts("all", **laws))
    other = cl.simulate(single, t_end=0.02, method=cl.EventDriven(rtol=1e-10))
    for k in range(2):
        # the balls meet within a step of 1e-6 s: the normal is off by that
        assert np.abs(sol["balls"].velocity[-1, k] - other[f"b{k}"].velocity[-1]).max() < 1e-4
        found = sol["balls"].angular_velocity[-1, k]
        assert np.abs(found - other[f"b{k}"].angular_velocity[-1]).max() < 2e-3
    assert abs(speeds[0, 0] - other["b0"].velocity[-1, 0]) > 0.5


def test_momentum_is_kept_where_nothing_holds() -> None:
    rng = np.random.default_rng(3)
    x = lattice(216, 6)
    speeds = rng.normal(size=x.shape)
    model = cl.Model(
        cl.Grains("balls", position=x, radius=rng.uniform(0.3, 1.0, len(x)) * R, velocity=speeds),
        cl.AllContacts("all", mu=0.4, eps_N=0.5),
    )
    sol = cl.simulate(model, t_end=0.2, method=cl.Granular(dt=1e-3), every=200)
    mass = np.asarray(model.parts[0].radius) ** 3  # type: ignore[attr-defined]
    p = np.einsum("tij,i->tj", sol["balls"].velocity, mass)
    assert np.abs(p[-1] - p[0]).max() < 1e-12 * mass.sum()
    assert sol.energy.kinetic[-1] < 0.9 * sol.energy.kinetic[0]


def test_a_pile_comes_to_rest_without_sinking() -> None:
    settled = cl.simulate(
        pile(150, 5, mu=0.3), t_end=2.0, method=cl.Granular(dt=2e-3), every=50, progress=False
    )
    assert settled.status == "done"
    assert settled.statistics["worst_residual"] <= 1e-2
    x, half = settled["balls"].position[-1], 0.5 * 2.1 * R * 5 + 0.1 * R
    d = np.linalg.norm(x[:, None] - x[None], axis=2) + 1e9 * np.eye(len(x))
    # the scheme closes gaps at the end of a step; what is left is the residual of the solver
    assert d.min() > 2.0 * R * (1.0 - 1e-4)
    assert x[:, 2].min() > R * (1.0 - 1e-4)
    assert np.abs(x[:, :2]).max() < half - R * (1.0 - 1e-4)
    weight = 150 * 2500.0 * 4.0 / 3.0 * np.pi * R**3 * 9.81
    assert settled.energy.kinetic[-1] < 1e-4 * weight * R


@pytest.mark.trust("TR-R-02")
@pytest.mark.parametrize(("count", "side", "sweeps", "tolerance"), [
    (450, 7, 20, 1e-2),  # space has two parts
    (450, 3, 80, 1e-15),  # sweeps with momentum, in a column, as far as rounding
])  # fmt: skip
def test_one_core_or_two_give_the_same_bits(
    count: int, side: int, sweeps: int, tolerance: float
) -> None:
    """Of all that a run holds: rows, channels, statistics, the final state; and twice on two."""
    found = []
    for cores in (False, True, True):
        method = cl.Granular(
            dt=2e-3, sweeps=sweeps, tolerance=tolerance, on_unconverged="accept", cores=cores
        )
        sol = cl.simulate(pile(count, side, mu=0.3), t_end=0.1, method=method, every=25)
        assert sol.status == "degraded"
        assert sol.statistics["contacts"] > 80
        assert (sol.statistics["accelerated_sweeps"] > 0) == (sweeps > 50)
        found.append((sol["balls"].position.tobytes(), run_hash(sol)))
    assert found[0] == found[1] == found[2]


def test_parts_of_space_share_no_ball_and_hold_all_contacts() -> None:
    """Of a falling heap: contacts of a leaf touch its balls only, few are left, parts are even."""
    scene = GrainScene(pile(450, 7, mu=0.3), cl.Granular(dt=2e-3, sweeps=20, tolerance=1.0))
    scene.run(50)
    w, n = scene.work, 450
    count = int(w.figures[CONTACTS])
    assert w.node_last[1] == count
    assert w.node_first[2] == 0 and w.node_last[2] == w.node_first[3]
    inside = []
    for h in (2, 3):
        here = slice(int(w.node_first[h]), int(w.node_last[h]))
        balls = np.r_[w.first[here], w.second[here]]
        assert (w.leaf[balls[balls < n]] == h).all()
        inside.append(here.stop - here.start)
    # the median of a sample of more than half of them: it is off by a few places
    assert abs(int((w.leaf == 2).sum()) - n // 2) < 0.05 * n
    assert count - sum(inside) < 0.2 * count


def test_a_column_is_solved_to_a_tolerance_that_sweeps_alone_do_not_reach() -> None:
    """Residuals of plain sweeps by the same kernels, from the state before the first hard step."""
    from cornerlaw.kernels.grains import sweeps as kernels

    method = cl.Granular(dt=2e-3, sweeps=2000, tolerance=1e-5)
    scene = GrainScene(pile(300, 2, mu=0.3), method)
    for _ in range(200):
        before = scene.work.figures[ACCELERATED]
        kept = [array.copy() for array in scene.state]
        assert scene.run(1)[0] == 0
        used = scene.work.figures[ACCELERATED] - before
        if used > 200:
            break
    else:
        pytest.fail("no step was hard enough")
    with_momentum = scene.work.figures[RESIDUAL]
    assert with_momentum <= 1e-5
    # the same step without momentum: a scene at the same state sweeps once, then plainly on
    plain = GrainScene(
        pile(300, 2, mu=0.3),
        cl.Granular(dt=2e-3, sweeps=1, tolerance=1e-5, on_unconverged="accept"),
    )
    for mine, other in zip(plain.state, kept, strict=True):
        mine[:] = other
    plain.run(1)
    w, m = plain.work, plain.arrays
    count, v = int(w.figures[CONTACTS]), w.v_free
    contacts = (w.first, w.second, w.data)
    kernels.sweep(
        *contacts, m.inverse_mass, v, w.node_first, w.node_last, int(m.leaves[0]), 2000
    )  # fmt: skip
    left = kernels.eval_residual(*contacts, v, count, w.partial, 1, False)
    scale = max(2e-3 * 9.81, float(np.abs(v[:300, :3]).max()))
    assert left / scale > 1e-5


def test_a_large_ball_among_small_ones_meets_all_of_them() -> None:
    """Levels of size find the pairs that a search through all of them finds."""
    rng = np.random.default_rng(5)
    x = np.vstack([lattice(343, 7), [[0.0, 0.0, -0.53]]])
    radius = np.r_[rng.uniform(0.4, 1.0, 343) * R, 0.6]
    model = cl.Model(
        cl.Grains("balls", position=x, radius=radius), cl.AllContacts("all"),
    )  # fmt: skip
    scene = GrainScene(model, cl.Granular(dt=1e-3, sweeps=1, on_unconverged="accept"))
    scene.run(1)
    assert len(scene.arrays.level_start) == 4
    s, r = scene.state, scene.arrays.radius
    x = x[scene.order]
    found = {
        (i, int(j)) for i in range(344) for j in s.partner[s.start[i] : s.start[i + 1]]
    }  # fmt: skip
    gap = np.linalg.norm(x[:, None] - x[None], axis=2) - r[:, None] - r[None]
    near = gap <= SKIN * np.minimum(r[:, None], r[None])
    wanted = {(i, j) for i, j in zip(*np.nonzero(near), strict=True) if i < j}
    assert found == wanted
    assert sum(j == 343 for _, j in found) > 5


def test_steps_before_the_room_runs_out_are_counted_once() -> None:
    """Two clouds fly through each other: in the third step each ball may meet all of the other."""
    k = np.arange(216)
    cloud = 0.1 * np.column_stack([k % 6, k // 6 % 6, k // 36])
    x = np.vstack([cloud, cloud + np.array([10.0, 0.0, 0.0])])
    v = np.repeat([[100.0, 0.0, 0.0], [-100.0, 0.0, 0.0]], 216, axis=0)
    model = cl.Model(cl.Grains("balls", position=x, radius=0.01, velocity=v), cl.AllContacts("all"))
    scene = GrainScene(model, cl.Granular(dt=0.02, sweeps=5, on_unconverged="accept"))
    room = scene.state.partner.size
    assert scene.run(2) == (0, 2)
    assert scene.state.partner.size == room
    again = GrainScene(model, scene.method)
    assert again.run(3) == (0, 3)
    assert again.state.partner.size > room
    assert again.work.figures[STEPS] == 3


def test_a_fast_ball_does_not_pass_the_floor() -> None:
    model = one_ball((0.0, 0.0, 1.0), (0.0, 0.0, -300.0))
    sol = cl.simulate(model, t_end=0.1, method=cl.Granular(dt=2e-3))
    assert sol["ball"].position[:, 0, 2].min() > R * (1.0 - 1e-12)


def test_more_contacts_than_there_is_room_for() -> None:
    """A large ball among hundreds of small ones touches more than the room at the start."""
    rng = np.random.default_rng(0)
    n = 400
    way = rng.normal(size=(n, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    x = np.vstack([np.zeros(3), 1.001 * (0.5 + 0.02) * way])
    radius = np.r_[0.5, np.full(n, 0.02)]
    model = cl.Model(
        cl.Grains("balls", position=x, radius=radius, velocity=np.vstack([np.zeros(3), -way])),
        cl.AllContacts("all", mu=0.1),
    )
    method = cl.Granular(dt=1e-3, push=5.0, sweeps=20_000, tolerance=1e-4)
    sol = cl.simulate(model, t_end=0.01, method=method)
    assert sol.status == "done"
    assert np.isfinite(sol["balls"].position).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"radius": -1.0}, "Grains 'balls': radius must be positive"),
        ({"radius": [0.1]}, "radius must be a number or 2 of them"),
        ({"position": [1.0, 2.0]}, "position must have rows of 3 numbers"),
        ({"velocity": [[0.0, 0.0, 0.0]] * 3}, "velocity must be one row or 2 of them"),
    ],
)
def test_wrong_grains_are_refused(change: dict[str, Any], sentence: str) -> None:
    given = {"position": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], "radius": R, **change}
    with pytest.raises(cl.CornerlawError, match=sentence):
        cl.Grains("balls", **given)


def test_wrong_models_and_methods_are_refused() -> None:
    balls = cl.Grains("balls", position=[[0.0, 0.0, 1.0]], radius=R)
    with pytest.raises(cl.UsageError, match=r"needs method=Granular\(dt=...\), got Moreau"):
        cl.simulate(cl.Model(balls), t_end=1.0, method=cl.Moreau(dt=1e-3))
    body = cl.Body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(cl.ModelError, match="Body 'b': a model of Grains has planes"):
        cl.simulate(cl.Model(balls, body), t_end=1.0, method=cl.Granular(dt=1e-3))
    with pytest.raises(cl.UsageError, match="Granular runs models of Grains"):
        cl.simulate(cl.Model(body), t_end=1.0, method=cl.Granular(dt=1e-3))
    rough = cl.AllContacts("all", rolling=0.1)
    with pytest.raises(cl.ModelError, match="rolling is not known to Grains yet"):
        cl.simulate(cl.Model(balls, rough), t_end=1.0, method=cl.Granular(dt=1e-3))
    with pytest.raises(cl.SimulationError, match="after 1 sweeps the residual is"):
        method = cl.Granular(dt=2e-3, sweeps=1)
        cl.simulate(pile(60, 3, mu=0.3), t_end=0.5, method=method)
