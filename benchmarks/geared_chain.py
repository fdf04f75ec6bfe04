"""Scene "geared chain": time per step of n rotors in a row with backlash between neighbours.

Rotor k meshes rotor k + 1 with two flanks, each rotor turns in oil. Moreau's rule with fixed steps,
penetration removed after every one of them, in two load cases:

    shaken  all teeth in the middle of their backlash; a harmonic torque on the first rotor makes
            them rattle, from one end of the chain on
    driven  all teeth in contact; a constant torque with a ripple of a quarter keeps them there

The unit is a step of semi-implicit Euler of a pendulum chain of 20 links (scene "chain"), measured
in turns with the rest. "closed" is the mean share of meshes with a flank that carries an impulse,
at four times of the run. There is no peer.

    cornerlaw bench geared-chain
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.arrays.corner_work import OPEN, WORST_PENETRATION, WORST_RESIDUAL
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
import _planar_chain
from _loop import Loop

SIZES = (10, 20, 50, 200, 2000)
FIT = (50, 2000)
MOST_GROWTH = 1.2  # goal for the exponent between the sizes of FIT
MOST_AT, MOST_SECONDS = 20, 10e-6  # goal for one size
UNIT = 20  # links of the chain that is the unit
DT, STEPS = 1e-4, 1000
ROUNDS = 7
BACKLASH, TORQUE = 1e-4, 2.0
CASES = ("shaken", "driven")


def build(n: int, case: str = "shaken") -> cl.Model:
    """Return n rotors, of which neighbours mesh."""
    rotors = [cl.Rotor(f"r{k}", inertia=1e-3) for k in range(n)]
    driven = case == "driven"
    # external wheels turn in turns: forwards, backwards, and so do the flanks that push
    shifts = (0.5 * BACKLASH, -0.5 * BACKLASH) if driven else (0.0, 0.0)
    parts: list[Any] = list(rotors)
    for k in range(n - 1):
        parts += drives.gear_flanks(
            f"m{k}", rotors[k], rotors[k + 1], radius_1=0.05, radius_2=0.05, backlash=BACKLASH,
            eps_N=0.5, shift=shifts[k % 2],
        )  # fmt: skip
        parts.append(cl.TorsionSpring(f"d{k}", rotors[k + 1], damping=1e-3))
    if driven:
        parts.append(cl.Torque("engine", rotors[0], value=TORQUE))
    ripple = 0.25 * TORQUE if driven else TORQUE
    parts.append(drives.harmonic("drive", rotors[0], amplitude=ripple, frequency=200.0))
    return cl.Model(*parts, name=f"geared chain of {n}, {case}")


def closed_share(loop: Loop, n: int) -> float:
    """Return the mean share of closed meshes at four times of the run."""
    found = []
    for part in (1, 2, 3, 4):
        loop.run(part * STEPS // 4)
        found.append(np.mean(np.any(loop.system.work.k.shown.reshape(n - 1, 2) != OPEN, axis=1)))
    return float(np.mean(found))


def measure(
    *, peers: bool = False, sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Measure all sizes in both load cases; seconds per step as minimum and median."""
    unit = Loop(_planar_chain.build(UNIT), cl.SemiImplicitEuler(dt=DT))
    unit.run(STEPS)
    rows, units = [], []
    for case in CASES:
        for n in sizes:
            loop = Loop(build(n, case), cl.Moreau(dt=DT))
            closed, times = closed_share(loop, n), []
            for _ in range(rounds):
                times.append(loop.run(STEPS))
                units.append(unit.run(5 * STEPS))
            stats = loop.system.work.k.stats
            rows.append(
                {
                    "case": case, "n": n, "min": min(times), "median": float(np.median(times)),
                    "closed": closed, "residual": float(stats[WORST_RESIDUAL]),
                    "penetration": float(stats[WORST_PENETRATION]),
                }
            )  # fmt: skip
    for row in rows:
        row["over unit"] = row["min"] / min(units)
    return {
        "scene": "geared chain", "dt": DT, "steps": STEPS, "unit": min(units), "rows": rows,
        "growth": {case: _growth(rows, case) for case in CASES},
    }  # fmt: skip


def _growth(rows: list[dict[str, Any]], case: str) -> float | None:
    """Return p in time ~ n^p between the two sizes of FIT."""
    found = {row["n"]: row["min"] for row in rows if row["case"] == case}
    if not all(n in found for n in FIT):
        return None
    return math.log(found[FIT[1]] / found[FIT[0]]) / math.log(FIT[1] / FIT[0])


def _goals(result: dict[str, Any]) -> list[str]:
    """Return one line per goal whose quantity was measured."""
    lines = []
    for row in result["rows"]:
        if row["n"] == MOST_AT:
            word = "met" if row["min"] <= MOST_SECONDS else "MISSED"
            lines.append(
                f"goal: {row['case']}, n = {MOST_AT} at most {1e6 * MOST_SECONDS:g} us per step: "
                f"{word} ({1e6 * row['min']:.2f} us, {row['over unit']:.1f} units)"
            )
    for case, growth in result["growth"].items():
        if growth is not None:
            word = "met" if growth <= MOST_GROWTH else "MISSED"
            lines.append(
                f"goal: {case}, growth from n = {FIT[0]} to {FIT[1]} at most n^{MOST_GROWTH:g}: "
                f"{word} (n^{growth:.2f})"
            )
    return lines


def format_result(result: dict[str, Any]) -> str:
    """Return the table and the verdicts."""
    rows = [
        [
            row["case"], row["n"], f"{1e6 * row['min']:.2f}", f"{1e6 * row['median']:.2f}",
            f"{row['over unit']:.1f}", f"{row['closed']:.2f}", f"{row['residual']:.0e}",
            f"{row['penetration']:.0e}",
        ]
        for row in result["rows"]
    ]  # fmt: skip
    header = ("load", "rotors", "min [us/step]", "median", "units", "closed", "residual")
    return "\n".join(
        [
            f"geared chain: {result['steps']} steps of Moreau's rule, dt = {result['dt']:g} s; "
            f"unit: {1e6 * result['unit']:.3f} us, a step of a pendulum chain of {UNIT} links",
            format_table((*header, "penetration [m]"), rows),
            *_goals(result),
        ]
    )


if __name__ == "__main__":
    print(format_result(measure()))
