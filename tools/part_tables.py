"""Write docs/reference/parts.md: every part with its fields, units, defaults and meanings.

    python tools/part_tables.py             # writes the page
    python tools/part_tables.py --check     # exit code 1 if the page is not up to date

Units and defaults come from the part classes; the meanings stand here.
"""

import inspect
import sys
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from cornerlaw.model import Part
from cornerlaw.model.part import PART_TYPES, FieldSpec, field_specs

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "parts.md"

INTRODUCTION = """# Parts, field by field

Generated from the part classes. The fields in bold are positional: the name first, then the
physical operands; everything else is keyword-only. A dash as default means that the field must be
given; "not given" means that the value is free (an initial value is then found by assembly). A unit
with "or" depends on the joint or coordinate. A *signal* is a number, a function of time, a `Table`,
an `Input` or a `Motion`.
"""

GROUPS = (
    ("Bodies", "bodies"),
    ("Many balls", "grains"),
    ("Frames", "frames"),
    ("Contours of the plane", "contours"),
    ("Contours in space", "shapes"),
    ("Contacts", "contact"),
    ("Contact rules", "contact_rules"),
    ("Joints", "joints"),
    ("Constraints", "constraints"),
    ("Couplings", "couplings"),
    ("Forces", "forces"),
    ("Actuators", "actuators"),
    ("Set-valued elements", "corner_elements"),
    ("Sensors and stop conditions", "sensors"),
)

