"""Document models by name: how the documents of another collection are drawn.

By ``shared`` all systems rank the same sampled documents (:mod:`truerank.documents.samples`). The others draw
for each system by itself (yang-2018). Such a model, fitted to one document list, draws places of relevant
documents, and gives the probability that a non-relevant one is ranked above them. The rest is in
:mod:`truerank.documents.samples`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.types import Vector
from truerank.documents.collection import DocumentList
from truerank.scores import TIE

_ABOUT = explained_from(__file__)
Keys = NDArray[Any]  # places of relevant draws as numbers that sort from best to worst


class Sampler(Protocol):
    """A model fitted to one document list with at least one relevant document.

    Example:
        >>> import numpy as np
        >>> from truerank.documents.collection import read_collection
        >>> from truerank.documents.models import document_model
        >>> collection = read_collection({"q": {"a": 1, "b": 0}}, {"s": {"q": {"b": 2.0, "a": 1.0}}})
        >>> sampler = document_model("bst").fit(collection.lists[0][0])
        >>> keys = sampler.draw(3, np.random.default_rng(0))
        >>> keys.tolist(), sampler.above(keys).tolist(), sampler.grades(keys).tolist()
        ([0, 0, 0], [1.0, 1.0, 1.0], [1, 1, 1])
    """

    @property
    def last(self) -> float:
        """A key that sorts after every draw, or equal to the worst."""

    def draw(self, size: int, rng: Generator) -> Keys:
        """Keys of `size` independent draws of a relevant document."""

    def above(self, keys: Keys) -> NDArray[np.float64]:
        """For each key, or `last`, the probability that a non-relevant draw is ranked above it."""

    def grades(self, keys: Keys) -> NDArray[np.int64] | None:
        """The grade of each key's document (0 for `last`); ``None`` where a draw is not a document."""


@dataclass(frozen=True)
class DocumentModel(Entry):
    """A way to draw the documents of another collection of the same kind.

    Attributes:
        fit: from a list with r ≥ 1 relevant documents to its sampler; ``None`` where all systems share the
            sampled documents.
        draws_documents: whether a draw of a relevant document is one of the list's own, with its
            grade, so that graded measures are possible; otherwise it is a score.

    Example:
        >>> from truerank.documents.models import document_model
        >>> model = document_model("kde")
        >>> model.label, model.draws_documents, model.references
        ('kernel density', False, ('yang-2018', 'scott-1992'))
    """

    fit: Callable[[DocumentList], Sampler] | None
    draws_documents: bool = False

    @property
    def shared(self) -> bool:
        """Whether all systems rank the same sampled documents."""
        return self.fit is None


# bst: documents are drawn from those retrieved, with replacement (yang-2018 §3.1)


@dataclass(frozen=True)
class RankedDocuments:
    """Draws of the list's own relevant documents; a key is the document's place among them.

    Equal scores keep the order of their documents' ids, so a sampled ranking is the raw one with documents
    repeated or left out.
    """

    share_above: NDArray[np.float64]
    grade: NDArray[np.int64]

    @property
    def last(self) -> int:
        return len(self.grade) - 1

    def draw(self, size: int, rng: Generator) -> Keys:
        return rng.integers(0, self.last, size, dtype=np.uint16 if self.last < 2**16 else np.int64)

    def above(self, keys: Keys) -> NDArray[np.float64]:
        return self.share_above[keys]

    def grades(self, keys: Keys) -> NDArray[np.int64]:
        return self.grade[keys]


def fit_bst(documents: DocumentList) -> RankedDocuments:
    places = documents.relevant
    non_relevant = max(documents.retrieved - len(places), 1)
    share = (places - np.arange(len(places))) / non_relevant
    return RankedDocuments(np.append(share, 1.0), np.append(documents.grades[places], 0))


# Models of continuous scores

RelevantScores = Callable[[int, Generator], Vector]  # draws scores of relevant documents

ShareAbove = Callable[[Vector], Vector]  # the probability that a non-relevant draw is above each score


