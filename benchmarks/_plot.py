"""Accuracy against cost of all programs of a scene, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "results"


def plot_points(name: str, points: list[dict[str, Any]], path: Path | None = None) -> Path:
    """Draw points {program, seconds, accuracy, measure} and return the file of the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.0, 4.5), layout="constrained")
    smallest = min((p["accuracy"] for p in points if p["accuracy"] > 0.0), default=1e-16)
    for point in points:
        # an error of nothing has no place on a logarithmic axis: it stands at the lower edge
        shown = max(point["accuracy"], 0.1 * smallest)
        axes.loglog(1e6 * point["seconds"], shown, "o")
        axes.annotate(
            point["program"], (1e6 * point["seconds"], shown), fontsize=8,
            xytext=(4, 4), textcoords="offset points",
        )  # fmt: skip
    axes.set(xlabel="time of a step or of a run [us]", ylabel=points[0]["measure"], title=name)
    axes.grid(True, which="both", alpha=0.3)
    path = FOLDER / f"{name}.png" if path is None else path
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return path
