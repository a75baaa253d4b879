"""`truerank compare`: do two rankings of the same systems really differ?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank.cli.inputs import (
    Format,
    MissingScores,
    files_of,
    hold_runs,
    judgments_of_each,
    score_tables,
)
from truerank.cli.options import (
    Json,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    command_line,
    progress_bar,
    writing,
)
from truerank.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from truerank._support.progress import Progress
    from truerank.comparison import Comparison
    from truerank.comparison.distance import BootstrapDistribution
    from truerank.comparison.gate import Gate
    from truerank.readers.missing import Missing
    from truerank.scores import ScoreMatrix


def compare(
    base: Annotated[
        str,
        typer.Argument(
            metavar="BASE",
            help="The trusted scores: a file or folder that assess reads, a quoted pattern ('base/*.eval') "
            "for several files, or, with --qrels, runs.",
        ),
    ],
    others: Annotated[
        list[str],
        typer.Argument(
            metavar="OTHER...",
            help="The same, or ranking files: one system a line, best first, a score behind it or not.",
        ),
    ],
    qrels: Annotated[
        list[str] | None,
        typer.Option(
            "--qrels",
            metavar="FILE|ID",
            help="Judgments of runs; repeat it to judge BASE and each OTHER by judgments of their own.",
        ),
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", metavar="NAME", help="Which, where files hold several.")
    ] = None,
    missing: MissingScores = "error",
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    format: Format = None,
    samples: Annotated[
        int | None, typer.Option(min=1, show_default="10000", help="Bootstrap samples behind the p-value.")
    ] = None,
    lam: Annotated[
        float | None,
        typer.Option(
            "--lambda", min=0.0, show_default="by rule", help="Added to the variances of differences."
        ),
    ] = None,
    regularise: Annotated[
        str, typer.Option(metavar="differences|scores", help="What lambda is added to.")
    ] = "differences",
    rbo_p: Annotated[float, typer.Option("--rbo-p", metavar="P", help="Persistence of RBO.")] = 0.9,
    swaps: Annotated[int, typer.Option(min=0, help="How many swaps to name.")] = 10,
    bootstrap: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE|FOLDER",
            help="A bootstrap distribution saved before from BASE, a folder with one, or one that comes "
            "along: web2010-ap, web2010-p10.",
        ),
    ] = None,
    save_bootstrap: Annotated[
        str | None, typer.Option(metavar="FILE", help="Save the bootstrap distribution for other rankings.")
    ] = None,
    critical: Annotated[bool, typer.Option("--critical", help="Print the table of critical values.")] = False,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a page to share.")] = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """How close are other rankings to a trusted one, and is the difference more than chance?"""
    from json import dumps

    from truerank.comparison import compare_all
    from truerank.comparison.distance.bootstrap import RESAMPLES

    saved = bootstrap if bootstrap and Path(bootstrap).exists() else None
    given = [files_of(argument) for argument in (base, *others)]
    inputs = [path for files in given for path in files]
    with writing("compare", [*inputs, *(qrels or []), saved], quiet) as outputs:
        outputs.file(html, "--html")
        outputs.file(save_bootstrap, "--save-bootstrap")
        outputs.file(json, "--json")
        if bootstrap and samples is not None:
            raise InputError("--samples goes with a new bootstrap distribution; the saved one has its own")
        reading = Reading(measure, missing, relevance_level, names, format)
        with progress_bar(quiet) as progress:
            table, rankings = _read(base, others, given, qrels, reading, progress)
        pair = _pair(table, others, rankings, seed)
        if pair is not None:
            if save_bootstrap is not None:
                raise InputError("--save-bootstrap goes with rankings of three systems or more")
            if html is not None:
                from truerank.report.pages.gate import gate_html

                outputs.add(html, gate_html(pair[0], command=command_line()))
            if json:
                from truerank.cli.pair import pair_documents

                add_json(outputs, pair_documents(*pair), json)
        with progress_bar(quiet) as progress:
            results = (
                []
                if pair is not None
                else compare_all(
                    table,
                    rankings,
                    labels=others,
                    resamples=samples or RESAMPLES,
                    seed=seed,
                    lam=lam,
                    regularise=regularise,
                    distribution=bootstrap,
                    rbo_p=rbo_p,
                    swaps=swaps,
                    progress=progress,
                )
            )
        if save_bootstrap is not None:
            outputs.add(save_bootstrap, dumps(_one_distribution(results).to_dict(), ensure_ascii=False))
        if html is not None and results:
            from truerank.report.pages.comparison import comparison_html

            outputs.add(html, comparison_html(results, command=command_line()))
        if json and results:
            documents = [result.to_dict() for result in results]
            add_json(outputs, documents[0] if len(documents) == 1 else documents, json)
    if json == "-":
        return
    if pair is not None:
        from truerank.cli.pair import show_compared

        show_compared(*pair)
    else:
        _show(results, critical)


@dataclass(frozen=True)
class Reading:
    """What the options say of how scores are read, for BASE and each OTHER alike."""

    measure: str | None
    missing: Missing
    relevance_level: int | None
    names: Literal["tag", "file"]
    format: str | None

    def table(self, files: list[str], qrels: str | None, progress: Progress | None) -> ScoreMatrix:
        """The scores in files of one argument.

        Raises:
            typer.BadParameter: options that do not go together.
            InputError: a file that cannot be used.
            UnknownNameError: no such measure or format.
        """
        measures = [self.measure] if self.measure else None
        level = self.relevance_level if qrels is not None else None
        missing = self.missing if qrels is None else "error"
        (table,) = score_tables(
            files, qrels, measures, missing, level, self.names, progress, format=self.format
        )
        return table


def _read(
    base: str,
    others: list[str],
    given: list[list[str]],
    qrels: list[str] | None,
    reading: Reading,
    progress: Progress | None,
) -> tuple[ScoreMatrix, list[Any]]:
    """The trusted scores, and for each other argument scores, or what a ranking file gives each system.

    Raises:
        typer.BadParameter: options that do not go together.
        InputError: a file that cannot be used, or judgments without runs.
        UnknownNameError: no such measure or format.
    """
    from truerank.readers import parse_ranking
    from truerank.readers.ranking_files import ranking_text

    judged = [
        one if one is not None and hold_runs(files) else None
        for one, files in zip(judgments_of_each(qrels, len(given)), given, strict=True)
    ]
    if (qrels or reading.relevance_level is not None) and not any(judged):
        raise typer.BadParameter("--qrels and --relevance-level go with runs, and none of these is one")
    if all(judged) and reading.missing != "error":
        raise typer.BadParameter("--missing goes with tables; topics that a run lacks score the default")
    table = reading.table(given[0], judged[0], progress)
    if table.m == 1:
        raise InputError(
            f"{base}: scores of one system; for several files give BASE as a folder or a quoted pattern"
        )
    table = replace(table, source=table.source or base)
    rankings: list[Any] = []
    for name, files, one in zip(others, given[1:], judged[1:], strict=True):
        text = None if one is not None or len(files) > 1 else ranking_text(files[0], table.systems)
        if text is not None:
            rankings.append(parse_ranking(text, table.systems, name))
        else:
            rankings.append(reading.table(files, one, progress))
    return table, rankings


def _pair(
    table: ScoreMatrix, others: list[str], rankings: list[Any], seed: int
) -> tuple[Gate, list[dict[str, Any]]] | None:
    """The verdict and how others order the two, where the trusted scores have two systems; else ``None``.

    Raises:
        InputError: as :func:`truerank.gate`.
    """
    if table.m != 2:
        return None
    from truerank.cli.pair import compare_pair

    return compare_pair(table, list(zip(others, rankings, strict=True)), seed)


def _one_distribution(results: list[Comparison]) -> BootstrapDistribution:
    """The bootstrap distribution of all comparisons.

    Raises:
        typer.BadParameter: there are several, as the rankings lack different systems.
    """
    made = {result.distance.distribution.fingerprint: result.distance.distribution for result in results}
    if len(made) > 1:
        raise typer.BadParameter("the rankings lack different systems; save one bootstrap at a time")
    return next(iter(made.values()))


def _show(results: list[Comparison], critical: bool) -> None:
    from rich.text import Text

    from truerank.cli.terminal import console, number, printable, show_table, span, table

    out = console()
    base = results[0].distance.distribution
    what = f"{base.measure}, " if base.measure else ""
    out.print(Text(printable(f"Baseline: {what}{base.topics} topics, {base.systems} systems"), style="bold"))
    for place, result in enumerate(results, 1):
        out.print(Text(printable(f"{_label(place, results)}: {result.other}"), style="bold"))
    out.print()
    made = table(
        ("ranking", "left"),
        ("τ", "right"),
        ("95% interval", "right"),
        ("τ_b", "right"),
        ("τ_AP", "right"),
        ("RBO", "right"),
        ("distance", "right"),
        ("p", "right"),
    )
    for place, result in enumerate(results, 1):
        made.add_row(
            _label(place, results),
            number(result.tau),
            span(result.kendall_interval.low, result.kendall_interval.high, 2),
            number(result.tau_b),
            number(result.tau_ap),
            number(result.rbo),
            number(result.distance.distance, 2),
            result.p_text(),
        )
    show_table(out, "Agreement with the baseline", made)
    for place, result in enumerate(results, 1):
        _show_one(result, out, f"{_label(place, results)}: " if len(results) > 1 else "")
    if critical:
        for text in dict.fromkeys(result.distance.distribution.format_table() for result in results):
            out.print(Text("\n".join(printable(line) for line in text.split("\n"))))
            out.print()
    for text in dict.fromkeys(_how(result) for result in results):
        out.print(Text(printable(text)))


def _label(place: int, results: list[Comparison]) -> str:
    return "Other" if len(results) == 1 else f"Other {place}"


def _show_one(result: Comparison, out: Console, label: str) -> None:
    from rich.text import Text

    from truerank.cli.terminal import number, printable, show_table, table

    out.print(Text(label + result.answer()))
    out.print()
    if result.swaps:
        made = table(
            ("baseline has above", "left"),
            ("the other has above", "left"),
            ("difference", "right"),
            ("t", "right"),
            ("p", "right"),
        )
        for swap in result.swaps:
            made.add_row(
                printable(swap.base_above),
                printable(swap.other_above),
                number(swap.difference, 4),
                "∞" if swap.t == float("inf") else number(swap.t, 2),
                "< 0.0001" if swap.p_value < 0.0001 else number(swap.p_value, 4),
            )
        show_table(out, f"The swaps that weigh most, {len(result.swaps)} of {result.discordant}", made)
    for warning in result.warnings:
        out.print(Text(printable(f"! {warning}")))
    if result.warnings:
        out.print()


def _how(result: Comparison) -> str:
    d = result.distance
    count = f"{d.resamples:,}"
    samples = f"all {count} resamples of the topics" if d.exact else f"{count} samples, seed {d.seed}"
    if d.distribution.source:
        samples += f", from {d.distribution.source}"
    return (
        f"p: bootstrap of the topics, {samples}. lambda {d.lam:g} ({d.lam_reason}). RBO with p = "
        f"{result.rbo_p:g}. The interval of τ is Kendall's, over systems."
    )
