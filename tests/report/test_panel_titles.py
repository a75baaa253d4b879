"""Titles of panels: coefficients are drawn as symbols, names of files as they are."""

from __future__ import annotations

import json

import pandas as pd

from truerank.experiments.shared.summaries import by_topics
from truerank.report.charts.style import COLUMN, LOW


def test_a_name_with_an_underscore_is_no_symbol():
    rows = [("adhoc6_ap", "tau_ap", n, "ml", n / 100) for n in (10, 20)]
    table = pd.DataFrame(rows, columns=["data", "coefficient", "topics", "estimator", "error"])
    drawn = json.dumps(by_topics(table, "error", "Error")(COLUMN), ensure_ascii=False)
    assert f'"adhoc6_ap: τ{LOW}AP' in drawn
