"""One time step with set-valued laws: from the state at its start to the state at its end.

    q_M = q_A + alpha dt u_A                                rows and forces are evaluated here
    u_E = u_A + M^-1 (h dt + W Lambda)
    gamma_E = G Lambda + c,   -(gamma_E + eps gamma_A) in N_C(Lambda)
    q_E = q_M + (1 - alpha) dt u_E

alpha = 1/2 is Moreau's midpoint rule, alpha = 0 the half-explicit rule. (T-14.1) (T-14.2)
"""

import math

from cornerlaw.arrays.compact import (
    MOST_DENSE,
    MOST_FALLBACK,
    POSED_LARGE,
    POSED_SMALL,
    POSED_WHOLE,
)
from cornerlaw.arrays.corner_work import (
    CLOSED,
    N_SOLVED,
    N_UNSOLVED,
    OPEN,
    REMOVED,
    SLIP,
    SLIP_MINUS,
    SLIP_PLUS,
    STICK,
    WORST_PENETRATION,
    WORST_RESIDUAL,
)
from cornerlaw.arrays.corners import LEVEL_POSITION, LOAD_NORMAL
from cornerlaw.arrays.problem import SOLVED
from cornerlaw.arrays.status import NOT_FINITE, OK, UNSOLVED
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import counted_kernel, kernel
from cornerlaw.kernels.contact.points import pack_point
from cornerlaw.kernels.contact.pool import refresh_pool
from cornerlaw.kernels.corners.bounds import eval_friction, eval_restitution, set_bounds
from cornerlaw.kernels.corners.compact import apply_compact, assemble_compact, dot_columns
from cornerlaw.kernels.corners.compliance import eval_normal_force, is_posed, is_rigid
from cornerlaw.kernels.corners.loads import (
    LOAD_ITERATIONS,
    follows_reactions,
    note_unsettled,
    update_loads,
)
from cornerlaw.kernels.corners.problem import (
    apply_multipliers,
    clear_still_speeds,
    dot_row,
    factor_bilateral,
    invert_row,
    release_bilateral,
)
from cornerlaw.kernels.corners.rows import eval_gap, eval_gap_rate
from cornerlaw.kernels.corners.slip import sliding_speed
from cornerlaw.kernels.integrators.control import copy, is_finite
from cornerlaw.kernels.kinematics import advance_position, normalise_position
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven
from cornerlaw.kernels.rates import eval_state, project_position, see_states
from cornerlaw.kernels.stepping.options import (
    ACCEPT,
    ACTIVATION,
    ALPHA,
    POSITION_LEVEL,
    STABILISE,
    TANGENTIAL,
    THETA,
)
from cornerlaw.kernels.views import part

NOISE = 2.0  # approach speeds below this many times what forces do in one step are no impacts
CORRECTIONS = 10  # Newton steps of the position correction
SOFT = 1e-6  # compliance of contacts that contradict each other, of their own response


@counted_kernel
def bilateral_impulses(w):
    """Return where the impulses of the bilateral rows without corners go.

    The arrays of corners are empty in a model that has none.
    """
    return w.k.base if w.k.base.size > 0 else w.lam


@kernel
def eval_free_velocity(r, t, dt, x, x_dot):
    """Write q_M, the forces there and u_free = u_A + dt M^-1 h on the bilateral rows.

    k.q holds the position and k.u the velocity where rows are evaluated; both get the prescribed
    motion. Return a status. (T-14.3)
    """
    m, w, k = r.m, r.w, r.w.k
    eval_state(m, w, t, k.q, k.u, x, x_dot)
    code = call(m.stages.factor, m, w)
    if code != OK:
        return code
    call(m.stages.accelerate, m, w, k.du)
    for j in range(m.nu):
        # prescribed velocities act through w_tilde, which is taken at the same time
        k.u_free[j] = k.u[j] + (dt * k.du[j] if m.tree.driven[j] < 0 else 0.0)
    w.n_entries[0] = 0
    if m.n_rows > 0:
        call(m.stages.rows, m, w, t, k.q, k.u, k.u)
        factor_bilateral(m, w)
        for j in range(m.nu):
            k.du[j] = k.u_free[j] - k.u[j]
        for b in range(m.n_rows):
            w.rhs[b] = w.gamma[b] + dot_row(m, w.W[b], k.du)
        release_bilateral(m, w, k.u_free, bilateral_impulses(w))
    return OK


