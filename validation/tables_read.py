"""Random tables of the shapes that people have, each with a known meaning: read as meant, or asked about?

`python -m validation.tables_read 50000` counts tables that are read otherwise without a question, and
messages whose options do not work when they are pasted.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from ast import literal_eval
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.errors import InputError
from truerank.readers import read_scores

_OPTION = re.compile(
    r"\b(\w+_columns?|transpose|missing_value|lower_is_better)=(\[[^\]]*\]|'[^']*'|True|False)"
)
_IDS = ("id", "num", "topicid", "queryid", "qnum", "index", "#")
_TOPICS = (
    "topic",
    "qid",
    "query_id",
    "question_id",
    "user_id",
    "seg_id",
    "utterance_id",
    "case_id",
    "task_id",
)
_SYSTEMS = ("system", "model", "method", "classifier", "algorithm", "framework", "approach", "retriever")
_BESIDE = ("epoch", "seed", "trial", "fold", "run", "attempt", "turn", "weight", "latency", "n_tokens")
_SUMMARIES = ("Overall", "Avg.", "Mean:", "macro avg", "weighted avg", "mean", "StdDev")
_RUNS = ("seed", "epoch", "iteration", "trial", "repeat", "fold", "template", "judge")
_FORMS = ("markdown", "tabs", "records", "lines", "split", "columns", "index", "marked")
_LOWER = ("error", "MAPE", "logloss", "WER", "duration", "eval_metrics/MASE[0.5]")
_HIGHER = ("accuracy", "f1", "neg_log_loss", "1-WER", "score", "error_reduction")
_WIDE = ("wide", "ids", "beside", "summary", "sentinel", "leading")
_LONG = ("long", "runs")
_ROWS = ("rows", "board", "rising")


@dataclass(frozen=True)
class Meant:
    """A table, and the means of its systems, higher better."""

    shape: str
    text: str
    means: dict[str, float]


def table(rng: np.random.Generator) -> Meant:
    """A random table."""
    n, m = int(rng.integers(4, 12)), int(rng.integers(2, 6))
    values = rng.uniform(0.05, 0.95, (n, m)).round(int(rng.integers(2, 5)))
    systems = [f"{'abcdef'[s]}{'xyz'[int(rng.integers(3))]}" for s in range(m)]
    topics = [f"q{t + 1}" for t in range(n)] if rng.random() < 0.5 else [f"{t * 7 + 301}" for t in range(n)]
    shape = str(rng.choice([*_WIDE, *_LONG, *_ROWS, *_FORMS]))
    if shape in _FORMS:
        kind, make = ("wide", _wide) if shape == "marked" or rng.random() < 0.5 else ("long", _long)
        return _rewritten(shape, make(rng, kind, values, systems, topics))
    make = _long if shape in _LONG else _rows if shape in _ROWS else _wide
    return make(rng, shape, values, systems, topics)


def _rewritten(form: str, meant: Meant) -> Meant:
    """The same table in another form."""
    head, *rows = (line.split(",") for line in meant.text.splitlines())
    cells = [[float(cell) if "." in cell else cell for cell in row] for row in rows]
    records = [dict(zip(head, row, strict=True)) for row in cells]
    if form == "markdown":
        lines = [head, ["---"] * len(head), *rows]
        text = "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
    elif form == "tabs":
        text = meant.text.replace(",", "\t")
    elif form == "marked":
        marks = ("{} ± 0.02", "**{}**", "{}*", "{} (0.1)")
        rows = [[row[0], *(marks[len(x) % 4].format(x) for x in row[1:])] for row in rows]
        text = _lines(head, rows)
    elif form == "lines":
        text = "".join(json.dumps(one) + "\n" for one in records)
    else:
        document: Any = records
        if form == "split":
            document = {"columns": head, "index": list(range(len(rows))), "data": cells}
        elif form == "columns":
            columns = zip(head, zip(*cells, strict=True), strict=True)
            document = {name: {str(k): cell for k, cell in enumerate(column)} for name, column in columns}
        elif form == "index":
            document = {str(k): one for k, one in enumerate(records)}
        text = json.dumps(document)
    return Meant(form, text, meant.means)


def _means(values: NDArray[np.float64], systems: list[str]) -> dict[str, float]:
    return dict(zip(systems, np.nanmean(values, axis=0).tolist(), strict=True))


def _lines(head: list[str], rows: list[list[Any]]) -> str:
    return "\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n"


def _wide(
    rng: np.random.Generator, shape: str, values: NDArray[np.float64], systems: list[str], topics: list[str]
) -> Meant:
    head, rows = ["topic", *systems], [[t, *row] for t, row in zip(topics, values.tolist(), strict=True)]
    means = _means(values, systems)
    if shape == "leading":
        head = ["type", "task", *systems]
        rows = [["binary", f"set {t}", *row] for t, row in zip(topics, values.tolist(), strict=True)]
    elif shape == "ids":
        head = ["", str(rng.choice(_IDS)), *systems]
        rows = [[k, 11 + 3 * k, *row] for k, row in enumerate(values.tolist())]
    elif shape == "beside":
        kind = int(rng.integers(3))
        cells = [0 if kind == 0 else k % 2 if kind == 1 else k + 3 for k in range(len(rows))]
        at = 1 if rng.random() < 0.5 else len(head)
        head.insert(at, str(rng.choice(_BESIDE)))
        for row, cell in zip(rows, cells, strict=True):
            row.insert(at, cell)
    elif shape == "summary":
        name = str(rng.choice(_SUMMARIES))
        last = values.std(axis=0) if name == "StdDev" else values.mean(axis=0)
        rows.append([name, *last.round(3).tolist()])
    elif shape == "sentinel":
        t, s = int(rng.integers(values.shape[0])), int(rng.integers(values.shape[1]))
        rows[t][1 + s] = -1
        values = values.copy()
        values[t, s] = np.nan
        means = _means(values, systems)
    return Meant(shape, _lines(head, rows), means)


def _long(
    rng: np.random.Generator, shape: str, values: NDArray[np.float64], systems: list[str], topics: list[str]
) -> Meant:
    lower = bool(rng.random() < 0.5)
    head = [str(rng.choice(names)) for names in (_TOPICS, _SYSTEMS, _LOWER if lower else _HIGHER)]
    rows = [[topics[t], systems[s], values[t, s]] for t, s in np.ndindex(*values.shape)]
    if shape == "runs":
        head.append(str(rng.choice(_RUNS)))
        noise = rng.uniform(-0.04, 0.04, (3, *values.shape)).round(4)
        values = values + noise.mean(axis=0)
        rows = [
            [*row[:2], row[2] + noise[(r, *divmod(k, len(systems)))], r]
            for k, row in enumerate(rows)
            for r in range(3)
        ]
    order = rng.permutation(len(head))
    means = _means(-values if lower else values, systems)
    return Meant(shape, _lines([head[k] for k in order], [[row[k] for k in order] for row in rows]), means)


def _rows(
    rng: np.random.Generator, shape: str, values: NDArray[np.float64], systems: list[str], topics: list[str]
) -> Meant:
    sets = [f"part {'abcdefghijkl'[t]}{t}" for t in range(len(topics))]
    head = [str(rng.choice(_SYSTEMS)), *sets]
    rows = [[name, *column] for name, column in zip(systems, values.T.tolist(), strict=True)]
    means = _means(values, systems)
    if shape == "rising" and len(rows) < 5:
        shape = "rows"  # so few may be sorted by chance
    if shape == "rising":
        head.append("Average")
        rows = sorted(([*row, np.mean(row[1:])] for row in rows), key=lambda row: row[-1])
        means = {name: -mean for name, mean in means.items()}
    if shape == "board":
        beside = {
            "RTFx": rng.uniform(50, 900, len(systems)).round(1),
            "params_b": rng.integers(1, 70, len(systems)),
            "votes": rng.integers(100, 9000, len(systems)),
            "Average": values.mean(axis=0).round(3),
            "oddly": rng.uniform(500, 900, len(systems)).round(1),
            "time_training_seconds": rng.uniform(5, 90, len(systems)).round(1),
        }
        for name in rng.choice(list(beside), int(rng.integers(1, 4)), replace=False).tolist():
            at = int(rng.integers(1, len(head) + 1))
            head.insert(at, name)
            for row, cell in zip(rows, beside[name].tolist(), strict=True):
                row.insert(at, cell)
    return Meant(shape, _lines(head, rows), means)


def _agrees(scores: Any, meant: Meant) -> bool:
    found = dict(zip(scores.systems, np.nanmean(scores.values, axis=0).tolist(), strict=True))
    return found.keys() == meant.means.keys() and all(
        abs(found[name] - mean) < 1e-9 for name, mean in meant.means.items()
    )


def check(meant: Meant, path: Path) -> str:
    """What became of a table: read, asked, or what is wrong."""
    path.write_text(meant.text, encoding="utf-8")
    try:
        return "read" if _agrees(read_scores(path), meant) else "read otherwise in silence"
    except InputError as error:
        options = _OPTION.findall(str(error))
    for name, value in options:
        given = {name: literal_eval(value)}
        try:
            if _agrees(read_scores(path, missing="model", **given), meant):
                return "asked"
        except InputError:
            continue
    return "no option that works"


def main(tables: int, seed: int = 1) -> int:
    """Check random tables; how many were read otherwise, or asked about without an option that works."""
    rng, counts = np.random.default_rng(seed), Counter[tuple[str, str]]()
    shown: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        for _ in range(tables):
            meant = table(rng)
            became = (meant.shape, check(meant, path))
            counts[became] += 1
            if became[1] not in ("read", "asked") and became not in shown:
                shown.add(became)
                print(became, meant.text, sep="\n")
    for (shape, became), number in sorted(counts.items()):
        print(f"{shape:10} {became:28} {number:7,}")
    return sum(number for (_, became), number in counts.items() if became not in ("read", "asked"))


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]))))
