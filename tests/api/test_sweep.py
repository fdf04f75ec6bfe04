"""Sweeps: the same numbers for any number of workers, and nothing is lost when processes die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sweep_models as given

import cornerlaw as cl
from cornerlaw.analysis.sweeps import processes, record
from cornerlaw.analysis.sweeps.design import read_design
from cornerlaw.analysis.sweeps.measures import read_measures
from cornerlaw.analysis.sweeps.task import Row, Task
from cornerlaw.simulate.reruns import Reruns


def by_hand(vary: dict[str, list[float]]) -> dict[tuple[float, float], cl.Solution]:
    """Run all combinations that are valid one by one."""
    found = {}
    for k in vary["spring.stiffness"]:
        for d in vary["spring.damping"]:
            if d >= 0.0:
                model = given.build(k, d)
                found[k, d] = cl.simulate(model, 0.2, method=given.METHOD)
    return found


@pytest.fixture(scope="module")
def serial() -> Any:
    return cl.sweep(
        given.build(), given.VARY, {"x": "ball.position.x", "v": given.speeds},
        t_end=0.2, method=given.METHOD, workers=0,
    )  # fmt: skip


def test_grid_holds_what_single_runs_give(serial: Any) -> None:
    for (k, d), sol in by_hand(given.VARY).items():
        cell = serial.sel({"spring.stiffness": k, "spring.damping": d})
        assert float(cell["x"]) == sol["ball"].position[-1, 0]
        assert float(cell["fastest"]) == np.abs(sol["ball"].velocity).max()
        assert (
            cell["both ends"].values.tolist() == np.abs(sol["ball"].velocity)[[0, -1], 0].tolist()
        )
        assert cell["status"] == "done"
    assert serial["x"].dims == ("spring.stiffness", "spring.damping")


@pytest.mark.trust("TR-R-08")
def test_a_value_that_is_refused_is_a_row(serial: Any) -> None:
    bad = serial.sel({"spring.damping": -1.0})
    assert set(bad["status"].values) == {"failed"}
    assert all("damping" in text and "-1" in text for text in bad["message"].values)
    assert np.isnan(bad["x"].values).all()
    good = serial.sel({"spring.damping": [0.0, 0.5]})
    assert not np.isnan(good["x"].values).any()


def test_workers_and_functions_of_values_give_the_same_bits(serial: Any, tmp_path: Path) -> None:
    renamed = {name.split(".")[1]: values for name, values in given.VARY.items()}
    measures = {"x": "ball.position.x", "v": given.speeds}
    out = tmp_path / "study"
    found = cl.sweep(
        given.build, renamed, measures, t_end=0.2, method=given.METHOD, workers=2, out=out
    )
    plain = found.rename({name: f"spring.{name}" for name in renamed})
    assert plain.equals(serial)
    assert cl.read_sweep(out).equals(found)
    import xarray

    with xarray.open_dataset(out / "sweep.nc") as stored:
        assert stored.load().equals(found)


def test_lists_of_samples() -> None:
    samples = {"spring.stiffness": [10.0, 20.0], "spring.damping": [0.5, 0.0]}
    found = cl.sweep(
        given.build(), samples, "ball.position.x", t_end=0.2, method=given.METHOD, grid=False,
        workers=0,
    )  # fmt: skip
    assert found["ball.position.x"].dims == ("sample",)
    assert found["spring.damping"].values.tolist() == [0.5, 0.0]
    single = cl.simulate(given.build(20.0, 0.0), 0.2, method=given.METHOD)
    assert found["ball.position.x"].values[1] == single["ball"].position[-1, 0]


@pytest.mark.trust("TR-R-08")
def test_a_killed_worker_is_replaced(
    serial: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("SWEEP_MARK", str(mark))
    found = cl.sweep(
        given.build(), given.VARY, {"x": given.kills_its_worker_once},
        t_end=0.2, method=given.METHOD, workers=1,
    )  # fmt: skip
    assert mark.exists()
    assert np.array_equal(found["x"].values, serial["x"].values, equal_nan=True)
    assert (found["status"].values == serial["status"].values).all()


@pytest.mark.trust("TR-R-08")
@pytest.mark.verify
def test_a_run_that_always_kills_is_a_row() -> None:
    found = cl.sweep(
        given.build(), {"spring.damping": [0.5, 0.0, 1.0]}, given.always_kills,
        t_end=0.2, method=given.METHOD, workers=2,
    )  # fmt: skip
    assert found["status"].values.tolist() == ["done", "failed", "done"]
    assert "died 3 times" in str(found["message"].values[1])


@pytest.mark.trust("TR-R-08")
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
@pytest.mark.verify
@pytest.mark.parametrize("count", [60, 500])
def test_points_that_raise_abort_hang_and_hoard_stay_in_their_rows(
    tmp_path: Path, count: int
) -> None:
    """One in twenty raises, two abort, two hang, one asks for all memory: the others are done."""
    stiffness = [1000.0 + k for k in range(count)]
    call: dict[str, Any] = {
        "t_end": 0.01, "method": given.METHOD, "workers": 2, "out": tmp_path / "study",
        "time_limit": 20.0, "memory_limit": 2.0, "every": 1,
    }  # fmt: skip
    vary = {"spring.stiffness": stiffness}
    found = cl.sweep(given.build(), vary, {"x": given.misbehaves}, **call)
    bad = {1011: "died", 1222: "died", 1033: "time_limit", 1244: "time_limit",
           1055: "MemoryError"}  # fmt: skip
    for k, status, message in zip(stiffness, found["status"].values, found["message"].values,
                                  strict=True):  # fmt: skip
        reason = "out of luck" if k % 20 == 7 else bad.get(int(k))
        assert status == ("done" if reason is None else "failed"), (k, message)
        assert reason is None or reason in str(message), (k, message)
    # what is recorded is not run again, failures neither
    began = time.monotonic()
    again = cl.sweep(given.build(), vary, {"x": given.misbehaves}, **call)
    assert again.equals(found) and time.monotonic() - began < 60.0


def test_rows_behind_a_late_one_wait_for_another_worker() -> None:
    """However long it takes until the end of its process is heard of."""
    design, done = read_design({"spring.stiffness": [10.0 + k for k in range(6)]}, True), []
    pool = processes.Pool(Task.__new__(Task), design, [5], None, done.append, 20.0)
    worker = processes.Worker(b"", pool.answers)
    try:
        worker.ready, worker.seconds, worker.began = True, 0.01, time.perf_counter() - 30.0
        worker.rows = dict.fromkeys([2, 3, 4])
        pool.workers.append(worker)
        for _ in range(3):
            pool._end_late_runs(20.0)
        assert [row["row"] for row in done] == [2] and "time_limit" in done[0]["message"]
        assert list(pool.waiting) == [3, 4, 5] and not worker.rows
        pool._hear(worker, [{"row": 2, "status": "done", "message": "", "values": {}}])
        assert list(pool.waiting) == [3, 4, 5] and pool.finished == 1
        pool._start = lambda count: None  # type: ignore[method-assign]
        pool._bury(worker)
        assert not pool.deaths and list(pool.waiting) == [3, 4, 5]
    finally:
        worker.process.kill()


CLIENT = """
import sys
import sweep_models as given
import cornerlaw as cl
cl.sweep(given.build(), {"spring.stiffness": [10.0 + k for k in range(50)]}, given.slow,
         t_end=0.1, method=given.METHOD, workers=1, out=sys.argv[1])
