"""What docs/methods/leader.md says of the leader's corrected score and interval, on fewer collections.

Twelve populations with known true means: three TREC collections by both simulators, a random half of the
systems each time, and six of our own. The yardstick is the hybrid interval of Andrews, Kitagawa and
McCloskey (2024).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from truerank import read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.reliability.leader import leader_of
from truerank.reliability.means import means_of
from truerank.reliability.shrunken import contrasts
from truerank.scores import ScoreMatrix, ranking_order
from truerank.simulation import fit_copula, fit_effects
from validation.checks import Checks, data_folder

TABLES = ("adhoc7_ap", "terabyte2006_ap", "web2010_ap")
TOPICS = (10, 20, 50, 100)
TRIALS = 50
LEVEL, BETA = 0.95, 0.005
DRAWS = 1_000

Population = Callable[[int, Generator], tuple[Matrix, Vector]]
"""From a number of topics and a generator to n × m scores and the m true means."""


@dataclass(frozen=True)
class Measured:
    """One population at one number of topics, over all collections.

    Attributes:
        population: its name.
        topics: n.
        bias: of the leader's score in its standard errors: as observed, shrunken, and limited.
        bias_errors: Monte Carlo standard errors of those.
        cover: share of intervals that hold the leader's true contrast: ours, t, hybrid.
        width: mean width over that of t: ours, hybrid.
        error: mean squared error of all limited contrasts over that of the observed ones.
        worse: mean difference of the two squared errors in its standard errors; above 3 correction harms.
    """

    population: str
    topics: int
    bias: tuple[float, ...]
    bias_errors: tuple[float, ...]
    cover: tuple[float, ...]
    width: tuple[float, ...]
    error: float
    worse: float


def populations() -> dict[str, Population]:
    """The twelve populations by name."""
    found: dict[str, Population] = {}
    for name in TABLES:
        scores = read_scores(data_folder() / "trec" / f"{name}.csv")
        for kind, model in (
            ("copula", fit_copula(scores)),
            ("effects", fit_effects(scores, truth="model")),
        ):
            found[f"{name}, {kind}"] = _simulated(model)
    return found | {
        "equal": _normal(lambda rng: np.zeros(20)),
        "one far ahead": _normal(lambda rng: np.append(rng.normal(0, 0.1, 24), 1.5)),
        "two groups": _normal(lambda rng: np.repeat([0.0, 0.6], 10)),
        "close": _normal(lambda rng: rng.normal(0, 0.15, 40)),
        "binary": _binary,
        "heavy tails": _heavy,
    }


def _simulated(model: object) -> Population:
    truth = np.asarray(model.true_means)  # type: ignore[attr-defined]

    def drawn(topics: int, rng: Generator) -> tuple[Matrix, Vector]:
        kept = rng.permutation(len(truth))[: len(truth) // 2]
        return model.draw(topics, rng)[:, kept], truth[kept]  # type: ignore[attr-defined]

    return drawn


def _normal(effects: Callable[[Generator], Vector]) -> Population:
    """Topic effects, and residuals of variance 1; systems' effects in units of a residual's deviation."""

    def drawn(topics: int, rng: Generator) -> tuple[Matrix, Vector]:
        truth = effects(rng)
        return truth + rng.normal(0, 1, (topics, 1)) + rng.normal(0, 1, (topics, len(truth))), truth

    return drawn


def _binary(topics: int, rng: Generator) -> tuple[Matrix, Vector]:
    """Right or wrong answers of 30 systems with accuracies around 0.6, on questions of any difficulty."""
    from scipy.special import expit

    levels = rng.normal(0.5, 0.4, 30)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = expit(levels[:, None] + 1.5 * nodes) @ weights / weights.sum()
    chance = expit(levels + rng.normal(0, 1.5, (topics, 1)))
    return (rng.random(chance.shape) < chance).astype(float), truth


def _heavy(topics: int, rng: Generator) -> tuple[Matrix, Vector]:
    """Residuals of a t distribution with 3 degrees of freedom."""
    truth = rng.normal(0, 0.3, 25)
    return truth + rng.normal(0, 1, (topics, 1)) + rng.standard_t(3, (topics, 25)), truth


def measured(trials: int, topics: tuple[int, ...] = TOPICS) -> Iterator[Measured]:
    """All populations at all numbers of topics, over that many collections each."""
    for name, draw in populations().items():
        for n in topics:
            rows = []
            trial = 0
            while len(rows) < trials:
                rng = stream(1, "leader", name, n, trial)
                trial += 1
                values, truth = draw(n, rng)
                row = _one(values, truth, rng)
                if row is not None:
                    rows.append(row)
            yield _summed(name, n, np.array(rows))


def _one(values: Matrix, truth: Vector, rng: Generator) -> tuple[float, ...] | None:
    """Errors, hits and widths of one collection; nothing of one whose systems are all alike."""
    from scipy.special import stdtrit

    values = values[:, values.std(axis=0) > 0]
    if values.shape[1] != len(truth):
        return None
    scores = ScoreMatrix.build(values)
    order = ranking_order(means_of(scores).theta)
    scores, truth = scores.select(order), truth[order] - truth.mean()
    means = means_of(scores)
    found = contrasts(means)
    leader = leader_of(scores, means, found, LEVEL, 0)
    a, s, true = found.observed[0], found.errors[0], truth[0]
    half = float(stdtrit(len(values) - 1, (1 + LEVEL) / 2)) * s
    low, high = hybrid(means.rows, found.observed, rng)
    return (
        (a - true) / s,
        (found.shrunken[0] - true) / s,
        (found.limited[0] - true) / s,
        float(leader.low <= true <= leader.high),
        float(a - half <= true <= a + half),
        float(low <= true <= high),
        (leader.high - leader.low) / (2 * half),
        (high - low) / (2 * half),
        float(np.mean((found.observed - truth) ** 2)),
        float(np.mean((found.limited - truth) ** 2)),
    )


def _summed(name: str, n: int, rows: Matrix) -> Measured:
    means, errors = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    difference = rows[:, 9] - rows[:, 8]
    spread = difference.std(ddof=1) / np.sqrt(len(rows))
    return Measured(
        name,
        n,
        tuple(means[:3]),
        tuple(errors[:3]),
        tuple(means[3:6]),
        tuple(means[6:8]),
        float(means[9] / means[8]),
        float(difference.mean() / spread),
    )


def hybrid(rows: Matrix, contrast: Vector, rng: Generator) -> tuple[float, float]:
    """The hybrid interval of the first of some contrasts, given that it is the largest.

    Args:
        rows: n × m; the covariance of the scores is ``rowsᵀ rows``.
        contrast: m, the largest first.
        rng: for the quantile of the largest error.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    centered = rows - rows.mean(axis=1, keepdims=True)
    variances = (centered**2).sum(axis=0)
    s = float(np.sqrt(variances[0]))
    errors = rng.standard_normal((DRAWS, len(rows))) @ (centered / np.sqrt(variances))
    reach = float(np.quantile(np.abs(errors).max(axis=1), 1 - BETA)) * s
    shared = centered[:, 0] @ centered / variances[0]
    rest, slope = contrast - shared * contrast[0], 1 - shared
    bounds = rest[1:][slope[1:] > 1e-9] / slope[1:][slope[1:] > 1e-9]
    least = float(bounds.max(initial=-np.inf))
    alpha = (1 - LEVEL - BETA) / (1 - BETA)
    at = float(contrast[0])

    def below(mean: float) -> float:
        """The chance of less than what was observed, in what is left of a normal."""
        low, high = (max(least, mean - reach) - mean) / s, reach / s
        here = (at - mean) / s
        if here <= low:
            return 0.0
        inside = ndtr(-low) - ndtr(-high)
        return float((ndtr(-low) - ndtr(-here)) / inside) if inside > 0 else 1.0

    def end(share: float) -> float:
        low, high = at - reach + 1e-9 * s, at + reach - 1e-9 * s
        if below(low) < share or below(high) > share:
            return low if below(low) < share else high
        return float(brentq(lambda mean: below(mean) - share, low, high, xtol=1e-6 * s))

    return end(1 - alpha / 2), end(alpha / 2)


