"""A summary or model made by a user, in one place, is found wherever summaries and models are shown."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from documents_data import small_collection

from truerank import cli
from truerank.documents import (
    MODELS,
    SUMMARIES,
    DocumentModel,
    DocumentSummary,
    SummarizedSamples,
    SummaryNumber,
    SummaryNumbers,
    register,
    register_summary,
)
from truerank.documents.analysis import analyze_collection
from truerank.documents.measures import place_measure
from truerank.documents.models import fit_bst
from truerank.experiments import run
from truerank.numerics.intervals import quantile_interval


def first_keeps_its_place(given: SummarizedSamples) -> SummaryNumbers:
    """Share of samples in which the best system stays the best."""
    stays = (given.samples.means.argmax(axis=1) == 0).astype(float)
    replicates = (given.weights @ stays / len(stays)).astype(np.float64)
    interval = quantile_interval(replicates, given.settings.level)
    return SummaryNumbers(
        (SummaryNumber("stays", "The best stays the best", float(stays.mean()), interval, column="winner"),)
    )


WINNER = DocumentSummary(
    "winner",
    "Lasting winner",
    first_keeps_its_place,
    explanation=r"How often the winner & still wins, $w \ge 0$ [@kendall-1938].",
    formula=r"w = \frac{1}{B} \sum_{i=1}^{B} w_i",
    references=("kendall-1938",),
)

LIKE_BST = DocumentModel(
    "like-bst",
    "a second bootstrap",
    fit_bst,
    draws_documents=True,
    explanation=r"As bst, $r$ documents [@cormack-lynam-2006].",
    formula=r"\beta = 7",
    references=("cormack-lynam-2006",),
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SUMMARIES, "_things", dict(SUMMARIES))
    monkeypatch.setattr(MODELS, "_things", dict(MODELS))
    register_summary(WINNER)
    register(LIKE_BST)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(2)
    lines = [f"{t} 0 d{i} {int(i % 5 == 0)}\n" for t in range(1, 7) for i in range(30)]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    (tmp_path / "runs").mkdir()
    for s in range(3):
        (tmp_path / "runs" / f"s{s}").write_text(
            "".join(
                f"{t} Q0 d{i} 0 {rng.normal() + (1.2 - 0.2 * s) * (i % 5 == 0):.5f} s{s}\n"
                for t in range(1, 7)
                for i in range(30)
            )
        )
    return ["--qrels", str(tmp_path / "qrels.txt"), str(tmp_path / "runs")]


def test_the_page_shows_a_new_summary_and_a_new_model() -> None:
    analysis = analyze_collection(small_collection(), place_measure("AP"), "like-bst", samples=60)
    (stays,) = analysis.summaries["winner"].numbers()
    html = analysis.to_html()
    text = unescape(html)
    assert f">{stays.value:.3f}<" in html
    for said in ("The best stays the best", "like-bst"):
        assert said in text


def test_the_terminal_and_the_json_do(
    files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["documents", *files, "--model", "like-bst", "--samples", "50"]
    target = tmp_path / "found.json"
    assert cli.run([*arguments, "--quiet", "--json", str(target)]) == 0
    out = capsys.readouterr().out
    found = json.loads(target.read_text(encoding="utf-8"))
    assert f"{found['winner']:.3f}" in next(
        line for line in out.splitlines() if "The best stays the best" in line
    )
    interval = found["intervals"]["winner"]
    assert interval["low"] <= found["winner"] <= interval["high"]
    assert found["explained"]["winner"] == {
        "label": WINNER.label,
        "explanation": WINNER.explanation,
        "formula": WINNER.formula,
        "references": ["kendall-1938"],
    }
    assert found["explained"]["model"]["label"] == LIKE_BST.label


def test_the_experiment_does(files: list[str], tmp_path: Path) -> None:
    found = run(
        "documents",
        [files[2]],
        tmp_path / "found",
        qrels=files[1],
        models="bst,like-bst",
        samples=40,
        rank_samples=20,
        seed=1,
        workers=1,
    )
    assert found.to_frame("table-1")["winner"].between(0, 1).all()
    assert (found.to_frame("intervals")["what"] == "winner").sum() == 2
    about = found.to_dict()
    for own, thing in ((about["summaries"]["winner"], WINNER), (about["models"]["like-bst"], LIKE_BST)):
        assert (own["label"], own["explanation"]) == (thing.label, thing.explanation)
        assert (own["formula"], tuple(own["references"])) == (thing.formula, thing.references)