@kernel
def _add_compliant(r, c, dt):
    """Add the impulse of a compliant normal force to u_free and note it."""
    m, w, k = r.m, r.w, r.w.k
    i = m.corners.row_N[c]
    if k.before[c] == OPEN:
        k.v_0[c] = -w.gamma[i]
    invert_row(m, w, i)
    k.known[i] = dt * eval_normal_force(m, w, c)
    for j in range(m.nu):
        k.u_free[j] += k.known[i] * k.Z[i, j]
    for b in range(m.n_rows):
        k.base[b] += k.known[i] * k.R[i, b]


@kernel
def _falls_back(r, t, dt, c, gap):
    """Return whether the forces of the step close a gap again by its end. (T-14.5)"""
    m, w, k = r.m, r.w, r.w.k
    i = m.corners.row_N[c]
    if i < 0 or not is_rigid(m, c):
        return False
    entries = w.n_entries[0]
    call(m.stages.corner, m, w, c, t, k.q, k.u, k.u)
    w.n_entries[0] = entries  # the rows were asked for, no force acts yet
    speed, W, column = w.gamma[i], w.W[i], w.column[i]
    for x in range(w.n_column[i]):
        j = column[x]
        speed += W[j] * (k.u_free[j] - k.u[j])
    return gap + dt * speed <= 0.0


@kernel
def begin_gaps(m, w, q, u):
    """Evaluate the gaps of all corners at a state where one call can do that."""
    if m.stages.gaps != 0:
        call(m.stages.gaps, m, w, q, u)


@inlined
def next_gap(m, w, c, t, q, u):
    """Return the gap of corner c at the state that the gaps were begun for."""
    if m.stages.gaps != 0 and m.corners.always[c] == 0:
        return w.g[m.corners.row_N[c]]
    return eval_gap(m, w, c, t, q, u)


@inlined
def has_position_law(m, c):
    """Tell whether a corner is a rigid contact or stop with a gap."""
    corners = m.corners
    free = corners.always[c] == 1 or corners.level[c] != LEVEL_POSITION
    return not free and corners.row_N[c] >= 0 and is_rigid(m, c)


@inlined
def gap_of(m, w, c):
    """Return the gap of a corner that was evaluated last."""
    s = m.corners.slot[c]
    return w.contact_g[s] if s >= 0 else w.g[m.corners.row_N[c]]


@kernel
def _speed_of_forces(w, i):
    """Return the speed that the forces of a step make at a contact, on either of its bodies.

    What they do to the gap alone is no measure: of two boxes in a stack both fall alike, yet the
    impulses that hold them are those of their weights.
    """
    W, column, u_free, u, total = w.W, w.column, w.k.u_free, w.k.u, 0.0
    for x in range(w.n_column[i]):
        j = column[i, x]
        total += abs(W[i, j] * (u_free[j] - u[j]))
    return total


@kernel
def _change_by_forces(w, i, a):
    """Return W_i k.du and the sum of its parts without their signs; row i is row a of the problem.

    Compact rows stand side by side, those of the model far apart.
    """
    c, du, change, size = w.k.compact, w.k.du, 0.0, 0.0
    if c.posed[0] != POSED_WHOLE:
        W, column = c.W, c.column_W
        for x in range(c.start_W[a], c.start_W[a + 1]):
            part_of = W[x] * du[column[x]]
            change += part_of
            size += abs(part_of)
        return change, size
    return dot_columns(w, i, du), _speed_of_forces(w, i)


@kernel
def closes_plastically(r, c):
    """Tell whether the law of a corner's gap is all there is: on position level, no restitution."""
    plastic = r.m.corners.eps_N[c] == 0.0 and r.m.corners.eps_N_signal[c] < 0
    return plastic and r.options[POSITION_LEVEL] == 1.0


