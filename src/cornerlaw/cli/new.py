"""`cornerlaw new`: write a model to start from."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from cornerlaw.cli.output import check_target
from cornerlaw.errors import FileError, OutputError, UsageError

TEMPLATE = Path(__file__).with_name("template.py")
# a script of this name would be imported in place of the package
TAKEN = {"cornerlaw", "h5py", "matplotlib", "numba", "numpy", "scipy"} | sys.stdlib_module_names


def new(file: Path = typer.Argument(metavar="FILE.py", help="File to write (.py).")) -> None:
    """Write a small model with a joint and a contact that runs as it stands; never overwrites."""
    check_target(file, ("py",))
    if file.stem in TAKEN:
        raise UsageError(f'"{file.name}" would hide the Python module {file.stem}; name it else.')
    text = TEMPLATE.read_text(encoding="utf-8").replace("{file}", file.name)
    try:
        # "x" refuses a file that exists, also one that appears at this moment
        with file.open("x", encoding="utf-8", newline="\n") as target:
            target.write(text)
    except FileExistsError:
        raise FileError(f'"{file}" exists already; give another name.') from None
    except OSError as error:
        raise OutputError(f'"{file}" cannot be written: {error.strerror}.') from None
    typer.echo(f"wrote {file}\nrun it: python {file}")
