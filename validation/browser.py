"""What is wrong with a page as a browser shows it: texts that are cut or meet, and what lies out of sight.

Used by the tests and by `scripts/page_screenshots.py`.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

TROUBLE = r"""
() => {
  const found = [];
  const width = document.documentElement.clientWidth;
  const name = (e) => {
    const section = e.closest("section[id]");
    const text = e.textContent.trim().slice(0, 50);
    return `${e.tagName.toLowerCase()} “${text}” in ${section ? section.id : "the head"}`;
  };
  const visible = (e) => e.checkVisibility({ visibilityProperty: true });
  const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX);
  const inScroller = (e) => {
    for (let one = e.parentElement; one; one = one.parentElement) if (scrolls(one)) return true;
    return false;
  };
  if (document.documentElement.scrollWidth > width) found.push("the page scrolls sideways");
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest("svg, math, select, input") || !visible(e)) continue;
    const style = getComputedStyle(e);
    const wide = e.scrollWidth - e.clientWidth, high = e.scrollHeight - e.clientHeight;
    if (style.display === "inline") continue;
    if (/hidden|clip/.test(style.overflowX) && wide > 1) found.push(`cut at the side: ${name(e)}`);
    if (/hidden|clip/.test(style.overflowY) && high > 6) found.push(`cut below: ${name(e)}`);
    const cue = /local/.test(style.backgroundAttachment);  // shadows at the edges that hide something
    if (/auto|scroll/.test(style.overflowX) && wide > 2 && !cue)
      found.push(`goes on sideways without a cue: ${name(e)}`);
    if (/auto|scroll/.test(style.overflowY) && high > 2 && !cue)
      found.push(`goes on below without a cue: ${name(e)}`);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest("svg, script, style, option")) continue;
    if (!visible(e) || inScroller(e)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width && (box.left < -1 || box.right > width + 1)) found.push(`off the screen: ${name(e)}`);
  }
  for (const svg of document.querySelectorAll(".chart svg, .sheet svg")) {
    if (!visible(svg)) continue;
    const texts = [];
    for (const e of svg.querySelectorAll("text")) {
      if (!e.textContent.trim() || !visible(e)) continue;
      const box = e.getBoundingClientRect();
      if (!box.width) continue;
      const outside = box.left < -1 || box.right > width + 1;
      if (outside && !inScroller(e)) found.push(`off the screen: ${name(e)}`);
      const angle = Number((/rotate\((-?[\d.]+)/.exec(e.getAttribute("transform") || "") || [0, 0])[1]);
      if (angle % 90) continue;  // a leaning label's box says little
      // A line's box is higher than its letters: what is above capitals and below the line may meet.
      const [x, y] = angle ? [0.17 * box.width, 0] : [0, 0.17 * box.height];
      const [left, right] = [box.left + x, box.right - x];
      texts.push({ e, left, right, top: box.top + y, bottom: box.bottom - y });
    }
    texts.sort((a, b) => a.top - b.top);
    texts.forEach((a, place) => {
      for (let next = place + 1; next < texts.length && texts[next].top < a.bottom - 0.3; next++) {
        const b = texts[next];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5)
          found.push(`“${a.e.textContent.slice(0, 40)}” meets ${name(b.e)}`);
      }
    });
  }
  return [...new Set(found)];
}
"""
"""A script that lists what is wrong with a page as it is shown, in plain words; nothing when all is well."""


def program() -> str | None:
    """Where Chromium is; none where there is not one."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def trouble(page: Any) -> list[str]:
    """What is wrong with an open page, in plain words."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: list[str] = page.evaluate(TROUBLE)
    return found


def axe_script() -> str | None:
    """The text of axe-core: of the file in ``AXE_CORE``, or of axe-playwright-python; none without."""
    import importlib.util

    named = os.environ.get("AXE_CORE")
    if named:
        return Path(named).read_text(encoding="utf-8")
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None or not package.submodule_search_locations:
        return None
    return (Path(package.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Any, axe: str) -> list[str]:
    """What axe-core finds on an open page, each as its rule and the first element."""
    page.evaluate(axe)
    result = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:120]}" for v in result["violations"]]
