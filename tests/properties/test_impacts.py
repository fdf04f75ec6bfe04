"""Properties of impact laws over many random impacts, with fixed seeds.

How often the printed laws create energy is counted and compared with bands: the counts depend on
how the random bodies are drawn, and the drawing is stated with each test.
"""

import numpy as np
import pytest
from figures import Figure
from impact_batch import Batch, run_batch

import cornerlaw as cl

# energies are sums of products of numbers of one size: round-off is some 1e-15 of that size
ROUND_OFF = 1e-12
POISSON = [cl.Poisson("coulomb"), cl.Poisson("old"), cl.Poisson("new")]
WITH_FRICTION = [cl.Newton(), cl.NewtonBoth(), *POISSON]
CRADLE_G = np.array([[2.0, -1.0], [-1.0, 2.0]])


def name_of(law: cl.ImpactLaw) -> str:
    return f"{type(law).__name__} {getattr(law, 'variant', '')}".strip()


def gains(found: Batch) -> float:
    """Fraction of the impacts that created energy."""
    assert not found.status.any()
    return float((found.energy[:, 0] > ROUND_OFF * found.size).mean())


def plane_bodies(count: int, seed: int, centric: bool = False) -> tuple[np.ndarray, ...]:
    """One contact of a plane body of mass 1: G, gamma, eps, mu.

    J uniform in (0.1, 1), contact uniform in the square of side 2 about the centre of mass (below
    it if centric), gamma_N = -1, gamma_T uniform in (-3, 3), mu, eps_N, eps_T uniform in (0, 1).
    """
    rng = np.random.default_rng(seed)
    J = rng.uniform(0.1, 1, count)
    x, y = rng.uniform(-1, 1, (2, count))
    W = np.zeros((count, 2, 3))
    W[:, 0, 1] = W[:, 1, 0] = 1.0
    W[:, 0, 2] = 0.0 if centric else x
    W[:, 1, 2] = -y
    inverse = np.ones((count, 3))
    inverse[:, 2] = 1 / J
    G = np.einsum("kia,ka,kja->kij", W, inverse, W)
    gamma = np.stack([-np.ones(count), rng.uniform(-3, 3, count)], axis=1)
    return G, gamma, rng.uniform(0, 1, (count, 2)), rng.uniform(0, 1, (count, 1))


def coupled_contacts(count: int, contacts: int, seed: int) -> tuple[np.ndarray, ...]:
    """Contacts with rows of normal random numbers in one dimension more than there are rows."""
    rng = np.random.default_rng(seed)
    n = 2 * contacts
    W = rng.normal(size=(count, n, n + 1))
    gamma = rng.normal(size=(count, n))
    gamma[:, ::2] = -np.abs(gamma[:, ::2])
    return (
        W @ W.transpose(0, 2, 1),
        gamma,
        rng.uniform(0, 1, size=(count, n)),
        rng.uniform(0, 0.5, size=(count, contacts)),
    )


# energy


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_both_forms_of_the_energy_change(law: cl.ImpactLaw) -> None:
    """2 dT = (gamma+ + gamma-) Lambda = 2 gamma+ Lambda - Lambda G Lambda = change of u M u."""
    G, gamma, eps, mu = plane_bodies(2000, seed=1)
    found = run_batch(law, G, gamma, eps, mu)
    before = np.einsum("ki,kij,kj->k", gamma, np.linalg.inv(G), gamma)
    after = np.einsum("ki,kij,kj->k", found.gamma_plus, np.linalg.inv(G), found.gamma_plus)
    scale = np.maximum(found.size, 1.0)
    assert (np.abs(found.energy[:, 0] - found.energy[:, 1]) < ROUND_OFF * scale).all()
    # the inverse of G costs its condition number, up to 1e4
    assert (np.abs(found.energy[:, 0] - 0.5 * (after - before)) < 1e-9 * scale).all()


@pytest.mark.parametrize("law", POISSON, ids=name_of)
def test_centric_bodies_lose_energy(law: cl.ImpactLaw) -> None:
    """Contact below the centre of mass: never a gain."""
    assert gains(run_batch(law, *plane_bodies(20_000, seed=2, centric=True))) == 0.0


def test_eccentric_body_old_theory() -> None:
    """Glocker's law and plain Coulomb friction: 0 gains in 40 000."""
    data = plane_bodies(40_000, seed=3)
    assert gains(run_batch(cl.Poisson("old"), *data)) == 0.0
    assert gains(run_batch(cl.Poisson("coulomb"), *data)) == 0.0


def test_eccentric_body_new_theory() -> None:
    """Beitelschmidt's law gains in 0.1 to 0.4 %, with eps_T = 0 in 0.3 to 1.2 %; up to about 2."""
    G, gamma, eps, mu = plane_bodies(40_000, seed=3)
    found = run_batch(cl.Poisson("new"), G, gamma, eps, mu)
    assert 0.001 < gains(found) < 0.004
    before = 0.5 * np.einsum("ki,kij,kj->k", gamma, np.linalg.inv(G), gamma)
    assert 1.0 < (found.energy[:, 0] / before).max() < 3.0
    eps[:, 1] = 0.0
    assert 0.003 < gains(run_batch(cl.Poisson("new"), G, gamma, eps, mu)) < 0.012


