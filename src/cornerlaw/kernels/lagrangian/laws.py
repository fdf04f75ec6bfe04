"""The laws of corners with constant rows in one step: coefficients, free velocities, impulses."""

import math

from cornerlaw.arrays.compact import POSED_WHOLE
from cornerlaw.arrays.constant_rows import IN_CLOSED_FORM, ON_POSITION
from cornerlaw.arrays.corner_work import (
    CLOSED,
    N_SOLVED,
    OPEN,
    SLIP_MINUS,
    SLIP_PLUS,
    STICK,
    WORST_RESIDUAL,
)
from cornerlaw.arrays.corners import LOAD_NORMAL
from cornerlaw.arrays.problem import INTERVAL
from cornerlaw.arrays.solver_scratch import TOLERANCE, V_REF
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.complementarity.pair import residual_pair
from cornerlaw.kernels.complementarity.single import solve_pair
from cornerlaw.kernels.corners.bounds import eval_friction, eval_restitution, set_bounds
from cornerlaw.kernels.lagrangian.products import own_mobility, row_times, row_times_and_size
from cornerlaw.kernels.stepping.options import POSITION_LEVEL, STABILISE, TANGENTIAL
from cornerlaw.kernels.stepping.step import (
    NOISE,
    closing_speed,
    meets_in_step,
    restored,
    solve_problem,
)


@inlined
def _eval_normal(r, c, dt):
    """Return c of the normal row of a corner and the approach that closes the gap of one at rest.

    Needs the coefficients of restitution at the approach; a contact at rest has none. Writes
    gamma_minus. (T-14.4) (T-14.18)
    """
    k, fixed, options = r.w.k, r.s.fixed, r.options
    i, settle = r.m.corners.row_N[c], options[STABILISE] == 1.0
    gamma = k.gamma_minus[i]
    change, speed = row_times_and_size(fixed, i, fixed.du)
    if settle and -gamma <= NOISE * speed:
        # the forces of a step or two made this speed: it is no impact, the contact rests
        k.eps_N[c] = 0.0
        k.eps_T[c] = 0.0
    free = gamma + change
    on_position = fixed.kind[c] & ON_POSITION
    if options[POSITION_LEVEL] == 1.0 and on_position:
        gap = fixed.gaps[c]
        if not meets_in_step(options, gap, gamma, free, dt):
            k.eps_N[c] = 0.0
            k.eps_T[c] = 0.0
        if k.eps_N[c] == 0.0:
            # the law of the gap knows no restitution
            return free + gap / dt, gap / dt
    free += k.eps_N[c] * restored(r, gamma)
    if settle and on_position and k.eps_N[c] == 0.0:
        back = closing_speed(options, fixed.gaps[c], dt)
        return free + back, back
    return free, 0.0


@inlined
def _approach(r, gamma):
    """Return the approach speed that restitution depends on; the plain scheme takes any speed."""
    return -min(gamma, 0.0) if r.options[STABILISE] == 1.0 else abs(gamma)


@inlined
def solve_alone(r, c, dt):
    """Solve the law of the only corner that takes part in closed form; return whether it is solved.

    Writes its impulses to k.lam and gamma + eps gamma_A to k.gamma_step. (T-12.18)
    """
    k, fixed, corners, options = r.w.k, r.s.fixed, r.m.corners, r.w.k.solver.options
    if not fixed.kind[c] & IN_CLOSED_FORM:
        return False
    i, j = corners.row_N[c], corners.row_T[c]
    k.gamma_minus[i] = row_times(fixed, i, fixed.u)
    approach = _approach(r, k.gamma_minus[i])
    hits = approach > 0.0 and approach >= corners.eps_speed[c]
    k.eps_N[c] = corners.eps_N[c] if hits else 0.0
    k.eps_T[c] = corners.eps_T[c] if hits and r.options[TANGENTIAL] == 1.0 else 0.0
    c_N, back = _eval_normal(r, c, dt)
    G_NN, G_NT, G_TN, G_TT = own_mobility(fixed, i), 0.0, 0.0, 0.0
    c_T, low, high = 0.0, 0.0, 0.0
    if j >= 0:
        G = fixed.G
        gamma = row_times(fixed, j, fixed.u)
        k.gamma_minus[j] = gamma
        c_T = gamma + row_times(fixed, j, fixed.du) + k.eps_T[c] * gamma
        G_NT, G_TN, G_TT = G[i, j], G[j, i], G[j, j]
        k.mu[c] = corners.mu[c]
        low, high = -k.mu[c] * corners.mu_minus[c], k.mu[c]
        found, x_N, x_T = solve_pair(G_NN, G_NT, G_TN, G_TT, c_N, c_T, low, high)
    else:
        found, x_N, x_T = True, -c_N / G_NN if c_N < 0.0 else 0.0, 0.0
    error, gamma_N, gamma_T = residual_pair(
        G_NN, G_NT, G_TN, G_TT, c_N, c_T, low, high, x_N, x_T, options[V_REF]
    )
    if not found or not error <= options[TOLERANCE]:
        return False
    k.solver.residual[0] = error
    k.stats[N_SOLVED] += 1.0
    k.stats[WORST_RESIDUAL] = max(k.stats[WORST_RESIDUAL], error)
    k.active[0], k.lam[i], k.step_place[i], k.gamma_step[0] = i, x_N, 0, gamma_N - back
    if j >= 0:
        k.active[1], k.lam[j], k.step_place[j], k.gamma_step[1] = j, x_T, 1, gamma_T
    k.n_active[0] = 1 if j < 0 else 2
    k.shown[c] = state_after(r, c, gamma_T, max(abs(c_N), abs(c_T)))
    return True


