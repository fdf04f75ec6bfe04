"""Five bodies in a branched tree, its loop closed by a revolute joint or by a rod with mass.

The example tree of the semi-recursive formulation: body 5 on the ground, the branches
5-2-1 and 5-4-3 on it, numbered from the leaves to the root. `closure` is "tree" (open),
"revolute" (a revolute joint between the tips of bodies 1 and 3; all axes are then parallel, and
three of its five rows are redundant) or "rod" (a thin rod between the tips, removed from the
model as a body and kept with its exact inertia; the axes are skew).

The check repeats the formulation of the source by brute force in dense matrices: velocities of
the body points at the inertial origin, the path matrix T, inertias at the origin,
the rod's blocks a = m/3, b = m/6, and the loop by Lagrange multipliers. The source's forms
are corrected there: the sign of Qbar in (26), and b_i, d_i which it does not print. The source
gives the topology only; every number is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl
from cornerlaw.errors import UsageError
from cornerlaw.gallery.contract import (
    Check,
    Erratum,
    Reference,
    check_reference,
    compare,
    parameter,
)

TITLE = "Five-body tree with a loop"
TOPIC = "mechanisms"
SPEC: tuple[str, ...] = ("S1.1", "C1", "M1.4", "M1.6")
SOURCE = "Garcia de Jalon et al. 2005"
DOF = 4

Floats = NDArray[np.float64]
CLOSURES = ("tree", "revolute", "rod")
CARRIER = {5: 0, 2: 5, 1: 2, 4: 5, 3: 4}  # 0 is the ground, carriers first
PATHS = {1: (1, 2, 5), 2: (2, 5), 3: (3, 4, 5), 4: (4, 5), 5: (5,)}
ANGLES = {5: 0.3, 2: 0.5, 1: -0.9, 4: -0.4, 3: 0.7}
REVOLUTE_ANGLES = {5: 0.3, 2: -0.2, 1: -1.2}  # bodies 4 and 3 follow from the loop
SPEEDS = {5: 1.0, 2: -2.0, 1: 1.5, 4: 0.8, 3: -1.1}


@dataclass(frozen=True)
class Parameters:
    """A hub (body 5) with two equal arms of two links each."""

    closure: str = parameter("rod", "", "chosen: tree, revolute or rod")  # type: ignore[arg-type]
    hub: float = parameter(0.5, "m", "chosen: distance of the arms' joints from the hub's axis")
    inner: float = parameter(0.6, "m", "chosen: length of bodies 2 and 4")
    outer: float = parameter(0.5, "m", "chosen: length of bodies 1 and 3")
    hub_mass: float = parameter(3.0, "kg", "chosen: of the order of the arms")
    link_mass: float = parameter(1.2, "kg", "chosen: of each link")
    rod_mass: float = parameter(0.7, "kg", "chosen: heavy enough to matter")
    tilt: float = parameter(0.5, "rad", "chosen: angle of the arms' axes to z, skew to each other")
    gravity: float = parameter(9.81, "m/s^2", "chosen: along -y")


REFERENCE = {
    # local errors of 1e-10 over some hundred steps
    "energy drift": Reference(0.0, 1e-8, "no friction: drift over the largest kinetic energy"),
    "degrees of freedom, tree": Reference(5.0, 0.0, "Garcia de Jalon et al. 2005, fig. 4"),
    "degrees of freedom, revolute": Reference(3.0, 0.0, "five joints, two rows in the plane"),
    "degrees of freedom, rod": Reference(4.0, 0.0, "five joints, one row"),
}

ERRATA = (
    Erratum(
        "(26)",
        "the force on the reduced body with reversed sign",
        "D_i^T (Q_i - M_i e_i)",
        "with the printed sign it contradicts (25)",
    ),
    Erratum("b_i, d_i", "nothing", "derived in the check", "they are used and not printed"),
)

MUTATIONS: tuple[dict[str, float], ...] = (
    {"inner": 0.72},
    {"hub_mass": 3.6},
    {"rod_mass": 0.84},
    {"tilt": 0.6},
    {"gravity": 7.85},
)


def _axis(p: Parameters, body: int) -> tuple[float, float, float]:
    """Return the joint axis of a body in its carrier's frame."""
    tilt = 0.0 if p.closure == "revolute" or body == 5 else p.tilt
    # each arm leans its own way
    sign = {1: (0.0, -1.0), 2: (1.0, 0.0), 3: (-0.6, 0.8), 4: (0.0, 1.0), 5: (0.0, 0.0)}[body]
    return (
        float(np.sin(tilt) * sign[0]),
        float(np.sin(tilt) * sign[1]),
        float(np.cos(tilt)),
    )


