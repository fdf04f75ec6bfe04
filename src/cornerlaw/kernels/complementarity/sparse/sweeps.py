"""Projected Gauss-Seidel over contacts without a matrix: the velocity is kept up to date."""

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import project_set
from cornerlaw.kernels.complementarity.sparse.rows import add_response, eval_response, row_speed

_INNER = 5  # normal and tangential updates of one contact before the next has its turn


@kernel
def _update_set(p, c, k):
    """Move the rows of set k to prox(x - r gamma) and the velocity along with them.

    Return the largest change as a velocity.
    """
    begin, end = p.start[k], p.start[k] + p.size[k]
    curvature = c.curvature[k] if c.curvature[k] > 0.0 else c.scale[begin]
    for i in range(begin, end):
        gamma = p.c[i] + row_speed(c, i, c.dv)
        c.y_set[i] = p.x[i] - gamma / curvature
    project_set(p, k, p.x, c.y_set)
    change = 0.0
    for i in range(begin, end):
        step = c.y_set[i] - p.x[i]
        if step != 0.0:
            add_response(c, i, step, c.dv)
            p.x[i] = c.y_set[i]
            change = max(change, abs(step) * c.scale[i])
    return change


@kernel
def _update_contact(p, c, k, small):
    """Solve the contact of set k nearly for itself, all others held; return the largest change."""
    total = 0.0
    for inner in range(_INNER):
        change = _update_set(p, c, k)
        if c.tied[k] < 0 and p.size[k] == 1:
            return change
        f = c.tied[k]
        while f >= 0:
            change = max(change, _update_set(p, c, f))
            f = c.next_tied[f]
        total = max(total, change)
        if change <= small:
            break
    return total


@kernel
def sweep_contacts(m, p, c, reference, max_sweeps, tolerance):
    """Sweep over all contacts until nothing moves more than a tenth of tolerance; writes p.x.

    x_i <- prox(x_i - r_i gamma_i), gamma_i = c_i + W_i dv, dv += Z_i (x_new - x_old). (T-12.20)
    """
    eval_response(m, p, c, p.x, c.dv)
    small = 0.1 * tolerance * reference
    for sweep in range(max_sweeps):
        worst = 0.0
        for k in range(p.n_sets[0]):
            if c.owner[k] == k:
                change = _update_contact(p, c, k, small)
                if not change <= worst:
                    worst = change
        if not worst > small:
            return sweep + 1
    return max_sweeps
