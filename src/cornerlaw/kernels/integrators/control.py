"""Pieces every method needs: rates of the packed state, projection, error control."""

import math

from cornerlaw.arrays.status import NOT_FINITE, OK, STEP_TOO_SMALL
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.layout import (
    ATOL,
    FIRST_STEP,
    LINEAR_LAWS,
    MAX_STEP,
    PROJECTION,
    RATES,
    RTOL,
)
from cornerlaw.kernels.late import call

EPS = 2.220446049250313e-16


@kernel
def take_linear(r, t, q, u, x, begin):
    """Begin (1) or end (0) differences in which laws with own derivatives are linear. (T-9.13)

    The state is the one they are taken at; its prescribed entries are set.
    """
    if r.s.address[LINEAR_LAWS] != 0:
        call(r.s.address[LINEAR_LAWS], r.m, r.w, t, q, u, x, begin)


@kernel
def eval_packed(r, t, y, f):
    """Write f = (q_dot, u_dot, x_dot) at y = (q, u, x); prescribed entries of y are overwritten."""
    r.counters.evaluations[0] += 1
    return call(r.s.address[RATES], r.m, r.w, t, y, f)


@kernel
def project_packed(r, t, y):
    """Bring y onto the constraints, or without rows only normalise its quaternions."""
    if r.m.rows.kind.size > 0:
        r.counters.projections[0] += 1
    return call(r.s.address[PROJECTION], r.m, r.w, t, y)


@kernel
def settle(r, t, y):
    """Make an interpolated y a state of the model: prescribed entries, constraints."""
    if r.s.driven[0] == 1 and r.m.rows.kind.size == 0:
        # a projection sets the prescribed entries itself, without rows only an evaluation does
        code = eval_packed(r, t, y, r.s.f_row)
        if code != OK:
            return code
    return project_packed(r, t, y)


@kernel
def settle_step(r):
    """Bring y_new onto the constraints and write its rates f_new."""
    s = r.s
    code = project_packed(r, s.step[0], s.y_new)
    if code == OK:
        code = eval_packed(r, s.step[0], s.y_new, s.f_new)
    if code == OK and not (is_finite(s.y_new) and is_finite(s.f_new)):
        code = NOT_FINITE
    return code


@kernel
def is_finite(a):
    """Return whether all entries are finite numbers."""
    for i in range(a.size):
        if not math.isfinite(a[i]):
            return False
    return True


@kernel
def copy(source, target):
    """Write target = source."""
    # a loop: the slice assignment takes ten times as long to compile
    for i in range(target.size):
        target[i] = source[i]


@kernel
def load_state(r, y):
    """Write y = (q, u, x) of the state."""
    state = r.state
    a = state.q.size
    b = a + state.u.size
    for i in range(a):
        y[i] = state.q[i]
    for i in range(state.u.size):
        y[a + i] = state.u[i]
    for i in range(state.x.size):
        y[b + i] = state.x[i]


@kernel
def save_state(r, t, y):
    """Write the time and q, u, x of the state."""
    state = r.state
    a = state.q.size
    b = a + state.u.size
    state.t[0] = t
    for i in range(a):
        state.q[i] = y[i]
    for i in range(state.u.size):
        state.u[i] = y[a + i]
    for i in range(state.x.size):
        state.x[i] = y[b + i]


@kernel
def eval_norm(r, e, y_A, y_E):
    """Return sqrt(sum (e_i / (atol + rtol max(|y_A|, |y_E|)))^2 / k) over the k free entries.

    Entries of weight zero are prescribed and carry no error. [Hairer1993, (II.4.11)] (T-7.2)
    """
    weight, rtol, atol = r.m.error_weight, r.options[RTOL], r.options[ATOL]
    total, k = 0.0, 0.0
    for i in range(e.size):
        ratio = weight[i] * e[i] / (atol + rtol * max(abs(y_A[i]), abs(y_E[i])))
        total += ratio * ratio
        k += 1.0 if weight[i] != 0.0 else 0.0
    return math.sqrt(total / max(k, 1.0))


@kernel
def choose_first_step(r, t_end, order):
    """Return a first step size from the rates f at y and one Euler step. [Hairer1993, II.4]

    h_0 = 0.01 |y| / |f|, d = max(|f|, |f(y + h_0 f) - f| / h_0),
    h = min(100 h_0, (0.01 / d)^(1 / (p + 1))) (T-7.5)
    """
    s, f, t = r.s, r.memory.f, r.state.t[0]
    longest = min(r.options[MAX_STEP], t_end - t)
    if r.options[FIRST_STEP] > 0.0:
        return min(r.options[FIRST_STEP], longest)
    d_0, d_1 = eval_norm(r, s.y, s.y, s.y), eval_norm(r, f, s.y, s.y)
    h_0 = 1e-6 if d_0 < 1e-5 or d_1 < 1e-5 else 0.01 * d_0 / d_1
    h_0 = min(h_0, longest)
    for i in range(f.size):
        s.y_row[i] = s.y[i] + h_0 * f[i]
    if eval_packed(r, t + h_0, s.y_row, s.f_row) != OK:
        return h_0
    for i in range(f.size):
        s.f_row[i] = (s.f_row[i] - f[i]) / h_0
    d = max(d_1, eval_norm(r, s.f_row, s.y, s.y))
    if not math.isfinite(d):
        return h_0
    h_1 = max(1e-6, 1e-3 * h_0) if d <= 1e-15 else (0.01 / d) ** (1.0 / (order + 1.0))
    return min(min(100.0 * h_0, h_1), longest)


@kernel
def fit_step(r, dt, t_end):
    """Write step = (time at the end, size) of a step of about dt; return OK or STEP_TOO_SMALL.

    A step that ends within 1 % of t_end goes there at once, so that no sliver is left over.
    """
    t, step, longest = r.state.t[0], r.s.step, r.options[MAX_STEP]
    dt = min(dt, longest)
    rest = t_end - t
    if dt >= rest or (1.01 * dt >= rest and rest <= longest * (1.0 + 1e-9)):
        step[0] = t_end
        step[1] = rest
        return OK
    # below ten units in the last place of t the stages cannot be told apart
    if not dt > 10.0 * EPS * abs(t) + 1e-30:
        return STEP_TOO_SMALL
    step[0] = t + dt
    step[1] = step[0] - t
    return OK
