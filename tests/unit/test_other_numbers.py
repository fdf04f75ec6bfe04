"""Other numbers in a model: the short ways give what the long ones do, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.compile import compile_model, with_numbers_of
from cornerlaw.errors import CornerlawError
from cornerlaw.model import model as model_module
from cornerlaw.simulate.system import array_leaves

# bodies and joints, loops, contacts in the plane and in space, corners, drives, own equations
SYSTEMS = (
    "woodpecker", "woodpecker-bodies", "slider-crank", "four-bar", "bouncing-ball", "rocking-block",
    "friction-oscillator", "gear-rattling", "box-on-slope", "store-line-cylinder",
    "clutch-grabbing",
)  # fmt: skip
SHORT = ("contact", "corner", "force")  # parts whose numbers are written to the arrays


def build(name: str) -> cl.Model:
    module: Any = gallery.find(name).module
    found: cl.Model = module.build(module.Parameters())
    return found


def changes(model: cl.Model) -> Iterator[tuple[str, float]]:
    """Yield every number of every part, changed by a third or from zero."""
    for part in model.parts:
        for name, value in vars(part).items():
            if type(value) is float:
                yield f"{part.name}.{name}", value * 1.3 if value else 0.3
            if isinstance(value, dict):
                numbers = {key: entry for key, entry in value.items() if type(entry) is float}
                for key, entry in numbers.items():
                    yield f"{part.name}.{name}.{key}", entry * 1.3


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_model_with_another_number_is_the_one_made_from_its_parts(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, count = build(name), 0
    for key, value in changes(model):
        try:
            short = model.replace({key: value})
        except CornerlawError as error:
            with monkeypatch.context() as patch, pytest.raises(CornerlawError) as again:
                patch.setattr(model_module, "with_numbers", lambda *_: None)
                model.replace({key: value})
            assert str(again.value) == str(error)
            continue
        with monkeypatch.context() as patch:
            patch.setattr(model_module, "with_numbers", lambda *_: None)
            long = model.replace({key: value})
        assert short == long
        assert [p.name for p in short.parts] == [p.name for p in long.parts]
        assert (short.dim, short.inputs, short.warnings) == (long.dim, long.inputs, long.warnings)
        for part in short.parts:
            for used in part.references():
                assert not isinstance(used, cl.Part) or used is short.part(used.name)
        count += 1
    assert count > 3


@pytest.mark.parametrize("name", SYSTEMS)
def test_numbers_written_to_arrays_are_those_of_a_compiled_model(name: str) -> None:
    model, short = build(name), 0
    for key, value in changes(model):
        try:
            other = model.replace({key: value})
            wanted = compile_model(other)
        except CornerlawError:
            continue
        compiled = compile_model(model)
        before = [array.tobytes() for array in array_leaves(compiled.arrays)]
        found = with_numbers_of(compiled, other)
        after = array_leaves(compiled.arrays)
        if found is None:
            assert [array.tobytes() for array in after] == before
            continue
        short += 1
        assert model.split(key)[0].ROLE in SHORT
        for a, b in zip(after, array_leaves(wanted.arrays), strict=True):
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes(), key
        assert (found.corners, found.elements) == (wanted.corners, wanted.elements)
        assert np.array_equal(found.x0, wanted.x0)
        assert found.model is other
    assert short > 0 or not any(part.ROLE in SHORT for part in model.parts)


def test_friction_that_appears_is_another_structure() -> None:
    model = build("woodpecker").replace({"beak.mu": 0.0})
    compiled = compile_model(model)
    assert with_numbers_of(compiled, model.replace({"beak.mu": 0.2})) is None
    assert with_numbers_of(compiled, model.replace({"beak.eps_N": 0.2})) is not None
