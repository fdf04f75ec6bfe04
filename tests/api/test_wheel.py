"""The wheel has everything a user needs, the page of the viewer too."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from browsers import need_page

from cornerlaw.viewer.page import BUILT

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_has_the_page_of_the_viewer(tmp_path: Path) -> None:
    need_page()
    pytest.importorskip("hatchling")  # of the extra `test`
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--no-index", "--quiet", "--wheel-dir", str(tmp_path), str(ROOT)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = tmp_path.glob("cornerlaw-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        shipped = packed.read("cornerlaw/viewer/page/viewer.html")
    # the page that this tree was built with, byte by byte
    assert shipped == BUILT.read_bytes()
    assert "cornerlaw/py.typed" in names
    sources = {f"cornerlaw/{path.relative_to(ROOT / 'src' / 'cornerlaw').as_posix()}"
               for path in (ROOT / "src" / "cornerlaw").rglob("*.py")}  # fmt: skip
    assert sources <= names
