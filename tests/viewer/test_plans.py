"""Plans of drive trains and networks: made from the parts, laid out, coloured by the results."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw import drives, gallery
from cornerlaw import hydraulics as hy
from cornerlaw.model.scene import describe_scene
from cornerlaw.model.scene.layout import lay_out
from cornerlaw.viewer.packing import unpack
from cornerlaw.viewer.payload import build_payload


def crossings(places: list[list[float]], edges: list[tuple[int, int]]) -> int:
    """Count the pairs of edges that meet elsewhere than at a common node."""

    def side(a: Any, b: Any, c: Any) -> float:
        return float(np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])))

    found = 0
    for i, (a, b) in enumerate(edges):
        for c, d in edges[:i]:
            if len({a, b, c, d}) == 4:
                p, q, r, s = (places[k] for k in (a, b, c, d))
                found += side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0
    return found


def test_a_tree_is_laid_out_without_crossings_and_overlaps() -> None:
    random = np.random.default_rng(3)
    edges = [(int(random.integers(0, k)), k) for k in range(1, 40)]
    places = lay_out(40, edges)
    assert crossings(places, edges) == 0
    assert len({tuple(p) for p in places}) == 40


def test_loops_and_pieces_have_places_of_their_own() -> None:
    ring = [(k, (k + 1) % 6) for k in range(6)]
    places = lay_out(9, [*ring, (6, 7)])
    assert len({tuple(p) for p in places}) == 9
    assert crossings(places[:6], ring) == 0


def train() -> cl.Model:
    engine = cl.Rotor("engine", inertia=0.2, speed=90.0)
    wheel = cl.Rotor("wheel", inertia=1.0, speed=30.0)
    ring = cl.Rotor("ring", inertia=0.1)
    gear = cl.Coupling(
        "gear", terms=(("engine.angle", 1.0), ("wheel.angle", -3.0), ("ring.angle", 2.0))
    )
    return cl.Model(
        engine, wheel, ring, gear, cl.Brake("brake", ring, capacity=50.0),
        cl.Clutch("lock", engine, wheel, capacity=1.0), name="train",
    )  # fmt: skip


def test_the_plan_of_a_train_follows_from_its_parts() -> None:
    plan = describe_scene(train())["plan"]
    kinds = {node["name"]: node["kind"] for node in plan["nodes"]}
    assert kinds == {
        "engine": "rotor", "wheel": "rotor", "ring": "rotor", "gear": "gear", "brake": "end"
    }  # fmt: skip
    names = [node["name"] for node in plan["nodes"]]
    ends = {(x["name"], names[x["first"]], names[x["second"]]) for x in plan["links"]}
    assert ends == {
        ("gear", "engine", "gear"), ("gear", "wheel", "gear"), ("gear", "ring", "gear"),
        ("brake", "ring", "brake"), ("lock", "engine", "wheel"),
    }  # fmt: skip


def test_nodes_have_the_speeds_of_the_run() -> None:
    sol = cl.simulate(train(), t_end=0.05, method=cl.EventDriven())
    head, arrays = unpack(build_payload(sol))
    row = [node["name"] for node in head["plan"]["nodes"]].index("wheel")
    assert arrays["plan_value"][row, -1] == pytest.approx(sol["wheel"].speed[-1], rel=1e-6)
    assert np.isnan(arrays["plan_value"][3:]).all()  # a gear has no speed


def network(kind: str = "cavitating") -> hy.Network:
    return hy.Network(
        hy.Source("store", 15e5),
        hy.Line("line", "store", "chamber", length=2.0, diameter=8e-3),
        hy.Junction("chamber", kind, volume=2e-5),
        hy.Cylinder("ram", "chamber", area=1.2e-3, mass=1.0, stiffness=2e4, lower=0.0),
    )


@pytest.mark.parametrize("kind", ["incompressible", "cavitating", "compressible"])
def test_a_network_shows_its_own_pressures_and_flows(kind: str) -> None:
    net = network(kind)
    sol = cl.simulate(net.model(), t_end=0.02, method=cl.EventDriven())
    head, arrays = unpack(build_payload(sol))
    oil = net.read(sol)
    assert [node["name"] for node in head["plan"]["nodes"]] == ["store", "chamber", "ram"]
    assert arrays["plan_value"][0] == pytest.approx(15e5)
    assert arrays["plan_value"][1, -1] == pytest.approx(oil["chamber"].pressure[-1], rel=1e-6)
    assert arrays["plan_flow"][0, -1] == pytest.approx(oil["line"].flow[-1], rel=1e-6)
    assert head["bodies"] == [] and not head["empty"]


def test_a_changed_model_keeps_its_plan() -> None:
    model = network().model()
    changed = model.replace({"line.mass": 2.0})
    assert changed.plan == model.plan is not None


def test_a_damaged_plan_is_refused() -> None:
    sol = cl.simulate(train(), t_end=0.01, method=cl.EventDriven())
    scene = dict(sol.scene or {})
    scene["plan"] = {"nodes": [], "links": [{"name": "a", "first": 0, "second": 1}]}
    sol.attach(scene=scene)
    with pytest.raises(cl.CornerlawError, match="damaged"):
        build_payload(sol)


def test_a_picture_without_a_browser(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    sol = cl.simulate(network().model(), t_end=0.01, method=cl.EventDriven())
    sol.frame(0.005, renderer="drawing", size=(320, 240)).save(tmp_path / "a.png")
    with image.open(tmp_path / "a.png") as opened:
        seen = {tuple(c) for c in np.asarray(opened.convert("RGB")).reshape(-1, 3).tolist()}
    # the ends of the ramp of colours: dark blue and yellow
    assert any(r > 220 and g > 180 and b < 110 for r, g, b in seen)
    assert any(r < 30 and b > 60 for r, g, b in seen)


def test_flanks_of_gears_have_lengths_and_forces() -> None:
    one, two = cl.Rotor("one", inertia=0.1, speed=1.0), cl.Rotor("two", inertia=0.1)
    flanks = drives.gear_flanks("mesh", one, two, radius_1=0.1, radius_2=0.2, backlash=1e-4)
    sol = cl.simulate(cl.Model(one, two, *flanks), t_end=0.01, method=cl.EventDriven())
    assert sol.channels["mesh.1.gap"].unit == "m" and sol.channels["mesh.1.lam_N"].unit == "N"


def test_the_page_draws_the_plan(opened: Any, html: Any) -> None:
    sol = gallery.find("store-line-cylinder").run(options={"t_end": 0.05})
    opened.open(html(sol) + "#panel=0&theme=light")
    first = opened.state["plan"]
    assert first["nodes"] == 3 and first["links"] == 2
    before = opened.page.screenshot()
    opened.page.evaluate("cornerlaw.seek(0.04)")
    later = opened.state["plan"]
    assert later["colours"][1] != first["colours"][1]  # the chamber
    assert opened.page.screenshot() != before


def test_a_tall_plan_stays_below_the_bar_of_its_colours(opened: Any, html: Any) -> None:
    hub = cl.Rotor("hub", inertia=0.1, speed=10.0)
    rims = [cl.Rotor(f"rim {k}", inertia=0.01, speed=2.0 * k) for k in range(6)]
    shafts = [
        drives.shaft(f"shaft {k}", hub, rim, stiffness=50.0, damping=0.1)
        for k, rim in enumerate(rims)
    ]
    sol = cl.simulate(cl.Model(hub, *rims, *shafts), t_end=0.1)
    for size in ({"width": 1000, "height": 640}, {"width": 480, "height": 300}):
        opened.page.goto("about:blank")  # or the page with the old size would stay
        opened.page.set_viewport_size(size)
        opened.open(html(sol) + "#bare=1")
        opened.page.evaluate("cornerlaw.seek(0.05)")
        places = opened.state["plan"]["places"]
        assert len(places) == 7
        assert min(place["y"] for place in places) > 92  # where the numbers of the bar end
        assert max(place["y"] for place in places) < size["height"]
