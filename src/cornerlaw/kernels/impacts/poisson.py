"""Poisson's law with Coulomb friction: a problem of compression and one of expansion."""

from cornerlaw.arrays.impact_arrays import POISSON_COULOMB, POISSON_NEW, REFUSED_BALL
from cornerlaw.arrays.problem import BALL, SOLVED
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.impacts.condense import condense
from cornerlaw.kernels.impacts.sets import has_friction, is_normal, multiply
from cornerlaw.kernels.impacts.verify import verify_phase
from cornerlaw.kernels.late import call

# a tangential impulse below this part of the friction limit is round-off of the solver
_NOTHING = 1e-10


@kernel
def prepare_compression(p, imp):
    """Write c of compression, the velocities before the impact. (T-13.7)"""
    for i in range(p.n[0]):
        p.c[i] = imp.gamma_minus[i]


@kernel
def finish_compression(p, imp):
    """Write the impulses of compression and the velocities at its end."""
    for i in range(p.n[0]):
        imp.Lambda_C[i] = p.x[i]
    multiply(p, imp.Lambda_C, imp.gamma_minus, imp.gamma_C)


@kernel
def _stored_impulse(p, imp, k):
    """Return eps_N Lambda_NC of the normal row that a friction set belongs to."""
    m = p.master[k]
    return imp.eps[m] * imp.Lambda_C[m]


@kernel
def _restored_impulse(p, imp, k):
    """Return eps_N eps_T Lambda_TC of a friction set with one row."""
    i = p.start[k]
    return imp.eps[p.master[k]] * imp.eps[i] * imp.Lambda_C[i]


@kernel
def _compressed_side(p, imp, k):
    """Return the sign of Lambda_TC, 0 if the contact carried no tangential impulse."""
    m, i = p.master[k], p.start[k]
    x = imp.Lambda_C[i]
    if x > _NOTHING * abs(p.upper_1[k]) * imp.Lambda_C[m]:
        return 1
    if x < -_NOTHING * abs(p.lower_1[k]) * imp.Lambda_C[m]:
        return -1
    return 0


@kernel
def _set_bounds(law, p, imp, k):
    """Write the interval of the tangential impulse of expansion. (T-13.9) (T-13.11) (T-13.12)"""
    stored = _stored_impulse(p, imp, k)
    p.lower_0[k] = p.lower_1[k] * stored
    p.upper_0[k] = p.upper_1[k] * stored
    if law == POISSON_COULOMB:
        return
    side = _compressed_side(p, imp, k)
    if side > 0:
        p.lower_0[k] = _restored_impulse(p, imp, k)
        p.lower_1[k] = 0.0
    if side < 0:
        p.upper_0[k] = _restored_impulse(p, imp, k)
        p.upper_1[k] = 0.0


@kernel
def _write_restored(p, imp):
    """Write the impulses given back in any case into imp.Lambda, zero on bilateral rows."""
    for i in range(p.n[0]):
        imp.Lambda[i] = 0.0
    for k in range(p.n_sets[0]):
        i = p.start[k]
        if is_normal(p, k):
            imp.Lambda[i] = imp.eps[i] * imp.Lambda_C[i]
        elif has_friction(p, k):
            imp.Lambda[i] = _restored_impulse(p, imp, k)


@kernel
def _shift_velocities(p, imp):
    """Subtract the velocity at which the vertical branch stands from c of the friction rows.

        gamma_TE0 = H_TN eps_N Lambda_NC + H_TT eps_N eps_T Lambda_TC

    with H the matrix G of the system that keeps its bilateral constraints. (T-13.13)
    """
    condense(p, imp)
    _write_restored(p, imp)
    n = p.n[0]
    for k in range(p.n_sets[0]):
        if not has_friction(p, k):
            continue
        i = p.start[k]
        for j in range(n):
            if imp.is_out[j] == 0:
                p.c[i] -= imp.H[i, j] * imp.Lambda[j]


@kernel
def prepare_expansion(law, p, imp):
    """Write c and the bounds of expansion, in the unknowns Lambda_NP and Lambda_TE.

        gamma_E = G (Lambda_NP, Lambda_TE) + gamma_C + G_N eps_N Lambda_NC,
        Lambda_NE = Lambda_NP + eps_N Lambda_NC,   0 <= Lambda_NP, gamma_NE >= 0

    Bilateral rows go on as they are. Returns 0, or REFUSED_BALL. (T-13.8) to (T-13.13)
    [Pfeiffer2008, 3.5.4]
    """
    n = p.n[0]
    for i in range(n):
        p.c[i] = imp.gamma_C[i]
        p.x[i] = 0.0
    for k in range(p.n_sets[0]):
        if is_normal(p, k):
            i = p.start[k]
            stored = imp.eps[i] * imp.Lambda_C[i]
            for j in range(n):
                p.c[j] += p.G[j, i] * stored
        elif has_friction(p, k) and p.kind[k] == BALL and law != POISSON_COULOMB:
            return REFUSED_BALL
    if law == POISSON_NEW:
        _shift_velocities(p, imp)
    for k in range(p.n_sets[0]):
        if has_friction(p, k):
            _set_bounds(law, p, imp, k)
    return SOLVED


@kernel
def finish_expansion(p, imp):
    """Write the impulses of both phases together."""
    for k in range(p.n_sets[0]):
        for i in range(p.start[k], p.start[k] + p.size[k]):
            imp.Lambda[i] = imp.Lambda_C[i] + p.x[i]
            if is_normal(p, k):
                imp.Lambda[i] += imp.eps[i] * imp.Lambda_C[i]


@kernel
def solve_poisson_impact(law, p, imp, s):
    """Solve an impact with Poisson's law in one of its variants. (T-13.7) to (T-13.13)"""
    prepare_compression(p, imp)
    status = verify_phase(p, s, 0.0, call(imp.solver[0], p, s))
    compression = s.residual[0]
    finish_compression(p, imp)
    if status != SOLVED:
        return status
    status = prepare_expansion(law, p, imp)
    if status != SOLVED:
        return status
    status = verify_phase(p, s, compression, call(imp.solver[0], p, s))
    finish_expansion(p, imp)
    return status
