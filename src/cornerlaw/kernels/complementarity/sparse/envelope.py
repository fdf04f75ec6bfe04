"""Factors of a matrix within its envelope: what lies before the first entry of a row stays zero."""

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.lanes import add_multiple, dot, dot_crossed, dot_crossed_rows, dot_rows


@kernel
def clear_envelope(c):
    """Set the matrix to zero."""
    for x in range(c.at[c.n_local[0]]):
        c.lower[x] = 0.0
        c.upper[x] = 0.0
    for l in range(c.n_local[0]):
        c.pivot[l] = 0.0


@kernel
def add_entry(c, i, j, value):
    """Add to the entry in row i and column j, which lies within the envelope."""
    if i > j:
        c.lower[c.at[i] + j - c.first[i]] += value
    elif i < j:
        c.upper[c.at[j] + i - c.first[j]] += value
    else:
        c.pivot[i] += value


@kernel
def _finish_pivot(c, i, removed, floor):
    """Write the pivot of row i less what the rows before remove."""
    least = floor * abs(c.pivot[i])
    c.pivot[i] -= removed
    if not abs(c.pivot[i]) > least:
        c.pivot[i] = least if least > 0.0 else 1.0


@kernel
def _factor_row(c, i):
    """Write the entries of row i of L and column i of U. (T-12.24)"""
    lower, upper, first, at = c.lower, c.upper, c.first, c.at
    begin, row = first[i], at[i] - first[i]
    for j in range(begin, i):
        low, column = max(begin, first[j]), at[j] - first[j]
        if j > low:
            below, above = dot_crossed(lower, upper, row + low, column + low, j - low)
            lower[row + j] -= below
            upper[row + j] -= above
        lower[row + j] /= c.pivot[j]


@kernel
def _factor_rows(c, i):
    """Write the entries of rows i and i + 1, which begin alike, up to column i. (T-12.24)"""
    lower, upper, first, at = c.lower, c.upper, c.first, c.at
    begin, row, next_row = first[i], at[i] - first[i], at[i + 1] - first[i]
    for j in range(begin, i):
        low, column = max(begin, first[j]), at[j] - first[j]
        if j > low:
            below, above, next_below, next_above = dot_crossed_rows(
                lower, upper, row + low, next_row + low, column + low, j - low
            )
            lower[row + j] -= below
            upper[row + j] -= above
            lower[next_row + j] -= next_below
            upper[next_row + j] -= next_above
        lower[row + j] /= c.pivot[j]
        lower[next_row + j] /= c.pivot[j]


@kernel
def factor_envelope(c, floor):
    """Overwrite the matrix with L and U; a pivot below floor times its diagonal becomes that.

    The matrix is that of a mass and what holds it, nearly symmetric: no rows are exchanged. Rows
    that begin alike, as those of a body do, are taken two at a time. (T-12.24)
    """
    lower, upper, first, at, i = c.lower, c.upper, c.first, c.at, 0
    while i < c.n_local[0]:
        begin, n = first[i], i - first[i]
        if i + 1 < c.n_local[0] and first[i + 1] == begin:
            _factor_rows(c, i)
            _finish_pivot(c, i, dot(lower, at[i], upper, at[i], n), floor)
            below, above = dot_crossed(lower, upper, at[i + 1], at[i], n)
            last = at[i + 1] + n
            lower[last] = (lower[last] - below) / c.pivot[i]
            upper[last] -= above
            i += 1
        else:
            _factor_row(c, i)
        removed = dot(lower, at[i], upper, at[i], i - first[i])
        _finish_pivot(c, i, removed, floor)
        i += 1


@kernel
def solve_envelope(c, b):
    """Overwrite b, in the order of elimination, with the solution of the factored system."""
    first, at = c.first, c.at
    for i in range(c.n_local[0]):
        b[i] -= dot(c.lower, at[i], b, first[i], i - first[i])
    for i in range(c.n_local[0] - 1, -1, -1):
        b[i] /= c.pivot[i]
        add_multiple(b, first[i], -b[i], c.upper, at[i], i - first[i])


@kernel
def add_lower(c, i, j, value):
    """Add to the entry in row i and column j <= i of a symmetric matrix."""
    if i > j:
        c.lower[c.at[i] + j - c.first[i]] += value
    else:
        c.pivot[i] += value


@kernel
def _finish_symmetric(c, i, floor):
    """Turn L D of row i into L and write its pivot."""
    lower, first, row, total = c.lower, c.first[i], c.at[i] - c.first[i], 0.0
    for j in range(first, i):
        value = lower[row + j]
        lower[row + j] = value / c.pivot[j]
        total += value * lower[row + j]
    c.pivot[i] = max(c.pivot[i] - total, floor * c.pivot[i])
    if not c.pivot[i] > 0.0:
        c.pivot[i] = 1.0


@kernel
def factor_symmetric(c, floor):
    """Overwrite the lower part of a positive definite matrix with L D L^T. (T-12.29)

    A pivot below floor times its diagonal becomes that: rounding has taken it. Rows that begin
    alike are taken two at a time; until they are finished they hold L D.
    """
    lower, first, at, i = c.lower, c.first, c.at, 0
    while i < c.n_local[0]:
        begin, row = first[i], at[i] - first[i]
        if i + 1 < c.n_local[0] and first[i + 1] == begin:
            next_row = at[i + 1] - begin
            for j in range(begin, i):
                low, column = max(begin, first[j]), at[j] - first[j]
                if j > low:
                    here, there = dot_rows(lower, row + low, next_row + low, column + low, j - low)
                    lower[row + j] -= here
                    lower[next_row + j] -= there
            _finish_symmetric(c, i, floor)
            lower[next_row + i] -= dot(lower, at[i + 1], lower, at[i], i - begin)
            i += 1
        else:
            for j in range(begin, i):
                low, column = max(begin, first[j]), at[j] - first[j]
                if j > low:
                    lower[row + j] -= dot(lower, row + low, lower, column + low, j - low)
        _finish_symmetric(c, i, floor)
        i += 1


@kernel
def solve_symmetric(c, b):
    """Overwrite b, in the order of elimination, with the solution of L D L^T x = b."""
    first, at = c.first, c.at
    for i in range(c.n_local[0]):
        b[i] -= dot(c.lower, at[i], b, first[i], i - first[i])
    for i in range(c.n_local[0]):
        b[i] /= c.pivot[i]
    for i in range(c.n_local[0] - 1, -1, -1):
        add_multiple(b, first[i], -b[i], c.lower, at[i], i - first[i])
