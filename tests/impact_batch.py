"""Many impacts of one shape in a compiled loop, for statistics and property tests."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from cornerlaw.arrays.impact_arrays import new_impact
from cornerlaw.arrays.problem import new_problem
from cornerlaw.arrays.solver_scratch import TOLERANCE, new_solver_scratch
from cornerlaw.arrays.state import Floats
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.impacts.binding import bind_impact
from cornerlaw.kernels.impacts.solve import solve_impact
from cornerlaw.kernels.late import address_of, call
from cornerlaw.model.impact_laws import ImpactLaw


class Batch(NamedTuple):
    """Results of many impacts; the first axis counts them."""

    status: Any
    gamma_plus: Floats
    Lambda: Floats
    energy: Floats  # in both forms
    size: Floats  # 1/2 (|gamma+| + |gamma-|) |Lambda|, the scale of round-off in the energy


@njit
def _loop(address, law, p, imp, s, G, gamma, mu, eps, status, plus, Lambda, energy):
    n = gamma.shape[1]
    for k in range(gamma.shape[0]):
        for i in range(n):
            p.c[i] = gamma[k, i]
            p.x[i] = 0.0
            imp.eps[i] = eps[k, i]
            p.lower_1[i] = -mu[k, i]
            p.upper_1[i] = mu[k, i]
            for j in range(n):
                p.G[i, j] = G[k, i, j]
        status[k] = call(address, law, p, imp, s)
        plus[k] = imp.gamma_plus[:n]
        Lambda[k] = imp.Lambda[:n]
        energy[k] = imp.energy


def run_batch(
    law: ImpactLaw, G: Floats, gamma: Floats, eps: Floats, mu: Floats | None = None
) -> Batch:
    """Solve impacts: G (N, n, n), gamma and eps (N, n); with mu (N, n/2) rows are pairs N, T."""
    count, n = gamma.shape
    p, imp, s = new_problem(n), new_impact(n), new_solver_scratch(n)
    s.options[TOLERANCE] = 1e-14
    p.n[0] = p.n_sets[0] = n
    p.start[:], p.size[:] = np.arange(n), 1
    p.upper_0[:] = np.inf
    per_row = np.zeros((count, n))
    if mu is not None:
        p.master[1::2] = np.arange(0, n, 2)
        p.upper_0[1::2] = 0.0
        per_row[:, 1::2] = mu
    imp.exponent[0] = getattr(law, "exponent", 1.0)
    bundles = [Bundle(part) for part in (p, imp, s)]
    kinds = [bundle._numba_type for bundle in bundles]
    bind_impact(law.code, *bundles)
    address = address_of(solve_impact, (types.int64, *kinds))
    status = np.zeros(count, np.int64)
    plus, Lambda, energy = np.zeros((count, n)), np.zeros((count, n)), np.zeros((count, 2))
    _loop(address, law.code, *bundles, G, gamma, per_row, eps, status, plus, Lambda, energy)
    size = 0.5 * ((np.abs(plus) + np.abs(gamma)) * np.abs(Lambda)).sum(axis=1)
    return Batch(status, plus, Lambda, energy, size)
