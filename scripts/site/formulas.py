r"""LaTeX between dollars becomes MathML when the site is built; browsers draw that without a script.

The extension arithmatex finds the formulas, and leaves ``\(…\)`` and ``\[…\]`` in elements of their own.
"""

from __future__ import annotations

import html
import re
from typing import Any

from mkdocs.plugins import get_plugin_logger

from truerank.report import formulas

log = get_plugin_logger("formulas")

_FOUND = re.compile(
    r'<span class="arithmatex">\\\((?P<inline>.*?)\\\)</span>'
    r'|<div class="arithmatex">\s*\\\[(?P<display>.*?)\\\]\s*</div>',
    flags=re.DOTALL,
)


def on_page_content(content: str, *, page: Any, **_: Any) -> str:
    """Put MathML in place of a page's formulas; one that cannot be converted fails a strict build."""

    def made(match: re.Match[str]) -> str:
        display = match["display"]
        latex = html.unescape(match["inline"] if display is None else display).strip()
        shown = formulas.math(latex) if display is None else formulas.math_block(latex)
        if "<math" not in shown:
            log.warning("%s: no MathML for the formula %s", page.file.src_uri, latex)
        # Tools that read a table aloud take a head that is a formula alone for an empty one.
        alone = content.endswith(">", 0, match.start()) and content.startswith("</th>", match.end())
        label = f'<math role="math" aria-label="{html.escape(latex)}"' if alone else "<math"
        return str(shown).replace("<math", label, 1)

    return _FOUND.sub(made, content)
