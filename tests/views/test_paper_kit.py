"""The paper kit: parts that compile, and say what the result says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import truerank
from truerank.cli import run
from truerank.report import page

PROVIDED = ("CurrentFilePath", "Description", "toprule", "midrule", "bottomrule")
"""What a kit defines where no package does."""

NAMES = ["bm25_v1", "R&D #1", "50%~", "a{b}$c$", "x" * 80]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    values = rng.beta(2, 4, (30, 1)) * rng.uniform(0.6, 1, (30, 5))
    scores = truerank.ScoreMatrix.build(values, systems=NAMES, measure="P@10")
    result = truerank.assess(scores, ["eb"], draws=500, seed=1)
    made = tmp_path_factory.mktemp("made") / "kit"
    result.to_paper(made)
    _check_numbers(made, result)
    return made


def _check_numbers(folder: Path, result: truerank.Assessment) -> None:
    """The macros hold the numbers of the result."""
    text = (folder / "numbers.tex").read_text(encoding="utf-8")
    macros = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\}", text))
    tau = result.estimate("tau")
    interval = tau.interval(0.95)
    assert interval is not None
    assert macros["kitPOneZeroTau"] == f"{tau.estimate:.2f}"
    ends = [
        macros[name].replace(r"\ensuremath{-}", "-") for name in ("kitPOneZeroTauLow", "kitPOneZeroTauHigh")
    ]
    assert ends == [f"{interval.low:.2f}", f"{interval.high:.2f}"]
    assert macros["kitPOneZeroTopics"] == "30"
    assert macros["kitPOneZeroMayBeFirstCount"] == str(sum(s.rank_low == 1 for s in result.ranking))


@pytest.mark.parametrize("measures", [("nDCG@10", "nDCG@20"), ("AP", "AP")])
def test_two_kits_go_into_one_paper(tmp_path: Path, measures: tuple[str, str]) -> None:
    """Of two measures, or two collections: no two have a macro or a label in common, nor have all tables."""
    found: list[set[str]] = []
    for measure, folder in zip(measures, ("trec7", "trec8"), strict=True):
        result = truerank.assess(_table(measure), ["eb"], draws=200, seed=1)
        result.to_paper(tmp_path / folder)
        kit = "".join(path.read_text(encoding="utf-8") for path in sorted((tmp_path / folder).glob("*.tex")))
        found += [
            set(re.findall(r"newcommand\{(.+?)\}|label\{(.+?)\}", text))
            - {(rf"\{name}", "") for name in PROVIDED}
            for text in (kit, *([result.to_latex()] if folder == "trec7" else []))
        ]
    assert all(found)
    for place, one in enumerate(found):
        assert not one.intersection(*[set().union(*found[:place], *found[place + 1 :])])


def test_every_citation_has_its_entry(folder: Path) -> None:
    """And truerank itself is among them."""
    cited = re.findall(r"\\cite\{([^}]+)\}", (folder / "method.tex").read_text(encoding="utf-8"))
    entries = re.findall(r"@\w+\{([^,]+),", (folder / "references.bib").read_text(encoding="utf-8"))
    assert "truerank" in cited
    assert set(cited) <= set(entries)


def _table(measure: str = "P@10") -> truerank.ScoreMatrix:
    rng = np.random.default_rng(6)
    values = rng.beta(2, 4, (30, 1)) * rng.uniform(0.6, 1, (30, 5)) + np.linspace(0, 0.1, 5)
    return truerank.ScoreMatrix.build(values, systems=NAMES, measure=measure)


def _expanded(folder: Path, part: str) -> str:
    """A part of a kit as LaTeX prints it: with the macros' numbers, without references."""
    numbers = (folder / "numbers.tex").read_text(encoding="utf-8")
    macros = dict(re.findall(r"\\(?:newcommand|providecommand)\{\\(\w+)\}\{(.*)\}", numbers))
    text = (folder / part).read_text(encoding="utf-8")
    text = re.sub(r"^%.*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\\([A-Za-z]+)\{\}", lambda found: macros.get(found[1], found[0]), text)


def _of(values: np.ndarray, **more: Any) -> truerank.ScoreMatrix:
    return truerank.ScoreMatrix.build(values, measure="AP", **more)


def _methods(tmp_path: Path, table: truerank.ScoreMatrix, **asked: Any) -> str:
    """The methods of a kit, as a paper prints them."""
    truerank.assess(table, ["eb"], draws=200, seed=1, **asked).to_paper(tmp_path / "kit")
    return _expanded(tmp_path / "kit", "method.tex")


def _holes() -> np.ndarray:
    values = np.random.default_rng(6).beta(2, 4, (40, 5)) + np.linspace(0, 0.2, 5)
    values[3, 2] = values[7, 1] = np.nan
    return values


SETS: Mapping[str, Any] = {"data_sets": [f"set {k // 8}" for k in range(40)]}


