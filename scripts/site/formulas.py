r"""LaTeX between dollars becomes MathML when the site is built; browsers draw that without a script.

The extension arithmatex finds the formulas, and leaves ``\(…\)`` and ``\[…\]`` in elements of their own.
Letters in a sentence have their subscripts after an underscore: ``τ_AP``, ``σ²_run``.
"""

from __future__ import annotations

import html
import itertools
import re
from typing import Any

from mkdocs.plugins import get_plugin_logger

from scripts.site import mathml

log = get_plugin_logger("formulas")

_FOUND = re.compile(
    r'<span class="arithmatex">\\\((?P<inline>.*?)\\\)</span>'
    r'|<div class="arithmatex">\s*\\\[(?P<display>.*?)\\\]\s*</div>',
    flags=re.DOTALL,
)

_TAG = re.compile(r"\\tag\{(?P<number>\w+)\}$")

_RAW = re.compile(r"\\[a-zA-Z]{2,}|\\[(\[]|\$\$|[_^]\{")
"""What a formula that was not found leaves in a text."""

_ASIDE = re.compile(r"<(pre|code|math|script|style|svg)\b.*?</\1>|<[^>]+>", flags=re.DOTALL)

_LETTER = re.compile(r"(?<!\w)([^\W\d_][\u0300-\u036f²³′]*)_([^\W_]+(?:×[^\W_]+)*)")


def subscripts(content: str) -> str:
    """A page with its subscripts set lower, but for code and formulas.

    >>> subscripts("<p>τ_AP, σ²_run and <code>K_st</code> of lm_eval</p>")
    '<p>τ<sub>AP</sub>, σ²<sub>run</sub> and <code>K_st</code> of lm_eval</p>'
    """
    ends = [0, *(end for aside in _ASIDE.finditer(content) for end in aside.span()), len(content)]
    parts = [content[start:end] for start, end in itertools.pairwise(ends)]
    parts[::2] = [_LETTER.sub(r"\1<sub>\2</sub>", text) for text in parts[::2]]
    return "".join(parts)


def on_page_content(content: str, *, page: Any, **_: Any) -> str:
    """Put MathML in place of a page's formulas; one that cannot be converted fails a strict build."""

    def made(match: re.Match[str]) -> str:
        display = match["display"]
        latex = html.unescape(match["inline"] if display is None else display).strip()
        tag = _TAG.search(latex)
        latex = _TAG.sub("", latex)
        shown = mathml.math(latex) if display is None else mathml.math_block(latex)
        if "<math" not in shown:
            log.warning("%s: no MathML for the formula %s", page.file.src_uri, latex)
        if tag:  # beside the formula: MathML has no numbers of equations
            shown = str(shown).replace("</math>", f'</math><span class="number">({tag["number"]})</span>', 1)
        # Tools that read a table aloud take a head that is a formula alone for an empty one.
        alone = content.endswith(">", 0, match.start()) and content.startswith("</th>", match.end())
        label = f'<math role="math" aria-label="{html.escape(latex)}"' if alone else "<math"
        return str(shown).replace("<math", label, 1)

    shown = subscripts(_FOUND.sub(made, content))
    for raw in _RAW.finditer(html.unescape(_ASIDE.sub(" ", shown))):
        log.warning("%s: LaTeX is left in the text: %s", page.file.src_uri, raw[0])
    return shown
