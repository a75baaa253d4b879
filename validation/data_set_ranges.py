"""Rank ranges and best sets where a few data sets are a sample and their effects have heavy tails.

Boards are simulated (`t3` chose the rule; `lognormal` and `factors` check it), or are tables in the folder
that the environment variable `TRUERANK_BOARDS` names: CSV files, one row per data set, one column per system.
Their data sets are drawn with replacement, the whole table being the truth. Measured so: error rates of 40 of
292 algorithms on 76 data sets of OpenML (GitHub, Didayolo/ml-benchmarks), which helped to choose, and
accuracies of 22 classifiers on 109 data sets of UCR (GitHub, ChangWeiTan/MultiRocket), which did not.
docs/methods/data-sets.md has the figures.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

import truerank
from truerank.scores import ScoreMatrix
from validation.checks import Checks
from validation.studies.joint_ranks import Truth

COLLECTIONS, DRAWS, LEVEL, SYSTEMS = 200, 2_000, 0.95, 40
SETS = (8, 15, 30)
Board = Callable[[int, Generator], NDArray[np.float64]]


def simulated() -> Iterator[tuple[str, NDArray[np.float64], Board]]:
    """Names, true means, and boards of so many data sets; means vary half as much as effects."""
    rng = np.random.default_rng(5)
    truth, loadings = rng.normal(0, 0.5, SYSTEMS), rng.normal(size=(3, SYSTEMS)) / np.sqrt(3)

    def t3(sets: int, rng: Generator) -> NDArray[np.float64]:
        return truth + rng.standard_t(3, (sets, SYSTEMS)) / np.sqrt(3)

    def lognormal(sets: int, rng: Generator) -> NDArray[np.float64]:
        variance = 0.9**2
        effects = np.exp(rng.normal(0, 0.9, (sets, SYSTEMS))) - np.exp(variance / 2)
        return truth - effects / np.sqrt((np.exp(variance) - 1) * np.exp(variance))

    def factors(sets: int, rng: Generator) -> NDArray[np.float64]:
        shared = rng.standard_t(3, (sets, 3)) @ loadings
        found: NDArray[np.float64] = truth + 0.7 * (shared + rng.standard_t(3, (sets, SYSTEMS))) / np.sqrt(3)
        return found

    for name, board in (("t3", t3), ("lognormal", lognormal), ("factors", factors)):
        yield name, truth, board


def published() -> Iterator[tuple[str, NDArray[np.float64], Board]]:
    """Tables of the folder: their means, and data sets drawn with replacement."""
    for path in sorted(Path(os.environ.get("TRUERANK_BOARDS", "")).glob("*.csv")):
        values = pd.read_csv(path, index_col=0).dropna().to_numpy(dtype=float)

        def drawn(sets: int, rng: Generator, values: NDArray[np.float64] = values) -> NDArray[np.float64]:
            found: NDArray[np.float64] = values[rng.integers(len(values), size=sets)]
            return found

        yield path.stem, values.mean(axis=0), drawn


def measure(truth: NDArray[np.float64], board: Board, sets: int) -> NDArray[np.float64]:
    """Shares of boards with all systems in their ranges, and the best in the best set; width and size."""
    found = []
    names = [f"s{i}" for i in range(len(truth))]
    for trial in range(COLLECTIONS):
        values = board(sets, np.random.default_rng([sets, trial]))
        scores = ScoreMatrix.build(values, systems=names, data_sets=[f"d{k}" for k in range(sets)])
        a = truerank.assess(scores, ["eb"], ["tau"], draws=DRAWS, levels=LEVEL, seed=trial)
        places = [names.index(s.system) for s in a.ranking]
        true = Truth.of(truth[places])
        low, high = (np.array([getattr(s, end) for s in a.ranking]) for end in ("rank_low", "rank_high"))
        best = np.flatnonzero(low == 1)
        found.append([true.inside(low, high).all(), true.among(best, 1), (high - low + 1).mean(), len(best)])
    return np.array(found, dtype=float).mean(axis=0)


def run(checks: Checks) -> None:
    """Print the shares; check that simulated boards hold what the docs say."""
    error = np.sqrt(LEVEL * (1 - LEVEL) / COLLECTIONS)
    for name, truth, board in (*simulated(), *published()):
        for sets in SETS:
            inside, best, width, size = measure(truth, board, sets)
            checks.note(
                f"  {name:9} {sets:2} data sets: all in ranges {100 * inside:5.1f}%, width {width:4.1f} "
                f"of {len(truth)}; best in its set {100 * best:5.1f}%, size {size:4.1f}"
            )
            if name == "t3":
                checks.that(f"ranges, {name}, {sets} data sets", inside >= 0.93 - 3 * error, f"{inside:.3f}")
