"""The paper kit: parts that compile, and say what the result says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import truerank

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
    assert macros["truerankTau"] == f"{tau.estimate:.2f}"
    ends = [macros[name].replace("$-$", "-") for name in ("truerankTauLow", "truerankTauHigh")]
    assert ends == [f"{interval.low:.2f}", f"{interval.high:.2f}"]
    assert macros["truerankTopics"] == "30"
    assert macros["truerankMayBeFirst"] == str(sum(s.rank_low == 1 for s in result.ranking))


def test_every_citation_has_its_entry(folder: Path) -> None:
    """And truerank itself is among them."""
    cited = re.findall(r"\\cite\{([^}]+)\}", (folder / "method.tex").read_text(encoding="utf-8"))
    entries = re.findall(r"@\w+\{([^,]+),", (folder / "references.bib").read_text(encoding="utf-8"))
    assert "truerank" in cited
    assert set(cited) <= set(entries)


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
