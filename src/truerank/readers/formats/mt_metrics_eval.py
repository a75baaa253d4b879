"""Score files of mt-metrics-eval: for each system a block of lines, one per segment or document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.readers.cell_values import is_number
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.source import Source
from truerank.readers.options import Options
from truerank.readers.roles import called_like_ids
from truerank.scores import ScoreMatrix

_LANGUAGES = re.compile(r"[a-z]{2,3}-[a-z]{2,3}(_\w+)?")
_MISSING = "None"


def _recognizes(source: Source) -> bool:
    lines = [line.split() for line in source.opening.splitlines()[:2]]
    if len(lines) < 2 or lines[0][:1] != lines[1][:1] or not all(map(_is_score, lines)):
        return False
    return not called_like_ids(lines[0][0])  # or it is the heading of a column of topics


def _is_score(cells: Sequence[str]) -> bool:
    return len(cells) == 2 and not is_number(cells[0]) and (cells[1] == _MISSING or is_number(cells[1]))


def _named(source: Source) -> tuple[str, str]:
    """The language pair and the measure, of ``en-de.mqm.seg.score`` or ``en-de/BLEU-refA.seg.score``."""
    languages, *measure = re.sub(r"(\.(seg|doc|score))*$", "", Path(source.path).name).split(".")
    if measure and _LANGUAGES.fullmatch(languages):
        return languages, ".".join(measure)
    return source.folder_name, ".".join([languages, *measure])


def _blocks(source: Source) -> dict[str, list[float | None]]:
    """The scores of each system, one per segment."""
    found: dict[str, list[float | None]] = {}
    last = None
    for line, text in enumerate(source.text.splitlines(), 1):
        cells = text.split()
        if not _is_score(cells):
            raise InputError(
                f"{at(source.path, line)}{text[:40]!r} is not a system and its score; write both, and "
                f"{_MISSING} for a missing score"
            )
        system, value = cells
        if system != last and system in found:
            raise InputError(
                f"{at(source.path, line)}system {system!r} has a second block of lines; keep one of the two"
            )
        found.setdefault(system, []).append(None if value == _MISSING else float(value))
        last = system
    first, *others = found
    for other in others:
        if len(found[other]) != len(found[first]):
            raise InputError(
                f"{source.path}: system {other!r} has {count(len(found[other]), 'line')} and {first!r} has "
                f"{len(found[first])}; give each system one line per segment, None where it has no score"
            )
    return found


def _documents(source: Source, languages: str, segments: int) -> dict[int, str]:
    """The document of each segment, where the test set's folder says so."""
    for folder in Path(source.path).resolve().parents[1:3] if source.on_disk else ():
        path = folder / "documents" / f"{languages}.docs"
        names = Source(str(path)).text.splitlines() if path.is_file() else []
        if names and len(names) == segments:
            return dict(enumerate(names))
    return {}


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    named = [(source, *_named(source)) for source in sources if _recognizes(source)]
    several = len({languages for _, languages, _ in named}) > 1
    documents: dict[tuple[str, str], tuple[str, str]] = {}
    for source, languages, measure in named:
        blocks = _blocks(source)
        data_set = languages if several else ""
        segments = list(zip(*blocks.values(), strict=True))
        of_document = _documents(source, languages, len(segments))
        scored = [k for k, values in enumerate(segments) if any(value is not None for value in values)]
        for k in scored:
            documents[data_set, str(k + 1)] = (data_set, of_document.get(k, f"segment {k + 1}"))
            for system, value in zip(blocks, segments[k], strict=True):
                scores.add(system, str(k + 1), value, measure, data_set=data_set, source=source.path)
        if left := len(segments) - len(scored):
            scores.note(Note("topics-left-out", {"case": "unscored", "number": left}), of=measure)
        if of_document:
            scores.note(Note("reading", {"case": "documents", "languages": languages}), of=measure)
        source.forget()
    table = scores.table(options)
    numbers: dict[tuple[str, str], int] = {}
    clusters = [numbers.setdefault(documents[key], len(numbers)) for key in table.keys]
    return table if len(numbers) == table.n else replace(table, clusters=np.array(clusters))


MT_METRICS_EVAL = declared("mt_metrics_eval", recognizes=_recognizes, read=_read)