@kernel
def meets_in_step(options, gap, gamma, free, dt):
    """Tell whether a contact that approaches would be passed by the end of the step. (T-14.19)

    `free` is its velocity at the end if no corner acted.
    """
    return gamma < 0.0 and gap + dt * free <= options[ACTIVATION]


@kernel
def _separates(r, c, dt):
    """Tell whether the bodies of a contact move apart for good: it then has no part in the step.

    An impulse Lambda > 0 at a contact with gamma_A > 0 and without restitution does the work
    gamma_A Lambda / 2 > 0. Held like that, a ball between two others would gain energy when it is
    thrown back by the second while it still leaves the first. With gamma_A <= 0 in all contacts
    that take part, Newton's law is passive whatever their coefficients. (T-14.17)
    """
    m, w = r.m, r.w
    if r.options[STABILISE] == 0.0 or closes_plastically(r, c) or not has_position_law(m, c):
        return False
    i = m.corners.row_N[c]
    gamma = w.gamma[i]
    # what is less than closed counts as, in one step, is rounding
    if gamma * dt <= r.options[ACTIVATION]:
        return False
    return gamma > NOISE * _speed_of_forces(w, i)


@kernel
def select_corners(r, t, dt):
    """Mark the corners that take part in the step and write their rows, coefficients and bounds."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    on_position = r.options[POSITION_LEVEL] == 1.0
    k.implicit[0] = 1
    begin_gaps(m, w, k.q, k.u)
    for c in range(k.closed.size):
        k.sliding[c] = 0
        k.closed[c] = 0
        if corners.leader[c] >= 0 and k.closed[corners.leader[c]] == 0:
            continue
        gap = next_gap(m, w, c, t, k.q, k.u)
        if on_position and corners.always[c] == 0:
            # the law decides itself; only what cannot be reached is left out
            reach = gap + dt * min(0.0, eval_gap_rate(m, w, c))
            near = reach <= abs(gap - reach) + r.options[ACTIVATION]
        else:
            near = gap <= r.options[ACTIVATION]
            if not near and k.before[c] != OPEN and r.options[STABILISE] == 1.0:
                # a contact that was closed stays so: its point may rotate away by a trace
                near = gap <= r.options[ACTIVATION] + dt * abs(eval_gap_rate(m, w, c))
                if not near:
                    near = _falls_back(r, t, dt, c, gap)
        if not near:
            continue
        k.closed[c] = 1
        first = w.n_entries[0]
        call(m.stages.corner, m, w, c, t, k.q, k.u, k.u)
        i = corners.row_N[c]
        if _separates(r, c, dt):
            k.closed[c] = 0
            w.n_entries[0] = first
            continue
        if i >= 0 and not is_posed(m, w, c):
            _add_compliant(r, c, dt)
        set_coefficients(r, t, c)


@kernel
def set_coefficients(r, t, c):
    """Write restitution, friction and bounds of a corner whose rows are known."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    i, approach = corners.row_N[c], 0.0
    if i >= 0:
        approach = -restored(r, w.gamma[i])
        if r.options[STABILISE] == 0.0:
            approach = abs(approach)
    eval_restitution(m, w, c, approach)
    if r.options[TANGENTIAL] == 0.0:
        k.eps_T[c] = 0.0
    if corners.row_T[c] >= 0:
        k.mu[c] = eval_friction(m, w, c, t, sliding_speed(m, w, c))
        if corners.load[c] != LOAD_NORMAL:
            set_bounds(m, w, c, t)


@kernel
def restored(r, gamma):
    """Return the velocity that restitution gives back: that of an approach.

    The plain scheme of Moreau takes a separation as well, and lets such a contact sink a little.
    (T-14.4)
    """
    return gamma if r.options[STABILISE] == 0.0 else min(gamma, 0.0)


@kernel
def closing_speed(options, gap, dt):
    """Return the approach that closes a gap from the middle of a step to its end. (T-14.18)"""
    return max(0.0, gap - 0.01 * options[ACTIVATION]) / ((1.0 - options[ALPHA]) * dt)


