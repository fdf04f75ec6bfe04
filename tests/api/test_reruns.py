"""Runs that share their arrays: every one is, bit by bit, the single run of its model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sweep_models as given

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.simulate import on_demand
from cornerlaw.simulate.reruns import Reruns

MOREAU = cl.Moreau(dt=1e-3)
EVENTS = cl.EventDriven(rtol=1e-8)


def of_gallery(name: str) -> cl.Model:
    module: Any = gallery.find(name).module
    found: cl.Model = module.build(module.Parameters())
    return found


def assert_same_run(again: cl.Solution, single: cl.Solution) -> None:
    """Compare everything that a run leaves; channels first, since they use its scratch memory."""
    for name in single.channels.names:
        assert np.array_equal(again[name], single[name], equal_nan=True), name
    for name in ("t", "q", "u", "x", "side"):
        assert getattr(again, name).tobytes() == getattr(single, name).tobytes()
    assert again.channels.names == single.channels.names
    assert again.events == single.events
    assert again.statistics == single.statistics
    # what correcting a start inside a partner would do is told by single runs only
    assert len(again.info.warnings) == len(single.info.warnings)
    for text, whole in zip(again.info.warnings, single.info.warnings, strict=True):
        assert whole.startswith(text.partition("; that is more")[0])
    for name in ("status", "message", "fingerprint", "conservative"):
        assert getattr(again.info, name) == getattr(single.info, name)
    for name in ("t", "q", "u", "x", "z", "memory", "corners", "dt", "fingerprint", "method"):
        one, other = getattr(again.final, name), getattr(single.final, name)
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes(), name


@pytest.mark.parametrize(
    ("name", "key", "values", "method", "t_end"),
    [
        ("woodpecker", "beak.mu", (0.3, 0.2, 0.0, 0.3, 0.25), cl.Moreau(dt=1e-4), 0.05),
        (
            "woodpecker",
            "spring.parameters.c_phi",
            (0.0056, 0.006, 0.0056),
            cl.Moreau(dt=1e-4),
            0.05,
        ),
        ("woodpecker", "lower edge.gap", (6e-4, 7e-4, 6e-4), cl.Moreau(dt=1e-4), 0.05),
        ("woodpecker", "beak.eps_N", (0.5, 0.1, 0.5), EVENTS, 0.1),
        ("slider-crank", "coupler.mass", (0.8, 0.9, 0.8), cl.RungeKutta5(rtol=1e-6), 0.05),
        ("slider-crank", "coupler.mass", (0.8, 0.9), cl.Radau(rtol=1e-6), 0.02),
        ("friction-oscillator", "mass.mass", (1.0, 1.1, 1.0), EVENTS, 1.0),
    ],
)
def test_reruns_are_single_runs(
    name: str, key: str, values: tuple[float, ...], method: Any, t_end: float
) -> None:
    model, runs = of_gallery(name), Reruns(t_end, method=method)
    for value in values:
        changed = model.replace({key: value})
        assert_same_run(runs(changed), cl.simulate(changed, t_end, method=method))
    assert runs._run is not None


def test_a_spring_that_is_relaxed_at_the_start_keeps_its_own_length() -> None:
    ball = cl.PointMass("ball", mass=1.0, position=(1.2, 0.0), velocity=(0.0, 1.0))
    spring = cl.Spring("spring", cl.Ground(), ball, stiffness=50.0)
    model, runs = cl.Model(ball, spring), Reruns(0.05, method=given.METHOD)
    for stiffness, x in ((50.0, 1.2), (60.0, 1.2), (60.0, 1.5), (50.0, 1.2)):
        changed = model.replace({"spring.stiffness": stiffness, "ball.position": (x, 0.0)})
        assert_same_run(runs(changed), cl.simulate(changed, 0.05, method=given.METHOD))


@pytest.mark.contact_laws(skip="that check asks for all channels itself")
def test_coordinates_are_read_without_naming_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    model, made = of_gallery("woodpecker"), []
    book = on_demand.ChannelBook

    def count(*given: Any) -> Any:
        made.append(given)
        return book(*given)

    monkeypatch.setattr(on_demand, "ChannelBook", count)
    found = cl.sweep(
        model, {"beak.mu": [0.2, 0.3, 0.4]}, ["toy.y", "toy.phi_S_dot"], t_end=0.02, dt=1e-4,
        workers=0,
    )  # fmt: skip
    assert not made
    named = cl.sweep(model, {"beak.mu": [0.2]}, "toy.y_dot_rate", t_end=0.02, dt=1e-4, workers=0)
    assert len(made) == 1
    assert np.isfinite(named["toy.y_dot_rate"].values).all()
    for mu in (0.2, 0.3, 0.4):
        single = cl.simulate(model.replace({"beak.mu": mu}), 0.02, method=cl.Moreau(dt=1e-4))
        cell = found.sel({"beak.mu": mu})
        assert float(cell["toy.y"]) == single["toy.y"][-1]
        assert float(cell["toy.phi_S_dot"]) == single["toy.phi_S_dot"][-1]


@pytest.mark.parametrize("name", ["slider-crank", "woodpecker", "gear-rattling", "heavy-top"])
def test_columns_of_the_rows_are_the_channels_of_their_names(name: str) -> None:
    model = of_gallery(name)
    sol = Reruns(0.0)(model)
    quick = {name: sol[name] for name in sol._cache}
    single = cl.simulate(model, 0.0)
    assert quick or name == "heavy-top"
    for channel, values in quick.items():
        assert np.array_equal(values, single[channel])


def test_an_unknown_measure_is_refused_before_all_runs_are_made() -> None:
    with pytest.raises(cl.UnknownNameError, match=r"toy\.z"):
        cl.sweep(
            of_gallery("woodpecker"), {"beak.mu": [0.2]}, "toy.z", t_end=0.01, dt=1e-4, workers=0
        )


def bouncing_ball() -> cl.Model:
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.2), velocity=(1.0, 0.0))
    contact = cl.Contact(ball, floor, name="contact", mu=0.3, eps_N=0.5)
    return cl.Model(floor, ball, contact, gravity=(0.0, -9.81))


@pytest.mark.contact_laws(skip="that check asks for channels before the next run")
@pytest.mark.parametrize("method", [MOREAU, EVENTS])
def test_earlier_results_stay_those_of_their_own_run(method: Any) -> None:
    """The end and all channels, asked for when later runs with other masses are over."""
    model, runs = bouncing_ball(), Reruns(0.4, method=method)
    models = [
        model.replace({"ball.mass": mass, "contact.eps_N": eps})
        for mass, eps in ((1.0, 0.5), (2.0, 0.1), (1.0, 0.5), (3.0, 0.0))
    ]
    found = [runs(changed) for changed in models]
    assert runs._run is not None
    ends = [sol.final for sol in found]
    for changed, again, end in zip(models, found, ends, strict=True):
        single = cl.simulate(changed, 0.4, method=method)
        assert end.q.tobytes() == single.q[-1].tobytes()
        assert_same_run(again, single)


def test_the_picture_of_an_earlier_run_is_its_own() -> None:
    model, runs = bouncing_ball(), Reruns(0.01, method=MOREAU)
    first = runs(model)
    runs(model.replace({"ball.radius": 0.2}))
    assert runs._run is not None
    assert first.scene == cl.simulate(model, 0.01, method=MOREAU).scene
