"""The one look of all figures: colours everybody can tell apart, units on axes, quiet grids."""

import contextlib
import io
import re
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

from cornerlaw.results.extras import missing_extra

try:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import AutoLocator, MaxNLocator
except ImportError as error:
    raise missing_extra(error, "matplotlib", "plot", "Plotting") from None

# Okabe and Ito's colours; yellow comes last, because it is faint on white
COLOURS = (
    "#0072B2",  # blue
    "#D55E00",  # vermilion
    "#009E73",  # green
    "#CC79A7",  # purple
    "#E69F00",  # orange
    "#56B4E9",  # sky blue
    "#000000",  # black
    "#F0E442",  # yellow
)
DASHES = ("-", "--", ":", "-.")  # colours repeat with another dash
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEGEND_INSIDE = 4  # more entries than this stand beside the axes
WIDE = 4.5  # [inch] of axes that can spare the room for a legend beside them

RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10.0,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.use_mathtext": True,
    "axes.xmargin": 0.01,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "lines.linewidth": 1.5,
    "legend.frameon": True,
    "legend.framealpha": 0.6,
    "legend.edgecolor": "none",
    "legend.fontsize": 9.0,
    "figure.facecolor": "white",
    "figure.dpi": 100.0,
    "savefig.dpi": 150.0,
    "svg.hashsalt": "cornerlaw",  # equal figures make equal files
}


class ResultFigure(Figure):
    """A figure outside pyplot that notebooks can show."""

    def _repr_png_(self) -> bytes:
        return to_bytes(self, "png")

    def savefig(self, *args: Any, **options: Any) -> None:
        """Save the figure; numbers on axes stand apart, legends do not lie on curves."""
        clear_legends(self)
        space_ticks(self)
        super().savefig(*args, **options)


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Apply the look to everything created inside, and restore the user's settings after."""
    with matplotlib.rc_context(RC):
        yield


def new_figure(width: float = 7.0, height: float = 4.0) -> Any:
    """Make an empty figure [inch] that lays itself out and belongs to no window."""
    figure = ResultFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def space_ticks(figure: Any) -> None:
    """Take numbers away from the time axes and others below, until they stand apart."""
    for ax in figure.get_axes():
        if not hasattr(ax, "zaxis") and isinstance(ax.xaxis.get_major_locator(), AutoLocator):
            for count in (5, 4, 3):
                if not _crowded(figure, ax):
                    break
                ax.xaxis.set_major_locator(MaxNLocator(nbins=count, steps=(1, 2, 2.5, 5, 10)))


def _crowded(figure: Any, ax: Any) -> bool:
    """Tell whether numbers of the horizontal axis touch."""
    figure.draw_without_rendering()
    low, high = sorted(ax.get_xlim())
    labels = [
        label.get_window_extent()
        for tick, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=False)
        if low <= tick <= high and label.get_text()
    ]
    labels.sort(key=lambda box: box.x0)
    least = 0.06 * figure.dpi  # [pixel]
    return any(b.x0 - a.x1 < least for a, b in pairwise(labels))


def clear_legends(figure: Any) -> None:
    """Move legends that lie on curves out of their axes: beside wide ones, above narrow ones.

    Axes that share their time stand below each other; where one of their legends must go, all do.
    """
    figure.draw_without_rendering()
    known = [ax for ax in figure.get_axes() if ax.get_legend() and not hasattr(ax, "zaxis")]
    moving = [ax for ax in known if _outside(ax, ax.get_legend()) or _covers(ax, ax.get_legend())]
    for ax in known:
        stack = [other for other in moving if other is ax or _below_each_other(ax, other)]
        if stack and not _outside(ax, ax.get_legend()):
            _move_legend(ax, any(other.get_title("left") for other in (ax, *stack)))


def _below_each_other(ax: Any, other: Any) -> bool:
    """Tell whether axes share their time and their place from left to right."""
    a, b = ax.get_position(), other.get_position()
    return bool(ax.get_shared_x_axes().joined(ax, other)) and abs(a.x0 - b.x0) < 1e-6


def _outside(ax: Any, legend: Any) -> bool:
    """Tell whether the legend stands beside or above its axes."""
    return not legend.get_window_extent().overlaps(ax.get_window_extent())


def _move_legend(ax: Any, titled: bool) -> None:
    """Place the legend beside wide or titled axes, above narrow ones."""
    legend = ax.get_legend()
    handles, texts = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    wide = ax.get_window_extent().width > WIDE * ax.figure.dpi
    if wide or titled:
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    else:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.01), "ncols": min(len(texts), 3)}
    ax.legend(handles, texts, borderaxespad=0.0, **place)


def _covers(ax: Any, legend: Any) -> bool:
    """Tell whether a curve runs through the legend."""
    box = legend.get_window_extent()
    for line in ax.get_lines():
        path = line.get_path().cleaned(line.get_transform(), remove_nans=True)
        if line.get_visible() and path.intersects_bbox(box, filled=False):
            return True
    return False


def line_looks(count: int) -> list[dict[str, Any]]:
    """Return a colour and dash for every line; all differ up to 32 lines."""
    looks = [{"color": colour, "linestyle": dash} for dash, colour in product(DASHES, COLOURS)]
    return [looks[k % len(looks)] for k in range(count)]


def readable_unit(unit: str) -> str:
    """Write powers and products as they are printed; a pure number has a dash."""
    if unit in ("", "1"):
        return "–"
    raised = re.sub(r"\^(-?\d+)", lambda power: power[1].translate(RAISED), unit)
    return raised.replace("*", "·").replace(" ", "·")


def axis_label(text: str, unit: str) -> str:
    """Write a quantity with its unit in brackets."""
    return f"{text} [{readable_unit(unit)}]".strip()


def add_legend(ax: Any) -> None:
    """Put the legend inside the axes, or beside them when it is long."""
    _, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    if len(labels) <= LEGEND_INSIDE:
        # matplotlib's own search is slow on long runs, and it warns about it
        busy = sum(line.get_xdata(orig=False).size for line in ax.get_lines()) > 20_000
        ax.legend(loc=_emptiest_corner(ax) if busy else "best")
    else:
        columns = 1 + len(labels) // 16
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, ncols=columns)


def _emptiest_corner(ax: Any) -> str:
    """Return the corner of the axes with the fewest points of their lines, by a sample of them."""
    counts = dict.fromkeys(("upper right", "upper left", "lower right", "lower left"), 0)
    for line in ax.get_lines():
        points = line.get_xydata()
        points = points[:: max(1, len(points) // 2000)]
        for x, y in ax.transAxes.inverted().transform(line.get_transform().transform(points)):
            if abs(x - 0.5) > 0.2 and abs(y - 0.5) > 0.2:
                height, side = ("upper" if y > 0.5 else "lower"), ("right" if x > 0.5 else "left")
                counts[f"{height} {side}"] += 1
    return min(counts, key=lambda corner: counts[corner])


def to_bytes(figure: Any, kind: str, dpi: float = 150.0, *, tight: bool = False) -> bytes:
    """Render a figure as "png" or "svg", `tight` without its empty rim; there is no date in it."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with house_style():
        rim = {"bbox_inches": "tight"} if tight else {}
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=metadata, **rim)
    return buffer.getvalue()
