"""Compliant normal laws: the force over penetration depth and rate.

(T-10.23) (T-10.24) (T-10.25)
"""

from cornerlaw.arrays.corners import (
    NORMAL_COMPLIANCE,
    NORMAL_HUNT_CROSSLEY,
    NORMAL_KELVIN_VOIGT,
    NORMAL_RIGID,
)
from cornerlaw.kernels._numba import kernel


@kernel
def is_rigid(m, c):
    """Return whether the normal law of a corner is set-valued."""
    return m.corners.normal_law[c] == NORMAL_RIGID


@kernel
def is_compliant(m, c):
    """Tell whether a law holds for gamma + R lam in place of gamma. (T-11.19)"""
    return m.corners.R[c] > 0.0


@kernel
def is_posed(m, w, c):
    """Tell whether the normal row of a corner belongs to the problem at hand.

    A compliance is part of the matrix in a time step and a force law between events.
    """
    law = m.corners.normal_law[c]
    return law == NORMAL_RIGID or (law == NORMAL_COMPLIANCE and w.k.implicit[0] == 1)


@kernel
def eval_normal_force(m, w, c):
    """Return the normal force of a compliant corner whose rows are known; it never pulls.

    With a compliance alone it is -gamma_N / R.
    d = -g, d_dot = -gamma_N. Kelvin-Voigt: k d + c d_dot. Hunt-Crossley: k d^n (1 + c d_dot).
    Lankarani-Nikravesh: k d^n (1 + 3/4 (1 - e^2) d_dot / v_0) with the approach speed v_0.

    Between events a corner is asked while it is closed, from d = 0 on: there a damper acts at once,
    and the states of all other corners follow from its force. (T-15.19)
    """
    corners = m.corners
    i = corners.row_N[c]
    d, rate = -w.g[i], -w.gamma[i]
    if d <= 0.0 and w.k.implicit[0] == 1:
        return 0.0
    d = max(d, 0.0)
    law, start = corners.normal_law[c], corners.law_start[c]
    if law == NORMAL_COMPLIANCE:
        return max(0.0, rate / corners.R[c])
    stiffness, second = corners.data[start], corners.data[start + 1]
    if law == NORMAL_KELVIN_VOIGT:
        return max(0.0, stiffness * d + second * rate)
    elastic = stiffness * d ** corners.data[start + 2]
    if law == NORMAL_HUNT_CROSSLEY:
        return max(0.0, elastic * (1.0 + second * rate))
    v_0 = max(w.k.v_0[c], 1e-12)
    return max(0.0, elastic * (1.0 + 0.75 * (1.0 - second * second) * rate / v_0))
