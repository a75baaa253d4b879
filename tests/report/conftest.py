"""Assessments that the tests of the report share, and a browser where there is one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from report_samples import HOSTILE, quick, scores

from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.results import Assessment
from truerank.report import page_html


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
    return page_html(plain, command="truerank assess scores.csv --baseline sys4")


@pytest.fixture(scope="session")
def hostile_page(hostile: Assessment) -> str:
    """The page of the hostile assessment, hostile in its command and with a truth."""
    truth = {name: 1 / rank for rank, name in enumerate(HOSTILE, start=1)}
    return page_html(hostile, command=f"truerank assess {' '.join(HOSTILE)}", truth=truth)


@pytest.fixture(scope="session")
def many_page(many: Assessment) -> str:
    """The page of 129 systems."""
    return page_html(many, command="truerank assess scores.csv")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    options = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync"
    )
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=options.split())
        yield chromium
        chromium.close()


Opened = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Any) -> Iterator[Opened]:
    """Opens HTML in the browser; afterwards nothing may have been complained of or asked for."""
    contexts, trouble = [], []

    def open_page(html: str, width: int = 1200, height: int = 900, **options: Any) -> Any:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        expected.append(path.as_uri())
        return page

    requests: list[str] = []
    expected: list[str] = []  # the page itself, and nothing else
    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
    assert set(requests) == set(expected)
