"""Part of the scene "chain": one step of semi-implicit Euler of a chain in the plane.

    ours    the compiled loop of `simulate` without stored rows
    floor   floors/chain.c, a program for this chain alone, -O3 -march=native

Repeats take turns; the angles at the end are compared.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _floor import compile_floor
from _loop import Loop, run_floor

import cornerlaw as cl

SIZES = (10, 100, 1000)
LENGTH, MASS, DT = 0.2, 0.5, 1e-4
INERTIA = MASS * LENGTH**2 / 12.0
ROUNDS, BATCH, LINKS = 12, 3, 200_000  # links stepped in one batch
MOST_RATIO, MOST_GROWTH = 2.0, 1.1  # goals


def build(n: int) -> cl.Model:
    """Return n rods that hang one on the other, at rest and nearly straight."""
    parts: list[Any] = []
    above: Any = cl.Ground()
    for k in range(n):
        link = cl.Body(f"link {k}", mass=MASS, inertia=INERTIA, com=(0.5 * LENGTH, 0.0))
        at = (LENGTH, 0.0) if k else (0.0, 0.0)
        angle = (-0.05 if k % 2 else 0.05) if k else 0.3
        parts.append(cl.Revolute(f"joint {k}", above, link, at=at, angle=angle))
        above = link
    return cl.Model(*parts, gravity=(0.0, -9.81), name=f"planar chain of {n}")


def measure(sizes: tuple[int, ...] = SIZES, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure all sizes; seconds per step as minimum and median."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = compile_floor("chain", Path(folder))
        for n in sizes:
            rows.append(_measure_size(n, rounds, program))
    return {"rows": rows, "exponent": _exponent(rows)}


def _exponent(rows: list[dict[str, Any]]) -> float | None:
    """Return p in time ~ n^p between the ends of SIZES."""
    found = {row["n"]: row["ours"]["min"] for row in rows}
    low, high = SIZES[0], SIZES[-1]
    if low not in found or high not in found:
        return None
    return math.log(found[high] / found[low]) / math.log(high / low)


def _measure_size(n: int, rounds: int, program: Path | None) -> dict[str, Any]:
    """Measure one size."""
    loop, steps = Loop(build(n), cl.SemiImplicitEuler(dt=DT)), max(20, LINKS // n)
    ours, floor = [loop.run(steps)], []
    printed: list[list[float]] = []
    for _ in range(rounds):
        ours += [loop.run(steps) for _ in range(BATCH)]
        if program is not None:
            found, printed = run_floor(program, BATCH, n, BATCH, steps, DT)
            floor += found
    row: dict[str, Any] = {"n": n, "ours": _spread(ours[1:])}
    if floor:
        row["floor"] = _spread(floor)
        row["ratio"] = row["ours"]["min"] / row["floor"]["min"]
        row["difference"] = float(np.abs(loop.q - printed[0]).max())
    return row


def _spread(times: list[float]) -> dict[str, float]:
    return {"min": min(times), "median": float(np.median(times))}


def table(result: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of the measurement."""
    header = [
        *("n", "ours min [us]", "median"),
        *("floor min [us]", "median", "ratio", "difference"),
    ]
    rows = []
    for row in result["rows"]:
        times = [f"{1e6 * row['ours'][key]:.3f}" for key in ("min", "median")]
        rest: list[Any] = ["not measured", "", "", ""]
        if "floor" in row:
            rest = [f"{1e6 * row['floor'][key]:.3f}" for key in ("min", "median")]
            rest += [f"{row['ratio']:.2f}", f"{row['difference']:.1e}"]
        rows.append([row["n"], *times, *rest])
    return header, rows


def goals(result: dict[str, Any]) -> list[str]:
    """Return one line per goal, if all sizes were measured."""
    if result["exponent"] is None:
        return []
    found = [("growth exponent of the step", result["exponent"], MOST_GROWTH)]
    found += [
        (f"step over the floor at n = {row['n']}", row["ratio"], MOST_RATIO)
        for row in result["rows"]
        if "ratio" in row
    ]
    return [
        f"goal: {name} at most {limit:g}: {'met' if value <= limit else 'MISSED'} ({value:.3f})"
        for name, value, limit in found
    ]
