"""Checkpoints: a folder of numbered segments, each written whole, none ever changed.

Segment 0 describes the run (model, method, options, names of coordinates). Every later one adds
the rows and events since the one before, and the state to go on from. A process that is killed
leaves all segments up to the last one; each holds the checksum of its forerunner, so that none can
be missing or belong to another run. The last row of a segment may still become the left limit at
an event, so it is kept with the state and becomes final with the next segment.
"""

import contextlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import CornerlawError, FileError, OutputError
from cornerlaw.results.atomic import whole_file, write_error
from cornerlaw.results.channels import Channel, ChannelTable
from cornerlaw.results.events import Event, EventLog
from cornerlaw.results.final import FinalState
from cornerlaw.results.info import RunInfo
from cornerlaw.results.segments import DamagedSegment, Segment, pack, read_plain, unpack
from cornerlaw.results.solution import Solution

SCHEMA = "cornerlaw-checkpoint/1"
MAX_BYTES = 16 * 2**30  # of all segments together
ROWS = ("t", "q", "u", "x", "side", "status", "points", "Lambda")
POINTS = "points"  # the column that older checkpoints lack
LAST = "last_"  # in front of the names of the row that is not final yet
LOCK = "lock"
_NAME = re.compile(r"(\d{6,12})\.seg")


@dataclass(frozen=True)
class Written:
    """All segments of a checkpoint."""

    head: Mapping[str, Any]  # what describes the run
    t_eval: NDArray[np.float64]
    segments: tuple[Segment, ...]  # those behind the head
    last_checksum: str

    @property
    def state(self) -> Segment | None:
        """The state to go on from, None where the run has only begun."""
        return self.segments[-1] if self.segments else None

    def rows(self) -> tuple[NDArray[Any], ...] | None:
        """Return the columns of all rows, None where there are none."""
        if not self.segments:
            return None
        end = self.segments[-1]
        return tuple(
            np.concatenate([*(_column(s, n) for s in self.segments), _column(end, LAST + n)])
            for n in ROWS
        )

    def touches(self) -> NDArray[np.float64]:
        """Return the contacts of the pool in all rows."""
        return np.concatenate([s.arrays["touches"] for s in self.segments])

    def listed(self, name: str) -> list[Any]:
        """Return the entries of a growing list (events of one kind) of all segments."""
        return [entry for segment in self.segments for entry in segment.data[name]]


def segment_path(folder: str, number: int) -> str:
    """Return the file of a segment."""
    return os.path.join(folder, f"{number:06d}.seg")


def read_checkpoint(path: str | os.PathLike[str]) -> Written:
    """Read and check all segments of a checkpoint."""
    folder = os.fspath(path)
    numbers = _numbers(folder)
    if not numbers:
        raise FileError(
            f'"{folder}" is a directory and no checkpoint of cornerlaw: it holds no segment.'
        )
    if numbers != list(range(len(numbers))):
        missing = next(k for k, n in enumerate(numbers) if n != k)
        raise FileError(
            f'"{folder}" lacks segment {missing}, and later ones exist; put it back, or remove the '
            "later ones to read the run up to there."
        )
    found: list[Segment] = []
    room = MAX_BYTES
    for number in numbers:
        found.append(_read_segment(folder, number, found[-1].checksum if found else "", room))
        room -= sum(array.nbytes for array in found[-1].arrays.values())
    head = found[0].data
    if head.get("schema") != SCHEMA:
        raise FileError(
            f'"{folder}" has the checkpoint schema {str(head.get("schema"))[:80]}, and this '
            f"version of cornerlaw reads {SCHEMA}; use the version that wrote it."
        )
    times = found[0].arrays.get("t_eval", np.zeros(0))
    return Written(head, times, tuple(found[1:]), found[-1].checksum)


def _numbers(folder: str) -> list[int]:
    try:
        names = os.listdir(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f'Cannot read "{folder}": {reason}.') from None
    return sorted(int(match[1]) for match in map(_NAME.fullmatch, names) if match)


