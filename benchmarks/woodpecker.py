"""Scene "woodpecker": time per step of Moreau's rule of a tiny system with three contacts.

The toy of the gallery runs for 0.5 s with dt = 1e-4 s. Its Lagrangian form has three coordinates
and three frictional contacts with constant rows; the form from bodies and joints has large angles
and is another toy.

    ours    the compiled loop of `simulate` without stored rows, every contact problem verified and
            events logged; "stabilised" removes penetration after every step, "plain" does not
    floor   floors/woodpecker.c, a program for the Lagrangian form alone, -O3 -march=native, that
            makes mass matrix, rows and contact matrix in every step as the method has it
    folded  the same with all of that made once, since this toy has nothing but constants

Repeats take turns. The error is the largest of the height at 50 times, against the motion event by
event to 1e-11, for each form its own.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contacts import woodpecker, woodpecker_bodies
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _floor import compile_floor
from _loop import Loop, run_floor

DT, STEPS, EVERY = 1e-4, 5000, 100
ROUNDS, BATCH = 15, 4
FLOORS = {"floor": 1, "folded": 0}
MOST = {"lagrangian, plain": 4.0, "bodies, plain": 25.0}  # goals for our time over the floor's
MODELS = {
    "lagrangian": (woodpecker.build(woodpecker.Parameters()), "toy.y"),
    "bodies": (woodpecker_bodies.build(woodpecker_bodies.Parameters()), "slide.displacement"),
}
SCHEMES = {"plain": cl.Moreau(dt=DT, stabilise=False), "stabilised": cl.Moreau(dt=DT)}


def heights(model: str, method: Any) -> Any:
    """Return the height at the times of comparison."""
    built, name = MODELS[model]
    times = DT * EVERY * np.arange(1, STEPS // EVERY + 1)
    sol = cl.simulate(built, t_end=DT * STEPS, method=method, t_eval=times, progress=False)
    # an event at such a time has two rows, and equal steps end there up to rounding
    return np.asarray(sol[name])[np.searchsorted(sol.t, times + 1e-6 * DT) - 1]


def errors() -> tuple[dict[str, float], Any]:
    """Return the errors of all forms, and the exact heights of the Lagrangian one."""
    found: dict[str, float] = {}
    kept = np.zeros(0)
    for model in MODELS:
        exact = heights(model, cl.EventDriven(rtol=1e-11, atol=1e-14))
        kept = exact if model == "lagrangian" else kept
        for scheme, method in SCHEMES.items():
            found[f"{model}, {scheme}"] = float(np.max(np.abs(heights(model, method) - exact)))
    return found, kept


def measure(*, peers: bool = False, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure both forms and the floor; seconds per step as minimum and median."""
    loops = {
        f"{model}, {scheme}": Loop(built, method)
        for model, (built, _) in MODELS.items()
        for scheme, method in SCHEMES.items()
    }
    times: dict[str, list[float]] = {name: [] for name in (*loops, *FLOORS)}
    printed: list[list[float]] = []
    for loop in loops.values():
        loop.run(STEPS)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_floor("woodpecker", Path(folder))
        for _ in range(rounds):
            for form, loop in loops.items():
                times[form] += [loop.run(STEPS) for _ in range(BATCH)]
            if program is not None:
                for name, anew in FLOORS.items():
                    found, printed = run_floor(program, BATCH, BATCH, STEPS, DT, EVERY, anew)
                    times[name] += found
    rows: dict[str, dict[str, Any]] = {}
    for name, values in times.items():
        if values:
            rows[name] = {"min": min(values), "median": float(np.median(values))}
    wrong, exact = errors()
    for form in loops:
        rows[form]["error"] = wrong[form]
        if printed:
            rows[form]["ratio"] = rows[form]["min"] / rows["floor"]["min"]
    for name in FLOORS if printed else ():
        rows[name]["error"] = float(np.abs(np.array(printed)[:, 0] - exact).max())
    floor = "measured" if "floor" in rows else "not measured: no C compiler"
    return {
        "scene": "woodpecker", "dt": DT, "steps": STEPS, "rows": rows, "floor": floor,
        "peers": {"siconos": "not measured" if peers else "not asked for (--peers)"},
    }  # fmt: skip


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = []
    for name, found in result["rows"].items():
        ratio = f"{found['ratio']:.2f}" if "ratio" in found else ""
        times = (f"{1e6 * found[key]:.3f}" for key in ("min", "median"))
        rows.append([name, *times, ratio, f"{found['error']:.2e}"])
    header = ["form", "min [us/step]", "median", "over floor", "error [m]"]
    lines = [
        f"woodpecker: {result['steps']} steps of Moreau's rule, dt = {result['dt']:g} s",
        format_table(header, rows),
    ]
    for form, limit in MOST.items():
        ratio = result["rows"][form].get("ratio")
        if ratio is not None:
            verdict = "met" if ratio <= limit else "MISSED"
            lines.append(f"goal: {form} at most {limit:g} times the floor: {verdict} ({ratio:.2f})")
    lines.append(f"floor: {result['floor']}; siconos: {result['peers']['siconos']}")
    return "\n".join(lines)
