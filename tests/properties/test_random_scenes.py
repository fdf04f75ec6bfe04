"""Mixed bodies dropped in a box: nothing leaves, nothing penetrates, the contact laws hold.

The numbers of bodies and the seeds of the scenes come from hypothesis. 2 to 30 bodies of eight
kinds start above each other in layers of nine, turned and thrown at random, between four walls
without an upper end, with one coefficient of friction and one of restitution for all pairs. A scene
lasts until the highest have landed. Small scenes are the more frequent ones: they cost a fraction
of a second and every step of them is stored and checked, of large ones every twentieth. What the
scenes contained is counted and asserted, so that a change of the drawing cannot make the test
empty.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from contact_laws import assert_contact_laws, is_passive, is_thinned
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import cornerlaw as cl

DT = 2e-3
T_END = 1.2
KINDS = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "polyhedron", "slab")
HALF = 0.5  # [m] half the inner width of the box
# a scene takes seconds; beyond this it hangs
LIMIT = 600.0
OPEN, STICK, SLIP = 0, 4, 5
FACTOR = int(os.environ.get("CORNERLAW_SOAK", "1"))  # 10 in `make soak`


def add_body(rng: np.random.Generator, k: int) -> list[Any]:
    """Return a body of a random kind, size, place and motion, and its shape."""
    kind = str(rng.choice(KINDS))
    r = rng.uniform(0.04, 0.07)
    mass = float(1000.0 * rng.uniform(0.3, 3.0) * r**3)
    layer, cell = divmod(k, 9)
    place = np.array([cell % 3 - 1.0, cell // 3 - 1.0, layer]) * 0.33 + [0.0, 0.0, 0.2]
    place[:2] += rng.uniform(-0.02, 0.02, 2)
    turn = rng.normal(size=4)
    start: dict[str, Any] = {
        "position": tuple(place), "rotation": tuple(turn / np.linalg.norm(turn)),
        "velocity": tuple(rng.normal(size=3)), "angular_velocity": tuple(3.0 * rng.normal(size=3)),
    }  # fmt: skip
    name, shape = f"b{k}", f"s{k}"
    tensor: Any
    if kind == "sphere":
        tensor = cl.inertia.sphere(mass, r)
        body = cl.Body(name, mass=mass, inertia=tensor, **start)
        return [body, cl.Sphere(shape, body, radius=r)]
    if kind in ("box", "slab"):
        size = (2 * r, 1.6 * r, 1.2 * r) if kind == "box" else (2.4 * r, 1.8 * r, 0.4 * r)
        body = cl.Body(name, mass=mass, inertia=cl.inertia.box(mass, size), **start)
        return [body, cl.Box(shape, body, size=size)]
    if kind == "capsule":
        body = cl.Body(name, mass=mass, inertia=cl.inertia.capsule(mass, 0.6 * r, 1.6 * r), **start)
        return [body, cl.Capsule(shape, body, radius=0.6 * r, length=1.6 * r)]
    if kind == "cylinder":
        body = cl.Body(name, mass=mass, inertia=cl.inertia.cylinder(mass, r, 1.5 * r), **start)
        return [body, cl.Cylinder(shape, body, radius=r, length=1.5 * r)]
    if kind == "cone":
        body = cl.Body(name, mass=mass, inertia=cl.inertia.cone(mass, r, 2.0 * r), **start)
        return [body, cl.Cone(shape, body, radius=r, height=2.0 * r, at=(0.0, 0.0, -0.5 * r))]
    if kind == "ellipsoid":
        axes = np.array([1.4, 1.0, 0.7]) * r
        moments = mass / 5.0 * (np.sum(axes**2) - axes**2)
        body = cl.Body(name, mass=mass, inertia=tuple(moments), **start)
        return [body, cl.Ellipsoid(shape, body, axes=tuple(axes))]
    # a convex hull of points on a sphere and the opposite ones, with the inertia of a ball
    points = rng.normal(size=(5, 3))
    points *= 1.3 * r / np.linalg.norm(points, axis=1)[:, None]
    points = np.concatenate([points, -points])
    body = cl.Body(name, mass=mass, inertia=cl.inertia.sphere(mass, r), **start)
    return [body, cl.Polyhedron(shape, body, vertices=tuple(map(tuple, points)))]


def scene(seed: int, bodies: int) -> cl.Model:
    """Return a random scene."""
    rng = np.random.default_rng(seed)
    walls = cl.Ground("walls")
    parts: list[Any] = [cl.Ground("floor", normal=(0.0, 0.0, 1.0)), walls]
    for k, (x, y) in enumerate(((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))):
        at = (-HALF * x, -HALF * y, 0.0)
        parts.append(cl.Plane(f"w{k}", walls, normal=(x, y, 0.0), at=at))
    for k in range(bodies):
        parts += add_body(rng, k)
    mu, eps = float(rng.uniform(0.0, 1.0)), float(rng.uniform(0.0, 0.6))
    rule = cl.AllContacts("all", mu=mu, eps_N=eps)
    return cl.Model(*parts, rule, gravity=(0.0, 0.0, -9.81), name=f"scene {seed}")


def run(model: cl.Model, every: int) -> cl.Solution:
    return cl.simulate(
        model, t_end=T_END, method=cl.Moreau(dt=DT), every=every, progress=False
    )  # fmt: skip


def check_laws(sol: cl.Solution, model: cl.Model, bound: float) -> None:
    """Check the laws at all rows, and where the middle of a step decides, those of all steps.

    Laws of a time step hold in its middle, which is known where it has a row on either side. A run
    with fewer rows that seems to break one is made again with all of them.
    """
    # Newton's law with friction may gain energy; the gain must then be the one that is logged
    passive = is_passive(model, cl.Moreau(dt=DT))
    try:
        assert_contact_laws(sol, model, gap_tol=bound, force_tol=1e-6, passive=passive)
    except AssertionError:
        if not is_thinned(sol):
            raise
        again = run(model, 1)
        assert_contact_laws(again, model, gap_tol=bound, force_tol=1e-6, passive=passive)


def fastest(sol: cl.Solution, bodies: int) -> float:
    """Return the largest speed a point of a body had in a stored row [m/s]; none is over 0.14 m."""
    speed = 0.0
    for k in range(bodies):
        b = sol[f"b{k}"]
        v, w = (np.linalg.norm(x, axis=1) for x in (b.velocity, b.angular_velocity))
        speed = max(speed, float(np.max(v + 0.14 * w)))
    return speed


def examine(seed: int, bodies: int) -> dict[str, Any]:
    """Run a scene, assert what must hold, and tell what happened in it."""
    model = scene(seed, bodies)
    begin = time.process_time()
    # small scenes store every step, large ones every twentieth
    sol = run(model, 1 if bodies <= 4 else 20)
    cost = time.process_time() - begin
    where = f"seed {seed}, {bodies} bodies"
    assert sol.status == "done", f"{where}: {sol.info.message}"
    assert cost < LIMIT, f"{where}: {cost:.0f} s of the processor"
    places = np.stack([sol[f"b{k}"].position for k in range(bodies)])
    assert np.all(np.isfinite(places)), where
    assert np.all(np.abs(places[:, :, :2]) < HALF), f"{where}: a body left through a wall"
    assert np.all(places[:, :, 2] > 0.0), f"{where}: a body left through the floor"
    # a step that finds a contact ends at most the way behind the surface that it covers
    bound = 1e-8 + 2.0 * DT * fastest(sol, bodies)
    worst = float(sol.statistics["worst_penetration"])
    assert worst < bound, f"{where}: penetration {worst:.3g} m, bound {bound:.3g} m"
    assert sol.statistics["unsolved_problems"] == 0, where
    try:
        check_laws(sol, model, bound)
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from error
    states = {int(s) for label in sol.parts if f"{label}.state" in sol
              for s in np.unique(sol[f"{label}.state"])}  # fmt: skip
    events = {event.kind for event in sol.events}
    return {
        "closed": bool(states - {OPEN}), "stick": STICK in states, "slip": SLIP in states,
        "impact": "impact" in events, "cost": cost, "penetration": worst / bound,
    }  # fmt: skip


def run_scenes(count: int, most: int) -> tuple[Counter[str], list[str]]:
    """Examine scenes drawn by hypothesis; return what happened in how many, and the failures."""
    found: Counter[str] = Counter()
    failures: list[str] = []
    # the third power: half of the scenes of up to 30 bodies have no more than 5
    numbers = st.floats(0.0, 1.0).map(lambda x: 2 + int((most - 1.5) * x**3))

    @settings(
        max_examples=count, deadline=None, derandomize=True, database=None,
        phases=(Phase.generate,), suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.integers(0, 2**32 - 1), numbers)
    def one(seed: int, bodies: int) -> None:
        found["scenes"] += 1
        try:
            result = examine(seed, bodies)
        except (AssertionError, cl.CornerlawError) as error:
            # all are reported together at the end
            failures.append(f"seed {seed}, {bodies} bodies: {error}")
            return
        for key in ("closed", "stick", "slip", "impact"):
            found[key] += bool(result[key])

    one()
    return found, failures


def assert_scenes(count: int, most: int) -> None:
    found, failures = run_scenes(count, most)
    scenes = found["scenes"]
    print({key: f"{found[key]} of {scenes}" for key in ("closed", "stick", "slip", "impact")})
    assert not failures, f"{len(failures)} of {scenes}:\n" + "\n".join(failures[:20])
    assert scenes >= count
    assert found["closed"] >= 0.7 * scenes
    for key in ("stick", "slip", "impact"):
        assert found[key] >= 0.3 * scenes, found


def test_a_run_with_few_rows_is_judged_by_all_of_its_steps() -> None:
    """Row 7 of 31 lies behind a step whose start is not stored: sliding seems to be 2.6e-5 m/s."""
    assert examine(30442, 6)["stick"]


def test_a_gain_beside_the_soft_impact_of_another_pair_is_the_one_that_is_logged() -> None:
    """Newton's law with friction gains 0.0167 J at a wall; in the same step another body settles.

    The sum of both entries, less the work of weight in the soft one, is not what is logged.
    """
    assert not is_passive(scene(29534, 10), cl.Moreau(dt=DT))
    assert examine(29534, 10)["impact"]


@pytest.mark.verify
def test_few_bodies_dropped_in_a_box_obey_all_laws() -> None:
    assert_scenes(24, 4)


@pytest.mark.verify
def test_bodies_dropped_in_a_box_obey_all_laws() -> None:
    assert_scenes(12, 30)


@pytest.mark.verify
def test_many_scenes_obey_all_laws() -> None:
    """A hundred take some five minutes of one core, the thousand of `make soak` most of an hour."""
    assert_scenes(100 * FACTOR, 30)
