"""The kernel cache: any edit of a kernel source counts, and the folder is private."""

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cornerlaw

INNER = """
from cornerlaw.kernels._numba import kernel

@kernel
def inner(x):
    return {factor} * x
"""

OUTER = """
from cornerlaw.kernels._numba import kernel
from cornerlaw.kernels.inner import inner

@kernel
def outer(x):
    return inner(x) + 1.0
"""

RUN = """
from cornerlaw.kernels import _numba
cold = _numba.is_cold()
from cornerlaw.kernels.outer import outer
print(outer(10.0), sum(outer.stats.cache_hits.values()), cold, _numba.CACHE_FOLDER)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with two small kernels in two files in place of the real ones."""
    source = Path(cornerlaw.__file__).parent
    copy = tmp_path / "src" / "cornerlaw"
    (copy / "kernels").mkdir(parents=True)
    (copy / "arrays").mkdir()
    (copy / "__init__.py").write_text("")
    (copy / "arrays" / "__init__.py").write_text("")
    for name in ("__init__.py", "_numba.py", "_claims.py"):
        shutil.copy(source / "kernels" / name, copy / "kernels" / name)
    (copy / "kernels" / "inner.py").write_text(INNER.format(factor=2.0))
    (copy / "kernels" / "outer.py").write_text(OUTER)
    return copy


