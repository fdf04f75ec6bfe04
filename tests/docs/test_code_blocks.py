"""Every Python block of README.md and of the documentation runs as it stands.

The blocks of one file share one namespace, as a reader would type them. A block is left out only
with a comment `<!-- not executed: reason -->` directly before it.
"""

import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# notebooks, and the page of figures, have a test of their own
RUN = {p for p in (ROOT / "docs").rglob("*.md") if p.parent.name == "notebooks"}
PAGES = sorted({*(ROOT / "docs").rglob("*.md")} - RUN - {ROOT / "docs/reference/plots.md"})
FILES = [ROOT / "README.md", *PAGES]
BLOCK = re.compile(
    r"(?P<skip><!-- not executed:(?P<reason>[^>]*)-->[ \t]*\n\s*)?"
    r"^(?P<indent>[ \t]*)```python[^\n]*\n(?P<body>.*?)^(?P=indent)```[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
MOST_LEFT_OUT = 5  # in all files together


def blocks_of(text: str) -> list[tuple[int, str, str | None]]:
    """Return line number, source and the reason for leaving it out (None: it runs)."""
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("body")) + 1
        indent = len(match["indent"])
        source = "\n".join(part[indent:] for part in match["body"].splitlines())
        reason = match["reason"].strip() if match["skip"] else None
        found.append((line, source, reason))
    return found


WITH_CODE = [path for path in FILES if "```python" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_blocks_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, source, reason in blocks_of(path.read_text(encoding="utf-8")):
        if reason is not None:
            continue
        # line numbers of a traceback are those of the page
        code = compile("\n" * (line - 1) + source, str(path), "exec")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, namespace)


def test_few_blocks_are_left_out_and_each_says_why() -> None:
    reasons = [
        (path.name, line, reason)
        for path in FILES
        for line, _, reason in blocks_of(path.read_text(encoding="utf-8"))
        if reason is not None
    ]
    assert all(reason for _, _, reason in reasons), reasons
    assert len(reasons) <= MOST_LEFT_OUT, reasons


def test_every_fence_is_recognised() -> None:
    for path in WITH_CODE:
        text = path.read_text(encoding="utf-8")
        assert len(blocks_of(text)) == len(re.findall(r"^[ \t]*```python", text, re.M)), path.name


def test_readme_prints_the_error_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    import cornerlaw as cl

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"print\(error\)  # (.*)", text)
    assert shown is not None
    with pytest.raises(cl.CornerlawError) as caught:
        cl.Body("flywheel", mass=-1.0)
    assert str(caught.value) == shown[1]


def test_links_of_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (ROOT / target).exists(), target
