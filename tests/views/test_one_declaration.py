"""One declaration, all outputs: a result of a new kind."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import truerank
from truerank._support.display import Shown
from truerank._support.notes import Note
from truerank._support.plain import plain
from truerank._support.tables import Bounded, Column, Count, Name, Table
from truerank.report import Figure, Section, View, register
from truerank.report.outputs.terminal import show
from truerank.report.views import view


@dataclass(frozen=True)
class Weather:
    """A day.

    Attributes:
        place: where.
        warmth: in degrees.
        low: lower end of its interval.
        high: upper end.
        days: how many were counted.
    """

    place: Annotated[str, Column("Place", Name())]
    warmth: Annotated[float, Column("Warmth", Bounded(low="low", high="high", digits=1, sign=True))]
    low: float
    high: float
    days: Annotated[int, Column("Days", Count())]


@dataclass(frozen=True)
class Forecast(Shown):
    """A result of a kind that nobody knows."""

    days: tuple[Weather, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready data."""
        found: dict[str, Any] = plain({"days": self.days})
        return found


def _forecast(forecast: Forecast, asked: Any) -> View:
    import altair as alt

    table = Table.of("days", "The days", Weather, forecast.days, note="Warmth with its interval.")
    chart = alt.Chart(alt.InlineData(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")
    figure = Figure("days", "A point.", lambda size: chart)
    section = Section("days", "Days", figures=[figure], tables=[table])
    notes = [Note("rain", {"text": "it may rain"})]
    return View("forecast", "The weather", "two days", ["It is warm."], [section], notes=notes)


def test_a_new_kind_of_result_has_all_outputs(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With a view and nothing else."""
    register(Forecast, _forecast)
    forecast = Forecast((Weather("<b>_1", 21.25, 18.0, 24.5, 1200), Weather("R&D", -3.0, -5.5, 0.5, 7)))
    show([view(forecast)])
    terminal = capsys.readouterr().out
    assert "It is warm." in terminal
    assert "+21.2 (+18.0 to +24.5)" in terminal
    assert "! It may rain." in terminal
    assert "1,200" in terminal
    page = forecast.to_html()
    assert page is not None
    assert "&lt;b&gt;_1" in page
    assert "<b>_1" not in page
    assert r"R\&D & $-$3.0 [$-$5.5, +0.5] & 7 \\" in str(forecast.to_latex())
    assert r"| \<b\>\_1 | +21.2 (+18.0 to +24.5) | 1,200 |" in str(forecast.to_markdown())
    assert forecast.to_frame("days")["high"].tolist() == [24.5, 0.5]
    assert forecast.to_csv(tmp_path / "csv")[0].read_text() == (
        "place,warmth,low,high,days\n<b>_1,21.25,18.0,24.5,1200\nR&D,-3.0,-5.5,0.5,7\n"
    )
    assert {path.suffix for path in forecast.to_figures(tmp_path / "figures")} == {".svg", ".pdf", ".png"}
    assert "It is warm." in forecast.summary()
    assert "&lt;b&gt;_1" in forecast._repr_html_()
    assert json.loads(json.dumps(forecast.to_dict()))["days"][1]["place"] == "R&D"
    with pytest.raises(truerank.UnknownNameError, match="days"):
        forecast.to_frame("nights")
