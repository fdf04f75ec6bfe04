"""Small dense algebra in loops: three-vectors, Cholesky factors with and without pivoting."""

import math

from cornerlaw.kernels._numba import kernel


@kernel
def rotate(A, a, out):
    """Write out = A a."""
    x, y, z = a[0], a[1], a[2]
    out[0] = A[0, 0] * x + A[0, 1] * y + A[0, 2] * z
    out[1] = A[1, 0] * x + A[1, 1] * y + A[1, 2] * z
    out[2] = A[2, 0] * x + A[2, 1] * y + A[2, 2] * z


@kernel
def multiply(A, B, out):
    """Write out = A B for 3 x 3 matrices; out must be neither A nor B."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel
def multiply_transposed(A, B, out):
    """Write out = A B^T for 3 x 3 matrices; out must be neither A nor B."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[j, 0] + A[i, 1] * B[j, 1] + A[i, 2] * B[j, 2]


@kernel
def factor_cholesky(A, n, L):
    """Factor A = L L^T in the lower triangle of L; return -1, or the index of a pivot <= 0."""
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                if not s > 0.0:
                    return i
                L[i, i] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return -1


@kernel
def solve_cholesky(L, n, b):
    """Overwrite b with (L L^T)^-1 b."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, n):
            s -= L[k, i] * b[k]
        b[i] = s / L[i, i]


@kernel
def _take_pivot(G, n, k, L, pivot):
    """Eliminate with row pivot[k], the k-th of the factor; its Schur diagonal stands in L."""
    o = pivot[k]
    d = math.sqrt(L[o, o])
    for i in range(k + 1, n):
        s = G[pivot[i], o]
        for j in range(k):
            s -= L[pivot[i], pivot[j]] * L[o, pivot[j]]
        value = s / d
        L[pivot[i], o] = value
        L[pivot[i], pivot[i]] -= value * value
    L[o, o] = d


@kernel
def factor_pivoted(G, n, tolerance, size, L, pivot):
    """Factor P^T G P = L L^T with diagonal pivoting; return the rank and the smallest pivot.

    Pivots are compared after scaling G to unit diagonal, so that rows of different units
    are treated alike; a row whose G_ii is nothing against size_i has vanished. The factor itself
    belongs to the unscaled G. Writes pivot and L: the factor entry (i, k) stands at
    L[pivot[i], pivot[k]]. The smallest pivot is relative to size. (T-6.4)
    """
    for i in range(n):
        pivot[i] = i
        L[i, i] = G[i, i]  # running Schur diagonal, by original index
    rank = 0
    smallest = 1.0
    for k in range(n):
        best, where = -1.0, k
        for i in range(k, n):
            o = pivot[i]
            value = L[o, o] / G[o, o] if G[o, o] > tolerance * size[o] else 0.0
            if value > best:
                best, where = value, i
        if best <= tolerance:
            break
        pivot[k], pivot[where] = pivot[where], pivot[k]
        o = pivot[k]
        smallest = min(smallest, L[o, o] / size[o])
        _take_pivot(G, n, k, L, pivot)
        rank = k + 1
    return rank, smallest


@kernel
def factor_by_weight(G, n, tolerance, weight, L, pivot):
    """Factor P^T G P = L L^T, G scaled by weights on both sides; return the rank.

    G_ij = D_i A_ij D_j with weights D^2. Rows are told from dependent ones as without weights, but
    heavy ones come first: in null vectors e_i - Y e_i no entry of Y is then large, and what they
    take away from a light row is exact. Writes pivot and L as `factor_pivoted`. (T-15.5)
    """
    for i in range(n):
        pivot[i] = i
        L[i, i] = G[i, i]
    for k in range(n):
        best, where = 0.0, -1
        for i in range(k, n):
            o = pivot[i]
            value = L[o, o] / G[o, o] if G[o, o] > 0.0 else 0.0
            if value > tolerance and (where < 0 or value * weight[o] > best):
                best, where = value * weight[o], i
        if where < 0:
            return k
        pivot[k], pivot[where] = pivot[where], pivot[k]
        _take_pivot(G, n, k, L, pivot)
    return n


@kernel
def solve_pivoted(L, n, rank, pivot, C, z, b):
    """Overwrite b with the minimum-norm solution of G x = b for G = L L^T of the given rank.

    The rows of the leading pivots are solved by two triangular solves. With redundant rows the
    part of x in the null space of G is then removed: forces are the smallest ones that do the
    job. The null vectors are e_i - Y e_i, L_1^T Y = L_2^T; the pivoting bounds Y, so that this
    stays accurate next to positions where rows become dependent, where a pseudo-inverse by
    (L^T L)^-2 does not. Y is stored in the unused upper part of L; C is scratch. (T-6.5)
    """
    for k in range(rank):
        o = pivot[k]
        s = b[o]
        for j in range(k):
            s -= L[o, pivot[j]] * z[j]
        z[k] = s / L[o, o]
    for k in range(rank - 1, -1, -1):
        o = pivot[k]
        s = z[k]
        for i in range(k + 1, rank):
            s -= L[pivot[i], o] * b[pivot[i]]
        b[o] = s / L[o, o]
    if rank == n:
        return
    for i in range(rank, n):
        p = pivot[i]
        for k in range(rank - 1, -1, -1):
            o = pivot[k]
            s = L[p, o]
            for j in range(k + 1, rank):
                s -= L[pivot[j], o] * L[pivot[j], p]
            L[o, p] = s / L[o, o]
    free = n - rank
    for i in range(free):
        p = pivot[rank + i]
        for j in range(i + 1):
            o = pivot[rank + j]
            s = 1.0 if i == j else 0.0
            for k in range(rank):
                s += L[pivot[k], p] * L[pivot[k], o]
            C[i, j] = s
        s = 0.0
        for k in range(rank):
            s -= L[pivot[k], p] * b[pivot[k]]
        z[i] = s
    factor_cholesky(C, free, C)
    solve_cholesky(C, free, z)
    for i in range(free):
        b[pivot[rank + i]] = -z[i]
    for k in range(rank):
        o = pivot[k]
        s = 0.0
        for i in range(free):
            s += L[o, pivot[rank + i]] * z[i]
        b[o] += s
