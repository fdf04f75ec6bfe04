"""Signals over time, grouped by unit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import UsageError
from cornerlaw.plots.style import add_legend, axis_label, house_style, line_looks, new_figure
from cornerlaw.results import Solution
from cornerlaw.results.columns import Column, columns_of

AXES_HEIGHT = 2.4  # [inch] of each of several stacked axes
STATES = ("open", "closed", "slip +", "slip –", "stick", "slip")  # of contacts, by their number


def draw(ax: Any, sol: Solution, values: NDArray[np.float64], label: str, look: Any) -> None:
    """Draw a curve in pieces between events; a jump is a thin dotted line."""
    cuts = sol.jumps + 1
    t = np.insert(sol.t, cuts, np.nan)
    broken = np.insert(values, cuts, np.nan)
    ax.plot(t, broken, label=label, **look)
    if len(cuts):
        # one line object for all jumps: thousands of them stay fast
        gap = np.full(len(cuts), np.nan)
        steps_t = np.column_stack([sol.t[cuts - 1], sol.t[cuts], gap]).ravel()
        steps = np.column_stack([values[cuts - 1], values[cuts], gap]).ravel()
        thin = {"color": look["color"], "linestyle": ":", "linewidth": 0.9, "alpha": 0.8}
        ax.plot(steps_t, steps, label="_jumps", **thin)


def plot(sol: Solution, *names: str, ax: Any = None, title: str | None = None) -> Any:
    """Plot channels, components or whole parts over time and return the figure.

    Curves of one unit share axes; axes of different units are stacked above one time axis. With
    `ax` everything is drawn there, and must have one unit. Jumps at events are dotted.
    """
    if not names:
        example = next(iter(sol.channels.names), "part.quantity")
        raise UsageError(f'Say what to plot, for example sol.plot("{example}").')
    groups: dict[str, list[Column]] = {}
    for line in columns_of(sol, names):
        groups.setdefault(line.unit, []).append(line)
    if not groups:
        raise UsageError(f"There is nothing to draw in {', '.join(names)}: no components.")
    if ax is not None and len(groups) > 1:
        raise UsageError(
            f"One pair of axes can show one unit, and these have {len(groups)} "
            f"({', '.join(groups)}); leave ax out to get stacked axes."
        )
    with house_style():
        if ax is None:
            height = 3.6 if len(groups) == 1 else 0.6 + AXES_HEIGHT * len(groups)
            figure = new_figure(7.0, height)
            stack = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        else:
            figure, stack = ax.figure, [ax]
        for target, (unit, lines) in zip(stack, groups.items(), strict=True):
            for line, look in zip(lines, line_looks(len(lines)), strict=True):
                draw(target, sol, line.values, line.name, look)
            quantities = list(dict.fromkeys(line.quantity for line in lines))
            owners = {line.name.partition(".")[0] for line in lines}
            # several quantities of one part, such as the energies, have its name
            text = (
                quantities[0] if len(quantities) == 1 else owners.pop() if len(owners) == 1 else ""
            )
            if text == "state":
                _name_states(target, lines)
            else:
                target.set_ylabel(axis_label(text.replace("_", " "), unit))
            add_legend(target)
        stack[-1].set_xlabel(axis_label("time", "s"))
        if title:
            stack[0].set_title(title)
        elif not sol.ok and ax is None:
            # a run that did not succeed must not look as if it had
            stack[0].set_title(f"run {sol.status}"[:90], color="#B00020")
        figure.align_ylabels()
    return figure


def _name_states(ax: Any, lines: list[Column]) -> None:
    """Write the words for the numbers of states that occur."""
    known = {int(x) for line in lines for x in np.unique(line.values[np.isfinite(line.values)])}
    shown = sorted(k for k in known if 0 <= k < len(STATES))
    if shown:
        ax.set_yticks(shown, [STATES[k] for k in shown])
        ax.set_ylim(shown[0] - 0.5, shown[-1] + 0.5)
    ax.set_ylabel("state")
