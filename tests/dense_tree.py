"""Random trees of bodies, described twice: as a model, and as a dense Newton-Euler reference.

The reference knows nothing of the kernels. Along a motion q(t) with given rates every pose is a
Taylor polynomial of degree two in time, composed link by link from the definition of the joints:

    R_second = R_first Q(q) O,    r_second + R_second at_second = r_first + R_first (at + d(q))

Its first derivatives for unit rates are the Jacobian, its second derivatives for the true rates the
velocity-dependent accelerations. All in extended precision, so that the comparison shows the error
of the kernels and not that of the reference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

import cornerlaw as cl

Real = np.longdouble
EYE = np.eye(3, dtype=Real)

COORDINATES: dict[str, tuple[str, ...]] = {
    "Revolute": ("angle",),
    "Prismatic": ("displacement",),
    "Screw": ("angle",),
    "Cylindrical": ("angle", "displacement"),
    "Universal": ("angle_1", "angle_2"),
    "Spherical": ("rotation_x", "rotation_y", "rotation_z"),
    "PlanarJoint": ("position_x", "position_y", "angle"),
    "FreeJoint": (
        *("position_x", "position_y", "position_z"),
        *("rotation_x", "rotation_y", "rotation_z"),
    ),
    "Weld": (),
    "Translation": ("position_x", "position_y", "position_z"),
    "UserJoint": ("q1", "q2"),
    "Point": ("position_x", "position_y", "position_z"),
    "Loose": (
        *("position_x", "position_y", "position_z"),
        *("rotation_x", "rotation_y", "rotation_z"),
    ),
    "MovingFrame": (),
}
PLANAR_KINDS = ("Revolute", "Prismatic", "PlanarJoint", "Weld", "Translation")
JOINT_KINDS = tuple(k for k in COORDINATES if k not in ("Point", "Loose", "MovingFrame"))
# single motions that a massless body may have below and above it without losing its inertia
STIFF_KINDS = ("Revolute", "Prismatic", "Screw")


def drive_sine(t: float) -> float:
    """A driven motion; its derivatives stand in DRIVES."""
    return 0.4 * math.sin(3.0 * t) + 0.2 * t


def drive_power(t: float) -> float:
    """A driven motion of another kind."""
    return 0.1 * t**3 - 0.3 * t * t + 0.5


KNOTS = (-1.0, 0.2, 0.9, 1.7, 3.0)
VALUES = (0.3, -0.2, 0.5, 0.1, 0.4)
DRIVES: dict[str, tuple[Any, Any]] = {
    "sine": (
        drive_sine,
        lambda t: (
            0.4 * math.sin(3.0 * t) + 0.2 * t,
            1.2 * math.cos(3.0 * t) + 0.2,
            -3.6 * math.sin(3.0 * t),
        ),
    ),
    "power": (
        drive_power,
        lambda t: (0.1 * t**3 - 0.3 * t * t + 0.5, 0.3 * t * t - 0.6 * t, 0.6 * t - 0.6),
    ),
    "table": (
        cl.Table(KNOTS, VALUES, kind="cubic"),
        lambda t: tuple(float(CubicSpline(KNOTS, VALUES)(t, k)) for k in range(3)),
    ),
}


def user_kinematics(q, u):  # type: ignore[no-untyped-def]
    """A user joint: R = Rz(q1) Rx(q2), d = (b cos q1, b sin q1, c q1 q2)."""
    b, c = 0.3, 0.2
    s0, c0, s1, c1 = np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])
    R = np.array([[c0, -s0 * c1, s0 * s1], [s0, c0 * c1, -c0 * s1], [0.0, s1, c1]])
    d = np.array([b * c0, b * s0, c * q[0] * q[1]])
    S = np.zeros((6, 2))
    S[0, 0], S[1, 0], S[2, 0] = -b * s0, b * c0, c * q[1]
    S[2, 1] = c * q[0]
    S[5, 0] = 1.0
    S[3, 1], S[4, 1] = c0, s0
    bias = np.zeros(6)
    bias[0], bias[1] = -b * c0 * u[0] * u[0], -b * s0 * u[0] * u[0]
    bias[2] = 2.0 * c * u[0] * u[1]
    bias[3], bias[4] = -s0 * u[0] * u[1], c0 * u[0] * u[1]
    return R, d, S, bias


@dataclass
class Link:
    """One body and what carries it; parent is the index of a link, -1 the ground."""

    body: str
    joint: str
    kind: str
    parent: int
    reverse: bool
    at: Any
    at_second: Any
    orientation: Any
    axis: Any
    second_axis: Any
    pitch: float
    mass: float
    com: Any
    inertia: Any
    armature: float
    ratio: float
    drives: dict[str, str] = field(default_factory=dict)
    locked: dict[str, float] = field(default_factory=dict)
    torques: dict[str, float] = field(default_factory=dict)
    force: Any = None  # vector, point, axes
    moment: Any = None  # vector, axes
    q: Any = None
    u: Any = None

    @property
    def part(self) -> str:
        """The name under which the coordinates are known."""
        return self.body if self.kind in ("Point", "Loose") else self.joint


@dataclass
class RandomTree:
    """Links, parents first, gravity, dimension and the time of the state."""

    links: list[Link]
    gravity: Any
    dim: int
    t: float


def random_rotation(rng: np.random.Generator) -> Any:
    """Return a random rotation matrix."""
    e = rng.normal(size=4)
    return quaternion_matrix(e / np.linalg.norm(e)).astype(float)


def quaternion_matrix(e: Any) -> Any:
    """Return the matrix of a unit quaternion: R = (e0^2 - e.e) E + 2 e e^T + 2 e0 e~."""
    e = np.asarray(e, dtype=Real)
    v = e[1:]
    return (e[0] ** 2 - v @ v) * EYE + 2.0 * np.outer(v, v) + 2.0 * e[0] * skew(v)


def skew(a: Any) -> Any:
    """Return a~ with a~ b = a x b, for one vector or a batch."""
    a = np.asarray(a)
    out = np.zeros((*a.shape[:-1], 3, 3), dtype=Real)
    out[..., 0, 1], out[..., 0, 2] = -a[..., 2], a[..., 1]
    out[..., 1, 0], out[..., 1, 2] = a[..., 2], -a[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -a[..., 1], a[..., 0]
    return out


def axial(A: Any) -> Any:
    """Return the vector of a skew matrix."""
    return np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], axis=-1)


def random_tree(
    seed: int, n: int, *, dim: int = 3, kinds: tuple[str, ...] | None = None
) -> RandomTree:
    """Return a random tree of n bodies with its state; the same for the same seed."""
    rng = np.random.default_rng(seed)
    pool = kinds or (PLANAR_KINDS if dim == 2 else JOINT_KINDS)
    links: list[Link] = []
    if dim == 3 and kinds is None and seed % 5 == 0:
        links.append(_link(rng, len(links), "MovingFrame", -1, dim, massless=True))
    must_be_stiff = False
    start = len(links)
    for k in range(n):
        i = len(links)
        if must_be_stiff:
            parent, kind = (
                i - 1,
                str(rng.choice([*STIFF_KINDS, "Weld"] if dim == 3 else ["Prismatic"])),
            )
        else:
            # chains with branches: mostly the last body, else any
            parent = i - 1 if rng.random() < 0.6 else int(rng.integers(-1, i))
            if kinds is None and dim == 3 and rng.random() < 0.06:
                kind, parent = str(rng.choice(["Point", "Loose"])), -1
            else:
                kind = str(pool[k % len(pool)] if k < len(pool) else rng.choice(pool))
            while parent >= 0 and links[parent].kind == "Point":
                parent -= 1
        # inertia must follow outboard, and not every motion can do without its own
        massless = (
            not must_be_stiff
            and k < n - 1
            and kind in (STIFF_KINDS if dim == 3 else ("Revolute",))
            and rng.random() < 0.3
        )
        links.append(_link(rng, i, kind, parent, dim, massless))
        must_be_stiff = massless
    for link in links[start:]:
        _load(rng, link, dim)
    gravity = rng.normal(size=3) * 5.0
    if dim == 2:
        gravity[2] = 0.0
    return RandomTree(links, gravity, dim, float(rng.uniform(0.1, 1.5)))


def _unit(rng: np.random.Generator, dim: int) -> Any:
    a = rng.normal(size=3)
    if dim == 2:
        a[2] = 0.0
    return a / np.linalg.norm(a)


def _link(
    rng: np.random.Generator, i: int, kind: str, parent: int, dim: int, massless: bool
) -> Link:
    def point() -> Any:
        p = rng.normal(size=3) * 0.5
        return np.array([p[0], p[1], 0.0]) if dim == 2 else p

    bare = kind in ("Point", "Loose", "MovingFrame")
    mass = 0.0 if massless else float(rng.uniform(0.5, 2.0))
    # moments of inertia of a cloud of points: positive definite and within the triangle inequality
    cloud = rng.normal(size=(5, 3)) * 0.4
    inertia = mass / 5.0 * (np.sum(cloud**2) * np.eye(3) - cloud.T @ cloud)
    if dim == 2:
        inertia = np.diag([0.0, 0.0, inertia[2, 2]])
    if kind == "Point":
        inertia = np.zeros((3, 3))
    axis = _unit(rng, dim)
    if kind in ("Revolute", "PlanarJoint") and (dim == 2 or rng.random() < 0.3):
        axis = np.array([0.0, 0.0, 1.0])
    second = np.cross(axis, _unit(rng, 3))
    turn = float(rng.uniform(-3.0, 3.0))
    orientation = np.eye(3)
    if not bare and rng.random() < 0.7:
        orientation = rotation_about((0.0, 0.0, 1.0), turn) if dim == 2 else random_rotation(rng)
    plain = bare or (dim == 3 and rng.random() < 0.2)
    names = COORDINATES[kind][: 2 if kind == "Translation" and dim == 2 else None]
    single = len(names) == 1 and not bare
    link = Link(
        body=f"body{i}",
        joint=f"joint{i}",
        kind=kind,
        parent=parent,
        reverse=bool(not bare and rng.random() < 0.3),
        at=np.zeros(3) if bare else point(),
        at_second=np.zeros(3) if plain else point(),
        orientation=orientation,
        axis=axis,
        second_axis=second / np.linalg.norm(second),
        pitch=float(rng.uniform(0.05, 0.3)),
        mass=mass,
        com=np.zeros(3) if massless or kind == "Point" else point(),
        inertia=inertia,
        armature=float(rng.uniform(0.0, 0.5)) if single and rng.random() < 0.4 else 0.0,
        ratio=float(rng.uniform(0.5, 2.0)),
    )
    n_q = len(names) + (1 if any(name.startswith("rotation") for name in names) else 0)
    link.q = rng.uniform(-1.5, 1.5, size=n_q)
    if n_q > len(names):
        link.q[-4:] = rng.normal(size=4)
        link.q[-4:] /= np.linalg.norm(link.q[-4:])
    link.u = rng.normal(size=len(names)) * 1.5
    if not massless and not bare:
        for name in names:
            if name.startswith(("rotation", "position")):
                continue
            chance = rng.random()
            if chance < 0.08:
                link.drives[name] = str(rng.choice(list(DRIVES)))
            elif chance < 0.14:
                link.locked[name] = float(rng.uniform(-1.0, 1.0))
    return link


def _load(rng: np.random.Generator, link: Link, dim: int) -> None:
    """Choose applied forces; vectors without a component out of the plane in planar trees."""
    flat = np.array([1.0, 1.0, 0.0]) if dim == 2 else np.ones(3)
    for name in names_of(link, dim):
        movable = name not in link.drives and name not in link.locked
        if movable and not name.startswith(("rotation", "position")) and link.kind != "Loose":
            link.torques[name] = float(rng.normal() * 3.0)
    if rng.random() < 0.5:
        axes = str(rng.choice(["world", "body"]))
        at = np.zeros(3) if link.kind == "Point" else rng.normal(size=3) * 0.4 * flat
        link.force = (rng.normal(size=3) * 4.0 * flat, at, axes)
    if link.kind != "Point" and rng.random() < 0.3:
        value = rng.normal(size=3) * 2.0 * (1.0 - flat if dim == 2 else flat)
        link.moment = (value, str(rng.choice(["world", "body"])))


def names_of(link: Link, dim: int) -> tuple[str, ...]:
    """Return the names of the velocities of a link."""
    names = COORDINATES[link.kind]
    return names[:2] if link.kind == "Translation" and dim == 2 else names


def rotation_about(axis: Any, angle: float) -> Any:
    """Return the rotation matrix about a unit vector."""
    K = skew(np.asarray(axis, dtype=float))
    return (EYE + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K).astype(float)


# the model


def build_model(
    tree: RandomTree, *, rename: dict[str, str] | None = None, order: Any = None
) -> cl.Model:
    """Return the tree as a model; `rename` maps names, `order` permutes all parts."""
    called = (rename or {}).get
    dim, ground = tree.dim, cl.Ground()
    cut = lambda v: tuple(float(x) for x in v[:dim])  # noqa: E731
    bodies: list[Any] = []
    parts: list[Any] = []
    for link in tree.links:
        name = called(link.body, link.body)
        if link.kind == "MovingFrame":
            bodies.append(_moving_frame(name))
        elif link.kind == "Point":
            bodies.append(cl.PointMass(name, mass=link.mass))
        else:
            inertia: Any = float(link.inertia[2, 2]) if dim == 2 else link.inertia.tolist()
            if link.mass == 0.0:
                inertia = None
            bodies.append(cl.Body(name, mass=link.mass, inertia=inertia, com=cut(link.com)))
    for link, body in zip(tree.links, bodies, strict=True):
        parts.append(body)
        target = body
        if link.kind not in ("Point", "Loose", "MovingFrame"):
            parent = ground if link.parent < 0 else bodies[link.parent]
            joint = _joint(link, called(link.joint, link.joint), parent, body, dim)
            parts.append(joint)
            for coordinate, value in link.torques.items():
                where = coordinate if len(COORDINATES[link.kind]) > 1 else None
                parts.append(
                    cl.Torque(f"{joint.name}_{coordinate}", joint, value=value, coordinate=where)
                )
        if link.force is not None:
            value, at, axes = link.force
            parts.append(
                cl.Force(f"{target.name}_force", target, value=cut(value), at=cut(at), axes=axes)
            )
        if link.moment is not None:
            value, axes = link.moment
            moment: Any = float(value[2]) if dim == 2 else cut(value)
            parts.append(cl.Torque(f"{target.name}_moment", target, value=moment, axes=axes))
    if order is not None:
        parts = [parts[k] for k in order(len(parts))]
    return cl.Model(*parts, gravity=cut(tree.gravity))


def _moving_frame(name: str) -> cl.MovingFrame:
    return cl.MovingFrame(
        name,
        position=(drive_sine, drive_power, 0.3),
        angles=(drive_power, drive_sine, DRIVES["table"][0]),
    )


def _joint(link: Link, name: str, parent: Any, body: Any, dim: int) -> Any:
    cut = lambda v: tuple(float(x) for x in v[:dim])  # noqa: E731
    first, second = (body, parent) if link.reverse else (parent, body)
    options: dict[str, Any] = {"at": cut(link.at), "at_second": cut(link.at_second)}
    if dim == 2:
        O = link.orientation
        options["orientation"] = math.atan2(O[1, 0], O[0, 0])
    else:
        options["orientation"] = link.orientation.tolist()
    if link.armature:
        options |= {"armature": link.armature, "ratio": link.ratio}
    kind = link.kind
    if kind in ("Screw", "Cylindrical") or (kind == "Revolute" and dim == 3):
        options["axis"] = tuple(link.axis)
    elif kind == "Prismatic":
        options["axis"] = cut(link.axis)
    elif kind == "Universal":
        options["axes"] = (tuple(link.axis), tuple(link.second_axis))
    elif kind == "PlanarJoint" and dim == 3:
        options["normal"] = tuple(link.axis)
    elif kind == "UserJoint":
        options |= {"kinematics": user_kinematics, "n": 2}
    if kind == "Screw":
        options["pitch"] = link.pitch
    if link.drives:
        options["drive"] = {key: DRIVES[value][0] for key, value in link.drives.items()}
    if link.locked:
        options["locked"] = tuple(link.locked)
        if kind == "UserJoint":
            q0 = [0.0, 0.0]
            for key, value in link.locked.items():
                q0[COORDINATES[kind].index(key)] = value
            options["q0"] = tuple(q0)
        else:
            options |= link.locked
    return getattr(cl, kind)(name, first, second, **options)


# the reference


@dataclass
class Dense:
    """What the reference knows: accelerations by (part, coordinate), and the matrices behind."""

    keys: list[tuple[int, str]]  # link and coordinate of every velocity
    u_dot: Any
    M: Any  # with armature, prescribed velocities included
    tau: Any  # what the joints supply: M u_dot + h - applied wrenches
    J: Any  # (nu, n_links, 6) velocity of the centre of mass and angular velocity
    free: Any


def solve_dense(tree: RandomTree) -> Dense:
    """Return the accelerations by a dense solve of J^T (M_b J u_dot + ...) = tau."""
    keys = [(i, name) for i, link in enumerate(tree.links) for name in names_of(link, tree.dim)]
    nu = len(keys)
    index = {key: k for k, key in enumerate(keys)}
    state_q = [np.array(link.q, dtype=Real) for link in tree.links]
    u, given = np.zeros(nu, dtype=Real), np.zeros(nu, dtype=Real)
    free = np.ones(nu, dtype=bool)
    for i, link in enumerate(tree.links):
        for k, name in enumerate(names_of(link, tree.dim)):
            j = index[i, name]
            u[j] = link.u[k]
            if name in link.drives:
                state_q[i][k], u[j], given[j] = DRIVES[link.drives[name]][1](tree.t)
                free[j] = False
            elif name in link.locked:
                state_q[i][k], u[j] = link.locked[name], 0.0
                free[j] = False
    # one column per unit rate, then the true rates with the prescribed accelerations
    rates = np.vstack([np.eye(nu, dtype=Real), u])
    accelerations = np.vstack([np.zeros((nu, nu), dtype=Real), given])
    poses: list[Any] = []
    J = np.zeros((nu, len(tree.links), 6), dtype=Real)
    bias = np.zeros((len(tree.links), 6), dtype=Real)
    for i, link in enumerate(tree.links):
        columns = [index[i, name] for name in names_of(link, tree.dim)]
        relative = _relative(link, state_q[i], rates[:, columns], accelerations[:, columns], tree)
        ground = (_constant(EYE, nu + 1), _constant(np.zeros(3, dtype=Real), nu + 1))
        R, r = _compose(link, relative, poses[link.parent] if link.parent >= 0 else ground)
        poses.append((R, r))
        if link.kind == "MovingFrame":
            # its motion is no column of the Jacobian
            for level in (1, 2):
                R[level][:nu], r[level][:nu] = 0.0, 0.0
        centre = [r[k] + R[k] @ link.com.astype(Real) for k in range(3)]
        Omega = axial(R[1] @ np.swapaxes(R[0], -1, -2))
        alpha = axial(R[2] @ np.swapaxes(R[0], -1, -2) + R[1] @ np.swapaxes(R[1], -1, -2))
        J[:, i, :3], J[:, i, 3:] = centre[1][:nu], Omega[:nu]
        bias[i, :3], bias[i, 3:] = centre[2][nu], alpha[nu]
    return _solve(tree, keys, free, u, given, poses, J, bias)


def _solve(
    tree: RandomTree, keys: Any, free: Any, u: Any, given: Any, poses: Any, J: Any, bias: Any
) -> Dense:
    nu = len(keys)
    M, h, Q = np.zeros((nu, nu), dtype=Real), np.zeros(nu, dtype=Real), np.zeros(nu, dtype=Real)
    for i, link in enumerate(tree.links):
        R, _ = poses[i]
        A, Omega = R[0][0], axial(R[1][nu] @ R[0][0].T)
        inertia = A @ link.inertia.astype(Real) @ A.T
        v, w = J[:, i, :3], J[:, i, 3:]
        M += link.mass * v @ v.T + w @ inertia @ w.T
        h += v @ (link.mass * (bias[i, :3] - tree.gravity))
        h += w @ (inertia @ bias[i, 3:] + np.cross(Omega, inertia @ Omega))
        if link.force is not None:
            value, at, axes = link.force
            F = A @ value if axes == "body" else value
            h -= v @ F + w @ np.cross(A @ (at - link.com), F)
        if link.moment is not None:
            value, axes = link.moment
            h -= w @ (A @ value if axes == "body" else value)
    for k, (i, name) in enumerate(keys):
        link = tree.links[i]
        M[k, k] += link.armature * link.ratio**2
        h[k] += link.armature * link.ratio**2 * given[k]  # its acceleration is part of the bias
        Q[k] = link.torques.get(name, 0.0)
    u_dot = given.copy()
    f = np.flatnonzero(free)
    u_dot[f] = solve_spd(M[np.ix_(f, f)], Q[f] - h[f])
    tau = h + M[:, f] @ u_dot[f]
    return Dense(keys, u_dot, M, tau, J, free)


def solve_spd(M: Any, b: Any) -> Any:
    """Solve by Cholesky in extended precision, which LAPACK does not offer."""
    n = len(b)
    L, y = np.array(M, dtype=Real), np.array(b, dtype=Real)
    for k in range(n):
        L[k, k] = np.sqrt(L[k, k] - L[k, :k] @ L[k, :k])
        L[k + 1 :, k] = (L[k + 1 :, k] - L[k + 1 :, :k] @ L[k, :k]) / L[k, k]
    for k in range(n):
        y[k] = (y[k] - L[k, :k] @ y[:k]) / L[k, k]
    for k in range(n - 1, -1, -1):
        y[k] = (y[k] - L[k + 1 :, k] @ y[k + 1 :]) / L[k, k]
    return y


def _constant(value: Any, n: int) -> list[Any]:
    full = np.broadcast_to(value, (n, *value.shape)).copy()
    return [full, np.zeros_like(full), np.zeros_like(full)]


def _product(a: list[Any], b: list[Any]) -> list[Any]:
    """Return the product of two series of matrices, or of a matrix and vectors."""
    times = (lambda x, y: x @ y) if b[0].ndim == 3 else (lambda x, y: (x @ y[..., None])[..., 0])
    return [
        times(a[0], b[0]),
        times(a[1], b[0]) + times(a[0], b[1]),
        times(a[2], b[0]) + 2.0 * times(a[1], b[1]) + times(a[0], b[2]),
    ]


def _plus(a: list[Any], b: list[Any], sign: float = 1.0) -> list[Any]:
    return [x + sign * y for x, y in zip(a, b, strict=True)]


def _turn(axis: Any, q: Any, u: Any, a: Any) -> list[Any]:
    """Return the series of a rotation about a fixed axis."""
    K = skew(np.asarray(axis, dtype=Real))
    K2 = K @ K
    first, second = np.cos(q) * K + np.sin(q) * K2, -np.sin(q) * K + np.cos(q) * K2
    u, a = u[:, None, None], a[:, None, None]
    value = EYE + np.sin(q) * K + (1.0 - np.cos(q)) * K2
    return [np.broadcast_to(value, (len(u), 3, 3)), u * first, a * first + u * u * second]


def _swing(e: Any, u: Any, a: Any) -> list[Any]:
    """Return the series of R with R' = R u~: R'' = R (u~ u~ + a~)."""
    R, W = quaternion_matrix(e), skew(u)
    return [np.broadcast_to(R, W.shape), R @ W, R @ (W @ W + skew(a))]


