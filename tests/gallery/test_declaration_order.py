"""Parts declared in reversed order: the same bits, or what rounding makes of them.

What a sum over parts or the choice of the joint that closes a loop can change is listed below; all
else has no order (docs/howto/run-control.md).
"""

from __future__ import annotations

import hashlib
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from contact_laws import allow

import cornerlaw as cl
from cornerlaw import gallery

# trees, chains, impacts, stick and slip, contacts of bodies and of generalised coordinates
SAME = (
    "cart-double-pendulum", "pendulum-chain", "two-masses", "super-ball",
    "woodpecker", "woodpecker-bodies", "friction-oscillator",
)  # fmt: skip
# loops that another joint closes, and sums over bodies or contacts in another order
ROUNDED = ("four-bar", "slider-crank", "five-body-tree", "quarter-car", "cradle", "heavy-top",
           "box-on-slope")  # fmt: skip


def both(name: str) -> tuple[cl.Solution, cl.Solution]:
    """Return the run of a system, and that of its model with all parts turned round."""
    system, calls = gallery.find(name), []
    simulate = cl.simulate

    def remember(model: cl.Model, *arguments: Any, **options: Any) -> cl.Solution:
        calls.append((model, arguments, options))
        return simulate(model, *arguments, **options)

    with (
        allow(skip="the gallery's own tests check the laws"),
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # redundant on purpose
        patch.setattr(system.module.cl.__class__, "simulate", property(lambda self: remember))
        system.run(options={"progress": False})
        model, arguments, options = calls[0]
        parts = list(model.parts)
        turned = cl.Model(*reversed(parts), gravity=model.gravity, name=model.name)
        assert [part.name for part in turned.parts] != [part.name for part in parts]
        return simulate(model, *arguments, **options), simulate(turned, *arguments, **options)


def channel_hash(sol: cl.Solution) -> str:
    """Return the SHA-256 of times, channels by name and events; the state has an order."""
    digest = hashlib.sha256(sol.t.tobytes())
    for name, values in sorted(sol.fetch().items()):
        digest.update(name.encode() + np.ascontiguousarray(values).tobytes())
    for event in sorted((e.time, e.name, e.kind, repr(sorted(e.data.items()))) for e in sol.events):
        digest.update(repr(event).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("name", SAME)
@pytest.mark.trust("TR-R-01")
def test_the_order_of_declaration_changes_no_bit(name: str) -> None:
    first, turned = both(name)
    assert channel_hash(first) == channel_hash(turned)


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.trust("TR-R-01")
def test_the_order_of_declaration_changes_rounding_only(name: str, figure: Any) -> None:
    first, turned = both(name)
    assert first.t.shape == turned.t.shape
    assert [e.kind for e in first.events] == [e.kind for e in turned.events]
    found, other = first.fetch(), turned.fetch()
    assert found.keys() == other.keys()
    scales = sizes(first)
    off = {}
    for channel in first.channels:
        key = channel.name
        # what is left of a constraint is rounding as a whole, and its size is tested elsewhere
        if not key.startswith("constraints."):
            both_nan = np.isnan(found[key]) & np.isnan(other[key])
            gaps = np.where(both_nan, 0.0, np.abs(found[key] - other[key]))
            off[key] = float(gaps.max(initial=0.0)) / scales[channel.unit]
    worst = max(off, key=lambda key: off[key])
    figure(f"{name}: {worst}", off[worst], 1e-8)
    # sizes of steps differ by a rounding and so do errors of the run: some tens of an rtol of 1e-10
    assert off[worst] < 1e-8


def sizes(sol: cl.Solution) -> dict[str, float]:
    """Return the largest value of each unit."""
    found: dict[str, float] = defaultdict(lambda: 1e-300)
    for channel in sol.channels:
        values = np.abs(sol[channel.name])
        largest = float(np.max(values, where=np.isfinite(values), initial=0.0))
        found[channel.unit] = max(found[channel.unit], largest)
    # moments that are zero are differences of forces on arms of a metre or so
    found["N*m"] = max(found["N*m"], found["N"])
    return found
