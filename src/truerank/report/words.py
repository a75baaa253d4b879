"""Numbers, names and lists as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup, escape

from truerank._support.wording import p_equation, p_text, topics_text
from truerank.coefficients import COEFFICIENTS
from truerank.reliability.letters import letter_number
from truerank.reliability.order import interval_level

if TYPE_CHECKING:
    from truerank.reliability.results import Settings

__all__ = [
    "NONE",
    "Described",
    "counts",
    "described",
    "difference_interval",
    "letter_runs",
    "level_text",
    "listed",
    "number",
    "p_equation",
    "p_text",
    "percent",
    "printable",
    "printable_lines",
    "ranks",
    "rough",
    "sentence",
    "share",
    "shortened",
    "span",
    "symbol",
    "symbol_html",
    "verdict_text",
]

NONE = "–"
"""What stands where there is no value."""

_UNFIT_IN_LINES = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef" + "".join(
    chr(plane + last) for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)
)
"""What neither XML nor HTML may hold: control characters, lone surrogates and Unicode's noncharacters."""

_UNFIT_LETTER = re.compile(f"[{_UNFIT_IN_LINES}]")
_UNFIT = re.compile(f"[\t\n{_UNFIT_IN_LINES}]")
_FIT_BYTES = bytes([*b"\t\n", *range(0x20, 0x7F)])


def number(value: float | None, digits: int = 3, sign: bool = False) -> str:
    """A number with a true minus; a dash where there is none.

    >>> number(-0.5), number(0.25, 1, sign=True), number(float("nan"))
    ('−0.500', '+0.2', '–')
    """
    if value is None or not math.isfinite(value):
        return NONE
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def rough(value: float) -> str:
    """A number to two significant digits, whole from ten on: for what was estimated in passing.

    >>> rough(0.1234), rough(5.06), rough(48.3)
    ('0.12', '5.1', '48')
    """
    if not math.isfinite(value):
        return NONE
    return number(value, max(0, 1 - math.floor(math.log10(abs(value)))) if value else 0)


def percent(share: float, digits: int = 0) -> str:
    """A share as a percentage; rounding makes none and all only of what is none and all.

    >>> percent(0.953), percent(0.5, 1), percent(0.0002, 1), percent(0.9999), percent(0.0, 1), percent(1.0)
    ('95%', '50.0%', '<0.1%', '>99%', '0%', '100%')
    """
    if not math.isfinite(share):
        return NONE
    least = 10.0**-digits
    rounded = round(100 * share, digits)
    if 0 < share < 1 and rounded in (0, 100):
        return f"<{number(least, digits)}%" if rounded == 0 else f">{number(100 - least, digits)}%"
    return number(100 * share, 0 if share in (0, 1) else digits) + "%"


def share(probability: float | None) -> str:
    """A probability as a percentage that never says 0 or 100.

    >>> share(0.4073), share(0.0), share(0.9999), share(None)
    ('40.7%', '<0.1%', '>99.9%', '–')
    """
    if probability is None or not math.isfinite(probability):
        return NONE
    if probability < 0.001:
        return "<0.1%"
    return ">99.9%" if probability > 0.999 else percent(probability, 1)


def level_text(level: float) -> str:
    """A confidence level: ``95%``, ``99.5%``."""
    return f"{100 * level:.10g}%"


def difference_interval(settings: Settings) -> str:
    """What the interval of a difference to the baseline is called: ``90% interval``.

    It goes with a one-sided rule, and with the guarantee holds for all pairs at once.
    """
    level = settings.levels[0]
    if settings.guarantee:
        return f"{level_text(level)} simultaneous interval"
    return f"{level_text(interval_level(level))} interval"