def test_the_method_says_what_was_done(tmp_path: Path) -> None:
    """Of the baseline, holes, data sets and the guarantee: each with its reference, and none that was not."""
    whole = np.nan_to_num(_holes(), nan=0.3)
    plain = _methods(tmp_path / "plain", _of(whole))
    assert "We ranked 5 systems by mean AP on 40 topics." in plain
    assert not re.search("baseline|least squares|data set|machine|gaffke-2005|westfall", plain)
    base = _methods(tmp_path / "base", _of(whole), baseline="sys1")
    assert "compared with the baseline sys1 by itself, by 95\\% intervals" in base
    assert "of the difference from Student" in base
    holes = _methods(tmp_path / "holes", _of(_holes(), holes=True))
    assert "2 scores are missing and were not filled in: means are fitted by least squares" in holes
    few = np.repeat(whole[:, :1], 3, axis=1)
    few[:10, 1] += 0.1
    rare = _methods(tmp_path / "rare", _of(few + np.arange(3) * [0, 0, 0.01]), baseline="sys1")
    assert "fewer than 20 topics differ and these are fewer than half of all" in rare
    sets = _methods(tmp_path / "sets", _of(whole, **SETS))
    assert "mean of its means on the data sets, each of which counts alike" in sets
    assert "infinitely many topics of this kind in the same 5 data sets" in sets
    random = _methods(tmp_path / "random", _of(whole, **SETS), generalize_to="data_sets")
    assert "infinitely many data sets of this kind." in random
    sure = _methods(tmp_path / "sure", _of(whole), guarantee=True)
    assert r"step-down max-T procedure~\cite{westfall-young-1993}" in sure


@pytest.mark.parametrize("skewed", [False, True])
def test_rank_ranges_promise_the_same_everywhere(skewed: bool, tmp_path: Path) -> None:
    """The sentence of the page: in the method, in the table's caption and in the figure's."""
    rng = np.random.default_rng(3)
    values = rng.lognormal(-4, 1.5, (30, 8)) if skewed else rng.normal(0.5, 0.1, (30, 8))
    result = truerank.assess(_of(values), ["eb"], draws=200, seed=1)
    result.to_paper(tmp_path)
    promise = (
        "All ranges aim at 95% probability together, and hold less often where differences are skewed"
        if skewed
        else "All ranges hold together with"
    )
    assert promise in re.sub("<.*?>", "", page([result]))
    for part in ("method.tex", "table.tex", "figure.tex"):
        text = (tmp_path / part).read_text(encoding="utf-8").replace("\\%", "%")
        assert text.count(promise) == 1
        assert "jointly" not in text
        assert not re.search("warning|answer|below", text)
    method = (tmp_path / "method.tex").read_text(encoding="utf-8")
    assert r"Kendall's $\tau$~\cite{kendall-1938}" in method
    why = r"\d+\\% of the pairs have skewed differences, where eb assumes normal ones, so expected"
    assert bool(re.search(why, method)) == skewed
    assert method.count("hold less often") == skewed


def test_a_second_run_keeps_what_was_edited(tmp_path: Path) -> None:
    """The new text stands beside it; what nobody edited is replaced."""
    result = truerank.assess(_table("AP"), ["eb"], draws=100, seed=1)
    result.to_paper(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    edited = before["method.tex"] + b"And a sentence of ours.\n"
    (tmp_path / "method.tex").write_bytes(edited)
    result.to_paper(tmp_path, overwrite=True)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert after.pop("method.tex") == edited
    assert after.pop("method.new.tex") == before.pop("method.tex")
    assert after == before


ARTICLE = (
    "begin|end|centering|footnotesize|caption|label|hline|textbf|textsuperscript|parbox|raggedright|strut|"
    "allowbreak|ensuremath|shortstack|setlength|tabcolsep|addtocounter|providecommand|newcommand|linewidth|textheight|"
    "textbackslash|textasciitilde|textasciicircum|textasciigrave|dots|cite|tau|rho|to|times|pm|cdot|infty|"
    "leq|geq|alpha|lambda"
)
"""Commands of LaTeX itself that the parts use."""


def _groups(text: str) -> None:
    """Braces close in order, and environments inside each other."""
    depth, environments = 0, []
    for found in re.finditer(r"\\(begin|end)\{(\w+\*?)\}|\\.|[{}]", text, re.DOTALL):
        if found[1] == "begin":
            environments.append((found[2], depth))
        elif found[1] == "end":
            assert environments.pop() == (found[2], depth)
        elif found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
            assert depth >= 0
    assert (depth, environments) == (0, [])


def test_the_parts_are_valid_latex_of_article_and_graphicx(tmp_path: Path) -> None:
    """Also of many systems, whose names look like options: a table goes on in further ones."""
    names = ["[b]", "*star", "[x", "a & b", *(f"m_{k}]" for k in range(60))]
    values = np.random.default_rng(7).beta(2, 4, (20, 1)) * np.linspace(0.5, 1, len(names))
    scores = truerank.ScoreMatrix.build(values + 0, systems=names, measure="[AP] (x)")
    truerank.assess(scores, ["eb"], draws=50, baseline="[x").to_paper(tmp_path / "kit")
    for path in (tmp_path / "kit").glob("*.tex"):
        text = re.sub(r"(?<!\\)%.*", "", path.read_text(encoding="utf-8"))
        _groups(text)
        own = set(re.findall(r"\\(?:provide|new)command\{\\(\w+)\}", text))
        own |= {name for name in re.findall(r"\\([A-Za-z]+)", text) if name.startswith("kit")}
        unknown = set(re.findall(r"\\([A-Za-z]+)", text)) - {*ARTICLE.split("|")} - own
        assert unknown <= {"includegraphics", "graphicspath"}
        # Nothing that follows the end of a row or a rule may look like its option.
        assert not re.search(r"(\\\\|\\(top|mid|bottom)rule|\\hline)\s*[\[*]", text)
        for columns, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
            rows = [row for row in body.splitlines() if row.endswith(r" \\")]
            assert len(rows) > 1
            for row in rows:
                assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1


def test_the_kit_of_a_plan_quotes_points_of_its_curve(tmp_path: Path) -> None:
    found = truerank.plan(_table("AP"), draws=50)
    found.to_paper(tmp_path / "kit")
    text = (tmp_path / "kit" / "numbers.tex").read_text(encoding="utf-8")
    macros = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\}", text))
    (point,) = [one for one in found.curves["tau"] if one.topics == 50]
    names = ("kitAPTauAtFiveZero", "kitAPTauAtFiveZeroLow", "kitAPTauAtFiveZeroHigh")
    values = (point.estimate, point.low, point.high)
    assert [macros[name].replace(r"\ensuremath{-}", "-") for name in names] == [
        f"{value:.2f}" for value in values
    ]


