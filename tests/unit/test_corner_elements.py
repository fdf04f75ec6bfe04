"""Set-valued elements without contact geometry: rows and records against numbers by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cornerlaw as cl
from cornerlaw.arrays.corners import LEVEL_VELOCITY, LOAD_NORMAL, LOAD_ROWS, LOAD_SIGNAL
from cornerlaw.compile import compile_model
from cornerlaw.compile.corners import Corner
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.constraints import eval_constraint_state
from cornerlaw.kernels.kinematics import advance_position
from cornerlaw.kernels.stages import bind_stages

# a row is a handful of products of numbers of size one
EXACT = {"rtol": 1e-13, "atol": 1e-14}


class CornerRows:
    """The template rows of the corners of a model, evaluated by the kernels of bilateral rows."""

    def __init__(self, model: cl.Model) -> None:
        self.compiled = compile_model(model)
        n = self.compiled.arrays.row_scale.size
        self.work = self.compiled.workspace()
        # counted as bilateral, all rows are evaluated
        arrays = bind_stages(self.compiled.arrays._replace(n_rows=n), self.work)
        self.m, self.w = Bundle(arrays), Bundle(self.work)
        self.first = len(self.compiled.rows)
        self.n = n - self.first

    @property
    def corners(self) -> list[Corner]:
        return self.compiled.corners

    def __call__(self, q: Any, u: Any, t: float = 0.0) -> tuple[Any, Any, Any]:
        """Return g, gamma and W."""
        q, u = np.array(q, dtype=float), np.array(u, dtype=float)
        eval_constraint_state(self.m, self.w, float(t), q, u)
        k = self.first
        return self.work.g[k:].copy(), self.work.gamma[k:].copy(), self.work.W[k:].copy()

    def differences(self, q: Any, u: Any, t: float = 0.0) -> Any:
        """Return dg/dt along u by central differences of g alone."""
        q, u = np.array(q, dtype=float), np.array(u, dtype=float)
        step, values = 1e-6, []
        for sign in (-1.0, 1.0):
            moved = q.copy()
            advance_position(self.m, q, sign * step * u, moved)
            values.append(self(moved, u, t + sign * step)[0])
        return (values[1] - values[0]) / (2.0 * step)


def system(n: int = 3) -> cl.LagrangianSystem:
    return cl.LagrangianSystem("s", M=np.eye(n), q0=(0.0,) * n)


def rotors() -> tuple[cl.Rotor, cl.Rotor]:
    return cl.Rotor("a", inertia=1.0), cl.Rotor("b", inertia=2.0)


# contacts in generalised coordinates


def test_linear_contact() -> None:
    # lower sleeve edge of the woodpecker: g = (r_M - r_0) + h_M phi_M, gamma_T = y' + r_M phi_M'
    contact = cl.UserContact(
        "edge", on=system(), gap=0.0006, normal=(0.0, 0.0058, 0.0), tangent=(1.0, 0.0031, 0.0),
        mu=0.3, eps_N=0.2, eps_T=0.1,
    )  # fmt: skip
    rows = CornerRows(cl.Model(contact))
    g, gamma, W = rows((0.5, -0.1, 0.7), (-0.3, 2.0, 5.0))
    assert_allclose(g, (0.0006 - 0.00058, 0.5 - 0.00031), **EXACT)
    assert_allclose(gamma, (0.0116, -0.3 + 0.0062), **EXACT)
    assert_allclose(W, ((0.0, 0.0058, 0.0), (1.0, 0.0031, 0.0)), **EXACT)
    (corner,) = rows.corners
    assert (corner.mu, corner.eps_N, corner.eps_T) == (0.3, 0.2, 0.1)
    assert not corner.always
    assert corner.load == LOAD_NORMAL
    arrays = rows.compiled.arrays.corners
    assert arrays.row_N.tolist() == [0]
    assert arrays.row_T.tolist() == [1]
    assert arrays.slot.tolist() == [-1]


def test_frictionless_contact_has_one_row() -> None:
    contact = cl.UserContact("c", on=system(), gap=0.0, normal=(1, 0, 0), tangent=(0, 1, 0))
    arrays = CornerRows(cl.Model(contact)).compiled.arrays.corners
    assert (arrays.row_N.tolist(), arrays.row_T.tolist()) == ([0], [-1])


def bowl(q: Any, t: float) -> Any:
    return q[1] - 0.5 * q[0] * q[0] - 0.1 * np.sin(3.0 * t)


def arc(q: Any, t: float) -> Any:
    return q[0] * np.cos(q[1]) + t * t


def test_contact_by_functions() -> None:
    contact = cl.UserContact(
        "c", coordinates=("s.q1", "s.q3"), gap=bowl, tangent=arc, mu=0.4,
        surface=lambda t: 2.0 * t,
    )  # fmt: skip
    rows = CornerRows(cl.Model(system(), contact))
    q, u, t = (0.4, 9.0, 0.7), (1.5, 9.0, -2.0), 0.3
    g, gamma, W = rows(q, u, t)
    assert_allclose(g[0], 0.7 - 0.08 - 0.1 * math.sin(0.9), **EXACT)
    assert_allclose(W[0], (-0.4, 0.0, 1.0), **EXACT)
    assert_allclose(W[1], (math.cos(0.7), 0.0, -0.4 * math.sin(0.7)), **EXACT)
    assert_allclose(gamma[0], -0.4 * 1.5 - 2.0 - 0.3 * math.cos(0.9), **EXACT)
    # error of central differences: step^2 / 6 times a third derivative of about 10, plus rounding
    assert_allclose(gamma, rows.differences(q, u, t), rtol=0.0, atol=1e-9)
    assert rows.corners[0].surface >= 0


def test_numerical_derivatives() -> None:
    contact = cl.UserContact("c", coordinates=("s.q1", "s.q2"), gap=bowl, derivatives="numerical")
    rows = CornerRows(cl.Model(system(2), contact))
    # differences with the step 1e-4 are wrong by about 1e-8 times the third derivative
    assert_allclose(rows((0.4, 0.7), (1.0, 2.0))[2], ((-0.4, 1.0),), rtol=0.0, atol=1e-7)


# friction of joints


def hinge(**options: Any) -> cl.Revolute:
    arm = cl.Body("arm", mass=2.0, inertia=0.1, com=(0.5, 0.0))
    return cl.Revolute("hinge", cl.Ground(), arm, **options)


def test_friction_by_given_torque_keeps_the_joint_in_the_tree() -> None:
    rows = CornerRows(
        cl.Model(cl.JointFriction("f", hinge(), torque=lambda t: 2.0 + t), gravity=(0.0, -9.81))
    )
    assert rows.compiled.arrays.nu == 1
    assert rows.compiled.rows == []
    (corner,) = rows.corners
    assert (corner.always, corner.load, corner.mu, corner.load_factor) == (True, LOAD_SIGNAL, 1, 1)
    _, gamma, W = rows((0.3,), (4.0,))
    assert (gamma.tolist(), W.tolist()) == ([4.0], [[1.0]])


def test_friction_by_given_load() -> None:
    part = cl.JointFriction("f", hinge(), mu=0.2, load=50.0, radius=0.02)
    (corner,) = CornerRows(cl.Model(part)).corners
    assert (corner.mu, corner.load_factor, corner.load) == (0.2, 0.02, LOAD_SIGNAL)
    signals = CornerRows(cl.Model(part)).compiled.arrays.signals
    assert signals.data[signals.start[corner.load_signal]] == 50.0


@pytest.mark.parametrize("implicit", [True, False])
def test_friction_by_own_reaction_cuts_the_joint(implicit: bool) -> None:
    law = cl.Coulomb(0.1, radius=0.01)
    model = (
        cl.Model(hinge(friction=law), gravity=(0.0, -9.81))
        if implicit
        else cl.Model(cl.JointFriction("f", hinge(), mu=law), gravity=(0.0, -9.81))
    )
    rows = CornerRows(model)
    assert [row.part for row in rows.compiled.rows] == ["hinge", "hinge"]
    (corner,) = rows.corners
    assert corner.label == ("hinge.friction" if implicit else "f")
    assert (corner.mu, corner.load_factor, corner.load) == (0.1, 0.01, LOAD_ROWS)
    assert corner.load_rows == (0, 1)
    # free body in the plane: x, y, angle
    _, gamma, W = rows((0.0, 0.0, 0.3), (0.0, 0.0, 2.0))
    assert_allclose(gamma, (2.0,), **EXACT)
    assert_allclose(W, ((0.0, 0.0, 1.0),), **EXACT)


def test_friction_of_a_guide_is_loaded_across_it() -> None:
    block = cl.Body("block", mass=1.0)
    guide = cl.Prismatic("guide", cl.Ground(), block, axis=(3.0, 4.0), friction=cl.Coulomb(0.2))
    rows = CornerRows(cl.Model(guide, gravity=(0.0, -9.81)))
    (corner,) = rows.corners
    assert (corner.load_rows, corner.load_factor) == ((0,), 1.0)
    g, gamma, W = rows((0.6, 0.8, 0.0), (1.2, 1.6, 0.0))
    assert_allclose((g[0], gamma[0]), (1.0, 2.0), **EXACT)
    assert_allclose(W[0, :2], (0.6, 0.8), **EXACT)


def random_state(rows: CornerRows, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    arrays = rows.compiled.arrays
    q = rng.normal(size=arrays.nq)
    for i in range(arrays.n_bodies):
        stop = arrays.tree.q_start[i + 1]
        q[stop - 4 : stop] /= np.linalg.norm(q[stop - 4 : stop])
    return q, rng.normal(size=arrays.nu)


def spatial_joint(kind: Any, **options: Any) -> cl.Model:
    body = cl.Body("body", mass=1.0, inertia=(1.0, 2.0, 2.5))
    law = cl.Coulomb(0.3, radius=0.05)
    return cl.Model(
        kind("j", cl.Ground(), body, friction=law, **options), gravity=(0.0, 0.0, -9.81)
    )


@pytest.mark.parametrize(
    ("joint", "options", "count", "loads"),
    [
        (cl.Revolute, {"axis": (1.0, 2.0, 2.0)}, 1, (0, 1, 2)),
        (cl.Prismatic, {"axis": (1.0, 2.0, 2.0)}, 1, (0, 1)),
        (cl.Screw, {"axis": (0.0, 1.0, 0.0), "pitch": 0.1}, 1, (0, 1)),
        (cl.Cylindrical, {"axis": (1.0, 0.0, 0.0)}, 2, (0, 1)),
        (cl.PlanarJoint, {"normal": (0.0, 1.0, 0.0)}, 3, (0,)),
        (cl.Universal, {}, 2, (0, 1, 2)),
    ],
)
def test_loads_and_rows_of_spatial_joints(
    joint: Any, options: Any, count: int, loads: tuple[int, ...]
) -> None:
    rows = CornerRows(spatial_joint(joint, **options))
    assert len(rows.corners) == rows.n == count
    assert all(corner.load_rows == loads for corner in rows.corners)
    q, u = random_state(rows, 1)
    _, gamma, W = rows(q, u)
    assert_allclose(gamma, W @ u, rtol=0.0, atol=1e-13)


def test_rates_of_a_cut_universal_joint_are_those_of_the_tree() -> None:
    rows = CornerRows(spatial_joint(cl.Universal))
    tree = cl.Universal(
        "j", cl.Ground(), cl.Body("body", mass=1.0, inertia=(1.0, 2.0, 2.5)),
        angle_1=0.4, angle_2=-0.7, speed_1=1.3, speed_2=2.1,
    )  # fmt: skip
    state = cl.query(cl.Model(tree))
    quaternion = np.array(state["body.quaternion"])
    # free joint: position, quaternion; velocity, angular velocity in body axes
    q = np.concatenate([np.zeros(3), quaternion])
    w, x, y, z = quaternion
    A = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    spin = np.array(state["body.angular_velocity"])
    _, gamma, _ = rows(q, np.concatenate([np.zeros(3), A.T @ spin]))
    assert_allclose(gamma, (1.3, 2.1), rtol=0.0, atol=1e-12)


def test_stribeck_characteristics() -> None:
    table = cl.Table((0.0, 0.1, 1.0), (0.4, 0.25, 0.2))
    for mu in (table, cl.Coulomb(table), lambda v: 0.2 + 0.2 * math.exp(-v)):
        part = cl.JointFriction("f", hinge(), mu=mu, load=10.0, radius=0.1)
        (corner,) = CornerRows(cl.Model(part)).corners
        assert corner.mu_signal >= 0
        assert corner.mu == pytest.approx(0.4, abs=1e-15)


def test_a_cut_joint_lends_no_coordinate() -> None:
    joint = hinge(friction=cl.Coulomb(0.1, radius=0.01))
    model = cl.Model(joint, cl.Torque("t", joint, value=1.0))
    with pytest.raises(cl.ModelError, match="friction from its own reaction"):
        compile_model(model)


# limits


def test_limits_of_a_joint_in_the_tree() -> None:
    rows = CornerRows(cl.Model(hinge(limits=(-0.5, 1.5), eps_N=0.4)))
    assert [c.label for c in rows.corners] == ["hinge.lower", "hinge.upper"]
    g, gamma, W = rows((0.3,), (2.0,))
    assert_allclose(g, (0.8, 1.2), **EXACT)
    assert_allclose(gamma, (2.0, -2.0), **EXACT)
    assert_allclose(W, ((1.0,), (-1.0,)), **EXACT)
    assert [c.eps_N for c in rows.corners] == [0.4, 0.4]


@pytest.mark.parametrize("angle", [0.3, -0.6, 1.7])
def test_limits_of_a_joint_that_closes_a_loop(angle: float) -> None:
    rows = CornerRows(cl.Model(hinge(limits=(-0.5, 1.5), closure=True)))
    g, gamma, W = rows((0.0, 0.0, angle), (0.0, 0.0, 2.0))
    assert_allclose(g, (angle + 0.5, 1.5 - angle), **EXACT)
    assert_allclose(gamma, (2.0, -2.0), **EXACT)
    assert_allclose(W, ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)), **EXACT)


def test_limits_of_a_guide_that_closes_a_loop() -> None:
    block = cl.Body("block", mass=1.0)
    guide = cl.Prismatic(
        "guide", cl.Ground(), block, axis=(0.0, 1.0), at=(0.0, 0.1), limits=(0.4, 0.8), closure=True
    )
    g, gamma, W = CornerRows(cl.Model(guide))((0.0, 0.7, 0.0), (0.0, 3.0, 0.0))
    assert_allclose(g, (0.2, 0.2), **EXACT)
    assert_allclose(gamma, (3.0, -3.0), **EXACT)
    assert_allclose(W[:, 1], (1.0, -1.0), **EXACT)


def test_wide_limits_of_a_closing_hinge_are_refused() -> None:
    with pytest.raises(cl.ModelError, match="counts no turns"):
        compile_model(cl.Model(hinge(limits=(-3.0, 3.0), closure=True)))


def test_limit_on_a_free_body_a_rotor_and_a_system() -> None:
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 1.0))
    a, _ = rotors()
    model = cl.Model(
        ball,
        cl.Limit("floor", ball, coordinate="position_y", lower=0.2, eps_N=0.9, eps_speed=0.05),
        cl.Limit("stop", a, upper=2.0),
        cl.Limit("end", system(), coordinate="q2", lower=-1.0, upper=1.0),
    )
    rows = CornerRows(model)
    assert [c.label for c in rows.corners] == [
        "floor.lower",
        "stop.upper",
        "end.lower",
        "end.upper",
    ]
    # coordinates: ball x, y, then the blocks in the order of the model
    index = {(c.part, c.name): c.u for c in rows.compiled.numbering.coordinates}
    q = np.zeros(6)
    q[index["ball", "position_y"]] = 0.5
    q[index["a", "angle"]] = 0.7
    q[index["s", "q2"]] = 0.25
    g, _, W = rows(q, np.zeros(6))
    assert_allclose(g, (0.3, 1.3, 1.25, 0.75), **EXACT)
    assert W[0, index["ball", "position_y"]] == 1.0
    assert W[1, index["a", "angle"]] == -1.0
    assert rows.corners[0].eps_speed == 0.05


def test_limits_pull_a_joint_into_the_tree() -> None:
    ground = cl.Ground()
    crank = cl.Body("crank", mass=1.0, inertia=0.1)
    rod = cl.Body("rod", mass=1.0, inertia=0.1)
    piston = cl.Body("piston", mass=1.0)
    model = cl.Model(
        cl.Revolute("main", ground, crank),
        cl.Revolute("pin", crank, rod, at=(0.2, 0.0)),
        cl.Revolute("wrist", rod, piston, at=(0.6, 0.0)),
        cl.Prismatic("guide", ground, piston, axis=(1.0, 0.0), limits=(0.4, 0.8)),
    )
    closures = [joint.name for joint in compile_model(model).tree.closures]
    assert closures
    assert "guide" not in closures


# clutches, freewheels, ropes, backlash, own sets


def test_clutch_and_brake() -> None:
    a, b = rotors()
    model = cl.Model(
        cl.Clutch("clutch", a, b, capacity=lambda t, q, u: 5.0 + u * u),
        cl.Brake("brake", a, capacity=3.0),
    )
    rows = CornerRows(model)
    _, gamma, W = rows((0.0, 0.0), (5.0, 2.0))
    assert_allclose(gamma, (3.0, 5.0), **EXACT)
    assert_allclose(W, ((1.0, -1.0), (1.0, 0.0)), **EXACT)
    for corner in rows.corners:
        assert (corner.normal, corner.always, corner.load) == (None, True, LOAD_SIGNAL)
    assert rows.compiled.arrays.corners.row_N.tolist() == [-1, -1]


@pytest.mark.parametrize("direction", [1, -1])
def test_freewheel(direction: int) -> None:
    a, b = rotors()
    model = cl.Model(
        cl.Freewheel("wheel", a, b, direction=direction),
        cl.Freewheel("backstop", b, direction=direction),
    )
    rows = CornerRows(model)
    _, gamma, _ = rows((0.0, 0.0), (5.0, 2.0))
    assert_allclose(gamma, (3.0 * direction, 2.0 * direction), **EXACT)
    assert all(c.always and c.level == LEVEL_VELOCITY for c in rows.corners)


def test_rope() -> None:
    bob = cl.PointMass("bob", mass=1.0)
    model = cl.Model(bob, cl.Rope("rope", cl.Ground(), bob, at=(1.0, 0.0), length=6.0, eps_N=0.5))
    rows = CornerRows(model)
    q, u = (4.0, 4.0), (2.0, -1.0)
    g, gamma, W = rows(q, u)
    # from (1, 0) to (4, 4) is 5, direction (0.6, 0.8); the tension pulls the bob back
    assert_allclose(g, (1.0,), **EXACT)
    assert_allclose(W, ((-0.6, -0.8),), **EXACT)
    assert_allclose(gamma, (-1.2 + 0.8,), **EXACT)
    assert_allclose(gamma, rows.differences(q, u), rtol=0.0, atol=1e-9)


def test_rope_with_coinciding_ends_is_slack() -> None:
    bob = cl.PointMass("bob", mass=1.0)
    rope = cl.Rope("rope", cl.Ground(), bob, length=2.0)
    rows = CornerRows(cl.Model(bob, rope, gravity=(0.0, -9.81)))
    g, gamma, W = rows((0.0, 0.0), (1.0, 1.0))
    assert (g.tolist(), gamma.tolist(), W.tolist()) == ([2.0], [0.0], [[0.0, 0.0]])


def test_backlash() -> None:
    a, b = rotors()
    play = cl.Backlash("play", a, b, gap=0.02, ratio=-2.0, centre=0.1, eps_N=0.3)
    rows = CornerRows(cl.Model(play))
    # play = 0.3 - (-2)(-0.098) - 0.1 = 0.004
    g, gamma, W = rows((0.3, -0.098), (1.0, 3.0))
    assert_allclose(g, (0.014, 0.006), rtol=0.0, atol=1e-15)
    assert_allclose(gamma, (7.0, -7.0), **EXACT)
    assert_allclose(W, ((1.0, 2.0), (-1.0, -2.0)), **EXACT)
    assert g.sum() == pytest.approx(0.02, abs=1e-15)


def test_user_set() -> None:
    a, b = rotors()
    model = cl.Model(
        a, b,
        cl.UserSet("one", coordinates=("a", "b"), coefficients=(2.0, -3.0), lower=-1.0, upper=4.0),
        cl.UserSet("two", coordinates=("b",), coefficients=(1.0,), lower=0.0),
        cl.UserSet("three", coordinates=("b",), coefficients=(1.0,), upper=0.0),
    )  # fmt: skip
    rows = CornerRows(model)
    _, gamma, W = rows((0.0, 0.0), (5.0, 2.0))
    # a force that only pulls back holds the row that runs backward
    assert_allclose(gamma, (4.0, 2.0, -2.0), **EXACT)
    assert_allclose(W, ((2.0, -3.0), (0.0, 1.0), (0.0, -1.0)), **EXACT)
    signals, (one, two, three) = rows.compiled.arrays.signals, rows.corners
    ends = [signals.data[signals.start[k]] for k in (one.lower_signal, one.load_signal)]
    assert ends == [-1.0, 4.0]
    for corner in (two, three):
        assert corner.normal is not None
        assert (corner.always, corner.level) == (True, LEVEL_VELOCITY)


def test_rows_are_numbered_after_the_bilateral_ones() -> None:
    a, b = rotors()
    model = cl.Model(
        cl.Gear("gear", a, b, ratio=2.0),
        cl.Brake("brake", a, capacity=1.0),
        cl.UserContact("c", coordinates=("a",), gap=1.0, normal=(1.0,), tangent=(1.0,), mu=0.1),
        cl.Limit("l", b, lower=0.0),
    )
    arrays = compile_model(model).arrays.corners
    assert arrays.row_N.tolist() == [-1, 2, 4]
    assert arrays.row_T.tolist() == [1, 3, -1]


# friction leaves the start of a mechanism alone


def chain(cut: tuple[str, ...], **options: Any) -> cl.Model:
    """Return three links on bent joints, whose coordinates are partly given."""
    ground, planar = cl.Ground(), "axis" not in options
    at = (0.4, 0.3) if planar else (0.4, 0.3, 0.2)
    links = [cl.Body(f"link {k}", mass=1.0, inertia=0.1 if planar else (0.1,) * 3) for k in (1, 2)]
    ram = cl.Body("ram", mass=1.0, inertia=0.1 if planar else (0.1,) * 3)
    law = cl.Coulomb(0.1, radius=0.01)

    def friction(name: str) -> cl.Coulomb | None:
        return law if name in cut else None

    slide = (0.6, 0.8) if planar else (0.6, 0.0, 0.8)
    return cl.Model(
        cl.Revolute("a", ground, links[0], at=at, friction=friction("a"), **options),
        # written from the outer to the inner link
        cl.Revolute("b", links[1], links[0], at=at, angle=0.7, friction=friction("b"), **options),
        cl.Prismatic("c", links[1], ram, at_second=at, axis=slide, friction=friction("c")),
    )


@pytest.mark.parametrize("cut", [("a",), ("b",), ("a", "b"), ("c",), ("a", "b", "c")])
@pytest.mark.parametrize("options", [{}, {"axis": (1.0, 2.0, 2.0)}], ids=["plane", "space"])
def test_cut_joints_start_where_those_of_the_tree_do(
    cut: tuple[str, ...], options: dict[str, Any]
) -> None:
    expected, found = cl.query(chain((), **options)), cl.query(chain(cut, **options))
    for name in ("link 1", "link 2", "ram"):
        # the assembly accepts violations of 1e-11
        np.testing.assert_allclose(
            found[f"{name}.position"], expected[f"{name}.position"], rtol=0.0, atol=1e-11
        )
