"""Clutches and brakes: capacity from pressure, falling characteristic, lock-up and press fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.drives._names import not_negative, positive
from cornerlaw.drives._signals import Function, over_time
from cornerlaw.errors import ModelError
from cornerlaw.model import Brake, Clutch, Input, ScaledInput, Stribeck, Table, UserContact
from cornerlaw.model.quantity import Where, as_number

Pressure = float | Table | Function | Input
SAMPLES = 24  # of a pressure per lag


@dataclass(frozen=True)
class DiscPack:
    """The friction pack of a dry or wet clutch. (T-20.20)

    area, spring    of the piston [m^2], and force of the return spring [N]
    radius, faces   mean friction radius [m], number of friction faces
    static          coefficient of friction at rest
    kinetic, speed  where it falls to, and the slip speed [rad/s] that takes; equal to static: it
                    does not fall
    """

    area: float
    spring: float
    radius: float
    faces: int
    static: float
    kinetic: float | None = None
    speed: float = 1.0

    def __post_init__(self) -> None:
        positive("DiscPack", area=self.area, radius=self.radius, static=self.static)
        positive("DiscPack", speed=self.speed, faces=self.faces)
        not_negative("DiscPack", spring=self.spring)

    def capacity(self, pressure: float) -> float:
        """Return the torque at rest under a pressure [Pa]; none while the spring holds it open."""
        force = max(0.0, pressure * self.area - self.spring)
        return self.static * force * self.radius * self.faces

    def pressure(self, torque: float) -> float:
        """Return the pressure [Pa] that a torque needs."""
        return (torque / (self.static * self.radius * self.faces) + self.spring) / self.area

    @property
    def characteristic(self) -> Stribeck | None:
        """The factor of the capacity over the slip speed; None where it does not fall."""
        if self.kinetic is None or self.kinetic == self.static:
            return None
        return Stribeck(static=1.0, kinetic=self.kinetic / self.static, velocity=self.speed)

    def table(self, pressure: Table) -> Table:
        """Return the capacity over time under a pressure over time."""
        times = _with_kinks(pressure, self.spring / self.area)
        values = np.interp(times, pressure.x, pressure.y)
        return Table(times, [self.capacity(float(value)) for value in values])


def _with_kinks(pressure: Table, level: float) -> list[float]:
    """Return the times of a linear table, and those where it crosses a level."""
    x, y = np.array(pressure.x), np.array(pressure.y) - level
    crossed = np.flatnonzero(y[:-1] * y[1:] < 0.0)
    found = x[crossed] - y[crossed] * (x[crossed + 1] - x[crossed]) / (y[crossed + 1] - y[crossed])
    return sorted({*x.tolist(), *found.tolist()})


def lagged_pressure(
    times: Sequence[float], command: Sequence[float], *, lag: float, start: float | None = None
) -> Table:
    """Return the pressure behind a valve with a first-order lag: lag p' = command - p. (T-20.21)

    The command runs linearly from point to point; two equal times are a jump. The pressure follows
    it in closed form and is stored as a fine table, so that a clutch can take it as its capacity.
    It depends on the command alone: in a loop that reads the motion, use Inputs.
    """
    positive("lagged_pressure", lag=lag)
    if len(times) != len(command) or len(times) < 2:
        raise ModelError("lagged_pressure: times and command must be equally many, at least 2")
    p = float(command[0] if start is None else start)
    t_out, p_out = [float(times[0])], [p]
    for a, b, ca, cb in zip(times[:-1], times[1:], command[:-1], command[1:], strict=True):
        if b < a:
            raise ModelError(f"lagged_pressure: times must not decrease, got {b:g} after {a:g}")
        if b == a:
            continue
        slope = (cb - ca) / (b - a)
        tau = np.linspace(0.0, b - a, max(2, int(SAMPLES * (b - a) / lag) + 1))[1:]
        # particular solution: the command, late by the lag
        gap = p - (ca - slope * lag)
        values = ca + slope * (tau - lag) + gap * np.exp(-tau / lag)
        t_out += (a + tau).tolist()
        p_out += values.tolist()
        p = float(values[-1])
    return Table(t_out, p_out)


def _capacity(owner: str, pack: DiscPack, pressure: Pressure) -> Any:
    """Return the capacity under a pressure: a number, a Table, a function of time or an Input."""
    follows = over_time(owner, "pressure", pressure)
    if isinstance(pressure, Table):
        return pack.table(pressure)
    scale, area, spring = pack.static * pack.radius * pack.faces, pack.area, pack.spring
    if isinstance(pressure, Input):
        return ScaledInput(pressure, scale * area, -scale * spring, lowest=0.0)
    if follows is None:
        return pack.capacity(as_number(pressure, Where(owner, "pressure"), "Pa"))

    def capacity(t):  # type: ignore[no-untyped-def]
        return scale * max(0.0, follows(t) * area - spring)

    return capacity


def disc_clutch(name: str, first: Any, second: Any, pack: DiscPack, pressure: Pressure) -> Clutch:
    """Return a clutch whose capacity follows a pressure [Pa].

    The pressure is a number, a function of t, a linear Table over time, or an Input that is set
    while the run goes on.
    """
    capacity = _capacity(f"disc_clutch {name!r}", pack, pressure)
    return Clutch(name, first, second, capacity=capacity, characteristic=pack.characteristic)


def disc_brake(name: str, on: Any, pack: DiscPack, pressure: Pressure) -> Brake:
    """Return a multi-disc brake against the housing; its characteristic does not fall."""
    capacity = _capacity(f"disc_brake {name!r}", pack, pressure)
    return Brake(name, on, capacity=capacity)


def pressed_clutch(
    name: str, piston: str, first: Any, second: Any, pack: DiscPack, *, travel: float
) -> UserContact:
    """Return a clutch whose plates a moving piston closes after its travel [m]. (T-20.20)

    `piston` is a coordinate such as "ram.position", moved by oil and by its own return spring; the
    torque is bounded by the force that it leaves on the plates, in the same problem. `lam_N` is
    this force, `lam_T` times radius and faces the torque on `first`.
    """
    positive("pressed_clutch", travel=travel)
    arm = pack.radius * pack.faces
    mu: Any = pack.static
    if pack.characteristic is not None:
        mu = Stribeck(static=pack.static, kinetic=pack.kinetic, velocity=pack.speed * arm)
    axes = tuple(
        f"{axis if isinstance(axis, str) else axis.name}.angle" for axis in (first, second)
    )
    return UserContact(
        name, coordinates=(piston, *axes), gap=travel, normal=(-1.0, 0.0, 0.0),
        tangent=(0.0, arm, -arm), mu=mu,
    )  # fmt: skip
