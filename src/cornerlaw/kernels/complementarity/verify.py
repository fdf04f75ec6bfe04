"""The independent check of a solution; shares no code with the solvers."""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.kernels._numba import kernel

ROUNDING = 2.0**-53  # of a sum, relative to the largest of what is summed


@kernel
def _set_defect(p, k, scale):
    """Return the sum of squares of x - prox(x - gamma / scale) over the rows of set k."""
    low, high = p.lower_0[k], p.upper_0[k]
    if p.master[k] >= 0:
        load = p.x[p.master[k]]
        if load < 0.0:
            load = 0.0
        if p.lower_1[k] != 0.0:
            low = low + p.lower_1[k] * load
        if p.upper_1[k] != 0.0:
            high = high + p.upper_1[k] * load
    begin, end = p.start[k], p.start[k] + p.size[k]
    shrink = 1.0
    if p.kind[k] == BALL:
        squares = 0.0
        for i in range(begin, end):
            target = p.x[i] - p.gamma[i] / scale
            squares += target * target
        radius = math.sqrt(squares)
        if high < 0.0:
            high = 0.0
        if radius > high:
            shrink = high / radius
    total = 0.0
    for i in range(begin, end):
        target = p.x[i] - p.gamma[i] / scale
        if p.kind[k] == BALL:
            target *= shrink
        elif target < low:
            target = low
        elif target > high:
            target = high
        total += (p.x[i] - target) * (p.x[i] - target)
    return total


@kernel
def _block_scale(p, k):
    """Return the largest |G_ii| of the rows of set k, or their largest entry where that is zero."""
    largest = 0.0
    for i in range(p.start[k], p.start[k] + p.size[k]):
        largest = max(largest, abs(p.G[i, i]))
    return largest


@kernel
def _row_scale(p, k):
    """Return the largest entry of the rows of set k."""
    largest = 0.0
    for i in range(p.start[k], p.start[k] + p.size[k]):
        for j in range(p.n[0]):
            largest = max(largest, abs(p.G[i, j]))
    return largest


@kernel
def _home(p, k):
    """Return the row that stands for the contact of set k: the first one of its owner."""
    return p.start[k] if p.master[k] < 0 else int(p.check[0, p.master[k]])


@kernel
def _write_scales(p):
    """Write the scale of every contact at its home.

    The largest |G_ii| of its rows, or their largest entry where all of these are zero.
    """
    home, scale = p.check[0], p.check[1]
    for k in range(p.n_sets[0]):
        for i in range(p.start[k], p.start[k] + p.size[k]):
            home[i] = p.start[k]
            scale[i] = 0.0
    for k in range(p.n_sets[0]):
        scale[_home(p, k)] = max(scale[_home(p, k)], _block_scale(p, k))
    for k in range(p.n_sets[0]):
        if p.master[k] < 0 and scale[p.start[k]] == 0.0:
            # rare: a massless contact
            largest = _row_scale(p, k)
            for f in range(p.n_sets[0]):
                if p.master[f] >= 0 and _home(p, f) == p.start[k]:
                    largest = max(largest, _row_scale(p, f))
            scale[p.start[k]] = largest if largest > 0.0 else 1.0


@kernel
def residual(p, v_ref):
    """Return the largest residual of all contacts at p.x; writes p.gamma = G x + c.

        |G_ii| |x_i - prox(x_i - gamma_i / |G_ii|)| / max(|c|_inf, v_ref)

    A contact is a set together with the sets it is the master of; anything that is not a number
    makes the residual infinite, and so do multipliers so large that no digit of the velocities is
    left beside the rounding of G x. (T-11.9) (T-11.10) [Acary2018]
    """
    n = p.n[0]
    reference, largest = v_ref, 0.0
    for i in range(n):
        total, size = p.c[i], 0.0
        row = p.G[i]
        for j in range(n):
            total += row[j] * p.x[j]
            size += abs(row[j] * p.x[j])
        largest = max(largest, size)
        p.gamma[i] = total
        if not abs(total) < math.inf or not abs(p.x[i]) < math.inf:
            return math.inf
        reference = max(reference, abs(p.c[i]))
    if ROUNDING * largest > reference:
        return math.inf
    _write_scales(p)
    return grade(p, reference)


@kernel
def grade(p, reference):
    """Return the largest residual of all contacts, with p.gamma, homes and scales at hand."""
    scale, defect = p.check[1], p.check[2]
    for i in range(p.n[0]):
        defect[i] = 0.0
    for k in range(p.n_sets[0]):
        i = _home(p, k)
        defect[i] += _set_defect(p, k, scale[i])
    worst = 0.0
    for k in range(p.n_sets[0]):
        if p.master[k] < 0:
            value = scale[p.start[k]] * math.sqrt(defect[p.start[k]])
            if value != value:
                return math.inf
            worst = max(worst, value)
    if worst == 0.0:
        return 0.0
    return worst / reference if reference > 0.0 else math.inf
