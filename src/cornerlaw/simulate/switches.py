"""Rows of elements that functions switch: whether they are on at the start of a run."""

from __future__ import annotations

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.simulate.system import System


def set_switches(system: System, t: float, q: Floats, u: Floats, x: Floats) -> None:
    """Write to x which rows are on at a state: those whose function is above zero."""
    switched = [(k, e) for k, e in enumerate(system.compiled.elements) if e.n_switches]
    if not switched:
        return
    from cornerlaw.kernels.outputs import run_law_output

    rows = (np.array([t]), q[None].copy(), u[None].copy(), x[None].copy())
    for k, e in switched:
        places = range(e.x_start + len(e.states) - e.n_switches, e.x_start + len(e.states))
        # the functions that switch are the last indicators
        own = e.indicators[len(e.indicators) - e.n_switches :]
        for place, (_, address, _) in zip(places, own, strict=True):
            value = np.zeros(1)
            run_law_output(system.m, system.w, k, address, *rows, value)
            x[place] = 1.0 if value[0] > 0.0 else 0.0
    system.see_states(x)
