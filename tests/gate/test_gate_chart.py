"""The figure of a gate: its interval is drawn on a scale on which it can be read."""

from __future__ import annotations

import numpy as np
import pytest

import truerank
from truerank.report.charts.plots import topic_differences_chart
from truerank.report.charts.style import COLUMN


def gate(margin: float) -> truerank.Gate:
    """Topics that differ by tenths, and a mean difference known to thousandths."""
    rng = np.random.default_rng(3)
    old = rng.uniform(0.3, 0.6, 400)
    scores = truerank.ScoreMatrix.build(
        np.column_stack([old, old + rng.normal(0.004, 0.1, 400)]), systems=["old", "new"]
    )
    return truerank.gate(scores, baseline="old", candidate="new", margin=margin)


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_interval_zero_and_margin_are_on_the_scale_of_the_interval(margin: float) -> None:
    found = gate(margin)
    one = found.decisions[0]
    above, below = topic_differences_chart(one, COLUMN)["vconcat"]
    (low, high) = next(
        layer["encoding"]["x"]["scale"]["domain"]
        for layer in above["layer"]
        if "scale" in layer["encoding"].get("x", {})
    )
    marks = [one.low, one.high, 0.0, -margin]
    assert (low, high) == (min(marks), max(marks))
    at = {one["at"] for layer in above["layer"] for one in layer["data"]["values"] if "at" in one}
    assert at == {0.0, -margin}
    assert one.high - one.low > 0.4 * (high - low)
    bars = below["layer"][0]["data"]["values"]
    assert max(abs(bar["difference"]) for bar in bars) > 5 * (one.high - one.low)
