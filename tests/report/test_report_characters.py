"""Names of any characters: in every figure and page, in a process of its own, for vl-convert can end it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from truerank._support.escaping import printable_lines
from truerank.report import render


def test_names_that_differ_only_in_what_cannot_be_shown_stay_apart() -> None:
    import altair as alt

    names = ["a\x01", "a\x02", "a\uffff", "a\ufffe", "a", "a\\n", "b\nc"]
    data = alt.InlineData([{"x": 1, "name": name} for name in names])
    root = ElementTree.fromstring(render.svg(alt.Chart(data).mark_point().encode(x="x:Q", y="name:N")))
    shown = {" ".join((e.text or "").split()) for e in root.iter(f"{render.SVG}text")}
    assert {" ".join(printable_lines(name).split()) for name in names} <= shown


def test_a_long_name_of_large_characters_is_cut_between_them() -> None:
    import altair as alt

    names = ["🙂" * n + "漢" for n in range(30, 60)]
    axis = alt.Y("name:N", axis=alt.Axis(labelLimit=50))
    text = render.svg(alt.Chart(alt.InlineData([{"name": n} for n in names])).mark_point().encode(axis))
    cut = re.findall(r">(🙂+)…<", text)
    assert len(cut) == len(names)
    assert set(text) & set("🙂漢") == set("🙂漢")
    assert "\u9fff" not in text


@pytest.mark.parametrize(
    "name",
    [r"C:\x00\n", r"\" + datum.x + \"", "'\"`${1}"],
    ids=ascii,
)
def test_titles_are_no_programs(name: str) -> None:
    """Vega-Lite writes titles into the expression that describes a mark."""
    import altair as alt

    x = alt.X("x:Q", title=name)
    chart = alt.Chart(alt.InlineData([{"x": 7}])).mark_point().encode(x)
    root = ElementTree.fromstring(render.svg(chart))
    (mark,) = (e for e in root.iter(f"{render.SVG}path") if e.get("aria-roledescription") == "point")
    said = " ".join(mark.get("aria-label", "").split())
    assert said == f"{' '.join(printable_lines(name).split())}: 7"
