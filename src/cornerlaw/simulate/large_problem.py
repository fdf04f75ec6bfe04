"""A large problem of a run as a contact problem with its matrix, to be saved and solved elsewhere.

The run has compact rows W and the inverse masses of groups of velocities alone: G = W M^-1 W^T.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cornerlaw.arrays.solver_scratch import V_REF
from cornerlaw.problems import ContactProblem

if TYPE_CHECKING:
    from cornerlaw.arrays.state import Floats
    from cornerlaw.simulate.system import System

MOST_SAVED = 4000  # rows; the matrix of as many has 128 MB


def large_problem(system: System) -> tuple[ContactProblem, Floats] | None:
    """Return the large problem at hand and the guess it began with; None if it is too large."""
    k, groups = system.work.k, system.arrays.groups
    c, n = k.compact, int(k.problem.n[0])
    if n > MOST_SAVED:
        return None
    rows = np.zeros((n, system.arrays.nu))
    end = int(c.start_W[n])
    at = np.repeat(np.arange(n), np.diff(c.start_W[: n + 1]))
    rows[at, c.column_W[:end]] = c.W[:end]
    response = np.zeros_like(rows)
    for g in np.unique(c.group[: int(c.start_group[n])]):
        members = groups.member[groups.start[g] : groups.start[g + 1]]
        size, first = members.size, int(c.inverse_at[g])
        inverse = c.inverse[first : first + size**2].reshape(size, size)
        response[:, members] = rows[:, members] @ inverse
    G = rows @ response.T
    # rounding alone makes it unsymmetric
    p = k.problem._replace(G=0.5 * (G + G.T))
    v_ref = float(k.solver.options[V_REF])
    return ContactProblem.from_arrays(p, v_ref=v_ref), k.x[:n].copy()
