"""Scratch arrays, options and results of the complementarity solvers."""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats, Ints

# places in `options`
TOLERANCE = 0  # a solver stops at this residual
ACCEPTED = 1  # `solve_auto` calls a problem solved at this residual when no solver gets further
V_REF = 2  # smallest velocity that residuals are compared with
MAX_SWEEPS = 3  # of Gauss-Seidel, Jacobi and the accelerated gradient
RELAXATION = 4  # of Gauss-Seidel and Jacobi
MAX_NEWTON = 5
MAX_PIVOTS = 6  # of Lemke and principal pivoting, in multiples of the number of variables
MAX_PATHS = 7  # homotopies that `solve_auto` follows
N_OPTIONS = 8

# what an unknown of the linear form stands for
LCP_FROM_LOWER = 0  # x - lower bound
LCP_FROM_UPPER = 1  # upper bound - x
LCP_FREE = 2  # multiplier of a bilateral row
LCP_EXCESS = 3  # velocity at the upper bound of an interval with two bounds
LCP_SIDE = 4  # part of a friction force along + or -
LCP_SPEED = 5  # sliding speed

# rows of `path`
PATH_POINT = 0  # X = g x of a point, then -log t
PATH_TRIAL = 1
PATH_TANGENT = 2
PATH_OLD_TANGENT = 3  # of the point before
PATH_METRIC = 4  # weights of the arc length
PATH_TAU = 5  # rounding of the law at t = 1
PATH_ROWS = 6


class SolverScratch(NamedTuple):
    """Room for one problem of `capacity` rows; solvers allocate nothing."""

    options: Floats  # (N_OPTIONS,)
    residual: Floats  # (1,) of the returned x
    iterations: Ints  # (1,) of the solver that returned it
    scale: Floats  # (capacity,) per row: largest |G_ii| of its contact
    set_of: Ints  # (capacity,) set that a row belongs to
    owner: Ints  # (capacity,) per set: the set of its master, or itself
    tied: Ints  # (capacity,) per set: the first set that takes its load from it, -1 none
    next_tied: Ints  # (capacity,) per set: the next one with the same load, -1 none
    x_start: Floats  # (capacity,) first guess
    x_best: Floats  # (capacity,)
    x_trial: Floats  # (capacity,)
    x_old: Floats  # (capacity,)
    y: Floats  # (capacity + 1,)
    shift: Floats  # (capacity,) sliding shift of the smoothed paths
    F: Floats  # (capacity,) natural map
    F_trial: Floats  # (capacity,)
    step: Floats  # (capacity + 1,)
    A: Floats  # (capacity + 1, capacity + 1) Jacobian and its factors
    pivot: Ints  # (capacity + 1,)
    row_end: Ints  # (capacity + 1,) behind the last entry of a row that is not zero
    path: Floats  # (PATH_ROWS, capacity + 1)
    weight: Floats  # (capacity,) of the rows in the scaled problem
    cone: Ints  # (capacity,) friction set of a set, -1 none, -2 where it belongs to one
    local: Floats  # (5, 4) vectors of one cone
    slope_a: Floats  # (4, 4)
    slope_b: Floats  # (4, 4)
    state: Ints  # (capacity,) where a row stands in its set
    state_old: Ints  # (capacity,) where it wants to stand
    # linear form, m unknowns
    tableau: Floats  # (m, m + 2)
    lcp_kind: Ints  # (m,)
    lcp_row: Ints  # (m,)
    lcp_weight: Floats  # (m,) x of the row per unit, or the number of a bound
    lcp_of: Ints  # (capacity,) first unknown of a row, -1 none
    basic: Ints  # (m,) variable of a tableau row
    nonbasic: Ints  # (m + 1,) variable of a tableau column
    place: Ints  # (2 m + 1,) row of a basic variable, m + column of a nonbasic one
    ratio: Floats  # (m,)


def new_solver_scratch(capacity: int) -> SolverScratch:
    """Allocate scratch for problems of up to `capacity` rows, with the default options."""
    n = max(capacity, 1)
    # two rows of a contact have four unknowns in the linear form, an interval with two ends two
    m = 3 * n
    floats = np.zeros

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    options = floats(N_OPTIONS)
    options[TOLERANCE] = 1e-10
    options[ACCEPTED] = 1e-8
    options[V_REF] = 1e-9
    options[MAX_SWEEPS] = 1000
    options[RELAXATION] = 1.0
    options[MAX_NEWTON] = 50
    options[MAX_PIVOTS] = 20
    options[MAX_PATHS] = 6
    return SolverScratch(
        options=options,
        residual=floats(1),
        iterations=ints(1),
        scale=floats(n),
        set_of=ints(n),
        owner=ints(n),
        tied=ints(n),
        next_tied=ints(n),
        x_start=floats(n),
        x_best=floats(n),
        x_trial=floats(n),
        x_old=floats(n),
        y=floats(n + 1),
        shift=floats(n),
        F=floats(n),
        F_trial=floats(n),
        step=floats(n + 1),
        A=floats((n + 1, n + 1)),
        pivot=ints(n + 1),
        row_end=ints(n + 1),
        path=floats((PATH_ROWS, n + 1)),
        weight=floats(n),
        cone=ints(n),
        local=floats((5, 4)),
        slope_a=floats((4, 4)),
        slope_b=floats((4, 4)),
        state=ints(n),
        state_old=ints(n),
        tableau=floats((m, m + 2)),
        lcp_kind=ints(m),
        lcp_row=ints(m),
        lcp_weight=floats(m),
        lcp_of=ints(n),
        basic=ints(m),
        nonbasic=ints(m + 1),
        place=ints(2 * m + 1),
        ratio=floats(m),
    )
