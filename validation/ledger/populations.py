"""Where statements are held against a truth: test collections, boards, questions, and what is hard for them.

Each population draws systems whose true means are known, and tables of their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank import read_scores
from truerank._support.types import Matrix, Vector
from truerank.scores import ScoreMatrix
from truerank.simulation import SimulationModel, fit
from validation.checks import DATA


@dataclass(frozen=True)
class Systems:
    """Systems whose true means are known, and tables of their scores on so many topics."""

    truth: Vector
    draw: Callable[[int, Generator], Matrix]


@dataclass(frozen=True)
class Tables:
    """Systems whose true means are known, and tables of their scores with empty cells or clusters."""

    truth: Vector
    draw: Callable[[int, Generator], ScoreMatrix]


Population = Callable[[Generator], Systems]
"""Draws systems; a table beside the project, or published, has the same ones but for which 25 are taken."""

TREC = ("adhoc6_ap", "adhoc8_ap", "robust2003_ap", "terabyte2006_ap", "web2010_ap", "web2011_ap")
SIMULATORS = ("effects", "copula")
BOARDS = ("mmlu_pro", "evalperf", "wmt20_ende", "wmt20_zhen")
GALLERY = Path(__file__).resolve().parents[2] / "gallery" / "tables"
SYSTEMS, MOST = 20, 25
"""Systems of the populations that are made up, and the most that are taken from a table."""


def populations(m: int = SYSTEMS, most: int = MOST) -> Mapping[str, Population]:
    """All of them, by name, of m systems; test collections only where their tables are beside the project."""
    names = [f"{name}, {simulator}" for name in TREC for simulator in SIMULATORS] if DATA.is_dir() else []
    return {
        **{name: partial(_simulated, *name.split(", "), most) for name in names},
        **{f"{name}, resampled": partial(_resampled, name, most) for name in BOARDS},
        "right or wrong, spread .05": partial(_answers, 1, 0.05, m),
        "right or wrong, spread .3": partial(_answers, 1, 0.3, m),
        "graded in quarters": partial(_answers, 4, 0.15, m),
        "normal": partial(_effects, partial(_spread, m), _normal),
        "all equal": partial(_effects, partial(_equal, m), _normal),
        "one far ahead": partial(_effects, partial(_far_ahead, m), _normal),
        "one ahead of a pack": partial(_effects, partial(_pack, m), _normal),
        "four tiers": partial(_effects, partial(_tiers, m), _normal),
        "right or wrong, within 3 points": partial(_close_answers, m),
        "ten bunched leaders": partial(_effects, partial(_bunched, m), _normal),
        "heavy tails": partial(_effects, partial(_spread, m), _heavy),
        "skewed": partial(_effects, partial(_spread, m), _skewed),
    }


def special() -> Mapping[str, Callable[[Generator], Tables]]:
    """Populations of tables that are more than topics × systems."""
    return {"holes": _holes, "clusters": _clusters}


@cache
def _model(name: str, simulator: str) -> SimulationModel:
    kept = read_scores(DATA / "trec" / f"{name}.csv").drop_bottom(0.25)
    return fit(kept, simulator, **({"truth": "model"} if simulator == "effects" else {}))


def _simulated(name: str, simulator: str, most: int, rng: Generator) -> Systems:
    model = _model(name, simulator)
    some = _some(len(model.true_means), most, rng)
    return Systems(model.true_means[some], lambda n, rng: model.draw(n, rng)[:, some])


@cache
def _table(name: str) -> Matrix:
    return read_scores(GALLERY / f"{name}.csv.gz", missing="common").values


def _resampled(name: str, most: int, rng: Generator) -> Systems:
    values = _table(name)
    values = values[:, _some(values.shape[1], most, rng)]
    return Systems(values.mean(axis=0), lambda n, rng: values[rng.integers(len(values), size=n)])


def _some(systems: int, most: int, rng: Generator) -> NDArray[np.intp]:
    return rng.choice(systems, min(systems, most), replace=False)


QUESTIONS = np.random.default_rng(0).normal(0.5, 1.0, 20_000)
"""Difficulties of all questions there are."""


def _answers(steps: int, spread: float, m: int, rng: Generator) -> Systems:
    """Answers of models to questions: right or wrong, or the share of so many steps that are right."""
    return _answered(rng.normal(0, spread, m), steps)


def _close_answers(m: int, rng: Generator) -> Systems:
    """Right or wrong answers of models whose accuracies are within three points."""
    return _answered(rng.uniform(0, 0.15, m), 1)


def _answered(ability: Vector, steps: int) -> Systems:
    truth = _logistic(ability[:, None] + QUESTIONS).mean(axis=1)

    def draw(n: int, rng: Generator) -> Matrix:
        return rng.binomial(steps, _logistic(rng.choice(QUESTIONS, (n, 1)) + ability)) / steps

    return Systems(truth, draw)


def _logistic(x: Matrix) -> Matrix:
    return 1 / (1 + np.exp(-x))


def _effects(
    truths: Callable[[Generator], Vector],
    residuals: Callable[[tuple[int, int], Generator], Matrix],
    rng: Generator,
) -> Systems:
    """True means plus an effect of the topic plus residuals of unit variance."""
    truth = truths(rng)
    return Systems(truth, lambda n, rng: truth + rng.normal(size=(n, 1)) + residuals((n, len(truth)), rng))


def _spread(m: int, rng: Generator) -> Vector:
    return rng.normal(0, 0.36, m)


def _equal(m: int, rng: Generator) -> Vector:
    return np.zeros(m)


def _far_ahead(m: int, rng: Generator) -> Vector:
    truth = rng.normal(0, 0.2, m)
    truth[0] = truth.max() + 1.5
    return truth


def _pack(m: int, rng: Generator) -> Vector:
    truth = rng.normal(0, 0.02, m)
    truth[0] += 0.8
    return truth


def _tiers(m: int, rng: Generator) -> Vector:
    return np.repeat([0.0, 0.5, 1.0, 1.5], -(-m // 4))[:m] + rng.normal(0, 0.02, m)


def _bunched(m: int, rng: Generator) -> Vector:
    truth: Vector = np.sort(rng.normal(0, 0.36, m))[::-1].copy()
    truth[:10] = truth[10] + 0.1 + 0.02 * np.arange(10)[::-1]
    return truth


def _normal(shape: tuple[int, int], rng: Generator) -> Matrix:
    return rng.normal(size=shape)


def _heavy(shape: tuple[int, int], rng: Generator) -> Matrix:
    return rng.standard_t(4, size=shape) / np.sqrt(2)


def _skewed(shape: tuple[int, int], rng: Generator) -> Matrix:
    return (rng.gamma(0.5, size=shape) - 0.5) / np.sqrt(0.5)


EMPTY, LARGEST = 0.4, 4
"""The largest share of empty cells of a system, and the largest cluster."""


def _holes(rng: Generator) -> Tables:
    """Each system lacks another share of the topics."""
    complete = _effects(partial(_spread, SYSTEMS), _normal, rng)
    shares = rng.uniform(0, EMPTY, SYSTEMS)

    def draw(n: int, rng: Generator) -> ScoreMatrix:
        values = complete.draw(n, rng)
        return ScoreMatrix.build(np.where(rng.random(values.shape) < shares, np.nan, values), holes=True)

    return Tables(complete.truth, draw)


def _clusters(rng: Generator) -> Tables:
    """Clusters of one to four topics, which share half of the variance of a system on a topic."""
    truth = _spread(SYSTEMS, rng)

    def draw(n: int, rng: Generator) -> ScoreMatrix:
        of = np.repeat(np.arange(n), rng.integers(1, LARGEST + 1, n))[:n]
        effects = rng.normal(size=(2, n, SYSTEMS)) / np.sqrt(2)
        topics = rng.normal(size=(n, 1))
        return ScoreMatrix.build(truth + topics + effects[0, of] + effects[1], clusters=of.tolist())

    return Tables(truth, draw)
