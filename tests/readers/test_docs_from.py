"""The Python examples of docs/from/ run as they are printed, on the files that the tools wrote."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import truerank
from truerank.readers.run_formats import read_qrels, read_run

DOCS = Path(__file__).resolve().parents[2] / "docs" / "from"
FIXTURES = Path(__file__).parent / "fixtures"
SYSTEMS = ("BM25", "dense", "hybrid")

BLOCKS = {
    f"{page.name}, example {number}": block
    for page in sorted(DOCS.glob("*.md"))
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL), 1)
}
"""Of each page, in order."""

OURS = [name for name, block in BLOCKS.items() if "truerank" in block]
"""The others are calls of another tool that writes a file."""


class Run:
    """The shape of ranx's `Run`, of which `evaluate` keeps the scores."""

    def __init__(self, name: str, documents: dict[str, dict[str, float]]) -> None:
        self.name, self.run, self.scores = name, documents, dict[str, dict[str, float]]()

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.run


class Judgments(dict[str, Any]):
    """The shape of ranx's `Qrels`, and of a dictionary, which other tools take."""

    def to_dict(self) -> dict[str, Any]:
        return dict(self)


def given() -> dict[str, Any]:
    """What the pages take for granted: judgments and runs in memory, and other tools' objects."""
    qrels = read_qrels(FIXTURES / "ranx" / "qrels.json")
    documents = {name: read_run(FIXTURES / "ranx" / f"{name}.json").documents for name in SYSTEMS}

    def evaluate(qrels: Any, run: Run, metrics: list[str]) -> None:
        for metric in metrics:
            scores = truerank.evaluate(qrels.to_dict(), {run.name: run.run}, metric.replace("ndcg", "nDCG"))
            run.scores[metric] = dict(zip(scores.topics, scores.values[:, 0].tolist(), strict=True))

    base = truerank.read_scores(FIXTURES / "pyterrier" / "wide.csv")
    return {
        "truerank": truerank,
        "qrels": Judgments(qrels),
        "runs": documents,
        "ranx": SimpleNamespace(evaluate=evaluate),
        "bm25": Run("bm25", documents["BM25"]),
        "hybrid": Run("hybrid", documents["hybrid"]),
        "reference": base.select([0, 1, 2]).to_frame().set_axis(["bm25", "dense", "splade"], axis=1),
        "pytrec_eval_results_by_system": {
            name: {topic: {"map": value, "P_5": 0.0} for topic, value in column.items()}
            for name, column in base.to_frame().items()
        },
        "systems": None,
        "topics": None,
        "names": None,
        "dense": Run("dense", documents["dense"]),
    }


@pytest.mark.parametrize("name", OURS)
def test_an_example_runs_as_it_is_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    terrier = ModuleType("pyterrier")
    frame = pd.read_csv(FIXTURES / "pyterrier" / "perquery_with_index.csv", index_col=0)
    terrier.Experiment = lambda *args, **settings: frame[frame.measure.isin(args[3])]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyterrier", terrier)
    names = given()
    exec(compile(BLOCKS[name], name, "exec"), names)


def test_each_page_that_speaks_of_python_has_such_an_example() -> None:
    assert {name.partition(",")[0] for name in OURS} == {"retrieval-tools.md", "runs.md"}
