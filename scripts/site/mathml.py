r"""Formulas on the site: LaTeX to MathML.

The converter is latex2mathml. It lets through what a page must not hold: elements inside ``\text``,
addresses, styles. Where LaTeX is broken, its MathML is broken too. So its elements are checked one by one,
and what does not pass is shown as LaTeX.
"""

from __future__ import annotations

import html
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup

from truerank._support.escaping import printable

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_CHILDREN = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "msubsup": 3,
    "munderover": 3,
}
"""Elements that need just so many children."""

_TOKENS = {"mi", "mn", "mo", "mtext", "mspace"}
_LAYOUT = {"math", "mrow", "msqrt", "mstyle", "mpadded", "mphantom", "mtable", "mtr", "mtd"}
_ATTRIBUTES = {
    "accent", "columnalign", "columnspacing", "depth", "display", "displaystyle", "fence", "form",
    "height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits",
    "rowspacing", "rspace", "scriptlevel", "stretchy", "voffset", "width",
}  # fmt: skip

_SIGNS = {"−", "-", "+", "±"}
_BEFORE_A_SIGN = {*"([{=<>≤≥≈∝∼,"}
"""Operators behind which a sign belongs to what follows; anywhere else in a row browsers take it to join."""


def math(latex: str) -> Markup:
    r"""LaTeX as MathML in a line of text; as the LaTeX itself where it is broken."""
    return _converted(latex, "inline")


def math_block(latex: str) -> Markup:
    """LaTeX as a formula in its own block, which scrolls where it is wider than the page."""
    shown = _converted(latex, "block")
    return Markup(
        '<div class="cut"><div class="formula" role="group" tabindex="0" aria-label="Formula">{}</div></div>'
    ).format(shown)


@lru_cache(maxsize=512)
def _converted(latex: str, display: str) -> Markup:
    from latex2mathml.converter import Converter

    latex = printable(" ".join(latex.split()))
    try:
        element = Converter(display=display).convert_to_element(latex)
    except Exception:  # any error in someone's formula must not take the page with it
        return _as_text(latex)
    if not _passes(element):
        return _as_text(latex)
    element.attrib.pop("xmlns", None)  # HTML knows where <math> belongs
    if display == "inline":
        element.attrib.pop("display", None)
    return Markup(ElementTree.tostring(element, encoding="unicode"))


def _as_text(latex: str) -> Markup:
    return Markup("<code>{}</code>").format(latex)


def _passes(element: Element) -> bool:
    """Whether a page may hold the element; turns the character references in its texts to characters."""
    if not set(element.attrib) <= _ATTRIBUTES | {"xmlns"}:
        return False
    element.text = html.unescape(element.text or "")
    if element.text == "|" and "form" not in element.attrib:
        element.attrib |= {"lspace": "0", "rspace": "0"}  # an absolute value; \mid has room on both sides
    if element.text == "‖" and "form" not in element.attrib:
        element.set("stretchy", "false")  # a norm: browsers stretch the first of the two alone
    if (element.tag, element.text) == ("mi", "~"):
        element.tag, element.text = "mo", "∼"  # \sim is a relation, with room on both sides
    if element.tag in _TOKENS:
        # An unknown command, a brace or an alignment mark that was left over comes out as an identifier.
        left_over = element.tag == "mi" and (element.text.startswith("\\") or element.text in {*"{}&#$"})
        return len(element) == 0 and not left_over
    for before, sign in pairwise(element):
        opens = before.get("form") == "prefix" or html.unescape(before.text or "") in _BEFORE_A_SIGN
        if before.tag == sign.tag == "mo" and opens and html.unescape(sign.text or "") in _SIGNS:
            sign.set("form", "prefix")  # of what follows: no room between it and its bracket or number
    known = element.tag in _LAYOUT or len(element) == _CHILDREN.get(element.tag)
    return known and not element.text.strip() and all(_passes(child) for child in element)
