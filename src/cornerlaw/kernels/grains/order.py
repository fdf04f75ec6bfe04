"""The order in which contacts are solved: by node, then by colour; and their laws in that order."""

import math

import numba
import numpy as np

from cornerlaw.arrays.grains import COLOURS, CONTACTS, EPS, EPS_SPEED, MOST_COLOURS, MU, PENETRATION
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels._parallel import parallel_kernel
from cornerlaw.kernels.grains.parts import sort_by_node

SPHERE = 3.5  # 1 + m r^2 / I of a ball
ONE = np.uint64(1)


@kernel
def _colour(m, s, w, h, mask):
    """Give every pair of node h the first colour that no other one of its balls has. (T-19.5)

    The next contact then waits for no ball of the one before; the last colour takes what is left.
    """
    n, start = m.radius.size, w.colour_start[h]
    first, last = w.node_first[h], w.node_last[h]
    for c in range(MOST_COLOURS + 1):
        start[c] = 0
    for p in range(first, last):
        k = w.order[p]
        mask[w.owner[k]] = np.uint64(0)
        if s.partner[k] < n:
            mask[s.partner[k]] = np.uint64(0)
    most = 0
    for p in range(first, last):
        k = w.order[p]
        i, j = w.owner[k], s.partner[k]
        used = mask[i]
        if j < n:
            used |= mask[j]
        c = 0
        while c < MOST_COLOURS - 1 and (used >> np.uint64(c)) & ONE:
            c += 1
        bit = ONE << np.uint64(c)
        mask[i] |= bit
        if j < n:
            mask[j] |= bit
        w.colour[k] = c
        start[c + 1] += 1
        most = max(most, c + 1)
    start[0] = first
    for c in range(most):
        start[c + 1] += start[c]
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
def _order_node(m, s, w, h, depth):
    """Write the data of all contacts of node h, by colour."""
    most = _colour(m, s, w, h, w.mask[depth])
    start, deepest = w.colour_start[h], 0.0
    for p in range(w.node_first[h], w.node_last[h]):
        k = w.order[p]
        c = w.colour[k]
        w.slot[k] = start[c]
        start[c] += 1
        _fill(m, s, w, k)
        deepest = max(deepest, -w.gap[k])
    w.partial[h] = deepest
    w.colours[h] = most


@kernel
def _order_in_turn(m, s, w, nodes, depth):
    """Order the contacts of nodes that share no ball."""
    for h in range(nodes, 2 * nodes):
        _order_node(m, s, w, h, depth)


@parallel_kernel
def _order_together(m, s, w, nodes, depth):
    """Order the contacts of nodes that share no ball, all at once."""
    for h in numba.prange(nodes, 2 * nodes):
        _order_node(m, s, w, h, depth)


@kernel
def order_contacts(m, s, w, count, together):
    """Write the contacts in the order in which they are solved. (T-19.4)"""
    leaves = m.leaves[0]
    sort_by_node(w, leaves, count)
    nodes, depth = leaves, 0
    while nodes >= 1:
        if together and nodes > 1:
            _order_together(m, s, w, nodes, depth)
        else:
            _order_in_turn(m, s, w, nodes, depth)
        nodes, depth = nodes // 2, depth + 1
    deepest, colours = 0.0, 0
    for h in range(1, 2 * leaves):
        deepest, colours = max(deepest, w.partial[h]), max(colours, w.colours[h])
    w.figures[CONTACTS], w.figures[COLOURS], w.figures[PENETRATION] = count, colours, deepest
