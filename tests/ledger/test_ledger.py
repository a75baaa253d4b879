"""Every statement with a probability has an entry in the ledger, and every entry was measured."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from validation.ledger import outputs
from validation.ledger.entries import Entry, entries, measured, warned
from validation.ledger.page import PAGE, page

MEASURED_IN = ("validation", "validation.studies")
"""Packages of what measures what the ledger does not."""

CERTAIN = {
    "MeanScore.topics_needed": "a closed form of the width of an interval, for scores that vary as these do",
    "TradeOffRow.mean_low": "as in the ranking",
    "TradeOffRow.mean_high": "as in the ranking",
    "Settings.best": "what was asked for",
    "Sequential.range_low": "of scores",
    "Sequential.range_high": "of scores",
    "Topics.against_by_chance": "what a permutation gives",
    "Topics.carried_by_chance": "what a permutation gives",
    "Significance.discriminative_power": "a share of this table's pairs",
    "RankedSystem.win_rate": "a share of battles",
}
"""Keys that sound like a statement with a probability and are not."""

WARNINGS = [
    "adaptive_board",
    "close_call_follows",
    "close_systems",
    "empty_cells__cells",
    "few_battles",
    "few_judged",
    "few_levels",
    "few_prompts",
    "few_resamples__permutations",
    "first_place_unsure",
    "identical__pairs",
    "missing_topics__not_at_random",
    "more_systems__dependence",
    "no_prompts",
    "ranges_apart",
    "repeated_looks__plan",
    "runs_as_topics",
    "runs_independent__tested",
    "skewed",
    "skewed_biases",
    "skewed_follows",
    "topic_order__trend",
    "unseen_losses__constant_follows",
    "verdict_contradicts",
]
"""Codes of notes that warn."""

SILENT = {
    "names of options, modules, tests and headings": (
        "__init__ cli.options cli.plan comparison.__init__ "
        "comparison.significance.significance_test report.outputs.terminal report.views.__init__ "
        "experiments.paper report.views.plan "
        "report.views.gate comparison.sequential.rules.without_range "
        "reliability.topics._by_chance report.words.topics.how"
    ),
    "the p-value of a published test, compared with SciPy's": ("report.words.notes.friedman"),
    "how intervals and shares are made": ("report.words.assessment.arena"),
    "warnings that statements hold less often, and what was measured of that": (
        " ".join(f"report.words.notes.{code}" for code in WARNINGS)
    ),
    "which truth is meant, how scores are read, and how the model is like the table": (
        "cli.simulate._likeness report.words.notes.plan_assumes__model reliability.pair.comparing.pair_scores"
    ),
}
"""Functions whose words sound like a statement with a probability, and why they make none."""


def _said() -> set[str]:
    return {place for entry in entries().values() for place in entry.says}


def _built() -> set[str]:
    return {name for entry in entries().values() for name in entry.built}


def test_every_key_and_column_with_a_probability_has_an_entry() -> None:
    keys = {
        f"{title}.{key}"
        for title, record in outputs.keys().items()
        for key in record
        if outputs.KEYS.search(key)
    }
    assert sorted((keys | outputs.columns()) - _said() - CERTAIN.keys()) == []


def test_every_place_of_an_entry_exists() -> None:
    keys = {f"{title}.{key}" for title, record in outputs.keys().items() for key in record}
    assert sorted(_said() - keys - outputs.columns()) == []


def test_every_function_that_speaks_of_a_probability_has_an_entry() -> None:
    silent = {name for names in SILENT.values() for name in names.split()}
    builders = outputs.builders()
    assert sorted(_built() ^ (builders - silent)) == []
    assert silent <= builders


@pytest.mark.parametrize(("name", "entry"), entries().items())
def test_every_entry_was_measured(name: str, entry: Entry) -> None:
    if entry.page:
        assert not entry.study or any(find_spec(f"{folder}.{entry.study}") for folder in MEASURED_IN)
        assert (outputs.ROOT / entry.page).is_file()
        return
    cells = measured()[name]
    assert cells, "measure it: python -m validation ledger"
    assert entry.missed(cells) == bool(entry.short), "say why it is missed on average"
    for cell in cells:
        if abs(entry.off(cell)) > 0.1 + 2 * entry.error(cell):
            assert entry.fails, "say when it does not hold"
            assert warned(entry, cell) > 0.5 or cell.population in entry.unwarned, f"most must warn: {cell}"
    off = {cell.population for cell in cells if abs(entry.off(cell)) > 0.1 + 2 * entry.error(cell)}
    assert {*entry.unwarned} <= off


def test_no_measure_without_an_entry() -> None:
    assert measured().keys() == entries().keys()


def test_the_page_shows_what_was_measured() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
