"""The mean of one system: its interval by SciPy's, and the topics that a narrower one takes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest, norm
from scipy.stats import t as student

import truerank
from truerank.cli import run
from truerank.errors import InputError
from truerank.scores import ScoreMatrix

GRADES = np.random.default_rng(4).normal(5, 2, 30)
RIGHT = np.arange(60) % 3 > 0


def column(path: Path, values: np.ndarray, extra: str = "") -> Path:
    rows = [f"q{k},{extra and f'c{k // 4},'}{float(value)!r}" for k, value in enumerate(values)]
    path.write_text("\n".join([f"topic,{extra and 'cluster,'}A", *rows]) + "\n", encoding="utf-8")
    return path


def document(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    assert run([*map(str, ["assess", *arguments, "--json", "-"])]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_interval_of_grades_is_scipys_t_interval(tmp_path: Path, capsys) -> None:
    found = document(capsys, column(tmp_path / "a.csv", GRADES), "--level", "0.9")
    se = GRADES.std(ddof=1) / math.sqrt(30)
    low, high = student.interval(0.9, 29, GRADES.mean(), se)
    assert [found[key] for key in ("system", "topics", "effective", "level")] == ["A", 30, 30, 0.9]
    assert run(["assess", str(tmp_path / "a.csv"), "--paper", str(tmp_path / "kit")]) == 0
    printed = capsys.readouterr()
    assert "Target half-width" in printed.out
    assert printed.err.startswith("! ")  # it is a remark: the kit is written
    assert "kit: nothing names the measure" in printed.err
    made = [found[key] for key in ("mean", "se", "mean_low", "mean_high")]
    assert made == pytest.approx([GRADES.mean(), se, low, high], rel=1e-9)


def test_the_interval_of_right_or_wrong_is_wilsons_with_t(tmp_path: Path, capsys) -> None:
    found = document(capsys, column(tmp_path / "a.csv", RIGHT))
    z = student.ppf(0.975, 59) * math.sqrt(60 / 59)
    wilson = binomtest(40, 60).proportion_ci(2 * norm.cdf(z) - 1, "wilson")
    assert [found["mean_low"], found["mean_high"]] == pytest.approx([wilson.low, wilson.high], rel=1e-9)


def test_all_right_is_wilsons_interval() -> None:
    found = truerank.mean_score(np.ones((20, 1)))
    wilson = binomtest(20, 20).proportion_ci(0.95, "wilson")
    assert (found.mean_low, found.mean_high) == pytest.approx((wilson.low, 1.0), rel=1e-9)


@pytest.mark.parametrize("width", [1.0, 0.2, 0.03])
def test_topics_for_a_half_width_solve_the_closed_form(width: float) -> None:
    found = truerank.mean_score(GRADES[:, None], half_width=width)
    sd = GRADES.std(ddof=1)
    exact = brentq(lambda n: student.ppf(0.975, n - 1) * sd / math.sqrt(n) - width, 2, 1e6)
    assert found.topics_needed == math.ceil(exact)


def test_topics_for_a_half_width_of_right_or_wrong() -> None:
    found = truerank.mean_score(RIGHT[:, None].astype(float), half_width=0.05)

    def half(n: int) -> float:
        share = student.ppf(0.975, n - 1) ** 2 / n * 60 / 59
        return math.sqrt(share * 2 / 9 + share**2 / 4) / (1 + share)

    assert half(int(found.topics_needed)) <= 0.05 < half(int(found.topics_needed) - 1)


def test_half_of_todays_width_is_the_default() -> None:
    found = truerank.mean_score(GRADES[:, None])
    assert found.half_width == pytest.approx((found.mean_high - found.mean_low) / 4, rel=1e-9)
    assert truerank.mean_score(GRADES[:, None], half_width=1e-5).topics_needed == math.inf


def test_clusters_count_and_leave_fewer_effective_topics(tmp_path: Path, capsys) -> None:
    values = np.repeat(np.random.default_rng(2).normal(5, 2, 10), 4) + np.linspace(0, 0.5, 40)
    found = document(capsys, column(tmp_path / "a.csv", values, "c"), "--cluster", "cluster")
    sums = (values - values.mean()).reshape(10, 4).sum(axis=1)
    se = math.sqrt(10 / 9 * np.sum(sums**2)) / 40
    low, high = student.interval(0.95, 9, values.mean(), se)
    effective = 40 * (values.var(ddof=1) / 40) / se**2
    made = [found[key] for key in ("mean_low", "mean_high", "effective")]
    assert made == pytest.approx([low, high, effective], rel=1e-9)


@pytest.mark.parametrize("population", ["topics", "data_sets"])
def test_on_data_sets_it_is_the_interval_that_a_ranking_prints(population: str) -> None:
    values = np.random.default_rng(3).normal(5, 1, (40, 3))
    sets = [f"d{k // 10}" for k in range(40)]
    ranked = truerank.assess(
        ScoreMatrix.build(values, data_sets=sets), "eb", generalize_to=population, draws=50
    )
    beside = next(row for row in ranked.ranking if row.system == "sys1")
    alone = truerank.mean_score(ScoreMatrix.build(values[:, :1], data_sets=sets), generalize_to=population)
    ends = (beside.mean, beside.mean_low, beside.mean_high)
    assert (alone.mean, alone.mean_low, alone.mean_high) == pytest.approx(ends, rel=1e-9)
    assert alone.topics == (40 if population == "topics" else 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--figures", "figures"], "--figures is for a ranking"),
        (["--best", "2"], "--best is for a ranking, and the scores are of one system; leave it out"),
        (["--level", "0.9", "--level", "0.95"], "--level is given several times"),
        (["--half-width", "0"], "give a width above 0"),
    ],
)
def test_what_one_system_does_not_have_is_refused(tmp_path: Path, capsys, options, message) -> None:
    assert run(["assess", str(column(tmp_path / "a.csv", RIGHT)), *options]) == 2
    assert message in capsys.readouterr().err


def test_half_width_is_refused_for_a_ranking(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "topic,A,B,C\n" + "".join(f"q{k},{k % 2},{k % 3},{k % 5}\n" for k in range(9)), encoding="utf-8"
    )
    assert run(["assess", str(path), "--half-width", "0.1"]) == 2
    assert "--half-width is for scores of one system" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full((5, 1), 0.5), "all scores are equal"),
        (np.ones((2, 1)), "at least three"),
        (np.eye(4), "takes one column"),
    ],
)
def test_no_interval_where_nothing_shows_how_scores_vary(values, message) -> None:
    with pytest.raises(InputError, match=message):
        truerank.mean_score(values)


def test_a_vector_in_any_form_is_one_column() -> None:
    scores = [0.2, 0.9, 0.4, 0.7, 0.5]
    topics = [f"q{t}" for t in range(5)]
    forms = (
        scores,
        np.array(scores),
        pd.Series(scores, topics),
        dict(zip(topics, scores, strict=True)),
        pd.DataFrame({"A": scores}, topics),
        [[score] for score in scores],
    )
    found = [truerank.mean_score(form) for form in forms]
    assert np.allclose([[one.mean, one.mean_low] for one in found], [0.54, found[0].mean_low])
    assert [one.system for one in found] == [*["sys1"] * 4, "A", "sys1"]
