"""How far the ellipsoid of sliding and drilling is from friction integrated over a round face.

A face of radius R that slides with v and spins with omega has the sliding velocity v + omega x r at
the place r. Its friction is the integral of -mu p (v + omega x r) / |v + omega x r|, p the pressure
of the weight N. The software puts |(F, T / r_D)| <= mu N in its place, with the radius of drilling
r_D that is right for spinning alone. The figures are those of the theory chapter.
"""

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

MU = 0.4
# radius of drilling over R; share of the ellipsoid that the exact set reaches; largest difference
# of (F, T / r_D) for the same motion, over mu N
FACES = {
    "uniform": (2.0 / 3.0, 0.934, 0.153),
    "hertz": (3.0 * math.pi / 16.0, 0.940, 0.143),
}


def exact(kind: str, v: float, spin: float) -> Any:
    """Return (F, T) over (mu N, mu N R) by sums over the face, R = 1."""
    n = 400
    # equal parts of the weight: the places of rings that each carry 1/n
    share = (np.arange(n) + 0.5) / n
    rho = np.sqrt(share) if kind == "uniform" else np.sqrt(1.0 - (1.0 - share) ** (2.0 / 3.0))
    angle = 2.0 * math.pi * (np.arange(n) + 0.5) / n
    x, y = np.outer(rho, np.cos(angle)), np.outer(rho, np.sin(angle))
    slide_x, slide_y = v - spin * y, spin * x
    size = np.hypot(slide_x, slide_y)
    return np.array([np.mean(slide_x / size), np.mean((x * slide_y - y * slide_x) / size)])


def ellipsoid(v: float, turn: float) -> Any:
    """Return (F, T / r_D) over mu N of a body that goes on sliding, as the solver finds it."""
    sets = [cl.sets.unilateral(), cl.sets.disc(MU, normal=0, size=3)]
    # heavy against tangential impulses, so that these do not change the motion
    problem = cl.ContactProblem(np.diag([1.0, 1e-9, 1e-9, 1e-9]), [-1.0, v, 0.0, turn], sets)
    result = problem.solve()
    assert result.status == "solved"
    return -np.asarray(result.x)[[1, 3]] / (MU * result.x[0])


@pytest.mark.parametrize("kind", FACES)
def test_ellipsoid_against_friction_integrated_over_the_face(kind: str) -> None:
    r, inside, apart = FACES[kind]
    angles = np.linspace(0.01, 0.5 * math.pi - 0.01, 80)
    exacts = np.array([exact(kind, math.cos(a), math.sin(a) / r) for a in angles])
    exacts[:, 1] /= r
    found = np.array([ellipsoid(math.cos(a), math.sin(a)) for a in angles])
    # spinning alone and sliding alone agree; sums of 400 x 400 places are right to 1e-3
    for end in (0, -1):
        np.testing.assert_allclose(found[end], exacts[end], atol=0.02)
    reach = np.linalg.norm(exacts, axis=1)
    assert reach.max() <= 1.0 + 1e-3
    assert reach.min() == pytest.approx(inside, abs=1e-3)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)
    assert np.linalg.norm(found - exacts, axis=1).max() == pytest.approx(apart, abs=2e-3)


@pytest.mark.parametrize(("kind", "slope"), [("uniform", 1.0), ("hertz", 3.0 * math.pi / 8.0)])
def test_fast_spin_takes_away_less_of_the_resistance_than_it_should(
    kind: str, slope: float
) -> None:
    """F / (mu N) over v / (R omega) is the mean of 1 / (2 rho); with the ellipsoid 1 / r_D."""
    v, r = 0.05, FACES[kind][0]
    assert exact(kind, v, 1.0)[0] == pytest.approx(slope * v, rel=0.01)
    assert ellipsoid(v, r)[0] == pytest.approx(v / r, rel=0.01)
