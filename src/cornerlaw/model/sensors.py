"""Named channels recorded with a run, and conditions that stop it."""

from __future__ import annotations

from typing import ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.model.part import Part, channel, channels, part
from cornerlaw.model.quantity import Function, LevelKind, Scalar, function, spec


@part(kw_only=False, abstract=True)
class _OfQuantity(Part):
    quantity: str | None = channel(default=None)


@part()
class Sensor(_OfQuantity):
    """A recorded channel: a quantity "part.quantity", or expression(t, values) of several."""

    ROLE: ClassVar[str] = "sensor"

    expression: Function | None = function(default=None)
    of: tuple[str, ...] = channels(default=())

    def _check(self) -> None:
        if (self.quantity is None) == (self.expression is None):
            raise ModelError(f"{self.label}: give either a quantity or an expression")
        if self.expression is not None and not self.of:
            raise self.where("of").error("must name the quantities the expression reads")
        if self.quantity is not None and self.of:
            raise self.where("of").error("belongs to an expression, but a quantity is given")


@part(kw_only=False, abstract=True)
class _OnQuantity(Part):
    quantity: str = channel()


@part()
class Stop(_OnQuantity):
    """Stop a run when a quantity passes a value; goes into simulate(stop=...)."""

    ROLE: ClassVar[str] = "stop"

    above: Scalar | None = spec(LevelKind(), default=None)
    below: Scalar | None = spec(LevelKind(), default=None)

    def _check(self) -> None:
        if self.above is None and self.below is None:
            raise ModelError(f"{self.label}: give above, below or both")
        if self.above is not None and self.below is not None and self.below > self.above:
            raise self.where("below").error(
                f"must be <= above ({self.above:g}), got {self.below:g}"
            )
