"""Runs with their judgments, held small, to be scored again and again with other judgments."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.errors import InputError
from truerank.experiments.engine.experiment import option
from truerank.experiments.shared.agreement import Trusted, trusted_by_name
from truerank.readers.measures import parse_measure
from truerank.readers.names import choose_names, file_stem
from truerank.readers.runs import run_sources
from truerank.readers.trecfiles import Documents, read_qrels
from truerank.scores import ScoreMatrix

Numbers = NDArray[np.int32]
Judgments = tuple[Numbers, Numbers]
"""A topic's judgments: documents by number, and their grades."""


@dataclass(frozen=True)
class JudgedParameters:
    """What every experiment on runs and judgments can be told."""

    qrels: str = option("", "The judgments, in TREC's format; the sources are the runs.")
    measures: tuple[str, ...] = option(("AP",), "Measures to rank by.")
    samples: int = option(10_000, "Bootstrap samples behind the p-values.")

    def __post_init__(self) -> None:
        """Refuse what no experiment can use."""
        if self.samples < 1:
            raise InputError(f"samples must be at least 1, not {self.samples}")
        if not self.measures:
            raise InputError("measures: name at least one, e.g. AP")
        names = [str(parse_measure(name)) for name in self.measures]
        if len(set(names)) != len(names):
            raise InputError(f"measures names one twice: {','.join(names)}")


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """The rankings of m systems on n topics, and what was judged; documents are numbers.

    In every topic the judged documents come first, numbered from 0 in the order of the qrels, then the
    others. Four bytes a retrieved document.

    Attributes:
        topics: those of the qrels for which at least one run has documents.
        systems: m names.
        rankings: for each system and topic the documents, best first, as trec_eval ranks them.
        grades: for each topic the grade of every judged document.
        source: the file of the judgments.
    """

    topics: tuple[str, ...]
    systems: tuple[str, ...]
    rankings: tuple[tuple[Numbers, ...], ...]
    grades: tuple[Numbers, ...]
    source: str | None = None

    def fingerprint(self) -> str:
        """A hash of names, rankings and judgments: equal if and only if the data are."""
        digest = hashlib.sha256()
        for name in (*self.topics, *self.systems):
            data = name.encode()
            digest.update(len(data).to_bytes(8, "little") + data)
        for numbers in (*self.grades, *(one for row in self.rankings for one in row)):
            digest.update(len(numbers).to_bytes(8, "little") + numbers.astype("<i4").tobytes())
        return digest.hexdigest()

    def judgments(self) -> list[Judgments]:
        """All judgments, a topic at a time."""
        return [(np.arange(len(grades), dtype=np.int32), grades) for grades in self.grades]

    def pool(self, topic: int, depth: int) -> Numbers:
        """The documents that some run ranks in its first `depth`, ascending; judged or not."""
        return np.unique(np.concatenate([row[topic][:depth] for row in self.rankings]))

    def scores(self, measures: Sequence[str], judgments: Sequence[Judgments]) -> dict[str, ScoreMatrix]:
        """Score all runs with these judgments, by ir_measures, on the same topics.

        A topic without judgments scores 0 for all. Under a second for twelve runs of 1,000 documents
        on 100 topics.

        Args:
            measures: any that ir_measures computes.
            judgments: one a topic.

        Returns:
            Measure, as ir_measures prints it → scores.
        """
        import ir_measures

        wanted = [parse_measure(name) for name in measures]
        names, runs = _as_dictionaries(self)
        qrels = {
            topic: {names[d]: g for d, g in zip(documents.tolist(), grades.tolist(), strict=True)}
            for topic, (documents, grades) in zip(self.topics, judgments, strict=True)
            if len(documents)
        }
        place = {topic: t for t, topic in enumerate(self.topics)}
        values = {measure: np.zeros((len(self.topics), len(self.systems))) for measure in wanted}
        if qrels:
            evaluator = ir_measures.evaluator(wanted, qrels)
            for s, run in enumerate(runs):
                for metric in evaluator.iter_calc(run):
                    values[metric.measure][place[metric.query_id], s] = metric.value
        return {
            str(measure): ScoreMatrix.build(table, self.topics, self.systems, str(measure))
            for measure, table in values.items()
        }


