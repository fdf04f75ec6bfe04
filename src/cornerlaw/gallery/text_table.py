"""Tables as plain text: aligned columns that survive a pipe, a log file and a narrow terminal."""

from __future__ import annotations

from collections.abc import Sequence


def format_number(value: float, digits: int = 6) -> str:
    """Write a number in as few characters as its digits need."""
    return f"{value:.{digits}g}"


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return header, rule and rows; columns of numbers stand to the right, texts to the left."""
    cells = [[_text(value) for value in row] for row in rows]
    right = [
        bool(rows) and all(_is_number(row[k]) or row[k] is None for row in rows)
        for k in range(len(header))
    ]
    width = [max([len(header[k]), *(len(row[k]) for row in cells)]) for k in range(len(header))]
    lines = [
        "  ".join(
            text.rjust(size) if flag else text.ljust(size)
            for text, size, flag in zip(row, width, right, strict=True)
        ).rstrip()
        for row in [list(header), ["-" * size for size in width], *cells]
    ]
    return "\n".join(lines)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "pass" if value else "FAIL"
    if isinstance(value, float):
        return format_number(value)
    return "-" if value is None else str(value)
