"""Boxes around contours for the broad phase."""

from __future__ import annotations

import math

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.pool import BOUND_BOX, BOUND_HALF, BOUND_NONE
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.corners import ContourData

MARGIN = 0.02  # of the size of a contour: what is nearer is near, moving or not

# kind, centre, half sizes, normal; of what is a ball its radius in place of the normal
Bound = tuple[int, Floats, Floats, Floats]

_ZERO = np.zeros(3)


def bound_of(contour: ContourData) -> Bound:
    """Return the box of a contour in the axes of its marker, or what it is instead of bounded."""
    find = _in_space if contour.kind >= kinds.SHAPE_POINT else _in_plane
    return find(contour)


def _box(half: tuple[float, float, float], centre: Floats = _ZERO) -> Bound:
    return BOUND_BOX, np.array(centre, float), np.array(half, float), _ZERO


def _ball(radius: float, dim: int = 3) -> Bound:
    half = np.array([radius, radius, radius if dim == 3 else 0.0])
    return BOUND_BOX, _ZERO, half, np.array([radius, 0.0, 0.0])


def _none() -> Bound:
    return BOUND_NONE, _ZERO, _ZERO, _ZERO


def _around(points: Floats) -> Bound:
    low, high = points.min(axis=0), points.max(axis=0)
    if points.shape[1] == 2:
        low, high = np.append(low, 0.0), np.append(high, 0.0)
    half = 0.5 * (high - low)
    return _box((half[0], half[1], half[2]), 0.5 * (low + high))


def _in_space(c: ContourData) -> Bound:
    k, d = c.kind, c.data
    if k == kinds.SHAPE_PLANE:
        return BOUND_HALF, _ZERO, _ZERO, np.array([0.0, 0.0, 1.0])
    if not math.isfinite(c.reach):
        return _none()  # seen from inside
    if k in (kinds.SHAPE_CAPSULE, kinds.SHAPE_CYLINDER):
        return _box((d[0], d[0], d[1] + (d[0] if k == kinds.SHAPE_CAPSULE else 0.0)))
    if k == kinds.SHAPE_EDGE:
        return _box((0.0, 0.0, d[0]))
    if k == kinds.SHAPE_CIRCLE:
        return _box((d[0], d[0], 0.0))
    if k == kinds.SHAPE_CONE:
        return _box((d[0], d[0], 0.5 * d[1]), np.array([0.0, 0.0, 0.5 * d[1]]))
    if k in (kinds.SHAPE_ELLIPSOID, kinds.SHAPE_BOX):
        return _box((d[0], d[1], d[2]))
    if k == kinds.SHAPE_TORUS:
        return _box((d[0] + d[1], d[0] + d[1], d[1]))
    if k == kinds.SHAPE_POLYHEDRON:
        return _around(np.array(d[4 : 4 + 3 * c.size]).reshape(-1, 3))
    # spheres, and what is known by its reach only: tubes, surfaces, height fields
    return _ball(c.reach)


def _in_plane(c: ContourData) -> Bound:
    k, d = c.kind, c.data
    if k == kinds.CONTOUR_POINT:
        return _box((0.0, 0.0, 0.0))
    if k in (kinds.CONTOUR_CIRCLE, kinds.CONTOUR_ARC):
        # a circle seen from inside touches what is in it, which is near its centre
        return _none() if d[0] < 0.0 else _ball(d[0], 2)
    if k == kinds.CONTOUR_LINE:
        return BOUND_HALF, _ZERO, _ZERO, np.array([d[0], d[1], 0.0])
    if k in (kinds.CONTOUR_SEGMENT, kinds.CONTOUR_POLYGON):
        return _around(np.array(d).reshape(-1, 2))
    return _none()


def margin_of(bound: Bound) -> float:
    """Return the distance within which a contour is near others."""
    return MARGIN * float(np.linalg.norm(bound[2]))
