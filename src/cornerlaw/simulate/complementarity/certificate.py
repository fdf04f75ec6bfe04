"""Proofs that a problem has no solution, and a checker that shares nothing with their search.

Every solution has gamma_i >= 0 on unilateral rows and gamma_i = 0 on bilateral ones. A vector y
with y_i >= 0 there, anything on bilateral rows and zero elsewhere, for which

    y^T c + sup over x in C of (G^T y)^T x  <  0

excludes that: y^T gamma would have to be negative and is not. With G^T y = 0 this is the vector of
the kernel with y^T c < 0. (T-11.12)
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.problems.problem import ContactProblem
from cornerlaw.simulate.complementarity.convex_form import row_weights

ROUNDINGS = 4.0  # units in the last place of its largest sum to which G^T y = 0 is believed
ACCEPTED = 1e-8  # residual of what counts as solved, in units of |c|


@dataclass(frozen=True)
class InfeasibilityCertificate:
    """A proof that no solution exists, or none below a radius.

    kind "separation": the vector y; in floating point it excludes all x with |x|_1 < radius, which
    is far beyond any physical load. kind "enumeration": every index set of a small plane problem
    was tried, `index_sets` of them. kind "sectors": the same with sectors of the sliding
    directions, by so many linear programs; it excludes all x whose entries are below radius. A
    mechanism that friction all but locks may have a solution beyond it.
    """

    kind: str
    y: Floats
    radius: float = math.inf
    index_sets: int = 0


def check_certificate(problem: ContactProblem, y: Any) -> float:
    """Return the radius below which y excludes solutions; zero if it excludes none.

    For all x in C: y^T gamma <= y^T c + bounded + excess |x|_1. Solutions need y^T gamma >= 0,
    hence |x|_1 >= -(y^T c + bounded) / excess. Plain arithmetic, no solver. (T-11.12)
    """
    y = np.asarray(y, dtype=float)
    if y.shape != (problem.n,) or not np.isfinite(y).all():
        return 0.0
    a = problem.G.T @ y
    bounded, excess = 0.0, 0.0
    for group in problem.contacts():
        item = problem.sets[group[0]]
        rows = range(problem.rows(group[0]).start, problem.rows(group[0]).stop)
        if item.kind == BALL:
            if any(y[i] != 0.0 for i in rows):
                return 0.0
            bounded += item.upper_0 * math.sqrt(sum(a[i] ** 2 for i in rows))
            continue
        loaded = 0.0
        for f in group[1:]:
            tied = problem.sets[f]
            part = a[problem.rows(f)]
            if np.any(y[problem.rows(f)] != 0.0) or math.isinf(tied.upper_0 + abs(tied.lower_0)):
                return 0.0
            if tied.kind == BALL:
                length = math.sqrt(float(part @ part))
                bounded += tied.upper_0 * length
                loaded += tied.upper_1 * length
            else:
                bounded += float(np.maximum(tied.lower_0 * part, tied.upper_0 * part).sum())
                loaded += float(np.maximum(tied.lower_1 * part, tied.upper_1 * part).sum())
        for i in rows:
            below, above = math.isinf(item.lower_0), math.isinf(item.upper_0)
            if below and above:
                if loaded:
                    return 0.0
                excess = max(excess, abs(a[i]))
            elif above:
                # gamma >= 0 holds at every solution, the multiplier grows without bound
                if y[i] < 0.0 or (item.lower_0 < 0.0 and loaded):
                    return 0.0
                slope = float(a[i] + loaded)
                bounded += slope * item.lower_0
                excess = max(excess, slope)
            elif below:
                if y[i] > 0.0 or loaded:
                    return 0.0
                bounded += float(a[i]) * item.upper_0
                excess = max(excess, -float(a[i]))
            else:
                if y[i] != 0.0:
                    return 0.0
                ends = [a[i] * end + loaded * max(end, 0.0) for end in (item.lower_0, item.upper_0)]
                bounded += float(max(ends))
    gap = -(float(y @ problem.c) + bounded)
    # rounding of the sums themselves
    gap -= 1e-14 * float(np.abs(y) @ np.abs(problem.c))
    if not gap > 0.0:
        return 0.0
    return gap / excess if excess > 0.0 else math.inf


def largest_load(problem: ContactProblem, rows: list[int] | None = None) -> float:
    """Return a multiplier sum beyond what velocities of the size of c can ask for.

    Where masses differ much, small singular values of G that are not zero stand for large loads,
    and a vector y near them must not pass for one of the kernel. With `rows` that of some rows
    which nothing else acts on.
    """
    used = np.arange(problem.n) if rows is None else np.array(rows)
    w = row_weights(problem)[used]
    G = problem.G[np.ix_(used, used)]
    values = np.linalg.svd(w[:, None] * G * w, compute_uv=False)
    floor = 1e-14 * used.size * float(values.max(initial=0.0))
    smallest = float(values[values > floor].min(initial=1.0))
    size = max(float(np.abs(problem.c[used]).max()), problem.v_ref)
    return 10.0 * size * float(w.max()) ** 2 / smallest


def find_certificate(problem: ContactProblem) -> InfeasibilityCertificate | None:
    """Look for a separating vector by a cone program; None if the checker accepts none."""
    for tied in problem.sets:
        if tied.master >= 0 and (tied.upper_0 or tied.lower_0):
            return None
    needed = largest_load(problem)
    if not needed < math.inf:
        return None
    low, high = _signs(problem)
    # one row alone is often enough, and costs nothing to try
    singles = [sign * row for row in np.eye(problem.n) for sign in (1.0, -1.0)]
    singles = [y for y in singles if np.all((low <= y) & (y <= high))] if problem.n <= 4 else []
    found = _first_accepted(problem, singles, needed)
    if found is not None:
        return found
    y = _separate(problem)
    if y is None:
        return None
    found = _first_accepted(problem, _refinements(problem, y), needed)
    return found or _first_accepted(problem, [_kernel_vector(problem)], needed)


def _first_accepted(
    problem: ContactProblem, candidates: list[Floats], needed: float
) -> InfeasibilityCertificate | None:
    """Return the first candidate that excludes all loads up to the needed one, or to rounding."""
    for y in candidates:
        radius = check_certificate(problem, y)
        if radius > 0.0 and radius >= min(needed, _rounding_radius(problem, y)):
            return InfeasibilityCertificate("separation", y, radius)
    return None


def _rounding_radius(problem: ContactProblem, y: Floats) -> float:
    """Return the radius of a vector y of the kernel when G^T y is zero but for its rounding.

    No vector can be shown to exclude more, whatever the smallest singular value asks for. It has to
    exclude what a solver takes for a solution too, gamma >= -ACCEPTED |c|.
    """
    rounding = np.finfo(float).eps * float((np.abs(problem.G.T) @ np.abs(y)).max(initial=0.0))
    gap = -float(y @ problem.c)
    if rounding == 0.0 or gap <= ACCEPTED * float(np.abs(y).sum() * np.abs(problem.c).max()):
        return math.inf
    return gap / (ROUNDINGS * rounding)


def _kernel_vector(problem: ContactProblem) -> Floats:
    """Return the y with y^T c = -1 that is nearest to the kernel of G^T, by active sets.

    Where masses differ much the cone program leaves G^T y at 1e-8 of the largest row, which is not
    small beside the lightest one. Non-negative least squares [Lawson1974] end at a vertex, whose
    equations hold to rounding. (T-11.12)
    """
    from scipy.optimize import nnls

    w = row_weights(problem)
    low, high = _signs(problem)
    up, down = np.flatnonzero(high > 0.0), np.flatnonzero(low < 0.0)
    scaled = w[:, None] * problem.G.T * w
    c = w * problem.c / max(float(np.abs(w * problem.c).max()), 1e-300)
    columns = np.hstack([scaled[:, up], -scaled[:, down]])
    equations = np.vstack([columns, np.concatenate([c[up], -c[down]])])
    wanted = np.zeros(problem.n + 1)
    wanted[-1] = -1.0
    try:
        x = nnls(equations, wanted)[0]
    except RuntimeError:  # no end of its iteration
        return np.zeros(problem.n)
    eta = np.zeros(problem.n)
    np.add.at(eta, up, x[: up.size])
    np.add.at(eta, down, -x[up.size :])
    return np.asarray(w * eta)


def _signs(problem: ContactProblem) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of y."""
    low, high = np.zeros(problem.n), np.zeros(problem.n)
    for k, item in enumerate(problem.sets):
        if item.kind == BALL or item.master >= 0:
            continue
        rows = problem.rows(k)
        if math.isinf(item.upper_0):
            high[rows] = 1.0
        if math.isinf(item.lower_0):
            low[rows] = -1.0
    return low, high


