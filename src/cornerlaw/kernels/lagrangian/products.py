"""Products with constant masses and rows, kept in full or without zeros."""

from cornerlaw.arrays.constant_rows import HAS_GAP
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.lagrangian.fours import add_scaled, combine, dot, dot_and_size


@inlined
def is_sparse(fixed):
    """Tell whether the matrices are kept without zeros."""
    return fixed.rows.start.size > 0


@inlined
def sum_row(A, i, x):
    """Return row i of a matrix without zeros times x."""
    s = 0.0
    for y in range(A.start[i], A.start[i + 1]):
        s += A.value[y] * x[A.column[y]]
    return s


@inlined
def add_row(A, i, factor, x):
    """Add a multiple of row i to x."""
    for y in range(A.start[i], A.start[i + 1]):
        x[A.column[y]] += factor * A.value[y]


@inlined
def row_times(fixed, i, x):
    """Return W_i x."""
    return sum_row(fixed.rows, i, x) if is_sparse(fixed) else dot(fixed.W, i, x)


@kernel
def _sum_row_and_size(A, i, x):
    """Return row i times x, and the sum of the sizes of its terms."""
    s, size = 0.0, 0.0
    for y in range(A.start[i], A.start[i + 1]):
        term = A.value[y] * x[A.column[y]]
        s += term
        size += abs(term)
    return s, size


@inlined
def row_times_and_size(fixed, i, x):
    """Return W_i x, and the sum of the sizes of its terms."""
    if is_sparse(fixed):
        return _sum_row_and_size(fixed.rows, i, x)
    return dot_and_size(fixed.W, i, x)


@inlined
def add_response(fixed, i, factor, u):
    """Add the velocity that a multiplier of row i makes: u += factor Z_i."""
    if is_sparse(fixed):
        add_row(fixed.response, i, factor, u)
    else:
        add_scaled(u, factor, fixed.Z[i], u)


@inlined
def own_mobility(fixed, i):
    """Return G_ii."""
    return fixed.coupling.value[fixed.coupling.start[i]] if is_sparse(fixed) else fixed.G[i, i]


@kernel
def _change_sparse(fixed, dt, n):
    """Write du = dt M^-1 Q row by row."""
    for j in range(n):
        fixed.du[j] = dt * sum_row(fixed.inverse_rows, j, fixed.Q)


@inlined
def write_change(fixed, dt):
    """Write the change of velocity by the forces Q in a step: du = dt M^-1 Q."""
    if is_sparse(fixed):
        _change_sparse(fixed, dt, fixed.inverse_rows.start.size - 1)
    else:
        combine(fixed.zero, dt, fixed.inverse, fixed.Q, fixed.du)


@kernel
def _gaps_sparse(fixed, corners, begin, q):
    """Write the gaps corner by corner."""
    for c in range(fixed.kind.size):
        gap = begin[c]
        if fixed.kind[c] & HAS_GAP:
            gap += sum_row(fixed.rows, corners.row_N[c], q)
        fixed.gaps[c] = gap


@inlined
def write_gaps(fixed, corners, begin, q):
    """Write the gaps at a position; `begin` holds those at q = 0 and what stands for none."""
    if is_sparse(fixed):
        _gaps_sparse(fixed, corners, begin, q)
    else:
        combine(begin, 1.0, fixed.normal, q, fixed.gaps)
