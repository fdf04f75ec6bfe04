"""Files from strangers are data: loaded or refused in one sentence, whatever is in them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from file_readers import READERS, good_files, try_reader
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cornerlaw as cl

CORPUS = Path(__file__).parents[1] / "data" / "corpus"
PROGRAM = Path(__file__).parents[1] / "file_readers.py"
FACTOR = int(os.environ.get("CORNERLAW_SOAK", "1"))  # 10 in `make soak`


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return good_files(tmp_path_factory.mktemp("good"))


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_read(name, good):
    assert try_reader(name, good[name]) == "read"


def fuzz(count, seed, keep):
    """Run the fuzzer in its own process: a crash, code that runs or memory must not spread."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(count), str(seed), str(keep)],
        capture_output=True, text=True, timeout=3000, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    found = json.loads(done.stdout)
    assert not found.pop("failures")
    assert sum(row["read"] + row["refused"] for row in found.values()) == count
    for name, row in found.items():
        # most changes spoil a file, and some do not: both ways are tried
        assert row["refused"] > row["read"] > 0, name
        assert row["slowest"] < 5.0, name


@pytest.mark.trust("TR-S-04", "TR-S-06")
def test_spoiled_files(tmp_path):
    fuzz(10_000, 1, tmp_path)


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(2, 2 + 10 * FACTOR))
@pytest.mark.trust("TR-S-04", "TR-S-06")
def test_spoiled_files_at_length(seed, tmp_path):
    fuzz(10_000, seed, tmp_path)


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
@pytest.mark.trust("TR-S-06")
def test_past_failures(path, good, tmp_path):
    """Every file that a reader once failed on; its name begins with that of the reader."""
    if path.name == "README.md":
        return
    name = max((n for n in READERS if path.name.startswith(n)), key=len)
    if name.startswith("segment"):
        places = good_files(tmp_path)
        places[name].write_bytes(path.read_bytes())
        assert try_reader(name, places[name]) == "refused"
    else:
        assert try_reader(name, path) == "refused"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def places_in(value, path=()):
    """Yield the path of every value of a document."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places_in(value[key], (*path, key))
    elif isinstance(value, list):
        for k, entry in enumerate(value):
            yield from places_in(entry, (*path, k))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.trust("TR-S-01")
def test_models_with_any_value_anywhere(data, good, tmp_path):
    document = json.loads(good["model-json"].read_text())
    where = data.draw(st.sampled_from([path for path in places_in(document) if path]))
    inner = document
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = data.draw(VALUES)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document))
    assert try_reader("model-json", path) in ("read", "refused")


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.trust("TR-S-06")
def test_segments_with_any_value_anywhere(data, good, tmp_path):
    """A stranger can sign what he writes; the checksum finds accidents only."""
    from cornerlaw.results.segments import pack, unpack

    places = good_files(tmp_path) if not (tmp_path / "run.ckpt").exists() else None
    folder = tmp_path / "run.ckpt"
    number = data.draw(st.sampled_from(["000000.seg", "000001.seg"]))
    source = good["segment"].parent / number
    for name in ("000000.seg", "000001.seg"):
        (folder / name).write_bytes((good["segment"].parent / name).read_bytes())
    segment = unpack(source.read_bytes())
    document = json.loads(json.dumps(segment.data))
    where = data.draw(st.sampled_from([path for path in places_in(document) if path]))
    inner = document
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = data.draw(VALUES)
    (folder / number).write_bytes(pack(document, segment.arrays)[0])
    assert places is None or places
    assert try_reader("segment", folder / "000001.seg") in ("read", "refused")


DEEP = 200_000


@pytest.mark.parametrize(("name", "content"), [
    ("deep.json", "[" * DEEP), ("deep.json", '{"a":' * DEEP), ("deep.toml", "a = " + "[" * DEEP),
    ("deep.toml", "a = " + "{b = " * DEEP), ("number.json", '{"parts": ' + "9" * 100_000 + "}"),
    ("bad.toml", "\x00"), ("list.json", "[]"), ("empty.toml", ""),
])  # fmt: skip
@pytest.mark.trust("TR-S-01")
def test_hostile_model_files(name, content, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(cl.FileError):
        cl.Model.load(tmp_path / name)


@pytest.mark.parametrize("name", ["model.json", "model.toml", "run.nc", "p.h5", "f.hdf5", "p.dat"])
@pytest.mark.trust("TR-S-03")
def test_pipes_and_devices_do_not_hang(name, tmp_path):
    os.mkfifo(tmp_path / name)
    os.symlink("/dev/zero", tmp_path / f"zero-{name}")
    from cornerlaw.io.siconos import read_siconos

    readers = {"model": cl.Model.load, "run": cl.load, "p.h5": cl.ContactProblem.load,
               "f": cl.read_fclib, "p.dat": read_siconos}  # fmt: skip
    read = next(reader for start, reader in readers.items() if name.startswith(start))
    for path in (tmp_path / name, tmp_path / f"zero-{name}"):
        with pytest.raises(cl.FileError, match="not a plain file"):
            read(path)


@pytest.mark.trust("TR-S-03")
@pytest.mark.parametrize("name", ["sweep-plan", "sweep-rows"])
def test_a_pipe_in_the_folder_of_a_sweep_does_not_hang(name, tmp_path):
    path = good_files(tmp_path)[name]
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(cl.FileError, match="not a plain file"):
        cl.read_sweep(path.parent)


PLAN = {"names": ["k"], "values": [[1, 2]], "grid": True, "model": "m", "t_end": 1.0,
        "method": "x", "versions": {}}  # fmt: skip


@pytest.mark.trust("TR-S-04")
@pytest.mark.parametrize(("change", "sentence"), [
    ({"names": ["k", "k"], "values": [[1], [2]]}, "names of a plan cannot be"),
    ({"names": [3]}, "names of a plan"), ({"values": [[]]}, "values of a plan"),
    ({"values": [[1], [2]]}, "values of a plan"), ({"grid": 1}, "grid of a plan"),
    ({"t_end": None}, "t_end of a plan"), ({"model": {}}, "model of a plan"),
    ({"names": ["a", "b"], "values": [[1] * 4000, [1] * 4000]}, "more than 10000000 runs"),
    ({"names": ["a", "b"], "values": [[1], [1, 2]], "grid": False}, "different lengths"),
])  # fmt: skip
def test_a_plan_of_a_sweep_that_cannot_be(change, sentence, tmp_path, record_property):
    (tmp_path / "plan.json").write_text(json.dumps(PLAN | change))
    with pytest.raises(cl.FileError, match=sentence) as caught:
        cl.read_sweep(tmp_path)
    record_property("message", str(caught.value).replace(str(tmp_path), "..."))


@pytest.mark.trust("TR-S-04")
@pytest.mark.parametrize("row", [
    [], 3, {"row": 0}, {"row": 2}, {"row": -1}, {"row": True}, {"row": 0, "values": {"x": "1"}},
    {"row": 0, "values": {"status": 1.0}}, {"row": 0, "values": {"x": [[1], [1, 2]]}},
    {"row": 0, "values": {"x": [0.0] * 6_000_000}}, {"row": 0, "values": {"x": 10**400}},
], ids=lambda row: str(row)[:40])  # fmt: skip
def test_a_row_of_a_sweep_that_cannot_be(row, tmp_path):
    from cornerlaw.analysis.sweeps.record import encode_row

    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    if (isinstance(row, dict) and len(row) > 1) or row == {"row": 2}:
        row = {"status": "done", "message": "", "values": {}} | row
    (tmp_path / "a.rows").write_bytes(encode_row(row))
    with pytest.raises(cl.FileError, match=r"no row of a sweep|no room|no sweep"):
        cl.read_sweep(tmp_path)


def external_link(file, key, folder):
    with h5py.File(folder / "secret.h5", "w") as secret:
        secret["c"] = np.zeros(3)
    del file[key]
    file[key] = h5py.ExternalLink("secret.h5", "c")


def outside(file, key, folder):
    (folder / "secret.bin").write_bytes(b"\0" * 24)
    del file[key]
    file.create_dataset(key, (3,), "f8", external=[(str(folder / "secret.bin"), 0, 24)])


def virtual(file, key, folder):
    with h5py.File(folder / "secret.h5", "w") as secret:
        secret["c"] = np.zeros(3)
    layout = h5py.VirtualLayout((3,), "f8")
    layout[:] = h5py.VirtualSource(str(folder / "secret.h5"), "c", (3,))
    del file[key]
    file.create_virtual_dataset(key, layout)


def huge(file, key, folder):
    del file[key]
    file.create_dataset(key, (10**12,), "f8", chunks=(1024,), compression="gzip")


def objects(file, key, folder):
    del file[key]
    file.create_dataset(key, data=["x", "y", "z"], dtype=h5py.string_dtype())


@pytest.mark.parametrize("change", [external_link, outside, virtual, huge, objects])
@pytest.mark.parametrize(("name", "key"), [
    ("problem", "c"), ("fclib", "fclib_local/vectors/q"), ("result", "time"), ("result", "a.b"),
    ("result", "state_q"), ("result", "final_q"),
])  # fmt: skip
@pytest.mark.trust("TR-S-05")
def test_hostile_hdf5(name, key, change, tmp_path):
    path = good_files(tmp_path)[name]
    with h5py.File(path, "r+") as file:
        texts = {k: v for k, v in file[key].attrs.items() if isinstance(v, str | np.bytes_)}
        change(file, key, tmp_path)
        if change is not external_link:
            file[key].attrs.update(texts)  # a channel is known by them
    assert try_reader(name, path) == "refused"
