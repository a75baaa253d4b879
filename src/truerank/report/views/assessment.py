"""The view of an assessment: how close the ranking is, and which ranks each system may truly have."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.escaping import printable
from truerank._support.plain import plain
from truerank._support.references import REFERENCES
from truerank._support.tables import Bounded, Column, Count, Name, Number, Ranks, Share, Table, Text
from truerank._support.wording import count, level_text, listed, number, percent, plural, rough, span
from truerank.coefficients import COEFFICIENTS
from truerank.planning import tau_of_twice
from truerank.reliability.boards import DataSet
from truerank.reliability.dependence import DEPENDENCES, OWN, OWN_DRAWS
from truerank.reliability.estimators import ESTIMATORS, SplitHalfEstimator
from truerank.reliability.fragility import Fragility
from truerank.reliability.machine_judge import MachineBias
from truerank.reliability.means.bradley_terry import win_rates
from truerank.reliability.results import Assessment, BaselineDifference, Estimate, RankedSystem
from truerank.reliability.truth import true_coefficients
from truerank.report.units import basis, one_score_each, score_word, units
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import register
from truerank.report.views.machine_words import bias_sentence, gain_sentence
from truerank.report.views.noise import noise_section, noise_sentence
from truerank.report.words import Described, described, difference_interval, symbol
from truerank.scores import identical_systems

if TYPE_CHECKING:
    from markupsafe import Markup

TITLE = "How close is this ranking to the true one?"

FEW = 3
"""Systems that a sentence of the answer names; the rest are counted."""

STEPS = 10_000
"""Probabilities reach the page as whole numbers of this size: 0.01 points apart."""


def view(a: Assessment, asked: Asked) -> View:
    """What there is to see of an assessment."""
    truth = None if asked.truth is None else true_coefficients(a, asked.truth)
    sections = (
        _ranking_section(a, asked),
        _leader_section(a, asked),
        _baseline_section(a, asked),
        _data_sets_section(a, asked),
        machine_section(a, asked),
        noise_section(a, asked),
        _pairs_section(a, asked),
        _estimators_section(a, asked, truth),
    )
    return View(
        command="assess",
        title=TITLE,
        subject=subject(a),
        answer=answer(a, truth),
        sections=[section for section in sections if section],
        warnings=a.warnings,
        how=_how(a),
        measure=a.measure,
        explained=[*_estimators(a), *_coefficients(a), *_dependences(a)],
        methods=partial(_methods, a),
        facts=_facts(a, asked.command),
        numbers=_numbers(a),
        sentence=_sentence(a),
        references=_papers(a),
        data=partial(_page_data, a),
        unit=units(a),
    )


# ── the answer ────────────────────────────────────────────────────────────────────────────────────────


def subject(a: Assessment) -> str:
    """What was assessed: ``AP · 74 systems · 50 topics``."""
    scores = a.scores
    parts = [scores.measure] if scores.measure else []
    parts.append(f"{scores.m} systems")
    if scores.machine is not None:
        parts += [f"{scores.n} human topics", f"{len(scores.machine.topics):,} machine topics"]
    elif scores.battles is not None:
        parts.append(basis(a))
    elif not one_score_each(a):
        parts.append(f"{scores.n:,} topics")
    return " · ".join([*parts, *([f"{scores.k} data sets"] if scores.k > 1 else [])])


SENTENCES = 5
"""Of the answer; what was asked for goes before what is always said."""


def answer(a: Assessment, truth: Mapping[str, float] | None = None) -> list[str]:
    """The answer, at most five sentences and one more where the truth is known."""
    asked = list(_best(a))
    asked += [] if a.machine is None else [gain_sentence(a.machine)]
    asked += noise_sentence(a)
    asked += [_against_baseline(a)] if a.settings.baseline is not None and a.baseline else []
    leader = list(_leader(a))
    room = SENTENCES - 1 - len(leader) - len(asked)
    picked = list(_picked(a))[:room]
    before = list(_pairs_in_order(a))[: room - len(picked)]
    after = list(_twice(a))[: room - len(picked) - len(before)]
    found = [_agreement(a), *before, *leader, *picked, *asked, *after]
    if truth is not None:
        known = " and ".join(f"{symbol(name)} = {number(value, 2)}" for name, value in truth.items())
        found.append(f"The truth is known here: the ranking agrees with it at {known}.")
    return found


def headline(a: Assessment) -> Estimate:
    """The estimate that leads: τ where it was computed, by the headline estimator."""
    own = [e for e in a.estimates if e.estimator == a.headline_estimator]
    return next((e for e in own if e.coefficient == "tau"), own[0])


def _agreement(a: Assessment) -> str:
    estimate, level = headline(a), a.settings.levels[0]
    if estimate.dependence is None:
        return (
            "Only split-half was computed: it compares two samples of topics, and does not estimate how "
            "close "
            "the ranking is to the true one."
        )
    observed = f"The ranking {subject_words(a)}"
    coefficient = symbol(estimate.coefficient)
    if math.isnan(estimate.estimate):
        return f"{estimate.estimator} has no estimate of {coefficient} for the ranking {subject_words(a)}."
    interval = estimate.interval(level)
    inside = f" ({level_text(level)} interval {span(interval.low, interval.high, 2)})" if interval else ""
    return (
        f"{observed} is expected to agree with the true one{_scope(a)} at "
        f"{coefficient} = {number(estimate.estimate, 2)}{inside}."
    )


def subject_words(a: Assessment) -> str:
    """What is ranked: ``of 22 systems by AP on 50 topics``."""
    by = f" by {printable(a.measure)}" if a.measure else ""
    return f"of {a.scores.m} systems{by} {'on' if a.scores.battles is None else 'in'} {basis(a)}"


def _scope(a: Assessment) -> str:
    """The population that the ranking is to hold on, where there are several data sets."""
    data_sets = a.scores.k
    if data_sets == 1:
        return ""
    if a.settings.generalize_to == "data_sets":
        return " on new data sets like these"
    return f" on new topics of these {data_sets} data sets"


def _pairs_in_order(a: Assessment) -> Iterator[str]:
    """The same as a share of pairs, (1 + τ)/2."""
    estimate = headline(a)
    if estimate.coefficient != "tau" or estimate.dependence is None or math.isnan(estimate.estimate):
        return
    interval = estimate.interval(a.settings.levels[0])
    ends = (interval.low, interval.high) if interval else (estimate.estimate,) * 2
    shares = [round(50 * (1 + max(-1.0, min(1.0, value)))) for value in (estimate.estimate, *ends)]
    between = f" ({shares[1]} to {shares[2]})" if shares[1] < shares[2] else ""
    yield f"Of every 100 pairs of systems, about {shares[0]}{between} are in the right order."


def _leader(a: Assessment) -> Iterator[str]:
    """The leader, and who may equal it: by the rank ranges and nothing else."""
    if a.ranking[0].rank_low is None:
        return
    leader, *rest = a.ranking
    equal = [s.system for s in rest if s.rank_low == 1]
    if not equal:
        yield f"{listed([leader.system])} leads, and no other system may be first."
    elif len(equal) == len(rest):
        yield f"{listed([leader.system])} leads, but any of the {len(a.ranking)} systems may be first."
    else:
        others = "1 other system" if len(equal) == 1 else f"{len(equal)} other systems"
        yield f"{listed([leader.system])} leads, but {others} may be first: {listed(equal, FEW)}."


def _best(a: Assessment) -> Iterator[str]:
    """The smallest set that contains the true top K, where it was asked for."""
    best = a.best
    if best is not None and a.settings.best is not None:
        what = "system" if best.k == 1 else f"{best.k}"
        yield (
            f"With {level_text(best.level)} probability the true top {what} is among "
            f"{listed(best.systems, 6)}."
        )


def _picked(a: Assessment) -> Iterator[str]:
    """How good the leader is, once its having been picked is allowed for."""
    found = a.leader
    if found is None:
        return
    what = "score" if a.scores.battles is None else "strength"
    low, mean, high = (number(found.average + one) for one in (found.low, found.shrunken, found.high))
    yield (
        f"Its {what} of {number(a.ranking[0].mean)} was picked as the best of {found.tried}; allowing for "
        "that it is "
        f"{mean} ({level_text(found.level)} interval {low} to {high})."
    )


def _leader_section(a: Assessment, asked: Asked) -> Section | None:
    """The leader beside its rivals, and the topics that carry its lead."""
    from truerank.report.charts.leader import leader_chart

    found = a.leader
    if found is None:
        return None
    text = [
        f"The lead over {listed([a.ranking[1].system])} is {number(found.gap.observed, 4)} as observed, and "
        f"{number(found.gap.shrunken, 4)} once selection is allowed for."
    ]
    text += _fragile(a)
    figure = Figure(
        "leader",
        f"Circle: observed score. Dot: shrunken. Bar: {level_text(found.level)} interval of the leader.",
        "Observed and shrunken scores of the first systems. The ranking's table has the same numbers.",
        lambda size: leader_chart(a, size),
    )
    return Section("leader", "The leader", text, [figure], details=True)


def _fragile(a: Assessment) -> Iterator[str]:
    """How few topics carry the lead, and the first places that were asked for, beside what is normal."""
    found = a.leader.fragility if a.leader is not None else None
    if found is not None and found.topics is None:
        yield f"No removal of {plural(found.unit)} puts another system first."
    elif found is not None:
        yield f"{_without(found)} {listed([found.by or ''])} would be first{_usual(found)}. {NO_EVIDENCE}"
        yield f"These {plural(found.unit)} carry it most: {listed(found.names, 10)}."
    best = a.best
    if best is not None and best.k > 1 and best.fragility is not None and best.fragility.topics is not None:
        of_best = best.fragility
        by, over = (listed([name or ""]) for name in (of_best.by, of_best.over))
        yield (
            f"{_without(of_best)} {by} would be among the first {best.k} in place of {over}{_usual(of_best)}."
        )


NO_EVIDENCE = "This restates the size of the lead; it is no new evidence."


def _without(found: Fragility) -> str:
    most = "" if found.exact else "at most "
    share = percent(found.share or 0.0, 1)
    return f"Without {most}{found.topics} of {found.total:,} {plural(found.unit)} ({share})"


def _usual(found: Fragility) -> str:
    return "" if found.usual is None else f"; {rough(found.usual)} is usual for a lead of this size"


def _twice(a: Assessment) -> Iterator[str]:
    """What twice the topics would bring; nothing where that is no more, and where `eb` cannot tell."""
    estimate, means = headline(a), a.means
    if (estimate.estimator, estimate.coefficient) != ("eb", "tau") or not means.linear:
        return
    each = " of each data set" if a.scores.k > 1 and not means.unit.endswith("data set") else ""
    tau = round(tau_of_twice(means), 2)
    if tau > round(estimate.estimate, 2):
        more = "" if a.scores.battles is not None else "; truerank plan finds the number for a target"
        units_more = f"Twice as many {plural(means.unit)}{each}"
        yield f"{units_more} are expected to raise it to τ = {number(tau, 2)}{more}."


def _against_baseline(a: Assessment) -> str:
    verdicts = [d.verdict for d in a.baseline]
    better, worse = verdicts.count("better"), verdicts.count("worse")
    open_ = len(verdicts) - better - worse
    others = count(len(verdicts), "other system")
    be = "is" if better == 1 else "are"
    return (
        f"Against the baseline {listed([a.settings.baseline or ''])}, {better} of {others} {be} better, "
        f"{worse} worse and {open_} not separated; truerank gate decides a single pair."
    )


# ── sections ──────────────────────────────────────────────────────────────────────────────────────────


def _ranking_section(a: Assessment, asked: Asked) -> Section:
    from truerank.report.charts.ranking import ranking_chart

    level = level_text(a.settings.levels[0])
    true_ranks = _true_ranks(a, asked.truth)
    tiers = len({s.tier for s in a.ranking})
    ranked = a.ranking[0].rank_low is not None
    caption = [f"Dot: observed. Bar: {level} interval of the {score_word(a)}"]
    if ranked:
        caption[0] += f", and rank range, joint for all systems at {level}"
    if true_ranks:
        caption.append("Diamond: true rank, known here")
    if tiers > 1:
        caption.append("Tint: every second tier")
    figure = Figure(
        "ranking",
        ". ".join(caption) + ".",
        f"The {a.scores.m} systems in observed order, each with its {score_word(a)} and its rank range. "
        "The table below has the same numbers.",
        lambda size: ranking_chart(a, size, true_ranks, asked.systems),
    )
    return Section("ranking", "Ranking", figures=[figure], tables=[_ranking_table(a, true_ranks)])


def _ranking_table(a: Assessment, true_ranks: Mapping[str, int]) -> Table:
    level, score = level_text(a.settings.levels[0]), score_word(a).capitalize()
    ranked = a.ranking[0].rank_low is not None
    dropped = [] if ranked else ["rank_low"]
    dropped += ["tier"] if a.ranking[0].tier is None else []
    dropped += [] if a.above is not None else ["marginal_low", "probability_best"]
    dropped += ["letters"] if a.ranking[0].letters is None else []
    tiers = {
        place for place in range(1, len(a.ranking)) if a.ranking[place].tier != a.ranking[place - 1].tier
    }
    note = []
    if ranked:
        sure = f"{level} {'confidence' if a.settings.guarantee else 'probability'}"
        note.append(f"Rank range: ranks that a system may truly have. All ranges hold together with {sure}.")
    table = Table.of(
        "ranking",
        f"Ranking {subject_words(a)}, {level} intervals",
        RankedSystem,
        a.ranking,
        {"score": score, "level": level},
        dropped,
        note=" ".join(note),
        made=_made(a),
        breaks=frozenset(tiers),
        gap="Gaps separate tiers.",
    )
    if a.scores.battles is not None:
        rates = dict(zip((s.system for s in a.ranking), win_rates(a.means.theta).tolist(), strict=True))
        meaning = "chance to beat another of these systems, drawn at random, a tie as half a win"
        table = with_column(table, Column("Win rate", Share(), "win_rate", meaning), rates)
    return with_column(table, Column("True rank", Count(), "true_rank", "true rank, known here"), true_ranks)


def with_column(table: Table, column: Column, values: Mapping[str, Any]) -> Table:
    """The table with one more column, by the name in its row; as it is where there are no values."""
    from dataclasses import replace

    if not values:
        return table
    place = table.names[0]
    rows = [(*row, values.get(row[place])) for row in table.rows]
    return replace(table, columns=(*table.columns, column), rows=rows)


def _true_ranks(a: Assessment, truth: Mapping[str, float] | None) -> dict[str, int]:
    if truth is None:
        return {}
    order = sorted((s.system for s in a.ranking), key=lambda name: -truth[name])
    return {name: rank for rank, name in enumerate(order, start=1)}


def _baseline_section(a: Assessment, asked: Asked) -> Section | None:
    from truerank.report.charts.differences import differences_chart

    name = a.settings.baseline
    if name is None:
        return None
    interval, level = difference_interval(a.settings), level_text(a.settings.levels[0])
    rule = (
        f"Verdicts hold for all pairs together with {level} confidence."
        if a.settings.guarantee
        else f"Each verdict is about that pair alone: one-sided, at {level}."
    )
    table = Table.of(
        "baseline",
        f"Differences from the baseline {listed([name])}",
        BaselineDifference,
        a.baseline,
        {"interval": interval},
        note=f"{rule} Better: probability of being truly better. For a single pair use truerank gate.",
        made=_made(a),
    )
    shown = {*(asked.systems or a.scores.systems)}
    figures = [
        Figure(
            "baseline",
            f"Difference of the {score_word(a)} from the baseline’s, with its {interval}. Triangle to the "
            "right: "
            "better; to the left: worse; dot: not separated.",
            f"Difference of every system from {listed([name])}. The table below has the same numbers.",
            lambda size: differences_chart(a, size, asked.systems),
        )
    ]
    drawn = figures if any(d.system in shown for d in a.baseline) else []
    return Section("baseline", "Baseline", figures=drawn, tables=[table])


def _data_sets_section(a: Assessment, asked: Asked) -> Section | None:
    from truerank.report.charts.data_sets import data_sets_chart

    board = a.board
    if board is None:
        return None
    without = [
        *([] if any(one.family for one in board.data_sets) else ["family"]),
        *(["topics"] if one_score_each(a) else []),
    ]
    table = Table.of(
        "data_sets",
        f"The {a.scores.k} data sets",
        DataSet,
        board.data_sets,
        without=without,
        note="τ with all: of the data set’s own ranking. τ without: of the ranking that leaves it out.",
        made=_made(a),
    )
    figure = Figure(
        "data-sets",
        "The rank of each system on each data set: the stronger the color, the better the rank. A cross: too "
        "few scores.",
        "The ranks of the systems on the data sets. The table below compares the data sets.",
        lambda size: data_sets_chart(a, size, asked.systems),
    )
    return Section("data-sets", "Data sets", board_sentences(a), [figure], [table])


def board_sentences(a: Assessment) -> list[str]:
    """Which data set, or system, changes the leader or the ranking most, when it is left out."""
    board = a.board
    if board is None:
        return []
    leader, found = a.ranking[0].system, []
    other = board.leaders_without(leader)
    if other:
        first = other[0]
        more = (
            f", and leaving out any of {len(other) - 1} more changes the leader too" if len(other) > 1 else ""
        )
        found.append(
            f"Without {listed([first.name])}, {listed([first.leader_without])} leads instead of "
            f"{listed([leader])}{more}."
        )
    elif all(one.leader_without for one in board.data_sets):
        found.append(f"{listed([leader])} still leads if any one data set is left out.")
    most, dropped = board.most_moving, board.dropped
    if most is not None:
        found.append(
            f"{listed([most.name])} changes the ranking most: without it, τ with the ranking above is "
            f"{number(most.tau_without, 2)}."
        )
    if dropped is not None and dropped.tau < 1:
        leads = (
            "" if leader in (dropped.leader, dropped.system) else f", and {listed([dropped.leader])} leads"
        )
        found.append(
            f"The points depend on which systems take part: without {listed([dropped.system])} the others’ "
            f"ranking agrees with this one at τ = {number(dropped.tau, 2)}{leads}."
        )
    return found


def machine_section(a: Assessment, asked: Asked) -> Section | None:
    """The machine judge's bias for every system; nothing without one."""
    from truerank.report.charts.machine import machine_chart

    judge = a.machine
    if judge is None:
        return None
    level = level_text(judge.level)
    table = Table.of(
        "machine",
        "Bias of the machine judge",
        MachineBias,
        judge.systems,
        {"level": level},
        note=f"Bias: the machine’s mean minus people’s, on {judge.human_topics} topics of both. Beyond "
        "average: minus the mean bias of all systems. Intervals hold for all systems together.",
        made=_made(a),
    )
    figure = Figure(
        "machine-judge",
        f"Bias of the machine beyond its average over systems, with {level} intervals for all systems "
        "together.",
        "How far the machine’s bias for each system is above average. The table below has the same numbers.",
        lambda size: machine_chart(a, size, asked.systems),
    )
    text = [f"{gain_sentence(judge)} λ is the weight of the machine’s scores.", bias_sentence(judge)]
    return Section("machine", "Machine judge", text, [figure], [table])


