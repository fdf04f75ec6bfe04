"""Scene "woodpecker": time per step of Moreau's rule of a tiny system with three contacts.

The toy of the gallery runs for 0.5 s with dt = 1e-4 s. Its Lagrangian form has three coordinates
and three frictional contacts with constant rows; the form from bodies and joints has large angles
and is another toy.

    ours    the compiled loop of `simulate` without stored rows, every contact problem verified and
            events logged; "stabilised" removes penetration after every step, "plain" does not
    floor   floors/woodpecker.c, a program for the Lagrangian form alone, -O3 -march=native, that
            makes mass matrix, rows and contact matrix in every step as the method has it
    folded  the same with all of that made once, since this toy has nothing but constants
    siconos Siconos' own loop over LagrangianLinearTIDS, whose masses and rows are constant as well
    cardillo  cardillo's own loop of Moreau's rule, where it is installed

Repeats take turns. The error is the largest of the height at 50 times, against the motion event by
event to 1e-11, for each form its own. A peer is measured only if its kinetic energy at the start is
right and the sleeve has fallen as far when it jams for the first time, which friction decides.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import cornerlaw as cl
from cornerlaw.gallery.contacts import woodpecker, woodpecker_bodies
from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _floor import compile_floor
from _goals import floor_goal, goal, open_goal, why_not
from _loop import Loop, run_floor
from _results import CARDILLO_PYTHON, NOT_MEASURED, SYSTEM_PYTHON, check_scene, run_peer
from _validity import judge, verdict

DT, STEPS, EVERY = 1e-4, 5000, 100
ROUNDS, BATCH = 15, 4
FLOORS = {"floor": 1, "folded": 0}
MOST = {"lagrangian, plain": 4.0, "bodies, plain": 25.0}  # goals for our time over the floor's
LEAST = 8.0  # goal for Siconos' time over ours
VALID = 20.0  # a floor must be this many times as fast as Siconos
# of the peers; a run takes cardillo half a minute
REPEATS = {"siconos": 9, "cardillo": 5}
INTERPRETERS = {"siconos": SYSTEM_PYTHON, "cardillo": CARDILLO_PYTHON}
JAMMED = 2  # index of the time of comparison, 0.03 s, when the sleeve jams for the first time
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
    began = time.perf_counter()
    loops = {
        f"{model}, {scheme}": Loop(built, method)
        for model, (built, _) in MODELS.items()
        for scheme, method in SCHEMES.items()
    }
    for loop in loops.values():
        loop.run(STEPS)
    warm = time.perf_counter() - began
    times: dict[str, list[float]] = {name: [] for name in (*loops, *FLOORS)}
    printed: list[list[float]] = []
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
    for name in FLOORS if printed else ():
        rows[name]["error"] = float(np.abs(np.array(printed)[:, 0] - exact).max())
    said: dict[str, str] = {}
    for name in REPEATS:
        other = run_one(name, exact) if peers else f"{NOT_MEASURED}: not asked for (--peers)"
        if isinstance(other, dict):
            rows[name], other = other, f"measured, warm-up {other.pop('warm-up'):.2f} s"
        said[name] = other
    ours = rows["lagrangian, plain"]["min"]
    for row in rows.values():
        row["over ours"] = row["min"] / ours
        for name in FLOORS if printed else ():
            row[f"over {name}"] = row["min"] / rows[name]["min"]
    return {
        "scene": "woodpecker", "dt": DT, "steps": STEPS, "rows": rows, "warm-up": warm,
        "floor": "measured" if printed else f"{NOT_MEASURED}: no C compiler",
        "peers": said,
        "validity": [
            judge(rows.get("floor", {}).get("min"), rows.get("siconos", {}).get("min"), "Siconos",
                  VALID)
        ],
    }  # fmt: skip


def run_one(name: str, exact: Any) -> dict[str, Any] | str:
    """Return what a peer found, if it has the toy, or why it was not measured."""
    given = str(REPEATS[name]), str(EVERY)
    found = run_peer(f"woodpecker_{name}.py", *given, python=INTERPRETERS[name])
    if isinstance(found, str):
        return found
    found["check"]["height of the first jam"] = found["heights"][JAMMED]
    found = check_scene(found, expected(exact))
    if isinstance(found, str):
        return found
    return {
        "min": min(found["times"]), "median": float(np.median(found["times"])),
        "error": float(np.abs(np.array(found["heights"]) - exact).max()),
        "warm-up": found["warm-up"],
    }  # fmt: skip


def expected(exact: Any) -> dict[str, tuple[float, float]]:
    """Return the figures that a peer with this toy has, with relative tolerances."""
    toy = woodpecker.Parameters()
    bird = toy.y_dot + toy.l_G * toy.phi_S_dot  # velocity of its centre; the sleeve does not turn
    moving = toy.m_M * toy.y_dot**2 + toy.m_S * bird**2 + toy.J_S * toy.phi_S_dot**2
    # Moreau's rule with this step is 0.06 % away there
    return {
        "kinetic energy": (0.5 * moving, 1e-9),
        "height of the first jam": (float(exact[JAMMED]), 0.01),
    }


def points(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return cost and accuracy of every program that follows the Lagrangian form or its own."""
    return [
        {"program": name, "seconds": row["min"], "accuracy": row["error"],
         "measure": "error of the height [m]"}
        for name, row in result["rows"].items()
    ]  # fmt: skip


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows, measured = [], result["rows"]
    for name, found in measured.items():
        ratios = (found.get(f"over {key}") for key in ("floor", "folded", "ours"))
        rows.append(
            [
                name, *(f"{1e6 * found[key]:.3f}" for key in ("min", "median")),
                *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
                f"{found['error']:.2e}",
            ]
        )  # fmt: skip
    header = ["form", "min [us/step]", "median", "over floor", "over folded", "over ours"]
    lines = [
        f"woodpecker: {result['steps']} steps of Moreau's rule, dt = {result['dt']:g} s; "
        f"warm-up {result['warm-up']:.1f} s",
        format_table([*header, "error [m]"], rows),
    ]
    lines += [
        floor_goal(
            f"{form} at most {limit:g} times the floor", limit,
            measured[form].get("over floor"), result["validity"][0],
        )
        for form, limit in MOST.items()
    ]  # fmt: skip
    lines.append(_against_siconos(result))
    lines += [verdict(found) for found in result["validity"]]
    lines.append(f"floor: {result['floor']}")
    lines += [f"{name}: {said}" for name, said in result["peers"].items()]
    return "\n".join(lines)


def _against_siconos(result: dict[str, Any]) -> str:
    """Return the goal over Siconos, open where it was not measured."""
    what = f"at least {LEAST:g} times as fast as Siconos at no larger error"
    if "siconos" not in result["rows"]:
        return open_goal(what, why_not("Siconos", result["peers"]["siconos"]))
    ours, peer = result["rows"]["lagrangian, plain"], result["rows"]["siconos"]
    met = peer["over ours"] >= LEAST and ours["error"] <= peer["error"]
    figures = f"{peer['over ours']:.1f}, {ours['error']:.1e} m against {peer['error']:.1e} m"
    return goal(what, met, figures)
