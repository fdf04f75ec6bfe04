"""The sets of a contact problem, one per block of rows.

One call for each kind:

    cl.sets.free(2)                    two bilateral rows
    cl.sets.unilateral()               one row, x >= 0
    cl.sets.interval(-1.0, 1.0)        one row, a clutch with given load
    cl.sets.friction(0.3, normal=0)    one row, |x| <= 0.3 x_0
    cl.sets.disc(0.3, normal=0)        two rows, |x| <= 0.3 x_0
    cl.sets.ball(2.0, size=3)          three rows, |x| <= 2
"""

import math
from dataclasses import dataclass

from cornerlaw.arrays.problem import BALL, INTERVAL
from cornerlaw.errors import ModelError

__all__ = ["ContactSet", "ball", "disc", "free", "friction", "interval", "unilateral"]


@dataclass(frozen=True)
class ContactSet:
    """One convex set: an interval for each of its rows, or a ball over all of them.

    The bounds are lower_0 + lower_1 x_m and upper_0 + upper_1 x_m with the multiplier x_m of the
    row `master`; without a master they are numbers. (T-11.2)
    """

    kind: int
    size: int
    master: int = -1
    lower_0: float = 0.0
    lower_1: float = 0.0
    upper_0: float = 0.0
    upper_1: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in (INTERVAL, BALL):
            raise ModelError(f"A set is of kind {INTERVAL} or {BALL}, not {self.kind}.")
        if not 1 <= self.size <= (3 if self.kind == BALL else 10**9):
            raise ModelError(f"A set of kind {self.kind} cannot have {self.size} rows.")
        numbers = (self.lower_0, self.lower_1, self.upper_0, self.upper_1)
        if any(math.isnan(number) for number in numbers):
            raise ModelError("A bound of a set is not a number.")
        if math.isinf(self.lower_1) or math.isinf(self.upper_1):
            raise ModelError("The slope of a bound must be finite.")
        if self.master < 0 and (self.lower_1 or self.upper_1):
            raise ModelError("Bounds that grow with a load need the row of the load.")
        if self.kind == BALL and (self.upper_0 < 0.0 or self.upper_1 < 0.0):
            raise ModelError("The radius of a ball must not be negative.")
        # loads are never negative, so ordered numbers stay ordered bounds
        if self.kind == INTERVAL and (
            self.lower_0 > self.upper_0 or (self.master >= 0 and self.lower_1 > self.upper_1)
        ):
            raise ModelError(
                f"The lower bound {self.lower_0:g} of a set lies above the upper {self.upper_0:g}."
            )


def _coefficient(mu: float) -> float:
    if not 0.0 <= mu < math.inf:
        raise ModelError(f"A coefficient of friction must be finite and not negative, not {mu}.")
    return float(mu)


def free(n: int = 1) -> ContactSet:
    """Return the set of n bilateral rows, R^n."""
    return ContactSet(INTERVAL, n, lower_0=-math.inf, upper_0=math.inf)


def unilateral() -> ContactSet:
    """Return the set x >= 0 of one row."""
    return ContactSet(INTERVAL, 1, upper_0=math.inf)


def interval(lower: float, upper: float) -> ContactSet:
    """Return the set lower <= x <= upper of one row."""
    return ContactSet(INTERVAL, 1, lower_0=float(lower), upper_0=float(upper))


def friction(mu: float, *, normal: int) -> ContactSet:
    """Return the plane friction set |x| <= mu x_N of one row, x_N being that of row `normal`."""
    mu = _coefficient(mu)
    return ContactSet(INTERVAL, 1, normal, lower_1=-mu, upper_1=mu)


def disc(mu: float, *, normal: int, size: int = 2) -> ContactSet:
    """Return the friction set |x| <= mu x_N of two rows, x_N being that of row `normal`."""
    return ContactSet(BALL, size, normal, upper_1=_coefficient(mu))


def ball(radius: float, size: int = 2) -> ContactSet:
    """Return the set |x| <= radius of `size` rows."""
    return ContactSet(BALL, size, upper_0=float(radius))
