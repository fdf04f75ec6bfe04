"""Everything a user may ask of a run, evaluated row by row from the stored states."""

from cornerlaw.arrays.corner_work import SLIP, STICK
from cornerlaw.arrays.kinds import ADD_FORCES, BUSHING, PATH_SPRING, ROW_ELEMENT, ROW_PATH, SPRING
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.contact.pool import load_points, load_pool
from cornerlaw.kernels.corners.held import STORED_ROW
from cornerlaw.kernels.corners.slip import STORED, forget_direction, note_direction
from cornerlaw.kernels.energy import (
    eval_element_energy,
    eval_gravity_energy,
    eval_kinetic_energy,
    eval_momentum,
)
from cornerlaw.kernels.forces import add_force, eval_segment
from cornerlaw.kernels.inverse import add_rod_wrenches, eval_reactions
from cornerlaw.kernels.kinematics import eval_bias_accelerations, eval_frame_accelerations
from cornerlaw.kernels.late import call
from cornerlaw.kernels.own_laws import fill_law_arguments, parameters_of
from cornerlaw.kernels.rare_forces import eval_path
from cornerlaw.kernels.rates import eval_state
from cornerlaw.kernels.rows import add_row_wrenches
from cornerlaw.kernels.slots import call_slot


@kernel
def _store_motion(m, w, o, k):
    for i in range(m.frames.body.size):
        for a in range(3):
            o.r[k, i, a] = w.frame_r[i, a]
            o.v[k, i, a] = w.frame_v[i, a]
            o.Omega[k, i, a] = w.frame_Omega[i, a]
            o.a[k, i, a] = w.frame_a[i, a]
            o.alpha[k, i, a] = w.frame_alpha[i, a]
            for b in range(3):
                o.A[k, i, a, b] = w.frame_A[i, a, b]


@kernel
def _store_elements(m, w, o, k, t, q, u, x):
    """Evaluate every element alone: wrench on the first marker's body, effort, power, length."""
    e = m.elements
    x_dot = w.x_scratch
    for i in range(e.kind.size):
        for b in range(m.n_bodies + 1):
            for a in range(6):
                w.f_ext[b, a] = 0.0
        for j in range(m.nu):
            w.Q[j] = 0.0
        add_force(m, w, i, t, q, u, x, x_dot)
        power = 0.0
        for b in range(m.n_bodies):
            f, v, om = w.f_ext[b], w.v[b], w.Omega[b]
            for a in range(3):
                power += f[a] * v[a] + f[3 + a] * om[a]
        for j in range(m.nu):
            power += w.Q[j] * u[j]
        o.element_power[k, i] = power
        if e.coordinate[i] >= 0:
            o.element_effort[k, i] = w.Q[e.coordinate[i]]
        frame = e.frame_1[i]
        if e.n_frames[i] > 0:
            frame = e.lists[e.list_start[i]]
        if frame >= 0:
            b = m.frames.body[frame]
            for a in range(6):
                o.element_force[k, i, a] = w.f_ext[b, a]
        kind = e.kind[i]
        if kind == SPRING or kind == BUSHING:
            length, _ = eval_segment(w, e.frame_1[i], e.frame_2[i], w.direction)
            o.element_length[k, i] = length
        elif kind == PATH_SPRING:
            length, _ = eval_path(m, w, i)
            o.element_length[k, i] = length


@kernel
def _store_rows(m, w, o, k):
    """Store violations and the unit wrench of each row on its second body, at the marker."""
    o.row_direction[k] = 0.0
    for i in range(m.n_rows):
        o.g[k, i] = w.g[i]
        o.gamma[k, i] = w.gamma[i]
        f2 = m.rows.frame_2[i]
        if f2 < 0:
            continue
        own, sign = m.frames.body[f2], 1.0
        if own == m.n_bodies:
            # the ground stores no wrench: take the opposite of what the first body gets
            own, sign = m.frames.body[m.rows.frame_1[i]], -1.0
        for n in range(w.n_entries[0]):
            if w.entry_row[n] == i and w.entry_body[n] == own:
                f, d = w.entry_wrench[n], o.row_direction[k, i]
                x = w.r[own, 0] - w.frame_r[f2, 0]
                y = w.r[own, 1] - w.frame_r[f2, 1]
                z = w.r[own, 2] - w.frame_r[f2, 2]
                for a in range(3):
                    d[a] += sign * f[a]
                d[3] += sign * (f[3] + y * f[2] - z * f[1])
                d[4] += sign * (f[4] + z * f[0] - x * f[2])
                d[5] += sign * (f[5] + x * f[1] - y * f[0])


@kernel
def _store_corners(m, w, o, k, t, q, u, u_dot, lam):
    """Store forces, gaps and velocities of all corners."""
    for i in range(o.corner_lam.shape[1]):
        o.corner_lam[k, i] = lam[i] if i < m.n_rows else w.k.lam[i]
    w.k.given[0] = 0
    call(
        m.stages.corner_outputs,
        m,
        w,
        t,
        q,
        u,
        u_dot,
        o.corner_g[k],
        o.corner_gamma[k],
        o.corner_n[k],
        o.corner_t[k],
        o.corner_r[k],
    )
    for c in range(o.status.shape[1]):
        if m.corners.n_T[c] > 1:
            note_direction(m, w, c, o.corner_lam[k])
            if w.k.status[c] != o.status[k, c]:
                forget_direction(w.k, c)


