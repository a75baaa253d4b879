"""Words that people search for: the page has them, its commands run, and the site's search finds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_site import site  # noqa: F401
from written import text_of

from truerank.cli import run
from truerank.cli.demo import demo_scores
from truerank.readers import write_scores
from validation.site import Reader, search

PAGE = text_of("known-words.md")
TITLE = "The word that you searched for"

SEARCHED = (
    "mcnemar",
    "wilcoxon",
    "t-test",
    "permutation test",
    "bonferroni",
    "friedman",
    "nemenyi",
    "critical difference diagram",
    "anova",
    "tukey",
    "minimum detectable effect",
    "power analysis",
    "sample size",
    "bootstrap",
    "error bars",
    "standard error",
    "elo",
    "bradley-terry",
    "pass@k",
    "non-inferiority",
    "effect size",
    "cohen's d",
    "spearman",
    "cronbach",
    "inter-annotator agreement",
    "peeking",
    "early stopping",
    "micro average",
    "decimal comma",
    "how many queries",
)

PAGES = {
    "confidence interval of a rank": "Rank ranges",
    "kendall tau": "Coefficients",
    "pareto": "Trade-offs",
}
"""What people type, and the page that must be among the first three."""


@pytest.mark.parametrize(
    "options",
    [*re.findall(r"`truerank significance scores\.csv( [^`]*)?`", PAGE), "--test f", "--test tukey"],
)
def test_its_commands_run(options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scores = demo_scores(1)[0]
    write_scores(
        type(scores).build(scores.values[:, :4], systems=scores.systems[:4]), tmp_path / "scores.csv"
    )
    assert run(["significance", "scores.csv", *options.split(), "--quiet"]) == 0


def test_the_first_answer_is_right(site: Path, browser) -> None:  # noqa: F811
    page = Reader(browser, site.as_uri(), viewport={"width": 1280, "height": 900}).open("index.html")
    wrong = {word: found[:2] for word in SEARCHED if (found := search(page, word))[:1] != [TITLE]}
    for word, title in PAGES.items():
        found = [one for one in search(page, word) if one][:3]
        if not any(one.startswith(title) for one in found):
            wrong[word] = found
    assert not wrong