def _pairs_section(a: Assessment, asked: Asked) -> Section | None:
    from truerank.report.charts.swaps import swap_chart

    if a.headline_estimator not in a.swap_probabilities:
        return None
    level = level_text(a.settings.levels[0])
    pairs, open_ = _pair_counts(a)
    sure = 0 if a.above is None else int(np.count_nonzero(a.above))
    text = [
        f"{sure:,} of the {pairs:,} pairs are separated, each at {level}. For "
        f"{f'{open_:,}' if open_ else 'none'} the probability of the wrong order is 25% or more."
    ]
    figure = Figure(
        "swap-probabilities",
        "Each cell is a pair of systems, in observed order: the stronger its color, the closer the order "
        "is to a "
        "coin toss. Blank: separated.",
        "Heat map of the probability that a pair is in the wrong order. Below it any pair can be looked up.",
        lambda size: swap_chart(a, size, shown=asked.systems),
    )
    return Section("pairs", "Pairs", text if pairs else [], [figure], _swap_tables(a), html=_asking)


def _asking() -> Markup:
    """The boxes in which two systems are chosen."""
    from truerank.report.templating import fill

    return fill("ask.html")


def _pair_counts(a: Assessment) -> tuple[int, int]:
    """How many pairs of systems there are that differ at all, and for how many the order is open."""
    probabilities = a.swap_probabilities[a.headline_estimator]
    counted = np.triu(np.ones_like(probabilities, dtype=bool), 1)
    for group in identical_systems(a.scores):
        counted[np.ix_(group, group)] = False
    return int(counted.sum()), int(np.sum(probabilities[counted] >= 0.25))


