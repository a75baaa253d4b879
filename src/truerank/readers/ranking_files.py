"""Ranking files: one system per line, best first, with a score or without."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator
from itertools import pairwise

from truerank._support.files import PathLike
from truerank.errors import InputError, at, reading
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
        InputError: a name twice, a score that is no finite number, scores on some lines only, ranks
            where scores belong, or fewer than two systems. The message has file and line.

    Example:
        >>> parse_ranking("b\\na\\nc")
        {'b': 3.0, 'a': 2.0, 'c': 1.0}
        >>> parse_ranking("system,score\\nb,0.31\\na,0.28")
        {'b': 0.31, 'a': 0.28}
    """
    lines: dict[str, int] = {}
    scores: dict[str, float] = {}
    for line, name, score in _entries(text, systems):
        where = at(source, line)
        if name in lines:
            raise InputError(f"{where}system {name!r} is on line {lines[name]} already; list each once")
        if lines and (score is None) != (len(scores) == 0):
            first = next(iter(lines.values()))
            have, lack = (first, line) if score is None else (line, first)
            raise InputError(f"{where}line {have} has a score and line {lack} has none; give all or none")
        lines[name] = line
        if score is not None:
            scores[name] = _number(score, name, where)
    if len(lines) < 2:
        raise InputError(f"{at(source)}a ranking needs at least two systems, one a line")
    if not scores:
        return {name: float(len(lines) - place) for place, name in enumerate(lines)}
    if _are_ranks(list(scores.values())):
        raise InputError(
            f"{at(source)}the scores count up from 1 like ranks, but the highest score is the best; "
            "leave the ranks out and list the best system first"
        )
    if _lower_by_heading(text, systems):
        return {name: -score for name, score in scores.items()}
    return scores


def _lower_by_heading(text: str, systems: Collection[str]) -> bool:
    """Whether a line of headings names a measure of which lower is better."""
    lines = (line.strip() for line in text.splitlines())
    name, measure = _fields(next((line for line in lines if line and not line.startswith("#")), ""), systems)
    return name.casefold() in HEADINGS and name not in systems and lower_is_better(measure or "") is True


def _entries(text: str, systems: Collection[str]) -> Iterator[tuple[int, str, str | None]]:
    """Line number, name and score (as text) of each system."""
    first = True
    for line, content in enumerate(text.splitlines(), 1):
        bare = content.strip()
        name, score = _fields(bare, systems)
        if not bare or (bare.startswith("#") and name not in systems):
            continue
        if not (first and name.casefold() in HEADINGS and name not in systems):
            yield line, name, score
        first = False


def _fields(line: str, systems: Collection[str]) -> tuple[str, str | None]:
    """A line's name and, where it has one, its score."""
    if line in systems:
        return line, None
    cut = max(line.rfind(mark) for mark in MARKS)
    if cut >= 0:
        return _bare(line[:cut]), _bare(line[cut + 1 :]) or None
    parts = line.rsplit(None, 1)
    if len(parts) == 2 and (parts[0] in systems or _is_number(parts[1]) or parts[0].casefold() in HEADINGS):
        return parts[0], parts[1]
    return _bare(line), None


def _bare(field: str) -> str:
    field = field.strip()
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(score: str, name: str, where: str) -> float:
    if not _is_number(score) or not math.isfinite(float(score)):
        raise InputError(f"{where}the score of system {name!r} is {score!r}; it must be a finite number")
    return float(score)


def _are_ranks(scores: list[float]) -> bool:
    """Whole numbers from 1 that never fall, down the file: ranks, not scores."""
    whole = all(score == int(score) for score in scores)
    return (
        whole
        and scores[0] == 1
        and 1 < scores[-1] <= len(scores)
        and all(a <= b for a, b in pairwise(scores))
    )


def _is_ranking(text: str, systems: Collection[str]) -> bool:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if any(line.count(mark) > 1 for line in lines if line not in systems for mark in MARKS):
        return False
    names = {_fields(line, systems)[0] for line in lines}
    one_field = all(len(line.split()) == 1 and set(line).isdisjoint(MARKS) for line in lines)
    return one_field or not names.isdisjoint(systems)
