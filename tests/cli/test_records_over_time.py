"""`assess --date`: records over time, against SciPy, by hand, and with bad input in one line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import truerank
from truerank.cli import run
from truerank.errors import InputError

DATES = {
    "a": "2024-01-01",
    "b": "2024-02-01",
    "c": "2024-02-01",
    "d": "2024-03-05",
    "e": "2024-04-01",
    "f": "2024-05-01",
}
LEVELS = {"a": 0.30, "b": 0.36, "c": 0.40, "d": 0.35, "e": 0.41, "f": 0.55}


def table(topics: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    hard = rng.normal(0, 0.1, topics)
    noise = {name: rng.normal(0, 0.06, topics) for name in LEVELS}
    scores = {name: level + hard + noise[name] - noise[name].mean() for name, level in LEVELS.items()}
    return pd.DataFrame(scores, index=[f"t{k}" for k in range(topics)]).rename_axis("topic")


def by_hand(frame: pd.DataFrame) -> list[tuple[str, str, float]]:
    """The records, and what two-sided paired t-tests say, times the number of that date."""
    found = []
    for new, old, entries in (("c", "a", 2), ("e", "c", 1), ("f", "e", 1)):
        p = stats.ttest_rel(frame[new], frame[old]).pvalue
        found.append((new, old, min(entries * p, 1.0)))
    return found


def test_records_are_those_of_paired_tests_with_holms_rule() -> None:
    frame = table()
    found = truerank.assess(frame, "eb", draws=50, date=DATES).over_time
    expected = by_hand(frame)
    assert [r.system for r in found.records] == ["a", "c", "e", "f"]
    assert [(r.system, r.before) for r in found.tested] == [row[:2] for row in expected]
    assert [r.p_value for r in found.tested] == pytest.approx([row[2] for row in expected], rel=1e-9)
    p = np.array([row[2] for row in expected])
    order = np.argsort(p)
    holm = np.empty(3)
    holm[order] = np.minimum(np.maximum.accumulate(p[order] * [3, 2, 1]), 1)
    assert [r.p_holm for r in found.tested] == pytest.approx(holm.tolist(), rel=1e-9)
    assert [r.beats for r in found.tested] == (holm <= 0.05).tolist() == [True, False, True]
    for r in found.tested:
        assert r.difference == pytest.approx(frame[r.system].mean() - frame[r.before].mean(), rel=1e-9)
    assert [r.entries for r in found.records] == [1, 2, 1, 1]


def test_every_output_says_the_same(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = table()
    frame.to_csv("wide.csv")
    pd.Series(DATES, name="date").rename_axis("system").to_csv("dates.csv")
    long = frame.reset_index().melt("topic", var_name="system", value_name="score")
    long["date"] = long["system"].map(DATES)
    long.to_csv("long.csv", index=False)
    turned = frame.T.rename_axis("name").reset_index()
    turned.insert(1, "date", turned["name"].map(lambda name: DATES[name].replace("-", "")))
    turned.to_csv("turned.csv", index=False)
    documents = []
    for words in (["wide.csv", "--date", "dates.csv"], ["long.csv", "--date", "date"]):
        assert run(["assess", *words, "--draws", "50", "--json", "-"]) == 0
        documents.append(json.loads(capsys.readouterr().out)["over_time"])
    assert (
        run(["assess", "turned.csv", "--transpose", "--date", "date", "--draws", "50", "--html", "p.html"])
        == 0
    )
    printed = " ".join(capsys.readouterr().out.split())
    assert documents[0] == documents[1]
    said = "Of 3 records after the first, 2 beat the one before (95%, all together): c and f."
    assert said in printed
    assert run(["board", "long.csv", "--date", "date", "--draws", "50"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert "Records over time" in (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "2024-05-01" in printed


def test_battles_have_records_by_their_strengths() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for k in range(1200):
        a, b = rng.choice(3, 2, replace=False).tolist()
        won = rng.uniform() < 1 / (1 + np.exp(-0.8 * (a - b)))
        rows.append((f"q{k % 40}", "abc"[a], "abc"[b], float(won)))
    frame = pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"])
    dates = {name: DATES[name] for name in "ab"} | {"c": "2024-06"}
    found = truerank.assess(frame, "eb", draws=50, date=dates, baseline="b")
    assert [(r.system, r.before) for r in found.over_time.tested] == [("b", "a"), ("c", "b")]
    against = {d.system: d for d in found.baseline}
    assert found.over_time.tested[1].p_value == pytest.approx(against["c"].p_value, rel=1e-9)
    assert all(r.beats for r in found.over_time.tested)


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        ({**DATES, "b": "March 1"}, "the date of 'b' is 'March 1'; write it as 2024-03-01"),
        ({"a": "2024"}, "'f', 'e', 'c', 'b', … without a date; add it to date="),
        (dict.fromkeys(DATES, "2024"), "all systems have the date 2024; records need two dates"),
        ("nothing.csv", "no file is called 'nothing.csv'"),
    ],
)
def test_bad_dates_are_refused(dates: object, said: str) -> None:
    with pytest.raises(InputError) as refused:
        truerank.assess(table(), "eb", draws=50, date=dates)
    assert said in str(refused.value)
