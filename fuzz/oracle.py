"""An independent reading of small score tables: the means of what a spoiled table says, or nothing.

Nothing of the project is used here. It is strict: only what can be read in one way alone has means, and where
it has none, the readers have to refuse the table too.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping

Means = Mapping[str, float]

MISSING = {"", "na", "n/a", "nan", "null", "none"}
SUMMARIES = {
    *("all", "amean", "mean", "average", "avg", "median", "std", "stdev", "gmean", "gm", "total", "sum"),
    *("min", "max"),
}
WORDS = dict.fromkeys(("true", "yes", "pass", "c"), 1.0) | dict.fromkeys(("false", "no", "fail", "i"), 0.0)
WORDS["p"] = 0.5


TOPICS = {"", "topic", "topics", "qid", "query_id", "instance_id", "id", "item", "question", "query", "index"}


class Refused(Exception):  # noqa: N818
    """A table that says nothing, or that may say two things."""


def means(text: str, long: bool) -> Means:
    """The mean score of each system.

    Args:
        text: the table, separated by commas; the header of what it was before it was spoiled is
            ``topic,A,B …`` or ``topic,system,score``.
        long: whether it has a row a score.

    Raises:
        Refused: a row of another length, a name that is empty or there twice, a score that is no finite
            number or is missing, or nothing at all.
    """
    text = text.removeprefix("\ufeff")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise Refused(str(error)) from None
    rows = [row for row in rows if len(row) > 1 or (row and row[0].strip())]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Refused("shape")
    if len(rows[0]) == 1:  # one system, and topics without names
        rows, long = [["topic", *rows[0]], *([str(t), *row] for t, row in enumerate(rows[1:]))], False
    long = long and [name.strip() for name in rows[0][1:2]] in (
        ["system"],
        ["model"],
    )  # the header may be spoiled, too
    cells = _long(rows) if long else _wide(rows)
    systems = list(dict.fromkeys(system for _, system in cells))
    topics = list(dict.fromkeys(topic for topic, _ in cells))
    for names in (systems, topics):
        if not all(name.strip() for name in names) or len({" ".join(n.split()) for n in names}) < len(names):
            raise Refused("names")
    scores = {}
    for system in systems:
        column = [cells.get((topic, system)) for topic in topics]
        if any(score is None for score in column):
            raise Refused("missing")
        scores[system] = math.fsum(filter(None, column)) / len(column)
    return scores


def _wide(rows: list[list[str]]) -> dict[tuple[str, str], float | None]:
    header = rows[0]
    if len(set(header)) < len(header):
        raise Refused("header")
    found: dict[tuple[str, str], float | None] = {}
    if header[0].strip().casefold() not in TOPICS and all(map(_is_number, (row[0] for row in rows[1:]))):
        # Under an unknown name, numbers are scores, and the topics are counted.
        rows = [["topic", *header], *([f"row {t}", *row] for t, row in enumerate(rows[1:]))]
        header = rows[0]
    for row in rows[1:]:
        if row[0].strip().casefold() in SUMMARIES:
            continue
        if (row[0], header[1]) in found:
            raise Refused("topic twice")
        found |= {(row[0], name): _score(cell) for name, cell in zip(header[1:], row[1:], strict=True)}
    return found


def _long(rows: list[list[str]]) -> dict[tuple[str, str], float | None]:
    if len(rows[0]) != 3:
        raise Refused("columns")
    found: dict[tuple[str, str], float | None] = {}
    for topic, system, cell in rows[1:]:
        if topic.strip().casefold() in SUMMARIES:
            continue
        if (topic, system) in found:
            raise Refused("score twice")
        found[topic, system] = _score(cell)
    return found


def _is_number(cell: str) -> bool:
    try:
        return _score(cell) is not None
    except Refused:
        return False


def _score(cell: str) -> float | None:
    text = cell.strip().casefold()
    if text in MISSING:
        return None
    if text in WORDS:
        return WORDS[text]
    percent = text.endswith("%")
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        raise Refused("text") from None
    if not math.isfinite(number) or "_" in text:
        raise Refused("number")
    return number / 100 if percent else number
