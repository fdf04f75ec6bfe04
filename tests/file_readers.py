"""Every reader of files from strangers, good files for each, and ways to spoil them.

As a program, `python file_readers.py COUNT SEED KEEP` feeds COUNT spoiled files to the readers
under an audit hook that ends the process if one of them runs code, starts a process or opens a
socket, with memory limited to one gigabyte above what the imports need. It prints a table as JSON;
a file that does anything but load or be refused is kept in the folder KEEP.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HANGS = 60  # seconds after which a reader counts as one that never ends
TOKENS = (
    b"nan", b"-inf", b"1e400", b"-1", b"0", b"true", b"null", b"[]", b"{}", b"[[[[", b'"', b"'",
    b"\x00", b"\xff\xfe", b"../../etc/passwd", b"__import__('os')", b"\n", b"=", b"[parts]",
    b"9" * 40, b"\\u0000", b"function", b"type", b"1e-320", b"\xf0\x9f\x8e\xb2",
)  # fmt: skip


def spoil(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four changes."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        n = len(data)
        at, length = rng.randrange(n + 1), rng.randrange(1, 64)
        kind = rng.randrange(7)
        if kind == 0 and n:
            data[at % n] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = rng.choice(TOKENS)
        elif kind == 2:
            data[at : at + length] = rng.choice(TOKENS)
        elif kind == 3:
            del data[at : at + length]
        elif kind == 4:
            data[at:at] = data[at : at + length] * rng.randrange(1, 4)
        elif kind == 5:
            data[at : at + 8] = rng.getrandbits(64).to_bytes(8, "little")
        elif rng.random() < 0.2:
            del data[at:]
    return bytes(data)


def spoil_signed(content: bytes, rng: random.Random) -> bytes:
    """Spoil the inside of a segment and give it a right checksum, as a stranger would."""
    import hashlib

    from cornerlaw.results.segments import MAGIC

    start = len(MAGIC) + 32
    length = int.from_bytes(content[start : start + 8], "little")
    head, rest = content[start + 8 : start + 8 + length], content[start + 8 + length :]
    head = spoil(head, rng)
    body = len(head).to_bytes(8, "little") + head + rest
    return MAGIC + hashlib.sha256(body).digest() + body


Reader = tuple[Callable[[Path], Any], str, Callable[[bytes, random.Random], bytes]]


def _load_model(path: Path) -> Any:
    import cornerlaw as cl

    return cl.Model.load(path)


def _load_result(path: Path) -> Any:
    import cornerlaw as cl

    return cl.load(path)


def _load_segment(path: Path) -> Any:
    import cornerlaw as cl

    return cl.load(path.parent)


def _load_problem(path: Path) -> Any:
    from cornerlaw.problems.storage import load

    return load(path)


def _load_fclib(path: Path) -> Any:
    import cornerlaw as cl

    return cl.read_fclib(path)


def _load_siconos(path: Path) -> Any:
    from cornerlaw.io.siconos import read_siconos

    return read_siconos(path)


def _load_sweep(path: Path) -> Any:
    import cornerlaw as cl

    return cl.read_sweep(path.parent)


def spoil_rows(content: bytes, rng: random.Random) -> bytes:
    """Spoil the inside of a row and give it a right checksum, as a stranger would."""
    import zlib

    first, _, rest = content.partition(b"\n")
    text = spoil(first[9:], rng).replace(b"\n", b" ")
    return b"%08x %s\n%s" % (zlib.crc32(text), text, rest)


# name: how to read it, the name of its file, how to spoil it
READERS: dict[str, Reader] = {
    "model-toml": (_load_model, "model.toml", spoil),
    "model-json": (_load_model, "model.json", spoil),
    "result": (_load_result, "run.nc", spoil),
    "segment": (_load_segment, "000001.seg", spoil),
    "segment-signed": (_load_segment, "000001.seg", spoil_signed),
    "segment-head": (_load_segment, "000000.seg", spoil_signed),
    "problem": (_load_problem, "problem.h5", spoil),
    "fclib": (_load_fclib, "fclib.h5", spoil),
    "siconos": (_load_siconos, "problem.dat", spoil),
    "sweep-plan": (_load_sweep, "plan.json", spoil),
    "sweep-rows": (_load_sweep, "a.rows", spoil_rows),
}


def _write_sweep(folder: Path) -> None:
    from cornerlaw.analysis.sweeps.record import encode_row

    folder.mkdir(exist_ok=True)
    plan = {"names": ["k", "d"], "values": [[1.0, 2.0], [0, 1]], "grid": True, "model": "m",
            "t_end": 1.0, "method": "Moreau(dt=0.01)", "versions": {"cornerlaw": "0"}}  # fmt: skip
    (folder / "plan.json").write_text(json.dumps(plan))
    values = ({"x": 0.5, "v": [1.0, 2.0]}, {"x": 1, "v": [0.0, math.nan]})
    rows = [{"row": k, "status": "done", "message": "", "values": v} for k, v in enumerate(values)]
    (folder / "a.rows").write_bytes(b"".join(map(encode_row, rows)))


def good_files(folder: Path) -> dict[str, Path]:
    """Write one good file for every reader; needs no compiled kernel."""
    import numpy as np

    import cornerlaw as cl
    from cornerlaw.problems import sets
    from cornerlaw.results import Channel, ChannelTable, Event, EventLog, FinalState
    from cornerlaw.results.checkpoint import LAST, ROWS, SCHEMA, CheckpointWriter

    floor = cl.Ground("floor", normal=(0.0, 1.0))
    ball = cl.Disk("ball", mass=1.0, radius=0.1, position=(0.0, 0.3))
    arm = cl.Body("arm", mass=1.0, inertia=0.2, com=(0.5, 0.0))
    pin = cl.Revolute("pin", cl.Ground(), arm, angle=0.3)
    table = cl.Table([0.0, 1.0, 2.0], [0.0, 1.0, 0.5])
    model = cl.Model(
        floor, ball, pin, cl.Contact(ball, floor, mu=0.3, eps_N=0.5),
        cl.Torque("motor", pin, value=table), cl.Spring("s", ball, arm, stiffness=3.0),
        gravity=(0.0, -9.81),
    )  # fmt: skip
    for name in ("model.toml", "model.json"):
        model.save(folder / name)
    t = np.linspace(0.0, 1.0, 6)
    sol = cl.Solution(
        t, np.zeros(6), {"q": t[:, None], "u": t[:, None], "x": np.zeros((6, 0))},
        ChannelTable([Channel("a.b", "m")], ["a"]), stored={"a.b": t},
        events=EventLog([Event(0.5, "a", "hit", {"v": 1.0})]), final=FinalState(1.0, q=t[-1:]),
    )  # fmt: skip
    sol.save(folder / "run.nc", compression=0)
    problem = cl.ContactProblem(
        np.eye(3) * 2.0, [-1.0, 0.3, 0.1], [sets.unilateral(), sets.disc(0.4, normal=0)]
    )
    problem.save(folder / "problem.h5", x=np.zeros(3))
    cl.write_fclib(problem, folder / "fclib.h5")
    text = "2 1 0 2 2\n2.0 0.0 0.0 2.0\n-1.0 0.5\n0.3\n"
    (folder / "problem.dat").write_text(text)
    checkpoint = folder / "run.ckpt"
    writer = CheckpointWriter(str(checkpoint))
    writer.open(fresh=True)
    head = {
        "schema": SCHEMA, "version": "0", "fingerprint": "f", "method": "m", "sizes": [1, 1, 0],
        "channels": [["a.b", "m", "position", "", "q", 0]], "parts": ["a"],
        "info": {"model": "m", "status": "interrupted"}, "method_data": {"type": "RungeKutta8"},
    }  # fmt: skip
    writer.append(head, {"t_eval": np.zeros(0)})
    one = np.zeros((6, 1))
    columns = (t, one, one, np.zeros((6, 0)), np.zeros(6, np.int8), np.zeros((6, 0), np.int8),
               np.zeros((6, 0), np.int64), np.zeros((6, 0)))  # fmt: skip
    arrays = {name: column[:-1] for name, column in zip(ROWS, columns, strict=True)}
    arrays |= {LAST + name: column[-1:] for name, column in zip(ROWS, columns, strict=True)}
    arrays |= {f"state_{n}": np.zeros(1) for n in ("t", "q", "u", "x", "z", "dt", "memory")}
    arrays["corners"] = np.zeros(0)
    data = {"events": [[0.5, "a", "hit", {}]], "samples": [], "element_events": [], "ending": [],
            "solver": 0,
            "info": {"status": "interrupted", "wall_time": 1.0, "statistics": {}}}  # fmt: skip
    writer.append(data, arrays)
    writer.close()
    _write_sweep(folder / "sweep")
    places = {name: folder / entry[1] for name, entry in READERS.items()}
    for name in ("sweep-plan", "sweep-rows"):
        places[name] = folder / "sweep" / READERS[name][1]
    for name, entry in READERS.items():
        if entry[1].endswith(".seg"):
            places[name] = checkpoint / entry[1]
    return places


def try_reader(name: str, path: Path) -> str:
    """Return "read" or "refused"; anything else is raised."""
    from cornerlaw.errors import CornerlawError

    try:
        READERS[name][0](path)
    except CornerlawError as error:
        text = str(error)
        assert text and len(text) < 2000, f"a sentence of {len(text)} characters"
        return "refused"
    return "read"


_FORBIDDEN = (
    "exec", "compile", "os.system", "subprocess.Popen", "socket.connect", "socket.bind",
    "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class", "ctypes.dlopen", "import",
)  # fmt: skip


def _forbid() -> None:
    """End the process at the first attempt to run anything."""

    def hook(event: str, arguments: Any) -> None:
        if event in _FORBIDDEN:
            print(f"forbidden: {event} {str(arguments)[:200]}", flush=True)
            os._exit(3)

    sys.addaudithook(hook)


def _limit_memory(room: int) -> None:
    import resource

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))


def fuzz(count: int, seed: int, keep: Path) -> dict[str, Any]:
    """Feed spoiled files to all readers in turn and count what they do."""
    names = list(READERS)
    found: dict[str, Any] = {name: {"read": 0, "refused": 0, "slowest": 0.0} for name in names}
    found["failures"] = []
    # in the folder to keep: if the process dies, the file that it died of is there
    with tempfile.TemporaryDirectory(dir=keep) as place:
        places = good_files(Path(place))
        good = {name: path.read_bytes() for name, path in places.items()}
        for name in names:  # imports happen here, not under the hook
            assert try_reader(name, places[name]) == "read", name
            places[name].write_bytes(good[name][:20])
            # the row that a process was writing when it died does not count
            cut = "read" if name == "sweep-rows" else "refused"
            assert try_reader(name, places[name]) == cut, name
            places[name].write_bytes(good[name])
        if sys.platform == "linux":
            _limit_memory(2**30)
        _forbid()
        rng = random.Random(seed)
        for k in range(count):
            name = names[k % len(names)]
            content = READERS[name][2](good[name], rng)
            places[name].write_bytes(content)
            began = time.perf_counter()
            signal.alarm(HANGS)  # a library that goes round for ever ends the process
            try:
                found[name][try_reader(name, places[name])] += 1
            except BaseException as error:
                ending = READERS[name][1].rpartition(".")[2]
                kept = keep / f"{name}-{seed}-{k}.{ending}"
                kept.write_bytes(content)
                found["failures"].append([str(kept), f"{type(error).__name__}: {error}"[:300]])
                if len(found["failures"]) > 50:
                    break
            signal.alarm(0)
            elapsed = time.perf_counter() - began
            found[name]["slowest"] = max(found[name]["slowest"], elapsed)
            if (
                places[name].suffix in (".seg", ".rows") or name == "sweep-plan"
            ):  # several readers share one folder
                places[name].write_bytes(good[name])
    return found


if __name__ == "__main__":
    table = fuzz(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    print(json.dumps(table, indent=1))
    sys.exit(bool(table["failures"]))
