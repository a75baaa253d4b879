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

SIZES = (2, 5, 12, 47, 129, 500)


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


def assessment(systems: int, names: Sequence[str] | None = None) -> str:
    """The page of an assessment."""
    from truerank.report import page_html

    return page_html(assessed(systems, tuple(names) if names else None), command=COMMAND)


def measures() -> str:
    """The page of two measures, with its switch."""
    from truerank.report import page_html

    return page_html([assessed(12), assessed(12, measure="AP")], command=COMMAND)


def data_sets() -> str:
    """The page of a leaderboard of eight data sets, with a hole."""
    from truerank.report import page_html

    table = scores(14, 240)
    values = table.values.copy()
    values[:30, 3] = np.nan
    names = [f"a data set with a long name {k}" if k % 2 else f"set{k}" for k in range(8)]
    board = ScoreMatrix.build(values, measure="nDCG@10", holes=True, data_sets=np.repeat(names, 30).tolist())
    return page_html(truerank.assess(board, ["eb"], draws=500, seed=1), command=COMMAND)


def gate() -> str:
    """The page of a verdict, with a long name."""
    from truerank.report import gate_html

    table = scores(3, names=[LONG[0], "bm25", LONG[1]])
    return gate_html(truerank.gate(table, "bm25", margin=0.02, seed=1), command=COMMAND)


def comparison() -> str:
    """The page of a comparison of two rankings with a baseline."""
    from truerank.comparison import compare_all
    from truerank.report.pages.comparison import comparison_html

    base = scores(20, names=[*LONG, *(f"system {i}" for i in range(20 - len(LONG)))])
    rng = np.random.default_rng(1)
    others = [
        dict(zip(base.systems, base.means + rng.normal(0, sd, base.m), strict=True)) for sd in (0.02, 0.1)
    ]
    return comparison_html(compare_all(base, others, resamples=300, seed=1), command=COMMAND)


@cache
def judged_by_machine() -> ScoreMatrix:
    """Scores of 15 topics by people and of 60 by a machine, which favours one of twelve systems."""
    rng = np.random.default_rng(1)
    both = scores(12, 60, names=[*LONG[-6:], *(f"system {i}" for i in range(6))], measure="AP")
    favoured = np.zeros(both.m)
    favoured[7] = 0.25
    noise = rng.normal(0, 0.05, both.values.shape)
    machine = ScoreMatrix.build(
        np.clip(both.values + favoured + noise, 0, 1), both.topics, both.systems, both.measure
    )
    human = ScoreMatrix.build(both.values[:15], both.topics[:15], both.systems, both.measure)
    return with_machine(human, machine)


def machine() -> str:
    """The page of an assessment with a machine judge beside people."""
    from truerank.report import page_html

    return page_html(truerank.assess(judged_by_machine(), ["eb"], draws=500, seed=1), command=COMMAND)


def machine_alone() -> str:
    """The page of a machine's ranking beside that by people."""
    from truerank import comparison
    from truerank.report.pages.machine_alone import machine_alone_html

    return machine_alone_html(comparison.machine_alone(judged_by_machine(), seed=1), command=COMMAND)


def plan() -> str:
    """The page of a plan."""
    from truerank.report.pages.plan import page_html

    return page_html(truerank.plan(scores(12), tau=0.9, tau_ap=0.9, stability=0.95, seed=1), command=COMMAND)


def documents() -> str:
    """The page of an analysis of documents, with two models."""
    from dataclasses import replace

    from truerank.cli.example import write_collection
    from truerank.documents import (
        DocumentAnalyses,
        analyze_collection,
        decompose,
        document_model,
        place_measure,
        read_collection,
    )
    from truerank.report import Asked, page

    with tempfile.TemporaryDirectory() as folder:
        write_collection(Path(folder), seed=1)
        collection = read_collection(f"{folder}/qrels.txt", [f"{folder}/runs"])
    measure = place_measure("AP", None)
    parts = decompose(collection, measure, samples=100, seed=1)
    analyses = [
        replace(
            analyze_collection(
                collection, measure, document_model(name), samples=300, rank_samples=100, seed=1
            ),
            decomposition=parts,
        )
        for name in ("bst", "kde")
    ]
    return page(DocumentAnalyses(tuple(analyses)), Asked(COMMAND))


@cache
def experiment() -> str:
    """The page of a small experiment, with figures for one column of a paper and for both."""
    from truerank.experiments import run
    from truerank.experiments.engine.execution import summary
    from truerank.experiments.shared.page import page_html

    options = {"trials": "4", "topics": "10,20", "estimators": "ml,msqd,eb", "dependences": "sampled"}
    options |= {"draws": "500", "samples": "500", "coefficients": "tau_ap"}
    with tempfile.TemporaryDirectory() as folder:
        results = run("intervals", "web2010-ap", f"{folder}/results", workers=1, **options)
        return page_html(results, summary(results), command=COMMAND)


KINDS: dict[str, Callable[[], str]] = {
    **{f"{count} systems": (lambda count=count: assessment(count)) for count in SIZES},
    "long names": lambda: assessment(len(LONG), LONG),
    "hostile names": lambda: assessment(len(HOSTILE), HOSTILE),
    "right-to-left names": lambda: assessment(len(RIGHT_TO_LEFT), RIGHT_TO_LEFT),
    "two measures": measures,
    "data sets": data_sets,
    "gate": gate,
    "compare": comparison,
    "machine": machine,
    "machine alone": machine_alone,
    "plan": plan,
    "documents": documents,
    "experiment": experiment,
}
"""Every kind of page, by what it is called."""
