"""Curves and surfaces by their parameters, and where they are nearest to a shape, for tests.

A curve or surface is an array whose first number says which one it is; the other shape has it at
its place and axes (see brute_force).
"""

import math
from typing import Any

import numpy as np
from brute_force import distance
from compiled import compiled
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline, RectBivariateSpline

Floats = NDArray[np.float64]
RING, SPLINE, ELLIPSOID, TURNED, WAVES, LAND = range(6)


def spline(curve: CubicSpline, closed: bool) -> Floats:
    """Return the numbers of a spline: number of pieces, whether it is closed, ends, powers."""
    powers = np.moveaxis(curve.c, 0, 1).ravel()  # piece, power descending, axis
    return np.concatenate([[SPLINE, curve.x.size - 1.0, float(closed)], curve.x, powers])


def land(surface: RectBivariateSpline) -> Floats:
    """Return the knots and coefficients of a bicubic spline."""
    tx, ty, c = surface.tck
    return np.concatenate([[LAND, tx.size, ty.size], tx, ty, c])


@compiled
def _weights(spec, start, count, s, out, at):  # type: ignore[no-untyped-def]
    """Write the cubic basis functions that are not zero at s, return the number of the first."""
    i = 3
    while i < count - 5 and s >= spec[start + i + 1]:
        i += 1
    out[at] = 1.0
    for d in range(1, 4):
        carried = 0.0
        for j in range(d):
            right, left = spec[start + i + j + 1] - s, s - spec[start + i + 1 - d + j]
            share = out[at + j] / (right + left)
            out[at + j] = carried + right * share
            carried = left * share
        out[at + d] = carried
    return i - 3


@compiled
def write_point(spec, s, t, x):  # type: ignore[no-untyped-def]
    """Write the point of a curve or surface at its parameters to the first three of x."""
    kind = int(spec[0])
    if kind == RING:
        x[0], x[1], x[2] = spec[1] * math.cos(s), spec[1] * math.sin(s), 0.0
    elif kind == SPLINE:
        n = int(spec[1])
        if spec[2] > 0.0:
            length = spec[3 + n] - spec[3]
            s -= length * math.floor((s - spec[3]) / length)
        i, high = 0, n
        while high - i > 1:
            middle = (i + high) // 2
            if s >= spec[3 + middle]:
                i = middle
            else:
                high = middle
        s -= spec[3 + i]
        c = 4 + n + 12 * i
        for j in range(3):
            x[j] = ((spec[c + j] * s + spec[c + 3 + j]) * s + spec[c + 6 + j]) * s + spec[c + 9 + j]
    elif kind in (ELLIPSOID, TURNED):
        a, b, c = math.cos(s) * math.cos(t), math.sin(s) * math.cos(t), math.sin(t)
        if kind == TURNED:
            # the poles are on another axis
            a, b, c = c, a, b
        x[0], x[1], x[2] = spec[1] * a, spec[2] * b, spec[3] * c
    elif kind == WAVES:
        x[0], x[1] = s, t
        x[2] = spec[1] * math.sin(spec[2] * s) * math.cos(spec[3] * t)
    else:
        nx, ny = int(spec[1]), int(spec[2])
        i = _weights(spec, 3, nx, s, x, 3)
        j = _weights(spec, 3 + nx, ny, t, x, 7)
        x[0], x[1], x[2] = s, t, 0.0
        for k in range(4):
            row = 3 + nx + ny + (i + k) * (ny - 4) + j
            for m in range(4):
                x[2] += x[3 + k] * x[7 + m] * spec[row + m]


@compiled
def value_at(f, spec, s, t, x):  # type: ignore[no-untyped-def]
    """Return the distance of a point from the shape f; x is room for eleven numbers."""
    write_point(spec, s, t, x)
    a, b, c = x[0], x[1], x[2]
    for i in range(3):
        x[i] = f[6 + i] + f[9 + 3 * i] * a + f[10 + 3 * i] * b + f[11 + 3 * i] * c
    return distance(f, x)


# --- curves --------------------------------------------------------------------------------------


