"""One hash of everything a run computed: rows, channels, events, statistics, the final state."""

from __future__ import annotations

import hashlib
import json

import numpy as np

import cornerlaw as cl

# how often a matrix is factored again depends on how compiled calls are cut; its factors do not
WORK = ("factorisations",)


def run_hash(sol: cl.Solution, channels: bool = True) -> str:
    """Return the SHA-256 of a run; clock times are no part of it."""
    digest = hashlib.sha256()
    arrays = {"t": sol.t, "side": sol.side, **sol.states}
    if channels:
        arrays |= sol.fetch()
    if sol.has_final:
        names = ("q", "u", "x", "z", "memory", "corners")
        arrays |= {f"final {name}": getattr(sol.final, name) for name in names}
        arrays["final t"] = np.array([sol.final.t, sol.final.dt])
    for name, values in arrays.items():
        digest.update(name.encode() + np.ascontiguousarray(values).tobytes())
    figures = {key: value for key, value in sol.statistics.items() if key not in WORK}
    about = [sol.status, sol.info.message, sol.info.warnings, figures, sol.events.to_dicts()]
    digest.update(json.dumps(about, sort_keys=True).encode())
    return digest.hexdigest()
