"""Arms of planar bodies: what ties their shapes and points together where they do not touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.model.frames import spatial

Shape = dict[str, Any]
HALF = 0.025  # of the size of the model: half the width of an arm
NEAR = 0.01  # of that size: pieces closer than this are seen to touch
MOST = 60  # pieces of a body; more of them are a heap, which no drawing makes a mechanism


@dataclass(frozen=True)
class Piece:
    """Something of a body that can be seen, in the axes of the body."""

    centre: Any  # of what is round, else None
    reach: float = 0.0  # radius up to which there is material
    rim: float = 0.0  # radius of the hole within it
    end: float = 0.0  # radius at which arms to the hole end, so that they stay out of it
    corners: Any = None  # (n, 2) of an outline
    closed: bool = False

    def nearest(self, p: Any) -> tuple[float, Any]:
        """Return how far a point is from the piece, and where an arm to it ends."""
        if self.centre is None:
            return self._nearest_side(p)
        way = p - self.centre
        away = float(np.hypot(*way))
        if self.rim > 0.0:
            # an arm ends before the rim, what lies inside the hole stays in sight
            at = self.centre + (self.end / away * way if away > 0.0 else way)
            return max(away - self.reach, 0.0), at
        return max(away - self.reach, 0.0), self.centre

    def _nearest_side(self, p: Any) -> tuple[float, Any]:
        starts = self.corners if self.closed else self.corners[:-1]
        ends = np.roll(self.corners, -1, axis=0) if self.closed else self.corners[1:]
        if self.closed and _inside(starts, ends, p):
            return 0.0, p
        sides = ends - starts
        squares = np.einsum("ij,ij->i", sides, sides)
        share = np.einsum("ij,ij->i", p - starts, sides) / np.where(squares > 0.0, squares, 1.0)
        places = starts + np.clip(share, 0.0, 1.0)[:, None] * sides
        distances = np.hypot(*(places - p).T)
        k = int(np.argmin(distances))
        return float(distances[k]), places[k]

    def probes(self) -> Any:
        """Return the points to look from for what is nearest."""
        return self.corners if self.centre is None else self.centre[None, :]


def arms(shapes: list[Shape], points: list[Any], size: float) -> list[Shape]:
    """Return the shortest links that make one thing of a body's shapes and points.

    Points inside a shape need none. Pieces that touch, or nearly, hang together as they are.
    """
    pieces = [piece for shape in shapes if (piece := _piece(shape, size)) is not None]
    holes = [piece for piece in pieces if piece.rim > 0.0]
    for point in points:
        p = np.array(point, dtype=float)[:2]
        # the middle of a hole is known, but there is nothing
        if all(np.hypot(*(p - hole.centre)) > hole.rim for hole in holes):
            pieces.append(Piece(p))
    if not 1 < len(pieces) <= MOST:
        return []
    return [
        {"type": "link", "points": [_place(a), _place(b)], "r": HALF * size}
        for gap, a, b in _shortest_ties(pieces)
        if gap > NEAR * size
    ]


def _place(p: Any) -> list[float]:
    return [*(float(x) for x in p), 0.0]


def _shortest_ties(pieces: list[Piece]) -> list[tuple[float, Any, Any]]:
    """Return gap and ends of the ties of the smallest tree over all pieces (Prim)."""
    found = []
    best = {k: _between(pieces[0], pieces[k]) for k in range(1, len(pieces))}
    while best:
        k = min(best, key=lambda other: best[other][0])
        found.append(best.pop(k))
        for other in best:
            tie = _between(pieces[k], pieces[other])
            if tie[0] < best[other][0]:
                best[other] = tie
    return found


def _between(first: Piece, second: Piece) -> tuple[float, Any, Any]:
    """Return the gap between two pieces and the ends of an arm there."""
    ties = []
    for one, other in ((first, second), (second, first)):
        for p in one.probes():
            gap, end = other.nearest(p)
            start = one.nearest(end)[1] if one.centre is not None else p
            ties.append((max(gap - one.reach, 0.0), start, end))
    return min(ties, key=lambda tie: tie[0])


def ring_width(radius: float, size: float) -> float:
    """Return how wide a ring around a hole is drawn, as on the page."""
    return max(0.25 * radius, 0.03 * size)


def _inside(starts: Any, ends: Any, p: Any) -> bool:
    """Tell whether a ray from the point crosses an odd number of sides."""
    above = (starts[:, 1] > p[1]) != (ends[:, 1] > p[1])
    a, b = starts[above], ends[above]
    cut = a[:, 0] + (p[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(cut > p[0]) % 2)


def _piece(shape: Shape, size: float) -> Piece | None:
    """Return a shape of the plane as a piece, None for what has no end or cannot be seen."""
    kind = shape["type"]
    if kind in ("disc", "sphere", "hole"):
        r = float(shape["r"])
        # a hole is drawn as a ring
        centre = np.array(shape["at"], dtype=float)[:2]
        if kind != "hole":
            return Piece(centre, r)
        wide = ring_width(r, size)
        # the end of an arm is round, half as wide as the arm
        return Piece(centre, r + wide, r, end=r + max(0.5 * wide, HALF * size))
    if kind == "outline":
        return Piece(None, corners=np.array(shape["points"])[:, :2], closed=bool(shape["closed"]))
    if kind == "box":
        a, b = 0.5 * float(shape["size"][0]), 0.5 * float(shape["size"][1])
        turn = np.array(shape.get("rot", np.eye(3)), dtype=float).reshape(3, 3)[:2, :2]
        corners = np.array([(-a, -b), (a, -b), (a, b), (-a, b)]) @ turn.T
        return Piece(None, corners=corners + np.array(spatial(shape["at"]))[:2], closed=True)
    return None
