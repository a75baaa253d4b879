"""Sentences of results stand in report/words/*.j2: each block compiles, and is said by some view."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import StrictUndefined
from jinja2.exceptions import UndefinedError

from truerank._support import words
from truerank.report import views
from truerank.report.words import Words

SOURCE = "".join(path.read_text(encoding="utf-8") for path in Path(str(views.__file__)).parent.glob("*.py"))
FILES = sorted(path.stem for path in words.FOLDER.glob("*.j2") if path.stem != "notes")


@pytest.mark.parametrize("file", FILES)
def test_each_block_is_said_and_lacks_no_filter(file: str) -> None:
    blocks = words.blocks(f"{file}.j2")
    assert [name for name in blocks if not re.search(rf"['\" ]{name}['\" ]", SOURCE)] == []
    with pytest.raises(UndefinedError):
        Words("gate")("measured")  # adds the filters of the report
    for name in blocks:
        words.environment().from_string(words.source(f"{file}.j2", name))


def test_a_missing_fact_is_an_error() -> None:
    assert words.environment().undefined is StrictUndefined
    with pytest.raises(UndefinedError):
        Words("gate")("measured")
