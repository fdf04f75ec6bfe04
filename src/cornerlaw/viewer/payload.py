"""Everything a page shows of a run, packed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cornerlaw._version import __version__
from cornerlaw.errors import UsageError
from cornerlaw.results import Solution
from cornerlaw.viewer.packing import Container
from cornerlaw.viewer.plans import add_plan
from cornerlaw.viewer.poses import HOME, WIDTH, ball_tracks, fetch_poses, pose_track
from cornerlaw.viewer.sampling import MOST, Floats, Frames
from cornerlaw.viewer.scenes import checked_scene
from cornerlaw.viewer.signals import choose_signals
from cornerlaw.viewer.touching import Contacts, describe_events, track_contacts

EXACT = 1_000_000  # numbers of poses or contacts up to which they stay as they are
ROTATION_BITS = 13  # a sixtieth of a degree
EVENTS = 20_000
LENGTHS = {"size", "r", "length", "at"}  # of a shape
SAMPLES = 1_500_000  # points of contacts beyond which only every second, third, ... frame has them


def build_payload(sol: Solution, *, frames: int = MOST, title: str = "") -> bytes:
    """Return the packed data of a page."""
    grid = Frames(sol, frames)
    scene = _sized(sol, grid, checked_scene(sol))
    dim = scene["dim"]
    box = Container()
    box.add("t", grid.t, "f8")
    bodies, poses = _bodies(sol, grid, scene, box)
    contacts = track_contacts(sol, grid)
    stride = _add_contacts(box, contacts)
    listed, values = choose_signals(sol, grid)
    box.add("signals", values)
    names = {body["name"] for body in bodies}
    head: dict[str, Any] = {
        "version": 1,
        "made": f"cornerlaw {__version__}",
        "title": title or scene["name"],
        "dim": dim,
        "size": scene["size"],
        "gravity": scene["gravity"],
        "status": sol.status,
        "method": sol.info.method,
        "wall": sol.info.wall_time,
        "poses": poses,
        "bodies": bodies,
        "lines": scene["lines"],
        "joints": scene["joints"],
        "frames": scene["frames"],
        "contacts": _contact_heads(contacts, scene),
        "stride": stride,
        "events": describe_events(sol, EVENTS),
        "events_left_out": max(0, len(sol.events) - EVENTS),
        "signals": listed,
        "loads": _vectors(sol, grid, box, "loads", [x for x in scene["loads"]]),
        "joint_forces": _vectors(sol, grid, box, "joint_forces", scene["joints"]),
        "settings": _settings(sol),
        "empty": not names and scene["plan"] is None,
        "plan": add_plan(sol, grid, scene["plan"], box),
        "follow": str(scene["follow"]),
    }
    return box.to_bytes(head)


def _bodies(
    sol: Solution, grid: Frames, scene: dict[str, Any], box: Container
) -> tuple[list[dict[str, Any]], list[str]]:
    """Add the poses of all bodies that have one; return bodies and names of poses."""
    dim = scene["dim"]
    fetch_poses(sol, [b["pose"] for b in scene["bodies"] if isinstance(b["pose"], str)])
    tracks: list[Floats] = [np.tile(HOME[dim], (len(grid), 1))]
    poses, shown = ["world"], []
    for body, track in _with_tracks(sol, grid, scene):
        if track is None:
            shown.append({**body, "pose": 0})
            continue
        shown.append({**body, "pose": len(poses)})
        poses.append(body["name"])
        tracks.append(np.where(np.isfinite(track), track, 0.0))
    if not scene["bodies"]:
        return shown, poses
    stacked = np.array(tracks).transpose(0, 2, 1)  # time last
    if stacked.size <= EXACT or (dim == 2 and stacked.size <= 2 * EXACT):
        box.add("poses", stacked)
    elif dim == 2:
        box.add_coarse("poses", stacked)
    else:
        box.add_coarse("poses", stacked[:, :3])
        box.add_coarse("turns", stacked[:, 3:], ROTATION_BITS)
    assert stacked.shape[1] == WIDTH[dim]
    return shown, poses


def _sized(sol: Solution, grid: Frames, scene: dict[str, Any]) -> dict[str, Any]:
    """Return a scene without lengths of its own in a size that lets its motion be seen."""
    if not scene.get("unsized"):
        return scene
    tracks = [track for _, track in _with_tracks(sol, grid, scene) if track is not None]
    way = max((float(np.nanmax(np.ptp(track[:, :2], axis=0))) for track in tracks), default=0.0)
    if not 0.0 < way < np.inf:
        return scene
    size = 2.5 * way
    factor = size / scene["size"]
    bodies = []
    for body in scene["bodies"]:
        shapes = [_resized(shape, factor) for shape in body["shapes"]]
        pose = body["pose"]
        if isinstance(pose, Mapping) and "y" in pose:
            pose = {**pose, "y": [factor * pose["y"][0], pose["y"][1]]}
        bodies.append({**body, "pose": pose, "shapes": shapes})
    lines = [
        {**line, "points": [[name, _times(factor, at)] for name, at in line["points"]]}
        for line in scene["lines"]
    ]
    return {**scene, "size": size, "bodies": bodies, "lines": lines}


def _resized(shape: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return a shape with other lengths; what its origin says is a place of the model and stays."""
    found = {**shape, **{key: _times(factor, shape[key]) for key in LENGTHS & shape.keys()}}
    if "origin" in shape:
        pairs = zip(shape["at"], shape["origin"], strict=True)
        found["at"] = [fixed + factor * (x - fixed) for x, fixed in pairs]
    return found


