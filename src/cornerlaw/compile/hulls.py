"""Convex hulls: vertices, plane faces as loops of vertices, and the edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats

# sine of the angle up to which neighbouring triangles are one face
_PLANE = 1e-9


@dataclass
class Hull:
    """A convex polyhedron; loops run counter-clockwise seen from outside."""

    vertices: Floats  # (n, 3)
    normals: Floats  # (n_f, 3) outward unit normals
    loops: list[list[int]]  # vertices round every face
    edges: list[tuple[int, int, int, int]]  # first and last vertex, face on the left, on the right

    def numbers(self) -> tuple[float, ...]:
        """Return the hull as the kernels read it: sizes, vertices, faces, loops, edges."""
        start, faces = 0, []
        for normal, loop in zip(self.normals, self.loops, strict=True):
            faces += [*normal.tolist(), start, len(loop)]
            start += len(loop)
        sizes = (len(self.vertices), len(self.loops), len(self.edges), start)
        loops = [i for loop in self.loops for i in loop]
        edges = [i for edge in self.edges for i in edge]
        plain = (*sizes, *self.vertices.ravel(), *faces, *loops, *edges)
        return tuple(float(x) for x in plain)

    def inner_radius(self) -> float:
        """Return the radius of the largest ball inside."""
        from scipy.optimize import linprog

        # n . x + r <= n . p for every face, r as large as possible
        offset = [n @ self.vertices[loop[0]] for n, loop in zip(self.normals, self.loops)]  # noqa: B905
        rows = np.hstack([self.normals, np.ones((len(offset), 1))])
        free = [(None, None)] * 3
        found = linprog([0.0, 0.0, 0.0, -1.0], rows, offset, bounds=[*free, (0.0, None)])
        return float(found.x[3])


def convex_hull(points: Any) -> Hull:
    """Return the convex hull of points; triangles in one plane are merged into one face."""
    from scipy.spatial import ConvexHull

    place = np.array(points, dtype=np.float64)
    hull = ConvexHull(place)
    vertices = place[hull.vertices]
    index = {int(old): new for new, old in enumerate(hull.vertices)}
    triangles = np.array([[index[int(i)] for i in face] for face in hull.simplices])
    outward = hull.equations[:, :3]
    for tolerance in (_PLANE, 0.0):
        groups = _planes(outward, hull.neighbors, tolerance)
        loops = [_loop(vertices, triangles[group], outward[group[0]]) for group in groups]
        edges = _edges(loops)
        # Euler's formula tells whether merging made proper faces
        if edges is not None and len(vertices) - len(edges) + len(loops) == 2:
            break
    assert edges is not None
    normals = np.array([_normal(vertices[loop]) for loop in loops])
    return Hull(vertices, normals, loops, edges)


def _planes(normals: Floats, neighbours: Any, tolerance: float) -> list[list[int]]:
    """Return the triangles of every face: those that can be reached without turning."""
    group = [-1] * len(normals)
    found: list[list[int]] = []
    for first in range(len(normals)):
        if group[first] >= 0:
            continue
        group[first], members = len(found), [first]
        for k in members:  # grows while it is run through
            for other in neighbours[k]:
                turn = float(np.linalg.norm(np.cross(normals[first], normals[other])))
                ahead = normals[first] @ normals[other] > 0.0
                if group[other] < 0 and turn < tolerance and ahead:
                    group[other] = len(found)
                    members.append(int(other))
        found.append(members)
    return found


def _loop(vertices: Floats, triangles: Any, normal: Floats) -> list[int]:
    """Return the vertices of a face counter-clockwise about its normal."""
    members = np.unique(triangles)
    place = vertices[members]
    middle = place.mean(axis=0)
    x = place[0] - middle
    x = x - (x @ normal) * normal
    y = np.cross(normal, x)
    angle = np.arctan2((place - middle) @ y, (place - middle) @ x)
    return [int(i) for i in members[np.argsort(angle)]]


def _normal(loop: Floats) -> Floats:
    """Return the unit normal of a plane loop: the sum of p_i x p_i+1 about its first vertex."""
    p = loop - loop[0]
    total = np.cross(p, np.roll(p, -1, axis=0)).sum(axis=0)
    return np.asarray(total / np.linalg.norm(total))


def _edges(loops: list[list[int]]) -> list[tuple[int, int, int, int]] | None:
    """Return the edges between faces, None if the loops do not fit together."""
    left = {
        (a, b): face
        for face, loop in enumerate(loops)
        for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)
    }
    if any((b, a) not in left for a, b in left):
        return None
    return [(a, b, face, left[b, a]) for (a, b), face in left.items() if a < b]
