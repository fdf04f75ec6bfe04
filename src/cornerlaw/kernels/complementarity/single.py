"""One contact in closed form: a normal row alone, or with one friction row.

    slip   x_T = s x_N, s the bound against the free sliding:  x_N = -c_N / (G_NN + G_NT s)
    stick  G x = -c
    slip   against the other direction

The first of these that obeys the laws is taken, in the order in which Newton's method from zero
meets them. What comes out is checked like every other solution. (T-12.18)
"""

from cornerlaw.arrays.problem import INTERVAL
from cornerlaw.kernels._inlined import inlined
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


@inlined
def _slips(G_NN, G_NT, G_TN, G_TT, c_N, c_T, slope, sign):
    """Return whether the contact slides with gamma_T of the given sign, and its load."""
    D = G_NN + G_NT * slope
    load = -c_N / D
    return D > 0.0 and sign * (c_T + (G_TN + G_TT * slope) * load) >= 0.0, load


@inlined
def _sticks(G_NN, G_NT, G_TN, G_TT, c_N, c_T, low, high):
    """Return whether friction is enough to stand still, load and friction."""
    D = G_NN * G_TT - G_NT * G_TN
    load = (G_NT * c_T - G_TT * c_N) / D
    friction = (G_TN * c_N - G_NN * c_T) / D
    enough = load >= 0.0 and low * load <= friction <= high * load
    return D > 0.0 and enough, load, friction


@inlined
def solve_pair(G_NN, G_NT, G_TN, G_TT, c_N, c_T, low, high):
    """Return whether there is an answer, and x_N, x_T of one contact with friction. (T-12.18)"""
    if c_N >= 0.0:
        return True, 0.0, 0.0
    forward = c_T > 0.0
    slope, sign = (low, 1.0) if forward else (high, -1.0)
    found, load = _slips(G_NN, G_NT, G_TN, G_TT, c_N, c_T, slope, sign)
    if found:
        return True, load, slope * load
    found, load, friction = _sticks(G_NN, G_NT, G_TN, G_TT, c_N, c_T, low, high)
    if found:
        return True, load, friction
    slope = high if forward else low
    found, load = _slips(G_NN, G_NT, G_TN, G_TT, c_N, c_T, slope, -sign)
    return found, load, slope * load


@kernel
def solve_single(p):
    """Write p.x of a single contact; return whether there is an answer."""
    if not _is_single(p):
        return False
    G, c = p.G, p.c
    if p.n[0] == 1:
        p.x[0] = -c[0] / G[0, 0] if c[0] < 0.0 else 0.0
        return True
    found, load, friction = solve_pair(
        G[0, 0], G[0, 1], G[1, 0], G[1, 1], c[0], c[1], p.lower_1[1], p.upper_1[1]
    )
    if found:
        p.x[0], p.x[1] = load, friction
    return found
