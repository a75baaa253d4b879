"""Runs and facets as sources of noise: worked examples, mixed models, and simulated truths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_up import WORKED

import truerank
from truerank.errors import InputError
from truerank.numerics.over_runs import best_of, pass_of
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.facets import shrunken_variances
from truerank.reliability.means.means import plain_means
from truerank.reliability.means.run_noise import RunNoise, run_noise
from truerank.repeats import Facets, Repeats
from truerank.scores import ScoreMatrix, ranking_order


def of_runs(runs: np.ndarray, **more: object) -> ScoreMatrix:
    """A matrix of n × m × K runs, NaN where there is none."""
    counts = (~np.isnan(runs)).sum(axis=2)
    means = np.nanmean(runs, axis=2)
    squares = np.nansum((runs - means[:, :, None]) ** 2, axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = np.where(counts > 1, squares / (counts - 1) / counts, np.nan)
    return replace(ScoreMatrix.build(means), repeats=Repeats(counts, variances, **more))  # type: ignore[arg-type]


def noise_of(runs: np.ndarray) -> RunNoise:
    scores = of_runs(runs)
    found = run_noise(scores, plain_means(scores.values))
    assert found is not None
    return found


def ranked(runs: np.ndarray) -> tuple[Means, RunNoise]:
    scores = of_runs(runs)
    scores = scores.select(ranking_order(scores.means))
    return means_of(scores), run_noise(scores, plain_means(scores.values))  # type: ignore[return-value]


def unequal() -> np.ndarray:
    """The worked example without A's third run of topic 2, and with one run of C on every topic."""
    runs = WORKED.copy()
    runs[1, 0, 2] = np.nan
    runs[:, 2, 1:] = np.nan
    return runs


# ── worked examples ───────────────────────────────────────────────────────────────────────────────────


def test_worked_example_of_runs() -> None:
    found = noise_of(WORKED)
    variances = plain_means(WORKED.mean(axis=2)).deviations ** 2
    np.testing.assert_allclose(variances[[0, 0, 1], [1, 2, 2]], [0.0246, 0.0034, 0.0164], atol=5e-8)
    np.testing.assert_allclose(found.errors, [0.0010667, 0.0016, 0.0018667], atol=5e-8)
    assert found.run_variance / found.runs == pytest.approx(0.0075556, abs=5e-8)
    assert found.topic_variance / (1 - found.share) == pytest.approx(0.037, abs=5e-8)
    assert found.share == pytest.approx(0.204204, abs=5e-7)
    low, high = found.interval(0.95)
    assert (round(low, 4), high) == (0.0368, 1.0)
    assert found.runs == pytest.approx(3)


def test_worked_example_of_missing_and_borrowed_runs() -> None:
    found = noise_of(unequal())
    variances = plain_means(np.nanmean(unequal(), axis=2)).deviations ** 2
    np.testing.assert_allclose(variances[[0, 0, 1], [1, 2, 2]], [0.0246, 0.0026, 0.0254], atol=5e-8)
    np.testing.assert_allclose(found.errors, [0.0013333, 0.0016, 0.0042], atol=5e-8)
    assert found.borrowed.tolist() == [False, False, True]
    assert found.share == pytest.approx(0.271229, abs=5e-7)
    assert 5 * (1 - found.share) == pytest.approx(3.64385, abs=5e-6)


# ── other programs, other formulas ────────────────────────────────────────────────────────────────────


def test_shares_against_a_mixed_model() -> None:
    """On balanced tables REML and these moments agree: fixed topics and systems, random cells."""
    statsmodels = pytest.importorskip("statsmodels.formula.api")
    import pandas as pd

    rng = np.random.default_rng(4)
    n, m, k = 8, 4, 3
    runs = rng.normal(0, 0.2, (n, m, 1)) + rng.normal(0, 0.15, (n, m, k)) + rng.normal(0, 1, (n, 1, 1))
    t, s, _ = np.indices(runs.shape)
    frame = pd.DataFrame({"y": runs.ravel(), "t": t.ravel(), "s": s.ravel(), "cell": (t * m + s).ravel()})
    fitted = statsmodels.mixedlm("y ~ C(t) + C(s)", frame, groups="cell").fit(reml=True)
    run, cell = float(fitted.scale), float(fitted.cov_re.iloc[0, 0])
    found = noise_of(runs)
    assert found.run_variance == pytest.approx(run, rel=1e-4)
    assert found.topic_variance == pytest.approx(cell, rel=1e-3)
    assert found.share == pytest.approx(run / k / (cell + run / k), rel=1e-3)


