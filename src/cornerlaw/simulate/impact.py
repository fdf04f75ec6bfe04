"""One impact given by matrices: no model, no time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from cornerlaw.arrays.impact_arrays import (
    REFUSED_BALL,
    REFUSED_FRICTION,
    REFUSED_MIRRORS,
    REFUSED_RESTITUTION,
    REFUSED_WRONG,
    ImpactArrays,
    new_impact,
)
from cornerlaw.arrays.problem import INFEASIBLE, INTERVAL, NOT_SOLVED, ProblemArrays, new_problem
from cornerlaw.arrays.solver_scratch import TOLERANCE, new_solver_scratch
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import SimulationError, UsageError
from cornerlaw.model.impact_laws import ImpactLaw, Poisson, Sequential

# one contact's value, or one for all; None among those of mu means: no tangential row
PerContact = float | Sequence[float] | Floats
Friction = float | Sequence[float | None] | Floats | None

# a gain below this part of the energies involved is round-off
_ROUND_OFF = 1e-12

# the arrays of `_room` serve one impact at a time
_LOCK = Lock()

REASONS = {
    NOT_SOLVED: "the solver found no impulses that fulfil it",
    INFEASIBLE: "no impulses fulfil it",
    REFUSED_FRICTION: "it knows no friction, but a contact has mu > 0",
    REFUSED_MIRRORS: "it needs contacts between equal bodies in a chain, or others whose mirror "
    "planes meet at angles pi / integer in the metric of G^-1; use Sequential",
    REFUSED_RESTITUTION: "it needs the same eps_N in all contacts; use Sequential",
    REFUSED_WRONG: "what it found breaks the laws of the contacts: one is left approaching, pulls, "
    "leaves its friction cone, or a law that cannot create energy did",
    REFUSED_BALL: "it knows friction along one tangent only; use Poisson('coulomb')",
}


@dataclass(frozen=True)
class ImpactResult:
    """What an impact did; rows stand in the order of G, contacts in their own.

    `Lambda_C`, `Lambda_NC`, `Lambda_TC` and `gamma_C` belong to the end of compression and exist
    for laws with phases only. `energy_change` is the kinetic energy after the impact minus that
    before, if the rows do not depend on time; `passive` tells that no energy was created. The
    `residual` is measured by code that no law and no solver shares. (T-13.25)
    """

    law: ImpactLaw
    gamma_minus: Floats
    gamma_plus: Floats
    Lambda: Floats
    Lambda_N: Floats
    Lambda_T: Floats  # nan where a contact has no tangential row
    energy_change: float
    passive: bool
    residual: float = 0.0  # largest of the problems of the law and of the finished impact
    Lambda_C: Floats | None = None
    Lambda_NC: Floats | None = None
    Lambda_TC: Floats | None = None
    gamma_C: Floats | None = None
    rows_N: tuple[int, ...] = field(default=(), repr=False)
    rows_T: tuple[int, ...] = field(default=(), repr=False)  # -1 where there is none

    @property
    def gamma_N_plus(self) -> Floats:
        """Normal velocities after the impact, per contact."""
        return _take(self.gamma_plus, self.rows_N)

    @property
    def gamma_T_plus(self) -> Floats:
        """Tangential velocities after the impact, per contact, nan where there is no such row."""
        return _take(self.gamma_plus, self.rows_T)


def _take(values: Floats, rows: Sequence[int]) -> Floats:
    return np.array([values[row] if row >= 0 else math.nan for row in rows])


def _matrix(G: Any) -> Floats:
    matrix = np.array(G, dtype=float, ndmin=2)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise UsageError(f"G must be a square matrix of finite numbers, got shape {matrix.shape}.")
    return matrix


def _vector(name: str, values: Any, n: int) -> Floats:
    """Return n finite numbers; one number stands for n equal ones."""
    vector = np.array(values, dtype=float)
    if vector.ndim == 0:
        vector = np.full(n, float(vector))
    if vector.shape != (n,) or not np.isfinite(vector).all():
        raise UsageError(f"{name} must be {n} finite numbers or one for all, got {values!r}.")
    return vector


def _coefficients(name: str, values: Any, n: int) -> Floats:
    """Return n coefficients of restitution between 0 and 1."""
    found = _vector(name, values, n)
    if not ((found >= 0.0) & (found <= 1.0)).all():
        raise UsageError(f"{name} must lie between 0 and 1, got {values!r}.")
    return found


def _friction(mu: Friction, rows: int) -> list[float | None]:
    """Return mu per contact, None without tangential row; the contacts take `rows` rows."""
    if mu is None:
        return [None] * rows
    if isinstance(mu, int | float):
        if rows % 2:
            raise UsageError(
                f"One mu for all contacts needs a normal and a tangential row for each, got {rows} "
                "rows; give mu per contact, None for those without tangential row."
            )
        mu = [mu] * (rows // 2)
    found = [None if value is None else float(value) for value in mu]
    needed = sum(1 if value is None else 2 for value in found)
    if needed != rows:
        raise UsageError(f"The contacts of mu = {mu!r} have {needed} rows, but G has {rows}.")
    if any(value is not None and not 0.0 <= value < math.inf for value in found):
        raise UsageError(f"mu must be finite and not negative, got {mu!r}.")
    return found


def _add_set(
    p: ProblemArrays, master: int, lower: tuple[float, float], upper: tuple[float, float]
) -> int:
    """Append a set of one row and return its row."""
    k = int(p.n_sets[0])
    p.n_sets[0] = k + 1
    p.n[0] = k + 1
    p.kind[k], p.start[k], p.size[k], p.master[k] = INTERVAL, k, 1, master
    p.lower_0[k], p.lower_1[k] = lower
    p.upper_0[k], p.upper_1[k] = upper
    return k


@lru_cache(maxsize=64)
def _room(
    law: int, capacity: int
) -> tuple[ProblemArrays, ImpactArrays, Callable[[], tuple[int, float]]]:
    """Return arrays for an impact and the compiled function that solves it."""
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.impacts.binding import bind_impact
    from cornerlaw.kernels.impacts.solve import solve_impact as solve

    p, imp, s = new_problem(capacity), new_impact(capacity), new_solver_scratch(capacity)
    # problems with few rows are solved to round-off
    s.options[TOLERANCE] = 1e-14
    bundles = Bundle(p), Bundle(imp), Bundle(s)
    bind_impact(law, *bundles)

    def run() -> tuple[int, float]:
        return int(solve(law, *bundles)), float(s.residual[0])

    return p, imp, run


def solve_impact(
    G: Any,
    gamma: Any,
    law: ImpactLaw,
    *,
    mu: Friction = None,
    eps_N: PerContact = 0.0,
    eps_T: PerContact = 0.0,
    bilateral: int = 0,
    stiffness: PerContact = 1.0,
) -> ImpactResult:
    """Solve one impact of all closed contacts with the matrix G and the velocities before it.

    The first `bilateral` rows are bilateral. Contacts follow one after the other, each with its
    normal row and, if it has a mu, its tangential row; `mu`, `eps_N`, `eps_T` and the relative
    `stiffness` (of Sequential) are numbers for all contacts or one per contact. (T-13.1)
    """
    if not isinstance(law, ImpactLaw):
        raise UsageError(f"law must be an impact law such as Newton(), got {law!r}.")
    matrix = _matrix(G)
    n = matrix.shape[0]
    velocities = _vector("gamma", gamma, n)
    if not 0 <= bilateral <= n:
        raise UsageError(f"bilateral must lie between 0 and the {n} rows of G, got {bilateral}.")
    contacts = _friction(mu, n - bilateral)
    n_contacts = len(contacts)
    eps = [_coefficients("eps_N", eps_N, n_contacts), _coefficients("eps_T", eps_T, n_contacts)]
    ratio = _vector("stiffness", stiffness, len(contacts))
    if not (ratio > 0.0).all():
        raise UsageError(f"stiffness must be positive, got {stiffness!r}.")
    capacity = 1 << max(2, (n - 1).bit_length())
    with _LOCK:
        p, imp, run = _room(law.code, capacity)
        rows_N, rows_T = _fill(p, imp, matrix, velocities, contacts, bilateral, eps, ratio)
        imp.exponent[0] = law.exponent if isinstance(law, Sequential) else 1.0
        status, residual = run()
        if not status:
            return _collect(law, imp, n, rows_N, rows_T, residual)
    raise SimulationError(
        f"The impact law {type(law).__name__} has no result for this impact: {REASONS[status]}."
    )


def _fill(
    p: ProblemArrays,
    imp: ImpactArrays,
    G: Floats,
    gamma: Floats,
    contacts: list[float | None],
    bilateral: int,
    eps: list[Floats],
    stiffness: Floats,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Write the problem and the coefficients; return normal and tangential rows."""
    n = gamma.size
    p.n[0] = p.n_sets[0] = 0
    p.G[:n, :n], p.c[:n], p.x[:n] = G, gamma, 0.0
    imp.eps[:], imp.stiffness[:] = 0.0, 1.0
    for _ in range(bilateral):
        _add_set(p, -1, (-math.inf, 0.0), (math.inf, 0.0))
    rows_N, rows_T = [], []
    for k, friction in enumerate(contacts):
        row = _add_set(p, -1, (0.0, 0.0), (math.inf, 0.0))
        imp.eps[row], imp.stiffness[row] = eps[0][k], stiffness[k]
        rows_N.append(row)
        rows_T.append(-1)
        if friction is not None:
            rows_T[-1] = _add_set(p, row, (0.0, -friction), (0.0, friction))
            imp.eps[rows_T[-1]] = eps[1][k]
    return tuple(rows_N), tuple(rows_T)


