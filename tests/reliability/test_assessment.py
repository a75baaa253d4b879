"""`assess` as a whole: its parts against their definitions, its edges, its warnings, its digits."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import made_up_scores
from scipy.stats import t as student

import truerank
from truerank.coefficients import TAU, TAU_AP
from truerank.errors import InputError, TruerankError, UnknownNameError
from truerank.reliability.diagnostics import skewed_share

SMALL = {"draws": 2000, "resamples": 1000, "seed": 1}


@pytest.fixture(scope="module")
def result():
    scores, _ = made_up_scores(1)
    return truerank.assess(scores, "all", baseline="bm25", levels=(0.9, 0.6), **SMALL)


def test_estimates_follow_from_the_swap_probabilities(result):
    for name, p in result.swap_probabilities.items():
        assert np.array_equal(p, p.T)
        assert not p.diagonal().any()
        for c in (TAU, TAU_AP):
            assert result.estimate(c.name, name).estimate == pytest.approx(c.of_swaps(p))


def test_normal_intervals_are_symmetric_and_quantile_ones_inside_the_range(result):
    for e in result.estimates:
        for interval in e.intervals:
            if interval.method == "normal":
                z = {0.9: 1.6448536, 0.6: 0.8416212}[interval.level]
                assert interval.high - e.estimate == pytest.approx(z * math.sqrt(e.variance), rel=1e-6)
                assert e.estimate - interval.low == pytest.approx(interval.high - e.estimate)
            else:
                assert -1 <= interval.low <= interval.high <= 1
        wide, narrow = e.interval(0.9), e.interval(0.6)
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_the_ranking_and_mean_intervals(result):
    scores, _ = made_up_scores(1)
    means = dict(zip(scores.systems, scores.means, strict=True))
    assert [s.system for s in result.ranking] == sorted(means, key=lambda s: -means[s])
    assert [s.rank for s in result.ranking] == list(range(1, 13))
    for s in result.ranking:
        assert s.mean_low < s.mean < s.mean_high
        assert 1 <= s.rank_low <= s.marginal_low <= s.rank <= s.marginal_high <= s.rank_high <= 12


def test_intervals_of_means_beyond_0_and_1_are_t_intervals():
    scores, _ = made_up_scores(1)
    values = 10 * scores.values
    for s in truerank.assess(values, ["ml"], levels=0.9, draws=50).ranking:
        column = values[:, int(s.system.removeprefix("sys")) - 1]
        low, high = student.interval(0.9, 49, column.mean(), column.std(ddof=1) / math.sqrt(50))
        assert (s.mean, s.mean_low, s.mean_high) == pytest.approx((column.mean(), low, high))


def test_baseline_differences_are_observed_and_judged_by_their_probability(result):
    scores, _ = made_up_scores(1)
    means = dict(zip(scores.systems, scores.means, strict=True))
    assert [d.system for d in result.baseline] == [s.system for s in result.ranking if s.system != "bm25"]
    for d in result.baseline:
        assert d.difference == pytest.approx(means[d.system] - means["bm25"])
        sure = "undecided" if d.p_value > 0.1 else "better" if d.difference > 0 else "fail"
        assert d.verdict == sure == ("better" if d.low > 0 else "fail" if d.high < 0 else "undecided")


def test_the_same_seed_gives_the_same_digits_whatever_else_is_computed():
    scores, _ = made_up_scores(2)
    everything = truerank.assess(scores, "all", draws=500, resamples=200, seed=7)
    alone = truerank.assess(scores, ["kd", "sh-wo"], ["tau"], draws=500, resamples=200, seed=7)
    for e in alone.estimates:
        assert e == everything.estimate("tau", e.estimator)
    again = truerank.assess(scores, "all", draws=500, resamples=200, seed=7)
    assert again.to_dict() == everything.to_dict()
    other = truerank.assess(scores, "all", draws=500, resamples=200, seed=8)
    assert other.estimate("tau", "res").estimate != everything.estimate("tau", "res").estimate


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.random.default_rng(0).random((5, 1)), "only one system"),
        (np.random.default_rng(0).random((1, 5)), "only 1 topic"),
        (np.random.default_rng(0).random((2, 5)), "only 2 topic"),
        (np.full((5, 4), 0.3), "all scores are equal"),
    ],
)
def test_what_cannot_be_ranked_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        truerank.assess(values)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"estimator": ["mqsd"]}, UnknownNameError, "did you mean 'msqd'"),
        ({"coefficients": ["tau_pa"]}, UnknownNameError, "did you mean 'tau_ap'"),
        ({"dependence": "shrunken"}, UnknownNameError, "did you mean 'shrunk'"),
        ({"baseline": "bm52"}, UnknownNameError, "did you mean 'bm25'"),
        ({"baseline": "tfidf", "drop_bottom": 0.25}, InputError, "was dropped"),
        ({"levels": [95]}, InputError, "write 0.95 for 95%"),
        ({"levels": []}, InputError, "at least one level"),
        ({"draws": 1}, InputError, "at least 2, not 1"),
        ({"drop_bottom": 1}, InputError, r"\[0, 1\)"),
        ({"seed": -1}, InputError, "0 or more"),
        ({"estimator": ["ml"], "dependence": "own"}, InputError, "no joint draws"),
        ({"estimator": ["sh"], "guarantee": True}, InputError, "which sh does not compare; leave it out"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    scores, _ = made_up_scores(1)
    with pytest.raises(error, match=message):
        truerank.assess(scores, **arguments)


def test_own_dependence_is_that_of_the_replicates():
    scores, _ = made_up_scores(1)
    result = truerank.assess(scores, dependence="own", resamples=3000)
    assert {e.estimator for e in result.estimates} == {"res"}
    assert result.headline_estimator == "res"


def test_identical_systems_share_a_rank_range_and_have_no_better_one():
    rng = np.random.default_rng(2)
    values = rng.random((40, 1)) * 0.2 + np.array([0.7, 0.5, 0.5, 0.1]) + rng.random((40, 4)) * 0.01
    values[:, 2] = values[:, 1]
    result = truerank.assess(values, baseline="sys2", **SMALL)
    assert [(s.rank_low, s.rank_high) for s in result.ranking] == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert [s.letters for s in result.ranking] == ["a", "b", "b", "c"]
    twin = next(d for d in result.baseline if d.system == "sys3")
    assert (twin.difference, twin.verdict) == (0, "undecided")
    assert all(map(math.isnan, (twin.low, twin.high)))
    assert twin.p_value == 1


def test_identical_systems_can_be_kept_once():
    rng = np.random.default_rng(2)
    values = rng.random((40, 1)) * 0.2 + np.array([0.1, 0.5, 0.7, 0.5, 0.3]) + rng.random((40, 5)) * 0.01
    values[:, 3] = values[:, 1]
    result = truerank.assess(values, drop_identical=True, drop_bottom=0.2, **SMALL)
    alone = truerank.assess(values[:, [1, 2, 4]], **SMALL)
    assert [s.system for s in result.ranking] == ["sys3", "sys2", "sys5"]
    for estimate, other in zip(result.estimates, alone.estimates, strict=True):
        assert (estimate.estimate, estimate.variance) == pytest.approx(
            (other.estimate, other.variance), rel=1e-9
        )
    assert (
        "1 system with the same scores as another on every topic left out: sys4 (as sys2)" in result.warnings
    )
    settings = result.to_dict()["settings"]
    # The quantile is that of the distinct systems: 0.2 of four drops the worst alone.
    assert (settings["dropped"], settings["identical"]) == (["sys1"], [["sys2", "sys4"]])
    plain = truerank.assess(values, **SMALL).to_dict()["settings"]
    assert (plain["drop_identical"], plain["identical"], plain["dropped"]) == (False, [], [])
    with pytest.raises(InputError, match="'sys4' was dropped as identical to 'sys2'"):
        truerank.assess(values, drop_identical=True, baseline="sys4", **SMALL)


@given(st.integers(3, 8), st.integers(3, 6), st.integers(0, 1000), st.booleans())
def test_any_scores_give_estimates_in_range(n, m, seed, discrete):
    values = np.random.default_rng(seed).random((n, m))
    values = np.round(values * 3) / 3 if discrete else values
    if np.ptp(values) == 0:
        return
    result = truerank.assess(values, draws=50, resamples=50)
    for e in result.estimates:
        assert math.isnan(e.estimate) or -1 <= e.estimate <= 1
        assert math.isnan(e.variance) or 0 <= e.variance <= 1 + 2 / 49  # τ = ±1 in 50 draws
    json.dumps(result.to_dict(), allow_nan=False)


def test_differences_that_are_only_rounding_are_not_skewed():
    topics = np.random.default_rng(3).random((12, 1))
    constant = topics + np.array([0.3, 0.2, 0.1])
    assert skewed_share(constant) == 0
    skewed = constant.copy()
    skewed[0, 0] += 0.5
    assert skewed_share(skewed) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("topics", "systems", "factor"), [(3, 10, 1e50), (10, 3, 1e90)])
def test_the_unit_of_the_scores_changes_nothing(topics, systems, factor):
    """Draws are kept in single precision; here a warning of an overflow is an error."""
    values = np.random.default_rng(1).beta(2, 3, (topics, systems))
    one, other = (
        truerank.assess(x, ["eb", "ml", "res"], draws=500, resamples=300) for x in (values, values * factor)
    )
    for a, b in zip(one.estimates, other.estimates, strict=True):
        assert b.estimate == pytest.approx(a.estimate, rel=1e-9)
        for mine, theirs in zip(a.intervals, b.intervals, strict=True):
            assert (theirs.low, theirs.high) == pytest.approx((mine.low, mine.high), abs=2 / 500)
    assert [s.rank_low for s in one.ranking] == [s.rank_low for s in other.ranking]


def test_intervals_of_a_coefficient_hold_its_estimate_and_stay_within_reach():
    """Of few systems the draws take few values, and of few topics a normal interval is wide."""
    for seed in range(4):
        values = np.random.default_rng(seed).normal([0.6, 0.5, 0.3], 0.25, (4, 3))
        for e in truerank.assess(values, ["eb", "ml"], draws=300, levels=(0.5, 0.95)).estimates:
            for interval in e.intervals:
                assert -1 <= interval.low <= e.estimate <= interval.high <= 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: truerank.assess([[10**400, 1, 2], [1, 2, 3], [2, 3, 4]]), "too large"),
        (lambda x: truerank.assess(x, baseline=3), "unknown system '3'"),
        (lambda x: truerank.assess(x, coefficients=7), "7 is not a known coefficient"),
        (lambda x: truerank.Monitor(data_sets={"a": "x"}), "must be numbers"),
        (lambda x: truerank.assess(x, tried=2), "tried=2: 4 systems"),
        (lambda x: truerank.assess(x, best=9), "best=9: there are 4 systems"),
    ],
)
def test_one_clear_error(call, said) -> None:
    with pytest.raises(TruerankError, match=said):
        call(np.random.default_rng(1).random((10, 4)))


def test_a_column_left_out_of_several_tables_is_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        rows = [f"t{t},{t / 10},{t / 9},note {t}" for t in range(5)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["topic,a,b,text", *rows]) + "\n")
    with pytest.raises(TruerankError, match="nosuch"):
        truerank.gate(truerank.read_scores(tmp_path), baseline="nosuch", candidate="a")