def _swap_tables(a: Assessment) -> list[Table]:
    """The probabilities of the wrong order, one matrix per estimator, for files."""
    names = list(a.scores.systems)
    columns = (Column("System", Name(), "system"), *(Column(name, Number(), name) for name in names))
    return [
        Table(
            f"swaps_{estimator}",
            f"Probability that a pair is in the wrong order, by {estimator}",
            columns,
            [(name, *row) for name, row in zip(names, matrix.tolist(), strict=True)],
            files_only=True,
        )
        for estimator, matrix in a.swap_probabilities.items()
    ]


def _estimators_section(a: Assessment, asked: Asked, truth: Mapping[str, float] | None) -> Section:
    from truerank.report.charts.estimates import estimates_chart

    level = level_text(a.settings.levels[0])
    halves = asked.all_estimators or all(map(is_split_half, a.estimators))
    names = list(dict.fromkeys(e.coefficient for e in a.estimates))
    figure = Figure(
        "estimators",
        f"Dot: expected correlation with the true ranking. Bar: {level} interval. In color: "
        f"{printable(a.headline_estimator)}, the estimator behind everything above."
        + (" Dashed: the true value, known here." if truth else ""),
        f"Expected {' and '.join(map(symbol, names))} by every estimator. The table below has the same "
        "numbers.",
        lambda size: estimates_chart(a, size, truth, split_half=halves),
    )
    text = [f"{symbol(one.name)} {one.reading}" for one in _coefficients(a) if one.reading]
    text.append("Estimators differ in what they assume; where they agree, the assumptions matter little.")
    tables = [_correlation(a, names, halves), _estimates(a), _settings(a)]
    return Section("estimators", "All estimators", text, [figure], tables, details=not asked.all_estimators)


