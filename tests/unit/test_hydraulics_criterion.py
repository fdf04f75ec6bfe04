"""Which junctions may be rigid: shares of the energy of elastic modes, of single ones and many."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cornerlaw.gallery.hydraulics import brake_tower
from cornerlaw.hydraulics import Cylinder, Fluid, Junction, Line, Network, Pump, Source
from cornerlaw.hydraulics.criterion import volume_of

BULK = 1e9


def one_volume(volume: float) -> Network:
    return Network(
        Source("store", 1e5),
        Line("line", "store", "end", 2.0, 0.01),
        Junction("end", "cavitating", volume=volume),
        fluid=Fluid(bulk=BULK),
    )


def test_one_volume_is_rigid_ten_times_below_its_frequency() -> None:
    net = one_volume(1e-4)
    own = net.natural_frequency("end")  # sqrt(E A / (V rho L)) / 2 pi
    area = 0.25 * math.pi * 0.01**2
    assert own == pytest.approx(math.sqrt(BULK * area / (1e-4 * 860.0 * 2.0)) / (2.0 * math.pi))
    assert net.advice(0.099 * own) == {"end": "cavitating"}
    assert net.advice(0.101 * own) == {"end": "compressible"}
    # of motions within 4 % only five times
    assert net.advice(0.101 * own, within=0.04) == {"end": "cavitating"}


def test_a_chamber_counts_as_large_as_its_stop_lets_it_become() -> None:
    def tank(upper: float) -> Network:
        return Network(
            Source("store", 1e5), Line("line", "store", "chamber", 2.0, 0.01),
            Junction("chamber", "cavitating", volume=1e-6),
            Cylinder("ram", "chamber", area=1e-3, mass=1e3, lower=0.0, upper=upper),
        )  # fmt: skip

    long, short = tank(0.2), tank(1e-4)
    band = 20.0
    assert short.advice(band) == {"chamber": "cavitating"}
    assert long.advice(band) == {"chamber": "compressible"}


def test_what_each_alone_may_be_many_are_not() -> None:
    # a volume of 1 cm^3 per chamber on a long common line
    def comb(n: int) -> Network:
        return Network(
            Source("store", 1e5), Line("common", "store", "tee", 20.0, 0.01), Junction("tee"),
            *(Line(f"l{k}", "tee", f"v{k}", 0.2, 0.01) for k in range(n)),
            *(Junction(f"v{k}", "cavitating", volume=1e-6) for k in range(n)),
        )  # fmt: skip

    single, many = comb(1), comb(40)
    band = 0.5 * 0.1 * single.natural_frequency("v0") / math.sqrt(100.0)
    assert set(single.advice(band).values()) == {"cavitating"}
    found = many.advice(band)
    assert all(found[f"v{k}"] == "compressible" for k in range(40))
    assert found["tee"] == "cavitating"  # it has no volume


def test_a_pump_does_not_swing() -> None:
    net = Network(
        Source("tank", 1e5), Pump("pump", "tank", "rail", 1.0, 0.01, flow=1e-4),
        Junction("rail", "cavitating", volume=1e-4), Line("out", "rail", "tank", 2.0, 0.01),
    )  # fmt: skip
    own = one_volume(1e-4).natural_frequency("end")
    assert net.advice(0.099 * own)["rail"] == "cavitating"
    assert net.advice(0.101 * own)["rail"] == "compressible"


def test_chambers_of_the_brake_tower_give_way_together() -> None:
    rigid = brake_tower.network(replace(brake_tower.Parameters(), band=0.0))
    # each by itself swings far above the motion
    assert all(rigid.natural_frequency(name) > 500.0 for name in rigid.junctions())
    elastic = {n for n, kind in rigid.advice(12.5).items() if kind == "compressible"}
    print(f"\nelastic: {len(elastic)} of {len(rigid.junctions())} junctions")
    assert {n for n in rigid.junctions() if "chamber" in n} <= elastic
    assert not any("inlet" in n for n in elastic)
    assert set(rigid.advised(12.5).junctions("compressible")) == elastic
    # slow enough, all may be rigid
    assert set(rigid.advice(1.0).values()) == {"cavitating"}


def test_stops_of_all_cylinders_on_a_coordinate_count() -> None:
    def pair(swapped: bool) -> Network:
        stopped = Cylinder(
            "stopped", "chamber", area=1e-3, on="ram.position", upper=0.01, lower=0.0
        )
        free = Cylinder("free", "tank", area=1e-3, on="ram.position", upper=0.5)
        return Network(
            Source("store", 1e5), Source("tank", 1e5), Line("line", "store", "chamber", 2.0, 0.01),
            Junction("chamber", "cavitating", volume=1e-6),
            *((free, stopped) if swapped else (stopped, free)),
        )  # fmt: skip

    for swapped in (False, True):
        net = pair(swapped)
        assert volume_of(net.topology, list(net.hydraulic_parts), "chamber", True) == pytest.approx(
            1e-6 + 1e-5
        )


def test_chamber_that_is_empty_at_the_start_stays_rigid() -> None:
    net = Network(
        Source("store", 1e5), Line("line", "store", "chamber", 2.0, 0.01), Junction("chamber"),
        Cylinder("ram", "chamber", area=1e-3, mass=1e3, lower=0.0, upper=0.2),
    )  # fmt: skip
    assert net.advice(20.0) == {"chamber": "compressible"}
    advised = net.advised(20.0)
    assert advised.junctions("cavitating") == ("chamber",)
    advised.model()  # a compressible one would need a volume


def test_faster_motions_leave_no_more_junctions_rigid() -> None:
    volumes = (5.1e-6, 12.2e-6, 7.2e-6, 1.76e-6, 85.4e-6, 24.1e-6, 46.4e-6)
    lengths = (5.0, 4.73, 4.08, 4.9, 1.07, 2.44, 1.99)
    places = ["store", *(f"v{k}" for k in range(7))]
    net = Network(
        Source("store", 1e5),
        *(Line(f"l{k}", places[k], places[k + 1], lengths[k], 0.01) for k in range(7)),
        *(Junction(f"v{k}", "cavitating", volume=volumes[k]) for k in range(7)),
    )  # fmt: skip
    kinds = [list(net.advice(f).values()) for f in np.geomspace(1.0, 400.0, 120)]
    counts = [found.count("cavitating") for found in kinds]
    assert counts[0] > counts[-1]
    assert counts == sorted(counts, reverse=True)
