"""Block Gauss-Seidel over the contacts of balls: one contact after the other, until all agree.

In the variables of `cornerlaw.arrays.grains` the block of a contact is diagonal, so that its law is
solved exactly: first along the normal, then across it in the disc of radius mu Lambda_N. (T-19.6)
"""

import math

import numba
import numpy as np

from cornerlaw.kernels._inlined import inlined
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels._parallel import parallel_kernel

SPIN = 2.5  # m r^2 / I of a ball


@inlined
def _relative_velocity(a, b, x, y, z):
    """Return v_a - v_b - (s_a + s_b) x n at the contact of two bodies. (T-19.1)"""
    sx, sy, sz = a[3] + b[3], a[4] + b[4], a[5] + b[5]
    gx = a[0] - b[0] - (sy * z - sz * y)
    gy = a[1] - b[1] - (sz * x - sx * z)
    gz = a[2] - b[2] - (sx * y - sy * x)
    return gx, gy, gz


@inlined
def _push(a, b, f, h, x, y, z, dn, dx, dy, dz):
    """Add what the impulses dn along the normal and (dx, dy, dz) across it do to both bodies.

    f and h are the inverse masses; planes, which several threads share, are not written to.
    """
    px, py, pz = dn * x + dx, dn * y + dy, dn * z + dz
    qx, qy, qz = SPIN * (y * dz - z * dy), SPIN * (z * dx - x * dz), SPIN * (x * dy - y * dx)
    a[0] += f * px
    a[1] += f * py
    a[2] += f * pz
    a[3] -= f * qx
    a[4] -= f * qy
    a[5] -= f * qz
    if h > 0.0:
        b[0] -= h * px
        b[1] -= h * py
        b[2] -= h * pz
        b[3] -= h * qx
        b[4] -= h * qy
        b[5] -= h * qz


@inlined
def solve_contact(first, second, data, inverse_mass, v, k):
    """Solve the law of contact k and apply the change of its impulses."""
    row = np.uint64(k)  # a number that cannot be negative saves a look at every access
    d, i, j = data[row], first[row], second[row]
    a, b = v[i], v[j]
    x, y, z = d[0], d[1], d[2]
    gx, gy, gz = _relative_velocity(a, b, x, y, z)
    gn = x * gx + y * gy + z * gz
    normal = max(0.0, d[7] - (gn + d[3]) * d[4])
    dn = normal - d[7]
    tx = d[8] - (gx - gn * x) * d[5]
    ty = d[9] - (gy - gn * y) * d[5]
    tz = d[10] - (gz - gn * z) * d[5]
    limit, size = d[6] * normal, tx * tx + ty * ty + tz * tz
    if size > limit * limit:
        scale = limit / math.sqrt(size)
        tx, ty, tz = scale * tx, scale * ty, scale * tz
    dx, dy, dz = tx - d[8], ty - d[9], tz - d[10]
    d[7], d[8], d[9], d[10] = normal, tx, ty, tz
    _push(a, b, inverse_mass[i], inverse_mass[j], x, y, z, dn, dx, dy, dz)


@kernel
def sweep(first, second, data, inverse_mass, v, begin, end, leaves, times):
    """Solve every contact in turn, node by node and the root last, several times over. (T-19.4)"""
    for _ in range(times):
        nodes = leaves
        while nodes >= 1:
            for h in range(nodes, 2 * nodes):
                for k in range(begin[h], end[h]):
                    solve_contact(first, second, data, inverse_mass, v, k)
            nodes //= 2


@parallel_kernel
def sweep_together(first, second, data, inverse_mass, v, begin, end, leaves, times):
    """Solve every contact in turn, nodes that share no ball at once: the same bits as `sweep`."""
    for _ in range(times):
        nodes = leaves
        while nodes > 1:
            for h in numba.prange(nodes, 2 * nodes):
                for k in range(begin[h], end[h]):
                    solve_contact(first, second, data, inverse_mass, v, k)
            nodes //= 2
        for k in range(begin[1], end[1]):
            solve_contact(first, second, data, inverse_mass, v, k)


@kernel
def apply_impulses(first, second, data, inverse_mass, v, count):
    """Add to the free velocities what the impulses of the last step do."""
    for k in range(count):
        d, i, j = data[k], first[k], second[k]
        a, b = v[i], v[j]
        _push(
            a, b, inverse_mass[i], inverse_mass[j], d[0], d[1], d[2], d[7], d[8], d[9], d[10]
        )  # fmt: skip


@kernel
def _worst_of(first, second, data, v, begin, end):
    """Return by how much the worst contact violates its law [m/s]: |G| |Lambda - prox|. (T-19.7)"""
    worst = 0.0
    for k in range(begin, end):
        row = np.uint64(k)
        d, a, b = data[row], v[first[row]], v[second[row]]
        x, y, z = d[0], d[1], d[2]
        gx, gy, gz = _relative_velocity(a, b, x, y, z)
        gn = x * gx + y * gy + z * gz
        normal = max(0.0, d[7] - (gn + d[3]) * d[4])
        if abs(normal - d[7]) > worst * d[4]:
            worst = abs(normal - d[7]) / d[4]
        tx = d[8] - (gx - gn * x) * d[5]
        ty = d[9] - (gy - gn * y) * d[5]
        tz = d[10] - (gz - gn * z) * d[5]
        limit, size, scale = d[6] * d[7], tx * tx + ty * ty + tz * tz, 1.0
        if size > limit * limit:
            scale = limit / math.sqrt(size)
        dx, dy, dz = scale * tx - d[8], scale * ty - d[9], scale * tz - d[10]
        # the root and the quotient are taken of what is larger than all before
        size, limit = dx * dx + dy * dy + dz * dz, worst * d[5]
        if size > limit * limit:
            worst = math.sqrt(size) / d[5]
    return worst


@parallel_kernel
def _worst_together(first, second, data, v, count, partial, parts):
    """Write the residuals of all parts of the contacts."""
    for part in numba.prange(parts):
        begin, end = count * part // parts, count * (part + 1) // parts
        partial[part] = _worst_of(first, second, data, v, begin, end)


@kernel
def eval_residual(first, second, data, v, count, partial, parts, together):
    """Return the residual of all contacts [m/s], part by part, on one core or on both. (T-19.7)

    Parts are the same either way: what counts as larger depends on where a part begins.
    """
    if together and parts > 1:
        _worst_together(first, second, data, v, count, partial, parts)
    else:
        for part in range(parts):
            begin, end = count * part // parts, count * (part + 1) // parts
            partial[part] = _worst_of(first, second, data, v, begin, end)
    worst = 0.0
    for part in range(parts):
        worst = max(worst, partial[part])
    return worst
