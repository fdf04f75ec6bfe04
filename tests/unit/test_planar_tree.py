"""The kernels of the plane against those of space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from dense_tree import build_model, random_tree, state_of

import cornerlaw as cl
from cornerlaw.kernels.planar.binding import moves_in_plane
from cornerlaw.kernels.planar.sines import write_sines
from cornerlaw.kernels.rates import eval_rates, solve_rates
from cornerlaw.simulate.system import System

TREES = [(90, 20), (91, 3), (92, 40), (93, 12), (94, 25), (95, 8), (96, 60)]


def rates(system: System, stage: Any, t: float, q: Any, u: Any) -> tuple[Any, Any]:
    """Return q_dot and u_dot by the stage of integrators, or by the stages of space."""
    nq, nu, nx = system.sizes
    q_dot, u_dot, x = np.full(nq, np.nan), np.full(nu, np.nan), np.zeros(nx)
    assert stage(system.m, system.w, t, q.copy(), u.copy(), x, q_dot, u_dot, x.copy()) == 0
    return q_dot, u_dot


def assert_same_rates(system: System, t: float, q: Any, u: Any) -> None:
    """Compare both ways, to the rounding of sums along the tree."""
    assert moves_in_plane(system.arrays)
    for a, b in zip(
        rates(system, eval_rates, t, q, u), rates(system, solve_rates, t, q, u), strict=True
    ):
        assert np.isfinite(a).all()
        assert np.abs(a - b).max(initial=0.0) <= 1e-12 * max(1.0, np.abs(b).max(initial=0.0))


@pytest.mark.parametrize(("seed", "n"), TREES)
def test_random_trees(seed: int, n: int) -> None:
    """Joints of all kinds of the plane: turned, against their direction, driven, locked."""
    tree = random_tree(seed, n, dim=2)
    system = System(build_model(tree))
    q, u = state_of(tree, system)
    assert_same_rates(system, tree.t, q, u)


def test_random_trees_hold_every_case() -> None:
    """What the trees above are meant to contain."""
    kinds: set[tuple[int, int]] = set()
    driven = branches = armatures = 0
    for seed, n in TREES:
        tree = System(build_model(random_tree(seed, n, dim=2))).arrays.tree
        kinds |= set(zip(tree.joint.tolist(), tree.reverse.tolist(), strict=True))
        driven += int((tree.driven >= 0).sum())
        armatures += int((tree.armature > 0.0).sum())
        branches += int((np.bincount(tree.parent)[: len(tree.joint)] > 1).sum())
    assert {(k, r) for k in (0, 1, 6, 9) for r in (0, 1)} <= kinds
    assert min(driven, branches, armatures) > 3


def loaded_tree() -> cl.Model:
    """Return hinges and slides with springs, a force and a torque on them."""
    ground = cl.Ground("ground")
    bodies = [cl.Body(f"b{k}", mass=0.3 + k, inertia=0.02, com=(0.1, 0.03 * k)) for k in range(5)]
    hinge = cl.Revolute("h0", ground, bodies[0])
    joints = [
        hinge,
        cl.Revolute("h1", bodies[0], bodies[1], at=(0.3, 0.0)),
        cl.Revolute("h2", bodies[1], bodies[2], at=(0.2, 0.1), armature=0.01),
        cl.Revolute("h3", bodies[0], bodies[3], at=(-0.2, 0.1)),
        cl.Prismatic("p4", bodies[3], bodies[4], at=(0.1, 0.0), axis=(0.6, 0.8)),
    ]
    return cl.Model(
        *joints,
        cl.Spring("spring", bodies[2], bodies[4], stiffness=30.0, damping=0.4, rest=0.1),
        cl.TorsionSpring("twist", hinge, stiffness=2.0, damping=0.1),
        cl.Force("push", bodies[4], value=(lambda t: math.sin(t), 1.5)),
        cl.Torque("motor", on=joints[1], value=0.7),
        gravity=(0.4, -9.81),
    )


def test_force_elements() -> None:
    """Forces at bodies and on coordinates reach the recursion."""
    system = System(loaded_tree())
    generator = np.random.default_rng(3)
    for _ in range(5):
        q, u = generator.uniform(-2.0, 2.0, (2, 5))
        assert_same_rates(system, 0.3, q, u)


def double_pendulum(space: bool) -> cl.Model:
    """Return two rods in the plane, or in the plane y = 0 of space."""
    inertia: Any = (0.02, 0.02, 0.02) if space else 0.02
    com, at = ((0.5, 0.0, 0.0), (1.0, 0.0, 0.0)) if space else ((0.5, 0.0), (1.0, 0.0))
    axis: dict[str, Any] = {"axis": (0.0, -1.0, 0.0)} if space else {}
    bodies = [cl.Body(f"b{k}", mass=1.0, inertia=inertia, com=com) for k in range(2)]
    return cl.Model(
        cl.Revolute("a", cl.Ground("ground"), bodies[0], angle=0.4, **axis),
        cl.Revolute("b", bodies[0], bodies[1], at=at, angle=-1.0, **axis),
        gravity=(0.0, 0.0, -9.81) if space else (0.0, -9.81),
    )


def test_same_run_as_in_space() -> None:
    """A run of the double pendulum ends where that of the same bodies in space ends."""
    ends = []
    for space in (False, True):
        model = double_pendulum(space)
        assert moves_in_plane(System(model).arrays) is not space
        sol = cl.simulate(model, t_end=1.0, method=cl.RungeKutta8(rtol=1e-11, atol=1e-12))
        ends.append((sol["a"].angle[-1], sol["b"].angle[-1]))
    # the error of both runs
    assert np.allclose(ends[0], ends[1], rtol=0.0, atol=1e-9)


def test_sines() -> None:
    """Sine and cosine to rounding up to the limit, by the library beyond, nan where it is nan."""
    generator = np.random.default_rng(5)
    angles = np.concatenate([
        generator.uniform(-4.0, 4.0, 997), generator.uniform(-1e5, 1e5, 1000),
        np.arange(-8, 9) * (0.25 * np.pi), [3e7, -1e300, np.nan, np.inf, 0.0],
    ])  # fmt: skip
    room = np.zeros((2, 4 * math.ceil(angles.size / 4)))
    write_sines(angles, angles.size, room)
    with np.errstate(invalid="ignore"):
        exact = np.sin(angles.astype(np.longdouble)), np.cos(angles.astype(np.longdouble))
    for found, wanted in zip(room[:, : angles.size], exact, strict=True):
        assert np.array_equal(np.isnan(found), np.isnan(wanted))
        # one rounding of the result and one of the reduced angle
        assert np.nanmax(np.abs(found - wanted)) < 2.5e-16


def test_a_hinge_without_inertia_is_named() -> None:
    """The failure is that of space."""
    ground, dust = cl.Ground("ground"), cl.Body("dust", mass=0.0, inertia=0.0)
    model = cl.Model(cl.Revolute("loose", ground, dust), gravity=(0.0, -9.81))
    with pytest.raises(cl.CornerlawError, match="loose"):
        cl.simulate(model, t_end=0.1, method=cl.SemiImplicitEuler(dt=0.01))
