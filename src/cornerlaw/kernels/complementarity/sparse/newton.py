"""Semismooth Newton on the natural map with factors in the space of velocities.

The step of the dense method, (J + eta) d = -F, without G: every set gives its change by that of
the velocity, dx = a - B W dv, and the velocity by M dv = W^T dx, so that

    (M + W^T B W) dv = W^T a

has the size and the envelope of the bodies, however many contacts they have. (T-12.21) (T-12.22)
"""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.prox import eval_bounds, eval_natural_map, largest_entry
from cornerlaw.kernels.complementarity.sparse.envelope import (
    add_entry,
    clear_envelope,
    factor_envelope,
    factor_symmetric,
    solve_envelope,
    solve_symmetric,
)
from cornerlaw.kernels.complementarity.sparse.rows import (
    add_to_line,
    begin_line,
    eval_gamma,
    row_speed,
)
from cornerlaw.kernels.complementarity.sparse.symmetric import assemble_symmetric

_HALVINGS = 12
_PATIENCE = 6  # steps without a new best value before Newton gives up, a third of all if more
_LEAST = 1e-9  # eta: below it the velocities that no row holds lose their digits
LOAD = 3  # place in c.slope


@kernel
def write_masses(m, c):
    """Write the masses of all groups in use: the inverses of their inverse masses."""
    groups = m.groups
    for l in range(c.n_local[0]):
        if m.groups.place[c.order[l]] == 0:
            g = groups.of[c.order[l]]
            _invert_group(m, c, g)


@kernel
def _invert_group(m, c, g):
    """Write the mass of a group by Gauss-Jordan; a prescribed velocity gets the mass 1."""
    start, at = m.groups.start[g], c.inverse_at[g]
    n = m.groups.start[g + 1] - start
    for x in range(n * n):
        c.mass[at + x] = c.inverse[at + x]
    for k in range(n):
        if m.tree.driven[m.groups.member[start + k]] >= 0:
            c.mass[at + k * n + k] = 1.0
    for k in range(n):
        d = 1.0 / c.mass[at + k * n + k]
        c.mass[at + k * n + k] = 1.0
        for j in range(n):
            c.mass[at + k * n + j] *= d
        for i in range(n):
            f = c.mass[at + i * n + k]
            if i != k and f != 0.0:
                c.mass[at + i * n + k] = 0.0
                for j in range(n):
                    c.mass[at + i * n + j] -= f * c.mass[at + k * n + j]


@kernel
def _free_rows(c, begin, end, eta):
    """Rows whose set leaves them free: gamma + eta g dx = 0."""
    for i in range(begin, end):
        weight = 1.0 / (eta * c.scale[i])
        c.part[i] = -weight * c.F[i]
        c.slope[i, i - begin] = weight


@kernel
def _bound_row(p, c, k, i, slope, eta):
    """A row at a bound that follows its load with the given slope."""
    c.part[i] = -c.F[i] / (c.scale[i] * (1.0 + eta))
    m = p.master[k]
    if m >= 0 and p.x[m] > 0.0:
        c.slope[i, LOAD] = slope / (1.0 + eta)


@kernel
def _ball_rows(p, c, k, radius, length, eta):
    """Rows of a ball whose trial point z lies outside: they turn, and follow their load along z."""
    begin, end = p.start[k], p.start[k] + p.size[k]
    g, m = c.scale[begin], p.master[k]
    share = min(1.0, radius / length)
    along = 0.0
    for i in range(begin, end):
        c.y_set[i] = (p.x[i] - p.gamma[i] / g) / length
        along += c.y_set[i] * c.F[i]
    turn = 1.0 / (g * (1.0 + eta - share))
    for i in range(begin, end):
        e = c.y_set[i]
        c.part[i] = -along * e / (g * (1.0 + eta)) - turn * (c.F[i] - along * e)
        for j in range(begin, end):
            c.slope[i, j - begin] = share * turn * ((1.0 if i == j else 0.0) - e * c.y_set[j])
        if m >= 0 and p.x[m] > 0.0:
            c.slope[i, LOAD] = e * p.upper_1[k] / (1.0 + eta)


