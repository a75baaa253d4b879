"""Files beside a reduction: families of systems that are read, and files cut to the topics kept."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any

from truerank._support.files import read_text
from truerank.errors import InputError


def read_families(path: str) -> dict[str, str]:
    """The family of each system, from a CSV file with these two columns, with or without a header."""
    found: dict[str, str] = {}
    for line, row in enumerate(csv.reader(read_text(path).splitlines()), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and [cell.casefold() for cell in cells] == ["system", "family"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(f"{path}:{line}: not a system and its family. Write two columns: system,family.")
        if found.setdefault(cells[0], cells[1]) != cells[1]:
            raise InputError(f"{path}:{line}: {cells[0]!r} has two families. Leave one of them out.")
    return found


def cut_to(path: str, topics: Collection[str]) -> str:
    """The lines of a file that are of these topics: JSON lines, or columns with the topic first."""
    kept, lines = set(topics), read_text(path).splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    names = _of_json(lines, kept) if first.lstrip().startswith("{") else _of_columns(lines)
    named = list(names)
    if absent := kept - set(named):
        raise InputError(
            f"{path}: no line for {len(absent)} of the kept topics, such as {min(absent)!r}. Give qrels "
            "or JSON lines with the names of the scores."
        )
    return "".join(line for line, name in zip(lines, named, strict=True) if name in kept)


def _of_columns(lines: Iterable[str]) -> Iterable[str]:
    return ((line.split() or [""])[0] for line in lines)


def _of_json(lines: Iterable[str], kept: set[str]) -> list[str]:
    """The value that names the topic: that of the first key which has all of the topics kept."""
    records: list[dict[str, Any]] = []
    for line in lines:
        record = None
        with suppress(ValueError):
            record = json.loads(line)
        records.append(record if isinstance(record, dict) else {})
    for key in dict.fromkeys(key for record in records for key in record):
        names = [str(record.get(key, "")) for record in records]
        if kept <= set(names):
            return names
    return [""] * len(records)
