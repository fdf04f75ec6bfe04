"""Transport velocities of the vibration conveyor: plane and space, one part and eight."""

from dataclasses import replace

import pytest

from cornerlaw.gallery.space.conveyor_space import HOPPING, Average, Parameters, average

# seconds of a run; a single part needs longer for the same band
LONG = {1: 160.5, 8: 20.5}


@pytest.fixture(scope="module")
def averages() -> dict[tuple[int, bool], Average]:
    usual = replace(Parameters(), amplitude=HOPPING)
    return {
        (parts, space): average(replace(usual, parts=parts), space=space, t_end=LONG[parts])
        for parts in LONG
        for space in (False, True)
    }


@pytest.mark.verify
@pytest.mark.parametrize("parts", LONG)
def test_space_moves_parts_as_fast_as_the_plane(
    averages: dict[tuple[int, bool], Average], parts: int
) -> None:
    flat, space = averages[parts, False], averages[parts, True]
    away = abs(space.value - flat.value)
    assert away <= (flat.band**2 + space.band**2) ** 0.5
    assert away <= 0.1 * flat.value


@pytest.mark.verify
@pytest.mark.parametrize("space", [False, True])
def test_velocity_hardly_depends_on_the_number_of_parts(
    averages: dict[tuple[int, bool], Average], space: bool
) -> None:
    one, many = averages[1, space], averages[8, space]
    away = abs(many.value - one.value)
    assert away <= (one.band**2 + many.band**2) ** 0.5
    assert away <= 0.1 * one.value


@pytest.mark.verify
def test_velocity_grows_with_the_amplitude() -> None:
    usual = replace(Parameters(), parts=8)
    found = [
        average(replace(usual, amplitude=factor * HOPPING), space=True, t_end=5.5).value
        for factor in (0.5, 1.0, 5.0 / 3.0)
    ]
    assert 0.0 < found[0] < found[1] < found[2]
