"""The settings of an assessment."""

from __future__ import annotations

from dataclasses import dataclass

from truerank._support.types import LeftOut


@dataclass(frozen=True)
class Settings:
    """All that is needed to reproduce the numbers.

    Attributes:
        version: of truerank.
        seed: of everything random.
        draws: joint draws behind variances and quantile intervals.
        resamples: T of the bootstrap behind `res`; ``None`` where it was not asked for.
        resampling_error: Monte Carlo standard error that T leaves in their estimates; ``None`` in the
            same cases.
        levels: of the intervals; the first is that of means, ranks and differences.
        drop_bottom: share of systems dropped, by quantile of the means.
        dropped: names of those systems.
        drop_identical: whether of identical systems only one was kept, before anything else.
        identical: then, groups of names with the same scores on every topic: the one kept, and those
            that were left out.
        baseline: the baseline's name; ``None`` without one.
        best: k, of the top systems that were asked for; null where none were.
        tried: how many variants the leader was picked from, where they are not all in the table; null
            otherwise.
        guarantee: whether the family-wise error over all pairs is controlled, whatever the truth.
        generalize_to: ``topics``: new ones, of the same data sets; ``data_sets``: new ones like these; or
            ``topics,FACET``.
        aggregate: how the data sets, or topics, become one score.
        pairs_alike: of battles, whether every pair that met counted alike; left out for scores.
    """

    version: str
    seed: int
    draws: int
    resamples: int | None
    resampling_error: float | None
    levels: tuple[float, ...]
    drop_bottom: float
    dropped: tuple[str, ...]
    baseline: str | None
    drop_identical: bool = False
    identical: tuple[tuple[str, ...], ...] = ()
    best: int | None = None
    tried: int | None = None
    guarantee: bool = False
    generalize_to: str = "topics"
    aggregate: str = "mean"
    pairs_alike: LeftOut[bool] = None
