"""Proximal steps: the multipliers follow the velocity and never leave their sets.

    x(v) = prox(x_0 - gamma / (eta g)),  gamma = c + W^T v,    M v = W x(v)

is solved for the velocity by semismooth Newton; x(v) is the next x_0. Contacts that stick at their
friction bound stop Newton on the natural map, since a step that is right for the velocities takes
their multipliers out of the cone; here nothing but the balance of momentum has to be searched for.
(T-12.27)
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.solver_scratch import TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import eval_bounds, project_all
from cornerlaw.kernels.complementarity.sparse.envelope import factor_envelope, solve_envelope
from cornerlaw.kernels.complementarity.sparse.newton import LOAD, assemble
from cornerlaw.kernels.complementarity.sparse.rows import eval_response, row_speed
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse

_ETA = 1e-7  # weight of the last multipliers; each step gains its ratio to the eigenvalues of G
_OUTER = 6
_INNER = 12
_HALVINGS = 6


@kernel
def _follow(p, c, x_0, v):
    """Write gamma and x(v) to p."""
    for a in range(p.n[0]):
        p.gamma[a] = p.c[a] + row_speed(c, a, v)
        p.x[a] = x_0[a] - p.gamma[a] / (_ETA * c.scale[a])
    project_all(p, p.x)


@kernel
def _write_balance(m, p, c, v):
    """Write W x - M v to c.rhs; return its largest entry as a velocity."""
    groups = m.groups
    for l in range(c.n_local[0]):
        c.rhs[l] = 0.0
    for a in range(p.n[0]):
        if p.x[a] != 0.0:
            for y in range(c.start_W[a], c.start_W[a + 1]):
                c.rhs[c.local[c.column_W[y]]] += c.W[y] * p.x[a]
    worst = 0.0
    for l in range(c.n_local[0]):
        j = c.order[l]
        g, row = groups.of[j], groups.place[j]
        start = groups.start[g]
        n, at = groups.start[g + 1] - start, c.inverse_at[g]
        for x in range(n):
            c.rhs[l] -= c.mass[at + row * n + x] * v[groups.member[start + x]]
        size = abs(c.rhs[l]) / c.mass[at + row * n + row]
        if not size <= worst:
            worst = size if size == size else math.inf
    return worst


@kernel
def _write_slopes(p, c, x_0):
    """Write -dx / d(W v) of all sets at p.gamma, and their parts that follow the loads."""
    for k in range(p.n_sets[0]):
        lower, upper = eval_bounds(p, k, p.x)
        begin, end, m = p.start[k], p.start[k] + p.size[k], p.master[k]
        loaded = m >= 0 and p.x[m] > 0.0
        length = 0.0
        for i in range(begin, end):
            c.part[i] = 0.0
            c.y_set[i] = x_0[i] - p.gamma[i] / (_ETA * c.scale[i])
            length += c.y_set[i] * c.y_set[i]
            for j in range(4):
                c.slope[i, j] = 0.0
        weight, length = 1.0 / (_ETA * c.scale[begin]), math.sqrt(length)
        if p.kind[k] != BALL:
            z = c.y_set[begin]
            if z < lower:
                c.slope[begin, LOAD] = p.lower_1[k] if loaded else 0.0
            elif z > upper:
                c.slope[begin, LOAD] = p.upper_1[k] if loaded else 0.0
            else:
                c.slope[begin, 0] = weight
        elif length <= upper:
            for i in range(begin, end):
                c.slope[i, i - begin] = weight
        else:
            share = weight * max(upper, 0.0) / length
            for i in range(begin, end):
                e = c.y_set[i] / length
                for j in range(begin, end):
                    one = 1.0 if i == j else 0.0
                    c.slope[i, j - begin] = share * (one - e * c.y_set[j] / length)
                c.slope[i, LOAD] = e * p.upper_1[k] if loaded else 0.0


@kernel
def _solve_velocity(m, p, c, x_0, v, trial, reference, tolerance):
    """Solve M v = W x(v) by Newton with line search from v; writes v, p.x and p.gamma."""
    _follow(p, c, x_0, v)
    size = _write_balance(m, p, c, v)
    for iteration in range(_INNER):
        if size <= tolerance * reference or not size < math.inf:
            return
        _write_slopes(p, c, x_0)
        assemble(m, p, c)
        _write_balance(m, p, c, v)
        factor_envelope(c, 1e-14)
        solve_envelope(c, c.rhs)
        for l in range(c.n_local[0]):
            c.dv[c.order[l]] = c.rhs[l]
        fraction, best, best_fraction = 1.0, math.inf, 1.0
        for halving in range(_HALVINGS + 1):
            if halving == _HALVINGS:
                fraction = best_fraction
            for l in range(c.n_local[0]):
                j = c.order[l]
                trial[j] = v[j] + fraction * c.dv[j]
            _follow(p, c, x_0, trial)
            value = _write_balance(m, p, c, trial)
            if value < best:
                best, best_fraction = value, fraction
            if value < size:
                break
            fraction *= 0.5
        size = best
        for l in range(c.n_local[0]):
            v[c.order[l]] = trial[c.order[l]]


@kernel
def iterate_proximal(m, w, reference):
    """Take proximal steps from p.x until the independent residual is small; return it. (T-12.27)

    Writes p.x and p.gamma. Needs the order of velocities and the masses of the groups.
    """
    p, c, s, v = w.k.problem, w.k.compact, w.k.solver, w.k.du
    eval_response(p, c, p.x, v)
    value = math.inf
    for outer in range(_OUTER):
        for i in range(p.n[0]):
            c.x_trial[i] = p.x[i]
        _solve_velocity(m, p, c, c.x_trial, v, w.k.direct, reference, 0.01 * s.options[TOLERANCE])
        before, value = value, residual_sparse(m, w, s.options[V_REF])
        if value <= s.options[TOLERANCE] or not value < before:
            break
    return value
