"""Spoiled files that still load are used: resumed, fetched from, solved. None surprises."""

import json
import os
import subprocess
import sys
from pathlib import Path

import file_uses
import numpy as np
import pytest

PROGRAM = Path(__file__).parents[1] / "file_uses.py"
FACTOR = int(os.environ.get("CORNERLAW_SOAK", "1"))  # 10 in `make soak`


def use(count, seed, keep, figure):
    """Use files in a process of its own: a crash must not spread."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(count), str(seed), str(keep)],
        capture_output=True, text=True, timeout=3000, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    found = json.loads(done.stdout)
    assert not found.pop("failures")
    assert sum(row["used"] + row["refused"] for row in found.values()) == count
    for name, row in found.items():
        # both ways are tried: files that a reader refuses, and those that go further
        assert row["used"] > 0 and row["refused"] > 0, name
    figure("spoiled files, used or refused", count)
    figure("of them used", sum(row["used"] for row in found.values()))


@pytest.mark.trust("TR-S-06", "TR-R-10")
def test_spoiled_files_are_used_or_refused(tmp_path, figure):
    use(400, 1, tmp_path, figure)


@pytest.mark.verify
@pytest.mark.trust("TR-S-06", "TR-R-10")
@pytest.mark.parametrize("seed", range(2, 2 + FACTOR))
def test_spoiled_files_are_used_or_refused_at_length(seed, tmp_path, figure):
    use(4_000, seed, tmp_path, figure)


@pytest.mark.trust("TR-R-10")
def test_a_record_that_lacks_anything_is_refused(tmp_path):
    """Whatever is missing from the last segment, checksum and all: one sentence, no traceback."""
    import cornerlaw as cl
    from cornerlaw.results.segments import pack, unpack

    path = file_uses.good_files(tmp_path)["record"]
    content, model = path.read_bytes(), file_uses.build()
    segment = unpack(content)
    # older records lack these columns, and how the run ended is found anew by going on
    optional = {"points", "last_points", "ending"}
    for name in segment.arrays.keys() - optional:
        arrays = {key: array for key, array in segment.arrays.items() if key != name}
        path.write_bytes(pack(segment.data, arrays)[0])
        with pytest.raises(cl.FileError):
            cl.resume(path.parent, model, progress=False)
    for name in segment.data.keys() - optional:
        data = {key: value for key, value in segment.data.items() if key != name}
        path.write_bytes(pack(data, segment.arrays)[0])
        with pytest.raises(cl.FileError):
            cl.resume(path.parent, model, progress=False)


@pytest.mark.trust("TR-R-10")
@pytest.mark.parametrize(("name", "place", "value"), [
    ("progress", 0, 10**9), ("progress", 0, -1), ("progress", 1, -(2**62)), ("progress", 2, 7),
    ("stopped", 0, 10**6), ("stopped", 0, -5), ("state_q", 1, np.nan), ("state_u", 0, np.inf),
    ("state_t", 0, np.nan), ("stats", 0, np.nan),
])  # fmt: skip
def test_a_record_with_a_place_or_number_that_cannot_be_is_refused(name, place, value, tmp_path):
    """Compiled code follows places without a look: they are looked at before."""
    import cornerlaw as cl
    from cornerlaw.results.segments import pack, unpack

    path = file_uses.good_files(tmp_path)["record"]
    segment = unpack(path.read_bytes())
    arrays = {key: array.copy() for key, array in segment.arrays.items()}
    arrays[name].reshape(-1)[place] = value
    path.write_bytes(pack(segment.data, arrays)[0])
    with pytest.raises(cl.FileError, match="damaged"):
        cl.resume(path.parent, file_uses.build(), progress=False)
