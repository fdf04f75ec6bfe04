"""Values between stored rows, with the left or the right limit at events."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cornerlaw.errors import UsageError
from cornerlaw.results.channels import short

Floats = NDArray[np.float64]

ROUNDING = 1e-12  # of the time span: a time this far outside is meant as the end itself


def _times(t: Any) -> Floats:
    """Return times as an array; quantities with units are converted."""
    try:
        # numpy would drop the unit of a quantity and keep its number
        plain = t.to("s").magnitude if hasattr(t, "to") and hasattr(t, "magnitude") else t
        return np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError, AttributeError):
        raise UsageError(f"Times must be numbers of seconds, got {short(t)}.") from None


def interpolate(times: Floats, rows: Floats, t: ArrayLike, side: str) -> Floats | float:
    """Interpolate linearly: v = (1 - w) v_k + w v_{k+1}, w = (t - t_k) / (t_{k+1} - t_k).

    Times may repeat; from the right the last row of a repeated time counts, from the left the
    first one, so a value between two events never mixes rows from across either of them.
    """
    if not len(times):
        raise UsageError("This result has no rows.")
    wanted = _times(t)
    slack = ROUNDING * max(float(times[-1] - times[0]), abs(float(times[-1])))
    # written so that a NaN is outside
    outside = ~((wanted >= times[0] - slack) & (wanted <= times[-1] + slack))
    if outside.any():
        culprit = wanted[outside].flat[0]
        raise UsageError(
            f"Time {culprit:g} s is outside the run, which covers {times[0]:g} s to "
            f"{times[-1]:g} s."
        )
    clipped = np.clip(wanted, times[0], times[-1])
    last = len(times) - 1
    if side == "right":
        k = np.searchsorted(times, clipped, side="right") - 1
        low, high = k, np.minimum(k + 1, last)
    else:
        k = np.searchsorted(times, clipped, side="left")
        low, high = np.maximum(k - 1, 0), k
    span = times[high] - times[low]
    weight = np.divide(clipped - times[low], span, out=np.zeros_like(clipped), where=span > 0.0)
    weight = weight.reshape(weight.shape + (1,) * (rows.ndim - 1))
    # a stored row is returned as it is, even beside a row that is not finite
    value = np.where(
        weight == 0.0,
        rows[low],
        np.where(weight == 1.0, rows[high], (1.0 - weight) * rows[low] + weight * rows[high]),
    )
    return float(value) if value.ndim == 0 else value
