"""The lock file: exact packages with the hashes that pip names, in a form that pip holds to."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "lock.py"


def entry(name: str, version: str, digest: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "version": version},
        "download_info": {"archive_info": {"hashes": {"sha256": digest}}},
    }


@pytest.mark.trust("TR-S-13")
def test_a_lock_names_versions_and_hashes_that_pip_holds_to(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("lock", TOOL)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    own = {"metadata": {"name": "cornerlaw", "version": "0"}, "download_info": {"dir_info": {}}}
    wrong = "0" * 64
    packages = [entry("Zeta", "2.0", "1" * 64), own, entry("alpha", "1.0", wrong)]
    lines = tool.lines_of({"install": packages})
    assert lines == [f"alpha==1.0 --hash=sha256:{wrong}", f"Zeta==2.0 --hash=sha256:{'1' * 64}"]
    # a wheel with another content than the lock names is refused by pip itself
    wheel = tmp_path / "alpha-1.0-py3-none-any.whl"
    wheel.write_bytes(b"exchanged")
    lock = tmp_path / "lock.txt"
    lock.write_text(lines[0] + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--require-hashes", "--no-deps", "--no-index",
         "--find-links", str(tmp_path), "--target", str(tmp_path / "there"), "-r", str(lock)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode != 0 and "DO NOT MATCH THE HASHES" in done.stdout + done.stderr
