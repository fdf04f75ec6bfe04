"""Pictures of a run without a browser, with matplotlib: plainer than the page, but everywhere."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from cornerlaw.model.scene.arms import ring_width
from cornerlaw.results.extras import require
from cornerlaw.viewer.packing import unpack
from cornerlaw.viewer.sampling import Floats
from cornerlaw.viewer.solids import triangles_of

BODIES = ("#4b9cd3", "#e07b3f", "#35b08b", "#d690b8", "#e3b04b", "#86c5ec")
STATES = ("#9aa3ad", "#cc79a7", "#e69f00", "#0072b2")  # open, closed, slip, stick
THEMES = {
    "light": {"back": "#f6f7f9", "text": "#1d2430", "quiet": "#66707f", "ground": "#dde2e8"},
    "dark": {"back": "#14181f", "text": "#e6eaf0", "quiet": "#97a3b3", "ground": "#2a333f"},
}
DPI = 100


class Drawing:
    """Draws moments of a run; the view is that of the page at its start."""

    def __init__(self, payload: bytes, width: int, height: int, theme: str) -> None:
        figure = require("matplotlib.figure", "view", "A picture without a browser")
        canvas = require("matplotlib.backends.backend_agg", "view", "A picture without a browser")
        self.head, self.arrays = unpack(payload)
        self.dim, self.look = self.head["dim"], THEMES[theme]
        self.poses = self._poses()
        self.figure = figure.Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
        self.canvas = canvas.FigureCanvasAgg(self.figure)
        self.ratio = width / height
        self.wide = 1.0
        self.up = self._upwards()
        self._frame_view()

    def _poses(self) -> Floats:
        if "poses" not in self.arrays:
            return np.zeros((1, 3 if self.dim == 2 else 7, len(self.arrays["t"])))
        if "turns" in self.arrays:
            return np.concatenate([self.arrays["poses"], self.arrays["turns"]], axis=1)
        return np.asarray(self.arrays["poses"], dtype=float)

    def _upwards(self) -> int:
        gravity = self.head["gravity"]
        if self.dim == 2 or gravity is None or not any(gravity):
            return 2
        return int(np.argmax(np.abs(gravity)))

    def _frame_view(self) -> None:
        """Find what must be seen: all places of all bodies, with their size."""
        step = max(1, self.poses.shape[2] // 100)
        places = self.poses[1:, : self.dim, ::step].transpose(0, 2, 1).reshape(-1, self.dim)
        flat = self._project(places)[:, :2] if len(places) else np.zeros((1, 2))
        low, high = flat.min(axis=0), flat.max(axis=0)
        pad = max(0.9 * self.head["size"], 0.05 * float(np.max(high - low)))
        self.middle = 0.5 * (low + high)
        span = high - low + 2.0 * pad
        self.half = 0.5 * max(float(span[1]), float(span[0]) / self.ratio)
        self.wide = 2.0 * self.half * max(1.0, self.ratio)

    def _project(self, points: Floats) -> Floats:
        """Return points as seen, the third number (in space) the distance towards the viewer."""
        if self.dim == 2:
            return points[:, :2]
        order = {0: (1, 2, 0), 1: (2, 0, 1), 2: (0, 1, 2)}[self.up]
        p = points[:, order]  # the upward axis last
        a, e = math.radians(-58.0), math.radians(20.0)
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        towards = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        upwards = np.cross(towards, right)
        return np.asarray(p @ np.column_stack([right, upwards, towards]))

    def at(self, t: float) -> bytes:
        """Return the picture of one moment as PNG."""
        times = self.arrays["t"]
        frame = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 1))
        self.figure.clear()
        self.figure.set_facecolor(self.look["back"])
        ax = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        ax.set_axis_off()
        x, y = self.middle
        ax.set_xlim(x - self.half * self.ratio, x + self.half * self.ratio)
        ax.set_ylim(y - self.half, y + self.half)
        ax.set_aspect("equal")
        if self.dim == 2:
            self._draw_flat(ax, frame)
        else:
            self._draw_solid(ax, frame)
        self._draw_contacts(ax, frame)
        if self.head["plan"] is not None and not self.head["bodies"]:
            self._draw_plan(ax, frame)
        ax.text(0.015, 0.975, self.head["title"], transform=ax.transAxes, va="top",
                color=self.look["text"], weight="bold", parse_math=False)  # fmt: skip
        # a short run needs more decimals, as on the page
        span = float(times[-1] - times[0])
        digits = 4 if span <= 0.0 else min(12, max(4, 3 - math.floor(math.log10(span))))
        ax.text(0.985, 0.975, f"{times[frame]:.{digits}f} s", transform=ax.transAxes, va="top",
                ha="right", color=self.look["text"])  # fmt: skip
        buffer = io.BytesIO()
        self.canvas.print_png(buffer, metadata={"Software": None})
        return buffer.getvalue()

    def _pose(self, pose: int, frame: int) -> tuple[Floats, Floats]:
        """Return rotation (3, 3) and position (3) of a body."""
        p = self.poses[pose, :, frame]
        if self.dim == 2:
            c, s = math.cos(p[2]), math.sin(p[2])
            return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), np.array([p[0], p[1], 0.0])
        w, x, y, z = p[3:]
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        return turn, p[:3]

    def _colour(self, body: dict[str, Any], index: int, shape: dict[str, Any]) -> str:
        if body["role"] == "ground" or shape["type"] in ("plane", "halfplane"):
            return self.look["ground"]
        return BODIES[shape.get("colour", index) % len(BODIES)]

    def _draw_flat(self, ax: Any, frame: int) -> None:
        edge = self.look["text"]
        for index, body in enumerate(self.head["bodies"]):
            turn, shift = self._pose(body["pose"], frame)
            for shape in body["shapes"]:
                if shape["type"] == "hole":
                    middle = turn @ np.array(shape["at"], dtype=float) + shift
                    self._draw_ring(ax, middle[:2], shape, self._colour(body, index, shape))
                    continue
                points, closed = flat_outline(shape, self.wide)
                if not len(points):
                    continue
                own = np.column_stack([points, np.zeros(len(points))])
                if "points" not in shape:
                    own = own @ np.array(shape.get("rot", np.eye(3))).reshape(3, 3).T
                    own = own + np.array(shape.get("at", (0.0, 0.0, 0.0)))
                seen = (own @ turn.T + shift)[:, :2]
                if closed:
                    colour = self._colour(body, index, shape)
                    ax.fill(*seen.T, facecolor=colour, edgecolor=edge, linewidth=1.0)
                else:
                    ax.plot(*seen.T, color=edge, linewidth=2.0)
        self._draw_lines(ax, frame)

    def _draw_ring(self, ax: Any, middle: Floats, shape: dict[str, Any], colour: str) -> None:
        """Draw what surrounds a hole, as wide as on the page."""
        patches = require("matplotlib.patches", "view", "A picture without a browser")
        r = float(shape["r"])
        wide = ring_width(r, float(self.head["size"]))
        look = {"facecolor": colour, "edgecolor": self.look["text"], "zorder": 1}
        ax.add_patch(patches.Annulus(tuple(middle), r + wide, wide, linewidth=1.0, **look))

    def _draw_plan(self, ax: Any, frame: int) -> None:
        """Draw a drive train or a network: nodes coloured by speed or pressure."""
        plan, values = self.head["plan"], self.arrays["plan_value"]
        places = np.array([node["at"] for node in plan["nodes"]], dtype=float)
        for link in plan["links"]:
            ends = places[[link["first"], link["second"]]]
            ax.plot(*ends.T, color=self.look["quiet"], linewidth=1.6, zorder=1)
        finite = values[np.isfinite(values)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        # what has no value is grey
        grey = np.where(np.isfinite(values[:, frame]), np.nan, 0.0)
        look = {"s": 220.0, "edgecolors": self.look["text"], "zorder": 2}
        ax.scatter(*places.T, c="#9aa3ad", alpha=np.where(grey == 0.0, 1.0, 0.0), **look)
        ax.scatter(*places.T, c=values[:, frame], vmin=low, vmax=high, cmap="cividis", **look)
        for node, (x, y) in zip(plan["nodes"], places, strict=True):
            ax.text(x, y - 0.2, node["name"], ha="center", va="top", size=7,
                    color=self.look["text"], parse_math=False)  # fmt: skip
        margin = 0.7
        ax.set_xlim(places[:, 0].min() - margin, places[:, 0].max() + margin)
        ax.set_ylim(places[:, 1].min() - margin, places[:, 1].max() + margin)
        ax.set_aspect("equal", adjustable="datalim")

    def _draw_lines(self, ax: Any, frame: int) -> None:
        pose_of = {name: k for k, name in enumerate(self.head["poses"])}
        for line in self.head["lines"]:
            places = []
            for name, at in line["points"]:
                if name in pose_of:
                    turn, shift = self._pose(pose_of[name], frame)
                    places.append(turn @ np.array(at) + shift)
            if len(places) > 1:
                seen = self._project(np.array(places))
                style = "--" if line["kind"] == "spring" else "-"
                ax.plot(seen[:, 0], seen[:, 1], style, color=self.look["quiet"], linewidth=1.6)

    def _draw_solid(self, ax: Any, frame: int) -> None:
        collections = require("matplotlib.collections", "view", "A picture without a browser")
        colors = require("matplotlib.colors", "view", "A picture without a browser")
        light = np.array([0.35, 0.5, 0.8]) / np.linalg.norm([0.35, 0.5, 0.8])
        faces, tints, depths = [], [], []
        for index, body in enumerate(self.head["bodies"]):
            turn, shift = self._pose(body["pose"], frame)
            for shape in body["shapes"]:
                triangles = triangles_of(shape, self.head["size"], self.wide) @ turn.T + shift
                if not len(triangles):
                    continue
                seen = self._project(triangles.reshape(-1, 3)).reshape(-1, 3, 3)
                normal = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
                size = np.linalg.norm(normal, axis=1)
                normal = normal / np.where(size > 0.0, size, 1.0)[:, None]
                shade = 0.55 + 0.45 * np.abs(normal @ light)
                base = np.array(colors.to_rgb(self._colour(body, index, shape)))
                faces.append(seen[:, :, :2])
                tints.append(shade[:, None] * base)
                behind = 1e6 * self.wide if shape["type"] == "plane" else 0.0
                depths.append(seen[:, :, 2].mean(axis=1) - behind)
        if faces:
            order = np.argsort(np.concatenate(depths))
            tint = np.clip(np.concatenate(tints), 0.0, 1.0)[order]
            painted = collections.PolyCollection(
                np.concatenate(faces)[order], facecolors=tint, edgecolors=tint, linewidths=0.3
            )
            ax.add_collection(painted)
        self._draw_lines(ax, frame)

    def _draw_contacts(self, ax: Any, frame: int) -> None:
        state = self.arrays["contact_state"]
        if not state.size:
            return
        bits = np.unpackbits(self.arrays["contact_here"])[: state.size].reshape(state.shape)
        sample = np.cumsum(bits.ravel()).reshape(state.shape) - 1
        # with fewer samples than frames the last one of a contact counts
        for k in np.flatnonzero(state[:, frame] > 0):
            before = np.flatnonzero(bits[k, : frame + 1])
            if len(before):
                place = self.arrays["contact_point"][:, sample[k, before[-1]]]
                seen = self._project(np.asarray(place, dtype=float)[None, :])[0]
                ax.plot(seen[0], seen[1], "o", color=STATES[state[k, frame]], markersize=6)


def flat_outline(shape: dict[str, Any], wide: float) -> tuple[Floats, bool]:
    """Return the outline of a shape of the plane in its own axes, and whether it is filled."""
    kind = shape["type"]
    if kind in ("disc", "sphere"):
        angle = np.linspace(0.0, 2.0 * math.pi, 64)
        return shape["r"] * np.column_stack([np.cos(angle), np.sin(angle)]), True
    if kind == "box":
        a, b = 0.5 * shape["size"][0], 0.5 * shape["size"][1]
        return np.array([(-a, -b), (a, -b), (a, b), (-a, b)]), True
    if kind == "outline":
        return np.array(shape["points"], dtype=float)[:, :2], bool(shape["closed"])
    if kind == "link":
        return _stadium(np.array(shape["points"], dtype=float)[:, :2], shape["r"]), True
    if kind == "halfplane":
        n = np.array(shape["normal"][:2])
        t = np.array([n[1], -n[0]]) * 20.0 * wide
        return np.array([-t, t, t - 20.0 * wide * n, -t - 20.0 * wide * n]), True
    return np.zeros((0, 2)), False


def _stadium(points: Floats, r: float) -> Floats:
    from scipy.spatial import ConvexHull

    angle = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    circle = r * np.column_stack([np.cos(angle), np.sin(angle)])
    cloud = (points[:, None, :] + circle[None, :, :]).reshape(-1, 2)
    return np.asarray(cloud[ConvexHull(cloud).vertices])
