"""Limits: a run above one says so and does not look successful; strict runs end with an error."""

import math

import pytest

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.cli import main

GROUND = cl.Ground()


def pendulum():
    bob = cl.Body("bob", mass=2.0, inertia=0.1, com=(0.0, -0.5))
    return cl.Model(cl.Revolute("pin", GROUND, bob, angle=1.0), gravity=(0.0, -9.81))


def falling(**options):
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), **options)
    return cl.Model(floor, ball, cl.Contact(ball, floor, eps_N=0.0), gravity=(0.0, -9.81))


COARSE = cl.SemiImplicitEuler(dt=0.05)


def test_a_run_within_its_limits_is_done():
    sol = cl.simulate(pendulum(), 1.0, limits=cl.Limits(energy=1e-6))
    assert sol.ok and not sol.info.warnings
    limits = cl.Limits(residual=1e-6, penetration=1e-6)
    assert cl.simulate(falling(), 0.5, limits=limits).ok


@pytest.mark.parametrize(("model", "method", "limits", "sentence"), [
    (pendulum, COARSE, cl.Limits(energy=1e-6), "the relative energy drift of .* exceeds the limit"),
    pytest.param(
        falling, cl.Moreau(dt=0.01, stabilise=False), cl.Limits(penetration=1e-6),
        "the penetration",
        marks=pytest.mark.contact_laws(sinks=True),
    ),
    (falling, cl.Moreau(dt=0.01), cl.Limits(residual=0.0), None),
])  # fmt: skip
def test_a_run_above_a_limit_says_so(model, method, limits, sentence):
    sol = cl.simulate(model(), 1.0, method=method, limits=limits)
    figures = {"residual": sol.statistics.get("worst_residual", 0.0)}
    if sentence is None and figures["residual"] == 0.0:
        assert sol.ok  # an exact solution keeps even a limit of zero
        return
    assert sol.status == "degraded" and not sol.ok
    assert "degraded" in str(sol) and "exceeds the limit" in str(sol)
    with pytest.raises(cl.SimulationError, match="strict") as caught:
        cl.simulate(model(), 1.0, method=method, limits=limits, strict=True)
    assert len(caught.value.solution) == len(sol)


def test_constraint_drift_is_limited():
    model = gallery.find("four-bar").build()
    assert cl.simulate(model, 0.1, limits=cl.Limits(drift=1e-9)).ok
    bad = cl.simulate(model, 0.1, limits=cl.Limits(drift=1e-30))
    assert bad.status == "degraded" and "constraint drift" in bad.info.message


def test_limits_that_say_nothing_are_named():
    sol = cl.simulate(falling(), 0.1, limits=cl.Limits(energy=1e-3, drift=1e-3))
    assert sol.ok
    assert [text.split(":")[0] for text in sol.info.warnings] == [
        "the limit of drift was not checked", "the limit of energy was not checked",
    ]  # fmt: skip
    with pytest.raises(cl.SimulationError, match="strict: the limit of drift was not checked"):
        cl.simulate(falling(), 0.1, limits=cl.Limits(drift=1e-3), strict=True)


@pytest.mark.parametrize("value", [-1.0, math.nan, "small", True])
def test_limits_must_be_numbers(value):
    with pytest.raises(cl.UsageError, match="Limits: drift"):
        cl.Limits(drift=value)
    with pytest.raises(cl.UsageError, match="limits must be"):
        cl.simulate(pendulum(), 0.1, limits=value)


def test_a_figure_that_is_no_number_is_above_every_limit():
    assert cl.Limits(drift=1.0).broken({"drift": math.nan})


def test_strict_refuses_before_the_run_what_is_known_before_it():
    """A penetration at the start is a warning; a strict run does not begin with it."""
    deep = falling().replace({"ball.position": (0.0, 0.05)})
    assert cl.simulate(deep, 0.01).info.warnings
    with pytest.raises(cl.SimulationError, match="strict: contact 'ball-floor' started"):
        cl.simulate(deep, 0.01, strict=True)


def test_the_command_line_has_limits_and_strict(capsys):
    base = ["run", "pendulum", "--method", "semi-implicit-euler", "--dt", "0.02", "--t-end", "1"]
    assert main([*base, "--limit", "energy=1e-9"]) == 1
    assert "exceeds the limit" in capsys.readouterr().out
    assert main([*base, "--limit", "energy=1e-9", "--strict"]) == 2
    assert "strict: the relative energy drift" in capsys.readouterr().err
    assert main([*base, "--limit", "energy=10"]) == 0
    for wrong in ("speed=1", "energy=fast", "energy"):
        capsys.readouterr()
        assert main([*base, "--limit", wrong]) == 2
        assert "--limit" in capsys.readouterr().err


def test_the_command_line_records_and_resumes(tmp_path, capsys):
    base = ["run", "pendulum", "--t-end", "1"]
    folder = str(tmp_path / "run.ckpt")
    assert main([*base, "--checkpoint", folder, "--out", str(tmp_path / "a.nc")]) == 0
    assert main([*base, "--resume", folder, "--out", str(tmp_path / "b.nc")]) == 0
    a, b = (cl.load(tmp_path / name) for name in ("a.nc", "b.nc"))
    assert (a.q == b.q).all() and (a.t == b.t).all()
    capsys.readouterr()
    for wrong, sentence in (
        (["--checkpoint", folder], "holds a run already"),
        (["--checkpoint", folder, "--resume", folder], "give one"),
        (["--checkpoint-every", "3"], "needs --checkpoint"),
        (["--resume", str(tmp_path / "none")], "no such file"),
        (["--resume", folder, "--set", "mass=9"], "the model is another one"),
    ):
        assert main([*base, *wrong]) == 2
        assert sentence in capsys.readouterr().err
