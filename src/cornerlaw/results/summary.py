"""A short readable account of a run."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cornerlaw.results.solution import Solution

RESIDUALS = (
    ("position residual", "constraints.position_error"),
    ("velocity residual", "constraints.velocity_error"),
)


COST = (
    "steps", "rejected", "evaluations", "jacobians", "factorisations", "projections",
    "contact_problems",
)  # fmt: skip


def _contact_lines(figures: Mapping[str, int | float]) -> list[tuple[str, str]]:
    """Write what tells how far contacts can be trusted."""
    if "worst_residual" not in figures:
        return []
    lines = [
        ("contact residual", f"at most {figures['worst_residual']:.2e}"),
        ("penetration", f"at most {figures['worst_penetration']:.2e}"),
    ]
    if figures["unsolved_problems"]:
        lines.append(("unsolved", f"{_count(figures['unsolved_problems'])} contact problems"))
    if figures["impact_loss"]:
        lines.append(("lost in impacts", f"{figures['impact_loss']:.4g} J"))
    return lines


def summarise(sol: "Solution") -> str:
    """Write status, span, cost, worst constraint residuals and energy drift, one per line."""
    lines = summary_lines(sol)
    width = max(len(title) for title, _ in lines)
    body = "\n".join(f"  {title:<{width}}  {text}" for title, text in lines)
    return f'Solution of "{sol.info.model}"\n{body}'


def summary_lines(sol: "Solution") -> list[tuple[str, str]]:
    """Return what a summary tells, each with its title."""
    info = sol.info
    status = info.status_text
    if info.status != "failed" and info.message:
        status = f"{status}: {info.message}"
    lines = [("status", status)]
    if len(sol.t):
        lines.append(("time", f"{sol.t[0]:g} s to {sol.t[-1]:g} s, {len(sol.t)} rows"))
    if info.method:
        lines.append(("method", info.method))
    if info.statistics:
        lines.append(("cost", _cost(info.statistics)))
    lines += _contact_lines(info.statistics)
    if len(sol.events):
        kinds = (f"{len(sol.events.filter(kind=k))} {k or 'other'}" for k in sol.events.kinds)
        lines.append(("events", f"{len(sol.events)} ({', '.join(kinds)})"))
    for title, name in RESIDUALS:
        if name in sol.channels and len(sol.t):
            lines.append((title, _worst(sol, name)))
    if info.conservative and "energy.total" in sol.channels and len(sol.t):
        lines.append(("energy drift", _drift(sol)))
    if info.memory:
        lines.append(("memory", f"{1e-6 * info.memory:.3g} MB"))
    if info.wall_time:
        lines.append(("wall time", f"{info.wall_time:.3g} s"))
    lines.extend(("warning", text) for text in info.warnings)
    return lines


def _cost(figures: Mapping[str, int | float]) -> str:
    """Write what a run cost, in numbers of things."""
    # time stepping evaluates all rates at its start only; its steps and problems are its cost
    uncounted = figures.get("evaluations", 0) < figures.get("steps", 0)
    shown = [name for name in COST if name in figures and (name != "evaluations" or not uncounted)]
    return ", ".join(f"{_count(figures[name])} {_things(name, figures[name])}" for name in shown)


def _things(name: str, value: int | float) -> str:
    """Write the name of things, in the singular for one of them."""
    words = name.replace("_", " ")
    return words.removesuffix("s") if value == 1 else words


def _count(value: int | float) -> str:
    return f"{value:d}" if isinstance(value, int) else f"{value:g}"


def _worst(sol: "Solution", name: str) -> str:
    """Give the largest magnitude of a channel, when it occurred and in which component."""
    channel = sol.channels[name]
    values = np.abs(sol.array(name)).reshape(len(sol.t), -1)
    if not values.size:
        return "no constraints"
    # a value that is no number is worse than any number
    row, column = np.unravel_index(_argmax(values), values.shape)
    where = f" in {channel.labels[column]}" if channel.components else ""
    unit = "" if channel.unit == "1" else f" {channel.unit}"
    return f"at most {values[row, column]:.2e}{unit}{where}, at {sol.t[row]:g} s"


def _argmax(values: NDArray[np.float64]) -> int:
    bad = np.flatnonzero(np.isnan(values))
    return int(bad[0]) if len(bad) else int(np.argmax(values))


def _drift(sol: "Solution") -> str:
    """Give the largest change of the total energy, and relative to the largest energy there is."""
    total = sol.array("energy.total").reshape(len(sol.t))
    names = [n for n in ("energy.kinetic", "energy.potential") if n in sol.channels]
    # the total may be near zero by choice of the reference height, so its parts set the scale
    scale = max(float(np.max(np.abs(values))) for values in (total, *sol.fetch(names).values()))
    drift = float(np.max(np.abs(total - total[0])))
    if not drift:
        return "none"
    return f"{drift:.2e} J, {drift / scale:.2e} of the largest energy"
