"""NetCDF-4 files, written and read with h5py alone.

A NetCDF-4 file is an HDF5 file whose dimensions are HDF5 dimension scales. Written here: fixed
text attributes, numbers, and texts as arrays of characters, which every NetCDF reader knows.
"""

import io
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

# a format every HDF5 since 1.8 reads, with checksums on all metadata and attributes of any size
FORMAT = ("v108", "v108")
NOT_A_VARIABLE = "This is a netCDF dimension but not a netCDF variable."
CHUNK_BYTES = 1 << 18
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}
CHECKSUM = "cornerlaw_checksum"
EXPANSION = 1100  # deflate cannot do better, so a file cannot claim more data than this allows


class RefusedFile(Exception):
    """The file holds something that plain data does not need."""


class Writer:
    """Build a NetCDF-4 file in memory, so that nothing on the disk is ever half written."""

    def __init__(self, compression: int = 1):
        self._buffer = io.BytesIO()
        self._file = h5py.File(self._buffer, "w", libver=FORMAT, track_order=True)
        self._compression = compression
        self._scales: dict[str, Any] = {}
        self._uses: dict[str, list[tuple[Any, int]]] = {}
        self._unlimited: set[str] = set()

    def attributes(self, values: Mapping[str, str | int]) -> None:
        """Set attributes of the whole file."""
        _set_attributes(self._file, values)

    def dimension(self, name: str, size: int) -> None:
        """Declare a dimension that has no variable of its own."""
        if name in self._scales:
            return
        # NetCDF knows a length of zero only as an unlimited dimension nobody has filled yet
        options = {} if size else {"maxshape": (None,), "chunks": (1,)}
        if not size:
            self._unlimited.add(name)
        scale = self._file.create_dataset(
            name, shape=(size,), dtype=">f4", track_order=True, **options
        )
        self._declare(name, scale, f"{NOT_A_VARIABLE}{size:10d}")

    def coordinate(
        self,
        name: str,
        values: NDArray[Any],
        attributes: Mapping[str, str],
        *,
        unlimited: bool = False,
    ) -> None:
        """Declare a dimension together with the variable of the same name that labels it."""
        if unlimited:
            self._unlimited.add(name)
        self._declare(name, self._dataset(name, values, (name,), attributes), name)

    def labels(self, name: str, texts: Sequence[str]) -> None:
        """Declare a dimension labelled by texts."""
        values = as_characters(texts)
        letters = self._letters(values)
        scale = self._dataset(name, values, (name, letters), {"_Encoding": "utf-8"})
        self._declare(name, scale, name)
        # a label variable has a second dimension (its letters) that the file must tell readers
        scale.attrs["_Netcdf4Coordinates"] = np.array(
            [list(self._scales).index(name), list(self._scales).index(letters)], np.int32
        )

    def variable(
        self, name: str, values: NDArray[Any], dims: Sequence[str], attributes: Mapping[str, str]
    ) -> None:
        """Write a variable over declared dimensions."""
        dataset = self._dataset(name, values, dims, attributes)
        self._attach(dataset, dims)

    def texts(
        self, name: str, texts: Sequence[str], dim: str, attributes: Mapping[str, str]
    ) -> None:
        """Write a variable of texts along one declared dimension."""
        values = as_characters(texts)
        dims = (dim, self._letters(values))
        self.variable(name, values, dims, {**attributes, "_Encoding": "utf-8"})

    def finish(self) -> memoryview:
        """Close the file and return its bytes."""
        for name, uses in self._uses.items():
            if not uses:
                continue
            # written in one go: the library's attach_scale rewrites this list for every variable
            kind = np.dtype([("dataset", h5py.ref_dtype), ("dimension", np.int32)])
            back = np.empty(len(uses), dtype=kind)
            for k, (dataset, axis) in enumerate(uses):
                back[k] = (dataset.ref, axis)
            self._scales[name].attrs.create("REFERENCE_LIST", back, dtype=kind)
        self._file.close()
        return self._buffer.getbuffer()

    def _letters(self, values: NDArray[Any]) -> str:
        name = f"letters_{values.shape[1]}"
        self.dimension(name, values.shape[1])
        return name

    def _declare(self, name: str, scale: Any, title: str) -> None:
        h5py.h5ds.set_scale(scale.id, title.encode())
        scale.attrs["_Netcdf4Dimid"] = np.int32(len(self._scales))
        self._scales[name] = scale
        self._uses[name] = []

    def _dataset(
        self, name: str, values: NDArray[Any], dims: Sequence[str], attributes: Mapping[str, str]
    ) -> Any:
        options: dict[str, Any] = {}
        if values.ndim:
            # chunks along the first axis, of bounded size whatever the width of a row
            row = max(1, values.itemsize * int(np.prod(values.shape[1:])))
            rows = min(max(1, len(values)), max(1, CHUNK_BYTES // row))
            options["chunks"] = (rows, *(max(1, n) for n in values.shape[1:]))
            options["maxshape"] = tuple(
                None if dim in self._unlimited else n
                for dim, n in zip(dims, values.shape, strict=True)
            )
            options["fletcher32"] = True  # a flipped bit is found by every reader
            if self._compression:
                options.update(compression="gzip", compression_opts=self._compression, shuffle=True)
        dataset = self._file.create_dataset(name, data=values, track_order=True, **options)
        _set_attributes(dataset, {**attributes, CHECKSUM: _checksum(values)})
        return dataset

    def _attach(self, dataset: Any, dims: Sequence[str]) -> None:
        if not dims:
            return
        references = np.empty(len(dims), dtype=object)
        for axis, dim in enumerate(dims):
            references[axis] = np.array([self._scales[dim].ref], dtype=h5py.ref_dtype)
            self._uses[dim].append((dataset, axis))
        kind = h5py.vlen_dtype(h5py.ref_dtype)
        dataset.attrs.create("DIMENSION_LIST", references, dtype=kind)


def _set_attributes(target: Any, values: Mapping[str, str | int]) -> None:
    """Write texts with a fixed length, as the NetCDF library does; empty ones are left out."""
    for name, value in values.items():
        if isinstance(value, int):
            target.attrs[name] = np.int32(value)
        elif value:
            data = value.encode()
            target.attrs.create(name, data, dtype=h5py.string_dtype("utf-8", len(data)))


def _checksum(values: NDArray[Any]) -> str:
    """Return eight hex digits that change with the values of a variable.

    The library's own checksums do not cover the index that says where the parts of a variable lie;
    a damaged index makes zeros of them, without a word.
    """
    return f"{zlib.crc32(np.ascontiguousarray(values).data):08x}"


def as_characters(texts: Sequence[str]) -> NDArray[Any]:
    """Turn texts into one row of UTF-8 bytes each, padded with zeros."""
    encoded = np.array([text.encode() for text in texts], dtype=np.bytes_)
    width = max(1, encoded.itemsize)
    return encoded.astype(f"S{width}").reshape(-1, 1).view("S1")


def from_characters(rows: NDArray[Any]) -> list[str]:
    """Undo `as_characters`."""
    joined = np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").reshape(len(rows))
    return [text.decode() for text in joined.tolist()]


class Reader:
    """Read the variables of a file from a stranger: plain numbers and texts, nothing else."""

    def __init__(self, file: Any, file_size: int, max_bytes: int):
        self._file = file
        self._budget = min(max_bytes, EXPANSION * file_size)
        self.names: tuple[str, ...] = tuple(self._check(name) for name in file)

    def _check(self, name: str) -> str:
        """Refuse what could reach outside this file or run code."""
        if not isinstance(self._file.get(name, getlink=True), h5py.HardLink):
            raise RefusedFile(f'"{name}" is a link to somewhere else')
        item = self._file[name]
        if not isinstance(item, h5py.Dataset):
            raise RefusedFile(f'"{name}" is not a variable')
        if item.is_virtual or item.external:
            raise RefusedFile(f'"{name}" keeps its data outside the file')
        if item.dtype.kind not in "fiS" or item.dtype.itemsize > 8:
            raise RefusedFile(f'"{name}" holds something other than numbers and texts')
        settings = item.id.get_create_plist()
        for k in range(settings.get_nfilters()):
            if settings.get_filter(k)[0] not in FILTERS:
                raise RefusedFile(f'"{name}" is packed with an unknown filter')
        return name

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def attributes(self, name: str | None = None) -> dict[str, str]:
        """Return the text attributes of the file or of a variable."""
        source = self._file.attrs if name is None else self._file[name].attrs
        found: dict[str, str] = {}
        for key in source:
            if key in ("DIMENSION_LIST", "REFERENCE_LIST"):
                continue
            value = source[key]
            if isinstance(value, bytes | str):
                found[key] = value.decode() if isinstance(value, bytes) else value
        return found

    def read(self, name: str) -> NDArray[Any]:
        """Read a variable after checking that its declared size is possible."""
        item = self._file[name]
        stored = item.id.get_storage_size()
        if item.nbytes > self._budget or item.nbytes > EXPANSION * stored:
            raise RefusedFile(
                f'"{name}" claims {item.nbytes} bytes, and {stored} are stored for it'
            )
        self._budget -= item.nbytes
        values: NDArray[Any] = np.asarray(item[()])
        # files of older versions have no checksums
        if self.attributes(name).get(CHECKSUM) not in (None, _checksum(values)):
            raise RefusedFile(
                f'"{name}" is damaged or changed by another program: it does not have its checksum'
            )
        return values
