"""Scene "geared chain": time per step of n rotors in a row with backlash between neighbours.

Rotor k meshes rotor k + 1 with two flanks; the first is shaken, the rest rattles. Time stepping
with fixed steps.

    cornerlaw bench geared-chain
"""

from __future__ import annotations

import time
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
    """Return the least processor time per step over some repeats, without the start of a run."""
    model, dt = build(n), 1e-4
    few = max(1, steps // 10)
    least = {few: np.inf, steps: np.inf}
    for _ in range(REPEATS):
        for count in least:
            ends = np.array([0.0, count * dt])
            began = time.process_time()
            cl.simulate(model, ends[1], method=cl.Moreau(dt=dt), t_eval=ends, progress=False)
            least[count] = min(least[count], time.process_time() - began)
    return float((least[steps] - least[few]) / (steps - few))


def measure(*, peers: bool = False) -> dict[str, Any]:
    """Return seconds per step by the number of rotors, and their growth; there is no peer."""
    found = {n: seconds_per_step(n, 1000 if n < 500 else 100) for n in SIZES}
    growth = np.log(found[FIT[1]] / found[FIT[0]]) / np.log(FIT[1] / FIT[0])
    return {"seconds": found, "growth": float(growth)}


def format_result(result: dict[str, Any]) -> str:
    """Return the table."""
    rows = [[n, f"{1e6 * seconds:.1f}"] for n, seconds in result["seconds"].items()]
    growth = f"growth n^{result['growth']:.2f} between {FIT[0]} and {FIT[1]} (goal {MOST_GROWTH})"
    return format_table(("rotors", "us per step"), rows) + "\n" + growth


if __name__ == "__main__":
    print(format_result(measure()))
