"""Shapes for bodies that have none: links between their joints, rods, blocks of equal inertia."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Shape = dict[str, Any]
SAME = 1e-6  # points closer than this, against the size of the model, are one
ROD = (0.28, 0.39)  # of J / (m l^2) about the end of what counts as a rod; exact: 1/3


def stand_in(body: Any, anchors: list[Any], size: float, dim: int) -> Shape:
    """Return a shape for a body with points (of joints, contacts, springs) it is known to have."""
    width = 0.05 * size
    centre = np.array(getattr(body, "centre", (0.0, 0.0, 0.0)))
    points = _distinct([np.array(p, dtype=float) for p in anchors], size)
    if len(points) >= 2:
        return {"type": "link", "points": [p.tolist() for p in points], "r": 0.5 * width}
    if len(points) == 1 and np.linalg.norm(centre - points[0]) > 1e-3 * size:
        tip, bob = _tip(body, points[0], centre)
        ends = [points[0].tolist(), tip.tolist()]
        return {"type": "link", "points": ends, "r": 0.4 * width, "bob": width if bob else 0.0}
    return _block(body, centre, size, dim)


def _tip(body: Any, start: Any, centre: Any) -> tuple[Any, bool]:
    """Return the free end of a body that hangs at one point, and whether its mass sits there."""
    arm = centre - start
    square = float(arm @ arm)
    moment = float(np.linalg.eigvalsh(np.array(body.tensor))[-1])
    about_end = (moment / max(body.mass, 1e-300) + square) / (4.0 * square)
    if ROD[0] < about_end < ROD[1]:
        return start + 2.0 * arm, False
    return centre, True


def _block(body: Any, centre: Any, size: float, dim: int) -> Shape:
    """Return the block with the inertia of the body, or a small one where it has none."""
    mass = float(getattr(body, "mass", 0.0))
    lengths = np.full(3, 0.12 * size)
    turned = np.eye(3)
    tensor = np.array(body.tensor) if hasattr(body, "tensor") else np.zeros((3, 3))
    if mass > 0.0 and dim == 2 and tensor[2, 2] > 0.0:
        lengths[:] = math.sqrt(6.0 * tensor[2, 2] / mass)
    elif mass > 0.0 and tensor.trace() > 0.0:
        moments, axes = np.linalg.eigh(tensor)
        squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
        lengths = np.sqrt(np.maximum(squares, 0.0))
        turned = axes if np.linalg.det(axes) > 0.0 else axes * [1.0, 1.0, -1.0]
    lengths = np.clip(lengths, 0.04 * size, 0.8 * size)
    return {
        "type": "box",
        "size": [float(x) for x in lengths],
        "at": centre.tolist(),
        "rot": [float(x) for x in turned.ravel()],
    }


def _distinct(points: list[Any], size: float) -> list[Any]:
    kept: list[Any] = []
    for p in points:
        if all(np.linalg.norm(p - other) > SAME * size for other in kept):
            kept.append(p)
    return kept
