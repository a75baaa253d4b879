"""Decisions: verdicts and bounds agree, families hold together, what cannot be judged is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import truerank
from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank.comparison.gate import deciding
from truerank.comparison.gate.deciding import RESAMPLES, judged_together
from truerank.errors import InputError, UnknownNameError
from truerank.numerics.resampling import bootstrap_blocks
from truerank.reliability.pair.comparing import Pair, pairs_of
from truerank.reliability.pair.contrast import deciding_chance, plain_contrast, topics_needed
from truerank.scores import ScoreMatrix

LEVEL = 0.95


def pair(n: int, seed: int, shift: float = 0.0, spread: float = 0.05, ties: float = 0.0) -> np.ndarray:
    """n × 2 scores between 0 and 1."""
    rng = np.random.default_rng(seed)
    old = rng.beta(2, 3, n)
    new = np.where(rng.random(n) < ties, old, old + rng.normal(shift, spread, n)).clip(0, 1)
    return np.column_stack([old, new])


# ── one comparison ───────────────────────────────────────────────────────────────────────────────────


@given(
    n=st.integers(5, 80),
    seed=st.integers(0, 10_000),
    shift=st.floats(-0.1, 0.1),
    ties=st.sampled_from([0.0, 0.5, 0.9]),
    margin=st.sampled_from([0.0, 0.01, 0.05]),
    level=st.sampled_from([0.8, 0.95, 0.99]),
)
def test_verdicts_are_read_off_the_interval_and_agree_with_p(
    n: int, seed: int, shift: float, ties: float, margin: float, level: float
) -> None:
    x = pair(n, seed, shift, ties=ties)
    (one,) = truerank.gate(x, margin=margin, level=level, range=(0, 1))
    assert one.low <= one.difference + 1e-12 <= one.high + 2e-12
    assert (one.verdict == "better") == (one.low > 1e-12)
    assert one.passed == (one.low + margin > 1e-12)
    assert (one.verdict == "fail") == (one.high + margin < -1e-12)
    assert (one.p_value <= 1 - level) == (not one.low < 0 < one.high)
    assert one.p_adjusted == one.p_value
    if margin:
        assert (one.p_margin <= 1 - level) == (one.verdict in ("pass", "fail") or one.low > -margin)
    else:
        assert math.isnan(one.p_margin)
        assert one.verdict != "pass"
    assert (one.topics_needed is None) or one.topics_needed > n


def test_a_single_comparison_keeps_the_paired_tests() -> None:
    x = pair(40, 3, 0.02)
    one = truerank.gate(x, margin=0.01)
    assert one.p_value == one.p_adjusted == pytest.approx(stats.ttest_rel(x[:, 1], x[:, 0]).pvalue)
    assert one.p_margin == pytest.approx(stats.ttest_1samp(x[:, 1] - x[:, 0], -0.01).pvalue)
    assert one.p_randomization == pytest.approx(one.p_value, abs=0.02)


def test_losses_are_the_worst_topics_first() -> None:
    x = pair(60, 2)
    one = truerank.gate(ScoreMatrix.build(x, topics=[f"t{t}" for t in range(60)]))
    d = x[:, 1] - x[:, 0]
    assert [loss.topic for loss in one.losses] == [f"t{t}" for t in np.argsort(d)[:10]]
    assert one.losses[0].difference == pytest.approx(d.min())


# ── what is asked of what ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margin": -0.1}, "0 or more"),
        ({"margin": math.nan}, "0 or more"),
        ({"margin": 1.0}, r"as wide as the range.*write 0\.01 for 1%"),
        ({"level": 0.5}, "above 0.5"),
        ({"level": 95}, r"write 0\.95 for 95%"),
        ({"baseline": "sys1", "candidate": "sys1"}, "both baseline and candidate"),
    ],
)
def test_arguments_that_make_no_sense(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        truerank.gate(pair(30, 1), **arguments)  # type: ignore[arg-type]


def holed(x: np.ndarray, rows: slice, column: int) -> ScoreMatrix:
    x = x.copy()
    x[rows, column] = np.nan
    return ScoreMatrix.build(x, holes=True)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (holed(pair(30, 1), slice(None), 1), "the candidate 'sys2' has no results; it may never have run"),
        (holed(pair(30, 1), slice(0, 29), 1), "share 1 topic of 30"),
        (
            np.column_stack([pair(30, 1)[:, 0], np.zeros(30)]),
            r"the candidate 'sys2' has the same score \(0\)",
        ),
        (np.column_stack([np.ones(30), pair(30, 1)[:, 0]]), "the baseline 'sys1' has the same score"),
    ],
)
def test_scores_that_carry_no_verdict(scores: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        truerank.gate(scores)


@pytest.mark.parametrize(("known", "verdict"), [(None, "undecided"), ((0, 1), "pass")])
def test_two_identical_systems_have_a_note_and_p_1(known: tuple[int, int] | None, verdict: str) -> None:
    one = truerank.gate(pair(300, 1)[:, [0, 0]], margin=0.1, range=known)
    assert (one.verdict, one.p_value, one.differing) == (verdict, 1.0, 0)
    assert one.topics_needed is None
    assert "check whether one is a copy of the other" in one.warnings[0]
    why = "Test of a loss of 0.1 (two-sided): p = 1.000, as rare losses may not have been seen."
    assert (why in " ".join(one.summary().split())) == (verdict == "undecided")
    assert truerank.gate(pair(300, 1)[:, [0, 0]], range=known).verdict == "undecided"


# ── several measures ─────────────────────────────────────────────────────────────────────────────────


def of_measures(*tables: np.ndarray, names: str = "AP RR") -> list[ScoreMatrix]:
    return [ScoreMatrix.build(x, measure=name) for x, name in zip(tables, names.split(), strict=True)]


def test_each_measure_s_interval_is_that_of_it_alone() -> None:
    both = of_measures(pair(60, 1, 0.02), pair(60, 2, -0.01))
    for one, table in zip(truerank.gate(both, margin=0.01), both, strict=True):
        alone = truerank.gate(table, margin=0.01)
        assert (one.low, one.high, one.p_value, one.p_margin) == pytest.approx(
            (alone.low, alone.high, alone.p_value, alone.p_margin)
        )
        assert one.p_adjusted > one.p_value


def test_better_by_all_measures_needs_the_adjusted_p() -> None:
    """Two measures, each with p just below .05: each is better, both together pass."""
    x = pair(60, 1)
    d = x[:, 1] - x[:, 0]
    d = d - d.mean() + 2.05 * stats.sem(d)
    other = np.random.default_rng(3).permutation(d)
    tables = of_measures(*(np.column_stack([x[:, 0], x[:, 0] + one]) for one in (d, other)), names="a b")
    found = truerank.gate(tables)
    assert [one.verdict for one in found] == ["better", "better"]
    assert max(one.p_adjusted for one in found) > 0.05 > max(one.p_value for one in found)
    assert (found.verdict, found.passed) == ("pass", True)
    assert "not all together" in found.summary()


def test_margins_of_measures() -> None:
    tables = of_measures(pair(60, 1), 100 * pair(60, 2), names="AP points")
    found = truerank.gate(tables, margin={"AP": 0.02, "points": 3.0})
    assert [one.margin for one in found] == [0.02, 3.0]
    assert [one.margin for one in truerank.gate(tables, margin={"points": 3.0})] == [0.0, 3.0]
    with pytest.raises(InputError, match="may not mean the same by AP and points"):
        truerank.gate(tables, margin=0.02)
    with pytest.raises(UnknownNameError, match="measure with a margin 'RR'"):
        truerank.gate(tables, margin={"RR": 0.02})
    with pytest.raises(InputError, match=r"name no measure 'RR'; use margin=0\.02"):
        truerank.gate(pair(60, 1), margin={"RR": 0.02})
    same = of_measures(pair(60, 1), pair(60, 2))
    assert [one.margin for one in truerank.gate(same, margin=0.02)] == [0.02, 0.02]


# ── several at once ──────────────────────────────────────────────────────────────────────────────────


def many(n: int, k: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.1, (n, k))


def compared(d: np.ndarray) -> list[Pair]:
    """A candidate a column, whose differences from the baseline are these."""
    found = []
    for k, each in enumerate(d.T):
        scores = ScoreMatrix.build(
            np.column_stack([np.linspace(1, 2, len(d)), np.linspace(1, 2, len(d)) + each])
        )
        found += pairs_of(replace(scores, systems=("base", f"c{k}")), scores)
    return found


def test_independent_comparisons_are_adjusted_as_sidak_does() -> None:
    d = many(2_000, 4, 1)
    p = np.array([stats.ttest_1samp(one, 0).pvalue for one in d.T])
    adjusted, levels = judged_together(compared(d), 0.95, 1, [0] * 4)
    error = 4 * math.sqrt(0.25 / RESAMPLES) + 0.01
    assert adjusted == pytest.approx(1 - (1 - p) ** 4, abs=error)
    assert levels == pytest.approx(0.95 ** (1 / 4), abs=0.005)


def test_groups_have_intervals_of_their_own() -> None:
    """Two measures of two candidates each: intervals for two, p for four."""
    d = many(2_000, 4, 1)
    adjusted, levels = judged_together(compared(d), 0.95, seed=1, groups=[0, 0, 1, 1])
    whole, _ = judged_together(compared(d), 0.95, 1, [0] * 4)
    assert levels == pytest.approx(0.95 ** (1 / 2), abs=0.005)
    assert adjusted == pytest.approx(whole, abs=4 * math.sqrt(0.25 / RESAMPLES))


def test_the_largest_of_a_family_is_the_plain_one_of_its_resamples() -> None:
    """By SciPy's t-test of every resample, one by one."""
    d = np.random.default_rng(3).exponential(0.1, (25, 3)) * [1, -1, 1]
    asked = [one.contrast for one in compared(d)]
    rows = np.column_stack([one.rows for one in asked])
    blocks = list(deciding._largest(rows, asked, np.zeros(3, dtype=np.intp), 5))
    counts = np.concatenate(list(bootstrap_blocks(25, RESAMPLES, stream(5, "gate", "max-T"))))
    for row, found in zip(counts[:50], np.concatenate(blocks), strict=False):
        p = stats.ttest_1samp(np.repeat(d, row, axis=0), d.mean(axis=0)).pvalue
        assert 2 * stats.norm.sf(found) == pytest.approx([p.min()], rel=1e-6)


