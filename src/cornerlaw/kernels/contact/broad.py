"""Broad phase of mixed sizes: boxes around contours, sorted into cells of as many sizes as needed.

A contour lies in the cell of its middle, on the level whose cells are just as wide as its box. It
can therefore reach into neighbours of its cell only, and whoever looks for it looks at three cells
per direction on its own level and on every coarser one that is in use. (T-17.15)
"""

import math

from cornerlaw.arrays.pool import BOUND_BOX, BOUND_HALF, LEVEL_ZERO, N_LEVELS
from cornerlaw.kernels._numba import kernel

SMALLEST = 2.0**-14  # of the largest box: smaller ones share the cells of that size
FARTHEST = 2.0**40  # cells from the origin; what is farther shares the last one


@kernel
def _norm(x, y, z):
    return math.sqrt(x * x + y * y + z * z)


@kernel
def eval_box(m, w, i, look):
    """Write the box of contour i in the world, with its margin and its way in the time `look`.

    low_a = r_a - e_a - margin - look |Omega| R + min(0, look v_a), high_a likewise, with the half
    size e_a = sum_b |A_ab| h_b of a box turned by A, or the radius of a ball, and the greatest
    distance R from the marker.
    (T-17.14)
    """
    pool, f = m.pool, m.contours.frame[i]
    r, A, v, o = w.frame_r[f], w.frame_A[f], w.frame_v[f], w.frame_Omega[f]
    # of what is a ball its radius stands where planes have their normal
    c, h, ball = pool.centre[i], pool.half[i], pool.normal[i, 0]
    far = _norm(abs(c[0]) + h[0], abs(c[1]) + h[1], abs(c[2]) + h[2])
    way = pool.margin[i] + look * far * _norm(o[0], o[1], o[2])
    for a in range(3):
        middle = r[a] + A[a, 0] * c[0] + A[a, 1] * c[1] + A[a, 2] * c[2]
        e = ball
        if ball == 0.0:
            e = abs(A[a, 0]) * h[0] + abs(A[a, 1]) * h[1] + abs(A[a, 2]) * h[2]
        e += way
        move = look * v[a]
        w.pool.low[i, a] = middle - e + min(0.0, move)
        w.pool.high[i, a] = middle + e + max(0.0, move)
    if pool.dim == 2:
        w.pool.low[i, 2] = w.pool.high[i, 2] = 0.0


@kernel
def _cell_of(x, width):
    """Return the cell of a coordinate."""
    return math.floor(max(-FARTHEST, min(FARTHEST, x / width)))


@kernel
def bucket_of(pool, level, x, y, z):
    """Return the bucket of a cell."""
    key = x * 73856093 ^ y * 19349663 ^ z * 83492791 ^ level * 49979687
    key ^= key >> 17
    return key & (pool.bucket.size - 1)


@kernel
def width_of(level):
    """Return the width of the cells of a level."""
    return 2.0 ** (level - LEVEL_ZERO)


@kernel
def eval_boxes(m, w, look):
    """Write the boxes of all contours that have one."""
    for i in range(m.pool.family.size):
        if m.pool.family[i] >= 0 and m.pool.bound[i] == BOUND_BOX:
            eval_box(m, w, i, look)


