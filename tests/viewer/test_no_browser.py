"""Tests of the page are skipped without a browser, and fail where CI promises one."""

from pathlib import Path

import browsers
import pytest


@pytest.mark.parametrize("lost", ["page", "browser"])
def test_what_must_be_there_is_not_skipped(
    lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "viewer.html"
    if lost == "browser":
        built.write_text("")
    monkeypatch.setattr(browsers, "BUILT", built)
    monkeypatch.setattr(browsers, "find_browser", lambda: None)
    for wanted, outcome in (
        ("1", pytest.fail.Exception),
        ("0", pytest.skip.Exception),
        (None, pytest.skip.Exception),
    ):
        if wanted is None:
            monkeypatch.delenv(browsers.NEEDED, raising=False)
        else:
            monkeypatch.setenv(browsers.NEEDED, wanted)
        with pytest.raises(outcome):
            browsers.need_browser()


def test_ci_says_that_the_browser_must_be_there() -> None:
    script = Path(__file__).resolve().parents[2] / ".ci" / "run"
    assert f"export {browsers.NEEDED}=" in script.read_text()
