"""What the drivers ask of a model, on the packed state y = (q, u, x); called by address."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.rates import (
    eval_rates,
    normalise_position,
    project_position,
    project_velocity,
)


@kernel
def enter_rates(m, w, t, y, f):
    """Write f = (q_dot, u_dot, x_dot) at y = (q, u, x); return a status."""
    a = m.nq
    b = a + m.nu
    return eval_rates(m, w, t, y[:a], y[a:b], y[b:], f[:a], f[a:b], f[b:])


@kernel
def enter_projection(m, w, t, y):
    """Bring y onto g(q, t) = 0 and gamma(q, u, t) = 0 in this order; return a status.

    Without rows only the quaternions are normalised.
    """
    q = y[: m.nq]
    if m.rows.kind.size == 0:
        normalise_position(m, q)
        return OK
    code = project_position(m, w, t, q)
    if code != OK:
        return code
    return project_velocity(m, w, t, q, y[m.nq : m.nq + m.nu])