def _along(axis: Any, q: Any, u: Any, a: Any) -> list[Any]:
    axis = np.asarray(axis, dtype=Real)
    return [np.broadcast_to(q * axis, (len(u), 3)), u[:, None] * axis, a[:, None] * axis]


def _in_plane(normal: Any, dim: int) -> tuple[Any, Any]:
    """Return x and y of a planar joint: x is the base axis least along the normal, made normal."""
    if dim == 2 or normal[2] == 1.0:
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    x = np.zeros(3)
    x[int(np.argmin(np.abs(normal)))] = 1.0
    x = x - normal * (normal @ x)
    x /= np.linalg.norm(x)
    return x, np.cross(normal, x)


def _relative(link: Link, q: Any, u: Any, a: Any, tree: RandomTree) -> tuple[Any, Any]:
    """Return the series of rotation and displacement of the second joint frame in the first."""
    n = len(u)
    R, d = _constant(EYE, n), _constant(np.zeros(3, dtype=Real), n)
    kind, axis = link.kind, link.axis
    if kind == "MovingFrame":
        return _frame_motion(tree.t, n)
    if kind in ("Revolute", "Screw", "Cylindrical"):
        R = _turn(axis, q[0], u[:, 0], a[:, 0])
    if kind == "Screw":
        d = _along(link.pitch * axis, q[0], u[:, 0], a[:, 0])
    elif kind == "Cylindrical":
        d = _along(axis, q[1], u[:, 1], a[:, 1])
    elif kind == "Prismatic":
        d = _along(axis, q[0], u[:, 0], a[:, 0])
    elif kind == "Universal":
        R = _product(
            _turn(axis, q[0], u[:, 0], a[:, 0]), _turn(link.second_axis, q[1], u[:, 1], a[:, 1])
        )
    elif kind == "Spherical":
        R = _swing(q, u, a)
    elif kind == "PlanarJoint":
        x, y = _in_plane(axis, tree.dim)
        R = _turn(axis, q[2], u[:, 2], a[:, 2])
        d = _plus(_along(x, q[0], u[:, 0], a[:, 0]), _along(y, q[1], u[:, 1], a[:, 1]))
    elif kind in ("FreeJoint", "Loose", "Translation", "Point"):
        for k in range(min(3, u.shape[1])):
            d = _plus(d, _along(np.eye(3)[k], q[k], u[:, k], a[:, k]))
        if kind in ("FreeJoint", "Loose"):
            R = _swing(q[3:], u[:, 3:], a[:, 3:])
    elif kind == "UserJoint":
        R, d = _user_pose(q, u, a)
    return R, d


