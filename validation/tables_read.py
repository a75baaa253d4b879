"""Random tables of the shapes that people have, each with a known meaning: read as meant, or asked about?

`python -m validation.tables_read 50000` counts tables that are read otherwise without a question, messages
with an option that leads to no reading when it is pasted, and those with none that leads to what is meant.
What a table means is worked out here, from the numbers that it is made of; nothing of the readers is used but
the call that reads.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from ast import literal_eval
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from truerank.errors import InputError
from truerank.readers import read_scores

Rng = np.random.Generator
Vector = NDArray[np.float64]

_OPTION = re.compile(
    r"\b(\w+_columns?|facet|transpose|missing_value|lower_is_better|measure)="
    r"(\[[^\]]*\]|'[^']*'|\"[^\"]*\"|True|False|[-\d.]+)"
)
NAMED = {"flags": "a column of 0 and 1 whose name says nothing is read as a system"}
"""Shapes that names alone do not tell, and how they are read: as the line on the reading says."""

RIGHT = ("read", "asked", "refused", "read by names")
"""What may become of a table."""

_MOST_ASKED = 3
"""Questions about one table that are answered one after the other."""


def _words(text: str) -> tuple[str, ...]:
    """Names between commas."""
    return tuple(" ".join(text.split()).split(", "))


_IDS = _words("id, num, topicid, queryid, queries, questions, qnum, index, #, topics")
_TOPICS = _words(
    """topic, qid, query_id, question_id, Query ID, prompt, user_id, seg_id, session_id, utterance_id,
    case_id, sample_id, doc_id, task_id, accent, language, env"""
)
_SYSTEMS = _words(
    """system, model, method, classifier, classifier_name, algorithm, framework, approach, arm, extractor,
    retriever, Model, alg, estimator, detector"""
)
_BESIDE = _words(
    """epoch, seed, trial, fold, run, attempt, turn, iteration, weight, latency, n_tokens, cost_usd, n_rel,
    count, version, speed, price, support, difficulty, doc_len, std, odd"""
)
_SUMMARIES = _words(
    """Overall, Avg., Mean:, macro avg, weighted avg, Grand total, mean, average, micro-avg, all, AVERAGE,
    Overall mean, Average score, Ø, total score, Macro Average, Mittelwert, Moyenne, 平均, p-value"""
)
_RUNS = _words("seed, epoch, iteration, trial, repeat, run, attempt")
_FACETS = _words("template, judge, fold, prompt_id, annotator, variant")
_LOWER = _words(
    """error, MAPE, sMAPE, MASE, logloss, test_error, FID, EER, DER, RMSLE, CRPS, duration, mean_rank,
    WER%, latencyMs, eval_metrics/MASE[0.5], WER, perplexity, mean error"""
)
_HIGHER = _words(
    """accuracy, f1, neg_log_loss, -error, 1-WER, non_toxicity, error_reduction, score_improvement,
    cost_adjusted_score, win_minus_loss, score, ndcg@10, success_rate"""
)
_NAMES = _words("bm25, E5, dpr, colbert, SPLADE++, gpt-4, Llama 3, rm3, t5/base, x, Ridge, naïve")


@dataclass(frozen=True)
class Meant:
    """A table, and what it says.

    Attributes:
        shape: its name in the counts.
        source: the text, or a data frame.
        means: of the systems, higher better; None for what holds no scores of topics and has to be refused.
        topics: how many there are.
        battles: wins and ties of each ordered pair of systems, where it holds battles.
        measure: which of several measures is meant.
    """

    shape: str
    source: Any
    means: dict[str, float] | None
    topics: int = 0
    battles: Counter[tuple[str, str, float]] | None = field(default=None)
    measure: str | None = None


@dataclass(frozen=True)
class Grid:
    """Scores of topics × systems, all with fractions."""

    values: Vector
    topics: list[str]
    systems: list[str]

    @classmethod
    def of(cls, rng: Rng, *, low: int = 4, words: bool = False) -> Grid:
        """Random scores and names."""
        n, m = int(rng.integers(low, 12)), int(rng.integers(2, 6))
        values = rng.uniform(0.05, 0.95, (n, m)).round(int(rng.integers(2, 5)))
        systems = rng.choice(_NAMES, m, replace=False).tolist()
        kind = 2 if words else int(rng.integers(3))
        topics = [(f"q{t + 1}", f"{t * 7 + 301}", f"what is {'abcdefghijkl'[t]}?")[kind] for t in range(n)]
        return cls(values, topics, systems)

    def meant(self, shape: str, source: Any, values: Vector | None = None, **more: Any) -> Meant:
        """A table of these scores, or of others for the same systems."""
        values = self.values if values is None else values
        means = dict(zip(self.systems, np.nanmean(values, axis=0).tolist(), strict=True))
        return Meant(shape, source, means, more.pop("topics", len(values)), **more)

    def rows(self) -> list[list[Any]]:
        """One row per topic."""
        return [[name, *row] for name, row in zip(self.topics, self.values.tolist(), strict=True)]

    def long(self) -> list[list[Any]]:
        """One row per score."""
        return [
            [self.topics[t], self.systems[s], float(self.values[t, s])]
            for t, s in np.ndindex(*self.values.shape)
        ]


def _lines(head: list[str], rows: list[list[Any]], mark: str = ",") -> str:
    def cell(value: Any) -> str:
        text = str(value)
        return f'"{text}"' if mark in text else text

    return "".join(mark.join(map(cell, row)) + "\n" for row in [head, *rows])


def _pick(rng: Rng, names: tuple[str, ...]) -> str:
    return str(rng.choice(names))


def _wide(rng: Rng) -> Meant:
    grid = Grid.of(rng)
    return grid.meant(
        "wide", _lines([_pick(rng, ("topic", "qid", "Question", "query_id", "")), *grid.systems], grid.rows())
    )


def _ids(rng: Rng) -> Meant:
    grid, first = Grid.of(rng), rng.random() < 0.7
    start, step = (int(rng.integers(2)), 1) if rng.random() < 0.3 else (11, 3)
    rows = [[*([k] if first else []), start + step * k, *row] for k, row in enumerate(grid.values.tolist())]
    head = [*([""] if first else []), _pick(rng, _IDS), *grid.systems]
    return grid.meant("ids", _lines(head, rows))


def _beside(rng: Rng) -> Meant:
    grid, name = Grid.of(rng), _pick(rng, _BESIDE)
    n, kind = len(grid.topics), 1 if name == "odd" else int(rng.integers(4))
    name = "seed" if name == "odd" and n < 8 else name  # so few may be scores
    cells: list[Any] = (
        [0] * n if kind == 0 else [k % 2 for k in range(n)] if kind == 1 else [k + 3 for k in range(n)]
    )
    if kind == 3 and name in ("weight", "latency", "cost_usd", "speed", "price", "difficulty", "std"):
        cells = rng.uniform(0.1, 9, n).round(2).tolist()
    head, rows = ["topic", *grid.systems], grid.rows()
    at = int(rng.integers(1, len(head) + 1))
    head.insert(at, name)
    for row, cell in zip(rows, cells, strict=True):
        row.insert(at, cell)
    return grid.meant("flags" if name == "odd" else "beside", _lines(head, rows))


def _summary(rng: Rng) -> Meant:
    grid, name = Grid.of(rng), _pick(rng, _SUMMARIES)
    rows = [*grid.rows(), [name, *grid.values.mean(axis=0).round(3).tolist()]]
    if name == "mean":
        rows.append([_pick(rng, ("StdDev", "std", "Std. Dev.")), *grid.values.std(axis=0).round(3).tolist()])
        rows += [["count", *[len(grid.values)] * len(grid.systems)], ["25%", *[0.25] * len(grid.systems)]]
    return grid.meant("summary", _lines(["topic", *grid.systems], rows))


def _sentinel(rng: Rng) -> Meant:
    grid = Grid.of(rng)
    scale = 10 if rng.random() < 0.5 else 1
    values = (grid.values * scale).round(3)
    t, s = int(rng.integers(values.shape[0])), int(rng.integers(values.shape[1]))
    mark = _pick(rng, ("-1", "-1.0", "-9", "-99", "-999", "999", "9999"))
    values[t, s] = np.nan
    rows = [
        [name, *(mark if np.isnan(one) else one for one in row)]
        for name, row in zip(grid.topics, values, strict=True)
    ]
    return grid.meant("sentinel", _lines(["topic", *grid.systems], rows), values)


def _leading(rng: Rng) -> Meant:
    grid = Grid.of(rng)
    rows = [["binary", *row] for row in grid.rows()]
    return grid.meant("leading", _lines(["type", "task", *grid.systems], rows))


def _data_sets(rng: Rng) -> Meant:
    grid = Grid.of(rng)
    half = len(grid.topics) // 2
    if rng.random() < 0.5:
        rows = [["ab"[t >= half], *row] for t, row in enumerate(grid.rows())]
        return grid.meant("data sets", _lines(["data_set", "topic", *grid.systems], rows))
    rows = [["ab"[k // len(grid.systems) >= half], *row] for k, row in enumerate(grid.long())]
    return grid.meant("data sets", _lines(["dataset", "query_id", "model", "score"], rows))


def _direction(rng: Rng, values: Vector) -> tuple[str, Vector]:
    """A measure's name, and the scores, higher better."""
    lower = bool(rng.random() < 0.5)
    return (_pick(rng, _LOWER), -values) if lower else (_pick(rng, _HIGHER), values)


