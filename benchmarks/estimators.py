"""All six estimators, both coefficients, 50 topics × 129 systems, T = 1,000; and 1,000 × 1,000.

The plain versions do each pair by itself, in the way the published code does; they are timed on a
sample of the pairs (or observations) and scaled, the rest being repetition.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.special import erfinv

import truerank
from truerank._support.seeds import stream
from truerank.coefficients import TAU, TAU_AP
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.predictive import swap_model
from truerank.scores import ScoreMatrix
from validation.timing import once, peak_memory, row, seconds

T = 1_000


def simulated(n: int, m: int) -> ScoreMatrix:
    """AP-like scores: beta margins, hard topics hard for all."""
    rng = np.random.default_rng(1)
    z = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, m))
    means = np.linspace(0.4, 0.05, m)
    return ScoreMatrix.build(stats.beta.ppf(stats.norm.cdf(z), 3 * means, 3 * (1 - means)).round(4)).ranked()


def plain_pair(name: str, d: np.ndarray, rng: np.random.Generator) -> float:
    """One pair's probability, written as its formula."""
    n = len(d)
    if name == "ml":
        c = math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))
        return float(stats.t.cdf(-math.sqrt(n) * d.mean() / (d.std(ddof=1) * c), n - 1))
    if name == "msqd":
        e = erfinv(2 * stats.rankdata(np.round(d, 10)) / (n + 1) - 1)
        sigma = math.sqrt(2) * np.sum((d - d.mean()) * e) / (2 * np.sum(e**2))
        return float(stats.t.cdf(-math.sqrt(n) * d.mean() / sigma, n - 1))
    if name == "res":
        return float(np.mean([rng.choice(d, n).mean() < 0 for _ in range(T)]))
    h = 0.3 * d.std()
    return float(np.mean([(rng.choice(d, n) + h * rng.standard_normal(n)).mean() < 0 for _ in range(T)]))


def plain_seconds(name: str, values: np.ndarray) -> float:
    """The plain version's time for all pairs, from 20 of them (or 20 of 2,000 observations)."""
    m = values.shape[1]
    rng = np.random.default_rng(1)
    if name.startswith("sh"):

        def observation() -> None:
            a, b = (values[rng.integers(0, len(values), 25)].mean(axis=0) for _ in range(2))
            order = np.argsort(-a)
            b = b[order]
            for weights in (TAU.weights(m), TAU_AP.weights(m)):
                sum(weights[i, j] for i in range(m) for j in range(i + 1, m) if b[i] < b[j])

        return once(lambda: [observation() for _ in range(5)]) / 5 * 2000
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    some = [pairs[k] for k in rng.integers(0, len(pairs), 20)]
    return (
        once(lambda: [plain_pair(name, values[:, i] - values[:, j], rng) for i, j in some]) / 20 * len(pairs)
    )


def point_estimates(name: str, values: np.ndarray) -> None:
    """One estimator from scratch, both coefficients."""
    method = ESTIMATORS[name]
    if isinstance(method, PairEstimator):
        p = method.probabilities(TopicSample(values, T, 1))
        [c.of_swaps(p) for c in (TAU, TAU_AP)]
    else:
        method.estimates(values, (TAU, TAU_AP), stream(1, name))


def run() -> None:
    """Print the tables."""
    scores = simulated(50, 129)
    print(f"50 topics × 129 systems, T = {T:,}, τ and τ_AP; plain: each pair by itself")
    total_fast = total_plain = 0.0
    for name in ("ml", "msqd", "res", "kd", "sh-w", "sh-wo"):
        fast = seconds(lambda name=name: point_estimates(name, scores.values))
        plain = plain_seconds(name, scores.values)
        total_fast, total_plain = total_fast + fast, total_plain + plain
        row(name, fast, plain)
    row("all six", total_fast, total_plain, "wanted: at most 1.5 s")
    model = swap_model("msqd", TopicSample(scores.values))
    row("10,000 joint draws", seconds(lambda: model.draws(10_000, stream(1, "draws"))))
    whole_command(scores)
    large()


def whole_command(scores: ScoreMatrix) -> None:
    """The command, process start to end, estimates and intervals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        truerank.write_scores(scores, path)
        command = [
            sys.executable,
            "-m",
            "truerank",
            "assess",
            str(path),
            "--resamples",
            str(T),
            "--json",
            "-",
        ]
        only = [
            part for name in ("ml", "msqd", "res", "kd", "sh-w", "sh-wo") for part in ("--estimator", name)
        ]
        elapsed = seconds(lambda: subprocess.run([*command, *only], check=True, capture_output=True))
        row("whole command, with intervals", elapsed, None, "wanted: at most 6 s")
        help_command = [sys.executable, "-m", "truerank", "--help"]
        elapsed = seconds(lambda: subprocess.run(help_command, check=True, capture_output=True))
        row("truerank --help", elapsed, None, "wanted: at most 0.5 s")


def large() -> None:
    """1,000 topics × 1,000 systems: point estimates, then intervals from 10,000 draws."""
    scores = simulated(1000, 1000)
    print("1,000 topics × 1,000 systems, T = 1,000")
    sample = TopicSample(scores.values, T, 1)
    total = 0.0
    for name in ("ml", "msqd", "res"):
        elapsed = once(lambda name=name: ESTIMATORS[name].probabilities(sample))  # type: ignore[union-attr]
        total += elapsed
        row(name, elapsed)
    row("ml, msqd and res", total, None, f"wanted: at most 20 s and 3 GB; peak so far {peak_memory():.2f} GB")
    elapsed = once(lambda: truerank.assess(scores, ["ml", "msqd", "res"], resamples=T))
    row("the same with intervals", elapsed, None, f"wanted: at most 140 s; peak {peak_memory():.2f} GB")