@kernel
def _return(r, c, dt):
    """Return the approach with which a contact that rests closes its gap by the end of the step.

    On position level every contact does but one that bounces, whatever its gap. (T-14.4)

    The edge on which a body tips turns away from the ground by O(dt^2) in a step. Without a way
    back these gaps add up until the contact opens, falls and is pushed out again. What was open and
    counts as closed is treated alike: held still in the middle of the step, it would be kicked away
    by a surface that accelerates. A hundredth of what counts as closed stays: the roundings of
    redundant contacts contradict each other, and asking for all of them to vanish loads a wall with
    stresses of its own until its friction gives way. (T-14.18)
    """
    m, w, k = r.m, r.w, r.w.k
    if k.eps_N[c] != 0.0 or not has_position_law(m, c):
        return 0.0
    if r.options[POSITION_LEVEL] == 1.0:
        return gap_of(m, w, c) / dt
    if r.options[STABILISE] == 0.0:
        return 0.0
    theta = r.options[THETA]
    if theta == 0.0:
        return closing_speed(r.options, gap_of(m, w, c), dt)
    # the way from the middle to the end has a part at the old velocity, too (T-14.10)
    old = (0.5 - theta) * dt * max(w.gamma[m.corners.row_N[c]], 0.0)
    return max(0.0, gap_of(m, w, c) + old - 0.01 * r.options[ACTIVATION]) / (theta * dt)


@kernel
def add_returns(r, dt, sign, place, gamma):
    """Add the approaches of all contacts that return, times a sign, to the rows of a problem."""
    k, corners = r.w.k, r.m.corners
    for c in range(k.closed.size):
        i = corners.row_N[c]
        if k.closed[c] == 1 and i >= 0 and place[i] >= 0:
            gamma[place[i]] += sign * _return(r, c, dt)


@kernel
def eval_free_rows(r, dt):
    """Write c of the problem: gamma at u_free plus restitution times gamma at u_A. (T-14.4)"""
    m, w, k, corners, p = r.m, r.w, r.w.k, r.m.corners, r.w.k.problem
    on_position = r.options[POSITION_LEVEL] == 1.0
    settle = r.options[STABILISE] == 1.0
    for j in range(m.nu):
        k.du[j] = k.u_free[j] - k.u[j]
    for c in range(k.closed.size):
        if k.closed[c] == 0:
            continue
        i, j = corners.row_N[c], corners.row_T[c]
        if i >= 0 and k.place[i] >= 0:
            k.gamma_minus[i] = w.gamma[i]
            change, size = _change_by_forces(w, i, k.place[i])
            free = w.gamma[i] + change
            if settle and -w.gamma[i] <= NOISE * size:
                # the forces of a step or two made this speed: it is no impact, the contact rests
                k.eps_N[c] = 0.0
                k.eps_T[c] = 0.0
            if on_position and has_position_law(m, c):
                gap = gap_of(m, w, c)
                if not meets_in_step(r.options, gap, w.gamma[i], free, dt):
                    # the law of the gap holds; it knows no restitution
                    k.eps_N[c] = 0.0
                    k.eps_T[c] = 0.0
            p.c[k.place[i]] = free + k.eps_N[c] * restored(r, w.gamma[i])
        for a in range(corners.n_T[c]):
            b = j + a
            k.gamma_minus[b] = w.gamma[b]
            change, _ = _change_by_forces(w, b, k.place[b])
            p.c[k.place[b]] = w.gamma[b] + change + k.eps_T[c] * w.gamma[b]
    if m.n_rows > 0:
        # models with bilateral rows have their problems in a matrix
        clear_still_speeds(m, w)


@kernel
def solve_posed(m, w):
    """Solve the problem at hand; one without a matrix gets it where the sparse solver fails."""
    k = w.k
    if k.compact.posed[0] == POSED_LARGE:
        code = call(m.stages.solve_large, m, w)
        if code == SOLVED or k.n_active[0] > min(MOST_FALLBACK, k.problem.G.shape[0]):
            return code
        assemble_compact(m, w)
        k.compact.posed[0] = POSED_SMALL
    return call(m.stages.solve, k.problem, k.solver)


