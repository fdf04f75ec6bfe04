# mypy: allow-untyped-defs, allow-untyped-calls
"""Shafts: a torsion spring and damper, a row of lumps, or torsion modes of a continuous bar."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cornerlaw.drives._names import coordinate, not_negative, positive
from cornerlaw.errors import ModelError
from cornerlaw.model import ForceElement, LagrangianSystem, Part, Rotor


def _twist_law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    moment = p[0] * (q[0] - p[2] * q[1] - p[3]) + p[1] * (u[0] - p[2] * u[1])
    Q[0] = -moment
    Q[1] = p[2] * moment


def _twist_energy(t, r, A, v, Omega, q, u, x, p):
    return 0.5 * p[0] * (q[0] - p[2] * q[1] - p[3]) ** 2


def _twist_torque(t, r, A, v, Omega, q, u, x, p):
    return p[0] * (q[0] - p[2] * q[1] - p[3]) + p[1] * (u[0] - p[2] * u[1])


def _twist_loss(t, r, A, v, Omega, q, u, x, p):
    return p[1] * (u[0] - p[2] * u[1]) ** 2


def shaft(
    name: str,
    first: Any,
    second: Any,
    *,
    stiffness: float,
    damping: float = 0.0,
    ratio: float = 1.0,
    rest: float = 0.0,
) -> ForceElement:
    """Return a torsion spring and damper between two axes. (T-20.11)

    stiffness, damping   [N m/rad], [N m s/rad], as felt at the first axis
    ratio                of a gear in it: the twist is q_first - ratio q_second - rest

    Channels: `torque` that holds the first axis back, `loss`, `energy`, `power`.
    """
    owner = f"shaft {name!r}"
    not_negative(owner, stiffness=stiffness, damping=damping)
    return ForceElement(
        name,
        coordinates=(coordinate(owner, first), coordinate(owner, second)),
        law=_twist_law,
        parameters={"stiffness": stiffness, "damping": damping, "ratio": ratio, "rest": rest},
        energy=_twist_energy,
        outputs={"torque": _twist_torque, "loss": _twist_loss},
    )


def lehr_damping(lehr: float, stiffness: float, first: float, second: float) -> float:
    """Return the damping of a spring between two inertias from Lehr's ratio.

    d = 2 D sqrt(c J) with the reduced inertia J = J_1 J_2 / (J_1 + J_2).
    """
    not_negative("lehr_damping", lehr=lehr, stiffness=stiffness)
    positive("lehr_damping", first=first, second=second)
    return 2.0 * lehr * math.sqrt(stiffness * first * second / (first + second))


def lumped_shaft(
    name: str, *, inertia: float, stiffness: float, lumps: int, damping: float = 0.0
) -> tuple[Part, ...]:
    """Return a bar as equal lumps with equal springs between them, free at both ends. (T-20.12)

    inertia, stiffness   of the whole bar, rho I_p l and G I_p / l
    damping              of the whole bar, d of the bar held at one end

    The lumps are called name.1 to name.n, the springs name.1-2 and so on. Lumps at the ends are as
    heavy as the others, so that they stand for pieces of the length l / n.
    """
    owner = f"lumped_shaft {name!r}"
    if lumps < 2:
        raise ModelError(f"{owner}: lumps must be at least 2, got {lumps}")
    positive(owner, inertia=inertia, stiffness=stiffness)
    rotors = [Rotor(f"{name}.{k + 1}", inertia=inertia / lumps) for k in range(lumps)]
    springs = [
        shaft(
            f"{name}.{k + 1}-{k + 2}",
            rotors[k],
            rotors[k + 1],
            stiffness=stiffness * lumps,
            damping=damping * lumps,
        )
        for k in range(lumps - 1)
    ]
    return (*rotors, *springs)


def modal_shaft(
    name: str,
    *,
    inertia: float,
    stiffness: float,
    modes: int,
    first: float = 0.0,
    second: float = 0.0,
    lehr: float = 0.0,
) -> tuple[LagrangianSystem, ForceElement]:
    """Return a continuous bar by the angles of its ends and its torsion modes. (T-20.13)

    inertia, stiffness   of the whole bar, rho I_p l and G I_p / l
    modes                shapes sin(i pi z / l) between the ends, i = 1 to modes; 0: the linear
                         shape alone, with its consistent inertia
    first, second        inertias of discs at the ends
    lehr                 damping ratio of every mode

    The inertia is called name, with the coordinates "name.first" and "name.second", the ends, and
    "name.q1" and so on; stiffness and damping are name.twist, with the channels `loss`, `energy`.
    """
    owner = f"modal_shaft {name!r}"
    positive(owner, inertia=inertia, stiffness=stiffness)
    not_negative(owner, lehr=lehr, first=first, second=second)
    if modes < 0:
        raise ModelError(f"{owner}: modes must be at least 0, got {modes}")
    n = modes + 2
    order = np.arange(1, modes + 1)
    M, K, D = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    M[:2, :2] = inertia / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]]) + np.diag([first, second])
    K[:2, :2] = stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])
    J = 0.5 * (inertia / 3.0 + min(first, second))
    D[:2, :2] = 2.0 * lehr * math.sqrt(J / stiffness) * K[:2, :2]
    for i in order:
        k = i + 1
        M[0, k] = M[k, 0] = inertia / (i * math.pi)
        M[1, k] = M[k, 1] = inertia / (i * math.pi) * (-1.0) ** (i + 1)
        M[k, k] = 0.5 * inertia
        K[k, k] = 0.5 * stiffness * (i * math.pi) ** 2
        D[k, k] = 2.0 * lehr * math.sqrt(K[k, k] * M[k, k])
    names = ("first", "second", *(f"q{i}" for i in order))
    bar = LagrangianSystem(name, M=M.tolist(), q0=(0.0,) * n, coordinates=names)
    return bar, _matrices(f"{name}.twist", tuple(f"{name}.{key}" for key in names), K, D)


def _matrices(name: str, coordinates: tuple[str, ...], K: Any, D: Any) -> ForceElement:
    """Return the forces -K q - D u on some coordinates; both matrices are parameters."""
    n = len(coordinates)

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        for i in range(n):
            for j in range(n):
                Q[i] -= p[n * i + j] * q[j] + p[n * (n + i) + j] * u[j]

    def energy(t, r, A, v, Omega, q, u, x, p):
        total = 0.0
        for i in range(n):
            for j in range(n):
                total += 0.5 * q[i] * p[n * i + j] * q[j]
        return total

    def loss(t, r, A, v, Omega, q, u, x, p):
        total = 0.0
        for i in range(n):
            for j in range(n):
                total += u[i] * p[n * (n + i) + j] * u[j]
        return total

    parameters = {f"{key}_{i}_{j}": float(matrix[i, j]) for key, matrix in (("K", K), ("D", D))
                  for i in range(n) for j in range(n)}  # fmt: skip
    return ForceElement(
        name, coordinates=coordinates, law=law, parameters=parameters, energy=energy,
        outputs={"loss": loss},
    )  # fmt: skip
