"""The page of a comparison: its numbers, names out of a nightmare, and the places of its crossings."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

from truerank.comparison import Comparison, compare
from truerank.report.shown import page as page_of
from truerank.report.view import Asked
from truerank.report.views import view
from truerank.report.views.comparison import place_of
from truerank.scores import ScoreMatrix

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script>",
    '"><script>alert(2)</script>',
    "' onmouseover='alert(3)' x='",
    "{{ 7*7 }} ${7*7} {% raw %}",
    "control \x00\x1b[31m \u202e",
    "long " + "x" * 300,
)


def made(m: int, n: int = 30, names: Any = None) -> ScoreMatrix:
    rng = np.random.default_rng(m)
    values = rng.beta(2, 4, (n, 1)) * np.linspace(0.9, 0.5, m) + rng.normal(0, 0.1, (n, m))
    return ScoreMatrix.build(values, systems=names, measure="<u>AP</u>" if names else "AP")


def compared(m: int, names: Any = None, noise: float = 0.05) -> Comparison:
    reference = made(m, names=names)
    other = reference.means + np.random.default_rng(0).normal(0, noise, m)
    return compare(reference, dict(zip(reference.systems, other, strict=True)), resamples=200)


class Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.names: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names += [name for name, _ in attrs]
        self.ids += [str(value) for name, value in attrs if name == "id"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_answer_comes_first_and_the_numbers_are_there() -> None:
    result = compared(8)
    page = Reader(page_of([result], Asked(command="truerank compare a.csv b.csv --seed 3")))
    answer, heading = result.summary().splitlines()[0], view(result).tables[0].caption
    assert page.text.index(answer) < page.text.index(heading)
    for text in (
        f"{result.tau:.3f}".replace("-", "−"),
        f"{result.distance.distance:.2f}",
        "truerank compare a.csv b.csv --seed 3",
        "10.1145/1571941.1572017",
        result.reference.fingerprint()[:16],
        *(swap.other_above for swap in result.swaps),
    ):
        assert text in page.text
    assert len(page.ids) == len(set(page.ids))


def test_the_answer_counts_the_discordant_pairs_that_differ_significantly() -> None:
    result = compared(12)
    means, values, scores = result.reference.means, result.values, result.reference.values
    pairs = [(i, j) for i in range(12) for j in range(12) if means[i] > means[j] and values[i] < values[j]]
    tests = [ttest_rel(scores[:, i], scores[:, j]) for i, j in pairs]
    significant, strongest = sum(one.pvalue < 0.05 for one in tests), max(one.statistic for one in tests)
    answer = " ".join(view(result).answer)
    assert f"{len(pairs)} of 66 pairs of systems are in the other order" in answer
    assert f"; {significant or 'none'} of them" in answer
    assert f"(t = {strongest:.2f})" in answer
    left, right = place_of(result)
    assert left == (1 + np.argsort(np.argsort(-means))).tolist()
    assert right == (1 + np.argsort(np.argsort(-values))).tolist()


def test_ties_in_the_other_ranking_do_not_cross() -> None:
    reference = made(5)
    result = compare(reference, [1.0] * 5, resamples=50)
    left, right = place_of(result)
    assert left == right


def test_in_a_browser_nothing_is_wide_and_tables_sort(opened: Any) -> None:
    html = page_of([compared(len(HOSTILE), HOSTILE), compared(len(HOSTILE), HOSTILE)])
    page = opened(html, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    heading = page.locator("#coefficients-table thead th", has_text="RBO").first
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") is not None
