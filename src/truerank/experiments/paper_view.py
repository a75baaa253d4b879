"""The page of a paper: its items in its order, what it claims and prints, and what we find."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from truerank._support.notes import Note
from truerank._support.tables import Column, Number, Table, Text
from truerank._support.version import __version__
from truerank._support.wording import capital, number
from truerank.experiments.paper import CLAIMED, NEAR, OPPOSITE, OTHER_DATA, Declared, Paper, PaperItem
from truerank.reliability.estimators import ESTIMATORS
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import register

FEW = 4  # numbers that are not found are named with what they measure, up to so many; more are counted
INITIALS = frozenset({"asl", "bst", "ed", "kde", "krcc", "pct", "se"})  # words of headings that are


def view(found: Paper, asked: Asked) -> View:
    declared = found.declared
    return View(
        command="experiment paper",
        title=declared["title"],
        subject=declared["reference"],
        answer=list(_answer([one for one in found.items if one.here is not None])),
        sections=[_section(found, item) for item in declared["items"]],
        notes=[Note("experiment", {"text": text}) for text in found.notes],
        how=f"truerank {__version__}; every run has its manifest in runs/.",
        references=[found.paper],
        unit="",
    )


def _answer(items: Sequence[PaperItem]) -> Iterator[str]:
    """How many published numbers and claims are found; which are not, and why."""
    numbers = [one for one in items if one.published is not None]
    claims = [one for one in items if one.published is None]
    compared = [one for one in numbers if not one.note.startswith(OTHER_DATA)]
    if compared:
        near = sum(one.note in NEAR for one in compared)
        yield f"Published numbers found as printed or within 2 standard errors: {near} of {len(compared)}."
        yield from _not_found(one for one in compared if one.note not in NEAR)
    if len(numbers) > len(compared):
        elsewhere = len(numbers) - len(compared)
        yield f"{elsewhere} published numbers are of other data; ours stand beside them."
    if claims:
        held, opposite = (sum(one.note.startswith(way) for one in claims) for way in (CLAIMED, OPPOSITE))
        yield f"Claims: {held} of {len(claims)} found as claimed, {opposite} the opposite."
        yield from _not_found(one for one in claims if not one.note.startswith(CLAIMED))
    scored = [(abs(one.z), one) for one in compared if one.z is not None]
    if len(scored) > 1:
        far, (_, most) = sum(z > 2 for z, _ in scored), max(scored, key=lambda pair: pair[0])
        yield f"{far} of {len(scored)} z-scores are beyond 2 ({far / len(scored):.1%})."
        largest = f"{most.z:+.1f}".replace("-", "−")
        yield f"The largest is {largest}: {most.item}, {most.what}."


def _not_found(items: Iterable[PaperItem]) -> list[str]:
    """What is not found, by the reason why; many are counted by where they stand."""
    by_reason: dict[str, list[PaperItem]] = {}
    for one in items:
        by_reason.setdefault(one.note, []).append(one)
    lines = []
    for reason, of_it in by_reason.items():
        if len(of_it) <= FEW:
            named = "; ".join(f"{one.item}, {one.what}{_measured(one)}" for one in of_it)
            parts = reason.split("; ") if of_it[0].published is None else [reason]
            named += "".join(f"; {part}" for part in parts if part.startswith(CLAIMED))
            reason = "; ".join(part for part in parts if part != OPPOSITE and not part.startswith(CLAIMED))
        else:
            places = Counter(one.item for one in of_it)
            named = "; ".join(f"{count} of {place}" for place, count in places.items())
        lines.append(f"Not found: {named}." + (f" Why: {reason}." if reason else ""))
    return lines


def _measured(one: PaperItem) -> str:
    """What was measured of a claim; a published number has its reason."""
    if one.published is not None:
        return ""
    error = f" (SE {number(one.se, 4)})" if one.se else ""
    return f": {number(one.here, 4)}{error} here, {one.printed} in the paper"


def _section(found: Paper, item: Declared) -> Section:
    name, slug = item["name"], re.sub("[^a-z0-9.]+", "-", item["name"].lower())
    own = [one for one in found.items if one.item == name]
    text = [f"{item['what']}." if item["page"] == name else f"{item['page']}. {item['what']}."]
    text += [f"The paper: {item['claim']}"] if "claim" in item else []
    text += [item["here"]] if "here" in item else []
    numbers = [one for one in own if one.here is not None]
    for note, count in Counter(one.note for one in own if one.here is None).items():
        text.append(
            f"Missing: {note}" + (f" ({count} of {len(own)} numbers)." if numbers or count > 1 else ".")
        )
    made = [_published_table(slug, name, numbers)] if numbers else []
    figures: list[Figure] = []
    if (results := found.parts.get(name)) is not None and results.data:
        shown = {one.name: one for one in results.findings.tables}
        made += [
            _plain_table(shown[one], f"{slug}-{one}", item.get("rows", {}))
            for one in item.get("tables", ())
            if one in shown
        ]
        figures = [
            Figure(f"{slug}-{key}", f"{item['what']}.", draw)
            for wanted in item.get("figures", ())
            for key, draw in results.findings.figures.items()
            if key == wanted or key.startswith(f"{wanted}-")
        ]
    return Section(slug, name, text, figures, made)


def _plain_table(table: Table, name: str, rows: Declared) -> Table:
    """A table of a run with the rows that an item is about; what is the same in all of them stands below."""
    keys = [column.key for column in table.columns]
    kept = [row for row in table.rows if all(row[keys.index(key)] == value for key, value in rows.items())]
    common, columns, places = [], [], []
    for place, column in enumerate(table.columns):
        if len(kept) > 1 and len({str(row[place]) for row in kept}) == 1:
            common.append(f"{column.heading} = {column.kind.text(kept[0][place])}")
        else:
            columns.append(replace(column, heading=_heading(column)))
            places.append(place)
    return replace(
        table,
        name=name,
        columns=tuple(columns),
        rows=[tuple(row[place] for place in places) for row in kept],
        note=f"In all rows: {', '.join(common)}." if common else table.note,
    )


def _heading(column: Column) -> str:
    """The heading of a column of a run, as papers write it; names of estimators stay."""
    if column.key in ESTIMATORS:
        return column.heading
    words = (one.upper() if one in INITIALS else one for one in column.heading.split(" "))
    return capital(" ".join(words))


COLUMNS = {
    "what": Column("What", Text(), "what"),
    "printed": Column("Published", Text(), "published"),
    "here": Column("Here", Number(digits=4), "here"),
    "difference": Column("Difference", Number(digits=4), "difference"),
    "se": Column("SE", Number(digits=4), "se"),
    "z": Column("z", Number(digits=1), "z"),
    "note": Column("Note", Text(), "note"),
}
SE = "SE: of the difference, at most. z: distance to the numbers that round to the printed one, in SE."


def _published_table(slug: str, name: str, numbers: Sequence[PaperItem]) -> Table:
    """Published numbers beside ours; a column that is empty everywhere is left out, one note of all below."""
    rows = [replace(one, printed=one.printed.replace("-", "−")) for one in numbers]
    kept = [key for key in COLUMNS if any(getattr(row, key) not in (None, "") for row in rows)]
    what = "published numbers beside ours" if any(row.published is not None for row in rows) else "claims"
    below = [SE] if any(row.se for row in rows) else []
    if "note" in kept and len(rows) > 1 and len({row.note for row in rows}) == 1:
        kept.remove("note")
        below = [f"In all rows: {rows[0].note}.", *below]
    return Table(
        f"{slug}-published",
        f"{name}: {what}",
        tuple(COLUMNS[key] for key in kept),
        [tuple(getattr(row, key) for key in kept) for row in rows],
        " ".join(below),
    )


register(Paper, view)
