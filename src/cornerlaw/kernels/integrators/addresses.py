"""What the drivers call of a model: its rates and projections on the packed state, by address."""

from typing import Any

from numba import types

from cornerlaw.kernels.late import address_of


def bind_model(m: Any, w: Any) -> list[int]:
    """Return the addresses of a model's rates and projection."""
    from cornerlaw.kernels.integrators.entries import enter_projection, enter_rates

    vector = types.float64[::1]
    model = (m._numba_type, w._numba_type, types.float64)
    rates = address_of(enter_rates, (*model, vector, vector))
    return [rates, address_of(enter_projection, (*model, vector))]


def bind_user_indicators(m: Any, w: Any) -> int:
    """Return the address of the root functions of the user's elements, 0 where there are none."""
    from cornerlaw.kernels.integrators.layout import INDICATOR_ELEMENT

    if not (m.indicators.kind >= INDICATOR_ELEMENT).any():
        return 0
    from cornerlaw.kernels.user_indicators import enter_user_indicators

    vector = types.float64[::1]
    arguments = (m._numba_type, w._numba_type, types.float64, vector, vector)
    return address_of(enter_user_indicators, arguments)


def bind_pieces(pieces: Any, run: Any, address: Any) -> None:
    """Compile, or load, the pieces of a driver and write their addresses."""
    for place, function, arguments in pieces:
        address[place] = address_of(function, (run._numba_type, *arguments))


def bind_law(law: int, w: Any) -> None:
    """Compile, or load, an impact law and write its address."""
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.impacts.binding import bind_law_alone

    k = w.k
    if k.status.size:
        bind_law_alone(law, Bundle(k.problem), Bundle(k.impact), Bundle(k.solver))
