"""Forces of held rows that are not unique, inside the sets of their laws.

All forces x = x_ref + D y with A D y = rhs give the same motion: y = y_s + N^T z, with the even
shares y_s and an orthonormal basis N of what A D does not see. Of those in all sets the ones with
the smallest |y|, hence with the smallest |z|, are found by the dual active set method of
[GoldfarbIdnani1983]: from z = 0 on, the law that is left the furthest is added to those that hold
as an equation, and others are dropped whose multiplier falls to zero. A disc gets a tangent plane
where it is left, and another one until it is left no more. (T-15.7)
"""

import math

from cornerlaw.arrays.corner_work import STICK
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.kernels._numba import kernel

NORMAL, UPPER, LOWER = 0, 1, 2  # laws of a corner: it does not pull, and two ends of its friction
INSIDE = 1e-12  # of the largest force: rounding of one that is at the end of its set
OUTSIDE = 1e-9  # of the largest force: what an event takes for rounding
DEPENDENT = 1e-11  # of a row of A D: what others leave of it if it depends on them
PARALLEL = 1e-9  # of a gradient: what others leave of it if no step satisfies all of them
VISITS = 20  # laws that may be added for every row before the search ends


@kernel
def _force(k, i):
    """Return the force of row i: of a held one that at hand, else the one that is known."""
    a = k.held_at[i]
    return k.lam_ref[i] + k.share[a] * k.x[a] if a >= 0 else k.lam[i]


@kernel
def _follows_multipliers(corners, c):
    """Tell whether the bound of a corner is an affine function of multipliers."""
    return corners.load[c] != LOAD_NORMAL and corners.affine[c] >= 0


@kernel
def _radius(m, w, c):
    """Return the friction bound of a corner under the forces at hand. (T-11.15)"""
    corners, k = m.corners, w.k
    if corners.load[c] == LOAD_NORMAL and corners.load_row[c] >= 0:
        return k.mu[c] * _force(k, corners.load_row[c])
    if not _follows_multipliers(corners, c):
        return k.bound[c]
    start, affine = corners.load_start[c], corners.affine[c]
    total = corners.data[affine]
    for n in range(corners.load_count[c]):
        total += corners.data[affine + 1 + n] * _force(k, corners.lists[start + n])
    return corners.load_factor[c] * k.mu[c] * total * w.ends[corners.row_T[c], 2]


@kernel
def _add_force(k, i, factor):
    """Add the derivative of a force to k.y, by place."""
    if k.held_at[i] >= 0:
        k.y[k.held_at[i]] += factor


@kernel
def _add_radius(m, w, c, factor):
    """Add the derivative of a friction bound to k.y."""
    corners, k = m.corners, w.k
    if corners.load[c] == LOAD_NORMAL and corners.load_row[c] >= 0:
        _add_force(k, corners.load_row[c], factor * k.mu[c])
    elif _follows_multipliers(corners, c):
        start, affine = corners.load_start[c], corners.affine[c]
        factor *= corners.load_factor[c] * k.mu[c] * w.ends[corners.row_T[c], 2]
        for n in range(corners.load_count[c]):
            _add_force(k, corners.lists[start + n], factor * corners.data[affine + 1 + n])


@kernel
def _has_own_lower_end(corners, c):
    """Tell whether the lower end of a friction set does not follow the upper one."""
    return corners.load[c] != LOAD_NORMAL and (
        corners.affine[c] < 0 or corners.lower_signal[c] >= 0
    )


@kernel
def _excess(m, w, c, side):
    """Return by how much the forces at hand leave a set, negative inside, -inf without this law."""
    corners, k = m.corners, w.k
    if side == NORMAL:
        i = corners.row_N[c]
        return -_force(k, i) if i >= 0 and k.held_at[i] >= 0 else -math.inf
    j = corners.row_T[c]
    if j < 0 or k.status[c] != STICK or k.held_at[j] < 0:
        return -math.inf
    if corners.n_T[c] > 1:
        size = 0.0
        for a in range(corners.n_T[c]):
            size += _force(k, j + a) ** 2
        return math.sqrt(size) - _radius(m, w, c) if side == UPPER else -math.inf
    if side == UPPER:
        return _force(k, j) - _radius(m, w, c)
    if _has_own_lower_end(corners, c):
        return k.lower[c] - _force(k, j)
    return -corners.mu_minus[c] * _radius(m, w, c) - _force(k, j)


