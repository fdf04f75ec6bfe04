"""Projected Gauss-Seidel, contact by contact."""

from cornerlaw.arrays.problem import NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_SWEEPS, RELAXATION, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import prepare, project_set
from cornerlaw.kernels.complementarity.verify import residual

# normal and tangential updates of one contact before the next contact has its turn
_INNER = 5


@kernel
def _block_curvature(p, k):
    """Return 1/r of a set: G_ii of one row, a bound of the largest eigenvalue of more rows."""
    begin, end = p.start[k], p.start[k] + p.size[k]
    largest = 0.0
    for i in range(begin, end):
        total = 0.0
        for j in range(begin, end):
            total += abs(p.G[i, j])
        largest = max(largest, total)
    return largest


@kernel
def _update_set(p, s, k, relaxation):
    """Move the rows of set k to prox(x - r gamma); return the largest change as a velocity.

    Writes p.x and keeps p.gamma of the rows of the same contact up to date.
    """
    curvature = _block_curvature(p, k)
    if not curvature > 0.0:
        curvature = s.scale[p.start[k]]
    begin, end = p.start[k], p.start[k] + p.size[k]
    for i in range(begin, end):
        s.y[i] = p.x[i] - p.gamma[i] / curvature
    project_set(p, k, p.x, s.y)
    if relaxation != 1.0:
        for i in range(begin, end):
            s.y[i] = p.x[i] + relaxation * (s.y[i] - p.x[i])
        project_set(p, k, p.x, s.y)
    change = 0.0
    for i in range(begin, end):
        s.step[i] = s.y[i] - p.x[i]
        p.x[i] = s.y[i]
        change = max(change, abs(s.step[i]) * s.scale[i])
    return change


@kernel
def _correct_gamma(p, s, k, target):
    """Add the effect of the last change of set k on the rows of set `target`."""
    for i in range(p.start[target], p.start[target] + p.size[target]):
        for j in range(p.start[k], p.start[k] + p.size[k]):
            p.gamma[i] += p.G[i, j] * s.step[j]


@kernel
def _eval_rows(p, k):
    """Write gamma of the rows of set k."""
    n = p.n[0]
    for i in range(p.start[k], p.start[k] + p.size[k]):
        total = p.c[i]
        row = p.G[i]
        for j in range(n):
            total += row[j] * p.x[j]
        p.gamma[i] = total


@kernel
def _correct_contact(p, s, k, changed):
    """Add the effect of the last change of set `changed` on all rows of the contact of set k."""
    _correct_gamma(p, s, changed, k)
    f = s.tied[k]
    while f >= 0:
        _correct_gamma(p, s, changed, f)
        f = s.next_tied[f]


@kernel
def _update_contact(p, s, k, relaxation, small):
    """Solve the contact of set k nearly for itself, all others held; return the largest change."""
    _eval_rows(p, k)
    f = s.tied[k]
    while f >= 0:
        _eval_rows(p, f)
        f = s.next_tied[f]
    total = 0.0
    for inner in range(_INNER):
        change = _update_set(p, s, k, relaxation)
        if s.tied[k] < 0 and p.size[k] == 1 and relaxation == 1.0:
            return change
        _correct_contact(p, s, k, k)
        f = s.tied[k]
        while f >= 0:
            change = max(change, _update_set(p, s, f, relaxation))
            _correct_contact(p, s, k, f)
            f = s.next_tied[f]
        total = max(total, change)
        if change <= small:
            break
    return total


@kernel
def sweep_gauss_seidel(p, s, reference, max_sweeps, tolerance):
    """Sweep over all contacts until nothing moves more than tolerance; return the sweeps done.

    x_i <- prox(x_i - r_i gamma_i) with 1/r_i = G_ii, or the largest row sum of the block of a
    ball. Writes p.x. (T-12.1) [Moreau1999]
    """
    relaxation = s.options[RELAXATION]
    for sweep in range(max_sweeps):
        worst = 0.0
        for k in range(p.n_sets[0]):
            if s.owner[k] == k:
                change = _update_contact(p, s, k, relaxation, 0.1 * tolerance * reference)
                if not change <= worst:
                    worst = change
        if not worst > 0.1 * tolerance * reference:
            return sweep + 1
    return max_sweeps


@kernel
def solve_gauss_seidel(p, s):
    """Solve by projected Gauss-Seidel from the first guess p.x; return SOLVED or NOT_SOLVED.

    Writes p.x, p.gamma, s.residual, s.iterations. (T-12.1)
    """
    reference = prepare(p, s)
    tolerance = s.options[TOLERANCE]
    limit = int(s.options[MAX_SWEEPS])
    done = 0
    while done < limit:
        part = min(limit - done, 100)
        sweeps = sweep_gauss_seidel(p, s, reference, part, tolerance)
        done += sweeps
        s.residual[0] = residual(p, s.options[V_REF])
        if s.residual[0] <= tolerance:
            s.iterations[0] = done
            return SOLVED
        if sweeps < part:
            # sweeps stand still above the tolerance: only smaller changes can help
            tolerance *= 0.01
            if tolerance < 1e-16:
                break
    s.residual[0] = residual(p, s.options[V_REF])
    s.iterations[0] = done
    return SOLVED if s.residual[0] <= s.options[TOLERANCE] else NOT_SOLVED
