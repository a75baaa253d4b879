"""Gates on several runs per topic: cell means, and what is said of the runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.errors import InputError
from truerank.repeats import Facets, Repeats
from truerank.scores import ScoreMatrix


def two(shared: float = 0.0) -> ScoreMatrix:
    """Two systems, whose runs with one label share a part of their noise."""
    rng = np.random.default_rng(1)
    runs = rng.normal(0, 0.1, (40, 1, 2)) + rng.normal(0, 0.1, (40, 4, 2)) * np.sqrt(1 - shared)
    runs = 0.5 + runs + rng.normal(0, 0.1, (40, 4, 1)) * np.sqrt(shared)
    scores = ScoreMatrix.build(runs.mean(axis=1), systems=["a", "b"])
    labeled = Facets.crossed("seed", "1234", runs, own=True)
    variances = runs.var(axis=1, ddof=1) / 4
    return replace(
        scores, repeats=Repeats(np.full((40, 2), 4), variances, "seed", labeled=labeled, shared=True)
    )


def share(found: truerank.comparison.gate.Gate) -> int:
    (note,) = (note for note in found.decisions[0].warnings if note.startswith("run noise"))
    return int(note.partition("%")[0].rpartition(" ")[2])


def test_the_verdict_is_that_of_the_cell_means() -> None:
    with_runs, means = truerank.gate(two()), truerank.gate(replace(two(), repeats=None))
    assert with_runs.verdict == means.verdict
    for key in ("low", "high", "p_value"):
        assert getattr(with_runs, key) == pytest.approx(getattr(means, key), rel=1e-9)
    assert share(with_runs) == pytest.approx(100 * 0.25 / 1.25, abs=8)


def test_equal_systems_whose_seeds_matter_are_seldom_told_apart() -> None:
    """Each system's seeds raise or lower all its scores: without them most gates would claim a difference."""
    rng, claims, fixed = np.random.default_rng(3), 0, 0
    for _ in range(60):
        runs = (
            rng.normal(0, 0.1, (30, 1, 1)) + rng.normal(0, 0.05, (1, 4, 2)) + rng.normal(0, 0.03, (30, 4, 2))
        )
        rows = [(f"q{t}", "ab"[s], k, runs[t, k, s]) for t in range(30) for s in range(2) for k in range(4)]
        frame = pd.DataFrame(rows, columns=["question", "model", "seed", "score"])
        found = truerank.gate(truerank.read_scores(frame))
        claims += found.verdict != "undecided"
        decided = truerank.gate(truerank.read_scores(frame), generalize_to="topics")
        if found.decisions[0].generalize_to != "topics":
            assert any("go together" in warning for warning in decided.decisions[0].warnings)
        fixed += decided.verdict != "undecided"
    assert claims <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95) < 30 < fixed


def test_two_seeds_that_matter_allow_no_verdict_on_others() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"q{t}", "ab"[s], k, s * k + rng.normal(0, 0.3))
        for t in range(30)
        for s in range(2)
        for k in range(2)
    ]
    scores = truerank.read_scores(pd.DataFrame(rows, columns=["question", "model", "seed", "score"]))
    with pytest.raises(InputError, match=r"fewer than 3 levels of 'seed'.*generalize_to='topics'"):
        truerank.gate(scores)
    warnings = truerank.gate(scores, generalize_to="topics").decisions[0].warnings
    assert any("three labels or more would show by how much" in one for one in warnings)


def test_shared_seeds_count_only_where_declared() -> None:
    scores = two(shared=0.8)
    assert share(truerank.gate(scores, shared_seeds=True)) < share(truerank.gate(scores)) / 2
    unlabeled = replace(scores, repeats=replace(scores.repeats, labeled=None, column=""))
    with pytest.raises(InputError, match="no column says which runs of the two share a seed"):
        truerank.gate(unlabeled, shared_seeds=True)


def test_runs_that_would_decide_a_gate() -> None:
    """The number is the least K′ at which |d| exceeds t standard errors; beyond the topics' part none is."""
    from scipy.special import stdtrit

    scores = two()
    d = np.diff(scores.values)[:, 0]
    n, total, part = len(d), d.var(ddof=1) / len(d), scores.repeats.variances.sum() / len(d) ** 2
    t = stdtrit(n - 1, 0.975)
    for left, wanted in ((0.35, 12), (-0.1, None)):  # of what runs leave now
        gap = t * np.sqrt(total - part + left * part)
        found = truerank.gate(scores, margin=gap - d.mean())
        assert found.verdict == "undecided"
        facts = [note.facts for note in found.notes if note.facts.get("case") == "to-decide"]
        assert [one["runs"] for one in facts] == [wanted]


def runs_of(prompts: int, seeds: int) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    places = [
        (f"q{q}", s, p, r) for q in range(12) for s in "abc" for p in range(prompts) for r in range(seeds)
    ]
    frame = pd.DataFrame(places, columns=["question", "model", "prompt", "seed"])
    return frame.assign(accuracy=rng.random(len(frame)))


@pytest.mark.parametrize(
    ("prompts", "lost", "options", "reason"),
    [
        (2, [], {"facet": ["prompt"], "run_column": "seed"}, "averaged at each level of 'prompt'"),
        (2, [], {"facet": ["prompt"]}, "averaged at each level of 'prompt'"),
        (1, [5], {"run_column": "seed"}, "do not all have each label of column 'seed' once"),
    ],
)
def test_shared_seeds_are_refused_for_the_reason_that_there_is(prompts, lost, options, reason) -> None:
    frame = runs_of(prompts, 2).drop(index=lost)
    if prompts == 1:
        frame = frame.drop(columns="prompt")
    with pytest.raises(InputError, match=reason) as refused:
        truerank.gate(truerank.read_scores(frame, **options), "a", "b", shared_seeds=True)
    assert "leave shared_seeds=… out" in str(refused.value)
    assert "run_column" not in str(refused.value)
