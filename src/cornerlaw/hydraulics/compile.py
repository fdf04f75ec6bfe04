"""From a network to the parts of a model: sliders, force elements, couplings and corners."""

from __future__ import annotations

from typing import Any

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics import laws
from cornerlaw.hydraulics.fluid import Fluid
from cornerlaw.hydraulics.parts import (
    Accumulator,
    CheckValve,
    Cylinder,
    Edge,
    Gap,
    Junction,
    Line,
    Orifice,
    Pump,
    Source,
    WaveLine,
)
from cornerlaw.hydraulics.topology import Coordinate, Topology
from cornerlaw.model import (
    BilateralRow,
    Brake,
    Constraint,
    Coupling,
    ForceElement,
    Freewheel,
    Limit,
    Part,
    Slider,
    Table,
    Torque,
    TorsionSpring,
    UserContact,
    UserSet,
)

GRAVITY = 9.81
_COLUMN = (
    "linear", "forward", "backward", "stiffness", "length", "diameter", "viscosity", "roughness",
    "line_mass",
)  # fmt: skip
_RAMP = 1e-7  # [s] in which a lock closes
# rows of orifices that close: their column stops in an impact, and any force then holds it
_SHUT_BY_TIME = {"shut": BilateralRow(laws.held_column, level="velocity", active=laws.timed_shut)}
_SHUT_BY_MOTION = {"shut": BilateralRow(laws.held_column, level="velocity", active=laws.moved_shut)}
HOLDS = 1e12  # [Pa], of a junction that is a set; far beyond any pressure or impulse over a step


class NetworkCompiler:
    """Expands a network; `model_parts` is what `Model` takes."""

    def __init__(
        self, topology: Topology, fluid: Fluid, parts: list[Any], constraints: bool = True
    ) -> None:
        self.topology, self.fluid, self.parts = topology, fluid, parts
        self.constraints = constraints
        self.made: list[Part] = []

    def model_parts(self) -> tuple[Part, ...]:
        """Return sliders first, then what acts on them."""
        laws.register()
        for c in self.topology.coordinates.values():
            if c.own:
                self.made.append(
                    Slider(c.slider, mass=c.mass, position=c.position, velocity=c.velocity)
                )
        for part in self.parts:
            handler = _PARTS.get(type(part))
            if handler is not None:
                handler(self, part)
        for node in self.topology.nodes.values():
            _NODES[type(node)](self, node)
        return tuple(self.made)

    def coordinate_of(self, name: str, owner: Any) -> str:
        """Return the coordinate of a piston of the network, or of the model around it."""
        for c in self.topology.of(name):
            return c.name
        if "." not in name:
            raise ModelError(f"{owner.label}: {name!r} is no part with a coordinate")
        return name

    def hold(self, name: str, terms: dict[str, float], largest: float) -> None:
        """Append the row sum of terms = 0: a constraint, or a set that holds any force there is."""
        if self.constraints:
            self.made.append(Coupling(name, terms=tuple(terms.items())))
            return
        self.made.append(
            UserSet(
                name, coordinates=tuple(terms), coefficients=tuple(terms.values()),
                lower=-largest, upper=largest, constraint=True,
            )
        )  # fmt: skip

    def push(self, name: str, c: Coordinate, value: Any) -> None:
        """Append a force on a coordinate, a number or a signal."""
        on = c.slider
        self.made.append(Torque(name, on=on, value=value, coordinate=c.name[len(on) + 1 :]))

    def element(self, part: Any, key: str, law: Any, values: dict[str, float], **more: Any) -> None:
        """Append a force element on the column of a part."""
        coordinates = more.pop("coordinates", (f"{part.name}.position",))
        self.made.append(
            ForceElement(
                f"{part.name}.{key}", coordinates=coordinates, law=law, parameters=values,
                states={"taken": 0.0}, **more,
            )
        )  # fmt: skip

    def column(
        self, part: Any, given: dict[str, float], *, coordinates: tuple[str, ...] = ()
    ) -> None:
        """Append the losses of a column, or of the piston with the given coordinate."""
        values = {name: given.get(name, 0.0) for name in _COLUMN}
        values["viscosity"] = self.fluid.viscosity
        more = {"coordinates": coordinates} if coordinates else {}
        self.element(part, "losses", laws.column, values, **more)


def _quadratic(fluid: Fluid, part: Any, opening: float, alpha: float) -> float:
    """Return the force over v |v| of an orifice at the end of a column."""
    return float(0.5 * fluid.density * part.area**3 / (alpha * opening) ** 2)


