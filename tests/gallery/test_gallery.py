"""Every system of the gallery keeps its promises: it runs, passes, and its checks can fail."""

import dataclasses
import math
import warnings
from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from contact_laws import allow

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.errors import ModelError, UnknownNameError, UsageError
from cornerlaw.gallery import registry
from cornerlaw.gallery.demo import LONG
from cornerlaw.gallery.space import card_tower
from cornerlaw.gallery.stroboscope import stroboscope

# with all their mutations these take ten seconds to minutes
MANY = (
    *LONG, "arch", "bead-column", "blade-damper", "box-stack", "brake-tower", "cam-follower",
    "car-shifting", "card-tower", "chain-tensioner", "chattering-chalk", "conveyor",
    "conveyor-space", "dominoes", "euler-disc", "friction-oscillator", "generator-fault", "gripper",
    "hammered-line", "impulsive-control", "pantograph", "passive-walker", "press-fit", "rattleback",
    "roller-coaster", "shift-control", "spinning-coin", "tippe-top", "tower", "turntable-ball",
)  # fmt: skip


def _cases(slow: tuple[str, ...] = LONG) -> list[object]:
    """Return all systems; those with long runs belong to `make verify`."""
    return [
        pytest.param(
            system, id=system.name, marks=[pytest.mark.verify] if system.name in slow else []
        )
        for system in gallery.systems()
    ]


def _laws(system: gallery.System) -> Any:
    """Return how the contact laws are checked."""
    # where several contacts depend on each other, the correction of one opens the next
    opened = {"billiards-break": 2e-4}
    limits = {"gap_tol": opened}
    return allow(**{key: of[system.name] for key, of in limits.items() if system.name in of})


def _quiet_run(system: gallery.System, **changes: object) -> object:
    with warnings.catch_warnings():
        # a system may be redundant on purpose
        warnings.simplefilter("ignore")
        return system.run(options={"progress": False}, **changes)


def test_every_module_can_be_used() -> None:
    assert gallery.broken() == ()
    assert gallery.systems()


@pytest.mark.parametrize(
    "system", [s for s in gallery.systems() if s.topic != "hydraulics"], ids=lambda s: s.name
)
def test_source_and_freedoms_are_stated(system: gallery.System) -> None:
    """What `cornerlaw list` shows; networks, which count flows as well, are not asked yet."""
    assert system.source and system.degrees_of_freedom is not None


@pytest.mark.parametrize("system", _cases())
def test_system_passes_its_checks_and_is_drawn(system: gallery.System) -> None:
    with _laws(system):
        solution = _quiet_run(system)
        checks = system.check(solution)  # type: ignore[arg-type]
    for check in checks:
        print(f"\n{system.name}: {check.name}: {check.value:.10g} ({check.reference:.10g})", end="")
    failed = [check for check in checks if not check.ok]
    assert not failed, failed
    figure = system.show(solution)  # type: ignore[arg-type]
    assert figure.axes, "an empty figure"
    positions = stroboscope(system.build(), solution)  # type: ignore[arg-type]
    assert positions is None or positions.axes


@pytest.mark.parametrize("margin", [0.05, -0.05], ids=["stands", "falls"])
def test_the_card_tower_obeys_the_laws_of_contact(margin: float) -> None:
    """All rows are checked: where edges of cards meet, each shows the face that had the force."""
    sol = card_tower.simulate(card_tower.Parameters(margin=margin), every=1)
    assert sol.statistics["unsolved_problems"] == 0


@pytest.mark.parametrize(
    "system",
    [
        pytest.param(system, id=system.name)
        for system in gallery.systems()
        if system.degrees_of_freedom is not None
    ],
)
def test_stated_degrees_of_freedom_are_those_of_the_model(system: gallery.System) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # redundant on purpose
        start = getattr(system.module, "START", 0.0)  # a pump that has run since then
        described = system.build().describe(t=start if isinstance(start, float) else 0.0)
    assert described.degrees_of_freedom == system.degrees_of_freedom
    assert system.source


def test_figure_of_the_quarter_car_follows_its_parameters() -> None:
    """The front is drawn from the parameters: four times the roughness doubles all deviations."""
    system = gallery.find("quarter-car")
    solution = _quiet_run(system)
    rough = system.parameters(roughness=4.0 * 64e-6)
    fronts = [
        system.show(solution, parameters).axes[1].lines[0].get_xydata()  # type: ignore[arg-type]
        for parameters in (None, rough)
    ]
    # deviations grow with the root of the intensity of the road
    assert np.allclose(fronts[1], 2.0 * fronts[0], rtol=1e-12)


