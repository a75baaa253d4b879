"""MMLU-Pro: one row per question, one column per system, with the exam or collection that a question is from.

A right answer is 1, a wrong one 0. An answer from which no choice could be read counts as a guess, as on the
public board: 1 divided by the number of choices. Kept are questions that all systems were asked.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pandas as pd

from gallery.extract.repository import Repository

LEFT_OUT = {"DeepSeek-Coder-V2"}
"""Its file ends after 10,351 of 12,032 questions."""


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Scores, those of guesses rounded to three digits."""
    files = [path for path in repository.names("eval_results") if path.endswith(".zip")]
    exams: dict[int, str] = {}
    columns = {}
    for path, packed in repository.contents(files):
        system = path.split("/model_outputs_")[1].rsplit("_", 1)[0]
        if system in LEFT_OUT:
            continue
        answers = _answers(packed)
        exams |= {one["question_id"]: one["src"] for one in answers}
        columns[system] = {one["question_id"]: _score(one) for one in answers}
    scores = pd.DataFrame(dict(sorted(columns.items()))).dropna().sort_index()
    scores = scores.reset_index(names="question")
    scores.insert(1, "cluster", scores["question"].map(exams))
    return scores


def _answers(packed: bytes) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        [name] = [one for one in files.namelist() if one.endswith(".json") and "__MACOSX" not in one]
        answers: list[dict[str, Any]] = json.loads(files.read(name))
    return answers


def _score(answer: dict[str, Any]) -> float:
    if answer["pred"] is None:
        return round(1 / len(answer["options"]), 3)
    return float(answer["pred"] == answer["answer"])
