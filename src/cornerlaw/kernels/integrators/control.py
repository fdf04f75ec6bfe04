"""Pieces every method needs: rates of the packed state, return to the constraints, error control."""

import math

from cornerlaw.arrays.status import NOT_FINITE, OK, STEP_TOO_SMALL
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.layout import ATOL, FIRST_STEP, MAX_STEP, RTOL
from cornerlaw.kernels.rates import (
    eval_rates,
    normalise_position,
    project_position,
    project_velocity,
)

EPS = 2.220446049250313e-16


@kernel
def eval_packed(m, w, counters, t, y, f):
    """Write f = (q_dot, u_dot, x_dot) at y = (q, u, x); prescribed entries of y are overwritten."""
    counters.evaluations[0] += 1
    a = m.nq
    b = a + m.nu
    return eval_rates(m, w, t, y[:a], y[a:b], y[b:], f[:a], f[a:b], f[b:])


@kernel
def project_packed(m, w, counters, t, y):
    """Bring y onto the constraints, positions first: g(q, t) = 0, then gamma(q, u, t) = 0.

    Without rows only the quaternions are normalised.
    """
    a = m.nq
    if m.n_rows == 0:
        normalise_position(m, y[:a])
        return OK
    counters.projections[0] += 1
    code = project_position(m, w, t, y[:a])
    if code != OK:
        return code
    return project_velocity(m, w, t, y[:a], y[a : a + m.nu])


@kernel
def settle(m, w, counters, s, t, y):
    """Make an interpolated or advanced y a state of the model: prescribed entries, constraints."""
    if s.drive[0] == 1 and m.n_rows == 0:
        # a projection sets the prescribed entries itself, without rows only an evaluation does
        code = eval_packed(m, w, counters, t, y, s.f_row)
        if code != OK:
            return code
    return project_packed(m, w, counters, t, y)


@kernel
def is_finite(a):
    """Return whether all entries are finite numbers."""
    for i in range(a.size):
        if not math.isfinite(a[i]):
            return False
    return True


@kernel
def check_state(y, f):
    """Return NOT_FINITE if a state or a rate is not a number."""
    return OK if is_finite(y) and is_finite(f) else NOT_FINITE


@kernel
def settle_step(m, w, counters, s):
    """Bring y_new onto the constraints and write its rates f_new."""
    t = s.step[0]
    code = project_packed(m, w, counters, t, s.y_new)
    if code == OK:
        code = eval_packed(m, w, counters, t, s.y_new, s.f_new)
    if code == OK:
        code = check_state(s.y_new, s.f_new)
    return code


@kernel
def copy(source, target):
    """Write target = source."""
    # a loop: the slice assignment takes ten times as long to compile
    for i in range(target.size):
        target[i] = source[i]


@kernel
def load_state(state, y):
    """Write y = (q, u, x)."""
    a = state.q.size
    b = a + state.u.size
    copy(state.q, y[:a])
    copy(state.u, y[a:b])
    copy(state.x, y[b:])


@kernel
def save_state(state, t, y):
    """Write the time and q, u, x of the state."""
    a = state.q.size
    b = a + state.u.size
    state.t[0] = t
    copy(y[:a], state.q)
    copy(y[a:b], state.u)
    copy(y[b:], state.x)


@kernel
def eval_norm(e, weight, y_A, y_E, rtol, atol):
    """Return sqrt(sum (e_i / (atol + rtol max(|y_A|, |y_E|)))^2 / k) over the k free entries.

    Entries of weight zero are prescribed and carry no error. [Hairer1993, (II.4.11)]
    """
    total, k = 0.0, 0.0
    for i in range(e.size):
        r = weight[i] * e[i] / (atol + rtol * max(abs(y_A[i]), abs(y_E[i])))
        total += r * r
        k += 1.0 if weight[i] != 0.0 else 0.0
    return math.sqrt(total / max(k, 1.0))


@kernel
def choose_first_step(m, w, counters, s, options, t, t_end, y, f, order):
    """Return a first step size from one explicit Euler step. [Hairer1993, II.4]

    h_0 = 0.01 |y| / |f|, d = max(|f|, |f(y + h_0 f) - f| / h_0), h = min(100 h_0, (0.01/d)^(1/(p+1)))
    """
    rtol, atol, longest = options[RTOL], options[ATOL], min(options[MAX_STEP], t_end - t)
    if options[FIRST_STEP] > 0.0:
        return min(options[FIRST_STEP], longest)
    weight = m.error_weight
    d_0 = eval_norm(y, weight, y, y, rtol, atol)
    d_1 = eval_norm(f, weight, y, y, rtol, atol)
    h_0 = 1e-6 if d_0 < 1e-5 or d_1 < 1e-5 else 0.01 * d_0 / d_1
    h_0 = min(h_0, longest)
    for i in range(y.size):
        s.y_row[i] = y[i] + h_0 * f[i]
    if eval_packed(m, w, counters, t + h_0, s.y_row, s.f_row) != OK:
        return h_0
    for i in range(y.size):
        s.f_row[i] = (s.f_row[i] - f[i]) / h_0
    d_2 = eval_norm(s.f_row, weight, y, y, rtol, atol)
    d = max(d_1, d_2)
    if not math.isfinite(d):
        return h_0
    h_1 = max(1e-6, 1e-3 * h_0) if d <= 1e-15 else (0.01 / d) ** (1.0 / (order + 1.0))
    return min(min(100.0 * h_0, h_1), longest)


@kernel
def fit_step(t, dt, t_end, longest, step):
    """Write step = (time at the end, size) of a step of about dt; return OK or STEP_TOO_SMALL.

    A step that ends within 1 % of t_end goes there at once, so that no sliver is left over.
    """
    dt = min(dt, longest)
    rest = t_end - t
    if dt >= rest or (1.01 * dt >= rest and rest <= longest):
        step[0] = t_end
        step[1] = rest
        return OK
    # below ten units in the last place of t the stages cannot be told apart
    if not dt > 10.0 * EPS * abs(t) + 1e-30:
        return STEP_TOO_SMALL
    step[0] = t + dt
    step[1] = step[0] - t
    return OK
