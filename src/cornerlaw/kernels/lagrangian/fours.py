"""Sums over vectors whose length is a multiple of four: straight-line code, four at a time."""

from cornerlaw.kernels._inlined import inlined


@inlined
def dot(A, i, x):
    """Return sum_j A_ij x_j."""
    s = 0.0
    for b in range(x.size // 4):
        j = 4 * b
        s += (A[i, j] * x[j] + A[i, j + 1] * x[j + 1]) + (
            A[i, j + 2] * x[j + 2] + A[i, j + 3] * x[j + 3]
        )
    return s


@inlined
def dot_and_size(A, i, x):
    """Return sum_j A_ij x_j and sum_j |A_ij x_j|."""
    s, size = 0.0, 0.0
    for j in range(x.size):
        term = A[i, j] * x[j]
        s += term
        size += abs(term)
    return s, size


@inlined
def add_scaled(x, h, y, z):
    """Write z = x + h y."""
    for b in range(z.size // 4):
        j = 4 * b
        z_0, z_1 = x[j] + h * y[j], x[j + 1] + h * y[j + 1]
        z_2, z_3 = x[j + 2] + h * y[j + 2], x[j + 3] + h * y[j + 3]
        z[j], z[j + 1], z[j + 2], z[j + 3] = z_0, z_1, z_2, z_3


@inlined
def combine(x, h, columns, y, z):
    """Write z = x + h sum_j columns_j y_j."""
    for b in range(z.size // 4):
        i = 4 * b
        z_0, z_1, z_2, z_3 = 0.0, 0.0, 0.0, 0.0
        for j in range(columns.shape[0]):
            y_j = y[j]
            z_0 += columns[j, i] * y_j
            z_1 += columns[j, i + 1] * y_j
            z_2 += columns[j, i + 2] * y_j
            z_3 += columns[j, i + 3] * y_j
        z_0, z_1 = x[i] + h * z_0, x[i + 1] + h * z_1
        z_2, z_3 = x[i + 2] + h * z_2, x[i + 3] + h * z_3
        z[i], z[i + 1], z[i + 2], z[i + 3] = z_0, z_1, z_2, z_3


@inlined
def least(x):
    """Return the smallest entry; one that is not a number does not count."""
    s = x[0]
    for b in range(x.size // 4):
        i = 4 * b
        s = min(s, min(min(x[i], x[i + 1]), min(x[i + 2], x[i + 3])))
    return s


@inlined
def copy_fours(x, y):
    """Write y = x."""
    for b in range(y.size // 4):
        j = 4 * b
        y_0, y_1, y_2, y_3 = x[j], x[j + 1], x[j + 2], x[j + 3]
        y[j], y[j + 1], y[j + 2], y[j + 3] = y_0, y_1, y_2, y_3
