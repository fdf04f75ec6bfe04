"""Convergence orders fitted from runs of real models: five halvings of the step, six points.

The error of a run is the root mean square over all positions, velocities and the times of the
coarsest grid, against RungeKutta8 at 1e-13: a single instant could lie near a zero of the leading
error term and show any order. All points are printed (pytest -rP).

Six points of order 8 span a factor 2^40 = 1e12 of the error, nearly all there is between one and
the rounding of double precision, some 1e-14. So the coarsest step must be asymptotic already, which
asks for motions with few harmonics: with z = omega h the error of a step is about z^9 / 9!, and the
next term z / 10 of it, which is small even at two or three steps per period. The motions below are
such swings. Large ones are not: a double pendulum released near the horizontal has local slopes
between 5.4 and 12.7 with order 8, since its harmonics reach far above its basic frequency.

A body in free rotation needs large nutations to show order 5. The error term of order 5 of a nearly
steady rotation is one of the length of the quaternion, which normalising removes, and slopes of 6
to 7 are left to see. It moves without gravity: positions of many metres raise the rounding.

The coarsest step of each case was chosen by looking at the points: at the upper end the motion must
be resolved, at the lower end errors must stay clear of rounding. For Radau that is what is left of
solving the stages, 2e-15 per step: on the tumbling body with 128 steps and more over 4 s its local
slopes are 5.4, 5.3, 5.1, 5.7, 0.9, and the fit gives 4.73. The wobbling body, the same one started
about another axis, has a larger error term of order 5 and shows the order of Radau from 32 steps on
(5.14, 5.09, 5.05, 5.04, 4.7). RungeKutta5 is the other way round: there its local slopes fall from
6.0 to 5.0, which fits 5.43 from 64 steps, and 5.00 from 128 with a last point of rounding. So Radau
runs on the one body and RungeKutta5 on the other.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl

HALVINGS = 5


def double_pendulum() -> cl.Model:
    """An ordinary differential equation, four states: swings of half a radian."""
    ground = cl.Ground()
    a = cl.Body("a", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    b = cl.Body("b", mass=0.7, inertia=0.05, com=(0.4, 0.0))
    return cl.Model(
        cl.Revolute("A", ground, a, angle=0.4 - math.pi / 2.0),
        cl.Revolute("B", a, b, at=(1.0, 0.0), angle=0.2),
        gravity=(0.0, -9.81),
    )


def four_bar() -> cl.Model:
    """A loop closed by rows, swinging against a torsion spring."""
    ground = cl.Ground()
    a = cl.Body("a", mass=1.0, inertia=1.0 / 12.0, com=(0.5, 0.0))
    b = cl.Body("b", mass=2.0, inertia=1.0 / 3.0, com=(1.0, 0.0))
    c = cl.Body("c", mass=1.5, inertia=0.2, com=(0.75, 0.0))
    crank = cl.Revolute("A", ground, a, angle=1.0, speed=0.5)
    return cl.Model(
        crank,
        cl.Revolute("B", a, b, at=(1.0, 0.0)),
        cl.Revolute("C", b, c, at=(2.0, 0.0), at_second=(1.5, 0.0)),
        cl.Revolute("D", ground, c, at=(2.0, 0.0)),
        cl.TorsionSpring("spring", crank, stiffness=300.0, rest=0.9),
        gravity=(0.0, -9.81),
    )


def top_on_springs() -> cl.Model:
    """A body in space with a quaternion, held by two springs."""
    ground = cl.Ground()
    rate: Any = {"stiffness": 200.0, "rest": 0.4}
    body = cl.Body("top", mass=1.0, inertia=(0.1, 0.15, 0.05), com=(0.0, 0.0, 0.3))
    return cl.Model(
        cl.Spherical(
            "tip",
            ground,
            body,
            rotation=cl.rotation.about((1.0, 0.0, 0.0), 0.3),
            angular_velocity=(0.5, 0.3, 1.0),
        ),
        cl.Spring("s1", ground, body, at=(0.0, 0.5, 0.6), at_second=(0.0, 0.0, 0.6), **rate),
        cl.Spring("s2", ground, body, at=(0.6, 0.0, 0.5), at_second=(0.1, 0.0, 0.6), **rate),
        gravity=(0.0, 0.0, -9.81),
    )


def tumbling_body() -> cl.Model:
    """A free body in space with a quaternion, in large nutations."""
    body = cl.Body(
        "body",
        mass=1.0,
        inertia=(0.1, 0.45, 0.4),
        velocity=(0.1, 0.0, 0.0),
        angular_velocity=(2.0, 1.0, 8.0),
    )
    return cl.Model(body)


def wobbling_body() -> cl.Model:
    """The tumbling body with an angular velocity far from all principal axes."""
    return tumbling_body().replace({"body.angular_velocity": (4.0, 3.0, 6.0)})


def stiff_slider() -> cl.Model:
    """A pendulum on a slider between a stiff spring and a damper: 63 rad/s beside 10 rad/s."""
    ground = cl.Ground()
    slider = cl.Body("slider", mass=0.5, inertia=0.1)
    pendulum = cl.Body("pendulum", mass=1.0, inertia=0.02, com=(0.1, 0.0))
    slide = cl.Prismatic("slide", ground, slider, axis=(1.0, 0.0), displacement=0.02, velocity=0.0)
    return cl.Model(
        slide,
        cl.Revolute("hinge", slider, pendulum, angle=-1.0),
        cl.TorsionSpring("spring", slide, stiffness=2000.0, damping=20.0),
        gravity=(0.0, -9.81),
    )


MODELS: dict[str, tuple[Callable[[], cl.Model], float]] = {
    "double pendulum": (double_pendulum, 4.0),
    "four-bar": (four_bar, 2.0),
    "top on springs": (top_on_springs, 1.0),
    "tumbling body": (tumbling_body, 2.0),
    "stiff slider": (stiff_slider, 0.5),
    "wobbling body": (wobbling_body, 2.0),
}

# tolerances that accept every step, so that first_step = max_step = h holds throughout
ANY = {"rtol": 1e3, "atol": 1e3}


def radau(h: float) -> cl.Radau:
    """Radau with all steps h: the stages are solved well below the error of a step."""
    newton = max(2e-15, 1e-2 * h**6)
    return cl.Radau(rtol=1.0, atol=1.0, max_step=h, first_step=h, newton=newton)


METHODS: dict[str, Callable[[float], Any]] = {
    "SemiImplicitEuler": lambda h: cl.SemiImplicitEuler(dt=h),
    "GeneralisedAlpha": lambda h: cl.GeneralisedAlpha(dt=h),
    "RungeKutta4": lambda h: cl.RungeKutta4(dt=h),
    "RungeKutta5": lambda h: cl.RungeKutta5(max_step=h, first_step=h, **ANY),
    "RungeKutta8": lambda h: cl.RungeKutta8(max_step=h, first_step=h, **ANY),
    "Radau": radau,
}

# number of steps of the coarsest run, in the order of MODELS
COARSEST: dict[str, tuple[int | None, ...]] = {
    "SemiImplicitEuler": (256, 512, 512, 1024, 256, None),
    "GeneralisedAlpha": (256, 256, 128, 512, 128, 256),
    "RungeKutta4": (128, 128, 128, 256, 64, 128),
    "RungeKutta5": (64, 64, 64, 64, 32, None),
    "RungeKutta8": (6, 6, 8, 8, 4, 8),
    "Radau": (16, 64, 64, None, 32, 32),
}
CASES = [
    (method, model, n)
    for method, numbers in COARSEST.items()
    for model, n in zip(MODELS, numbers, strict=True)
    if n is not None
]


def errors(method: str, model: str, n: int) -> tuple[Any, Any]:
    """Return step sizes and errors of the runs with n, 2 n, ... steps.

    The reference steps at least twice as finely as the finest run of its own method.
    """
    build, t_end = MODELS[model]
    system = build()
    grid = np.linspace(0.0, t_end, n + 1)
    exact = cl.simulate(
        system,
        t_end,
        method=cl.RungeKutta8(rtol=1e-13, atol=1e-14, max_step=t_end / max(512, 2 * n)),
        t_eval=grid,
    )
    expected = np.hstack([exact.q, exact.u])
    steps, found = [], []
    for k in range(HALVINGS + 1):
        h = t_end / (n * 2**k)
        run = cl.simulate(system, t_end, method=METHODS[method](h), every=2**k)
        assert run.statistics["steps"] == n * 2**k  # no step was rejected or cut
        assert np.allclose(run.t, grid, rtol=0.0, atol=1e-14)
        difference = np.hstack([run.q, run.u]) - expected
        steps.append(h)
        found.append(float(np.sqrt(np.mean(difference**2))))
    return np.array(steps), np.array(found)


@pytest.mark.trust("TR-N-19")
@pytest.mark.parametrize(("method", "model", "n"), CASES)
def test_order(method: str, model: str, n: int, figure: Figure) -> None:
    """The slope of log(error) over log(step), all six points with equal weight."""
    steps, found = errors(method, model, n)
    order = float(np.polyfit(np.log(steps), np.log(found), 1)[0])
    local = np.log2(found[:-1] / found[1:])
    nominal = getattr(cl, method).order
    figure(f"order of {method} on {model}, in theory {nominal}", order)
    print()
    for k, (h, error) in enumerate(zip(steps, found, strict=True)):
        slope = f"{local[k - 1]:6.2f}" if k else ""
        print(f"    h = {h:.6f} s   error = {error:.3e}   {slope}")
    # order 8 has six points between one and rounding, the first hardly asymptotic: 7.81 to 8.23
    assert abs(order - nominal) < (0.4 if nominal == 8 else 0.15), (order, found.tolist())
