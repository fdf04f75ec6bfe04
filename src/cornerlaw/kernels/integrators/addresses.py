"""What the drivers call of a model: its rates and projections on the packed state, by address."""

from typing import Any

from numba import types

from cornerlaw.kernels.late import Job, address_of


def model_jobs(m: Any, w: Any) -> list[Job]:
    """Return kernels and types of a model's rates and projection."""
    from cornerlaw.kernels.integrators.entries import enter_projection, enter_rates

    vector = types.float64[::1]
    model = (m._numba_type, w._numba_type, types.float64)
    return [(enter_rates, (*model, vector, vector)), (enter_projection, (*model, vector))]


def bind_model(m: Any, w: Any) -> list[int]:
    """Return the addresses of a model's rates and projection."""
    return [address_of(*job) for job in model_jobs(m, w)]


def bind_user_indicators(m: Any, w: Any) -> int:
    """Return the address of the root functions of the user's elements, 0 where there are none."""
    from cornerlaw.kernels.integrators.layout import INDICATOR_ELEMENT

    if not (m.indicators.kind >= INDICATOR_ELEMENT).any():
        return 0
    from cornerlaw.kernels.user_indicators import enter_user_indicators

    vector = types.float64[::1]
    arguments = (m._numba_type, w._numba_type, types.float64, vector, vector)
    return address_of(enter_user_indicators, arguments)


def bind_linear_laws(m: Any, w: Any) -> int:
    """Return the address of what makes laws linear, 0 where no law has derivatives of its own."""
    if not m.elements.jacobian_address.any():
        return 0
    from cornerlaw.kernels.own_laws import take_linear

    state = (types.float64[::1],) * 3
    arguments = (m._numba_type, w._numba_type, types.float64, *state, types.int64)
    return address_of(take_linear, arguments)


def piece_jobs(pieces: Any, run: Any) -> list[Job]:
    """Return kernels and types of the pieces of a driver."""
    return [(function, (run._numba_type, *arguments)) for _, function, arguments in pieces]


def bind_pieces(pieces: Any, run: Any, address: Any) -> None:
    """Compile, or load, the pieces of a driver and write their addresses."""
    for (place, *_), job in zip(pieces, piece_jobs(pieces, run), strict=True):
        address[place] = address_of(*job)


def law_jobs(law: int, w: Any) -> list[Job]:
    """Return kernel and types of an impact law."""
    from cornerlaw.kernels.bundle import Bundle
    from cornerlaw.kernels.impacts.binding import law_job

    k = w.k
    if law < 0 or not k.status.size:
        return []
    return [law_job(law, Bundle(k.problem), Bundle(k.impact), Bundle(k.solver))]


def bind_law(law: int, w: Any) -> None:
    """Compile, or load, an impact law and write its address."""
    for job in law_jobs(law, w):
        w.k.impact.law[0] = address_of(*job)
