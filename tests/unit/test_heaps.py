"""Heaps of HDF5 files: good ones pass, those that HDF5 would go round for ever are refused."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import cornerlaw as cl
from cornerlaw.results.heaps import HEADER, HEAP, refuse_endless_heaps


def write(path: Path, lengths: int = 8, block: int = 0) -> Path:
    """Write a file with texts of any length, which stand in heaps."""
    plan = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    plan.set_sizes(8, lengths)
    plan.set_userblock(block)
    name = str(path).encode()
    with h5py.File(h5py.h5f.create(name, h5py.h5f.ACC_TRUNC, fcpl=plan)) as file:
        file.attrs["format"] = "text"
        file["texts"] = ["word " * (k % 40) for k in range(500)]
    return path


@pytest.mark.parametrize("block", [0, 512, 2048])
@pytest.mark.parametrize("lengths", [4, 8])
def test_good_heaps_pass(tmp_path: Path, lengths: int, block: int) -> None:
    path = write(tmp_path / "good.h5", lengths, block)
    assert path.read_bytes().count(HEAP) >= 1
    refuse_endless_heaps(path)


@pytest.mark.parametrize("lengths", [4, 8])
@pytest.mark.parametrize(("number", "size"), [(0, "zero"), (0, "large"), (3, "large")])
def test_heaps_without_end_are_refused(
    tmp_path: Path, number: int, size: str, lengths: int
) -> None:
    path = write(tmp_path / "bad.h5", lengths)
    data = bytearray(path.read_bytes())
    place = data.find(HEAP) + HEADER
    data[place : place + 2] = number.to_bytes(2, "little")
    data[place + 8 : place + 8 + lengths] = bytes([0 if size == "zero" else 255] * lengths)
    path.write_bytes(data)
    with pytest.raises(cl.CornerlawError, match="a heap in it has no end"):
        refuse_endless_heaps(path)


def test_other_files_are_left_to_their_readers(tmp_path: Path) -> None:
    for content in (b"", b"text", HEAP, HEAP + bytes(3) + b"\xff" * 8 + bytes(64)):
        path = tmp_path / "other"
        path.write_bytes(content)
        refuse_endless_heaps(path)


def test_results_with_such_a_heap_are_refused(tmp_path: Path) -> None:
    body = cl.PointMass("mass", mass=1.0)
    path = tmp_path / "run.nc"
    cl.simulate(cl.Model(body), 0.1, progress=False).save(path)
    data = bytearray(path.read_bytes())
    heap = HEAP + bytes(3) + np.uint64(64).tobytes() + bytes(48)
    path.write_bytes(data + heap)
    with pytest.raises(cl.CornerlawError, match="a heap in it has no end"):
        cl.load(path)
