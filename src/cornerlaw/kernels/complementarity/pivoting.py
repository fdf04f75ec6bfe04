"""Block principal pivoting on the index sets of plane problems."""

import math

from cornerlaw.arrays.problem import BALL, NOT_SOLVED, SOLVED
from cornerlaw.arrays.solver_scratch import MAX_PIVOTS, TOLERANCE, V_REF
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.dense import factor_guarded, solve_factored
from cornerlaw.kernels.complementarity.prox import eval_bounds, eval_gamma, prepare
from cornerlaw.kernels.complementarity.verify import residual

# where a row stands in its interval
LOWER = -1
INSIDE = 0
UPPER = 1

_BLOCKS = 10  # block exchanges allowed without progress before single ones


@kernel
def _bound_of(p, k, side, x):
    """Return the bound of set k that a row stands at, with its load as it is."""
    m = p.master[k]
    load = x[m] if m >= 0 else 0.0
    if side == UPPER:
        return p.upper_0[k] + p.upper_1[k] * load
    if p.kind[k] == BALL:
        return -p.upper_0[k] - p.upper_1[k] * load
    return p.lower_0[k] + p.lower_1[k] * load


@kernel
def _slope_of(p, k, side):
    if side == UPPER:
        return p.upper_1[k]
    return -p.upper_1[k] if p.kind[k] == BALL else p.lower_1[k]


@kernel
def solve_states(p, s, ridge):
    """Write p.x and p.gamma for the present index sets s.state.

    Rows inside have gamma = 0, the others stand at their bound. Redundant rows share the load by
    a small ridge, whose effect two corrections remove. (T-12.5)
    """
    n = p.n[0]
    for i in range(n):
        k = s.set_of[i]
        for j in range(n):
            s.A[i, j] = p.G[i, j] / s.scale[j] if s.state[i] == INSIDE else 0.0
        if s.state[i] == INSIDE:
            s.A[i, i] += ridge
        else:
            s.A[i, i] = 1.0
            m = p.master[k]
            if m >= 0:
                s.A[i, m] -= _slope_of(p, k, s.state[i]) * s.scale[i] / s.scale[m]
    factor_guarded(s.A, n, s.pivot, s.row_end, 1e-15)
    for i in range(n):
        p.x[i] = 0.0
    for correction in range(3):
        eval_gamma(p, p.x, p.gamma)
        for i in range(n):
            s.step[i] = -p.gamma[i]
            if s.state[i] != INSIDE:
                bound = _bound_of(p, s.set_of[i], s.state[i], p.x)
                s.step[i] = s.scale[i] * (bound - p.x[i])
        solve_factored(s.A, n, s.pivot, s.row_end, s.step)
        for i in range(n):
            p.x[i] += s.step[i] / s.scale[i]
    eval_gamma(p, p.x, p.gamma)


@kernel
def _wanted_state(p, s, i, tolerance):
    """Return where row i wants to stand: the same place if it violates nothing."""
    k = s.set_of[i]
    lower, upper = eval_bounds(p, k, p.x)
    if p.kind[k] == BALL:
        lower = -upper
    state = s.state[i]
    if state == INSIDE:
        if s.scale[i] * (lower - p.x[i]) > tolerance:
            return LOWER
        if s.scale[i] * (p.x[i] - upper) > tolerance:
            return UPPER
        return INSIDE
    if lower == upper:
        # nothing to carry: any velocity will do
        return state
    if state == LOWER and p.gamma[i] < -tolerance:
        return INSIDE
    if state == UPPER and p.gamma[i] > tolerance:
        return INSIDE
    return state


@kernel
def _first_states(p, s):
    """Take the index sets from prox(x - gamma / g) at the first guess."""
    eval_gamma(p, p.x, p.gamma)
    for i in range(p.n[0]):
        k = s.set_of[i]
        lower, upper = eval_bounds(p, k, p.x)
        if p.kind[k] == BALL:
            lower = -upper
        z = p.x[i] - p.gamma[i] / s.scale[i]
        s.state[i] = INSIDE
        if lower > -math.inf and (z < lower or (lower == upper and p.gamma[i] >= 0.0)):
            s.state[i] = LOWER
        elif upper < math.inf and (z > upper or lower == upper):
            s.state[i] = UPPER


@kernel
def _exchange(p, s, tolerance, block):
    """Move all rows that violate something, or only the last of them."""
    n = p.n[0]
    last = -1
    for i in range(n):
        s.state_old[i] = _wanted_state(p, s, i, tolerance)
        if s.state_old[i] != s.state[i]:
            last = i
    if block:
        for i in range(n):
            s.state[i] = s.state_old[i]
    elif last >= 0:
        s.state[last] = s.state_old[last]


@kernel
def _count_violations(p, s, tolerance):
    count = 0
    for i in range(p.n[0]):
        if _wanted_state(p, s, i, tolerance) != s.state[i]:
            count += 1
    return count


@kernel
def solve_pivoting(p, s):
    """Solve a plane problem by principal pivoting from the first guess; SOLVED or NOT_SOLVED.

    Whole blocks of rows change place as long as the number of violations falls, else single ones,
    last row first, which ends for every P matrix. Writes p.x, p.gamma, s.residual,
    s.iterations. (T-12.5) [JudicePires1994; Murty1974]
    """
    s.residual[0] = math.inf
    s.iterations[0] = 0
    for k in range(p.n_sets[0]):
        if p.kind[k] == BALL and p.size[k] > 1:
            return NOT_SOLVED
    reference = prepare(p, s)
    tolerance = s.options[TOLERANCE]
    small = 0.1 * tolerance * reference
    _first_states(p, s)
    fewest = p.n[0] + 1
    blocks = _BLOCKS
    limit = int(s.options[MAX_PIVOTS]) * max(p.n[0], 5)
    for iteration in range(limit):
        solve_states(p, s, 1e-10)
        s.iterations[0] = iteration + 1
        count = _count_violations(p, s, small)
        if count == 0:
            break
        if count < fewest:
            fewest = count
            blocks = _BLOCKS
        else:
            blocks -= 1
        _exchange(p, s, small, blocks > 0)
    s.residual[0] = residual(p, s.options[V_REF])
    return SOLVED if s.residual[0] <= tolerance else NOT_SOLVED
