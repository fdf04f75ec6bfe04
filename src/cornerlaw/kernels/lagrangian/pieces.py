"""The pieces of time stepping for models with constant masses and rows."""

from typing import Any

from numba import types

from cornerlaw.kernels.integrators.layout import (
    ADVANCE,
    CLOSE_STEP,
    CORRECT,
    FINISH,
    FORCES,
    GENERAL,
    OPEN_RUN,
    QUIET,
    TOGETHER,
    WHOLE,
    WHOLE_END,
)
from cornerlaw.kernels.integrators.output import close_step
from cornerlaw.kernels.lagrangian.apart import correct_apart, solve_apart, step_whole
from cornerlaw.kernels.lagrangian.laws import solve_together
from cornerlaw.kernels.lagrangian.loop import run_constant
from cornerlaw.kernels.lagrangian.prepare import open_constant
from cornerlaw.kernels.lagrangian.step import advance_constant, eval_all_forces, finish_constant
from cornerlaw.kernels.stepping.step import finish_step, step_once


def constant_pieces(sparse: bool = False) -> tuple[Any, ...]:
    """Return place, kernel and argument types of every piece."""
    time, vector = types.float64, types.float64[::1]
    solve: tuple[Any, ...] = (
        (CORRECT, finish_step, (time, vector)),
        (TOGETHER, solve_together, (time, time)),
    )
    if sparse:
        solve = (
            (CORRECT, correct_apart, (time, vector)),
            (TOGETHER, solve_apart, (time, time)),
            (WHOLE, step_whole, (time, time)),
            (GENERAL, step_once, (time, time, vector, vector)),
            (WHOLE_END, finish_step, (time, vector)),
        )
    return (
        *solve,
        (OPEN_RUN, open_constant, ()),
        (CLOSE_STEP, close_step, (time,)),
        (ADVANCE, advance_constant, (time, time, vector, vector)),
        (FINISH, finish_constant, (time, vector)),
        (FORCES, eval_all_forces, (time,)),
        (QUIET, run_constant, (types.int64,)),
    )
