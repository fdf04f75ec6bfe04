"""What a run writes to its checkpoint from time to time, and how it goes on from one.

A segment holds everything the next step depends on: the state with the memory of the method, what
the corners carry, held samples, how far the output got, counters and statistics. A run that goes on
from it therefore makes the same bits as one that was never interrupted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw._version import __version__
from cornerlaw.arrays import status as codes
from cornerlaw.errors import FileError, UsageError
from cornerlaw.model.quantity import Where, show, strip_unit
from cornerlaw.results import Solution, installed_versions
from cornerlaw.results.checkpoint import (
    LAST,
    ROWS,
    SCHEMA,
    CheckpointWriter,
    Written,
    as_entry,
    as_event,
    damaged,
    final_state,
    read_checkpoint,
)
from cornerlaw.simulate.arguments import plain_number
from cornerlaw.simulate.corner_memory import fit_memory, fits_memory, take_memory
from cornerlaw.simulate.memory_checks import check_head, check_memory, check_rows
from cornerlaw.simulate.method_data import encode, encode_stop

if TYPE_CHECKING:
    from cornerlaw.arrays.state import Floats
    from cornerlaw.simulate.run import _Run
    from cornerlaw.simulate.system import System

EVERY = 60.0  # seconds between two segments unless the user chooses


class Recorder:
    """Writes the checkpoint of one run."""

    def __init__(self, path: Any, every: Any, resume: bool) -> None:
        try:
            self.folder = os.fspath(path)
        except TypeError:
            raise UsageError(f"checkpoint must be the path of a folder, got {show(path)}") from None
        seconds = plain_number(strip_unit(every, Where("simulate", "checkpoint_every"), "s"))
        if not seconds >= 0.0:
            raise UsageError(
                f"checkpoint_every must be a number of seconds >= 0, got {show(every)}"
            )
        self.every = seconds
        self.writer = CheckpointWriter(str(self.folder))
        self.written: Written | None = None
        if resume:
            self.written = read_checkpoint(self.folder)
        self._chunk, self._offset = 0, 0  # the first row that is not final in the file yet
        self._counts = {"events": 0, "samples": 0, "element_events": 0}
        self._wrote = time.perf_counter()
        self.wall_before = 0.0

    @property
    def t_start(self) -> float | None:
        """The start of the run to be resumed."""
        if self.written is None:
            return None
        with self._any_content():
            return float(self.written.head["t_start"])

    def begin(self, run: _Run, t_end: float, times: Floats | None, every: int) -> None:
        """Open the checkpoint: write its head, or check that the one there is of this run."""
        head = _describe(run, t_end, times, every)
        t_eval = np.zeros(0) if times is None else times
        if self.written is None:
            head["warnings"] = list(run.warnings)
            self.writer.open(fresh=True)
            self.writer.append(head, {"t_eval": t_eval})
            return
        with self._any_content():
            _compare(self.folder, self.written, head, t_eval)
            run.warnings[:] = [str(text) for text in self.written.head["warnings"]]
        self.writer.open(fresh=False)
        # another process may have gone on in the meantime
        self.written = read_checkpoint(self.folder)
        self.writer.number = 1 + len(self.written.segments)
        self.writer.previous = self.written.last_checksum

    def restore(self, run: _Run, output: Any, counters: Any, rows: list[Any]) -> int:
        """Put a run where its last segment stands, and return the status it had there."""
        with self._any_content():
            return self._restore(run, output, counters, rows)

    @contextlib.contextmanager
    def _any_content(self) -> Iterator[None]:
        """Refuse what no run has written: a record may come from a stranger, checksums and all."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise damaged(self.folder, error) from None

    def _restore(self, run: _Run, output: Any, counters: Any, rows: list[Any]) -> int:
        written = self.written
        if written is None or written.state is None:
            return int(codes.PAUSED)
        a, data = written.state.arrays, written.state.data
        state = run.state
        places = {name: getattr(state, name) for name in state._fields}
        for name, array in places.items():
            self._fill(array, a[f"state_{name}"])
        for name in counters._fields:
            getattr(counters, name)[0] = int(data["counters"][name])
        for name in ("progress", "stopped", "crossings"):
            self._fill(getattr(output, name), a[name])
        _check_places(output, state)
        fit_memory(run.system, a["corners"])
        if not fits_memory(run.system.work, a["corners"]):
            raise self._misfit()
        check_memory(run.system, a["corners"])
        check_head(state.memory, run.system.arrays.n_indicators)
        final = final_state(written)
        run.carried, run.solver = final.corners, final.solver
        run.element_events.restore(
            [as_event(entry) for entry in written.listed("element_events")],
            {int(i): (float(t), int(n)) for i, t, n in data["crowds"]},
            a["crossings"],
        )
        times = [segment.arrays["sample_t"] for segment in written.segments]
        values = [segment.arrays["sample_z"] for segment in written.segments]
        labels = [(float(e[0]), str(e[1])) for e in written.listed("samples")]
        run.sampler.restore(np.concatenate(times), np.concatenate(values), labels)
        run.log.events.extend(as_event(entry) for entry in written.listed("events"))
        columns = written.rows()
        entries = written.touches()
        if columns is not None:
            check_rows(run.system, columns, run.touches.slots, entries)
        run.touches.restore(entries, None if columns is None else columns[-1])
        if columns is not None and len(columns[0]):
            rows.append(tuple(np.array(column) for column in columns))
            self._offset = len(columns[0]) - 1
        self._counts = {name: len(written.listed(name)) for name in self._counts}
        self._n_samples = sum(len(t) for t in times)
        self.wall_before = float(data["info"]["wall_time"])
        k = run.system.work.k
        if not np.isfinite(a["stats"]).all():
            raise ValueError("statistics that are no numbers")
        self._fill(k.stats, a["stats"])
        self._fill(k.Lambda, a["Lambda_so_far"])
        self._fill(k.Lambda_A, a["Lambda_before"])
        status = int(data["status"])
        # a run that failed or was interrupted tries again
        return status if status in (codes.DONE, codes.STOPPED) else int(codes.PAUSED)

    _n_samples = 0

    def _fill(self, target: Any, values: Any) -> None:
        if target.shape != values.shape:
            raise self._misfit()
        target[...] = values

    def _misfit(self) -> FileError:
        return FileError(f'The checkpoint "{self.folder}" has arrays of other sizes than the run.')

    @property
    def due(self) -> bool:
        """Whether it is time for the next segment."""
        return time.perf_counter() - self._wrote >= self.every

    def write(
        self, run: _Run, rows: list[Any], output: Any, counters: Any, status: int, wall: float,
        solution: Solution | None = None,
    ) -> None:  # fmt: skip
        """Append a segment; with the solution of the run it is the last one."""
        arrays = self._row_arrays(run, rows)
        state, work = run.state, run.system.work
        arrays |= {f"state_{name}": getattr(state, name) for name in state._fields}
        arrays |= {name: getattr(output, name) for name in ("progress", "stopped", "crossings")}
        arrays |= {"corners": take_memory(work), "stats": work.k.stats}
        arrays["Lambda_so_far"], arrays["Lambda_before"] = work.k.Lambda, work.k.Lambda_A
        arrays["touches"] = run.touches.since()
        arrays |= run.sampler.history_since(self._n_samples)
        lists = self._lists(run)
        statistics = run.statistics(counters)
        info = {"status": "interrupted", "statistics": statistics, "wall_time": wall}
        ending: list[Any] = []
        if solution is not None:
            found = solution.info
            info |= {"status": found.status, "message": found.message}
            info |= {"warnings": list(found.warnings), "conservative": found.conservative}
            ending = [as_entry(e) for e in solution.events if e.kind == "stop"]
        data = {
            **{name: entries[self._counts[name] :] for name, entries in lists.items()},
            "counters": {name: int(getattr(counters, name)[0]) for name in counters._fields},
            "crowds": [[i, t, n] for i, (t, n) in run.element_events.crowds.items()],
            "solver": run.system.solver_strength,
            "status": int(status),
            "info": info,
            "ending": ending,
        }
        self.writer.append(data, arrays)
        if rows:
            self._chunk, self._offset = len(rows) - 1, len(rows[-1][0]) - 1
        self._counts = {name: len(entries) for name, entries in lists.items()}
        self._n_samples += len(arrays["sample_t"])
        self._wrote = time.perf_counter()

    def _lists(self, run: _Run) -> dict[str, list[Any]]:
        return {
            "events": [as_entry(event) for event in run.log.events],
            "samples": [[t, label, "sample", {}] for t, label in run.sampler.events],
            "element_events": [as_entry(event) for event in run.element_events.events],
        }

    def _row_arrays(self, run: _Run, rows: list[Any]) -> dict[str, Any]:
        """Return the rows that are new, and the last one, which is not final yet."""
        parts = rows[self._chunk :]
        if parts:
            columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
            columns = [column[self._offset :] for column in columns]
        else:
            columns = run.no_rows()
        found = {name: column[:-1] for name, column in zip(ROWS, columns, strict=True)}
        found |= {LAST + name: column[-1:] for name, column in zip(ROWS, columns, strict=True)}
        return found

    def close(self) -> None:
        """Release the folder."""
        self.writer.close()


