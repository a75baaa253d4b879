"""What docs/methods/topics.md says of double use: topics chosen for agreeing, and then assessed on.

Collections are drawn from copulas of four TREC tables, the best three quarters of the systems, whose true
means are the tables' shrunken ones. Of each, the half of the topics with the
highest item-rest correlation is assessed as if it had been drawn; beside it, all topics, and those above 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truerank import read_scores
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import tau
from truerank.reliability.estimators import eb
from truerank.reliability.leader import contrasts
from truerank.reliability.means.means import plain_means
from truerank.reliability.topics import topics
from truerank.scores import ScoreMatrix, ranking_order
from truerank.simulation import CopulaModel
from truerank.simulation.copula import fit_copula
from validation.checks import Checks, data_folder

TABLES = ("adhoc6_ap", "robust2003_ap", "terabyte2006_ap", "web2010_ap")
TOPICS = (20, 50)
TRIALS = 60


@dataclass(frozen=True)
class DoubleUse:
    """One table at one number of topics: actual τ and what `eb` expects, of each choice of topics.

    Attributes:
        table: its name.
        topics: n.
        actual: mean τ with the true ranking: all topics, the best half, those above 0.
        expected: mean of the estimates, likewise.
        errors: standard errors of the differences, likewise.
    """

    table: str
    topics: int
    actual: tuple[float, ...]
    expected: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def over(self) -> tuple[float, ...]:
        """How far each estimate is too high."""
        return tuple(e - a for e, a in zip(self.expected, self.actual, strict=True))


def measured(trials: int) -> Iterator[DoubleUse]:
    """All tables at all numbers of topics, over that many collections each."""
    for name in TABLES:
        model = _model(read_scores(data_folder() / "trec" / f"{name}.csv"))
        truth = np.asarray(model.true_means)
        for n in TOPICS:
            rows = []
            for trial in range(trials):
                values = model.draw(n, stream(1, "double use", name, n, trial))
                rest = np.array([one.item_rest for one in topics(ScoreMatrix.build(values)).topics])
                order = np.argsort(-np.nan_to_num(rest, nan=-1), kind="stable")
                chosen = (np.arange(n), order[: n // 2], np.flatnonzero(rest > 0))
                rows.append([_taus(values[part], truth) for part in chosen])
            found = np.array(rows)
            difference = found[:, :, 1] - found[:, :, 0]
            yield DoubleUse(
                name,
                n,
                tuple(found[:, :, 0].mean(axis=0)),
                tuple(found[:, :, 1].mean(axis=0)),
                tuple(difference.std(axis=0, ddof=1) / np.sqrt(trials)),
            )


@dataclass(frozen=True)
class Planted:
    """Of one table: how often item-rest correlations are negative, and whether they find what was planted.

    Attributes:
        table: its name.
        sound: share of sound topics with a negative correlation.
        reversed: share of reversed ones.
        found: how often a reversed one is among the labels to read first.
    """

    table: str
    sound: float
    reversed: float
    found: float


def planted(trials: int, n: int = 50, wrong: int = 2) -> Iterator[Planted]:
    """All tables, with so many topics of n on which the order of the systems' scores is reversed."""
    for name in TABLES:
        model = _model(read_scores(data_folder() / "trec" / f"{name}.csv"))
        sound, turned, hits = [], [], 0
        for trial in range(trials):
            values = model.draw(n, stream(2, "planted", name, trial))
            turn = values[:wrong]
            values[:wrong] = turn.max(axis=1, keepdims=True) + turn.min(axis=1, keepdims=True) - turn
            found = topics(ScoreMatrix.build(values))
            rest = np.array([one.item_rest for one in found.topics])
            sound.append(np.mean(rest[wrong:] < 0))
            turned.append(np.mean(rest[:wrong] < 0))
            hits += any(int(label) <= wrong for label in found.read_first)
        yield Planted(name, float(np.mean(sound)), float(np.mean(turned)), hits / trials)


def _model(scores: ScoreMatrix) -> CopulaModel:
    order = ranking_order(scores.means)
    kept = scores.select(order[: round(0.75 * len(order))])
    shrunken = kept.means.mean() + contrasts(plain_means(kept.values)).shrunken
    return fit_copula(kept, means=dict(zip(kept.systems, shrunken.tolist(), strict=True)))


def _taus(values: Matrix, truth: Vector) -> tuple[float, float]:
    """Actual τ of the ranking with the true one, and the expected one by `eb`."""
    order = ranking_order(values.mean(axis=0))
    means = plain_means(values[:, order])
    swapped = eb.posterior(means).probabilities()
    pairs = len(order) * (len(order) - 1) / 2
    return tau(truth[order], -np.arange(len(order))), float(1 - 2 * swapped.sum() / pairs)


def table(found: list[DoubleUse]) -> str:
    """The rows of the documentation's table."""
    return "\n".join(
        f"| {one.table}, {one.topics} | "
        + " | ".join(f"{a:.3f} → {e:.3f}" for a, e in zip(one.actual, one.expected, strict=True))
        + f" | {max(one.errors):.3f} |"
        for one in found
    )


def run(checks: Checks) -> None:
    """Check that choosing overstates, and that all topics do not."""
    found = list(measured(TRIALS))
    checks.note(table(found))
    for one in found:
        where = f"{one.table}, n = {one.topics}"
        all_topics, half, _ = one.over
        checks.that(
            f"{where}: all topics within 0.05",
            abs(all_topics) <= 0.05 + 3 * one.errors[0],
            f"{all_topics:+.3f}",
        )
        checks.that(f"{where}: the best half is overstated", half > all_topics + 0.02, f"{half:+.3f}")
    for plant in planted(TRIALS):
        checks.that(
            f"{plant.table}: reversed topics are read first more often than by chance",
            plant.found > 0.3 and plant.reversed > 2 * plant.sound,
            f"{plant.found:.2f}, negative {plant.reversed:.2f} of reversed and {plant.sound:.2f} of sound "
            f"topics",
        )
