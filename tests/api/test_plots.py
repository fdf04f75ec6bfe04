"""Figures carry units, jumps and names, touch nothing global; the report is one safe file."""

import itertools
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from cornerlaw.errors import FileError, MissingExtraError, UnknownNameError, UsageError
from cornerlaw.results import Channel, ChannelTable, RunInfo, Solution

pytest.importorskip("matplotlib")

from cornerlaw import plots
from cornerlaw.plots.report import render_report
from cornerlaw.plots.style import COLOURS, axis_label, line_looks, to_bytes

TIMES = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
SIDES = np.array([0, 0, -1, 1, 0, 0])


def make(**changes: object) -> Solution:
    """Build a run with a jump of the velocity at 1 s."""
    channels = [
        Channel("ball.position", "m", (2,), ("x", "y")),
        Channel("ball.velocity", "m/s", (2,), ("x", "y")),
        Channel("crank pin.angle", "rad"),
        Channel("energy.kinetic", "J"),
        Channel("energy.potential", "J"),
        Channel("energy.total", "J"),
        Channel("nothing.at_all", "N", (0,)),
    ]
    velocity = np.column_stack([np.ones(6), [0.0, -1.0, -2.0, 2.0, 1.0, 0.0]])
    stored = {
        "ball.position": np.column_stack([TIMES, TIMES**2]),
        "ball.velocity": velocity,
        "crank pin.angle": np.sin(TIMES),
        "energy.kinetic": TIMES,
        "energy.potential": 1.0 - TIMES,
        "energy.total": np.ones(6) + 1e-9 * TIMES,
        "nothing.at_all": np.zeros((6, 0)),
    }
    given: dict = {"info": RunInfo(model="ball", conservative=True), "stored": stored}
    return Solution(TIMES, SIDES, {}, ChannelTable(channels), **{**given, **changes})


def labels(ax) -> list[str]:
    return ax.get_legend_handles_labels()[1]


def test_channels_are_grouped_by_unit_above_one_time_axis():
    figure = make().plot("ball", "crank pin.angle")
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "position [m]",
        "velocity [m/s]",
        "angle [rad]",
    ]
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", "time [s]"]
    assert labels(figure.axes[0]) == ["ball.position.x", "ball.position.y"]
    assert figure.axes[0].get_shared_x_axes().joined(figure.axes[0], figure.axes[2])
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_axes_of_several_quantities_show_the_unit_alone():
    table = ChannelTable([Channel("a.length", "m"), Channel("b.width", "m")])
    stored = {"a.length": [0.0, 1.0], "b.width": [1.0, 0.0]}
    figure = Solution([0.0, 1.0], [0, 0], {}, table, stored=stored).plot("a", "b")
    assert [ax.get_ylabel() for ax in figure.axes] == ["[m]"]


def test_jumps_are_drawn_as_jumps():
    ax = make().plot("ball.velocity.y").axes[0]
    curve, jump = ax.get_lines()
    x, y = curve.get_data()
    gap = int(np.flatnonzero(np.isnan(y))[0])
    assert (x[gap - 1], y[gap - 1], x[gap + 1], y[gap + 1]) == (1.0, -2.0, 1.0, 2.0)
    assert np.asarray(jump.get_data())[:, :2].tolist() == [[1.0, 1.0], [-2.0, 2.0]]
    assert jump.get_linestyle() == ":" and labels(ax) == ["ball.velocity.y"]


def test_own_axes_take_one_unit():
    from matplotlib.figure import Figure

    own = Figure().subplots()
    assert make().plot("ball.position", ax=own) is own.figure
    assert own.get_ylabel() == "position [m]"
    with pytest.raises(UsageError, match=r"can show one unit, and these have 2 \(m, m/s\)"):
        make().plot("ball", ax=own)


def test_plots_that_make_no_sense():
    with pytest.raises(UsageError, match=r'for example sol.plot\("ball.position"\)'):
        make().plot()
    with pytest.raises(UnknownNameError, match="did you mean"):
        make().plot("ball.positio")
    with pytest.raises(UsageError, match="nothing to draw"):
        make().plot("nothing")


def test_a_failed_run_does_not_look_like_a_good_one():
    sol = make(info=RunInfo(status="failed", message="the step became too small"))
    assert sol.plot("ball").axes[0].get_title("left") == "run failed: the step became too small"
    assert make().plot("ball").axes[0].get_title("left") == ""


