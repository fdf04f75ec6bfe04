"""Broad phase of mixed sizes: boxes around contours, sorted into cells of as many sizes as needed.

A contour lies in the cell of its middle, on the level whose cells are just as wide as its box. It
can therefore reach into neighbours of its cell only, and whoever looks for it looks at three cells
per direction on its own level and on every coarser one that is in use. (T-17.14)
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
    size e_a = sum_b |A_ab| h_b of a box turned by A and the greatest distance R from the marker.
    (T-17.13)
    """
    pool, f = m.pool, m.contours.frame[i]
    r, A, v, o = w.frame_r[f], w.frame_A[f], w.frame_v[f], w.frame_Omega[f]
    c, h = pool.centre[i], pool.half[i]
    far = _norm(abs(c[0]) + h[0], abs(c[1]) + h[1], abs(c[2]) + h[2])
    way = pool.margin[i] + look * far * _norm(o[0], o[1], o[2])
    w.pool.reached[i] = way
    for a in range(3):
        middle = r[a] + A[a, 0] * c[0] + A[a, 1] * c[1] + A[a, 2] * c[2]
        e = abs(A[a, 0]) * h[0] + abs(A[a, 1]) * h[1] + abs(A[a, 2]) * h[2] + way
        move = look * v[a]
        w.pool.low[i, a] = middle - e + min(0.0, move)
        w.pool.high[i, a] = middle + e + max(0.0, move)
    if pool.dim == 2:
        w.pool.low[i, 2] = w.pool.high[i, 2] = 0.0


@kernel
def _cell_of(x, width):
    """Return the cell of a coordinate."""
    return int(math.floor(max(-FARTHEST, min(FARTHEST, x / width))))


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
def sort_boxes(m, w, look):
    """Write the boxes of all contours that take part and sort those that are bounded into cells."""
    pool, p = m.pool, w.pool
    for k in range(p.bucket.size):
        p.bucket[k] = -1
    for k in range(N_LEVELS):
        p.count[k] = 0
    largest = 0.0
    for i in range(pool.family.size):
        p.level[i] = -1
        if pool.family[i] >= 0 and pool.bound[i] == BOUND_BOX:
            eval_box(m, w, i, look)
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
        p.count[level] += 1
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

    n.(r_i - r_h) - sum_b h_b |n.a_b| <= margin + look (|v_i - v_h| + |Omega_h x d| + R |Omega_i|)
    (T-17.13)
    """
    pool, fi, fh = m.pool, m.contours.frame[i], m.contours.frame[h]
    r, A, c, e = w.frame_r[fi], w.frame_A[fi], pool.centre[i], pool.half[i]
    s, B, k = w.frame_r[fh], w.frame_A[fh], pool.normal[h]
    room = 0.0
    d0 = r[0] - s[0]
    d1 = r[1] - s[1]
    d2 = r[2] - s[2]
    nx = B[0, 0] * k[0] + B[0, 1] * k[1] + B[0, 2] * k[2]
    ny = B[1, 0] * k[0] + B[1, 1] * k[1] + B[1, 2] * k[2]
    nz = B[2, 0] * k[0] + B[2, 1] * k[1] + B[2, 2] * k[2]
    for b in range(3):
        along = nx * A[0, b] + ny * A[1, b] + nz * A[2, b]
        room += along * c[b] - abs(along) * e[b]
    room += nx * d0 + ny * d1 + nz * d2
    v, u, o = w.frame_v[fi], w.frame_v[fh], w.frame_Omega[fh]
    speed = _norm(v[0] - u[0], v[1] - u[1], v[2] - u[2])
    speed += _norm(o[1] * d2 - o[2] * d1, o[2] * d0 - o[0] * d2, o[0] * d1 - o[1] * d0)
    # not a number counts as near: the run ends for that reason, not for a missing contact
    return not room > w.pool.reached[i] + look * speed


@kernel
def is_half_space(m, i):
    """Tell whether contour i is a plane or a line."""
    return m.pool.bound[i] == BOUND_HALF


@kernel
def cells_of(p, i, a, width):
    """Return the first and the last cell along a whose contours may reach the box of i."""
    return _cell_of(p.low[i, a] - 0.5 * width, width), _cell_of(p.high[i, a] + 0.5 * width, width)
