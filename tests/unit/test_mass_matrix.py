"""Mass matrix, its factors and the small algebra below them, against NumPy, SciPy and SymPy."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from dense_tree import build_model, index_of, random_tree, solve_dense, state_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import cornerlaw as cl
from cornerlaw.compile.jets import trace
from cornerlaw.compile.tables import SignalTable
from cornerlaw.errors import CompileError
from cornerlaw.kernels import linalg, mass_matrix, rotations
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.signals import eval_motion, eval_signal
from cornerlaw.kernels.tree import apply_inverse_tree
from cornerlaw.simulate.system import System

TREES = [(3, 4, 3), (26, 12, 3), (52, 25, 3), (60, 40, 3), (90, 20, 2)]


def evaluated(seed: int, n: int, dim: int) -> tuple[System, Any, Any]:
    """Return a system after one evaluation, its dense reference and the map between them."""
    tree = random_tree(seed, n, dim=dim)
    for link in tree.links:
        link.locked = {}
    system, dense = System(build_model(tree)), solve_dense(tree)
    q, u = state_of(tree, system)
    system.accelerations(tree.t, q, u, np.zeros(0))
    return system, dense, index_of(tree, system, dense)


# the mass matrix


@pytest.mark.parametrize(("seed", "n", "dim"), TREES)
def test_composite_mass_matrix_is_jacobian_product(seed: int, n: int, dim: int) -> None:
    """M = J^T M_b J + armature, to rounding: sums of a few hundred products."""
    system, dense, where = evaluated(seed, n, dim)
    M = np.zeros((system.arrays.nu, system.arrays.nu))
    mass_matrix.assemble_mass(system.m, system.w, M)
    assert np.array_equal(M, M.T)
    expected = dense.M.astype(float)
    assert np.abs(M[np.ix_(where, where)] - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize(("seed", "n", "dim"), TREES)
def test_inverse_along_the_tree(seed: int, n: int, dim: int) -> None:
    """M^-1 b by the O(n) sweeps, zero on prescribed velocities; error ~ condition * 1e-16."""
    system, dense, where = evaluated(seed, n, dim)
    b, y = np.random.default_rng(seed).normal(size=(2, system.arrays.nu))
    apply_inverse_tree(system.m, system.w, b, y)
    free = np.flatnonzero(dense.free)
    M = dense.M[np.ix_(free, free)].astype(float)
    expected = np.linalg.solve(M, b[where][free])
    tolerance = 1e-15 * np.linalg.cond(M) * np.abs(expected).max()
    assert np.abs(y[where][free] - expected).max() < max(1e-12, 10.0 * tolerance)
    prescribed = np.flatnonzero(system.arrays.tree.driven >= 0)
    assert not y[prescribed].any()


def chain_with_rod(n: int, branches: int) -> cl.Model:
    """Planar chains from the ground, the ends of the first two joined by a heavy rod.

    One joint of each chain is driven, and a system of its own stands beside the tree.
    """
    ground = cl.Ground()
    parts: list[Any] = []
    ends = []
    for b in range(branches):
        last: Any = ground
        for k in range(n):
            body = cl.Body(f"b{b}{k}", mass=1.0 + 0.1 * k, inertia=0.1, com=(0.4, 0.05))
            drive = 0.3 if k == 1 and b == 2 else None
            angle = None if drive else 0.3 + 0.2 * b
            parts.append(
                cl.Revolute(f"j{b}{k}", last, body, at=(1.0, 0.3 * b), angle=angle, drive=drive)
            )
            last = body
        ends.append(last)
    parts.append(cl.Rod("rod", ends[0], ends[1], at=(1.0, 0.0), at_second=(1.0, 0.0), mass=2.0))
    parts.append(
        cl.LagrangianSystem("own", M=[[2.0, 0.5], [0.5, 1.0]], q0=(0.0, 0.0), h=(1.0, 2.0))
    )
    return cl.Model(*parts, gravity=(0.0, -9.81))


def test_sparse_factor_follows_the_tree() -> None:
    """M = L^T D L on the pattern: the solve equals NumPy's, and branches stay uncoupled."""
    system = System(chain_with_rod(3, 4))
    a, w = system.arrays, system.work
    q, u = np.random.default_rng(1).normal(size=(2, a.nu))
    system.accelerations(0.0, q, u, np.zeros(0))
    M = np.zeros((a.nu, a.nu))
    mass_matrix.assemble_mass(system.m, system.w, M)
    assert np.array_equal(M[-2:, -2:], [[2.0, 0.5], [0.5, 1.0]])
    factor = M.copy()
    assert mass_matrix.factor_sparse(system.m, factor) == -1
    free = np.flatnonzero(a.tree.driven < 0)
    # unpack: row k of L below the diagonal, D on it
    L, D = np.eye(a.nu), np.diag(factor).copy()
    entries = set()
    for k in range(a.nu):
        for i in a.pattern.column[a.pattern.start[k] : a.pattern.start[k + 1]]:
            L[k, i] = factor[k, i]
            entries.add((k, int(i)))
    # columns of prescribed velocities do not take part
    L, D = L[np.ix_(free, free)], D[free]
    reduced = M[np.ix_(free, free)]
    assert np.abs(L.T @ np.diag(D) @ L - reduced).max() < 1e-13 * np.abs(reduced).max()
    b, y = np.random.default_rng(2).normal(size=(2, a.nu))
    mass_matrix.apply_inverse_sparse(system.m, factor, b, y)
    expected = np.linalg.solve(reduced, b[free])
    assert np.abs(y[free] - expected).max() < 1e-13 * np.linalg.cond(reduced)
    assert not y[a.tree.driven >= 0].any()
    # no fill-in: an entry couples velocities of one branch, or of the two that the rod joins
    branch = [
        int(c.part[1]) if c.part[0] == "j" else 9 for c in system.compiled.numbering.coordinates
    ]
    joined = {0: 0, 1: 0, 2: 2, 3: 3, 9: 9}
    assert entries
    assert all(joined[branch[k]] == joined[branch[i]] for k, i in entries)
    nonzero = {(k, i) for k in range(a.nu) for i in range(k) if abs(M[k, i]) > 0.0}
    nonzero = {(k, i) for k, i in nonzero if k in free and i in free}
    assert entries == nonzero  # the factor has the pattern of M itself
    assert w.M.shape == M.shape


