"""Sums over vectors whose length is a multiple of four: straight-line code where it is four.

Places that are written out need neither a loop nor a look at their sign, and the compiler works on
four numbers at a time.
"""

from cornerlaw.kernels._inlined import inlined


@inlined
def dot(A, i, x):
    """Return sum_j A_ij x_j."""
    row = A[i]
    s = (row[0] * x[0] + row[1] * x[1]) + (row[2] * x[2] + row[3] * x[3])
    if x.size > 4:
        for j in range(4, x.size):
            s += row[j] * x[j]
    return s


@inlined
def dot_and_size(A, i, x):
    """Return sum_j A_ij x_j and sum_j |A_ij x_j|."""
    row = A[i]
    a, b, c, d = row[0] * x[0], row[1] * x[1], row[2] * x[2], row[3] * x[3]
    s, size = (a + b) + (c + d), (abs(a) + abs(b)) + (abs(c) + abs(d))
    if x.size > 4:
        for j in range(4, x.size):
            s += row[j] * x[j]
            size += abs(row[j] * x[j])
    return s, size


@inlined
def add_scaled(x, h, y, z):
    """Write z = x + h y."""
    a, b, c, d = x[0] + h * y[0], x[1] + h * y[1], x[2] + h * y[2], x[3] + h * y[3]
    z[0], z[1], z[2], z[3] = a, b, c, d
    if z.size > 4:
        for j in range(4, z.size):
            z[j] = x[j] + h * y[j]


@inlined
def combine(x, h, columns, y, z):
    """Write z = x + h sum_j columns_j y_j."""
    p, q, r, s = columns[0], columns[1], columns[2], columns[3]
    y_0, y_1, y_2, y_3 = y[0], y[1], y[2], y[3]
    a = x[0] + h * ((p[0] * y_0 + q[0] * y_1) + (r[0] * y_2 + s[0] * y_3))
    b = x[1] + h * ((p[1] * y_0 + q[1] * y_1) + (r[1] * y_2 + s[1] * y_3))
    c = x[2] + h * ((p[2] * y_0 + q[2] * y_1) + (r[2] * y_2 + s[2] * y_3))
    d = x[3] + h * ((p[3] * y_0 + q[3] * y_1) + (r[3] * y_2 + s[3] * y_3))
    z[0], z[1], z[2], z[3] = a, b, c, d
    if z.size > 4 or y.size > 4:
        _combine_more(x, h, columns, y, z)


@inlined
def _combine_more(x, h, columns, y, z):
    """Write what lies behind the first four numbers of either vector."""
    for i in range(z.size):
        total = 0.0
        for j in range(0 if i >= 4 else 4, y.size):
            total += columns[j, i] * y[j]
        z[i] = h * total + (x[i] if i >= 4 else z[i])


@inlined
def least(x):
    """Return the smallest entry; one that is not a number may not count."""
    s = min(min(x[0], x[1]), min(x[2], x[3]))
    if x.size > 4:
        for i in range(4, x.size):
            s = min(s, x[i])
    return s


@inlined
def is_finite(x):
    """Return whether all entries are finite: x - x is zero of a finite number only."""
    s = ((x[0] - x[0]) + (x[1] - x[1])) + ((x[2] - x[2]) + (x[3] - x[3]))
    if x.size > 4:
        for i in range(4, x.size):
            s += x[i] - x[i]
    return s == 0.0


@inlined
def copy_fours(x, y):
    """Write y = x."""
    a, b, c, d = x[0], x[1], x[2], x[3]
    y[0], y[1], y[2], y[3] = a, b, c, d
    if y.size > 4:
        for j in range(4, y.size):
            y[j] = x[j]
