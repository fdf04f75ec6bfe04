"""What is done with a file after it was read: spoiled files that still load are used.

As a program, `python file_uses.py COUNT SEED KEEP` spoils results, records and contact problems,
and goes on with those that can be read: a record is resumed, the channels of a result are fetched
and its final state starts a run, a problem is solved. Each use ends well or is refused in one
sentence. It prints a table as JSON; a file that does anything else is kept in the folder KEEP.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from cut_runs import cut
from file_readers import spoil, spoil_signed
from kill_points import METHOD, build

import cornerlaw as cl
from cornerlaw.errors import CornerlawError
from cornerlaw.results.segments import pack, unpack

END = 0.05
PATIENCE = 3.0  # seconds; a record may ask for any number of steps, and then goes on with them
STATUSES = ("solved", "not solved", "infeasible")


def finite(sol: cl.Solution) -> None:
    """Check the rows that a run has computed."""
    assert all(np.isfinite(values).all() for values in sol.states.values()), "not finite"


def use_record(path: Path) -> None:
    """Go on from a record."""
    cl.resume(path.parent, build(), progress=False)


def use_result(path: Path) -> None:
    """Fetch all channels and begin a run where the result ends."""
    sol = cl.load(path)
    sol.fetch()
    str(sol.info)
    repr(list(sol.events))
    if sol.has_final:
        finite(cl.simulate(build(), sol.final.t + 0.01, method=METHOD, initial=sol,
                           max_steps=100, progress=False))  # fmt: skip


def use_problem(path: Path) -> None:
    """Solve a problem by the choice of the software; what it calls solved must be so."""
    from cornerlaw.problems.storage import load

    problem, guess = load(path)
    found = problem.solve(x=guess)
    assert found.status in STATUSES
    if found.status == "solved":
        assert np.isfinite(found.x).all(), "not finite"
        assert problem.residual(found.x) < 1e-6, "not solved"


def spoil_numbers(content: bytes, rng: random.Random) -> bytes:
    """Spoil numbers in the arrays of a segment and give it a right checksum."""
    segment = unpack(content)
    arrays = {name: array.copy() for name, array in segment.arrays.items()}
    names = sorted(name for name, a in arrays.items() if a.size)
    for name in rng.sample(names, 2):
        flat = arrays[name].reshape(-1)
        strange = (0, -1, 1, 127) if flat.dtype.itemsize == 1 else (-1, 7, 10**9, -(2**62))
        if flat.dtype.kind == "f":
            strange = (np.nan, np.inf, -1.0, 1e300, 1e-320)  # type: ignore[assignment]
        flat[rng.randrange(flat.size)] = rng.choice(strange)
    return pack(segment.data, arrays)[0]


Use = tuple[Callable[[Path], None], str, Callable[[bytes, random.Random], bytes]]
USES: dict[str, Use] = {
    "record-head": (use_record, "run.ckpt/000000.seg", spoil_signed),
    "record": (use_record, "run.ckpt/000001.seg", spoil_signed),
    "record-numbers": (use_record, "run.ckpt/000001.seg", spoil_numbers),
    "result": (use_result, "run.nc", spoil),
    "problem": (use_problem, "problem.h5", spoil),
}


def good_files(folder: Path) -> dict[str, Path]:
    """Write files of a real run and a real problem."""
    from cornerlaw.problems import sets

    simulate = partial(cl.simulate, build(), END, method=METHOD, progress=False)
    assert cut(lambda **more: simulate(**more), folder / "run.ckpt", 1, 20)
    part = cl.load(folder / "run.ckpt")
    assert part.status == "interrupted"
    part.save(folder / "run.nc", compression=0)
    problem = cl.ContactProblem(
        np.eye(3) * 2.0, [-1.0, 0.3, 0.1], [sets.unilateral(), sets.disc(0.4, normal=0)]
    )
    problem.save(folder / "problem.h5", x=np.zeros(3))
    return {name: folder / entry[1] for name, entry in USES.items()}


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt


def try_use(name: str, path: Path) -> str:
    """Return "used" or "refused"; anything else is raised."""
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        USES[name][0](path)
    except CornerlawError as error:
        text = str(error)
        assert text and len(text) < 2000, f"a sentence of {len(text)} characters"
        return "refused"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    return "used"


def main(count: int, seed: int, keep: Path) -> dict[str, Any]:
    """Spoil and use files in turn, and count what becomes of them."""
    found: dict[str, Any] = {name: {"used": 0, "refused": 0} for name in USES}
    found["failures"] = []
    with tempfile.TemporaryDirectory() as place:
        places = good_files(Path(place))
        folder = places["record"].parent
        every = [*folder.iterdir(), places["result"], places["problem"]]
        good = {path: path.read_bytes() for path in every if path.is_file()}
        rng = random.Random(seed)
        signal.signal(signal.SIGALRM, _stop)
        for name, path in places.items():
            assert try_use(name, path) == "used", name
        for k in range(count):
            name = list(USES)[k % len(USES)]
            for path in folder.iterdir():  # a run that went on has written more
                path.unlink()
            for path, content in good.items():
                path.write_bytes(content)
            content = USES[name][2](good[places[name]], rng)
            places[name].write_bytes(content)
            try:
                found[name][try_use(name, places[name])] += 1
            except BaseException as error:
                kept = keep / f"{name}-{seed}-{k}{places[name].suffix}"
                kept.write_bytes(content)
                last = traceback.extract_tb(error.__traceback__)[-1]
                text = f"{type(error).__name__}: {error}"[:300]
                found["failures"].append([str(kept), text, f"{last.filename}:{last.lineno}"])
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    table = main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    print(json.dumps(table, indent=1))
    sys.exit(bool(table["failures"]))
