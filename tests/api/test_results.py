"""Results: by name, lazily, with limits at events, and files that survive what happens to files."""

import csv
import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest

from cornerlaw.arrays.state import new_state
from cornerlaw.errors import (
    CornerlawError,
    DuplicateNameError,
    FileError,
    MissingExtraError,
    SimulationError,
    UnknownNameError,
    UsageError,
)
from cornerlaw.results import (
    Channel,
    ChannelTable,
    Event,
    EventLog,
    FinalState,
    RunInfo,
    Solution,
    load,
)
from cornerlaw.results.netcdf import as_characters, from_characters

CHANNELS = (
    Channel("ball.position", "m", (2,), ("x", "y"), "position of the centre", "position"),
    Channel("ball.velocity", "m/s", (2,), ("x", "y"), "", "velocity"),
    Channel("left.crank pin.force", "N", (3,), ("x", "y", "z"), "on the second body", "force"),
    Channel("left.crank pin.angle", "rad"),
    Channel("left.rotation", "1", (3, 3)),
    Channel("energy.kinetic", "J"),
    Channel("energy.potential", "J"),
    Channel("energy.total", "J"),
    Channel("constraints.position_error", "m", (2,), ("crank pin", "guide"), "", "error"),
    Channel("constraints.velocity_error", "m/s", (0,)),
    Channel("tip 1.5/2", "m", (), (), "a sensor with an awkward name", "sensor"),
)
PARTS = ("ball", "left", "left.crank pin", "energy", "constraints")
# two rows at 0.5 s: the left and the right limit of an impact
TIMES = np.array([0.0, 0.25, 0.5, 0.5, 0.75, 1.0])
SIDES = np.array([0, 0, -1, 1, 0, 0])
VELOCITY_Y = np.array([0.0, -1.0, -2.0, 1.5, 0.5, -0.5])


