"""`cornerlaw info`: versions, cache folder, processor."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer

from cornerlaw.cli.output import print_json

OPTIONAL = ("matplotlib", "xarray", "h5netcdf", "pandas", "pint", "trimesh", "sympy", "pin")
NEEDED = ("numpy", "scipy", "numba", "llvmlite", "h5py", "typer")


def info(as_json: bool = typer.Option(False, "--json", help="Print JSON instead of text.")) -> None:
    """Show versions, the folder of compiled kernels and the cores of this machine."""
    record = collect()
    if as_json:
        print_json(record)
        return
    packages = record["packages"]
    have = [f"{name} {found}" for name, found in packages.items() if found]
    lack = [name for name, found in packages.items() if not found]
    cache = record["cache"]
    state = f"{cache['files']} files, {cache['bytes'] / 1e6:.1f} MB"
    lines = [
        ("cornerlaw", record["cornerlaw"]),
        ("python", f"{record['python']} on {record['platform']}"),
        ("packages", ", ".join(have)),
        ("not installed", ", ".join(lack) or "-"),
        ("cores", str(record["cores"])),
        ("cache", cache["folder"]),
        ("compiled", "nothing yet; `cornerlaw warmup` does it ahead" if cache["cold"] else state),
    ]
    width = max(len(title) for title, _ in lines)
    typer.echo("\n".join(f"{title:<{width}}  {text}" for title, text in lines))


def collect() -> dict[str, Any]:
    """Return everything the command shows."""
    from cornerlaw._version import __version__
    from cornerlaw.kernels._numba import CACHE_FOLDER, is_cold

    files = [path for path in CACHE_FOLDER.iterdir() if path.suffix in (".nbi", ".nbc")]
    return {
        "cornerlaw": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in (*NEEDED, *OPTIONAL)},
        "cores": os.cpu_count() or 1,
        "cache": {
            "folder": str(CACHE_FOLDER),
            "files": len(files),
            "bytes": sum(path.stat().st_size for path in files),
            "cold": is_cold(),
        },
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
