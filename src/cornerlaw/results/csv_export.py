"""Results as a CSV table."""

import csv
import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cornerlaw.results.atomic import whole_file
from cornerlaw.results.columns import columns_of

if TYPE_CHECKING:
    from cornerlaw.results.solution import Solution


def write_csv(sol: "Solution", path: str | os.PathLike[str], names: Sequence[str] = ()) -> None:
    """Write time and one column per component, all digits; units stand in the header.

    A column "side" (-1 left limit, +1 right limit) follows the time if the run has events.
    """
    header = ["time [s]"]
    values = [sol.t.tolist()]
    if sol.side.any():
        header.append("side")
        values.append(sol.side.tolist())
    for column in columns_of(sol, names):
        header.append(f"{column.name} [{column.unit}]")
        values.append(column.values.tolist())
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(zip(*values, strict=True))
        text.flush()
        text.detach()
