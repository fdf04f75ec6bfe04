"""Scene "startup": what it costs to begin, against the budgets of tools/startup.py.

    import   `import cornerlaw` in a fresh interpreter
    warm     a first run of a small model, all compiled before
    cold     the same with an empty cache, and the look at its results

The best of several runs counts; processor time of all processes beside wall time tells whether
others disturbed it. CORNERLAW_BENCH_COLD=0 leaves the cold runs out, which take a minute each.
"""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from cornerlaw.gallery.text_table import format_table

TOOL = Path(__file__).resolve().parents[1] / "tools" / "startup.py"
REPEATS = 5


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("cornerlaw_startup", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(
    *, peers: bool = False, repeats: int = REPEATS, cold: bool | None = None
) -> dict[str, Any]:
    """Measure wall and processor seconds; there are no peers here."""
    tool = _tool()
    with_cold = os.environ.get("CORNERLAW_BENCH_COLD") != "0" if cold is None else cold
    times = min(tuple(json.loads(tool.run(tool.IMPORT))) for _ in range(repeats))
    rows = [_row("import", times, tool.BUDGETS["import"])]
    with tempfile.TemporaryDirectory() as folder:
        for k, model in enumerate(tool.MODELS):
            cache = Path(folder) / str(k) if with_cold else None
            if cache is not None:
                found = tool.first_step(model, cache, listed=False)[0]
                rows.append(_row(f"cold, {model}", found, tool.BUDGETS["cold"]))
            else:
                rows.append({"what": f"cold, {model}", "wall": None})
                tool.first_step(model, None, listed=False)  # the user's own cache
            warm = range(repeats)
            best = min(tool.first_step(model, cache, False, results=False)[0] for _ in warm)
            rows.append(_row(f"warm, {model}", best, tool.BUDGETS["warm"]))
    return {"scene": "startup", "repeats": repeats, "rows": rows}


def _row(what: str, times: tuple[float, float], budget: float) -> dict[str, Any]:
    wall, cpu = times
    return {"what": what, "wall": wall, "cpu": cpu, "budget": budget, "kept": wall < budget}


def format_result(result: dict[str, Any]) -> str:
    """Return the measurement as a table."""
    rows = []
    for row in result["rows"]:
        if row["wall"] is None:
            rows.append([row["what"], "not measured", "", "", ""])
            continue
        verdict = "kept" if row["kept"] else "MISSED"
        if not row["kept"] and row["cpu"] < row["budget"]:
            verdict += " (processor time within it)"
        rows.append(
            [row["what"], f"{row['wall']:.3f}", f"{row['cpu']:.3f}", f"{row['budget']:g}", verdict]
        )
    header = ["what", "wall [s]", "processor [s]", "budget [s]", ""]
    return "\n".join(["startup: best of several runs", format_table(header, rows)])
