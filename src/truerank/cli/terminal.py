"""Assessments in a terminal, and what other commands print with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from truerank.cli.console import Sentence, console, longest_word, printable
from truerank.cli.tables import HEADING, LETTERS, ROOMY, show_table, table
from truerank.reliability.letters import spaced
from truerank.report.words import (
    difference_interval,
    letter_runs,
    level_text,
    listed,
    number,
    p_text,
    percent,
    ranks,
    share,
    span,
    symbol,
    verdict_text,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from truerank.reliability.machine_judge import MachineJudge
    from truerank.reliability.results import Assessment, Estimate
    from truerank.report.words import Described

__all__ = [
    "console",
    "explanations",
    "level_text",
    "longest_word",
    "number",
    "p_text",
    "percent",
    "printable",
    "share",
    "shared",
    "show_assessment",
    "show_assessments",
    "show_explained",
    "show_machine",
    "show_table",
    "show_truth",
    "span",
    "symbol",
    "table",
]

MIDDLE = 76
"""Columns from which on a ranking also shows the intervals of the means."""

WIDE = 100
"""Columns from which on a ranking also shows the probability of being the best."""

SHOWN = 25
"""Rows of a ranking that the terminal shows; the files have them all."""


def show_assessments(results: Sequence[Assessment], out: Console, all_estimators: bool = False) -> None:
    """Print one assessment, or those by several measures side by side.

    Args:
        results: one a measure.
        out: where to.
        all_estimators: whether all estimators have rows, or the headline one alone.
    """
    from truerank.report.parts.answer import answer_sentences

    if len(results) == 1:
        show_assessment(results[0], out, all_estimators)
        return
    for a in results:
        out.print(Text(printable(a.measure), style="bold"))
        for sentence in answer_sentences(a):
            out.print(Text(printable(sentence)))
        out.print()
    _show_side_by_side(results, out)
    _show_estimates(results, out, all_estimators)
    for a in results:
        _show_more(a, out, f"{a.measure}: ")
    _show_warnings(results, out)
    for text, which in shared([(a.measure, [_how(a, all_estimators)]) for a in results]):
        out.print(Text(printable(f"{which}{text}")))


def show_assessment(a: Assessment, out: Console, all_estimators: bool = False) -> None:
    """Print the answer, the ranking, what is expected of it and the warnings."""
    from truerank.report.parts.answer import answer_sentences

    for sentence in answer_sentences(a):
        out.print(Text(printable(sentence)))
    out.print()
    _show_ranking(a, out)
    _show_estimates([a], out, all_estimators)
    _show_more(a, out)
    _show_warnings([a], out)
    out.print(Text(printable(_how(a, all_estimators))))


def _show_ranking(a: Assessment, out: Console) -> None:
    from truerank.report.units import score_word

    level = level_text(a.settings.levels[0])
    scores = f" of the {score_word(a)} and" if out.width >= MIDDLE else ""
    title = f"Ranking, with {level} intervals{scores} of the true rank"
    if a.above is None:
        title = f"Ranking, with {level} intervals of the {score_word(a)}"
    show_table(out, title, _ranking(a, out.width), _about_ranking(a, out.width))
    _show_left(len(a.ranking), out)


def _show_left(rows: int, out: Console) -> None:
    if rows > SHOWN:
        out.print(Text(f"… and {rows - SHOWN} more (--csv DIR or --json FILE has all)"))
        out.print()


def _show_estimates(results: Sequence[Assessment], out: Console, all_estimators: bool) -> None:
    shown = [(a, a.estimators if all_estimators else (a.headline_estimator,)) for a in results]
    by = ""
    if len(shown) > 1 and len({name for _, names in shown for name in names}) == 1:
        by = f", by {results[0].headline_estimator}"
    title = f"Expected correlation with the true ranking{by}"
    show_table(out, title, _estimates(shown, not by), _about_estimators(*shown[0]))


def _show_more(a: Assessment, out: Console, of: str = "") -> None:
    """Data sets, a machine judge and a baseline, where there are any."""
    if a.board is not None:
        show_table(out, f"{of}Data sets", _data_sets(a), " ".join(_board_sentences(a)))
        _show_left(len(a.board.data_sets), out)
    if a.machine is not None:
        show_machine(a.machine, out, of)
    if a.baseline:
        show_table(out, f"{of}Against the baseline {a.settings.baseline}", _baseline(a), _about_baseline(a))
        _show_left(len(a.baseline), out)


def _show_warnings(results: Sequence[Assessment], out: Console) -> None:
    """Warnings, each once, with the measure where not all have it."""
    found = shared([(a.measure, a.warnings) for a in results])
    for warning, which in found:
        out.print(Text(printable(f"! {which}{warning}")))
    if found:
        out.print()


def shared(said: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, str]]:
    """What is said of several measures, each text once; with whose it is where that is not all."""
    whose: dict[str, list[str]] = {}
    for measure, texts in said:
        for text in texts:
            whose.setdefault(text, []).append(measure)
    return [
        (text, "" if len(measures) == len(said) else f"{', '.join(measures)}: ")
        for text, measures in whose.items()
    ]


def _show_side_by_side(results: Sequence[Assessment], out: Console) -> None:
    """The rankings by several measures beside each other, as many at a time as there is room for."""
    first = results[0]
    level = level_text(first.settings.levels[0])
    order = list(dict.fromkeys(s.system for a in results for s in a.ranking))
    rows = {a.measure: {s.system: s for s in a.ranking} for a in results}
    room = out.width - min(max(map(cell_len, order)), ROOMY)
    for block in _blocks(results, room):
        made = table(
            ("system", "name"),
            *(
                column
                for a in block
                for column in (
                    (printable(a.measure) or "mean", "right"),
                    ("rank", "right"),
                    ("true", "right"),
                )
            ),
        )
        for system in order[:SHOWN]:
            cells = []
            for a in block:
                s = rows[a.measure].get(system)
                shown = ["–"] * 3
                if s is not None:
                    shown = [number(s.mean, 4), str(s.rank), ranks(s.rank_low, s.rank_high)]
                cells += shown
            made.add_row(printable(system), *cells)
        known = any(a.above is not None for a in block)
        what = f"the {level} band of its true rank, all at once" if first.settings.guarantee else ""
        what = what or f"the {level} interval of its true rank, each system by itself"
        note = f"In the order of {first.measure}. True: {what}. {_more_of_each(first)}" if known else ""
        show_table(out, f"Ranking by {listed([a.measure for a in block])}", made, note)
    _show_left(len(order), out)


def _more_of_each(a: Assessment) -> str:
    """Where the columns of a ranking are for which several measures leave no room."""
    what = "Letters and tiers" if a.settings.guarantee else "Letters, bands (at once) and tiers"
    return f"{what} of each measure: one -m alone, or --csv DIR or --html FILE."


def _blocks(results: Sequence[Assessment], room: int) -> list[list[Assessment]]:
    """The assessments that stand beside each other, with mean, rank and true rank: as many as fit."""
    blocks: list[list[Assessment]] = [[]]
    left = room
    for a in results:
        band = max(len(ranks(s.rank_low, s.rank_high)) for s in a.ranking)
        wide = max(len("0.0000"), min(len(a.measure), HEADING)) + len("rank") + max(band, len("true")) + 6
        if blocks[-1] and wide > left:
            blocks.append([])
            left = room
        blocks[-1].append(a)
        left -= wide
    return blocks


def show_explained(things: Iterable[Described], out: Console) -> None:
    """Print what things say of themselves: label, explanation, formula (as LaTeX) and references."""
    from rich.padding import Padding

    from truerank._support.references import REFERENCES
    from truerank.report.formulas import explained_in_text

    cited: dict[str, None] = {}
    for thing in things:
        out.print()
        heading = f"{thing.name}: {thing.label}" if thing.label else thing.name
        out.print(Text(printable(heading), style="bold"))
        known = [key for key in thing.references if key in REFERENCES]
        cited |= dict.fromkeys(known)
        sources = "; ".join(REFERENCES[key].short for key in known)
        for text in (explained_in_text(thing.explanation), thing.formula, sources):
            if text:
                out.print(Padding(Sentence(Text(printable(text)), whole=True), (0, 0, 0, 2), expand=False))
    if cited:
        out.print()
        out.print(Text("References", style="bold"))
    for key in cited:
        out.print(Padding(Sentence(Text(printable(REFERENCES[key].text))), (0, 0, 0, 2), expand=False))


def explanations(a: Assessment) -> list[Described]:
    """The estimators, coefficients and dependences of an assessment."""
    from truerank.report.parts.methods import coefficients_of, dependences_of, estimators_of

    return [*estimators_of(a), *coefficients_of(a), *dependences_of(a)]


def show_truth(a: Assessment, true_means: dict[str, float], out: Console) -> None:
    """Print the estimates beside the coefficients with the true ranking, where that is known."""
    from truerank.reliability.truth import true_coefficients

    made = table(("", "left"), ("estimated", "right"), ("true", "right"))
    for name, value in true_coefficients(a, true_means).items():
        made.add_row(symbol(name), number(a.estimate(name).estimate), number(value))
    out.print()
    show_table(out, "Beside the truth, known here", made)


def _estimates(shown: Sequence[tuple[Assessment, Sequence[str]]], named: bool = True) -> Table:
    """The estimates of assessments by these estimators, which the rows name unless the title does."""
    first = shown[0][0]
    level = first.settings.levels[0]
    names = list(dict.fromkeys(e.coefficient for e in first.estimates))
    columns = [("measure", "name")] * (len(shown) > 1) + [("estimator", "left")] * named
    for name in names:
        columns += [(symbol(name), "right"), (f"{level_text(level)} interval", "right")]
    made = table(*columns)
    for a, estimators in shown:
        for estimator in estimators:
            mark = " *" if estimator == a.headline_estimator and len(estimators) > 1 else ""
            row = [printable(a.measure)] * (len(shown) > 1) + [estimator + mark] * named
            for name in names:
                row += _cells(a.estimate(name, estimator), level)
            made.add_row(*row)
    return made


def _about_estimators(a: Assessment, shown: Sequence[str]) -> str:
    """What must be known to read the table, and where the rest is said."""
    from truerank.report.units import units

    halves = ", ".join(name for name in shown if name in _split_halves(a))
    notes = (
        [f"{halves}: of two samples of {units(a)} with each other, for comparison only."] if halves else []
    )
    if len(shown) > 1:
        notes.insert(0, f"* {a.headline_estimator} is the headline: the answer rests on it.")
    if len(shown) < len(a.estimators):
        more = len(a.estimators) - len(shown)
        notes.append(f"{more} {'others' if more > 1 else 'other'}: --all-estimators.")
    return " ".join([*notes, "What each estimator is: --explain."])


def _split_halves(a: Assessment) -> list[str]:
    """The estimators here that compare no ranking with the true one."""
    from truerank.report.parts.estimates import is_split_half

    return [name for name in a.estimators if is_split_half(name)]


def _resampled(a: Assessment) -> str:
    """The estimators here that rest on resamples."""
    from truerank.reliability.estimators import ESTIMATORS

    names = dict.fromkeys(e.estimator for e in a.estimates)
    return " and ".join(name for name in names if getattr(ESTIMATORS.get(name), "resampled", False))


def _cells(estimate: Estimate, level: float) -> list[str]:
    interval = estimate.interval(level)
    return [number(estimate.estimate), span(interval.low, interval.high, 2) if interval else "–"]


def _ranking(a: Assessment, width: int) -> Table:
    from truerank.report.units import score_word

    known, level = a.above is not None, level_text(a.settings.levels[0])
    alone, wide = known and not a.settings.guarantee, known and width >= WIDE
    means, together = width >= MIDDLE or not known, a.ranking[0].joint_low is not None
    made = table(
        ("rank", "right"),
        ("system", "name"),
        (score_word(a), "right"),
        *[(f"{level} interval", "right")] * means,
        *[("true rank", "right")] * alone,
        *[("at once", "right")] * together,
        *[("best", "right")] * wide,
        *[(LETTERS, "left")] * known,
    )
    apart = spaced(s.letters for s in a.ranking)
    for s in a.ranking[:SHOWN]:
        made.add_row(
            str(s.rank),
            printable(s.system),
            number(s.mean, 4),
            *[span(s.mean_low, s.mean_high)] * means,
            *[ranks(s.rank_low, s.rank_high)] * alone,
            *[ranks(s.joint_low, s.joint_high)] * together,
            *[share(s.probability_best)] * wide,
            *[letter_runs(s.letters or "", apart) or "–"] * known,
            end_section=s.rank < len(a.ranking) and a.ranking[s.rank].tier != s.tier,
        )
    return made


def _about_ranking(a: Assessment, width: int) -> str:
    """How the columns are to be read."""
    from truerank.report.units import score_word

    if a.above is None:
        return ""
    kind = "confidence" if a.settings.guarantee else "probability"
    sure = f"{level_text(a.settings.levels[0])} {kind}"
    tiers = a.ranking[-1].tier
    said = [] if a.settings.guarantee else ["True rank: of each system by itself."]
    if a.ranking[0].joint_low is not None:
        said.append(f"At once: bands that hold all true ranks together with {sure}.")
    said.append("Systems that share a letter can’t be told apart.")
    if tiers and tiers > 1:
        said.append(
            f"Gaps: between {tiers} tiers, which are all in the right order with {sure}; no band "
            "reaches beyond one."
        )
    if width < MIDDLE:
        said.append(f"Intervals of the {score_word(a)} show from {MIDDLE} columns on.")
    return " ".join(said)


def _board_sentences(a: Assessment) -> list[str]:
    from truerank.report.parts.data_sets import board_sentences

    return board_sentences(a)


def _data_sets(a: Assessment) -> Table:
    from truerank.report.units import one_score_each

    topics = not one_score_each(a)
    made = table(
        ("data set", "name"),
        *([("topics", "right")] if topics else []),
        ("weight", "right"),
        ("systems", "right"),
        ("τ with all", "right"),
        ("τ without", "right"),
    )
    assert a.board is not None
    for one in a.board.data_sets[:SHOWN]:
        made.add_row(
            printable(one.name),
            *([str(one.topics)] if topics else []),
            percent(one.weight, 1),
            str(one.systems),
            number(one.tau, 2),
            number(one.tau_without, 2),
        )
    return made


def show_machine(judge: MachineJudge, out: Console, of: str = "") -> None:
    """Print a machine judge's bias for every system, or those that stick out where there are many."""
    show_table(out, f"{of}The machine judge", _machine(judge, out.width), _about_machine(judge, out.width))


