"""The tool that writes docs/trust.md: what it makes of a report."""

import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "trust_table.py"


def entry(name: str, place: str, inside: str = "", **properties: str | list[str]) -> str:
    """Return a test of a report."""
    pairs = [(k, v) for k, vs in properties.items() for v in ([vs] if isinstance(vs, str) else vs)]
    lines = "".join(f"<property name='{k}' value={quoteattr(v)}/>" for k, v in pairs)
    return (
        f"<testcase classname='{place}' name={quoteattr(name)}>{inside}"
        f"<properties>{lines}</properties></testcase>"
    )


def models(count: int, stick: int) -> str:
    return f"random models: models {count}, stick {stick}, given up 1, no solution 0"


CASES = (
    entry("test_painleve[1.3]", "tests.v.test_hard", trust="TR-N-06"),
    entry("test_zeno[a<b|c]", "tests.v.test_hard", trust=["TR-N-07", "TR-N-20"]),
    entry("test_mass[0]", "tests.v.test_hard", "<failure/>", trust="TR-N-14"),
    entry("test_rest[0]", "tests.v.test_hard", "<skipped/>", trust="TR-N-13"),
    entry("test_wrong_input[x]", "tests.api.test_wrong_input", trust="TR-N-14", message="no"),
    entry("test_twenty", "tests.api.test_kill_points", trust="TR-R-04",
          figure="kills, each readable, right and resumed to the same bits: 20"),
    entry("test_many", "tests.api.test_kill_points", trust="TR-R-04",
          figure="kills, each readable, right and resumed to the same bits: 200"),
    entry("test_bits[tower]", "tests.g.test_determinism", trust=["TR-R-01", "TR-R-02"]),
    entry("test_bits[rod]", "tests.g.test_determinism", "<failure/>",
          trust=["TR-R-01", "TR-R-02"]),
    entry("test_again[rod]", "tests.g.test_snapshots", trust="TR-R-01"),
    entry("test_random[1]", "tests.p.test_random", trust="TR-N-21", figure=models(500, 200)),
    entry("test_random[2]", "tests.p.test_random", trust="TR-N-21",
          figure=[models(300, 100), "known failure of seed 7: because: of that"]),
    entry("test_measured", "tests.v.test_hard", trust="TR-N-20", figure="drift: 1e-9"),
)  # fmt: skip


def write(tmp_path: Path, cases: tuple[str, ...]) -> str:
    report, page = tmp_path / "report.xml", tmp_path / "trust.md"
    report.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    done = subprocess.run(
        [sys.executable, str(TOOL), str(report), str(page)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return page.read_text(encoding="utf-8")


@pytest.fixture
def page(tmp_path: Path) -> str:
    return write(tmp_path, CASES)


def test_every_hard_case_has_a_line_with_its_result(page: str) -> None:
    part = page.partition("## Hard physics")[2].partition("\n## ")[0]
    assert "3 cases at the edge of mechanics, 2 pass" in part
    assert "| 1 | painleve | 1.3 | TR-N-06 | pass |" in part
    assert "| 2 | zeno | a&lt;b\\|c | TR-N-07 | pass |" in part
    assert "| 3 | mass | 0 | TR-N-14 | fail |" in part
    assert "wrong" not in part and "rest" not in part


def test_kills_resumes_and_hashes_are_counted_and_named(page: str) -> None:
    part = page.partition("## Kill points, resumes and hashes")[2].partition("\n## ")[0]
    assert "- 220 runs ended by SIGKILL" in part
    assert "- 2 of 3 tests of resumed runs" in part and "- 1 of 2 systems" in part
    assert "| 1 | tower | bits | pass | pass |" in part
    assert "| 2 | rod | bits | fail | fail |" in part
    assert "| 3 | rod | again |  | pass |" in part


def test_random_models_are_summed(page: str) -> None:
    part = page.partition("## Random models")[2].partition("\n## ")[0]
    assert "800 models ran" in part
    assert "| stick | 300 | 37.5 % |" in part and "| given up | 2 | 0.2 % |" in part
    assert "| no solution | 0 | 0.0 % |" in part
    assert "1 seeds fail" in part and "| 7 | because: of that |" in part
    # the pieces are not listed again
    assert "random models:" not in page and "drift: 1e-9" in page


def test_a_run_without_such_tests_has_no_such_sections(tmp_path: Path) -> None:
    page = write(tmp_path, CASES[4:5])
    assert "## Hard physics" not in page and "## Kill" not in page and "## Random" not in page
    assert "1 wrong inputs" in page


def test_a_requirement_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="unknown requirements: TR-R-99"):
        write(tmp_path, (entry("test_x", "tests.x", trust="TR-R-99"),))
