"""Projection onto the sets of a problem, and the natural map that vanishes at solutions."""

import math

from cornerlaw.arrays.problem import BALL
from cornerlaw.arrays.solver_scratch import V_REF
from cornerlaw.kernels._numba import kernel


@kernel
def eval_bounds(p, k, x):
    """Return the bounds l_0 + l_1 x_m and u_0 + u_1 x_m of set k at multipliers x. (T-11.2)"""
    m = p.master[k]
    if m < 0:
        return p.lower_0[k], p.upper_0[k]
    # a master outside its own set is not there yet: a friction set never turns inside out
    load = max(x[m], 0.0)
    lower, upper = p.lower_0[k], p.upper_0[k]
    # infinite bounds must not meet 0 inf
    if p.lower_1[k] != 0.0:
        lower += p.lower_1[k] * load
    if p.upper_1[k] != 0.0:
        upper += p.upper_1[k] * load
    return lower, upper


@kernel
def project_set(p, k, x, z):
    """Overwrite the rows of set k in z with their projection, bounds at multipliers x. (T-11.5)"""
    lower, upper = eval_bounds(p, k, x)
    i = p.start[k]
    if p.kind[k] == BALL:
        length = 0.0
        for j in range(i, i + p.size[k]):
            length += z[j] * z[j]
        length = math.sqrt(length)
        if length > upper:
            factor = max(upper, 0.0) / length
            for j in range(i, i + p.size[k]):
                z[j] *= factor
        return
    for j in range(i, i + p.size[k]):
        z[j] = max(lower, min(upper, z[j]))


@kernel
def project_all(p, z):
    """Overwrite z with its projection, masters first so that bounds belong to the new loads."""
    for k in range(p.n_sets[0]):
        if p.master[k] < 0:
            project_set(p, k, z, z)
    for k in range(p.n_sets[0]):
        if p.master[k] >= 0:
            project_set(p, k, z, z)


@kernel
def prepare(p, s):
    """Find the contact of every set and the scale of every row; return the reference velocity.

    A contact is a set with all sets it is the master of; its scale is the largest |G_ii| of its
    rows, or the largest entry of these rows where that vanishes. Writes s.set_of, s.owner, s.tied,
    s.next_tied, s.scale. The reference is max(|c|_inf, v_ref). (T-11.9)
    """
    n, n_sets = p.n[0], p.n_sets[0]
    for k in range(n_sets):
        for i in range(p.start[k], p.start[k] + p.size[k]):
            s.set_of[i] = k
            s.scale[i] = 0.0
        s.tied[k] = -1
        s.next_tied[k] = -1
    # backwards, so that the lists are in order
    for k in range(n_sets - 1, -1, -1):
        s.owner[k] = k
        if p.master[k] >= 0:
            owner = s.set_of[p.master[k]]
            s.owner[k] = owner
            s.next_tied[k] = s.tied[owner]
            s.tied[owner] = k
    for i in range(n):
        first = p.start[s.owner[s.set_of[i]]]
        s.scale[first] = max(s.scale[first], abs(p.G[i, i]))
    for i in range(n):
        first = p.start[s.owner[s.set_of[i]]]
        if not s.scale[first] > 0.0:
            largest = 0.0
            for j in range(n):
                largest = max(largest, abs(p.G[i, j]))
            s.scale[first] = largest if largest > 0.0 else 1.0
    reference = s.options[V_REF]
    for i in range(n):
        s.scale[i] = s.scale[p.start[s.owner[s.set_of[i]]]]
        reference = max(reference, abs(p.c[i]))
    return reference


@kernel
def eval_gamma(p, x, gamma):
    """Write gamma = G x + c. (T-11.1)"""
    n = p.n[0]
    for i in range(n):
        total = p.c[i]
        row = p.G[i]
        for j in range(n):
            total += row[j] * x[j]
        gamma[i] = total


@kernel
def eval_natural_map(p, s, x, gamma, F):
    """Write F = g (x - prox(x - gamma / g)), g the scale of the row; return the sum of squares.

    (T-11.8)
    """
    total = 0.0
    for k in range(p.n_sets[0]):
        i0, i1 = p.start[k], p.start[k] + p.size[k]
        for i in range(i0, i1):
            F[i] = x[i] - gamma[i] / s.scale[i]
        project_set(p, k, x, F)
        for i in range(i0, i1):
            F[i] = s.scale[i] * (x[i] - F[i])
            total += F[i] * F[i]
    return total


@kernel
def largest_entry(F, n):
    """Return |F|_inf; a nan counts as infinite."""
    worst = 0.0
    for i in range(n):
        size = abs(F[i])
        if not size <= worst:
            worst = size if size == size else math.inf
    return worst
