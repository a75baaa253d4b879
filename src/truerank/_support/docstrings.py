"""What docstrings say of attributes: the one place where the meaning of a field stands."""

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass
from functools import cache


def unmarked(words: str) -> str:
    """Words of a docstring without the marks of reStructuredText, code in quotation marks."""
    said = re.sub(r"``([^`]+)``", r'"\1"', " ".join(words.split()))
    said = re.sub(r":\w+:`[~.]?([^`]+)`", r"\1", said)
    return said.replace("`", "").replace("\\|", "|")


@cache
def attributes(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass, or of one that it extends, says of each of its attributes."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        text = inspect.cleandoc(base.__doc__ or "") if is_dataclass(base) else ""
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
        if section is None:
            continue
        names = ""
        for line in section[1].splitlines():
            begun = re.match(r"    (\w+(?:, \w+)*): (.*)", line)
            if begun:
                names = begun[1]
                found |= dict.fromkeys(names.split(", "), begun[2])
            elif names and line.strip():
                found |= {name: f"{found[name]} {line.strip()}" for name in names.split(", ")}
    return found
