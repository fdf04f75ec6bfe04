"""The tower of ten masses: the enumeration of its 3^10 states against an independent iteration."""

from __future__ import annotations

import numpy as np
import pytest

from cornerlaw.compile import compile_model
from cornerlaw.gallery.contacts import tower

P = tower.Parameters()


def iterate(G: np.ndarray, c: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Solve gamma = G x + c, -gamma in N_C(x) for intervals by sweeps of projections."""
    x = np.zeros(len(c))
    for _ in range(50_000):
        old = x.copy()
        for i in range(len(c)):
            x[i] = np.clip(x[i] - (G[i] @ x + c[i]) / G[i, i], -bound[i], bound[i])
        if np.abs(x - old).max() <= 1e-16 * bound.max():
            break
    return x


def test_all_combinations_are_listed_once() -> None:
    assert tower.combinations().shape == (59049, 10)
    assert len(np.unique(tower.combinations(), axis=0)) == 59049


@pytest.mark.parametrize("k", range(8))
def test_enumeration_equals_projection(k: int) -> None:
    given = tower.excitations(P, 8, seed=7)[k]
    states, ends = tower.enumerate_states(P, *given)
    assert len(states) == 1
    G, c, bound = tower.problem(P, *given)
    gamma = G @ iterate(G, c, bound) + c
    # linear convergence to 1e-16 of the impulses, amplified by the condition of G, some 1e3
    np.testing.assert_allclose(
        gamma, np.diff(ends[0], prepend=given[1]), rtol=0.0, atol=1e-11 * np.abs(c).max()
    )
    slips = np.abs(gamma) > 1e-9 * np.abs(c).max()
    assert (np.where(slips, np.sign(gamma), 0.0) == states[0]).all()


def test_excitations_mix_sticking_and_slipping() -> None:
    counts = [
        np.count_nonzero(tower.enumerate_states(P, *given)[0][0])
        for given in tower.excitations(P, 12)
    ]
    assert len(set(counts)) >= 4


def test_at_rest_on_an_accelerated_table() -> None:
    # in common motion contact i carries a times the mass above it: it holds while a <= mu_i g
    dt, mu = 1e-3, tower.coefficients(P)
    for a in (0.5 * P.gravity * mu.min(), P.gravity * np.sort(mu)[:2].mean()):
        states, ends = tower.enumerate_states(P, np.zeros(10), a * dt, dt)
        slipping = a > P.gravity * mu
        assert (states[0] != 0).tolist() == slipping.tolist()
        # everything above the weakest contact is dragged by its friction
        weakest = int(np.argmin(mu))
        above = min(a, P.gravity * mu[weakest]) * dt
        np.testing.assert_allclose(ends[0][weakest:], above, rtol=1e-12)


def test_the_model_has_the_same_rows_and_bounds() -> None:
    compiled = compile_model(tower.build(P))
    corners = compiled.corners
    nu = compiled.arrays.nu
    W = np.zeros((10, nu))
    for i, corner in enumerate(corners):
        assert corner.tangent is not None
        W[i, list(corner.tangent.items)] = corner.tangent.data[1:]
    index = {c.part: c.u for c in compiled.numbering.coordinates}
    blocks = [index[f"block {i + 1}"] for i in range(10)]
    G = (W[:, blocks] / tower.masses(P)) @ W[:, blocks].T
    expected, c, bound = tower.problem(P, np.zeros(10), 1.0, 1.0)
    np.testing.assert_allclose(G, expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(W[:, index["table"]], c, rtol=0.0, atol=0.0)
    signals = compiled.arrays.signals
    given = [signals.data[signals.start[corner.load_signal]] for corner in corners]
    np.testing.assert_allclose(given, bound, rtol=0.0, atol=0.0)
