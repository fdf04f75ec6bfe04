"""`cornerlaw warmup`: compile every kernel ahead, so that no run has to wait for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import typer

Step = tuple[str, Callable[[], Any]]


def warmup() -> None:
    """Compile all kernels ahead; a later run then starts within a second or two."""
    began = time.perf_counter()
    steps = list_steps()
    on_terminal = sys.stderr.isatty()
    for k, (title, act) in enumerate(steps, start=1):
        line = f"compiling {k}/{len(steps)}: {title}"
        if on_terminal:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
        else:
            typer.echo(line, err=True)
        act()
    if on_terminal:
        sys.stderr.write("\r\x1b[2K")
    from cornerlaw.kernels._numba import CACHE_FOLDER

    typer.echo(f"all kernels are compiled ({time.perf_counter() - began:.0f} s): {CACHE_FOLDER}")


def list_steps() -> list[Step]:
    """Return small runs that together need every kernel there is."""
    import cornerlaw as cl

    def run(model: Any, method: Any = None) -> Any:
        return cl.simulate(model, 1e-3, method=method, progress=False)

    return [
        ("trees, Runge-Kutta", lambda: run(_pendulum())),
        ("Runge-Kutta with fixed steps", lambda: run(_pendulum(), cl.RungeKutta4(dt=1e-3))),
        ("Radau", lambda: run(_pendulum(), cl.Radau())),
        ("generalised-alpha", lambda: run(_pendulum(), cl.GeneralisedAlpha(dt=1e-3))),
        ("loops", lambda: run(_four_bar())),
        ("forces and mass matrices of one's own", lambda: run(_forces())),
        ("rods with mass", lambda: run(_rod())),
        ("rows and masses of one's own", lambda: run(_own())),
        ("rolling, free bodies, joints met backwards", lambda: run(_rolling())),
        (
            "results",
            lambda: [run(model).fetch() for model in (_four_bar(), _forces(), _rod(), _own())],
        ),
        ("equilibrium", lambda: cl.equilibrium(_four_bar())),
        ("stepping", lambda: cl.Simulation(_pendulum()).step()),
        ("linearisation", lambda: cl.linearise(_pendulum())),
    ]


def _pendulum() -> Any:
    import cornerlaw as cl

    bar = cl.Body("bar", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    return cl.Model(cl.Revolute("pivot", cl.Ground(), bar), gravity=(0.0, -9.81))


def _four_bar() -> Any:
    import cornerlaw as cl

    ground = cl.Ground()
    crank = cl.Body("crank", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    coupler = cl.Body("coupler", mass=2.0, inertia=0.3, com=(1.0, 0.0))
    rocker = cl.Body("rocker", mass=1.5, inertia=0.2, com=(0.75, 0.0))
    return cl.Model(
        cl.Revolute("A", ground, crank, angle=1.0),
        cl.Revolute("B", crank, coupler, at=(1.0, 0.0)),
        cl.Revolute("C", coupler, rocker, at=(2.0, 0.0), at_second=(1.5, 0.0)),
        cl.Revolute("D", ground, rocker, at=(2.0, 0.0)),
        gravity=(0.0, -9.81),
    )


def _forces() -> Any:
    import cornerlaw as cl

    ground = cl.Ground()
    body = cl.Body("body", mass=1.0, inertia=0.1, com=(0.3, 0.0))
    joint = cl.Revolute("joint", ground, body)
    driven = cl.Body("driven", mass=1.0, inertia=0.1)
    return cl.Model(
        joint,
        cl.Revolute("drive", body, driven, at=(0.5, 0.0), drive=lambda t: 0.1 * t),
        cl.Spring("spring", ground, body, at=(0.0, 1.0), stiffness=10.0),
        cl.Torque("torque", joint, value=lambda t: 0.1 * t),
        cl.PID("controller", joint, kp=1.0, ki=1.0, kd=0.1),
        cl.Rotor("rotor", inertia=1.0, speed=1.0),
        cl.LagrangianSystem("own", M=((1.0, 0.0), (0.0, 2.0)), q0=(1.0, 0.0)),
        gravity=(0.0, -9.81),
    )


def _rod() -> Any:
    import cornerlaw as cl

    ground = cl.Ground()
    left = cl.Body("left", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    right = cl.Body("right", mass=1.5, inertia=0.2, com=(0.75, 0.0))
    return cl.Model(
        cl.Revolute("A", ground, left, angle=1.0, speed=1.0),
        cl.Revolute("D", ground, right, at=(2.0, 0.0), angle=1.5),
        cl.Rod("rod", left, right, at=(1.0, 0.0), at_second=(1.5, 0.0), mass=2.0),
        gravity=(0.0, -9.81),
    )


def _own() -> Any:
    import cornerlaw as cl

    def level(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
        F[0, 1] = 1.0
        return r[0, 1], 0.0, 0.0

    def added(t, r, A, q, p, M):  # type: ignore[no-untyped-def]
        M[0, 0] = M[1, 1] = 1.0

    body = cl.PointMass("body", mass=1.0, velocity=(1.0, 0.0))
    element = cl.ForceElement("own", frames=(body,), rows={"level": level}, mass=added)
    return cl.Model(body, element, gravity=(0.0, -9.81))


def _rolling() -> Any:
    import cornerlaw as cl

    disc = cl.Body("disc", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.0, 0.0, 0.5))
    arm = cl.Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    return cl.Model(
        disc,
        cl.Rolling("contact", disc, kind="sphere", radius=0.5),
        cl.Revolute("hinge", arm, disc, axis=(0.0, 1.0, 0.0), at=(0.3, 0.0, 0.0)),
    )