def test_sparse_path_agrees_with_tree_path() -> None:
    """A rod of vanishing mass changes the path of the solve, not the accelerations."""
    heavy = chain_with_rod(3, 3)
    light = System(heavy.replace({"rod.mass": 1e-300}))
    plain = System(heavy.replace({"rod.mass": 0.0}))
    assert light.arrays.factor != plain.arrays.factor
    q, u = np.random.default_rng(3).normal(size=(2, light.arrays.nu))
    first, _, lam_1 = light.accelerations(0.0, q.copy(), u.copy(), np.zeros(0))
    second, _, lam_2 = plain.accelerations(0.0, q.copy(), u.copy(), np.zeros(0))
    assert np.allclose(first, second, rtol=1e-11, atol=1e-11)
    assert np.allclose(lam_1, lam_2, rtol=1e-11, atol=1e-11)


# small algebra


@given(n=st.integers(1, 8), seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_cholesky(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(n, n + 2))
    G, b, L = B @ B.T, rng.normal(size=n), np.zeros((n, n))
    assert linalg.factor_cholesky(G, n, L) == -1
    assert np.allclose(np.tril(L), np.linalg.cholesky(G), rtol=1e-9, atol=1e-12)
    x = b.copy()
    linalg.solve_cholesky(L, n, x)
    assert np.abs(x - np.linalg.solve(G, b)).max() < 1e-13 * np.linalg.cond(G)


def test_cholesky_names_the_bad_pivot() -> None:
    for bad in range(3):
        G = np.diag([1.0, 2.0, 3.0])
        G[bad, bad] = -1e-3
        assert linalg.factor_cholesky(G, 3, np.zeros((3, 3))) == bad


@given(
    n=st.integers(1, 9),
    rank=st.integers(1, 9),
    seed=st.integers(0, 10**6),
    spread=st.sampled_from([0.0, 2.0]),
)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_pivoted_solution_is_the_smallest(n: int, rank: int, seed: int, spread: float) -> None:
    """G = W W^T of any rank with rows of different units: x = G^+ b for b in the range of G."""
    rng = np.random.default_rng(seed)
    rank = min(rank, n)
    W = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, rank + 3))
    W *= 10.0 ** rng.uniform(-spread, spread, size=(n, 1))
    G = W @ W.T
    b = G @ rng.normal(size=n)
    s = np.linalg.svd(W, compute_uv=False)
    condition = (s[0] / s[rank - 1]) ** 2
    if condition > 1e9:
        return  # NumPy cannot tell the rank from rounding either
    L, LtL, z, pivot = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n), np.zeros(n, np.int64)
    found, _ = linalg.factor_pivoted(G, n, 1e-13, np.diag(G).copy(), L, pivot)
    assert found == rank
    assert sorted(pivot) == list(range(n))
    x = b.copy()
    linalg.solve_pivoted(L, n, found, pivot, LtL, z, x)
    expected = np.linalg.pinv(G, rcond=0.1 / condition, hermitian=True) @ b
    # rounding of G enters with its condition; the reference itself is no better
    tolerance = max(1e-10, 1e-14 * condition)
    assert np.abs(x - expected).max() < tolerance * max(1.0, np.abs(expected).max())
    assert np.linalg.norm(G @ x - b) < 1e-6 * np.linalg.norm(b)