class Evaluator:
    """Makes channel values and remembers what it was asked for."""

    def __init__(self, rows: int = len(TIMES)):
        self.rows = rows
        self.calls: list[list[str]] = []

    def __call__(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        self.calls.append(list(names))
        return {name: self.values(name) for name in names}

    def values(self, name: str) -> np.ndarray:
        index = [c.name for c in CHANNELS].index(name)
        shape = (self.rows, *CHANNELS[index].shape)
        if name == "ball.velocity":
            return np.column_stack([np.ones(self.rows), VELOCITY_Y[: self.rows]])
        if name == "energy.total":
            return 10.0 + 1e-9 * np.arange(self.rows)
        return np.random.default_rng(index).standard_normal(shape)


def make(rows: int = len(TIMES), **changes: object) -> Solution:
    """Build a small run with an impact."""
    given: dict = {
        "t": TIMES[:rows],
        "side": SIDES[:rows],
        "states": {"q": np.arange(3.0 * rows).reshape(rows, 3), "u": np.ones((rows, 2))},
        "channels": ChannelTable(CHANNELS, PARTS),
        "evaluator": Evaluator(rows),
        "events": EventLog(
            [
                Event(
                    0.5, "bäll-floor", "impact", {"Lambda_N": 3.5, "point": np.array([0.0, 1.0])}
                ),
                Event(0.8, "guide", "stop", {"reason": "end", "count": np.int64(2), "far": np.inf}),
            ]
        ),
        "info": RunInfo(
            model="crank",
            method="DormandPrince(rtol=1e-9)",
            conservative=True,
            wall_time=0.25,
            statistics={"steps": np.int64(12), "rejected": 1, "evaluations": 80},
            profile={"forces": 0.1},
            versions={"numpy": np.__version__},
            warnings=("one row is redundant",),
            fingerprint="abc",
        ),
        "final": FinalState(
            1.0,
            np.arange(3.0),
            np.ones(2),
            z=np.array([1.0]),
            memory=np.pi * np.ones(4),
            dt=1e-3,
            fingerprint="abc",
            method="DormandPrince",
        ),
    }
    return Solution(**{**given, **changes})


# names


def test_names_with_spaces_and_dots_belong_to_the_longest_known_part():
    table = ChannelTable(CHANNELS, PARTS)
    assert table.parts == ("ball", "left.crank pin", "left", "energy", "constraints")
    assert table.part_of("left.crank pin.force") == "left.crank pin"
    assert table.quantity_of("left.crank pin.force") == "force"
    assert table.part_of("left.rotation") == "left"
    assert table.part_of("tip 1.5/2") == ""
    assert list(table.of("left.crank pin")) == ["force", "angle"]
    assert "left.crank pin.force" in str(table)
    assert ChannelTable([Channel("a.b.c")]).part_of("a.b.c") == "a.b"


def test_asking_for_a_name_does_not_search_for_similar_ones(monkeypatch):
    sol = make()

    def search(*arguments, **options):
        raise AssertionError("among thousands of results the search takes a second")

    monkeypatch.setattr("cornerlaw.results.channels.difflib.get_close_matches", search)
    assert "bal" not in sol and "ball.velocities" not in sol


def test_values_are_found_by_part_by_channel_and_by_component():
    sol = make()
    assert sol["ball"].velocity.shape == (6, 2)
    assert np.array_equal(sol["ball.velocity"], sol["ball"]["velocity"])
    assert np.array_equal(sol["ball.velocity.y"], VELOCITY_Y)
    assert np.array_equal(sol["left.rotation.1,2"], sol["left"].rotation[:, 1, 2])
    assert sol["tip 1.5/2"].shape == (6,)
    assert sol.energy.total.shape == (6,)
    for name in ("ball", "ball.velocity", "ball.velocity.x", "tip 1.5/2"):
        assert name in sol
    for name in ("bal", "ball.velocity.z", "left.crank", 3):
        assert name not in sol
    assert dir(sol["left.crank pin"]) == ["angle", "force"]
    assert hasattr(sol["ball"], "position") and not hasattr(sol["ball"], "mass")
    assert repr(sol["energy"]) == "<energy: kinetic [J], potential [J], total [J]>"
    assert list(sol) == list(sol.parts) and len(sol) == 6


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda s: s["bal"], 'There is no result "bal"; did you mean "ball"?'),
        (lambda s: s["ball.positon"], '"ball" has no result "positon"; did you mean "position"?'),
        (lambda s: s["ball"].positon, '"ball" has no result "positon"; did you mean "position"?'),
        (lambda s: s["ball"].mass, '"ball" has no result "mass"; it has: position, velocity.'),
        (lambda s: s["xyzzy"], "there are: ball, left.crank pin, left, energy, constraints, tip"),
        (lambda s: s.array("ball"), 'is a part, and one of its results is needed here, such as "b'),
        (lambda s: s.x, 'holds no state "x"'),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(ask, sentence):
    with pytest.raises(UnknownNameError) as caught:
        ask(make())
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tables_refuse_names_that_mean_two_things():
    with pytest.raises(DuplicateNameError, match=r'two channels named "a.b"'):
        ChannelTable([Channel("a.b"), Channel("a.b")])
    with pytest.raises(DuplicateNameError, match="both a part and a channel"):
        ChannelTable([Channel("a.b"), Channel("a.b.c")], ["a", "a.b"])
    with pytest.raises(UsageError, match="2 component labels and 3 entries"):
        Channel("a.b", "m", (3,), ("x", "y"))


# laziness


def test_only_what_is_asked_for_is_evaluated_and_only_once():
    sol = make()
    evaluator = sol._evaluator
    assert isinstance(evaluator, Evaluator)
    assert repr(sol) == "<Solution of 'crank': done, 6 rows>"
    assert evaluator.calls == []
    first = sol["ball"].position
    assert sol["ball.position"] is first or np.shares_memory(sol["ball.position"], first)
    assert evaluator.calls == [["ball.position"]]
    sol.fetch(["ball.position", "ball.velocity", "energy.total"])
    assert evaluator.calls[1:] == [["ball.velocity", "energy.total"]]


