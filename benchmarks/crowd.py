"""Scene "crowd": N bodies of mixed size fall on the ground and lie there, all with all.

Boxes, balls and capsules, the largest eight times as large as the smallest, in layers of a square
lattice with random shifts above a plane. The contacts are one rule for all N (N + 1) / 2 pairs. The
time of a step is measured while the bodies fall and hit each other, and its growth with N.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.text_table import format_table

SIZES = tuple(
    int(n) for n in os.environ.get("CORNERLAW_BENCH_CROWD", "100,300,1000,2000").split(",")
)
DT, FALL, BATCHES, STEPS = 2e-3, 100, 5, 10
LAYERS, PITCH = 3, 0.35


def build(n: int, seed: int = 1) -> cl.Model:
    """Return N bodies in layers above the ground."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(n / LAYERS)))
    parts: list[Any] = [cl.Ground("ground", normal=(0.0, 0.0, 1.0))]
    for k in range(n):
        layer, place = divmod(k, side * side)
        row, column = divmod(place, side)
        size = 0.04 * 2.0 ** rng.uniform(0.0, 3.0)
        at = np.array((PITCH * column, PITCH * row, 0.2 + PITCH * layer))
        at += rng.uniform(-0.01, 0.01, 3)
        mass = 500.0 * size**3
        inertia = (0.1 * mass * size**2,) * 3
        body = cl.Body(f"body {k}", mass=mass, inertia=inertia, position=tuple(at))
        shape: Any
        if k % 3 == 0:
            shape = cl.Box(f"solid {k}", body, size=(size, 0.8 * size, 0.6 * size))
        elif k % 3 == 1:
            shape = cl.Sphere(f"solid {k}", body, radius=0.4 * size)
        else:
            shape = cl.Capsule(f"solid {k}", body, radius=0.25 * size, length=0.5 * size)
        parts += [body, shape]
    rule = cl.AllContacts("all", mu=0.4, pooled=True)
    return cl.Model(*parts, rule, gravity=(0.0, 0.0, -9.81), name=f"crowd of {n}")


def measure_one(n: int) -> dict[str, Any]:
    """Return seconds of building, of compiling the model, and per step."""
    began = time.process_time()
    model = build(n)
    built = time.process_time() - began
    sim = cl.Simulation(model, method=cl.Moreau(dt=DT))
    sim.step(1)
    ready = time.process_time() - began - built
    sim.step(FALL)
    times = []
    for _ in range(BATCHES):
        began = time.process_time()
        sim.step(STEPS)
        times.append((time.process_time() - began) / STEPS)
    pool = sim._system.work.pool
    statistics = sim._log.statistics()
    return {
        "n": n, "build": built, "ready": ready, "min": min(times),
        "median": float(np.median(times)), "pairs": int((pool.pair >= 0).sum()),
        "penetration": float(statistics["worst_penetration"]),
    }  # fmt: skip


def measure(*, peers: bool = False, sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Measure all sizes and the exponent of the growth of a step."""
    measure_one(20)  # loads the kernels
    rows = [measure_one(n) for n in sizes]
    growth = float("nan")
    if len(rows) > 1:
        growth = float(np.log(rows[-1]["min"] / rows[0]["min"]) / np.log(sizes[-1] / sizes[0]))
    return {"scene": "crowd", "rows": rows, "exponent": growth}


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = [
        [
            str(r["n"]), f"{r['build']:.2f}", f"{r['ready']:.2f}", f"{1e3 * r['min']:.2f}",
            f"{1e3 * r['median']:.2f}", str(r["pairs"]), f"{r['penetration']:.1e}",
        ]
        for r in result["rows"]
    ]  # fmt: skip
    header = ["bodies", "model [s]", "first step [s]", "ms/step", "median", "pairs", "penetration"]
    table = format_table(header, rows)
    return f"crowd: mixed sizes, all with all\n{table}\ngrowth of a step N^{result['exponent']:.2f}"
