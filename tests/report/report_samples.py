"""Made-up scores and quick assessments for the tests of the report, and names out of a nightmare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import truerank
from truerank.reliability.results import Assessment
from truerank.report.charts.style import COLUMN, Size
from truerank.report.views import view
from truerank.scores import ScoreMatrix

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script>",
    '"><script>alert(2)</script>',
    "' onmouseover='alert(3)' x='",
    "{{ 7*7 }} ${7*7} {% raw %}",
    "&lt;b&gt; &amp; & ]]> -->",
    "\\u003cb\\u003e \\' \\\"",
    "control \x00\x1b[31m \u2028 \u202e right to left",
    "τ_AP ü 漢字 🙂",
    "long " + "x" * 300,
)
"""Names that must come out as text, whatever they meet."""

COMMAND = "truerank assess scores.csv --baseline sys4"


def scores(
    systems: int,
    topics: int = 30,
    names: Sequence[str] | None = None,
    measure: str = "nDCG@20",
    noise: float = 0.1,
) -> ScoreMatrix:
    """Made-up scores: hard topics are hard for all, systems fall off evenly."""
    rng = np.random.default_rng(systems * 1000 + topics)
    means = rng.beta(2, 4, (topics, 1)) * np.linspace(0.9, 0.4, systems)
    values = np.clip(means + rng.normal(0, noise, (topics, systems)), 0, 1)
    return ScoreMatrix.build(values, systems=names, measure=measure)


def quick(table: ScoreMatrix, *estimators: str, **options: Any) -> Assessment:
    """An assessment with few draws: pages do not get better by many."""
    return truerank.assess(table, estimators or ["eb", "sh-w"], draws=500, resamples=200, **options)


def ranking_chart(result: Assessment, size: Size = COLUMN) -> Any:
    """The picture of the ranking, of all systems."""
    return view(result).figure("ranking").draw(size)
