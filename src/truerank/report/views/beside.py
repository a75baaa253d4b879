"""What stands beside the ranking: baseline, trade-off, records, data sets, style, battles, machine, noise."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Name, Number, PValue, Table, Text
from truerank._support.wording import count, level_text, listed, number, percent, plural
from truerank.reliability.against_one import BaselineDifference, Record
from truerank.reliability.arena import Arena, StyleEffect
from truerank.reliability.boards import DataSet
from truerank.reliability.frontier import TradeOff, TradeOffRow
from truerank.reliability.machine_judge import MachineBias
from truerank.reliability.noise import Noise, NoiseSource, NoisySystem
from truerank.reliability.results import Assessment
from truerank.report import charts
from truerank.report.view import Figure, Section
from truerank.report.words import (
    Words,
    difference_interval,
    in_words,
    levels_of,
    one_score_each,
    score_title,
    score_word,
)

FEW_LEVELS = 6
"""Levels that are columns of a table; more of them are rows, with the systems that depend most on them."""

MOST = 3  # systems that are shown where the levels are rows


def means_shown(a: Assessment) -> list[float]:
    return [item.mean for item in a.ranking]


def baseline(a: Assessment, words: Words) -> Section | None:
    if a.settings.baseline is None:
        return None
    table = Table.of(
        "baseline",
        f"Differences from the baseline {listed([a.settings.baseline])}",
        BaselineDifference,
        a.baseline,
        {"interval": difference_interval(a.settings)},
        note=words("baseline_rule"),
        advice=words("baseline_advice"),
    )
    return Section("baseline", "Baseline", tables=[table.rounded_for(means_shown(a))])


WIDTH, HEIGHT, MARGIN = 640, 360, 12  # of a trade-off’s picture on a page


def trade_off(a: Assessment, words: Words) -> Section | None:
    """The frontier of quality and a second criterion, as a table and a picture."""
    result = a.pareto
    if result is None:
        return None
    score, level = score_word(a).capitalize(), level_text(result.level)
    table = Table.of(
        "trade_off",
        f"The frontier of {a.measure or score_word(a)} and {result.measure} at {level}",
        TradeOffRow,
        result.rows,
        {"measure": result.measure, "score": score},
        note=words("trade_off_note"),
    )
    digits = 2 - math.floor(math.log10(np.median([abs(row.value) for row in result.rows]) or 1))
    figure = Figure(
        "trade-off",
        words("trade_off_drawn"),
        lambda size: charts.frontier_chart(result, score_title(a), size),
        subject=f"{score} and {printable(result.measure)}.",
    )
    return Section(
        "trade-off",
        "Trade-off",
        words.all("trade_off_text"),
        [figure],
        [table.rounded({"value": min(max(digits, 0), 12)})],
        picture=lambda: _frontier(result, score_word(a), words("trade_off_drawn")),
    )


def _frontier(result: TradeOff, score: str, marks: str) -> Markup:
    """Quality against the second criterion, with intervals both ways; the observed frontier as steps."""
    from truerank.report.outputs.page import fill

    values = [end for row in result.rows for end in (*row.ends, row.value)]
    means = [end for row in result.rows for end in (row.mean_low, row.mean, row.mean_high)]
    x = _axis(values, MARGIN, WIDTH - MARGIN, math.log10 if result.logged else float)
    y = _axis(means, HEIGHT - MARGIN, MARGIN, float)
    corners = sorted((x(row.value), y(row.mean)) for row in result.rows if row.observed)
    steps = "".join(
        f"M{right} {top}" if k == 0 else f"H{right}V{top}" if result.lower_is_better else f"V{top}H{right}"
        for k, (right, top) in enumerate(corners)
    )
    ends = {"low": f"{min(values):.3g}", "high": f"{max(values):.3g}"}
    size = {"width": WIDTH, "height": HEIGHT}
    return Markup(
        fill("frontier.html", result=result, x=x, y=y, steps=steps, score=score, marks=marks, **ends, **size)
    )


def _axis(
    values: Sequence[float], start: int, end: int, scale: Callable[[float], float]
) -> Callable[[float], float]:
    low, high = scale(min(values)), scale(max(values))
    return lambda value: round(start + (end - start) * (scale(value) - low) / ((high - low) or 1.0), 1)


def records(a: Assessment) -> Section | None:
    """Whether each new leader beat the record before it."""
    result = a.over_time
    if result is None:
        return None
    table = Table.of(
        "records",
        f"Records among {result.submissions:,} submissions",
        Record,
        result.records,
        {"score": score_word(a).capitalize(), "level": level_text(result.level)},
        note="p: two-sided; of several submissions on one date it is multiplied by their number. Holm: for "
        "all records together.",
    )
    text = [
        "A record that did not beat the one before it need not be worse: these scores do not separate them."
    ]
    return Section("records", "Records over time", text, tables=[table.rounded_for(means_shown(a))])


def data_sets(a: Assessment, words: Words) -> Section | None:
    if a.data_sets is None:
        return None
    without = [] if any(item.family for item in a.data_sets) else ["family"]
    without += ["topics"] if one_score_each(a) else []
    table = Table.of(
        "data_sets",
        f"The {a.scores.k} data sets",
        DataSet,
        a.data_sets,
        unit=a.sampled,
        without=without,
        note="τ with all: of the data set’s own ranking, in which a tied pair counts half. τ without: of the "
        "ranking that leaves it out.",
    )
    return Section("data-sets", "Data sets", words.all("data_sets"), tables=[table])


def style(a: Assessment, words: Words) -> Section | None:
    """The coefficients of covariates, and the ranks that move; nothing without them."""
    if not a.covariates:
        return None
    table = Table.of(
        "style",
        "What style is worth",
        StyleEffect,
        a.covariates,
        {"level": level_text(a.settings.levels[0])},
        note="Wins: of an answer one step ahead, against one of an equal system.",
    )
    return Section("style", "Equal style", words.all("style_text"), tables=[table])


def arena(a: Assessment, words: Words) -> Section | None:
    """What the ranking means under this matchmaking, and which battles there are; nothing of scores."""
    if a.arena is None:
        return None
    columns = (Column("Fact", Text(), "fact"), Column("Value", Text(), "value"))
    table = Table("arena", "Facts about the battles", columns, list(_battles(a, a.arena)))
    return Section("battles", "Battles", words.all("arena"), tables=[table], details=True)


def _battles(a: Assessment, result: Arena) -> Iterator[tuple[str, str]]:
    yield "Battles", f"{result.battles:,}"
    each = [s.battles for s in a.ranking if s.battles is not None]
    yield "Battles per system", f"{min(each):,} to {max(each):,}"
    if result.unit != "battle":
        yield plural(result.unit).capitalize(), f"{result.units:,}"
        yield f"Battles per {result.unit}, on average", number(result.battles / result.units, 1)
    if result.voters is not None:
        yield "Voters", f"{result.voters:,}"
    yield "Ties", percent(result.ties)
    yield "Dispersion of outcomes (φ)", number(result.dispersion, 3)
    if result.unit != "battle":
        yield f"Variance of a {result.unit}’s own strengths (σ²)", number(result.interaction, 3)


def machine(a: Assessment, words: Words, answer: Sequence[str]) -> Section | None:
    """The machine judge's bias for every system, and what the answer has no room for; nothing without one."""
    judge = a.machine
    if judge is None:
        return None
    table = Table.of(
        "machine",
        "Bias of the machine judge",
        MachineBias,
        judge.systems,
        {"level": level_text(judge.level)},
        [],
        ("system", "verdict", "relative"),  # what the verdict rests on stays in view on phones
        unit=a.sampled,
        note=words("machine_note"),
    )
    tables = [table.rounded_for(means_shown(a))] if judge.systems else []
    text = [text for text in (*words.all("gain"), *words.all("biases")) if text not in answer]
    return Section("machine", "Machine judge", text, tables=tables)


