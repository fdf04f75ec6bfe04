"""The problem of all corners that take part: G, c and sets, with bilateral rows eliminated.

Bilateral rows hold exactly whatever the corners do, so they are taken out first:

    Y_i' = Y_i - sum_b Y_b (G_bb^-1 W_b Y_i),    G_ij = W_i Y_j'

What remains knows only the corners, and the loops can be as redundant as they like. (T-11.13)
"""

import math

from cornerlaw.arrays.compact import POSED_WHOLE
from cornerlaw.arrays.corner_work import SLIP, SLIP_MINUS, SLIP_PLUS
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.arrays.kinds import FACTOR_TREE
from cornerlaw.arrays.problem import BALL, INTERVAL
from cornerlaw.arrays.status import OK, TOO_MANY_CONTACTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.compliance import is_posed
from cornerlaw.kernels.late import call
from cornerlaw.kernels.linalg import factor_pivoted, solve_pivoted

RANK_TOLERANCE = 1e-13
STILL = 1e-12  # mobility of a row that bilateral rows hold, of that which it has without them


@kernel
def dot_row(m, a, b):
    """Return sum a_j b_j over all velocities."""
    s = 0.0
    for j in range(m.nu):
        s += a[j] * b[j]
    return s


@kernel
def factor_bilateral(m, w):
    """Write Y and the factor of G for the bilateral rows; needs their W and a factored mass."""
    n = m.n_rows
    for i in range(n):
        call(m.stages.invert, m, w, w.W[i], w.Y[i])
    for i in range(n):
        for j in range(i + 1):
            w.G[i, j] = dot_row(m, w.W[i], w.Y[j])
            w.G[j, i] = w.G[i, j]
        w.row_size[i] = w.G[i, i]
    if n > 0:
        rank, _ = factor_pivoted(w.G, n, RANK_TOLERANCE, w.row_size, w.L, w.pivot)
        w.rank[0] = rank


@kernel
def release_bilateral(m, w, y, reaction):
    """Make the bilateral rows, which move at w.rhs, stand still: y -= Y G^-1 rhs.

    Writes the multipliers that do it to `reaction`.
    """
    n = m.n_rows
    solve_pivoted(w.L, n, w.rank[0], w.pivot, w.LtL, w.z, w.rhs)
    for b in range(n):
        s, Yb = w.rhs[b], w.Y[b]
        reaction[b] = -s
        for j in range(m.nu):
            y[j] -= s * Yb[j]


@kernel
def invert_force(m, w, i, z):
    """Write z = M^-1 (W + V)_i, what a unit of multiplier i does to the velocities. (T-11.14)"""
    call(m.stages.invert, m, w, w.W[i], z)
    if m.rows.V_address[i] != 0:
        y = w.k.V_response
        call(m.stages.invert, m, w, w.W[m.rows.kind.size + i], y)
        for j in range(m.nu):
            z[j] += y[j]


@kernel
def invert_row(m, w, i):
    """Write Z_i = M^-1 (W + V)_i, held on the bilateral rows, and their reactions to it.

    A row that these rows hold still has no response. What rounding leaves of it would be taken
    for a huge mass, and forces of any size and sign would do. (T-11.18)
    """
    z = w.k.Z[i]
    invert_force(m, w, i, z)
    if m.n_rows > 0:
        for b in range(m.n_rows):
            w.rhs[b] = dot_row(m, w.W[b], z)
        free = dot_row(m, w.W[i], z)
        release_bilateral(m, w, z, w.k.R[i])
        # with V a force may well drive its own row
        if m.rows.V_address[i] == 0 and dot_row(m, w.W[i], z) <= STILL * free:
            for j in range(m.nu):
                z[j] = 0.0
            for b in range(m.n_rows):
                w.k.R[i, b] = 0.0


@kernel
def clear_still_rows(m, w):
    """Clear the rows of G whose multiplier moves nothing: nothing moves them, either. (T-11.18)"""
    k, p, n = w.k, w.k.problem, w.k.n_active[0]
    for a in range(n):
        Z = k.Z[k.active[a]]
        if m.n_rows > 0 and p.G[a, a] == 0.0 and dot_row(m, Z, Z) == 0.0:
            for b in range(n):
                p.G[a, b] = 0.0