@kernel
def _coordinate_force(m, w, lam, row, j):
    """Return the force on velocity j of a row written on coordinates.

    Others act on bodies, and those of the user's elements are in w.Q already.
    """
    if row < 0 or m.rows.frame_1[row] >= 0:
        return 0.0
    if m.rows.kind[row] == ROW_PATH or m.rows.kind[row] == ROW_ELEMENT:
        return 0.0
    return w.W[row, j] * lam[row]


@kernel
def _store_reactions(m, w, o, k, t, q, u, x, u_dot, lam):
    """Store joint wrenches and the generalised forces of prescribed coordinates."""
    eval_state(m, w, t, q, u, x, w.x_scratch)
    eval_frame_accelerations(m, w, w.acc)
    add_rod_wrenches(m, w)
    if m.stages.masses != 0:
        call(m.stages.masses, m, w, ADD_FORCES, u_dot)
    if o.status.shape[1] > 0:
        add_row_wrenches(m, w, o.corner_lam[k])
    elif m.n_rows > 0:
        add_row_wrenches(m, w, lam)
    eval_reactions(m, w, u_dot, w.tau)
    for i in range(m.n_bodies):
        for a in range(6):
            o.wrench[k, i, a] = w.wrench[i, a]
    for j in range(m.tree.u_start[m.n_bodies]):
        s = w.tau[j] - w.Q[j]
        for i in range(m.n_rows):
            # a row written on coordinates pushes there; the others act through bodies
            s -= _coordinate_force(m, w, lam, i, j)
        for c in range(o.status.shape[1]):
            if m.corners.slot[c] < 0 and o.status[k, c] != 0:
                s -= _coordinate_force(m, w, o.corner_lam[k], m.corners.row_N[c], j)
                s -= _coordinate_force(m, w, o.corner_lam[k], m.corners.row_T[c], j)
        o.effort[k, j] = s


@kernel
def store_outputs(m, w, o, k, t, q, u, x):
    """Evaluate and store row k; return a status."""
    u_dot, x_dot, lam = o.u_dot[k], o.x_dot[k], o.lam[k]
    load_pool(m, w, o.pair[k])
    load_points(m, w, o.identity[k])
    for c in range(o.status.shape[1]):
        w.k.status[c] = o.status[k, c]
    if o.status.shape[1] > 0:
        w.k.given[0] = 1 if o.given[0] == 1 else STORED_ROW
        w.k.implicit[0] = o.given[0]  # forces between events have no step
        for i in range(w.k.lam.size):
            w.k.lam[i] = o.corner_lam[k, i]
            w.k.lam_ref[i] = 0.0
        if o.given[0] == 0 and m.stages.aim != 0:
            # forces were found at the points that the events of the run have chosen
            call(m.stages.kinematics, m, w, q, u)
            call(m.stages.aim, m, w)
    status = call(m.stages.accelerations, m, w, t, q, u, x, u_dot, x_dot, lam)
    if status != OK:
        return status
    eval_bias_accelerations(m, w, u_dot, w.acc)
    eval_frame_accelerations(m, w, w.acc)
    if o.status.shape[1] > 0:
        _store_corners(m, w, o, k, t, q, u, u_dot, lam)
    elif m.n_rows > 0:
        call(m.stages.rows, m, w, t, q, u, u_dot)
    if m.n_rows > 0:
        _store_rows(m, w, o, k)
    _store_motion(m, w, o, k)
    _store_reactions(m, w, o, k, t, q, u, x, u_dot, lam)
    o.kinetic[k] = eval_kinetic_energy(m, w, u, o.body_kinetic[k], o.block_kinetic[k])
    for i in range(m.masses.n.size):
        o.mass_kinetic[k, i] = w.mass_T[i]
    weight = eval_gravity_energy(m, w, o.body_potential[k])
    o.potential[k] = weight + eval_element_energy(m, w, t, q, u, x, o.stored[k])
    eval_momentum(m, w, o.momentum[k], o.com[k])
    _store_elements(m, w, o, k, t, q, u, x)
    return OK


@kernel
def _begins_to_slide(m, o, k):
    """Tell whether a corner slides at row k and nothing before shows its direction."""
    for c in range(o.status.shape[1]):
        if m.corners.n_T[c] > 1 and o.status[k, c] == SLIP:
            if k == 0 or (o.status[k - 1, c] != SLIP and o.status[k - 1, c] != STICK):
                return True
    return False


@kernel
def run_outputs(m, w, o, t, q, u, x):
    """Evaluate all rows in order; return a status.

    q and u are corrected where a motion is prescribed. The memory of sliding directions is used
    as scratch: the caller keeps what belongs to the run.
    """
    for c in range(o.status.shape[1]):
        w.k.young[c] = STORED
        for a in range(4):
            w.k.slip_ref[c, a] = 0.0
    for k in range(t.size):
        if k + 1 < t.size and _begins_to_slide(m, o, k):
            # a row at rest takes the direction of the sliding that follows
            store_outputs(m, w, o, k + 1, t[k + 1], q[k + 1], u[k + 1], x[k + 1])
        status = store_outputs(m, w, o, k, t[k], q[k], u[k], x[k])
        if status != OK:
            return status
    return OK


@kernel
def run_law_output(m, w, k, address, t, q, u, x, out):
    """Evaluate an output function of the user's element k at all rows."""
    for i in range(t.size):
        call(m.stages.kinematics, m, w, q[i], u[i])
        n = fill_law_arguments(m, w, k, t[i], q[i], u[i], x[i])
        call_slot(address, w.slot_in[:n], parameters_of(m, k), out[i : i + 1])
    return OK
