"""Symbolic equations against the compiled model at random states, and against known formulas."""

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.analysis import symbolic

GROUND = cl.Ground()


def planar():
    upper = cl.Body("upper", mass=2.0, inertia=0.1, com=(0.5, 0.0))
    lower = cl.Body("lower", mass=0.8, inertia=0.2, com=(0.3, 0.1))
    elbow = cl.Revolute("elbow", upper, lower, at=(0.9, 0.0), at_second=(0.05, 0.0), armature=0.02)
    return cl.Model(
        cl.Revolute("shoulder", GROUND, upper, at=(0.1, 0.2)),
        elbow,
        cl.TorsionSpring("tendon", elbow, stiffness=3.0, damping=0.1, rest=0.2),
        cl.Spring("cord", GROUND, lower, at=(3.0, 3.0), at_second=(0.2, 0.0), stiffness=5.0,
                  damping=0.3, rest=1.2),
        gravity=(0.0, -9.81),
    )  # fmt: skip


def spatial():
    arm = cl.Body("arm", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.2, 0.3))
    tensor = ((0.1, 0.01, 0.02), (0.01, 0.15, 0.0), (0.02, 0.0, 0.12))
    tube = cl.Body("tube", mass=0.7, inertia=tensor, com=(0.0, 0.1, 0.0))
    base = cl.Rotor("flywheel", inertia=2.5)
    turn = cl.rotation.about((0.0, 0.0, 1.0), 0.3)
    return cl.Model(
        cl.Universal("hip", GROUND, arm, at=(0.0, 0.1, 0.2)),
        cl.Cylindrical("sleeve", tube, arm, axis=(1.0, 0.0, 0.0), at=(0.3, 0.0, 0.0),
                       orientation=turn),
        cl.Force("thrust", tube, value=(1.0, 2.0, 3.0), axes="body"),
        base,
        cl.Torque("drive", base, value=3.0),
        gravity=(0.0, 0.0, -9.81),
    )  # fmt: skip


def cart():
    cart = cl.Body("cart", mass=3.0, inertia=0.1)
    load = cl.PointMass("load", mass=0.5, position=(0.3, -1.0))
    plate = cl.Body("plate", mass=1.2, inertia=0.05, com=(0.1, 0.0))
    return cl.Model(
        cl.Prismatic("rail", GROUND, cart, axis=(1.0, 0.2)),
        cl.PlanarJoint("table", cart, plate, at=(0.0, 0.4)),
        load,
        cl.Damper("dash", cart, load, damping=0.7),
        cl.Slider("mass", mass=1.5),
        gravity=(0.0, -9.81),
    )


