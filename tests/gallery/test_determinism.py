"""The same run twice, and a run that was cut off and resumed, have the same bits."""

import pytest
from contact_laws import allow
from cut_runs import cut
from run_hash import run_hash

import cornerlaw as cl
from cornerlaw import gallery

# smooth trees and loops, stick and slip, impacts, stacks, contacts in the plane and in space
SYSTEMS = (
    "cart-double-pendulum", "four-bar", "heavy-top", "bouncing-ball", "cradle", "woodpecker",
    "friction-oscillator", "stick-slip-transition", "sliding-rod", "rolling-sphere",
)  # fmt: skip
MANY = ("two-masses", "rocking-block", "slider-crank", "super-ball", "box-on-slope", "pendulum",
        "andrews", "chattering-chalk", "impact-rig", "euler-disc")  # fmt: skip


def check(name, tmp_path):
    """Compare two runs, and one that is cut off after half of its steps and resumed."""
    system = gallery.find(name)
    models = []
    simulate = cl.simulate
    with (
        allow(skip="the gallery's own tests check the laws"),
        pytest.MonkeyPatch.context() as patch,
    ):

        def remember(model, *arguments, **options):
            models.append(model)
            return simulate(model, *arguments, **options)

        patch.setattr(system.module.cl.__class__, "simulate", property(lambda self: remember))
        first, second = system.simulate(), system.simulate()
        assert run_hash(first) == run_hash(second)
        steps = int(first.statistics["steps"])
        piece = max(steps // 6, 1)
        assert cut(system.simulate, tmp_path / "c", 3, piece)
        part = cl.load(tmp_path / "c")
        assert part.status == "interrupted" and part.final.t < first.final.t
        assert run_hash(cl.resume(tmp_path / "c", models[-1])) == run_hash(first)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.trust("TR-R-01", "TR-R-02")
def test_ten_systems_have_the_same_bits_twice_and_across_resume(name, tmp_path):
    check(name, tmp_path)


@pytest.mark.verify
@pytest.mark.parametrize("name", MANY)
@pytest.mark.trust("TR-R-01", "TR-R-02")
def test_ten_more(name, tmp_path):
    check(name, tmp_path)