def test_eccentric_body_newton() -> None:
    """Newton's law with friction gains too, unless one eps holds in both directions."""
    G, gamma, eps, mu = plane_bodies(40_000, seed=3)
    assert 0.003 < gains(run_batch(cl.Newton(), G, gamma, eps, mu)) < 0.01
    assert 0.0005 < gains(run_batch(cl.NewtonBoth(), G, gamma, eps, mu)) < 0.004
    eps[:, 1] = eps[:, 0]
    assert gains(run_batch(cl.NewtonBoth(), G, gamma, eps, mu)) == 0.0


def test_coupled_contacts_old_and_new() -> None:
    """Two coupled contacts: the old theory gains rarely (below 0.1 %), the new one in per cent."""
    data = coupled_contacts(20_000, 2, seed=4)
    old, new = (run_batch(cl.Poisson(variant), *data) for variant in ("old", "new"))
    # a solver may give up on single problems; they are not counted
    assert (old.status != 0).mean() < 1e-3
    assert (new.status != 0).mean() < 1e-3
    rates = [float((r.energy[:, 0] > 1e-9 * r.size)[r.status == 0].mean()) for r in (old, new)]
    assert rates[0] < 1e-3
    assert 0.002 < rates[1] < 0.1


def two_normals(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two frictionless contacts of two degrees of freedom, both approaching, eps unequal."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(count, 2, 2))
    return (
        W @ W.transpose(0, 2, 1),
        -np.abs(rng.normal(size=(count, 2))),
        rng.uniform(0, 1, size=(count, 2)),
    )


def test_newton_formula_without_signs_gains() -> None:
    """Lambda = -G^-1 (1 + eps) gamma without a look at its signs gains in about 4.5 %.

    This is the printed closed form for two contacts. As a complementarity problem, which contacts
    with Lambda >= 0 only can fulfil, Newton's law without friction never gains when all contacts
    approach, and neither does Poisson's.
    """
    G, gamma, eps = two_normals(40_000, seed=5)
    change = np.einsum("ki,kij,kj->k", -(1 - eps) * gamma, np.linalg.inv(G), (1 + eps) * gamma)
    assert 0.035 < (change > 0).mean() < 0.06
    assert gains(run_batch(cl.Newton(), G, gamma, eps)) == 0.0
    assert gains(run_batch(cl.Poisson(), G, gamma, eps)) == 0.0


@pytest.mark.parametrize("law", [cl.Newton(), cl.Poisson(), cl.NewtonBoth()], ids=name_of)
def test_proven_passive(law: cl.ImpactLaw) -> None:
    """What `is_passive` promises: no gain in coupled contacts, approaching or not."""
    rng = np.random.default_rng(6)
    G, gamma, eps, mu = coupled_contacts(10_000, 2, seed=7)
    gamma[:, ::2] *= rng.choice([-1.0, 1.0], size=(10_000, 2))
    eps[:] = eps[:, :1]
    if isinstance(law, cl.NewtonBoth):
        found = run_batch(law, G, gamma, eps, mu)
        assert law.is_passive([0.5, 0.5], [0.5, 0.5], [0.1, 0.3])
    else:
        normal = np.ascontiguousarray(G[:, ::2, ::2])
        found = run_batch(law, normal, gamma[:, ::2].copy(), eps[:, ::2].copy())
        assert law.is_passive([0.5, 0.5])
    # matrices with condition numbers up to 1e6: the solver's residual shows in the energy
    assert not (found.energy[:, 0] > 1e-8 * found.size)[found.status == 0].any()


# consistency


@pytest.mark.parametrize("law", WITH_FRICTION, ids=name_of)
def test_consistent(law: cl.ImpactLaw) -> None:
    """gamma_N+ >= 0 from approaching contacts, Lambda_N >= 0, |Lambda_T| <= mu Lambda_N."""
    G, gamma, eps, mu = coupled_contacts(10_000, 2, seed=8)
    found = run_batch(law, G, gamma, eps, mu)
    fine = found.status == 0
    assert fine.mean() > 0.999
    normal, tangential = found.Lambda[fine, ::2], found.Lambda[fine, 1::2]
    # relative to the largest impulse of the impact; solver residual times condition number
    scale = np.abs(found.Lambda[fine]).max(axis=1, keepdims=True) + 1.0
    assert (found.gamma_plus[fine, ::2] > -1e-8).all()
    assert (normal > -1e-9 * scale).all()
    assert (np.abs(tangential) < mu[fine] * normal + 1e-9 * scale).all()


# the cradle


def metric(G: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """Squared length in the metric G^-1."""
    return np.einsum("ki,ij,kj->k", gamma, np.linalg.inv(G), gamma)


def chain_matrix(n: int) -> np.ndarray:
    """G of n contacts between n + 1 equal balls."""
    return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


def wall_chain_matrix(n: int) -> np.ndarray:
    """G of n contacts between n equal balls and a wall."""
    G = chain_matrix(n)
    G[-1, -1] = 1.0
    return G


@pytest.mark.parametrize("eps", [1.0, 0.7, 0.0])
@pytest.mark.parametrize(
    "G",
    [CRADLE_G, chain_matrix(4), wall_chain_matrix(2), wall_chain_matrix(4)],
    ids=["three balls", "five balls", "two balls and wall", "four balls and wall"],
)
def test_cradle_is_consistent_and_non_expansive(G: np.ndarray, eps: float, figure: Figure) -> None:
    """10 000 random pairs: |gamma+_a - gamma+_b| <= |gamma-_a - gamma-_b| in the metric G^-1."""
    rng = np.random.default_rng(9)
    count, n = 10_000, len(G)
    pairs = rng.normal(size=(2, count, n))
    # also close pairs, on both sides of the borders between the cases
    pairs[1, ::2] = pairs[0, ::2] + 1e-3 * rng.normal(size=(count // 2, n))
    all_G = np.broadcast_to(G, (count, n, n)).copy()
    restitution = np.full((count, n), eps)
    after = [run_batch(cl.Cradle(), all_G, gamma, restitution) for gamma in pairs]
    before_size = metric(G, pairs[0] - pairs[1])
    after_size = metric(G, after[0].gamma_plus - after[1].gamma_plus)
    growth = float((after_size / before_size)[before_size > 1e-6].max())
    figure("largest growth of a distance of 10,000 pairs, less 1", growth - 1.0)
    # squares of numbers of order one with round-off 1e-15: absolute 1e-14 for the close pairs
    assert (after_size <= before_size * (1 + ROUND_OFF) + 1e-14).all()
    for gamma, found in zip(pairs, after, strict=True):
        assert not found.status.any()
        assert found.gamma_plus.min() > -ROUND_OFF  # kinematic
        assert found.Lambda.min() > -ROUND_OFF  # kinetic
        assert (found.energy[:, 0] <= ROUND_OFF * found.size).all()  # energetic
        if eps == 1.0:
            assert np.abs(found.energy[:, 0]).max() < ROUND_OFF * 100
            assert metric(G, found.gamma_plus) == pytest.approx(metric(G, gamma), rel=1e-11)


def test_cradle_sorts_velocities() -> None:
    """Equal elastic balls exchange velocities until the faster is ahead: the result is sorted."""
    rng = np.random.default_rng(10)
    u = rng.normal(size=(2000, 5))
    G = np.broadcast_to(chain_matrix(4), (2000, 4, 4)).copy()
    found = run_batch(cl.Cradle(), G, np.diff(u, axis=1), np.ones((2000, 4)))
    assert found.gamma_plus == pytest.approx(np.diff(np.sort(u, axis=1), axis=1), abs=ROUND_OFF)


def test_cradle_is_the_limit_of_a_chain_with_gaps() -> None:
    """Collisions one at a time, in random order, end in the same velocities."""
    rng = np.random.default_rng(11)
    for G in (CRADLE_G, wall_chain_matrix(3)):
        for _ in range(200):
            start = rng.normal(size=len(G))
            gamma = start.copy()
            while gamma.min() < -1e-14:
                k = rng.choice(np.flatnonzero(gamma < -1e-14))
                gamma -= 2 * G[:, k] * gamma[k] / G[k, k]
            impact = cl.solve_impact(G, start, cl.Cradle(), eps_N=1.0)
            assert impact.gamma_plus == pytest.approx(gamma, abs=1e-12)


# the sequential law


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_sequential_never_gains(exponent: float) -> None:
    """Chains of random masses and eps: consistent, and energy never grows.

    Impulses grow in some hundred steps with an error of 1e-13 each, and approaches slower than
    1e-11 of the fastest count as rest.
    """
    rng = np.random.default_rng(12)
    count, n = 300, 4
    masses = rng.uniform(0.2, 2.0, size=(count, n + 1))
    G = np.zeros((count, n, n))
    for i in range(n):
        G[:, i, i] = 1 / masses[:, i] + 1 / masses[:, i + 1]
        if i:
            G[:, i, i - 1] = G[:, i - 1, i] = -1 / masses[:, i]
    gamma = -np.abs(rng.normal(size=(count, n)))
    eps = rng.uniform(0, 1, size=(count, n))
    eps[::10] = 0.0
    eps[1::10] = 1.0
    found = run_batch(cl.Sequential(exponent), G, gamma, eps)
    assert not found.status.any()
    assert found.gamma_plus.min() > -1e-10
    assert found.Lambda.min() >= 0.0
    assert (found.energy[:, 0] < 1e-10 * found.size).all()
    elastic = (eps == 1.0).all(axis=1)
    assert (np.abs(found.energy[elastic, 0]) < 1e-10 * found.size[elastic]).all()
    lossy = (eps < 0.9).all(axis=1)
    assert (found.energy[lossy, 0] < 0.0).all()