@kernel
def _write_gradient(m, w, n, rank, c, side):
    """Write the way in z on which the excess falls fastest to k.z; return its square, 0 if none.

    That of a disc is the one of its tangent plane at the forces at hand.
    """
    corners, k = m.corners, w.k
    for a in range(n):
        k.y[a] = 0.0
    j = corners.row_T[c]
    if side == NORMAL:
        _add_force(k, corners.row_N[c], 1.0)
    elif side == LOWER:
        _add_force(k, j, 1.0)
        if not _has_own_lower_end(corners, c):
            _add_radius(m, w, c, corners.mu_minus[c])
    else:
        size = 0.0
        for a in range(corners.n_T[c]):
            size += _force(k, j + a) ** 2
        size = math.sqrt(size)
        for a in range(corners.n_T[c]):
            part = _force(k, j + a) / size if size > 0.0 else 0.0
            _add_force(k, j + a, -part if corners.n_T[c] > 1 else -1.0)
        _add_radius(m, w, c, 1.0)
    whole, seen = 0.0, 0.0
    for a in range(n):
        k.y[a] *= k.share[a]
        whole += k.y[a] * k.y[a]
    for a in range(n - rank):
        N, s = k.A[rank + a], 0.0
        for b in range(n):
            s += N[b] * k.y[b]
        k.z[a] = s
        seen += s * s
    return seen if seen > PARALLEL * PARALLEL * whole else 0.0


@kernel
def _remove(A, row, first, n):
    """Make a row orthogonal to the first ones, which are orthonormal; return its square."""
    size = 0.0
    for i in range(first):
        s = 0.0
        for j in range(n):
            s += A[i, j] * A[row, j]
        for j in range(n):
            A[row, j] -= s * A[i, j]
    for j in range(n):
        size += A[row, j] * A[row, j]
    return size


@kernel
def _scale_row(A, row, n, factor):
    for j in range(n):
        A[row, j] *= factor


@kernel
def _span_rows(A, n):
    """Overwrite the first rows of A with an orthonormal basis of all of them; return how many.

    Rows are of unit size first and taken by what those before leave of them. Each is made
    orthogonal once more before its turn, since nearly dependent ones have lost digits.
    """
    for i in range(n):
        size = _remove(A, i, 0, n)
        if size > 0.0:
            _scale_row(A, i, n, 1.0 / math.sqrt(size))
    rank = 0
    for _ in range(n):
        best, where = DEPENDENT * DEPENDENT, -1
        for i in range(rank, n):
            size = _remove(A, i, 0, n)
            if size > best:
                best, where = size, i
        if where < 0:
            break
        for j in range(n):
            A[rank, j], A[where, j] = A[where, j], A[rank, j]
        size = _remove(A, rank, rank, n)
        if not size > DEPENDENT * DEPENDENT:
            _scale_row(A, rank, n, 0.0)
            continue
        _scale_row(A, rank, n, 1.0 / math.sqrt(size))
        for i in range(rank + 1, n):
            s = 0.0
            for j in range(n):
                s += A[rank, j] * A[i, j]
            for j in range(n):
                A[i, j] -= s * A[rank, j]
        rank += 1
    return rank


@kernel
def write_null_space(A, n):
    """Overwrite A with orthonormal rows: its own span first, then what it does not see.

    Return the rank. The second part is made of the unit vectors that are farthest from all before.
    """
    rank = _span_rows(A, n)
    for row in range(rank, n):
        best, where = -1.0, 0
        for j in range(n):
            left = 1.0
            for i in range(row):
                left -= A[i, j] * A[i, j]
            if left > best:
                best, where = left, j
        for j in range(n):
            A[row, j] = 1.0 if j == where else 0.0
        for _ in range(2):
            _scale_row(A, row, n, 1.0 / math.sqrt(_remove(A, row, row, n)))
    return rank


@kernel
def _factor_active(k, first, q, d):
    """Write Q and R of the gradients of the active laws from one on: G = R^T Q, Q orthonormal."""
    G, Q, R = k.A_copy, k.L, k.LtL
    for i in range(first, q):
        for a in range(d):
            Q[i, a] = G[i, a]
        for j in range(i):
            R[j, i] = 0.0
        for _ in range(2):
            for j in range(i):
                s = 0.0
                for a in range(d):
                    s += Q[j, a] * Q[i, a]
                R[j, i] += s
                for a in range(d):
                    Q[i, a] -= s * Q[j, a]
        size = 0.0
        for a in range(d):
            size += Q[i, a] * Q[i, a]
        R[i, i] = math.sqrt(size)
        _scale_row(Q, i, d, 1.0 / R[i, i])


