"""Mass matrices of the user's elements: inertia on the motion of frames and coordinates.

    T = 1/2 V^T m V,   V = (v, Omega of every frame; u of every coordinate) = J u
    M += J^T m J,      force -m V_dot

What else belongs to the inertia (the rate of m, gyroscopic terms) is for the element's law.
"""

from cornerlaw.arrays.kinds import ADD_FORCES, ADD_MASS
from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.blocks import eval_blocks
from cornerlaw.kernels.forces import add_force_at, add_moment_at
from cornerlaw.kernels.mass_matrix import eval_point_row
from cornerlaw.kernels.own_laws import fill_motion, parameters_of
from cornerlaw.kernels.slots import call_slot


@kernel
def eval_masses(m, w, t, q, u):
    """Write the mass matrices of all elements that have one; needs kinematics."""
    masses = m.masses
    for i in range(masses.n.size):
        k, start, size = masses.element[i], masses.start[i], masses.n[i] * masses.n[i]
        n = fill_motion(m, w, k, t, q, u)
        own = w.mass_M[start : start + size]
        for a in range(size):
            own[a] = 0.0
        call_slot(masses.address[i], w.slot_in[:n], parameters_of(m, k), own)


@kernel
def eval_blocks_and_masses(m, w, t, q, u, h):
    """Write the mass matrices of all blocks and elements and add the forces of blocks to h."""
    if m.blocks.n.size > 0:
        eval_blocks(m, w, t, q, u, h)
    eval_masses(m, w, t, q, u)
    return OK


@kernel
def _eval_turn_row(m, w, frame, axis, row):
    """Add the derivative of a marker's angular velocity component with respect to velocities."""
    node = m.frames.body[frame]
    while node < m.n_bodies:
        for j in range(m.tree.u_start[node], m.tree.u_start[node + 1]):
            row[j] = w.S[j, 3 + axis]
        node = m.tree.parent[node]


@kernel
def _add_mass(m, w, i):
    """Add J^T m J of element i to w.M. (T-4.10)"""
    masses, e = m.masses, m.elements
    k, n, start = masses.element[i], masses.n[i], masses.start[i]
    first = e.list_start[k]
    J, Y = w.mass_J, w.mass_Y
    for c in range(e.n_frames[k]):
        f = e.lists[first + c]
        for axis in range(3):
            eval_point_row(m, w, f, axis, J[6 * c + axis])
            turn = J[6 * c + 3 + axis]
            for j in range(m.nu):
                turn[j] = 0.0
            _eval_turn_row(m, w, f, axis, turn)
    for c in range(e.n_coordinates[k]):
        row = J[6 * e.n_frames[k] + c]
        for j in range(m.nu):
            row[j] = 0.0
        row[e.lists[first + e.n_frames[k] + c]] = 1.0
    lists = masses.lists[masses.list_start[i] : masses.list_start[i] + masses.n_list[i]]
    for a in range(n):
        for j in lists:
            s = 0.0
            for b in range(n):
                s += w.mass_M[start + n * a + b] * J[b, j]
            Y[a, j] = s
    for p in lists:
        for j in lists:
            s = 0.0
            for a in range(n):
                s += J[a, p] * Y[a, j]
            w.M[p, j] += s


@kernel
def _add_forces(m, w, i, u_dot):
    """Add -m V_dot of element i to wrenches and generalised forces; needs marker accelerations."""
    masses, e = m.masses, m.elements
    k, n, start = masses.element[i], masses.n[i], masses.start[i]
    nf, first, V_dot = e.n_frames[k], e.list_start[k], w.mass_a
    for c in range(nf):
        f = e.lists[first + c]
        for a in range(3):
            V_dot[6 * c + a] = w.frame_a[f, a]
            V_dot[6 * c + 3 + a] = w.frame_alpha[f, a]
    for c in range(e.n_coordinates[k]):
        V_dot[6 * nf + c] = u_dot[e.lists[first + nf + c]]
    force = w.slot_out
    for a in range(n):
        s = 0.0
        for b in range(n):
            s -= w.mass_M[start + n * a + b] * V_dot[b]
        force[a] = s
    for c in range(nf):
        f, a = e.lists[first + c], 6 * c
        add_force_at(m, w, f, force[a], force[a + 1], force[a + 2])
        add_moment_at(m, w, f, force[a + 3], force[a + 4], force[a + 5])
    for c in range(e.n_coordinates[k]):
        w.Q[e.lists[first + nf + c]] += force[6 * nf + c]


@kernel
def _eval_energy(m, w, i, u):
    """Return 1/2 V^T m V of element i."""
    masses, e = m.masses, m.elements
    k, n, start = masses.element[i], masses.n[i], masses.start[i]
    nf, first, V = e.n_frames[k], e.list_start[k], w.mass_a
    for c in range(nf):
        f = e.lists[first + c]
        for a in range(3):
            V[6 * c + a] = w.frame_v[f, a]
            V[6 * c + 3 + a] = w.frame_Omega[f, a]
    for c in range(e.n_coordinates[k]):
        V[6 * nf + c] = u[e.lists[first + nf + c]]
    T = 0.0
    for a in range(n):
        for b in range(n):
            T += 0.5 * V[a] * w.mass_M[start + n * a + b] * V[b]
    return T


@kernel
def apply_masses(m, w, task, u):
    """Add all masses to w.M or their inertia forces (u is then u_dot), or write their energies.

    Needs kinematics and the matrices of eval_masses.
    """
    for i in range(m.masses.n.size):
        if task == ADD_MASS:
            _add_mass(m, w, i)
        elif task == ADD_FORCES:
            _add_forces(m, w, i, u)
        else:
            w.mass_T[i] = _eval_energy(m, w, i, u)
    return OK
