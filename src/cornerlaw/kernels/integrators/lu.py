"""LU factors with partial pivoting, one source for real and complex matrices."""

from cornerlaw.arrays.status import OK, SINGULAR_JACOBIAN
from cornerlaw.kernels._numba import kernel


@kernel
def factor_lu(A, pivot):
    """Overwrite A with the factors of the row-permuted matrix; SINGULAR_JACOBIAN if it has none."""
    n = pivot.size
    for k in range(n):
        best, row = abs(A[k, k]), k
        for i in range(k + 1, n):
            size = abs(A[i, k])
            if size > best:
                best, row = size, i
        # written this way round, a nan is singular as well
        if not best > 0.0:
            return SINGULAR_JACOBIAN
        pivot[k] = row
        if row != k:
            for j in range(n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                factor = A[i, k] * inverse
                A[i, k] = factor
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    return OK


@kernel
def solve_lu(A, pivot, b):
    """Overwrite b with the solution of the factored system."""
    n = pivot.size
    for k in range(n):
        row = pivot[k]
        if row != k:
            b[k], b[row] = b[row], b[k]
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= A[i, j] * b[j]
        b[i] = s
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= A[i, j] * b[j]
        b[i] = s / A[i, i]
