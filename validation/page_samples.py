"""Made-up results of every kind and size, as pages: what tests, validation and screenshots look at."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import truerank
from truerank.readers import with_machine
from truerank.scores import ScoreMatrix

COMMAND = "truerank assess /home/someone/scores.csv --html page.html"

LONG = [
    *(
        f"sentence-transformers/all-{kind}-base-v{v}"
        for kind in ("mpnet", "MiniLM", "distilroberta")
        for v in (1, 2)
    ),
    "intfloat/e5-mistral-7b-instruct+BAAI/bge-reranker-v2-m3",
    "W" * 120,
    *(f"{'same beginning ' * 9}{end}{' same end' * 9}" for end in ("a", "b", "c")),
    "a name with spaces that goes on and on until the column of a table has no room left for anything else",
]
"""Names that are too long for any column, and some that differ only in the middle."""

HOSTILE = [
    "<script>alert(1)</script>",
    '"onload="alert(2)',
    "<img src=x onerror=alert(3)>",
    "' onmouseover='alert(4)' x='",
    "&lt;b&gt; &amp; ]]> -->",
    'id="title" href="#ranking"',
    "{{ 7*7 }} ${7*7}",
    "control \x01\x1b[31m",
]
"""Names that must come out as text."""

RIGHT_TO_LEFT = [
    "نظام الاسترجاع",
    "מערכת אחזור",
    "bm25",
    "نظام-2 (dense)",
    "מנוע v2",
    "سیستم بازیابی اطلاعات",
]
"""Arabic, Hebrew and Persian names among Latin ones."""

SIZES = (3, 5, 12, 47, 129, 500)


def scores(
    systems: int, topics: int = 50, names: Sequence[str] | None = None, measure: str = "nDCG@20"
) -> ScoreMatrix:
    """Made-up scores: hard topics are hard for all, systems fall off evenly, some at the top hardly."""
    rng = np.random.default_rng(systems)
    means = rng.beta(2, 4, (topics, 1)) * np.linspace(0.95, 0.3, systems)
    values = np.clip(means + rng.normal(0, 0.1, (topics, systems)), 0, 1)
    return ScoreMatrix.build(values, systems=names, measure=measure)


@cache
def assessed(systems: int, names: tuple[str, ...] | None = None, measure: str = "nDCG@20") -> Any:
    """A quick assessment, with a baseline where there are more than two systems."""
    table = scores(systems, names=names, measure=measure)
    options: dict[str, Any] = {"baseline": table.systems[systems // 2]} if systems > 2 else {}
    return truerank.assess(table, ["eb", "ml", "sh-w"], draws=500, resamples=200, seed=1, **options)


def page(results: Any) -> str:
    """The page of a result, or of several by different measures."""
    from truerank.report import Asked
    from truerank.report import page as made

    return made(results, Asked(COMMAND))


def data_sets() -> Any:
    """A leaderboard of eight data sets, with a hole."""
    table = scores(14, 240)
    values = table.values.copy()
    values[:30, 3] = np.nan
    names = [f"a data set with a long name {k}" if k % 2 else f"set{k}" for k in range(8)]
    board = ScoreMatrix.build(values, measure="nDCG@10", holes=True, data_sets=np.repeat(names, 30).tolist())
    return truerank.assess(board, ["eb"], draws=500, seed=1)


def gate_at_any_time() -> Any:
    """Two candidates that are looked at after every topic."""
    from truerank.comparison.sequential import sequential_gate

    rng = np.random.default_rng(2)
    old = rng.beta(2, 3, (60, 1))
    new = (old + rng.normal([0.1, 0.0], 0.1, (60, 2))).clip(0, 1)
    return sequential_gate(np.hstack([old, new]), "sys1", margin=0.05, range=(0, 1))


def gate() -> Any:
    """A verdict, with a long name."""
    table = scores(3, names=[LONG[0], "bm25", LONG[1]])
    return truerank.gate(table, "bm25", margin=0.02, seed=1)


def comparison() -> Any:
    """Two rankings compared with reference scores."""
    reference = scores(20, names=[*LONG, *(f"system {i}" for i in range(20 - len(LONG)))])
    rng = np.random.default_rng(1)
    others = [
        dict(zip(reference.systems, reference.means + rng.normal(0, sd, reference.m), strict=True))
        for sd in (0.02, 0.1)
    ]
    return truerank.compare(reference, *others, resamples=300, seed=1)


def significance() -> Any:
    """Differences between all pairs of twelve systems with long names."""
    return truerank.significance.analyze(scores(12, names=LONG), baseline=LONG[3], seed=1)


@cache
def judged_by_machine() -> ScoreMatrix:
    """Scores of 15 topics by people and of 60 by a machine, which over-scores one of twelve systems."""
    rng = np.random.default_rng(1)
    both = scores(12, 60, names=[*LONG[-6:], *(f"system {i}" for i in range(6))], measure="AP")
    bias = np.zeros(both.m)
    bias[7] = 0.25
    noise = rng.normal(0, 0.05, both.values.shape)
    machine = ScoreMatrix.build(
        np.clip(both.values + bias + noise, 0, 1), both.topics, both.systems, both.measure
    )
    human = ScoreMatrix.build(both.values[:15], both.topics[:15], both.systems, both.measure)
    return with_machine(human, machine)


def machine() -> Any:
    """An assessment with a machine judge beside people."""
    return truerank.assess(judged_by_machine(), ["eb"], draws=500, seed=1)


def plan() -> Any:
    """A plan."""
    return truerank.plan(scores(12), tau=0.9, tau_ap=0.9, stability=0.95, seed=1)


def documents() -> Any:
    """An analysis of documents, with two models."""
    from truerank.cli.demo import write_collection
    from truerank.documents import DocumentAnalyses
    from truerank.documents.analysis import analyze_collection
    from truerank.documents.collection import read_collection
    from truerank.documents.measures import place_measure
    from truerank.documents.models import document_model

    with tempfile.TemporaryDirectory() as folder:
        write_collection(Path(folder))
        collection = read_collection(f"{folder}/qrels.txt", [f"{folder}/runs"])
    measure = place_measure("AP", None)
    analyses = [
        analyze_collection(collection, measure, document_model(name), samples=300, rank_samples=100, seed=1)
        for name in ("shared", "kde")
    ]
    return DocumentAnalyses(tuple(analyses))


@cache
def experiment() -> str:
    """The page of a small experiment, with figures for one column of a paper and for both."""
    from truerank.experiments import run
    from truerank.report import Asked, page

    options = {"trials": "4", "topics": "10,20", "estimators": "ml,msqd,eb", "dependences": "sampled"}
    options |= {"draws": "500", "samples": "500", "coefficients": "tau_ap"}
    with tempfile.TemporaryDirectory() as folder:
        results = run("intervals", "web2010-ap", f"{folder}/results", workers=1, **options)
        return page(results, Asked(command=COMMAND))


RESULTS: dict[str, Callable[[], Any]] = {
    **{f"{count} systems": (lambda count=count: assessed(count)) for count in SIZES},
    "long names": lambda: assessed(len(LONG), tuple(LONG)),
    "hostile names": lambda: assessed(len(HOSTILE), tuple(HOSTILE)),
    "right-to-left names": lambda: assessed(len(RIGHT_TO_LEFT), tuple(RIGHT_TO_LEFT)),
    "two measures": lambda: [assessed(12), assessed(12, measure="AP")],
    "data sets": data_sets,
    "gate": gate,
    "gate at any time": gate_at_any_time,
    "significance": significance,
    "compare": comparison,
    "machine": machine,
    "plan": plan,
    "documents": documents,
}
"""Results of every kind and size, by what they are called."""

KINDS: dict[str, Callable[[], str]] = {
    **{name: (lambda make=make: page(make())) for name, make in RESULTS.items()},
    "experiment": experiment,
}
"""Every kind of page."""
