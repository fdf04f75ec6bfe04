"""Ratios and inertias of gear trains from tooth numbers; Cardan joints by closed forms."""

import math

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives
from cornerlaw.errors import ModelError, UnknownNameError
from cornerlaw.gallery.drives._five_speed import ELEMENTS, GEARS, gearbox, ratio

# three digits as published for the gearbox 5HP24
PUBLISHED = {"1": 3.571, "2": 2.200, "3": 1.505, "4": 1.000, "5": 0.804, "R": -4.095}


def test_ratios_of_the_five_speed_gearbox() -> None:
    """AT-09."""
    print("\nAT-09:", {gear: round(ratio(gear), 4) for gear in PUBLISHED})
    for gear, published in PUBLISHED.items():
        assert ratio(gear) == pytest.approx(published, abs=5e-4)
    assert set(GEARS) == set(PUBLISHED)


def test_ratios_of_the_shift_by_hand() -> None:
    """Brake at V or Y: the speeds of both against turbine and output, by Willis' relation."""
    train = gearbox()
    first = train.jacobian(("turbine", "output"), joined=(("turbine", "X"),))
    Y, V = (first[train.shafts.index(name)] for name in ("Y", "V"))
    # planetary 3: 35 X + 90 Y = 125 output; planetary 2: 32 X + 100 V = 132 Y
    assert pytest.approx([-35 / 90, 125 / 90], rel=1e-12) == Y
    assert pytest.approx(1.32 * np.array([-35 / 90, 125 / 90]) - [0.32, 0.0], rel=1e-12) == V
    assert Y[1] == pytest.approx(1.3889, abs=5e-5) and V[1] == pytest.approx(1.8333, abs=5e-5)
    assert -1.0 / Y[0] == pytest.approx(2.5714, abs=5e-5)
    assert -1.0 / V[0] == pytest.approx(1.2000, abs=5e-5)


def test_every_pair_of_elements_leaves_no_freedom_to_the_ratio() -> None:
    train = gearbox()
    assert train.freedoms() == 3  # turbine, and two of the three sets
    for elements in GEARS.values():
        held = [ELEMENTS[e][1] for e in elements if ELEMENTS[e][0] == "held"]
        joined = [("turbine", ELEMENTS[e][1]) for e in elements if ELEMENTS[e][0] == "joined"]
        assert train.freedoms(held, joined) == 1


def test_planetary_jacobian_and_inertia() -> None:
    z_S, z_R = 36, 93
    gear = drives.PlanetarySet(z_S, z_R)
    train = drives.Train(gear.relations("S", "C", "R", "P"))
    J = train.jacobian(("S", "R"))
    a1, a2 = z_S / (z_R + z_S), z_R / (z_R + z_S)
    a3, a4 = -z_S / (z_R - z_S), z_R / (z_R - z_S)
    assert J[train.shafts.index("C")] == pytest.approx([a1, a2], rel=1e-12)
    assert J[train.shafts.index("P")] == pytest.approx([a3, a4], rel=1e-12)
    J_S, J_R, J_C, J_P, n, m, r = 0.01, 0.05, 0.03, 0.002, 4, 0.4, 0.06
    heavy = J_C + n * m * r**2
    expected = [
        [J_S + a1**2 * heavy + a3**2 * n * J_P, a1 * a2 * heavy + a3 * a4 * n * J_P],
        [a1 * a2 * heavy + a3 * a4 * n * J_P, J_R + a2**2 * heavy + a4**2 * n * J_P],
    ]
    found = gear.inertia(J_S, J_R, J_C, J_P, planets=n, mass=m, radius=r)
    assert found == pytest.approx(np.array(expected), rel=1e-12)
    # the same by projection of all bodies
    masses = {"S": J_S, "R": J_R, "C": heavy, "P": n * J_P}
    M = np.diag([masses[name] for name in train.shafts])
    assert pytest.approx(found, rel=1e-12) == J.T @ M @ J


def test_ravigneaux_jacobian_and_inertia() -> None:
    gear = drives.RavigneauxSet(sun_1=34, sun_2=26, long=22, short=24, ring=78)
    train = drives.Train(gear.relations("S1", "S2", "C", "H", "L", "K"))
    J = train.jacobian(("S1", "C"))
    b1, b2, b3, b4 = 34 / 78, 34 / 26, 34 / 22, 34 / 24
    rows = {"H": (-b1, 1 + b1), "S2": (-b2, 1 + b2), "L": (-b3, 1 + b3), "K": (b4, 1 - b4)}
    for name, row in rows.items():
        assert J[train.shafts.index(name)] == pytest.approx(row, rel=1e-12)
    J_S1, J_S2, J_C, J_H, J_L, J_K = 0.01, 0.02, 0.03, 0.04, 0.001, 0.002
    found = gear.inertia(
        J_S1, J_S2, J_C, J_H, J_L, J_K, long_planets=3, short_planets=3, carried=0.005
    )
    J11 = J_S1 + b1**2 * J_H + b2**2 * J_S2 + 3 * b3**2 * J_L + 3 * b4**2 * J_K
    J12 = (
        -(b1 + b1**2) * J_H - (b2**2 + b2) * J_S2
        - 3 * (b3**2 + b3) * J_L - 3 * (b4**2 - b4) * J_K
    )  # fmt: skip
    J22 = (
        (1 + b1) ** 2 * J_H + (1 + b2) ** 2 * J_S2 + J_C + 0.005
        + 3 * (1 + b3) ** 2 * J_L + 3 * (1 - b4) ** 2 * J_K
    )  # fmt: skip
    assert found == pytest.approx(np.array([[J11, J12], [J12, J22]]), rel=1e-12)


