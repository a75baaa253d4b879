"""The settings of an analysis of document samples."""

from __future__ import annotations

from dataclasses import dataclass

from truerank.errors import InputError
from truerank.numerics.intervals import check_levels

SAMPLES = 10_000
"""B of error rate, ASL and ED (yang-2018 §4.2)."""

RANK_SAMPLES = 1_000
"""B of KRCC: the first of the samples (yang-2018 §4.2)."""


@dataclass(frozen=True)
class DocumentSettings:
    """All that is needed to get the same digits again.

    Attributes:
        version: of truerank.
        seed: of everything random.
        samples: B of error rate, ASL and ED.
        rank_samples: B of KRCC.
        alpha: of the t tests and of ED.
        level: of all intervals.
    """

    version: str
    seed: int
    samples: int
    rank_samples: int
    alpha: float
    level: float

    def __post_init__(self) -> None:
        check_levels([self.level])
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha must be between 0 and 1, not {self.alpha:g}")
        if self.samples < 2 or self.rank_samples < 2:
            raise InputError("at least two samples are needed; thousands are better")
