"""Where the noise of a ranking comes from beside its topics: the sentence of the answer, and a section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from truerank._support.arguments import doing
from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Name, Number, PValue, Table
from truerank._support.wording import count, joined, level_text, listed, number, percent
from truerank.reliability.noise import Noise, NoiseSource, NoisySystem
from truerank.reliability.results import Assessment
from truerank.report.sampled import in_words, levels_of
from truerank.report.view import Asked, Section
from truerank.report.views import made

FEW_LEVELS = 6
"""Levels that are columns of a table; more of them are rows, with the systems that depend most on them."""

MOST = 3
"""Systems that are shown where the levels are rows."""


def noise_sentence(a: Assessment) -> Iterator[str]:
    """The share of run noise, or what the levels of facets change."""
    found = a.noise
    if found is None:
        return
    source = found.main
    if found.of_runs:
        share, low, high = (percent(end) for end in (source.share, source.low, source.high))
        part = f"{share} ({low} to {high}) of the noise comes from runs"
        buy = f": {doing('plan', option='cost')} weighs more {a.sampled.many} against more runs"
        yield f"{part}{buy if found.said_of_more else ''}."
    elif found.random:
        alone = [one for one in found.by_share if _alone(one)]
        kinds = [(_plural(a, one), percent(one.share)) for one in alone]
        shares = [f"{share} from {name}" for name, share in kinds]
        shares[0] = shares[0].replace(" from ", " of the noise comes from ", 1)
        rest = "" if sum(one.share for one in alone) > 0.995 else "; the rest comes from their interactions"
        odd = f" {_most(found)} scores {_odd(found)}." if found.matters else ""
        yield f"{joined(shares)}{rest}.{odd}"
    elif found.matters:
        yield f"The order depends on the {in_words(found.facet)}: {_most(found)} scores {_odd(found)}."


def _alone(source: NoiseSource) -> bool:
    """Whether it is topics, runs or one facet, and no interaction."""
    return any(" × " not in name for name in source.names)


def _label(a: Assessment, source: str) -> str:
    """A source as its table and figure call it: the unit of the scores for the topics."""
    return re.sub(r"\btopic\b", a.sampled.one, source)


def _plural(a: Assessment, source: NoiseSource) -> str:
    """What the levels of a source are called: ``questions``, ``judges``, ``runs``."""
    name = next(name for name in source.names if " × " not in name)
    return a.sampled.many if name == "topic" else levels_of(name)


def _odd(found: Noise) -> str:
    """The score of the system that depends most on the levels, at its odd level and at the others."""
    most = next(one for one in found.by_level if one.system == found.most.system)
    others = levels_of(found.facet) if len(found.levels) > 2 else in_words(found.facet)
    there, elsewhere = number(most.there, 2), number(most.elsewhere, 2)
    level = listed([found.levels[most.odd]])
    others = f"{elsewhere} with the other {others}"
    return f"{there} with {level} and {others}"


def _most(found: Noise) -> str:
    """The system that depends most on the levels."""
    return listed([found.most.system])


def noise_section(a: Assessment, asked: Asked) -> Section | None:
    """The sources of noise."""
    found = a.noise
    if found is None:
        return None
    tables = [_sources(a, found)] if found.of_runs else [_sources(a, found), _levels(a, found)]
    return Section("noise", "Sources of noise", tables=tables)


def noise_details(a: Assessment) -> Section | None:
    """The noise of each system."""
    found = a.noise
    if found is None:
        return None
    tables = [_systems(a, found)]
    return Section("noise-details", "Noise by system", tables=tables, details=True)


class _Levels(Count):
    """How many levels: whole numbers as such, a mean number of runs with one digit."""

    def text(self, value: float) -> str:
        return super().text(value) if value == round(value) else number(value, 1)


def _sources(a: Assessment, found: Noise) -> Table:
    """Each source with its share."""
    columns = (
        Column("Source", Name(), "source"),
        Column("Runs" if found.of_runs else "How many", _Levels(), "levels"),
        Column(
            f"Share ({level_text(found.level)} interval)", Bounded(low="low", high="high", digits=2), "share"
        ),
        Column("p of no effect", PValue(), "p_value", "of the levels on the order of systems"),
    )
    rows = [
        [_label(a, one.source), one.levels, (one.share, one.low, one.high), one.p_value]
        for one in found.by_share
    ]
    shown = 3 if found.of_runs else 4
    notes = ["Share: of the noise, the variance of a difference of two systems’ scores."]
    if not found.of_runs:
        if not found.random:
            notes.append("For facets: as if their levels were a sample.")
        if any(" × " in name for one in found.sources for name in one.names):
            notes.append("A × B: what A does to a system only together with B.")
        if any(len(one.names) > 1 for one in found.sources):
            notes.append("Sources that share a row cannot be separated by these scores.")
    if not (found.of_runs or found.matters):  # of those that matter the answer says it
        most, facet = listed([found.most.system]), listed([found.facet])
        notes.append(f"{most} depends most on {facet}: it scores {_odd(found)}.")
    return Table(
        "sources",
        f"Sources of noise{f' beside {a.sampled.many}' * found.of_runs}",
        columns[:shown],
        [row[:shown] for row in rows],
        " ".join(notes),
        _made(a),
    )


def _levels(a: Assessment, found: Noise) -> Table:
    """The mean of each system at each level; of many levels those of the systems that depend most on them."""
    facet, names = in_words(found.facet), [printable(one) for one in found.levels]
    if len(names) <= FEW_LEVELS:
        head = [Column("System", Name(), "system")]
        head += [Column(name, Number(), f"mean {name}") for name in names]
        rows: list[list[Any]] = [[one.system, *one.means] for one in found.by_level]
        note = f"Each column: mean score at this level, over all {a.sampled.many} scored there."
    else:
        spread = {one.system: one.deviation for one in found.systems}
        most = sorted(found.by_level, key=lambda one: -spread[one.system])[:MOST]
        head = [Column(facet, Name(), "level")]
        head += [Column(printable(one.system), Number(), f"mean {one.system}") for one in most]
        rows = [[name, *(one.means[k] for one in most)] for k, name in enumerate(found.levels)]
        note = f"The {count(len(most), 'system')} whose scores depend most on the {facet}."
    return Table("levels", f"Mean of each system by {facet}", tuple(head), rows, note, _made(a))


def _made(a: Assessment) -> str:
    return made(a.settings.version, seed=a.settings.seed)


def _systems(a: Assessment, found: Noise) -> Table:
    by = "runs" if found.of_runs else listed([found.facet])
    over = f"of a run ({level_text(found.level)} interval)" if found.of_runs else f"over {by}"
    borrowed = [one.system for one in found.systems if one.borrowed]
    note = f"Without repeats, noise borrowed from the others: {listed(borrowed, 6)}." if borrowed else ""
    words = {"spread": f"Standard deviation {over}", "source": by}
    table = Table.of("noise", "Noise of each system", NoisySystem, found.systems, words, unit=a.sampled)
    return replace(table, note=note, made=_made(a))
