"""`truerank significance`: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from truerank.cli import run
from truerank.significance import analyze

NAMES = ["plain", "a_b & 50%", "<b>|*x*"]


@pytest.fixture
def x():
    rng = np.random.default_rng(0)
    return (rng.uniform(0.2, 0.5, (20, 1)) + rng.normal(0, 0.05, (20, 3)) + [0.0, 0.1, 0.2]).round(4)


@pytest.fixture
def table(tmp_path, x):
    path = tmp_path / "scores.csv"
    pd.DataFrame(x, columns=NAMES, index=pd.RangeIndex(1, 21, name="topic")).to_csv(path)
    return path


def call(capsys, *arguments):
    code = run(["significance", *map(str, arguments)])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize(
    ("options", "p_value"),
    [
        (["--test", "t", "--correction", "none"], lambda a, b: stats.ttest_rel(a, b).pvalue),
        (["--test", "wilcoxon", "--correction", "none"], lambda a, b: stats.wilcoxon(a, b).pvalue),
        (
            ["--test", "sign", "--correction", "none"],
            lambda a, b: stats.binomtest(int(np.sum(a > b)), int(np.sum(a != b))).pvalue,
        ),
        (
            ["--test", "t", "--correction", "bonferroni"],
            lambda a, b: min(1, 3 * stats.ttest_rel(a, b).pvalue),
        ),
        (["--test", "tukey"], None),
    ],
)
def test_the_json_has_scipys_p_values(capsys, table, x, options, p_value):
    code, out, _ = call(capsys, table, *options, "--json", "-")
    document = json.loads(out)
    assert code == 0
    columns = dict(zip(NAMES, x.T, strict=True))
    hsd = stats.tukey_hsd(*(x - x.mean(axis=1, keepdims=True)).T).pvalue
    for pair in document["pairs"]:
        a, b = columns[pair["above"]], columns[pair["below"]]
        assert pair["difference"] == pytest.approx(a.mean() - b.mean(), abs=1e-12)
        if (
            p_value is None
        ):  # one-way on what is left without topics has other degrees of freedom, but not many
            i, j = NAMES.index(pair["above"]), NAMES.index(pair["below"])
            assert pair["p_adjusted"] == pytest.approx(hsd[i, j], abs=0.02)
        else:
            assert pair["p_adjusted"] == pytest.approx(p_value(a, b), rel=1e-6)
    assert document["pairs_significant"] == sum(p["p_adjusted"] < 0.05 for p in document["pairs"])
    for system in document["systems"]:
        below = [
            p["below"] for p in document["pairs"] if p["above"] == system["system"] and p["p_adjusted"] < 0.05
        ]
        assert system["better_than"] == below


def test_several_measures_of_runs(capsys, tmp_path):
    assert run(["demo", str(tmp_path / "demo")]) == 0
    capsys.readouterr()
    runs, qrels = tmp_path / "demo" / "runs", tmp_path / "demo" / "qrels.txt"
    options = ("--qrels", qrels, "-m", "AP", "-m", "P@10", "--figures", tmp_path / "figures")
    code, out, _ = call(capsys, runs, *options)
    assert code == 0
    assert "significantly by AP" in " ".join(out.split())
    assert "significantly by P@10" in " ".join(out.split())
    assert re.search(r"# +System +AP +P@10", out)
    for measure in ("AP", "P@10"):
        assert (tmp_path / "figures" / measure / "critical-difference.svg").is_file()
    code, out, _ = call(capsys, runs, *options[:-2], "--json", "-")
    assert [one["measure"] for one in json.loads(out)] == ["AP", "P@10"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", "tuckey"], "did you mean 'tukey'"),
        (["--correction", "holms"], "did you mean 'holm'"),
        (["--test", "sign", "--correction", "max-t"], "goes with the test t or randomization"),
        (["--test", "tukey", "--correction", "holm"], "corrected for all pairs already"),
        (["--alpha", "5"], "write 0.05 for 5%"),
        (["--baseline", "plane"], "did you mean 'plain'"),
        (["--permutations", "0"], "--permutations"),
    ],
)
def test_wrong_use_is_one_line(capsys, table, tmp_path, options, message):
    target = tmp_path / "out.json"
    code, out, err = call(capsys, table, *options, "--json", target)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not target.exists()


def test_one_system_and_many(capsys, tmp_path):
    one = tmp_path / "one.csv"
    one.write_text("topic,a\n1,0.1\n2,0.3\n")
    code, _, err = call(capsys, one)
    assert code == 2
    assert "2 topics and 1 system; testing pairs needs two of each at least" in err
    x = np.random.default_rng(0).normal(0.5, 0.05, (10, 30)) - 0.01 * np.arange(30)
    many = tmp_path / "many.csv"
    pd.DataFrame(x, columns=[f"s{i}" for i in range(30)]).rename_axis("topic").to_csv(many)
    code, out, _ = call(capsys, many, "--correction", "none")
    assert code == 0
    assert "… and 18 more" in out
    assert re.search(r"# +System +Mean", out)
    assert max(map(len, out.splitlines())) <= 80


def test_four_hundred_systems_take_seconds(limited) -> None:  # type: ignore[no-untyped-def]
    values = np.random.default_rng(1).random((3, 400))
    assert limited(20, lambda: str(analyze(values).pairs)) == "79800"


def test_the_way_out_works(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(2).random((10, 801)).round(3)
    lines = [",".join(map(str, row)) for row in values.tolist()]
    names = ",".join(f"s{k}" for k in range(801))
    (tmp_path / "s.csv").write_text(f"topic,{names}\n" + "".join(f"t{t},{x}\n" for t, x in enumerate(lines)))
    assert run(["significance", "s.csv"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("truerank: s.csv: 801 systems")
    command = re.search(r"truerank (gate --baseline SYSTEM --candidate SYSTEM)", error)
    assert command
    words = command[1].replace("SYSTEM", "s1", 1).replace("SYSTEM", "s2").split()
    assert run([words[0], "s.csv", *words[1:]]) in (0, 1, 4)
