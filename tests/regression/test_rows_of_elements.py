"""Rows of elements: room for their wrenches, switches across jumps, refusals of what is not known.

A cart of 2 kg that a force of 4 N brakes loses 2 m/s every second while the row is on.
"""

import math
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.drives import audit
from cornerlaw.simulate.assembly import initial_state
from cornerlaw.simulate.states import place
from cornerlaw.simulate.system import System

G = 9.81
ROADS = [cl.EventDriven(), cl.Moreau(dt=1e-3)]
IDS = ["events", "dt"]


def along(t, r, A, v, Omega, q, u, p, F, M, Q):
    Q[0] = 1.0
    return q[0], 0.0, 0.0


def braked(active: Any, position: float = 0.0, velocity: float = 3.0, **more: Any) -> cl.Model:
    """Return a cart with a brake that a function switches."""
    cart = cl.Slider("cart", mass=2.0, position=position, velocity=velocity)
    rows = {"brake": cl.SetRow(along, upper=4.0, active=active), **more.pop("rows", {})}
    return cl.Model(cart, cl.ForceElement("b", coordinates=("cart.position",), rows=rows, **more))


# room for wrenches


def sum_of_heights(t, r, A, v, Omega, q, u, p, F, M, Q):
    g = 0.0
    for k in range(r.shape[0]):
        F[k, 1] = 1.0
        g += r[k, 1]
    return g, 0.0, 0.0


def to_the_left(t, r, A, v, Omega, q, u, p, F, M, Q):
    for k in range(r.shape[0]):
        F[k, 0] = -0.1


def always(t, r, A, v, Omega, q, u, x, p):
    return 1.0


