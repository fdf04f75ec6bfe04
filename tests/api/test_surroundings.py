"""What an installation pulls, and that nothing ever speaks to another machine."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 25  # packages


def needed_by(name: str, found: dict[str, str]) -> None:
    """Collect a package and all that it needs, with their licences."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return
    try:
        package = distribution(name)
    except PackageNotFoundError:  # needed on another system only
        return
    meta = package.metadata
    classes = [v for v in meta.get_all("Classifier") or [] if v.startswith("License")]
    found[key] = " ".join([meta.get("License-Expression") or "", *classes])
    for requirement in package.requires or []:
        if "extra ==" not in requirement:
            match = re.match(r"[A-Za-z0-9._-]+", requirement)
            assert match is not None
            needed_by(match[0], found)


@pytest.mark.trust("TR-S-13")
def test_an_installation_pulls_few_packages_and_none_under_the_gpl() -> None:
    found: dict[str, str] = {}
    needed_by("cornerlaw", found)
    assert {"numpy", "numba", "h5py"} <= found.keys()
    assert len(found) <= MOST, sorted(found)
    for name, licence in found.items():
        # exceptions for linking and the lesser licence bind nobody who uses the package
        text = licence.replace("LGPL", "").replace("Lesser General Public", "")
        assert "with GCC-exception" in text or not re.search(r"\bA?GPL|General Public", text), name


SCRIPT = textwrap.dedent(
    """
    import socket, sys
    LOCAL = ("127.0.0.1", "::1", "localhost")
    def hook(event, arguments):
        if event in ("socket.connect", "socket.bind", "socket.sendto"):
            address = arguments[1]
            if isinstance(address, tuple) and address[0] not in LOCAL:
                raise RuntimeError(f"{event} {address}")
        if event in ("socket.getaddrinfo", "socket.gethostbyname"):
            if arguments[0] not in (*LOCAL, None, ""):
                raise RuntimeError(f"{event} {arguments[0]}")
    sys.addaudithook(hook)
    import cornerlaw as cl
    for name in cl.__all__ if hasattr(cl, "__all__") else dir(cl):
        getattr(cl, name, None)
    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.2))
    model = cl.Model(floor, ball, cl.Contact(ball, floor, mu=0.3), gravity=(0.0, -9.81))
    sol = cl.simulate(model, 0.05, method=cl.Moreau(dt=1e-3), progress=False)
    sol.save(sys.argv[1] + "/run.nc")
    assert cl.load(sys.argv[1] + "/run.nc").t[-1] == sol.t[-1]
    from cornerlaw.viewer.page import BUILT
    if BUILT.is_file():
        with sol.view(browser=False) as viewer:
            assert viewer.url.startswith("http://127.0.0.1:")
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)
    except RuntimeError:
        print("blocked")
    """
)


@pytest.mark.trust("TR-S-14")
def test_import_run_and_view_need_no_network(tmp_path: object) -> None:
    """The hook fails at every name that is looked up and at every address but loopback."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=600,
        env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    # the last line proves that the hook is there
    assert done.stdout.split()[-1] == "blocked"


@pytest.mark.trust("TR-S-14")
def test_all_tests_run_without_a_network() -> None:
    """The hook of conftest.py is there: every test of the suite passes with sockets blocked."""
    with pytest.raises(OSError, match="no network in tests"):
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)
    with pytest.raises(OSError, match="no network in tests"):
        socket.getaddrinfo("example.invalid", 80)
    with (
        pytest.raises(OSError, match="no network in tests"),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
    ):
        datagrams.sendto(b"", ("192.0.2.1", 53))


def away() -> list[str]:
    """Return the beginning of a command that runs where there is nothing but loopback, or skip."""
    unshare, sh = shutil.which("unshare"), shutil.which("sh")
    alone = [str(unshare), "-r", "-n", str(sh), "-c", 'ip link set lo up && exec "$@"', "sh"]
    if (
        unshare is None
        or sh is None
        or subprocess.run([*alone, "true"], capture_output=True).returncode
    ):
        pytest.skip("this machine lets nobody make a network of his own")
    return alone


@pytest.mark.verify
@pytest.mark.trust("TR-S-14")
def test_the_site_is_built_without_a_network(tmp_path: Path) -> None:
    """With its notebooks, in a network of its own that has loopback only."""
    pytest.importorskip("mkdocs")
    done = subprocess.run(
        [*away(), sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir",
         str(tmp_path / "site")],
        capture_output=True, text=True, timeout=1800, cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "site" / "index.html").is_file()