@kernel
def write_slopes(p, c, eta, coupled):
    """Write a and B of dx = a - B W dv for all sets at p.x, p.gamma and the map c.F. (T-12.21)

    Coupled, friction follows the change of its load; otherwise it sees the load of this point, and
    the matrix is symmetric and positive definite.
    """
    for k in range(p.n_sets[0]):
        lower, upper = eval_bounds(p, k, p.x)
        begin, end = p.start[k], p.start[k] + p.size[k]
        for i in range(begin, end):
            for j in range(4):
                c.slope[i, j] = 0.0
        if p.kind[k] == BALL:
            length = 0.0
            for i in range(begin, end):
                z = p.x[i] - p.gamma[i] / c.scale[i]
                length += z * z
            length = math.sqrt(length)
            if not upper > 0.0:
                # a ball without size has no inside: free rows would carry what it cannot
                for i in range(begin, end):
                    c.part[i] = -c.F[i] / (c.scale[i] * (1.0 + eta))
            elif length > upper:
                _ball_rows(p, c, k, upper, length, eta)
            else:
                _free_rows(c, begin, end, eta)
            if not coupled:
                for i in range(begin, end):
                    c.slope[i, LOAD] = 0.0
            continue
        z = p.x[begin] - p.gamma[begin] / c.scale[begin]
        if z < lower:
            _bound_row(p, c, k, begin, p.lower_1[k], eta)
        elif z > upper:
            _bound_row(p, c, k, begin, p.upper_1[k], eta)
        else:
            _free_rows(c, begin, end, eta)
        if not coupled:
            c.slope[begin, LOAD] = 0.0


@kernel
def _add_product(c, a, b, factor):
    """Add factor W_a W_b^T to the matrix."""
    for x in range(c.start_W[a], c.start_W[a + 1]):
        i, value = c.local[c.column_W[x]], factor * c.W[x]
        for y in range(c.start_W[b], c.start_W[b + 1]):
            add_entry(c, i, c.local[c.column_W[y]], value * c.W[y])


@kernel
def _add_masses(m, c):
    """Add the masses of all groups in use to the matrix."""
    groups = m.groups
    for l in range(c.n_local[0]):
        j = c.order[l]
        g = groups.of[j]
        n, row = groups.start[g + 1] - groups.start[g], groups.place[j]
        for x in range(n):
            add_entry(c, l, l - row + x, c.mass[c.inverse_at[g] + row * n + x])


@kernel
def write_push(p, c):
    """Write W^T a, loads included, to c.rhs."""
    for l in range(c.n_local[0]):
        c.rhs[l] = 0.0
    for k in range(p.n_sets[0]):
        for a in range(p.start[k], p.start[k] + p.size[k]):
            push = c.part[a]
            if c.slope[a, LOAD] != 0.0:
                push += c.slope[a, LOAD] * c.part[p.master[k]]
            for x in range(c.start_W[a], c.start_W[a + 1]):
                c.rhs[c.local[c.column_W[x]]] += c.W[x] * push


@kernel
def _add_row(c, a, begin, end, master):
    """Add W_a^T times what the impulse of row a follows, rows on the same velocities together."""
    begin_line(c, a)
    together = False
    for b in range(begin, end):
        slope = c.slope[a, b - begin]
        if slope != 0.0:
            if add_to_line(c, a, b, slope):
                together = True
            else:
                _add_product(c, a, b, slope)
    if c.slope[a, LOAD] != 0.0 and c.slope[master, 0] != 0.0:
        slope = c.slope[a, LOAD] * c.slope[master, 0]
        if add_to_line(c, a, master, slope):
            together = True
        else:
            _add_product(c, a, master, slope)
    if not together:
        return
    first, last = c.start_W[a], c.start_W[a + 1]
    for x in range(first, last):
        i, value = c.local[c.column_W[x]], c.W[x]
        for y in range(first, last):
            add_entry(c, i, c.local[c.column_W[y]], value * c.push[y - first])


