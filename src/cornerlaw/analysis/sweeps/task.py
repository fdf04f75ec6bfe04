"""One run of a sweep: values in, measures out, and failures as rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cornerlaw.analysis.sweeps.measures import MeasureFailed, Measures, MissingMeasure
from cornerlaw.errors import CornerlawError
from cornerlaw.model import Model
from cornerlaw.results import Solution

Row = dict[str, Any]  # row, status, message and values: everything of a finished run


@dataclass
class Task:
    """Everything a worker needs to run any row of a sweep.

    source     a model whose values are replaced, or a function of the values that returns one
    simulate   a function of the values that runs by itself, instead of `source`
    """

    measures: Measures
    source: Model | Callable[..., Model] | None = None
    t_end: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    simulate: Callable[[dict[str, Any]], Solution] | None = None
    _runs: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a process has compiled."""
        return {**vars(self), "_runs": None}

    def model(self, values: dict[str, Any]) -> Model:
        """Return the model with these values."""
        if isinstance(self.source, Model):
            return self.source.replace(values)
        assert self.source is not None
        return self.source(**values)

    def solve(self, values: dict[str, Any]) -> Solution:
        """Run with these values."""
        if self.simulate is not None:
            return self.simulate(values)
        if self._runs is None:
            from cornerlaw.simulate.reruns import Reruns

            self._runs = Reruns(self.t_end, **self.options)
        found: Solution = self._runs(self.model(values))
        return found

    def row(self, k: int, values: dict[str, Any]) -> Row:
        """Return the row of run k; only a measure that no run can give is an exception."""
        try:
            with warnings.catch_warnings():
                # what a run warns of stands in its message
                warnings.simplefilter("ignore")
                sol = self.solve(values)
                info = sol.info
                found = self.measures(sol)
        except MissingMeasure:
            raise
        except (MeasureFailed, CornerlawError) as error:
            return {"row": k, "status": "failed", "message": str(error), "values": {}}
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return {"row": k, "status": "failed", "message": text, "values": {}}
        return {"row": k, "status": info.status, "message": info.message, "values": found}
