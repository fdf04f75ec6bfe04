"""The independent check of a large problem: rows as the model gave them, one product with M^-1.

It shares neither the compact velocity nor the factors with the solver, whose answers it judges.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.verify import ROUNDING, grade
from cornerlaw.kernels.late import call

ALIKE = 1e-6  # change of rows and inverse masses, of their largest entries, that is none here


@kernel
def _is_alike(values, known, n):
    """Tell whether n values are those known, but for a trace of the largest of them."""
    largest, change = 0.0, 0.0
    for x in range(n):
        largest = max(largest, abs(known[x]))
        change = max(change, abs(values[x] - known[x]))
    return change <= ALIKE * largest


@kernel
def _is_judged(c, n):
    """Tell whether the mobilities at hand are those of n rows, but for a trace."""
    if c.n_judged[0] != n:
        return False
    start, start_judged, column, column_judged = (
        c.start_W, c.start_judged, c.column_W, c.column_judged,
    )  # fmt: skip
    same = True
    for a in range(n + 1):
        same &= start[a] == start_judged[a]
    if not same:
        return False
    for x in range(start[n]):
        same &= column[x] == column_judged[x]
    return (
        same
        and _is_alike(c.W, c.W_judged, start[n])
        and _is_alike(c.inverse, c.inverse_judged, c.inverse.size)
    )


@kernel
def _write_mobilities(m, c, n):
    """Write W_a M^-1 W_a of n rows by the inverse masses of their groups, and whose they are."""
    of, place, first = m.groups.of, m.groups.place, m.groups.start
    start, column, W, inverse, inverse_at = c.start_W, c.column_W, c.W, c.inverse, c.inverse_at
    for a in range(n):
        total = 0.0
        for y in range(start[a], start[a + 1]):
            g = of[column[y]]
            at = inverse_at[g] + place[column[y]] * (first[g + 1] - first[g])
            for z in range(start[a], start[a + 1]):
                if of[column[z]] == g:
                    total += W[y] * inverse[at + place[column[z]]] * W[z]
        c.mobility[a] = total
    for a in range(n + 1):
        c.start_judged[a] = start[a]
    for x in range(start[n]):
        c.column_judged[x], c.W_judged[x] = column[x], W[x]
    for x in range(c.inverse.size):
        c.inverse_judged[x] = inverse[x]
    c.n_judged[0] = n


@kernel
def _eval_velocity(m, w):
    """Write M^-1 W^T x to compact.y, by the rows of the model and the factors of the mass."""
    k, p, b = w.k, w.k.problem, w.k.compact.b
    rows, columns, n_column, active, point = w.W, w.column, w.n_column, k.active, p.x
    for j in range(m.nu):
        b[j] = 0.0
    for a in range(p.n[0]):
        i, x = active[a], point[a]
        if x != 0.0:
            for y in range(n_column[i]):
                j = columns[i, y]
                b[j] += rows[i, j] * x
    call(m.stages.invert, m, w, b, w.k.compact.y)


@kernel
def residual_sparse(m, w, v_ref):
    """Return the largest residual of all contacts at p.x; writes p.gamma = c + W M^-1 W^T x.

    The scale of a contact, its mobility, is that of rows which were alike. As in the dense check,
    velocities that the rounding of their parts hides are no answer. (T-11.9) (T-12.25)
    """
    k, c, p = w.k, w.k.compact, w.k.problem
    _eval_velocity(m, w)
    rows, columns, n_column, active = w.W, w.column, w.n_column, k.active
    free, point, gamma, dv = p.c, p.x, p.gamma, c.y
    reference = v_ref
    for a in range(p.n[0]):
        i, total = active[a], free[a]
        for y in range(n_column[i]):
            j = columns[i, y]
            total += rows[i, j] * dv[j]
        gamma[a] = total
        if not abs(total) < math.inf or not abs(point[a]) < math.inf:
            return math.inf
        reference = max(reference, abs(free[a]))
    if not _is_judged(c, p.n[0]):
        _write_mobilities(m, c, p.n[0])
    home, scale, mobility = p.check[0], p.check[1], c.mobility
    for a in range(p.n[0]):
        if ROUNDING * abs(mobility[a] * point[a]) > reference:
            return math.inf
    start, size, master = p.start, p.size, p.master
    for s in range(p.n_sets[0]):
        for a in range(start[s], start[s] + size[s]):
            home[a] = start[s]
            scale[a] = 0.0
    for s in range(p.n_sets[0]):
        i = start[s] if master[s] < 0 else int(home[master[s]])
        for a in range(start[s], start[s] + size[s]):
            scale[i] = max(scale[i], abs(mobility[a]))
    for a in range(p.n[0]):
        if scale[a] == 0.0:
            scale[a] = 1.0
    return grade(p, reference)