def _add_line(n: NetworkCompiler, part: Line) -> None:
    fluid = n.fluid
    given = {"forward": 0.5 * fluid.density * part.area * part.zeta}
    given["backward"] = given["forward"]
    if part.friction == "laminar":
        given["linear"] = 32.0 * fluid.dynamic_viscosity * part.length * part.area / (
            part.diameter**2
        )  # fmt: skip
    elif part.friction == "turbulent":
        given |= {
            "length": part.length, "diameter": part.diameter, "roughness": part.roughness,
            "line_mass": fluid.density * part.area,
        }  # fmt: skip
    if any(given.values()):
        n.column(part, given)
    _add_weight(n, part)


def _add_weight(n: NetworkCompiler, part: Line | WaveLine) -> None:
    """Let the oil of a line that rises weigh; of the modes only the rigid one feels it."""
    if part.rise:
        weight = n.fluid.density * GRAVITY * part.rise * part.area
        n.push(f"{part.name}.weight", n.topology.of(part.name)[0], -weight)


def _add_waves(n: NetworkCompiler, part: WaveLine) -> None:
    line = n.topology.lines[part.name]
    _add_weight(n, part)
    for c in n.topology.of(part.name):
        values = dict.fromkeys(_COLUMN, 0.0)
        values["linear"], values["stiffness"] = float(line.D[c.mode]), float(line.K[c.mode])
        values["viscosity"] = n.fluid.viscosity
        n.made.append(
            ForceElement(
                f"{c.slider}.losses", coordinates=(c.name,), law=laws.column, parameters=values,
                states={"taken": 0.0}, energy=laws.stored_in_mode,
            )
        )  # fmt: skip
        # oil under the pressure p_0 pushes out at both ends, where it meets p_A and p_E
        bias = -part.area * part.pressure * float(line.start[c.mode] - line.end[c.mode])
        if bias:
            n.push(f"{c.slider}.prestress", c, bias)


def _add_orifice(n: NetworkCompiler, part: Orifice) -> None:
    fluid, opening = n.fluid, part.opening
    if isinstance(opening, Table) and max(opening.y) == 0.0:
        opening = 0.0
    if isinstance(opening, Table):
        _add_timed(n, part, opening)
    elif isinstance(opening, Edge):
        factor = _quadratic(fluid, part, 1.0, part.alpha)
        largest = min(opening.largest, part.area)
        values = {
            "factor": factor, "smallest": part.smallest * largest, "largest": largest,
            "sign": opening.sign, "overlap": opening.overlap, "width": opening.width,
            "curve": opening.curve,
        }  # fmt: skip
        pair = (f"{part.name}.position", n.coordinate_of(opening.on, part))
        rows = _SHUT_BY_MOTION if opening.closes else {}
        n.element(part, "losses", laws.moved_orifice, values, coordinates=pair, rows=rows)
    elif opening == 0.0:
        n.column(part, {})
        n.hold(f"{part.name}.closed", {f"{part.name}.position": 1.0}, part.holds * part.area)
    else:
        back = opening if part.backward is None else part.backward
        given = {
            "forward": _quadratic(fluid, part, opening, part.alpha),
            "backward": _quadratic(fluid, part, back, part.alpha),
        }
        n.column(part, given)


def _add_timed(n: NetworkCompiler, part: Orifice, opening: Table) -> None:
    """An orifice that opens and closes by time, with a lock where it is closed.

    The lock is a set, which holds within its strength. At an incompressible junction, whose
    pressure would be as high as that where nothing else determines it, it is a switched row.
    """
    smallest = part.smallest * max(opening.y)
    values = {"factor": _quadratic(n.fluid, part, 1.0, part.alpha), "smallest": smallest}
    values["points"] = float(len(opening.x))
    values |= {f"t{k}": t for k, t in enumerate(opening.x)}
    values |= {f"a{k}": a for k, a in enumerate(opening.y)}
    closes = min(opening.y) <= smallest
    ends = (n.topology.nodes[name] for name in (part.first, part.second))
    rigid = n.constraints and any(getattr(end, "kind", "") == "incompressible" for end in ends)
    rows = _SHUT_BY_TIME if closes and rigid else {}
    n.element(part, "losses", laws.timed_orifice, values, rows=rows)
    if closes and not rigid:
        capacity = lock_table(opening, smallest, part.holds * part.area)
        n.made.append(Brake(f"{part.name}.lock", part.name, capacity=capacity))


def lock_table(opening: Table, smallest: float, capacity: float) -> Table:
    """Return the bound of the lock over time: 0 where the orifice is open."""
    spans = _closed_spans(opening, smallest)
    times: list[float] = []
    values: list[float] = []
    for start, end in spans:
        for t, value in ((start, 0.0), (start + _RAMP, 1.0), (end, 1.0), (end + _RAMP, 0.0)):
            if not times or t > times[-1]:
                times.append(t)
                values.append(value * capacity)
    if spans[0][0] <= opening.x[0]:
        values[0] = capacity  # closed from the start
    if spans[-1][1] >= opening.x[-1]:
        values[-1] = capacity  # and to the end
    return Table(times, values)


