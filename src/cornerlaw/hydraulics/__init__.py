"""Hydraulic networks whose valves, cavities and stops are corner laws like those of bodies.

net = hydraulics.Network(Source("store", 15e5), Line("line", "store", "chamber", ...), ...)
sol = cornerlaw.simulate(net.model(), t_end=0.3)
net.read(sol)["chamber"].pressure
"""

from cornerlaw.hydraulics.fluid import Fluid
from cornerlaw.hydraulics.network import Network
from cornerlaw.hydraulics.parts import (
    Accumulator,
    CheckValve,
    Cylinder,
    Edge,
    Gap,
    Group,
    Junction,
    Line,
    Orifice,
    Pump,
    Source,
    WaveLine,
    ball_valve,
    servo_valve,
)

__all__ = [
    "Accumulator",
    "CheckValve",
    "Cylinder",
    "Edge",
    "Fluid",
    "Gap",
    "Group",
    "Junction",
    "Line",
    "Network",
    "Orifice",
    "Pump",
    "Source",
    "WaveLine",
    "ball_valve",
    "servo_valve",
]
