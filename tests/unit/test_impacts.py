"""Impact laws against closed forms and against independent solutions.

Named examples of [PfeifferGlocker1996]: E6 two point masses (7.4), E7 double impact on a rod (7.5,
8.11, 8.12, 8.14), E8 reversible tangential impact of a super ball (8.13). Problems with a handful
of rows of order one are solved to round-off, hence 1e-12 throughout unless said otherwise.
"""

from typing import Any

import numpy as np
import pytest
from impact_batch import run_batch
from impact_lcp import newton, poisson
from scipy.integrate import solve_ivp

import cornerlaw as cl
from cornerlaw.arrays.impact_arrays import REFUSED_BALL, new_impact
from cornerlaw.arrays.problem import BALL, new_problem
from cornerlaw.arrays.solver_scratch import new_solver_scratch
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.impacts.binding import bind_impact
from cornerlaw.kernels.impacts.cradle import _fold
from cornerlaw.kernels.impacts.solve import solve_impact as solve_kernel

EXACT = 1e-12
POISSON = [cl.Poisson("coulomb"), cl.Poisson("old"), cl.Poisson("new")]
WITH_FRICTION = [cl.Newton(), cl.NewtonBoth(), *POISSON]
CRADLE_G = np.array([[2.0, -1.0], [-1.0, 2.0]])


def name_of(law: cl.ImpactLaw) -> str:
    return f"{type(law).__name__} {getattr(law, 'variant', '')}".strip()


def delassus(W: Any, M: Any) -> np.ndarray:
    """G = W M^-1 W^T for rows W and the diagonal M."""
    W = np.asarray(W, dtype=float)
    return W @ np.diag(1.0 / np.asarray(M, dtype=float)) @ W.T


# E6


@pytest.mark.parametrize("law", [*WITH_FRICTION, cl.Cradle(), cl.Sequential()], ids=name_of)
@pytest.mark.parametrize("eps", [0.0, 0.35, 1.0])
def test_two_point_masses(law: cl.ImpactLaw, eps: float) -> None:
    """The textbook formula: every law agrees on a single frictionless contact."""
    m1, m2, u1, u2 = 2.0, 0.5, 3.0, -1.0
    W = np.array([[-1.0, 1.0]])  # the second is ahead
    impact = cl.solve_impact(delassus(W, (m1, m2)), W @ (u1, u2), law, eps_N=eps)
    u = np.array([u1, u2]) + np.array([-1.0 / m1, 1.0 / m2]) * impact.Lambda_N[0]
    mean = (m1 * u1 + m2 * u2) / (m1 + m2)
    expected = [
        mean - m2 / (m1 + m2) * eps * (u1 - u2),
        mean + m1 / (m1 + m2) * eps * (u1 - u2),
    ]
    assert u == pytest.approx(expected, abs=EXACT)
    loss = 0.5 * m1 * m2 / (m1 + m2) * (1 - eps**2) * (u1 - u2) ** 2
    assert impact.energy_change == pytest.approx(-loss, abs=EXACT)
    assert impact.passive


# E7: a rod of half length a, its ends on the ground


def rod(inertia_ratio: float) -> tuple[float, float]:
    """alpha, beta of G = [[alpha, -beta], [-beta, alpha]] with J = ratio m a^2, m = 1."""
    return 1.0 / inertia_ratio + 1.0, 1.0 / inertia_ratio - 1.0


