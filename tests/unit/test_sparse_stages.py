"""Every stage of the solver of large problems alone, on small steps that are posed as large ones.

In a run the stages follow each other, and what one gets wrong the next one mends.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba.core import config

import cornerlaw as cl
from cornerlaw.arrays.compact import POSED_LARGE, new_compact
from cornerlaw.arrays.model_arrays import GroupArrays
from cornerlaw.arrays.problem import SOLVED
from cornerlaw.arrays.solver_scratch import TOLERANCE
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse import convex, newton, proximal
from cornerlaw.kernels.complementarity.sparse import rows as products
from cornerlaw.kernels.complementarity.sparse import solve as stages
from cornerlaw.kernels.complementarity.sparse.newton import iterate_newton, write_masses
from cornerlaw.kernels.complementarity.sparse.order import order_velocities
from cornerlaw.kernels.complementarity.sparse.rows import prepare, reference_of
from cornerlaw.kernels.complementarity.sparse.sweeps import sweep_contacts
from cornerlaw.kernels.complementarity.sparse.verify import residual_sparse
from cornerlaw.kernels.complementarity.verify import residual
from cornerlaw.kernels.corners.compact import assemble_compact

pytestmark = pytest.mark.contact_laws(states="evaluating a state changes the arrays looked at here")

V_REF = 1e-9
SQUARE = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
SIZE = (0.4, 0.2, 0.2)
# compiled they are parts of one kernel, and as functions of their own would be compiled anew
plain = pytest.mark.skipif(not config.DISABLE_JIT, reason="stages of a kernel, as plain Python")


def plane(mu: float) -> cl.Model:
    """Return boxes on each other that slide, each in contact with all others if they meet."""
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[cl.Part] = [floor]
    others: list[cl.Part] = [floor]
    for k in range(4):
        start: Any = {"position": (0.0, 0.1 + 0.2 * k), "velocity": (0.3 * (-1.0) ** k, 0.0)}
        inertia = 0.01 + 0.003 * k
        body = cl.Body(f"box {k}", mass=1.0 + 0.3 * k, inertia=inertia, com=(0.01, 0.02), **start)
        shape = cl.Polygon(f"shape {k}", body, vertices=SQUARE)
        parts += [body, shape]
        parts += [cl.Contact(shape, x, mu=mu, name=f"c{k}-{i}") for i, x in enumerate(others)]
        others.append(shape)
    return cl.Model(*parts, gravity=(0.0, -9.81))


def space() -> cl.Model:
    """Return two boxes on each other that slide and turn."""
    ground = cl.Ground("ground", normal=(0.0, 0.0, 1.0))
    parts: list[cl.Part] = [ground]
    below: cl.Part = ground
    for k in range(2):
        body = cl.Body(f"box {k}", mass=10.0, inertia=cl.inertia.box(10.0, SIZE),
                       position=(0.02 * k, 0.0, 0.1 + 0.2 * k), velocity=(0.3 - 0.5 * k, 0.1, 0.0),
                       angular_velocity=(0.0, 0.0, 0.4 * k))  # fmt: skip
        hull = cl.Box(f"hull {k}", body, size=SIZE)
        parts += [body, hull, cl.Contact(hull, below, mu=0.4, name=f"c{k}")]
        below = hull
    return cl.Model(*parts, gravity=(0.0, 0.0, -9.81))


SCENES = {"plane": lambda: plane(0.2), "space": space, "smooth": lambda: plane(0.0)}


class Posed:
    """The problem of a step of a scene, posed as a large one."""

    def __init__(self, scene: str) -> None:
        method = cl.Moreau(dt=1e-3, stabilise=False)
        self.sim = cl.Simulation(SCENES[scene](), method=method)
        self.system = self.sim._system
        k = self.system.work.k
        k.compact.posed[1:] = 0
        self.sim.step(2)
        assert k.compact.posed[0] == POSED_LARGE
        self.k, self.problem = k, k.problem
        self.m, self.w = self.system.m, self.system.w
        self.n = int(k.problem.n[0])

    def begin(self) -> tuple[Any, Any, float]:
        """Forget the solution and make ready for a stage."""
        p, c = self.w.k.problem, self.w.k.compact
        self.problem.x[: self.n] = 0.0
        reference = float(reference_of(p, V_REF))
        prepare(self.m, p, c)
        order_velocities(self.m, p, c)
        write_masses(self.m, c)
        return p, c, reference

    def matrices(self) -> tuple[Any, Any]:
        """Return W, a row per multiplier, and the masses, both with all their zeros."""
        k, nu = self.k.compact, int(self.system.arrays.nu)
        W = np.zeros((self.n, nu))
        for a in range(self.n):
            here = slice(k.start_W[a], k.start_W[a + 1])
            W[a, k.column_W[here]] = k.W[here]
        groups = self.system.arrays.groups
        M = np.zeros((nu, nu))
        for g in range(groups.start.size - 1):
            members = groups.member[groups.start[g] : groups.start[g + 1]]
            n, at = members.size, k.inverse_at[g]
            M[np.ix_(members, members)] = np.linalg.inv(k.inverse[at : at + n * n].reshape(n, n))
        return W, M

    def check(self, limit: float = 1e-10) -> None:
        """Judge the multipliers by both checks, the second one by the whole matrix."""
        first = float(residual_sparse(self.m, self.w, V_REF))
        gamma = self.problem.gamma[: self.n].copy()
        assemble_compact(self.m, self.w)
        second = float(residual(Bundle(self.problem), V_REF))
        assert first == pytest.approx(second, rel=1e-6, abs=1e-14)
        assert second <= limit
        assert np.abs(self.problem.gamma[: self.n] - gamma).max() <= 1e-12


@pytest.mark.parametrize("scene", SCENES)
def test_a_problem_is_solved_from_nothing(scene: str) -> None:
    posed = Posed(scene)
    posed.check()
    posed.problem.x[: posed.n] = 0.0
    assert stages.solve_sparse(posed.m, posed.w) == SOLVED
    posed.check()


@pytest.mark.parametrize("scene", SCENES)
def test_velocities_hidden_by_rounding_are_no_answer(scene: str) -> None:
    posed = Posed(scene)
    for size, seen in ((1e10, True), (1e30, False)):
        posed.problem.x[: posed.n] = size
        assert math.isfinite(residual_sparse(posed.m, posed.w, V_REF)) == seen


@pytest.mark.parametrize("scene", SCENES)
def test_both_checks_agree_on_what_is_wrong(scene: str) -> None:
    """Also where rows or masses have changed since the last time, and where nothing has."""
    posed = Posed(scene)
    rng = np.random.default_rng(1)
    posed.problem.x[: posed.n] += 1e-3 * rng.normal(size=posed.n)
    posed.check(math.inf)
    compact, work = posed.k.compact, posed.system.work
    judged = compact.mobility[: posed.n].copy()
    G = np.array(posed.problem.G[: posed.n, : posed.n])
    np.testing.assert_allclose(judged, np.diag(G), rtol=1e-12)
    compact.mobility[: posed.n] = 7.0
    residual_sparse(posed.m, posed.w, V_REF)
    assert (compact.mobility[: posed.n] == 7.0).all()  # rows that are alike are not looked at
    for change in (compact.W, compact.inverse):
        kept = change.copy()
        change *= 1.5
        residual_sparse(posed.m, posed.w, V_REF)
        assert not (compact.mobility[: posed.n] == 7.0).any()
        change[:] = kept
        compact.mobility[: posed.n] = 7.0
        compact.n_judged[0] = -1
        residual_sparse(posed.m, posed.w, V_REF)
        np.testing.assert_allclose(compact.mobility[: posed.n], judged, rtol=1e-12)
        compact.mobility[: posed.n] = 7.0
    residual_sparse(posed.m, posed.w, V_REF)
    compact.mobility[: posed.n] = 7.0
    compact.start_judged[posed.n] += 1  # the last row had another end
    residual_sparse(posed.m, posed.w, V_REF)
    np.testing.assert_allclose(compact.mobility[: posed.n], judged, rtol=1e-12)
    assert work.k.n_active[0] == posed.n


@plain
@pytest.mark.parametrize(("scene", "stage"), [
    ("plane", "_solve_compliant"), ("space", "_solve_compliant"), ("plane", "_solve_with_loads"),
    ("space", "_solve_with_loads"), ("plane", "_solve_rounds"),
    ("space", "_solve_rounds"), ("smooth", "_solve_stiffer"), ("plane", "_polish"),
    ("space", "_polish"), ("smooth", "_polish"),
])  # fmt: skip
def test_every_stage_alone_gets_to_a_solution(scene: str, stage: str) -> None:
    posed = Posed(scene)
    p, c, reference = posed.begin()
    best = posed.k.y
    posed.k.x[: posed.n] = 0.0  # the first guess
    least = stages._check(posed.m, posed.w, math.inf, best)
    assert least > 1e-3
    if stage == "_polish":
        # near the solution: from a convex problem with some compliance
        stages.start_rounds(posed.m, p, c)
        stages.take_round(posed.m, p, c, reference, 1e-4, 1.0)
        size, least = stages._polish(posed.m, posed.w, reference, least, best)
        assert size <= 1e-6
    elif stage == "_solve_compliant":
        least = stages._solve_compliant(
            posed.m, posed.w, reference, 1.0, stages.SOFTEST, stages.STEPS, least, best
        )
    elif stage == "_solve_with_loads":
        least = stages._solve_with_loads(posed.m, posed.w, reference, posed.k.x, least, best)
    elif stage == "_solve_rounds":
        least = stages._solve_rounds(posed.m, posed.w, reference, 0.01, least, best)
    else:
        least = getattr(stages, stage)(posed.m, posed.w, reference, least, best)
    assert least <= posed.k.solver.options[TOLERANCE]
    posed.problem.x[: posed.n] = best[: posed.n]
    posed.check()


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_sweeps_come_nearer_and_newton_ends_there(scene: str) -> None:
    posed = Posed(scene)
    p, c, reference = posed.begin()
    sizes = []
    for _ in range(3):
        sweep_contacts(posed.m, p, c, reference, 60, 1e-14)
        sizes.append(float(residual_sparse(posed.m, posed.w, V_REF)))
    assert sizes[2] < sizes[0] < 0.1
    assert iterate_newton(posed.m, p, c, reference, 60, 1e-12, True) <= 1e-11
    posed.check()


# projections onto sets and their slopes, without a model

SETS = [
    cl.sets.unilateral(), cl.sets.unilateral(), cl.sets.friction(0.6, normal=1),
    cl.sets.interval(0.0, 0.9), cl.sets.disc(0.4, normal=3), cl.sets.free(),
    cl.sets.interval(-0.5, 1.5), cl.sets.ball(0.8), cl.sets.ball(0.0),
]  # fmt: skip
STARTS = np.cumsum([0, *(item.size for item in SETS)])
ETA = 0.3


def projected(z: Any, x: Any) -> Any:
    """Return the projection of z onto all sets, with bounds at the loads of x."""
    out = z.copy()
    for k, (lower, upper) in enumerate(
        [(0.0, np.inf), (0.0, np.inf), (0.6, 0.6), (0.0, 0.9), (0.4, 0.4), (-np.inf, np.inf),
         (-0.5, 1.5), (0.8, 0.8), (0.0, 0.0)]
    ):  # fmt: skip
        rows = slice(STARTS[k], STARTS[k + 1])
        if k == 2:
            size = lower * max(x[1], 0.0)
            out[rows] = np.clip(z[rows], -size, size)
        elif k in (4, 7, 8):
            size = upper * (max(x[3], 0.0) if k == 4 else 1.0)
            length = np.linalg.norm(z[rows])
            out[rows] = z[rows] if length <= size else z[rows] * size / length
        else:
            out[rows] = np.clip(z[rows], lower, upper)
    return out


def sets_alone(seed: int) -> tuple[Any, Any, Any, Any]:
    """Return a problem with its compact arrays, rates of all contacts, and a random generator."""
    rng = np.random.default_rng(seed)
    n = int(STARTS[-1])
    arrays = cl.ContactProblem(np.eye(n), rng.normal(size=n), SETS).arrays()
    compact = new_compact(n, n, np.arange(n + 1))
    compact.scale[:n] = np.repeat(rng.uniform(0.5, 2.0, len(SETS)), np.diff(STARTS))
    compact.slope[:] = np.nan
    return arrays, compact, 1.0 / (ETA * compact.scale[:n]), rng


def differences(function: Any, at: Any, h: float = 1e-7) -> Any:
    """Return the matrix of derivatives by central differences."""
    columns = []
    for j in range(at.size):
        step = np.zeros(at.size)
        step[j] = h
        columns.append((function(at + step) - function(at - step)) / (2.0 * h))
    return np.array(columns).T


@plain
@pytest.mark.parametrize("seed", range(10))
def test_slopes_of_projections_with_given_loads(seed: int) -> None:
    p, c, rate, rng = sets_alone(seed)
    n = rate.size
    p.x[:n] = rng.normal(size=n)
    z = (0.3 if seed % 2 else 1.5) * rng.normal(size=n)
    convex._write_slopes(Bundle(p), Bundle(c), z, ETA)
    wanted = differences(lambda at: projected(at, p.x), z)
    for k in range(len(SETS)):
        rows = range(STARTS[k], STARTS[k + 1])
        block = wanted[np.ix_(rows, rows)] * rate[rows[0]]
        found = c.slope[rows[0] : rows[-1] + 1, : len(rows)]
        np.testing.assert_allclose(found, block, atol=1e-6)
    inside = z.copy()
    convex._project(Bundle(p), inside)
    np.testing.assert_allclose(inside, projected(z, p.x[:n]), atol=1e-14)


@plain
@pytest.mark.parametrize("seed", range(10))
def test_slopes_of_projections_whose_loads_move_with_them(seed: int) -> None:
    """x(gamma) of compliant contacts: loads first, friction by the loads that they get."""
    p, c, rate, rng = sets_alone(seed)
    n = rate.size
    p.x[:n], p.gamma[:n], c.along[:n] = rng.normal(size=(3, n))
    fraction = 0.7

    def respond(gamma: Any) -> Any:
        z = p.x[:n] - gamma * rate
        return projected(z, projected(z, z))

    gamma = p.gamma[:n] + fraction * c.along[:n]
    proximal._respond(Bundle(p), Bundle(c), ETA, fraction, True)
    np.testing.assert_allclose(c.x_trial[:n], respond(gamma), atol=1e-13)
    wanted = -differences(respond, gamma)
    for k in range(len(SETS)):
        rows = range(STARTS[k], STARTS[k + 1])
        found = c.slope[rows[0] : rows[-1] + 1]
        np.testing.assert_allclose(
            found[:, : len(rows)], wanted[np.ix_(rows, rows)], rtol=1e-6, atol=1e-6
        )
        load = {2: 1, 4: 3}.get(k)
        if load is not None:
            with_load = found[:, proximal.LOAD] * c.slope[load, 0]
            np.testing.assert_allclose(with_load, wanted[rows, load], rtol=1e-6, atol=1e-6)


@plain
@pytest.mark.parametrize("seed", range(4))
def test_slope_along_a_direction(seed: int) -> None:
    """linear + fraction quadratic - x . along, with x the projection on the way."""
    p, c, rate, rng = sets_alone(seed)
    n = rate.size
    p.x[:n], p.gamma[:n], c.along[:n] = rng.normal(size=(3, n))
    for fraction in (0.0, 0.7):
        x = projected(p.x[:n] - (p.gamma[:n] + fraction * c.along[:n]) * rate, p.x)
        found = convex._eval_slope(Bundle(p), Bundle(c), ETA, fraction, 0.4, 1.3)
        assert found == pytest.approx(0.4 + 1.3 * fraction - x @ c.along[:n], abs=1e-12)


@plain
@pytest.mark.parametrize("root", [0.05, 0.3, 0.95, 1.0, 1.05, 1.8, 1.97, 2.1, 5.0, 40.0])
@pytest.mark.parametrize("size", [0.0, 0.5])
def test_a_search_ends_where_the_slope_has_nearly_vanished(root: float, size: float) -> None:
    """Within a tenth of what it was; the whole step is tried first and is enough where it does."""
    p, c, rate, rng = sets_alone(2)
    n = rate.size
    p.x[:n], p.gamma[:n] = rng.normal(size=(2, n))
    c.along[:n] = size * rng.normal(size=n)
    arguments = Bundle(p), Bundle(c), ETA
    # a function whose slope vanishes at the root, by the choice of its linear part
    linear = -convex._eval_slope(*arguments, root, 0.0, 1.0)
    first = convex._eval_slope(*arguments, 0.0, linear, 1.0)
    assert first < 0.0
    fraction = convex._search(*arguments, linear, 1.0)
    assert abs(convex._eval_slope(*arguments, fraction, linear, 1.0)) <= 0.1 * abs(first) + 1e-14
    if abs(convex._eval_slope(*arguments, 1.0, linear, 1.0)) <= 0.1 * abs(first):
        assert fraction == 1.0
    elif size == 0.0 and root != 0.05:
        # a slope that grows evenly: the chord leads to the root, but not too near to an end
        expected = {1.97: 1.9, 2.1: 2.2}.get(root, root)
        assert fraction == pytest.approx(expected, rel=1e-12)


@plain
@pytest.mark.parametrize("root", [0.9, 0.6, 1.4, 3.0])
@pytest.mark.parametrize("bend", [5.0, 0.5])
def test_a_search_narrows_the_interval_from_both_sides(
    root: float, bend: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the slope is bent one chord is not enough, neither from below nor from above."""
    tried: list[float] = []

    def slope(p: Any, c: Any, eta: float, fraction: float, *_: Any) -> float:
        tried.append(fraction)
        return float(fraction**bend - root**bend)

    monkeypatch.setattr(convex, "_eval_slope", slope)
    fraction = convex._search(None, None, ETA, 0.0, 0.0)
    assert abs(fraction**bend - root**bend) <= 0.1 * root**bend
    assert fraction == tried[-1] and len(tried) < 20
    # every probe is between the nearest ones on both sides of the root
    doublings = [0.0, *(x for x in (1.0, 2.0, 4.0) if x < 2.0 * root or x == 1.0)]
    assert tried[: len(doublings)] == doublings
    low = max(x for x in doublings if x < root)
    high = min(x for x in doublings if x > root)
    for x in tried[len(doublings) :]:
        assert low < x < high
        low, high = (x, high) if x < root else (low, x)


