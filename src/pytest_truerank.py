"""The pytest plug-in: a fixture for gates, and a section with all verdicts at the end of the run.

It stands beside the package: pytest imports every plug-in when it starts, and nothing of truerank is to be
imported before a test uses the fixture.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pytest

if TYPE_CHECKING:
    from truerank.comparison.gate import Gate

_PROPERTY = "truerank"
"""Verdicts travel as properties of the test's reports: from workers to pytest, and into JUnit files."""

_MARKUP: dict[str, dict[str, bool]] = {"FAIL": {"red": True}, "INCONCLUSIVE": {"yellow": True}}


class TruerankGate(Protocol):
    """What the fixture `truerank_gate` gives a test."""

    def __call__(
        self,
        baseline: Any,
        candidate: Any,
        margin: float | Mapping[str, float] = 0.0,
        *,
        undecided: Literal["fail", "pass"] = "fail",
        **options: Any,
    ) -> Gate:
        """Fail the test unless the candidate is better, or not worse by the margin.

        Args:
            baseline: ``{topic: score}``, a series, an array, a frame with a column of scores, or a file with
                the scores of one system.
            candidate: its scores on the same topics, given alike.
            margin: the largest loss that passes, in units of the score; of several measures a mapping.
            undecided: ``pass`` lets the test pass where the topics allow no verdict.
            **options: of :func:`truerank.gate`, such as `level`, `measure` or `missing`; of two files also
                of :func:`truerank.read_scores`, such as `topic_column` or `lower_is_better`.
        """


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for pages."""
    parser.getgroup("truerank").addoption(
        "--truerank-report", metavar="DIR", help="Write a page for each verdict of truerank_gate to DIR."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the folder of pages for workers, too, which may run elsewhere."""
    if config.option.truerank_report is not None:
        config.option.truerank_report = os.path.abspath(config.option.truerank_report)


@pytest.fixture
def truerank_gate(request: pytest.FixtureRequest) -> TruerankGate:
    """Check that a candidate is as good as a baseline: `truerank_gate(baseline, candidate, margin=0.01)`."""
    from truerank.errors import TruerankError

    def decide(*given: Any, undecided: Literal["fail", "pass"] = "fail", **options: Any) -> Gate:
        __tracebackhide__ = True
        named = dict(zip(("baseline", "candidate", "margin"), given, strict=False))
        both = {"baseline", "candidate"} <= {*named, *options}
        if len(given) > 3 or named.keys() & options.keys() or not both:
            pytest.fail(
                "truerank_gate takes the scores of two systems: truerank_gate(baseline, candidate, "
                "margin=…). For two systems of one table: truerank_gate(table['A'], table['B'])"
            )
        options = {**named, **options}
        baseline, candidate = options.pop("baseline"), options.pop("candidate")
        margin = options.pop("margin", 0.0)
        if undecided not in ("fail", "pass"):
            pytest.fail(f"undecided must be 'fail' or 'pass', not {undecided!r}")
        try:
            found = _gate(baseline, candidate, margin, options)
            page = _write_page(request, found)
        except TruerankError as error:
            raise pytest.fail.Exception(str(error)) from None
        lines = found.summary().splitlines()
        warnings = [line for line in lines[2:] if line.startswith("! ")]
        request.node.user_properties.append((_PROPERTY, "\n".join([*lines[:2], *warnings, *page])))
        if not (found.passed or (found.verdict == "undecided" and undecided == "pass")):
            pytest.fail("\n".join(lines))
        return found

    return decide


def _gate(
    baseline: Any, candidate: Any, margin: float | Mapping[str, float], options: dict[str, Any]
) -> Gate:
    """The gate on the scores of two systems, or on two files."""
    import truerank

    files = [isinstance(one, (str, os.PathLike)) for one in (baseline, candidate)]
    if all(files):
        from truerank.readers.options import NAMES

        of_gate = inspect.signature(truerank.gate).parameters
        read = {name: options.pop(name) for name in {*options} & {*NAMES} if name not in of_gate}
        scores: Any = [os.fspath(baseline), os.fspath(candidate)]
        if read:
            read |= {name: options.pop(name) for name in {*options} & {"measure", "missing", "covariates"}}
            scores = truerank.read_scores(scores, **read)
        return truerank.gate(scores, margin=margin, **options)
    if any(files):
        raise truerank.InputError(
            "give baseline and candidate alike: two files, or the scores of both. "
            "For two systems of one table: truerank_gate(table['A'], table['B'])"
        )
    return truerank.gate(baseline, candidate, margin=margin, **options)


def _write_page(request: pytest.FixtureRequest, found: Gate) -> list[str]:
    """Write the page of a verdict where one is wanted; the line that names it."""
    folder = request.config.option.truerank_report
    if folder is None:
        return []
    from truerank._support.files import safe_name
    from truerank._support.outputs import write_folder

    earlier = sum(name == _PROPERTY for name, _ in request.node.user_properties)
    name = safe_name(re.sub(r"[/\\:]+", "-", request.node.nodeid) + (f"-{earlier + 1}" if earlier else ""))
    page = found.to_html()
    assert page is not None
    [path] = write_folder(folder, {f"{name}.html": page}, overwrite=True)
    return [f"Page: {os.path.relpath(path, Path.cwd())}"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print all verdicts, of all workers, in the order of their tests."""
    verdicts = sorted(_verdicts(terminalreporter))
    if not verdicts:
        return
    terminalreporter.section("truerank")
    for test, told in verdicts:
        verdict, *more = told.splitlines()
        markup = next((how for word, how in _MARKUP.items() if verdict.startswith(word)), {"green": True})
        terminalreporter.write_line(f"{test}")
        terminalreporter.write_line(f"  {verdict}", **markup)
        for line in more:
            terminalreporter.write_line(f"  {line}")


def _verdicts(terminalreporter: pytest.TerminalReporter) -> Iterator[tuple[str, str]]:
    """Each test with each of its verdicts, of its last attempt; the last report of a test has them all."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    of_test = {report.nodeid: report for report in reports if getattr(report, "when", None) == "teardown"}
    for test, report in of_test.items():
        yield from ((test, str(told)) for name, told in report.user_properties if name == _PROPERTY)
