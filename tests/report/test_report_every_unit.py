"""Every output of every kind of result names the unit that is sampled, and no other."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank import significance
from truerank._support.tables import Name, Table
from truerank.comparison.gate import Gate
from truerank.comparison.sequential import SequentialGate, sequential_gate
from truerank.readers import read_scores
from truerank.reliability.estimators import ESTIMATORS
from truerank.report import Asked, page
from truerank.report.outputs.junit import junit
from truerank.report.outputs.terminal import Terminal, show
from truerank.report.views import together, view

SYSTEMS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


def scores() -> np.ndarray:
    rng = np.random.default_rng(4)
    noise = rng.normal(0, 0.1, (40, 1)) + rng.normal(0, 0.1, (40, 6))
    return (0.4 + 0.05 * np.arange(6) + noise).clip(0, 1).round(3)


VALUES = scores()


def questions(count: int = 40) -> pd.DataFrame:
    """One row per question, one column per system."""
    index = pd.Index([f"q{t}" for t in range(count)], name="question_id")
    return pd.DataFrame(VALUES[:count], columns=list(SYSTEMS), index=index).reset_index()


def long(by: dict[str, Any], runs: int = 1) -> pd.DataFrame:
    """One row per question, system and run, with further columns."""
    rng = np.random.default_rng(5)
    rows = [
        {"question": f"q{t}", "model": system, "score": float(VALUES[t, s] + rng.normal(0, 0.03))}
        | {name: made(t, run) for name, made in by.items()}
        for t in range(24)
        for s, system in enumerate(SYSTEMS)
        for run in range(runs)
    ]
    return pd.DataFrame(rows)


def data_sets() -> pd.DataFrame:
    """One score of each system on each data set."""
    return questions(12).rename(columns={"question_id": "dataset"})


def battles(voters: bool = False) -> pd.DataFrame:
    """Battles of pairs of systems on prompts."""
    rng, rows = np.random.default_rng(6), []
    for battle in range(1500):
        a, b = rng.choice(6, 2, replace=False)
        won = float(rng.uniform() < 1 / (1 + np.exp((int(b) - int(a)) / 3)))
        rows.append((f"p{battle % 50}", SYSTEMS[a], SYSTEMS[b], won, f"v{battle % 23}"))
    frame = pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome", "voter"])
    return frame if voters else frame.drop(columns="voter")


def judged() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores by people on 20 questions, and by a machine on these and 20 more."""
    machine, rng = questions(), np.random.default_rng(7)
    biased = (machine[list(SYSTEMS)] + [0, 0.2, 0, 0, 0, 0] + rng.normal(0, 0.03, (40, 6))).round(3)
    return questions(20), machine.assign(**biased)


QUICK: dict[str, Any] = {"draws": 200, "resamples": 200, "seed": 1}
PLAN: dict[str, Any] = {"draws": 64, "seed": 1}
IN_SETS: dict[str, Any] = {"dataset": lambda t, run: f"set{t % 4}"}
IN_RUNS: dict[str, Any] = {"run": lambda t, run: run}
IN_PROMPTS: dict[str, Any] = {"prompt": lambda t, run: f"p{run}"}


def with_levels() -> truerank.ScoreMatrix:
    """Scores at three levels of a facet."""
    return read_scores(long(IN_PROMPTS, 3), facet="prompt")


QUESTIONS: dict[str, Callable[[], Any]] = {
    "assess": lambda: truerank.assess(
        questions(), list(ESTIMATORS), baseline="beta", best=2, tried=30, **QUICK
    ),
    "assess data sets": lambda: truerank.assess(read_scores(long(IN_SETS)), ["eb", "res"], **QUICK),
    "assess clusters": lambda: truerank.assess(
        read_scores(long({"doc": lambda t, run: f"d{t // 2}"}), cluster="doc"), ["eb", "res"], **QUICK
    ),
    "assess a machine": lambda: truerank.assess(judged()[0], machine=judged()[1], **QUICK),
    "assess levels": lambda: truerank.assess(with_levels(), generalize_to="topics,prompt", **QUICK),
    "gate of several": lambda: truerank.gate(questions(), "beta", seed=1),
    "gate with gaps": lambda: truerank.gate(
        questions().replace(VALUES[3, 1], None), "beta", missing="common", seed=1
    ),
    "gate with a machine": lambda: truerank.gate(judged()[0], "beta", machine=judged()[1], seed=1),
    "sequential gate at looks": lambda: sequential_gate(questions(), "beta", "gamma", looks=(10, 30, 60)),
    "plan": lambda: truerank.plan(questions(), tau=0.8, width=0.2, winner=0.8, stability=0.8, **PLAN),
    "plan a pair": lambda: truerank.plan(questions(), pair=("alpha", "beta"), margin=0.03, **PLAN),
    "plan with a machine": lambda: truerank.plan(
        judged()[0], machine=judged()[1], machine_topics=400, tau=0.8, **PLAN
    ),
    "plan a budget": lambda: truerank.plan(
        read_scores(long(IN_RUNS, 3)), tau=0.8, cost={"question": 1, "run": 0.05}, budget=80, **PLAN
    ),
    "plan levels": lambda: truerank.plan(with_levels(), generalize_to="topics,prompt", tau=0.8, **PLAN),
    "topics of data sets": lambda: truerank.topics(read_scores(long(IN_SETS))),
    "compare": lambda: truerank.compare(questions(), questions(30)[["question_id", *SYSTEMS]]),
    "significance": lambda: significance.analyze(questions(), "tukey", permutations=200),
}

