"""Errors against step sizes on logarithmic axes, with the order fitted from the points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cornerlaw.errors import UsageError
from cornerlaw.plots.style import COLOURS, add_legend, axis_label, house_style, new_figure

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")


def fitted_order(steps: ArrayLike, errors: ArrayLike) -> float:
    """Fit p and c in error = c dt^p by least squares on the logarithms of all points; return p."""
    dt, e = _points(steps, errors)
    return float(np.polyfit(np.log(dt), np.log(e), 1)[0])


def convergence(
    runs: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    quantity: str = "error",
    unit: str = "1",
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Plot (steps, errors) of every method named, with the line and order fitted to all points."""
    if not runs:
        raise UsageError("A convergence plot needs at least one method with steps and errors.")
    with house_style():
        if ax is None:
            figure = new_figure(6.0, 4.4)
            ax = figure.subplots()
        else:
            figure = ax.figure
        for k, (label, (steps, errors)) in enumerate(runs.items()):
            dt, e = _points(steps, errors)
            slope, offset = np.polyfit(np.log(dt), np.log(e), 1)
            colour = COLOURS[k % len(COLOURS)]
            shown = f"{label}: order {slope:.2f}"
            marker = MARKERS[k % len(MARKERS)]
            ax.plot(dt, e, marker=marker, linestyle="none", color=colour, label=shown)
            ax.plot(dt, np.exp(offset) * dt**slope, color=colour, linewidth=1.0, label="_fit")
        ax.set_xscale("log")
        ax.set_yscale("log")
        for axis in (ax.xaxis, ax.yaxis):
            _label_few(axis)
        ax.set_xlabel(axis_label("step dt", "s"))
        ax.set_ylabel(axis_label(quantity, unit))
        add_legend(ax)
        if title:
            ax.set_title(title)
    return figure


def _label_few(axis: Any) -> None:
    """Label 1, 2 and 5 of every power of ten on a short axis: more numbers would touch."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_minor_formatter(NullFormatter())
    low, high = axis.get_view_interval()
    if high < 50.0 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:.0e}".replace("e-0", "e-"))
        )


def _points(steps: ArrayLike, errors: ArrayLike) -> tuple[Any, Any]:
    """Check that logarithms of all points exist."""
    dt, e = np.asarray(steps, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if dt.ndim != 1 or dt.shape != e.shape or len(np.unique(dt)) < 2:
        raise UsageError(
            "An order is fitted from two or more different steps with one error each, "
            f"not from {dt.size} steps and {e.size} errors."
        )
    if not (np.isfinite(dt).all() and np.isfinite(e).all() and (dt > 0).all() and (e > 0).all()):
        raise UsageError("Steps and errors must be positive and finite to be drawn as logarithms.")
    return dt, e
