"""One contact in closed form: a normal row alone, or with one friction row.

    slip   x_T = s x_N, s the bound against the free sliding:  x_N = -c_N / (G_NN + G_NT s)
    stick  G x = -c
    slip   against the other direction

The first of these that obeys the laws is taken, in the order in which Newton's method from zero
meets them. What comes out is checked like every other solution. (T-12.18)
"""

from cornerlaw.arrays.problem import INTERVAL
from cornerlaw.kernels._numba import kernel


@kernel
def _is_single(p):
    """Tell whether the problem is one unilateral row, with friction of which it is the load."""
    n = p.n[0]
    if n > 2 or p.n_sets[0] != n or p.master[0] >= 0 or p.lower_0[0] != 0.0:
        return False
    if not p.upper_0[0] > 1e300:
        return False
    if n == 1:
        return True
    return p.kind[1] == INTERVAL and p.master[1] == 0 and p.lower_0[1] == 0.0 == p.upper_0[1]


@kernel
def _slips(p, slope, sign):
    """Write the solution that slides with gamma_T of the given sign; return whether it does."""
    G, c = p.G, p.c
    D = G[0, 0] + G[0, 1] * slope
    if not D > 0.0:
        return False
    load = -c[0] / D
    if sign * (c[1] + (G[1, 0] + G[1, 1] * slope) * load) < 0.0:
        return False
    p.x[0], p.x[1] = load, slope * load
    return True


@kernel
def _sticks(p, low, high):
    """Write the solution that stands still; return whether friction is enough for it."""
    G, c = p.G, p.c
    D = G[0, 0] * G[1, 1] - G[0, 1] * G[1, 0]
    if not D > 0.0:
        return False
    load = (G[0, 1] * c[1] - G[1, 1] * c[0]) / D
    friction = (G[1, 0] * c[0] - G[0, 0] * c[1]) / D
    if load < 0.0 or friction < low * load or friction > high * load:
        return False
    p.x[0], p.x[1] = load, friction
    return True


@kernel
def solve_single(p):
    """Write p.x of a single contact; return whether there is an answer."""
    if not _is_single(p):
        return False
    if p.n[0] == 1:
        p.x[0] = -p.c[0] / p.G[0, 0] if p.c[0] < 0.0 else 0.0
        return True
    if p.c[0] >= 0.0:
        p.x[0], p.x[1] = 0.0, 0.0
        return True
    low, high = p.lower_1[1], p.upper_1[1]
    forward = p.c[1] > 0.0
    if _slips(p, low if forward else high, 1.0 if forward else -1.0):
        return True
    if _sticks(p, low, high):
        return True
    return _slips(p, high if forward else low, -1.0 if forward else 1.0)