@dataclass(frozen=True)
class ScoreSampler:
    """Draws of relevant scores; a key is the probability that a non-relevant draw is above it."""

    relevant: RelevantScores
    share_above: ShareAbove

    @property
    def last(self) -> float:
        return 1.0

    def draw(self, size: int, rng: Generator) -> Keys:
        return self.share_above(self.relevant(size, rng))

    def above(self, keys: Keys) -> Vector:
        return keys

    def grades(self, keys: Keys) -> None:
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
        return fit_bst(documents)
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


# kde: a Gaussian kernel density of each set (yang-2018 §3.1). Non-relevant scores are not drawn: only their
# distribution function is needed.

# Grid points of the tabulated distribution function per bandwidth. Cubic Hermite interpolation with steps of
# h/8 errs by less than max|φ‴|·(1/8)⁴/384 < 1e-6 in probability.
STEPS = 8
REACH = 6  # bandwidths from a score beyond which its kernel counts as 0 or 1 (an error under 1e-9)


def bandwidth(scores: Vector) -> float:
    return float(scores.std(ddof=1) * len(scores) ** -0.2)


def relevant_scores(scores: Vector) -> RelevantScores:
    h = bandwidth(scores)

    def draw(size: int, rng: Generator) -> Vector:
        noise = rng.standard_normal(size)
        noise *= h
        noise += scores[rng.integers(0, len(scores), size)]
        return noise

    return draw


def share_above(scores: Vector) -> ShareAbove:
    """``S(x) = mean Φ((x_i − x)/h)``, tabulated with its slope: O(1) a score, absolute error under 1e-6."""
    from scipy.interpolate import CubicHermiteSpline

    h = bandwidth(scores)
    step = h / STEPS
    start = scores.min() - (REACH + 1) * h
    size = int((np.ptp(scores) + 2 * (REACH + 1) * h) / step) + 2
    value, slope = _on_grid((scores - start) / step, size)
    points = start + step * np.arange(size)
    curve = CubicHermiteSpline(points, value, slope / step)
    return lambda at: np.clip(curve(np.clip(at, start, points[-1])), 0.0, 1.0)


def _on_grid(scores: Vector, size: int) -> tuple[Vector, Vector]:
    """S and its slope at grid points 0 … size − 1, with scores and slope in units of the step."""
    from truerank.numerics.special import ndtr

    near = np.arange(-REACH * STEPS, REACH * STEPS + 1)
    nearest = np.round(scores).astype(np.intp)
    points = nearest[:, None] + near
    z = (scores[:, None] - points) / STEPS  # in bandwidths
    n = len(scores)
    value = np.bincount(points.ravel(), ndtr(z).ravel(), size) / n
    density = np.bincount(points.ravel(), np.exp(-0.5 * z * z).ravel(), size) / (
        n * STEPS * np.sqrt(2 * np.pi)
    )
    # A kernel entirely to the right of a grid point is above it with probability 1.
    passed = np.bincount(nearest - REACH * STEPS - 1, minlength=size)[::-1].cumsum()[::-1] / n
    return value + passed, -density


def fit_kde(documents: DocumentList) -> Sampler:
    return fit_scores(documents, relevant_scores, share_above)


MODELS: Registry[DocumentModel] = Registry(
    "document model",
    DocumentModel("shared", fit=None, draws_documents=True, **_ABOUT["shared"]),
    DocumentModel("bst", fit=fit_bst, draws_documents=True, **_ABOUT["bst"]),
    DocumentModel("kde", fit=fit_kde, **_ABOUT["kde"]),
)
"""The document models by name.

Example:
    >>> from truerank.documents import MODELS
    >>> list(MODELS)
    ['shared', 'bst', 'kde']
"""
register = MODELS.register
"""Make a document model known by its name, to :func:`truerank.documents.analyze` and the command line.

Example:
    >>> from truerank.documents import MODELS, register
    >>> register(MODELS["bst"])
    Traceback (most recent call last):
    truerank.errors.InputError: document model 'bst' exists already; choose another name
"""
document_model = MODELS.find  # the document model of a name; a model itself is given back