@plain
def test_rows_on_the_same_velocities_share_a_line() -> None:
    """Rows 0 and 1 act on the same ones; 2 on others, 3 on fewer, 4 on the same in another order.

    A line that is not shared is only slower.
    """
    columns = [(1, 3, 4), (1, 3, 4), (1, 3, 5), (1, 3), (1, 4, 3), (1, 3, 4)]
    n = len(columns)
    c = new_compact(n, 8, np.arange(9))
    c.start_W[: n + 1] = np.cumsum([0, *map(len, columns)])
    flat = [j for row in columns for j in row]
    c.column_W[: len(flat)] = flat
    c.W[: len(flat)] = np.arange(1.0, len(flat) + 1.0)
    rows = [c.W[c.start_W[a] : c.start_W[a + 1]].copy() for a in range(n)]
    for a in (0, 1, 5):
        c.push[:] = 7.0
        products.begin_line(c, a)
        assert c.push.tolist() == [0.0] * 3 + [7.0] * 5
        for b in (2, 3, 4):
            assert not products.add_to_line(c, a, b, 0.5)
            assert not products.add_to_line(c, b, a, 0.5)
        assert c.push.tolist() == [0.0] * 3 + [7.0] * 5
        for b in (0, 1, 5):
            assert products.add_to_line(c, a, b, 0.5 + b)
        wanted = sum((0.5 + b) * rows[b] for b in (0, 1, 5))
        np.testing.assert_allclose(c.push[:3], wanted, rtol=1e-15)
    assert products.add_to_line(c, 3, 3, 1.0)


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_what_is_known_of_a_problem_before_it_is_solved(scene: str) -> None:
    """Responses, speeds, blocks and scales by whole matrices, contacts by the masters of sets."""
    posed = Posed(scene)
    p, k, n = posed.problem, posed.k.compact, posed.n
    sets = [range(p.start[i], p.start[i] + p.size[i]) for i in range(p.n_sets[0])]
    owner = [next((i for i, rows in enumerate(sets) if p.master[j] in rows), j)
             for j in range(len(sets))]  # fmt: skip
    contact = np.array([owner[i] for i, rows in enumerate(sets) for _ in rows])
    still = contact == owner[-1]  # the rows of the last contact move nothing
    for a in np.flatnonzero(still):
        k.W[k.start_W[a] : k.start_W[a + 1]] = 0.0
    # of whatever was before, when the row before the last one was the last to list every group
    k.dv[:], k.seen[:] = 7.0, k.serial[0] - 1
    p.master[len(sets) :] = 0
    posed.begin()
    W, M = posed.matrices()
    Z = np.linalg.solve(M, W.T).T
    G = W @ Z.T
    np.testing.assert_allclose(k.diagonal[:n], np.diag(G), rtol=1e-9, atol=1e-15)
    for i, rows in enumerate(sets):
        block = np.abs(G[np.ix_(rows, rows)])
        assert k.curvature[i] == pytest.approx(block.sum(axis=1).max(), rel=1e-9, abs=1e-15)
        assert set(k.set_of[rows]) == {i}
        assert k.owner[i] == owner[i]
        tied, found = int(k.tied[i]), []
        while tied >= 0:
            found.append(tied)
            tied = int(k.next_tied[tied])
        assert found == [j for j in range(len(sets)) if owner[j] == i != j]
    for i in set(owner):
        mine = contact == i
        largest = np.diag(G)[mine].max()
        np.testing.assert_allclose(k.scale[:n][mine], largest if i != owner[-1] else 1.0, rtol=1e-9)
    rng = np.random.default_rng(6)
    x, dv, gamma = rng.normal(size=n), np.zeros(M.shape[0]), np.zeros(n)
    x[::3] = 0.0
    products.eval_gamma(posed.m, posed.w.k.problem, posed.w.k.compact, x, gamma)
    np.testing.assert_allclose(k.dv, x @ Z, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gamma, p.c[:n] + G @ x, rtol=1e-9, atol=1e-12)
    for a in range(n):
        products.add_response(posed.w.k.compact, a, x[a], dv)
        speed = products.row_speed(posed.w.k.compact, a, dv)
        assert speed == pytest.approx(W[a] @ (x[: a + 1] @ Z[: a + 1]), rel=1e-9, abs=1e-12)