def test_arrays_cannot_be_overwritten():
    sol = make()
    for array in (sol.t, sol.q, sol["ball.position"], sol.final.q):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"t": TIMES[::-1]}, UsageError, "Times must not decrease: row 0 has 1 s, the next 0.75"),
        ({"t": TIMES * np.nan}, UsageError, "Time of row 0 is not a finite number"),
        ({"side": SIDES[:3]}, UsageError, "two lists of one length"),
        ({"side": SIDES * 3}, UsageError, "must be -1"),
        ({"states": {"q": np.zeros(6)}}, UsageError, 'State "q" has the shape (6,)'),
        ({"evaluator": None}, UsageError, '"ball.position" is not stored and there is no eval'),
        ({"stored": {"ball.position": np.zeros((6, 3))}}, SimulationError, "(6, 2) is declared"),
        ({"stored": {"bal.position": np.zeros((6, 3))}}, UnknownNameError, "did you mean"),
    ],
)
def test_a_solution_that_makes_no_sense_is_refused(changes, error, sentence):
    with pytest.raises(error) as caught:
        make(**changes)
    assert sentence in str(caught.value)


def test_an_evaluator_that_does_not_keep_its_word_is_named():
    with pytest.raises(SimulationError, match=r'"ball.position" has values of the shape \(1,\)'):
        make(evaluator=lambda names: {n: np.zeros(1) for n in names})["ball"].position
    with pytest.raises(SimulationError, match=r'"ball.position" was asked for and not evaluated'):
        make(evaluator=lambda names: {})["ball"].position


# limits


def test_left_and_right_limits_at_an_event():
    sol = make()
    assert sol.left(0.5, "ball.velocity.y") == -2.0
    assert sol.right(0.5, "ball.velocity.y") == 1.5
    assert sol.at(0.5, "ball.velocity.y") == 1.5
    assert sol.jumps.tolist() == [2]
    # never across the event: on both sides the values stay on their own branch
    assert sol.at(0.375, "ball.velocity.y") == pytest.approx(-1.5, rel=1e-15)
    assert sol.at(0.625, "ball.velocity.y") == pytest.approx(1.0, rel=1e-15)
    assert sol.at(np.nextafter(0.5, 0.0), "ball.velocity.y") == pytest.approx(-2.0, abs=1e-12)
    assert sol.at([0.0, 0.5, 1.0], "ball.velocity", side="left")[:, 1].tolist() == [0.0, -2.0, -0.5]
    for side in ("left", "right"):
        assert sol.at(0.0, "ball.velocity.y", side=side) == 0.0
        assert sol.at(1.0, "ball.velocity.y", side=side) == -0.5


def test_stored_rows_are_exact_even_beside_values_that_are_not_finite():
    values = np.array([1.0, np.nan, 3.0])
    sol = Solution(
        [0.0, 1.0, 2.0], [0, 0, 0], {}, ChannelTable([Channel("a.b")]), stored={"a.b": values}
    )
    assert sol.at(0.0, "a.b") == 1.0 and sol.at(2.0, "a.b", side="left") == 3.0
    assert np.isnan(sol.at(0.5, "a.b"))


@pytest.mark.parametrize("t", [-0.1, 1.1, np.nan, np.inf])
def test_times_outside_the_run_are_refused(t):
    with pytest.raises(UsageError, match="outside the run, which covers 0 s to 1 s"):
        make().at(t, "ball.velocity")


# status, events, summary


def test_status_and_summary():
    text = str(make())
    for part in (
        'Solution of "crank"',
        "done",
        "0 s to 1 s, 6 rows",
        "DormandPrince(rtol=1e-9)",
        "12 steps, 1 rejected, 80 evaluations",
        "2 (1 impact, 1 stop)",
        "position residual  at most",
        " in ",
        "velocity residual  no constraints",
        "energy drift       5.00e-09 J, 5.00e-10 of the largest energy",
        "0.25 s",
        "one row is redundant",
    ):
        assert part in text
    failed = make(info=RunInfo(status="failed", message="the step became too small"))
    assert failed.status == "failed: the step became too small"
    assert not failed.ok and "failed: the step" in str(failed)
    assert make(info=RunInfo(status="stopped")).ok
    assert not make(info=RunInfo(status="interrupted")).ok
    with pytest.raises(UsageError, match='cannot have the status "fine"'):
        RunInfo(status="fine")


