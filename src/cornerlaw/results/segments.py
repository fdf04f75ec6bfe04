"""One segment of a checkpoint: plain arrays and a JSON head under one checksum.

    magic (8 bytes) | SHA-256 of the rest (32) | length of the head (8) | head (JSON) | arrays

The head lists name, type and shape of every array, in the order of their bytes. Nothing is packed,
so a file cannot claim more data than it has, and nothing in it is ever run.
"""

import hashlib
import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"CLSEG\r\n\x01"
PREFIX = len(MAGIC) + 32 + 8
MAX_BYTES = 4 * 2**30  # of one segment
MAX_HEAD = 256 * 2**20
TYPES = ("<f8", "<i8", "|i1")


class DamagedSegment(Exception):
    """The bytes are not those that were written."""


@dataclass(frozen=True)
class Segment:
    """What a segment holds, and its checksum."""

    data: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    checksum: str


def pack(data: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> tuple[bytes, str]:
    """Return the bytes of a segment and its checksum."""
    listed, parts = [], []
    for name, values in arrays.items():
        kind = "<f8" if values.dtype.kind == "f" else "|i1" if values.dtype.itemsize == 1 else "<i8"
        plain = np.ascontiguousarray(values, dtype=kind)
        listed.append([name, kind, list(values.shape)])
        parts.append(plain.tobytes())
    head = json.dumps({"data": data, "arrays": listed}, sort_keys=True).encode()
    body = b"".join([len(head).to_bytes(8, "little"), head, *parts])
    digest = hashlib.sha256(body)
    return MAGIC + digest.digest() + body, digest.hexdigest()


def unpack(content: bytes) -> Segment:
    """Return what `pack` was given; raise DamagedSegment for anything else."""
    if len(content) < PREFIX or content[: len(MAGIC)] != MAGIC:
        raise DamagedSegment("it does not begin like one")
    checksum, body = content[len(MAGIC) : len(MAGIC) + 32], memoryview(content)[len(MAGIC) + 32 :]
    digest = hashlib.sha256(body)
    if digest.digest() != checksum:
        raise DamagedSegment("its checksum is wrong")
    length = int.from_bytes(body[:8], "little")
    if length > min(len(body) - 8, MAX_HEAD):
        raise DamagedSegment("its head is longer than the file")
    try:
        head = json.loads(bytes(body[8 : 8 + length]))
        data, listed = head["data"], head["arrays"]
        if not isinstance(data, dict):
            raise DamagedSegment("its head is not a table")
        arrays = _arrays(listed, body[8 + length :])
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise DamagedSegment(f"its head makes no sense ({type(error).__name__})") from None
    return Segment(data, arrays, digest.hexdigest())


def _arrays(listed: Any, content: memoryview) -> dict[str, NDArray[Any]]:
    """Cut the bytes into the arrays listed; they must use them up."""
    found: dict[str, NDArray[Any]] = {}
    start = 0
    for name, kind, shape in listed:
        sizes = [int(n) for n in shape]
        if kind not in TYPES or len(sizes) > 2 or min(sizes, default=0) < 0 or name in found:
            raise DamagedSegment("it lists an array that it cannot have")
        size = math.prod(sizes) * np.dtype(kind).itemsize
        if size > len(content) - start:
            raise DamagedSegment("it claims more numbers than it has")
        flat = np.frombuffer(content[start : start + size], dtype=kind)
        found[str(name)] = flat.reshape(sizes)
        start += size
    if start != len(content):
        raise DamagedSegment("it has more bytes than numbers")
    return found


def read_plain(path: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file; links, pipes and devices are refused."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise DamagedSegment("it is not a plain file")
        if about.st_size > most:
            raise DamagedSegment(f"it is larger than {most} bytes")
        return file.read(about.st_size)
