"""Bouncing ball and column of beads against the published runs of Siconos, on both roads."""

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from figures import Figure

import cornerlaw as cl
from cornerlaw.gallery.impacts import bead_column

DATA = Path(__file__).parents[1] / "data" / "siconos"
# tables have 16 digits; both codes add the round-off of some thousand steps
EXACT = 1e-12


def load(name: str) -> np.ndarray:
    """Return the table of a run."""
    with gzip.open(DATA / f"{name}.ref.gz", "rt") as file:
        rows, columns = (int(word) for word in file.readline().split())
        table = np.loadtxt(file)
    assert table.shape == (rows, columns)
    return table


def ball_model() -> cl.Model:
    """Return the ball of the published runs: 1 m above the floor, e = 0.9, gap = height."""
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 1.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(ball, floor, eps_N=0.9)
    return cl.Model(ball, floor, contact, gravity=(0.0, -9.81))


def rows_of(sol: cl.Solution, times: np.ndarray) -> np.ndarray:
    """Return the row of the run for every time; of two equal times the first is the left limit.

    Times of impacts agree to round-off only.
    """
    found, last = [], -1.0
    for t in times:
        close = np.flatnonzero(np.abs(sol.t - t) < 1e-9)
        repeated = abs(t - last) < 1e-9
        # left limit first; three rows at t = 0 are the same state
        found.append(close[-1] if repeated or t == 0.0 else close[0])
        last = t
    return np.array(found)


# without position correction the ball rests where the last step left it, some g dt^2 deep
@pytest.mark.trust("TR-N-23")
@pytest.mark.contact_laws(gap_tol=1e-4)
def test_bouncing_ball_by_time_stepping(figure: Figure) -> None:
    """The scheme itself, with its own penetration: heights, velocities, impulses of all steps."""
    table = load("BouncingBallTS")
    method = cl.Moreau(dt=5e-3, stabilise=False, activation=0.0)
    sol = cl.simulate(ball_model(), t_end=10.0, method=method, progress=False)
    assert sol.t == pytest.approx(table[:, 0], abs=EXACT)
    figure("heights [m]", float(np.abs(sol["ball"].position[:, 1] - table[:, 1]).max()), EXACT)
    assert np.abs(sol["ball"].position[:, 1] - table[:, 1]).max() < EXACT
    assert np.abs(sol["ball"].velocity[:, 1] - table[:, 2]).max() < EXACT
    # the row of a step holds its impulse, which acts with gravity's; the first row is the start
    assert np.abs(sol["ball-floor"].Lambda_N - table[:, 3]).max() < EXACT


@pytest.mark.trust("TR-N-23")
def test_bouncing_ball_event_driven(figure: Figure) -> None:
    """Heights and velocities at all rows, both limits of all impacts, and their impulses."""
    table = load("BouncingBallED")
    impacts = np.flatnonzero(np.diff(table[:, 0]) < 1e-9)
    regular = np.setdiff1d(np.arange(len(table)), [*impacts, *(impacts + 1)])
    # speeds of impacts go down to some cm/s: none is taken as the last
    method = cl.EventDriven(rtol=1e-12, atol=1e-14)
    sol = cl.simulate(
        ball_model(), t_end=8.5, method=method, t_eval=table[regular, 0], progress=False
    )
    rows = rows_of(sol, table[:, 0])
    # the table's own impact times are up to 4.7e-12 s off the closed form
    first = math.sqrt(2.0 / 9.81)
    exact = first * (1.0 + 2.0 * np.cumsum([0.0, *0.9 ** np.arange(1, len(impacts))]))
    assert 1e-12 < np.abs(table[impacts, 0] - exact).max() < 5e-12
    assert np.abs(sol.t[rows[impacts]] - exact).max() < EXACT
    assert np.abs(sol.t[rows] - table[:, 0]).max() < 1e-11
    figure("heights [m]", float(np.abs(sol["ball"].position[rows, 1] - table[:, 1]).max()), EXACT)
    assert np.abs(sol["ball"].position[rows, 1] - table[:, 1]).max() < EXACT
    # gravity over these differences of time
    assert np.abs(sol["ball"].velocity[rows, 1] - table[:, 2]).max() < 1e-10
    found = [e.data["Lambda_N"] for e in sol.events if e.kind == "impact"]
    assert len(found) == len(impacts) > 40
    assert np.abs(found - table[impacts, 3]).max() < 1e-10


@pytest.mark.trust("TR-N-23")
def test_column_of_beads_event_driven(figure: Figure) -> None:
    """All ten beads at all rows, both limits of both impacts."""
    table = load("BeadColumnED_NewtonLaw")
    # t = 0 has three rows, an impact two
    assert (table[:3, 0] == 0.0).all()
    impacts = 2 + np.flatnonzero(np.diff(table[2:, 0]) < 1e-9)
    assert len(impacts) == 2
    regular = np.setdiff1d(np.arange(2, len(table)), [*impacts, *(impacts + 1)])
    p = bead_column.Parameters()
    sol = bead_column.simulate(p, t_eval=table[regular, 0], progress=False)
    rows = rows_of(sol, table[:, 0])
    heights, speeds = bead_column.column(sol, p)
    assert np.abs(sol.t[rows] - table[:, 0]).max() < EXACT
    figure("heights [m]", float(np.abs(heights[rows] - table[:, 1:11]).max()), EXACT)
    assert np.abs(heights[rows] - table[:, 1:11]).max() < EXACT
    assert np.abs(speeds[rows] - table[:, 11:]).max() < EXACT
