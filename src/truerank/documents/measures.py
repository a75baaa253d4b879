"""Measures from the places of the relevant documents alone, for many samples of a topic at once.

The unsampled places give what ``ir_measures`` gives; a measure is looked up by its name in
``ir_measures``' spelling or trec_eval's. Where R* relevant documents exist in a sample, R* = 0
scores 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.readers.measures import at_level, parse_measure


@dataclass(frozen=True, eq=False)
class RelevantPlaces:
    """Where the relevant documents stand in k rankings of one topic.

    Places are k × w, 1-based and ascending in each row, infinite past the ranking's last one. Grades are
    those at the places, 0 past the last; ``None`` where all count the same. For the G levels, best first,
    `existing` says how many documents the topic has in each ranking, k × G.
    """

    places: NDArray[np.float64]
    grades: NDArray[np.int64] | None
    levels: NDArray[np.int64]
    existing: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.int64]:
        """R*: how many relevant documents the topic has in each sample, length k."""
        return self.existing.sum(axis=1)


@dataclass(frozen=True)
class PlaceMeasure:
    """A measure that needs only the places (and grades) of the relevant documents.

    `level` is the lowest grade that counts as relevant; `graded` says whether grades matter beyond that.
    """

    name: str
    level: int
    graded: bool
    scores: Callable[[RelevantPlaces], Vector]


def place_measure(name: str | Any, relevance_level: int | None = None) -> PlaceMeasure:
    """The measure of that name, in ir_measures' or trec_eval's spelling; its scores are in [0, 1]."""
    measure = parse_measure(name)
    family = _FAMILIES.get(measure.NAME)
    if family is None:
        raise InputError(f"measure {measure} is not known for documents; choose from {', '.join(_FAMILIES)}")
    measure = at_level(measure, relevance_level)
    parameters = dict(measure.params)
    cutoff = float(parameters.pop("cutoff", np.inf))
    level = int(parameters.pop("rel", 1))
    odd = {key: value for key, value in parameters.items() if value != measure.SUPPORTED_PARAMS[key].default}
    if odd:
        raise InputError(f"measure {measure}: {', '.join(odd)} is not known for documents; leave it out")
    return PlaceMeasure(str(measure), level, family is ndcg, lambda sample: family(sample, cutoff))


def _per_existing(gains: NDArray[Any], sample: RelevantPlaces) -> Vector:
    """Gains divided by R*, 0 where that is 0."""
    total = sample.total
    return np.divide(gains, total, out=np.zeros(len(total)), where=total > 0)


def ap(sample: RelevantPlaces, cutoff: float) -> Vector:
    """Average precision: the precision at each relevant document's place, summed, over R*."""
    inverse = 1.0 / sample.places
    inverse[sample.places > cutoff] = 0.0
    return _per_existing(inverse @ np.arange(1.0, inverse.shape[1] + 1), sample)


def precision(sample: RelevantPlaces, cutoff: float) -> Vector:
    """P@k: relevant documents in the first k places, over k."""
    return np.count_nonzero(sample.places <= cutoff, axis=1) / cutoff


def recall(sample: RelevantPlaces, cutoff: float) -> Vector:
    """R@k: relevant documents in the first k places, over R*."""
    return _per_existing(np.count_nonzero(sample.places <= cutoff, axis=1), sample)


def r_precision(sample: RelevantPlaces, cutoff: float) -> Vector:
    """Precision at R*; it has no cutoff."""
    return _per_existing(np.count_nonzero(sample.places <= sample.total[:, None], axis=1), sample)


def reciprocal_rank(sample: RelevantPlaces, cutoff: float) -> Vector:
    """1 / the first relevant document's place, 0 where there is none up to the cutoff."""
    if sample.places.shape[1] == 0:
        return np.zeros(len(sample.places))
    first = sample.places[:, 0]
    return np.where(first <= cutoff, 1.0 / first, 0.0)


def ndcg(sample: RelevantPlaces, cutoff: float) -> Vector:
    """nDCG with gains equal to grades and log₂ discounts; the ideal ranking is each sample's own."""
    gains = 1 if sample.grades is None else sample.grades
    inside = sample.places <= cutoff
    gained = np.sum(np.where(inside, gains / np.log2(sample.places + 1.0), 0.0), axis=1)
    most = int(sample.total.max())
    places = np.arange(1.0, most + 1)
    discounts = np.where(places <= cutoff, 1.0 / np.log2(places + 1.0), 0.0)
    summed = np.append(0.0, np.cumsum(discounts))
    ends = np.cumsum(sample.existing, axis=1)
    ideal = (summed[ends] - summed[ends - sample.existing]) @ sample.levels.astype(np.float64)
    return np.divide(gained, ideal, out=np.zeros(len(ideal)), where=ideal > 0)


_FAMILIES: dict[str, Callable[[RelevantPlaces, float], Vector]] = {
    "AP": ap,
    "P": precision,
    "Rprec": r_precision,
    "RR": reciprocal_rank,
    "nDCG": ndcg,
    "R": recall,
}
