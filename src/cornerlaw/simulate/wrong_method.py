"""The sentence for what is given as a method and is none."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from cornerlaw.errors import UsageError
from cornerlaw.model.quantity import show

# how a method of this name is written
CALLS = {
    name: f"cl.{name}({needed})"
    for needed, names in (
        ("", ("RungeKutta8", "RungeKutta5", "Radau", "EventDriven")),
        ("dt=...", ("RungeKutta4", "SemiImplicitEuler", "GeneralisedAlpha", "Moreau",
                    "HalfExplicit", "Stiegelmeyr", "Theta", "Granular")),
    )
    for name in names
}  # fmt: skip


def require_method(method: Any, example: str = "RungeKutta8()") -> None:
    """Refuse what is not a method object, and say what was probably meant."""
    if not isinstance(method, type) and hasattr(method, "prepare"):
        return
    hint = ""
    if isinstance(method, type):
        shown = f"the class {method.__name__}"
        if method.__name__ in CALLS:
            hint = f"; add (): {CALLS[method.__name__]}"
    else:
        shown = show(method)
        if isinstance(method, str):
            hint = _nearest(method)
    raise UsageError(f"method must be one such as {example}, got {shown}{hint}")


def _nearest(text: str) -> str:
    """Return the method whose name is nearest to a text, or nothing."""
    names = {name.lower(): name for name in CALLS}
    squeezed = re.sub(r"[^a-z0-9]", "", text.lower().removeprefix("cl."))
    close = get_close_matches(squeezed, names, n=1, cutoff=0.6)
    return f"; did you mean {CALLS[names[close[0]]]}?" if close else ""
