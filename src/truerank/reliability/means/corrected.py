"""Human means corrected by a machine's scores of more topics: power-tuned prediction-powered inference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.reliability.means.means import Means, plain_means


@dataclass(frozen=True, eq=False)
class Corrected:
    """Means from human scores of some topics and machine scores of these and of more."""

    means: Means  # two strata of rows: the topics that people judged, and the others
    scale: float  # λ in [0, 1], how much the machine's differences between systems count; one for all
    human: Means  # by people alone
    human_topics: int  # n, topics that people judged
    machine_topics: int  # N, these among them
    excess: Matrix  # n × m, machine less human score on the topics that both judged
    level_scale: float = 0.0  # the λ of the mean over all systems

    @property
    def bias(self) -> Vector:
        """How much higher the machine scores each system than people do, m: the mean of :attr:`excess`."""
        return self.excess.mean(axis=0)

    @property
    def effective_topics(self) -> float:
        """As many topics, judged by people alone, would leave the same error."""
        return self.means.effective * (self.human_topics / self.human.effective)


def corrected(human: Matrix, machine: Matrix, matched: NDArray[np.intp]) -> Corrected:
    """Human means of n topics by machine's of N: ``θ̂ = H̄ − λ F̄_n + λ F̄_rest`` (Angelopoulos 2023, eq. 3)."""
    # There are two λ: of a topic's mean over the systems, and of what each system has beyond it, which alone
    # moves differences. Each spends a degree of freedom; that of the differences is shared by m − 1 of them.
    n, m = human.shape
    rest = np.delete(machine, matched, axis=0)
    if n < 3 or len(rest) == 1:
        raise InputError(
            f"{n} topic(s) judged by people and {len(rest)} more by the machine; three and two are the "
            "least, and dozens are better"
        )
    seen, alone = machine[matched], plain_means(human)
    if len(rest) == 0:  # no topics beyond those that people judged: the human means stay
        return Corrected(alone, 0.0, alone, n, n, seen - human)
    parts = list(zip(*(_split(x) for x in (human, seen, rest, machine)), strict=True))
    scales = [power_tuned(h, f, everywhere) for h, f, _, everywhere in parts]
    spent = [float(scales[0] > 0), float(scales[1] > 0) / max(m - 1, 1)]
    rows = np.zeros_like(machine)
    for (h, f, more, _), scale, degrees in zip(parts, scales, spent, strict=True):
        left = h - scale * f
        rows[:n] += np.sqrt((n - 1) / (n - 1 - degrees)) * (left - left.mean(axis=0)) / n
        rows[n:] += scale * (more - more.mean(axis=0)) / len(rest)
    level, beyond = (
        scale * (f.mean(axis=0) - more.mean(axis=0))
        for (_, f, more, _), scale in zip(parts, scales, strict=True)
    )
    sizes = np.array([float(n), float(len(rest))])
    means = Means(
        theta=alone.theta - level - beyond,
        contrasts=alone.contrasts - beyond,
        influences=rows,
        strata=np.repeat([0, 1], sizes.astype(np.intp)).astype(np.intp),
        factors=sizes / (sizes - 1),
        stratum_degrees=sizes - 1 - [spent[1], 0],
        effective=n,
    )
    error = _mean_square(means)
    effective = n * _mean_square(alone) / error if error > 0 else float(len(machine))
    # A machine that people always agree with makes each of its topics one of theirs, and no more than that.
    return Corrected(
        means=replace(means, effective=min(max(effective, 1.0), float(len(machine)))),
        scale=scales[1],
        human=alone,
        human_topics=n,
        machine_topics=len(machine),
        excess=seen - human,
        level_scale=scales[0],
    )


def _split(scores: Matrix) -> tuple[Matrix, Matrix]:
    level = scores.mean(axis=1, keepdims=True)
    return level, scores - level


def power_tuned(human: Matrix, seen: Matrix, machine: Matrix) -> float:
    """The λ in [0, 1] of the least variance, pooled over columns: ``λ = (N − n)/N · Cov(H, F)/Var(F)``."""
    n, total = len(human), len(machine)
    unit = max(float(np.abs(machine).max()), 1e-300)
    h, f, everywhere = (x / unit - (x / unit).mean(axis=0) for x in (human, seen, machine))
    variance = float(np.mean(everywhere**2))
    if variance <= 1e-24:  # rounding of equal scores
        return 0.0
    covariance = float(np.mean(h * f))
    return float(np.clip((total - n) / total * covariance / variance, 0.0, 1.0))


def _mean_square(means: Means) -> float:
    """Mean variance of the differences between systems, up to a constant factor."""
    return float(np.sum(means.beside_average**2))
