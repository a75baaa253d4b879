"""Names of any characters: in every figure and page, in a process of its own, for vl-convert can end it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from truerank._support.escaping import JOINER, printable, printable_lines
from truerank._support.wording import shortened
from truerank.report import render
from truerank.report.lettering import LONGEST

NONCHARACTERS = [plane | last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)]
CLASSES = {
    "controls": [*range(0x20), *range(0x7F, 0xA0)],
    "noncharacters": [*range(0xFDD0, 0xFDF0), *NONCHARACTERS],
    "directions": [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "unseen": [0xAD, 0x200B, 0x200C, 0x200D, 0x2028, 0x2029, 0x2060, 0xFE0F, 0xFEFF, 0xFFF9, 0xFFFD, 0xE0001],
    "astral": [*range(0x1F600, 0x1F650), *range(0x10000, 0x110000, 9973)],
    "marks": [*range(0x300, 0x340), 0x0E31, 0x1100, 0xAC00, 0x3042, 0xE000],
}

FIGURES = """
import json, sys
import altair, numpy, pandas, truerank
from truerank.report import Asked, page, render

folder, names = sys.argv[1], [name.encode("ascii").decode("unicode_escape") for name in json.load(sys.stdin)]
rng = numpy.random.default_rng(1)
m = len(names)
values = numpy.clip(rng.beta(2, 4, (20, 1)) * numpy.linspace(1, 0.5, m) + rng.normal(0, 0.1, (20, m)), 0, 1)
topics = [f"{place} {name}" for place, name in zip(range(20), names)]
scores = truerank.scores.ScoreMatrix.build(values, topics, names, names[0])
results = {
    "assess": truerank.assess(scores, ["eb"], baseline=names[0], draws=100),
    "compare": truerank.compare(scores, dict(zip(names, rng.random(m))), resamples=20),
    "gate": truerank.gate(scores, names[0], names[1:3]),
    "significance": truerank.significance.analyze(scores, baseline=names[0]),
}
results["assess"].to_figures(folder)
frame = pandas.DataFrame([(x, x * y, n, names[0]) for y, n in enumerate(names) for x in (1, 2)])
frame.columns = ["x", "y", "system", names[0]]
drawn = altair.Chart(frame).mark_text().encode(x="x:Q", y="y:Q", text="system:N", detail="system:N")
with open(f"{folder}/series.svg", "w", encoding="utf-8") as file:
    file.write(render.svg(drawn))
for name, result in results.items():
    for kind, html in (("", page(result, Asked(" ".join(names)))), ("-notebook", result._repr_html_())):
        with open(f"{folder}/{name}{kind}.html", "w", encoding="utf-8") as file:
            file.write(html)
"""


def unfit(text: str) -> set[str]:
    """What the text has of what neither XML nor HTML may hold, besides line breaks."""
    return {char for char in set(text) - set("\n\t") if printable(char) != char}


@pytest.mark.validation
def test_every_figure_and_page_can_be_made_of_any_names(tmp_path: Path) -> None:
    # Of each class one name with all, longer than any figure has room for, and some that differ in one only.
    names = [f"{kind} {''.join(map(chr, codes))}" for kind, codes in CLASSES.items()]
    names += [f"sys{chr(code)}x" for codes in CLASSES.values() for code in codes[:: len(codes) // 3]]
    given = json.dumps([name.encode("unicode_escape").decode() for name in names])
    done = subprocess.run(
        [sys.executable, "-c", FIGURES, str(tmp_path)],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    kinds = [path.suffix for path in tmp_path.iterdir()]
    assert kinds.count(".html") == 8
    assert kinds.count(".svg") - 1 == kinds.count(".png") == 2
    for path in tmp_path.glob("*.svg"):
        assert not unfit(path.read_text(encoding="utf-8"))
        ElementTree.parse(path)
    for path in tmp_path.glob("*.html"):
        assert not unfit(path.read_text(encoding="utf-8"))
    # Each name is a series of its own, and a row of its own on the page.
    series = {e.text for e in ElementTree.parse(tmp_path / "series.svg").iter(f"{render.SVG}text")}
    # The joiner that keeps names of JavaScript's objects apart is taken out, a name's own one too.
    assert {" ".join(printable_lines(name).replace(JOINER, "").split()) for name in names} <= {
        " ".join((t or "").split()) for t in series
    }
    html = (tmp_path / "assess.html").read_text(encoding="utf-8")
    table = html[html.index('id="ranking-table"') :]
    shown = re.findall(r"<bdi>(.*?)</bdi>", table[: table.index("</table>")])
    assert {unescape(name) for name in shown} >= {shortened(printable(name), LONGEST) for name in names}
    options = re.findall(r"<option>\d+\. (.*?)</option>", html.split("</select>")[0])  # of one of the pair
    assert sorted(map(unescape, options)) == sorted(printable(name) for name in names)


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