def is_split_half(estimator: str) -> bool:
    """Whether an estimator compares two samples of topics, and no ranking with the true one."""
    return isinstance(ESTIMATORS.get(estimator), SplitHalfEstimator)


def _correlation(a: Assessment, names: Sequence[str], halves: bool) -> Table:
    """The estimates for reading: one row per estimator, one column per coefficient."""
    level = a.settings.levels[0]
    columns = [Column("Estimator", Text(), "estimator")]
    columns += [
        Column(
            f"{symbol(name)} ({level_text(level)} interval)",
            Bounded(digits=2, low=f"{name}_low", high=f"{name}_high"),
            name,
            "expected correlation of the observed ranking with the true one",
        )
        for name in names
    ]
    shown = [name for name in a.estimators if halves or not is_split_half(name)]
    rows = [[_called(name), *(_bounded(a.estimate(c, name), level) for c in names)] for name in shown]
    note = ""
    if split := [name for name in shown if is_split_half(name)]:
        note = f"{', '.join(split)}: of two samples of {units(a)} with each other, for comparison only."
    strong = frozenset({shown.index(a.headline_estimator)} if len(shown) > 1 else ())
    return Table(
        "correlation",
        f"Expected correlation with the true ranking ({subject_words(a).removeprefix('of ')})",
        tuple(columns),
        rows,
        note,
        _made(a),
        strong=strong,
    )


