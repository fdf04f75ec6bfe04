"""The pool of contacts: places are given to pairs that come near and taken from pairs that left.

A pair keeps its place as long as it is near, and with it all that its slots and corners remember.
The order in which places are given follows from the poses alone. (T-17.16)
"""

import math

from cornerlaw.arrays.corner_work import OPEN
from cornerlaw.arrays.pool import BOUND_BOX, FREE, N_LEVELS
from cornerlaw.arrays.state import NOT_KNOWN
from cornerlaw.arrays.status import OK, POOL_FULL
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.broad import (
    boxes_meet,
    bucket_of,
    cells_of,
    eval_boxes,
    fatten_boxes,
    is_half_space,
    is_unmoved,
    keep_boxes,
    meets_half_space,
    sort_boxes,
    width_of,
)
from cornerlaw.kernels.contact.points import load_point
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven


@kernel
def _contains(codes, code):
    """Tell whether a sorted array holds a code."""
    low, high = 0, codes.size
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < codes.size and codes[low] == code


@kernel
def class_of_pair(m, i, j):
    """Return the class of places of two contours, -1 if they shall not touch."""
    pool = m.pool
    a, b = pool.carrier[i], pool.carrier[j]
    if a == b:
        return -1
    found = pool.table[pool.family[i], pool.family[j]]
    if pool.joined.size > 0:
        code = min(a, b) * pool.n_carriers + max(a, b)
        if _contains(pool.joined, code):
            found = pool.table_joined[pool.family[i], pool.family[j]]
    if found >= 0 and pool.excluded.size > 0:
        if _contains(pool.excluded, min(i, j) * pool.family.size + max(i, j)):
            return -1
    return found


@kernel
def code_of_pair(m, i, j):
    """Return the number of a pair: first times all contours plus second."""
    pool = m.pool
    if pool.rank[i] > pool.rank[j]:
        i, j = j, i
    return i * pool.family.size + j


@kernel
def _bucket_of_pair(p, code):
    key = code * 0x9E3779B1
    key ^= key >> 15
    return key & (p.hash_pair.size - 1)


@kernel
def place_of_pair(p, code):
    """Return the place of a pair, -1 if it has none."""
    b = _bucket_of_pair(p, code)
    while p.hash_pair[b] != FREE:
        if p.hash_pair[b] == code:
            return p.hash_place[b]
        b = (b + 1) & (p.hash_pair.size - 1)
    return -1


@kernel
def _insert(p, code, place):
    b = _bucket_of_pair(p, code)
    while p.hash_pair[b] != FREE:
        b = (b + 1) & (p.hash_pair.size - 1)
    p.hash_pair[b] = code
    p.hash_place[b] = place


