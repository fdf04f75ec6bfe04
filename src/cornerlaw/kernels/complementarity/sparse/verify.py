"""The independent check of a large problem: rows as the model gave them, one product with M^-1.

It shares neither the compact velocity nor the factors with the solver, whose answers it judges.
"""

import math

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.verify import grade
from cornerlaw.kernels.late import call


@kernel
def _write_mobilities(m, c, n, out):
    """Write W_a Z_a of n rows: the place of a velocity in Z is that in its group."""
    start, of, place = m.groups.start, m.groups.of, m.groups.place
    start_W, column, W, start_Z, Z = c.start_W, c.column_W, c.W, c.start_Z, c.Z
    start_group, group = c.start_group, c.group
    for a in range(n):
        total = 0.0
        for y in range(start_W[a], start_W[a + 1]):
            j = column[y]
            x, begin = start_group[a], start_Z[a]
            while group[x] != of[j]:
                begin += start[group[x] + 1] - start[group[x]]
                x += 1
            total += W[y] * Z[begin + place[j]]
        out[a] = total


@kernel
def _eval_velocity(m, w):
    """Write M^-1 W^T x to compact.y, by the rows of the model and the factors of the mass."""
    k, c, p = w.k, w.k.compact, w.k.problem
    for j in range(m.nu):
        c.b[j] = 0.0
    for a in range(p.n[0]):
        i, x = k.active[a], p.x[a]
        if x != 0.0:
            for y in range(w.n_column[i]):
                j = w.column[i, y]
                c.b[j] += w.W[i, j] * x
    call(m.stages.invert, m, w, c.b, c.y)


@kernel
def residual_sparse(m, w, v_ref):
    """Return the largest residual of all contacts at p.x; writes p.gamma = c + W M^-1 W^T x.

    (T-11.9) (T-12.25)
    """
    k, c, p = w.k, w.k.compact, w.k.problem
    _eval_velocity(m, w)
    reference = v_ref
    for a in range(p.n[0]):
        i, total = k.active[a], p.c[a]
        for y in range(w.n_column[i]):
            j = w.column[i, y]
            total += w.W[i, j] * c.y[j]
        p.gamma[a] = total
        if not abs(total) < math.inf or not abs(p.x[a]) < math.inf:
            return math.inf
        reference = max(reference, abs(p.c[a]))
    home, scale, mobility = p.check[0], p.check[1], p.check[2]
    _write_mobilities(m, c, p.n[0], mobility)
    for s in range(p.n_sets[0]):
        for a in range(p.start[s], p.start[s] + p.size[s]):
            home[a] = p.start[s]
            scale[a] = 0.0
    for s in range(p.n_sets[0]):
        i = p.start[s] if p.master[s] < 0 else int(home[p.master[s]])
        for a in range(p.start[s], p.start[s] + p.size[s]):
            scale[i] = max(scale[i], abs(mobility[a]))
    for a in range(p.n[0]):
        if scale[a] == 0.0:
            scale[a] = 1.0
    return grade(p, reference)