def shares_of(a: Assessment) -> dict[str, Any]:
    """The share of each source of noise that is not an interaction, and whether these are all."""
    if a.noise is None or not a.noise.random:
        return {"shares": [], "all_shares": True}
    alone = [item for item in a.noise.by_share if any(" × " not in name for name in item.names)]
    shares = [f"{percent(item.share)} from {_plural(a, item)}" for item in alone]
    shares[0] = shares[0].replace(" from ", " of the noise comes from ", 1)
    return {"shares": shares, "all_shares": sum(item.share for item in alone) > 0.995}


def _label(a: Assessment, source: str) -> str:
    """A source as its table calls it: the unit of the scores for the topics."""
    return re.sub(r"\btopic\b", a.sampled.one, source)


def _plural(a: Assessment, source: NoiseSource) -> str:
    """What the levels of a source are called: ``questions``, ``judges``, ``runs``."""
    name = next(name for name in source.names if " × " not in name)
    return a.sampled.many if name == "topic" else levels_of(name)


def noise(a: Assessment, words: Words) -> list[Section]:
    result = a.noise
    if result is None:
        return []
    tables = [_sources(a, result, words), *([] if result.of_runs else [_levels(a, result)])]
    systems = Section("noise-details", "Noise by system", tables=[_systems(a, result)], details=True)
    return [Section("noise", "Sources of noise", tables=tables), systems]


