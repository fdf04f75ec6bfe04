"""Time steps with compact rows against the same steps with matrices, scene by scene.

Both solve to the same residual. Where the solution is unique the motions agree; where contacts are
redundant, velocities do, and impulses need not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.arrays.compact import POSED_LARGE
from cornerlaw.hydraulics import Junction, Line, Network, Source
from cornerlaw.kernels.lagrangian import binding

SQUARE = ((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
ALWAYS_DENSE = 10**9


def shaken_stack(count: int, speed: float) -> cl.Model:
    """Return boxes on each other in the plane, four redundant points for every two, that slide."""
    rng = np.random.default_rng(3)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    parts: list[cl.Part] = [floor]
    below: cl.Part = floor
    for k in range(count):
        body = cl.Body(
            f"box {k}", mass=float(rng.uniform(0.5, 2.0)), inertia=0.01,
            position=(0.0, 0.1 + 0.2 * k), velocity=(speed * float(rng.normal()), 0.0),
        )  # fmt: skip
        shape = cl.Polygon(f"shape {k}", body, vertices=SQUARE)
        parts += [body, shape, cl.Contact(shape, below, mu=0.2, name=f"contact {k}")]
        below = shape
    return cl.Model(*parts, gravity=(0.0, -9.81), name="stack")


def pushed_boxes(count: int) -> cl.Model:
    """Return boxes in space side by side on the ground and on each other, all sliding along x.

    How four points share the load of a face is not determined; without spin it does not matter.
    """
    rng = np.random.default_rng(5)
    ground = cl.Ground("ground", normal=(0.0, 0.0, 1.0))
    parts: list[cl.Part] = [ground]
    size = (0.4, 0.2, 0.2)
    for k in range(count):
        below: cl.Part = ground
        for level in range(2):
            body = cl.Body(
                f"box {k}.{level}", mass=10.0, inertia=cl.inertia.box(10.0, size),
                position=(0.5 * k + 0.02 * level, 0.0, 0.1 + 0.2 * level),
                velocity=(float(0.3 * rng.normal()), 0.0, 0.0),
            )  # fmt: skip
            hull = cl.Box(f"hull {k}.{level}", body, size=size)
            parts += [body, hull, cl.Contact(hull, below, mu=0.4, name=f"c{k}.{level}")]
            below = hull
    return cl.Model(*parts, gravity=(0.0, 0.0, -9.81), name="boxes")


def rattling_chain(count: int) -> cl.Model:
    """Return geared rotors with so little backlash that most flanks are busy."""
    rotors = [cl.Rotor(f"r{k}", inertia=1e-3, angle=0.0) for k in range(count)]
    parts: list[Any] = list(rotors)
    for k in range(count - 1):
        parts += drives.gear_flanks(
            f"m{k}", rotors[k], rotors[k + 1], radius_1=0.05, radius_2=0.05, backlash=1e-9,
            eps_N=0.3,
        )  # fmt: skip
        parts.append(cl.TorsionSpring(f"d{k}", rotors[k + 1], damping=1e-3))
    parts.append(drives.harmonic("drive", rotors[0], amplitude=2.0, frequency=200.0))
    return cl.Model(*parts, name="rattling chain")


def ladder(lines: int, kind: str = "cavitating") -> cl.Model:
    """Return a riser with a branch to the tank from each of its junctions."""
    parts: list[Any] = [Source("supply", 50e5), Source("tank", 1e5)]
    below = "supply"
    for k in range(lines // 2):
        here = f"tee {k}"
        parts += [
            Junction(here, kind, pressure=20e5),
            Line(f"riser {k}", below, here, 0.5, 0.02),
            Line(f"branch {k}", here, "tank", 1.0, 0.004),
        ]
        below = here
    return Network(*parts, name="ladder").model()


SCENES: dict[str, tuple[Callable[[], cl.Model], float, int]] = {
    "plane stack": (lambda: shaken_stack(14, 0.3), 1e-3, 40),
    "boxes in space": (lambda: pushed_boxes(3), 1e-3, 25),
    "geared chain": (lambda: rattling_chain(60), 1e-4, 60),
    "hydraulic ladder": (lambda: ladder(100), 1e-5, 40),
    "ladder without voids": (lambda: ladder(100, "incompressible"), 1e-5, 40),
}


def run(model: cl.Model, dt: float, steps: int, dense: bool) -> tuple[Any, Any]:
    """Return velocities step by step and how many steps ended with a problem without a matrix."""
    sim = cl.Simulation(model, method=cl.Moreau(dt=dt))
    k = sim._system.work.k
    if dense:
        k.compact.posed[1:] = ALWAYS_DENSE
    velocities, large = [], 0
    for _ in range(steps):
        sim.step(1)
        velocities.append(sim.u.copy())
        large += int(k.compact.posed[0] == POSED_LARGE)
    assert k.stats[0] <= 1e-10
    return np.array(velocities), large


@pytest.mark.parametrize("scene", SCENES)
def test_sparse_steps_are_those_of_the_matrix(scene: str, monkeypatch: Any) -> None:
    # models with constant rows have steps of their own, see test_constant_steps.py
    monkeypatch.setattr(binding, "steps_alone", lambda m: False)
    build, dt, steps = SCENES[scene]
    sparse, large = run(build(), dt, steps, dense=False)
    dense, none = run(build(), dt, steps, dense=True)
    assert none == 0
    assert large > 0, f"{scene}: the sparse solver was never asked"
    size = np.abs(dense).max()
    assert np.abs(sparse - dense).max() <= 1e-7 * size


@pytest.mark.contact_laws(states="evaluating a state changes the arrays looked at here")
def test_few_rows_on_many_modes_get_a_matrix() -> None:
    # one module of the brake tower with waves: 13 rows, most of them on 36 velocities
    from cornerlaw.gallery.hydraulics import brake_tower

    sim = cl.Simulation(
        brake_tower.build(brake_tower.Parameters(modules=1, modes=34)), method=cl.Moreau(dt=2e-5)
    )
    sim.step(5)
    k = sim._system.work.k
    assert k.n_active[0] > k.compact.posed[2]
    assert k.compact.posed[0] != POSED_LARGE