@pytest.mark.parametrize(
    "system", [pytest.param(system, id=system.name) for system in gallery.systems()]
)
def test_system_documents_itself(system: gallery.System) -> None:
    assert system.text and system.title and system.topic
    assert len(system.module.MUTATIONS) >= 2
    for item in system.fields:
        kind, _, reason = item.origin.partition(": ")
        assert kind == "book" or (kind in ("derived", "chosen") and reason), item
    known = {item.name for item in system.fields}
    for change in system.module.MUTATIONS:
        assert set(change) <= known, change
        assert any(getattr(system.parameters(), key) != value for key, value in change.items())
    for reference in system.module.REFERENCE.values():
        assert reference.source


# rows that no listed mutation upsets, since what they say holds for all parameters: nothing gains
# energy, overlaps or moves at rest, a count or an order of convergence is what it is. They are
# there for defects of laws and solvers. Every other row of these systems fails under some mutation
FOR_ALL_PARAMETERS: dict[str, set[str]] = {
    "bouncing-ball": {"lowest height [m]", "height at rest [m]", "speed at rest [m/s]"},
    "two-masses": {"impacts"},
    "rod-double-impact": {
        "energy gained in impacts [J]", "largest energy gain, frictionless",
        "rod that slides gains [J]", "rod that sticks gains [J]",
    },
    "super-ball": set(),
    "impact-rig": {"largest energy gain [J]"},
    "cradle": {"closing velocity after the impact", "growth of a difference in the metric"},
    "bead-column": set(),
    "rocking-block": {"power of alpha in the gap to Housner", "impacts found"},
    "painleve-rod": {
        # that of one angle, and a ratio of inertia to length that no parameter changes
        "critical mu at tan(theta) = 2",
        "rise of energy [J]", "reports below the critical mu",
    },
    "sliding-rod": {
        "region reported where it is not, or the reverse", "part of the run that slides",
    },
    "parabola-line": {"no event in free flight"},
    "detachment": {
        "right combinations per pull", "pulls where the run finds another one", "near end first",
    },
    "stick-slip-transition": {
        "right combinations per pull", "pulls where the run finds another one",
    },
    "woodpecker": {"zero eigenvalues in flight"},
    "woodpecker-bodies": set(),
    "conveyor": set(),
    "clearance-slider-crank": {"order of time stepping"},
    "vibro-impact": {"stable orbits with one impact", "largest overlap [m]"},
    "friction-oscillator": {"normal force [N]", "rows ahead of the belt"},
    "cam-follower": set(),
    "tower": {
        "combinations", "right combinations per excitation, at least",
        "right combinations per excitation, at most",
    },
    "chattering-chalk": {"pushed with little friction: open for"},
    "impulsive-control": {
        "PD: motion of the second half [m]",
        "impulsive, estimates 0.8 and 0.8: motion of the second half [m]",
        "impulsive, estimates 1.2 and 0.8: motion of the second half [m]",
        "impulsive, estimates 1.2 and 1.2: motion of the second half [m]",
    },
}  # fmt: skip


@pytest.mark.mutations
@pytest.mark.parametrize("system", _cases(MANY))
def test_a_check_notices_every_mutation(system: gallery.System, figure: Any) -> None:
    with warnings.catch_warnings(), _laws(system):
        warnings.simplefilter("ignore")
        mutations = system.mutations()
    missed = [mutation.change for mutation in mutations if not mutation.caught]
    assert not missed, missed
    upset: Counter[str] = Counter()
    for mutation in mutations:
        upset.update({check.name: int(not check.ok) for check in mutation.checks})
    never = {name for name, count in upset.items() if not count}
    often = sum(count >= 2 for count in upset.values())
    figure(f"{system.name}, {len(mutations)} mutations: rows upset by two of them", often)
    figure(f"{system.name}: rows upset by one", len(upset) - often - len(never))
    figure(f"{system.name}: rows upset by none", ", ".join(sorted(never)) or "-")
    assert often, "no row fails under two mutations"
    assert never == FOR_ALL_PARAMETERS.get(system.name, never)


def test_lookup_ignores_case_and_dashes_and_knows_ids() -> None:
    assert gallery.find("PENDULUM").name == "pendulum"
    for system in gallery.systems():
        assert gallery.find(system.name.replace("-", "_").upper()) == system
        for entry in system.spec:
            assert system in gallery.find_all(entry.lower())


