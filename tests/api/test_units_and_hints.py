"""Units of couplings, bushings, tables, stops and times; traced functions; announcements."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.compile.jets import trace

pint = pytest.importorskip("pint")
unit = pint.UnitRegistry()
GROUND = cl.Ground()
newton_metres = unit.N * unit.m


def arm(name: str = "arm") -> cl.Body:
    return cl.Body(name, mass=1.0, inertia=0.1, com=(0.5, 0.0))


TURN = cl.Revolute("turn", GROUND, arm())
OTHER = cl.Revolute("other", GROUND, arm("b"))
SLIDE = cl.Prismatic("slide", GROUND, arm("c"), axis=(1.0, 0.0))
FORCE_TABLE = cl.Table([0.0, 10.0] * unit.mm, [0.0, 2.0] * unit.kN)


def test_units_of_a_gear_follow_its_joints() -> None:
    assert cl.Gear("g", TURN, OTHER, ratio=3.0 * unit.dimensionless).ratio == 3.0
    assert cl.Gear("g", SLIDE, TURN, ratio=20.0 * unit.mm / unit.rad).ratio == 0.02
    assert cl.Gear("g", TURN, SLIDE, ratio=50.0 * unit.rad / unit.m).ratio == 50.0


def test_units_of_a_bushing_follow_their_places() -> None:
    bushing = cl.Bushing(
        "b",
        GROUND,
        arm(),
        stiffness=[
            1.0 * unit.N / unit.mm,
            2.0 * unit.kN / unit.m,
            3.0 * unit.N * unit.m / unit.rad,
        ],
        damping=[1.0, 2.0 * unit.N * unit.s / unit.m, 3.0],
    )
    assert bushing.stiffness == pytest.approx((1000.0, 2000.0, 3.0))
    assert bushing.damping == (1.0, 2.0, 3.0)


def test_points_of_a_table_are_converted() -> None:
    spring = cl.Spring("s", GROUND, arm(), force=FORCE_TABLE)
    assert spring.force.x == pytest.approx((0.0, 0.01))
    assert spring.force.y == pytest.approx((0.0, 2000.0))


WRONG: list[tuple[Any, str]] = [
    (lambda: cl.Gear("g", TURN, OTHER, ratio=2.0 * unit.m), "Gear 'g': ratio has the dimension"),
    (lambda: cl.Gear("g", SLIDE, TURN, ratio=2.0 * unit.dimensionless), "expected m/rad"),
    (lambda: cl.Gear("g", TURN, SLIDE, ratio=2.0 * unit.m), "expected rad/m"),
    (
        lambda: cl.Bushing("b", GROUND, arm(), stiffness=[1.0, 2.0, 3.0] * unit.N / unit.m),
        "Bushing 'b': stiffness must be a list of quantities",
    ),
    (
        lambda: cl.Bushing("b", GROUND, arm(), stiffness=[1.0, 2.0, 3.0 * unit.N / unit.m]),
        "stiffness[2] has the dimension",
    ),
    (
        lambda: cl.Bushing("b", GROUND, arm(), stiffness=[1.0 * unit.N, 2.0, 3.0]),
        "stiffness[0] has the dimension",
    ),
    (
        lambda: cl.TorsionSpring("s", TURN, torque=FORCE_TABLE),
        "TorsionSpring 's': torque.x has the dimension",
    ),
    (
        lambda: cl.Spring("s", GROUND, arm(), force=cl.Table([0.0, 1.0] * unit.m, [0, 1] * unit.J)),
        "Spring 's': force.y has the dimension",
    ),
    (
        lambda: cl.Torque("t", TURN, value=cl.Table([0.0, 1.0] * unit.m, [0.0, 1.0])),
        "Torque 't': value.x has the dimension",
    ),
    (
        lambda: cl.Torque("t", TURN, value=cl.Table([0.0, 1.0] * unit.s, [0.0, 1.0] * unit.N)),
        "Torque 't': value.y has the dimension",
    ),
    (
        lambda: cl.Revolute(
            "r", GROUND, arm(), drive=cl.Table([0.0, 1.0], [0.0, 1.0] * unit.kg, kind="cubic")
        ),
        "drive.y has the dimension",
    ),
    (lambda: cl.Simulation(cl.Model(TURN), dt=0.1 * unit.m), "Simulation: dt has the dimension"),
    (lambda: cl.kinematics(cl.Model(TURN), [0.0, 1.0] * unit.m), "times has the dimension"),
]


@pytest.mark.parametrize(("make", "text"), WRONG, ids=[text for _, text in WRONG])
def test_wrong_dimensions_are_one_sentence(make: Any, text: str) -> None:
    with pytest.raises(cl.UnitError) as caught:
        make()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def falling() -> cl.Model:
    ball = cl.PointMass("d", mass=1.0, position=(0.0, 2.0))
    return cl.Model(ball, gravity=(0.0, -10.0))


def test_levels_of_stops_take_units() -> None:
    stop = cl.Stop("low", "d.position_y", below=75.0 * unit.cm)
    sol = cl.simulate(falling(), 2.0, stop=stop)
    assert sol.t[-1] == pytest.approx(0.5, abs=1e-9)  # 1.25 m at 10 m/s^2
    fast = cl.Stop("fast", "d.velocity_y", below=-7.2 * unit.km / unit.hour)
    assert cl.simulate(falling(), 2.0, stop=fast).t[-1] == pytest.approx(0.2, abs=1e-9)
    late = cl.Stop("late", "t", above=100.0 * unit.ms)
    assert cl.simulate(falling(), 2.0, stop=late).t[-1] == pytest.approx(0.1, abs=1e-12)
    for quantity in ("d.position_y", "d.velocity_y", "t"):
        with pytest.raises(cl.UnitError, match=r"Stop 's': above has the dimension"):
            cl.simulate(falling(), 1.0, stop=cl.Stop("s", quantity, above=1.0 * unit.kg))


def test_a_stop_may_name_a_component_as_results_do() -> None:
    for quantity in ("d.position.y", "d.position_y"):
        sol = cl.simulate(falling(), 2.0, stop=cl.Stop("low", quantity, below=0.75))
        assert sol.t[-1] == pytest.approx(0.5, abs=1e-9)
    with pytest.raises(cl.UsageError, match=r"coordinates are d\.position_x, d\.position_y"):
        cl.simulate(falling(), 2.0, stop=cl.Stop("low", "d.height", below=0.75))


def test_times_of_simulations_and_kinematics_take_units() -> None:
    sim = cl.Simulation(falling(), dt=10.0 * unit.ms)
    sim.step()
    sim.step(duration=40.0 * unit.ms)
    assert sim.t == pytest.approx(0.05, abs=1e-12)
    driven = cl.Model(cl.Revolute("turn", GROUND, arm(), drive=lambda t: t))
    sol = cl.kinematics(driven, [0.0, 500.0] * unit.ms)
    assert sol["turn.angle"][-1] == pytest.approx(0.5)
    with pytest.raises(cl.UsageError, match="times must be a list of times"):
        cl.kinematics(driven, "soon")
    with pytest.raises(cl.UsageError, match="dt must be a finite number of seconds"):
        cl.Simulation(falling(), dt="short")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["100", 0, -3, True, 2.5])
def test_max_steps_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(cl.UsageError, match="max_steps must be a whole number of at least 1"):
        cl.simulate(falling(), 1.0, max_steps=wrong)


# --- tracing


def half(x: float) -> float:
    return 0.5 * math.sin(x)


def twice_half(x: float) -> float:
    return 2.0 * half(x) + math.cos(x)


STEP = 1e-3
TRACED: list[Any] = [
    lambda t: math.atan2(math.sin(t), 1.0 + t * t),
    lambda t: math.atan2(1.0, t),
    lambda t: math.atan2(t, 2.0),
    lambda t: np.arctan2(np.sin(t), t + 2.0),
    lambda t: math.asinh(t) + math.acosh(1.5 + t) + math.atanh(0.3 * t),
    lambda t: math.expm1(t) + math.log1p(t) + math.log2(1.0 + t) + math.log10(2.0 + t),
    lambda t: math.erf(t) - math.erfc(2.0 * t) + math.exp2(t) if sys.version_info >= (3, 11) else t,
    lambda t: math.hypot(t, 1.0, 2.0 * t) + math.log(3.0 + t, 2.0) + math.degrees(t) / 90.0,
    lambda t: np.hypot(t, 1.0) + np.square(t) + np.power(t + 1.0, 2.5) + np.deg2rad(40.0 * t),
    lambda t: np.float64(2.0) * t + np.exp(t) * np.float64(0.5),
    lambda t: twice_half(t) * half(2.0 * t),
    lambda t: 2.0**t + math.pow(t, 3),
    math.sin,
]


@pytest.mark.parametrize("function", TRACED)
def test_traced_derivatives_are_those_of_differences(function: Any) -> None:
    adapter = trace(function, lambda s: (s[0],), 1, "f")
    out = np.zeros(3)
    t = 0.4
    adapter((t, 1.0), (), out)
    values = [float(function(t + k * STEP)) for k in (-2, -1, 0, 1, 2)]
    first = (values[0] - 8.0 * values[1] + 8.0 * values[3] - values[4]) / (12.0 * STEP)
    second = (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (
        12.0 * STEP**2
    )
    # differences of order 4: truncation 1e-12, rounding 1e-13 and 1e-9
    assert out[0] == pytest.approx(values[2], abs=1e-15, rel=1e-15)
    assert out[1] == pytest.approx(first, abs=1e-9, rel=1e-9)
    assert out[2] == pytest.approx(second, abs=1e-7, rel=1e-7)


def test_a_drive_may_call_helpers_and_itself() -> None:
    def power(x: float, n: int) -> float:
        return 1.0 if n == 0 else x * power(x, n - 1)

    model = cl.Model(cl.Revolute("turn", GROUND, arm(), drive=lambda t: power(t, 3)))
    sol = cl.simulate(model, 1.0, t_eval=[1.0])
    assert sol["turn.speed"][0] == pytest.approx(3.0)
    assert sol["turn.speed_rate"][0] == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda t: abs(t - 0.5), "uses abs()"),
        (lambda t: max(t, 0.5), "uses a branch on its argument"),
        (lambda t: math.floor(t), "uses a function whose derivatives are not known"),
        (lambda t: np.floor(t), "uses numpy.floor"),
        (lambda t: math.gamma(1.0 + t), "uses a function whose derivatives are not known"),
    ],
)
def test_what_cannot_be_traced_says_why(function: Any, reason: str) -> None:
    model = cl.Model(cl.Revolute("turn", GROUND, arm(), drive=function))
    with pytest.raises(cl.CompileError) as caught:
        cl.simulate(model, 1.0)
    assert reason in str(caught.value) and "Motion(position" in str(caught.value)


# --- announcements


def test_a_method_that_is_not_compiled_yet_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from types import SimpleNamespace

    from cornerlaw.simulate import system

    monkeypatch.setattr(system, "_announced", [])
    cache = SimpleNamespace(
        cache_path=str(tmp_path), _cache_file=SimpleNamespace(_index_name="run.nbi")
    )
    driver = SimpleNamespace(_cache=cache, overloads={})
    (tmp_path / "run.nbi").touch()
    system.announce_method(driver)
    assert capsys.readouterr().err == ""
    (tmp_path / "run.nbi").unlink()
    system.announce_method(driver)
    system.announce_method(driver)
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "compiling this method" in err


def test_the_driver_of_a_compiled_method_is_found_in_the_cache() -> None:
    """The announcement reads the cache of the real driver."""
    from cornerlaw.kernels._numba import CACHE_FOLDER
    from cornerlaw.simulate.system import System

    model = falling()
    cl.simulate(model, 0.1)
    driver = cl.RungeKutta8().prepare(System(model).m).driver
    assert Path(driver._cache.cache_path) == CACHE_FOLDER
    assert os.path.exists(CACHE_FOLDER / driver._cache._cache_file._index_name)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are needed")
def test_the_helper_of_a_compilation_ends_with_ctrl_c(tmp_path: Path) -> None:
    """SIGINT to the process group, which is what a terminal sends, ends the helper too."""
    import signal
    import time

    script = (
        "import os, sys, time\n"
        "from cornerlaw.simulate import precompile\n"
        "os.sched_getaffinity = lambda _: {0, 1}\n"
        "real = precompile.subprocess.Popen\n"
        "stand_in = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "precompile.subprocess.Popen = lambda command, **options: real(stand_in, **options)\n"
        "job = (precompile.main, ())\n"
        "precompile.start_helpers([job, job])\n"
        "print(precompile._helpers[0].pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "CORNERLAW_CACHE_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
        text=True,
        # a shell starts what it puts into the background deaf to Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    helper = int(process.stdout.readline())
    time.sleep(0.3)  # an interpreter that is still starting takes no signal
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=10)
    for _ in range(100):
        try:
            os.kill(helper, 0)
        except ProcessLookupError:
            return
        # a process that nobody waits for any more may stay as a zombie: it has ended as well
        state = Path(f"/proc/{helper}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError("the helper still runs")


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda a, b: cl.Contact(a, b, eps=0.5), "eps_N"),
        (lambda a, b: cl.Contact(a, b, restitution=0.5), "eps_N"),
        (lambda a, b: cl.Contact(a, b, friction=0.5), "mu"),
        (lambda a, b: cl.Frame("f", a, position=(1.0, 0.0)), "at"),
        (lambda a, b: cl.Revolute("r", b, a, omega=3.0), "speed"),
    ],
)
def test_words_of_other_programs_are_understood(call: Any, meant: str) -> None:
    """Not the name that looks alike is suggested, but the one that means the same."""
    ball, floor = cl.Disk("ball", mass=1.0, radius=0.1), cl.Ground("floor", normal=(0.0, 1.0))
    with pytest.raises(cl.CornerlawError, match=f"did you mean '{meant}'"):
        call(ball, floor)


def test_a_solution_has_the_warnings_of_its_run() -> None:
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.05))
    model = cl.Model(ball, floor := cl.Ground("floor", normal=(0.0, 1.0)), cl.Contact(ball, floor))
    sol = cl.simulate(model, t_end=0.01, method=cl.Moreau(dt=1e-3))
    assert sol.warnings == tuple(sol.info.warnings)
    assert "inside its partner" in sol.warnings[0]
