"""Figures of contacts, events, sections, vibrations and matrices show what happened."""

import io
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.errors import UsageError

pytest.importorskip("matplotlib")

from cornerlaw import drives, plots
from cornerlaw.plots.style import to_bytes


@pytest.fixture(scope="module")
def bounce() -> cl.Solution:
    """A ball that bounces, slides and rests."""
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(ball, floor, name="touch", mu=0.1, eps_N=0.0)
    model = cl.Model(ball, floor, contact, gravity=(0.0, -9.81))
    times = np.linspace(0.0, 1.5, 301)
    return cl.simulate(model, t_end=1.5, method=cl.EventDriven(), t_eval=times)


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_timeline_shows_each_state_as_long_as_it_lasts(bounce: cl.Solution) -> None:
    figure = plots.timeline(bounce, title="Ball")
    ax = figure.axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["touch"]
    assert texts(ax) == ["open", "slip", "stick"]
    assert ax.get_xlabel() == "time [s]" and ax.get_title("left") == "Ball"
    spans = {
        bars.get_label(): sum(path.get_extents().width for path in bars.get_paths())
        for bars in ax.collections
    }
    fall = math.sqrt(2 * 0.2 / 9.81)  # it falls 0.2 m
    assert spans["open"] == pytest.approx(fall, abs=0.006)
    assert sum(spans.values()) == pytest.approx(1.5, abs=1e-9)


def test_the_timeline_names_what_has_no_state(bounce: cl.Solution) -> None:
    with pytest.raises(UsageError, match=r'"ball" has no state.*touch'):
        plots.timeline(bounce, "ball")


def test_the_raster_has_a_mark_at_every_event(bounce: cl.Solution) -> None:
    ax = plots.raster(bounce).axes[0]
    drawn = sorted(x for line in ax.get_lines() for x in line.get_xdata())
    assert drawn == pytest.approx(sorted(e.time for e in bounce.events))
    assert set(texts(ax)) == {e.kind for e in bounce.events}
    with pytest.raises(UsageError, match="no events of nobody"):
        plots.raster(bounce, "nobody")


def shaken(d: float) -> cl.Model:
    def force(q, u, t):
        return np.array([-q[0] - 0.1 * u[0] + math.cos(2.7 * t)])

    mass = cl.LagrangianSystem("mass", M=[[1.0]], h=force, coordinates=("x",), q0=(-0.3,))
    return cl.Model(mass, cl.UserContact("stop", on=mass, gap=d, normal=(-1.0,), eps_N=0.7))


def test_sections_and_bifurcations_are_the_points_that_were_found() -> None:
    returns = cl.poincare(shaken(-0.2), cl.Section(event=("stop", "impact")), n=5, transient=10)
    line = returns.plot("mass.x", "mass.x_dot").axes[0].get_lines()[0]
    assert line.get_ydata() == pytest.approx(returns["mass.x_dot"])
    section = cl.Section(event=("stop", "impact"))
    diagram = cl.bifurcation_diagram(shaken, [-0.3, -0.2], section, n=3, transient=5)
    ax = plots.bifurcation(diagram, "mass.x_dot", parameter="stop", unit="m").axes[0]
    assert ax.get_xlabel() == "stop [m]" and ax.get_ylabel() == "mass.x_dot [1/s]"
    assert ax.get_lines()[0].get_xdata() == pytest.approx([-0.3] * 3 + [-0.2] * 3)
    assert diagram.plot("mass.x_dot").axes[0].get_xlabel() == "parameter [–]"


def test_units_of_a_section_are_those_of_the_coordinates() -> None:
    arm = cl.Body("arm", mass=1.0, inertia=0.1, com=(0.0, -0.5))
    hinge = cl.Revolute("hinge", cl.Ground(), arm, angle=0.5)
    model = cl.Model(hinge, gravity=(0.0, -9.81))
    returns = cl.poincare(model, cl.Section(crossing="hinge.angle"), n=2)
    ax = plots.poincare(returns, "hinge.angle", "hinge.speed").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("hinge.angle [rad]", "hinge.speed [rad/s]")


def test_resonance_marks_the_peak_in_hertz() -> None:
    w = np.array([1.0, 2.0, 3.0]) * 2.0 * math.pi
    curve = SimpleNamespace(frequency=w, amplitude=np.array([0.1, 0.7, 0.2]))
    ax = plots.resonance({"a": curve, "b": curve}, quantity="angle", unit="rad").axes[0]
    assert ax.get_xlabel() == "frequency [Hz]" and ax.get_ylabel() == "angle [rad]"
    peak = ax.get_lines()[1]
    assert (peak.get_xdata()[0], peak.get_ydata()[0]) == pytest.approx((2.0, 0.7))
    with pytest.raises(UsageError, match="at least one curve"):
        plots.resonance({})


def test_campbell_is_brightest_where_an_order_is() -> None:
    t = np.linspace(0.0, 4.0, 8001)
    angle = 40.0 * t + 10.0 * t**2
    lines = drives.campbell(t, angle, 0.5 * np.sin(2.0 * angle))
    ax = plots.campbell(lines, quantity="way", unit="m", orders=4, frequencies=[15.0]).axes[0]
    assert ax.get_xlabel() == "speed [rev/min]" and ax.get_ylabel() == "frequency [Hz]"
    coordinates = ax.collections[0].get_coordinates()
    values = np.asarray(ax.collections[0].get_array()).reshape(coordinates.shape[:2])
    k = np.unravel_index(np.argmax(values), values.shape)
    rpm, hertz = coordinates[k]
    assert hertz == pytest.approx(2.0 * rpm / 60.0, rel=1e-9)
    assert values.max() == pytest.approx(0.5, rel=0.05)  # windows change their speed a little


