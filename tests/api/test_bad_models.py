"""Forty bad model files, each in one sentence with its file and part; fifty good ones are read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.errors import FileError

HEAD = 'schema = "cornerlaw-model/1"\n'
ARM = {"type": "Body", "name": "arm", "mass": 1.0, "inertia": [0.2, 0.3, 0.4]}
PIN = {"type": "Revolute", "name": "pin", "first": "ground", "second": "arm", "axis": [0, 0, 1]}
HAND = {"type": "Body", "name": "hand", "mass": 0.5, "inertia": [0.2, 0.3, 0.4]}
WRIST = {"type": "Revolute", "name": "wrist", "first": "arm", "second": "hand", "axis": [0, 0, 1]}
BALL = {"type": "Sphere", "name": "ball", "on": "hand", "radius": 0.1}
GROUND = {"type": "Ground", "name": "ground"}
PARTS = (GROUND, ARM, PIN, HAND, WRIST, BALL)


def changed(name: str, /, **values: Any) -> list[dict[str, Any]]:
    """Return the good parts with values of one of them changed."""
    return [{**part, **values} if part["name"] == name else dict(part) for part in PARTS]


def without(name: str, key: str) -> list[dict[str, Any]]:
    """Return the good parts with a key of one of them left out."""
    return [{k: v for k, v in part.items() if part["name"] != name or k != key} for part in PARTS]


MESH = {"type": "Mesh", "name": "stone", "on": "hand"}
# the classes of bad robots that other programs were measured with, as model files: parts or text
CASES: dict[str, Any] = {
    "mass nan": changed("arm", mass=float("nan")),
    "mass inf": changed("arm", mass=float("inf")),
    "mass below zero": changed("arm", mass=-1.0),
    "mass a word": changed("arm", mass="heavy"),
    "mass too large": HEAD + '[[parts]]\ntype = "Body"\nname = "arm"\nmass = 1e400\n',
    "inertia below zero": changed("arm", inertia=[-1.0, 1.0, 1.0]),
    "inertia of no body": changed("arm", inertia=[1.0, 1.0, 100.0]),
    "inertia nan": changed("arm", inertia=[float("nan"), 1.0, 1.0]),
    "axis zero": changed("pin", axis=[0.0, 0.0, 0.0]),
    "axis nan": changed("pin", axis=[float("nan"), 0.0, 1.0]),
    "axis of two numbers": changed("pin", axis=[1.0, 0.0]),
    "limits turned": changed("pin", limits=[1.0, -1.0]),
    "limits nan": changed("pin", limits=[float("nan"), 1.0]),
    "unknown joint": changed("pin", type="Hinge"),
    "parent missing": without("pin", "first"),
    "parent unknown": changed("pin", first="torso"),
    "joint to itself": changed("wrist", first="hand"),
    "two parts of one name": [*PARTS, dict(ARM)],
    "two joints of one name": [*PARTS, {**PIN, "second": "hand"}],
    "place nan": changed("wrist", at=[float("nan"), 0.0, 0.0]),
    "place too far": changed("wrist", at=[1e308, 1e308, 1e308]),
    "place of two numbers": changed("wrist", at=[1.0, 0.0]),
    "truncated": HEAD + '[[parts]]\ntype = "Bo',
    "empty": "",
    "another schema": 'schema = "robot/1"\nparts = []\n',
    "no parts": HEAD,
    "parts a table": HEAD + "[parts]\nx = 1\n",
    "radius below zero": changed("ball", radius=-1.0),
    "radius nan": changed("ball", radius=float("nan")),
    "shape on nothing": changed("ball", on="foot"),
    "mesh missing": [*PARTS, {**MESH, "source": "stone.stl"}],
    "mesh above": [*PARTS, {**MESH, "source": "../../../../etc/passwd"}],
    "mesh elsewhere": [*PARTS, {**MESH, "source": "/etc/passwd"}],
    "mesh by network": [*PARTS, {**MESH, "source": "http://127.0.0.1:9/stone.stl"}],
    "mesh of a device": [*PARTS, {**MESH, "source": "/dev/zero"}],
    "mesh of another machine": [*PARTS, {**MESH, "source": "\\\\host\\share\\stone.stl"}],
    "mesh by file url": [*PARTS, {**MESH, "source": "file:///etc/passwd"}],
    "bad utf-8": HEAD.encode() + b'name = "\xff\xfe"\n',
    "gear to nothing": [*PARTS, {"type": "Gear", "name": "g", "first": "pin", "second": "pan",
                                 "ratio": 2.0}],
    "gear with itself": [*PARTS, {"type": "Gear", "name": "g", "first": "pin", "second": "pin",
                                  "ratio": 2.0}],
    "nested deeply": HEAD + "parts = " + "[" * 200_000,
    "nul in a name": changed("arm", name="a\x00b"),
    "unknown key": changed("arm", colour="red"),
    "key twice": HEAD + '[[parts]]\ntype = "Body"\nname = "a"\nmass = 1.0\nmass = 2.0\n',
    "damping below zero": [*PARTS, {"type": "Spring", "name": "s", "first": "arm", "second": "hand",
                                    "stiffness": 1.0, "damping": -1.0}],
    "code as a value": changed("arm", mass={"type": "function", "name": "os:system",
                                            "source_sha256": "0" * 64}),
    "gravity of four numbers": {"gravity": [0.0, 0.0, 0.0, 1.0]},
}  # fmt: skip
# where the text itself is broken there is no part to name
TEXTS = {name for name, case in CASES.items() if isinstance(case, str | bytes)}


def write(case: Any, folder: Path) -> Path:
    """Write a case as a file, in TOML where its numbers are numbers of TOML."""
    import tomli_w

    path = folder / "model.toml"
    if isinstance(case, bytes):
        path.write_bytes(case)
    elif isinstance(case, str):
        path.write_text(case)
    else:
        more = case if isinstance(case, dict) else {"parts": case}
        document = {"schema": "cornerlaw-model/1", "parts": list(PARTS), **more}
        path.write_text(tomli_w.dumps(document))
    return path


# the part that a message must name, by how the name of the case begins
CULPRITS: dict[str, tuple[str, ...]] = {
    "arm": ("mass", "inertia", "unknown key", "code", "two parts"),
    "pin": ("axis", "limits", "parent", "unknown joint", "two joints"),
    "ball": ("radius", "shape"), "wrist": ("place", "joint to itself"), "stone": ("mesh",),
    "'g'": ("gear",), "'s'": ("damping",), "a\\x00b": ("nul",),
}  # fmt: skip


def culprit(name: str) -> str:
    """Return the part that a message must name."""
    return next((part for part, words in CULPRITS.items() if name.startswith(words)), "")


@pytest.mark.trust("TR-S-01", "TR-S-03")
@pytest.mark.parametrize("name", CASES)
def test_bad_models_are_refused(name: str, tmp_path: Path, record_property: Any) -> None:
    path = write(CASES[name], tmp_path)
    began = time.process_time()
    with pytest.raises(cl.CornerlawError) as caught:
        cl.Model.load(path)
    assert time.process_time() - began < 1.0
    text = str(caught.value)
    record_property("message", text.replace(str(tmp_path), "..."))
    assert isinstance(caught.value, FileError) and str(path) in text
    assert "\n" not in text and len(text) < 600
    if name not in TEXTS:
        assert culprit(name).strip("'") in text, text
    elif name in ("truncated", "key twice"):
        assert "line" in text or "end of document" in text  # where in the text


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40


SCRIPT = """
import sys
import cornerlaw as cl
cl.Model.load(sys.argv[1])  # the good one: imports and all
for path in sys.argv[2:]:
    try:
        cl.Model.load(path)
    except cl.CornerlawError:
        continue
    sys.exit(f"{path} was read")
