"""Names of systems: what one is called when two files call theirs the same, and names that look alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from unicodedata import normalize

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.scores import ScoreMatrix

_SUFFIXES = re.compile(
    r"(\.(gz|txt|tsv|tab|csv|json|jsonl|ndjson|pq|parq|parquet|run|res|trec|eval|treceval))+$", re.IGNORECASE
)


_UNSEEN = re.compile("[\u00ad\u200b-\u200f\ufeff]")
"""Characters that no one sees."""


def file_stem(path: str) -> str:
    """A system's name from its file: ``input.BM25.gz``, as in TREC's archive, holds ``BM25``."""
    name = PurePath(path).name
    stem = _SUFFIXES.sub("", name).removeprefix("input.")
    return stem or name


def names_of_files(paths: Sequence[str]) -> tuple[list[str], list[Note]]:
    """What the systems of files are called, like the files, and notes."""
    if "-" in paths:
        raise InputError("-: nothing says which system this is of; give a file that is named like it")
    return choose_names([file_stem(path) for path in paths], paths, "name")


def _by_folder(names: Sequence[str], sources: Sequence[str]) -> tuple[list[str], list[str]]:
    """Files of one name in folders of their own, as MTEB's predictions are, are called like these folders."""
    chosen, alike = list(names), []
    for name, times in Counter(names).items():
        places = [place for place, other in enumerate(names) if other == name]
        parts = [PurePath(sources[place]).parts[-2::-1] for place in places] if times > 1 else []
        for step in range(min(map(len, parts), default=0)):
            folders = [part[step] for part in parts]
            if len(set(folders)) == len(folders) and not set(folders) & set(names):
                alike.append(name)
                for place, folder in zip(places, folders, strict=True):
                    chosen[place] = folder
                break
    return chosen, alike


def choose_names(given: Sequence[str], sources: Sequence[str], kind: str) -> tuple[list[str], list[Note]]:
    """Unique names: those `given` in the files, and the files' own names where these are equal."""
    times = Counter(given)
    names = [
        file_stem(source) if times[name] > 1 else name for name, source in zip(given, sources, strict=True)
    ]
    names, folders = _by_folder(names, sources)
    again = Counter(names)
    for name, source in zip(names, sources, strict=True):
        if again[name] > 1:
            others = [s for n, s in zip(names, sources, strict=True) if n == name and s != source]
            if not others:
                raise InputError(f"{source}: given twice; give every system once")
            raise InputError(
                f"{others[0]}: the system is called {name!r}, as that of {source}; rename one of the files"
            )
    if folders:
        return names, [Note("reading", {"case": "names-by-folder", "names": list(folders)})]
    repeated = [name for name in times if times[name] > 1]
    if not repeated:
        return names, []
    return names, [Note("reading", {"case": "names-by-file", "kind": kind, "names": repeated})]


def check_names(scores: ScoreMatrix) -> None:
    """Refuse names that look the same: `BM25` and `BM25 ` would be two systems, each with holes."""
    sets = scores.data_set_of_each or [""] * scores.n
    for kind, names, groups in (
        ("system", scores.systems, [""] * scores.m),
        ("data set", scores.data_sets, [""] * len(scores.data_sets)),
        ("topic", scores.topics, sets),
    ):
        if (text := "".join(names)).isascii() and text.split() == [text]:
            continue  # no name has a blank
        seen: dict[tuple[str, str], str] = {}
        for name, group in zip(names, groups, strict=True):
            looks = name if name.isascii() else _UNSEEN.sub("", normalize("NFKC", name))
            first = seen.setdefault((group, " ".join(looks.split())), name)
            if first != name:
                way = "by blanks" if name.isascii() else "in blanks or in how Unicode writes them"
                raise InputError(
                    f"{scores.where}{kind}s {first!r} and {name!r} differ {way} alone; name them alike"
                )
