"""The slider-crank with a clearance joint: contact is lost and found, and what steps leave open."""

from __future__ import annotations

import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl
from cornerlaw.gallery.contacts import clearance_slider_crank as crank

P = crank.Parameters()
END = 0.05


def test_contact_is_lost_and_found(figure: Figure) -> None:
    sol = crank.simulate(P, progress=False)
    kinds = [event.kind for event in sol.events if event.name == "play"]
    figure("impacts and losses of contact", f"{kinds.count('impact')} {kinds.count('detach')}")
    assert kinds.count("impact") >= 2 and kinds.count("detach") >= 1
    assert sol["play"].gap.min() > -1e-9
    away = float(sol["play"].gap.max()) / P.clearance
    figure("largest gap over the clearance", away)
    # some percent: far above rounding and the tolerance of the integration
    assert 0.01 < away < 1.0


# at the longest step the pin turns by 0.09 rad on a circle of 0.5 mm, whose chord is 2e-6 m off
@pytest.mark.contact_laws(gap_tol=2.5e-6)
def test_gaps_under_force_vanish_with_the_square_of_the_step(figure: Figure) -> None:
    """All rows are stored. The normal turns within a step, the laws hold for that of its middle."""
    steps = 2e-4 * 0.5 ** np.arange(5)
    opened = []
    for dt in steps:
        sol = cl.simulate(crank.build(P), END, method=cl.Moreau(dt=dt), progress=False)
        assert len(sol.t) == round(END / dt) + 1
        force, gap, normal = sol["play"].lam_N, sol["play"].gap, sol["play"].normal
        pressed = (force > 1e-8 * force.max()) & np.roll(force > 0.0, 1)
        turn = np.linalg.norm(np.diff(normal, axis=0, prepend=normal[:1]), axis=1)
        opened.append(float(gap[pressed].max()))
        # what the chord of the turn leaves between pin and bore, of the fastest turn under force
        assert opened[-1] <= P.clearance * float(turn[pressed].max()) ** 2
        assert gap.min() > -1e-12
    order = float(np.polyfit(np.log(steps), np.log(opened), 1)[0])
    figure("gaps under force [m]", " ".join(f"{gap:.2e}" for gap in opened))
    figure("order of the gaps", order)
    assert order == pytest.approx(2.0, abs=0.1)
