"""The page in headless Chromium: what a reader sees, does and prints. Skipped where there is none."""

from __future__ import annotations

import io
import re

import pytest
from report_samples import HOSTILE

from truerank._support.escaping import printable
from truerank.report.views import view
from validation.browser import axe_script, violations


def column(page, table: str, place: int) -> list[str]:
    """The texts of a table's column."""
    return page.eval_on_selector(
        f"#{table}",
        """(holder, place) => [...holder.querySelectorAll('tbody tr')]
            .map((row) => row.cells[place].innerText)""",
        place,
    )


def test_a_pair_can_be_asked_about_by_keyboard(opened, plain_page, plain):
    page = opened(plain_page)
    page.locator("#pairs summary").click()
    first, second = page.locator(".ask select").all()
    first.focus()
    page.keyboard.press("End")  # the last of eight
    second.select_option(index=0)
    p = plain.swap_probabilities[plain.headline_estimator][0, 7]
    shown = re.search(r"([\d.]+)%", page.locator(".ask output").inner_text())
    assert float(shown[1]) == pytest.approx(100 * p, abs=0.11)
    for i, j in ((2, 4), (5, 3)):
        first.select_option(index=i)
        second.select_option(index=j)
        p = plain.swap_probabilities[plain.headline_estimator][i, j]
        shown = re.search(r"([\d.]+)%", page.locator(".ask output").inner_text())
        assert float(shown[1]) == pytest.approx(100 * (1 - p if i < j else p), abs=0.11)


def test_tables_sort_both_ways(opened, many_page):
    page = opened(many_page)
    head = page.locator("#ranking-table thead button", has_text=re.compile("^Mean"))
    for descending in (False, True):
        head.focus()
        page.keyboard.press("Enter")
        means = [float(text.split()[0]) for text in column(page, "ranking-table", 2)]
        assert means == sorted(means, reverse=descending)
    assert page.locator("#ranking-table [aria-sort]").get_attribute("aria-sort") == "descending"
    page.locator("#ranking-table thead button", has_text="System").click()
    names = column(page, "ranking-table", 1)
    assert names == sorted(names, key=lambda name: int(name.removeprefix("sys")))  # sys2 before sys10


def test_hostile_names_stay_text(opened, hostile_page, hostile):
    page = opened(hostile_page)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert page.locator("main u").count() == 0
    shown = page.eval_on_selector_all(
        "#ranking-table tbody th", "cells => cells.map((cell) => cell.textContent)"
    )
    assert set(shown) == {printable(name) for name in HOSTILE}
    options = page.eval_on_selector_all(
        ".ask select:first-of-type option", "all => all.map((one) => one.text)"
    )
    expected = [f"{s.rank}. {printable(s.system)}" for s in hostile.ranking] * 2
    assert [" ".join(text.split()) for text in options] == [" ".join(text.split()) for text in expected]
    page.locator("#ranking-table thead button", has_text="System").click()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (320, "dark")], ids=["light", "dark phone"])
def test_axe_finds_nothing_serious(opened, plain_page, width, scheme):
    axe = axe_script()
    if axe is None:
        pytest.skip("no axe-core: name its file in AXE_CORE, or install axe-playwright-python")
    page = opened(plain_page, width=width, color_scheme=scheme)
    page.eval_on_selector_all("details", "all => all.forEach((one) => { one.open = true; })")
    assert violations(page, axe) == []


@pytest.mark.parametrize("names", ["plain", "hostile", "many"])
def test_the_page_never_scrolls_sideways(opened, request, names):
    page = opened(request.getfixturevalue(f"{names}_page"))
    for width in (1200, 768, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def sheets_of(page) -> list[str]:
    pypdf = pytest.importorskip("pypdf")
    reader = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    return [sheet.extract_text() for sheet in reader.pages]


def test_the_printed_page_has_everything(opened, many_page, many):
    text = "\n".join(sheets_of(opened(many_page)))
    for section in view(many).sections:
        assert section.title in text
    assert {s.system for s in many.ranking} <= set(re.findall(r"\bsys\d+\b", text))
    # A table over several pages says on each what its columns are.
    assert len(re.findall(r"Mean\s+\(95%\s+interval\)", text)) >= 3


def test_folded_sections_are_open_on_paper_and_controls_are_not_there(opened, plain_page, plain):
    page = opened(plain_page)
    assert page.locator("details[open]").count() == 0
    text = " ".join("\n".join(sheets_of(page)).split())
    for quoted in ("seed 0", f"truerank {plain.settings.version}", "Ledoit", "10.1145/2911451.2914752"):
        assert quoted in text
    page.emulate_media(media="print")
    assert not any(one.is_visible() for one in page.locator("input, select").all())


def test_without_scripts_the_page_still_tells_everything(opened, plain_page):
    page = opened(plain_page, java_script_enabled=False)
    assert page.locator("#ranking-table tbody tr").count() == 8
    assert page.locator("#ranking-table .bar").first.is_visible()
    assert page.locator(".ask").is_hidden()
