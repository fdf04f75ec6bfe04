# mypy: allow-untyped-defs, allow-untyped-calls
"""Gear meshes with two flanks: ideal, with impacts, compliant with located events, or stiffness
over the path of contact with an oil film in the backlash."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.drives._compiled import register, shared
from cornerlaw.drives._names import coordinate, not_negative, positive
from cornerlaw.errors import ModelError
from cornerlaw.model import ForceElement, KelvinVoigt, UserContact

ORDERS = 5  # of the stiffness over a pitch


@dataclass(frozen=True)
class MeshStiffness:
    """Stiffness over the pitch coordinate x (period 1) as a Fourier sum. (T-20.16)

    mean      mean stiffness [N/m]
    cosines   coefficients of cos(2 pi k x), k = 1 ... [N/m]
    sines     coefficients of sin(2 pi k x)
    """

    mean: float
    cosines: tuple[float, ...] = ()
    sines: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        positive("MeshStiffness", mean=self.mean)
        if max(len(self.cosines), len(self.sines)) > ORDERS:
            raise ModelError(f"MeshStiffness: at most {ORDERS} orders can be given")
        if min(self.at(x) for x in np.linspace(0.0, 1.0, 200)) <= 0.0:
            raise ModelError("MeshStiffness: the stiffness must be > 0 everywhere")

    def at(self, x: float) -> float:
        """Return the stiffness at a pitch coordinate."""
        a, b = self._padded()
        w = 2.0 * math.pi * x
        return self.mean + sum(
            a[k] * math.cos((k + 1) * w) + b[k] * math.sin((k + 1) * w) for k in range(ORDERS)
        )

    def _padded(self) -> tuple[list[float], list[float]]:
        return (
            [*self.cosines, *[0.0] * (ORDERS - len(self.cosines))],
            [*self.sines, *[0.0] * (ORDERS - len(self.sines))],
        )


def contact_ratio_stiffness(
    pair: float, contact_ratio: float, *, orders: int = ORDERS
) -> MeshStiffness:
    """Return the sum of the tooth pairs in mesh, its edges rounded by the Fourier sum. (T-20.17)

    pair            stiffness of a single pair [N/m]
    contact_ratio   mean number of pairs in mesh: floor(e) + 1 pairs over the first part
                    e - floor(e) of a pitch, floor(e) over the rest

    Lanczos' factors keep the truncated sum from overshooting.
    """
    positive("contact_ratio_stiffness", pair=pair)
    if contact_ratio < 1.0:
        raise ModelError(f"contact_ratio_stiffness: must be >= 1, got {contact_ratio:g}")
    part = contact_ratio - math.floor(contact_ratio)
    cosines, sines = [], []
    for k in range(1, orders + 1):
        w = 2.0 * math.pi * k
        soft = math.sin(math.pi * k / (orders + 1)) / (math.pi * k / (orders + 1))
        # coefficients of a step of height one over [0, part]
        cosines.append(pair * soft * 2.0 * math.sin(w * part) / w)
        sines.append(pair * soft * 2.0 * (1.0 - math.cos(w * part)) / w)
    return MeshStiffness(pair * contact_ratio, tuple(cosines), tuple(sines))


def mesh_damping(
    lehr: float, stiffness: float, inertia_1: float, radius_1: float, inertia_2: float,
    radius_2: float,
) -> float:  # fmt: skip
    """Return d = 2 D sqrt(c J_1 J_2 / (J_1 r_2^2 + J_2 r_1^2)) of a mesh. (T-20.18)"""
    reduced = inertia_1 * inertia_2 / (inertia_1 * radius_2**2 + inertia_2 * radius_1**2)
    return 2.0 * lehr * math.sqrt(stiffness * reduced)


@shared
def _stiffness(q, p):
    """Return the stiffness and its derivative by the angle of the first gear."""
    turn = p[6] * q + 2.0 * math.pi * p[7]  # 2 pi x
    c = p[2]
    slope = 0.0
    for k in range(1, 6):
        a, b = p[7 + k], p[12 + k]
        s, o = math.sin(k * turn), math.cos(k * turn)
        c += a * o + b * s
        slope += k * p[6] * (b * o - a * s)
    return c, slope


@shared
def _flank(depth, rate, c, p):
    """Return the force of a flank, of tooth and oil. It never pulls. (T-20.15)"""
    if depth > 0.0:
        return max(0.0, c * depth + p[3] * rate)
    if rate > 0.0 and p[5] > 0.0:
        return p[3] * rate * math.exp(p[5] * depth / p[4])
    return 0.0


def _mesh_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    way, rate = p[0] * q[0] + p[1] * q[1], p[0] * u[0] + p[1] * u[1]
    c, slope = _stiffness(q[0], p)
    one, two = way - 0.5 * p[4], -way - 0.5 * p[4]
    force = _flank(one, rate, c, p) - _flank(two, -rate, c, p)
    depth = max(one, 0.0) + max(two, 0.0)
    # the torque that goes with a stiffness which turns: without it the mesh would create energy
    Q[0] = -p[0] * force - 0.5 * slope * depth * depth
    Q[1] = -p[1] * force


def _mesh_energy(t, r, A, v, Omega, q, u, x, p):
    way = p[0] * q[0] + p[1] * q[1]
    depth = max(way - 0.5 * p[4], 0.0) + max(-way - 0.5 * p[4], 0.0)
    return 0.5 * _stiffness(q[0], p)[0] * depth * depth


def _force_1(t, r, A, v, Omega, q, u, x, p):
    way, rate = p[0] * q[0] + p[1] * q[1], p[0] * u[0] + p[1] * u[1]
    return _flank(way - 0.5 * p[4], rate, _stiffness(q[0], p)[0], p)


def _force_2(t, r, A, v, Omega, q, u, x, p):
    way, rate = p[0] * q[0] + p[1] * q[1], p[0] * u[0] + p[1] * u[1]
    return _flank(-way - 0.5 * p[4], -rate, _stiffness(q[0], p)[0], p)


def _mesh_way(t, r, A, v, Omega, q, u, x, p):
    return p[0] * q[0] + p[1] * q[1]


def _mesh_loss(t, r, A, v, Omega, q, u, x, p):
    """Return damping force times rate; a flank cut off at zero gives up what it has stored."""
    way, rate = p[0] * q[0] + p[1] * q[1], p[0] * u[0] + p[1] * u[1]
    c = _stiffness(q[0], p)[0]
    one, two = way - 0.5 * p[4], -way - 0.5 * p[4]
    first = (_flank(one, rate, c, p) - c * max(one, 0.0)) * rate
    return first - (_flank(two, -rate, c, p) - c * max(two, 0.0)) * rate


def _radii(owner: str, radius_1: float, radius_2: float, internal: bool) -> tuple[float, float]:
    positive(owner, radius_1=radius_1, radius_2=radius_2)
    return radius_1, -radius_2 if internal else radius_2


def gear_mesh(
    name: str,
    first: Any,
    second: Any,
    *,
    radius_1: float,
    radius_2: float,
    stiffness: float | MeshStiffness,
    damping: float = 0.0,
    backlash: float,
    oil: float = 0.0,
    teeth: int = 0,
    phase: float = 0.0,
    internal: bool = False,
) -> ForceElement:
    """Return a mesh with a working and a back flank as a force element. (T-20.14)

    radius_1, radius_2   base radii [m]; the way is r_1 q_1 + r_2 q_2, internal r_1 q_1 - r_2 q_2
    stiffness, damping   of the teeth along the line of contact [N/m], [N s/m]
    backlash             play s along the line of contact [m]
    oil                  decay of the damping inside the backlash: d exp(-oil distance / backlash)
                         while the flanks approach; 0: no oil
    teeth, phase         of the first gear, and pitch coordinate at angle 0, of a MeshStiffness

    Channels: `way`, `force_1`, `force_2` (never negative), `loss`, `energy`, `power`. The step
    control finds the corners of the force; `gear_flanks` locates them as events.
    """
    owner = f"gear_mesh {name!r}"
    r_1, r_2 = _radii(owner, radius_1, radius_2, internal)
    positive(owner, backlash=backlash)
    not_negative(owner, damping=damping, oil=oil)
    given = stiffness if isinstance(stiffness, MeshStiffness) else MeshStiffness(float(stiffness))
    a, b = given._padded()
    if (any(a) or any(b)) and teeth < 1:
        raise ModelError(f"{owner}: a stiffness over the pitch needs the teeth of the first gear")
    parameters = {
        "radius_1": r_1, "radius_2": r_2, "stiffness": given.mean, "damping": damping,
        "backlash": backlash, "oil": oil, "teeth": float(teeth), "phase": phase,
    }  # fmt: skip
    parameters.update({f"cosine_{k + 1}": a[k] for k in range(ORDERS)})
    parameters.update({f"sine_{k + 1}": b[k] for k in range(ORDERS)})
    register()
    return ForceElement(
        name,
        coordinates=(coordinate(owner, first), coordinate(owner, second)),
        law=_mesh_law,
        parameters=parameters,
        energy=_mesh_energy,
        outputs={"way": _mesh_way, "force_1": _force_1, "force_2": _force_2, "loss": _mesh_loss},
    )


def gear_flanks(
    name: str,
    first: Any,
    second: Any,
    *,
    radius_1: float,
    radius_2: float,
    backlash: float,
    law: KelvinVoigt | None = None,
    eps_N: float = 0.0,
    eps_speed: float = 0.0,
    internal: bool = False,
    shift: float = 0.0,
) -> tuple[UserContact, UserContact]:
    """Return the two flanks of a mesh as contacts whose events are located.

    law     compliant teeth such as KelvinVoigt(c, d): contact begins where the gap closes and ends
            where the force vanishes, with the teeth still deflected
    eps_N   without a law: rigid teeth that hit each other, restitution by Newton's law (T-20.19)
    shift   way at zero angles

    The gaps are s / 2 - way and s / 2 + way with the way r_1 q_1 + r_2 q_2; the contacts are called
    name.1 and name.2 and have the channels gap, gamma_N, lam_N, Lambda_N and state.
    """
    owner = f"gear_flanks {name!r}"
    r_1, r_2 = _radii(owner, radius_1, radius_2, internal)
    positive(owner, backlash=backlash)
    axes = (coordinate(owner, first), coordinate(owner, second))
    way = float(shift)
    one, two = (
        UserContact(
            f"{name}.{k}",
            coordinates=axes,
            gap=0.5 * backlash - sign * way,
            normal=(-sign * r_1, -sign * r_2),
            eps_N=eps_N,
            eps_speed=eps_speed,
            law=law,
        )
        for k, sign in ((1, 1.0), (2, -1.0))
    )
    return one, two
