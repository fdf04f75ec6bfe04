"""The linear complementarity problem of plane sets: w = q + M z, 0 <= w, 0 <= z, w z = 0.

Unilateral rows stay as they are, intervals with two ends get a second unknown, friction rows tied
to a normal row are split into two directions and a sliding speed [StewartTrinkle1996]: this form
is copositive, the condition under which Lemke's method cannot fail for want of an exit. Rows are
scaled by the square root of their diagonal, so that M has entries of order one.
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.solver_scratch import (
    LCP_EXCESS,
    LCP_FREE,
    LCP_FROM_LOWER,
    LCP_FROM_UPPER,
    LCP_NEGATIVE,
    LCP_POSITIVE,
    LCP_SPEED,
)
from cornerlaw.kernels._numba import kernel


@kernel
def has_linear_form(p):
    """Return whether all sets are intervals, and tied ones have bounds that vanish with the load."""
    for k in range(p.n_sets[0]):
        if p.kind[k] == BALL and p.size[k] > 1:
            return False
        if p.master[k] >= 0:
            owner_is_unilateral = False
            for f in range(p.n_sets[0]):
                if p.start[f] == p.master[k]:
                    owner_is_unilateral = (
                        p.size[f] == 1 and p.lower_0[f] == 0.0 and p.upper_0[f] == math.inf
                    )
            if p.lower_0[k] != 0.0 or p.upper_0[k] != 0.0 or not owner_is_unilateral:
                return False
    return True


@kernel
def _lower(p, k):
    """Return lower_0, for a ball of one row -upper_0."""
    return -p.upper_0[k] if p.kind[k] == BALL else p.lower_0[k]


@kernel
def _lower_slope(p, k):
    return -p.upper_1[k] if p.kind[k] == BALL else p.lower_1[k]


@kernel
def _add_unknown(s, m, kind, row, weight):
    s.lcp_kind[m] = kind
    s.lcp_row[m] = row
    s.lcp_weight[m] = weight
    return m + 1


@kernel
def number_unknowns(p, s):
    """Number the unknowns; return how many there are.

    Writes s.lcp_kind, s.lcp_row, s.lcp_weight, s.lcp_of and the base point s.x_old. (T-12.11)
    """
    m = 0
    for k in range(p.n_sets[0]):
        lower, upper = _lower(p, k), p.upper_0[k]
        for i in range(p.start[k], p.start[k] + p.size[k]):
            s.x_old[i] = 0.0
            s.lcp_of[i] = -1
            w = 1.0 / math.sqrt(s.scale[i])
            if p.master[k] >= 0:
                top, bottom = p.upper_1[k], -_lower_slope(p, k)
                mu = max(top, bottom)
                # without friction the row carries nothing and its velocity is free
                if mu > 0.0:
                    s.lcp_of[i] = m
                    m = _add_unknown(s, m, LCP_POSITIVE, i, w * top / mu)
                    m = _add_unknown(s, m, LCP_NEGATIVE, i, -w * bottom / mu)
                    m = _add_unknown(s, m, LCP_SPEED, i, mu)
                continue
            if lower == upper:
                s.x_old[i] = lower
                continue
            s.lcp_of[i] = m
            if lower > -math.inf:
                s.x_old[i] = lower
                m = _add_unknown(s, m, LCP_FROM_LOWER, i, w)
                if upper < math.inf:
                    m = _add_unknown(s, m, LCP_EXCESS, i, (upper - lower) / w)
            elif upper < math.inf:
                s.x_old[i] = upper
                m = _add_unknown(s, m, LCP_FROM_UPPER, i, -w)
            else:
                m = _add_unknown(s, m, LCP_FREE, i, w)
    return m


@kernel
def assemble_linear_form(p, s, m):
    """Write the tableau [M | d | q] of m unknowns, d the covering column of ones. (T-12.11)"""
    T = s.tableau
    n = p.n[0]
    for a in range(m):
        kind, i = s.lcp_kind[a], s.lcp_row[a]
        for b in range(m):
            T[a, b] = 0.0
        T[a, m] = 1.0
        if kind == LCP_EXCESS:
            T[a, m + 1] = s.lcp_weight[a]
            T[a, a - 1] = -1.0
            continue
        if kind == LCP_SPEED:
            T[a, m + 1] = 0.0
            T[a, a - 1] = -1.0
            T[a, a - 2] = -1.0
            owner = s.lcp_of[p.master[s.set_of[i]]]
            # normal and tangential rows of a contact share their scale
            T[a, owner] = s.lcp_weight[a]
            continue
        weight = s.lcp_weight[a]
        for b in range(m):
            if s.lcp_kind[b] != LCP_EXCESS and s.lcp_kind[b] != LCP_SPEED:
                T[a, b] = weight * p.G[i, s.lcp_row[b]] * s.lcp_weight[b]
        gamma = p.c[i]
        for j in range(n):
            gamma += p.G[i, j] * s.x_old[j]
        T[a, m + 1] = weight * gamma
        if kind == LCP_POSITIVE:
            T[a, a + 2] = 1.0
        elif kind == LCP_NEGATIVE:
            T[a, a + 1] = 1.0
        elif kind == LCP_FROM_LOWER and a + 1 < m and s.lcp_kind[a + 1] == LCP_EXCESS:
            T[a, a + 1] = 1.0


@kernel
def read_unknown(s, m, a):
    """Return the value of z_a in the present tableau."""
    place = s.place[m + a]
    return s.tableau[place, m + 1] if place < m else 0.0


@kernel
def write_solution(p, s, m):
    """Write x = base + E z."""
    for i in range(p.n[0]):
        p.x[i] = s.x_old[i]
    for a in range(m):
        kind = s.lcp_kind[a]
        if kind != LCP_EXCESS and kind != LCP_SPEED:
            p.x[s.lcp_row[a]] += s.lcp_weight[a] * read_unknown(s, m, a)
