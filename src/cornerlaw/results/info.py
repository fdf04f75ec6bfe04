"""What is known about a run besides its numbers: model, method, status, cost."""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from cornerlaw.errors import UsageError
from cornerlaw.results.events import as_plain

STATUSES = ("done", "stopped", "degraded", "interrupted", "failed")
RECORDED_PACKAGES = ("cornerlaw", "numpy", "scipy", "numba", "llvmlite")


@dataclass(frozen=True)
class RunInfo:
    """Describe a run; holds no clock time unless `created` is given, so that runs compare."""

    model: str = "model"
    method: str = ""
    # done, stopped (a condition was met), degraded (it went on with contact problems that no solver
    # brought below the tolerance, above a limit or with energies that are no numbers), interrupted
    # (Ctrl-C), failed
    status: str = "done"
    message: str = ""  # why it stopped or failed
    conservative: bool = False  # the model neither gains nor loses energy: drift is an error
    wall_time: float = 0.0  # [s]
    # bytes of model, workspace and stored rows; of the process that ran, not kept in files
    memory: int = field(default=0, compare=False)
    statistics: Mapping[str, int | float] = field(default_factory=dict)  # steps, evaluations ...
    profile: Mapping[str, float] = field(default_factory=dict)  # stage -> seconds
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    fingerprint: str = ""  # of the model and its parameters
    created: str | None = None  # date and time as text, only on request

    def __post_init__(self) -> None:
        """Check the status and reduce everything to plain values."""
        if self.status not in STATUSES:
            raise UsageError(
                f'A run cannot have the status "{self.status}"; it is one of {", ".join(STATUSES)}.'
            )
        for item in fields(self):
            object.__setattr__(self, item.name, as_plain(getattr(self, item.name)))
        for name in ("statistics", "profile", "versions"):
            if not isinstance(getattr(self, name), Mapping):
                raise UsageError(f"The {name} of a run must be a dictionary.")
        object.__setattr__(self, "wall_time", float(self.wall_time))

    @property
    def ok(self) -> bool:
        """Tell whether the run reached its end or a stop condition."""
        return self.status in ("done", "stopped")

    @property
    def status_text(self) -> str:
        """Return the status; of a failed run with the reason."""
        if self.status == "failed":
            return f"failed: {self.message}" if self.message else "failed"
        return self.status

    def to_json(self) -> str:
        """Write everything but the memory as one JSON text with sorted keys."""
        found = asdict(self)
        del found["memory"]
        return json.dumps(found, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "RunInfo":
        """Read what `to_json` wrote; entries of later versions are left out."""
        known = {item.name for item in fields(cls)}
        return cls(**{key: value for key, value in json.loads(text).items() if key in known})


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that shape a result."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    """Look the versions up once: reading the records of packages takes as long as a short run."""
    found = {"python": platform.python_version()}
    for package in RECORDED_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