# not getrusage, which begins with the memory of the process that started this one
with open("/proc/self/status") as file:
    print(next(line.split()[1] for line in file if line.startswith("VmHWM")))
"""


@pytest.mark.trust("TR-S-01")
@pytest.mark.skipif(sys.platform != "linux", reason="units of the memory in use")
def test_all_bad_models_need_little_memory(tmp_path: Path) -> None:
    places = []
    for k, case in enumerate([list(PARTS), *CASES.values()]):
        (tmp_path / str(k)).mkdir()
        places.append(str(write(case, tmp_path / str(k))))
    done = subprocess.run([sys.executable, "-c", SCRIPT, *places], capture_output=True, text=True,
                          timeout=300, env=dict(os.environ))  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) < 256 * 1024  # kilobytes, imports included


def good_models() -> list[Callable[[], cl.Model]]:
    """Return the models of the gallery that hold no functions, and small ones of every joint."""
    return [lambda system=system: system.build(system.parameters()) for system in gallery.systems()]


@pytest.mark.trust("TR-S-01")
def test_fifty_good_models_are_read(tmp_path: Path) -> None:
    read = 0
    for k, build in enumerate(good_models()):
        model = build()
        if not isinstance(model, cl.Model):
            continue
        for ending in ("toml", "json"):
            path = tmp_path / f"{k}.{ending}"
            try:
                model.save(path)
            except FileError:
                continue  # functions inside other functions cannot be stored
            assert cl.Model.load(path, trust=True) == model
            read += 1
    assert read >= 50, read


@pytest.mark.trust("TR-S-03")
def test_a_model_file_leads_to_no_other_file(tmp_path: Path) -> None:
    """Not even to one beside it, nor by a link: triangles are part of the file."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "stone.stl")
    (tmp_path / "link.stl").symlink_to("/etc/passwd")
    opened: list[str] = []

    def watch(event: str, arguments: Any) -> None:
        if event == "open" and watching:
            opened.append(str(arguments[0]))

    watching = False
    sys.addaudithook(watch)
    for source in ("stone.stl", "link.stl", str(tmp_path / "stone.stl"), "a\x00b"):
        path = tmp_path / "model.json"
        parts = [*PARTS, {**MESH, "source": source}]
        path.write_text(json.dumps({"schema": "cornerlaw-model/1", "parts": parts}))
        watching = True
        try:
            with pytest.raises(FileError, match="'stone': source is the path"):
                cl.Model.load(path)
        finally:
            watching = False
    assert set(opened) == {str(path)}