@kernel
def apply_posed(m, w, du):
    """Write the multipliers of the problem at hand to k.lam and the change of velocity to du."""
    if w.k.compact.posed[0] == POSED_WHOLE:
        apply_multipliers(m, w, du)
    else:
        apply_compact(m, w, du)


@kernel
def solve_problem(r):
    """Solve the problem at hand by the bound solver, keep statistics and return a status."""
    k = r.w.k
    code = solve_posed(r.m, r.w)
    accepted = r.options[ACCEPT] == 1.0 and is_finite(k.problem.x[: k.problem.n[0]])
    if code != SOLVED and not accepted:
        return UNSOLVED
    k.stats[N_SOLVED] += 1.0
    k.stats[N_UNSOLVED] += 0.0 if code == SOLVED else 1.0
    k.stats[WORST_RESIDUAL] = max(k.stats[WORST_RESIDUAL], k.solver.residual[0])
    return OK


@kernel
def _speed_after(k, j, n):
    """Return the velocity of a friction row after the step, or the speed of several."""
    if n == 1:
        return k.problem.gamma[k.place[j]]
    total = 0.0
    for a in range(n):
        total += k.problem.gamma[k.place[j + a]] ** 2
    return math.sqrt(total)


@kernel
def classify_step(r):
    """Write the state of every corner after the step to k.shown. (T-14.7)

    The points at which the forces act are kept as well: the end of the step has others.
    """
    for s in range(r.w.contact_id.size):
        r.w.contact_shown[s] = pack_point(r.m, r.w, s)
    k, corners, p = r.w.k, r.m.corners, r.w.k.problem
    # the correction of positions poses a problem of its own and overwrites this one
    copy(p.gamma, k.gamma_step)
    for i in range(k.place.size):
        k.step_place[i] = k.place[i]
    largest = 0.0
    for a in range(p.n[0]):
        largest = max(largest, abs(p.c[a]))
    for c in range(k.closed.size):
        k.shown[c] = OPEN
        if k.closed[c] == 0:
            continue
        i, j = corners.row_N[c], corners.row_T[c]
        load = 1.0
        if i >= 0 or corners.leader[c] >= 0:
            load = k.lam[i if i >= 0 else corners.load_row[c]]
            if not load > 0.0:
                continue
        if j < 0:
            k.shown[c] = CLOSED
            continue
        speed = _speed_after(k, j, corners.n_T[c])
        width = k.mu[c] * load if corners.load[c] == LOAD_NORMAL else k.bound[c] - k.lower[c]
        if width == 0.0:
            k.shown[c] = CLOSED if i >= 0 else OPEN
        elif abs(speed) <= 1e-9 * (largest + 1e-6):
            k.shown[c] = STICK
        elif corners.n_T[c] > 1:
            k.shown[c] = SLIP
        elif speed > 0.0:
            k.shown[c] = SLIP_PLUS
        else:
            k.shown[c] = SLIP_MINUS


@kernel
def pose_step(m, w, dt):
    """Pose the problem of a step; a model without set-valued elements has none."""
    if w.k.closed.size == 0:
        w.k.problem.n[0] = 0
        w.k.n_active[0] = 0
        return OK
    return call(m.stages.pose, m, w, dt)


@kernel
def _pose_compact(m, w, dt):
    """Pose the problem of a step in compact rows."""
    if w.k.closed.size == 0:
        w.k.problem.n[0] = 0
        w.k.n_active[0] = 0
        return OK
    return call(m.stages.pose_step, m, w, dt)


@kernel
def _eval_held_gap(m, w, c, t, q, u):
    """Return the gap of a bilateral row among the corners, zero of all others. Needs kinematics."""
    if m.corners.hold[c] == 0:
        return 0.0
    entries, j = w.n_entries[0], m.corners.row_T[c]
    call(m.stages.corner, m, w, c, t, q, u, u)
    w.n_entries[0] = entries
    return w.g[j] if w.ends[j, 2] == 1.0 else 0.0


