"""What all tests share: hypothesis without deadlines, and the data folder beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("truerank", deadline=None, derandomize=True)
settings.load_profile("truerank")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real TREC data; the test is skipped where it is missing."""
    if not DATA.is_dir():
        pytest.skip("no data folder beside the project")
    return DATA
