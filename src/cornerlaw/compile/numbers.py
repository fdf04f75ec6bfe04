"""Other numbers of contacts, corners and forces in a compiled model.

Of two models that differ in such numbers only, the second one needs no tree, no numbering and no
arrays of its own: the parts that differ are compiled by themselves, and where nothing but numbers
comes out differently, these are written to their places.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cornerlaw.compile.compiled import Compiled, add_corner_part
from cornerlaw.compile.corners import Corner, CornerBuilder
from cornerlaw.compile.elements import Element, ElementBuilder
from cornerlaw.compile.functions import new_collection
from cornerlaw.compile.tables import SignalTable
from cornerlaw.model import Model, Part
from cornerlaw.model.binding import same_but_numbers

# numbers of a corner that are an array of that name
CORNER_NUMBERS = (
    "mu", "mu_minus", "load_factor", "eps_N", "eps_speed", "eps_T", "ratio", "lever",
)  # fmt: skip


def with_numbers_of(compiled: Compiled, model: Model) -> Compiled | None:
    """Return the compiled model with the numbers of another one, written to the same arrays.

    None, and nothing written, where the models differ in more, or where arrays hold what a run has
    found.
    """
    changed = _changed_parts(compiled, model)
    if changed is None:
        return None
    corners, elements = list(compiled.corners), list(compiled.elements)
    builders = _Builders(compiled, model)
    for part in changed:
        is_force = part.ROLE == "force"
        if not (builders.force(part, elements) if is_force else builders.corner(part, corners)):
            return None
    _write(compiled, corners, elements)
    return replace(compiled, model=model, corners=corners, elements=elements)


def _changed_parts(compiled: Compiled, model: Model) -> list[Part] | None:
    """Return the contacts, corners and forces that differ in numbers, None if others do."""
    old = compiled.model
    whole = (model.gravity, model.coordinates, model.name, len(model.parts))
    if whole != (old.gravity, old.coordinates, old.name, len(old.parts)):
        return None
    functions = compiled.functions
    if compiled.pool is not None or functions.holders or functions.callbacks:
        return None
    # lengths at the start stand in the arrays of rows and elements
    if any(row.initial for row in compiled.rows) or any(e.initial for e in compiled.elements):
        return None
    changed = []
    for a, b in zip(old.parts, model.parts, strict=True):
        if a is b:
            continue
        if a.ROLE not in ("contact", "corner", "force") or type(a) is not type(b):
            return None
        if a.name != b.name or not same_but_numbers(a, b):
            return None
        # points count for the typical length of a model
        if any(getattr(a, at, None) != getattr(b, at, None) for at in ("at", "at_second")):
            return None
        changed.append(b)
    return changed


class _Builders:
    """The builders of a compiled model, for single parts once more."""

    def __init__(self, compiled: Compiled, model: Model) -> None:
        frames, find = compiled.frames, compiled.find
        new_collection()  # labels of functions are known
        self.signals, self.frames = SignalTable(), frames
        self.corners = CornerBuilder(
            model, frames, self.signals, find, compiled.rows, compiled.scale,
            contours=compiled.contour_data, contour_of=compiled.contours,
        )  # fmt: skip
        self._known = self._places
        self.elements = ElementBuilder(model, frames, self.signals, find)

    @property
    def _places(self) -> tuple[int, int, int]:
        """The numbers of signals, markers and contours."""
        return len(self.signals.kind), len(self.frames.body), len(self.corners.contours)

    def corner(self, part: Part, corners: list[Corner]) -> bool:
        """Put the corners of a part in place of those that were; False if they are others."""
        places = [c for c, corner in enumerate(corners) if corner.part == part.name]
        if not places:
            return False
        first = places[0]
        # leaders are counted among all corners
        self.corners.corners = corners[:first]
        add_corner_part(self.corners, part)
        fresh = self.corners.corners[first:]
        if self._places != self._known or len(fresh) != len(places):
            return False
        for c, corner in enumerate(fresh, start=first):
            old = corners[c]
            kept = {name: getattr(old, name) for name in CORNER_NUMBERS}
            if replace(corner, **kept, law_data=old.law_data) != old:
                return False
            if len(corner.law_data) != len(old.law_data):
                return False
            corners[c] = corner
        return True

    def force(self, part: Part, elements: list[Element]) -> bool:
        """Put the element of a part in place of the one that was; False if it is another one."""
        places = [k for k, element in enumerate(elements) if element.part == part.name]
        # rows and masses of an element have numbers in other arrays as well
        if len(places) != 1 or getattr(part, "rows", None) or getattr(part, "mass", None):
            return False
        old = elements[places[0]]
        self.elements.add(part)
        fresh = replace(self.elements.elements.pop(), x_start=old.x_start)
        if self._places != self._known or len(fresh.data) != len(old.data):
            return False
        if replace(fresh, data=old.data) != old:
            return False
        elements[places[0]] = fresh
        return True


def _write(compiled: Compiled, corners: list[Corner], elements: list[Element]) -> None:
    """Write the numbers of new corners and elements to the arrays."""
    a: Any = compiled.arrays.corners
    for c, corner in enumerate(corners):
        if corner is not compiled.corners[c]:
            for name in CORNER_NUMBERS:
                getattr(a, name)[c] = getattr(corner, name)
            start = a.law_start[c]
            a.data[start : start + len(corner.law_data)] = corner.law_data
    e = compiled.arrays.elements
    for k, element in enumerate(elements):
        if element is not compiled.elements[k]:
            e.data[e.start[k] : e.start[k] + len(element.data)] = element.data
