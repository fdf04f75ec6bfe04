"""After an accepted time step: impulses of the row to come, and the log of what changed."""

from cornerlaw.arrays.corner_work import IMPACT, IMPACT_GAIN, IMPACT_LOSS, OPEN
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.log import log_change, log_event, log_jump
from cornerlaw.kernels.stepping.step import restored


@kernel
def has_changed(k):
    """Tell whether some corner has another state than before the step."""
    changed = False
    for c in range(k.shown.size):
        changed |= k.shown[c] != k.before[c]
    return changed


@kernel
def _strikes(m, k, c):
    """Tell whether a corner that was open has met what is in its way, at a speed of its own.

    A row without a gap is open while it is off, and stops what moves against an infinite end.
    """
    i, j, endless = m.corners.row_N[c], m.corners.row_T[c], m.corners.endless[c]
    if k.before[c] != OPEN or k.shown[c] == OPEN:
        return False
    if i >= 0:
        return k.gamma_minus[i] < 0.0
    forward = (endless & 1) == 1 and k.gamma_minus[j] > 0.0
    return forward or ((endless & 2) == 2 and k.gamma_minus[j] < 0.0)


@kernel
def note_changes(r, t):
    """Log what changed in a step that ended at t."""
    m, k = r.m, r.w.k
    for i in range(k.gamma_plus.size):
        k.gamma_plus[i] = 0.0
    for c in range(k.shown.size):
        i, j = m.corners.row_N[c], m.corners.row_T[c]
        # the problem holds gamma_E + eps gamma_A
        if i >= 0 and k.step_place[i] >= 0:
            back = restored(r, k.gamma_minus[i])
            k.gamma_plus[i] = k.gamma_step[k.step_place[i]] - k.eps_N[c] * back
        for a in range(m.corners.n_T[c]):
            place = k.step_place[j + a]
            if place >= 0:
                k.gamma_plus[j + a] = k.gamma_step[place] - k.eps_T[c] * k.gamma_minus[j + a]
        before, after = k.before[c], k.shown[c]
        if _strikes(m, k, c):
            n = log_event(k, t, c, IMPACT)
            work = log_jump(m, k, n, c, k.gamma_minus, k.gamma_plus, k.lam)
            k.stats[IMPACT_LOSS] -= work
            k.stats[IMPACT_GAIN] = max(k.stats[IMPACT_GAIN], work)
        else:
            log_change(k, t, c, before, after)
        k.before[c] = after


@kernel
def note_step(r, t):
    """Add the impulses of a step to those of the row, and log what changed in it."""
    k = r.w.k
    for i in range(k.lam.size):
        k.Lambda[i] += k.lam[i]
    if has_changed(k):
        note_changes(r, t)
