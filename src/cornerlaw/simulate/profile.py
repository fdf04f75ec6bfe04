"""Where the time of a run went, stage by stage.

A clock inside the compiled loop would cost more than the stages themselves. Each stage is therefore
measured on its own at the final state, and its time is multiplied by the number of its calls: an
estimate, good to some ten per cent.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Counters, State
from cornerlaw.simulate.system import System

REPEATS = 5  # the smallest of so many measurements counts
LEAST = 2e-3  # seconds a measurement lasts at least


def _seconds_per_call(address: int, *arguments: Any) -> float:
    """Return the time of one call of a stage."""
    from cornerlaw.kernels.late import repeat

    repeat(1, address, *arguments)  # compiles, or loads
    n, best = 1, np.inf
    while True:
        began = time.perf_counter()
        repeat(n, address, *arguments)
        elapsed = time.perf_counter() - began
        if elapsed >= LEAST:
            break
        n *= 4
    for _ in range(REPEATS):
        began = time.perf_counter()
        repeat(n, address, *arguments)
        best = min(best, (time.perf_counter() - began) / n)
    return float(best)


def estimate_stages(system: System, state: State, counters: Counters) -> dict[str, float]:
    """Return the estimated seconds of every stage the model has."""
    m, w, stages = system.m, system.w, system.arrays.stages
    t, q, u, x = float(state.t[0]), state.q.copy(), state.u.copy(), state.x.copy()
    nu = system.arrays.nu
    u_dot, x_dot, lam = np.zeros(nu), np.zeros(system.arrays.nx), np.zeros(system.arrays.n_rows)
    system.accelerations(t, q, u, x)
    evaluations, projections = int(counters.evaluations[0]), int(counters.projections[0])
    calls: list[tuple[str, int, int, tuple[Any, ...]]] = [
        ("kinematics", stages.kinematics, evaluations, (q, u)),
        ("forces", stages.forces, evaluations, (t, q, u, x, x_dot)),
        ("factor", stages.factor, evaluations, ()),
        ("accelerate", stages.accelerate, evaluations, (u_dot,)),
        ("constrain", stages.constrain, evaluations, (t, q, u, u_dot, lam)),
        ("project_position", stages.project_position, projections, (t, q)),
        ("project_velocity", stages.project_velocity, projections, (t, q, u)),
    ]
    return {
        name: count * _seconds_per_call(address, m, w, *arguments)
        for name, address, count, arguments in calls
        if address != 0 and count > 0
    }
