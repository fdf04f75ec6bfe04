# mypy: allow-untyped-defs, allow-untyped-calls
"""Electrical machines: a DC machine and a synchronous machine in Park's axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.drives._compiled import register, shared
from cornerlaw.drives._names import coordinate, positive
from cornerlaw.drives._signals import Function, over_time
from cornerlaw.model import ForceElement, Input, Table

Floats = NDArray[np.float64]


def _dc_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    x_dot[0] = (p[0] - p[1] * x[0] - p[3] * u[0]) / p[2]
    Q[0] = p[3] * x[0]


def _dc_energy(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * p[2] * x[0] ** 2


def _dc_loss(t, r, A, v, Omega, q, u, x, p):
    return p[1] * x[0] ** 2


def _dc_supply(t, r, A, v, Omega, q, u, x, p):
    return p[0] * x[0]


def _fed(voltage: Any) -> tuple[Any, Any]:
    """Return law and supply of a DC machine whose voltage is a function of time."""

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        x_dot[0] = (p[0] + voltage(t) - p[1] * x[0] - p[3] * u[0]) / p[2]
        Q[0] = p[3] * x[0]

    def supply(t, r, A, v, Omega, q, u, x, p):
        return (p[0] + voltage(t)) * x[0]

    return law, supply


def dc_machine(
    name: str,
    on: Any,
    *,
    voltage: float | Table | Function | Input,
    resistance: float,
    inductance: float,
    constant: float,
    current: float = 0.0,
) -> ForceElement:
    """Return a DC machine: L i' = U - R i - k speed, torque k i. (T-20.33)

    The voltage is a number, a function of t, a linear Table over time, or an Input that is set
    while the run goes on.

    Channels: `current` (its state), `loss`, `supply`, `energy` of the magnetic field, `power`.
    """
    owner = f"dc_machine {name!r}"
    positive(owner, resistance=resistance, inductance=inductance, constant=constant)
    register()
    feed = over_time(owner, "voltage", voltage)
    law, supply = (_dc_law, _dc_supply) if feed is None else _fed(feed)
    parameters: dict[str, Any] = {
        "voltage": voltage if feed is None else 0.0, "resistance": resistance,
        "inductance": inductance, "constant": constant,
    }  # fmt: skip
    return ForceElement(
        name,
        coordinates=(coordinate(owner, on),),
        law=law,
        parameters=parameters,
        states={"current": current},
        energy=_dc_energy,
        outputs={"loss": _dc_loss, "supply": supply},
    )  # fmt: skip


@shared
def _currents(x, p, i):
    """Write i_d, i_q, i_f, i_D, i_Q from the fluxes in the same order."""
    d, q, f, D, Q = x[0], x[1], x[2], x[3], x[4]
    i[0] = p[0] * d + p[1] * f + p[2] * D
    i[2] = p[1] * d + p[3] * f + p[4] * D
    i[3] = p[2] * d + p[4] * f + p[5] * D
    i[1] = p[6] * q + p[7] * Q
    i[4] = p[7] * q + p[8] * Q


@shared
def _grid(t, q, p):
    """Return the voltages of the grid in the axes of the rotor."""
    angle = p[17] * q - p[15] * t + p[18]
    return p[13] * math.sin(angle), p[13] * math.cos(angle)


def _park_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    i = np.empty(5)
    _currents(x, p, i)
    v_d, v_q = _grid(t, q[0], p)
    speed, base = p[17] * u[0], p[15]
    x_dot[0] = base * (v_d - p[9] * i[0]) + speed * x[1]
    x_dot[1] = base * (v_q - p[9] * i[1]) - speed * x[0]
    x_dot[2] = base * (p[14] - p[10] * i[2])
    x_dot[3] = -base * p[11] * i[3]
    x_dot[4] = -base * p[12] * i[4]
    Q[0] = p[16] * p[17] / base * (x[0] * i[1] - x[1] * i[0])


def _park_energy(t, r, A, v, Omega, q, u, x, p):
    i = np.empty(5)
    _currents(x, p, i)
    total = x[0] * i[0] + x[1] * i[1] + x[2] * i[2] + x[3] * i[3] + x[4] * i[4]
    return 0.5 * p[16] / p[15] * total


def _park_loss(t, r, A, v, Omega, q, u, x, p):
    i = np.empty(5)
    _currents(x, p, i)
    rotor = p[10] * i[2] ** 2 + p[11] * i[3] ** 2 + p[12] * i[4] ** 2
    return p[16] * (p[9] * (i[0] ** 2 + i[1] ** 2) + rotor)


def _park_supply(t, r, A, v, Omega, q, u, x, p):
    i = np.empty(5)
    _currents(x, p, i)
    v_d, v_q = _grid(t, q[0], p)
    return p[16] * (v_d * i[0] + v_q * i[1] + p[14] * i[2])


def _park_torque(t, r, A, v, Omega, q, u, x, p):
    i = np.empty(5)
    _currents(x, p, i)
    return p[16] * p[17] / p[15] * (x[0] * i[1] - x[1] * i[0])


@dataclass(frozen=True)
class SynchronousMachine:
    """A synchronous machine with one field winding and a damper in each axis. (T-20.34)

    Reactances and resistances are per unit of the rated voltage and power; currents count into the
    machine, so that a positive torque drives the rotor.

    power, frequency   rated apparent power [VA], angular frequency of the grid [rad/s]
    pole_pairs         of the rotor
    x_d, x_q, x_ad, x_aq       synchronous reactances and their magnetising parts
    x_f, x_D, x_Q              of field and damper windings, magnetising part included
    r_a, r_f, r_D, r_Q         resistances
    """

    power: float
    frequency: float
    pole_pairs: int
    x_d: float
    x_q: float
    x_ad: float
    x_aq: float
    x_f: float
    x_D: float
    x_Q: float
    r_a: float
    r_f: float
    r_D: float
    r_Q: float

    def __post_init__(self) -> None:
        positive("SynchronousMachine", **{k: float(v) for k, v in vars(self).items()})

    def reactances(self) -> Floats:
        """Return the fluxes over the currents, order d, q, f, D, Q."""
        X = np.zeros((5, 5))
        X[np.ix_([0, 2, 3], [0, 2, 3])] = self.x_ad
        X[np.ix_([1, 4], [1, 4])] = self.x_aq
        X[np.diag_indices(5)] = (self.x_d, self.x_q, self.x_f, self.x_D, self.x_Q)
        return X

    def resistances(self) -> Floats:
        """Return the resistances of the windings."""
        return np.array([self.r_a, self.r_a, self.r_f, self.r_D, self.r_Q])

    def no_load(self, voltage: float = 1.0) -> Floats:
        """Return the fluxes at rated speed without stator current, with a terminal voltage."""
        current = np.array([0.0, 0.0, voltage / self.x_ad, 0.0, 0.0])
        fluxes: Floats = self.reactances() @ current
        return fluxes

    def torque(self, fluxes: Floats) -> float:
        """Return the torque [N m] of given fluxes."""
        i = np.linalg.solve(self.reactances(), fluxes)
        return float(self.rated_torque * (fluxes[0] * i[1] - fluxes[1] * i[0]))

    @property
    def rated_torque(self) -> float:
        """Rated power over rated speed [N m]."""
        return self.power * self.pole_pairs / self.frequency

    def short_circuit(
        self, times: Floats, voltage: float = 1.0, grid: float = 0.0, angle: float = 0.0
    ) -> Floats:
        """Return the torque over time after no load, at constant rated speed. (T-20.35)

        With grid = 0 all three phases are short-circuited at t = 0; else the machine is put on a
        grid of this voltage whose phase the rotor leads by `angle`. At constant speed the equations
        are linear with constant coefficients, their solution is the matrix exponential.
        """
        G = np.linalg.inv(self.reactances())
        A = -self.frequency * np.diag(self.resistances()) @ G
        A[0, 1] += self.frequency
        A[1, 0] -= self.frequency
        start = self.no_load(voltage)
        field = self.r_f * voltage / self.x_ad
        drive = np.array([grid * math.sin(angle), grid * math.cos(angle), field, 0.0, 0.0])
        steady = -np.linalg.solve(A, self.frequency * drive)
        values, vectors = np.linalg.eig(A)
        weights = np.linalg.solve(vectors, (start - steady).astype(np.complex128))
        waves = np.exp(np.outer(times, values)) * weights
        fluxes = steady + (waves @ vectors.T).real
        i = fluxes @ G.T
        torques: Floats = self.rated_torque * (fluxes[:, 0] * i[:, 1] - fluxes[:, 1] * i[:, 0])
        return torques

    def subtransient(self) -> tuple[float, float]:
        """Return the reactances of both axes while the fluxes of the rotor stay as they are."""
        G = np.linalg.inv(self.reactances())
        return float(1.0 / G[0, 0]), float(1.0 / G[1, 1])

    def element(
        self, name: str, on: Any, *, voltage: float = 1.0, grid: float = 0.0, angle: float = 0.0
    ) -> ForceElement:
        """Return the machine on a rotor, from no load at t = 0.

        voltage   before t = 0, which fixes the field
        grid      voltage of the grid from t = 0 on; 0: short circuit of all phases
        angle     by which the rotor leads the grid at t = 0 and rotor angle 0

        Channels: the fluxes, `torque`, `loss`, `supply`, `energy`, `power`.
        """
        owner = f"SynchronousMachine {name!r}"
        G = np.linalg.inv(self.reactances())
        psi = self.no_load(voltage)
        parameters = {
            "g_dd": G[0, 0], "g_df": G[0, 2], "g_dD": G[0, 3], "g_ff": G[2, 2], "g_fD": G[2, 3],
            "g_DD": G[3, 3], "g_qq": G[1, 1], "g_qQ": G[1, 4], "g_QQ": G[4, 4],
            "r_a": self.r_a, "r_f": self.r_f, "r_D": self.r_D, "r_Q": self.r_Q, "grid": grid,
            "field": self.r_f * voltage / self.x_ad, "frequency": self.frequency,
            "power": self.power, "pole_pairs": float(self.pole_pairs), "angle": angle,
        }  # fmt: skip
        names = ("psi_d", "psi_q", "psi_f", "psi_D", "psi_Q")
        register()
        return ForceElement(
            name,
            coordinates=(coordinate(owner, on),),
            law=_park_law,
            parameters={key: float(value) for key, value in parameters.items()},
            states=dict(zip(names, psi.tolist(), strict=True)),
            energy=_park_energy,
            outputs={"torque": _park_torque, "loss": _park_loss, "supply": _park_supply},
        )
