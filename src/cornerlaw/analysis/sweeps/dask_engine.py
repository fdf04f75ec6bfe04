"""The engine "dask": the same runs on the workers of dask.distributed."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cornerlaw.analysis.sweeps.design import Design
from cornerlaw.analysis.sweeps.measures import MissingMeasure
from cornerlaw.analysis.sweeps.processes import DEATHS, LARGEST, Done, pickle_payload
from cornerlaw.analysis.sweeps.record import PLAN, RowWriter, encode_row
from cornerlaw.analysis.sweeps.task import Row, Task
from cornerlaw.errors import SimulationError
from cornerlaw.results.extras import require

BATCH = 1.0  # seconds of work of one task: dask needs some milliseconds for each

# what a worker of the cluster has unpacked, so that it compiles once; one run at a time in it
_tasks: dict[str, Task] = {}
_writers: dict[str, RowWriter] = {}
_one_at_a_time = threading.Lock()


def run_batch(
    mark: str, payload: bytes, batch: list[tuple[int, dict[str, Any]]]
) -> tuple[list[Row], bool, float]:
    """Run rows on a worker of the cluster.

    Returns the rows, whether they are in the record already, and the seconds of the last row. The
    record is written here where the folder of the client can be seen: then a client that is killed
    loses nothing.
    """
    import pickle

    with _one_at_a_time:
        if mark not in _tasks:
            _tasks.clear()
            _tasks[mark], folder, _ = pickle.loads(payload)
            if folder is not None and (Path(folder) / PLAN).is_file():
                _writers[mark] = RowWriter(folder)
        task, writer = _tasks[mark], _writers.get(mark)
        rows, seconds = [], 0.0
        for k, values in batch:
            began = time.perf_counter()
            row = task.row(k, values)
            seconds = time.perf_counter() - began
            if writer is not None:
                writer.write(encode_row(row))
            rows.append(row)
        return rows, writer is not None, seconds


def _same(payload: bytes) -> bytes:
    """Return what the scheduler holds, on any worker and as often as it needs it."""
    return payload


@contextlib.contextmanager
def cluster(scheduler: Any, workers: int) -> Iterator[Any]:
    """Connect to a scheduler, or start a cluster on this machine for the time of the sweep."""
    distributed = require("distributed", "cluster", 'engine="dask"')
    if scheduler is not None and not isinstance(scheduler, str):
        yield scheduler  # a client of the caller, who closes it
        return
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout="20s")
        except OSError as error:
            raise SimulationError(f"the scheduler {scheduler!r} does not answer: {error}") from None
        with client:
            yield client
        return
    with (
        _script_left_alone(),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # not ":0", which other machines could open
            security=_own_keys(distributed),
        ) as local,
        distributed.Client(local) as client,
    ):  # fmt: skip
        yield client


def _own_keys(distributed: Any) -> Any:
    """Return keys drawn for one cluster.

    Whoever can speak to a scheduler can run code as its user, and loopback is open to all users of
    a machine: with keys only this process and its workers can.
    """
    require("cryptography", "cluster", "A cluster on this machine")
    return distributed.Security.temporary()


@contextlib.contextmanager
def _script_left_alone() -> Iterator[None]:
    """Keep new processes from running the script again: functions of it travel by value."""
    main: Any = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    main.__spec__ = None
    if file is not None:
        del main.__file__
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file


def run_on_cluster(
    task: Task,
    design: Design,
    rows: list[int],
    folder: str | None,
    done: Done,
    scheduler: Any,
    workers: int,
) -> None:
    """Run all rows on a cluster."""
    import hashlib

    payload = pickle_payload(task, folder)
    mark = hashlib.sha256(payload).hexdigest() + f"-{time.time_ns()}"
    own = None if folder is None else RowWriter(folder)
    try:
        with cluster(scheduler, workers) as client:
            _Feeder(client, design, rows, mark, payload, own, done).run()
    finally:
        if own is not None:
            own.close()


class _Feeder:
    """Keeps every thread of the cluster busy with two batches."""

    def __init__(
        self,
        client: Any,
        design: Design,
        rows: list[int],
        mark: str,
        payload: bytes,
        writer: RowWriter | None,
        done: Done,
    ) -> None:
        self.client, self.design, self.mark = client, design, mark
        self.writer, self.done = writer, done
        # the result of a task: data that is scattered is lost with the last worker that holds it
        self.payload = client.submit(_same, payload, pure=False)
        self.waiting = deque(rows)
        self.alone: deque[int] = deque()  # rows that a worker died with: one at a time
        self.seconds = 0.0
        self.given: dict[Any, list[int]] = {}

    def run(self) -> None:
        """Submit batches until all rows are done."""
        distributed = require("distributed", "cluster", 'engine="dask"')
        finished = distributed.as_completed(with_results=False)
        self._feed(finished)
        for future in finished:
            rows = self.given.pop(future.key)
            if future.status == "error":
                self._fail(future, rows)
            else:
                self._take(*future.result())
            future.release()
            self._feed(finished)

    def _feed(self, finished: Any) -> None:
        threads = max(1, sum(self.client.nthreads().values()))
        while self.alone and len(self.given) < 2 * threads:
            self._submit(finished, [self.alone.popleft()])
        while self.waiting and len(self.given) < 2 * threads:
            fair = len(self.waiting) // (4 * threads)
            most = int(BATCH / self.seconds) if self.seconds else 1
            size = min(max(1, min(most, fair, LARGEST)), len(self.waiting))
            self._submit(finished, [self.waiting.popleft() for _ in range(size)])

    def _submit(self, finished: Any, rows: list[int]) -> None:
        batch = [(k, self.design.row(k)) for k in rows]
        future = self.client.submit(run_batch, self.mark, self.payload, batch, pure=False)
        self.given[future.key] = rows
        finished.add(future)

    def _take(self, rows: list[Row], written: bool, seconds: float) -> None:
        self.seconds = seconds
        for row in rows:
            if self.writer is not None and not written:
                self.writer.write(encode_row(row))
            self.done(row)

    def _fail(self, future: Any, rows: list[int]) -> None:
        """Run the rows of a batch that died one by one; a single one has failed."""
        error = future.exception()
        if isinstance(error, MissingMeasure):
            raise error
        if type(error).__name__ != "KilledWorker":
            raise SimulationError(
                f"the workers of the cluster cannot run the sweep: {type(error).__name__}: {error}"
            )
        if len(rows) > 1:
            self.alone.extend(rows)
            return
        text = f"the worker died {DEATHS + 1} times in this run"
        row = {"row": rows[0], "status": "failed", "message": text, "values": {}}
        self._take([row], False, self.seconds)
