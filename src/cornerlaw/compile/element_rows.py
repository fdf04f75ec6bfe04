"""Rows and masses that the user's elements declare, as rows, corners and mass matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays import kinds
from cornerlaw.arrays.corners import LEVEL_VELOCITY
from cornerlaw.arrays.model_arrays import MassArrays, TreeArrays
from cornerlaw.compile.corner_elements import set_bound, set_friction, set_law, set_restitution
from cornerlaw.compile.corners import Corner, CornerBuilder
from cornerlaw.compile.element_functions import inertia_slot, row_slot
from cornerlaw.compile.elements import Element
from cornerlaw.compile.rows import Row
from cornerlaw.compile.tables import FrameTable, ints
from cornerlaw.model import BilateralRow, ForceElement, Model, SetRow
from cornerlaw.model.element_rows import ElementRow


def _rows_of(model: Model, element: Element) -> tuple[Any, dict[str, ElementRow]]:
    """Return the part behind an element and the rows that it declares."""
    part: Any = model.part(element.part)
    return part, getattr(part, "rows", None) or {}


def _row(part: Any, k: int, e: Element, name: str, function: Any, scale: float, end: str) -> Row:
    """Return a row that element k evaluates; with frames its gap is taken for a length."""
    nf, nc = len(e.frames), len(e.coordinates)
    return Row(
        f"{part.name}.{name}",
        kinds.ROW_ELEMENT,
        items=(k,),
        address=row_slot(function, nf, nc, f"{part.label}: rows[{name}]{end}"),
        scale=scale if nf else 1.0,
        label=name,
        n_entries=nf + nc,
    )


def bilateral_rows(model: Model, elements: list[Element], scale: float) -> list[Row]:
    """Return the rows of elements that hold."""
    found = []
    for k, element in enumerate(elements):
        part, rows = _rows_of(model, element)
        for name, row in rows.items():
            if isinstance(row, BilateralRow):
                made = _row(part, k, element, name, row.function, scale, "")
                made.holonomic = row.level == "position"
                found.append(made)
    return found


def add_element_corners(builder: CornerBuilder, elements: list[Element]) -> None:
    """Append the corners of the set-valued rows of elements."""
    for k, element in enumerate(elements):
        part, rows = _rows_of(builder.model, element)
        for name, row in rows.items():
            if isinstance(row, BilateralRow):
                continue
            corner = Corner(part.name, f"{part.name}.{name}")
            label = f"{part.label}: rows[{name}]"

            def made(function: Any, end: str = "") -> Row:
                return _row(part, k, element, name, function, builder.scale, end)  # noqa: B023

            if isinstance(row, SetRow):
                _set_bounds(builder, corner, row, made(row.function), label)
            else:
                corner.normal = made(row.function)
                corner.eps_T, corner.eps_speed = float(row.eps_T), float(row.eps_speed)
                set_friction(builder, corner, row.mu, f"{label}.mu")
                if corner.mu > 0.0 or corner.mu_signal >= 0:
                    corner.tangent = made(row.tangent, ".tangent")
                set_restitution(builder, corner, row.eps_N, f"{label}.eps_N")
                set_law(corner, row.law)
            builder.corners.append(corner)


def _set_bounds(builder: CornerBuilder, corner: Corner, row: SetRow, own: Row, label: str) -> None:
    """Give a corner a row with bounds, or one that cannot move backward."""
    corner.always = True
    if row.upper is None:
        corner.normal, corner.level = own, LEVEL_VELOCITY
        return
    corner.tangent, corner.mu = own, 1.0
    set_bound(builder, corner, row.upper, f"{label}.upper")
    corner.lower_signal = builder.signals.add(row.lower, f"{label}.lower", (1, 3))


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
