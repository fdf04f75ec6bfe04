"""The energy audit notices every element whose dissipation has the wrong sign.

The law of each element gets the coefficients of its dissipation with the other sign, while its
`loss` stays that of its own law: the balance, closed before, must open.
"""

import numpy as np
import pytest
from contact_laws import allow
from numba.extending import register_jitable

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import ModelError
from cornerlaw.gallery.drives import synchroniser


def flipped(element: cl.ForceElement, *names: str) -> cl.ForceElement:
    """Return the element with some parameters negated in its law only."""
    known = list(element.parameters)
    places = np.array([known.index(name) for name in names])
    law = register_jitable(element.law)

    def wrong(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        other = p.copy()
        for k in places:
            other[k] = -other[k]
        law(t, r, A, v, Omega, q, u, x, other, F, M, Q, x_dot)

    return element.replace(law=wrong)


def _pair(speed: float = 10.0, inertia: tuple[float, float] = (2e-3, 8e-3)):
    return cl.Rotor("a", inertia=inertia[0], speed=speed), cl.Rotor("b", inertia=inertia[1])


def _shaft():
    a, b = _pair()
    return (a, b), drives.shaft("e", a, b, stiffness=50.0, damping=0.02), ("damping",), 0.1


def _gears(t_end: float):
    a, b = _pair(5.0)
    # with oil the damping has no jump where the teeth touch, which no row would resolve
    mesh = drives.gear_mesh(
        "e", a, b, radius_1=0.05, radius_2=0.08, stiffness=2e7, damping=800.0, backlash=1e-4,
        oil=4.0,
    )  # fmt: skip
    return (a, b), mesh, ("damping",), t_end


def _mesh():
    return _gears(2e-3)


def _oil():
    """The film alone, before the teeth touch."""
    return _gears(1.5e-4)


def _tyre():
    wheel, car = cl.Rotor("wheel", inertia=2.0, speed=20.0), cl.Slider("car", mass=1500.0)
    tyre = drives.tyre("e", wheel, car, radius=0.3, stiffness=1e4, damping=40.0)
    return (wheel, car), tyre, ("damping",), 0.2


def _air():
    car = cl.Slider("car", mass=1500.0, velocity=40.0)
    air, _ = drives.road_load("e", car, mass=1500.0, drag_area=0.7, rolling=0.01)
    return (car,), air, ("drag",), 2.0


def _converter():
    a, b = cl.Rotor("a", inertia=0.3, speed=200.0), cl.Rotor("b", inertia=0.4)
    element = drives.converter(
        "e", a, b, reference=200.0, pump_torque=lambda nu: 150.0 * max(0.0, 1.0 - nu**2),
        torque_ratio=lambda nu: max(2.0 - nu, 1.0),
    )  # fmt: skip
    return (a, b), element, tuple(f"torque_{k}" for k in range(12)), 0.05


def _dc():
    rotor = cl.Rotor("rotor", inertia=0.01)
    machine = drives.dc_machine(
        "e", rotor, voltage=24.0, resistance=0.5, inductance=1e-3, constant=0.1
    )
    return (rotor,), machine, ("resistance",), 0.01


def _synchronous():
    rotor = cl.Rotor("rotor", inertia=750.0, speed=50.0 * np.pi)
    machine = drives.SynchronousMachine(
        5e6, 100.0 * np.pi, 2, 2.0, 1.9, 1.88, 1.78, 2.03, 1.96, 1.86, 0.005, 0.001, 0.02, 0.02
    )
    return (rotor,), machine.element("e", rotor), ("r_a", "r_f", "r_D", "r_Q"), 0.05


def _cylinder():
    a, b = _pair(100.0, (0.2, 1.0))
    pack = drives.DiscPack(area=4e-3, spring=400.0, radius=0.06, faces=8, static=0.12)
    piston, cylinder, _, stop = drives.wet_clutch(
        "e", a, b, pack, level=6e5, rise=0.01, conductance=2e-10, volume=2e-5, modulus=3e8,
        mass=0.5, clearance=5e-4,
    )  # fmt: skip
    return (a, b, piston, stop), cylinder, ("conductance",), 2e-4


def _bar():
    bar, twist = drives.modal_shaft(
        "bar", inertia=0.02, stiffness=5e3, modes=2, first=0.03, second=0.05, lehr=0.02
    )
    moving = bar.replace(u0=(10.0, 0.0, 0.0, 0.0))
    return (moving,), twist, tuple(f"D_{i}_{j}" for i in range(4) for j in range(4)), 0.02


def _stream():
    tube = drives.StreamTube(
        (0.11, 0.06, 0.06), (0.3, -1.0, 1.0), (-0.3, 0.9, -0.4), (1e-5, -2e-5, 1e-6),
        (0.1, 0.05, 0.02), 0.01, 0.3, shock=1.0, friction=0.2,
    )  # fmt: skip
    wheels, stream = tube.parts("e", speeds=(200.0, 100.0, 0.0), flow=0.02)
    return (wheels,), stream, ("shock", "friction"), 0.05


CASES = (
    _shaft, _mesh, _oil, _tyre, _air, _converter, _dc, _synchronous, _cylinder, _bar, _stream,
)  # fmt: skip


def _audit(parts, element, t_end: float) -> drives.Audit:
    model = cl.Model(*parts, element)
    t = np.linspace(0.0, t_end, 20001)
    method = cl.EventDriven(rtol=1e-10, max_step=t_end / 200.0)
    sol = cl.simulate(model, t_end, t_eval=t, method=method)
    return drives.audit(sol, model)


@pytest.mark.verify  # every law is compiled twice
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__[1:])
def test_audit_notices_the_wrong_sign(case) -> None:
    parts, element, names, t_end = case()
    right = _audit(parts, element, t_end)
    print(f"\n{case.__name__[1:]}: gap of the audit {right.gap:.1e}", end="")
    assert right.gap < 1e-6 and right.created == 0.0
    assert right.dissipated[element.name] > 1e-4 * right.turnover
    wrong = _audit(parts, flipped(element, *names), t_end)
    print(f", with the wrong sign {wrong.gap:.1e}")
    # what is missing is what was created instead of dissipated, twice
    assert wrong.gap > 100.0 * max(right.gap, 1e-6)