def smallest_exactly(C: Any, b: Any) -> Any:
    """Return x = C (C^T C)^-2 C^T b, the smallest solution of C C^T x = b, in exact numbers."""
    C = [[Fraction(float(value)) for value in row] for row in C]
    columns = range(len(C[0]))

    def solve(rhs: list[Fraction]) -> list[Fraction]:
        rows = [[sum(c[i] * c[j] for c in C) for j in columns] + [rhs[i]] for i in columns]
        for k in columns:
            rows[k] = [value / rows[k][k] for value in rows[k]]
            for i in columns:
                if i != k:
                    factor = rows[i][k]
                    rows[i] = [a - factor * p for a, p in zip(rows[i], rows[k], strict=True)]
        return [row[-1] for row in rows]

    y = [sum(c[i] * Fraction(float(value)) for c, value in zip(C, b, strict=True)) for i in columns]
    y = solve(solve(y))
    return np.array([float(sum(c[i] * y[i] for i in columns)) for c in C])


@pytest.mark.parametrize("seed", range(30))
def test_light_rows_of_a_weighted_factor_take_next_to_nothing(seed: int) -> None:
    """x = (D A D)^+ b with weights D^2 down to 2^-68: forces D x are those of exact numbers.

    Without weights a light row may be a pivot, although heavy rows span all; what it must not carry
    is then the difference of numbers that are 2^34 times as large.
    """
    rng = np.random.default_rng(seed)
    n, rank = 7, int(rng.integers(2, 4))
    W = rng.normal(size=(n, rank))
    D = 2.0 ** rng.choice([0, 0, -17, -34], size=n)
    D[:rank] = 1.0
    rng.shuffle(D)
    C = D[:, None] * W
    G = C @ C.T
    b = G @ rng.normal(size=n)
    L, LtL, z, pivot = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n), np.zeros(n, np.int64)
    assert linalg.factor_by_weight(G, n, 1e-13, D * D, L, pivot) == rank
    x = b.copy()
    linalg.solve_pivoted(L, n, rank, pivot, LtL, z, x)
    forces, expected = D * x, D * smallest_exactly(C, b)
    heavy = np.sort(np.linalg.svd(W[D == 1.0], compute_uv=False))
    # a rounding of G, times the condition of what carries
    assert np.abs(forces - expected).max() < 1e-14 * (heavy[-1] / heavy[0]) ** 4 * max(
        abs(expected)
    )


def test_pivoted_factor_of_zero_rows() -> None:
    """A row that moves nothing gets no force; without any row of effect the rank is zero."""
    G = np.diag([0.0, 4.0, 0.0])
    L, LtL, z, pivot = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3), np.zeros(3, np.int64)
    assert linalg.factor_pivoted(G, 3, 1e-13, np.diag(G).copy(), L, pivot) == (1, 1.0)
    x = np.array([0.0, 8.0, 0.0])
    linalg.solve_pivoted(L, 3, 1, pivot, LtL, z, x)
    assert np.allclose(x, [0.0, 2.0, 0.0], atol=1e-15)
    assert linalg.factor_pivoted(np.zeros((3, 3)), 3, 1e-13, np.zeros(3), L, pivot) == (0, 1.0)


def test_pivoted_factor_sees_a_row_vanish() -> None:
    """A row that is nothing against its joint's others counts as dependent, not as tiny."""
    G = np.diag([1.0, 1e-15])
    L, pivot = np.zeros((2, 2)), np.zeros(2, np.int64)
    assert linalg.factor_pivoted(G, 2, 1e-13, np.ones(2), L, pivot)[0] == 1
    assert linalg.factor_pivoted(G, 2, 1e-13, np.diag(G).copy(), L, pivot)[0] == 2


# quaternions


def unit(seed: int) -> Any:
    e = np.random.default_rng(seed).normal(size=4)
    return e / np.linalg.norm(e)


