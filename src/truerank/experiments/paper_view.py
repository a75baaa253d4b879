"""The page of a paper: its items in its order, what it claims and prints, and what we find."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
    """The paper's items in its order: what it claims, what we find, figures and tables."""
    declared = found.declared
    answer = [*_numbers(found), *_claims(found)]
    scored = [one for one in _compared(found) if one.z is not None]
    if len(scored) > 1:
        far = sum(abs(one.z or 0.0) > 2 for one in scored)
        most = max(scored, key=lambda one: abs(one.z or 0.0))
        answer.append(f"{far} of {len(scored)} z-scores are beyond 2 ({far / len(scored):.1%}).")
        largest = f"{most.z:+.1f}".replace("-", "−")
        answer.append(f"The largest is {largest}: {most.item}, {most.what}.")
    return View(
        command="experiment paper",
        title=declared["title"],
        subject=declared["reference"],
        answer=answer,
        sections=[_section(found, item) for item in declared["items"]],
        notes=[Note("experiment", {"text": text}) for text in found.notes],
        how=f"truerank {__version__}; every run has its manifest in runs/.",
        references=[found.paper],
        unit="",
    )


def _compared(found: Paper) -> list[PaperItem]:
    """The published numbers that ours are compared with: those of the same data."""
    numbers = (one for one in found.items if one.published is not None and one.here is not None)
    return [one for one in numbers if not one.note.startswith(OTHER_DATA)]


def _numbers(found: Paper) -> list[str]:
    """How many published numbers are found; which are not, and why."""
    numbers, answer = _compared(found), []
    if numbers:
        near = sum(one.note in NEAR for one in numbers)
        answer = [
            f"Published numbers found as printed or within 2 standard errors: {near} of {len(numbers)}."
        ]
        answer += _not_found(one for one in numbers if one.note not in NEAR)
    if elsewhere := sum(one.note.startswith(OTHER_DATA) for one in found.items if one.here is not None):
        answer.append(f"{elsewhere} published numbers are of other data; ours stand beside them.")
    return answer


def _claims(found: Paper) -> list[str]:
    """How many claims are found; which are not, and why."""
    claims = [one for one in found.items if one.published is None and one.here is not None]
    if not claims:
        return []
    held, opposite = (sum(one.note.startswith(way) for one in claims) for way in (CLAIMED, OPPOSITE))
    return [
        f"Claims: {held} of {len(claims)} found as claimed, {opposite} the opposite.",
        *_not_found(one for one in claims if not one.note.startswith(CLAIMED)),
    ]


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
    """One item under its number in the paper."""
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
    same = [len(kept) > 1 and len({str(row[i]) for row in kept}) == 1 for i in range(len(keys))]
    text = [column.kind.text(kept[0][i]) if kept else "" for i, column in enumerate(table.columns)]
    said = [f"{c.heading} = {text[i]}" for i, c in enumerate(table.columns) if same[i]]
    places = [i for i, alike in enumerate(same) if not alike]
    return replace(
        table,
        name=name,
        columns=tuple(replace(one, heading=_heading(one)) for one in (table.columns[i] for i in places)),
        rows=[tuple(row[i] for i in places) for row in kept],
        note=f"In all rows: {', '.join(said)}." if said else table.note,
    )


def _heading(column: Column) -> str:
    """The heading of a column of a run, as papers write it; names of estimators stay."""
    if column.key in ESTIMATORS:
        return column.heading
    words = (one.upper() if one in INITIALS else one for one in column.heading.split(" "))
    return capital(" ".join(words))


def _published_table(slug: str, name: str, numbers: Sequence[PaperItem]) -> Table:
    """Published numbers beside ours; a column that is empty everywhere is left out, one note of all below."""
    digits = Number(digits=4)
    columns = {
        "what": Column("What", Text()),
        "printed": Column("Published", Text(), "published"),
        "here": Column("Here", digits),
        "difference": Column("Difference", digits),
        "se": Column("SE", digits),
        "z": Column("z", Number(digits=1)),
        "note": Column("Note", Text()),
    }
    rows = [replace(one, printed=one.printed.replace("-", "−")) for one in numbers]
    kept = [key for key in columns if any(getattr(row, key) not in (None, "") for row in rows)]
    what = "published numbers beside ours" if any(row.published is not None for row in rows) else "claims"
    alike = f"In all rows: {rows[0].note}. " if len(rows) > 1 and len({row.note for row in rows}) == 1 else ""
    if alike and "note" in kept:
        kept.remove("note")
    else:
        alike = ""
    said = "SE: of the difference, at most. z: distance to the numbers that round to the printed one, in SE."
    return Table(
        f"{slug}-published",
        f"{name}: {what}",
        tuple(replace(columns[key], key=columns[key].key or key) for key in kept),
        [tuple(getattr(row, key) for key in kept) for row in rows],
        f"{alike}{said if any(row.se for row in rows) else ''}".strip(),
    )


register(Paper, view)
