"""Shapes for bodies that have none: links between their joints, rods, solids of equal inertia."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cornerlaw.model.scene.solids import turned_to

Shape = dict[str, Any]
WIDE = 0.05  # of J / (m l^2) about the centre of mass, from which on a body is no mere bob
ALIKE = 1e-6  # moments of inertia closer than this are equal
SAME = 1e-6  # points closer than this, against the size of the model, are one
SLENDER = 0.2  # of the moment about the axis of a rod over that across it
ROD = (0.28, 0.39)  # of J / (m l^2) about the end of what counts as a rod; exact: 1/3


def stand_in(body: Any, anchors: list[Any], size: float, dim: int) -> list[Shape]:
    """Return shapes for a body with points (of joints, contacts, springs) it is known to have."""
    width = 0.05 * size
    centre = np.array(getattr(body, "centre", (0.0, 0.0, 0.0)))
    points = _distinct([np.array(p, dtype=float) for p in anchors], size)
    if len(points) >= 2:
        return [{"type": "link", "points": [p.tolist() for p in points], "r": 0.5 * width}]
    if len(points) == 1 and np.linalg.norm(centre - points[0]) > 1e-3 * size:
        tip, bob = _tip(body, points[0], centre)
        link = {"type": "link", "points": [points[0].tolist(), tip.tolist()], "r": 0.4 * width}
        if bob and dim == 3 and _is_wide(body, centre - points[0]):
            return [link, _block(body, centre, size, dim)]
        return [{**link, "bob": width if bob else 0.0}]
    return [_block(body, centre, size, dim)]


def _is_wide(body: Any, arm: Any) -> bool:
    """Tell whether a body on an arm is as large as the arm is long, as the disc of a top is."""
    moment = float(np.linalg.eigvalsh(np.array(body.tensor))[-1])
    return bool(moment / max(body.mass, 1e-300) > WIDE * float(arm @ arm))


def _tip(body: Any, start: Any, centre: Any) -> tuple[Any, bool]:
    """Return the free end of a body that hangs at one point, and whether its mass sits there."""
    arm = centre - start
    square = float(arm @ arm)
    tensor = np.array(body.tensor)
    moment = float(np.linalg.eigvalsh(tensor)[-1])
    about_end = (moment / max(body.mass, 1e-300) + square) / (4.0 * square)
    slender = float(arm @ tensor @ arm) <= SLENDER * moment * square
    if slender and ROD[0] < about_end < ROD[1]:
        return start + 2.0 * arm, False
    return centre, True


def _block(body: Any, centre: Any, size: float, dim: int) -> Shape:
    """Return a block, cylinder or ball with the inertia of the body, a small block without any."""
    mass = float(getattr(body, "mass", 0.0))
    lengths = np.full(3, 0.12 * size)
    turned = np.eye(3)
    tensor = np.array(body.tensor) if hasattr(body, "tensor") else np.zeros((3, 3))
    if mass > 0.0 and dim == 2 and tensor[2, 2] > 0.0:
        lengths[:] = math.sqrt(6.0 * tensor[2, 2] / mass)
    elif mass > 0.0 and tensor.trace() > 0.0:
        moments, axes = np.linalg.eigh(tensor)
        if (round_one := _round(mass, moments, axes, centre, size)) is not None:
            return round_one
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


def _round(mass: float, moments: Any, axes: Any, centre: Any, size: float) -> Shape | None:
    """Return the ball or cylinder with these principal moments, None where no two are equal."""
    low, middle, high = (float(x) / mass for x in moments)
    at, near = centre.tolist(), ALIKE * high
    if high - low < near:
        return {"type": "sphere", "r": min(math.sqrt(2.5 * high), 0.4 * size), "at": at}
    if middle - low < near:
        axis, about, across = axes[:, 2], high, low
    elif high - middle < near:
        axis, about, across = axes[:, 0], low, high
    else:
        return None
    r = math.sqrt(2.0 * about)
    length = math.sqrt(max(12.0 * across - 3.0 * r * r, 0.0))
    return {
        "type": "cylinder",
        "r": float(np.clip(r, 0.02 * size, 0.4 * size)),
        "length": float(np.clip(length, 0.02 * size, 0.8 * size)),
        "at": at,
        "rot": turned_to(axis),
    }


def _distinct(points: list[Any], size: float) -> list[Any]:
    kept: list[Any] = []
    for p in points:
        if all(np.linalg.norm(p - other) > SAME * size for other in kept):
            kept.append(p)
    return kept
