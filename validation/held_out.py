"""What docs/methods/held-out.md says beyond real boards: boards whose true ranking is known.

First the method itself: the same draws are compared with the ranking by the other topics and with the true
one. Then the same on boards like a real one: residuals of topics drawn from it, around its means or others.
How often draws from real boards have a warning. Last the warning of best systems that are alike: how often it
is there, and how far τ_AP is off then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from truerank import read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU, TAU_AP
from truerank.experiments.studies.simulated import against_truth
from truerank.planning.beliefs import EDGES, Beliefs, after_pilot
from truerank.reliability.diagnostics import FEW_SYSTEMS, alike_warnings, is_skewed, skewed_share
from truerank.reliability.estimators import ESTIMATORS, TopicSample, eb
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means
from truerank.simulation.effects import fit_effects
from validation.checks import Checks, data_folder
from validation.others import pair_apart

Priors = tuple[Callable[[Vector], Vector], ...]
"""Each gives the shares of true contrasts between edges."""

BOARDS, DRAWS = 60, 20
KINDS = ((10, 1500, (30, 50, 100, 200)), (34, 118, (10, 20, 30)), (50, 797, (30, 100)))
"""Systems, topics, and how many of them are drawn."""

TABLES_OF = Path(__file__).resolve().parents[1] / "gallery" / "tables"
LIKE, LIKE_BOARDS = ("wmt20_zhen", "alpaca_eval_2"), 30
"""Boards that were beyond 0.05, and how many like them are made. AlpacaEval's table must be made first."""

WARNED, WARNED_DRAWS = (*LIKE, "wmt20_ende", "alpaca_eval_1", "evalperf_pass", "simulated", "mmlu_pro"), 100
"""Boards of which it is said how many draws have a warning."""

COLLECTIONS = 40
TABLES = ("adhoc6_ap", "terabyte2006_ap")
FACTORS = 4
"""Directions, beside those of its own, in which a made-up system varies from topic to topic."""


def run(checks: Checks) -> None:
    """All four, a line for each number of topics."""
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
        path = TABLES_OF / f"{name}.csv.gz"
        if path.exists():
            _like(checks, name, read_scores(path).values)
    for name in WARNED:
        path = TABLES_OF / f"{name}.csv.gz"
        if path.exists():
            _warned(checks, name, read_scores(path).values)
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


def _biases(truth: Vector, scores: Matrix, n: int, rng: Generator, priors: Priors = ()) -> Vector:
    """The same of a board at hand; then by the other topics where the prior is known to be one of these."""
    over, topics = [], len(scores)
    for _ in range(DRAWS):
        order = rng.permutation(topics)
        some = scores[order[:n]]
        theta = some.mean(axis=0)
        ranking, _, otherwise = against_truth(theta, scores[order[n:]].mean(axis=0))
        _, _, swapped = against_truth(theta, truth)
        ranked = plain_means(some[:, ranking])
        beliefs = after_pilot(ranked)
        known = [_with_prior(beliefs, prior(EDGES / np.sqrt(n))) for prior in priors]
        expected = [1 - 2 * float(pair_apart(one, float(topics - n)).mean()) for one in (beliefs, *known)]
        with_others = np.array(expected) - TAU.of_swaps(otherwise)
        with_truth = TAU.of_swaps(eb.posterior(ranked).probabilities()) - TAU.of_swaps(swapped)
        over.append([with_others[0], with_truth, *with_others[1:]])
    mean: Vector = np.mean(over, axis=0)
    return mean


def _with_prior(beliefs: Beliefs, shares: Vector) -> Beliefs:
    """Beliefs from the same pilot, where so many of the true contrasts are between neighboring `EDGES`."""
    prior = shares / shares.sum() / np.diff(EDGES) + 1e-12  # nothing is impossible
    one = np.ones(1)
    sure = replace(beliefs.prior, effects=one, shapes=one, weights=one, densities=prior[None])
    return replace(beliefs, prior=sure)


def _like(checks: Checks, name: str, values: Matrix) -> None:
    """Boards like a real one, with as many topics; and with normal scores, or with evenly spaced means."""
    topics, systems = values.shape
    whole = plain_means(values)
    means, residuals = whole.theta, values - whole.theta
    found = eb.posterior(plain_means(values[:, np.argsort(-means, kind="stable")])).prior
    even = np.argsort(np.argsort(means)) - (systems - 1) / 2
    even *= means.std() / even.std()
    for n in (30, 50, 100):
        if n > topics / 3:
            continue
        for kind, truth in (("as it is", means), ("normal scores", means), ("even means", even)):
            contrasts = _contrasts(truth, whole)
            priors = (
                lambda edges, of=contrasts: np.histogram(np.minimum(of, edges[-2]), edges)[0],
                lambda edges: eb._slices(edges, np.array([found.effect]), np.array([found.shape]))[0],
            )
            over = np.empty((LIKE_BOARDS, 4))
            for b in range(LIKE_BOARDS):
                rng = stream(1, name, kind, n, b)
                if kind == "normal scores":
                    noise = rng.standard_normal((topics, topics)) @ residuals / np.sqrt(topics)
                else:
                    noise = residuals[rng.integers(0, topics, topics)]
                over[b] = _biases(truth, truth + noise, n, rng, priors)
            errors = over.std(axis=0, ddof=1) / LIKE_BOARDS**0.5
            said = [
                f"{bias:+.3f} ± {error:.3f}" for bias, error in zip(over.mean(axis=0), errors, strict=True)
            ]
            apart = float(np.mean(over[:, 0] - over[:, 1]))
            checks.that(
                f"like {name}, {kind}, {n} topics",
                abs(apart) < 0.015,
                f"bias {said[0]} by the other topics, {said[1]} by the true ranking; by the other topics "
                f"{said[2]} with the true prior, {said[3]} with c and β of the whole board; "
                f"of a single board ± {over[:, 0].std(ddof=1):.3f}",
            )


def _warned(checks: Checks, name: str, values: Matrix) -> None:
    """In how many draws from a board the output warns of skewed differences, or of few systems."""
    topics, systems = values.shape
    for n in (30, 50, 100, 200):
        if n > topics / 3:
            continue
        drawn = (stream(1, name, "warned", n, d).permutation(topics)[:n] for d in range(WARNED_DRAWS))
        skewed = np.mean([is_skewed(skewed_share(values[rows]), systems) for rows in drawn])
        few = ", few systems in all" if systems < FEW_SYSTEMS else ""
        checks.note(f"  {name}, {n} topics: skewed differences in {skewed:.0%} of {WARNED_DRAWS} draws{few}")


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
        values = model.sample(n, seed=2, collection=collection + 1).values[:, kept]
        ranking, _, swapped = against_truth(values.mean(axis=0), truth)
        ranked = plain_means(values[:, ranking])
        fit = ESTIMATORS.find("eb").fit(TopicSample.of(ranked))
        over = TAU_AP.of_swaps(fit.probabilities) - TAU_AP.of_swaps(swapped)
        yield over, bool(alike_warnings(ranked, fit))