def _called(estimator: str) -> str:
    """What an estimator is called, with the name that one types: ``empirical Bayes (eb)``."""
    label = ESTIMATORS[estimator].label if estimator in ESTIMATORS else estimator
    return label if label == estimator else f"{label} ({estimator})"


def _bounded(estimate: Estimate, level: float) -> tuple[float, float | None, float | None]:
    interval = estimate.interval(level)
    return (estimate.estimate, interval.low, interval.high) if interval else (estimate.estimate, None, None)


def _estimates(a: Assessment) -> Table:
    """The estimates for files: every interval of every estimator."""
    ends = [f"{i.method}_{100 * i.level:g}" for e in a.estimates for i in e.intervals]
    keys = [f"{end}_{name}" for name in dict.fromkeys(ends) for end in ("low", "high")]
    columns = [Column(key, Text(), key) for key in ("estimator", "coefficient", "dependence")]
    columns += [Column(key, Number(), key) for key in ("estimate", "variance", *keys)]
    rows = []
    for e in a.estimates:
        row: dict[str, float] = {}
        for i in e.intervals:
            row |= {f"low_{i.method}_{100 * i.level:g}": i.low, f"high_{i.method}_{100 * i.level:g}": i.high}
        first = [e.estimator, e.coefficient, e.dependence, e.estimate, e.variance]
        rows.append([*first, *(row.get(key) for key in keys)])
    return Table("estimates", "All estimates", tuple(columns), rows, files_only=True)


