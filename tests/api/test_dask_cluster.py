"""Clusters of dask: a worker that dies loses no finished run, strangers cannot speak to one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sweep_models as given

import cornerlaw as cl
from cornerlaw.analysis.sweeps import dask_engine, record

distributed = pytest.importorskip("distributed")


@pytest.mark.trust("TR-R-08", "TR-S-10")
def test_a_scheduler_whose_worker_dies_loses_no_finished_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nanny of the worker starts another one; rows of the record stay as they were."""
    mark, out = tmp_path / "mark", tmp_path / "study"
    monkeypatch.setenv("SWEEP_MARK", str(mark))
    call: dict[str, Any] = {"vary": given.VARY, "t_end": 0.2, "method": given.METHOD}
    kept: list[dict[int, Any]] = []

    def note(row: Any) -> None:
        """Remember the record as it was when the worker had just died."""
        if mark.exists() and not kept:
            kept.append(record.read_rows(out))

    feeder = dask_engine._Feeder
    take = feeder._take
    monkeypatch.setattr(
        feeder, "_take", lambda self, *rest: (take(self, *rest), note(rest), None)[-1]
    )
    with (
        dask_engine._script_left_alone(),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as local,
    ):  # fmt: skip
        first = {worker.pid for worker in local.workers.values()}
        found = cl.sweep(
            given.build(), measure=given.kills_its_worker_in_the_end, engine="dask",
            scheduler=local.scheduler_address, out=out, **call,
        )  # fmt: skip
        assert first != {worker.pid for worker in local.workers.values()}  # one has died
    plain = cl.sweep(given.build(), measure="ball.position.x", workers=0, **call)
    # three rows fail in any case, as a damping below zero is none
    assert found["status"].equals(plain["status"])
    assert found["status"].values.ravel().tolist().count("done") == 6
    name = given.kills_its_worker_in_the_end.__name__
    assert found[name].values.tobytes() == plain["ball.position.x"].values.tobytes()
    rows = record.read_rows(out)
    assert len(rows) == 9
    assert kept and kept[0] and all(rows[k] == row for k, row in kept[0].items())


@pytest.mark.trust("TR-S-10")
def test_the_cluster_of_this_machine_needs_its_keys() -> None:
    """A stranger on the same machine is not answered, be it by plain words or with other keys."""
    with dask_engine.cluster(None, 1) as client:
        assert client.submit(lambda: 2 + 3).result(timeout=60) == 5
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        for wrong in (None, distributed.Security.temporary()):
            for start in ("tls", "tcp"):
                with pytest.raises((OSError, TypeError, RuntimeError)):
                    distributed.Client(
                        address.replace("tls", start),
                        security=wrong,
                        timeout="3s",
                        set_as_default=False,
                    ).close()
