"""Friction bounds that follow the reactions of joints: a fixed point around the problem."""

from cornerlaw.arrays.corners import LOAD_ROWS
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.bounds import eval_bound, eval_lower

LOAD_ITERATIONS = 60


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
        bound = eval_bound(m, w, c, 0.0)
        worst = max(worst, abs(bound - k.bound[c] * duration) / max(bound, 1e-300))
        p.upper_0[n] = bound
        p.lower_0[n] = eval_lower(m, w, c, 0.0, bound)
        k.bound[c] = p.upper_0[n] / duration
        k.lower[c] = p.lower_0[n] / duration
    return worst
