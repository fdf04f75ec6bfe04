"""The linear complementarity problem of plane sets: w = q + M z, 0 <= w, 0 <= z, w z = 0.

Unilateral rows stay as they are and intervals with two ends get a second unknown. Friction tied to
a normal row is split into two sides and a sliding speed [StewartTrinkle1996]: this form is
copositive, the condition under which Lemke's method finds an exit. Rows are scaled by the square
root of their diagonal, so that M has entries of order one.
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.solver_scratch import (
    LCP_EXCESS,
    LCP_FREE,
    LCP_FROM_LOWER,
    LCP_FROM_UPPER,
    LCP_SIDE,
    LCP_SPEED,
)
from cornerlaw.kernels._numba import kernel

_GOLDEN = 0.6180339887498949
_RIDGE = 1e-9


@kernel
def _is_unilateral(p, row):
    """Return whether the set of a row is [0, inf)."""
    # sets cover the rows in order
    k, high = 0, p.n_sets[0]
    while high - k > 1:
        middle = (k + high) // 2
        if p.start[middle] <= row:
            k = middle
        else:
            high = middle
    return p.size[k] == 1 and p.lower_0[k] == 0.0 and p.upper_0[k] == math.inf


@kernel
def has_linear_form(p):
    """Return whether all sets are intervals, and tied ones vanish with the load of a contact."""
    for k in range(p.n_sets[0]):
        if p.kind[k] == BALL and p.size[k] > 1:
            return False
        if p.master[k] >= 0:
            if p.upper_0[k] != 0.0 or (p.kind[k] != BALL and p.lower_0[k] != 0.0):
                return False
            if not _is_unilateral(p, p.master[k]):
                return False
    return True


@kernel
def _add_unknown(s, m, kind, row, weight):
    s.lcp_kind[m] = kind
    s.lcp_row[m] = row
    s.lcp_weight[m] = weight
    return m + 1


@kernel
def _number_friction(p, s, k, i, m):
    """Number the unknowns of a tied row: a force along +, one along -, and a speed."""
    top = p.upper_1[k]
    bottom = top if p.kind[k] == BALL else -p.lower_1[k]
    mu = max(top, bottom)
    # without friction the row carries nothing and its velocity is free
    if not mu > 0.0:
        return m
    w = 1.0 / math.sqrt(s.scale[i])
    m = _add_unknown(s, m, LCP_SIDE, i, w * top / mu)
    m = _add_unknown(s, m, LCP_SIDE, i, -w * bottom / mu)
    return _add_unknown(s, m, LCP_SPEED, i, mu)


@kernel
def _number_row(p, s, k, i, m):
    """Number the unknowns of one row of an interval with given bounds."""
    upper = p.upper_0[k]
    lower = -upper if p.kind[k] == BALL else p.lower_0[k]
    w = 1.0 / math.sqrt(s.scale[i])
    if lower == upper:
        s.x_old[i] = lower
        return m
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
def number_unknowns(p, s):
    """Number the unknowns; return how many there are.

    Writes s.lcp_kind, s.lcp_row, s.lcp_weight, s.lcp_of and the base point s.x_old. (T-12.11)
    """
    m = 0
    for i in range(p.n[0]):
        s.x_old[i] = 0.0
        s.lcp_of[i] = -1
    for k in range(p.n_sets[0]):
        for i in range(p.start[k], p.start[k] + p.size[k]):
            if p.master[k] >= 0:
                m = _number_friction(p, s, k, i, m)
            else:
                m = _number_row(p, s, k, i, m)
    return m


@kernel
def _base_gamma(p, s, i):
    """Return gamma_i at the base point."""
    gamma = p.c[i]
    for j in range(p.n[0]):
        gamma += p.G[i, j] * s.x_old[j]
    return gamma


@kernel
def is_bound(s, a):
    """Return whether an unknown limits others and is no multiplier itself."""
    return s.lcp_kind[a] == LCP_EXCESS or s.lcp_kind[a] == LCP_SPEED


@kernel
def _assemble_bound(p, s, m, a):
    """Write the row of an unknown that limits others, and its column in their rows."""
    T = s.tableau
    if s.lcp_kind[a] == LCP_EXCESS:
        T[a, m + 1] = s.lcp_weight[a]
        T[a, a - 1] = -1.0
        T[a - 1, a] = 1.0
        return
    for b in range(a - 2, a):
        T[a, b] = -1.0
        T[b, a] = 1.0
    T[a, m + 1] = 0.0
    # normal and tangential rows of a contact share their scale
    T[a, s.lcp_of[p.master[s.set_of[s.lcp_row[a]]]]] = s.lcp_weight[a]


@kernel
def assemble_linear_form(p, s, m, attempt):
    """Write the tableau [M | d | q] of m unknowns.

    The covering column d is all ones at first; later attempts take other positive ones, every
    other one with a small multiple of the unit matrix added to G. (T-12.11)
    """
    T = s.tableau
    for a in range(m):
        for b in range(m):
            T[a, b] = 0.0
            if not is_bound(s, a) and not is_bound(s, b):
                T[a, b] = s.lcp_weight[a] * p.G[s.lcp_row[a], s.lcp_row[b]] * s.lcp_weight[b]
        T[a, m] = 1.0 + (a + 1) * attempt * _GOLDEN % 1.0
        if not is_bound(s, a):
            T[a, m + 1] = s.lcp_weight[a] * _base_gamma(p, s, s.lcp_row[a])
            if attempt % 2 == 1:
                T[a, a] += _RIDGE
    for a in range(m):
        if is_bound(s, a):
            _assemble_bound(p, s, m, a)


@kernel
def write_solution(p, s, m):
    """Write x = base + E z."""
    for i in range(p.n[0]):
        p.x[i] = s.x_old[i]
    for a in range(m):
        place = s.place[m + a]
        if place < m and not is_bound(s, a):
            p.x[s.lcp_row[a]] += s.lcp_weight[a] * s.tableau[place, m + 1]
