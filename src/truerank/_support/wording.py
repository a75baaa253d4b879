"""Numbers, names, lists and turns of phrase as people read them, the same in every output."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from truerank._support.escaping import printable

NONE = "–"  # what stands where there is no value


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(unit: str) -> str:
    head, *rest = re.split(r"(?= of | per )", unit, maxsplit=1)
    several = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return "".join([several, *rest])


# More topics than this are not practical: no number beyond it is computed, printed or written.
MOST_TOPICS = 1_000_000


def impractical(units: str = "topics") -> str:
    """What is said instead of a number of topics beyond :data:`MOST_TOPICS`."""
    return f"more than a million {units}: this is not practical"


def two_digits(topics: float) -> int:
    whole = round(topics)
    return round(whole, -max(len(str(whole)) - 2, 0))


def topics_text(topics: float | None) -> str:
    if topics is None:
        return NONE
    return f"{two_digits(topics):,}" if topics <= MOST_TOPICS else "more than a million"


def few(names: Sequence[str], most: int = 3) -> str:
    """The first names, on one line whatever is in them, and dots when there are more."""
    return ", ".join(" ".join(name.split()) for name in names[:most]) + (", …" if len(names) > most else "")


def some(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are; all of them if only one would be left."""
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def p_text(p: float, least: float = 0.001) -> str:
    """A p-value without leading zero, never 0; four digits where three would round it to the level."""
    if math.isnan(p):
        return "–"
    if p < least:
        return "<" + f"{least:.1g}".removeprefix("0")
    digits = 4 if f"{p:.3f}" == "0.050" and p != 0.05 else 3
    return f"{p:.{digits}f}".removeprefix("0")


def p_equation(p: float, least: float = 0.001) -> str:
    return f"p {p_relation(p, least)}"


def p_relation(p: float, least: float = 0.001) -> str:
    """A p-value behind its letter: ``= .012``, ``< .001``."""
    text = p_text(p, least)
    return f"< {text[1:]}" if text.startswith("<") else f"= {text}"


def number(value: float | None, digits: int = 3, sign: bool = False) -> str:
    """A number with a true minus; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return NONE
    # Two computations of one number differ in its last bits, which must not decide how a half is rounded.
    value = float(f"{value:.13g}")
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def score_digits(scores: Iterable[float], usual: int = 3) -> int:
    """Digits after the point of scores of that size: one fewer for each power of ten.

    >>> score_digits([0.31, 0.75]), score_digits([31.2, 75.1]), score_digits([1012, 988])
    (3, 2, 0)
    """
    largest = max((abs(score) for score in scores if math.isfinite(score)), default=0.0)
    return usual if largest < 10 else max(usual - math.floor(math.log10(largest)), 0)


def rough(value: float) -> str:
    """A number to two significant digits, whole from ten on: for what was estimated in passing."""
    if not math.isfinite(value):
        return NONE
    return number(value, max(0, 1 - math.floor(math.log10(abs(value)))) if value else 0)


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage; rounding makes none and all only of what is none and all."""
    if not math.isfinite(share):
        return NONE
    least = 10.0**-digits
    rounded = round(100 * share, digits)
    if 0 < share < 1 and rounded in (0, 100):
        return f"<{number(least, digits)}%" if rounded == 0 else f">{number(100 - least, digits)}%"
    return number(100 * share, 0 if share in (0, 1) else digits) + "%"


def share(probability: float | None) -> str:
    """A probability as a percentage that never says 0 or 100."""
    if probability is None or not math.isfinite(probability):
        return NONE
    if probability < 0.001:
        return "<0.1%"
    return ">99.9%" if probability > 0.999 else percent(probability, 1)


def level_text(level: float) -> str:
    return f"{100 * level:.10g}%"


def a_chance(power: float) -> str:
    """A chance of so much, with its article."""
    share = level_text(power)
    return f"a{'n' if share.startswith(('8', '11%', '18')) else ''} {share} chance"


def span(low: float, high: float, digits: int = 3, sign: bool = False) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    ends = dict.fromkeys((number(low, digits, sign), number(high, digits, sign)))
    return " to ".join(ends)


def ranks(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return NONE
    return f"{low} to {high}" if low < high else str(low)


def shortened(text: str, most: int) -> str:
    """A text of at most `most` characters, shortened in the middle, as names differ at either end."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - tail - 1] + "…" + (text[-tail:] if tail else "")


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence; all of them if only one would be left."""
    if not names:
        return "none"
    most += len(names) == most + 1
    shown = [shortened(printable(name), most=60) for name in names[:most]]
    left = len(names) - len(shown)
    return joined([*shown, *([f"{left} more"] if left else [])])


def joined(parts: Sequence[str]) -> str:
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last


def sentence(text: str) -> str:
    """A remark as a sentence: capital first, unless it begins with a symbol or a name, and full stop last."""
    text = printable(text).strip()
    first = text.split(" ", 1)[0].rstrip(",")
    return (capital(text) if first.isalpha() else text) + ("" if text.endswith((".", "!", "?")) else ".")


def capital(text: str) -> str:
    """The beginning of a sentence; a symbol of one letter stays, as τ and p do, and other letters stay."""
    symbol = text[:1] != "a" and not text[1:2].isalpha()
    return text if symbol else text[:1].upper() + text[1:]
