"""Channels taken apart into columns of numbers, one per component."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cornerlaw.results.solution import Solution


class Column(NamedTuple):
    """One number per time, with the name it can be asked for by."""

    name: str  # "ball.position.x"
    quantity: str  # "position"
    unit: str
    values: NDArray[np.float64]


def columns_of(sol: "Solution", names: Sequence[str] = ()) -> list[Column]:
    """Return the columns of the parts, channels or components named (all by default), each once."""
    table = sol.channels
    wanted: list[tuple[str, int | None]] = []
    for name in names or table.names:
        if table.is_part(name):
            wanted.extend((channel.name, None) for channel in table.of(name).values())
        else:
            channel, entry = table.resolve(name)
            wanted.append((channel.name, entry))
    arrays = sol.fetch(dict.fromkeys(name for name, _ in wanted))
    found: dict[str, Column] = {}
    for name, entry in wanted:
        channel, quantity = table[name], table.quantity_of(name)
        if not channel.shape:
            found[name] = Column(name, quantity, channel.unit, arrays[name])
            continue
        flat = arrays[name].reshape(len(sol.t), len(channel.labels))
        for k, label in enumerate(channel.labels):
            if entry is None or entry == k:
                column = Column(f"{name}.{label}", quantity, channel.unit, flat[:, k])
                found[column.name] = column
    return list(found.values())
