"""Places for the nodes of a plan: columns by distance from where it begins, few crossings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Edge = tuple[int, int]
SWEEPS = 8


def lay_out(count: int, edges: Sequence[Edge], starts: Iterable[int] = ()) -> list[list[float]]:
    """Return x and y of every node; neighbours are about one apart.

    Each connected piece is laid out from the nodes of `starts` in it, or from an end of its longest
    way; pieces stand below each other.
    """
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        if a != b:
            near[a].append(b)
            near[b].append(a)
    given, places = set(starts), [[0.0, 0.0] for _ in range(count)]
    seen: set[int] = set()
    floor = 0.0
    for first in range(count):
        if first in seen:
            continue
        piece = sorted(_distances(near, [first]))
        seen.update(piece)
        begin = [k for k in piece if k in given] or [_far_end(near, first)]
        if len(begin) == 1 and sum(len(near[k]) for k in piece) == 2 * (len(piece) - 1):
            floor -= _tree(near, begin[0], floor, places) + 0.3
            continue
        columns = _columns(near, _distances(near, begin))
        tall = max(len(column) for column in columns)
        for x, column in enumerate(columns):
            for row, k in enumerate(column):
                places[k] = [float(x), floor - 0.5 * (tall - len(column)) - row]
        floor -= tall + 0.3
    return places


def _distances(near: list[list[int]], starts: Iterable[int]) -> dict[int, int]:
    """Return the number of edges from the nearest start, for all nodes that can be reached."""
    found = dict.fromkeys(starts, 0)
    queue = list(found)
    for k in queue:
        for other in near[k]:
            if other not in found:
                found[other] = found[k] + 1
                queue.append(other)
    return found


def _far_end(near: list[list[int]], first: int) -> int:
    """Return an end of a longest way through the piece of a node, the earliest of equals."""
    for _ in range(2):
        way = _distances(near, [first])
        far = max(way.values())
        first = min(k for k, d in way.items() if d == far)
    way = _distances(near, [first])
    other = min(k for k, d in way.items() if d == max(way.values()))
    return min(first, other)


def _tree(near: list[list[int]], root: int, floor: float, places: list[list[float]]) -> int:
    """Place a tree without crossings: leaves one below the other, the others before their middle.

    Returns the number of leaves.
    """
    depth = _distances(near, [root])
    leaves = 0
    stack = [(root, False)]
    while stack:
        k, done = stack.pop()
        after = [other for other in near[k] if depth[other] > depth[k]]
        if not after:
            places[k] = [float(depth[k]), floor - leaves]
            leaves += 1
        elif done:
            rows = [places[other][1] for other in after]
            places[k] = [float(depth[k]), 0.5 * (max(rows) + min(rows))]
        else:
            stack.append((k, True))
            stack += [(other, False) for other in reversed(after)]
    return leaves


def _columns(near: list[list[int]], depth: dict[int, int]) -> list[list[int]]:
    """Return the nodes column by column, each in the order of the middle of its neighbours."""
    columns: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for k in sorted(depth):
        columns[depth[k]].append(k)
    for sweep in range(SWEEPS):
        order = range(1, len(columns)) if sweep % 2 == 0 else range(len(columns) - 2, -1, -1)
        for x in order:
            beside = columns[x - 1] if sweep % 2 == 0 else columns[x + 1]
            rank = {k: row - 0.5 * (len(beside) - 1) for row, k in enumerate(beside)}

            def middle(k: int, rank: dict[int, float] = rank) -> float:
                rows = [rank[other] for other in near[k] if other in rank]
                return sum(rows) / len(rows) if rows else 0.0

            columns[x].sort(key=middle)
    return columns
