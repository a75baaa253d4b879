"""Tables and sentences for a terminal of 80 columns, without colour where the output is no terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from truerank.report.words import (
    difference_interval,
    letter_runs,
    level_text,
    number,
    percent,
    ranks,
    share,
    span,
    symbol,
)

if TYPE_CHECKING:
    from truerank.reliability.machine_judge import MachineJudge
    from truerank.reliability.results import Assessment, Estimate
    from truerank.report.words import Described

__all__ = [
    "console",
    "explanations",
    "level_text",
    "number",
    "printable",
    "share",
    "show_assessment",
    "show_explained",
    "show_machine",
    "show_table",
    "show_truth",
    "span",
    "symbol",
    "table",
]

NARROWEST = 64

WIDE = 100
"""Columns from which on a ranking also shows the probability of being the best."""

SHOWN = 20
"""Rows of a ranking that the terminal shows; the files have them all."""


def printable(text: str) -> str:
    """The text with control characters escaped: names from files must not steer the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def console() -> Console:
    """Standard output: 80 columns where it is no terminal, no markup, no guessing at numbers.

    Never narrower than 64 columns: a narrow terminal wraps lines, but no digit is cut off.
    """
    out = Console(highlight=False, markup=False, emoji=False)
    out.width = max(out.width, NARROWEST)
    return out


def table(*columns: tuple[str, str]) -> Table:
    """An empty table; each column is its heading and ``left`` or ``right``."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, justify in columns:
        right = justify == "right"
        made.add_column(heading, justify="right" if right else "left", no_wrap=right, overflow="fold")
    return made


def show_table(out: Console, title: str, made: Table, note: str = "") -> None:
    """Print a table under its title, over a note if there is one, with a blank line behind it."""
    out.print(Text(printable(title), style="bold"))
    out.print(made)
    if note:
        out.print(Text(printable(note)))
    out.print()


def show_assessment(assessment: Assessment, out: Console) -> None:
    """Print the answer, the estimates, the ranking and the warnings."""
    from truerank.report.units import score_word

    a = assessment
    level = a.settings.levels[0]
    for sentence in answer(a):
        out.print(Text(printable(sentence)))
    out.print()
    show_table(out, "Expected correlation with the true ranking", _estimates(a, level), _about_estimators(a))
    ranking_title = f"Ranking, with {level_text(level)} intervals of the {score_word(a)} and of the true rank"
    show_table(out, ranking_title, _ranking(a, level, out.width >= WIDE), _about_ranking(a, level))
    if len(a.ranking) > SHOWN:
        out.print(Text(f"… and {len(a.ranking) - SHOWN} more (--csv DIR or --json FILE has all)"))
        out.print()
    if a.board is not None:
        show_table(out, "Data sets", _data_sets(a), " ".join(_board_sentences(a)))
    if a.machine is not None:
        show_machine(a.machine, out)
    if a.baseline:
        show_table(out, f"Against the baseline {a.settings.baseline}", _baseline(a))
    for warning in a.warnings:
        out.print(Text(printable(f"! {warning}")))
    if a.warnings:
        out.print()
    out.print(Text(printable(_how(a))))


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
                out.print(Padding(Text(printable(text)), (0, 0, 0, 2), expand=False))
    if cited:
        out.print()
        out.print(Text("References", style="bold"))
    for key in cited:
        out.print(Padding(Text(printable(REFERENCES[key].text)), (0, 0, 0, 2), expand=False))


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


def answer(a: Assessment) -> list[str]:
    """The page's first sentences, as plain text."""
    from truerank.report.parts.answer import (
        agreement_sentence,
        pairs_sentence,
        top_sentences,
        twice_sentence,
    )
    from truerank.report.parts.machine import machine_sentences

    first = " ".join([agreement_sentence(a).striptags(), pairs_sentence(a)]).strip()
    said = (first, *machine_sentences(a), *top_sentences(a), twice_sentence(a))
    return [sentence for sentence in said if sentence]


def _estimates(a: Assessment, level: float) -> Table:
    names = list(dict.fromkeys(e.coefficient for e in a.estimates))
    estimators = list(dict.fromkeys(e.estimator for e in a.estimates))
    found = {(e.estimator, e.coefficient): e for e in a.estimates}
    columns = [("estimator", "left")]
    for name in names:
        columns += [(symbol(name), "right"), (f"{level_text(level)} interval", "right")]
    made = table(*columns)
    for estimator in estimators:
        row = [estimator + (" *" if estimator == a.headline_estimator else "")]
        for name in names:
            row += _cells(found[estimator, name], level)
        made.add_row(*row)
    return made


def _about_estimators(a: Assessment) -> str:
    """What must be known to read the table, and where the rest is said."""
    from truerank.report.units import units

    halves = ", ".join(_split_halves(a))
    note = f"{halves}: of two samples of {units(a)} with each other, for comparison only. " if halves else ""
    return note + "What each estimator is: --explain."


def _split_halves(a: Assessment) -> list[str]:
    """The estimators here that compare no ranking with the true one."""
    from truerank.reliability.estimators import ESTIMATORS, SplitHalfEstimator

    names = dict.fromkeys(e.estimator for e in a.estimates)
    return [name for name in names if isinstance(ESTIMATORS.get(name), SplitHalfEstimator)]


def _resampled(a: Assessment) -> str:
    """The estimators here that rest on resamples."""
    from truerank.reliability.estimators import ESTIMATORS

    names = dict.fromkeys(e.estimator for e in a.estimates)
    return " and ".join(name for name in names if getattr(ESTIMATORS.get(name), "resampled", False))


