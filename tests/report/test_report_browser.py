"""The page in headless Chromium: what a reader sees, does and prints. Skipped where there is none."""

from __future__ import annotations

import io
import re

import pytest
from report_samples import HOSTILE

from truerank._support.escaping import printable
from truerank.report.views import view
from validation.browser import axe_script, violations

A4_WIDTH, A4_HEIGHT = 688, 1016
"""CSS pixels inside the page's margins of 14 mm."""


def column(page, table: str, heading: str) -> list[str]:
    """The texts of a table's column, of the rows that show."""
    return page.eval_on_selector(
        f"#{table}",
        """(holder, heading) => {
            const heads = [...holder.querySelectorAll('thead th')];
            const index = heads.findIndex((head) => head.innerText.trim() === heading);
            return [...holder.querySelectorAll('tbody tr')]
                .filter((row) => !row.hidden)
                .map((row) => row.cells[index].innerText);
        }""",
        heading,
    )


def test_hover_shows_names_and_numbers(opened, plain_page, plain):
    page = opened(plain_page)
    tip = page.locator("#tip")
    assert tip.is_hidden()
    for rank in (0, 5):
        s = plain.ranking[rank]
        page.locator("#ranking-figure [data-about]").nth(rank).hover()
        said = tip.inner_text()
        assert said.startswith(f"{s.rank}. {s.system}\n")
        assert f"{s.mean:.4f}" in said
        assert page.locator("#ranking-figure .on").count() == 2  # the row in both halves
    page.locator("h1").hover()
    assert tip.is_hidden()


def test_the_heat_map_tells_the_probability_of_the_pair_below_the_mouse(opened, many_page, many):
    page = opened(many_page)
    image = page.locator("#swap-probabilities-figure .wide image")
    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    p = many.swap_probabilities[many.headline_estimator]
    for row, at in ((10, 14), (60, 57), (5, 90)):
        page.mouse.move(
            box["x"] + (at + 0.5) * box["width"] / 129, box["y"] + (row + 0.5) * box["height"] / 129
        )
        said = page.locator("#tip").inner_text()
        above, below = sorted((row, at))
        assert said.startswith(f"{above + 1}. {many.ranking[above].system}\n")
        assert f"{below + 1}. {many.ranking[below].system}" in said
        shown = re.search(r"wrong order: <?([\d.]+)%", said)
        assert float(shown[1]) == pytest.approx(100 * p[row, at], abs=0.11)
        page.mouse.down()
        page.mouse.up()
    right = re.search(r"with >?(?:over )?([\d.]+)% probability", page.locator("#ask-said").inner_text())
    assert float(right[1]) == pytest.approx(100 * (1 - p[5, 90]), abs=0.11)


def test_two_systems_can_be_asked_about_by_keyboard(opened, plain_page, plain):
    page = opened(plain_page)
    page.locator("#ask-a").focus()
    page.keyboard.press("End")  # the last of eight
    page.locator("#ask-b").select_option("0")
    p = plain.swap_probabilities[plain.headline_estimator][0, 7]
    said = page.locator("#ask-said").inner_text()
    assert plain.ranking[7].system in said
    shown = float(re.search(r"([\d.]+)%", said)[1])
    assert shown == pytest.approx(100 * p, abs=0.11)


def test_tables_sort_both_ways_and_search(opened, many_page):
    page = opened(many_page)
    head = page.locator("#ranking-table thead button", has_text=re.compile("^Mean"))
    head.focus()
    page.keyboard.press("Enter")
    means = [float(text.split()[0]) for text in column(page, "ranking-table", "Mean (95% interval)")]
    assert means == sorted(means)
    page.keyboard.press("Enter")
    means = [float(text.split()[0]) for text in column(page, "ranking-table", "Mean (95% interval)")]
    assert means == sorted(means, reverse=True)
    assert page.locator("#ranking-table [aria-sort]").get_attribute("aria-sort") == "descending"
    page.locator("#ranking-table thead button", has_text="System").click()
    names = column(page, "ranking-table", "System")
    assert names == sorted(names, key=lambda name: int(name.removeprefix("sys")))  # sys2 before sys10
    page.locator("#ranking-table input[type=search]").fill("SYS12")
    wanted = [f"sys{n}" for n in (12, *range(120, 130))]
    assert column(page, "ranking-table", "System") == wanted
    assert page.locator("#ranking-table .found").inner_text() == "11 of 129"


def test_hostile_names_stay_text(opened, hostile_page, hostile):
    page = opened(hostile_page)
    names = {printable(name) for name in HOSTILE}
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("main u").count() == 0
    shown = page.eval_on_selector_all(
        "#ranking-table tbody th", "cells => cells.map((cell) => cell.textContent)"
    )
    assert set(shown) == names
    options = page.eval_on_selector_all("#ask-a option", "all => all.map((one) => one.text)")
    expected = [f"{s.rank}. {printable(s.system)}" for s in hostile.ranking]
    assert [" ".join(text.split()) for text in options] == [" ".join(text.split()) for text in expected]
    for row in range(len(HOSTILE)):
        page.locator("#ranking-figure [data-about]").nth(row).hover()
        assert page.locator("#tip").evaluate("tip => tip.children.length") == 0
        assert hostile.ranking[row].system[:4].strip("\x00") in page.locator("#tip").text_content()
    page.locator("#ranking-table thead button", has_text="System").click()


