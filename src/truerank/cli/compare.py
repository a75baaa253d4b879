"""`truerank compare`: do two rankings of the same systems really differ?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank.cli.inputs import (
    Format,
    MissingScores,
    Transpose,
    files_of,
    hold_runs,
    judgments_of_each,
    score_tables,
)
from truerank.cli.options import (
    Html,
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
    from truerank.comparison import Comparison, MachineAlone
    from truerank.comparison.distance import BootstrapDistribution
    from truerank.comparison.gate import Gate
    from truerank.readers.missing import Missing
    from truerank.scores import ScoreMatrix


RBO_P = 0.9
"""Persistence of RBO unless asked otherwise."""


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
        list[str] | None,
        typer.Argument(
            metavar="OTHER...",
            help="The same, or ranking files: one system a line, best first, a score behind it or not. None "
            "with --machine.",
            show_default=False,
        ),
    ] = None,
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
    transpose: Transpose = None,
    machine: Annotated[
        list[str] | None,
        typer.Option(
            "--machine",
            metavar="TABLE",
            help="Scores by a machine judge, of BASE's topics and of more: what would its ranking alone have "
            "got wrong? (repeatable for trec_eval -q files)",
        ),
    ] = None,
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
    rbo_p: Annotated[float, typer.Option("--rbo-p", metavar="P", help="Persistence of RBO.")] = RBO_P,
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
    latex: Annotated[
        str | None, typer.Option("--latex", metavar="FILE", help="Write a table for a paper.")
    ] = None,
    markdown: Annotated[
        str | None, typer.Option("--markdown", metavar="FILE", help="Write the same table as Markdown.")
    ] = None,
    html: Html = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """How close are other rankings to a trusted one, and is the difference more than chance?"""
    from json import dumps

    from truerank.comparison import compare_all
    from truerank.comparison.distance.bootstrap import RESAMPLES

    if machine:
        if others:
            raise typer.BadParameter("--machine compares with the machine's ranking; leave OTHER out")
        unused = {
            "--samples": samples,
            "--lambda": lam,
            "--bootstrap": bootstrap,
            "--save-bootstrap": save_bootstrap,
            "--critical": critical or None,
            "--regularise": None if regularise == "differences" else regularise,
            "--rbo-p": None if rbo_p == RBO_P else rbo_p,
            "--latex": latex,
            "--markdown": markdown,
        }
        if qrels:
            raise typer.BadParameter(
                "compare --machine takes tables; make them of the runs with truerank evaluate, once with "
                "either judgments"
            )
        if without := [option for option, value in unused.items() if value is not None]:
            raise typer.BadParameter(f"{without[0]} goes with other rankings, not with --machine")
        reading = Reading(measure, missing, relevance_level, names, format, transpose)
        _machine_alone(base, machine, reading, swaps, html, json, seed, quiet)
        return
    if not others:
        raise typer.BadParameter("name another ranking: a score table or a ranking file, or --machine TABLE")
    saved = bootstrap if bootstrap and Path(bootstrap).exists() else None
    given = [files_of(argument) for argument in (base, *others)]
    inputs = [path for files in given for path in files]
    with writing("compare", [*inputs, *(qrels or []), saved], quiet) as outputs:
        outputs.file(latex, "--latex")
        outputs.file(markdown, "--markdown")
        outputs.file(html, "--html")
        outputs.file(save_bootstrap, "--save-bootstrap")
        outputs.file(json, "--json")
        if bootstrap and samples is not None:
            raise InputError("--samples goes with a new bootstrap distribution; the saved one has its own")
        reading = Reading(measure, missing, relevance_level, names, format, transpose)
        with progress_bar(quiet) as progress:
            table, rankings = _read(base, others, given, qrels, reading, progress)
        pair = _pair(table, others, rankings, seed)
        if pair is not None:
            if save_bootstrap is not None:
                raise InputError("--save-bootstrap goes with rankings of three systems or more")
            if latex is not None or markdown is not None:
                from truerank.report.tables import gate as tables

                if latex is not None:
                    outputs.add(latex, tables.latex_text(pair[0]))
                if markdown is not None:
                    outputs.add(markdown, tables.markdown_text(pair[0]))
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
        if results and (latex is not None or markdown is not None):
            from truerank.report.tables.comparison import latex_text, markdown_text

            if latex is not None:
                outputs.add(latex, latex_text(results))
            if markdown is not None:
                outputs.add(markdown, markdown_text(results))
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


def _machine_alone(
    base: str,
    machine: list[str],
    reading: Reading,
    named: int,
    html: str | None,
    json: str | None,
    seed: int,
    quiet: bool,
) -> None:
    """What a machine's ranking alone would have got wrong."""
    from truerank.comparison import machine_alone

    files = files_of(base)
    with writing("compare", [*files, *machine], quiet) as outputs:
        outputs.file(html, "--html")
        outputs.file(json, "--json")
        found = machine_alone(reading.table(files, None, None, machine), named=named, seed=seed)
        if html is not None:
            from truerank.report.pages.machine_alone import machine_alone_html

            outputs.add(html, machine_alone_html(found, command=command_line()))
        if json:
            add_json(outputs, found.to_dict(), json)
    if json != "-":
        _show_machine_alone(found)


