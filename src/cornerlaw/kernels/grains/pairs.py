"""Contacts of balls with balls and planes: gaps, normals and what the last step left."""

import math

import numba

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels._parallel import parallel_kernel
from cornerlaw.kernels.grains.grid import sort_into_cells
from cornerlaw.kernels.grains.parts import split_space

SKIN = 0.02  # of a radius: pairs this near are followed even while they part


@kernel
def _sort(m, s, w):
    """Sort all levels into cells as wide as the reach of a pair on them. (T-19.2)"""
    fastest = 0.0
    for i in range(m.radius.size):
        v = w.v_free[i]
        fastest = max(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    way = 2.0 * m.options[0] * math.sqrt(fastest)
    for level in range(m.level_start.size - 1):
        largest = 0.0
        for i in range(m.level_start[level], m.level_start[level + 1]):
            largest = max(largest, m.radius[i])
        sort_into_cells(m, s.x, (2.0 + SKIN) * largest + way, w, level)


@kernel
def _add(w, count, limit, i, j, g, x, y, z, s):
    if count >= limit:
        return -1
    w.owner[count], s.partner[count], w.gap[count] = i, j, g
    w.normal[count, 0], w.normal[count, 1], w.normal[count, 2] = x, y, z
    return count + 1


@kernel
def _add_balls(m, s, w, i, first, last, count, limit):
    """Append the pairs of ball i with those of larger number in a row of cells."""
    x, dt, u = s.x, m.options[0], w.v_free[i]
    for k in range(w.cell_start[first], w.cell_start[last + 1]):
        j = w.cell_member[k]
        if j <= i:
            continue
        dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
        square = dx * dx + dy * dy + dz * dz
        sum_ = m.radius[i] + m.radius[j]
        v = w.v_free[j]
        vx, vy, vz = u[0] - v[0], u[1] - v[1], u[2] - v[2]
        skin = SKIN * min(m.radius[i], m.radius[j])
        # |d|' = d . v / |d|: the pair meets in this step where the way is longer than the gap
        inward = -(dx * vx + dy * vy + dz * vz)
        far = sum_ + skin
        if square > far * far and inward <= 0.0:
            continue
        d = math.sqrt(square)
        g = d - sum_
        if g > skin and g * d > inward * dt:
            continue
        if d > 0.0:
            count = _add(w, count, limit, i, j, g, dx / d, dy / d, dz / d, s)
        else:
            count = _add(w, count, limit, i, j, g, 0.0, 0.0, 1.0, s)
        if count < 0:
            return count
    return count


@kernel
def _add_planes(m, s, w, i, count, limit):
    """Append the pairs of ball i with the planes that it may meet in this step."""
    n, dt = m.radius.size, m.options[0]
    for p in range(m.plane_offset.size):
        a = m.plane_normal[p]
        g = a[0] * s.x[i, 0] + a[1] * s.x[i, 1] + a[2] * s.x[i, 2]
        g -= m.plane_offset[p] + m.radius[i]
        v, o = w.v_free[i], w.v_free[n + p]
        rate = a[0] * (v[0] - o[0]) + a[1] * (v[1] - o[1]) + a[2] * (v[2] - o[2])
        if g > SKIN * m.radius[i] and g + dt * rate > 0.0:
            continue
        count = _add(w, count, limit, i, n + p, g, a[0], a[1], a[2], s)
        if count < 0:
            return count
    return count


@kernel
def _add_level(m, s, w, i, level, count, limit):
    """Append the pairs of ball i with balls of larger number on a level."""
    x_low, y_low, z_low, width = w.box[level]
    nx, ny, nz = w.cells[level]
    x, y, z = (s.x[i, 0] - x_low) / width, (s.x[i, 1] - y_low) / width, (s.x[i, 2] - z_low) / width
    # not beside the cells: there is nothing to meet, and the numbers may be too large to count
    if not (-1.0 <= x <= nx + 1.0 and -1.0 <= y <= ny + 1.0 and -1.0 <= z <= nz + 1.0):
        return count
    a, b, c = math.floor(x), math.floor(y), math.floor(z)
    low, high = max(a - 1, 0), min(a + 1, nx - 1)
    if low > high:
        return count
    for z in range(max(c - 1, 0), min(c + 1, nz - 1) + 1):
        for y in range(max(b - 1, 0), min(b + 1, ny - 1) + 1):
            row = m.cell_offset[level] + (z * ny + y) * nx
            count = _add_balls(m, s, w, i, row + low, row + high, count, limit)
            if count < 0:
                return count
    return count


@kernel
def _collect_part(m, s, w, part, parts):
    """Write the pairs of a part of the balls into the part of the room that is theirs.

    Pairs of a ball are those with larger numbers, one after the other; balls of coarser levels have
    larger numbers.
    """
    n, room = m.radius.size, s.partner.size
    count, limit = room * part // parts, room * (part + 1) // parts
    levels, level = m.level_start.size - 1, 0
    w.chunk_end[part] = -1
    for i in range(n * part // parts, n * (part + 1) // parts):
        while i >= m.level_start[level + 1]:
            level += 1
        s.start[i] = count
        for other in range(level, levels):
            count = _add_level(m, s, w, i, other, count, limit)
            if count < 0:
                return
        count = _add_planes(m, s, w, i, count, limit)
        if count < 0:
            return
    w.chunk_end[part] = count


@parallel_kernel
def _collect_together(m, s, w, parts):
    """Write the pairs of all parts at once."""
    for part in numba.prange(parts):
        _collect_part(m, s, w, part, parts)


@kernel
def _close_ranks(m, s, w, parts):
    """Move the pairs of all parts together; return their number, -1 where one had no room."""
    n, room, count = m.radius.size, s.partner.size, 0
    for part in range(parts):
        if w.chunk_end[part] < 0:
            return -1
        begin, end = room * part // parts, w.chunk_end[part]
        shift = begin - count
        for i in range(n * part // parts, n * (part + 1) // parts):
            s.start[i] -= shift
        for k in range(begin, end):
            l = k - shift
            w.owner[l], s.partner[l], w.gap[l] = w.owner[k], s.partner[k], w.gap[k]
            for a in range(3):
                w.normal[l, a] = w.normal[k, a]
        count += end - begin
    s.start[n] = count
    return count


@kernel
def _remember_part(m, s, w, part, parts):
    """Give the pairs of a part of the balls their impulses of the last step, and their node."""
    n = m.radius.size
    for i in range(n * part // parts, n * (part + 1) // parts):
        first, last = w.before[i], w.before[i + 1]
        for k in range(s.start[i], s.start[i + 1]):
            j = s.partner[k]
            for a in range(4):
                s.impulse[k, a] = 0.0
            for old in range(first, last):
                if w.before_partner[old] == j:
                    for a in range(4):
                        s.impulse[k, a] = w.before_impulse[old, a]
                    break
            g, h = w.leaf[i], w.leaf[i]
            if j < n:
                h = w.leaf[j]
            while g != h:
                g, h = g // 2, h // 2
            w.node[k] = g


@parallel_kernel
def _remember_together(m, s, w, parts):
    """Do what `_remember_part` does for all parts at once."""
    for part in numba.prange(parts):
        _remember_part(m, s, w, part, parts)


@kernel
def find_pairs(m, s, w, together):
    """Write the contacts of the state at hand and their nodes; return their number, or -1.

    Needs the free velocities. -1 means that there is no room for so many. (T-19.2)
    """
    parts = m.leaves[0]
    for k in range(w.before.size):
        w.before[k] = s.start[k]
    for k in range(s.start[m.radius.size]):
        w.before_partner[k] = s.partner[k]
        for a in range(4):
            w.before_impulse[k, a] = s.impulse[k, a]
    _sort(m, s, w)
    split_space(s.x, w, parts)
    if together:
        _collect_together(m, s, w, parts)
    else:
        for part in range(parts):
            _collect_part(m, s, w, part, parts)
    count = _close_ranks(m, s, w, parts)
    if count < 0:
        return count
    if together:
        _remember_together(m, s, w, parts)
    else:
        for part in range(parts):
            _remember_part(m, s, w, part, parts)
    return count
