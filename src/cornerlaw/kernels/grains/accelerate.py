"""Accelerated sweeps: Nesterov's momentum between sweeps of Gauss-Seidel. (T-19.9)

A sweep is the step of a gradient method that knows the blocks. What carries it on from sweep to
sweep is linear in impulses and velocities, so that no product with a matrix is needed for it.
"""

import math

import numba

from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels._parallel import parallel_kernel
from cornerlaw.kernels.grains.sweeps import solve_contact, sweep


@kernel
def _carry_impulses(data, older, guess, beta, begin, end):
    """Write y = x + beta (x - x_older) for the impulses of some contacts. (T-19.9)"""
    for k in range(begin, end):
        for a in range(4):
            x = data[k, 7 + a]
            y = x + beta * (x - older[k, a])
            older[k, a], guess[k, a], data[k, 7 + a] = x, y, y


@kernel
def _carry_velocities(v, older_v, beta, begin, end):
    """Write what the impulses y make of the velocities of some bodies. (T-19.9)"""
    for i in range(begin, end):
        for a in range(6):
            x = v[i, a]
            v[i, a] = x + beta * (x - older_v[i, a])
            older_v[i, a] = x


@kernel
def _climb(data, older, guess, begin, end):
    """Return (y - x)^T g (x - x_older), positive where momentum climbs uphill. (T-19.10)"""
    total = 0.0
    for k in range(begin, end):
        d = data[k]
        total += (guess[k, 0] - d[7]) * (d[7] - older[k, 0]) / d[4]
        across = 0.0
        for a in range(1, 4):
            across += (guess[k, a] - d[7 + a]) * (d[7 + a] - older[k, a])
        total += across / d[5]
    return total


@kernel
def _next_weight(theta):
    """Return the next of Nesterov's weights."""
    return 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta))


@kernel
def accelerate(
    first, second, data, inverse_mass, v, begin, end, leaves, count, older, guess, older_v,
    partial, theta, times,
):  # fmt: skip
    """Sweep with momentum several times over; return the weight to go on with. (T-19.9)

    Ends with impulses and velocities as a sweep has left them.
    """
    for _ in range(times):
        new = _next_weight(theta)
        beta = (theta - 1.0) / new
        _carry_impulses(data, older, guess, beta, 0, count)
        _carry_velocities(v, older_v, beta, 0, v.shape[0])
        sweep(first, second, data, inverse_mass, v, begin, end, leaves, 1)
        # summed by parts, as all cores do it
        climb = 0.0
        for part in range(leaves):
            low, high = count * part // leaves, count * (part + 1) // leaves
            climb += _climb(data, older, guess, low, high)
        theta = 1.0 if climb > 0.0 else new
    return theta


@parallel_kernel
def accelerate_together(
    first, second, data, inverse_mass, v, begin, end, leaves, count, older, guess, older_v,
    partial, theta, times,
):  # fmt: skip
    """Do what `accelerate` does on all cores: the same bits."""
    n = v.shape[0]
    for _ in range(times):
        new = _next_weight(theta)
        beta = (theta - 1.0) / new
        for part in numba.prange(leaves):
            low, high = count * part // leaves, count * (part + 1) // leaves
            _carry_impulses(data, older, guess, beta, low, high)
            _carry_velocities(v, older_v, beta, n * part // leaves, n * (part + 1) // leaves)
        nodes = leaves
        while nodes > 1:
            for h in numba.prange(nodes, 2 * nodes):
                for k in range(begin[h], end[h]):
                    solve_contact(first, second, data, inverse_mass, v, k)
            nodes //= 2
        for k in range(begin[1], end[1]):
            solve_contact(first, second, data, inverse_mass, v, k)
        for part in numba.prange(leaves):
            low, high = count * part // leaves, count * (part + 1) // leaves
            partial[part] = _climb(data, older, guess, low, high)
        climb = 0.0
        for part in range(leaves):
            climb += partial[part]
        theta = 1.0 if climb > 0.0 else new
    return theta