def pendulums() -> tuple[cl.Model, float]:
    """Two equal rods; the slow mode of small swings is known in closed form."""
    rods = [cl.Body(f"rod {k}", mass=1.0, inertia=1 / 12, com=(0.0, -0.5)) for k in (1, 2)]
    first = cl.Revolute("first", cl.Ground(), rods[0])
    second = cl.Revolute("second", rods[0], rods[1], at=(0.0, -1.0))
    # M = [[4/3, 1/2], [1/2, 1/3]], K = g diag(3/2, 1/2) in absolute angles
    M, K = np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]]), 9.81 * np.diag([1.5, 0.5])
    omega = math.sqrt(min(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    return cl.Model(first, second, gravity=(0.0, -9.81)), omega


def test_modes_are_drawn_with_their_frequency() -> None:
    model, omega = pendulums()
    figure = plots.modes(cl.linearise(model))
    assert len(figure.axes) == 2
    assert figure.axes[0].get_title("left").startswith(f"{omega / 2 / math.pi:.4g} Hz")
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert max(np.abs(heights)) == pytest.approx(1.0)
    spring = cl.TorsionSpring("spring", (disc := cl.Rotor("disc", inertia=1.0)), damping=1.0)
    with pytest.raises(UsageError, match="None of the modes oscillates"):
        plots.modes(cl.linearise(cl.Model(disc, spring)))


def test_a_mode_moves_with_its_shape_and_period() -> None:
    model, omega = pendulums()
    mode = cl.linearise(model).modes[0]
    sol = cl.mode_motion(model, mode, amplitude=1e-3, frames=61)
    assert sol.t[-1] == pytest.approx(2.0 * math.pi / omega)
    assert sol["first"].angle[30] == pytest.approx(-sol["first"].angle[0])  # half a period
    for name in ("first", "second"):
        wanted = 1e-3 * mode.shape[f"{name}.angle"].real * np.cos(omega * sol.t)
        assert sol[name].angle == pytest.approx(wanted, abs=1e-12)
    # accelerations of the model there are those of the oscillation, to first order
    query = cl.query(model, at=sol.final)
    assert query.accelerations()["first.speed"] == pytest.approx(
        -(omega**2) * sol["first"].angle[-1], rel=1e-4
    )
    with pytest.raises(UsageError, match="not one of the model"):
        cl.mode_motion(cl.Model(cl.Rotor("disc", inertia=1.0)), mode)


def test_a_mode_of_a_loop_keeps_it_closed() -> None:
    from cornerlaw import gallery

    model = gallery.find("four-bar").build()
    linear = cl.linearise(model)
    sol = cl.mode_motion(model, linear.modes[-1], amplitude=0.05)
    gaps = [np.abs(cl.query(model, at=sol, t=t).terms.g).max() for t in sol.t[::20]]
    assert max(gaps) < 1e-9


def test_sparsity_counts_the_entries() -> None:
    figure = plots.sparsity({"M": np.eye(4), "W": np.ones((2, 4)), "none": np.zeros((0, 4))})
    assert [ax.get_title("left") for ax in figure.axes] == [
        "M: 4 × 4, 25 % filled",
        "W: 2 × 4, 100 % filled",
    ]
    model, _ = pendulums()
    assert plots.sparsity(cl.query(model)).axes[0].get_title("left").startswith("M: 2 × 2")
    with pytest.raises(UsageError, match=r"takes cl.query\(model\)"):
        plots.sparsity(3)


def test_a_legend_on_a_curve_is_moved_out_of_its_axes() -> None:
    from cornerlaw.plots.style import house_style, new_figure

    with house_style():
        figure = new_figure(7.0, 3.0)
        ax = figure.subplots()
        x = np.linspace(0.0, 1.0, 200)
        ax.plot(x, np.sin(40.0 * x), label="fills everything")
        ax.legend(loc="center")
    assert to_bytes(figure, "png")[:4] == b"\x89PNG"
    box, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert box.x0 >= axes.x1


def _legend_sides(figure: Any) -> list[bool]:
    """Tell of every legend whether it stands outside its axes."""
    figure.savefig(io.BytesIO())
    boxes = [(ax.get_legend().get_window_extent(), ax.get_window_extent()) for ax in figure.axes]
    return [not legend.overlaps(axes) for legend, axes in boxes]


@pytest.mark.parametrize(("covered", "outside"), [(None, False), (1, True), (3, True)])
def test_legends_of_axes_below_each_other_stand_on_one_side(
    covered: int | None, outside: bool
) -> None:
    from cornerlaw.plots.style import house_style, new_figure

    with house_style():
        figure = new_figure(7.0, 9.0)
        stack = figure.subplots(4, 1, sharex=True)
        for k, ax in enumerate(stack):
            x = np.linspace(0.0, 1.0, 400)
            # one curve fills its axes, the others leave a corner free
            ax.plot(x, np.sin(300.0 * x) if k == covered else x, label=f"curve {k}")
            ax.legend(loc="best")
    assert _legend_sides(figure) == [outside] * 4


def test_a_legend_that_was_made_beside_its_axes_takes_the_others_along() -> None:
    from cornerlaw.plots.style import add_legend, house_style, new_figure

    with house_style():
        figure = new_figure(7.0, 6.0)
        for k, ax in enumerate(figure.subplots(2, 1, sharex=True)):
            for i in range(1 + 7 * k):
                ax.plot([0.0, 1.0], [0.0, 1.0 + i], label=f"curve {i}")
            add_legend(ax)
    assert _legend_sides(figure) == [True, True]