def test_themes_follow_the_reader_and_the_button(opened, plain_page):
    ground = "() => getComputedStyle(document.body).backgroundColor"
    html = plain_page
    light = opened(html, color_scheme="light")
    dark = opened(html, color_scheme="dark")
    paper, night = "rgb(255, 255, 255)", "rgb(17, 22, 27)"
    assert (light.evaluate(ground), dark.evaluate(ground)) == (paper, night)
    text = "() => getComputedStyle(document.querySelector('#ranking-figure text')).fill"
    assert light.evaluate(text) != dark.evaluate(text)
    dark.locator("#theme").click()
    assert dark.evaluate(ground) == paper
    for _ in range(20):  # a browser on a busy machine may write what it keeps after the page has come back
        dark.reload()
        if dark.evaluate(ground) == paper:
            break
        dark.wait_for_timeout(250)
    assert dark.evaluate(ground) == paper  # remembered
    dark.locator("#theme").click()
    dark.emulate_media(media="print")
    assert dark.evaluate(ground) == paper  # paper is white


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (320, "dark")], ids=["light", "dark phone"])
def test_axe_finds_nothing_serious(opened, plain_page, width, scheme):
    axe = axe_script()
    if axe is None:
        pytest.skip("no axe-core: name its file in AXE_CORE, or install axe-playwright-python")
    assert violations(opened(plain_page, width=width, color_scheme=scheme), axe) == []


@pytest.mark.parametrize("names", ["plain", "hostile", "many"])
def test_the_page_never_scrolls_sideways(opened, request, names):
    page = opened(request.getfixturevalue(f"{names}_page"))
    for width in (1200, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_printed_page_has_everything(opened, many_page, many):
    pypdf = pytest.importorskip("pypdf")
    page = opened(many_page)
    page.locator("#ranking-table input[type=search]").fill("sys12")  # a search must not hide rows from paper
    reader = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    text = "\n".join(sheet.extract_text() for sheet in reader.pages)
    for section in view(many).sections:
        assert section.title in text
    names = re.findall(r"\bsys\d+\b", text)
    assert {s.system for s in many.ranking} <= set(names)
    # A table over several pages says on each what its columns are.
    assert len(re.findall(r"Mean\s+\(95%\s+interval\)", text)) >= 3


def test_folded_sections_are_open_on_paper_and_controls_are_not_there(opened, plain_page, plain):
    pypdf = pytest.importorskip("pypdf")
    page = opened(plain_page)
    assert page.locator("details[open]").count() == 0
    reader = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    sheets = [sheet.extract_text() for sheet in reader.pages]
    text = " ".join("\n".join(sheets).split())
    for quoted in (
        "Seed",
        f"version {plain.settings.version}",
        "Ledoit",
        "Fingerprint",
        "10.1145/2911451.2914752",
    ):
        assert quoted in text
    assert min(map(len, sheets)) > 250
    page.emulate_media(media="print")
    controls = page.locator("input, select, main button").all()
    assert controls
    assert not any(one.is_visible() for one in controls if one.bounding_box() and not _heads_a_column(one))


def _heads_a_column(one):
    return one.evaluate("(e) => Boolean(e.closest('thead'))")


def test_printing_cuts_no_figure_or_table(opened, many_page):
    page = opened(many_page, width=A4_WIDTH, height=A4_HEIGHT)
    page.emulate_media(media="print")
    figures = page.eval_on_selector_all(
        "figure", "all => all.map((one) => [one.scrollWidth, one.getBoundingClientRect().height])"
    )
    assert len(figures) == 5
    assert all(width <= A4_WIDTH and height <= A4_HEIGHT for width, height in figures)
    hidden = page.eval_on_selector_all(
        ".scroll, .chart", "all => all.filter((one) => one.scrollHeight > one.clientHeight + 2).length"
    )
    assert hidden == 0
    widths = page.eval_on_selector_all("table", "all => all.map((one) => one.scrollWidth)")
    assert max(widths) <= A4_WIDTH


def test_without_scripts_the_page_still_tells_everything(opened, plain_page):
    page = opened(plain_page, java_script_enabled=False)
    assert page.locator("#ranking-table tbody tr").count() == 8
    assert page.locator("#ranking-figure .wide svg").is_visible()
    assert page.locator("#ask").is_hidden()
    assert page.locator("#theme").is_hidden()


def test_every_figure_speaks(opened, plain_page, plain):
    page = opened(plain_page)
    labels = page.eval_on_selector_all(
        "figure .wide svg",
        "all => all.map((one) => [one.getAttribute('role'), one.getAttribute('aria-label')])",
    )
    assert len(labels) == 5
    assert all(role == "img" and len(label) > 40 for role, label in labels)
    assert page.locator("main h2").count() == page.locator("main section[id]").count()