def run(package: Path, cache: Path, script: str = RUN, **extra: str) -> list[str]:
    environment = {key: value for key, value in os.environ.items() if key[:6] != "NUMBA_"}
    environment |= {"PYTHONPATH": str(package.parent), "CORNERLAW_CACHE_DIR": str(cache)} | extra
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.trust("TR-R-12")
def test_edited_callee_in_another_file_gives_the_new_value(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    value, hits, cold, folder = run(package, cache)
    assert (value, hits, cold) == ("21.0", "0", "True")

    value, hits, cold, again = run(package, cache)
    assert (value, hits, cold, again) == ("21.0", "1", "False", folder)

    (package / "kernels" / "inner.py").write_text(INNER.format(factor=3.0))
    value, hits, cold, other = run(package, cache)
    assert (value, hits, cold) == ("31.0", "0", "True")
    assert other != folder
    # an older file, as a checkout brings it back: its content counts, not its time
    inner = package / "kernels" / "inner.py"
    inner.write_text(INNER.format(factor=2.0))
    os.utime(inner, (1e9, 1e9))
    value, hits, cold, again = run(package, cache)
    assert (value, hits, again) == ("21.0", "1", folder)


@pytest.mark.trust("TR-R-13", "TR-S-11")
@pytest.mark.skipif(sys.platform == "win32", reason="owners of files")
def test_a_folder_of_somebody_else_is_never_read(package: Path, tmp_path: Path) -> None:
    """As another user, or with another name for ourselves: both make the folder a foreign one."""
    cache = tmp_path / "cache"
    folder = Path(run(package, cache)[3])
    for path in folder.glob("*.nb[ic]"):
        path.write_bytes(b"cposix\nsystem\n(S'touch hacked'\ntR.")
    other = "import os; mine = os.getuid(); os.getuid = lambda: mine + 1\n" + RUN
    (tmp_path / "temporary").mkdir()
    value, hits, _, used = run(package, cache, other, TMPDIR=str(tmp_path / "temporary"))
    assert (value, hits) == ("21.0", "0") and not Path(used).is_relative_to(cache)
    assert not (tmp_path / "hacked").exists() and not Path("hacked").exists()


@pytest.mark.trust("TR-R-13", "TR-S-11")
@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_could_write_is_never_read(
    package: Path, tmp_path: Path, mode: int
) -> None:
    """Whatever lies in it may be theirs: closing it now would come too late."""
    cache = tmp_path / "cache"
    folder = Path(run(package, cache)[3])
    for path in folder.glob("*.nb[ic]"):
        path.write_bytes(f"cposix\nsystem\n(S'touch {tmp_path}/hacked'\ntR.".encode())
    folder.chmod(mode)
    (tmp_path / "temporary").mkdir()
    value, hits, _, used = run(package, cache, TMPDIR=str(tmp_path / "temporary"))
    assert not (tmp_path / "hacked").exists()
    assert (value, hits) == ("21.0", "0") and not Path(used).is_relative_to(cache)
    # nor is it taken over by the next version of the sources
    (package / "kernels" / "other.py").write_text("x = 1\n")
    value, hits, _, used = run(package, cache)
    assert (value, hits) == ("21.0", "0") and Path(used).is_relative_to(cache)
    assert not (tmp_path / "hacked").exists()


@pytest.mark.trust("TR-R-13")
def test_a_folder_that_cannot_be_written_is_left_alone(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = Path(run(package, cache)[3])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    closed = (
        "import errno, tempfile\n"
        "def refuse(*_, dir=None, **__):\n"
        f"    if str(dir) == {str(folder)!r}: raise OSError(errno.EROFS, 'read-only')\n"
        "    return made(dir=dir)\n"
        "made, tempfile.TemporaryFile = tempfile.TemporaryFile, refuse\n"
    )
    (tmp_path / "temporary").mkdir()
    value, _, _, used = run(package, cache, closed + RUN, TMPDIR=str(tmp_path / "temporary"))
    assert value == "21.0" and Path(used).is_relative_to(tmp_path / "temporary")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.trust("TR-R-13", "TR-S-11")
def test_a_link_in_place_of_the_folder_is_not_followed(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = Path(run(package, cache)[3])
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "temporary").mkdir()
    value, hits, _, used = run(package, cache, TMPDIR=str(tmp_path / "temporary"))
    assert (value, hits) == ("21.0", "0") and Path(used) != folder


def test_edits_elsewhere_keep_what_is_compiled(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = run(package, cache)[3]
    (package / "kernels" / "other.py").write_text("x = 1\n")
    value, hits, _, other = run(package, cache)
    assert (value, hits) == ("21.0", "1") and other != folder


@pytest.mark.trust("TR-R-13", "TR-S-11")
def test_folder_is_private_and_named_by_the_key(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = Path(run(package, cache)[3])
    assert folder.parent == cache
    assert len(folder.name) == 16 and set(folder.name) <= set("0123456789abcdef")
    if sys.platform != "win32":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        # a folder that was opened to others is closed before anything is read from it
        folder.chmod(0o755)
        run(package, cache)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.trust("TR-R-13")
def test_unusable_root_falls_back_to_the_temporary_folder(package: Path, tmp_path: Path) -> None:
    root = tmp_path / "a file, not a folder"
    root.write_text("")
    (tmp_path / "temporary").mkdir()
    value, _, _, folder = run(package, root, TMPDIR=str(tmp_path / "temporary"))
    assert value == "21.0"
    assert Path(folder).is_relative_to(tmp_path / "temporary")


@pytest.mark.trust("TR-R-13")
def test_damaged_files_are_compiled_again(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = Path(run(package, cache)[3])
    for number, path in enumerate(sorted(folder.glob("*.nb[ic]"))):
        path.write_bytes(b"" if number % 2 else path.read_bytes()[:20])
    assert run(package, cache)[:2] == ["21.0", "0"]
    assert run(package, cache)[:2] == ["21.0", "1"]


def test_only_old_keyed_folders_are_pruned(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    old, recent, foreign = cache / ("a" * 16), cache / ("b" * 16), cache / "notes"
    for folder in (old, recent, foreign):
        folder.mkdir(parents=True)
        (folder / "kernel.nbi").write_bytes(b"")
    long_ago = time.time() - 40 * 86400
    os.utime(old, (long_ago, long_ago))
    os.utime(foreign, (long_ago, long_ago))
    run(package, cache)
    assert not old.exists() and recent.exists() and foreign.exists()


def test_importing_the_package_imports_no_numba() -> None:
    code = "import sys, cornerlaw; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
