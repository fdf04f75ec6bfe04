"""Arrays of an HDF5 file from a stranger: plain numbers in the file, no more than it has."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cornerlaw.errors import CornerlawError, FileError, ModelError
from cornerlaw.results.heaps import refuse_endless_heaps

MAX_NUMBERS = 10**8 + 1  # a dense matrix of 10,000 rows
EXPANSION = 1100  # deflate cannot do better


@contextlib.contextmanager
def open_plain(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a file for reading; whatever HDF5 says about its bytes becomes one sentence."""
    import h5py

    name = os.fspath(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise FileError(f'"{name}" is not a plain file.')
        refuse_endless_heaps(name)
        with h5py.File(name, "r", locking="best-effort") as file:
            yield file
    except ModelError as error:
        raise FileError(f'"{name}" holds no valid problem: {error}') from None
    except CornerlawError:
        raise
    except MemoryError:
        raise FileError(f'"{name}" does not fit into memory.') from None
    except (OSError, LookupError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        text = (str(error).splitlines() or [""])[0][:200].rstrip(".")
        raise FileError(f'"{name}" cannot be read as a contact problem: {text}.') from None


def plain_array(group: Any, key: str, name: str) -> NDArray[Any]:
    """Read an array after checking that it is one, that it lies in the file, and its size."""
    import h5py

    item = group
    for word in key.split("/"):
        link = item.get(word, getlink=True) if isinstance(item, h5py.Group) else None
        if not isinstance(link, h5py.HardLink):
            raise FileError(f'"{name}" has no array of numbers "{key}".')
        item = item[word]
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiu" or item.shape is None:
        raise FileError(f'"{name}" has no array of numbers "{key}".')
    if item.is_virtual or item.external:
        raise FileError(f'"{name}" keeps the array "{key}" outside the file.')
    stored = item.id.get_storage_size()
    if item.size > MAX_NUMBERS or item.nbytes > EXPANSION * stored:
        raise FileError(f'"{name}" claims {item.size} numbers for "{key}", more than it has.')
    values: NDArray[Any] = np.asarray(item[()])
    return values


def plain_int(group: Any, key: str, name: str) -> int:
    """Read one whole number."""
    values = plain_array(group, key, name)
    if values.size < 1:
        raise FileError(f'"{name}" has no number "{key}".')
    return int(np.ravel(values)[0])
