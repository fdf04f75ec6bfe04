"""Heaps of an HDF5 file from a stranger, looked through before the library reads them.

HDF5 goes from object to object of a global heap by their sizes. Free space without a size keeps it
where it is for ever, in compiled code that no Ctrl-C reaches.
"""

from __future__ import annotations

import mmap
import os

from cornerlaw.errors import FileError

SIGNATURE = b"\x89HDF\r\n\x1a\n"
HEAP = b"GCOL\x01"
HEADER = 16  # bytes of the headers of heaps and of their objects, with their padding
MOST_BYTES = 64 * 2**20  # of all heaps; they hold names and references, not numbers


def refuse_endless_heaps(path: str | os.PathLike[str]) -> None:
    """Raise FileError if a heap has an object that ends before it begins, or behind its heap."""
    if not os.path.getsize(path):
        return
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        width = _size_of_lengths(data)
        place, left = data.find(HEAP), MOST_BYTES
        while place >= 0:
            end = place + int.from_bytes(data[place + 8 : place + 8 + width], "little")
            if place + HEADER < end <= len(data):  # others are no heaps, or refused by HDF5
                left -= end - place
                if left < 0 or _is_endless(data, place + HEADER, end, width):
                    raise FileError(f'"{os.fspath(path)}" is damaged: a heap in it has no end.')
            place = data.find(HEAP, place + 1)


def _size_of_lengths(data: mmap.mmap) -> int:
    """Return how many bytes the file gives to a length; HDF5 allows 2, 4 and 8."""
    start = 0
    while data[start : start + 8] != SIGNATURE:
        start = max(512, 2 * start)
        if start >= len(data):
            return 8  # no HDF5 at all
    at = start + (14 if data[start + 8 : start + 9] in (b"\x00", b"\x01") else 10)
    return data[at] if at < len(data) and data[at] in (2, 4) else 8


def _is_endless(data: mmap.mmap, place: int, end: int, width: int) -> bool:
    """Tell whether the way through the objects of a heap does not lead to its end."""
    while place + HEADER <= end:
        number = int.from_bytes(data[place : place + 2], "little")
        size = int.from_bytes(data[place + 8 : place + 8 + width], "little")
        # the size of free space, number zero, has its header in it
        size = size if number == 0 else HEADER + (size + 7) // 8 * 8
        if not 0 < size <= end - place:
            return True
        place += size
    return False
