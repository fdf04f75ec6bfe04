"""States at a section: Poincare sections and bifurcation diagrams."""

from typing import Any

from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure


def poincare(
    returns: Any, horizontal: str, vertical: str, *, ax: Any = None, title: str | None = None
) -> Any:
    """Plot the returns to a section, one point each; `returns` comes from `cl.poincare`."""
    with house_style():
        if ax is None:
            ax = new_figure(5.2, 4.6).subplots()
        many = len(returns) > 500
        size = 1.5 if many else 3.5
        x, y = returns[horizontal], returns[vertical]
        ax.plot(x, y, ".", color=COLOURS[0], markersize=size, rasterized=many)
        ax.set_xlabel(axis_label(horizontal, returns.unit(horizontal)))
        ax.set_ylabel(axis_label(vertical, returns.unit(vertical)))
        ax.margins(0.05)
        if title:
            ax.set_title(title)
    return ax.figure


def bifurcation(
    diagram: Any,
    name: str,
    *,
    parameter: str | None = None,
    unit: str = "1",
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Plot a coordinate, rate or state at all returns over the parameter of a diagram.

    diagram     from `cl.bifurcation_diagram`
    parameter   what stands below the axis, its own name unless given; `unit` is its unit
    """
    with house_style():
        if ax is None:
            ax = new_figure(7.0, 4.2).subplots()
        x, y = diagram.points(name)
        ax.plot(x, y, ".", color=COLOURS[0], markersize=1.8, rasterized=len(x) > 2000)
        ax.set_xlabel(axis_label(parameter or diagram.parameter, unit))
        ax.set_ylabel(axis_label(name, diagram.returns[0].unit(name) if diagram.returns else ""))
        ax.margins(0.03)
        if title:
            ax.set_title(title)
    return ax.figure
