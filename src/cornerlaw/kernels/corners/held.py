"""Rows that are held between events: their matrix, and its solution of any rank and symmetry."""

import math

from cornerlaw.arrays.corner_work import SLIP, SLIP_MINUS, SLIP_PLUS
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.admissible import admit_forces
from cornerlaw.kernels.corners.problem import dot_row, invert_force, slide_factor
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import factor_by_weight, factor_pivoted, solve_pivoted

RANK_TOLERANCE = 1e-13
STORED_ROW = 2  # k.given of a stored row, whose forces are found anew
SHARED = 1  # forces are not unique: they are shared by what rows can carry
SAFE_PIVOT = 1e-10  # below this fraction of the largest entry rows count as dependent


@kernel
def is_sliding(status):
    """Return whether a state is one of sliding."""
    return status == SLIP_PLUS or status == SLIP_MINUS or status == SLIP


@kernel
def assemble_held(m, w, n, with_friction):
    """Write Z and A of the listed rows; return 1 if A is symmetric, else 0."""
    corners, k = m.corners, w.k
    symmetric = True
    for i in range(k.held_at.size):
        k.held_at[i] = -1
    for a in range(n):
        i = k.active[a]
        k.held_at[i] = a
        if with_friction == 1:
            symmetric = symmetric and m.rows.V_address[i] == 0
            invert_force(m, w, i, k.Z[i])
        else:
            # corrections move along W alone
            call(m.stages.invert, m, w, w.W[i], k.Z[i])
    if with_friction == 1:
        for c in range(k.status.size):
            i, j = corners.load_row[c], corners.row_T[c]
            if j < 0 or not is_sliding(k.status[c]):
                continue
            for a in range(corners.n_T[c]):
                invert_force(m, w, j + a, k.Z[j + a])
                if i >= 0 and corners.load[c] == LOAD_NORMAL:
                    factor = slide_factor(m, w, c, a)
                    symmetric = symmetric and factor == 0.0
                    for x in range(m.nu):
                        k.Z[i, x] += factor * k.Z[j + a, x]
    for a in range(n):
        Wa = w.W[k.active[a]]
        for b in range(n):
            k.A[a, b] = dot_row(m, Wa, k.Z[k.active[b]])
    return 1 if symmetric else 0