def test_jackknife_by_leaving_out_topics_one_by_one() -> None:
    runs = unequal()
    logs = np.array([np.log(noise_of(np.delete(runs, t, axis=0)).share) for t in range(5)])
    error = np.sqrt(4 / 5 * np.sum((logs - logs.mean()) ** 2))
    assert noise_of(runs).log_error == pytest.approx(error)


def test_jackknife_by_leaving_out_topics_of_data_sets() -> None:
    """Of equal data sets of equal weight, φ is the ratio of sums over the data sets."""
    rng = np.random.default_rng(8)
    runs = rng.normal(size=(12, 4, 1)) + rng.normal(size=(12, 4, 3))
    plain = of_runs(runs)
    sets = ScoreMatrix.build(plain.values, data_sets=["a"] * 6 + ["b"] * 6)
    found = run_noise(replace(sets, repeats=plain.repeats), means_of(sets))
    each = [noise_of(runs[:6]), noise_of(runs[6:])]
    w = [one.run_variance / one.runs for one in each]
    ms = [one.topic_variance / (1 - one.share) for one in each]
    assert found is not None
    assert found.share == pytest.approx(sum(w) / sum(ms))
    logs = []
    for k, half in enumerate((runs[:6], runs[6:])):
        for t in range(6):
            one = noise_of(np.delete(half, t, axis=0))
            less = [list(w), list(ms)]
            less[0][k], less[1][k] = one.run_variance / one.runs, one.topic_variance / (1 - one.share)
            logs.append(np.log(sum(less[0]) / sum(less[1])))
    parts = [np.sum((part - part.mean()) ** 2) for part in np.split(np.array(logs), 2)]
    assert found.log_error == pytest.approx(np.sqrt(5 / 6 * sum(parts)))


def test_variances_are_shrunken_as_in_limma() -> None:
    """Variances from a scaled inverse χ² of known d₀ and s₀²: both come back, and error falls."""
    rng = np.random.default_rng(6)
    true = 0.5 * 6 / rng.chisquare(6, 4000)
    seen = true * rng.chisquare(4, 4000) / 4
    found, added = shrunken_variances(seen, 4)
    assert added == pytest.approx(6, rel=0.2)
    np.testing.assert_allclose(found, (6 * 0.5 + 4 * seen) / 10, rtol=0.1)
    alike, endless = shrunken_variances(rng.chisquare(4, 50) / 4 * 0 + 2.0, 4)
    assert (endless, alike.tolist()) == (np.inf, [2.0] * 50)


def test_scores_of_any_k_runs_by_enumeration() -> None:
    rng = np.random.default_rng(7)
    for runs, k in ((5, 2), (8, 3), (4, 4), (3, 1)):
        cell, count = np.zeros(runs, int), np.array([runs])
        x, b = rng.random(runs), (rng.random(runs) < 0.5) * 1.0
        subsets = list(combinations(range(runs), k))
        assert best_of(cell, x, count, k)[0] == pytest.approx(np.mean([x[list(c)].max() for c in subsets]))
        for any_of, one in ((True, np.max), (False, np.min)):
            found = pass_of(np.array([b.sum()]), count, k, any_of)[0][0]
            assert found == pytest.approx(np.mean([one(b[list(c)]) for c in subsets]))


def test_run_variance_of_scores_over_runs_is_unbiased() -> None:
    """Over all outcomes of K runs that succeed with probability p, exactly."""
    from scipy.stats import binom

    total, k, p = 7, 3, 0.6
    right = np.arange(total + 1.0)
    chances = binom.pmf(right, total, p)
    for any_of in (True, False):
        score, variance = pass_of(right, np.full(total + 1, total), k, any_of)
        mean = chances @ score
        assert mean == pytest.approx(1 - (1 - p) ** k if any_of else p**k)
        assert chances @ variance == pytest.approx(chances @ (score - mean) ** 2)
    assert np.isnan(pass_of(np.array([2.0]), np.array([5]), k, True)[1][0])


# ── simulated truths ──────────────────────────────────────────────────────────────────────────────────


def test_share_is_unbiased_and_its_interval_covers() -> None:
    rng = np.random.default_rng(10)
    true, inside, shares = 4 / 3 / (1 + 4 / 3), 0, []
    for _ in range(200):
        found = noise_of(rng.normal(0, 1, (30, 6, 1)) + rng.normal(0, 2, (30, 6, 3)))
        low, high = found.interval(0.95)
        inside += low <= true <= high
        shares.append(found.share)
    assert np.mean(shares) == pytest.approx(true, abs=0.02)
    assert 180 <= inside <= 199


