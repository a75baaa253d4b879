"""Tables for papers, read back by a reader of their own and set by LaTeX where it is installed; and CSV."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank._support.escaping import csv_cell
from truerank._support.escaping import latex as escaped
from truerank.report.tables.assessment import csv_files, latex_text, markdown_text
from truerank.report.tables.paper import LONG
from truerank.report.tables.spreadsheets import csv_text
from truerank.report.words import number
from truerank.scores import ScoreMatrix

NAMES = ("[x]", "*y", "a_b%", "\\input{x}", "=1+1", "a--b", "q|`r`<i>", "~^$#{}&", "@SUM(1)", "ret\rurn")

FAST: dict[str, Any] = {"draws": 500, "resamples": 100, "seed": 1}


def made(names: tuple[str, ...] = NAMES, topics: int = 25, measure: str = "P@10") -> ScoreMatrix:
    rng = np.random.default_rng(3)
    values = rng.normal(0.5, 0.1, (topics, len(names))) - np.linspace(0, 0.2, len(names))
    return ScoreMatrix.build(values, systems=names, measure=measure)


@pytest.fixture(scope="module")
def result() -> truerank.Assessment:
    return truerank.assess(made(), baseline="a_b%", **FAST)


COMMANDS = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textasciigrave{}": "`",
    r"\tau": "τ",
    "--": "–",
    "-{}-": "--",
    **{f"\\{c}": c for c in "&%$#_{}"},
}


def read(cell: str) -> str:
    """What LaTeX would print: one escape after the other from the left, as TeX reads them."""
    found = ""
    cell = cell.strip().removeprefix("{}")
    while cell:
        math = re.match(r"(?<!\\)\$([^$]*)\$", cell)
        command = next((c for c in sorted(COMMANDS, key=len, reverse=True) if cell.startswith(c)), None)
        if math:
            found += {"-": "−"}.get(math[1], math[1])
            cell = cell[math.end() :]
        elif command:
            found += COMMANDS[command]
            cell = cell[len(command) :]
        else:
            assert cell[0] not in "&%$#_{}\\^~", cell
            found += cell[0]
            cell = cell[1:]
    return found


def tables(text: str) -> list[list[list[str]]]:
    """Cells of each tabular, row by row, between its rules."""
    found = []
    for body in re.findall(r"\\begin\{(?:tabular|longtable)\}.*?\\end\{", text, re.DOTALL):
        rows = [
            line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r" \\") and "&" in line
        ]
        found.append([[read(cell) for cell in re.split(r"(?<!\\)&", row)] for row in rows])
    return found


def test_the_ranking_for_a_paper_is_the_ranking(result: truerank.Assessment) -> None:
    text = latex_text(result)
    ranking, correlation, baseline = tables(text)
    assert ranking[0] == ["Rank", "System", "P@10 [95%]", "True rank", "At once", "Letters"]
    for row, s in zip(ranking[1:], result.ranking, strict=True):
        ends = f"[{s.mean_low:.3f}, {s.mean_high:.3f}]"
        assert row[:3] == [str(s.rank), s.system.replace("\r", "\\r"), f"{s.mean:.3f} {ends}"]
        assert row[3] == (f"{s.rank_low}–{s.rank_high}" if s.rank_low != s.rank_high else str(s.rank_low))
    assert text.count(r"\addlinespace") == (result.ranking[-1].tier or 1) - 1
    assert r"$\tau_{AP}$ [95\%]" in text
    assert [row[0] for row in correlation[1:]][:2] == ["empirical Bayes (eb)", "maximum likelihood (ml)"]
    assert len(correlation) == 1 + 5
    eb = result.estimate("tau_ap", "eb")
    interval = eb.interval(0.95)
    assert interval is not None
    assert correlation[1][2] == f"{eb.estimate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
    for row, d in zip(baseline[1:], result.baseline, strict=True):
        assert (
            row[1] == f"{number(d.difference, 3, True)} [{number(d.low, 3, True)}, {number(d.high, 3, True)}]"
        )
        assert "-" not in row[1]
        assert row[3] == d.verdict
    captions, labels = text.count(r"\caption{"), re.findall(r"\\label\{([^}]*)\}", text)
    assert captions == 3
    assert labels == ["tab:ranking-P-10", "tab:correlation-P-10", "tab:baseline-P-10"]


def test_captions_say_what_sets_the_digits_of_all_that_they_stand_over(result: truerank.Assessment) -> None:
    ranking, correlation, baseline = re.findall(r"\\caption\{(.*)\}", latex_text(result))
    by = f"truerank {truerank.__version__}"
    assert f"(By empirical Bayes: {by}, estimator eb, dependence shrunk, seed 1.)" in ranking
    assert "empirical Bayes" not in correlation  # whose rows are of five estimators
    assert f"({by}, dependence shrunk, seed 1.)" in correlation
    # The differences to one system are of one pair each, which no dependence between pairs moves.
    assert f"(By empirical Bayes: {by}, estimator eb, seed 1.)" in baseline
    other = truerank.assess(made(), ["eb"], baseline="a_b%", **FAST | {"dependence": "sample"})
    assert other.baseline == truerank.assess(made(), ["eb"], baseline="a_b%", **FAST).baseline
    for caption in (ranking, correlation, baseline):
        assert r"by P@10 on 25 topics" in caption
    assert "better where it is at least 95\\%, worse where it is at most 5\\%; one-sided" in baseline
    # Without probabilities of swaps there are none to explain, and no estimator behind means and differences.
    alone = truerank.assess(made(), ["sh-w"], baseline="a_b%", **FAST)
    assert "estimator sh-w" not in latex_text(alone)
    assert "Truly better" not in latex_text(alone)


def test_split_half_rows_only_when_asked_for(result: truerank.Assessment) -> None:
    assert "split-half" not in latex_text(result).lower()
    assert len(tables(latex_text(result, split_half=True))[1]) == 1 + 8
    alone = truerank.assess(made(), ["sh-w"], **FAST)
    assert "split-half" in latex_text(alone).lower()


def test_markdown_has_the_same_cells(result: truerank.Assessment) -> None:
    lines = [line for line in markdown_text(result).splitlines() if line.startswith("|")]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if not set(line) <= set("|:- ")]
    plain = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in rows]
    wanted = [row for table in tables(latex_text(result)) for row in table]
    assert len(plain) == len(wanted)
    for ours, theirs in zip(plain, wanted, strict=True):
        if ours[0] not in ("Rank", "Estimator", "System"):
            assert [cell.replace("\\r", "r").replace("’", "'") for cell in ours] == [
                cell.replace("\\r", "r") for cell in theirs
            ]


def test_many_systems_break_across_pages() -> None:
    many = truerank.assess(made(tuple(f"s{i}" for i in range(LONG + 1))), ["eb"], draws=100)
    text = latex_text(many)
    assert [len(rows) for rows in tables(text)[:2]] == [LONG + 1, 2]  # a heading each
    assert "longtable" not in text  # which is refused where there are two columns


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=30))
def test_nothing_in_a_name_is_read_as_latex(name: str) -> None:
    special = set("–−’…τλρΦ²×∞≤≥")  # symbols that are printed otherwise
    if not special & set(name) and name == name.strip():
        assert read(escaped(name)) == name


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_sets_every_table(result: truerank.Assessment, tmp_path: Any) -> None:
    scores = made((*NAMES, "x" * 30_000, *(f"sentence-transformers/{i}-v2-ft-msmarco" for i in range(60))))
    parts = [
        latex_text(result, split_half=True),
        truerank.gate(scores, "[x]").to_latex(),
        truerank.compare(scores, scores.means[::-1], resamples=100).to_latex(),
        truerank.plan(scores, tau=0.8, draws=64).to_latex(),
    ]
    packages = r"\documentclass[twocolumn]{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(
        packages + "\n".join(map(str, parts)) + r"\end{document}", encoding="utf-8"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_names_that_a_spreadsheet_takes_for_formulas_are_harmless(result: truerank.Assessment) -> None:
    for name, text in csv_files(result).items():
        rows = list(csv.reader(io.StringIO(text, newline="")))
        assert len({len(row) for row in rows}) == 1, name
        for cell in (cell for row in rows for cell in row):
            assert not cell.startswith(("=", "+", "@", "\t", "\r"))
            if cell.startswith("-"):
                float(cell)
    ranking = list(csv.DictReader(io.StringIO(csv_files(result)["ranking.csv"], newline="")))
    assert {row["system"] for row in ranking} == {csv_cell(name) for name in NAMES}
    assert [float(row["mean"]) for row in ranking] == [s.mean for s in result.ranking]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1, max_size=5))
def test_any_text_comes_back_from_csv(texts: list[str]) -> None:
    import pandas as pd

    text = csv_text(pd.DataFrame({"name": texts, "x": np.arange(len(texts)) - 1.5}))
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [row[0] for row in rows] == [csv_cell(text) for text in texts]
    assert [float(row[1]) for row in rows] == [i - 1.5 for i in range(len(texts))]


def test_very_long_names_are_shortened_with_a_remark_and_never_merged() -> None:
    names = [f"{'same beginning ' * 2000}{place}{' same end' * 2000}" for place in range(4)]
    rng = np.random.default_rng(4)
    values = np.clip(rng.normal(np.linspace(0.6, 0.3, 4), 0.1, (20, 4)), 0, 1)
    found = truerank.assess(ScoreMatrix.build(values, systems=names), ["ml"], draws=50, baseline=names[0])
    for text in (markdown_text(found), latex_text(found)):
        assert max(map(len, text.splitlines())) < 1500
        assert text.count("stands for what is left out") == 2  # of the ranking, and of the differences
    rows = [line.split("|")[2] for line in markdown_text(found).splitlines() if re.match(r"\| \d", line)]
    assert len({*rows}) == 4
