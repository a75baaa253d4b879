"""Runs and qrels in TREC's formats, data frames and dictionaries, checked, as ir_measures takes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import PathLike, read_text
from truerank.errors import InputError, at
from truerank.readers.columns import find
from truerank.readers.trec_order import as_stored
from truerank.scores import is_text

if TYPE_CHECKING:
    import pandas as pd

Qrels = dict[str, dict[str, int]]
"""Topic → document → relevance."""

Documents = dict[str, dict[str, float]]
"""Topic → document → score."""

_RUN = "topic, Q0, document, rank, score, tag"
_QRELS = "topic, iteration, document, relevance"

_TOPIC = ("query_id", "qid", "q_id", "topic", "topic_id")
_DOCUMENT = ("doc_id", "docno", "docid")


LARGEST_RELEVANCE = 10_000
"""trec_eval's nDCG keeps a count for every grade up to the largest, and takes hours for a million."""


@dataclass(frozen=True)
class Run:
    """One system's documents.

    Attributes:
        documents: topic → document → score; no topic without documents.
        tag: what the file calls the system; empty when it comes from Python.
        more_tags: whether the file has other tags too.
        tied: whether some topic has documents of equal score, as trec_eval stores scores.
        disordered: the topics whose ranks contradict the scores.
    """

    documents: Documents
    tag: str = ""
    more_tags: bool = False
    tied: bool = False
    disordered: int = 0


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────


def read_run(path: PathLike) -> Run:
    """A run file: six columns, plain or gzipped.

    Raises:
        InputError: a line without six columns, a score that is no finite number, or a document that
            is ranked twice for a topic.
    """
    source = str(path)
    text = read_text(path)
    topics, _, documents, ranks, cells, tags = _columns(text, source, 6, f"a run has 6 ({_RUN})")
    scores = _scores(cells, source, text)
    grouped: Documents = {}
    for topic, document, score in zip(topics, documents, scores.tolist(), strict=True):
        try:
            grouped[topic][document] = score
        except KeyError:
            grouped[topic] = {document: score}
    if sum(map(len, grouped.values())) < len(topics):
        _refuse_repeats(topics, documents, source, _numbers_of_lines(text))
    codes = _codes(topics, grouped)
    numbers = _column(ranks, int, np.int64)  # no ranks, no contradiction: trec_eval ignores them too
    return Run(
        grouped,
        tag=tags[0],
        more_tags=len(set(tags)) > 1,
        tied=_tied(codes, scores),
        disordered=0 if numbers is None else _disordered(codes, numbers, scores),
    )


def run_from(data: Any, name: str) -> Run:
    """A run from a data frame or a dictionary of dictionaries.

    Raises:
        InputError: missing columns, a score that is no finite number, a document given twice, or
            no documents at all.
    """
    where = f"run {name!r}: "
    if is_frame(data):
        topics, documents, values = _frame_columns(data, ("score",), where)
        grouped: dict[str, dict[str, Any]] = {}
        for topic, document, value in zip(topics, documents, values, strict=True):
            if document in grouped.setdefault(topic, {}):
                raise InputError(f"{where}document {document!r} is there twice for topic {topic!r}; keep one")
            grouped[topic][document] = value
    else:
        grouped = _nested(data, where)
    run: Documents = {}
    for topic, scored in grouped.items():
        if scored:  # a topic without documents is a topic that the run lacks
            run[topic] = {
                document: _finite(value, f"{where}document {document!r} of topic {topic!r}")
                for document, value in scored.items()
            }
    if not run:
        raise InputError(f"{where}no documents; give topic → document → score")
    topics = [topic for topic, scored in run.items() for _ in scored]
    scores = np.array([score for scored in run.values() for score in scored.values()])
    return Run(run, tied=_tied(_codes(topics, run), scores))


def _finite(value: Any, where: str) -> float:
    try:
        score = float(value)
    except (TypeError, ValueError):
        score = np.nan
    if not np.isfinite(score):
        raise InputError(f"{where} has the score {value!r}; every score must be a finite number")
    return score


