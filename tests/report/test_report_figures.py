from __future__ import annotations

import re
import struct
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from report_samples import ranking_chart

from truerank.report import render
from truerank.report.charts.forest import Panel, forest, number_axis, rank_axis
from truerank.report.charts.style import COLUMN, finished, mark

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def written(plain, tmp_path_factory):
    return plain.to_figures(tmp_path_factory.mktemp("report") / "figures")


def test_every_figure_comes_as_svg_pdf_and_png(written):
    assert [path.name for path in written] == [f"ranking.{kind}" for kind in ("svg", "pdf", "png")]
    assert sorted(path.name for path in written[0].parent.glob("[!.]*")) == sorted(p.name for p in written)
    for path in written:
        data = path.read_bytes()
        if path.suffix == ".svg":
            root = ElementTree.fromstring(data)
            assert root.get("width").endswith("pt")  # so that it comes out as wide as the column
            width, height = (float(root.get(side).removesuffix("pt")) for side in ("width", "height"))
            assert width <= COLUMN.width + 0.01
            assert height <= 660
        elif path.suffix == ".png":
            assert data.startswith(b"\x89PNG\r\n\x1a\n")
            pixels = struct.unpack(">II", data[16:24])
            # The PNG of a figure is its SVG at 4 pixels a point, rounded up to whole pixels.
            assert pixels[0] == pytest.approx(render.PNG_SCALE * width, abs=render.PNG_SCALE)
            assert pixels[1] == pytest.approx(render.PNG_SCALE * height, abs=render.PNG_SCALE)
            # It says so itself, in pixels a metre: put into a text it is as wide as the column.
            across, down, unit = struct.unpack(">IIB", data[data.index(b"pHYs") + 4 :][:9])
            assert (across, down) == (pytest.approx(72 * render.PNG_SCALE / 0.0254, abs=1),) * 2
            assert unit == 1
        else:
            assert data.startswith(b"%PDF-")


@pytest.mark.parametrize("count", [2, 12, 129, 1000])
def test_rows_fit_and_names_never_touch(count):
    panel = Panel("score", [(i, i - 1, i + 1) for i in range(count)])
    (drawn,) = forest([f"system{i}" for i in range(count)], range(1, count + 1), [panel], COLUMN)["hconcat"]
    assert drawn["height"] <= COLUMN.height + 1e-9
    (names,) = (layer for layer in drawn["layer"] if layer["encoding"].get("text", {}).get("field") == "name")
    rows = [record["row"] for record in names["data"]["values"]]
    pitch = drawn["height"] / count  # the next written name is a font's height away
    assert all((b - a) * pitch >= names["mark"]["fontSize"] - 1e-9 for a, b in pairwise(rows))


def ticks(x, room):
    """What is written along an axis of that width: place and text."""
    chart = mark("point", [{"v": 1}], x=x)
    root = ElementTree.fromstring(render.svg(finished({**chart, "width": room}, COLUMN)))
    (labels,) = (g for g in root.iter(f"{SVG}g") if "role-axis-label" in g.get("class", ""))
    return [
        (float(re.match(r"translate\(([-.\d]+)", text.get("transform"))[1]), text.text)
        for text in labels
        if text.get("opacity") != "0"
    ]


@pytest.mark.parametrize("count", [3, 47, 500])
@pytest.mark.parametrize("room", [45, 130, 600])
def test_an_axis_of_ranks_starts_at_one_and_has_three_ticks_that_keep_apart(count, room):
    found = ticks(rank_axis("v", "rank", [1, count], room, COLUMN), room)
    assert found[0][1] == "1"
    assert len(found) >= 3
    assert all(b - a > COLUMN.text(f"{one}{other}") / 2 for (a, one), (b, other) in pairwise(found))


@pytest.mark.parametrize(("low", "high"), [(-0.3, 0.13), (0.5, 0.5), (0.001, 0.0023)])
@pytest.mark.parametrize("room", [50, 130, 600])
def test_numbers_along_an_axis_hold_the_data_and_keep_apart(low, high, room):
    found = ticks(number_axis("v", "score", [low, high, float("nan")], room, COLUMN), room)
    values = [float(text.replace("−", "-")) for _, text in found]
    assert len(values) >= (2 if room < 100 else 3)
    step = values[1] - values[0]
    assert values[0] - step < low + 1e-9
    assert values[-1] + step > high - 1e-9
    assert all(b - a > COLUMN.text(f"{one}{other}") / 2 for (a, one), (b, other) in pairwise(found))


def test_dots_sit_on_their_grid_lines_and_nothing_hides_these(plain):
    root = ElementTree.fromstring(render.svg(ranking_chart(plain, COLUMN)))
    places = {}
    for kind in ("role-axis-grid", "mark-symbol"):
        groups = [g for g in root.iter(f"{SVG}g") if kind in g.get("class", "") and len(g)]
        places[kind] = [
            float(re.match(r"translate\(([-.\d]+)", mark.get("transform"))[1]) for mark in groups[-1]
        ]
    assert len(places["mark-symbol"]) == plain.scores.m
    for line in places["role-axis-grid"]:  # at some of the ranks, each of which has a dot
        assert min(abs(line - dot) for dot in places["mark-symbol"]) < 0.01
    rects = [mark for g in root.iter(f"{SVG}g") if "mark-rect" in g.get("class", "") for mark in g]
    for rect in rects:
        assert rect.get("fill", "transparent") == "transparent" or float(rect.get("opacity", 1)) < 0.3
