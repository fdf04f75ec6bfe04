"""A contact problem: gamma = G x + c with -gamma in the normal cone of C at x."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from cornerlaw.arrays.problem import BALL, ProblemArrays, new_problem
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import ModelError
from cornerlaw.problems import sets as make
from cornerlaw.problems.sets import ContactSet

__all__ = ["ContactProblem"]


class ContactProblem:
    """Relative velocities gamma = G x + c of set-valued elements with multipliers x in sets.

    `sets` cover the rows in order. G may be unsymmetric and singular. `v_ref` is the smallest
    velocity that residuals are compared with. (T-11.1)
    """

    def __init__(self, G: Any, c: Any, sets: Iterable[ContactSet], *, v_ref: float = 1e-9) -> None:
        self.G: Floats = _finite("G", G, 2)
        self.c: Floats = _finite("c", c, 1)
        self.sets: tuple[ContactSet, ...] = tuple(sets)
        self.v_ref = float(v_ref)
        n = self.c.size
        if self.G.shape != (n, n):
            raise ModelError(
                f"G has the shape {self.G.shape}, but c with {n} rows needs ({n}, {n})."
            )
        rows = sum(item.size for item in self.sets)
        if rows != n:
            raise ModelError(f"The sets cover {rows} rows, but c has {n}.")
        if not 0.0 < self.v_ref < math.inf:
            raise ModelError(f"v_ref must be positive and finite, not {v_ref}.")
        self.starts: tuple[int, ...] = tuple(
            sum(item.size for item in self.sets[:k]) for k in range(len(self.sets))
        )
        self._check_masters()

    def _check_masters(self) -> None:
        owner = {start: item for start, item in zip(self.starts, self.sets, strict=True)}
        for k, item in enumerate(self.sets):
            if item.master < 0:
                continue
            load = owner.get(item.master)
            if load is None or load.size != 1 or load.kind == BALL or load.master >= 0:
                raise ModelError(
                    f"Set {k} takes its load from row {item.master}, which is not the single row "
                    "of an interval with given bounds."
                )

    @classmethod
    def frictional(
        cls, G: Any, c: Any, mu: Any, *, dim: int = 3, v_ref: float = 1e-9
    ) -> ContactProblem:
        """Build the problem of contacts with rows (N, T) in the plane or (N, T1, T2) in space."""
        if dim not in (2, 3):
            raise ModelError(f"A contact has 2 rows in the plane or 3 in space, not {dim}.")
        n = np.asarray(c).size
        coefficients = np.broadcast_to(np.asarray(mu, dtype=float), (n // dim,))
        items: list[ContactSet] = []
        for i, value in enumerate(coefficients):
            row = i * dim
            items.append(make.unilateral())
            if dim == 2:
                items.append(make.friction(float(value), normal=row))
            else:
                items.append(make.disc(float(value), normal=row))
        return cls(G, c, items, v_ref=v_ref)

    @property
    def n(self) -> int:
        """Return the number of rows."""
        return int(self.c.size)

    @property
    def is_plane(self) -> bool:
        """Return whether all sets are intervals, so that the problem has a linear form."""
        return all(item.kind != BALL or item.size == 1 for item in self.sets)

    def __repr__(self) -> str:
        kind = "plane" if self.is_plane else "spatial"
        return f"ContactProblem({self.n} rows, {len(self.sets)} sets, {kind})"

    def gamma(self, x: Any) -> Floats:
        """Return G x + c."""
        return np.asarray(self.G @ np.asarray(x, dtype=float) + self.c)

    def bounds(self, k: int, x: Floats) -> tuple[float, float]:
        """Return lower and upper bound of set k, or -radius and radius of a ball, at x."""
        item = self.sets[k]
        load = max(float(x[item.master]), 0.0) if item.master >= 0 else 0.0
        upper = item.upper_0 + (item.upper_1 * load if item.upper_1 else 0.0)
        if item.kind == BALL:
            return -upper, upper
        return item.lower_0 + (item.lower_1 * load if item.lower_1 else 0.0), upper

    def contacts(self) -> list[list[int]]:
        """Return the sets of every contact: one set, then those that take their load from it."""
        groups = {k: [k] for k, item in enumerate(self.sets) if item.master < 0}
        home = dict(zip(self.starts, range(len(self.sets)), strict=True))
        for k, item in enumerate(self.sets):
            if item.master >= 0:
                groups[home[item.master]].append(k)
        return list(groups.values())

    def rows(self, k: int) -> slice:
        """Return the rows of set k."""
        return slice(self.starts[k], self.starts[k] + self.sets[k].size)

    def residual(self, x: Any, *, per_contact: bool = False) -> Any:
        """Return the largest residual of all contacts at x, or those of all contacts.

            |G_ii| |x_i - prox(x_i - gamma_i / |G_ii|)| / max(|c|_inf, v_ref)

        Written in NumPy, apart from the compiled check and the solvers. (T-11.9)
        """
        x = np.asarray(x, dtype=float)
        if x.shape != (self.n,):
            raise ModelError(f"x has the shape {x.shape}, but the problem has {self.n} rows.")
        gamma = self.gamma(x)
        if not (np.isfinite(x).all() and np.isfinite(gamma).all()):
            return np.full(len(self.contacts()), np.inf) if per_contact else math.inf
        reference = max(float(np.abs(self.c).max(initial=0.0)), self.v_ref)
        rounding = 2.0**-53 * float((np.abs(self.G) @ np.abs(x)).max(initial=0.0))
        if rounding > reference:  # no digit of gamma is known
            return np.full(len(self.contacts()), np.inf) if per_contact else math.inf
        values = []
        for group in self.contacts():
            rows = np.concatenate([np.arange(self.n)[self.rows(k)] for k in group])
            g = float(np.abs(self.G[rows, rows]).max())
            if g == 0.0:
                g = float(np.abs(self.G[rows]).max()) or 1.0
            # gamma / g may overflow for a denormal g: an infinite target is clipped or caught
            with np.errstate(over="ignore", invalid="ignore"):
                defects = [x[self.rows(k)] - self._prox(k, x, gamma, g) for k in group]
            values.append(g * float(np.linalg.norm(np.concatenate(defects))) / reference)
        return np.array(values) if per_contact else max(values, default=0.0)

    def _prox(self, k: int, x: Floats, gamma: Floats, g: float) -> Floats:
        target = x[self.rows(k)] - gamma[self.rows(k)] / g
        lower, upper = self.bounds(k, x)
        if self.sets[k].kind == BALL:
            length = float(np.linalg.norm(target))
            return target * (upper / length) if length > upper else target
        return np.asarray(np.clip(target, lower, upper))

    def arrays(self, capacity: int | None = None) -> ProblemArrays:
        """Return the problem as arrays for kernels, the first guess zero."""
        p = new_problem(max(capacity or self.n, self.n, 1))
        n = self.n
        p.n[0], p.n_sets[0] = n, len(self.sets)
        p.G[:n, :n] = self.G
        p.c[:n] = self.c
        for k, item in enumerate(self.sets):
            p.kind[k], p.start[k], p.size[k] = item.kind, self.starts[k], item.size
            p.master[k] = item.master
            p.lower_0[k], p.lower_1[k] = item.lower_0, item.lower_1
            p.upper_0[k], p.upper_1[k] = item.upper_0, item.upper_1
        return p

    @classmethod
    def from_arrays(cls, p: ProblemArrays, *, v_ref: float = 1e-9) -> ContactProblem:
        """Copy a problem out of the arrays of a run."""
        n = int(p.n[0])
        items = [
            ContactSet(
                int(p.kind[k]),
                int(p.size[k]),
                int(p.master[k]),
                float(p.lower_0[k]),
                float(p.lower_1[k]),
                float(p.upper_0[k]),
                float(p.upper_1[k]),
            )
            for k in range(int(p.n_sets[0]))
        ]
        return cls(p.G[:n, :n].copy(), p.c[:n].copy(), items, v_ref=v_ref)

    def permuted(self, order: Sequence[int]) -> tuple[ContactProblem, Floats]:
        """Return the problem with its contacts in another order, and the rows they came from."""
        groups = self.contacts()
        sets = [k for g in order for k in groups[g]]
        rows = np.concatenate([np.arange(self.n)[self.rows(k)] for k in sets])
        place = {int(old): new for new, old in enumerate(rows)}
        items = []
        for k in sets:
            item = self.sets[k]
            master = place[item.master] if item.master >= 0 else -1
            items.append(
                ContactSet(
                    item.kind,
                    item.size,
                    master,
                    item.lower_0,
                    item.lower_1,
                    item.upper_0,
                    item.upper_1,
                )
            )
        G = self.G[np.ix_(rows, rows)]
        return ContactProblem(G, self.c[rows], items, v_ref=self.v_ref), rows

    def solve(self, solver: Any = "auto", *, x: Any = None) -> Any:
        """Solve from the first guess x (default zero) and return a `ContactResult`.

        `solver` is "auto" or a solver object such as `cl.Lemke()`.
        """
        # compiled code lives in a layer above; files and problems open without it
        return import_module("cornerlaw.simulate.complementarity").solve_problem(self, solver, x)

    def solutions(self) -> Any:
        """List all solutions of a small plane problem by enumeration of its index sets."""
        home = import_module("cornerlaw.simulate.complementarity")
        return home.enumerate_solutions(self)

    def save(self, path: str | os.PathLike[str], *, x: Any = None) -> None:
        """Save as HDF5, optionally with a first guess x."""
        from cornerlaw.problems.storage import save

        save(self, path, x)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ContactProblem:
        """Load a problem saved by `save`."""
        from cornerlaw.problems.storage import load

        return load(path)[0]


def _finite(name: str, value: Any, ndim: int) -> Floats:
    try:
        array = np.ascontiguousarray(np.array(value, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"{name} must be an array of numbers.") from None
    if array.ndim != ndim:
        raise ModelError(f"{name} must have {ndim} dimensions, not {array.ndim}.")
    if not np.isfinite(array).all():
        raise ModelError(f"{name} has an entry that is not finite.")
    return array
