"""Rows that a user's element gives itself: its gap, its directions, w_tilde and w_bar.

The directions W are forces and moments on its frames and forces on its coordinates, per unit of the
multiplier; by duality they are also what the velocities are multiplied with. What a force has
beside them, V, moves nothing else. Functions see the states of the element, x and z, as they were
noted last in w.x_seen: rows are evaluated where states are not at hand, in projections and impacts.
"""

import math

from cornerlaw.arrays.kinds import ELEMENT_GAP
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.own_laws import fill_law_arguments, parameters_of
from cornerlaw.kernels.rows import add_coordinate_entry, add_entry, clear_row
from cornerlaw.kernels.slots import call_slot


@kernel
def _store_entries(m, w, k, row):
    """Store what a function wrote to w.slot_out as wrenches and forces of a row."""
    e = m.elements
    nf, nc, start = e.n_frames[k], e.n_coordinates[k], e.list_start[k]
    out = w.slot_out
    for c in range(nf):
        f = e.lists[start + c]
        b, d = 3 + 3 * c, 3 + 3 * nf + 3 * c
        force = out[b], out[b + 1], out[b + 2]
        moment = out[d], out[d + 1], out[d + 2]
        point = w.frame_r[f, 0], w.frame_r[f, 1], w.frame_r[f, 2]
        add_entry(m, w, row, f, force, point, moment)
    for c in range(nc):
        add_coordinate_entry(m, w, row, e.lists[start + nf + c], out[3 + 6 * nf + c])


@kernel
def _call_row(m, w, k, address, n):
    """Call a function of directions with the n arguments in w.slot_in."""
    e = m.elements
    out = w.slot_out[: 3 + 6 * e.n_frames[k] + e.n_coordinates[k]]
    for a in range(out.size):
        out[a] = 0.0
    call_slot(address, w.slot_in[:n], parameters_of(m, k), out)


@kernel
def _eval_end(m, w, k, address, t, q, u):
    """Return an end of a set from a function of element k."""
    n = fill_law_arguments(m, w, k, t, q, u, w.x_seen)
    call_slot(address, w.slot_in[:n], parameters_of(m, k), w.slot_out[:1])
    return w.slot_out[0]


@kernel
def _eval_ends(m, w, i, t, q, u):
    """Write whether row i is on, and the ends of its set that have functions of their own."""
    rows = m.rows
    at = rows.active[i]
    w.ends[i, 2] = 1.0 if at < 0 or w.x_seen[at] > 0.0 else 0.0
    if rows.lower_address[i] != 0:
        w.ends[i, 0] = _eval_end(m, w, rows.lower_element[i], rows.lower_address[i], t, q, u)
    if rows.upper_address[i] != 0:
        w.ends[i, 1] = _eval_end(m, w, rows.upper_element[i], rows.upper_address[i], t, q, u)


@kernel
def eval_element_row(m, w, i, t, q, u, u_dot):
    """Write g, gamma, gamma_dot of row i to w.row and store its wrenches, those of V behind them.

    gamma = sum (F . v + M . Omega) + Q . u + w_tilde,
    gamma_dot = sum (F . a + M . alpha) + Q . u_dot + w_bar. (T-5.16)
    The gap of a row that is off is infinite. (T-5.17)
    """
    rows, e = m.rows, m.elements
    k = rows.lists[rows.list_start[i]]
    nf, nc, start = e.n_frames[k], e.n_coordinates[k], e.list_start[k]
    _eval_ends(m, w, i, t, q, u)
    n = fill_law_arguments(m, w, k, t, q, u, w.x_seen)
    _call_row(m, w, k, rows.address[i], n)
    out = w.slot_out
    g, gamma, gamma_dot = out[0], out[1], out[2]
    for c in range(nf):
        f = e.lists[start + c]
        b, d = 3 + 3 * c, 3 + 3 * nf + 3 * c
        for a in range(3):
            gamma += out[b + a] * w.frame_v[f, a] + out[d + a] * w.frame_Omega[f, a]
            gamma_dot += out[b + a] * w.frame_a[f, a] + out[d + a] * w.frame_alpha[f, a]
    for c in range(nc):
        j, Q = e.lists[start + nf + c], out[3 + 6 * nf + c]
        gamma += Q * u[j]
        gamma_dot += Q * u_dot[j]
    _store_entries(m, w, k, i)
    if rows.V_address[i] != 0:
        own = rows.kind.size + i
        clear_row(w, own)
        _call_row(m, w, k, rows.V_address[i], n)
        _store_entries(m, w, k, own)
    if w.ends[i, 2] == 0.0 and rows.axis_1[i] == ELEMENT_GAP:
        g = math.inf
    w.row[0], w.row[1], w.row[2] = g, gamma, gamma_dot
    return OK
