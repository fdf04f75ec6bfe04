"""Growing tables of signals and markers; they end as arrays."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.model_arrays import FrameArrays, SignalArrays
from cornerlaw.arrays.state import Floats
from cornerlaw.compile.functions import arity, motion_slot, scalar_slot
from cornerlaw.errors import CompileError
from cornerlaw.model import Input, Motion, Part, ScaledInput, Table
from cornerlaw.model.frames import placement, spatial
from cornerlaw.model.rotation import as_matrix


def ints(values: Any) -> Any:
    """Return a flat int64 array."""
    found = np.array(values, dtype=np.int64)
    return found if found.ndim == 1 else found.reshape(-1)


def floats(values: Any) -> Floats:
    """Return a flat float64 array."""
    found = np.array(values, dtype=np.float64)
    return found if found.ndim == 1 else found.reshape(-1)


class InputPlace(NamedTuple):
    """Where the value of an input stands: an entry of the data of signals or of elements."""

    table: str
    entry: int
    line: ScaledInput | None = None  # what is written instead of the value itself

    def number(self, value: float) -> float:
        """Return what is written for a value."""
        return value if self.line is None else self.line.at(value)


class SignalTable:
    """Scalar signals; the values of inputs are found again by name."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.start: list[int] = []
        self.points: list[int] = []
        self.hold: list[int] = []
        self.address: list[int] = []
        self.data: list[float] = []
        self.inputs: dict[str, list[InputPlace]] = {}

    def _append(
        self, kind: int, data: list[float], points: int = 0, hold: int = 1, address: int = 0
    ) -> int:
        self.kind.append(kind)
        self.start.append(len(self.data))
        self.points.append(points)
        self.hold.append(hold)
        self.address.append(address)
        self.data += data
        return len(self.kind) - 1

    def _add_plain(self, value: Any) -> int | None:
        """Add a number, an input or a table; None for functions."""
        if isinstance(value, Input):
            k = self._append(kinds.CONSTANT, [value.value])
            self.inputs.setdefault(value.name, []).append(InputPlace("signals", self.start[k]))
            return k
        if isinstance(value, ScaledInput):
            k = self._append(kinds.CONSTANT, [value.at(value.source.value)])
            place = InputPlace("signals", self.start[k], value)
            self.inputs.setdefault(value.source.name, []).append(place)
            return k
        if isinstance(value, Table):
            return self._add_table(value)
        if isinstance(value, int | float):
            return self._append(kinds.CONSTANT, [float(value)])
        return None

    def _add_table(self, table: Table) -> int:
        x, y = np.array(table.x), np.array(table.y)
        if table.kind == "linear":
            c = np.zeros((len(x) - 1, 4))
            c[:, 0], c[:, 1] = y[:-1], np.diff(y) / np.diff(x)
            kind = kinds.TABLE_LINEAR
        else:
            from scipy.interpolate import CubicSpline

            # not-a-knot through the points needs four of them; fewer are joined naturally
            c = CubicSpline(x, y, bc_type="not-a-knot" if len(x) > 3 else "natural").c[::-1].T
            kind = kinds.TABLE_CUBIC
        data = [*x.tolist(), *c.ravel().tolist()]
        return self._append(kind, data, len(x), int(table.extrapolate == "hold"))

    def add(self, value: Any, label: str, arities: tuple[int, ...] = (1,)) -> int:
        """Add a signal whose function may take one of the given numbers of arguments.

        Functions of fewer arguments than the kernel passes see the first ones.
        """
        plain = self._add_plain(value)
        if plain is not None:
            return plain
        if isinstance(value, Motion):
            value = value.position
        n = arity(value, label)
        if n not in arities:
            allowed = " or ".join(str(a) for a in arities)
            raise CompileError(f"{label} must be a function of {allowed} arguments, it takes {n}.")
        return self._append(kinds.FUNCTION, [], address=scalar_slot(value, n, label))

    def add_stribeck(self, *numbers: float) -> int:
        """Add a Stribeck characteristic: static, kinetic, velocity, exponent, viscous."""
        return self._append(kinds.STRIBECK, list(numbers))

    def add_motion(self, value: Any, label: str) -> int:
        """Add a signal of time with two derivatives."""
        plain = self._add_plain(value)
        if plain is not None:
            return plain
        return self._append(kinds.FUNCTION, [], address=motion_slot(value, label))

    def add_vector(self, values: Any, label: str) -> int:
        """Add the three components of a vector of signals; return the first."""
        padded = [*values, *[0.0] * (3 - len(values))]
        first = [self.add(v, f"{label}[{k}]") for k, v in enumerate(padded)]
        return first[0]

    def arrays(self) -> SignalArrays:
        """Return the table as arrays."""
        return SignalArrays(
            kind=ints(self.kind),
            start=ints(self.start),
            points=ints(self.points),
            hold=ints(self.hold),
            address=ints(self.address),
            data=floats(self.data),
        )


class FrameTable:
    """Markers in the axes of their bodies; equal ones are shared."""

    def __init__(self, node_of: Callable[[Part], int]) -> None:
        self.node_of = node_of
        self.body: list[int] = []
        self.r: list[Floats] = []
        self.A: list[Floats] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def add(self, operand: Any, at: Any = None, rotation: Any = None) -> int:
        """Add the marker at `at` with axes `rotation`, both relative to a body or frame."""
        base, r0, A0 = placement(operand)
        A = np.array(A0)
        r = np.array(r0) + A @ np.array(spatial(at))
        if rotation is not None:
            A = A @ np.array(rotation if np.ndim(rotation) == 2 else as_matrix(rotation))
        return self.add_pose(self.node_of(base), r, A)

    def add_pose(self, node: int, r: Floats, A: Floats) -> int:
        """Add the marker with position r and axes A on a node."""
        key = (node, *r.tolist(), *A.ravel().tolist())
        if key not in self._known:
            self._known[key] = len(self.body)
            self.body.append(node)
            self.r.append(r)
            self.A.append(A)
        return self._known[key]

    def arrays(self) -> FrameArrays:
        """Return the table as arrays."""
        n = len(self.body)
        return FrameArrays(
            body=ints(self.body),
            r=np.array(self.r, dtype=np.float64).reshape(n, 3),
            A=np.array(self.A, dtype=np.float64).reshape(n, 3, 3),
        )
