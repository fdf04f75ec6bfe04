"""Multipliers by saltation matrices against closed forms and against differences of motions."""

import math

import numpy as np
import pytest
from scipy.linalg import expm

import cornerlaw as cl
from cornerlaw.gallery.contacts import woodpecker

OMEGA, DAMPING, EPS = 2.7, 0.1, 0.7
T = 2.0 * math.pi / OMEGA
PHI = expm(np.array([[0.0, 1.0], [-1.0, -DAMPING]]) * T)


def force(q, u, t):
    return np.array([-q[0] - 0.1 * u[0] + math.cos(2.7 * t)])


def oscillator(d):
    mass = cl.LagrangianSystem(
        "mass", M=[[1.0]], h=force, coordinates=("x",), q0=(-0.3,), u0=(0.0,)
    )
    return cl.Model(mass, cl.UserContact("stop", on=mass, gap=d, normal=(-1.0,), eps_N=EPS))


@pytest.mark.parametrize("d", [-0.2, 0.0])
@pytest.mark.parametrize(
    "section",
    [
        cl.Section(event=("stop", "impact"), period=T),
        cl.Section(period=T),
        cl.Section(crossing="mass.x_dot", direction=1, period=T),
    ],
)
def test_vibro_impact_oscillator(d, section):
    """One impact per period: S and its product with exp(A T) in closed form."""
    orbit = cl.periodic_orbit(oscillator(d), section, transient=60)
    found = cl.saltation(orbit)
    (jump,) = found.jumps
    assert jump.signature == (("stop", "impact"),) and jump.cause == "stop"
    v = -jump.events[0].data["gamma_N_minus"]
    a = [-d - DAMPING * w + math.cos(OMEGA * jump.time) for w in (v, -EPS * v)]
    exact = np.array([[-EPS, 0.0], [(a[1] + EPS * a[0]) / v, -EPS]])
    assert np.abs(jump.matrix[1:, 1:] - exact).max() < 1e-7
    values = np.linalg.eigvals(exact @ PHI)
    distances = np.abs(found.multipliers[:, None] - values[None, :]).min(axis=1)
    assert distances.max() < 1e-7
    # the way by differences, on its own accuracy
    assert found.difference < 3e-6
    assert found.stable == orbit.stable == (d == -0.2)


@pytest.mark.verify
@pytest.mark.parametrize(
    ("law", "slope"),
    [(cl.Newton(), -0.84), (cl.Poisson(), -0.84), (cl.Poisson("new"), -0.52)],
)
def test_woodpecker(law, slope):
    """Impacts, sticking, sliding and opening in one turn; the slopes of the literature."""
    orbit = cl.periodic_orbit(
        woodpecker.build(woodpecker.Parameters()),
        ("lower edge", "slip"),
        method=cl.EventDriven(rtol=1e-12, atol=1e-14, impact=law),
        transient=3,
    )
    found = cl.saltation(orbit)
    kinds = {e.kind for jump in found.jumps for e in jump.events}
    assert {"impact", "slip", "detach"} <= kinds
    assert found.multipliers[0].real == pytest.approx(slope, abs=5e-3)
    assert found.multipliers[0].real == pytest.approx(orbit.multipliers[0].real, abs=1e-5)
    # where the sleeve sticks all but one number is forgotten
    assert np.abs(found.multipliers[1:]).max() < 1e-4
    assert found.difference < 1e-4


def test_stick_and_slip():
    """Sticking makes every change that is not along the motion vanish: S of it has rank less."""
    system = cl.LagrangianSystem(
        "mass", M=[[1.0]], h=_pull, coordinates=("x",), q0=(0.0,), u0=(0.2,)
    )
    rub = cl.UserSet("rub", coordinates=("mass.x",), coefficients=(1.0,), lower=-1.0, upper=1.0)
    orbit = cl.periodic_orbit(
        cl.Model(system, rub), cl.Section(period=2.0 * math.pi / 0.7), transient=3
    )
    found = cl.saltation(orbit)
    kinds = {e.kind for jump in found.jumps for e in jump.events}
    assert kinds == {"stick", "slip"}
    for jump in found.jumps:
        stops = any(e.kind == "stick" for e in jump.events)
        assert abs(np.linalg.det(jump.matrix)) < 1e-6 or not stops
    assert found.difference < 1e-5


def _pull(q, u, t):
    return np.array([1.2 * math.cos(0.7 * t) - q[0]])
