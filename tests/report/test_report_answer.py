from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from report_samples import quick, scores
from scipy.stats import kendalltau

import truerank
from truerank.numerics.intervals import Interval
from truerank.reliability.results import Assessment
from truerank.report.parts.answer import (
    Share,
    agreement_sentence,
    answer,
    pairs_sentence,
    top_sentences,
)


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


def with_tiers(assessment: Assessment, tiers: list[int], doubt: dict[int, float]) -> Assessment:
    """The assessment with these tiers, and probabilities that the best is truly below others."""
    probabilities = np.zeros((len(tiers), len(tiers)))
    for other, p in doubt.items():
        probabilities[0, other] = probabilities[other, 0] = p
    names = "ABCDEFGH"
    ranking = tuple(
        replace(s, system=names[s.rank - 1], tier=tier)
        for s, tier in zip(assessment.ranking, tiers, strict=True)
    )
    return replace(
        assessment, ranking=ranking, swap_probabilities={assessment.headline_estimator: probabilities}
    )


def test_the_answer_says_how_close_the_ranking_is(plain):
    sentence = str(agreement_sentence(with_tau(plain, 0.861, 0.797, 0.914)))
    assert sentence == (
        "The observed ranking of 8 systems by nDCG@20 on 30 topics is expected to agree with the true one "
        "at <strong>τ = 0.86</strong> (95% interval 0.80 to 0.91)."
    )


def test_a_tau_is_told_as_pairs_in_the_right_order(plain):
    assert pairs_sentence(with_tau(plain, 0.86, 0.80, 0.91)) == (
        "Put plainly: of every 100 pairs of systems, about 93 (from 90 to 96) are in the right order."
    )
    # 10 systems have 45 pairs; reversing the worst two of a perfect ranking swaps one pair of 45.
    order = np.arange(10.0)
    swapped = order.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    tau = kendalltau(order, swapped).statistic
    assert Share.of(tau, None).expected == round(100 * 44 / 45)


def test_shares_stay_within_a_hundred():
    assert Share.of(1.0, Interval(0.95, -1.2, 1.1, "normal")) == Share(100, 0, 100)


def test_the_top_is_told_by_tiers(plain):
    tell = {
        "alone": with_tiers(plain, [1, 2, 2, 2, 3, 3, 3, 3], {1: 0.01}),
        "two": with_tiers(plain, [1, 1, 2, 2, 2, 2, 2, 2], {1: 0.3}),
        "four": with_tiers(plain, [1, 1, 1, 1, 2, 2, 2, 2], {1: 0.4, 2: 0.3, 3: 0.2}),
        "stray": with_tiers(plain, [1, 1, 2, 2, 2, 2, 2, 2], {1: 0.4, 5: 0.06}),
        "all": with_tiers(plain, [1] * 8, dict.fromkeys(range(1, 8), 0.3)),
    }
    said = {name: " ".join(top_sentences(assessment)) for name, assessment in tell.items()}
    assert said == {
        "alone": "The best system, A, is better than every other, each with at least 95% probability.",
        "two": "The best system, A, can’t be told apart from the next one: B.",
        "four": "The best system, A, can’t be told apart from the next 3: B, C and D.",
        "stray": "The best system, A, can’t be told apart from the next one: B. "
        "Further down, F can’t be ruled out either.",
        "all": "The best system, A, can’t be told apart from any of the other 7.",
    }


def test_a_missing_estimate_is_said_and_not_drawn(plain):
    nothing = with_tau(plain, math.nan, math.nan, math.nan)
    assert "can’t be compared with the true one" in str(agreement_sentence(nothing))
    assert pairs_sentence(nothing) == ""
    assert "<svg" not in str(answer(nothing))


def test_without_tau_or_probabilities_the_answer_is_shorter():
    table = scores(5)
    split = quick(table, "sh-w")
    assert top_sentences(split) == []
    assert "Only split-half was asked for" in str(agreement_sentence(split))
    assert pairs_sentence(split) == ""
    ap = quick(table, "ml", coefficients=["tau_ap"])
    assert "τ<sub>AP</sub> = " in str(agreement_sentence(ap))
    assert pairs_sentence(ap) == ""


def test_the_squares_count_pairs(plain):
    html = str(answer(with_tau(plain, 0.86, 0.80, 0.91)))
    squares = {kind: html.count(f'class="{kind}"/>') for kind in ("right", "maybe", "wrong", "expected")}
    assert squares == {"right": 90, "maybe": 6, "wrong": 4, "expected": 1}


def test_a_known_truth_is_told(plain):
    html = str(answer(plain, {"tau": 0.5, "tau_ap": 0.25}))
    assert "really agrees with it at τ = 0.50 and τ<sub>AP</sub> = 0.25" in html
    assert truerank.tau([2, 1], [2, 1]) == 1.0
