"""Rows that a user's element gives itself: its gap, its directions, w_tilde and w_bar.

The directions W are forces and moments on its frames and forces on its coordinates, per unit of the
multiplier; by duality they are also what the velocities are multiplied with.
"""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.own_laws import fill_motion, parameters_of
from cornerlaw.kernels.rows import add_coordinate_entry, add_entry
from cornerlaw.kernels.slots import call_slot


@kernel
def eval_element_row(m, w, i, t, q, u, u_dot):
    """Write g, gamma, gamma_dot of row i to w.row and store its wrenches.

    gamma = sum (F . v + M . Omega) + Q . u + w_tilde,
    gamma_dot = sum (F . a + M . alpha) + Q . u_dot + w_bar. (T-5.16)
    """
    rows, e = m.rows, m.elements
    k = rows.lists[rows.list_start[i]]
    nf, nc, start = e.n_frames[k], e.n_coordinates[k], e.list_start[k]
    n = fill_motion(m, w, k, t, q, u)
    out = w.slot_out[: 3 + 6 * nf + nc]
    for a in range(out.size):
        out[a] = 0.0
    call_slot(rows.address[i], w.slot_in[:n], parameters_of(m, k), out)
    gamma, gamma_dot = out[1], out[2]
    for c in range(nf):
        f = e.lists[start + c]
        b, d = 3 + 3 * c, 3 + 3 * nf + 3 * c
        for a in range(3):
            gamma += out[b + a] * w.frame_v[f, a] + out[d + a] * w.frame_Omega[f, a]
            gamma_dot += out[b + a] * w.frame_a[f, a] + out[d + a] * w.frame_alpha[f, a]
        force = out[b], out[b + 1], out[b + 2]
        moment = out[d], out[d + 1], out[d + 2]
        point = w.frame_r[f, 0], w.frame_r[f, 1], w.frame_r[f, 2]
        add_entry(m, w, i, f, force, point, moment)
    for c in range(nc):
        j, Q = e.lists[start + nf + c], out[3 + 6 * nf + c]
        gamma += Q * u[j]
        gamma_dot += Q * u_dot[j]
        add_coordinate_entry(m, w, i, j, Q)
    w.row[0], w.row[1], w.row[2] = out[0], gamma, gamma_dot
    return OK
