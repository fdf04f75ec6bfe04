"""What a model's equations tell: linearisation, modes, formulas, orbits, stability, sweeps."""

from cornerlaw.analysis.continuation import Bifurcation, OrbitBranch, continue_orbit
from cornerlaw.analysis.linearise import Linearisation, Mode, linearise
from cornerlaw.analysis.lyapunov import LyapunovExponent, lyapunov_exponent
from cornerlaw.analysis.mode_motion import mode_motion
from cornerlaw.analysis.periodic import PeriodicOrbit, periodic_orbit
from cornerlaw.analysis.poincare import (
    BifurcationDiagram,
    Returns,
    Section,
    bifurcation_diagram,
    poincare,
)
from cornerlaw.analysis.saltation import Jump, Saltation, saltation
from cornerlaw.analysis.sweeps import read_sweep, sweep
from cornerlaw.analysis.symbolic import SymbolicEquations, symbolic

__all__ = [
    "Bifurcation",
    "BifurcationDiagram",
    "Jump",
    "Linearisation",
    "LyapunovExponent",
    "Mode",
    "OrbitBranch",
    "PeriodicOrbit",
    "Returns",
    "Saltation",
    "Section",
    "SymbolicEquations",
    "bifurcation_diagram",
    "continue_orbit",
    "linearise",
    "lyapunov_exponent",
    "mode_motion",
    "periodic_orbit",
    "poincare",
    "read_sweep",
    "saltation",
    "sweep",
    "symbolic",
]
