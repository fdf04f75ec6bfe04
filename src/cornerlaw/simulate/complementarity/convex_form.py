"""The convex problem behind friction cones, in the scale of the contacts.

With the shift s = mu |gamma_T| of the normal velocity [DeSaxce1998] the law of friction is that of
a convex program, min 1/2 x^T G x + (c + s)^T x over the cones. s depends on the solution: solvers
take it anew until it settles. (T-12.8)
"""

from __future__ import annotations

import math

import numpy as np

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.state import Floats
from cornerlaw.problems.problem import ContactProblem


def row_weights(problem: ContactProblem) -> Floats:
    """Return 1 / sqrt(g) of all rows, g the largest |G_ii| of their contact."""
    weights = np.ones(problem.n)
    for group in problem.contacts():
        rows = np.concatenate([np.arange(problem.n)[problem.rows(k)] for k in group])
        g = float(np.abs(problem.G[rows, rows]).max())
        # nothing physical is that light; its weight would overflow
        weights[rows] = 1.0 / math.sqrt(g) if g > 1e-100 else 1.0
    return weights


def sliding_shift(problem: ContactProblem, gamma: Floats) -> Floats:
    """Return s of all rows: the support function of unit-load friction sets at -gamma_T.

    s_N = sum of max over x in C(1) of -gamma_T x, mu |gamma_T| for Coulomb friction. (T-12.8)
    """
    shift = np.zeros(problem.n)
    for k, item in enumerate(problem.sets):
        if item.master < 0:
            continue
        velocity = gamma[problem.rows(k)]
        if item.kind == BALL:
            shift[item.master] += item.upper_1 * float(np.linalg.norm(velocity))
        else:
            sides = np.maximum(-item.lower_1 * velocity, -item.upper_1 * velocity)
            shift[item.master] += float(sides.sum())
    return shift
