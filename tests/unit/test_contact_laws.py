"""The check of the contact laws that all tests rely on finds results that break them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import contact_laws
import numpy as np
import pytest
import simulation_laws
from step_middles import Middles

import cornerlaw as cl
from cornerlaw.arrays.corner_work import STICK
from cornerlaw.results import Event

G = 9.81
ROADS = [cl.Moreau(dt=1e-3), cl.EventDriven()]


class Forged:
    """A solution of which some channels are replaced."""

    def __init__(self, sol: cl.Solution, channels: dict[str, Any], **members: Any) -> None:
        self._sol, self._channels = sol, channels
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __getitem__(self, name: str) -> Any:
        return self._channels[name] if name in self._channels else self._sol[name]

    def __contains__(self, name: str) -> bool:
        return name in self._sol


class ForgedMiddles(Middles):
    """The middles of steps of which the same channels are replaced."""

    def __getitem__(self, name: str) -> Any:
        forged: Any = self.sol
        return forged[name] if name in forged._channels else super().__getitem__(name)


def check(model: cl.Model, method: Any, sol: Any, channels: dict[str, Any], **members: Any) -> None:
    forged: Any = Forged(sol, channels, **members)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contact_laws, "Middles", ForgedMiddles)
        contact_laws.check_run(forged, model, method)


def guide(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
    F[0, 1] = 1.0
    return r[0, 1], 0.0, 0.0


def slip(t, r, A, v, Omega, q, u, p, F, M, Q):  # type: ignore[no-untyped-def]
    F[0, 0] = 1.0
    return r[0, 0], 0.0, 0.0


def sliding_block(**rows: Any) -> cl.Model:
    """A block that slides at 3 m/s, on the ground or on the rows of an element."""
    block = cl.PointMass("block", mass=2.0, position=(0.0, 0.0), velocity=(3.0, 0.0))
    if rows:
        element = cl.ForceElement("guide", frames=(block,), rows=rows)
        return cl.Model(block, element, gravity=(0.0, -G))
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    return cl.Model(block, cl.Contact(block, floor, mu=0.3, name="c"), gravity=(0.0, -G))


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.0])
def test_a_contact_that_slides_does_not_pass_as_sticking(method: Any, factor: float) -> None:
    model = sliding_block()
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    forged = {"c.state": np.full_like(sol["c.state"], STICK), "c.lam_T": factor * sol["c.lam_T"]}
    with pytest.raises(AssertionError, match="sliding in a contact that sticks"):
        check(model, method, sol, forged)


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize(
    ("factor", "words"),
    [(-50.0, "leaves its cone"), (-1.0, "friction drives"), (0.5, "without full friction")],
)
def test_friction_of_an_element_row_obeys_the_cone(method: Any, factor: float, words: str) -> None:
    model = sliding_block(n=cl.UnilateralRow(guide, tangent=slip, mu=0.3))
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    with pytest.raises(AssertionError, match=words):
        check(model, method, sol, {"guide.n.lam_T": factor * sol["guide.n.lam_T"]})


SETS = {
    "symmetric": cl.SetRow(slip, upper=2.0),
    "two ends": cl.SetRow(slip, lower=-2.0, upper=5.0),
    "of a load": cl.SetRow(slip, upper=cl.Multipliers({"guide.n": 0.3})),
}


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize(
    ("factor", "words"),
    [(-50.0, "above its set"), (50.0, "below its set"), (0.5, "without the end of its set")],
)
@pytest.mark.parametrize("name", SETS)
def test_the_force_of_a_set_row_stays_in_its_set(
    method: Any, factor: float, words: str, name: str
) -> None:
    model = sliding_block(n=cl.UnilateralRow(guide), t=SETS[name])
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    with pytest.raises(AssertionError, match=words):
        check(model, method, sol, {"guide.t.lam_T": factor * sol["guide.t.lam_T"]})


def test_a_row_that_cannot_move_backward_does_not() -> None:
    model = sliding_block(n=cl.UnilateralRow(guide), t=cl.SetRow(slip, lower=0.0))
    method = cl.Moreau(dt=1e-3)
    sol = cl.simulate(model, 0.2, method=method)
    check(model, method, sol, {})
    with pytest.raises(AssertionError, match="without the end of its set"):
        check(model, method, sol, {"guide.t.gamma_N": -sol["guide.t.gamma_N"]})


def dropped_pair() -> cl.Model:
    """Two balls that hit the ground at the same time."""
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    balls = [cl.PointMass(f"b{k}", mass=1.0, position=(float(k), 0.1)) for k in range(2)]
    contacts = [cl.Contact(ball, floor, eps_N=0.5, name=f"c{k}") for k, ball in enumerate(balls)]
    return cl.Model(*balls, *contacts, gravity=(0.0, -G))


def test_a_gain_is_not_hidden_by_the_loss_of_another_impact() -> None:
    model, method = dropped_pair(), cl.EventDriven()
    sol = cl.simulate(model, 0.2, method=method)
    times = Counter(event.time for event in sol.events if event.kind == "impact")
    assert times.most_common(1)[0][1] == 2
    check(model, method, sol, {})
    gain = {**sol.statistics, "largest_impact_gain": 0.1}
    with pytest.raises(AssertionError, match="gain"):
        check(model, method, sol, {}, statistics=gain)


@pytest.mark.parametrize(
    ("impact", "first", "second", "passive"),
    [
        (cl.Newton(), {"eps_N": 0.5}, {"eps_N": 0.5}, True),
        (cl.Newton(), {"eps_N": 0.1}, {"eps_N": 0.9}, False),
        (cl.NewtonBoth(), {"eps_N": 0.5, "eps_T": 0.5, "mu": 0.3}, {"eps_N": 0.5}, True),
        (cl.NewtonBoth(), {"eps_N": 0.5, "eps_T": 0.2, "mu": 0.3}, {"eps_N": 0.5}, False),
        (cl.Poisson(), {"eps_N": 0.5}, {"eps_N": 0.5}, True),
        (cl.Poisson(), {"eps_N": 0.5}, {"eps_N": 0.5, "mu": 0.3}, False),
    ],
)
def test_coefficients_of_element_rows_decide_what_is_proven(
    impact: Any, first: dict[str, Any], second: dict[str, Any], passive: bool
) -> None:
    """A law may gain energy with some coefficients, wherever they are given."""
    a, b = (
        cl.UnilateralRow(guide, tangent=slip if "mu" in keys else None, **keys)
        for keys in (first, second)
    )
    method = cl.EventDriven(impact=impact)
    assert contact_laws.is_passive(sliding_block(a=a, b=b), method) is passive


STEPS = cl.Moreau(dt=1e-3)


def tipping_rod(mu: float) -> cl.Model:
    """A rod that stands on its lower end and falls over: its arm turns within every step."""
    rod = cl.Body(
        "rod", mass=1.0, inertia=0.03, position=(0.1, 0.3), rotation=-0.3, velocity=(0.9, -0.3),
        angular_velocity=-3.0,
    )  # fmt: skip
    at = (0.0, -float(np.hypot(0.1, 0.3)))
    foot = cl.ContactPoint("foot", rod, at=at)
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0), at=(0.0, 0.0))
    contact = cl.Contact(foot, floor, mu=mu, name="c")
    return cl.Model(rod, foot, contact, gravity=(0.0, -G))


def test_a_contact_sticks_in_the_middle_of_a_step_to_rounding() -> None:
    """Its row in the results slides by what half a step of turning makes of it."""
    model = tipping_rod(5.0)
    sol = cl.simulate(model, 0.1, method=STEPS)
    sticks = sol["c.state"] == STICK
    assert np.count_nonzero(sticks) > 50
    assert np.abs(sol["c.gamma_T"][sticks]).max() > 1e-3
    assert np.abs(Middles(sol)["c.gamma_T"][sticks]).max() < 1e-12
    check(model, STEPS, sol, {})


WRONG = {
    "friction leaves its cone": lambda sol: {"c.lam_T": 10.0 * np.abs(sol["c.lam_N"])},
    "normal force is negative": lambda sol: {"c.lam_N": -sol["c.lam_N"]},
    "gap is negative": lambda sol: {"c.gap": sol["c.gap"] - 0.01 * (sol.t > 0.0)},
    "force over an open gap": lambda sol: {"c.gap": sol["c.gap"] + 0.01},
}


@pytest.mark.parametrize("words", WRONG)
def test_what_turning_makes_of_a_row_hides_nothing(words: str) -> None:
    model = tipping_rod(5.0)
    sol = cl.simulate(model, 0.1, method=STEPS)
    with pytest.raises(AssertionError, match=words):
        check(model, STEPS, sol, WRONG[words](sol))


@pytest.mark.parametrize("speed", [1e-7, 1e-3])
def test_sticking_that_slides_in_the_middle_of_a_step_is_found(speed: float) -> None:
    """Slower than what turning makes of the row, which once was the allowance."""
    model = tipping_rod(5.0)
    sol = cl.simulate(model, 0.1, method=STEPS)
    with pytest.raises(AssertionError, match="sliding in a contact that sticks"):
        check(model, STEPS, sol, {"c.gamma_T": np.full(len(sol.t), speed)})


@pytest.mark.parametrize(
    ("factor", "words"), [(-1.0, "friction drives"), (0.999, "sliding without full friction")]
)
def test_friction_of_a_foot_that_slides_and_turns(factor: float, words: str) -> None:
    model = tipping_rod(0.1)
    sol = cl.simulate(model, 0.1, method=STEPS)
    check(model, STEPS, sol, {})
    with pytest.raises(AssertionError, match=words):
        check(model, STEPS, sol, {"c.lam_T": factor * sol["c.lam_T"]})


def resting_box() -> cl.Model:
    """A box at rest, with two points of its pair that stick."""
    box = cl.Body("box", mass=2.0, inertia=0.02, position=(0.0, 0.1))
    corners = ((-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1))
    hull = cl.Polygon("hull", box, vertices=corners)
    floor = cl.Line("floor", cl.Ground(), normal=(0.0, 1.0))
    return cl.Model(box, hull, cl.Contact(hull, floor, mu=0.5, name="c"), gravity=(0.0, -G))


def resting_block() -> cl.Model:
    """The same in space, with four points."""
    body = cl.Body("body", mass=2.0, inertia=(0.02, 0.02, 0.02), position=(0.0, 0.0, 0.1))
    box = cl.Box("box", body, size=(0.4, 0.4, 0.2))
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    contact = cl.Contact(box, floor, mu=0.5, name="c")
    return cl.Model(body, box, floor, contact, gravity=(0.0, 0.0, -G))


@pytest.mark.parametrize("build", [resting_box, resting_block])
def test_one_point_that_stands_still_does_not_speak_for_two(build: Any) -> None:
    """Points in space change places in their pair, but as many stick as stand still."""
    model = build()
    sol = cl.simulate(model, 0.05, method=STEPS)
    check(model, STEPS, sol, {})
    sticks = [k for k in range(4) if (sol[f"c[{k}].state"] == STICK).any()]
    assert len(sticks) > 1
    names = [f"c[{k}].gamma_T" for k in sticks[1:]]
    slides = {name: np.full_like(sol[name], 0.1) for name in names}
    with pytest.raises(AssertionError, match="sliding in a contact that sticks"):
        check(model, STEPS, sol, slides)


def coin(spin: float) -> cl.Model:
    """A flat cylinder that slides on the ground, and spins about its axis."""
    body = cl.Body(
        "body", mass=1.0, inertia=(0.01, 0.01, 0.02), position=(0.0, 0.0, 0.05),
        velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, spin),
    )  # fmt: skip
    can = cl.Cylinder("can", body, radius=0.1, length=0.1)
    floor = cl.Ground("floor", normal=(0.0, 0.0, 1.0))
    contact = cl.Contact(can, floor, mu=0.2, name="c")
    return cl.Model(body, can, floor, contact, gravity=(0.0, 0.0, -G))


@pytest.mark.parametrize("spin", [0.0, 1.0])
def test_the_points_of_a_rim_are_known_to_its_diameter_only(spin: float) -> None:
    """What slides faster than the rim turns neither sticks nor has friction of any direction."""
    model = coin(spin)
    sol = cl.simulate(model, 0.05, method=STEPS)
    check(model, STEPS, sol, {})
    loaded = max((f"c[{k}]" for k in range(3)), key=lambda name: sol[f"{name}.lam_N"].max())
    sticks = {f"{loaded}.state": np.full_like(sol[f"{loaded}.state"], STICK)}
    with pytest.raises(AssertionError, match="sliding in a contact that sticks"):
        check(model, STEPS, sol, sticks)
    with pytest.raises(AssertionError, match="not against sliding"):
        check(model, STEPS, sol, {f"{loaded}.lam_T": sol[f"{loaded}.lam_T"][:, ::-1]})


def test_rounding_is_judged_by_the_weights() -> None:
    """A force of 1e-9 of the weight with the wrong sign is none of it."""
    model = dropped_pair()
    method = cl.EventDriven()
    sol = cl.simulate(model, 0.1, method=method)  # nothing has touched yet
    assert not sol["c0.lam_N"].any()
    check(model, method, sol, {"c0.lam_N": np.full(len(sol.t), -1e-14)})
    with pytest.raises(AssertionError, match="normal force is negative"):
        check(model, method, sol, {"c0.lam_N": np.full(len(sol.t), -1e-9)})


def test_only_the_row_behind_a_pole_may_have_a_wrong_sign() -> None:
    model, method = sliding_block(), cl.EventDriven()
    sol = cl.simulate(model, 0.2, method=method)
    k = len(sol.t) // 2
    pole = [Event(float(sol.t[k]), "c", "painleve", {})]
    for row, wrong in ((k, False), (k + 1, True)):
        lam = sol["c.lam_N"] + 0.0
        lam[row] *= -1.0
        if not wrong:
            check(model, method, sol, {"c.lam_N": lam}, events=pole)
            continue
        with pytest.raises(AssertionError, match="normal force is negative"):
            check(model, method, sol, {"c.lam_N": lam}, events=pole)


def test_weight_explains_no_gain_of_an_impact() -> None:
    """Its work is allowed in soft impacts only, of speeds that it makes in some steps."""
    model = dropped_pair()
    sol = cl.simulate(model, 0.2, method=STEPS)
    check(model, STEPS, sol, {})
    hits = [event for event in sol.events if event.kind == "impact"]
    assert hits
    gains = [
        Event(event.time, event.name, event.kind, {**event.data, "energy": 1e-3})
        for event in hits[:1]
    ]
    with pytest.raises(AssertionError, match="gain"):
        check(model, STEPS, sol, {}, events=gains)


def falling_mass() -> cl.Model:
    """A mass high above the floor: nothing may act on it."""
    mass = cl.PointMass("mass", mass=2.0, position=(0.0, 1.0))
    return cl.Model(
        mass, cl.Contact(mass, cl.Ground("floor", normal=(0.0, 1.0)), mu=0.3, name="c"),
        gravity=(0.0, -G),
    )  # fmt: skip


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
@pytest.mark.parametrize(
    ("channel", "change", "words"),
    [
        ("c.lam_N", lambda lam: -lam, "normal force is negative"),
        ("c.lam_T", lambda lam: 2.0 * lam, "leaves its cone"),
        ("c.gap", lambda gap: gap - 0.1, "gap is negative"),
    ],
)
def test_the_states_of_a_simulation_are_checked(
    method: Any, channel: str, change: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check that follows every call of step() finds a state that breaks a law."""
    sim = cl.Simulation(sliding_block(), method=method, dt=0.01)
    sim.step(3)
    get = simulation_laws.Now.__getitem__

    def forged(self: Any, name: str) -> Any:
        return change(get(self, name)) if name == channel else get(self, name)

    monkeypatch.setattr(simulation_laws.Now, "__getitem__", forged)
    with pytest.raises(AssertionError, match=words):
        sim.step()