def _shuffled(rng: Rng, head: list[str], rows: list[list[Any]]) -> str:
    order = rng.permutation(len(head))
    return _lines([head[k] for k in order], [[row[k] for k in order] for row in rows])


def _long(rng: Rng) -> Meant:
    grid = Grid.of(rng)
    measure, values = _direction(rng, grid.values)
    return grid.meant(
        "long", _shuffled(rng, [_pick(rng, _TOPICS), _pick(rng, _SYSTEMS), measure], grid.long()), values
    )


def _long_beside(rng: Rng) -> Meant:
    """Ids of rows, categories, costs and texts beside the scores."""
    grid = Grid.of(rng)
    head, rows = [_pick(rng, _TOPICS[:6]), _pick(rng, _SYSTEMS), "score"], grid.long()
    m = len(grid.systems)
    beside: dict[str, Callable[[int], Any]] = {
        "uuid": lambda k: 1000 + 7 * k,
        "category": lambda k: "ab"[k // m % 2],
        "latency_ms": lambda k: 100 + 37 * k % 91,
        "answer": lambda k: f"the answer {k}",
        "n_tokens": lambda k: 17 + 5 * k % 13,
        "timestamp": lambda k: f"2025-01-01T10:{k // 60:02}:{k % 60:02}",
        "prompt_tokens": lambda k: 40 + k // m,
    }
    for name in rng.choice(list(beside), int(rng.integers(1, 4)), replace=False).tolist():
        head.append(name)
        rows = [[*row, beside[name](k)] for k, row in enumerate(rows)]
    return grid.meant("long beside", _shuffled(rng, head, rows))


def _measures(rng: Rng) -> Meant:
    """Several measures, as columns or as rows."""
    grid = Grid.of(rng)
    names = rng.choice(["f1", "accuracy", "bleu", "recall", "ndcg"], 2, replace=False).tolist()
    other = rng.uniform(0.05, 0.95, grid.values.shape).round(3)
    if rng.random() < 0.5:
        rows = [[*row, other[divmod(k, len(grid.systems))]] for k, row in enumerate(grid.long())]
        text = _shuffled(rng, [_pick(rng, _TOPICS), _pick(rng, _SYSTEMS), *names], rows)
    else:
        second = replace(grid, values=other).long()
        rows = [[*row, name] for name, part in zip(names, (grid.long(), second), strict=True) for row in part]
        text = _shuffled(rng, [_pick(rng, _TOPICS), _pick(rng, _SYSTEMS), "value", "metric"], rows)
    return grid.meant("measures", text, measure=names[0])


def _several(rng: Rng, names: tuple[str, ...], shape: str) -> Meant:
    """Several scores of a system on a topic, some of which may be empty."""
    grid = Grid.of(rng)
    measure, _ = _direction(rng, grid.values)
    noise = rng.uniform(-0.04, 0.04, (3, *grid.values.shape)).round(4)
    every = (grid.values + noise).round(6)
    if shape == "facets" and rng.random() < 0.3:
        every[int(rng.integers(3)), 0, 0] = np.nan
    rows = [
        [
            grid.topics[t],
            grid.systems[s],
            "" if np.isnan(every[r, t, s]) else float(every[r, t, s]),
            f"l{r}" if shape == "facets" else r,
        ]
        for t, s in np.ndindex(*grid.values.shape)
        for r in range(3)
    ]
    # With a level missing, a cell has no mean over all levels.
    values = every.mean(axis=0)
    text = _shuffled(rng, [_pick(rng, _TOPICS[:8]), _pick(rng, _SYSTEMS), measure, _pick(rng, names)], rows)
    return grid.meant(shape, text, -values if measure in _LOWER else values)


def _critical_difference(rng: Rng) -> Meant:
    """One score per classifier and data set."""
    grid = Grid.of(rng)
    grid = replace(grid, topics=[f"set {t}" for t in grid.topics])
    name = _pick(rng, (*_SYSTEMS, "kind"))
    text = _shuffled(
        rng, [_pick(rng, ("dataset", "dataset_name", "data_set")), name, "accuracy"], grid.long()
    )
    return grid.meant("critical difference", text)


def _board(rng: Rng) -> tuple[Grid, list[str], list[list[Any]]]:
    grid = Grid.of(rng)
    sets = [f"part {'abcdefghijkl'[t]}{t}" for t in range(len(grid.topics))]
    rows = [[name, *column] for name, column in zip(grid.systems, grid.values.T.tolist(), strict=True)]
    return grid, [_pick(rng, _SYSTEMS), *sets], rows


def _boards(rng: Rng) -> Meant:
    """Systems as rows, beside what tells of them."""
    grid, head, rows = _board(rng)
    m = len(grid.systems)
    beside = {
        "RTFx": rng.uniform(50, 900, m).round(1),
        "params_b": rng.integers(1, 70, m),
        "votes": rng.integers(100, 9000, m),
        "vote_count": rng.integers(100, 9000, m),
        "Average": grid.values.mean(axis=0).round(3),
        "win_rate_avg": rng.uniform(0.1, 0.9, m).round(3),
        "mean of all": grid.values.mean(axis=0).round(5),
        "oddly": rng.uniform(500, 900, m).round(1),
        "time_training_seconds": rng.uniform(5, 90, m).round(1),
        "avg_tokens": rng.integers(200, 900, m),
        "price": rng.uniform(0.1, 0.9, m).round(2),
        "speed": rng.uniform(0.1, 0.9, m).round(2),
        "lower": rng.uniform(0.1, 0.4, m).round(3),
        "upper": rng.uniform(0.6, 0.9, m).round(3),
        "rating_q025": rng.uniform(0.1, 0.4, m).round(3),
        "#": np.arange(1, m + 1),
        "Rank": np.arange(1, m + 1),
        f"{head[1]}_std": rng.uniform(0.01, 0.2, m).round(3),
        f"{head[2]} total": rng.integers(20, 90, m),
        "License": np.array(["mit", "apache", "cc"])[rng.integers(3, size=m)],
    }
    for name in rng.choice(list(beside), int(rng.integers(0, 4)), replace=False).tolist():
        at = int(rng.integers(0 if name in ("#", "Rank") else 1, len(head) + 1))
        head.insert(at, name)
        for row, cell in zip(rows, beside[name].tolist(), strict=True):
            row.insert(at, cell)
    return grid.meant("board", _lines(head, rows))


def _rising(rng: Rng) -> Meant:
    """A board of errors, whose columns say so."""
    grid, head, rows = _board(rng)
    return grid.meant("rising", _lines([head[0], *(f"{name} WER" for name in head[1:])], rows), -grid.values)


def _nothing(rng: Rng) -> Meant:
    """What holds no scores of systems on topics: resamples, bounds, metrics of one system, costs."""
    grid = Grid.of(rng, words=True)
    n, kind = len(grid.topics), int(rng.integers(6))
    numbers = rng.uniform(0.1, 0.9, (n, int(rng.integers(3, 31)))).round(3)
    counted = [_pick(rng, ("", "", "fold", "resample_", "bootstrap_", "seed")) + "{}"] * numbers.shape[1]
    columns = [name.format(k) for k, name in enumerate(counted)]
    many = [
        [f"{name} {t}", *row] for t, (name, row) in enumerate(zip(grid.topics, numbers.tolist(), strict=True))
    ]
    tables: list[tuple[list[str], list[list[Any]]]] = [
        ([_pick(rng, ("dataset", "topic", "Resamples:", "folds:")), *columns], many),
        ([_pick(rng, _SYSTEMS), *columns], many),
        (
            [
                _pick(rng, ("dataset", "qid", "question")),
                "accuracy",
                _pick(rng, ("time_training_seconds", "duration")),
            ],
            [[name, *row] for name, row in zip(grid.topics, numbers[:, :2].tolist(), strict=True)],
        ),
        (
            ["model", "score", "lower", "upper", _pick(rng, ("votes", "avg_tokens", "CI"))],
            [[f"sys {t}", *numbers[t, :3], 17 * t + 5] for t in range(n)],
        ),
        (
            ["model", "accuracy", "f1", _pick(rng, ("price", "latency", "rouge"))],
            [[f"sys {t}", *numbers[t, :3]] for t in range(n)],
        ),
        (
            ["", "precision", "recall", "f1-score", "support"],
            [[f"class {t}", *numbers[t, :3], 10 + t] for t in range(n)],
        ),
    ]
    return Meant("no scores", _lines(*tables[kind]), None)


def _battles(rng: Rng) -> Meant:
    """Who won, in the ways that arenas write it."""
    names = [str(k) for k in range(3, 6)] if rng.random() < 0.4 else ["ann", "bob", "cy"]
    pairs = [(0, 1), (1, 2), (0, 2)]
    kind = int(rng.integers(7))
    fought: Counter[tuple[str, str, float]] = Counter()
    rows: list[list[Any]] = []

    def held(a: str, b: str, y: float, times: int = 1) -> None:
        first, second = sorted((a, b))
        fought[first, second, y if a == first else 1 - y] += times

    if kind < 2:  # counts, maybe with their totals
        head = ["model_a", "model_b", "wins_a", "wins_b", *(["ties"] if kind else [])]
        total = rng.random() < 0.6
        for a, b in pairs:
            won = rng.integers(1, 30, 3 if kind else 2).tolist()
            rows.append([names[a], names[b], *won, *([sum(won)] if total else [])])
            for y, times in zip((1.0, 0.0, 0.5), won, strict=False):
                held(names[a], names[b], y, times)
        head += [_pick(rng, ("count", "votes", "n_battles"))] if total else []
        return Meant("battles", _lines(head, rows), {}, battles=fought)
    heads = {
        2: ["model_a", "model_b", "winner"],
        3: ["winner", "loser", _pick(rng, ("tie", "is_tie", "draw"))],
        4: ["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie", "winner_tie (bothbad)"],
        5: ["model_a", "model_b", _pick(rng, ("winner", "label", "vote"))],
        6: ["question_id", "model_1", "model_2", "preference"],
    }
    swapped = bool(rng.random() < 0.5)
    truth = ("True", "False") if rng.random() < 0.5 else (1, 0)
    for k in range(int(rng.integers(30, 60))):
        a, b = pairs[int(rng.integers(3))]
        y = float(rng.choice([1.0, 0.0] if kind == 5 else [1.0, 0.0, 0.5]))
        first, second = names[a], names[b]
        if kind == 2:
            cell = {1.0: "model_a", 0.0: "model_b", 0.5: "tie"}[y]
            rows.append([first, second, cell if rng.random() < 0.5 or y == 0.5 else (first if y else second)])
        elif kind == 3:
            rows.append([*((first, second) if y else (second, first)), truth[0] if y == 0.5 else truth[1]])
        elif kind == 4:
            bad = y == 0.5 and rng.random() < 0.5
            rows.append([first, second, int(y == 1), int(y == 0), int(y == 0.5 and not bad), int(bad)])
        elif kind == 5:
            rows.append([first, second, int(1 - y if swapped else y)])
        else:
            rows.append([f"q{k // 3}", first, second, {1.0: "model_1", 0.0: "model_2", 0.5: "tie"}[y]])
        held(first, second, y)
    if kind == 3:
        return Meant("dropped forms", _lines(heads[kind], rows), None)
    return Meant("battles", _lines(heads[kind], rows), {}, battles=fought)


def _text_forms(rng: Rng) -> Meant:
    """A table as Markdown, between other marks, or with marks beside its numbers."""
    grid, form = Grid.of(rng), int(rng.integers(10))
    head, rows = ["topic", *grid.systems], grid.rows()
    if rng.random() < 0.5 and form != 3:
        head, rows = ["topic", "model", "score"], grid.long()
    if form == 0:
        lines = [head, ["---"] * len(head), *rows]
        text = "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
        text = f"# Results\n\nAs measured.\n\n{text}\nSee above.\n" if rng.random() < 0.5 else text
    elif form in (1, 2, 4, 8):
        text = _lines(head, rows, {1: "\t", 2: ";", 4: "|", 8: " "}[form])
    elif form == 3:
        marks = ("{} ± 0.02", "**{}**", "{}*", "{} (0.1)", "{}†")
        rows = [[row[0], *(marks[int(rng.integers(5))].format(one) for one in row[1:])] for row in rows]
        text = _lines(head, rows)
    elif form == 5:
        text = "\ufeff" + _lines(head, rows).replace("\n", "\r\n")
    elif form == 6:
        rows = [[f"{100 * one:.6f}%" if isinstance(one, float) else one for one in row] for row in rows]
        return grid.meant("text forms", _lines(head, rows))
    elif form == 9:  # R's write.table
        quoted = [[f'"{one}"' if isinstance(one, str) else str(one) for one in row] for row in (head, *rows)]
        counted = [[f'"{k}"', *row] if k else row for k, row in enumerate(quoted)]
        text = "".join(f"{' '.join(row)}\n" for row in counted)
    else:
        rows = [[f"−{one}" if isinstance(one, float) else one for one in row] for row in rows]
        return grid.meant("text forms", _lines(head, rows), -grid.values)
    return Meant("dropped forms", text, None) if form in (0, 3, 8, 9) else grid.meant("text forms", text)


def _json(rng: Rng) -> Meant:
    """The shapes of JSON that scripts write."""
    grid = Grid.of(rng, low=7)
    wide = [dict(zip(("topic", *grid.systems), row, strict=True)) for row in grid.rows()]
    key, score = _pick(rng, _SYSTEMS), _pick(rng, ("score", "accuracy", "passed"))
    long = [dict(zip(("topic", key, score), row, strict=True)) for row in grid.long()]
    records = wide if rng.random() < 0.5 else long
    frame = pd.DataFrame(records)
    of = {
        s: {t: float(grid.values[i, j]) for i, t in enumerate(grid.topics)}
        for j, s in enumerate(grid.systems)
    }
    turned = {t: {s: of[s][t] for s in grid.systems} for t in grid.topics}
    scores = {s: [{"id": t, "score": one} for t, one in inner.items()] for s, inner in of.items()}
    documents: list[Any] = [
        records,
        {_pick(rng, ("performances", "data", "results", "rows")): records},
        {"metadata": {"date": "2025-01-01"}, "n": 3, "performances": records},
        json.loads(frame.to_json(orient="table")),
        of,
        [{key: s, "scores": inner} for s, inner in of.items()],
    ]
    dropped: list[Any] = [
        *(json.loads(frame.to_json(orient=way)) for way in ("split", "index", "columns")),
        {s: [of[s][t] for t in grid.topics] for s in grid.systems},
        {"results": of},
        turned,
        scores,
        {s: {t: {"answer": "x", "score": one} for t, one in inner.items()} for s, inner in of.items()},
        [{key: s, "scores": list(inner.values())} for s, inner in of.items()],
    ]
    if rng.random() < 0.2:
        return Meant("dropped forms", json.dumps(dropped[int(rng.integers(len(dropped)))]), None)
    document = documents[int(rng.integers(len(documents)))]
    if document is records and rng.random() < 0.5:
        return grid.meant("json", "".join(json.dumps(one) + "\n" for one in records))
    return grid.meant("json", json.dumps(document), measure="acc")


def _frames(rng: Rng) -> Meant:
    """Data frames, as pandas makes them, and files that it wrote."""
    grid, kind = Grid.of(rng), int(rng.integers(6))
    wide = pd.DataFrame(grid.values, index=grid.topics, columns=grid.systems)
    long = pd.DataFrame(grid.long(), columns=["qid", _pick(rng, _SYSTEMS), "score"])
    if kind == 0:
        return grid.meant("frames", wide)
    if kind == 1:
        return grid.meant(
            "frames",
            wide.rename_axis("topic").reset_index() if rng.random() < 0.5 else wide.rename_axis("qid"),
        )
    if kind == 2:
        return grid.meant("frames", long)
    if kind == 3:
        return grid.meant("frames", long.set_index(list(long.columns[:2])))
    if kind == 4:
        return grid.meant("frames", long.to_csv())
    return grid.meant("frames", wide.rename_axis("topic").reset_index().to_csv())


SHAPES: tuple[Callable[[Rng], Meant], ...] = (
    _wide,
    _ids,
    _beside,
    _summary,
    _sentinel,
    _leading,
    _data_sets,
    _long,
    _long_beside,
    _measures,
    lambda rng: _several(rng, _RUNS, "runs"),
    lambda rng: _several(rng, _FACETS, "facets"),
    _critical_difference,
    _boards,
    _rising,
    _nothing,
    _battles,
    _text_forms,
    _json,
    _frames,
)


def _read(meant: Meant, given: dict[str, Any]) -> Any:
    source = meant.source.encode() if isinstance(meant.source, str) else meant.source
    return read_scores(source, **{"missing": "model", **given})


def _agrees(scores: Any, meant: Meant) -> bool:
    if meant.means is None:
        return False
    if meant.battles is not None:
        if scores.battles is None:
            return False
        held, names = scores.battles, scores.systems
        pairs = zip(held.first.tolist(), held.second.tolist(), held.outcomes.tolist(), strict=True)
        found = Counter(
            (names[a], names[b], y) if names[a] < names[b] else (names[b], names[a], 1 - y)
            for a, b, y in pairs
        )
        return found == meant.battles
    means = dict(zip(scores.systems, np.nanmean(scores.values, axis=0).tolist(), strict=True))
    return (
        scores.battles is None
        and scores.n == meant.topics
        and means.keys() == meant.means.keys()
        and all(abs(means[name] - mean) < 1e-9 for name, mean in meant.means.items())
    )


def offers(message: str) -> list[dict[str, Any]]:
    """What a message offers to paste: each a set of options, which stand beside each other."""
    found: list[dict[str, Any]] = []
    end = -1
    for option in _OPTION.finditer(message):
        if end < 0 or message[end : option.start()] not in (", ", " ", ""):
            found.append({})
        try:
            name, value = option[1], literal_eval(option[2])
        except SyntaxError:  # a name with a bracket
            continue
        if name == "facet":
            value = [*found[-1].get("facet", []), value]
        found[-1][name] = value
        end = option.end()
    return found


@dataclass
class Outcome:
    """What became of a table."""

    became: str
    message: str = ""


def check(meant: Meant, given: dict[str, Any] | None = None, asked: int = 0) -> Outcome:
    """What became of a table: read, asked, refused, or what is wrong."""
    given = given or {}
    try:
        scores = _read(meant, given)
    except InputError as error:
        message = str(error)
    else:
        if _agrees(scores, meant):
            return Outcome("asked" if asked else "read")
        if meant.shape in NAMED and not asked:
            return Outcome("read by names")
        return Outcome("read otherwise in silence" if not asked else "another reading", f"{given}")
    if meant.means is None and not asked:
        return Outcome("refused", message)
    ways = offers(message)
    if meant.measure is not None and any("measure" in way for way in ways):
        ways = [{"measure": meant.measure}]
    last = Outcome("no option that works", message)
    if not asked and not all(_leads(meant, given, way) for way in ways):
        return Outcome("an option leads nowhere", message)
    for way in ways if asked < _MOST_ASKED else ():
        found = check(meant, _with(given, way), asked + 1)
        if found.became == "asked":
            return found
        if found.message == message:
            return Outcome("the same question again", message)
    return last


def _with(given: dict[str, Any], way: dict[str, Any]) -> dict[str, Any]:
    """What is given, and one way beside it."""
    ignored = [*given.get("ignore_columns", []), *way.get("ignore_columns", [])]
    return {**given, **way, **({"ignore_columns": ignored} if ignored else {})}


def _leads(meant: Meant, given: dict[str, Any], way: dict[str, Any], asked: int = 1) -> bool:
    """Whether options lead to a reading, maybe by what is offered next."""
    given = _with(given, way)
    try:
        _read(meant, given)
    except InputError as error:
        further = offers(str(error)) if asked < _MOST_ASKED else []
        return any(_leads(meant, given, one, asked + 1) for one in further)
    return True


def main(
    tables: int,
    seed: int = 1,
    shapes: tuple[Callable[[Rng], Meant], ...] = SHAPES,
    right: tuple[str, ...] = RIGHT,
) -> int:
    """Check random tables; how many were read otherwise, or asked about without an option that works."""
    warnings.simplefilter("ignore")
    rng, counts = np.random.default_rng(seed), Counter[tuple[str, str]]()
    for k in range(tables):
        meant = shapes[k % len(shapes)](rng)
        found = check(meant)
        became = (meant.shape, found.became)
        counts[became] += 1
        if found.became not in right and counts[became] <= 3:
            print(became, found.message, meant.source, sep="\n")
    for (shape, became), number in sorted(counts.items()):
        print(f"{shape:20} {became:28} {number:7,}")
    return sum(number for (_, became), number in counts.items() if became not in right)


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