@kernel
def _eliminate(A, n, pivot):
    """Overwrite A with its factors by partial pivoting; return the smallest scaled pivot."""
    largest = 0.0
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(A[i, j]))
    smallest = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        pivot[k] = p
        if p != k:
            for j in range(n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
        d = A[k, k]
        smallest = min(smallest, abs(d) / largest) if largest > 0.0 else 0.0
        if d == 0.0:
            return 0.0
        for i in range(k + 1, n):
            f = A[i, k] / d
            A[i, k] = f
            for j in range(k + 1, n):
                A[i, j] -= f * A[k, j]
    return smallest


@kernel
def _substitute(A, n, pivot, b):
    """Overwrite b with the solution of the factored system."""
    for k in range(n):
        p = pivot[k]
        if p != k:
            b[k], b[p] = b[p], b[k]
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


@kernel
def _solve_least(k, n):
    """Add the smallest x with A x = rhs to k.x by the normal equations, refined; return the rank.

    x = A^T (A A^T)^+ rhs. (T-15.6)
    """
    A, S = k.A, k.A_copy
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for a in range(n):
                s += A[i, a] * A[j, a]
            S[i, j] = s
            S[j, i] = s
        k.size[i] = S[i, i]
    rank, _ = factor_pivoted(S, n, RANK_TOLERANCE, k.size, k.L, k.pivot)
    for _ in range(3):
        for i in range(n):
            s = k.rhs[i]
            for j in range(n):
                s -= A[i, j] * k.x[j]
            k.y[i] = s
        solve_pivoted(k.L, n, rank, k.pivot, k.LtL, k.z, k.y)
        for j in range(n):
            s = 0.0
            for i in range(n):
                s += A[i, j] * k.y[i]
            k.x[j] += s
    return rank


@kernel
def _solve_symmetric(k, n, weighted):
    """Add the smallest x with A x = rhs to k.x, A symmetric and of any rank; return the rank.

    `weighted` tells that A is scaled by the roots of the shares on both sides. (T-15.5)
    """
    A = k.A
    if weighted:
        for i in range(n):
            k.size[i] = k.share[i] * k.share[i]
        rank = factor_by_weight(A, n, RANK_TOLERANCE, k.size, k.L, k.pivot)
    else:
        for i in range(n):
            k.size[i] = A[i, i]
        rank, _ = factor_pivoted(A, n, RANK_TOLERANCE, k.size, k.L, k.pivot)
    for _ in range(2):
        for i in range(n):
            s = k.rhs[i]
            for j in range(n):
                s -= A[i, j] * k.x[j]
            k.y[i] = s
        solve_pivoted(k.L, n, rank, k.pivot, k.LtL, k.z, k.y)
        for i in range(n):
            k.x[i] += k.y[i]
    return rank


@kernel
def _eval_shares(m, w, n):
    """Write the root of what each held row can carry: a friction row its bound, others the most.

    Needs a first solution in k.x, whose normal forces are taken.
    """
    corners, k = m.corners, w.k
    largest = 1e-300
    for a in range(n):
        largest = max(largest, abs(k.x[a]))
    for a in range(n):
        i = k.active[a]
        k.share[a] = math.sqrt(largest)
        if i < m.n_rows:
            continue
        c = k.corner_of[i - m.n_rows]
        if i == corners.row_N[c]:
            continue
        bound = k.bound[c]
        if corners.load[c] == LOAD_NORMAL:
            place = k.held_at[corners.load_row[c]]
            bound = k.mu[c] * abs(k.x[place]) if place >= 0 else 0.0
        # a bilateral row among them carries as much as any
        k.share[a] = math.sqrt(max(largest if math.isinf(bound) else bound, 1e-6 * largest))


@kernel
def _solve_scaled(k, n, symmetric):
    """Write the smallest solution of the scaled rows to k.x."""
    for i in range(n):
        k.x[i] = 0.0
    if symmetric == 1:
        _solve_symmetric(k, n, True)
    else:
        _solve_least(k, n)


@kernel
def _share_forces(m, w, n, symmetric):
    """Solve again so that forces that are not unique use what their rows can carry evenly.

    x = x_ref + D y with the roots D of the shares, y the smallest solution of A D y = rhs - A
    x_ref: sum x^2 / share is least, so that rows that do the same carry in proportion to their
    shares. Two corners of a block then reach the limit of friction together, and sliding begins
    when the whole block must. Forces that would leave their sets are brought back, where others do
    the same inside. (T-15.6) (T-15.7)
    """
    k = w.k
    _eval_shares(m, w, n)
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += k.A[i, j] * k.lam_ref[k.active[j]]
        k.rhs[i] -= s
    for i in range(n):
        for j in range(n):
            k.A[i, j] *= k.share[j] * (k.share[i] if symmetric == 1 else 1.0)
        if symmetric == 1:
            k.rhs[i] *= k.share[i]
    _solve_scaled(k, n, symmetric)
    admit_forces(m, w, n)
    for i in range(n):
        k.x[i] = k.lam_ref[k.active[i]] + k.share[i] * k.x[i]


@kernel
def solve_held(m, w, n, symmetric, share):
    """Solve A x = rhs for the held rows into k.x; overwrites A and rhs where rows are dependent.

    Forces of dependent rows are not unique: with `share` they are spread by what the rows can
    carry, else they are the smallest ones. Return SHARED if they were. (T-15.5)
    """
    k = w.k
    for i in range(n):
        k.x[i] = 0.0
    if n == 0:
        return OK
    if symmetric == 1:
        rank = _solve_symmetric(k, n, False)
    else:
        for i in range(n):
            for j in range(n):
                k.A_copy[i, j] = k.A[i, j]
        if _eliminate(k.A_copy, n, k.pivot) > SAFE_PIVOT:
            for i in range(n):
                k.x[i] = k.rhs[i]
            _substitute(k.A_copy, n, k.pivot, k.x)
            return OK
        rank = _solve_least(k, n)
    if share == 1 and rank < n:
        _share_forces(m, w, n, symmetric)
        return SHARED
    return OK
