"""What a law of the user sees of a buffer: a view that is not counted, compiled or not."""

from typing import Any

from numba.extending import overload

from cornerlaw.kernels.views import part, view


def view_part(array: Any, start: int, n: int) -> Any:
    """Return places start, ... of a flat array as n numbers, without a copy."""
    return array[start : start + n]


@overload(view_part)
def _compiled_view_part(array, start, n):
    return lambda array, start, n: part(array, start, n)


def view_matrix(array: Any, start: int, rows: int, columns: int) -> Any:
    """Return places start, ... of a flat array as a matrix, without a copy."""
    return array[start : start + rows * columns].reshape(rows, columns)


@overload(view_matrix)
def _compiled_view_matrix(array, start, rows, columns):
    return lambda array, start, rows, columns: view(array, start, rows, columns)