@pytest.mark.parametrize("ratio", [1 / 3, 0.8])
@pytest.mark.parametrize("eps", [(0.3, 0.7), (0.7, 0.3), (0.5, 0.5), (1.0, 0.0)])
def test_rod_end_hits_while_other_rests(ratio: float, eps: tuple[float, float]) -> None:
    """Left end at rest, right end hits: Newton keeps the left end down, Poisson may lift it.

    With beta > 0 the blow presses the resting end down. Compression gives (beta, alpha) / d with
    d = alpha^2 - beta^2; expansion returns the parts eps of it, which lifts the left end if
    eps_1 > eps_2, and more where an end would penetrate.
    """
    alpha, beta = rod(ratio)
    G = np.array([[alpha, -beta], [-beta, alpha]])
    d = alpha**2 - beta**2
    gamma = [0.0, -1.0]
    by_newton = cl.solve_impact(G, gamma, cl.Newton(), eps_N=eps)
    assert by_newton.gamma_plus == pytest.approx([0.0, eps[1]], abs=EXACT)
    pressed = np.array([beta, alpha]) / d
    assert by_newton.Lambda_N == pytest.approx(pressed * (1 + eps[1]), abs=EXACT)
    by_poisson = cl.solve_impact(G, gamma, cl.Poisson(), eps_N=eps)
    assert by_poisson.Lambda_NC == pytest.approx(pressed, abs=EXACT)
    if eps[0] <= eps[1]:
        expected = [0.0, eps[1]]
    elif alpha**2 * eps[1] >= beta**2 * eps[0]:
        expected = [
            alpha * beta * (eps[0] - eps[1]) / d,
            (alpha**2 * eps[1] - beta**2 * eps[0]) / d,
        ]
    else:
        expected = [eps[0] * beta / alpha, 0.0]
    assert by_poisson.gamma_plus == pytest.approx(expected, abs=EXACT)
    assert by_newton.passive
    assert by_poisson.passive


@pytest.mark.parametrize("law", [cl.Newton(), cl.Poisson()], ids=name_of)
def test_dumbbell_end_lifts_off(law: cl.ImpactLaw) -> None:
    """With beta < 0 the blow at the right lifts the left end, and no impulse acts there."""
    alpha, beta = rod(1.5)
    G = [[alpha, -beta], [-beta, alpha]]
    impact = cl.solve_impact(G, [0.0, -1.0], law, eps_N=0.6)
    assert impact.Lambda_N == pytest.approx([0.0, 1.6 / alpha], abs=EXACT)
    assert impact.gamma_plus == pytest.approx([-beta * 1.6 / alpha, 0.6], abs=EXACT)


ROD_HEIGHT = 0.2  # of the centre of mass above the contacts
ROD_W = np.array([[0, 1, -1], [1, 0, ROD_HEIGHT], [0, 1, 1], [1, 0, ROD_HEIGHT]])
ROD_M = np.array([1.0, 1.0, 1 / 3])


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_rod_slides_through(law: cl.ImpactLaw) -> None:
    """Both ends slide in both phases: (G_NN - mu G_NT) Lambda_NC = -gamma_N.

    With one eps_N for both ends, Newton's and Poisson's laws agree.
    """
    mu, eps, u = 0.15, 0.4, np.array([30.0, -1.0, -0.2])
    G, gamma = delassus(ROD_W, ROD_M), ROD_W @ u
    impact = cl.solve_impact(G, gamma, law, mu=mu, eps_N=eps, eps_T=0.0)
    A = G[::2, ::2] - mu * G[::2, 1::2]
    Lambda_N = -(1 + eps) * np.linalg.solve(A, gamma[::2])
    assert (Lambda_N > 0).all()
    assert impact.Lambda_N == pytest.approx(Lambda_N, abs=EXACT)
    assert impact.Lambda_T == pytest.approx(-mu * Lambda_N, abs=EXACT)
    u_plus = u + ROD_W.T @ np.ravel(np.column_stack([Lambda_N, -mu * Lambda_N])) / ROD_M
    # velocities of 30 m/s and energies of 450 J, relative to them
    assert impact.gamma_plus == pytest.approx(ROD_W @ u_plus, abs=EXACT * np.abs(gamma).max())
    assert (impact.gamma_T_plus > 0).all()
    change = 0.5 * ROD_M @ (u_plus**2 - u**2)
    assert impact.energy_change == pytest.approx(change, abs=EXACT * 0.5 * ROD_M @ u**2)
    assert impact.passive


def test_rod_sticks() -> None:
    """Both ends stick in both phases of Poisson's law with Coulomb friction.

    Two ends that stick share one tangential impulse in an undetermined way: three rows describe
    the rod, compression stops them all, expansion returns eps Lambda_NC while gamma_T = 0.
    """
    eps, u = (0.5, 0.3), np.array([0.4, -1.0, 0.3])
    impact = cl.solve_impact(delassus(ROD_W, ROD_M), ROD_W @ u, cl.Poisson(), mu=2.0, eps_N=eps)
    W = ROD_W[[0, 2, 1]]
    G = delassus(W, ROD_M)
    at_C = -np.linalg.solve(G, W @ u)
    assert impact.Lambda_NC == pytest.approx(at_C[:2], abs=EXACT)
    assert impact.Lambda_C is not None
    assert impact.Lambda_C[1] + impact.Lambda_C[3] == pytest.approx(at_C[2], abs=EXACT)
    N_E = np.array(eps) * at_C[:2]
    T_E = -G[2, :2] @ N_E / G[2, 2]
    plus = G @ np.array([*N_E, T_E])
    assert (plus[:2] > 0).all()
    assert impact.gamma_plus == pytest.approx([plus[0], 0.0, plus[1], 0.0], abs=EXACT)
    assert impact.Lambda_N == pytest.approx(at_C[:2] + N_E, abs=EXACT)
    assert impact.passive


