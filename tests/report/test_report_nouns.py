"""An evaluation of LLMs is over questions, a TREC table over topics: in every sentence of every command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

import truerank
from truerank.readers import read_scores
from truerank.readers.formats.format import FORMATS

SYSTEMS = ("alpha", "beta", "gamma", "delta", "epsilon")


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
