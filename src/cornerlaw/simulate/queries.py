"""Direct questions to a model at a state: matrices, Jacobians, positions, momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cornerlaw.arrays.outputs import Outputs
from cornerlaw.arrays.state import Floats
from cornerlaw.errors import UnknownNameError, UsageError
from cornerlaw.model import Model, Part
from cornerlaw.model.arguments import clear_call
from cornerlaw.model.quantity import Where, as_numbers
from cornerlaw.results import FinalState
from cornerlaw.results.channels import require_name, short
from cornerlaw.simulate.channels import ChannelBook
from cornerlaw.simulate.distances import Separation, distance
from cornerlaw.simulate.evaluation import Evaluation
from cornerlaw.simulate.states import At, Placed, place
from cornerlaw.simulate.terms import Terms, body_jacobians, eval_state, eval_terms, point_jacobian


@dataclass(frozen=True)
class NamedArray:
    """A vector or matrix whose rows and columns have names; numpy takes it as an array."""

    values: Floats
    rows: tuple[str, ...]
    columns: tuple[str, ...] = ()

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Floats:
        return np.array(self.values, dtype=dtype)  # type: ignore[no-any-return,call-overload]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    def __getitem__(self, names: Any) -> Any:
        """Return an entry by the name of its row, or of row and column; of a matrix a row by one.

        Numbers and slices work as with numpy.
        """
        keys = names if isinstance(names, tuple) else (names,)
        axes = (self.rows, self.columns)[: self.values.ndim]
        if len(keys) > len(axes):
            raise UsageError(f"an entry has {len(axes)} names here, got {len(keys)}")
        place = tuple(
            _position(known, key) if isinstance(key, str) else key
            for known, key in zip(axes, keys, strict=False)
        )
        try:
            found = self.values[place]
        except (IndexError, TypeError, ValueError):
            raise UsageError(
                f"{short(names)} is neither a name nor an index of a {self.shape} array"
            ) from None
        return float(found) if np.ndim(found) == 0 else np.array(found)

    def __str__(self) -> str:
        width = max((len(name) for name in self.rows), default=0)
        table = self.values.reshape(len(self.rows), -1)
        lines = [
            f"{name:<{width}}  " + "  ".join(f"{value:>12.6g}" for value in row)
            for name, row in zip(self.rows, table, strict=True)
        ]
        if self.columns and self.columns != self.rows:
            lines.insert(0, f"{'columns':<{width}}  " + ", ".join(self.columns))
        return "\n".join(lines)


def _position(names: Sequence[str], name: str) -> int:
    """Find a name, also by "part" alone where it is the only one of that part."""
    if name in names:
        return list(names).index(name)
    own = [k for k, known in enumerate(names) if known.rpartition(".")[0] == name]
    if len(own) == 1:
        return own[0]
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names[:8])}"
    raise UnknownNameError(f"there is no entry {name!r}; {hint}")


def _name_of(frame: Part | str) -> str:
    """Return the name of a body or frame, which may be given itself."""
    return frame.name if isinstance(frame, Part) else require_name(frame)


class Query:
    """A model at one state; everything is evaluated when it is first asked for.

    Velocity coordinates have the names "part.rate" of `velocities`, in the order of `u`.
    """

    def __init__(self, placed: Placed) -> None:
        self._placed = placed
        self._terms: Terms | None = None
        self._book: ChannelBook | None = None
        self._evaluation: Evaluation | None = None

    @property
    def t(self) -> float:
        """The time of the state [s]."""
        return self._placed.t

    @property
    def q(self) -> Floats:
        """A copy of the positions."""
        return self._placed.q.copy()

    @property
    def u(self) -> Floats:
        """A copy of the velocities."""
        return self._placed.u.copy()

    @property
    def x(self) -> Floats:
        """A copy of the other states."""
        return self._placed.x.copy()

    @property
    def velocities(self) -> tuple[str, ...]:
        """The names "part.rate" of the velocity coordinates."""
        c = self._placed.system.compiled
        return tuple(c.name_of_u(k.u) for k in c.numbering.coordinates)

    @property
    def terms(self) -> Terms:
        """M, h, x_dot, g, gamma, W and w_bar as plain arrays."""
        if self._terms is None:
            p = self._placed
            self._terms = eval_terms(p.system, p.t, p.q, p.u, p.x)
        return self._terms

    def mass_matrix(self) -> NamedArray:
        """Return M(q): kinetic energy is u^T M u / 2."""
        return NamedArray(self.terms.M.copy(), self.velocities, self.velocities)

    def bias_forces(self) -> NamedArray:
        """Return h of M u_dot = h + W^T lam: all forces for u_dot = 0, rows left out."""
        return NamedArray(self.terms.h.copy(), self.velocities)

    def constraint_jacobian(self) -> NamedArray:
        """Return W: relative velocities of the rows are W u + w_tilde."""
        rows = tuple(row.part for row in self._placed.system.compiled.rows)
        return NamedArray(self.terms.W.copy(), rows, self.velocities)

    def accelerations(self) -> NamedArray:
        """Return u_dot of the forward dynamics."""
        p = self._placed
        u_dot, _, _ = p.system.accelerations(p.t, p.q.copy(), p.u.copy(), p.x)
        return NamedArray(u_dot, self.velocities)

    def jacobian(self, frame: Part | str, at: Sequence[float] | None = None) -> NamedArray:
        """Return the velocity of a frame or body per unit velocity coordinate, world axes.

        Rows: velocity x, y, z and angular velocity x, y, z; in the plane velocity x, y and the
        angular velocity. `at` is a point in the frame's axes, its origin unless given.
        """
        s = self._placed.system
        f = self._marker(frame)
        p = self._placed
        eval_state(s, p.t, p.q, p.u, p.x)
        r = s.work.frame_r[f].copy()
        if at is not None:
            point = np.zeros(3)
            point[: s.model.dim] = as_numbers(at, Where("jacobian", "at"), "m", (s.model.dim,))
            r += s.work.frame_A[f] @ point
        J = point_jacobian(s, body_jacobians(s), int(s.arrays.frames.body[f]), r)
        if s.model.dim == 2:
            return NamedArray(J[[0, 1, 5]], ("x", "y", "angle"), self.velocities)
        names = ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z")
        return NamedArray(J, names, self.velocities)

    def position(self, frame: Part | str) -> Floats:
        """Return the position of the origin of a body or frame, world axes [m]."""
        return self._value(f"{_name_of(frame)}.position")

    def velocity(self, frame: Part | str) -> Floats:
        """Return the velocity of the origin of a body or frame, world axes [m/s]."""
        return self._value(f"{_name_of(frame)}.velocity")

    def rotation(self, frame: Part | str) -> Floats:
        """Return the axes of a body or frame as the columns of a matrix (3, 3)."""
        return np.array(self._outputs().A[0, self._marker(frame)])

    def angular_velocity(self, frame: Part | str) -> Floats:
        """Return the angular velocity of a body or frame, world axes; a number in the plane."""
        return self._value(f"{_name_of(frame)}.angular_velocity")

    def centre_of_mass(self) -> Floats:
        """Return the centre of mass of all bodies [m]."""
        return self._value("system.centre_of_mass")

    def momentum(self) -> tuple[Floats, Floats]:
        """Return linear momentum [N s] and angular momentum about the origin [N m s]."""
        return self._value("system.momentum"), self._value("system.angular_momentum")

    def distance(self, first: Part | str, second: Part | str) -> Separation:
        """Return gap, nearest points and normal of two contours."""
        p = self._placed
        state = FinalState(p.t, p.q, p.u, p.x)
        return distance(p.system.model, first, second, state)

    def __getitem__(self, name: str) -> Floats:
        """Return any channel of a run at this state, "part.quantity" or a component of it."""
        return self._value(name)

    def _marker(self, part: Part | str) -> int:
        markers, frame = self._placed.system.compiled.markers, _name_of(part)
        if frame not in markers:
            import difflib

            near = difflib.get_close_matches(frame, list(markers), 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(markers)}"
            raise UnknownNameError(f"there is no body or frame {frame!r}; {hint}")
        return markers[frame]

    def _rows(self) -> Evaluation:
        if self._evaluation is None:
            p = self._placed
            t, q, u, x = np.array([p.t]), p.q[None].copy(), p.u[None].copy(), p.x[None].copy()
            self._evaluation = Evaluation(p.system, t, q, u, x)
        return self._evaluation

    def _outputs(self) -> Outputs:
        # wrenches of an earlier solve must not count as applied ones
        if self._evaluation is None:
            self._placed.system.work.f_ext[:] = 0.0
        return self._rows().outputs

    def _value(self, name: str) -> Floats:
        if self._book is None:
            self._book = ChannelBook(self._placed.system)
        channel, entry = self._book.table().resolve(name)
        self._outputs()
        values = self._book.rules[channel.name](self._rows())[0]
        return np.array(values if entry is None else np.reshape(values, -1)[entry])

    def __repr__(self) -> str:
        p = self._placed
        names = ", ".join(self.velocities[:6]) + (", ..." if len(self.velocities) > 6 else "")
        return f"<Query of {p.system.model.name!r} at t = {p.t:g} s: {names}>"

    def __str__(self) -> str:
        p = self._placed
        c = p.system.compiled
        lines = [f'State of "{p.system.model.name}" at t = {p.t:g} s']
        for k in c.numbering.coordinates:
            place = f"  {p.q[k.q]:.6g} {k.unit}," if k.q >= 0 else "  "
            lines.append(f"  {k.part}.{k.name}:{place} rate {p.u[k.u]:.6g} {k.unit}/s")
        lines += [f"  {part}.{name}:  {p.x[j]:.6g}" for j, (part, name) in enumerate(c.x_names)]
        return "\n".join(lines)


@clear_call
def query(model: Model, at: At = None, t: float | None = None) -> Query:
    """Return a model at a state, ready for questions; see `place` for what a state may be.

    at    None (assembled initial values), `sol.final`, a Solution, or values by name
    t     time [s]; with a Solution the stored row nearest to it
    """
    return Query(place(model, at, t))
