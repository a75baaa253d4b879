"""The view of topics: which decide a ranking, and which labels to read first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from truerank._support.tables import Table
from truerank._support.wording import listed, percent, some
from truerank.reliability.topics import DecidingTopic, Topics
from truerank.report.view import Asked, Section, View
from truerank.report.views import facts, made, register, subject


def view(found: Topics, asked: Asked) -> View:
    """What there is to see of the topics."""
    return View(
        command="topics",
        title=f"Which {found.sampled.many} decide this ranking?",
        subject=subject(
            found.measure, f"{len(found.systems)} systems", f"{len(found.topics):,} {found.sampled.many}"
        ),
        answer=list(_answer(found)),
        sections=[_section(found), _all(found)],
        notes=found.notes,
        how=f"Chance: each {found.sampled.one}’s scores dealt to the systems anew; truerank {found.version}.",
        measure=found.measure,
        facts=facts(found.version),
        numbers={"SeparatingTenth": percent(found.carried), "Dead": str(len(_dead(found)))},
        sentence=(
            f"Labels to read were looked for by the lowest item-rest correlations of {found.sampled.many}, "
            f"with truerank {found.version} [@truerank]; no {found.sampled.one} was left out for it."
        ),
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


def _answer(found: Topics) -> Iterator[str]:
    yield _carried(found)
    against = len(_against(found))
    few = found.sampled.count(against) if against else f"No {found.sampled.one}"
    by_chance = f"{found.against_by_chance:,.0f} would if all systems were equally good"
    yield f"{few} disagree{'s' if against < 2 else ''} with the ranking; {by_chance}."
    if dead := _dead(found):
        yield f"On {len(dead):,} all systems score the same: {_alike(found, dead)}."
    if found.read_first:
        yield _to_look_at(found)
    yield (
        f"Do not assess the ranking on {found.sampled.many} that were chosen by this table: τ is then "
        f"overstated by up to 0.2. To keep fewer {found.sampled.many}, draw them at random."
    )


def _carried(found: Topics) -> str:
    """How much of the separation the first tenth carries, beside what chance alone gives it."""
    first, many = found.separating, len(found.topics)
    who = f"{len(first):,} of {many:,} {found.sampled.many} carr{'ies' if len(first) == 1 else 'y'}"
    what = "separation that agrees with the ranking" if _against(found) else "separation between systems"
    return (
        f"{who} {percent(found.carried)} of the {what}; if all systems were equally good, "
        f"{percent(found.carried_by_chance)}."
    )


def _to_look_at(found: Topics) -> str:
    names, many = listed(found.read_first), found.sampled.many
    if found.sampled.one == "data set":
        unlike = "They order systems unlike the others, which need not be an error."
        return f"Look at these {many} first: {names}. {unlike}"
    return (
        f"Read these labels first: {names}, of lowest item-rest correlation. Sound {many} are among them, so "
        "correct a label only by other evidence, and for all systems alike."
    )


def _by_rest(found: Topics) -> list[DecidingTopic]:
    return sorted(found.topics, key=lambda one: (math.isnan(one.item_rest), one.item_rest))


def _table(found: Topics, name: str, caption: str, rows: list[DecidingTopic], note: str = "") -> Table:
    sets = any(one.data_set not in (None, one.topic) for one in found.topics)
    without = () if sets else ("data_set",)
    digits = made(found.version)
    return Table.of(
        name, caption, DecidingTopic, rows, unit=found.sampled, without=without, note=note, made=digits
    )


def _section(found: Topics) -> Section:
    """The topics that decide, and those that disagree with the ranking: a few of each."""
    topics, against = found.sampled.many.capitalize(), _against(found)
    tables = [
        _table(found, "deciding", f"{topics} that separate the systems most", list(found.separating)),
        _table(found, "against", f"{topics} that disagree with the ranking", against),
        _table(found, "dead", f"{topics} on which all systems score the same", _dead(found)),
    ]
    last = 1 if against else 0
    tables[last] = replace(tables[last], note=_columns(found))
    tables[2] = replace(tables[2], files_only=True)
    return Section("topics", topics, tables=tables)


def _columns(found: Topics) -> str:
    """What the columns of its tables mean."""
    return (
        "Separation: share of the spread of the systems’ scores; below 0 against the ranking; all add up to "
        f"100%. Item-rest: correlation with the means of the other {found.sampled.many}, over systems."
    )


def _all(found: Topics) -> Section:
    table = _table(
        found,
        "topics",
        f"All {found.sampled.many}, lowest item-rest correlation first",
        _by_rest(found),
        _columns(found),
    )
    return Section("all", f"All {found.sampled.many}", tables=[table], details=True)


register(Topics, view, tables="topics deciding against dead")
