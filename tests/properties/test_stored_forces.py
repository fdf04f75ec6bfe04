"""Stored forces of redundant contacts are admissible: inside their sets, with the same motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

G = 9.81


def table(rng: np.random.Generator) -> tuple[cl.Model, dict[str, float]]:
    """Return a body of random weight at rest on many feet, and the friction of each.

    Feet and load are anywhere, so that even shares often pull at one foot or load its friction
    beyond its cone; the load alone decides whether there is another way to stand.
    """
    mass = float(rng.uniform(0.5, 5.0))
    tilt = float(rng.uniform(-0.3, 0.3))
    normal = (-math.sin(tilt), math.cos(tilt))
    body = cl.Body(
        "body", mass=mass, inertia=mass * 0.1, com=(float(rng.uniform(-0.45, 0.45)), 0.2),
        position=(0.0, 0.0), rotation=tilt,
    )  # fmt: skip
    floor = cl.Ground("floor", normal=normal)
    parts: list[Any] = [floor, body]
    places = np.append([-0.5, 0.5], rng.uniform(-0.5, 0.5, int(rng.integers(1, 4))))
    mu: dict[str, float] = {}
    for k, place in enumerate(places):
        tip = cl.ContactPoint(f"tip {k}", body, at=(float(place), 0.0))
        mu[f"foot {k}"] = float(rng.uniform(0.0, 0.3) if rng.random() < 0.5 else 1.0)
        parts += [tip, cl.Contact(tip, floor, mu=mu[f"foot {k}"], name=f"foot {k}")]
    return cl.Model(*parts, gravity=(0.0, -G)), mu


@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
def test_feet_of_a_table_neither_pull_nor_leave_their_cones(rtol: float) -> None:
    rng, stood = np.random.default_rng(5), 0
    for _ in range(25):
        model, mu = table(rng)
        sol = cl.simulate(model, 0.05, method=cl.EventDriven(rtol=rtol, atol=1e-2 * rtol))
        weight = float(model.bodies[0].mass) * G
        N = np.array([sol[f"{foot}.lam_N"] for foot in mu])
        T = np.array([sol[f"{foot}.lam_T"] for foot in mu])
        limits = np.array(list(mu.values()))[:, None]
        assert N.min() >= -1e-9 * weight
        assert (np.abs(T) - limits * N).max() <= 1e-9 * weight
        if np.abs(sol["body.velocity"]).max() < 1e-9:
            # at rest the forces carry the weight, whichever foot has which part
            stood += 1
            tilt = float(sol["body.angle"][0])
            assert N.sum(axis=0) == pytest.approx(weight * math.cos(tilt), rel=1e-9)
            assert np.abs(T.sum(axis=0)) == pytest.approx(weight * abs(math.sin(tilt)), rel=1e-7)
    assert stood >= 10
