"""Vibrations: resonance curves, Campbell diagrams, shapes of modes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cornerlaw.errors import UsageError
from cornerlaw.plots.style import (
    COLOURS,
    add_legend,
    axis_label,
    house_style,
    line_looks,
    new_figure,
)

MOST_COORDINATES = 40  # names that can still be read below a mode


def resonance(
    curves: Mapping[str, Any],
    *,
    quantity: str = "amplitude",
    unit: str = "1",
    log: bool = False,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Plot amplitudes over the frequency of an excitation, a curve per name; peaks have a dot.

    curves   by name, from `drives.frequency_response`, or anything with `frequency` [rad/s] and
             `amplitude`
    unit     of the amplitudes
    """
    if not curves:
        raise UsageError("A resonance plot needs at least one curve.")
    with house_style():
        if ax is None:
            ax = new_figure(7.0, 4.0).subplots()
        for (label, curve), look in zip(curves.items(), line_looks(len(curves)), strict=True):
            hertz = np.asarray(curve.frequency) / (2.0 * np.pi)
            amplitude = np.asarray(curve.amplitude)
            ax.plot(hertz, amplitude, label=label, **look)
            k = int(np.argmax(amplitude))
            ax.plot(hertz[k], amplitude[k], "o", color=look["color"], markersize=4, label="_peak")
        if log:
            ax.set_yscale("log")
        ax.set_xlabel(axis_label("frequency", "Hz"))
        ax.set_ylabel(axis_label(quantity, unit))
        if len(curves) > 1:
            add_legend(ax)
        if title:
            ax.set_title(title)
    return ax.figure


def campbell(
    diagram: Any,
    *,
    quantity: str = "amplitude",
    unit: str = "1",
    orders: float | None = None,
    frequencies: Any = (),
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Plot the orders of a run-up as colours over speed and frequency; orders are straight lines.

    diagram       from `drives.campbell`
    orders        the highest order shown
    frequencies   natural frequencies [Hz], such as `linearisation.frequencies`, as dashed lines
    """
    shown = diagram.order <= (orders if orders is not None else diagram.order[-1])
    order, amplitude = diagram.order[shown], diagram.amplitude[:, shown]
    with house_style():
        if ax is None:
            ax = new_figure(7.0, 4.4).subplots()
        turns = np.asarray(diagram.speed) / (2.0 * np.pi)  # [1/s]
        rpm = 60.0 * turns
        hertz = turns[:, None] * order[None, :]
        speeds = np.broadcast_to(rpm[:, None], hertz.shape)
        mesh = ax.pcolormesh(
            speeds, hertz, amplitude, cmap="cividis", shading="gouraud", rasterized=True
        )
        ax.figure.colorbar(mesh, ax=ax, label=axis_label(quantity, unit))
        for k in range(1, int(order[-1]) + 1):
            ax.plot(rpm, k * turns, color="white", linewidth=0.5, alpha=0.5)
        for f in np.unique(np.asarray(frequencies, dtype=np.float64)):
            if 0.0 < f <= hertz.max():
                ax.axhline(f, color=COLOURS[1], linestyle="--", linewidth=1.0)
        ax.grid(visible=False)
        ax.set_xlim(rpm.min(), rpm.max())
        ax.set_ylim(0.0, hertz.max())
        ax.set_xlabel(axis_label("speed", "rev/min"))
        ax.set_ylabel(axis_label("frequency", "Hz"))
        if title:
            ax.set_title(title)
    return ax.figure


def modes(linearisation: Any, *, count: int = 6, title: str | None = None) -> Any:
    """Draw the shapes of the first modes that oscillate: real part filled, imaginary part outlined.

    linearisation   from `cl.linearise`; `cl.mode_motion` lets a mode move
    """
    found = [m for m in linearisation.modes if m.frequency > 0.0 and m.shape][:count]
    if not found:
        raise UsageError("None of the modes oscillates; print the linearisation to see them.")
    names = list(found[0].shape)
    if len(names) > MOST_COORDINATES:
        raise UsageError(
            f"{len(names)} coordinates are too many for bars; draw a mode with cl.mode_motion."
        )
    with house_style():
        figure = new_figure(7.0, 0.9 + 1.15 * len(found))
        stack = figure.subplots(len(found), 1, sharex=True, squeeze=False)[:, 0]
        places = np.arange(len(names))
        for k, (ax, mode) in enumerate(zip(stack, found, strict=True)):
            shape = np.array([mode.shape[name] for name in names])
            ax.bar(places, shape.real, 0.6, color=COLOURS[0], label="in phase")
            if np.abs(shape.imag).max() > 1e-6:
                look = {"fill": False, "edgecolor": COLOURS[1], "linewidth": 1.3}
                ax.bar(places, shape.imag, 0.4, label="a quarter period ahead", **look)
            ax.axhline(0.0, color="#444444", linewidth=0.8)
            ax.set_ylim(-1.15, 1.15)
            ax.set_ylabel(axis_label("share", "1"))
            ax.grid(axis="x", visible=False)
            text = f"{mode.frequency:.4g} Hz, damping ratio {mode.damping_ratio:.2g}"
            ax.set_title(f"{title}: {text}" if title and k == 0 else text, fontsize=9.0)
        crowded = sum(len(name) for name in names) > 60
        stack[-1].set_xticks(places, names, rotation=30 if crowded else 0)
        if crowded:
            for label in stack[-1].get_xticklabels():
                label.set_horizontalalignment("right")
        if any(len(ax.containers) > 1 for ax in stack):
            next(ax for ax in stack if len(ax.containers) > 1).legend(
                loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0
            )
        figure.align_ylabels()
    return figure
