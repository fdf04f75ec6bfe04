"""resume(): go on with a run that was killed, from its checkpoint."""

from __future__ import annotations

import os

import numpy as np

from cornerlaw.errors import CornerlawError
from cornerlaw.model import Model
from cornerlaw.results import Solution
from cornerlaw.results.checkpoint import damaged, read_checkpoint
from cornerlaw.simulate.limits import Limits
from cornerlaw.simulate.method_data import decode, decode_stop
from cornerlaw.simulate.recorder import EVERY
from cornerlaw.simulate.run import simulate


def resume(
    path: str | os.PathLike[str],
    model: Model,
    *,
    checkpoint_every: float = EVERY,
    progress: bool | None = None,
    limits: Limits | None = None,
    strict: bool = False,
) -> Solution:
    """Go on with the run in a checkpoint and return all of it, from its first row on.

    Method, times, inputs and stop conditions are those of the run; the model must be the same. The
    results have the same bits as those of a run that was never interrupted, and the run goes on
    recording itself in the same checkpoint. Of a run that came to its end nothing is computed anew.
    """
    head = read_checkpoint(path)
    try:
        data = head.head
        method = decode(data["method_data"])
        stops = [decode_stop(entry) for entry in data["stops"]]
        by_times = bool(data["by_times"])
        t_end, every = float(data["t_end"]), int(data["every"])
        inputs = {str(name): float(value) for name, value in data["inputs"].items()}
    except (LookupError, TypeError, ValueError, AttributeError, CornerlawError) as error:
        raise damaged(path, error) from None
    return simulate(
        model,
        t_end,
        method=method,
        t_eval=np.array(head.t_eval) if by_times else None,
        every=every,
        stop=stops,
        inputs=inputs,
        progress=progress,
        checkpoint=path,
        checkpoint_every=checkpoint_every,
        resume=True,
        limits=limits,
        strict=strict,
    )
