from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from markupsafe import escape
from report_samples import COMMAND, HOSTILE, quick, ranking_chart, scores

import truerank.report.outputs.page as page_module
import truerank.report.views.assessment_sections as sections_module
from truerank._support.escaping import printable
from truerank._support.notes import Note
from truerank._support.references import REFERENCES
from truerank.reliability.estimators import ESTIMATORS
from truerank.report import Asked, page, render
from truerank.report.charts.signed import differences_chart
from truerank.report.charts.swaps import heat_image, swap_chart
from truerank.report.render import altair_chart
from truerank.report.shown import view
from truerank.scores import ScoreMatrix


class Reader(HTMLParser):
    """What a browser's parser makes of a page: its tags, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        (self.scripts if self.tags[-1:] == ["script"] and data.strip() else self.texts).append(data)


def data_of(html: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html)[1])[0]


def test_names_from_files_are_text_everywhere(hostile, hostile_page):
    html = hostile_page
    read = Reader(html)
    assert "img" not in read.tags
    assert "u" not in read.tags
    assert read.tags.count("script") == 2
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    text = "\n".join(read.texts)
    for name in HOSTILE:
        assert printable(name) in text
    assert data_of(html)["systems"] == [printable(s.system) for s in hostile.ranking]
    labels = [value for name, value in read.attributes if name == "data-about"]
    assert any(printable(HOSTILE[0]) in label for label in labels)


def test_the_page_allows_only_its_own_script(plain_page):
    html = plain_page
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)[1]
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src &#39;none&#39;" in policy
    assert f"sha256-{digest}" in policy
    assert "innerHTML" not in script
    loaded = re.findall(r'(?:src|srcset|poster|xlink:href)="(?!data:)([^"]*)"', html)
    assert loaded == []
    assert "url(http" not in html
    assert "@import" not in html


def test_sections_come_in_order_and_only_where_they_apply(plain_page):
    sections = re.findall(r'<section id="([^"]+)"', plain_page)
    assert [one for one in sections if one in ("ranking", "baseline", "pairs")] == [
        "ranking",
        "baseline",
        "pairs",
    ]
    assert {"estimators", "warnings", "methods", "citing", "reproduce"} <= {*sections}
    links = re.findall(r'<a href="#([^"]+)"', plain_page.split("<nav")[1].split("</nav>")[0])
    assert links == sections
    html = quick(scores(5), "sh-w").to_html()
    assert 'id="pairs"' not in html
    assert 'id="baseline"' not in html
    assert "Rank range" not in html
    assert data_of(html) == {}


def test_methods_name_only_what_was_used():
    html = quick(scores(5), "ml", coefficients=["tau"]).to_html()
    assert "<dt>ml: maximum likelihood</dt>" in html
    for absent in ("msqd", "mpirical Bayes", "<b>eb</b>", "ernel density", "Yilmaz", "half-Cauchy"):
        assert absent not in html
    assert "shrunk" in html


def test_methods_explain_every_estimator_in_the_order_of_the_assessment(plain, plain_page):
    coefficients, estimators, *_ = re.findall(r'<dl class="estimators">(.*?)</dl>', plain_page, re.DOTALL)
    names = list(dict.fromkeys(e.estimator for e in plain.estimates))
    assert names[0] == "eb"
    terms = re.findall(r"<dt>(.*?)</dt>", estimators)
    assert terms == [f"{name}: {ESTIMATORS[name].label}" for name in names]
    assert re.findall(r"<dt>(.*?)</dt>", coefficients) == ["τ", "τ<sub>AP</sub>"]
    for formula in re.findall(r"<math.*?</math>", plain_page, re.DOTALL):
        ElementTree.fromstring(formula)  # MathML that is well-formed


def test_the_page_says_how_to_repeat_and_cite(plain, plain_page):
    html = plain_page
    assert "truerank assess scores.csv --baseline sys4" in html
    for fact in ("Seed", "Draws", "500", plain.settings.version, plain.scores.fingerprint()[:16]):
        assert fact in html
    shown = {key for e in plain.estimates for key in ESTIMATORS[e.estimator].references}
    assert {"truerank", "urbano-marrero-2016", "bavdaz-2018", "wand-jones-1995"} == shown
    for key in (*shown, "kendall-1938", "yilmaz-2008", "ledoit-wolf-2004"):
        assert str(escape(REFERENCES[key].title)) in html
        assert REFERENCES[key].address in html
    assert "@misc{truerank," in html
    assert "@inproceedings{urbano-marrero-2016," in html


def test_every_link_to_a_reference_has_its_entry_and_every_entry_a_link(plain_page, hostile_page):
    for html in (plain_page, hostile_page):
        links = set(re.findall(r'href="#ref-([^"]+)"', html))
        entries = re.findall(r'id="ref-([^"]+)"', html)
        assert set(entries) == links
        assert len(entries) == len(links)


def test_an_assessment_without_what_estimators_learnt_shows_none(plain, plain_page):
    if not getattr(plain, "learned", {}):
        assert "<p>Here " not in plain_page


def test_the_same_assessment_gives_the_same_bytes(plain, plain_page):
    assert page(plain, Asked(COMMAND, all_estimators=True)) == plain_page


def test_pages_stay_small(many_page):
    assert len(many_page.encode()) < 1_000_000  # 3 MB is the promise
    five_hundred = quick(scores(500, topics=50), "ml")
    assert len(five_hundred.to_html().encode()) < 3_000_000


def test_the_page_of_very_many_systems_has_the_first_of_them(monkeypatch):
    values = scores(40).values.copy()
    values[:, [1, 2, 3]] = values[:, [0]]  # identical: some of them shown, the last not
    made = quick(ScoreMatrix.build(values).ranked(), "msqd", baseline="sys20")
    for module in (page_module, sections_module):
        monkeypatch.setattr(module, "MOST_ON_PAGE", 3)
    monkeypatch.setattr(sections_module, "MOST_NAMED", 7)
    html = made.to_html()
    data = data_of(html)
    assert data["systems"] == [s.system for s in made.ranking[:3]]
    shown = made.swap_probabilities["msqd"][:3, :3][np.triu_indices(3, 1)]
    assert np.frombuffer(base64.b64decode(data["swaps"]), "<u2") / data["steps"] == pytest.approx(
        shown, abs=1e-4
    )
    alike = [s.rank - 1 for s in made.ranking[:3] if s.system in {f"sys{i}" for i in (1, 2, 3, 4)}]
    assert data["identical"] == ([alike] if len(alike) > 1 else [])
    assert f"The first 3 of {len(made.ranking)} rows" in html
    assert f"3 of {len(made.ranking)} systems are shown" in html  # the heat map
    assert f"7 of {len(made.ranking)} systems are shown" in html  # the ranking
    figure = html[html.index('id="baseline-figure"') :]
    ranks = [int(rank) for rank in re.findall(r'data-about="(\d+)\. ', figure[: figure.index("</svg>")])]
    middle = next(s.rank for s in made.ranking if s.system == "sys20")
    assert ranks == [rank for rank in range(middle - 3, middle + 4) if rank != middle]


def test_the_page_carries_every_probability(many, many_page):
    data = data_of(many_page)
    steps = np.frombuffer(base64.b64decode(data["swaps"]), dtype="<u2")
    expected = many.swap_probabilities[many.headline_estimator][np.triu_indices(129, 1)]
    assert np.abs(steps / data["steps"] - expected).max() <= 0.5 / data["steps"] + 1e-12


def test_identical_systems_are_no_sure_pair():
    values = scores(6).values.copy()
    values[:, 3] = values[:, 2]
    twins = quick(ScoreMatrix.build(values), "msqd")
    html = twins.to_html()
    assert data_of(html)["identical"] == [[s.rank - 1 for s in twins.ranking if s.system in ("sys3", "sys4")]]
    assert "of the 14 pairs whose scores differ" in html  # 15 less that of the twins


def test_the_heat_map_is_the_probabilities_of_what_is_not_told_apart():
    p = np.array([[0.0, 0.1, 0.5], [0.1, 0.0, 0.9], [0.5, 0.9, 0.0]])
    apart = np.zeros((3, 3), dtype=bool)
    png = base64.b64decode(heat_image(p, apart).removeprefix("data:image/png;base64,"))
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (width, height, depth, kind) == (1200, 1200, 8, 3)
    lines = np.frombuffer(
        zlib.decompress(b"".join(block for name, block in blocks(png) if name == b"IDAT")), np.uint8
    )
    lines = lines.reshape(height, width + 1)
    assert set(lines[:, 0]) == {2}  # every line is stored as its difference to the one above
    opacity = np.cumsum(lines[:, 1:], axis=0, dtype=np.uint8)[200::400, 200::400]
    assert opacity.tolist() == [[0, 51, 255], [51, 0, 255], [255, 255, 0]]  # half and above: full colour
    apart[0, 1] = apart[1, 0] = True
    assert heat_image(p, apart) == heat_image(np.where(apart, 0.0, p), apart)
    assert heat_image(p, apart) != heat_image(
        np.where(apart, 0.0, p), np.zeros_like(apart)
    )  # faint, not blank


def blocks(png: bytes):
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        name, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(name + data),)
        yield name, data
        at += 12 + length


def test_dots_stand_where_the_means_are(plain):
    """The horizontal places of the first panel's dots are a straight line of the means."""
    root = ElementTree.fromstring(render.svg(ranking_chart(plain)))
    places = [
        tuple(map(float, re.match(r"translate\(([^,]+),([^)]+)\)", element.get("transform")).groups()))
        for element in root.iter("{http://www.w3.org/2000/svg}path")
        if element.get("fill") == "#0063a3"
    ]
    means = np.array([s.mean for s in plain.ranking])
    x, y = np.array(places).T
    slope, shift = np.polyfit(means, x, 1)
    assert slope > 0
    assert np.abs(slope * means + shift - x).max() < 0.01
    assert np.ptp(np.diff(y)) < 0.01  # rows are evenly spaced, the best on top
    assert np.all(np.diff(y) > 0)


