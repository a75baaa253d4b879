"""Docstrings as the site shows them: roles become links, and rooms have the names that users import."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":[a-z]+:`~?([^`]+)`")


class Docstrings(griffe.Extension):
    """Changes what griffe has read of the sources."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Give the rooms that live elsewhere their public names, as `truerank.__getattr__` does."""
        import truerank

        if pkg.name == "truerank":
            for name, home in truerank._ROOMS_WITHIN.items():
                pkg.set_member(name, griffe.Alias(name, f"truerank.{home}", parent=pkg))

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Turn roles into links to what they name, or into code where that is on no page."""
        if obj.docstring:
            obj.docstring.value = ROLE.sub(lambda match: self._link(match[1], obj), obj.docstring.value)

    def _link(self, name: str, obj: griffe.Object) -> str:
        try:
            path = obj.resolve(name)
        except griffe.NameResolutionError:
            path = name
        return f'<autoref identifier="{path}" optional><code>{name}</code></autoref>'
