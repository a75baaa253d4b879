"""Every kind of page, as readers see it: no text cut, no labels meeting, nothing out of sight without a cue.

In Chromium, at four widths, light and dark, on paper, with the fonts of DejaVu alone and of Liberation alone
(skipped by name where they are not installed); with axe-core where there is one (the environment variable
``AXE_CORE`` names its file, or axe-playwright-python is installed). Sizes of pages and what making one costs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from validation.browser import OPTIONS, axe_script, fonts_only, program, trouble, violations
from validation.checks import Checks, NoDataError
from validation.page_samples import KINDS
from validation.timing import installed

WIDTHS = (1200, 768, 390, 320)
FONTS = ("DejaVu", "Liberation")
A4 = 688
"""CSS pixels between the margins of a printed page."""

LARGEST, SLOWEST = 3_000_000, 2.0
"""Bytes of the page of 500 systems, and seconds of processor time that making it may add."""

ADDED = """
import sys, time
from validation.page_samples import assessed
result = assessed(int(sys.argv[1]))
started = time.process_time()
page = result.to_html()
print(time.process_time() - started, len(page.encode()))
"""


def run(checks: Checks) -> None:
    """Look at all of them."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoDataError("Playwright is not installed") from None
    where = program()
    if where is None:
        raise NoDataError("no Chromium on this machine")
    pages = {kind: make() for kind, make in KINDS.items()}
    axe = axe_script()
    if axe is None:
        checks.note("  skipped: axe-core (name its file in AXE_CORE)")
    with sync_playwright() as playwright:
        for fonts in FONTS:
            with fonts_only(fonts) as environment:
                if environment is None:
                    checks.note(f"  skipped: fonts of {fonts}, which are not installed")
                    continue
                browser = playwright.chromium.launch(executable_path=where, args=OPTIONS, env=environment)
                for kind, html in pages.items():
                    found = []
                    for width in WIDTHS:
                        page = browser.new_page(viewport={"width": width, "height": 900})
                        page.set_content(html)
                        found += [f"{width} px: {one}" for one in trouble(page)]
                        if fonts == FONTS[0] and axe is not None and width in (1200, 320):
                            for scheme in ("light", "dark"):
                                page.emulate_media(color_scheme=scheme)
                                found += [
                                    f"axe, {width} px, {scheme}: {one}" for one in violations(page, axe)
                                ]
                        page.close()
                    page = browser.new_page(viewport={"width": A4, "height": 1016})
                    page.set_content(html)
                    page.emulate_media(media="print")
                    found += [f"on paper: {one}" for one in trouble(page)]
                    page.close()
                    checks.that(
                        f"{kind}, {fonts}: nothing cut, nothing meets", not found, "; ".join(found[:4])
                    )
                browser.close()
    size = len(pages["500 systems"].encode())
    checks.that("the page of 500 systems is under 3 MB", size < LARGEST, f"{size / 1e6:.2f} MB")
    checks.that("making it adds at most 2 s of processor time", *_cost())


def _cost() -> tuple[bool, str]:
    spent, _ = added(500)
    return spent <= SLOWEST, f"{spent:.1f} s"


def added(systems: int) -> tuple[float, int]:
    """Processor time that making a page adds to an assessment of that many systems, and bytes of the page.

    Each time in a process that has drawn nothing yet: with all that is imported and started for drawing.
    The least of three, as other work on the machine never takes time off; a first run, which may have to
    compile, does not count.
    """
    command = [sys.executable, "-c", ADDED, str(systems)]
    made = [subprocess.run(command, **_READ, env=installed()).stdout for _ in range(4)][1:]
    figures = [line.split() for line in made]
    return min(float(spent) for spent, _ in figures), int(figures[0][1])


_READ: dict[str, Any] = {
    "capture_output": True,
    "text": True,
    "check": True,
    "cwd": Path(__file__).resolve().parents[1],
}
