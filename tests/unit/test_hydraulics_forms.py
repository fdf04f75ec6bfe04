"""Closed forms of hydraulics against integrals, limits and printed numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from cornerlaw.errors import ModelError
from cornerlaw.hydraulics.fluid import Fluid
from cornerlaw.hydraulics.friction import (
    churchill,
    exact_frequency_factor,
    frequency_factor,
    hagen_poiseuille,
)
from cornerlaw.hydraulics.gaps import AnnularGap, eccentric_factor, overlap
from cornerlaw.hydraulics.openings import orifice_drop, orifice_flow, seat_area
from cornerlaw.hydraulics.waves import joukowsky, line_matrices


@pytest.mark.parametrize("air", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("polytropic", [1.0, 1.4])
def test_pressure_is_the_inverse_of_volume(air: float, polytropic: float) -> None:
    oil = Fluid(air=air, polytropic=polytropic)
    for p in (1e2, 1e4, 1e5, 1e6, 5e7):
        assert oil.pressure(oil.volume(p)) == pytest.approx(p, rel=1e-8, abs=1e-6 * oil.bulk * 1e-9)


def test_bulk_modulus_is_the_slope_of_the_volume() -> None:
    oil = Fluid(air=0.01, polytropic=1.4)
    for p in (2e4, 1e5, 3e6):
        h = 1e-4 * p
        slope = (oil.volume(p + h) - oil.volume(p - h)) / (2.0 * h)
        assert oil.bulk_modulus(p) == pytest.approx(-oil.volume(p) / slope, rel=1e-6)


def test_air_softens_oil_at_low_pressure_only() -> None:
    oil = Fluid(bulk=1e9, air=0.01)
    assert oil.bulk_modulus(1e5) < 0.011e9  # 1 % air at 1 bar: a hundredth
    assert oil.bulk_modulus(2e7) > 0.9e9
    # far expanded, the pressure tends to zero and never below
    assert 0.0 < oil.pressure(2.0) < 1.1e3


def test_orifice_and_its_inverse() -> None:
    flow = orifice_flow(2e6, 4e-6, 0.65, 860.0)
    assert flow == pytest.approx(0.65 * 4e-6 * math.sqrt(2.0 * 2e6 / 860.0), rel=1e-15)
    assert orifice_drop(flow, 4e-6, 0.65, 860.0) == pytest.approx(2e6, rel=1e-14)
    assert orifice_flow(-2e6, 4e-6, 0.65, 860.0) == -flow
    assert orifice_flow(2e6, 0.0, 0.65, 860.0) == 0.0
    with pytest.raises(ModelError, match="closed orifice"):
        orifice_drop(flow, 0.0, 0.65, 860.0)


# AT-01
def test_fit_of_the_frequency_factor() -> None:
    assert frequency_factor(5.0) == pytest.approx(1.3223, abs=5e-5)
    ks = np.linspace(0.0, 50.0, 1001)[1:]
    off = [abs(frequency_factor(float(k)) / exact_frequency_factor(float(k)).real - 1) for k in ks]
    print(f"\nAT-01: N(5) = {frequency_factor(5.0):.5f}, fit within {100.0 * max(off):.2f} %")
    for k in np.linspace(0.0, 50.0, 1001):
        exact = exact_frequency_factor(float(k)).real
        assert frequency_factor(float(k)) == pytest.approx(exact, rel=0.01)
    assert frequency_factor(10.0) == pytest.approx(2.197, abs=5e-4)
    assert exact_frequency_factor(10.0).real == pytest.approx(2.176, abs=5e-4)


def test_exact_factor_for_steady_and_fast_flow() -> None:
    assert exact_frequency_factor(0.01).real == pytest.approx(1.0, abs=1e-8)
    # the slope comes to its limit with 1 / k^2
    slope = (exact_frequency_factor(2e4) - exact_frequency_factor(1e4)).real / 1e4
    assert slope == pytest.approx(math.sqrt(2.0) / 8.0, rel=1e-6)


# AT-02
@pytest.mark.parametrize(("shapes", "n"), [("harmonic", 12), ("spline", 16)])
def test_modes_of_a_line(shapes: str, n: int) -> None:
    oil, length = Fluid(), 3.0
    line = line_matrices(oil, length, 0.01, n, shapes)
    unit = oil.wave_speed / (2.0 * length)
    tolerance = 1e-12 if shapes == "harmonic" else 1e-3
    print(f"\nAT-02: {shapes}: f_i 2 L / c = {line.frequencies[1:5] / unit}")
    assert line.frequencies[:5] == pytest.approx(unit * np.arange(5), rel=tolerance, abs=1e-9)
    closed = line.closed_frequencies()[:3]
    expected = np.array([1.0, 3.0, 5.0]) * oil.wave_speed / (4.0 * length)
    # cosines have no slope at the closed end, so that they converge with 1 / n only
    assert closed == pytest.approx(expected, rel=0.05 if shapes == "harmonic" else 1e-3)


def test_harmonics_converge_to_the_closed_line() -> None:
    oil, length = Fluid(), 3.0
    expected = oil.wave_speed / (4.0 * length)
    errors = [
        abs(line_matrices(oil, length, 0.01, n).closed_frequencies()[0] / expected - 1.0)
        for n in (10, 20, 40)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)
    assert errors[1] / errors[2] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("shapes", ["harmonic", "spline"])
def test_steady_flow_of_a_line_is_hagen_poiseuille(shapes: str) -> None:
    oil, length, d = Fluid(), 3.0, 0.01
    line = line_matrices(oil, length, d, 8, shapes)
    # only the rigid mode flows steadily: D_0 v = A (p_A - p_E)
    v = line.area * 1e5 / line.D[0]
    resistance = 1e5 / (line.area * v)
    assert resistance == pytest.approx(
        hagen_poiseuille(oil.dynamic_viscosity, length, 0.5 * d), rel=1e-9
    )


def test_friction_grows_with_the_mode_but_not_of_the_rigid_one() -> None:
    oil = Fluid()
    plain = line_matrices(oil, 3.0, 0.01, 6, frequency_dependent=False)
    line = line_matrices(oil, 3.0, 0.01, 6)
    assert line.D[0] == plain.D[0]
    assert np.all(np.diff(line.D[1:] / plain.D[1:]) > 0.0) and line.D[1] > plain.D[1]


def test_joukowsky() -> None:
    assert joukowsky(Fluid(density=1000.0, bulk=1e9), 2.0) == pytest.approx(2e6)


# HT-01
def test_plane_gap_is_the_limit_of_the_annular_gap() -> None:
    for inner, outer, ratio, digits in (
        (5e-3, 5.05e-3, 1.0 - 1.6e-6, 2e-7),
        (5e-3, 6e-3, 0.9994, 5e-5),
        (1e-3, 2e-3, 0.992, 5e-4),
        (1e-3, 5e-3, 0.962, 5e-4),
    ):
        gap = AnnularGap(inner, outer, 0.02, 0.04)
        assert gap.plane_flow(1e5) / gap.annular_flow(1e5) == pytest.approx(ratio, abs=digits)


def test_annular_profile_meets_the_walls_and_carries_the_flow() -> None:
    gap = AnnularGap(4e-3, 6e-3, 0.02, 0.04)
    case = {"drop": 3e4, "inner": 0.7, "outer": -0.2}
    assert gap.annular_speed(4e-3, **case) == pytest.approx(0.7, rel=1e-12)
    assert gap.annular_speed(6e-3, **case) == pytest.approx(-0.2, rel=1e-12)
    flow = quad(lambda r: 2.0 * math.pi * r * gap.annular_speed(r, **case), 4e-3, 6e-3)[0]
    assert gap.annular_flow(**case) == pytest.approx(flow, rel=1e-10)


# HT-02
def test_eccentric_gap_from_the_integral() -> None:
    for eps in (0.0, 0.3, 0.8, 1.0):
        mean = quad(lambda a, e=eps: (1.0 + e * math.cos(a)) ** 3, 0.0, 2.0 * math.pi)[0]
        assert eccentric_factor(eps) == pytest.approx(mean / (2.0 * math.pi), rel=1e-12)
    print(f"\nHT-02: flow x {eccentric_factor(1.0)}")
    assert eccentric_factor(1.0) == 2.5 == eccentric_factor(1.0, printed=True)
    touching = AnnularGap(5e-3, 5.03e-3, 0.02, 0.04, eccentricity=1.0)
    centred = AnnularGap(5e-3, 5.03e-3, 0.02, 0.04)
    assert touching.plane_flow(1e5) == pytest.approx(2.5 * centred.plane_flow(1e5), rel=1e-14)


# HT-03
@pytest.mark.parametrize(
    ("reynolds", "roughness", "factor"),
    [(1e3, 0.0, 0.0640), (1e4, 0.0, 0.0310), (1e5, 0.0, 0.0179), (1e5, 1e-3, 0.0223)],
)
def test_churchill(reynolds: float, roughness: float, factor: float) -> None:
    print(
        f"\nHT-03: Re = {reynolds:g}, k_s/d = {roughness:g}: {churchill(reynolds, roughness):.4f}"
    )
    assert churchill(reynolds, roughness) == pytest.approx(factor, abs=5.1e-5)


def test_churchill_is_laminar_at_low_reynolds_numbers() -> None:
    for reynolds in (1e-3, 1.0, 99.999, 100.001, 500.0):
        assert churchill(reynolds) == pytest.approx(64.0 / reynolds, rel=1e-4)


# HT-04
def test_overlap_of_sleeves() -> None:
    assert overlap((0.0, 0.02), (0.0, 0.05)) == pytest.approx(0.02)
    assert overlap((0.0, 0.02), (0.0, 0.05), inner_shift=0.04) == pytest.approx(0.01)
    assert overlap((0.0, 0.02), (0.0, 0.05), offset=0.015) == pytest.approx(0.005)
    assert overlap((0.0, 0.02), (0.0, 0.05), inner_shift=0.06) == 0.0
    assert overlap((0.0, 0.02), (0.0, 0.05), outer_shift=0.03, inner_shift=0.03) == pytest.approx(
        0.02
    )


def test_seat_of_a_ball() -> None:
    r, g, x = 2.5e-3, math.radians(45.0), 0.3e-3
    # the frustum between the circle on the seat and the nearest circle of the lifted ball
    slant = x * math.sin(g)
    on_ball = r * math.cos(g)
    on_seat = on_ball + slant * math.cos(g)
    assert seat_area(x, r, g) == pytest.approx(math.pi * (on_ball + on_seat) * slant, rel=1e-12)
    assert seat_area(0.0, r, g) == 0.0
    assert seat_area(x, r, g, printed=True) > seat_area(x, r, g)
