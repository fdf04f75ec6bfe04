"""An order of the velocities in which contacts join neighbours, and the envelope of the matrix.

Reverse Cuthill-McKee on the graph whose nodes are groups of velocities and whose edges are rows:
breadth first from a node far out, each time the nodes with few neighbours first. (T-12.23)
"""

from cornerlaw.kernels._numba import kernel


@kernel
def _list_rows(c, n, ng):
    """List the rows of every group, and its number of rows."""
    for g in range(ng + 1):
        c.at_group[g] = 0
    for x in range(c.start_group[n]):
        c.at_group[c.group[x] + 1] += 1
    for g in range(ng):
        c.degree[g] = c.at_group[g + 1]
        c.at_group[g + 1] += c.at_group[g]
    for g in range(ng):
        c.queue[g] = c.at_group[g]
    for a in range(n):
        for x in range(c.start_group[a], c.start_group[a + 1]):
            g = c.group[x]
            c.row_of[c.queue[g]] = a
            c.queue[g] += 1


@kernel
def _spread(c, root, first, mark, rows):
    """Write the groups met from a root to the queue behind `first`, level by level.

    `mark` stands in c.seen of a group and `rows` in c.row_done of a row that is done. Return the
    end of the queue.
    """
    c.queue[first] = root
    c.seen[root] = mark
    at, end = first, first + 1
    while at < end:
        g, level = c.queue[at], end
        at += 1
        for x in range(c.at_group[g], c.at_group[g + 1]):
            a = c.row_of[x]
            if c.row_done[a] == rows:
                continue
            c.row_done[a] = rows
            for y in range(c.start_group[a], c.start_group[a + 1]):
                h = c.group[y]
                if c.seen[h] == mark:
                    continue
                c.seen[h] = mark
                # by degree among those that this group adds
                z = end
                while z > level and c.degree[c.queue[z - 1]] > c.degree[h]:
                    c.queue[z] = c.queue[z - 1]
                    z -= 1
                c.queue[z] = h
                end += 1
    return end


@kernel
def order_velocities(m, p, c):
    """Write c.order and c.local of the velocities of all groups that rows act on."""
    n, ng, groups = p.n[0], c.seen.size, m.groups
    _list_rows(c, n, ng)
    c.serial[0] += 2
    probe, mark = c.serial[0] - 1, c.serial[0]
    for a in range(n):
        c.row_done[a] = 0
    count = 0
    for g in range(ng):
        if c.degree[g] == 0 or c.seen[g] == mark:
            continue
        end = _spread(c, g, count, probe, 1)
        end = _spread(c, c.queue[end - 1], count, mark, 2)
        count = end
    place = 0
    for x in range(count - 1, -1, -1):
        g = c.queue[x]
        for y in range(groups.start[g], groups.start[g + 1]):
            c.order[place] = groups.member[y]
            c.local[groups.member[y]] = place
            place += 1
    c.n_local[0] = place
    _write_envelope(m, p, c)


@kernel
def _reach(c, a, least):
    """Return the smallest place of the velocities of row a, or `least`."""
    for y in range(c.start_W[a], c.start_W[a + 1]):
        least = min(least, c.local[c.column_W[y]])
    return least


@kernel
def _extend(c, a, least):
    """Let the envelope of all velocities of row a begin at `least` or before."""
    for y in range(c.start_W[a], c.start_W[a + 1]):
        l = c.local[c.column_W[y]]
        c.first[l] = min(c.first[l], least)


@kernel
def _even_groups(m, c):
    """Let all velocities of a group begin alike: their rows are factored two at a time."""
    l = 0
    while l < c.n_local[0]:
        g = m.groups.of[c.order[l]]
        end = l + m.groups.start[g + 1] - m.groups.start[g]
        least = c.first[l]
        for x in range(l + 1, end):
            least = min(least, c.first[x])
        for x in range(l, end):
            c.first[x] = least
        l = end


@kernel
def _write_envelope(m, p, c):
    """Write the first column of every row of the matrix: groups, and sets with their loads."""
    for l in range(c.n_local[0]):
        j = c.order[l]
        c.first[l] = l - m.groups.place[j]
    for k in range(p.n_sets[0]):
        least = c.n_local[0]
        for a in range(p.start[k], p.start[k] + p.size[k]):
            least = _reach(c, a, least)
        if p.master[k] >= 0:
            least = _reach(c, p.master[k], least)
            _extend(c, p.master[k], least)
        for a in range(p.start[k], p.start[k] + p.size[k]):
            _extend(c, a, least)
    _even_groups(m, c)
    c.at[0] = 0
    for l in range(c.n_local[0]):
        c.at[l + 1] = c.at[l] + l - c.first[l]
