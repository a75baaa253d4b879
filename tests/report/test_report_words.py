from __future__ import annotations

import math
import unicodedata

import pytest

from truerank._support.escaping import printable, printable_lines
from truerank._support.wording import number, percent, span
from truerank.report import palette


def test_numbers_have_a_true_minus_and_no_negative_zero():
    assert number(-1.25, 1) == "−1.2"
    assert number(-0.0004) == "0.000"
    assert number(0.0004, 3, sign=True) == "0.000"
    assert number(math.nan) == number(math.inf) == "–"
    assert span(0.1, math.nan) == "–"
    assert percent(0.125, 1) == "12.5%"


def test_names_keep_their_letters_and_what_no_page_may_hold_is_escaped():
    assert printable("BM25 <b>τ 漢字") == "BM25 <b>τ 漢字"
    assert printable("a\x00b\x1bc\udc80d\n") == r"a\x00b\x1bc\udc80d\n"
    assert printable_lines("a\n\tb\r\uffff") == "a\n\tb\\r\\uffff"


def steering() -> set[str]:
    """What ends a line (Zl, Zp), or turns the direction of all that follows."""
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    every = map(chr, range(0x110000))
    return {
        c for c in every if unicodedata.category(c) in ("Zl", "Zp") or unicodedata.bidirectional(c) in turning
    }


def test_what_is_escaped_is_what_unicode_has_no_text_for():
    every = [chr(code) for code in range(0x110000)]
    changed = {char for char in every if printable(char) != char}
    noncharacters = {char for char in every if ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"}
    assert len(noncharacters) == 66  # The Unicode Standard, section 23.7
    assert changed == noncharacters | steering() | {
        c for c in every if unicodedata.category(c) in ("Cc", "Cs")
    }
    # No two characters look alike, and what is escaped once stays as it is.
    assert len({printable(char) for char in changed}) == len(changed)
    assert printable(printable("".join(changed))) == printable("".join(changed))


def luminance(color: str) -> float:
    """Relative luminance by WCAG 2.2."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read_in_both_themes(theme):
    role = {name: pair[theme] for name, pair in palette.ROLES.items()}
    for ground in ("paper", "surface", "band"):
        for text in ("ink", "muted", "accent"):
            assert contrast(role[text], role[ground]) >= 4.5, (text, ground)
        assert contrast(role["doubt"], role[ground]) >= 3.0  # marks, not text
