"""What the folder of a sweep may hold: a stranger's folder is read or refused in one sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from cornerlaw.errors import FileError

LARGEST = 2**28  # bytes of one file
MOST = 10**7  # runs of a sweep, and numbers of one measure over all of them
DEEPEST = 8  # lists within lists
OWN = ("status", "message")  # variables of every sweep
TEXTS = ("model", "method")


def read_plain(path: Path) -> bytes:
    """Return the content of a file, which must be a plain one: others may never end."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(file, "rb") as opened:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise FileError(f'"{path}" is not a plain file.')
            if found.st_size > LARGEST:
                raise FileError(f'"{path}" has {found.st_size} bytes, more than {LARGEST}.')
            return opened.read(LARGEST)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise FileError(f'Cannot read "{path}": {error.strerror}.') from None


def check_plan(plan: Any, path: Path) -> dict[str, Any]:
    """Return a plan whose entries are all there and of their kind."""
    if not isinstance(plan, dict) or "names" not in plan:
        raise FileError(f'"{path}" is not the plan of a sweep.')
    names, grid = plan["names"], plan.get("grid")
    values: Any = plan.get("values")
    right = {
        "names": _is_list_of(names, str) and len(set(names)) == len(names),
        "values": _is_list_of(values, list) and all(values) and len(values) == len(names),
        "grid": isinstance(grid, bool),
        "t_end": isinstance(plan.get("t_end"), int | float),
        "versions": isinstance(plan.get("versions"), dict),
        **{key: isinstance(plan.get(key), str) for key in TEXTS},
    }
    wrong = next((key for key, good in right.items() if not good), None)
    if wrong:
        raise FileError(f'"{path}": the {wrong} of a plan cannot be {_shown(plan.get(wrong))}.')
    count = 1
    for given in values:
        count = count * len(given) if grid else len(given)
        if count > MOST:
            raise FileError(f'"{path}" has more than {MOST} runs.')
    if not grid and len({len(given) for given in values}) > 1:
        raise FileError(f'"{path}": the values of a plan have different lengths.')
    return plan


def check_row(row: Any, path: Path) -> dict[str, Any]:
    """Return a row whose entries are all there and of their kind."""
    good = (
        isinstance(row, dict)
        and type(row.get("row")) is int
        and row["row"] >= 0
        and all(isinstance(row.get(key), str) for key in OWN)
        and isinstance(row.get("values"), dict)
        and not any(name in OWN for name in row["values"])
        and all(_is_numbers(value, DEEPEST) for value in row["values"].values())
    )
    if not good:
        raise FileError(f'"{path}" holds a line that is no row of a sweep: {_shown(row)}.')
    return dict(row)


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, kind) for v in value)


def _is_numbers(value: Any, depth: int) -> bool:
    if isinstance(value, list):
        return depth > 0 and all(_is_numbers(entry, depth - 1) for entry in value)
    return isinstance(value, int | float)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # a number with too many digits
        text = "a number"
    return text if len(text) < 80 else f"{text[:76]} ..."