def test_a_residual_that_is_no_number_is_the_worst():
    evaluator = Evaluator()

    def broken(names):
        found = evaluator(names)
        for name in found:
            if name == "constraints.position_error":
                found[name][4, 1] = np.nan
        return found

    assert "position residual  at most nan m in guide, at 0.75 s" in str(make(evaluator=broken))


def test_event_log():
    log = make().events
    assert len(log) == 2 and log[0].data["point"] == (0.0, 1.0)
    assert log.names == ("bäll-floor", "guide") and log.kinds == ("impact", "stop")
    assert log.filter(kind="stop")[0].name == "guide"
    assert len(log.filter(name="guide", kind="impact")) == 0
    assert log.times.tolist() == [0.5, 0.8]
    assert log.to_dicts()[1] == {
        "time": 0.8,
        "name": "guide",
        "kind": "stop",
        "reason": "end",
        "count": 2,
        "far": np.inf,
    }
    assert "Lambda_N = 3.5, point = (0, 1)" in str(log)
    assert str(EventLog()) == "no events"
    assert log[:1] == EventLog(log[:1]) and log[:1] != log


def test_final_state_is_a_copy_that_can_run_on():
    state = new_state(3, 2, 1, memory=2)
    state.q[:] = 5.0
    final = FinalState.from_state(state, "abc", "RK4")
    state.q[:] = 0.0
    again = final.to_state()
    again.q[0] = 7.0
    assert final.q.tolist() == [5.0, 5.0, 5.0] and final.fingerprint == "abc"
    assert make().has_final
    with pytest.raises(UsageError, match="no final state"):
        _ = make(final=None).final


# files


def assert_same(a: Solution, b: Solution) -> None:
    """Compare two solutions bit by bit."""
    assert a.t.tobytes() == b.t.tobytes() and a.side.tolist() == b.side.tolist()
    assert list(a.channels) == list(b.channels) and a.parts == b.parts
    for channel in a.channels:
        assert a[channel.name].tobytes() == b[channel.name].tobytes()
    for name, values in a.states.items():
        assert values.tobytes() == b.states[name].tobytes()
    assert a.events == b.events and a.info == b.info
    for name in ("t", "q", "u", "x", "z", "memory", "corners", "dt", "fingerprint", "method"):
        assert np.array_equal(getattr(a.final, name), getattr(b.final, name))


@pytest.mark.parametrize("compression", [0, 1, 9])
def test_a_saved_run_comes_back_bit_by_bit(tmp_path, compression):
    sol = make()
    sol.save(tmp_path / "run.nc", compression=compression)
    back = load(tmp_path / "run.nc")
    assert_same(sol, back)
    back.save(tmp_path / "again.nc", compression=compression)
    assert (tmp_path / "run.nc").read_bytes() == (tmp_path / "again.nc").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["again.nc", "run.nc"]


@pytest.mark.parametrize("rows", [0, 1])
def test_runs_that_hardly_began_can_be_saved(tmp_path, rows):
    sol = make(rows, events=EventLog())
    sol.save(tmp_path / "run.nc")
    assert_same(sol, load(tmp_path / "run.nc"))
    str(sol)


def test_values_that_are_not_finite_survive(tmp_path):
    values = np.array([np.nan, np.inf, -0.0])
    table = ChannelTable([Channel("a.b")])
    sol = Solution([0.0, 1.0, 2.0], [0, 0, 0], {}, table, stored={"a.b": values})
    sol.save(tmp_path / "run.nc")
    assert load(tmp_path / "run.nc")["a.b"].tobytes() == values.tobytes()
    assert not load(tmp_path / "run.nc").has_final


def test_a_selection_is_saved_and_loaded(tmp_path):
    sol = make()
    sol.save(tmp_path / "run.nc", ["ball", "energy.total"])
    assert sol._evaluator.calls == [["ball.position", "ball.velocity", "energy.total"]]
    back = load(tmp_path / "run.nc")
    assert back.channels.names == ("ball.position", "ball.velocity", "energy.total")
    assert load(tmp_path / "run.nc", ["ball.velocity"]).channels.names == ("ball.velocity",)
    with pytest.raises(UnknownNameError, match="did you mean"):
        load(tmp_path / "run.nc", ["ball.velocit"])
    with pytest.raises(UnknownNameError, match="did you mean"):
        sol.save(tmp_path / "other.nc", ["bal"])
    with pytest.raises(UsageError, match="0 \\(none\\) to 9"):
        sol.save(tmp_path / "other.nc", compression=10)
    assert not (tmp_path / "other.nc").exists()


