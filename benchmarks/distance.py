"""The rank distance, its test and the tests of all pairs at 249 topics × 110 systems, beside plain ways.

Plain: a generic quadratic program for every ranking (quadprog, the solver that R users call; SciPy's
SLSQP where it is not installed), and for the significance tests one pair at a time. They are timed
on a part of the work and scaled, the rest being repetition.
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.optimize import minimize

from truerank._support.resources import one_blas_thread
from truerank.comparison.distance import Reference, rank_distance
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.comparison.significance import pairwise_tests
from truerank.scores import ScoreMatrix
from validation.timing import row, seconds

SAMPLES = 10_000
PART = 100
PAIRS = 100


def simulated(n: int, m: int) -> ScoreMatrix:
    """AP-like scores: beta margins, hard topics hard for all."""
    rng = np.random.default_rng(1)
    z = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, m))
    means = np.linspace(0.4, 0.05, m)
    return ScoreMatrix.build(stats.beta.ppf(stats.norm.cdf(z), 3 * means, 3 * (1 - means)).round(4)).ranked()


def run() -> None:
    """Time one distance, the bootstrap test, and the tests of all pairs."""
    scores = simulated(249, 110)
    reference = Reference.of(scores)
    y = scores.means + 0.02 * np.random.default_rng(1).standard_normal(scores.m)
    name, plain = generic_solver()
    counts = np.random.default_rng(2).multinomial(scores.n, np.full(scores.n, 1 / scores.n), PART)
    means = counts @ scores.values / scores.n
    with one_blas_thread():
        one = seconds(lambda: plain(reference, y))
        many = seconds(lambda: [plain(reference, sample) for sample in means], 1) * SAMPLES / PART
    print(f"{'':34} {'this':>10} {name:>12} {'ratio':>9}")
    row("one distance, from the scores", seconds(lambda: rank_distance(scores, y), 10), note="promised 3 ms")
    row("one distance, prepared reference", seconds(lambda: rank_distance(reference, y), 10), one)
    time = seconds(lambda: bootstrap_distribution(reference, SAMPLES), 1)
    row("bootstrap test, 10,000 samples", time, many, "promised 6 s")
    worst = max(
        abs(plain(reference, sample) - d) for sample, d in zip(means, reference.distances(means), strict=True)
    )
    print(f"largest difference from {name} in {PART} samples: {worst:.1e}")
    for n, m in ((50, 74), (50, 110), (249, 300)):
        other = Reference.of(simulated(n, m))
        time = seconds(lambda other=other: bootstrap_distribution(other, SAMPLES // 10), 1) * 10
        row(f"bootstrap test, {n} × {m}", time, note=f"ridge {other.ridge:g}")
    pairs(scores.values)


def generic_solver():
    """A solver for one ranking, building the problem from the scores each time as Algorithm 1 does."""
    try:
        import quadprog
    except ImportError:
        return "SLSQP", by_slsqp

    def by_quadprog(reference: Reference, y: np.ndarray) -> float:
        mean, covariance, n = problem(reference, y)
        k = len(mean)
        return np.sqrt(max(0.0, -2 * n * quadprog.solve_qp(covariance, -mean, np.eye(k), np.zeros(k))[1]))

    return "quadprog", by_quadprog


def by_slsqp(reference: Reference, y: np.ndarray) -> float:
    mean, covariance, n = problem(reference, y)
    inverse = np.linalg.inv(covariance)
    found = minimize(
        lambda theta: n * (theta - mean) @ inverse @ (theta - mean),
        np.maximum(mean, 0),
        jac=lambda theta: 2 * n * inverse @ (theta - mean),
        bounds=[(0, None)] * len(mean),
        method="SLSQP",
    )
    return np.sqrt(found.fun)


def problem(reference: Reference, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    x = reference.scores.values[:, reference.orders(y)[0]]
    differences = x[:, :-1] - x[:, 1:]
    return differences.mean(axis=0), np.cov(differences, rowvar=False) + reference.added, len(x)


def pairs(values: np.ndarray) -> None:
    """Every test for all 5,995 pairs; the plain way is SciPy for one pair after another."""
    m = values.shape[1]
    share = m * (m - 1) / 2 / PAIRS
    chosen = list(zip(*np.triu_indices(m, 1), strict=True))[:: int(share)][:PAIRS]
    rng = np.random.default_rng(3)

    def randomization(a: np.ndarray, b: np.ndarray) -> float:
        d = a - b
        signs = rng.choice((-1.0, 1.0), (SAMPLES, len(d)))
        return (1 + np.sum(np.abs(signs @ d) >= abs(d.sum()))) / (1 + SAMPLES)

    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    degrees = (len(values) - 1) * (m - 1)
    error = np.sqrt(np.sum(residuals**2) / degrees / len(values))
    plain = {
        "t": lambda a, b: stats.ttest_rel(a, b).pvalue,
        "wilcoxon": lambda a, b: stats.wilcoxon(a, b).pvalue,
        "sign": lambda a, b: stats.binomtest(int(np.sum(a > b)), int(np.sum(a != b))).pvalue,
        "randomization": randomization,
        "tukey": lambda a, b: stats.studentized_range.sf(abs(np.mean(a - b)) / error, m, degrees),
    }
    for name, test in plain.items():
        time = seconds(lambda name=name: pairwise_tests(values, name))
        slow = seconds(lambda test=test: [test(values[:, i], values[:, j]) for i, j in chosen], 1) * share
        row(f"all pairs, {name}", time, slow, "promised 3 s" if name == "randomization" else "")


if __name__ == "__main__":
    run()
