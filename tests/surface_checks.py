"""Shapes with curved surfaces, and their gaps by brute force."""

import functools
import math
from typing import Any

import numpy as np
from brute_force import form
from brute_surfaces import ELLIPSOID as ELLIPSOID_CHART
from brute_surfaces import RING as RING_CURVE
from brute_surfaces import TURNED, WAVES, grid_points, land, lowest_on_grid, lowest_on_ring
from scipy.interpolate import RectBivariateSpline
from surface_slots import Floats, Pose, Shape, heights_data, spline_data, surface

from cornerlaw.arrays import kinds
from cornerlaw.compile.hulls import convex_hull

RING, SECTION = 0.3, 0.08
AXES = 0.3, 0.22, 0.15
BOX = 0.25, 0.15, 0.1
HALF, ROUND = 0.25, 0.07

# --- polyhedra -------------------------------------------------------------------------------

_HULL_POINTS = np.random.default_rng(5).normal(size=(14, 3)) * np.array([0.2, 0.15, 0.15])
_HULL = convex_hull(_HULL_POINTS)

# --- shapes ----------------------------------------------------------------------------------


def _ellipsoid_adapter(inp: Any, par: Any, out: Any) -> None:
    a, b, c = 0.3, 0.22, 0.15
    cs, ss = math.cos(inp[0]), math.sin(inp[0])
    ct, st = math.cos(inp[1]), math.sin(inp[1])
    out[0], out[1], out[2] = a * cs * ct, b * ss * ct, c * st
    out[3], out[4], out[5] = -a * ss * ct, b * cs * ct, 0.0
    out[6], out[7], out[8] = -a * cs * st, -b * ss * st, c * ct
    out[9], out[10], out[11] = -a * cs * ct, -b * ss * ct, 0.0
    out[12], out[13], out[14] = a * ss * st, -b * cs * st, 0.0
    out[15], out[16], out[17] = -a * cs * ct, -b * ss * ct, -c * st


def _waves_adapter(inp: Any, par: Any, out: Any) -> None:
    h, p, q = 0.04, 6.0, 5.0
    cs, ss = math.cos(p * inp[0]), math.sin(p * inp[0])
    ct, st = math.cos(q * inp[1]), math.sin(q * inp[1])
    out[0], out[1], out[2] = inp[0], inp[1], h * ss * ct
    out[3], out[4], out[5] = 1.0, 0.0, h * p * cs * ct
    out[6], out[7], out[8] = 0.0, 1.0, -h * q * ss * st
    out[9], out[10], out[11] = 0.0, 0.0, -h * p * p * ss * ct
    out[12], out[13], out[14] = 0.0, 0.0, -h * p * q * cs * st
    out[15], out[16], out[17] = 0.0, 0.0, -h * q * q * ss * ct


SPAN = 1.0  # half the size of the waves


@functools.cache
def ellipsoid_surface(convex: bool) -> Shape:
    closed = (2.0 if convex else 1.0, 0.0)
    half = 0.5 * np.pi
    return surface(_ellipsoid_adapter, (0.0, 2.0 * np.pi), (-half, half), closed, 0.3)


@functools.cache
def waves_surface() -> Shape:
    return surface(_waves_adapter, (-SPAN, SPAN), (-SPAN, SPAN), (0.0, 0.0), 0.3)


TORUS = Shape(kinds.SHAPE_TORUS, (RING, SECTION), 2, 0, RING + SECTION)
POINT = Shape(kinds.SHAPE_POINT, (), 0, 0, 0.3)
SPHERE = Shape(kinds.SHAPE_SPHERE, (0.1,), 1, 0, 0.3)
HOLLOW = Shape(kinds.SHAPE_SPHERE, (-0.8,), 1, 0, 0.3, hollow=True)
PLANE = Shape(kinds.SHAPE_PLANE, (), 0, 0, 0.3, flat=True)
CAPSULE = Shape(kinds.SHAPE_CAPSULE, (ROUND, HALF), 2, 0, 0.3)
ELLIPSOID = Shape(kinds.SHAPE_ELLIPSOID, AXES, 3, 0, 0.3)
BOX_SHAPE = Shape(kinds.SHAPE_BOX, BOX, 3, 0, 0.3)
HULL = Shape(kinds.SHAPE_POLYHEDRON, tuple(_HULL.numbers()), len(_HULL.vertices), 0, 0.3)