def table(found: list[Measured]) -> str:
    """The rows of the documentation's table."""
    lines = []
    for one in found:
        bias = " / ".join(f"{b:+.2f}".replace("-", "−") for b in one.bias)
        cover = " / ".join(f"{100 * c:.1f}" for c in one.cover)
        width = " / ".join(f"{w:.2f}" for w in one.width)
        lines.append(f"| {one.population} | {one.topics} | {bias} | {cover} | {width} | {one.error:.2f} |")
    return "\n".join(lines)


def run(checks: Checks) -> None:
    """Check bias, coverage and errors."""
    found = list(measured(TRIALS))
    checks.note(table(found))
    later = [one for one in found if one.topics >= 20]
    noise = 3 * float(np.sqrt(np.sum([one.bias_errors[2] ** 2 for one in later]))) / len(later)
    average = float(np.mean([abs(one.bias[2]) for one in later]))
    checks.that(
        "mean size of the leader's bias at most 0.6 standard errors", average <= 0.6 + noise, f"{average:.2f}"
    )
    for one in later:
        where = f"{one.population}, n = {one.topics}"
        checks.that(
            f"{where}: bias at most 1.2 standard errors",
            abs(one.bias[2]) <= 1.2 + 3 * one.bias_errors[2],
            f"{one.bias[2]:+.2f}",
        )
        slack = 0.05 + 3 * np.sqrt(LEVEL * (1 - LEVEL) / TRIALS)
        checks.that(
            f"{where}: coverage within 5 points of 95%",
            abs(one.cover[0] - LEVEL) <= slack,
            f"{one.cover[0]:.3f}",
        )
        checks.that(
            f"{where}: correction adds at most 10% to the error",
            one.error <= 1.1 or one.worse <= 3,
            f"{one.error:.2f}",
        )
