"""Gates on several runs per topic: cell means, and what is said of the runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import truerank
from truerank.errors import InputError
from truerank.repeats import Facet, Repeats
from truerank.scores import ScoreMatrix


def two(shared: float = 0.0) -> ScoreMatrix:
    """Two systems, whose runs with one label share a part of their noise."""
    rng = np.random.default_rng(1)
    runs = rng.normal(0, 0.1, (40, 1, 2)) + rng.normal(0, 0.1, (40, 4, 2)) * np.sqrt(1 - shared)
    runs = 0.5 + runs + rng.normal(0, 0.1, (40, 4, 1)) * np.sqrt(shared)
    scores = ScoreMatrix.build(runs.mean(axis=1), systems=["a", "b"])
    labeled = Facet("seed", ("1", "2", "3", "4"), runs, own=True)
    variances = runs.var(axis=1, ddof=1) / 4
    return replace(
        scores, repeats=Repeats(np.full((40, 2), 4), variances, "seed", labeled=labeled, shared=True)
    )


def share(found: truerank.comparison.gate.Gate) -> int:
    (note,) = (note for note in found.decisions[0].warnings if note.startswith("run noise"))
    return int(note.partition("%")[0].rpartition(" ")[2])


def test_the_verdict_is_that_of_the_cell_means() -> None:
    with_runs, means = truerank.gate(two()), truerank.gate(replace(two(), repeats=None))
    for key in ("verdict", "low", "high", "p_value"):
        assert getattr(with_runs, key) == getattr(means, key)
    assert share(with_runs) == pytest.approx(100 * 0.25 / 1.25, abs=8)


def test_shared_seeds_count_only_where_declared() -> None:
    scores = two(shared=0.8)
    assert share(truerank.gate(scores, shared_seeds=True)) < share(truerank.gate(scores)) / 2
    unlabeled = replace(scores, repeats=replace(scores.repeats, labeled=None))
    with pytest.raises(InputError, match="no column says which runs of the two share a seed"):
        truerank.gate(unlabeled, shared_seeds=True)


def test_no_verdict_on_new_levels() -> None:
    with pytest.raises(InputError, match="a gate decides on the levels in the table"):
        truerank.gate(two(), generalize_to="topics,seed")
