"""Where bodies are at every frame: x, y, angle in the plane, position and quaternion in space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cornerlaw.results import Solution
from cornerlaw.viewer.sampling import Floats, Frames

WIDTH = {2: 3, 3: 7}  # numbers of a pose
HOME = {2: (0.0, 0.0, 0.0), 3: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}


def fetch_poses(sol: Solution, parts: list[str]) -> None:
    """Evaluate all channels of poses together, which is quicker than one by one."""
    names = ("position", "velocity", "angle", "angular_velocity", "quaternion")
    wanted = [f"{part}.{name}" for part in parts for name in names]
    sol.fetch([name for name in wanted if name in sol.channels])


def pose_track(sol: Solution, frames: Frames, pose: Any, dim: int) -> Floats | None:
    """Return one row of numbers per frame, or None where the results do not tell."""
    if isinstance(pose, Mapping):
        columns = [total_of(sol, frames, pose.get(key)) for key in ("x", "y", "angle")]
        if any(column is None for column in columns):
            return None
        flat = np.column_stack([c for c in columns if c is not None])
        return flat if dim == 2 else _in_space(flat)
    if f"{pose}.position" not in sol.channels:
        return None
    position = _curve(sol, frames, f"{pose}.position", f"{pose}.velocity")
    if dim == 2:
        angle = np.zeros(len(frames))
        if f"{pose}.angle" in sol.channels:
            angle = _curve(sol, frames, f"{pose}.angle", f"{pose}.angular_velocity")
        return np.column_stack([position[:, :2], angle])
    return np.column_stack([position, _quaternions(sol, frames, str(pose))])


def ball_tracks(sol: Solution, frames: Frames, part: str) -> Floats | None:
    """Return poses (balls, frames, 7) of a part with a row of results for every ball.

    Such results have no orientation, since nothing depends on it; what is drawn on a ball turns
    from row to row with the mean of its angular velocities.
    """
    name = f"{part}.position"
    if name not in sol.channels or sol.channels[name].shape[1:] != (3,):
        return None
    place = _curve(sol, frames, name, f"{part}.velocity")
    e = np.zeros((len(sol.t), place.shape[1], 4))
    e[:, :, 0] = 1.0
    if f"{part}.angular_velocity" in sol.channels:
        omega = sol.array(f"{part}.angular_velocity")
        for k, dt in enumerate(np.diff(sol.t)):
            e[k + 1] = _turned(e[k], 0.5 * dt * (omega[k] + omega[k + 1]))
    turn = frames.values(e)
    turn /= np.linalg.norm(turn, axis=2, keepdims=True)
    return np.asarray(np.concatenate([place, turn], axis=2).transpose(1, 0, 2))


def _turned(e: Floats, angle: Floats) -> Floats:
    """Return quaternions after rotation vectors in world axes."""
    size = np.linalg.norm(angle, axis=1, keepdims=True)
    c, s = np.cos(0.5 * size), 0.5 * np.sinc(0.5 * size / np.pi) * angle
    scalar = c * e[:, :1] - (s * e[:, 1:]).sum(axis=1, keepdims=True)
    return np.column_stack([scalar, c * e[:, 1:] + e[:, :1] * s + np.cross(s, e[:, 1:])])


def _curve(sol: Solution, frames: Frames, name: str, rate: str) -> Floats:
    if rate in sol.channels and sol.channels[rate].shape == sol.channels[name].shape:
        return frames.curved(sol.array(name), sol.array(rate))
    return frames.values(sol.array(name))


def _quaternions(sol: Solution, frames: Frames, part: str) -> Floats:
    if f"{part}.quaternion" not in sol.channels:
        return np.tile([1.0, 0.0, 0.0, 0.0], (len(frames), 1))
    e = np.array(sol.array(f"{part}.quaternion"))
    for k in np.flatnonzero((e[1:] * e[:-1]).sum(axis=1) < 0.0) + 1:
        e[k:] = -e[k:]  # the same rotation, without a jump
    rate = f"{part}.angular_velocity"
    if rate in sol.channels:
        found = frames.curved(e, _quaternion_rates(e, sol.array(rate)))
    else:
        found = frames.values(e)
    size = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.where(size > 0.0, size, 1.0))


def _quaternion_rates(e: Floats, omega: Floats) -> Floats:
    """Return e_dot = (0, Omega) e / 2, Omega in world axes."""
    scalar = -(omega * e[:, 1:]).sum(axis=1, keepdims=True)
    vector = e[:, :1] * omega + np.cross(omega, e[:, 1:])
    return 0.5 * np.column_stack([scalar, vector])


def total_of(sol: Solution, frames: Frames, rule: Any) -> Floats | None:
    """Return constant + sum of factor times result."""
    if rule is None:
        return np.zeros(len(frames))
    constant, terms = rule
    total = np.full(len(frames), float(constant))
    for name, factor in terms:
        if name not in sol:
            return None
        total = total + float(factor) * frames.values(sol.array(name))
    return total


def _in_space(flat: Floats) -> Floats:
    half = 0.5 * flat[:, 2]
    zero = np.zeros(len(flat))
    return np.column_stack([flat[:, 0], flat[:, 1], zero, np.cos(half), zero, zero, np.sin(half)])
