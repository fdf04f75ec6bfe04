"""Lemke's method with lexicographic ratio test on the linear form of plane sets."""

import math

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import LCP_FREE, MAX_PIVOTS, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.linear_form import (
    assemble_linear_form,
    has_linear_form,
    number_unknowns,
    write_solution,
)
from cornerlaw.kernels.complementarity.newton import iterate_newton
from cornerlaw.kernels.complementarity.prox import prepare
from cornerlaw.kernels.complementarity.verify import residual

# variables: w_0 .. w_(m-1), z_0 .. z_(m-1), then the artificial one
_SMALL = 1e-11  # smallest pivot
_TIE = 1e-11  # ratios closer than this are tied
_ATTEMPTS = 6


@kernel
def exchange(s, m, row, column):
    """Exchange the basic variable of a row with the nonbasic one of a column.

    Rows read: basic = rhs + sum T nonbasic. Writes the tableau, s.basic, s.nonbasic, s.place.
    """
    T = s.tableau
    top = T[row]
    inverse = 1.0 / top[column]
    for j in range(m + 2):
        top[j] *= -inverse
    top[column] = inverse
    for i in range(m):
        if i != row:
            line = T[i]
            factor = line[column]
            if factor != 0.0:
                line[column] = 0.0
                for j in range(m + 2):
                    line[j] += factor * top[j]
    out, into = s.basic[row], s.nonbasic[column]
    s.basic[row], s.nonbasic[column] = into, out
    s.place[into], s.place[out] = row, m + column


@kernel
def start_basis(s, m):
    """Make all w basic and all z nonbasic."""
    for a in range(m):
        s.basic[a] = a
        s.nonbasic[a] = m + a
        s.place[a] = a
        s.place[m + a] = m + a
    s.nonbasic[m] = 2 * m
    s.place[2 * m] = 2 * m


@kernel
def enter_free(s, m):
    """Bring the multipliers of bilateral rows into the basis by the largest pivots.

    What finds no pivot is redundant: its multiplier stays zero. Marks rows and columns of
    bilateral pairs in s.basic and s.nonbasic by leaving them out of all later ratio tests.
    """
    while True:
        best, row, column = 1e-10, -1, -1
        for i in range(m):
            if s.basic[i] < m and s.lcp_kind[s.basic[i]] == LCP_FREE:
                for j in range(m):
                    a = s.nonbasic[j]
                    if m <= a < 2 * m and s.lcp_kind[a - m] == LCP_FREE:
                        if abs(s.tableau[i, j]) > best:
                            best, row, column = abs(s.tableau[i, j]), i, j
        if row < 0:
            return
        exchange(s, m, row, column)


@kernel
def _is_bilateral(s, m, variable):
    if variable == 2 * m:
        return False
    return s.lcp_kind[variable if variable < m else variable - m] == LCP_FREE


@kernel
def _inverse_entry(s, m, row, k):
    """Return entry (row, k) of the inverse of the basis matrix."""
    place = s.place[k]
    if place < m:
        return 1.0 if place == row else 0.0
    return -s.tableau[row, place - m]


@kernel
def _is_earlier(s, m, i, j, column):
    """Return whether row i wins the tie with row j in lexicographic order."""
    a, b = -s.tableau[i, column], -s.tableau[j, column]
    for k in range(m):
        difference = _inverse_entry(s, m, i, k) / a - _inverse_entry(s, m, j, k) / b
        if abs(difference) > 1e-12:
            return difference < 0.0
    return s.basic[i] < s.basic[j]


@kernel
def _leaving_row(s, m, column):
    """Return the row that blocks the entering column first, -1 if none does."""
    T = s.tableau
    smallest = math.inf
    largest = 0.0
    for i in range(m):
        if not _is_bilateral(s, m, s.basic[i]):
            largest = max(largest, -T[i, column])
    floor = _SMALL * max(1.0, largest)
    for i in range(m):
        s.ratio[i] = math.inf
        if T[i, column] < -floor and not _is_bilateral(s, m, s.basic[i]):
            s.ratio[i] = max(T[i, m + 1], 0.0) / -T[i, column]
            smallest = min(smallest, s.ratio[i])
    if smallest == math.inf:
        return -1
    limit = smallest + _TIE * max(1.0, smallest)
    chosen = -1
    for i in range(m):
        if s.ratio[i] <= limit:
            # the artificial variable leaves as soon as it can
            if s.basic[i] == 2 * m:
                return i
            if chosen < 0 or _is_earlier(s, m, i, chosen, column):
                chosen = i
    return chosen


@kernel
def _first_row(s, m):
    """Return the row with the most negative right-hand side, the last of equal ones; -1 if none."""
    chosen, lowest = -1, 0.0
    for i in range(m):
        if not _is_bilateral(s, m, s.basic[i]) and s.tableau[i, m + 1] < 0.0:
            if s.tableau[i, m + 1] <= lowest:
                chosen, lowest = i, s.tableau[i, m + 1]
    return chosen


@kernel
def pivot_lemke(p, s, m, limit):
    """Run complementary pivots until the artificial variable leaves; return the pivots, or -1.

    (T-12.12) [CottlePangStone1992, 4.4]
    """
    row = _first_row(s, m)
    if row < 0:
        return 0
    out = s.basic[row]
    exchange(s, m, row, m)
    for step in range(limit):
        # the complement of what left enters
        entering = out + m if out < m else out - m
        column = s.place[entering] - m
        row = _leaving_row(s, m, column)
        if row < 0:
            return -1
        out = s.basic[row]
        exchange(s, m, row, column)
        if out == 2 * m:
            return step + 1
    return -1


@kernel
def guess_lemke(p, s, attempt, limit):
    """Write the answer of Lemke's method on the linear form into p.x; return the pivots, or -1.

    A ray ends the method without an answer; its last point is written all the same, since in
    floating point it is often the solution with an artificial variable that rounding holds above
    zero. s.scale must be ready.
    """
    m = number_unknowns(p, s)
    assemble_linear_form(p, s, m, attempt)
    start_basis(s, m)
    enter_free(s, m)
    pivots = pivot_lemke(p, s, m, limit * max(m, 5))
    write_solution(p, s, m)
    return pivots


@kernel
def solve_lemke(p, s):
    """Solve a plane problem by Lemke's method; return SOLVED or NOT_SOLVED.

    Newton steps on the index sets found remove the rounding of the tableau; further attempts
    take other covering vectors. Writes p.x, p.gamma, s.residual, s.iterations. (T-12.12)
    """
    s.residual[0] = math.inf
    s.iterations[0] = 0
    if not has_linear_form(p):
        return NOT_SOLVED
    reference = prepare(p, s)
    tolerance = s.options[TOLERANCE]
    for attempt in range(_ATTEMPTS):
        guess_lemke(p, s, attempt, int(s.options[MAX_PIVOTS]))
        iterate_newton(p, s, reference, 20, 0.1 * tolerance)
        s.residual[0] = residual(p, s.options[V_REF])
        if s.residual[0] <= tolerance:
            s.iterations[0] = attempt + 1
            return SOLVED
    return NOT_SOLVED