def _closed_spans(opening: Table, smallest: float) -> list[tuple[float, float]]:
    """Return the intervals in which a table is at most `smallest`."""
    spans: list[tuple[float, float]] = []
    for k in range(1, len(opening.x)):
        t0, t1, a0, a1 = opening.x[k - 1], opening.x[k], opening.y[k - 1], opening.y[k]
        if a0 > smallest and a1 > smallest:
            continue
        cross = t0 if a0 == a1 else t0 + (t1 - t0) * (smallest - a0) / (a1 - a0)
        start = cross if a0 > smallest else t0
        end = cross if a1 > smallest else t1
        if spans and spans[-1][1] >= start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _add_check_valve(n: NetworkCompiler, part: CheckValve) -> None:
    given = {"linear": part.slope * part.area**2}
    if part.opening is not None:
        given["forward"] = _quadratic(n.fluid, part, part.opening, part.alpha)
    n.column(part, given)
    n.made.append(Freewheel(f"{part.name}.seat", part.name))
    if part.preload:
        n.push(f"{part.name}.preload", n.topology.of(part.name)[0], -part.preload * part.area)


def _add_pump(n: NetworkCompiler, part: Pump) -> None:
    """A given motion of the column: a constraint, or a set that follows it in a large network."""
    key, area = f"{part.name}.position", part.area
    if not n.constraints:
        n.made.append(
            UserSet(
                f"{part.name}.drive", coordinates=(key,), coefficients=(1.0,),
                lower=-HOLDS * area, upper=HOLDS * area, motion=_delivered(part),
                constraint=True,
            )
        )  # fmt: skip
        return
    if part.volume is None:
        speed = part.flow / area

        def steady(q: Any, t: Any) -> Any:
            return q[0] - speed * t

        function: Any = steady
    else:
        delivered: Any = part.volume

        def given(q: Any, t: Any) -> Any:
            return q[0] - delivered(t) / area

        function = given
    n.made.append(Constraint(f"{part.name}.drive", function, coordinates=(key,)))


def _delivered(part: Pump) -> Any:
    """Return the displacement of a pump's column over time."""
    if part.volume is None:
        return Table((0.0, 1.0), (0.0, part.flow / part.area), extrapolate="linear")
    delivered, area = part.volume, part.area

    def motion(t: Any) -> Any:
        return delivered(t) / area

    return motion


def _add_gap(n: NetworkCompiler, part: Gap) -> None:
    from cornerlaw.hydraulics.gaps import eccentric_factor

    # without sleeves: a bore that is longer than any piston on one side, and ends with it
    inner = part.inner or (-1e9, 1e9)
    outer = part.outer or (0.0, part.length)
    values = {
        "area": part.area, "height": part.height, "factor": eccentric_factor(part.eccentricity),
        "viscosity": n.fluid.dynamic_viscosity, "inner_from": inner[0], "inner_to": inner[1],
        "outer_from": outer[0], "outer_to": outer[1], "smallest": part.smallest,
        "direction": part.direction,
    }  # fmt: skip
    pair = (f"{part.name}.position", n.coordinate_of(part.on, part))
    n.element(part, "losses", laws.gap, values, coordinates=pair)


def _add_cylinder(n: NetworkCompiler, part: Cylinder) -> None:
    c = n.topology.coordinates[part.on or f"{part.name}.position"]
    coordinate = c.name[len(c.slider) + 1 :]
    if part.lower is not None or part.upper is not None:
        n.made.append(
            Limit(
                f"{part.name}.stop", c.slider, coordinate=coordinate, lower=part.lower,
                upper=part.upper, eps_N=part.eps,
            )
        )  # fmt: skip
    if part.stiffness:
        n.made.append(
            TorsionSpring(
                f"{part.name}.spring", c.slider, coordinate=coordinate, stiffness=part.stiffness
            )
        )
    if part.damping_back is not None:
        both = {"damping": part.damping, "damping_back": part.damping_back}
        n.element(part, "losses", laws.two_dampers, both, coordinates=(c.name,))
    elif part.damping:
        n.column(part, {"linear": part.damping}, coordinates=(c.name,))
    if part.force or part.preload:
        n.push(f"{part.name}.load", c, part.force - part.preload)
    if part.dry:
        n.made.append(
            Brake(f"{part.name}.friction", c.slider, coordinate=coordinate, capacity=part.dry)
        )
    if part.seal:
        node = n.topology.nodes[part.chamber]
        if not isinstance(node, Junction) or node.kind != "cavitating":
            raise ModelError(f"{part.label}: seal needs a cavitating chamber, got {node.label}")