# E8


def super_ball(v: float, spin: float, w: float, law: cl.ImpactLaw, eps: float) -> Any:
    """Ball of mass 1, J = 2/5 r^2, on a floor: v, r omega and vertical velocity w; mu = 0.8."""
    W = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    M = np.array([1.0, 1.0, 0.4])
    u = np.array([v, w, spin])
    impact = cl.solve_impact(delassus(W, M), W @ u, law, mu=0.8, eps_N=1.0, eps_T=eps)
    return impact, u + W.T @ impact.Lambda / M


@pytest.mark.parametrize("eps", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("variant", ["old", "new"])
def test_super_ball(variant: str, eps: float) -> None:
    """Sticking compression: v + r omega turns into -eps of it."""
    v, spin, w = 0.5, 0.3, -1.0
    impact, u = super_ball(v, spin, w, cl.Poisson(variant), eps)
    slip = v + spin
    expected = [v - 2 / 7 * (1 + eps) * slip, -w, spin - 5 / 7 * (1 + eps) * slip]
    assert u == pytest.approx(expected, abs=EXACT)
    assert impact.energy_change == pytest.approx(-(1 - eps**2) * slip**2 / 7, abs=EXACT)


def test_super_ball_comes_back() -> None:
    """Floor, underside of a table, floor: the elastic super ball returns along its path.

    Three reversals R of (v, r omega) with the spin's sign changed at the table leave
    v -> about -v; closed form of the product of the three maps.
    """
    floor = np.array([[3.0, -4.0], [-10.0, -3.0]]) / 7
    table = np.array([[3.0, 4.0], [10.0, -3.0]]) / 7
    v, spin = 1.0, 0.0
    expected = floor @ table @ floor @ [v, spin]
    for above in (True, False, True):
        # under the table the picture is upside down: mirrored in y the spin changes sign
        sign = 1.0 if above else -1.0
        _, u = super_ball(v, sign * spin, -5.0, cl.Poisson("new"), 1.0)
        v, spin = u[0], sign * u[2]
    assert [v, spin] == pytest.approx(expected, abs=EXACT)
    assert v == pytest.approx(-333 / 343, abs=EXACT)


# Poisson: the case without tangential impulse in compression


@pytest.mark.parametrize("variant", ["old", "new"])
def test_no_tangential_impulse_in_compression(variant: str) -> None:
    """Nothing stored, nothing to be given back: the full friction interval in expansion.

    gamma_T = 0 and G_NT chosen so that compression needs no tangential impulse at contact 1, while
    expansion of contact 2, coupled to it, pushes contact 1 along its tangent either way.
    """
    for side in (-1.0, 1.0):
        G = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5 * side], [0.0, 0.5 * side, 1.0]])
        gamma = np.array([-1.0, -0.5 * side, -1.0])
        impact = cl.solve_impact(
            G, gamma, cl.Poisson(variant), mu=[0.2, None], eps_N=(0.5, 0.5), eps_T=1.0
        )
        assert impact.Lambda_TC[0] == pytest.approx(0.0, abs=EXACT)  # type: ignore[index]
        # expansion alone would bring gamma_T = 0.5 side 0.5; the limit mu Lambda_NE = 0.1
        free = 0.25 * side
        if variant == "old":
            assert impact.Lambda_T[0] == pytest.approx(-0.1 * side, abs=EXACT)
            assert impact.gamma_plus[1] == pytest.approx(free - 0.1 * side, abs=EXACT)
        else:  # the vertical branch stands where expansion alone would lead
            assert impact.Lambda_T[0] == pytest.approx(0.0, abs=EXACT)
            assert impact.gamma_plus[1] == pytest.approx(free, abs=EXACT)


