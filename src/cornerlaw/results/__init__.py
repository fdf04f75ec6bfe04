"""Results of a run: by name, with left and right limits, an event log, saved and loaded as data.

Nothing in this package imports Numba, so a result file opens on a machine without it.
"""

import os
from collections.abc import Iterable

from cornerlaw.results.channels import Channel, ChannelTable
from cornerlaw.results.events import Event, EventLog
from cornerlaw.results.final import FinalState
from cornerlaw.results.info import RunInfo, installed_versions
from cornerlaw.results.origin import Origin, Setting
from cornerlaw.results.solution import PartView, Solution

__all__ = [
    "Channel",
    "ChannelTable",
    "Event",
    "EventLog",
    "FinalState",
    "Origin",
    "PartView",
    "RunInfo",
    "Setting",
    "Solution",
    "installed_versions",
    "load",
]


def load(path: str | os.PathLike[str], channels: Iterable[str] | None = None) -> Solution:
    """Load the result file or checkpoint `path`, all of it or only the `channels` named.

    It is read as plain data: nothing in it is ever run. A checkpoint gives what was recorded, with
    the status "interrupted" unless the run came to its end.
    """
    from cornerlaw.results.atomic import path_of
    from cornerlaw.results.checkpoint import is_checkpoint, load_checkpoint

    path = path_of(path)
    if channels is None and is_checkpoint(path):
        return load_checkpoint(path)
    # h5py costs a tenth of a second to import: only those pay who read or write files
    from cornerlaw.results.storage import load as read

    return read(path, channels)
