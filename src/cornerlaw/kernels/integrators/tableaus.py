"""Coefficients of the Runge-Kutta methods, from data (tools/tableaus.py) or their definition."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cornerlaw.arrays.state import Floats, Ints


class Tableau(NamedTuple):
    """An explicit Runge-Kutta pair with dense output; unused arrays are empty."""

    A: Floats  # (s, s) strictly lower triangular
    B: Floats  # (s,)
    C: Floats  # (s,)
    E: Floats  # (1 or 2, s + 1) error weights: one estimator, or those of order 5 and 3
    P: Floats  # (s + 1, 4) monomial dense output
    A_extra: Floats  # (k, s + 1 + k) extra stages of the nested dense output
    C_extra: Floats  # (k,)
    D: Floats  # (s + 1 + k, 4)
    order: Ints  # (2,) order of the method, exponent of the error estimate in dt


class RadauTableau(NamedTuple):
    """Radau IIA with three stages, diagonalised; empty for other methods."""

    C: Floats  # (3,)
    T: Floats  # (3, 3) A^-1 = T diag(mu_real, mu_complex block) T^-1
    T_inverse: Floats  # (3, 3)
    E: Floats  # (3,) error weights of Z
    P: Floats  # (3, 3) monomial coefficients of the collocation polynomial from Z
    mu: Floats  # (3,) real eigenvalue, real and imaginary part of the complex one


def _tableau(A, B, C, order, estimate, **more) -> Tableau:
    """Collect the coefficients; the square form of A lets all methods share one type."""
    s = len(B)
    square = np.zeros((s, s))
    square[:, : np.shape(A)[1]] = A
    arrays = {
        "E": np.zeros((0, s + 1)),
        "P": np.zeros((s + 1, 0)),
        "A_extra": np.zeros((0, 0)),
        "C_extra": np.zeros(0),
        "D": np.zeros((0, 0)),
    } | more
    return Tableau(
        A=square,
        B=np.array(B, dtype=np.float64),
        C=np.array(C, dtype=np.float64),
        order=np.array([order, estimate], np.int64),
        **{name: np.array(value, dtype=np.float64, order="C") for name, value in arrays.items()},
    )


def no_tableau() -> Tableau:
    """Return the empty tableau of a method without explicit stages."""
    return _tableau(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 0, 0)


def no_radau() -> RadauTableau:
    """Return empty coefficients for methods other than Radau IIA."""
    matrix, vector = np.zeros((0, 0)), np.zeros(0)
    return RadauTableau(vector, matrix, matrix, vector, matrix, vector)


@cache
def _stored() -> dict[str, dict[str, Any]]:
    """Return the coefficients kept as data (tools/tableaus.py says from where)."""
    path = Path(__file__).with_name("tableaus.json")
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def dormand_prince_5() -> Tableau:
    """Return the pair of Dormand and Prince of order 5(4) [Hairer1993, II.5].

    [DormandPrince1980]
    """
    return _tableau(order=5, estimate=5, **_stored()["dormand_prince_5"])


def dormand_prince_8() -> Tableau:
    """Return the method of order 8 with estimators of order 5 and 3 [Hairer1993, II.5, II.6]."""
    return _tableau(order=8, estimate=8, **_stored()["dormand_prince_8"])


def classical_4() -> Tableau:
    """Return Kutta's method of order 4 [Hairer1993, II.1]."""
    A = np.diag([0.5, 0.5, 1.0], -1)
    return _tableau(A, np.array([1, 2, 2, 1]) / 6, np.array([0.0, 0.5, 0.5, 1.0]), 4, 4)


def radau_5() -> RadauTableau:
    """Derive Radau IIA of order 5 from its nodes c = ((4 -+ sqrt 6)/10, 1) [Hairer1996, IV.8].

    Collocation gives A = (c_i^j / j) (c_i^(j-1))^-1; the eigenvectors of A^-1 give T, the complex
    one as its real and imaginary part; E is formula (8.20) there without gamma_0.
    """
    root = np.sqrt(6.0)
    c = np.array([(4 - root) / 10, (4 + root) / 10, 1.0])
    powers = c[:, None] ** np.arange(3)
    A = (c[:, None] ** np.arange(1, 4) / np.arange(1, 4)) @ np.linalg.inv(powers)
    values, vectors = np.linalg.eig(np.linalg.inv(A))
    real = int(np.argmin(np.abs(values.imag)))
    pair = int(np.argmax(values.imag))
    v, z = vectors[:, real].real, vectors[:, pair]
    T = np.stack([v / v[2], (z / z[2]).real, (z / z[2]).imag], axis=1)
    return RadauTableau(
        C=c,
        T=np.ascontiguousarray(T),
        T_inverse=np.ascontiguousarray(np.linalg.inv(T)),
        E=np.array([-13 - 7 * root, -13 + 7 * root, -1.0]) / 3,
        P=np.ascontiguousarray(np.linalg.inv(c[:, None] ** np.arange(1, 4))),
        mu=np.array([values[real].real, values[pair].real, values[pair].imag]),
    )
