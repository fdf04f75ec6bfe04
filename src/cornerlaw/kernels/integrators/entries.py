"""What the drivers ask of a model, on the packed state y = (q, u, x); called by address."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.rates import (
    eval_rates,
    normalise_position,
    project_position,
    project_velocity,
    see_states,
)
from cornerlaw.kernels.views import part


@kernel
def enter_rates(m, w, t, y, f):
    """Write f = (q_dot, u_dot, x_dot) at y = (q, u, x); return a status."""
    nq, nu = m.nq, m.nu
    b = nq + nu
    n = y.size - b
    q, u, x = part(y, 0, nq), part(y, nq, nu), part(y, b, n)
    return eval_rates(m, w, t, q, u, x, part(f, 0, nq), part(f, nq, nu), part(f, b, n))


@kernel
def enter_projection(m, w, t, y):
    """Bring y onto g(q, t) = 0 and gamma(q, u, t) = 0 in this order; return a status.

    Without rows only the quaternions are normalised.
    """
    q = y[: m.nq]
    if m.rows.kind.size == 0:
        normalise_position(m, q)
        return OK
    see_states(w, y[m.nq + m.nu :])
    code = project_position(m, w, t, q)
    if code != OK:
        return code
    return project_velocity(m, w, t, q, y[m.nq : m.nq + m.nu])
