"""Every piece of the path of rounded laws alone, against NumPy and differences.

A step that is wrong is shortened or mended by the next one, so runs hardly show it. (T-12.34)
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numba.core import config

import cornerlaw as cl
from cornerlaw.arrays.compact import new_compact
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.complementarity.sparse import path

# compiled they are parts of one kernel, and as functions of their own would be compiled anew
pytestmark = pytest.mark.skipif(not config.DISABLE_JIT, reason="pieces of a kernel")

# three contacts: friction along a line on the second one, in a plane on the third one
SETS = [
    cl.sets.unilateral(), cl.sets.unilateral(), cl.sets.friction(0.6, normal=1),
    cl.sets.unilateral(), cl.sets.disc(0.4, normal=3),
]  # fmt: skip
LOADS = np.array([0, 1, 3])
FRICTION = ((slice(2, 3), 1, 0.6), (slice(4, 6), 3, 0.4))  # rows, row of the load, mu
N = 6
TAU = 0.3
SOFT = 0.05  # compliance of the linear problem, large enough to be seen


class Point:
    """A point inside of all laws, with a step."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.p = p = cl.ContactProblem(np.eye(N), np.zeros(N), SETS).arrays()
        self.c = c = new_compact(N, N, np.arange(N + 1))
        c.scale[:] = rng.uniform(0.5, 2.0, 3)[[0, 1, 1, 2, 2, 2]]
        self.x, self.gamma, self.slack = p.x[:N], p.gamma[:N], c.F[:N]
        self.step, self.along, self.g = c.step[:N], c.along[:N], c.scale[:N]
        self.x[LOADS] = rng.uniform(0.5, 2.0, 3)
        self.slack[:] = np.nan
        self.slack[LOADS] = rng.uniform(0.5, 2.0, 3)
        for rows, m, mu in FRICTION:
            way = rng.normal(size=rows.stop - rows.start)
            self.x[rows] = rng.uniform(0.0, 0.9) * mu * self.x[m] * way / np.linalg.norm(way)
        self.gamma[:], self.step[:], self.along[:] = 0.5 * rng.normal(size=(3, N))
        self.work = Bundle(p), Bundle(c)
        self.rng = rng


def speed(gamma: Any, radius: float, g: float, tau: float) -> float:
    """Return the positive root s of s (s - tau / (g R)) = |gamma|^2."""
    return float(np.roots([1.0, -tau / (g * radius), -float(gamma @ gamma)]).max())


def law(gamma: Any, x: Any, load: float, mu: float, g: float, tau: float) -> Any:
    """Return R gamma_T + s x_T, which vanishes on the path."""
    return mu * load * gamma + speed(gamma, mu * load, g, tau) * x


def derivative(function: Any, h: float = 1e-5) -> Any:
    """Return the derivative of a function of one number at zero by central differences."""
    return (function(h) - function(-h)) / (2.0 * h)


def derivatives_of_law(at: Point, rows: slice, m: int, mu: float) -> tuple[float, Any, Any, Any]:
    """Return those of the law of friction per x_T, a number, and per gamma_T, load and tau."""
    x, gamma, load, g = at.x[rows], at.gamma[rows], at.x[m], at.g[m]
    stiff = speed(gamma, mu * load, g, TAU) + SOFT * g * mu * load
    columns = [
        derivative(lambda h, e=e: law(gamma + h * e, x, load, mu, g, TAU)) for e in np.eye(x.size)
    ]
    per_load = derivative(lambda h: law(gamma, x, load + h, mu, g, TAU))
    per_tau = derivative(lambda h: law(gamma, x, load, mu, g, TAU + h))
    return stiff, np.array(columns).T, per_load, per_tau


@pytest.mark.parametrize(("squares", "load"), [(0.0, 0.7), (0.25, 0.7), (4.0, 3.0)])
def test_speeds_beside_friction(squares: float, load: float) -> None:
    t, s, q = path._sliding(squares, load, TAU)
    assert t == pytest.approx(TAU / load, rel=1e-15)
    assert s > 0.0
    assert s * (s - t) == pytest.approx(squares, rel=1e-12, abs=1e-15)
    assert q == pytest.approx(2.0 * s - t, rel=1e-14)


