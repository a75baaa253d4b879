"""The view of topics: which decide a ranking, and which labels to read first."""

from __future__ import annotations

import math
from dataclasses import replace

from truerank._support.tables import Table
from truerank._support.wording import percent, some
from truerank.reliability.topics import DecidingTopic, Topics
from truerank.report.view import Asked, Section, View
from truerank.report.views import made, subject
from truerank.report.words import Words


def view(found: Topics, asked: Asked) -> View:
    """What there is to see of the topics."""
    dead = _dead(found)
    said = Words(
        "topics",
        found=found,
        topic=found.sampled.one,
        topics=found.sampled.many,
        against=_against(found),
        dead=dead,
        alike=_alike(found, dead),
    )
    return View(
        command="topics",
        title=f"Which {found.sampled.many} decide this ranking?",
        subject=subject(
            found.measure, f"{len(found.systems)} systems", f"{len(found.topics):,} {found.sampled.many}"
        ),
        answer=said.all("answer"),
        main="topics",
        sections=[_section(found, said("columns")), _all(found, said("columns"))],
        notes=found.notes,
        how=said("how"),
        made=made(found.version),
        measure=found.measure,
        numbers={"SeparatingTenth": percent(found.carried), "Dead": str(len(_dead(found)))},
        sentence=said("paper"),
    )


def _dead(found: Topics) -> list[DecidingTopic]:
    return [one for one in found.topics if one.dead]


def _against(found: Topics) -> list[DecidingTopic]:
    """The topics that disagree with the ranking, most first."""
    return sorted((one for one in found.topics if one.separation < 0), key=lambda one: one.separation)


def _alike(found: Topics, dead: list[DecidingTopic]) -> str:
    """How many of the dead topics all systems have wrong, and right; else the names of some."""
    means = [one.mean for one in dead]
    words = ("all wrong", "all right") if found.right_or_wrong else ("all 0", "all 1")
    counts = [means.count(0.0), means.count(1.0)]
    if not any(counts):
        return some([one.place for one in dead], 3)
    parts = [f"{n:,} {word}" for n, word in zip(counts, words, strict=True) if n]
    others = len(dead) - sum(counts)
    return ", ".join([*parts, f"{others:,} other"] if others else parts)


def _table(found: Topics, name: str, caption: str, rows: list[DecidingTopic], note: str = "") -> Table:
    sets = any(one.data_set not in (None, one.topic) for one in found.topics)
    without = () if sets else ("data_set",)
    return Table.of(name, caption, DecidingTopic, rows, unit=found.sampled, without=without, note=note)


def _section(found: Topics, columns: str) -> Section:
    """The topics that decide, and those that disagree with the ranking: a few of each."""
    topics, against = found.sampled.many.capitalize(), _against(found)
    tables = [
        _table(found, "deciding", f"{topics} that separate the systems most", list(found.separating)),
        _table(found, "against", f"{topics} that disagree with the ranking", against),
        _table(found, "dead", f"{topics} on which all systems score the same", _dead(found)),
    ]
    last = 1 if against else 0
    tables[last] = replace(tables[last], note=columns)
    tables[2] = replace(tables[2], files_only=True)
    return Section("topics", topics, tables=tables)


def _all(found: Topics, columns: str) -> Section:
    rows = sorted(found.topics, key=lambda one: (math.isnan(one.item_rest), one.item_rest))
    many = found.sampled.many
    table = _table(found, "topics", f"All {many}, lowest item-rest correlation first", rows, columns)
    return Section("all", f"All {many}", tables=[table], details=True)
