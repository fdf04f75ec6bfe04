"""Systems of the gallery by the names that commands are given."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from cornerlaw.errors import UnknownNameError

if TYPE_CHECKING:
    from cornerlaw.gallery.registry import System


def find_system(name: str) -> System:
    """Return the system with this name or id; a Python file is not one, and it says what to do."""
    from cornerlaw import gallery

    if is_python_file(name):
        raise UnknownNameError(
            f"{name!r} is a Python file, not a system of the gallery; run a file with: "
            f"python {shlex.quote(name)}"
        )
    return gallery.find(name)


def is_python_file(name: str) -> bool:
    """Return whether a name is that of a Python program, whether it exists or not."""
    return name.lower().endswith(".py")


def counted(number: int, word: str) -> str:
    """Write a number of things: 1 system, 2 systems."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
