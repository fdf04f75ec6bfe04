"""Memories and rows from strangers: places that compiled code would follow are looked at."""

import math
from dataclasses import replace

import file_uses
import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.kernels.integrators.layout import EVENT, STOP
from cornerlaw.results.segments import pack, unpack
from cornerlaw.simulate.corner_memory import factor_parts, memory_parts
from cornerlaw.simulate.memory_checks import RANGES, check_touches
from cornerlaw.simulate.pool import COLUMNS, IDENTITY, LOCAL, PAIR, STATE, class_of

METHOD = cl.Moreau(dt=1.0 / 1024.0)
STRANGE = (-7.0, 0.5, 1e9, 2.0**62, np.nan, np.inf)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Give the last segment of a record with contacts, its file and its model."""
    path = file_uses.good_files(tmp_path_factory.mktemp("record"))["record"]
    return unpack(path.read_bytes()), path, file_uses.build()


def refused(record, change, match):
    """Change arrays of the segment, sign it, and find it refused in one sentence."""
    segment, path, model = record
    arrays = {key: array.copy() for key, array in segment.arrays.items()}
    change(arrays)
    path.write_bytes(pack(segment.data, arrays)[0])
    with pytest.raises(cl.FileError, match=match) as caught:
        cl.resume(path.parent, model, progress=False)
    assert "\n" not in str(caught.value)


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize("name", RANGES)
def test_a_record_with_a_strange_memory_is_refused(name, record):
    segment, _, model = record
    work = cl.Simulation(model, file_uses.METHOD)._system.work
    part, (low, high) = memory_parts(work, segment.arrays["corners"])[name], RANGES[name]
    assert part.stop > part.start
    for place, value in ((0, low - 1), (-1, 2.0 * high + 2.0), (0, low + 0.5), (-1, np.nan)):

        def change(arrays, place=place, value=value):
            arrays["corners"][part][place] = value

        refused(record, change, f"damaged.*{name} has a number that cannot be")


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize(("name", "place", "value"), [
    ("status", -1, 77), ("status", 0, -1), ("side", 0, 5), ("last_status", 0, 6),
    ("state_memory", STOP, 1e9), ("state_memory", STOP, np.nan), ("state_memory", EVENT, 0.5),
])  # fmt: skip
def test_a_record_with_a_strange_row_is_refused(name, place, value, record):
    def change(arrays):
        arrays[name].reshape(-1)[place] = value

    word = name.removeprefix("last_").removeprefix("state_")
    refused(record, change, f"damaged.*{word} has a number that cannot be")


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize("name", ["q", "status", "Lambda"])
def test_a_record_with_wider_rows_is_refused(name, tmp_path):
    """Kernels write as many states as a row has to arrays with room for those of the model."""
    path = file_uses.good_files(tmp_path)["record"]
    for other in sorted(path.parent.glob("*.seg"))[1:]:
        assert other == path, "all rows are in one segment"
    segment = unpack(path.read_bytes())
    wide = {key: np.tile(segment.arrays[key], 3) for key in (name, f"last_{name}")}
    refused(
        (segment, path, file_uses.build()), lambda arrays: arrays.update(wide), f"{name} has rows"
    )


@pytest.mark.trust("TR-R-10")
def test_entries_of_pooled_contacts_that_do_not_exist_are_refused():
    system = cl.Simulation(rack(), METHOD)._system
    pool = system.arrays.pool
    code = next(
        i * pool.family.size + j
        for i in range(pool.family.size)
        for j in range(pool.family.size)
        if class_of(system, i * pool.family.size + j) >= 0 and pool.carrier[i] != pool.carrier[j]
    )
    good = np.zeros((2, COLUMNS))
    good[:, PAIR] = code
    check_touches(system, good)
    for column in (PAIR, LOCAL, STATE, IDENTITY):
        for value in (-7.0, 0.5, 1e17, np.nan):
            bad = good.copy()
            bad[1, column] = value
            with pytest.raises(ValueError, match="touches"):
                check_touches(system, bad)


def rack() -> cl.Model:
    """Balls between which contacts are pooled."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    parts = [floor]
    for k in range(3):
        body = cl.Body(
            f"body{k}", mass=1.0, inertia=(1e-3,) * 3, position=(0.0, 0.0, 0.1 + 0.2 * k)
        )
        parts += [body, cl.Sphere(f"ball{k}", body, radius=0.1)]
    return cl.Model(*parts, cl.AllContacts("all", mu=0.3, pooled=True), gravity=(0.0, 0.0, -9.81))