def test_torques_of_a_planetary_set() -> None:
    """Sun, ring and carrier share the torque as z_S : z_R : -(z_S + z_R)."""
    train = drives.Train(drives.PlanetarySet(30, 90).relations("S", "C", "R"))
    found = train.torques({"S": 10.0, "C": math.nan}, held=("R",))
    assert found["C"] == pytest.approx(-40.0) and found["R"] == pytest.approx(30.0)


def test_differential_and_spur_pair() -> None:
    train = drives.Train(
        drives.spur_pair("pinion", "cage", 11, 37), drives.differential("cage", "left", "right")
    )
    speeds = train.speeds({"pinion": 37.0, "left": -20.0})
    assert speeds["cage"] == pytest.approx(-11.0) and speeds["right"] == pytest.approx(-2.0)


def test_a_planetary_set_in_a_model_moves_by_its_reduced_inertia() -> None:
    gear = drives.PlanetarySet(30, 70)
    rotors = {
        "S": cl.Rotor("sun", inertia=0.01), "R": cl.Rotor("ring", inertia=0.05),
        "C": cl.Rotor("carrier", inertia=0.03), "P": cl.Rotor("planets", inertia=3 * 0.002),
    }  # fmt: skip
    train = drives.Train(gear.relations("S", "C", "R", "P"))
    parts = train.couplings("gear", rotors)
    push = cl.Torque("push", rotors["S"], value=2.0)
    load = cl.Torque("load", rotors["R"], value=-3.0)
    sol = cl.simulate(cl.Model(*rotors.values(), *parts, push, load), 0.5)
    M = gear.inertia(0.01, 0.05, 0.03, 0.002, planets=3)
    rates = np.linalg.solve(M, [2.0, -3.0])
    assert sol["sun.speed"][-1] == pytest.approx(0.5 * rates[0], rel=1e-10)
    assert sol["ring.speed"][-1] == pytest.approx(0.5 * rates[1], rel=1e-10)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: drives.PlanetarySet(40, 30), "more teeth than the sun"),
        (lambda: drives.PlanetarySet(10.5, 30), "whole number"),
        (lambda: gearbox().ratio("turbine", "output"), "3 are left; engage more"),
        (lambda: gearbox().ratio("turbine", "nothing", held=("Y",), joined=(("turbine", "X"),)),
         "no shaft 'nothing'"),
        (lambda: gearbox().jacobian(("X",)), "3 speeds can be chosen, but 1"),
        (lambda: gearbox().couplings("g", {}), "no rotor for"),
        (lambda: drives.cardan_angle(0.0, 2.0), "less than pi / 2"),
    ],
)  # fmt: skip
def test_wrong_trains_are_named(make, text) -> None:
    with pytest.raises((ModelError, UnknownNameError), match=text):
        make()


@pytest.mark.parametrize(("degrees", "percent"), [(10, 6.1), (20, 24.9), (30, 58.3)])
def test_cardan_stiffness_irregularity(degrees, percent) -> None:
    """AT-14: peak to peak of the squared ratio, the factor of a stiffness behind the joint."""
    bend = math.radians(degrees)
    ratio = np.array([drives.cardan_ratio(x, bend) ** 2 for x in np.linspace(0, 2 * math.pi, 721)])
    print(f"\nAT-14: {degrees} deg: {100.0 * np.ptp(ratio):.2f} % peak to peak")
    assert 100.0 * np.ptp(ratio) == pytest.approx(percent, abs=0.05)
    orders = np.abs(np.fft.rfft(ratio[:-1] - ratio[:-1].mean()))
    assert np.argmax(orders) == 2  # twice per turn
    assert orders[[1, 3]].max() < 1e-9 * orders[2]


def test_cardan_angle_is_smooth_over_turns() -> None:
    bend = 0.6
    x = np.linspace(-8.0, 8.0, 4001)
    y = np.array([drives.cardan_angle(v, bend) for v in x])
    assert np.abs(np.diff(y)).max() < (x[1] - x[0]) / math.cos(bend) * 1.001
    slope = (y[2:] - y[:-2]) / (x[2:] - x[:-2])
    expected = [drives.cardan_ratio(v, bend) for v in x[1:-1]]
    assert slope == pytest.approx(expected, abs=2e-5)  # differences of second order, h = 4e-3
    assert np.tan(y) == pytest.approx(np.tan(x) / math.cos(bend), rel=1e-9)


def test_cardan_shaft_keeps_its_energy() -> None:
    """AT-14: four inertias, two bent joints, a spring between them."""
    one, two, three, four = (
        cl.Rotor(name, inertia=J) for name, J in (("a", 0.2), ("b", 0.02), ("c", 0.03), ("d", 0.3))
    )
    bend = math.radians(30.0)
    model = cl.Model(
        one, two, three, four,
        drives.cardan_joint("first", one, two, bend=bend),
        drives.cardan_joint("second", four, three, bend=bend),
        drives.shaft("tube", two, three, stiffness=800.0),
        cl.Torque("push", one, value=lambda t: 30.0 if t < 0.1 else 0.0),
    )  # fmt: skip
    start = cl.simulate(model, 0.1)
    free = model.replace({"push.value": 0.0})
    sol = cl.simulate(free, 1.1, initial=start.final, method=cl.RungeKutta8(rtol=1e-11))
    energy = sol["energy.total"]
    print(f"\nAT-14: energy of the shaft varies by {np.ptp(energy) / energy.max():.1e}")
    assert np.ptp(energy) < 1e-8 * energy.max()
    assert np.ptp(sol["energy.kinetic"]) > 1e-3 * energy.max()  # and it does move between both
    ratio = sol["b.speed"] / sol["a.speed"]
    expected = [drives.cardan_ratio(x, bend) for x in sol["a.angle"]]
    assert ratio == pytest.approx(expected, rel=1e-8)
