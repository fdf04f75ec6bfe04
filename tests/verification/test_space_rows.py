"""Rows of contacts in space against finite differences of moving bodies, for all pairs of shapes.

Bodies with equal principal moments keep velocity and spin without forces, so that the change of a
relative velocity along the free motion is exactly the acceleration term of its row.
"""

import itertools
from typing import Any

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.compile import compile_model
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.bundle import Bundle
from cornerlaw.kernels.kinematics import advance_position, eval_frame_accelerations
from cornerlaw.kernels.late import repeat
from cornerlaw.kernels.rates import eval_state
from cornerlaw.kernels.stages import bind_stages
from cornerlaw.model.touching import cannot_touch

STEP = 1e-3


def saddle(s: float, t: float) -> tuple[float, float, float]:
    return s, t, -0.4 * s * s - 0.25 * t * t + 0.05 * s * t


CORNERS = [
    (0.3, 0.1, -0.1), (-0.2, 0.3, -0.15), (-0.1, -0.3, -0.2), (0.25, -0.2, 0.1), (0.0, 0.2, 0.25),
    (-0.3, 0.0, 0.15), (0.1, -0.1, 0.3),
]  # fmt: skip

MAKE = {
    "point": lambda b: cl.ContactPoint("p " + b.name, b, at=(0.1, 0.05, -0.05)),
    "sphere": lambda b: cl.Sphere("s " + b.name, b, radius=0.3, at=(0.05, 0.0, 0.1)),
    "hollow": lambda b: cl.Sphere("h " + b.name, b, radius=1.6, inside=True),
    "plane": lambda b: cl.Plane("l " + b.name, b, normal=(0.1, 0.2, 1.0), at=(0.0, 0.0, -0.6)),
    "capsule": lambda b: cl.Capsule("k " + b.name, b, radius=0.2, length=0.5, axis=(0.2, 0.1, 1)),
    "edge": lambda b: cl.Edge("d " + b.name, b, start=(-0.4, 0.0, 0.0), end=(0.4, 0.1, 0.0)),
    "ring": lambda b: cl.Ring("r " + b.name, b, radius=0.4),
    "cylinder": lambda b: cl.Cylinder("z " + b.name, b, radius=0.3, length=0.5),
    "cone": lambda b: cl.Cone("c " + b.name, b, radius=0.3, height=0.5),
    "ellipsoid": lambda b: cl.Ellipsoid("e " + b.name, b, axes=(0.4, 0.3, 0.2)),
    "box": lambda b: cl.Box("b " + b.name, b, size=(0.5, 0.4, 0.3)),
    # a mesh is one or several of these
    "polyhedron": lambda b: cl.Polyhedron("y " + b.name, b, vertices=CORNERS),
    "torus": lambda b: cl.Torus("t " + b.name, b, radius=0.4, section=0.1),
    "tube": lambda b: cl.Tube(
        "u " + b.name, b, points=[(-0.9, 0.2, 0), (-0.3, 0, 0.1), (0.3, 0, 0), (0.9, 0.3, 0)],
        radius=0.2,
    ),
    "pipe": lambda b: cl.Tube(
        "v " + b.name, b, points=[(-3.0, 2.0, 0), (-1.0, 0, 0.2), (1.0, 0, 0), (3.0, 2.2, 0)],
        radius=0.9, inside=True,
    ),
    "surface": lambda b: cl.Surface(
        "f " + b.name, b, function=saddle, s=(-1.0, 1.0), t=(-1.0, 1.0)
    ),
    "land": lambda b: cl.HeightField(
        "g " + b.name, b, size=(2.4, 2.0),
        heights=[[0.1, 0.0, 0.1], [0.0, 0.6, -0.1], [0.1, 0.5, 0.0], [0.0, 0.0, 0.1]],
    ),
}  # fmt: skip


