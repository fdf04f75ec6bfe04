"""Integration methods by name, for the command line only; in Python they are objects."""

from __future__ import annotations

import difflib
import re
from typing import Any

from cornerlaw.errors import UnknownNameError, UsageError

# name on the command line: (public name, has a fixed step)
METHODS = {
    "runge-kutta-8": ("RungeKutta8", False),
    "runge-kutta-5": ("RungeKutta5", False),
    "radau": ("Radau", False),
    "generalised-alpha": ("GeneralisedAlpha", True),
    "runge-kutta-4": ("RungeKutta4", True),
    "semi-implicit-euler": ("SemiImplicitEuler", True),
    "moreau": ("Moreau", True),
    "event-driven": ("EventDriven", False),
}
NAMES = ", ".join(METHODS)


def choose_method(name: str | None, dt: float | None, rtol: float | None) -> Any:
    """Return the method object, or None where the system's own default is to be used."""
    if name is None:
        if dt is not None:
            fixed = ", ".join(key for key, (_, has_step) in METHODS.items() if has_step)
            raise UsageError(f"--dt needs --method with a fixed step: {fixed}.")
        if rtol is None:
            return None
        name = "runge-kutta-8"
    keys = {_squeeze(key): key for key in METHODS}
    key = keys.get(_squeeze(name))
    if key is None:
        close = difflib.get_close_matches(_squeeze(name), keys, n=1, cutoff=0.5)
        hint = f" (did you mean {keys[close[0]]!r}?)" if close else ""
        raise UnknownNameError(f"There is no method {name!r}{hint}; methods are {NAMES}.")
    public, has_step = METHODS[key]
    if has_step and dt is None:
        raise UsageError(f"The method {key} has a fixed step: give it with --dt (seconds).")
    if has_step and rtol is not None:
        raise UsageError(f"The method {key} has a fixed step and no tolerance: leave out --rtol.")
    if not has_step and dt is not None:
        raise UsageError(f"The method {key} chooses its steps: give --rtol instead of --dt.")
    import cornerlaw

    kind = getattr(cornerlaw, public)
    if has_step:
        return kind(dt=dt)
    # zero-near states must not be held to a coarser error than the others
    return kind() if rtol is None else kind(rtol=rtol, atol=min(1e-3 * rtol, kind().atol))


def _squeeze(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text.lower())
