"""Run models: forward in time, to equilibrium, kinematically, inversely, step by step."""

from cornerlaw.model.registry import register
from cornerlaw.simulate.assemble import assemble
from cornerlaw.simulate.describe import describe
from cornerlaw.simulate.distances import Separation, distance
from cornerlaw.simulate.equilibrium import Equilibrium, equilibrium
from cornerlaw.simulate.inverse import inverse_dynamics
from cornerlaw.simulate.kinematics import kinematics
from cornerlaw.simulate.limits import Limits
from cornerlaw.simulate.queries import NamedArray, Query, query
from cornerlaw.simulate.resume import resume
from cornerlaw.simulate.run import simulate
from cornerlaw.simulate.simulation import Simulation, SimulationState
from cornerlaw.simulate.system import RedundantConstraintWarning, System

register("describe", describe)

__all__ = [
    "Equilibrium",
    "Limits",
    "NamedArray",
    "Query",
    "RedundantConstraintWarning",
    "Separation",
    "Simulation",
    "SimulationState",
    "System",
    "assemble",
    "describe",
    "distance",
    "equilibrium",
    "inverse_dynamics",
    "kinematics",
    "query",
    "resume",
    "simulate",
]