def _settings(a: Assessment) -> Table:
    """What to cite: measure, sizes, headline, and everything that sets the digits."""
    facts: dict[str, Any] = {
        "measure": a.measure,
        "topics": a.scores.n,
        "systems": a.scores.m,
        "headline estimator": a.headline_estimator,
        "dependence": a.dependence_of(a.headline_estimator),
    }
    if a.machine is not None:
        facts |= {
            "machine topics": a.machine.machine_topics,
            "effective topics": a.machine.effective_topics,
            "lambda": a.machine.scale,
        }
    facts |= plain(a.settings)
    columns = (Column("Setting", Text(), "setting"), Column("Value", Text(), "value"))
    return Table("settings", "Settings", columns, list(facts.items()), files_only=True)


# ── several measures ──────────────────────────────────────────────────────────────────────────────────


def together(results: Sequence[Assessment], asked: Asked) -> Section:
    """The rankings by several measures side by side, in the order of the first."""
    from truerank.report.charts.measures import measures_chart

    first = results[0]
    level = level_text(first.settings.levels[0])
    order = list(dict.fromkeys(s.system for a in results for s in a.ranking))
    rows: list[list[Any]] = [[name] for name in order]
    columns = [Column("System", Name(), "system")]
    for a in results:
        found = {s.system: s for s in a.ranking}
        name = a.measure or score_word(a)
        columns.append(Column(name, Number(), f"mean {name}"))
        columns.append(Column("Rank", Count(), f"rank {name}"))
        columns.append(Column("Range", Ranks(high=f"rank_high {name}"), f"rank_low {name}"))
        for row in rows:
            s = found.get(row[0])
            row += [None, None, (None, None)] if s is None else [s.mean, s.rank, (s.rank_low, s.rank_high)]
    table = Table(
        "measures",
        f"Ranking by {listed([a.measure for a in results])}",
        tuple(columns),
        rows,
        f"In the order of {first.measure}. Range: rank range, joint for all systems at {level}.",
        _made(first),
    )
    figure = Figure(
        "measures",
        f"Dot: observed rank. Bar: rank range, joint for all systems at {level}.",
        "The ranks of the systems by each measure. The table below has the same numbers.",
        lambda size: measures_chart(results, size, asked.systems),
    )
    return Section("measures", "Measures side by side", figures=[figure], tables=[table])


