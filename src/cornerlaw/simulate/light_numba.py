"""Load Numba's functions of arrays without SciPy's BLAS, which kernels never call."""

from __future__ import annotations

import sys


def load_lightly() -> None:
    """Let Numba take BLAS for granted until somebody's function calls it.

    When Numba loads its versions of NumPy's functions it imports SciPy's linear algebra, only to
    know that it is there: a fifth of a second of every first run. SciPy is always there, and a
    function that uses `np.dot` or `np.linalg` imports it when it is compiled.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    try:
        from numba.np import linalg

        found = linalg.ensure_blas
    except (ImportError, AttributeError):
        return  # another release of Numba, which may do as it likes
    linalg.ensure_blas = lambda: None
    try:
        import numba.np.arraymath

        numba.np.arraymath.ensure_blas = found
    finally:
        linalg.ensure_blas = found
