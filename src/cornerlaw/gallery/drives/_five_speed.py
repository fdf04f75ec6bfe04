"""A five-speed automatic gearbox with three planetary sets: tooth numbers and shift table.

The shift table is printed, the scheme of the gears is not; this one satisfies the table and the
ratios published for the gearbox (derived from them: 93/36, 100/32, 90/35).
"""

from __future__ import annotations

from cornerlaw.drives import PlanetarySet, Train

SETS = (PlanetarySet(36, 93), PlanetarySet(32, 100), PlanetarySet(35, 90))

# what an engaged element does: joins its shaft to the turbine, or holds it
ELEMENTS = {
    "A": ("joined", "X"), "B": ("joined", "Y"), "C": ("joined", "U"),
    "D": ("held", "U"), "E": ("held", "V"), "F": ("held", "Y"),
}  # fmt: skip

# in first gear the freewheel at Y does what brake F does in reverse
GEARS = {"1": "AF", "2": "AE", "3": "AD", "4": "AB", "5": "BD", "R": "CF"}


def gearbox() -> Train:
    """Return the train: X = both rear suns, Y, V and U as in the shift table, and the output."""
    relations = [
        *SETS[0].relations("U", "V", "Y"),
        *SETS[1].relations("X", "Y", "V"),
        *SETS[2].relations("X", "output", "Y"),
    ]
    # the turbine is a shaft of its own until a clutch joins it
    return Train(relations, shafts=("turbine",))


def ratio(gear: str) -> float:
    """Return turbine speed over output speed in a gear."""
    held = [ELEMENTS[e][1] for e in GEARS[gear] if ELEMENTS[e][0] == "held"]
    joined = [("turbine", ELEMENTS[e][1]) for e in GEARS[gear] if ELEMENTS[e][0] == "joined"]
    return gearbox().ratio("turbine", "output", held, joined)