def _place(p: Parameters, body: int) -> tuple[float, float, float]:
    """Return the joint's point in the carrier's frame."""
    side = {2: 1.0, 4: -1.0}.get(body)
    if body == 5:
        return (0.0, 0.0, 0.0)
    return (p.inner, 0.0, 0.0) if side is None else (0.1, side * p.hub, 0.0)


def _body(p: Parameters, body: int) -> tuple[float, Floats, Floats]:
    """Return mass, centre of mass and inertia tensor about it, in the body frame."""
    if body == 5:
        size = p.hub**2 * p.hub_mass
        return p.hub_mass, np.array([0.05, 0.0, 0.02]), size * np.diag([0.30, 0.12, 0.35])
    length = p.inner if body in (2, 4) else p.outer
    size = length**2 * p.link_mass
    return p.link_mass, np.array([0.5 * length, 0.03, -0.02]), size * np.diag([0.02, 0.09, 0.10])


def _links(p: Parameters) -> tuple[dict[int, cl.Body], list[cl.Joint]]:
    """Return bodies and tree joints; what the closed loop determines is left to the assembly."""
    angles = REVOLUTE_ANGLES if p.closure == "revolute" else ANGLES
    bodies: dict[int, cl.Body] = {}
    joints: list[cl.Joint] = []
    for i, carrier in CARRIER.items():
        mass, com, inertia = _body(p, i)
        bodies[i] = cl.Body(
            f"body_{i}", mass=mass, com=tuple(com), inertia=tuple(map(tuple, inertia))
        )
        free = i in angles if p.closure != "rod" else i != 3
        joints.append(
            cl.Revolute(
                f"joint_{i}",
                bodies[carrier] if carrier else cl.Ground(),
                bodies[i],
                at=_place(p, i),
                axis=_axis(p, i),
                angle=angles.get(i),
                speed=SPEEDS[i] if free else None,
            )
        )
    return bodies, joints


def build(p: Parameters) -> cl.Model:
    """Return the tree, open or closed between the tips of bodies 1 and 3."""
    if p.closure not in CLOSURES:
        raise UsageError(
            f"five-body-tree: closure must be one of {', '.join(CLOSURES)}, got {p.closure!r}"
        )
    bodies, joints = _links(p)
    tip = (p.outer, 0.0, 0.0)
    loop: list[cl.Part] = []
    if p.closure == "rod":
        loop.append(cl.Rod("rod", bodies[1], bodies[3], at=tip, at_second=tip, mass=p.rod_mass))
    elif p.closure == "revolute":
        loop.append(cl.Revolute("loop", bodies[1], bodies[3], at=tip, at_second=tip, closure=True))
    return cl.Model(*joints, *loop, gravity=(0.0, -p.gravity, 0.0), name="five-body-tree")


