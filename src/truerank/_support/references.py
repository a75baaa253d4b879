"""Every publication that any output refers to, once: as text for a list of references, and as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from truerank._support.registry import Registry
from truerank._support.version import __version__

Kind = Literal["article", "inproceedings", "book", "mastersthesis", "software"]

# What BibTeX calls the place where each kind of publication appeared.
_VENUE_FIELD: dict[Kind, str] = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "mastersthesis": "school",
    "software": "howpublished",
}


@dataclass(frozen=True)
class Reference:
    """A publication: its BibTeX entry, and what its text is made of."""

    key: str  # letters, digits and hyphens
    kind: Kind
    authors: tuple[str, ...]  # full names in order; none for software that is cited by its name
    year: int | None  # `None` where a version says more
    title: str
    venue: str = ""  # journal, proceedings, publisher or school
    acronym: str = ""  # of the proceedings, such as `SIGIR ’16`
    volume: str = ""
    issue: str = ""
    pages: str = ""  # `1033–1036`, with an en dash; or what stands for pages, as `article 20`
    doi: str = ""  # without the address of the resolver
    url: str = ""  # where it is kept, if it has no DOI
    version: str = ""  # of software
    entry: str = ""  # as `references.bib` has it

    @property
    def name(self) -> str:
        """The key: what :class:`truerank._support.registry.Registry` knows it by."""
        return self.key

    @property
    def address(self) -> str:
        """Where it is found: its DOI as an address, or its URL; empty where it has neither."""
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    @property
    def byline(self) -> str:
        """The authors as a list of references has them; empty for what has none."""
        *others, last = self.authors or ("",)
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def short(self) -> str:
        """The authors' family names and the year: what stands in a text."""
        names = [_family(author) for author in self.authors] or [self.key]
        text = " and ".join(names) if len(names) < 3 else f"{names[0]} and others"
        return f"{text} {self.year}" if self.year else text

    @property
    def where(self) -> str:
        """Journal, proceedings or school, with volume and pages."""
        if self.kind == "software":
            return f"Version {self.version}"
        result = f"Master’s thesis, {self.venue}" if self.kind == "mastersthesis" else self.venue
        if self.acronym:
            result += f" ({self.acronym})"
        if self.volume:
            result += f" {self.volume}" + (f"({self.issue})" if self.issue else "")
        if self.pages:
            result += f", pp. {self.pages}" if "–" in self.pages else f", {self.pages}"
        if self.url:
            result += " (no DOI)"
        return result

    @property
    def text(self) -> str:
        """The whole entry of a list of references, without its address."""
        return f"{self.credit}{self.title}{self.stop} {self.where}."

    @property
    def credit(self) -> str:
        """What stands before the title: authors and year, where there are any."""
        year = f" ({self.year})" if self.year else ""
        return f"{self.byline}{year}. " if self.byline else ""

    @property
    def stop(self) -> str:
        """The full stop after the title; none where the title is a question."""
        return "" if self.title.endswith(("?", "!")) else "."


def _family(author: str) -> str:
    """The family name: the last word, with the particles in lower case before it."""
    words = author.split()
    start = next((i for i, word in enumerate(words) if i and word[0].islower()), len(words) - 1)
    return " ".join(words[start:])


_ENTRY = re.compile(r"@(\w+)\{([\w-]+),\n(.*?)\n\}", re.DOTALL)
_FIELD = re.compile(r"^  (\w+) *= \{(.*?)\},?$", re.DOTALL | re.MULTILINE)
_PLAIN = {"--": "–", "'": "’"} | {f"\\{one}": one for one in "&%$#_"}


def read(text: str) -> list[Reference]:
    """The references in BibTeX, each with its entry: fields in braces, two spaces before their names."""
    found = []
    for entry in _ENTRY.finditer(text):
        given = {name: " ".join(value.split()) for name, value in _FIELD.findall(entry[3])}
        for name in given.keys() - {"doi", "url"}:
            for tex, character in _PLAIN.items():
                given[name] = given[name].replace(tex, character)
        kind: Kind = "software" if entry[1] == "misc" else entry[1]  # type: ignore[assignment]
        authors = [one.strip("{}") for one in given.get("author", "").split(" and ") if one]
        found.append(
            Reference(
                entry[2],
                kind,
                tuple(authors),
                int(given["year"]) if "year" in given else None,
                given["title"],
                given.get(_VENUE_FIELD[kind], ""),
                given.get("series", ""),
                given.get("volume", ""),
                given.get("number", ""),
                given.get("pages", ""),
                given.get("doi", ""),
                given.get("url", ""),
                given.get("note", "").removeprefix("Version "),
                entry[0],
            )
        )
    return found


REFERENCES: Registry[Reference] = Registry("reference")
register = REFERENCES.register
_TEXT = Path(__file__).with_suffix(".bib").read_text(encoding="utf-8")
for _reference in read(_TEXT.replace("@VERSION@", __version__)):
    register(_reference)


def reference(key: str) -> Reference:
    """The reference of that key."""
    return REFERENCES.find(key)


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
