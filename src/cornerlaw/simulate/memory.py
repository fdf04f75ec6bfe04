"""How much memory the arrays of a run take."""

from __future__ import annotations

from typing import Any

import numpy as np


def bytes_of(*parts: Any) -> int:
    """Return the bytes of all arrays in tuples, however nested; shared memory counts once."""
    owners: dict[int, int] = {}
    waiting = list(parts)
    while waiting:
        item = waiting.pop()
        if isinstance(item, np.ndarray):
            while isinstance(item.base, np.ndarray):
                item = item.base
            owners[id(item)] = item.nbytes
        elif isinstance(item, tuple | list):
            waiting.extend(item)
    return sum(owners.values())