def test_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'pendulum'"):
        gallery.find("pendlum")
    with pytest.raises(UnknownNameError, match="did you mean 'basics'"):
        gallery.systems("basic")


def test_an_id_of_several_systems_is_ambiguous_for_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    module = gallery.find("pendulum").module
    twins = tuple(registry.System(name, "t", "basics", ("X1",), module) for name in ("a", "b"))
    monkeypatch.setattr(registry, "_load", lambda: (twins, ()))
    assert registry.find_all("x1") == twins
    with pytest.raises(UsageError, match="a, b"):
        registry.find("X1")


def test_parameters_are_converted_like_their_defaults() -> None:
    pendulum = gallery.find("pendulum")
    assert pendulum.parameters(mass="3").mass == 3.0
    with pytest.raises(UnknownNameError, match="did you mean 'mass'"):
        pendulum.parameters(mas=1.0)
    with pytest.raises(UsageError, match="number in kg"):
        pendulum.parameters(mass="heavy")

    @dataclasses.dataclass(frozen=True)
    class Parameters:
        n: int = 4
        open: bool = True
        place: tuple[float, ...] = (0.0, 1.0)

    module = ModuleType("stand_in")
    module.Parameters = Parameters  # type: ignore[attr-defined]
    system = registry.System("stand-in", "t", "basics", (), module)
    assert system.parameters(n="7", open="no", place="2,3") == Parameters(7, False, (2.0, 3.0))
    for wrong in ({"n": "2.5"}, {"n": "inf"}, {"open": "maybe"}, {"place": "a,b"}):
        with pytest.raises(UsageError, match="stand-in"):
            system.parameters(**wrong)


def test_parameters_that_break_a_formula_are_one_sentence() -> None:
    with pytest.raises(ModelError, match=r"pendulum cannot run with gravity = -1\.0"):
        gallery.find("pendulum").run(gravity=-1.0)


def test_a_broken_module_does_not_take_the_others_down(monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.import_module

    def failing(name: str) -> ModuleType:
        if name.endswith("basics.pendulum"):
            raise RuntimeError("no such luck")
        return real(name)

    monkeypatch.setattr(registry, "import_module", failing)
    registry._load.cache_clear()
    try:
        assert [entry.name for entry in gallery.broken()] == ["pendulum"]
        assert "no such luck" in gallery.broken()[0].reason
        with pytest.raises(ModelError, match="no such luck"):
            gallery.find("pendulum")
        assert all(system.name != "pendulum" for system in gallery.systems())
    finally:
        registry._load.cache_clear()


def test_stroboscope_puts_joint_points_where_they_are() -> None:
    system = gallery.find("pendulum")
    solution = system.run(amplitude=0.5)
    figure = stroboscope(system.build(system.parameters(amplitude=0.5)), solution, count=5)
    x, y = figure.axes[0].get_lines()[0].get_data()
    # released at 0.5 rad: the line runs from the bearing to the centre of mass, half a length away
    assert (x[0], y[0]) == (0.0, 0.0)
    assert x[1] == pytest.approx(0.4 * math.sin(0.5), abs=1e-9)
    assert y[1] == pytest.approx(-0.4 * math.cos(0.5), abs=1e-9)


def test_stroboscope_draws_a_rod_to_its_journal_and_no_bodies_that_fly() -> None:
    system = gallery.find("clearance-slider-crank")
    solution = system.run(options={"t_end": 0.07, "t_eval": np.linspace(0.0, 0.07, 11)})
    figure = stroboscope(system.build(), solution, count=3)
    rod = [line.get_data() for line in figure.axes[0].get_lines()][3]
    assert np.hypot(*np.diff(rod, axis=1)) == pytest.approx(system.parameters().rod)
    free = cl.Body("stone", mass=1.0, inertia=0.1, velocity=(1.0, 1.0), angular_velocity=1.0)
    hung = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.5, 0.0))
    model = cl.Model(cl.Revolute("pin", cl.Ground(), hung), free, gravity=(0.0, -9.81))
    assert stroboscope(model, cl.simulate(model, t_end=0.1)) is None


def test_a_module_says_what_the_viewer_follows_and_leaves_out() -> None:
    run = gallery.find("woodpecker-bodies").run(options={"t_end": 0.01})
    assert run.scene is not None and run.scene["follow"] == "sleeve"
    shaken = gallery.find("impulsive-control").run(options={"t_end": 0.01})
    assert shaken.scene is not None
    assert [body["name"] for body in shaken.scene["bodies"]] == ["mass", "spring.wall"]
