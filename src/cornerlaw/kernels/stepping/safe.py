"""Steps short enough that no body passes through another one unseen.

A contact is looked at in the middle of a step. A small body that is fast enough is in front of a
thin wall at the start and behind it there: the step is then taken in parts. (T-17.12)
"""

import math

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.pool import refresh_pool
from cornerlaw.kernels.corners.rows import eval_slot_rate
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven

SMALLEST = 1e-6  # part of a step, so that a run goes on whatever happens


@kernel
def _passes_nobody(m, w, dt):
    """Tell whether no point moves by a quarter of the thinnest body: no pair has to be looked at.

    Needs kinematics.
    """
    contours, fastest, thinnest = m.contours, 0.0, math.inf
    for c in range(contours.frame.size):
        v, o = w.frame_v[contours.frame[c]], w.frame_Omega[contours.frame[c]]
        turn = math.sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2])
        speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if turn > 0.0:
            speed += contours.reach[c] * turn
        if not speed <= fastest:
            fastest = speed
        if contours.thickness[c] > 0.0:
            thinnest = min(thinnest, contours.thickness[c])
    # both of a pair move
    return 2.0 * fastest * dt <= 0.5 * thinnest


@kernel
def limit_step(r, t, dt, y):
    """Write to step[2] how much of dt can be taken from the state y; return a status.

    A pair may close its gap and sink in by a quarter of what both are thick.
    """
    m, w, k, s = r.m, r.w, r.w.k, r.s
    for i in range(m.nq):
        k.q[i] = y[i]
    for j in range(m.nu):
        k.u[j] = y[m.nq + j]
    set_driven(m, w, t, k.q, k.u)
    call(m.stages.kinematics, m, w, k.q, k.u)
    if _passes_nobody(m, w, dt):
        s.step[2] = dt
        return OK
    code = refresh_pool(m, w, 1)
    if code != OK:
        return code
    largest = dt
    for n in range(m.slots.start.size):
        c1, c2 = m.slots.contour_1[n], m.slots.contour_2[n]
        if c1 < 0:
            continue
        thickness = m.contours.thickness[c1] + m.contours.thickness[c2]
        if not 0.0 < thickness < 1e299:
            continue
        call(m.stages.detect, m, w, n)
        if not w.contact_g[n] < 1e299:
            continue
        way, approach = max(w.contact_g[n], 0.0), -eval_slot_rate(m, w, n)
        if approach * dt > way + 0.5 * thickness:
            largest = min(largest, (way + 0.25 * thickness) / approach)
    s.step[2] = min(dt, max(largest, SMALLEST * s.step[1]))
    return OK
