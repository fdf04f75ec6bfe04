"""The channels of a run: which quantities each part has, and how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cornerlaw.arrays import corner_work as codes
from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import MOTION_SLIDE, MOTION_SPIN
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.rows import Row
from cornerlaw.errors import CompileError, UnknownNameError
from cornerlaw.model import UserContact
from cornerlaw.results import Channel, ChannelTable
from cornerlaw.simulate.assembly import quaternion_of
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.loop_motion import Slide, Spin, loop_results
from cornerlaw.simulate.pool import pooled_pair
from cornerlaw.simulate.pooled_channels import PATCH, add_pooled
from cornerlaw.simulate.system import System

XYZ = ("x", "y", "z")
QUATERNION = ("e0", "e1", "e2", "e3")
DRIVE_MOMENT = "moment of the prescribed rotation on the second operand, in its joint axes"
IMPULSE = "impulse since the row before; event-driven: of impacts only"
WHOLE = "of all bodies and rods with mass"
# elements that store energy; a Damper is a spring without stiffness and stores none
STORING = (kinds.SPRING, kinds.TORSION_SPRING, kinds.PATH_SPRING, kinds.BUSHING)
ANGLES = (kinds.ROW_ANGLE, kinds.ROW_UNIVERSAL, kinds.ROW_SWING, kinds.ROW_TWIST)
Compute = Callable[[Evaluation], Floats]


class ChannelBook:
    """Channels of a system in a fixed order, each with its rule."""

    def __init__(self, system: System, touches: Floats | None = None) -> None:
        self.system, self.dim = system, system.model.dim
        self._touches = touches
        self.channels: list[Channel] = []
        self.rules: dict[str, Compute] = {}
        self.parts: list[str] = []
        self._build()

    def table(self) -> ChannelTable:
        """Return the channel table for a Solution."""
        pooled = self.system.compiled.pool is not None
        return ChannelTable(self.channels, self.parts, self._never_touched if pooled else None)

    def _never_touched(self, name: str) -> str:
        """Return a sentence about a pair of the pool without results, nothing for other names."""
        found = pooled_pair(self.system, name)
        return f"The contours of '{found}' never touched in this run." if found else ""

    def evaluate(self, evaluation: Evaluation, names: Sequence[str]) -> Mapping[str, Floats]:
        """Compute channels by name."""
        return {name: np.ascontiguousarray(self.rules[name](evaluation)) for name in names}

    def _add(
        self,
        part: str,
        quantity: str,
        unit: str,
        rule: Compute,
        components: tuple[str, ...] = (),
        shape: tuple[int, ...] | None = None,
        description: str = "",
    ) -> None:
        name = f"{part}.{quantity}" if quantity else part
        if name in self.rules:
            return
        if shape is None:
            shape = (len(components),) if components else ()
        if part not in self.parts and quantity:
            self.parts.append(part)
        self.channels.append(Channel(name, unit, shape, components, description))
        self.rules[name] = rule

    def add(
        self, part: str, quantity: str, unit: str, rule: Compute, description: str,
        components: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """Add a channel unless there is one of that name."""
        self._add(part, quantity, unit, rule, components, None, description)

    def add_vector(
        self, part: str, quantity: str, unit: str, rule: Compute, description: str
    ) -> None:
        """Add a vector of the model's dimension."""
        self._vector(part, quantity, unit, rule, description)

    def _vector(self, part: str, quantity: str, unit: str, rule: Compute, description: str) -> None:
        """Add a vector of the model's dimension; rules give three components."""
        d = self.dim
        self._add(part, quantity, unit, lambda e: rule(e)[:, :d], XYZ[:d], None, description)

    def _axial(self, part: str, quantity: str, unit: str, rule: Compute, description: str) -> None:
        """Add an axial vector: a number in the plane."""
        if self.dim == 2:
            self._add(part, quantity, unit, lambda e: rule(e)[:, 2], description=description)
        else:
            self._add(part, quantity, unit, rule, XYZ, None, description)

    def _build(self) -> None:
        model, c = self.system.model, self.system.compiled
        for part in model.parts:
            if part.name in c.markers:
                self._add_marker(part.name, c.markers[part.name])
        for i, node in enumerate(c.tree.nodes):
            if node.body is not None and node.body.ROLE == "body":
                self._add_body_energy(node.body.name, i)
        for i, node in enumerate(c.tree.nodes):
            # a free body has no joint: its coordinates are its position and angle
            if node.joint is not None:
                self._add_coordinates(node.joint.name, i)
                self._add_tree_joint(node.joint.name, i)
                armature = c.arrays.tree.armature[c.numbering.u_start[i] :][:1]
                if node.joint.armature:  # type: ignore[attr-defined]
                    self._add(node.joint.name, "kinetic_energy", "J",
                              _rotor_energies(c.numbering.u_start[i], float(armature[0])),
                              description="of the armature")  # fmt: skip
        for k, block in enumerate(c.blocks):
            self._add_block(block.name)
            self._add(block.name, "kinetic_energy", "J", _block_energies(k))
        for joint in c.tree.closures:
            self._add_closure(joint)
        for constraint in model.constraints:
            self._add_constraint(constraint)
        for k, element in enumerate(c.elements):
            self._add_element(k, element)
        for k, number in enumerate(c.arrays.masses.element):
            self._add(c.elements[number].part, "kinetic_energy", "J", _mass_energies(k),
                      description="of its mass")  # fmt: skip
        for i, row in enumerate(c.rows):
            if row.kind == kinds.ROW_ELEMENT:
                self._add(row.part, "multiplier", "", _multipliers(i),
                          description="force per unit of the row's directions")  # fmt: skip
        for k, corner in enumerate(c.corners):
            self._add_corner(k, corner)
        for contact in model.contacts:
            self._add_contact_sums(contact.name)
        if self._touches is not None:
            add_pooled(self, self._touches)
        for j, (part_name, name) in enumerate(c.x_names):
            self._add(part_name, name, "", _states(j))
        self._add_whole()
        for sensor in model.sensors:
            self._add_sensor(sensor)

    def _add_marker(self, part: str, f: int) -> None:
        vector, axial = self._vector, self._axial
        vector(part, "position", "m", lambda e: e.outputs.r[:, f], "position of the origin")
        vector(part, "velocity", "m/s", lambda e: e.outputs.v[:, f], "velocity of the origin")
        vector(
            part, "acceleration", "m/s^2", lambda e: e.outputs.a[:, f], "acceleration of the origin"
        )
        if self.dim == 2:
            self._add(part, "angle", "rad", lambda e: e.frame_angle(f), description="angle")
        else:
            self._add(part, "quaternion", "1", lambda e: _quaternions(e.outputs.A[:, f]),
                      QUATERNION, None, "body axes to world axes")  # fmt: skip
            names = tuple(f"{a}{b}" for a in XYZ for b in XYZ)
            self._add(part, "rotation", "1", lambda e: e.outputs.A[:, f], names, (3, 3),
                      "columns are the body axes in world axes")  # fmt: skip
        axial(part, "angular_velocity", "rad/s", lambda e: e.outputs.Omega[:, f], "in world axes")
        axial(
            part,
            "angular_acceleration",
            "rad/s^2",
            lambda e: e.outputs.alpha[:, f],
            "in world axes",
        )

    def _add_body_energy(self, part: str, node: int) -> None:
        self._add(part, "kinetic_energy", "J", lambda e: e.outputs.body_kinetic[:, node])
        self._add(part, "potential_energy", "J", lambda e: e.outputs.body_potential[:, node],
                  description="of the weight, zero at the origin")  # fmt: skip

    def _add_coordinates(self, part: str, node: int) -> None:
        n = self.system.compiled.numbering
        groups: dict[str, list[Any]] = {}
        for coordinate in n.of(part):
            stem = coordinate.name.rpartition("_")[0]
            key = stem if stem in ("position", "rotation") else coordinate.name
            groups.setdefault(key, []).append(coordinate)
        for name, items in groups.items():
            us = [c.u for c in items]
            unit = items[0].unit
            if len(items) == 1 and items[0].q >= 0:
                self._add(part, name, unit, _positions(items[0].q))
                self._add(part, items[0].rate, f"{unit or 1}/s", _velocities(us[0]))
                self._add(part, f"{items[0].rate}_rate", f"{unit or 1}/s^2", _rates(us[0]))
                continue
            labels = XYZ[: len(items)]
            rate = "velocity" if name == "position" else "angular_velocity"
            if items[0].q >= 0:
                self._add(part, name, unit, _positions([c.q for c in items]), labels)
            else:
                start = n.q_start[node + 1] - 4
                self._add(part, "quaternion", "1", _positions(slice(start, start + 4)), QUATERNION)
            self._add(part, rate, f"{unit or 1}/s", _velocities(us), labels)
            self._add(part, f"{rate}_rate", f"{unit or 1}/s^2", _rates(us), labels)

    def _add_tree_joint(self, part: str, node: int) -> None:
        c = self.system.compiled
        self._vector(part, "force", "N", lambda e: e.joint_wrench(node)[0],
                     "force on the second operand, world axes")  # fmt: skip
        self._axial(part, "moment", "N*m", lambda e: e.joint_wrench(node)[1],
                    "moment on the second operand about the joint point, world axes")  # fmt: skip
        driven = [k for k in c.numbering.of(part) if c.arrays.tree.driven[k.u] >= 0]
        turns = [k.u for k in driven if k.q < 0]
        if turns:
            self._add(part, "drive_moment", "N*m", _efforts(turns), XYZ,
                      description=DRIVE_MOMENT)  # fmt: skip
            alone = len(c.numbering.of(part)) == 3
            self._add(part, "drive_power" if alone else "drive_power_rotation", "W",
                      _drive_powers(turns), description="of the drive")  # fmt: skip
        for coordinate in (k for k in driven if k.q >= 0):
            name = (
                "drive_force"
                if len(c.numbering.of(part)) == 1
                else f"drive_force_{coordinate.name}"
            )
            unit = "N" if coordinate.unit == "m" else "N*m"
            self._add(part, name, unit, _efforts(coordinate.u),
                      description="generalised force of the prescribed motion")  # fmt: skip
            power = "drive_power" if name == "drive_force" else f"drive_power_{coordinate.name}"
            self._add(part, power, "W", _drive_powers(coordinate.u), description="of the drive")

    def _add_block(self, part: str) -> None:
        for k in self.system.compiled.numbering.of(part):
            self._add(part, k.name, k.unit, _positions(k.q))
            self._add(part, k.rate, f"{k.unit or 1}/s", _velocities(k.u))
            self._add(part, f"{k.rate}_rate", f"{k.unit or 1}/s^2", _rates(k.u))

    def _rows_of(self, part: str) -> list[int]:
        return [i for i, row in enumerate(self.system.compiled.rows) if row.part == part]

    def _add_closure(self, joint: Any) -> None:
        rows, part = self._rows_of(joint.name), joint.name
        if not rows:
            return
        self._vector(part, "force", "N", lambda e: e.row_wrench(rows)[0],
                     "force on the second operand, world axes")  # fmt: skip
        self._axial(part, "moment", "N*m", lambda e: e.row_wrench(rows)[1],
                    "moment on the second operand about the joint point, world axes")  # fmt: skip
        names = [name for name, _ in joint.COORDINATES]
        compiled = self.system.compiled
        f1, f2 = compiled.rows[rows[0]].frame_1, compiled.rows[rows[0]].frame_2
        for name, unit, rule, n in loop_results(joint, self.dim, f1, f2, rows):
            self._add(part, name, unit, rule, XYZ[:n])
        if "rotation" in names:
            self._add(part, "quaternion", "1", _turned(f1, f2), QUATERNION)
        turns = [i for i in rows if compiled.rows[i].kind == kinds.ROW_ROTATION]
        if turns:
            self._add(part, "drive_moment", "N*m", lambda e: e.drive_moment(turns), XYZ,
                      description=DRIVE_MOMENT)  # fmt: skip
            self._add(part, "drive_power" if len(names) == 1 else "drive_power_rotation", "W",
                      lambda e: e.rotation_power(turns), description="of the drive")  # fmt: skip
        for i in rows:
            label = compiled.rows[i].label
            if label and i not in turns:
                end = "" if names == [label] else f"_{label}"
                unit = "N" if compiled.rows[i].kind == kinds.ROW_POINT else "N*m"
                self._add(part, f"drive_force{end}", unit, _multipliers(i),
                          description="generalised force of the prescribed motion")  # fmt: skip
                self._add(part, f"drive_power{end}", "W", _row_powers(i, compiled.rows[i]),
                          description="of the drive")  # fmt: skip

    def _add_constraint(self, constraint: Any) -> None:
        part, rows = constraint.name, self._rows_of(constraint.name)
        kind = type(constraint).__name__
        if kind in ("Distance", "Rod", "Pulley"):
            self._add(part, "tension", "N", lambda e: -e.outputs.lam[:, rows[0]],
                      description="positive where it pulls")  # fmt: skip
            if kind == "Rod" and constraint.mass > 0.0:
                self._add_rod_energy(constraint, rows[0])
        elif kind == "Rolling":
            self._vector(part, "force", "N", lambda e: e.row_wrench(rows)[0],
                         "contact force on the rolling body, world axes")  # fmt: skip
        else:
            self._add(part, "multiplier", "", lambda e: e.outputs.lam[:, rows[0]],
                      description="force per unit of the constraint's gradient")  # fmt: skip

    def _add_rod_energy(self, rod: Any, i: int) -> None:
        row, mass = self.system.compiled.rows[i], float(rod.mass)
        ends = (row.frame_1, row.frame_2)
        self._add(rod.name, "kinetic_energy", "J", lambda e: e.rod_energy(*ends, mass)[0])
        self._add(rod.name, "potential_energy", "J", lambda e: e.rod_energy(*ends, mass)[1],
                  description="of the weight, zero at the origin")  # fmt: skip

    def _add_element(self, k: int, element: Any) -> None:
        part, kind = element.part, element.kind
        if kind in (kinds.SPRING, kinds.PATH_SPRING):
            self._add(part, "length", "m", lambda e: e.outputs.element_length[:, k])
            self._add(
                part, "tension", "N", lambda e: e.tension(k), description="positive where it pulls"
            )
        elif element.coordinate >= 0:
            unit = self.system.compiled.numbering.coordinates[element.coordinate].unit
            name, unit = ("force", "N") if unit == "m" else ("torque", "N*m")
            self._add(part, name, unit, lambda e: e.outputs.element_effort[:, k])
        elif kind in (kinds.FORCE, kinds.DRAG, kinds.BUSHING):
            self._vector(part, "force", "N", lambda e: e.outputs.element_force[:, k, :3],
                         "force on the (first) body, world axes")  # fmt: skip
        elif kind == kinds.TORQUE_BODY:
            self._axial(
                part, "torque", "N*m", lambda e: e.outputs.element_force[:, k, 3:], "world axes"
            )
        if kind == kinds.BUSHING:
            self._axial(part, "moment", "N*m", lambda e: e.bushing_moment(k),
                        "on the first body about the point of the second, world axes")  # fmt: skip
        if kind in STORING or element.energy_address:
            self._add(part, "energy", "J", lambda e: e.outputs.stored[:, k], description="stored")
        if kind == kinds.MOTOR and not element.states:
            factor = element.data[2] * element.data[3]  # constant times ratio
            self._add(part, "current", "A", lambda e: e.outputs.element_effort[:, k] / factor)
        for name, address in element.outputs:
            self._add(part, name, "", _law_output(k, address))
        self._add(part, "power", "W", lambda e: e.outputs.element_power[:, k],
                  description="power into the mechanical system")  # fmt: skip

    def _add_corner(self, k: int, corner: Any) -> None:
        """Add gap, velocities, forces, impulses and state of a set-valued element."""
        a = self.system.arrays.corners
        part, i, j = corner.label, int(a.row_N[k]), int(a.row_T[k])
        turns = self._corner_turns(corner)
        length, force = ("rad", "N*m") if turns else ("m", "N")
        if i >= 0:
            if not corner.always:
                self._add(part, "gap", length, _corner_gap(i), description="open where positive")
            self._add(part, "gamma_N", f"{length}/s", _corner_gamma(i), description="gap rate")
            self._add(part, "lam_N", force, _corner_force(i), description="normal force")
            self._add(part, "Lambda_N", f"{force}*s", _corner_impulse(i), description=IMPULSE)
        if corner.rotation:
            self._add_rotation_friction(part, j)
        elif int(a.n_T[k]) > 1 or corner.leader >= 0:
            self._add_spatial_friction(k, corner)
        elif j >= 0:
            self._add(part, "gamma_T", f"{length}/s", _corner_gamma(j),
                      description="sliding velocity of the first against the second")  # fmt: skip
            self._add(part, "lam_T", force, _corner_force(j), description="friction force")
            self._add(part, "Lambda_T", f"{force}*s", _corner_impulse(j), description=IMPULSE)
        soft = corner.R > 0.0 and j >= 0
        self._add(part, "state", "", _soft_state(self.system, k, j) if soft else _corner_state(k),
                  description="0 open, 1 closed, 2 slip+, 3 slip-, 4 stick, 5 slip")  # fmt: skip
        slot = int(a.slot[k])
        if slot >= 0 and corner.leader < 0:
            self._vector(part, "normal", "1", lambda e: e.outputs.corner_n[:, slot],
                         "unit normal from the second to the first")  # fmt: skip
            self._vector(part, "point", "m", lambda e: e.outputs.corner_r[:, slot],
                         "contact point on the first")  # fmt: skip

    def _add_rotation_friction(self, part: str, j: int) -> None:
        """Add velocity and moment of friction on a rotation as a whole, in the first's axes."""
        rows, axes, same = [j, j + 1, j + 2], ("x", "y", "z"), np.ones(3)
        where = "of the second against the first, in the joint axes of the first"
        self._add(part, "gamma_T", "rad/s", _corner_vector(_corner_gamma, rows, same),
                  axes, None, f"angular velocity {where}")  # fmt: skip
        self._add(part, "lam_T", "N*m", _corner_vector(_corner_force, rows, same),
                  axes, None, "friction moment on the second, same axes")  # fmt: skip
        self._add(part, "Lambda_T", "N*m*s", _corner_vector(_corner_impulse, rows, same),
                  axes, None, IMPULSE)  # fmt: skip

    def _add_spatial_friction(self, k: int, corner: Any) -> None:
        """Add velocities, forces and impulses of several friction rows.

        Rows of an ellipse and of coupled drilling are scaled; what is shown is not.
        """
        a = self.system.arrays.corners
        part, j, motion = corner.label, int(a.row_T[k]), int(a.motion[k])
        slides = motion == MOTION_SLIDE
        names = ("1", "2") if motion != MOTION_SPIN else ()
        scale = np.array([1.0, a.ratio[k]]) if slides else np.ones(max(len(names), 1))
        length, force = ("m", "N") if slides else ("rad", "N*m")
        what = "sliding velocity" if slides else "relative angular velocity"
        rows = [j + b for b in range(len(scale))]
        self._add(
            part,
            "gamma_T",
            f"{length}/s",
            _corner_vector(_corner_gamma, rows, 1.0 / scale),
            names,
            None,
            f"{what} of the first against the second, along both tangents",
        )
        self._add(part, "lam_T", force, _corner_vector(_corner_force, rows, scale),
                  names, None, "friction on the first along both tangents")  # fmt: skip
        self._add(part, "Lambda_T", f"{force}*s", _corner_vector(_corner_impulse, rows, scale),
                  names, None, IMPULSE)  # fmt: skip
        if slides:
            slot = int(a.slot[k])
            self._vector(part, "tangent", "1", lambda e: e.outputs.corner_t[:, slot],
                         "first unit tangent; the second is normal x tangent")  # fmt: skip
        if slides and int(a.n_T[k]) == 3:
            lever = np.array([float(a.lever[k])])
            self._add(part, "spin", "rad/s", _corner_vector(_corner_gamma, [j + 2], 1.0 / lever),
                      description="relative angular velocity about the normal")  # fmt: skip
            self._add(part, "drilling_torque", "N*m", _corner_vector(_corner_force, [j + 2], lever),
                      description="on the first about the normal")  # fmt: skip

    def _add_contact_sums(self, name: str) -> None:
        """Add the sums of forces and impulses over all places where a pair touches."""
        a = self.system.arrays.corners
        places = [
            (int(a.slot[k]), int(a.row_N[k]), int(a.row_T[k]), int(a.n_T[k]), float(a.ratio[k]))
            for k, corner in enumerate(self.system.compiled.corners)
            if corner.part == name and corner.leader < 0
        ]
        self._vector(name, "force", "N", _contact_sum(places, _corner_force),
                     "on the first, sum over all contact points, world axes")  # fmt: skip
        self._vector(name, "impulse", "N*s", _contact_sum(places, _corner_impulse),
                     "on the first, sum over all contact points; " + IMPULSE)  # fmt: skip
        self._vector(name, "centre_of_pressure", "m", _pressure_centre(places),
                     "mean of the contact points, weighted by normal forces")  # fmt: skip
        self._add(
            name,
            "closed_points",
            "",
            _closed_points(places),
            description="contact points that carry a force: the corners of the patch",
        )
        for quantity, text, extreme in PATCH:
            self._vector(name, quantity, "m", _patch_end(places, extreme), text)

    def _corner_turns(self, corner: Any) -> bool:
        """Tell whether the coordinate of a corner is an angle."""
        row = corner.normal or corner.tangent
        if row is None:
            return False
        if row.kind in ANGLES:
            return True
        if row.kind == kinds.ROW_LINEAR:
            if self._is_lever(corner.part):
                return False
            return bool(self.system.compiled.numbering.coordinates[row.items[0]].unit == "rad")
        return False

    def _is_lever(self, name: str) -> bool:
        """Tell whether the rows of a user's contact have radii: its gap is then a length."""
        part = self.system.model.part(name)
        if not isinstance(part, UserContact) or part.normal is None:
            return False
        return any(abs(c) not in (0.0, 1.0) for c in part.normal)

    def _add_whole(self) -> None:
        self._add("energy", "kinetic", "J", lambda e: e.outputs.kinetic)
        self._add("energy", "potential", "J", lambda e: e.outputs.potential)
        self._add("energy", "total", "J", lambda e: e.outputs.kinetic + e.outputs.potential)
        if self.system.arrays.n_bodies:
            self._vector("system", "centre_of_mass", "m", lambda e: e.centre_of_mass(), WHOLE)
            self._vector("system", "momentum", "N*s", lambda e: e.momentum()[:, :3], WHOLE)
            self._axial("system", "angular_momentum", "N*m*s", lambda e: e.momentum()[:, 3:],
                        f"{WHOLE}, about the origin")  # fmt: skip
        if self.system.arrays.n_rows:
            scale = self.system.arrays.row_scale[: self.system.arrays.n_rows]
            labels = _unique([row.part for row in self.system.compiled.rows])
            self._add("constraints", "position_error", "1", lambda e: e.outputs.g / scale,
                      labels, None, "violation g of every row over the model's size")  # fmt: skip
            self._add("constraints", "velocity_error", "1/s", lambda e: e.outputs.gamma / scale,
                      labels, None, "violation of every row on velocity level")  # fmt: skip

    def _add_sensor(self, sensor: Any) -> None:
        if sensor.quantity is not None:
            known, channel = self._source(sensor.quantity, sensor)
            self._add(sensor.name, "", channel.unit, known, channel.components, channel.shape,
                      f"sensor of {sensor.quantity}")  # fmt: skip
            return
        sources = [self._source(name, sensor)[0] for name in sensor.of]

        def rule(e: Evaluation) -> Floats:
            columns = [source(e) for source in sources]
            try:
                return np.array(
                    [
                        float(sensor.expression(t, tuple(c[k] for c in columns)))
                        for k, t in enumerate(e.t)
                    ]
                )
            except Exception as error:
                raise CompileError(f"{sensor.label}: its expression fails: {error}") from None

        self._add(sensor.name, "", "", rule, description="user expression")

    def _source(self, name: str, sensor: Any) -> tuple[Compute, Channel]:
        """Return rule and channel of a name "part.quantity" or "part.quantity.component"."""
        for channel in self.channels:
            if channel.name == name:
                return self.rules[name], channel
            if name.startswith(channel.name + ".") and channel.components:
                component = name[len(channel.name) + 1 :]
                if component in channel.components:
                    k, base = channel.components.index(component), self.rules[channel.name]
                    single = Channel(name, channel.unit, (), (), channel.description)
                    return _component(base, k), single
        import difflib

        near = difflib.get_close_matches(name, list(self.rules), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UnknownNameError(f"{sensor.label}: there is no quantity {name!r}{hint}")


def _corner_gap(row: int) -> Compute:
    return lambda e: e.outputs.corner_g[:, row]


def _corner_gamma(row: int) -> Compute:
    return lambda e: e.outputs.corner_gamma[:, row]


def _corner_force(row: int) -> Compute:
    return lambda e: e.outputs.corner_lam[:, row]


def _corner_impulse(row: int) -> Compute:
    return lambda e: e.corner_impulses()[:, row]


def _corner_vector(of_row: Callable[[int], Compute], rows: list[int], factor: Floats) -> Compute:
    """Return the scaled values of several rows as columns, of one row as a series."""

    def rule(e: Evaluation) -> Floats:
        columns = [of_row(row)(e) * f for row, f in zip(rows, factor, strict=True)]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    return rule


def _pressures(e: Evaluation, places: list[tuple[int, int, int, int, float]]) -> Floats:
    """Return the normal force of every place."""
    rows = [i for _, i, _, _, _ in places]
    force: Floats = e.outputs.corner_lam[:, rows]
    return force


def _pressure_centre(places: list[tuple[int, int, int, int, float]]) -> Compute:
    def rule(e: Evaluation) -> Floats:
        force = _pressures(e, places)
        points = e.outputs.corner_r[:, [slot for slot, *_ in places]]
        with np.errstate(invalid="ignore", divide="ignore"):
            centre: Floats = np.einsum("tk,tkx->tx", force, points) / force.sum(1)[:, None]
        return centre

    return rule


def _patch_end(places: list[tuple[int, int, int, int, float]], extreme: np.ufunc) -> Compute:
    """Return the least or largest coordinates of the points that carry a force."""

    def rule(e: Evaluation) -> Floats:
        points = e.outputs.corner_r[:, [slot for slot, *_ in places]]
        carries = _pressures(e, places)[:, :, None] > 0.0
        return np.asarray(extreme.reduce(np.where(carries, points, np.nan), axis=1))

    return rule


def _closed_points(places: list[tuple[int, int, int, int, float]]) -> Compute:
    return lambda e: (_pressures(e, places) > 0.0).sum(axis=1).astype(np.float64)


def _contact_sum(
    places: list[tuple[int, int, int, int, float]], of_row: Callable[[int], Compute]
) -> Compute:
    """Return the sum of n x_N + t x_T over places.

    A place is a slot, its normal row, its first tangential row, how many and their ratio.
    """

    def rule(e: Evaluation) -> Floats:
        total = np.zeros((len(e.q), 3))
        for slot, i, j, count, ratio in places:
            n = e.outputs.corner_n[:, slot]
            total += n * of_row(i)(e)[:, None]
            if count > 1:
                t = e.outputs.corner_t[:, slot]
                total += t * of_row(j)(e)[:, None]
                total += np.cross(n, t) * (ratio * of_row(j + 1)(e))[:, None]
            elif j >= 0:
                t = np.column_stack([n[:, 1], -n[:, 0], np.zeros(len(n))])
                total += t * of_row(j)(e)[:, None]
        return total

    return rule


def _corner_state(corner: int) -> Compute:
    return lambda e: e.outputs.status[:, corner].astype(float)


def _soft_state(system: System, corner: int, row: int) -> Compute:
    """Return the state of a corner that yields: it sticks where its force is within the set.

    Between events its force is a known one, and only gamma + R lam tells; time steps have that.
    """

    def rule(e: Evaluation) -> Floats:
        status = e.outputs.status[:, corner].astype(float)
        if e.corners is not None and e.corners.stepping:
            return status
        gamma = _corner_gamma(row)(e)
        yields = system.compiled.corners[corner].R * _corner_force(row)(e)
        slip = gamma + yields
        found = np.where(slip > 0.0, codes.SLIP_PLUS, codes.SLIP_MINUS)
        found[np.abs(slip) <= 1e-9 * (np.abs(gamma) + np.abs(yields))] = codes.STICK
        at = int(system.arrays.rows.active[row])
        off = (status == codes.OPEN) | ((e.x[:, at] <= 0.0) if at >= 0 else False)
        return np.where(off, float(codes.OPEN), found.astype(float))

    return rule


def _positions(index: Any) -> Compute:
    return lambda e: e.q[:, index]


def _velocities(index: Any) -> Compute:
    return lambda e: e.u[:, index]


def _rates(index: Any) -> Compute:
    return lambda e: e.outputs.u_dot[:, index]


def _states(index: int) -> Compute:
    return lambda e: e.x[:, index]


def _efforts(index: Any) -> Compute:
    return lambda e: e.outputs.effort[:, index]


def _drive_powers(index: Any) -> Compute:
    def rule(e: Evaluation) -> Floats:
        power = e.outputs.effort[:, index] * e.u[:, index]
        return np.asarray(power if power.ndim == 1 else power.sum(axis=1))

    return rule


def _multipliers(index: int) -> Compute:
    return lambda e: e.outputs.lam[:, index]


def _row_powers(index: int, row: Row) -> Compute:
    """Return the power of a row that prescribes a coordinate of a loop joint."""
    f1, f2, axis = row.frame_1, row.frame_2, row.axis_1
    motion: Slide | Spin = Spin(f1, f2, 1, 2)
    if row.kind == kinds.ROW_POINT:
        motion = Slide(f1, f2, axis)
    elif row.kind == kinds.ROW_UNIVERSAL:
        motion = Spin(f1, f2, 1 + axis, axis)
    return lambda e: e.outputs.lam[:, index] * motion.rate(e)


def _turned(f1: int, f2: int) -> Compute:
    """Return the quaternion of the second against the first marker."""
    return lambda e: _quaternions(np.einsum("tba,tbc->tac", e.outputs.A[:, f1], e.outputs.A[:, f2]))


def _rotor_energies(index: int, armature: float) -> Compute:
    return lambda e: 0.5 * armature * e.u[:, index] ** 2


def _mass_energies(k: int) -> Compute:
    return lambda e: e.outputs.mass_kinetic[:, k]


def _block_energies(k: int) -> Compute:
    return lambda e: e.outputs.block_kinetic[:, k]


def _law_output(element: int, address: int) -> Compute:
    return lambda e: e.law_output(element, address)


def _component(rule: Compute, k: int) -> Compute:
    """Return the rule of one component of a channel."""
    return lambda e: rule(e).reshape(e.t.size, -1)[:, k]


def _unique(names: list[str]) -> tuple[str, ...]:
    """Number repeated names so that every component has a name of its own."""
    total: dict[str, int] = {}
    for name in names:
        total[name] = total.get(name, 0) + 1
    seen: dict[str, int] = {}
    labels = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        labels.append(f"{name} {seen[name]}" if total[name] > 1 else name)
    return tuple(labels)


def _quaternions(A: Floats) -> Floats:
    """Return quaternions of a series of rotations, continuous in time."""
    e = np.array([quaternion_of(a) for a in A]).reshape(-1, 4)
    for k in range(1, len(e)):
        if e[k] @ e[k - 1] < 0.0:
            e[k] = -e[k]
    return e