@kernel
def clear_still_speeds(m, w):
    """Clear the speeds of rows that are held still, where they are rounding. (T-11.18)

    Rounding is judged by the fastest velocity of the model, since that of a locked joint is
    nothing but rounding itself; k.du is the change of the velocity in the step.
    """
    k, p, fastest = w.k, w.k.problem, 0.0
    for j in range(m.nu):
        fastest = max(fastest, abs(k.u[j]) + abs(k.du[j]))
    for a in range(p.n[0]):
        W, Z = w.W[k.active[a]], k.Z[k.active[a]]
        if p.G[a, a] != 0.0 or dot_row(m, Z, Z) != 0.0:
            continue
        size = 0.0
        for j in range(m.nu):
            size += abs(W[j])
        if abs(p.c[a]) <= 1e-10 * size * fastest:
            p.c[a] = 0.0


@kernel
def _add_set(p, place, size, master, lower_0, lower_1, upper_0, upper_1):
    s = p.n_sets[0]
    p.n_sets[0] = s + 1
    p.kind[s] = INTERVAL if size == 1 else BALL
    p.start[s] = place
    p.size[s] = size
    p.master[s] = master
    p.lower_0[s] = lower_0
    p.lower_1[s] = lower_1
    p.upper_0[s] = upper_0
    p.upper_1[s] = upper_1


@kernel
def _over(end, duration):
    """Return the impulse of a force at the end of a set; an infinite one stays infinite."""
    return end if math.isinf(end) else end * duration


@kernel
def collect_sets(m, w, duration):
    """Number the rows of all corners that take part and write their sets.

    A corner whose sliding direction is known has no friction rows of its own: its friction force
    goes along with the normal one. Given bounds are forces; `duration` makes impulses of them.
    (T-11.2) (T-11.15)
    """
    corners, k, p = m.corners, w.k, w.k.problem
    n = 0
    p.n_sets[0] = 0
    for c in range(k.closed.size):
        i, j, size = corners.row_N[c], corners.row_T[c], corners.n_T[c]
        if i >= 0:
            k.place[i] = -1
        for a in range(size):
            k.place[j + a] = -1
        if k.closed[c] == 0:
            continue
        if i >= 0 and is_posed(m, w, c):
            k.place[i] = n
            k.active[n] = i
            _add_set(p, n, 1, -1, 0.0, 0.0, math.inf, 0.0)
            n += 1
        if j < 0 or k.sliding[c] == 1:
            continue
        for a in range(size):
            k.place[j + a] = n + a
            k.active[n + a] = j + a
        if corners.load[c] == LOAD_NORMAL and corners.load_row[c] >= 0:
            mu, load = k.mu[c], k.place[corners.load_row[c]]
            _add_set(p, n, size, load, 0.0, -mu * corners.mu_minus[c], 0.0, mu)
        else:
            lower, upper = _over(k.lower[c], duration), _over(k.bound[c], duration)
            _add_set(p, n, size, -1, lower, 0.0, upper, 0.0)
        n += size
    p.n[0] = n
    k.n_active[0] = n
    return OK


@kernel
def slide_factor(m, w, c, a):
    """Return friction row a per unit of load of a corner that slides: -mu forward, +mu backward.

    With several rows it is -mu times the direction of sliding.
    """
    k = w.k
    if k.status[c] == SLIP:
        return -k.mu[c] * k.slip[c, a]
    if k.status[c] == SLIP_PLUS:
        return -k.mu[c] * m.corners.mu_minus[c]
    if k.status[c] == SLIP_MINUS:
        return k.mu[c]
    return 0.0