def test_charts_are_valid_vega_lite(plain):
    for chart in (ranking_chart, swap_chart, differences_chart):
        altair_chart(chart(plain)).to_dict()


def test_a_figure_on_a_page_has_ids_of_its_own(plain):
    document = render.svg(swap_chart(plain))
    one, other = (render.inline(document, prefix, "label") for prefix in ("one", "other"))
    ids = [set(re.findall(r'id="([^"]+)"', text)) for text in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, known in zip((one, other), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", text)) <= known


def test_a_notebook_does_not_grow_with_the_data(many, hostile):
    html = many._repr_html_()
    assert html.count("<tr>") == 2 * 11  # the ranking, and the differences from the baseline
    assert "119 more" in html
    assert "118 more" in html
    read = Reader(hostile._repr_html_())
    assert not {"img", "script", "style"} & set(read.tags)
    assert HOSTILE[0] in "\n".join(read.texts)
    long = quick(scores(4, names=["x" * 30_000, "x" * 29_999 + "y", "b", "c"]))
    assert len(long._repr_html_()) < 60_000


def test_a_sign_behind_a_formula_does_not_begin_a_line():
    page = quick(scores(6)).to_html()
    assert not re.search(r"(?<!<span class=whole>)<math>(?:(?!</math>).)*</math>[;,.]", page, re.DOTALL)
    assert "<span class=whole><span" not in page


def test_an_alert_stands_once_and_many_warnings_are_folded() -> None:
    notes = [Note("reading", "read so", "alert"), *(Note("a", f"warning {k} here") for k in range(5))]
    text = page_module.page([replace(view(quick(scores(4), "ml")), notes=notes)])
    assert text.count("Read so.") == 1
    assert (
        text.index("Warning 2 here.")
        < text.index("<summary>2 more</summary>")
        < text.index("Warning 3 here.")
    )


@pytest.mark.parametrize(
    ("command", "rows"),
    [
        (
            "assess",
            ["expected τ with the true ranking", "τ (95% interval …)", "all rank ranges hold together"],
        ),
        ("gate", ["BETTER, PASS", "difference of a gate (95%)"]),
        ("plan", ["τ expected with so many topics", "where τ of one such collection will lie"]),
    ],
)
def test_a_page_says_how_often_statements_held_as_measured(command: str, rows: list[str]) -> None:
    lines = (Path(__file__).parents[2] / "docs" / "how-right.md").read_text(encoding="utf-8").splitlines()
    table = {cells[1].strip(): cells[3].strip() for line in lines if len(cells := line.split("|")) > 4}
    for value in (table[row] for row in rows):
        share = value.endswith("%")
        number = float(value.strip("+%"))
        said = [f"{number:.0f}%", f"{number:.1f}%"] if share else [f"{number:.2f}"]
        assert any(f" {one}" in page_module.HELD[command] for one in said), (value, page_module.HELD[command])
