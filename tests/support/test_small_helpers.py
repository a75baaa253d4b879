"""The small functions that every output uses: wording, escaping, arguments, references, limits."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from truerank._support import escaping, resources, wording
from truerank._support.arguments import check_whole, doing, either, setting, speaking_of_options
from truerank._support.files import input_limit, parse_size
from truerank._support.imports import Extra, missing
from truerank._support.plain import unmarked
from truerank._support.references import reference
from truerank._support.resources import need_memory
from truerank._support.seeds import seed_of
from truerank._support.tables import Confidence
from truerank.errors import InputError


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (wording.plural("topic"), "topics"),
        (wording.plural("data set"), "data sets"),
        (wording.plural("family of data sets"), "families of data sets"),
        (wording.plural("topic per data set"), "topics per data set"),
        (wording.impractical(), "more than a million topics: this is not practical"),
        (wording.topics_text(1234), "1,200"),
        (wording.topics_text(math.inf), "more than a million"),
        (wording.some(["a", "b", "c"], most=2), "a, b, c"),
        (wording.some(["a", "b", "c", "d"], most=2), "a, b and 2 more"),
        (wording.listed(["a", "b", "c"], most=2), "a, b and c"),
        (wording.p_equation(0.01234), "p = .012"),
        (wording.p_equation(1e-9), "p < .001"),
        (wording.number(-0.5), "−0.500"),
        (wording.number(0.25, 1, sign=True), "+0.2"),
        (wording.number(math.nan), "–"),
        (wording.rough(0.1234), "0.12"),
        (wording.rough(5.06), "5.1"),
        (wording.rough(48.3), "48"),
        (wording.percent(0.953), "95%"),
        (wording.percent(0.5, 1), "50.0%"),
        (wording.percent(0.0002, 1), "<0.1%"),
        (wording.percent(0.9999), ">99%"),
        (wording.percent(0.0, 1), "0%"),
        (wording.percent(1.0), "100%"),
        (wording.share(0.4073), "40.7%"),
        (wording.share(0.0), "<0.1%"),
        (wording.share(0.9999), ">99.9%"),
        (wording.share(None), "–"),
        (wording.span(0.281, 0.422), "0.281 to 0.422"),
        (wording.span(0.98, 0.981, 2), "0.98"),
        (wording.span(-0.1, 0.2, 1, sign=True), "−0.1 to +0.2"),
        (wording.counts(12, 1200), "12 to 1,200"),
        (wording.counts(12, 12), "12"),
        (wording.counts(30, math.inf), "30 to ∞"),
        (wording.ranks(1, 10), "1 to 10"),
        (wording.ranks(3, 3), "3"),
        (wording.ranks(None, None), "–"),
        (wording.shortened("splade-large", most=7), "spl…rge"),
        (wording.shortened("splade", most=7), "splade"),
        (wording.listed(["a", "b", "c"]), "a, b and c"),
        (wording.listed(["a", "b", "c", "d"], most=2), "a, b and 2 more"),
        (wording.listed([]), "none"),
        (wording.sentence("only 4 topics"), "Only 4 topics."),
        (wording.sentence("log.json: cut short"), "log.json: cut short."),
        (wording.sentence("bm25 leads."), "bm25 leads."),
        (Confidence().text(0.99996), ">99.9%"),
        (Confidence().text(0.5), "50.0%"),
        (Confidence().text(0.00001), "below 50%"),
        (escaping.printable("two\nlines\x1b\uffff"), r"two\nlines\x1b\uffff"),
        (escaping.terminal("a\x1b[31m\u202eb"), r"a\x1b[31m\u202eb"),
        (escaping.html("<b> & 'c'"), "&lt;b&gt; &amp; &#x27;c&#x27;"),
        (escaping.markdown("a_b|<i>"), r"a\_b\|\<i\>"),
        (escaping.latex("a_b & 50% ~ τ"), r"a\_b \& 50\% \textasciitilde{} $\tau$"),
        (escaping.csv_cell("=1+1"), "'=1+1"),
        (escaping.csv_cell("＝1"), "'＝1"),
        (escaping.csv_cell("bm25"), "bm25"),
        (escaping.csv_cell(-0.5), -0.5),
        (escaping.vega_key("bm25"), "bm25"),
        (escaping.vega_key("constructor"), "\u2060constructor"),
        (unmarked("of the :attr:`curve` where\n    ``none`` is `res`"), 'of the curve where "none" is res'),
        (missing(Extra("none", "nothing", ("json",))), ""),
        (
            missing(Extra("ghosts", "ghosts", ("json", "no_such_one", "nor_this"))),
            "ghosts need no-such-one and nor-this: pip install 'truerank[ghosts]'",
        ),
        (parse_size("1.5 GB"), 3 << 29),
        (reference("yilmaz-2008").byline, "Emine Yilmaz, Javed A. Aslam and Stephen Robertson"),
        (reference("arampatzis-2001").short, "Arampatzis and van Hameren 2001"),
        (reference("yilmaz-2008").short, "Yilmaz and others 2008"),
        (reference("kendall-1938").where, "Biometrika 30(1/2), pp. 81–93"),
        (
            reference("wand-jones-1995").text,
            "Matt P. Wand and M. Chris Jones (1995). Kernel Smoothing. Chapman & Hall.",
        ),
    ],
)
def test_words(said: Any, expected: Any) -> None:
    assert said == expected


def test_a_bibtex_entry() -> None:
    assert reference("kendall-1938").entry == "\n".join(
        [
            "@article{kendall-1938,",
            "  author  = {Maurice G. Kendall},",
            "  title   = {A New Measure of Rank Correlation},",
            "  journal = {Biometrika},",
            "  volume  = {30},",
            "  number  = {1/2},",
            "  pages   = {81--93},",
            "  year    = {1938},",
            "  doi     = {10.1093/biomet/30.1-2.81}",
            "}",
        ]
    )


def test_arguments_are_named_as_their_reader_types_them() -> None:
    assert either("call evaluate", "give --qrels") == "call evaluate"
    assert (setting("missing", "common"), setting("measure")) == ("missing='common'", "measure=…")
    assert doing("assess") == "truerank.assess"
    with speaking_of_options():
        assert (setting("missing", "common"), setting("measure")) == ("--missing common", "-m")
        assert doing("fit_simulator", "simulate fit") == "truerank simulate fit"
        with speaking_of_options(format=lambda value: f"truerank import {value or 'FORMAT'}"):
            found = setting("format", "helm"), setting("format")
            assert found == ("truerank import helm", "truerank import FORMAT")
    check_whole("draws", 100, 2)
    check_whole("draws", None, 2)
    with pytest.raises(InputError, match="takes a number of at least 2"):
        check_whole("draws", 1, 2)


def test_a_thread_words_its_messages_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a server with threads; but the threads that share a job word them as the job does."""
    monkeypatch.setattr(resources, "_starts_threads", lambda: True)
    monkeypatch.setattr(resources, "processors", lambda: 2)
    found: list[str] = ["", ""]

    def name(part: int) -> None:
        found[part] = setting("missing", "zero")

    with speaking_of_options():
        resources.in_threads(name, range(2))
        with ThreadPoolExecutor(1) as another:
            assert another.submit(setting, "missing", "zero").result() == "missing='zero'"
    assert found == ["--missing zero"] * 2


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUERANK_MAX_INPUT", raising=False)
    assert input_limit() == parse_size("1G")
    with pytest.raises(InputError, match=r"it needs 1,000,000,000\.0 GB of memory, .*; use less"):
        need_memory(1e18, "it", "use less")


def test_seeds_of_tasks() -> None:
    assert seed_of(1, "fit") == seed_of(1, "fit") != seed_of(2, "fit")
    assert json.dumps(seed_of(1, "fit"))  # a plain whole number, fit for JSON
