"""The linear complementarity problems of the book for plane impacts, solved by enumeration.

Independent of the package: matrices as printed in [Pfeiffer2008, (3.199), (3.212)], the latter with
S+ - E where the print has S- - E; unknowns (Lambda_N, Lambda_TV+, gamma_T-) of every contact. All
solutions are found by trying all 2^(3 n) ways to set one variable of each pair to zero: with strong
friction there may be several.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

Floats = np.ndarray


def solve_lcp(A: Floats, b: Floats, tolerance: float = 1e-9) -> Iterator[Floats]:
    """Yield all x with y = A x + b, 0 <= y, x >= 0, x y = 0."""
    n = b.size
    for chosen in itertools.product((False, True), repeat=n):
        basic = np.flatnonzero(chosen)
        x = np.zeros(n)
        if basic.size:
            part = A[np.ix_(basic, basic)]
            if abs(np.linalg.det(part)) < 1e-14:
                continue
            x[basic] = np.linalg.solve(part, -b[basic])
        if min(x.min(), (A @ x + b).min()) > -tolerance:
            yield x


class Matrices(NamedTuple):
    NN: Floats
    NT: Floats
    TN: Floats
    TT: Floats
    mu: Floats  # diagonal


def split(G: Floats, mu: Floats) -> Matrices:
    """Take apart a matrix with rows N, T, N, T ..."""
    return Matrices(G[::2, ::2], G[::2, 1::2], G[1::2, ::2], G[1::2, 1::2], np.diag(mu))


def friction_problem(
    m: Matrices, gamma_N: Floats, gamma_T: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield Lambda_N and Lambda_T of one phase with plain Coulomb friction, (3.199)."""
    n = gamma_N.size
    E, Z = np.eye(n), np.zeros((n, n))
    A = np.block(
        [
            [m.NN - m.NT @ m.mu, m.NT, Z],
            [m.TN - m.TT @ m.mu, m.TT, E],
            [2 * m.mu, -E, Z],
        ]
    )
    for x in solve_lcp(A, np.concatenate([gamma_N, gamma_T, np.zeros(n)])):
        yield x[:n], x[n : 2 * n] - m.mu @ x[:n]


def newton(G: Floats, gamma: Floats, mu: Floats, eps_N: Floats, eps_T: Floats) -> Iterator[Floats]:
    """Yield Lambda of Newton's law, with eps_T in both directions."""
    c = gamma.copy()
    c[::2] *= 1 + eps_N
    c[1::2] *= 1 + eps_T
    for found in friction_problem(split(G, mu), c[::2], c[1::2]):
        yield np.ravel(np.column_stack(found))


def poisson(
    variant: str, G: Floats, gamma: Floats, mu: Floats, eps_N: Floats, eps_T: Floats
) -> Iterator[Floats]:
    """Yield Lambda of Poisson's law in one of its variants, (3.199) and (3.212)."""
    m = split(G, mu)
    for N_C, T_C in friction_problem(m, gamma[::2], gamma[1::2]):
        for N_E, T_E in _expansion(variant, m, gamma, N_C, T_C, eps_N, eps_T):
            yield np.ravel(np.column_stack([N_C + N_E, T_C + T_E]))


def _expansion(
    variant: str,
    m: Matrices,
    gamma: Floats,
    N_C: Floats,
    T_C: Floats,
    eps_N: Floats,
    eps_T: Floats,
) -> Iterator[tuple[Floats, Floats]]:
    n = N_C.size
    E, Z = np.eye(n), np.zeros((n, n))
    gamma_NC = gamma[::2] + m.NN @ N_C + m.NT @ T_C
    gamma_TC = gamma[1::2] + m.TN @ N_C + m.TT @ T_C
    plus, minus = (np.diag(0.5 * (1 + s * np.sign(T_C))) for s in (1, -1))
    stored, restored = eps_N * N_C, eps_N * eps_T * T_C
    width = m.mu
    if variant == "coulomb":  # the interval from -mu Lambda_NE to mu Lambda_NE
        plus, minus, restored, width = Z, E, np.zeros(n), 2 * m.mu
    A = np.block(
        [
            [m.NN - m.NT @ minus @ m.mu, m.NT, Z],
            [m.TN - m.TT @ minus @ m.mu, m.TT, E],
            [width, -E, Z],
        ]
    )
    b_N = m.NN @ stored + m.NT @ (plus @ restored - minus @ m.mu @ stored) + gamma_NC
    b_T = m.TN @ stored + m.TT @ (plus @ restored - minus @ m.mu @ stored) + gamma_TC
    if variant == "new":
        b_T -= m.TN @ stored + m.TT @ restored
    for x in solve_lcp(A, np.concatenate([b_N, b_T, width @ stored - np.abs(restored)])):
        N_E = x[:n] + stored
        yield N_E, x[n : 2 * n] + plus @ restored - minus @ m.mu @ N_E
