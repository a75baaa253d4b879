"""Files that a tool writes side by side: those of a folder that a reader is for, and what lies beside."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.formats.source import Source

_LOOKED_AT = 8
"""Files of a folder that are looked into before it is taken for something else: one may be broken."""


def files_of(sources: Sequence[Source], named: Callable[[Path], bool], what: str) -> list[Source]:
    """The files that were given, and of a folder those that are `named` as the tool does."""
    found: list[Source] = []
    for source in sources:
        inner = [one for one in source.inner if named(Path(one.path))]
        if source.is_folder and not inner:
            raise InputError(f"{source.path}: no {what} in this folder; give the folder that has them")
        found += inner if source.is_folder else [source]
    return found


def any_file(source: Source, named: Callable[[Path], bool], fits: Callable[[Source], bool]) -> bool:
    """Whether a folder holds a file that is `named` as the tool does and fits, among the first few such."""

    def good(inner: Source) -> bool:
        try:
            return fits(inner)
        except InputError:
            return False

    return any(map(good, islice((one for one in source.inner if named(Path(one.path))), _LOOKED_AT)))


def beside(source: Source, name: str) -> Any:
    """The JSON document `name` in the same folder as a file; None where it is none, or not there."""
    path = Path(source.path).parent / name
    return Source(str(path)).document if source.path != "-" and path.is_file() else None


def folder_name(source: Source) -> str:
    """What the folder of a file is called; empty where nothing says it."""
    return "" if source.path == "-" else Path(os.path.abspath(source.path)).parent.name


def within(document: Any, *keys: str) -> Any:
    """What lies at the end of a path of names in JSON objects; None where it breaks off."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def text_within(document: Any, *keys: str) -> str:
    """The same where it is text; empty where it is not."""
    found = within(document, *keys)
    return found.strip() if isinstance(found, str) else ""


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number or a truth value."""
    return isinstance(value, (int, float))


def left_out(what: str, names: Sequence[str]) -> list[str]:
    """A note on what was left out, where something was."""
    return [f"{what} left out: {few(list(dict.fromkeys(names)), 8)}"] if names else []
