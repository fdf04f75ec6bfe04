"""Names that are hard on file formats come back as they were, or are refused at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.results import Channel, ChannelTable, FinalState

STRANGE = (
    "..", "../../etc/passwd", "a.b.c", "a b", "\N{GAME DIE} wheel", "x" * 300, "con", "-rf *",
    "a:b", "a\\b", "'; DROP TABLE runs", "<script>alert(1)</script>", "nan", "ñandú", "a,b\"c",
)  # fmt: skip


def run_of(name: str) -> cl.Solution:
    """Return a small result with a part of this name."""
    t = np.linspace(0.0, 1.0, 6)
    return cl.Solution(
        t, np.zeros(6), {"q": t[:, None], "u": t[:, None], "x": np.zeros((6, 0))},
        ChannelTable([Channel(f"{name}.angle", "rad")], [name]), stored={f"{name}.angle": t},
        final=FinalState(1.0, q=t[-1:]),
    )  # fmt: skip


def files_of(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


@pytest.mark.trust("TR-S-12")
@pytest.mark.parametrize("name", STRANGE)
def test_results_keep_strange_names(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    sol = run_of(name)
    sol.save(folder / "run.nc")
    back = cl.load(folder / "run.nc")
    assert list(back.parts) == [name]
    assert np.array_equal(back[f"{name}.angle"], sol[f"{name}.angle"])
    # the name leads to no file of its own, here or elsewhere
    assert files_of(tmp_path) == ["inner", "run.nc"]


@pytest.mark.trust("TR-S-12")
@pytest.mark.parametrize("name", STRANGE)
def test_tables_keep_strange_names(name: str, tmp_path: Path) -> None:
    import csv

    sol = run_of(name)
    sol.to_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        head = next(row for row in csv.reader(file) if any("angle" in cell for cell in row))
    assert any(cell.startswith(f"{name}.angle") for cell in head)
    assert files_of(tmp_path) == ["run.csv"]


@pytest.mark.trust("TR-S-12")
@pytest.mark.parametrize("name", STRANGE)
def test_models_keep_or_refuse_strange_names(name: str, tmp_path: Path) -> None:
    try:
        model = cl.Model(cl.PointMass(name, mass=1.0))
    except cl.ModelError as error:
        assert "name" in str(error) and len(str(error)) < 600
        return
    for ending in ("toml", "json"):
        model.save(tmp_path / f"model.{ending}")
        assert [b.name for b in cl.Model.load(tmp_path / f"model.{ending}").bodies] == [name]
    assert files_of(tmp_path) == ["model.json", "model.toml"]


@pytest.mark.trust("TR-S-12")
@pytest.mark.parametrize("name", ["", "a/b", "a\nb", "\x00", "a\x1bb", 3, None])
def test_names_that_no_file_can_hold_are_refused(name: object) -> None:
    with pytest.raises(cl.ModelError):
        cl.PointMass(name, mass=1.0)  # type: ignore[arg-type]