@plain
def test_velocities_of_the_groups_that_rows_act_on() -> None:
    """Those of the groups 2 and 1, which two rows name in turn; nothing acts on the group 0."""
    groups = GroupArrays(of=np.array([0, 0, 1, 1, 1, 2]), start=np.array([0, 2, 5, 6]),
                         member=np.arange(6), place=np.array([0, 1, 0, 1, 2, 0]))  # fmt: skip
    c = new_compact(2, 6, groups.start)
    c.start_group[:3], c.group[:4] = (0, 2, 4), (2, 1, 1, 2)
    c.serial[0], c.seen[:] = 5, (5, 4, 4)
    p = SimpleNamespace(n=np.array([2]))
    products._list_velocities(SimpleNamespace(groups=groups), p, c)
    assert c.order[: c.n_local[0]].tolist() == [5, 2, 3, 4]


@plain
def test_the_velocity_that_residuals_are_compared_with() -> None:
    """The largest free velocity, of either sign, not below the reference of the model."""
    problem = cl.ContactProblem(np.eye(3), np.zeros(3), [cl.sets.unilateral()] * 3).arrays()
    for c, wanted in (((0.1, -0.7, 0.3), 0.7), ((0.1, 0.2, 0.9), 0.9), ((0.0, -1e-3, 0.0), 1e-2),
                      ((0.2, math.inf, 0.1), math.inf)):  # fmt: skip
        problem.c[:] = c
        assert reference_of(Bundle(problem), 1e-2) == wanted
    problem.c[:] = 0.3, 0.2, math.nan
    assert math.isnan(reference_of(Bundle(problem), 1e-2))


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_defects_of_velocities(scene: str) -> None:
    """W^T x - M v, in the order of elimination, its size as a velocity and its energy."""
    posed = Posed(scene)
    p, c, _ = posed.begin()
    k, nu = posed.k.compact, int(posed.system.arrays.nu)
    rng = np.random.default_rng(3)
    order = k.order[:nu]
    W, M = posed.matrices()
    v, d, x = rng.normal(size=nu), rng.normal(size=nu), rng.normal(size=posed.n)
    k.v[:nu], k.y[:nu], k.x_trial[: posed.n] = v[order], d[order], x
    for fraction in (0.0, 0.6):
        defect = W.T @ x - M @ (v + fraction * d)
        worst, merit = proximal._eval_defect(posed.m, p, c, fraction)
        np.testing.assert_allclose(k.rhs[:nu], defect[order], rtol=1e-9, atol=1e-9)
        speed = np.linalg.solve(M, defect)
        assert worst == pytest.approx(np.abs(speed).max(), rel=1e-9)
        assert merit == pytest.approx(defect @ speed, rel=1e-9)
    k.rhs[:nu] = 0.0
    assert convex._eval_gradient(posed.m, p, c) == pytest.approx(
        np.abs(np.linalg.solve(M, W.T @ x - M @ v)).max(), rel=1e-9
    )
    np.testing.assert_allclose(k.rhs[:nu], (W.T @ x - M @ v)[order], rtol=1e-9, atol=1e-9)


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_a_step_of_a_convex_problem_ends_where_it_stops_falling(scene: str) -> None:
    """With a loose tolerance it is one step, at the end of which the slope has nearly vanished."""
    posed = Posed(scene)
    p, c, _ = posed.begin()
    k, nu = posed.k.compact, int(posed.system.arrays.nu)
    rng = np.random.default_rng(4)
    start = 0.1 * rng.normal(size=nu)

    def gradient() -> Any:
        convex._eval_gradient(posed.m, p, c)
        return -k.rhs[:nu].copy()

    def multipliers(v: Any) -> None:
        k.v[:nu] = v
        convex.eval_speeds(p, c, k.v, posed.problem.gamma)
        posed.problem.gamma[: posed.n] += posed.problem.c[: posed.n]
        k.along[: posed.n] = 0.0
        convex._eval_trial(p, c, 1e-2, 0.0)
        convex._project(p, k.x_trial)

    multipliers(start)
    before = gradient()
    sizes = []
    for tolerance in (1e9, 0.0):
        k.v[:nu] = start
        convex._minimise(posed.m, p, c, 1e-2, tolerance)
        end = k.v[:nu].copy()
        multipliers(end)
        after = gradient()
        sizes.append(float(np.abs(after).max()))
        if tolerance:
            way = end - start
            assert way @ before < 0.0
            assert abs(way @ after) <= 0.1 * abs(way @ before) * (1.0 + 1e-9)
    assert sizes[1] <= 1e-8 * np.abs(before).max() < sizes[0]


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_one_step_leads_to_the_minimum_where_all_contacts_are_open(scene: str) -> None:
    """1/2 v^T M v alone is left, whose minimum is rest."""
    posed = Posed(scene)
    p, c, _ = posed.begin()
    k, nu = posed.k.compact, int(posed.system.arrays.nu)
    posed.problem.c[: posed.n] = 1e3
    k.v[:nu] = 0.1 * np.random.default_rng(8).normal(size=nu)
    convex._minimise(posed.m, p, c, 1e-2, 1e9)
    # rounding of one linear system
    assert np.abs(k.v[:nu]).max() <= 1e-12
    assert not k.x_trial[: posed.n].any()


