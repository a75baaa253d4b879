"""Runs and qrels as document lists: for each system and topic the ranked scores and their relevance."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note, Noted
from truerank._support.resources import Progress
from truerank._support.types import Vector
from truerank.readers.ranked_runs import read_ranked_runs
from truerank.readers.runs import QrelsSource, RunNames, RunsSource

Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DocumentList:
    """One system's documents on one topic, best first.

    The order is trec_eval's: by score as a 32-bit number, then by document id, both descending.

    Attributes:
        scores: N scores, in that order; float64, read-only.
        documents: N numbers that stand for the documents, the same for all systems of a topic.
        grades: N relevance grades, 0 for documents that are not relevant or not judged.
        missing: grades of the topic's relevant documents that are not in the list.

    Example:
        >>> collection = read_collection({"q": {"a": 2, "b": 0, "c": 1}}, {"s": {"q": {"b": 2.0, "a": 1.0}}})
        >>> one = collection.lists[0][0]
        >>> one.retrieved, one.relevant.tolist(), one.missing.tolist()
        (2, [1], [1])
    """

    scores: Vector
    documents: NDArray[np.int32]
    grades: Integers
    missing: Integers

    @property
    def retrieved(self) -> int:
        """N, the number of documents in the list."""
        return len(self.scores)

    @property
    def relevant(self) -> NDArray[np.intp]:
        """0-based places of the r relevant documents in the list, ascending."""
        return np.flatnonzero(self.grades)

    def at_level(self, level: int, graded: bool = True) -> DocumentList:
        """The list, relevant from that grade on; grade 1 for all of these, unless grades count."""
        missing = self.missing[self.missing >= level]
        if not graded:
            missing = np.ones_like(missing)
        return replace(self, grades=_from(level, self.grades, graded), missing=missing)


def _from(level: int, grades: Integers, graded: bool) -> Integers:
    """The grades at or above a level, or 1 for each of them; 0 below."""
    return np.where(grades >= max(level, 1), grades if graded else 1, 0)


@dataclass(frozen=True, eq=False)
class DocumentCollection(Noted):
    """The document lists of m systems on the n topics of the qrels for which a run has documents.

    There is one tuple of lists a system, of one list a topic. For each topic, `judged` has the grades of its
    relevant documents, by the documents' numbers, which start with these; 0 for those below a level.
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    lists: tuple[tuple[DocumentList, ...], ...]
    judged: tuple[Integers, ...]
    notes: tuple[Note, ...] = ()

    @property
    def n(self) -> int:
        return len(self.topics)

    @property
    def m(self) -> int:
        return len(self.systems)

    def at_level(self, level: int, graded: bool = True) -> DocumentCollection:
        if level <= 1 and (graded or not self.graded):
            return self
        return replace(
            self,
            lists=tuple(tuple(documents.at_level(level, graded) for documents in row) for row in self.lists),
            judged=tuple(_from(level, grades, graded) for grades in self.judged),
        )

    def select(self, systems: Sequence[int] | NDArray[np.intp]) -> DocumentCollection:
        return replace(
            self, systems=tuple(self.systems[s] for s in systems), lists=tuple(self.lists[s] for s in systems)
        )

    @property
    def graded(self) -> bool:
        grades = np.unique(np.concatenate(self.judged))
        return len(grades[grades > 0]) > 1

    def fingerprint(self) -> str:
        """A hash of names, lists and judgments: equal if and only if the data are."""
        digest = hashlib.sha256(f"{self.n} {self.m}".encode())
        arrays = [
            array
            for row in self.lists
            for documents in row
            for array in (documents.scores, documents.documents, documents.grades)
        ]
        names = [np.frombuffer(name.encode(), np.uint8) for name in (*self.topics, *self.systems)]
        for array in (*names, *self.judged, *arrays):
            digest.update(len(array).to_bytes(8, "little") + array.tobytes())
        return digest.hexdigest()


def read_collection(
    qrels: QrelsSource,
    runs: RunsSource,
    *,
    names: RunNames = "tag",
    format: str | None = None,
    progress: Progress | None = None,
) -> DocumentCollection:
    """Read runs and qrels into document lists; one run is in memory as text at a time.

    Topics and default scores are those of :func:`truerank.evaluate`: a run without documents for a
    topic has an empty list there. Memory: 20 bytes a retrieved document.
    """
    result = read_ranked_runs(qrels, runs, scores=True, names=names, format=format, progress=progress)
    assert result.scores is not None
    judged = tuple(_frozen(grades[grades > 0], np.int64) for grades in result.grades)
    columns = [
        _lists_of_topic(
            result.grades[t],
            [row[t] for row in result.rankings],
            [row[t] for row in result.scores],
            judged[t],
        )
        for t in range(result.n)
    ]
    return DocumentCollection(
        result.topics, result.systems, tuple(zip(*columns, strict=True)), judged, result.notes
    )


def _lists_of_topic(
    grades: NDArray[np.int32],
    rankings: Sequence[NDArray[np.int32]],
    scores: Sequence[Vector],
    relevant: Integers,
) -> list[DocumentList]:
    """The lists of all systems on one topic; `relevant` has the grades of its relevant documents."""
    retrieved = np.concatenate(rankings)
    known = max(len(grades), 1 + int(retrieved.max(initial=-1)))
    is_relevant = np.zeros(known, dtype=bool)
    is_relevant[: len(grades)] = grades > 0
    others, first = np.unique(retrieved[~is_relevant[retrieved]], return_index=True)
    number = np.full(known, -1, dtype=np.int32)
    number[is_relevant] = np.arange(len(relevant))
    number[others[np.argsort(first)]] = len(relevant) + np.arange(len(others))
    return [
        _list_of(number[ranking], of_list, relevant)
        for ranking, of_list in zip(rankings, scores, strict=True)
    ]


def _list_of(documents: NDArray[np.int32], scores: Vector, relevant: Integers) -> DocumentList:
    result = documents < len(relevant)
    grades = np.zeros(len(documents), dtype=np.int64)
    grades[result] = relevant[documents[result]]
    missing = np.delete(relevant, documents[result])
    return DocumentList(
        scores, _frozen(documents, np.int32), _frozen(grades, np.int64), _frozen(missing, np.int64)
    )


def _frozen(values: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    array = np.asarray(values, dtype=dtype)
    array.setflags(write=False)
    return array