ROWS = {
    "V": (2, lambda: cl.BilateralRow(sum_of_heights, V=to_the_left)),
    "one-sided V": (2, lambda: cl.UnilateralRow(sum_of_heights, V=to_the_left)),
    "one-sided": (3, lambda: cl.UnilateralRow(sum_of_heights)),
    "latch": (3, lambda: cl.BilateralRow(sum_of_heights, active=always)),
    "friction": (
        7, lambda: cl.UnilateralRow(sum_of_heights, mu=0.1, tangent=sum_of_heights),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_corner_fits_behind_all_the_others(name: str) -> None:
    """The gap of a corner is evaluated on top of the wrenches of a whole evaluation."""
    from cornerlaw.kernels.element_rows import eval_element_row

    n, row = ROWS[name]
    bodies = [cl.PointMass(f"b{k}", mass=1.0 + k, position=(float(k), 0.0)) for k in range(n)]
    system = System(
        cl.Model(*bodies, cl.ForceElement("e", frames=tuple(bodies), rows={"n": row()}))
    )
    q, u, x = initial_state(system)
    system.see_states(x)
    system.kinematics(q, u)
    needed = 0
    for i in range(system.arrays.rows.kind.size):
        system.work.n_entries[0] = 0
        eval_element_row(system.m, system.w, i, 0.0, q, u, u)
        needed += int(system.work.n_entries[0])
    assert needed >= n
    # the only corner of the model twice: once as a force, once for its gap
    assert len(system.work.entry_row) >= 2 * needed


LATCHES = """
    import cornerlaw as cl

    def heights(t, r, A, v, Omega, q, u, p, F, M, Q):
        g = 0.0
        for k in range(r.shape[0]):
            F[k, 1] = 1.0
            g += r[k, 1]
        return g, 0.0, 0.0

    def left(t, r, A, v, Omega, q, u, p, F, M, Q):
        for k in range(r.shape[0]):
            F[k, 0] = -0.1

    def on(t, r, A, v, Omega, q, u, x, p):
        return 1.0

    for n, row in ((2, cl.BilateralRow(heights, V=left)), (3, cl.BilateralRow(heights, active=on))):
        for method in (cl.Moreau(dt=1e-3), cl.EventDriven()):
            bs = [cl.PointMass(f"b{k}", mass=1.0 + k, position=(float(k), 0.0)) for k in range(n)]
            e = cl.ForceElement("g", frames=tuple(bs), rows={"n": row})
            sol = cl.simulate(cl.Model(*bs, e, gravity=(0.0, -9.81)), 0.3, method=method)
            total = sum(sol[f"b{k}"].velocity[-1, 1] for k in range(n))
            assert abs(total) < 1e-9, total
"""


def test_rows_over_several_bodies_leave_other_memory_alone() -> None:
    """A write past the end of the wrenches ended the process."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LATCHES)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


# switches


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_switch_that_begins_at_its_zero(method: Any) -> None:
    """sin(2 pi t) is above zero from 0 to 0.5 s."""

    def wave(t, r, A, v, Omega, q, u, x, p):
        return math.sin(2.0 * math.pi * t)

    sol = cl.simulate(braked(wave), 0.75, method=method)
    assert sol["cart"].velocity[-1] == pytest.approx(2.0, abs=1e-9)
    assert sol["b"].brake_active[-1] == 0.0


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_switch_that_begins_to_move_from_zero(method: Any) -> None:
    """The speed is zero at the start and the force of 8 N makes it positive at once."""

    def moves(t, r, A, v, Omega, q, u, x, p):
        return u[0]

    def push(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[0] = 8.0

    sol = cl.simulate(braked(moves, velocity=0.0, law=push), 1.0, method=method)
    # the first step only is without the brake
    assert sol["cart"].velocity[-1] == pytest.approx(2.0, abs=3e-3)
    assert sol["b"].brake_active[-1] == 1.0


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_switch_that_touches_zero_stays(method: Any) -> None:
    def bowl(t, r, A, v, Omega, q, u, x, p):
        return (t - 0.25) ** 2

    sol = cl.simulate(braked(bowl), 0.5, method=method)
    assert sol["cart"].velocity[-1] == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_switch_by_a_state_that_an_event_sets(method: Any) -> None:
    def rest(t, r, A, v, Omega, q, u, x, z, p, F, M, Q, x_dot):
        x_dot[0] = 0.0

    def clock(t, r, A, v, Omega, q, u, x, z, p):
        return t - 0.1

    def jump(name, t, r, A, v, Omega, q, u, x, z, p):
        x[0] = 1.0

    def by_state(t, r, A, v, Omega, q, u, x, z, p):
        return x[0]

    model = braked(by_state, law=rest, states={"s": -1.0}, discrete={"d": 0.0},
                   indicators={"clock": clock}, on_event=jump)  # fmt: skip
    sol = cl.simulate(model, 0.6, method=method)
    assert sol["cart"].velocity[-1] == pytest.approx(2.0, abs=1e-9)
    assert [e.kind for e in sol.events if e.name == "b"] == ["clock", "brake_active"]


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_switch_by_an_input(method: Any) -> None:
    def by_input(t, r, A, v, Omega, q, u, x, p):
        return p[0]

    sim = cl.Simulation(
        braked(by_input, parameters={"on": cl.Input("on", -1.0)}), method=method, dt=0.1
    )
    sim.step()
    sim.set_input("on", 1.0)
    sim.step(5)
    assert float(sim["cart.velocity"]) == pytest.approx(2.0, abs=1e-9)


def test_switch_at_values_that_are_given() -> None:
    def beyond(t, r, A, v, Omega, q, u, x, p):
        return q[0] - 1.0

    model = braked(beyond)
    assert place(model, {"cart.position": 5.0}).x.tolist() == [1.0]
    assert place(model, {"cart.position": 0.5}).x.tolist() == [0.0]
    assert place(model, {"cart.position": 5.0, "b.brake_active": 0.0}).x.tolist() == [0.0]


# impacts


def to_the_right(t, r, A, v, Omega, q, u, x, p):
    return u[0] - 0.1


@pytest.mark.parametrize("method", ROADS, ids=IDS)
def test_impact_switches_by_the_velocity(method: Any) -> None:
    """-3 m/s become 3 at t = 1/3; the brake then acts down to 0.1 m/s, where it lets go."""
    wall = {"wall": cl.UnilateralRow(along, eps_N=1.0)}
    model = braked(to_the_right, 1.0, -3.0, rows=wall)
    sol = cl.simulate(model, 1.0, method=method)
    assert sol["cart"].velocity.max() == pytest.approx(3.0, abs=1e-9)
    assert sol["cart"].velocity[-1] == pytest.approx(3.0 - 2.0 * (1.0 - 1.0 / 3.0), abs=2e-3)
    assert sol["b"].brake_active[-1] == 1.0
    sol = cl.simulate(model, 3.0, method=method)
    assert sol["cart"].velocity[-1] == pytest.approx(0.1, abs=1e-9)
    assert sol["b"].brake_active[-1] == 0.0


def note(name, t, r, A, v, Omega, q, u, x, z, p):
    z[0] += 1.0


def fast(t, r, A, v, Omega, q, u, x, z, p):
    return u[0] - 0.1


def late(t, r, A, v, Omega, q, u, x, z, p):
    return t - 0.3335


@pytest.mark.parametrize("indicator", [fast, late])
@pytest.mark.parametrize(
    "times", [None, np.array([0.0, 0.3335, 0.3338, 0.334, 1.0])], ids=["steps", "times"]
)
def test_event_in_a_step_with_an_impact_keeps_the_impact_whole(indicator: Any, times: Any) -> None:
    """The event comes at the end of the step; rows asked for before it stay in order."""
    cart = cl.Slider("cart", mass=2.0, position=1.0, velocity=-3.0)
    element = cl.ForceElement(
        "b", coordinates=("cart.position",), discrete={"n": 0.0}, indicators={"i": indicator},
        on_event=note, rows={"wall": cl.UnilateralRow(along, eps_N=1.0)},
    )  # fmt: skip
    sol = cl.simulate(cl.Model(cart, element), 1.0, method=cl.Moreau(dt=1e-3), t_eval=times)
    assert sol["cart"].velocity[-1] == pytest.approx(3.0, abs=1e-9)
    assert sol["b"].n[-1] == 1.0
    assert [e.time for e in sol.events if e.kind == "i"] == [pytest.approx(0.334, abs=1e-12)]
    assert np.all(np.diff(sol.t) >= 0.0)
    if times is not None:
        assert np.isin(times, sol.t).all()
    sim = cl.Simulation(cl.Model(cart, element), method=cl.Moreau(dt=1e-3), dt=0.1)
    sim.step(10)
    assert float(sim["cart.velocity"]) == pytest.approx(3.0, abs=1e-9)


# what is refused


def guide(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 1] = 1.0
    return r[0, 1], 0.0, 0.0


def slip(t, r, A, v, Omega, q, u, p, F, M, Q):
    F[0, 0] = 1.0
    return r[0, 0], 0.0, 0.0


def test_bound_that_follows_a_compliant_force() -> None:
    """x_ddot = -0.3 g; implicit steps find that force behind their bounds, and refuse."""
    block = cl.PointMass("block", mass=2.0, position=(0.0, -2.0 * G / 1e4), velocity=(3.0, 0.0))
    rows = {"n": cl.UnilateralRow(guide, law=cl.KelvinVoigt(1e4, 10.0)),
            "t": cl.SetRow(slip, upper=cl.Multipliers({"guide.n": 0.3}))}  # fmt: skip
    element = cl.ForceElement("guide", frames=(block,), rows=rows)
    model = cl.Model(block, element, gravity=(0.0, -G))
    with pytest.raises(cl.UsageError, match=r"'guide\.n', which has a compliant law"):
        cl.simulate(model, 0.01, method=cl.Theta(dt=1e-3))
    with pytest.raises(cl.UsageError, match=r"'guide\.n', which has a compliant law"):
        cl.Simulation(model, method=cl.Theta(dt=1e-3))
    # event by event the block sinks a little before the guide counts as touched
    near = {cl.EventDriven(): 1e-3, cl.Moreau(dt=1e-3): 1e-9, cl.HalfExplicit(dt=1e-3): 1e-9}
    for method, error in near.items():
        sol = cl.simulate(model, 0.1, method=method)
        assert sol["block"].velocity[-1, 0] == pytest.approx(3.0 - 0.3 * G * 0.1, abs=error)
        assert np.abs(sol["guide.t"].lam_T + 0.3 * sol["guide.n"].lam_N).max() < 1e-9
        assert sol["guide.t"].lam_T[-1] == pytest.approx(-0.6 * G, abs=10.0 * error)


def test_indicator_with_the_name_of_a_switch_is_refused() -> None:
    with pytest.raises(cl.ModelError, match=r"\[brake\] has an indicator 'brake_active'"):
        braked(always, indicators={"brake_active": always})


def test_audit_refuses_work_that_it_cannot_see() -> None:
    block = cl.PointMass("block", mass=2.0, position=(0.0, 0.0), velocity=(5.0, 0.0))
    rows = {"n": cl.BilateralRow(guide, V=to_the_left)}
    model = cl.Model(block, cl.ForceElement("e", frames=(block,), rows=rows), gravity=(0.0, -G))
    sol = cl.simulate(model, 0.01, method=cl.EventDriven())
    with pytest.raises(cl.UsageError, match=r"rows\[n\] has V, whose work"):
        audit(sol, model)
    cart = cl.Slider("cart", mass=2.0)
    drive = cl.UserSet("drive", coordinates=("cart.position",), coefficients=(1.0,),
                       lower=-4.0, upper=4.0, motion=lambda t: t)  # fmt: skip
    model = cl.Model(cart, drive)
    sol = cl.simulate(model, 0.01, method=cl.EventDriven())
    with pytest.raises(cl.UsageError, match=r"UserSet 'drive' has a motion"):
        audit(sol, model)


@pytest.mark.parametrize("speed", [0.3, 3.0, -3.0])
def test_state_of_a_row_that_yields_is_the_same_on_both_roads(speed: float) -> None:
    """Within its set lam = -gamma / R: it sticks, and slips at the ends of 4 N, from 0.4 m/s."""
    found = []
    for method in ROADS:
        cart = cl.Slider("cart", mass=2.0, velocity=speed)
        row = cl.SetRow(along, upper=4.0, R=0.1)
        element = cl.ForceElement("b", coordinates=("cart.position",), rows={"s": row})
        sol = cl.simulate(cl.Model(cart, element), 0.05, method=method)
        found.append(float(sol["b.s"].state[-1]))
    assert found == [4.0 if abs(speed) < 0.4 else 2.0 if speed > 0.0 else 3.0] * 2
