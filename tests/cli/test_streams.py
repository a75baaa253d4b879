"""Standard streams that are closed or full: one line and the right exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("streams") / "table.csv"
    path.write_text("topic,a,b,c\n1,0.5,0.25,0.1\n2,0.1,0.3,0.2\n3,0.3,0.4,0.1\n")
    return path


def shell(command: str, table: Path) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a command, in which T is truerank and F the table."""
    defined = f"T() {{ '{sys.executable}' -m truerank \"$@\"; }}; F='{table}'; {command}"
    return subprocess.run(["sh", "-c", defined], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("T assess $F <&- >&- 2>&-", 0, ""),
        ("T --version >/dev/full", 2, "standard output: cannot be written (No space left on device); make"),
        ("{ T gate $F --baseline b --candidate c; echo $? >$F.code; } | true; exit $(cat $F.code)", 4, ""),
    ],
)
def test_streams_that_take_nothing(table: Path, command: str, code: int, said: str) -> None:
    done = shell(command, table)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(f"truerank: {said}" if said else "")
    assert done.stderr.count("\n") == bool(said)