@pytest.mark.parametrize("seed", range(5))
def test_quaternion_rotation_is_scipys(seed: int) -> None:
    e, A = unit(seed), np.zeros((3, 3))
    rotations.eval_rotation(e, A)
    assert np.allclose(A, Rotation.from_quat(np.roll(e, -1)).as_matrix(), atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [0.0, 1e-9, 0.9e-4, 1.1e-4, 0.5, 3.0, 20.0])
def test_quaternion_advance_is_the_exponential(seed: int, size: float) -> None:
    """e * exp(delta / 2) is the rotation R(e) R(delta) in body axes; unit length is kept."""
    e, out = unit(seed), np.zeros(4)
    delta = size * unit(seed + 10)[1:]
    rotations.advance_quaternion(e, delta, out)
    expected = Rotation.from_quat(np.roll(e, -1)) * Rotation.from_rotvec(delta)
    A = np.zeros((3, 3))
    rotations.eval_rotation(out, A)
    assert np.allclose(A, expected.as_matrix(), atol=2e-15)
    assert abs(np.linalg.norm(out) - 1.0) < 1e-15


def test_quaternion_rate_is_the_derivative() -> None:
    """e_dot by central differences of the exponential; their error is h^2 = 1e-10."""
    e, omega, rate = unit(4), np.array([0.3, -1.1, 0.7]), np.zeros(4)
    rotations.eval_quaternion_rate(e, omega, rate)
    ahead, behind, h = np.zeros(4), np.zeros(4), 1e-5
    rotations.advance_quaternion(e, h * omega, ahead)
    rotations.advance_quaternion(e, -h * omega, behind)
    assert np.allclose(rate, (ahead - behind) / (2.0 * h), atol=1e-10)
    assert abs(rate @ e) < 1e-16


def test_quaternion_normalise() -> None:
    e = 3.0 * unit(5)
    rotations.normalise_quaternion(e)
    assert np.allclose(e, unit(5), atol=1e-16)


# signals and tables


@pytest.mark.parametrize("n", [4, 5, 9])
@pytest.mark.parametrize("extrapolate", ["hold", "linear"])
def test_cubic_table_is_scipys_spline(n: int, extrapolate: str) -> None:
    rng = np.random.default_rng(n)
    x, y = np.cumsum(rng.uniform(0.2, 1.0, n)), rng.normal(size=n)
    table = SignalTable()
    k = table.add(cl.Table(tuple(x), tuple(y), kind="cubic", extrapolate=extrapolate), "test")
    signals, out = Bundle(table.arrays()), np.zeros(3)
    spline = CubicSpline(x, y)
    for at in [*np.linspace(x[0], x[-1], 41), *x]:
        eval_motion(signals, k, np.array([at]), out)
        expected = [float(spline(at, d)) for d in range(3)]
        assert np.allclose(out, expected, rtol=1e-11, atol=1e-11)
        assert eval_signal(signals, k, np.array([at]), out) == out[0]
    for at, end in ((x[0] - 0.7, x[0]), (x[-1] + 0.7, x[-1])):
        eval_motion(signals, k, np.array([at]), out)
        slope = float(spline(end, 1)) if extrapolate == "linear" else 0.0
        assert np.allclose(out, [float(spline(end)) + slope * (at - end), slope, 0.0], atol=1e-11)


def test_linear_table_is_numpys_interpolation() -> None:
    x, y = (0.0, 1.0, 1.5, 4.0), (2.0, -1.0, 0.5, 0.5)
    table = SignalTable()
    k = table.add(cl.Table(x, y), "test")
    signals, out = Bundle(table.arrays()), np.zeros(3)
    for at in np.linspace(-1.0, 5.0, 61):
        value = eval_signal(signals, k, np.array([at]), out)
        assert abs(value - np.interp(at, x, y)) < 1e-15


def test_constants_and_inputs_are_signals() -> None:
    table = SignalTable()
    first, second = table.add(2.5, "test"), table.add(cl.Input("level", -1.5), "test")
    signals, out = Bundle(table.arrays()), np.zeros(3)
    assert eval_signal(signals, first, np.zeros(1), out) == 2.5
    eval_motion(signals, second, np.zeros(1), out)
    assert out.tolist() == [-1.5, 0.0, 0.0]
    assert list(table.inputs) == ["level"]


# exact derivatives

UNARY = ("sin", "cos", "tan", "exp", "sqrt", "log", "sinh", "cosh", "tanh", "atan", "asin", "acos")


