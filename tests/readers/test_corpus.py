"""Files that a reader once failed on, found by `make fuzz` or by hand: read, or refused in one line."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fuzz.mutations import mutate  # noqa: E402
from fuzz.target import (  # noqa: E402
    CORPUS,
    FIXTURES,
    MEASURES,
    MISSING,
    check,
    check_documents,
    file_formats,
    run_formats,
)


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_what_failed_once(path):
    for form in file_formats():
        for measure in MEASURES:
            check(path, measure, "model", form)
    for form in run_formats():
        check_documents(path, form)


@pytest.mark.filterwarnings("ignore")
def test_spoilt_fixtures(tmp_path):
    """The fuzzer's first inputs, whose seed is fixed."""
    files = [path for path in sorted(FIXTURES.glob("*/**/*")) if path.is_file()]
    originals = [path.read_bytes() for path in files]
    random = Random(1)
    read = 0
    for place in [*range(len(files))] * 8:
        path = tmp_path / f"x{files[place].suffix}"
        path.write_bytes(mutate(originals[place], originals, random))
        read += check(path, random.choice(MEASURES), random.choice(MISSING), None)
    assert 0 < read < 8 * len(files)
