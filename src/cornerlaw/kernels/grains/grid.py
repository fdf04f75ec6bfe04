"""Broad phase of balls: a grid whose cells are as wide as the largest reach, by counting sort."""

import math

from cornerlaw.kernels._numba import kernel

SPARE = 1.0000001  # a ball on the border of the box of all is inside it


@kernel
def _extent(x, a):
    """Return the lowest and the highest coordinate a of all centres."""
    low, high = math.inf, -math.inf
    for i in range(x.shape[0]):
        low, high = min(low, x[i, a]), max(high, x[i, a])
    return low, high


@kernel
def sort_into_cells(x, width, w):
    """Sort the balls by cell; return the numbers of cells along x, y and z. (T-19.2)

    Where balls are so scattered that the cells would not fit, these become wider.
    """
    x_low, x_high = _extent(x, 0)
    y_low, y_high = _extent(x, 1)
    z_low, z_high = _extent(x, 2)
    room = w.cell_start.size - 1
    while True:
        nx = int((x_high - x_low) * SPARE / width) + 1
        ny = int((y_high - y_low) * SPARE / width) + 1
        nz = int((z_high - z_low) * SPARE / width) + 1
        if float(nx) * float(ny) * float(nz) <= room:
            break
        width *= 1.3
    start, member, cell = w.cell_start, w.cell_member, w.cell
    count = nx * ny * nz
    for k in range(count + 1):
        start[k] = 0
    for i in range(x.shape[0]):
        a = int((x[i, 0] - x_low) / width)
        b = int((x[i, 1] - y_low) / width)
        c = int((x[i, 2] - z_low) / width)
        cell[i] = (c * ny + b) * nx + a
        start[cell[i] + 1] += 1
    for k in range(count):
        start[k + 1] += start[k]
    # placed from the back, so that members of a cell stay in order; then the starts are right
    for i in range(x.shape[0] - 1, -1, -1):
        k = cell[i]
        start[k + 1] -= 1
        member[start[k + 1]] = i
    for k in range(count):
        start[k] = start[k + 1]
    start[count] = x.shape[0]
    return nx, ny, nz
