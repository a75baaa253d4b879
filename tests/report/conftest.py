"""Assessments that the tests of the report share."""

from __future__ import annotations

import pytest
from report_samples import COMMAND, HOSTILE, quick, scores

from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.results import Assessment
from truerank.report import Asked, page


@pytest.fixture(scope="session")
def plain() -> Assessment:
    """Eight systems, every estimator, a baseline in the middle."""
    table = scores(8)
    return quick(table, *ESTIMATORS, baseline=table.systems[3])


@pytest.fixture(scope="session")
def hostile() -> Assessment:
    """Ten systems and a measure with names out of a nightmare."""
    table = scores(len(HOSTILE), names=HOSTILE, measure="<u>AP</u>&\"'")
    return quick(table, baseline=HOSTILE[0])


@pytest.fixture(scope="session")
def many() -> Assessment:
    """129 systems, as many as the largest TREC task."""
    table = scores(129, topics=50)
    return quick(table, baseline=table.systems[60])


@pytest.fixture(scope="session")
def plain_page(plain: Assessment) -> str:
    """The page of the plain assessment."""
    return page(plain, Asked(COMMAND))


@pytest.fixture(scope="session")
def hostile_page(hostile: Assessment) -> str:
    """The page of the hostile assessment, hostile in its command and with a truth."""
    truth = {name: 1 / rank for rank, name in enumerate(HOSTILE, start=1)}
    return page(hostile, Asked(f"truerank assess {' '.join(HOSTILE)}", truth))


@pytest.fixture(scope="session")
def many_page(many: Assessment) -> str:
    """The page of 129 systems."""
    return page(many, Asked("truerank assess scores.csv"))