@kernel
def assemble(m, p, c):
    """Write M + W^T B W, whose friction follows its loads. (T-12.22)"""
    clear_envelope(c)
    _add_masses(m, c)
    for k in range(p.n_sets[0]):
        begin, end = p.start[k], p.start[k] + p.size[k]
        for a in range(begin, end):
            _add_row(c, a, begin, end, p.master[k])


@kernel
def write_step(p, c):
    """Write the change of all multipliers that belongs to the solution: dx = a - B W dv."""
    for l in range(c.n_local[0]):
        c.dv[c.order[l]] = c.rhs[l]
    for k in range(p.n_sets[0]):
        begin, end = p.start[k], p.start[k] + p.size[k]
        for a in range(begin, end):
            c.step[a] = c.part[a]
        for b in range(begin, end):
            speed = row_speed(c, b, c.dv)
            for a in range(begin, end):
                c.step[a] -= c.slope[a, b - begin] * speed
    for k in range(p.n_sets[0]):
        # masters are rows without a load of their own
        if p.master[k] >= 0:
            for a in range(p.start[k], p.start[k] + p.size[k]):
                c.step[a] += c.slope[a, LOAD] * c.step[p.master[k]]


@kernel
def _search(m, p, c, merit):
    """Halve the step until the merit falls; write the point and its map, return its merit.

    When no fraction helps, the best of them is taken, as the dense method does.
    """
    n = p.n[0]
    fraction = 1.0
    best, best_fraction = math.inf, 0.0
    for halving in range(_HALVINGS):
        for i in range(n):
            c.x_trial[i] = p.x[i] + fraction * c.step[i]
        eval_gamma(m, p, c, c.x_trial, p.gamma)
        value = eval_natural_map(p, c, c.x_trial, p.gamma, c.F_trial)
        if value < best:
            best, best_fraction = value, fraction
        if value <= (1.0 - 1e-4 * fraction) * merit:
            break
        fraction *= 0.5
    if best_fraction != fraction:
        for i in range(n):
            c.x_trial[i] = p.x[i] + best_fraction * c.step[i]
        eval_gamma(m, p, c, c.x_trial, p.gamma)
        eval_natural_map(p, c, c.x_trial, p.gamma, c.F_trial)
    for i in range(n):
        p.x[i] = c.x_trial[i]
        c.F[i] = c.F_trial[i]
    return best


@kernel
def iterate_newton(m, p, c, reference, limit, tolerance, coupled):
    """Run semismooth Newton from p.x; return the largest entry of the map, over the reference.

    Writes p.x (the best point met) and p.gamma. Needs the order of velocities and the masses of
    the groups. (T-12.7) (T-12.22)
    """
    n = p.n[0]
    eval_gamma(m, p, c, p.x, p.gamma)
    merit = eval_natural_map(p, c, p.x, p.gamma, c.F)
    size = largest_entry(c.F, n) / reference
    best = size
    for i in range(n):
        c.x_best[i] = p.x[i]
    idle, extra = 0, 0
    patience = max(_PATIENCE, limit // 3)
    for iteration in range(limit):
        if size <= tolerance:
            # one step beyond the tolerance costs little and usually reaches rounding
            extra += 1
            if extra > 1 or size <= 1e-3 * tolerance:
                break
        if not size < math.inf:
            break
        write_slopes(p, c, min(1e-4, max(_LEAST, 1e-3 * size)), coupled)
        write_push(p, c)
        if coupled:
            assemble(m, p, c)
            factor_envelope(c, 1e-14)
            solve_envelope(c, c.rhs)
        else:
            assemble_symmetric(m, p, c)
            factor_symmetric(c, 1e-14)
            solve_symmetric(c, c.rhs)
        write_step(p, c)
        merit = _search(m, p, c, merit)
        size = largest_entry(c.F, n) / reference
        if size < best:
            idle = 0 if size < 0.9 * best else idle + 1
            best = size
            for i in range(n):
                c.x_best[i] = p.x[i]
        else:
            idle += 1
        if idle >= patience:
            break
    for i in range(n):
        p.x[i] = c.x_best[i]
    return best
