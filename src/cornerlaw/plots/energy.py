"""Energies over time and how well their sum is kept."""

from typing import Any

import numpy as np

from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure
from cornerlaw.plots.timeplot import draw
from cornerlaw.results import Solution

TERMS = ("kinetic", "potential", "total")


def energy(sol: Solution, *, title: str | None = None) -> Any:
    """Plot kinetic, potential and total energy, and below the change of the total."""
    total = sol.array("energy.total")
    view = sol.energy
    with house_style():
        figure = new_figure(7.0, 4.8)
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        for name, colour in zip(TERMS, (COLOURS[0], COLOURS[1], COLOURS[6]), strict=True):
            if name in view:
                look = {"color": colour, "linestyle": "--" if name == "total" else "-"}
                draw(top, sol, view[name], name, look)
        top.set_ylabel(axis_label("energy", "J"))
        add_legend(top)
        change = total - total[0] if len(total) else total
        draw(bottom, sol, change, "_change", {"color": COLOURS[6], "linestyle": "-"})
        bottom.set_ylabel(axis_label("change of total", "J"))
        bottom.set_xlabel(axis_label("time", "s"))
        if sol.info.conservative and len(change):
            worst = float(np.max(np.abs(change)))
            bottom.set_title(f"drift at most {worst:.1e} J", fontsize=9.0, fontweight="normal")
        if title:
            top.set_title(title)
        figure.align_ylabels()
    return figure
