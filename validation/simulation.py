"""The simulation's promises on all the real tables: truth, dependence, margins, the published effects model.

The full vine of 88 systems takes half a minute to fit, the rest a few minutes in all.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

import truerank
from truerank import simulation
from truerank._support.seeds import stream
from truerank.scores import ScoreMatrix
from truerank.simulation.copulas import kendall_matrix
from truerank.simulation.likeness import split_noise
from truerank.simulation.margin_families import (
    BetaKernelMargin,
    DiscreteKernelMargin,
    GaussianKernelMargin,
    fit_margin,
)
from truerank.simulation.margins import BetaBinomialMargin, BetaMargin, Margin, TruncatedNormalMargin
from truerank.simulation.model import SimulationModel
from validation.checks import Checks, data_folder

TOPICS = 20_000
COLLECTIONS = 300
REPEATS = 60
TENTHS = np.arange(11) / 10
SPIKES = tuple(np.repeat([0.04, 0.5, 0.95], [40, 30, 30]).tolist())
DRAWN_FROM: dict[str, Margin] = {
    "truncated-normal": TruncatedNormalMargin(0.1, 0.15),
    "beta": BetaMargin(0.6, 2.5),
    "gaussian-kernel": GaussianKernelMargin(SPIKES, 0.02, 5.0),
    "beta-kernel": BetaKernelMargin(SPIKES, 0.004, 5.0),
    "beta-binomial": BetaBinomialMargin(tuple(TENTHS), 0.7, 1.5),
    "discrete-kernel": DiscreteKernelMargin(tuple(TENTHS), (20, 0, 0, 0, 0, 10, 0, 0, 0, 0, 20), 0.1, 3.0),
}
"""One margin of each family, typical of scores and unlike the other families."""


def run(checks: Checks) -> None:
    """Check what docs/methods/simulation.md promises."""
    folder = data_folder()
    truth_and_dependence(checks, folder)
    vines(checks, folder)
    margins(checks)
    effects(checks, folder)


def truth_and_dependence(checks: Checks, folder: Path) -> None:
    """20,000 topics from a model of every table: means, τ_b, supports."""
    checks.note(f"\ncopula model, Gaussian copula, {TOPICS:,} topics")
    for path in sorted((folder / "trec").glob("*.csv")):
        scores = truerank.read_scores(path)
        values = means_hold(checks, path.stem, simulation.fit(scores))
        compare_tau_b(checks, path.stem, scores, values, 0.05)
        if path.stem.endswith("p10"):
            on_support = np.isin(np.round(values, 9), TENTHS).all()
            checks.that(
                f"{path.stem}: only the support", bool(on_support), f"{len(np.unique(values))} values"
            )
    scores = truerank.read_scores(folder / "trec" / "adhoc6_ap.csv")
    models = {truth: simulation.fit(scores, "effects", truth=truth) for truth in ("original", "model")}
    apart = np.abs(models["model"].true_means - models["original"].true_means)
    checks.that(
        "effects of adhoc6: expected scores differ from the original means as documented",
        f"{apart.mean():.4f} {apart.max():.4f}" == "0.0053 0.0110",
        f"{apart.mean():.4f} on average, {apart.max():.4f} at most",
    )
    for truth, model in models.items():
        values = model.draw(TOPICS, stream(1, "validation"))
        miss = values.mean(axis=0) - model.true_means
        worst = float(np.abs(miss / (values.std(axis=0) / np.sqrt(TOPICS))).max())
        checks.note(
            f"  effects, truth={truth}: mean miss {miss.mean():+.4f}, largest {np.abs(miss).max():.4f}, "
            f"{worst:.1f} standard errors"
        )


def means_hold(checks: Checks, name: str, model: SimulationModel) -> np.ndarray:
    """Whether every simulated mean lies within four standard errors of the truth."""
    values = model.draw(TOPICS, stream(1, "validation"))
    error = values.std(axis=0, ddof=1) / np.sqrt(TOPICS)
    miss = np.abs(values.mean(axis=0) - model.true_means)
    worst = float((miss / np.where(error > 0, error, 1.0)).max())
    checks.that(f"{name}: means within 4 standard errors", bool((miss <= 4 * error).all()), f"{worst:.2f}")
    return values


def compare_tau_b(
    checks: Checks, name: str, scores: ScoreMatrix, values: np.ndarray, bound: float | None
) -> None:
    """The error of the simulated τ_b, beside the sampling noise of the real one."""
    pairs = np.triu_indices(scores.m, 1)
    difference = (kendall_matrix(values) - kendall_matrix(scores.values))[pairs]
    error, bias = float(np.nanmean(np.abs(difference))), float(np.nanmean(difference))
    measured = f"{error:.4f}, bias {bias:+.4f}; noise of the real one {split_noise(scores.values):.3f}"
    if bound is None:
        checks.note(f"       {name}: tau_b error {measured}")
    else:
        checks.that(f"{name}: tau_b error at most {bound}", error <= bound, measured)


def vines(checks: Checks, folder: Path) -> None:
    """Vines: the truth holds as well; their error of τ_b is reported."""
    checks.note("\nvines (two threads)")
    for name, options in (
        ("web2010_ap", {"truncation": 3}),
        ("web2010_ap", {"families": ["gaussian"]}),
        ("web2010_ap", {}),
        ("web2010_p10", {"truncation": 3}),
    ):
        scores = truerank.read_scores(folder / "trec" / f"{name}.csv")
        model = simulation.fit(scores, copula="vine", threads=2, seed=1, **options)
        label = f"{name} {options or 'full'}"
        values = means_hold(checks, label, model)
        compare_tau_b(checks, label, scores, values, None)


def margins(checks: Checks) -> None:
    """Selection rates and parameters on data drawn from each family itself."""
    for n in (50, 120, 250):
        checks.note(f"\nfamilies chosen by BIC (AIC) in {REPEATS} samples of n = {n}")
        rng = stream(n, "validation", "margins")
        all_degrees: list[float] = []
        for name, margin in DRAWN_FROM.items():
            support = getattr(margin, "points", None)
            samples = [margin.sample(n, rng) for _ in range(REPEATS)]
            rates = {}
            for criterion in ("bic", "aic"):
                fits = [fit_margin(x, criterion=criterion, support=support) for x in samples]
                rates[criterion] = Counter(fit.family for fit in fits)
                all_degrees += [fit.degrees for fit in fits]
            share = {c: rates[c][name] / REPEATS for c in rates}
            others = ", ".join(f"{k} {v}" for k, v in rates["bic"].items() if k != name)
            text = f"{share['bic']:.0%} ({share['aic']:.0%}){'; else ' + others if others else ''}"
            if n == 250:
                checks.that(f"{name} recovered", share["bic"] >= 0.8, text)
            else:
                checks.note(f"       {name}: {text}")
        span = f"{min(all_degrees):.1f} to {max(all_degrees):.1f}"
        checks.that("degrees of freedom in [1, n]", min(all_degrees) >= 1 and max(all_degrees) <= n, span)


def effects(checks: Checks, folder: Path) -> None:
    """The effects model of adhoc6 without its bottom quarter against the published `actual`."""
    scores = truerank.read_scores(folder / "trec" / "adhoc6_ap.csv").drop_bottom(0.25)
    model = simulation.fit(scores, "effects")
    checks.note(f"\neffects model of adhoc6: actual correlations of {COLLECTIONS} collections (published)")
    drawn = {
        n: [model.sample(n, seed=1, collection=k).means for k in range(1, COLLECTIONS + 1)]
        for n in (10, 50, 100)
    }
    for file, coefficient in (("tau", truerank.tau), ("tauAP", truerank.tau_ap)):
        table = pd.read_csv(folder / "published" / f"adhoc6_{file}.csv.gz")
        for n, means in drawn.items():
            ours = np.array([coefficient(model.true_means, mean) for mean in means])
            published = table.actual[table.n_t == n]
            sd, both = published.std(), np.sqrt(1 / COLLECTIONS + 1 / len(published))
            for what, mine, theirs, error in (
                ("mean", ours.mean(), published.mean(), sd * both),
                ("sd", ours.std(ddof=1), sd, sd * both / np.sqrt(2)),
            ):
                checks.that(
                    f"{file}, n = {n}: {what} within 3 standard errors",
                    abs(mine - theirs) <= 3 * error,
                    f"{mine:.4f} ({theirs:.4f}), {(mine - theirs) / error:+.2f}",
                )
    collections = pd.read_csv(folder / "published" / "adhoc6_collections.csv.gz")
    theirs = collections[list(model.systems)].to_numpy()
    ours = model.draw(len(theirs), stream(1, "validation", "effects"))
    correlation = np.abs(np.corrcoef(ours.T) - np.corrcoef(theirs.T)).mean()
    checks.note(
        f"  {len(theirs):,} topics of the published simulator: mean difference of means "
        f"{(ours.mean(axis=0) - theirs.mean(axis=0)).mean():+.4f}, of standard deviations "
        f"{(ours.std(axis=0) - theirs.std(axis=0)).mean():+.4f}, of correlations (absolute) {correlation:.4f}"
    )
