"""The sections of an assessment: ranking, leader, baseline, data sets, machine judge and pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.arguments import doing
from truerank._support.tables import Column, Count, Name, Number, Table
from truerank._support.types import Matrix
from truerank._support.wording import level_text, listed, number, percent, score_digits
from truerank.kinds import Plain
from truerank.reliability.boards import DataSet
from truerank.reliability.machine_judge import MachineBias
from truerank.reliability.results import Assessment, BaselineDifference, RankedSystem
from truerank.report import charts
from truerank.report.sampled import one_score_each, score_title, score_word
from truerank.report.view import Asked, Figure, Section
from truerank.report.views import made
from truerank.report.views.arena import style_of
from truerank.report.views.assessment_words import (
    board_sentences,
    fragile,
    means_shown,
    ranges_hold,
    subject_words,
    systems_words,
    true_ranking,
)
from truerank.report.words import bias_sentence, difference_interval, gain_sentence
from truerank.scores import identical_systems


def made_of(a: Assessment) -> str:
    """What sets the digits of a table."""
    return made(a.settings.version, a.headline_estimator, a.dependence, seed=a.settings.seed)


def ranking_section(a: Assessment, asked: Asked) -> Section:
    """The ranking, with the intervals of the means and the rank ranges."""
    true_ranks: dict[str, int] = {}
    if (truth := asked.truth) is not None:
        order = sorted((s.system for s in a.ranking), key=lambda name: -truth[name])
        true_ranks = {name: rank for rank, name in enumerate(order, start=1)}
    figure = ranking_figure(
        a.ranking,
        a.settings.levels[0],
        score_word(a),
        score_title(a),
        f"Ranking {subject_words(a)}.",
        rank_ranges(ranges_hold(a)),
        true_ranks,
    )
    tables = [_ranking_table(a, true_ranks)]
    return Section("ranking", "Ranking", [true_ranking(a)], [figure], tables)


def ranking_figure(
    ranking: Sequence[RankedSystem],
    level: float,
    score: str,
    title: str,
    subject: str,
    note: str,
    true_ranks: Mapping[str, int] | None = None,
) -> Figure:
    """The picture of a ranking: scores, called so in text and on an axis, and rank ranges."""
    ranges = ", and rank range" if ranking[0].rank_low is not None else ""
    caption = f"Dot: observed. Bar: {level_text(level)} interval of the {score}{ranges}."
    caption += " Diamond: true rank, known here." if true_ranks else ""
    return Figure(
        "ranking",
        caption,
        f"The {len(ranking)} systems in observed order, each with its {score} and its rank range. A table "
        "has the same numbers.",
        lambda size: charts.ranking_chart(ranking, level, title, size, true_ranks),
        frozenset(s.system for s in ranking),
        subject,
        note,
    )


def rank_ranges(together: str) -> str:
    """What rank ranges are, and how surely they hold together; empty where there are none."""
    return f"Rank range: ranks that a system may truly have. {together}" if together else ""


def _ranking_table(a: Assessment, true_ranks: Mapping[str, int]) -> Table:
    level, first = level_text(a.settings.levels[0]), a.ranking[0]
    ranked = first.rank_low is not None
    without = [] if ranked else ["rank_low"]
    without += ["win_rate", "battles"] if a.arena is None else []
    without += ["mean_without", "rank_without"] if not a.covariates else []
    without += ["letters"] if first.letters is None else []
    without += ["marginal_low"] if first.marginal_low is None else []
    without += ["shrunken"] if all(s.shrunken is None for s in a.ranking) else []
    style = style_of(a)
    beside = (
        f" {style.capitalize()} counted: fitted without allowing for it, so that it still helps."
        if a.covariates
        else ""
    )
    if a.arena is not None and a.arena.ties:
        ties = f"{round(a.arena.ties * a.arena.battles):,} ties ({percent(a.arena.ties)} of battles)"
        beside += f" Each of the {ties} counts as half a win."
    if a.arena is not None and a.arena.scale == "elo":
        beside += " Elo: the average system has 1,000."
    note = rank_ranges(ranges_hold(a)) + beside
    if a.leader is not None:
        note = f"{score_word(a).capitalize()}: each by itself. {note}".strip()
    table = Table.of(
        "ranking",
        f"Ranking {subject_words(a)}, {level} intervals",
        RankedSystem,
        a.ranking,
        {"score": score_word(a).capitalize(), "level": level, "style": style},
        without=without,
        note=note,
        advice=_beside_tests(a) if ranked else "",
        made=made_of(a),
        short=f"{systems_words(a)}, {level} intervals",
    )
    table = table.rounded_for(means_shown(a))
    return _with_column(table, Column("True rank", Count(), "true_rank", "true rank, known here"), true_ranks)


def _beside_tests(a: Assessment) -> str:
    """Which other statements there are about pairs, and when they may differ from rank ranges."""
    if type(a.scores.kind) is not Plain or a.settings.guarantee:
        return ""
    one = f"For one pair chosen in advance {doing('gate')} can decide more."
    if a.ranking[0].rank_high != 1:
        return one
    return (
        f"{one} {doing('significance')} corrects for all pairs, whatever the truth, and may not separate the "
        "leader: then report both."
    )


def _with_column(table: Table, column: Column, values: Mapping[str, Any]) -> Table:
    """The table with one more column, by the name in its row; as it is where there are no values."""
    if not values:
        return table
    place = table.names[0]
    rows = [(*row, values.get(row[place])) for row in table.rows]
    return replace(table, columns=(*table.columns, column), rows=rows)


def leader_section(a: Assessment, asked: Asked) -> Section | None:
    """The leader beside its rivals, and the topics that carry its lead."""
    found = a.leader
    if found is None:
        return None
    digits = score_digits(means_shown(a), 4)
    observed, shrunken = number(found.gap.observed, digits), number(found.gap.shrunken, digits)
    beside = found.contrast
    above, expected, low, high = (
        number(one, digits) for one in (beside.observed, beside.shrunken, beside.low, beside.high)
    )
    true, least, most = (number(one, digits) for one in (found.shrunken, found.low, found.high))
    text = [
        f"{listed([a.ranking[0].system])} was picked as the best of {found.tried:,}. Allowing for that, its "
        f"{score_word(a)} is {true} ({level_text(found.level)} interval {least} to {most}).",
        f"The lead over {listed([a.ranking[1].system])} is {observed} as observed, and {shrunken} once "
        f"selection is allowed for, by this pair alone; shrunken {score_word(a)}s weigh all pairs.",
        *(
            f"The lead over the average system is {above} as observed, and {expected} once selection is "
            f"allowed for ({level_text(found.level)} interval {low} to {high})."
            for _ in range(a.scores.kind.by_cells)  # the average strength is known: it is the score itself
        ),
        *fragile(a),
    ]
    return Section("leader", "The leader", text, details=True)


def baseline_section(a: Assessment, asked: Asked) -> Section | None:
    """Every system’s difference from the baseline, where there is one."""
    if a.settings.baseline is None:
        return None
    name = listed([a.settings.baseline])
    interval = difference_interval(a.settings)
    gate, advice = doing("gate"), ""
    if a.baseline_by_gates and not a.settings.guarantee:
        together = doing("gate", option="baseline", value=name)
        advice = f"{gate} says the same of one candidate; {together} judges all together."
    table = Table.of(
        "baseline",
        f"Differences from the baseline {name}",
        BaselineDifference,
        a.baseline,
        {"interval": interval},
        note=_rule_of_baseline(a),
        advice=advice,
        made=made_of(a),
    )
    table = table.rounded_for(means_shown(a))
    return Section("baseline", "Baseline", tables=[table])


def _rule_of_baseline(a: Assessment) -> str:
    """What decides about each pair with the baseline."""
    level = level_text(a.settings.levels[0])
    if a.settings.guarantee:
        return f"Verdicts hold for all pairs together with {level} confidence."
    return f"Each system is judged by itself: verdicts are read off its {level} interval. p: two-sided."


def data_sets_section(a: Assessment, asked: Asked) -> Section | None:
    """Each data set’s own ranking, and what leaving it out changes."""
    board = a.board
    if board is None:
        return None
    without = [] if any(one.family for one in board.data_sets) else ["family"]
    without += ["topics"] if one_score_each(a) else []
    table = Table.of(
        "data_sets",
        f"The {a.scores.k} data sets",
        DataSet,
        board.data_sets,
        unit=a.sampled,
        without=without,
        note="τ with all: of the data set’s own ranking, in which a tied pair counts half. τ without: of the "
        "ranking that leaves it out.",
        made=made_of(a),
    )
    return Section("data-sets", "Data sets", board_sentences(a), tables=[table])


def machine_section(a: Assessment, asked: Asked) -> Section | None:
    """The machine judge's bias for every system; nothing without one."""
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
        [],
        ("system", "verdict", "relative"),  # what the verdict rests on stays in view on phones
        unit=a.sampled,
        note=f"Bias: the machine’s {score_word(a)} minus people’s, on {judge.human_topics} {a.sampled.many} "
        "that both judged. Relative bias: minus the mean bias of all systems, which changes no ranking. "
        "Verdict: on the relative bias; inconclusive where its interval includes 0. Intervals hold for all "
        "systems together.",
        made=made_of(a),
    )
    table = table.rounded_for(means_shown(a))
    text = [gain_sentence(judge, a.sampled), *bias_sentence(judge, score_digits(means_shown(a)))]
    if not judge.systems:
        return Section("machine", "Machine judge", text)
    return Section("machine", "Machine judge", text, tables=[table])


