"""Scene "geared chain": time per step of n rotors in a row with backlash between neighbours.

Rotor k meshes rotor k + 1 with two flanks; the first is shaken, the rest rattles. Time stepping
with fixed steps; the unit is one evaluation of the spatial pendulum chain of `chain.py` with 20
links, measured in the same process.

    python benchmarks/geared_chain.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.gallery.text_table import format_table

SIZES = (20, 50, 200, 2000)
FIT = (50, 2000)
MOST_GROWTH = 1.2
REPEATS = 3


def build(n: int) -> cl.Model:
    """Return n rotors, of which neighbours mesh."""
    rotors = [cl.Rotor(f"r{k}", inertia=1e-3) for k in range(n)]
    parts: list[Any] = list(rotors)
    for k in range(n - 1):
        parts += drives.gear_flanks(
            f"m{k}", rotors[k], rotors[k + 1], radius_1=0.05, radius_2=0.05, backlash=1e-4,
            eps_N=0.5,
        )  # fmt: skip
        parts.append(cl.TorsionSpring(f"d{k}", rotors[k + 1], damping=1e-3))
    parts.append(drives.harmonic("drive", rotors[0], amplitude=2.0, frequency=200.0))
    return cl.Model(*parts, name=f"geared chain of {n}")


def seconds_per_step(n: int, steps: int) -> float:
    """Return the least time per step over some repeats."""
    model, dt = build(n), 1e-4
    best = np.inf
    for _ in range(REPEATS):
        ends = np.array([0.0, steps * dt])
        sol = cl.simulate(model, steps * dt, method=cl.Moreau(dt=dt), t_eval=ends, progress=False)
        best = min(best, sol.info.wall_time / steps)
    return float(best)


def main() -> int:
    """Print the table; return 1 if the growth is above its goal."""
    rows, found = [], {}
    for n in SIZES:
        began = time.perf_counter()
        found[n] = seconds_per_step(n, 2000 if n < 500 else 200)
        print(f"n = {n}: {1e6 * found[n]:.2f} us per step", flush=True)
        rows.append([n, f"{1e6 * found[n]:.2f}", f"{time.perf_counter() - began:.1f}"])
    growth = np.log(found[FIT[1]] / found[FIT[0]]) / np.log(FIT[1] / FIT[0])
    print(format_table(("n", "us per step", "measured in [s]"), rows))
    print(f"growth n^{growth:.2f} between {FIT[0]} and {FIT[1]} (goal {MOST_GROWTH})")
    return int(growth > MOST_GROWTH)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
