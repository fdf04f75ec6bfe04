"""Several positions of a mechanism in one picture, drawn from its joints: no geometry is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.model.frames import placement, spatial
from cornerlaw.model.rotation import rotate

Points = NDArray[np.float64]


def stroboscope(model: cl.Model, sol: cl.Solution, *, count: int = 12, title: str = "") -> Any:
    """Draw `count` positions, equally spaced in time, the last one darkest; returns a Figure.

    A body is the line through its joint points and the middles of its circles, or from its only one
    to the centre of mass; springs, rods and distances are thin lines between their ends. Returns
    None where such lines show nothing: all bodies are points, the motion runs along one line, or
    bodies fly about without any joint to the ground.
    """
    from cornerlaw.plots.style import COLOURS, axis_label, house_style, new_figure

    rows = np.unique(np.searchsorted(sol.t, np.linspace(sol.t[0], sol.t[-1], count)))
    rows = rows[rows < len(sol.t)]
    lines, links, fixed = _shapes(model)
    bodies = [
        np.array([_world(sol, body, point, model.dim)[rows] for point in points])
        for body, points in lines.items()
    ]
    hangs = bool(fixed) and all(len(points) > 0 for points in lines.values())
    if not hangs or not _has_shape(bodies):
        return None
    thin = [[_world(sol, body, point, model.dim)[rows[-1]] for body, point in e] for e in links]
    with house_style():
        figure = new_figure(6.0, 4.6)
        ax = figure.add_subplot(projection="3d" if model.dim == 3 else None)
        for k, corners in enumerate(bodies):
            look = {"color": COLOURS[k % len(COLOURS)], "lw": 2.2, "marker": "o", "ms": 3}
            for j in range(len(rows)):
                # from faint to dark as time goes on
                ax.plot(*corners[:, j].T, alpha=0.12 + 0.88 * ((j + 1) / len(rows)) ** 2, **look)
        for ends in thin:
            ax.plot(*np.array(ends).T, color="#666666", lw=1.0, ls="--")
        if fixed:
            marks = np.array(fixed)[:, : model.dim].T
            ax.plot(*marks, color="#222222", marker="^", ms=7, ls="none")
        if model.dim == 3:
            _widen(ax)
        ax.set_aspect("equal")
        for name in "xyz"[: model.dim]:
            getattr(ax, f"set_{name}label")(axis_label(name, "m"))
        if model.dim == 3:
            _tidy(ax)
        if title:
            ax.set_title(title)
    return figure


def _tidy(ax: Any) -> None:
    """Leave room for the names of the axes in space; numbers of short axes would overlap."""
    limits = np.array([ax.get_xlim3d(), ax.get_ylim3d(), ax.get_zlim3d()])
    extents = np.ptp(limits, axis=1)
    ax.set_box_aspect(extents, zoom=0.86)
    ax.tick_params(axis="z", pad=7.0)
    for name, (low, high), share in zip("xyz", limits, extents / extents.max(), strict=True):
        axis = getattr(ax, f"{name}axis")
        if share > 0.4:
            ax.locator_params(axis=name, nbins=4)
            axis.labelpad = 16.0 if name == "z" else 11.0
        else:
            # a single number in the middle, rounded to a tenth of the length
            digits = max(0, 1 - int(np.floor(np.log10(high - low))))
            axis.set_ticks([round(0.5 * (low + high), digits)])
            axis.labelpad = 14.0 if name == "z" else 8.0


def _widen(ax: Any) -> None:
    """Give an axis along which nothing moves a fifth of the longest, instead of rounding errors."""
    limits = {name: getattr(ax, f"get_{name}lim3d")() for name in "xyz"}
    least = 0.2 * max(high - low for low, high in limits.values())
    for name, (low, high) in limits.items():
        if high - low < least:
            middle = 0.5 * (low + high)
            getattr(ax, f"set_{name}lim3d")(middle - 0.5 * least, middle + 0.5 * least)


def _has_shape(bodies: list[Points]) -> bool:
    """Tell whether there are bodies with an extent whose motion fills a picture."""
    if not any(len(corners) > 1 for corners in bodies):
        return False
    everything = np.concatenate([corners.reshape(-1, corners.shape[-1]) for corners in bodies])
    extents = np.sort(np.ptp(everything, axis=0))
    return bool(extents[-2] > 0.25 * extents[-1])


def _shapes(model: cl.Model) -> tuple[dict[str, list[Any]], list[Any], list[Any]]:
    """Return points by body, pairs of ends of massless elements, and the points on the ground."""
    bodies = {body.name: body for body in model.bodies}
    lines: dict[str, list[Any]] = {name: [] for name in bodies}
    fixed: list[Any] = []

    def end(owner: Any, place: str, at: Any) -> tuple[str, Any]:
        base, origin, axes = placement(getattr(owner, place))
        point = tuple(np.add(origin, rotate(axes, spatial(at))))
        return (base.name if base.name in bodies else ""), point

    links = []
    part: Any
    for part in model.parts:
        if not (hasattr(part, "first") and hasattr(part, "at_second")):
            continue
        ends = end(part, "first", part.at), end(part, "second", part.at_second)
        if part not in model.joints:
            links.append(ends)
        for name, point in ends:
            if not name:
                fixed.append(point)
            elif point not in lines[name]:
                lines[name].append(point)
    for part in model.parts:
        # a pin with play: where its journal is
        if isinstance(part, cl.Circle) and not part.inside:
            name, point = end(part, "on", part.at)
            if lines.get(name) and point not in lines[name]:
                lines[name].append(point)
    for name, points in lines.items():
        if not points:
            continue  # it is free: nothing to draw
        com = spatial(getattr(bodies[name], "com", None))
        if len(points) < 2 and com not in points:
            points.append(com)
        elif len(points) > 2:
            points.append(points[0])
    return lines, links, fixed


def _world(sol: cl.Solution, body: str, point: Any, dim: int) -> Points:
    """Return where a point of a body (or of the ground) is, one row per time."""
    local = np.array(point)
    if not body:
        return np.broadcast_to(local[:dim], (len(sol.t), dim))
    view = sol[body]
    if "angle" in view:
        c, s = np.cos(view.angle), np.sin(view.angle)
        turned = np.column_stack((c * local[0] - s * local[1], s * local[0] + c * local[1]))
        return np.asarray(view.position + turned)
    if "rotation" in view:
        return np.asarray(view.position + view.rotation @ local)
    return np.asarray(view.position)
