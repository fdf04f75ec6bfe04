"""What an installation pulls, and that nothing ever speaks to another machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from importlib.metadata import PackageNotFoundError, distribution

import pytest

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
