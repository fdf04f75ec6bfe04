"""Where a run comes from: a named system, its parameters, and a way to run it again."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cornerlaw.results.events import as_plain


@dataclass(frozen=True)
class Setting:
    """A parameter of a system: its value in the run, its unit and what it is."""

    name: str
    value: Any
    unit: str = ""
    text: str = ""


@dataclass(frozen=True)
class Origin:
    """A system by name with the parameters of the run.

    `rerun(changes)` returns a new Solution with some parameters changed; a file cannot hold it.
    """

    system: str
    settings: tuple[Setting, ...] = ()
    rerun: Callable[[Mapping[str, Any]], Any] | None = field(default=None, compare=False)

    def to_json(self) -> str:
        """Write name and parameters as JSON."""
        return json.dumps(
            {"system": self.system, "settings": [as_plain(asdict(s)) for s in self.settings]}
        )

    @classmethod
    def from_json(cls, text: str) -> "Origin":
        """Read what `to_json` wrote."""
        data = json.loads(text)
        known = ("name", "value", "unit", "text")
        settings = tuple(Setting(**{k: s[k] for k in known if k in s}) for s in data["settings"])
        return cls(str(data["system"]), settings)
