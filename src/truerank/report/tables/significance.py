"""The table of systems with superscripts: which others each one is significantly better than."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truerank.comparison.significance import CORRECTIONS, TESTS
from truerank.report.lettering import left_out, tabled
from truerank.report.tables.table import Marked, latex, markdown
from truerank.report.words import NONE, number, printable

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.comparison.significance import Significance

LETTERS = "abcdefghijklmnoprstuvwxyz"
"""What systems are called in superscripts; Unicode's q set high is in hardly any font."""

DIGITS = 4
"""Of means."""

_HIGH = str.maketrans("abcdefghijklmnoprstuvwxyz0123456789-", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#~$])")


@dataclass(frozen=True)
class SystemsTable:
    """The systems, one a row, with a column for each measure; for :mod:`truerank.report.tables.table`.

    Attributes:
        caption: what it holds.
        frame: label, system, and a :class:`Marked` mean for each measure.
        digits: of numbers that are not formatted yet: none are.
    """

    caption: str
    frame: DataFrame
    digits: int = DIGITS


def systems_table(found: Sequence[Significance], name: Callable[[str], str] = printable) -> SystemsTable:
    """The table of several measures, systems in the order of the first one's ranking.

    Args:
        found: one a measure, all by the same test.
        name: how a system's name is written.
    """
    import pandas as pd

    rows = list(dict.fromkeys(system for one in found for system in one.scores.systems))
    names = labels(len(rows))
    columns: dict[str, list[object]] = {"#": list(names)}
    short = tabled(rows)
    columns["system"] = [name(short[system]) for system in rows]
    for place, one in enumerate(found, 1):
        cells = _cells(one, rows, names)
        title = printable(one.measure) or ("mean" if len(found) == 1 else f"mean {place}")
        columns[title if title not in columns else f"{title} ({place})"] = list(cells)
    said = ". ".join(text for text in (caption(found), left_out(short).removesuffix(".")) if text)
    return SystemsTable(said, pd.DataFrame(columns))


def labels(count: int) -> tuple[str, ...]:
    """What the systems are called in superscripts: letters, or their numbers where letters do not suffice.

    >>> labels(3), labels(26)[-1]
    (('a', 'b', 'c'), '26')
    """
    if count <= len(LETTERS):
        return tuple(LETTERS[:count])
    return tuple(str(place + 1) for place in range(count))


def marks(places: Sequence[int], names: Sequence[str]) -> str:
    """The labels of these places, together: letters side by side, numbers as ranges.

    >>> marks([1, 2], labels(4)), marks([0, 2, 3, 4, 28], labels(30))
    ('bc', '1,3-5,29')
    """
    if not names[0].isdigit():
        return "".join(names[place] for place in places)
    runs: list[list[int]] = []
    for place in sorted(places):
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return ",".join(names[a] if a == b else f"{names[a]}-{names[b]}" for a, b in runs)


def raised(text: str) -> str:
    """Marks set high in plain text.

    >>> raised("abc"), raised("1,3-5")
    ('ᵃᵇᶜ', '¹,³⁻⁵')
    """
    return text.translate(_HIGH)


def _cells(one: Significance, rows: Sequence[str], names: Sequence[str]) -> list[Marked]:
    place = {system: row for row, system in enumerate(rows)}
    at = {system: column for column, system in enumerate(one.scores.systems)}
    means = one.scores.means
    best = number(float(means.max()), DIGITS)
    cells = []
    for system in rows:
        if system not in at:
            cells.append(Marked(NONE))
            continue
        beaten = sorted(place[one.scores.systems[other]] for other in one.better_than(at[system]))
        mean = number(float(means[at[system]]), DIGITS)
        cells.append(Marked(mean, marks(beaten, names), strong=mean == best))
    return cells


def caption(found: Sequence[Significance]) -> str:
    """What the table holds and how its superscripts came about, without a full stop."""
    first = found[0]
    test, correction = TESTS[first.tests.test], CORRECTIONS[first.tests.correction]
    corrected = "" if test.simultaneous else f", {correction.label}"
    topics = sorted({one.scores.n for one in found})
    over = f"{topics[0]} topics" if len(topics) == 1 else f"{topics[0]} to {topics[-1]} topics"
    return (
        f"Means over {over}; superscripts name the systems that one is significantly better than "
        f"({test.label}{corrected}, significance level {first.alpha:g})"
    )


def latex_text(found: Sequence[Significance]) -> str:
    """The table for a paper, for the booktabs package; names are escaped."""
    return "% needs \\usepackage{booktabs}\n" + latex(systems_table(found))


def markdown_text(found: Sequence[Significance]) -> str:
    """The table as Markdown, with superscripts as HTML's ``<sup>``; names are escaped."""
    return "<!-- systems by mean -->\n" + markdown(systems_table(found, in_markdown))


def in_markdown(name: str) -> str:
    r"""A name as Markdown: nothing in it is taken for markup.

    >>> print(in_markdown("a_b<i>"))
    a\_b\<i\>
    """
    return _MARKDOWN.sub(r"\\\1", printable(name))
