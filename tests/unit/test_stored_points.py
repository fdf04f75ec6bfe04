"""Stored rows keep which point was in a slot together with the face that gave the normal."""

import numpy as np
import pytest

from cornerlaw.arrays.state import NOT_KNOWN, REFERENCES
from cornerlaw.gallery.space import card_tower
from cornerlaw.kernels.contact.points import point_of

LARGEST = 4 * (2 * ((2**24 - 1) * 2**24 + 2**24 - 1) + 1) + 2  # crossing of the last two borders


@pytest.mark.parametrize("point", [0, 25, 134348850, LARGEST])
@pytest.mark.parametrize("reference", [0, 1, 2])
def test_a_point_comes_back_from_beside_its_reference_and_from_a_double(
    point: int, reference: int
) -> None:
    """Entries of pooled contacts are doubles, whole up to 2^53."""
    assert point < REFERENCES
    packed = point + REFERENCES * (1 + reference)
    assert int(np.float64(packed)) == packed < 2**53
    assert point_of(packed) == point
    assert packed // REFERENCES - 1 == reference


@pytest.mark.parametrize("point", [-1, NOT_KNOWN, 25])
def test_a_point_without_a_reference_is_left_alone(point: int) -> None:
    """Older checkpoints and other pairs have none."""
    assert point_of(point) == point


def test_rows_of_a_falling_tower_show_the_momentum_of_its_cards() -> None:
    """A leaning card changes its momentum by the forces shown, where edges of two cards meet.

    In the rows from 0.1 s to 0.129 s pairs touch with either face in turns, and every point at
    which a force acted exists at the end of its step. What is left there is what a face turns from
    the middle of a step to its end: 5 rad/s in 0.5 ms turn 0.014 N by 4e-5 N. Rows that show the
    other face miss up to 6e-3 N, of a card of 0.042 N.
    """
    p = card_tower.Parameters(margin=-0.05)
    sol = card_tower.simulate(p, every=1, t_end=0.129)
    misses = []
    for card in card_tower.cards(p)[0]:
        mass = p.density * p.width * card.area
        force = np.zeros((len(sol.t), 3)) - [0.0, 0.0, mass * p.gravity]
        for name in sol.parts:
            first, _, second = name.partition(" on ")
            if second and card.name in (first, second) and f"{name}.force" in sol:
                force += sol[name].force * (1.0 if first == card.name else -1.0)
        change = mass * np.diff(sol[card.name].velocity, axis=0) / np.diff(sol.t)[:, None]
        misses.append(np.linalg.norm(change - force[1:], axis=1))
    assert np.max(misses, axis=0)[99:].max() < 1e-4
