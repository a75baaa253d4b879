"""An evaluation of LLMs is over questions, a TREC table over topics: in every sentence of every command."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.readers import read_scores
from truerank.readers.formats.format import FORMATS

SYSTEMS = ("alpha", "beta", "gamma", "delta", "epsilon")

COMMANDS = {
    "assess": ["assess", "--best", "2"],
    "gate": ["gate", "--baseline", "alpha", "--candidate", "epsilon"],
    "gate of several": ["gate", "--baseline", "beta"],
    "sequential gate": [
        "gate",
        "--sequential",
        "--range",
        "0,1",
        "--baseline",
        "alpha",
        "--candidate",
        "beta",
    ],
    "plan": ["plan", "--tau", "0.8"],
    "board": ["board"],
    "topics": ["topics"],
    "significance": ["significance"],
}


def values(n: int = 30) -> np.ndarray:
    rng = np.random.default_rng(4)
    found = 0.4 + 0.04 * np.arange(5) + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, 0.12, (n, 5))
    return found.clip(0, 1).round(3)


def records(folder: Path, column: str, topic: str = "t{}", measure: str = "score") -> str:
    rows = [
        {column: topic.format(t), "model": system, measure: float(value)}
        for t, row in enumerate(values())
        for system, value in zip(SYSTEMS, row, strict=True)
    ]
    path = folder / "scores.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def trec(folder: Path) -> str:
    path = folder / "scores.csv"
    pd.DataFrame(values(), columns=list(SYSTEMS)).rename_axis("topic").to_csv(path)
    return str(path)


class Prose(HTMLParser):
    """What a page says, without what it was made by, what it cites, and its script."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag

    def handle_data(self, data: str) -> None:
        typed = "truerank " in data or "Topic Set Size" in data  # commands, and the title of a publication
        if self.inside not in ("script", "style", "pre", "code", "i", "em") and not typed:
            self.said.append(data)


def said(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """All that a command says: terminal, page, and tables for papers."""
    page, paper = folder / "page.html", folder / "paper.md"
    code = run([*arguments, "--details", "--html", str(page), "--markdown", str(paper)])
    assert code in (0, 1, 4)
    seen = capsys.readouterr()
    prose = Prose()
    prose.feed(page.read_text(encoding="utf-8"))
    whole = "\n".join([seen.out, seen.err, paper.read_text(encoding="utf-8"), " ".join(prose.said)])
    return whole.replace("truerank topics", "").replace("--generalize-to topics", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_sentence_about_topics_says_question(command, tmp_path, capsys):
    found = said([*COMMANDS[command], trec(tmp_path)], tmp_path, capsys)
    assert re.findall(r".{0,50}\bquestions?\b.{0,50}", found, re.I) == []


def test_only_words_change(tmp_path):
    """The same scores under either word: the same data, and the same numbers in the same places."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    questions, topics = (
        truerank.assess(read_scores(records(tmp_path / at, column)), ["eb"], draws=200, seed=1)
        for at, column in (("a", "question_id"), ("b", "qid"))
    )
    assert (questions.noun, topics.noun) == ("question", "topic")
    assert questions.scores.fingerprint() == topics.scores.fingerprint()
    assert questions.summary().replace("question_id", "qid") == (
        topics.summary().replace("topic", "question").replace("Topic", "Question")
    )
    assert questions.to_dict().keys() == topics.to_dict().keys()


def test_formats_of_evaluations_of_llms_have_questions_and_those_of_retrieval_topics():
    asked = {name for name, one in FORMATS.items() if one.noun == "question"}
    assert {"inspect", "helm", "lm_eval", "swe_bench"} <= asked
    assert not asked & {"trec_eval", "pytrec_eval", "ir_measures", "mteb", "table"}


def test_scores_of_a_format_and_of_two_files_have_its_word(tmp_path):
    for system, solved in (("a", ["t1", "t2", "t3"]), ("b", ["t2", "t4"]), ("c", ["t1"])):
        (tmp_path / f"{system}.json").write_text(json.dumps({"resolved_ids": solved}), encoding="utf-8")
        wide = pd.DataFrame({"task_id": [f"t{t}" for t in range(20)], system: values(20)[:, len(solved)]})
        wide.to_csv(tmp_path / f"{system}.csv", index=False)
    assert read_scores([tmp_path / f"{one}.json" for one in "abc"], format="swe_bench").noun == "question"
    assert read_scores([tmp_path / f"{one}.csv" for one in "ab"]).noun == "question"
