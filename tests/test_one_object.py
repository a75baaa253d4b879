"""An estimator and a coefficient, each made in one place, are found wherever estimators are shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import unescape

import numpy as np
import pytest

import truerank
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample


def quarter(sample: TopicSample) -> np.ndarray:
    m = sample.values.shape[1]
    return np.triu(np.full((m, m), 0.25), 1)


ESTIMATOR = PairEstimator(
    "quarter",
    "one in four",
    quarter,
    explanation=r"Whatever the scores say & mean, $p_{ij}$ is the same [@yang-2018].",
    formula=r"p_{ij} = \frac{1}{4}",
    references=("yang-2018",),
)

COEFFICIENT = Coefficient(
    "first",
    "first place",
    lambda m: np.where(np.arange(m)[:, None] == 0, 2 / (m - 1), 0.0) * np.ones((m, m)),
    explanation="Only pairs with the best system count [@kendall-1938].",
    formula=r"1 - \frac{2}{m-1} \sum_{j>1} D_{1j}",
    references=("kendall-1938",),
)

THINGS = (ESTIMATOR, COEFFICIENT)


@pytest.fixture
def registered() -> Iterator[None]:
    """Both are registered, each by the one line that it takes."""
    truerank.estimators.register(ESTIMATOR)
    truerank.coefficients.register(COEFFICIENT)
    yield
    del ESTIMATORS._things["quarter"]
    del COEFFICIENTS._things["first"]


@pytest.fixture
def result(registered: None) -> truerank.Assessment:
    scores = np.random.default_rng(3).uniform(size=(12, 5))
    return truerank.assess(scores, ["quarter", "ml"], ["tau", "first"], draws=200, seed=1)


def test_the_json_says_what_they_are(result: truerank.Assessment) -> None:
    found = json.loads(json.dumps(result.to_dict()))["estimators"]["quarter"]
    assert found == {
        "label": ESTIMATOR.label,
        "explanation": ESTIMATOR.explanation,
        "formula": ESTIMATOR.formula,
        "references": ["yang-2018"],
        "learned": {},
    }


def test_the_page_says_what_they_are(result: truerank.Assessment) -> None:
    page = result.to_html()
    for thing in THINGS:
        assert thing.label in unescape(page)
        assert f'id="ref-{thing.references[0]}"' in page
