"""Write the exact packages of an installation with their hashes, for pip to hold to.

    python tools/lock.py build/cornerlaw.lock            # what cornerlaw alone needs
    python tools/lock.py build/cornerlaw.lock plot,data  # and some extras
    python -m pip install --require-hashes --no-deps -r build/cornerlaw.lock

pip chooses the packages for this machine and this Python, and names the hash of every file that it
would install; a file that was exchanged since then is refused. It needs the network.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def lines_of(report: dict[str, Any]) -> list[str]:
    """Return a line for every package that pip would install, by name, but for cornerlaw."""
    found = {}
    for entry in report["install"]:
        about, file = entry["metadata"], entry["download_info"]
        if about["name"].lower() == "cornerlaw":
            continue
        value = file["archive_info"]["hashes"]["sha256"]
        found[about["name"].lower()] = f"{about['name']}=={about['version']} --hash=sha256:{value}"
    return [found[name] for name in sorted(found)]


def main(target: str, extras: str = "") -> int:
    """Ask pip and write the file."""
    wanted = f"{ROOT}[{extras}]" if extras else str(ROOT)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet",
         "--report", "-", wanted],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    if done.returncode:
        return done.returncode
    lines = lines_of(json.loads(done.stdout))
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{target}: {len(lines)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
