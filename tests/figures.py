"""Figures that tests report beside their verdict: what was measured, and the limit it keeps."""

from __future__ import annotations

from typing import Any, Protocol


class Figure(Protocol):
    """What the fixture `figure` gives: call it with a name, the value and its limit."""

    def __call__(self, name: str, value: Any, limit: float | None = None) -> None:
        """Report one figure."""
