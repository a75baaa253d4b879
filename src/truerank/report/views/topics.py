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


def view(result: Topics, asked: Asked) -> View:
    dead = _dead(result)
    words = Words(
        "topics",
        result=result,
        topic=result.sampled.one,
        topics=result.sampled.many,
        against=_against(result),
        dead=dead,
        alike=_alike(result, dead),
    )
    return View(
        command="topics",
        title=f"Which {result.sampled.many} decide this ranking?",
        subject=subject(
            result.measure, f"{len(result.systems)} systems", f"{len(result.topics):,} {result.sampled.many}"
        ),
        answer=words.all("answer"),
        main="topics",
        sections=[_section(result, words("columns")), _all(result, words("columns"))],
        notes=result.notes,
        how=words("how"),
        made=made(result.version),
        measure=result.measure,
        numbers={"SeparatingTenth": percent(result.carried), "Dead": str(len(_dead(result)))},
        sentence=words("paper"),
    )


def _dead(result: Topics) -> list[DecidingTopic]:
    return [item for item in result.topics if item.dead]


def _against(result: Topics) -> list[DecidingTopic]:
    return sorted((item for item in result.topics if item.separation < 0), key=lambda item: item.separation)


def _alike(result: Topics, dead: list[DecidingTopic]) -> str:
    """How many of the dead topics all systems have wrong, and right; else the names of some."""
    means = [item.mean for item in dead]
    words = ("all wrong", "all right") if result.right_or_wrong else ("all 0", "all 1")
    counts = [means.count(0.0), means.count(1.0)]
    if not any(counts):
        return some([item.place for item in dead], 3)
    parts = [f"{n:,} {word}" for n, word in zip(counts, words, strict=True) if n]
    others = len(dead) - sum(counts)
    return ", ".join([*parts, f"{others:,} other"] if others else parts)


def _table(result: Topics, name: str, caption: str, rows: list[DecidingTopic], note: str = "") -> Table:
    sets = any(item.data_set not in (None, item.topic) for item in result.topics)
    without = () if sets else ("data_set",)
    return Table.of(name, caption, DecidingTopic, rows, unit=result.sampled, without=without, note=note)


def _section(result: Topics, columns: str) -> Section:
    topics, against = result.sampled.many.capitalize(), _against(result)
    tables = [
        _table(result, "deciding", f"{topics} that separate the systems most", list(result.separating)),
        _table(result, "against", f"{topics} that disagree with the ranking", against),
        _table(result, "dead", f"{topics} on which all systems score the same", _dead(result)),
    ]
    last = 1 if against else 0
    tables[last] = replace(tables[last], note=columns)
    tables[2] = replace(tables[2], files_only=True)
    return Section("topics", topics, tables=tables)


def _all(result: Topics, columns: str) -> Section:
    rows = sorted(result.topics, key=lambda item: (math.isnan(item.item_rest), item.item_rest))
    many = result.sampled.many
    table = _table(result, "topics", f"All {many}, lowest item-rest correlation first", rows, columns)
    return Section("all", f"All {many}", tables=[table], details=True)