@kernel
def _let_in(m, w, c):
    """Let a bilateral row among the corners, and no friction, into a correction of positions."""
    k = w.k
    k.sliding[c] = 1
    if m.corners.hold[c] == 1 and w.ends[m.corners.row_T[c], 2] == 1.0:
        k.closed[c] = 1
        k.sliding[c] = 0
        k.lower[c], k.bound[c] = -math.inf, math.inf


@kernel
def _solve_softened(m, w):
    """Solve a correction whose gaps contradict each other; return whether that was possible.

    A body between a rope and a floor has one place to be, and linearised at another one there is
    none. With G (1 + SOFT) on the diagonal there always is: it leaves the contradiction, spread
    over the contacts, to the next Newton step, and removes all other penetration. (T-14.9)
    """
    k, p = w.k, w.k.problem
    if k.compact.posed[0] == POSED_LARGE:
        return False
    for a in range(p.n[0]):
        p.G[a, a] += SOFT * abs(p.G[a, a])
        p.x[a] = 0.0
    return call(m.stages.solve, p, k.solver) == SOLVED


@kernel
def correct_position(r, t, q):
    """Remove penetration: the smallest change of q in the metric of M with all gaps >= 0.

    Newton steps on the frictionless problem g + G Lambda >= 0, Lambda >= 0, complementary; gaps
    that are held become zero. (T-14.8)
    """
    m, w, k, p = r.m, r.w, r.w.k, r.w.k.problem
    tolerance = r.options[ACTIVATION]
    for j in range(m.nu):
        k.u[j] = 0.0
    for n in range(CORRECTIONS):
        call(m.stages.places, m, w, q, k.u)
        code = refresh_pool(m, w, 0)
        if code != OK:
            return code
        begin_gaps(m, w, q, k.u)
        worst = 0.0
        for c in range(k.closed.size):
            if has_position_law(m, c):
                worst = max(worst, -next_gap(m, w, c, t, q, k.u))
            worst = max(worst, abs(_eval_held_gap(m, w, c, t, q, k.u)))
        if n == 0:
            k.stats[REMOVED] = worst
        if worst <= 1e-3 * tolerance:
            break
        if m.stages.places != m.stages.kinematics:
            call(m.stages.kinematics, m, w, q, k.u)
        for c in range(k.closed.size):
            # what is near is held as well, so that nothing is pushed from one body into the next
            near = has_position_law(m, c) and gap_of(m, w, c) <= tolerance + 2.0 * worst
            k.closed[c] = 1 if near else 0
        w.n_entries[0] = 0
        if m.n_rows > 0:
            call(m.stages.rows, m, w, t, q, k.u, k.u)
        code = call(m.stages.factor, m, w)
        if code != OK:
            return code
        factor_bilateral(m, w)
        for c in range(k.closed.size):
            _let_in(m, w, c)
            if k.closed[c] == 1:
                call(m.stages.corner, m, w, c, t, q, k.u, k.u)
                k.mu[c] = 0.0
        code = _pose_compact(m, w, 0.0)
        if code != OK:
            return code
        for a in range(k.n_active[0]):
            p.c[a] = w.g[k.active[a]]
            p.x[a] = 0.0
        if solve_posed(m, w) != SOLVED and not _solve_softened(m, w):
            break
        apply_posed(m, w, k.du)
        advance_position(m, q, k.du, q)
        if m.n_rows > 0:
            code = project_position(m, w, t, q)
            if code != OK:
                return code
        else:
            # what projection does beside the rows: prescribed positions are those of the time t
            set_driven(m, w, t, q, k.u)
            for j in range(m.nu):
                k.u[j] = 0.0
            normalise_position(m, q)
    return OK


