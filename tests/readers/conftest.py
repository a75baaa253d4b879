from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., str]


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
