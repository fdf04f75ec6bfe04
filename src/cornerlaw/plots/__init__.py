"""Figures of results and a report page, with matplotlib (extra "plot").

Figures are made without pyplot: nothing global is touched, no window opens. Save one with
`figure.savefig("name.png")`; pass `ax=` to draw into axes of your own.
"""

from cornerlaw.plots.convergence import convergence, fitted_order
from cornerlaw.plots.energy import energy
from cornerlaw.plots.phase import phase
from cornerlaw.plots.report import Code, Picture, Section, Table, write_report
from cornerlaw.plots.timeplot import plot
from cornerlaw.results.registry import register

register("plot", plot)

__all__ = [
    "Code",
    "Picture",
    "Section",
    "Table",
    "convergence",
    "energy",
    "fitted_order",
    "phase",
    "plot",
    "write_report",
]