@pytest.mark.verify
def test_audit_notices_a_hysteresis_that_drives() -> None:
    """The force of the Jenkins elements acts with the motion instead of against it."""
    joint = drives.press_fit(stiffness=100.0, torque=1.0, elements=3)
    law = register_jitable(joint.element("e", "a.angle").law)

    def wrong(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot)
        Q[0] = -Q[0]

    rotor = cl.Rotor("a", inertia=2e-3, speed=10.0)
    element = joint.element("e", rotor)
    assert _audit((rotor,), element, 0.05).gap < 1e-6
    assert _audit((rotor,), element.replace(law=wrong), 0.05).gap > 1e-3


def test_audit_notices_friction_that_drives() -> None:
    """The printed clutch: its torque has the sign of the slip."""

    def torque(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        force = p[0] * np.sign(u[0] - u[1])
        Q[0] = p[1] * force
        Q[1] = -p[1] * force

    def loss(t, r, A, v, Omega, q, u, x, p):
        return p[0] * abs(u[0] - u[1])

    gaps = []
    for sign in (-1.0, 1.0):
        a, b = _pair(100.0, (0.2, 1.0))
        clutch = cl.ForceElement(
            "e", coordinates=("a.angle", "b.angle"), law=torque,
            parameters={"torque": 10.0, "sign": sign}, outputs={"loss": loss},
        )  # fmt: skip
        gaps.append(_audit((a, b), clutch, 0.5).gap)
    assert gaps[0] < 1e-9 and gaps[1] > 0.1


def test_no_friction_and_no_impact_can_be_built_to_create_energy() -> None:
    a, b = _pair()
    for refused in (
        lambda: cl.Clutch("c", a, b, capacity=-1.0),
        lambda: cl.Brake("c", a, capacity=-1.0),
        lambda: cl.KelvinVoigt(1e6, -1.0),
        lambda: cl.TorsionSpring("c", a, damping=-1.0),
        lambda: drives.shaft("c", a, b, stiffness=1.0, damping=-1.0),
        lambda: drives.gear_flanks("c", a, b, radius_1=1.0, radius_2=1.0, backlash=0.1, eps_N=1.2),
    ):
        with pytest.raises(ModelError):
            refused()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_audit_of_the_synchroniser_notices_a_guide_that_drives(sign: float) -> None:
    """A5 with its damper written out: with the wrong sign it gives what it counts as lost."""

    def law(t, r, A, v, Omega, q, u, x, p, F, M, Q, x_dot):
        Q[0] = -p[1] * p[0] * u[0]

    def loss(t, r, A, v, Omega, q, u, x, p):
        return p[0] * u[0] ** 2

    system = synchroniser.build(synchroniser.Parameters())
    guide = cl.ForceElement(
        "own guide", coordinates=("sync.sleeve.position",), law=law, outputs={"loss": loss},
        parameters={"damping": float(system.part("sync.guide").damping), "sign": sign},
    )  # fmt: skip
    model = cl.Model(*(part for part in system.parts if part.name != "sync.guide"), guide)
    t = np.linspace(0.0, 0.15, 15001)
    sol = cl.simulate(model, 0.15, t_eval=t, method=cl.EventDriven(rtol=1e-10, max_step=1e-4))
    book = drives.audit(sol, model)
    assert (book.gap < 1e-6) if sign > 0.0 else (book.gap > 1e-4)


def test_audit_of_the_synchroniser_closes_with_the_step() -> None:
    """Time stepping finds the same losses of cone and guide, with first order."""
    p = synchroniser.Parameters()
    gaps = []
    for dt in (2e-5, 1e-5, 5e-6):
        t = np.linspace(0.0, 0.15, 15001)
        # ring and sleeve depend on each other: the correction of one contact opens the next
        with allow(gap_tol=1e-3):
            sol = synchroniser.simulate(p, method=cl.Moreau(dt=dt), t_eval=t)
        gaps.append(drives.audit(sol, synchroniser.build(p)).gap)
    assert gaps[2] < 0.4 * gaps[0] < 4e-4


@pytest.mark.parametrize("method", [cl.EventDriven(max_step=1e-3), cl.Moreau(dt=1e-5)])
def test_audit_counts_an_impact_at_the_very_beginning_once(method) -> None:
    """A freewheel that starts overrun closes at t = 0; a brake takes the rest."""
    a, b = cl.Rotor("a", inertia=0.1, speed=2.0), cl.Rotor("b", inertia=0.1, speed=4.0)
    model = cl.Model(a, b, cl.Freewheel("f", a, b), cl.Brake("brake", a, capacity=1.0))
    sol = cl.simulate(model, 1.0, method=method)
    assert next(event.name for event in sol.events if event.kind == "impact") == "f"
    book = drives.audit(sol, model)
    # 0.9 J after the impact; a step is the error of the time at which the brake stops both
    assert book.dissipated["brake"] == pytest.approx(0.9, abs=1e-4)
    assert book.gap < 1e-5