def _user_pose(q: Any, u: Any, a: Any) -> tuple[Any, Any]:
    """The pose of `user_kinematics`, differentiated here by the rules of products."""
    b, c = Real(0.3), Real(0.2)
    turn = _turn((0.0, 0.0, 1.0), q[0], u[:, 0], a[:, 0])
    R = _product(turn, _turn((1.0, 0.0, 0.0), q[1], u[:, 1], a[:, 1]))
    arm = _constant(np.array([b, 0.0, 0.0], dtype=Real), len(u))
    z = _along((0.0, 0.0, 1.0), q[0] * q[1], u[:, 0] * q[1] + q[0] * u[:, 1], a[:, 0])
    z[2][:, 2] = a[:, 0] * q[1] + 2.0 * u[:, 0] * u[:, 1] + q[0] * a[:, 1]
    return R, _plus(_product(turn, arm), [c * level for level in z])


def _frame_motion(t: float, n: int) -> tuple[Any, Any]:
    """Return the series of the moving frame of `_moving_frame`: Cardan angles x, y, z."""
    ones = np.ones(n, dtype=Real)
    sine, power, table = (DRIVES[name][1](t) for name in ("sine", "power", "table"))
    R = _constant(EYE, n)
    for axis, (q, u, a) in zip(np.eye(3), (power, sine, table), strict=True):
        R = _product(R, _turn(axis, Real(q), u * ones, a * ones))
    d = _constant(np.zeros(3, dtype=Real), n)
    for axis, (q, u, a) in zip(np.eye(3), (sine, power, (0.3, 0.0, 0.0)), strict=True):
        d = _plus(d, _along(axis, Real(q), u * ones, a * ones))
    return [level.copy() for level in R], [level.copy() for level in d]


