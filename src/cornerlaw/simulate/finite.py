"""Energies that elements store must be numbers: a run in which one is not has not succeeded."""

from __future__ import annotations

import numpy as np

from cornerlaw.simulate.evaluation import Evaluation

BUDGET = 200_000  # rows times coordinates and elements that are evaluated for this


def energies_not_finite(evaluation: Evaluation) -> list[str]:
    """Return a sentence for every element whose stored energy is not finite in the stored rows.

    States stay finite where a law has left the range in which it means something, such as a
    pressure far below vacuum after steps that are too long; the energy tells. Long runs of large
    models are looked at in equally spaced rows.
    """
    system = evaluation.system
    elements = system.compiled.elements
    storing = [(k, element.part) for k, element in enumerate(elements) if element.energy_address]
    if not storing or not evaluation.t.size:
        return []
    most = max(BUDGET // (system.arrays.nq + len(elements)), 100)
    seen = evaluation
    if evaluation.t.size > most:
        if system.compiled.pool is not None:
            return []
        rows = np.unique(np.linspace(0, evaluation.t.size - 1, most).astype(np.intp))
        e = evaluation
        seen = Evaluation(system, e.t[rows], e.q[rows], e.u[rows], e.x[rows], None, e.sampler)
    found = []
    for k, part in storing:
        wrong = ~np.isfinite(seen.outputs.stored[:, k])
        if wrong.any():
            found.append(
                f"the energy of {part!r} is not finite at t = {seen.t[np.argmax(wrong)]:g} s and "
                f"in {int(wrong.sum())} of {seen.t.size} rows; try a smaller step"
            )
    return found
