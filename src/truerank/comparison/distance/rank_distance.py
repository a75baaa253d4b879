"""`rank_distance` and `rank_distance_test`: how far a ranking is, and those by resampled topics."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import keywords_checked
from truerank._support.files import PathLike, checksum, read_text
from truerank._support.outputs import write_file
from truerank._support.plain import Written
from truerank._support.resources import Progress
from truerank._support.seeds import stream
from truerank._support.types import Fraction, Level, Matrix, Unwritten, Vector, Whole, WrittenAs
from truerank.comparison.distance.reference import Reference, Regularize, aligned
from truerank.errors import InputError, at
from truerank.numerics.resampling import all_resamples, bootstrap_blocks

Counts = NDArray[np.int64]

RESAMPLES = 10_000  # resamples of the topics, by default (Carterette 2009, Algorithm 2)
MOST_ENUMERATED = 400_000  # the most different resamples that are enumerated on request: 11 topics
EQUAL = 1e-9  # distances closer than this count as equal
ALPHAS = (0.5, 0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001)  # levels of the printed table of critical values
FORMAT = "truerank rank distance bootstrap"
VERSION = 3  # of the file format; version 1 had no checksum, version 2 other names
# What a file holds beside the distances and their counts, in its order.
SAVED = ["fingerprint", "measure", "topics", "systems", "ridge", "regularize", "resamples", "exact", "seed"]


@dataclass(frozen=True, eq=False)
class BootstrapDistribution:
    """The distribution of d(μ* | X), μ* the means over resampled topics.

    Attributes:
        distances: the different distances that occurred, ascending.
        counts: how many resamples gave each.
        resamples: how many in all; nⁿ where they were enumerated.
        exact: whether all resamples were enumerated.
        seed: of the resampling; without meaning where it is exact.
        ridge: λ of the reference.
        regularize: what λ was added to.
        fingerprint: of the scores, :meth:`ScoreMatrix.fingerprint`.
        measure: of the scores; empty when unknown.
        topics: how many.
        systems: how many.
        source: the file that it was read from; empty when just made.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> made = bootstrap_distribution(Reference.of(ap))
        >>> made.resamples, made.exact, made.p_value(0.6508)
        (256, True, 0.2109375)
    """

    distances: Matrix
    counts: Counts
    resamples: int
    exact: bool
    seed: int
    ridge: float
    regularize: str
    fingerprint: str
    measure: str
    topics: int
    systems: int
    source: str = ""

    def p_value(self, distance: float) -> float:
        """Share of resamples at least that far (tolerance 1e-9); in [0, 1]."""
        position = np.searchsorted(self.distances, distance - EQUAL, side="left")
        return float(self.counts[position:].sum() / self.resamples)

    def critical_value(self, alpha: float) -> float:
        """The 1 − α quantile: the least distance with at most a share α of the resamples beyond it.

        A distance above it has p ≤ α.

        Raises:
            InputError: α outside (0, 1).
        """
        if not 0 < alpha < 1:
            raise InputError(f"the level of a critical value must be between 0 and 1, not {alpha}")
        beyond = np.searchsorted(self.distances, self.distances + EQUAL, side="right")
        shares = np.append(np.cumsum(self.counts[::-1])[::-1], 0)[beyond] / self.resamples
        return float(self.distances[np.argmax(shares <= alpha)])

    def table(self, alphas: Sequence[float] = ALPHAS) -> tuple[tuple[float, float], ...]:
        """Pairs of level α and critical value."""
        return tuple((alpha, self.critical_value(alpha)) for alpha in alphas)

    def check(self, reference: Reference) -> None:
        """Refuse to serve a reference other than the one it was made from.

        Raises:
            InputError: other scores, or another λ.
        """
        if self.fingerprint != reference.scores.fingerprint():
            raise InputError(
                f"{at(self.source)}the bootstrap distribution is of other scores ({self.topics} topics, "
                f"{self.systems} systems{', ' + self.measure if self.measure else ''}); make one for these"
            )
        if (self.ridge, self.regularize) != (reference.ridge, reference.regularize):
            raise InputError(
                f"{at(self.source)}the bootstrap distribution was made with ridge {self.ridge:g} on "
                f"{self.regularize}, not {reference.ridge:g} on {reference.regularize}; make one for this"
            )

    def to_dict(self) -> dict[str, Any]:
        """What :meth:`save` writes: JSON-ready data, every digit kept, with a checksum of it all."""
        document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
        document |= {name: getattr(self, name) for name in SAVED}
        document |= {"distances": self.distances.tolist(), "counts": self.counts.tolist()}
        return document | {"checksum": checksum(document)}

    def to_json(self) -> str:
        """The document of :meth:`to_dict` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False) + "\n"

    def save(self, path: PathLike) -> None:
        """Write it as JSON, for :meth:`load`; an older file of that name is replaced.

        Raises:
            InputError: the file cannot be written there.
        """
        write_file(path, self.to_json())

    @classmethod
    def load(cls, path: PathLike) -> BootstrapDistribution:
        """Read what :meth:`save` wrote, also gzipped.

        Raises:
            InputError: no such file, not such a file, another version, or changed since it was written.
        """
        text, document, line = read_text(path), None, None
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            where = at(str(path), line)
            raise InputError(f"{where}not a saved bootstrap distribution; make one with truerank compare")
        if document.get("version") != VERSION:
            raise InputError(
                f"{path}: version {document.get('version')} of the format, this truerank reads {VERSION}; "
                "make it again"
            )
        try:
            if document.pop("checksum", None) == checksum(document):
                arrays: dict[str, Any] = {name: np.array(document[name]) for name in ("distances", "counts")}
                return cls(source=str(path), **arrays, **{name: document[name] for name in SAVED})
        except (KeyError, ValueError):  # a key that is not there; NaN or an infinite number
            pass
        raise InputError(
            f"{path}: a damaged bootstrap distribution (its checksum does not match); make it again"
        )


