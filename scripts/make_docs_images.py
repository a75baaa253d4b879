"""The pictures of the page for docs/images, once more: `python scripts/make_docs_images.py [FOLDER]`.

Crops of the demo's own page as Chromium shows it, in the light theme and with the fonts of the machine. The
demo's scores and the seed are fixed, so the pictures say what the pages of the documentation say.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from validation.browser import OPTIONS, program  # noqa: E402

SEED = 1
BASELINE = "sys12"
COMMAND = "truerank assess scores.csv -m AP --baseline sys12 --seed 1 --html page.html"

CROPS = {
    "page-answer": ("article", 250),
    "page-ranking": ("#ranking-table", 700),
    "page-pairs": (".pairs", 520),
    "page-baseline": ("#baseline-table", 700),
}
"""Pictures by name: an element, and how much of its height at most."""


def pages() -> dict[str, str]:
    """The demo's page, with the truth, and the page of the same scores as a user gets it."""
    import truerank
    from truerank.cli.demo import demo_scores
    from truerank.report import Asked, page

    scores, truth = demo_scores(SEED)
    known = page(truerank.assess(scores, seed=SEED), Asked("truerank demo", truth))
    plain = page(truerank.assess(scores, baseline=BASELINE, seed=SEED), Asked(COMMAND))
    return {"known": known, "plain": plain}


def main(folder: Path) -> None:
    """Open the pages and write what is seen."""
    from playwright.sync_api import sync_playwright

    made = pages()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=OPTIONS)

        def opened(which: str, width: int, height: int) -> Any:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            page.set_content(made[which])
            return page

        page = opened("known", 1100, 1180)
        page.screenshot(path=folder / "report.png")
        page.close()
        page = opened("known", 390, 1240)
        page.locator("#ranking-table").scroll_into_view_if_needed()
        page.screenshot(path=folder / "report-phone.png")
        page.close()
        page = opened("plain", 1000, 900)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        for name, (selector, most) in CROPS.items():
            box = page.locator(selector).first.bounding_box()
            page.screenshot(
                path=folder / f"{name}.png",
                full_page=True,
                clip={
                    "x": max(0, box["x"] - 12),
                    "y": max(0, box["y"] - 8),
                    "width": box["width"] + 24,
                    "height": min(most, box["height"] + 16),
                },
            )
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
