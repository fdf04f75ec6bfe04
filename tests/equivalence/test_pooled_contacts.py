"""Pooled contacts against contacts for every pair: the same motion, results, events and bits."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import UnknownNameError, UsageError

METHOD = cl.Moreau(dt=1e-3)
# solutions of single problems agree to the tolerance of the solver, 1e-10 of a speed; chaos of
# impacts makes more of it
SAME = 1e-6


def heap(n: int, seed: int, pooled: bool, **laws: Any) -> cl.Model:
    """Return mixed solids above a floor with a wall."""
    rng = np.random.default_rng(seed)
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    wall = cl.Plane("wall", cl.Ground("room"), at=(-0.25, 0.0, 0.0), normal=(1.0, 0.0, 0.0))
    parts: list[Any] = [floor, wall]
    for k in range(n):
        size, shape = 0.1 * 2.0 ** rng.uniform(-1.0, 1.0), k % 3
        at = (*rng.uniform(-0.15, 0.15, 2), 0.12 + 0.14 * k)
        body = cl.Body(f"body {k}", mass=1.0, inertia=(2e-3,) * 3, position=at)
        parts.append(body)
        if shape == 0:
            parts.append(cl.Box(f"solid {k}", body, size=(size, 0.7 * size, 0.5 * size)))
        elif shape == 1:
            parts.append(cl.Sphere(f"solid {k}", body, radius=0.4 * size))
        else:
            parts.append(cl.Capsule(f"solid {k}", body, radius=0.3 * size, length=size))
    rule = cl.AllContacts("all", **{"mu": 0.4, "pooled": pooled, **laws})
    return cl.Model(*parts, rule, gravity=(0.0, 0.0, -9.81))


def pile(n: int, seed: int, pooled: bool) -> cl.Model:
    """Return discs and squares above a line."""
    rng = np.random.default_rng(seed)
    parts: list[Any] = [cl.Ground("floor", normal=(0.0, 1.0))]
    for k in range(n):
        size, at = 0.1 * 2.0 ** rng.uniform(-1.0, 1.0), (rng.uniform(-0.1, 0.1), 0.15 + 0.25 * k)
        if k % 2:
            h = 0.5 * size
            body = cl.Body(f"body {k}", mass=1.0, inertia=2e-3, position=at)
            corners = ((-h, -h), (h, -h), (h, h), (-h, h))
            parts += [body, cl.Polygon(f"solid {k}", body, vertices=corners)]
        else:
            parts.append(cl.Disk(f"solid {k}", mass=1.0, radius=0.5 * size, position=at))
    rule = cl.AllContacts("all", mu=0.4, pooled=pooled)
    return cl.Model(*parts, rule, gravity=(0.0, -9.81))


def _run(model: cl.Model, t_end: float = 0.35, **more: Any) -> cl.Solution:
    return cl.simulate(model, t_end, method=METHOD, progress=False, **more)


# a corner that turns at 2 m/s covers up to 2 mm in a step, at whose end gaps are seen
@pytest.mark.contact_laws(gap_tol=2e-3)
@pytest.mark.parametrize("scene", [heap, pile])
@pytest.mark.parametrize("seed", [4, 5])
def test_pool_and_pairs_make_the_same_motion(scene: Any, seed: int) -> None:
    apart, pooled = (_run(scene(6, seed, flag)) for flag in (False, True))
    assert pooled.statistics["steps"] == apart.statistics["steps"]
    assert np.abs(pooled.q - apart.q).max() < SAME
    events = [sorted({(e.time, e.name.partition("[")[0]) for e in s.events if e.kind == "impact"})
              for s in (apart, pooled)]  # fmt: skip
    assert events[0] == events[1] and events[0]
    compared = 0
    for part in pooled.parts:
        for name in ("force", "impulse", "closed_points"):
            if f"{part}.{name}" in pooled.channels and "-" in part and "[" not in part:
                a, b = apart[f"{part}.{name}"], pooled[f"{part}.{name}"]
                assert np.abs(a - b).max() < 1e3 * SAME * max(1.0, np.abs(a).max()), (part, name)
                compared += 1
    assert compared > 6
    for part in apart.parts:
        # every pair that has touched has results
        if "-" in part and f"{part}.closed_points" in apart.channels:
            touched = bool(apart[f"{part}.closed_points"].any())
            assert touched == (part in pooled.channels.parts), part


def test_results_of_pairs_by_name() -> None:
    sol = _run(heap(3, 5, True))
    weight = sol["solid 0-floor"].Lambda_N.sum()
    assert weight > 0.0
    assert sol["solid 0-floor"].force[-1, 2] >= 0.0
    with pytest.raises(UnknownNameError, match=re.escape("'solid 0-wall' never touched")):
        _ = sol["solid 0-wall"]
    with pytest.raises(UnknownNameError, match="no result"):
        _ = sol["solid 0-nothing"]


def test_materials_give_every_pair_its_own_laws() -> None:
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0), material="wood")
    parts: list[Any] = [floor]
    for k, word in enumerate(("ice", "rubber")):
        body = cl.Body(
            f"body {k}",
            mass=1.0,
            inertia=(1e-3,) * 3,
            position=(0.0, float(k), 0.05),
            velocity=(1.0, 0.0, 0.0),
        )
        parts += [body, cl.Box(f"solid {k}", body, size=(0.2, 0.2, 0.1), material=word)]
    laws = cl.Materials(
        {
            ("ice", "wood"): {"mu": 0.02},
            ("rubber", "wood"): {"mu": 0.5},
            ("ice", "rubber"): {"mu": 0.1},
        }
    )
    model = cl.Model(
        *parts, cl.AllContacts("all", materials=laws, pooled=True), gravity=(0.0, 0.0, -10.0)
    )
    sol = _run(model, 0.1)
    # v = v_0 - mu g t; a step of either end is without friction or forces
    assert sol["body 0"].velocity[-1, 0] == pytest.approx(1.0 - 0.02 * 10.0 * 0.1, abs=1e-9)
    assert sol["body 1"].velocity[-1, 0] == pytest.approx(1.0 - 0.5 * 10.0 * 0.1, abs=1e-9)


def test_exceptions_joints_and_own_contacts_are_left_out() -> None:
    def model(pooled: bool) -> cl.Model:
        floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
        parts: list[Any] = [floor]
        balls = []
        for k in range(5):
            body = cl.Body(
                f"body {k}", mass=1.0, inertia=(1e-3,) * 3, position=(0.0, 0.0, 0.1 + 0.19 * k)
            )
            balls.append(cl.Sphere(f"ball {k}", body, radius=0.1))
            parts += [body, balls[-1]]
        joint = cl.Prismatic("rail", "body 0", "body 1", axis=(0.0, 0.0, 1.0))
        own = cl.Contact(balls[2], balls[3], mu=0.0, name="own")
        rule = cl.AllContacts("all", except_=[("ball 3", "ball 4")], mu=0.3, pooled=pooled)
        return cl.Model(*parts, joint, own, rule, gravity=(0.0, 0.0, -9.81))

    apart, pooled = (_run(model(flag), 0.05) for flag in (False, True))
    assert np.abs(pooled.q - apart.q).max() < SAME
    names = {part.partition("[")[0] for part in pooled.parts if "-" in part}
    assert "own" in pooled.parts
    assert names.isdisjoint({"ball 0-ball 1", "ball 2-ball 3", "ball 3-ball 4"})
    assert "ball 1-ball 2" in names


def test_a_run_in_two_parts_makes_the_same_bits() -> None:
    model, method = heap(5, 7, True), cl.Moreau(dt=2.0**-10)  # so that no time is rounded
    whole = cl.simulate(model, 0.25, method=method)
    first = cl.simulate(model, 0.125, method=method)
    second = cl.simulate(model, 0.25, method=method, initial=first)
    assert np.array_equal(second.q[-1], whole.q[-1])
    assert np.array_equal(second.u[-1], whole.u[-1])


def test_a_killed_run_goes_on_with_the_same_bits(tmp_path: Any) -> None:
    model = heap(5, 7, True)
    whole = _run(model, 0.3)
    path = tmp_path / "run"
    with pytest.raises(cl.SimulationError):
        _run(model, 0.3, checkpoint=path, checkpoint_every=0.0, max_steps=150)
    on = _run(model, 0.3, checkpoint=path, resume=True)
    assert np.array_equal(on.q, whole.q)
    for part in whole.parts:
        if f"{part}.Lambda_N" in whole.channels:
            assert np.array_equal(on[f"{part}.Lambda_N"], whole[f"{part}.Lambda_N"])


def test_states_of_a_simulation_are_complete() -> None:
    sim = cl.Simulation(heap(5, 7, True), method=METHOD)
    sim.step(120)
    # steps that are done anew in a larger pool are not counted twice
    assert sim.t == pytest.approx(0.12, abs=1e-12)
    kept = sim.get_state()
    sim.step(60)
    q = sim.q
    sim.set_state(kept)
    sim.step(60)
    assert np.array_equal(sim.q, q)
    touching = [e.name for e in sim.events if e.kind == "impact"]
    assert touching
    with pytest.raises(UnknownNameError, match="do not touch now"):
        _ = sim["solid 4-wall.force"]


def test_impulses_are_complete_in_rows_of_many_steps() -> None:
    model = heap(5, 7, True)
    fine, coarse = _run(model, 0.3), _run(model, 0.3, every=100)
    for part in fine.parts:
        if f"{part}.Lambda_N" in fine.channels:
            total = fine[f"{part}.Lambda_N"].sum()
            assert coarse[f"{part}.Lambda_N"].sum() == pytest.approx(total, rel=1e-12)


def test_many_pairs_are_pooled_by_themselves_and_refused_by_events() -> None:
    parts: list[Any] = [cl.Ground("floor", normal=(0.0, 1.0))]
    parts += [
        cl.Disk(f"disc {k}", mass=1.0, radius=0.1, position=(0.3 * k, 0.1)) for k in range(50)
    ]
    model = cl.Model(*parts, cl.AllContacts("all", mu=0.3), gravity=(0.0, -9.81))
    assert model.pooled_rules is not None and not model.contacts
    with pytest.raises(UsageError, match=r"'all' is pooled, .* 1000 pairs .* use time stepping"):
        cl.simulate(model, 0.1, method=cl.EventDriven())
    sol = _run(model, 0.01)
    # m g dt per step and disc
    assert sol["disc 17-floor"].Lambda_N[-1] == pytest.approx(9.81e-3, rel=1e-9)


def test_a_bullet_does_not_pass_a_thin_wall() -> None:
    bullet = cl.Body(
        "bullet",
        mass=0.01,
        inertia=(1e-7,) * 3,
        position=(-1.0, 0.0, 0.0),
        velocity=(300.0, 0.0, 0.0),
    )
    shot = cl.Sphere("shot", bullet, radius=0.005)
    sheet = cl.Box("sheet", cl.Ground("frame"), size=(0.001, 1.0, 1.0))
    model = cl.Model(bullet, shot, sheet, cl.AllContacts("all", pooled=True))
    sol = _run(model, 0.01)
    assert sol["bullet"].position[:, 0].max() < 0.0
