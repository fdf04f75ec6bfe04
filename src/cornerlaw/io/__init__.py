"""Exchange with other software: model formats, co-simulation, contact problems.

Results have their own files, NetCDF and CSV: see `cornerlaw.results`.
"""
