"""`make demo`: run the systems of the gallery, check them, draw them, write a page.

    python -m cornerlaw.gallery.demo [--out FOLDER] [NAME ...]

Prints the figures as a table and writes `build/demo/index.html` with a picture of every system.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cornerlaw.errors import CornerlawError
from cornerlaw.gallery import registry
from cornerlaw.gallery.contract import Check
from cornerlaw.gallery.registry import System
from cornerlaw.gallery.stroboscope import stroboscope
from cornerlaw.gallery.text_table import format_table

if TYPE_CHECKING:
    from cornerlaw.results import Solution

FOLDER = Path("build") / "demo"
LONG: tuple[str, ...] = ()  # runs of more than ten seconds: only when named
STROBE = "Positions equally spaced in time, the last one darkest; triangles stand on the ground."
LEAD = (
    "Machines of the literature, described as bodies, joints and forces, run by one command and "
    "compared with numbers that come from somewhere else: closed forms, published values, "
    "independent computations."
)


@dataclass(frozen=True)
class Outcome:
    """A system that was run: its results, or why there are none."""

    system: System
    seconds: float
    solution: Solution | None = None
    freedoms: int | None = None
    checks: tuple[Check, ...] = ()
    error: str = ""

    @property
    def ok(self) -> bool:
        """Tell whether it ran and all checks hold."""
        return not self.error and all(check.ok for check in self.checks)


def run_system(system: System) -> Outcome:
    """Run and check one system; an error becomes part of the outcome."""
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # redundant constraints are told on the page, from the result's own record
            warnings.simplefilter("ignore")
            solution = system.simulate(progress=False)
            freedoms = int(system.build().describe(float(solution.t[0])).degrees_of_freedom)
        checks = system.check(solution)
    except CornerlawError as error:
        return Outcome(system, time.perf_counter() - began, error=str(error))
    return Outcome(system, time.perf_counter() - began, solution, freedoms, checks)


def _largest(solution: Solution, name: str) -> float | None:
    """Return the largest magnitude of a channel, None where there is none."""
    if name not in solution.channels:
        return None
    values = solution.array(name)
    return float(np.max(np.abs(values))) if values.size else None


def summary_row(outcome: Outcome) -> list[Any]:
    """Return name, freedoms, steps, residuals, drift, time and verdict of a run."""
    s = outcome.solution
    if s is None:
        return [outcome.system.name, None, None, None, None, outcome.seconds, False]
    drift = None
    if s.info.conservative:
        total = s.array("energy.total")
        scale = max(_largest(s, f"energy.{k}") or 0.0 for k in ("kinetic", "potential", "total"))
        drift = float(np.max(np.abs(total - total[0]))) / scale if scale else 0.0
    return [
        outcome.system.name,
        outcome.freedoms,
        int(s.info.statistics.get("steps", 0)),
        _largest(s, "constraints.position_error"),
        drift,
        s.info.wall_time,
        outcome.ok,
    ]


SUMMARY = ("system", "DOF", "steps", "loop error", "energy drift", "run [s]", "checks")


def _rounded(row: Sequence[Any]) -> list[Any]:
    """Shorten the numbers of a summary row for reading."""
    shown = [f"{v:.1e}" if isinstance(v, float) else v for v in row[:5]]
    seconds = f"{row[5]:.2f}" if row[5] is not None else "-"
    return [*("-" if v is None else v for v in shown), seconds, row[6]]


def check_rows(outcome: Outcome) -> list[list[Any]]:
    """Return the checks as rows of a table."""
    return [
        [
            check.name,
            f"{check.value:.9g}",
            f"{check.reference:.9g}",
            f"{check.tolerance:.1e}",
            check.ok,
        ]
        for check in outcome.checks
    ]


CHECKS = ("check", "value", "reference", "tolerance", "")


def text_blocks(text: str) -> list[Any]:
    """Turn a docstring into paragraphs and, where it is indented, formulas."""
    from cornerlaw.plots import Code

    blocks: list[Any] = []
    for part in text.split("\n\n"):
        lines = part.strip("\n")
        if not lines.strip():
            continue
        indented = all(line.startswith("    ") for line in lines.splitlines() if line.strip())
        blocks.append(Code(textwrap.dedent(lines)) if indented else " ".join(lines.split()))
    return blocks


def write_page(outcomes: Sequence[Outcome], folder: Path) -> Path:
    """Write a picture of every system and the page; return its path."""
    from cornerlaw.plots import Code, Picture, Section, Table, write_report
    from cornerlaw.plots.style import to_bytes
    from cornerlaw.results.atomic import whole_file

    folder.mkdir(parents=True, exist_ok=True)
    passed = sum(check.ok for outcome in outcomes for check in outcome.checks)
    count = sum(len(outcome.checks) for outcome in outcomes)
    sections = [
        Section(
            "Overview",
            (
                f"{len(outcomes)} systems, {passed} of {count} checks pass.",
                Table(SUMMARY, [_rounded(summary_row(outcome)) for outcome in outcomes]),
                "The loop error is the largest residual of any closed loop during the run; the "
                "energy drift is relative to the largest energy, given where it must be kept.",
            ),
        )
    ]
    for outcome in outcomes:
        system = outcome.system
        blocks: list[Any] = text_blocks(system.text)
        if outcome.solution is not None:
            figure = system.show(outcome.solution)
            with whole_file(folder / f"{system.name}.png") as file:
                file.write(to_bytes(figure, "png"))
            positions = stroboscope(system.build(), outcome.solution)
            if positions is not None:
                with whole_file(folder / f"{system.name}-motion.png") as file:
                    file.write(to_bytes(positions, "png"))
                blocks.append(Picture(positions, STROBE))
            blocks.append(Picture(figure, system.title))
            blocks.append(Table(CHECKS, check_rows(outcome)))
            blocks += [f"Note: {text}." for text in outcome.solution.info.warnings]
        else:
            blocks.append(f"It failed: {outcome.error}")
        blocks.append(Code(f"cornerlaw run {system.name} --plot {system.name}.png"))
        sections.append(Section(system.title, blocks))
    page = folder / "index.html"
    write_report(page, "cornerlaw: what it does today", sections, lead=LEAD)
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; return 1 if a check fails."""
    parser = argparse.ArgumentParser(description="Run, check and draw the systems of the gallery.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="systems to run (default: all but the long ones)"
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help=f"folder to write ({FOLDER})")
    options = parser.parse_args(arguments)
    try:
        chosen = [system for name in options.names for system in registry.find_all(name)]
        chosen = chosen or [s for s in registry.systems() if s.name not in LONG]
        outcomes = []
        print(f"Running {len(chosen)} systems of the gallery:")
        width = max(len(system.name) for system in chosen)
        for system in chosen:
            print(f"  {system.name:<{width}}  {system.title} ... ", end="", flush=True)
            outcome = run_system(system)
            outcomes.append(outcome)
            print("ok" if outcome.ok else outcome.error or "CHECK FAILED", flush=True)
        page = write_page(outcomes, options.out)
    except CornerlawError as error:
        print(f"cornerlaw: {error}", file=sys.stderr)
        return 2
    rows = [[o.system.name, *row] for o in outcomes for row in check_rows(o)]
    print("\nChecks against references:\n")
    print(format_table(("system", *CHECKS), rows))
    print("\nRuns:\n")
    print(format_table(SUMMARY, [_rounded(summary_row(outcome)) for outcome in outcomes]))
    bad = [outcome.system.name for outcome in outcomes if not outcome.ok]
    bad += [entry.name for entry in registry.broken()]
    for entry in registry.broken():
        print(f"cornerlaw: {entry.name} cannot be used: {entry.reason}", file=sys.stderr)
    passed = sum(check.ok for outcome in outcomes for check in outcome.checks)
    verdict = f"failed: {', '.join(bad)}" if bad else "all pass"
    print(f"\n{len(outcomes)} systems, {passed} of {len(rows)} checks pass ({verdict}).")
    if LONG and not options.names:
        print(f"Left out, because it takes longer: cornerlaw check {' '.join(LONG)}")
    print(f"Open {page} in a browser: pictures, checks, sources.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
