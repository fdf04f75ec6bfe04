"""The order of velocities and the envelope of the matrix against a slow search with lists.

An order that is merely poor solves the same systems, and an envelope that is too wide as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from cornerlaw.arrays.compact import CompactRows, new_compact
from cornerlaw.arrays.model_arrays import GroupArrays
from cornerlaw.arrays.problem import new_problem
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse.order import order_velocities

NG, MOST = 14, 24  # groups of velocities, rows


class OnlyGroups(NamedTuple):
    """A model of which the order of velocities sees the groups alone."""

    groups: GroupArrays


class Graph:
    """Groups of one to three velocities, numbered at random, and arrays for rows between them."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 4, NG)
        self.start = np.concatenate(([0], np.cumsum(sizes)))
        self.nu = int(self.start[-1])
        self.member = rng.permutation(self.nu)
        of, place = np.zeros((2, self.nu), np.int64)
        of[self.member] = np.repeat(np.arange(NG), sizes)
        place[self.member] = np.arange(self.nu) - np.repeat(self.start[:-1], sizes)
        groups = GroupArrays(of=of, start=self.start, member=self.member, place=place)
        self.m = OnlyGroups(groups)
        self.c: CompactRows = new_compact(MOST, self.nu, self.start)
        self.p: Any = new_problem(MOST)
        self.rows: list[list[int]] = []  # groups of every row
        self.columns: list[list[int]] = []  # velocities of every row
        self.sets: list[tuple[int, int, int]] = []  # start, size, master

    def pose(self) -> None:
        """Write rows between random groups, some sets of two rows, some with the load of others."""
        rng, c, p = self.rng, self.c, self.p
        self.rows, self.columns, self.sets = [], [], []
        n = int(rng.integers(MOST // 2, MOST + 1))
        used = rng.choice(NG, NG - 3, replace=False)
        halves = used[:5], used[5:]  # never joined by a row
        while len(self.rows) < n:
            size = min(int(rng.integers(1, 3)), n - len(self.rows))
            first = len(self.rows)
            half = halves[int(rng.integers(2))]
            near = list(rng.choice(half, int(rng.integers(1, 4)), replace=False))
            singles = [a for a, count, m in self.sets if count == 1 and m < 0]
            master = int(rng.choice(singles)) if singles and rng.random() < 0.4 else -1
            if master >= 0:
                near = self.rows[master]
            self.sets.append((first, size, master))
            for _ in range(size):
                self.rows.append([int(g) for g in near])
                every = np.concatenate([self.members(g) for g in near])
                kept = rng.random(every.size) < 0.7
                self.columns.append([int(j) for j in (every[kept] if kept.any() else every)])
        self._write(n)
        c.serial[0] += 1  # as the list of velocities does, which marks the groups that it meets
        c.seen[[g for row in self.rows for g in row]] = c.serial[0]
        p.n[0], p.n_sets[0] = n, len(self.sets)
        for k, (first, size, master) in enumerate(self.sets):
            p.start[k], p.size[k], p.master[k] = first, size, master

    def _write(self, n: int) -> None:
        c = self.c
        for a in range(n):
            row, columns = self.rows[a], self.columns[a]
            c.start_group[a + 1] = c.start_group[a] + len(row)
            c.group[c.start_group[a] : c.start_group[a + 1]] = row
            c.start_W[a + 1] = c.start_W[a] + len(columns)
            c.column_W[c.start_W[a] : c.start_W[a + 1]] = columns

    def members(self, g: int) -> Any:
        return self.member[self.start[g] : self.start[g + 1]]


def breadth_first(rows: list[list[int]], root: int) -> list[int]:
    """Return the groups met from a root, those that a group adds by their number of rows."""
    degree = [sum(g in row for row in rows) for g in range(NG)]
    queue, done = [root], set()
    for g in queue:
        new: list[int] = []
        for a, row in enumerate(rows):
            if g in row and a not in done:
                done.add(a)
                new += [h for h in row if h not in queue and h not in new]
        queue += sorted(new, key=lambda h: degree[h])
    return queue


def wanted_order(graph: Graph) -> list[int]:
    """Return the velocities in the order of elimination: from a node far out, reversed."""
    queue: list[int] = []
    for g in range(NG):
        if any(g in row for row in graph.rows) and g not in queue:
            queue += breadth_first(graph.rows, breadth_first(graph.rows, g)[-1])
    return [int(j) for g in reversed(queue) for j in graph.members(g)]


def wanted_first(graph: Graph, order: list[int]) -> list[int]:
    """Return the first column of every row: the least place of what its sets and groups join."""
    place = {j: l for l, j in enumerate(order)}
    first = list(range(len(order)))
    used = {int(graph.m.groups.of[j]) for j in order}
    joined = [[place[j] for j in graph.members(g)] for g in used]
    for start, size, master in graph.sets:
        rows = [*range(start, start + size), *([master] if master >= 0 else [])]
        joined.append([place[j] for a in rows for j in graph.columns[a]])
    for places in joined:
        for l in places:
            first[l] = min(first[l], *places)
    for g in used:
        places = [place[j] for j in graph.members(g)]
        for l in places:
            first[l] = min(first[x] for x in places)
    return first


@pytest.mark.parametrize("seed", range(8))
def test_order_and_envelope_are_those_of_a_slow_search(seed: int) -> None:
    """Of six problems in turn on the same arrays: nothing of one is left in the next one."""
    graph = Graph(seed)
    for _ in range(6):
        graph.pose()
        c = graph.c
        order_velocities(Bundle(graph.m), Bundle(graph.p), Bundle(c))
        order = wanted_order(graph)
        n = int(c.n_local[0])
        assert c.order[:n].tolist() == order
        assert [int(c.local[j]) for j in order] == list(range(n))
        first = wanted_first(graph, order)
        assert c.first[:n].tolist() == first
        widths = np.arange(n) - np.array(first)
        assert c.at[: n + 1].tolist() == [0, *np.cumsum(widths)]
        # no mark of this problem is one that the next list of velocities will give
        assert (c.seen <= c.serial[0]).all()
