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
from cornerlaw.model.contact import Contact
from cornerlaw.model.contact_rules import AllContacts, Materials
from cornerlaw.model.contours import (
    Arc,
    Circle,
    ContactPoint,
    Contour,
    Curve,
    Line,
    Parabola,
    Polygon,
    Segment,
    SplineCurve,
)
from cornerlaw.model.corner_elements import (
    Backlash,
    Brake,
    Clutch,
    Freewheel,
    JointFriction,
    Limit,
    Rope,
    UserContact,
    UserSet,
)
from cornerlaw.model.couplings import Coupling, Differential, Gear, Pulley, Rack
from cornerlaw.model.element_rows import BilateralRow, Multipliers, SetRow, UnilateralRow
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
from cornerlaw.model.friction import Coulomb, Stribeck
from cornerlaw.model.grains import Grains
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
from cornerlaw.model.normal_laws import (
    HuntCrossley,
    KelvinVoigt,
    LankaraniNikravesh,
    hertz_stiffness,
)
from cornerlaw.model.part import Part
from cornerlaw.model.sensors import Sensor, Stop
from cornerlaw.model.shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Edge,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Polyhedron,
    Ring,
    Shape,
    Sphere,
    Surface,
    Torus,
    Tube,
)
from cornerlaw.model.submodel import Submodel
from cornerlaw.model.values import (
    Delay,
    Input,
    Interpreted,
    Motion,
    Sampled,
    ScaledInput,
    Table,
)

__all__ = [
    "PD", "PID", "AllContacts", "Arc", "Backlash", "BilateralRow", "Body", "Box", "Brake",
    "Bushing", "Capsule", "Circle", "Clutch", "Cone", "Constraint", "Contact", "ContactPoint",
    "Contour", "Coulomb", "Coupling", "Curve", "Cylinder", "Cylindrical", "Damper", "Delay",
    "Differential", "Disk", "Distance", "Drag", "Edge", "Ellipsoid", "Force", "ForceElement",
    "Frame", "FreeJoint", "Freewheel", "Gear", "Grains", "Ground", "HeightField", "HuntCrossley",
    "Inertia", "Input", "Interpreted", "Joint", "JointFriction", "KelvinVoigt", "LagrangianSystem",
    "LankaraniNikravesh", "Limit", "Line", "Materials", "Mesh", "Model", "Motion", "Motor",
    "MovingFrame", "Multipliers", "Parabola",
    "Part", "PathSpring", "PlanarJoint", "Plane", "PointMass", "Polygon",
    "Polyhedron", "PositionActuator", "Prismatic", "Pulley", "Rack", "Revolute", "Ring", "Rod",
    "Rolling", "Rope", "Rotor", "Sampled", "ScaledInput", "Screw", "Segment", "Sensor", "SetRow",
    "Shape", "Slider", "Sphere", "Spherical", "SplineCurve", "Spring", "Stop", "Stribeck",
    "Submodel", "Surface", "Table", "Torque", "TorsionSpring", "Torus", "Translation", "Tube",
    "UnilateralRow", "Universal", "UserContact", "UserJoint", "UserSet", "VelocityActuator", "Weld",
    "hertz_stiffness", "inertia", "rotation",
]  # fmt: skip
