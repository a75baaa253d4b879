"""The site, as readers see it: built strictly, and every page opened in Chromium, light and dark.

No page may ask another host for anything, complain, scroll sideways on a phone, hide a formula or break a
rule of axe-core; and search must find a term, from a server and from a folder.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from validation.browser import OPTIONS, axe_script, program, violations
from validation.checks import Checks, NoDataError

ROOT = Path(__file__).resolve().parents[1]

WIDE, NARROW = 1280, 390
LONGEST = 120.0
"""Seconds that a build may take."""

LOADED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video)\b[^>]*\bsrc\s*=\s*["']?(?P<src>[^"'\s>]+)"""
    r"""|<link\b(?=[^>]*rel=["']?(?:stylesheet|icon|preconnect|preload|modulepreload))[^>]*"""
    r"""\bhref\s*=\s*["']?(?P<href>[^"'\s>]+)"""
    r"""|url\(\s*["']?(?P<url>[^"')]+)|@import\s+["'](?P<imported>[^"']+)"""
)
"""What a page or style sheet has a browser fetch."""

FORMULAS = """() => [...document.querySelectorAll("math")].filter((formula) => {
  if (formula.closest("details:not([open])")) return false;
  const box = formula.getBoundingClientRect();
  return !(box.width > 1 && box.height > 1);
}).length"""
"""How many formulas take no room."""


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site strictly, as `make docs` does, into a folder of its own.

    With ``--quiet`` mkdocs would drop warnings before it counts them.
    """
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def fetched_elsewhere(folder: Path) -> list[str]:
    """What pages and style sheets would fetch from another host."""
    found = []
    for path in [*folder.rglob("*.html"), *folder.rglob("*.css")]:
        for match in LOADED.finditer(path.read_text(encoding="utf-8")):
            address = next(filter(None, match.groups()))
            if re.match(r"(?:https?:)?//", address):
                found.append(f"{path.relative_to(folder)}: {address}")
    return found


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder behind a server on this machine: its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Reader:
    """A browser's tab that notes complaints, and requests that leave the site."""

    def __init__(self, browser: Any, start: str, **options: Any) -> None:
        self.start = start
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.start, "data:", "blob:", "about:")):
            self.trouble.append(f"asks for {request.url}")

    def open(self, name: str) -> Any:
        """A page of the site."""
        self.page.goto(f"{self.start}/{name}")
        self.page.wait_for_load_state("load")
        return self.page

    def close(self) -> list[str]:
        """Close the tab: what it noted."""
        self.context.close()
        return self.trouble


def faults(browser: Any, start: str, name: str, axe: str | None) -> list[str]:
    """What is wrong with a page as it is shown, light and dark, on a screen and on a phone."""
    found = []
    for scheme in ("light", "dark"):
        reader = Reader(browser, start, viewport={"width": WIDE, "height": 900}, color_scheme=scheme)
        page = reader.open(name)
        found += [f"{scheme}: {one}" for one in (violations(page, axe) if axe else ())]
        hidden = page.evaluate(FORMULAS)
        if hidden:
            found.append(f"{hidden} formulas do not show")
        page.set_viewport_size({"width": NARROW, "height": 800})
        over = page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        if over > 0:
            found.append(f"scrolls sideways by {over} px on a phone")
        found += reader.close()
    return found


def search(page: Any, words: str) -> list[str]:
    """The titles of what the search of an open page finds."""
    query = page.locator("[data-md-component=search-query]")
    first = page.locator(".md-search-result__link").first
    query.click()
    for _ in range(30):  # what is typed before the index is there may be lost
        # At one stroke: of half a word, such as "p-", the search says on the console that it is no query.
        query.fill(words)
        query.press("Shift")
        page.wait_for_timeout(1000)
        if first.is_visible():
            break
        query.fill("")
    first.wait_for(state="visible")
    return page.locator(".md-search-result__link h1, .md-search-result__link h2").all_inner_texts()


def run(checks: Checks) -> None:
    """Build the site, and look at every page of it."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoDataError("Playwright is not installed") from None
    if program() is None:
        raise NoDataError("no Chromium on this machine")
    axe = axe_script()
    if axe is None:
        checks.note("  skipped: axe-core (name its file in AXE_CORE)")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "site"
        started = time.perf_counter()
        built = build(folder)
        spent = time.perf_counter() - started
        checks.that("the site builds strictly", built.returncode == 0, (built.stderr + built.stdout).strip())
        checks.that("in less than two minutes", spent < LONGEST, f"{spent:.0f} s")
        elsewhere = fetched_elsewhere(folder)
        checks.that("nothing is fetched from elsewhere", not elsewhere, "; ".join(elsewhere[:4]))
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
        with sync_playwright() as playwright, served(folder) as address:
            browser = playwright.chromium.launch(executable_path=program(), args=OPTIONS)
            for name in names:
                found = faults(browser, address, name, axe)
                checks.that(name, not found, "; ".join(found[:4]))
            for where in (address, folder.as_uri()):
                reader = Reader(browser, where, viewport={"width": WIDE, "height": 900})
                titles = search(reader.open("index.html"), "kendall")
                found = reader.close()
                kind = where.partition(":")[0]
                checks.that(f"search over {kind}", bool(titles) and not found, f"{titles[:3]} {found[:2]}")
            browser.close()