# ── how it was made ───────────────────────────────────────────────────────────────────────────────────


def _made(a: Assessment) -> str:
    """What sets the digits of a table, for its caption in a paper."""
    return f"(truerank {a.settings.version}, {a.headline_estimator}, {a.dependence}, seed {a.settings.seed}.)"


def _how(a: Assessment) -> str:
    """What the digits rest on, for the last line of the terminal."""
    s = a.settings
    label = ESTIMATORS[a.headline_estimator].label if a.headline_estimator in ESTIMATORS else "own estimator"
    dropped = (
        f"; {len(s.dropped)} systems of the bottom {percent(s.drop_bottom)} dropped" if s.dropped else ""
    )
    copies = sum(len(group) - 1 for group in s.identical)
    dropped += f"; {copies} identical to another left out" if copies else ""
    return (
        f"By {a.headline_estimator} ({label}), {a.dependence} dependence, {s.draws:,} draws{dropped}; "
        f"seed {s.seed}; truerank {s.version}."
    )


def _facts(a: Assessment, command: str | None) -> dict[str, str]:
    s = a.settings
    facts = {"Command": command} if command else {}
    facts |= {
        "truerank": f"version {s.version}",
        "Seed": str(s.seed),
        "Headline estimator": a.headline_estimator,
        "Dependence": next((e.dependence for e in a.estimates if e.dependence), "none"),
        "Draws": f"{s.draws:,}",
        "Levels": ", ".join(level_text(level) for level in s.levels),
    }
    if s.resamples:
        error = f" (Monte Carlo error {s.resampling_error:.4f})" if s.resampling_error is not None else ""
        facts["Resamples"] = f"{s.resamples:,} of the {units(a)}{error}"
    if s.baseline is not None:
        facts["Baseline"] = s.baseline
    if copies := [name for group in s.identical for name in group[1:]]:
        facts["Identical"] = f"{len(copies)} with the scores of another system left out: {listed(copies, 12)}"
    if s.dropped:
        facts["Dropped"] = (
            f"the bottom {percent(s.drop_bottom)}, {len(s.dropped)} systems: {listed(s.dropped, 12)}"
        )
    if a.scores.source:
        facts["Scores"] = Path(a.scores.source).name
    facts["Fingerprint"] = f"{a.scores.fingerprint()[:16]} (of names, measure and scores, in ranking order)"
    return facts


def _numbers(a: Assessment) -> dict[str, str]:
    """What a paper quotes of an assessment."""
    level = a.settings.levels[0]
    found = {"Systems": f"{a.scores.m}", "Topics": f"{a.scores.n:,}", "Level": level_text(level)}
    for estimate in (e for e in a.estimates if e.estimator == a.headline_estimator):
        name = "Tau" + estimate.coefficient.removeprefix("tau").replace("_", "").upper()
        _, low, high = _bounded(estimate, level)
        found |= {
            name: number(estimate.estimate, 2),
            f"{name}Low": number(low, 2),
            f"{name}High": number(high, 2),
        }
    equal = sum(s.rank_low == 1 for s in a.ranking)
    return found | {"Leader": a.ranking[0].system} | ({"MayBeFirst": str(equal)} if equal else {})