def test_a_share_is_part_of_a_total_that_includes_it() -> None:
    """Without topic noise, the runs seem to vary more than all together in about half of the tables."""
    rng = np.random.default_rng(20)
    shares = []
    for _ in range(20):
        found = noise_of(rng.normal(size=(15, 4, 3)))
        low, high = found.interval(0.95)
        assert 0 <= low <= found.share <= high <= 1
        assert found.topic_variance >= 0
        shares.append(found.share)
    assert 5 <= np.count_nonzero(np.array(shares) == 1) <= 15


# ── the assessment ────────────────────────────────────────────────────────────────────────────────────


def test_one_level_changes_no_number(hold_alike: Callable[[Any, Any], None]) -> None:
    values = np.random.default_rng(12).normal(size=(12, 5))
    plain = ScoreMatrix.build(values)
    one = replace(plain, facets=Facets.crossed("prompt", ["p"], values[:, None, :]))
    hold_alike(truerank.assess(one, draws=100).to_dict(), truerank.assess(plain, draws=100).to_dict())


def test_runs_without_noise_leave_the_estimate(tmp_path: Path) -> None:
    values = np.random.default_rng(13).normal(size=(12, 5))
    found = truerank.assess(of_runs(np.repeat(values[:, :, None], 3, axis=2)), ["eb"], draws=100)
    plain = truerank.assess(values, ["eb"], draws=100)
    assert found.estimate().estimate == pytest.approx(plain.estimate().estimate, abs=1e-14)
    assert any("cached" in warning for warning in found.warnings)
    some = [(f"q{t}", f"s{s}", values[t, s]) for t in range(12) for s in range(5)]
    file = tmp_path / "some.csv"
    rows = [f"{topic},{name},{x}" for topic, name, x in [*some, *some[:3]]]  # runs of a few cells alone
    file.write_text("\n".join(["qid,model,score", *rows]), encoding="utf-8")
    copied = truerank.assess(truerank.read_scores(file, run_column="#"), ["eb"], draws=100)
    assert copied.noise is None
    assert "100%) of the noise" not in str(copied)
    few = noise_of(np.repeat(values[:, :, None], 3, axis=2))
    assert few.runs == pytest.approx(3, rel=1e-9)


def test_generalizing_over_a_facet_widens_intervals() -> None:
    rng = np.random.default_rng(15)
    values = rng.normal(0, 1, (40, 4, 12)) + rng.normal(0, 0.7, (1, 4, 12)) + np.linspace(1, 0, 12)
    scores = ScoreMatrix.build(values.mean(axis=1))
    scores = replace(scores, facets=Facets.crossed("prompt", "abcd", values))
    fixed, random = (
        truerank.assess(scores, ["eb"], draws=200, generalize_to=q) for q in (None, "topics,prompt")
    )
    assert random.estimate().estimate < fixed.estimate().estimate
    assert random.to_dict()["generalize_to"] == "topics,prompt"
    assert any("depends on 'prompt'" in warning for warning in fixed.warnings)
    width = [a.ranking[0].mean_high - a.ranking[0].mean_low for a in (fixed, random)]  # type: ignore[operator]
    assert width[1] > width[0]


def seeds(effect: float, seed: int = 16) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    runs = rng.normal(0, 1, (60, 3, 12)) + rng.normal(0, effect, (1, 3, 12))
    runs += rng.normal(0, 1, (60, 1, 12)) + np.linspace(2, 0, 12)
    labeled = Facets.crossed("seed", "123", runs, own=True)
    scores = of_runs(runs.transpose(0, 2, 1), column="seed", shared=True)
    assert scores.repeats is not None
    return replace(scores, repeats=replace(scores.repeats, labeled=labeled))


def test_seeds_with_an_effect_are_generalized_over() -> None:
    assert truerank.assess(seeds(1.0), ["eb"], draws=100).settings.generalize_to == "topics,seed"
    found = truerank.assess(seeds(0.0), ["eb"], draws=100)
    assert found.settings.generalize_to == "topics"
    assert any("A small common effect cannot be excluded" in warning for warning in found.warnings)


def test_levels_of_a_machine_judge_are_fixed() -> None:
    rng = np.random.default_rng(7)
    rows = [(t, s, j, rng.normal()) for t in range(40) for s in "abcde" for j in "xyz"]
    machine = pd.DataFrame(rows, columns=["topic", "system", "judge", "score"])
    people = machine[(machine["judge"] == "x") & (machine["topic"] < 15)].drop(columns="judge")
    with pytest.raises(InputError, match=r"beside a machine judge.*generalize_to='topics'"):
        truerank.assess(people, machine=machine, generalize_to="topics,judge", draws=64)
    found = truerank.assess(people, machine=machine, generalize_to="topics", draws=64)
    (note,) = [one for one in found.scores.notes if "means over 3 levels of 'judge'" in one.text]
    assert note.level == "info"
