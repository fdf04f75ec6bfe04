"""Systems from the literature, by topic: models with parameters, references, checks and figures.

from cornerlaw import gallery

system = gallery.find("pendulum")
sol = system.run(amplitude=1.0)
for result in system.check():
    print(result.name, result.value, result.ok)
"""

from cornerlaw.gallery.contract import Check, Erratum, Reference, compare, parameter
from cornerlaw.gallery.registry import (
    BrokenSystem,
    Field,
    Mutation,
    System,
    broken,
    find,
    find_all,
    systems,
    topics,
)

__all__ = [
    "BrokenSystem",
    "Check",
    "Erratum",
    "Field",
    "Mutation",
    "Reference",
    "System",
    "broken",
    "compare",
    "find",
    "find_all",
    "parameter",
    "systems",
    "topics",
]
