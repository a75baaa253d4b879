from __future__ import annotations

import math

import pytest

from truerank.report import palette
from truerank.report.words import listed, number, percent, printable, sentence, span, symbol_html


def test_numbers_have_a_true_minus_and_no_negative_zero():
    assert number(-1.25, 1) == "−1.2"
    assert number(-0.0004) == "0.000"
    assert number(0.0004, 3, sign=True) == "0.000"
    assert number(math.nan) == number(math.inf) == "–"
    assert span(0.1, math.nan) == "–"
    assert percent(0.125, 1) == "12.5%"


def test_names_keep_their_letters_and_lose_what_no_page_may_hold():
    assert printable("BM25 <b>τ 漢字") == "BM25 <b>τ 漢字"
    assert printable("a\x00b\x1bc\udc80d\n") == "a\ufffdb\ufffdc\ufffdd\ufffd"
    printable("\ud800").encode("utf-8")


def test_lists_and_sentences_read_well():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(list("abcdefgh"), most=3) == "a, b, c and 5 more"
    assert sentence("only 5 topics: too few") == "Only 5 topics: too few."
    assert str(symbol_html("tau_ap")) == "τ<sub>AP</sub>"
    assert str(symbol_html("<i>")) == "&lt;i&gt;"


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


def test_every_role_has_a_light_colour_of_its_own():
    light = [pair[0] for pair in palette.ROLES.values()]
    assert len(set(light)) == len(light)  # the style sheet finds the charts' colours by their value
