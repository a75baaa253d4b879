"""What a notebook shows: pictures without a network, and whole small tables."""

from __future__ import annotations

import numpy as np
import pytest

import truerank

pytest.importorskip("altair")


def assessed(m: int, baseline: str | None = None) -> truerank.Assessment:
    rng = np.random.default_rng(2)
    values = rng.beta(2, 4, (30, m)) + np.linspace(0, 0.2, m)
    scores = truerank.ScoreMatrix.build(values, systems=[f"s{j}" for j in range(m)])
    return truerank.assess(scores, ["eb"], draws=200, seed=1, baseline=baseline)


def test_a_plot_is_shown_as_a_picture_that_fetches_nothing() -> None:
    shown = assessed(4).plot()._repr_mimebundle_(include=None, exclude=None)
    assert list(shown) == ["image/svg+xml"]
    assert shown["image/svg+xml"].lstrip().startswith("<svg")
    assert "<script" not in shown["image/svg+xml"]


@pytest.mark.parametrize(("systems", "rows"), [(10, 10), (12, 12), (14, 14), (15, 10)])
def test_a_table_is_cut_only_where_that_saves_room(systems: int, rows: int) -> None:
    page = assessed(systems)._repr_html_()
    assert page.count('<th scope="row"') == rows
    assert ("more rows:" in page) == (rows < systems)


def test_the_differences_from_a_baseline_are_shown() -> None:
    page = assessed(5, "s2")._repr_html_()
    assert page.count("<table") == 2
    assert "Differences from the baseline s2" in page
    assert page.count('<th scope="row"') == 5 + 4
