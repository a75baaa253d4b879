"""The pages of docs/ as they are written: their prose, their lines, their blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))

FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,}) *(?P<language>[\w-]*)(?P<options>.*)")
FOLDED = re.compile(r"\?\?\?\+? \w+")


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Block:
    """A block of code: its language and options, the line that opens it, and its text."""

    language: str
    options: str
    line: int
    text: str


def blocks(text: str) -> list[Block]:
    """The blocks of code on a page."""
    found, opened, lines = [], None, []
    for number, line in enumerate(text.split("\n"), start=1):
        mark = FENCE.fullmatch(line)
        if opened is None and mark:
            opened, start, lines = mark, number, []
        elif opened and mark and mark["marks"] == opened["marks"] and not mark["language"]:
            found.append(Block(opened["language"], opened["options"], start, "\n".join(lines)))
            opened = None
        elif opened:
            lines.append(line.removeprefix(opened["indent"]))
    assert opened is None, f"the block of line {start} is never closed"
    return found


def prose(text: str) -> Iterator[str]:
    """The lines of a page that are neither code nor tables, nor folded away, nor directives."""
    inside, folded = None, False
    for line in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).split("\n"):
        mark = FENCE.fullmatch(line)
        if mark and inside in (None, mark["marks"]):
            inside = None if inside else mark["marks"]
            continue
        folded = bool(FOLDED.match(line)) or (folded and (not line.strip() or line.startswith("    ")))
        if not (inside or folded or line.lstrip().startswith(("|", ":::"))):
            yield line


def words(text: str) -> int:
    """How many words of prose a page has."""
    return sum(len(line.split()) for line in prose(text))
