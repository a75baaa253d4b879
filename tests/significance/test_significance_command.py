"""`truerank significance`: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import truerank
from truerank._support.escaping import latex as escaped
from truerank._support.wording import number, p_text
from truerank.cli import run
from truerank.report.views.significance import LETTERS, labels, marks

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


def test_what_is_printed(capsys, table):
    code, out, err = call(capsys, table, "-m", "AP", "--baseline", "plain", "--test", "tukey")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert "discriminative power 100% (3 of 3 pairs)." in text
    assert text.startswith("3 of 3 pairs of systems differ significantly by AP (p < .05; Tukey")
    assert "Significantly better than the baseline plain: <b>|*x* and a_b & 50%; worse: none" in text
    rows = [line.split() for line in out.splitlines() if line.startswith(("a ", "b ", "c "))]
    assert rows[0][:2] == ["a", "<b>|*x*"]
    assert rows[0][-1].endswith("^bc")
    assert rows[1][-1].endswith("^c")
    assert rows[2][:2] == ["c", "plain"]
    assert "Two-way analysis of variance" in text
    assert "F(2, 38) = " in text


def test_discriminative_power_says_that_it_is_of_uncorrected_tests(capsys, table):
    """So that it may be of more pairs than the answer begins with."""
    alone = json.loads(call(capsys, table, "--test", "t", "--correction", "none", "--json", "-")[1])
    count = sum(pair["p"] < 0.05 for pair in alone["pairs"])
    _, out, _ = call(capsys, table, "--test", "t", "--correction", "bonferroni")
    assert f"{100 * count / 3:.4g}% ({count} of 3 pairs, uncorrected)." in " ".join(out.split())


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


def test_the_same_seed_gives_the_same_file(capsys, table, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        options = ("--test", "randomized-tukey", "--permutations", 200, "--seed", seed)
        assert call(capsys, table, *options, "--json", tmp_path / f"{name}.json")[0] == 0
    a, b, c = (json.loads((tmp_path / f"{name}.json").read_text()) for name in "abc")
    assert a == b
    assert a["pairs"] != c["pairs"]
    assert a["permutations"] == 200


def test_tables_and_figures(capsys, table, tmp_path):
    tex, md, folder = tmp_path / "t.tex", tmp_path / "t.md", tmp_path / "figures"
    options = ("--latex", tex, "--markdown", md, "--figures", folder)
    assert call(capsys, table, *options)[0] == 0
    latex = tex.read_text()
    assert r"a\_b \& 50\%" in latex
    assert r"\textsuperscript{bc}" in latex
    assert latex.count(r"\textbf{") == 1
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    lines = [line for line in md.read_text().splitlines() if line.startswith("|")][:5]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in lines)
    assert r"\<b\>\|\*x\*" in lines[2]
    assert lines[2].endswith("<sup>bc</sup> |")
    assert sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) == [
        f"critical-difference.{kind}" for kind in ("pdf", "png", "svg")
    ]
    root = ElementTree.fromstring((folder / "critical-difference.svg").read_text())
    assert root.get("width") == "240pt"  # a column of a paper
    assert call(capsys, table, *options)[0] == 2  # the folder is not empty
    assert call(capsys, table, *options, "--overwrite")[0] == 0


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
        (["--relevance-level", "2"], "--relevance-level needs --qrels"),
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
    assert "needs two of each at least" in err
    x = np.random.default_rng(0).normal(0.5, 0.05, (10, 30)) - 0.01 * np.arange(30)
    many = tmp_path / "many.csv"
    pd.DataFrame(x, columns=[f"s{i}" for i in range(30)]).rename_axis("topic").to_csv(many)
    code, out, _ = call(capsys, many, "--correction", "none")
    assert code == 0
    assert "… and 18 more" in out
    assert max(map(len, out.splitlines())) <= 80


def test_papers_get_the_tables_of_the_terminal(capsys, tmp_path):
    """Sixty systems: captions, labels, tables of 35 rows, ranges as print has them."""
    x = np.random.default_rng(0).normal(0.5, 0.02, (10, 60)) - 0.01 * np.arange(60)
    names = [f"sentence-transformers/{'long-' * 14}{place}" for place in range(60)]
    table = tmp_path / "many.csv"
    pd.DataFrame(x, columns=names).rename_axis("topic").to_csv(table)
    tex, found = tmp_path / "t.tex", tmp_path / "t.json"
    options = ("-m", "AP", "--baseline", names[30], "--latex", tex, "--json", found)
    assert call(capsys, table, "--seed", 3, *options)[0] == 0
    latex, document = tex.read_text(), json.loads(found.read_text())
    assert re.findall(r"\\label\{(.*)\}", latex) == [
        f"tab:significance-{name}-AP" for name in ("significance", "baseline", "anova")
    ]
    captions = re.findall(r"\\caption\{(.*)\}", latex)
    assert [one == "(Continued.)" for one in captions] == [False, True, False, True, False]
    assert "by AP on 10 topics" in captions[0]
    assert all(f"(truerank {truerank.__version__}, seed 3.)" in one for one in captions if "Cont" not in one)
    tables = re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", latex, re.DOTALL)
    rows = [[row for row in body.splitlines() if row.endswith(r" \\")][1:] for _, body in tables]
    assert [len(some) for some in rows] == [35, 25, 35, 24, 3]
    for (columns, _), some in zip(tables, rows, strict=True):
        assert {row.count(" & ") for row in some} == {len(columns) - 1}
    assert latex.count("{") == latex.count("}")
    marks_of = re.findall(r"\\textsuperscript\{(.*?)\}", latex)
    assert any("--" in one for one in marks_of)
    assert not any(re.search(r"\d-\d", one) for one in marks_of)
    for one, row in zip(document["against_baseline"], rows[2] + rows[3], strict=True):
        shown = [number(one["difference"], 4, sign=True), p_text(one["p"]), p_text(one["p_adjusted"])]
        assert row.removesuffix(r" \\").split(" & ")[1:4] == [escaped(text) for text in shown]


def test_labels_and_marks():
    assert "".join(labels(25)) == LETTERS
    assert "q" not in LETTERS
    assert labels(26)[0] == "1"
    assert marks([], labels(30)) == ""
    assert marks([29, 28, 4], labels(30)) == "5,29–30"
