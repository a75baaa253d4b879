from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from report_samples import quick, scores
from scipy.stats import kendalltau

import truerank
from truerank.numerics.intervals import Interval
from truerank.reliability.results import Assessment, Best
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


def told(assessment, like, best, k=1, guarantee=False):
    """What is said where the first system is above all but those ranks (from 0), and who may be the best."""
    names = list("ABCDEFGH")
    above = np.triu(np.ones((8, 8), dtype=bool), 1)
    above[0, list(like)] = False
    changed = replace(
        assessment,
        ranking=tuple(replace(s, system=names[s.rank - 1]) for s in assessment.ranking),
        above=above,
        best=Best(0.95, k, tuple(names[s] for s in best)),
        settings=replace(assessment.settings, guarantee=guarantee),
    )
    return top_sentences(changed)


def test_the_top_is_told_by_the_rule_and_the_best_by_their_set(plain):
    assert told(plain, [], [0]) == [
        "The best system here, A, is above every other one, each with at least 95% probability.",
        "With at least 95% probability the truly best one is A.",
    ]
    assert told(plain, [1, 5], [0, 1, 5]) == [
        "The best system here, A, can’t be told apart from 2 of the other 7: B and F.",
        "With at least 95% probability the truly best one is one of these 3: A, B and F.",
    ]
    assert told(plain, [1], [0, 1, 5])[1:] == [
        "With at least 95% probability the truly best one is one of these 3: A, B and F.",
        "Being told apart is about each pair by itself, this set about the best alone.",
    ]
    assert told(plain, range(1, 8), range(8)) == [
        "The best system here, A, can’t be told apart from any of the other 7.",
        "No system can be ruled out as the truly best one.",
    ]
    assert told(plain, [], [0, 1], k=2)[1] == "With at least 95% probability the 2 truly best are A and B."
    assert told(plain, [], [0, 1, 2], k=2)[1] == (
        "With at least 95% probability the 2 truly best are among these 3: A, B and C."
    )
    assert "no pair at all is put in the wrong order" in told(plain, [], [0], guarantee=True)[2]


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


def test_the_head_names_a_few_systems_and_counts_the_rest():
    result = quick(scores(40))
    names = [s.system for s in result.ranking]
    level = result.settings.levels[0]
    best = Best(level, 1, tuple(names[:12]))
    alike = np.zeros((40, 40), dtype=bool)
    alike[0, 12:] = True
    first, second, *_ = top_sentences(replace(result, above=alike, best=best))
    assert first.endswith(f"11 of the other 39: {', '.join(names[1:4])} and 8 more.")
    assert second.endswith(f"is one of these 12: {', '.join(names[:3])} and 9 more.")
