"""The answer: at most five sentences, each of them what the result's own fields say."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from report_samples import quick, scores
from scipy.stats import kendalltau

import truerank
from truerank.numerics.intervals import Interval
from truerank.reliability.results import Assessment, Best
from truerank.report.view import Asked
from truerank.report.views import view


def answer(result: Assessment, **asked) -> list[str]:
    return list(view(result, Asked(**asked)).answer)


def with_tau(assessment: Assessment, tau: float, low: float, high: float) -> Assessment:
    """The assessment with another headline estimate."""
    interval = Interval(0.95, low, high, "quantile")
    estimates = tuple(
        replace(e, estimate=tau, intervals=(interval,))
        if (e.estimator, e.coefficient) == (assessment.headline_estimator, "tau")
        else e
        for e in assessment.estimates
    )
    return replace(assessment, estimates=estimates)


def with_ranges(assessment: Assessment, first: set[int], best: Best | None = None) -> Assessment:
    """Systems A, B, C … of which those of these ranks may be first."""
    m = assessment.scores.m
    ranking = tuple(
        replace(s, system=chr(64 + s.rank), rank_low=1 if s.rank in first else 2, rank_high=m)
        for s in assessment.ranking
    )
    settings = replace(assessment.settings, best=best and best.k, baseline=None)
    return replace(assessment, ranking=ranking, best=best, settings=settings)


def test_the_answer_says_how_close_the_ranking_is_in_two_ways(plain):
    first, second, *rest = answer(with_tau(plain, 0.861, 0.797, 0.914))
    assert "τ = 0.86 (95% interval 0.80 to 0.91)" in first
    assert "of 8 systems by nDCG@20 on 30 topics" in first
    # τ is the share of pairs in the right order minus that in the wrong one: 0.93 - 0.07.
    assert "about 93 (90 to 96)" in second
    assert 1 <= len(rest) <= 4


def test_a_tau_is_told_as_pairs_in_the_right_order(plain):
    # 10 systems have 45 pairs; reversing the worst two of a perfect ranking swaps one pair of 45.
    order = np.arange(10.0)
    swapped = order.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    tau = kendalltau(order, swapped).statistic
    assert f"about {round(100 * 44 / 45)} are" in answer(with_tau(plain, tau, tau, tau))[1]
    assert "about 100 (0 to 100)" in answer(with_tau(plain, 1.0, -1.2, 1.1))[1]


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ({1}, "A leads, and no other system may be first."),
        ({1, 2, 6}, "A leads, but 2 other systems may be first: B and F."),
        ({1, 3}, "A leads, but 1 other system may be first: C."),
        (set(range(1, 9)), "A leads, but any of the 8 systems may be first."),
        ({1, 2, 3, 4, 5}, "A leads, but 4 other systems may be first: B, C, D and E."),
        ({1, 2, 3, 4, 5, 6}, "A leads, but 5 other systems may be first: B, C, D and 2 more."),
    ],
)
def test_the_leader_is_told_by_the_rank_ranges(plain, first, said):
    told = answer(with_ranges(plain, first))
    assert [line for line in told if line.startswith("A ")] == [said]
    assert not any("true top" in line for line in told)


def test_the_best_set_is_told_only_where_it_was_asked_for(plain):
    told = answer(with_ranges(plain, {1, 2}, Best(0.9, 2, ("A", "B", "C"))))
    assert "With 90% probability the true top 2 is among these 3: A, B and C." in told


@pytest.mark.parametrize("systems", [3, 8, 20])
def test_every_output_names_the_same_systems_that_may_be_first(systems):
    """One statement about the order: the sentence and the ranges of every output agree."""
    result = quick(scores(systems, noise=0.15), "eb")
    (said,) = (line for line in answer(result) if " leads, " in line)
    may = [s.system for s in result.ranking[1:] if s.rank_low == 1]
    if not may:
        assert "no other system" in said
    elif len(may) < systems - 1:
        assert re.search(rf"\b{len(may)} other systems? may be first", said)
        assert (
            said.split(": ")[1].split(" and ")[0].rstrip(".").split(", ")
            == may[: min(3, max(1, len(may) - 1))]
        )
    frame = result.to_frame("ranking")
    assert frame.system[frame.rank_low == 1].tolist()[1:] == may
    assert [row["system"] for row in result.to_dict()["ranking"] if row["rank_low"] == 1][1:] == may


def test_a_missing_estimate_is_said(plain):
    nothing = answer(with_tau(plain, math.nan, math.nan, math.nan))
    assert "eb has no estimate of τ" in nothing[0]
    assert not any("Of every 100" in line or "nan" in line for line in nothing)


def test_without_tau_or_probabilities_the_answer_is_shorter():
    table = scores(5)
    only = answer(quick(table, "sh-w"))
    assert only[0].startswith("Only split-half was computed")
    assert not any(" leads, " in line or "Of every 100" in line for line in only)
    ap = answer(quick(table, "ml", coefficients=["tau_ap"]))
    assert "τ_AP = " in ap[0]
    assert not any("Of every 100" in line for line in ap)


def test_a_known_truth_is_told(plain):
    truth = {s.system: value for s, value in zip(plain.ranking, (7, 8, 6, 5, 3, 4, 2, 1), strict=True)}
    expected = kendalltau([s.mean for s in plain.ranking], list(truth.values())).statistic
    assert f"agrees with it at τ = {expected:.2f} and τ_AP = " in answer(plain, truth=truth)[-1]
    with pytest.raises(truerank.InputError, match="no mean for system"):
        view(plain, Asked(truth={"sys1": 0.5}))


def test_a_baseline_is_told_by_its_verdicts(plain):
    verdicts = [d.verdict for d in plain.baseline]
    counts = [verdicts.count("better"), verdicts.count("fail")]
    (said,) = (line for line in answer(plain) if line.startswith("Against the baseline"))
    assert [int(n) for n in re.findall(r"\b\d+\b", said)] == [
        counts[0],
        len(verdicts),
        counts[1],
        len(verdicts) - sum(counts),
    ]


@pytest.mark.parametrize(
    ("better", "others", "said"),
    [
        (1, 5, "1 of 5 other systems is better"),
        (2, 5, "2 of 5 other systems are better"),
        (1, 1, "1 of 1 other system is better"),
    ],
)
def test_the_baseline_is_none_of_the_systems_that_it_is_compared_with(plain, better, others, said):
    one = plain.baseline[0]
    verdicts = ["better"] * better + ["fail"] * (others - better)
    found = replace(plain, baseline=tuple(replace(one, verdict=verdict) for verdict in verdicts))
    assert any(said in line for line in answer(found))
