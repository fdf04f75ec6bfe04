"""Calls of the user's functions that may change the states of a force element, or velocities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats, State
from cornerlaw.errors import SimulationError
from cornerlaw.simulate.system import System


def call_element(
    system: System, k: int, function: Callable[..., Any], lead: tuple[Any, ...], state: State,
    where: str,
) -> tuple[Floats, dict[int, float]]:  # fmt: skip
    """Call function(*lead, t, r, A, v, Omega, q, u, x, z, p) and return what it left in x and z.

    Also returns the velocities that it wrote to, by their place. The state itself is not changed.
    """
    from cornerlaw.kernels.user_indicators import eval_law_arguments

    e, t = system.compiled.elements[k], float(state.t[0])
    n = eval_law_arguments(system.m, system.w, k, t, state.q.copy(), state.u.copy(), state.x)
    inp = system.work.slot_in[:n].copy()
    nf, nc = len(e.frames), len(e.coordinates)
    nx = len(e.states) - e.n_discrete
    r, A, v, Omega, q, u, own = np.split(
        inp[1:], np.cumsum([3 * nf, 9 * nf, 3 * nf, 3 * nf, nc, nc])
    )
    frames = (r.reshape(nf, 3), A.reshape(nf, 3, 3), v.reshape(nf, 3), Omega.reshape(nf, 3))
    fixed = {"q": q, "v": v, "Omega": Omega}
    before = {name: values.copy() for name, values in (*fixed.items(), ("u", u))}
    z = own[nx : own.size - e.n_switches]
    states = (own[:nx], z) if z.size else (own[:nx],)
    try:
        answer = function(*lead, t, *frames, q, u, *states, np.array(e.data))
    except Exception as error:
        raise SimulationError(f"{where} fails with {type(error).__name__}: {error}") from error
    if answer is not None:
        raise SimulationError(
            f"{where} returns {answer!r}; write new values into the arrays x and z instead"
        )
    for name, values in fixed.items():
        if not np.array_equal(values, before[name]):
            raise SimulationError(
                f"{where} writes to {name}, which cannot be set; name the coordinates in question "
                f"in coordinates and write to u, or to x and z"
            )
    if not np.isfinite(own).all():
        bad = e.states[int(np.flatnonzero(~np.isfinite(own))[0])][0]
        raise SimulationError(f"{where} sets '{bad}' to a value that is not a finite number")
    return own, {e.coordinates[i]: float(u[i]) for i in np.flatnonzero(u != before["u"])}
