"""Every publication that any output refers to, once: as text for a list of references, and as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from truerank._support.registry import Registry
from truerank._support.version import __version__

_ENTRY = re.compile(r"@\w+\{([\w-]+),\n(.*?)\n\}", re.DOTALL)
_FIELD = re.compile(r"^  (\w+) *= \{(.*?)\},?$", re.DOTALL | re.MULTILINE)
_PLAIN = {"--": "–", "'": "’"} | {f"\\{one}": one for one in "&%$#_"}


@dataclass(frozen=True)
class Reference:
    """A publication: its key, its entry as `references.bib` has it, and its fields."""

    name: str
    entry: str
    fields: Mapping[str, str]

    @property
    def title(self) -> str:
        return self.fields["title"]

    @property
    def address(self) -> str:
        """Where it is found: its DOI as an address, or its URL; empty where it has neither."""
        doi = self.fields.get("doi")
        return f"https://doi.org/{doi}" if doi else self.fields.get("url", "")

    @property
    def _authors(self) -> list[str]:
        return [one.strip("{}") for one in self.fields.get("author", "").split(" and ") if one]

    @property
    def short(self) -> str:
        names = [_family(author) for author in self._authors] or [self.name]
        text = " and ".join(names) if len(names) < 3 else f"{names[0]} and others"
        return f"{text} {self.fields['year']}" if "year" in self.fields else text

    @property
    def credit(self) -> str:
        """What stands before the title: authors and year, where there are any."""
        *others, last = self._authors or [""]
        year = f" ({self.fields['year']})" if "year" in self.fields else ""
        byline = f"{', '.join(others)} and {last}" if others else last
        return f"{byline}{year}. " if byline else ""

    @property
    def stop(self) -> str:
        """The full stop after the title; none where the title is a question."""
        return "" if self.title.endswith(("?", "!")) else "."


def _family(author: str) -> str:
    words = author.split()
    start = next((i for i, word in enumerate(words) if i and word[0].islower()), len(words) - 1)
    return " ".join(words[start:])


def _read(entry: re.Match[str]) -> Reference:
    """A reference in BibTeX: fields in braces, two spaces before their names."""
    fields = {name: " ".join(value.split()) for name, value in _FIELD.findall(entry[2])}
    for name in fields.keys() - {"doi", "url"}:
        for tex, character in _PLAIN.items():
            fields[name] = fields[name].replace(tex, character)
    return Reference(entry[1], entry[0], fields)


_TEXT = Path(__file__).with_suffix(".bib").read_text(encoding="utf-8").replace("@VERSION@", __version__)
REFERENCES: Registry[Reference] = Registry("reference", *map(_read, _ENTRY.finditer(_TEXT)))
reference = REFERENCES.find


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX entries of these keys, one below the other.

    Args:
        keys: of references, as a page lists them: ``truerank``, ``kendall-1938``.

    Returns:
        The entries, ready for a ``.bib`` file.

    Raises:
        UnknownNameError: a key that no reference has.

    Example:
        >>> from truerank.report import bibtex
        >>> print(bibtex(["truerank"]).splitlines()[0])
        @misc{truerank,
    """
    return "\n".join(reference(key).entry for key in keys)
