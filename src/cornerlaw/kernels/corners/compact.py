"""Compact rows: the problem of a time step from the velocities that its rows act on.

A row acts on few velocities, and M is block diagonal over groups of velocities (branches of the
tree, blocks): the response Z_i = M^-1 W_i stays within the groups of the row. (T-11.16)
"""

import math

from cornerlaw.arrays.compact import MOST_FALLBACK, POSED_LARGE, POSED_SMALL
from cornerlaw.arrays.kinds import FACTOR_TREE
from cornerlaw.arrays.status import OK, TOO_MANY_CONTACTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.sparse.rows import eval_response, write_responses
from cornerlaw.kernels.corners.problem import clear_still_rows, collect_sets, invert_row
from cornerlaw.kernels.late import call

WIDE = 16  # velocities per row, more than two bodies in space have
TRACE = 1e-14  # part of a row, in the metric of the inverse mass, that is rounding


@kernel
def dot_columns(w, i, v):
    """Return W_i v of a row that was evaluated last."""
    W, column, s = w.W, w.column, 0.0
    for x in range(w.n_column[i]):
        j = column[i, x]
        s += W[i, j] * v[j]
    return s


@kernel
def _pack_rows(m, w, count, sift):
    """Copy W of the active rows without zeros and prescribed velocities; list their groups.

    Sifted, entries that are the rounding of their row are left out: of boxes that stand upright
    these are half of all, and others in every step.
    """
    k, c, of, driven = w.k, w.k.compact, m.groups.of, m.tree.driven
    # the loop is in here, since a look into a bundle costs as much as an entry
    rows, columns, n_column, active = w.W, w.column, w.n_column, k.active
    column_W, W, groups, seen, root = c.column_W, c.W, c.group, c.seen, c.root
    n, g, serial = 0, 0, c.serial[0]
    c.start_W[0] = c.start_group[0] = 0
    for a in range(count):
        i, least = active[a], 0.0
        serial += 1
        if sift:
            for x in range(n_column[i]):
                j = columns[i, x]
                least = max(least, abs(rows[i, j]) * root[j])
            least *= TRACE
        for x in range(n_column[i]):
            j = columns[i, x]
            value = rows[i, j]
            # written in any case, and written over if it is left out: nobody foresees a rounding
            column_W[n], W[n] = j, value
            n += (value != 0.0) & (driven[j] < 0) & (not abs(value) * root[j] < least)
        for x in range(c.start_W[a], n):
            group = of[column_W[x]]
            if seen[group] != serial:
                seen[group] = serial
                groups[g] = group
                g += 1
        c.start_W[a + 1], c.start_group[a + 1] = n, g
    c.serial[0] = serial


@kernel
def _node_of(m, g):
    """Return the node of the tree whose D^-1 is the inverse mass of group g, -1 if none is.

    A body that hangs on the ground by several free velocities, and nothing that moves on it.
    """
    tree, start = m.tree, m.groups.start
    size, first = start[g + 1] - start[g], m.groups.member[start[g]]
    if m.factor != FACTOR_TREE or size < 2 or first >= tree.u_start[m.n_bodies]:
        return -1
    node = tree.node_of_u[first]
    begin, end = tree.u_start[node], tree.u_start[node + 1]
    if tree.parent[node] != m.n_bodies or end - begin != size or begin != first:
        return -1
    for j in range(begin, end):
        if tree.driven[j] >= 0:
            return -1
    return node


@kernel
def _write_inverses(m, w):
    """Write the inverse mass of every small group: that of a node, or by products with M^-1.

    The unit forces of different groups do not meet, so one product serves one column of all groups.
    (T-11.17)
    """
    c, start, member = w.k.compact, m.groups.start, m.groups.member
    inverse, inverse_at, b, y, D_inverse = c.inverse, c.inverse_at, c.b, c.y, w.D_inverse
    largest = 0
    for g in range(inverse_at.size):
        size, at = start[g + 1] - start[g], inverse_at[g]
        node = _node_of(m, g) if at >= 0 else -1
        if node >= 0:
            for x in range(size):
                for z in range(size):
                    inverse[at + x * size + z] = D_inverse[node, x, z]
        elif at >= 0:
            largest = max(largest, size)
    for p in range(largest):
        for g in range(inverse_at.size):
            for x in range(start[g], start[g + 1]):
                on = inverse_at[g] >= 0 and x - start[g] == p
                b[member[x]] = 1.0 if on else 0.0
        call(m.stages.invert, m, w, b, y)
        for g in range(inverse_at.size):
            size, at = start[g + 1] - start[g], inverse_at[g]
            if at >= 0 and p < size and _node_of(m, g) < 0:
                for x in range(size):
                    inverse[at + x * size + p] = y[member[start[g] + x]]
    for g in range(inverse_at.size):
        size, at = start[g + 1] - start[g], inverse_at[g]
        for x in range(size if at >= 0 else 0):
            c.root[member[start[g] + x]] = math.sqrt(abs(inverse[at + x * (size + 1)]))


@kernel
def _has_all_inverses(c):
    """Tell whether the inverse mass of every group is kept."""
    for g in range(c.inverse_at.size):
        if c.inverse_at[g] < 0:
            return False
    return True


