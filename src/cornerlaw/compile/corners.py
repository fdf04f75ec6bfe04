"""Set-valued elements as corners: the rows they act on and the laws they obey."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cornerlaw.arrays.corners import (
    LEVEL_POSITION,
    LOAD_NORMAL,
    MOTION_SLIDE,
    NORMAL_RIGID,
    ContourArrays,
    CornerArrays,
    SlotArrays,
)
from cornerlaw.compile.rows import Row
from cornerlaw.compile.tables import FrameTable, SignalTable, floats, ints
from cornerlaw.errors import ModelError
from cornerlaw.model import Model
from cornerlaw.model.arguments import unknown


@dataclass
class ContourData:
    """One contour: numbers in the axes of the marker it sits on."""

    part: str
    kind: int
    frame: int
    data: tuple[float, ...] = ()
    size: int = 0
    address: int = 0
    reach: float = math.inf  # radius of a ball about the marker that contains it
    thickness: float = 0.0  # radius of the largest ball inside


@dataclass
class Slot:
    """One contact slot of a pair of contours."""

    contour_1: int
    contour_2: int
    feature: int = 0
    place: int = 0  # among the slots of the pair
    count: int = 1  # slots of the pair


@dataclass
class Corner:
    """One set-valued element: a normal row, a tangential row or both.

    A contact has a slot, which gives both rows; all other corners give `normal` and `tangent` as
    rows of the same kinds as constraints (g >= 0 instead of g = 0).
    """

    part: str
    label: str  # name in results and messages
    slot: Slot | None = None
    normal: Row | None = None
    tangent: Row | None = None
    rotation: tuple[Row, ...] = ()  # in place of `tangent`: all directions of a relative rotation
    n_T: int = 0  # of a contact: tangential rows
    motion: int = MOTION_SLIDE  # and what they measure
    leader: int = -1  # corner of the contact that this one belongs to
    ratio: float = 1.0
    lever: float = 0.0
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)
    axis_side: int = 2
    always: bool = False
    level: int = LEVEL_POSITION
    load: int = LOAD_NORMAL
    mu: float = 0.0
    mu_signal: int = -1
    load_signal: int = -1
    lower_signal: int = -1
    load_rows: tuple[int, ...] = ()
    load_factor: float = 1.0
    mu_minus: float = 1.0
    eps_N: float = 0.0
    eps_N_signal: int = -1
    eps_speed: float = 0.0
    eps_T: float = 0.0
    surface: int = -1
    normal_law: int = NORMAL_RIGID
    law_data: tuple[float, ...] = ()
    R: float = 0.0  # compliance
    endless: int = 0  # ends of the set that are infinite, see CornerArrays
    hold: bool = False  # a bilateral row that holds its gap
    multipliers: tuple[tuple[str, float], ...] = ()  # names and factors that make the bound
    constant: float = 0.0  # and what is added to them


@dataclass
class CornerBuilder:
    """Collect contours, slots and corners of a model; they end as arrays."""

    model: Model
    frames: FrameTable
    signals: SignalTable
    find: Any  # coordinate of a reference, see find_coordinate
    rows: list[Row]  # the bilateral rows
    scale: float = 1.0  # a length of the model's size
    contours: list[ContourData] = field(default_factory=list)
    corners: list[Corner] = field(default_factory=list)
    # part -> places in contours, several for a mesh that is cut into pieces
    contour_of: dict[str, range] = field(default_factory=dict)

    def template_rows(self) -> list[Row]:
        """Return one row for every normal and tangential row of the corners, in their order."""
        found: list[Row] = []
        for corner in self.corners:
            blank = Row(corner.label, 0, scale=self.scale)
            if corner.slot is not None:
                found += [blank] * (int(corner.leader < 0) + corner.n_T)
            else:
                rows = (corner.normal, corner.tangent, *corner.rotation)
                found += [row for row in rows if row is not None]
        return found

    def _numbered(self) -> tuple[list[int], list[int], list[int]]:
        """Return the normal row, the first tangential row and the number of these per corner."""
        row = len(self.rows)
        normal, tangent, counts = [], [], []
        for corner in self.corners:
            in_contact = corner.slot is not None
            has_N = corner.leader < 0 if in_contact else corner.normal is not None
            own = len(corner.rotation) or int(corner.tangent is not None)
            n_T = corner.n_T if in_contact else own
            normal.append(row if has_N else -1)
            row += int(has_N)
            tangent.append(row if n_T else -1)
            row += n_T
            counts.append(n_T)
        return normal, tangent, counts

    def _multiplier(
        self, name: str, user: Corner, normal: list[int], tangent: list[int]
    ) -> int:  # fmt: skip
        """Return the row whose multiplier has a name: a bilateral row or that of a corner."""
        own = [i for i, row in enumerate(self.rows) if row.part == name]
        for k, corner in enumerate(self.corners):
            if corner.label == name and corner is not user:
                own.append(normal[k] if normal[k] >= 0 else tangent[k])
        label = f"'{user.label}': upper follows a multiplier"
        if len(own) == 1:
            return own[0]
        if own:
            raise ModelError(f"{label} of {name!r}, which has {len(own)} of them")
        known = {row.part for row in self.rows} | {corner.label for corner in self.corners}
        raise unknown(f"{label} of an unknown row", name, sorted(known - {user.label}))

    def contour_arrays(self) -> ContourArrays:
        """Return the contours as arrays."""
        starts, data = _concatenate([c.data for c in self.contours])
        return ContourArrays(
            kind=ints([c.kind for c in self.contours]),
            frame=ints([c.frame for c in self.contours]),
            start=ints(starts),
            size=ints([c.size for c in self.contours]),
            address=ints([c.address for c in self.contours]),
            reach=floats([c.reach for c in self.contours]),
            thickness=floats([c.thickness for c in self.contours]),
            data=floats(data),
        )

    def slot_arrays(self) -> SlotArrays:
        """Return the contact slots as arrays, in the order of their corners."""
        slots = [c.slot for c in self.corners if c.slot is not None and c.leader < 0]
        return SlotArrays(
            contour_1=ints([s.contour_1 for s in slots]),
            contour_2=ints([s.contour_2 for s in slots]),
            feature=ints([s.feature for s in slots]),
            start=ints([4 * k for k in range(len(slots))]),
            first=ints([k - s.place for k, s in enumerate(slots)]),
            count=ints([s.count for s in slots]),
        )

    def arrays(self) -> CornerArrays:
        """Return the corners as arrays."""
        c = self.corners
        normal, tangent, counts = self._numbered()
        slots: list[int] = []
        n = 0
        for corner in c:
            if corner.leader >= 0:
                slots.append(slots[corner.leader])
                continue
            slots.append(n if corner.slot is not None else -1)
            n += int(corner.slot is not None)
        followed = [
            tuple(self._multiplier(name, x, normal, tangent) for name, _ in x.multipliers)
            for x in c
        ]
        loads = [(x.constant, *(b for _, b in x.multipliers)) if x.multipliers else () for x in c]
        law_starts, data = _concatenate([(*x.law_data, *y) for x, y in zip(c, loads, strict=True)])
        list_starts, lists = _concatenate(
            [x.load_rows or rows for x, rows in zip(c, followed, strict=True)]
        )
        return CornerArrays(
            row_N=ints(normal),
            row_T=ints(tangent),
            n_T=ints(counts),
            motion=ints([x.motion for x in c]),
            leader=ints([x.leader for x in c]),
            load_row=ints([normal[x.leader if x.leader >= 0 else k] for k, x in enumerate(c)]),
            ratio=floats([x.ratio for x in c]),
            lever=floats([x.lever for x in c]),
            axis=np.array([x.axis for x in c], dtype=np.float64).reshape(len(c), 3),
            axis_side=ints([x.axis_side for x in c]),
            slot=ints(slots),
            always=ints([int(x.always) for x in c]),
            level=ints([x.level for x in c]),
            load=ints([x.load for x in c]),
            mu=floats([x.mu for x in c]),
            mu_signal=ints([x.mu_signal for x in c]),
            load_signal=ints([x.load_signal for x in c]),
            lower_signal=ints([x.lower_signal for x in c]),
            load_start=ints(list_starts),
            load_count=ints([len(x.load_rows or x.multipliers) for x in c]),
            load_factor=floats([x.load_factor for x in c]),
            mu_minus=floats([x.mu_minus for x in c]),
            eps_N=floats([x.eps_N for x in c]),
            eps_N_signal=ints([x.eps_N_signal for x in c]),
            eps_speed=floats([x.eps_speed for x in c]),
            eps_T=floats([x.eps_T for x in c]),
            surface=ints([x.surface for x in c]),
            normal_law=ints([x.normal_law for x in c]),
            law_start=ints(law_starts),
            affine=ints(
                [
                    start + len(x.law_data) if x.multipliers else -1
                    for start, x in zip(law_starts, c, strict=True)
                ]
            ),
            R=floats([x.R for x in c]),
            endless=ints([x.endless for x in c]),
            hold=ints([int(x.hold) for x in c]),
            lists=ints(lists),
            data=floats(data),
        )


def _concatenate(groups: list[tuple[Any, ...]]) -> tuple[list[int], list[Any]]:
    """Return where each group starts, and all groups one after the other."""
    starts: list[int] = []
    data: list[Any] = []
    for group in groups:
        starts.append(len(data))
        data += group
    return starts, data
