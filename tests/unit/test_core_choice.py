"""One core or all: what a run learns from the time of its calls."""

import numpy as np
import pytest

from cornerlaw.simulate import core_choice
from cornerlaw.simulate.core_choice import AGAIN, FEW, CoreChoice


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_choice, "_threads", lambda: 2)


def calls(choice: CoreChoice, count: int, one: float, both: float) -> list[bool]:
    """Return the choices of some calls, where work takes so long on one core and on both."""
    made = []
    for _ in range(count):
        made.append(choice.choose())
        choice.learn(made[-1], both if made[-1] else one, float(np.float64(10.0)))
    return made


@pytest.mark.usefixtures("two_threads")
def test_the_quicker_way_is_taken_and_the_other_one_tried_again() -> None:
    choice = CoreChoice(None, FEW)
    assert calls(choice, 6, 1.0, 0.6).count(True) == 3
    made = calls(choice, 2 * AGAIN, 1.0, 0.6)
    assert made.count(False) == 2
    # another program takes the second core
    assert calls(choice, 8 * AGAIN, 1.0, 2.0)[-4 * AGAIN :].count(True) <= 8


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("wanted", "count"), [(True, 10), (False, 10**5), (None, FEW - 1)])
def test_a_wish_and_few_balls_decide_at_once(wanted: bool | None, count: int) -> None:
    assert set(calls(CoreChoice(wanted, count), 50, 1.0, 0.1)) == {bool(wanted)}


def test_one_thread_is_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_choice, "_threads", lambda: 1)
    assert not any(calls(CoreChoice(None, 10**5), 50, 1.0, 0.1))