def test_bounds_of_a_family_do_not_follow_the_margin() -> None:
    rng = np.random.default_rng(5)
    base = rng.beta(2, 3, 60)
    x = np.column_stack([base, *(base + rng.normal(shift, 0.05, 60) for shift in (-0.03, 0, 0.015, 0.03))])
    near, far = (truerank.gate(x.clip(0, 1), "sys1", margin=margin) for margin in (0.0, 0.03))
    assert [one.low for one in near] == pytest.approx([one.low for one in far])
    assert [one.high for one in near] == pytest.approx([one.high for one in far])
    assert {one.verdict for one in near} != {one.verdict for one in far}


# ── data sets and clusters ───────────────────────────────────────────────────────────────────────────


def board() -> ScoreMatrix:
    x = np.vstack([pair(40, 1, 0.03), pair(15, 2, -0.02), pair(80, 3, 0.0)])
    return ScoreMatrix.build(x, data_sets=np.repeat(["A", "B", "C"], [40, 15, 80]))


def test_data_sets_are_averaged_and_shown_apart() -> None:
    scores = board()
    found = truerank.gate(scores, each_data_set=True)
    assert [one.data_set for one in found] == [None, "A", "B", "C"]
    (average,) = truerank.gate(scores)  # by default it alone, not adjusted for the data sets
    assert average.difference == found.decisions[0].difference
    assert average.low > found.decisions[0].low
    assert average.p_value == average.p_adjusted == found.decisions[0].p_value
    parts = [one.difference for one in found.decisions[1:]]
    assert found.decisions[0].difference == pytest.approx(np.mean(parts))
    alone = truerank.gate(scores.values[:40])
    assert found.decisions[1].difference == pytest.approx(alone.difference)
    assert found.decisions[1].low <= alone.low
    assert found.overall == found.decisions[:1]


