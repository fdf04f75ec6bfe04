"""Write docs/trust.md from the report of a test run: what is tested by which test, and how it went.

    python -m pytest -m trust --junitxml=build/trust.xml
    python tools/trust_table.py build/trust.xml [MORE.xml ...] docs/trust.md

Only tests with the mark `trust("TR-...")` count. A requirement without a test is listed as open,
with the reason where there is one. Tests that note the message of a refusal (`record_property(
"message", ...)`) are listed with it, and so are the figures that tests measure.
"""

import re
import sys
import xml.etree.ElementTree as xml
from collections import defaultdict
from pathlib import Path

from trust_cases import (
    Case,
    hard_physics,
    is_campaign,
    kills_and_hashes,
    plain,
    random_models,
    read_case,
)

TOPICS = {"R": "Runs and files", "N": "Numerics", "S": "Strangers"}
# what each requirement is about, in a few words
REQUIREMENTS = {
    "TR-R-01": "a run goes on from a record to the same bits",
    "TR-R-02": "the same run twice has the same bits",
    "TR-R-03": "the same run on two versions of Python",
    "TR-R-04": "SIGKILL at any moment loses at most the last entry",
    "TR-R-05": "Ctrl-C and SIGTERM keep what was computed",
    "TR-R-06": "a full disk or a closed folder loses nothing",
    "TR-R-07": "a second process cannot write the same record",
    "TR-R-08": "a sweep survives points that fail",
    "TR-R-09": "a million steps need no more memory than a few",
    "TR-R-10": "records of another model or version, or damaged ones, are refused",
    "TR-R-11": "a record can be read while the run goes on",
    "TR-R-12": "a changed law is used at once",
    "TR-R-13": "a cache that cannot be written or trusted",
    "TR-N-01": "published sets of complementarity problems",
    "TR-N-02": "stacks with mass ratios",
    "TR-N-03": "problems of the FCLIB collection",
    "TR-N-04": "random small complementarity problems",
    "TR-N-05": "answers of solvers are checked by other code",
    "TR-N-06": "Painlevé's rod",
    "TR-N-07": "infinitely many impacts in finite time",
    "TR-N-08": "sliding along a surface of discontinuity",
    "TR-N-09": "two events in one step",
    "TR-N-10": "simultaneous impacts",
    "TR-N-11": "redundant constraints and contacts",
    "TR-N-12": "singular positions",
    "TR-N-13": "initial penetration",
    "TR-N-14": "absurd masses",
    "TR-N-15": "values that are no numbers",
    "TR-N-16": "laws that raise or return nonsense",
    "TR-N-17": "extreme stiffness, mass ratios and friction",
    "TR-N-18": "rotations without wrap or drift",
    "TR-N-19": "the order of every method",
    "TR-N-20": "energy and momentum",
    "TR-N-21": "random models",
    "TR-N-22": "hydraulics",
    "TR-N-23": "comparison with other programs",
    "TR-S-01": "bad model files",
    "TR-S-02": "XML",
    "TR-S-03": "paths out of the model's folder, pipes and devices",
    "TR-S-04": "loading runs no code",
    "TR-S-05": "hostile HDF5",
    "TR-S-06": "spoiled files through every reader",
    "TR-S-07": "FMUs",
    "TR-S-08": "the viewer listens on this machine only",
    "TR-S-09": "abuse of the viewer",
    "TR-S-10": "workers",
    "TR-S-11": "permissions of files and locks",
    "TR-S-12": "strange names in exports",
    "TR-S-13": "packages that an installation pulls",
    "TR-S-14": "no network",
}
# parts that do not exist yet, and what else keeps a requirement open
MISSING = {
    "TR-S-02": "part does not exist: nothing reads XML yet",
    "TR-S-07": "part does not exist: there are no FMUs yet",
}
OPEN = {
    "TR-N-01": "the published set is not at hand",
}
# what of a requirement is not tested, although the rest is
PARTLY = {
    "TR-R-01": "flexible bodies do not exist yet",
    "TR-R-05": "a run without --checkpoint saves --out, but cannot be resumed",
    "TR-N-04": "problems with entries below 1e-100 may end as not solved, never as wrongly solved",
    "TR-N-14": "1e-30 and 1e30 kg are accepted, and fall as all others do",
    "TR-N-16": "laws that run in the interpreter have a traceback, compiled ones have none; laws "
    "get copies of their arguments, not read-only views",
    "TR-N-17": "an infinite coefficient of friction is refused",
    "TR-N-19": "RungeKutta8 within 0.4 of its order, 7.81 to 8.23 measured, all others within 0.15",
    "TR-S-01": "TOML and JSON with file and part, lines only of broken text; URDF, MJCF, tyre and "
    "road files do not exist yet",
    "TR-S-04": "`trust=True` of `cl.Model.load`; the command has no --trust",
    "TR-S-05": "external links, virtual and outside data, huge shapes, objects; no plugins",
    "TR-S-06": "by own changes of good files, without atheris and not an hour for each reader: "
    "100,000 files, a million in make soak; of those that still load some thousand are used",
    "TR-S-08": "there is no --host",
    "TR-S-09": "connections one after the other; the time of a step beside them is not measured; "
    "the viewer has no sockets that stay open, hence no frames",
    "TR-S-10": "a dask cluster of this machine has keys where the package cryptography is "
    "installed; without it, other users of the machine can reach its scheduler",
    "TR-S-11": "where the user's own cache cannot be written, machine code lies in a folder of the "
    "temporary one that his number names; one of somebody else is never used",
    "TR-S-13": "packages, licences and hashes (make lock); no audit against known holes",
}
PREFACE = """# Trust

What happens to a run that is killed, a file from a stranger, a model at the edge of mechanics. This
page is written by `tools/trust_table.py` (`make verify`) from a run of the tests; a requirement
counts as tested only if a test names it.

- A run with `checkpoint=` loses at most its last entry, whatever ends it, and `cl.resume` goes on
  to the same bits.
- A result that breaks a limit (`cl.Limits`) has the status `degraded`, and `ok` is false; with
  `strict` it is an error.
- The same version, machine and options give the same bits, also across a resume. The count of
  factorisations in the statistics is an exception: it depends on how the work was cut into calls,
  the numbers do not.
- Model files, results, records and contact problems are data: reading them runs nothing.
"""


