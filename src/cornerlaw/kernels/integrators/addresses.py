"""What the drivers call of a model: its rates and projections on the packed state, by address."""

from typing import Any

from numba import types

from cornerlaw.kernels.late import address_of


def bind_model(m: Any, w: Any) -> list[int]:
    """Return the addresses of a model's entries in the order of Scratch.address."""
    from cornerlaw.kernels.integrators.entries import enter_projection, enter_rates

    vector = types.float64[::1]
    model = (m._numba_type, w._numba_type, types.float64)
    rates = address_of(enter_rates, (*model, vector, vector))
    return [rates, address_of(enter_projection, (*model, vector))]
