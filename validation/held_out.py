"""What docs/methods/held-out.md says beyond real boards: boards whose true ranking is known.

First the method itself: the same draws are compared with the ranking by the other topics and with the true
one. Then the same on boards like a real one: residuals of topics drawn from it, around its means or others.
Last the warning of best systems that are alike: how often it is there, and how far τ_AP is off then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from truerank import read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU, TAU_AP
from truerank.experiments.shared.simulated import against_truth
from truerank.planning.beliefs import EDGES, Beliefs, after_pilot
from truerank.reliability.diagnostics import alike_warnings
from truerank.reliability.estimators import ESTIMATORS, TopicSample, eb
from truerank.reliability.means import Means, plain_means
from truerank.simulation import fit_effects
from validation.checks import Checks, data_folder

BOARDS, DRAWS = 60, 20
KINDS = ((10, 1500, (30, 50, 100, 200)), (34, 118, (10, 20, 30)), (50, 797, (30, 100)))
"""Systems, topics, and how many of them are drawn."""

TABLES_OF = Path(__file__).resolve().parents[1] / "gallery" / "tables"
LIKE = ("wmt20_zhen", "wmt20_ende", "evalperf_pass")
"""Real boards of the gallery whose like are made."""

COLLECTIONS = 40
TABLES = ("adhoc6_ap", "terabyte2006_ap")
FACTORS = 4
"""Directions, beside those of its own, in which a made-up system varies from topic to topic."""


def run(checks: Checks) -> None:
    """All three, a line for each number of topics."""
    for systems, topics, sizes in KINDS:
        for n in sizes:
            found = np.array([_board(systems, topics, n, stream(1, systems, n, b)) for b in range(BOARDS)])
            others, truth = found.T
            apart = others - truth
            error = apart.std(ddof=1) / BOARDS**0.5
            said = (
                f"bias {others.mean():+.3f} by the other topics, {truth.mean():+.3f} by the true ranking, "
                f"difference {apart.mean():+.4f} ± {error:.4f}; of a single board ± {others.std(ddof=1):.3f}"
            )
            checks.that(f"{systems} systems, {n} of {topics} topics", abs(apart.mean()) < 0.015, said)
    for name in LIKE:
        _like(checks, name)
    for name in TABLES:
        for alike in (0.0, 1 / 3, 1 / 2):
            for n in (30, 50, 100):
                over = np.array(list(_collections(name, alike, n)))
                told = over[:, 1] > 0
                then = f", {over[told, 0].mean():+.3f} where it is told" if told.any() else ""
                said = f"told in {told.mean():.0%}; τ_AP {over[:, 0].mean():+.3f}{then}"
                holds = told.mean() <= 0.1 if not alike else n < 50 or told.mean() >= 0.35
                checks.that(f"{name}, the best {alike:.0%} of the systems equal, {n} topics", holds, said)


def _board(systems: int, topics: int, n: int, rng: Generator) -> Vector:
    """Predicted − actual τ, a mean over draws from one board: with the other topics, and with the truth."""
    effect = np.exp(np.log(eb.EFFECT) + eb.EFFECT_SPREAD * rng.standard_normal())
    truth = np.sqrt(effect) * rng.standard_normal(systems)
    return _biases(truth, truth + _noise(topics, systems, rng), n, rng)


def _biases(truth: Vector, scores: Matrix, n: int, rng: Generator, told: Vector | None = None) -> Vector:
    """The same of a board at hand; last with the prior that `told` is the distribution of."""
    over, topics = [], len(scores)
    for _ in range(DRAWS):
        order = rng.permutation(topics)
        means = plain_means(scores[order[:n]])
        ranking, _, otherwise = against_truth(means.theta, scores[order[n:]].mean(axis=0))
        _, _, swapped = against_truth(means.theta, truth)
        ranked = means.select(ranking)
        beliefs = after_pilot(ranked)
        actual = TAU.of_swaps(otherwise)
        found = [_expected(beliefs, topics - n) - actual]
        found.append(TAU.of_swaps(eb.posterior(ranked).probabilities()) - TAU.of_swaps(swapped))
        if told is not None:
            found.append(_expected(_with_prior(beliefs, told), topics - n) - actual)
        over.append(found)
    mean: Vector = np.mean(over, axis=0)
    return mean


def _expected(beliefs: Beliefs, others: int) -> float:
    """τ with the means of so many other topics."""
    return 1 - 2 * float(beliefs.pair_apart(float(others)).mean())


def _with_prior(beliefs: Beliefs, contrasts: Vector) -> Beliefs:
    """Beliefs from the same pilot, where true contrasts are known to be distributed like these."""
    counts, _ = np.histogram(np.minimum(contrasts * np.sqrt(beliefs.topics), EDGES[-2]), EDGES)
    prior = counts / counts.sum() / np.diff(EDGES) + 1e-12  # nothing is impossible
    one = np.ones(1)
    return replace(beliefs, effects=one, shapes=one, weights=one, priors=prior[None, :])


def _like(checks: Checks, name: str) -> None:
    """Boards like a real one: with its means as the truth, and with evenly spaced ones of the same spread."""
    values = read_scores(TABLES_OF / f"{name}.csv.gz").values
    topics, systems = values.shape
    means = plain_means(values)
    truth = means.theta
    even = np.argsort(np.argsort(truth)) - (systems - 1) / 2
    even *= truth.std() / even.std()
    for n in (30, 50, 100):
        if n > topics / 3:
            continue
        for kind, center in (("its own means", truth), ("even means", even)):
            told = _contrasts(center, means)
            found = np.empty((BOARDS, 3))
            for b in range(BOARDS):
                rng = stream(1, name, kind, n, b)
                scores = center + (values - truth)[rng.integers(0, topics, topics)]
                found[b] = _biases(center, scores, n, rng, told)
            errors = found.std(axis=0, ddof=1) / BOARDS**0.5
            rows = zip(found.mean(axis=0), errors, strict=True)
            others, true, known = (f"{bias:+.3f} ± {error:.3f}" for bias, error in rows)
            said = (
                f"bias {others} by the other topics, {true} by the true ranking; {known} with the true prior"
            )
            apart = float(np.mean(found[:, 0] - found[:, 1]))
            checks.that(f"like {name}, {kind}, {n} topics", abs(apart) < 0.015, said)


def _contrasts(truth: Vector, means: Means) -> Vector:
    """|δ| of all pairs: true differences in standard deviations of one topic's."""
    pairs = np.triu_indices(len(truth), 1)
    apart: Vector = np.abs(truth[:, None] - truth)[pairs] / means.deviations[pairs]
    return apart / np.sqrt(means.effective)


