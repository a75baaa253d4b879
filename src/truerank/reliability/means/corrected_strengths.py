"""Strengths from people's battles, corrected by a machine's battles on these prompts and on more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.battles import Battles
from truerank.errors import at
from truerank.reliability.means.bradley_terry import (
    Clustered,
    bradley_terry,
    clustered,
    fitted,
    influence_rows,
    moderated,
    of_contrasts,
    refuse_short,
    refuse_unconnected,
    win_table,
)
from truerank.reliability.means.corrected import Corrected
from truerank.reliability.means.means import Known
from truerank.reliability.means.played import Fit
from truerank.scores import MachineScores


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