# "Class.field" goes before "field"
MEANINGS = {
    "name": "unique within the model; spaces and dots are allowed",
    "density": "mass over volume",
    "Grains.position": "a row of x, y, z for every ball [m]",
    "Grains.radius": "a number for all, or one for every ball [m]",
    "Grains.velocity": "one row for all, or one for every ball [m/s]",
    "Grains.angular_velocity": "one row for all, or one for every ball [rad/s]",
    # operands
    "first": "first operand: a body, ground or frame",
    "second": "second operand: moves against the first",
    "at": "point in the first operand's frame; its origin if not given",
    "at_second": "point in the second operand's frame; its origin if not given",
    "on": "joint, Rotor or Slider it acts on",
    "Force.on": "body or frame it acts on",
    "Drag.on": "body or frame it acts on",
    "Torque.on": "joint, body, frame, Rotor or Slider it acts on",
    "Rolling.on": "what carries the plane",
    "Force.at": "point of action in the operand's frame",
    "Drag.at": "point of action in the operand's frame",
    "Rolling.at": "centre in the body's frame",
    "Frame.at": "origin in the frame of what it is fixed on",
    "coordinate": "which coordinate, where the joint has several",
    "points": "operands or (operand, at) pairs along the path",
    # bodies
    "mass": "mass",
    "Rod.mass": "mass of the slender rod, with its exact inertia",
    "inertia": "moment of inertia",
    "Body.inertia": "about the centre of mass: number (planar), 3 moments, 3x3 matrix or `Inertia`",
    "Disk.inertia": "about the centre; m r²/2 if not given",
    "com": "centre of mass in the body frame",
    "radius": "radius",
    "Rack.radius": "displacement per angle",
    "shape": "free data about the shape, kept with the model",
    "position": "initial position of the second joint point in first axes",
    "Body.position": "initial position of the body-frame origin, world axes",
    "PointMass.position": "initial position, world axes",
    "Disk.position": "initial position of the centre, world axes",
    "MovingFrame.position": "signals of time, world axes",
    "Slider.position": "initial position",
    "rotation": "initial rotation of second against first axes: matrix or unit quaternion",
    "Body.rotation": "initial rotation against world axes: angle (planar), matrix or quaternion",
    "Frame.rotation": "rotation against what carries it: angle (planar), matrix or quaternion",
    "velocity": "initial velocity",
    "Body.velocity": "initial velocity of the body-frame origin, world axes",
    "PointMass.velocity": "initial velocity, world axes",
    "Disk.velocity": "initial velocity of the centre, world axes",
    "FreeJoint.velocity": "initial velocity, first axes",
    "Translation.velocity": "initial velocity, first axes",
    "PlanarJoint.velocity": "initial velocity, first's joint axes",
    "angular_velocity": "initial angular velocity, second's joint axes",
    "Body.angular_velocity": "initial angular velocity, world axes; a number in the plane",
    "angle": "initial angle",
    "MovingFrame.angle": "planar: signal of time",
    "angles": "spatial: three signals of time, Cardan angles about x, y, z",
    "spin": "initial angular velocity",
    "speed": "initial speed",
    "M": "mass matrix: constant (n, n), or a function M(q, t)",
    "h": "forces: constant (n), or a function h(q, u, t)",
    "q0": "initial coordinates",
    "u0": "initial velocities",
    "coordinates": "names of the coordinates, q1, q2, ... if not given",
    "ForceElement.coordinates": 'names "joint.coordinate" that the law reads and acts on',
    "Constraint.coordinates": 'names "joint.coordinate" that the function reads',
    "body": "body or frame that rolls",
    "Frame.body": "body, ground, moving frame or frame it is fixed on",
    # contours
    "group": "word that contact rules refer to",
    "material": "word that tables of materials refer to",
    "Ground.normal": "with it the ground is a straight boundary, free on this side",
    "Ground.at": "point on the boundary; the origin if not given",
    "MovingFrame.normal": "with it the frame carries a straight boundary, free on this side",
    "MovingFrame.at": "point on the boundary in the frame's axes; its origin if not given",
    **{
        f"{name}.on": "body, ground, moving frame or frame it sits on"
        for name in (
            *("ContactPoint", "Circle", "Arc", "Line", "Segment", "Polygon"),
            *("Parabola", "Curve", "SplineCurve"),
            *("Plane", "Sphere", "Capsule", "Edge", "Ring", "Cylinder", "Cone", "Ellipsoid", "Box"),
            *("Polyhedron", "Mesh", "Torus", "Tube", "Surface", "HeightField"),
        )
    },
    **{
        f"{name}.at": "centre in the operand's frame; its origin if not given"
        for name in (
            *("Sphere", "Capsule", "Ring", "Cylinder", "Ellipsoid", "Box", "Torus"),
            "HeightField",
        )
    },
    "Plane.at": "a point of the plane in the operand's frame; its origin if not given",
    "Plane.normal": "normal in the operand's frame; the body is below",
    "Cone.at": "centre of its base in the operand's frame; its origin if not given",
    "Polyhedron.at": "origin of its points in the operand's frame; that frame's if not given",
    "Mesh.at": "origin of the mesh in the operand's frame; that frame's if not given",
    **{
        f"{name}.axis": "direction of its axis in the operand's frame"
        for name in ("Capsule", "Ring", "Cylinder", "Cone", "Torus")
    },
    **{
        f"{name}.rotation": "its axes in the operand's frame: matrix or unit quaternion"
        for name in ("Ellipsoid", "Box", "Polyhedron", "Mesh")
    },
    "Capsule.length": "length of its axis, between the half spheres",
    "Cylinder.length": "length along its axis",
    "Cone.height": "height of the apex over the base",
    "Ellipsoid.axes": "half axes along its x, y and z",
    "size": "full lengths along its x, y and z",
    "HeightField.size": "full lengths along x and y",
    "Polyhedron.vertices": "points in its own axes; it is their convex hull",
    "source": "file or `trimesh` object; the triangles are kept",
    "scale": "metres per length in the mesh",
    "decompose": "True: cut a mesh that is not convex into convex pieces",
    "section": "radius of the disc that is led round",
    "Tube.points": "points of its centre line in the operand's frame",
    "Surface.function": "function of s, t that returns (x, y, z) in the operand's frame",
    "Surface.s": "first and last value of the first parameter",
    "t": "first and last value of the second parameter; \\(r_s \\times r_t\\) points outwards",
    "closed_s": "True: the end of s is joined to its beginning",
    "closed_t": "True: the end of t is joined to its beginning",
    "heights": "heights over a grid, rows along x",
    "ContactPoint.at": "the point in the operand's frame; its origin if not given",
    "Circle.at": "centre in the operand's frame; its origin if not given",
    "Arc.at": "centre in the operand's frame; its origin if not given",
    "Line.at": "a point of the line in the operand's frame; its origin if not given",
    "Line.normal": "normal in the operand's frame; the body is below",
    "Parabola.at": "apex in the operand's frame; its origin if not given",
    "Parabola.axis": "direction in which it opens, in the operand's frame",
    "inside": "True: the body is outside, the contour is touched from inside",
    "start": "first point in the operand's frame",
    "end": "last point in the operand's frame",
    "Arc.start": "angle of the first point",
    "Arc.end": "angle of the last point, counter-clockwise from the first",
    "two_sided": "True: a thin plate; else touched from the left of start to end",
    "vertices": "points in the operand's frame, convex, counter-clockwise",
    "curvature": "curvature at the apex",
    "width": "extent across the axis; endless if not given",
    "Curve.function": "function of s that returns (x, y) in the operand's frame",
    "s": "first and last value of the parameter; the body is on the left of growing s",
    "closed": "True: the end is joined to the beginning",
    "SplineCurve.points": "points in the operand's frame; the body is on the left",
    # contacts
    "Contact.first": "contour, or Disk, PointMass, Ground or MovingFrame with a normal",
    "Contact.second": "the other one; the normal points from here to the first",
    "Contact.name": 'called "first-second" if not given',
    **{
        f"{name}.{field}": text
        for name in ("Contact", "AllContacts")
        for field, text in (
            ("mu", "coefficient, `Coulomb`, `Stribeck`, or Table or function of the sliding speed"),
            ("eps_N", "normal restitution, or a Table or function of the approach speed"),
            ("eps_T", "tangential restitution"),
            ("eps_speed", "approach speed below which both restitutions are zero"),
            ("normal", "`KelvinVoigt`, `HuntCrossley`, `LankaraniNikravesh`; rigid if not given"),
        )
    },
    "surface_speed": "speed of the second's surface along the tangent: signal of time",
    "mu_across": "in space: friction coefficient across `tangent`, an ellipse with mu along it",
    "tangent": "in space: direction of mu and surface_speed, in the axes of the body below",
    "tangent_on": "contour that carries the direction: first or second",
    "drilling": "in space: radius of resistance to turning about the normal, coupled with sliding",
    "rolling": "in space: arm of resistance to rolling",
    "among": "names of parts, bodies or groups that take part; all if not given",
    "against": "names of the others, where pairs are between two sets",
    "except_": "names, and pairs of names, that are left out",
    "joined": "True: bodies that a joint connects may touch as well",
    "pooled": "True: no contact is kept for pairs that are far apart; so above 1000 pairs",
    "materials": "`Materials`: laws of pairs whose parts both have a material",
    # joints
    "orientation": "rotation of the second against the first frame at zero coordinates",
    "Bushing.orientation": "rotation of the axes of the stiffnesses against the first operand",
    "armature": "inertia of a rotor behind `ratio`, counted ratio² times",
    "ratio": "turns of the rotor per turn of the joint",
    "Gear.ratio": "first coordinate = ratio · second coordinate + constant",
    "Motor.ratio": "turns of the motor per turn of the joint",
    "drive": "signal of time, or a dict from coordinate names to signals",
    "locked": "True, or names of coordinates that are held at their initial values",
    "closure": "True: close a loop with this joint",
    "axis": "direction in the first operand's frame",
    "Rolling.axis": "axis of a disc in the body's frame",
    "axes": "world or body axes of the value",
    "Universal.axes": "first axis (fixed in first) and second axis (fixed in second), orthogonal",
    "pitch": "displacement per angle",
    "displacement": "initial displacement",
    "angle_1": "initial first angle",
    "angle_2": "initial second angle",
    "speed_1": "initial first speed",
    "speed_2": "initial second speed",
    "normal": "normal of the plane",
    "Rolling.normal": "normal of the plane; (0, 0, 1), in planar models (0, 1), if not given",
    "kinematics": "function (q, u) returning (R, d, S, bias)",
    "n": "number of coordinates",
    # constraints
    "length": "constant length; the initial one if not given",
    "kind": '"disc", "sphere" or "wheel"',
    "height": "distance of the plane from the origin along the normal",
    "function": "function (q, t) that stays zero",
    "derivatives": '"exact" (traced) or "numerical"',
    "first_joint": "joint, Rotor or Slider",
    "second_joint": "joint, Rotor or Slider",
    "revolute": "joint or Rotor that turns",
    "prismatic": "joint or Slider that slides",
    "carrier": "carrier: mean of left and right",
    "left": "left shaft",
    "right": "right shaft",
    "terms": "(joint or coordinate, coefficient) pairs",
    "constant": "value of the sum; the initial one if not given",
    "Motor.constant": "torque per current, equal to voltage per speed",
    "weights": "strands per segment; 1 each if not given",
    # forces
    "stiffness": "stiffness",
    "Bushing.stiffness": "(x, y, angle) in the plane, 3 + 3 in space [N/m, N m/rad]",
    "damping": "damping",
    "Bushing.damping": "as the stiffness [N s/m, N m s/rad]",
    "rest": "length without force; the initial one if not given",
    "TorsionSpring.rest": "coordinate without force",
    "force": "further tension: f(length, rate), or a Table over length - rest",
    "torque": "further torque: f(q, rate), or a Table over q - rest",
    "value": "signal, or function of (t, q, u) on a joint; number or vector on a body",
    "Force.value": "signals, or one function of t or (t, r, v) that returns the vector",
    "coefficient": "ρ c_d A / 2",
    "wind": "velocity of the air, world axes",
    "frames": "bodies or frames whose motion the law reads and on which it acts",
    "law": "function (t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot)",
    "force_jacobian": "function (t, r, A, v, Omega, q, u, x, p, D) with the derivatives of the law",
    "rows": "names and rows: functions (t, r, A, v, Omega, q, u, p, F, M, Q), or `BilateralRow`, "
    "`UnilateralRow`, `SetRow`",
    "ForceElement.mass": "function (t, r, A, q, p, M) with a mass matrix on v, Omega and u",
    "parameters": "names and numbers, handed over as the array p",
    "states": "names and initial values of the element's own states x",
    "energy": "function (t, r, A, v, Omega, q, u, x, p) returning the stored energy",
    "outputs": "names and functions of the same arguments, recorded as channels",
    "discrete": "names and initial values of states z that change at events only",
    "indicators": "names and functions of the same arguments whose zeros are events",
    "directions": "per indicator 1 (rising), -1 (falling) or 0 (both, the default)",
    "on_event": "function (name, t, r, A, v, Omega, q, u, x, z, p) that may write to u, x and z",
    "delays": "names and `Delay` values, which every function sees as d behind x and z",
    "accept": "function (t, r, A, v, Omega, q, u, x, z, p) after every step that may write to z",
    # actuators
    "voltage": "signal",
    "resistance": "resistance",
    "inductance": "inductance; with 0 the current follows at once",
    "current": "initial current",
    "kp": "force per error",
    "ki": "force per integral of the error",
    "kd": "force per error of the speed",
    "kv": "force per error of the speed",
    "target": "signal",
    "target_speed": "signal",
    "limit": "largest force either way; none if not given",
    "integral": "initial value of the integral",
    # set-valued elements
    "friction": "friction law on every coordinate, loaded by the joint's own reaction force",
    "limits": "stops: lowest and highest value of the only coordinate, or a dict from coordinates",
    "limit_axis": "axis of `swing` (one number, a cone) and `twist` (two) in `limits`",
    "mu": "coefficient of friction: number, friction law, Table or function of the sliding speed",
    "eps_N": "restitution 0 to 1: number, Table or function of the approach speed",
    "eps_T": "restitution of the tangential impulse, 0 to 1",
    "eps_speed": "approach speed below which restitution vanishes",
    "UserContact.on": "part whose coordinates, all in their order, the rows belong to",
    "UserContact.coordinates": 'names "part.coordinate" the rows belong to, instead of `on`',
    "UserContact.gap": "gap at zero coordinates, or a function g(q, t)",
    "UserContact.normal": "coefficients of the gap; left out if gap is a function",
    "UserContact.tangent": "coefficients of the sliding velocity, or a function s(q, t)",
    "surface": "speed of the second surface along the tangent, a signal",
    "JointFriction.on": "joint, Rotor, Slider, LagrangianSystem or free body it acts on",
    "JointFriction.torque": "bound of the friction: signal, or function of (t, q, u)",
    "JointFriction.radius": "radius of the sliding surface, where the coordinate is an angle",
    "load": "normal force: signal, or function of (t, q, u); the joint's reaction if not given",
    "Limit.on": "joint, Rotor, Slider, LagrangianSystem or free body it acts on",
    "Brake.on": "joint, Rotor, Slider, LagrangianSystem or free body it acts on",
    "lower": "lowest value; none if not given",
    "upper": "highest value; none if not given",
    "UserSet.lower": "lowest force: signal, or function of (t, q, u); left out next to upper=0",
    "UserSet.motion": "signal of time that the row follows as far as both ends allow",
    "UserSet.upper": "highest force: signal, or function of (t, q, u); left out next to lower=0",
    "UserSet.constraint": "no force there is reaches the ends: it stands for a constraint",
    "UserSet.coordinates": 'names "part.coordinate" of the row',
    "coefficients": "coefficients of the row",
    "capacity": "largest friction: signal, or function of (t, q, u)",
    "Clutch.first": 'joint, Rotor, Slider or "part.coordinate"',
    "characteristic": "factor of the capacity: number, Stribeck, Table or function of slip speed",
    "Clutch.second": 'joint, Rotor, Slider or "part.coordinate"',
    "Freewheel.first": 'joint, Rotor, Slider or "part.coordinate"',
    "Freewheel.second": "what it may overrun; the inertial frame if not given",
    "direction": "1 or -1: the sense in which the first may be faster",
    "Rope.second": "second operand: a body, ground or frame",
    "Rope.length": "largest distance of the ends",
    "Backlash.first": 'joint, Rotor, Slider or "part.coordinate"',
    "Backlash.second": 'joint, Rotor, Slider or "part.coordinate"',
    "gap": "whole play, from one stop to the other",
    "Backlash.law": "compliant stops: KelvinVoigt or another normal law; None: rigid",
    "UserContact.law": "compliant normal law such as KelvinVoigt; None: rigid",
    "Backlash.ratio": "play of first - ratio · second",
    "centre": "middle of the play",
    # sensors
    "quantity": '"part.quantity"',
    "Stop.quantity": 'a coordinate, a rate, a state, or "t"',
    "expression": "function (t, values), called after the run",
    "of": "the quantities the expression reads",
    "above": "stop when the quantity rises through this value",
    "below": "stop when the quantity falls through this value",
}