@plain
@pytest.mark.parametrize("n", [1, 3, 6])
def test_masses_are_inverses_of_inverses(n: int) -> None:
    """Of the second of two groups; a prescribed velocity has no inverse mass and gets mass 1."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    inverse = A @ A.T + np.eye(n)
    for driven in (-1, n - 1):
        groups = GroupArrays(of=np.repeat([0, 1], [2, n]), start=np.array([0, 2, 2 + n]),
                             member=np.arange(2 + n), place=np.r_[0, 1, 0:n])  # fmt: skip
        m = SimpleNamespace(groups=groups, tree=SimpleNamespace(driven=np.full(2 + n, -1)))
        c = new_compact(1, 2 + n, groups.start)
        held = inverse.copy()
        if driven >= 0:
            m.tree.driven[2 + driven] = 0
            held[driven], held[:, driven] = 0.0, 0.0
        c.inverse_at[:2] = 0, 4
        c.inverse[: 4 + n * n] = np.r_[np.eye(2).ravel(), held.ravel()]
        c.n_local[0], c.order[: 2 + n] = 2 + n, np.arange(2 + n)
        newton.write_masses(m, c)
        if driven >= 0:
            held[driven, driven] = 1.0
        found = c.mass[4 : 4 + n * n].reshape(n, n)
        np.testing.assert_allclose(found @ held, np.eye(n), atol=1e-10)
        np.testing.assert_allclose(c.mass[:4], np.eye(2).ravel())


@plain
@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("seed", range(3))
def test_steps_of_newton_solve_the_linear_equations_of_the_map(scene: str, seed: int) -> None:
    """(J + eta g) dx = -F, with J by differences of the map and the whole matrix G."""
    posed = Posed(scene)
    assemble_compact(posed.m, posed.w)
    G = np.array(posed.problem.G[: posed.n, : posed.n])
    free, solution = posed.problem.c[: posed.n].copy(), posed.problem.x[: posed.n].copy()
    p, c, _ = posed.begin()
    k, eta = posed.k.compact, 1e-3
    rng = np.random.default_rng(seed)
    x = solution + 0.5 * np.abs(solution).max() * rng.normal(size=posed.n)
    room = posed.problem.x

    def value(point: Any) -> Any:
        room[: posed.n], posed.problem.gamma[: posed.n] = point, G @ point + free
        newton.eval_natural_map(p, c, room, posed.problem.gamma, k.F)
        return k.F[: posed.n].copy()

    J = differences(value, x, 1e-7 * np.abs(x).max())
    F = value(x)
    newton.write_slopes(p, c, eta, True)
    newton.write_push(p, c)
    newton.assemble(posed.m, p, c)
    newton.factor_envelope(c, 1e-14)
    newton.solve_envelope(c, k.rhs)
    newton.write_step(p, c)
    step = k.step[: posed.n]
    left = J @ step + eta * k.scale[: posed.n] * step
    # differences of a map with kinks nearby: 1e-7 of what is added up
    assert np.abs(left + F).max() <= 1e-6 * (np.abs(J) @ np.abs(step)).max()


@plain
@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("ahead", [0.0, 3.0])
def test_a_compliant_round_begins_ahead_of_the_last_one(scene: str, ahead: float) -> None:
    """x = P(x_0 - gamma(x) / (eta g)), at rest at x_0 = x_before + ahead times the last change."""
    posed = Posed(scene)
    assemble_compact(posed.m, posed.w)
    n = posed.n
    G, free = np.array(posed.problem.G[:n, :n]), posed.problem.c[:n].copy()
    before = posed.problem.x[:n].copy()
    p, c, reference = posed.begin()
    k, eta = posed.k.compact, 1e-2
    change = 2.0 * np.abs(before).max() * np.random.default_rng(5).normal(size=n)
    posed.problem.x[:n], k.step[:n] = before, change
    stages.start_rounds(posed.m, p, c)
    found = stages.take_step(posed.m, p, c, reference, eta, ahead, 1e-2, posed.k.z)
    assert found < math.inf
    after = posed.problem.x[:n].copy()
    np.testing.assert_allclose(k.step[:n], (after - before) / (1.0 + ahead), atol=1e-14)
    posed.problem.x[:n] = before + ahead * change
    posed.problem.gamma[:n], k.along[:n] = G @ after + free, 0.0
    proximal._respond(p, c, eta, 0.0, False)
    # the tolerance of a round, 1e-4 of the velocities, over eta and the mobility
    room = 2e-4 * reference / (eta * k.scale[:n].min())
    np.testing.assert_allclose(k.x_trial[:n], after, atol=room)
    assert np.abs(change).max() > 5.0 * room


@plain
@pytest.mark.parametrize("scene", SCENES)
def test_a_compliant_step_is_halved_until_its_defect_falls(scene: str) -> None:
    """The first of 1, 1/2, ... 1/32 that helps, or the best of them, or the whole one."""
    posed = Posed(scene)
    p, c, _ = posed.begin()
    k, n, nu = posed.k.compact, posed.n, int(posed.system.arrays.nu)
    rng = np.random.default_rng(7)
    falling = 0
    for _ in range(6):
        posed.problem.x[:n] = np.abs(rng.normal(size=n))
        k.v[:nu], k.y[:nu] = 0.1 * rng.normal(size=(2, nu))
        posed.problem.gamma[:n] = 0.1 * rng.normal(size=n)
        k.along[:n] = 0.1 * rng.normal(size=n)
        fractions = 0.5 ** np.arange(6)
        values = []
        for fraction in fractions:
            proximal._respond(p, c, 1e-2, fraction, False)
            values.append(proximal._eval_defect(posed.m, p, c, fraction)[1])
        least = min(values)
        near = [share * value for value in values for share in (1.0, 1.01)]
        for merit in (*near, 1e3 * max(values), 0.5 * least):
            enough = [
                f for f, v in zip(fractions, values, strict=True) if v <= (1.0 - 1e-4 * f) * merit
            ]
            if enough:
                tried = values[: 1 + list(fractions).index(enough[0])]
                best = fractions[int(np.argmin(tried))]
                good = min(tried) <= 0.98 * merit
            else:
                best, good = fractions[int(np.argmin(values))], least <= 0.98 * merit
            wanted = (best, True) if good else (1.0, False)
            assert proximal._search(posed.m, p, c, 1e-2, merit) == wanted
            falling += good
    assert falling >= 6


@plain
@pytest.mark.parametrize("count", [1, 3])
def test_a_round_makes_as_many_steps_as_it_may(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Its last step is judged as well."""
    posed = Posed("plane")
    p, c, _ = posed.begin()
    stages.start_rounds(posed.m, p, c)
    sizes: list[float] = []
    judge, v = proximal._eval_defect, posed.k.compact.v.copy()

    def note(m: Any, p: Any, c: Any, fraction: float) -> Any:
        worst, merit = judge(m, p, c, fraction)
        if fraction == 0.0:
            sizes.append(worst)
        return worst, merit

    monkeypatch.setattr(proximal, "_STEPS", count)
    monkeypatch.setattr(proximal, "_eval_defect", note)
    assert not proximal._solve_compliant(posed.m, p, c, 1e-2, 0.0)
    assert len(sizes) == count + 1
    posed.k.compact.v[:] = v
    assert proximal._solve_compliant(posed.m, p, c, 1e-2, min(sizes[1:]) * (1.0 + 1e-9))


