"""Friction coefficients, given friction bounds and coefficients of restitution of the corners."""

import math

from cornerlaw.arrays.corners import LOAD_FORCE, LOAD_SIGNAL
from cornerlaw.arrays.kinds import ROW_ELEMENT
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.compliance import eval_normal_force
from cornerlaw.kernels.signals import eval_signal


@kernel
def eval_friction(m, w, c, t, speed):
    """Return the friction coefficient of corner c at a sliding speed. (T-10.26) (T-11.15)

    The speed is that of the row times the lever of the friction, the radius of a bearing.
    """
    corners = m.corners
    if corners.mu_signal[c] < 0 or speed == 0.0:
        return corners.mu[c]
    w.slot_in[0] = corners.load_factor[c] * abs(speed)
    return eval_signal(m.signals, corners.mu_signal[c], w.slot_in[:1], w.slot_out[:3])


@kernel
def _eval_end(m, w, c, t, signal, side):
    """Return an end of a set as a signal of time, position and velocity of the row.

    Rows of elements may have a function of their own, and a set that vanishes while they are off.
    """
    j, rows = m.corners.row_T[c], m.rows
    if rows.kind[j] == ROW_ELEMENT:
        if w.ends[j, 2] == 0.0:
            return 0.0
        if (rows.lower_address[j] if side == 0 else rows.upper_address[j]) != 0:
            return w.ends[j, side]
    w.slot_in[0], w.slot_in[1], w.slot_in[2] = t, w.g[j], w.gamma[j]
    return eval_signal(m.signals, signal, w.slot_in[:3], w.slot_out[:3])


@kernel
def eval_bound(m, w, c, t, duration):
    """Return the given friction bound of a corner whose load does not come from its normal row.

    mu times lever times load, with the coefficient evaluated before. (T-11.15) Where multipliers
    are impulses over a duration, a bound that follows them is one as well.
    """
    corners = m.corners
    factor = corners.load_factor[c] * w.k.mu[c]
    if corners.load[c] == LOAD_SIGNAL:
        value = factor * _eval_end(m, w, c, t, corners.load_signal[c], 1)
        return max(value, 0.0) if corners.lower_signal[c] < 0 else value
    if corners.load[c] == LOAD_FORCE:
        return w.k.mu[c] * eval_normal_force(m, w, c)
    # norm of the multipliers that make the load, as they were last
    total = 0.0
    start, affine = corners.load_start[c], corners.affine[c]
    if affine >= 0:
        total = corners.data[affine] * duration
        for k in range(corners.load_count[c]):
            i = corners.lists[start + k]
            # in a time step a compliant force is applied, and no multiplier of its problem
            total += corners.data[affine + 1 + k] * (w.k.lam[i] + w.k.known[i])
        return factor * max(total, 0.0) * w.ends[corners.row_T[c], 2]
    for k in range(start, start + corners.load_count[c]):
        value = w.k.lam[corners.lists[k]]
        total += value * value
    return factor * math.sqrt(total)


@kernel
def eval_lower(m, w, c, t, bound):
    """Return the lower end of the set whose upper end is `bound`."""
    corners = m.corners
    if corners.lower_signal[c] < 0:
        return -bound * corners.mu_minus[c]
    return min(_eval_end(m, w, c, t, corners.lower_signal[c], 0), bound)


@kernel
def set_bounds(m, w, c, t):
    """Write both ends of the set of a corner whose load does not come from its normal row."""
    w.k.bound[c] = eval_bound(m, w, c, t, 1.0)
    w.k.lower[c] = eval_lower(m, w, c, t, w.k.bound[c])


@kernel
def eval_restitution(m, w, c, approach):
    """Write eps_N and eps_T of corner c at an approach speed; both vanish below a threshold.

    (T-13.4)
    """
    corners, k = m.corners, w.k
    if approach <= 0.0 or approach < corners.eps_speed[c]:
        k.eps_N[c] = 0.0
        k.eps_T[c] = 0.0
        return
    k.eps_N[c] = corners.eps_N[c]
    k.eps_T[c] = corners.eps_T[c]
    if corners.eps_N_signal[c] >= 0:
        w.slot_in[0] = max(approach, 0.0)
        k.eps_N[c] = eval_signal(m.signals, corners.eps_N_signal[c], w.slot_in[:1], w.slot_out[:3])
