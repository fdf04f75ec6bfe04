"""Rigid bodies that roll or slide on a level plane with one contact point: reduced equations.

They share nothing with the rest of the package, so that runs can be compared with them. Vectors
are in the axes of the body. With n the upward normal, s(n) the vector from the centre of mass G to
the contact point, R the force there and T a torque of resistance

    n' = n x w,    m (v' + w x v) = R - m g n,    I w' + w x I w = s x R + T.

Rolling: v = -w x s, which eliminates R,

    I w' + m s x (w' x s) = -w x I w + m s x (g n + w x v - w x s') + T.

Sliding: the slip c = v + w x s is tangential, R = N (n - f c) and T = -N t (n . w) n with f and t
of the law of friction, and N follows from n . c = 0 at all times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cornerlaw as cl

Floats = NDArray[np.float64]
Vec = tuple[float, float, float]
# n, n' -> s, s'
Contact = Callable[[Vec, Vec], tuple[Vec, Vec]]
# s, n, w, N -> T
Resistance = Callable[[Vec, Vec, Vec, float], Vec]
# |c|, n . w -> friction against c over N |c|, torque against n . w over N n . w
Traction = Callable[[float, float], tuple[float, float]]


def cross(a: Any, b: Any) -> Vec:
    """Return a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def dot(a: Any, b: Any) -> float:
    """Return a . b."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def add(a: Any, b: Any, factor: float = 1.0) -> Vec:
    """Return a + factor b."""
    return (a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2])


def solve(A: Any, b: Any) -> Vec:
    """Return x with A x = b for a symmetric 3 x 3 matrix, by Cramer's rule."""
    c0, c1, c2 = cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])
    x = [(b[0] * c0[i] + b[1] * c1[i] + b[2] * c2[i]) / dot(A[0], c0) for i in range(3)]
    return (x[0], x[1], x[2])


def ellipsoid(axes: Sequence[float], centre: Sequence[float]) -> Contact:
    """Return the contact of an ellipsoid with half axes along those of the body."""
    d0, d1, d2 = (x * x for x in axes)
    p0, p1, p2 = centre

    def contact(n: Vec, rate: Vec) -> tuple[Vec, Vec]:
        e, f = (d0 * n[0], d1 * n[1], d2 * n[2]), (d0 * rate[0], d1 * rate[1], d2 * rate[2])
        k = math.sqrt(dot(e, n))
        s = (p0 - e[0] / k, p1 - e[1] / k, p2 - e[2] / k)
        h = dot(e, rate) / k**3
        return s, (e[0] * h - f[0] / k, e[1] * h - f[1] / k, e[2] * h - f[2] / k)

    return contact


def rim(radius: float) -> Contact:
    """Return the contact of a circle about the third axis of the body, centre in G."""

    def contact(n: Vec, rate: Vec) -> tuple[Vec, Vec]:
        k = math.hypot(n[0], n[1])
        h = (n[0] * rate[0] + n[1] * rate[1]) / k**3
        return (
            (-radius * n[0] / k, -radius * n[1] / k, 0.0),
            (radius * (n[0] * h - rate[0] / k), radius * (n[1] * h - rate[1] / k), 0.0),
        )

    return contact


def pose(rotation: Any, contact: Contact, spin: Sequence[float]) -> dict[str, Any]:
    """Return the start of a body that touches the plane z = 0 and rolls, G above the origin.

    `spin` is the angular velocity in the axes of the body.
    """
    A = np.asarray(rotation, dtype=float)
    n = (float(A[2, 0]), float(A[2, 1]), float(A[2, 2]))
    s, _ = contact(n, cross(n, spin))
    speed = A @ np.array(cross(s, spin))
    return {
        "position": (0.0, 0.0, -dot(n, s)),
        "rotation": tuple(map(tuple, A.tolist())),
        "velocity": tuple(speed.tolist()),
        "angular_velocity": tuple((A @ np.asarray(spin)).tolist()),
    }