@plain
def test_a_round_ends_with_the_third_step_that_does_not_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    posed = Posed("plane")
    p, c, _ = posed.begin()
    stages.start_rounds(posed.m, p, c)
    helped: list[bool] = []
    search = proximal._search

    def note(*arguments: Any) -> Any:
        fraction, falls = search(*arguments)
        helped.append(falls)
        return fraction, falls

    monkeypatch.setattr(proximal, "_search", note)
    # no defect is that small: beyond rounding nothing helps
    assert not proximal._solve_compliant(posed.m, p, c, 1e-2, -1.0)
    assert helped.count(False) == 3 and not helped[-1] and helped[0]


@plain
@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("reason", ["no number", "the map grows", "good"])
def test_a_round_that_fails_changes_nothing(scene: str, reason: str) -> None:
    posed = Posed(scene)
    n = posed.n
    before = 1.1 * posed.problem.x[:n]
    p, c, reference = posed.begin()
    k, nu = posed.k.compact, int(posed.system.arrays.nu)
    posed.problem.x[:n], k.step[:n] = before, 0.01
    stages.start_rounds(posed.m, p, c)
    speeds = k.v[:nu].copy()
    size = {"no number": 1.0, "the map grows": 1e-25, "good": 1.0}[reason]
    if reason == "no number":
        posed.problem.c[0] = math.nan
    found = stages.take_step(posed.m, p, c, reference, 1e-2, 1.0, size, posed.k.z)
    assert (found < math.inf) == (reason == "good")
    if reason != "good":
        np.testing.assert_array_equal(posed.problem.x[:n], before)
        np.testing.assert_array_equal(k.v[:nu], speeds)
        np.testing.assert_array_equal(k.step[:n], 0.01)
        return
    # the size is that of the natural map at the end, by the largest entry
    assert found == pytest.approx(np.abs(k.F[:n]).max() / reference, rel=1e-12)
    assert np.abs(posed.problem.x[:n] - before).max() > 0.0
