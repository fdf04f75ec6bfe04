"""The default solver: a cascade in which every answer is checked by the independent residual."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import ACCEPTED, MAX_PATHS, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.fischer_burmeister import next_path, start_path
from cornerlaw.kernels.complementarity.gauss_seidel import sweep_gauss_seidel
from cornerlaw.kernels.complementarity.homotopy import FACTORISATIONS, PATHS, follow_homotopy
from cornerlaw.kernels.complementarity.lemke import guess_lemke
from cornerlaw.kernels.complementarity.linear_form import has_linear_form
from cornerlaw.kernels.complementarity.newton import iterate_newton
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.kernels.complementarity.verify import residual

# stages of the cascade, in order
_FIRST_GUESS = 1
_SWEEPS = 3
_LEMKE = 6
_CONVEX = 2


@kernel
def _propose(p, s, reference, stage, linear):
    """Write a new starting point for Newton into p.x; return the Newton steps it deserves.

    Stage 0 is the first guess, then sweeps of Gauss-Seidel, Lemke on plane sets with several
    covering vectors, paths of convex problems, and homotopies, which end with Newton by
    themselves. Zero means that the stage does not apply.
    """
    tight = 0.1 * s.options[TOLERANCE]
    if stage < _FIRST_GUESS:
        return 8
    stage -= _FIRST_GUESS
    if stage < _SWEEPS:
        sweep_gauss_seidel(p, s, reference, 20 * (1 + stage * stage), tight)
        return 20
    stage -= _SWEEPS
    if stage < _LEMKE:
        if not linear:
            return 0
        guess_lemke(p, s, stage, 20)
        return 20
    stage -= _LEMKE
    if stage < _CONVEX:
        if stage == 0:
            start_path(p, s)
        next_path(p, s, stage, 100)
        return 20
    stage -= _CONVEX
    if stage < int(s.options[MAX_PATHS]):
        follow_homotopy(p, s, reference, stage, FACTORISATIONS)
        return 5
    return 0


@kernel
def solve_auto(p, s):
    """Solve by whatever works; return SOLVED or NOT_SOLVED.

    The cascade stops at the first point whose independent residual is below the tolerance, or
    returns the best one, which counts as solved when it is accepted. Writes p.x, p.gamma,
    s.residual and in s.iterations the stage that succeeded. (T-12.14)
    """
    n = p.n[0]
    s.iterations[0] = 0
    s.residual[0] = 0.0
    if n == 0:
        return SOLVED
    s.residual[0] = math.inf
    reference = prepare(p, s)
    if not reference < math.inf:
        return NOT_SOLVED
    linear = has_linear_form(p)
    for stage in range(_FIRST_GUESS + _SWEEPS + _LEMKE + _CONVEX + PATHS):
        limit = _propose(p, s, reference, stage, linear)
        if limit > 0:
            iterate_newton(p, s, reference, limit, 0.1 * s.options[TOLERANCE])
            value = residual(p, s.options[V_REF])
            if value < s.residual[0]:
                s.residual[0] = value
                for i in range(n):
                    s.x_start[i] = p.x[i]
            if value <= s.options[TOLERANCE]:
                s.iterations[0] = stage
                return SOLVED
    for i in range(n):
        p.x[i] = s.x_start[i]
    s.residual[0] = residual(p, s.options[V_REF])
    return SOLVED if s.residual[0] <= s.options[ACCEPTED] else NOT_SOLVED
