"""Force elements as arrays."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from cornerlaw.arrays import kinds
from cornerlaw.arrays.model_arrays import ElementArrays
from cornerlaw.compile.delays import (
    add_histories,
    delayed_arguments,
    delayed_law_slot,
    delayed_number_slot,
)
from cornerlaw.compile.element_functions import jacobian_slot, law_unpacker, refuse_writes
from cornerlaw.compile.functions import (
    LawShape,
    law_slot,
    number_slot,
    planar_moment_slot,
    vector_slot,
)
from cornerlaw.compile.tables import FrameTable, InputPlace, SignalTable, floats, ints
from cornerlaw.model import Input, Model, Motion, ScaledInput, Table
from cornerlaw.model.frames import spatial

LINEAR, FUNCTION, TABLE = 0, 1, 2
Slot: TypeAlias = Callable[[Any, str], int]  # from a function and its label to an address


@dataclass
class Element:
    """One force element and the part it belongs to."""

    part: str
    kind: int
    frame_1: int = -1
    frame_2: int = -1
    coordinate: int = -1
    signal: int = -1
    flag: int = 0
    states: tuple[tuple[str, float], ...] = ()
    data: tuple[float, ...] = ()
    frames: tuple[int, ...] = ()
    coordinates: tuple[int, ...] = ()
    address: int = 0
    energy_address: int = 0
    jacobian_address: int = 0
    outputs: tuple[tuple[str, int], ...] = ()
    n_discrete: int = 0  # of the states, the last ones
    n_switches: int = 0  # of these, the last ones: whether rows are on, which functions do not see
    indicators: tuple[tuple[str, int, int], ...] = ()  # name, address, direction
    initial: bool = False  # data[2], the rest length, is the length at the start
    x_start: int = 0


class ElementBuilder:
    """Turn forces and actuators into elements."""

    def __init__(self, model: Model, frames: FrameTable, signals: SignalTable, find: Any) -> None:
        self.model, self.frames, self.signals, self.find = model, frames, signals, find
        self.elements: list[Element] = []
        self.nx = 0

    def add(self, part: Any) -> None:
        """Add the element of a force or actuator."""
        element: Element = getattr(self, f"_{type(part).__name__.lower()}")(part)
        element.x_start = self.nx
        self.nx += len(element.states)
        self.elements.append(element)

    def _characteristic(self, value: Any, label: str) -> tuple[int, int]:
        """Return flag and signal of an extra force law."""
        if value is None:
            return LINEAR, -1
        if isinstance(value, Table):
            return TABLE, self.signals.add(value, label)
        return FUNCTION, self.signals.add(value, label, (2,))

    def _spring(self, part: Any) -> Element:
        flag, signal = self._characteristic(part.force, f"{part.label}: force")
        rest = 0.0 if part.rest is None else float(part.rest)
        return Element(
            part.name,
            kinds.SPRING,
            self.frames.add(part.first, part.at),
            self.frames.add(part.second, part.at_second),
            signal=signal,
            flag=flag,
            data=(float(part.stiffness), float(part.damping), rest),
            initial=part.rest is None,
        )

    def _damper(self, part: Any) -> Element:
        return Element(
            part.name,
            kinds.SPRING,
            self.frames.add(part.first, part.at),
            self.frames.add(part.second, part.at_second),
            data=(0.0, float(part.damping), 0.0),
        )

    def _axis(self, part: Any) -> int:
        reference = part.on if part.coordinate is None else f"{part.on.name}.{part.coordinate}"
        index: int = self.find(reference, part).u
        return index

    def _torsionspring(self, part: Any) -> Element:
        flag, signal = self._characteristic(part.torque, f"{part.label}: torque")
        return Element(
            part.name,
            kinds.TORSION_SPRING,
            coordinate=self._axis(part),
            signal=signal,
            flag=flag,
            data=(float(part.stiffness), float(part.damping), float(part.rest)),
        )

    def _pathspring(self, part: Any) -> Element:
        flag, signal = self._characteristic(part.force, f"{part.label}: force")
        rest = 0.0 if part.rest is None else float(part.rest)
        return Element(
            part.name,
            kinds.PATH_SPRING,
            signal=signal,
            flag=flag,
            frames=tuple(self.frames.add(operand, at) for operand, at in part.points),
            data=(float(part.stiffness), float(part.damping), rest),
            initial=part.rest is None,
        )

    def _bushing(self, part: Any) -> Element:
        def six(values: Any) -> tuple[float, ...]:
            if values is None:
                return (0.0,) * 6
            if self.model.dim == 2:
                return (values[0], values[1], 0.0, 0.0, 0.0, values[2])
            return tuple(values)

        return Element(
            part.name,
            kinds.BUSHING,
            self.frames.add(part.first, part.at, part.orientation),
            self.frames.add(part.second, part.at_second, part.orientation),
            data=(*six(part.stiffness), *six(part.damping)),
        )

    def _force(self, part: Any) -> Element:
        element = Element(part.name, kinds.FORCE, self.frames.add(part.on, part.at))
        element.flag = int(part.axes == "body")
        if callable(part.value):
            element.address = vector_slot(part.value, self.model.dim, f"{part.label}: value")
        else:
            element.signal = self.signals.add_vector(part.value, f"{part.label}: value")
        return element

    def _torque(self, part: Any) -> Element:
        if part.on.ROLE in ("joint", "inertia", "system"):
            signal = self.signals.add(part.value, f"{part.label}: value", (1, 3))
            return Element(
                part.name, kinds.TORQUE_COORDINATE, coordinate=self._axis(part), signal=signal
            )
        element = Element(part.name, kinds.TORQUE_BODY, self.frames.add(part.on))
        element.flag = int(part.axes == "body")
        label = f"{part.label}: value"
        if isinstance(part.value, tuple):
            element.signal = self.signals.add_vector(part.value, label)
        elif callable(part.value) and not isinstance(
            part.value, Table | Input | ScaledInput | Motion
        ):
            if self.model.dim == 2:
                element.address = planar_moment_slot(part.value, label)
            else:
                element.address = vector_slot(part.value, 3, label)
        else:
            element.signal = self.signals.add_vector((0.0, 0.0, part.value), label)
        return element

    def _drag(self, part: Any) -> Element:
        return Element(
            part.name,
            kinds.DRAG,
            self.frames.add(part.on, part.at),
            data=(float(part.coefficient), *spatial(part.wind)),
        )

    def _motor(self, part: Any) -> Element:
        states = (("current", float(part.current)),) if part.inductance > 0.0 else ()
        return Element(
            part.name,
            kinds.MOTOR,
            coordinate=self._axis(part),
            signal=self.signals.add(part.voltage, f"{part.label}: voltage"),
            states=states,
            data=(
                float(part.resistance),
                float(part.inductance),
                float(part.constant),
                float(part.ratio),
            ),
        )

    def _controller(
        self,
        part: Any,
        target: Any,
        speed: Any,
        gains: tuple[float, float, float],
        integral: Any = None,
    ) -> Element:
        signal = self.signals.add(target, f"{part.label}: target")
        self.signals.add(speed, f"{part.label}: target_speed")
        limit = math.inf if part.limit is None else float(part.limit)
        return Element(
            part.name,
            kinds.CONTROLLER,
            coordinate=self._axis(part),
            signal=signal,
            states=() if integral is None else (("integral", float(integral)),),
            data=(*gains, limit),
        )

    def _pd(self, part: Any) -> Element:
        gains = (float(part.kp), 0.0, float(part.kd))
        return self._controller(part, part.target, part.target_speed, gains)

    def _pid(self, part: Any) -> Element:
        gains = (float(part.kp), float(part.ki), float(part.kd))
        return self._controller(part, part.target, part.target_speed, gains, part.integral)

    def _positionactuator(self, part: Any) -> Element:
        return self._controller(part, part.target, 0.0, (float(part.kp), 0.0, float(part.kd)))

    def _velocityactuator(self, part: Any) -> Element:
        return self._controller(part, 0.0, part.target, (0.0, 0.0, float(part.kv)))

    def _forceelement(self, part: Any) -> Element:
        frames = tuple(self.frames.add(operand) for operand in part.frames)
        coordinates = tuple(self.find(reference, part).u for reference in part.coordinates)
        states = tuple((part.states or {}).items())
        discrete = tuple((part.discrete or {}).items())
        shape = LawShape(len(frames), len(coordinates), len(states), len(discrete))
        law, number, jacobian = self._law_slots(part, shape)
        directions = part.directions or {}
        switches = tuple((name, 0.0) for name in part.switches)

        def slot(make: Slot, name: str) -> int:
            function = getattr(part, name)
            if function is None:
                return 0
            # parameters stand behind t, r, A, v, Omega, q, u, x, and z and delays if there are any
            refuse_writes(function, 8 + bool(discrete) + bool(part.delays), f"{part.label}: {name}")
            return make(function, f"{part.label}: {name}")

        return Element(
            part.name,
            kinds.BARE if part.law is None else kinds.LAW,
            states=states + discrete + switches,
            n_discrete=len(discrete) + len(switches),
            n_switches=len(switches),
            frames=frames,
            coordinates=coordinates,
            data=self._parameters(part),
            address=slot(law, "law"),
            energy_address=slot(number, "energy"),
            jacobian_address=slot(jacobian, "force_jacobian"),
            outputs=tuple(
                (name, number(f, f"{part.label}: outputs[{name}]"))
                for name, f in (part.outputs or {}).items()
            ),
            indicators=tuple(
                (
                    name,
                    number(f, f"{part.label}: indicators[{name}]"),
                    int(directions.get(name, 0)),
                )
                for name, f in {**(part.indicators or {}), **part.switches}.items()
            ),
        )

    def _parameters(self, part: Any) -> tuple[float, ...]:
        """Return the parameters of the user's element; those that are inputs are written down."""
        first = sum(len(e.data) for e in self.elements)
        numbers: list[float] = []
        for value in (part.parameters or {}).values():
            if isinstance(value, Input | ScaledInput):
                line = value if isinstance(value, ScaledInput) else None
                source = value.source if isinstance(value, ScaledInput) else value
                place = InputPlace("elements", first + len(numbers), line)
                self.signals.inputs.setdefault(source.name, []).append(place)
                value = place.number(source.value)
            numbers.append(float(value))
        return tuple(numbers)

    def _law_slots(self, part: Any, shape: LawShape) -> tuple[Slot, Slot, Slot]:
        """Return how law, numbers and derivatives of an element are compiled, delays or not."""
        if not part.delays:
            unpack = law_unpacker(shape)
            return (
                lambda function, label: law_slot(function, shape, label),
                lambda function, label: number_slot(function, shape, label),
                lambda function, label: jacobian_slot(function, shape, unpack, 0, label),
            )
        measures = [
            number_slot(delay.function, shape, f"{part.label}: delays[{name}]")
            for name, delay in part.delays.items()
        ]
        board = add_histories(part, len(self.elements), measures)
        delayed = shape._replace(delays=len(measures))
        return (
            lambda function, label: delayed_law_slot(function, delayed, board, label),
            lambda function, label: delayed_number_slot(function, delayed, board, label),
            lambda function, label: jacobian_slot(
                function, delayed, delayed_arguments(delayed, board.place), board.place, label
            ),
        )

    def slot_size(self) -> int:
        """Return the longest argument or result list of the user's functions in elements."""
        return max(
            (
                1 + 18 * len(e.frames) + 2 * len(e.coordinates) + len(e.states)
                for e in self.elements
            ),
            default=0,
        )

    def arrays(self) -> ElementArrays:
        """Return the elements as arrays."""
        items = self.elements
        starts, list_starts, tangents = [], [], []
        data: list[float] = []
        lists: list[int] = []
        tangent = 0
        for e in items:
            starts.append(len(data))
            list_starts.append(len(lists))
            tangents.append(tangent)
            tangent += _tangent_size(e)
            data += e.data
            lists += [*e.frames, *e.coordinates]
        return ElementArrays(
            kind=ints([e.kind for e in items]),
            frame_1=ints([e.frame_1 for e in items]),
            frame_2=ints([e.frame_2 for e in items]),
            coordinate=ints([e.coordinate for e in items]),
            signal=ints([e.signal for e in items]),
            flag=ints([e.flag for e in items]),
            x_start=ints([e.x_start for e in items]),
            n_x=ints([len(e.states) for e in items]),
            start=ints(starts),
            list_start=ints(list_starts),
            n_frames=ints([len(e.frames) for e in items]),
            n_coordinates=ints([len(e.coordinates) for e in items]),
            n_parameters=ints([len(e.data) for e in items]),
            n_discrete=ints([e.n_discrete for e in items]),
            address=ints([e.address for e in items]),
            energy_address=ints([e.energy_address for e in items]),
            jacobian_address=ints([e.jacobian_address for e in items]),
            tangent_start=ints(tangents),
            data=floats(data),
            lists=ints(lists),
        )


def _tangent_size(e: Element) -> int:
    """Return how many numbers the tangent of a law needs: arguments, results, derivatives."""
    if not e.jacobian_address:
        return 0
    nf, nc, nx = len(e.frames), len(e.coordinates), len(e.states)
    free = nx - e.n_discrete
    rows, columns = 6 * nf + nc + free, 12 * nf + 2 * nc + free
    return 1 + 18 * nf + 2 * nc + nx + 6 * nf + nc + nx + rows * columns
