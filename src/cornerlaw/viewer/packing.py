"""The container of a page: a JSON head and arrays, made small by differences and deflate.

    "CLV1" | length of the head | head (JSON) | arrays

All of it is packed with zlib. Arrays lie with time as the last axis. Numbers of 16 bits are
differences along time (modulo 65536) with low and high bytes apart, which deflate packs well.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.viewer.sampling import Floats

MAGIC = b"CLV1"
WORDS = {"f8": "<f8", "f4": "<f4", "u4": "<u4", "u1": "|u1"}


class Container:
    """Collects arrays by name and writes them with a head."""

    def __init__(self) -> None:
        self._blocks: dict[str, dict[str, Any]] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, array: NDArray[Any], word: str = "f4") -> None:
        """Add an array as it is; what is not finite becomes nan."""
        data = np.ascontiguousarray(array, dtype=WORDS[word])
        self._put(name, data.tobytes(), {"word": word, "shape": list(array.shape)})

    def add_coarse(self, name: str, array: Floats, bits: int = 16) -> None:
        """Add an array as whole numbers between the least and greatest value of every row."""
        flat = np.ascontiguousarray(array, dtype=float).reshape(-1, array.shape[-1])
        low = flat.min(axis=1, initial=np.inf)
        low = np.where(np.isfinite(low), low, 0.0)
        high = flat.max(axis=1, initial=-np.inf)
        span = np.where(np.isfinite(high), high, 0.0) - low
        top = 2**bits - 1
        step = np.where(span > 0.0, span / top, 1.0)
        whole = np.clip(np.rint((flat - low[:, None]) / step[:, None]), 0, top).astype(np.uint16)
        change = whole.copy()
        change[:, 1:] = whole[:, 1:] - whole[:, :-1]  # wraps around, and back when read
        planes = change.astype("<u2").view(np.uint8).reshape(-1, 2).T
        shape = list(array.shape)
        self._put(name, planes.tobytes(), {"word": "d2", "shape": shape})
        self.add(f"{name}.low", low, "f8")
        self.add(f"{name}.step", step, "f8")

    def _put(self, name: str, data: bytes, entry: dict[str, Any]) -> None:
        padded = data + bytes(-len(data) % 8)
        self._blocks[name] = {**entry, "at": self._size, "bytes": len(data)}
        self._parts.append(padded)
        self._size += len(padded)

    def to_bytes(self, head: dict[str, Any], level: int = 6) -> bytes:
        """Return everything, packed."""
        text = json.dumps({**head, "blocks": self._blocks}, separators=(",", ":"), allow_nan=False)
        data = text.encode()
        data += b" " * (-(len(MAGIC) + 4 + len(data)) % 8)
        return zlib.compress(
            b"".join([MAGIC, struct.pack("<I", len(data)), data, *self._parts]), level
        )


def unpack(packed: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a container back: the head and its arrays, as a page does."""
    data = zlib.decompress(packed)
    (length,) = struct.unpack_from("<I", data, 4)
    head = json.loads(data[8 : 8 + length])
    start = 8 + length
    arrays: dict[str, NDArray[Any]] = {}
    for name, block in head["blocks"].items():
        raw = data[start + block["at"] : start + block["at"] + block["bytes"]]
        if block["word"] == "d2":
            planes = np.frombuffer(raw, np.uint8).reshape(2, -1).T
            change = np.ascontiguousarray(planes).view("<u2").reshape(block["shape"])
            arrays[name] = np.cumsum(change, axis=-1, dtype=np.uint16)
        else:
            arrays[name] = np.frombuffer(raw, WORDS[block["word"]]).reshape(block["shape"])
    for name, block in head["blocks"].items():
        if block["word"] == "d2":
            shape = (*block["shape"][:-1], 1)
            low, step = (arrays[f"{name}.{key}"].reshape(shape) for key in ("low", "step"))
            arrays[name] = low + step * arrays[name]
    return head, arrays
