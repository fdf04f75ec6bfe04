"""Triangles of shapes, for drawings without a browser."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from cornerlaw.viewer.sampling import Floats

AROUND, ALONG = 20, 10


def triangles_of(shape: dict[str, Any], size: float, wide: float) -> Floats:
    """Return the triangles (n, 3, 3) of a shape in space, in the axes of its body."""
    own = _own_triangles(shape, size, wide)
    turn = np.array(shape.get("rot", np.eye(3)), dtype=float).reshape(3, 3)
    if "points" in shape:
        return own
    shift = np.array(shape.get("at", (0.0, 0.0, 0.0)), dtype=float)
    if shape["type"] == "plane":
        turn = _turn_to(shape["normal"])
    return np.asarray(own @ turn.T + shift)


def _own_triangles(shape: dict[str, Any], size: float, wide: float) -> Floats:
    kind, r = shape["type"], float(shape.get("r", 0.0))
    length = float(shape.get("length", 0.0))
    if kind in ("sphere", "bowl"):
        return _ball((r, r, r), lower=kind == "bowl")
    if kind == "ellipsoid":
        return _ball(shape["axes"])
    if kind == "box":
        return _box(shape["size"])
    if kind in ("cylinder", "capsule", "ring", "disc"):
        return _turned([(0.0, -0.5), (1.0, -0.5), (1.0, 0.5), (0.0, 0.5)], r, length or 0.1 * r)
    if kind == "cone":
        return _turned([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], r, length)
    if kind == "torus":
        return _torus(r, float(shape["section"]))
    if kind == "mesh":
        faces = np.array(shape["faces"], dtype=int)
        return np.asarray(np.array(shape["vertices"], dtype=float)[faces])
    if kind == "plane":
        h = 0.7 * wide
        a, b, c, d = (-h, -h, 0.0), (h, -h, 0.0), (h, h, 0.0), (-h, h, 0.0)
        return np.array([[a, b, c], [a, c, d]])
    if kind in ("tube", "link", "edge"):
        return _chain(np.array(shape["points"], dtype=float), r or 0.006 * size, shape)
    return np.zeros((0, 3, 3))


def _grid(points: Floats) -> Floats:
    """Return the triangles between rows and columns of points (m, n, 3)."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    first = np.stack([a, b, c], axis=2).reshape(-1, 3, 3)
    return np.concatenate([first, np.stack([a, c, d], axis=2).reshape(-1, 3, 3)])


def _ball(axes: Any, lower: bool = False) -> Floats:
    theta = np.linspace(0.5 * math.pi if lower else 0.0, math.pi, ALONG + 1)[:, None]
    phi = np.linspace(0.0, 2.0 * math.pi, AROUND + 1)[None, :]
    unit = [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta) + 0.0 * phi]
    return _grid(np.stack(unit, axis=2) * np.array(axes, dtype=float))


def _box(size: Any) -> Floats:
    a, b, c = (0.5 * float(x) for x in size)
    corners = np.array([(x, y, z) for x in (-a, a) for y in (-b, b) for z in (-c, c)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return np.array([corners[[q[0], q[i], q[i + 1]]] for q in quads for i in (1, 2)])


def _turned(profile: list[tuple[float, float]], r: float, length: float) -> Floats:
    """Return a body of revolution about z from points (radius, height)."""
    phi = np.linspace(0.0, 2.0 * math.pi, AROUND + 1)
    rows = [
        np.column_stack([p * r * np.cos(phi), p * r * np.sin(phi), 0.0 * phi + h * length])
        for p, h in profile
    ]
    return _grid(np.array(rows))


def _torus(r: float, section: float) -> Floats:
    phi = np.linspace(0.0, 2.0 * math.pi, 2 * AROUND + 1)[:, None]
    psi = np.linspace(0.0, 2.0 * math.pi, ALONG + 1)[None, :]
    out = r + section * np.cos(psi)
    points = [out * np.cos(phi), out * np.sin(phi), section * np.sin(psi) + 0.0 * phi]
    return _grid(np.stack(points, axis=2))


def _chain(points: Floats, r: float, shape: dict[str, Any]) -> Floats:
    """Return thin cylinders between neighbours."""
    parts = []
    for a, b in itertools.pairwise(points):
        length = float(np.linalg.norm(b - a))
        if length > 0.0:
            one = _turned([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], r, length)
            parts.append(one @ _turn_to(b - a).T + a)
    if shape.get("bob"):
        parts.append(_ball((shape["bob"],) * 3) + points[-1])
    return np.concatenate(parts) if parts else np.zeros((0, 3, 3))


def _turn_to(axis: Any) -> Floats:
    z = np.array(axis, dtype=float)
    z = z / np.linalg.norm(z)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