"""


@pytest.mark.trust("TR-R-08")
def test_a_killed_client_loses_no_finished_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "study"
    path = os.pathsep.join([str(Path(cl.__file__).parents[1]), str(Path(given.__file__).parent)])
    environment = {**os.environ, "PYTHONPATH": path, "SWEEP_SLEEP": "0.2"}
    client = subprocess.Popen([sys.executable, "-c", CLIENT, str(out)], env=environment)
    limit = time.monotonic() + 120.0
    while not (out.exists() and len(record.read_rows(out)) > 3) and client.poll() is None:
        assert time.monotonic() < limit
        time.sleep(0.02)
    client.send_signal(signal.SIGKILL)
    client.wait()
    before = record.read_rows(out)
    assert 3 < len(before) < 50
    seen: list[int] = []
    original = Task.row

    def counted(task: Task, k: int, values: dict[str, Any]) -> Row:
        seen.append(k)
        return original(task, k, values)

    monkeypatch.setattr(Task, "row", counted)
    vary = {"spring.stiffness": [10.0 + k for k in range(50)]}
    found = cl.sweep(
        given.build(), vary, given.slow, t_end=0.1, method=given.METHOD, workers=0, out=out
    )
    # the worker of the killed client may have finished the run it was in
    assert not set(seen) & set(before)
    assert set(seen) | set(record.read_rows(out)) == set(range(50))
    assert (found["status"].values == "done").all()
    for k in (0, 49):
        sol = cl.simulate(given.build(10.0 + k), 0.1, method=given.METHOD)
        assert found["slow"].values[k] == sol["ball"].position[-1, 0]


def test_rows_that_were_cut_off_are_ignored(tmp_path: Path) -> None:
    rows = [{"row": k, "status": "done", "message": "", "values": {"x": 0.1 * k}} for k in range(3)]
    lines = [record.encode_row(row) for row in rows]
    (tmp_path / "a.rows").write_bytes(lines[0] + lines[1][:-7])
    (tmp_path / "b.rows").write_bytes(lines[2].replace(b"0.2", b"0.3"))
    assert record.read_rows(tmp_path) == {0: rows[0]}


def test_another_sweep_does_not_take_the_folder(tmp_path: Path) -> None:
    out = tmp_path / "study"
    options: dict[str, Any] = {"t_end": 0.01, "method": given.METHOD, "workers": 0, "out": out}
    vary = {"spring.stiffness": [10.0]}
    cl.sweep(given.build(), vary, "ball.position.x", **options)
    with pytest.raises(cl.UsageError, match="another t_end"):
        cl.sweep(given.build(), vary, "ball.position.x", **{**options, "t_end": 0.02})
    with pytest.raises(cl.UsageError, match="another values"):
        cl.sweep(given.build(), {"spring.stiffness": [11.0]}, "ball.position.x", **options)
    with pytest.raises(cl.UsageError, match="another identity"):
        cl.sweep(given.build(damping=0.1), vary, "ball.position.x", **options)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    with pytest.raises(cl.UsageError, match=r"thesis\.tex"):
        cl.sweep(given.build(), vary, "ball.position.x", **{**options, "out": tmp_path / "full"})


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"vary": {"sprong.stiffness": [1.0]}}, "'sprong'; did you mean 'spring'"),
        ({"vary": {"spring.stifness": [1.0]}}, "did you mean 'stiffness'"),
        ({"vary": {}}, "vary must be a dict"),
        ({"vary": {"spring.stiffness": 3.0}}, "'spring.stiffness' needs a list"),
        ({"measure": "ball.positon"}, "measure 'ball.positon'"),
        ({"measure": "maxi(ball.position.x)"}, "did you mean 'max'"),
        ({"measure": []}, "measure must be a channel"),
        ({"engine": "threads"}, "engine must be one of processes, dask"),
        ({"workers": -1}, "workers must be a whole number"),
        ({"time_limit": 0.0, "workers": 1}, "time_limit must be a positive number, got 0.0"),
        ({"memory_limit": "2 GB", "workers": 1}, "memory_limit must be a positive number"),
        ({"time_limit": 1.0}, "time_limit needs worker processes"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "a scheduler needs"),
        ({"dt": 1e-3}, "not both"),
        ({"evry": 2}, "did you mean 'every'"),
        ({"checkpoint": "x"}, "'checkpoint' is for single runs"),
    ],
)
def test_errors_name_the_culprit(change: dict[str, Any], text: str) -> None:
    call: dict[str, Any] = {
        "vary": {"spring.stiffness": [1.0]}, "measure": "ball.position.x", "t_end": 0.01,
        "method": given.METHOD, "workers": 0, **change,
    }  # fmt: skip
    with pytest.raises(cl.CornerlawError, match=text.replace("(", r"\(")):
        cl.sweep(given.build(), call.pop("vary"), call.pop("measure"), **call)


@pytest.mark.trust("TR-R-08")
def test_a_function_that_fails_is_a_row() -> None:
    found = cl.sweep(
        given.build(), {"spring.stiffness": [1.0]}, {"bad": lambda sol: 1 / 0}, t_end=0.01,
        method=given.METHOD, workers=0,
    )  # fmt: skip
    assert found["status"].values.tolist() == ["failed"]
    assert found["message"].values[0] == "measure 'bad' failed: ZeroDivisionError: division by zero"


def test_reductions_of_a_known_motion() -> None:
    measures = ["first(ball.position.x)", "range(ball.position.x)", "mean(ball.velocity.x)"]
    sol = cl.simulate(given.build(damping=0.0), 0.2, method=given.METHOD)
    found = read_measures(measures)(sol)
    x = np.asarray(sol["ball.position.x"])
    assert found["first(ball.position.x)"] == 1.2
    assert found["range(ball.position.x)"] == x.max() - x.min()
    # the mean of a velocity is the way by the time, but for the error of trapezoids: h^2/12 times
    # the change of the acceleration, the next term is below 1e-11
    rates = -50.0 * (x[[0, -1]] - 1.0)
    error = 1e-6 / 12.0 * (rates[1] - rates[0])
    mean = (x[-1] - x[0] + error) / 0.2
    assert found["mean(ball.velocity.x)"] == pytest.approx(mean, abs=1e-10)


def test_order_of_a_grid() -> None:
    design = read_design({"a": [1, 2], "b": np.array([0.5, 0.7, 0.9])}, True)
    assert [tuple(design.row(k).values()) for k in range(len(design))] == [
        (1, 0.5), (1, 0.7), (1, 0.9), (2, 0.5), (2, 0.7), (2, 0.9)
    ]  # fmt: skip


def test_dask_gives_the_same_bits(serial: Any, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    out = tmp_path / "study"
    found = cl.sweep(
        given.build(), given.VARY, {"x": "ball.position.x", "v": given.speeds},
        t_end=0.2, method=given.METHOD, workers=1, engine="dask", out=out,
    )  # fmt: skip
    assert found.equals(serial)
    assert len(record.read_rows(out)) == 9


def test_the_plan_is_plain_data(tmp_path: Path) -> None:
    vary = {"ball.position": [(1.2, 0.0), (1.3, 0.0)]}
    found = cl.sweep(
        given.build(), vary, "ball.position.x", t_end=0.01, method=given.METHOD, workers=0,
        out=tmp_path / "study",
    )  # fmt: skip
    plan = json.loads((tmp_path / "study" / "plan.json").read_text())
    assert plan["values"] == [[[1.2, 0.0], [1.3, 0.0]]]
    assert found["ball.position"].values.tolist() == ["(1.2, 0.0)", "(1.3, 0.0)"]
    assert cl.read_sweep(tmp_path / "study").equals(found)


@pytest.mark.parametrize("method", [cl.Moreau(dt=1e-3), cl.EventDriven(rtol=1e-8)])
def test_reruns_are_the_same_bits_as_single_runs(method: Any) -> None:
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    contact = cl.Contact(ball, floor, mu=0.3, eps_N=0.8)
    model = cl.Model(floor, ball, contact, gravity=(0.0, -9.81))
    runs = Reruns(0.8, method=method)
    for mu, radius in ((0.3, 0.1), (0.0, 0.15), (0.3, 0.1), (0.6, 0.05)):
        changed = model.replace({contact.name: contact.replace(mu=mu), "ball.radius": radius})
        again, single = runs(changed), cl.simulate(changed, 0.8, method=method)
        for name in ("q", "u"):
            assert getattr(again, name).tobytes() == getattr(single, name).tobytes()
        assert again.t.tobytes() == single.t.tobytes()
        assert again.statistics == single.statistics
        assert [repr(e) for e in again.events] == [repr(e) for e in single.events]
        assert again.info.fingerprint == single.info.fingerprint
        total = np.asarray(again["energy.total"])
        assert np.array_equal(total, np.asarray(single["energy.total"]))
    assert runs._run is not None


def test_reruns_take_a_model_of_another_structure() -> None:
    runs = Reruns(0.05, method=given.METHOD)
    runs(given.build())
    other = cl.Model(cl.PointMass("mass", mass=1.0), gravity=(0.0, -9.81))
    assert runs(other)["mass"].position[-1, 1] == pytest.approx(-0.5 * 9.81 * 0.05**2, rel=1e-9)
