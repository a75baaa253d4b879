"""What models with continuous scores share: standardized scores, and keys that are probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from truerank._support.types import Vector
from truerank.documents.collection import DocumentList
from truerank.documents.models import bst
from truerank.documents.models.model import Keys, Sampler
from truerank.scores import TIE

RelevantScores = Callable[[int, Generator], Vector]  # draws scores of relevant documents

ShareAbove = Callable[[Vector], Vector]  # the probability that a non-relevant draw is above each score


@dataclass(frozen=True)
class ScoreSampler:
    """Draws of relevant scores; a key is the probability that a non-relevant draw is above it."""

    relevant: RelevantScores
    share_above: ShareAbove

    @property
    def last(self) -> float:
        """Every non-relevant draw is above."""
        return 1.0

    def draw(self, size: int, rng: Generator) -> Keys:
        """Scores, turned into keys."""
        return self.share_above(self.relevant(size, rng))

    def above(self, keys: Keys) -> Vector:
        """The keys themselves."""
        return keys

    def grades(self, keys: Keys) -> None:
        """A draw is a score, not a document."""
        return


def fit_scores(
    documents: DocumentList,
    relevant: Callable[[Vector], RelevantScores],
    non_relevant: Callable[[Vector], ShareAbove],
) -> Sampler:
    """A sampler from fits to both sets; a set without two distinct scores is drawn with replacement."""
    places = documents.grades > 0
    scores = unit_scale(documents.scores)
    good, bad = scores[places], scores[~places]
    if not (has_spread(good) or has_spread(bad)):
        return bst.fit(documents)
    ascending = np.sort(bad)

    def observed_share_above(at: Vector) -> Vector:
        return (len(bad) - np.searchsorted(ascending, at, side="right")) / max(len(bad), 1)

    return ScoreSampler(
        relevant(good) if has_spread(good) else lambda size, rng: good[rng.integers(0, len(good), size)],
        non_relevant(bad) if has_spread(bad) else observed_share_above,
    )


def has_spread(scores: Vector) -> bool:
    """Whether scores on the unit scale differ by more than rounding."""
    return len(scores) > 1 and float(np.ptp(scores)) > TIE


def lacks_spread(documents: DocumentList) -> bool:
    """Whether one of the sets has scores, but too few distinct ones to be fitted."""
    scores = unit_scale(documents.scores)
    sets = (scores[documents.grades > 0], scores[documents.grades == 0])
    return any(len(item) > 0 and not has_spread(item) for item in sets)


def unit_scale(scores: Vector) -> Vector:
    """The scores moved to [0, 1]; no model here depends on origin or unit, and huge ones fit."""
    if len(scores) == 0:
        return scores
    half = scores / 2  # the difference of two huge scores of opposite sign would overflow
    spread = np.ptp(half)
    return (half - half.min()) / spread if spread > 0 else np.zeros_like(scores)