def build_with_thin_body(p: Parameters) -> cl.Model:
    """Return the tree with the rod as a real body: thin, on a universal and a spherical joint.

    The universal joint keeps the thin rod from spinning about itself, where it has no inertia.
    """
    bodies, joints = _links(p)
    tip = (p.outer, 0.0, 0.0)
    pose = _pose(p, {i: ANGLES[i] for i in CARRIER})
    ends = [pose[i][0] + pose[i][1] @ np.array(tip) for i in (1, 3)]
    length = float(np.linalg.norm(ends[1] - ends[0]))
    rod = cl.Body(
        "thin_rod",
        inertia=cl.inertia.rod(p.rod_mass, length, axis="x"),
        com=(0.5 * length, 0.0, 0.0),
    )
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    return cl.Model(
        *joints,
        cl.Universal("start", bodies[1], rod, at=tip, axes=axes),
        cl.Spherical("end", rod, bodies[3], at=(length, 0.0, 0.0), at_second=tip, closure=True),
        gravity=(0.0, -p.gravity, 0.0),
        name="five-body-tree with a thin body",
    )


def _skew(v: Floats) -> Floats:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _pose(p: Parameters, angles: dict[int, float]) -> dict[int, tuple[Floats, Floats, Floats]]:
    """Return origin, rotation and joint axis (world axes) of every body."""
    poses: dict[int, tuple[Floats, Floats, Floats]] = {}
    for i, carrier in CARRIER.items():
        r, A = poses[carrier][:2] if carrier else (np.zeros(3), np.eye(3))
        u = np.array(_axis(p, i))
        K = _skew(u)
        turn = np.eye(3) + np.sin(angles[i]) * K + (1.0 - np.cos(angles[i])) * K @ K
        poses[i] = r + A @ np.array(_place(p, i)), A @ turn, A @ u
    return poses


def dense_accelerations(p: Parameters, angles: Floats, speeds: Floats) -> tuple[Floats, Floats]:
    """Return joint accelerations (bodies 1 to 5) and joint-space inertia R_d^T T^T Mbar T R_d.

    Dense, from (26), (31), (59) of the source with the loop by multipliers.
    """
    order = (1, 2, 3, 4, 5)
    z, zd = dict(zip(order, angles, strict=True)), dict(zip(order, speeds, strict=True))
    pose = _pose(p, {i: float(z[i]) for i in order})
    omega = {0: np.zeros(3)}
    R_d, d = np.zeros((30, 5)), np.zeros(30)
    for i, carrier in CARRIER.items():
        r, _, u = pose[i]
        w_p, k = omega[carrier], 6 * (i - 1)
        omega[i] = w = w_p + u * zd[i]
        R_d[k : k + 6, i - 1] = np.concatenate([np.cross(r, u), u])
        turn = np.cross(w_p, u) * zd[i]
        shift = np.cross(w_p, np.cross(w_p, r)) - np.cross(w, np.cross(w, r))
        d[k : k + 6] = np.concatenate([np.cross(r, turn) + shift, turn])
    T = np.kron([[float(j in PATHS[i]) for j in order] for i in order], np.eye(6))
    mass, force = np.zeros((30, 30)), np.zeros(30)
    gravity = np.array([0.0, -p.gravity, 0.0])
    for i in order:
        m, com, tensor = _body(p, i)
        r, A, _ = pose[i]
        g, J, w = r + A @ com, A @ tensor @ A.T, omega[i]
        own_rows = slice(6 * i - 6, 6 * i)
        D = np.block([[np.eye(3), -_skew(g)], [np.zeros((3, 3)), np.eye(3)]])
        own = np.zeros((6, 6))
        own[:3, :3], own[3:, 3:] = m * np.eye(3), J
        e = np.concatenate([np.cross(w, np.cross(w, g)), np.zeros(3)])
        mass[own_rows, own_rows] += D.T @ own @ D
        force[own_rows] += D.T @ (np.concatenate([m * gravity, -np.cross(w, J @ w)]) - own @ e)
    ends = {i: pose[i][0] + pose[i][1] @ np.array([p.outer, 0.0, 0.0]) for i in (1, 3)}
    reach = {i: np.hstack([np.eye(3), -_skew(ends[i])]) for i in (1, 3)}
    bend = {i: np.cross(omega[i], np.cross(omega[i], ends[i])) for i in (1, 3)}
    if p.closure == "rod":
        a, b = p.rod_mass / 3.0, p.rod_mass / 6.0
        for i, j in ((1, 3), (3, 1)):
            here, there = slice(6 * i - 6, 6 * i), slice(6 * j - 6, 6 * j)
            mass[here, here] += a * reach[i].T @ reach[i]
            mass[here, there] += b * reach[i].T @ reach[j]
            force[here] += reach[i].T @ (0.5 * p.rod_mass * gravity - a * bend[i] - b * bend[j])
    R, bias = T @ R_d, T @ d
    inertia = R.T @ mass @ R
    right = R.T @ (force - mass @ bias)
    # velocity of tip 1 and tip 3 and their accelerations for zero joint accelerations
    jacobian = {i: reach[i] @ R[6 * i - 6 : 6 * i] for i in (1, 3)}
    left_over = {i: reach[i] @ bias[6 * i - 6 : 6 * i] + bend[i] for i in (1, 3)}
    apart = ends[1] - ends[3]
    rows, limits = np.zeros((0, 5)), np.zeros(0)
    if p.closure == "rod":
        rate = (jacobian[1] - jacobian[3]) @ speeds
        rows = (apart @ (jacobian[1] - jacobian[3]))[None, :]
        limits = -np.array([rate @ rate + apart @ (left_over[1] - left_over[3])])
    elif p.closure == "revolute":
        rows = (jacobian[1] - jacobian[3])[:2]
        limits = -(left_over[1] - left_over[3])[:2]
    n = rows.shape[0]
    whole = np.block([[inertia, rows.T], [rows, np.zeros((n, n))]])
    return np.linalg.solve(whole, np.concatenate([right, limits]))[:5], inertia