@kernel
def _is_small(c, a):
    """Tell whether all groups of row a have an inverse."""
    for x in range(c.start_group[a], c.start_group[a + 1]):
        if c.inverse_at[c.group[x]] < 0:
            return False
    return True


@kernel
def _respond_by_product(m, w, a):
    """Write Z of row a by a product with M^-1, held on the bilateral rows."""
    k, c, groups = w.k, w.k.compact, m.groups
    i, n = k.active[a], c.start_Z[a]
    invert_row(m, w, i)
    if m.n_rows > 0:
        for j in range(m.nu):
            c.column_Z[n + j], c.Z[n + j] = j, k.Z[i, j]
        c.start_Z[a + 1] = n + m.nu
        return
    for x in range(c.start_group[a], c.start_group[a + 1]):
        for y in range(groups.start[c.group[x]], groups.start[c.group[x] + 1]):
            c.column_Z[n], c.Z[n] = groups.member[y], k.Z[i, groups.member[y]]
            n += 1
    c.start_Z[a + 1] = n


@kernel
def assemble_compact(m, w):
    """Write the matrix G = W Z of a problem of compact rows."""
    k, c, p = w.k, w.k.compact, w.k.problem
    n = k.n_active[0]
    if c.posed[0] == POSED_LARGE:
        write_responses(m, c, 0, n)
    for j in range(m.nu):
        c.b[j] = 0.0
    for b in range(n):
        for x in range(c.start_Z[b], c.start_Z[b + 1]):
            c.b[c.column_Z[x]] = c.Z[x]
        for a in range(n):
            s = 0.0
            for x in range(c.start_W[a], c.start_W[a + 1]):
                s += c.W[x] * c.b[c.column_W[x]]
            p.G[a, b] = s
        for x in range(c.start_Z[b], c.start_Z[b + 1]):
            c.b[c.column_Z[x]] = 0.0
    clear_still_rows(m, w)


@kernel
def _has_friction(p):
    """Tell whether some set is another one than [0, inf).

    Without, G being positive semidefinite, all solutions have the same velocities, and it makes
    no difference which solver finds one.
    """
    for s in range(p.n_sets[0]):
        if p.master[s] >= 0 or p.size[s] > 1 or p.lower_0[s] != 0.0 or p.upper_0[s] < math.inf:
            return True
    return False


@kernel
def _is_wide(m, c, n):
    """Tell whether few rows reach over many velocities each, such as the modes of lines.

    Factors in the space of velocities then have wide envelopes, and a matrix of the rows is small.
    """
    return n <= MOST_FALLBACK and c.start_W[n] > WIDE * n and m.nu > 4 * n


@kernel
def pose_compact(m, w, duration):
    """Number the rows of the corners that take part, write their sets, W and Z, and G of few.

    Given friction bounds are forces; `duration` makes impulses of them. Needs W of the rows, a
    factored mass and factored bilateral rows. (T-11.1) (T-11.16)
    """
    k, c = w.k, w.k.compact
    code = collect_sets(m, w, duration)
    n = k.n_active[0]
    c.posed[0] = POSED_SMALL
    if code != OK or n == 0:
        return code
    by_groups = m.n_rows == 0 and n > c.largest[0]
    if by_groups:
        _write_inverses(m, w)
    _pack_rows(m, w, n, by_groups and n > c.posed[1] and _has_all_inverses(c))
    large = by_groups and m.stages.solve_large != 0 and not _is_wide(m, c, n)
    large = large and n > (c.posed[1] if _has_friction(w.k.problem) else c.posed[2])
    c.start_Z[0] = 0
    small = by_groups
    for a in range(n):
        small = small and _is_small(c, a)
    if small and large:
        c.posed[0] = POSED_LARGE
        return OK
    if small:
        write_responses(m, c, 0, n)
    for a in range(n if small else 0, n):
        if by_groups and _is_small(c, a):
            write_responses(m, c, a, a + 1)
        else:
            _respond_by_product(m, w, a)
    if n > k.problem.G.shape[0]:
        return TOO_MANY_CONTACTS
    assemble_compact(m, w)
    return OK


@kernel
def apply_compact(m, w, du):
    """Write the multipliers of all rows to k.lam and du = sum Z_i x_i."""
    k, c, p = w.k, w.k.compact, w.k.problem
    for i in range(k.lam.size):
        k.lam[i] = 0.0
    for b in range(m.n_rows):
        k.lam[b] = k.base[b]
    for j in range(m.nu):
        du[j] = 0.0
    if c.posed[0] == POSED_LARGE:
        for a in range(k.n_active[0]):
            k.lam[k.active[a]] = p.x[a]
        eval_response(m, p, c, p.x, du)
        return
    for a in range(k.n_active[0]):
        x = p.x[a]
        k.lam[k.active[a]] = x
        if x != 0.0:
            for y in range(c.start_Z[a], c.start_Z[a + 1]):
                du[c.column_Z[y]] += c.Z[y] * x
            for b in range(m.n_rows):
                k.lam[b] += k.R[k.active[a], b] * x
