"""Symbols of quantities in texts of our own, as each format sets them: ``τ_AP``, ``Eρ²``."""

from __future__ import annotations

import re
from collections.abc import Callable

_SYMBOL = re.compile(r"(?<!\w)(τ|ρ|d)_(AP|rank|a|b|τ)(?!\w)|Eρ²")

_LATEX = {"τ": r"\tau", "ρ": r"\rho", "²": "^2"}


def with_symbols(text: str, plain: Callable[[str], str], symbol: Callable[[str, str], str]) -> str:
    """A text with its symbols set by `symbol` (base and index), and what is between them by `plain`."""
    made, end = [], 0
    for found in _SYMBOL.finditer(text):
        made.append(plain(text[end : found.start()]))
        made.append(symbol(found[1] or found[0], found[2] or ""))
        end = found.end()
    return "".join([*made, plain(text[end:])])


def latex_symbol(base: str, index: str) -> str:
    r"""A symbol as a formula."""
    for letter, command in _LATEX.items():
        base, index = base.replace(letter, command), index.replace(letter, command)
    return f"${base}{f'_{{{index}}}' if index else ''}$"


def html_symbol(base: str, index: str) -> str:
    """A symbol with its index set low, for HTML and Markdown."""
    return base + (f"<sub>{index}</sub>" if index else "")
