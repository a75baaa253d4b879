"""Human means, or strengths from battles, corrected by a machine's judgments of more topics.

Power-tuned prediction-powered inference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.battles import Battles
from truerank.errors import InputError, at
from truerank.reliability.means.bradley_terry import (
    Clustered,
    bradley_terry,
    clustered,
    fitted,
    influence_rows,
    moderated,
    refuse_short,
    refuse_unconnected,
    win_table,
)
from truerank.reliability.means.means import Known, Means, of_contrasts, plain_means
from truerank.reliability.means.played import Fit
from truerank.scores import MachineScores


@dataclass(frozen=True, eq=False)
class Corrected:
    """Means from human scores of some topics and machine scores of these and of more.

    Attributes:
        means: the corrected means: two strata of rows, the topics that people judged and the others.
        scale: λ in [0, 1], how much the machine's differences between systems count; one for all systems.
        human: the means, or strengths, by people alone.
        human_topics: n, topics that people judged, among the N `machine_topics`.
        excess: n × m, machine less human score on the topics that both judged; of battles, their mean is the
            difference of strengths, and a row's distance from it its influence.
        level_scale: the λ of the mean over all systems; 0 for battles, whose strengths have no common level.
    """

    means: Means
    scale: float
    human: Means
    human_topics: int
    machine_topics: int
    excess: Matrix
    level_scale: float = 0.0

    @property
    def bias(self) -> Vector:
        """How much higher the machine scores each system than people do, m: the mean of :attr:`excess`."""
        return self.excess.mean(axis=0)

    @property
    def effective_topics(self) -> float:
        """As many topics, judged by people alone, would leave the same error."""
        return self.means.effective * (self.human_topics / self.human.effective)


def corrected(human: Matrix, machine: Matrix, matched: NDArray[np.intp]) -> Corrected:
    """Correct the human means of n topics by the machine's means of n and of N − n more topics. O(N·m).

    With H the human and F the machine scores, ``θ̂ = H̄ − λ F̄_n + λ F̄_rest`` (Angelopoulos, Duchi and Zrnic
    2023, eq. 3). It is unbiased whatever the machine does and whatever λ is, if the n topics are a random
    sample of the N. Only its precision depends on λ. So there are two: one for the mean over the systems of a
    topic, and one for what each system has beyond it, which alone moves differences. Influence rows are those
    of H − λF on the n topics, and of λF on the others: two strata. Each λ spends a degree of freedom of the
    human topics, that of the differences shared by m − 1 of them. Without other topics both are 0, and the
    means are the human ones.
    """
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
    """Each topic's mean over the systems, N × 1, and what each system has beyond it, N × m."""
    level = scores.mean(axis=1, keepdims=True)
    return level, scores - level


def power_tuned(human: Matrix, seen: Matrix, machine: Matrix) -> float:
    """The λ in [0, 1] that minimizes the variance of a mean of these scores, pooled over columns.

    ``λ = (N − n)/N · Cov(H, F)/Var(F)``. One λ a system would follow its noise too closely.
    """
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