def _codes(topics: Sequence[str], order: Mapping[str, object]) -> NDArray[np.intp]:
    code = {topic: i for i, topic in enumerate(order)}
    return np.array([code[topic] for topic in topics], dtype=np.intp)


def _tied(codes: NDArray[np.intp], scores: NDArray[np.float64]) -> bool:
    """Whether a topic has equal scores, as trec_eval stores them."""
    stored = as_stored(scores)
    order = np.lexsort((stored, codes))
    return bool(((np.diff(codes[order]) == 0) & (stored[order][1:] == stored[order][:-1])).any())


def _disordered(codes: NDArray[np.intp], ranks: NDArray[np.int64], scores: NDArray[np.float64]) -> int:
    """How many topics have a document with a later rank and a higher score than another."""
    # Equal ranks by decreasing score: then a contradiction, if any, is one between neighbours.
    order = np.lexsort((-scores, ranks, codes))
    codes, ranks, scores = codes[order], ranks[order], scores[order]
    against = (np.diff(codes) == 0) & (np.diff(ranks) > 0) & (np.diff(scores) > 0)
    return len(np.unique(codes[1:][against]))


def _scores(cells: Sequence[str], source: str, text: str) -> NDArray[np.float64]:
    scores = _column(cells, float, np.float64)
    if scores is not None and np.isfinite(scores).all():
        return scores
    bad = next(row for row, cell in enumerate(cells) if not _is_finite(cell))
    raise InputError(
        f"{at(source, _numbers_of_lines(text)[bad])}the score {cells[bad]!r} is not a finite number; "
        f"a line of a run is {_RUN}"
    )


def _is_finite(cell: str) -> bool:
    number = _column([cell], float, np.float64)
    return number is not None and bool(np.isfinite(number[0]))


def _refuse_repeats(
    topics: Sequence[str], documents: Sequence[str], source: str, lines: Sequence[int]
) -> None:
    seen: dict[tuple[str, str], int] = {}
    for topic, document, line in zip(topics, documents, lines, strict=True):
        first = seen.setdefault((topic, document), line)
        if first != line:
            raise InputError(
                f"{at(source, line)}document {document!r} is already ranked for topic {topic!r} "
                f"on line {first}; keep one of the two"
            )


# ── qrels ─────────────────────────────────────────────────────────────────────────────────────────


def read_qrels(qrels: PathLike | Any) -> Qrels:
    """Relevance judgments from a file (four columns, plain or gzipped), a data frame or dictionaries.

    Raises:
        InputError: a line without four columns, a relevance that is no whole number, or a document
            judged twice, differently.
    """
    if isinstance(qrels, (str, os.PathLike)):
        source = str(qrels)
        text = read_text(qrels)
        topics, _, documents, values = _columns(text, source, 4, f"qrels have 4 ({_QRELS})")
        return _grouped_qrels(topics, documents, values, lambda row: at(source, _numbers_of_lines(text)[row]))
    where = "qrels: "
    if is_frame(qrels):
        topics, documents, values = _frame_columns(qrels, ("relevance", "label", "score", "rel"), where)
    else:
        nested = _nested(qrels, where)
        topics = [topic for topic, judged in nested.items() for _ in judged]
        documents = [document for judged in nested.values() for document in judged]
        values = [value for judged in nested.values() for value in judged.values()]
    if not topics:
        raise InputError(f"{where}no judgments; give topic → document → relevance")
    return _grouped_qrels(
        topics,
        documents,
        values,
        lambda row: f"{where}document {documents[row]!r} of topic {topics[row]!r}: ",
    )


def _grouped_qrels(
    topics: Sequence[str], documents: Sequence[str], cells: Sequence[Any], place: Callable[[int], str]
) -> Qrels:
    qrels: Qrels = {}
    for row, (topic, document, cell) in enumerate(zip(topics, documents, cells, strict=True)):
        relevance = _whole(cell, place, row)
        judged = qrels.setdefault(topic, {})
        if judged.setdefault(document, relevance) != relevance:
            raise InputError(
                f"{place(row)}document {document!r} of topic {topic!r} is judged {relevance} here and "
                f"{judged[document]} before; keep one of the two"
            )
    return qrels