def test_impact_without_collision() -> None:
    """Painleve's rod at 30 degrees, mu = 3: the least approach stops the sliding at once.

    G_NN - mu |G_NT| < 0: sliding on would need a pulling contact, hence Lambda = -G^-1 gamma.
    """
    half, J = 0.5, 1 / 12
    x, y = -half * np.cos(np.pi / 6), -half * np.sin(np.pi / 6)
    G = delassus([[0, 1, x], [1, 0, -y]], [1, 1, J])
    assert G[0, 0] - 3.0 * abs(G[0, 1]) < 0
    gamma = np.array([-1e-12, -2.0])
    for law in WITH_FRICTION:
        impact = cl.solve_impact(G, gamma, law, mu=3.0)
        assert impact.Lambda == pytest.approx(-np.linalg.solve(G, gamma), abs=1e-11)
        assert impact.energy_change == pytest.approx(0.5 * gamma @ impact.Lambda, abs=1e-11)
    gentle = cl.solve_impact(G, gamma, cl.Poisson(), mu=0.5)
    assert gentle.Lambda == pytest.approx([0.0, 0.0], abs=1e-11)


# all laws with friction against the complementarity problems of the book


def random_impacts(count: int, contacts: int, seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    n = 2 * contacts
    W = rng.normal(size=(count, n, n + 1))
    gamma = rng.normal(size=(count, n))
    gamma[:, ::2] = -np.abs(gamma[:, ::2])
    eps = rng.uniform(0, 1, size=(count, n))
    return W @ W.transpose(0, 2, 1), gamma, eps, rng.uniform(0, 0.8, size=(count, contacts))


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
@pytest.mark.parametrize("contacts", [1, 2])
def test_against_enumeration(law: cl.ImpactLaw, contacts: int) -> None:
    """The velocities are among the solutions of the book's problems, found by enumeration.

    Tolerance 1e-8 of the velocities: G of random rows has condition numbers up to 1e4, and the
    enumeration accepts signs to 1e-9.
    """
    G, gamma, eps, mu = random_impacts(60, contacts, seed=7)
    if law == cl.Newton():
        eps[:, 1::2] = 0.0
    found = run_batch(law, G, gamma, eps, mu)
    assert not found.status.any()
    for k in range(len(G)):
        data = (G[k], gamma[k], mu[k], eps[k, ::2], eps[k, 1::2])
        variant = getattr(law, "variant", "")
        solutions = list(poisson(variant, *data) if variant else newton(*data))
        distance = min(np.abs(gamma[k] + G[k] @ x - found.gamma_plus[k]).max() for x in solutions)
        assert distance < 1e-8


def test_contacts_in_any_order() -> None:
    """Renumbering the contacts renumbers the result."""
    G, gamma, eps, mu = random_impacts(50, 3, seed=11)
    order = np.array([4, 5, 0, 1, 2, 3])
    for law in WITH_FRICTION:
        first = run_batch(law, G, gamma, eps, 0.4 * mu)
        turned = G[:, order][:, :, order]
        second = run_batch(law, turned, gamma[:, order], eps[:, order], 0.4 * mu[:, [2, 0, 1]])
        # condition numbers of some 1e4 between the two orders of elimination
        assert np.abs(first.gamma_plus[:, order] - second.gamma_plus).max() < 1e-9
    normal = np.ascontiguousarray(G[:, ::2, ::2])
    turned = np.ascontiguousarray(normal[:, [2, 0, 1]][:, :, [2, 0, 1]])
    velocities = np.ascontiguousarray(gamma[:, ::2])
    unequal = np.ascontiguousarray(eps[:, ::2])
    first = run_batch(cl.Sequential(), normal, velocities, unequal)
    second = run_batch(cl.Sequential(), turned, velocities[:, [2, 0, 1]], unequal[:, [2, 0, 1]])
    assert np.abs(first.gamma_plus[:, [2, 0, 1]] - second.gamma_plus).max() < 1e-9


@pytest.mark.parametrize("law", [*WITH_FRICTION, cl.Cradle(), cl.Sequential(1.0)], ids=name_of)
def test_bilateral_rows(law: cl.ImpactLaw) -> None:
    """Bilateral rows give the same as the matrix of the system that is bound by them."""
    rng = np.random.default_rng(5)
    if law.FRICTION:
        W = rng.normal(size=(6, 7))
        G, gamma, mu = W @ W.T, rng.normal(size=6), 0.3
        gamma[2::2] = -np.abs(gamma[2::2])
        gamma[:2] = 0.0
        inner = G[2:, 2:] - G[2:, :2] @ np.linalg.solve(G[:2, :2], G[:2, 2:])
    else:
        # rows that turn the cradle into another one once they are tied
        inner, mu = CRADLE_G, None
        B = rng.normal(size=(2, 2))
        G = np.block([[np.eye(2), B], [B.T, inner + B.T @ B]])
        gamma = np.array([0.0, 0.0, -1.0, -0.3])
    data: dict[str, Any] = {"mu": mu, "eps_N": 0.6, "eps_T": 0.5}
    bound = cl.solve_impact(G, gamma, law, bilateral=2, **data)
    expected = cl.solve_impact(inner, gamma[2:], law, **data)
    # condition numbers below 1e3
    assert bound.gamma_plus[:2] == pytest.approx([0.0, 0.0], abs=1e-11)
    assert bound.gamma_plus[2:] == pytest.approx(expected.gamma_plus, abs=1e-11)
    assert bound.Lambda[2:] == pytest.approx(expected.Lambda, abs=1e-11)
    assert bound.energy_change == pytest.approx(expected.energy_change, abs=1e-11)


@pytest.mark.parametrize("law", [*WITH_FRICTION, cl.Sequential()], ids=name_of)
def test_redundant_bilateral_rows(law: cl.ImpactLaw) -> None:
    """A bilateral row given twice changes nothing."""
    rng = np.random.default_rng(6)
    W = rng.normal(size=(3, 5))
    data: dict[str, Any] = {"mu": [0.3 if law.FRICTION else 0.0], "eps_N": 0.6, "eps_T": 0.5}
    gamma = np.array([0.0, -1.0, 0.4])
    once = cl.solve_impact(W @ W.T, gamma, law, bilateral=1, **data)
    W = W[[0, 0, 1, 2]]
    twice = cl.solve_impact(W @ W.T, gamma[[0, 0, 1, 2]], law, bilateral=2, **data)
    assert twice.gamma_plus[2:] == pytest.approx(once.gamma_plus[1:], abs=1e-11)


@pytest.mark.parametrize("law", [cl.Cradle(), cl.Sequential(1.0)], ids=name_of)
def test_bilateral_rows_that_move_are_stopped_first(law: cl.ImpactLaw) -> None:
    """What they do to the contacts is part of the velocities that these hit with."""
    rng = np.random.default_rng(5)
    B = rng.normal(size=(2, 2))
    tied = np.array([[2.0, 0.5], [0.5, 1.0]])
    G = np.block([[tied, tied @ B], [B.T @ tied, CRADLE_G + B.T @ tied @ B]])
    # of rows that move at v their impulses make B^T v of the contacts
    gamma = np.array([0.3, -0.2, -1.0, -0.3])
    gamma[2:] += B.T @ gamma[:2]
    bound = cl.solve_impact(G, gamma, law, bilateral=2, eps_N=1.0)
    expected = cl.solve_impact(CRADLE_G, [-1.0, -0.3], law, eps_N=1.0)
    # condition numbers below 1e3
    assert bound.gamma_plus[:2] == pytest.approx([0.0, 0.0], abs=1e-11)
    assert bound.gamma_plus[2:] == pytest.approx(expected.gamma_plus, abs=1e-11)
    assert bound.Lambda[2:] == pytest.approx(expected.Lambda, abs=1e-11)


# the kernel's contract


def kernel_problem(n: int, law: cl.ImpactLaw) -> tuple[Any, ...]:
    p, imp, s = new_problem(n), new_impact(n), new_solver_scratch(n)
    p.n[0] = p.n_sets[0] = n
    p.start[:], p.size[:], p.upper_0[:] = np.arange(n), 1, np.inf
    bundles = [Bundle(part) for part in (p, imp, s)]
    bind_impact(law.code, *bundles)
    return p, imp, bundles


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_problem_is_given_back(law: cl.ImpactLaw) -> None:
    """Right side and bounds are as before; a bound that is a finite force takes no impulse."""
    p, imp, bundles = kernel_problem(3, law)
    p.G[:] = np.diag([1.0, 3.0, 2.0])
    p.c[:] = [-1.0, 0.5, 0.7]
    p.master[1], p.lower_1[1], p.upper_0[1], p.upper_1[1] = 0, -0.3, 0.0, 0.3
    p.lower_0[2], p.upper_0[2] = -5.0, 5.0  # a brake with given load
    imp.eps[:] = [0.5, 0.4, 0.0]
    kept = [name for name in p._fields if name not in ("x", "gamma", "check")]
    before = [np.copy(getattr(p, name)) for name in kept]
    assert solve_kernel(law.code, *bundles) == 0
    after = [getattr(p, name) for name in kept]
    for old, new in zip(before, after, strict=True):
        assert np.array_equal(old, new)
    assert p.x[2] == 0.0
    assert p.gamma[2] == pytest.approx(0.7)
    assert p.x == pytest.approx(imp.Lambda)
    expected = cl.solve_impact(np.diag([1.0, 3.0]), [-1.0, 0.5], law, mu=0.3, eps_N=0.5, eps_T=0.4)
    assert imp.gamma_plus[:2] == pytest.approx(expected.gamma_plus, abs=EXACT)


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_both_forms_of_the_energy_change_agree(law: cl.ImpactLaw) -> None:
    """(gamma_plus + gamma_minus) Lambda / 2 is gamma_plus Lambda - Lambda G Lambda / 2. (T-13.2)"""
    p, imp, bundles = kernel_problem(2, law)
    p.G[:] = [[2.0, 0.4], [0.4, 3.0]]
    p.c[:], imp.eps[:] = [-1.0, 0.5], [0.5, 0.4]
    p.master[1], p.lower_1[1], p.upper_0[1], p.upper_1[1] = 0, -0.3, 0.0, 0.3
    assert solve_kernel(law.code, *bundles) == 0
    expected = 0.5 * (imp.gamma_plus + imp.gamma_minus) @ imp.Lambda
    assert expected < -0.1 and np.abs(imp.Lambda).min() > 0.01
    assert imp.energy == pytest.approx([expected] * 2, abs=EXACT)


def test_friction_in_two_directions() -> None:
    """A friction disc along one line is the interval; old and new variants refuse it."""
    turn = np.array([0.6, 0.8])
    for law in (cl.Newton(), *POISSON):
        p, imp, bundles = kernel_problem(3, law)
        p.n_sets[0] = 2
        p.kind[1], p.size[1], p.master[1], p.upper_0[1], p.upper_1[1] = BALL, 2, 0, 0.0, 0.3
        p.G[:] = np.diag([1.0, 3.0, 3.0])
        imp.eps[0] = 0.75
        for slip in (0.5, 2.5):
            p.c[:] = [-1.0, *(slip * turn)]
            if law in (cl.Poisson("old"), cl.Poisson("new")):
                assert solve_kernel(law.code, *bundles) == REFUSED_BALL
                continue
            assert solve_kernel(law.code, *bundles) == 0
            line = cl.solve_impact(np.diag([1.0, 3.0]), [-1.0, slip], law, mu=0.3, eps_N=0.75)
            assert imp.gamma_plus[1:] == pytest.approx(line.gamma_plus[1] * turn, abs=1e-10)


# the law of Liu, Zhao and Brogliato


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("eps", [0.0, 0.05, 0.5, 0.9, 1.0])
def test_sequential_single_contact(eps: float, exponent: float) -> None:
    """One contact: the energetic restitution is Newton's. Steps are controlled to 1e-13 each."""
    impact = cl.solve_impact([[2.0]], [-3.0], cl.Sequential(exponent), eps_N=eps)
    assert impact.gamma_plus[0] == pytest.approx(3.0 * eps, abs=3e-11)


def chain(masses: Any) -> tuple[np.ndarray, np.ndarray]:
    """W and G of a chain of balls that touch."""
    n = len(masses)
    W = np.zeros((n - 1, n))
    W[np.arange(n - 1), np.arange(n - 1)] = -1.0
    W[np.arange(n - 1), np.arange(1, n)] = 1.0
    return W, delassus(W, masses)


def test_sequential_limits() -> None:
    """A soft second contact: binary collisions. A stiff one: the second and third ball are one.

    The deviations fall as the square root of the ratio for linear contacts: 1e-6 gives 1e-3 at
    most.
    """
    W, G = chain([1.0, 1.0, 1.0])
    law = cl.Sequential(exponent=1.0)
    soft = cl.solve_impact(G, W @ [1, 0, 0], law, eps_N=1.0, stiffness=[1.0, 1e-6])
    assert W.T @ soft.Lambda + [1, 0, 0] == pytest.approx([0, 0, 1], abs=1e-3)
    stiff = cl.solve_impact(G, W @ [1, 0, 0], law, eps_N=1.0, stiffness=[1.0, 1e6])
    assert W.T @ stiff.Lambda + [1, 0, 0] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-3)


