"""assemble(): a consistent initial state."""

from __future__ import annotations

import numpy as np

from cornerlaw.model import Model
from cornerlaw.model.arguments import clear_call
from cornerlaw.results import Solution
from cornerlaw.simulate.arguments import as_time
from cornerlaw.simulate.states import place, solution_of


@clear_call
def assemble(model: Model, t: float = 0.0) -> Solution:
    """Return positions and velocities that keep the given initial values and meet all constraints.

    The result is a Solution of one row with all channels; AssemblyError names the constraint that
    stays open where there is none.
    """
    placed = place(model, None, as_time("t", t, "assemble"))
    rows = placed.q[None].copy(), placed.u[None].copy(), placed.x[None].copy()
    solution: Solution = solution_of(placed, np.array([placed.t]), *rows, "assemble")
    return solution
