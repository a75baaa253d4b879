"""How far rankings by resampled topics are: the bootstrap distribution of the rank distance."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import PathLike, atomic_path, read_text
from truerank._support.plain import checksum
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Progress
from truerank.comparison.distance.baseline import Baseline
from truerank.errors import InputError, at

Counts = NDArray[np.int64]

SAMPLES = 10_000
"""Resamples of the topics unless asked otherwise (carterette-2009, Algorithm 2)."""

MOST_ENUMERATED = 400_000
"""Different resamples that are still enumerated when asked for: 11 topics."""

EQUAL = 1e-9
"""Distances closer than this count as equal."""

ALPHAS = (0.5, 0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001)
"""Levels of the printed table of critical values."""

FORMAT = "truerank rank distance bootstrap"
VERSION = 2
"""Of the file format; files of version 1 had no checksum."""


@dataclass(frozen=True, eq=False)
class BootstrapDistribution:
    """The distribution of d(μ* | X), μ* the means over resampled topics.

    Attributes:
        distances: the different distances that occurred, ascending.
        counts: how many resamples gave each.
        samples: resamples in all; nⁿ where they were enumerated.
        exact: whether all resamples were enumerated.
        seed: of the resampling; without meaning where it is exact.
        lam: λ of the baseline.
        regularise: what λ was added to.
        fingerprint: of the scores (:meth:`ScoreMatrix.fingerprint`).
        measure: of the scores; empty when unknown.
        topics: how many.
        systems: how many.
    """

    distances: Matrix
    counts: Counts
    samples: int
    exact: bool
    seed: int
    lam: float
    regularise: str
    fingerprint: str
    measure: str
    topics: int
    systems: int

    def p_value(self, distance: float) -> float:
        """Share of resamples at least that far (tolerance 1e-9); in [0, 1]."""
        return self._from(np.searchsorted(self.distances, distance - EQUAL, side="left"))

    def critical_value(self, alpha: float) -> float:
        """The 1 − α quantile: the least distance with at most a share α of the resamples beyond it.

        A distance above it has p ≤ α.

        Raises:
            InputError: α outside (0, 1).
        """
        if not 0 < alpha < 1:
            raise InputError(f"the level of a critical value must be between 0 and 1, not {alpha}")
        beyond = np.searchsorted(self.distances, self.distances + EQUAL, side="right")
        shares = np.append(np.cumsum(self.counts[::-1])[::-1], 0)[beyond] / self.samples
        return float(self.distances[np.argmax(shares <= alpha)])

    def table(self, alphas: Sequence[float] = ALPHAS) -> tuple[tuple[float, float], ...]:
        """Pairs of level α and critical value."""
        return tuple((alpha, self.critical_value(alpha)) for alpha in alphas)

    def format_table(self, alphas: Sequence[float] = ALPHAS) -> str:
        """The critical values as text, to print."""
        how = "all resamples" if self.exact else f"{self.samples:,} bootstrap samples, seed {self.seed}"
        what = f"{self.measure}, " if self.measure else ""
        lines = [
            f"critical values: {what}{self.topics} topics, {self.systems} systems",
            f"lambda {self.lam:g} on {self.regularise}; {how}",
            f"{'p':>7} {'distance':>10}",
        ]
        lines += [f"{alpha:>7g} {value:>10.4f}" for alpha, value in self.table(alphas)]
        return "\n".join(lines)

    def check(self, baseline: Baseline) -> None:
        """Refuse to serve a baseline other than the one it was made from.

        Raises:
            InputError: other scores, or another λ.
        """
        if self.fingerprint != baseline.scores.fingerprint():
            raise InputError(
                f"the bootstrap distribution is of other scores ({self.topics} topics, {self.systems} systems"
                f"{', ' + self.measure if self.measure else ''}); make one for these"
            )
        if (self.lam, self.regularise) != (baseline.lam, baseline.regularise):
            raise InputError(
                f"the bootstrap distribution was made with lambda {self.lam:g} on {self.regularise}, "
                f"not {baseline.lam:g} on {baseline.regularise}; make one for this lambda"
            )

    def save(self, path: PathLike) -> None:
        """Write it as JSON, every digit kept, with a checksum of it all."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": self.fingerprint,
            "measure": self.measure,
            "topics": self.topics,
            "systems": self.systems,
            "lambda": self.lam,
            "regularise": self.regularise,
            "samples": self.samples,
            "exact": self.exact,
            "seed": self.seed,
            "distances": self.distances.tolist(),
            "counts": self.counts.tolist(),
        }
        document["checksum"] = checksum(document)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: PathLike) -> BootstrapDistribution:
        """Read what :meth:`save` wrote, also gzipped.

        Raises:
            InputError: no such file, not such a file, another version, or changed since it was written.
        """
        text = read_text(path)
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            place = at(str(path), error.lineno)
            raise InputError(f"{place}not a saved bootstrap distribution ({error.msg})") from None
        except (ValueError, RecursionError):
            raise InputError(
                f"{path}: not a saved bootstrap distribution; make one with truerank compare"
            ) from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise InputError(f"{path}: not a saved bootstrap distribution; make one with truerank compare")
        if document.get("version") != VERSION:
            raise InputError(
                f"{path}: version {document.get('version')} of the format, this truerank reads {VERSION}; "
                "make it again"
            )
        if document.pop("checksum", None) != checksum(document):
            raise InputError(
                f"{path}: a damaged bootstrap distribution (its checksum does not match); make it again"
            )
        try:
            made = cls(
                distances=_numbers(document["distances"], float),
                counts=_numbers(document["counts"], int),
                samples=_of_type(document["samples"], int),
                exact=_of_type(document["exact"], bool),
                seed=_of_type(document["seed"], int),
                lam=float(_of_type(document["lambda"], float)),
                regularise=_of_type(document["regularise"], str),
                fingerprint=_of_type(document["fingerprint"], str),
                measure=_of_type(document["measure"], str),
                topics=_of_type(document["topics"], int),
                systems=_of_type(document["systems"], int),
            )
        except (KeyError, TypeError, OverflowError) as error:
            raise InputError(f"{path}: a broken bootstrap distribution ({error!r}); make it again") from None
        if not made._sound():
            raise InputError(f"{path}: a broken bootstrap distribution (its distances); make it again")
        return made

    def _from(self, position: np.intp) -> float:
        return float(self.counts[position:].sum() / self.samples)

    def _sound(self) -> bool:
        d, c = self.distances, self.counts
        return bool(
            d.ndim == 1
            and d.shape == c.shape
            and len(d) > 0
            and np.isfinite(d).all()
            and d[0] >= 0
            and (np.diff(d) > 0).all()
            and (c > 0).all()
            and c.sum() == self.samples
        )