def test_only_a_fail_on_a_data_set_counts() -> None:
    bad = np.vstack([pair(60, 1, 0.06, 0.02), pair(60, 2, -0.04, 0.02)])
    found = truerank.gate(ScoreMatrix.build(bad, data_sets=np.repeat(["A", "B"], 60)), each_data_set=True)
    assert found.decisions[0].passed
    assert found.decisions[2].verdict == "fail"
    assert (found.verdict, found.passed) == ("fail", False)


def test_topics_of_a_cluster_are_one_unit() -> None:
    one = pair(40, 1, 0.02)
    repeated = ScoreMatrix.build(np.repeat(one, 3, axis=0), clusters=np.repeat(np.arange(40), 3))
    alone, together = truerank.gate(one).decisions[0], truerank.gate(repeated).decisions[0]
    assert together.unit == "cluster"
    assert together.difference == pytest.approx(alone.difference)
    assert together.low == pytest.approx(alone.low, abs=1e-9)
    assert together.p_value == pytest.approx(alone.p_value)
    assert together.p_randomization == pytest.approx(alone.p_randomization, abs=0.02)


# ── topics needed ────────────────────────────────────────────────────────────────────────────────────


def test_the_chance_is_the_predictive_one_of_a_normal_design() -> None:
    """With many topics, none of them unusual, the mean of n more moves as its predictive variance says."""
    d = np.tile(stats.norm.ppf((np.arange(1_000) + 0.5) / 1_000), 20) * 0.1
    units = len(d)
    n = np.array([1.5, 3.0, 8.0]) * units
    above, below = deciding_chance(plain_contrast(d), 0.0005, LEVEL, n)
    s = d.std(ddof=1)
    still = s * np.sqrt(1 / units - 1 / n)
    reach = stats.norm.ppf(0.975) * s / np.sqrt(n)
    assert above == pytest.approx(stats.norm.sf((reach - 0.0005) / still), abs=0.005)
    assert below == pytest.approx(stats.norm.cdf((-reach - 0.0005) / still), abs=0.005)


