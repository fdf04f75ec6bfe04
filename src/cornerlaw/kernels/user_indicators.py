"""Root functions of the user's force elements, on the packed state; called by address."""

from cornerlaw.arrays.status import OK
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.integrators.layout import INDICATOR_ELEMENT
from cornerlaw.kernels.late import call
from cornerlaw.kernels.own_laws import fill_law_arguments, parameters_of
from cornerlaw.kernels.prescribed import set_driven
from cornerlaw.kernels.slots import call_slot


@kernel
def eval_law_arguments(m, w, k, t, q, u, x):
    """Write the arguments of element k at a state to w.slot_in and return their number."""
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    return fill_law_arguments(m, w, k, t, q, u, x)


@kernel
def enter_user_indicators(m, w, t, y, g):
    """Write the indicators that belong to elements, at y = (q, u, x); the others are left alone.

    indicators.kind is INDICATOR_ELEMENT + the number of the element, .source the address.
    """
    a = m.nq
    b = a + m.nu
    q, u, x = y[:a], y[a:b], y[b:]
    set_driven(m, w, t, q, u)
    call(m.stages.kinematics, m, w, q, u)
    for i in range(m.n_indicators):
        k = m.indicators.kind[i] - INDICATOR_ELEMENT
        if k < 0:
            continue
        n = fill_law_arguments(m, w, k, t, q, u, x)
        call_slot(m.indicators.source[i], w.slot_in[:n], parameters_of(m, k), w.slot_out[:1])
        g[i] = w.slot_out[0]
    return OK
