"""The paper kit: parts that compile, and say what the result says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import truerank
from truerank.comparison.significance.analysis import analyze

NAMES = ["bm25_v1", "R&D #1", "50%~", "a{b}$c$", "x" * 80]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    values = rng.beta(2, 4, (30, 1)) * rng.uniform(0.6, 1, (30, 5))
    scores = truerank.ScoreMatrix.build(values, systems=NAMES, measure="P@10")
    result = truerank.assess(scores, ["eb"], draws=500, seed=1)
    made = tmp_path_factory.mktemp("kit")
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
    assert macros["truerankPOneZeroTau"] == f"{tau.estimate:.2f}"
    ends = [
        macros[name].replace("$-$", "-") for name in ("truerankPOneZeroTauLow", "truerankPOneZeroTauHigh")
    ]
    assert ends == [f"{interval.low:.2f}", f"{interval.high:.2f}"]
    assert macros["truerankPOneZeroTopics"] == "30"
    assert macros["truerankPOneZeroMayBeFirstCount"] == str(sum(s.rank_low == 1 for s in result.ranking))


def test_kits_of_two_measures_go_into_one_paper(tmp_path: Path) -> None:
    """No two have a macro or a label in common, nor has the file of all tables a label of theirs."""
    found: list[set[str]] = []
    for measure in ("nDCG@10", "nDCG@20"):
        result = truerank.assess(_table(measure), ["eb"], draws=200, seed=1)
        result.to_paper(tmp_path / measure)
        kit = "".join(path.read_text(encoding="utf-8") for path in sorted((tmp_path / measure).glob("*.tex")))
        found += [
            set(re.findall(r"newcommand\{(.+?)\}|label\{(.+?)\}", text)) for text in (kit, result.to_latex())
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


def _of_tests(folder: Path) -> dict[str, str]:
    found = analyze(_table(), "t", "holm", alpha=0.05)
    found.to_paper(folder)
    pairs = [pair["p_adjusted"] for pair in found.to_dict()["pairs"]]
    return {"Systems": "5", "Topics": "30", "Pairs": "10", "Alpha": "0.05"} | {
        "SignificantPairs": str(sum(p < 0.05 for p in pairs))
    }


def _of_a_comparison(folder: Path) -> dict[str, str]:
    table = _table()
    found = truerank.compare(table, table.means[::-1].copy(), resamples=200, seed=1)
    found.to_paper(folder)
    values = found.to_dict()
    tau = scipy.stats.kendalltau(table.means, table.means[::-1]).statistic
    numbers = {"Systems": "5", "Topics": "30", "Tau": f"{tau:.2f}".replace("-", "−")}
    return numbers | {"Distance": f"{values['rank_distance']:.2f}"}


@pytest.mark.parametrize(
    ("made", "cited"),
    [
        (_of_tests, {"truerank", "smucker-2007", "holm-1979"}),
        (_of_a_comparison, {"truerank", "carterette-2009", "kendall-1938"}),
    ],
)
def test_tests_and_comparisons_say_how_they_were_made(
    tmp_path: Path, made: Callable[[Path], dict[str, str]], cited: set[str]
) -> None:
    """With citations that have entries, the result's numbers as macros, and a document that compiles."""
    expected = made(tmp_path)
    found = re.findall(r"\\cite\{([^}]+)\}", (tmp_path / "method.tex").read_text(encoding="utf-8"))
    entries = re.findall(r"@\w+\{([^,]+),", (tmp_path / "references.bib").read_text(encoding="utf-8"))
    assert set(found) == cited
    assert cited <= set(entries)
    text = (tmp_path / "numbers.tex").read_text(encoding="utf-8")
    macros = dict(re.findall(r"\\newcommand\{\\truerankPOneZero(\w+)\}\{(.*)\}", text))
    assert {name: macros[name].replace("$-$", "−") for name in expected} == expected
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no LaTeX")
    for command in (["pdflatex", "-interaction=nonstopmode", "-halt-on-error"], ["bibtex"]):
        run = subprocess.run(
            [*command, "example"], cwd=tmp_path, capture_output=True, check=False, timeout=120
        )
        assert run.returncode == 0, run.stdout[-2000:]


LONG_NAMES = ("acme/embed-xl", "acme/embedder-extra-large-v2.1-instruct", "bm25", "x" * 70, "openlab/chat-7b")


def _named(folder: Path) -> str:
    rng = np.random.default_rng(6)
    values = rng.beta(2, 4, (30, 1)) * rng.uniform(0.6, 1, (30, 5)) + np.linspace(0, 0.1, 5)
    scores = truerank.ScoreMatrix.build(values, systems=LONG_NAMES, measure="AP")
    truerank.assess(scores, ["eb"], draws=200, seed=1, baseline="bm25").to_paper(folder)
    return (folder / "table.tex").read_text(encoding="utf-8")


def test_the_table_has_whole_names_and_the_baseline(tmp_path: Path) -> None:
    table = _named(tmp_path).replace(r"\allowbreak{}", "")
    assert all(name in table for name in LONG_NAMES)
    assert r"\dots" not in table
    assert r"\label{tab:paper-assess-baseline-AP}" in table


def test_names_too_long_for_a_page_go_on_in_another_line(tmp_path: Path) -> None:
    rows = [line for line in _named(tmp_path).splitlines() if "xxx" in line]
    assert len(rows) == 2
    for row in rows:
        wrapped = re.search(r"\\parbox\[t\]\{(\d+)em\}\{\\raggedright (.*)\\strut\}", row)
        assert wrapped is not None
        assert max(map(len, wrapped[2].split(r"\allowbreak{}"))) * 0.55 <= int(wrapped[1])


def test_the_method_names_the_dependence_by_its_reference(folder: Path) -> None:
    text = (folder / "method.tex").read_text(encoding="utf-8")
    assert r"shrunken correlations of the scores~\cite{ledoit-wolf-2004}" in text
    assert "shrunk dependence" not in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
@pytest.mark.parametrize("document", ["[conference]{IEEEtran}", "[sigconf,nonacm]{acmart}"])
def test_it_compiles_without_an_overfull_box(folder: Path, tmp_path: Path, document: str) -> None:
    """In the two classes that its readers use; hostile names and all."""
    kind = document.partition("{")[2].rstrip("}")
    if subprocess.run(["kpsewhich", f"{kind}.cls"], capture_output=True, check=False).returncode:
        pytest.skip(f"there is no {kind}")
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    example = (tmp_path / "example.tex").read_text(encoding="utf-8")
    example = re.sub(r"\\documentclass.*", lambda _: rf"\documentclass{document}", example)
    (tmp_path / "example.tex").write_text(example.replace(",amsmath", ""), encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "example"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    log = (tmp_path / "example.log").read_text(encoding="latin-1")
    assert run.returncode == 0, log[-2000:]
    assert "Overfull" not in log
