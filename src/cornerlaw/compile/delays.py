"""Delays of force elements: the histories that a run fills, and laws that read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cornerlaw.arrays.state import Floats
from cornerlaw.compile.functions import (
    Adapter,
    Holder,
    LawShape,
    add_holder,
    law_arguments,
    ready,
    slot_address,
)
from cornerlaw.kernels.histories import delayed_values, history_size
from cornerlaw.kernels.slots import view_rows


@dataclass
class Board:
    """What the laws of an element read: delayed values, addresses of histories and functions."""

    numbers: Floats
    histories: list[Floats] = field(default_factory=list)  # kept alive while they are pointed to

    @property
    def place(self) -> int:
        """The address of the board."""
        return int(self.numbers.ctypes.data)


@dataclass
class History(Holder):
    """A delay of an element: `held` is the history behind it, `dt` the distance of its points."""

    element: int = 0
    measure: int = 0  # address of the function
    delay: float = 0.0
    points: int = 0
    before: float | None = None
    board: Board = field(default_factory=lambda: Board(np.zeros(3)))
    index: int = 0  # among the delays of the element

    def bind(self) -> None:
        """Let the laws of the element read this history; another model may share its board."""
        n = self.board.numbers.size // 3
        self.board.histories[self.index] = self.held
        self.board.numbers[n + 2 * self.index] = float(self.held.ctypes.data)


# laws keep the address of their board, so that a board belongs to all models with the same measured
# functions at the same element; a run binds its own histories to it
_boards: dict[tuple[int, ...], Board] = {}


def add_histories(part: Any, element: int, measures: list[int]) -> Board:
    """Return the board of an element and note its histories for the run."""
    n = len(measures)
    key = (element, *measures)
    board = _boards.get(key)
    if board is None:
        board = _boards[key] = Board(np.zeros(3 * n), [np.zeros(0)] * n)
        board.numbers[n + 1 :: 2] = measures
    for k, (name, delay) in enumerate(part.delays.items()):
        history = History(
            f"{part.label}: delays[{name}]",
            delay.delay / delay.points,
            np.zeros(history_size(delay.points)),
            element,
            measures[k],
            delay.delay,
            delay.points,
            delay.before,
            board,
            k,
        )
        history.bind()
        add_holder(history)
    return board


def delayed_arguments(shape: LawShape, place: int) -> Callable[..., Any]:
    """Return the function that unpacks what a law reads, from t to its delayed values."""
    from cornerlaw.kernels.slots import compile_user_function

    present, nd = law_arguments(shape), shape.delays

    def with_delays(inp: Any, par: Any) -> Any:
        return (*present(inp), delayed_values(place, nd, inp, par), par)

    found: Callable[..., Any] = compile_user_function(with_delays, label="a law with delays")
    return found


def delayed_law_slot(function: Any, shape: LawShape, board: Board, label: str) -> int:
    """Compile a force element's law that reads delayed values behind x and z."""
    nf, nc, nx = shape[:3]
    arguments = delayed_arguments(shape, board.place)

    def make() -> Adapter:
        f = ready(function, label)

        def law(inp: Any, par: Any, out: Any) -> None:
            f(
                *arguments(inp, par),
                view_rows(out, 0, nf),
                view_rows(out, 3 * nf, nf),
                out[6 * nf : 6 * nf + nc],
                out[6 * nf + nc : 6 * nf + nc + nx],
            )

        return law

    key = ("delayed law", *shape, board.place, id(function))
    results = 6 * nf + nc + nx + shape.discrete
    return slot_address(key, function, make, label, results, may_hold=True)


def delayed_number_slot(function: Any, shape: LawShape, board: Board, label: str) -> int:
    """Compile a number of a force element that reads delayed values."""
    arguments = delayed_arguments(shape, board.place)

    def make() -> Adapter:
        f = ready(function, label)

        def number(inp: Any, par: Any, out: Any) -> None:
            out[0] = f(*arguments(inp, par))

        return number

    key = ("delayed number", *shape, board.place, id(function))
    return slot_address(key, function, make, label, 1)
