"""Root functions of the corners, positive as long as a corner keeps its state.

normal:      the gap of an open corner, the force lam_N of a closed one
tangential:  the sliding speed of a sliding corner, what is left of the friction bound of a
             sticking one
(T-15.10)
"""

import math

from cornerlaw.arrays.corner_work import OPEN, SLIP, SLIP_MINUS, SLIP_PLUS, STICK
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.arrays.kinds import CONTOUR_LINE, SHAPE_POINT
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.geometry import turn_to_world
from cornerlaw.kernels.corners.compliance import is_compliant, is_rigid
from cornerlaw.kernels.corners.rows import eval_gap, eval_gap_rate
from cornerlaw.kernels.corners.slip import speed_along
from cornerlaw.kernels.integrators.control import eval_packed, settle
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven
from cornerlaw.kernels.rates import see_states

NORMAL = 0
TANGENTIAL = 1
RATE = 2
LOST = 4  # k.fired of a contact whose candidate vanishes


@kernel
def has_closed(k):
    """Return whether any corner is not open."""
    for c in range(k.status.size):
        if k.status[c] != OPEN:
            return True
    return False


@kernel
def radius_of(m, w, c):
    """Return the radius of the friction disc of a corner with several friction rows."""
    corners, k = m.corners, w.k
    if corners.load[c] != LOAD_NORMAL:
        return k.bound[c]
    return k.mu[c] * k.lam[corners.load_row[c]]


@kernel
def force_size(m, w, c):
    """Return |lam_T| over all friction rows of a corner."""
    total, j = 0.0, m.corners.row_T[c]
    for a in range(m.corners.n_T[c]):
        total += w.k.lam[j + a] * w.k.lam[j + a]
    return math.sqrt(total)


@kernel
def friction_left(m, w, c):
    """Return the distance of lam_T from the nearer end of its interval, or the rim of its disc."""
    corners, k = m.corners, w.k
    j = corners.row_T[c]
    if corners.n_T[c] > 1:
        return radius_of(m, w, c) - force_size(m, w, c)
    if corners.load[c] != LOAD_NORMAL:
        return min(k.bound[c] - k.lam[j], k.lam[j] - k.lower[c])
    upper = k.mu[c] * k.lam[corners.load_row[c]]
    return min(upper - k.lam[j], k.lam[j] + upper * corners.mu_minus[c])


@kernel
def _eval_closed(m, w, c):
    """Write the indicators of a corner that is not open; needs the forces of the state."""
    corners, k = m.corners, w.k
    out = k.indicator[c]
    i, j = corners.row_N[c], corners.row_T[c]
    out[NORMAL] = k.lam[i] if i >= 0 else math.inf
    if i >= 0 and not is_rigid(m, c):
        out[NORMAL] = -w.g[i]  # a compliant contact lasts as long as it is compressed
    out[TANGENTIAL] = math.inf
    out[RATE] = 0.0
    if j >= 0 and is_compliant(m, c):
        return  # its force follows the velocity without a corner
    if k.status[c] == SLIP_PLUS:
        out[TANGENTIAL] = w.gamma[j]
    elif k.status[c] == SLIP_MINUS:
        out[TANGENTIAL] = -w.gamma[j]
    elif k.status[c] == SLIP:
        out[TANGENTIAL] = speed_along(m, w, c)
    elif k.status[c] == STICK:
        out[TANGENTIAL] = friction_left(m, w, c)


@kernel
def eval_blind_time(m, w, k):
    """Return a time in which the contours of a slot without a candidate cannot meet unseen.

    (d - R) / v with the distance d of their markers, the sum R of their radii about them and the
    speed v, spin included; next to each other the time for a quarter of R. (T-15.18)
    """
    if k < 0:
        return math.inf
    c1, c2 = m.slots.contour_1[k], m.slots.contour_2[k]
    if m.contours.kind[c1] >= SHAPE_POINT:
        return math.inf
    if m.contours.kind[c1] == CONTOUR_LINE:
        c1, c2 = c2, c1
    f1, f2 = m.contours.frame[c1], m.contours.frame[c2]
    R1, R2 = m.contours.reach[c1], m.contours.reach[c2]
    x, y = w.frame_r[f1, 0] - w.frame_r[f2, 0], w.frame_r[f1, 1] - w.frame_r[f2, 1]
    distance = math.sqrt(x * x + y * y)
    if m.contours.kind[c2] == CONTOUR_LINE:
        start = m.contours.start[c2]
        n = turn_to_world(w, f2, m.contours.data[start], m.contours.data[start + 1])
        R2, distance = distance, abs(n[0] * x + n[1] * y)
    v_x, v_y = w.frame_v[f1, 0] - w.frame_v[f2, 0], w.frame_v[f1, 1] - w.frame_v[f2, 1]
    speed = math.sqrt(v_x * v_x + v_y * v_y)
    speed += abs(w.frame_Omega[f1, 2]) * R1 + abs(w.frame_Omega[f2, 2]) * R2
    if m.contours.kind[c2] == CONTOUR_LINE:
        R2 = 0.0
    R = R1 + R2
    if not (R < math.inf and speed > 0.0):
        return math.inf
    return max(distance - R, 0.25 * R) / speed


@kernel
def eval_corner_indicators(r, t, y):
    """Write k.indicator of all corners at a state y; return a status."""
    m, w, k = r.m, r.w, r.w.k
    a = m.nq
    q, u = y[:a], y[a : a + m.nu]
    if has_closed(k):
        code = eval_packed(r, t, y, r.s.f_row)
        if code != OK:
            return code
    else:
        see_states(w, y[a + m.nu :])
        set_driven(m, w, t, q, u)
        call(m.stages.kinematics, m, w, q, u)
        w.n_entries[0] = 0
    for c in range(k.status.size):
        if k.status[c] != OPEN:
            _eval_closed(m, w, c)
            continue
        out = k.indicator[c]
        out[TANGENTIAL] = math.inf
        off = m.corners.always[c] == 1 and m.corners.row_N[c] < 0
        if m.corners.leader[c] >= 0 or off:
            out[NORMAL] = math.inf
            out[RATE] = 0.0
        elif m.corners.always[c] == 1:
            # a freewheel that overruns locks when its speed comes back to zero
            call(m.stages.corner, m, w, c, t, q, u, u)
            out[NORMAL] = w.gamma[m.corners.row_N[c]]
            out[RATE] = 0.0
        else:
            out[NORMAL] = eval_gap(m, w, c, t, q, u)
            if out[NORMAL] < math.inf:
                out[RATE] = eval_gap_rate(m, w, c)
            else:
                out[RATE] = eval_blind_time(m, w, m.corners.slot[c])
    return OK


@kernel
def eval_settled(r, t, y):
    """Bring an interpolated state onto the held rows and write the indicators there."""
    if r.m.n_rows > 0 or has_closed(r.w.k) or r.s.driven[0] == 1:
        code = settle(r, t, y)
        if code != OK:
            return code
    return eval_corner_indicators(r, t, y)
