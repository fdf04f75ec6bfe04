"""Closed loops over a hundred seconds: regular, redundant, and through singular positions.

Limits: position errors below 1e-10 of a bar's length, measured on the bodies' positions and not
on the solver's own residual; energy drift below 1e-6 of the stated energy scale.
"""

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.gallery.mechanisms import bricard, four_bar, n_four_bar

POSITION = 1e-10
ENERGY = 1e-6


def assert_closed(name, gap, drift):
    """Print and judge the gap, in lengths, and the drift of the energy, relative."""
    print(f"{name}: gap {gap:.1e} of a length, energy drift {drift:.1e}")
    assert gap < POSITION
    assert drift < ENERGY


def tip(sol, body, length):
    """Return the far end of a planar bar."""
    angle = sol[f"{body}.angle"]
    return sol[f"{body}.position"] + length * np.column_stack([np.cos(angle), np.sin(angle)])


def far_end(sol, body, vector):
    """Return the far end of a bar in space."""
    return sol[f"{body}.position"] + sol[f"{body}.rotation"] @ np.array(vector)


def test_four_bar_hundred_seconds():
    p = four_bar.Parameters()
    method = cl.RungeKutta8(rtol=1e-10, atol=1e-12)
    sol = cl.simulate(four_bar.build(p), 100.0, method=method, every=5)
    gap = tip(sol, "coupler", p.coupler) - tip(sol, "rocker", p.rocker)
    energy = sol["energy.total"]
    # the kinetic energy at the start is the scale
    drift = np.max(np.abs(energy - energy[0])) / sol["energy.kinetic"][0]
    assert_closed("four-bar", np.max(np.abs(gap)) / p.crank, drift)
    psi = four_bar.rocker_angle(p, sol["A.angle"])
    assert np.max(np.abs(sol["D.angle"] - psi)) < 1e-10


def test_bricard_hundred_seconds():
    p = bricard.Parameters()
    model = bricard.build(p)
    method = cl.RungeKutta8(rtol=1e-10, atol=1e-12)
    with pytest.warns(UserWarning, match="redundant constraints in: P5"):
        sol = cl.simulate(model, 100.0, method=method)
    end = far_end(sol, "bar_5", bricard.BARS[4][0])
    gap = end - np.array([0.0, 0.0, p.length])
    energy = sol["energy.total"]
    # all bars hang between 0 and one length below the fixed one: m g l
    drift = np.max(np.abs(energy - energy[0])) / (p.mass * p.gravity * p.length)
    assert_closed("Bricard", np.max(np.abs(gap)) / p.length, drift)


def test_bricard_is_redundant_and_mobile():
    facts = bricard.build(bricard.Parameters()).describe()
    assert facts.gruebler == 0
    assert facts.degrees_of_freedom == 1
    assert facts.rows - facts.rank == 1
    assert facts.redundant == ("P5",)


def test_bricard_forces_are_the_smallest():
    # the force of the last joint is free by one self-stress; of all forces that give the motion the
    # smallest one has no part along it. The closing wrench at rest in the cube, by brute force:
    p = bricard.Parameters()
    with pytest.warns(UserWarning, match="redundant"):
        sol = cl.simulate(bricard.build(p), 1e-6)
    points = [np.zeros(3)]
    for direction, _ in bricard.BARS:
        points.append(points[-1] + p.length * np.array(direction))
    axes = [np.array(axis) for _, axis in bricard.BARS]
    M, h, W = np.zeros((5, 5)), np.zeros(5), np.zeros((6, 5))
    for k, (direction, _) in enumerate(bricard.BARS):
        along = np.array(direction)
        centre = 0.5 * (points[k] + points[k + 1])
        thin = p.length**2 * (np.eye(3) - np.outer(along, along))
        tensor = p.mass / 12.0 * (thin + p.section**2 * (np.eye(3) + np.outer(along, along)))
        J = np.array([np.cross(axes[j], centre - points[j]) for j in range(k + 1)]).T
        T = np.array(axes[: k + 1]).T
        n = slice(0, k + 1)
        M[n, n] += p.mass * J.T @ J + T.T @ tensor @ T
        h[n] += J.T @ np.array([0.0, -p.mass * p.gravity, 0.0])
    for j in range(5):
        W[:3, j] = np.cross(axes[j], points[5] - points[j])
        W[3:, j] = axes[j]
    # a revolute joint about x leaves the turn about x free: five rows, one of them redundant
    rows = W[[0, 1, 2, 4, 5]]
    inverse = np.linalg.inv(M)
    force = -np.linalg.pinv(rows @ inverse @ rows.T, rcond=1e-10) @ (rows @ inverse @ h)
    acceleration = inverse @ (h + rows.T @ force)
    found = [sol[f"P{k}.speed_rate"][0] for k in range(5)]
    np.testing.assert_allclose(found, acceleration, atol=1e-10 * p.gravity)
    # force on the ground, the second operand of P5, is opposite to that on the last bar
    np.testing.assert_allclose(sol["P5.force"][0], -force[:3], atol=1e-9)


def assert_passes_flat_positions(n, t_end, rtol):
    p = n_four_bar.Parameters(n=n)
    # energies and gaps of every eighth step
    sol = n_four_bar.simulate(
        p, t_end=t_end, every=8, method=cl.RungeKutta8(rtol=rtol, atol=0.01 * rtol)
    )
    worst = 0.0
    for i in range(n):
        gap = tip(sol, f"coupler_{i}", p.length) - tip(sol, f"pillar_{i + 1}", p.length)
        worst = max(worst, float(np.max(np.abs(gap))))
    assert_closed(f"{n} four-bars", worst / p.length, n_four_bar.drift(sol, p))
    # every loop went through both flat positions of each revolution, and none changed its branch
    angles = np.column_stack([sol[f"A_{i}.angle"] for i in range(n + 1)])
    assert 0.5 * np.pi - angles[-1, 0] > 2.0 * np.pi * np.floor(t_end / n_four_bar.exact_period(p))
    assert np.max(np.ptp(angles, axis=1)) < 1e-6
    # the pendulum in closed form: local errors of the tolerance, growing with the square of time
    late = np.max(np.abs(angles[:, 0] - n_four_bar.exact_angle(p, sol.t)))
    assert late < 1e-3


def test_ten_four_bars_hundred_seconds():
    assert_passes_flat_positions(10, 100.0, 1e-10)


@pytest.mark.verify
def test_forty_four_bars_hundred_seconds():
    assert_passes_flat_positions(40, 100.0, 1e-10)


@pytest.mark.parametrize("speed", [0.5, 2.0, 5.0, 9.0])
def test_flat_positions_at_other_speeds(speed):
    # where the steps fall relative to the flat position is chance: many passages, several runs
    p = n_four_bar.Parameters(n=2, speed=speed)
    sol = n_four_bar.simulate(p, t_end=50.0)
    assert n_four_bar.drift(sol, p) < ENERGY
    assert np.max(np.abs(sol["constraints.position_error"])) < POSITION
    assert np.max(np.abs(sol["A_0.angle"] - sol["A_2.angle"])) < 1e-6