def span(low: float, high: float, digits: int = 3, sign: bool = False) -> str:
    """An interval; a single number where both ends look the same.

    >>> span(0.281, 0.422), span(0.98, 0.981, 2), span(-0.1, 0.2, 1, sign=True)
    ('0.281 to 0.422', '0.98', '−0.1 to +0.2')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return NONE
    ends = dict.fromkeys((number(low, digits, sign), number(high, digits, sign)))
    return " to ".join(ends)


def counts(low: float, high: float) -> str:
    """An interval of how many, of topics say.

    >>> counts(12, 1200), counts(12, 12), counts(30, math.inf)
    ('12 to 1,200', '12', '30 to more than a million')
    """
    return " to ".join(dict.fromkeys((topics_text(low), topics_text(high))))


def verdict_text(verdict: str) -> str:
    """A verdict as people read it, whose fixed name in files of data has a straight apostrophe.

    >>> verdict_text("can't tell"), verdict_text("better")
    ('can’t tell', 'better')
    """
    return verdict.replace("'", "’")


def ranks(low: int | None, high: int | None) -> str:
    """An interval of ranks.

    >>> ranks(1, 10), ranks(3, 3), ranks(None, None)
    ('1 to 10', '3', '–')
    """
    if low is None or high is None:
        return NONE
    return f"{low} to {high}" if low < high else str(low)


def printable(name: str) -> str:
    r"""A name from a file with all that no page or figure may hold escaped, as the terminal shows it.

    >>> printable("two\nlines\x1b\uffff")
    'two\\nlines\\x1b\\uffff'
    """
    return _UNFIT.sub(lambda unfit: unfit[0].encode("unicode_escape").decode(), name)


def printable_lines(text: str) -> str:
    """A text like that, with its line breaks and tabs left as they are."""
    # Nearly all of a page is ASCII, which goes twenty times as fast in bytes as letter by letter.
    others = text.encode("utf-8", "surrogatepass").translate(None, _FIT_BYTES)
    if not _UNFIT_LETTER.search(others.decode("utf-8", "surrogatepass")):
        return text
    return _UNFIT_LETTER.sub(lambda unfit: printable(unfit[0]), text)


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, shortened in the middle: names differ at either end.

    >>> shortened("splade-large", most=7), shortened("splade", most=7)
    ('spl…rge', 'splade')
    """
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - tail - 1] + "…" + (text[-tail:] if tail else "")


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b and c', 'a, b and 2 more')
    """
    shown = [shortened(printable(name), most=60) for name in names[:most]]
    left = len(names) - len(shown)
    last = f"{left} more" if left else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def letter_runs(letters: str, spaced: bool = False) -> str:
    """The letters of a system, three and more in a row as the first and the last.

    Args:
        letters: of the system.
        spaced: whether its ranking has spaces between letters (:func:`truerank.reliability.letters.spaced`).

    >>> letter_runs("abdefg"), letter_runs("y z aa ab", spaced=True), letter_runs("ab", spaced=True)
    ('a b d–g', 'y–ab', 'ab')
    """
    names = letters.split() if spaced else list(letters)
    runs: list[list[str]] = []
    for name in names:
        if runs and letter_number(name) == letter_number(runs[-1][-1]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else " ".join(run) for run in runs]
    return " ".join(shown)


def symbol(coefficient: str) -> str:
    """The symbol of a coefficient as plain text, e.g. ``τ_AP``."""
    found = COEFFICIENTS.get(coefficient)
    return found.label if found else printable(coefficient)


def symbol_html(coefficient: str) -> Markup:
    """The symbol of a coefficient with its index set low.

    >>> symbol_html("tau_ap")
    Markup('τ<sub>AP</sub>')
    """
    head, _, index = symbol(coefficient).partition("_")
    return escape(head) + (Markup("<sub>{}</sub>").format(index) if index else "")


def symbols_html(text: str) -> Markup:
    """A text with the symbols of coefficients in it drawn as :func:`symbol_html` draws them.

    >>> symbols_html("τ_AP < 1")
    Markup('τ<sub>AP</sub> &lt; 1')
    """
    shown = escape(text)
    for coefficient in COEFFICIENTS.values():
        if "_" in coefficient.label:
            shown = Markup(str(shown).replace(str(escape(coefficient.label)), symbol_html(coefficient.name)))
    return shown


def sentence(text: str) -> str:
    """A remark as a sentence: capital first, unless it begins with what may be a name, and full stop last.

    >>> sentence("only 4 topics"), sentence("log.json: cut short"), sentence("bm25 leads.")
    ('Only 4 topics.', 'log.json: cut short.', 'bm25 leads.')
    """
    text = printable(text).strip()
    first = text.split(" ", 1)[0].rstrip(",")
    capital = text[:1].upper() + text[1:] if first.isalpha() else text
    return capital + ("" if text.endswith((".", "!", "?")) else ".")


class Described(NamedTuple):
    """What a thing that is known by name says of itself (:class:`truerank._support.registry.Explained`).

    Attributes:
        name: what users type.
        label: what users read; empty for a thing that is not registered.
        explanation: with formulas and references, for :func:`truerank.report.formulas.explained`.
        formula: LaTeX.
        references: keys of publications.
        reading: how its values are to be read, as the predicate of a sentence about it.
    """

    name: str
    label: str = ""
    explanation: str = ""
    formula: str = ""
    references: tuple[str, ...] = ()
    reading: str = ""


def described(registry: Mapping[str, Any], names: Iterable[str]) -> list[Described]:
    """What things of these names say of themselves, each once; of an unregistered one only its name.

    >>> from truerank.coefficients import COEFFICIENTS
    >>> [c.label for c in described(COEFFICIENTS, ["tau", "tau", "my own"])]
    ['τ', '']
    """
    found = []
    for name in dict.fromkeys(names):
        thing = registry.get(name)
        fields = {field: getattr(thing, field, "") for field in Described._fields[1:]}
        found.append(Described(name, **fields | {"references": tuple(fields["references"])}))
    return found
