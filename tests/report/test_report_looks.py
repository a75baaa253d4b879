"""How pages look in a browser, and figures by themselves: nothing cut, no labels meeting, names apart."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import quick, ranking_chart, scores

from truerank.report import Asked, render
from truerank.report.charts.style import COLUMN
from truerank.report.lettering import fitted, text_width
from truerank.report.views import view
from validation.browser import axe_script, trouble, violations
from validation.page_samples import HOSTILE, KINDS, LONG, assessed

SVG = "{http://www.w3.org/2000/svg}"


def drawn(result, size=COLUMN, **asked) -> dict[str, str]:
    """The figures as SVG, by name."""
    return {one.name: render.svg(one.draw(size)) for one in view(result, Asked(**asked)).figures}


names = st.lists(st.text("ab/-Wil…漢", min_size=1, max_size=40), min_size=1, max_size=12, unique=True)


@given(names, st.floats(4, 12))
def test_fitted_names_stay_distinct_and_fit(some, room):
    shown = fitted(some, room)
    assert list(shown) == some
    assert len(set(shown.values())) == len(some)
    for name, text in shown.items():
        assert text_width(text) <= room
        if text_width(name) <= room:
            assert text == name


def test_names_that_differ_only_in_the_middle_keep_the_difference():
    some = [f"{'same beginning ' * 9}{end}{' same end' * 9}" for end in "abc"]
    shown = fitted(some, 12)
    assert [re.search("…([abc])", text)[1] for text in shown.values()] == ["a", "b", "c"]


def boxes(document: str) -> list[tuple[str, float, float, float, float]]:
    """The upright texts of an SVG document with where they lie: left, right, top, bottom."""
    found = []

    def walk(element, x, y):
        move = re.match(r"translate\((-?[\d.e-]+)[, ]+(-?[\d.e-]+)\)", element.get("transform") or "")
        if move:
            x, y = x + float(move[1]), y + float(move[2])
        if element.tag == f"{SVG}text" and "rotate" not in (element.get("transform") or ""):
            size = float(re.search(r"[\d.]+", element.get("font-size"))[0])
            lines = [t for t in element.findall(f"{SVG}tspan") if t.get("y") or t.get("x")]
            for place, text in enumerate(
                ["".join(t.itertext()) for t in lines] or ["".join(element.itertext())]
            ):
                width = text_width(text, size)
                left = x - {"middle": width / 2, "end": width}.get(element.get("text-anchor"), 0)
                top = y + place * 1.1 * size - 0.7 * size
                found.append((text, left, left + width, top, top + 0.65 * size))
            return
        for child in element:
            walk(child, x, y)

    walk(ElementTree.fromstring(document), 0.0, 0.0)
    return found


@pytest.mark.parametrize(("kind", "size"), [("47", COLUMN), ("hostile", COLUMN)])
def test_no_two_labels_of_a_figure_meet_and_none_leaves_it(kind, size):
    some = {"long": LONG, "hostile": HOSTILE}.get(kind)
    result = assessed(len(some) if some else int(kind), tuple(some) if some else None)
    for name, document in drawn(result, size).items():
        width = float(ElementTree.fromstring(document).get("width"))
        assert width <= size.width + 1, name
        texts = [box for box in boxes(document) if box[0].strip()]
        assert texts
        for text, left, right, _, _ in texts:
            assert left >= -0.5, (name, text)
            assert right <= width + 0.5, (name, text)
        for place, (a, left, right, top, bottom) in enumerate(texts):
            for b, *other in texts[place + 1 :]:
                across = min(right, other[1]) - max(left, other[0])
                down = min(bottom, other[3]) - max(top, other[2])
                assert across <= 0.3 or down <= 0.3, (name, a, b)


@pytest.mark.parametrize("count", [12, 129])
def test_every_system_is_named_and_ranks_have_more_than_two_ticks(count):
    document = render.svg(ranking_chart(assessed(count), COLUMN))
    texts = [box[0] for box in boxes(document)]
    assert {s.system for s in assessed(count).ranking} <= set(texts)
    after = texts[texts.index("1") if "1" in texts else 0 :]
    assert len([text for text in after if text.isdigit()]) >= 3


def test_a_name_of_30_000_letters_is_drawn_as_a_short_one():
    table = scores(4, names=["x" * 30_000, "x" * 29_999 + "y", "b", "c"])
    result = quick(table, baseline="b")
    document = render.svg(ranking_chart(result, COLUMN))
    assert len(document) < 60_000
    assert len({box[0] for box in boxes(document)} & {*fitted(list(table.systems), 9).values()}) >= 2


# The kinds that went wrong most often; `scripts/page_screenshots.py` makes pictures of all.
@pytest.mark.parametrize("kind", ["long names", "machine"])
def test_no_text_of_a_page_is_cut_and_no_labels_meet(opened, kind):
    page = opened(KINDS[kind]())
    for width in (1200, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert trouble(page) == [], width


def test_axe_finds_nothing_on_other_pages(opened):
    axe = axe_script()
    if axe is None:
        pytest.skip("no axe-core: name its file in AXE_CORE, or install axe-playwright-python")
    assert violations(opened(KINDS["machine"](), width=390), axe) == []
