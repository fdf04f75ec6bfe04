"""The derivatives that a user gives of a law, compared with differences of the law.

Both functions are called by the interpreter, on a copy of the arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.model import ForceElement
from cornerlaw.model.rotation import cardan
from cornerlaw.simulate.system import System

STEP = 1e-5  # of the differences, relative
TOLERANCE = 1e-3  # relative to the largest derivative; differences are good to some 1e-6


def doubtful_derivatives(
    system: System, k: int, part: ForceElement, t: float, q: Floats, u: Floats, x: Floats
) -> list[str]:
    """Return a sentence if force_jacobian of element k is not the derivative of its law."""
    from cornerlaw.kernels.user_indicators import eval_law_arguments

    e = system.compiled.elements[k]
    n = eval_law_arguments(system.m, system.w, k, float(t), q.copy(), u.copy(), x)
    inp = system.work.slot_in[: n - e.n_switches].copy()
    law = _Law(part, len(e.frames), len(e.coordinates), len(e.states) - e.n_discrete, e.data)
    try:
        D, expected = law.derivatives(inp), law.differences(inp)
    except Exception:
        return []  # what the interpreter cannot call, compiled code may; or it fails in the run
    wrong = ~(np.abs(D - expected) <= TOLERANCE * np.abs(expected).max() + 1e-9)
    if not wrong.any():
        return []
    i, j = (int(places[0]) for places in np.nonzero(wrong))
    return [
        f"{part.label}: force_jacobian differs from differences of the law at the start: "
        f"D[{i}, {j}] is {D[i, j]:.6g}, expected {expected[i, j]:.6g}"
    ]


def _plain(function: Any) -> Any:
    """Return a function as the interpreter calls it."""
    inner = getattr(function, "function", function)
    return getattr(inner, "py_func", inner)


class _Law:
    """A law and its derivatives on the buffer of its arguments, see kernels/own_laws.py."""

    def __init__(self, part: ForceElement, nf: int, nc: int, nx: int, data: Any) -> None:
        self.law, self.jacobian = _plain(part.law), _plain(part.force_jacobian)
        self.nf, self.nc, self.nx, self.p = nf, nc, nx, np.array(data)
        self.shape = (6 * nf + nc + nx, 12 * nf + 2 * nc + nx)

    def arguments(self, inp: Floats) -> tuple[Any, ...]:
        """Return t, r, A, v, Omega, q, u, x (z) and p."""
        nf, nc = self.nf, self.nc
        cuts = np.cumsum([1, 3 * nf, 9 * nf, 3 * nf, 3 * nf, nc, nc, self.nx])
        t, r, A, v, Omega, q, u, x, z = np.split(inp.copy(), cuts)
        r, v, Omega = r.reshape(nf, 3), v.reshape(nf, 3), Omega.reshape(nf, 3)
        states = (x, z) if z.size else (x,)
        return (float(t[0]), r, A.reshape(nf, 3, 3), v, Omega, q, u, *states, self.p)

    def derivatives(self, inp: Floats) -> Floats:
        """Return what the user's function says."""
        D = np.zeros(self.shape)
        self.jacobian(*self.arguments(inp), D)
        return D

    def results(self, inp: Floats) -> Floats:
        """Return F, M, Q and x_dot in one array."""
        out = [np.zeros((self.nf, 3)), np.zeros((self.nf, 3)), np.zeros(self.nc), np.zeros(self.nx)]
        self.law(*self.arguments(inp), *out)
        return np.concatenate([array.ravel() for array in out])

    def moved(self, inp: Floats, j: int, step: float) -> tuple[Floats, float]:
        """Return the arguments with the one of column j changed, and by how much."""
        nf, new = self.nf, inp.copy()
        if 3 * nf <= j < 6 * nf:
            frame, axis = divmod(j - 3 * nf, 3)
            turn = [0.0, 0.0, 0.0]
            turn[axis] = step
            place = slice(1 + 3 * nf + 9 * frame, 10 + 3 * nf + 9 * frame)
            new[place] = (np.array(cardan(*turn)) @ inp[place].reshape(3, 3)).ravel()
            return new, step
        # a rotation has nine numbers in the buffer and three columns
        place_of = 1 + j if j < 3 * nf else 1 + j + 6 * nf
        change = step * max(1.0, abs(float(inp[place_of])))
        new[place_of] += change
        return new, change

    def differences(self, inp: Floats) -> Floats:
        """Return the derivatives of the law by central differences."""
        found = np.zeros(self.shape)
        for j in range(self.shape[1]):
            high, change = self.moved(inp, j, STEP)
            low, _ = self.moved(inp, j, -STEP)
            found[:, j] = (self.results(high) - self.results(low)) / (2.0 * change)
        return found