def test_squares_of_velocities_on_the_way() -> None:
    at = Point(0)
    for fraction in (0.0, 0.6):
        rows = at.gamma[4:6] + fraction * at.along[4:6]
        found = path._squares(at.work[0], 4, at.p.gamma, at.c.along, fraction)
        assert found == pytest.approx(rows @ rows, rel=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_slopes_are_those_of_the_rounded_laws(seed: int, monkeypatch: Any) -> None:
    """dx = a - B dgamma + l dx_m solves the linear laws, by differences, for any dgamma, dx_m."""
    monkeypatch.setattr(path, "STIFFEST", SOFT)
    at, share, weight = Point(seed), 0.2, 0.7
    bend = at.rng.normal(size=N)
    at.c.slope[:], at.c.x_trial[:N], at.c.along[:] = np.nan, bend, 0.0
    path._write_slopes(*at.work, TAU)
    path._write_parts(*at.work, TAU, share, weight)
    B, part = at.c.slope, at.c.part
    for i in LOADS:
        x, w, g = at.x[i], at.slack[i], at.g[i]
        assert not B[i, 1:].any()
        assert B[i, 0] == pytest.approx(x / (w + SOFT * g * x), rel=1e-13)
        # the slack becomes the velocity that it stands for
        aim = (share * TAU / g - x * at.gamma[i] - weight * bend[i]) / (w + SOFT * g * x)
        assert part[i] == pytest.approx(aim, rel=1e-12)
    for rows, m, mu in FRICTION:
        n = rows.stop - rows.start
        stiff, per_gamma, per_load, per_tau = derivatives_of_law(at, rows, m, mu)
        np.testing.assert_allclose(B[rows, :n], per_gamma / stiff, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(B[rows, path.LOAD], -per_load / stiff, rtol=1e-7, atol=1e-8)
        assert not B[rows, n : path.LOAD].any()
        push = law(at.gamma[rows], at.x[rows], at.x[m], mu, at.g[m], TAU)
        push += (share - 1.0) * TAU * per_tau + weight * bend[rows]
        np.testing.assert_allclose(part[rows], -push / stiff, rtol=1e-7, atol=1e-8)


def test_friction_without_a_load_vanishes() -> None:
    at = Point(1)
    at.x[3] = 0.0
    at.c.along[:], at.c.x_trial[:N] = 0.0, 0.0
    path._write_slopes(*at.work, TAU)
    path._write_parts(*at.work, TAU, 0.2, 1.0)
    assert not at.c.slope[4:6].any()
    np.testing.assert_allclose(at.c.part[4:6], -at.x[4:6], rtol=1e-15)
    path._write_curvature(*at.work, TAU)
    np.testing.assert_allclose(at.c.x_trial[4:6], 0.4 * at.step[3] * at.along[4:6], rtol=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_products_of_changes_that_a_linear_step_leaves_out(seed: int) -> None:
    """dx dw of loads; dR dgamma + ds dx of friction, s by differences along the step to tau = 0."""
    at = Point(seed)
    at.c.x_trial[:] = np.nan
    path._write_curvature(*at.work, TAU)
    for i in LOADS:
        change = at.gamma[i] + at.along[i] - at.slack[i]
        assert at.c.x_trial[i] == pytest.approx(at.step[i] * change, rel=1e-13)
    for rows, m, mu in FRICTION:

        def at_fraction(h: float, rows: Any = rows, m: int = m, mu: float = mu) -> float:
            radius = mu * (at.x[m] + h * at.step[m])
            gamma = at.gamma[rows] + h * at.along[rows]
            return speed(gamma, radius, at.g[m], TAU * (1.0 - h))

        wanted = mu * at.step[m] * at.along[rows] + derivative(at_fraction) * at.step[rows]
        np.testing.assert_allclose(at.c.x_trial[rows], wanted, rtol=1e-7, atol=1e-9)


def cone_left(at: Point, which: int, fractions: Any) -> Any:
    """Return by how much friction is below its bound at fractions of the step."""
    rows, m, mu = FRICTION[which]
    x = at.x[rows] + np.multiply.outer(fractions, at.step[rows])
    return mu * (at.x[m] + fractions * at.step[m]) - np.linalg.norm(x, axis=-1)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("which", [0, 1])
def test_way_to_the_bound_of_friction(seed: int, which: int) -> None:
    at = Point(seed)
    found = path._way_to_cone(*at.work, (2, 4)[which])
    fractions = np.linspace(0.0, 50.0, 20_001)
    left = cone_left(at, which, fractions)
    if found < 50.0:
        assert cone_left(at, which, np.array([found]))[0] == pytest.approx(0.0, abs=1e-9)
        assert (left[fractions < found - 1e-9] > 0.0).all()
    else:
        assert (left > 0.0).all()


def test_ways_to_the_bound_where_the_square_has_one_root_or_none() -> None:
    at = Point(3)
    work, x, step = at.work, at.x, at.step
    x[1], x[2] = 1.0, 0.2
    # a change along the cone: a = 0 and only the linear equation is left
    step[1], step[2] = -0.5, 0.3
    assert path._way_to_cone(*work, 2) == pytest.approx((0.6 - 0.2) / 0.6, rel=1e-12)
    step[1], step[2] = 0.5, -0.3
    assert path._way_to_cone(*work, 2) == math.inf
    # at rest, and a load that grows alone
    step[1], step[2] = 0.0, 0.0
    assert path._way_to_cone(*work, 2) == math.inf
    step[1] = 1.0
    assert path._way_to_cone(*work, 2) == math.inf
    # from the bound itself, inwards
    x[2], step[1], step[2] = 0.6, 0.0, -1.0
    assert path._way_to_cone(*work, 2) == pytest.approx(1.2, rel=1e-12)
    # both ways past the cone: friction in the plane that passes beside its disc
    x[3], x[4:6], step[3], step[4:6] = 1.0, (0.0, 0.1), 1.0, (0.1, 0.0)
    assert path._way_to_cone(*work, 4) == math.inf


@pytest.mark.parametrize("seed", range(20))
def test_longest_step_inside_all_laws(seed: int) -> None:
    at = Point(seed)
    if seed >= 10:
        at.step[:], at.along[:] = 0.05 * at.step, 0.05 * at.along + at.slack.clip(0.0) - at.gamma
        at.along[np.isnan(at.along)] = 0.0
    way = at.gamma + at.along - at.slack
    most = [-at.x[i] / at.step[i] for i in LOADS if at.step[i] < 0.0]
    most += [-at.slack[i] / way[i] for i in LOADS if way[i] < 0.0]
    most += [path._way_to_cone(*at.work, k) for k in (2, 4)]
    least = min(most)
    assert path._longest(*at.work) == pytest.approx(1.0 if least > 1.0 else 0.98 * least, rel=1e-14)


def test_friction_that_cannot_carry_limits_no_step() -> None:
    at = Point(2)
    at.p.upper_1[:] = 0.0
    at.x[[2, 4, 5]], at.step[[2, 4, 5]] = 0.0, 1.0
    at.step[LOADS], at.along[LOADS] = 0.1, at.slack[LOADS] - at.gamma[LOADS]
    assert path._longest(*at.work) == 1.0


def off_the_path(at: Point, tau: float, fraction: float) -> float:
    """Return the largest distance from the path over what is allowed."""
    found = []
    for i in LOADS:
        way = at.gamma[i] + at.along[i] - at.slack[i]
        product = at.x[i] + fraction * at.step[i]
        product *= at.g[i] * (at.slack[i] + fraction * way) / tau
        found += [product / path.WIDE, path.NARROW / product if product > 0.0 else math.inf]
    for rows, m, mu in FRICTION:
        load = at.x[m] + fraction * at.step[m]
        if load > 0.0:
            x, gamma = at.x[rows] + fraction * at.step[rows], at.gamma[rows]
            defect = law(gamma + fraction * at.along[rows], x, load, mu, at.g[m], tau)
            found.append(at.g[m] * np.linalg.norm(defect) / (path.TURNED * tau))
    return max(found)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("turned", [1e3, 1e-2])
def test_distance_from_the_path(seed: int, turned: float, monkeypatch: Any) -> None:
    """By products of loads and slacks, too large or too small, and by the law of friction."""
    monkeypatch.setattr(path, "TURNED", turned)
    at = Point(seed)
    if seed % 3 == 1:
        at.slack[1] *= 1e-3
    if seed % 3 == 2:
        at.x[3] = -0.1
        at.step[3] = -0.1
    for fraction in (0.0, 0.4):
        found = path._distance(*at.work, TAU, fraction)
        assert found == pytest.approx(off_the_path(at, TAU, fraction), rel=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_a_step_is_shortened_until_it_stays_near(seed: int, monkeypatch: Any) -> None:
    at, share = Point(seed), 0.3
    longest = path._longest(*at.work)
    fractions = longest * 0.6 ** np.arange(5)
    values = [off_the_path(at, TAU * (1.0 - f * (1.0 - share)), f) for f in fractions]
    monkeypatch.setattr(path, "_HALVINGS", 5)
    for now in (0.0, *(2.0 * (1.0 + 1e-9) * v for v in values), *(1.9 * v for v in values)):
        good = [k for k, v in enumerate(values) if v <= max(1.0, 0.5 * now)]
        fraction, found = path._search(*at.work, TAU, share, now)
        assert fraction == pytest.approx(fractions[good[0]] if good else 0.0, rel=1e-13)
        assert found == pytest.approx(values[good[0] if good else -1], rel=1e-9)


def test_a_fraction_of_a_step_is_taken() -> None:
    at = Point(5)
    x, slack = at.x.copy(), at.slack.copy()
    path._take(*at.work, 0.3)
    np.testing.assert_allclose(at.x, x + 0.3 * at.step, rtol=1e-14)
    wanted = 0.7 * slack + 0.3 * (at.gamma + at.along)
    np.testing.assert_allclose(at.slack[LOADS], wanted[LOADS], rtol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_the_beginning_of_the_path(seed: int, monkeypatch: Any) -> None:
    at = Point(seed)
    G = at.rng.normal(size=(N, N))

    def eval_gamma(m: Any, p: Any, c: Any, x: Any, gamma: Any) -> None:
        gamma[:N] = G @ x[:N]

    monkeypatch.setattr(path, "eval_gamma", eval_gamma)
    tau = path._begin(None, *at.work, 2.0)
    wanted = np.zeros(N)
    wanted[LOADS] = 0.3 * 2.0 / at.g[LOADS]
    np.testing.assert_allclose(at.x, wanted, rtol=1e-14)
    assert not at.along.any()
    slack = np.maximum((G @ wanted)[LOADS], 0.2)
    assert (slack > 0.2).any() or seed
    np.testing.assert_allclose(at.slack[LOADS], slack, rtol=1e-13)
    assert tau == pytest.approx((at.g[LOADS] * wanted[LOADS] * slack).mean(), rel=1e-13)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("good", [True, False])
def test_the_step_with_the_smallest_tau_is_taken(seed: int, good: bool, monkeypatch: Any) -> None:
    """Shares are tried until one is good; a point off the path has to get back first."""
    at = Point(seed)
    G = at.rng.normal(size=(N, N))
    tried: list[Any] = []

    def direction(p: Any, c: Any, tau: float, share: float, weight: float) -> None:
        # some step that depends on the share alone
        c.step[:N] = 0.1 * (share - 0.5) * G[0] + 0.02 * weight * G[1]
        c.along[:N] = 0.1 * share * G[2]

    given = [(0.0, 0.9), (0.4, 3.0), (0.35, 0.8), (0.3, 0.5), (0.45, 0.99)]
    if good:
        given[2 + seed % 2] = (0.6, 1.0 if seed < 2 else 1.5)

    def search(p: Any, c: Any, tau: float, share: float, now: float) -> Any:
        found = given[len(tried)]
        tried.append((share, *found))
        return found

    monkeypatch.setattr(path, "_write_direction", direction)
    monkeypatch.setattr(path, "_search", search)
    direction(*at.work, TAU, 0.0, 0.0)
    ahead = min(1.0, path._longest(*at.work) / 0.98)
    before = at.x.copy()
    tau, moved = path._advance(*at.work, TAU)
    assert moved
    shares = [max(1e-3, (1.0 - ahead) ** 2), *path.SHARES]
    ends = [k for k, (part, found) in enumerate(given) if part > 0.5 and found <= 1.0]
    count = ends[0] + 1 if ends else len(shares)
    assert [share for share, _, _ in tried] == pytest.approx(shares[:count])
    rest = [
        1.0 - part * (1.0 - share) + (found if found > 1.0 else 0.0) if part > 0.0 else math.inf
        for share, part, found in tried
    ]
    best = int(np.argmin(rest))
    share, part, _ = tried[best]
    assert tau == pytest.approx(TAU * (1.0 - part * (1.0 - share)), rel=1e-13)
    direction(*at.work, TAU, share, ahead * ahead if best == 0 else 0.0)
    np.testing.assert_allclose(at.x, before + part * at.step, rtol=1e-12)


def test_nothing_moves_where_no_share_stays_near(monkeypatch: Any) -> None:
    at = Point(0)
    monkeypatch.setattr(path, "_write_direction", lambda *_: None)
    monkeypatch.setattr(path, "_search", lambda *_: (0.0, 2.0))
    before = at.x.copy()
    assert path._advance(*at.work, TAU) == (TAU, False)
    np.testing.assert_array_equal(at.x, before)


def follow(monkeypatch: Any, sizes: list[float], taus: Any = None, stuck: int = 10**9) -> Any:
    """Run the loop of the path over maps of given sizes; return the result, x and the steps."""
    at = Point(0)
    seen: list[int] = []

    def natural_map(p: Any, c: Any, x: Any, gamma: Any, F: Any) -> float:
        F[:N] = 0.0
        F[2] = -2.0 * sizes[len(seen)]
        x[0] = len(seen)  # the point at which the map has this size
        return 0.0

    def advance(p: Any, c: Any, tau: float) -> Any:
        seen.append(len(seen))
        return next(taus), len(seen) <= stuck

    taus = taus or itertools.repeat(1.0)
    for name in ("eval_gamma", "_write_slopes", "assemble", "factor_envelope"):
        monkeypatch.setattr(path, name, lambda *_: None)
    monkeypatch.setattr(path, "_begin", lambda *_: 1.0)
    monkeypatch.setattr(path, "eval_natural_map", natural_map)
    monkeypatch.setattr(path, "_advance", advance)
    best = path.follow_path(None, *at.work, 2.0, len(sizes))
    return best, float(at.x[0]), len(seen)


def test_the_smallest_map_on_the_path_is_kept(monkeypatch: Any) -> None:
    assert follow(monkeypatch, [1.0, 0.5, 0.8, 0.6]) == (0.5, 1.0, 4)
    assert follow(monkeypatch, [1.0, 0.5, 0.8, 0.6], stuck=1) == (0.5, 1.0, 2)
    assert follow(monkeypatch, [1.0, 0.5, math.inf, 0.1])[2] == 2
    # tau below rounding: 1e-14 of the square of the reference, which is 2
    assert follow(monkeypatch, [1.0, 0.5, 0.4], iter([3.9e-14, 1.0]))[2] == 1
    assert follow(monkeypatch, [1.0, 0.5, 0.4], iter([4.1e-14, 1.0, 1.0]))[2] == 3


@pytest.mark.parametrize("fall", [0.89, 0.995])
def test_the_path_ends_where_the_map_stays(monkeypatch: Any, fall: float) -> None:
    """Sixteen steps in a row without a fall by a tenth, also if each of them falls a little."""
    sizes = [fall**k for k in range(40)]
    best, _, steps = follow(monkeypatch, sizes)
    # 0.995^22 is the first one below 0.9: sixteen steps after the first one it has not come
    assert steps == (40 if fall < 0.9 else 16)
    assert best == pytest.approx(sizes[min(steps, 39)])
