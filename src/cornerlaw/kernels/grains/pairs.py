"""Contacts of balls with balls and planes: gaps, normals, what the last step left, colours."""

import math

import numpy as np

from cornerlaw.arrays.grains import COLOURS, CONTACTS, EPS, EPS_SPEED, MU, PENETRATION
from cornerlaw.arrays.status import OK, TOO_MANY_CONTACTS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.grains.grid import sort_into_cells
from cornerlaw.kernels.grains.sweeps import LAST

SKIN = 0.02  # of a radius: pairs this near are followed even while they part
MOST_COLOURS = LAST + 1
SPHERE = 3.5  # 1 + m r^2 / I of a ball
ONE = np.uint64(1)


@kernel
def _reach(m, s, w):
    """Return the width of a cell: no pair that can meet in a step is further apart."""
    fastest, largest = 0.0, 0.0
    for i in range(m.radius.size):
        v = w.v_free[i]
        fastest = max(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        largest = max(largest, m.radius[i])
    return (2.0 + SKIN) * largest + 2.0 * m.options[0] * math.sqrt(fastest)


@kernel
def _add(w, count, i, j, g, x, y, z, s):
    if count >= s.partner.size:
        return -1
    w.owner[count], s.partner[count], w.gap[count] = i, j, g
    w.normal[count, 0], w.normal[count, 1], w.normal[count, 2] = x, y, z
    return count + 1


@kernel
def _add_balls(m, s, w, i, first, last, count):
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
            count = _add(w, count, i, j, g, dx / d, dy / d, dz / d, s)
        else:
            count = _add(w, count, i, j, g, 0.0, 0.0, 1.0, s)
        if count < 0:
            return count
    return count


@kernel
def _add_planes(m, s, w, i, count):
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
        count = _add(w, count, i, n + p, g, a[0], a[1], a[2], s)
        if count < 0:
            return count
    return count


@kernel
def _collect(m, s, w):
    """Write all pairs, those of every ball with larger numbers one after the other."""
    nx, ny, nz = sort_into_cells(s.x, _reach(m, s, w), w)
    count = 0
    for i in range(m.radius.size):
        s.start[i] = count
        k = w.cell[i]
        a, b, c = k % nx, (k // nx) % ny, k // (nx * ny)
        low, high = max(a - 1, 0), min(a + 1, nx - 1)
        for z in range(max(c - 1, 0), min(c + 1, nz - 1) + 1):
            for y in range(max(b - 1, 0), min(b + 1, ny - 1) + 1):
                row = (z * ny + y) * nx
                count = _add_balls(m, s, w, i, row + low, row + high, count)
                if count < 0:
                    return count
        count = _add_planes(m, s, w, i, count)
        if count < 0:
            return count
    s.start[m.radius.size] = count
    return count


@kernel
def _remember(m, s, w, count):
    """Give every pair the impulses that it had in the last step."""
    for i in range(m.radius.size):
        old = w.before[i]
        for k in range(s.start[i], s.start[i + 1]):
            s.impulse[k, 0] = 0.0
            s.impulse[k, 1] = 0.0
            s.impulse[k, 2] = 0.0
            s.impulse[k, 3] = 0.0
            for l in range(old, w.before[i + 1]):
                if w.before_partner[l] == s.partner[k]:
                    for a in range(4):
                        s.impulse[k, a] = w.before_impulse[l, a]
                    break


@kernel
def _colour(m, s, w, count):
    """Give every pair the first colour that no other pair of its balls has. (T-19.4)

    Pairs of one colour share no ball, so that they may be solved in any order, also at once.
    """
    n, start = m.radius.size, w.colour_start
    for i in range(n):
        w.mask[i] = np.uint64(0)
    for c in range(MOST_COLOURS + 2):
        start[c] = 0
    most = 0
    for k in range(count):
        i, j = w.owner[k], s.partner[k]
        used = w.mask[i]
        if j < n:
            used |= w.mask[j]
        c = 0
        while c < MOST_COLOURS - 1 and (used >> np.uint64(c)) & ONE:
            c += 1
        bit = ONE << np.uint64(c)
        w.mask[i] |= bit
        if j < n:
            w.mask[j] |= bit
        w.colour[k] = c
        start[c + 1] += 1
        most = max(most, c + 1)
    for c in range(most):
        start[c + 1] += start[c]
    for k in range(count - 1, -1, -1):
        c = w.colour[k]
        start[c + 1] -= 1
        w.slot[k] = start[c + 1]
    for c in range(most):
        start[c] = start[c + 1]
    start[most] = count
    return most


@kernel
def _bias(m, g, before, free, laws):
    """Return b of the law gamma_N + b >= 0. (T-19.3)

    A pair that meets fast enough rebounds. Any other may close its gap in this step and no more; a
    penetration is left as fast as the options allow.
    """
    dt = m.options[0]
    eps = laws[EPS]
    if eps > 0.0 and before < -laws[EPS_SPEED] and g + dt * free <= 0.0:
        rebound = eps * before
        # what its own weight makes in a step is no impact
        if -before > 2.0 * dt * math.sqrt(
            m.gravity[0] ** 2 + m.gravity[1] ** 2 + m.gravity[2] ** 2
        ):
            return rebound
    return max(g / dt, -m.options[3])


@kernel
def _fill(m, s, w, k):
    """Write the data of pair k at its place."""
    n, i, j, p = m.radius.size, w.owner[k], s.partner[k], w.slot[k]
    x, y, z = w.normal[k, 0], w.normal[k, 1], w.normal[k, 2]
    w.first[p], w.second[p] = i, j
    laws = m.laws if j < n else m.plane_laws[j - n]
    a, b, f, h = s.v[i], s.v[j], w.v_free[i], w.v_free[j]
    before = x * (a[0] - b[0]) + y * (a[1] - b[1]) + z * (a[2] - b[2])
    free = x * (f[0] - h[0]) + y * (f[1] - h[1]) + z * (f[2] - h[2])
    weight = m.inverse_mass[i] + m.inverse_mass[j]
    d, o = w.data[p], s.impulse[k]
    d[0], d[1], d[2] = x, y, z
    d[3] = _bias(m, w.gap[k], before, free, laws)
    d[4], d[5], d[6] = 1.0 / weight, 1.0 / (SPHERE * weight), laws[MU]
    along = x * o[1] + y * o[2] + z * o[3]
    # the normal has turned a little since the last step
    d[7], d[8], d[9], d[10] = o[0], o[1] - along * x, o[2] - along * y, o[3] - along * z
    d[11] = 0.0


@kernel
def find_pairs(m, s, w):
    """Write the contacts of the state at hand, in the order of their colours; return a status.

    Needs the free velocities. (T-19.2)
    """
    for k in range(w.before.size):
        w.before[k] = s.start[k]
    for k in range(s.start[m.radius.size]):
        w.before_partner[k] = s.partner[k]
        for a in range(4):
            w.before_impulse[k, a] = s.impulse[k, a]
    count = _collect(m, s, w)
    if count < 0:
        return TOO_MANY_CONTACTS
    _remember(m, s, w, count)
    w.figures[CONTACTS], w.figures[COLOURS] = count, _colour(m, s, w, count)
    deepest = 0.0
    for k in range(count):
        _fill(m, s, w, k)
        deepest = max(deepest, -w.gap[k])
    w.figures[PENETRATION] = deepest
    return OK
