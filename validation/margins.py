"""Bounded or free shapes of beta and beta-binomial margins: which simulate better?

What docs/methods/evidence/simulation-shapes.md says of `--shapes`, on all the real tables: held-out
likelihood, margins and dependence of 20,000 simulated topics, and what `eb` makes of collections simulated
either way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import truerank
from truerank import simulation
from truerank._support.seeds import stream
from truerank.coefficients import COEFFICIENTS
from truerank.scores import TIE, ScoreMatrix
from truerank.simulation.correlation import distinct_columns
from truerank.simulation.margins import SHAPES, Margin
from truerank.simulation.margins.expectation import MovedMargin, with_mean
from truerank.simulation.margins.margin_registry import DEFAULT_SHAPES, fit_margin
from truerank.simulation.margins.parametric import BetaBinomialMargin, BetaMargin
from truerank.simulation.model import SimulationModel
from truerank.simulation.support import choose_support
from validation.checks import Checks, data_folder

TABLES = (
    "adhoc6_ap",
    "adhoc7_ap",
    "robust2003_ap",
    "terabyte2006_ap",
    "terabyte2006_ndcg",
    "web2010_ap",
    "web2010_p10",
)
FOLDS = 10
RESOLUTIONS = (1e-4, 1e-2)
"""Widths of the cells whose probability is the held-out likelihood of a continuous margin; scores are
published with four decimals. A density would not do: that of a free beta is infinite at a score of 0."""

FLOOR = 1e-9
"""The least probability of a cell, so that one impossible score does not decide everything."""

PARAMETRIC = {True: ("beta-binomial",), False: ("truncated-normal", "beta")}
"""The families without kernels, which the embedded models are made of, by whether the support is finite."""

DOWNSTREAM = ("adhoc6_ap", "web2010_ap", "web2010_p10")
COLLECTIONS = 200
SIZES = (20, 50)

Array = NDArray[np.float64]


def run(checks: Checks) -> None:
    """Compare both kinds of shapes; check that the default is the one that predicts new topics better."""
    folder = data_folder() / "trec"
    held_out(checks, folder)
    models = simulated(checks, folder)
    downstream(checks, models)


def held_out(checks: Checks, folder: Path) -> None:
    """Log-probability of the topics that the margins were not fitted to, against the uniform distribution."""
    checks.note(
        f"\nheld-out log-likelihood a score, {FOLDS} folds of topics, moved to the training topics' mean; "
        "free minus bounded, ± standard error over systems, over topics"
    )
    for kind in ("all families", "parametric families"):
        differences = []
        for name in TABLES:
            scores = truerank.read_scores(folder / f"{name}.csv")
            points = choose_support(scores, "auto")
            families = PARAMETRIC[points is not None] if kind == "parametric families" else None
            by_shape = _held_out(scores, families, points)
            cells = []
            for r, width in enumerate(RESOLUTIONS if points is None else RESOLUTIONS[:1]):
                free, bounded = (by_shape[shapes][r] for shapes in ("free", "bounded"))
                difference = free - bounded
                over_systems, over_topics = (_error(difference.mean(axis=a)) for a in (0, 1))
                where = f"cells of {width:g}" if points is None else "masses"
                cells.append(
                    f"{where}: free {free.mean():+.4f}, bounded {bounded.mean():+.4f}, "
                    f"difference {difference.mean():+.4f} ± {over_systems:.4f} ± {over_topics:.4f}"
                )
                if r == 0:
                    differences.append(float(difference.mean()))
            checks.note(f"  {kind}, {name}: " + "; ".join(cells))
        better = "free" if np.mean(differences) > 0 else "bounded"
        checks.that(
            f"{kind}: the default predicts new topics better, on average over tables",
            better == DEFAULT_SHAPES,
            f"free − bounded {np.mean(differences):+.4f}, "
            f"free better on {sum(d > 0 for d in differences)} of {len(differences)}",
        )


def _held_out(
    scores: ScoreMatrix, families: Sequence[str] | None, points: Array | None
) -> dict[str, list[Array]]:
    """By shapes and resolution: log-probabilities, topics × distinct systems, less those of a uniform."""
    values = scores.values[:, distinct_columns(scores.values)[0]]
    widths = RESOLUTIONS if points is None else RESOLUTIONS[:1]
    found = {shapes: [np.empty_like(values) for _ in widths] for shapes in SHAPES}
    fold = stream(1, "validation", "folds").permutation(len(values)) % FOLDS
    for k in range(FOLDS):
        test = fold == k
        for s in range(values.shape[1]):
            train, x = values[~test, s], values[test, s]
            for shapes in SHAPES:
                margin = _moved(
                    fit_margin(train, families, support=points, shapes=shapes), float(train.mean())
                )
                for r, width in enumerate(widths):
                    found[shapes][r][test, s] = _relative(margin, x, width, points)
    return found


@lru_cache(maxsize=len(SHAPES))
def _moved(margin: Margin, mean: float) -> Margin:
    """The margin with that mean; kept, because a kernel margin is often the choice under both shapes."""
    return with_mean(margin, mean) if abs(margin.mean - mean) > TIE else margin


def _relative(margin: Margin, x: Array, width: float, points: Array | None) -> Array:
    """Log-probability of the scores' cells or, on a finite support, of the scores, against a uniform one."""
    if points is not None:
        return np.log(np.maximum(margin.density(x), FLOOR) * len(points))
    low, high = np.clip(x - width / 2, 0, 1), np.clip(x + width / 2, 0, 1)
    return np.log(np.maximum(margin.cdf(high) - margin.cdf(low), FLOOR) / (high - low))


