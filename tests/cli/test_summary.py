"""What `cornerlaw run` prints of a run: a table on a terminal, plain lines elsewhere."""

import io
import re
import sys

import pytest

import cornerlaw as cl
from cornerlaw.cli.output import print_summary


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def solution() -> cl.Solution:
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.5))
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    contact = cl.Contact(ball, floor, eps_N=0.5)
    model = cl.Model(ball, floor, contact, gravity=(0.0, -9.81), name="[bold]ball")
    return cl.simulate(model, t_end=0.4, method=cl.EventDriven())


def test_a_terminal_gets_a_table(solution: cl.Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setenv("COLUMNS", "100")
    print_summary(solution)
    text = re.sub(r"\x1b\[[\d;]*m", "", shown.getvalue())
    assert '"[bold]ball"' in text  # a name is no markup
    rows = dict(re.findall(r"│ (\w[\w ]*?) +│ (.*?) *│", text))
    assert rows["status"] == "done" and rows["events"].startswith("1 (1 impact")
    assert max(map(len, text.splitlines())) <= 100


def test_a_pipe_gets_plain_lines(solution: cl.Solution, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(solution)
    assert capsys.readouterr().out == f"{solution}\n"
