"""Runs and qrels from TREC's columns, data frames and objects, checked, as ir_measures takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank.errors import InputError, at
from truerank.readers.roles import NAMES, find
from truerank.readers.sheets import is_frame
from truerank.scores import is_text

if TYPE_CHECKING:
    import pandas as pd

Qrels = dict[str, dict[str, int]]
"""Topic → document → relevance."""

Documents = dict[str, dict[str, float]]
"""Topic → document → score."""

_RUN = "topic, Q0, document, rank, score, tag"
_RUN_WIDTH = 6
_QRELS = "topic, iteration, document, relevance"

TOPIC, DOCUMENT = NAMES["topic_of_document"], NAMES["document"]


def value_names(kind: str) -> Sequence[str]:
    """What the column of values is called in a ``run``, and in ``qrels``."""
    return NAMES["score_of_document" if kind == "run" else "relevance"]


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


def as_stored(scores: ArrayLike) -> NDArray[np.float32]:
    """Scores as trec_eval stores them, in 32 bits: closer ones tie, and so do all beyond that range.

    >>> as_stored([1.0, 1.0 + 1e-9]).tolist()
    [1.0, 1.0]
    """
    with np.errstate(over="ignore"):
        stored: NDArray[np.float32] = np.asarray(scores, dtype=np.float64).astype(np.float32)
    return stored


def trec_order(documents: Mapping[str, float]) -> list[str]:
    """Documents of one topic, best first: by score as 32-bit number, then by id, both descending.

    That is the order of trec_eval 9 (``comp_sim_docno`` in its ``form_res_rels.c``). O(N log N).

    >>> trec_order({"a": 1.0, "b": 1.0 + 1e-9, "c": 2.0})
    ['c', 'b', 'a']
    """
    stored = as_stored(np.fromiter(documents.values(), np.float64, len(documents))).tolist()
    return [document for _, document in sorted(zip(stored, documents, strict=True), reverse=True)]


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────


def parse_run(text: str, source: str) -> Run:
    """A run in TREC's six columns."""
    topics, _, documents, ranks, cells, tags = _columns(text, source, _RUN_WIDTH, f"a run has 6 ({_RUN})")
    run = run_from_columns(topics, documents, cells, _place_of(text, source), ranks)
    return replace(run, tag=tags[0], more_tags=len(set(tags)) > 1)


def run_from(data: Any, where: str) -> Run:
    """A run from an object, such as topic → document → score; libraries are told by their objects' shape."""
    topics, documents, values = _rows(data, "run", where) or _flat(data, where)
    if not topics:
        raise InputError(f"{where}no documents; give topic → document → score")
    return run_from_columns(topics, documents, values, lambda _: where)


def run_from_columns(
    topics: Sequence[str],
    documents: Sequence[str],
    cells: Sequence[Any],
    place: Callable[[int], str],
    ranks: Sequence[str] = (),
) -> Run:
    """A run from columns; `place` says where a row is, as the start of a message."""
    scores = _column(cells, float, np.float64)
    if scores is None or not np.isfinite(scores).all():
        row = next(row for row, cell in enumerate(cells) if not _is_finite(cell))
        raise InputError(
            f"{place(row)}document {documents[row]!r} of topic {topics[row]!r} has the score "
            f"{repr(cells[row])[:_SHOWN]}; every score must be a finite number"
        )
    grouped: Documents = {}
    for topic, document, score in zip(topics, documents, scores.tolist(), strict=True):
        try:
            grouped[topic][document] = score
        except KeyError:
            grouped[topic] = {document: score}
    if sum(map(len, grouped.values())) < len(topics):
        _refuse_repeats(topics, documents, place)
    codes = _codes(topics, grouped)
    numbers = _column(ranks, int, np.int64) if ranks else None
    # No ranks, no contradiction: trec_eval ignores them too.
    disordered = 0 if numbers is None else _disordered(codes, numbers, scores)
    return Run(grouped, tied=_tied(codes, scores), disordered=disordered)


def _is_finite(cell: Any) -> bool:
    number = _column([cell], float, np.float64)
    return number is not None and bool(np.isfinite(number[0]))


