"""Wrong input: each case raises one clear sentence that names the culprit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pint
import pytest

import cornerlaw as cl

unit = pint.UnitRegistry()

G = cl.Ground()
A = cl.Body("arm", mass=1.0)
B = cl.Body("rod", mass=1.0)
MASS = cl.PointMass("bob", mass=1.0)
HINGE = cl.Revolute("hinge", G, A)
SLIDE = cl.Prismatic("slide", A, B, axis=(1.0, 0.0, 0.0))
SLEEVE = cl.Cylindrical("sleeve", G, A)
ROTOR = cl.Rotor("rotor", inertia=1.0)
SPRING = cl.Spring("spring", G, A, stiffness=1.0)
TORQUE = cl.Torque("torque", HINGE, value=1.0)
CART = cl.MovingFrame("cart", position=(0.0, 0.0, 0.0))
FRAME = cl.Frame("marker", A, at=(0.0, 0.0, 1.0))


def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
    Q[0] = 0.0


Case = tuple[Callable[[], Any], type[Exception], str]

NUMBERS: list[Case] = [
    (lambda: cl.Body("crank", mass=-0.5), cl.ModelError,
     "Body 'crank': mass must be >= 0, got -0.5 kg"),
    (lambda: cl.Body("crank", mass=math.nan), cl.ModelError, "mass must be finite, got nan"),
    (lambda: cl.Body("crank", mass=math.inf), cl.ModelError, "mass must be finite, got inf"),
    (lambda: cl.Body("crank", mass=np.float64("nan")), cl.ModelError, "mass must be finite"),
    (lambda: cl.Body("crank", mass=10**400), cl.ModelError, "mass must be a finite number"),
    (lambda: cl.Body("crank", mass=True), cl.ModelError, "mass must be a number, got True"),
    (lambda: cl.Body("crank", mass=np.True_), cl.ModelError, "mass must be a number, got True"),
    (lambda: cl.Body("crank", mass="1 kg"), cl.ModelError, "mass must be a number, got '1 kg'"),
    (lambda: cl.Body("crank", mass=1 + 2j), cl.ModelError, "mass must be a number, got (1+2j)"),
    (lambda: cl.Body("crank", mass=None), cl.ModelError, "mass must be a number, got None"),
    (lambda: cl.Body("crank", mass=[1.0]), cl.ModelError, "mass must be a number, got [1.0]"),
    (lambda: cl.PointMass("bob", mass=-1.0), cl.ModelError, "PointMass 'bob': mass"),
    (lambda: cl.Disk("ball", mass=1.0, radius=0.0), cl.ModelError,
     "Disk 'ball': radius must be > 0, got 0 m"),
    (lambda: cl.Rotor("r", inertia=-1.0), cl.ModelError, "Rotor 'r': inertia must be >= 0"),
    (lambda: cl.Spring("s", G, A, stiffness=-3.0), cl.ModelError,
     "Spring 's': stiffness must be >= 0, got -3 N/m"),
    (lambda: cl.Distance("d", G, A, length=0.0), cl.ModelError, "Distance 'd': length"),
    (lambda: cl.Rolling("roll", A, radius=-1.0), cl.ModelError, "Rolling 'roll': radius"),
    (lambda: cl.Gear("g", HINGE, ROTOR, ratio=0.0), cl.ModelError, "Gear 'g': ratio must not be 0"),
    (lambda: cl.Screw("s", G, A, pitch=0.0), cl.ModelError, "Screw 's': pitch must not be 0"),
    (lambda: cl.Motor("m", HINGE, voltage=1.0, resistance=0.0, constant=1.0), cl.ModelError,
     "Motor 'm': resistance must be > 0, got 0 ohm"),
    (lambda: cl.PD("pd", HINGE, kp=1.0, limit=-1.0), cl.ModelError, "PD 'pd': limit must be > 0"),
    (lambda: cl.PD("pd", HINGE, kp=math.nan), cl.ModelError, "PD 'pd': kp must be finite"),
]  # fmt: skip

VECTORS: list[Case] = [
    (lambda: cl.Body("crank", com=(1.0,)), cl.ModelError,
     "Body 'crank': com must be 2 or 3 numbers, got 1"),
    (lambda: cl.Body("crank", com=1.0), cl.ModelError, "com must be 2 or 3 numbers, got 1.0"),
    (lambda: cl.Body("crank", com="xy"), cl.ModelError, "com must be 2 or 3 numbers, got 'xy'"),
    (lambda: cl.Body("crank", com=(1.0, math.nan)), cl.ModelError, "com[1] must be finite"),
    (lambda: cl.Body("crank", com=np.zeros((2, 2))), cl.ModelError, "com[0] must be a number"),
    (lambda: cl.Body("crank", com={1.0, 2.0}), cl.ModelError, "com must be 2 or 3 numbers"),
    (lambda: cl.Body("crank", com=(1.0, "2")), cl.ModelError, "com[1] must be a number, got '2'"),
    (lambda: cl.Body("crank", position=(0, 0), velocity=(0, 0, 0)), cl.ModelError,
     "Body 'crank': velocity is spatial (3 components) but position is planar"),
    (lambda: cl.Body("crank", position=(0, 0, 0), angular_velocity=1.0), cl.ModelError,
     "angular_velocity is planar"),
    (lambda: cl.Body("crank", angular_velocity=(1.0, 2.0)), cl.ModelError,
     "angular_velocity must be 3 numbers, got 2"),
    (lambda: cl.Prismatic("p", G, A, axis=(0.0, 0.0)), cl.ModelError,
     "Prismatic 'p': axis must not be the zero vector"),
    (lambda: cl.Revolute("r", G, A, axis=(1.0, 0.0)), cl.ModelError, "axis must be 3 numbers"),
    (lambda: cl.Universal("u", G, A, axes=((1, 0, 0), (1, 1, 0))), cl.ModelError,
     "Universal 'u': axes must be orthogonal"),
    (lambda: cl.Universal("u", G, A, axes=((1, 0, 0),)), cl.ModelError, "axes must be 2 axes"),
    (lambda: cl.Spherical("s", G, A, at=(1.0, 2.0)), cl.ModelError,
     "Spherical 's': at is planar"),
    (lambda: cl.Spherical("s", G, A, rotation=0.3), cl.ModelError,
     "Spherical 's': rotation is planar"),
    (lambda: cl.Bushing("b", G, A, stiffness=(1, 2)), cl.ModelError,
     "Bushing 'b': stiffness must be 3 or 6 numbers"),
    (lambda: cl.Bushing("b", G, A, stiffness=(1, 2, 3), damping=(1,) * 6), cl.ModelError,
     "Bushing 'b': damping is spatial"),
    (lambda: cl.Bushing("b", G, A, stiffness=(1, -2, 3)), cl.ModelError,
     "stiffness must be >= 0 in every component, got -2"),
    (lambda: cl.Force("f", A, value=3.0), cl.ModelError, "Force 'f': value must have 2 or 3"),
    (lambda: cl.Force("f", A, value=(1.0, "2")), cl.ModelError, "Force 'f': value[1] must be a"),
    (lambda: cl.Pulley("p", G, (A, (1, 2)), (B, (1, 2, 3))), cl.ModelError,
     "Pulley 'p': points mixes planar"),
    (lambda: cl.Pulley("p", G, A, weights=(1.0, 2.0)), cl.ModelError,
     "Pulley 'p': weights must have one entry per segment (1), got 2"),
]  # fmt: skip

TENSORS: list[Case] = [
    (lambda: cl.Body("crank", inertia=-1.0), cl.ModelError, "Body 'crank': inertia must be >= 0"),
    (lambda: cl.Body("crank", inertia=(1.0, -1.0, 1.0)), cl.ModelError,
     "Body 'crank': inertia must be positive semidefinite"),
    (lambda: cl.Body("crank", inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]), cl.ModelError,
     "inertia must be positive semidefinite, got the principal moment -1 kg*m^2"),
    (lambda: cl.Body("crank", inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), cl.ModelError,
     "inertia must be symmetric, got 0.5 at (0, 1) and 0 at (1, 0)"),
    (lambda: cl.Body("crank", inertia=(1.0, 1.0, 3.0)), cl.ModelError,
     "inertia violates the triangle inequality"),
    (lambda: cl.Body("crank", inertia=np.eye(2)), cl.ModelError,
     "inertia must be a 3x3 matrix, got 2 rows"),
    (lambda: cl.Body("crank", inertia=[[1, 0, 0], [0, 1], [0, 0, 1]]), cl.ModelError,
     "inertia must be a 3x3 matrix, got 2 numbers in row 1"),
    (lambda: cl.Body("crank", mass=1.0, inertia=cl.inertia.sphere(2.0, 0.1)), cl.ModelError,
     "Body 'crank': mass is 1 kg but its inertia was made for 2 kg"),
    (lambda: cl.Body("crank", inertia="big"), cl.ModelError, "inertia must be a number"),
    (lambda: cl.Body("crank", rotation=(1.0, 1.0, 0.0, 0.0)), cl.ModelError,
     "Body 'crank': rotation must be a unit quaternion, got one of length 1.41421"),
    (lambda: cl.Body("crank", rotation=2 * np.eye(3)), cl.ModelError,
     "rotation must be orthonormal"),
    (lambda: cl.Body("crank", rotation=np.diag([1.0, 1.0, -1.0])), cl.ModelError,
     "rotation must be a rotation, got a reflection"),
    (lambda: cl.Body("crank", rotation=(1.0, 2.0)), cl.ModelError,
     "rotation must be an angle, a quaternion of 4 numbers or a 3x3 matrix"),
    (lambda: cl.inertia.cylinder(1.0, 0.1, 1.0, axis="w"), cl.ModelError,
     "inertia.cylinder: axis must be"),
    (lambda: cl.inertia.box(1.0, (1.0, 2.0)), cl.ModelError, "inertia.box: size must be 3 numbers"),
    (lambda: cl.inertia.sphere(-1.0, 1.0), cl.ModelError, "inertia.sphere: mass must be >= 0"),
    (lambda: cl.inertia.shell(1.0, 1.0, inner=2.0), cl.ModelError, "inertia.shell: inner"),
    (lambda: cl.rotation.about((0.0, 0.0, 0.0), 1.0), cl.ModelError, "rotation.about: axis"),
    (lambda: cl.LagrangianSystem("own", M=((1.0, 2.0), (0.0, 1.0)), q0=(0, 0)), cl.ModelError,
     "LagrangianSystem 'own': M must be symmetric"),
    (lambda: cl.LagrangianSystem("own", M=((1.0, 2.0), (2.0, 1.0)), q0=(0, 0)), cl.ModelError,
     "LagrangianSystem 'own': M must be positive definite"),
    (lambda: cl.LagrangianSystem("own", M=((1.0,),), q0=(0, 0)), cl.ModelError,
     "LagrangianSystem 'own': M must have 2 entries like q0, got 1"),
]  # fmt: skip

UNITS: list[Case] = [
    (lambda: cl.Body("crank", mass=1 * unit.meter), cl.UnitError,
     "Body 'crank': mass has the dimension of [length], expected kg"),
    (lambda: cl.Body("crank", mass=1 * unit.dimensionless), cl.UnitError,
     "mass has the dimension of dimensionless, expected kg"),
    (lambda: cl.Body("crank", com=(1 * unit.kg, 0.0)), cl.UnitError, "com[0] has the dimension of"),
    (lambda: cl.Body("crank", com=np.zeros(3) * unit.kg), cl.UnitError,
     "com has the dimension of [mass], expected m"),
    (lambda: cl.Revolute("h", G, A, angle=1 * unit.meter), cl.UnitError,
     "Revolute 'h': angle has the dimension of [length], expected rad"),
    (lambda: cl.Spring("s", G, A, stiffness=1 * unit("N*m")), cl.UnitError,
     "Spring 's': stiffness has the dimension of"),
    (lambda: cl.PD("pd", HINGE, kp=1 * unit.kg), cl.UnitError, "expected N*m/rad"),
    (lambda: cl.Motor("m", HINGE, voltage=1 * unit.A, resistance=1, constant=1), cl.UnitError,
     "Motor 'm': voltage has the dimension of [current], expected V"),
    (lambda: cl.Force("f", A, value=(1 * unit.kg, 0.0)), cl.UnitError, "Force 'f': value[0]"),
    (lambda: cl.Model(A, gravity=(0.0, 1.0) * unit.m), cl.UnitError,
     "Model: gravity has the dimension of [length], expected m/s^2"),
    (lambda: cl.inertia.rod(1.0, 1 * unit.kg), cl.UnitError, "inertia.rod: length"),
    (lambda: cl.Body("crank", rotation=1 * unit.kg), cl.UnitError, "rotation has the dimension"),
    (lambda: cl.Body("crank", inertia=1 * unit.kg), cl.UnitError, "inertia has the dimension"),
]  # fmt: skip

OPERANDS: list[Case] = [
    (lambda: cl.Spring("s", SPRING, TORQUE), cl.ModelError,
     "Spring 's': first must be a body, ground or frame, got Spring 'spring'"),
    (lambda: cl.Revolute("r", G, ROTOR), cl.ModelError,
     "Revolute 'r': second must be a body, ground or frame, got Rotor 'rotor'"),
    (lambda: cl.Revolute("r", G, 3), cl.ModelError, "Revolute 'r': second must be a body"),
    (lambda: cl.Revolute("r", G, cl.Body), cl.ModelError, "Revolute 'r': second must be a body"),
    (lambda: cl.Revolute("r", A, A), cl.ModelError,
     "Revolute 'r': first and second are the same part Body 'arm'"),
    (lambda: cl.Revolute("r", A, FRAME), cl.ModelError, "are the same part Body 'arm'"),
    (lambda: cl.Revolute("r", "arm", "arm"), cl.ModelError, "are the same part 'arm'"),
    (lambda: cl.Model(A, cl.Revolute("r", "arm", FRAME)), cl.ModelError, "are the same part"),
    (lambda: cl.Weld("w", G, cl.Ground("floor")), cl.ModelError,
     "Weld 'w': neither Ground 'ground' nor Ground 'floor' can move"),
    (lambda: cl.Spring("s", G, CART), cl.ModelError,
     "Spring 's': neither Ground 'ground' nor MovingFrame 'cart' can move"),
    (lambda: cl.Gear("g", A, HINGE, ratio=1.0), cl.ModelError,
     "Gear 'g': first_joint must be a joint, Rotor or Slider, got Body 'arm'"),
    (lambda: cl.Gear("g", HINGE, HINGE, ratio=1.0), cl.ModelError,
     "Gear 'g': first_joint and second_joint are the same part 'hinge'"),
    (lambda: cl.Gear("g", SLEEVE, HINGE, ratio=1.0), cl.ModelError,
     "Gear 'g': first_joint must have one coordinate, Cylindrical 'sleeve' has 2"),
    (lambda: cl.Rack("r", SLIDE, HINGE, radius=1.0), cl.ModelError,
     "Rack 'r': revolute must rotate"),
    (lambda: cl.Torque("t", G, value=1.0), cl.ModelError, "Torque 't': on must be a joint"),
    (lambda: cl.Torque("t", MASS, value=1.0), cl.ModelError,
     "Torque 't': on must be able to rotate"),
    (lambda: cl.Torque("t", cl.Frame("f", G), value=1.0), cl.ModelError,
     "Torque 't': on must be something that moves, got Ground 'ground'"),
    (lambda: cl.Torque("t", HINGE, value=(1, 2, 3)), cl.ModelError,
     "Torque 't': value must be one"),
    (lambda: cl.Torque("t", SLEEVE, value=1.0), cl.ModelError,
     "Torque 't': coordinate must be given, as Cylindrical 'sleeve' has 2 coordinates"),
    (lambda: cl.Torque("t", SLEEVE, value=1.0, coordinate="angel"), cl.UnknownNameError,
     "'angel'; did you mean 'angle'?"),
    (lambda: cl.Torque("t", A, value=1.0, coordinate="angle"), cl.ModelError,
     "Torque 't': coordinate needs a joint"),
    (lambda: cl.Force("f", HINGE, value=(1, 0)), cl.ModelError, "Force 'f': on must be a body"),
    (lambda: cl.Motor("m", A, voltage=1, resistance=1, constant=1), cl.ModelError,
     "Motor 'm': on must be a joint, Rotor or Slider, got Body 'arm'"),
    (lambda: cl.Frame("f", HINGE), cl.ModelError, "Frame 'f': body must be a body, ground"),
    (lambda: cl.Pulley("p", A), cl.ModelError, "Pulley 'p': points must name at least 2"),
    (lambda: cl.Pulley("p", A, FRAME), cl.ModelError, "Pulley 'p': all its points are on the same"),
    (lambda: cl.PathSpring("p", A, SPRING), cl.ModelError, "PathSpring 'p': points[1] must be a"),
    (lambda: cl.Coupling("c", terms=((SLEEVE, 1.0),)), cl.ModelError,
     "Coupling 'c': terms[0] is Cylindrical 'sleeve' with 2 coordinates"),
    (lambda: cl.Coupling("c", terms=((HINGE, 0.0),)), cl.ModelError,
     "terms[0] has the coefficient"),
    (lambda: cl.Coupling("c", terms=(HINGE,)), cl.ModelError, "Coupling 'c': terms[0] must be"),
]  # fmt: skip

CHOICES: list[Case] = [
    (lambda: cl.Body(""), cl.ModelError, "Body: name must be a non-empty string, got ''"),
    (lambda: cl.Body(3), cl.ModelError, "Body: name must be a non-empty string, got 3"),
    (lambda: cl.Body("a/b"), cl.ModelError, 'name must not contain "/"'),
    (lambda: cl.Body(" a"), cl.ModelError, "name must be printable and without blanks"),
    (lambda: cl.Body("crank", mas=1.0), cl.UnknownNameError,
     "Body 'crank' has no field 'mas'; did you mean 'mass'?"),
    (lambda: cl.Body(), cl.ModelError, "Body: name must be given"),
    (lambda: cl.Body("crank", 1.0), cl.ModelError, "Body 'crank' takes 1 arguments without a name"),
    (lambda: cl.Revolute("r", G), cl.ModelError, "Revolute 'r': second must be given"),
    (lambda: cl.Prismatic("p", G, A), cl.ModelError, "Prismatic 'p': axis must be given"),
    (lambda: cl.Spring("s", G, A, first=B), cl.ModelError, "Spring 's': first is given twice"),
    (lambda: cl.Table((0, 1)), cl.ModelError, "Table: y must be given"),
    (lambda: cl.Model(A, gravty=(0, 0)), cl.UnknownNameError, "did you mean 'gravity'?"),
    (lambda: cl.Pulley("p", G, A, lenght=1.0), cl.UnknownNameError, "did you mean 'length'?"),
    (lambda: cl.Joint("j", G, A), cl.ModelError, "Joint is a family of parts"),
    (lambda: cl.Force("f", A, value=(1, 0), axes="wordl"), cl.ModelError,
     'Force \'f\': axes must be "world" or "body", got \'wordl\''),
    (lambda: cl.Revolute("r", G, A, closure=1), cl.ModelError, "closure must be True or False"),
    (lambda: cl.Revolute("r", G, A, locked=3), cl.ModelError, "locked must be True, False or"),
    (lambda: cl.Revolute("r", G, A, locked=("angel",)), cl.UnknownNameError,
     "Revolute 'r': locked names no coordinate 'angel'; did you mean 'angle'?"),
    (lambda: cl.Revolute("r", G, A, drive={"speed": 1.0}), cl.UnknownNameError,
     "Revolute 'r': drive names no coordinate 'speed'"),
    (lambda: cl.Revolute("r", G, A, drive=1.0, locked=True), cl.ModelError,
     "Revolute 'r': angle cannot be both driven and locked"),
    (lambda: cl.Cylindrical("c", G, A, drive=1.0), cl.ModelError,
     "Cylindrical 'c': drive must be a dict"),
    (lambda: cl.Revolute("r", G, A, drive="sin"), cl.ModelError,
     "drive must be a number, function"),
    (lambda: cl.Weld("w", G, A, drive=1.0), cl.ModelError, "Weld 'w': drive must be a dict"),
    (lambda: cl.Cylindrical("c", G, A, armature=1.0), cl.ModelError,
     "Cylindrical 'c': armature needs a joint with one coordinate"),
    (lambda: cl.Constraint("c", 3.0, coordinates=("hinge.angle",)), cl.ModelError,
     "Constraint 'c': function must be a function, got 3.0"),
    (lambda: cl.Constraint("c", law, coordinates=()), cl.ModelError, "coordinates must name at"),
    (lambda: cl.ForceElement("e", law="law"), cl.ModelError, "ForceElement 'e': law must be a"),
    (lambda: cl.ForceElement("e", law=law, parameters={"k": "1"}), cl.ModelError,
     "ForceElement 'e': parameters[k] must be a number"),
    (lambda: cl.ForceElement("e", law=law, parameters=[1.0]), cl.ModelError,
     "ForceElement 'e': parameters must be a dict"),
    (lambda: cl.UserJoint("u", G, A, kinematics=law, n=0), cl.ModelError,
     "UserJoint 'u': n must be a positive whole number, got 0"),
    (lambda: cl.UserJoint("u", G, A, kinematics=law, n=2, q0=(1.0,)), cl.ModelError,
     "UserJoint 'u': q0 must have n = 2 entries, got 1"),
    (lambda: cl.Table((0, 1), (0, 1, 2)), cl.ModelError, "Table: y must have as many points as x"),
    (lambda: cl.Table((0, 1, 1), (0, 1, 2)), cl.ModelError, "Table: x must be strictly increasing"),
    (lambda: cl.Table((0,), (0,)), cl.ModelError, "Table: x must have at least 2 points"),
    (lambda: cl.Table((0, 1), (0, math.nan)), cl.ModelError, "Table: y[1] must be finite"),
    (lambda: cl.Table((0, 1), (0, 1), kind="quintic"), cl.ModelError, "Table: kind must be"),
    (lambda: cl.Input("u", value=math.inf), cl.ModelError, "Input 'u': value must be finite"),
    (lambda: cl.Motion(1.0), cl.ModelError, "Motion: position must be a function, got 1.0"),
    (lambda: cl.MovingFrame("m", angle=1.0, angles=(0, 0, 0)), cl.ModelError,
     "MovingFrame 'm': give angle (planar) or angles (spatial), not both"),
    (lambda: cl.MovingFrame("m", position=(0, 0, 0), angle=1.0), cl.ModelError,
     "MovingFrame 'm': angle is planar but position has 3"),
    (lambda: cl.Sensor("s"), cl.ModelError, "Sensor 's': give either a quantity or an expression"),
    (lambda: cl.Sensor("s", expression=law), cl.ModelError, "Sensor 's': of must name"),
    (lambda: cl.Stop("s", "arm.position"), cl.ModelError, "Stop 's': give above, below or both"),
    (lambda: cl.Stop("s", "arm.position", above=1, below=2), cl.ModelError, "Stop 's': below must"),
]  # fmt: skip


def _submodel() -> Any:
    inner = cl.Body("wheel", mass=1.0)
    axle = cl.Revolute("axle", G, inner)
    return cl.Model(
        cl.Submodel(inner, axle, prefix="left"), cl.Spring("s", G, inner, stiffness=1.0)
    )


def _deep_frames() -> Any:
    frame: Any = cl.Body("b", mass=1.0)
    parts = [frame]
    for k in range(3000):
        frame = cl.Frame(f"f{k}", frame)
        parts.append(frame)
    return cl.Model(parts[0], parts[-1])


def _two_inputs() -> Any:
    return cl.Model(
        cl.Torque("t1", ROTOR, value=cl.Input("u", 1.0)),
        cl.Torque("t2", ROTOR, value=cl.Input("u", 2.0)),
    )


MODEL = cl.Model(HINGE, SLIDE, gravity=(0.0, 0.0, -9.81))

MODELS: list[Case] = [
    (lambda: cl.Model(cl.Body("crank"), cl.Body("crank")), cl.DuplicateNameError, "'crank'"),
    (lambda: cl.Model(A, A), cl.DuplicateNameError, "Body 'arm' is passed twice"),
    (lambda: cl.Model(A, cl.Spring("arm", G, A)), cl.DuplicateNameError, "by Body and by Spring"),
    (lambda: cl.Model(HINGE, cl.Spring("s", G, cl.Body("arm", mass=2.0))), cl.DuplicateNameError,
     "Spring 's' refers to a Body named 'arm'"),
    (lambda: cl.Model(cl.Spring("s", G, A)), cl.ModelError,
     "Body 'arm' is attached to nothing: only Spring 's' uses it"),
    (lambda: cl.Model(FRAME), cl.ModelError, "Body 'arm' is attached to nothing"),
    (lambda: cl.Model(cl.Rod("r", G, MASS)), cl.ModelError,
     "PointMass 'bob' is attached to nothing"),
    (lambda: cl.Model([A, B]), cl.ModelError, "Model: must consist of parts"),
    (lambda: cl.Model(cl.Body), cl.ModelError, "write Body(...)"),
    (lambda: cl.Model("arm"), cl.ModelError, "Model: must consist of parts, got 'arm'"),
    (lambda: cl.Model(A, cl.Stop("s", "arm.x", above=1)), cl.ModelError,
     "Stop 's' belongs to simulate(stop=...)"),
    (lambda: cl.Model(A, gravity=9.81), cl.ModelError, "Model: gravity must be 2 or 3 numbers"),
    (lambda: cl.Model(A, gravity=(0, 0, math.nan)), cl.ModelError, "Model: gravity[2] must be"),
    (lambda: cl.Model(A, coordinates="polar"), cl.ModelError, "Model: coordinates must be"),
    (lambda: cl.Model(HINGE, cl.Torque("t", "hing", value=1.0)), cl.UnknownNameError,
     "Torque 't' refers to a part that does not exist: 'hing'; did you mean 'hinge'?"),
    (lambda: cl.Model(HINGE, cl.Torque("t", "arm", value=(1, 0, 0), coordinate="angle")),
     cl.ModelError, "Torque 't': coordinate needs a joint"),
    (lambda: cl.Model(HINGE, cl.Gear("g", "hinge", "arm", ratio=1.0)), cl.ModelError,
     "Gear 'g': second_joint must be a joint"),
    (lambda: cl.Model(HINGE, cl.Sensor("s", "amr.position")), cl.UnknownNameError,
     "Sensor 's': quantity: the model has no part named 'amr'; did you mean 'arm'?"),
    (lambda: cl.Model(HINGE, cl.Coupling("c", terms=(("hinge.angel", 1.0),))), cl.UnknownNameError,
     "Coupling 'c': terms: Revolute 'hinge' has no coordinate 'angel'; did you mean 'angle'?"),
    (lambda: cl.Model(HINGE, cl.Constraint("c", law, coordinates=("ground.x",))),
     cl.UnknownNameError, "Constraint 'c': coordinates: Ground 'ground' has no coordinates"),
    (lambda: cl.Model(HINGE, SLIDE, gravity=(0.0, -9.81)), cl.ModelError,
     "Prismatic 'slide': axis is spatial, but the model is planar by its gravity"),
    (lambda: cl.Model(cl.Body("flat", position=(0, 0)), CART), cl.ModelError,
     "MovingFrame 'cart': position is spatial, but the model is planar by its Body 'flat'"),
    (lambda: cl.Model(cl.Disk("d", mass=1, radius=1), gravity=(0, 0, -9.81)), cl.ModelError,
     "Disk 'd': Disk is planar, but the model is spatial"),
    (lambda: cl.Model(cl.Frame("a", "b"), cl.Frame("b", "a")), cl.ModelError, "a -> b -> a"),
    (_two_inputs, cl.DuplicateNameError, "Input 'u' has the value 2, elsewhere 1"),
    (_deep_frames, cl.ModelError, "refer to each other in too long a chain"),
    (_submodel, cl.ModelError, "there it must be named 'left.wheel'"),
    (lambda: cl.Submodel(A, prefix="a/b"), cl.ModelError, 'prefix must not contain "/"'),
    (lambda: cl.Submodel(3), cl.ModelError, "Submodel: must consist of parts, got 3"),
    (lambda: MODEL.part("hing"), cl.UnknownNameError, "'hing'; did you mean 'hinge'?"),
    (lambda: MODEL.part("xyz"), cl.UnknownNameError, "there is"),
    (lambda: MODEL.replace({"amr.mass": 1.0}), cl.UnknownNameError, "did you mean 'arm'?"),
    (lambda: MODEL.replace({"arm.mas": 1.0}), cl.UnknownNameError, "did you mean 'mass'?"),
    (lambda: MODEL.replace({"arm.mass": -1.0}), cl.ModelError, "Body 'arm': mass must be >= 0"),
    (lambda: MODEL.replace(arm=3.0), cl.ModelError, "replace: 'arm' is a part, got 3.0"),
    (lambda: MODEL.replace(arm=cl.Spring("arm", G, B)), cl.ModelError, "second must be a body"),
    (lambda: MODEL.replace(amr=A), cl.UnknownNameError, "did you mean 'arm'?"),
    (lambda: MODEL.replace({"arm": A, "arm.mass": 1.0}), cl.ModelError, "by single values"),
    (lambda: MODEL.replace(hinge=cl.Revolute("hinge", G, cl.Body("arm", mass=5.0))),
     cl.DuplicateNameError, "replace 'arm' as well"),
    (lambda: MODEL.replace({"arm.shape.size": 1.0}), cl.UnknownNameError, "has no entry 'size'"),
    (lambda: A.replace(mas=1.0), cl.UnknownNameError, "Body 'arm' has no field 'mas'"),
]  # fmt: skip

CASES = [*NUMBERS, *VECTORS, *TENSORS, *UNITS, *OPERANDS, *CHOICES, *MODELS]


@pytest.mark.trust("TR-N-14", "TR-N-15")
@pytest.mark.parametrize(("make", "kind", "fragment"), CASES, ids=[c[2][:60] for c in CASES])
def test_wrong_input(
    make: Callable[[], Any], kind: type[Exception], fragment: str, record_property: Any
) -> None:
    with pytest.raises(cl.CornerlawError) as caught:
        make()
    message = str(caught.value)
    record_property("message", message)
    assert type(caught.value) is kind
    assert fragment in message
    # one sentence on one line, of readable length
    assert "\n" not in message
    assert len(message) < 250


def test_the_table_is_long_enough() -> None:
    print(f"{len(CASES)} wrong inputs")
    assert len(CASES) >= 150


def test_units_follow_the_joint():
    """A quantity must fit the coordinate it acts on: N*m and rad on a hinge, N and m on a slide."""
    import pint

    u = pint.UnitRegistry()
    body = cl.Body("arm", mass=1.0, inertia=1.0)
    hinge = cl.Revolute("hinge", cl.Ground(), body)
    slide = cl.Prismatic("slide", cl.Ground(), body, axis=(1.0, 0.0))
    assert cl.Torque("t", hinge, value=2.0 * u.N * u.cm).value == pytest.approx(0.02)
    assert cl.Torque("t", slide, value=2.0 * u.kN).value == pytest.approx(2000.0)
    for make in (
        lambda: cl.Torque("t", hinge, value=3.0 * u.N),
        lambda: cl.Torque("t", slide, value=3.0 * u.N * u.m),
        lambda: cl.TorsionSpring("s", hinge, stiffness=3.0 * u.N / u.mm),
        lambda: cl.PD("c", hinge, kp=3.0 * u.N / u.m),
        lambda: cl.Revolute("j", cl.Ground(), body, drive=30.0 * u.mm),
    ):
        with pytest.raises(cl.UnitError, match="expected"):
            make()
