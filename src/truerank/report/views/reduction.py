"""The views of a reduction to fewer topics, and of new systems that were scored by it."""

from __future__ import annotations

from collections.abc import Iterator

from truerank._support.arguments import doing
from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Name, Number, Table, Text
from truerank._support.wording import count, level_text, number, ranks, span, two_digits
from truerank.reducing import Applied, AppliedSystem, HeldOutTau, Reduction, SizePoint
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import facts, made, register, subject


def view(found: Reduction, asked: Asked) -> View:
    """What there is to see of a reduction."""
    how = f"Seed {found.seed}; truerank {found.version}."
    if found.tau_board is not None:
        dealt = f"{level_text(found.level)} intervals by a jackknife over {found.families} families"
        how = f"{dealt}, {count(found.repeats, 'deal')} to folds; {how[0].lower()}{how[1:]}"
    sections = [_worth(found), _sizes(found), _topics(found)]
    return View(
        command="reduce choose",
        title=f"Which {found.keep:,} of {found.all_topics:,} {found.sampled.many}?",
        subject=subject(
            found.measure,
            f"{found.systems} systems in {found.families} families",
            found.sampled.count(found.all_topics),
        ),
        answer=list(_answer(found)),
        sections=[section for section in sections if section],
        notes=found.notes,
        how=how,
        measure=found.measure,
        facts=facts(found.version),
        numbers=_numbers(found),
        sentence=_sentence(found),
    )


def _answer(found: Reduction) -> Iterator[str]:
    topics = found.sampled.many
    how = {
        "better": "one drawn at random from each stratum of difficulty; score systems by plain means",
        "like": "chosen by the known systems; score new ones with the weights of the model",
    }[found.for_]
    yield f"{found.keep:,} of {found.all_topics:,} {topics} are kept, {how}."
    yield from _held_out(found)
    usual, claimed = "", ""
    if found.for_ == "better":
        usual, claimed = "typically ", f" No gain over random {topics} is claimed."
    yield (
        f"A new system’s score on the full board is {usual}known to ±{number(found.half_width)}, about "
        f"{found.rank_width} of {found.systems} ranks.{claimed}"
    )


def _held_out(found: Reduction) -> Iterator[str]:
    """What systems that were held out say."""
    board, truth, random, topics = found.tau_board, found.tau_truth, found.random, found.sampled.many
    if board is None or truth is None or random is None or found.ceiling is None:
        return
    if found.target is not None and board.estimate >= found.target:
        sure = board.low >= found.target
        yield (
            f"{found.keep:,} are the fewest given whose τ with the full board is expected to reach "
            f"{found.target:g}; the interval {'does too' if sure else 'does not'}."
        )
    yield (
        f"Pairs of systems from families that were held out: τ with the full board {_tau(board)}; "
        f"{found.keep:,} random {topics} {number(random.plain, 2)}."
    )
    yield (
        f"Their τ with the true ranking: {_tau(truth)}. The full board itself has {number(found.ceiling, 2)}."
    )
    if found.gain is not None and found.worth is not None:
        does = "helps" if found.gain.helps else "may help"
        worth = f"{found.worth_is} {two_digits(found.worth):,}"
        yield (
            f"The choice {does}: τ {number(found.gain.estimate, 3, sign=True)} "
            f"(SE {number(found.gain.se)}) over random {topics}, worth {worth} of them."
        )


def _tau(tau: HeldOutTau) -> str:
    return f"{number(tau.estimate, 2)} ({span(tau.low, tau.high, 2)})"


def _worth(found: Reduction) -> Section | None:
    """The topics kept, random ones and the full board, side by side."""
    board, truth, random = found.tau_board, found.tau_truth, found.random
    if board is None or truth is None or random is None:
        return None
    topics = found.sampled.many
    kept = "Chosen, weighted" if found.for_ == "like" else "Stratified draw"
    none = (None, None, None)
    rows = [
        [kept, found.keep, *((one.estimate, one.low, one.high) for one in (board, truth))],
        ["Random", found.keep, (random.plain, None, None), none],
        ["Random, weighted", found.keep, (random.weighted, None, None), none],
        ["Full board", found.all_topics, none, (found.ceiling, None, None)],
    ]
    if random.weighted is None:
        del rows[2]
    columns = (
        Column(topics.capitalize(), Text(), "way"),
        Column("Number", Count(), "topics"),
        Column("τ with the full board", Bounded(low="board_low", high="board_high", digits=2), "board"),
        Column("τ with the truth", Bounded(low="truth_low", high="truth_high", digits=2), "truth"),
    )
    level = level_text(found.level)
    note = (
        f"Over pairs of systems whose families were held out ({doing('assess')} has τ of all pairs); {level} "
        "intervals over families."
    )
    table = Table(
        "worth",
        f"What the {topics} kept are worth",
        columns,
        rows,
        note,
        made(found.version, seed=found.seed),
    )
    return Section("worth", "Worth", tables=[table])