@kernel
def set_place(m, w, place, code):
    """Write the contours of a pair, or of none, to the slots and corners of a place."""
    pool, n = m.pool, m.pool.family.size
    first, second = (code // n, code % n) if code >= 0 else (-1, -1)
    w.pool.pair[place] = code
    for s in range(pool.place_slot[place], pool.place_slot[place] + pool.place_slots[place]):
        m.slots.contour_1[s] = first
        m.slots.contour_2[s] = second
    start = pool.place_corner[place]
    for c in range(start, start + pool.class_corners[pool.place_class[place]]):
        w.k.pair[c] = code


@kernel
def clear_place(m, w, place):
    """Let the slots, corners and rows of a place forget the pair that had it."""
    pool, k = m.pool, w.k
    for s in range(pool.place_slot[place], pool.place_slot[place] + pool.place_slots[place]):
        w.contact_g[s] = math.inf
        w.contact_id[s] = -1
        w.contact_shown[s] = NOT_KNOWN
        w.seen[s] = -1
        for a in range(4):
            w.contact_s[4 * s + a] = math.nan
        if w.contact_p.size > 0:
            w.contact_p[s, 0] = math.nan
    start = pool.place_corner[place]
    for c in range(start, start + pool.class_corners[pool.place_class[place]]):
        k.status[c] = k.before[c] = k.shown[c] = OPEN
        k.closed[c] = k.sliding[c] = k.young[c] = k.fired[c] = k.hit[c] = 0
        k.slack[c] = 1.0
        k.v_0[c] = k.rest_speed[c] = k.slip_speed[c] = 0.0
        for a in range(3):
            k.slip[c, a] = 0.0
        for a in range(4):
            k.slip_ref[c, a] = 0.0
    for i in range(pool.place_row[place], pool.place_row[place] + pool.place_rows[place]):
        k.lam[i] = k.lam_ref[i] = k.Lambda[i] = k.known[i] = 0.0
        k.gamma_minus[i] = k.gamma_plus[i] = 0.0
        k.place[i] = k.step_place[i] = -1


@kernel
def _is_idle(m, w, place):
    """Tell whether a place may be taken away: its contacts are open and their impulses stored."""
    pool, k = m.pool, w.k
    start = pool.place_corner[place]
    for c in range(start, start + pool.class_corners[pool.place_class[place]]):
        if k.before[c] != OPEN or k.shown[c] != OPEN:
            return False
    if w.pool.keep[0] == 1:
        for i in range(pool.place_row[place], pool.place_row[place] + pool.place_rows[place]):
            if k.Lambda[i] != 0.0:
                return False
    return True


@kernel
def _give_place(m, w, code, which):
    """Give a pair the lowest free place of its class; return False if there is none."""
    pool, p = m.pool, w.pool
    end = pool.class_first[which] + pool.class_size[which]
    place = p.lowest[which]
    while place < end and p.pair[place] != FREE:
        place += 1
    p.lowest[which] = place
    if place == end:
        return False
    clear_place(m, w, place)
    set_place(m, w, place, code)
    p.near[place] = 1
    _insert(p, code, place)
    return True


@kernel
def _note_pair(m, w, i, j, give):
    """Mark the place of a near pair; count the pair, or give it a place, if it has none."""
    which = class_of_pair(m, i, j)
    if which < 0:
        return
    p, code = w.pool, code_of_pair(m, i, j)
    place = place_of_pair(p, code)
    if place >= 0:
        p.near[place] = 1
    elif give:
        _give_place(m, w, code, which)
    if not give:
        p.n_near[0] += 1
        p.needed[which] += 1 if place < 0 else 0


@kernel
def _walk_cells(m, w, i, level, give):
    """Note all pairs of contour i with those of one level; on its own level each pair once."""
    p, own, width = w.pool, w.pool.level[i], width_of(level)
    x0, x1 = cells_of(p, i, 0, width)
    y0, y1 = cells_of(p, i, 1, width)
    z0, z1 = cells_of(p, i, 2, width)
    if m.pool.dim == 2:
        z0 = z1 = 0
    for x in range(x0, x1 + 1):
        for y in range(y0, y1 + 1):
            for z in range(z0, z1 + 1):
                j = p.bucket[bucket_of(p, level, x, y, z)]
                while j >= 0:
                    here = p.cell[j, 0] == x and p.cell[j, 1] == y and p.cell[j, 2] == z
                    if here and p.level[j] == level and (level > own or j < i):
                        if boxes_meet(p, i, j):
                            _note_pair(m, w, i, j, give)
                    j = p.following[j]


@kernel
def _walk_unbounded(m, w, h, look, give):
    """Note all pairs of a contour without a box: near a plane by distance, else always."""
    pool = m.pool
    for i in range(pool.family.size):
        if pool.family[i] < 0 or i == h:
            continue
        if pool.bound[i] == BOUND_BOX:
            if not is_half_space(m, h) or meets_half_space(m, w, i, h, look):
                _note_pair(m, w, i, h, give)
        elif i < h:
            _note_pair(m, w, i, h, give)


@kernel
def _walk(m, w, look, give):
    """Note all near pairs: of boxes in the cells, and of contours that have no box."""
    pool, p = m.pool, w.pool
    for i in range(pool.family.size):
        if pool.family[i] < 0:
            continue
        if pool.bound[i] != BOUND_BOX:
            _walk_unbounded(m, w, i, look, give)
        elif p.level[i] >= 0:
            for level in range(p.level[i], N_LEVELS):
                if p.members[level] > 0:
                    _walk_cells(m, w, i, level, give)


@kernel
def _load_pairs(m, w):
    """Write the pairs of all places to their slots and corners."""
    for place in range(m.pool.size):
        set_place(m, w, place, w.pool.pair[place])
    w.pool.loaded[0] = 1


@kernel
def _list_pairs(m, w):
    """List the places by pair, none of them near yet."""
    p = w.pool
    for b in range(p.hash_pair.size):
        p.hash_pair[b] = FREE
    for which in range(p.lowest.size):
        p.lowest[which] = m.pool.class_first[which]
        p.needed[which] = 0
    for place in range(m.pool.size):
        p.near[place] = 0
        if p.pair[place] >= 0:
            _insert(p, p.pair[place], place)
    p.n_near[0] = 0


@kernel
def update_pool(m, w, free):
    """Give places to the pairs that are near at the marker poses of w; return a status.

    With `free` = 1 idle pairs that are not near lose theirs. Where a class has too few places the
    status is POOL_FULL, and `needed` holds how many it must have. While all boxes are inside those
    for which pairs were found last, nothing is to be done.
    """
    p = w.pool
    look = w.look[0] if w.look[0] < math.inf else 0.0
    if p.loaded[0] == 0:
        _load_pairs(m, w)
    eval_boxes(m, w, look)
    if is_unmoved(m, w):
        return OK
    fatten_boxes(m, w)
    _list_pairs(m, w)
    sort_boxes(m, w)
    _walk(m, w, look, False)
    fresh = 0
    for which in range(p.needed.size):
        fresh += p.needed[which]
    for place in range(m.pool.size):
        if p.pair[place] == FREE:
            continue
        if free == 1 and p.near[place] == 0 and _is_idle(m, w, place):
            clear_place(m, w, place)
            set_place(m, w, place, FREE)
        else:
            p.needed[m.pool.place_class[place]] += 1
    for which in range(p.needed.size):
        if p.needed[which] > m.pool.class_size[which]:
            return POOL_FULL
    if fresh > 0:
        _walk(m, w, look, True)
    keep_boxes(m, w)
    return OK


@kernel
def refresh_pool(m, w, free):
    """Bring the pool of a model, if it has one, up to the marker poses of w; return a status."""
    if m.pool.size == 0:
        return OK
    return call(m.stages.broad, m, w, free)


@kernel
def load_pool(m, w, pairs):
    """Give the places to the pairs of a stored row."""
    pool = m.pool
    for place in range(pool.size):
        if w.pool.pair[place] != pairs[place]:
            clear_place(m, w, place)
            set_place(m, w, place, pairs[place])


@kernel
def load_points(m, w, identity):
    """Give the last slots the points they had at a stored row, where these are known."""
    first = w.contact_id.size - identity.size
    for s in range(identity.size):
        if identity[s] == NOT_KNOWN:
            w.contact_shown[first + s] = NOT_KNOWN
        else:
            load_point(m, w, first + s, identity[s])


@kernel
def look_around(m, w, t, q, u):
    """Bring the pool to the state q, u at the time t and find the contacts of all its pairs."""
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    code = refresh_pool(m, w, 0)
    if code != OK:
        return code
    for place in range(m.pool.size):
        if w.pool.pair[place] >= 0:
            first = m.pool.place_slot[place]
            for s in range(first, first + m.pool.place_slots[place]):
                call(m.stages.detect, m, w, s)
    return OK
