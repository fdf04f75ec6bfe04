# mypy: allow-untyped-defs, allow-untyped-calls
"""Torque converters: by their maps, and by the stream tube of their oil."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.drives._compiled import register, shared
from cornerlaw.drives._names import coordinate, positive
from cornerlaw.drives._signals import characteristic
from cornerlaw.drives.clutches import DiscPack, Pressure, disc_clutch
from cornerlaw.errors import ModelError
from cornerlaw.model import Clutch, ForceElement, LagrangianSystem

POINTS = 12  # of a map: speed ratios from 0 to 1.1 in equal steps
LAST = 1.1


@shared
def _read(x, p, start):
    """Interpolate a map of twelve points over [0, 1.1], held outside."""
    place = min(max(x, 0.0), 1.1) * 10.0
    k = min(int(place), 10)
    w = place - k
    return (1.0 - w) * p[start + k] + w * p[start + k + 1]


@shared
def _torques(u, p):
    """Return the torques on pump and turbine."""
    pump, turbine = u[0], u[1]
    if pump <= 0.0:
        return 0.0, 0.0
    ratio = turbine / pump
    M_P = _read(ratio, p, 1) * (pump / p[0]) ** 2
    return -M_P, _read(ratio, p, 13) * M_P


def _map_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0], Q[1] = _torques(u, p)


def _map_loss(t, r, A, v, Omega, q, u, x, p):
    M_P, M_T = _torques(u, p)
    return -M_P * u[0] - M_T * u[1]


def _map_turbine(t, r, A, v, Omega, q, u, x, p):
    return _torques(u, p)[1]


def converter(
    name: str, pump: Any, turbine: Any, *, reference: float, pump_torque: Any, torque_ratio: Any
) -> ForceElement:
    """Return a converter by its maps over the speed ratio nu = turbine / pump. (T-20.22)

    reference      pump speed at which the map of the pump torque was taken [rad/s]
    pump_torque    function or Table of nu: torque the pump takes at that speed [N m]
    torque_ratio   function or Table of nu: turbine torque over pump torque

    Both are stored at nu = 0, 0.1, ... 1.1. Channels: `turbine_torque`, `loss`.
    """
    owner = f"converter {name!r}"
    positive(owner, reference=reference)
    nu = np.linspace(0.0, LAST, POINTS)
    given = {"pump_torque": pump_torque, "torque_ratio": torque_ratio}
    readers = [characteristic(owner, key, "nu", value) for key, value in given.items()]
    maps = [[float(f(float(x))) for x in nu] for f in readers]
    for x, M_P, mu in zip(nu, *maps, strict=True):
        if M_P * (1.0 - mu * x) < -1e-9 * max(maps[0]):
            raise ModelError(f"{owner}: at nu = {x:.1f} the maps create energy: mu nu > 1")
    parameters = {"reference": reference}
    parameters |= {f"torque_{k}": maps[0][k] for k in range(POINTS)}
    parameters |= {f"ratio_{k}": maps[1][k] for k in range(POINTS)}
    register()
    return ForceElement(
        name,
        coordinates=(coordinate(owner, pump), coordinate(owner, turbine)),
        law=_map_law,
        parameters=parameters,
        outputs={"turbine_torque": _map_turbine, "loss": _map_loss},
    )


def lockup_converter(
    name: str,
    pump: Any,
    turbine: Any,
    *,
    reference: float,
    pump_torque: Any,
    torque_ratio: Any,
    pack: DiscPack,
    pressure: Pressure,
) -> tuple[ForceElement, Clutch]:
    """Return a converter by its maps with a lock-up clutch beside it. (T-20.39)

    The clutch called name.lockup connects pump and turbine under a pressure [Pa] as in
    disc_clutch: open, slipping or closed. Closed, the speed ratio is one; the maps must not
    carry torque there, or the converter would dissipate with nothing that slips.
    """
    fluid = converter(
        name, pump, turbine, reference=reference, pump_torque=pump_torque,
        torque_ratio=torque_ratio,
    )  # fmt: skip
    owner = f"lockup_converter {name!r}"
    torque = characteristic(owner, "pump_torque", "nu", pump_torque)
    left = abs(torque(1.0) * (1.0 - characteristic(owner, "torque_ratio", "nu", torque_ratio)(1.0)))
    if left > 1e-9 * abs(torque(0.0)):
        raise ModelError(
            f"{owner}: at equal speeds the maps must pass the torque on, but the "
            f"pump takes {left:g} N m more than the turbine gives"
        )
    return fluid, disc_clutch(f"{name}.lockup", pump, turbine, pack, pressure)


@shared
def _head(u, p):
    """Return the pressure that shock and friction take from the stream, without its sign."""
    lost = 0.0
    for i in range(3):
        j = (i + 2) % 3  # the wheel before
        out, before, into = p[5 + 3 * i], p[5 + 3 * j], p[6 + 3 * i]
        hit = p[4 + 3 * j] * (u[j] - u[i]) + u[3] / p[1] * (before - into)
        squared = (u[3] / p[1]) ** 2 * (1.0 + out * out)
        lost += 0.5 * p[0] * (p[2] * hit * hit + p[3] * squared)
    return lost


def _stream_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    flow = u[3]
    for i in range(3):
        j = (i + 2) % 3
        # angular momentum that leaves minus that which enters, per volume
        swirl = p[4 + 3 * i] * (p[4 + 3 * i] * u[i] + flow / p[1] * p[5 + 3 * i])
        before = p[4 + 3 * j] * (p[4 + 3 * j] * u[j] + flow / p[1] * p[5 + 3 * j])
        torque = p[0] * (swirl - before)
        Q[i] -= flow * torque
        # what the wheels give to the stream drives it
        Q[3] += torque * u[i]
    head = _head(u, p)
    Q[3] -= head if flow > 0.0 else -head


def _stream_loss(t, r, A, v, Omega, q, u, x, p):
    return abs(u[3]) * _head(u, p)


@dataclass(frozen=True)
class StreamTube:
    """Geometry of a converter as a stream tube; order pump, turbine, stator. (T-20.23)

    radius    exit radii [m]
    angle     exit blade angles [rad]; entry angles are those of the wheel before
    entry     entry blade angles [rad]
    shape     blade integrals S_i [m^3]
    inertia   of the wheels with their oil [kg m^2]
    area      flow area [m^2]
    length    of the stream [m]
    density   of the oil [kg/m^3]
    shock     factor of the shock losses
    friction  factor of the friction losses
    """

    radius: tuple[float, float, float]
    angle: tuple[float, float, float]
    entry: tuple[float, float, float]
    shape: tuple[float, float, float]
    inertia: tuple[float, float, float]
    area: float
    length: float
    density: float = 860.0
    shock: float = 0.0
    friction: float = 0.0

    def mass_matrix(self) -> Any:
        """Return the inertia over the three speeds and the flow rate."""
        M = np.diag([*self.inertia, self.density * self.length / self.area])
        M[3, :3] = M[:3, 3] = self.density * np.array(self.shape)
        return M

    def parts(
        self, name: str, speeds: tuple[float, float, float] = (0.0, 0.0, 0.0), flow: float = 0.0
    ) -> tuple[LagrangianSystem, ForceElement]:
        """Return the inertia of wheels and stream, called name, and what acts on it, name.stream.

        The coordinates are pump, turbine, stator and volume. Put it between shafts by couplings on
        "name.pump" and "name.turbine"; hold the stator by a Freewheel("...", "name.stator").
        Channels of name.stream: `loss` of shock and friction, `power`.
        """
        names = ("pump", "turbine", "stator", "volume")
        wheels = LagrangianSystem(
            name,
            M=self.mass_matrix().tolist(),
            q0=(0.0, 0.0, 0.0, 0.0),
            u0=(*speeds, flow),
            coordinates=names,
        )
        parameters = {
            "density": self.density, "area": self.area, "shock": self.shock,
            "friction": self.friction,
        }  # fmt: skip
        for k in range(3):
            parameters |= {
                f"radius_{k}": self.radius[k], f"exit_{k}": math.tan(self.angle[k]),
                f"entry_{k}": math.tan(self.entry[k]),
            }  # fmt: skip
        register()
        stream = ForceElement(
            f"{name}.stream",
            coordinates=tuple(f"{name}.{key}" for key in names),
            law=_stream_law,
            parameters=parameters,
            outputs={"loss": _stream_loss},
        )
        return wheels, stream
