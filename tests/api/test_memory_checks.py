"""Memories and rows from strangers: places that compiled code would follow are looked at."""

from dataclasses import replace

import file_uses
import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.results.segments import pack, unpack
from cornerlaw.simulate.corner_memory import factor_parts, memory_parts
from cornerlaw.simulate.memory_checks import RANGES

METHOD = cl.Moreau(dt=1.0 / 1024.0)
STRANGE = (-7.0, 0.5, 1e9, 2.0**62, np.nan, np.inf)


def record(folder):
    """Return the last segment of a record with contacts, its file and its model."""
    path = file_uses.good_files(folder)["record"]
    return unpack(path.read_bytes()), path, file_uses.build()


def refused(path, model, segment, arrays, match):
    path.write_bytes(pack(segment.data, arrays)[0])
    with pytest.raises(cl.FileError, match=match):
        cl.resume(path.parent, model, progress=False)


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize("name", RANGES)
def test_a_record_with_a_strange_memory_is_refused(name, tmp_path):
    segment, path, model = record(tmp_path)
    sim = cl.Simulation(model, file_uses.METHOD)
    part = memory_parts(sim._system.work, segment.arrays["corners"])[name]
    assert part.stop > part.start
    for place in (part.start, part.stop - 1):
        for value in STRANGE:
            arrays = {key: array.copy() for key, array in segment.arrays.items()}
            arrays["corners"][place] = value
            refused(path, model, segment, arrays, f"damaged.*{name} has a number that cannot be")


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize(("name", "value"), [
    ("status", 77), ("status", -1), ("side", 5), ("points", -9), ("points", 2**60),
    ("last_status", 6), ("state_memory", 1e9), ("state_memory", np.nan),
])  # fmt: skip
def test_a_record_with_a_strange_row_is_refused(name, value, tmp_path):
    from cornerlaw.kernels.integrators.layout import STOP

    segment, path, model = record(tmp_path)
    arrays = {key: array.copy() for key, array in segment.arrays.items()}
    if not arrays[name].size:
        pytest.skip("this model has none")
    arrays[name].reshape(-1)[STOP if name == "state_memory" else -1] = value
    word = name.removeprefix("last_").removeprefix("state_")
    refused(path, model, segment, arrays, f"damaged.*{word} has a number that cannot be")


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize("name", ["q", "u", "status", "Lambda"])
def test_a_record_with_wider_rows_is_refused(name, tmp_path):
    """Kernels write as many states as a row has to arrays with room for those of the model."""
    segment, path, model = record(tmp_path)
    arrays = {key: array.copy() for key, array in segment.arrays.items()}
    for key in (name, f"last_{name}"):
        arrays[key] = np.tile(arrays[key], 3)
    # all rows in one segment: others have the width of the model
    for other in path.parent.glob("*.seg"):
        if other == path or other.name == "000000.seg":
            continue
        found = unpack(other.read_bytes())
        assert found.arrays[name].ndim == 2
    path.write_bytes(pack(segment.data, arrays)[0])
    with pytest.raises(cl.FileError, match="damaged"):
        cl.resume(path.parent, model, progress=False)


def rack() -> cl.Model:
    """Balls between which contacts are pooled."""
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    parts = [floor]
    for k in range(3):
        body = cl.Body(
            f"body{k}", mass=1.0, inertia=(1e-3,) * 3, position=(0.0, 0.0, 0.1 + 0.2 * k)
        )
        parts += [body, cl.Sphere(f"ball{k}", body, radius=0.1)]
    return cl.Model(*parts, cl.AllContacts(mu=0.3), gravity=(0.0, 0.0, -9.81))


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


@pytest.mark.trust("TR-R-10")
def test_a_state_with_strange_factors_is_refused():
    from cornerlaw.gallery.space import box_on_slope as slope

    sim = cl.Simulation(slope.build(slope.Parameters()), METHOD)
    sim.step(128)
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
    sim.step(16)
    again = cl.Simulation(slope.build(slope.Parameters()), METHOD)
    again.step(144)
    assert np.array_equal(again.get_state().q, sim.get_state().q)
