"""The solver of large problems: compact rows, factors in the space of velocities."""
