"""One time step of a model with constant masses and rows.

The scheme is that of stepping/step.py. What does not change from step to step is made before, a
step without closed contacts looks at nothing but gaps, and one with a single closed contact has a
closed form. (T-14.1) (T-14.2)
"""

from cornerlaw.arrays.constant_rows import ON_POSITION
from cornerlaw.arrays.corner_work import OPEN, REMOVED, WORST_PENETRATION
from cornerlaw.arrays.status import NOT_FINITE, OK, UNSOLVED
from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.layout import CORRECT, FORCES, TOGETHER, WHOLE
from cornerlaw.kernels.integrators.quiet import HUGE
from cornerlaw.kernels.lagrangian.fours import add_scaled, copy_fours, is_finite, least
from cornerlaw.kernels.lagrangian.laws import solve_alone
from cornerlaw.kernels.lagrangian.products import add_response, write_change, write_gaps
from cornerlaw.kernels.lagrangian.select import select_constant
from cornerlaw.kernels.late import call
from cornerlaw.kernels.slots import call_slot
from cornerlaw.kernels.stepping.options import ACTIVATION, ALPHA, STABILISE
from cornerlaw.kernels.views import part


@inlined
def _add_law(m, w, e, t, fixed):
    """Add the user's element e, which has no markers: out = Q of its coordinates, x_dot. (T-9.8)"""
    elements, inp, out = m.elements, w.slot_in, w.slot_out
    nc, nx, start = elements.n_coordinates[e], elements.n_x[e], elements.list_start[e]
    inp[0] = t
    for i in range(nc):
        j = elements.lists[start + i]
        inp[1 + i], inp[1 + nc + i], out[i] = fixed.q_M[j], fixed.u[j], 0.0
    for i in range(nx):
        inp[1 + 2 * nc + i], out[nc + i] = fixed.x[elements.x_start[e] + i], 0.0
    par = part(elements.data, elements.start[e], elements.n_parameters[e])
    call_slot(elements.address[e], part(inp, 0, 1 + 2 * nc + nx), par, part(out, 0, nc + nx))
    for i in range(nc):
        fixed.Q[elements.lists[start + i]] += out[i]
    for i in range(nx):
        fixed.x_new[elements.x_start[e] + i] = out[nc + i]


@inlined
def _eval_forces(r, t):
    """Write the forces at q_M and u to Q, and x_dot to x_new."""
    m, w, fixed = r.m, r.w, r.s.fixed
    copy_fours(fixed.force, fixed.Q)
    if fixed.simple[0] == 1:
        for i in range(m.nx):
            fixed.x_new[i] = 0.0
        for e in range(m.elements.kind.size):
            _add_law(m, w, e, t, fixed)
    else:
        call(r.s.address[FORCES], r, t)


@kernel
def eval_all_forces(r, t):
    """Add the forces at q_M and u by the stages of the model to Q; write x_dot to x_new."""
    m, w, fixed = r.m, r.w, r.s.fixed
    for j in range(m.nu):
        w.Q[j] = 0.0
    if m.stages.forces != 0:
        call(m.stages.forces, m, w, t, fixed.q_M, fixed.u, fixed.x, fixed.x_new)
    if fixed.varies[0] == 1:
        call(m.stages.blocks, m, w, t, fixed.q_M, fixed.u, w.Q)
    for j in range(m.nu):
        fixed.Q[j] += w.Q[j]
    return OK


@kernel
def _forget_rows(r):
    """Clear what the step before has written of its rows."""
    k = r.w.k
    for c in range(k.shown.size):
        k.shown[c] = OPEN
    for i in range(k.lam.size):
        k.lam[i], k.step_place[i] = 0.0, -1
    r.s.fixed.written[0] = 0


@inlined
def take_step(r, t, dt):
    """Advance q, u, x at t by dt to q_new, u_new and x_new; return a status."""
    k, fixed, alpha = r.w.k, r.s.fixed, r.options[ALPHA]
    middle = t + alpha * dt
    add_scaled(fixed.q, alpha * dt, fixed.u, fixed.q_M)
    _eval_forces(r, middle)
    write_change(fixed, dt)
    add_scaled(fixed.u, 1.0, fixed.du, fixed.u_new)
    count, c = select_constant(r, dt)
    if fixed.written[0] != 0:
        _forget_rows(r)
    if count > 0:
        fixed.written[0] = -1
        if count > 1 or not solve_alone(r, c, dt):
            code = call(r.s.address[TOGETHER], r, middle, dt)
            if code == UNSOLVED and r.s.address[WHOLE] != 0:
                return call(r.s.address[WHOLE], r, t, dt)
            if code != OK:
                return code
        fixed.written[0] = k.n_active[0]
        for a in range(k.n_active[0]):
            i = k.active[a]
            add_response(fixed, i, k.lam[i], fixed.u_new)
    add_scaled(fixed.q_M, (1.0 - alpha) * dt, fixed.u_new, fixed.q_new)
    bad = False
    for i in range(fixed.x.size):
        fixed.x_new[i] = fixed.x[i] + dt * fixed.x_new[i]
        bad |= not (abs(fixed.x_new[i]) <= HUGE)
    return NOT_FINITE if bad or not (is_finite(fixed.q_new) and is_finite(fixed.u_new)) else OK


@inlined
def look_at_end(r):
    """Note the penetration at q_new; return whether some has to be removed. (T-14.8)"""
    fixed, stats = r.s.fixed, r.w.k.stats
    write_gaps(fixed, r.m.corners, fixed.gap_end, fixed.q_new)
    deepest = -least(fixed.gaps)
    if r.options[STABILISE] == 1.0:
        worst = 0.0
        for c in range(fixed.kind.size if deepest > 0.0 else 0):
            if fixed.kind[c] & ON_POSITION:
                worst = max(worst, -fixed.gaps[c])
        if worst > 1e-3 * r.options[ACTIVATION]:
            return True
        stats[REMOVED] = worst
    if deepest > stats[WORST_PENETRATION]:
        stats[WORST_PENETRATION] = deepest
    return False


@kernel
def advance_constant(r, t, dt, y, y_new):
    """Advance y at t by dt to y_new; return a status."""
    nu, fixed = r.m.nu, r.s.fixed
    for j in range(nu):
        fixed.q[j], fixed.u[j] = y[j], y[nu + j]
    for i in range(r.m.nx):
        fixed.x[i] = y[2 * nu + i]
    code = take_step(r, t, dt)
    for j in range(nu):
        y_new[j], y_new[nu + j] = fixed.q_new[j], fixed.u_new[j]
    for i in range(r.m.nx):
        y_new[2 * nu + i] = fixed.x_new[i]
    return code


@kernel
def finish_constant(r, t, y_new):
    """Correct the position at the end of an accepted step and note the penetration left."""
    for j in range(r.m.nu):
        r.s.fixed.q_new[j] = y_new[j]
    if look_at_end(r):
        return call(r.s.address[CORRECT], r, t, y_new)
    return OK
