"""Docstrings as the site shows them: roles become links, and packages have the names that users import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
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
        """Change docstrings and defaults, and then names, which hide what they had led to."""
        if pkg.name == "truerank":
            for obj in [pkg, *everything(pkg)]:
                write_markdown(obj)
                if isinstance(obj, griffe.Function):
                    show_defaults(obj)
            prefer_imports(pkg)


def everything(obj: griffe.Object) -> Iterator[griffe.Object]:
    """All that is defined within an object."""
    for member in obj.members.values():
        if isinstance(member, griffe.Object):
            yield member
            yield from everything(member)


def write_markdown(obj: griffe.Object) -> None:
    """Write an object's docstring as the site's Markdown wants it."""
    if obj.docstring:
        text = ROLE.sub(lambda role: link(obj, role["name"], role["text"]), obj.docstring.value)
        text = EXAMPLE.sub("Examples:", text)
        obj.docstring.value = DOCTEST.sub(lambda example: f"```pycon\n{example[0]}\n```", text)


def link(obj: griffe.Object, name: str, text: str | None) -> str:
    """A link to what an object's docstring names; only its text where no page has it."""
    try:
        path = obj.resolve(name)
    except griffe.NameResolutionError:
        path = name
    return f'<autoref identifier="{path}" optional>{text or f"<code>{name}</code>"}</autoref>'


def show_defaults(function: griffe.Function) -> None:
    """Show the value of a default that the source names."""
    for parameter in function.parameters:
        if CONSTANT.fullmatch(str(parameter.default)):
            value = getattr(import_module(function.module.path), str(parameter.default))
            if isinstance(value, (int, float, str)):
                parameter.default = repr(value)


def prefer_imports(pkg: griffe.Module) -> None:
    """Where a package imports what has the name of its module, the name means that, and not the module."""
    modules = [pkg, *(one for one in everything(pkg) if isinstance(one, griffe.Module))]
    for module in modules:
        for name, inner in list(module.modules.items()):
            if module.imports.get(name) == f"{inner.path}.{name}":
                for one in modules:  # what leads through the module is found while it can be
                    for member in one.members.values():
                        if member.is_alias and member.target_path.startswith(f"{inner.path}."):
                            with suppress(griffe.AliasResolutionError):  # it leads out of the package
                                member.resolve_target()
                module.set_member(name, griffe.Alias(name, inner[name], parent=module))
