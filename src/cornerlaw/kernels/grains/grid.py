"""Broad phase of balls: on every level of size a grid as wide as the largest reach on it."""

import math

from cornerlaw.kernels._numba import kernel

SPARE = 1.0000001  # a ball on the border of the box of all is inside it


@kernel
def _extent(x, a, first, last):
    """Return the lowest and the highest coordinate a of some centres."""
    low, high = math.inf, -math.inf
    for i in range(first, last):
        low, high = min(low, x[i, a]), max(high, x[i, a])
    return low, high


@kernel
def _choose_cells(m, x, width, w, level):
    """Write box and numbers of cells of a level; return the number of all.

    Where balls are so scattered that the cells would not fit, these become wider.
    """
    first, last = m.level_start[level], m.level_start[level + 1]
    x_low, x_high = _extent(x, 0, first, last)
    y_low, y_high = _extent(x, 1, first, last)
    z_low, z_high = _extent(x, 2, first, last)
    room = m.cell_offset[level + 1] - m.cell_offset[level] - 1
    nx, ny, nz = math.inf, 1.0, 1.0
    # as floats: of balls that fly apart the cells are more than integers can count
    while nx * ny * nz > room and width < math.inf:
        nx = math.floor((x_high - x_low) * SPARE / width) + 1.0
        ny = math.floor((y_high - y_low) * SPARE / width) + 1.0
        nz = math.floor((z_high - z_low) * SPARE / width) + 1.0
        if nx * ny * nz > room:
            width *= 1.3
    box, cells = w.box[level], w.cells[level]
    box[0], box[1], box[2], box[3] = x_low, y_low, z_low, width
    cells[0], cells[1], cells[2] = int(nx), int(ny), int(nz)
    return int(nx) * int(ny) * int(nz)


@kernel
def sort_into_cells(m, x, width, w, level):
    """Sort the balls of a level by cell, in the order of their numbers. (T-19.2)"""
    count = _choose_cells(m, x, width, w, level)
    first, last, offset = m.level_start[level], m.level_start[level + 1], m.cell_offset[level]
    x_low, y_low, z_low, width = w.box[level]
    nx, ny = w.cells[level, 0], w.cells[level, 1]
    start, member, cell = w.cell_start, w.cell_member, w.cell
    for k in range(offset, offset + count + 1):
        start[k] = 0
    for i in range(first, last):
        a = int((x[i, 0] - x_low) / width)
        b = int((x[i, 1] - y_low) / width)
        c = int((x[i, 2] - z_low) / width)
        cell[i] = offset + (c * ny + b) * nx + a
        start[cell[i] + 1] += 1
    start[offset] = first
    for k in range(offset, offset + count):
        start[k + 1] += start[k]
    # placed from the back, so that members of a cell stay in order; then the starts are right
    for i in range(last - 1, first - 1, -1):
        k = cell[i]
        start[k + 1] -= 1
        member[start[k + 1]] = i
    for k in range(offset, offset + count):
        start[k] = start[k + 1]
    start[offset + count] = last
