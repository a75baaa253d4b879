"""A model made by a user, in one place, is found wherever models are shown."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from truerank import cli
from truerank.documents import MODELS, DocumentModel, register
from truerank.documents.models import fit_bst
from truerank.experiments import run

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
    monkeypatch.setattr(MODELS, "_things", dict(MODELS))
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


def test_the_terminal_and_the_json_do(
    files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["documents", *files, "--model", "like-bst", "--samples", "50"]
    target = tmp_path / "found.json"
    assert cli.run([*arguments, "--quiet", "--json", str(target)]) == 0
    assert "like-bst" in capsys.readouterr().out
    found = json.loads(target.read_text(encoding="utf-8"))
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
    own = found.to_dict()["models"]["like-bst"]
    assert (own["label"], own["explanation"]) == (LIKE_BST.label, LIKE_BST.explanation)
    assert (own["formula"], tuple(own["references"])) == (LIKE_BST.formula, LIKE_BST.references)