def test_phase_portrait():
    figure = plots.phase(make(), "ball.position.x", "ball.velocity.y")
    ax = figure.axes[0]
    assert ax.get_xlabel() == "ball.position.x [m]"
    assert ax.get_ylabel() == "ball.velocity.y [m/s]"
    assert labels(ax) == ["start", "end"]
    assert plots.phase(make(), "ball.position.x", "ball.position.y").axes[0].get_aspect() == 1.0
    with pytest.raises(UsageError, match=r'has 2; name one of them, such as "ball.position.x"'):
        plots.phase(make(), "ball.position", "crank pin.angle")


def test_energy_figure_shows_the_drift():
    top, bottom = plots.energy(make(), title="Energy").axes
    assert labels(top) == ["kinetic", "potential", "total"]
    assert top.get_ylabel() == "energy [J]" and bottom.get_ylabel() == "change of total [J]"
    assert bottom.get_title("left") == "drift at most 2.0e-09 J"


def test_convergence_fits_the_order_from_all_points():
    dt = 0.1 / 2.0 ** np.arange(6)
    assert plots.fitted_order(dt, 7.0 * dt**4) == pytest.approx(4.0, abs=1e-12)
    ax = plots.convergence({"RK4": (dt, 7.0 * dt**4), "Euler": (dt, dt)}, unit="m").axes[0]
    assert labels(ax) == ["RK4: order 4.00", "Euler: order 1.00"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_xlabel() == "step dt [s]" and ax.get_ylabel() == "error [m]"
    for steps, errors in (([0.1], [0.1]), ([0.1, 0.1], [1, 2]), ([0.1, 0.2], [1])):
        with pytest.raises(UsageError, match="two or more different steps"):
            plots.fitted_order(steps, errors)
    with pytest.raises(UsageError, match="positive and finite"):
        plots.fitted_order([0.1, 0.2], [0.0, 1.0])
    with pytest.raises(UsageError, match="at least one method"):
        plots.convergence({})


@pytest.mark.parametrize("span", [2.0, 16.0, 1e4, 1e12])
def test_numbers_on_a_logarithmic_axis_do_not_touch(span: float):
    steps = np.geomspace(2.5e-4, 2.5e-4 * span, 6)
    figure = plots.convergence({"a": (steps, steps)})
    figure.canvas.draw()
    ax = figure.axes[0]
    low, high = ax.get_xlim()
    ticks = [*ax.xaxis.get_major_ticks(), *ax.xaxis.get_minor_ticks()]
    shown = [k.label1 for k in ticks if k.label1.get_text() and low <= k.get_loc() <= high]
    boxes = sorted((label.get_window_extent() for label in shown), key=lambda box: box.x0)
    assert len(boxes) >= 2
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_units_are_readable():
    assert axis_label("inertia", "kg m^2") == "inertia [kg·m²]"
    assert axis_label("torque", "N*m") == "torque [N·m]"
    assert axis_label("ratio", "1") == "ratio [–]"
    assert axis_label("", "s^-1") == "[s⁻¹]"


def test_thirty_two_lines_all_look_different():
    looks = [tuple(look.items()) for look in line_looks(32)]
    assert len(set(looks)) == 32 and len(COLOURS) == 8


def test_long_legends_stand_beside_the_axes():
    table = ChannelTable([Channel("chain.angles", "rad", (20,))])
    sol = Solution([0.0, 1.0], [0, 0], {}, table, stored={"chain.angles": np.ones((2, 20))})
    figure = sol.plot("chain.angles")
    figure.draw_without_rendering()
    axes_box = figure.axes[0].get_window_extent()
    assert figure.axes[0].get_legend().get_window_extent().x0 > axes_box.x1


def test_nothing_global_is_touched():
    code = """
import sys, matplotlib
def settings():  # asking for the backend would choose one
    return {k: matplotlib.rcParams[k] for k in matplotlib.rcParams if k != "backend"}
before = settings()
import numpy as np
from cornerlaw.results import Channel, ChannelTable, Solution
sol = Solution([0, 1], [0, 0], {}, ChannelTable([Channel("a.b", "m")]), stored={"a.b": [0, 1]})
sol.plot("a.b").canvas.draw()
assert "matplotlib.pyplot" not in sys.modules and "numba" not in sys.modules
assert settings() == before
print("untouched")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "untouched", done.stderr


def test_without_matplotlib_the_extra_is_named():
    code = """
import sys
sys.modules["matplotlib"] = None
from cornerlaw.errors import MissingExtraError
from cornerlaw.results import Channel, ChannelTable, Solution
sol = Solution([0, 1], [0, 0], {}, ChannelTable([Channel("a.b", "m")]), stored={"a.b": [0, 1]})
try:
    sol.plot("a.b")
except MissingExtraError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == (
        "Plotting needs the package matplotlib, which is not installed; "
        "try: pip install cornerlaw[plot]"
    ), done.stderr
    assert issubclass(MissingExtraError, ImportError)


# report


class Outline(HTMLParser):
    """Collects tags and checks that they close in order."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def report() -> str:
    sol = make()
    sections = [
        plots.Section(
            "Ball", ["First <b>&\n\nsecond.", plots.Picture(sol.plot("ball"), 'a "ball"')]
        ),
        plots.Section(
            "Ball",
            [
                plots.Table(
                    ["check", "value", "ok"],
                    [["ratio", 0.1 + 0.2, True], ["<count>", 3.0, np.bool_(False)]],
                    "Checks",
                ),
                plots.Code("a < b"),
            ],
        ),
    ]
    return render_report("Demo <1>", sections, lead="Short & clear")


def test_the_report_is_one_self_contained_page():
    page = report()
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    tags = [tag for tag, _ in outline.seen]
    assert "script" not in tags and "link" not in tags
    for tag, attributes in outline.seen:
        if tag == "img":
            assert (attributes["src"] or "").startswith("data:image/")
            assert attributes["alt"] == 'a "ball"'
        if tag == "a":
            assert (attributes["href"] or "").startswith("#")
    assert [a["id"] for tag, a in outline.seen if tag == "section"] == ["ball", "ball-2"]
    assert "Demo &lt;1&gt;" in page and "First &lt;b&gt;&amp;</p>" in page
    assert '<td class="number">0.3</td>' in page and "a &lt; b" in page
    assert "✓ pass" in page and "✗ fail" in page and "prefers-color-scheme: dark" in page


def test_equal_figures_are_equal_bytes():
    for kind in ("svg", "png"):
        assert to_bytes(make().plot("ball"), kind) == to_bytes(make().plot("ball"), kind)


def test_writing_the_report(tmp_path):
    plots.write_report(tmp_path / "demo.html", "Demo", [plots.Section("One", ["Text."])])
    assert "<p>Text.</p>" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    with pytest.raises(FileError, match="there is no folder"):
        plots.write_report(tmp_path / "missing" / "demo.html", "Demo", [])


def test_figures_too_large_as_curves_are_embedded_as_pixels(monkeypatch):
    sections = [plots.Section("One", [plots.Picture(make().plot("crank pin.angle"))])]
    assert "data:image/svg+xml;base64," in render_report("Small", sections)
    monkeypatch.setattr("cornerlaw.plots.report.SVG_LIMIT", 1000)
    assert "data:image/png;base64," in render_report("Large", sections)


@pytest.mark.parametrize("ends", [(0.0, 0.0435), (-0.1, 0.084), (0.0, 0.2)])
def test_numbers_on_an_axis_do_not_touch(ends: tuple[float, float]) -> None:
    from itertools import pairwise

    from cornerlaw.plots.style import house_style, new_figure, to_bytes

    with house_style():
        figure = new_figure(9.0, 3.6)
        _, ax = figure.subplots(1, 2)
        ax.plot(ends, [0.0, 1.0])
    to_bytes(figure, "png")
    figure.draw_without_rendering()
    low, high = ax.get_xlim()
    boxes = [
        label.get_window_extent()
        for label, tick in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True)
        if low <= tick <= high
    ]
    assert len(boxes) >= 3
    assert all(b.x0 > a.x1 + 3.0 for a, b in pairwise(boxes))


def test_the_legend_of_a_long_run_leaves_the_curve_free() -> None:
    figure = plots.style.new_figure(6.0, 3.0)
    ax = figure.subplots()
    x = np.linspace(0.0, 1.0, 30_000)
    # all corners but the lower left one hold a part of the curve
    ax.plot(x, np.where(x < 0.5, 1.0, np.where(np.arange(x.size) % 2, 0.0, 1.0)), label="curve")
    plots.style.add_legend(ax)
    figure.canvas.draw()
    box = ax.get_legend().get_window_extent().transformed(ax.transAxes.inverted())
    assert box.x1 < 0.5 and box.y1 < 0.5
