"""The impact experiments of Beitelschmidt (throwing machine): closed forms of both theories.

A centric disc on a plane has G = diag(1, 3) / m. With a = |gamma_TA / gamma_NA|, e = eps_N,
t = eps_T the tangential velocity after the impact, reversal positive, is piecewise linear in a.
[Pfeiffer2008, 3.5.5]
"""

from typing import Any

import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl

DISC = np.diag([1.0, 3.0])
# results are sums of a few products of numbers of order ten
EXACT = 1e-12


def new_theory(a: float, mu: float, e: float, t: float) -> float:
    """Beitelschmidt: the restored impulse is given back while the contact sticks."""
    if a <= 3 * mu:
        return e * t * a
    if a <= 3 * mu * (1 + e * (1 - t)):
        return 3 * mu * e * t
    return 3 * mu * (1 + e) - a


def old_theory(a: float, mu: float, e: float, t: float) -> float:
    """Glocker: at least the restored impulse acts."""
    if a <= 3 * mu:
        return e * t * a
    if a <= 3 * mu * (1 + e * t):
        return 3 * mu * e * t - (a - 3 * mu)
    if a <= 3 * mu * (1 + e):
        return 0.0
    return 3 * mu * (1 + e) - a


def plain_coulomb(a: float, mu: float, e: float, t: float) -> float:
    """No tangential restitution: stick or slide."""
    return min(0.0, 3 * mu * (1 + e) - a)


def newton_both(a: float, mu: float, e: float, t: float) -> float:
    """Moreau: -t a while friction suffices for it."""
    return min(t * a, 3 * mu * (1 + e) - a)


THEORIES: list[tuple[cl.ImpactLaw, Any]] = [
    (cl.Poisson("new"), new_theory),
    (cl.Poisson("old"), old_theory),
    (cl.Poisson("coulomb"), plain_coulomb),
    (cl.Newton(), plain_coulomb),
    (cl.NewtonBoth(), newton_both),
]


def corners(mu: float, e: float, t: float) -> list[float]:
    """Values of a at the corners of the curves, and around them."""
    places = [0.0, 3 * mu, 3 * mu * (1 + e * (1 - t)), 3 * mu * (1 + e * t), 3 * mu * (1 + e)]
    around = [place * (1 + shift) for place in places for shift in (-1e-6, 0.0, 1e-6)]
    return [*around, *np.linspace(0.0, 9 * mu * (1 + e), 91)]


@pytest.mark.parametrize("mu", [0.2, 1.1])
@pytest.mark.parametrize("t", [0.0, 0.9])
@pytest.mark.parametrize("e", [0.75, 0.3, 1.0])
@pytest.mark.parametrize(("law", "theory"), THEORIES, ids=lambda x: getattr(x, "__name__", ""))
def test_curve(
    law: cl.ImpactLaw, theory: Any, e: float, t: float, mu: float, figure: Figure
) -> None:
    """Tangential velocity after over before, both directions, all branches."""
    worst = 0.0
    for a in corners(mu, e, t):
        for side in (-1.0, 1.0):
            impact = cl.solve_impact(DISC, [-1.0, side * a], law, mu=mu, eps_N=e, eps_T=t)
            worst = max(worst, abs(-side * impact.gamma_plus[1] - theory(a, mu, e, t)))
            assert impact.gamma_plus[0] == pytest.approx(e, abs=EXACT)
            assert -side * impact.gamma_plus[1] == pytest.approx(theory(a, mu, e, t), abs=EXACT)
            assert impact.passive
    figure("tangential velocity off the closed form", float(worst), EXACT)


def test_rubber_line_through_origin() -> None:
    """Rubber: eps_N = 0.75, eps_T = 0.9, slope -0.675 of the line through the origin."""
    impact = cl.solve_impact(DISC, [-2.0, 1.0], cl.Poisson("new"), mu=1.0, eps_N=0.75, eps_T=0.9)
    assert impact.gamma_plus[1] == pytest.approx(-0.675, abs=EXACT)


@pytest.mark.parametrize(
    ("spin", "first", "second"),
    [
        (7.5, (-1.98, -6.46, 3.0), (2.73, 2.96)),
        # the tangential velocity of the 50 mm disc at 40 rps, where the book states 12.5 m/s
        (0.025 * 2 * np.pi * 40, (-1.30, None, 3.0), (2.95, None)),
    ],
)
def test_two_bounces(spin: float, first: tuple[Any, ...], second: tuple[Any, ...]) -> None:
    """The photographed throw, 5 m/s forward, 4 m/s down: reversed twice; to the digits given."""
    u = np.array([5.0, -4.0, spin])  # v_x, v_y, r omega
    W = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    M = np.array([1.0, 1.0, 0.5])
    results = []
    for _ in range(2):
        G = W @ np.diag(1 / M) @ W.T
        impact = cl.solve_impact(G, W @ u, cl.Poisson("new"), mu=1.05, eps_N=0.75, eps_T=0.9)
        # compression sticks: the coefficient of friction it needs at least
        needed = abs(impact.Lambda_TC[0]) / impact.Lambda_NC[0]  # type: ignore[index]
        u = u + W.T @ impact.Lambda / M
        results.append((u.copy(), needed))
        u[1] = -u[1]
    (after_1, mu_1), (after_2, mu_2) = results
    for found, given in zip(after_1[[0, 2, 1]], first, strict=True):
        assert given is None or found == pytest.approx(given, abs=0.005)
    for found, given in zip(after_2[[0, 2]], second, strict=True):
        assert given is None or found == pytest.approx(given, abs=0.005)
    if spin == 7.5:
        assert mu_1 == pytest.approx(1.04, abs=0.005)
        assert mu_2 == pytest.approx(0.94, abs=0.005)


def test_pvc_does_not_reverse() -> None:
    """eps_T = 0: small slip sticks, large slip slides on with less; never reversed."""
    for a in np.linspace(0.1, 6.0, 60):
        for law in (cl.Poisson("old"), cl.Poisson("new")):
            impact = cl.solve_impact(DISC, [-1.0, a], law, mu=0.3, eps_N=0.6)
            assert -EXACT <= impact.gamma_plus[1] < a
            assert (impact.gamma_plus[1] < EXACT) == (a <= 0.9 * 1.6 + EXACT)