@kernel
def _add_set(p, place, master, lower_0, lower_1, upper_0, upper_1):
    s = p.n_sets[0]
    p.n_sets[0] = s + 1
    p.kind[s], p.start[s], p.size[s], p.master[s] = INTERVAL, place, 1, master
    p.lower_0[s], p.lower_1[s], p.upper_0[s], p.upper_1[s] = lower_0, lower_1, upper_0, upper_1


@kernel
def pose_corner(r, c, t, dt, n):
    """Add the rows of a corner to the problem behind n others; return the number of all."""
    m, w, k, p, corners = r.m, r.w, r.w.k, r.w.k.problem, r.m.corners
    i, j, load, fixed = corners.row_N[c], corners.row_T[c], -1, r.s.fixed
    approach = 0.0
    if i >= 0:
        k.gamma_minus[i] = row_times(fixed, i, fixed.u)
        approach = _approach(r, k.gamma_minus[i])
    eval_restitution(m, w, c, approach)
    if r.options[TANGENTIAL] == 0.0:
        k.eps_T[c] = 0.0
    if i >= 0:
        load = n
        p.c[n], k.rhs[i] = _eval_normal(r, c, dt)
        k.active[n], k.step_place[i] = i, n
        _add_set(p, n, -1, 0.0, 0.0, math.inf, 0.0)
        n += 1
    if j < 0:
        return n
    gamma = row_times(fixed, j, fixed.u)
    w.g[j], w.gamma[j] = fixed.gap[j] + row_times(fixed, j, fixed.q_M), gamma
    k.gamma_minus[j] = gamma
    p.c[n] = gamma + row_times(fixed, j, fixed.du) + k.eps_T[c] * gamma
    k.mu[c] = eval_friction(m, w, c, t, gamma)
    k.active[n], k.step_place[j] = j, n
    if corners.load[c] == LOAD_NORMAL:
        _add_set(p, n, load, 0.0, -k.mu[c] * corners.mu_minus[c], 0.0, k.mu[c])
    else:
        set_bounds(m, w, c, t)
        _add_set(p, n, -1, k.lower[c] * dt, 0.0, k.bound[c] * dt, 0.0)
    return n + 1


@kernel
def solve_together(r, t, dt):
    """Solve the laws of all corners that take part by the bound solver; return a status. (T-11.1)

    Writes impulses to k.lam and gamma + eps gamma_A to k.gamma_step.
    """
    k, p, corners, G = r.w.k, r.w.k.problem, r.m.corners, r.s.fixed.G
    n, largest = 0, 0.0
    p.n_sets[0] = 0
    for c in range(k.closed.size):
        if k.closed[c] == 1:
            n = pose_corner(r, c, t, dt, n)
    p.n[0], k.n_active[0] = n, n
    # the correction of positions may have left a problem of compact rows
    k.compact.posed[0] = POSED_WHOLE
    for a in range(n):
        p.x[a] = 0.0
        largest = max(largest, abs(p.c[a]))
        for b in range(n):
            p.G[a, b] = G[k.active[a], k.active[b]]
    code = solve_problem(r)
    if code != OK:
        return code
    for a in range(n):
        k.lam[k.active[a]] = p.x[a]
        k.gamma_step[a] = p.gamma[a]
    for c in range(k.closed.size):
        if k.closed[c] == 1:
            i, j = corners.row_N[c], corners.row_T[c]
            if i >= 0:
                k.gamma_step[k.step_place[i]] -= k.rhs[i]
            k.shown[c] = state_after(r, c, p.gamma[k.step_place[j]] if j >= 0 else 0.0, largest)
    return OK


@inlined
def state_after(r, c, speed, largest):
    """Return the state of a corner that took part in the step. (T-14.7)"""
    k, corners = r.w.k, r.m.corners
    i = corners.row_N[c]
    load = k.lam[i] if i >= 0 else 1.0
    if not load > 0.0:
        return OPEN
    if corners.row_T[c] < 0:
        return CLOSED
    width = k.mu[c] * load if corners.load[c] == LOAD_NORMAL else k.bound[c] - k.lower[c]
    if width == 0.0:
        return CLOSED if i >= 0 else OPEN
    if abs(speed) <= 1e-9 * (largest + 1e-6):
        return STICK
    return SLIP_PLUS if speed > 0.0 else SLIP_MINUS
