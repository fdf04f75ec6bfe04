"""Claims: of several processes that compile into one cache, one compiles each kernel.

A claim is a locked file. A process that is about to compile a kernel takes its claim; another that
needs the same kernel waits and then finds the machine code in the cache. Kernels never call each
other in a circle, so nobody waits for ever; the system frees the locks of a process that dies, and
after MOST_PATIENCE the kernel is compiled a second time, which is no more than a loss of time.
"""

import contextlib
import sys
import time
from pathlib import Path
from typing import Any

MOST_PATIENCE = 120.0  # [s] that nobody needs for one kernel
PAUSE = 0.02  # [s] between two looks at a claim

_held: dict[Path, Any] = {}
_is_shared = [False]


def share() -> None:
    """Respect the claims of others from now on; without others it would only cost time."""
    _is_shared[0] = sys.platform != "win32"


def shared() -> bool:
    """Return whether others may compile into the same cache."""
    return _is_shared[0]


def _lock(path: Path) -> Any:
    """Return the open, locked file, or None where another process has it."""
    import fcntl

    with contextlib.suppress(OSError):
        file = open(path, "ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except OSError:
            file.close()
    return None


def is_taken(path: Path) -> bool:
    """Return whether another process compiles the kernel at this moment."""
    if path in _held or not path.exists():
        return False
    file = _lock(path)
    if file is not None:
        file.close()
    return file is None


def take(path: Path, patience: float = MOST_PATIENCE) -> bool:
    """Wait for the claim and hold it; False where it is held already or cannot be had."""
    if path in _held:
        return False
    end = time.monotonic() + patience
    while True:
        file = _lock(path)
        if file is not None:
            _held[path] = file
            return True
        if time.monotonic() > end or not path.parent.is_dir():
            return False
        time.sleep(PAUSE)


def release(path: Path) -> None:
    """Give a claim back and remove its file."""
    file = _held.pop(path, None)
    if file is not None:
        # first the name, so that nobody locks a file that is about to disappear
        with contextlib.suppress(OSError):
            path.unlink()
        file.close()


def release_all() -> None:
    """Give back all claims after a compilation that failed."""
    for path in list(_held):
        release(path)
