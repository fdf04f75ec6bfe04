"""Friction bounds that follow the reactions of joints: a fixed point around the problem."""

from cornerlaw.arrays.corner_work import N_UNSETTLED
from cornerlaw.arrays.corners import LOAD_ROWS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.bounds import eval_bound, eval_lower

LOAD_ITERATIONS = 60
UNSETTLED = 1e-8  # relative change of a bound in the last iteration that is worth a word


@kernel
def note_unsettled(k, change):
    """Count a bound that still changes after the last iteration."""
    if change > UNSETTLED:
        k.stats[N_UNSETTLED] += 1.0


@kernel
def update_loads(m, w, duration):
    """Set bounds that depend on multipliers anew; return the largest relative change.

    With multipliers that are impulses over a duration, bounds stay forces. (T-14.6)
    """
    k, corners, p = w.k, m.corners, w.k.problem
    worst = 0.0
    for n in range(p.n_sets[0]):
        c = k.corner_of[k.active[p.start[n]] - m.n_rows]
        j = corners.row_T[c]
        if corners.load[c] != LOAD_ROWS or j < 0 or k.place[j] != p.start[n]:
            continue
        bound = eval_bound(m, w, c, 0.0, duration)
        worst = max(worst, abs(bound - k.bound[c] * duration) / max(bound, 1e-300))
        p.upper_0[n] = bound
        p.lower_0[n] = eval_lower(m, w, c, 0.0, bound)
        k.bound[c] = p.upper_0[n] / duration
        k.lower[c] = p.lower_0[n] / duration
    return worst


@kernel
def follows_reactions(m, k):
    """Tell whether the bound of a corner that takes part follows reactions."""
    for c in range(k.closed.size):
        if k.closed[c] == 1 and m.corners.load[c] == LOAD_ROWS:
            return True
    return False


@kernel
def update_impulse_loads(m, w):
    """Set bounds of an impact that follow the impulses of reactions; return the relative change.

    (T-15.8)
    """
    k, corners, p, imp = w.k, m.corners, w.k.problem, w.k.impact
    worst = 0.0
    for n in range(p.n_sets[0]):
        c = k.corner_of[k.active[p.start[n]] - m.n_rows]
        j = corners.row_T[c]
        if corners.load[c] != LOAD_ROWS or j < 0 or k.place[j] != p.start[n]:
            continue
        bound = eval_bound(m, w, c, 0.0, 0.0)
        worst = max(worst, abs(bound - imp.load[1, n]) / max(bound, 1e-300))
        imp.load[0, n] = eval_lower(m, w, c, 0.0, bound)
        imp.load[1, n] = bound
    return worst
