"""What a system is called when two files call theirs the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from truerank._support.wording import few
from truerank.errors import InputError

_SUFFIXES = re.compile(r"(\.(gz|txt|tsv|json|jsonl|ndjson|run|res|eval|treceval))+$", re.IGNORECASE)


def file_stem(path: str) -> str:
    """A system's name from its file: ``input.BM25.gz``, as in TREC's archive, holds ``BM25``."""
    name = PurePath(path).name
    stem = _SUFFIXES.sub("", name).removeprefix("input.")
    return stem or name


def choose_names(given: Sequence[str], sources: Sequence[str], kind: str) -> tuple[list[str], list[str]]:
    """Unique names: those `given` in the files, and the files' own names where these are equal.

    Args:
        given: the name in each file.
        sources: the files.
        kind: what the name is called there (`tag`, `runid`).

    Returns:
        The names, and notes.

    Raises:
        InputError: two systems have one name even so.
    """
    times = Counter(given)
    names = [
        file_stem(source) if times[name] > 1 else name for name, source in zip(given, sources, strict=True)
    ]
    again = Counter(names)
    for name, source in zip(names, sources, strict=True):
        if again[name] > 1:
            others = [s for n, s in zip(names, sources, strict=True) if n == name and s != source]
            if not others:
                raise InputError(f"{source}: given twice; give every system once")
            raise InputError(
                f"{others[0]}: the system is called {name!r}, as that of {source}; rename one of the files"
            )
    repeated = [name for name in times if times[name] > 1]
    if not repeated:
        return names, []
    note = f"several files have the {kind} {few(repeated)}; these systems are called by their file"
    return names, [note]