@compiled
def _narrow(f, spec, x, low, high):  # type: ignore[no-untyped-def]
    """Return the least distance between two parameters of a curve by the golden section, and it."""
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    a, b = high - golden * (high - low), low + golden * (high - low)
    fa, fb = value_at(f, spec, a, 0.0, x), value_at(f, spec, b, 0.0, x)
    best, place = (fa, a) if fa < fb else (fb, b)
    while high - low > 1e-13:
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - golden * (high - low)
            fa = value_at(f, spec, a, 0.0, x)
            if fa < best:
                best, place = fa, a
        else:
            low, a, fa = a, b, fb
            b = low + golden * (high - low)
            fb = value_at(f, spec, b, 0.0, x)
            if fb < best:
                best, place = fb, b
        # what is left is flat but for rounding
        if high - low < 1e-9 and abs(fa - fb) < 1e-15:
            break
    return best, place


@compiled
def lowest_on_curve(f, spec, points, low, high):  # type: ignore[no-untyped-def]
    """Return the least distance of a curve from a shape and its parameter.

    The rows of `points` are the curve's at even parameters; every local minimum that may be the
    least one, as distances change no faster than places, is narrowed.
    """
    n, x = points.shape[0], np.zeros(11)
    d, step, far = np.zeros(n), (high - low) / (n - 1), 0.0
    for i in range(n):
        a, b, c = points[i, 0], points[i, 1], points[i, 2]
        for j in range(3):
            x[j] = f[6 + j] + f[9 + 3 * j] * a + f[10 + 3 * j] * b + f[11 + 3 * j] * c
        d[i] = distance(f, x)
        if i > 0:
            u, v, w = a - points[i - 1, 0], b - points[i - 1, 1], c - points[i - 1, 2]
            far = max(far, math.sqrt(u * u + v * v + w * w))
    sampled, best, place = d.min(), math.inf, low
    for i in range(n):
        before, after = d[max(i - 1, 0)], d[min(i + 1, n - 1)]
        if d[i] <= before and d[i] <= after and d[i] < sampled + far:
            a, b = max(low, low + (i - 1) * step), min(high, low + (i + 1) * step)
            found, s = _narrow(f, spec, x, a, b)
            if found < best:
                best, place = found, s
            # the golden section never looks at the ends
            if d[i] < best:
                best, place = d[i], low + i * step
    return best, place


@compiled
def _corner(before, here, after, beyond):  # type: ignore[no-untyped-def]
    """Return the height where the lines through the samples on both sides cross.

    The distance from a convex shape grows along a ring by a convex function less R s^2 / 2, which
    lies above these lines.
    """
    rise, fall = here - before, beyond - after
    if rise >= fall:
        return min(here, after)
    s = min(max((after - here - fall) / (rise - fall), 0.0), 1.0)
    return here + rise * s


@compiled
def lowest_on_ring(f, spec, d):  # type: ignore[no-untyped-def]
    """Return the least distance of a ring from a shape, all round; d is written.

    Every interval in which a corner may hide is sampled again, and what is lowest there narrowed.
    """
    x, n, R = np.zeros(11), d.size, spec[1]
    step = 2.0 * math.pi / n
    best, worst = math.inf, -math.inf
    for i in range(n):
        d[i] = value_at(f, spec, i * step, 0.0, x)
        best, worst = min(best, d[i]), max(worst, d[i])
    if worst < best + 1e-13 * R:
        return best
    fine, e = 8, np.zeros(13)
    small, sampled = step / fine, best
    for i in range(n):
        b, h, a, t = d[i - 1], d[i], d[(i + 1) % n], d[(i + 2) % n]
        is_low = h <= b and h <= a and h < sampled + R * step
        if not is_low and _corner(b, h, a, t) - R * step * step >= sampled:
            continue
        # two samples more on both sides
        for j in range(fine + 5):
            e[j] = value_at(f, spec, i * step + (j - 2) * small, 0.0, x)
        for j in range(1, fine + 3):
            is_low = e[j] <= e[j - 1] and e[j] <= e[j + 1]
            corner = _corner(e[j - 1], e[j], e[j + 1], e[j + 2])
            if is_low or corner - R * small * small < best:
                low = i * step + (j - 2 - (1 if is_low else 0)) * small
                high = i * step + (j - 1) * small
                best = min(best, _narrow(f, spec, x, low, high)[0])
    return best


# --- surfaces ------------------------------------------------------------------------------------


def grid_points(spec: Floats, span: Any, n: int) -> Floats:
    """Return the points of a surface at n by n even parameters, ends included."""
    (s0, s1), (t0, t1) = span
    x, points = np.zeros(11), np.zeros((n, n, 3))
    for i, s in enumerate(np.linspace(s0, s1, n)):
        for j, t in enumerate(np.linspace(t0, t1, n)):
            write_point(spec, s, t, x)
            points[i, j] = x[:3]
    return points


