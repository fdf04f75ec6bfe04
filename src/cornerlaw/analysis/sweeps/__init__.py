"""Parameter studies: design, measures, workers that may die, a record that survives them."""

from cornerlaw.analysis.sweeps.dataset import read_sweep
from cornerlaw.analysis.sweeps.driver import sweep

__all__ = ["read_sweep", "sweep"]
