"""Contacts over time as bars, and events as marks: what happened when."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UsageError
from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure
from cornerlaw.results import Solution

# colours as in the viewer; the numbers are those of the channel "state"
STATES: dict[str, tuple[tuple[int, ...], str]] = {
    "open": ((0,), "#D9DDE3"),
    "closed": ((1,), "#CC79A7"),
    "slip": ((2, 3, 5), "#E69F00"),
    "stick": ((4,), "#0072B2"),
}
MARKS = ("|", "o", "x", "^", "s", "d", "v", "+")
MOST = 60  # rows that can still be read


def timeline(sol: Solution, *names: str, ax: Any = None, title: str | None = None) -> Any:
    """Draw a bar per contact, guide, clutch or valve: when it is open, closed, slips or sticks.

    Without names all that have a state are shown, at most 60 of those that ever change.
    """
    known = [part for part in sol.parts if "state" in sol.channels.of(part)]
    chosen = list(names) or known
    for name in names:
        if name not in known:
            hint = f"; there are {', '.join(known[:8])}" if known else ""
            raise UsageError(f'"{name}" has no state to draw over time{hint}.')
    if not chosen:
        raise UsageError("This run has no contact or other element with a state.")
    sol.fetch([f"{name}.state" for name in chosen])
    states = {name: np.asarray(sol.array(f"{name}.state")).astype(int) for name in chosen}
    if not names and len(chosen) > MOST:
        chosen = [name for name in chosen if np.ptp(states[name]) > 0][:MOST]
    with house_style():
        figure, ax = _rows(chosen, ax)
        for label, (numbers, colour) in STATES.items():
            named = False
            for row, name in enumerate(chosen):
                spans = _spans(sol.t, np.isin(states[name], numbers))
                if spans:
                    shown = f"_{label}" if named else label
                    ax.broken_barh(spans, (row - 0.38, 0.76), facecolors=colour, label=shown)
                    named = True
        _finish(sol, ax, title)
    return figure


def raster(sol: Solution, *names: str, ax: Any = None, title: str | None = None) -> Any:
    """Draw every event as a mark at its time, a row per part and a mark per kind."""
    log = [e for e in sol.events if not names or e.name in names]
    if not log:
        of = f" of {', '.join(names)}" if names else ""
        raise UsageError(f"This run has no events{of} to draw.")
    parts, kinds = list(dict.fromkeys(e.name for e in log)), sorted({e.kind for e in log})
    if len(parts) > MOST:
        raise UsageError(f"{len(parts)} parts have events; name at most {MOST} of them.")
    with house_style():
        figure, ax = _rows(parts, ax)
        for k, kind in enumerate(kinds):
            found = [(e.time, parts.index(e.name)) for e in log if e.kind == kind]
            look = {"marker": MARKS[k % len(MARKS)], "color": COLOURS[k % len(COLOURS)]}
            size = 11.0 if look["marker"] == "|" else 5.0
            ax.plot(*np.array(found).T, linestyle="none", markersize=size, label=kind, **look)
        _finish(sol, ax, title)
    return figure


def _rows(names: list[str], ax: Any) -> tuple[Any, Any]:
    """Return axes with a named row each, the first one at the top."""
    if ax is None:
        figure = new_figure(7.0, max(1.8, 1.1 + 0.28 * len(names)))
        ax = figure.subplots()
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="y", visible=False)
    return ax.figure, ax


def _finish(sol: Solution, ax: Any, title: str | None) -> None:
    ax.set_xlabel(axis_label("time", "s"))
    if len(sol.t) > 1:
        ax.set_xlim(float(sol.t[0]), float(sol.t[-1]))
    # beside the rows: inside it would cover some
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    if title:
        ax.set_title(title)


def _spans(t: NDArray[np.float64], on: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return start and length of every time in which a state holds until the next sample."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(np.int8), [0]))))
    ends = np.minimum(edges[1::2], len(t) - 1)
    found = [(float(t[a]), float(t[b] - t[a])) for a, b in zip(edges[::2], ends, strict=True)]
    return [span for span in found if span[1] > 0.0]