def _times(factor: float, lengths: Any) -> Any:
    return [factor * x for x in lengths] if isinstance(lengths, list) else factor * lengths


def _with_tracks(
    sol: Solution, grid: Frames, scene: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], Floats | None]]:
    """Yield bodies with their poses, None for those at rest; leave out what has no results."""
    for body in scene["bodies"]:
        if body["pose"] == "world":
            yield body, None
        elif "radii" in body:
            tracks = ball_tracks(sol, grid, str(body["pose"]))
            if tracks is None or len(tracks) != len(body["radii"]):
                continue
            for k, (r, track) in enumerate(zip(body["radii"], tracks, strict=True)):
                ball = {"type": "sphere", "r": float(r), "at": [0.0, 0.0, 0.0]}
                yield {"name": f"{body['name']} {k}", "role": "body", "shapes": [ball]}, track
        elif (found := pose_track(sol, grid, body["pose"], scene["dim"])) is not None:
            yield body, found


def _add_contacts(box: Container, contacts: Contacts) -> int:
    """Add states at every frame, points and forces at every frame or at some of them."""
    box.add("contact_state", contacts.state, "u1")
    present, point, force = contacts.present, contacts.point, contacts.force
    stride = 1 + len(point) // SAMPLES
    if stride > 1:
        # a contact keeps the first sample of every stretch of frames in which it has one
        kept = np.zeros_like(present)
        for start in range(0, present.shape[1], stride):
            part = present[:, start : start + stride]
            first = part.argmax(axis=1)
            rows = np.flatnonzero(part.any(axis=1))
            kept[rows, start + first[rows]] = True
        keep = kept[present]
        present, point, force = kept, point[keep], force[keep]
    box.add("contact_here", np.packbits(present.astype(np.uint8)), "u1")
    if point.size <= EXACT:
        box.add("contact_point", point.T)
        box.add("contact_force", force.T)
    else:
        box.add_coarse("contact_point", point.T)
        box.add_coarse("contact_force", force.T, 12)
    return stride


def _contact_heads(contacts: Contacts, scene: dict[str, Any]) -> list[dict[str, Any]]:
    """Return names of contacts, and the place on a body of those without a point of their own."""
    spots = {entry["name"]: entry for entry in scene["contacts"] if "body" in entry}
    heads = []
    for name, placed in zip(contacts.names, contacts.placed, strict=True):
        spot = spots.get(name)
        if placed or spot is None:
            heads.append({"name": name})
        else:
            heads.append({"name": name, "body": spot["body"], "at": spot["at"]})
    return heads


def _vectors(
    sol: Solution, grid: Frames, box: Container, name: str, entries: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Add the forces of loads or joints that have results; return which and where."""
    limit = EXACT // (3 * len(grid))
    chosen = [e for e in entries if f"{e['name']}.force" in sol.channels][:limit]
    columns = []
    kept = []
    for entry in chosen:
        force = grid.values(sol.array(f"{entry['name']}.force"))
        if force.ndim != 2 or force.shape[1] not in (2, 3):
            continue
        full = np.zeros((3, len(grid)))
        full[: force.shape[1]] = np.where(np.isfinite(force), force, 0.0).T
        body, at = entry["second"] if "second" in entry else (entry["body"], entry["at"])
        columns.append(full)
        kept.append({"name": entry["name"], "body": body, "at": at})
    box.add(name, np.array(columns).reshape(len(columns), 3, len(grid)))
    return kept


def _settings(sol: Solution) -> list[dict[str, Any]]:
    """Return the parameters of the run that a person can change: numbers and switches."""
    if sol.origin is None:
        return []
    shown = []
    for item in sol.origin.settings:
        value = item.value
        if isinstance(value, bool | int | float) and np.isfinite(value):
            shown.append({"name": item.name, "value": value, "unit": item.unit, "text": item.text})
    return shown


def check_frames(frames: Any) -> int:
    """Return the number of frames of a page, or say what is wrong with it."""
    if isinstance(frames, bool) or not isinstance(frames, int) or not 2 <= frames <= 100_000:
        raise UsageError(f"frames must be a whole number from 2 to 100000, got {frames!r}.")
    return frames
