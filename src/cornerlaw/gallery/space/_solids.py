"""Pictures of boxes and polyhedra at some rows of a run, seen from the side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl

Floats = NDArray[np.float64]


def box_corners(size: Sequence[float]) -> Floats:
    """Return the eight corners of a box about its centre."""
    signs = np.array([(a, b, c) for a in (-0.5, 0.5) for b in (-0.5, 0.5) for c in (-0.5, 0.5)])
    return np.asarray(signs * np.asarray(size, dtype=np.float64))


def outline(points: Floats) -> Floats:
    """Return the convex hull of points in the plane, closed, counterclockwise."""
    from scipy.spatial import ConvexHull

    hull = points[ConvexHull(points).vertices]
    return np.concatenate([hull, hull[:1]])


def draw_solids(
    ax: Any,
    sol: cl.Solution,
    solids: Mapping[str, Floats],
    row: int,
    *,
    colours: Sequence[str] | None = None,
    axes: tuple[int, int] = (0, 2),
) -> None:
    """Draw bodies, given by their corners in body axes, as their outlines in two world axes."""
    from cornerlaw.plots.style import COLOURS, axis_label

    chosen = colours or COLOURS
    for k, (name, points) in enumerate(solids.items()):
        body = sol[name]
        turned = points @ body.rotation[row].T + body.position[row]
        line = outline(turned[:, list(axes)])
        ax.fill(*line.T, color=chosen[k % len(chosen)], alpha=0.35, lw=0)
        ax.plot(*line.T, color=chosen[k % len(chosen)], lw=0.8)
    ax.set_aspect("equal")
    ax.set_xlabel(axis_label("xyz"[axes[0]], "m"))
    ax.set_ylabel(axis_label("xyz"[axes[1]], "m"))
