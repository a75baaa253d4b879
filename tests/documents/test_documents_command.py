"""`truerank documents`: its outputs, and what it refuses."""

from __future__ import annotations

import csv
import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from truerank import cli
from truerank.documents import MODELS, DocumentModel, register
from truerank.documents.models import fit_bst

SMALL = ["--samples", "60", "--rank-samples", "30"]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A folder of runs and qrels, as arguments."""
    rng = np.random.default_rng(1)
    folder = tmp_path / "runs"
    folder.mkdir()
    lines = [f"{t} 0 d{i} {1 + i % 2}\n" for t in range(1, 6) for i in range(0, 30, 5)]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for s in range(3):
        (folder / f"s{s}").write_text(
            "".join(
                f"{t} Q0 d{i} 0 {rng.normal() + (1.5 - 0.4 * s) * (i % 5 == 0):.5f} s[{s}]\n"
                for t in range(1, 6)
                for i in range(30)
            )
        )
    return ["--qrels", str(tmp_path / "qrels.txt"), str(folder)]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.run(["documents", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_all_outputs_of_two_measures_and_three_models(
    files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    models = ["shared", "bst", "kde"]
    options = [word for model in models for word in ("--model", model)] + ["-m", "AP", "-m", "RR"]
    outputs = ["--json", "r.json", "--csv", "csv", "--figures", "figures", "--html", "page.html"]
    outputs += ["--latex", "t.tex", "--markdown", "t.md", "--all-rows", "--system", "s[1]"]
    arguments = ["documents", *files, *options, *SMALL, *outputs]
    monkeypatch.setattr("sys.argv", ["truerank", *arguments])
    code, out, _ = run(arguments[1:], capsys)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    for text in ("KRCC", "Pairs in another order", "0.20 and more", *models):
        assert text in " ".join(out.split())
    assert "on average over 30 of the 60 samples" in " ".join(out.split())
    assert "Wilson" not in out  # as the interval is among the details
    found = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert [(d["measure"], d["model"]) for d in found] == [(m, d) for m in ("AP", "RR") for d in models]
    for measure in ("AP", "RR"):
        own = [d for d in found if d["measure"] == measure]
        with (Path("csv") / measure / "systems.csv").open(newline="", encoding="utf-8") as file:
            rows = [(row["model"], row["system"], float(row["sampled_mean"])) for row in csv.DictReader(file)]
        assert rows == [(d["model"], s["system"], s["sampled_mean"]) for d in own for s in d["ranking"]]
        tex, text = (Path(name).read_text(encoding="utf-8") for name in ("t.tex", "t.md"))
        for system in own[0]["ranking"]:
            assert f" & {system['mean']:.4f} & {system['sampled_mean']:.4f} & " in tex
            assert f" | {system['mean']:.4f} | {system['sampled_mean']:.4f} | " in text
        assert re.search(r"^\w+ & 0\.20 and more & [\d,]+ & ", tex, re.MULTILINE)  # after the model
        figures = {path.name for path in (Path("figures") / measure).iterdir()}
        assert figures > {"topics.svg", "topics.pdf", "error-rate.png"}
    assert "s[1]" in (Path("figures") / "AP" / "topics.svg").read_text(encoding="utf-8")
    page = unescape(Path("page.html").read_text(encoding="utf-8"))
    assert page.count("<h1") == 1
    assert page.count("<article") == 2
    assert "--html page.html" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ERR@10"], "not known for documents"),
        (["--model", "bts"], "did you mean 'bst'"),
        (["--model", "kde", "-m", "nDCG@10"], "use the model shared or bst"),
        (["--alpha", "0.05"], "No such option: --alpha"),
        (["--models", "bst"], "No such option: --models"),
        (["--system", "none", "--figures", "here"], "unknown system"),
    ],
)
def test_wrong_use_is_one_line(
    files: list[str],
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run([*files, *SMALL[:4], *arguments], capsys)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_users_own_model_is_shown_with_what_it_says_of_itself(
    files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODELS, "_things", dict(MODELS))
    register(DocumentModel("like-bst", "a second bootstrap", fit_bst, draws_documents=True))
    target = tmp_path / "found.json"
    code, out, _ = run([*files, "--model", "like-bst", *SMALL, "--json", str(target)], capsys)
    assert code == 0
    assert "like-bst" in out
    assert (
        json.loads(target.read_text(encoding="utf-8"))["explained"]["model"]["label"] == "a second bootstrap"
    )