def expressions() -> Any:
    """Expressions in x and y as Python source; arguments are shaped to stay in the domain."""
    leaf = st.sampled_from(["x", "y", "2", "0.5", "1.7"])

    def extend(inner: Any) -> Any:
        def call(name: str, e: str) -> str:
            if name in ("sqrt", "log"):
                return f"math.{name}(2.0 + ({e}) ** 2)"
            if name in ("asin", "acos"):
                return f"math.{name}(0.5 * math.tanh({e}))"
            if name in ("tan", "exp", "sinh", "cosh"):
                return f"math.{name}(math.sin({e}))"
            return f"math.{name}({e})"

        return st.one_of(
            st.builds("({} + {})".format, inner, inner),
            st.builds("({} - {})".format, inner, inner),
            st.builds("({} * {})".format, inner, inner),
            st.builds("({} / (3.0 + ({}) ** 2))".format, inner, inner),
            st.builds("(-{})".format, inner),
            st.builds("({}) ** {}".format, inner, st.sampled_from(["2", "3"])),
            st.builds(
                "(2.0 + ({}) ** 2) ** {}".format, inner, st.sampled_from(["-1", "0.5", "-1.5"])
            ),
            st.builds("1.3 ** math.sin({})".format, inner),
            st.builds(call, st.sampled_from(UNARY), inner),
        )

    return st.recursive(leaf, extend, max_leaves=5)


@given(
    source=expressions(),
    point=st.tuples(*[st.floats(-1.5, 1.5)] * 2),
    direction=st.tuples(*[st.floats(-2.0, 2.0)] * 2),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_jets_are_sympys_derivatives(source: str, point: Any, direction: Any) -> None:
    """Value, first and second derivative along a direction, for functions of two arguments."""
    scope: dict[str, Any] = {"math": math}
    exec(f"def function(x, y):\n    return {source}", scope)
    adapter = trace(scope["function"], lambda s: tuple(s), 2, "test")
    out = np.zeros(3)
    adapter(np.array([*point, *direction]), np.zeros(0), out)
    x, y, s = sympy.symbols("x y s")
    expression = sympy.sympify(eval(source, {"math": sympy, "x": x, "y": y}))
    a, b = (sympy.Float(v, 30) for v in point)
    da, db = (sympy.Float(v, 30) for v in direction)
    along = expression.subs({x: a + s * da, y: b + s * db})
    expected = [float(sympy.diff(along, s, k).subs(s, 0).evalf(25)) for k in range(3)]
    assert np.allclose(out, expected, rtol=1e-9, atol=1e-9)


HALF = 0.5


def uses_numpy(t: float) -> float:
    return np.sin(t) * np.exp(-HALF * t) + np.float64(2.0) * t + np.sqrt(1.0 + t * t)


def test_jets_follow_numpy_and_globals() -> None:
    adapter = trace(uses_numpy, lambda s: (s[0],), 1, "test")
    out = np.zeros(3)
    adapter(np.array([0.7, 1.0]), np.zeros(0), out)
    t = sympy.symbols("t")
    f = sympy.sin(t) * sympy.exp(-t / 2) + 2 * t + sympy.sqrt(1 + t**2)
    expected = [float(sympy.diff(f, t, k).subs(t, sympy.Rational(7, 10))) for k in range(3)]
    assert np.allclose(out, expected, rtol=1e-14)


def test_constant_has_zero_derivatives() -> None:
    adapter = trace(lambda t: 3.0, lambda s: (s[0],), 1, "test")
    out = np.ones(3)
    adapter(np.array([0.7, 1.0]), np.zeros(0), out)
    assert out.tolist() == [3.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda t: t if t > 0.0 else -t, "a branch"),
        (lambda t: 0.0 if t == 0.0 else math.sin(t) / t, "a branch"),
        (lambda t: 1.0 if t != 0.0 else 0.0, "a branch"),
        (lambda t: abs(t), "abs"),
        (lambda t: math.floor(t), "derivatives are not known"),
        (lambda t: max(t, 0.0), "a branch"),
        (lambda t: math.fmod(t, 1.0), "derivatives are not known"),
        (lambda t: int(t), "fails when called"),
        (lambda t: t % 1.0, "fails when called"),
        (lambda t: "text", "a value of type str"),
        (lambda t: None, "a value of type NoneType"),
        (lambda t: t.real, "fails when called"),
        (lambda t, s: t + s, "fails when called"),
    ],
)
def test_untraceable_functions_are_refused(function: Any, reason: str) -> None:
    with pytest.raises(CompileError, match=reason) as caught:
        trace(function, lambda s: (s[0],), 1, "Revolute 'elbow': drive")
    assert str(caught.value).startswith("Revolute 'elbow': drive")
