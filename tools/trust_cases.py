"""Sections of docs/trust.md that list cases: hard physics, kills and hashes, random models."""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from collections import Counter, defaultdict
from dataclasses import dataclass, field

# requirements that are about the edge of mechanics; tests of wrong input belong to another table
HARD = frozenset(f"TR-N-{k:02}" for k in (6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18))
WRONG_INPUT = ("tests.api.test_wrong_input",)
RESUMED, SAME_BITS = "TR-R-01", "TR-R-02"
# figures that are summed over the pieces of a campaign, as tests/random_campaign.py notes them
CAMPAIGN, KNOWN, KILLS = "random models: ", "known failure of seed ", "kills, each readable"


@dataclass
class Case:
    """One test as the report of a run has it."""

    place: str  # the module
    words: str  # the name in words
    values: str  # of a parametrised test
    state: str
    about: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)


def read_case(entry: xml.Element) -> Case:
    """Return a test of the report."""
    name, _, values = entry.get("name", "").partition("[")
    bad = entry.find("failure") is not None or entry.find("error") is not None
    state = "fail" if bad else "skipped" if entry.find("skipped") is not None else "pass"
    found: dict[str, list[str]] = defaultdict(list)
    for p in entry.iter("property"):
        found[p.get("name", "")].append(p.get("value", ""))
    return Case(
        entry.get("classname", ""), name.removeprefix("test_").replace("_", " "),
        values.removesuffix("]"), state, found["trust"], found["figure"],
    )  # fmt: skip


def plain(text: str) -> str:
    """Return a text that stays in its cell of a table, and is nothing but text there."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("`", "'").replace("\n", " ")


def is_campaign(figure: str) -> bool:
    """Return whether a figure is one of many that are told by their sum."""
    return figure.startswith((CAMPAIGN, KNOWN))


def hard_physics(cases: list[Case]) -> list[str]:
    """Return one line for every case at the edge of mechanics."""
    hard = [c for c in cases if HARD & set(c.about) and c.place not in WRONG_INPUT]
    hard = [c for c in hard if c.state != "skipped"]
    if not hard:
        return []
    passed = sum(c.state == "pass" for c in hard)
    lines = [
        "## Hard physics\n",
        f"{len(hard)} cases at the edge of mechanics, {passed} pass: each has the result that "
        "mechanics asks for, or says plainly that it does not.\n",
        "| # | case | values | requirement | result |", "|---:|---|---|---|---|",
    ]  # fmt: skip
    for k, case in enumerate(hard, 1):
        about = ", ".join(name for name in dict.fromkeys(case.about) if name in HARD)
        words, values = plain(case.words), plain(case.values)
        lines.append(f"| {k} | {words} | {values} | {about} | {case.state} |")
    return [*lines, ""]


def kills_and_hashes(cases: list[Case]) -> list[str]:
    """Return what was killed, resumed and hashed, by name."""
    told = [(c, f) for c in cases for f in c.figures if f.startswith(KILLS) and c.state == "pass"]
    kills = sum(int(f.rpartition(" ")[2]) for _, f in told)
    resumed = _ran(cases, RESUMED)
    same = [c for c in _ran(cases, SAME_BITS) if c.place != "tests.verification.test_grains"]
    same = [c for c in same if RESUMED in c.about]
    if not (kills or resumed or same):
        return []
    lines = ["## Kill points, resumes and hashes\n"]
    lines.append(
        f"- {kills} runs ended by SIGKILL at a random moment, half of them in the midst of writing "
        "a file: every record read, nothing lost before its last entry, and resumed to the hash of "
        "the unbroken run."
    )
    good = sum(c.state == "pass" for c in resumed)
    lines.append(f"- {good} of {len(resumed)} tests of resumed runs are equal to the last bit.")
    good = sum(c.state == "pass" for c in same)
    lines.append(
        f"- {good} of {len(same)} systems have the same SHA-256 twice and across a resume: of "
        "rows, channels, events, statistics and the final state.\n"
    )
    lines += ["| # | run | of | twice | across a resume |", "|---:|---|---|---|---|"]
    for k, case in enumerate(resumed, 1):
        twice = case.state if SAME_BITS in case.about else ""
        words, values = plain(case.words), plain(case.values)
        lines.append(f"| {k} | {values or '-'} | {words} | {twice} | {case.state} |")
    return [*lines, ""]


def _ran(cases: list[Case], name: str) -> list[Case]:
    return [c for c in cases if name in c.about and c.state != "skipped"]


def random_models(cases: list[Case]) -> list[str]:
    """Return what the random models contained, and the seeds that are known to fail."""
    total: Counter[str] = Counter()
    known: list[str] = []
    for figure in (f for c in cases for f in c.figures):
        if figure.startswith(CAMPAIGN):
            for word, number in re.findall(r"([a-z][a-z ]*) (\d+)", figure[len(CAMPAIGN) :]):
                total[word] += int(number)
        elif figure.startswith(KNOWN):
            known.append(figure[len(KNOWN) :])
    if not total["models"]:
        return []
    lines = ["## Random models\n", f"{total['models']} models ran:\n", "| with | models | part |"]
    lines.append("|---|---:|---:|")
    for word, number in total.items():
        if word != "models":
            lines.append(f"| {word} | {number} | {100.0 * number / total['models']:.1f} % |")
    lines += [
        "\nThose that were given up said so in one sentence; those without a solution have proved "
        "that their impact has none.", ""
    ]  # fmt: skip
    if known:
        lines += [f"{len(known)} seeds fail, each known and not mended yet:\n", "| seed | reason |"]
        lines.append("|---:|---|")
        lines += ["| {} | {} |".format(*map(plain, text.split(": ", 1))) for text in known]
        lines.append("")
    return lines