def test_a_force_over_an_open_gap_of_a_simulation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = cl.Simulation(falling_mass(), method=cl.EventDriven(), dt=0.01)
    sim.step()
    get = simulation_laws.Now.__getitem__
    forged = {"c.lam_N": np.array([3.0])}
    monkeypatch.setattr(
        simulation_laws.Now, "__getitem__", lambda self, name: forged.get(name, get(self, name))
    )
    with pytest.raises(AssertionError, match="force over an open gap"):
        sim.step()


def pooled_slider() -> cl.Model:
    """A block that slides over the floor, of which no contact has a name before it is near."""
    block = cl.PointMass("block", mass=2.0, position=(0.0, 0.0), velocity=(3.0, 0.0))
    skin = cl.ContactPoint("skin", block, at=(0.0, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    rule = cl.AllContacts("all", mu=0.3, pooled=True)
    return cl.Model(block, skin, floor, rule, gravity=(0.0, -G))


POOLED_WRONG = {
    "normal force is negative": lambda sol, name: {f"{name}.lam_N": -sol[f"{name}.lam_N"]},
    "friction leaves its cone": lambda sol, name: {f"{name}.lam_T": 2.0 * sol[f"{name}.lam_T"]},
    "without full friction": lambda sol, name: {f"{name}.lam_T": 0.5 * sol[f"{name}.lam_T"]},
    "gap is negative": lambda sol, name: {f"{name}.gap": sol[f"{name}.gap"] - 0.1 * (sol.t > 0)},
    "force over an open gap": lambda sol, name: {f"{name}.gap": sol[f"{name}.gap"] + 0.1},
}


def spoil_runs(patch: pytest.MonkeyPatch, change: Any) -> None:
    """Let all solutions show what `change` makes of their channels, from now on."""
    get = cl.Solution.__getitem__
    patch.setattr(cl.Solution, "__getitem__", lambda sol, name: change(get, sol, name))
    patch.setattr(contact_laws, "Middles", ForgedMiddles)


@pytest.mark.parametrize("words", POOLED_WRONG)
def test_pooled_contacts_are_checked(words: str) -> None:
    model = pooled_slider()
    sol = cl.simulate(model, 0.05, method=STEPS)
    (name,) = [name for name, part in contact_laws._elements(sol, model)]
    assert contact_laws._has_friction(dict(contact_laws._elements(sol, model))[name])
    check(model, STEPS, sol, {})
    with pytest.raises(AssertionError, match=words):
        check(model, STEPS, sol, POOLED_WRONG[words](sol, name))


def test_runs_with_pooled_contacts_alone_are_checked_as_they_are_made() -> None:
    """By tests/conftest.py: the run itself fails where its forces do."""
    cl.simulate(pooled_slider(), 0.02, method=STEPS)

    def pulls(get: Any, sol: Any, name: str) -> Any:
        return -get(sol, name) if name.endswith(".lam_N") else get(sol, name)

    with pytest.MonkeyPatch.context() as patch:
        spoil_runs(patch, pulls)
        with pytest.raises(AssertionError, match="normal force is negative"):
            cl.simulate(pooled_slider(), 0.02, method=STEPS)


def failing_block() -> cl.Model:
    """The sliding block, pushed by a force that is no number from some time on."""

    def push(t: float) -> float:
        return float("nan") if t > 0.05 else 0.0

    model = sliding_block()
    return cl.Model(
        *model.parts, cl.Force("push", "block", value=(push, 0.0)),
        gravity=(0.0, -G),
    )  # fmt: skip


@pytest.mark.parametrize("method", ROADS, ids=["steps", "events"])
def test_runs_that_fail_are_checked_up_to_there(method: Any) -> None:
    with pytest.raises(cl.SimulationError) as error:
        cl.simulate(failing_block(), 0.1, method=method)
    assert len(error.value.solution.t) > 2  # type: ignore[attr-defined]

    def pulls(get: Any, sol: Any, name: str) -> Any:
        return -get(sol, name) if name == "c.lam_N" else get(sol, name)

    with pytest.MonkeyPatch.context() as patch:
        spoil_runs(patch, pulls)
        with pytest.raises(AssertionError, match="normal force is negative"):
            cl.simulate(failing_block(), 0.1, method=method)


def test_a_run_degraded_by_its_limits_is_checked() -> None:
    """Only a problem that was accepted above its tolerance excuses a run."""
    model = tipping_rod(5.0)
    sol = cl.simulate(model, 0.1, method=STEPS, limits=cl.Limits(residual=0.0))
    assert sol.info.status == "degraded"
    with pytest.raises(AssertionError, match="normal force is negative"):
        check(model, STEPS, sol, {"c.lam_N": -sol["c.lam_N"]})
    excused = {**sol.statistics, "unsolved_problems": 1}
    check(model, STEPS, sol, {"c.lam_N": -sol["c.lam_N"]}, statistics=excused)


def test_rows_before_the_first_that_must_obey_are_left_out() -> None:
    model = sliding_block()
    sol = cl.simulate(model, 0.1, method=STEPS)
    start = np.where(sol.t > 0.0, 0.0, -0.1)
    with contact_laws.allow(rows_from=1):
        check(model, STEPS, sol, {"c.gap": sol["c.gap"] + start})
        # the overlap of a row that is left out allows none later
        with pytest.raises(AssertionError, match="gap is negative"):
            check(model, STEPS, sol, {"c.gap": start - 0.01 * (sol.t > 0.05)})


def test_plain_schemes_may_sink_and_nothing_else() -> None:
    model = sliding_block()
    sol = cl.simulate(model, 0.1, method=STEPS)
    with contact_laws.allow(sinks=True):
        check(model, STEPS, sol, {"c.gap": sol["c.gap"] - 0.01 * (sol.t > 0.05)})
        with pytest.raises(AssertionError, match="force over an open gap"):
            check(model, STEPS, sol, {"c.gap": sol["c.gap"] + 0.01})