@pytest.mark.parametrize("exponent", [1.0, 1.5])
@pytest.mark.parametrize("n", [3, 5])
def test_sequential_elastic_chain(n: int, exponent: float) -> None:
    """Elastic balls with springs between them, integrated over time by an independent code.

    As long as no contact closes again after it has opened, the law is the dynamics of the springs
    themselves: equal balls, the first hits the others at rest.
    """
    W, G = chain(np.ones(n))
    u = np.zeros(n)
    u[0] = 1.0
    law = cl.Sequential(exponent=exponent)
    impact = cl.solve_impact(G, W @ u, law, eps_N=1.0)

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        # y: velocities, then elongations; only compression makes a force
        force = np.maximum(-y[n:], 0.0) ** exponent
        return np.concatenate([W.T @ force, W @ y[:n]])

    start = np.concatenate([u, np.zeros(n - 1)])
    run = solve_ivp(rate, (0, 60), start, method="DOP853", rtol=1e-12, atol=1e-13)
    found = u + W.T @ impact.Lambda
    # tolerance of the reference over some hundred steps with corners that it does not locate
    assert found == pytest.approx(run.y[:n, -1], abs=1e-9)
    assert impact.energy_change == pytest.approx(0.0, abs=EXACT * 10)


def test_sequential_plastic_chain() -> None:
    """eps = 0 everywhere: the plastic impact, all balls go on together."""
    W, G = chain([1.0, 2.0, 0.5, 1.0])
    u = np.array([1.0, 0.0, 0.0, 0.0])
    impact = cl.solve_impact(G, W @ u, cl.Sequential(), eps_N=0.0)
    assert impact.gamma_plus.min() > -1e-11
    assert impact.energy_change < 0.0


