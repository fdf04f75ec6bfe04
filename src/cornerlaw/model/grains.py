"""Many balls at once: one part, arrays of places and velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from cornerlaw.model.part import Part, part
from cornerlaw.model.quantity import Scalar, data, scalar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@part()
class Grains(Part):
    """Balls of one density that touch each other, by the thousand.

    `position` has a row for every ball; `radius`, `velocity` and `angular_velocity` have a row for
    every ball or one value for all. Such a model has planes for walls and one AllContacts rule, and
    runs by `Granular(dt=...)`.
    """

    ROLE: ClassVar[str] = "grains"
    DIM: ClassVar[int | None] = 3

    position: Any = data()  # [m] (n, 3)
    radius: Any = data()  # [m] a number, or (n,)
    density: Scalar = scalar("kg/m^3", positive=True, default=2500.0)
    velocity: Any = data(default=(0.0, 0.0, 0.0))  # [m/s]
    angular_velocity: Any = data(default=(0.0, 0.0, 0.0))  # [rad/s]

    def _check(self) -> None:
        import numpy as np  # only models of grains need it

        place = self._array("position", self.position, 3)
        if place.ndim != 2 or not len(place):
            raise self.where("position").error("must have a row of x, y, z for every ball")
        radius = np.asarray(self.radius, dtype=np.float64)
        if radius.ndim > 1 or (radius.ndim == 1 and len(radius) != len(place)):
            raise self.where("radius").error(f"must be a number or {len(place)} of them")
        if not (radius > 0.0).all():
            raise self.where("radius").error("must be positive")
        for name in ("velocity", "angular_velocity"):
            given = self._array(name, getattr(self, name), 3)
            if given.ndim == 2 and len(given) != len(place):
                raise self.where(name).error(f"must be one row or {len(place)} of them")

    def _array(self, name: str, value: Any, width: int) -> NDArray[np.float64]:
        import numpy as np

        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise self.where(name).error("must be numbers in rows of the same length") from None
        if array.ndim not in (1, 2) or array.shape[-1] != width:
            raise self.where(name).error(f"must have rows of {width} numbers")
        return array

    @property
    def count(self) -> int:
        """The number of balls."""
        return len(self.position)

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return all fields with a row for every ball."""
        import numpy as np

        n = self.count
        return {
            "position": np.array(self.position, dtype=np.float64),
            "radius": np.broadcast_to(np.asarray(self.radius, np.float64), (n,)).copy(),
            **{
                name: np.broadcast_to(np.asarray(getattr(self, name), np.float64), (n, 3)).copy()
                for name in ("velocity", "angular_velocity")
            },
        }
