"""What docs/methods/machine-alone.md says of a machine's ranking.

Topics of TREC tables are drawn with replacement, so that the table is the truth; 20 systems of the better
three quarters; a machine judges 200 topics, people the first of them. The machine errs by half the scatter
of scores within topics, and has no bias (`none`), one for every system (`biases`) or three favorites
(`favorites`). Minutes with the default number of collections.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.random import Generator

from truerank import read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.coefficients import tau
from truerank.comparison import machine_alone
from validation.checks import Checks, data_folder

CHOSEN, OTHERS = ("robust2004_ap", "adhoc6_ap"), ("web2010_ap", "terabyte2006_ndcg")
"""Tables on which the rules were chosen, and two that check them."""

KINDS = ("none", "biases", "favorites")
COLLECTIONS, MACHINE_TOPICS, SYSTEMS = 30, 200, 20


def table(name: str) -> Matrix:
    """Twenty systems of the better three quarters, evenly spread over the ranking."""
    values = read_scores(data_folder() / "trec" / f"{name}.csv").values
    order = np.argsort(-values.mean(axis=0), kind="stable")[: values.shape[1] * 3 // 4]
    kept = np.linspace(0, len(order) - 1, min(SYSTEMS, len(order))).round().astype(int)
    return values[:, order[kept]]


def judged(values: Matrix, kind: str, noise: float, rng: Generator) -> tuple[Matrix, Matrix]:
    """Scores by people and by the machine of the same topics."""
    m, spread = values.shape[1], values.mean(axis=0).std()
    within = values - values.mean(axis=1, keepdims=True)
    bias = np.zeros(m)
    if kind == "biases":
        bias = 0.5 * spread * rng.standard_normal(m)
    elif kind == "favorites":
        bias[rng.choice(m, 3, replace=False)] = 1.5 * spread
    people = values[rng.integers(len(values), size=MACHINE_TOPICS)]
    scatter = noise * (within - within.mean(axis=0)).std()
    return people, people + scatter * rng.standard_normal(people.shape) + bias


def alone(values: Matrix, kind: str, n: int, rng: Generator, seed: int) -> tuple[float, ...]:
    """Error of τ, whether its interval holds, its width; whether a pair is wrongly named."""
    people, machine = judged(values, kind, 0.5, rng)
    truth = values.mean(axis=0)
    found = machine_alone(people[:n], machine, draws=500, seed=seed, named=10**6)
    true = dict(zip((f"sys{s + 1}" for s in range(len(truth))), truth, strict=True))
    wrong = any(true[pair.truly_above] <= true[pair.machine_above] for pair in found.named)
    if found.tau is None:
        return np.nan, np.nan, np.nan, float(wrong)
    actual, low, high = tau(truth, machine.mean(axis=0)), found.tau.low, found.tau.high
    return found.tau.estimate - actual, float(low <= actual <= high), high - low, float(wrong)


def run(checks: Checks, collections: int = COLLECTIONS) -> None:
    """τ of the machine's ranking, and the pairs named."""
    tables = {name: table(name) for name in (*CHOSEN, *OTHERS)}
    for names in (CHOSEN, OTHERS):
        for kind in KINDS:
            for n in (10, 25, 50):
                rows = np.array(
                    [
                        alone(tables[name], kind, n, stream(1, "machine alone", name, n, trial), trial)
                        for name in names
                        for trial in range(collections)
                    ]
                )
                _check_alone(checks, f"{', '.join(names)}, {kind}, {n} human topics", rows)


def _check_alone(checks: Checks, where: str, rows: Matrix) -> None:
    means, errors = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    slack = 3 * np.sqrt(0.05 * 0.95 / len(rows))
    checks.that(f"{where}: a pair wrongly named", means[3] <= 0.05 + slack, f"{means[3]:.3f}")
    if np.isfinite(means[1]):
        shown = (
            f"{means[1]:.3f} ({errors[1]:.3f}), bias {means[0]:+.3f} ({errors[0]:.3f}), width {means[2]:.2f}"
        )
        checks.that(f"{where}: τ in its 95% interval", means[1] >= 0.9 - slack, shown)


if __name__ == "__main__":  # the number of collections of each table
    run(Checks(), int(sys.argv[1]))
