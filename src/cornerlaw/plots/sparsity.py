"""Which entries of the matrices of a model are not zero."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cornerlaw.errors import UsageError
from cornerlaw.plots.style import COLOURS, house_style, new_figure


def sparsity(matrices: Any, *, title: str | None = None) -> Any:
    """Draw the entries of M, W and G = W M^-1 W^T that are not zero, with their share.

    matrices   `cl.query(model)`, or matrices by name; entries below 1e-14 of the largest count as
               zero
    """
    given = matrices if isinstance(matrices, Mapping) else _of_model(matrices)
    shown = {name: np.atleast_2d(np.asarray(a, dtype=np.float64)) for name, a in given.items()}
    shown = {name: a for name, a in shown.items() if a.size}
    if not shown:
        raise UsageError("There is no matrix with entries to draw.")
    with house_style():
        figure = new_figure(3.1 * len(shown) + 0.4, 3.5)
        for ax, (name, a) in zip(
            figure.subplots(1, len(shown), squeeze=False)[0], shown.items(), strict=True
        ):
            filled = np.abs(a) > 1e-14 * np.abs(a).max()
            size = float(np.clip(150.0 / max(a.shape), 0.6, 9.0))
            ax.spy(filled, markersize=size, color=COLOURS[0], marker="s")
            ax.grid(visible=False)
            rows, columns = a.shape
            ax.set_title(f"{name}: {rows} × {columns}, {100.0 * filled.mean():.3g} % filled")
            ax.title.set_fontsize(9.0)
            ax.set_xlabel("number of the column")
            ax.set_ylabel("number of the row")
            ax.xaxis.set_ticks_position("bottom")
        if title:
            figure.suptitle(title, fontsize=11.0, fontweight="bold")
    return figure


def _of_model(query: Any) -> dict[str, Any]:
    """Return M, and with constraints W and G, of a model at a state."""
    if not hasattr(query, "terms"):
        raise UsageError(
            f"sparsity takes cl.query(model) or matrices by name, got {type(query).__name__}."
        )
    M, W = query.terms.M, query.terms.W
    if not W.size:
        return {"M": M}
    return {"M": M, "W": W, "G": W @ np.linalg.solve(M, W.T)}
