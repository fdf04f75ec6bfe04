"""Rows and masses that the user's elements declare, as rows, corners and mass matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import LEVEL_VELOCITY, LOAD_ROWS, NORMAL_COMPLIANCE
from cornerlaw.arrays.model_arrays import MassArrays, TreeArrays
from cornerlaw.compile.corner_elements import set_bound, set_friction, set_law, set_restitution
from cornerlaw.compile.corners import Corner, CornerBuilder
from cornerlaw.compile.element_functions import direction_slot, inertia_slot, row_slot
from cornerlaw.compile.elements import Element
from cornerlaw.compile.functions import LawShape, arity, number_slot
from cornerlaw.compile.rows import Row
from cornerlaw.compile.tables import FrameTable, ints
from cornerlaw.model import BilateralRow, ForceElement, Model, SetRow, Table, UnilateralRow
from cornerlaw.model.arguments import unknown
from cornerlaw.model.element_rows import ElementRow, Multipliers


def _rows_of(model: Model, element: Element) -> tuple[Any, dict[str, ElementRow]]:
    """Return the part behind an element and the rows that it declares."""
    part: Any = model.part(element.part)
    return part, getattr(part, "rows", None) or {}


class RowMaker:
    """Compile the rows of elements; the ends of their sets may be outputs of other elements."""

    def __init__(self, model: Model, elements: list[Element], scale: float) -> None:
        self.model, self.elements, self.scale = model, elements, scale

    def shape(self, k: int) -> LawShape:
        """Return the sizes of what the functions of element k see."""
        e = self.elements[k]
        n_x = len(e.states) - e.n_discrete
        return LawShape(len(e.frames), len(e.coordinates), n_x, e.n_discrete - e.n_switches)

    def row(self, k: int, name: str, row: ElementRow, function: Any, end: str = "") -> Row:
        """Return a row that element k evaluates; with frames its gap is taken for a length."""
        e, part = self.elements[k], self.model.part(self.elements[k].part)
        nf, nc = len(e.frames), len(e.coordinates)
        label = f"{part.label}: rows[{name}]"
        made = Row(
            f"{part.name}.{name}",
            kinds.ROW_ELEMENT,
            items=(k,),
            address=row_slot(function, self.shape(k), f"{label}{end}"),
            scale=self.scale if nf else 1.0,
            label=name,
            n_entries=nf + nc,
        )
        if row.active is not None:
            names = [state for state, _ in e.states]
            own = row.active if isinstance(row.active, str) else f"{name}_active"
            made.active = e.x_start + names.index(own)
        if row.V is not None and not end:
            made.V_address = direction_slot(row.V, self.shape(k), f"{label}.V")
            made.n_entries *= 2
        return made

    def end_of(self, k: int, value: Any, label: str) -> tuple[int, int]:
        """Return slot and element of an end of a set, (0, 0) where it is a signal."""
        if isinstance(value, str):
            name, _, output = value.rpartition(".")
            for i, element in enumerate(self.elements):
                if element.part == name:
                    slots = dict(element.outputs)
                    if output not in slots:
                        raise unknown(f"{label}: '{name}' has no output", output, list(slots))
                    return slots[output], i
            known = [e.part for e in self.elements if e.outputs]
            raise unknown(f"{label} is an output of an unknown element", name or value, known)
        shape = self.shape(k)
        plain = isinstance(value, Table) or not callable(value)
        if plain or arity(value, label) != 9 + int(shape.discrete > 0):
            return 0, 0
        return number_slot(value, shape, label), k


def bilateral_rows(model: Model, elements: list[Element], scale: float) -> list[Row]:
    """Return the rows of elements that hold."""
    found, maker = [], RowMaker(model, elements, scale)
    for k, element in enumerate(elements):
        for name, row in _rows_of(model, element)[1].items():
            if isinstance(row, BilateralRow) and not row.is_set_valued:
                made = maker.row(k, name, row, row.function)
                made.holonomic = row.level == "position"
                found.append(made)
    return found


def add_element_corners(builder: CornerBuilder, elements: list[Element]) -> None:
    """Append the corners of the set-valued rows of elements."""
    maker = RowMaker(builder.model, elements, builder.scale)
    for k, element in enumerate(elements):
        part, rows = _rows_of(builder.model, element)
        for name, row in rows.items():
            if not row.is_set_valued:
                continue
            corner = Corner(part.name, f"{part.name}.{name}", R=float(row.R))
            label = f"{part.label}: rows[{name}]"
            own = maker.row(k, name, row, row.function)
            if isinstance(row, UnilateralRow):
                own.axis_1 = kinds.ELEMENT_GAP
                corner.normal = own
                corner.eps_T, corner.eps_speed = float(row.eps_T), float(row.eps_speed)
                set_friction(builder, corner, row.mu, f"{label}.mu")
                if corner.mu > 0.0 or corner.mu_signal >= 0:
                    corner.tangent = maker.row(k, name, row, row.tangent, ".tangent")
                set_restitution(builder, corner, row.eps_N, f"{label}.eps_N")
                set_law(corner, row.law)
                if corner.R > 0.0:
                    corner.normal_law = NORMAL_COMPLIANCE
            elif isinstance(row, BilateralRow):
                corner.hold = row.level == "position" and corner.R == 0.0
                _set_ends(builder, corner, own, -math.inf, math.inf, label)
            else:
                _set_bounds(builder, corner, row, own, label, maker, k)
            builder.corners.append(corner)


def _set_bounds(
    builder: CornerBuilder, corner: Corner, row: SetRow, own: Row, label: str, maker: RowMaker,
    k: int,
) -> None:  # fmt: skip
    """Give a corner a row with bounds, or one that cannot move backward."""
    if row.upper is None:
        if row.active is None and row.R == 0.0:
            corner.always, corner.normal, corner.level = True, own, LEVEL_VELOCITY
        else:
            _set_ends(builder, corner, own, 0.0, math.inf, label)
        return
    if isinstance(row.upper, Multipliers):
        corner.tangent, corner.mu, corner.always, corner.load = own, 1.0, True, LOAD_ROWS
        corner.multipliers = tuple(row.upper.factors.items())
        corner.constant = float(row.upper.constant)
        return
    own.upper = maker.end_of(k, row.upper, f"{label}.upper")
    if row.lower is not None:
        own.lower = maker.end_of(k, row.lower, f"{label}.lower")
    lower = 0.0 if own.lower[0] else row.lower
    _set_ends(builder, corner, own, lower, 0.0 if own.upper[0] else row.upper, label)


def _set_ends(
    builder: CornerBuilder, corner: Corner, own: Row, lower: Any, upper: Any, label: str
) -> None:
    """Give a corner a row with the ends of a set; without a lower one the set is symmetric."""
    corner.always, corner.tangent, corner.mu = True, own, 1.0
    set_bound(builder, corner, upper, f"{label}.upper")
    if lower is not None:
        corner.lower_signal = builder.signals.add(lower, f"{label}.lower", (1, 3))
    corner.endless = int(lower == -math.inf) + 2 * int(upper == math.inf)


def path_velocities(tree: TreeArrays, node: int) -> list[int]:
    """Return the velocities between a node and the root."""
    found: list[int] = []
    while node < tree.parent.size:
        found += range(tree.u_start[node], tree.u_start[node + 1])
        node = int(tree.parent[node])
    return found


def mass_arrays(
    model: Model, elements: list[Element], frames: FrameTable, tree: TreeArrays
) -> tuple[MassArrays, list[list[int]]]:
    """Return the masses of elements, and the velocities that each of them couples."""
    own, lists, sizes, addresses = [], [], [], []
    for k, e in enumerate(elements):
        part = model.part(e.part)
        if not isinstance(part, ForceElement) or part.mass is None:
            continue
        nf, nc = len(e.frames), len(e.coordinates)
        own.append(k)
        sizes.append(6 * nf + nc)
        addresses.append(inertia_slot(part.mass, nf, nc, f"{part.label}: mass"))
        moved = {u for f in e.frames for u in path_velocities(tree, frames.body[f])}
        lists.append(sorted(moved | set(e.coordinates)))
    starts = np.cumsum([0, *[n * n for n in sizes]])[:-1]
    list_starts = np.cumsum([0, *[len(found) for found in lists]])[:-1]
    arrays = MassArrays(
        element=ints(own),
        n=ints(sizes),
        start=ints(starts),
        address=ints(addresses),
        list_start=ints(list_starts),
        n_list=ints([len(found) for found in lists]),
        lists=ints([u for found in lists for u in found]),
    )
    return arrays, lists