def simulated(checks: Checks, folder: Path) -> dict[tuple[str, str], SimulationModel]:
    """How margins and dependence of 20,000 simulated topics agree with the real ones; the models."""
    checks.note(
        "\nwhole models, AIC, 20,000 topics: mean distance that margins had to be moved; largest miss of a "
        "mean in standard errors; standard deviations, simulated over real; Kolmogorov's distance, and "
        "systems beyond chance; tau_b; shapes below 1; families"
    )
    models = {}
    for name in TABLES:
        scores = truerank.read_scores(folder / f"{name}.csv")
        for shapes in SHAPES:
            model = models[name, shapes] = simulation.fit(scores, shapes=shapes)
            found = simulation.diagnose(model, scores)
            varied = [s for s in found.systems if s.sd > 0]
            miss = [abs(s.simulated_mean - s.true_mean) / s.simulated_sd * np.sqrt(20_000) for s in varied]
            ratio = [s.simulated_sd / s.sd for s in varied]
            moves = [abs(m.base.mean - m.mean) if isinstance(m, MovedMargin) else 0.0 for m in model.margins]
            counted = ", ".join(
                f"{count} {family}"
                for family, count in Counter(m.family for m in model.margins).most_common()
            )
            checks.that(
                f"{name}, {shapes}: means within 4 standard errors",
                max(miss) <= 4,
                f"moved {np.mean(moves):.4f}; miss {max(miss):.1f}; sd × {np.mean(ratio):.3f} ± "
                f"{_error(np.array(ratio)):.3f}; distance {np.mean([s.distance for s in varied]):.4f}, "
                f"{sum(s.misfit for s in varied)} beyond chance; tau_b error {found.tau_b_error:.4f}, "
                f"bias {found.tau_b_bias:+.4f}; {sum(map(_below_one, model.margins))} below 1; {counted}",
            )
    return models


def _below_one(margin: Margin) -> bool:
    base = margin.base if isinstance(margin, MovedMargin) else margin
    return isinstance(base, BetaMargin | BetaBinomialMargin) and min(base.a, base.b) < 1


@dataclass(frozen=True)
class Judged:
    """What `eb` made of simulated collections.

    Attributes:
        actual: τ between the observed and the true ranking of each.
        estimate: of it.
        covered: whether the 95% interval has the actual value.
    """

    actual: Array
    estimate: Array
    covered: Array


def downstream(checks: Checks, models: dict[tuple[str, str], SimulationModel]) -> None:
    """Bias, error and coverage of `eb` on collections simulated either way."""
    checks.note(
        f"\neb on {COLLECTIONS} collections each, ± standard error: actual tau, bias of the estimate, "
        "its error, coverage of the 95% interval"
    )
    for name in DOWNSTREAM:
        for n in SIZES:
            for shapes in SHAPES:
                found = _judge(models[name, shapes], n)
                miss = found.estimate - found.actual
                checks.note(
                    f"  {name}, n = {n}, {shapes}: tau {found.actual.mean():.4f} ± "
                    f"{_error(found.actual):.4f}; bias {miss.mean():+.4f} ± {_error(miss):.4f}; "
                    f"error {np.abs(miss).mean():.4f} ± {_error(np.abs(miss)):.4f}; "
                    f"coverage {100 * found.covered.mean():.1f} ± {100 * _error(found.covered):.1f}%"
                )


def _judge(model: SimulationModel, n: int) -> Judged:
    tau, rows = COEFFICIENTS.find("tau"), []
    for k in range(1, COLLECTIONS + 1):
        scores = model.sample(n, seed=1, collection=k)
        truth = model.true_means[scores.order]
        actual = tau.of_swaps(np.triu((truth[:, None] < truth - TIE).astype(np.float64), 1))
        found = truerank.assess(scores, "eb", "tau", draws=2_000, seed=k).estimate()
        interval = found.interval(0.95)
        assert interval is not None
        rows.append((actual, found.estimate, interval.low <= actual <= interval.high))
    return Judged(*np.array(rows, dtype=np.float64).T)


def _error(values: Array) -> float:
    """The standard error of the mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))
