"""Write files whole or not at all."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from typing import Any, BinaryIO

from cornerlaw.errors import OutputError, UsageError


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open `path` for writing such that it appears complete or stays as it was.

    The bytes go to a temporary file in the same folder, reach the disk, and then take the name.
    """
    # through a link the file it points to is replaced, not the link
    target = os.path.realpath(path_of(path))
    temporary = f"{target}.{secrets.token_hex(4)}.part"
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # not tempfile: its files are private (0600), results follow the user's umask
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise write_error(path, error) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        _remove(temporary)
        raise write_error(path, error) from error
    except BaseException:
        _remove(temporary)
        raise


def path_of(path: Any) -> str:
    """Return a path as a text; refuse what is none."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise UsageError(f"A path must be a text, not a {type(path).__name__}.") from None


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def write_error(path: str | os.PathLike[str], error: OSError) -> OutputError:
    """Say in one sentence why a file could not be written."""
    shown = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(shown))
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        reason = "the disk is full; free some space or choose another folder"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        reason = f'the folder "{folder}" is not writable; choose another one'
    elif error.errno == errno.EISDIR:
        reason = "this is a folder; give the name of a file"
    elif error.errno in (errno.ENOENT, errno.ENOTDIR):
        reason = f'there is no folder "{folder}"; create it first'
    elif error.errno == errno.ENAMETOOLONG:
        reason = "the name is too long; choose a shorter one"
    else:
        reason = (error.strerror or str(error)).strip().rstrip(".")
    return OutputError(f'Cannot write "{shown}": {reason} (nothing was changed).')