Messages = list[tuple[str, str, str]]  # file, case, message


def collect_messages(report: Path) -> Messages:
    """Return the messages of all refusals that tests have noted."""
    found = []
    for case in xml.parse(report).getroot().iter("testcase"):
        for p in case.iter("property"):
            if p.get("name") == "message":
                name = case.get("name", "")
                label = name.partition("[")[2].removesuffix("]")
                found.append((case.get("classname", ""), label, p.get("value", "")))
    return found


def collect_figures(report: Path) -> list[tuple[str, str]]:
    """Return the figures that tests of requirements have measured, by the words of the test."""
    found = []
    for case in xml.parse(report).getroot().iter("testcase"):
        entries = [(p.get("name"), p.get("value", "")) for p in case.iter("property")]
        if any(name == "trust" for name, _ in entries):
            words = case.get("name", "").removeprefix("test_").replace("_", " ")
            values = [value for name, value in entries if name == "figure"]
            found += [(words, value) for value in values if not is_campaign(value)]
    return found


def figure_table(figures: list[tuple[str, str]]) -> list[str]:
    """Return the lines that list what was counted and measured."""
    lines = ["## Counted and measured\n", "| test | figure |", "|---|---|"]
    lines += [f"| {plain(words)} | {plain(text)} |" for words, text in figures]
    return [*lines, ""]


def message_table(messages: Messages) -> list[str]:
    """Return the lines that list every refusal."""
    lines = ["## Bad inputs\n", f"{len(messages)} wrong inputs, each refused in one sentence:\n"]
    lines += ["| # | message |", "|---:|---|"]
    for k, (_, _, text) in enumerate(messages, 1):
        lines.append(f"| {k} | {plain(text)} |")
    return [*lines, ""]


def collect(report: Path) -> dict[str, list[tuple[str, bool]]]:
    """Return the tests of every requirement with their results."""
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for case in xml.parse(report).getroot().iter("testcase"):
        names = [p.get("value", "") for p in case.iter("property") if p.get("name") == "trust"]
        if case.find("skipped") is not None:
            continue
        good = case.find("failure") is None and case.find("error") is None
        words = re.sub(r"\[.*", "", case.get("name", "")).removeprefix("test_").replace("_", " ")
        for name in names:
            found[name].append((words, good))
    return found


def named_in_tests() -> set[str]:
    """Return the requirements that a test names, whether it ran or not."""
    found: set[str] = set()
    for path in (Path(__file__).parents[1] / "tests").rglob("test_*.py"):
        for marks in re.findall(r"mark\.trust\(([^)]*)\)", path.read_text(encoding="utf-8")):
            found |= set(re.findall(r"TR-[RNS]-\d\d", marks))
    return found


def state_of(name: str, tests: list[tuple[str, bool]], named: set[str]) -> str:
    """Return the result of a requirement in a few words."""
    bad = sum(not good for _, good in tests)
    if bad:
        return f"{bad} fail"
    if tests:
        return f"pass ({PARTLY[name]})" if name in PARTLY else "pass"
    if name in named:
        return "not in this run"
    if name in MISSING:
        return f"open ({MISSING[name]})"
    return f"open: {OPEN[name]}" if name in OPEN else "open"


def table(
    found: dict[str, list[tuple[str, bool]]],
    messages: Messages | None = None,
    figures: list[tuple[str, str]] | None = None,
    cases: list[Case] | None = None,
) -> str:
    """Return the page."""
    lines, named = [PREFACE], named_in_tests()
    total = sum(len(tests) for tests in found.values())
    passed = sum(good for tests in found.values() for _, good in tests)
    lines.append(f"{passed} of {total} cases pass; a case may stand for several requirements.\n")
    for letter, title in TOPICS.items():
        lines += [f"## {title}\n", "| id | requirement | cases | result | tests |"]
        lines.append("|---|---|---:|---|---|")
        for name, about in REQUIREMENTS.items():
            if name[3] != letter:
                continue
            tests = found.get(name, [])
            result = state_of(name, tests, named)
            listed = "; ".join(dict.fromkeys(words for words, _ in tests))
            lines.append(f"| {name} | {about} | {len(tests)} | {result} | {listed} |")
        lines.append("")
    for section in (hard_physics, kills_and_hashes, random_models):
        lines += section(cases or [])
    if figures:
        lines += figure_table(figures)
    if messages:
        lines += message_table(messages)
    return "\n".join(lines).rstrip() + "\n"


def main(*paths: str) -> int:
    """Write the page; the exit code tells whether a requirement names itself wrongly."""
    *reports, page = paths
    found: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    messages: Messages = []
    figures: list[tuple[str, str]] = []
    cases: list[Case] = []
    for report in map(Path, reports):
        cases += map(read_case, xml.parse(report).getroot().iter("testcase"))
        figures += collect_figures(report)
        messages += collect_messages(report)
        for name, tests in collect(report).items():
            found[name] += tests
    unknown = set(found) - set(REQUIREMENTS)
    if unknown:
        print(f"unknown requirements: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    Path(page).write_text(table(found, messages, figures, cases), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
