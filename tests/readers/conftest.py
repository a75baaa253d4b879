from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from truerank.cli import run

Write = Callable[..., str]
Means = Callable[..., dict[str, float]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file into the test's own folder and return its path."""

    def write(name: str, content: str | bytes, compress: bool = False) -> str:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if compress else data)
        return str(path)

    return write


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """The JSON of a command; where it refuses two systems, that of the command which the refusal names."""

    def answered(*words: str) -> dict[str, Any]:
        code = run([*words, "--json", "-", "--quiet"])
        out, err = capsys.readouterr()
        if code != 2 or words[0] == "gate":
            assert code in (0, 1, 4), err
            found = json.loads(out)
            return found[0] if isinstance(found, list) else found  # over all data sets, then each
        assert out == ""
        assert "two systems are a pair, not a ranking" in err
        return answered(*shlex.split(err.partition(": truerank ")[2]))

    return answered
