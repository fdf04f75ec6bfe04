"""Scene "contact-problems": time to solve single contact problems to 1e-8.

Random problems of Set A (the generator of the tests, fixed seeds) and the saved ones that other
groups published, each with `auto`; the residual is the one of our independent verifier.

    ours      `problem.solve()`
    Siconos   NSN_AC, NSGS, ADMM (in space) and NSGS, Lemke (in the plane), each problem by the
              quickest that solves it (the virtual best), from the system's Python

Times are those of the processor, best of some repeats; compiling is excluded.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from cornerlaw.gallery.text_table import format_table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _goals import goal, open_goal
from _results import NOT_MEASURED, SYSTEM_PYTHON, run_peer

HERE = Path(__file__).resolve().parent
GENERATOR = HERE.parent / "tests" / "contact_problems.py"
SAVED = HERE.parent / "tests" / "data" / "fclib"
SEEDS = range(int(os.environ.get("CORNERLAW_BENCH_SEEDS", "100")))
TOLERANCE, REPEATS = 1e-8, 5


def problems(seeds: Any = SEEDS) -> dict[str, Any]:
    """Return all problems by name."""
    from cornerlaw.io import read_fclib, read_siconos

    # by its path: this file has the same name
    spec = importlib.util.spec_from_file_location("families", GENERATOR)
    assert spec is not None and spec.loader is not None
    families = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(families)
    found = {f"set A {seed}": families.set_a(seed).problem() for seed in seeds}
    for path in sorted(SAVED.iterdir()):
        if ".dat" in path.name:
            found[path.name] = read_siconos(path)
        elif path.suffix == ".hdf5":
            found[path.name] = read_fclib(path)
    return found


def solve(problem: Any, repeats: int = REPEATS) -> dict[str, Any]:
    """Return processor seconds and residual of one problem."""
    times = []
    result = problem.solve()
    for _ in range(repeats):
        began = time.process_time()
        result = problem.solve()
        times.append(time.process_time() - began)
        if times[-1] > 2.0:
            break
    residual = float(problem.residual(result.x))
    return {
        "rows": int(problem.n), "min": min(times), "median": float(np.median(times)),
        "residual": residual, "solved": bool(result.solved and residual <= TOLERANCE),
    }  # fmt: skip


def ask_siconos(given: dict[str, Any]) -> Any:
    """Return what the solvers of Siconos need for the same problems."""
    with tempfile.TemporaryDirectory() as folder:
        for k, problem in enumerate(given.values()):
            # a contact is a half line and a set whose size follows it
            dim = 2 if problem.sets[1].size == 1 else 3
            mu = np.array([item.upper_1 for item in problem.sets[1::2]])
            np.savez(Path(folder) / f"{k}.npz", G=problem.G, c=problem.c, mu=mu, dim=dim)
        return run_peer(
            "contact_problems_siconos.py", folder, str(len(given)), python=SYSTEM_PYTHON,
            timeout=600.0,
        )  # fmt: skip


def measure(*, peers: bool = False, seeds: Any = SEEDS) -> dict[str, Any]:
    """Solve all problems."""
    given = problems(seeds)
    rows = {name: solve(problem) for name, problem in given.items()}
    result: dict[str, Any] = {"scene": "contact-problems", "rows": rows}
    result["siconos"] = f"{NOT_MEASURED}: not asked for (--peers)"
    if peers:
        found = ask_siconos(given)
        result["siconos"] = (
            found if isinstance(found, str) else dict(zip(given, found["rows"], strict=True))
        )
    return result


def _groups(result: dict[str, Any]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in result["rows"]:
        groups.setdefault("set A" if name.startswith("set A") else name, []).append(name)
    return groups


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    peer, rows = result["siconos"], []
    ours_total = theirs_total = 0.0
    for group, names in _groups(result).items():
        found = [result["rows"][name] for name in names]
        line = [
            group, len(names), sum(row["solved"] for row in found),
            f"{1e3 * sum(row['min'] for row in found):.2f}",
            f"{max(row['residual'] for row in found):.1e}",
        ]  # fmt: skip
        if isinstance(peer, str):
            rows.append([*line, NOT_MEASURED, "", ""])
            continue
        known = [name for name in names if peer[name]["best"] is not None]
        theirs = sum(peer[name]["best"] for name in known)
        ours = sum(result["rows"][name]["min"] for name in known)
        ours_total, theirs_total = ours_total + ours, theirs_total + theirs
        ratio = f"{ours / theirs:.2f}" if theirs else ""
        rows.append([*line, len(known), f"{1e3 * theirs:.2f}", ratio])
    header = [
        "problems", "count", "solved", "ours [ms]", "worst residual", "solved by Siconos",
        "its virtual best [ms]", "ours over it, those",
    ]  # fmt: skip
    lines = ["contact-problems: auto, to 1e-8", format_table(header, rows)]
    solved = sum(row["solved"] for row in result["rows"].values())
    count = len(result["rows"])
    lines.append(goal("all solved", solved == count, f"{solved} of {count}"))
    what = "below the virtual best of Siconos where it solves"
    if isinstance(peer, str):
        lines.append(open_goal(what, f"Siconos {peer}"))
    else:
        figures = f"{1e3 * ours_total:.1f} against {1e3 * theirs_total:.1f} ms"
        lines.append(goal(what, ours_total < theirs_total, figures))
    return "\n".join(lines)
