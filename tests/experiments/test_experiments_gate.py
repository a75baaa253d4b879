"""The experiment `gate`: its populations, its fast kernels against the gate itself, and its tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, run
from truerank.reliability.pair.contrast import confidence_above, plain_contrast
from truerank.report.writers.frame import frame
from truerank.scores import ScoreMatrix
from validation.studies.gate import EXPERIMENT, beside, claimed, moments
from validation.studies.pair_populations import PairPopulation, built_in, of_table

POPULATIONS = built_in()


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("mean", [-0.04, 0.0, 0.02])
def test_a_population_moves_to_a_mean_and_keeps_its_values(name: str, mean: float) -> None:
    moved = POPULATIONS[name].moved(mean)
    assert moved.mean == pytest.approx(mean, abs=1e-9)
    assert moved.probabilities.sum() == pytest.approx(1)
    assert moved.values is POPULATIONS[name].values


def test_a_sample_has_the_population_s_moments() -> None:
    moved = POPULATIONS["RR, mostly ties"].moved(-0.02)
    d = moved.sample(400, 500, np.random.default_rng(1)).ravel()
    assert d.mean() == pytest.approx(-0.02, abs=4 * moved.deviation / np.sqrt(d.size))
    assert np.mean(d != 0) == pytest.approx(moved.differing, abs=4 * np.sqrt(0.25 / d.size))
    assert stats.skew(d) == pytest.approx(moved.skewness, abs=0.05)


def test_no_population_moves_beyond_its_values() -> None:
    with pytest.raises(InputError, match=r"no mean of 0\.3"):
        PairPopulation.of(np.array([-0.1, 0.2])).moved(0.3)


def test_pairs_of_a_table_are_its_systems() -> None:
    x = np.random.default_rng(1).uniform(size=(20, 9))
    scores = ScoreMatrix.build(x, measure="AP")
    found = of_table(scores, "mine", 3)
    assert len(found) == 3
    ranked = scores.ranked()
    (first, *_) = found.items()
    a, b = first[0].removeprefix("mine: ").split(", ")
    d = ranked.values[:, ranked.systems.index(b)] - ranked.values[:, ranked.systems.index(a)]
    assert first[1].mean == pytest.approx(d.mean())


@pytest.mark.parametrize(
    ("name", "n"), [("AP", 30), ("P@10, mostly ties", 20), ("success, 10%", 40), ("success, 3%", 30)]
)
def test_many_pairs_at_once_are_judged_as_the_gate_judges_one(name: str, n: int) -> None:
    d = POPULATIONS[name].moved(-0.01).sample(60, n, np.random.default_rng(3))
    for value in (0.0, -0.02, -0.1):
        fast = claimed(d, value, 0.95, 1.0)
        plain = [confidence_above(plain_contrast(one, 1.0), value) >= 0.95 for one in d]
        assert fast.tolist() == plain


def test_moments_are_those_of_contrasts() -> None:
    d = POPULATIONS["RR"].sample(20, 25, np.random.default_rng(5))
    found = moments(d)
    for place, one in enumerate(map(plain_contrast, d)):
        assert found.mean[place] == pytest.approx(one.estimate)
        assert found.error[place] == pytest.approx(one.error)
        assert found.skewness[place] == pytest.approx(one.skewness)
        assert found.differing[place] == one.differing


def test_the_methods_beside_it_are_what_they_are_called() -> None:
    rng = np.random.default_rng(7)
    d = POPULATIONS["AP"].moved(0.02).sample(40, 30, rng)
    counts = rng.multinomial(30, np.full(30, 1 / 30), 400).T.astype(float)
    signs = 2.0 * rng.integers(0, 2, (30, 2_000)) - 1
    found = beside(d, 0.0, 0.95, counts, signs)
    p = np.array([stats.ttest_1samp(one, 0, alternative="greater").pvalue for one in d])
    assert found["t"].tolist() == (p <= 0.05).tolist()
    # Randomization and t agree but for pairs on the border.
    sure = np.abs(p - 0.05) > 0.02
    assert found["randomization"][sure].tolist() == (p <= 0.05)[sure].tolist()


def test_the_experiment_runs_and_holds_its_level(tmp_path) -> None:
    assert EXPERIMENTS["gate"] is EXPERIMENT
    options = {"trials": 2, "pairs": 150, "topics": (20,), "resamples": 50, "families": 1, "needed": 1}
    results = run(EXPERIMENT, [], tmp_path / "run", workers=1, **options)
    summary = {table.name: frame(table) for table in EXPERIMENT.summarize(results).tables}
    assert {"errors", "family", "unbounded", "warned", "power", "topics-needed", "families"} <= set(summary)
    family = summary["family"].set_index("method")
    assert family.loc["gate", "above_limit"] == 0
    assert family.loc["bootstrap", "worst"] > family.loc["gate", "worst"]


def test_pairs_that_cannot_carry_the_margin_are_left_out_and_counted(tmp_path) -> None:
    x = np.random.default_rng(1).uniform(0.3, 0.6, size=(20, 4))
    x[:, 3] = x[:, 2] - 0.01 * np.arange(1, 21)  # never better
    scores = ScoreMatrix.build(x, measure="AP")
    options = {"trials": 1, "pairs": 20, "topics": (20,), "resamples": 0, "families": 0, "needed": 0}
    results = run(EXPERIMENT, [scores], tmp_path / "run", workers=1, table_pairs=3, **options)
    data = results.manifest["data"]
    assert len(data) == 1
    assert data[0]["notes"][0].startswith("1 of 2 pairs left out")
    with pytest.raises(InputError, match="no pair of systems"):
        run(EXPERIMENT, [ScoreMatrix.build(x[:, 2:])], tmp_path / "none", workers=1, **options)


@pytest.mark.parametrize("wrong", [{"margin": 0.0}, {"topics": (2,)}, {"pairs": 0}, {"level": 0.4}])
def test_sizes_that_are_none_are_refused(wrong: dict[str, object], tmp_path) -> None:
    with pytest.raises(InputError):
        run(EXPERIMENT, [], tmp_path / "run", workers=1, **wrong)
