"""Workers of sweeps: nothing listens beyond this machine, and files are those of the user alone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import sweep_models as given

import cornerlaw as cl

SECRET = "hunter2-not-for-logs"
SCRIPT = textwrap.dedent(
    """
    import logging, os, sys, threading, time
    import sweep_models as given
    import cornerlaw as cl

    def family():
        # this process and all that it has started
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat") as file:
                        parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
                except OSError:
                    pass
        found = {os.getpid()}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def sockets():
        found = set()
        for pid in family():
            try:
                for name in os.listdir(f"/proc/{pid}/fd"):
                    target = os.readlink(f"/proc/{pid}/fd/{name}")
                    if target.startswith("socket:["):
                        found.add(target[8:-1])
            except OSError:
                pass
        return found

    def listening():
        # addresses in hexadecimal; state 0A is listening
        found, ours = set(), sockets()
        for name in ("tcp", "tcp6"):
            with open(f"/proc/self/net/{name}") as file:
                for line in file.readlines()[1:]:
                    words = line.split()
                    if words[3] == "0A" and words[9] in ours:
                        found.add(words[1])
        return found

    LOOPBACK = ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F")
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)

    def watch():
        while not done:
            for place in listening():
                (seen if place.split(":")[0] not in LOOPBACK else near).append(place)
            time.sleep(0.02)

    if __name__ == "__main__":
        near, seen, done = [], [], []
        watcher = threading.Thread(target=watch)
        watcher.start()
        cl.sweep(given.build(), {"spring.stiffness": [10.0, 20.0, 30.0]}, given.slow, t_end=0.1,
                 method=given.METHOD, workers=2, engine=sys.argv[1], out=sys.argv[2])
        done.append(1)
        watcher.join()
        print("open to others:", sorted(set(seen)), "near:", bool(near))
    """
)


@pytest.mark.trust("TR-S-10")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_no_worker_listens_to_other_machines(engine: str, tmp_path: Path) -> None:
    """And what the environment keeps secret stands in no log and in no file of the sweep."""
    if engine == "dask":
        pytest.importorskip("distributed")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join([str(Path(cl.__file__).parents[1]), str(Path(given.__file__).parent)])
    more = {"PYTHONPATH": path, "MY_TOKEN": SECRET, "SWEEP_SLEEP": "0.3"}
    done = subprocess.run(
        [sys.executable, str(script), engine, str(tmp_path / "out")], capture_output=True,
        text=True, timeout=600, env={**os.environ, **more},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    # dask has a scheduler, which shows that what listens is seen
    assert f"open to others: [] near: {engine == 'dask'}" in done.stdout
    assert SECRET not in done.stdout + done.stderr
    for file in (tmp_path / "out").rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()


@pytest.mark.trust("TR-S-11")
def test_temporary_files_cannot_be_foreseen_or_led_astray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are drawn, files are made anew and beside their target; a lock follows no link."""
    made: list[tuple[str, int]] = []
    original = os.open

    def watched(path: object, flags: int, *more: int, **named: object) -> int:
        if str(path).endswith(".part") or str(path).endswith("lock"):
            made.append((str(path), flags))
        return original(path, flags, *more, **named)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(os, "open", watched)
    sol = cl.simulate(given.build(), 0.1, method=given.METHOD, checkpoint=tmp_path / "c")
    for _ in range(2):
        sol.save(tmp_path / "run.nc")
    parts = [entry for entry in made if entry[0].endswith(".part")]
    assert len({path for path, _ in parts}) == len(parts) >= 3
    assert all(Path(path).parent in (tmp_path, tmp_path / "c") for path, _ in made)
    assert all(flags & os.O_EXCL or flags & os.O_NOFOLLOW for _, flags in made)
    assert stat.S_IMODE((tmp_path / "c" / "lock").stat().st_mode) == 0o600
    found = cl.sweep(given.build(), {"spring.stiffness": [10.0]}, "ball.position.x", t_end=0.1,
                     method=given.METHOD, workers=0, out=tmp_path / "s")  # fmt: skip
    assert found["status"].values.tolist() == ["done"]
    assert stat.S_IMODE((tmp_path / "s" / "lock").stat().st_mode) == 0o600
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "lock").symlink_to(target)
    with pytest.raises(cl.FileError):
        cl.sweep(given.build(), {"spring.stiffness": [10.0]}, "ball.position.x", t_end=0.1,
                 method=given.METHOD, workers=0, out=tmp_path / "t")  # fmt: skip
    assert target.read_text() == "mine"
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "lock").symlink_to(target)
    with pytest.raises(cl.FileError):
        cl.simulate(given.build(), 0.1, method=given.METHOD, checkpoint=tmp_path / "d")
    assert target.read_text() == "mine"
