"""One contact in closed form against Newton, constant rows and masses against the general ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.arrays.problem import INTERVAL, ProblemArrays, new_problem
from cornerlaw.arrays.solver_scratch import new_solver_scratch
from cornerlaw.gallery.contacts import woodpecker
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.newton import solve_newton
from cornerlaw.kernels.complementarity.single import solve_single
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.kernels.corners import rows as corner_rows
from cornerlaw.kernels.dynamics import accelerate_by_tree, invert_by_tree
from cornerlaw.kernels.lagrangian.binding import has_constant_mass, has_linear_corners
from cornerlaw.kernels.lagrangian.mass import accelerate_constant, invert_constant
from cornerlaw.kernels.lagrangian.rows import eval_linear_corner
from cornerlaw.simulate.system import System


def contact(G: Any, c: Any, mu: float, mu_minus: float = 1.0) -> ProblemArrays:
    """Return the problem of one contact with one friction row."""
    p = new_problem(2)
    p.n[0] = p.n_sets[0] = 2
    p.G[:], p.c[:] = G, c
    p.kind[:], p.start[:], p.size[:] = INTERVAL, (0, 1), 1
    p.master[:], p.upper_0[:] = (-1, 0), (np.inf, 0.0)
    p.lower_1[1], p.upper_1[1] = -mu * mu_minus, mu
    return p


def test_single_contacts_are_those_of_newton() -> None:
    """Random contacts with a unique solution: open, sticking and both ways of sliding."""
    generator = np.random.default_rng(11)
    met = set()
    for _ in range(400):
        A = generator.normal(size=(2, 2))
        G = A @ A.T + 0.2 * np.eye(2)
        # below this no column of the sliding contact can turn its sign: the solution is unique
        mu = generator.uniform(0.0, 0.9) * G[0, 0] / max(abs(G[0, 1]), 1e-9)
        mu = min(mu, 2.0)
        c = generator.normal(size=2)
        p, n = contact(G, c, mu, 0.7), contact(G, c, mu, 0.7)
        assert solve_single(Bundle(p))
        assert residual(Bundle(p), 1e-9) < 1e-12
        assert solve_newton(Bundle(n), Bundle(new_solver_scratch(2))) == 0
        assert np.abs(p.x - n.x).max() < 1e-8 * max(1.0, np.abs(n.x).max())
        slides = 0.0 if abs(p.gamma[1]) < 1e-12 else np.sign(p.gamma[1])
        met.add((bool(p.x[0] > 0.0), slides))
    assert {(False, 1.0), (True, 0.0), (True, 1.0), (True, -1.0)} <= met


def test_frictionless_row() -> None:
    p = new_problem(1)
    p.n[0] = p.n_sets[0] = 1
    p.kind[0], p.size[0], p.upper_0[0], p.G[0, 0] = INTERVAL, 1, np.inf, 4.0
    for c, x in ((-2.0, 0.5), (3.0, 0.0)):
        p.c[0] = c
        assert solve_single(Bundle(p))
        assert p.x[0] == x


def test_others_are_left_alone() -> None:
    """Given bounds, bilateral rows and a lost denominator are somebody else's work."""
    given = contact(np.eye(2), (-1.0, 0.5), 0.3)
    given.upper_0[1] = 1.0
    bilateral = contact(np.eye(2), (-1.0, 0.5), 0.3)
    bilateral.lower_0[0] = -np.inf
    paradox = contact([[1.0, 3.0], [3.0, 9.5]], (-1.0, 0.5), 0.5)
    paradox.c[:] = (-1.0, 5.0)
    assert not solve_single(Bundle(given))
    assert not solve_single(Bundle(bilateral))
    if solve_single(Bundle(paradox)):
        assert residual(Bundle(paradox), 1e-9) < 1e-9


@pytest.fixture
def toy() -> System:
    return System(woodpecker.build(woodpecker.Parameters()))


def test_constant_rows(toy: System) -> None:
    """The rows of the toy by both kernels, bit by bit."""
    assert has_linear_corners(toy.arrays)
    generator = np.random.default_rng(2)
    q, u, u_dot = generator.normal(size=(3, 3))
    w = toy.work
    for c in range(3):
        found = []
        for kernel in (corner_rows.eval_corner, eval_linear_corner):
            w.W[:], w.n_entries[0] = 0.0, 0
            assert kernel(toy.m, toy.w, c, 0.0, q, u, u_dot) == 0
            found.append([x.copy() for x in (w.g, w.gamma, w.gamma_dot, w.W)])
        for a, b in zip(*found, strict=True):
            assert np.array_equal(a, b)


def test_constant_masses(toy: System) -> None:
    """The same accelerations and inverse as by the general kernels."""
    assert has_constant_mass(toy.arrays)
    q, u = np.array([0.0, 0.05, 0.2]), np.array([0.1, -2.0, 3.0])
    toy.accelerations(0.0, q, u, np.zeros(0))
    for constant, general, arguments in (
        (accelerate_constant, accelerate_by_tree, ()),
        (invert_constant, invert_by_tree, (np.array([1.0, -2.0, 0.5]),)),
    ):
        a, b = np.zeros(3), np.zeros(3)
        assert constant(toy.m, toy.w, *arguments, a) == general(toy.m, toy.w, *arguments, b) == 0
        assert np.array_equal(a, b)


def test_models_that_are_not_constant() -> None:
    """A mass matrix that moves, and contacts between contours."""
    swing = cl.LagrangianSystem("s", M=lambda q, t: np.array([[1.0 + q[0] ** 2]]), q0=(0.1,))
    assert not has_constant_mass(System(cl.Model(swing)).arrays)
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 1.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    model = cl.Model(ball, floor, cl.Contact(ball, floor, mu=0.2), gravity=(0.0, -9.81))
    assert not has_linear_corners(System(model).arrays)
