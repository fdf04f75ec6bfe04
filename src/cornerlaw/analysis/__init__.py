"""What a model's equations tell without a run: linearisation, modes, formulas."""

from cornerlaw.analysis.linearise import Linearisation, Mode, linearise
from cornerlaw.analysis.symbolic import SymbolicEquations, symbolic

__all__ = ["Linearisation", "Mode", "SymbolicEquations", "linearise", "symbolic"]