def _all_pairs() -> list[tuple[str, str]]:
    """Return all pairs that a contact allows."""
    a, b = (cl.Body(name, mass=1.0, inertia=(1.0, 1.0, 1.0)) for name in "ab")
    pairs = itertools.combinations_with_replacement(MAKE, 2)
    return [(x, y) for x, y in pairs if not cannot_touch(MAKE[x](a), MAKE[y](b))]


PAIRS = _all_pairs()


@kernel
def _rows_at(m, w, t, q, u, x, x_dot, u_dot):
    eval_state(m, w, t, q, u, x, x_dot)
    repeat(1, m.stages.factor, m, w)
    repeat(1, m.stages.accelerate, m, w, u_dot)
    eval_frame_accelerations(m, w, w.acc)
    w.n_entries[0] = 0
    for c in range(w.k.status.size):
        repeat(1, m.stages.detect, m, w, m.corners.slot[c])
        if w.contact_g[m.corners.slot[c]] < 1e299:
            repeat(1, m.stages.corner, m, w, c, t, q, u, u_dot)


SOLIDS = ("capsule", "edge", "ring", "cylinder", "cone", "ellipsoid", "box", "polyhedron")
HOLLOW = {"hollow": 1.2, "pipe": 0.5}  # distance of the bodies from each other
MOST = 4000  # states that are looked at
STEADY = 1e-6  # uncertainty of a difference, relative, above which a state is not compared


class MovingPair:
    """Two free bodies with one contact that has all kinds of rows."""

    def __init__(self, first: str, second: str) -> None:
        bodies = [
            cl.Body(name, mass=1.0 + k, inertia=cl.inertia.sphere(1.0 + k, 0.3 + 0.1 * k))
            for k, name in enumerate("ab")
        ]
        shapes = MAKE[first](bodies[0]), MAKE[second](bodies[1])
        contact = cl.Contact(
            *shapes, name="pair", mu=0.3, mu_across=0.2, tangent=(1.0, 0.3, 0.1), drilling=0.05,
            rolling=0.01,
        )  # fmt: skip
        compiled = compile_model(cl.Model(*bodies, *shapes, contact))
        self.w = compiled.workspace()
        self.m = bind_stages(compiled.arrays, self.w)
        self.bundles = Bundle(self.m), Bundle(self.w)
        self.x: Any = np.zeros(0)

    def rows(self, q: Any, u: Any) -> tuple[Any, Any, Any]:
        """Return gap and velocities of all rows, and their accelerations without forces."""
        u_dot = np.zeros(self.m.nu)
        _rows_at(*self.bundles, 0.0, q, u, self.x, self.x, u_dot)
        assert np.abs(u_dot).max() < 1e-12
        w = self.w
        return w.g.copy(), w.gamma.copy(), w.gamma_dot.copy()

    def moved(self, q: Any, u: Any, t: float) -> Any:
        out = q.copy()
        advance_position(self.bundles[0], q, u * t, out)
        return out


def start(rng: np.random.Generator, m: Any, distance: float) -> tuple[Any, Any]:
    """Return a random state with the bodies a distance apart."""
    q = rng.normal(size=m.nq)
    q[:3] = 0.0
    direction = rng.normal(size=3)
    q[7:10] = distance * direction / np.linalg.norm(direction)
    for k in (3, 10):
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q, rng.uniform(-1.0, 1.0, m.nu)


