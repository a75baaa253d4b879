"""What all tests share: hypothesis without deadlines, and the data folder beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("truerank", deadline=None, derandomize=True)
settings.load_profile("truerank")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

NO_DATA = "no data folder beside the project"


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
