"""Stored figures of the bench: complete, without names of machines or places, shown on the site."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
RESULTS = [
    path for path in sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    if ".lesser" not in path.suffixes
]  # fmt: skip

import site_hooks  # noqa: E402


def test_there_are_figures() -> None:
    assert RESULTS


def test_results_say_when_and_on_what_and_nothing_of_where() -> None:
    for path in RESULTS:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text)
        assert {"scene", "date", "machine", "versions", "table", "result"} <= set(found), path.name
        assert found["scene"] == path.stem
        assert found["machine"]["cores"] >= 1
        for secret in ("/home/", "/work/", "/tmp/", "/root/", "hostname", "://"):
            assert secret not in text, (path.name, secret)


def test_the_page_shows_every_table() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="benchmarks.md"))
    source = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    text = site_hooks.on_page_markdown(source, page=page)
    for path in RESULTS:
        assert json.loads(path.read_text(encoding="utf-8"))["table"] in text