def _whole(cell: Any, place: Callable[[int], str], row: int) -> int:
    try:
        relevance: int | None = int(cell)
    except (TypeError, ValueError, OverflowError):
        relevance = None
    if relevance is not None and abs(relevance) > LARGEST_RELEVANCE:
        raise InputError(
            f"{place(row)}the relevance {cell!r} is beyond ±{LARGEST_RELEVANCE}; use small grades"
        )
    if relevance is not None and (relevance == cell or (isinstance(cell, str) and "_" not in cell)):
        return relevance
    raise InputError(f"{place(row)}the relevance {cell!r} is not a whole number; qrels are {_QRELS}")


# ── shared ────────────────────────────────────────────────────────────────────────────────────────


def _columns(text: str, source: str, width: int, what: str) -> list[list[str]]:
    """The columns of a file whose lines, but for blank ones, all have `width` cells."""
    # Counting by line and cutting all at once is twice as fast as keeping a list per line.
    if set(map(len, map(str.split, _lines(text)))) - {0} != {width}:
        for number, line in enumerate(_lines(text), start=1):
            cells = len(line.split())
            if cells not in (0, width):
                columns = "1 column" if cells == 1 else f"{cells} columns"
                raise InputError(
                    f"{at(source, number)}{columns}, but {what}; mend the line or name another file"
                )
    cells_of_all = text.split()
    return [cells_of_all[column::width] for column in range(width)]


def _lines(text: str) -> list[str]:
    """The lines as editors count them; `splitlines` would also split at form feeds and the like."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _numbers_of_lines(text: str) -> list[int]:
    """The number in the file of each line that is not blank, for messages."""
    return [number for number, line in enumerate(_lines(text), start=1) if line.split()]


def _column(cells: Sequence[str], kind: type[float], dtype: type[np.generic]) -> NDArray[Any] | None:
    """The cells as numbers, or None when one of them is none."""
    try:
        numbers: NDArray[Any] = np.array(list(map(kind, cells)), dtype=dtype)
    except (ValueError, OverflowError):
        return None
    return None if "_" in "".join(cells) else numbers  # Python reads 1_000, nobody else does


def is_frame(data: Any) -> bool:
    """Whether this is a pandas data frame, without importing pandas to ask."""
    return hasattr(data, "iloc") and hasattr(data, "columns")


def _frame_columns(
    frame: pd.DataFrame, value: Sequence[str], where: str
) -> tuple[list[str], list[str], list[Any]]:
    header = [str(name) for name in frame.columns]
    found = []
    for aliases in (_TOPIC, _DOCUMENT, value):
        column = find(header, aliases)
        if column is None:
            raise InputError(
                f"{where}the data frame has no column {' or '.join(aliases)} (it has {', '.join(header)}); "
                f"rename one to {aliases[0]}"
            )
        found.append(frame.iloc[:, column].tolist())
    return _named(found[0], "topic", where), _named(found[1], "document", where), found[2]


def _nested(data: Any, where: str) -> dict[str, dict[str, Any]]:
    if not isinstance(data, Mapping) or not all(isinstance(inner, Mapping) for inner in data.values()):
        raise InputError(f"{where}give a path, a data frame or a dictionary topic → document → number")
    return {
        topic: dict(zip(_named(inner, "document", where), inner.values(), strict=True))
        for topic, inner in zip(_named(data, "topic", where), data.values(), strict=True)
    }


def _named(given: Iterable[Any], what: str, where: str) -> list[str]:
    """Names as trec_eval can take them: half a character ends the interpreter, a NUL ends the name."""
    names = [str(name) for name in given]
    together = "".join(names)
    if "\0" in together or not is_text(together):
        wrong = next(name for name in names if "\0" in name or not is_text(name))
        raise InputError(f"{where}the name of {what} {wrong!r} is no text; rename it")
    return names
