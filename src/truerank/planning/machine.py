"""Human topics beside a machine judge: what they are worth at a fixed number of machine topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from truerank._support.plain import Written
from truerank._support.types import Fraction, Vector, WrittenAs
from truerank.errors import InputError
from truerank.reliability.means.corrected import Corrected

# The largest share explained: with a perfect machine one human topic would be worth all of the machine's.
MOST_EXPLAINED = 1 - 1e-9


@dataclass(frozen=True)
class MachineGain(Written):
    """What human topics are worth beside a machine's scores of N topics, as topics without a machine.

    Attributes:
        scale: λ of the pilot, in [0, 1].
        machine_topics: N that is planned for, the human topics among them.
        explained: ρ², the share of the variance of differences over topics that the machine's scores explain
            by the pilot, in [0, 1].
    """

    scale: Annotated[Fraction, WrittenAs(**{"lambda": "scale"})]
    machine_topics: int
    explained: Fraction

    @classmethod
    def of(cls, found: Corrected, machine_topics: int | None = None) -> MachineGain:
        """From a pilot: with the λ that serves n of N topics best, n count as ``n/(1 − (1 − n/N) ρ²)``."""
        n, total = found.human_topics, found.machine_topics
        if machine_topics is not None and machine_topics <= n:
            raise InputError(
                f"{machine_topics} topics by the machine are no more than the {n} that people judged in the "
                "pilot; plan for more"
            )
        if total == n:
            raise InputError(
                f"the machine judged only the {n} topics that people judged, so nothing shows what more of "
                "its topics would add. Have it judge more, or leave its scores out"
            )
        explained = (1 - n / found.means.effective) / (1 - n / total)
        share = min(max(explained, 0.0), MOST_EXPLAINED)
        return cls(found.scale, machine_topics or total, share)

    def worth(self, human: Vector) -> Vector:
        """How many topics judged by people alone would leave the same error, for each number of human ones.

        Once people judge all that the machine did, these are the same.
        """
        rest = np.maximum(1 - human / self.machine_topics, 0.0)
        return human / (1 - rest * self.explained)

    def human(self, worth: float) -> float:
        """The human topics that are worth this many: the inverse of :meth:`worth`."""
        if not math.isfinite(worth) or worth >= self.machine_topics:
            return worth
        return worth * (1 - self.explained) / (1 - worth * self.explained / self.machine_topics)