def _noise(topics: int, systems: int, rng: Generator) -> Matrix:
    """Scores around their means, of variance 1: a part of it from a few directions that systems share."""
    shared = rng.standard_normal((FACTORS, systems))
    shared /= np.sqrt(np.sum(shared**2, axis=0))
    own = rng.standard_normal((topics, systems))
    noise: Matrix = np.sqrt(0.4) * own + np.sqrt(0.6) * rng.standard_normal((topics, FACTORS)) @ shared
    return noise


def _collections(name: str, alike: float, n: int) -> Iterator[tuple[float, bool]]:
    """How far τ_AP is too high, and whether the warning is there; the best three quarters of the systems."""
    model = fit_effects(read_scores(data_folder() / "trec" / f"{name}.csv"))
    means = np.asarray(model.true_means)
    kept = np.argsort(-means)[: len(means) * 3 // 4]
    best = kept[: round(len(kept) * alike)]
    if len(best):
        equal = float(means[best].mean())
        model = model.with_means({model.systems[s]: equal for s in best})
    # Equal systems have an order, too: one at random.
    truth: Vector = np.asarray(model.model_means)[kept] + 1e-7 * stream(1, "order").standard_normal(len(kept))
    for collection in range(COLLECTIONS):
        found = plain_means(model.sample(n, seed=2, collection=collection + 1).values[:, kept])
        ranking, _, swapped = against_truth(found.theta, truth)
        ranked = found.select(ranking)
        fit = ESTIMATORS.find("eb").fit(TopicSample.of(ranked))
        over = TAU_AP.of_swaps(fit.probabilities) - TAU_AP.of_swaps(swapped)
        yield over, bool(alike_warnings(ranked, fit))
