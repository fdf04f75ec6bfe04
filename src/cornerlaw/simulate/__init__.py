"""Run models: forward in time, to equilibrium, kinematically, inversely, step by step."""

from cornerlaw.model.registry import register
from cornerlaw.simulate.describe import describe
from cornerlaw.simulate.run import simulate
from cornerlaw.simulate.system import RedundantConstraintWarning, System

register("describe", describe)

__all__ = ["RedundantConstraintWarning", "System", "describe", "simulate"]