DATA_SETS: dict[str, Callable[[], Any]] = {
    "assess": lambda: truerank.assess(data_sets(), list(ESTIMATORS), baseline="beta", best=2, **QUICK),
    "assess votes": lambda: truerank.assess(data_sets(), aggregate="borda", **QUICK),
    "gate": lambda: truerank.gate(data_sets(), "beta", "gamma", seed=1),
}

PROMPTS: dict[str, Callable[[], Any]] = {
    "assess": lambda: truerank.assess(battles(), baseline="beta", best=2, **QUICK),
    "assess by voters": lambda: truerank.assess(battles(voters=True), scale="elo", **QUICK),
    "gate": lambda: truerank.gate(battles(), "beta", "gamma", seed=1),
    "plan": lambda: truerank.plan(battles(), tau=0.8, **PLAN),
}

SEVERAL: dict[str, Callable[[Any], Any]] = {
    "assess": lambda one: truerank.assess(one, "eb", **QUICK),
    "significance": significance.analyze,
}

TYPED = re.compile(
    r"truerank topics|--[\w-]+[ =]topics\b|--\w+-topics|topics,\w+|tab:topics[\w-]*|'topic'|\"topics?\""
    r"|\w*\\?_topics?\b|\btopics?_\w+|topics\.\w+|Topic Set Size|Per-Topic Variance|TREC topics?"
)
"""What is no word of a sentence: options, keys, titles of publications, and figures for TREC collections."""


def of_table(table: Table) -> Iterator[str]:
    """Its words: not names from the data, and not the keys of files."""
    yield from (table.caption, table.note)
    for column, *cells in zip(table.columns, *table.rows, strict=True):
        yield from (column.heading, column.meaning)
        if not isinstance(column.kind, Name) and not table.files_only:
            yield from map(column.kind.text, cells)


def of_page(markup: str) -> Iterator[str]:
    """Its text, and the titles inside its charts."""
    yield from re.findall(r'"(?:title|text|description)": ?"((?:[^"\\]|\\.)*)"', markup)
    bare = re.sub(r"<(script|style|svg|pre|code).*?</\1>", " ", markup, flags=re.DOTALL)
    yield html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", bare)))


def of_json(document: Any) -> Iterator[str]:
    """What notes and warnings say."""
    for one in document if isinstance(document, list) else [document]:
        yield from (note["text"] for note in one.get("notes", ()))
        yield from one.get("warnings", ())


def terminal(result: Any, asked: Asked) -> str:
    out = io.StringIO()
    show([view(result, asked)], all_rows=True, details=True, out=Terminal(out))
    return out.getvalue()


def words(result: Any) -> Iterator[str]:
    """All that is said of a result, output by output."""
    asked = Asked()
    seen = view(result, asked)
    yield from (result.summary(), terminal(result, asked), result.to_latex(), result.to_markdown())
    yield from of_page(page(result, asked))
    yield from (seen.title, seen.subject, seen.unit, seen.outside, seen.sentence, seen.how, *seen.facts)
    yield from (text for table in seen.tables for text in of_table(table))
    yield from (f"{figure.subject} {figure.caption} {figure.note}" for figure in seen.figures)
    yield from of_json(result.to_dict())
    if isinstance(result, (Gate, SequentialGate)):
        yield junit(result)


def topics_in(texts: Iterable[str]) -> list[str]:
    some = (TYPED.sub("", text) for text in texts if "topic" in text.lower())
    found = (re.findall(r".{0,60}\btopics?\b.{0,60}", text, re.I) for text in some)
    return sorted({one for several in found for one in several})


@pytest.mark.parametrize("name", QUESTIONS)
def test_results_over_questions_name_no_topic(name):
    result = QUESTIONS[name]()
    texts = list(words(result))
    assert topics_in(texts) == []
    assert any("question" in text for text in texts)
    said = " ".join(result.summary().split())  # blanks between words, before brackets, and nowhere else
    assert re.findall(r".{,20}(?:[a-z]\(\d|[( ][.,;:)] |\.\.).{,20}", said) == []


@pytest.mark.parametrize("name", DATA_SETS)
def test_results_over_data_sets_name_no_topic(name):
    assert topics_in(words(DATA_SETS[name]())) == []


@pytest.mark.parametrize("name", PROMPTS)
def test_results_over_prompts_name_no_topic(name):
    assert topics_in(words(PROMPTS[name]())) == []


@pytest.mark.parametrize("name", SEVERAL)
def test_what_several_results_share_names_the_unit(name):
    table = read_scores(questions())
    joint = together([SEVERAL[name](replace(table, measure=measure)) for measure in ("F1", "EM")])
    assert joint is not None
    texts = [joint.title, *joint.text, *(text for table in joint.tables for text in of_table(table))]
    assert topics_in(texts) == []


def test_names_from_the_data_keep_their_topics():
    named = questions().assign(question_id=[f"topic {t}" for t in range(40)])
    result = truerank.gate(named.rename(columns={"alpha": "hot topics"}), "hot topics", "beta", seed=1)
    assert "hot topics" in result.summary()
    assert next(loss.topic for loss in result.overall[0].losses).startswith("topic ")
    assert "topic " in result.to_html()