def corrected_strengths(
    human: Battles, machine: MachineScores, systems: Sequence[str], source: str | None = None
) -> Corrected:
    """Correct strengths from people's battles on n prompts by a machine's on n and on N − n more prompts.

    ``θ̂ = θ̂ᴴ − λ(θ̂ᶠ_n − θ̂ᶠ_rest)``, three fits by Bradley and Terry. Influence rows are those of H − λF on
    the n prompts, and of λF on the others, in two strata. Both judges need no battles of the same pairs. With
    λ = 0, and without other prompts, the strengths and their errors are those of people alone.
    """
    battles = machine.battles
    assert battles is not None
    place = np.full(len(machine.topics), -1)
    place[machine.matched] = np.arange(len(machine.matched))
    both = place[battles.clusters] >= 0
    seen = replace(battles.only(both), clusters=place[battles.clusters[both]])
    rest = battles.only(~both)
    n, total = human.dealt or len(machine.matched), machine.count
    where = at(machine.source)
    by_people = _fit(human, systems, at(source))
    by_machine = _fit(seen, systems, f"{where}on the prompts that people judged too, ")
    alone = bradley_terry(human, systems, at(source), [machine.topics[t] for t in machine.matched])
    logit = human.points[0]
    of_people, of_machine = (
        influence_rows(one, fit, one.clusters) for one, fit in ((human, by_people), (seen, by_machine))
    )
    excess = by_machine.theta - by_people.theta + len(of_people) * (of_machine - of_people)
    unchanged = Corrected(alone, 0.0, alone, n, total, logit * excess)
    if total == n:
        return unchanged
    elsewhere = _fit(rest, systems, f"{where}on the prompts that people did not judge, ")
    rest = replace(rest, clusters=np.unique(rest.clusters, return_inverse=True)[1])
    h, r = clustered(human, by_people, human.clusters), clustered(rest, elsewhere, rest.clusters)
    scale = _power_tuned(of_people, of_machine, r.influences, n, total)
    if scale == 0:
        return unchanged
    rows = of_people - scale * of_machine, scale * r.influences
    known = _errors(h, r, rows[0], scale)
    upper = np.triu_indices(len(systems), 1)
    assert alone.known is not None
    gain = float(
        np.mean(alone.known.deviations[upper] ** 2) / np.mean((logit * known.deviations[upper]) ** 2)
    )
    sizes = np.array([float(len(part)) for part in rows])
    contrasts = logit * (by_people.theta - scale * (by_machine.theta - elsewhere.theta))
    means = replace(
        alone,
        theta=human.points[1] + contrasts,
        contrasts=contrasts,
        influences=logit * np.concatenate(rows),
        strata=np.repeat([0, 1], sizes.astype(np.intp)),
        factors=sizes / (sizes - 1),
        stratum_degrees=sizes - 1,
        # A machine that people always agree with makes each of its prompts one of theirs, and no more.
        effective=max(alone.effective * min(gain, total / n), 1.0),
        known=Known(logit * known.deviations, known.degrees, logit * known.errors, known.error_degrees),
    )
    return replace(unchanged, means=means, scale=scale)


def _fit(battles: Battles, systems: Sequence[str], where: str) -> Fit:
    """The fit of battles that make every strength finite, without a prior of drawn battles."""
    refuse_short(battles, systems, where)
    wins = win_table(battles, len(systems))
    refuse_unconnected(wins, systems, where, drawn=False)
    return fitted(battles, wins)


def _power_tuned(human: Matrix, seen: Matrix, rest: Matrix, n: int, total: int) -> float:
    """The λ in [0, 1] that minimizes the variance of the differences, pooled over systems.

    A row is a prompt's part of the whole, so that n rows of one spread add up to 1/n of its square.
    """
    more = total - n
    covariance = n * float(np.sum(human * seen))
    variance = (n**2 * float(np.sum(seen**2)) + more**2 * float(np.sum(rest**2))) / total
    if variance <= 1e-24:  # rounding, where the strengths explain every battle
        return 0.0
    return float(np.clip(more / total * covariance / variance, 0.0, 1.0))


def _errors(h: Clustered, r: Clustered, corrected: Matrix, scale: float) -> Known:
    """Errors of two strata, each moderated as battles alone are; degrees after Welch and Satterthwaite.

    People's working model, which says how many prompts stand behind a pair, says it of the corrected rows
    too, at their size.
    """
    squares = corrected.T @ corrected
    typical = float(np.sum(of_contrasts(squares)) / np.sum(of_contrasts(h.squares)))
    parts = ((squares, h, typical * h.pooled), (scale**2 * r.squares, r, scale**2 * r.pooled))
    pairs = [moderated(of_contrasts(form), one.sizes, of_contrasts(pooled)) for form, one, pooled in parts]
    each = [
        moderated(np.diag(form), np.maximum(one.own_sizes, 2.0), np.diag(pooled))
        for form, one, pooled in parts
    ]
    (variances, degrees), (own, own_degrees) = map(_added, (pairs, each))
    np.fill_diagonal(variances, 0.0)
    return Known(np.sqrt(variances), degrees, np.sqrt(own), own_degrees)


def _added(parts: Sequence[tuple[Vector, Vector]]) -> tuple[Vector, Vector]:
    """The sum of independent variances, and its degrees of freedom."""
    total = sum((variance for variance, _ in parts), np.zeros_like(parts[0][0]))
    spread = sum((variance**2 / degrees for variance, degrees in parts), np.zeros_like(total))
    return total, np.divide(total**2, spread, out=np.ones_like(total), where=spread > 0)
