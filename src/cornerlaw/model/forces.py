"""Forces between bodies, on bodies and on joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from cornerlaw.errors import UnitError
from cornerlaw.model.arguments import unknown
from cornerlaw.model.couplings import check_path, set_path
from cornerlaw.model.element_rows import ElementRow, ElementRowKind, SetRow
from cornerlaw.model.part import (
    AXIS_ROLES,
    ChannelsKind,
    Operand,
    Pair,
    Part,
    check_movable,
    operand,
    operands,
    part,
    path,
)
from cornerlaw.model.quantity import (
    Function,
    FunctionKind,
    Kind,
    Scalar,
    ScalarKind,
    Vector,
    VectorKind,
    Where,
    choice,
    function,
    is_quantity,
    mapping,
    scalar,
    show,
    spec,
    strip_unit,
    text,
    vector,
)
from cornerlaw.model.rotation import Rotation, rotation_field
from cornerlaw.model.values import Delay, ParameterKind, Sampled, SignalVector, Table, signals


class CharacteristicKind(Kind):
    """A function or a Table over a length or an angle."""

    def __init__(self, over: str = "m", unit: str = "N") -> None:
        self.over, self.unit = over, unit

    def check(self, value: Any, where: Where) -> Any:
        if isinstance(value, Table):
            value.check_units(where, self.over, self.unit)
        if isinstance(value, Table) or (callable(value) and not isinstance(value, type)):
            return value
        raise where.error(f"must be a function or a Table, got {show(value)}")


class BushingKind(VectorKind):
    """Coefficients (x, y, phi) in the plane or 3 + 3 in space, each with the unit of its place."""

    def __init__(self, shift: str, turn: str) -> None:
        super().__init__("", (3, 6), False, None, 0.0, {3: 2, 6: 3})
        self.shift, self.turn = shift, turn

    def check(self, value: Any, where: Where) -> tuple[float, ...]:
        if is_quantity(value):
            raise where.error(
                f"must be a list of quantities, in {self.shift} for translations and "
                f"{self.turn} for rotations, got one unit for all",
                UnitError,
            )
        if isinstance(value, list | tuple) and len(value) in self.sizes:
            shifts = 2 if len(value) == 3 else 3
            value = [
                strip_unit(item, where.item(k), self.shift if k < shifts else self.turn)
                for k, item in enumerate(value)
            ]
        return super().check(value, where)


def check_coordinate(owner: Part, on: Any, coordinate: str | None) -> None:
    """Refuse an unknown coordinate, and a missing one where a joint has several."""
    if not isinstance(on, Part) or on.ROLE not in AXIS_ROLES:
        if coordinate is not None and isinstance(on, Part):
            raise owner.where("coordinate").error(f"needs a joint, but on is {on.label}")
        return
    known = list(on.coordinate_names)  # type: ignore[attr-defined]
    if coordinate is None:
        if len(known) != 1:
            named = ", ".join(repr(name) for name in known) or "none"
            raise owner.where("coordinate").error(
                f"must be given, as {on.label} has {len(known)} coordinates: {named}"
            )
    elif coordinate not in known:
        raise unknown(f"{owner.label}: coordinate of {on.label} is not", coordinate, known)


@part()
class Spring(Pair):
    """A spring-damper between two points.

    tension = stiffness (length - rest) + damping rate + force, where `force` is a function
    f(length, rate) or a Table over length - rest. The rest length is the initial one unless given.
    """

    ROLE: ClassVar[str] = "force"

    stiffness: Scalar = scalar("N/m", minimum=0.0, default=0.0)
    damping: Scalar = scalar("N*s/m", minimum=0.0, default=0.0)
    rest: Scalar | None = scalar("m", minimum=0.0, default=None)
    force: Function | Table | None = spec(CharacteristicKind(), default=None)


@part()
class Damper(Pair):
    """A linear damper between two points: tension = damping rate."""

    ROLE: ClassVar[str] = "force"

    damping: Scalar = scalar("N*s/m", minimum=0.0)


@part(kw_only=False, abstract=True)
class _OnAxis(Part):
    ROLE: ClassVar[str] = "force"

    on: Operand = operand(AXIS_ROLES, "a joint, Rotor or Slider")


@part(abstract=True)
class OnJoint(_OnAxis):
    """A force on one coordinate of a joint; `coordinate` is needed where there are several."""

    coordinate: str | None = text(default=None)

    def _check(self) -> None:
        check_coordinate(self, self.on, self.coordinate)


@part()
class TorsionSpring(OnJoint):
    """A spring-damper on a coordinate: -(stiffness (q - rest) + damping rate + torque).

    `torque` is a function f(q, rate) or a Table over q - rest.
    """

    stiffness: Scalar = scalar("N*m/rad|N/m", minimum=0.0, default=0.0)
    damping: Scalar = scalar("N*m*s/rad|N*s/m", minimum=0.0, default=0.0)
    rest: Scalar = scalar("rad|m", default=0.0)
    torque: Function | Table | None = spec(CharacteristicKind("rad|m", "N*m|N"), default=None)


@part(init=False)
class PathSpring(Part):
    """A spring-damper along a path through points; rest length is the initial one unless given.

    `force` adds a function f(length, rate) or a Table over length - rest, as in a Spring.
    """

    ROLE: ClassVar[str] = "force"

    points: tuple[tuple[Operand, Vector | None], ...] = path()
    stiffness: Scalar = scalar("N/m", minimum=0.0, default=0.0)
    damping: Scalar = scalar("N*s/m", minimum=0.0, default=0.0)
    rest: Scalar | None = scalar("m", minimum=0.0, default=None)
    force: Function | Table | None = spec(CharacteristicKind(), default=None)

    def __init__(
        self,
        name: str,
        *operands: Any,
        points: Any = (),
        stiffness: Scalar = 0.0,
        damping: Scalar = 0.0,
        rest: Scalar | None = None,
        force: Function | Table | None = None,
    ) -> None:
        law = {"stiffness": stiffness, "damping": damping, "rest": rest, "force": force}
        set_path(self, name, operands, points, **law)

    def _check(self) -> None:
        check_path(self, self.points)


@part()
class Bushing(Pair):
    """Stiffness and damping in all directions: (x, y, phi) in the plane, 3 + 3 in space.

    The axes are the first operand's, turned by `orientation`.
    """

    ROLE: ClassVar[str] = "force"

    stiffness: Vector = spec(BushingKind("N/m", "N*m/rad"))
    damping: Vector | None = spec(BushingKind("N*s/m", "N*m*s/rad"), default=None)
    orientation: Rotation | None = rotation_field(default=None)


@part(kw_only=False, abstract=True)
class _OnBody(Part):
    ROLE: ClassVar[str] = "force"

    on: Operand = operand(("body", "frame"), "a body or a frame on one")

    def _check(self) -> None:
        check_movable(self, "on", self.on, ("body",))


@part()
class Force(_OnBody):
    """A force on a body at `at`: signals, or a function that returns it.

    The function takes t, (t, r, v) or (t, r, v, A, Omega): position, velocity, rotation to world
    axes and angular velocity at the point, world axes; in the plane A is (2, 2), Omega a number.
    """

    value: SignalVector = signals("N")
    at: Vector | None = vector("m", default=None)
    axes: str = choice("world", "body", default="world")


@part(kw_only=False, abstract=True)
class _OnAnything(Part):
    ROLE: ClassVar[str] = "force"

    on: Operand = operand((*AXIS_ROLES, "body", "frame"), "a joint, body, frame, Rotor or Slider")


@part()
class Torque(_OnAnything):
    """A torque on a joint (signal, or function of (t, q, u)) or a body (number or vector).

    On a body it may also be a function of t, (t, r, v) or (t, r, v, A, Omega), as a Force.
    """

    value: SignalVector = signals("N*m|N", sizes=(3,), single=True)
    axes: str = choice("world", "body", default="world")
    coordinate: str | None = text(default=None)

    def _check(self) -> None:
        check_movable(self, "on", self.on, ("body", *AXIS_ROLES))
        check_coordinate(self, self.on, self.coordinate)
        if isinstance(self.on, Part) and self.on.ROLE in AXIS_ROLES:
            if isinstance(self.value, tuple):
                raise self.where("value").error(f"must be one signal on {self.on.label}, got 3")
        elif isinstance(self.on, Part) and type(self.on).__name__ == "PointMass":
            raise self.where("on").error(f"must be able to rotate, {self.on.label} is not")

    def dims(self) -> Any:
        yield from Part.dims(self)
        if isinstance(self.value, tuple):
            yield "value", 3
        elif (
            isinstance(self.value, float)
            and isinstance(self.on, Part)
            and self.on.ROLE not in AXIS_ROLES
        ):
            yield "value", 2


@part()
class Drag(_OnBody):
    """Aerodynamic drag -coefficient |v| v against the wind; coefficient = rho c_d A / 2."""

    coefficient: Scalar = scalar("kg/m", minimum=0.0)
    at: Vector | None = vector("m", default=None)
    wind: Vector | None = vector("m/s", default=None)


class DelayKind(Kind):
    """A Delay."""

    def check(self, value: Any, where: Where) -> Delay:
        if not isinstance(value, Delay):
            raise where.error(f"must be a Delay(function, delay), got {show(value)}")
        return value


@part()
class ForceElement(Part):
    """The user's own element, compiled from functions: forces, states, rows, masses, events.

    law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot) reads frames and coordinates and writes
    forces F, torques M, generalised forces Q and the rates of its own states. With `discrete`
    states, which change at events only, every function has z behind x.

    indicators(t, r, A, v, Omega, q, u, x, p) are root functions: a run steps exactly onto their
    zeros and calls on_event(name, t, r, A, v, Omega, q, u, x, p), which may write to u, x and z.

    With `delays` every function has d behind x and z: measured numbers as they were some time ago.
    accept(t, r, A, v, Omega, q, u, x, z, p) is called after every accepted step and may write to z.

    force_jacobian(t, r, A, v, Omega, q, u, x, p, D) writes the derivatives of the law for implicit
    methods: rows F, M, Q, x_dot, columns r, rotation, v, Omega, q, u, x, each array flattened.

    rows(t, r, A, v, Omega, q, u, p, F, M, Q) return (g, w_tilde, w_bar), see BilateralRow; they may
    have x (and z) behind u.
    mass(t, r, A, q, p, M) writes a mass matrix M on (v, Omega of each frame, then u): the element's
    inertia force is -M times their rates.
    """

    ROLE: ClassVar[str] = "force"

    frames: tuple[Operand, ...] = operands(default=())
    coordinates: tuple[str, ...] = spec(ChannelsKind(), default=())
    law: Function | None = function(default=None)
    parameters: dict[str, Any] | None = mapping(ParameterKind(), default=None)
    states: dict[str, float] | None = mapping(ScalarKind("", None, False, False), default=None)
    discrete: dict[str, float] | None = mapping(ScalarKind("", None, False, False), default=None)
    energy: Function | None = function(default=None)
    outputs: dict[str, Function] | None = mapping(FunctionKind(), default=None)
    indicators: dict[str, Function] | None = mapping(FunctionKind(), default=None)
    directions: dict[str, float] | None = mapping(ScalarKind("", None, False, False), default=None)
    on_event: Function | None = function(default=None)
    delays: dict[str, Delay] | None = mapping(DelayKind(), default=None)
    accept: Function | None = function(default=None)
    force_jacobian: Function | None = function(default=None)
    rows: dict[str, ElementRow | Function] | None = mapping(ElementRowKind(), default=None)
    mass: Function | None = function(default=None)

    @property
    def is_set_valued(self) -> bool:
        """Whether some of its rows are one-sided or have a bounded force."""
        return any(row.is_set_valued for row in (self.rows or {}).values())  # type: ignore[union-attr]

    @property
    def switches(self) -> dict[str, Function]:
        """The functions that switch rows, by the discrete state that holds what they said."""
        rows: dict[str, Any] = dict(self.rows or {})
        return {f"{name}_active": row.active for name, row in rows.items() if callable(row.active)}

    def rebound(self, leaf: Callable[[Any, str], Any]) -> Self:
        """Return the element with every reference replaced, those in the sizes of sets as well."""
        item = super().rebound(leaf)
        rows: dict[str, Any] = dict(item.rows or {})
        changed = {
            name: row.renamed(lambda text: str(leaf(text, "name")))
            for name, row in rows.items()
            if isinstance(row, SetRow)
        }
        if all(rows[name] is row for name, row in changed.items()):
            return item
        return item.replace(rows={**rows, **changed})

    def _check(self) -> None:
        self._check_law()
        for name in self.discrete or {}:
            if name in (self.states or {}):
                raise self.where("discrete").error(f"{name!r} is one of the states already")
        for name, row in (self.rows or {}).items():
            switch: Any = getattr(row, "active", None)
            if callable(switch):
                own = f"{name}_active"
                if own in {**(self.states or {}), **(self.discrete or {})}:
                    raise self.where("rows").error(
                        f"[{name}] has a state {own!r} of its own, give yours another name"
                    )
                if own in (self.indicators or {}):
                    raise self.where("rows").error(
                        f"[{name}] has an indicator {own!r} of its own, give yours another name"
                    )
            elif switch is not None and switch not in (self.discrete or {}):
                text = f"{self.label}: rows[{name}] is switched by an unknown discrete state"
                raise unknown(text, switch, list(self.discrete or {}))
        if self.on_event is not None and not self.indicators:
            raise self.where("on_event").error("needs indicators, whose zeros are the events")
        if self.accept is not None and not self.discrete:
            raise self.where("accept").error("needs discrete states, which it may write to")
        for name, sense in (self.directions or {}).items():
            if name not in (self.indicators or {}):
                text = f"{self.label}: directions has an unknown indicator"
                raise unknown(text, name, list(self.indicators or {}))
            if sense not in (-1.0, 0.0, 1.0):
                raise self.where("directions").error(
                    f"of {name!r} must be 1 (rising), -1 (falling) or 0 (both), got {sense:g}"
                )

    def _check_law(self) -> None:
        """Refuse an element that does nothing, and what has no meaning without a law or motion."""
        if self.law is None:
            if not (self.rows or self.mass or self.indicators):
                raise self.where("law").error("must be given, or rows, mass or indicators")
            for name in ("states", "force_jacobian"):
                if getattr(self, name):
                    raise self.where("law").error(f"must be given next to {name}")
        if self.force_jacobian is not None and isinstance(self.law, Sampled):
            raise self.where("force_jacobian").error(
                "has no meaning for a Sampled law, which does not change between samples"
            )
        if not self.frames and not self.coordinates:
            for name in ("rows", "mass"):
                if getattr(self, name):
                    raise self.where(name).error("needs frames or coordinates to act on")
