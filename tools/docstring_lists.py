"""Griffe extension: aligned lists in docstrings become Markdown lists on the pages.

A docstring explains arguments as lines "name   meaning", continued by indented lines. Markdown
would join them into one paragraph.
"""

import re
from typing import Any

import griffe

_ITEM = re.compile(r"^([\w*]+(?:, [\w*]+)*) {2,}(\S.*)$")


def listed(text: str) -> str:
    """Return the text with aligned lists as Markdown lists."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        item = _ITEM.match(line)
        if item:
            if not inside:
                lines.append("")
            lines.append(f"- `{item.group(1)}`: {item.group(2)}")
        elif inside and line.startswith(" "):
            lines.append(f"  {line.strip()}")
            continue
        else:
            if inside and line:
                lines.append("")
            lines.append(line)
        inside = bool(item)
    return "\n".join(lines)


class AlignedLists(griffe.Extension):
    """Rewrite the docstring of every object."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring is not None:
            obj.docstring.value = listed(obj.docstring.value)