# what each law declares


def test_roads() -> None:
    for law in (cl.Newton(), cl.NewtonBoth()):
        law.check_road("event-driven")
        law.check_road("time stepping")
    for law in (*POISSON, cl.Cradle(), cl.Sequential()):
        law.check_road("event-driven")
        with pytest.raises(cl.UsageError, match=r"Newton or NewtonBoth"):
            law.check_road("time stepping")


def test_declared_passivity() -> None:
    """What is proven in the theory chapter, and nothing more."""
    assert cl.Newton().is_passive([0.5, 0.5])
    assert cl.Newton().is_passive([0.0], [0.0], [0.3])
    assert not cl.Newton().is_passive([0.5, 0.4])
    assert not cl.Newton().is_passive([0.5], [0.0], [0.3])
    assert cl.NewtonBoth().is_passive([0.5], [0.5], [0.3])
    assert not cl.NewtonBoth().is_passive([0.5], [0.0], [0.3])
    assert cl.Poisson().is_passive([0.5, 0.9])
    assert not cl.Poisson("new").is_passive([0.5], [0.0], [0.3])
    assert cl.Cradle().is_passive([1.0])
    assert cl.Sequential().is_passive([0.4, 1.0])


# the cradle


def test_cradle_six_cases() -> None:
    """The six linear maps of the three-ball cradle, one per order of the velocities."""
    cases = {
        (1.0, 1.0): [[1, 0], [0, 1]],
        (-1.0, 2.0): [[-1, 0], [1, 1]],
        (2.0, -1.0): [[1, 1], [0, -1]],
        (-2.0, 1.0): [[0, 1], [-1, -1]],
        (1.0, -2.0): [[-1, -1], [1, 0]],
        (-1.0, -0.5): [[0, -1], [-1, 0]],
    }
    for gamma, Q in cases.items():
        impact = cl.solve_impact(CRADLE_G, gamma, cl.Cradle(), eps_N=1.0)
        assert impact.gamma_plus == pytest.approx(np.array(Q) @ gamma, abs=EXACT)


