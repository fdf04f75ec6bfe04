"""Linear vibrations of trains: matrices, response, proportional damping, the oscillator."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import UnknownNameError, UsageError

J_1, J_2, C, DAMPING = 0.02, 0.05, 300.0, 0.4


def pair(root: float = 0.3) -> cl.Model:
    one, two = cl.Rotor("one", inertia=J_1), cl.Rotor("two", inertia=J_2)
    return cl.Model(
        one, two, drives.shaft("shaft", one, two, stiffness=C, damping=DAMPING),
        cl.TorsionSpring("root", one, stiffness=100.0, damping=root),
        drives.harmonic("drive", one, amplitude=1.0, frequency=50.0),
    )  # fmt: skip


def test_matrices_of_a_train_are_those_of_its_parts() -> None:
    found = drives.mdgkn(pair())
    assert pytest.approx(np.diag([J_1, J_2]), abs=1e-12) == found.M
    twist = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert pytest.approx(DAMPING * twist + np.diag([0.3, 0.0]), abs=1e-8) == found.D
    assert pytest.approx(C * twist + np.diag([100.0, 0.0]), abs=1e-6) == found.K
    assert np.abs(found.G).max() < 1e-9 and np.abs(found.N).max() < 1e-6
    assert found.complete
    assert not drives.mdgkn(pair(root=0.0)).complete  # both may turn together without loss


def test_response_is_that_of_a_run() -> None:
    """The closed formula against runs that have settled, at four frequencies."""
    w = np.array([20.0, 40.0, 90.0, 160.0])
    exact = np.abs(drives.mdgkn(pair()).response("one.angle", "two.angle", w))
    runs = drives.frequency_response(pair(), "two.angle", w, settle=150, samples=256)
    # the largest of 256 rows per period lies (pi / 256)^2 / 2 below the amplitude at most
    assert runs.amplitude == pytest.approx(exact, rel=3e-4)


def test_circulatory_and_gyroscopic_parts_are_told_apart() -> None:
    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):  # type: ignore[no-untyped-def]
        Q[0] = -p[0] * u[1] - p[1] * q[1]
        Q[1] = p[0] * u[0] + p[1] * q[0]

    a, b = cl.Slider("a", mass=1.0), cl.Slider("b", mass=1.0)
    own = cl.ForceElement(
        "own", coordinates=("a.position", "b.position"), law=law, parameters={"g": 3.0, "n": 5.0}
    )
    found = drives.mdgkn(cl.Model(a, b, own))
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert pytest.approx(3.0 * turn, abs=1e-8) == found.G
    assert pytest.approx(5.0 * turn, abs=1e-8) == found.N
    assert np.abs(found.D).max() < 1e-8 and np.abs(found.K).max() < 1e-8


def test_proportional_damping_gives_both_ratios() -> None:
    """A bar with D = alpha M + beta K: the ratios of all modes are known."""
    alpha, beta = drives.proportional_damping((50.0, 0.02), (400.0, 0.05))
    assert 0.5 * (alpha / 50.0 + beta * 50.0) == pytest.approx(0.02)
    n, J, c = 4, 0.01, 500.0
    rotors = [cl.Rotor(f"r{k}", inertia=J) for k in range(n)]
    springs = [
        drives.shaft(f"s{k}", rotors[k], rotors[k + 1], stiffness=c, damping=beta * c)
        for k in range(n - 1)
    ]
    air = [cl.TorsionSpring(f"a{k}", rotors[k], damping=alpha * J) for k in range(n)]
    modes = cl.linearise(cl.Model(*rotors, *springs, *air)).modes
    checked = 0
    for mode in modes:
        w = abs(mode.eigenvalue)
        if abs(mode.eigenvalue.imag) > 1.0:
            assert mode.damping_ratio == pytest.approx(0.5 * (alpha / w + beta * w), rel=1e-6)
            checked += 1
    assert checked >= n - 1
    with pytest.raises(UsageError, match="both modes have the frequency 50"):
        drives.proportional_damping((50.0, 0.02), (50.0, 0.05))


def test_oscillator_by_a_run() -> None:
    """Damped frequency from zeros of a free run, amplitude and peak from the forced one."""
    one = drives.Oscillator(mass=2.0, damping=8.0, stiffness=200.0)
    assert one.damped == pytest.approx(math.sqrt(96.0)) and one.peak == pytest.approx(
        math.sqrt(92.0)
    )
    heights = [one.amplitude(1.0, w) for w in (0.999 * one.peak, one.peak, 1.001 * one.peak)]
    assert heights[1] > heights[0] and heights[1] > heights[2]
    assert one.phase(one.undamped) == pytest.approx(0.5 * math.pi)
    slider = cl.Slider("s", mass=2.0, position=0.0, velocity=1.0)
    model = cl.Model(slider, cl.TorsionSpring("k", slider, stiffness=200.0, damping=8.0))
    t = np.linspace(0.0, 1.0, 2001)
    sol = cl.simulate(model, 1.0, t_eval=t, method=cl.RungeKutta8(rtol=1e-11, max_step=1e-2))
    exact = np.exp(-one.decay * t) * np.sin(one.damped * t) / one.damped
    assert sol["s.position"] == pytest.approx(exact, abs=1e-9)


def test_what_the_matrices_do_not_hold_is_refused() -> None:
    rotor = cl.Rotor("rotor", inertia=0.01)
    machine = drives.dc_machine(
        "m", rotor, voltage=1.0, resistance=1.0, inductance=0.01, constant=0.2
    )
    with pytest.raises(UsageError, match=r"mdgkn: the model has m\.current"):
        drives.mdgkn(cl.Model(rotor, machine))
    with pytest.raises(UnknownNameError, match="no coordinate 'three'"):
        drives.mdgkn(pair()).response("three", "one.angle", [1.0])
