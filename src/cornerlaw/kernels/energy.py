"""Energies and momentum of a state; needs kinematics, body inertias and markers at hand."""

from cornerlaw.arrays.kinds import BUSHING, ENERGIES, PATH_SPRING, SPRING, TORSION_SPRING
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.forces import FUNCTION_LAW, LINEAR_LAW, eval_characteristic, eval_segment
from cornerlaw.kernels.late import call
from cornerlaw.kernels.own_laws import fill_law_arguments, parameters_of
from cornerlaw.kernels.rare_forces import eval_bushing_deflection, eval_path
from cornerlaw.kernels.slots import call_slot

PANELS = 64  # of Simpson's rule along a nonlinear characteristic


@kernel
def _eval_body_kinetic(w, i):
    """Return 1/2 (v, Omega) M (v, Omega) of body i. (T-9.9)"""
    M, v, o = w.inertia[i], w.v[i], w.Omega[i]
    T = 0.0
    for a in range(6):
        va = v[a] if a < 3 else o[a - 3]
        s = 0.0
        for b in range(3):
            s += M[a, b] * v[b] + M[a, 3 + b] * o[b]
        T += 0.5 * va * s
    return T


@kernel
def _eval_block_kinetic(m, w, k, u):
    """Return 1/2 u M u of a block outside the tree."""
    blocks = m.blocks
    n, u0, start = blocks.n[k], blocks.u_start[k], blocks.M_start[k]
    T = 0.0
    for i in range(n):
        for j in range(n):
            T += 0.5 * u[u0 + i] * w.block_M[start + n * i + j] * u[u0 + j]
    return T


@kernel
def eval_kinetic_energy(m, w, u, bodies, blocks):
    """Write T of every body and block and return the sum with armatures, rods and own masses.

    (T-9.9) (T-4.5)
    """
    T = 0.0
    for i in range(m.n_bodies):
        bodies[i] = _eval_body_kinetic(w, i)
        T += bodies[i]
    for j in range(m.nu):
        T += 0.5 * m.tree.armature[j] * u[j] * u[j]
    for k in range(m.blocks.n.size):
        blocks[k] = _eval_block_kinetic(m, w, k, u)
        T += blocks[k]
    for k in range(m.rods.mass.size):
        v1, v2 = w.frame_v[m.rods.frame_1[k]], w.frame_v[m.rods.frame_2[k]]
        for a in range(3):
            T += m.rods.mass[k] / 6.0 * (v1[a] * v1[a] + v1[a] * v2[a] + v2[a] * v2[a])
    if m.stages.masses != 0:
        call(m.stages.masses, m, w, ENERGIES, u)
        for k in range(m.masses.n.size):
            T += w.mass_T[k]
    return T


@kernel
def eval_gravity_energy(m, w, bodies):
    """Write V = -m g . r of every body and return the sum, rods included. (T-9.10)"""
    g = m.gravity
    V = 0.0
    for i in range(m.n_bodies):
        A, c = w.A[i], m.tree.com[i]
        bodies[i] = 0.0
        for a in range(3):
            r = w.r[i, a] + A[a, 0] * c[0] + A[a, 1] * c[1] + A[a, 2] * c[2]
            bodies[i] -= m.tree.mass[i] * g[a] * r
        V += bodies[i]
    for k in range(m.rods.mass.size):
        r1, r2 = w.frame_r[m.rods.frame_1[k]], w.frame_r[m.rods.frame_2[k]]
        for a in range(3):
            V -= 0.5 * m.rods.mass[k] * g[a] * (r1[a] + r2[a])
    return V


@kernel
def _eval_spring_energy(m, w, k, value):
    """Return the work stored from the rest length to the given one, at zero rate."""
    e = m.elements
    stiffness, rest = e.data[e.start[k]], e.data[e.start[k] + 2]
    if e.flag[k] == LINEAR_LAW:
        return 0.5 * stiffness * (value - rest) ** 2
    # a function law has no rest length of its own: its work counts from zero
    low = 0.0 if e.flag[k] == FUNCTION_LAW and rest == 0.0 else rest
    h = (value - low) / (2 * PANELS)
    work = 0.0
    for i in range(2 * PANELS + 1):
        weight = 1.0 if i == 0 or i == 2 * PANELS else (4.0 if i % 2 == 1 else 2.0)
        work += weight * eval_characteristic(m, w, k, low + i * h, 0.0)
    return work * h / 3.0


@kernel
def _eval_stored(m, w, k, t, q, u, x):
    """Return the energy stored in element k, zero where it stores or declares none."""
    e = m.elements
    kind = e.kind[k]
    if kind == SPRING:
        length, _ = eval_segment(w, e.frame_1[k], e.frame_2[k], w.direction)
        return _eval_spring_energy(m, w, k, length)
    if kind == TORSION_SPRING:
        return _eval_spring_energy(m, w, k, q[m.tree.q_of_u[e.coordinate[k]]])
    if kind == PATH_SPRING:
        length, _ = eval_path(m, w, k)
        return _eval_spring_energy(m, w, k, length)
    if kind == BUSHING:
        eval_bushing_deflection(w, e.frame_1[k], e.frame_2[k], w.deflection)
        V = 0.0
        for a in range(6):
            V += 0.5 * e.data[e.start[k] + a] * w.deflection[a] ** 2
        return V
    if e.energy_address[k] != 0:
        n = fill_law_arguments(m, w, k, t, q, u, x)
        call_slot(e.energy_address[k], w.slot_in[:n], parameters_of(m, k), w.slot_out[:1])
        return w.slot_out[0]
    return 0.0


@kernel
def eval_element_energy(m, w, t, q, u, x, stored):
    """Write the energy in every spring, bushing and element that declares it; return the sum.

    (T-9.10)
    """
    V = 0.0
    for k in range(m.elements.kind.size):
        stored[k] = _eval_stored(m, w, k, t, q, u, x)
        V += stored[k]
    return V


@kernel
def eval_momentum(m, w, momentum, com):
    """Write linear momentum, angular momentum about the origin, and the centre of mass. (T-9.11)"""
    for a in range(6):
        momentum[a] = 0.0
    total = 0.0
    for a in range(3):
        com[a] = 0.0
    for i in range(m.n_bodies):
        M, v, o, r = w.inertia[i], w.v[i], w.Omega[i], w.r[i]
        A, c, mass = w.A[i], m.tree.com[i], m.tree.mass[i]
        total += mass
        p0 = p1 = p2 = 0.0
        for b in range(3):
            p0 += M[0, b] * v[b] + M[0, 3 + b] * o[b]
            p1 += M[1, b] * v[b] + M[1, 3 + b] * o[b]
            p2 += M[2, b] * v[b] + M[2, 3 + b] * o[b]
            for a in range(3):
                momentum[3 + a] += M[3 + a, b] * v[b] + M[3 + a, 3 + b] * o[b]
        momentum[0] += p0
        momentum[1] += p1
        momentum[2] += p2
        momentum[3] += r[1] * p2 - r[2] * p1
        momentum[4] += r[2] * p0 - r[0] * p2
        momentum[5] += r[0] * p1 - r[1] * p0
        for a in range(3):
            com[a] += mass * (r[a] + A[a, 0] * c[0] + A[a, 1] * c[1] + A[a, 2] * c[2])
    if total > 0.0:
        for a in range(3):
            com[a] /= total
