"""Runs that end as if their process had been killed between two entries of the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cornerlaw as cl
from cornerlaw.simulate.methods import Runner


class Killed(BaseException):
    """Nothing in a run may catch this, as nothing catches SIGKILL."""


def cut(simulate: Any, folder: Path, calls: int, steps: int = 5, **options: Any) -> bool:
    """Call simulate with a record after every compiled call of so many steps, and cut it off.

    Returns whether the run was cut: False if it came to its end before.
    """
    run = Runner.run
    made = []

    def limited(self: Any, *arguments: Any) -> int:
        made.append(1)
        if len(made) > calls:
            raise Killed
        return run(self, *arguments[:-1], min(arguments[-1], steps))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runner, "run", limited)
        try:
            simulate(checkpoint=folder, checkpoint_every=0.0, **options)
        except Killed:
            return True
    return False


def cut_run(model: cl.Model, folder: Path, calls: int, steps: int = 5, **options: Any) -> None:
    """Cut off a run of a model."""
    assert cut(lambda **more: cl.simulate(model, **options, **more), folder, calls, steps)