def test_the_kit_of_a_gate_names_its_test_and_what_its_columns_are(tmp_path: Path) -> None:
    """Its p stands in text and in a formula; what has no value has no macro."""
    old, noise = np.random.default_rng(3).normal([0.3, 0.0], 0.1, (40, 2)).T
    for name, lift, margin in (("open", 0.01, 0.02), ("sure", 0.5, 0.0)):
        table = _of(np.column_stack([old, old + noise + lift]), systems=["old", "new"])
        gate = truerank.gate(table, baseline="old", candidate="new", margin=margin)
        gate.to_paper(tmp_path / name)
        numbers = (tmp_path / name / "numbers.tex").read_text(encoding="utf-8")
        macros = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\}", numbers))
        p = scipy.stats.ttest_1samp(noise + lift, 0).pvalue
        said = r"\ensuremath{<} .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)
        assert macros[f"{name}APP"] == said
        assert "--" not in macros.values()
        assert "paired t-test" in (tmp_path / name / "method.tex").read_text(encoding="utf-8")
        text = (tmp_path / name / "table.tex").read_text(encoding="utf-8")
        assert "Difference: candidate minus baseline." in text
        assert ("p, margin: two-sided, of a loss of 0.02." in text) == ("p, margin &" in text)
        assert not re.search(r"(\w+) is written \1\b|Student|topics is", text)
    assert "sureAPTopicsNeeded" not in macros


def test_kits_of_several_rankings_go_into_one_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """None has a macro or a label of another; the author names each ranking; one row stands upright."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    for name in ("human.csv", "gpt_4o-judge.csv", "other.csv"):
        rows = [",".join(f"{x:.4f}" for x in rng.random(5) + np.arange(5) / 5) for _ in range(20)]
        Path(name).write_text("\n".join([",".join("vwxyz"), *rows]) + "\n", encoding="utf-8")
    given = ["compare", "human.csv", "gpt_4o-judge.csv", "other.csv", "--resamples", "50"]
    assert run([*given, "-m", "AP", "--paper", "kit"]) == 0
    capsys.readouterr()
    defined = []
    for name in ("gpt_4o-judge.csv", "other.csv"):
        parts = {path.name: path.read_text(encoding="utf-8") for path in Path("kit", name).glob("*.tex")}
        texts = "".join(parts.values())
        defined.append(set(re.findall(r"(?:newcommand|providecommand)\{\\(\w+)|\\label\{(.*?)\}", texts)))
        (other,) = re.findall(r"providecommand\{\\(\w+Other)\}", parts["numbers.tex"])
        for part in ("table.tex", "figure.tex"):
            assert rf"\{other}{{}}" in parts[part]
            assert name.replace("_", r"\_") not in parts[part]
        assert r"\begin{tabular}{lr}" in parts["table.tex"]
        assert "table*" not in parts["table.tex"]
    assert {name for name, _ in set.intersection(*defined)} <= {*PROVIDED, ""}
    assert not {label for _, label in set.intersection(*defined)} - {""}
