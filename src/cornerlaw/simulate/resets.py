"""Velocities that an event of a force element sets: the others follow where rows demand it."""

from __future__ import annotations

import numpy as np

from cornerlaw.arrays.state import State
from cornerlaw.errors import SimulationError
from cornerlaw.simulate.system import System
from cornerlaw.simulate.terms import eval_terms

TOLERANCE = 1e-9  # of what the written velocities violate the rows by, that may stay


def settle_velocities(system: System, state: State, written: dict[int, float], where: str) -> None:
    """Set velocities by their place and bring the others onto the bilateral rows again.

    The others change as little as possible in the metric of M: minimise 1/2 d^T M d subject to
    W (u + d) + w_tilde = 0 and d = 0 on the written ones. (T-7.19)
    """
    for j, value in written.items():
        name = system.compiled.name_of_u(j)
        if not np.isfinite(value):
            raise SimulationError(f"{where} sets {name} to a value that is not a finite number")
        if system.arrays.tree.driven[j] >= 0:
            raise SimulationError(f"{where} sets {name}, whose motion is prescribed")
        state.u[j] = value
    if not system.arrays.n_rows:
        return
    free = np.flatnonzero(system.arrays.tree.driven < 0)
    others = np.setdiff1d(free, list(written))
    largest = 0.0
    for _ in range(2):  # a second pass removes what rounding left over
        terms = eval_terms(system, float(state.t[0]), state.q, state.u, state.x)
        largest = max(largest, float(np.abs(terms.gamma).max()))
        W = terms.W[:, others]
        response = np.linalg.solve(terms.M[np.ix_(others, others)], W.T)
        force = np.linalg.lstsq(W @ response, -terms.gamma, rcond=1e-12)[0]
        state.u[others] += response @ force
    # velocities that no change of the others can bring onto the rows
    system.constraint_state(float(state.t[0]), state.q, state.u)
    gamma = np.abs(system.work.gamma[: system.arrays.n_rows])
    worst = int(np.argmax(gamma))
    if gamma[worst] > TOLERANCE * largest:
        raise SimulationError(
            f"{where} sets velocities that '{system.row_name(worst)}' does not allow, by "
            f"{gamma[worst]:.3g}; set fewer of them, the others follow"
        )
