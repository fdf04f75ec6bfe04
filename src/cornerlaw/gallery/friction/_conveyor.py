"""What the vibration conveyors in the plane and in space have in common: drive, track and parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cornerlaw.gallery.contract import parameter


@dataclass(frozen=True)
class Conveyor:
    """Track, drive, and boxes in a row."""

    parts: int = parameter(1, "1", "chosen: one box")
    amplitude: float = parameter(3e-4, "m", "chosen: sliding without hopping")
    frequency: float = parameter(50.0, "Hz", "book")
    inclination: float = parameter(math.radians(3.0), "rad", "book: 3 deg")
    direction: float = parameter(math.radians(15.0), "rad", "book: 15 deg")
    mu: float = parameter(0.23, "1", "book")
    restitution: float = parameter(0.84, "1", "book")
    gravity: float = parameter(9.81, "m/s^2", "chosen: standard")
    length: float = parameter(0.04, "m", "chosen: a flat part that does not tumble")
    height: float = parameter(0.008, "m", "chosen: a small part")
    mass: float = parameter(0.01, "kg", "chosen: a small part")