def bootstrap_distribution(
    reference: Reference,
    resamples: int = RESAMPLES,
    seed: int = 0,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> BootstrapDistribution:
    """The distances of the rankings by resampled topics from all topics (Carterette 2009, Algorithm 2)."""
    if resamples < 1:
        raise InputError(f"at least one bootstrap resample is needed, not {resamples}")
    scores = reference.scores
    n, different = scores.n, math.comb(2 * scores.n - 1, scores.n)
    if exact and different > MOST_ENUMERATED:
        raise InputError(
            f"{n} topics have {different:.3g} different resamples, too many to enumerate; leave out exact"
        )
    enumerated = different <= min(resamples, MOST_ENUMERATED) if exact is None else exact
    if enumerated:
        topics, chances = all_resamples(n)
        blocks = iter([topics])
    else:
        rng = stream(seed, "rank distance", "bootstrap")
        blocks, chances = bootstrap_blocks(n, resamples, rng), np.ones(resamples, dtype=np.int64)
    means = np.concatenate([counts.astype(np.float64) @ scores.values / n for counts in blocks])
    distances, place = np.unique(reference.distances(means, progress), return_inverse=True)
    counts = np.zeros(len(distances), dtype=np.int64)
    np.add.at(counts, place, chances)
    return BootstrapDistribution(
        distances=distances,
        counts=counts,
        resamples=int(chances.sum()),
        exact=enumerated,
        seed=seed,
        ridge=reference.ridge,
        regularize=reference.regularize,
        fingerprint=scores.fingerprint(),
        measure=scores.measure,
        topics=n,
        systems=scores.m,
    )


LEVELS = (0.1, 0.05, 0.01)  # levels whose critical values stand beside every p-value


@dataclass(frozen=True, eq=False)
class RankDistance(Written):
    """How far a ranking y is from the reference X.

    Attributes:
        distance: how far the ranking is from the reference, d(y | X), 0 or more, as a t statistic.
        ridge: λ, what was added to the variances, 0 or more, in squared units of the measure.
        ridge_reason: why it is what it is.
        regularize: what it was added to.
        topics: of the reference.
        systems: their names, best first by y.
        differences: μ_Δ, what each of them is above the next by the means of X; m − 1.
        nearest: θ, the same at the point nearest to X that ranks as y does; m − 1, each ≥ 0.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> found = rank_distance(ap, [.5, .75, .7])
        >>> found.systems, found.blocks
        (('sys2', 'sys3', 'sys1'), (('sys2', 'sys3'),))
    """

    topics: Whole
    systems: Annotated[tuple[str, ...], WrittenAs(systems="m")]
    distance: Annotated[float, WrittenAs(rank_distance="distance")]
    ridge: float
    ridge_reason: str
    regularize: Regularize
    differences: Unwritten[Vector]
    nearest: Unwritten[Vector]

    @property
    def m(self) -> Whole:
        """How many systems both have."""
        return len(self.systems)

    @property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """Runs of y's ranking whose means must become equal for X to rank as y does; none at distance 0."""
        if self.distance == 0:
            return ()
        ends = np.flatnonzero(np.append(self.nearest > 0, True)) + 1
        starts = [0, *ends[:-1]]
        return tuple(self.systems[a:b] for a, b in zip(starts, ends, strict=True) if b - a > 1)


@dataclass(frozen=True)
class CriticalValue:
    """A distance that few resamples are beyond.

    Attributes:
        alpha: the share of resamples, in (0, 1).
        distance: above it p is at most that.
    """

    alpha: Level
    distance: float


@dataclass(frozen=True, eq=False)
class RankDistanceTest(RankDistance):
    """A rank distance with its bootstrap p-value.

    Attributes:
        p_value: share of resamples of the topics whose ranking is at least as far, in [0, 1].
        resamples: behind it, all there are where exact.
        exact: whether all resamples were enumerated.
        seed: of everything random.
        distribution: the bootstrap distribution, to keep for other rankings of the same systems.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> test = rank_distance_test(ap, [.5, .75, .7])
        >>> again = rank_distance_test(ap, [.5, .7, .75], distribution=test.distribution)
        >>> again.p_value, round(again.critical_value(0.05), 4)
        (1.0, 0.6508)
    """

    p_value: Fraction
    resamples: Whole
    exact: bool
    seed: Whole
    distribution: Annotated[BootstrapDistribution, WrittenAs("critical_values")]

    @property
    def critical_values(self) -> tuple[CriticalValue, ...]:
        """At 0.1, 0.05 and 0.01."""
        return tuple(CriticalValue(*one) for one in self.distribution.table(LEVELS))

    @property
    def least_p(self) -> float:
        """The least p-value that these resamples can tell from 0, for printing."""
        return 0.001 if self.exact else max(0.001, 1 / self.resamples)

    def critical_value(self, alpha: float = 0.05) -> float:
        """The distance above which p ≤ α; :meth:`BootstrapDistribution.critical_value`."""
        return self.distribution.critical_value(alpha)


@keywords_checked
def rank_distance(
    scores: Any, y: Any, *, ridge: float | None = None, regularize: str = "differences"
) -> RankDistance:
    """The rank distance from reference scores X to a ranking y (Carterette 2009, eq. 2).

    ``d² = min_θ n (θ − μ_Δ)ᵀ Σ_Δ⁻¹ (θ − μ_Δ)`` over θ ≥ 0. Here μ_Δ and Σ_Δ are the mean and covariance (n −
    1, plus λI) of the differences between neighbors in y's order. Zero if and only if X's means are in y's
    order, and no less than the largest paired |t| of the pairs that y swaps (where λ = 0). Not symmetric: X's
    topics set the scale (docs/methods/rank-distance.md). Ties in y (1e-12) are ordered as X orders them.

    Args:
        scores: X, a ScoreMatrix or anything :func:`truerank.read_scores` takes; or a
            :class:`Reference` prepared from it, for many y.
        y: one value a system, higher is better, in the order of X's systems; or by name: a mapping, a
            pandas series, or scores, of which the means count.
        ridge: λ ≥ 0, in squared units of the measure; by default 1e-5 where there are as many systems as
            topics or more, else 0. With copies of systems 0 is the limit λ → 0.
        regularize: ``differences`` adds λI to Σ_Δ as the paper does, which makes the metric depend on
            y's order; ``scores`` adds λ/2·I to the covariance of the scores, which does not.

    Returns:
        The distance, ≥ 0, in units of a t statistic, with λ and the nearest means that rank as y does.

    Raises:
        InputError: fewer than two systems or topics, systems missing in y, values not finite,
            λ = 0 for a singular covariance, or y before the scores.
        UnknownNameError: no such way to regularize.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> p10 = [.5, .75, .7]
        >>> round(rank_distance(ap, p10).distance, 4)
        0.6508
    """
    refuse_swapped("rank_distance", scores, y)
    return _measure(_reference(scores, ridge, regularize), y)


@keywords_checked
def rank_distance_test(
    scores: Any,
    y: Any,
    resamples: int = RESAMPLES,
    seed: int = 0,
    *,
    ridge: float | None = None,
    regularize: str = "differences",
    exact: bool | None = None,
    distribution: BootstrapDistribution | PathLike | None = None,
    progress: Progress | None = None,
) -> RankDistanceTest:
    """Test whether a ranking y is further from reference scores X than X's own topics make likely.

    The p-value is the share of resamples of the topics whose own ranking is at least as far from X's
    means as y is (Carterette 2009, Algorithm 2). A ranking by as many *other* topics is rejected far more
    often than p says, and so is the true one of many close systems (docs/methods/rank-distance.md).

    Args:
        scores: as in :func:`rank_distance`, like `y`, `ridge` and `regularize`.
        y: the ranking.
        resamples: bootstrap resamples of the topics, at least 1.
        seed: the same seed gives the same digits.
        ridge: λ.
        regularize: what it is added to.
        exact: enumerate all resamples; by default where there are no more different ones than
            `resamples` (up to 8 topics for 10,000).
        distribution: one made before from the same scores and λ, or the file where it was saved; then
            nothing is drawn.
        progress: called with (done, total, label).

    Returns:
        The distance with its p-value, in [0, 1], and critical values.

    Raises:
        InputError: as :func:`rank_distance`; no resamples; too many topics to enumerate; or a
            distribution of other scores.
        UnknownNameError: no such way to regularize.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> test = rank_distance_test(ap, [.5, .75, .7])
        >>> test.p_value, test.exact
        (0.2109375, True)
    """
    refuse_swapped("rank_distance_test", scores, y)
    reference = _reference(scores, ridge, regularize)
    measured = _measure(reference, y)
    distribution = distribution_of(reference, distribution, resamples, seed, exact, progress)
    return RankDistanceTest(
        **{field.name: getattr(measured, field.name) for field in fields(measured)},
        p_value=distribution.p_value(measured.distance),
        resamples=distribution.resamples,
        exact=distribution.exact,
        seed=distribution.seed,
        distribution=distribution,
    )


def distribution_of(
    reference: Reference,
    given: BootstrapDistribution | PathLike | None,
    resamples: int,
    seed: int,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> BootstrapDistribution:
    """The distribution that is given, or where it was saved, if it is of this reference; else a new one."""
    if given is None:
        return bootstrap_distribution(reference, resamples, seed, exact, progress)
    found = given if isinstance(given, BootstrapDistribution) else BootstrapDistribution.load(given)
    found.check(reference)
    return found


def refuse_swapped(function: str, scores: Any, y: Any) -> None:
    """Refuse a ranking in place of the reference scores, where that can be seen."""
    if _dimensions(scores) == 1 or _dimensions(y) == 2:
        raise InputError(f"the reference scores come first, then the ranking: {function}(scores, y)")


def is_ranking(given: Any) -> bool:
    return _dimensions(given) == 1


def _dimensions(given: Any) -> int | None:
    """1 of a ranking, 2 of a table of scores; ``None`` where that cannot be seen."""
    if isinstance(given, Reference | str | os.PathLike):
        return 2
    if isinstance(given, Mapping):
        values = given.values()
        nested = any(isinstance(one, (Mapping, list, tuple)) or getattr(one, "ndim", 0) for one in values)
        return 2 if nested else 1
    if hasattr(given, "ndim"):
        return int(given.ndim)
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        return None
    return array.ndim if array.dtype.kind in "biuf" else None


def _reference(scores: Any, ridge: float | None, regularize: str) -> Reference:
    if not isinstance(scores, Reference):
        return Reference.of(scores, ridge, regularize)
    if ridge is not None or regularize != "differences":
        raise InputError("the reference is prepared already; give ridge and regularize to Reference.of")
    return scores


def _measure(reference: Reference, y: Any) -> RankDistance:
    order = reference.orders(aligned(reference.scores, y))[0]
    distance, nearest = reference.nearest(order)
    return RankDistance(
        distance=distance,
        ridge=reference.ridge,
        ridge_reason=reference.ridge_reason,
        regularize=reference.regularize,
        topics=reference.scores.n,
        systems=tuple(reference.systems[s] for s in order),
        differences=reference.mean_differences(order[None, :])[0],
        nearest=nearest,
    )
