"""A complementarity problem: gamma = G x + c with -gamma in the normal cone of C at x.

C is a product of sets, one per block of rows. Solvers see only this; they know neither bodies nor
time. A set of one row is an interval, a set of two or three rows a ball about zero; the bounds of
both may grow with the multiplier of another row, its master (the normal row of a friction row):

    interval:  lower_0 + lower_1 x_m <= x <= upper_0 + upper_1 x_m
    ball:      |x| <= upper_0 + upper_1 x_m

Bounds may be infinite: bilateral rows are (-inf, inf), unilateral ones [0, inf).
"""

from typing import NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats, Ints

INTERVAL = 0
BALL = 1

# results of a solver
SOLVED = 0
NOT_SOLVED = 1
INFEASIBLE = 2  # a certificate was found: no solution exists


class ProblemArrays(NamedTuple):
    """One problem; arrays have room for `capacity` rows, of which the first n are in use."""

    n: Ints  # (1,) rows in use
    n_sets: Ints  # (1,) sets in use; they cover rows 0 to n - 1 in order
    G: Floats  # (capacity, capacity), need not be symmetric
    c: Floats  # (capacity,)
    x: Floats  # (capacity,) on entry a first guess, on return the solution
    gamma: Floats  # (capacity,) on return G x + c
    kind: Ints  # (capacity,) INTERVAL or BALL, per set
    start: Ints  # (capacity,) first row of a set
    size: Ints  # (capacity,) rows of a set
    master: Ints  # (capacity,) row whose multiplier scales the bounds, -1 none
    lower_0: Floats  # (capacity,)
    lower_1: Floats  # (capacity,)
    upper_0: Floats  # (capacity,)
    upper_1: Floats  # (capacity,)
    check: Floats  # (3, capacity) of the residual: home of a row; scale and defect of a contact


def new_problem(capacity: int, rows: int | None = None) -> ProblemArrays:
    """Allocate an empty problem with a matrix of up to `capacity` rows.

    All else has room for `rows`, as many unless given: large problems do without the matrix.
    """
    z = np.zeros
    n = capacity if rows is None else rows
    return ProblemArrays(
        n=z(1, np.int64),
        n_sets=z(1, np.int64),
        G=z((capacity, capacity)),
        c=z(n),
        x=z(n),
        gamma=z(n),
        kind=z(n, np.int64),
        start=z(n, np.int64),
        size=z(n, np.int64),
        master=np.full(n, -1, np.int64),
        lower_0=z(n),
        lower_1=z(n),
        upper_0=z(n),
        upper_1=z(n),
        check=z((3, n)),
    )
