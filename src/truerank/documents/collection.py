"""Runs and qrels as document lists: for each system and topic the ranked scores and their relevance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import PathLike
from truerank._support.types import Progress, Vector
from truerank.errors import InputError, unknown_name
from truerank.readers.findings import Findings, notes_on_runs
from truerank.readers.names import choose_names, file_stem
from truerank.readers.runs import run_sources
from truerank.readers.trecfiles import read_qrels

if TYPE_CHECKING:
    import pandas as pd

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DocumentList:
    """One system's documents on one topic, best first.

    The order is trec_eval's: by score as a 32-bit number, then by document id, both descending.

    Attributes:
        scores: N scores, in that order; float64, read-only.
        documents: N numbers that stand for the documents, the same for all systems of a topic.
        grades: N relevance grades, 0 for documents that are not relevant or not judged.
        missing: grades of the topic's relevant documents that are not in the list.
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

    def at_level(self, level: int) -> DocumentList:
        """The same list with documents below the relevance level counted as not relevant."""
        grades = np.where(self.grades >= level, self.grades, 0)
        return replace(self, grades=grades, missing=self.missing[self.missing >= level])


@dataclass(frozen=True, eq=False)
class DocumentCollection:
    """The document lists of m systems on n topics.

    Attributes:
        topics: n names: topics of the qrels for which at least one run has documents.
        systems: m names.
        lists: one tuple a system, of one list a topic.
        judged: for each topic the grades of its relevant documents, by the documents' numbers,
            which start with these; 0 for those below a level that was asked for.
        notes: what was met on the way and a user should know, one sentence each.
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    lists: tuple[tuple[DocumentList, ...], ...]
    judged: tuple[Integers, ...]
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of topics."""
        return len(self.topics)

    @property
    def m(self) -> int:
        """Number of systems."""
        return len(self.systems)

    def at_level(self, level: int) -> DocumentCollection:
        """The same documents, relevant from that grade on."""
        if level <= 1:
            return self
        return replace(
            self,
            lists=tuple(tuple(documents.at_level(level) for documents in row) for row in self.lists),
            judged=tuple(np.where(grades >= level, grades, 0) for grades in self.judged),
        )

    def select(self, systems: Sequence[int] | NDArray[np.intp]) -> DocumentCollection:
        """The same topics with the given systems (indices), in the given order."""
        return replace(
            self,
            systems=tuple(self.systems[s] for s in systems),
            lists=tuple(self.lists[s] for s in systems),
        )

    @property
    def graded(self) -> bool:
        """Whether relevant documents differ in their grades."""
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
    qrels: PathLike | pd.DataFrame | Mapping[Any, Mapping[Any, int]],
    runs: PathLike | Sequence[PathLike] | Mapping[str, Any],
    *,
    names: str = "tag",
    progress: Progress | None = None,
) -> DocumentCollection:
    """Read runs and qrels into document lists; one run is in memory as text at a time.

    Topics and default scores are those of :func:`truerank.evaluate`: a run without documents for a
    topic has an empty list there. Memory: 20 bytes a retrieved document.

    Args:
        qrels: a file in TREC's format (plain or gzipped), a data frame, or a dictionary
            topic → document → relevance.
        runs: files in TREC's format, folders of them, or a mapping from systems' names to files,
            data frames or dictionaries.
        names: whether a file's system is called by its ``tag`` or its ``file``.
        progress: called with (runs done, runs in all, the run's name).

    Raises:
        InputError: a file that cannot be used (with its line), no common topics, or equal names.
    """
    if names not in ("tag", "file"):
        raise unknown_name("way to name runs", names, ("tag", "file"))
    judgments = read_qrels(qrels)
    vocabularies = {topic: _Vocabulary(judged) for topic, judged in judgments.items()}
    sources = run_sources(runs)
    labels: list[str] = []
    rows: list[dict[str, DocumentList]] = []
    findings: list[Findings] = []
    for source in sources:
        run = source.read()
        label = source.name or (run.tag if names == "tag" else file_stem(source.path))
        orders = {topic: _trec_order(run.documents[topic]) for topic in run.documents if topic in judgments}
        if not orders:
            raise InputError(
                f"run {label!r} and the qrels have no topic in common (the run has "
                f"{next(iter(run.documents))!r}, the qrels have {next(iter(judgments))!r}); "
                "use the qrels of the runs' own test collection"
            )
        labels.append(label)
        rows.append(
            {topic: vocabularies[topic].listed(ids, run.documents[topic]) for topic, ids in orders.items()}
        )
        judged_at_10 = {
            topic: float(np.mean([document in judgments[topic] for document in ids[:10]]))
            for topic, ids in orders.items()
        }
        findings.append(Findings.of(run, judgments, judged_at_10))
        if progress is not None:
            progress(len(labels), len(sources), label)
    notes: list[str] = []
    if not isinstance(runs, Mapping):
        labels, notes = choose_names(labels, [source.path for source in sources], "tag")
    topics = [topic for topic in judgments if any(topic in row for row in rows)]
    notes += notes_on_runs(dict(zip(labels, findings, strict=True)), topics, judgments)
    return DocumentCollection(
        tuple(topics),
        tuple(labels),
        tuple(
            tuple(row.get(topic) or vocabularies[topic].listed([], {}) for topic in topics) for row in rows
        ),
        tuple(vocabularies[topic].grades for topic in topics),
        tuple(notes),
    )


class _Vocabulary:
    """Numbers for one topic's documents: first the relevant ones, then others as they appear."""

    def __init__(self, judged: Mapping[str, int]) -> None:
        relevant = {document: grade for document, grade in judged.items() if grade > 0}
        self.numbers = {document: number for number, document in enumerate(relevant)}
        self.grades = _frozen(list(relevant.values()), np.int64)

    def listed(self, ids: Sequence[str], scores: Mapping[str, float]) -> DocumentList:
        """The list of the documents `ids`, best first."""
        numbers = self.numbers
        documents = np.array([numbers.setdefault(d, len(numbers)) for d in ids], dtype=np.int32)
        grades = np.zeros(len(ids), dtype=np.int64)
        known = documents < len(self.grades)
        grades[known] = self.grades[documents[known]]
        missing = np.delete(self.grades, documents[known])
        return DocumentList(
            _frozen([scores[document] for document in ids], np.float64),
            _frozen(documents, np.int32),
            _frozen(grades, np.int64),
            _frozen(missing, np.int64),
        )


def _trec_order(documents: Mapping[str, float]) -> list[str]:
    """Document ids by score as trec_eval stores it (32 bits), then by id, both descending."""
    with np.errstate(over="ignore"):  # a score beyond 32 bits is infinite to trec_eval, and so tied
        seen = np.fromiter(documents.values(), np.float64, len(documents)).astype(np.float32).tolist()
    return [document for _, document in sorted(zip(seen, documents, strict=True), reverse=True)]


def _frozen(values: Any, dtype: type[np.generic]) -> NDArray[Any]:
    array = np.asarray(values, dtype=dtype)
    array.setflags(write=False)
    return array
