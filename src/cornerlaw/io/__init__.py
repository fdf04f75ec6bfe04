"""Exchange with other software: model formats, co-simulation, contact problems.

Results have their own files, NetCDF and CSV: see `cornerlaw.results`.
"""

from cornerlaw.io.fclib import read_fclib, write_fclib
from cornerlaw.io.siconos import read_siconos

__all__ = ["read_fclib", "read_siconos", "write_fclib"]