def _sizes(found: Reduction) -> Section | None:
    """One row per number of topics, where several were asked for."""
    if len(found.sizes) < 2 or found.tau_board is None:
        return None
    topics = found.sampled.many
    table = Table.of(
        "sizes",
        f"What each number of {topics} is worth",
        SizePoint,
        found.sizes,
        unit=found.sampled,
        note=f"Random {topics}: τ with the full board of as many. Score ±: half the "
        f"{level_text(found.level)} interval of a new system’s score.",
        made=made(found.version, seed=found.seed),
    )
    figure = Figure(
        "sizes",
        f"Line: τ with the full board. Band: {level_text(found.level)} interval. Dashed: random {topics}. "
        "Dotted: τ with the truth.",
        f"τ by number of {topics} kept.",
        lambda size: charts.reduction_chart(found, size),
    )
    return Section("sizes", f"Number of {topics}", figures=[figure], tables=[table])


def _topics(found: Reduction) -> Section:
    columns = (
        Column("Order", Count(), "order"),
        Column(found.sampled.one.capitalize(), Name(), "topic"),
        Column("Weight", Number(digits=4), "weight"),
    )
    rows = [[place, *one] for place, one in enumerate(zip(found.topics, found.weights, strict=True), 1)]
    note = f"A score is the weighted sum, plus {number(found.intercept, 4)}." if found.intercept else ""
    table = Table(
        "kept",
        f"{found.sampled.many.capitalize()} kept",
        columns,
        rows,
        note,
        made(found.version, seed=found.seed),
    )
    return Section("kept", f"{found.sampled.many.capitalize()} kept", tables=[table], details=True)


def _numbers(found: Reduction) -> dict[str, str]:
    numbers = {"Kept": f"{found.keep:,}", "All": f"{found.all_topics:,}"}
    for name, tau in (("TauBoard", found.tau_board), ("TauTruth", found.tau_truth)):
        numbers |= {} if tau is None else {name: number(tau.estimate, 2)}
    return numbers | {"HalfWidth": number(found.half_width)}


def _sentence(found: Reduction) -> str:
    topics = found.sampled.many
    how = (
        "one drawn at random from each stratum of difficulty"
        if found.for_ == "better"
        else "chosen and weighted for the full mean"
    )
    return (
        f"We kept {found.keep:,} of {found.all_topics:,} {topics}, {how}, with truerank {found.version} "
        f"[@truerank]; what they are worth was measured on families of systems that were held out."
    )


def applied_view(found: Applied, asked: Asked) -> View:
    """What there is to see of new systems."""
    unit = found.sampled
    table = Table.of(
        "systems",
        f"New systems by {unit.count(found.keep)}",
        AppliedSystem,
        found.systems,
        unit=unit,
        without=("valid",) if all(one.valid for one in found.systems) else (),
        note=f"{level_text(found.level)} intervals, of each system by itself. Rank range: ranks that it may "
        f"truly have beside the {found.known} known systems.",
        made=made(found.version),
    )
    return View(
        command="reduce apply",
        title=f"New systems by {found.keep:,} of {found.all_topics:,} {unit.many}",
        subject=subject(found.measure, f"{found.known} known systems"),
        answer=list(_of_new(found)),
        sections=[Section("systems", "New systems", tables=[table])],
        notes=found.notes,
        how=f"Nothing here is random; truerank {found.version}.",
        measure=found.measure,
        facts=facts(found.version),
        sentence=(
            f"New systems were scored on {found.keep:,} of {found.all_topics:,} {unit.many}, and their means "
            f"on all of them estimated with truerank {found.version} [@truerank]."
        ),
    )


def _of_new(found: Applied) -> Iterator[str]:
    for one in found.systems[:3]:
        holds = "" if one.valid else " (not valid)"
        yield (
            f"{printable(one.system)}: {number(one.board_mean)} expected on the full board "
            f"({span(one.low, one.high)}){holds}, rank range {ranks(one.rank_low, one.rank_high)} of "
            f"{found.known + 1}."
        )
    yield f"Best known: {printable(found.best_known)}, {number(found.best_score)}."


register(Reduction, view, tables="worth sizes kept", figures="sizes")
register(Applied, applied_view, tables="systems")