def test_cradle_moves_as_many_balls_as_it_was_hit_by() -> None:
    for n, hitting in ((3, 1), (3, 2), (5, 1), (5, 2), (5, 3), (7, 3)):
        W, G = chain(np.ones(n))
        u = np.zeros(n)
        u[:hitting] = 1.0
        impact = cl.solve_impact(G, W @ u, cl.Cradle(), eps_N=1.0)
        assert u + W.T @ impact.Lambda == pytest.approx(u[::-1], abs=EXACT)


def test_cradle_of_other_masses() -> None:
    """Mirrors at 45 degrees: ball of mass 1 between 1 and one that gives cos^2 = 1/2.

    cos^2 = m1 m3 / ((m1 + m2)(m2 + m3)), so that m3 -> infinity (a wall) and m1 = m2 fit: two equal
    balls against a wall. Ball 1 hits ball 2, which rests at the wall: it comes back reversed.
    """
    W = np.array([[-1.0, 1.0], [0.0, -1.0]])
    impact = cl.solve_impact(delassus(W, [1, 1]), W @ [1.0, 0.0], cl.Cradle(), eps_N=1.0)
    assert W.T @ impact.Lambda + [1, 0] == pytest.approx([-1, 0], abs=EXACT)


def test_cradle_has_rounds_for_any_number_of_contacts() -> None:
    """More of them than the largest order of a mirror angle: one hit, which the first one ends."""
    n = 1001
    imp = new_impact(n)
    imp.row[:], imp.H[0, 0] = np.arange(n), 2.0
    gamma = np.ones(n)
    gamma[0] = -1.0
    assert _fold(Bundle(imp), n, gamma) == 0
    assert gamma.tolist() == [1.0] * n and imp.Lambda[0] == 1.0


