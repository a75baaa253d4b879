"""Runs and qrels from TREC's columns, data frames and objects, checked, as ir_measures takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

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

TOPIC = ("query_id", "qid", "q_id", "topic", "topic_id")
DOCUMENT = ("doc_id", "docno", "docid", "corpus_id", "document_id", "pid", "passage_id")
SCORE = ("score",)
RELEVANCE = ("relevance", "label", "score", "rel", "gain")
"""What columns of runs and judgments are called, in PyTerrier, ir_measures, ranx, BEIR and MTEB."""


def value_names(kind: str) -> Sequence[str]:
    """What the column of values is called in a ``run``, and in ``qrels``."""
    return SCORE if kind == "run" else RELEVANCE


_SHOWN = 40
"""Characters of a wrong value that a message shows."""

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


def parse_run(text: str, source: str) -> Run:
    """A run in TREC's six columns."""
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


def run_from(data: Any, where: str) -> Run:
    """A run from an object, such as topic → document → score; libraries are told by their objects' shape."""
    rows = _rows(data, "run", SCORE, where)
    if rows is not None:
        run = run_from_columns(*rows, lambda _: where)
    else:
        run = _run(
            {
                topic: {
                    document: _finite(value, f"{where}document {document!r} of topic {topic!r}")
                    for document, value in scored.items()
                }
                for topic, scored in _nested(data, where).items()
                if scored  # a topic without documents is a topic that the run lacks
            }
        )
    if not run.documents:
        raise InputError(f"{where}no documents; give topic → document → score")
    name = getattr(data, "name", None)
    return replace(run, tag=name) if isinstance(name, str) else run


def run_from_columns(
    topics: Sequence[str], documents: Sequence[str], cells: Sequence[Any], place: Callable[[int], str]
) -> Run:
    """A run from columns; `place` says where a row is, as the start of a message."""
    grouped: Documents = {}
    for row, (topic, document, cell) in enumerate(zip(topics, documents, cells, strict=True)):
        scored = grouped.setdefault(topic, {})
        if document in scored:
            raise InputError(
                f"{place(row)}document {document!r} is there twice for topic {topic!r}; keep one"
            )
        scored[document] = _finite(cell, f"{place(row)}document {document!r} of topic {topic!r}")
    return _run(grouped)


def _run(documents: Documents) -> Run:
    topics = [topic for topic, scored in documents.items() for _ in scored]
    scores = np.array([score for scored in documents.values() for score in scored.values()])
    return Run(documents, tied=_tied(_codes(topics, documents), scores))


def _finite(value: Any, where: str) -> float:
    try:
        score = np.nan if isinstance(value, str) and "_" in value else float(value)
    except (TypeError, ValueError, OverflowError):
        score = np.nan
    if not np.isfinite(score):
        raise InputError(f"{where} has the score {repr(value)[:_SHOWN]}; every score must be a finite number")
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


def parse_qrels(text: str, source: str) -> Qrels:
    """Relevance judgments in TREC's four columns."""
    topics, _, documents, values = _columns(text, source, 4, f"qrels have 4 ({_QRELS})")
    return qrels_from_columns(topics, documents, values, lambda row: at(source, _numbers_of_lines(text)[row]))


def qrels_from(data: Any, where: str = "qrels: ") -> Qrels:
    """Judgments from an object, such as topic → document → relevance; as :func:`run_from`."""
    rows = _rows(data, "qrels", RELEVANCE, where)
    if rows is None:
        nested = _nested(data, where)
        topics = [topic for topic, judged in nested.items() for _ in judged]
        documents = [document for judged in nested.values() for document in judged]
        values = [value for judged in nested.values() for value in judged.values()]
    else:
        topics, documents, values = rows
    if not topics:
        raise InputError(f"{where}no judgments; give topic → document → relevance")
    return qrels_from_columns(
        topics,
        documents,
        values,
        lambda row: f"{where}document {documents[row]!r} of topic {topics[row]!r}: ",
    )


def qrels_from_columns(
    topics: Sequence[str], documents: Sequence[str], cells: Sequence[Any], place: Callable[[int], str]
) -> Qrels:
    """Judgments from columns; `place` says where a row is, as the start of a message."""
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
            f"{place(row)}the relevance {repr(cell)[:_SHOWN]} is beyond ±{LARGEST_RELEVANCE}; use small "
            "grades"
        )
    if relevance is not None and (relevance == cell or (isinstance(cell, str) and "_" not in cell)):
        return relevance
    raise InputError(
        f"{place(row)}the relevance {repr(cell)[:_SHOWN]} is not a whole number; qrels are {_QRELS}"
    )


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
    for aliases in (TOPIC, DOCUMENT, value):
        column = find(header, aliases)
        if column is None:
            raise InputError(
                f"{where}the data frame has no column {' or '.join(aliases)} (it has {', '.join(header)}); "
                f"rename one to {aliases[0]}"
            )
        found.append(frame.iloc[:, column].tolist())
    return _named(found[0], "topic", where), _named(found[1], "document", where), found[2]


def _rows(
    data: Any, kind: str, value: Sequence[str], where: str
) -> tuple[list[str], list[str], list[Any]] | None:
    """Topics, documents and values of a data frame or of named tuples; ``None`` of what is nested."""
    if is_frame(data):
        return _frame_columns(data, value, where)
    if isinstance(data, Mapping) or holds_documents(data) or not isinstance(data, Iterable):
        return None
    # ir_measures' ScoredDoc(query_id, doc_id, score) and Qrel(query_id, doc_id, relevance, iteration).
    rows = list(data)
    field = "score" if kind == "run" else "relevance"
    if not rows or not all(hasattr(row, "query_id") and hasattr(row, "doc_id") for row in rows):
        return None
    if not all(hasattr(row, field) for row in rows):
        raise InputError(f"{where}tuples of a query_id and a doc_id without a {field}; name the third that")
    return (
        _named((row.query_id for row in rows), "topic", where),
        _named((row.doc_id for row in rows), "document", where),
        [getattr(row, field) for row in rows],
    )


def holds_documents(data: Any) -> bool:
    """Whether this is ranx's `Run` or `Qrels`: an object that holds a mapping of that name, and gives it."""
    if hasattr(data, "iloc"):
        return False  # pandas gives a column or a row of that name as an attribute
    return callable(getattr(data, "to_dict", None)) and (hasattr(data, "run") or hasattr(data, "qrels"))


def _nested(data: Any, where: str) -> dict[str, dict[str, Any]]:
    if holds_documents(data):
        data = data.to_dict()
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
