"""Compact rows: the problem of a time step from the velocities that its rows act on.

A row acts on few velocities, and M is block diagonal over groups of velocities (branches of the
tree, blocks): the response Z_i = M^-1 W_i stays within the groups of the row. (T-11.16)
"""

import math

from cornerlaw.arrays.compact import MOST_FALLBACK, POSED_LARGE, POSED_SMALL
from cornerlaw.arrays.status import OK, TOO_MANY_CONTACTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.problem import clear_still_rows, collect_sets, invert_row
from cornerlaw.kernels.late import call

WIDE = 16  # velocities per row, more than two bodies in space have


@kernel
def dot_columns(w, i, v):
    """Return W_i v of a row that was evaluated last."""
    W, column, s = w.W, w.column, 0.0
    for x in range(w.n_column[i]):
        j = column[i, x]
        s += W[i, j] * v[j]
    return s


@kernel
def _pack_rows(m, w, count):
    """Copy W of the active rows without zeros and prescribed velocities; list their groups."""
    k, c, of, driven = w.k, w.k.compact, m.groups.of, m.tree.driven
    # the loop is in here, since a look into a bundle costs as much as an entry
    rows, columns, n_column, active = w.W, w.column, w.n_column, k.active
    column_W, W, groups, seen = c.column_W, c.W, c.group, c.seen
    n, g, serial = 0, 0, c.serial[0]
    c.start_W[0] = c.start_group[0] = 0
    for a in range(count):
        i = active[a]
        serial += 1
        for x in range(n_column[i]):
            j = columns[i, x]
            value = rows[i, j]
            if value == 0.0 or driven[j] >= 0:
                continue
            column_W[n], W[n] = j, value
            n += 1
            group = of[j]
            if seen[group] != serial:
                seen[group] = serial
                groups[g] = group
                g += 1
        c.start_W[a + 1], c.start_group[a + 1] = n, g
    c.serial[0] = serial


@kernel
def _write_inverses(m, w):
    """Write the inverse mass of every small group, one column of all of them at a time.

    The unit forces of different groups do not meet, so one product with M^-1 serves all groups.
    (T-11.17)
    """
    c, groups = w.k.compact, m.groups
    for p in range(c.largest[0]):
        for g in range(c.inverse_at.size):
            for x in range(groups.start[g], groups.start[g + 1]):
                on = c.inverse_at[g] >= 0 and x - groups.start[g] == p
                c.b[groups.member[x]] = 1.0 if on else 0.0
        call(m.stages.invert, m, w, c.b, c.y)
        for g in range(c.inverse_at.size):
            size = groups.start[g + 1] - groups.start[g]
            if c.inverse_at[g] >= 0 and p < size:
                for x in range(size):
                    value = c.y[groups.member[groups.start[g] + x]]
                    c.inverse[c.inverse_at[g] + x * size + p] = value


@kernel
def _is_small(c, a):
    """Tell whether all groups of row a have an inverse."""
    for x in range(c.start_group[a], c.start_group[a + 1]):
        if c.inverse_at[c.group[x]] < 0:
            return False
    return True


@kernel
def _respond_by_groups(m, c, first, end):
    """Write Z of the rows from `first` to `end` by the inverse masses of their groups."""
    groups, n = m.groups, c.start_Z[first]
    start, member, of, place = groups.start, groups.member, groups.of, groups.place
    column_W, W, column_Z, Z = c.column_W, c.W, c.column_Z, c.Z
    start_W, start_group, group = c.start_W, c.start_group, c.group
    inverse, inverse_at = c.inverse, c.inverse_at
    for a in range(first, end):
        for x in range(start_group[a], start_group[a + 1]):
            g = group[x]
            begin, at = start[g], inverse_at[g]
            size = start[g + 1] - begin
            for y in range(size):
                column_Z[n + y], Z[n + y] = member[begin + y], 0.0
            for y in range(start_W[a], start_W[a + 1]):
                j = column_W[y]
                if of[j] == g:
                    value, column = W[y], at + place[j]
                    for z in range(size):
                        Z[n + z] += inverse[column + z * size] * value
            n += size
        c.start_Z[a + 1] = n


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
    _pack_rows(m, w, n)
    by_groups = m.n_rows == 0 and n > c.largest[0]
    if by_groups:
        _write_inverses(m, w)
    large = by_groups and m.stages.solve_large != 0 and not _is_wide(m, c, n)
    large = large and n > (c.posed[1] if _has_friction(w.k.problem) else c.posed[2])
    c.start_Z[0] = 0
    small = by_groups
    for a in range(n):
        small = small and _is_small(c, a)
    if small:
        _respond_by_groups(m, c, 0, n)
    for a in range(n if small else 0, n):
        if by_groups and _is_small(c, a):
            _respond_by_groups(m, c, a, a + 1)
        else:
            _respond_by_product(m, w, a)
            large = False
    if large:
        c.posed[0] = POSED_LARGE
        return OK
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
    for a in range(k.n_active[0]):
        x = p.x[a]
        k.lam[k.active[a]] = x
        if x != 0.0:
            for y in range(c.start_Z[a], c.start_Z[a + 1]):
                du[c.column_Z[y]] += c.Z[y] * x
            for b in range(m.n_rows):
                k.lam[b] += k.R[k.active[a], b] * x
