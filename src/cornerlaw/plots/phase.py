"""Phase portraits: one signal against another."""

from typing import Any

import numpy as np

from cornerlaw.errors import UsageError
from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure
from cornerlaw.results import Solution
from cornerlaw.results.columns import Column, columns_of


def phase(
    sol: Solution, horizontal: str, vertical: str, *, ax: Any = None, title: str | None = None
) -> Any:
    """Plot `vertical` against `horizontal`; a dot marks the start, a square the end.

    Both name a scalar channel or one component ("ball.position.x"). Jumps at events are dotted.
    """
    across, up = _scalar(sol, horizontal), _scalar(sol, vertical)
    with house_style():
        if ax is None:
            figure = new_figure(5.2, 4.6)
            ax = figure.subplots()
        else:
            figure = ax.figure
        cuts = sol.jumps + 1
        x, y = np.insert(across.values, cuts, np.nan), np.insert(up.values, cuts, np.nan)
        ax.plot(x, y, color=COLOURS[0], linewidth=1.2)
        if len(cuts):
            # one line object for all jumps: thousands of them stay fast
            jumps = [
                np.column_stack([v[cuts - 1], v[cuts], np.full(len(cuts), np.nan)]).ravel()
                for v in (across.values, up.values)
            ]
            ax.plot(*jumps, color=COLOURS[0], linestyle=":", linewidth=0.9)
        if len(sol.t):
            start, end = {"marker": "o", "label": "start"}, {"marker": "s", "label": "end"}
            dot = {"linestyle": "none", "markersize": 5.5}
            ax.plot(across.values[:1], up.values[:1], color=COLOURS[2], **start, **dot)
            ax.plot(across.values[-1:], up.values[-1:], color=COLOURS[1], **end, **dot)
            ax.legend(loc="best" if len(sol.t) < 20_000 else "upper right")
        ax.set_xlabel(axis_label(across.name, across.unit))
        ax.set_ylabel(axis_label(up.name, up.unit))
        if across.unit == up.unit:
            # two lengths: a circle should look like one
            ax.set_aspect("equal", adjustable="datalim")
        if title:
            ax.set_title(title)
    return figure


def _scalar(sol: Solution, name: str) -> Column:
    columns = columns_of(sol, (name,))
    if len(columns) != 1:
        hint = f'; name one of them, such as "{columns[0].name}"' if columns else ""
        raise UsageError(
            f'A phase portrait needs one number per time, and "{name}" has {len(columns)}{hint}.'
        )
    return columns[0]