def pairs_section(a: Assessment, asked: Asked) -> Section | None:
    """How likely each pair of systems is in the wrong order."""
    probabilities = a.swap_probabilities.get(a.headline_estimator)
    if probabilities is None:
        return None
    counted = np.triu(np.ones_like(probabilities, dtype=bool), 1)
    for group in identical_systems(a.scores):
        counted[np.ix_(group, group)] = False
    pairs, doubtful = int(counted.sum()), int(np.sum(probabilities[counted] >= 0.25))
    differ = " whose scores differ" if 2 * pairs < counted.size - len(counted) else ""
    text = [
        f"For {f'{doubtful:,}' if doubtful else 'none'} of the {pairs:,} pairs{differ} the probability of "
        "the wrong order is 25% or more."
    ]
    if a.above is not None:
        how = (
            f"by tests of all pairs together at {level_text(a.settings.levels[0])}"
            if a.settings.guarantee
            else "as their rank ranges do not overlap"
        )
        text.append(f"{int(np.count_nonzero(a.above)):,} pairs are separated, {how}.")
    figure = Figure(
        "swap-probabilities",
        "Each cell is a pair of systems, in observed order: the stronger its color, the closer the order is "
        "to a coin toss." + (" Blank: separated, or less." if a.above is not None else ""),
        "Heat map of the probability that a pair is in the wrong order. Below it any pair can be looked up.",
        lambda size: charts.swap_chart(a, size),
    )
    level = level_text(a.settings.levels[0])
    drawn = lambda: charts.drawing(a, level)  # noqa: E731
    return Section("pairs", "Pairs", text if pairs else [], [figure], _swap_tables(a), True, drawn)


@dataclass(frozen=True, eq=False)
class _Named(Sequence[list[Any]]):
    """The rows of a matrix, a name before each, made as they are read: m × m numbers are many objects."""

    names: Sequence[str]
    matrix: Matrix

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        return [self.names[place], *self.matrix[place].tolist()]


def _swap_tables(a: Assessment) -> list[Table]:
    """The probabilities of the wrong order, one matrix per estimator, for files."""
    names = list(a.scores.systems)
    columns = (Column("System", Name(), "system"), *(Column(name, Number(), name) for name in names))
    return [
        Table(
            f"swaps_{estimator}",
            f"Probability that a pair is in the wrong order, by {estimator}",
            columns,
            _Named(names, matrix),
            files_only=True,
        )
        for estimator, matrix in a.swap_probabilities.items()
    ]
