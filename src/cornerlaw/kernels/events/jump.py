"""Impacts: the velocities of all closed corners jump by the law of the run. (T-13.1)"""

import math

from cornerlaw.arrays.corner_work import (
    GAIN_CORNER,
    IMPACT,
    IMPACT_GAIN,
    IMPACT_LOSS,
    N_SOLVED,
    WORST_RESIDUAL,
)
from cornerlaw.arrays.corners import LOAD_NORMAL, LOAD_ROWS
from cornerlaw.arrays.impact_arrays import NEWTON, NEWTON_BOTH
from cornerlaw.arrays.problem import SOLVED
from cornerlaw.arrays.status import OK, UNSOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.bounds import eval_friction, eval_restitution
from cornerlaw.kernels.corners.compliance import is_compliant, is_rigid
from cornerlaw.kernels.corners.loads import (
    LOAD_ITERATIONS,
    follows_reactions,
    note_unsettled,
    update_impulse_loads,
)
from cornerlaw.kernels.corners.log import log_event, log_jump
from cornerlaw.kernels.corners.problem import apply_multipliers, factor_bilateral
from cornerlaw.kernels.corners.slip import sliding_speed
from cornerlaw.kernels.events.options import LAW, V_TOL, ZENO
from cornerlaw.kernels.impacts.solve import solve_impact
from cornerlaw.kernels.kinematics import eval_frame_accelerations
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven


@kernel
def eval_closed_rows(r, t, q, u):
    """Write the rows of all corners marked as closed, and factor mass and bilateral rows."""
    m, w, k = r.m, r.w, r.w.k
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    if m.stages.aim != 0:
        call(m.stages.aim, m, w)
    for i in range(m.n_bodies + 1):
        for a in range(6):
            w.acc[i, a] = 0.0
    eval_frame_accelerations(m, w, w.acc)
    if m.stages.blocks != 0:
        call(m.stages.blocks, m, w, t, q, u, w.b)
    code = call(m.stages.factor, m, w)
    if code != OK:
        return code
    w.n_entries[0] = 0
    if m.n_rows > 0:
        call(m.stages.rows, m, w, t, q, u, u)
        factor_bilateral(m, w)
    for c in range(k.closed.size):
        if k.closed[c] == 1:
            if m.corners.slot[c] >= 0:
                call(m.stages.detect, m, w, m.corners.slot[c])
            call(m.stages.corner, m, w, c, t, q, u, u)
    return OK


@kernel
def _fastest_approach(r):
    """Return the largest approach speed of the closed corners."""
    corners, k, fastest = r.m.corners, r.w.k, 0.0
    for c in range(k.closed.size):
        i = corners.row_N[c]
        if k.closed[c] == 1 and i >= 0 and is_rigid(r.m, c):
            fastest = max(fastest, -r.w.gamma[i])
    return fastest


@kernel
def _prepare(r, t):
    """Write coefficients, sets, G and the velocities before the impact."""
    m, w, k, corners = r.m, r.w, r.w.k, r.m.corners
    p, imp = k.problem, k.impact
    settling = _fastest_approach(r) < r.options[ZENO]
    k.settled[0] = 1 if settling else 0
    for c in range(k.closed.size):
        i, j = corners.row_N[c], corners.row_T[c]
        k.sliding[c] = 0
        k.rest_speed[c] = 0.0
        # friction under a given load transmits no impulse; under reactions it follows theirs
        if corners.load[c] != LOAD_NORMAL or corners.load_row[c] < 0:
            on = corners.endless[c] != 0 and w.ends[j, 2] == 1.0
            k.bound[c] = math.inf if on and corners.endless[c] & 2 else 0.0
            k.lower[c] = -math.inf if on and corners.endless[c] & 1 else 0.0
        if (i >= 0 and not is_rigid(m, c)) or is_compliant(m, c):
            k.sliding[c] = 1  # finite forces transmit no impulse, neither does their friction
        if corners.load[c] == LOAD_ROWS and j >= 0 and k.closed[c] == 1:
            k.mu[c] = eval_friction(m, w, c, t, sliding_speed(m, w, c))
        if corners.leader[c] >= 0:
            k.eps_N[c] = 0.0
            k.eps_T[c] = 0.0
            k.mu[c] = eval_friction(m, w, c, t, sliding_speed(m, w, c))
        if k.closed[c] == 0 or i < 0:
            continue
        approach = -w.gamma[i]
        if approach >= -r.options[V_TOL]:
            # a contact at rest keeps its coefficient: Poisson gives back what it was pressed with
            approach = max(approach, 1e-300)
        eval_restitution(m, w, c, approach)
        if settling and approach > 1e-300 and k.eps_N[c] < 1.0:
            k.rest_speed[c] = k.eps_N[c] * approach / (1.0 - k.eps_N[c])
            k.eps_N[c] = 0.0
            k.eps_T[c] = 0.0
        if j >= 0:
            k.mu[c] = eval_friction(m, w, c, t, sliding_speed(m, w, c))
    call(m.stages.pose, m, w, 0.0)
    for b in range(m.n_rows):
        k.base[b] = 0.0
    for a in range(k.n_active[0]):
        i = k.active[a]
        c = k.corner_of[i - m.n_rows]
        p.c[a] = w.gamma[i]
        p.x[a] = 0.0
        k.gamma_minus[i] = w.gamma[i]
        imp.stiffness[a] = k.stiffness[c]
        imp.eps[a] = k.eps_N[c] if i == corners.row_N[c] else k.eps_T[c]
    for n in range(p.n_sets[0]):
        imp.load[0, n] = 0.0
        imp.load[1, n] = 0.0
    imp.solver[0] = m.stages.solve


