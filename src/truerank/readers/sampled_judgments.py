"""Runs scored by a machine's judgments of all documents, corrected by people's of a random sample of them.

For every topic a machine judged all documents of a pool, and people a random sample of them. Where a measure
is a sum of gain times discount over the ranked documents, the machine's error is estimated without bias and
subtracted. This is the difference estimator of survey sampling, after Horvitz and Thompson (1952).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.resources import Progress
from truerank._support.types import Vector
from truerank._support.wording import count, few
from truerank.errors import InputError, at
from truerank.readers.measures import at_level, parse_measure
from truerank.readers.ranked_runs import RankedRuns, read_ranked_runs
from truerank.readers.run_formats import Qrels
from truerank.readers.runs import QrelsSource, RunNames, RunsSource, judgments
from truerank.scores import ScoreMatrix

UNLIKELY = 3.29
"""Standard errors by which the machine's grades of a sample may differ from those of its pools: 1 in
1,000."""

Grades = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class LinearMeasure:
    """A measure that is a sum over the ranked documents of gain times discount, over a norm.

    >>> linear_measure("P@2").discounts(3).tolist()
    [0.5, 0.5, 0.0]
    """

    name: str
    gains: Callable[[Grades], Vector]
    discounts: Callable[[int], Vector]
    ideal: bool = False

    def norm(self, grades: Grades) -> float:
        """What the sum is divided by, given the grades of all documents."""
        if not self.ideal:
            return 1.0
        best = np.sort(self.gains(grades))[::-1]
        return float(best @ self.discounts(len(best)))


def linear_measure(name: str | Any, relevance_level: int | None = None) -> LinearMeasure:
    """The measure of that name: P@k, nDCG with the ideal of the machine's judgments, or RBP(rel=…).

    >>> linear_measure("nDCG@10").ideal, linear_measure("P@10").ideal
    (True, False)
    """
    measure = at_level(parse_measure(name), relevance_level)
    given = measure.params
    if given.get("judged_only"):
        raise InputError(f"{measure}: which documents are judged is chance here; leave judged_only out")
    cutoff, rel = given.get("cutoff") or math.inf, given.get("rel", 1)

    def discounted(by: Callable[[Vector], Any]) -> Callable[[int], Vector]:
        """The discounts of places counted from 0, which are 0 beyond the cutoff."""

        def of(length: int) -> Vector:
            places = np.arange(length, dtype=np.float64)
            return np.where(places < cutoff, by(places), 0.0)

        return of

    def relevant(grades: Grades) -> Vector:
        return (np.asarray(grades) >= rel).astype(np.float64)

    def gains(grades: Grades) -> Vector:
        positive = np.maximum(grades, 0).astype(np.float64)
        return np.exp2(positive) - 1 if given.get("dcg", "log2") == "exp-log2" else positive

    if measure.NAME == "P":
        return LinearMeasure(str(measure), relevant, discounted(lambda _: 1 / cutoff))
    if measure.NAME == "nDCG" and "gains" not in given:
        logarithmic = discounted(lambda places: 1 / np.log2(places + 2))
        return LinearMeasure(str(measure), gains, logarithmic, ideal=True)
    if measure.NAME == "RBP" and "rel" in given:
        p = given.get("p", 0.8)
        return LinearMeasure(str(measure), relevant, discounted(lambda places: (1 - p) * p**places))
    hint = "; RBP needs a level, as in RBP(rel=1)" if measure.NAME == "RBP" else ""
    raise InputError(
        f"{measure} is not a sum of gain times discount, so sampled judgments give no unbiased estimate. Use "
        "P@k, nDCG@k or RBP(rel=1), or have people judge whole topics (truerank assess --machine-qrels)"
        f"{hint}"
    )


def evaluate_sampled(
    human: QrelsSource,
    machine: QrelsSource,
    runs: RunsSource,
    measures: Sequence[str | Any],
    *,
    relevance_level: int | None = None,
    names: RunNames = "tag",
    progress: Progress | None = None,
) -> dict[str, ScoreMatrix]:
    """Score runs by a machine's judgments, corrected by people's of a sample of each topic's documents.

    A topic has N documents with gains f by the machine; n of them have gains h by people; w are discounts.
    A run's score is ``Σ_d w_d f_d + (N/n) Σ_{d judged} w_d (h_d − f_d)`` over the norm. Its mean over all
    samples is the score by people's judgments of all N documents, whatever the machine does. So a topic's
    score counts like any other in what follows. It may lie outside [0, 1]. nDCG is normalized by the ideal
    of the machine's judgments, which no sample moves: the same for all systems. Retrieved documents that the
    machine did not judge have no gain.

    Args:
        human: people's judgments: of every topic a sample of the documents that the machine judged, each as
            likely as any other; in the forms of :func:`truerank.readers.evaluate`.
        machine: the machine's judgments.
        runs: as there.
        measures: P@k, nDCG or RBP(rel=…), as :func:`linear_measure`.
        relevance_level: as there.
        names: as there.
        progress: as there.

    Returns:
        Measure → scores, with notes on the sample. O(runs × topics × depth).

    Raises:
        InputError: a measure that is not linear, a document that people judged and the machine did not, a
            topic without a sample, or what :func:`truerank.readers.evaluate` refuses.
        UnknownNameError: no such measure.

    Example:
        >>> runs = {"s": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}}
        >>> machine = {"q": {"a": 1, "b": 1, "c": 0, "d": 1}}
        >>> evaluate_sampled({"q": {"a": 1, "b": 0}}, machine, runs, ["P@2"])["P@2"].values.tolist()
        [[0.0]]
    """
    wanted = [linear_measure(name, relevance_level) for name in measures]
    if not wanted:
        raise InputError("no measure; name at least one, such as P@10")
    people, judge = judgments(human), judgments(machine)
    read = read_ranked_runs(machine, runs, names=names, progress=progress)
    where = at(str(human)) if isinstance(human, str) else ""
    samples = [_sample(topic, people, judge, where) for topic in read.topics]
    notes = (*read.notes, *_notes(read, people, samples))
    found = {}
    for measure in wanted:
        norms = [measure.norm(grades) for grades in read.grades]
        kept = [t for t, norm in enumerate(norms) if norm > 0]
        if not kept:
            raise InputError(f"{where}{measure.name} has no ideal: the machine found nothing relevant at all")
        about = list(notes)
        if len(kept) < read.n:
            gone = [read.topics[t] for t in range(read.n) if norms[t] <= 0]
            facts = {"case": "ideal", "measure": measure.name, "topics": gone}
            about.append(Note("topics-left-out", facts))
        values = np.array([_scores(read, t, samples[t], measure) / norms[t] for t in kept])
        topics = [read.topics[t] for t in kept]
        found[measure.name] = ScoreMatrix.build(values, topics, read.systems, measure.name, notes=about)
    return found


_Sample = tuple[NDArray[np.intp], Grades]
"""The documents of a topic that people judged, as numbers of the machine's, and their grades."""