def test_the_file_opens_in_xarray(tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    sol = make()
    sol.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as data:
        position = data["ball.position"]
        assert position.dims == ("time", "xy")
        assert position.attrs["units"] == "m"
        assert position.attrs["long_name"] == "position of the centre"
        assert list(position.xy.values) == ["x", "y"]
        assert np.array_equal(position.values, sol["ball.position"])
        assert data["time"].dtype == np.float64 and data["time"].attrs["units"] == "s"
        assert data["side"].values.tolist() == SIDES.tolist()
        assert data["state_q"].shape == (6, 3)
        assert list(data["event_name"].values) == ["bäll-floor", "guide"]
        assert json.loads(data["event_data"].values[0])["Lambda_N"] == 3.5
        assert data["constraints.position_error"].sel(component_3="guide").shape == (6,)
        assert json.loads(data.attrs["cornerlaw_info"])["model"] == "crank"


def test_the_file_has_the_dimension_scales_that_netcdf_asks_for(tmp_path):
    make().save(tmp_path / "run.nc")
    with h5py.File(tmp_path / "run.nc") as file:
        for name, item in file.items():
            assert item.dtype.kind in "fiS", f"{name} is not plain data"
            for axis in range(item.ndim):
                if not item.is_scale:
                    assert len(item.dims[axis]) == 1, f"axis {axis} of {name} has no scale"
        # the NetCDF library only accepts a terminated text here
        kind = h5py.h5a.open(file["time"].id, b"CLASS").get_type()
        assert kind.get_strpad() == h5py.h5t.STR_NULLTERM
        assert len(file["time"].attrs["REFERENCE_LIST"]) == len(CHANNELS) + 3


def test_a_result_loads_where_numba_is_missing(tmp_path):
    make().save(tmp_path / "run.nc")
    code = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite", "pickle5"):
            raise ImportError(name)
sys.meta_path.insert(0, Block())
from cornerlaw.results import load
sol = load(sys.argv[1])
print(sol["ball"].velocity[3, 1], sol.status)
assert "numba" not in sys.modules and "matplotlib" not in sys.modules
"""
    source = Path(__file__).resolve().parents[2] / "src"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "run.nc")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert done.stdout.split() == ["1.5", "done"], done.stderr


def test_texts_survive_as_characters():
    texts = ["", "ä", "longer text", "日本"]
    assert from_characters(as_characters(texts)) == texts
    assert from_characters(as_characters([""])) == [""]


def no_leftovers(folder: Path) -> bool:
    return not [name for name in os.listdir(folder) if name.endswith(".part")]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, code):
    path = tmp_path / "run.nc"
    make().save(path)
    before = path.read_bytes()

    def fail(descriptor):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="nothing was changed") as caught:
        make(events=EventLog()).save(path)
    assert ("disk is full" in str(caught.value)) == (code == errno.ENOSPC)
    assert path.read_bytes() == before and no_leftovers(tmp_path)


def test_an_interruption_while_writing_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "run.csv"
    path.write_text("old")

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        make().to_csv(path, "ball")
    assert path.read_text() == "old" and no_leftovers(tmp_path)


def test_a_file_system_that_takes_no_more_bytes(tmp_path):
    """A real refusal by the kernel in the middle of the file: the size limit of a process."""
    big = Solution(
        np.arange(20_000.0),
        np.zeros(20_000),
        {"q": np.random.default_rng(0).random((20_000, 5))},
        ChannelTable([]),
    )
    path = tmp_path / "run.nc"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(FileError, match="the disk is full"):
            big.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old" and no_leftovers(tmp_path)


def test_an_evaluation_that_fails_writes_nothing(tmp_path):
    def fail(names):
        raise SimulationError("no")

    with pytest.raises(SimulationError):
        make(evaluator=fail).save(tmp_path / "run.nc")
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    sol = make()
    with pytest.raises(FileError, match=r'there is no folder ".*missing"; create it first'):
        sol.save(tmp_path / "missing" / "run.nc")
    with pytest.raises(FileError, match="this is a folder"):
        sol.save(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="there is no folder"):
        sol.to_csv(tmp_path / "file" / "run.csv")

    def refuse(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError, match=r'the folder ".*" is not writable'):
        sol.save(tmp_path / "run.nc")


def test_files_follow_links_and_the_umask(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "run.nc"
    link.symlink_to(tmp_path / "real" / "run.nc")
    make().save(link)
    assert link.is_symlink() and load(link).ok
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "real" / "run.nc").stat().st_mode & 0o777 == 0o666 & ~umask


def saved(tmp_path: Path) -> Path:
    make().save(tmp_path / "run.nc")
    return tmp_path / "run.nc"


def test_files_that_are_not_results(tmp_path):
    cases = {
        "no such file": tmp_path / "missing.nc",
        "is a directory": tmp_path,
        "no NetCDF-4 file at all": tmp_path / "text.nc",
        "NetCDF or HDF5 of another kind": tmp_path / "other.nc",
    }
    (tmp_path / "text.nc").write_text("time,x\n")
    with h5py.File(tmp_path / "other.nc", "w") as file:
        file["x"] = 1.0
    for sentence, path in cases.items():
        with pytest.raises(FileError) as caught:
            load(path)
        assert sentence in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("part", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused(tmp_path, part):
    path = saved(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(FileError):
        load(path)


def test_flipped_bits_are_found_or_harmless(tmp_path):
    """Every flip raises a FileError or leaves every number as it was: none changes a result."""
    sol = make()
    data = bytearray(saved(tmp_path).read_bytes())
    random = np.random.default_rng(1)
    path = tmp_path / "flipped.nc"
    found = 0
    for place in random.integers(0, len(data), 50):
        bit = 1 << int(random.integers(8))
        data[place] ^= bit
        path.write_bytes(data)
        data[place] ^= bit
        try:
            back = load(path)
        except FileError:
            found += 1
        else:
            for channel in back.channels:
                assert back[channel.name].tobytes() == sol[channel.name].tobytes()
    assert found > 5


def test_a_damaged_index_is_found(tmp_path):
    """Which part of a variable a chunk is, stands in trees that the library has no checksum for."""
    sol = make()
    data = bytearray(saved(tmp_path).read_bytes())
    with h5py.File(tmp_path / "run.nc") as file:
        known = [channel.name for channel in sol.channels if channel.name in file]
        known = [name for name in known if file[name].id.get_num_chunks()]
        chunks = [file[name].id.get_chunk_info(0).byte_offset for name in known]
    found = 0
    for name, chunk in zip(known, chunks, strict=True):
        # an entry of a tree: bytes, filters, places along all axes, and then where the chunk is
        entry = data.index(chunk.to_bytes(8, "little"), data.index(b"TREE"))
        data[entry - 2] ^= 64
        (tmp_path / "damaged.nc").write_bytes(data)
        data[entry - 2] ^= 64
        try:
            back = load(tmp_path / "damaged.nc")
        except FileError as error:
            assert f'"{name}" is damaged or changed by another program: it does not' in str(error)
            found += 1
        else:
            assert back[name].tobytes() == sol[name].tobytes()
    assert found > 3


def change(path: Path, edit) -> Path:
    with h5py.File(path, "r+") as file:
        edit(file)
    return path


def set_attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


def replace(name, make_dataset):
    def edit(file):
        attributes = dict(file[name].attrs) if name in file else {}
        if name in file:
            del file[name]
        make_dataset(file)
        if "channel" in attributes:
            file[name].attrs["channel"] = attributes["channel"]

    return edit


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (set_attribute("cornerlaw_schema", np.int32(7)), "has the result schema 7"),
        (set_attribute("cornerlaw_schema", "one"), "has the result schema one"),
        (set_attribute("cornerlaw_info", "{"), "damaged"),
        (set_attribute("cornerlaw_info", '{"status": "fine"}'), "damaged"),
        (set_attribute("cornerlaw_info", '{"statistics": 3}'), "damaged"),
        (set_attribute("cornerlaw_info", "[" * 100_000), "damaged"),
        (lambda f: f.__delitem__("time"), "damaged"),
        (lambda f: f.__delitem__("event_kind"), "damaged"),
        (lambda f: f.create_group("more"), "not a variable"),
        (
            lambda f: f.__setitem__("more", h5py.ExternalLink("elsewhere.bin", "/")),
            "a link to somewhere else",
        ),
        (lambda f: f.__setitem__("more", h5py.SoftLink("/time")), "a link to somewhere else"),
        (
            replace("side", lambda f: f.create_dataset("side", data="text")),
            "something other than numbers and texts",
        ),
        (
            replace(
                "ball.position",
                lambda f: f.create_dataset(
                    "ball.position", (1 << 40, 2), "f8", chunks=(1024, 2), compression="gzip"
                ),
            ),
            "bytes, and 0 are stored for it",
        ),
        (
            replace(
                "ball.position",
                lambda f: f.create_dataset(
                    "ball.position", (6, 2), "f8", external=[("elsewhere.bin", 0, 96)]
                ),
            ),
            "keeps its data outside the file",
        ),
        (
            replace(
                "ball.position",
                lambda f: f.create_dataset("ball.position", (6, 2), "f8", compression="lzf"),
            ),
            "unknown filter",
        ),
        (
            replace("ball.position", lambda f: f.create_dataset("ball.position", data=np.ones(9))),
            "damaged",
        ),
    ],
)
def test_files_from_strangers_are_data_or_refused(tmp_path, edit, sentence):
    path = change(saved(tmp_path), edit)
    with pytest.raises(FileError) as caught:
        load(path)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_loading_runs_no_code(tmp_path):
    path = saved(tmp_path)
    code = """
import sys
from cornerlaw.results import load
load(sys.argv[1])
seen = []
def watch(event, arguments):
    if event in ("exec", "compile", "import", "pickle.find_class", "subprocess.Popen",
                 "os.system", "socket.connect"):
        seen.append((event, arguments))
sys.addaudithook(watch)
load(sys.argv[1])
print(seen)
"""
    source = Path(__file__).resolve().parents[2] / "src"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


# tables


def test_csv_has_units_sides_and_all_digits(tmp_path):
    sol = make()
    sol.to_csv(tmp_path / "run.csv", "ball", "left.crank pin.force.z", "ball.position.x")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == [
        "time [s]",
        "side",
        "ball.position.x [m]",
        "ball.position.y [m]",
        "ball.velocity.x [m/s]",
        "ball.velocity.y [m/s]",
        "left.crank pin.force.z [N]",
    ]
    assert [float(row[6]) for row in rows] == sol["left.crank pin.force.z"].tolist()
    assert [int(row[1]) for row in rows] == SIDES.tolist()
    make(2).to_csv(tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text().startswith("time [s],ball.position.x [m],")


def test_to_xarray_and_pandas():
    pytest.importorskip("xarray")
    pytest.importorskip("pandas")
    sol = make()
    data = sol.to_xarray("ball", "left.rotation")
    assert data["ball.velocity"].sel(xy="y").values.tolist() == VELOCITY_Y.tolist()
    assert data["ball.velocity"].attrs["units"] == "m/s" and data["side"].dims == ("time",)
    assert data["left.rotation"].shape == (6, 3, 3)
    frame = sol.to_pandas("ball.velocity")
    assert list(frame.columns) == ["ball.velocity.x", "ball.velocity.y"]
    assert frame.index.name == "time" and frame.attrs["units"]["ball.velocity.x"] == "m/s"


@pytest.mark.parametrize(
    ("package", "call", "extra"),
    [
        ("xarray", lambda s: s.to_xarray(), "cornerlaw[data]"),
        ("pandas", lambda s: s.to_pandas(), "cornerlaw[data]"),
    ],
)
def test_missing_extras_say_how_to_install_them(monkeypatch, package, call, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        call(make())
    assert f"pip install {extra}" in str(caught.value) and isinstance(caught.value, CornerlawError)