def _sentence(a: Assessment) -> str:
    s = a.settings
    label = (
        ESTIMATORS[a.headline_estimator].label if a.headline_estimator in ESTIMATORS else a.headline_estimator
    )
    cited = "".join(f" [@{key}]" for key in _papers(a)[:1])
    ranges = (
        f" Rank ranges hold jointly for all {a.scores.m} systems at {level_text(s.levels[0])}."
        if a.ranking[0].rank_low is not None
        else ""
    )
    return (
        f"We estimated the expected rank correlation with the true ranking over {units(a)} like "
        f"ours{cited} by "
        f"{label}, with truerank {s.version} [@truerank] ({a.dependence} dependence between swaps, "
        f"{s.draws:,} "
        f"draws, seed {s.seed}).{ranges}"
    )


def _estimators(a: Assessment) -> list[Described]:
    return described(ESTIMATORS, a.estimators)


def _coefficients(a: Assessment) -> list[Described]:
    return described(COEFFICIENTS, (e.coefficient for e in a.estimates))


def _dependences(a: Assessment) -> list[Described]:
    return described({**DEPENDENCES, OWN: OWN_DRAWS}, (e.dependence for e in a.estimates if e.dependence))


def _papers(a: Assessment) -> list[str]:
    """Keys of the papers that its estimators come from, that of the approach first."""
    own = [key for one in _estimators(a) for key in one.references[:1]]
    known = [key for key in own if key in REFERENCES and key != "truerank"]
    return list(dict.fromkeys(["urbano-marrero-2016", *known]))


def _methods(a: Assessment) -> Markup:
    from truerank.report.templating import fill, sources

    def estimator(found: Described) -> dict[str, Any]:
        learnt = a.learnt.get(found.name, ())
        resampled = getattr(ESTIMATORS.get(found.name), "resampled", False)
        return found._asdict() | {
            "learnt": [
                (f"{one.symbol} = {rough(one.value).replace('−', '-')}", one.meaning) for one in learnt
            ],
            "resamples": a.settings.resamples if resampled else None,
        }

    return fill(
        "methods.html",
        coefficients=_coefficients(a),
        estimators=[estimator(e) for e in _estimators(a)],
        sources=sources,
        dependences=_dependences(a),
        pairwise=bool(a.swap_probabilities),
        headline=printable(a.headline_estimator),
        settings=a.settings,
        level=level_text(a.settings.levels[0]),
        guarantee=a.settings.guarantee,
        units=units(a),
        score=score_word(a),
        stratified=a.scores.k > 1 and a.settings.generalize_to == "topics",
        machine=a.machine,
        linear=a.means.linear,
    )


def _page_data(a: Assessment) -> dict[str, Any]:
    """What the page's script needs for the heat map.

    ``systems``: names in ranking order; ``swaps``: p_ij row by row above the diagonal, as little-endian
    16-bit numbers of `steps` to one, in base 64; ``apart``: one bit per pair in the same order, whether the
    two are separated; ``identical``: groups of systems with the same scores on every topic.
    """
    probabilities = a.swap_probabilities.get(a.headline_estimator)
    if probabilities is None:
        return {}
    places = np.triu_indices(len(probabilities), 1)
    steps = np.rint(np.clip(probabilities[places], 0, 1) * STEPS).astype("<u2")
    apart = (
        b"" if a.above is None else np.packbits((a.above | a.above.T)[places], bitorder="little").tobytes()
    )
    return {
        "systems": [printable(s.system) for s in a.ranking],
        "swaps": base64.b64encode(steps.tobytes()).decode(),
        "steps": STEPS,
        "apart": base64.b64encode(apart).decode(),
        "level": level_text(a.settings.levels[0]),
        "identical": identical_systems(a.scores),
    }


register(
    Assessment,
    view,
    together,
    tables=(
        *(
            "ranking",
            "baseline",
            "data_sets",
            "machine",
            "sources",
            "other_runs",
            "noise",
            "correlation",
            "estimates",
            "settings",
        ),
        *(f"swaps_{name}" for name in ESTIMATORS),
    ),
    figures=(
        "ranking",
        "leader",
        "baseline",
        "data-sets",
        "machine-judge",
        "noise",
        "swap-probabilities",
        "estimators",
        "measures",
    ),
)
