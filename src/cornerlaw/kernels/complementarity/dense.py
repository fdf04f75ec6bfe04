"""Factors of dense matrices that may be singular, in place and without allocation."""

from cornerlaw.kernels._numba import kernel


@kernel
def factor_guarded(A, n, pivot, floor):
    """Overwrite the leading n x n block of A with the factors of its row-permuted self.

    Partial pivoting; a pivot smaller than floor becomes floor, so that a solution always exists
    and what lies along the null space is left to the caller. Returns the number of such pivots.
    """
    weak = 0
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            size = abs(A[i, k])
            if size > best:
                best, row = size, i
        pivot[k] = row
        if row != k:
            for j in range(n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        if not best > floor:
            A[k, k] = floor if A[k, k] >= 0.0 else -floor
            weak += 1
        inverse = 1.0 / A[k, k]
        top = A[k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                row_i = A[i]
                factor = row_i[k] * inverse
                row_i[k] = factor
                for j in range(k + 1, n):
                    row_i[j] -= factor * top[j]
    return weak


@kernel
def solve_factored(A, n, pivot, b):
    """Overwrite the first n entries of b with the solution of the factored system."""
    for k in range(n):
        row = pivot[k]
        if row != k:
            b[k], b[row] = b[row], b[k]
    for i in range(n):
        total = b[i]
        row_i = A[i]
        for j in range(i):
            total -= row_i[j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        row_i = A[i]
        for j in range(i + 1, n):
            total -= row_i[j] * b[j]
        b[i] = total / row_i[i]
