"""Products with compact rows, and what the sparse solver knows of a problem before it starts."""

from cornerlaw.kernels._numba import kernel


@kernel
def add_response(c, a, x, dv):
    """Add Z_a x to a velocity."""
    for y in range(c.start_Z[a], c.start_Z[a + 1]):
        dv[c.column_Z[y]] += c.Z[y] * x


@kernel
def row_speed(c, a, dv):
    """Return W_a dv."""
    s = 0.0
    for y in range(c.start_W[a], c.start_W[a + 1]):
        s += c.W[y] * dv[c.column_W[y]]
    return s


@kernel
def begin_line(c, a):
    """Clear a place in c.push for every velocity of row a."""
    for x in range(c.start_W[a + 1] - c.start_W[a]):
        c.push[x] = 0.0


@kernel
def add_to_line(c, a, b, factor):
    """Add factor W_b to the line of row a if both act on the same velocities; tell whether."""
    first, other, n = c.start_W[a], c.start_W[b], c.start_W[a + 1] - c.start_W[a]
    if c.start_W[b + 1] - other != n:
        return False
    for x in range(n):
        if c.column_W[first + x] != c.column_W[other + x]:
            return False
    for x in range(n):
        c.push[x] += factor * c.W[other + x]
    return True


@kernel
def write_responses(m, c, first, end):
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
def eval_response(m, p, c, x, dv):
    """Write dv = M^-1 W^T x on the velocities in use, group by group.

    Impulses are summed first: a body has one inverse mass and many rows.
    """
    order, start, column, W, push = c.order, c.start_W, c.column_W, c.W, c.push
    n = c.n_local[0]
    for l in range(n):
        push[order[l]] = 0.0
    for a in range(p.n[0]):
        value = x[a]
        if value != 0.0:
            for y in range(start[a], start[a + 1]):
                push[column[y]] += W[y] * value
    of, first, member, place = m.groups.of, m.groups.start, m.groups.member, m.groups.place
    inverse, inverse_at = c.inverse, c.inverse_at
    for l in range(n):
        j = order[l]
        g = of[j]
        begin = first[g]
        size = first[g + 1] - begin
        at, total = inverse_at[g] + place[j] * size, 0.0
        for y in range(size):
            total += inverse[at + y] * push[member[begin + y]]
        dv[j] = total


@kernel
def eval_gamma(m, p, c, x, gamma):
    """Write gamma = c + W dv with dv = M^-1 W^T x, which stays in c.dv. (T-12.19)"""
    eval_response(m, p, c, x, c.dv)
    start, column, W, dv, free = c.start_W, c.column_W, c.W, c.dv, p.c
    for a in range(p.n[0]):
        s = 0.0
        for y in range(start[a], start[a + 1]):
            s += W[y] * dv[column[y]]
        gamma[a] = free[a] + s


@kernel
def _list_velocities(m, p, c):
    """List the velocities of all groups that the rows act on."""
    n = 0
    c.serial[0] += 1
    for x in range(c.start_group[p.n[0]]):
        g = c.group[x]
        if c.seen[g] != c.serial[0]:
            c.seen[g] = c.serial[0]
            for y in range(m.groups.start[g], m.groups.start[g + 1]):
                c.order[n] = m.groups.member[y]
                n += 1
    c.n_local[0] = n


@kernel
def _write_blocks(p, c):
    """Write the diagonal of G and the largest row sum of the block of every set."""
    for l in range(c.n_local[0]):
        c.dv[c.order[l]] = 0.0
    for k in range(p.n_sets[0]):
        begin, end = p.start[k], p.start[k] + p.size[k]
        for a in range(begin, end):
            c.y_set[a] = 0.0
        for b in range(begin, end):
            add_response(c, b, 1.0, c.dv)
            for a in range(begin, end):
                value = row_speed(c, a, c.dv)
                c.y_set[a] += abs(value)
                if a == b:
                    c.diagonal[a] = value
            for y in range(c.start_Z[b], c.start_Z[b + 1]):
                c.dv[c.column_Z[y]] = 0.0
        largest = 0.0
        for a in range(begin, end):
            largest = max(largest, c.y_set[a])
        c.curvature[k] = largest


@kernel
def _tie_sets(p, c):
    """Find the contact of every set: a set with all sets that take their load from it."""
    for k in range(p.n_sets[0]):
        for i in range(p.start[k], p.start[k] + p.size[k]):
            c.set_of[i] = k
        c.tied[k] = -1
        c.next_tied[k] = -1
    # backwards, so that the lists are in order
    for k in range(p.n_sets[0] - 1, -1, -1):
        c.owner[k] = k
        if p.master[k] >= 0:
            owner = c.set_of[p.master[k]]
            c.owner[k] = owner
            c.next_tied[k] = c.tied[owner]
            c.tied[owner] = k


@kernel
def reference_of(p, v_ref):
    """Return the velocity that residuals are compared with. (T-11.9)"""
    reference = v_ref
    for i in range(p.n[0]):
        if not abs(p.c[i]) <= reference:
            reference = abs(p.c[i])
    return reference


@kernel
def prepare(m, p, c):
    """Write contacts, scales and blocks of a problem.

    A contact without any mobility has the scale 1: G is positive semidefinite, so its rows vanish.
    """
    c.n_kept[0] = 0  # factors have another order of velocities
    _list_velocities(m, p, c)
    write_responses(m, c, 0, p.n[0])
    _write_blocks(p, c)
    _tie_sets(p, c)
    n = p.n[0]
    for i in range(n):
        c.scale[i] = 0.0
    for i in range(n):
        first = p.start[c.owner[c.set_of[i]]]
        c.scale[first] = max(c.scale[first], abs(c.diagonal[i]))
    for i in range(n):
        first = p.start[c.owner[c.set_of[i]]]
        if not c.scale[first] > 0.0:
            c.scale[first] = 1.0
        c.scale[i] = c.scale[first]