def _check_places(output: Any, state: Any) -> None:
    """Refuse places outside of arrays, which compiled code would follow, and odd states."""
    following, since, begun = (int(value) for value in output.progress)
    if not (0 <= following <= output.t_eval.size and since >= 0 and begun in (0, 1)):
        raise ValueError("progress of its output")
    if not -1 <= int(output.stopped[0]) < max(output.crossings.size, 1):
        raise ValueError("the indicator that ended it")
    if not (np.isfinite(state.t).all() and np.isfinite(state.q).all()):
        raise ValueError("a state that is no number")
    if not (np.isfinite(state.u).all() and np.isfinite(state.x).all()):
        raise ValueError("a state that is no number")


def _describe(run: _Run, t_end: float, times: Floats | None, every: int) -> dict[str, Any]:
    """Return what defines a run besides its numbers."""
    system = run.system
    c = system.compiled
    # [name, unit, kind, description, array, column] of all that needs no evaluation
    channels: list[list[Any]] = []
    for k in c.numbering.coordinates:
        if k.q >= 0:
            channels.append([f"{k.part}.{k.name}", k.unit or "1", "position", "", "q", int(k.q)])
        unit = f"{k.unit}/s" if k.unit else "1/s"
        channels.append([f"{k.part}.{k.rate}", unit, "velocity", "", "u", int(k.u)])
    channels += [[f"{part}.{n}", "", "state", "", "x", j] for j, (part, n) in enumerate(c.x_names)]
    parts = dict.fromkeys(entry[0].rpartition(".")[0] for entry in channels)
    return {
        "schema": SCHEMA,
        "version": __version__,
        "versions": installed_versions(),
        "model_hash": model_hash(system),
        "fingerprint": run.fingerprint,
        "method": repr(run.method),
        "method_data": encode(run.method),
        "t_start": float(run.state.t[0]),
        "t_end": float(t_end),
        "by_times": times is not None,
        "every": int(every),
        "stops": [encode_stop(stop) for stop in dict.fromkeys(run.stops)],
        "inputs": {name: float(value) for name, value in run.inputs.items()},
        "sizes": [int(n) for n in system.sizes],
        "channels": channels,
        "parts": list(parts),
        "info": {
            "model": system.model.name, "method": repr(run.method), "status": "interrupted",
            "fingerprint": run.fingerprint, "versions": installed_versions(),
            "warnings": list(run.warnings),
        },
    }  # fmt: skip