def _collect(
    law: ImpactLaw,
    imp: ImpactArrays,
    n: int,
    rows_N: tuple[int, ...],
    rows_T: tuple[int, ...],
    residual: float,
) -> ImpactResult:
    """Copy what the kernel found."""
    minus, plus, Lambda = (v[:n].copy() for v in (imp.gamma_minus, imp.gamma_plus, imp.Lambda))
    size = 0.5 * float((np.abs(plus) + np.abs(minus)) @ np.abs(Lambda))
    change = float(imp.energy[0])
    phases: dict[str, Floats] = {}
    if isinstance(law, Poisson):
        at_C = imp.Lambda_C[:n].copy()
        phases = {
            "Lambda_C": at_C,
            "Lambda_NC": _take(at_C, rows_N),
            "Lambda_TC": _take(at_C, rows_T),
            "gamma_C": imp.gamma_C[:n].copy(),
        }
    return ImpactResult(
        law=law,
        gamma_minus=minus,
        gamma_plus=plus,
        Lambda=Lambda,
        Lambda_N=_take(Lambda, rows_N),
        Lambda_T=_take(Lambda, rows_T),
        energy_change=change,
        passive=change <= _ROUND_OFF * size,
        residual=residual,
        rows_N=rows_N,
        rows_T=rows_T,
        **phases,
    )
