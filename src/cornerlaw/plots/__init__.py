"""Figures of results and a report page, with matplotlib (extra "plot").

Figures are made without pyplot: nothing global is touched, no window opens. Save one with
`figure.savefig("name.png")`; pass `ax=` to draw into axes of your own.
"""

from cornerlaw.plots.convergence import convergence, fitted_order
from cornerlaw.plots.energy import energy
from cornerlaw.plots.phase import phase
from cornerlaw.plots.report import Code, Picture, Section, Table, write_report
from cornerlaw.plots.returns import bifurcation, poincare
from cornerlaw.plots.sparsity import sparsity
from cornerlaw.plots.timeline import raster, timeline
from cornerlaw.plots.timeplot import plot
from cornerlaw.plots.vibration import campbell, modes, resonance
from cornerlaw.results.registry import register

register("plot", plot)
register("poincare", poincare)
register("bifurcation", bifurcation)

__all__ = [
    "Code",
    "Picture",
    "Section",
    "Table",
    "bifurcation",
    "campbell",
    "convergence",
    "energy",
    "fitted_order",
    "modes",
    "phase",
    "plot",
    "poincare",
    "raster",
    "resonance",
    "sparsity",
    "timeline",
    "write_report",
]
