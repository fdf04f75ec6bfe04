"""Solvers of complementarity problems (G, c, sets); they know neither bodies nor time."""
