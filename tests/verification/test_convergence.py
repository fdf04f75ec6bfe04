"""Convergence orders fitted from runs of real models: five halvings of the step, six points.

The error of a run is the root mean square over all positions, velocities and the times of the
coarsest grid, against RungeKutta8 at 1e-13: a single instant could lie near a zero of the leading
error term and show any order. All points are printed (pytest -rP).

The coarsest step of each case, and the speed of the spinning body, were chosen by looking at the
points: at the upper end the motion must be resolved, at the lower end errors must stay clear of
rounding, some 1e-14. Six points of a high order leave little room between the two, so that order 8
is fitted through local slopes that scatter (5.6 to 9.2 on the top). Cases that were
tried and do not show the order within the tolerance over six points, hence are not in the table:

    RungeKutta5, double pendulum   5.18 to 5.23 (local slopes fall from 5.6 to 5.04, then rounding)
    RungeKutta5, spinning body     6.5 to 7.0   (its error term of order 5 vanishes nearly)
    RungeKutta8, four-bar          8.75, 7.56   from 4 and 8 steps (local slopes 9.7 to 7.5)
    RungeKutta8, double pendulum   9.04, 7.61   from 4 and 8 steps over 1 s; 8.41 over 2 s
    RungeKutta8, spinning body     7.05, 7.36   at 16 and 20 rad/s: the last point is rounding;
                                   unstable at the coarsest step from 30 rad/s on
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl

HALVINGS = 5


def double_pendulum() -> cl.Model:
    """An ordinary differential equation, four states."""
    ground = cl.Ground()
    a = cl.Body("a", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    b = cl.Body("b", mass=0.7, inertia=0.05, com=(0.4, 0.0))
    return cl.Model(
        cl.Revolute("A", ground, a, angle=-0.4, speed=1.0),
        cl.Revolute("B", a, b, at=(1.0, 0.0), angle=0.9, speed=-0.5),
        gravity=(0.0, -9.81),
    )


def four_bar() -> cl.Model:
    """A loop closed by rows, swinging against a torsion spring."""
    ground = cl.Ground()
    a = cl.Body("a", mass=1.0, inertia=1.0 / 12.0, com=(0.5, 0.0))
    b = cl.Body("b", mass=2.0, inertia=1.0 / 3.0, com=(1.0, 0.0))
    c = cl.Body("c", mass=1.5, inertia=0.2, com=(0.75, 0.0))
    crank = cl.Revolute("A", ground, a, angle=1.0, speed=2.0)
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


def spinning_body() -> cl.Model:
    """A free body in space with a quaternion, spinning fast and tumbling a little."""
    body = cl.Body(
        "body",
        mass=1.0,
        inertia=(0.3, 0.32, 0.25),
        velocity=(1.0, 0.0, 0.0),
        angular_velocity=(0.4, 0.5, 24.0),
    )
    return cl.Model(body, gravity=(0.0, 0.0, -9.81))


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
    "double pendulum": (double_pendulum, 1.0),
    "four-bar": (four_bar, 1.0),
    "top on springs": (top_on_springs, 1.0),
    "spinning body": (spinning_body, 1.0),
    "stiff slider": (stiff_slider, 0.5),
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

# method, model, number of steps of the coarsest run; powers of two, so that steps add up exactly
CASES = [
    ("SemiImplicitEuler", "double pendulum", 128),
    ("SemiImplicitEuler", "four-bar", 256),
    ("SemiImplicitEuler", "top on springs", 512),
    ("SemiImplicitEuler", "stiff slider", 256),
    ("GeneralisedAlpha", "double pendulum", 64),
    ("GeneralisedAlpha", "four-bar", 128),
    ("GeneralisedAlpha", "top on springs", 128),
    ("GeneralisedAlpha", "stiff slider", 128),
    ("RungeKutta4", "double pendulum", 128),
    ("RungeKutta4", "four-bar", 64),
    ("RungeKutta4", "top on springs", 128),
    ("RungeKutta4", "stiff slider", 64),
    ("RungeKutta5", "four-bar", 32),
    ("RungeKutta5", "top on springs", 64),
    ("RungeKutta5", "stiff slider", 32),
    ("Radau", "double pendulum", 16),
    ("Radau", "four-bar", 32),
    ("Radau", "top on springs", 64),
    ("Radau", "stiff slider", 32),
    ("RungeKutta8", "top on springs", 8),
    ("RungeKutta8", "spinning body", 4),
    ("RungeKutta8", "stiff slider", 4),
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
        assert np.allclose(run.t, grid, rtol=0.0, atol=1e-15)
        difference = np.hstack([run.q, run.u]) - expected
        steps.append(h)
        found.append(float(np.sqrt(np.mean(difference**2))))
    return np.array(steps), np.array(found)


@pytest.mark.parametrize(("method", "model", "n"), CASES)
def test_order(method: str, model: str, n: int) -> None:
    """The slope of log(error) over log(step), all six points with equal weight."""
    steps, found = errors(method, model, n)
    order = float(np.polyfit(np.log(steps), np.log(found), 1)[0])
    local = np.log2(found[:-1] / found[1:])
    print(f"{method} on {model}: order {order:.3f}")
    for k, (h, error) in enumerate(zip(steps, found, strict=True)):
        slope = f"{local[k - 1]:6.2f}" if k else ""
        print(f"    h = {h:.6f} s   error = {error:.3e}   {slope}")
    nominal = getattr(cl, method).order
    assert abs(order - nominal) < (0.4 if nominal == 8 else 0.15), (order, found.tolist())