class _Program:
    """Rows of b - A v in cones, v = (y, auxiliary numbers)."""

    def __init__(self, n: int, extra: int) -> None:
        self.size = n + extra
        self.parts: dict[str, list[tuple[Floats, float]]] = {"zero": [], "positive": []}
        self.balls: list[list[Floats]] = []

    def add(self, kind: str, row: Floats, constant: float = 0.0) -> None:
        """Demand row v + constant = 0 or >= 0."""
        self.parts[kind].append((-row, constant))


def _separate(problem: ContactProblem) -> Floats | None:
    """Minimise y^T c + sup over |y| <= 1 in the scale of the rows; return y."""
    import clarabel
    from scipy import sparse

    n, w = problem.n, row_weights(problem)
    aux = {k: n + e for e, k in enumerate(range(len(problem.sets)))}
    program = _Program(n, len(problem.sets))
    size = program.size
    A = np.zeros((n, size))
    A[:, :n] = w[:, None] * problem.G.T * w
    objective = np.zeros(size)
    objective[:n] = w * problem.c
    low, high = _signs(problem)
    unit = np.eye(size)
    for i in range(n):
        program.add("positive", unit[i], -low[i])
        program.add("positive", -unit[i], high[i])
    for group in problem.contacts():
        loads = [aux[f] for f in group[1:]]
        for f in group[1:]:
            _add_tied(program, problem, f, A, unit[aux[f]])
        _add_owner(program, problem, group[0], A, unit, loads, aux[group[0]], objective, w)
    rows, b, cones = [], [], []
    for kind, cone in (("zero", clarabel.ZeroConeT), ("positive", clarabel.NonnegativeConeT)):
        for row, constant in program.parts[kind]:
            rows.append(row)
            b.append(constant)
        if program.parts[kind]:
            cones.append(cone(len(program.parts[kind])))
    for ball in program.balls:
        rows += [-row for row in ball]
        b += [0.0] * len(ball)
        cones.append(clarabel.SecondOrderConeT(len(ball)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((size, size)),
        objective,
        sparse.csc_matrix(np.array(rows)),
        np.array(b),
        cones,
        settings,
    )
    v = np.array(solver.solve().x)
    if not np.isfinite(v).all() or float(objective @ v) > -1e-7 * float(
        np.abs(w * problem.c).max()
    ):
        return None
    return np.asarray(w * v[:n])


def _add_tied(program: _Program, problem: ContactProblem, f: int, A: Floats, unit: Floats) -> None:
    """Let the auxiliary number of a tied set be at least its support at unit load."""
    item = problem.sets[f]
    rows = range(problem.rows(f).start, problem.rows(f).stop)
    if item.kind == BALL:
        program.balls.append([unit, *(item.upper_1 * A[i] for i in rows)])
        return
    for ends in itertools.product((item.lower_1, item.upper_1), repeat=len(rows)):
        sides = [end * A[i] for end, i in zip(ends, rows, strict=True)]
        program.add("positive", unit - np.sum(sides, axis=0))


def _add_owner(
    program: _Program,
    problem: ContactProblem,
    k: int,
    A: Floats,
    unit: Floats,
    loads: list[int],
    place: int,
    objective: Floats,
    w: Floats,
) -> None:
    """Bound the support of a set without master, its tied sets included."""
    item = problem.sets[k]
    rows = range(problem.rows(k).start, problem.rows(k).stop)
    loaded = unit[loads].sum(axis=0) if loads else np.zeros(program.size)
    if item.kind == BALL:
        objective[place] += item.upper_0 / w[rows.start]
        program.balls.append([unit[place], *(A[i] for i in rows)])
        return
    for i in rows:
        below, above = math.isinf(item.lower_0), math.isinf(item.upper_0)
        if below and above:
            program.add("zero", A[i])
        elif above:
            program.add("positive", -(A[i] + loaded))
            objective += item.lower_0 / w[i] * (A[i] + loaded)
        elif below:
            program.add("positive", A[i])
            objective += item.upper_0 / w[i] * A[i]
        else:
            # only sets of one row have two finite ends and an auxiliary number of their own
            for end in (item.lower_0 / w[i], item.upper_0 / w[i]):
                program.add("positive", unit[place] - end * A[i] - max(end, 0.0) * loaded)
            objective[place] = 1.0


def _refinements(problem: ContactProblem, y: Floats) -> list[Floats]:
    """Return y with small entries dropped and moved into the exact kernel of what should vanish."""
    w = row_weights(problem)
    low, high = _signs(problem)
    candidates = []
    for cut in (1e-8, 1e-6, 1e-4, 1e-2):
        eta = np.clip(y / w, low, high)
        eta[np.abs(eta) < cut * np.abs(eta).max(initial=0.0)] = 0.0
        support = np.flatnonzero(eta)
        if support.size == 0:
            continue
        matrix = (w[:, None] * problem.G.T * w)[:, support]
        value = matrix @ eta[support]
        vanishing = np.abs(value) <= 10.0 * cut * max(np.abs(eta).max(), 1e-300)
        for _ in range(2):
            part = matrix[vanishing]
            step = np.linalg.lstsq(part, part @ eta[support], rcond=1e-12)[0]
            eta[support] -= step
        eta = np.where((eta < low) | (eta > high) & (high == 0.0), 0.0, eta)
        candidates.append(w * eta)
    return candidates
