"""What a user writes: a Model and its parts, immutable, named and checked."""

from cornerlaw.model import inertia, rotation
from cornerlaw.model.actuators import PD, PID, Motor, PositionActuator, VelocityActuator
from cornerlaw.model.bodies import (
    Body,
    Disk,
    Ground,
    LagrangianSystem,
    MovingFrame,
    PointMass,
    Rotor,
    Slider,
)
from cornerlaw.model.constraints import Constraint, Distance, Rod, Rolling
from cornerlaw.model.couplings import Coupling, Differential, Gear, Pulley, Rack
from cornerlaw.model.forces import (
    Bushing,
    Damper,
    Drag,
    Force,
    ForceElement,
    PathSpring,
    Spring,
    Torque,
    TorsionSpring,
)
from cornerlaw.model.frames import Frame
from cornerlaw.model.inertia import Inertia
from cornerlaw.model.joints import (
    Cylindrical,
    FreeJoint,
    Joint,
    PlanarJoint,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translation,
    Universal,
    UserJoint,
    Weld,
)
from cornerlaw.model.model import Model
from cornerlaw.model.part import Part
from cornerlaw.model.sensors import Sensor, Stop
from cornerlaw.model.submodel import Submodel
from cornerlaw.model.values import Input, Interpreted, Motion, Sampled, Table

__all__ = [
    "PD", "PID", "Body", "Bushing", "Constraint", "Coupling", "Cylindrical", "Damper",
    "Differential", "Disk", "Distance", "Drag", "Force", "ForceElement", "Frame", "FreeJoint",
    "Gear", "Ground", "Inertia", "Input", "Interpreted", "Joint", "LagrangianSystem", "Model",
    "Motion", "Motor", "MovingFrame", "Part", "PathSpring", "PlanarJoint", "PointMass",
    "PositionActuator", "Prismatic", "Pulley", "Rack", "Revolute", "Rod", "Rolling", "Rotor",
    "Sampled", "Screw", "Sensor", "Slider", "Spherical", "Spring", "Stop", "Submodel", "Table",
    "Torque", "TorsionSpring", "Translation", "Universal", "UserJoint", "VelocityActuator", "Weld",
    "inertia", "rotation",
]  # fmt: skip
