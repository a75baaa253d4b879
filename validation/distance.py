"""The rank distance: the figures of carterette-2009, an independent solver, and what its p-value promises.

Figure 2 is drawn again into docs/images.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from truerank._support.outputs import write_file
from truerank.coefficients import kendall_interval
from truerank.comparison import compare
from truerank.comparison.distance import Reference, rank_distance, rank_distance_test
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.readers import read_scores
from truerank.scores import ScoreMatrix
from validation.checks import Checks, NoDataError, data_folder

ROOT = Path(__file__).resolve().parents[1]
FIGURE = ROOT / "docs" / "images" / "rank-distance-cone.svg"


def run(checks: Checks) -> None:
    """All of it, about two minutes."""
    sys.path.insert(0, str(ROOT / "tests" / "distance"))
    example(checks)
    promises(checks)
    try:
        folder = data_folder() / "trec"
    except NoDataError as missing:
        checks.note(f"  skipped the real scores: {missing}")
        return
    terabyte(checks, folder)
    solvers(checks, folder)
    lambdas(checks, folder)


def example(checks: Checks) -> None:
    """The 4 × 3 example of §3.1, its enumerated p-value, and Figure 2."""
    from plain_distance import AP, P10, enumerated_p_value, values_of

    published = {"ABC": 4.8828, "ACB": 4.8828, "BAC": 4.4470, "CAB": 4.8288, "BCA": 0.6508, "CBA": 0.0}
    for ranking, distance in published.items():
        found = rank_distance(AP, values_of(ranking)).distance
        checks.that(f"example, {ranking}", abs(found - distance) < 5e-5, f"{found:.4f} ({distance:.4f})")
    test = rank_distance_test(AP, P10)
    by_hand = enumerated_p_value(test.distance, AP)
    checks.that("example, p of BCA", test.p_value == by_hand == 54 / 256, f"{test.p_value * 256:.0f}/256")
    low, high = kendall_interval(0.9, 25)
    checks.that("Kendall's interval, eq. 1", (round(low, 3), round(high, 3)) == (0.389, 0.987))

    from truerank.experiments.studies.three_systems import cone_figure
    from truerank.report import render

    chart = cone_figure(ScoreMatrix.build(AP, systems="ABC"), P10)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    write_file(FIGURE, render.svg(chart))
    checks.note(f"  Figure 2 drawn to {FIGURE.relative_to(ROOT)}")


def terabyte(checks: Checks, folder: Path) -> None:
    """AP against nDCG on Terabyte 2006, both ways."""
    tables = [read_scores(folder / f"terabyte2006_{measure}.csv") for measure in ("ap", "ndcg")]
    for reference, other, published in ((*tables, 19.111), (*tables[::-1], 15.938)):
        found = compare(reference, other)
        d, limit = found.distance, found.distance.critical_value(0.05)
        checks.that(
            f"terabyte, {Path(str(other.source)).stem} | {Path(str(reference.source)).stem}",
            abs(d.distance - published) < 5e-4 and round(found.tau, 4) == 0.7650 and d.p_value == 0,
            f"τ {found.tau:.4f}, d {d.distance:.3f}, p {d.p_value:.4f}, 5% critical value {limit:.2f}",
        )


def solvers(checks: Checks, folder: Path) -> None:
    """Bootstrap distances of real scores against SciPy's NNLS, each a problem of its own."""
    from plain_distance import problem

    for name in ("terabyte2006_ap", "robust2003_ap", "adhoc6_ap", "adhoc7_ap", "web2010_ap", "web2010_p10"):
        reference = Reference.of(read_scores(folder / f"{name}.csv"))
        n = reference.scores.n
        counts = np.random.default_rng(1).multinomial(n, np.full(n, 1 / n), 300)
        means = counts @ reference.scores.values / n
        worst, skipped = 0.0, 0
        for order, distance in zip(reference.orders(means), reference.distances(means), strict=True):
            mean, covariance, _ = problem(order, reference.scores.values, reference.ridge)
            inverse = np.linalg.inv(np.linalg.cholesky(covariance))
            theta, _ = nnls(inverse, inverse @ mean, maxiter=10_000)
            plain = np.sqrt(n) * np.linalg.norm(inverse @ (theta - mean))
            # SciPy's answer is a point that ranks alike, so never nearer; where its own optimality
            # conditions fail it is no answer.
            slope = inverse.T @ (inverse @ (theta - mean))
            optimal = (slope * theta).max() < 1e-7 * np.abs(slope).max() and slope.min() > -1e-7 * np.abs(
                slope
            ).max()
            worst = max(worst, abs(plain - distance) if optimal else distance - plain)
            skipped += not optimal
        checks.that(
            f"{name}, 300 bootstrap distances",
            worst < 1e-8,
            f"off by {worst:.1e} ({skipped} without an answer)",
        )


def lambdas(checks: Checks, folder: Path) -> None:
    """How much λ decides where there are more systems than topics; nothing is promised here."""
    for reference, other in (("web2010_ap", "web2010_p10"), ("web2010_p10", "web2010_ap")):
        x, y = (read_scores(folder / f"{name}.csv") for name in (reference, other))
        for regularize in ("differences", "scores"):
            row = []
            for ridge in (1e-6, 1e-5, 1e-4):
                test = rank_distance_test(x, y, 1_000, ridge=ridge, regularize=regularize)
                limit = test.critical_value(0.05)
                row.append(f"{ridge:g}: {test.distance:.1f} ({limit:.1f})")
            checks.note(
                f"  {other} | {reference}, lambda on {regularize}: distance (5% value) at {', '.join(row)}"
            )


def promises(checks: Checks) -> None:
    """How often the test rejects at 5% when the truth is known: simulated topics, 300 collections."""
    kinds = ("true ranking", "50 other topics", "another bootstrap sample")
    shares = {}
    for m, spread in ((10, 0.05), (10, 0.01), (30, 0.05)):
        rejected = np.zeros(3)
        for trial in range(300):
            rng = np.random.default_rng(trial)
            truth = rng.normal(0.35, spread, m)

            def topics(truth: np.ndarray = truth, rng: np.random.Generator = rng) -> np.ndarray:
                return truth + rng.normal(0, 0.2, (50, 1)) + rng.normal(0, 0.1, (50, len(truth)))

            x = topics()
            reference = Reference.of(x)
            known = bootstrap_distribution(reference, 500, seed=trial)
            again = rng.multinomial(50, np.full(50, 0.02)) @ x / 50
            others = reference.distances(np.array([truth, topics().mean(axis=0), again]))
            rejected += [known.p_value(d) < 0.05 for d in others]
        shares[m, spread] = rejected / 300
        found = ", ".join(f"{kind} {share:.3f}" for kind, share in zip(kinds, rejected / 300, strict=True))
        checks.note(f"  rejected at 5%, {m} systems, sd of true means {spread}: {found}")
        # Four standard errors of a share of 300.
        checks.that(
            f"bootstrap samples are rejected as often as promised ({m} systems, {spread})",
            abs(rejected[2] / 300 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 300),
            f"{rejected[2] / 300:.3f}",
        )