_SAME = (
    ("model_hash", "the model is another one"),
    ("method", "the method is another one"),
    ("t_start", "it began at another time"),
    ("t_end", "it ends at another time"),
    ("by_times", "its rows are stored at other times"),
    ("every", "its rows are stored at other times"),
    ("stops", "its stop conditions are others"),
    ("inputs", "its inputs are others"),
)


def _compare(folder: str, written: Written, head: dict[str, Any], t_eval: Floats) -> None:
    """Refuse a checkpoint that is not of the run at hand."""
    if written.head.get("version") != __version__:
        raise FileError(
            f'The checkpoint "{folder}" was written by cornerlaw '
            f"{str(written.head.get('version'))[:40]}, and this is {__version__}; resume it with "
            "the version that wrote it (cl.load reads it)."
        )
    for key, reason in _SAME:
        if written.head.get(key) != head[key]:
            raise FileError(f'The checkpoint "{folder}" does not belong to this run: {reason}.')
    if not np.array_equal(written.t_eval, t_eval):
        raise FileError(
            f'The checkpoint "{folder}" does not belong to this run: its rows are stored at other '
            "times."
        )


def model_hash(system: System) -> str:
    """Return a hash of all numbers and functions of a model, contacts and inputs included."""
    from cornerlaw.simulate.fingerprint import fingerprint

    digest = hashlib.sha256(fingerprint(system).encode())
    a = system.arrays
    for group in (a.rods, a.contours, a.slots, a.corners):
        for name, value in zip(group._fields, group, strict=True):
            if "address" not in name:
                digest.update(name.encode() + np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()