def roll(
    start: dict[str, Any],
    times: Floats,
    contact: Contact,
    *,
    mass: float,
    inertia: Any,
    gravity: float,
    resistance: Resistance | None = None,
    rtol: float = 1e-11,
) -> Floats:
    """Integrate rolling without slip; a row per time: 9 of the rotation, 3 of w, x and y of G.

    The resistance may depend on the normal force N; N of the moment follows by iteration.
    """
    from scipy.integrate import solve_ivp

    I0, I1, I2 = (tuple(float(x) for x in row) for row in inertia)
    m, g = mass, gravity

    def rates(_: float, y: Any) -> Any:
        r = y.tolist()
        n, w = (r[6], r[7], r[8]), (r[9], r[10], r[11])
        s, ds = contact(n, cross(n, w))
        v = cross(s, w)
        L = (dot(I0, w), dot(I1, w), dot(I2, w))
        inner = add(add(cross(w, v), cross(w, ds), -1.0), n, g)
        right = add(cross(L, w), cross(s, inner), m)
        q = dot(s, s)
        # I + m (s.s E - s s^T)
        A = tuple(
            tuple(row[j] + m * ((q if i == j else 0.0) - s[i] * s[j]) for j in range(3))
            for i, row in enumerate((I0, I1, I2))
        )
        dw = solve(A, right)
        if resistance is not None:
            for _k in range(30):
                a = add(cross(s, dw), add(cross(w, v), cross(w, ds), -1.0))
                new = solve(A, add(right, resistance(s, n, w, m * (g + dot(n, a)))))
                small = max(abs(x - y) for x, y in zip(new, dw, strict=True))
                dw = new
                if small <= 1e-15 * max(map(abs, new)):
                    break
        e = [cross(r[3 * i : 3 * i + 3], w) for i in range(3)]
        speed = dot(r[0:3], v), dot(r[3:6], v)
        return np.array([*e[0], *e[1], *e[2], *dw, *speed])

    A = np.asarray(start["rotation"])
    w = A.T @ np.asarray(start["angular_velocity"])
    y0 = np.concatenate((A.ravel(), w, start["position"][:2]))
    found = solve_ivp(
        rates, (times[0], times[-1]), y0, method="DOP853", t_eval=times, rtol=rtol, atol=1e-3 * rtol
    )
    return _rows(found, len(times))


def slide(
    start: dict[str, Any],
    times: Floats,
    contact: Contact,
    traction: Traction,
    *,
    mass: float,
    inertia: Any,
    gravity: float,
    arm: float = 0.0,
    rtol: float = 1e-11,
) -> Floats:
    """Integrate sliding; a row per time: 9 of the rotation, 3 of w, 3 of v, x and y of G.

    `arm` is that of a resistance to rolling, -N arm w_t / |w_t| with the level part w_t of w.
    """
    from scipy.integrate import solve_ivp

    I0, I1, I2 = tensor = tuple(tuple(float(x) for x in row) for row in inertia)
    m, g = mass, gravity

    def rates(_: float, y: Any) -> Any:
        r = y.tolist()
        n, w, v = (r[6], r[7], r[8]), (r[9], r[10], r[11]), (r[12], r[13], r[14])
        dn = cross(n, w)
        s, ds = contact(n, dn)
        c = add(v, cross(w, s))
        f, t = traction(math.sqrt(dot(c, c)), dot(n, w))
        push = add(n, c, -f)
        torque = add(cross(s, push), n, -t * dot(n, w))
        if arm > 0.0:
            level = add(w, n, -dot(n, w))
            torque = add(torque, level, -arm / math.sqrt(dot(level, level)))
        turn = solve(tensor, torque)
        free = solve(tensor, cross((dot(I0, w), dot(I1, w), dot(I2, w)), w))
        rest = add(add(cross(free, s), cross(w, ds)), cross(w, v), -1.0)
        N = (g - dot(n, rest) - dot(dn, c)) / (dot(n, push) / m + dot(n, cross(turn, s)))
        dv = add(add(cross(v, w), n, -g), push, N / m)
        e = [cross(r[3 * i : 3 * i + 3], w) for i in range(3)]
        speed = dot(r[0:3], v), dot(r[3:6], v)
        return np.array([*e[0], *e[1], *e[2], *add(free, turn, N), *dv, *speed])

    A = np.asarray(start["rotation"])
    w, v = (A.T @ np.asarray(start[key]) for key in ("angular_velocity", "velocity"))
    y0 = np.concatenate((A.ravel(), w, v, start["position"][:2]))
    found = solve_ivp(
        rates, (times[0], times[-1]), y0, method="DOP853", t_eval=times, rtol=rtol, atol=1e-3 * rtol
    )
    return _rows(found, len(times))


def _rows(found: Any, count: int) -> Floats:
    """Return a row per time, nan where the integration could not go on."""
    rows = np.full((count, len(found.y)), math.nan)
    rows[: found.y.shape[1]] = found.y.T
    return rows


def spins(sol: cl.Solution, name: str) -> Floats:
    """Return the angular velocity of a body in its own axes."""
    return np.asarray(np.einsum("tij,ti->tj", sol[name].rotation, sol[name].angular_velocity))


def growth(sol: cl.Solution) -> float:
    """Return by how much the energy grows against any earlier time, relative and per second."""
    energy = np.asarray(sol["energy.total"])
    rise = float(np.max(energy - np.minimum.accumulate(energy)))
    scale = float(np.max(sol["energy.kinetic"]))
    return rise / scale / float(sol.t[-1] - sol.t[0])
