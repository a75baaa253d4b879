"""Which scores can be tested."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from truerank.errors import InputError, at
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Filled
from truerank.scores import ScoreMatrix


def table_to_test(scores: Any, measure: str | None = None, missing: Filled = "error") -> ScoreMatrix:
    """The scores as one table; of one score for each system and data set, the data sets are its rows."""
    table = as_scores(scores, measure, missing, one_table="", ways=FILLED)
    if table.n == table.k > 1 and not table.weights:
        table = replace(table, topics=table.data_sets, data_sets=(), strata=None, families=())
    return table.one_table("this")


def check_testable(scores: ScoreMatrix) -> None:
    """Raise unless pairs of systems can be tested."""
    if scores.m < 2 or scores.n < 2:
        raise InputError(
            f"{at(scores.source)}{scores.unit.count(scores.n)} and {scores.m} system(s); "
            "testing pairs needs two of each at least"
        )


def check_alpha(alpha: float) -> None:
    """Raise unless α is a level of significance."""
    if not 0 < alpha < 1:
        hint = f"; write {alpha / 100:g} for {alpha:g}%" if 1 <= alpha < 100 else ""
        raise InputError(f"alpha must be between 0 and 1, not {alpha:g}{hint}")