class _Levels(Count):
    """How many levels: whole numbers as such, a mean number of runs with a digit, or two where it is 0."""

    def text(self, value: float) -> str:
        if value == round(value):
            return super().text(value)
        return number(value, 1 if round(value, 1) != round(value) else 2)


def _sources(a: Assessment, result: Noise, words: Words) -> Table:
    columns = (
        Column("Source", Name(), "source"),
        Column("Runs" if result.of_runs else "How many", _Levels(), "levels"),
        Column(
            f"Share ({level_text(result.level)} interval)", Bounded(low="low", high="high", digits=2), "share"
        ),
        Column("p of no effect", PValue(), "p_value", "of the levels on the order of systems"),
    )
    rows = [
        [_label(a, item.source), item.levels, (item.share, item.low, item.high), item.p_value]
        for item in result.by_share
    ]
    shown = 3 if result.of_runs else 4
    crossed = any(" × " in name for item in result.sources for name in item.names)
    note = words("noise_note", crossed=crossed, joint=any(len(item.names) > 1 for item in result.sources))
    return Table(
        "sources",
        f"Sources of noise{f' beside {a.sampled.many}' * result.of_runs}",
        columns[:shown],
        [row[:shown] for row in rows],
        note,
    )


def _levels(a: Assessment, result: Noise) -> Table:
    """The mean of each system at each level; of many levels those of the systems that depend most on them."""
    facet, names = in_words(result.facet), [printable(item) for item in result.levels]
    if len(names) <= FEW_LEVELS:
        head = [Column("System", Name(), "system")]
        head += [Column(name, Number(), f"mean {name}") for name in names]
        rows: list[list[Any]] = [[item.system, *item.means] for item in result.by_level]
        note = f"Each column: mean score at this level, over all {a.sampled.many} scored there."
    else:
        spread = {item.system: item.deviation for item in result.systems}
        most = sorted(result.by_level, key=lambda item: -spread[item.system])[:MOST]
        head = [Column(facet, Name(), "level")]
        head += [Column(printable(item.system), Number(), f"mean {item.system}") for item in most]
        rows = [[name, *(item.means[k] for item in most)] for k, name in enumerate(result.levels)]
        note = f"The {count(len(most), 'system')} whose scores depend most on the {facet}."
    return Table(
        "levels",
        f"Mean of each system by {facet}",
        tuple(head),
        rows,
        note,
    )


def _systems(a: Assessment, result: Noise) -> Table:
    by = "runs" if result.of_runs else listed([result.facet])
    over = f"of a run ({level_text(result.level)} interval)" if result.of_runs else f"over {by}"
    borrowed = [item.system for item in result.systems if item.borrowed]
    note = f"Without repeats, noise borrowed from the others: {listed(borrowed, 6)}." if borrowed else ""
    words = {"spread": f"Standard deviation {over}", "source": by}
    table = Table.of("noise", "Noise of each system", NoisySystem, result.systems, words, unit=a.sampled)
    return replace(table, note=note)