def derivative(values: list[Any]) -> tuple[Any, Any]:
    """Return the derivative extrapolated from two steps to sixth order, and its uncertainty."""
    wide, narrow = (
        (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
        for h, (a, b, c, d) in ((STEP, values[:4]), (0.5 * STEP, values[4:]))
    )
    return narrow + (narrow - wide) / 15.0, np.abs(narrow - wide)


# steps of two central differences of fourth order, wide ones first
STENCIL = [x * h for h in (STEP, 0.5 * STEP) for x in (-2.0, -1.0, 1.0, 2.0)]


def closed_corners(m: Any, w: Any) -> list[int]:
    """Return the corners whose slots have a contact that is near."""
    g = w.contact_g[m.corners.slot]
    return [c for c in range(g.size) if abs(g[c]) < 0.3]


def is_smooth(pair: MovingPair, q: Any, u: Any) -> tuple[bool, list[Any]]:
    """Return gaps and velocities along a free motion, and whether its contacts stay of one kind."""
    m, w = pair.m, pair.w
    corners, identity, curve = closed_corners(m, w), w.contact_id.copy(), w.contact_k.copy()
    samples: list[Any] = []
    smooth = True
    for t in STENCIL:
        g, rates, _ = pair.rows(pair.moved(q, u, t), u)
        samples.append(np.concatenate([g, rates]))
        # another feature, another formula
        smooth = smooth and np.array_equal(w.contact_id, identity)
        smooth = smooth and closed_corners(m, w) == corners
        kind = np.isclose(w.contact_k, curve, atol=0.1)[:, [0, 1, 2, 3, 7, 8, 9, 10]]
        smooth = smooth and bool(kind[np.isfinite(w.contact_g)].all())
    return smooth, samples


def compared_corners(first: str, second: str, m: Any, w: Any) -> list[int]:
    """Return the near corners whose points are nearest points: of two solids the nearest alone.

    The others of a patch stay on its border, where the gap's rate is another one.
    """
    corners = closed_corners(m, w)
    if not (first in SOLIDS and second in SOLIDS):
        return corners
    g = np.sort(w.contact_g)
    if g.size > 1 and g[1] < g[0] + 1e-3:
        return []
    return [c for c in corners if w.contact_g[m.corners.slot[c]] == g[0]]


def places(pair: MovingPair, c: int) -> tuple[Any, Any]:
    """Return poses of the two markers of a corner at the state at hand: places and axes."""
    m, w, k = pair.m, pair.w, pair.m.corners.slot[c]
    frames = [m.contours.frame[x[k]] for x in (m.slots.contour_1, m.slots.contour_2)]
    return w.frame_r[frames].copy(), w.frame_A[frames].copy()


def check_velocities(pair: MovingPair, q: Any, u: Any) -> None:
    """Velocities of rows are those of the material points, and turns those of the markers.

    By differences, of all points of a manifold. The state at hand is that of q, u.
    """
    m, w, h = pair.m, pair.w, 1e-5
    known = {}
    for c in closed_corners(m, w):
        (r, A), k, i, j = places(pair, c), m.corners.slot[c], m.corners.row_N[c], m.corners.row_T[c]
        points, n, t = (w.contact_r1[k], w.contact_r2[k]), w.contact_n[k].copy(), w.contact_t[k]
        if i >= 0:
            # rolling has written its own tangent; that of an ellipse is given in a marker
            given = A[1 - m.corners.axis_side[c]] @ m.corners.axis[c]
            t = given - n * (n @ given)
            t = t / np.linalg.norm(t)
        local = [A[b].T @ (points[b] - r[b]) for b in range(2)]
        found = [*w.gamma[[i] if i >= 0 else []], *w.gamma[j : j + m.corners.n_T[c]]]
        known[c] = local, A, (n, t.copy(), np.cross(n, t)), np.array(found)
        assert np.abs([n @ n - 1.0, t @ t - 1.0, n @ t]).max() < 1e-12
    ends: dict[int, list[Any]] = {c: [] for c in known}
    for t in (h, -h):
        pair.rows(pair.moved(q, u, t), u)
        for c, (local, *_) in known.items():
            r, A = places(pair, c)
            ends[c].append(([r[b] + A[b] @ local[b] for b in range(2)], A))
    for c, (_, A, (n, t1, t2), found) in known.items():
        (x, A1), (y, A0) = ends[c]
        v = (x[0] - y[0] - x[1] + y[1]) / (2.0 * h)
        S = [(A1[b] - A0[b]) @ A[b].T / (2.0 * h) for b in range(2)]
        spin = S[0] - S[1]
        o = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        if m.corners.row_N[c] >= 0:
            # friction is an ellipse, 0.3 by 0.2; drilling has a lever
            slide = t1 @ v, m.corners.ratio[c] * (t2 @ v), m.corners.lever[c] * (n @ o)
            expected = np.array([n @ v, *slide])
        else:
            expected = np.array([t1 @ o, t2 @ o])
        # differences of speeds of the order of 1 by steps of 1e-5
        assert np.abs(found - expected).max() < 1e-8


EDGED = {"cylinder", "cone", "box", "polyhedron"}


def lowest_gap(first: str, second: str) -> float:
    """Return the least gap at which all rows are compared: deeper inside distances have creases.

    There the line of a ring or torus touches edges and rims (T-18.44), and minima in creases of no
    edge are left out. Inside an ellipsoid a ring is no deeper than half its half axis.
    """
    pair = {first, second}
    if "ring" in pair:
        return 0.0 if EDGED & pair else -0.1
    return -0.1 if "torus" in pair and EDGED & pair else -np.inf


def touches_edge(pair: MovingPair, first: str) -> bool:
    """Tell whether the nearest point of a ring or torus is on an edge or rim of the solid."""
    side = 7 if first in ("ring", "torus") else 0
    curve = pair.w.contact_k[int(np.argmin(pair.w.contact_g)), side : side + 4]
    return bool(curve[2] == 1.0 and curve[3] == 0.0)


def rows_of(m: Any, corners: list[int]) -> list[tuple[int, int]]:
    """Return all rows of corners, each with the normal one of its corner."""
    found = []
    for c in corners:
        i, j = m.corners.row_N[c], m.corners.row_T[c]
        found += [(i, row) for row in (i, *range(j, j + m.corners.n_T[c])) if row >= 0]
    return found


def check_pair(first: str, second: str, count: int) -> None:
    """Compare rows in as many states, with all kinds of rows."""
    pair = MovingPair(first, second)
    m, w = pair.m, pair.w
    rng = np.random.default_rng(11)
    checked = 0
    for _ in range(MOST):
        if checked == count:
            break
        q, u = start(rng, m, HOLLOW.get(second, HOLLOW.get(first, rng.uniform(0.4, 0.9))))
        w.contact_s[:], w.contact_id[:] = np.nan, -1
        _, gamma, gamma_dot = pair.rows(q, u)
        if first == "capsule" and second in ("surface", "land") and w.contact_g.min() < -0.19:
            # the axis pierces the sheet: all round it the gap is the radius, 0.2 m
            continue
        corners = compared_corners(first, second, m, w)
        g, low = w.contact_g.min(), lowest_gap(first, second)
        if g < low:
            # below an edge the nearest point alone
            edge = bool(EDGED & {first, second}) and touches_edge(pair, first)
            corners = [c for c in corners if edge and w.contact_g[m.corners.slot[c]] == g]
        smooth, samples = is_smooth(pair, q, u)
        pair.rows(q, u)
        check_velocities(pair, q, u)
        if not corners or not smooth:
            continue
        rate, error = derivative(samples)
        n, rows, scale = gamma.size, rows_of(m, corners), 1.0 + np.abs(gamma_dot)
        if any(error[n + row] > STEADY * scale[row] for _, row in rows):
            continue
        for i, row in rows:
            assert abs(rate[n + row] - gamma_dot[row]) < 1e-6 * scale[row]
            # velocities are linear in u
            assert abs(w.W[row] @ u - w.gamma[row]) < 1e-12 * (1.0 + abs(gamma[row]))
            if row == i:
                assert abs(rate[i] - gamma[i]) < 1e-7 * (1.0 + abs(gamma[i]))
        checked += 1
    assert checked == count


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_accelerations_are_those_of_moving_bodies(first: str, second: str) -> None:
    check_pair(first, second, 5)


@pytest.mark.verify
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_accelerations_are_those_of_moving_bodies_in_many_states(first: str, second: str) -> None:
    check_pair(first, second, 40)
