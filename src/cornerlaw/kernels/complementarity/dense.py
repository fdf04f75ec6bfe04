"""Factors of dense matrices that may be singular, in place and without allocation."""

from cornerlaw.kernels._numba import kernel


@kernel
def factor_guarded(A, n, pivot, row_end, floor):
    """Overwrite the leading n x n block of A with the factors of its row-permuted self.

    Partial pivoting; a pivot smaller than floor becomes floor, so that a solution always exists
    and what lies along the null space is left to the caller. Rows end where only zeros follow:
    bodies that touch few others make banded matrices. Returns the number of weak pivots.
    """
    weak = 0
    for i in range(n):
        end = n
        while end > i + 1 and A[i, end - 1] == 0.0:
            end -= 1
        row_end[i] = end
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            size = abs(A[i, k])
            if size > best:
                best, row = size, i
        pivot[k] = row
        if row != k:
            end = max(row_end[k], row_end[row])
            for j in range(end):
                A[k, j], A[row, j] = A[row, j], A[k, j]
            row_end[k], row_end[row] = row_end[row], max(row_end[k], row + 1)
        if not best > floor:
            A[k, k] = floor if A[k, k] >= 0.0 else -floor
            weak += 1
        inverse = 1.0 / A[k, k]
        top = A[k]
        end = row_end[k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                row_i = A[i]
                factor = row_i[k] * inverse
                row_i[k] = factor
                row_end[i] = max(row_end[i], end)
                for j in range(k + 1, end):
                    row_i[j] -= factor * top[j]
    return weak


@kernel
def solve_factored(A, n, pivot, row_end, b):
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
        for j in range(i + 1, row_end[i]):
            total -= row_i[j] * b[j]
        b[i] = total / row_i[i]
