"""The colors of pages and figures, by role: one list for the charts, the style sheet and dark mode.

Blue and vermilion stay apart for every common kind of color blindness, and their lightness keeps
them apart in gray. A chart is always drawn in the light colors; the page's style sheet then
swaps each for its dark partner, so every role needs its own light color.
"""

from __future__ import annotations

ROLES: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#11161b"),
    "surface": ("#f5f7f9", "#192027"),
    "band": ("#e9eff4", "#1f2933"),
    "line": ("#ccd4dc", "#3b4652"),
    "muted": ("#52606d", "#a9b4c0"),
    "ink": ("#18222d", "#e8ecf1"),
    "soft": ("#7fb2d6", "#3f7ba6"),
    "accent": ("#0063a3", "#63b8ee"),
    "doubt": ("#c2410c", "#f58a4b"),
}
"""Role → (on light paper, on dark paper)."""

PAPER, SURFACE, BAND, LINE, MUTED, INK, SOFT, ACCENT, DOUBT = (light for light, _ in ROLES.values())

GUIDE = MUTED  # frames, ticks and guides of charts on paper

SERIES = ("#0072b2", "#d55e00", "#000000", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#666666")
"""Series of a chart for paper: Okabe and Ito's colors, safe for every common color blindness."""

SERIES_ON_PAGE = (ACCENT, DOUBT, MUTED, INK)
"""The few series of a chart that is on a page too, where both themes must show them."""

FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
"""Faces of the same widths, so that a figure measured with one fits when drawn with another."""


def style_rules() -> str:
    """CSS: every role as a variable with its color on light and on dark paper."""
    roles = "".join(f"--{role}:light-dark({light},{dark});" for role, (light, dark) in ROLES.items())
    return f":root{{color-scheme:light dark;{roles}}}@media print{{:root{{color-scheme:light}}}}"
