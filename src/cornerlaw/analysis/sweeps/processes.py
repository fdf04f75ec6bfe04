"""The engine "processes": workers on this machine that are replaced when they die."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cornerlaw.analysis.sweeps.design import Design
from cornerlaw.analysis.sweeps.measures import MissingMeasure
from cornerlaw.analysis.sweeps.record import RowWriter, decode_row, encode_row
from cornerlaw.analysis.sweeps.task import Row, Task
from cornerlaw.analysis.sweeps.worker import BROKEN, MISSING, READY, send
from cornerlaw.errors import SimulationError

PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from cornerlaw.analysis.sweeps.worker import main; main()"
)
BATCH = 0.25  # seconds of work that a worker is given at once
LARGEST = 512  # rows of one batch
DEATHS = 3  # of workers in one row, before the row counts as failed
WARM_UP = 60.0  # more seconds for the first run of a worker
LOOK = 0.1  # seconds between two looks for runs that take too long
PAUSE = 0.005  # seconds in which answers are collected
CHUNK = 65536  # bytes of answers read at once
EARLY_DEATHS = 5  # of workers before any row was finished, before the sweep gives up
# every worker is one core of the sweep
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

Done = Callable[[Row], None]
Answers = queue.Queue[tuple["Worker", list[Row] | None]]  # None: the process is gone


class Worker:
    """One process, and a thread that passes its answers on."""

    def __init__(self, payload: bytes, answers: Answers) -> None:
        environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
        path = [str(Path(entry).resolve()) if entry else os.getcwd() for entry in sys.path]
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(path=path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=environment,
        )  # fmt: skip
        self.rows: dict[int, None] = {}  # given and not answered yet, in their order
        self.seconds = 0.0  # of a row, as far as known
        self.low = 0  # rows left at which it is given more
        self.began = time.perf_counter()
        self.ready = False
        self._answers = answers
        self.give(payload)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        pipe: Any = self.process.stdout
        rest = b""
        while chunk := pipe.read1(CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            rows = [row for line in lines if (row := decode_row(line + b"\n")) is not None]
            if rows:
                self._answers.put((self, rows))
            # waking up for every row of short runs would take a part of a core from the workers;
            # the last rows are heard at once, since somebody may wait for them
            if rows and len(chunk) < CHUNK and self.seconds * len(self.rows) > 4.0 * PAUSE:
                time.sleep(PAUSE)
        self._answers.put((self, None))

    def give(self, message: Any) -> None:
        """Send a message; where the process is gone, its end is heard of by the thread."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            send(self.process.stdin, message)

    def end(self, wait: float = 0.0) -> None:
        """Let the process finish, or end it."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(wait)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()

    def last_words(self) -> str:
        """Return how the process ended, with the last line that it wrote."""
        code = self.process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return how + (f": {lines[-1]}" if lines else "")


class Pool:
    """Workers, the rows that wait for them, and what happens when one dies."""

    def __init__(
        self, task: Task, design: Design, rows: list[int], folder: str | None, done: Done,
        time_limit: float | None = None, memory_limit: float | None = None,
    ) -> None:  # fmt: skip
        self.design, self.done, self.time_limit = design, done, time_limit
        self.folder = folder
        self.payload = pickle_payload(task, folder, memory_limit)
        self.waiting = deque(rows)
        self.alone: deque[int] = deque()  # rows that a worker died with: one at a time
        self.deaths: dict[int, int] = {}
        self.early = 0
        self.finished = 0
        self.answers: Answers = queue.Queue()
        self.workers: list[Worker] = []

    def run(self, count: int) -> None:
        """Run all rows on `count` processes."""
        try:
            wanted = min(count, len(self.waiting))
            # where kernels must be compiled, one worker does it for all
            if _is_cold() and wanted > 1:
                self._start(1)
                self._work(until=1)
            self._start(wanted - len(self.workers))
            self._work()
        except BaseException:
            for worker in self.workers:
                worker.process.kill()
            raise
        finally:
            for worker in self.workers:
                worker.end(wait=5.0)

    def _start(self, count: int) -> None:
        for _ in range(count):
            self.workers.append(Worker(self.payload, self.answers))

    def _work(self, until: int | None = None) -> None:
        """Hear answers until all rows (or `until` of them) are finished."""
        for worker in self.workers:
            if worker.ready and not worker.rows:
                self._feed(worker)
        while self.workers and (self.waiting or self.alone or any(w.rows for w in self.workers)):
            if until is not None and self.finished >= until:
                return
            if self.time_limit is not None:
                self._end_late_runs(self.time_limit)
            try:
                worker, rows = self.answers.get(timeout=None if self.time_limit is None else LOOK)
            except queue.Empty:
                continue
            if worker not in self.workers:
                continue
            if rows is None:
                self._bury(worker)
            else:
                self._hear(worker, rows)

    def _end_late_runs(self, limit: float) -> None:
        """End the workers whose run takes longer than it may; that run has failed."""
        now = time.perf_counter()
        for worker in self.workers:
            # the first run of a worker may have to load or compile its kernels
            allowed = limit if worker.seconds else limit + WARM_UP
            if worker.rows and now - worker.began > allowed:
                late, *others = worker.rows
                # its end is heard of later; until then it has no rows that could be late as well
                worker.process.kill()
                worker.ready = False
                worker.rows.clear()
                self.waiting.extendleft(reversed(others))
                self._fail(late, f"the run was ended after time_limit = {limit:g} s")

    def _fail(self, k: int, text: str) -> None:
        """Make a failed row of a run that its worker cannot answer for."""
        row = {"row": k, "status": "failed", "message": text, "values": {}}
        if self.folder is not None:
            writer = RowWriter(self.folder)
            writer.write(encode_row(row))
            writer.close()
        self.finished += 1
        self.done(row)

    def _hear(self, worker: Worker, rows: list[Row]) -> None:
        """Take answers of a worker, and give it more to do before it has nothing left."""
        finished = [row for row in rows if row["row"] >= 0]
        if finished:
            now = time.perf_counter()
            worker.seconds, worker.began = (now - worker.began) / len(finished), now
        for row in rows:
            if row["row"] >= 0:
                self._finish(worker, row)
            else:
                self._note(worker, row)
        if worker.ready and len(worker.rows) <= worker.low:
            self._feed(worker)

    def _note(self, worker: Worker, row: Row) -> None:
        """Take a note that is no row."""
        if row["row"] == MISSING:
            raise MissingMeasure(row["message"])
        if row["row"] == BROKEN:
            raise SimulationError(f"the workers of the sweep cannot start: {row['message']}")
        assert row["row"] == READY
        worker.ready = True

    def _finish(self, worker: Worker, row: Row) -> None:
        """Count a row that a worker has finished."""
        if row["row"] in worker.rows:
            del worker.rows[row["row"]]
            self.finished += 1
            self.done(row)

    def _feed(self, worker: Worker) -> None:
        """Give a worker as many rows as it needs some time for."""
        if not worker.rows:
            worker.began = time.perf_counter()
        batch: list[int] = []
        if not self.alone:
            fair = len(self.waiting) // (2 * len(self.workers))
            most = int(BATCH / worker.seconds) if worker.seconds else 1
            size = max(1, min(most, fair, LARGEST))
            batch = [self.waiting.popleft() for _ in range(min(size, len(self.waiting)))]
        elif not worker.rows:
            batch = [self.alone.popleft()]
        if batch:
            worker.rows.update(dict.fromkeys(batch))
            worker.low = len(batch) // 2
            worker.give([(k, self.design.row(k)) for k in batch])

    def _bury(self, worker: Worker) -> None:
        """Replace a worker that died; what it had not finished is run again."""
        words = worker.last_words()
        lost = list(worker.rows)
        self.workers.remove(worker)
        worker.end()
        if not self.finished:
            self.early += 1
            if self.early >= EARLY_DEATHS:
                raise SimulationError(f"the workers of the sweep die at their start ({words})")
        if lost:
            # it runs them in their order, so that it died in the first one
            first, rest = lost[0], lost[1:]
            self.waiting.extendleft(reversed(rest))
            self.deaths[first] = self.deaths.get(first, 0) + 1
            if self.deaths[first] < DEATHS:
                self.alone.append(first)
            else:
                self._fail(first, f"the worker died {DEATHS} times in this run ({words})")
        if self.waiting or self.alone:
            self._start(1)


def pickle_payload(task: Task, folder: str | None, memory_limit: float | None = None) -> bytes:
    """Return the first message of a worker."""
    from numba import cloudpickle

    content: bytes = cloudpickle.dumps((task, folder, memory_limit))
    return content


def _is_cold() -> bool:
    from cornerlaw.kernels._numba import is_cold

    return bool(is_cold())


def run_here(task: Task, design: Design, rows: list[int], folder: str | None, done: Done) -> None:
    """Run all rows in this process."""
    writer = None if folder is None else RowWriter(folder)
    try:
        for k in rows:
            row = task.row(k, design.row(k))
            if writer is not None:
                writer.write(encode_row(row))
            done(row)
    finally:
        if writer is not None:
            writer.close()