def _cells(estimate: Estimate, level: float) -> list[str]:
    interval = estimate.interval(level)
    return [number(estimate.estimate), span(interval.low, interval.high, 2) if interval else "–"]


def _ranking(a: Assessment, level: float, wide: bool) -> Table:
    from truerank.report.units import score_word

    columns = [
        ("rank", "right"),
        ("system", "left"),
        (score_word(a), "right"),
        (f"{level_text(level)} interval", "right"),
        *([] if a.settings.guarantee else [("true rank", "right")]),
        ("at once", "right"),
        *([("best", "right")] if wide else []),
        ("letters", "left"),
    ]
    made = table(*columns)
    for s in a.ranking[:SHOWN]:
        made.add_row(
            str(s.rank),
            printable(s.system),
            number(s.mean, 4),
            span(s.mean_low, s.mean_high),
            *([] if a.settings.guarantee else [ranks(s.rank_low, s.rank_high)]),
            ranks(s.joint_low, s.joint_high),
            *([share(s.probability_best)] if wide else []),
            letter_runs(s.letters) if s.letters else "–",
            end_section=s.rank < len(a.ranking) and a.ranking[s.rank].tier != s.tier,
        )
    return made


def _about_ranking(a: Assessment, level: float) -> str:
    """How the columns are to be read."""
    if a.above is None:
        return ""
    sure = f"{level_text(level)} {'confidence' if a.settings.guarantee else 'probability'}"
    tiers = a.ranking[-1].tier
    lines = (
        f"Gaps: between {tiers} tiers, which are all in the right order with {sure}; no band "
        "reaches beyond one."
        if tiers and tiers > 1
        else f"One tier: no cut through the ranking holds with {sure}."
    )
    by_itself = "" if a.settings.guarantee else "True rank: of each system by itself. "
    return (
        f"{by_itself}At once: bands that hold all true ranks together with {sure}. "
        f"Systems that share a letter can’t be told apart. {lines}"
    )


def _board_sentences(a: Assessment) -> list[str]:
    from truerank.report.parts.data_sets import board_sentences

    return board_sentences(a)


def _data_sets(a: Assessment) -> Table:
    from truerank.report.units import one_score_each

    topics = not one_score_each(a)
    made = table(
        ("data set", "left"),
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
    if len(a.board.data_sets) > SHOWN:
        made.caption = f"… and {len(a.board.data_sets) - SHOWN} more (--csv DIR or --json FILE has all)"
    return made


def show_machine(judge: MachineJudge, out: Console) -> None:
    """Print a machine judge's bias for every system, or those that stick out where there are many."""
    show_table(out, "The machine judge", _machine(judge), _about_machine(judge))


def _machine(judge: MachineJudge) -> Table:
    """The systems that stick out first, as far as rows go; all others in the files."""
    level = level_text(judge.level)
    made = table(
        ("system", "left"),
        ("bias", "right"),
        (f"{level} interval", "right"),
        ("beyond mean", "right"),
        (f"{level} interval", "right"),
        ("", "left"),
    )
    order = sorted(judge.systems, key=lambda one: -one.favour)
    for one in order if len(order) <= SHOWN else [*order[: SHOWN // 2], *order[-SHOWN // 2 :]]:
        made.add_row(
            printable(one.system),
            number(one.bias, sign=True),
            span(one.low, one.high),
            number(one.favour, sign=True),
            span(one.favour_low, one.favour_high),
            {"favoured": "↑", "put down": "↓"}.get(one.verdict, ""),
        )
    return made


def _about_machine(judge: MachineJudge) -> str:
    """How the columns are to be read."""
    left = len(judge.systems) - SHOWN
    more = f" … and {left} more in between (--csv DIR or --json FILE has all)." if left > 0 else ""
    return (
        f"Bias: the machine’s mean score less people’s, on the {judge.human_topics} topics that both judged; "
        f"beyond mean: what moves a ranking; ↑ surely favoured, ↓ put down. Intervals hold for all systems "
        f"at once.{more}"
    )


def _baseline(a: Assessment) -> Table:
    made = table(
        ("system", "left"),
        ("difference", "right"),
        (difference_interval(a.settings), "right"),
        ("better with", "right"),
        ("verdict", "left"),
    )
    for d in a.baseline[:SHOWN]:
        made.add_row(
            printable(d.system),
            number(d.difference, 4, sign=True),
            span(d.low, d.high),
            share(d.probability_better),
            d.verdict,
        )
    return made


def _how(a: Assessment) -> str:
    from truerank.report.units import units

    s = a.settings
    resampled = ""
    if s.resamples:
        error = f"(Monte Carlo error {s.resampling_error:.4f})"
        resampled = f"; T = {s.resamples:,} resamples of the {units(a)} for {_resampled(a)} {error}"
    dropped = f"; {len(s.dropped)} systems of the bottom {s.drop_bottom:.0%} dropped" if s.dropped else ""
    copies = sum(len(group) - 1 for group in s.identical)
    dropped = (f"; {copies} identical to another left out" if copies else "") + dropped
    levels = f"; also at {', '.join(map(level_text, s.levels[1:]))} in the files" if s.levels[1:] else ""
    return (
        f"* headline: {a.headline_estimator}{_label(a.headline_estimator)}. "
        f"Dependence between pairs: {a.dependence}; {s.draws:,} draws{levels}{resampled}{dropped}; "
        f"seed {s.seed}; truerank {s.version}."
    )


def _label(name: str) -> str:
    """What an estimator's name stands for."""
    from truerank.reliability.estimators import ESTIMATORS

    return f" ({ESTIMATORS[name].label})" if name in ESTIMATORS else ""
