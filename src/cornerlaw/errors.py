"""The errors a user can meet; every message is one clear sentence that names the culprit."""

import math


class CornerlawError(Exception):
    """Base of every error raised on purpose by cornerlaw."""


class ModelError(CornerlawError, ValueError):
    """A part or a model is not valid."""


class UnitError(ModelError):
    """A quantity has the wrong physical dimension."""


class UnknownNameError(ModelError):
    """A name does not exist in the model or the results."""


class DuplicateNameError(ModelError):
    """Two parts carry the same name."""


class CompileError(CornerlawError):
    """A function given by the user cannot be compiled."""


class AssemblyError(CornerlawError):
    """No position satisfies all constraints together."""


class SimulationError(CornerlawError):
    """A run or a solve could not be finished."""


class SingularConfiguration(SimulationError):
    """A mechanism is at a dead position: its constraints cannot be met from there on.

    `time` is when, `joints` are the names of the parts whose constraints stay open.
    """

    def __init__(self, message: str, time: float = math.nan, joints: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.time, self.joints = time, joints


class FileError(CornerlawError):
    """A file cannot be read or written."""


class OutputError(FileError):
    """A file cannot be written: the disk is full, the folder closed or gone."""


class MissingExtraError(CornerlawError, ImportError):
    """An optional package is needed and not installed."""


class UsageError(CornerlawError):
    """A call makes no sense as given."""