def test_cradle_single_restitution() -> None:
    """One contact of the chain alone, the other opening fast: Newton's restitution."""
    impact = cl.solve_impact(CRADLE_G, [-1.0, 5.0], cl.Cradle(), eps_N=0.4)
    assert impact.gamma_plus == pytest.approx([0.4, 5.0 - 0.7], abs=EXACT)


@pytest.mark.parametrize(
    ("G", "data", "word"),
    [
        (CRADLE_G, {"eps_N": [0.5, 0.6]}, "same eps_N"),
        ([[2.0, -0.8], [-0.8, 2.0]], {"eps_N": 1.0}, "equal bodies"),
        ([[2.0, 1.0], [1.0, 2.0]], {"eps_N": 1.0}, "equal bodies"),
        (CRADLE_G, {"eps_N": 1.0, "mu": [0.3]}, "no friction"),
    ],
)
def test_cradle_refuses(G: Any, data: dict[str, Any], word: str) -> None:
    with pytest.raises(cl.SimulationError, match=word):
        cl.solve_impact(G, [-1.0, -0.2], cl.Cradle(), **data)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"eps_N": 1.2}, "eps_N"),
        ({"eps_T": -0.1}, "eps_T"),
        ({"mu": 0.3, "gamma": [-1.0]}, "gamma"),
        ({"mu": -0.3}, "mu"),
        ({"mu": [0.3, 0.3]}, "rows"),
        ({"bilateral": 3}, "bilateral"),
        ({"law": "newton"}, "law"),
        ({"G": [[1.0, 2.0]]}, "square"),
        ({"stiffness": 0.0}, "stiffness"),
    ],
)
def test_wrong_input(change: dict[str, Any], word: str) -> None:
    data: dict[str, Any] = {"G": CRADLE_G, "gamma": [-1.0, 0.0], "law": cl.Newton(), **change}
    with pytest.raises(cl.CornerlawError, match=word):
        cl.solve_impact(**data)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: cl.Poisson("older"), "variant"),
        (lambda: cl.Sequential(0.5), "exponent"),
        (lambda: cl.Sequential(stiffness={"a": -1.0}), "stiffness"),
        (lambda: cl.Sequential(stiffness=2.0), "stiffness"),
    ],
)
def test_wrong_law(make: Any, word: str) -> None:
    with pytest.raises(cl.ModelError, match=word):
        make()
