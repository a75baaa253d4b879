"""Spoilt versions of a file, from a seed: bytes, lines, cells and JSON values."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

TOKENS = (
    *(b"NaN", b"Infinity", b"-1", b"1e999", b"null", b"true", b'""', b"[]", b"{}", b"all", b"nan", b"0,5"),
    *(b"\xff", b"\0", b"\r\n", b"\n\n", b"\t", b";", b'"', b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"9" * 400),
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, float("nan"), float("inf"), 10**400, "", "x", "all", "0.5", "a\nb", [], {}),
    *([[]], [None], {"": None}, {"a": {"b": {"c": 1}}}, [1, 2, 3], "é" * 20),
)
LONGEST = 300_000
"""Bytes of a spoilt file at most."""


def mutate(data: bytes, others: list[bytes], random: Random) -> bytes:
    """The file after one to four changes."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice(_CHANGES)(data, others, random)[:LONGEST]
    return data


def _cut(data: bytes, _: list[bytes], random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _drop(data: bytes, _: list[bytes], random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.choice((1, 2, 10, 100)) :]


def _flip(data: bytes, _: list[bytes], random: Random) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]


def _insert(data: bytes, _: list[bytes], random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + random.choice(TOKENS) + data[place:]


def _splice(data: bytes, others: list[bytes], random: Random) -> bytes:
    other = random.choice(others)
    return data[: random.randrange(len(data) + 1)] + other[random.randrange(len(other) + 1) :]


def _lines(data: bytes, _: list[bytes], random: Random) -> bytes:
    lines = data.split(b"\n")
    place, kind = random.randrange(len(lines)), random.randrange(4)
    if kind == 0:
        lines[place : place + 1] = [lines[place]] * random.choice((0, 2, 3))
    elif kind == 1:
        random.shuffle(lines)
    elif kind == 2:
        lines = lines[:1] + lines[place:]
    else:
        lines += lines[1:]
    return b"\n".join(lines)


def _cells(data: bytes, _: list[bytes], random: Random) -> bytes:
    mark = random.choice((b",", b"\t", b" ", b":"))
    cells = data.split(mark)
    place = random.randrange(len(cells))
    cells[place] = random.choice((*TOKENS, random.choice(cells), b"", b"x"))
    return mark.join(cells)


def _json(data: bytes, _: list[bytes], random: Random) -> bytes:
    """Change a value somewhere in a document, or in one of its lines."""
    lines = data.split(b"\n")
    try:
        document, whole = json.loads(data), True
    except (ValueError, RecursionError):
        whole = False
        place = random.randrange(len(lines))
        try:
            document = json.loads(lines[place])
        except (ValueError, RecursionError):
            return _flip(data, [], random)
    spoilt = json.dumps(_changed(document, random), ensure_ascii=random.random() < 0.5).encode(
        errors="replace"
    )
    if whole:
        return spoilt
    lines[place] = spoilt
    return b"\n".join(lines)


def _changed(value: Any, random: Random) -> Any:
    """The value with something else in its place, or in that of one of its parts."""
    if not isinstance(value, (dict, list)) or not value or random.random() < 0.15:
        return random.choice(VALUES)
    if isinstance(value, list):
        place = random.randrange(len(value))
        kind = random.random()
        if kind < 0.1:
            return value + value
        if kind < 0.2:
            return value[:place] + value[place + 1 :]
        return [*value[:place], _changed(value[place], random), *value[place + 1 :]]
    name = random.choice(list(value))
    kind = random.random()
    if kind < 0.15:
        return {key: part for key, part in value.items() if key != name}
    if kind < 0.25:
        return {
            random.choice(("", "all", "x", "details", "metrics", "map")) if k == name else k: v
            for k, v in value.items()
        }
    return value | {name: _changed(value[name], random)}


TEXT_CHANGES: tuple[Callable[[bytes, list[bytes], Random], bytes], ...] = (
    *(_cut, _drop, _flip, _insert, _splice, _lines, _cells),
)
"""Changes to any text."""
_CHANGES: tuple[Callable[[bytes, list[bytes], Random], bytes], ...] = (
    *TEXT_CHANGES,
    *(_json, _json, _json),
)