def _add_junction(n: NetworkCompiler, node: Junction) -> None:
    row = n.topology.room[node.name]
    scale = n.topology.reference(node.name)
    terms = {key: value / scale for key, value in row.items()}
    if node.kind == "incompressible":
        n.hold(node.name, terms, HOLDS * scale)
    elif node.kind == "cavitating":
        _add_cavitating(n, node, terms, scale)
    else:
        _add_compressible(n, node, row)


def _add_cavitating(
    n: NetworkCompiler, node: Junction, terms: dict[str, float], scale: float
) -> None:
    """A unilateral row: the void is its gap, the pressure above cavitation its force."""
    start = n.topology.start(node.name)
    extra: dict[str, Any] = {}
    for part in n.parts:
        if isinstance(part, Cylinder) and part.seal and part.chamber == node.name:
            if extra:
                raise ModelError(f"{part.label}: {node.label} has another cylinder with a seal")
            key = part.on or f"{part.name}.position"
            # |F| <= seal * pressure; the row carries pressure * scale
            tangent = tuple(1.0 if k == key else 0.0 for k in terms)
            extra = {"tangent": tangent, "mu": part.seal / scale}
    n.made.append(
        UserContact(
            node.name, coordinates=tuple(terms), gap=(node.void - start) / scale,
            normal=tuple(terms.values()), **extra,
        )
    )  # fmt: skip
    if n.fluid.cavitation:
        _add_pressure(n, node.name, n.fluid.cavitation)


def _add_compressible(n: NetworkCompiler, node: Junction, row: dict[str, float]) -> None:
    chamber = n.topology.chambers[node.name]
    positions = {key: n.topology.coordinates[key].position for key in row}
    inside = sum(chamber.get(key, 0.0) * positions[key] for key in row)
    volume = node.volume + inside
    if not volume > 0.0:
        raise ModelError(
            f"{node.label}: a compressible junction needs a volume > 0, got {volume:g} m^3; "
            "give it one, or make it 'cavitating' or 'incompressible'"
        )
    content = volume / n.fluid.volume(node.pressure)
    inflow = {key: -(value - chamber.get(key, 0.0)) for key, value in row.items()}
    start = sum(inflow[key] * positions[key] for key in row)
    fluid = n.fluid
    values = {
        "volume": node.volume, "content": content - start, "bulk": fluid.bulk, "air": fluid.air,
        "reference": fluid.reference, "polytropic": fluid.polytropic,
        "cavitation": fluid.cavitation,
    }  # fmt: skip
    values |= {f"in {key}": inflow[key] for key in row}
    values |= {f"room {key}": chamber.get(key, 0.0) for key in row}
    n.made.append(
        ForceElement(
            node.name, coordinates=tuple(row), law=laws.junction, parameters=values,
            states={"taken": 0.0}, outputs={"pressure": laws.junction_pressure},
        )
    )  # fmt: skip


def _add_source(n: NetworkCompiler, node: Source) -> None:
    _add_pressure(n, node.name, node.pressure)


def _add_pressure(n: NetworkCompiler, node: str, pressure: Any) -> None:
    """Let a given pressure act on everything at a node."""
    for key, value in n.topology.room[node].items():
        c = n.topology.coordinates[key]
        name = f"{c.slider}.pressure of {node}"
        if isinstance(pressure, Table):
            scaled = Table(
                pressure.x, [value * p for p in pressure.y], pressure.kind, pressure.extrapolate
            )
            n.push(name, c, scaled)
        elif callable(pressure):
            n.push(name, c, _scaled(pressure, value))
        elif pressure:
            n.push(name, c, value * float(pressure))


def _scaled(function: Any, factor: float) -> Any:
    from numba.extending import register_jitable

    register_jitable(function)

    def force(t: float) -> Any:
        return factor * function(t)

    return force


def _add_accumulator(n: NetworkCompiler, node: Accumulator) -> None:
    row = n.topology.room[node.name]
    start = n.topology.start(node.name)
    values = {
        "volume": node.volume - start, "constant": node.pressure * node.volume**node.polytropic,
        "polytropic": node.polytropic,
    }  # fmt: skip
    values |= {f"in {key}": -value for key, value in row.items()}
    n.made.append(
        ForceElement(
            node.name, coordinates=tuple(row), law=laws.accumulator, parameters=values,
            states={"taken": 0.0}, outputs={"pressure": laws.accumulator_pressure},
        )
    )  # fmt: skip


_PARTS: dict[type, Any] = {
    Line: _add_line, WaveLine: _add_waves, Orifice: _add_orifice, CheckValve: _add_check_valve,
    Pump: _add_pump, Gap: _add_gap, Cylinder: _add_cylinder,
}  # fmt: skip
_NODES: dict[type, Any] = {
    Junction: _add_junction, Source: _add_source, Accumulator: _add_accumulator,
}  # fmt: skip