def meaning(part: str, field: str) -> str:
    """Return the meaning of a field."""
    return MEANINGS.get(f"{part}.{field}") or MEANINGS[field]


def _unit(spec: FieldSpec) -> str:
    unit = getattr(spec.kind, "unit", "")
    for written, printed in (("|", " or "), ("*", " "), ("^2", "²"), ("^3", "³")):
        unit = unit.replace(written, printed)
    return "" if unit == "1" else unit


def _default(spec: FieldSpec) -> str:
    if spec.default is MISSING:
        return "—"
    if spec.default is None:
        return "not given"
    if isinstance(spec.default, Part):
        return f"`{type(spec.default).__name__}()`"
    return f"`{_number(spec.default)}`"


def _number(value: Any) -> str:
    if isinstance(value, bool | str):
        return repr(value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return f"({', '.join(_number(item) for item in value)})"
    return repr(value)


def _positional(cls: type[Part]) -> set[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    names = {n for n, p in inspect.signature(cls).parameters.items() if p.kind in kinds}
    # parts along a path take their points as positional arguments
    return names | ({"points"} if "operands" in names else set())


def table(cls: type[Part]) -> str:
    """Return the section of one part."""
    name = cls.__name__
    summary = " ".join(inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].split())
    lines = [
        f"### {name}",
        "",
        summary,
        "",
        "| field | unit | default | meaning |",
        "|---|---|---|---|",
    ]
    specs = field_specs(cls)
    positional = _positional(cls)
    # in the order of a call: positional fields first
    ordered = sorted(specs, key=lambda spec: spec.name not in positional)
    for spec in ordered:
        shown = f"**`{spec.name}`**" if spec.name in positional else f"`{spec.name}`"
        text = meaning(name, spec.name).replace("|", "\\|")
        # a name that the part makes itself
        given = inspect.signature(cls).parameters.get(spec.name)
        default = "not given" if given is not None and given.default is None else _default(spec)
        lines.append(f"| {shown} | {_unit(spec)} | {default} | {text} |")
    return "\n".join(lines)


def render() -> str:
    """Return the whole page."""
    blocks = [INTRODUCTION]
    for title, module in GROUPS:
        found = [c for c in PART_TYPES.values() if c.__module__ == f"cornerlaw.model.{module}"]
        blocks += [f"## {title}\n", *(table(cls) + "\n" for cls in found)]
    return "\n".join(blocks)


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    text = render()
    if "--check" in arguments:
        old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        if old != text:
            print(f"{PAGE.name} is not up to date: run python tools/part_tables.py")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
