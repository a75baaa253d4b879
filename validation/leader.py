"""What docs/methods/leader.md says of the leader, read from what `assess` writes under the key `leader`.

Collections of known truth: six populations of our own, and the topics of four TREC tables drawn with
replacement, so that the table is the truth. With `--tried`, the table keeps a third of the variants, the
best as observed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit, stdtrit

from truerank import assess, read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from validation.checks import Checks, data_folder

TABLES = ("adhoc6_ap", "robust2003_ap", "terabyte2006_ndcg", "web2011_p10")
TOPICS = (20, 50)
TRIALS = 60
SYSTEMS = {"plain": 20, "guarantee": 10, "tried": 20}
LEVEL = 0.95
EXCEPTIONS = {"equal, 50 topics": 0.04}
"""By how much the posterior's interval falls short where all systems are equal, as the page says."""

TRIED_SHORT = {"one far ahead, 20 topics": 0.08, "one far ahead, 50 topics": 0.08}
"""By how much the lead's interval falls short where the table keeps the best, whose average is too high."""

Population = Callable[[int, int, Generator], tuple[Matrix, Vector]]
"""From numbers of topics and systems, and a generator, to n × m scores and the m true means."""


def populations() -> dict[str, Population]:
    """All of them by name."""
    return {
        "topics shared": _normal(lambda m, rng: rng.normal(0, 0.01, m), 0.2, 0.03),
        "equal": _normal(lambda m, rng: np.zeros(m), 1, 1),
        "one far ahead": _normal(lambda m, rng: np.append(rng.normal(0, 0.1, m - 1), 1.5), 1, 1),
        "close": _normal(lambda m, rng: rng.normal(0, 0.15, m), 1, 1),
        "binary": _binary,
        "heavy tails": _heavy,
    } | {name: _resampled(name) for name in TABLES}


def _normal(effects: Callable[[int, Generator], Vector], topic: float, residual: float) -> Population:
    def drawn(n: int, m: int, rng: Generator) -> tuple[Matrix, Vector]:
        truth = effects(m, rng)
        return truth + rng.normal(0, topic, (n, 1)) + rng.normal(0, residual, (n, m)), truth

    return drawn


def _binary(n: int, m: int, rng: Generator) -> tuple[Matrix, Vector]:
    """Right or wrong answers, accuracies around 0.6, on questions of any difficulty."""
    levels = rng.normal(0.5, 0.4, m)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = expit(levels[:, None] + 1.5 * nodes) @ weights / weights.sum()
    chance = expit(levels + rng.normal(0, 1.5, (n, 1)))
    return (rng.random(chance.shape) < chance).astype(float), truth


def _heavy(n: int, m: int, rng: Generator) -> tuple[Matrix, Vector]:
    """Residuals of a t distribution with 3 degrees of freedom."""
    truth = rng.normal(0, 0.3, m)
    return truth + rng.normal(0, 1, (n, 1)) + rng.standard_t(3, (n, m)), truth


def _resampled(name: str) -> Population:
    table = read_scores(data_folder() / "trec" / f"{name}.csv").values

    def drawn(n: int, m: int, rng: Generator) -> tuple[Matrix, Vector]:
        values = table[:, rng.permutation(table.shape[1])[:m]]
        return values[rng.integers(len(values), size=n)], values.mean(axis=0)

    return drawn


def measured(mode: str, trials: int) -> Iterator[tuple[str, Matrix]]:
    """Every population at every number of topics: its name, and one row of :func:`_one` per collection."""
    for name, draw in populations().items():
        for n in TOPICS:
            rows = []
            for trial in range(trials):
                rng = stream(1, "leader", name, n, trial)
                values, truth = draw(n, (3 if mode == "tried" else 1) * SYSTEMS[mode], rng)
                rows.append(_one(values, truth, mode))
            yield f"{name}, {n} topics", np.array(rows)


def _one(values: Matrix, truth: Vector, mode: str) -> tuple[float, ...]:
    """Biases of the score in its standard errors, hits of both intervals and of t, width and errors."""
    kept = np.argsort(-values.mean(axis=0), kind="stable")[: SYSTEMS[mode]]
    asked: dict[str, Any] = {"tried": {"tried": values.shape[1]}, "guarantee": {"guarantee": True}}.get(
        mode, {}
    )
    values, truth = values[:, kept], truth[kept]
    document = assess(values, "eb", "tau", draws=2, levels=LEVEL, **asked).to_dict()
    found, rows = document["leader"], document["ranking"]
    place = [int(row["system"].removeprefix("sys")) - 1 for row in rows]
    true, contrasts = truth[place[0]], truth[place] - truth.mean()
    error = float(values[:, place[0]].std(ddof=1)) / np.sqrt(len(values)) or np.nan  # 20 of 20 right: none
    half = float(stdtrit(len(values) - 1, (1 + LEVEL) / 2)) * error
    beside, score = found["contrast"], found["observed"]
    shrunken, means = (np.array([row[key] for row in rows]) for key in ("shrunken", "mean"))
    return (
        (score - true) / error,
        (found["shrunken"] - true) / error,
        float(found["low"] <= true <= found["high"]),
        float(beside["low"] <= contrasts[0] <= beside["high"]),
        float(score - half <= true <= score + half),
        (found["high"] - found["low"]) / (2 * half),
        float(np.mean((shrunken - means.mean() - contrasts) ** 2)),
        float(np.mean((means - means.mean() - contrasts) ** 2)),
    )


def line(name: str, rows: Matrix) -> str:
    """A row of the documentation's table."""
    means = np.nanmean(rows, axis=0)
    se = rows[:, 2].std(ddof=1) / np.sqrt(len(rows))
    bias = " | ".join(f"{b:+.2f}".replace("-", "−") for b in means[:2])
    cover = f"{100 * means[2]:.1f} ({100 * se:.1f}) | {100 * means[3]:.1f} | {100 * means[4]:.1f}"
    return f"| {name} | {bias} | {cover} | {means[5]:.2f} | {means[6] / means[7]:.2f} |"


def run(
    checks: Checks, modes: tuple[str, ...] = ("plain", "guarantee", "tried"), trials: int = TRIALS
) -> None:
    """Coverage of both intervals is no lower than the level, but for chance and what the page says."""
    for mode in modes:
        for name, rows in measured(mode, trials):
            checks.note(f"{mode}: {line(name, rows)}")
            selected = TRIED_SHORT if mode == "tried" else {}
            for what, hits, short in (
                ("score", rows[:, 2], EXCEPTIONS),
                ("contrast", rows[:, 3], EXCEPTIONS | selected),
            ):
                slack = 3 * np.sqrt(LEVEL * (1 - LEVEL) / trials) + short.get(name, 0.0) + 0.01
                covered = float(hits.mean())
                checks.that(f"{mode}, {name}: covers the {what}", covered >= LEVEL - slack, f"{covered:.3f}")


if __name__ == "__main__":  # modes, then the number of collections
    run(Checks(), tuple(sys.argv[1:-1]), int(sys.argv[-1]))
