"""Smooth time integration: one compiled, resumable driver per family of methods.

Every driver packs the state as y = (q, u, x), advances it by accepted steps, brings each new state
back onto the constraints, locates the zero crossings of the indicators on the dense output and
stores rows. `layout` and `tableaus` describe arrays and coefficients and need no Numba.
"""
