"""The folder of a sweep: its plan, and every finished row as a line that is whole or ignored.

Each process appends to a file of its own, one write per row, so that neither a killed worker nor a
killed client takes a finished row with it; a line that was cut off fails its checksum.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
import zlib
from pathlib import Path
from typing import Any

from cornerlaw.analysis.sweeps.task import Row
from cornerlaw.analysis.sweeps.untrusted import check_plan, check_row, read_plain
from cornerlaw.errors import FileError, UsageError
from cornerlaw.results.atomic import whole_file, write_error

PLAN, LOCK, RESULT, SUFFIX = "plan.json", "lock", "sweep.nc", ".rows"
FLUSH = 1.0  # seconds between two calls that make sure that rows survive a power cut


def encode_row(row: Row) -> bytes:
    """Return a row as one line; numbers are read back to the same bits."""
    text = json.dumps(row, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def decode_row(line: bytes) -> Row | None:
    """Return the row of a line, None if the line is not whole."""
    if not line.endswith(b"\n") or line[8:9] != b" ":
        return None
    text = line[9:-1]
    with contextlib.suppress(ValueError):
        if int(line[:8], 16) == zlib.crc32(text):
            return _parse_row(text)
    return None


def _parse_row(text: bytes) -> Row:
    try:
        row: Row = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        # no process that died leaves a right checksum
        raise FileError(f"A line of a sweep cannot be read: {error}.") from None
    return row


class RowWriter:
    """Appends rows to a file of its own."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / f"{secrets.token_hex(6)}{SUFFIX}"
        self._file: int | None = None
        self._flushed = time.monotonic()

    def write(self, line: bytes) -> None:
        """Append one line."""
        try:
            if self._file is None:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
                self._file = os.open(self.path, flags, 0o666)
            while line:
                line = line[os.write(self._file, line) :]
            if time.monotonic() - self._flushed > FLUSH:
                os.fsync(self._file)
                self._flushed = time.monotonic()
        except OSError as error:
            raise write_error(self.path, error) from None

    def close(self) -> None:
        """Bring everything to the disk."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._file)
            os.close(self._file)
            self._file = None


class Record:
    """The folder of a sweep, held by one client at a time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._lock: int | None = None

    def begin(self, plan: dict[str, Any]) -> dict[int, Row]:
        """Write the plan, or go on with the same one; return the rows that are finished."""
        try:
            self.folder.mkdir(parents=False, exist_ok=True)
        except FileExistsError:
            raise UsageError(f'"{self.folder}" is a file; out must be a folder.') from None
        except OSError as error:
            raise write_error(self.folder, error) from None
        self._take_lock()
        path = self.folder / PLAN
        if path.exists():
            self._compare(read_plan(self.folder), plan)
            return read_rows(self.folder)
        foreign = [name for name in os.listdir(self.folder) if name != LOCK]
        if foreign:
            raise UsageError(
                f'"{self.folder}" holds "{foreign[0]}" and no sweep; give a folder of its own.'
            )
        with whole_file(path) as file:
            file.write(json.dumps(plan, indent=1).encode())
        return {}

    def _compare(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        # through JSON, since tuples come back as lists
        wanted = json.loads(json.dumps(new))
        for key, value in wanted.items():
            if key != "versions" and old.get(key) != value:
                raise UsageError(
                    f'"{self.folder}" holds a sweep with another {key}; give another folder, or '
                    f"the same {key} to go on with it."
                )

    def _take_lock(self) -> None:
        """Take a lock that the system itself releases when the process ends, however it does."""
        try:
            import fcntl
        except ImportError:  # pragma: no cover - systems without it have no such lock
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
        try:
            self._lock = os.open(self.folder / LOCK, flags, 0o600)
        except OSError as error:
            raise write_error(self.folder / LOCK, error) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise UsageError(f'Another sweep is writing to "{self.folder}".') from None

    def close(self) -> None:
        """Release the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def read_plan(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the plan of a sweep."""
    path = Path(folder) / PLAN
    try:
        plan = json.loads(read_plain(path).decode("utf-8"))
    except FileNotFoundError:
        raise FileError(f'"{folder}" holds no sweep: there is no {PLAN}.') from None
    except (ValueError, RecursionError) as error:
        raise FileError(f'Cannot read "{path}": {error}.') from None
    return check_plan(plan, path)


def read_rows(folder: str | os.PathLike[str]) -> dict[int, Row]:
    """Return all finished rows by number, without what a process was writing when it died."""
    found: dict[int, Row] = {}
    for path in sorted(Path(folder).glob(f"*{SUFFIX}")):
        for line in read_plain(path).splitlines(keepends=True):
            row = decode_row(line)
            if row is not None:
                found[check_row(row, path)["row"]] = row
    return found