def spoiled(sim, state, part, place, value):
    corners = state.corners.copy()
    corners[part.start + place] = value
    with pytest.raises(cl.UsageError) as caught:
        sim.set_state(replace(state, corners=corners))
    return str(caught.value)


@pytest.mark.trust("TR-R-10")
def test_a_state_with_strange_pairs_is_refused_and_changes_nothing():
    sim = cl.Simulation(rack(), METHOD)
    sim.step(20)
    state = sim.get_state()
    part = memory_parts(sim._system.work, state.corners)["pair"]
    pairs = state.corners[part]
    assert (pairs >= 0).sum() >= 2
    own = int(np.flatnonzero(pairs >= 0)[0])
    other = pairs[np.flatnonzero(pairs >= 0)[1]]
    for value in (*STRANGE, other, 0.0):
        assert "damaged: pair" in spoiled(sim, state, part, own, value)
    sim.set_state(state)
    assert np.array_equal(sim.get_state().corners, state.corners, equal_nan=True)


@pytest.mark.trust("TR-R-10")
def test_a_run_that_refused_a_state_goes_on_as_if_nothing_was():
    sim, other = cl.Simulation(rack(), METHOD), cl.Simulation(rack(), METHOD)
    for one in (sim, other):
        one.step(20)
    state = sim.get_state()
    part = memory_parts(sim._system.work, state.corners)["pair"]
    own = int(np.flatnonzero(state.corners[part] >= 0)[0])
    assert "damaged: pair" in spoiled(sim, state, part, own, 1e9)
    for one in (sim, other):
        one.step(20)
    assert np.array_equal(sim.get_state().q, other.get_state().q)
    assert np.array_equal(sim.get_state().corners, other.get_state().corners, equal_nan=True)


@pytest.mark.trust("TR-R-10")
def test_a_state_with_a_pool_of_another_world_is_none():
    """The size of a pool is a part of its memory, and never larger than that."""
    sim = cl.Simulation(rack(), METHOD)
    sim.step(20)
    state, size = sim.get_state(), sim._system.arrays.pool.size
    for value in (1e15, np.nan, np.inf, -3.0):
        corners = state.corners.copy()
        corners[-1] = value
        sim.set_state(replace(state, corners=corners))
        assert sim._system.arrays.pool.size == size
        assert np.array_equal(sim.get_state().q, state.q)


def stack() -> cl.Model:
    """Boxes upon each other, the last of them pushed: a large problem whose factors are kept."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts, below = [floor], floor
    for k in range(14):
        body = cl.Body(f"body{k}", mass=1.0, inertia=0.1, position=(0.0, 0.1 + 0.2 * k))
        corners = ((-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))
        hull = cl.Polygon(f"hull{k}", body, vertices=corners)
        parts += [body, hull, cl.Contact(hull, below, mu=0.5)]
        below = hull
    parts.append(cl.Force("push", body, value=lambda t: (0.3 * math.sin(20.0 * t), 0.0)))
    return cl.Model(*parts, gravity=(0.0, -9.81))


@pytest.mark.trust("TR-R-10")
def test_a_state_with_strange_factors_is_refused():
    sim = cl.Simulation(stack(), METHOD)
    sim.step(40)
    state = sim.get_state()
    parts = factor_parts(sim._system.work, state.corners)
    assert parts, "this run keeps factors"
    for name in ("kept", "order", "local", "first", "at", "set_of", "owner", "tied", "next_tied"):
        part = parts[name]
        last = part.stop - part.start - 1
        for place in (0, last):
            if name == "at" and place == last:
                continue  # the size of the last array: one that does not fit is left out
            for value in STRANGE:
                assert "damaged" in spoiled(sim, state, part, place, value), name
    # a set that leads to itself has no end
    assert "next_tied" in spoiled(sim, state, parts["next_tied"], 0, 0.0)
    sim.set_state(state)
    assert np.array_equal(sim.get_state().corners, state.corners, equal_nan=True)
    sim.step(8)
    again = cl.Simulation(stack(), METHOD)
    again.step(48)
    assert np.array_equal(again.get_state().q, sim.get_state().q)
