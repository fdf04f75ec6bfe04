"""Rows: gamma = dg/dt, gamma_dot = d gamma/dt and W = d gamma/du, by finite differences.

The motion through a random state: u(s) = u + u_dot s, q(s) = q (+) (u s + u_dot s^2 / 2), which is
exact to second order for quaternions too, as long as the increment is taken along one direction:
central differences of step 1e-4 then err by some 1e-8, the tolerance is 1e-6 of the row's size.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays import kinds
from cornerlaw.kernels.kinematics import advance_position, eval_frame_accelerations
from cornerlaw.kernels.rates import eval_accelerations
from cornerlaw.simulate.system import System

STEP = 1e-4
TOLERANCE = 1e-6


def free_pair() -> tuple[Any, Any]:
    """Two free bodies in space with different, skew inertia."""
    a = cl.Body("a", mass=1.0, inertia=(0.5, 0.6, 0.7), com=(0.1, 0.0, 0.2))
    b = cl.Body("b", mass=2.0, inertia=(0.9, 0.6, 0.8), com=(0.0, -0.1, 0.1))
    return a, b


def planar_pair() -> tuple[Any, Any]:
    """Two free bodies in the plane."""
    a = cl.Body("a", mass=1.0, inertia=0.5, com=(0.1, 0.0))
    b = cl.Body("b", mass=2.0, inertia=0.6, com=(0.0, -0.1))
    return a, b


def closed(kind: str, **options: Any) -> cl.Model:
    """A joint as a loop closure between two free bodies."""
    a, b = free_pair()
    joint = getattr(cl, kind)(
        "joint",
        a,
        b,
        at=(0.3, -0.1, 0.4),
        at_second=(-0.2, 0.5, 0.1),
        orientation=cl.rotation.cardan(0.4, -0.7, 1.1),
        closure=True,
        **options,
    )
    return cl.Model(a, b, joint)


def closed_in_plane(kind: str, **options: Any) -> cl.Model:
    """A planar joint as a loop closure between two free bodies."""
    a, b = planar_pair()
    joint = getattr(cl, kind)(
        "joint",
        a,
        b,
        at=(0.3, -0.1),
        at_second=(-0.2, 0.5),
        orientation=0.6,
        closure=True,
        **options,
    )
    return cl.Model(a, b, joint)


def motion(t: float) -> float:
    return 0.3 * math.sin(2.0 * t) + 0.1 * t * t


AXIS = (1.0, 2.0, -0.5)
ACROSS = (2.0, -1.0, 0.0)


def pulley() -> cl.Model:
    a, b = free_pair()
    g = cl.Ground()
    points = (
        (g, (0.0, 3.0, 0.0)),
        (a, (0.2, 0.1, 0.0)),
        (g, (2.0, 3.0, 1.0)),
        (b, (0.0, 0.3, 0.1)),
    )
    return cl.Model(a, b, cl.Pulley("rope", *points, weights=(1.0, 2.0, 0.5)))


def rolling(kind: str, on_body: bool, **options: Any) -> Callable[[], cl.Model]:
    def build() -> cl.Model:
        a, b = free_pair()
        plane = a if on_body else cl.Ground()
        row = cl.Rolling(
            "roll", b, plane, radius=0.4, kind=kind, at=(0.1, 0.2, -0.1), height=0.3, **options
        )
        return cl.Model(a, b, row)

    return build


def wheel() -> cl.Model:
    a, b = planar_pair()
    return cl.Model(
        a,
        b,
        cl.Rolling("roll", b, a, radius=0.4, kind="wheel", at=(0.1, 0.2), normal=(0.6, 0.8)),
    )


def tree_of_joints() -> tuple[list[Any], list[Any]]:
    a, b = planar_pair()
    c = cl.Body("c", mass=1.0, inertia=0.3, com=(0.2, 0.0))
    g = cl.Ground()
    joints = [
        cl.Revolute("A", g, a),
        cl.Revolute("B", a, b, at=(1.0, 0.0)),
        cl.Prismatic("C", b, c, axis=(1.0, 0.5)),
    ]
    return joints, [a, b, c]


def with_joints(*constraints: Callable[[list[Any]], Any]) -> Callable[[], cl.Model]:
    def build() -> cl.Model:
        joints, bodies = tree_of_joints()
        return cl.Model(*bodies, *joints, *[make(joints) for make in constraints])

    return build


def surface(q: Any, t: float) -> float:
    return math.sin(q[0]) * q[2] + q[1] ** 2 * math.cos(t) - 0.3 * t * q[0]


def user(derivatives: str) -> Callable[[], cl.Model]:
    names = ("A.angle", "B.angle", "C.displacement")
    return with_joints(
        lambda _: cl.Constraint("own", surface, coordinates=names, derivatives=derivatives)
    )


def rod(mass: float) -> Callable[[], cl.Model]:
    def build() -> cl.Model:
        a, b = free_pair()
        ends = {"at": (0.3, 0.1, 0.0), "at_second": (0.0, 0.2, -0.4)}
        return cl.Model(a, b, cl.Rod("rod", a, b, length=1.3, mass=mass, **ends))

    return build


def distance() -> cl.Model:
    a, b = free_pair()
    ends: Any = {"at": (0.3, 0.1, 0.0), "at_second": (0.0, 0.2, -0.4)}
    return cl.Model(a, b, cl.Distance("distance", a, b, length=0.7, **ends))


def on_moving_frame() -> cl.Model:
    _, b = free_pair()
    frame = cl.MovingFrame(
        "frame", position=(motion, 0.2, motion), angles=(motion, lambda t: 0.5 * t, 0.1)
    )
    return cl.Model(
        frame, b, cl.Revolute("joint", frame, b, axis=AXIS, at=(0.1, 0.2, 0.3), closure=True)
    )


def tie(t, r, A, v, Omega, q, u, p, F, M, Q):
    """x of the second frame minus sin(t) times a coordinate, plus the tilt of an axis."""
    s, c = math.sin(t), math.cos(t)
    F[1, 0], Q[0] = 1.0, -s
    a, o = A[0, :, 1], Omega[0]
    M[0, 0], M[0, 1] = a[1], -a[0]
    rate_0, rate_1 = o[1] * a[2] - o[2] * a[1], o[2] * a[0] - o[0] * a[2]
    bias = rate_1 * o[0] - rate_0 * o[1] - 2.0 * c * u[0] + s * q[0]
    return r[1, 0] - s * q[0] + a[2], -c * q[0], bias


def own_row() -> cl.Model:
    """A row that an element gives itself, on two frames and a coordinate of time."""
    a, b = free_pair()
    frames = cl.Frame("fa", a, at=(0.3, -0.1, 0.4)), cl.Frame("fb", b, at=(-0.2, 0.5, 0.1))
    element = cl.ForceElement(
        "own", frames=frames, coordinates=("a.position_y",), rows={"tie": tie}
    )
    return cl.Model(a, b, *frames, element)


CASES: dict[str, Callable[[], cl.Model]] = {
    "own element": own_row,
    "revolute": lambda: closed("Revolute", axis=AXIS),
    "revolute driven": lambda: closed("Revolute", axis=AXIS, drive=motion),
    "revolute locked": lambda: closed("Revolute", axis=AXIS, locked=True, angle=0.4),
    "prismatic": lambda: closed("Prismatic", axis=AXIS),
    "prismatic driven": lambda: closed("Prismatic", axis=AXIS, drive=motion),
    "screw": lambda: closed("Screw", axis=AXIS, pitch=0.15),
    "cylindrical": lambda: closed("Cylindrical", axis=AXIS),
    "cylindrical driven": lambda: closed(
        "Cylindrical", axis=AXIS, drive={"angle": motion, "displacement": motion}
    ),
    "universal": lambda: closed("Universal", axes=(AXIS, ACROSS)),
    "universal driven": lambda: closed("Universal", axes=(AXIS, ACROSS), drive={"angle_1": motion}),
    "spherical": lambda: closed("Spherical"),
    "spherical driven": lambda: closed("Spherical", drive={"rotation": (motion, motion, motion)}),
    "planar": lambda: closed("PlanarJoint", normal=AXIS),
    "weld": lambda: closed("Weld"),
    "translation": lambda: closed("Translation"),
    "revolute in plane": lambda: closed_in_plane("Revolute"),
    "revolute in plane driven": lambda: closed_in_plane("Revolute", drive=motion),
    "prismatic in plane": lambda: closed_in_plane("Prismatic", axis=(1.0, 2.0)),
    "prismatic in plane driven": lambda: closed_in_plane(
        "Prismatic", axis=(1.0, 2.0), drive=motion
    ),
    "weld in plane": lambda: closed_in_plane("Weld"),
    "translation in plane": lambda: closed_in_plane("Translation"),
    "on a moving frame": on_moving_frame,
    "distance": distance,
    "rod without mass": rod(0.0),
    "rod with mass": rod(1.5),
    "pulley": pulley,
    "gear": with_joints(lambda j: cl.Gear("gear", j[0], j[1], ratio=-2.5)),
    "rack": with_joints(lambda j: cl.Rack("rack", j[1], j[2], radius=0.2)),
    "coupling": with_joints(
        lambda j: cl.Coupling(
            "coupling", terms=((j[0], 1.0), ("B.angle", -2.0), (j[2], 0.5)), constant=0.3
        )
    ),
    "rolling sphere": rolling("sphere", False),
    "rolling sphere on a body": rolling("sphere", True, normal=(0.2, -0.4, 0.8)),
    "rolling disc": rolling("disc", False, axis=(0.3, 1.0, 0.2)),
    "rolling disc on a body": rolling("disc", True, axis=(0.3, 1.0, 0.2), normal=(0.2, -0.4, 0.8)),
    "rolling wheel": wheel,
    "user, exact": user("exact"),
    "user, numerical": user("numerical"),
}


def differential() -> cl.Model:
    rotors = [cl.Rotor(f"r{k}", inertia=1.0 + k) for k in range(3)]
    return cl.Model(*rotors, cl.Differential("differential", *rotors))


CASES["differential"] = differential


class Motion:
    """A smooth motion of all coordinates through a random state, with everything rows need."""

    def __init__(self, model: cl.Model, seed: int) -> None:
        self.system = System(model)
        self.a, self.w = self.system.arrays, self.system.work
        rng = np.random.default_rng(seed)
        self.t = float(rng.uniform(0.2, 1.0))
        self.q, self.u = rng.normal(size=self.a.nq), rng.normal(size=self.a.nu)
        self.u_dot = rng.normal(size=self.a.nu)
        for i in range(self.a.n_bodies):
            if self.a.tree.joint[i] in (kinds.SPHERICAL, kinds.FREE):
                e = self.q[self.a.tree.q_start[i + 1] - 4 : self.a.tree.q_start[i + 1]]
                e /= np.linalg.norm(e)

    def at(self, s: float, change: Any = 0.0) -> tuple[Any, Any, float]:
        """Return q, u, t at the parameter s, with the velocities changed by `change`."""
        t = self.t + s
        u = self.u + self.u_dot * s
        q = np.zeros(self.a.nq)
        # exp((u s + u_dot s^2/2)~) has the angular velocity u + u_dot s up to second order
        advance_position(self.system.m, self.q, self.u * s + 0.5 * self.u_dot * s * s, q)
        return q, u + change, t

    def rows(self, s: float = 0.0, change: Any = 0.0) -> tuple[Any, Any]:
        """Return g and gamma."""
        q, u, t = self.at(s, change)
        self.system.constraint_state(t, q, u)
        return self.w.g.copy(), self.w.gamma.copy()

    def gamma_dot(self) -> Any:
        """Return gamma_dot for the accelerations u_dot (prescribed ones as prescribed)."""
        from cornerlaw.kernels.kinematics import eval_bias_accelerations
        from cornerlaw.kernels.rows import eval_rows

        q, u, t = self.at(0.0)
        nothing = np.zeros(self.a.nu), np.zeros(0), np.zeros(self.a.n_rows)
        eval_accelerations(self.system.m, self.system.w, t, q, u, np.zeros(0), *nothing)
        u_dot = np.where(self.a.tree.driven < 0, self.u_dot, self.w.u_dot_driven)
        eval_bias_accelerations(self.system.m, self.system.w, u_dot, self.w.acc)
        eval_frame_accelerations(self.system.m, self.system.w, self.w.acc)
        eval_rows(self.system.m, self.system.w, t, q, u, u_dot)
        return self.w.gamma_dot.copy()


def close(found: Any, expected: Any) -> bool:
    """Compare relative to the size of what is compared, at least 1."""
    size = np.maximum(1.0, np.abs(expected))
    return bool((np.abs(found - expected) < TOLERANCE * size).all())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_rows_are_consistent(name: str, seed: int) -> None:
    moving = Motion(CASES[name](), seed)
    assert moving.a.n_rows > 0
    g, gamma = moving.rows()
    W = moving.w.W.copy()
    (g_1, gamma_1), (g_0, gamma_0) = moving.rows(STEP), moving.rows(-STEP)
    holonomic = moving.a.rows.holonomic == 1
    velocity = (g_1 - g_0) / (2.0 * STEP)
    if not name.startswith(("revolute", "cylindrical", "screw", "universal driven", "on a")):
        assert close(gamma[holonomic], velocity[holonomic])
    else:
        # angles about an axis and the turn of a screw presume the axes of the joint
        turning = (kinds.ROW_ANGLE, kinds.ROW_SCREW, kinds.ROW_UNIVERSAL)
        about = np.isin(moving.a.rows.kind, turning)
        assert close(gamma[holonomic & ~about], velocity[holonomic & ~about])
    assert not g[~holonomic].any()
    assert close(moving.gamma_dot(), (gamma_1 - gamma_0) / (2.0 * STEP))
    for j in range(moving.a.nu):
        if moving.a.tree.driven[j] >= 0:
            continue  # set by its motion, whatever the change
        change = np.zeros(moving.a.nu)
        change[j] = 1.0
        # gamma is linear in u: any step is exact
        assert close(W[:, j], moving.rows(change=change)[1] - gamma)


@pytest.mark.parametrize("kind", ["Revolute", "Cylindrical", "Screw"])
def test_angle_rows_of_aligned_axes(kind: str) -> None:
    """With common axes the angle row is the true angle: gamma = dg/dt, as for the others.

    Both bodies turn about parallel axes and slide along them, the carrier moves in space.
    """
    base = cl.Body("base", mass=1.0, inertia=(0.3, 0.4, 0.5))
    a = cl.Body("a", mass=1.0, inertia=(0.3, 0.4, 0.5))
    b = cl.Body("b", mass=1.0, inertia=(0.3, 0.4, 0.5))
    options: dict[str, Any] = {"Screw": {"pitch": 0.2}, "Revolute": {"drive": motion}}.get(
        kind, {"drive": {"angle": motion, "displacement": motion}}
    )
    model = cl.Model(
        base,
        cl.Cylindrical("first", base, a, axis=AXIS),
        cl.Cylindrical("second", base, b, axis=AXIS),
        getattr(cl, kind)("joint", a, b, axis=AXIS, closure=True, **options),
    )
    for seed in range(4):
        moving = Motion(model, seed)
        _, gamma = moving.rows()
        (g_1, _), (g_0, _) = moving.rows(STEP), moving.rows(-STEP)
        assert close(gamma, (g_1 - g_0) / (2.0 * STEP))


def test_every_kind_of_row_is_tried() -> None:
    found = {int(k) for build in CASES.values() for k in System(build()).arrays.rows.kind}
    named = {value for name, value in vars(kinds).items() if name.startswith("ROW_")}
    # those of stops are tried in test_joint_stops.py
    assert found == named - {kinds.ROW_SWING, kinds.ROW_TWIST}