@compiled
def _try(f, spec, s, t, span, x):  # type: ignore[no-untyped-def]
    """Return the distance at parameters that are kept within their span, and these."""
    s = min(max(s, span[0, 0]), span[0, 1])
    t = min(max(t, span[1, 0]), span[1, 1])
    return value_at(f, spec, s, t, x), s, t


@compiled
def refine(f, spec, s, t, ws, wt, span, e, x):  # type: ignore[no-untyped-def]
    """Return the least distance near parameters and them: eight neighbours ever closer by.

    Their values give a parabola whose lowest place is one more trial; only values decide. e is room
    for nine numbers.
    """
    best, shrink = value_at(f, spec, s, t, x), 1.0
    for _ in range(120):
        found, fs, ft = best, s, t
        for k in range(9):
            u, v = k // 3 - 1.0, k % 3 - 1.0
            if k == 4:
                e[k] = best
                continue
            e[k], a, b = _try(f, spec, s + shrink * ws * u, t + shrink * wt * v, span, x)
            if e[k] < found:
                found, fs, ft = e[k], a, b
        gs, gt = 0.5 * (e[7] - e[1]), 0.5 * (e[5] - e[3])
        hs, ht = e[7] - 2.0 * e[4] + e[1], e[5] - 2.0 * e[4] + e[3]
        c = 0.25 * (e[8] - e[6] - e[2] + e[0])
        det, is_near = hs * ht - c * c, False
        if hs > 0.0 and det > 0.0:
            u, v = (c * gt - ht * gs) / det, (c * gs - hs * gt) / det
            length = math.sqrt(u * u + v * v)
            reach = min(1.0, 3.0 / length) if length > 0.0 else 1.0
            u, v = u * reach, v * reach
            trial, a, b = _try(f, spec, s + shrink * ws * u, t + shrink * wt * v, span, x)
            if trial < found:
                found, fs, ft = trial, a, b
                is_near = length < 0.5
        if found >= best or is_near:
            shrink *= 0.3
        if found < best:
            best, s, t = found, fs, ft
        if shrink < 1e-8:
            break
    return best, s, t


@compiled
def lowest_on_grid(f, spec, points, span, d, starts):  # type: ignore[no-untyped-def]
    """Return the least distance of a surface from a shape and the parameters of its place.

    d is written. The lowest local minima of the grid are refined, those that cannot be the least
    one left out, as distances change no faster than places.
    """
    n, x, e = points.shape[0], np.zeros(11), np.zeros(9)
    ws, wt = (span[0, 1] - span[0, 0]) / (n - 1), (span[1, 1] - span[1, 0]) / (n - 1)
    for i in range(n):
        for j in range(n):
            u, v, w = points[i, j, 0], points[i, j, 1], points[i, j, 2]
            for k in range(3):
                x[k] = f[6 + k] + f[9 + 3 * k] * u + f[10 + 3 * k] * v + f[11 + 3 * k] * w
            d[i, j] = distance(f, x)
    best, place_s, place_t = math.inf, 0.0, 0.0
    kept, values = np.zeros((starts, 2), np.int64), np.full(starts, math.inf)
    for i in range(n):
        for j in range(n):
            is_low = d[i, j] < values[starts - 1]
            for k in range(9):
                a, b = min(max(i + k // 3 - 1, 0), n - 1), min(max(j + k % 3 - 1, 0), n - 1)
                is_low = is_low and d[i, j] <= d[a, b]
            if not is_low:
                continue
            # into the list of the lowest
            k = starts - 1
            while k > 0 and values[k - 1] > d[i, j]:
                values[k], kept[k] = values[k - 1], kept[k - 1]
                k -= 1
            values[k], kept[k, 0], kept[k, 1] = d[i, j], i, j
    for k in range(starts):
        if values[k] == math.inf:
            break
        i, j = kept[k]
        far = 0.0
        for m in range(9):
            a, b = min(max(i + m // 3 - 1, 0), n - 1), min(max(j + m % 3 - 1, 0), n - 1)
            square = 0.0
            for axis in range(3):
                square += (points[a, b, axis] - points[i, j, axis]) ** 2
            far = max(far, math.sqrt(square))
        if values[k] - far > best:
            continue
        found, s, t = refine(f, spec, span[0, 0] + i * ws, span[1, 0] + j * wt, ws, wt, span, e, x)
        if found < best:
            best, place_s, place_t = found, s, t
    return best, place_s, place_t