def _machine(judge: MachineJudge, width: int) -> Table:
    """The systems that stick out first, as far as rows go; all others in the files."""
    level, roomy = level_text(judge.level), width >= MIDDLE
    made = table(
        ("system", "name"),
        ("bias", "right"),
        *[(f"{level} interval", "right")] * roomy,
        ("beyond mean", "right"),
        (f"{level} interval", "right"),
        ("", "left"),
    )
    order = sorted(judge.systems, key=lambda one: -one.relative)
    for one in order if len(order) <= SHOWN else [*order[: SHOWN // 2], *order[-SHOWN // 2 :]]:
        made.add_row(
            printable(one.system),
            number(one.bias, sign=True),
            *[span(one.low, one.high, sign=True)] * roomy,
            number(one.relative, sign=True),
            span(one.relative_low, one.relative_high, sign=True),
            {"over-scored": "↑", "under-scored": "↓"}.get(one.verdict, ""),
        )
    return made


def _about_machine(judge: MachineJudge, width: int) -> str:
    """How the columns are to be read."""
    left = len(judge.systems) - SHOWN
    more = f" … and {left} more in between (--csv DIR or --json FILE has all)." if left > 0 else ""
    narrow = f" Intervals of the bias show from {MIDDLE} columns on." if width < MIDDLE else ""
    return (
        f"Bias: the machine’s mean score less people’s, on the {judge.human_topics} topics that both judged. "
        "Beyond mean: the bias less that of all systems on average, which is what moves a ranking. "
        f"↑ over-scored, ↓ under-scored. Intervals hold for all systems at once.{narrow}{more}"
    )


def _baseline(a: Assessment) -> Table:
    made = table(
        ("system", "name"),
        ("difference", "right"),
        (difference_interval(a.settings), "right"),
        ("truly better", "right"),
        ("verdict", "left"),
    )
    for d in a.baseline[:SHOWN]:
        made.add_row(
            printable(d.system),
            number(d.difference, 4, sign=True),
            span(d.low, d.high, sign=True),
            share(d.probability_better),
            verdict_text(d.verdict),
        )
    return made


def _about_baseline(a: Assessment) -> str:
    """Why the interval has another level than the verdicts."""
    interval, level = difference_interval(a.settings), level_text(a.settings.levels[0])
    if a.settings.guarantee:
        return ""
    return (
        f"Verdicts are one-sided, with at least {level} probability; the {interval} leaves zero out exactly "
        "where there is one."
    )


def _how(a: Assessment, all_estimators: bool) -> str:
    """What the digits rest on; of resamples only where an estimator that takes them is shown."""
    from truerank.report.units import units

    s = a.settings
    resampled = ""
    if s.resamples and _resampled(a) and (all_estimators or _resampled(a) == a.headline_estimator):
        error = f"(Monte Carlo error {s.resampling_error:.4f})"
        resampled = f"; T = {s.resamples:,} resamples of the {units(a)} for {_resampled(a)} {error}"
    dropped = (
        f"; {len(s.dropped)} systems of the bottom {percent(s.drop_bottom)} dropped" if s.dropped else ""
    )
    copies = sum(len(group) - 1 for group in s.identical)
    dropped = (f"; {copies} identical to another left out" if copies else "") + dropped
    levels = f"; also at {', '.join(map(level_text, s.levels[1:]))} in the files" if s.levels[1:] else ""
    return (
        f"Headline: {a.headline_estimator}{_label(a.headline_estimator)}. "
        f"Dependence between pairs: {a.dependence}; {s.draws:,} draws{levels}{resampled}{dropped}; "
        f"seed {s.seed}; truerank {s.version}."
    )


def _label(name: str) -> str:
    """What an estimator's name stands for."""
    from truerank.reliability.estimators import ESTIMATORS

    return f" ({ESTIMATORS[name].label})" if name in ESTIMATORS else ""