def _of_type(value: Any, kind: type[Any]) -> Any:
    """A value of a saved file, of the type that was saved; JSON may spell 1.0 as 1.

    Raises:
        TypeError: another type.
    """
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise TypeError(f"{value!r:.40} is no {kind.__name__}")


def _numbers(values: Any, kind: type[Any]) -> NDArray[Any]:
    """A saved list of numbers of that type.

    Raises:
        TypeError: another type.
        OverflowError: a number out of range.
    """
    return np.array([_of_type(value, kind) for value in _of_type(values, list)], dtype=kind)


def bootstrap_distribution(
    baseline: Baseline,
    samples: int = SAMPLES,
    seed: int = 0,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> BootstrapDistribution:
    """Resample the topics and measure how far each resample's ranking is from the original means.

    Covariance and means are those of all topics, the ranking that of the resample
    (carterette-2009, Algorithm 2). O(samples) distances, see :meth:`Baseline.distances`.

    Args:
        baseline: the scores.
        samples: resamples to draw.
        seed: the same seed gives the same digits.
        exact: take every possible resample instead, weighted by its chance; by default where
            there are no more different ones, C(2n − 1, n), than `samples`.
        progress: called with (done, total, label).

    Raises:
        InputError: no samples, or too many topics to enumerate.
    """
    if samples < 1:
        raise InputError(f"at least one bootstrap sample is needed, not {samples}")
    n = baseline.scores.n
    different = math.comb(2 * n - 1, n)
    if exact and different > MOST_ENUMERATED:
        raise InputError(
            f"{n} topics have {different:.3g} different resamples, too many to enumerate; leave out exact"
        )
    enumerated = different <= min(samples, MOST_ENUMERATED) if exact is None else exact
    if enumerated:
        topics, chances = _all_resamples(n)
    else:
        topics, chances = _draws(n, samples, seed), np.ones(samples, dtype=np.int64)
    means = topics.astype(np.float64) @ baseline.scores.values / n
    distances, place = np.unique(baseline.distances(means, progress), return_inverse=True)
    counts = np.zeros(len(distances), dtype=np.int64)
    np.add.at(counts, place, chances)
    return BootstrapDistribution(
        distances=distances,
        counts=counts,
        samples=int(chances.sum()),
        exact=enumerated,
        seed=seed,
        lam=baseline.lam,
        regularise=baseline.regularise,
        fingerprint=baseline.scores.fingerprint(),
        measure=baseline.scores.measure,
        topics=n,
        systems=baseline.scores.m,
    )


def _draws(n: int, samples: int, seed: int) -> NDArray[np.int32]:
    """How often each topic is in each resample, samples × n."""
    rng = stream(seed, "rank distance", "bootstrap")
    counts = np.empty((samples, n), dtype=np.int32)
    for first in range(0, samples, SAMPLES):
        rows = min(SAMPLES, samples - first)
        cells = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        counts[first : first + rows] = np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n)
    return counts


def _all_resamples(n: int) -> tuple[NDArray[np.int32], Counts]:
    """Every multiset of n of n topics as counts, and in how many of the nⁿ orders it can be drawn."""
    members = np.array(list(combinations_with_replacement(range(n), n)))
    counts = np.stack([np.sum(members == topic, axis=1) for topic in range(n)], axis=1)
    factorials = np.array([math.factorial(i) for i in range(n + 1)], dtype=np.int64)
    orders = factorials[n] // np.prod(factorials[counts], axis=1)
    return counts.astype(np.int32), orders
