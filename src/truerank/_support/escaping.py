"""Names from files as text: one escaper for each place where a name may appear.

The name of a system, a topic, a measure or a data set is data. Nothing in it may be read as markup, a
formula, a control sequence or a key of an object.
"""

from __future__ import annotations

import re
from typing import Any

# Characters that XML and HTML may not contain (control characters, lone surrogates, noncharacters), and
# those that end a line or reverse the direction of the text after them.
_UNFIT_IN_LINES = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef" + "".join(
    chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)
)

_UNFIT_LETTER = re.compile(f"[{_UNFIT_IN_LINES}]")
_UNFIT = re.compile(f"[\t\n{_UNFIT_IN_LINES}]")
_FIT_BYTES = bytes([*b"\t\n", *range(0x20, 0x7F)])
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#~$|&]|:(?=//)|(?<=www)\.", re.IGNORECASE)


# First characters of cells that spreadsheets read as formulas; Excel also reads full-width signs.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")

# Characters that LaTeX reads as its own, and those that its usual fonts lack.
_LATEX = {
    **{c: "\\" + c for c in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "−": "$-$",
    "’": "'",
    "…": r"\dots{}",
    **{c: f"${c}$" for c in "<>|"},
    **{
        letter: f"$\\{name}$"
        for letter, name in zip(
            "αβδεκλμρστΦ",
            ("alpha", "beta", "delta", "varepsilon", "kappa", "lambda", "mu", "rho", "sigma", "tau", "Phi"),
            strict=True,
        )
    },
    "→": r"$\to$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "²": "$^2$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
}

JOINER = "\u2060"  # a word joiner, which has no width
_HOST_COMMAND = re.compile(r"^\s*:(?=:)|#(?=#\w*\[)")
"""``::error::`` at the beginning of a line; ``##[error]``, ``##vso[…]`` and ``##teamcity[…]`` anywhere."""


def printable(name: str) -> str:
    """A name with the characters that pages, figures and files may not contain written as escapes."""
    return _UNFIT.sub(lambda unfit: unfit[0].encode("unicode_escape").decode(), name)


def printable_lines(text: str) -> str:
    """A text with these characters as escapes; its line breaks and tabs stay."""
    # Nearly all of a page is ASCII, which is twenty times faster to check as bytes than by character.
    others = text.encode("utf-8", "surrogatepass").translate(None, _FIT_BYTES)
    if not _UNFIT_LETTER.search(others.decode("utf-8", "surrogatepass")):
        return text
    return _UNFIT_LETTER.sub(lambda unfit: printable(unfit[0]), text)


def terminal(text: str) -> str:
    """A text for a terminal, with control characters, directions and line ends as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def line(text: str) -> str:
    """A line of a log, with an invisible break in what a pipeline's host would run as a command."""
    return _HOST_COMMAND.sub(rf"\g<0>{JOINER}", text)


def markdown(text: str) -> str:
    """A text in Markdown, also in a cell of a table: nothing in it is read as markup, HTML or a link."""
    return _MARKDOWN.sub(r"\\\g<0>", printable(text))


def latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in re.sub("-(?=-)", "-\0", printable(text))).replace("\0", "{}")


def csv_cell(cell: Any) -> Any:
    """A cell, with an apostrophe before a text that a spreadsheet would read as a formula."""
    return "'" + cell if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