def _compose(link: Link, relative: Any, parent: Any) -> tuple[Any, Any]:
    """Return the world pose of a link, along the joint or against it."""
    (Q, d), (R, r) = relative, parent
    n = len(Q[0])
    O = _constant(link.orientation.astype(Real), n)
    at = _plus(_constant(link.at.astype(Real), n), d)
    at_second = _constant(link.at_second.astype(Real), n)
    turn = _product(Q, O)
    if not link.reverse:
        R2 = _product(R, turn)
        return R2, _plus(_plus(r, _product(R, at)), _product(R2, at_second), -1.0)
    R1 = _product(R, [np.swapaxes(level, -1, -2) for level in turn])
    return R1, _plus(_plus(r, _product(R, at_second)), _product(R1, at), -1.0)


# between the two


def state_of(
    tree: RandomTree, system: Any, rename: dict[str, str] | None = None
) -> tuple[Any, Any]:
    """Return q and u of the kernels for the state of the tree."""
    called = (rename or {}).get
    numbering = system.compiled.numbering
    q, u = np.zeros(numbering.nq), np.zeros(numbering.nu)
    starts = {c.part: c for c in reversed(numbering.coordinates)}
    for link in tree.links:
        part = called(link.part, link.part)
        if not names_of(link, tree.dim):
            continue
        node = system.compiled.tree.node_of[called(link.body, link.body)]
        first = numbering.q_start[node]
        q[first : first + len(link.q)] = link.q
        for k, name in enumerate(names_of(link, tree.dim)):
            u[starts[part].u + k] = link.u[k]
            assert numbering.coordinates[starts[part].u + k].name == name
    return q, u


def index_of(
    tree: RandomTree, system: Any, dense: Dense, rename: dict[str, str] | None = None
) -> Any:
    """Return the velocity index of the kernels for every velocity of the reference."""
    called = (rename or {}).get
    found = {(c.part, c.name): c.u for c in system.compiled.numbering.coordinates}
    parts = [tree.links[i].part for i, _ in dense.keys]
    return np.array(
        [
            found[called(part, part), name]
            for part, (_, name) in zip(parts, dense.keys, strict=True)
        ],
        dtype=int,
    )