@given(seed=st.integers(0, 10_000), n=st.integers(15, 120), shift=st.floats(-0.05, 0.05))
@example(seed=15, n=15, shift=0.041015625)
def test_topics_needed_move_smoothly_with_the_margin(seed: int, n: int, shift: float) -> None:
    """A margin larger by 1% of a standard error moves the number by a few percent, from 0 on.

    Just short of a verdict it falls to the next topic: the mean hardly moves with it, and the bound does.
    """
    d = np.random.default_rng(seed).normal(shift, 0.1, n)
    one = plain_contrast(d)
    step = one.error / 100
    start = 0.0 if seed % 2 else max(0.0, -one.estimate - 1.5 * one.error)
    found = [topics_needed(one, start + k * step, LEVEL) for k in range(8)]
    numbers = [f.topics for f in found if f is not None and f.topics is not None]
    assert len(numbers) == 8
    for a, b in pairwise(numbers):
        assert abs(math.log(b / a)) < 0.1 or abs(b - a) <= 2 or b == n + 1


@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_topics_needed_by_the_exact_bound_of_nothing_but_wins(margin: float) -> None:
    """The bound of Clopper and Pearson on the share of wins, 0.025^(1/n), is above (1 − margin)/2."""
    needed = math.ceil(math.log(0.025) / math.log((1 - margin) / 2))
    found = topics_needed(plain_contrast(np.ones(3), 1.0, guaranteed=True), margin, LEVEL)
    assert found is not None
    assert (found.topics, found.high) == (needed, needed)
    assert found.low in (needed - 1, needed)  # between two numbers of topics it is interpolated
    assert topics_needed(plain_contrast(np.ones(3), 1.0), margin, LEVEL) is None