def simulate(p: Parameters = Parameters(), **options: Any) -> cl.Solution:
    """Run for one second."""
    options.setdefault("t_end", 1.0)
    options.setdefault("t_eval", np.linspace(0.0, options["t_end"], 101))
    options.setdefault("method", cl.RungeKutta8(rtol=1e-10, atol=1e-12))
    return cl.simulate(build(p), **options)


def _joint_columns(sol: cl.Solution, quantity: str) -> Floats:
    return np.column_stack([sol[f"joint_{i}.{quantity}"] for i in (1, 2, 3, 4, 5)])


def check(sol: cl.Solution, p: Parameters) -> list[Check]:
    """Compare accelerations with the dense path-matrix form, and the rod with a thin body."""
    angles, speeds = _joint_columns(sol, "angle"), _joint_columns(sol, "speed")
    found = _joint_columns(sol, "speed_rate")
    dense = np.array(
        [dense_accelerations(p, z, zd)[0] for z, zd in zip(angles, speeds, strict=True)]
    )
    error = np.max(np.abs(found - dense)) / np.max(np.abs(dense))
    energy, kinetic = sol["energy.total"], sol["energy.kinetic"]
    drift = float(np.max(np.abs(energy - energy[0]))) / float(np.max(kinetic))
    mobility = float(build(p).describe().degrees_of_freedom)
    expected = REFERENCE[f"degrees of freedom, {p.closure}"]
    checks = [
        # two ways through the same numbers: rounding
        compare("accelerations, dense path matrix", float(error), 0.0, 1e-10),
        check_reference("energy drift", drift, REFERENCE),
        compare("degrees of freedom", mobility, expected.value, expected.tolerance),
    ]
    if p.closure == "rod":
        times = np.array([0.0, 1e-9])
        thin = cl.simulate(build_with_thin_body(p), 1e-9, t_eval=times)
        other = _joint_columns(thin, "speed_rate")[0]
        far = float(np.max(np.abs(found[0] - other)) / np.max(np.abs(other)))
        checks.append(compare("accelerations, rod as a thin body", far, 0.0, 1e-10))
    return checks


def show(sol: cl.Solution) -> Any:
    """Draw the joint angles and the energies."""
    from cornerlaw.plots import plot

    names = [f"joint_{i}.angle" for i in (1, 2, 3, 4, 5)]
    return plot(sol, *names, "energy.kinetic", "energy.potential", title=TITLE)