@kernel
def _solve_with_loads(r, law):
    """Solve the impact, again as long as friction bounds follow the impulses of reactions.

    Laws with phases, or with shocks one after the other, have no one set of impulses to follow:
    such friction transmits none there. (T-15.8)
    """
    m, w, k = r.m, r.w, r.w.k
    code = solve_impact(law, k.problem, k.impact, k.solver)
    if not (law == NEWTON or law == NEWTON_BOTH) or not follows_reactions(m, k):
        return code
    change = 0.0
    for _ in range(LOAD_ITERATIONS):
        if code != SOLVED:
            return code
        apply_multipliers(m, w, k.du)
        change = update_impulse_loads(m, w)
        if change < 1e-12:
            break
        code = solve_impact(law, k.problem, k.impact, k.solver)
    note_unsettled(k, change)
    return code


@kernel
def _set_approach(r, part):
    """Let sliding corners approach with a part of their sliding speed."""
    m, w, k, corners, p = r.m, r.w, r.w.k, r.m.corners, r.w.k.problem
    for a in range(k.n_active[0]):
        i = k.active[a]
        c = k.corner_of[i - m.n_rows]
        if i == corners.row_N[c] and corners.row_T[c] >= 0:
            p.c[a] = -part * abs(sliding_speed(m, w, c))


@kernel
def _solve_without_collision(r, law):
    """Solve the impact of a contact that slides and does not approach; return a status.

    No impulse at all obeys the law, too. A small approach tells the impulse that ends the sliding
    from it; that one is then the first guess of the problem with next to no approach. (T-15.14)
    """
    k = r.w.k
    _set_approach(r, 1e-6)
    code = solve_impact(law, k.problem, k.impact, k.solver)
    if code != SOLVED:
        return code
    _set_approach(r, 1e-13)
    return solve_impact(law, k.problem, k.impact, k.solver)


@kernel
def _friction_work(m, k, c):
    """Return the work of a friction element without a contact of its own in the impact."""
    work, j = 0.0, m.corners.row_T[c]
    for a in range(j, j + m.corners.n_T[c]):
        work += 0.5 * k.lam[a] * (k.gamma_minus[a] + k.gamma_plus[a])
    return work


@kernel
def _note_impact(r, t):
    """Log the impact corner by corner and add up its energy."""
    m, k, corners, p = r.m, r.w.k, r.m.corners, r.w.k.problem
    for i in range(k.gamma_plus.size):
        k.gamma_plus[i] = 0.0
    for a in range(k.n_active[0]):
        k.gamma_plus[k.active[a]] = p.gamma[a]
    total, worst, culprit = 0.0, 0.0, -1
    for c in range(k.closed.size):
        i = corners.row_N[c]
        k.hit[c] = 0
        if k.closed[c] == 1 and i < 0 and corners.leader[c] < 0:
            total += _friction_work(m, k, c)
            if corners.endless[c] != 0 and k.lam[corners.row_T[c]] != 0.0:
                # a row that was switched on, or one that others were driven against
                n = log_event(k, t, c, IMPACT)
                log_jump(m, k, n, c, k.gamma_minus, k.gamma_plus, k.lam)
                k.hit[c] = 1
        if k.closed[c] == 0 or i < 0 or not (k.lam[i] > 0.0):
            continue
        n = log_event(k, t, c, IMPACT)
        work = log_jump(m, k, n, c, k.gamma_minus, k.gamma_plus, k.lam)
        k.hit[c] = 1
        total += work
        if work > worst or culprit < 0:
            worst, culprit = work, c
    k.stats[IMPACT_LOSS] -= total
    if total > k.stats[IMPACT_GAIN]:
        k.stats[IMPACT_GAIN] = total
        k.stats[GAIN_CORNER] = float(culprit)
    for i in range(k.lam.size):
        k.Lambda[i] += k.lam[i]


@kernel
def apply_impact(r, t, u, collision):
    """Let u jump; needs the rows of all closed corners; return a status."""
    m, w, k = r.m, r.w, r.w.k
    _prepare(r, t)
    if k.n_active[0] == 0:
        return OK
    law = int(r.options[LAW])
    if collision:
        code = _solve_with_loads(r, law)
    else:
        code = _solve_without_collision(r, law)
    k.stats[N_SOLVED] += 1.0
    if code != SOLVED:
        return UNSOLVED if code < 10 else code + 20
    k.stats[WORST_RESIDUAL] = max(k.stats[WORST_RESIDUAL], k.solver.residual[0])
    apply_multipliers(m, w, k.du)
    for j in range(m.nu):
        u[j] += k.du[j]
    _note_impact(r, t)
    return OK