@kernel
def _split_gradient(k, q, d):
    """Write the part of k.z that no active law has to k.size, and the others' factors to k.rhs.

    Return the square of that part.
    """
    Q, R, way, factor = k.L, k.LtL, k.size, k.rhs
    for a in range(d):
        way[a] = k.z[a]
    for i in range(q):
        factor[i] = 0.0
    for _ in range(2):
        for i in range(q):
            s = 0.0
            for a in range(d):
                s += Q[i, a] * way[a]
            factor[i] += s
            for a in range(d):
                way[a] -= s * Q[i, a]
    for i in range(q - 1, -1, -1):
        s = factor[i]
        for j in range(i + 1, q):
            s -= R[i, j] * factor[j]
        factor[i] = s / R[i, i]
    size = 0.0
    for a in range(d):
        size += way[a] * way[a]
    return size


@kernel
def _drop(k, n, q, out, d):
    """Take one of the q active laws out."""
    u = k.L[n - 1]
    for i in range(out, q - 1):
        u[i] = u[i + 1]
        for a in range(d):
            k.A_copy[i, a] = k.A_copy[i + 1, a]
    _factor_active(k, out, q - 1, d)


@kernel
def _satisfy(k, n, rank, q, excess, size):
    """Add the law whose gradient is k.z to the q active ones; return how many there are then.

    Return -1 if it cannot hold beside them. The multipliers stand in the last row of k.L, which no
    active law needs.
    """
    d, u, own = n - rank, k.L[n - 1], 0.0
    while True:
        free = _split_gradient(k, q, d)
        longest, out = math.inf, -1
        for i in range(q):
            if k.rhs[i] > 0.0 and u[i] < longest * k.rhs[i]:
                longest, out = u[i] / k.rhs[i], i
        full = excess / free if free > PARALLEL * PARALLEL * size else math.inf
        step = min(full, longest)
        if math.isinf(step):
            return -1
        for i in range(q):
            u[i] -= step * k.rhs[i]
        own += step
        if not math.isinf(full):
            excess -= step * free
            for a in range(d):
                N = k.A[rank + a]
                for b in range(n):
                    k.x[b] += step * k.size[a] * N[b]
        if full <= longest:
            u[q] = own
            for a in range(d):
                k.A_copy[q, a] = k.z[a]
            _factor_active(k, q, q + 1, d)
            return q + 1
        _drop(k, n, q, out, d)
        q -= 1


@kernel
def _find_worst(m, w):
    """Return the law that is left the furthest, of those not given up: corner, side and excess."""
    k, worst, corner, side = w.k, -math.inf, -1, 0
    for c in range(k.status.size):
        for s in range(3):
            if k.pivot[c] & (1 << s) == 0:
                excess = _excess(m, w, c, s)
                if excess > worst:
                    worst, corner, side = excess, c, s
    return corner, side, worst


@kernel
def _sum_excess(m, w):
    """Return the sum of all by which the forces at hand leave their sets."""
    total = 0.0
    for c in range(w.k.status.size):
        for side in range(3):
            total += max(0.0, _excess(m, w, c, side))
    return total


@kernel
def _search(m, w, n, rank, small):
    """Change k.x along N until no law is left that can hold; return whether that was reached.

    A law that cannot hold beside the others, as behind a jump of a force, is given up.
    """
    k, q, start = w.k, 0, w.k.A_copy[n - 1]
    for _ in range(VISITS * (n + 5)):
        c, side, excess = _find_worst(m, w)
        if not excess > small:
            return True
        size = _write_gradient(m, w, n, rank, c, side)
        q = _satisfy(k, n, rank, q, excess, size) if size > 0.0 else -1
        if q < 0:
            k.pivot[c] |= 1 << side
            q = 0
            for a in range(n):
                k.x[a] = start[a]
    return False


@kernel
def admit_forces(m, w, n):
    """Bring even shares k.x that leave the sets of their corners inside, where that is possible.

    Where it is not, a run keeps to the even shares, whose corners then meet in one event, and a
    stored row shows what is left by least.
    Needs the scaled matrix A D in k.A and overwrites it. (T-15.7)
    """
    k, largest = w.k, 0.0
    for a in range(n):
        largest = max(largest, abs(_force(k, k.active[a])))
    for c in range(k.status.size):
        k.pivot[c] = 0
    small = INSIDE * largest
    _, _, excess = _find_worst(m, w)
    if not excess > small:
        return
    rank = write_null_space(k.A, n)
    if rank == 0 or rank == n:
        return
    before, start = _sum_excess(m, w), k.A_copy[n - 1]
    for a in range(n):
        start[a] = k.x[a]
    found, after = _search(m, w, n, rank, small), _sum_excess(m, w)
    # which law is given up may change from state to state; a run needs one that all states agree on
    outside = k.given[0] == 0 and after > OUTSIDE * largest
    if outside or (not found and after >= before):
        for a in range(n):
            k.x[a] = start[a]