# a shape and its numbers for brute force
SHAPES: dict[str, tuple[Shape, Floats]] = {
    name: (shape, form(shape.kind, () if points is not None else shape.data, points))
    for name, shape, points in (
        ("point", POINT, None),
        ("sphere", SPHERE, None),
        ("hollow", HOLLOW, None),
        ("plane", PLANE, None),
        ("capsule", CAPSULE, None),
        ("ellipsoid", ELLIPSOID, None),
        ("box", BOX_SHAPE, None),
        ("polyhedron", HULL, _HULL_POINTS),
        ("torus", TORUS, None),
    )
}


# --- tubes and height fields -------------------------------------------------------------------

_ANGLES = np.linspace(0.0, 2.0 * np.pi, 14, endpoint=False)
LOOP = np.stack(
    [np.cos(_ANGLES), 0.8 * np.sin(_ANGLES), 0.3 * np.sin(2.0 * _ANGLES)], -1
) + 0.03 * np.random.default_rng(3).normal(size=(14, 3))
_TURNS = np.linspace(0.0, 5.0 * np.pi, 40)
HELIX = np.stack([0.7 * np.cos(_TURNS), 0.7 * np.sin(_TURNS), 0.05 * _TURNS], -1)


def tube(points: Floats, radius: float, closed: bool) -> tuple[Any, Shape]:
    spline, data, n = spline_data(points, radius, closed)
    return spline, Shape(kinds.SHAPE_TUBE, data, n, 0, 1.0)


_X, _Y = np.linspace(-1.0, 1.4, 25), np.linspace(-1.2, 1.0, 21)
_H = 0.12 * np.sin(3.0 * _X)[:, None] * np.cos(2.5 * _Y)[None, :] + 0.01 * np.random.default_rng(
    4
).normal(size=(25, 21))
LAND = Shape(kinds.SHAPE_HEIGHTS, heights_data(_X, _Y, _H), 6, 0, 0.3, flat=True)
_LAND = RectBivariateSpline(_X, _Y, _H)


# --- gaps --------------------------------------------------------------------------------------

FULL = ((0.0, 2.0 * np.pi), (-0.5 * np.pi, 0.5 * np.pi))
SQUARE = ((-SPAN, SPAN), (-SPAN, SPAN))
FIELD = ((-1.0, 1.4), (-1.2, 1.0))


class Patch:
    """A surface as brute force sees it: its charts, and samples of each."""

    def __init__(self, charts: Any, span: Any, samples: int) -> None:
        self.span = np.array(span)
        self.charts = [(chart, grid_points(chart, span, samples)) for chart in charts]
        self.room = np.zeros((samples, samples))

    def gap(self, form: Floats, patch: Pose, other: Pose, starts: int = 6) -> tuple[float, bool]:
        """Return the least distance of its points from a shape, and whether it is at an end."""
        place(form, patch=patch, other=other)
        found = [
            lowest_on_grid(form, chart, points, self.span, self.room, starts)
            for chart, points in self.charts
        ]
        least, *where = min(found)
        at_end = np.isclose(np.array(where)[:, None], self.span, atol=1e-9).any()
        return least, bool(at_end)


def place(form: Floats, *, patch: Pose, other: Pose) -> None:
    """Write to the shape's numbers where it has the curve or surface."""
    form[6:9], form[9:18] = other.local(patch.r), (other.A.T @ patch.A).ravel()


# on an ellipsoid grids are narrow at the poles: once more with poles on another axis
PATCHES = {
    "ellipsoid": Patch(np.array([(ELLIPSOID_CHART, *AXES), (TURNED, *AXES)]), FULL, 41),
    "waves": Patch(np.array([(WAVES, 0.04, 6.0, 5.0)]), SQUARE, 41),
    # of 61 samples each way two minima of a torus were one
    "land": Patch([land(_LAND)], FIELD, 121),
}
PATCHES["convex"] = PATCHES["ellipsoid"]


def gap_of_ring(name: str, torus: Pose, other: Pose) -> float:
    """Return the gap of the torus and a shape: least distance of the ring, all round it."""
    form = SHAPES[name][1]
    place(form, patch=torus, other=other)
    return lowest_on_ring(form, np.array([RING_CURVE, RING]), _AROUND) - SECTION


_AROUND = np.zeros(360)
