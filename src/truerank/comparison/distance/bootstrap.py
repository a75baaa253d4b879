"""How far rankings by resampled topics are: bootstrap distributions of the rank distance."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import PathLike, read_text
from truerank._support.outputs import write_file
from truerank._support.resources import Progress
from truerank._support.saved import checksum
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.distance.reference import Reference
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
SAVED: dict[str, Callable[[Any], Any]] = {
    **{"fingerprint": str, "measure": str, "topics": int, "systems": int, "ridge": float, "regularize": str},
    **{"resamples": int, "exact": bool, "seed": int},
}


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
                f"the bootstrap distribution is of other scores ({self.topics} topics, {self.systems} systems"
                f"{', ' + self.measure if self.measure else ''}); make one for these"
            )
        if (self.ridge, self.regularize) != (reference.ridge, reference.regularize):
            raise InputError(
                f"the bootstrap distribution was made with ridge {self.ridge:g} on {self.regularize}, "
                f"not {reference.ridge:g} on {reference.regularize}; make one for this ridge"
            )

    def to_dict(self) -> dict[str, Any]:
        """What :meth:`save` writes: JSON-ready data, every digit kept, with a checksum of it all."""
        document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
        document |= {name: getattr(self, name) for name in SAVED}
        document |= {"distances": self.distances.tolist(), "counts": self.counts.tolist()}
        return document | {"checksum": checksum(document)}

    def to_json(self) -> str:
        """The same as text."""
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
        text, document = read_text(path), None
        line: int | None = None
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
        whole = False
        with suppress(ValueError):  # NaN or an infinite number, with which none is saved
            whole = document.pop("checksum", None) == checksum(document)
        if not whole:
            raise InputError(
                f"{path}: a damaged bootstrap distribution (its checksum does not match); make it again"
            )
        try:
            made = cls(
                distances=np.array(document["distances"], dtype=np.float64),
                counts=np.array(document["counts"], dtype=np.int64),
                source=str(path),
                **{name: kind(document[name]) for name, kind in SAVED.items()},
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"{path}: a broken bootstrap distribution ({error!r}); make it again") from None
        d, c = made.distances, made.counts
        sound = (
            d.ndim == 1
            and d.shape == c.shape
            and len(d) > 0
            and np.isfinite(d).all()
            and d[0] >= 0
            and (np.diff(d) > 0).all()
            and (c > 0).all()
            and c.sum() == made.resamples
        )
        if not sound:
            raise InputError(f"{path}: a broken bootstrap distribution (its distances); make it again")
        return made


def bootstrap_distribution(
    reference: Reference,
    resamples: int = RESAMPLES,
    seed: int = 0,
    exact: bool | None = None,
    progress: Progress | None = None,
) -> BootstrapDistribution:
    """The distances of the rankings by resampled topics from the means and covariance of all topics.

    Carterette 2009, Algorithm 2. O(resamples) distances, see :meth:`Reference.distances`.
    """
    if resamples < 1:
        raise InputError(f"at least one bootstrap resample is needed, not {resamples}")
    n = reference.scores.n
    different = math.comb(2 * n - 1, n)
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
    values = reference.scores.values
    means = np.concatenate([counts.astype(np.float64) @ values / n for counts in blocks])
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
        fingerprint=reference.scores.fingerprint(),
        measure=reference.scores.measure,
        topics=n,
        systems=reference.scores.m,
    )


def find_distribution(where: PathLike, reference: Reference) -> BootstrapDistribution:
    """The saved bootstrap distribution of a reference.

    Args:
        where: a saved file.
        reference: the scores, with their λ.

    Returns:
        The distribution, made from these very scores and λ.

    Raises:
        InputError: there is no such file, it is damaged, or it is of other scores or another λ.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> reference = Reference.of([[0.28, 0.48, 0.52], [0.02, 0.4, 0.54], [0.08, 0.3, 0.28]])
        >>> with TemporaryDirectory() as folder:
        ...     bootstrap_distribution(reference).save(f"{folder}/resamples.json")
        ...     find_distribution(f"{folder}/resamples.json", reference).resamples
        27
    """
    found = BootstrapDistribution.load(where)
    try:
        found.check(reference)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return found
