"""Ranking files: one system per line, best first, with a score or without."""

from __future__ import annotations

import math
import os
from collections.abc import Collection

from truerank._support.files import PathLike
from truerank.errors import InputError, at, reading
from truerank.readers.cell_values import is_number
from truerank.readers.formats.source import Source
from truerank.readers.missing import FILLED, Missing
from truerank.readers.roles import lower_is_better
from truerank.readers.score_reading import as_scores
from truerank.scores import ScoreMatrix

HEADINGS = frozenset({"system", "systems", "run", "runid", "run_id", "model", "name"})
"""First fields of a line of headings."""

MARKS = "\t,;"
"""What may stand between a name and its score, apart from a blank."""


def read_scores_or_ranking(
    path: PathLike, systems: Collection[str], measure: str | None = None, missing: Missing = "error"
) -> ScoreMatrix | dict[str, float]:
    """Scores from a file that holds some, or one value for each system from a ranking file.

    A ranking file has one or two fields a line, the first of some line being one of the systems; see
    ``docs/formats.md``.

    Args:
        path: the file.
        systems: names that tell a ranking file from a table of scores.
        measure: as in :func:`truerank.read_scores`.
        missing: as in :func:`truerank.read_scores`.

    Returns:
        What :func:`truerank.read_scores` makes of scores, or what :func:`parse_ranking` makes of a
        ranking file.

    Raises:
        InputError: neither scores nor a ranking of these systems can be read.
        UnknownNameError: no such measure in a table of scores.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        ...     _ = file.write("b\\na\\n")
        ...     file.flush()
        ...     read_scores_or_ranking(file.name, ["a", "b"])
        {'b': 2.0, 'a': 1.0}
    """
    with reading(path):
        text = ranking_text(path, systems)
    if text is None:
        return as_scores(path, measure, missing, one_table="", ways=FILLED)
    return parse_ranking(text, systems, str(path))


def ranking_text(path: PathLike, systems: Collection[str]) -> str | None:
    """The text of a ranking file; ``None`` where a file is something else, or a folder."""
    if path != "-" and os.path.isdir(path):
        return None
    source = Source(str(path))
    if not source.opening or source.looks_like_json:
        return None
    return source.text if _is_ranking(source.text, systems) else None


def is_bare_ranking(path: str) -> bool:
    """Whether a file holds names alone, one a line."""
    text = ranking_text(path, ()) if os.path.isfile(path) else None
    return text is not None and not any(is_number(line.strip()) for line in text.splitlines())


def parse_ranking(text: str, systems: Collection[str] = (), source: str | None = None) -> dict[str, float]:
    """The systems of a ranking file with their values, higher is better.

    A line is a system's name, or its name and its score with a tab, comma, semicolon or blank between them. A
    line that is one of the known names as it stands has no score. Where there are scores, they decide, and
    equal ones tie; where there are none, the order of the lines does. Empty lines and lines that start with
    ``#`` are skipped. A line of headings says whether lower is better, as in ``system,WER``.

    Args:
        text: the whole file.
        systems: names known already.
        source: the file's name, for messages.

    Returns:
        System → score, or, without scores, the number of systems from it to the end of the file;
        in the order of the lines.

    Raises:
        InputError: a name twice, a score that is not a finite number, scores on some lines only, ranks
            where scores belong, or fewer than two systems. The message has file and line.

    Example:
        >>> parse_ranking("b\\na\\nc")
        {'b': 3.0, 'a': 2.0, 'c': 1.0}
        >>> parse_ranking("system,score\\nb,0.31\\na,0.28")
        {'b': 0.31, 'a': 0.28}
    """
    entries = _entries(text, systems)
    lower = False
    if entries and entries[0][1].casefold() in HEADINGS and entries[0][1] not in systems:
        lower = lower_is_better(entries.pop(0)[2]) is True
    lines: dict[str, int] = {}
    scores: dict[str, float] = {}
    for line, name, score in entries:
        where = at(source, line)
        if name in lines:
            raise InputError(f"{where}system {name!r} is on line {lines[name]} already; list each once")
        if lines and (not score) != (not scores):
            have, lack = (line, entries[0][0]) if score else (entries[0][0], line)
            raise InputError(f"{where}line {have} has a score and line {lack} has none; give all or none")
        lines[name] = line
        if score:
            scores[name] = float(score) if is_number(score) else math.nan
            if not math.isfinite(scores[name]):
                raise InputError(
                    f"{where}the score of system {name!r} is {score!r}; it must be a finite number"
                )
    if len(lines) < 2:
        raise InputError(f"{at(source)}a ranking needs at least two systems, one a line")
    values = list(scores.values())
    if values and values[0] == 1 < values[-1] <= len(values) and values == sorted(map(round, values)):
        raise InputError(
            f"{at(source)}the scores count up from 1 like ranks, but the highest score is the best; "
            "leave the ranks out and list the best system first"
        )
    if not scores:
        return {name: float(len(lines) - place) for place, name in enumerate(lines)}
    return {name: -score for name, score in scores.items()} if lower else scores


def _entries(text: str, systems: Collection[str]) -> list[tuple[int, str, str]]:
    """Line number, name and score (as text) of each line that is not blank or a comment."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return [(k, *_fields(line, systems)) for k, line in lines if line in systems or not line.startswith("#")]


def _fields(line: str, systems: Collection[str]) -> tuple[str, str]:
    """A line's name and, where it has one, its score."""
    if line in systems:
        return line, ""
    cut = max(line.rfind(mark) for mark in MARKS)
    if cut >= 0:
        return _bare(line[:cut]), _bare(line[cut + 1 :])
    name, _, score = line.rpartition(" ")
    name = name.strip()
    scored = name and (name in systems or is_number(score) or name.casefold() in HEADINGS)
    return (name, score) if scored else (_bare(line), "")


def _bare(field: str) -> str:
    field = field.strip()
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field


def _is_ranking(text: str, systems: Collection[str]) -> bool:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if any(line.count(mark) > 1 for line in lines if line not in systems for mark in MARKS):
        return False
    one_field = all(len(line.split()) == 1 and set(line).isdisjoint(MARKS) for line in lines)
    return one_field or any(_fields(line, systems)[0] in systems for line in lines)
