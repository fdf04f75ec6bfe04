"""Random valid models, part 1: none crashes, hangs or breaks a contact law."""

import pytest
from figures import Figure
from random_campaign import FACTOR, PIECE, check_models

FIRST = 0


@pytest.mark.trust("TR-N-21")
def test_random_models(figure: Figure) -> None:
    check_models(PIECE, FIRST, figure)


@pytest.mark.verify
@pytest.mark.trust("TR-N-21")
@pytest.mark.parametrize("piece", range(1, 10 * FACTOR))
def test_random_models_at_length(piece: int, figure: Figure) -> None:
    check_models(PIECE, FIRST + 2 * piece * PIECE, figure)