def _sample(topic: str, people: Qrels, judge: Qrels, where: str) -> _Sample:
    judged: Mapping[str, int] = people.get(topic, {})
    if not judged:
        lacking = [one for one in judge if not people.get(one)]
        raise InputError(
            f"{where}people judged no document of {len(lacking)} of the {count(len(judge), 'topic')} that "
            f"the machine judged ({few(list(map(repr, lacking)), 4)}). Have people judge a sample of each, "
            "or remove these topics from the machine’s judgments"
        )
    numbers = {document: number for number, document in enumerate(judge[topic])}
    strange = [document for document in judged if document not in numbers]
    if strange:
        raise InputError(
            f"{where}people judged {count(len(strange), 'document')} of topic {topic!r} that the machine did "
            f"not ({few(list(map(repr, strange)))}); they must be a sample of those that it judged"
        )
    rows = np.array([numbers[document] for document in judged], dtype=np.intp)
    return rows, np.array(list(judged.values()), dtype=np.int64)


def _scores(read: RankedRuns, t: int, sample: _Sample, measure: LinearMeasure) -> Vector:
    """The sum of gain times discount of every system on a topic, the machine's gains corrected."""
    gains = np.append(measure.gains(read.grades[t]), 0.0)
    documents, grades = sample
    share = len(documents) / (len(gains) - 1)
    gains[documents] += (measure.gains(grades) - gains[documents]) / share
    found = np.zeros(read.m)
    for s in range(read.m):
        ranked = np.minimum(read.rankings[s][t], len(gains) - 1)  # the last one is of all that nobody judged
        found[s] = gains[ranked] @ measure.discounts(len(ranked))
    return found


def _notes(read: RankedRuns, people: Qrels, samples: Sequence[_Sample]) -> list[Note]:
    """How large the samples are, and whether they look like samples."""
    sizes = [len(documents) for documents, _ in samples]
    pools = [len(grades) for grades in read.grades]
    notes = [Note("reading", {"case": "sampled-judgments", "documents": sum(sizes), "of": sum(pools)})]
    beyond = [topic for topic in people if topic not in set(read.topics)]
    if beyond:
        notes.append(Note("topics-left-out", {"case": "unpaired", "topics": beyond}))
    gap = variance = 0.0
    for grades, (documents, _) in zip(read.grades, samples, strict=True):
        n, total = len(documents), len(grades)
        if n < total:
            gap += float(grades[documents].mean() - grades.mean())
            variance += float(grades.var()) / n * (total - n) / (total - 1)
    if abs(gap) > UNLIKELY * math.sqrt(variance) and abs(gap) > 0:
        notes.append(Note("not-a-sample", {"case": "documents", "higher": gap > 0}))
    return notes