# ── how few topics carry a difference ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sets", [None, "aaabbbbb"])
def test_fragility_against_all_sets_of_topics(sets: str | None) -> None:
    """The fewest topics without which the other of the two is ahead; of several data sets none is given."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(0.5, 0.2, (8, 2))
        x[:, 1] += rng.normal(0, 0.15)
        scores = ScoreMatrix.build(x, data_sets=None if sets is None else list(sets))
        one = truerank.gate(scores).overall[0]
        if sets is not None:
            assert one.fragility is None
            continue
        d = (x[:, 1] - x[:, 0]) * np.sign(one.difference)

        def turned(gone: tuple[int, ...], d: np.ndarray = d) -> bool:
            return bool(np.delete(d, gone).mean() < -1e-12)

        counts = [n for n in range(8) if any(turned(gone) for gone in combinations(range(8), n))]
        assert one.fragility == min(counts, default=None)
        assert one.to_dict()["fragility"] == one.fragility


def test_two_arrays_series_or_frames_are_the_two_columns_of_a_table():
    rng = np.random.default_rng(0)
    old = rng.beta(2, 4, 60)
    new = old + rng.normal(0.01, 0.03, 60)
    expected = truerank.gate(ScoreMatrix.build(np.column_stack([old, new])), margin=0.01).decisions[0]
    series = [
        pd.Series(x, index=[f"q{t}" for t in range(60)], name=n) for n, x in (("old", old), ("new", new))
    ]
    for pair in ((old, new), (series[0], series[1].iloc[::-1]), (series[0].to_frame(), series[1])):
        found = truerank.gate(*pair, margin=0.01).decisions[0]
        assert (found.low, found.high, found.verdict) == (expected.low, expected.high, expected.verdict)
    assert (found.baseline, found.candidate) == ("old", "new")
    with pytest.raises(InputError, match="give each system one"):
        truerank.gate(old, new[:3])
    with pytest.raises(InputError, match="several columns of scores: old, new; choose one"):
        truerank.gate(pd.concat(series, axis=1), series[1])
    frames = [
        pd.DataFrame({"topic": one.index, "WER": one.to_numpy(), "CER": 0.5}).sample(frac=1, random_state=k)
        for k, one in enumerate(series)
    ]
    (found,) = truerank.gate(*frames, margin=0.01, measure="WER").decisions
    assert (found.low, found.high) == pytest.approx((-expected.high, -expected.low), rel=1e-9)
    assert found.measure == "−WER"


@pytest.mark.parametrize("weights", [None, dict(zip("abcdef", range(1, 7), strict=True))])
@pytest.mark.parametrize("asked", ["topics", "data_sets"])
@pytest.mark.filterwarnings("error")
def test_data_sets_without_a_shared_topic_are_not_ties(asked, weights):
    values = pair(24, 3, 0.05)
    sets = np.repeat(list("abcdef"), 4)
    families = dict(zip("abcdef", "uuvwxx", strict=True)) if asked == "data_sets" else None
    whole = np.isin(sets, list("abcd"))
    lacking = np.where(whole[:, None] | [True, False], values, np.nan)
    # A third system keeps the topics of the last two sets in the table.
    table = np.column_stack([lacking, values[:, 0]])

    def of(scores, kept):
        some = {name: weights[name] for name in dict.fromkeys(sets[kept])} if weights else None
        alike = {name: families[name] for name in dict.fromkeys(sets[kept])} if families else None
        return ScoreMatrix.build(
            scores[kept],
            systems=["A", "B", "C"],
            data_sets=sets[kept],
            weights=some,
            families=alike,
            holes=True,
        )

    settings = {"baseline": "A", "candidate": "B", "generalize_to": asked, "missing": "common"}
    found = truerank.gate(of(table, np.full(24, True)), **settings)
    expected = truerank.gate(of(table, whole), **settings)
    for one, other in zip(found, expected, strict=True):
        assert (one.data_set, one.units, one.differing) == (other.data_set, other.units, other.differing)
        assert (one.difference, one.low, one.p_value) == pytest.approx(
            (other.difference, other.low, other.p_value), rel=1e-9
        )
    assert found.decisions[0].notes[0].what.startswith("8 of 24 topics left out, and with them 2 of 6 data")


@pytest.mark.parametrize("margin", [1e101, math.inf, -0.1])
def test_a_margin_beyond_all_scores_is_refused(margin):
    battles = pd.DataFrame(
        {"model_a": ["A"] * 4, "model_b": "B", "winner": ["model_a", "model_b", *["model_a"] * 2]}
    )
    for attempt in (
        lambda: truerank.gate(truerank.read_scores(battles), margin=margin),
        lambda: truerank.Monitor(margin=margin, range=None),
    ):
        with pytest.raises(InputError, match="1e\\+100 at most"):
            attempt()


# ── the range of scores, and the guarantee ───────────────────────────────────────────────────────────


def test_a_range_is_never_taken_from_the_scores() -> None:
    x = pair(100, 1, ties=0.9)
    verdicts = {
        measure: truerank.gate(ScoreMatrix.build(x, measure=measure)).low for measure in ("AP", "mine", "")
    }
    assert verdicts["mine"] == verdicts[""] != verdicts["AP"]
    assert truerank.gate(x, range=(0, 1)).low == pytest.approx(verdicts["AP"])
    assert truerank.gate(x, range=(0, 2)).low < verdicts["AP"]
    with pytest.raises(InputError, match=r"the score 0\.?\d* is outside of 0\.5 to 1"):
        truerank.gate(x, range=(0.5, 1))
    with pytest.raises(InputError, match="from a number to a larger one"):
        truerank.gate(x, range=(1, 0))


def test_a_guarantee_costs_width_and_needs_a_range() -> None:
    x = pair(100, 1, 0.02)
    plain, sure = truerank.gate(x), truerank.gate(x, guarantee=True, range=(0, 1))
    assert (plain.rule, sure.rule) == ("t", "exact")
    assert sure.low < plain.low
    assert sure.high > plain.high
    assert sure.p_value > plain.p_value
    with pytest.raises(InputError, match=r"guarantee needs the range of scores.*range=0,1|range"):
        truerank.gate(x, guarantee=True)


def test_topics_needed_do_not_depend_on_which_system_is_the_baseline() -> None:
    """Alone exactly; together up to the error of resampling, which sees other rows."""
    rng = np.random.default_rng(0)
    x = rng.beta(1, 4, (24, 2))
    one, other = truerank.gate(x), truerank.gate(x[:, ::-1])
    assert (one.topics_needed, one.topics_needed_high) == (other.topics_needed, other.topics_needed_high)
    rows = [(f"q{t}", f"s{s}", x[t, s], f"d{t % 3}") for t in range(24) for s in range(2)]
    table = truerank.read_scores(pd.DataFrame(rows, columns=["topic", "system", "score", "data_set"]))
    found = (truerank.gate(table, base, each_data_set=True) for base in ("s0", "s1"))
    for a, b in zip(*found, strict=True):
        if a.verdict == b.verdict == "undecided":
            assert a.topics_needed == pytest.approx(b.topics_needed, rel=0.05, abs=1)


@pytest.mark.parametrize("form", ["lists", "arrays", "dictionaries", "series", "table", "read table"])
def test_the_direction_follows_the_measure_in_every_form(form: str) -> None:
    """Error rates are half as high by the candidate, so it is better, whatever holds the scores."""
    old = np.random.default_rng(3).uniform(0.2, 0.6, 40)
    new = old / 2
    both = np.column_stack([old, new])
    given: dict[str, tuple[object, ...]] = {
        "lists": (old.tolist(), new.tolist()),
        "arrays": (old, new),
        "dictionaries": (dict(enumerate(old)), dict(enumerate(new))),
        "series": (pd.Series(old), pd.Series(new)),
        "table": (both,),
        "read table": (truerank.ScoreMatrix.build(both),),
    }
    (decision,) = truerank.gate(*given[form], measure="WER").decisions
    assert (decision.verdict, decision.measure) == ("better", "−WER")
    assert decision.difference == pytest.approx((old - new).mean(), rel=1e-9)


def test_notes_are_of_the_two_systems_that_are_compared() -> None:
    rng = np.random.default_rng(3)
    values = rng.uniform(0.2, 0.9, (20, 3))
    values[:2, 1], values[5:12, 2] = np.nan, np.nan
    table = pd.DataFrame(values, columns=["a", "b", "worst"])
    found = truerank.gate(table, "a", "b", missing="zero")
    assert any(text.startswith("2 of 40 scores missing, counted as zero") for text in found.warnings)
    each = {"b": 0.1, "worst": 0.6}
    scores = truerank.read_scores(table, missing="zero").noting(
        Note("unjudged-documents", {"case": "top", "each": each, "of": 3}, systems=("worst",)),
        Note("unjudged-documents", {"case": "runs", "each": {"worst": 0.6}, "of": 3, "share": 0.1}),
    )
    (unjudged,) = [text for text in truerank.gate(scores, "a", "b").warnings if "unjudged" in text]
    assert unjudged == "unjudged documents in the top ten: 5.0% on average, most in b (10.0%)"
