"""An assessment as CSV files, and as tables for a paper: LaTeX and Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from truerank._support.files import PathLike, safe_name
from truerank._support.outputs import write_file, write_folder
from truerank._support.plain import plain
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.letters import spaced
from truerank.reliability.results import Assessment
from truerank.report.lettering import in_passing
from truerank.report.parts.estimates import is_split_half, without_split_half
from truerank.report.parts.gate import gate_of
from truerank.report.parts.machine import gain_sentence
from truerank.report.tables.paper import (
    PaperColumn,
    PaperTable,
    Symbol,
    bracketed,
    coefficient_heading,
    latex_file,
    markdown_file,
)
from truerank.report.tables.spreadsheets import csv_text
from truerank.report.units import basis, score_word, units
from truerank.report.words import (
    difference_interval,
    letter_runs,
    level_text,
    number,
    percent,
    printable,
    ranks,
    share,
    verdict_text,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.reliability.machine_judge import MachineJudge


def write_csv(assessment: Assessment, folder: PathLike, overwrite: bool = False) -> list[Path]:
    """One CSV file a table into a folder (made if need be); returns what was written.

    ``ranking.csv``, ``estimates.csv``, ``swaps_ESTIMATOR.csv`` for every estimator that has
    probabilities, ``machine.csv`` with a machine judge, ``baseline.csv`` with a baseline, and
    ``settings.csv``. Those of an earlier assessment are replaced.

    Args:
        assessment: what :func:`truerank.assess` returned.
        folder: where to.
        overwrite: whether files of these names are replaced in a folder without a marker, too.

    Raises:
        InputError: a file of that name is there, in a folder that this did not write before; or the folder
            cannot be made or written to.
    """
    return write_folder(folder, csv_files(assessment), "assess", "--csv", overwrite)


def csv_names(
    estimators: Sequence[str] | None = None, baseline: bool = False, machine: bool = False
) -> list[str]:
    """The files that :func:`csv_files` may give, known before anything is computed."""
    chosen = [ESTIMATORS.find(name) for name in estimators or ESTIMATORS]
    swaps = [f"swaps_{safe_name(one.name)}" for one in chosen if isinstance(one, PairEstimator)]
    more = [*(["machine"] if machine else []), *(["baseline"] if baseline else [])]
    stems = ["ranking", "estimates", "settings", "data_sets", *swaps, *more]
    return [f"{stem}.csv" for stem in stems]


def csv_files(assessment: Assessment) -> dict[str, str]:
    """The tables of an assessment as CSV, by file name."""
    import pandas as pd

    names = list(assessment.scores.systems)
    settings = _settings(assessment)
    frames = {
        "ranking": assessment.to_frame("ranking"),
        "estimates": _leading(assessment.to_frame("estimates"), "estimator"),
        "settings": pd.DataFrame({"setting": list(settings), "value": pd.Series(list(settings.values()))}),
    }
    for estimator, probabilities in assessment.swap_probabilities.items():
        swaps = pd.DataFrame(probabilities, columns=names)
        swaps.insert(0, "system", names, allow_duplicates=True)
        frames[f"swaps_{safe_name(estimator)}"] = swaps
    if assessment.board is not None:
        frames["data_sets"] = _leading(assessment.to_frame("data_sets"), "name")
    if assessment.machine is not None:
        frames["machine"] = _leading(assessment.to_frame("machine"), "system")
    if assessment.baseline:
        frames["baseline"] = assessment.to_frame("baseline")
    return {f"{name}.csv": csv_text(frame) for name, frame in frames.items()}


def _leading(frame: DataFrame, column: str) -> DataFrame:
    """The frame with this column first."""
    return frame[[column, *frame.columns.drop(column)]]


def _settings(assessment: Assessment) -> dict[str, object]:
    """What to cite: measure, sizes, headline, and everything that sets the digits."""
    headline = assessment.to_dict()["headline"]
    about = {
        "measure": assessment.measure,
        "topics": assessment.scores.n,
        "systems": assessment.scores.m,
        "headline estimator": headline["estimator"],
        "dependence": headline["dependence"],
    }
    if assessment.machine is not None:
        judge = assessment.machine
        about |= {
            "machine topics": judge.machine_topics,
            "effective topics": judge.effective_topics,
            "lambda": judge.scale,
        }
    return plain(about | asdict(assessment.settings))


def write_latex(assessment: Assessment, target: PathLike, split_half: bool = False) -> None:
    """Tables for a paper into one file: ranking, correlation with the true one, baseline and data sets.

    Args:
        assessment: what :func:`truerank.assess` returned.
        target: the file.
        split_half: whether estimators that compare two samples of topics have rows too.

    Raises:
        InputError: it cannot be written there.
    """
    write_file(target, latex_text(assessment, split_half))


def latex_text(assessment: Assessment, split_half: bool = False) -> str:
    """What :func:`write_latex` writes; of two systems the table of their comparison."""
    if assessment.scores.m == 2:
        from truerank.report.tables.gate import latex_text as gate_text

        return gate_text(gate_of(assessment))
    return latex_file(paper_tables(assessment, split_half), assessment.measure)


def markdown_text(assessment: Assessment, split_half: bool = False) -> str:
    """The same tables as Markdown."""
    if assessment.scores.m == 2:
        from truerank.report.tables.gate import markdown_text as gate_text

        return gate_text(gate_of(assessment))
    return markdown_file(paper_tables(assessment, split_half))


def paper_tables(assessment: Assessment, split_half: bool = False) -> list[PaperTable]:
    """An assessment as tables for a paper.

    Args:
        assessment: of three systems or more.
        split_half: whether estimators that compare two samples of topics have rows too; where there are
            no others, they have.
    """
    tables = [_ranking(assessment), _correlation(assessment, split_half)]
    if assessment.machine is not None:
        tables.append(_machine(assessment, assessment.machine))
    if assessment.baseline:
        tables.append(_baseline(assessment))
    if assessment.board is not None:
        tables.append(_data_sets(assessment))
    return tables


def _ranking(a: Assessment) -> PaperTable:
    level, known, sure = level_text(a.settings.levels[0]), a.above is not None, _sure(a)
    score = printable(a.measure) if a.measure and score_word(a) == "mean" else score_word(a).capitalize()
    alone = known and not a.settings.guarantee
    columns = [
        PaperColumn(("Rank",)),
        PaperColumn(("System",), "l"),
        PaperColumn((f"{score} [{level}]",)),
        *([PaperColumn(("True rank",), "c")] if alone else []),
        *([PaperColumn(("At once",), "c"), PaperColumn(("Letters",), "l")] if known else []),
    ]
    rows, gaps, apart = [], set(), spaced(s.letters for s in a.ranking)
    for place, s in enumerate(a.ranking):
        if place and s.tier != a.ranking[place - 1].tier:
            gaps.add(place)
        rows.append(
            [
                str(s.rank),
                s.system,
                bracketed(s.mean, s.mean_low, s.mean_high, 3),
                *([_ranks(s.rank_low, s.rank_high)] if alone else []),
                *([_ranks(s.joint_low, s.joint_high), letter_runs(s.letters or "", apart)] if known else []),
            ]
        )
    said = [f"{subject_sentence(a)}, with {level} intervals of the {score_word(a)}."]
    if known:
        if alone:
            said.append(f"True rank: {level} interval of each system by itself.")
        said.append(f"At once: bands that hold all true ranks together with {sure}.")
        said.append("Systems that share a letter can’t be told apart.")
        if gaps:
            said.append(f"Gaps are between tiers, all of them in the right order with {sure}.")
    made = _by_headline(a, f"dependence {a.dependence}") if known else _made(a)
    return PaperTable("ranking", (" ".join([*said, made]),), columns, rows, frozenset(gaps))


def subject_sentence(a: Assessment) -> str:
    """What is ranked, without a full stop."""
    return f"Ranking of {a.scores.m} systems{_by_and_on(a)}"


def _by_and_on(a: Assessment) -> str:
    """The measure, where it is known, and the topics: `` by AP on 50 topics``."""
    by = f" by {in_passing(a.measure)}" if a.measure else ""
    if a.machine is None:
        return f"{by} on {basis(a)}"
    judged = f"{a.machine.human_topics} topics judged by people and {a.machine.machine_topics:,} by a machine"
    return f"{by} on {judged}"


def _sure(a: Assessment) -> str:
    kind = "confidence" if a.settings.guarantee else "probability"
    return f"{level_text(a.settings.levels[0])} {kind}"


def _made(a: Assessment, *by: str) -> str:
    """What sets the digits of a table, for the end of its caption."""
    return f"({', '.join([f'truerank {a.settings.version}', *by, f'seed {a.settings.seed}'])}.)"


def _by_headline(a: Assessment, *more: str) -> str:
    """The same of a table that rests on the headline estimator alone."""
    by = _made(a, f"estimator {printable(a.headline_estimator)}", *more).removeprefix("(")
    return f"(By {_label(a.headline_estimator)}: {by}"


def _ranks(low: int | None, high: int | None) -> str:
    """An interval of ranks, as narrow as a table wants it."""
    return ranks(low, high).replace(" to ", "–")


def _correlation(a: Assessment, split_half: bool) -> PaperTable:
    level = level_text(a.settings.levels[0])
    names = list(dict.fromkeys(e.coefficient for e in a.estimates))
    shown = a.estimators if split_half else without_split_half(a).estimators
    rows, dependences = [], []
    for name in shown:
        cells = []
        for coefficient in names:
            estimate = a.estimate(coefficient, name)
            interval = estimate.interval(a.settings.levels[0])
            ends = (interval.low, interval.high) if interval else (math.nan, math.nan)
            cells.append(bracketed(estimate.estimate, *ends))
            dependences.append(estimate.dependence)
        rows.append([_called(name), *cells])
    halves = [_label(name) for name in shown if is_split_half(name)]
    note = (
        f" {', '.join(halves).capitalize()}: of two samples of the {units(a)} with each other, which takes "
        "no dependence between pairs."
        if halves
        else ""
    )
    # A row names its estimator, so the caption has only what all rows share.
    shared = [f"dependence {one}" for one in dict.fromkeys(dependences) if one is not None]
    caption = (
        f"Expected correlation of the observed ranking with the true one, by estimator, with {level} "
        f"intervals ({subject_sentence(a).removeprefix('Ranking of ')}).{note} {_made(a, *shared)}"
    )
    columns = [PaperColumn(("Estimator",), "l")]
    columns += [coefficient_heading(name, level) for name in names]
    return PaperTable("correlation", (caption,), columns, rows)


def _label(estimator: str) -> str:
    """What an estimator is called in print."""
    return ESTIMATORS[estimator].label if estimator in ESTIMATORS else printable(estimator)


def _called(estimator: str) -> str:
    """The same with the name that one types: ``empirical Bayes (eb)``."""
    label = _label(estimator)
    return label if label == printable(estimator) else f"{label} ({printable(estimator)})"


def _baseline(a: Assessment) -> PaperTable:
    interval, known = difference_interval(a.settings), a.above is not None
    columns = [
        PaperColumn(("System",), "l"),
        PaperColumn((f"Difference [{interval.removesuffix(' interval')}]",)),
        *([PaperColumn(("Truly better",))] if known else []),
        PaperColumn(("Verdict",), "l"),
    ]
    rows = [
        [
            d.system,
            bracketed(d.difference, d.low, d.high, 3, True),
            *([share(d.probability_better)] if known else []),
            verdict_text(d.verdict),
        ]
        for d in a.baseline
    ]
    caption = (
        f"Differences of the {score_word(a)} to the baseline {in_passing(a.settings.baseline or '')}"
        f"{_by_and_on(a)}, with {interval}s. {_verdicts(a)} "
    )
    # One pair at a time asks for no dependence between pairs; all of them at once do.
    more = [f"dependence {a.dependence}"] if a.settings.guarantee else []
    return PaperTable(
        "baseline", (caption + (_by_headline(a, *more) if known else _made(a, *more)),), columns, rows
    )


def _verdicts(a: Assessment) -> str:
    """What the verdicts against the baseline, and the probabilities beside them, mean."""
    if a.above is None:
        return "Verdict: better or worse where the interval leaves zero out."
    level = a.settings.levels[0]
    sure, hardly = level_text(level), level_text(1 - level)
    if a.settings.guarantee:
        together = f", and where that goes for all pairs of systems at once with {sure} confidence"
    else:
        together = "; one-sided, and each system by itself"
    return (
        "Truly better: the probability that a system is truly better than the baseline. Verdict: better "
        f"where it is at least {sure}, worse where it is at most {hardly}{together}."
    )


def _machine(a: Assessment, judge: MachineJudge) -> PaperTable:
    level = level_text(judge.level)
    columns = [
        PaperColumn(("System",), "l"),
        PaperColumn((f"Bias [{level}]",)),
        PaperColumn((f"Beyond average [{level}]",)),
        PaperColumn(("Verdict",), "l"),
    ]
    rows = [
        [
            one.system,
            bracketed(one.bias, one.low, one.high, 3, True),
            bracketed(one.relative, one.relative_low, one.relative_high, 3, True),
            verdict_text(one.verdict),
        ]
        for one in judge.systems
    ]
    caption = (
        "Bias of the machine for every system: its mean score less that of people on the "
        f"{judge.human_topics} topics that both judged, and how far that is beyond the average over systems, "
        f"which moves no ranking; {level} intervals, each kind for all systems at once. "
        f"{gain_sentence(judge)} (truerank {a.settings.version}, seed {a.settings.seed}.)"
    )
    return PaperTable("machine", (caption,), columns, rows)


def _data_sets(a: Assessment) -> PaperTable:
    assert a.board is not None
    columns = [
        PaperColumn(("Data set",), "l"),
        *(PaperColumn((heading,)) for heading in ("Topics", "Weight", "Systems")),
        PaperColumn((Symbol("τ"), " with all")),
        PaperColumn((Symbol("τ"), " without")),
    ]
    rows = [
        [
            one.name,
            f"{one.topics:,}",
            percent(one.weight, 1),
            str(one.systems),
            number(one.tau, 2),
            number(one.tau_without, 2),
        ]
        for one in a.board.data_sets
    ]
    behind = subject_sentence(a).replace("Ranking", "ranking", 1)
    caption = (
        f"Data sets behind the {behind}. Weight: of the data set in a system’s score. ",
        Symbol("τ"),
        " with all: correlation of the ranking by this data set alone with the one by all of them. ",
        Symbol("τ"),
        f" without: of the ranking by all of them with the one by all but this. {_made(a)}",
    )
    return PaperTable("data-sets", caption, columns, rows)
