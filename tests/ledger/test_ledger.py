"""Every statement with a probability has an entry in the ledger, and every entry was measured."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from validation.ledger.entries import Entry, entries, measured
from validation.ledger.page import PAGE, page

ROOT = Path(__file__).parents[2]

PROBABLE = re.compile(
    r"(^|_)(low|high)$|^p($|_)|probab|verdict|letters|^best$|needed|chance|power$|tied|may_be|significant|better_than"
)
"""Keys of JSON that say something with a probability."""

CERTAIN = {
    "Settings.best": "what was asked for",
    "Sequential.range_low": "of scores",
    "Sequential.range_high": "of scores",
    "Significance.discriminative_power": "a share of this table's pairs",
    "ErrorRateBin.significant": "a share of this table's pairs",
}
"""Keys that sound like it and are not."""


def _keys() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for file in (ROOT / "docs" / "json").glob("*.schema.json"):
        for title, record in json.loads(file.read_text(encoding="utf-8"))["$defs"].items():
            found.setdefault(title, set()).update(record.get("properties", {}))
    return found


def test_every_key_with_a_probability_has_an_entry() -> None:
    said = {place for entry in entries().values() for place in entry.says}
    keys = {f"{title}.{key}" for title, record in _keys().items() for key in record if PROBABLE.search(key)}
    assert sorted(keys - said - CERTAIN.keys()) == []


def test_every_place_of_an_entry_exists() -> None:
    keys = {f"{title}.{key}" for title, record in _keys().items() for key in record}
    assert sorted({place for entry in entries().values() for place in entry.says} - keys) == []


@pytest.mark.parametrize(("name", "entry"), entries().items())
def test_every_entry_was_measured(name: str, entry: Entry) -> None:
    if entry.study:
        assert find_spec(f"validation.{entry.study}") or find_spec(f"validation.studies.{entry.study}")
        assert (ROOT / entry.page).is_file()
        return
    cells = measured()[name]
    assert cells, "measure it: python -m validation ledger"
    count = sum(cell.collections for cell in cells)
    off = sum(entry.off(cell) * cell.collections for cell in cells) / count
    error = sum((c.error * c.collections) ** 2 for c in cells if c.collections > 1) ** 0.5 / count
    assert abs(off) <= (0.02 if entry.level == "a value" else 0.05) + 2 * error
    if any(abs(entry.off(cell)) > 0.1 + 2 * cell.error for cell in cells):
        assert entry.fails, "say when it does not hold"


def test_no_measure_without_an_entry() -> None:
    assert measured().keys() == entries().keys()


def test_the_page_shows_what_was_measured() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
