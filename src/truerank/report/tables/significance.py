"""Who is significantly better than whom, for a paper: superscripts for all pairs, and the baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from truerank._support.version import __version__
from truerank.report.lettering import in_passing, tabled
from truerank.report.parts.significance import adjusted, drawn, how, verdict
from truerank.report.tables.paper import PaperColumn, PaperTable, latex_file, markdown_file, together
from truerank.report.tables.table import Marked
from truerank.report.words import NONE, listed, number, p_text, printable

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.comparison.significance import Significance

LETTERS = "abcdefghijklmnoprstuvwxyz"
"""What systems are called in superscripts; Unicode's q set high is in hardly any font."""

DIGITS = 4
"""Of means."""

_HIGH = str.maketrans("abcdefghijklmnoprstuvwxyz0123456789-", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def systems_frame(found: Sequence[Significance], name: Callable[[str], str] = printable) -> DataFrame:
    """Label, system, and a :class:`Marked` mean by each measure; in the order of the first one's ranking.

    Args:
        found: one a measure, all by the same test.
        name: how a system's name is written.
    """
    import pandas as pd

    rows = _systems(found)
    names, short = labels(len(rows)), tabled(rows)
    columns: dict[str, list[object]] = {"#": list(names), "system": [name(short[system]) for system in rows]}
    for title, one in zip(titles(found), found, strict=True):
        columns[title] = list(_cells(one, rows, names))
    return pd.DataFrame(columns)


def _systems(found: Sequence[Significance]) -> list[str]:
    """All systems, those of the first measure first, in the order of its ranking."""
    return list(dict.fromkeys(system for one in found for system in one.scores.systems))


def titles(found: Sequence[Significance]) -> list[str]:
    """What the means by each measure are called, each otherwise than the others."""
    made: list[str] = []
    for place, one in enumerate(found, 1):
        title = printable(one.measure) or ("mean" if len(found) == 1 else f"mean {place}")
        made.append(title if title not in ("#", "system", *made) else f"{title} ({place})")
    return made


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


def paper_tables(found: Sequence[Significance]) -> list[tuple[str, PaperTable]]:
    """The systems by all measures, and each measure's differences to the baseline, if there is one.

    Returns:
        Each with the measure for its label; the first has none where it is of several.
    """
    names = titles(found)
    of_measures = ["", *names] if len(found) > 1 else [found[0].measure] * 2
    tables = [(of_measures[0], _systems_table(found, names))]
    for measure, one in zip(of_measures[1:], found, strict=True):
        if one.against:
            tables.append((measure, _baseline_table(one)))
    return tables


def _systems_table(found: Sequence[Significance], names: Sequence[str]) -> PaperTable:
    first, rows = found[0], _systems(found)
    called = labels(len(rows))
    columns = [
        PaperColumn(("#",), "r" if called[0].isdigit() else "l"),
        PaperColumn(("System",), "l"),
        *(
            PaperColumn((name[0].upper() + name[1:] if name.startswith("mean") else name,), "l")
            for name in names
        ),
    ]
    cells = [[_ranged(cell) for cell in _cells(one, rows, called)] for one in found]
    topics = sorted({one.scores.n for one in found})
    over = str(topics[0]) if len(topics) == 1 else f"{topics[0]} to {topics[-1]}"
    measures = [in_passing(one.measure) for one in found if one.measure]
    by = f" by {listed(measures)}" if measures else ""
    caption = (
        f"Means of {len(rows)} systems{by} on {over} topics. Superscripts: the systems that one is "
        f"significantly better than ({how(first)}; significance level {first.alpha:g}). Bold: the highest "
        f"mean. {_made(first)}"
    )
    return PaperTable("significance", (caption,), columns, list(zip(called, rows, *cells, strict=True)))


def _ranged(cell: Marked) -> Marked:
    """With ranges of numbers as print has them."""
    return Marked(cell.text, cell.marks.replace("-", "–"), cell.strong)


def _baseline_table(one: Significance) -> PaperTable:
    columns = [
        PaperColumn(("System",), "l"),
        PaperColumn(("Difference",)),
        PaperColumn(("p",)),
        PaperColumn(("p, adjusted",)),
        PaperColumn(("Verdict",), "l"),
    ]
    rows = [
        [
            other.system,
            number(other.difference, DIGITS, sign=True),
            p_text(other.unadjusted),
            p_text(other.p_value),
            verdict(one, other) or NONE,
        ]
        for other in one.against
    ]
    by = f" by {in_passing(one.measure)}" if one.measure else ""
    caption = (
        f"Differences of the mean to the baseline {in_passing(one.baseline or '')}{by} on {one.scores.n} "
        f"topics ({how(one)}). p: two-sided, of no difference. {adjusted(one)} Verdict: better or worse "
        f"where p, adjusted, is below {one.alpha:g}. {_made(one)}"
    )
    return PaperTable("significance-baseline", (caption,), columns, rows)


def _made(one: Significance) -> str:
    """What sets the digits, for the end of a caption."""
    return f"({drawn(one)}truerank {__version__}, seed {one.seed}.)"


def latex_text(found: Sequence[Significance]) -> str:
    """The tables for a paper, for the booktabs package; names are escaped."""
    return together([latex_file([table], measure) for measure, table in paper_tables(found)])


def markdown_text(found: Sequence[Significance]) -> str:
    """The same as Markdown, with superscripts as HTML's ``<sup>``."""
    return markdown_file([table for _, table in paper_tables(found)])
