"""What all tests share: no deadlines, the data folder, one command line, schemas of JSON, and a browser."""

from __future__ import annotations

import os
import shutil
import signal
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Workers keep all cores busy: threads of linear algebra would only spin, waiting for one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# In the background (nohup, `&` in a script) Ctrl-C is ignored, and processes started from here inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

EXAMPLES = int(os.environ.get("TRUERANK_EXAMPLES", "25"))
"""Examples of each property: 25 in the suite, 200 in `make validate`. Tests set no number of their own."""

settings.register_profile("truerank", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("truerank")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

NO_DATA = "no data folder beside the project"

PACKAGING = {
    "test_deployment",
    "test_distribution",
    "test_extras",
    "test_lost_clusters",
    "test_notebooks",
    "test_site",
}
"""Files of tests that `make unit` leaves out; with them go all tests that open a browser."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make packaging` runs, and put it first: one process then shares what it builds."""
    for item in items:
        if item.path.stem in PACKAGING or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("packaging")
    items.sort(key=lambda item: item.get_closest_marker("packaging") is None)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real TREC data; the test is skipped where it is missing."""
    if not DATA.is_dir():
        pytest.skip(NO_DATA)
    return DATA


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was skipped for want of the data folder, in one line."""
    skipped = terminalreporter.stats.get("skipped", [])
    names = {report.nodeid.partition("[")[0] for report in skipped if NO_DATA in str(report.longrepr)}
    if names:
        terminalreporter.write_line(
            f"without {DATA.parent.name}/{DATA.name} beside the project {len(names)} tests are skipped: "
            + ", ".join(sorted(names))
        )


@pytest.fixture(scope="session", autouse=True)
def kernels_once(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[None]:
    """The kernels of `eb` are computed once for all workers: 0.3 s for each number of degrees of freedom."""
    import numpy as np

    eb = import_module("truerank.reliability.estimators.eb")
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "kernels"
    folder.mkdir(exist_ok=True)

    @cache
    def kernels(degrees: float) -> tuple[Any, ...]:
        path = folder / f"{degrees!r}.npy"
        if not path.exists():
            np.save(own := folder / f"{os.getpid()}.npy", made(degrees))
            own.replace(path)
        return tuple(np.load(path))

    made = kernels.__wrapped__ = eb.kernels.__wrapped__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(eb, "kernels", kernels)
        yield


def _hold_alike(one: Any, other: Any, place: str) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key, value in one.items():
            _hold_alike(value, other[key], f"{place}.{key}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), place
        for number, (value, against) in enumerate(zip(one, other, strict=True)):
            _hold_alike(value, against, f"{place}.{number}")
    elif hasattr(one, "dtype"):
        _hold_alike(one.tolist(), other.tolist(), place)
    elif isinstance(one, float) and isinstance(other, float):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True), place
    else:
        assert one == other, place


@pytest.fixture
def hold_alike() -> Callable[[Any, Any], None]:
    """Hold one document against another: numbers to nine digits, everything else as it is."""

    def hold(one: Any, other: Any) -> None:
        _hold_alike(one, other, "")

    return hold


Limited = Callable[[int, Callable[[], str]], str]


@pytest.fixture
def limited() -> Limited:
    """Do work in a child process that may take a number of seconds of processor time, and return its text."""
    resource = pytest.importorskip("resource", reason="limits of processor time are POSIX's")

    def run(seconds: int, work: Callable[[], str]) -> str:
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            code = 1
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
                os.write(writer, work().encode()[:4000])
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            text = pipe.read().decode(errors="replace")
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended == 0, f"ended with {ended}; -9 and -24 are more than {seconds} s of processor time"
        return text

    return run


@pytest.fixture
def chosen_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the test of whether topics were chosen at random, for trials in which they were.

    It gives a warning and moves no number, and of a small trial it is nine tenths of the work.
    """
    monkeypatch.setattr("truerank.reliability.machine_judge.unlike_the_rest", lambda *_, **__: None)


@cache
def _validator(name: str) -> Any:
    """Of the JSON of a command."""
    import jsonschema

    from scripts.json_schemas import schema_of

    return jsonschema.Draft202012Validator(schema_of(name))


def _thinned(value: Any) -> Any:
    """Long lists and arrays by their first items and their last; those of a fixed length have at most 21."""
    if isinstance(value, dict):
        return {key: _thinned(item) for key, item in value.items()}
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0):
        return [_thinned(item) for item in (value if len(value) < 22 else [*value[:4], value[-1]])]
    return value


def check_json(command: str, document: Any) -> None:
    """Hold what a command writes against its published schema."""
    from jsonschema.exceptions import best_match

    from truerank._support.plain import plain, versioned

    lists = plain(versioned(_thinned(document)))  # large tables are still arrays when they are written
    wrong = best_match(_validator(command.replace(" ", "-")).iter_errors(lists))
    assert wrong is None, f"truerank {command} --json: {wrong.json_path}: {wrong.message}"


@pytest.fixture(scope="session", autouse=True)
def all_json_has_its_schema() -> Iterator[None]:
    """Whatever any test has the command line write as JSON is as the published schemas say."""
    if find_spec("jsonschema") is None:
        yield
        return
    from truerank import cli
    from truerank.cli.command import Command
    from truerank.cli.files import add_json

    invoke, given = Command.run, [""]
    schemas = {path.stem for path in (Path(cli.__path__[0]) / "schemas").glob("*.json")}

    def noted(command: Any, words: Any) -> Any:
        name = command.name.replace(" ", "-")
        names = (name, name.partition("-")[0], "assess")  # of a demo
        given[0] = next(one for one in names if one in schemas)
        return invoke(command, words)

    def checked(outputs: Any, document: Any, target: str) -> None:
        add_json(outputs, document, target)
        check_json(given[0], document)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Command, "run", noted)
        for module in vars(cli).values():
            if getattr(module, "add_json", None) is add_json:
                patch.setattr(module, "add_json", checked)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium, one for all tests of a process, for Playwright cannot be started twice.

    The test is skipped where there is none.
    """
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no Chromium on this machine (none of {', '.join(names)})")
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
