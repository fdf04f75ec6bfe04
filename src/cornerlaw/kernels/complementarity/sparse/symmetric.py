"""The matrix M + W^T B W of symmetric slopes, its lower part alone."""

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.sparse.envelope import add_lower, clear_envelope
from cornerlaw.kernels.complementarity.sparse.rows import add_to_line, begin_line


@kernel
def _add_product(c, a, b, factor):
    """Add the lower part of factor W_a W_b^T to the matrix."""
    for x in range(c.start_W[a], c.start_W[a + 1]):
        i, value = c.local[c.column_W[x]], factor * c.W[x]
        for y in range(c.start_W[b], c.start_W[b + 1]):
            j = c.local[c.column_W[y]]
            if j <= i:
                add_lower(c, i, j, value * c.W[y])


@kernel
def _add_row(c, a, begin, end):
    """Add the lower part of W_a^T times what row a follows, rows of like velocities together."""
    begin_line(c, a)
    together = False
    for b in range(begin, end):
        slope = c.slope[a, b - begin]
        if slope != 0.0:
            if add_to_line(c, a, b, slope):
                together = True
            else:
                _add_product(c, a, b, slope)
    if not together:
        return
    first, last = c.start_W[a], c.start_W[a + 1]
    for x in range(first, last):
        i, value = c.local[c.column_W[x]], c.W[x]
        for y in range(first, last):
            j = c.local[c.column_W[y]]
            if j <= i:
                add_lower(c, i, j, value * c.push[y - first])


@kernel
def assemble_symmetric(m, p, c):
    """Write the lower part of M + W^T B W. (T-12.28)"""
    clear_envelope(c)
    groups = m.groups
    for l in range(c.n_local[0]):
        j = c.order[l]
        g, row = groups.of[j], groups.place[j]
        n = groups.start[g + 1] - groups.start[g]
        for x in range(row + 1):
            add_lower(c, l, l - row + x, c.mass[c.inverse_at[g] + row * n + x])
    for k in range(p.n_sets[0]):
        begin, end = p.start[k], p.start[k] + p.size[k]
        for a in range(begin, end):
            _add_row(c, a, begin, end)
