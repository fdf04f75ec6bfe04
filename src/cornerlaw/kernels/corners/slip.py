"""Directions of sliding of corners with several friction rows.

Friction is -mu lam_N d with d = gamma_T / |gamma_T|. Where the sliding comes to an end d has no
limit of its own: inside a step the speed along the direction that the step began with is not let
below a small part of what it was, so that friction goes on smoothly and the end of the sliding
is a simple root. Nor is it let below what the error of a step makes of it: a direction that is
noise would turn forces at random, without bound near a pole of them. (T-17.8)
"""

import math

from cornerlaw.arrays.corner_work import SLIP, STICK
from cornerlaw.kernels._numba import kernel

FLOOR = 1e-3  # of the speed at the start of the step
SLOW = 1e-8  # least speed that this is taken of [m/s]
NOISE = 100.0  # times the error of a step: speed that counts as one of a stop
LAG = 1e-6  # least speed of sliding that has just begun: friction across it is stiff [m/s]
STORED = 2  # k.young of a stored row: its direction is that of the sliding, however far it turned


@kernel
def sliding_speed(m, w, c):
    """Return the velocity of one friction row, or the speed |gamma_T| of several."""
    j, n = m.corners.row_T[c], m.corners.n_T[c]
    if n == 1:
        return w.gamma[j]
    total = 0.0
    for a in range(n):
        total += w.gamma[j + a] * w.gamma[j + a]
    return math.sqrt(total)


@kernel
def _reference(m, w, c, a):
    """Return component a of the direction that the step began with, in the rows of the corner."""
    ref, s = w.k.slip_ref[c], m.corners.slot[c]
    if a == 2 or s < 0:
        return ref[3] if a == 2 else ref[a]
    n, t = w.contact_n[s], w.contact_t[s]
    if a == 0:
        return t[0] * ref[0] + t[1] * ref[1] + t[2] * ref[2]
    x, y, z = n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]
    return x * ref[0] + y * ref[1] + z * ref[2]


@kernel
def speed_along(m, w, c):
    """Return the sliding velocity along the direction that the step began with."""
    j, total = m.corners.row_T[c], 0.0
    for a in range(m.corners.n_T[c]):
        total += w.gamma[j + a] * _reference(m, w, c, a)
    return total


@kernel
def _fastest_point(m, w, c):
    """Return the speed of the faster of the two markers of a contact, their spin included."""
    s, fastest = m.corners.slot[c], 0.0
    if s < 0:
        # a relative rotation: a radian per second is a natural size
        return max(1.0, w.k.slip_speed[c])
    for side in range(2):
        f = m.contours.frame[m.slots.contour_1[s] if side == 0 else m.slots.contour_2[s]]
        v, o, r = w.frame_v[f], w.frame_Omega[f], w.frame_r[f]
        arm, speed, turn = 0.0, 0.0, 0.0
        for a in range(3):
            arm += (w.contact_r1[s, a] - r[a]) ** 2
            speed += v[a] * v[a]
            turn += o[a] * o[a]
        fastest = max(fastest, math.sqrt(speed) + math.sqrt(turn * arm))
    return fastest


@kernel
def noise_of(m, w, c):
    """Return the speed of sliding below which the error of a step leaves it no direction."""
    relative, absolute = w.k.step_error[0], w.k.step_error[1]
    return NOISE * (relative * _fastest_point(m, w, c) + absolute)


@kernel
def set_slip(m, w, c):
    """Write k.slip of a sliding corner at the state at hand. (T-17.8)"""
    k, j, n = w.k, m.corners.row_T[c], m.corners.n_T[c]
    noise = noise_of(m, w, c)
    least = max(LAG if k.young[c] == 1 else FLOOR * k.slip_speed[c], noise)
    lift = max(0.0, least - speed_along(m, w, c))
    if k.young[c] == STORED:
        # what is left of the speed at a stop would turn the direction of the row before
        lift = 1.0 if sliding_speed(m, w, c) < SLOW else 0.0
    size = 0.0
    for a in range(n):
        k.slip[c, a] = w.gamma[j + a]
        if lift > 0.0:
            k.slip[c, a] += lift * _reference(m, w, c, a)
        size += k.slip[c, a] * k.slip[c, a]
    if size == 0.0:
        return
    size = math.sqrt(size)
    for a in range(n):
        k.slip[c, a] /= size


@kernel
def keep_direction(m, w, c, x, y, z, speed):
    """Keep (x, y, z), given in the rows of the corner, as the direction that a step begins with."""
    ref, s = w.k.slip_ref[c], m.corners.slot[c]
    w.k.slip_speed[c] = max(speed, SLOW)
    w.k.young[c] = 1 if speed == 0.0 else 0
    ref[3] = z
    if s < 0:
        ref[0], ref[1], ref[2] = x, y, 0.0
        return
    n, t = w.contact_n[s], w.contact_t[s]
    b = n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]
    for i in range(3):
        ref[i] = x * t[i] + y * b[i]


@kernel
def begin_direction(m, w, c, goes_on):
    """Keep the present direction of sliding for the step that begins; needs the rows.

    Where sliding goes on, but slower than has a direction, the one kept before is the better one.
    """
    j, n = m.corners.row_T[c], m.corners.n_T[c]
    speed, noise = sliding_speed(m, w, c), noise_of(m, w, c)
    least = max(SLOW, noise) if goes_on else 0.0
    if goes_on and w.k.young[c] == 1 and speed < max(10.0 * LAG, noise):
        return
    if speed > least:
        z = w.gamma[j + 2] / speed if n > 2 else 0.0
        keep_direction(m, w, c, w.gamma[j] / speed, w.gamma[j + 1] / speed, z, speed)
    else:
        w.k.slip_speed[c] = SLOW


@kernel
def hold_without_direction(m, w):
    """Hold corners of a stored row that are said to slide, but stand still and have no direction.

    A mechanism that is locked lets them slide only in name; a direction that is rounding would
    turn their friction at random.
    """
    k = w.k
    for c in range(k.status.size):
        if k.status[c] != SLIP or not sliding_speed(m, w, c) < SLOW:
            continue
        known = 0.0
        for a in range(4):
            known += abs(k.slip_ref[c, a])
        if known == 0.0:
            k.status[c] = STICK


@kernel
def forget_direction(k, c):
    """Let no direction of a corner be known to the next stored row."""
    for a in range(4):
        k.slip_ref[c, a] = 0.0


@kernel
def note_direction(m, w, c, lam):
    """Keep the direction of a stored row for the next one, which may be too slow to have its own.

    Sliding that begins has the direction against the friction that held before.
    """
    k, j, n = w.k, m.corners.row_T[c], m.corners.n_T[c]
    sign, force = 1.0, 1.0
    if k.status[c] == STICK:
        force = 0.0
        for a in range(n):
            k.slip[c, a] = lam[j + a]
            force += lam[j + a] * lam[j + a]
        sign, force = -1.0, math.sqrt(force)
    elif k.status[c] != SLIP:
        force = 0.0
    scale = sign / force if force > 0.0 else 0.0
    z = k.slip[c, 2] * scale if n > 2 else 0.0
    keep_direction(m, w, c, k.slip[c, 0] * scale, k.slip[c, 1] * scale, z, 0.0)
    k.young[c] = STORED
