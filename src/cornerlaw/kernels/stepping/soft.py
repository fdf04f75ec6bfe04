"""Compliant contacts in an implicit step: forces at both ends, friction bounded by their mean.

    a = M^-1 (h + W_N lambda_N(g, gamma_N)),   Lambda_N = dt ((1 - theta) lambda_A + theta lambda_E)

k.known holds the force of the last evaluation, k.lam_kept that at the start of the step and k.hit
which corners have been closed in the step. The force of a Kelvin-Voigt element jumps by its damper
where the contact begins, and a step that ends just there has no solution: a corner once closed in a
step keeps its damper to the end of it. (T-14.10) A corner that closes behind the middle of the step
is marked in k.fired, and the step is taken again with its friction. (T-14.12)
"""

from cornerlaw.arrays.corner_work import OPEN
from cornerlaw.arrays.corners import LOAD_FORCE, NORMAL_HUNT_CROSSLEY, NORMAL_KELVIN_VOIGT
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.corners.bounds import eval_lower
from cornerlaw.kernels.corners.compliance import eval_normal_force, is_compliant, is_rigid
from cornerlaw.kernels.corners.rows import eval_gap
from cornerlaw.kernels.late import call
from cornerlaw.kernels.stepping.options import THETA
from cornerlaw.kernels.stepping.step import set_coefficients


@kernel
def _is_soft(m, c):
    # a compliance alone is part of the matrix of the problem
    return m.corners.row_N[c] >= 0 and not is_rigid(m, c) and not is_compliant(m, c)


@kernel
def _eval_rows(r, c, t, q, u):
    """Write the rows of a corner; the forces of the step are not listed by it."""
    entries = r.w.n_entries[0]
    call(r.m.stages.corner, r.m, r.w, c, t, q, u, u)
    r.w.n_entries[0] = entries


@kernel
def _eval_force(m, w, c):
    """Return the force of a corner that has been closed in the step."""
    i, start = m.corners.row_N[c], m.corners.law_start[c]
    if m.corners.normal_law[c] == NORMAL_KELVIN_VOIGT and w.g[i] >= 0.0:
        return max(0.0, -m.corners.data[start + 1] * w.gamma[i])
    return eval_normal_force(m, w, c)


@kernel
def add_soft_forces(r, t, q, u, a):
    """Add M^-1 W_N lambda_N of all compliant corners to the accelerations at a state.

    Needs kinematics and the factored mass. k.Y of a compliant row has no other use.
    """
    m, w, k = r.m, r.w, r.w.k
    for c in range(k.closed.size):
        if not _is_soft(m, c):
            continue
        i = m.corners.row_N[c]
        k.known[i] = 0.0
        if eval_gap(m, w, c, t, q, u) < 0.0:
            k.hit[c] = 1
        if k.hit[c] == 0:
            continue
        _eval_rows(r, c, t, q, u)
        k.known[i] = _eval_force(m, w, c)
        if k.known[i] != 0.0:
            call(m.stages.invert, m, w, w.W[i], k.Y[i])
            for j in range(m.nu):
                a[j] += k.known[i] * k.Y[i, j]


@kernel
def _slopes(m, w, c):
    """Return d lambda_N / d g and d lambda_N / d gamma_N of a corner that bears a force.

    (T-10.23) (T-10.24) (T-10.25)
    """
    corners = m.corners
    i = corners.row_N[c]
    d, rate = -w.g[i], -w.gamma[i]
    law, start = corners.normal_law[c], corners.law_start[c]
    stiffness, second = corners.data[start], corners.data[start + 1]
    if law == NORMAL_KELVIN_VOIGT:
        return (-stiffness if d > 0.0 else 0.0), -second
    n = corners.data[start + 2]
    factor = second
    if law != NORMAL_HUNT_CROSSLEY:
        factor = 0.75 * (1.0 - second * second) / max(w.k.v_0[c], 1e-12)
    return -n * stiffness * d ** (n - 1.0) * (1.0 + factor * rate), -factor * stiffness * d**n


@kernel
def add_soft_stiffness(r, dt, E):
    """Add the part of compliant corners to theta dt da/du + theta^2 dt^2 da/dq.

    Differences would reach over the end of a contact that is stiffer than the step. Needs the rows
    and forces of the last evaluation.
    """
    m, w, k, share = r.m, r.w, r.w.k, r.options[THETA] * dt
    for c in range(k.closed.size):
        i = m.corners.row_N[c]
        if not _is_soft(m, c) or k.known[i] == 0.0:
            continue
        slope, damping = _slopes(m, w, c)
        factor = share * damping + share * share * slope
        for a in range(m.nu):
            for b in range(m.nu):
                E[a, b] += factor * k.Y[i, a] * w.W[i, b]