@kernel
def _assemble_delassus(m, w):
    """Write G of the collected rows; needs W, a factored mass and factored bilateral rows.

    The column of a normal row whose contact slides holds W_N - s mu W_T: G is then not symmetric.
    (T-11.14)
    """
    corners, k, p = m.corners, w.k, w.k.problem
    n = k.n_active[0]
    # loops, rods and blocks join what the tree keeps apart
    couple = m.n_rows > 0 or m.blocks.n.size > 0 or m.factor != FACTOR_TREE
    couple = couple or w.W.shape[0] > m.rows.kind.size
    for a in range(n):
        invert_row(m, w, k.active[a])
    for c in range(k.closed.size):
        j = corners.row_T[c]
        if k.closed[c] == 0 or k.sliding[c] == 0 or j < 0:
            continue
        i = corners.load_row[c]
        if i < 0 or corners.load[c] != LOAD_NORMAL or k.mu[c] == 0.0:
            continue
        couple = couple or corners.slot[c] < 0
        for a in range(corners.n_T[c]):
            factor = slide_factor(m, w, c, a)
            invert_row(m, w, j + a)
            for x in range(m.nu):
                k.Z[i, x] += factor * k.Z[j + a, x]
            for b in range(m.n_rows):
                k.R[i, b] += factor * k.R[j + a, b]
    for a in range(n):
        _list_columns(m, w, k.active[a])
    for a in range(n):
        i = k.active[a]
        for b in range(n):
            j, s = k.active[b], 0.0
            if couple or _share_branch(k, i, j):
                Zj = k.Z[j]
                for x in range(k.n_column[i]):
                    y = k.column[i, x]
                    s += w.W[i, y] * Zj[y]
            p.G[a, b] = s
    clear_still_rows(m, w)


@kernel
def _list_columns(m, w, i):
    """List where row i is not zero, and the first and last branch of the tree it acts on."""
    k, count, first, last = w.k, 0, m.nu, -1
    for x in range(m.nu):
        if w.W[i, x] != 0.0:
            k.column[i, count] = x
            count += 1
            first, last = min(first, m.tree.branch[x]), max(last, m.tree.branch[x])
    k.n_column[i] = count
    k.reach[i, 0], k.reach[i, 1] = first, last
    # rows of more than two branches meet all others
    for x in range(count):
        b = m.tree.branch[k.column[i, x]]
        if b != first and b != last:
            k.reach[i, 0] = -1


@kernel
def _share_branch(k, i, j):
    """Tell whether a force on row j can move row i: both act on one branch of the tree."""
    a, b, c, d = k.reach[i, 0], k.reach[i, 1], k.reach[j, 0], k.reach[j, 1]
    return a < 0 or c < 0 or a == c or a == d or b == c or b == d


@kernel
def apply_multipliers(m, w, du):
    """Write the multipliers of all rows to k.lam and du = sum Z_i x_i.

    Friction that goes along with the normal force of a sliding contact is written too.
    """
    corners, k, p = m.corners, w.k, w.k.problem
    for i in range(k.lam.size):
        k.lam[i] = 0.0
    for b in range(m.n_rows):
        k.lam[b] = k.base[b]
    for j in range(m.nu):
        du[j] = 0.0
    for a in range(k.n_active[0]):
        i, x = k.active[a], p.x[a]
        k.lam[i] = x
        if x != 0.0:
            for j in range(m.nu):
                du[j] += k.Z[i, j] * x
            for b in range(m.n_rows):
                k.lam[b] += k.R[i, b] * x
    for c in range(k.closed.size):
        i, j = corners.load_row[c], corners.row_T[c]
        if k.closed[c] == 1 and k.sliding[c] == 1 and i >= 0 and j >= 0:
            for a in range(corners.n_T[c]):
                k.lam[j + a] = slide_factor(m, w, c, a) * k.lam[i]


@kernel
def add_compliance(m, w, duration):
    """Add R over the duration to the diagonal of G in the problem of a time step. (T-11.19)"""
    k, p = w.k, w.k.problem
    for a in range(k.n_active[0]):
        R = m.corners.R[k.corner_of[k.active[a] - m.n_rows]]
        if R > 0.0:
            p.G[a, a] += R / duration


@kernel
def pose_problem(m, w, duration):
    """Number the rows of all corners that take part, write their sets and G. (T-11.1)

    Given friction bounds are forces; `duration` makes impulses of them. Needs W of the rows, a
    factored mass and factored bilateral rows.
    """
    k = w.k
    code = collect_sets(m, w, duration)
    k.compact.posed[0] = POSED_WHOLE
    if code == OK and k.n_active[0] > k.problem.G.shape[0]:
        code = TOO_MANY_CONTACTS
    if code == OK:
        _assemble_delassus(m, w)
        if k.implicit[0] == 1:
            add_compliance(m, w, duration)
    return code