@kernel
def _pose_entry(w, f, k):
    """Return number k of a marker's pose: position, then axes."""
    return w.frame_r[f, k] if k < 3 else w.frame_A[f, (k - 3) // 3, (k - 3) % 3]


@kernel
def is_unmoved(m, w):
    """Tell whether all boxes are inside those for which pairs were found last.

    Contours without a box must not have moved at all.
    """
    pool, p = m.pool, w.pool
    for i in range(pool.family.size):
        if pool.family[i] < 0:
            continue
        if pool.bound[i] == BOUND_BOX:
            for a in range(3):
                # also false where a number is not one
                if not (p.low[i, a] >= p.fat_low[i, a] and p.high[i, a] <= p.fat_high[i, a]):
                    return False
        else:
            for k in range(12):
                if _pose_entry(w, m.contours.frame[i], k) != p.unbounded[i, k]:
                    return False
    return True


@kernel
def fatten_boxes(m, w):
    """Widen all boxes by their margins, so that contours have room to move."""
    pool, p = m.pool, w.pool
    for i in range(pool.family.size):
        for a in range(3):
            extra = pool.margin[i] if a < pool.dim else 0.0
            p.low[i, a] -= extra
            p.high[i, a] += extra


@kernel
def keep_boxes(m, w):
    """Remember the boxes for which pairs were found."""
    pool, p = m.pool, w.pool
    for i in range(pool.family.size):
        for a in range(3):
            p.fat_low[i, a], p.fat_high[i, a] = p.low[i, a], p.high[i, a]
        if pool.bound[i] != BOUND_BOX:
            for k in range(12):
                p.unbounded[i, k] = _pose_entry(w, m.contours.frame[i], k)


@kernel
def sort_boxes(m, w):
    """Sort all boxes into cells."""
    pool, p = m.pool, w.pool
    for k in range(p.bucket.size):
        p.bucket[k] = -1
    for k in range(N_LEVELS):
        p.members[k] = 0
    largest = 0.0
    for i in range(pool.family.size):
        p.level[i] = -1
        if pool.family[i] >= 0 and pool.bound[i] == BOUND_BOX:
            for a in range(3):
                size = p.high[i, a] - p.low[i, a]
                if size < math.inf:
                    largest = max(largest, size)
    for i in range(pool.family.size):
        if pool.family[i] < 0 or pool.bound[i] != BOUND_BOX:
            continue
        size = SMALLEST * largest
        for a in range(3):
            size = max(size, p.high[i, a] - p.low[i, a])
        if not size < math.inf:
            continue  # not a number: the run ends for that reason
        _, exponent = math.frexp(size)
        level = min(max(exponent + LEVEL_ZERO, 0), N_LEVELS - 1)
        width = width_of(level)
        p.level[i] = level
        p.members[level] += 1
        for a in range(3):
            p.cell[i, a] = _cell_of(0.5 * (p.low[i, a] + p.high[i, a]), width)
        b = bucket_of(p, level, p.cell[i, 0], p.cell[i, 1], p.cell[i, 2])
        p.following[i] = p.bucket[b]
        p.bucket[b] = i


@kernel
def boxes_meet(p, i, j):
    """Tell whether two boxes overlap or touch."""
    for a in range(3):
        if p.low[i, a] > p.high[j, a] or p.low[j, a] > p.high[i, a]:
            return False
    return True


@kernel
def meets_half_space(m, w, i, h, look):
    """Tell whether the box of contour i comes near the plane or line h within the time `look`.

    n.(b - r_h) - sum_a e_a |n_a| <= look (|v_h| + |Omega_h x (b - r_h)|) with the middle b and the
    half sizes e of the box. (T-17.14)
    """
    p, f = w.pool, m.contours.frame[h]
    s, B, k = w.frame_r[f], w.frame_A[f], m.pool.normal[h]
    v, o = w.frame_v[f], w.frame_Omega[f]
    room = 0.0
    for a in range(3):
        n = B[a, 0] * k[0] + B[a, 1] * k[1] + B[a, 2] * k[2]
        room += n * (0.5 * (p.low[i, a] + p.high[i, a]) - s[a])
        room -= 0.5 * abs(n) * (p.high[i, a] - p.low[i, a])
    d0 = 0.5 * (p.low[i, 0] + p.high[i, 0]) - s[0]
    d1 = 0.5 * (p.low[i, 1] + p.high[i, 1]) - s[1]
    d2 = 0.5 * (p.low[i, 2] + p.high[i, 2]) - s[2]
    speed = _norm(v[0], v[1], v[2])
    speed += _norm(o[1] * d2 - o[2] * d1, o[2] * d0 - o[0] * d2, o[0] * d1 - o[1] * d0)
    # not a number counts as near: the run ends for that reason, not for a missing contact
    return not room > look * speed


@kernel
def is_half_space(m, i):
    """Tell whether contour i is a plane or a line."""
    return m.pool.bound[i] == BOUND_HALF


@kernel
def cells_of(p, i, a, width):
    """Return the first and the last cell along a whose contours may reach the box of i."""
    return _cell_of(p.low[i, a] - 0.5 * width, width), _cell_of(p.high[i, a] + 0.5 * width, width)
