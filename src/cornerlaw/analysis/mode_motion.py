"""mode_motion(): one mode of small vibrations as a motion to be watched."""

from __future__ import annotations

import numpy as np

from cornerlaw.analysis.linearise import Mode
from cornerlaw.errors import UsageError
from cornerlaw.model import Model
from cornerlaw.results import Solution
from cornerlaw.simulate.states import At, coordinate_label, place, solution_of
from cornerlaw.simulate.tangent import Tangent
from cornerlaw.simulate.terms import coordinate_scales


def mode_motion(
    model: Model,
    mode: Mode,
    at: At = None,
    t: float | None = None,
    *,
    amplitude: float = 0.2,
    frames: int = 60,
) -> Solution:
    """Return one period of a mode as a Solution, for `view`, `to_html`, `to_video` and `frame`.

        sol = cl.mode_motion(model, cl.linearise(model).modes[0])
        sol.to_html("mode.html")

    mode        of `cl.linearise(model, at, t)`; at and t as given there
    amplitude   of the coordinate that moves most: [rad], or for lengths in lengths of the model
    frames      rows of the result

    Damping is left out, so that the motion closes; a mode that does not oscillate takes 1 s.
    Constraints hold at every row, velocities are those of the small motion.
    """
    if not mode.shape:
        raise UsageError("mode_motion: in this mode no coordinate moves, only other states do")
    if isinstance(frames, bool) or frames < 4:
        raise UsageError(f"mode_motion: frames must be at least 4, got {frames!r}")
    placed = place(model, at, t)
    tangent = Tangent(placed)
    by_u = {c.u: c for c in placed.system.compiled.numbering.coordinates}
    labels = [coordinate_label(by_u[int(j)]) for j in tangent.free]
    if set(labels) != set(mode.shape):
        raise UsageError(
            f"mode_motion: the mode is not one of the model '{model.name}' in this state"
        )
    own = [coordinate_label(by_u[int(j)]) for j in tangent.position.independent]
    largest = max(mode.shape, key=lambda name: abs(mode.shape[name]))
    unit = coordinate_scales(placed.system)[int(tangent.free[labels.index(largest)])]
    y = amplitude * unit * np.array([mode.shape[name] for name in own])
    omega = 2.0 * np.pi * (mode.frequency or 1.0)
    phase = np.linspace(0.0, 2.0 * np.pi, int(frames))
    turned = np.exp(1j * phase)[:, None] * y
    q = np.array([tangent.move_position(row) for row in turned.real])
    u = placed.u + (1j * omega * turned).real @ tangent.position.basis.T
    x = np.tile(placed.x, (len(phase), 1))
    text = f"mode of {mode.frequency:.4g} Hz"
    sol: Solution = solution_of(placed, phase / omega, q, u, x, text)
    return sol
