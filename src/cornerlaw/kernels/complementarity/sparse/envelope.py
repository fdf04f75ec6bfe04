"""Factors of a matrix within its envelope: what lies before the first entry of a row stays zero."""

from cornerlaw.kernels._numba import kernel


@kernel
def _dot(a, i, b, j, n):
    """Return the sum of a[i + k] b[j + k] over n places, in four parts for the sake of speed."""
    s0 = s1 = s2 = s3 = 0.0
    k = 0
    while k + 4 <= n:
        s0 += a[i + k] * b[j + k]
        s1 += a[i + k + 1] * b[j + k + 1]
        s2 += a[i + k + 2] * b[j + k + 2]
        s3 += a[i + k + 3] * b[j + k + 3]
        k += 4
    while k < n:
        s0 += a[i + k] * b[j + k]
        k += 1
    return (s0 + s1) + (s2 + s3)


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
def factor_envelope(c, floor):
    """Overwrite the matrix with L and U; a pivot below floor times its diagonal becomes that.

    The matrix is that of a mass and what holds it, nearly symmetric: no rows are exchanged.
    (T-12.24)
    """
    lower, upper, first, at, pivot = c.lower, c.upper, c.first, c.at, c.pivot
    for i in range(c.n_local[0]):
        begin, row = first[i], at[i] - first[i]
        for j in range(begin, i):
            low, column = max(begin, first[j]), at[j] - first[j]
            n = j - low
            if n > 0:
                lower[row + j] -= _dot(lower, row + low, upper, column + low, n)
                upper[row + j] -= _dot(lower, column + low, upper, row + low, n)
            lower[row + j] /= pivot[j]
        least = floor * abs(pivot[i])
        pivot[i] -= _dot(lower, row + begin, upper, row + begin, i - begin)
        if not abs(pivot[i]) > least:
            pivot[i] = least if least > 0.0 else 1.0


@kernel
def solve_envelope(c, b):
    """Overwrite b, in the order of elimination, with the solution of the factored system."""
    first, at = c.first, c.at
    for i in range(c.n_local[0]):
        begin = first[i]
        b[i] -= _dot(c.lower, at[i], b, begin, i - begin)
    for i in range(c.n_local[0] - 1, -1, -1):
        b[i] /= c.pivot[i]
        x, row = b[i], at[i] - first[i]
        for j in range(first[i], i):
            b[j] -= c.upper[row + j] * x


@kernel
def add_lower(c, i, j, value):
    """Add to the entry in row i and column j <= i of a symmetric matrix."""
    if i > j:
        c.lower[c.at[i] + j - c.first[i]] += value
    else:
        c.pivot[i] += value


@kernel
def factor_symmetric(c, floor):
    """Overwrite the lower part of a positive definite matrix with L D L^T. (T-12.29)

    A pivot below floor times its diagonal becomes that: rounding has taken it.
    """
    lower, first, at, pivot = c.lower, c.first, c.at, c.pivot
    for i in range(c.n_local[0]):
        begin, row = first[i], at[i] - first[i]
        for j in range(begin, i):
            low, column = max(begin, first[j]), at[j] - first[j]
            if j > low:
                lower[row + j] -= _dot(lower, row + low, lower, column + low, j - low)
        # so far the row holds L D
        total = 0.0
        for j in range(begin, i):
            value = lower[row + j]
            lower[row + j] = value / pivot[j]
            total += value * lower[row + j]
        pivot[i] = max(pivot[i] - total, floor * pivot[i])
        if not pivot[i] > 0.0:
            pivot[i] = 1.0


@kernel
def solve_symmetric(c, b):
    """Overwrite b, in the order of elimination, with the solution of L D L^T x = b."""
    first, at = c.first, c.at
    for i in range(c.n_local[0]):
        begin = first[i]
        b[i] -= _dot(c.lower, at[i], b, begin, i - begin)
    for i in range(c.n_local[0]):
        b[i] /= c.pivot[i]
    for i in range(c.n_local[0] - 1, -1, -1):
        x, row = b[i], at[i] - first[i]
        for j in range(first[i], i):
            b[j] -= c.lower[row + j] * x
