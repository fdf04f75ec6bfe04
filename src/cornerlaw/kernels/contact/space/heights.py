"""Height fields: z = h(x, y), a bicubic polynomial in every cell; the body lies below."""

import math

from cornerlaw.kernels._numba import kernel

_HEAD = 6  # cells along x and y, corner, size of a cell


@kernel
def _cell_of(x, low, width, n):
    """Return the cell of a coordinate, the last one beyond the end, and the place in it."""
    i = int(min(max(math.floor((x - low) / width), 0.0), n - 1.0))
    return i, x - (low + i * width)


@kernel
def eval_heights(d, x, y, out):
    """Write r = (x, y, h), r_x, r_y, r_xx, r_xy, r_yy in marker axes. (T-18.42)"""
    i, u = _cell_of(x, d[2], d[4], d[0])
    j, v = _cell_of(y, d[3], d[5], d[1])
    at = _HEAD + 16 * (i * int(d[1]) + j)
    h = hx = hy = hxx = hxy = hyy = 0.0
    for a in range(3, -1, -1):
        c = at + 4 * a
        p = d[c] + v * (d[c + 1] + v * (d[c + 2] + v * d[c + 3]))
        py = d[c + 1] + v * (2.0 * d[c + 2] + v * 3.0 * d[c + 3])
        pyy = 2.0 * d[c + 2] + 6.0 * v * d[c + 3]
        # Horner's rule in x, with derivatives
        hxx = hxx * u + 2.0 * hx
        hx = hx * u + h
        h = h * u + p
        hxy = hxy * u + hy
        hy = hy * u + py
        hyy = hyy * u + pyy
    for k in range(18):
        out[k] = 0.0
    out[0], out[1], out[2] = x, y, h
    out[3], out[5] = 1.0, hx
    out[7], out[8] = 1.0, hy
    out[11], out[14], out[17] = hxx, hxy, hyy


@kernel
def window_of(d, x, y, reach, most):
    """Return first node and number of nodes along x and y within reach of a place, and the stride.

    At most `most` nodes each way: of more some are left out, of few there are places between them.
    """
    i0 = max(math.floor((x - reach - d[2]) / d[4]), 0.0)
    i1 = min(math.ceil((x + reach - d[2]) / d[4]), d[0])
    j0 = max(math.floor((y - reach - d[3]) / d[5]), 0.0)
    j1 = min(math.ceil((y + reach - d[3]) / d[5]), d[1])
    if i1 < i0 or j1 < j0:
        return 0.0, 0.0, 0, 0, 1.0
    cells = max(i1 - i0, j1 - j0)
    stride = max(1.0, math.ceil((cells + 1.0) / most))
    if 2.0 * cells < most:
        stride = 0.25 if cells <= 6.0 else 0.5
    return i0, j0, int((i1 - i0) // stride) + 1, int((j1 - j0) // stride) + 1, stride