def _read_segment(folder: str, number: int, before: str, room: int) -> Segment:
    try:
        segment = unpack(read_plain(segment_path(folder, number), room))
        if segment.data.get("previous", "") != before:
            raise DamagedSegment("it belongs to another run")
        if number:
            _check_rows(segment)
    except (DamagedSegment, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(
            f'Segment {number} of "{folder}" was refused: {reason.lower()}; use a copy, or remove '
            "it and those behind it to read the run up to there."
        ) from None
    return segment


def _column(segment: Segment, name: str) -> NDArray[Any]:
    """Return a column of rows; older ones do not say which contact points have which slots."""
    if name.endswith(POINTS) and name not in segment.arrays:
        return np.zeros((len(segment.arrays[name.replace(POINTS, "t")]), 0), np.int64)
    return segment.arrays[name]


def _check_rows(segment: Segment) -> None:
    """Refuse rows that do not fit together."""
    for prefix in ("", LAST):
        names = [name for name in ROWS if name != POINTS or prefix + name in segment.arrays]
        columns = [segment.arrays.get(prefix + name) for name in names]
        if any(column is None or column.ndim < 1 for column in columns):
            raise DamagedSegment("it lacks rows")
        if len({len(column) for column in columns if column is not None}) != 1:
            raise DamagedSegment("its rows have different lengths")


@dataclass
class CheckpointWriter:
    """Appends segments to a folder that no other process writes to."""

    folder: str
    number: int = 0
    previous: str = ""
    _lock: Any = field(default=None, repr=False)

    def open(self, fresh: bool) -> None:
        """Make the folder and take its lock; a fresh run refuses a folder that holds one."""
        try:
            os.makedirs(self.folder, exist_ok=True)
        except FileExistsError:
            raise OutputError(
                f'Cannot write the checkpoint "{self.folder}": a file has this name; choose '
                "another one (nothing was changed)."
            ) from None
        except OSError as error:
            raise write_error(self.folder, error) from None
        self._take_lock()
        if fresh and _numbers(self.folder):
            self.close()
            raise FileError(
                f'The checkpoint "{self.folder}" holds a run already; go on with it by '
                "cl.resume(...) or `--resume`, or choose another name (nothing was changed)."
            )
        # what a killed process had begun to write
        for name in os.listdir(self.folder):
            if name.endswith(".part"):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.folder, name))

    def _take_lock(self) -> None:
        """Take a lock that the system itself releases when the process ends, however it does."""
        try:
            import fcntl
        except ImportError:  # pragma: no cover - systems without it have no such lock
            return
        path = os.path.join(self.folder, LOCK)
        try:
            self._lock = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise write_error(path, error) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise FileError(
                f'Another process is writing the checkpoint "{self.folder}"; wait for its end or '
                "choose another name."
            ) from None

    def append(self, data: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write the next segment, whole or not at all."""
        content, checksum = pack({**data, "previous": self.previous}, arrays)
        path = segment_path(self.folder, self.number)
        with whole_file(path) as file:
            file.write(content)
        _sync_folder(self.folder)
        self.number, self.previous = self.number + 1, checksum

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _sync_folder(folder: str) -> None:
    """Let the new name reach the disk as well; where a folder cannot be opened nothing is lost."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is a folder, as checkpoints are."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def load_checkpoint(path: str | os.PathLike[str]) -> Solution:
    """Return what a checkpoint holds: rows with coordinates, rates and states, and all events.

    The status is "interrupted" unless the run came to its end. Forces and other channels need the
    model: `cl.resume(path, model)` has them all.
    """
    folder = os.fspath(path)
    written = read_checkpoint(folder)
    try:
        return _solution(written, folder)
    except (ValueError, TypeError, LookupError, AttributeError, CornerlawError) as error:
        raise damaged(folder, error) from None


def damaged(path: str | os.PathLike[str], error: Exception) -> FileError:
    """Return the error for a checkpoint with contents that no run has written."""
    text = (str(error).splitlines() or [""])[0][:200].rstrip(".")
    return FileError(
        f'The checkpoint "{os.fspath(path)}" is damaged ({type(error).__name__}: {text}); use an '
        "earlier copy or run it again."
    )


def _solution(written: Written, folder: str) -> Solution:
    head, state = written.head, written.state
    rows = written.rows()
    if rows is None:
        sizes = [int(n) for n in head["sizes"]]
        if min(sizes) < 0 or max(sizes) > 10**7:
            raise ValueError("sizes of a state")
        rows = (np.zeros(0), *(np.zeros((0, n)) for n in sizes), np.zeros(0, np.int8))
    t, q, u, x, side = rows[:5]
    states = {"q": q, "u": u, "x": x}
    channels, stored = [], {}
    for name, unit, kind, text, group, column in head["channels"]:
        channels.append(Channel(name, unit, (), (), text, kind))
        stored[name] = states[group][:, int(column)]
    table = ChannelTable(channels, head["parts"])
    info = dict(head["info"])
    events: list[Event] = []
    final = None
    if state is not None:
        info.update(state.data["info"])
        names = ("events", "samples", "element_events")
        events = [as_event(entry) for name in names for entry in written.listed(name)]
        events.sort(key=lambda event: event.time)
        events += [as_event(entry) for entry in state.data["ending"]]
        final = final_state(written)
    if info["status"] == "interrupted":
        reached = f"t = {t[-1]:.6g} s" if len(t) else "its start"
        info["message"] = f"the run is recorded up to {reached}; cl.resume goes on from there"
    return Solution(
        t, side, states, table, stored=stored, events=EventLog(events), info=_info(info),
        final=final,
    )  # fmt: skip


def _info(entries: Mapping[str, Any]) -> RunInfo:
    import json

    return RunInfo.from_json(json.dumps(entries))


def as_event(entry: Any) -> Event:
    """Return an event from its JSON."""
    time, name, kind, data = entry
    return Event(float(time), str(name), str(kind), dict(data))


def as_entry(event: Event) -> list[Any]:
    """Return an event as JSON."""
    return [event.time, event.name, event.kind, dict(event.data)]


def final_state(written: Written) -> FinalState:
    """Return the state of the last segment as restart data."""
    state = written.state
    assert state is not None
    a = state.arrays
    return FinalState(
        t=float(a["state_t"][0]),
        q=a["state_q"], u=a["state_u"], x=a["state_x"], z=a["state_z"],
        memory=a["state_memory"], corners=a["corners"], dt=float(a["state_dt"][0]),
        solver=int(state.data["solver"]),
        fingerprint=str(written.head["fingerprint"]), method=str(written.head["method"]),
    )  # fmt: skip
