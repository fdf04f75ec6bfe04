"""Floors: programs in C for exactly one scene, compiled on the spot."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "floors"
FLAGS = ("-O3", "-march=native")


def compile_floor(name: str, folder: Path) -> Path | None:
    """Compile a floor into a folder; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = folder / name
    subprocess.run(
        [compiler, *FLAGS, "-o", str(program), str(FOLDER / f"{name}.c"), "-lm"], check=True
    )
    return program
