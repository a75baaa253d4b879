"""Pictures of every kind of page, to be looked at: `python scripts/page_screenshots.py FOLDER [KIND …]`.

Each kind of `validation/page_samples.py` at 1,200, 768, 390 and 320 pixels, light and dark, and as a PDF. The
folder is better none that is tracked.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from validation.browser import OPTIONS, program
from validation.page_samples import KINDS

WIDTHS = (1200, 768, 390, 320)


def main(folder: str, wanted: list[str]) -> None:
    """Make the pages, open them, and write what is seen."""
    from playwright.sync_api import sync_playwright

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=OPTIONS)
        for kind in wanted or KINDS:
            name = kind.replace(" ", "-")
            html = KINDS[kind]()
            (target / f"{name}.html").write_text(html, encoding="utf-8")
            for scheme in ("light", "dark"):
                for width in WIDTHS:
                    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                    page.set_content(html)
                    page.screenshot(path=target / f"{name}-{width}-{scheme}.png", full_page=True)
                    if (width, scheme) == (1200, "light"):
                        page.pdf(path=target / f"{name}.pdf", prefer_css_page_size=True)
                    page.close()
            print(kind, flush=True)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