def _refuse_repeats(topics: Sequence[str], documents: Sequence[str], place: Callable[[int], str]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for row, key in enumerate(zip(topics, documents, strict=True)):
        first = seen.setdefault(key, row)
        if first != row:
            before = "" if place(first) == place(row) else f", at {place(first).removesuffix(': ')}"
            raise InputError(
                f"{place(row)}document {key[1]!r} is already ranked for topic {key[0]!r}{before}; "
                "keep one of the two"
            )


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


# ── qrels ─────────────────────────────────────────────────────────────────────────────────────────


def parse_qrels(text: str, source: str) -> Qrels:
    """Relevance judgments in TREC's four columns."""
    topics, _, documents, values = _columns(text, source, 4, f"qrels have 4 ({_QRELS})")
    return qrels_from_columns(topics, documents, values, _place_of(text, source))


def qrels_from(data: Any, where: str = "qrels: ") -> Qrels:
    """Judgments from an object, such as topic → document → relevance; as :func:`run_from`."""
    topics, documents, values = _rows(data, "qrels", where) or _flat(data, where)
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
    """The columns of a file; blank lines, comments, and words after the tag of a run are left out."""
    # Counting by line and cutting all at once is twice as fast as keeping a list per line.
    if not _has_comments(text) and set(map(len, map(str.split, _lines(text)))) - {0} == {width}:
        cells_of_all = text.split()
        return [cells_of_all[column::width] for column in range(width)]
    rows = []
    for number, line in enumerate(_lines(text), start=1):
        cells = line.split()
        if not cells or is_comment(cells):
            continue
        if len(cells) < width or (len(cells) > width and width < _RUN_WIDTH):
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            raise InputError(f"{at(source, number)}{columns}, but {what}; fix the line or name another file")
        rows.append(cells[:width])
    if not rows:
        raise InputError(f"{source}: the file holds only comments; name another file")
    return [list(column) for column in zip(*rows, strict=True)]


def _has_comments(text: str) -> bool:
    return text.startswith("#") or "\n#" in text or "\r#" in text


def is_comment(cells: Sequence[str]) -> bool:
    """Whether the cells of a line are a comment, and not a topic whose name starts with ``#``."""
    return cells[0].startswith("#") and not (len(cells) > 3 and cells[1] in ("Q0", "0"))


def _lines(text: str) -> list[str]:
    """The lines as editors count them; `splitlines` would also split at form feeds and the like."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _place_of(text: str, source: str) -> Callable[[int], str]:
    """What says where a row is: the file and its line, counted only when it is asked for."""

    @cache
    def numbers() -> list[int]:
        return [
            number
            for number, line in enumerate(_lines(text), start=1)
            if (cells := line.split()) and not is_comment(cells)
        ]

    return lambda row: at(source, numbers()[row])


def _column(cells: Sequence[Any], kind: type[float], dtype: type[np.generic]) -> NDArray[Any] | None:
    """The cells as numbers, or None when one of them is none."""
    try:
        numbers: NDArray[Any] = np.array(list(map(kind, cells)), dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        return None
    texts = [cell for cell in cells if isinstance(cell, str)]
    return None if "_" in "".join(texts) else numbers  # Python alone reads 1_000


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


def _rows(data: Any, kind: str, where: str) -> tuple[list[str], list[str], list[Any]] | None:
    """Topics, documents and values of a data frame or of named tuples; ``None`` of what is nested."""
    if is_frame(data):
        return _frame_columns(data, value_names(kind), where)
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
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


def _flat(data: Any, where: str) -> tuple[list[str], list[str], list[Any]]:
    """Topics, documents and values of a dictionary of dictionaries."""
    if not isinstance(data, Mapping) or not all(isinstance(inner, Mapping) for inner in data.values()):
        raise InputError(f"{where}give a path, a data frame or a dictionary topic → document → number")
    names = _named(data, "topic", where)
    topics = [topic for topic, inner in zip(names, data.values(), strict=True) for _ in inner]
    documents = _named((document for inner in data.values() for document in inner), "document", where)
    return topics, documents, [value for inner in data.values() for value in inner.values()]


def _named(given: Iterable[Any], what: str, where: str) -> list[str]:
    """Names as trec_eval can take them: half a character ends the interpreter, a NUL ends the name."""
    names = [str(name) for name in given]
    together = "".join(names)
    if "\0" in together or not is_text(together):
        wrong = next(name for name in names if "\0" in name or not is_text(name))
        raise InputError(f"{where}the name of {what} {wrong!r} is not text; rename it")
    return names
