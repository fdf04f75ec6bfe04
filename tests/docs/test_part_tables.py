"""The generated table of all parts is up to date, and every field has a meaning."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import part_tables  # noqa: E402

from cornerlaw.model.part import PART_TYPES, field_specs  # noqa: E402

# part classes that other tests declare are none of ours
OURS = {n: c for n, c in PART_TYPES.items() if c.__module__.startswith("cornerlaw.model.")}


def test_page_is_up_to_date():
    page = part_tables.PAGE.read_text(encoding="utf-8")
    assert page == part_tables.render(), "run python tools/part_tables.py"


def test_every_part_is_on_the_page_once():
    headings = re.findall(r"^### (\w+)$", part_tables.render(), re.MULTILINE)
    assert sorted(headings) == sorted(OURS)


def test_every_meaning_belongs_to_a_field():
    fields = {s.name for cls in OURS.values() for s in field_specs(cls)}
    full = {f"{name}.{s.name}" for name, cls in OURS.items() for s in field_specs(cls)}
    assert [key for key in part_tables.MEANINGS if key not in fields | full] == []