@pytest.mark.parametrize("build", [planar, spatial, cart])
def test_formulas_equal_the_compiled_model(build):
    model = build()
    equations = symbolic(model)
    compute = equations.function()
    random = np.random.default_rng(3)
    for _ in range(4):
        q, u = random.normal(size=len(equations.q)), random.normal(size=len(equations.u))
        state = dict(zip(equations.coordinates + equations.velocities, [*q, *u], strict=True))
        query = cl.query(model, at=state)
        M, h = compute(q, u)
        # both sides sum some dozens of products: rounding below 1e-12, 1e-10 is asked for
        np.testing.assert_allclose(M, query.mass_matrix(), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(h, query.bias_forces(), rtol=1e-10, atol=1e-10)
        # and the O(n) accelerations, which share no code with the sums above
        np.testing.assert_allclose(
            np.linalg.solve(M, h), query.accelerations(), rtol=1e-9, atol=1e-9
        )


def test_pendulum_formula_is_the_textbook_one():
    import sympy

    bob = cl.Body("bob", mass=1.7, inertia=0.3, com=(0.6, 0.0))
    equations = symbolic(cl.Model(cl.Revolute("pin", GROUND, bob), gravity=(0.0, -9.81)))
    m, l, J, g = sympy.symbols("m_bob com_bob_x I_bob_zz gravity_y", real=True)
    angle = equations.q[0]
    assert sympy.simplify(equations.M[0, 0] - (J + m * l**2)) == 0
    assert sympy.simplify(equations.h[0] - m * g * l * sympy.cos(angle)) == 0
    assert {str(k): v for k, v in equations.parameters.items()} == {
        "gravity_y": -9.81, "m_bob": 1.7, "com_bob_x": 0.6, "I_bob_zz": pytest.approx(0.3),
    }  # fmt: skip


def test_python_code_runs_and_latex_is_written():
    equations = symbolic(planar())
    space = {}
    exec(equations.to_python(), space)
    q, u = np.array([0.3, -0.4]), np.array([1.0, 2.0])
    M, h = space["equations"](q, u)
    M_ref, h_ref = equations.function()(q, u)
    np.testing.assert_allclose(M, M_ref, rtol=1e-12)  # the same formulas in another order
    np.testing.assert_allclose(h, h_ref, rtol=1e-12)
    latex = equations.to_latex()
    assert latex.startswith("\\begin{aligned}") and "\\cos" in latex
    assert "shoulder.angle" in str(equations)


def test_numbers_instead_of_symbols():
    equations = symbolic(planar(), numbers=True)
    assert equations.parameters == {}
    assert (equations.M.free_symbols | equations.h.free_symbols) <= {*equations.q, *equations.u}


def crank(closure="piston pin"):
    crank = cl.Body("crank", mass=0.5, inertia=0.01, com=(0.075, 0.0))
    rod = cl.Body("rod", mass=0.8, inertia=0.02, com=(0.3, 0.01))
    piston = cl.Body("piston", mass=0.4, inertia=0.1)
    joints = {
        "bearing": cl.Revolute("bearing", GROUND, crank, angle=0.6, speed=3.0),
        "crank pin": cl.Revolute("crank pin", crank, rod, at=(0.15, 0.0)),
        "piston pin": cl.Revolute("piston pin", rod, piston, at=(0.6, 0.0),
                                  closure=closure == "piston pin"),
        "guide": cl.Prismatic("guide", GROUND, piston, axis=(1.0, 0.0), closure=closure == "guide"),
    }  # fmt: skip
    return cl.Model(*joints.values(), gravity=(0.0, -9.81))


def hung():
    """Two point masses below each other on strings that stay taut."""
    first = cl.PointMass("first", mass=1.0, position=(0.6, 0.0, -0.8), velocity=(0.0, 1.0, 0.0))
    second = cl.PointMass("second", mass=0.4, position=(0.6, 0.0, -1.3), velocity=(0.2, 1.0, 0.0))
    return cl.Model(first, second, cl.Distance("rope", GROUND, first, length=1.0),
                    cl.Distance("cord", first, second, length=0.5),
                    gravity=(0.0, 0.0, -9.81))  # fmt: skip


def guided():
    return crank(closure="guide")


def swivelled():
    """A bar on two sliders of which the second guide, at an angle, closes the loop."""
    bar = cl.Body("bar", mass=1.5, inertia=0.2, com=(0.4, 0.05))
    first, second = (cl.Body(name, mass=0.3, inertia=0.01) for name in ("first", "second"))
    return cl.Model(
        cl.Prismatic("rail", GROUND, first, axis=(1.0, 0.0), displacement=0.2, velocity=0.7),
        cl.Revolute("pin", first, bar),
        cl.Revolute("end", bar, second, at=(0.9, 0.1)),
        cl.Prismatic("guide", GROUND, second, axis=(1.0, 2.0), at=(0.3, 0.1), closure=True),
        gravity=(0.0, -9.81),
    )


def plated():
    """Two plates in the plane that a weld makes one: three rows."""
    first, second = (cl.Body(name, mass=1.0, inertia=0.1, com=(0.2, 0.0)) for name in "ab")
    return cl.Model(
        cl.Revolute("pin", GROUND, first, angle=0.3, speed=1.0),
        cl.PlanarJoint("table", GROUND, second),
        cl.Weld("bolt", first, second, at=(0.5, 0.2), closure=True),
        gravity=(0.0, -9.81),
    )


def in_space(kind, **options):
    """A body on three sliding and three turning axes whose last joint closes a loop."""

    def build():
        eye = (1.0, 1.0, 1.0)
        a, b, c = (cl.Body(name, mass=1.0, inertia=eye, com=(0.1, 0.2, 0.0)) for name in "abc")
        return cl.Model(
            cl.Universal("hip", GROUND, a),
            cl.Cylindrical("sleeve", a, b, axis=(0.0, 1.0, 0.0), at=(0.3, 0.0, 0.0)),
            cl.Universal("wrist", b, c, at=(0.0, 0.4, 0.0)),
            kind("last", GROUND, c, at=(0.2, 0.5, 0.1), at_second=(0.0, 0.2, 0.1), closure=True,
                 **options),
            gravity=(0.0, 0.0, -9.81),
        )  # fmt: skip

    return build


SPACE = [in_space(kind, **options) for kind, options in (
    (cl.Cylindrical, {"axis": (0.2, 1.0, 0.0)}), (cl.PlanarJoint, {}), (cl.Spherical, {}),
    (cl.Universal, {}), (cl.Revolute, {"axis": (0.0, 1.0, 0.3)}),
)]  # fmt: skip


@pytest.mark.parametrize("build", [guided, swivelled, plated, *SPACE])
def test_every_joint_may_close_a_loop(build):
    """Rows of the formulas at a motion that they allow; the accelerations are the model's own."""
    from scipy.linalg import null_space

    model = build()
    equations = symbolic(model)
    start = cl.query(model)
    W = equations.row_function()(start.q, start.u)[1]
    allowed = null_space(W.T, rcond=1e-9)
    assert allowed.shape[1] > 0
    rates = allowed @ np.random.default_rng(5).normal(size=allowed.shape[1])
    at = dict(zip(equations.coordinates + equations.velocities, [*start.q, *rates], strict=True))
    query = cl.query(model, at=at)
    q, u = query.q, query.u
    np.testing.assert_allclose(u, rates, atol=1e-9)
    M, h = equations.function()(q, u)
    g, W, w_bar = equations.row_function()(q, u)
    n, rows = W.shape
    np.testing.assert_allclose(g, 0.0, atol=1e-9)
    np.testing.assert_allclose(W.T @ u, 0.0, atol=1e-9)
    assert np.abs(w_bar).max() > 1e-3
    # least squares: the rows of some of these loops are redundant
    whole = np.block([[M, -W], [W.T, np.zeros((rows, rows))]])
    solution = np.linalg.lstsq(whole, np.concatenate([h, -w_bar]), rcond=1e-10)[0]
    np.testing.assert_allclose(solution[:n], query.accelerations(), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("build", [crank, hung])
def test_loops_are_rows(build):
    """The accelerations of the rows' own equations are those of the compiled model."""
    model = build()
    equations = symbolic(model)
    query = cl.query(model)
    q, u = query.q, query.u
    M, h = equations.function()(q, u)
    g, W, w_bar = equations.row_function()(q, u)
    n, rows = W.shape
    assert rows == 2
    # the model is assembled to 1e-12 or so, relative to its size
    np.testing.assert_allclose(g, 0.0, atol=1e-10)
    np.testing.assert_allclose(W.T @ u, 0.0, atol=1e-9)
    whole = np.block([[M, -W], [W.T, np.zeros((rows, rows))]])
    solution = np.linalg.solve(whole, np.concatenate([h, -w_bar]))
    np.testing.assert_allclose(solution[:n], query.accelerations(), rtol=1e-8, atol=1e-8)


def test_code_of_rows_runs():
    equations = symbolic(crank())
    space = {}
    exec(equations.to_python(), space)
    q, u = np.array([0.3, -0.4, 0.7]), np.array([1.0, 2.0, 0.1])
    for found, expected in zip(space["rows"](q, u), equations.row_function()(q, u), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)  # the same formulas
    assert "g &=" in equations.to_latex() and "g[2]" in str(equations)


def threaded():
    nut, rod = (cl.Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0)) for name in ("nut", "rod"))
    return cl.Model(
        cl.Revolute("hinge", GROUND, nut, axis=(0.0, 0.0, 1.0)),
        cl.Prismatic("slide", GROUND, rod, axis=(0.0, 0.0, 1.0)),
        cl.Screw("thread", nut, rod, pitch=0.01, axis=(0.0, 0.0, 1.0), closure=True),
    )


def locked():
    model = crank(closure="guide")
    return model.replace({"guide.locked": True})


def ball():
    return cl.Model(cl.Spherical("ball", GROUND, cl.Body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))))


def driven_by_time():
    joint = cl.Revolute("pin", GROUND, cl.Body("b", mass=1.0, inertia=1.0))
    return cl.Model(joint, cl.Torque("push", joint, value=lambda t: math.sin(t)))


@pytest.mark.parametrize(
    ("build", "name"),
    [(threaded, "thread"), (locked, "guide"), (ball, "ball"), (driven_by_time, "push")],
)
def test_unsupported_parts_are_named(build, name):
    with pytest.raises(cl.ModelError, match=f"'{name}'"):
        symbolic(build())
