"""Transport velocities of the vibration conveyor in space: one part and eight, small and large."""

from dataclasses import replace

import pytest

from cornerlaw.gallery.space.conveyor_space import HOPPING, Parameters, average

# a single part needs some roll to leave the flat motion of a mass point
USUAL = replace(Parameters(), amplitude=HOPPING, roll=1.0)


@pytest.mark.verify
def test_velocity_hardly_depends_on_the_number_of_parts() -> None:
    one = average(USUAL, space=True, t_end=160.5)
    many = average(replace(USUAL, parts=8), space=True, t_end=20.5)
    away = abs(many.value - one.value)
    assert away <= (one.band**2 + many.band**2) ** 0.5
    assert away <= 0.1 * one.value


@pytest.mark.verify
def test_a_flat_part_moves_as_in_the_plane() -> None:
    flat = replace(USUAL, roll=0.0)
    found = [average(flat, space=space, t_end=10.5).value for space in (True, False)]
    # the same motion, with rounding that chaos has not yet blown up
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.verify
def test_velocity_grows_with_the_amplitude() -> None:
    found = [
        average(replace(USUAL, parts=8, amplitude=factor * HOPPING), space=True, t_end=5.5).value
        for factor in (0.5, 1.0, 5.0 / 3.0)
    ]
    assert 0.0 < found[0] < found[1] < found[2]
