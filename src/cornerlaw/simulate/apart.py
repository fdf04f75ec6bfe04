"""Positions next to a start with overlaps at which no contact is inside its partner.

Time stepping removes overlaps at the end of its first step. Event by event there is no such step:
an impact at a negative gap would leave the contact open, yet still inside, and the event that it
closes would come again and again. So the same correction is made before the run. (T-14.8)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cornerlaw.arrays import status as codes
from cornerlaw.arrays.state import Floats, State, new_counters, new_record, new_state
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.methods import new_output
from cornerlaw.simulate.pool import fit_pool, wanted_sizes
from cornerlaw.simulate.stepping import Moreau
from cornerlaw.simulate.system import System

STEP = Moreau(dt=1.0)  # no step is made: the length is without meaning


def positions_apart(system: System, state: State, inputs: dict[str, float]) -> tuple[Any, Any]:
    """Return the nearest positions without overlaps, and the velocities that suit them there.

    Nearest in the metric of the mass matrix, with all joints closed; None where there are none. A
    system of its own keeps memory and figures of the run untouched.
    """
    from cornerlaw.kernels.rates import project_velocity
    from cornerlaw.kernels.stepping.step import finish_step

    other, t = System(system.model, STEP), float(state.t[0])
    other.set_inputs(inputs)
    initial_state(other, t)  # sets lengths that are those of the start
    y = np.concatenate((state.q, state.u, state.x))
    fit_pool(other, t, state.q, state.u)
    status = codes.POOL_FULL
    while status == codes.POOL_FULL:
        status = finish_step(_bundle(other), t, y)
        if status == codes.POOL_FULL:
            other.resize_pool(wanted_sizes(other))
    q, u = y[: state.q.size].copy(), state.u.copy()
    if status != codes.OK or not np.isfinite(q).all():
        return None, None
    if system.arrays.n_rows and project_velocity(other.m, other.w, t, q, u):
        return None, None
    return q, u


def _bundle(system: System) -> Any:
    """Return the arrays of a run of time stepping that is never begun."""
    a, runner = system.arrays, STEP.prepare(system.m)
    state = new_state(a.nq, a.nu, a.nx, memory=runner.memory_size)
    record = new_record(1, a.nq, a.nu, a.nx)
    system.work.look[0] = math.inf  # all gaps are followed
    return runner._bundle(system.m, system.w, state, record, new_counters(), new_output(a, 1))


def largest_shift(system: System, state: State, q: Floats) -> tuple[float, str]:
    """Return how far the body that a correction moves most is moved, and its name."""
    places = []
    for position in (state.q, q):
        system.kinematics(position, state.u)
        places.append(system.work.r.copy())
    shifts = np.linalg.norm(places[1] - places[0], axis=1)
    found = (0.0, "")
    for node, shift in zip(system.compiled.tree.nodes, shifts, strict=False):
        if node.body is not None:
            found = max(found, (float(shift), node.body.name))
    return found