@kernel
def step_once(r, t, dt, y, y_new):
    """Advance y at t by dt to y_new; return a status."""
    m, w, k, p = r.m, r.w, r.w.k, r.w.k.problem
    a, b = m.nq, m.nq + m.nu
    alpha = r.options[ALPHA]
    for j in range(m.nu):
        k.du[j] = alpha * dt * y[a + j]
        k.u[j] = y[a + j]
    advance_position(m, part(y, 0, a), k.du, k.q)
    x, x_dot = part(y, b, y.size - b), part(y_new, b, y.size - b)
    code = eval_free_velocity(r, t + alpha * dt, dt, x, x_dot)
    if code == OK:
        code = refresh_pool(m, w, 1)
    if code != OK:
        return code
    select_corners(r, t + alpha * dt, dt)
    code = _pose_compact(m, w, dt)
    if code != OK:
        return code
    if p.n[0] > 0:
        eval_free_rows(r, dt)
        add_returns(r, dt, 1.0, k.place, p.c)
        code = solve_with_loads(r, dt)
        if code != OK:
            return code
        apply_posed(m, w, k.du)
    else:
        for i in range(k.lam.size):
            k.lam[i] = k.base[i] if i < m.n_rows else 0.0
        for j in range(m.nu):
            k.du[j] = 0.0
    for i in range(k.known.size):
        if k.known[i] != 0.0:
            k.lam[i] = k.known[i]
            k.known[i] = 0.0
    classify_step(r)
    add_returns(r, dt, -1.0, k.step_place, k.gamma_step)
    for j in range(m.nu):
        u = k.u_free[j] + k.du[j]
        y_new[a + j] = u
        k.du[j] = (1.0 - alpha) * dt * u
    for i in range(b, y.size):
        y_new[i] = y[i] + dt * y_new[i]
    q_new = part(y_new, 0, a)
    see_states(w, part(y_new, b, y.size - b))
    advance_position(m, k.q, k.du, q_new)
    if m.n_rows > 0:
        code = project_position(m, w, t + dt, q_new)
    else:
        # nothing is held from step to step but the bilateral rows
        normalise_position(m, q_new)
    return code if code != OK or is_finite(y_new) else NOT_FINITE


@kernel
def solve_with_loads(r, dt):
    """Solve the problem, again as long as friction bounds follow the reactions."""
    k = r.w.k
    p = k.problem
    for a in range(p.n[0]):
        # of many contacts that rest the impulses of the last step are a good first guess
        p.x[a] = k.lam[k.active[a]] if p.n[0] > MOST_DENSE else 0.0
    code = solve_problem(r)
    if not follows_reactions(r.m, k):
        return code
    change = 0.0
    for _ in range(LOAD_ITERATIONS):
        if code != OK:
            return code
        apply_posed(r.m, r.w, k.du)
        change = update_loads(r.m, r.w, dt)
        if change < 1e-12:
            break
        code = solve_problem(r)
    note_unsettled(k, change)
    return code


@kernel
def finish_step(r, t, y_new):
    """Correct the position at the end of an accepted step and note the penetration left."""
    m, w, k = r.m, r.w, r.w.k
    q, b = part(y_new, 0, m.nq), m.nq + m.nu
    see_states(w, part(y_new, b, y_new.size - b))
    if r.options[STABILISE] == 1.0:
        # multipliers and residual of the step are results; the correction has its own
        copy(k.lam, k.lam_kept)
        error = k.solver.residual[0]
        code = correct_position(r, t, q)
        copy(k.lam_kept, k.lam)
        k.solver.residual[0] = error
        if code != OK:
            return code
    else:
        for j in range(m.nu):
            k.u[j] = 0.0
        call(m.stages.places, m, w, q, k.u)
        code = refresh_pool(m, w, 0)
        if code != OK:
            return code
        begin_gaps(m, w, q, k.u)
        for c in range(k.closed.size):
            if m.corners.always[c] == 0:
                next_gap(m, w, c, t, q, k.u)
    for c in range(k.closed.size):
        if m.corners.always[c] == 0 and m.corners.row_N[c] >= 0 and is_rigid(m, c):
            k.stats[WORST_PENETRATION] = max(k.stats[WORST_PENETRATION], -gap_of(m, w, c))
    return OK
