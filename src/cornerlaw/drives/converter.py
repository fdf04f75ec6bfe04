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

    def system(
        self, name: str, speeds: tuple[float, float, float] = (0.0, 0.0, 0.0), flow: float = 0.0
    ) -> LagrangianSystem:
        """Return the converter with the coordinates pump, turbine, stator and volume.

        Put it between shafts by couplings on "name.pump" and "name.turbine"; hold the stator by a
        Freewheel("...", "name.stator").
        """
        rho, A = self.density, self.area
        R, shock, friction = self.radius, self.shock, self.friction
        out = tuple(math.tan(a) for a in self.angle)
        into = tuple(math.tan(a) for a in self.entry)

        def h(q: Any, u: Any, t: float) -> Any:
            flow = u[3]
            force = np.zeros(4)
            for i in range(3):
                j = (i + 2) % 3  # the wheel before
                # angular momentum that leaves minus that which enters, per volume
                swirl = R[i] * (R[i] * u[i] + flow / A * out[i])
                before = R[j] * (R[j] * u[j] + flow / A * out[j])
                torque = rho * (swirl - before)
                force[i] = -flow * torque
                # what the wheels give to the stream drives it
                force[3] += torque * u[i]
                hit = R[j] * (u[j] - u[i]) + flow / A * (out[j] - into[i])
                speed2 = (flow / A) ** 2 * (1.0 + out[i] * out[i])
                lost = 0.5 * rho * (shock * hit * hit + friction * speed2)
                force[3] -= lost if flow > 0.0 else -lost
            return force

        return LagrangianSystem(
            name,
            M=self.mass_matrix().tolist(),
            h=h,
            q0=(0.0, 0.0, 0.0, 0.0),
            u0=(*speeds, flow),
            coordinates=("pump", "turbine", "stator", "volume"),
        )

    def loss(self, u: Any) -> float:
        """Return the power of shock and friction at speeds and flow u."""
        flow, total = float(u[3]), 0.0
        out = [math.tan(a) for a in self.angle]
        into = [math.tan(a) for a in self.entry]
        for i in range(3):
            j = (i + 2) % 3
            hit = self.radius[j] * (u[j] - u[i]) + flow / self.area * (out[j] - into[i])
            speed2 = (flow / self.area) ** 2 * (1.0 + out[i] ** 2)
            total += 0.5 * self.density * (self.shock * hit**2 + self.friction * speed2)
        return abs(flow) * total
