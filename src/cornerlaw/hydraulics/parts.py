"""What a network is made of: junctions and pressures, and what oil flows through between them.

Everything with `first` and `second` counts its flow from first to second. Pressures are absolute,
unless all of a network are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics.gaps import eccentric_factor
from cornerlaw.hydraulics.openings import seat_coefficients
from cornerlaw.model.values import Table

KINDS = ("incompressible", "cavitating", "compressible")


@dataclass(frozen=True)
class HydraulicPart:
    """A named value; `REFERS` are the fields that name junctions."""

    name: str

    REFERS: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        """The class and name, as error messages show them."""
        return f"{type(self).__name__} {self.name!r}"

    def renamed(self, name: str, refer: Callable[[str], str]) -> HydraulicPart:
        """Return the part under another name, with the names it refers to changed."""
        changes: dict[str, Any] = {
            key: refer(getattr(self, key)) for key in self.REFERS if getattr(self, key)
        }
        return replace(self, name=name, **changes)

    def _positive(self, *names: str) -> None:
        for name in names:
            if not 0.0 < getattr(self, name) < math.inf:
                raise ModelError(f"{self.label}: {name} must be > 0, got {getattr(self, name):g}")

    def _not_negative(self, *names: str) -> None:
        for name in names:
            if not 0.0 <= getattr(self, name) < math.inf:
                raise ModelError(f"{self.label}: {name} must be >= 0, got {getattr(self, name):g}")


@dataclass(frozen=True)
class Junction(HydraulicPart):
    """Where flows meet. (T-21.16) (T-21.18) (T-21.19)

    kind       "incompressible": what flows in flows out, the pressure is the force of this row and
               may have any sign; "cavitating": a void may open at the cavitation pressure, and
               must be filled before pressure returns; "compressible": an elastic `volume`
    volume     of oil at the start, without the chambers of cylinders [m^3]
    pressure   at the start, of a compressible junction [Pa]
    void       at the start, of a cavitating junction [m^3]
    """

    kind: str = "cavitating"
    volume: float = 0.0
    pressure: float = 1e5
    void: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ModelError(f"{self.label}: kind must be one of {', '.join(KINDS)}")
        self._not_negative("volume", "void")
        if self.void and self.kind != "cavitating":
            raise ModelError(f"{self.label}: void belongs to the kind 'cavitating'")


@dataclass(frozen=True)
class Source(HydraulicPart):
    """A pressure that does not depend on the flow: a number, a Table or a function of time [Pa]."""

    pressure: Any = 1e5


@dataclass(frozen=True)
class Accumulator(HydraulicPart):
    """A gas volume that stores oil. (T-21.17)

    volume     of the gas at the start [m^3]
    pressure   at the start [Pa]
    """

    volume: float = 1e-3
    pressure: float = 1e5
    polytropic: float = 1.2

    def __post_init__(self) -> None:
        self._positive("volume", "pressure", "polytropic")


@dataclass(frozen=True)
class Branch(HydraulicPart):
    """A column of oil between two junctions, of the length and diameter that give its inertia."""

    first: str = ""
    second: str = ""
    length: float = 1.0
    diameter: float = 0.01
    flow: float = 0.0  # at the start [m^3/s]

    REFERS: ClassVar[tuple[str, ...]] = ("first", "second")

    def __post_init__(self) -> None:
        self._positive("length", "diameter")
        for key in ("first", "second"):
            if not getattr(self, key):
                raise ModelError(f"{self.label}: {key} must name a junction")
        if self.first == self.second:
            raise ModelError(f"{self.label}: first and second are both {self.first!r}")

    @property
    def area(self) -> float:
        """Cross section of the column [m^2]."""
        return 0.25 * math.pi * self.diameter**2


@dataclass(frozen=True)
class Line(Branch):
    """A pipe of oil that moves as one. (T-21.4)

    friction    "laminar", "turbulent" (Churchill, which includes laminar) or "none"
    roughness   k_s / d
    zeta        losses of bends and steps, over (rho / 2) v^2
    rise        by how much the second end is higher [m]
    """

    friction: str = "laminar"
    roughness: float = 0.0
    zeta: float = 0.0
    rise: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._not_negative("roughness", "zeta")
        if self.friction not in ("laminar", "turbulent", "none"):
            raise ModelError(f"{self.label}: friction must be 'laminar', 'turbulent' or 'none'")


@dataclass(frozen=True)
class WaveLine(Branch):
    """A pipe with waves: `modes` shape functions besides the rigid one. (T-21.14)

    shapes     "harmonic" or "spline"
    pressure   the uniform pressure at which its oil is undeformed [Pa]
    rise       by how much the second end is higher [m]
    """

    modes: int = 8
    shapes: str = "harmonic"
    pressure: float = 0.0
    frequency_dependent: bool = True
    rise: float = 0.0


@dataclass(frozen=True)
class Orifice(Branch):
    """A throttle: dp = (rho / 2) (Q / (alpha A))^2 against the flow. (T-21.3)

    opening    area [m^2]: a number, a Table over time, or an Edge that a coordinate moves
    backward   area for flow from second to first, where it differs: a check valve with a parallel
               throttle is one such smooth element
    smallest   fraction of the largest opening at which it counts as closed
    holds      the pressure that a lock resists [Pa]: of one that closes by time, between junctions
               that are not incompressible or in a large network

    A closed orifice is a constraint: its flow is zero, its pressure of either sign. The smaller an
    opening and the shorter its column, the smaller the steps that follow it: rho L v / (2 dp) is
    the time in which the flow settles.
    """

    opening: Any = 1e-5
    backward: float | None = None
    alpha: float = 0.65
    smallest: float = 1e-2
    holds: float = 1e9

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("alpha", "smallest", "holds")
        if isinstance(self.opening, Table):
            if min(self.opening.y) < 0.0:
                raise ModelError(f"{self.label}: opening must be >= 0, got {min(self.opening.y):g}")
        elif not isinstance(self.opening, Edge) and not self.opening >= 0.0:
            raise ModelError(f"{self.label}: opening must be >= 0, got {self.opening:g} m^2")
        if self.backward is not None and not isinstance(self.opening, float | int):
            raise ModelError(f"{self.label}: backward needs an opening that is a number")

    def renamed(self, name: str, refer: Callable[[str], str]) -> HydraulicPart:
        moved = super().renamed(name, refer)
        if isinstance(self.opening, Edge):
            return replace(moved, opening=self.opening.moved(refer))  # type: ignore[call-arg]
        return moved


@dataclass(frozen=True)
class Edge:
    """A control edge or a seat: area = width s + curve s^2 with s = sign q - overlap >= 0.

    `closes`: at its smallest opening the orifice is a constraint, as one that closes by time is;
    otherwise it goes on leaking through that opening.
    """

    on: str  # a cylinder or ball of the network, or a coordinate "part.coordinate" of the model
    width: float
    curve: float = 0.0
    sign: float = 1.0
    overlap: float = 0.0
    largest: float = 1.0  # [m^2]
    closes: bool = False

    def moved(self, refer: Callable[[str], str]) -> Edge:
        """Return the edge on the renamed part."""
        return replace(self, on=refer(self.on))


@dataclass(frozen=True)
class CheckValve(Branch):
    """A valve that lets oil pass from first to second only. (T-21.20) (T-21.21)

    opening    area of the open valve [m^2]; None: no loss (the ideal valve)
    preload    pressure at which it opens [Pa]
    slope      rise of the pressure with the flow, of its spring [Pa s/m^3]
    """

    opening: float | None = None
    alpha: float = 0.65
    preload: float = 0.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("alpha")
        self._not_negative("preload", "slope")
        if self.opening is not None and not self.opening > 0.0:
            raise ModelError(f"{self.label}: opening must be > 0, got {self.opening:g} m^2")


@dataclass(frozen=True)
class Pump(Branch):
    """A given flow from first to second: `flow` [m^3/s] constant, or `volume`, a function of time.

    `volume` is the oil delivered since the start; its derivatives are derived exactly.
    """

    volume: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Gap(Branch):
    """Leakage along the piston of a cylinder. (T-21.8) (T-21.12)

    `length` and `diameter` are those of the piston, `height` is the width of the gap. The piston
    covers `inner` (from, to) at its position 0, the bore reaches over `outer`; None: `length`,
    wherever the piston is. `direction` is +1 where the piston moves along the gap from first to
    second. A gap of no length is an open passage; `smallest` is the length that its ends add.

    The flow in a gap settles within microseconds, which no motion of a machine notices and every
    step of a run must follow; its oil is made as heavy as it takes to need the time `settling`.
    """

    on: str = ""
    height: float = 30e-6
    eccentricity: float = 0.0
    inner: tuple[float, float] | None = None
    outer: tuple[float, float] | None = None
    direction: float = 1.0
    smallest: float = 1e-4
    settling: float = 1e-5  # [s]

    REFERS: ClassVar[tuple[str, ...]] = ("first", "second", "on")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("height", "smallest")
        self._not_negative("settling")
        if not 0.0 <= self.eccentricity <= 1.0:
            raise ModelError(f"{self.label}: eccentricity must lie between 0 and 1")
        if (self.inner is None) != (self.outer is None):
            raise ModelError(f"{self.label}: give both inner and outer or none")
        if abs(self.direction) != 1.0:
            raise ModelError(f"{self.label}: direction must be 1 or -1")

    @property
    def area(self) -> float:
        """Cross section of the gap [m^2]."""
        return math.pi * (self.diameter + self.height) * self.height

    def mass(self, density: float, dynamic_viscosity: float) -> float:
        """Return the mass of its column [kg], at least what settles in the given time."""
        resistance = 12.0 * dynamic_viscosity * self.length * self.area
        resistance /= self.height**2 * eccentric_factor(self.eccentricity)
        return max(density * self.area * self.length, self.settling * resistance)


@dataclass(frozen=True)
class Cylinder(HydraulicPart):
    """A piston between one or two chambers. (T-21.22) (T-21.24)

    chamber, area            the chamber that pushes it forward, and its area
    rod_chamber, rod_area    the other one, if it is filled with oil
    mass                     of the piston; or `on`, the coordinate of a model it moves with
    lower, upper, eps        stops and their restitution
    stiffness, preload       of a spring that pushes it back
    damping, damping_back    [N s/m], the second one where it differs on the way back
    dry                      friction that does not depend on the pressure [N]
    seal                     friction per pressure of the chamber [N/Pa = m^2], of a cavitating one
    force                    that acts on it besides [N]
    """

    chamber: str = ""
    area: float = 1e-3
    rod_chamber: str = ""
    rod_area: float = 0.0
    mass: float = 1.0
    on: str = ""
    position: float = 0.0
    velocity: float = 0.0
    lower: float | None = None
    upper: float | None = None
    eps: float = 0.0
    stiffness: float = 0.0
    preload: float = 0.0
    damping: float = 0.0
    dry: float = 0.0
    seal: float = 0.0
    force: float = 0.0
    damping_back: float | None = None

    REFERS: ClassVar[tuple[str, ...]] = ("chamber", "rod_chamber")

    def __post_init__(self) -> None:
        self._positive("area", "mass")
        if self.damping_back is not None:
            self._not_negative("damping_back")
        self._not_negative("rod_area", "stiffness", "damping", "dry", "seal")
        if not self.chamber:
            raise ModelError(f"{self.label}: chamber must name a junction")
        if bool(self.rod_chamber) != bool(self.rod_area):
            raise ModelError(f"{self.label}: give both rod_chamber and rod_area or none")


@dataclass(frozen=True)
class Group:
    """Parts that are used together, and again under another name; groups nest.

    Parts of the group "left" are named "left.part". `ports` connects a name that parts of the group
    refer to with one outside.
    """

    name: str
    parts: tuple[Any, ...]
    ports: Mapping[str, str]

    def __init__(self, name: str, *parts: Any, ports: Mapping[str, str] | None = None) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "ports", dict(ports or {}))

    def again(self, name: str, ports: Mapping[str, str] | None = None) -> Group:
        """Return the same group under another name, connected elsewhere."""
        return Group(name, *self.parts, ports=self.ports if ports is None else ports)

    def flat(self) -> list[HydraulicPart]:
        """Return its parts with their names in the surrounding network."""
        inside: list[HydraulicPart] = []
        for item in self.parts:
            inside += item.flat() if isinstance(item, Group) else [item]
        own = {item.name for item in inside}
        for port in self.ports:
            if port in own:
                raise ModelError(f"Group {self.name!r}: the port {port!r} is a part of it")

        def refer(name: str) -> str:
            if name in own:
                return f"{self.name}.{name}"
            return str(self.ports.get(name, name))

        return [item.renamed(f"{self.name}.{item.name}", refer) for item in inside]


def servo_valve(
    name: str,
    *,
    supply: str,
    a: str,
    tank: str,
    b: str,
    spool: Any,
    width: float,
    overlap: float = 0.0,
    alpha: float = 0.65,
    length: float = 0.05,
    diameter: float = 0.01,
    smallest: float = 1e-2,
    closes: bool = False,
) -> Group:
    """Return a 4-way valve as a group of four control edges. (T-21.23)

    `spool` is a Table of its position over time, or the name of a cylinder or coordinate that moves
    it: forward it opens supply to b and a to tank, backward supply to a and b to tank. Edges of a
    Table close to constraints, those of a cylinder or coordinate with `closes`.
    """
    edges = (("1", supply, a, -1.0), ("2", a, tank, 1.0), ("3", tank, b, -1.0))
    return Group(
        name,
        *(
            Orifice(
                key, first, second, length, diameter,
                opening=_edge(spool, sign, overlap, width, closes), alpha=alpha, smallest=smallest,
            )
            for key, first, second, sign in (*edges, ("4", b, supply, 1.0))
        ),
    )  # fmt: skip


def ball_valve(
    name: str,
    *,
    supply: str,
    chamber: str,
    radius: float,
    half_angle: float,
    lift: float,
    stiffness: float,
    preload: float,
    mass: float,
    damping: float = 0.0,
    damping_back: float | None = None,
    length: float = 0.02,
    diameter: float = 4e-3,
    alpha: float = 0.65,
    smallest: float = 1e-2,
    printed: bool = False,
) -> Group:
    """Return a check valve with a spring-loaded ball: parts `ball` and `seat`. (T-21.13)

    The ball of a `radius` [m] lies on a cone of a `half_angle` [rad]; the pressures act on the
    circle where it touches. It lifts by at most `lift`, and its damping may differ on the way back,
    which delays the closing. At its seat the flow is zero by a constraint. `length` and `diameter`
    are those of the bore, `printed` takes the opening as the source prints it.
    """
    circle = math.pi * (radius * math.cos(half_angle)) ** 2
    width, curve = seat_coefficients(radius, half_angle, printed)
    return Group(
        name,
        Cylinder(
            "ball", supply, area=circle, rod_chamber=chamber, rod_area=circle, mass=mass,
            stiffness=stiffness, preload=preload, damping=damping, damping_back=damping_back,
            lower=0.0, upper=lift,
        ),
        Orifice(
            "seat", supply, chamber, length, diameter, opening=Edge("ball", width, curve,
            closes=True), alpha=alpha, smallest=smallest,
        ),
    )  # fmt: skip


def _edge(spool: Any, sign: float, overlap: float, width: float, closes: bool) -> Any:
    if isinstance(spool, Table):
        return clipped(spool, sign, overlap, width)
    return Edge(str(spool), width, sign=sign, overlap=overlap, closes=closes)


def clipped(spool: Table, sign: float, overlap: float, width: float) -> Table:
    """Return width max(0, sign spool - overlap) over time, with a point at every corner."""
    times, values = [spool.x[0]], [sign * spool.y[0] - overlap]
    for k in range(1, len(spool.x)):
        t0, t1 = spool.x[k - 1], spool.x[k]
        s0, s1 = (sign * spool.y[j] - overlap for j in (k - 1, k))
        if s0 * s1 < 0.0:
            times.append(t0 + (t1 - t0) * s0 / (s0 - s1))
            values.append(0.0)
        times.append(t1)
        values.append(s1)
    return Table(times, [width * max(0.0, s) for s in values])


def is_shut(part: object) -> bool:
    """Tell whether a part is an orifice that is closed all the time."""
    if not isinstance(part, Orifice) or isinstance(part.opening, Edge):
        return False
    largest = max(part.opening.y) if isinstance(part.opening, Table) else part.opening
    return bool(largest == 0.0)


def field_names(part: HydraulicPart) -> tuple[str, ...]:
    """Return the names of the values of a part."""
    return tuple(f.name for f in fields(part))