def _show_machine_alone(found: MachineAlone) -> None:
    from rich.text import Text

    from truerank.cli.terminal import (
        console,
        level_text,
        number,
        printable,
        share,
        show_machine,
        show_table,
        span,
        table,
    )
    from truerank.report.parts.machine_alone import sentences, tau_rows

    out = console()
    for text in sentences(found):
        out.print(Text(printable(text)))
    out.print()
    made = table(("ranking by", "left"), ("τ", "right"), (f"{level_text(found.level)} interval", "right"))
    for label, one in tau_rows(found):
        made.add_row(label, number(one.estimate), span(one.low, one.high, 2))
    show_table(out, "How close each ranking is to the true one", made)
    if found.named:
        made = table(
            ("the machine has above", "name"),
            ("truly above", "name"),
            ("difference", "right"),
            ("probability", "right"),
        )
        for pair in found.named:
            made.add_row(
                printable(pair.machine_above),
                printable(pair.truly_above),
                number(pair.difference, 4),
                share(pair.probability),
            )
        show_table(out, f"Surely wrong, {len(found.named)} of {found.surely_wrong} pairs", made)
    show_machine(found.judge, out)
    for warning in found.assessment.warnings:
        out.print(Text(printable(f"! {warning}")))
    if found.assessment.warnings:
        out.print()
    kept = f"share of the biases taken for true k = {number(found.kept, 2)}"
    out.print(Text(f"By eb; {kept}; {found.draws:,} draws; seed {found.seed}; truerank {found.version}."))


@dataclass(frozen=True)
class Reading:
    """What the options say of how scores are read, for BASE and each OTHER alike."""

    measure: str | None
    missing: Missing
    relevance_level: int | None
    names: Literal["tag", "file"]
    format: str | None
    transpose: bool | None

    def table(
        self,
        files: list[str],
        qrels: str | None,
        progress: Progress | None,
        machine: list[str] | None = None,
    ) -> ScoreMatrix:
        """The scores in files of one argument, joined to a machine's where there are any.

        Raises:
            typer.BadParameter: options that do not go together.
            InputError: a file that cannot be used.
            UnknownNameError: no such measure or format.
        """
        measures = [self.measure] if self.measure else None
        level = self.relevance_level if qrels is not None else None
        missing = self.missing if qrels is None else "error"
        transpose = self.transpose if qrels is None else None
        (table,) = score_tables(
            files,
            qrels,
            measures,
            missing,
            level,
            self.names,
            progress,
            format=self.format,
            transpose=transpose,
            machine=machine,
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

    from truerank.cli.terminal import console, number, printable, show_table, table
    from truerank.report.parts.comparison import (
        about_coefficients,
        all_warnings,
        baseline_name,
        kendall_text,
        names_of,
    )

    out = console()
    base, names = results[0].distance.distribution, names_of(results)
    what = f"{base.measure}, " if base.measure else ""
    heading = f"Baseline {baseline_name(results[0])}: {what}{base.topics} topics, {base.systems} systems"
    out.print(Text(printable(heading), style="bold"))
    out.print()
    for name, result in zip(names, results, strict=True):
        _show_answer(result, name, out)
    made = table(
        ("ranking", "name"),
        *((heading, "right") for heading in ("τ", "τ_b", "τ_AP", "RBO", "distance", "p")),
    )
    for name, result in zip(names, results, strict=True):
        coefficients = (result.tau, result.tau_b, result.tau_ap, result.rbo)
        distance = number(result.distance.distance, 2)
        made.add_row(name, *map(number, coefficients), distance, result.p_text())
    show_table(out, "Agreement with the baseline", made, about_coefficients(results[0].rbo_p))
    for name, result in zip(names, results, strict=True):
        _show_swaps(result, f"{name}: " if len(results) > 1 else "", out)
    found = all_warnings(results)
    for warning in found:
        out.print(Text(printable(f"! {warning}")))
    if found:
        out.print()
    if critical:
        made_once = {r.distance.distribution.fingerprint: r.distance.distribution for r in results}
        for made_of in made_once.values():
            _show_critical(made_of, out)
    out.print(Text(printable(kendall_text(results))))
    out.print(Text(printable(" ".join(dict.fromkeys(text for one in results for text in _how(one))))))


def _show_answer(result: Comparison, name: str, out: Console) -> None:
    """Whether a ranking differs, in sentences below its name."""
    from rich.text import Text

    from truerank.cli.terminal import printable
    from truerank.report.parts.comparison import pairs_sentence

    out.print(Text(printable(name), style="bold"))
    for text in (result.answer(), pairs_sentence(result)):
        if text:
            out.print(Text(printable(text)))
    out.print()


def _show_critical(made: BootstrapDistribution, out: Console) -> None:
    """How far the rankings by resampled topics are: the distances that only some of them exceed."""
    from truerank.cli.terminal import number, p_text, show_table, table

    shown = table(("p", "right"), ("distance", "right"))
    for alpha, distance in made.table():
        shown.add_row(p_text(alpha), number(distance, 4))
    note = "A ranking that is farther from the baseline than this distance has at most this p."
    what = f"{made.topics} topics, {made.systems} systems"
    show_table(out, f"Critical values of the rank distance, {what}", shown, note)


def _show_swaps(result: Comparison, of: str, out: Console) -> None:
    from truerank.cli.terminal import number, p_text, printable, show_table, table

    if not result.swaps:
        return
    made = table(
        ("baseline first", "name"),
        ("other first", "name"),
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
            p_text(swap.p_value),
        )
    show_table(out, f"{of}The swaps that weigh most, {len(result.swaps)} of {result.discordant:,}", made)


def _how(result: Comparison) -> list[str]:
    from truerank.report.parts.comparison import lambda_text

    d = result.distance
    count = f"{d.resamples:,}"
    samples = f"all {count} resamples of the topics" if d.exact else f"{count} samples, seed {d.seed}"
    if d.distribution.source:
        samples += f", from {d.distribution.source}"
    steadied = [lambda_text(d)] if d.lam else []
    return [f"p: bootstrap of the topics, {samples}.", *steadied]
