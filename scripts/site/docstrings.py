"""Docstrings as the site shows them: roles become links, and packages have the names that users import."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import griffe

ROLE = re.compile(r":[a-z]+:`(?:(?P<text>[^`<]+) <)?(?P<name>[\w.]+)>?`")
"""A name in a role, or behind the words that stand for it."""

EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)
"""The heading of an example, which griffe reads as one under its plural."""

DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
"""An example that stands among the text, where Markdown would take it for a quotation."""

CONSTANT = re.compile(r"[A-Z][A-Z_]+")


class Docstrings(griffe.Extension):
    """Changes what griffe has read of the sources."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Give the packages that live elsewhere their public names, as `truerank.__getattr__` does."""
        import truerank

        if pkg.name == "truerank":
            for name, home in truerank._ROOMS_WITHIN.items():
                pkg.set_member(name, griffe.Alias(name, f"truerank.{home}", parent=pkg))

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Write a docstring as the site's Markdown wants it."""
        if obj.docstring:
            text = ROLE.sub(lambda role: link(obj, role["name"], role["text"]), obj.docstring.value)
            text = EXAMPLE.sub("Examples:", text)
            obj.docstring.value = DOCTEST.sub(lambda example: f"```pycon\n{example[0]}\n```", text)

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Show the value of a default that the source names."""
        for parameter in func.parameters:
            if CONSTANT.fullmatch(str(parameter.default)):
                value = getattr(import_module(func.module.path), str(parameter.default))
                if isinstance(value, (int, float, str)):
                    parameter.default = repr(value)


def link(obj: griffe.Object, name: str, text: str | None) -> str:
    """A link to what an object's docstring names; only its text where no page has it."""
    try:
        path = obj.resolve(name)
    except griffe.NameResolutionError:
        path = name
    return f'<autoref identifier="{path}" optional>{text or f"<code>{name}</code>"}</autoref>'