@kernel
def active_soft(r):
    """Return a number that tells which compliant corners bear a force, and which penetrate."""
    m, w, k = r.m, r.w, r.w.k
    code = 0
    for c in range(k.closed.size):
        if _is_soft(m, c) and k.known[m.corners.row_N[c]] != 0.0:
            deep = 1 if w.g[m.corners.row_N[c]] < 0.0 else 0
            code = (31 * code + 2 * c + 1 + deep) % 1000003
    return code


@kernel
def begin_soft(r, t, q, u):
    """Note the approach of open corners at the start of a step; needs its kinematics."""
    m, w, k = r.m, r.w, r.w.k
    for c in range(k.closed.size):
        k.hit[c] = 0
        if _is_soft(m, c) and k.before[c] == OPEN:
            eval_gap(m, w, c, t, q, u)
            _eval_rows(r, c, t, q, u)
            k.v_0[c] = -w.gamma[m.corners.row_N[c]]


@kernel
def keep_soft_forces(r):
    """Keep the forces at the start of the step."""
    k = r.w.k
    for i in range(k.known.size):
        k.lam_kept[i] = k.known[i]


@kernel
def restore_soft_rows(r, t):
    """Write the friction rows of compliant corners at the middle of the step again."""
    m, w, k = r.m, r.w, r.w.k
    moved = False
    for c in range(k.closed.size):
        if k.closed[c] == 0 or not _is_soft(m, c) or m.corners.row_T[c] < 0:
            continue
        if not moved:
            call(m.stages.kinematics, m, w, k.q, k.u)
            moved = True
        eval_gap(m, w, c, t, k.q, k.u)
        _eval_rows(r, c, t, k.q, k.u)


@kernel
def forget_late(r):
    """Begin a step: no compliant corner has closed in it yet."""
    for c in range(r.w.k.fired.size):
        r.w.k.fired[c] = 0


@kernel
def find_late(r):
    """Mark compliant corners that bear a force and rub, but were open in the middle; tell if any.

    Their friction belongs to the problem of the step as well. (T-14.12)
    """
    m, k, found = r.m, r.w.k, False
    for c in range(k.closed.size):
        rubs = m.corners.row_T[c] >= 0 and k.closed[c] == 0 and k.fired[c] == 0
        if rubs and _is_soft(m, c) and k.known[m.corners.row_N[c]] != 0.0:
            k.fired[c] = 1
            found = True
    return found


@kernel
def admit_late(r, t):
    """Let the corners that were marked take part, with their rows of the middle of the step.

    What rolls on such a contact is led by it.
    """
    m, w, k = r.m, r.w, r.w.k
    for c in range(k.closed.size):
        leader = m.corners.leader[c]
        late = k.fired[c] == 1 or (leader >= 0 and k.fired[leader] == 1)
        if not late or k.closed[c] == 1 or (leader >= 0 and k.closed[leader] == 0):
            continue
        # no contact point in the middle, no direction of friction
        if leader < 0 and not eval_gap(m, w, c, t, k.q, k.u) < 1e299:
            continue
        k.closed[c] = 1
        call(m.stages.corner, m, w, c, t, k.q, k.u, k.u)
        set_coefficients(r, t, c)


@kernel
def _mean_impulse(r, i, dt):
    k, theta = r.w.k, r.options[THETA]
    return dt * ((1.0 - theta) * k.lam_kept[i] + theta * k.known[i])


@kernel
def update_soft_bounds(r, dt):
    """Set friction bounds to mu Lambda_N; return their largest change over the largest bound."""
    m, w, k, corners, p = r.m, r.w, r.w.k, r.m.corners, r.w.k.problem
    change, largest = 0.0, 0.0
    for n in range(p.n_sets[0]):
        c = k.corner_of[k.active[p.start[n]] - m.n_rows]
        j = corners.row_T[c]
        if corners.load[c] != LOAD_FORCE or j < 0 or k.place[j] != p.start[n]:
            continue
        bound = k.mu[c] * _mean_impulse(r, corners.row_N[c], dt)
        change = max(change, abs(bound - p.upper_0[n]))
        largest = max(largest, bound)
        p.upper_0[n] = bound
        p.lower_0[n] = eval_lower(m, w, c, 0.0, bound)
        k.bound[c], k.lower[c] = bound / dt, p.lower_0[n] / dt
    return change / largest if largest > 0.0 else change


@kernel
def note_soft_impulses(r, dt):
    """Write the impulses of compliant corners to the multipliers of the step."""
    m, k = r.m, r.w.k
    for c in range(k.closed.size):
        if _is_soft(m, c):
            i = m.corners.row_N[c]
            k.lam[i] = _mean_impulse(r, i, dt)
            k.known[i] = 0.0