@lru_cache(maxsize=1)
def _as_dictionaries(runs: JudgedRuns) -> tuple[list[str], list[Documents]]:
    """Names of the document numbers, and the runs as ir_measures takes them: the same order, no ties."""
    lists = [one for row in runs.rankings for one in row]
    most = 1 + max(int(one.max(initial=-1)) for one in (*lists, *map(_last, runs.grades)))
    names = [str(number) for number in range(most)]
    made = []
    for row in runs.rankings:
        run: Documents = {}
        for topic, documents in zip(runs.topics, row, strict=True):
            if len(documents):
                places = range(len(documents), 0, -1)
                run[topic] = {names[d]: float(p) for d, p in zip(documents.tolist(), places, strict=True)}
        made.append(run)
    return names, made


def _last(grades: Numbers) -> Numbers:
    return np.array([len(grades) - 1], dtype=np.int32)


def read(runs: Any, qrels: Any) -> JudgedRuns:
    """Read runs (files, folders of them, or a mapping from names to what holds a run) and judgments.

    One run is in memory as text at a time.

    Raises:
        InputError: a file that cannot be used, no topics in common, or equal names.
    """
    judged = read_qrels(qrels)
    numbers = {topic: {d: i for i, d in enumerate(judged[topic])} for topic in judged}
    labels, paths, rows = [], [], []
    for source in run_sources(runs):
        name, path, run = source.name, source.path, source.read()
        labels.append(name or run.tag or file_stem(path))
        paths.append(path)
        rows.append(
            {
                topic: np.array(
                    [
                        numbers[topic].setdefault(d, len(numbers[topic]))
                        for d in _ranked(run.documents[topic])
                    ],
                    dtype=np.int32,
                )
                for topic in run.documents
                if topic in judged
            }
        )
        if not rows[-1]:
            raise InputError(
                f"{path}: run and qrels have no topic in common; use the qrels of the runs' topics"
            )
    if len(rows) < 2:
        raise InputError("name at least two runs, or a folder of them")
    if not isinstance(runs, Mapping):
        labels, _ = choose_names(labels, paths, "tag")
    topics = [topic for topic in judged if any(topic in row for row in rows)]
    nothing = np.empty(0, dtype=np.int32)
    return JudgedRuns(
        tuple(topics),
        tuple(labels),
        tuple(tuple(row.get(topic, nothing) for topic in topics) for row in rows),
        tuple(np.array(list(judged[topic].values()), dtype=np.int32) for topic in topics),
        str(qrels) if isinstance(qrels, str | os.PathLike) else None,
    )


def _ranked(documents: Mapping[str, float]) -> list[str]:
    """Documents by score as trec_eval keeps it (32 bits), then by id, both descending."""
    with np.errstate(over="ignore"):
        seen = np.fromiter(documents.values(), np.float64, len(documents)).astype(np.float32).tolist()
    return [document for _, document in sorted(zip(seen, documents, strict=True), reverse=True)]


def load(sources: Any, parameters: JudgedParameters) -> dict[str, JudgedRuns]:
    """The one collection, by the name of its qrels.

    Args:
        sources: runs, as :func:`read` takes them, or :class:`JudgedRuns` made before.
        parameters: with the path of the judgments.

    Raises:
        InputError: no judgments were named, or as :func:`read`.
    """
    if isinstance(sources, JudgedRuns):
        return {"runs": sources}
    if not parameters.qrels:
        raise InputError("name the judgments of the runs: --qrels FILE")
    return {file_stem(parameters.qrels): read(sources, parameters.qrels)}


@dataclass(frozen=True, eq=False)
class JudgedContext:
    """What tasks on runs and judgments need: the runs, and each measure's ranking by all judgments."""

    parameters: Any
    runs: JudgedRuns
    trusted: Mapping[str, Trusted]

    def agreement(self, judgments: Sequence[Judgments]) -> list[dict[str, Any]]:
        """A row a measure: its ranking with these judgments against its ranking with all of them."""
        found = self.runs.scores(self.parameters.measures, judgments)
        return [
            {"measure": name, **row}
            for name, trusted in self.trusted.items()
            for row in trusted.agreement(found[name].means)
        ]


def prepare(parameters: JudgedParameters, data: Mapping[str, JudgedRuns], seed: int) -> JudgedContext:
    """Rank by all judgments."""
    runs = next(iter(data.values()))
    scores = runs.scores(parameters.measures, runs.judgments())
    return JudgedContext(parameters, runs, trusted_by_name(scores, parameters.samples, seed))
