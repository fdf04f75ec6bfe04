"""Proofs that a small problem with friction discs has no solution, by splitting the directions.

A disc has no corners that could be enumerated, but the direction of sliding lies in some sector of
the circle. With a sector for every sliding contact all laws are implied by linear inequalities; if
no multiplier below some radius satisfies them for any combination, no solution exists below it. A
combination that is not excluded is split further. (T-11.12)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.simulate.complementarity.certificate import largest_load
from cornerlaw.simulate.complementarity.convex_form import row_weights

MOST_PROGRAMS = 3000
MOST_CONTACTS = 8  # of one island
SECTORS = 8
NARROWEST = 1e-3  # rad; what is still possible in such a sector is taken for a solution
SLACK = 1e-6  # of the size of c: what a solver takes for a solution is excluded as well
FACETS = 12  # of the polygon around a disc
HELPLESS = 1e4  # normal force over what friction leaves of it; beyond that nothing is claimed

OPEN, INSIDE, LOWER, UPPER, SLIDE = range(5)


@dataclass(frozen=True)
class Mode:
    """Where a contact or interval stands; a sliding direction lies within `angle` +- `half`."""

    kind: int
    angle: float = 0.0
    half: float = 0.0

    def halves(self) -> tuple[Mode, Mode]:
        """Return the two halves of the sector."""
        h = 0.5 * self.half
        return Mode(SLIDE, self.angle - h, h), Mode(SLIDE, self.angle + h, h)


@dataclass
class Conditions:
    """Inequalities A x <= b, in rows."""

    rows: list[Floats] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)

    def below(self, row: Floats, limit: float) -> None:
        """Demand row x <= limit."""
        self.rows.append(row)
        self.limits.append(limit)

    def zero(self, row: Floats, constant: float, slack: float) -> None:
        """Demand |row x + constant| <= slack."""
        self.below(row, slack - constant)
        self.below(-row, slack + constant)


class _Island:
    """Contacts that act on each other, in the scale of their rows."""

    def __init__(self, problem: ContactProblem, groups: list[list[int]], radius: float) -> None:
        self.groups = groups
        self.sets, self.rows = problem.sets, problem.rows
        self.weights = row_weights(problem)
        w = self.weights
        self.G = w[:, None] * problem.G * w
        size = max(float(np.abs(w * problem.c).max(initial=0.0)), 1e-300)
        self.c = w * problem.c / size
        self.unit = np.eye(problem.n)
        # every multiplier below the radius lies within this bound of its scaled row
        self.scale = size
        used = [i for k in itertools.chain(*groups) for i in self._span(k)]
        self.most = radius / (size * float(w[used].min()))
        self.free = np.zeros(problem.n, bool)
        self.free[used] = True

    def _span(self, k: int) -> range:
        return range(self.rows(k).start, self.rows(k).stop)

    def modes(self, g: int) -> list[Mode]:
        """Return all places where a group can stand."""
        item = self.sets[self.groups[g][0]]
        step = 2.0 * math.pi / SECTORS
        sliding = [Mode(SLIDE, k * step, 0.5 * step) for k in range(SECTORS)]
        if item.kind == BALL:
            return [Mode(INSIDE), *sliding]
        if not math.isinf(item.upper_0):
            return [Mode(INSIDE), Mode(LOWER), Mode(UPPER)]
        modes = [Mode(OPEN), Mode(INSIDE)]
        for f in self.groups[g][1:]:
            if self.sets[f].size == 2:
                modes += sliding
            else:
                modes += [Mode(LOWER), Mode(UPPER)]
        return modes

    def laws(self, g: int, mode: Mode | None, found: Conditions) -> None:
        """Add what a group implies in a mode; without one, what it implies in all of them."""
        owner, *tied = self.groups[g]
        i, unit = self.rows(owner).start, self.unit
        item = self.sets[owner]
        if item.kind == BALL:
            self._disc(owner, 0.0 * unit[i], item.upper_0 / self.scale, mode, found)
            return
        if not math.isinf(item.upper_0):
            self._interval(owner, mode, found)
            return
        found.below(-unit[i], 0.0)
        found.below(-self.G[i], self.c[i] + SLACK)
        if mode is not None and mode.kind == OPEN:
            for k in self.groups[g]:
                for j in self._span(k):
                    found.zero(unit[j], 0.0, 0.0)
            return
        if mode is not None:
            found.zero(self.G[i], self.c[i], SLACK)
        for f in tied:
            if self.sets[f].size == 2:
                normal = self.sets[f].upper_1 * self.weights[i] * unit[i]
                self._disc(f, normal, 0.0, mode, found)
            else:
                self._friction(i, f, mode, found)

    def _interval(self, k: int, mode: Mode | None, found: Conditions) -> None:
        """A bounded multiplier of its own, in the units of this scale."""
        item = self.sets[k]
        for i in self._span(k):
            low, high = (
                end / (self.weights[i] * self.scale) for end in (item.lower_0, item.upper_0)
            )
            found.below(self.unit[i], high)
            found.below(-self.unit[i], -low)
            if mode is None:
                continue
            if mode.kind == INSIDE:
                found.zero(self.G[i], self.c[i], SLACK)
            elif mode.kind == LOWER:
                found.zero(self.unit[i], -low, 0.0)
                found.below(-self.G[i], self.c[i] + SLACK)
            else:
                found.zero(self.unit[i], -high, 0.0)
                found.below(self.G[i], SLACK - self.c[i])

    def _friction(self, i: int, f: int, mode: Mode | None, found: Conditions) -> None:
        """Friction along one line: lower_1 x_i <= x_j <= upper_1 x_i."""
        item, j = self.sets[f], self.rows(f).start
        ratio = self.weights[i] / self.weights[j]
        low = self.unit[j] - ratio * item.lower_1 * self.unit[i]
        high = self.unit[j] - ratio * item.upper_1 * self.unit[i]
        found.below(-low, 0.0)
        found.below(high, 0.0)
        if mode is None:
            return
        if mode.kind == INSIDE:
            found.zero(self.G[j], self.c[j], SLACK)
        elif mode.kind == LOWER:
            found.zero(low, 0.0, 0.0)
            found.below(-self.G[j], self.c[j] + SLACK)
        else:
            found.zero(high, 0.0, 0.0)
            found.below(self.G[j], SLACK - self.c[j])

    def _disc(
        self, f: int, bound: Floats, given: float, mode: Mode | None, found: Conditions
    ) -> None:
        """Friction in a disc, against the sliding: |x_T| <= bound x + given.

        The radius is mu x_N of the contact or, as of one whose normal force is known, a number.
        """
        start = self.rows(f).start
        w = self.weights[start : start + 2]
        # multipliers and velocities in units that are the same for both directions
        force = [w[0] * self.unit[start], w[1] * self.unit[start + 1]]
        speed = [self.G[start] / w[0], self.G[start + 1] / w[1]]
        drift = [self.c[start] / w[0], self.c[start + 1] / w[1]]
        slack = SLACK / float(w.min())
        for k in range(FACETS):
            a = 2.0 * math.pi * k / FACETS
            found.below(math.cos(a) * force[0] + math.sin(a) * force[1] - bound, given)
        if mode is None:
            return
        if mode.kind == INSIDE:
            for row, constant in zip(speed, drift, strict=True):
                found.zero(row, constant, slack)
            return
        for sign in (1.0, -1.0):
            # inward normal of one edge of the sector
            edge = mode.angle - sign * mode.half
            n0, n1 = -sign * math.sin(edge), sign * math.cos(edge)
            found.below(-(n0 * speed[0] + n1 * speed[1]), n0 * drift[0] + n1 * drift[1] + slack)
            found.below(n0 * force[0] + n1 * force[1], 0.0)
            found.below(-math.cos(edge) * force[0] - math.sin(edge) * force[1] - bound, given)
        along = math.cos(mode.angle) * force[0] + math.sin(mode.angle) * force[1]
        found.below(along + math.cos(mode.half) * bound, -math.cos(mode.half) * given)

    def candidate(self, modes: list[Mode | None]) -> Floats | None:
        """Return multipliers that satisfy the inequalities of some modes; None if none do."""
        from scipy.optimize import linprog

        found = Conditions()
        for g, mode in enumerate(modes):
            self.laws(g, mode, found)
        A, b = np.array(found.rows), np.array(found.limits)
        size = np.abs(A).max(axis=1)
        size[size == 0.0] = 1.0
        bounds = [(-self.most, self.most) if free else (0.0, 0.0) for free in self.free]
        answer = linprog(
            np.zeros(A.shape[1]), A_ub=A / size[:, None], b_ub=b / size, bounds=bounds,
            method="highs",
        )  # fmt: skip
        if answer.status == 2:
            return None
        x = np.zeros(A.shape[1]) if answer.x is None else np.asarray(answer.x)
        return np.asarray(self.weights * self.scale * x)


@dataclass(frozen=True)
class Search:
    """What splitting has found: the number of programs, and the first point it cannot exclude.

    What is excluded are solutions whose multipliers are all below the radius.
    """

    excluded: bool
    programs: int
    x: Floats | None = None
    radius: float = 0.0


def _span(problem: ContactProblem, k: int) -> range:
    """Return the rows of a set."""
    return range(problem.rows(k).start, problem.rows(k).stop)


def is_splittable(problem: ContactProblem) -> bool:
    """Return whether all sets are intervals, unilateral rows, and friction in lines and discs."""
    for item in problem.sets:
        tied = item.master >= 0
        if tied and (item.lower_0 or item.upper_0 or (item.kind == BALL and item.size != 2)):
            return False
        if tied and item.kind != BALL and item.size != 1:
            return False
        free = math.isinf(item.lower_0)
        if not tied and (item.size != (2 if item.kind == BALL else 1) or free):
            return False
        if not tied and math.isinf(item.upper_0) and item.lower_0 != 0.0:
            return False
    return all(len(group) <= 2 for group in problem.contacts())


def split_directions(problem: ContactProblem) -> Search:
    """Try to exclude every solution of one island of the problem, up to a radius."""
    total, point = 0, None
    for groups in _islands(problem):
        if len(groups) > MOST_CONTACTS:
            continue
        # beyond any load that velocities of the size of c can ask for, with friction that takes all
        # but a part of the normal force away; rows of other islands have no part in it
        rows = [i for k in itertools.chain(*groups) for i in _span(problem, k)]
        radius = HELPLESS * largest_load(problem, rows)
        found = _exclude(_Island(problem, groups, radius), MOST_PROGRAMS - total)
        total += found.programs
        if found.excluded:
            return Search(True, total, radius=radius)
        if found.x is not None:
            point = found.x if point is None else point + found.x
    return Search(False, total, point)


def _exclude(island: _Island, most: int) -> Search:
    """Split depth first; the narrowest sector that stays possible ends the search."""
    count = 0
    todo: list[list[Mode | None]] = [[None] * len(island.groups)]
    while todo:
        modes = todo.pop()
        if count >= most:
            return Search(False, count)
        count += 1
        x = island.candidate(modes)
        if x is None:
            continue
        children = list(_children(island, modes))
        if not children:
            return Search(False, count, x)
        todo += children
    return Search(True, count)


def _children(island: _Island, modes: list[Mode | None]) -> Iterator[list[Mode | None]]:
    """Yield what a combination is split into: a mode for the next group, or halves of a sector."""
    for g, mode in enumerate(modes):
        if mode is None:
            for other in island.modes(g):
                yield [*modes[:g], other, *modes[g + 1 :]]
            return
    widest = max(range(len(modes)), key=lambda g: modes[g].half)  # type: ignore[union-attr]
    chosen = modes[widest]
    if chosen is not None and chosen.half > NARROWEST:
        for half in chosen.halves():
            yield [*modes[:widest], half, *modes[widest + 1 :]]


def _islands(problem: ContactProblem) -> list[list[list[int]]]:
    """Return the groups of sets that are coupled by G, the smallest first."""
    groups = [list(group) for group in problem.contacts()]
    rows = [[i for k in group for i in _span(problem, k)] for group in groups]
    left, found = set(range(len(groups))), []
    while left:
        island, queue = [], [left.pop()]
        while queue:
            g = queue.pop()
            island.append(g)
            near = {o for o in left if np.any(problem.G[np.ix_(rows[g], rows[o])])
                    or np.any(problem.G[np.ix_(rows[o], rows[g])])}  # fmt: skip
            left -= near
            queue += sorted(near)
        found.append([groups[g] for g in sorted(island)])
    return sorted(found, key=len)
