"""A synchroniser with its phases: free, pressing the cone, blocked, turning back, through."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cornerlaw.drives._names import coordinate, not_negative, positive
from cornerlaw.errors import ModelError
from cornerlaw.model import Backlash, Limit, Part, Rotor, Slider, Torque, TorsionSpring, UserContact


@dataclass(frozen=True)
class Synchroniser:
    """Ring, cone, chamfers and sleeve of a synchroniser. (T-20.41)

    ring_inertia, ring_mass, sleeve_mass   [kg m^2], [kg], [kg]; the sleeve with its fork
    friction                               coefficient of the cone
    cone_angle, cone_radius                half angle [rad] and mean radius [m] of the cone
    chamfer_angle, chamfer_radius          half angle [rad] and radius [m] of the chamfers
    play                                   turn of the ring to either side [rad]
    way                                    of the sleeve until it meets the chamfers [m]
    guide                                  damping of the sleeve [N s/m]
    """

    ring_inertia: float
    ring_mass: float
    sleeve_mass: float
    friction: float
    cone_angle: float
    cone_radius: float
    chamfer_angle: float
    chamfer_radius: float
    play: float
    way: float
    guide: float = 0.0

    def __post_init__(self) -> None:
        given = {key: float(value) for key, value in vars(self).items()}
        not_negative("Synchroniser", guide=given.pop("guide"))
        positive("Synchroniser", **given)
        for key in ("cone_angle", "chamfer_angle"):
            if not given[key] < 0.5 * math.pi:
                raise ModelError(f"Synchroniser: {key} must be below pi / 2, got {given[key]:g}")

    def cone_torque(self, force: float) -> float:
        """Return the torque of the slipping cone under an axial force: mu F R / sin(alpha)."""
        return self.friction * force * self.cone_radius / math.sin(self.cone_angle)

    def index_torque(self, force: float) -> float:
        """Return the torque by which the chamfers turn the ring back: F r / tan(beta)."""
        return force * self.chamfer_radius / math.tan(self.chamfer_angle)

    @property
    def blocks(self) -> bool:
        """Whether the sleeve waits until the speeds agree: the cone holds against the chamfers."""
        return self.cone_torque(1.0) > self.index_torque(1.0)

    def duration(self, force: float, slip: float, inertia: float) -> float:
        """Return the time in which the cone takes an inertia through a difference of speeds."""
        return inertia * abs(slip) / self.cone_torque(force)

    @property
    def travel(self) -> float:
        """The way of the sleeve to its end stop, a hair before the chamfers let the ring go [m]."""
        return self.way + 1.99 * self.chamfer_radius * self.play / math.tan(self.chamfer_angle)

    def parts(
        self,
        name: str,
        gear: Any,
        output: Any,
        *,
        force: Any,
        side: float = 1.0,
        angle: float | None = None,
        speed: float | None = None,
    ) -> tuple[Part, ...]:
        """Return the synchroniser between a gear and the shaft its sleeve turns with.

        force          of the fork on the sleeve [N]: a number, function of t, Table or Input
        side           1 where the gear is faster than the shaft at first, -1 where it is slower: to
                       this side the ring is dragged, and there the chamfers block
        angle, speed   of the shaft at the start [rad], [rad/s], with which the ring turns; those of
                       `output` if it is a Rotor (0 where it has none), else they must
                       be given

        The parts are called name.ring, name.axial (the ring along the shaft), name.sleeve,
        name.cone, name.chamfers, name.stops of the ring, name.end, name.fork and name.guide. No
        phase is prescribed: blocking and letting through follow from the two contacts. The teeth of
        the gear, which the sleeve meets at its end, are not part of it.
        """
        owner = f"Synchroniser {name!r}"
        if side not in (1.0, -1.0):
            raise ModelError(f"{owner}: side must be 1 or -1, got {side!r}")
        start, turning = _start(owner, output, angle, speed)
        ring = Rotor(
            f"{name}.ring", inertia=self.ring_inertia, angle=start + side * self.play, speed=turning
        )
        axial = Slider(f"{name}.axial", mass=self.ring_mass)
        sleeve = Slider(f"{name}.sleeve", mass=self.sleeve_mass)
        turns, shaft = coordinate(owner, gear), coordinate(owner, output)
        along, rotation = f"{name}.axial.position", f"{name}.ring.angle"
        s, c = math.sin(self.chamfer_angle), math.cos(self.chamfer_angle)
        arm = side * self.chamfer_radius * c
        cone = UserContact(
            f"{name}.cone", coordinates=(along, rotation, turns), gap=0.0, normal=(-1.0, 0.0, 0.0),
            tangent=(0.0, self.cone_radius, -self.cone_radius),
            mu=self.friction / math.sin(self.cone_angle),
        )  # fmt: skip
        # at the ring's side the chamfers are met after the way; turned back by both plays they are
        # free
        chamfers = UserContact(
            f"{name}.chamfers", coordinates=(f"{name}.sleeve.position", along, rotation, shaft),
            gap=self.way * s + self.chamfer_radius * self.play * c, normal=(-s, s, -arm, arm),
        )  # fmt: skip
        return (
            ring, axial, sleeve, cone, chamfers,
            Backlash(f"{name}.stops", ring, output, gap=2.0 * self.play),
            Limit(f"{name}.end", sleeve, upper=self.travel),
            Torque(f"{name}.fork", sleeve, value=force),
            TorsionSpring(f"{name}.guide", sleeve, damping=self.guide),
        )  # fmt: skip


def _start(
    owner: str, output: Any, angle: float | None, speed: float | None
) -> tuple[float, float]:
    """Return angle and speed of the shaft at the start: as given, or those of a Rotor."""
    if isinstance(output, Rotor):
        angle = (output.angle or 0.0) if angle is None else angle
        speed = (output.speed or 0.0) if speed is None else speed
    if angle is None or speed is None:
        raise ModelError(
            f"{owner}: angle and speed of the shaft at the start must be given where output is "
            f"not a Rotor, got {output!r}"
        )
    for key, value in (("angle", angle), ("speed", speed)):
        if not math.isfinite(value):
            raise ModelError(f"{owner}: {key} must be finite, got {value:g}")
    return float(angle), float(speed)
