"""The user's force elements: their arguments, their laws, and these laws taken as linear.

An implicit method differentiates the rates of the whole system by differences. Where the user gives
the derivatives of a law, the law is called once per matrix and taken as linear in between.
"""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import counted_kernel, kernel
from cornerlaw.kernels.forces import add_force_at, add_moment_at
from cornerlaw.kernels.late import call
from cornerlaw.kernels.prescribed import set_driven
from cornerlaw.kernels.slots import call_slot


@kernel
def fill_motion(m, w, k, t, q, u):
    """Write time and motion of the user's element k to w.slot_in and return their number.

    Order: t; r (3), A (9), v (3), Omega (3), each of all markers; q, u of its coordinates. So the
    user's function sees every argument as an array in this buffer.
    """
    e = m.elements
    nf, nc, start = e.n_frames[k], e.n_coordinates[k], e.list_start[k]
    inp = w.slot_in
    inp[0] = t
    for i in range(nf):
        f = e.lists[start + i]
        for a in range(3):
            inp[1 + 3 * i + a] = w.frame_r[f, a]
            inp[1 + 12 * nf + 3 * i + a] = w.frame_v[f, a]
            inp[1 + 15 * nf + 3 * i + a] = w.frame_Omega[f, a]
            for b in range(3):
                inp[1 + 3 * nf + 9 * i + 3 * a + b] = w.frame_A[f, a, b]
    n = 1 + 18 * nf
    for i in range(nc):
        j = e.lists[start + nf + i]
        inp[n + i] = q[m.tree.q_of_u[j]]
        inp[n + nc + i] = u[j]
    return n + 2 * nc


@kernel
def fill_law_arguments(m, w, k, t, q, u, x):
    """Write the arguments of element k to w.slot_in and return their number: motion and states."""
    e = m.elements
    n = fill_motion(m, w, k, t, q, u)
    for i in range(e.n_x[k]):
        w.slot_in[n + i] = x[e.x_start[k] + i]
    return n + e.n_x[k]


@counted_kernel
def parameters_of(m, k):
    """Return the parameters of element k."""
    e = m.elements
    return e.data[e.start[k] : e.start[k] + e.n_parameters[k]]


@kernel
def _add_column(D, rows, width, column, change, out):
    """Add one column of D, times the change of its argument, to the results."""
    if change != 0.0:
        for i in range(rows):
            out[i] += D[i * width + column] * change


@kernel
def _eval_linear(m, w, k, out):
    """Write the results of law k, linear about the state where its tangent was taken.

    out = out_0 + D (arguments - arguments_0); a small rotation is 1/2 vee(A A_0^T - A_0 A^T).
    (T-9.13)
    """
    e = m.elements
    nf, nc, nx = e.n_frames[k], e.n_coordinates[k], e.n_x[k]
    free = nx - e.n_discrete[k]
    n_in, n_out = 1 + 18 * nf + 2 * nc + nx, 6 * nf + nc + nx
    rows, width = 6 * nf + nc + free, 12 * nf + 2 * nc + free
    place = e.tangent_start[k]
    old, new = w.tangent[place : place + n_in], w.slot_in
    D = w.tangent[place + n_in + n_out : place + n_in + n_out + rows * width]
    for i in range(n_out):
        out[i] = w.tangent[place + n_in + i]
    for i in range(3 * nf):
        _add_column(D, rows, width, i, new[1 + i] - old[1 + i], out)
        at = 1 + 12 * nf + i
        _add_column(D, rows, width, 6 * nf + i, new[at] - old[at], out)
        at += 3 * nf
        _add_column(D, rows, width, 9 * nf + i, new[at] - old[at], out)
    for i in range(nf):
        at = 1 + 3 * nf + 9 * i
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            # entries (c, b) and (b, c) of A A_0^T
            turn = 0.0
            for d in range(3):
                turn += new[at + 3 * c + d] * old[at + 3 * b + d]
                turn -= new[at + 3 * b + d] * old[at + 3 * c + d]
            _add_column(D, rows, width, 3 * nf + 3 * i + a, 0.5 * turn, out)
    first = 1 + 18 * nf
    for i in range(2 * nc + free):
        _add_column(D, rows, width, 12 * nf + i, new[first + i] - old[first + i], out)


@kernel
def take_linear(m, w, t, q, u, x, begin):
    """Take every law whose derivatives the user gives as linear about a state, or call it again.

    Prescribed entries of q and u are set.
    """
    e = m.elements
    w.linear[0] = 0
    if begin == 0:
        return OK
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    for k in range(e.kind.size):
        if e.jacobian_address[k] == 0:
            continue
        nf, nc, nx = e.n_frames[k], e.n_coordinates[k], e.n_x[k]
        free = nx - e.n_discrete[k]
        n_out, size = 6 * nf + nc + nx, (6 * nf + nc + free) * (12 * nf + 2 * nc + free)
        n = fill_law_arguments(m, w, k, t, q, u, x)
        place = e.tangent_start[k]
        kept = w.tangent[place : place + n + n_out + size]
        for i in range(n):
            kept[i] = w.slot_in[i]
        for i in range(n, kept.size):
            kept[i] = 0.0
        call_slot(e.address[k], w.slot_in[:n], parameters_of(m, k), kept[n : n + n_out])
        call_slot(e.jacobian_address[k], w.slot_in[:n], parameters_of(m, k), kept[n + n_out :])
    w.linear[0] = 1
    return OK


@kernel
def add_law(m, w, k, t, q, u, x, x_dot):
    """Call the user's element: out = F (3) of all markers, M (3) of all; Q; x_dot. (T-9.8)"""
    e = m.elements
    nf, nc, nx, start = e.n_frames[k], e.n_coordinates[k], e.n_x[k], e.list_start[k]
    n_in = fill_law_arguments(m, w, k, t, q, u, x)
    n_out = 6 * nf + nc + nx
    out = w.slot_out[:n_out]
    if w.linear[0] == 1 and e.jacobian_address[k] != 0:
        _eval_linear(m, w, k, out)
    else:
        for i in range(n_out):
            out[i] = 0.0
        call_slot(e.address[k], w.slot_in[:n_in], parameters_of(m, k), out)
    for i in range(nf):
        f = e.lists[start + i]
        a, b = 3 * i, 3 * nf + 3 * i
        add_force_at(m, w, f, out[a], out[a + 1], out[a + 2])
        add_moment_at(m, w, f, out[b], out[b + 1], out[b + 2])
    for i in range(nc):
        w.Q[e.lists[start + nf + i]] += out[6 * nf + i]
    for i in range(nx):
        x_dot[e.x_start[k] + i] = out[6 * nf + nc + i]
